"""Turn sentences into rows: the objects of JSON Lines, and the rows of Parquet.

The columns of rows have kinds, for Parquet and for the Hugging Face Hub. A kind is the name of a
type, a list of one kind, or a struct: name → kind (`columns.toml`). The labels of entities are
texts in the files. On the Hub they are a class: a number whose name the dataset card knows.

The words of a sentence are parallel lists of its row: `tokens` (FORM), `lemmas`, `upos`, `xpos`,
`feats`, `heads`, `deprels`, `ner_tags`. `surface_tokens` has the forms of the surface tokens,
`words_a_token` the number of words of each, `space_after` whether a space follows. Beside them
stand the layers:

- in JSON Lines all keys of the format `jsonl` (`sejongud.formats.jsonl`), which lead back: every
  object has every key, so that programs which guess the types of columns read the file;
- in Parquet `frames`, a struct for each instance of a frame: lists of lexical units, names of
  frames and annotations, as in the columns of CoNLL-U Plus, and of the frame elements alone, which
  the target may hide there; and `tree`, the phrase structure in brackets.

Dependencies, labels, frames and trees are null in all rows of a corpus that has none.
"""

from __future__ import annotations

import json
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.errors import require
from sejongud.formats.conllu.layers import TARGET_TAGS, frame_cells
from sejongud.formats.conllu.rows import DEPREL, FORM, MISC, governors, parse
from sejongud.formats.penn import BracketsWriter
from sejongud.layers.labels import OUTSIDE, going_on, split_label
from sejongud.model import NOTHING, Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Kind = str | list["Kind"] | Mapping[str, "Kind"]


_TEXT, _CLASS = "string", "class"

_KINDS: dict[str, dict[str, Kind]] = tomllib.loads(
    Path(__file__).with_name("columns.toml").read_text(encoding="utf-8")
)
"""`words`, `parquet` (its layers) or `jsonl` (the keys of that format) → column → kind."""

_ROWS = 2_000
"""Sentences of a row group, which are held in memory."""


def class_names(labels: Iterable[str]) -> list[str]:
    """Return the names of the labels of entities, in the order of their numbers.

    >>> class_names({"B-PS", "I-LC", "B-LC"})
    ['O', 'B-LC', 'I-LC', 'B-PS', 'I-PS']
    """
    types = set(labels) - {OUTSIDE}
    # By types, then by prefixes; a type has both prefixes.
    return [OUTSIDE, *sorted(types | set(map(going_on, types)), key=lambda t: split_label(t)[::-1])]


