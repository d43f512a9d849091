"""Take away what language models put around corrected text: numbering, quotes, bullets, preambles.

    다음은 교정한 문장입니다:              (preamble: the line goes)
    1. "나는 학교에 갔다."         →       나는 학교에 갔다.

The patterns are those of the table `gec-clean`. What the source has as well belongs to the text: a
line keeps as many marks as its source has, and a line that is like one of the source stays.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import Incident, RulesError
from sejongud.gec.boundaries import together
from sejongud.rules import load
from sejongud.rules.bounded import BoundedPattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sejongud.rules import Rules

    Line = tuple[int, str]
    """The number of a line in its file, and its text."""
    Pattern = BoundedPattern | re.Pattern[str]

_BLANK = "blank"
_ALIKE = 0.6
"""The likeness, by difflib, from which a line of the source and one of a system are one line."""


class Peeled(NamedTuple):
    """A mark that can be taken off a line."""

    kind: str
    mark: str
    """The text in front of the rest."""
    rest: str
    """The text that stays; "" if the whole line goes."""


class Cleaned(NamedTuple):
    """A text without the marks of a language model."""

    lines: Sequence[Line]
    removed: Sequence[tuple[int, str, str]]
    """The number of the line, the kind and the line of each mark that was taken away."""

    @property
    def counts(self) -> str:
        """The number of marks of each kind, for the signature.

        >>> Cleaned([], [(1, "quotes", '"가"'), (2, "quotes", '"나"')]).counts
        'quotes=2'
        """
        kinds = Counter([kind for _, kind, _ in self.removed])
        return "+".join([f"{kind}={number}" for kind, number in sorted(kinds.items())]) or "nothing"

    def incidents(self, path: str) -> list[Incident]:
        """Return an incident for each mark."""
        return [
            Incident("W446", f"{kind} of a language model, taken away: {text!r:.60}", path, line)
            for line, kind, text in self.removed
        ]


def clean_lines(
    lines: Iterable[Line],
    source: Sequence[str] = (),
    known: Collection[str] = (),
    rules: Rules | None = None,
) -> Cleaned:
    """Take the marks of language models away from a text.

    Args:
        lines: the text.
        source: the lines of the text before its correction; () if it is not known.
        known: texts that stay as they are, such as right corrections.
        rules: the tables; None for the package's own.

    >>> answer = ["다음은 교정한 문장입니다:", "", "1. 나는 갔다.", '2. "밥을 먹었다."']
    >>> found = clean_lines(enumerate(answer, 1), ["나는 갓다.", '"밥을 먹엇다."'])
    >>> found.lines, found.counts
    ([(3, '나는 갔다.'), (4, '"밥을 먹었다."')], 'blank=1+numbering=2+preamble=1')
    """
    patterns = _patterns(rules or load())
    fixed = {" ".join(text.split()) for text in known}
    removed: list[tuple[int, str, str]] = []
    left: list[tuple[int, str, list[Peeled]]] = []
    for number, line in lines:
        steps = [] if " ".join(line.split()) in fixed else _peel(line, patterns)
        if steps and not steps[-1].rest and not get_close_matches(line, source, 1, _ALIKE):
            removed.append((number, steps[-1].kind, line))
        else:
            left.append((number, line, [step for step in steps if step.rest]))
    # Empty lines of a text with a line for each sentence are sentences, those of an answer are not.
    if removed or len(left) != len(source):
        removed += [(number, _BLANK, line) for number, line, _ in left if not line.strip()]
        left = [row for row in left if row[1].strip()]
    plain = [steps[-1].rest if steps else line for _, line, steps in left]
    texts: list[Line] = []
    for (number, line, steps), ours in zip(left, _counterparts(source, plain), strict=True):
        have = len([step for step in _peel(ours, patterns) if step.rest])
        taken = steps[: max(0, len(steps) - have)]
        if not have:
            # The source may begin with the mark, which is then a part of its text: 3.1 운동.
            bare = "".join(ours.split())
            same = [i for i, step in enumerate(taken) if bare.startswith(step.mark)] if bare else []
            taken = taken[: same[0]] if same else taken
        removed += [(number, step.kind, line) for step in taken]
        texts.append((number, taken[-1].rest if taken else line))
    return Cleaned(texts, sorted(removed))


def _counterparts(source: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return the text of the source that belongs to each line."""
    if len(source) == len(texts) or not source:
        return list(source) or [""] * len(texts)
    ours = [""] * len(texts)
    words = [[line.split() for line in side] for side in (source, texts)]
    for of_source, of_text in together(words[0], words[1:]):
        for i in of_text:
            ours[i] = " ".join(source[of_source.start : of_source.stop])
    return ours


def _peel(line: str, patterns: Sequence[tuple[str, Pattern]]) -> list[Peeled]:
    """Return the marks of a line, from the outermost on; the last may take the whole line."""
    steps: list[Peeled] = []
    rest = line.strip()
    while rest:
        for kind, pattern in patterns:
            if fitting := pattern.search(rest):
                inner = fitting[1].strip() if fitting.re.groups else ""
                mark = rest[: fitting.start(1)] if inner else rest
                steps.append(Peeled(kind, "".join(mark.split()), inner))
                break
        else:
            break
        rest = steps[-1].rest
    # A line inside a list or in quotes is a text, even if it looks like a preamble.
    return steps[:-1] if len(steps) > 1 and not steps[-1].rest else steps


@lru_cache(maxsize=4)
def _patterns(rules: Rules) -> list[tuple[str, Pattern]]:
    """Return the kind and the pattern of each row of the table `gec-clean`.

    Raises:
        RulesError: a pattern of the user is not well formed.
    """
    users = rules.user_file("gec-clean")
    try:
        return [
            (
                row["kind"],
                BoundedPattern(f"^(?:{row['pattern']})$", [row["kind"]], str(users))
                if users
                else re.compile(f"^(?:{row['pattern']})$"),
            )
            for row in rules.table("gec-clean")
        ]
    except ValueError as error:
        raise RulesError(str(error), path=str(users)) from None
