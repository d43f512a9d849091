"""The cells of the benchmark `dep_parser.py`, their list, and the table of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RESAMPLES = 1_000


class Cell(NamedTuple):
    """A cell of the table: the treebank, the units and the conditions."""

    treebank: str
    units: str
    xpos: bool = True
    vectors: bool = False
    tags: str = "gold"
    cut: str = "gold"

    @property
    def conditions(self) -> str:
        """What differs from the base."""
        told = ["" if self.xpos else "no-xpos", "vectors" if self.vectors else ""]
        told += ["predicted" if self.tags != "gold" else "", "kiwi" if self.cut != "gold" else ""]
        return "+".join(filter(None, told))

    @property
    def name(self) -> str:
        return "/".join(filter(None, [self.treebank, self.units, self.conditions]))

    @property
    def words(self) -> Cell:
        """The cell with words under the same conditions; Kiwi has nothing to cut there."""
        return self._replace(units="words", cut="gold")

    @property
    def model(self) -> Cell:
        """The cell whose model parses this one."""
        return self._replace(cut="gold")


def of_units(cell: Cell, *units: str) -> list[Cell]:
    """The cells with these units under the conditions of a cell."""
    return [cell._replace(units=one) for one in units]


BASE = Cell("gsd", "words")
CELLS = [
    *of_units(BASE, "words", "3", "4", "ud", "morphud", "+ud", "+morphud"),
    *of_units(BASE._replace(xpos=False), "words", "4", "ud", "+ud"),
    *of_units(BASE._replace(vectors=True), "words", "+ud"),
    *of_units(BASE._replace(xpos=False, vectors=True), "words", "ud", "+ud", "+morphud"),
    *of_units(BASE._replace(tags="predicted"), "words", "3", "ud"),
    *of_units(BASE._replace(tags="predicted", cut="kiwi"), "3", "ud"),
    *of_units(BASE._replace(treebank="kaist"), "words", "3", "4", "ud", "morphud", "+ud"),
]


def las(counts: Iterable[Sequence[int]]) -> float:
    """LAS (F1) in percent."""
    right, gold, system = map(sum, zip(*counts, strict=True))
    return 200 * right / (gold + system)


def interval(ours: list[list[list[int]]], others: list[list[list[int]]]) -> tuple[float, float]:
    """The 95 % interval of the difference in LAS, in pairs; the seeds of a sentence are pooled."""
    matrices = [np.array(runs).sum(axis=0) for runs in (ours, others)]
    size = len(matrices[0])
    random = np.random.default_rng(1)
    drawn = []
    for _ in range(RESAMPLES):
        times = np.bincount(random.integers(size, size=size), minlength=size)
        one, other = [times @ matrix for matrix in matrices]
        drawn.append(200 * (one[0] / sum(one[1:]) - other[0] / sum(other[1:])))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def table(cells: list[Cell], seeds: list[int], results: dict[str, Any]) -> Iterator[str]:
    """Yield the rows of the table in Markdown."""
    yield (
        "| treebank | conditions | units | LAS, words | seeds | difference from words"
        " | gold arcs, back in words | LAS, units | training, s |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for cell in cells:
        runs = {seed: results.get(f"{cell.name}#{seed}") for seed in seeds}
        done = [run for run in runs.values() if run]
        start = f"| {cell.treebank} | {cell.conditions or 'base'} | {cell.units} |"
        if not done:
            yield f"{start} not run | | | | | |"
            continue
        scores = [las(run["words"]) for run in done]
        spread = f" ({min(scores):.2f}–{max(scores):.2f})" if len(scores) > 1 else ""
        row = f"{start} {sum(scores) / len(scores):.2f}{spread} |"
        row += f" {','.join([str(seed) for seed, run in runs.items() if run])} |"
        words = [results.get(f"{cell.words.name}#{seed}") for seed, run in runs.items() if run]
        if cell != cell.words and all(words):
            low, high = interval([run["words"] for run in done], [run["words"] for run in words])
            mean = sum([las(run["words"]) for run in words]) / len(words)
            row += f" {sum(scores) / len(scores) - mean:+.2f} [{low:+.2f}, {high:+.2f}]"
        of_units = [las(run["units"]) for run in done if run["units"]]
        row += f" | {done[0]['ceiling']:.2f}"
        row += f" | {sum(of_units) / len(of_units):.2f} |" if of_units else " | |"
        yield row + f" {sum([run['train_seconds'] for run in done]) / len(done):.0f} |"
