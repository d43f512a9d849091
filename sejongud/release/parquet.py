"""Sentences as rows of a Parquet file, the same bytes for the same sentences and the same pyarrow.

A word is an item of several lists of its row, which are parallel: forms, lemmas, upos, xpos,
feats, heads, deprels, labels. A token of the surface is a run of words: `tokens` has its form,
`words_a_token` how many they are, `space_after` whether a space follows. What a corpus does not
have (dependencies, entities) is null for all its sentences.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sejongud.errors import MissingExtraError
from sejongud.release.inputs import split_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["LISTS", "require", "row", "table"]

_ROWS = 2_000
"""Sentences of a row group: as many as are held at a time."""

LISTS = {
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
"""The columns that are lists, and of what."""

_NOTHING = "_"


def require() -> str:
    """The version of pyarrow, on which the bytes depend.

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
    r"""A sentence as a row.

    Args:
        text: CoNLL-U.
        labels: of its words, in BIO; None where the corpus has no entities.

    >>> found = row("# sent_id = 1\n# text = 갈 거야\n1-2\t갈\t_" + "\t_" * 7
    ...     + "\n1\t가\t가\tVERB\tVV" + "\t_" * 5 + "\n2\tㄹ\t을\tPART\tETM" + "\t_" * 5
    ...     + "\n3\t거야\t거+야\tNOUN\tNNB+EF" + "\t_" * 5 + "\n\n")
    >>> found["tokens"], found["words_a_token"], found["xpos"], found["heads"]
    (['갈', '거야'], [2, 1], ['VV', 'ETM', 'NNB+EF'], None)
    """
    comments, body = split_block(text.rstrip("\n"))
    found: dict[str, Any] = {name: [] for name in LISTS}
    found |= {"sent_id": "", "text": "", "comments": [], "labels": None}
    for comment in comments:
        key, _, value = comment.partition(" = ")
        if key in ("sent_id", "text"):
            found[key] = value
        else:
            found["comments"].append(comment)
    inside = 0
    for line in body.split("\n"):
        cells = line.split("\t")
        word_id = cells[0]
        if "." in word_id:
            # A node that is no word of the surface.
            continue
        first, _, last = word_id.partition("-")
        if last or int(first) > inside:
            inside = int(last or first)
            found["tokens"].append(cells[1])
            found["words_a_token"].append(inside - int(first) + 1)
            found["space_after"].append("SpaceAfter=No" not in cells[9].split("|"))
        if not last:
            _add_word(found, cells)
    if not any([head is not None for head in found["heads"]]):
        found["heads"] = found["deprels"] = None
    if labels is not None:
        found["labels"] = list(labels)
    return found


def _add_word(found: dict[str, Any], cells: Sequence[str]) -> None:
    for name, cell in zip(("forms", "lemmas", "upos", "xpos", "feats"), cells[1:6], strict=True):
        found[name].append(cell)
    found["heads"].append(None if cells[6] == _NOTHING else int(cells[6]))
    found["deprels"].append(cells[7])


@contextmanager
def table(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A Parquet file that rows are added to.

    Args:
        path: of the file.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    require()
    import pyarrow as pa
    from pyarrow import parquet

    kinds = {"string": pa.string(), "int32": pa.int32(), "bool": pa.bool_()}
    schema = pa.schema(
        [
            ("sent_id", pa.string()),
            ("text", pa.string()),
            ("comments", pa.list_(pa.string())),
            *[(name, pa.list_(kinds[kind])) for name, kind in LISTS.items()],
        ]
    )
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
