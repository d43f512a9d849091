"""Validation: the incidents that the readers report, and those that the checks find.

All are `Incident`s with a stable code; `codes` lists them. A file is read to its end, whatever is
in it, in constant memory.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sejongud.converters.jobs import Conversion
from sejongud.errors import AREAS, CODES, FormatError, Incident, OnError, Report, UsageError
from sejongud.formats.conllu import ConlluReader
from sejongud.memo import Memo
from sejongud.pipeline import ordered_batches
from sejongud.rules import load
from sejongud.validation.checks import (
    CONLLU_CHECKS,
    EOJEOL_CHECKS,
    LINE_CHECKS,
    OF_LEMMAS,
    OF_UPOS,
    SENTENCE_CHECKS,
    CheckedBlock,
    Scheme,
    message_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sejongud.files import Source
    from sejongud.formats.base import Block, Reader
    from sejongud.model import Eojeol, Sentence

LAYOUT = {
    "W217": "a blank line too many, or one with blanks in it",
    "E208": "no blank line behind the last sentence",
}
"""Codes of the blank lines of a CoNLL-U file."""

WAY_BACK = "E901"
"""The code of a sentence that comes back changed (`sejongud.validation.round_trip`)."""


def codes() -> dict[str, str]:
    """Return all codes with their meanings, sorted: by area, errors before warnings.

    >>> codes()["W106"]
    'the morphemes explain only a part of the form'
    """
    meanings = CODES | LAYOUT | {WAY_BACK: "a sentence that comes back changed from a conversion"}
    for checks in (LINE_CHECKS, EOJEOL_CHECKS, SENTENCE_CHECKS, CONLLU_CHECKS):
        meanings |= {code: message_of(check) for code, check in checks.items()}
    return dict(sorted(meanings.items(), key=lambda pair: (pair[0][1], pair[0])))


def table() -> str:
    """Return the codes as a table, one area after the other."""
    meanings = codes()
    areas = {code[1]: "" for code in meanings}
    for code, meaning in meanings.items():
        areas[code[1]] += f"\n  {code}  {meaning}"
    return "\n\n".join([AREAS[area] + lines for area, lines in areas.items()])


@dataclass(frozen=True)
class Validation:
    """The options of a validation; made once, used in every process.

    Args:
        reader: the name of the input format.
        select: the beginnings of the codes to report; () for all.
        on_error: for a sentence that cannot be read: "stop" ends the validation, "skip" reports the
            error only, "keep" checks the parts that can be read as well.
        upos: the UPOS scheme that CoNLL-U is compared with; None compares no UPOS.
        lemmas: the lemma scheme likewise.
        rules: the user's tables.
        path: of the file, for the incidents.

    Raises:
        UsageError: no code begins with an item of `select`.
    """

    reader: str
    select: tuple[str, ...] = ()
    on_error: OnError = "keep"
    upos: str | None = None
    lemmas: str | None = None
    rules: str | None = None
    path: str = "-"

    def __post_init__(self) -> None:
        legal = codes()
        for prefix in self.select:
            if not any(code.startswith(prefix) for code in legal):
                raise UsageError(f"no code begins with {prefix!r}; --help lists them")
        for code, option, scheme in (
            (OF_UPOS, "--upos", self.upos),
            (OF_LEMMAS, "--lemmas", self.lemmas),
        ):
            if code in self.select and scheme is None:
                raise UsageError(f"{code} compares with a scheme: name it with {option}")

    def selected(self, code: str) -> bool:
        """Return whether a code is to be reported."""
        if (code == OF_UPOS and self.upos is None) or (code == OF_LEMMAS and self.lemmas is None):
            return False
        return not self.select or code.startswith(self.select)

    def make_reader(self) -> Reader:
        """Make the reader."""
        return Conversion(self.reader, on_error=self.on_error, rules=self.rules).make_reader()

    def chosen(self, checks: Mapping[str, Callable[..., Any]]) -> list[tuple[str, str, Any]]:
        """Return the selected checks of a table: code, message, function."""
        return [(c, message_of(check), check) for c, check in checks.items() if self.selected(c)]


@dataclass
class Outcome:
    """The result of a validation.

    Args:
        sentences: the number of sentences that could be read.
        eojeols: the number of their eojeols.
        stopped: whether an error ended the validation.
        line: the first line of the last sentence, 0 if there is none.
    """

    sentences: int = 0
    eojeols: int = 0
    stopped: bool = False
    line: int = 0

    def add(self, later: Outcome) -> None:
        """Add the outcome of a later part."""
        self.sentences += later.sentences
        self.eojeols += later.eojeols
        self.stopped |= later.stopped
        self.line = later.line or self.line


class Checker:
    """Reads and checks the sentences of a file, each by itself.

    Args:
        validation: the options.

    Raises:
        UsageError: there is no such scheme.
    """

    def __init__(self, validation: Validation) -> None:
        rules = load(validation.rules)
        self._validation = validation
        self.reader = validation.make_reader()
        self._lines = validation.chosen(LINE_CHECKS)
        self._sentences = validation.chosen(SENTENCE_CHECKS)
        self._blocks = validation.chosen(CONLLU_CHECKS)
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

    def __call__(self, blocks: Iterable[Block]) -> tuple[list[Incident], Outcome]:
        """Check sentences.

        Returns:
            Their incidents, those of a sentence sorted by line; and the outcome.
        """
        incidents: list[Incident] = []
        outcome = Outcome()
        for block in self.reader.prepare(blocks):
            incidents += sorted(self._check(block, outcome), key=lambda incident: incident.line)
            outcome.line = block.line
            if outcome.stopped:
                break
        return incidents, outcome

    def _check(self, block: Block, outcome: Outcome) -> Iterator[Incident]:
        """Yield the incidents of a sentence, and add it to the outcome."""
        validation = self._validation
        incidents: list[Incident] = []
        report = Report(incidents.append)
        found = self.reader.pair(block, validation.path, "skip", report)
        yield from self._check_lines(block)
        yield from [incident for incident in incidents if validation.selected(incident.code)]
        if report.errors and validation.on_error == "stop":
            outcome.stopped = True
            return
        if found is not None:
            _, sentence = found
            outcome.add(Outcome(1, len(sentence.eojeols)))
            yield from self._check_eojeols(block, sentence)
            yield from self._check_words(block, sentence)

    def _check_lines(self, block: Block) -> Iterator[Incident]:
        for code, message, check in self._lines:
            if check(block.text):
                for line, text in enumerate(block.text.split("\n"), block.line):
                    if detail := check(text):
                        yield self._incident(block, code, f"{message}: {detail}", line)

    def _check_eojeols(self, block: Block, sentence: Sentence) -> Iterator[Incident]:
        notes = self._notes
        faults = [
            (i, code, detail)
            for i, eojeol in enumerate(sentence.eojeols)
            for code, detail in notes[eojeol]
        ]
        for code, message, check in self._sentences:
            faults += [(i, code, f"{message}: {detail}") for i, detail in check(block, sentence)]
        for n, code, detail in faults:
            yield self._incident(block, code, detail, self.reader.line_of(block, n), str(n + 1))

    def _check_words(self, block: Block, sentence: Sentence) -> Iterator[Incident]:
        if not isinstance(self.reader, ConlluReader):
            return
        checked = CheckedBlock(block, self.reader.rows(block), sentence, self._scheme)
        for code, message, check in self._blocks:
            for line, detail, token in check(checked):
                text = f"{message}: {detail}" if detail else message
                yield self._incident(block, code, text, line or block.line, token)

    def _incident(
        self, block: Block, code: str, message: str, line: int, token: str = ""
    ) -> Incident:
        return Incident(code, message, self._validation.path, line, 0, block.sent_id, token)


class _BlankLines:
    """Finds the faults of the blank lines of a CoNLL-U file, from its text as it goes by."""

    def __init__(self) -> None:
        self.blanks: list[int] = []
        """The numbers of blank lines that should not be there."""
        self.ends_blank = True
        self.lines = 0

    def watch(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the chunks, and look at them."""
        for chunk in chunks:
            for line in chunk.removesuffix("\n").split("\n"):
                self.lines += 1
                blank = not line or line.isspace()
                if blank and (line or self.ends_blank):
                    self.blanks.append(self.lines)
                self.ends_blank = blank
            yield chunk


