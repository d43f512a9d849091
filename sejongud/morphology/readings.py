"""The forms of particles behind text that is no Hangul: 2는, LG가, 100%를, 삼성(주)은, 韓國은.

Kiwi chooses the form of a particle by the coda of the syllable before it, and leaves any other
particle as it is given. Here digits, units, letters, symbols and Chinese characters are read
(rules/readings.tsv, hanja.tsv), and the particle is the one of rules/allomorphs.tsv.

How any form is said follows from the rules of Standard Pronunciation. Each row of
rules/pronunciation.tsv rewrites letters: `수많은` is .ㅅㅜ.ㅁㅏㄶ.ㅇㅡㄴ., becomes
.ㅅㅜ.ㅁㅏㄴ.ㅇㅡㄴ. by the row of ㅎ and .ㅅㅜ.ㅁㅏ.ㄴㅡㄴ. by that of liaison. So does `수만은`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fnmatch import fnmatchcase
from functools import partial
from itertools import product
from typing import TYPE_CHECKING
from unicodedata import normalize

from sejongud.memo import Memo
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.rules.tables import located

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sejongud.rules import Rules


Pair = tuple[str, str]
"""A form and a tag."""

_LATIN = re.compile(r"[A-Za-z]+$")
_UNIT = re.compile(r"[0-9]\s*([A-Za-zμ]+)$")
_KNOWN = 100
"""The characters before a particle that are looked at."""


class Readings:
    """Read what stands before a particle.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        rows = defaultdict[str, list[tuple[str, str]]](list)
        for row in rules.table("readings"):
            rows[row["kind"]].append((row["text"], row["ends"]))
        self._rows = rows
        self._quotes = "".join([text for text, _ in rows["quote"]])
        self._brackets = {text[-1]: text[0] for text, _ in rows["bracket"]}
        self._hanja = {
            hanja: row["reading"] for row in rules.table("hanja") for hanja in row["characters"]
        }
        self._allomorphs = [
            (frozenset(row["tags"].split("|")), row["coda"], row["vowel"], row["rieul"])
            for row in rules.table("allomorphs")
        ]
        self._ending: Memo[str, str] = Memo.of(self, Readings.ending, size=4_000)

    def fitted(self, morphemes: Sequence[Pair], before: str = "") -> list[Pair]:
        """Return morphemes with the particles that fit the text before them.

        Args:
            morphemes: form and Sejong tag of each morpheme of an eojeol.
            before: the text of the sentence before the eojeol; only brackets look there.

        >>> from sejongud.rules import load
        >>> Readings(load()).fitted([("PEG", "SL"), ("은", "JX"), ("요", "JX")])
        [('PEG', 'SL'), ('는', 'JX'), ('요', 'JX')]
        """
        fitted = list(morphemes)
        text = before
        for place, (form, tag) in enumerate(morphemes):
            if text and place and not is_syllable(text[-1]):
                fitted[place] = self._allomorph(form, tag, self._ending[text[-_KNOWN:]]), tag
            text += form
        return fitted

    def _allomorph(self, form: str, tag: str, ends: str) -> str:
        """Return the form of a particle behind a sound."""
        if not ends:
            return form
        for tags, coda, vowel, rieul in self._allomorphs:
            if tag in tags:
                wanted = coda if (rieul if ends == "rieul" else ends) == "coda" else vowel
                given = next(filter(form.startswith, (coda, vowel)), "")
                if given:
                    return wanted + form.removeprefix(given)
        return form

    def closes(self, text: str) -> bool:
        """Return whether a text closes a bracket that it does not open."""
        return any(
            [
                text.find(closing) > text.rfind(opening, 0, text.find(closing) + 1) == -1
                for closing, opening in self._brackets.items()
                if closing in text
            ]
        )

    def ending(self, text: str) -> str:
        """Return the last sound of a text: coda, rieul, vowel, or "" if it is not known.

        >>> from sejongud.rules import load
        >>> [Readings(load()).ending(text) for text in ("10", "5kg", "삼성(주)", "韓國", "~")]
        ['coda', 'coda', 'coda', 'coda', '']
        """
        text = text.rstrip(self._quotes)
        if not text:
            return ""
        last = text[-1]
        if last in self._brackets:
            opening = text.rfind(self._brackets[last])
            outside = text[: max(opening, 0)].rstrip()
            return self.ending(outside or text[opening + 1 : -1])
        if symbol := self._first("symbol", last):
            return symbol
        text = normalize("NFKC", text)
        last = text[-1]
        last = self._hanja.get(last, last)
        if is_syllable(last):
            coda = decompose(last)[2]
            return "rieul" if coda == "ㄹ" else "coda" if coda else "vowel"
        if unit := _UNIT.search(text):
            return self._first("unit", unit[1]) or self._of_letters(unit[1])
        letters = _LATIN.search(text)
        return self._of_letters(letters[0]) if letters else self._first("digit", last)

    def _of_letters(self, word: str) -> str:
        """Return the last sound of a word in Latin letters."""
        if len(word) == 1 or word[-1].isupper():
            return self._first("letter", word[-1])
        return self._first("word", word.lower())

    def _first(self, kind: str, text: str) -> str:
        """Return the sound in the first row of a kind that fits a text, "" if none does."""
        return next((ends for pattern, ends in self._rows[kind] if fnmatchcase(text, pattern)), "")


