"""Tables of cases, which a test reads as it reads those that stand beside it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def cases(module: str) -> dict[str, Any]:
    """The tables of `test_MODULE.py`, by the names of their tests and constants."""
    file = Path(__file__).parent / "data/cases" / f"{module}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
