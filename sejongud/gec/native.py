"""The filter of Kor-Native (paper 002, appendix A.2), whose sources were written from dictation.

A voice reads neither punctuation nor how a number or a name is spelt, so pairs that differ in these
alone are no corrections. Of one target there may be many sources.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING, Any
from unicodedata import category

from sejongud.gec.filters import FilterOptions, TextPair, chosen_steps, equal, repeated
from sejongud.gec.numbers import differ_in_numbers
from sejongud.morphology.eojeol import Assembler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.morphology.kiwi import KiwiAnalyser
    from sejongud.rules import Rules

_MOST = 500
"""The most eojeols of texts whose names are compared."""


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
    known = {
        "equal": equal,
        "punctuation": punctuation,
        "numbers": partial(_numbers, rules),
        "length": partial(_length, values["length"]["least"] if least is None else least),
        "names": _Names(rules, frozenset(values["names"]["tags"]), analyser),
        "repeated": repeated(),
    }
    return chosen_steps(known, values["steps"], options.without, "gec-native"), {}


def punctuation(pair: TextPair) -> str | list[TextPair]:
    """Drop a pair that differs in punctuation alone.

    >>> punctuation(TextPair("집에, 갔다", "집에 갔다."))
    'the texts differ in punctuation alone'
    """
    source, target = map(_without_marks, pair.texts)
    return [pair] if source != target else "the texts differ in punctuation alone"


def _without_marks(text: str) -> str:
    return " ".join("".join([char for char in text if category(char)[0] not in "PS"]).split())


def _numbers(rules: Rules, pair: TextPair) -> str | list[TextPair]:
    if differ_in_numbers(*pair.texts, rules):
        return "the texts differ in the spelling of numbers alone"
    return [pair]


def _length(least: float, pair: TextPair) -> str | list[TextPair]:
    source, target = map(len, pair.texts)
    if source >= least * target:
        return [pair]
    return f"the source has {source} characters, and the target {target}"


class _Names:
    """The step that drops a pair which differs in names alone.

    Args:
        rules: the tables.
        tags: of names.
        analyser: makes the analyser.
    """

    def __init__(
        self, rules: Rules, tags: frozenset[str], analyser: Callable[[], KiwiAnalyser]
    ) -> None:
        self._tags = tags
        self._analyser = analyser
        self._assembler = Assembler(rules)

    def __call__(self, pair: TextPair) -> str | list[TextPair]:
        source, target = pair.source.split(), pair.target.split()
        pairs = list(zip(source, target, strict=False))
        differ = [at for at, (one, other) in enumerate(pairs) if one != other]
        if len(source) != len(target) or not differ or len(target) > _MOST:
            return [pair]
        (found,) = self._analyser().of([" ".join(target)])
        if [form for form, _ in found] != target:
            return [pair]
        for at in differ:
            eojeol = self._assembler.eojeol(target[at], found[at][1])
            changed = list(_changed(source[at], target[at]))
            for (begin, end), morpheme in zip(eojeol.spans, eojeol.morphemes, strict=True):
                touches = any([first < end and begin < last for first, last in changed])
                if touches and morpheme.tag not in self._tags:
                    return [pair]
            if any([first == last for first, last in changed]):
                return [pair]
        return "the texts differ in names alone"


def _changed(source: str, target: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a target that differ from the source; empty ones where it has less."""
    for operation, _, _, begin, end in SequenceMatcher(None, source, target, False).get_opcodes():
        if operation != "equal":
            yield begin, end
