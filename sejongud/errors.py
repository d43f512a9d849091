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
"""First digit of a code → what the code is about."""

CODES = {
    "E000": "the file cannot be read: encoding, compression, a line without an end",
    "E101": "a line without exactly a form and an analysis (and an id before them)",
    "E102": "the form or the analysis is empty",
    "E103": "a morpheme without a tag, or with a plus sign in it",
    "E105": "a sentence longer than any sentence: blank lines or an end tag are missing",
    "E106": "comments that no sentence follows",
    "E107": "a file of the corpus without a sentence",
    "E108": "a tab or a line's end inside a form, a morpheme or a tag",
    "E109": "a line too long for an eojeol",
    "W101": "a tag typo, read as the right tag",
    "W102": "an empty item before, between or behind the plus signs, left out",
    "W103": "a morpheme without a form",
    "W104": "a tag that is not in the tag set, kept",
    "W105": "a final symbol that is in the form and not in the analysis, added",
    "W106": "the morphemes do not explain the form, or not all of it",
    "W107": "aligned, but by a weak rule (rules/alignment.tsv): a misspelling, an unlikely tag",
    "I107": "the form was made from the morphemes",
    "W108": "a blank at the edge of the form, left out",
    "W109": "an empty id before the form, left out",
    "W110": "a sentence cut inside a number or an abbreviation, joined again",
    "W111": "text behind the end of the document, read on",
    "W112": "a header that is not closed, or a second one",
    "W113": "markup that is not known, left out",
    "W114": "an element that is not closed",
    "W115": "an end tag that closes nothing",
    "W116": "eojeols outside of any sentence",
    "E201": "a line without exactly ten columns",
    "E202": "an empty column",
    "E203": "an ID out of order, or a range whose words are missing",
    "E204": "a HEAD that is no number",
    "E205": "a HEAD that is no word of the sentence",
    "E209": "the words are not those of the treebank",
    "E210": "not what the published program read: two comments, no ranges",
    "E211": "DEPS that are no relations to words of the sentence",
    "E213": "CoNLL-U Plus: columns that are not the ten and ours",
    "W202": "an empty node, left out",
    "W204": "the last morpheme is not in LEMMA, taken from FORM",
    "W205": "neither MSeg nor LEMMA nor FORM has as many morphemes as XPOS, kept as one",
    "W210": "arcs between morphemes that made no tree of words, mended",
    "W301": "the format, or the level, has no place for something",
    "W302": "a sent_id with a space, the sentence is numbered instead",
    "E311": "KLUE-DP: a row without exactly six columns",
    "E312": "KLUE-DP: an empty column, or an INDEX out of order",
    "E313": "KLUE-DP: not as many morphemes as tags",
    "E314": "KLUE-DP: a HEAD that is no row of the sentence",
    "W311": "KLUE-DP: the form is another one in the sentence above the rows",
    "E321": "NIKL: the JSON is broken here",
    "E322": "NIKL: not what belongs at this place of the JSON",
    "E323": "NIKL: a word that has no morphemes",
    "E324": "NIKL: morphemes and words that do not belong together",
    "W321": "NIKL: a document without sentences, left out",
    "W322": "NIKL: a sentence without a text, left out",
    "W323": "NIKL: a sense that fits no morpheme, left out",
    "E331": "JSON Lines: not what belongs at this place of the JSON",
    "E401": "NAVER NER: a row without number, eojeol and tag",
    "E402": "NAVER NER: not as many tags as eojeols",
    "E403": "KLUE-NER: a row without a character and its label",
    "E404": "a row without a token and its label",
    "E405": "a line that is no JSON object",
    "E406": "an object whose text and entities do not belong together",
    "E407": "KMOU NER: a row without surface, morphemes, tags and label",
    "E408": "NIKL, brat: an entity that is not at its place in the text",
    "E411": "fewer sentences with morphemes than with entities",
    "E412": "two files with different texts",
    "E413": "a word that ends inside a morpheme of the other file",
    "E414": "an entity that begins or ends inside a morpheme",
    "E415": "a label file that has not a row for each word",
    "E416": "KIPS NER: a row without eojeol, morpheme, tag and label, or no sentence above it",
    "E417": "KIPS NER: neither the marks nor the rows are of the sentence",
    "E418": "brat: a line of an entity without type, begin and end, and text",
    "W411": "more sentences with morphemes than with entities",
    "W412": "an eojeol that has no morpheme in the other file",
    "W421": "a label that goes on with no entity",
    "W422": "an entity that ends in a particle",
    "W423": "an entity that shares a syllable with a morpheme outside",
    "W424": "morphemes of an entity corpus with other labels than its text",
    "W425": "morphemes of an entity corpus that cannot be used, analysed by Kiwi",
    "E601": "brackets that are not balanced",
    "E603": "a tree in brackets that cannot be read",
    "E801": "nothing that could be scored",
    "E802": "a file without dependencies",
    "W801": "a sentence with several roots, or none",
    "W802": "heads that go round in a circle",
}
"""Code → what it stands for."""
