"""Tell how a form is said, by the rules of Standard Pronunciation.

Each row of rules/pronunciation.tsv rewrites letters: `수많은` is .ㅅㅜ.ㅁㅏㄶ.ㅇㅡㄴ., becomes
.ㅅㅜ.ㅁㅏㄴ.ㅇㅡㄴ. by the row of ㅎ and .ㅅㅜ.ㅁㅏ.ㄴㅡㄴ. by that of liaison. So does `수만은`.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from sejongud.errors import RulesError
from sejongud.memo import Memo
from sejongud.morphology.hangul import decompose, is_syllable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sejongud.rules import Rules

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
            pairs = _pairs(row["written"], row["said"])
            pattern = re.compile("|".join(map(re.escape, pairs)))
            self._steps[row["kind"]].append(partial(pattern.sub, partial(_replacement, pairs)))
        self.said: Memo[tuple[str, bool], str] = Memo.of(self, Pronunciation._say, size=_REMEMBERED)
        """(form, whether consonants are levelled) → its letters as they are said."""

    def alike(self, form: str, other: str, *, confused: bool = False) -> bool:
        """Return whether two forms are written in two ways and said alike.

        Args:
            form: a form without spaces.
            other: another one.
            confused: whether plain, tense and aspirated consonants count as one.
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
        raise RulesError(f"[ ] of {said} should have as many letters as [ ] of {written}")
    pairs = {}
    for chosen in product(*(range(len(letters)) for letters in classes)):
        pieces = ["".join(_filled(side, chosen)) for side in (sources, targets)]
        pairs[pieces[0]] = pieces[1].replace(_NONE, "")
    return pairs


def _filled(parts: list[tuple[str, str]], chosen: tuple[int, ...]) -> list[str]:
    """Return the letters of a side, of each class the chosen one."""
    places = iter(chosen)
    return [letters[next(places)] if letters else letter for letters, letter in parts]
