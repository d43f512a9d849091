"""The sentences of any file that can be read, with their places, and their layers in a view.

Corpora of entities (KLUE-NER, NAVER …) and of frames have no morphemes: Kiwi analyses them, as in
`sejongud ner` and `sejongud frame`.

A dependency tree is drawn with lines beside words that stand below one another:

  ╭─ 서울대학교의
╭─╯  연구는
├    끝났다
╰─   .

The layers are its levels, entities, frames, constituents and the treebank's own words.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.jobs import Conversion
from sejongud.formats import Detection, resolve
from sejongud.formats.conllu.layers import target_units
from sejongud.formats.misc import WordView, word_views
from sejongud.layers.arcs import circles
from sejongud.layers.labels import find_entities, flat_labels
from sejongud.layers.trees import nulls
from sejongud.model import LEVELS, MORPHEMES, NOTHING
from sejongud.validation.checks import CONLLU_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sejongud.converters.recut import Recut
    from sejongud.errors import Incident, OnError, Report
    from sejongud.files import Source
    from sejongud.formats.base import Reader
    from sejongud.model import Constituent, Eojeol, Sentence, Token


class Placed(NamedTuple):
    """A sentence and its place in the file."""

    sentence: Sentence
    line: int
    """The first line of the sentence; 0 if it is unknown."""
    line_of: Callable[[int], int]
    """The function that returns the line of an eojeol, counted from 0."""
    lines: str = ""
    """The lines of the sentence in a file of CoNLL-U, without the blank line behind it."""

    def eojeol_of(self, incident: Incident) -> int:
        """Return the eojeol that an incident is about, from 1; 0 for the whole sentence.

        The token of an incident is the number of a word if a check of CoNLL-U found it, and the
        number of an eojeol otherwise.
        """
        first = incident.token.partition("-")[0]
        number = int(first) if first.isascii() and first.isdigit() and len(first) < 10 else 0
        if incident.code not in CONLLU_CHECKS:
            return number if number <= len(self.sentence.eojeols) else 0
        owners = enumerate(self.sentence.eojeols)
        eojeols = [at for at, own in owners for token in own.tokens for _ in token.words]
        if 0 < number <= len(eojeols):
            return eojeols[number - 1] + 1
        if not incident.token or not incident.line or not self.line:
            return 0
        starts = [self.line_of(at) for at in range(len(self.sentence.eojeols))]
        return bisect_right(starts, incident.line)


def read_placed(
    source: Source,
    kind: Detection,
    report: Report,
    *,
    on_error: OnError,
    rules: str | None = None,
    known: Reader | None = None,
) -> Iterator[Placed]:
    """Yield the sentences of a file.

    Args:
        source: the file.
        kind: the format of the file, see `recognise`.
        report: the report of all incidents.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        known: a reader that has read the same file with the same settings; it knows its eojeols.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
    """
    path = source.path
    name = resolve(kind.spec, source.head(), path, rules)
    conversion = Conversion(name, on_error=on_error, rules=rules)
    reader = conversion.make_reader() if known is None else known.reset()
    for block, sentence in reader.pairs_of(source, on_error, report):
        lines = block.text.rstrip("\n") if kind.name == "conllu" else ""
        yield Placed(sentence, block.line, partial(reader.line_of, block), lines)


STROKES = "╭╮╰╯├┤─│┼"
"""The characters of all lines."""


class _Trunk(NamedTuple):
    """The upright line of a governor: its column, its first and its last word."""

    column: int
    first: int
    last: int


DEEPEST = 100
"""The rows of a phrase structure, and how many arcs of a dependency tree are drawn above one
another: a drawing would otherwise grow with the square of the depth."""


def draw_tree(heads: Sequence[int]) -> tuple[list[str], int]:
    """Return the lines that stand left of each word, and how many arcs are too deep for them.

    Args:
        heads: the head of each word, from 1; 0 for a root, -1 for none. A cycle is cut at one of
            its arcs; a word below no root is drawn like a root.

    >>> print("\\n".join(draw_tree([2, 3, 0, 3])[0]))
      ╭─
    ╭─╯
    ├
    ╰─
    """
    # The governor of each word, from 0; -1 if it has none, or where a cycle is cut.
    above = [head - 1 if 0 < head <= len(heads) else -1 for head in heads]
    for circle in circles(heads):
        above[circle[-1]] = -1
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(above):
        if head >= 0:
            below[head].append(word)
    trunks: dict[int, _Trunk] = {}
    level = [word for word, head in enumerate(above) if head < 0 and below[word]]
    for _ in range(DEEPEST):
        ends = {word: (min(word, below[word][0]), max(word, below[word][-1])) for word in level}
        for word in sorted(level, key=lambda word: (ends[word][1] - ends[word][0], word)):
            first, last = ends[word]
            # The first column right of the governor's own in which no other line is in the way.
            column = trunks[above[word]].column + 1 if above[word] >= 0 else 0
            taken = {t.column for t in trunks.values() if t.first <= last and first <= t.last}
            while column in taken:
                column += 1
            trunks[word] = _Trunk(column, first, last)
        level = [dependent for word in level for dependent in below[word] if below[dependent]]
    lines = [_branch(word, head, trunks) for word, head in enumerate(above)]
    return lines, len([head for head in above if head >= 0 and head not in trunks])


def _branch(word: int, head: int, trunks: Mapping[int, _Trunk]) -> str:
    """Return the lines left of a word: passing trunks, the arc from its head, its own trunk."""
    passing = {
        trunk.column
        for of_trunk, trunk in trunks.items()
        if trunk.first <= word <= trunk.last and of_trunk not in (word, head)
    }
    below, governor = trunks.get(word), trunks.get(head)
    start = governor.column if governor else -1
    last = max([start, below.column if below else -1, *passing])
    # The arc ends at the word's own trunk, or at the word.
    arc = range(start, below.column if below else last + 1) if governor else range(0)
    chars = []
    for column in range(last + 1):
        if below and column == below.column:
            chars.append(_end(word, below, "╮╯┤" if governor else "╭╰├"))
        elif governor and column == start:
            chars.append(_end(word, governor, "╭╰├"))
        elif column in passing:
            chars.append("┼" if column in arc else "│")
        else:
            chars.append("─" if column in arc else " ")
        chars.append("─" if column in arc else " ")
    return "".join(chars).rstrip(" ")


def _end(word: int, trunk: _Trunk, strokes: str) -> str:
    """Return the stroke of a word at the first, the last or another place of a trunk."""
    first, last, between = tuple(strokes)
    return first if word == trunk.first else last if word == trunk.last else between


Levels = tuple[tuple["Token", ...], ...]
"""The tokens of an eojeol at each of the five levels."""

_USUAL = (MORPHEMES, 2, *LEVELS[-2::-1])
"""The levels in the order in which the words of treebanks are usually cut."""


def cut_at(levels: Sequence[Recut], sentence: Sentence) -> list[Levels]:
    """Return the levels of each eojeol of a sentence."""
    return list(zip(*[level.tokens(sentence) for level in levels], strict=True))


class Box(NamedTuple):
    """A part of a frame: its target, or a frame element."""

    name: str
    """The name of the frame or of the frame element."""
    unit: str
    """The lexical unit of a target, "" for a frame element."""
    begin: int
    """The first morpheme, from 0 in the sentence."""
    end: int
    row: int
    """0, or 1 for a frame element that shares morphemes with the target."""


def frame_boxes(sentence: Sentence) -> list[list[Box]]:
    """Return the boxes of each instance of a frame, over the morphemes of a sentence.

    Eojeols beside one another that have one lexical unit and one frame are one box.
    """
    eojeols = sentence.eojeols
    instances = []
    for instance in sentence.frames:
        owners = target_units(eojeols, instance)
        boxes = []
        place = 0
        for owner, run in groupby(owners):
            end = place + len(list(run))
            if owner is not None:
                unit, frame = owner
                boxes.append(Box(frame, unit, place, end, 0))
            place = end
        for entity in find_entities(flat_labels(eojeols, instance.labels)):
            shares = any(owners[entity.begin : entity.end])
            boxes.append(Box(entity.type, "", entity.begin, entity.end, int(shares)))
        instances.append(sorted(boxes, key=lambda box: (box.row, box.begin)))
    return instances


def tree_nodes(layer: Sequence[Constituent]) -> list[Constituent]:
    """Return the constituents that have words; null elements stand in the label around them.

    Args:
        layer: the constituents of a sentence.

    >>> from sejongud.model import Constituent
    >>> rows = [("S", 0, 4, 0), ("NP", 0, 0, 1), ("*pro*", 0, 0, 2), ("VP", 0, 4, 1)]
    >>> [one.label for one in tree_nodes([Constituent(*row) for row in rows])]
    ['S (NP *pro*)', 'VP']
    """
    nodes: list[Constituent] = []
    labels: list[str] = []
    around: list[tuple[int, int, str]] = []
    """Of those that are open: the depth, the number in `nodes`, and what closes the bracket."""

    def close(depth: int) -> None:
        while around and around[-1][0] >= depth:
            _, number, bracket = around.pop()
            labels[number] += bracket

    for node, is_null in zip(layer, nulls(layer), strict=True):
        close(node.depth)
        if node.start < node.end:
            around.append((node.depth, len(nodes), ""))
            nodes.append(node)
            labels.append(node.label)
        elif around:
            number = around[-1][1]
            labels[number] += f" {node.label}" if is_null else f" ({node.label}"
            around += [] if is_null else [(node.depth, number, ")")]
    close(0)
    return [node._replace(label=label) for node, label in zip(nodes, labels, strict=True)]


def tree_words(
    sentence: Sentence, levels: Sequence[Levels], likely: int = MORPHEMES
) -> tuple[list[WordView], int]:
    """Return the treebank's own words, and the level at which they are cut, 0 if there is none.

    Their forms are those of the level, or of their morphemes if there is no level.

    Args:
        sentence: a sentence with words of its own.
        levels: the levels of each eojeol.
        likely: the level to try first.
    """
    words = list(word_views(sentence))
    sizes = [_sizes(eojeol.tokens) for eojeol in sentence.eojeols]
    # The words of many sentences are equal at several levels.
    for level in (likely or _USUAL[0], *_USUAL):
        if sizes == [_sizes(cut[level - 1]) for cut in levels]:
            of_level = [word for cut in levels for token in cut[level - 1] for word in token.words]
            pairs = zip(words, of_level, strict=True)
            return [word._replace(form=with_form.form) for word, with_form in pairs], level
    forms = [_form(sentence.eojeols[word.eojeol], word) for word in words]
    return [word._replace(form=form) for word, form in zip(words, forms, strict=True)], 0


def _sizes(tokens: tuple[Token, ...]) -> list[int]:
    """Return the number of morphemes of each word of an eojeol."""
    return [len(word.morphemes) for token in tokens for word in token.words]


def _form(eojeol: Eojeol, c: WordView) -> str:
    """Return the form of a word of no level: its part of the surface, or its joined morphemes."""
    spans, first, last = eojeol.spans, c.first, c.last
    if first == last:
        return NOTHING
    begin, end = spans[first][0], spans[last - 1][1]
    left = first == 0 or spans[first - 1][1] <= begin
    right = last == len(spans) or spans[last][0] >= end
    joined = "".join([m.form for m in eojeol.morphemes[first:last]])
    return (eojeol.form[begin:end] if left and right else joined) or NOTHING
