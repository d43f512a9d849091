"""Split a corpus into train, dev and test, reproducibly.

**Shuffle.** Begin with the numbers 0 … n-1 in order. For i from n-1 down to 1, swap the number at
place i with the number at place floor(random() * (i + 1)). random() is that of Python's
`random.Random(seed)` (the Mersenne Twister, 53 bits), which gives the same numbers in every version
of Python; `random.shuffle` does not promise that.

**Sizes.** dev and test have their shares of n, rounded to the nearest whole number (a half up), but
at least 1 unless the share is 0. train has the rest. The first of the shuffled numbers are train,
the next dev, the last test. Within a part the order is that of the corpus.

Documents are shuffled and counted in the same way; their sentences stay together. So are lexical
units and frames: all sentences in which one is evoked stay together, so that those of dev and test
are unseen in train. By a seed, the instances of a sentence stay together if a corpus has frames.
A split keeps one number a sentence in memory, never the corpus.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import SejongudError
from sejongud.release.keys import SPLITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ReleaseError(SejongudError):
    """The inputs of a recipe cannot be released (exit status 1)."""


@dataclass(frozen=True)
class SplitPlan:
    """How a corpus is split into train, dev and test.

    Args:
        by: sentences, documents, lexical units or frames by a seed, sentences by lists of their
            ids, or "files": every file is of one part.
        seeds: each makes a way of splitting of its own.
        shares: of train, dev and test, in percent.
        lists: part → path of the list of its ids, in the order of `SPLITS`.
        rest: the part of the sentences that are in no list; "" if every sentence must be in one.
        files: the part of each file of the corpus, for files that are split already.
    """

    by: str = "seed"
    seeds: tuple[int, ...] = (42,)
    shares: tuple[int, int, int] = (80, 10, 10)
    lists: Mapping[str, str] = field(default_factory=dict, hash=False)
    rest: str = ""
    files: tuple[str, ...] = ()


class SplitSet(NamedTuple):
    """A way in which a corpus is split."""

    name: str
    """The name of its folder, `seed-41`; "" if the corpus is split in one way only."""
    parts: bytes
    """The part of each sentence, as its place in `SPLITS`."""


def shuffled(count: int, seed: int) -> array[int]:
    """Return the numbers below `count`, shuffled (see the docstring of the module).

    >>> list(shuffled(5, 42))
    [1, 2, 4, 0, 3]
    """
    numbers = array("L", range(count))
    draw = Random(seed).random
    for last in range(count - 1, 0, -1):
        drawn = int(draw() * (last + 1))
        numbers[last], numbers[drawn] = numbers[drawn], numbers[last]
    return numbers


def sizes(count: int, shares: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the sizes of train, dev and test.

    Args:
        count: the number of sentences or documents.
        shares: the shares of the parts, in percent.

    >>> sizes(950, (80, 10, 10)), sizes(4, (80, 10, 10))
    ((760, 95, 95), (2, 1, 1))
    """
    _, dev, test = [max(1, (count * share + 50) // 100) if share else 0 for share in shares]
    return count - dev - test, dev, test


def listed_parts(
    ids: Mapping[str, Iterable[tuple[str, str]]], rest: str, sent_ids: Iterable[str]
) -> bytes:
    """Return the part of each sentence of a corpus by lists of ids.

    Args:
        ids: part → its ids, each with its place in the file of the list, for messages.
        rest: the part of the sentences that are in no list; "" if each must be in one.
        sent_ids: the ids of the sentences of the corpus.

    Raises:
        ReleaseError: an id is listed twice, or has no sentence; a sentence is in no list, and there
            is no `rest`.
    """
    listed: dict[str, tuple[int, str]] = {}
    for name, ids_of_part in ids.items():
        for sent_id, place in ids_of_part:
            if sent_id in listed:
                raise ReleaseError(f"{place}: {sent_id} stands in {listed[sent_id][1]} already")
            listed[sent_id] = (SPLITS.index(name), place)
    unused = dict(listed)
    parts = bytearray()
    for sent_id in sent_ids:
        if sent_id not in listed and not rest:
            raise ReleaseError(
                f"sentence {sent_id} is in no list of ids: add it to one, or write"
                ' rest = "train" in the recipe'
            )
        parts.append(listed[sent_id][0] if sent_id in listed else SPLITS.index(rest))
        unused.pop(sent_id, None)
    for sent_id, (_, place) in unused.items():
        raise ReleaseError(f"{place}: there is no sentence {sent_id} in the corpus")
    return bytes(parts)


def file_parts(files: Sequence[str], starts: Sequence[int], count: int) -> bytes:
    """Return the part of each sentence of a corpus whose files are of one part each.

    Args:
        files: the part of each file.
        starts: the number of the first sentence of each file, from 0.
        count: the number of sentences.

    >>> list(file_parts(["train", "test"], [0, 3], 4))
    [0, 0, 0, 2]
    """
    ends = [*starts[1:], count]
    return b"".join(
        [
            bytes([SPLITS.index(part)]) * (end - start)
            for part, start, end in zip(files, starts, ends, strict=True)
        ]
    )


UNITS = {"document": "documents", "lexical-unit": "lexical units", "frame": "frames"}
"""The units that are shuffled instead of sentences."""


def linked(keys: Iterable[Iterable[str]]) -> list[int]:
    """Return the number of the group of each sentence, from 0, in the order of the corpus.

    Sentences that share a key are in a group, and so are those that share keys with one of them.

    Args:
        keys: of each sentence, such as its lexical units; a sentence without keys is a group.

    >>> linked([["eat"], [], ["run", "go"], ["eat"], ["go"]])
    [0, 1, 2, 0, 2]
    """
    parents: dict[str, str] = {}

    def root(key: str) -> str:
        while (parent := parents.setdefault(key, key)) != key:
            parents[key] = parents[parent]
            key = parent
        return key

    firsts = []
    for number, own in enumerate(keys):
        names = [*own] or [f"\n{number}"]
        for name in names:
            parents[root(name)] = root(names[0])
        firsts.append(names[0])
    numbers: dict[str, int] = {}
    return [numbers.setdefault(root(first), len(numbers)) for first in firsts]


def split_sets(split: SplitPlan, documents: Sequence[int]) -> list[SplitSet]:
    """Return the ways in which a corpus is split by seeds.

    Args:
        split: the split of the recipe.
        documents: the number of sentences of each document, in order.

    Raises:
        ReleaseError: there are too few sentences, or documents, for all parts.
    """
    units = documents if split.by == "document" else None
    count = sum(documents) if units is None else len(units)
    wanted = sizes(count, split.shares)
    if wanted[0] < 1:
        what = UNITS.get(split.by, "sentences")
        shares = "/".join(map(str, split.shares))
        raise ReleaseError(
            f"{count} {what} are too few to be split {shares}: shares of 100, 0 and 0"
            " put all of them into train"
        )
    sets = []
    for seed in split.seeds:
        name = f"seed-{seed}" if len(split.seeds) > 1 else ""
        parts = bytearray(count)
        for place, number in enumerate(shuffled(count, seed)):
            parts[number] = (place >= wanted[0]) + (place >= wanted[0] + wanted[1])
        if units is not None:
            parts = bytearray().join(
                [bytes([part]) * size for part, size in zip(parts, units, strict=True)]
            )
        sets.append(SplitSet(name, bytes(parts)))
    return sets
