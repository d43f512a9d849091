"""The base of the metrics of corrections: both files as sides, and their aligned sentences.

    M2, or texts → Side (tokens, Corrections) → groups of sentences → units → scores

A share of nothing is 1 here, as in ERRANT and MaxMatch: a hypothesis without edits has precision 1.
Example: `score(hypothesis, reference).scores` is the table of `sejongud gec score HYP REF`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import replace
from inspect import signature
from itertools import chain
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from unicodedata import is_normalized

from sejongud.converters.jobs import as_conllu
from sejongud.errors import Incident, Report, UsageError
from sejongud.evaluation import make_metric, metric_class
from sejongud.evaluation.base import AlignedSides, Evaluation, Metric
from sejongud.evaluation.scores import Score, Unit
from sejongud.evaluation.side import Annotation, Found, alignment_settings, collect
from sejongud.formats import CORRECTION_FORMATS, corrections_format, sniff
from sejongud.formats.base import first_lines
from sejongud.formats.finding import may_be_pairs
from sejongud.gec.boundaries import Aligned, align, aligned, letters, same_sentences
from sejongud.gec.edits import (
    SPACE,
    Corrections,
    Edit,
    Pair,
    applied,
    in_long,
    overlapping,
    source_text,
    text_of,
)
from sejongud.layers.places import first_difference
from sejongud.layers.subsequence import Likeness, Similarity, composed, load_likeness
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.files import Source
    from sejongud.rules import Rules

    Given = str | PathLike[str] | Iterable[Corrections] | Iterable[str]
    """M2, a file or a text; or sentences, with edits or as corrected texts."""
    EditsOf = Callable[[Iterable[Pair]], Iterable[Corrections]]
    """Finds the edits between sources and their targets, in order."""

Data = list[Corrections]

Side: TypeAlias = Annotation[Data]
"""A file with corrections, as a metric reads it."""

_HIGHEST_BETA = 1e6

METRICS = {
    "errant": "sejongud.gec.compare:Compare",
    "maxmatch": "sejongud.gec.maxmatch:MaxMatch",
    "gleu": "sejongud.gec.maxmatch:Gleu",
}
"""Name → module and class of a metric."""


def shares(correct: float, proposed: float, gold: float, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F of correct edits; a share of nothing is 1.

    Args:
        correct: how many edits the two sides have in common.
        proposed: how many edits the hypothesis has.
        gold: how many edits the reference has.
        beta: how many times more recall counts than precision.

    >>> shares(0, 0, 3, 0.5)
    (1.0, 0.0, 0.0)
    """
    p = correct / proposed if proposed else 1.0
    r = correct / gold if gold else 1.0
    weighted = beta**2 * p + r
    # In the order of operations of ERRANT, so that ties are rounded as there.
    return p, r, (1 + beta**2) * p * r / weighted if weighted else 0.0


def score_of(
    name: str, counts: Mapping[str, float], figures: Iterable[float], beta: float
) -> Score:
    """Return the score of a row with its counts and its `shares`; F is named by its beta."""
    ratios = dict(zip(("precision", "recall", f_name(beta)), figures, strict=True))
    return Score(name, counts, ratios, f_name(beta))


def f_name(beta: float) -> str:
    """Return the name of an F score.

    >>> f_name(0.5), f_name(1.0)
    ('f0.5', 'f1')
    """
    return f"f{beta:g}"


By = Literal["operation", "main", "type"]
"""The rows of a result: `R`, `NOUN`, or `R:NOUN`."""

UNKNOWN = "UNK"
"""The type of an edit that is an error without a correction."""
_OPERATIONS = ("M:", "U:", "R:", "S:")


def row_name(edit: Edit, by: By) -> str:
    """Return the row of an edit in a result by types.

    >>> row_name(Edit(0, 1, "a", "R:NOUN"), "main"), row_name(Edit(0, 0, "a", "NOUN"), "operation")
    ('NOUN', 'M')
    """
    kind = edit.type
    if by == "type" or kind == UNKNOWN:
        return kind
    is_tiered = kind.startswith(_OPERATIONS)
    if by == "main":
        return kind[2:] if is_tiered else kind
    if is_tiered:
        return kind[0]
    return "M" if edit.is_insertion else "U" if edit.is_deletion else "R"


def edit_text(edit: Edit) -> str:
    """Return an edit in a line, as M2 has it.

    >>> edit_text(Edit(3, 4, "How", "R:ADV"))
    '3 4 R:ADV How'
    """
    return f"{edit.start} {edit.end} {edit.type} {edit.correction}".rstrip()


