"""The command `gec score`: hypotheses and a reference as corrections of the same tokens."""

from __future__ import annotations

from collections import defaultdict, deque
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

from sejongud.commands import open_input, say, settings_of, write_output
from sejongud.commands.scoring import (
    LAYOUTS,
    are_of_two_levels,
    check_table,
    read_likeness,
    read_sides,
    result_of,
    tell_differences,
    write_result,
    write_table,
)
from sejongud.errors import Incident, Report, UsageError
from sejongud.evaluation import make_metric, metric_class
from sejongud.evaluation.tables import Result, to_text
from sejongud.files import Source, atomic_output
from sejongud.gec import scoring
from sejongud.gec.boundaries import Text, align_texts, cleaned, joined, uneven
from sejongud.gec.compare import Compare, EditOutcome, format_errant, once
from sejongud.gec.edits import SPACE, Corrections, Pair, level_of, source_text, text_of
from sejongud.model import MORPHEMES
from sejongud.report import EditLine, EditRow, State, edit_page
from sejongud.rules import load
from sejongud.terminal import clean, counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.evaluation.base import Evaluation, Metric
    from sejongud.evaluation.side import Annotation
    from sejongud.gec.annotator import Annotator
    from sejongud.gec.boundaries import Aligned
    from sejongud.gec.edits import Edit


_ERRANT, _MAXMATCH, _GLEU = "errant", "maxmatch", "gleu"
_EOJEOL, _WORD, _CHAR = "eojeol", "word", "char"
_UNITS = {"character": _CHAR}
"""The names of options → those of annotators."""
_SPACED = 5 / 6
"""The words of texts of one unit for a character hardly differ more, spacing errors included."""
_TIERS = {1: "operation", 2: "main", 3: "type"}
"""The number of -cat → the rows."""
_SPELT = {"without": "filter"}
"""The names of arguments of metrics → those of their options."""


def score(args: Namespace) -> int:
    """Measure corrections against a reference: ERRANT, MaxMatch or GLEU.

    HYP and REF are M2, or another format of corrections, or texts with a sentence on each line. If a
    file has texts alone, its edits are found first: the source of a line is that of --source or of REF.
    All texts get the tokens that REF has: its unit, and marks apart from words as there; a corrected
    sentence that is a correction of REF has the edits of REF. If the sentences or tokens of two files
    differ, they are aligned. --by type divides ERRANT's edits by type; MaxMatch and GLEU compare texts,
    and have for each type the score of the sentences with such an edit in REF. A hypothesis without
    edits has a precision of 100, and a reference without edits a recall of 100.
    """
    if args.systems:
        return _run_systems(args)
    args.metric = args.metric or _ERRANT
    hypothesis, references = _files(args)
    metric, likeness = _metric(args), read_likeness(args)
    reader = _Reader(args, references[1:])
    others = [] if args.compare is None else [args.compare]
    (gold, *systems), status = read_sides(args, reader, [references[0], hypothesis, *others])
    metric.settings = {**metric.settings, **reader.settings}
    evaluations = reader.signed(metric.measure(gold, *systems, likeness=likeness))
    if args.to in LAYOUTS or args.names or args.metrics:
        write_table(args, evaluations)
        return status
    result = result_of(args, evaluations)
    tell_differences(args, result.evaluation.differences)
    if isinstance(metric, Compare) and args.html is not None:
        with atomic_output(args.html) as page:
            page.writelines(_page(metric.verdicts(gold, systems[0], likeness), result))
    if args.errant:
        text = format_errant(result.evaluation)
        if getattr(args, "errant_verbose", False) and isinstance(metric, Compare):
            text = "".join(metric.traced(gold, systems[0], likeness)) + text
        write_output(args, clean(text, "\n\t"))
    else:
        write_result(args, result, partial(_text, args, result))
    return status


