"""Errors and incidents, for a linguist to read; codes.tsv is the table of their codes.

A `SejongudError` is raised and ends the work, or the sentence it happens in; it knows the file, the
line and the column and prints like Python's own errors, with a caret under the place. An `Incident`
is a record that data were mended, kept as they are or left out. It has a stable code, and prints on
one line as compilers do: `a.txt:7: W101 tag typo NNGG, read as NNG [3]`.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from sejongud.terminal import display_width, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

OnError = Literal["stop", "skip", "keep"]
"""How a sentence with an error is treated: end there, leave it out, or keep the rest of it."""

ON_ERROR: tuple[OnError, ...] = get_args(OnError)


class SejongudError(Exception):
    """Base class of the errors that this package raises on purpose."""


class UsageError(SejongudError):
    """An argument is wrong, such as the name of a scheme or an option (exit status 2)."""


def expect_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Check that an argument has one of its values.

    Raises:
        UsageError: it has another.
    """
    if value not in choices:
        names = ", ".join([choice or '""' for choice in choices])
        raise UsageError(
            f"{name} is {value}; it should be one of: {names}{similar(str(value), choices)}"
        )


def similar(name: str, known: Iterable[str]) -> str:
    """Return a question for the known name that is like a wrong one; "" if there is none.

    >>> similar("analyse", ["analyze", "convert"])
    '; did you mean analyze?'
    """
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), n=1)
    return f"; did you mean {found[0]}?" if found else ""


class MissingExtraError(SejongudError):
    """A library of an optional extra is not installed.

    Args:
        library: the name to import.
        extra: the extra of `sejongud` that installs it.
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(library, extra)

    def __str__(self) -> str:
        return "{0} is not installed: pip install 'sejongud[{1}]', in a clone '.[{1}]'".format(
            *self.args
        )


def require(library: str, extra: str) -> Any:
    """Import a library of an optional extra.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(library)
    except ImportError:
        raise MissingExtraError(library, extra) from None


class FormatError(SejongudError):
    """Input breaks the rules of its format at a known place.

    Args:
        message: what is wrong and how to mend it.
        path: the file, `-` for standard input.
        line: the number of the line, from 1; 0 if it is unknown.
        column: the character in `text`, from 1; 0 if it is unknown.
        text: the text of the line.
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
        # An exception pickles by the arguments of its base class.
        super().__init__(message)
        self.message = message
        self.path, self.line, self.column = path, line, column
        self.text, self.code = text, code

    def at(self, *, path: str, line: int) -> FormatError:
        """Add the place that only the caller knows; a known path or line is kept."""
        self.path = self.path or path
        self.line = self.line or line
        return self

    def incident(self, *, sent_id: str = "") -> Incident:
        """Return the record of this error, for a run that goes on."""
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


class EncodingError(FormatError):
    """Bytes cannot be decoded by any of the encodings that were tried."""


class RulesError(FormatError):
    """A row of a table in rules/, or in the user's directory, cannot be used."""


_WIDTH = 100


def _excerpt(text: str, column: int) -> tuple[str, str]:
    """Return a window of `text` around `column` (from 1), and the line with the caret below it."""
    text = text.rstrip("\n").replace("\n", " ")
    start = max(0, min(column - _WIDTH // 2, len(text) - _WIDTH))
    shown = text[start : start + _WIDTH]
    # A tab stays a tab, so the caret is below its character for any tab stops of the terminal.
    before = shown[: max(column - 1 - start, 0)]
    pad = "".join("\t" if c == "\t" else " " * display_width(c) for c in before)
    return shown, f"{pad}^"


class Note(NamedTuple):
    """A message about an eojeol or a sentence, reported at every place where it occurs."""

    code: str
    message: str
    token: str = ""
    """The number of the eojeol that a message about a sentence names."""


class Incident(NamedTuple):
    """A record of an error, a repair or an omission in the data.

    Codes are stable. E: an error, the data could not be used as they are; W: the data were mended
    or kept and deserve a look; I: information. The first digit names the area (see `AREAS`).

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
        """Whether this is an error (exit status 1) rather than a repair."""
        return self.code.startswith("E")

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path or "-", self.line or "") if part)
        label = " ".join(part for part in (self.sent_id, self.token) if part)
        return f"{place}: {self.code} {self.message}" + (f" [{label}]" if label else "")

    def to_github(self) -> str:
        """Return the annotation of a file in a workflow of GitHub Actions.

        >>> Incident("W101", "tag typo NNGG", "a.txt", 7, sent_id="3").to_github()
        '::warning file=a.txt,line=7,title=W101::tag typo NNGG [3]'
        """
        kind = {"E": "error", "W": "warning"}.get(self.code[:1], "notice")
        path = "" if self.path == "-" else self.path
        place = {"file": path, "line": self.line or "", "title": self.code}
        text = str(self).partition(f": {self.code} ")[2]
        named = [f"{name}={_escaped(str(value), ':,')}" for name, value in place.items() if value]
        return f"::{kind} {','.join(named)}::{_escaped(text)}"

    def to_json(self) -> str:
        """Return one JSON object on one line, with the fields in the order of the class."""
        return json_text(self._asdict())


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


class Report:
    """Count incidents, and pass each of them on as it comes.

    Args:
        sink: called with every incident to be shown; None only counts them.
        once: codes of which each message is passed on only once.
    """

    def __init__(
        self, sink: Callable[[Incident], None] | None = None, once: frozenset[str] = frozenset()
    ) -> None:
        self.sink = sink
        self.once = once
        self.counts: Counter[str] = Counter()
        self._seen: set[tuple[str, str]] = set()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def add(self, incident: Incident) -> None:
        """Count an incident and pass it on."""
        self.counts[incident.code] += 1
        if incident.code in self.once:
            kind = (incident.code, incident.message)
            if kind in self._seen:
                return
            self._seen.add(kind)
        if self.sink is not None:
            self.sink(incident)

    def extend(self, incidents: Iterable[Incident]) -> None:
        """Add several incidents in order."""
        for incident in incidents:
            self.add(incident)

    def tell(self, notes: Iterable[Note], path: str, line: int = 0, sent_id: str = "") -> None:
        """Add the incidents of notes about a sentence."""
        for code, message, token in notes:
            self.add(Incident(code, message, path, line, 0, sent_id, token))

    @property
    def errors(self) -> int:
        """The number of errors among the incidents."""
        return sum(count for code, count in self.counts.items() if code.startswith("E"))


_LINES = Path(__file__).with_name("codes.tsv").read_text(encoding="utf-8").split("\n")
_MEANINGS = dict([line.split("\t") for line in _LINES if line and not line.startswith("#")])

AREAS = {area: subject for area, subject in _MEANINGS.items() if len(area) == 1}
"""First digit of a code → its subject."""

CODES = {code: meaning for code, meaning in _MEANINGS.items() if len(code) > 1}
"""Code → its meaning."""