def checked_beta(beta: float) -> float:
    """Return the beta of an F score.

    Raises:
        UsageError: it is no number from 0 to a million.
    """
    if not 0 <= beta <= _HIGHEST_BETA:
        raise UsageError(f"beta is a number from 0 to {_HIGHEST_BETA:.0f}, not {beta}")
    return beta


Rows = dict[str | None, "Sequence[float]"]
"""The name of a row → its statistics; None is the row of all sentences and edits."""


class CorrectionMetric(Metric[Data]):
    """Compares the corrections of a hypothesis (system) with those of a reference (gold).

    Args:
        by: the rows beside that of all sentences; None for none.
        align: whether sentences that were cut in other ways are aligned; otherwise they are an
            error.
    """

    title = "All edits"
    """The name of the row of all sentences."""
    whole_width = 3
    """The number of statistics of all sentences."""
    row_width = 3
    """The number of those, from the first, that another row has."""

    def __init__(self, *, by: By | None = None, align: bool = True) -> None:
        self.by = by
        self.labels: Sequence[str] = ()
        self._aligns = align
        self._notes: list[Mapping[str, object]] = []

    def _measured(self, sides: list[Side], likeness: Likeness) -> list[Evaluation]:
        """Measure hypotheses; every row that any of them has is a row of all of them."""
        evaluations = super()._measured(sides, likeness)
        # Until all rows are known, the statistics of a unit stand by the names of its own.
        units: list[Any] = [unit for one in evaluations for unit in one.units]
        self.labels = sorted({name for unit in units for name in unit.counts if name is not None})
        self.width = self.whole_width + self.row_width * len(self.labels)
        return [replace(one, units=list(map(self._in_line, one.units))) for one in evaluations]

    def _in_line(self, unit: Unit) -> Unit:
        """Return a unit with the statistics of all rows, one behind the other."""
        rows: Any = unit.counts
        absent = [0] * self.row_width
        further = [rows.get(name, absent) for name in self.labels]
        return unit._replace(counts=[*rows[None], *chain(*further)] if further else rows[None])

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return the score of all sentences, and that of each row; see `Metric.scores`."""
        starts = range(self.whole_width, len(totals), self.row_width)
        rows = [totals[start : start + self.row_width] for start in starts]
        named = zip(self.labels, rows, strict=True)
        whole = self._score(self.title, totals[: self.whole_width])
        return [whole, *[self._score(name, row) for name, row in named]]

    @abstractmethod
    def _score(self, name: str, totals: Sequence[float]) -> Score:
        """Return the score of the sums of some sentences."""

    def read(self, source: Source) -> Side:
        """Read M2 or another format of corrections; see `Metric.read`."""
        return read_side(source)

    def _align(self, gold: Side, system: Side, likeness: Likeness) -> AlignedSides[Data]:
        same = same_sentences(gold.data, system.data)
        if not same and not self._aligns:
            raise UsageError(_first_difference(gold, system))
        settings = {} if same else alignment_settings(gold, system, likeness)
        if "split" not in self.settings and not _same_tokens(gold.data, system.data):
            settings = {"split": split_of(gold.data)[0] or "no", **settings}
        groups = align(gold.data, system.data, likeness)
        return AlignedSides(gold, system, groups, likeness, settings)

    def _aligned(self, sides: AlignedSides[Data]) -> Iterator[Aligned]:
        """Return the corrections of each group; those over other tokens have the marks of gold."""
        gold, system = sides.gold.data, sides.system.data
        if _same_tokens(gold, system):
            return aligned(gold, system, sides.groups, sides.likeness)
        from sejongud.gec.tokens import split_punctuation

        which, whole = split_of(gold)

        def words(text: str) -> list[str]:
            return split_punctuation(text, which, whole=whole).split()

        return aligned(gold, system, sides.groups, sides.likeness, words)

    def _units(self, sides: AlignedSides[Data]) -> list[Unit]:
        self.notes = self._notes = []
        statistics = self._statistics(self._aligned(sides))
        pairs = zip(sides.groups, statistics, strict=True)
        return [Unit(group.gold, group.system, cast("Any", rows)) for group, rows in pairs]

    @abstractmethod
    def _statistics(self, sentences: Iterable[Aligned]) -> Iterable[Rows]:
        """Yield the statistics of each group of sentences, in order."""


class TextMetric(CorrectionMetric):
    """Compares corrected texts; a row by type has the sentences whose reference has such an edit.

    The edits of a corrected text have no types. So the row of a type is the score of all edits in
    the sentences that have one in the reference, by any annotator, as Table D.4 of KAGAS has it:
    there 19 edits of WS have a recall of 9.30, which is 4 of 43 edits.
    """

    def _prepared(self, sides: list[Side]) -> list[Side]:
        gold, *systems = sides
        if self.by is not None:
            gold = gold._replace(data=list(in_long(gold.data)))
        return [gold, *systems]

    def _statistics(self, sentences: Iterable[Aligned]) -> Iterator[Rows]:
        """Yield the statistics of each sentence, and again for each type that its edits have."""
        for sentence, counts in self._counts(sentences):
            edits = chain(*sentence.reference.edits.values()) if self.by is not None else ()
            names = [row_name(edit, self.by or "type") for edit in edits]
            yield {None: counts, **dict.fromkeys(names, counts[: self.row_width])}

    @abstractmethod
    def _counts(self, sentences: Iterable[Aligned]) -> Iterator[tuple[Aligned, Sequence[float]]]:
        """Yield each group of sentences with its statistics, in order."""


def _same_tokens(gold: Data, system: Data) -> bool:
    """Return whether two sides have the same tokens, in any sentences."""
    ours, theirs = (chain(*[letters(item.tokens) for item in side]) for side in (gold, system))
    return [*ours] == [*theirs]


def _first_difference(gold: Side, system: Side) -> str:
    """Return where the sentences of two files differ first."""
    ours, theirs = gold.data, system.data
    place = first_difference([one.tokens for one in ours], [one.tokens for one in theirs])
    return (
        f"{gold.place(place)} and {system.place(place)}: sentence {place + 1} is not the same in"
        f" both files, which have {len(ours)} and {len(theirs)} sentences;"
        " without --no-align they are aligned"
    )


def is_corrections(head: str) -> bool:
    """Return whether a file with this beginning has corrections, rather than a text.

    >>> is_corrections("S 나는 갓다\\n"), is_corrections("나는 갓다\\n")
    (True, False)
    """
    return not head.strip() or head.startswith("S ") or _layout(head) is not None


def _layout(head: str) -> tuple[str, str] | None:
    """Return the format that a file begins in, and its settings; None for a text."""
    lines = first_lines(head)
    is_table = bool(lines) and all(["\t" in line for line in lines[:-1] or lines])
    known = sniff(head, (*CORRECTION_FORMATS, "jsonl"))
    return known or (("tsv", "") if is_table and may_be_pairs(head) else None)


def read_side(source: Source, edits_of: EditsOf | None = None) -> Side:
    """Read a file with corrections as a side.

    A faulty edit is left out of its sentence, and becomes an incident of the side.

    Args:
        source: M2, or another format of corrections.
        edits_of: finds the edits of texts, those that a corpus states of them aside; None if the
            file must have edits.

    Raises:
        UsageError: the file is in no such format, or has texts and no edits.
    """
    head = source.head()
    if not is_corrections(head):
        raise UsageError(
            f"{source.path} has no corrections that can be read ({', '.join(CORRECTION_FORMATS)});"
            " with --source FILE it is read as a text, line by line"
        )
    incidents: list[Incident] = []
    report = Report(incidents.append)
    with as_conllu(source, report) as text:
        layout = corrections_format(*(_layout(text.head()) or ("m2", "")))
        rows = list(layout.numbered(text, "skip", report))
    texts = [item for _, item in rows if isinstance(item, Pair)]
    if texts and edits_of is None:
        raise UsageError(
            f"{source.path} has texts and no edits: `sejongud gec annotate` finds them"
        )
    corrected = iter(edits_of(texts) if edits_of and texts else ())
    edited = [(line, next(corrected) if isinstance(item, Pair) else item) for line, item in rows]
    return collected(source.path, edited, incidents)


def collected(
    path: str, rows: Iterable[tuple[int, Corrections]], incidents: Iterable[Incident] = ()
) -> Side:
    """Build the side of a file from its corrections.

    Args:
        path: the name of the file.
        rows: each sentence with its line.
        incidents: the faults of the file.
    """
    rows = [(line, _composed(item)) for line, item in rows]
    composed: list[Found[Corrections]] = [(line, letters(item.tokens), item) for line, item in rows]
    side = collect(path, composed)
    doubtful = [
        Incident(code, message, path, line, sent_id=item.sent_id)
        for line, item in rows
        for code, message in _doubts(item)
    ]
    return side._replace(incidents=[*incidents, *side.incidents, *doubtful])


def _composed(item: Corrections) -> Corrections:
    """Return corrections in NFC, as texts are compared."""
    texts = (*item.tokens, *[edit.correction for edit in chain(*item.edits.values())])
    if all([is_normalized("NFC", text) for text in texts]):
        return item
    edits = {
        annotator: tuple([e._replace(correction=composed(e.correction)) for e in own])
        for annotator, own in item.edits.items()
    }
    return item._replace(tokens=tuple(map(composed, item.tokens)), edits=edits)


def _doubts(corrections: Corrections) -> Iterator[tuple[str, str]]:
    """Yield code and message for edits that are repeated, overlap or lie outside the sentence."""
    for annotator, edits in corrections.edits.items():
        counts = Counter([edit[:3] for edit in edits])
        for (start, end, correction), times in counts.items():
            if times > 1:
                yield (
                    "W803",
                    f"annotator {annotator} has the edit {start} {end} {correction!r} {times}"
                    " times: each of them counts",
                )
    for annotator, edits in corrections.edits.items():
        different = {edit[:3]: edit for edit in sorted(edits, key=lambda edit: edit[:2])}
        if clash := overlapping(list(different.values())):
            first, second = map(edit_text, clash)
            yield (
                "W503",
                f"the edits {first!r} and {second!r} of annotator {annotator} overlap: each of them"
                " counts, and MaxMatch and GLEU apply the first",
            )
    length = len(corrections.tokens)
    for edit in chain(*corrections.edits.values()):
        if not 0 <= edit.start <= edit.end <= length:
            yield (
                "W804",
                f"the edit {edit_text(edit)!r} lies outside the sentence, which has"
                f" {counted(length, 'token[s]')}: MaxMatch and GLEU leave it out",
            )


def target_of(corrections: Corrections, annotator: int | None = None) -> tuple[str, ...]:
    """Return the corrected sentence; of edits that overlap the first is applied.

    Args:
        corrections: of the sentence.
        annotator: one who saw it; None for the first.

    >>> edits = (Edit(0, 2, "c"), Edit(1, 2, "d"))
    >>> target_of(Corrections(("a", "b"), {0: edits}))
    ('c',)
    """
    edits = corrections.edits[next(iter(corrections.edits)) if annotator is None else annotator]
    applicable: list[Edit] = []
    length = len(corrections.tokens)
    for edit in edits:
        if not 0 <= edit.start <= edit.end <= length:
            continue
        if not applicable or overlapping([applicable[-1], edit]) is None:
            applicable.append(edit)
    return applied(corrections.tokens, applicable)


def split_of(
    reference: Iterable[Corrections], *, chars: bool = False, rules: Rules | None = None
) -> tuple[str, frozenset[str]]:
    """Find which marks stand apart in a reference; see `sejongud.gec.tokens.marks_apart`.

    Args:
        reference: its sentences with their edits.
        chars: whether its tokens are characters.
        rules: the tables; None for the package's own.
    """
    from sejongud.gec.tokens import marks_apart

    texts = (
        text_of(tokens, chars=chars)
        for item in reference
        for tokens in (item.tokens, *[target_of(item, annotator) for annotator in item.edits])
    )
    return marks_apart((token for text in texts for token in text.split()), rules)


def whole(pair: Pair, forms: Callable[[str], Sequence[str]] = str.split) -> Corrections:
    """Return corrections whose only edit replaces the whole sentence.

    They serve metrics that compare texts, and need no annotator.

    Args:
        pair: of texts.
        forms: returns the tokens of a text.

    >>> whole(Pair("나는 갓다", ("나는 갔다",))).target()
    ('나는', '갔다')
    """
    tokens = tuple(forms(pair.source))
    edits = {}
    for annotator, target in enumerate(pair.targets):
        words = tuple(forms(target))
        change = Edit(0, len(tokens), " ".join(words), annotator=annotator)
        edits[annotator] = () if words == tokens else (change,)
    return Corrections(tokens, edits, pair.sent_id, pair.comments)


KnownEdits = dict[tuple["Sequence[str]", "Sequence[str]"], "tuple[Edit, ...]"]
"""The source and the target of each annotator of a reference → his edits."""


def known_edits(reference: Iterable[Corrections]) -> KnownEdits:
    """Return the edits of a reference by the texts that they make."""
    return {
        (one.tokens, target_of(one, annotator)): edits
        for one in reference
        for annotator, edits in one.edits.items()
    }


def as_known(compared: Corrections, known: KnownEdits) -> Corrections | None:
    """Return the edits of a reference that make the same targets; None if it has none."""
    edits = {}
    for annotator in compared.edits:
        key = compared.tokens, compared.target(annotator)
        if key not in known:
            return None
        edits[annotator] = known[key]
    return compared._replace(edits=edits)


def score(
    hypothesis: Given,
    reference: Given,
    metric: str = "errant",
    *,
    source: Iterable[str] | None = None,
    exceptions: Iterable[str] = (),
    similarity: Similarity = "edit",
    likeness: Likeness | None = None,
    rules: str | PathLike[str] | None = None,
    **options: Any,
) -> Evaluation:
    """Measure the corrections of a system against a reference.

    Args:
        hypothesis: the sentences with the edits of the system; an M2 file or M2 itself; or the
            corrected texts, whose edits are found.
        reference: the same with the right edits; the sentences may be cut in another way.
        metric: a name of `METRICS`.
        source: the texts before their correction; None for those of the reference.
        exceptions: languages whose word exceptions count where the texts differ.
        similarity: the measure by which sentences are alike where the texts differ.
        likeness: both of them, if they are loaded already.
        rules: a directory of tables laid over the built-in ones.
        options: the arguments of the metric's class; for corrected texts also those of `Annotator`,
            whose tokens are else those of a reference with edits.

    Raises:
        UsageError: there is no such metric or option, an option is out of range, or a side has
            values other than `Corrections`, such as the name of a file.

    >>> reference = [Corrections(("나는", "갓다"), {0: (Edit(1, 2, "갔다", "SPELL"),)})]
    >>> score(reference, reference).scores[0].ratios
    {'precision': 1.0, 'recall': 1.0, 'f0.5': 1.0}
    """
    if isinstance(source, (str, PathLike)):
        raise UsageError("the source is one text: put several into a list, as open(…) gives lines")
    before = None if source is None else list(source)
    tables = None if rules is None else fspath(rules)
    further = options.keys() - signature(metric_class(metric, METRICS)).parameters.keys()
    if further:
        from sejongud.gec.annotator import Annotator

        further &= signature(Annotator).parameters.keys()
    settings = {name: options.pop(name) for name in further} | {"rules": tables}
    right, signed = _sentences(reference, before, settings)
    chars = any(SPACE in one.tokens for one in right)
    if before is None:
        before = [source_text(one, chars=chars) for one in right]
    if not signed:  # The texts of a system get the tokens that the reference has.
        which, whole_words = split_of(right, chars=chars, rules=load(tables))
        own = {"split_punctuation": which or False, "whole": whole_words}
        settings = own | ({"unit": "char"} if chars else {}) | settings
    found, signed_too = _sentences(hypothesis, before, settings, known_edits(right))
    gold, system = [
        collected(name, enumerate(some, 1))
        for name, some in (("reference", right), ("hypothesis", found))
    ]
    likeness = likeness or load_likeness(exceptions, similarity, tables)
    made = make_metric(metric, METRICS, **options)
    made.settings = {**made.settings, **signed, **signed_too}
    return made.measure(gold, system, likeness=likeness)[0]


def _sentences(
    given: Given,
    source: Sequence[str] | None,
    settings: Mapping[str, Any],
    known: KnownEdits | None = None,
) -> tuple[list[Corrections], dict[str, str]]:
    """Return sentences with their edits, which a file has or an `Annotator` with settings finds.

    A text that a reference has too (`known`) gets its edits. The settings of the annotator, for the
    signature, stand beside the sentences; there are none for a file.

    Raises:
        UsageError: a sentence is neither a text nor `Corrections`, or there is no source of texts.
    """
    from sejongud.formats.m2 import read_m2

    sentences = list(read_m2(given) if isinstance(given, (str, PathLike)) else given)
    if sentences and all([isinstance(one, str) for one in sentences]):
        if source is None or len(source) != len(sentences):
            raise UsageError(
                f"{len(sentences)} corrected texts need as many texts before their correction:"
                " source=[…]"
            )
        from sejongud.gec.annotator import Annotator

        pairs = [Pair(a, (str(b),)) for a, b in zip(source, sentences, strict=True)]
        annotator = Annotator(**settings)
        # Tokens may take Kiwi: they are made only to be looked up.
        forms = annotator.forms
        rows = [as_known(whole(pair, forms), known) if known else None for pair in pairs]
        others = [pair for pair, one in zip(pairs, rows, strict=True) if one is None]
        found = annotator.annotated(others)
        return [one or next(found) for one in rows], annotator.settings()
    for one in sentences:
        if not isinstance(one, Corrections):
            raise UsageError(
                f"a sentence with its edits is a Corrections, not a value of type"
                f" {type(one).__name__}: `sejongud.gec.read_m2` reads the sentences of a file"
            )
    return [one for one in sentences if isinstance(one, Corrections)], {}