def _run_systems(args: Namespace) -> int:
    """Print one table of several systems, by all metrics or by one; return the exit status.

    Raises:
        UsageError: there is no reference, or an option is for one system.
    """
    references = [name for name in (args.system, args.ref, *args.gold) if name is not None]
    if not references:
        raise UsageError("name the reference: score REF --systems SYSTEM SYSTEM")
    if args.hyp or args.errant:
        raise UsageError("-hyp and --errant are for one system")
    check_table(args)
    likeness, tables, status = read_likeness(args), list[Any](), 0
    for name in [args.metric] if args.metric else [_ERRANT, _MAXMATCH, _GLEU]:
        own = copy(args)
        own.metric, own.by = name, args.by or ("type" if name == _ERRANT else None)
        if tables:  # the faults of the files have been told
            own.quiet, own.report = True, None
        metric, reader = _metric(own, strict=bool(args.metric)), _Reader(own, references[1:])
        (gold, *systems), failed = read_sides(own, reader, [references[0], *args.systems])
        metric.settings = {**metric.settings, **reader.settings}
        tables.append(reader.signed(metric.measure(gold, *systems, likeness=likeness)))
        status |= failed
        if args.html is not None and isinstance(metric, Compare):
            verdicts = [list(metric.verdicts(gold, system, likeness)) for system in systems]
            names = args.names.split(",") if args.names else args.systems
            pages = _rows_beside(verdicts, names)
            title, signed = f"{gold.path}: {', '.join(names)}", tables[0][0].signature()
            with atomic_output(args.html) as page:
                page.writelines(edit_page(pages, title=title, signature=signed))
    write_table(args, *tables)
    return status


def _rows_beside(
    verdicts: Sequence[Sequence[tuple[Aligned, EditOutcome]]], names: Sequence[str]
) -> Iterator[EditRow]:
    """Yield the sentences with the reference and each system beside one another.

    Systems that were cut in other ways have other groups: a row ends where groups of all end.
    """
    ends = [{one.group.gold.stop for one, _ in rows} for rows in verdicts]
    common = set.intersection(*ends)
    remaining = [deque(rows) for rows in verdicts]
    while all(remaining):
        stretches = []
        for rows in remaining:
            stretch = [rows.popleft()]
            while rows and (
                stretch[-1][0].group.gold.stop not in common or not rows[0][0].group.gold
            ):
                stretch.append(rows.popleft())
            stretches.append(stretch)
        lines, hits = [], set()
        for name, stretch in zip(names, stretches, strict=True):
            whole = joined(
                [
                    Corrections(
                        one.reference.tokens, dict(enumerate(map(tuple, map(once, outcome))))
                    )
                    for one, outcome in stretch
                ]
            )
            # Each kind of edits went as those of an annotator.
            outcome = EditOutcome(*[whole.edits[kind] for kind in sorted(whole.edits)])
            lines.append(_line(name, found=outcome.shared, spurious=outcome.spurious))
            hits.update([edit[:3] for edit in outcome.found])
        reference = joined([one.reference for one, _ in stretches[0]])
        name = reference.sent_id or str(stretches[0][0][0].group.gold.start + 1)
        above = [
            EditLine(f"reference {by}", [(e, "found" if e[:3] in hits else "missed") for e in some])
            for by, some in reference.edits.items()
        ]
        yield EditRow(name, reference.tokens, [*above, *lines])


def _line(name: str, **states: Sequence[Edit]) -> EditLine:
    """Return the edits of a line with their states."""
    edits = [(edit, cast("State", state)) for state, own in states.items() for edit in once(own)]
    # Some files tell the tokens of the target, which are no numbers in others.
    return EditLine(name, sorted(edits, key=lambda row: (row[0][:-2], row[1])))


def _files(args: Namespace) -> tuple[str, list[str]]:
    """Return the hypothesis and the references.

    Raises:
        UsageError: one of them is not named, or named in two ways.
    """
    if args.system is not None and args.hyp is not None:
        raise UsageError("HYP is named twice: leave out -hyp, or the names without an option")
    hypothesis = args.system if args.hyp is None else args.hyp
    references = args.gold if args.ref is None else [args.ref, *args.gold]
    if (hypothesis is None or not references) and len(args.filter or ()) > 1:
        raise UsageError(
            f"-filt takes all words behind it as types ({' '.join(args.filter)}): write HYP and REF"
            " first, as in score HYP REF -filt TYPE TYPE"
        )
    if hypothesis is None or not references:
        raise UsageError("name the corrections to measure and the reference: score HYP REF")
    return hypothesis, references


