"""The parts that the commands of all metrics share: options, reading, tests, printing."""

from __future__ import annotations

from argparse import Namespace
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from sejongud.commands import corpora, inform, is_pipe, open_input, reporting, write_output
from sejongud.errors import FormatError, Incident, Report, UsageError
from sejongud.evaluation import make_metric
from sejongud.evaluation.inputs import TextSource, document_starts
from sejongud.evaluation.side import LEFT_OUT, Annotation
from sejongud.evaluation.tables import (
    Part,
    Result,
    to_data,
    to_json,
    to_text,
    write_runs,
    write_systems,
)
from sejongud.formats import recognise
from sejongud.layers.subsequence import Likeness, canonical, load_likeness
from sejongud.terminal import clean, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sejongud.evaluation.base import Metric
    from sejongud.evaluation.scores import Measured
    from sejongud.files import Source
    from sejongud.report.parallel_view import Layer

    Sides = tuple[Annotation[Any], Annotation[Any]]
    """Gold and a system."""


LAYOUTS = ("markdown", "latex")
"""The forms of a table of systems."""
_FEW_SEGMENTS = 30
_LARGE_GROUP = 0.1
_SHOWN = 10
"""The most differences of the texts that standard error lists; --json lists all."""


class MetricCommand:
    """The command of a metric; the docstring of a subclass is the description of its help."""

    name: str
    """The name of the metric."""
    options: tuple[str, ...] = ()
    """The options that are arguments of the metric."""

    def metric(self, args: Namespace) -> Metric[Any]:
        """Return the metric with the settings of the options."""
        options = {name: getattr(args, name) for name in self.options}
        return make_metric(self.name, **options)

    def run(self, args: Namespace) -> int:
        """Measure, test and print; return the exit status."""
        metric, likeness = self.metric(args), read_likeness(args)
        if getattr(args, "html", None) and any(map(is_pipe, (args.gold, args.system))):
            raise UsageError("--html reads both files once more: name files instead of pipes and -")
        several = args.others or args.metrics or args.names or args.to in LAYOUTS
        if args.runs or several:
            check_table(args)
        paths = [args.gold, args.system, *args.others, *filter(None, [args.compare])]
        if args.runs == "folds" and len(paths) % 2:
            raise UsageError(
                f"--folds takes pairs of files, GOLD SYSTEM GOLD SYSTEM …, and there are {len(paths)}"
            )
        (gold, *systems), status = read_sides(args, metric, paths)
        sides = gold, systems[0]
        if args.runs == "folds":
            pairs = zip([gold, *systems[1::2]], systems[::2], strict=True)
            evaluations = [metric.measure(*pair, likeness=likeness)[0] for pair in pairs]
        else:
            evaluations = metric.measure(gold, *systems, likeness=likeness)
        if args.runs or several:
            (_write_runs if args.runs else write_table)(args, evaluations)
            return status
        result = result_of(args, evaluations)
        if not args.quiet:
            self.advise(args, sides)
        _tell_of_texts(args, result.evaluation)
        if getattr(args, "html", None):
            self._write_page(args, metric, result, sides, likeness)
        write_result(args, result, partial(self.to_text, args, result))
        return status

    def _write_page(
        self,
        args: Namespace,
        metric: Reads,
        result: Result,
        sides: Sides,
        likeness: Likeness,
    ) -> None:
        """Write the page of gold beside the system."""
        from sejongud.files import atomic_output
        from sejongud.pipeline import without_collector
        from sejongud.report.parallel_view import make_comparison, tree_pairs

        layer = cast("Layer", self.name)
        evaluation = result.evaluation
        shared: dict[str, Any] = {"likeness": likeness, "rules": args.rules}
        pairs = tree_pairs(evaluation, *sides, **shared) if layer == "parse" else None
        # Lines of trees are those of the brackets that a treebank became.
        paths = (args.gold, args.system) if pairs is None else (sides[0].path, sides[1].path)
        kind = "deprel" if layer == "dep" else ""
        confusion = evaluation.confusion(kind) if evaluation.confuse else None
        with without_collector(), atomic_output(args.html) as out:
            for part in make_comparison(
                paths,
                lambda path: open_side(args, path, metric),
                layer,
                # Entities may be read in a format that only their metric knows.
                from_=getattr(args, "from_", None) if layer == "pos" else None,
                punctuation=getattr(args, "punctuation", True),
                xpos=getattr(args, "xpos", None),
                scores=result.rows("score", "%"),
                pairs=pairs,
                confusion=confusion,
                **shared,
            ):
                out.write(part)

    def advise(self, args: Namespace, sides: Sides) -> None:
        """Say which option compares two files better; most metrics have no such option."""

    def to_text(self, args: Namespace, result: Result) -> str:
        """Return the output as text."""
        return to_text(result)


