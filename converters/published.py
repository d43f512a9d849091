"""The published word2morph conversion, byte for byte, for comparison (Chen et al. 2022).

The output of the program that made morphUD differs from that of `sejongud.converters.word2morph`:

- The head morpheme is one with the UPOS of the word, which may be an ending or a particle
  (rules/heads.tsv, rule `published`).
- The program finds the head morpheme of a governor with the UPOS of the dependent.
- It omits FEATS, DEPS and all comments after the second, and reduces blanks in comments to one.
- It writes MISC of a word on its last morpheme and leaves MISC of the range line empty.
- Words of one morpheme keep their lemma; others get the lemmas of the lemma scheme `morphud`.
- It omits a word whose LEMMA and XPOS have different numbers of pieces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.relations import Relations
from sejongud.errors import FormatError
from sejongud.levels.heads import WordHeadRule
from sejongud.levels.upos import MorphemeUpos
from sejongud.memo import Memo
from sejongud.model import NOTHING, Arcs, Eojeol, Header, Morpheme, Sentence, Token, Word

if TYPE_CHECKING:
    from sejongud.rules import Rules

_SCHEME = "morphud"
_COMMENTS = 2
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
        self._found: Memo[tuple[tuple[str, ...], str], int] = Memo.of(
            self, Published._head, size=10_000
        )

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
        starts = [0]
        for cut in pieces:
            starts.append(starts[-1] + (len(cut.forms) if cut else 0))
        eojeols = []
        heads: list[int] = []
        deprels: list[str] = []
        for index, (word, cut) in enumerate(zip(words, pieces, strict=True)):
            if cut is None:
                continue
            token = self._token(word, cut)
            morphemes = tuple([m for word in token.words for m in word.morphemes])
            eojeols.append(Eojeol(token.form, morphemes, None, (), (token,)))
            head_place = self._found[cut.tags, word.upos]
            governor = sentence.arcs.heads[index]
            above = pieces[governor - 1] if governor else None
            head = 0
            if governor:
                # The program's mistake: the UPOS of the governor would be right here.
                inside = self._found[above.tags, word.upos] if above else 0
                head = starts[governor - 1] + 1 + inside
            for place, deprel in enumerate(self._deprels(cut, word.upos, head_place)):
                heads.append(starts[index] + 1 + head_place if place != head_place else head)
                deprels.append(deprel if place != head_place else sentence.arcs.deprels[index])
        header = "".join([_BLANKS.sub(" ", line).strip() + "\n" for line in comments])
        return sentence.but(
            eojeols=tuple(eojeols),
            arcs=Arcs(tuple(heads), tuple(deprels)),
            header=Header(header, sentence.sent_id, sentence.comments, sentence.text_orig),
        )

    def _token(self, word: Word, pieces: _SplitWord) -> Token:
        count = len(pieces.forms)
        if count == 1:
            morpheme = Morpheme(word.form, pieces.tags[0])
            single = word._replace(feats=NOTHING, morphemes=(morpheme,))
            return Token(word.form, (single,), misc=word.misc)
        upos = self._upos.of(pieces.tags, word.upos)
        words = tuple(
            [
                Word(
                    form if i == 0 else self._marker + form,
                    self._lemmas.get((form, tag), form),
                    upos[i],
                    tag,
                    NOTHING,
                    word.misc if i == count - 1 else NOTHING,
                    (Morpheme(form, tag),),
                )
                for i, (form, tag) in enumerate(zip(*pieces, strict=True))
            ]
        )
        return Token(word.form, words)

    def _deprels(self, pieces: _SplitWord, word: str, head: int) -> list[str]:
        upos = self._upos.of(pieces.tags, word)
        return [
            self._relations.of(upos[head], tag_upos, tag, "", "", "").deprel
            for tag_upos, tag in zip(upos, pieces.tags, strict=True)
        ]

    def _head(self, key: tuple[tuple[str, ...], str]) -> int:
        tags, word = key
        return self._heads.head(tags, self._upos.of(tags, word), word)


def _pieces(word: Word) -> _SplitWord | None:
    """Return the morphemes of a word; None if LEMMA and XPOS have different numbers of pieces."""
    forms = tuple([form for form in word.lemma.split("+") if form])
    tags = tuple([tag for tag in word.xpos.split("+") if tag])
    return _SplitWord(forms, tags) if forms and len(forms) == len(tags) else None