def _metric(args: Namespace, *, strict: bool = True) -> Metric[Any]:
    """Return the metric with the settings of the options.

    Args:
        args: the arguments.
        strict: whether the options of other metrics are an error; else they are not looked at.

    Raises:
        UsageError: an option belongs to another metric.
    """
    if args.cat is not None:
        if args.by is not None:
            raise UsageError("--by and -cat say the same thing: leave out one of them")
        args.by = _TIERS[args.cat]
    if args.errant and args.metric != _ERRANT:
        raise UsageError(f"--errant prints the table of ERRANT, not of {args.metric}")
    if args.errant and args.to != "text":
        raise UsageError(f"--errant is a layout of its own: leave out --errant or --{args.to}")
    if args.to in LAYOUTS:
        check_table(args)
    options = _options(args, strict=strict)
    if strict and args.html is not None and args.metric != _ERRANT:
        raise UsageError(f"--html is an option of {_ERRANT}, not of {args.metric}")
    return make_metric(args.metric, scoring.METRICS, **options | {"align": args.align})


def _options(args: Namespace, *, strict: bool) -> dict[str, Any]:
    """Return the options that are arguments of the metric; see `_metric`."""
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for metric in scoring.METRICS:
        for name in signature(metric_class(metric, scoring.METRICS)).parameters:
            owners[name].append(metric)
    options = {}
    for name, own in owners.items():
        spelt = _SPELT.get(name, name)
        if (value := getattr(args, spelt)) is None or value is False:
            continue
        if args.metric in own:
            options[name] = value
        elif strict:
            option = spelt.replace("_", "-")
            raise UsageError(
                f"--{option} is an option of {' and '.join(own)}, not of {args.metric}"
            )
    return options


