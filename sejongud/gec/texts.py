"""Bring a source and its corrected texts together, whatever lines and marks they have.

    source  나는 학교에 갓다.          target  1. 나는 학교에 갔다. 밥을 먹었다.
            밥을 먹엇다.

Lines that were cut in other places are aligned as `sejongud eval` aligns sentences, and lines that
belong together are one pair. Marks of language models are taken away first, on request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import Incident
from sejongud.gec.boundaries import together
from sejongud.gec.cleaning import clean_lines
from sejongud.gec.edits import Pair
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sejongud.errors import Report
    from sejongud.gec.cleaning import Line
    from sejongud.rules import Rules


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
