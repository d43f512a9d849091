"""Errors, incidents and the table of their codes, for a linguist to read.

A `SejongudError` is raised and ends the work, or the sentence it happens in; it knows the file, the
line and the column and prints like Python's own errors, with a caret under the place. An `Incident`
is a record that data were mended, kept as they are or left out. It has a stable code, and prints on
one line as compilers do: `a.txt:7: W101 tag typo NNGG, read as NNG [3]`.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import KW_ONLY, asdict, dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, get_args

from sejongud.terminal import display_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "AREAS",
    "CODES",
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
    "json_lines",
    "require",
    "similar",
]

OnError = Literal["stop", "skip", "keep"]
"""How a sentence with an error is treated: end there, leave it out, or keep the rest of it."""

ON_ERROR: tuple[OnError, ...] = get_args(OnError)


class SejongudError(Exception):
    """Base class of the errors that this package raises on purpose."""


class UsageError(SejongudError):
    """An argument is wrong, such as the name of a scheme or an option (exit status 2)."""


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
        return "{} is not installed: pip install 'sejongud[{}]'".format(*self.args)


def require(library: str, extra: str) -> Any:
    """Import a library of an optional extra.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(library)
    except ImportError:
        raise MissingExtraError(library, extra) from None


@dataclass(eq=False, repr=False)
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

    message: str
    _: KW_ONLY
    path: str = ""
    line: int = 0
    column: int = 0
    text: str = ""
    code: str = "E000"

    def __post_init__(self) -> None:
        # An exception pickles by the arguments of its base class.
        super().__init__(self.message)

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
    """A message about an eojeol, reported at every place where it occurs."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Incident:
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

    def to_json(self) -> str:
        """Return one JSON object on one line, with the fields in the order of the class."""
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass
class Report:
    """Count incidents, and pass each of them on as it comes.

    Args:
        sink: called with every incident to be shown; None only counts them.
        once: codes of which each message is passed on only once.
    """

    sink: Callable[[Incident], None] | None = None
    once: frozenset[str] = frozenset()
    counts: Counter[str] = field(default_factory=Counter)
    _seen: set[tuple[str, str]] = field(default_factory=set)

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

    @property
    def errors(self) -> int:
        """The number of errors among the incidents."""
        return sum(count for code, count in self.counts.items() if code.startswith("E"))


def json_lines(stream: TextIO) -> Callable[[Incident], None]:
    """Return a sink for `Report` that writes each incident as a line of JSON to `stream`."""

    def sink(incident: Incident) -> None:
        stream.write(incident.to_json() + "\n")

    return sink


AREAS = {
    "0": "files",
    "1": "Sejong text and analyses",
    "2": "CoNLL-U",
    "3": "conversion and other formats",
    "4": "entities and other layers",
    "6": "trees and segmented text",
    "8": "evaluation",
    "9": "the way back",
}
"""First digit of a code → its subject."""

CODES = {
    "E000": "the file cannot be read: its encoding, its compression or an endless line",
    "E101": "a line has other columns than a form and an analysis (and an id before them)",
    "E102": "the form or the analysis is empty",
    "E103": "a morpheme without a tag, or with a plus sign in it",
    "E105": "a sentence is too long: blank lines or an end tag are missing",
    "E106": "comments without a sentence behind them",
    "E107": "a corpus file without a sentence",
    "E108": "a tab or a line end inside a form, a morpheme or a tag",
    "E109": "a line that is too long for an eojeol",
    "W101": "a misspelt tag, read as the right tag",
    "W102": "an empty item before, between or behind the plus signs, left out",
    "W103": "a morpheme without a form",
    "W104": "a tag that is not in the tag set, kept",
    "W105": "a final symbol of the form is missing in the analysis, added",
    "W106": "the morphemes explain only a part of the form",
    "W107": "aligned by a weak rule (rules/alignment.tsv): a misspelling or an unlikely tag",
    "I107": "the form was made from the morphemes",
    "W108": "a blank at the edge of the form, left out",
    "W109": "an empty id before the form, left out",
    "W110": "a sentence cut inside a number or an abbreviation, joined again",
    "W111": "text behind the end of the document, read on",
    "W112": "a header that is not closed, or a second one",
    "W113": "unknown markup, kept as a comment",
    "W114": "an element that is not closed",
    "W115": "an end tag that closes nothing",
    "W116": "eojeols outside of any sentence",
    "E201": "a line without exactly ten columns",
    "E202": "an empty column",
    "E203": "an ID out of order, or a range whose words are missing",
    "E204": "a HEAD that is no number",
    "E205": "a HEAD that names no word of the sentence",
    "E209": "the words differ from those of the treebank",
    "E210": "the published program reads exactly two comments and no ranges",
    "E211": "DEPS must be relations to words of the sentence",
    "E213": "CoNLL-U Plus: the columns must be the ten of CoNLL-U and those of sejongud",
    "W202": "an empty node, left out",
    "W204": "the last morpheme is not in LEMMA, taken from FORM",
    "W205": "neither MSeg nor LEMMA nor FORM has as many morphemes as XPOS, kept as one",
    "W210": "the arcs between morphemes made no tree of words, mended",
    "W301": "not everything could be written: the output format or level cannot express it",
    "W302": "a sent_id contains a space, the sentence is numbered instead",
    "E311": "KLUE-DP: a row without exactly six columns",
    "E312": "KLUE-DP: an empty column, or an INDEX out of order",
    "E313": "KLUE-DP: the numbers of morphemes and tags differ",
    "E314": "KLUE-DP: a HEAD that names no row of the sentence",
    "W311": "KLUE-DP: the form differs from the sentence above the rows",
    "E321": "NIKL: the JSON is broken",
    "E322": "NIKL: a value of the JSON has the wrong type",
    "E323": "NIKL: a word without morphemes",
    "E324": "NIKL: the layers of morphemes and words do not fit together",
    "W321": "NIKL: a document without sentences, left out",
    "W322": "NIKL: a sentence without a text, left out",
    "W323": "NIKL: a sense that fits no morpheme, left out",
    "E331": "JSON Lines: a key is missing, or a value has the wrong type",
    "E401": "NAVER NER: a row without number, eojeol and tag",
    "E402": "NAVER NER: the numbers of tags and eojeols differ",
    "E403": "KLUE-NER: a row without a character and its label",
    "E404": "a row without a token and its label",
    "E405": "a line must be one JSON object",
    "E406": "the text and the entities of an object do not fit together",
    "E407": "KMOU NER: a row without surface, morphemes, tags and label",
    "E408": "NIKL, brat: an entity does not occur at its place in the text",
    "E411": "fewer sentences with morphemes than with entities",
    "E412": "two files with different texts",
    "E413": "a word that ends inside a morpheme of the other file",
    "E414": "an entity that begins or ends inside a morpheme",
    "E415": "a label file must have a row for each word",
    "E416": "KIPS NER: a row without eojeol, morpheme, tag and label, or no sentence above it",
    "E417": "KIPS NER: neither the marks nor the rows match the sentence",
    "E418": "brat: a line of an entity without type, begin and end, and text",
    "W411": "more sentences with morphemes than with entities",
    "W412": "an eojeol without morphemes in the other file",
    "W421": "a label continues an entity where none is open",
    "W422": "an entity that ends in a particle",
    "W423": "an entity that shares a syllable with a morpheme outside",
    "W424": "the morphemes of an entity corpus have other labels than its text",
    "W425": "the morphemes of an entity corpus cannot be used; Kiwi analysed the text",
    "E601": "brackets that are not balanced",
    "E603": "a tree in brackets that cannot be read",
    "E801": "there is nothing to score",
    "E802": "a file without dependencies",
    "E803": "a HEAD that names no word, scored as wrong",
    "W801": "a sentence with several roots, or none",
    "W802": "the HEAD column contains a cycle",
}
"""Code → its meaning."""
