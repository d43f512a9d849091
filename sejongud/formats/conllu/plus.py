"""CoNLL-U Plus: layers in columns of their own behind the ten of CoNLL-U.

Labels of entities are read as items of MISC and written with the words of their eojeol. The columns
of any other layer are declared by a `Layer`: its columns, its keys of MISC, its cells, and the way
back from the cells. `LAYERS` is the register.

Other columns are carried along as items of MISC of their words (`Plus:PARSEME:MWE=1:VID`), which no
cut loses, and are written as columns again. The first part of a word that is split has its cells.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError, Note
from sejongud.formats.base import SENT_ID
from sejongud.formats.conllu.layers import (
    FRAME_COLUMNS,
    FRAME_KEYS,
    TREE_COLUMNS,
    frame_cells,
    frame_comments,
    give_constituents,
    give_frames,
    tree_cells,
)
from sejongud.formats.conllu.rows import COLUMNS
from sejongud.formats.misc import escape_misc, label_key, misc_items, unescape_misc, without_items
from sejongud.layers.labels import lost_frames, not_written
from sejongud.model import NOTHING, Sentence, with_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Sized


PLUS = "global.columns = "
NE_COLUMN = "SEJONGUD:"
"""The columns of labels are called so, before their key."""
NO_LABEL = frozenset({"_", "*"})
"""A column of labels holds these where there is none."""
_MISC = len(COLUMNS) - 1
_CARRIED, _OF_RANGE = "Plus:", "PlusRange:"
"""The beginnings of the keys of MISC for columns of no layer: those of a word, and of a range."""
_EMPTY = {"PARSEME:MWE": "*"}
"""The cells of such columns that say nothing, if not `_`."""

Cells = list[tuple[str, ...]]
"""The cells of a layer: of each word of a sentence, in order, those of the columns and the keys.
An empty cell is `_`."""


class Layer(NamedTuple):
    """A layer that has columns of its own.

    A layer may have several instances in a sentence. The columns and keys of the second instance
    end in 2 (`FRAME:TARGET2`), those of the third instance in 3.
    """

    name: str
    """The field of `Sentence` that holds the layer."""
    columns: tuple[str, ...]
    """The names of the columns, in order."""
    keys: tuple[str, ...]
    """The keys of the items in MISC that belong to the layer; () if there are none."""
    cells: Callable[[Sentence], list[Cells]]
    """Returns the cells of each instance in a sentence whose words have been cut."""
    give: Callable[[Sentence, list[Cells]], None]
    """Gives a sentence the instances of the cells in a file; the inverse of `cells`."""
    comments: Callable[[Sentence], tuple[str, ...]] = lambda _: ()
    """Returns the comments of the layer, which are written behind those of the sentence. `give`
    finds them among the comments of the sentence."""
    is_one: bool = False
    """Whether all that a sentence has of the layer is one instance."""

    def instances(self, of_sentence: Mapping[str, Sized]) -> int:
        """Return how many instances a sentence has, given its layers by their names."""
        count = len(of_sentence.get(self.name, ()))
        return min(count, 1) if self.is_one else count


LAYERS: tuple[Layer, ...] = (
    Layer("frames", FRAME_COLUMNS, FRAME_KEYS, frame_cells, give_frames, frame_comments),
    Layer("constituents", TREE_COLUMNS, (), tree_cells, give_constituents, is_one=True),
)
"""The layers besides the labels of entities."""


class _Used(NamedTuple):
    """A layer that a file has."""

    layer: Layer
    instances: int
    start: int
    """The number of its first column in a row, from 0."""

    def keys(self, at: int) -> list[str]:
        """Return the keys of MISC of an instance, counted from 0."""
        return _numbered(self.layer.keys, at)


def instance_columns(names: Sequence[str], instances: int) -> tuple[str, ...]:
    """Return the columns of all instances of a layer.

    >>> instance_columns(["A", "B"], 2)
    ('A', 'B', 'A2', 'B2')
    """
    return tuple([name for at in range(instances) for name in _numbered(names, at)])


def layers_of(sentence: Sentence) -> dict[str, Sized]:
    """Return the layers of a sentence that have columns of their own, by their names."""
    return {layer.name: getattr(sentence, layer.name) for layer in LAYERS}


def needed_columns(sentences: Iterable[Mapping[str, Sized]]) -> tuple[str, ...]:
    """Return the columns that hold the layers of sentences.

    Args:
        sentences: the layers of each sentence by their names, as `layers_of` returns them.

    >>> needed_columns([{"frames": ["one", "two"]}, {"constituents": []}])[2:5]
    ('FRAME:ANNOTATION', 'FRAME:TARGET2', 'FRAME:FRAME2')
    """
    most = [0] * len(LAYERS)
    for one in sentences:
        most = [max(count, layer.instances(one)) for count, layer in zip(most, LAYERS, strict=True)]
    counts = zip(LAYERS, most, strict=True)
    columns = [instance_columns(layer.columns, count) for layer, count in counts]
    return tuple(chain.from_iterable(columns))


def without_place(sentence: Sentence, names: Sequence[str]) -> list[Note]:
    """Return the incidents of layers of a sentence that have no place in some columns.

    Args:
        sentence: the sentence.
        names: of the columns behind the first ten.
    """
    layers = layers_of(sentence)
    if not any(layers.values()):
        return []
    places = {used.layer.name: used.instances for used in _used(names)}
    lost = lost_frames(sentence.frames[places.get("frames", 0) :], "the file has no columns for it")
    others = [layer for layer in LAYERS if layer.is_one and layer.name not in places]
    return [*lost, *not_written([one.name for one in others if one.instances(layers)])]


def _numbered(names: Sequence[str], at: int) -> list[str]:
    """Return the names of an instance, counted from 0."""
    return [f"{name}{at + 1}" if at else name for name in names]


def preamble(labels: int, columns: Sequence[str] = ()) -> str:
    """Return the line that begins a file with columns of layers.

    Args:
        labels: how many columns of entity labels there are.
        columns: the names of the other columns.
    """
    names = [NE_COLUMN + label_key(layer) for layer in range(labels)]
    return f"# {PLUS}{' '.join([*COLUMNS, *names, *columns])}\n"


def layer_columns(text: str, line: int) -> tuple[str, ...]:
    """Return the names of the columns behind the first ten, where a file has any.

    Args:
        text: the first block of the file.
        line: the number of its first line.

    Raises:
        FormatError: no layer has these columns, or they do not stand behind the usual ten.
    """
    names = _names(text)
    if not names:
        return _unnamed(text)
    others = names[len(COLUMNS) :]
    families = {column.partition(":")[0] for layer in LAYERS for column in layer.columns}
    odd = [
        name
        for name in _carried(others)
        if name.partition(":")[0] in {*families, NE_COLUMN[:-1]} or "=" in name or "|" in name
    ]
    if names[: len(COLUMNS)] != COLUMNS or odd or len({*names}) < len(names):
        known = [f"{NE_COLUMN}{label_key(0)}, {NE_COLUMN}{label_key(1)} …"]
        known += [" ".join(layer.columns) for layer in LAYERS]
        raise FormatError(
            f"the columns are {' '.join(names)}; those that can be read are the ten of CoNLL-U and"
            f" behind them {' or '.join(known)}, or any of other names",
            line=line,
            code="E213",
        )
    return others


def other_columns(head: str) -> tuple[str, ...]:
    r"""Return the names of the columns of layers other than entity labels in a file.

    Args:
        head: the beginning of the file.

    >>> other_columns(preamble(1, FRAME_COLUMNS)), other_columns("# text = 나\n")
    (('FRAME:TARGET', 'FRAME:FRAME', 'FRAME:ANNOTATION'), ())
    """
    names = _names(head)
    others = names[len(COLUMNS) :]
    return others[len(_labels(others)) :] if names else _unnamed(head)


def _names(text: str) -> tuple[str, ...]:
    """Return the names of all columns that the first line of a text states, () if it does not."""
    first = text.partition("\n")[0].removeprefix("#").lstrip()
    return tuple(first.removeprefix(PLUS).split()) if first.startswith(PLUS) else ()


def _known(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of layers among the names of the columns behind the first ten."""
    columns = [instance_columns(layer.columns, instances) for layer, instances, _ in _used(names)]
    return tuple(chain.from_iterable(columns))


