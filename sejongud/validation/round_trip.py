"""Round trips: whether a file comes back, to the byte, from conversions there and back.

Two texts are compared sentence by sentence, in constant memory. A sentence that is missing or added
is found by looking some sentences ahead.

The conversions are those of the commands, in constant memory. The texts between them stand in files
without a name, so nothing is left of them however the process ends. Files are compared as text:
encoding, compression and the kind of line ends do not count.
"""

from __future__ import annotations

import gc
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.jobs import Conversion, DependencyConversion, is_analysed, read
from sejongud.errors import FormatError, Incident, OnError, Report, SejongudError
from sejongud.files import Source
from sejongud.files.texts import Scratch, put_by
from sejongud.formats import ENTITY_FORMATS, FRAME_FORMATS, RAW, Detection, label_format, recognise
from sejongud.formats.base import stated_id
from sejongud.formats.finding import reason
from sejongud.formats.labelled import LINE
from sejongud.layers.places import first_difference
from sejongud.pipeline import convert_stream
from sejongud.validation import WAY_BACK
from sejongud.validation.trips import Trip, blocks_of, trips_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

    from sejongud.formats.base import Block
    from sejongud.formats.labelled import LabelFormat


_LISTED = 1_000
"""The number of different blocks that are kept."""
_AHEAD = 32
"""The number of blocks that are searched for the next equal pair."""


class Difference(NamedTuple):
    """The first line of a sentence that comes back changed."""

    line: int
    """Its number in the file, from 1; 0 where the file has no such line."""
    expected: str | None
    """The line in the file, None if there is none."""
    got: str | None
    """The line that came back, None if there is none."""
    column: int
    """The first column that differs, from 1."""
    sent_id: str = ""


@dataclass
class RoundTripComparison:
    """The result of comparing two texts."""

    sentences: int = 0
    identical: int = 0
    differing: int = 0
    """The number of blocks that differ, sentences or not."""
    pairs: list[tuple[Block | None, Block | None]] = field(default_factory=list)
    """The first blocks that differ."""


def compare(
    expected: Iterator[Block], got: Iterator[Block], is_sentence: Callable[[Block], bool]
) -> RoundTripComparison:
    """Compare two texts, block by block."""
    found = RoundTripComparison()
    for block, other in _beside(expected, got):
        counts = block is not None and is_sentence(block)
        same = block is not None and other is not None and block.text == other.text
        found.sentences += counts
        found.identical += counts and same
        if not same:
            found.differing += 1
            if len(found.pairs) < _LISTED:
                found.pairs.append((block, other))
    return found


def _beside(
    expected: Iterator[Block], got: Iterator[Block]
) -> Iterator[tuple[Block | None, Block | None]]:
    """Pair the blocks of two texts: the equal ones, and the blocks between them."""
    left: deque[Block] = deque()
    right: deque[Block] = deque()

    def fill(size: int) -> None:
        left.extend(islice(expected, size - len(left)))
        right.extend(islice(got, size - len(right)))

    while True:
        fill(max(1, len(left), len(right)))
        if not left and not right:
            return
        if left and right and left[0].text == right[0].text:
            yield left.popleft(), right.popleft()
            continue
        fill(_AHEAD)
        before, behind = _next_equal(left, right)
        yield from zip_longest(
            [left.popleft() for _ in range(before)], [right.popleft() for _ in range(behind)]
        )


def _next_equal(left: Sequence[Block], right: Sequence[Block]) -> tuple[int, int]:
    """Return how many blocks to skip on each side to reach the next equal pair.

    It is one on each side if there is no equal pair.
    """
    places: dict[str, int] = {}
    for at, block in enumerate(right):
        places.setdefault(block.text, at)
    equal = [
        (at, places[block.text])
        for at, block in enumerate(left)
        if block.text and block.text in places
    ]
    return min(equal, key=sum, default=(min(len(left), 1), min(len(right), 1)))


