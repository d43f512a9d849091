"""Round trips: whether what was there comes back, to the byte, from every conversion.

A trip is some conversions, one after another, and the text that has to come out at their end:

    sejong level 3         FILE → CoNLL-U of level 3 → Sejong text, which is that of FILE
    sejong file            FILE → FILE, as our own writer has it; so are sejong-line and jsonl
    conllu level 3         FILE, our own CoNLL-U of any level → CoNLL-U of level 3 → FILE
    ner syl2morph          FILE → entities of morphemes → FILE; so is eoj2morph
    dep word2morph ud      FILE → dependencies of morphemes → FILE; so is morphud

What a file can do follows from its format. The conversions are those that the commands do, in
constant memory; what comes between stands in files that have no name, so that nothing is left of
them, whatever ends the process. Files are compared as text: encoding, compression and the kind of
line ends are no part of it.
"""

from __future__ import annotations

import gc
import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sejongud.conversion import Conversion, convert_stream, read
from sejongud.dependencies import DependencyConversion, convert_dependencies
from sejongud.errors import FormatError, Incident, Report, SejongudError
from sejongud.files import Source
from sejongud.formats import ENTITY_FORMATS, Recognised, label_format, recognise
from sejongud.formats.finding import find_files, reason
from sejongud.model import LEVELS
from sejongud.morphology.eojeol import Assembler
from sejongud.parallel import ordered_map
from sejongud.rules import load
from sejongud.streams import Totals
from sejongud.validation.comparison import Comparison, Difference, compare, difference
from sejongud.validation.own_writing import blocks_of, own_writer, word_lines
from sejongud.validation.scratch import Scratch, put_by
from sejongud.validation.validate import WAY_BACK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self, TextIO

    from sejongud.errors import OnError
    from sejongud.formats.labelled import Block, LabelFormat

__all__ = [
    "Difference",
    "EntityConversion",
    "Options",
    "RoundTrips",
    "Trip",
    "TripResult",
    "check",
    "find_files",
    "trips_of",
]

_WORTH_A_POOL = 1 << 18
"""The size of a file, in bytes, from which its trips are spread over processes."""

_SCHEMES = ("morphud", "ud")


@dataclass(frozen=True)
class EntityConversion:
    """From an entity corpus to CoNLL-U of morphemes, or back.

    Args:
        format: the name of the corpus's format.
        settings: its settings.
        back: whether the corpus is what comes out.
        morphemes: a file of the same sentences with their morphemes; None to have Kiwi analyse.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        path: of the input.
    """

    format: str
    settings: str = ""
    back: bool = False
    morphemes: str | None = None
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"

    @property
    def layout(self) -> LabelFormat:
        """The format: a new one for each file, which may number what it writes."""
        return label_format(self.format, self.settings)


Step = Conversion | DependencyConversion | EntityConversion


class Trip(NamedTuple):
    """Where a file goes, and what is to come back."""

    name: str
    format: str
    """What the file is read as."""
    steps: tuple[Step, ...]
    """The conversions, one after another."""
    text: Conversion | None = None
    """What makes of the file the text that is to come back; None: the file itself is that."""
    starts_with_text: bool = False
    """Whether that text is what goes: to analyse the file anew would take long."""


@dataclass(frozen=True)
class TripResult:
    """What came of a trip."""

    trip: Trip
    path: str
    sentences: int = 0
    identical: int = 0
    """How many of the sentences come back as they were."""
    words: int = 0
    """How many words came back: those of a treebank, else eojeols."""
    helped: int = 0
    """How many sentences needed a comment to come back (`ner_rows` and its like)."""
    first: Difference | None = None
    error: str = ""
    """Why the file, or some of it, could not be converted."""

    @property
    def ok(self) -> bool:
        """Whether all of the file came back as it was."""
        return self.first is None and not self.error

    def to_dict(self) -> dict[str, object]:
        """What a JSON object says of it."""
        return {
            "path": self.path,
            "format": self.trip.format,
            "trip": self.trip.name,
            "ok": self.ok,
            "sentences": self.sentences,
            "identical": self.identical,
            "words": self.words,
            "helped": self.helped,
            "first": None if self.first is None else self.first._asdict(),
            "error": self.error,
        }


