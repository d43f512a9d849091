"""Check a corpus: format, tags, alignment, annotation, and whether nothing is lost on the way back.

What is found goes to standard output, a line each, `path:line: CODE message [sent_id token]`. All
formats that can be read can be checked; of CoNLL-U every column is looked at, as this program
would have written it (--upos and --lemmas name the schemes it should be in). A code is stable: E is
an error and makes the exit status 1, W is worth a look, I is information.

With --roundtrip every conversion that the format has is made, there and back, and what comes back
compared to the byte: Sejong text from CoNLL-U of all five levels, our own CoNLL-U and JSON Lines,
corpora of entities (ner; --from names them as well), treebanks (dep). A table tells how many
sentences came back as they were; of what did not, the first line is shown beside what it was. With
--select E9 nothing else is checked. IN may be a folder: the files in it that look like a corpus.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, count, guard_report, open_input, say
from sejongud.errors import Report, UsageError, json_lines
from sejongud.files import atomic_output, progress
from sejongud.formats import ENTITY_FORMATS, READERS, recognise

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.errors import Incident
    from sejongud.files import Progress, Source
    from sejongud.validation.round_trip import Difference, TripResult
    from sejongud.validation.validate import Outcome

__all__ = ["register", "run"]

_SHOWN = 20
"""How many incidents of one code are shown."""
_CELL = 44
"""How wide a cell is shown that does not come back, in columns of a terminal."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; the codes stand at the end of the help."""
    from sejongud.validation.validate import table

    parser.add_argument(
        "inputs",
        metavar="IN",
        nargs="*",
        default=["-"],
        help="input files and folders; - or nothing: stdin",
    )
    parser.add_argument(
        "--from",
        dest="from_",
        metavar="NAME",
        help=f"format of the input: {', '.join(READERS)}; with --roundtrip also"
        f" NAME[:SETTINGS] of {', '.join(ENTITY_FORMATS)}",
    )
    parser.add_argument(
        "--select", metavar="CODES", default="", help="only codes that begin so: E,W305"
    )
    parser.add_argument(
        "--roundtrip", action="store_true", help="see that nothing is lost, there and back"
    )
    parser.add_argument(
        "--morphemes",
        metavar="FILE",
        help="with --roundtrip of entities: the same sentences with their morphemes; else Kiwi"
        " analyses",
    )
    parser.add_argument(
        "--max",
        metavar="N",
        type=count,
        default=_SHOWN,
        help="lines of one code (%(default)s); 0: all",
    )
    parser.add_argument(
        "--json", action="store_true", help="all of it, one JSON object a line; then the counts"
    )
    schemes = parser.add_argument_group("what CoNLL-U is compared with")
    schemes.add_argument(
        "--upos", metavar="SCHEME", default="sejong", help="sejong, table3.1, ud, morphud"
    )
    schemes.add_argument(
        "--lemmas", metavar="SCHEME", default="normalised", help="normalised, morphud, form"
    )
    add_common_options(parser)
    # A validator reads on, and says all there is to say.
    parser.set_defaults(on_error="keep")
    parser.epilog = f"codes:\n\n{table()}"


def run(args: argparse.Namespace) -> int:
    """Validate the inputs, one after another.

    Returns:
        1 if there was an error, or something did not come back as it was.

    Raises:
        UsageError: `--report` is one of the files that a folder has; see also `_Run`.
    """
    from contextlib import nullcontext

    skipped: list[tuple[str, str]] = []
    files: Iterable[str] = _files(args, skipped)
    if args.report:
        guard_report(args, files := list(files))
    file = atomic_output(args.report) if args.report else nullcontext(None)
    with file as stream:
        report = Report(_sink(args, json_lines(stream) if stream else None))
        found = _Run(args, report, skipped)
        for path in files:
            found.add(path)
            if found.total.stopped:
                break
        found.end()
    if args.json:
        found.print_json()
    elif args.roundtrip:
        sys.stdout.writelines(_as_table(found.results))
    if not args.quiet:
        found.sum_up()
    return 1 if report.errors or found.failed else 0


def _files(args: argparse.Namespace, skipped: list[tuple[str, str]]) -> Iterator[str]:
    """The files that are named, and those in the folders that are.

    Args:
        args: the arguments of the command.
        skipped: what files of folders are put into that are not read, with why.
    """
    for path in args.inputs:
        if path == "-" or not Path(path).is_dir():
            yield path
            continue
        from sejongud.validation.round_trip import RoundTrips, find_files

        for name, why in find_files(path):
            if not why and not args.roundtrip and RoundTrips(name).format.is_entities:
                why = "a corpus of entities: see sejongud ner check, or --roundtrip"
            if why:
                skipped.append((name, why))
            else:
                yield name


