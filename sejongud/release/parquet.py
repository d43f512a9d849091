"""Write sentences as rows of a Parquet file, the same bytes for the same sentences and pyarrow.

The words of a sentence are parallel lists of its row: forms, lemmas, upos, xpos, feats, heads,
deprels, labels. `tokens` has the forms of the surface tokens, `words_a_token` the number of words
of each, `space_after` whether a space follows. `frames` has a struct for each instance of a frame:
lists of lexical units, names of frames and annotations, as in the columns of CoNLL-U Plus, and of
the frame elements alone, which the target may hide there. `tree` is the phrase structure in
brackets. Dependencies, labels, frames and trees are null in all rows of a corpus that has none.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sejongud.errors import require
from sejongud.formats.bracketed import BracketsWriter
from sejongud.formats.conllu.frames import TARGET_TAGS, cells
from sejongud.formats.conllu.rows import DEPREL, FORM, MISC, governors, parse
from sejongud.layers.labels import OUTSIDE
from sejongud.model import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sejongud.model import Sentence

__all__ = ["comments_of", "layer_cells", "row", "table"]

_ROWS = 2_000
"""Sentences of a row group, which are held in memory."""

_LISTS = {
    "comments": "string",
    "tokens": "string",
    "words_a_token": "int32",
    "space_after": "bool",
    "forms": "string",
    "lemmas": "string",
    "upos": "string",
    "xpos": "string",
    "feats": "string",
    "heads": "int32",
    "deprels": "string",
    "labels": "string",
}
"""The columns that hold lists, and the type of their items."""
_OF_FRAME = ("units", "names", "annotation", "elements")


def comments_of(header: str) -> list[str]:
    r"""Return the comments in a header of CoNLL-U, without `#` and its space.

    >>> comments_of("# sent_id = 1\n#\n")
    ['sent_id = 1', '']
    """
    return [line[1:].removeprefix(" ") for line in header.split("\n")[:-1]]


def layer_cells(sentence: Sentence) -> dict[str, Any]:
    """Return the cells of the frames and the tree of a sentence whose words have been cut.

    Raises:
        FormatError: a constituent ends inside a word.
    """
    found: dict[str, Any] = {}
    if sentence.frames:
        found["frames"] = [_frame(rows) for rows in cells(sentence)]
    if sentence.constituents:
        found["tree"] = BracketsWriter().sentence(sentence).rstrip("\n")
    return found


def _frame(rows: Sequence[tuple[str, ...]]) -> dict[str, list[str | None]]:
    """Return the lists of an instance; a word without a cell has null."""
    units, names, annotations, hidden, *_ = zip(*rows, strict=True)
    elements = [
        annotation if own == NOTHING and annotation not in TARGET_TAGS else own
        for annotation, own in zip(annotations, hidden, strict=True)
    ]
    return {
        "units": [None if unit == NOTHING else unit for unit in units],
        "names": [None if name == NOTHING else name for name in names],
        "annotation": list(annotations),
        "elements": [OUTSIDE if element == NOTHING else element for element in elements],
    }


def row(
    text: str, labels: Sequence[str] | None = None, layers: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    r"""Return a sentence as a row.

    Args:
        text: the sentence in CoNLL-U.
        labels: the labels of its words in BIO; None if the corpus has no entities.
        layers: its cells from `layer_cells`; None if the corpus has neither frames nor trees.

    >>> found = row("# sent_id = 1\n# text = 갈 거야\n1-2\t갈\t_" + "\t_" * 7
    ...     + "\n1\t가\t가\tVERB\tVV" + "\t_" * 5 + "\n2\tㄹ\t을\tPART\tETM" + "\t_" * 5
    ...     + "\n3\t거야\t거+야\tNOUN\tNNB+EF" + "\t_" * 5 + "\n\n")
    >>> found["tokens"], found["words_a_token"], found["xpos"], found["heads"]
    (['갈', '거야'], [2, 1], ['VV', 'ETM', 'NNB+EF'], None)
    """
    rows = parse(text.rstrip("\n"))
    comments = comments_of(rows.header)
    named = dict([comment.split(" = ", 1) for comment in comments if " = " in comment])
    heads = [None if head < 0 else head for head in governors(rows)]
    has_arcs = any([head is not None for head in heads])
    found: dict[str, Any] = {
        "sent_id": named.get("sent_id", ""),
        "text": named.get("text", ""),
        "comments": [one for one in comments if not one.startswith(("sent_id = ", "text = "))],
        "tokens": [],
        "words_a_token": [],
        "space_after": [],
        "heads": heads if has_arcs else None,
        "deprels": list(rows.columns[DEPREL]) if has_arcs else None,
        "labels": None if labels is None else list(labels),
        **(layers or {}),
    }
    for at, name in enumerate(("forms", "lemmas", "upos", "xpos", "feats"), FORM):
        found[name] = list(rows.columns[at])
    ranges = {one.first: one for one in rows.ranges}
    last = 0
    for word, (form, misc) in enumerate(
        zip(rows.columns[FORM], rows.columns[MISC], strict=True), 1
    ):
        if word <= last:
            continue
        last = word
        if word in ranges:
            last, form, misc = ranges[word].last, ranges[word].cells[FORM], ranges[word].cells[MISC]
        found["tokens"].append(form)
        found["words_a_token"].append(last - word + 1)
        found["space_after"].append("SpaceAfter=No" not in misc.split("|"))
    return found


@contextmanager
def table(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Open a Parquet file, and give a function that adds a row to it.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    pa = require("pyarrow", "parquet")
    from pyarrow import parquet

    lists = [(name, pa.list_(pa.type_for_alias(kind))) for name, kind in _LISTS.items()]
    texts = pa.list_(pa.string())
    frame = pa.struct([(name, texts) for name in _OF_FRAME])
    layers = [("frames", pa.list_(frame)), ("tree", pa.string())]
    schema = pa.schema([("sent_id", pa.string()), ("text", pa.string()), *lists, *layers])
    waiting: list[dict[str, Any]] = []
    with parquet.ParquetWriter(path, schema, compression="snappy") as writer:

        def flush() -> None:
            if waiting:
                writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
                waiting.clear()

        def add(one: dict[str, Any]) -> None:
            waiting.append(one)
            if len(waiting) == _ROWS:
                flush()

        yield add
        flush()
