"""Texts with their numbers spelt in one way: 3명, 삼 명 and 세 명 are alike.

A syllable such as 이 or 만 is taken for a number wherever it stands, so the result is good for
comparing two texts and for nothing else.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sejongud.rules import Rules

_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_POINT = "점"
_LONGEST = 18
"""The most digits of a number; longer ones are read digit by digit."""
_BEGIN, _END = "\ue000", "\ue001"
"""Marks around a number, which no text has."""
_SPACES = re.compile(rf" (?={_BEGIN})|(?<={_END}) ")
_ORDER = {"digit": 1, "ones": 1, "tens": 10}


class _Atom(NamedTuple):
    """A word of a number."""

    kind: str
    value: int


class _Words(NamedTuple):
    pattern: re.Pattern[str]
    atoms: Mapping[str, _Atom]


@lru_cache(maxsize=2)
def _words(rules: Rules) -> _Words:
    atoms = {
        row["word"]: _Atom(row["kind"], int(row["value"])) for row in rules.table("gec-numbers")
    }
    longest_first = sorted(atoms, key=len, reverse=True)
    parts = [
        _DIGITS.pattern,
        rf"(?<=\d)\.(?=\d)|(?<=.){_POINT}(?=.)",
        *map(re.escape, longest_first),
    ]
    return _Words(re.compile("|".join(parts)), atoms)


def with_numbers(text: str, rules: Rules | None = None) -> str:
    """Return a text with its numbers as values, and without spaces beside them.

    Args:
        text: the text.
        rules: the tables; None for the package's own.

    >>> with_numbers("3명") == with_numbers("세 명") == with_numbers("삼 명")
    True
    >>> with_numbers("32") == with_numbers("삼십이"), with_numbers("나무") == with_numbers("나 무")
    (True, False)
    """
    words = _words(rules or load())
    pieces = []
    run: list[str] = []
    at = 0
    for found in words.pattern.finditer(text):
        if text[at : found.start()].strip(" "):
            pieces.append(_values(run, words.atoms))
            run = []
            pieces.append(text[at : found.start()])
        elif run and text[at : found.start()]:
            pieces.append(_values(run, words.atoms))
            run = []
        elif not run:
            pieces.append(text[at : found.start()])
        run.append(found[0])
        at = found.end()
    pieces += [_values(run, words.atoms), text[at:]]
    return _SPACES.sub("", "".join(pieces))


def differ_in_numbers(one: str, other: str, rules: Rules | None = None) -> bool:
    """Return whether two texts differ, and in nothing but the spelling of numbers.

    >>> differ_in_numbers("사과 3개", "사과 세 개"), differ_in_numbers("사과세 개", "사과 세 개")
    (True, False)
    """
    if "".join(one.split()) == "".join(other.split()):
        return False
    return with_numbers(one, rules) == with_numbers(other, rules)


def _values(run: list[str], atoms: Mapping[str, _Atom]) -> str:
    """Return the values of the words of numbers that stand together."""
    return "".join([f"{_BEGIN}{value}{_END}" for value in _numbers(_read(run, atoms))])


def _read(run: list[str], atoms: Mapping[str, _Atom]) -> Iterator[_Atom | str]:
    """Yield the atoms of words; digits behind a point, and those of an id, stand for themselves."""
    behind_point = False
    for word in run:
        if word in atoms:
            yield atoms[word]
        elif not word[0].isdigit():
            behind_point = True
            yield _POINT
            continue
        else:
            digits = word.replace(",", "")
            if behind_point or digits[0] == "0" or len(digits) > _LONGEST:
                for digit in digits:
                    yield _Atom("digit", int(digit))
                    yield ""
            else:
                yield _Atom("number", int(digits))
        behind_point = False


def _numbers(atoms: Iterator[_Atom | str]) -> Iterator[str]:
    """Yield the numbers of atoms, and the points between them."""
    whole = section = 0
    current: int | None = None
    order = 0
    begun = False
    for atom in atoms:
        if isinstance(atom, str):
            if begun:
                yield str(whole + section + (current or 0))
                whole, section, current, order, begun = 0, 0, None, 0, False
            if atom:
                yield atom
            continue
        if atom.kind == "ten":
            section += (1 if current is None else current) * atom.value
            current = None
        elif atom.kind == "myriad":
            whole += ((section + (current or 0)) or 1) * atom.value
            section, current = 0, None
        else:
            size = _ORDER.get(atom.kind, 1)
            if current is not None and not (order == _ORDER["tens"] and size == 1):
                yield str(whole + section + current)
                whole, section, current = 0, 0, None
            current = (current or 0) + atom.value
            order = size
        begun = True
    if begun:
        yield str(whole + section + (current or 0))
