"""The page: template, style, script and data in one HTML file.

A policy in the page allows only its own style and script, which it names by their hashes: the page
fetches nothing, and text of the corpus cannot become a script even if it were markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none';"
    " form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


_PAGES = {
    "report": ("template.html", ("query.js", "exports.js", "report.js"), ("report.css",)),
    "edits": ("edits.html", ("edits.js",), ("report.css", "edits.css")),
}
"""The template, the scripts and the styles of each kind of page."""


def page(kind: str = "report", *, title: str, **values: Any) -> Iterator[str]:
    """Yield the parts of the page, in order.

    Args:
        kind: the kind of page, `report` or `edits`.
        title: the title of the page, which may hold the names of files.
        values: the other variables of its template, apart from `script`, `style` and `policy`.
    """
    from jinja2 import Environment, StrictUndefined

    folder = Path(__file__).parent

    def text(*names: str) -> str:
        return "".join([(folder / name).read_text("utf-8") for name in names])

    markup, scripts, styles = _PAGES[kind]
    inline = {"script": text(*scripts), "style": text(*styles)}
    policy = _POLICY.format(**{name: _hash(source) for name, source in inline.items()})
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["e"] = lambda text: escape(text)
    template = environment.from_string(text(markup))
    yield from template.generate(title=clean(title), **values, **inline, policy=policy)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"'sha256-{digest.decode('ascii')}'"


def data_script(value: object) -> str:
    """Return a value as JSON for a script element, without any text that could end the element.

    >>> data_script("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)
