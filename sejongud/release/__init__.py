"""Build datasets from recipes: convert, check, split, count, and seal with checksums.

    recipe.py        a recipe, read and checked (keys.py, keys.toml: its keys)
    sketch.py        a recipe for given files
    inputs.py        inputs → sentences, converted once
    splits.py        sentences → train, dev, test
    outputs.py       sentences → files (rows.py, schema.py: rows of JSON Lines and Parquet)
    counts.py        words, entities and relations of each part
    checks.py        round trips of the inputs
    card.py          README.md, CITATION.cff, LICENSE (templates/)
    manifest.py      manifest.json, SHA256SUMS
    folder.py        a folder that appears complete or not at all
    builder.py       all of these steps, in order
    verification.py  a folder compared with its manifest, its inputs and a second build

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
