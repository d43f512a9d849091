"""Validation: what the readers report and what the checks find.

Everything that is found is an `Incident` with a stable code; `codes` has them all. A file is read
to its end whatever is in it, in constant memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.errors import AREAS, CODES, FormatError, Incident, Report, UsageError
from sejongud.formats import reader_class
from sejongud.memo import Memo
from sejongud.morphology.eojeol import Assembler
from sejongud.parallel import ordered_map
from sejongud.pipeline import batches
from sejongud.rules import load
from sejongud.validation.checks import (
    CONLLU_CHECKS,
    EOJEOL_CHECKS,
    LINE_CHECKS,
    SENTENCE_CHECKS,
    Block,
    Scheme,
    message_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sejongud.errors import OnError
    from sejongud.files import Source
    from sejongud.formats.base import Frame, Reader
    from sejongud.model import Eojeol, Sentence

__all__ = [
    "LAYOUT",
    "WAY_BACK",
    "Outcome",
    "Validation",
    "codes",
    "table",
    "validate",
]

LAYOUT = {
    "W217": "a blank line too many, or one with blanks in it",
    "E208": "no blank line behind the last sentence",
}
"""What a CoNLL-U file as a whole may have, found while it is cut into sentences."""

WAY_BACK = "E901"
"""The code of a sentence that does not come back as it was (`sejongud.validation.round_trip`)."""


def codes() -> dict[str, str]:
    """All codes and what they stand for, sorted: by area, errors before warnings.

    >>> codes()["W106"]
    'the morphemes do not explain the form, or not all of it'
    """
    found = CODES | LAYOUT
    for checks in (LINE_CHECKS, EOJEOL_CHECKS, SENTENCE_CHECKS, CONLLU_CHECKS):
        found |= {code: message_of(check) for code, check in checks.items()}
    found[WAY_BACK] = "what comes back from a conversion is not what was there"
    return dict(sorted(found.items(), key=lambda pair: (pair[0][1], pair[0][0], pair[0])))


def table() -> str:
    """The codes as a table, an area after the other."""
    lines = []
    area = ""
    for code, description in codes().items():
        if code[1] != area:
            area = code[1]
            lines.append(f"\n{AREAS[area]}")
        lines.append(f"  {code}  {description}")
    return "\n".join(lines).lstrip("\n")


@dataclass(frozen=True)
class Validation:
    """What is to be validated, and how; made once, used in every process.

    Args:
        reader: name of the input format.
        select: beginnings of the codes that are wanted; none for all.
        on_error: a sentence that cannot be read is the last one ("stop"), or only that is said of
            it ("skip"), or what can be read of it is checked as well ("keep").
        upos: the UPOS scheme that CoNLL-U should be in.
        lemmas: its lemma scheme.
        rules: the user's tables.
        path: of the file, for the incidents.
        reader_options: what a format's own reader understands beyond this.

    Raises:
        UsageError: no code begins so.
    """

    reader: str
    select: tuple[str, ...] = ()
    on_error: OnError = "keep"
    upos: str = "sejong"
    lemmas: str = "normalised"
    rules: str | None = None
    path: str = "-"
    reader_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = codes()
        for prefix in self.select:
            if not any(code.startswith(prefix) for code in known):
                raise UsageError(f"no code begins with {prefix!r}; --help lists them")

    def selected(self, code: str) -> bool:
        """Whether a code is wanted."""
        return not self.select or code.startswith(self.select)

    def make_reader(self) -> Reader:
        """The reader."""
        kind = reader_class(self.reader)
        keep = self.on_error == "keep"
        return kind(Assembler(load(self.rules)), keep=keep, **self.reader_options)

    def chosen(self, checks: Mapping[str, Callable[..., Any]]) -> list[tuple[str, str, Any]]:
        """The checks of a table that are wanted: code, message, function."""
        return [(c, message_of(check), check) for c, check in checks.items() if self.selected(c)]


@dataclass
class Outcome:
    """How much was validated, and what came of it.

    Args:
        sentences: that could be read.
        eojeols: in them.
        stopped: whether there was an error that ended it.
    """

    sentences: int = 0
    eojeols: int = 0
    stopped: bool = False

    def add(self, other: Outcome) -> None:
        """Add what came of a later part."""
        self.sentences += other.sentences
        self.eojeols += other.eojeols
        self.stopped |= other.stopped


class _Work:
    """Reads and checks frames, in one process."""

    def __init__(self, validation: Validation) -> None:
        rules = load(validation.rules)
        self._validation = validation
        self._reader = validation.make_reader()
        self._lines = validation.chosen(LINE_CHECKS)
        self._sentences = validation.chosen(SENTENCE_CHECKS)
        self._blocks = validation.chosen(CONLLU_CHECKS) if validation.reader == "conllu" else []
        self._scheme = Scheme(rules, validation.upos, validation.lemmas)
        eojeols = validation.chosen(EOJEOL_CHECKS)
        self._notes: Memo[Eojeol, list[tuple[str, str]]] = Memo(
            lambda eojeol: [
                (code, f"{message}: {detail}")
                for code, message, check in eojeols
                if (detail := check(eojeol, rules))
            ],
            size=48_000,
        )

    def __call__(self, frames: list[Frame]) -> tuple[list[Incident], Outcome]:
        incidents: list[Incident] = []
        outcome = Outcome()
        for frame in frames:
            found = [*self._check(frame, outcome)]
            # As they stand in the file.
            found.sort(key=lambda incident: incident.line)
            incidents += found
            if outcome.stopped:
                break
        return incidents, outcome

    def _check(self, frame: Frame, outcome: Outcome) -> Iterator[Incident]:
        path = self._validation.path
        yield from self._check_lines(frame)
        incidents: list[Incident] = []
        read = Report(incidents.append)
        sentences = list(self._reader.read([frame], path, "skip", read))
        yield from [found for found in incidents if self._validation.selected(found.code)]
        if read.errors and self._validation.on_error == "stop":
            outcome.stopped = True
            return
        for sentence in sentences:
            outcome.sentences += 1
            outcome.eojeols += len(sentence.eojeols)
            yield from self._check_eojeols(frame, sentence)
            if self._blocks:
                block = Block(frame, sentence, self._scheme)
                for code, message, check in self._blocks:
                    for line, detail, token in check(block):
                        said = f"{message}: {detail}" if detail else message
                        place = (path, line or frame.line, 0, frame.sent_id, token)
                        yield Incident(code, said, *place)

    def _check_lines(self, frame: Frame) -> Iterator[Incident]:
        for code, message, check in self._lines:
            if check(frame.text):
                for line, text in enumerate(frame.text.split("\n"), frame.line):
                    if detail := check(text):
                        path = self._validation.path
                        yield Incident(code, f"{message}: {detail}", path, line, 0, frame.sent_id)

    def _check_eojeols(self, frame: Frame, sentence: Sentence) -> Iterator[Incident]:
        notes = self._notes
        found = [
            (at, code, said)
            for at, eojeol in enumerate(sentence.eojeols)
            for code, said in notes[eojeol]
        ]
        for code, message, check in self._sentences:
            found += [(at, code, f"{message}: {detail}") for at, detail in check(frame, sentence)]
        for at, code, said in found:
            line = self._reader.line_of(frame, at)
            path = self._validation.path
            yield Incident(code, said, path, line, 0, frame.sent_id, str(at + 1))


_work: _Work | None = None


def _begin(validation: Validation) -> None:
    global _work
    _work = _Work(validation)


def _run(frames: list[Frame]) -> tuple[list[Incident], Outcome]:
    assert _work is not None
    return _work(frames)


class _Layout:
    """Watches a CoNLL-U file go by for what is between its sentences."""

    def __init__(self) -> None:
        self.blanks: list[int] = []
        """Lines that are blank and should not be there."""
        self.ends_blank = True
        self.lines = 0
        self._after_blank = True

    def watch(self, chunks: Iterable[str]) -> Iterator[str]:
        """The chunks, looked at."""
        for chunk in chunks:
            self._look(chunk)
            yield chunk

    def _look(self, chunk: str) -> None:
        opening = chunk[:1] in ("\n", " ", "\t")
        if not opening and not _SURPLUS.search(chunk):
            # Nearly every chunk: nothing in it to look at line by line.
            self.lines += chunk.count("\n") + (not chunk.endswith("\n"))
            self._after_blank = chunk.endswith("\n\n")
        else:
            for line in chunk.split("\n")[: None if not chunk.endswith("\n") else -1]:
                self.lines += 1
                blank = not line.strip()
                if blank and (line or self._after_blank):
                    self.blanks.append(self.lines)
                self._after_blank = blank
        self.ends_blank = self._after_blank


_SURPLUS = re.compile(r"\n[^\S\n]*\n[^\S\n]*\n|\n[^\S\n]+(?:\n|\Z)")


def validate(validation: Validation, source: Source, report: Report, *, jobs: int = 1) -> Outcome:
    """Validate all of a source, in constant memory and in order.

    Args:
        validation: what to look for.
        source: where from.
        report: what is told of everything that is found.
        jobs: how many processes; 0 as many as there are processors.

    Raises:
        UsageError: no such scheme.
    """
    Scheme(load(validation.rules), validation.upos, validation.lemmas)
    layout = _Layout()
    outcome = Outcome()

    def add_layout() -> None:
        if validation.selected("W217"):
            for line in layout.blanks:
                report.add(Incident("W217", LAYOUT["W217"], validation.path, line))
        layout.blanks.clear()

    reader = validation.make_reader()
    chunks = reader.text_of(source)
    frames = reader.frame(layout.watch(chunks) if validation.reader == "conllu" else chunks)
    try:
        for incidents, part in ordered_map(
            _run,
            batches(frames, lambda frame: len(frame.text)),
            jobs,
            initializer=_begin,
            initargs=(validation,),
        ):
            report.extend(incidents)
            add_layout()
            outcome.add(part)
            if outcome.stopped:
                return outcome
    except FormatError as error:
        incident = error.at(path=validation.path, line=0).incident()
        if validation.selected(incident.code):
            report.add(incident)
    add_layout()
    if not layout.ends_blank and validation.selected("E208"):
        report.add(Incident("E208", LAYOUT["E208"], validation.path, layout.lines))
    return outcome
