"""From files to sentences to files: what the commands and `import sejongud` both stand on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.errors import ON_ERROR, FormatError, Incident, Report, UsageError
from sejongud.files import Source, atomic_output
from sejongud.formats import reader_class, resolve, writer_class
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.direct import AnalysedRows, DirectRows
from sejongud.formats.sejong import SejongReader
from sejongud.formats.text import TextReader
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load
from sejongud.streams import Done, Totals, batches, stream

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TextIO

    from sejongud.errors import OnError
    from sejongud.formats import Writer
    from sejongud.formats.base import Frame, Reader
    from sejongud.formats.conllu import NePlace
    from sejongud.formats.direct import Noted, Written
    from sejongud.model import Sentence

__all__ = ["Conversion", "Totals", "convert", "convert_stream", "read"]


@dataclass(frozen=True)
class Conversion:
    """What is to be read and written, and how; made once, used in every process.

    Args:
        reader: name of the input format.
        writer: name of the output format.
        level: of granularity, 1 to 5.
        upos: UPOS scheme; None for what a treebank says of its words, and else the usual one.
        lemmas: lemma scheme; None likewise.
        dummy_deps: a well-formed chain in HEAD and DEPREL.
        no_deps: HEAD and DEPREL left out that the source has.
        ne: where the labels of entities go (writer conllu): "misc", "column" or "feats".
        spaced: blanks around the plus (writer sejong).
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        path: of the input, for messages.
        reader_options: what a format's own reader understands beyond this.

    Raises:
        UsageError: there is no such `on_error`.
    """

    reader: str
    writer: str = "conllu"
    level: int = 5
    upos: str | None = None
    lemmas: str | None = None
    dummy_deps: bool = False
    no_deps: bool = False
    ne: NePlace = "misc"
    spaced: bool = False
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"
    reader_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.on_error not in ON_ERROR:
            raise UsageError(f"on_error is one of {', '.join(ON_ERROR)}, not {self.on_error}")

    def make_work(self) -> _Work:
        """What reads frames and writes their sentences, in one process."""
        return _Work(self)

    def make_reader(self) -> Reader:
        """The reader."""
        assembler = Assembler(load(self.rules))
        kind = reader_class(self.reader)
        return kind(assembler, keep=self.on_error == "keep", **self.reader_options)

    def make_writer(self) -> Writer:
        """The writer.

        Raises:
            UsageError: no such level or scheme.
        """
        kind: Any = writer_class(self.writer)
        if self.writer == "sejong":
            return kind(spaced=self.spaced)  # type: ignore[no-any-return]
        if self.writer == "sejong-line":
            return kind()  # type: ignore[no-any-return]
        granularity = Granularity(load(self.rules), self.level, upos=self.upos, lemmas=self.lemmas)
        if self.writer == "conllu":
            return kind(  # type: ignore[no-any-return]
                granularity,
                dummy_deps=self.dummy_deps,
                ne=self.ne,
                retag=self.upos is not None,
                relemma=self.lemmas is not None,
                no_deps=self.no_deps,
            )
        return kind(granularity)  # type: ignore[no-any-return]


class _Work:
    """Reads frames and writes their sentences, in one process."""

    def __init__(self, conversion: Conversion) -> None:
        self._conversion = conversion
        self.reader = conversion.make_reader()
        self._writer = conversion.make_writer()
        # Few formats begin with anything.
        self.preamble: str = getattr(self._writer, "preamble", "")
        self._made: Callable[[Iterable[Frame]], Iterator[tuple[Frame, Written | None]]] = _unmade
        if isinstance(self._writer, ConlluWriter) and not self.preamble:
            if isinstance(self.reader, SejongReader):
                self._made = DirectRows(self.reader, self._writer).each
            elif isinstance(self.reader, TextReader):
                self._made = AnalysedRows(self.reader, self._writer).each

    def __call__(self, frames: list[Frame]) -> Done:
        incidents: list[Incident] = []
        texts = []
        eojeols = 0
        error = None
        path = self._conversion.path
        on_error = self._conversion.on_error
        write = self._writer.sentence
        report = Report(incidents.append)
        made = self._made

        def tell(frame: Frame, notes: list[Noted]) -> None:
            self.reader.report_framing(frame, path, report)
            self.reader.report_notes(frame, notes, path, report, frame.sent_id)

        def to_read() -> Iterator[Frame]:
            """The frames that cannot be written as they are; the others are, as they come by."""
            nonlocal eojeols
            for frame, written in made(frames):
                if written is None:
                    yield frame
                    continue
                text, count, notes = written
                texts.append(text)
                eojeols += count
                if notes or frame.notes:
                    tell(frame, notes)

        try:
            for sentence in self.reader.read(to_read(), path, on_error, report):
                layers = sentence.columns or sentence.entities
                if layers and (lost := self._writer.loses(sentence)):
                    sent_id = sentence.sent_id
                    report.add(Incident("W301", f"not written: {lost}", path, sent_id=sent_id))
                texts.append(write(sentence))
                eojeols += len(sentence.eojeols)
        except FormatError as raised:
            error = raised
        if on_error == "skip" and incidents:
            self._tell_documents(frames, incidents)
        return Done("".join(texts), Totals(len(texts), eojeols), incidents, error)

    def _tell_documents(self, frames: list[Frame], incidents: list[Incident]) -> None:
        """Add to incidents which documents begin with sentences that were left out.

        What comes behind would be taken for a part of the document before.
        """
        left_out = {incident.sent_id for incident in incidents if incident.is_error}
        for frame in frames:
            if frame.sent_id in left_out and (begun := self.reader.opening(frame)):
                message = f"not written: {', '.join(begun)}, with the sentence it begins with"
                path = self._conversion.path
                incidents.append(Incident("W301", message, path, frame.line, 0, frame.sent_id))


def _unmade(frames: Iterable[Frame]) -> Iterator[tuple[Frame, None]]:
    """Frames of which each is to be read."""
    for frame in frames:
        yield frame, None


def _size(frame: Frame) -> int:
    return len(frame.text)


def convert_stream(
    conversion: Conversion, source: Source, out: TextIO, report: Report, *, jobs: int = 1
) -> Totals:
    """Convert all of a source, in constant memory and in order.

    Args:
        conversion: what to do.
        source: where from.
        out: where to; nothing of it is to be trusted if this raises.
        report: what is told of everything that was mended or left out.
        jobs: how many processes; 0 as many as there are processors.

    Raises:
        FormatError: an error in the data, with `on_error` "stop"; one of the file as a whole.
        EncodingError: the file is in no encoding that was tried.
        UsageError: no such level or scheme.
    """
    work = conversion.make_work()  # Wrong usage is said before any process begins.
    out.write(work.preamble)
    if conversion.writer == "sejong" and conversion.on_error == "skip":
        # What was left out before decides which sentences their numbers still name.
        jobs = 1
    frames = batches(work.reader.frames_of(source), _size)
    return stream(conversion, work, frames, out, report, path=source.path, jobs=jobs)


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    from_: str | None = None,
    to: str = "conllu",
    level: int = 5,
    upos: str | None = None,
    lemmas: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    report: Report | None = None,
) -> Totals:
    """Convert a file.

    Args:
        source: the file; `-` is standard input.
        target: the file to write, whole or not at all; `-` is standard output.
        from_: the format of the source, None to find it out.
        to: the format of the target.
        level: of granularity, 1 to 5.
        upos: UPOS scheme, see `sejongud rules show upos`; None for what a treebank says of its
            words, and else "sejong".
        lemmas: lemma scheme; None likewise, and else "normalised".
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        jobs: how many processes; with more than one a script has to call this under
            `if __name__ == "__main__":`, as for everything that starts processes.
        report: what is told of everything that was mended or left out; None counts it only.

    Returns:
        How many sentences and eojeols were converted.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: a file cannot be read or written.
    """
    with Source(source) as opened, atomic_output(target) as out:
        conversion = Conversion(
            resolve(from_, opened.head()),
            to,
            level=level,
            upos=upos,
            lemmas=lemmas,
            on_error=on_error,
            rules=None if rules is None else str(rules),
            path=opened.path,
        )
        return convert_stream(conversion, opened, out, report or Report(), jobs=jobs)


def read(
    path: str | os.PathLike[str],
    *,
    from_: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """The sentences of a file, one at a time.

    Args:
        path: the file; `-` is standard input.
        from_: its format, None to find it out.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        report: what is told of everything that was mended or left out; None counts it only.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: the file cannot be read.
    """
    with Source(path) as source:
        conversion = Conversion(
            resolve(from_, source.head()),
            on_error=on_error,
            rules=None if rules is None else str(rules),
            path=source.path,
        )
        reader = conversion.make_reader()
        frames = reader.frames_of(source)
        yield from reader.read(frames, source.path, on_error, report or Report())
