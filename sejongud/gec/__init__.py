"""Grammatical error correction: edits, their types and their scores.

A correction is a layer of edits on the tokens of a sentence (`sejongud.gec.edits`). Annotators
make edits of a source and its targets; scorers compare the edits of a system with those of a
reference. The scorers do not import the annotators, and Kiwi is loaded when it is first used.

>>> from sejongud import gec
>>> [edit[:4] for edit in gec.annotate("수업할때 자고 싶었다", "수업할 때 자고 싶었다")]
[(0, 1, '수업할 때', 'WS')]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sejongud.formats.m2 import read_m2
    from sejongud.gec.annotator import Annotator, annotate
    from sejongud.gec.edits import Corrections, Edit, Pair
    from sejongud.gec.scoring import score

__all__ = ["Annotator", "Corrections", "Edit", "Pair", "annotate", "read_m2", "score"]

_HOMES = {
    **dict.fromkeys(("Annotator", "annotate"), "sejongud.gec.annotator"),
    **dict.fromkeys(("Corrections", "Edit", "Pair"), "sejongud.gec.edits"),
    "read_m2": "sejongud.formats.m2",
    "score": "sejongud.gec.scoring",
}
"""Where each public name is defined."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
