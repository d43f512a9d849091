"""Give words a romanisation and glosses in MISC (--translit, --gloss).

    갔다    Translit=.gass.da|LTranslit=.ga+.eoss+.da|MGloss=가-past-decl

`Translit=` is of the form, on the range line of a token with several words too, `LTranslit=` of the
lemma, as UD Korean GSD and Kaist write them (rules/translit.tsv). `MGloss=` names the particles,
endings and affixes of a word (rules/glosses.tsv); other morphemes stand for themselves. Items that
a treebank has stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.converters.features import unsaid
from sejongud.formats.misc import escape_misc
from sejongud.memo import Memo
from sejongud.model import NOTHING, changed_token
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.model import Eojeol, Morpheme, Sentence, Token, Word
    from sejongud.rules import Rules

    _Change = Callable[[str, list[str]], str]

_REMEMBERED = 48_000
_COMMENT = "translit = "
_PLACES = ("lead", "vowel", "coda")


class Interlinear:
    """Gives the words of sentences their romanisation and glosses.

    Args:
        rules: the tables.
        translit: whether to romanise.
        gloss: whether to gloss.
    """

    def __init__(self, rules: Rules, *, translit: bool = False, gloss: bool = False) -> None:
        self._rules = rules
        self._translit, self._gloss = translit, gloss
        letters: dict[str, dict[str, str]] = {place: {"": ""} for place in _PLACES}
        for row in rules.table("translit"):
            letters[row["place"]][row["jamo"]] = row["latin"]
        self._letters = [letters[place] for place in _PLACES]
        self._glosses = {(row["lemma"], row["tag"]): row["gloss"] for row in rules.table("glosses")}
        self._lemmas = rules.lemmas["normalised"]
        self._made: Memo[Eojeol, Eojeol] = Memo.of(
            self, lambda interlinear, eojeol: interlinear._changed(eojeol, _added), size=_REMEMBERED
        )

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the items in all words that lack them."""
        eojeols = tuple([self._made[eojeol] for eojeol in sentence.eojeols])
        result = sentence.with_cut(eojeols, sentence.arcs)
        if self._translit and not any([c.startswith(_COMMENT) for c in sentence.comments]):
            result.comments = (self._comment(sentence), *sentence.comments)
        return result

    def cleared(self, sentence: Sentence) -> Sentence:
        """Return the sentence without the items that `__call__` gives its words."""
        comments = tuple([c for c in sentence.comments if c != self._comment(sentence)])
        if not any([token.misc != NOTHING for token in sentence.tokens]) and not any(
            [word.misc not in ("", NOTHING) for word in sentence.words]
        ):
            return sentence
        eojeols = tuple([self._changed(eojeol, _without) for eojeol in sentence.eojeols])
        result = unsaid(sentence, eojeols, self._rules.kind)
        result.comments = comments
        return result

    def romanised(self, text: str) -> str:
        """Return a text in Latin letters; what is no Hangul syllable stays.

        >>> from sejongud.rules import load
        >>> Interlinear(load()).romanised("가까운 ㄴ 8개")
        '.ga.gga.un ㄴ 8.gae'
        """
        return "".join([self._syllable(char) if is_syllable(char) else char for char in text])

    def _syllable(self, char: str) -> str:
        parts = zip(self._letters, decompose(char), strict=True)
        return "." + "".join([letters[jamo] for letters, jamo in parts])

    def _comment(self, sentence: Sentence) -> str:
        return f"{_COMMENT}{self.romanised(sentence.text)}"

    def _changed(self, eojeol: Eojeol, change: _Change) -> Eojeol:
        """Return an eojeol with other MISC."""
        tokens = []
        for token in eojeol.tokens:
            words = tuple([word._replace(misc=change(*pair)) for word, pair in self._items(token)])
            misc = words[0].misc
            if len(words) > 1:
                misc = change(token.misc, [self._of_form(token.form)] * self._translit)
            tokens.append(changed_token(token, words, token.feats, misc))
        return eojeol.but(tokens=tuple(tokens))

    def _items(self, token: Token) -> Iterator[tuple[Word, tuple[str, list[str]]]]:
        """Yield each word of a token with its MISC and the items for it."""
        for word in token.words:
            items = []
            if self._translit:
                items.append(self._of_form(word.form or token.form))
                if word.lemma != NOTHING:
                    items.append(f"LTranslit={escape_misc(self.romanised(word.lemma))}")
            if self._gloss and (gloss := self._glossed(word.morphemes)):
                items.append(f"MGloss={escape_misc(gloss)}")
            misc = word.misc if len(token.words) > 1 else token.misc
            yield word, (misc, items)

    def _of_form(self, form: str) -> str:
        return f"Translit={escape_misc(self.romanised(form))}"

    def _glossed(self, morphemes: tuple[Morpheme, ...]) -> str:
        """Return the gloss of a word; "" if none of its morphemes has one."""
        glosses = [self.gloss_of(morpheme) for morpheme in morphemes]
        if not any(glosses):
            return ""
        parts = [
            f"-{gloss}" if gloss else morpheme.form
            for gloss, morpheme in zip(glosses, morphemes, strict=True)
        ]
        return "".join(parts)

    def gloss_of(self, morpheme: Morpheme) -> str:
        """Return the gloss of a particle, an ending or an affix; "" for other morphemes."""
        tag = self._rules.sejong_tag(morpheme.form, morpheme.tag)
        lemma = self._lemmas.get((morpheme.form, tag), morpheme.form)
        return self._glosses.get((lemma, tag)) or self._glosses.get((ANY, tag), "")


def _added(misc: str, items: list[str]) -> str:
    """Return MISC with the items whose keys it lacks."""
    old = misc.split("|") if misc not in ("", NOTHING) else []
    keys = {item.partition("=")[0] for item in old}
    return "|".join([*old, *[item for item in items if item.partition("=")[0] not in keys]]) or misc


def _without(misc: str, items: list[str]) -> str:
    """Return MISC without these items."""
    if misc in ("", NOTHING):
        return misc
    return "|".join([item for item in misc.split("|") if item not in items]) or NOTHING
