"""Configuration of Sphinx: `sphinx-build -W docs OUT` writes the manual as HTML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from made import expanded  # noqa: E402

from sejongud import __version__ as release  # noqa: E402

project = "sejongud"
author = "the sejongud authors"
version = release
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
smartquotes = False
default_role = "code"
# A made section may begin with a heading of any level; an example with … in it is no valid JSON.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
html_theme = "furo"
html_title = f"sejongud {release}"
html_copy_source = False
html_show_sphinx = False
# Nothing is loaded from elsewhere.
html_theme_options = {"source_repository": "", "source_branch": "", "source_directory": ""}


def _expand(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = expanded(source[0])


def setup(app: Sphinx) -> None:
    """Make the tables of a page when it is read."""
    app.connect("source-read", _expand)
