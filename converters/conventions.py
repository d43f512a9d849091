"""The tags and lemmas of treebanks, made alike so that they can be used together.

`--xpos sejong` gives the words of UD Korean Kaist the tags of the Sejong tag set, which GSD has
(rules/kaist-tags.tsv, penn-tags.tsv, pud-tags.tsv). `--aux-lemmas whole` restores the LEMMA of
auxiliaries, of which newer releases of UD have the stem alone (했지요: 하, was 하+았+지요), and
`--aux-lemmas bound` truncates it as they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.formats.misc import escape_misc
from sejongud.levels.heads import HeadRule
from sejongud.memo import Memo
from sejongud.model import Eojeol, changed_token, with_items

if TYPE_CHECKING:
    from sejongud.model import Morpheme, Sentence, Token, Word
    from sejongud.rules import Rules

XPOS = ("sejong",)
"""The tag sets that XPOS can be given."""

AUX_LEMMAS = ("whole", "bound")
"""The lemmas that auxiliaries can be given: of all their morphemes, or of the stem."""

_REMEMBERED = 48_000
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
        self._made: Memo[Eojeol, Eojeol] = Memo.of(self, Conventions._changed, size=_REMEMBERED)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the tags and lemmas of the convention."""
        eojeols = tuple([self._made[eojeol] for eojeol in sentence.eojeols])
        same = all([new is old for new, old in zip(eojeols, sentence.eojeols, strict=True)])
        return sentence if same else sentence.with_cut(eojeols, sentence.arcs)

    def _changed(self, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol with other tags and lemmas; itself if it has them already."""
        tokens = tuple(map(self._token, eojeol.tokens))
        morphemes = self._morphemes(eojeol.morphemes)
        if tokens == eojeol.tokens and morphemes == eojeol.morphemes:
            return eojeol
        spans = None if eojeol.is_plain else eojeol.spans
        return Eojeol(eojeol.form, morphemes, spans, eojeol.notes, tokens, eojeol.said)

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