def _carried(names: Sequence[str]) -> list[str]:
    """Return the columns of no layer among the names of the columns behind the first ten."""
    of_layers = {*_labels(names), *_known(names)}
    return [name for name in names if name not in of_layers]


def _unnamed(text: str) -> tuple[str, ...]:
    """Return the columns of trees where no line names them.

    The published scripts for the Penn Korean Treebank write brackets as columns 11 and 12; the
    first word of a sentence opens at least one.
    """
    rows = (line.split("\t") for line in text.split("\n") if line[:1].isdigit())
    row = next(rows, [])
    width = len(COLUMNS) + len(TREE_COLUMNS)
    return TREE_COLUMNS if len(row) == width and row[len(COLUMNS)].startswith("(") else ()


def _labels(names: Sequence[str]) -> list[str]:
    """Return the columns of entity labels at the beginning of some columns."""
    count = 0
    while list(names[count : count + 1]) == [NE_COLUMN + label_key(count)]:
        count += 1
    return list(names[:count])


def _used(names: Sequence[str]) -> list[_Used]:
    """Return the layers of some columns, as far as the columns are known.

    Args:
        names: of the columns behind the first ten.
    """
    found = []
    for layer in LAYERS:
        if layer.columns[0] in names:
            at = names.index(layer.columns[0])
            width = len(layer.columns)
            count = 0
            while list(names[at : at + width]) == _numbered(layer.columns, count):
                at, count = at + width, count + 1
            found.append(_Used(layer, count, len(COLUMNS) + at - width * count))
    return sorted(found, key=lambda used: used.start)