def write_result(args: Namespace, result: Result, text: Callable[[], str]) -> None:
    """Write a result in the form that is chosen.

    Args:
        args: the arguments of the command.
        result: the result to write.
        text: returns the result as text.
    """
    if args.to == "json":
        write_output(args, to_json(result))
    elif args.to in ("csv", "tsv"):
        write_output(args, to_data(result, args.to))
    else:
        write_output(args, clean(text(), "\n"))


def read_likeness(args: Namespace) -> Likeness:
    """Return the likeness of words and sentences that the alignment options name.

    Raises:
        UsageError: a language has no exceptions.
    """
    languages = filter(None, (args.exceptions or "").split(","))
    return load_likeness(languages, args.similarity, args.rules)


class Reads(Protocol):
    """A reader of a file as a side, such as a metric."""

    def read(self, source: Source) -> Annotation[Any]:
        """Read a file; its faults become incidents of the side."""


class _FolderSource(TextSource):
    """The files of a folder as one text.

    Args:
        args: the arguments of the command.
        folder: the folder.
        metric: reads the text.
    """

    def __init__(self, args: Namespace, folder: str, metric: Reads) -> None:
        self.files: list[tuple[int, str]] = []
        self.incidents: list[Incident] = []
        """The faults of files that became another format."""
        line, texts = 1, list[str]()
        opened = getattr(metric, "opened", lambda file, _: nullcontext(file))
        report = Report(self.incidents.append)
        # What is passed over was told when the folders were compared.
        for name in corpora(Namespace(**vars(args) | {"quiet": True}), [folder]):
            # Objects of JSON are no object when they stand behind one another.
            with open_input(args, name) as file, opened(file, report) as source:
                text = source.text()
            self.files.append((line, source.path))
            # In plain text, a blank line would be a sentence.
            is_plain = recognise(getattr(args, "from_", None), text).name == "text"
            texts.append(text.rstrip("\n") + ("\n" if is_plain else "\n\n"))
            line += texts[-1].count("\n")
        super().__init__("".join(texts), folder)


def open_side(args: Namespace, path: str, metric: Reads) -> Source:
    """Open a file, or the files of a folder as one text."""
    return _FolderSource(args, path, metric) if Path(path).is_dir() else open_input(args, path)


