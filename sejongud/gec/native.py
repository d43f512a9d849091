"""The filter of Kor-Native (Yoon et al. 2023, A.2), whose sources were written from dictation.

A voice reads neither punctuation nor how a number or a name is spelt, so pairs that differ in these
alone are no corrections. Of one target there may be many sources.

Numbers are compared as their values: 3명, 삼 명 and 세 명 are alike. A syllable such as 이 or 만 is
taken for a number wherever it stands, so a text with values serves the comparison and nothing else.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category

from sejongud.gec.filters import chosen_steps, equal, repeated, unless
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sejongud.gec.filters import FilterOptions
    from sejongud.morphology.kiwi import KiwiAnalyser
    from sejongud.rules import Rules

_MOST = 500
"""The most eojeols of texts whose names are compared."""

_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_POINT = "점"
_LONGEST = 18
"""The most digits of a number; longer ones are read digit by digit."""
_BEGIN, _END = "\ue000", "\ue001"
"""Marks around a number, which no text has."""
_SPACES = re.compile(rf" +(?={_BEGIN})|(?<={_END}) +")
_ORDER = {"digit": 1, "ones": 1, "tens": 10}


def native_steps(
    rules: Rules, options: FilterOptions, analyser: Callable[[], KiwiAnalyser]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the steps of the filter of Kor-Native; see `sejongud.gec.filters.Filter`.

    Args:
        rules: the tables.
        options: of the user.
        analyser: makes the analyser; called when a name is first looked for.
    """
    values = rules.settings("gec-native")
    least = options.min_length_ratio
    least = values["length"]["least"] if least is None else least
    steps = {
        "equal": equal,
        "punctuation": unless(_punctuation),
        "numbers": unless(partial(_numbers, rules)),
        "length": unless(partial(_length, least)),
        "names": _names(rules, frozenset(values["names"]["tags"]), analyser),
        "repeated": repeated(),
    }
    return chosen_steps(steps, values["steps"], options.without, "gec-native"), {}


def _punctuation(source: str, target: str) -> str:
    same = _without_marks(source) == _without_marks(target)
    return "the texts differ in punctuation alone" if same else ""


def _without_marks(text: str) -> str:
    return " ".join("".join([char for char in text if category(char)[0] not in "PS"]).split())


def _numbers(rules: Rules, source: str, target: str) -> str:
    same = differ_in_numbers(source, target, rules)
    return "the texts differ in the spelling of numbers alone" if same else ""


def _length(least: float, source: str, target: str) -> str:
    if len(source) >= least * len(target):
        return ""
    return f"the source has {len(source)} characters, and the target {len(target)}"


def _names(rules: Rules, tags: frozenset[str], analyser: Callable[[], KiwiAnalyser]) -> Any:
    """Return the step that drops a pair which differs in names alone.

    Args:
        rules: the tables.
        tags: of names.
        analyser: makes the analyser.
    """
    assembler = Assembler(rules)

    def fault(before: str, after: str) -> str:
        source, target = before.split(), after.split()
        pairs = list(zip(source, target, strict=False))
        differ = [i for i, (ours, theirs) in enumerate(pairs) if ours != theirs]
        if len(source) != len(target) or not differ or len(target) > _MOST:
            return ""
        (analysed,) = analyser().of([" ".join(target)])
        if [form for form, _ in analysed] != target:
            return ""
        for index in differ:
            eojeol = assembler.eojeol(target[index], analysed[index][1])
            changed = list(_changed(source[index], target[index]))
            for (begin, end), morpheme in zip(eojeol.spans, eojeol.morphemes, strict=True):
                touches = any([first < end and begin < last for first, last in changed])
                if touches and morpheme.tag not in tags:
                    return ""
            if any([first == last for first, last in changed]):
                return ""
        return "the texts differ in names alone"

    return unless(fault)


def _changed(source: str, target: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a target that differ from the source; empty ones where it has less."""
    for operation, _, _, begin, end in SequenceMatcher(None, source, target, False).get_opcodes():
        if operation != "equal":
            yield begin, end


# --- numbers --------------------------------------------------------------------------------------


class _Atom(NamedTuple):
    """A word of a number."""

    kind: str
    value: int


class _NumberWords(NamedTuple):
    """The words of numbers."""

    pattern: re.Pattern[str]
    """Finds a word of a number."""
    atoms: Mapping[str, _Atom]


@lru_cache(maxsize=2)
def _number_words(rules: Rules) -> _NumberWords:
    atoms = {
        row["word"]: _Atom(row["kind"], int(row["value"])) for row in rules.table("gec-numbers")
    }
    longest_first = sorted(atoms, key=len, reverse=True)
    parts = [
        _DIGITS.pattern,
        rf"(?<=\d)\.(?=\d)|(?<=.){_POINT}(?=.)",
        *map(re.escape, longest_first),
    ]
    return _NumberWords(re.compile("|".join(parts)), atoms)


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
    words = _number_words(rules or load())
    pieces = []
    run: list[str] = []
    position = 0
    for match in words.pattern.finditer(text):
        if between := text[position : match.start()]:
            pieces += [_values(run, words.atoms), between]
            run = []
        run.append(match[0])
        position = match.end()
    pieces += [_values(run, words.atoms), text[position:]]
    return _SPACES.sub("", "".join(pieces))


def differ_in_numbers(first: str, second: str, rules: Rules | None = None) -> bool:
    """Return whether two texts differ, and in nothing but the spelling of numbers.

    >>> differ_in_numbers("사과 3개", "사과 세 개"), differ_in_numbers("사과세 개", "사과 세 개")
    (True, False)
    """
    if "".join(first.split()) == "".join(second.split()):
        return False
    return with_numbers(first, rules) == with_numbers(second, rules)


def _values(run: list[str], atoms: Mapping[str, _Atom]) -> str:
    """Return the values of the words of numbers that stand together."""
    return "".join([f"{_BEGIN}{value}{_END}" for value in _spelt(_read(run, atoms))])


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


def _spelt(atoms: Iterator[_Atom | str]) -> Iterator[str]:
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