def without_columns(text: str, names: Sequence[str], sent_id: str) -> str:
    """Return a block of CoNLL-U Plus as plain CoNLL-U.

    Labels of entities stand in MISC; the columns and the items in MISC of other layers are left out
    (`give_cells` reads them).

    Args:
        text: the block.
        names: of its columns behind the first ten.
        sent_id: the line that names the columns becomes this id, so that lines keep their numbers.
    """
    lines: list[str] = []
    labels = [name.removeprefix(NE_COLUMN) for name in _labels(names)]
    others = {key for used in _used(names) for at in range(used.instances) for key in used.keys(at)}
    width = len(COLUMNS) + len(names)
    carried = [(name, len(COLUMNS) + names.index(name)) for name in _carried(names)]
    for raw in text.split("\n"):
        cells = raw.split("\t")
        if raw[:1] != "#" and len(cells) == width:
            values = zip(labels, cells[len(COLUMNS) :], strict=False)
            items = [f"{k}={escape_misc(label)}" for k, label in values if label not in NO_LABEL]
            own = [
                f"{_OF_RANGE if '-' in cells[0] else _CARRIED}{name}={escape_misc(cells[at])}"
                for name, at in carried
                if cells[at] != _EMPTY.get(name, NOTHING)
            ]
            if own and lines and lines[-1].partition("\t")[0].startswith(f"{cells[0]}-"):
                columns, _, misc = lines[-1].rpartition("\t")
                lines[-1] = f"{columns}\t{with_items(misc, own)}"
            else:
                items += own
            misc = without_items(cells[_MISC], others.__contains__)
            raw = "\t".join([*cells[:_MISC], with_items(misc, items)])
        lines.append(raw)
    if lines[0].removeprefix("#").lstrip().startswith(PLUS):
        lines[0] = SENT_ID + sent_id
    return "\n".join(lines)