@dataclass(frozen=True)
class Options:
    """How files are read.

    Args:
        from_: the format, as `--from` of `sejongud validate` has it; None to find it out.
        on_error: a sentence that cannot be read ends a trip ("stop"), is left out ("skip"), or what
            can be read of it goes ("keep").
        rules: the user's tables.
        encoding: of the file; None to find it out.
        morphemes: for an entity corpus, a file of the same sentences with their morphemes.
    """

    from_: str | None = None
    on_error: OnError = "keep"
    rules: str | None = None
    encoding: str | None = None
    morphemes: str | None = None


def trips_of(path: str | os.PathLike[str], from_: str | None = None) -> list[Trip]:
    """The round trips that a file can make.

    Args:
        path: the file.
        from_: its format, None to find it out.

    Raises:
        UsageError: there is no such format.
        FormatError: the file cannot be read.
        OSError: likewise.
    """
    with RoundTrips(path, Options(from_)) as round_trips:
        return round_trips.trips


def check(
    trip: Trip,
    path: str | os.PathLike[str],
    *,
    rules: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    morphemes: str | os.PathLike[str] | None = None,
    on_error: OnError = "keep",
    report: Report | None = None,
) -> TripResult:
    """Make a trip.

    Args:
        trip: which one (see `trips_of`).
        path: the file.
        rules: a directory of tables laid over the built-in ones.
        jobs: how many processes; 0 as many as there are processors.
        morphemes: for an entity corpus, a file of the same sentences with their morphemes; Kiwi
            analyses without one.
        on_error: see `Options`.
        report: what is told of every sentence that comes back otherwise.
    """
    options = Options(
        on_error=on_error,
        rules=None if rules is None else str(rules),
        morphemes=None if morphemes is None else str(morphemes),
    )
    with RoundTrips(path, options) as round_trips:
        return round_trips.check(trip, report, jobs=jobs)


# --- the table of trips --------------------------------------------------------------------------


def _level_trips(name: str) -> Iterator[Trip]:
    """From anything with morphemes to each level, and back to its Sejong text."""
    again = name == "text"
    for level in LEVELS:
        there = Conversion("sejong" if again else name, "conllu", level=level)
        back = Conversion("conllu", "sejong")
        yield Trip(f"sejong level {level}", name, (there, back), Conversion(name, "sejong"), again)


def _file_trips(name: str, own: Conversion) -> Iterator[Trip]:
    """From what our own writer writes to the same bytes.

    Args:
        name: of the format.
        own: what writes the file as it is.
    """
    if name == "conllu":
        for level in LEVELS:
            yield Trip(f"conllu level {level}", name, (replace(own, level=level), own))
    else:
        # What goes to CoNLL-U and comes back is the same sentences: see the levels.
        yield Trip(f"{name} file", name, (own,))


def _entity_trips(name: str, settings: str) -> Iterator[Trip]:
    """From an entity corpus to morphemes, and back to its bytes."""
    there = EntityConversion(name, settings)
    action = "eoj2morph" if there.layout.unit == "eojeol" else "syl2morph"
    yield Trip(f"ner {action}", name, (there, replace(there, back=True)))


def _dependency_trips() -> Iterator[Trip]:
    """From the words of a treebank to morphemes, and back to its bytes."""
    for scheme in _SCHEMES:
        there = DependencyConversion("word2morph", scheme=scheme)
        back = DependencyConversion("morph2word")
        yield Trip(f"dep word2morph {scheme}", "conllu", (there, back))


def _trips(name: str, settings: str, head: str, rules: str | None) -> Iterator[Trip]:
    """All trips of a file.

    Args:
        name: of its format.
        settings: of an entity format.
        head: its beginning.
        rules: the user's tables.
    """
    if name in ENTITY_FORMATS:
        yield from _entity_trips(name, settings)
        return
    own = own_writer(name, head, rules)
    if own is not None:
        yield from _file_trips(name, own)
    yield from _level_trips(name)
    if name == "conllu" and own is None and _is_treebank(head):
        yield from _dependency_trips()


def _is_treebank(head: str) -> bool:
    """Whether all words of a file that begins so have a head."""
    heads = [cells[6] for cells in word_lines(head)]
    return bool(heads) and all(map(str.isdigit, heads))