def validate(
    validation: Validation,
    source: Source,
    report: Report,
    *,
    jobs: int = 1,
    checker: Checker | None = None,
) -> Outcome:
    """Validate a source, in constant memory and in order.

    Args:
        validation: the options.
        source: the file.
        report: receives all incidents.
        jobs: the number of processes; 0 for as many as there are processors.
        checker: works in this process; its reader may be used again.

    Raises:
        UsageError: there is no such scheme.
    """
    checker = checker or Checker(validation)  # Wrong usage is an error before any process begins.
    layout = _BlankLines()
    outcome = Outcome()

    def add(code: str, line: int) -> None:
        if validation.selected(code):
            report.add(Incident(code, LAYOUT[code], validation.path, line))

    def add_blanks(before: float) -> None:
        """Report the blank lines before a line; several processes read far ahead of it."""
        count = bisect_left(layout.blanks, before)
        for line in layout.blanks[:count]:
            add("W217", line)
        del layout.blanks[:count]

    def add_all(incidents: Iterable[Incident]) -> None:
        for incident in incidents:
            add_blanks(incident.line)
            report.add(incident)

    reader = checker.reader
    is_conllu = validation.reader == "conllu"
    watched = layout.watch(reader.text_of(source))
    blocks = reader.blocks(watched) if is_conllu else reader.blocks_of(source)
    jobs = 1 if reader.in_order else jobs
    make = partial(Checker, validation)
    last: list[Incident] = []
    try:
        for incidents, part in ordered_batches(make, blocks, jobs=jobs, work=checker):
            add_all(incidents)
            add_blanks(part.line)
            outcome.add(part)
            if outcome.stopped:
                return outcome
        reader.finish(validation.path, Report(last.append))
    except FormatError as error:
        last.append(error.at(path=validation.path, line=0).incident())
    add_all([incident for incident in last if validation.selected(incident.code)])
    add_blanks(math.inf)
    if not layout.ends_blank:
        add("E208", layout.lines)
    return outcome
