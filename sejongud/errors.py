"""What can go wrong, said to a linguist.

Two shapes. A `SejongudError` is raised and ends the work, or the sentence it happens in; it knows
the file, the line and the column and prints like Python's own errors, with a caret under the place.
An `Incident` is a record: something was mended, kept as it is or left out, and somebody should
know. It has a stable code, and prints on one line as compilers do.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "ON_ERROR",
    "EncodingError",
    "FormatError",
    "Incident",
    "MissingExtraError",
    "Note",
    "OnError",
    "Report",
    "RulesError",
    "SejongudError",
    "UsageError",
]

OnError = Literal["stop", "skip", "keep"]
"""What is done with a sentence that has an error: end there, leave it out, or keep what can be."""

ON_ERROR: tuple[OnError, ...] = get_args(OnError)


class SejongudError(Exception):
    """Every error this package raises on purpose."""


class UsageError(SejongudError):
    """The command or function was asked for something it does not have (exit status 2)."""


class MissingExtraError(SejongudError):
    """A library that only an extra installs is not there.

    Args:
        library: the name to import.
        extra: the extra of `sejongud` that installs it.
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed: pip install 'sejongud[{extra}]'")
        self._arguments = (library, extra)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return MissingExtraError, self._arguments


class FormatError(SejongudError):
    """Input that is not what its format says, with its place.

    Args:
        message: what is wrong, and how to mend it.
        path: the file, `-` for standard input.
        line: the line, from 1; 0 where there is none.
        column: the character in `text`, from 1; 0 where there is none.
        text: the line itself.
        code: the stable code of the check, as in `Incident`.

    >>> print(FormatError("no tag after 의", path="a.txt", line=3, column=4, text="나+의"))
    File "a.txt", line 3
      나+의
           ^
    no tag after 의
    """

    def __init__(
        self,
        message: str,
        *,
        path: str = "",
        line: int = 0,
        column: int = 0,
        text: str = "",
        code: str = "E000",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.column = column
        self.text = text
        self.code = code

    def __reduce__(self) -> tuple[Callable[..., FormatError], tuple[object, ...]]:
        # Exceptions pickle by their args alone; a worker process must hand over the place as well.
        place = (self.path, self.line, self.column, self.text, self.code)
        return _rebuild, (type(self), self.message, *place)

    def at(self, *, path: str, line: int) -> FormatError:
        """The same error with the place that only a caller knows; a place it has is kept."""
        self.path = self.path or path
        self.line = self.line or line
        return self

    def incident(self, *, sent_id: str = "") -> Incident:
        """The record of this error, for a report that goes on."""
        return Incident(self.code, self.message, self.path, self.line, self.column, sent_id)

    def __str__(self) -> str:
        where = f'File "{self.path or "-"}"' + (f", line {self.line}" if self.line else "")
        parts = [where] if self.path or self.line else []
        if self.text:
            shown, caret = _excerpt(self.text, self.column)
            parts.append(f"  {shown}")
            if self.column:
                parts.append(f"  {caret}")
        return "\n".join([*parts, self.message])


def _rebuild(
    kind: type[FormatError], message: str, path: str, line: int, column: int, text: str, code: str
) -> FormatError:
    return kind(message, path=path, line=line, column=column, text=text, code=code)


class EncodingError(FormatError):
    """Bytes that no encoding which was tried can read."""


class RulesError(FormatError):
    """A row of a table in rules/, or in the user's own directory, that cannot be used."""


_WIDTH = 100


def _excerpt(text: str, column: int) -> tuple[str, str]:
    """A window of `text` around `column` (from 1), and the line with the caret below it."""
    text = text.rstrip("\n").replace("\n", " ")
    start = max(0, min(column - _WIDTH // 2, len(text) - _WIDTH))
    shown = text[start : start + _WIDTH]
    # A tab stays a tab, so that the caret stands below its character whatever the terminal's tab
    # stops are; a wide character takes two columns.
    before = shown[: max(column - 1 - start, 0)]
    pad = "".join("\t" if c == "\t" else "  " if _is_wide(c) else " " for c in before)
    return shown, f"{pad}^"


def _is_wide(char: str) -> bool:
    from unicodedata import east_asian_width

    return east_asian_width(char) in "WF"


class Note(NamedTuple):
    """Something to report of an eojeol, wherever it occurs: a stable code and a message."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened to the data.

    Codes are stable. E: an error, the data could not be used as they are; W: mended or kept, and
    worth a look; I: information. The hundreds name the area (see `sejongud validate --help`).

    >>> print(Incident("W101", "tag typo NNGG, read as NNG", "a.txt", 7, sent_id="3"))
    a.txt:7: W101 tag typo NNGG, read as NNG [3]
    """

    code: str
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    sent_id: str = ""
    token: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the data had an error (exit status 1), rather than something mended."""
        return self.code.startswith("E")

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path or "-", self.line or "") if part)
        label = " ".join(part for part in (self.sent_id, self.token) if part)
        return f"{place}: {self.code} {self.message}" + (f" [{label}]" if label else "")

    def to_json(self) -> str:
        """One JSON object on one line, the fields in the order of the class."""
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass
class Report:
    """Collects incidents: counts all of them, and hands each one on as it comes.

    Args:
        sink: called with every incident that is to be shown; None only counts.
        once: codes of which only the first of every message is handed on.
    """

    sink: Callable[[Incident], None] | None = None
    once: frozenset[str] = frozenset()
    counts: Counter[str] = field(default_factory=Counter)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def add(self, incident: Incident) -> None:
        """Count an incident and hand it on."""
        self.counts[incident.code] += 1
        if incident.code in self.once:
            kind = (incident.code, incident.message)
            if kind in self._seen:
                return
            self._seen.add(kind)
        if self.sink is not None:
            self.sink(incident)

    def extend(self, incidents: Iterable[Incident]) -> None:
        """Add incidents in their order."""
        for incident in incidents:
            self.add(incident)

    @property
    def errors(self) -> int:
        """How many of the incidents were errors."""
        return sum(count for code, count in self.counts.items() if code.startswith("E"))


def json_lines(stream: TextIO) -> Callable[[Incident], None]:
    """A sink for `Report` that writes one JSON object a line to `stream`."""

    def sink(incident: Incident) -> None:
        stream.write(incident.to_json() + "\n")

    return sink
