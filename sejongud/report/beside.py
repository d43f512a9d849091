"""A page of gold beside a system: each sentence twice, its differences marked.

Sentences are aligned by their eojeols, as `sejongud eval` aligns them; those of a group of several
stand beside one another in order. The differences of a sentence are those of one layer: the
arcs or the tags of its words, its entities, or its constituents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud import __version__
from sejongud.converters.recut import recuts
from sejongud.errors import Report
from sejongud.formats import recognise
from sejongud.formats.words import word_views
from sejongud.layers.labels import entity_layers, to_text
from sejongud.layers.matching import STRICT, align_sentences, align_words, pair_words
from sejongud.layers.places import morpheme_spans
from sejongud.report.build import LIMIT, short_names
from sejongud.report.charts import Chart
from sejongud.report.chunks import Beside, SentenceData
from sejongud.report.page import data_script, page
from sejongud.report.reading import read_placed
from sejongud.report.views import by_eojeol, tree_nodes
from sejongud.rules import load
from sejongud.statistics import by_frequency
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from sejongud.files import Source
    from sejongud.formats.words import WordView
    from sejongud.layers.matching import Likeness
    from sejongud.model import Sentence
    from sejongud.report.reading import Placed
    from sejongud.rules import Rules

Layer = Literal["dep", "pos", "ner", "parse"]
"""The layer that is compared: arcs, tags, entities or constituents, named like the metric."""

Marks = dict[int, str]
"""Word, entity or constituent, from 0 → the difference there."""


class _Pair(NamedTuple):
    """A sentence of gold, one of the system, or both."""

    gold: Placed | None
    system: Placed | None


def make_comparison(
    paths: tuple[str, str],
    open_source: Callable[[str], Source],
    layer: Layer,
    *,
    likeness: Likeness = STRICT,
    from_: str | None = None,
    scores: Sequence[Sequence[str]] = (),
    rules: str | None = None,
) -> Iterator[str]:
    """Yield the parts of the page of two files.

    Args:
        paths: the file with the right annotation, and that of the system.
        open_source: opens a file.
        layer: the layer that is compared.
        likeness: the words that count as the same.
        from_: the format of both files, None to detect it.
        scores: the figures to show: the names of the columns, then the rows.
        rules: the user's tables.

    Raises:
        UsageError: the format of a file is not recognised.
    """
    tables = load(rules)
    sides = [_read(path, open_source, from_, rules) for path in paths]
    data, differences, sizes = _collect(sides, layer, likeness, tables)
    names = short_names(paths)
    shown = sum([chunk.sentences for chunk in data.chunks])
    charts = [Chart("scores", "Scores", "", scores[0], scores[1:])] if scores else []
    if differences:
        rows = [[kind, f"{n:,}"] for kind, n in by_frequency(differences)]
        charts.append(Chart("differences", "Differences", "", ["what", "places"], rows))
    meta = {
        "files": names,
        "chunks": [chunk.sentences for chunk in data.chunks],
        "types": sorted(data.types),
        "tags": {
            tag: [tables.kind(tag), one.description]
            for tag, one in tables.tags.items()
            if tables.kind(tag)
        },
        "codes": {},
        "incidents": 0,
        "beside": ["Gold", "System"],
    }
    notices = []
    if shown < sizes.pairs:
        notices.append(f"The first {shown:,} of {sizes.pairs:,} sentences are shown.")
    places = differences.total()
    said = counted(places, "difference[s]")
    yield from page(
        title=f"{names[0]} beside {names[1]}",
        summary=f"{said} in {sizes.wrong:,} of {sizes.pairs:,} sentences",
        generator=f"sejongud {__version__}",
        notices=notices,
        tiles={"sentences": sizes.pairs, "with differences": sizes.wrong, "differences": places},
        charts=charts,
        drawn=False,
        incidents=0,
        codes=[],
        meta=data_script(meta),
        packed={f"chunk-{at}": chunk.text for at, chunk in enumerate(data.chunks)},
    )


class _Sizes(NamedTuple):
    """The numbers of sentences beside one another, and of those that differ."""

    pairs: int
    wrong: int


def _collect(
    sides: Sequence[Sequence[Placed]], layer: Layer, likeness: Likeness, tables: Rules
) -> tuple[SentenceData, Counter[str], _Sizes]:
    """Compare the sentences of two files, and pack them."""
    gold, system = sides
    levels = recuts(tables)
    data = SentenceData()
    differences: Counter[str] = Counter()
    pairs = wrong = 0
    for pair in _pairs(gold, system, likeness):
        marks = _marks(pair, layer, levels[-1], likeness)
        kinds = [kind for of in marks for kind in of.values()]
        # A place that differs on both sides is one difference.
        differences.update(Counter(marks[0].values()) | Counter(marks[1].values()))
        pairs += 1
        wrong += bool(kinds)
        if data.sentences < LIMIT:
            data.add_pair(
                [
                    one
                    and Beside(
                        one,
                        by_eojeol([level.tokens(one.sentence) for level in levels]),
                        {_MARKED[layer]: own} if own else {},
                    )
                    for one, own in zip(pair, marks, strict=True)
                ]
            )
    data.finish()
    return data, differences, _Sizes(pairs, wrong)


_MARKED: dict[Layer, str] = {
    "dep": "words",
    "pos": "words",
    "ner": "entities",
    "parse": "constituents",
}
"""The units that the marks of a layer stand on."""


def _read(
    path: str, open_source: Callable[[str], Source], from_: str | None, rules: str | None
) -> list[Placed]:
    with open_source(path) as source:
        kind = recognise(from_, source.head())
        return list(read_placed(source, kind, Report(), on_error="skip", rules=rules))


def _pairs(gold: Sequence[Placed], system: Sequence[Placed], likeness: Likeness) -> Iterator[_Pair]:
    """Yield the sentences that stand beside one another."""
    ours, theirs = (
        [[eojeol.form for eojeol in one.sentence.eojeols] for one in side]
        for side in (gold, system)
    )
    for group in align_sentences(ours, theirs, likeness):
        sides = [gold[at] for at in group.gold], [system[at] for at in group.system]
        yield from [_Pair(*pair) for pair in zip_longest(*sides)]


def _marks(
    pair: _Pair, layer: Layer, morphemes: Callable[[Sentence], Sentence], likeness: Likeness
) -> tuple[Marks, Marks]:
    if pair.gold is None or pair.system is None:
        # All of the sentence is a difference.
        return ({}, {-1: "sentence"}) if pair.gold is None else ({-1: "sentence"}, {})
    return compare(pair.gold.sentence, pair.system.sentence, layer, morphemes, likeness)


def compare(
    gold: Sentence,
    system: Sentence,
    layer: Layer,
    morphemes: Callable[[Sentence], Sentence],
    likeness: Likeness = STRICT,
) -> tuple[Marks, Marks]:
    """Return the differences of two sentences, for each of them.

    Args:
        gold: the right annotation.
        system: that of the system.
        layer: the layer that is compared.
        morphemes: cuts a sentence that has no words of a treebank.
        likeness: the words that count as the same.
    """
    if layer == "ner":
        return _unmatched(_entities(gold), _entities(system), "entity")
    if layer == "parse":
        return _unmatched(_constituents(gold), _constituents(system), "constituent")
    ours, theirs = (
        list(word_views(one if one.is_treebank else morphemes(one))) for one in (gold, system)
    )
    forms = [word.form for word in ours], [word.form for word in theirs]
    pairs = pair_words(*forms, align_words(*forms, likeness), likeness)
    kind_of = _arc_kind if layer == "dep" else _tag_kind
    stands_for = {j + 1: i + 1 for i, j in pairs} | {0: 0, -1: -1}
    found: tuple[Marks, Marks] = ({}, {})
    for i, j in pairs:
        if kind := kind_of(ours[i], theirs[j], stands_for):
            found[0][i] = found[1][j] = kind
    for own, side, words in zip(found, (0, 1), (ours, theirs), strict=True):
        paired = {pair[side] for pair in pairs}
        own.update(dict.fromkeys(set(range(len(words))) - paired, "word"))
    return found


def _arc_kind(gold: WordView, system: WordView, stands_for: dict[int, int]) -> str:
    """Return what differs in the arcs of two words, "" if nothing does."""
    head = gold.head != stands_for.get(system.head)
    deprel = gold.deprel != system.deprel
    return "head and relation" if head and deprel else "head" if head else "relation" * deprel


def _tag_kind(gold: WordView, system: WordView, _: dict[int, int]) -> str:
    """Return what differs in the tags of two words, "" if nothing does."""
    xpos, upos = gold.xpos != system.xpos, gold.upos != system.upos
    return "UPOS and XPOS" if xpos and upos else "UPOS" if upos else "XPOS" * xpos


_Item = tuple[str, int, int]
"""A label, and the first character and the end in the text without spaces."""


def _entities(sentence: Sentence) -> tuple[str, list[_Item]]:
    """Return the text of a sentence without spaces, and its entities."""
    spans = morpheme_spans(sentence)
    found = [
        (entity.type, covered.begin, covered.end)
        for entities in entity_layers(sentence)
        for entity, covered in zip(entities, to_text(entities, spans), strict=True)
    ]
    return _without_spaces(sentence.text, found)


def _constituents(sentence: Sentence) -> tuple[str, list[_Item]]:
    """Return the text of a sentence without spaces, and its constituents that have words."""
    spans = morpheme_spans(sentence)
    found = [
        (one.label, spans[one.start][0], spans[one.end - 1][1])
        for one in tree_nodes(sentence.constituents)
    ]
    return _without_spaces(sentence.text, found)


def _without_spaces(text: str, items: list[_Item]) -> tuple[str, list[_Item]]:
    """Return a text without spaces, and items at their places in it."""
    places = [0]
    for char in text:
        places.append(places[-1] + (char != " "))
    return text.replace(" ", ""), [(label, places[a], places[b]) for label, a, b in items]


def _unmatched(
    gold: tuple[str, list[_Item]], system: tuple[str, list[_Item]], kind: str
) -> tuple[Marks, Marks]:
    """Return the items that the other side does not have.

    Items are equal by label and place; in texts that differ, by label and text.
    """
    same = gold[0] == system[0]
    ours, theirs = (
        [item if same else (item[0], text[item[1] : item[2]]) for item in items]
        for text, items in (gold, system)
    )
    return _only(ours, theirs, kind), _only(theirs, ours, kind)


def _only(keys: Sequence[Hashable], others: Sequence[Hashable], kind: str) -> Marks:
    """Mark the items whose keys are not among the others, each of which matches one item."""
    left: defaultdict[Hashable, int] = defaultdict(int, Counter(others))
    marks: Marks = {}
    for at, key in enumerate(keys):
        if left[key]:
            left[key] -= 1
        else:
            marks[at] = kind
    return marks
