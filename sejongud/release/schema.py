"""Define the columns of rows and their types, for Parquet and for the Hugging Face Hub.

A kind is the name of a type, a list of one kind, or a struct: name → kind. The labels of entities
are texts in the files. On the Hub they are a class: a number whose name the dataset card knows.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sejongud.errors import require
from sejongud.layers.labels import OUTSIDE, going_on, split_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    Kind = str | list["Kind"] | Mapping[str, "Kind"]

_TEXT, _NUMBER, _FLAG, _CLASS = "string", "int32", "bool", "class"

_FLAT: dict[str, Kind] = {
    "sent_id": _TEXT,
    "text": _TEXT,
    "comments": [_TEXT],
    "tokens": [_TEXT],
    "lemmas": [_TEXT],
    "upos": [_TEXT],
    "xpos": [_TEXT],
    "feats": [_TEXT],
    "heads": [_NUMBER],
    "deprels": [_TEXT],
    "ner_tags": [_CLASS],
    "surface_tokens": [_TEXT],
    "words_a_token": [_NUMBER],
    "space_after": [_FLAG],
}
_LAYERS: dict[str, Kind] = {
    "frames": [{"units": [_TEXT], "names": [_TEXT], "annotation": [_TEXT], "elements": [_TEXT]}],
    "tree": _TEXT,
}

_WORD: dict[str, Kind] = {"form": _TEXT, "lemma": _TEXT, "upos": _TEXT, "xpos": _TEXT}
_MORPHEME: Kind = {
    "form": _TEXT,
    "tag": _TEXT,
    "span": [_NUMBER],
    "source": _TEXT,
    "sense": _TEXT,
    "source_tag": _TEXT,
    "added": _FLAG,
}
NESTED: dict[str, Kind] = {
    "sent_id": _TEXT,
    "text": _TEXT,
    "text_orig": _TEXT,
    "comments": [_TEXT],
    "eojeols": [
        {
            "id": _TEXT,
            "form": _TEXT,
            "made": _FLAG,
            "error": _TEXT,
            "morphemes": [_MORPHEME],
            "tokens": [{"form": _TEXT, "words": [_WORD]}],
        }
    ],
    "words": [
        {
            "eojeol": _NUMBER,
            "morphemes": [_NUMBER],
            **_WORD,
            "feats": _TEXT,
            "head": _NUMBER,
            "deprel": _TEXT,
            "deps": _TEXT,
            "misc": [_TEXT],
        }
    ],
    "ranges": [{"first": _NUMBER, "last": _NUMBER, "form": _TEXT, "feats": _TEXT, "misc": [_TEXT]}],
    "empty_nodes": [{"after": _NUMBER, "number": _TEXT, "cells": [_TEXT]}],
    "entities": [[[_TEXT]]],
    "frames": [
        {
            "targets": [{"unit": _TEXT, "frame": _TEXT, "at": [_NUMBER]}],
            "labels": [[_TEXT]],
            "comments": [_TEXT],
        }
    ],
    "constituents": [{"label": _TEXT, "start": _NUMBER, "end": _NUMBER, "depth": _NUMBER}],
}
"""The keys of the format `jsonl` (`sejongud.formats.jsonl`)."""

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


def _columns(form: str) -> dict[str, Kind]:
    """Return the columns of "parquet" or "jsonl"."""
    return {**_FLAT, **(_LAYERS if form == "parquet" else NESTED)}


def hub_features(form: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the columns of a form as a dataset card declares them to the Hub.

    Args:
        form: "parquet" or "jsonl".
        names: of the labels of entities; empty if the corpus has none.

    >>> hub_features("parquet", ["O"])[10]["sequence"]
    {'class_label': {'names': {'0': 'O'}}}
    """
    return [{"name": name, **_hub(kind, names)} for name, kind in _columns(form).items()]


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

    columns = _columns("parquet").items()
    schema = pa.schema([(name, arrow(kind)) for name, kind in columns])
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
