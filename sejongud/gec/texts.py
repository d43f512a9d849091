"""Bring a source and its corrected texts together, whatever lines and marks they have.

    source  나는 학교에 갓다.          target  1. 나는 학교에 갔다. 밥을 먹었다.
            밥을 먹엇다.

Lines that were cut in other places are aligned as `sejongud eval` aligns sentences, and lines that
belong together are one pair. What language models put around corrected text is taken away first, on
request: numbering, quotes, bullets, preambles.

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
from sejongud.gec.edits import Pair
from sejongud.rules import load
from sejongud.rules.bounded import BoundedPattern
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sejongud.errors import Report
    from sejongud.rules import Rules

    Line = tuple[int, str]
    """The number of a line in its file, and its text."""
    Pattern = BoundedPattern | re.Pattern[str]


class Text(NamedTuple):
    """The lines of a file."""

    path: str
    lines: Sequence[Line]

    @classmethod
    def of(cls, path: str, lines: Iterable[str]) -> Text:
        """Number the lines of a file."""
        return cls(path, list(enumerate(lines, 1)))

    @property
    def texts(self) -> list[str]:
        """The lines without their numbers."""
        return [line for _, line in self.lines]


class Grouped(NamedTuple):
    """A source and its targets, made of lines that belong together."""

    line: int
    """The first line of the source."""
    numbers: range
    """The lines of the source, from 0, those without text left out."""
    pair: Pair


def cleaned(
    texts: Sequence[Text],
    report: Report,
    source: Sequence[str] | None = None,
    known: Collection[str] = (),
    rules: Rules | None = None,
) -> tuple[list[Text], str]:
    """Take the marks of language models away from texts; each mark is an incident.

    Args:
        texts: the corrected texts.
        report: receives the incidents.
        source: the lines before their correction; None if they are not known.
        known: texts that stay as they are.
        rules: the tables; None for the package's own.

    Returns:
        The texts, and the number of marks of each kind for the signature.
    """
    found = [clean_lines(text.lines, source or (), known, rules) for text in texts]
    for text, one in zip(texts, found, strict=True):
        report.extend(one.incidents(text.path))
    counts = ",".join([one.counts for one in found])
    return [text._replace(lines=one.lines) for text, one in zip(texts, found, strict=True)], counts


def aligned(
    source: Text, targets: Sequence[Text], report: Report
) -> tuple[list[Grouped], dict[str, str]]:
    """Align the lines of a source with those of its targets.

    Args:
        source: the lines before their correction.
        targets: the corrected lines of each annotator.
        report: receives an incident for each group that is not one line of each file.

    Returns:
        The pairs, and the settings for the signature: how many groups there are, and how many of
        them have not one line of each file.
    """
    texts = []
    for text in (source, *targets):
        blank = [number for number, line in text.lines if not line.strip()]
        message = "the line is empty: it is left out of the alignment"
        report.extend([Incident("W447", message, text.path, number) for number in blank])
        texts.append(text._replace(lines=[row for row in text.lines if row[1].strip()]))
    words = [[line.split() for line in text.texts] for text in texts]
    groups: list[Grouped] = []
    several = 0
    for ranges in together(words[0], words[1:]) if any(words) else ():
        rows = [text.lines[r.start : r.stop] for text, r in zip(texts, ranges, strict=True)]
        ours, *theirs = [" ".join([line for _, line in part]) for part in rows]
        line = rows[0][0][0] if rows[0] else 1
        groups.append(Grouped(line, ranges[0], Pair(ours, tuple(theirs))))
        if any([len(part) != 1 for part in rows]):
            several += 1
            sides = [
                f"{_numbered(part)} of {text.path}" for text, part in zip(texts, rows, strict=True)
            ]
            report.add(Incident("W448", f"aligned: {' – '.join(sides)}", source.path, line))
    return groups, {"lines": "aligned", "groups": str(len(groups)), "several": str(several)}


def _numbered(lines: Sequence[Line]) -> str:
    """Return the numbers of lines: `line 3`, `lines 3-5`, or `no line`."""
    if not lines:
        return "no line"
    first, last = lines[0][0], lines[-1][0]
    return f"line {first}" if len(lines) == 1 else f"lines {first}-{last}"


def uneven(text: Text, source: Text) -> tuple[str, int]:
    """Return the message about a text that has not as many lines as its source, and its line."""
    line = min(len(text.lines), len(source.lines)) + 1
    message = (
        f"the text has {counted(len(text.lines), 'line[s]')} and {source.path} has"
        f" {counted(len(source.lines), 'sentence[s]')}: line {line} has no"
        " counterpart; a text has the correction of each sentence on its own line, or --align"
        " aligns the texts"
    )
    return message, line


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
