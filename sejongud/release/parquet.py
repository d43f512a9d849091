"""Write sentences as rows of a Parquet file, the same bytes for the same sentences and pyarrow.

The words of a sentence are parallel lists of its row: forms, lemmas, upos, xpos, feats, heads,
deprels, labels. `tokens` has the forms of the surface tokens, `words_a_token` the number of words
of each, `space_after` whether a space follows. Dependencies and labels are null in all rows of a
corpus that has none.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sejongud.errors import MissingExtraError
from sejongud.release.blocks import rows_of, split_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["require", "row", "table"]

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


def require() -> str:
    """Return the version of pyarrow, which the bytes depend on.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    version: str = pyarrow.__version__
    return version


def row(text: str, labels: Sequence[str] | None = None) -> dict[str, Any]:
    r"""Return a sentence as a row.

    Args:
        text: the sentence in CoNLL-U.
        labels: the labels of its words in BIO; None if the corpus has no entities.

    >>> found = row("# sent_id = 1\n# text = 갈 거야\n1-2\t갈\t_" + "\t_" * 7
    ...     + "\n1\t가\t가\tVERB\tVV" + "\t_" * 5 + "\n2\tㄹ\t을\tPART\tETM" + "\t_" * 5
    ...     + "\n3\t거야\t거+야\tNOUN\tNNB+EF" + "\t_" * 5 + "\n\n")
    >>> found["tokens"], found["words_a_token"], found["xpos"], found["heads"]
    (['갈', '거야'], [2, 1], ['VV', 'ETM', 'NNB+EF'], None)
    """
    comments = split_block(text)[0]
    named = dict([comment.split(" = ", 1) for comment in comments if " = " in comment])
    rows = [cells for cells in rows_of(text) if "." not in cells[0]]
    words = [cells for cells in rows if "-" not in cells[0]]
    heads = [None if cells[6] == "_" else int(cells[6]) for cells in words]
    has_arcs = any([head is not None for head in heads])
    found: dict[str, Any] = {
        "sent_id": named.get("sent_id", ""),
        "text": named.get("text", ""),
        "comments": [one for one in comments if not one.startswith(("sent_id = ", "text = "))],
        "tokens": [],
        "words_a_token": [],
        "space_after": [],
        "heads": heads if has_arcs else None,
        "deprels": [cells[7] for cells in words] if has_arcs else None,
        "labels": None if labels is None else list(labels),
    }
    for at, name in enumerate(("forms", "lemmas", "upos", "xpos", "feats"), 1):
        found[name] = [cells[at] for cells in words]
    last = 0
    for cells in rows:
        first, _, end = cells[0].partition("-")
        if end or int(first) > last:
            last = int(end or first)
            found["tokens"].append(cells[1])
            found["words_a_token"].append(last - int(first) + 1)
            found["space_after"].append("SpaceAfter=No" not in cells[9].split("|"))
    return found


@contextmanager
def table(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Open a Parquet file, and give a function that adds a row to it.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    require()
    import pyarrow as pa
    from pyarrow import parquet

    lists = [(name, pa.list_(pa.type_for_alias(kind))) for name, kind in _LISTS.items()]
    schema = pa.schema([("sent_id", pa.string()), ("text", pa.string()), *lists])
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