_SAID, _CONFUSED = "said", "confused"
_BORDER, _NONE = ".", "-"
_REMEMBERED = 24_000
_PART = re.compile(r"\[([^\[\]]+)\]|([^\[\]])")
"""A class of letters, or a letter."""


class Pronunciation:
    """Tell how forms are said.

    Args:
        rules: the tables, of which `pronunciation` is used.

    Raises:
        RulesError: a class of letters has no counterpart of as many letters.

    >>> from sejongud.rules import load
    >>> pronunciation = Pronunciation(load())
    >>> pronunciation.said["같이", False], pronunciation.alike("그레서", "그래서")
    ('.ㄱㅏ.ㅊㅣ.', True)
    """

    def __init__(self, rules: Rules) -> None:
        self._steps: dict[str, list[Callable[[str], str]]] = {_SAID: [], _CONFUSED: []}
        for row in rules.table("pronunciation"):
            try:
                pairs = _pairs(row["written"], row["said"])
            except ValueError as error:
                raise located(rules.sources("pronunciation"), row, str(error)) from None
            pattern = re.compile("|".join(map(re.escape, pairs)))
            self._steps[row["kind"]].append(partial(pattern.sub, partial(_replacement, pairs)))
        self.said: Memo[tuple[str, bool], str] = Memo.of(self, Pronunciation._say, size=_REMEMBERED)
        """(form, whether confused letters are levelled) → its letters as they are said."""

    def alike(self, form: str, other: str, *, confused: bool = False) -> bool:
        """Return whether two forms are written in two ways and said alike.

        Args:
            form: a form without spaces.
            other: another one.
            confused: whether letters that learners and loanwords confuse count as one.
        """
        return form != other and self.said[form, confused] == self.said[other, confused]

    def _say(self, key: tuple[str, bool]) -> str:
        form, confused = key
        letters = ["".join(decompose(c)) if is_syllable(c) else c for c in form]
        text = _BORDER.join(["", *letters, ""])
        for step in (*(self._steps[_CONFUSED] if confused else ()), *self._steps[_SAID]):
            text = step(text)
        return text


def _replacement(pairs: Mapping[str, str], match: re.Match[str]) -> str:
    return pairs[match[0]]


def _pairs(written: str, said: str) -> dict[str, str]:
    """Return the pieces that a row stands for, each with what it becomes.

    >>> _pairs("[ㅎㄶ].ㅇ", "[-ㄴ].ㅇ")
    {'ㅎ.ㅇ': '.ㅇ', 'ㄶ.ㅇ': 'ㄴ.ㅇ'}
    """
    sources, targets = [_PART.findall(side) for side in (written, said)]
    classes = [letters for letters, _ in sources if letters]
    places = [letters for letters, _ in targets if letters]
    if list(map(len, places)) != list(map(len, classes[: len(places)])):
        raise ValueError(f"[ ] of {said} should have as many letters as [ ] of {written}")
    pairs = {}
    for chosen in product(*(range(len(letters)) for letters in classes)):
        pieces = ["".join(_filled(side, chosen)) for side in (sources, targets)]
        pairs[pieces[0]] = pieces[1].replace(_NONE, "")
    return pairs


def _filled(parts: list[tuple[str, str]], chosen: tuple[int, ...]) -> list[str]:
    """Return the letters of a side, of each class the chosen one."""
    places = iter(chosen)
    return [letters[next(places)] if letters else letter for letters, letter in parts]
