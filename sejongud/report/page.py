"""The page: template, style, script and data, put together to one file that needs no other.

A policy in the page forbids everything but its own style and script, named by their hashes: nothing
is fetched, and text of the corpus could not become a script even if it stood in the page as markup,
which it does not.
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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.report.data import Chunk
    from sejongud.report.figures import Chart

__all__ = ["chunk_scripts", "codes_table", "data_script", "figure", "page", "tiles"]

_PLACE = re.compile(r"\{\{(\w+)\}\}")


@lru_cache(maxsize=4)
def _file(name: str) -> str:
    return (files("sejongud.report") / name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"'sha256-{digest.decode('ascii')}'"


def _policy(script: str, style: str) -> str:
    """What the page may do: run its script, use its style; nothing else."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def page(values: Mapping[str, str], scripts: Iterable[str]) -> Iterator[str]:
    """The parts of the page, to be written one after another.

    Args:
        values: what stands in the places of the template: `title`, `summary`, `generator` and
            `incident_count` are text, the others markup.
        scripts: the scripts with the data.
    """
    script, style = _file("report.js"), _file("report.css")
    texts = {
        name: escape(values[name]) for name in ("title", "summary", "generator", "incident_count")
    }
    own = {"style": style, "csp": escape(_policy(script, style), quote=False)}
    known = {**values, **texts, **own}
    before, _, behind = _file("template.html").partition("{{chunks}}")
    yield _filled(before, known)
    # The script begins with the first of the data while the others are still being read.
    data = iter(scripts)
    yield next(data, "")
    yield f"<script>{script}</script>\n"
    yield from data
    yield _filled(behind, known)


def _filled(template: str, values: Mapping[str, str]) -> str:
    # In one go: what is put in is not looked at again.
    return _PLACE.sub(lambda match: values[match[1]], template)


def data_script(value: object) -> str:
    """A value as JSON inside a script element, which nothing in it can end.

    >>> data_script("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def chunk_scripts(chunks: Iterable[Chunk], more: Mapping[str, str]) -> Iterator[str]:
    """The packed data as elements that are no scripts.

    Args:
        chunks: the sentences.
        more: id → packed data.
    """
    packed = {f"chunk-{at}": chunk.text for at, chunk in enumerate(chunks)}
    for name, text in {**packed, **more}.items():
        yield f'<script type="text/plain" id="{name}">{text}</script>\n'


def tiles(values: Mapping[str, int]) -> str:
    """Figures that are worth a large type."""
    items = [
        f"<div><dt>{escape(name)}</dt><dd>{value:,}</dd></div>" for name, value in values.items()
    ]
    return f'<dl class="tiles">{"".join(items)}</dl>\n'


def figure(chart: Chart, svg: str) -> str:
    """A chart with its caption and its table, which is open where there is no chart."""
    note = f"<p>{escape(chart.note)}</p>" if chart.note else ""
    shown = "" if svg else " open"
    return (
        f'<figure id="figure-{chart.name}"><figcaption><h3>{escape(chart.title)}</h3>{note}'
        f"</figcaption>\n{svg}<details{shown}><summary>Table</summary>"
        f'<div class="scroll">{_table(chart.head, chart.rows)}</div></details></figure>\n'
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = "".join(
        [f'<th scope="col"{_kind(at)}>{escape(one)}</th>' for at, one in enumerate(head)]
    )
    lines = [f"<thead><tr>{cells}</tr></thead><tbody>"]
    for first, *others in rows:
        rest = [f"<td{_kind(at, one)}>{escape(one)}</td>" for at, one in enumerate(others, 1)]
        lines.append(f'<tr><th scope="row">{escape(first)}</th>{"".join(rest)}</tr>')
    return f'<table class="plain">{"".join(lines)}</tbody></table>'


def _kind(at: int, cell: str = "0") -> str:
    return ' class="n"' if at and cell[:1].isdigit() else ""


def codes_table(counts: Mapping[str, int], codes: Mapping[str, str]) -> str:
    """The codes of the incidents, each with a link to its list."""
    if not counts:
        return "<p>There is none.</p>\n"
    rows = [("", "all codes", sum(counts.values()))]
    rows += [(code, codes.get(code, ""), counts[code]) for code in sorted(counts)]
    lines = [
        f'<tr data-code="{escape(code)}"><th scope="row"><a class="code" href="#incidents/'
        f'{escape(code)}">{escape(code) or "all"}</a></th><td class="n">{count:,}</td>'
        f"<td>{escape(said)}</td></tr>"
        for code, said, count in rows
    ]
    return (
        '<div class="codes scroll"><table class="plain"><thead><tr><th scope="col">code</th>'
        '<th scope="col" class="n">incidents</th><th scope="col">what it stands for</th></tr>'
        f"</thead><tbody>{''.join(lines)}</tbody></table></div>\n"
    )