def difference(expected: Block | None, got: Block | None) -> Difference:
    """Return the first difference of two blocks."""
    ours, theirs = ([] if block is None else LINE.findall(block.text) for block in (expected, got))
    pairs = zip_longest(ours, theirs)
    at, (a, b) = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
    if _bare(a) != _bare(b):
        # Else only one of them has a line's end.
        a, b = _bare(a), _bare(b)
    column = 1
    if a is not None and b is not None:
        column += first_difference(a.split("\t"), b.split("\t"))
    if expected is None:
        return Difference(0, a, b, column)
    return Difference(expected.line + at, a, b, column, stated_id(expected.text))


def _bare(line: str | None) -> str | None:
    return None if line is None else line.removesuffix("\n")


__all__ = ["Difference", "RoundTrips", "Trip", "TripResult"]

_WORTH_A_POOL = 1 << 18
"""The size of a file, in bytes, from which several processes convert it."""


_HELPED = ("ner_rows", "ner_lines", "ner_block", "with comments")
"""The counts of sentences that got comments which help on the way back."""
_LOSSES = ("W210", "W301", "W427", "W441")
"""The codes of incidents of a conversion that tell why a sentence comes back changed."""
_KEPT = 1_000
"""The number of sentences whose loss is kept."""


@dataclass(frozen=True)
class TripResult:
    """The result of a trip."""

    trip: Trip
    path: str
    sentences: int = 0
    identical: int = 0
    """The number of sentences that come back as they were."""
    words: int = 0
    """The number of words that came back: those of a treebank, else eojeols."""
    helped: int = 0
    """The number of sentences that needed a comment to come back (such as `ner_rows`)."""
    first: Difference | None = None
    error: str = ""
    """The reason why the file, or a part of it, could not be converted."""

    @property
    def ok(self) -> bool:
        """Whether the whole file came back as it was."""
        return self.first is None and not self.error

    def to_dict(self) -> dict[str, object]:
        """Return the result as a JSON object."""
        first = None if self.first is None else self.first._asdict()
        trip = {"path": self.path, "format": self.trip.format, "trip": self.trip.name}
        return {**trip, "ok": self.ok, **vars(self), "trip": self.trip.name, "first": first}


# --- trips ----------------------------------------------------------------------------------------