def hub_features(form: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the columns of a form as a dataset card declares them to the Hub.

    Args:
        form: "parquet" or "jsonl".
        names: of the labels of entities; empty if the corpus has none.

    >>> hub_features("parquet", ["O"])[10]["sequence"]
    {'class_label': {'names': {'0': 'O'}}}
    """
    columns = _KINDS["words"] | _KINDS[form]
    return [{"name": name, **_hub(kind, names)} for name, kind in columns.items()]


def _hub(kind: Kind, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(kind, str):
        if kind == _CLASS and names:
            return {"dtype": {"class_label": {"names": {str(n): x for n, x in enumerate(names)}}}}
        return {"dtype": _TEXT if kind == _CLASS else kind}
    if not isinstance(kind, list):
        return {"struct": [{"name": name, **_hub(inner, names)} for name, inner in kind.items()]}
    inner = _hub(kind[0], names)
    if "struct" in inner:
        return {"list": inner["struct"]}
    return {"sequence": inner.get("dtype", inner)}


@contextmanager
def table(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Open a Parquet file, and give a function that adds a row to it.

    Labels of entities are texts.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    pa = require("pyarrow", "parquet")
    from pyarrow import parquet

    def arrow(kind: Kind) -> Any:
        if isinstance(kind, str):
            return pa.type_for_alias(_TEXT if kind == _CLASS else kind)
        if isinstance(kind, list):
            return pa.list_(arrow(kind[0]))
        return pa.struct([(name, arrow(inner)) for name, inner in kind.items()])

    columns = _KINDS["words"] | _KINDS["parquet"]
    schema = pa.schema([(name, arrow(kind)) for name, kind in columns.items()])
    waiting: list[dict[str, Any]] = []
    with parquet.ParquetWriter(path, schema, compression="snappy") as writer:

        def flush() -> None:
            if waiting:
                writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
                waiting.clear()

        def add(row: dict[str, Any]) -> None:
            waiting.append(row)
            if len(waiting) == _ROWS:
                flush()

        yield add
        flush()


_EMPTY: dict[str, object] = {"string": "", "bool": False}
"""Kind → the value of a key that an object lacks; [] for a list."""


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
    values: dict[str, Any] = {}
    if sentence.frames:
        values["frames"] = [_frame(rows) for rows in frame_cells(sentence)]
    if sentence.constituents:
        values["tree"] = BracketsWriter().sentence(sentence).rstrip("\n")
    return values


def _frame(rows: Sequence[tuple[str, ...]]) -> dict[str, list[str | None]]:
    """Return the lists of an instance; a word without a cell has null."""
    units, names, annotations, hidden, *_ = zip(*rows, strict=True)
    elements = [
        annotation if hidden_cell == NOTHING and annotation not in TARGET_TAGS else hidden_cell
        for annotation, hidden_cell in zip(annotations, hidden, strict=True)
    ]
    return {
        "units": [None if unit == NOTHING else unit for unit in units],
        "names": [None if name == NOTHING else name for name in names],
        "annotation": list(annotations),
        "elements": [OUTSIDE if element == NOTHING else element for element in elements],
    }


def row(text: str, labels: Sequence[str] | None = None) -> dict[str, Any]:
    r"""Return a sentence as a row.

    Args:
        text: the sentence in CoNLL-U.
        labels: the labels of its words in BIO; None if the corpus has no entities.

    >>> found = row("# sent_id = 1\n# note = a = b\n# text = 갈 거야\n1-2\t갈\t_" + "\t_" * 7
    ...     + "\n1\t가\t가\tVERB\tVV" + "\t_" * 5 + "\n2\tㄹ\t을\tPART\tETM" + "\t_" * 5
    ...     + "\n3\t거야\t거+야\tNOUN\tNNB+EF" + "\t_" * 5 + "\n\n")
    >>> found["surface_tokens"], found["words_a_token"], found["xpos"], found["heads"]
    (['갈', '거야'], [2, 1], ['VV', 'ETM', 'NNB+EF'], None)
    """
    rows = parse(text.rstrip("\n"))
    comments = comments_of(rows.header)
    named = dict([line.split(" = ", 1) for line in comments if " = " in line])
    heads = [None if head < 0 else head for head in governors(rows)]
    has_arcs = any([head is not None for head in heads])
    lists: dict[str, Any] = {
        "sent_id": named.get("sent_id", ""),
        "text": named.get("text", ""),
        "comments": [line for line in comments if not line.startswith(("sent_id = ", "text = "))],
        "surface_tokens": [],
        "words_a_token": [],
        "space_after": [],
        "heads": heads if has_arcs else None,
        "deprels": list(rows.columns[DEPREL]) if has_arcs else None,
        "ner_tags": None if labels is None else list(labels),
    }
    for column, name in enumerate(("tokens", "lemmas", "upos", "xpos", "feats"), FORM):
        lists[name] = list(rows.columns[column])
    ranges = {rows_range.first: rows_range for rows_range in rows.ranges}
    last = 0
    for word, (form, misc) in enumerate(
        zip(rows.columns[FORM], rows.columns[MISC], strict=True), 1
    ):
        if word <= last:
            continue
        last = word
        if word in ranges:
            last, form, misc = ranges[word].last, ranges[word].cells[FORM], ranges[word].cells[MISC]
        lists["surface_tokens"].append(form)
        lists["words_a_token"].append(last - word + 1)
        lists["space_after"].append("SpaceAfter=No" not in misc.split("|"))
    return lists


def object_line(line: str, row: Mapping[str, Any]) -> str:
    """Return the line of an object that has every key, and the lists of a row beside.

    Args:
        line: the line of the sentence in the format `jsonl`.
        row: the sentence, as `row` returns it; its `comments` are those of CoNLL-U, and left out.
    """
    # Its own keys stand first: readers know the format by them.
    values = _whole(json.loads(line), _KINDS["jsonl"])
    return json.dumps({**values, **row, **values}, ensure_ascii=False) + "\n"


def _whole(value: Any, kind: Kind) -> Any:
    """Return a value of JSON in which every object has every key of its kind.

    >>> _whole([{"form": "가"}], [{"form": "string", "made": "bool"}])
    [{'form': '가', 'made': False}]
    """
    if value is None or isinstance(kind, str):
        return value
    if isinstance(kind, list):
        return [_whole(item, kind[0]) for item in value]
    values = {key: _whole(value[key], kind[key]) if key in kind else value[key] for key in value}
    empty = {key: _EMPTY.get(str(inner), []) for key, inner in kind.items() if key not in value}
    return {**values, **empty}
