"""Files as sentences that can be framed in several places at once.

Which sentence of its file a sentence is, and what its id is, tells only the whole file before it
(`Reader.frame`). But a plain text in which nothing names a sentence but its number can be read in
ranges of its bytes, once it is known how many lines and sentences are in each. Whatever is not so
plain is read as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from sejongud.errors import FormatError
from sejongud.files import Source
from sejongud.formats import resolve
from sejongud.formats.base import Frame, blocks
from sejongud.memo import Memo
from sejongud.pipeline import Conversion, DependencyConversion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["TREEBANK", "Framing", "Run", "Split", "Survey", "plan", "read", "survey"]

TREEBANK = "treebank"
"""The format of `DependencyConversion`: CoNLL-U whose own words are kept."""

_SENTENCES = 1000
"""How many sentences a run has."""

_CHARACTERS = 4 << 20
"""Or how many characters."""

_LONGEST = 1 << 16
"""Characters of a sentence beyond which a file is read as one: it may be no sentence at all."""

_SEARCHED = 1 << 20
"""How many bytes are searched for a place where a range can end."""


class Run(NamedTuple):
    """Sentences of one file that follow each other."""

    path: str
    format: str
    frames: list[Frame]
    error: FormatError | None = None
    """What ended the file behind them."""
    number: int = 0
    """The number of the sentence that the error stands for."""


@dataclass(frozen=True)
class Split:
    """A file, or a range of its bytes."""

    path: str
    size: int
    """Of the file."""
    start: int = 0
    end: int = -1
    """-1 if it is the file."""
    lines: int = 0
    """How many are before the range."""
    sentences: int = 0
    """How many are before the range."""
    format: str = ""
    """Of a range."""

    @property
    def length(self) -> int:
        """How many bytes it has."""
        return self.size if self.end < 0 else self.end - self.start


class Survey(NamedTuple):
    """Where a range really begins and ends, and what is in it."""

    start: int
    end: int
    lines: int = 0
    sentences: int = -1
    """-1 if the file must be read as one."""


class _Reader(NamedTuple):
    """What makes sentences of a text."""

    frames: Callable[[Iterable[str]], Iterator[Frame]]
    frames_of: Callable[[Source], Iterator[Frame]]


@dataclass(frozen=True)
class Framing:
    """How files are read.

    Args:
        from_: the format, None to find out that of each file.
        encoding: None to find it out.
        rules: the user's tables.
        options: what the reader of the format understands beyond this.
    """

    from_: str | None = None
    encoding: str | None = None
    rules: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def resolve(self, head: str) -> str:
        """The format of a text that begins so."""
        return TREEBANK if self.from_ == TREEBANK else resolve(self.from_, head)

    def source(self, path: str) -> Source:
        """A file."""
        return Source(path, encoding=self.encoding)

    def reader(self, name: str) -> _Reader:
        """What makes sentences of a text.

        Raises:
            UsageError: there is no such format.
        """
        if name == TREEBANK:
            frames = partial(_treebank, self.rules, self.options)
            return _Reader(frames, lambda source: frames(source.chunks()))
        # Other processes are at work beside this one.
        options = {**self.options, "workers": 1} if name == "text" else self.options
        reader = Conversion(name, rules=self.rules, reader_options=options).make_reader()
        return _Reader(reader.frame, reader.frames_of)

    def runs(self, path: str, name: str, pieces: Iterable[str]) -> Iterator[Run]:
        """The sentences of a text.

        Args:
            path: what it is called.
            name: its format.
            pieces: it, each piece ending at a line's end where the format is one of lines.
        """
        return _runs(path, name, self.reader(name).frames(pieces))


def _treebank(
    rules: str | None, options: Mapping[str, Any], chunks: Iterable[str]
) -> Iterator[Frame]:
    reader = DependencyConversion("word2morph", rules=rules).make_reader()
    for number, (line, text) in enumerate(reader.blocks(chunks, **options), 1):
        yield Frame(text, line, number, "")


def _runs(path: str, name: str, frames: Iterator[Frame]) -> Iterator[Run]:
    """Frames by the thousand, and the error that ends them."""
    batch: list[Frame] = []
    size = 0
    number = 1
    try:
        for frame in frames:
            batch.append(frame)
            number = frame.number + 1
            size += len(frame.text)
            if len(batch) == _SENTENCES or size > _CHARACTERS:
                yield Run(path, name, batch)
                batch = []
                size = 0
    except FormatError as error:
        yield Run(path, name, batch, error, number)
        return
    if batch:
        yield Run(path, name, batch)


def read(framing: Framing, splits: Iterable[Split]) -> Iterator[Run]:
    """The sentences of files and of ranges.

    Args:
        framing: how they are read.
        splits: what is read.

    Returns:
        Also of a file that cannot be read as its format, up to there.

    Raises:
        OSError: a file cannot be opened.
    """
    readers = Memo(framing.reader, size=16)
    for split in splits:
        if split.end >= 0:
            frames = _frames_of_range(readers[split.format], split)
            yield from _runs(split.path, split.format, frames)
            continue
        try:
            with framing.source(split.path) as source:
                name = framing.resolve(source.head())
                yield from _runs(split.path, name, readers[name].frames_of(source))
        except FormatError as error:  # of its beginning; what comes later is in the runs
            yield Run(split.path, "", [], error, 1)


# --- ranges ---------------------------------------------------------------------------------------


class _Splitting(NamedTuple):
    """How a format is cut where only numbers tell what was before."""

    cut: re.Pattern[bytes]
    """Behind this a sentence has ended, and the next one begins no paragraph yet."""
    before: str
    """A sentence to read before a range, so that its own first one is not taken for the file's."""
    odd: tuple[re.Pattern[bytes], ...] = ()
    """What may give sentences ids, or comments that stand outside of them."""
    by_lines: bool = True
    """Whether every line that is not blank is a sentence."""