@dataclass
class RoundTrips:
    """The round trips of one file.

    Args:
        path: the file; a pipe, such as standard input, is copied first.
        from_: the format, as `--from` of `sejongud validate` takes it; None detects it.
        on_error: for a sentence that cannot be read: "stop" ends the trip, "skip" leaves the
            sentence out, "keep" converts the parts that can be read.
        rules: the user's tables.
        encoding: the file's encoding; None detects it.
        morphemes: for an entity corpus, a file of the same sentences with their morphemes; None has
            Kiwi analyse.
    """

    path: str
    from_: str | None = None
    on_error: OnError = "keep"
    rules: str | None = None
    encoding: str | None = None
    morphemes: str | None = None
    _stack: ExitStack = field(default_factory=ExitStack, init=False)
    _texts: dict[tuple[str, int | None], tuple[Scratch, str]] = field(
        default_factory=dict, init=False
    )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def open(self) -> Source:
        """Open the file at its beginning.

        Raises:
            OSError: it cannot be read.
        """
        if self._copy is not None:
            return self._copy.open()
        return Source(self.path, encoding=self.encoding)

    @cached_property
    def _copy(self) -> Scratch | None:
        return put_by(self.path, self.encoding, self._stack)

    @cached_property
    def format(self) -> Detection:
        """The file's format.

        Raises:
            UsageError: the options name a format that does not exist.
            FormatError: the file cannot be read.
            OSError: likewise.
        """
        with self.open() as source:
            found = recognise(self.from_, source.head())
        return found.beside(self.path)

    @cached_property
    def trips(self) -> list[Trip]:
        """All round trips of the file.

        Raises:
            UsageError: see `format`.
            FormatError: likewise.
            OSError: likewise.
        """
        with self.open() as source:
            return trips_of(self.format, source.head(), self.rules)

    def check_all(self, report: Report | None = None, *, jobs: int = 1) -> Iterator[TripResult]:
        """Make all trips, one after another; see `check`.

        Raises:
            UsageError: see `format`.
        """
        try:
            trips = self.trips
        except (FormatError, OSError) as error:
            nowhere = Trip("-", self.from_ or "unknown", ())
            yield TripResult(nowhere, self.path, error=reason(error))
            return
        for trip in trips:
            yield self.check(trip, report, jobs=jobs)

    def check(self, trip: Trip, report: Report | None = None, *, jobs: int = 1) -> TripResult:
        """Make a trip.

        Args:
            trip: the trip.
            report: receives every sentence that comes back changed, and the incidents that
                occur while an entity corpus is read.
            jobs: the number of processes; 0 for as many as there are processors.
        """
        try:
            big = self._copy is None and Path(self.path).stat().st_size > _WORTH_A_POOL
            return self._check(trip, report or Report(), jobs if big else 1)
        except (SejongudError, OSError, UnicodeEncodeError) as error:
            return TripResult(trip, self.path, error=reason(error))

    def _check(self, trip: Trip, report: Report, jobs: int) -> TripResult:
        text, error = (None, "") if trip.text is None else self._text(trip.text, jobs)
        there = text if trip.format == "text" else None
        words = helped = 0
        losses: dict[str, str] = {}

        def keep(incident: Incident) -> None:
            if incident.code in _LOSSES and len(losses) < _KEPT:
                losses.setdefault(incident.sent_id, f" ({incident.code} {incident.message})")

        with ExitStack() as stack:
            for step in trip.steps:
                first = there is None
                # The checks report the incidents of all other formats.
                is_corpus = trip.format in (*ENTITY_FORMATS, *FRAME_FORMATS)
                own = report if first and is_corpus else Report(keep)
                back = stack.enter_context(Scratch(f"{self.path}, there and back"))
                with self.open() if there is None else there.open() as source:
                    words, comments, unread = self._convert(step, source, back, jobs, own)
                error = error or (unread if first else "")
                helped += comments
                there = back
            assert there is not None
            found = self._compared(trip, text, there)
            differences = self._differences(trip, found, text)
        for one in differences:
            said = f"{trip.name}: {_shown(one.expected)} comes back as {_shown(one.got)}"
            said += losses.get(one.sent_id, "")
            report.add(Incident(WAY_BACK, said, self.path, one.line, 0, one.sent_id))
        if (more := found.differing - len(differences)) > 0:
            said = f"{trip.name}: {more:,} more come back otherwise"
            report.add(Incident(WAY_BACK, said, self.path))
        counts = found.sentences, found.identical, words, helped
        return TripResult(trip, self.path, *counts, next(iter(differences), None), error)

    def _text(self, conversion: Conversion, jobs: int) -> tuple[Scratch, str]:
        """Return the text of a conversion, made once, and the reason if a part is unread."""
        key = conversion.writer, conversion.level
        if key not in self._texts:
            text = self._stack.enter_context(Scratch(f"{self.path}, as {conversion.writer}"))
            with self.open() as source:
                self._texts[key] = text, self._convert(conversion, source, text, jobs, Report())[2]
        return self._texts[key]

    def _convert(
        self,
        step: Conversion | DependencyConversion,
        source: Source,
        target: Scratch,
        jobs: int,
        report: Report,
    ) -> tuple[int, int, str]:
        """Do a conversion with the options of the file, as its command does it.

        Returns:
            The number of words, how many sentences got comments that help on the way back, and the
            reason if a part of the source could not be read.
        """
        unread: list[str] = []
        """The reason why a sentence could not be read, and "" for each further sentence."""

        def sink(incident: Incident) -> None:
            # An error of a single eojeol does not stop its sentence.
            if incident.is_error and not incident.token:
                unread.append("" if unread else str(incident))
            report.add(incident)

        step = step.but(on_error=self.on_error, rules=self.rules, path=source.path)
        given = None
        if isinstance(step, Conversion) and is_analysed(step.reader):
            # Kiwi has threads of its own.
            workers = jobs if step.reader in RAW else jobs if jobs > 1 else None
            step = step.but(reader_options={**step.reader_options, "workers": workers})
            jobs = 1
            if self.morphemes is not None and step.reader != "text":
                given = read(self.morphemes, rules=self.rules)
        with target.writing() as out:
            try:
                totals = convert_stream(step, source, out, Report(sink), given=given, jobs=jobs)
            except FormatError as error:
                if unread:
                    # The reason says more than that no sentence is left.
                    raise FormatError(_unread(unread)) from None
                raise error.at(path=source.path, line=0) from None
            finally:
                # The memory of a conversion is cyclic, and the next one needs as much.
                gc.collect()
        return totals.words, sum([totals.counts[key] for key in _HELPED]), _unread(unread)

    def _compared(self, trip: Trip, text: Scratch | None, back: Scratch) -> RoundTripComparison:
        """Compare the text that was to come back with the one that came back."""
        blocks = blocks_back = blocks_of(trip.format if trip.text is None else trip.text.writer)
        is_sentence: Callable[[Block], bool] = _has_words
        step = trip.steps[0]
        if trip.format in ENTITY_FORMATS and isinstance(step, Conversion) and trip.text is None:
            name, _, settings = step.reader.partition(":")
            # New objects for each file, since they may number its sentences.
            layout, other = label_format(name, settings), label_format(name, settings)
            blocks, blocks_back = layout.blocks, other.blocks
            is_sentence = partial(_is_readable, layout)
        with self.open() if text is None else text.open() as expected, back.open() as got:
            return compare(blocks(expected.chunks()), blocks_back(got.chunks()), is_sentence)

    def _differences(
        self, trip: Trip, found: RoundTripComparison, text: Scratch | None
    ) -> list[Difference]:
        """Return the differences at their places in the file."""
        differences = [difference(*pair) for pair in found.pairs]
        if not differences or text is None or trip.text is None:
            return differences
        numbers = [0 if block is None else block.number for block, _ in found.pairs]
        wanted = dict(zip(numbers, differences, strict=True))
        ids = {}
        with text.open() as source:
            for block in Conversion(trip.text.writer).make_reader().blocks_of(source):
                if block.number in wanted:
                    words = block.text.split("\n")[: wanted[block.number].line - block.line]
                    is_sejong = trip.text.writer == "sejong"
                    ids[block.sent_id] = block.number, sum(map(_is_word, words)) * is_sejong
        places = {}
        reader = trip.text.but(rules=self.rules).make_reader()
        with self.open() as source:
            for block in reader.blocks_of(source):
                if block.sent_id in ids:
                    number, eojeol = ids[block.sent_id]
                    places[number] = reader.line_of(block, eojeol) or block.line, block.sent_id
        return [
            one._replace(line=line, sent_id=sent_id)
            for one, number in zip(differences, numbers, strict=True)
            for line, sent_id in [places.get(number, (0, ""))]
        ]


def _unread(reasons: Sequence[str]) -> str:
    """Return how many sentences could not be read, and the reason for the first; "" for none."""
    if len(reasons) > 1:
        return f"{len(reasons):,} sentences could not be read; the first: {reasons[0]}"
    return f"a sentence could not be read: {reasons[0]}" if reasons else ""


def _is_word(line: str) -> bool:
    """Return whether a line of Sejong text or CoNLL-U is neither blank nor a comment."""
    return bool(line.strip()) and not (line.startswith("#") and "\t" not in line)


def _has_words(block: Block) -> bool:
    return any(map(_is_word, block.text.split("\n")))


def _is_readable(layout: LabelFormat, block: Block) -> bool:
    """Return whether a block of an entity corpus is a readable sentence."""
    try:
        return bool("".join(layout.read(block).tokens).strip())
    except FormatError:
        return False


def _shown(line: str | None) -> str:
    return "no line" if line is None else repr(line) if line else "a blank line"
