"""Releases: a dataset built by a recipe, checked, split, counted, and sealed with its checksums.

    recipe.py        the recipe, read and checked
    base.py          inputs → sentences, converted once
    splits.py        which sentence goes where
    outputs.py       sentences → files (parquet.py: rows)
    figures.py       what is in each part
    checks.py        round trips
    card.py          README.md, CITATION.cff, LICENSE
    manifest.py      manifest.json, SHA256SUMS
    folder.py        a folder that appears whole or not at all
    builder.py       all of this, one after another
    verification.py  a folder against its manifest, its inputs, and itself

>>> import sejongud.release
>>> callable(sejongud.release.build)
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sejongud.release.builder import Release, build
    from sejongud.release.recipe import RecipeError, load_recipe
    from sejongud.release.splits import ReleaseError
    from sejongud.release.verification import Finding, Verification, verify

__all__ = [
    "Finding",
    "RecipeError",
    "Release",
    "ReleaseError",
    "Verification",
    "build",
    "load_recipe",
    "verify",
]

_HOMES = {
    "Finding": "sejongud.release.verification",
    "RecipeError": "sejongud.release.recipe",
    "Release": "sejongud.release.builder",
    "ReleaseError": "sejongud.release.splits",
    "Verification": "sejongud.release.verification",
    "build": "sejongud.release.builder",
    "load_recipe": "sejongud.release.recipe",
    "verify": "sejongud.release.verification",
}
"""Where each public name is defined."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