class _Reader:
    """Reads the reference first, then hypotheses; texts become corrections.

    The tokens of all texts are made by one annotator: of the unit that the tokens of the reference
    have, and with those marks apart that stand apart in the reference. `settings` tell how, and
    `own` how each file was cleaned and aligned.

    Args:
        args: the arguments of the command.
        more: texts of further annotators of the reference.
    """

    def __init__(self, args: Namespace, more: Sequence[str]) -> None:
        self._args = args
        self._more = more
        self._gold: Annotation[Any] | None = None
        self.settings: dict[str, str] = {}
        self.own: dict[str, dict[str, str]] = {}
        self._source = None if args.source is None else self._read(args.source)

    def read(self, source: Source) -> Annotation[Any]:
        """Read a file as a side.

        Raises:
            UsageError: a reference is a text, and its source is not named.
            FormatError: a text has not as many lines as its source.
        """
        is_text = not scoring.is_corrections(source.head())
        if self._gold is None:
            self._check_gold(source.path, is_text)
        side = self._text(source) if is_text else scoring.read_side(source, self._edited)
        self._say_of_unit(side, is_text=is_text)
        self._gold = self._gold or side
        return side

    def _say_of_unit(self, side: Annotation[Any], *, is_text: bool) -> None:
        """Tell on standard error that the tokens of a file are not of the unit that REF has.

        If neither has characters, the numbers of words (without marks, which texts part in many
        ways) tell it: those of HYP are unlike those of both the source and the target of REF, as a
        system may leave the spaces of the source alone.
        """
        unit = self._annotator.unit if is_text else _unit_of(side.data)
        if self._gold is None or self._args.quiet or not side.data:
            return
        from sejongud.gec.tokens import has_letters

        name, expected = self._gold.path, _unit_of(self._gold.data)
        ours, theirs, differ, finer = unit, expected, unit != expected, False
        if _CHAR not in (unit, expected):
            source = [one.tokens for one in self._gold.data]
            texts = [[*map(scoring.target_of, one.data)] for one in (side, self._gold)]
            words = [[[*filter(has_letters, one)] for one in some] for some in (*texts, source)]
            hyp, *refs = [(some, sum(map(len, some))) for some in words]
            differ = all([are_of_two_levels(hyp, ref, share=_SPACED) for ref in refs])
            ours, theirs = [counted(number, "word[s]") for _, number in (hyp, refs[0])]
            finer = hyp[1] < refs[0][1]
        cure = "find both by gec annotate --unit with the same unit"
        if is_text and finer:
            cure = f"--unit word and --level, with --source, cut a text as {name} is cut"
        elif is_text and self._args.unit:
            cure = f"leave out --unit, or find the edits of {name} with the same --unit"
        elif is_text:
            cure = f"a text needs spaces where {name} has them"
        if differ:
            say(
                f"the tokens of {side.path} ({ours}) and {name} ({theirs}) are not the same, so"
                f" their edits can hardly agree: {cure}"
            )
        elif is_text and unit == _WORD and self._source is None:
            made = [one.tokens for one in side.data]
            if made != [one.tokens for one in self._gold.data] and not self._args.align_texts:
                say(
                    f"the words of {name} alone do not tell how its source is cut: name the text before"
                    " the corrections with --source FILE"
                )

    def signed(self, evaluations: Iterable[Evaluation]) -> list[Evaluation]:
        """Return evaluations whose settings tell how the file of the system was read."""
        return [
            replace(one, settings={**one.settings, **self.own.get(one.paths[1], {})})
            for one in evaluations
        ]

    def _check_gold(self, path: str, is_text: bool) -> None:
        """Check that the reference can be read.

        Raises:
            UsageError: it cannot.
        """
        if self._more and not is_text:
            raise UsageError(f"{path} has edits: its annotators stand in one file, not in several")
        if is_text and self._args.source is None:
            raise UsageError(
                f"{path} has no corrections that can be read: name the text before the"
                " corrections with --source FILE"
            )

    def _read(self, path: str) -> Text:
        with open_input(self._args, path) as source:
            return Text.of(path, source.lines())

    def _text(self, source: Source) -> Annotation[Any]:
        """Return the side of a text.

        Raises:
            FormatError: it has not as many lines as its source, and they are not aligned.
        """
        args, gold, incidents = self._args, self._gold, list[Incident]()
        report = Report(incidents.append)
        targets = [Text.of(source.path, source.lines())]
        before = self._source or Text("", [])
        own = self.own.setdefault(source.path, {}) if gold else dict[str, str]()
        known: list[str] = []
        if gold is None:
            targets += map(self._read, self._more)
        else:
            chars = self._annotator.unit == _CHAR
            if args.source is None:
                texts = [source_text(one, chars=chars) for one in gold.data]
                before = Text(gold.path, list(zip(gold.lines, texts, strict=True)))
            targets_of = [scoring.target_of(one, by) for one in gold.data for by in one.edits]
            known = [text_of(tokens, chars=chars) for tokens in targets_of]
        if args.clean and gold is not None:
            tables = load(args.rules)
            targets, own["clean"] = cleaned(targets, report, before.texts, known, tables)
        if args.align_texts:
            rows, more = align_texts(before, targets, report)
            own |= more
            groups = [row.numbers for row in rows] if gold and args.source is None else None
            edited = self._edited([row.pair for row in rows], groups)
            lines = [row.line for row in rows]
        else:
            for text in targets:
                if len(text.lines) != len(before.lines):
                    raise uneven(text, before)
            columns = [before.texts, *[text.texts for text in targets]]
            edited = self._edited([Pair(a, tuple(b)) for a, *b in zip(*columns, strict=True)])
            lines = [number for number, _ in targets[0].lines]
        return scoring.collected(source.path, zip(lines, edited, strict=True), incidents)

    def _edited(
        self, pairs: Iterable[Pair], groups: Sequence[range] | None = None
    ) -> Iterator[Corrections]:
        """Return the edits between sources and their targets.

        GLEU, and MaxMatch with the edits of a reference, compare texts and need no annotator; rows
        by type need the edits of the reference. A target that the reference has of the same source
        has the edits of the reference.

        Args:
            pairs: the texts.
            groups: the sentences of the reference that the source of each pair is made of; None
                for one sentence each.
        """
        pairs = list(pairs)
        if self._gold is None:
            self._annotator = self._annotator_of(pairs)
        annotator, metric = self._annotator, self._args.metric
        compared = (scoring.whole(pair, annotator.forms) for pair in pairs)
        has_types = metric == _MAXMATCH or self._args.by is not None
        finds = metric == _ERRANT or (has_types and self._gold is None)
        self.settings = annotator.settings(finds=finds)
        if not finds:
            return compared
        known: list[Corrections | None] = [None] * len(pairs)
        if self._gold is not None:
            known = [scoring.as_known(one, self._known) for one in compared]
            for number, group in enumerate(groups or ()):
                if len(group) > 1:
                    known[number] = self._as_in_group(pairs[number], group)
        others = [pair for pair, one in zip(pairs, known, strict=True) if one is None]
        found = annotator.annotated(others)
        return (one or next(found) for one in known)

    def _annotator_of(self, texts: Iterable[Pair]) -> Annotator:
        """Return the annotator of a reference of texts; those without Hangul keep their marks."""
        from sejongud.gec.tokens import has_hangul

        args = self._args
        unit, split = _UNITS.get(args.unit, args.unit) or _EOJEOL, args.split_punctuation
        if split is None and not any(has_hangul(text) for one in texts for text in one.targets):
            split = False
        return self._make_annotator(unit, args.level, split)

    @cached_property
    def _annotator(self) -> Annotator:
        """The annotator that makes tokens of texts as the edits of the reference have them."""
        args, data = self._args, self._gold.data if self._gold else ()
        level = _level_of(data)
        unit = _UNITS.get(args.unit, args.unit) or _unit_of(data)
        split, whole = args.split_punctuation, frozenset[str]()
        if split is None:
            split, whole = scoring.split_of(data, chars=unit == _CHAR, rules=load(args.rules))
        stated = int(level) if level.isdigit() else None
        return self._make_annotator(unit, args.level or stated, split or False, whole)

    def _make_annotator(
        self, unit: str, level: int | None, split: object, whole: frozenset[str] = frozenset()
    ) -> Annotator:
        from sejongud.gec.annotator import Annotator

        own = {
            "unit": unit,
            "level": level or MORPHEMES,
            "split_punctuation": split,
            "whole": whole,
        }
        return Annotator(**settings_of(self._args, Annotator) | own)

    def _as_in_group(self, pair: Pair, group: range) -> Corrections | None:
        """Return the edits of neighbouring sentences of the reference that make the same target."""
        assert self._gold is not None
        sentences = [self._gold.data[number] for number in group]
        between = [SPACE] if self._annotator.unit == _CHAR else []
        target = [*self._annotator.forms(pair.targets[0]), *between]
        for by in sentences[0].edits:
            if all([by in one.edits for one in sentences]):
                targets = [scoring.target_of(one, by) for one in sentences]
                if [form for forms in targets if forms for form in (*forms, *between)] == target:
                    whole = joined(sentences, chars=bool(between))
                    return whole._replace(edits={0: whole.edits[by]})
        return None

    @cached_property
    def _known(self) -> scoring.KnownEdits:
        return scoring.known_edits(self._gold.data if self._gold else ())


