"""How much of real corpora, and how many random moments, the tests take.

`SEJONGUD_WHOLE=1` makes them take real corpora whole and at all levels, and more generated
examples: minutes more.
"""

from __future__ import annotations

import os

__all__ = ["ALL", "EXAMPLES", "MOMENTS", "SOME", "some", "some_levels"]

ALL = "SEJONGUD_WHOLE" in os.environ
"""Whether real corpora are taken whole and at all levels."""
SOME = 25
"""The number of sentences of a real corpus that are taken otherwise."""
EXAMPLES = 200 if ALL else 15
"""How many examples of each property are generated."""
MOMENTS = int(os.environ.get("SEJONGUD_MOMENTS", "2"))
"""How often each signal comes to a command, at moments spread over its run."""


def some(text: str) -> str:
    """The first sentences of a corpus in which blank lines part them; all of them with `ALL`."""
    blocks = text.split("\n\n", SOME)
    return text if ALL or len(blocks) <= SOME else "\n\n".join([*blocks[:SOME], ""])


def some_levels() -> tuple[int, ...]:
    """Levels of granularity that differ in how they cut words; all five with `ALL`."""
    return (1, 2, 3, 4, 5) if ALL else (1, 3)
