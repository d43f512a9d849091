"""The page: template, style, script and data in one HTML file.

A policy in the page allows only its own style and script, which it names by their hashes: the page
fetches nothing, and text of the corpus cannot become a script even if it were markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.report.charts import Chart

__all__ = ["codes_table", "data_script", "figure", "page", "tiles"]

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_TEXTS = ("title", "summary", "generator", "incident_count")
"""The places of the template that take text; the others take markup."""

_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none';"
    " form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


@lru_cache(maxsize=4)
def _file(name: str) -> str:
    return (files("sejongud.report") / name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"'sha256-{digest.decode('ascii')}'"


def page(values: Mapping[str, str], packed: Mapping[str, str]) -> Iterator[str]:
    """Yield the parts of the page, in order.

    Args:
        values: the contents of the places in the template: `title`, `summary`, `generator` and
            `incident_count` are text, the others markup.
        packed: the ids of the packed data, and the data, the first chunk first.
    """
    script, style = _file("report.js"), _file("report.css")
    policy = escape(_POLICY.format(script=_hash(script), style=_hash(style)), quote=False)
    known = {name: escape(text) if name in _TEXTS else text for name, text in values.items()}
    known |= {"style": style, "csp": policy}
    before, _, behind = _file("template.html").partition("{{chunks}}")
    # One substitution: text that comes from the values is not searched for places.
    yield _PLACE.sub(lambda match: known[match[1]], before)
    # The script stands behind the first chunk, so it begins while the browser reads the others.
    data = (
        f'<script type="text/plain" id="{name}">{text}</script>\n' for name, text in packed.items()
    )
    yield next(data, "")
    yield f"<script>{script}</script>\n"
    yield from data
    yield behind


def data_script(value: object) -> str:
    """Return a value as JSON for a script element, without any text that could end the element.

    >>> data_script("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


def tiles(values: Mapping[str, int]) -> str:
    """Return the main figures in large type."""
    items = [
        f"<div><dt>{escape(name)}</dt><dd>{value:,}</dd></div>" for name, value in values.items()
    ]
    return f'<dl class="tiles">{"".join(items)}</dl>\n'


def figure(chart: Chart, *, drawn: bool) -> str:
    """Return a chart as its caption and its table.

    Args:
        chart: the chart.
        drawn: whether the page's script is to draw it; it closes the table then.
    """
    note = f"<p>{escape(chart.note)}</p>" if chart.note else ""
    shape = f' data-chart="{chart.shape}"' if drawn else ""
    return (
        f'<figure id="figure-{chart.name}"{shape}><figcaption><h3>{escape(chart.title)}</h3>{note}'
        "</figcaption>\n<details open><summary>Table</summary>"
        f'<div class="scroll">{_table(chart.head, chart.rows)}</div></details></figure>\n'
    )


def codes_table(counts: Mapping[str, int], codes: Mapping[str, str]) -> str:
    """Return the table of the incidents' codes; the script makes links of its first column.

    Args:
        counts: code → number of incidents.
        codes: code → description.
    """
    if not counts:
        return "<p>There are no incidents.</p>\n"
    rows = [("all", f"{sum(counts.values()):,}", "all codes")]
    rows += [(code, f"{counts[code]:,}", codes.get(code, "")) for code in sorted(counts)]
    table = _table(("code", "incidents", "description"), rows)
    return f'<div class="codes scroll">{table}</div>\n'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first = rows[0] if rows else head
    classes = [' class="n"' if at and cell[:1].isdigit() else "" for at, cell in enumerate(first)]
    cells = [f'<th scope="col"{c}>{escape(one)}</th>' for c, one in zip(classes, head, strict=True)]
    lines = []
    for name, *others in rows:
        pairs = zip(classes[1:], others, strict=True)
        rest = "".join([f"<td{c}>{escape(one)}</td>" for c, one in pairs])
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{rest}</tr>')
    return (
        f'<table class="plain"><thead><tr>{"".join(cells)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )
