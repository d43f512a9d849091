"""Build datasets from recipes: convert, check, split, count, and seal with checksums.

    recipe.py        a recipe, read and checked (keys.py, keys.toml: its keys)
    sketch.py        a recipe for given files
    inputs.py        inputs → sentences, converted once
    splits.py        sentences → train, dev, test
    outputs.py       sentences → files (rows.py: rows of JSON Lines and Parquet)
    checks.py        round trips of the inputs; a folder compared with its manifest
    card.py          README.md, CITATION.cff, LICENSE (templates/), and the counts of each part
    folder.py        a folder that appears complete or not at all, with manifest and checksums
    builder.py       all of these steps, in order

>>> import sejongud.release
>>> callable(sejongud.release.build)
True
"""

from sejongud.release.builder import Release, build
from sejongud.release.checks import Finding, Verification, verify
from sejongud.release.keys import RecipeError
from sejongud.release.recipe import load_recipe
from sejongud.release.sketch import sketch
from sejongud.release.splits import ReleaseError

__all__ = [
    "Finding",
    "RecipeError",
    "Release",
    "ReleaseError",
    "Verification",
    "build",
    "load_recipe",
    "sketch",
    "verify",
]
