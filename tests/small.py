"""A folder with the samples, and a small recipe, for tests of whole runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["RECIPE", "fill"]

RECIPE = """\
name = "n"
title = "t"
version = "1.0"
licence = "MIT"
authors = ["a"]
description = "d"
[outputs]
conllu = [5]
[[inputs]]
name = "one"
title = "One"
path = "sejong.txt"
split = { shares = [50, 25, 25] }
"""


def fill(folder: Path, samples: Path, recipe: str = RECIPE) -> None:
    """Copy the samples to a folder, and write the recipe beside them as `recipe.toml`."""
    for path in samples.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