def _level_of(data: Iterable[Corrections]) -> str:
    """Return the level of the tokens that comments state; "" if they state none."""
    return next(filter(None, [level_of(one.comments) for one in data]), "")


def _unit_of(data: Sequence[Corrections]) -> str:
    """Return the unit that the tokens of a file have, as far as it tells it."""
    level = _level_of(data)
    chars = level == _CHAR or any(SPACE in one.tokens for one in data)
    return _CHAR if chars else _WORD if level.isdigit() else _EOJEOL


def _page(verdicts: Iterable[tuple[Aligned, EditOutcome]], result: Result) -> Iterable[str]:
    """Return the parts of a page with the edits of both files."""
    rows = (
        EditRow(
            one.reference.sent_id or str(one.group.gold.start + 1),
            one.reference.tokens,
            [
                _line("reference", found=outcome.found, missed=outcome.missed),
                _line("hypothesis", found=outcome.shared, spurious=outcome.spurious),
            ],
        )
        for one, outcome in verdicts
    )
    gold, system = result.evaluation.paths
    return edit_page(rows, title=f"{gold}: {system}", signature=result.signature)


def _text(args: Namespace, result: Result) -> str:
    """Return the output without --json, --csv and --errant."""
    text = to_text(result)
    if args.metric == _GLEU:
        figure = result.evaluation.scores[0].ratios["gleu"]
        text = f"GLEU {figure:.6f}\n\n{text}"
    return text + "".join(_sentences(result))


def _sentences(result: Result) -> list[str]:
    """Return the sources and the edits of each sentence, in lines."""
    lines = []
    for place, _ in result.by_sentence():
        for name, value in place.items():
            if isinstance(value, list):
                lines += [f"  {name}: {item}\n" for item in value]
            elif name not in ("gold", "system"):
                number = f"\n{place['gold'] or '-'}: " if name == "source" else f"  {name}: "
                lines.append(f"{number}{value}\n")
    return lines
