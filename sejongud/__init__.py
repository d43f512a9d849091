"""Sejong-style Korean corpora in Universal Dependencies: converters and evaluation.

Public names are imported from their modules when they are first used, so that
`import sejongud` costs nothing.

>>> import sejongud
>>> sejongud.Morpheme("의", "JKG").tag
'JKG'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sejongud.api import analyze, convert, freq, join, loads, read, write
    from sejongud.errors import FormatError, Incident, Report, SejongudError, UsageError
    from sejongud.model import Eojeol, Morpheme, Token, Word
    from sejongud.morphology.generation import surface
    from sejongud.sentence import Sentence

__all__ = [
    "Eojeol",
    "FormatError",
    "Incident",
    "Morpheme",
    "Report",
    "SejongudError",
    "Sentence",
    "Token",
    "UsageError",
    "Word",
    "__version__",
    "analyze",
    "convert",
    "freq",
    "join",
    "loads",
    "read",
    "surface",
    "write",
]

__version__ = "0.1.0.dev0"

_HOMES = {
    **dict.fromkeys(
        ("analyze", "convert", "freq", "join", "loads", "read", "write"), "sejongud.api"
    ),
    **dict.fromkeys(
        ("FormatError", "Incident", "Report", "SejongudError", "UsageError"), "sejongud.errors"
    ),
    **dict.fromkeys(("Eojeol", "Morpheme", "Token", "Word"), "sejongud.model"),
    "Sentence": "sejongud.sentence",
    "surface": "sejongud.morphology.generation",
}
"""Where each public name is defined."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