# --- making a trip -------------------------------------------------------------------------------


def _do(step: Step, source: Source, out: TextIO, report: Report, jobs: int) -> tuple[Totals, int]:
    """Do a conversion, as its command does it.

    Returns:
        How much was converted, and how many sentences have comments that help on the way back.
    """
    if isinstance(step, EntityConversion):
        return (_label_back if step.back else _label)(step, source, out, report, jobs)
    if isinstance(step, DependencyConversion):
        return convert_dependencies(step, source, out, report, jobs=jobs), 0
    if step.reader == "text":
        # As in the command: Kiwi has threads of its own.
        step = replace(step, reader_options={"workers": jobs or None})
        jobs = 1
    return convert_stream(step, source, out, report, jobs=jobs), 0


def _label(
    step: EntityConversion, source: Source, out: TextIO, report: Report, jobs: int
) -> tuple[Totals, int]:
    """From an entity corpus to CoNLL-U."""
    from sejongud.converters.entities import Forward
    from sejongud.formats.conllu import ConlluWriter
    from sejongud.levels.cut import Granularity

    rules = load(step.rules)
    forward = Forward(
        Assembler(rules),
        step.layout,
        report,
        on_error=step.on_error,
        path=step.path,
        workers=jobs if jobs > 1 else None,
    )
    given = None if step.morphemes is None else read(step.morphemes, rules=step.rules)
    writer = ConlluWriter(Granularity(rules))
    for sentence in forward.sentences(source.chunks(), given):
        out.write(writer.sentence(sentence))
    counts = forward.counts
    helped = sum([counts[key] for key in ("ner_rows", "ner_lines", "ner_block")])
    return Totals(counts["sentences"], counts["eojeols"]), helped


def _label_back(
    step: EntityConversion, source: Source, out: TextIO, report: Report, jobs: int
) -> tuple[Totals, int]:
    """From CoNLL-U to the entity corpus that its comments tell."""
    from sejongud.converters.entities import Backward
    from sejongud.formats.conllu import ConlluReader

    reader = ConlluReader(Assembler(load(step.rules)), keep=step.on_error == "keep")
    backward = Backward(None, step.format)
    words = 0
    frames = reader.frame(source.chunks())
    for sentence in reader.read(frames, source.path, step.on_error, report):
        out.write(backward.text(sentence))
        words += len(sentence.eojeols)
    out.write(backward.end())
    return Totals(backward.counts["sentences"], words), 0


@dataclass
class _Left:
    """Counts the sentences that could not be read, and keeps the first reason."""

    count: int = 0
    first: str = ""

    def add(self, incident: Incident) -> None:
        """Look at an incident; one of an eojeol alone does not keep its sentence from going."""
        if incident.is_error and not incident.token:
            self.count += 1
            self.first = self.first or str(incident)

    def __str__(self) -> str:
        if self.count > 1:
            return f"{self.count:,} sentences could not be read; the first: {self.first}"
        return f"a sentence could not be read: {self.first}" if self.count else ""


