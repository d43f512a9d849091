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
