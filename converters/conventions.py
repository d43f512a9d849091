"""The tags and lemmas of treebanks, made alike so that they can be used together.

`--xpos sejong` gives the words of UD Korean Kaist the tags of the Sejong tag set, which GSD has
(rules/kaist-tags.tsv, penn-tags.tsv, pud-tags.tsv). `--aux-lemmas whole` restores the LEMMA of
auxiliaries, of which newer releases of UD have the stem alone (했지요: 하, was 하+았+지요), and
`--aux-lemmas bound` truncates it as they do.

`Published` is the published word2morph conversion, byte for byte, for comparison (Chen et al.
2022). The output of the program that made morphUD differs from that of
`sejongud.converters.word2morph`:

- The head morpheme is one with the UPOS of the word, which may be an ending or a particle
  (rules/heads.tsv, rule `published`).
- The program finds the head morpheme of a governor with the UPOS of the dependent.
- It omits FEATS, DEPS and all comments after the second, and reduces blanks in comments to one.
- It writes MISC of a word on its last morpheme and leaves MISC of the range line empty.
- Words of one morpheme keep their lemma; others get the lemmas of the lemma scheme `morphud`.
- It omits a word whose LEMMA and XPOS have different numbers of pieces, so that the numbers of HEAD
  are wrong behind it. `Published` alone differs here: such a word stays whole (W205).
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.relations import Relations
from sejongud.errors import FormatError, Note, UsageError
from sejongud.formats.misc import escape_misc
from sejongud.levels.heads import HeadRule, WordHeadRule
from sejongud.levels.upos import MorphemeUpos
from sejongud.memo import remembered, remembered_by
from sejongud.model import (
    NOTHING,
    Arcs,
    Eojeol,
    Header,
    Morpheme,
    Sentence,
    Token,
    Word,
    changed_token,
    with_items,
)

if TYPE_CHECKING:
    from sejongud.rules import Rules


XPOS = ("sejong",)
"""The tag sets that XPOS can be given."""

AUX_LEMMAS = ("whole", "bound")
"""The lemmas that auxiliaries can be given: of all their morphemes, or of the stem."""

_AUXILIARY = "AUX"
_WHOLE_IN_MISC = "OrigLemma"


class Conventions:
    """Gives the words of a treebank the tags and lemmas of a convention.

    Args:
        rules: the tables.
        xpos: "sejong" for tags of the Sejong tag set; "" for those that the words have.
        aux_lemmas: "whole" or "bound"; "" for the lemmas that the words have.
        told: whether MISC tells what was changed, so that `Morph2Word` restores it (`WordXPOS`,
            `WordLemma`).

    Raises:
        UsageError: there is no such tag set or lemma.
    """

    def __init__(
        self, rules: Rules, *, xpos: str = "", aux_lemmas: str = "", told: bool = False
    ) -> None:
        if xpos not in ("", *XPOS):
            raise UsageError(f"there is no tag set {xpos}: {', '.join(XPOS)}")
        if aux_lemmas not in ("", *AUX_LEMMAS):
            raise UsageError(f"there are no lemmas {aux_lemmas}: {', '.join(AUX_LEMMAS)}")
        self._xpos = xpos
        self._aux_lemmas = aux_lemmas
        self._told = told
        self._rules = rules
        self._heads = HeadRule(rules)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the tags and lemmas of the convention."""
        eojeols = tuple([self._changed[eojeol] for eojeol in sentence.eojeols])
        same = all([new is old for new, old in zip(eojeols, sentence.eojeols, strict=True)])
        return sentence if same else sentence.but(eojeols=eojeols)

    @remembered()
    def _changed(self, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol with other tags and lemmas; itself if it has them already."""
        tokens = tuple(map(self._token, eojeol.tokens))
        morphemes = self._morphemes(eojeol.morphemes)
        if tokens == eojeol.tokens and morphemes == eojeol.morphemes:
            return eojeol
        spans = None if eojeol.is_plain else eojeol.spans
        return Eojeol(eojeol.form, morphemes, spans, eojeol.notes, tokens, eojeol.occurrence)

    def _token(self, token: Token) -> Token:
        words = tuple(map(self._word, token.words))
        if words == token.words:
            return token
        misc = words[0].misc if len(words) == 1 else token.misc
        return changed_token(token, words, token.feats, misc)

    def _word(self, word: Word) -> Word:
        xpos, lemma = self._tags(word), self._lemma(word)
        items = []
        if self._told:
            items += [f"WordXPOS={escape_misc(word.xpos)}"] if xpos != word.xpos else []
            items += [f"WordLemma={escape_misc(word.lemma)}"] if lemma != word.lemma else []
        elif lemma != word.lemma and "+" in word.lemma and _WHOLE_IN_MISC not in word.misc:
            items.append(f"{_WHOLE_IN_MISC}={escape_misc(word.lemma)}")
        misc, morphemes = with_items(word.misc, items), self._morphemes(word.morphemes)
        return word._replace(lemma=lemma, xpos=xpos, misc=misc, morphemes=morphemes)

    def _morphemes(self, morphemes: tuple[Morpheme, ...]) -> tuple[Morpheme, ...]:
        return self._rules.in_sejong(morphemes) if self._xpos else morphemes

    def _tags(self, word: Word) -> str:
        """Return XPOS in the tag set; it may have other pieces than the word has morphemes."""
        tags = word.xpos.split("+")
        if not self._xpos:
            return word.xpos
        if tags == [morpheme.tag for morpheme in word.morphemes]:
            return "+".join(self._rules.sejong_tags(word.morphemes))
        return "+".join([self._rules.sejong_tag("", tag) for tag in tags])

    def _lemma(self, word: Word) -> str:
        """Return the lemma of a word: another one for auxiliaries of several morphemes."""
        morphemes = word.morphemes
        if not self._aux_lemmas or word.upos != _AUXILIARY or len(morphemes) == 1:
            return word.lemma
        if self._aux_lemmas == AUX_LEMMAS[0]:
            return "+".join([m.written for m in morphemes])
        if word.lemma and "+" not in word.lemma:
            # UD_Korean-PUD has the stem alone, which is no morpheme that it has (않 of 않다+고), or
            # no lemma at all.
            return word.lemma
        return morphemes[self._heads.head(self._rules.sejong_tags(morphemes))].written


_SCHEME = "morphud"
_COMMENTS = 2
_UNCUT = "LEMMA and XPOS have different numbers of pieces, kept as one"
_BLANKS = re.compile(r"\s+")


class _SplitWord(NamedTuple):
    """The morphemes of a word in the published program: LEMMA and XPOS split at every plus."""

    forms: tuple[str, ...]
    tags: tuple[str, ...]


class Published:
    """Splits the words of a sentence like the published program.

    Args:
        rules: the tables.
        bound_marker: the text before every morpheme of a word except the first (`+`: +morphUD).
    """

    def __init__(self, rules: Rules, *, bound_marker: str = "") -> None:
        self._upos = MorphemeUpos(rules, _SCHEME)
        self._relations = Relations(rules, _SCHEME)
        self._heads = WordHeadRule(rules, "published")
        self._lemmas = rules.lemmas[_SCHEME]
        self._marker = bound_marker

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with a word for each morpheme and an eojeol for each token.

        Raises:
            FormatError: the sentence has ranges, or more or fewer than two comment lines; the
                published program could not read it.
        """
        assert sentence.arcs is not None
        comments = sentence.header.lines.splitlines() if sentence.header else []
        words = list(sentence.words)
        ranges = len(words) - len(list(sentence.tokens))
        if len(comments) != _COMMENTS or ranges:
            raise FormatError(
                f"the published program requires sentences with {_COMMENTS} comment lines and no"
                f" ranges; this sentence has {len(comments)} and {ranges} more words than tokens",
                code="E210",
            )
        pieces = [_pieces(word) for word in words]
        starts = list(accumulate([len(cut.forms) for cut in pieces], initial=0))
        eojeols = []
        heads: list[int] = []
        deprels: list[str] = []
        for index, (word, cut) in enumerate(zip(words, pieces, strict=True)):
            token = self._token(word, cut)
            eojeols.append(Eojeol(token.form, token.morphemes, None, (), (token,)))
            head_place = self._head[cut.tags, word.upos]
            governor = sentence.arcs.heads[index]
            # A HEAD that is no word, of a sentence that is kept, stays open.
            head = -1 if governor else 0
            if 0 < governor <= len(words):
                # The program's mistake: the UPOS of the governor would be right here.
                inside = self._head[pieces[governor - 1].tags, word.upos]
                head = starts[governor - 1] + 1 + inside
            for place, deprel in enumerate(self._deprels(cut, word.upos, head_place)):
                heads.append(starts[index] + 1 + head_place if place != head_place else head)
                deprels.append(deprel if place != head_place else sentence.arcs.deprels[index])
        header = "".join([_BLANKS.sub(" ", line).strip() + "\n" for line in comments])
        notes = [
            Note("W205", f"{word.form}: {_UNCUT}", str(number))
            for number, (word, cut) in enumerate(zip(words, pieces, strict=True), 1)
            # The reader told of those that have one morpheme.
            if len(cut.forms) == 1 < len(word.morphemes)
        ]
        return sentence.but(
            eojeols=tuple(eojeols),
            arcs=Arcs(tuple(heads), tuple(deprels)),
            notes=(*sentence.notes, *notes),
            header=Header(header, sentence.sent_id, sentence.comments, sentence.text_orig),
        )

    def _token(self, word: Word, pieces: _SplitWord) -> Token:
        count = len(pieces.forms)
        if count == 1:
            morpheme = Morpheme(word.form, pieces.tags[0])
            single = word._replace(feats=NOTHING, morphemes=(morpheme,))
            return Token(word.form, (single,), misc=word.misc)
        upos = self._upos.of(pieces.tags, word.upos)
        words = []
        for i, (form, tag) in enumerate(zip(*pieces, strict=True)):
            marked, lemma = (self._marker if i else "") + form, self._lemmas.get((form, tag), form)
            misc = word.misc if i == count - 1 else NOTHING
            words.append(Word(marked, lemma, upos[i], tag, NOTHING, misc, (Morpheme(form, tag),)))
        return Token(word.form, tuple(words))

    def _deprels(self, pieces: _SplitWord, word: str, head: int) -> list[str]:
        upos = self._upos.of(pieces.tags, word)
        return [
            self._relations.of[upos[head], tag_upos, tag, "", "", ""].deprel
            for tag_upos, tag in zip(upos, pieces.tags, strict=True)
        ]

    @remembered_by(10_000)
    def _head(self, tags: tuple[str, ...], word: str) -> int:
        return self._heads.head(tags, self._upos.of(tags, word), word)


def _pieces(word: Word) -> _SplitWord:
    """Return the morphemes of a word: one if LEMMA and XPOS have different numbers of pieces."""
    forms = tuple([form for form in word.lemma.split("+") if form])
    tags = tuple([tag for tag in word.xpos.split("+") if tag])
    if forms and len(forms) == len(tags):
        return _SplitWord(forms, tags)
    return _SplitWord((word.form,), (word.xpos,))
