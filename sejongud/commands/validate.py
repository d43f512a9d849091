"""The command `validate`."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Any

from sejongud.commands import (
    guard_files,
    logged,
    no_corpus,
    open_input,
    open_output,
    say,
    say_format,
    say_skipped,
    settings_of,
)
from sejongud.errors import FormatError, Incident, Report, UsageError
from sejongud.files import Source, file_ending, progress
from sejongud.formats import FORMATS, Detection, recognise, resolve
from sejongud.formats.finding import input_files
from sejongud.layers.places import first_difference
from sejongud.terminal import clean, clip, counted, display_width, json_text, pad, table
from sejongud.validation import WAY_BACK, Outcome, Validation, codes
from sejongud.validation import table as codes_table
from sejongud.validation import validate as validated
from sejongud.validation.round_trip import Difference, RoundTrips, TripResult
from sejongud.validation.trips import left_out

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator

    from tqdm import tqdm


# --- validate -------------------------------------------------------------------------------------


_CELL = 44
"""The width of a cell that comes back changed, in cells of the terminal."""


def epilog() -> str:
    """Return the codes, for the end of the help."""
    return f"codes:\n\n{codes_table()}"


def validate(args: Namespace) -> int:
    """Check a corpus: format, tags, alignment, annotation, and round trips through all conversions.

    Incidents go to standard output, one a line: `path:line: CODE message [sent_id token]`. Every format
    that can be read can be checked. Columns of CoNLL-U are compared with what this program writes, UPOS
    and LEMMA if --upos and --lemmas name a scheme. Codes are stable: E is an error and makes the exit
    status 1, W is worth a look, I is information.

    --roundtrip makes every conversion of the format, there and back, and compares the result to the
    byte: Sejong text from CoNLL-U of all five levels, CoNLL-U from JSON Lines of all five levels, our
    own CoNLL-U and JSON Lines, corpora of entities (ner; --from names them as well), treebanks (dep). A
    table counts the sentences that come back as they were, and shows the first line that comes back
    changed beside the original. --select E9 makes the round trips only. IN may be a folder: all files
    in it that look like a corpus are checked.
    """
    if args.to == "github" and "-" in (args.inputs or "-"):
        raise UsageError("annotations stand at the lines of files: name files or folders")
    skipped: dict[str, str] = {}
    files: Iterable[str] = _files(args, skipped)
    if args.report or args.output != "-":
        guard_files(args, files := list(files))
    with (
        open_output(args) as out,
        redirect_stdout(out),
        logged(args, _shower(args)) as report,
    ):
        found = _Run(args, report)
        for path in files:
            found.add(path)
            if found.total.stopped:
                break
        if found.bar is not None:
            found.bar.close()
        if args.to == "json":
            print(json_text(found.counts(skipped)))
        elif args.roundtrip:
            sys.stdout.writelines([clean(text, "\n") for text in _as_table(found.results)])
    if not args.quiet:
        found.sum_up(skipped)
    return 1 if report.errors or found.failed else 0


def _files(args: Namespace, skipped: dict[str, str]) -> Iterator[str]:
    """Yield the files that are checked; `skipped` gets the others, each with the reason.

    Raises:
        UsageError: there is none.
    """
    is_empty = True
    for file in input_files(args.inputs, None, skipped):
        is_empty = False
        yield file.path
    # Whoever names a file so means CoNLL-U, however damaged it is.
    endings = FORMATS["conllu"].endings
    for path in [path for path in skipped if file_ending(path) in endings]:
        del skipped[path]
        is_empty = False
        yield path
    if is_empty:
        say_skipped(args, skipped)
        raise no_corpus(args.inputs)


@dataclass
class _Run:
    """The validation of all inputs, and its results so far.

    Raises:
        UsageError: `--morphemes` are given for several inputs; `--select` names no code.
    """

    args: Namespace
    report: Report
    results: list[TripResult] = field(default_factory=list)
    bar: tqdm[Any] | None = None

    def __post_init__(self) -> None:
        self.total = Outcome()
        self._select = tuple([code for code in (self.args.select or "").split(",") if code])
        options = settings_of(self.args, Validation) | {"select": self._select}
        self._selected = Validation("", **options).selected
        # --select may ask for the round trips only.
        self._checks = any([self._selected(code) for code in codes() if code != WAY_BACK])
        if self.args.morphemes is not None and len(self.args.inputs) > 1:
            raise UsageError("--morphemes takes the morphemes of one input, not of several")

    @property
    def failed(self) -> int:
        """The number of round trips that failed."""
        return len([result for result in self.results if not result.ok])

    def add(self, path: str) -> None:
        """Validate a file."""
        if self.args.roundtrip:
            self._make_trips(path)
            return
        with open_input(self.args, path) as source:
            self._check(source, recognise(self.args.from_, source.head()))

    def _make_trips(self, path: str) -> None:
        """Validate a file, and make its round trips."""
        args = self.args
        with RoundTrips(path, **settings_of(args, RoundTrips)) as trips:
            try:
                found = trips.format
            except (FormatError, OSError):
                found = None  # The result of its trips has the reason.
            # The trips of a corpus report what is read.
            is_corpus = found is None or found.is_entities or found.is_frames
            if self._checks and found is not None and not is_corpus:
                with trips.open() as source:
                    self._check(source, found)
                if self.total.stopped:
                    return
            for result in trips.check_all(Report(self._tell), jobs=args.jobs):
                self.results.append(result)
                self._show(result)
            if found is not None and not args.quiet and (why := left_out(found.name, trips.trips)):
                say(f"{path}: {why}")

    def _tell(self, incident: Incident) -> None:
        if self._selected(incident.code):
            self.report.add(incident)

    def _check(self, source: Source, found: Detection) -> None:
        """Report the incidents of a file."""
        args = self.args
        say_format(args, source.path, found)
        name = resolve(found.spec, source.head(), source.path, args.rules)
        own = {"select": self._select, "path": source.path}
        validation = Validation(name, **settings_of(args, Validation) | own)
        self.total.add(validated(validation, source, self.report, jobs=args.jobs))

    def _show(self, result: TripResult) -> None:
        """Write a result in JSON, or show the progress."""
        if self.args.to == "json":
            print(json_text(result.to_dict()))
        elif self.args.progress and not self.args.quiet:
            self.bar = self.bar or progress(None, "there and back", " conversions")
            if self.bar is not None:
                self.bar.update(1)

    def counts(self, skipped: dict[str, str]) -> dict[str, object]:
        """Return the counts as a JSON object."""
        counts: dict[str, object] = {
            "sentences": self.total.sentences,
            "eojeols": self.total.eojeols,
            "counts": dict(sorted(self.report.counts.items())),
        }
        if self.args.roundtrip:
            counts |= {"trips": len(self.results), "differing": self.failed}
        return counts | ({"skipped": skipped} if skipped else {})

    def sum_up(self, skipped: dict[str, str]) -> None:
        """Write the count and the meaning of each code to standard error."""
        sys.stdout.flush()
        known = codes()
        say_skipped(self.args, skipped)
        for code, times in sorted(self.report.counts.items()):
            say(f"{times:>9,}  {code}  {known.get(code, '')}")
        total = self.total
        # The sentences of corpora stand in the table of their trips.
        if not self.args.roundtrip or (self._checks and total.sentences):
            errors = self.report.errors
            sizes = {"sentence[s]": total.sentences, "eojeol[s]": total.eojeols, "error[s]": errors}
            say(", ".join([counted(number, what) for what, number in sizes.items()]))
        if self.args.roundtrip:
            files = len({result.path for result in self.results})
            made = len(self.results)
            said = f"{counted(files, 'file[s]')}, {counted(made, 'conversion[s] there and back')}"
            say(f"{said}, {counted(self.failed, 'differ[s|]')}")


def _shower(args: Namespace) -> Callable[[Incident], None]:
    """Return a function that shows incidents on standard output."""
    shown = Counter[str]()
    most = 0 if args.verbose else args.limit

    def show(incident: Incident) -> None:
        if args.to == "json":
            print(incident.to_json())
            return
        text = incident.to_github() if args.to == "github" else str(incident)
        shown[incident.code] += 1
        times = shown[incident.code]
        if not most or times <= most:
            sys.stdout.write(clean(text, "\t") + "\n")
        elif times == most + 1 and not args.quiet:
            say(f"(more of {incident.code} are counted and not shown; --limit 0 shows them)")

    return show


# --- the table of round trips ---------------------------------------------------------------------

_HEADER = ("conversion", "sentences", "identical", "words", "helped", "", "file")


def _as_table(results: list[TripResult]) -> Iterator[str]:
    """Yield the counts of all round trips, then the first difference of each that failed."""
    groups = [list(some) for _, some in groupby(results, _said)]
    named = [(_name(group), group[0]) for group in groups]
    yield table([_cells(name, first) for name, first in named], header=_HEADER, align="lrrrrrl")
    for name, first in named:
        if not first.ok:
            yield f"\n{name}, {first.path}\n"
            if first.error:
                yield "".join([f"  {line}\n" for line in first.error.split("\n")])
            if first.first is not None:
                yield from _side_by_side(first.first)


def _said(result: TripResult) -> tuple[object, ...]:
    """Return the cells by which equal results share a row: all but the end of the name."""
    return *_cells("", result), _stem(result), result.first, result.error


def _cells(name: str, result: TripResult) -> tuple[str, ...]:
    """Return a row of the table."""
    mark = "" if result.ok else "error" if result.error else "differs"
    counts = (result.sentences, result.identical, result.words)
    helped = f"{result.helped:,}" if result.helped else ""
    return name, *[f"{count:,}" for count in counts], helped, mark, result.path


def _stem(result: TripResult) -> str:
    return result.trip.name.rpartition(" ")[0]


def _name(group: list[TripResult]) -> str:
    """Return the name of equal results: `sejong level 1-5`, `dep word2morph morphud, ud`."""
    ends = [result.trip.name.rpartition(" ")[2] for result in group]
    if len(ends) == 1:
        return group[0].trip.name
    joined = f"{ends[0]}-{ends[-1]}" if ends[0].isdigit() else ", ".join(ends)
    return f"{_stem(group[0])} {joined}"


def _side_by_side(difference: Difference) -> Iterator[str]:
    """Yield the cells of a line before and after the trip; a mark shows the one that differs."""
    place = f"line {difference.line}" if difference.line else "not in the file"
    yield f"  {place}{f' [{difference.sent_id}]' if difference.sent_id else ''}\n"
    ours, theirs = (
        [] if line is None else line.split("\t") if line else ["(a blank line)"]
        for line in (difference.expected, difference.got)
    )
    rows = [
        (
            "expected" if ours else "expected: no line",
            "came back" if theirs else "came back: no line",
        ),
        *[_clipped(*pair) for pair in zip_longest(ours, theirs, fillvalue="")],
    ]
    width = max([display_width(one) for one, _ in rows])
    for number, (one, other) in enumerate(rows):
        mark = ">" if number == difference.column else " "
        yield f"  {mark}{number or '':>3} {pad(one, width)} | {other}".rstrip() + "\n"


def _clipped(one: str, other: str) -> tuple[str, str]:
    """Return two cells as they are shown: long ones around their first difference."""
    one, other = (cell.replace("\n", "⏎") for cell in (one, other))
    if max(display_width(one), display_width(other)) <= _CELL:
        return one, other
    start = 0 if one == other else max(0, first_difference(one, other) - _CELL // 4)
    return clip(one, _CELL, start), clip(other, _CELL, start)
