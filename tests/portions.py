"""How much of real corpora the tests take: all of them where CI is set, else enough to see."""

from __future__ import annotations

import os

__all__ = ["ALL", "SOME", "some", "some_levels"]

ALL = "CI" in os.environ
"""Whether real corpora are taken whole and at all levels, as continuous integration does."""
SOME = 500
"""The number of sentences of a real corpus that are taken otherwise."""


def some(text: str) -> str:
    """The first sentences of a corpus in which blank lines part them; all of them with `ALL`."""
    blocks = text.split("\n\n", SOME)
    return text if ALL or len(blocks) <= SOME else "\n\n".join([*blocks[:SOME], ""])


def some_levels() -> tuple[int, ...]:
    """Levels of granularity that differ in how they cut words; all five with `ALL`."""
    return (1, 2, 3, 4, 5) if ALL else (1, 3)