@dataclass
class _Run:
    """What is validated, and what came of it so far."""

    args: argparse.Namespace
    report: Report
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Files of folders that were not read, with why."""
    results: list[TripResult] = field(default_factory=list)

    def __post_init__(self) -> None:
        from sejongud.validation.validate import WAY_BACK, Outcome, Validation, codes

        self.total: Outcome = Outcome()
        self._select = tuple([code for code in self.args.select.split(",") if code])
        self._selected = Validation("", self._select).selected
        # What is asked for may be the way back alone.
        self._checks = any([self._selected(code) for code in codes() if code != WAY_BACK])
        self._bar: Progress | None = None
        if self.args.morphemes is not None and len(self.args.inputs) > 1:
            raise UsageError("--morphemes are those of one input")

    @property
    def failed(self) -> int:
        """How many conversions did not bring back what was there."""
        return len([result for result in self.results if not result.ok])

    def add(self, path: str) -> None:
        """Validate a file."""
        if self.args.roundtrip:
            self._there_and_back(path)
            return
        with open_input(self.args, path) as source:
            found = recognise(self.args.from_, source.head())
            if found.is_entities:
                raise UsageError(
                    f"{source.path} is a corpus of named entities ({found.name}): use --roundtrip"
                    " or `sejongud ner check`"
                )
            self._check(source, found.name)

    def _there_and_back(self, path: str) -> None:
        """Validate a file, and make its round trips."""
        from sejongud.errors import FormatError
        from sejongud.validation.round_trip import Options, RoundTrips

        args = self.args
        options = Options(args.from_, args.on_error, args.rules, args.encoding, args.morphemes)
        with RoundTrips(path, options) as trips:
            try:
                name, _ = trips.format
            except (FormatError, OSError):
                name = ""  # Its trips say why.
            if self._checks and name in READERS:
                with trips.open() as source:
                    self._check(source, name)
                if self.total.stopped:
                    return
            told = Report(self._tell)
            for result in trips.check_all(told, jobs=args.jobs):
                self.results.append(result)
                self._show(result)

    def _tell(self, incident: Incident) -> None:
        if self._selected(incident.code):
            self.report.add(incident)

    def _check(self, source: Source, name: str) -> None:
        """Look for all that has a code."""
        from sejongud.validation.validate import Validation, validate

        args = self.args
        if args.from_ is None and not args.quiet:
            say(f"{source.path}: read as {name} (--from says otherwise)")
        validation = Validation(
            name,
            select=self._select,
            on_error=args.on_error,
            upos=args.upos,
            lemmas=args.lemmas,
            rules=args.rules,
            path=source.path,
        )
        self.total.add(validate(validation, source, self.report, jobs=args.jobs))

    def _show(self, result: TripResult) -> None:
        """Say how far the work is, or in JSON what came of it."""
        if self.args.json:
            print(json.dumps(result.to_dict(), ensure_ascii=False))
        elif self.args.progress and not self.args.quiet:
            self._bar = self._bar or progress(None, "there and back", " conversions")
            if self._bar is not None:
                self._bar.update(1)

    def end(self) -> None:
        """Take the progress bar away."""
        if self._bar is not None:
            self._bar.close()

    def print_json(self) -> None:
        """The counts."""
        counts: dict[str, object] = {
            "sentences": self.total.sentences,
            "eojeols": self.total.eojeols,
            "counts": dict(sorted(self.report.counts.items())),
        }
        if self.args.roundtrip:
            counts["trips"] = len(self.results)
            counts["differing"] = self.failed
        if self.skipped:
            counts["skipped"] = dict(self.skipped)
        print(json.dumps(counts, ensure_ascii=False))

    def sum_up(self) -> None:
        """Say on standard error how often each code occurred, and what it is."""
        from sejongud.validation.validate import codes

        sys.stdout.flush()
        known = codes()
        for path, why in self.skipped:
            say(f"{path}: skipped: {why}")
        for code in sorted(self.report.counts):
            say(f"{self.report.counts[code]:>9,}  {code}  {known.get(code, '')}")
        total = self.total
        if self._checks or not self.args.roundtrip:
            errors = self.report.errors
            say(f"{total.sentences:,} sentences, {total.eojeols:,} eojeols, {errors:,} errors")
        if self.args.roundtrip:
            files = len({result.path for result in self.results})
            made = len(self.results)
            say(f"{files:,} files, {made:,} conversions there and back, {self.failed:,} differ")


def _sink(
    args: argparse.Namespace, write: Callable[[Incident], None] | None
) -> Callable[[Incident], None]:
    """What shows an incident on standard output and writes it to the report."""
    shown: dict[str, int] = {}
    most = 0 if args.verbose else args.max
    out = json_lines(sys.stdout)

    def sink(incident: Incident) -> None:
        if write is not None:
            write(incident)
        if args.json:
            out(incident)
            return
        times = shown[incident.code] = shown.get(incident.code, 0) + 1
        if not most or times <= most:
            sys.stdout.write(f"{incident}\n")
        elif times == most + 1 and not args.quiet:
            say(f"(more of {incident.code} are counted and not shown; --max 0 shows them)")

    return sink


# --- the table of round trips --------------------------------------------------------------------


def _as_table(results: list[TripResult]) -> Iterator[str]:
    """The counts of all round trips, and of those that fail the first difference."""
    groups = _groups(results)
    names = [_name(group) for group in groups]
    width = max([len("conversion"), *map(len, names)])
    yield (
        f"{'conversion':<{width}} {'sentences':>10} {'identical':>10} {'words':>10} {'helped':>7}"
        "         file\n"
    )
    for name, (first, *_) in zip(names, groups, strict=True):
        mark = "" if first.ok else "error" if first.error else "differs"
        helped = f"{first.helped:,}" if first.helped else ""
        yield (
            f"{name:<{width}} {first.sentences:>10,} {first.identical:>10,} {first.words:>10,}"
            f" {helped:>7} {mark:>7} {first.path}\n"
        )
    for name, (first, *_) in zip(names, groups, strict=True):
        if not first.ok:
            yield f"\n{name}, {first.path}\n"
            if first.error:
                yield "".join([f"  {line}\n" for line in first.error.split("\n")])
            if first.first is not None:
                yield from _side_by_side(first.first)


def _groups(results: list[TripResult]) -> list[list[TripResult]]:
    """Results in a row that say the same of different levels, or of different schemes."""
    groups: list[list[TripResult]] = []
    for result in results:
        if groups and _said(groups[-1][0]) == _said(result):
            groups[-1].append(result)
        else:
            groups.append([result])
    return groups


def _said(result: TripResult) -> tuple[object, ...]:
    """What a row of the table says, but for the end of its name."""
    counts = (result.sentences, result.identical, result.words, result.helped)
    return result.path, _stem(result), *counts, result.first, result.error


def _stem(result: TripResult) -> str:
    return result.trip.name.rpartition(" ")[0]


def _name(group: list[TripResult]) -> str:
    """The name of a row: `sejong level 1-5`, `dep word2morph morphud, ud`."""
    ends = [result.trip.name.rpartition(" ")[2] for result in group]
    if len(ends) == 1:
        return group[0].trip.name
    joined = f"{ends[0]}-{ends[-1]}" if ends[0].isdigit() else ", ".join(ends)
    return f"{_stem(group[0])} {joined}"


def _side_by_side(difference: Difference) -> Iterator[str]:
    """The cells of a line as it was and as it came back; the one that differs is marked."""
    place = f"line {difference.line}" if difference.line else "not in the file"
    yield f"  {place}{f' [{difference.sent_id}]' if difference.sent_id else ''}\n"
    ours, theirs = (
        [] if line is None else line.split("\t") if line else ["(a blank line)"]
        for line in (difference.expected, difference.got)
    )
    pairs = [
        _clipped(ours[n] if n < len(ours) else "", theirs[n] if n < len(theirs) else "")
        for n in range(max(len(ours), len(theirs)))
    ]
    headings = (
        "expected" if ours else "expected: no line",
        "came back" if theirs else "came back: no line",
    )
    width = max([_width(one) for one, _ in [headings, *pairs]])
    for number, (one, other) in enumerate([headings, *pairs]):
        mark = ">" if number == difference.column else " "
        label = str(number) if number else ""
        yield f"  {mark}{label:>3} {one}{' ' * (width - _width(one))} | {other}".rstrip() + "\n"


def _clipped(one: str, other: str) -> tuple[str, str]:
    """Two cells as they are shown: about where they differ, if they are long."""
    one, other = (cell.replace("\n", "⏎") for cell in (one, other))
    if max(map(_width, (one, other))) <= _CELL:
        return one, other
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), -1)
    if at < 0:
        at = 0 if one == other else min(len(one), len(other))
    start = max(0, at - _CELL // 4)
    return _window(one, start), _window(other, start)


def _window(text: str, start: int) -> str:
    """A piece of a text, as wide as a cell may be."""
    before = "…" if start else ""
    shown = ""
    for at in range(start, len(text)):
        if _width(before + shown + text[at]) >= _CELL:
            return f"{before}{shown}…"
        shown += text[at]
    return before + shown


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    from unicodedata import east_asian_width

    return len(text) + len([char for char in text if east_asian_width(char) in "WF"])
