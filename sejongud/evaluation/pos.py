"""Segmentation and tags against gold, at every level of granularity (memoir, ch. 2).

`TokensMetric` has tokens and sentence boundaries alone (jp-preprocessing; memoir, Section 5.1).
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from sejongud.converters.conventions import XPOS
from sejongud.converters.jobs import as_conllu, is_analysed, make_reader
from sejongud.errors import FormatError, Incident, Report, UsageError, expect_choice
from sejongud.evaluation.base import AlignedSides, FScores, refuse
from sejongud.evaluation.inputs import Treebank
from sejongud.evaluation.scores import LabelledItem
from sejongud.evaluation.side import (
    Annotation,
    Found,
    collect,
    is_punctuation,
    joined,
    without_arcs,
)
from sejongud.formats import ANALYSED, resolve, sniff
from sejongud.layers.matching import Group, align_words, count_common, pair_words
from sejongud.levels.cut import Granularity, Shape
from sejongud.memo import remembered
from sejongud.model import LEVELS, Eojeol
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.files import Source
    from sejongud.formats.base import Reader
    from sejongud.layers.subsequence import Likeness
    from sejongud.rules import Rules


Analyses = list["Sequence[Eojeol]"]
"""The eojeols of each sentence."""

_WORDS = tuple(f"Words {level}" for level in LEVELS)
_TAGS = tuple(f"Tags {level}" for level in LEVELS)
_ROWS = [row for rows in zip(_WORDS, _TAGS, strict=True) for row in rows]


class _Level(NamedTuple):
    """The words of some eojeols at one level."""

    forms: list[str]
    tags: list[str]


class PosMetric(FScores["Analyses"]):
    """Counts the words, the tags and the whole analyses that a system has right.

    Args:
        from_: the format of the files, None to detect it.
        punctuation: whether words that are punctuation and nothing else count.
        xpos: "sejong" for the Sejong tags nearest to those of the files; None for their own.
        rules: the user's tables, as for `sejongud.rules.load`.
    """

    confusions = ("tags",)

    def __init__(
        self,
        from_: str | None = None,
        *,
        punctuation: bool = True,
        xpos: str | None = None,
        rules: str | None = None,
    ) -> None:
        super().__init__("pos", ["Sentences", *_ROWS, "Analyses"], _TAGS)
        tables = load(rules)
        self._form = from_
        self._punctuation = punctuation
        self._xpos = xpos
        self.settings = {} if punctuation else {"punctuation": "no"}
        self.settings |= {"xpos": xpos} if xpos else {}
        self._assembler = Assembler(tables)
        self._granularities = [Granularity(tables, level) for level in LEVELS]
        self._cuts: dict[Eojeol, list[_Level]] = {}
        self._folder = rules

    def __reduce__(self) -> tuple[object, tuple[()]]:
        """Return how another process makes the metric: what it remembers stays behind."""
        settings: dict[str, Any] = {
            "punctuation": self._punctuation,
            "xpos": self._xpos,
            "rules": self._folder,
        }
        return partial(type(self), self._form, **settings), ()

    def read(self, source: Source) -> Annotation[Analyses]:
        """Read a file of any format that has morphemes; see `Metric.read`."""
        return read_analyses(source, self._assembler, self._form, self._xpos)

    def _count(self, sides: AlignedSides[Analyses], group: Group) -> Sequence[float]:
        ours, theirs = joined(sides.gold.data, group.gold), joined(sides.system.data, group.system)
        correct: list[Sequence[tuple[int, int]]] = [[(0, 0)] * len(LEVELS)]
        analysed = 0
        our_forms, their_forms = [e.form for e in ours], [e.form for e in theirs]
        for words in align_words(our_forms, their_forms, sides.likeness):
            our_words = ours[words.gold.start : words.gold.stop]
            their_words = theirs[words.system.start : words.system.stop]
            analysed += words.match and _analysis(our_words[0]) == _analysis(their_words[0])
            correct.append(self._correct(our_words, their_words, sides.likeness))
        columns = zip(*correct, strict=True)
        totals = zip(self._totals(ours), self._totals(theirs), columns, strict=True)
        counts = [int(group.one_to_one), len(group.gold), len(group.system)]
        for our_total, their_total, at_level in totals:
            common, same_tags = map(sum, zip(*at_level, strict=True))
            counts += [common, our_total, their_total, same_tags, our_total, their_total, common]
        return [*counts, analysed, len(ours), len(theirs)]

    def _correct(
        self, gold: Sequence[Eojeol], system: Sequence[Eojeol], likeness: Likeness
    ) -> Sequence[tuple[int, int]]:
        """Count the words that aligned eojeols share at each level, and those with the same tag."""
        if [(e.form, e.morphemes) for e in gold] == [(e.form, e.morphemes) for e in system]:
            return [(size, size) for size in self._totals(gold)]
        cuts = zip(self._cut(gold), self._cut(system), strict=True)
        return [_common(ours, theirs, likeness) for ours, theirs in cuts]

    def _totals(self, eojeols: Sequence[Eojeol]) -> Sequence[int]:
        """Return the number of words of some eojeols at each level."""
        sizes = [self._sizes[eojeol] for eojeol in eojeols]
        return [sum(column) for column in zip(*sizes, strict=True)] or [0] * len(LEVELS)

    @remembered()
    def _sizes(self, eojeol: Eojeol) -> Sequence[int]:
        """Return the number of words of an eojeol at each level."""
        if not self._punctuation:
            return [len(cut.forms) for cut in self._levels(eojeol)]
        tags = self._assembler.rules.sejong_tags(eojeol.morphemes)
        sizes = () if " " in eojeol.form else self._sizes_by_tags[tags]
        return sizes or [sum(map(len, one.shape(eojeol))) for one in self._granularities]

    @remembered()
    def _sizes_by_tags(self, tags: tuple[str, ...]) -> Sequence[int]:
        """Return the number of words of an eojeol at each level; () if its forms must tell it."""
        sizes = [len(one.sizes(tags, tags)) for one in self._granularities]
        return sizes if all(sizes) else ()

    def _items(self, sides: AlignedSides[Analyses], group: Group) -> list[LabelledItem]:
        """Return the tags of the morphemes that both sides have."""
        ours = self._cut(joined(sides.gold.data, group.gold))[-1]
        theirs = self._cut(joined(sides.system.data, group.system))[-1]
        words = align_words(ours.forms, theirs.forms, sides.likeness)
        return [
            LabelledItem(ours.tags[i], theirs.tags[j], group.gold.start, ours.forms[i])
            for i, j in pair_words(ours.forms, theirs.forms, words, sides.likeness)
        ]

    def _cut(self, eojeols: Sequence[Eojeol]) -> list[_Level]:
        """Return the words of neighbouring eojeols at each level."""
        cuts = [self._levels(eojeol) for eojeol in eojeols]
        if len(cuts) == 1:
            return cuts[0]
        at_levels = zip(*cuts, strict=True) if cuts else [()] * len(LEVELS)
        return [
            _Level(
                [form for cut in run for form in cut.forms], [t for cut in run for t in cut.tags]
            )
            for run in at_levels
        ]

    def _levels(self, eojeol: Eojeol) -> list[_Level]:
        """Return the words of an eojeol at each level, cut once."""
        if (cuts := self._cuts.get(eojeol)) is None:
            by_shape: dict[Shape, _Level] = {}
            cuts = self._cuts[eojeol] = []
            for granularity in self._granularities:
                shape = granularity.shape(eojeol)
                if shape not in by_shape:
                    by_shape[shape] = self._level(eojeol, granularity, shape)
                cuts.append(by_shape[shape])
        return cuts

    def _level(self, eojeol: Eojeol, granularity: Granularity, shape: Shape) -> _Level:
        """Return the words of an eojeol that a shape cuts."""
        if eojeol.is_plain:
            ends = list(accumulate(chain.from_iterable(shape)))
            runs = [eojeol.morphemes[start:end] for start, end in pairwise([0, *ends])]
            words = [("".join([m[0] for m in run]), "+".join([m[1] for m in run])) for run in runs]
        else:
            tokens = granularity.tokens(eojeol)
            words = [(word.form, word.xpos) for token in tokens for word in token.words]
        if not self._punctuation:
            words = [word for word in words if not is_punctuation(word[0])]
        return _Level([form for form, _ in words], [tag for _, tag in words])


def _common(gold: _Level, system: _Level, likeness: Likeness) -> tuple[int, int]:
    """Count the words that two aligned pieces share, and those of them with the same tag."""
    if gold == system:
        return len(gold.forms), len(gold.forms)
    groups = align_words(gold.forms, system.forms, likeness)
    pairs = pair_words(gold.forms, system.forms, groups, likeness)
    return len(pairs), sum(gold.tags[i] == system.tags[j] for i, j in pairs)


def _analysis(eojeol: Eojeol) -> list[tuple[str, str]]:
    return [(morpheme.form, morpheme.tag) for morpheme in eojeol.morphemes]


def read_analyses(
    source: Source, assembler: Assembler, form: str | None = None, xpos: str | None = None
) -> Annotation[Analyses]:
    """Read the eojeols of a file; an eojeol that cannot be read is unknown and reported.

    Tags are those that the file has: what a conversion takes for a typo is not mended.

    Args:
        source: the file.
        assembler: builds the eojeols; files that share one have the same object for the same
            analysis.
        form: the format, None to detect it.
        xpos: "sejong" for the Sejong tags nearest to those of the file; None for its own.

    Raises:
        UsageError: the file has no morphemes, or there is no such format or tag set.
    """
    if xpos not in (None, *XPOS):
        raise UsageError(f"there is no tag set {xpos}: {', '.join(XPOS)}")
    name = resolve(form, source.head(), source.path)
    corpus = name.partition(":")[0]
    reader = make_reader(name, assembler, keep=True)
    if corpus == "text":
        raise UsageError(f"{source.path} is plain text: it has no morphemes")
    layout = getattr(reader, "layout", None)
    if is_analysed(name) and not getattr(layout, "has_morphemes", False):
        raise UsageError(
            f"{source.path} has no morphemes ({corpus}): convert it first, and then Kiwi's are"
            " compared"
        )
    side = collect(source.path, _sentences(reader, source, assembler, xpos))
    return side._replace(form=corpus)


def _sentences(
    reader: Reader, source: Source, assembler: Assembler, xpos: str | None
) -> Iterator[Found[Sequence[Eojeol]] | Incident]:
    for block in reader.blocks_of(source):
        try:
            eojeols = without_arcs(reader, block).eojeols
        except FormatError as error:
            yield error.at(path=source.path, line=block.line).incident()
            continue
        for index, eojeol in enumerate(eojeols):
            for code, message, _ in eojeol.notes:
                if code.startswith("E"):
                    line, number = reader.line_of(block, index), str(index + 1)
                    yield Incident(code, message, source.path, line, 0, block.sent_id, number)
        written = [_as_written(eojeol, assembler, xpos) for eojeol in eojeols]
        yield block.line, [eojeol.form for eojeol in eojeols], written


def _as_written(eojeol: Eojeol, assembler: Assembler, xpos: str | None) -> Eojeol:
    """Return an eojeol with the tags of the file, or with those of a tag set."""
    morphemes = eojeol.morphemes
    if any([morpheme.source_tag for morpheme in morphemes]):
        own = [m._replace(tag=m.source_tag or m.tag, source_tag="") for m in morphemes]
        morphemes = tuple(own)
    if xpos:
        morphemes = assembler.rules.in_sejong(morphemes)
    return eojeol if morphemes is eojeol.morphemes else assembler.eojeol(eojeol.form, morphemes)


def other_tags(side: Annotation[Analyses], rules: Rules) -> set[str]:
    """Return the tags of a side for which the Sejong tag set has others."""
    morphemes = {m[:2] for sentence in side.data for eojeol in sentence for m in eojeol.morphemes}
    return {tag for form, tag in morphemes if rules.sejong_tag(form, tag) != tag}


Kind = Literal["token", "word", "morpheme"]
"""The units that are counted within a sentence."""

UNITS: tuple[Kind, ...] = get_args(Kind)

_TEXTS = (*ANALYSED, "tokens", "text")
"""The formats whose lines are text; those of any other would be read as if they were."""

Units = list[list[str]]
"""The tokens, words or morphemes of each sentence."""


class TokensMetric(FScores["Units"]):
    """Counts the sentences and the units that two segmentations of a text have in common.

    Args:
        unit: the units that are counted.
        from_: `text`, `conllu`, for morphemes any format; None to detect it.
        rules: the user's tables, as for `sejongud.rules.load`.

    >>> gold, system = read_text(["B H CL FL HM H NEIM"]), read_text(["B CL FL HM HNEIM"])
    >>> [found] = TokensMetric().measure(gold, system)
    >>> found.scores[1].counts
    {'tp': 4, 'fp': 1, 'fn': 3}
    """

    lists = "tokens"

    def __init__(
        self, unit: Kind = "token", from_: str | None = None, rules: str | None = None
    ) -> None:
        if from_ is not None and unit != "morpheme":
            expect_choice("from_", from_, ("text", "conllu"))
        super().__init__("tokens", ["Sentences", f"{unit.capitalize()}s"])
        self.settings = {"unit": unit}
        self._unit = unit
        self._form = from_
        self._rules = rules

    def read(self, source: Source) -> Annotation[Units]:
        """Read a file; see `Metric.read`."""
        if self._unit == "morpheme":
            return self._read_morphemes(source)
        head = source.head()
        if self._form == "conllu" or (self._form is None and sniff(head, ("conllu", "jsonl"))):
            told: list[Incident] = []
            with as_conllu(source, Report(told.append), on_error="skip") as text:
                bank = Treebank.read(text.chunks(), text.path)
            units = bank.token_sentences if self._unit == "token" else bank.word_sentences
            return bank.side(units, told)._replace(form="conllu")
        if self._form is None:
            refuse(source, *_TEXTS)
        if self._form is None and (found := sniff(head, ANALYSED)):
            raise UsageError(
                f"{source.path} looks like {found.name}, of which only morphemes are counted"
                " (--unit morpheme); convert it first, or add --from text if its lines hold tokens"
            )
        if self._unit != "token":
            raise UsageError(f"{source.path} is plain text: it has tokens, no {self._unit}s")
        return read_text(source.lines(), source.path)._replace(form="text")

    def _read_morphemes(self, source: Source) -> Annotation[Units]:
        side = read_analyses(source, Assembler(load(self._rules)), self._form)
        units = [
            [morpheme.form for eojeol in eojeols for morpheme in eojeol.morphemes]
            for eojeols in side.data
        ]
        return side.with_data(units)

    def _count(self, sides: AlignedSides[Units], group: Group) -> Sequence[float]:
        ours, theirs = joined(sides.gold.data, group.gold), joined(sides.system.data, group.system)
        counts = int(group.one_to_one), len(group.gold), len(group.system)
        return (*counts, count_common(ours, theirs, sides.likeness), len(ours), len(theirs))


def read_text(lines: Iterable[str], path: str = "-") -> Annotation[Units]:
    """Read plain text: a sentence on each line, spaces between tokens; blank lines do not count.

    Args:
        lines: the lines without their ends.
        path: the name of the file.
    """
    numbered = enumerate(map(str.split, lines), 1)
    return collect(path, [(number, tokens, tokens) for number, tokens in numbered if tokens])