def _take(cells: list[str], names: Sequence[str], start: str) -> dict[str, str]:
    """Return the values of columns that stand in MISC of a row, and take them out there.

    Args:
        cells: of the row.
        names: of the columns.
        start: the beginning of their keys.
    """
    if start not in cells[_MISC]:
        return {}
    values = {}
    items = []
    for item in cells[_MISC].split("|"):
        key, _, value = item.partition("=")
        if key.startswith(start) and key.removeprefix(start) in names:
            values[key.removeprefix(start)] = unescape_misc(value)
        else:
            items.append(item)
    cells[_MISC] = "|".join(items) or NOTHING
    return values


def give_cells(sentence: Sentence, text: str, names: Sequence[str]) -> None:
    """Give a sentence the layers that its columns hold, but for labels of entities.

    Args:
        sentence: of the block as `without_columns` returns it.
        text: the block.
        names: of its columns behind the first ten.
    """
    layers = _used(names)
    rows = [raw.split("\t") for raw in text.split("\n") if layers and raw[:1] != "#"]
    # A row may have the ten columns only.
    blank = [NOTHING] * len(names)
    words = [cells + blank[len(cells) - len(COLUMNS) :] for cells in rows if cells[0].isdigit()]
    for used in layers:
        instances = []
        width = len(used.layer.columns)
        for at in range(used.instances):
            start = used.start + at * width
            keys = used.keys(at)
            own = [(*cells[start : start + width], *_values(cells[_MISC], keys)) for cells in words]
            instances.append(own)
        used.layer.give(sentence, instances)


def _values(misc: str, keys: Sequence[str]) -> list[str]:
    """Return the values of some keys in MISC."""
    items = misc_items(misc) if keys else {}
    return [unescape_misc(items.get(key, NOTHING)) for key in keys]


def comments_of(sentence: Sentence, names: Sequence[str]) -> tuple[str, ...]:
    """Return the comments of the layers of a sentence that have these columns."""
    return tuple([line for used in _used(names) for line in used.layer.comments(sentence)])


def with_columns(text: str, sentence: Sentence, names: Sequence[str]) -> str:
    """Return the lines of a sentence with the columns and the items in MISC of its layers.

    Args:
        text: the lines without them.
        sentence: whose words have been cut.
        names: of the columns behind the first ten, and behind those of entity labels.
    """
    layers = [(used, used.layer.cells(sentence)) for used in _used(names)]
    carried = _carried(names)
    empty = [_EMPTY.get(name, NOTHING) for name in names]
    of_range: dict[str, str] = {}
    lines = []
    word = 0
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            lines.append(line)
            continue
        cells = line.split("\t")
        end = len(cells)
        cells += empty
        is_range = "-" in cells[0]
        values = of_range | _take(cells, carried, _CARRIED)
        of_range = values if is_range else {}
        if is_range:
            values = _take(cells, carried, _OF_RANGE)
        for name, value in values.items():
            cells[end + names.index(name)] = value
        for used, instances in layers if cells[0].isdigit() else ():
            width = len(used.layer.columns)
            for at in range(used.instances):
                has = at < len(instances)
                own = instances[at][word] if has else (NOTHING,) * (width + len(used.layer.keys))
                first = end + used.start - len(COLUMNS) + at * width
                cells[first : first + width] = own[:width]
                told = zip(used.keys(at), own[width:], strict=True)
                items = [f"{key}={escape_misc(value)}" for key, value in told if value != NOTHING]
                if items:
                    cells[_MISC] = with_items(cells[_MISC], items)
        lines.append("\t".join(cells))
        word += cells[0].isdigit()
    return "\n".join(lines)
