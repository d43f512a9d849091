"""Make the tables of the manual from the registers, the parsers and the rules.

A page of docs/ has lines such as `<!-- made: codes -->`; `expanded` puts the text in their place
that a function of this module makes. So no page repeats a table of the program.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
from contextlib import redirect_stdout, suppress
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from sejongud import arguments, read
from sejongud.__main__ import main
from sejongud.arguments import homes, whole_parser
from sejongud.errors import AREAS
from sejongud.files import Source
from sejongud.formats import FORMATS, TREES, Format, sniff
from sejongud.levels.upos import upos_schemes
from sejongud.release.keys import KEYS
from sejongud.report.picture import Picture
from sejongud.rules import load
from sejongud.validation import codes as known_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SAMPLES = ROOT / "samples"

_MADE = re.compile(r"^<!-- made: (\w+)(?: (.*?))? -->$", re.MULTILINE)
_WIDTH = "90"
_LINES = 12
"""The number of lines of a sample that are shown."""


def expanded(text: str) -> str:
    """Return the text of a page with all that is made.

    >>> print(expanded("The tables:\\n\\n<!-- made: section README.md: Rules -->")[:33])
    The tables:
    <BLANKLINE>
    The tables in `rules
    """
    return _MADE.sub(_part, _local(text))


def _part(found: re.Match[str]) -> str:
    name, argument = found.groups()
    return PARTS[name](argument) if argument else PARTS[name]()


# --- Markdown -------------------------------------------------------------------------------------


def cell(text: object) -> str:
    """Return a text as a cell of a table."""
    shown = str(text).replace("<TAB>", "⇥").replace("|", "\\|").strip()
    return re.sub(r"`[^`]*`|[<\\](?!\|)", _escaped, shown)


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table of Markdown."""
    names = list(head)
    lines = [names, ["---"] * len(names), *[[cell(value) for value in row] for row in rows]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def fence(text: str, language: str = "text") -> str:
    """Return a block of text that is shown as it is."""
    return f"````{language}\n{text.rstrip()}\n````\n"


def code(text: object) -> str:
    """Return a text as code, "" for none."""
    return f"`{text}`" if str(text) else ""


# --- parts of the tree's own texts ----------------------------------------------------------------


def section(source: str) -> str:
    """Return sections of README.md and its like, without their headings.

    Args:
        source: the file and the heading, `README.md: Five levels`.
    """
    name, _, heading = source.partition(": ")
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,3}} |\Z)", text, re.M | re.S)
    if found is None:
        raise ValueError(f"{name} has no heading {heading!r}")
    return _local(found[2]).strip() + "\n"


def whole(name: str) -> str:
    """Return a text of the tree, its headings one level lower."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return _local(re.sub(r"^# .*\n", "", text, count=1)).strip() + "\n"


def shown(source: str) -> str:
    """Return a file of the tree as a block.

    Args:
        source: the language and the file, `toml samples/release.toml`.
    """
    language, _, name = source.partition(" ")
    return fence((ROOT / name).read_text(encoding="utf-8"), language)


def _local(text: str) -> str:
    """Return a text whose links into the tree lead to pages of the manual, or to none."""

    def link(found: re.Match[str]) -> str:
        label, target = found.groups()
        if target.startswith(("http://", "https://", "#")):
            return found[0]
        page = target.removeprefix("docs/")
        return f"[{label}]({page})" if (DOCS / page).is_file() else label

    return re.sub(r"\[([^\]\n]+)\]\(([^)\s]+)\)", link, text)


# --- the command line -----------------------------------------------------------------------------


@cache
def help_pages() -> Mapping[str, str]:
    """Return every page of `--help`: the words of the command → the page."""
    return {page: _help(page.split()[1:]) for page in _names_under(whole_parser())}


def _names_under(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield parser.prog
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _names_under(inner)


def _help(words: list[str]) -> str:
    with patch.dict(os.environ, {"COLUMNS": _WIDTH}), redirect_stdout(StringIO()) as out:
        with suppress(SystemExit):
            main([*words, "--help"])
        return out.getvalue()


def commands() -> str:
    """Return every page of `--help`."""
    parts = []
    for page, text in help_pages().items():
        words = page.split()
        parts.append(f"{'#' * min(len(words) + 1, 3)} {page}\n\n{fence(text)}\n")
    return "".join(parts)


def command_list() -> str:
    """Return a table of the commands with their purposes."""
    rows = []
    for name in homes():
        purpose = arguments.commands()[name].description().partition("\n")[0]
        rows.append((code(f"sejongud {name}"), purpose))
    return table(["command", "purpose"], rows)


# --- formats --------------------------------------------------------------------------------------


def formats() -> str:
    """Return a section for every format: its commands, layout, settings and a sample."""
    return "\n".join(_format(name, kind) for name, kind in FORMATS.items())


def format_list() -> str:
    """Return a table of the formats: what of them is read and written, and by which command."""
    rows = [
        (f"[{name}](#format-{name})", _purpose(kind), ", ".join(_uses(name, kind)))
        for name, kind in FORMATS.items()
    ]
    return table(["format", "contents", "commands"], rows)


def _uses(name: str, kind: Format) -> Iterator[str]:
    if kind.reader:
        yield code(f"convert --from {name}")
    if kind.writer:
        yield code(f"convert --to {name}")
    if kind.entities:
        yield "`ner`, `eval ner`"
    if kind.frames:
        yield "`frame`, `eval frame`"
    if kind.corrections:
        yield "`gec`"
    if name in TREES:
        yield "`tree`"


def _home(kind: Format) -> tuple[str, str]:
    """Return the module of a format, in sejongud.formats, and its class."""
    first = kind.reader or kind.entities or kind.frames or kind.corrections
    module, _, name = first.partition(":")
    return ("conllu.write" if module == "conllu" else module), name


def _description(module: str, name: str) -> str:
    """Return the docstring of the class of a format if that describes it, else of its module."""
    path = ROOT / "sejongud" / "formats" / (module.replace(".", "/") + ".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    homes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    of_class = "".join([ast.get_docstring(node) or "" for node in homes])
    # A docstring that begins with "Read" describes the class alone.
    if not of_class or of_class.startswith("Read"):
        return ast.get_docstring(tree) or ""
    return re.split(r"\n\n(?:Args:|>>> )", of_class)[0]


def _purpose(kind: Format) -> str:
    if kind.reader.startswith("conllu:"):
        return "CoNLL-U and CoNLL-U Plus, of this program at any level and of UD."
    return _description(*_home(kind)).partition("\n")[0]


def _format(name: str, kind: Format) -> str:
    module, class_name = _home(kind)
    text = _purpose(kind) if module == "conllu.write" else _description(module, class_name)
    first, _, rest = text.partition("\n")
    parts = [f"(format-{name})=\n## {name}\n", f"{_prose(first)}\n"]
    ending = f"; endings of names: {', '.join(map(code, kind.endings))}"
    parts.append(f"Commands: {', '.join(_uses(name, kind))}{ending}.\n")
    if rest.strip():
        parts.append(_prose(rest.strip("\n")) + "\n")
    if settings := _settings(module, class_name):
        where = f" (`{name}:SETTINGS`)" if kind.entities else ""
        parts.append(f"Settings{where}: {_prose(settings)}\n")
    if kind.entities:
        parts.append("[](entities.md) has an example of every setting.\n")
    if sample := _sample(name):
        lines = text_of(sample).splitlines()
        more = " (beginning)" if len(lines) > _LINES else ""
        where = sample.relative_to(ROOT).as_posix()
        parts.append(f"Example: `{where}`{more}\n\n{fence(chr(10).join(lines[:_LINES]))}")
    return "\n".join(parts)


def _settings(module: str, name: str) -> str:
    """Return the meaning of the settings of a format, "" if it has none, from its class."""
    if module == "conllu.write":
        return ""
    made = getattr(import_module(f"sejongud.formats.{module}"), name)
    found = re.search(r"^ +settings: (.*(?:\n {8,}.*)*)", made.__doc__ or "", re.MULTILINE)
    values = "; ".join(", ".join(map(code, choice)) for choice in getattr(made, "choices", ()))
    text = re.sub(r"\s+", " ", found[1]) if found else ""
    return f"{text} Values: {values}." if text and values else text


@cache
def _samples() -> Mapping[str, Path]:
    """Return a sample of every format that has one."""
    found: dict[str, Path] = {}
    for path in sorted(SAMPLES.iterdir()):
        if path.is_file() and path.suffix != ".toml" and "faults" not in path.name:
            known = sniff(text_of(path))
            if known is not None:
                found.setdefault(known.name, path)
    return found


def text_of(path: Path) -> str:
    """Return the text of a sample, whatever its encoding is."""
    with Source(str(path)) as source:
        return source.text()


def _sample(name: str) -> Path | None:
    return _samples().get(name)


def _prose(text: str) -> str:
    """Return the text of a docstring: its indented lines are shown as they are."""
    lines = []
    for paragraph in re.split(r"\n{2,}", text.replace("<TAB>", "⇥")):
        if all(line.startswith("    ") for line in paragraph.splitlines()):
            shown = "\n".join(line.removeprefix("    ") for line in paragraph.splitlines())
            lines.append(fence(shown).rstrip())
        else:
            lines.append(re.sub(r"`[^`]*`|<", _escaped, paragraph))
    return "\n\n".join(lines)


def _escaped(found: re.Match[str]) -> str:
    """Return what Markdown would take as markup so that it is shown; code stays."""
    return {"<": "&lt;", "\\": "\\\\"}.get(found[0], found[0])


# --- codes ----------------------------------------------------------------------------------------


@cache
def cures() -> Mapping[str, str]:
    """Return the cause and the cure of every code."""
    return rows_of(DOCS / "cures.tsv")


def rows_of(path: Path) -> dict[str, str]:
    """Return a table of two columns as a mapping."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return dict(rows[1:])


def korean_codes() -> str:
    """Return a table of the codes that have a Korean cure: the code, its meaning and its cure."""
    meanings = rows_of(ROOT / "sejongud" / "report" / "korean.tsv")
    cures = rows_of(DOCS / "ko" / "cures.tsv")
    rows = [(f"**{code}**", meanings[code], cure) for code, cure in cures.items()]
    return table(["코드", "뜻", "원인과 대처"], rows)


def codes() -> str:
    """Return a table of codes for each area: the code, its meaning, its cause and cure."""
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for name, meaning in known_codes().items():
        rows.setdefault(name[1], []).append((f"**{name}**", meaning, cures().get(name, "")))
    head = ["code", "meaning", "cause and cure"]
    parts = [f"## {AREAS[area]}\n\n{table(head, own)}" for area, own in rows.items()]
    return "\n".join(parts)


# --- recipes --------------------------------------------------------------------------------------


def recipe() -> str:
    """Return a table of the keys of each table of a recipe."""
    return "\n".join(
        f"## {place}\n\n{_keys(keys)}" for place, keys in recipe_tables(KEYS) if place != "types"
    )


def recipe_tables(
    keys: Mapping[str, Any], place: str = ""
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the tables of a recipe: the place of a table, and its keys."""
    for name, inner in keys.items():
        here = f"{place}.{name}" if place else name
        if all("meaning" in key for key in inner.values()) or here == "types":
            yield here, inner
        else:
            yield from recipe_tables(inner, here)


def _keys(keys: Mapping[str, Any]) -> str:
    rows = []
    for name, key in keys.items():
        names = [name, *([key["alias"]] if "alias" in key else [])]
        kind = key["type"]
        kinds = " or ".join(map(code, kind)) if isinstance(kind, list) else kind
        usual = code(_toml(key["default"])) if "default" in key else "required"
        example = code(key["example"])
        rows.append((", ".join(map(code, names)), kinds, usual, example, key["meaning"]))
    return table(["key", "type", "default", "example", "meaning"], rows)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value).replace("'", '"')


# --- rules ----------------------------------------------------------------------------------------


def rules(name: str) -> str:
    """Return a table of rules/, with the comment above it."""
    tables = load()
    rows = [list(row.values()) for row in tables.table(name)]
    return f"{comment(name)}\n{table(tables.table(name)[0], rows)}"


def comment(name: str) -> str:
    """Return the comment above a table of rules/."""
    lines = []
    for line in load().text(name).splitlines():
        if not line.startswith("#") or line == "#":
            break
        lines.append(line.lstrip("#").strip())
    return cell(" ".join(lines)) + "\n"


def lemmas() -> str:
    """Return the lemmas that are not the form, a row for each tag, of the usual scheme."""
    tags: dict[str, dict[str, list[str]]] = {}
    for (form, tag), lemma in load().lemmas["normalised"].items():
        if form != lemma:
            tags.setdefault(tag, {}).setdefault(lemma, []).append(form)
    rows = [
        (tag, "; ".join(f"**{lemma}** {' '.join(forms)}" for lemma, forms in own.items()))
        for tag, own in tags.items()
    ]
    return table(["tag", "**lemma** and forms"], rows)


def rules_list() -> str:
    """Return a table of the tables of rules/."""
    tables = load()
    rows = []
    for name in tables.names:
        first = tables.text(name).partition("\n")[0].lstrip("# ")
        rows.append((code(name), first))
    return table(["table", "contents"], rows)


def schemes() -> str:
    """Return the names of the schemes of UPOS."""
    return ", ".join(code(name) for name in upos_schemes(load())) + "\n"


def others() -> str:
    """Return the pages that index.md does not name, for its contents."""
    named = ["index", *(DOCS / "index.md").read_text(encoding="utf-8").splitlines()]
    return "\n".join(path.stem for path in sorted(DOCS.glob("*.md")) if path.stem not in named)


def api(name: str) -> str:
    """Return the documentation of all public names of a package, for autodoc."""
    package = import_module(name)
    parts = []
    for public in package.__all__:
        kind = "class" if isinstance(value := getattr(package, public), type) else "function"
        if issubclass(value, Exception) if isinstance(value, type) else False:
            kind = "exception"
        if callable(value):
            parts.append(f".. auto{kind}:: {name}.{public}\n")
    return fence("\n".join(parts), "{eval-rst}")


def cells(name: str) -> list[tuple[str, str]]:
    """Return the cells of a notebook in docs/: the kind of a cell or of an output, and the text."""
    found: list[tuple[str, str]] = []
    for cell in json.loads((DOCS / name).read_text(encoding="utf-8"))["cells"]:
        found.append((cell["cell_type"], "".join(cell["source"])))
        for output in cell.get("outputs", ()):
            kind = next(kind for kind in ("text/html", "text/plain") if kind in output["data"])
            text = "".join(output["data"][kind])
            wide = f'<div class="output" tabindex="0">{text}</div>'
            found.append((kind, wide if kind == "text/html" else text))
    return found


def notebook(name: str) -> str:
    """Return the cells of a notebook as Markdown."""
    languages = {"code": "python", "text/plain": "text", "text/html": "{raw} html"}
    parts = [fence(t, languages[kind]) if kind in languages else t for kind, t in cells(name)]
    return "\n\n".join(parts) + "\n"


def picture(place: str) -> str:
    """Return the picture of a sentence of a sample: its file and its id."""
    name, sent_id = place.split()
    [sentence] = [one for one in read(SAMPLES / name) if one.sent_id == sent_id]
    drawn = Picture(load()).svg(sentence)
    return fence(f'<div class="output" tabindex="0">{drawn}</div>', "{raw} html")


PARTS: Mapping[str, Callable[..., str]] = {
    made.__name__: made
    for made in (
        *(codes, korean_codes, recipe, formats, format_list, commands, command_list, section),
        *(whole, shown, api, notebook, others, rules, comment, lemmas, rules_list, schemes),
        picture,
    )
}
"""Name in a page → the function that makes the text."""