_SPLITTING = {
    "sejong": _Splitting(
        re.compile(rb"\n\n"),
        "_\t_\n\n",
        (re.compile(rb"\n#[^\t\n]*\n"), re.compile(rb"\t[^\t\n]*\t")),
        by_lines=False,
    ),
    "sejong-line": _Splitting(re.compile(rb"\n"), "_\n"),
    "text": _Splitting(re.compile(rb"[!-~]\n"), "_\n"),
}
"""The formats whose files can be read in ranges."""


def plan(
    framing: Framing,
    paths: Iterable[str],
    size: int,
    survey_all: Callable[[list[Split]], Sequence[Survey]],
) -> list[list[Split]]:
    """What is read at once, so that about so many bytes are read in one place.

    Args:
        framing: how files are read.
        paths: the files, in the order in which they are to be read.
        size: how many bytes.
        survey_all: `survey` for each of many ranges.

    Raises:
        OSError: a file is not there.
    """
    files = [Split(path, Path(path).stat().st_size) for path in paths]
    ranges = [_ranges(framing, file, size) for file in files]
    surveys = iter(survey_all([one for some in ranges for one in some]))
    groups: list[list[Split]] = []
    room = 0
    for file, some in zip(files, ranges, strict=True):
        for split in _placed(file, some, list(islice(surveys, len(some)))):
            if not groups or split.length > room:
                groups.append([])
                room = size
            groups[-1].append(split)
            room -= split.length
    return groups


def _ranges(framing: Framing, file: Split, size: int) -> list[Split]:
    """About which ranges a file can be read in, none if only as one."""
    if file.size <= size or framing.options or framing.encoding not in (None, "utf-8"):
        return []
    try:
        with framing.source(file.path) as source:
            name = framing.resolve(source.head())
    except FormatError:
        return []  # Whoever reads it says so.
    if name not in _SPLITTING:
        return []
    return [
        replace(file, start=start, end=min(start + size, file.size), format=name)
        for start in range(0, file.size, size)
    ]


def survey(split: Split) -> Survey:
    """Where a range that is to be about this one begins and ends, and what is in it.

    Args:
        split: the range; the one behind it begins where it ends.
    """
    splitting = _SPLITTING[split.format]
    with Path(split.path).open("rb") as file:
        start, end = [
            _border(file, at, split.size, splitting.cut) for at in (split.start, split.end)
        ]
        if start < 0 or end < 0:
            return Survey(start, end)
        file.seek(start)
        data = file.read(end - start)
    # What `Source` would not only decode, and what tells more of a sentence than its number.
    if b"\r" in data or b"\0" in data or data.startswith(b"\xef\xbb\xbf"):
        return Survey(start, end)
    if any([odd.search(b"\n" + data + b"\n") for odd in splitting.odd]):
        return Survey(start, end)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Survey(start, end)
    if splitting.by_lines:
        lengths = [len(line) for line in text.split("\n") if line.strip()]
    else:
        lengths = [len(block) for _, block in blocks([text])]
    if max(lengths, default=0) > _LONGEST:
        return Survey(start, end)
    return Survey(start, end, text.count("\n"), len(lengths))


def _border(file: BinaryIO, offset: int, size: int, cut: re.Pattern[bytes]) -> int:
    """The first place behind an offset where a file can be cut, -1 if there is none near."""
    if not 0 < offset < size:
        return min(offset, size)
    file.seek(offset)
    data = file.read(_SEARCHED)
    match = cut.search(data)
    if match is not None:
        return offset + match.end()
    return size if offset + len(data) >= size else -1


def _placed(file: Split, ranges: Sequence[Split], surveys: Sequence[Survey]) -> list[Split]:
    """A file in ranges that know what is before them, or as one."""
    if any([survey.sentences < 0 for survey in surveys]):
        return [file]
    found = []
    lines = sentences = 0
    for split, survey in zip(ranges, surveys, strict=True):
        if survey.sentences:
            start, end = survey.start, survey.end
            found.append(replace(split, start=start, end=end, lines=lines, sentences=sentences))
        lines += survey.lines
        sentences += survey.sentences
    return found or [file]


def _frames_of_range(reader: _Reader, split: Split) -> Iterator[Frame]:
    """The sentences of a range, with the numbers that they have in the file."""
    with Path(split.path).open("rb") as file:
        file.seek(split.start)
        text = file.read(split.length).decode("utf-8")
    if not split.start:
        yield from reader.frames([text])
        return
    before = _SPLITTING[split.format].before
    lines = split.lines - before.count("\n")
    sentences = split.sentences - 1
    for frame in islice(reader.frames([before, text]), 1, None):
        number = frame.number + sentences
        yield frame._replace(line=frame.line + lines, number=number, sent_id=str(number))
