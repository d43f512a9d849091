"""Configuration of Sphinx: `sphinx-build -W docs OUT` writes the manual as HTML."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.search.en import SearchEnglish

if TYPE_CHECKING:
    from typing import Any

    from sphinx.application import Sphinx

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from made import expanded  # noqa: E402

from sejongud import __version__ as release  # noqa: E402

project = "sejongud"
author = "the sejongud authors"
version = release
language = "en"
html_search_language = "ko"
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
html_static_path = ["style"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# Nothing is loaded from elsewhere.
html_theme_options = {"source_repository": "", "source_branch": "", "source_directory": ""}


PAGES = {
    "index": "index",
    "corpus": "tutorial-corpus",
    "nlp": "tutorial-nlp",
    "levels": "scheme",
    "entities": "entities",
    "corrections": "corrections",
    "errors": "codes",
    "codes": "codes",
}
"""Korean page → the English page of the same subject."""

LABELS = {
    "Search": "검색",
    "Next": "다음",
    "Previous": "이전",
    "On this page": "이 쪽의 차례",
    "Back to top": "맨 위로",
    "Home": "처음으로",
}
"""The labels of the theme on a Korean page."""

# Particles and the copula behind a noun. The search of Sphinx finds a word of two syllables as a
# whole word only, so 어절을 must be found by 어절.
_BEHIND = re.compile(
    r"(?<=[가-힣]{2})(?:(?:에서|에게|으로|부터|까지|마다|이나|보다|처럼)(?:는|도|만|의)?"
    r"|이?라면|이?라는|입니다|이며|이고|이면|[은는이가을를의에로와과도만나])$"
)


class SearchKorean(SearchEnglish):  # type: ignore[misc, unused-ignore]
    """Index a word of Korean with and without the particle behind it, other words as English."""

    lang = "ko"

    def split(self, text: str) -> list[str]:
        """Return the words of a text."""
        words: list[str] = super().split(text)
        return words + [stem for word in words if (stem := _BEHIND.sub("", word)) != word]


def _expand(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = expanded(source[0])


def _switch(app: Sphinx, name: str, template: str, context: dict[str, Any], _: object) -> None:
    """Put a link to the other language at the head of a page."""
    korean = name.startswith("ko/")
    if korean:
        context["language"] = "ko"
        context["_"] = context["gettext"] = lambda label: LABELS.get(label, label)
    others = {english: f"ko/{page}" for page, english in reversed(PAGES.items())}
    target = PAGES[name[3:]] if korean else others.get(name, "ko/index")
    link = f'<a href="{context["pathto"](target)}" lang="{{0}}" hreflang="{{0}}">{{1}}</a>'
    link = link.format(*(("en", "English") if korean else ("ko", "한국어")))
    context["body"] = f'<p class="language">{link}</p>{context.get("body", "")}'
    # A heading without a level is none for readers of screens.
    for part in ("body", "furo_navigation_tree"):
        text = context.get(part) or ""
        context[part] = text.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> None:
    """Make the tables of a page when it is read, and its link to the other language."""
    app.add_search_language(SearchKorean)
    app.connect("source-read", _expand)
    app.connect("html-page-context", _switch, priority=900)  # behind the theme