class RoundTrips:
    """The round trips of one file.

    Args:
        path: the file; what can be read only once, as standard input, is put by.
        options: how it is read; None for the usual ones.
    """

    def __init__(self, path: str | os.PathLike[str], options: Options | None = None) -> None:
        self.path = os.fspath(path)
        self._options = options or Options()
        self._text: tuple[Scratch, str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget what was put by."""
        if (file := self.__dict__.get("_file")) is not None:
            file.close()
        if self._text is not None:
            self._text[0].close()

    def open(self) -> Source:
        """The file, from its beginning.

        Raises:
            OSError: it cannot be read.
        """
        if self._file is not None:
            return self._file.open()
        return Source(self.path, encoding=self._options.encoding)

    @cached_property
    def _file(self) -> Scratch | None:
        return put_by(self.path, self._options.encoding)

    @cached_property
    def format(self) -> Recognised:
        """The format of the file.

        Raises:
            UsageError: there is no format of the name that the options have.
            FormatError: the file cannot be read.
            OSError: likewise.
        """
        with self.open() as source:
            found = recognise(self._options.from_, source.head())
        beside = Path(self.path).with_suffix(".txt")
        if found == ("brat", "") and beside.is_file():
            return Recognised("brat", str(beside))
        return found

    @cached_property
    def trips(self) -> list[Trip]:
        """All that the file can make.

        Raises:
            UsageError: see `format`.
            FormatError: likewise.
            OSError: likewise.
        """
        with self.open() as source:
            return list(_trips(*self.format, source.head(), self._options.rules))

    def check_all(self, report: Report | None = None, *, jobs: int = 1) -> Iterator[TripResult]:
        """Make all trips, one after another.

        Args:
            report: what is told of every sentence that comes back otherwise.
            jobs: how many processes; 0 as many as there are processors.

        Raises:
            UsageError: there is no format of the name that the options have.
        """
        report = report or Report()
        try:
            trips = self.trips
        except (FormatError, OSError) as error:
            nowhere = Trip("-", self._options.from_ or "unknown", ())
            yield TripResult(nowhere, self.path, error=reason(error))
            return
        if jobs == 1 or len(trips) == 1 or not self._is_big:
            for trip in trips:
                yield self.check(trip, report, jobs=1 if len(trips) > 1 else jobs)
            return
        work = ordered_map(
            _run, trips, jobs, initializer=_begin, initargs=(self.path, self._options)
        )
        for result, incidents in work:
            report.extend(incidents)
            yield result

    @property
    def _is_big(self) -> bool:
        return self._file is None and Path(self.path).stat().st_size > _WORTH_A_POOL

    def check(self, trip: Trip, report: Report | None = None, *, jobs: int = 1) -> TripResult:
        """Make a trip.

        Args:
            trip: which one.
            report: what is told of every sentence that comes back otherwise; and of what is found
                in an entity corpus while it is read.
            jobs: how many processes; 0 as many as there are processors.
        """
        try:
            return self._check(trip, report or Report(), jobs)
        except (SejongudError, OSError, UnicodeEncodeError) as error:
            return TripResult(trip, self.path, error=reason(error))

    def _check(self, trip: Trip, report: Report, jobs: int) -> TripResult:
        with ExitStack() as stack:
            text, error = (None, "") if trip.text is None else self._sejong_text(trip.text, jobs)
            there = text if trip.starts_with_text else None
            words = helped = 0
            for step in trip.steps:
                left = _Left()
                read_now = there is None
                # Of other formats than these all there is to say is said by the checks.
                told = report if read_now and isinstance(step, EntityConversion) else None
                back = stack.enter_context(Scratch(f"{self.path}, there and back"))
                with self.open() if there is None else there.open() as source:
                    totals, own = self._convert(step, source, back, jobs, left, told)
                if read_now:
                    error = error or str(left)
                words = totals.words
                helped += own
                there = back
            assert there is not None
            found = self._compared(trip, text, there)
            first = self._report(trip, found, text, report)
        return TripResult(
            trip, self.path, found.sentences, found.identical, words, helped, first, error
        )

    def _sejong_text(self, conversion: Conversion, jobs: int) -> tuple[Scratch, str]:
        """The Sejong text of the file, made once, and what could not be read."""
        if self._text is None:
            left = _Left()
            with ExitStack() as stack:
                text = stack.enter_context(Scratch(f"{self.path}, as Sejong text"))
                with self.open() as source:
                    self._convert(conversion, source, text, jobs, left)
                stack.pop_all()  # It is kept until all trips are made.
            self._text = text, str(left)
        return self._text

    def _convert(
        self,
        step: Step,
        source: Source,
        target: Scratch,
        jobs: int,
        left: _Left,
        report: Report | None = None,
    ) -> tuple[Totals, int]:
        """Do a conversion with the options of the file.

        Args:
            step: the conversion.
            source: where from.
            target: where to.
            jobs: how many processes.
            left: what is told of sentences that cannot be read.
            report: what is told of everything.
        """

        def sink(incident: Incident) -> None:
            left.add(incident)
            if report is not None:
                report.add(incident)

        options = self._options
        step = replace(step, on_error=options.on_error, rules=options.rules, path=source.path)
        if isinstance(step, EntityConversion):
            step = replace(step, morphemes=options.morphemes)
        with target.writing() as out:
            try:
                return _do(step, source, out, Report(sink), jobs)
            except FormatError as error:
                if left.count:
                    # Why nothing is left says more than that nothing is.
                    raise FormatError(str(left)) from None
                raise error.at(path=source.path, line=0) from None
            finally:
                # What a conversion remembers refers to itself, and the next remembers as much.
                gc.collect()

    def _compared(self, trip: Trip, text: Scratch | None, back: Scratch) -> Comparison:
        """What was to come back beside what came back."""
        first = trip.steps[0]
        blocks = blocks_back = blocks_of("sejong" if text is not None else trip.format)
        is_sentence: Callable[[Block], bool] = _has_words
        if isinstance(first, EntityConversion):
            layout = first.layout
            blocks, blocks_back = layout.blocks, first.layout.blocks
            is_sentence = _reads(layout)
        with self.open() if text is None else text.open() as expected, back.open() as got:
            return compare(blocks(expected.chunks()), blocks_back(got.chunks()), is_sentence)

    def _report(
        self, trip: Trip, found: Comparison, text: Scratch | None, report: Report
    ) -> Difference | None:
        """Report what comes back otherwise, at its place in the file.

        Returns:
            The first of it.
        """
        if not found.differing:
            return None
        differences = [difference(*pair) for pair in found.pairs]
        if text is not None and trip.text is not None:
            numbers = [0 if block is None else block.number for block, _ in found.pairs]
            places = self._places(trip.text, text, dict(zip(numbers, differences, strict=True)))
            differences = [
                one._replace(line=line, sent_id=sent_id)
                for one, (line, sent_id) in zip(
                    differences, [places.get(n, (0, "")) for n in numbers], strict=True
                )
            ]
        for one in differences:
            said = f"{trip.name}: {_shown(one.expected)} comes back as {_shown(one.got)}"
            report.add(Incident(WAY_BACK, said, self.path, one.line, 0, one.sent_id))
        if (more := found.differing - len(differences)) > 0:
            said = f"{trip.name}: {more:,} more come back otherwise"
            report.add(Incident(WAY_BACK, said, self.path))
        return differences[0]

    def _places(
        self, conversion: Conversion, text: Scratch, wanted: dict[int, Difference]
    ) -> dict[int, tuple[int, str]]:
        """The lines of the file that sentences of its Sejong text come from, and their ids.

        Args:
            conversion: of the file to its Sejong text.
            text: that text.
            wanted: by the number of the sentence what differs in it.
        """
        from sejongud.formats.sejong import SejongReader

        assembler = Assembler(load(self._options.rules))
        ids = {}
        with text.open() as source:
            for frame in SejongReader(assembler).frame(source.chunks()):
                if frame.number in wanted:
                    words = frame.text.split("\n")[: wanted[frame.number].line - frame.line]
                    eojeol = len([line for line in words if _is_word(line)])
                    ids[frame.sent_id] = frame.number, eojeol
        places = {}
        reader = replace(conversion, rules=self._options.rules).make_reader()
        with self.open() as source:
            for frame in reader.frames_of(source):
                if frame.sent_id in ids:
                    number, eojeol = ids[frame.sent_id]
                    places[number] = reader.line_of(frame, eojeol) or frame.line, frame.sent_id
        return places


_round_trips: RoundTrips | None = None
"""Those of this process: its trips share the Sejong text of their file."""


def _begin(path: str, options: Options) -> None:
    global _round_trips
    _round_trips = RoundTrips(path, options)


def _run(trip: Trip) -> tuple[TripResult, list[Incident]]:
    assert _round_trips is not None
    incidents: list[Incident] = []
    return _round_trips.check(trip, Report(incidents.append)), incidents


def _is_word(line: str) -> bool:
    """Whether a line of Sejong text, or of CoNLL-U, is more than a comment."""
    return bool(line.strip()) and not (line.startswith("#") and "\t" not in line)


def _has_words(block: Block) -> bool:
    return any(map(_is_word, block.text.split("\n")))


def _reads(layout: LabelFormat) -> Callable[[Block], bool]:
    """What says whether a piece of an entity corpus is a sentence that can be read."""

    def is_sentence(block: Block) -> bool:
        try:
            return bool("".join(layout.read(block).tokens).strip())
        except FormatError:
            return False

    return is_sentence


def _shown(line: str | None) -> str:
    return "nothing" if line is None else repr(line)
