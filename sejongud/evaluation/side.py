"""A `Side` is the content of one file that a metric compares: its sentences, lines and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from sejongud.errors import Incident

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Found", "Side", "collect", "joined"]

T = TypeVar("T")


class Side(NamedTuple, Generic[T]):
    """The gold file or the system file of a metric."""

    sentences: Sequence[Sequence[str]]
    """The tokens of each sentence; sentences are aligned by them."""
    data: T
    """The annotation that the metric compares; most metrics hold a list parallel to `sentences`."""
    lines: Sequence[int]
    """The line in which each sentence begins, from 1."""
    path: str = "-"
    incidents: Sequence[Incident] = ()
    """The faults of the file. A sentence with a fault in its frame is not in `sentences`."""

    def place(self, sentence: int) -> str:
        """Return file and line of a sentence; those of the last sentence for a number behind it."""
        if not self.lines:
            return self.path
        return f"{self.path}:{self.lines[min(sentence, len(self.lines) - 1)]}"


Found = tuple[int, list[str], T]
"""A sentence that a reader found: its line, its tokens, the data of the metric."""


def collect(path: str, found: Iterable[Found[T] | Incident]) -> Side[list[T]]:
    """Build the side of a file from its sentences and faults.

    Args:
        path: the name of the file.
        found: the sentences and the faults, in the order of the file.

    >>> side = collect("a.txt", [(1, ["나는", "갔다"], "data")])
    >>> side.sentences, side.place(0)
    ([['나는', '갔다']], 'a.txt:1')
    """
    rows: list[Found[T]] = []
    incidents: list[Incident] = []
    for one in found:
        if isinstance(one, Incident):
            incidents.append(one)
        else:
            rows.append(one)
    if not any(tokens for _, tokens, _ in rows):
        incidents.append(nothing(path))
    return Side(
        [tokens for _, tokens, _ in rows],
        [data for _, _, data in rows],
        [line for line, _, _ in rows],
        path,
        incidents,
    )


def nothing(path: str) -> Incident:
    """Return the fault of a file without sentences."""
    return Incident("E801", "there is no sentence in this file", path)


def joined(sentences: Sequence[Sequence[T]], group: range) -> list[T]:
    """Join the tokens, or other items, of neighbouring sentences.

    >>> joined([["a"], ["b", "c"], ["d"]], range(1, 3))
    ['b', 'c', 'd']
    """
    return [item for at in group for item in sentences[at]]