def read_sides(
    args: Namespace, metric: Reads, paths: Sequence[str]
) -> tuple[list[Annotation[Any]], int]:
    """Read files as the common options say, and report their faults.

    A file that is named twice is read once, and the faults of a third file that are those of the
    first two are not reported again.

    Returns:
        The sides, and the exit status.

    Raises:
        FormatError: a file has an error, with `--on-error stop`.
    """
    folders = [path for path in dict.fromkeys(paths) if Path(path).is_dir()]
    names = [
        {str(Path(name).relative_to(path)) for name in corpora(args, [path])} for path in folders
    ]
    for path, others in zip(folders, names, strict=True):
        for name in sorted(others ^ names[0]):
            raise UsageError(f"{name} is in only one of the folders {folders[0]} and {path}")

    @cache
    def read(path: str) -> Annotation[Any]:
        with open_side(args, path, metric) as source:
            side = metric.read(source)
        if not isinstance(source, _FolderSource):
            return side
        side = side._replace(files=source.files)
        places = [side.located(incident.line) for incident in side.incidents]
        return side._replace(
            incidents=source.incidents
            + [
                incident._replace(path=name, line=line)
                for incident, (name, line) in zip(side.incidents, places, strict=True)
            ]
        )

    with reporting(args, cap_errors=True) as report:
        sides = [read(path) for path in paths]
        if getattr(args, "resample", "") == "documents":
            starts = _documents(args, metric, paths[0], sides[0].lines)
            sides[0] = sides[0]._replace(documents=lambda: starts)
        found = [incident for side in sides[:2] for incident in side.incidents]
        known = set(found)
        found += [one for side in sides[2:] for one in side.incidents if one not in known]
        for incident in found:
            if incident.is_error and args.on_error == "stop":
                message = incident.message.removesuffix(LEFT_OUT)
                raise FormatError(
                    message, path=incident.path, line=incident.line, code=incident.code
                )
            report.add(incident)
    return sides, 1 if report.errors else 0


def _documents(args: Namespace, metric: Reads, path: str, lines: Sequence[int]) -> list[int]:
    """Return the first sentence of each document of gold, from 0.

    Raises:
        UsageError: nothing is drawn, gold is a pipe, or it has no documents.
    """
    drawn = ("bootstrap", "compare", "others", "systems")
    if not any(getattr(args, name, None) for name in drawn):
        raise UsageError("--resample tells what --bootstrap and --compare draw: name one of them")
    if is_pipe(path):
        raise UsageError("--resample documents reads GOLD once more: name a file, not a pipe or -")
    with open_side(args, path, metric) as source:
        return document_starts(source, lines)


def _write_runs(args: Namespace, evaluations: Sequence[Measured]) -> None:
    """Print the means over the runs or the folds of a system."""
    _tell_of_texts(args, *evaluations)
    _write_text(args, write_runs(evaluations, args.to, _listed(args.metrics)))


def _write_text(args: Namespace, text: str) -> None:
    """Write data as they are, and a text to look at without signs that control the terminal."""
    write_output(args, text if args.to in ("json", "csv", "tsv") else clean(text, "\n"))


def check_table(args: Namespace) -> None:
    """Check that no option asks for more than the table of `write_table` has.

    Raises:
        UsageError: an option is given that prints more of a single system, or of several than the
            means of runs.
    """
    for name in ("sentences", "compare", "html"):
        if getattr(args, name, None) and not (name == "html" and getattr(args, "systems", None)):
            way = "name the other one behind SYSTEM" if name == "compare" else "leave it out"
            raise UsageError(
                f"--{name} is for one system; a table has the figures of several: {way}"
            )
    for name in ("names", "bootstrap") if getattr(args, "runs", None) else ():
        if getattr(args, name):
            raise UsageError(f"--{args.runs} prints means, without --{name}: leave one of them out")


def _part(args: Namespace, evaluations: Sequence[Measured]) -> Part:
    """Return the figures of systems with the tests and the intervals that the options ask for."""
    from sejongud.evaluation.significance import compare, holm, intervals

    first, *others = evaluations
    test = (args.samples, args.seed, args.test, args.resample)
    tests = holm([compare(first, one, *test) for one in others])
    drawn = (args.bootstrap, args.seed, args.resample)
    ends = [intervals(one, *drawn) for one in evaluations if args.bootstrap]
    return Part(evaluations, tests, ends)


