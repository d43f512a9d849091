"""The labels of the Korean types: long, as the KAGAS program writes them, or short, as its paper.

    INSERTION INS    PARTICLE PART    UNCLASSIFIED UNK    NOUN NOUN

Source: Yoon et al. 2023, Table 3; rules/gec-labels.tsv.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.gec.edits import Corrections, Edit
    from sejongud.rules import Rules

_AMBIGUOUS = "UNK"
"""The short label that stands for an edit without a correction elsewhere."""


def labels(rules: Rules | None = None) -> dict[str, str]:
    """Return the long label of each type with its short one, by the table `gec-labels`.

    Args:
        rules: the tables; None for the package's own.

    >>> labels()["INSERTION"], labels()["NOUN"]
    ('INS', 'NOUN')
    """
    return {row["long"]: row["short"] for row in (rules or load()).table("gec-labels")}


def in_long(sentences: Sequence[Corrections]) -> Sequence[Corrections]:
    """Return the sentences of a file with long labels, if its labels are the short ones.

    A file has short labels if all its types are Korean ones, and one of them is short alone. Other
    files, such as those of ERRANT, stay as they are.

    Args:
        sentences: all sentences of a file.

    >>> from sejongud.gec.edits import Corrections, Edit
    >>> edits = Edit(0, 1, "나는", "PART"), Edit(1, 2, "간다", "UNK")
    >>> [found] = in_long([Corrections(("나은", "가다"), {0: edits})])
    >>> [edit.type for edit in found.edits[0]]
    ['PARTICLE', 'UNCLASSIFIED']
    """
    long = {short: name for name, short in labels().items()}
    types = {edit.type for item in sentences for edit in chain(*item.edits.values())}
    only_short = {short for short, name in long.items() if short != name} - {_AMBIGUOUS}
    if types.isdisjoint(only_short) or not types <= long.keys() | set(long.values()):
        return sentences

    def longer(edit: Edit) -> Edit:
        return edit._replace(type=long.get(edit.type, edit.type))

    return [
        item._replace(edits={by: tuple(map(longer, edits)) for by, edits in item.edits.items()})
        for item in sentences
    ]
