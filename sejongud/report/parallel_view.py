"""A page of gold beside a system: each sentence twice, its differences marked.

Sentences are aligned by their eojeols, as `sejongud eval` aligns them; those of a group of several
stand beside one another in order. The differences of a sentence are those of one layer: the
arcs or the tags of its words, its entities, or its constituents. The tags of words that are cut at
two levels are compared morpheme by morpheme. Trees are those that the metric read, and what is
marked in them is what its figures count as wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from itertools import accumulate, zip_longest
from operator import ne
from typing import TYPE_CHECKING, Literal

from sejongud.converters.recut import recuts
from sejongud.errors import Report
from sejongud.evaluation.parse import ParseLabels, ParseMetric, Wrong
from sejongud.evaluation.scores import Confusion, Measured, matrix_rows
from sejongud.evaluation.side import is_punctuation
from sejongud.formats import recognise
from sejongud.formats.misc import WordView, word_views
from sejongud.formats.trees import Terminal, TreeBlock, sentence_of, unescaped
from sejongud.layers.labels import entity_layers, to_text
from sejongud.layers.matching import Group, align_sentences, align_words, pair_words
from sejongud.layers.places import morpheme_spans
from sejongud.layers.subsequence import STRICT, Likeness
from sejongud.model import MORPHEMES, Constituent, Sentence
from sejongud.morphology.eojeol import Assembler
from sejongud.report import LIMIT, short_names
from sejongud.report.chunks import Chart, SentenceData, corpus_page
from sejongud.report.views import Placed, cut_at, read_placed, tree_words
from sejongud.rules import Rules, load
from sejongud.statistics import by_frequency
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from sejongud.converters.recut import Recut
    from sejongud.evaluation.side import Annotation
    from sejongud.files import Source
    from sejongud.formats.brackets import Tree
    from sejongud.report.chunks import Side

    SidePair = tuple[Side, Side]
    """A sentence of gold, one of the system, or both, with their differences."""

Layer = Literal["dep", "pos", "ner", "parse"]
"""The layer that is compared: arcs, tags, entities or constituents, named like the metric."""

Marks = dict[int, str]
"""Word, entity or constituent, from 0 → the difference there."""


def make_comparison(
    paths: tuple[str, str],
    open_source: Callable[[str], Source],
    layer: Layer,
    *,
    likeness: Likeness = STRICT,
    from_: str | None = None,
    punctuation: bool = True,
    xpos: str | None = None,
    scores: Sequence[Sequence[str]] = (),
    rules: str | None = None,
    pairs: Iterable[SidePair] | None = None,
    confusion: Confusion | None = None,
) -> Iterator[str]:
    """Yield the parts of the page of two files.

    Args:
        paths: the file with the right annotation, and that of the system.
        open_source: opens a file.
        layer: the layer that is compared.
        likeness: the words that count as the same.
        from_: the format of both files, None to detect it.
        punctuation: whether words that are punctuation and nothing else are compared.
        xpos: "sejong" to compare the Sejong tags nearest to those of the files, and no UPOS.
        scores: the figures to show: the names of the columns, then the rows.
        rules: the user's tables.
        pairs: the sentences that a metric has compared (`tree_pairs`); None to read the files.
        confusion: the labels that the system takes for others; None for no table of them.

    Raises:
        UsageError: the format of a file is not recognised.
    """
    tables = load(rules)
    if pairs is None:
        sides = [_read(path, open_source, from_, rules) for path in paths]
        sejong = tables if xpos else None
        compared = partial(compare, punctuation=punctuation, sejong=sejong)
        pairs = _pairs(sides, layer, likeness, tables, compared)
    data, differences, count, wrong = _collect(pairs, tables)
    names = short_names(paths)
    shown = sum(data.sizes)
    charts = [Chart("scores", "Scores", "", scores[0], scores[1:])] if scores else []
    if differences:
        rows = [[kind, f"{n:,}"] for kind, n in by_frequency(differences)]
        charts.append(Chart("differences", "Differences", "", ["what", "places"], rows))
    if confusion is not None:
        head, *body = matrix_rows(confusion)
        charts.append(Chart("confusion", f"Confusion: {confusion.kind}", "", head, body))
    tags = {
        tag: [tables.kind(tag), row.description]
        for tag, row in tables.tags.items()
        if tables.kind(tag)
    }
    notices = []
    if shown < count:
        notices.append(f"The first {shown:,} of {count:,} sentences are shown.")
    places = differences.total()
    yield from corpus_page(
        data,
        names,
        {"types": sorted(data.types), "tags": tags, "beside": ["Gold", "System"]},
        title=f"{names[0]} beside {names[1]}",
        summary=f"{counted(places, 'difference[s]')} in {wrong:,} of {count:,} sentences",
        notices=notices,
        tiles={"sentences": count, "with differences": wrong, "differences": places},
        charts=charts,
        drawn=False,
    )


def _collect(
    pairs: Iterable[SidePair], tables: Rules
) -> tuple[SentenceData, Counter[str], int, int]:
    """Pack sentences; return also their differences, their number, and how many of them differ."""
    data = SentenceData(recuts(tables))
    differences: Counter[str] = Counter()
    count = wrong = 0
    for pair in pairs:
        ours, theirs = [
            Counter(k for row in marks.values() for k in row.values()) for _, marks in pair
        ]
        # A place that differs on both sides is one difference.
        differences.update(ours | theirs)
        count += 1
        wrong += bool(ours or theirs)
        if data.sentences < LIMIT:
            data.add_pair(pair)
    data.finish()
    return data, differences, count, wrong


_MARKED: dict[Layer, str] = {"dep": "words", "pos": "words", "ner": "entities"}
"""The units that the marks of a layer stand on."""


def _read(
    path: str, open_source: Callable[[str], Source], from_: str | None, rules: str | None
) -> list[Placed]:
    with open_source(path) as source:
        kind = recognise(from_, source.head())
        return list(read_placed(source, kind, Report(), on_error="skip", rules=rules))


def _pairs(
    sides: Sequence[Sequence[Placed]],
    layer: Layer,
    likeness: Likeness,
    tables: Rules,
    compared: Callable[..., tuple[Marks, Marks]],
) -> Iterator[SidePair]:
    """Yield the sentences that stand beside one another, with their differences."""
    gold, system = sides
    levels = recuts(tables)
    at = [0, 0]
    ours, theirs = (
        [[eojeol.form for eojeol in placed.sentence.eojeols] for placed in side]
        for side in (gold, system)
    )
    for group in align_sentences(ours, theirs, likeness):
        sides = [gold[i] for i in group.gold], [system[i] for i in group.system]
        for left, right in zip_longest(*sides):
            # All of a sentence without a counterpart is a difference.
            marks: tuple[Marks, Marks] = {-1: "sentence"}, {}
            if left and right:
                pair = left.sentence, right.sentence
                cut = None
                if layer == "pos" and _sizes(pair[0]) != _sizes(pair[1]):
                    at = [_level(*one, levels) for one in zip(pair, at, strict=True)]
                    cut = levels[-1] if at[0] != at[1] else None
                marks = compared(*pair, layer, levels[-1], likeness, cut=cut)
            elif right:
                marks = {}, {-1: "sentence"}
            yield (left, {_MARKED[layer]: marks[0]}), (right, {_MARKED[layer]: marks[1]})


def _sizes(sentence: Sentence) -> list[int]:
    """Return the number of morphemes of each word of a treebank; [] for another corpus."""
    return [len(word.morphemes) for word in sentence.words if sentence.is_treebank]


def _level(sentence: Sentence, likely: int, levels: Sequence[Recut]) -> int:
    """Return the level at which the words of a sentence are cut, 0 if there is none."""
    if not sentence.is_treebank:
        return MORPHEMES
    return tree_words(sentence, cut_at(levels, sentence), likely)[1]


def tree_pairs(
    evaluation: Measured,
    gold: Annotation[list[Tree]],
    system: Annotation[list[Tree]],
    *,
    likeness: Likeness = STRICT,
    rules: str | None = None,
) -> Iterator[SidePair]:
    """Yield the trees that stand beside one another, as a metric has aligned and counted them.

    Args:
        evaluation: by the metric `parse`.
        gold: the trees that are right.
        system: the trees that were measured.
        likeness: the words that count as the same.
        rules: the user's tables.
    """
    metric = evaluation.metric
    assert isinstance(metric, ParseMetric | ParseLabels)
    assembler = Assembler(load(rules))
    for unit in evaluation.units:
        group = Group(unit.gold, unit.system, False)
        wrong = metric.wrong(gold.data, system.data, group, likeness)
        sides: list[list[Side]] = [
            [
                _side(side.data[i], i + 1, fault, assembler)
                for i, fault in zip(some, faults, strict=True)
            ]
            for side, some, faults in zip((gold, system), group[:2], wrong, strict=True)
        ]
        yield from zip_longest(*sides, fillvalue=(None, {}))


def _side(tree: Tree, number: int, wrong: Wrong, assembler: Assembler) -> Side:
    """Return the sentence of a tree, and what is wrong in it.

    Each of its words is an eojeol, null elements as well. Constituents have their numbers among
    those with words (`tree_nodes`).
    """
    rows = []
    ends: list[int] = []
    for label, start, end in zip(tree.labels, tree.starts, tree.ends, strict=True):
        while ends and ends[-1] <= start:
            ends.pop()
        rows.append(Constituent(label, start, end, len(ends)))
        ends.append(end)
    words = zip(map(unescaped, tree.words), map(unescaped, tree.tags), strict=True)
    block = TreeBlock(tuple([Terminal(*word) for word in words]), tuple(rows))
    sentence = sentence_of(block, assembler, whole=True)
    sentence.sent_id, sentence.number = str(number), number
    numbers = list(accumulate(map(ne, tree.starts, tree.ends), initial=0))
    constituents = {numbers[i]: "constituent" for i in wrong.constituents}
    marks = {"constituents": constituents, "words": dict.fromkeys(wrong.words, "tag")}
    return Placed(sentence, tree.line, lambda _: tree.line), marks


def compare(
    gold: Sentence,
    system: Sentence,
    layer: Layer,
    morphemes: Callable[[Sentence], Sentence],
    likeness: Likeness = STRICT,
    *,
    cut: Callable[[Sentence], Sentence] | None = None,
    punctuation: bool = True,
    sejong: Rules | None = None,
) -> tuple[Marks, Marks]:
    """Return the differences of two sentences, for each of them.

    Args:
        gold: the right annotation.
        system: that of the system.
        layer: the layer that is compared; `tree_pairs` compares constituents.
        morphemes: cuts a sentence that has no words of a treebank.
        likeness: the words that count as the same.
        cut: cuts the words that are compared; None for the sentences' own, which are marked.
        punctuation: whether words that are punctuation and nothing else are compared.
        sejong: the tables by which Sejong tags are compared; None for the tags of the files.
    """
    if layer == "ner":
        return _unmatched(_entities(gold), _entities(system))
    shown = [one if one.is_treebank else morphemes(one) for one in (gold, system)]
    ours, theirs = [_words(cut(one) if cut else one, sejong) for one in shown]
    forms = [word.form for word in ours], [word.form for word in theirs]
    pairs = pair_words(*forms, align_words(*forms, likeness), likeness)
    kind_of = _arc_kind if layer == "dep" else _tag_kind
    stands_for = {j + 1: i + 1 for i, j in pairs} | {0: 0, -1: -1}
    marks: tuple[Marks, Marks] = ({}, {})
    for i, j in pairs:
        if kind := kind_of(ours[i], theirs[j], stands_for):
            marks[0][i] = marks[1][j] = kind
    for of_side, side, words in zip(marks, (0, 1), (ours, theirs), strict=True):
        paired = {pair[side] for pair in pairs}
        of_side.update(dict.fromkeys(set(range(len(words))) - paired, "word"))
        for i in [] if punctuation else [*of_side]:
            if is_punctuation(forms[side][i]):
                del of_side[i]
    if cut is None:
        return marks
    return _onto(shown[0], ours, marks[0]), _onto(shown[1], theirs, marks[1])


def _words(sentence: Sentence, sejong: Rules | None) -> list[WordView]:
    """Return the words of a sentence, with Sejong tags alone if there are tables."""
    words = list(word_views(sentence))
    if sejong is None:
        return words
    runs = [sentence.eojeols[word.eojeol].morphemes[word.first : word.last] for word in words]
    tags = ["+".join(sejong.sejong_tags(run)) for run in runs]
    return [word._replace(xpos=xpos, upos="") for word, xpos in zip(words, tags, strict=True)]


def _onto(shown: Sentence, words: Sequence[WordView], marks: Marks) -> Marks:
    """Return the marks of words as those of the words that are shown, of which they are parts."""
    kinds = {
        (word.eojeol, place): marks[i]
        for i, word in enumerate(words)
        for place in range(word.first, word.last)
        if i in marks
    }
    places = [[(w.eojeol, i) for i in range(w.first, w.last)] for w in word_views(shown)]
    found = [next((kinds[place] for place in own if place in kinds), "") for own in places]
    return {at: kind for at, kind in enumerate(found) if kind}


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
    """Return the text of a sentence without spaces, and its entities at their places in it."""
    spans = morpheme_spans(sentence)
    places = list(accumulate([char != " " for char in sentence.text], initial=0))
    entities = [
        (entity.type, places[entity.begin], places[entity.end])
        for entities in entity_layers(sentence)
        for entity in to_text(entities, spans)
    ]
    return sentence.text.replace(" ", ""), entities


def _unmatched(
    gold: tuple[str, list[_Item]], system: tuple[str, list[_Item]]
) -> tuple[Marks, Marks]:
    """Return the items that the other side does not have.

    Items are equal by label and place; in texts that differ, by label and text.
    """
    same = gold[0] == system[0]
    ours, theirs = (
        [item if same else (item[0], text[item[1] : item[2]]) for item in items]
        for text, items in (gold, system)
    )
    return _only(ours, theirs), _only(theirs, ours)


def _only(keys: Sequence[Hashable], opposite: Sequence[Hashable]) -> Marks:
    """Mark the items whose keys are not among the others, each of which matches one item."""
    left: defaultdict[Hashable, int] = defaultdict(int, Counter(opposite))
    marks: Marks = {}
    for i, key in enumerate(keys):
        if left[key]:
            left[key] -= 1
        else:
            marks[i] = "entity"
    return marks