def write_table(
    args: Namespace,
    evaluations: Sequence[Measured],
    *further: Sequence[Measured],
) -> None:
    """Print one table of systems, a column for each, in the layout that the options ask for.

    Args:
        args: the arguments of the command.
        evaluations: the systems by a metric.
        further: the same systems by further metrics.
    """
    others = evaluations[1:]
    settings = {"test": f"{args.test}:{args.samples}"} if others else {}
    settings |= {"correction": "holm"} if len(others) > 1 else {}
    settings |= {"intervals": f"95%:{args.bootstrap}"} if args.bootstrap else {}
    settings |= {"resample": "documents"} if args.resample == "documents" else {}
    settings |= {"seed": str(args.seed)} if settings else {}
    _tell_of_texts(args, *evaluations)
    if others:
        _warn_of_few(args, evaluations)
    parts = [_part(args, some) for some in (evaluations, *further)]
    names, only = _listed(args.names), _listed(args.metrics)
    _write_text(args, write_systems(parts, args.to, settings, names=names, only=only))


def _listed(names: str | None) -> list[str]:
    """Return the names in the value of an option."""
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def result_of(args: Namespace, evaluations: Sequence[Measured]) -> Result:
    """Return the first evaluation with the intervals and the test that the options ask for."""
    evaluation, *others = evaluations
    if not others and not args.bootstrap:
        return Result(evaluation, sentences=args.sentences)
    from sejongud.evaluation.significance import compare, intervals

    test = (args.samples, args.seed, args.test, args.resample)
    _warn_of_few(args, evaluations)
    settings = {"intervals": f"95%:{args.bootstrap}"} if args.bootstrap else {}
    settings |= {"test": f"{args.test}:{args.samples}"} if others else {}
    settings |= {"resample": "documents"} if args.resample == "documents" else {}
    settings["seed"] = str(args.seed)
    drawn = (args.bootstrap, args.seed, args.resample)
    ends = intervals(evaluation, *drawn) if args.bootstrap else ()
    comparisons = compare(evaluation, others[0], *test) if others else ()
    return Result(evaluation, ends, comparisons, args.compare or "", settings, args.sentences)


def _warn_of_few(args: Namespace, evaluations: Sequence[Measured]) -> None:
    """Warn on standard error of a test or an interval of too few pieces of the text."""
    from sejongud.evaluation.significance import count_segments

    segments = count_segments(*evaluations, resample=args.resample)
    if segments < _FEW_SEGMENTS:
        kind = "document[s]" if args.resample == "documents" else "group[s] of sentences"
        groups = counted(segments, kind)
        message = f"intervals and tests need {_FEW_SEGMENTS} or more to say anything"
        inform(args, f"the samples are drawn from only {groups}: {message}")


def _tell_of_texts(args: Namespace, *evaluations: Measured) -> None:
    """Tell on standard error where the texts differ, and a group that holds much of them."""
    for evaluation in evaluations:
        tell_differences(args, evaluation.differences)
        alignment = evaluation.alignment
        if alignment.largest > _LARGE_GROUP:
            share = f"{100 * alignment.largest:.0f} % of the text: {alignment.place}"
            inform(args, f"a group of sentences without a common border holds {share}")


def tell_differences(args: Namespace, differences: Sequence[str]) -> None:
    """List on standard error the first differences of the texts."""
    if differences:
        places = "one place" if len(differences) == 1 else f"{len(differences)} places"
        shown = [f"  {difference}" for difference in differences[:_SHOWN]]
        inform(args, f"the texts differ in {places}:", *shown)
    if len(differences) > _SHOWN:
        inform(args, f"  … {len(differences) - _SHOWN} more; --json lists all")


def are_of_two_levels(*sides: tuple[Iterable[Sequence[str]], int], share: float = 3 / 4) -> bool:
    """Test whether the words of two texts, of which the numbers are given, are of two levels.

    Such texts differ in how many words they have for a character, whatever a side has left out.

    >>> are_of_two_levels(([["나는", "간다"]], 2), ([["나", "는", "가", "ㄴ다"]], 4))
    True
    """
    sizes = [sum(len(canonical("".join(some))) for some in texts) for texts, _ in sides]
    gold, system = [words for _, words in sides]
    shares = gold * sizes[1], system * sizes[0]
    return min(shares) < share * max(shares)
