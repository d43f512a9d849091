"""The formats of entities, their settings and an example of each, for users to read.

The tables entity-formats.tsv and entity-settings.tsv describe them. The examples are written by the
formats themselves, so that they show what a file looks like.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sejongud.formats import ALIASES, ENTITY_FORMATS, label_format
from sejongud.formats.labelled import Labelled, MorphemeRow


class Described(NamedTuple):
    """The description of a format."""

    corpus: str
    """The corpora or programs that have it."""
    unit: str
    """The unit of the text that has a label."""
    settings: dict[str, str]
    """Each setting that may follow the name of the format, and its meaning."""
    nested: bool
    """Whether it has entities inside entities."""
    shown: str
    """The settings of the example above the table."""


def _rows(name: str) -> list[list[str]]:
    """Return the rows of a table beside this module, without its header."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


_SETTINGS = _rows("entity-settings.tsv")

DESCRIBED = {
    name: Described(
        corpus,
        unit,
        {setting: meaning for names, setting, meaning in _SETTINGS if name in names.split()},
        nested == "yes",
        shown,
    )
    for name, unit, nested, shown, corpus in _rows("entity-formats.tsv")
}
"""The description of each format of `ENTITY_FORMATS`."""

_MORPHEMES = (
    (("철수", "NNP", "B-PS"), ("가", "JKS", "O")),
    (("서울", "NNP", "B-LC"), ("역", "NNG", "I-LC"), ("에", "JKB", "O")),
    (("가", "VV", "O"), ("았", "EP", "O"), ("다", "EF", "O")),
)
_SPANS = (((0, 2), (2, 3)), ((4, 6), (6, 7), (7, 8)), ((9, 10), (9, 10), (10, 11)))
_EOJEOLS = ("철수가", "서울역에", "갔다")
_SYLLABLES = (*("B-PS", "I-PS", "O", "O"), *("B-LC", "I-LC", "I-LC", "O", "O"), "O", "O")


def example(name: str, settings: str = "") -> str:
    """Return a file of one sentence in a format.

    Args:
        name: of the format.
        settings: of the format; "" for the usual ones.

    >>> example("naver", "lines PER-B")
    '철수가 서울역에 갔다\\tPS-B LC-B O\\n'
    """
    layout = label_format(name, settings)
    rows = tuple([tuple([MorphemeRow(*row) for row in eojeol]) for eojeol in _MORPHEMES])
    if layout.unit == "eojeol":
        labelled = Labelled(_EOJEOLS, (("B-PS", "B-LC", "O"),), "1")
    else:
        labelled = Labelled(tuple(" ".join(_EOJEOLS)), (_SYLLABLES,), "1", (), rows, _SPANS)
    return layout.write(labelled) + layout.end()


_MORE = """\
## conllu

CoNLL-U of morphemes, or of another level (`--level`), with `NE=` in MISC. Only `ner convert`
takes the name; `eoj2morph` and `syl2morph` write it, `morph2eoj` and `morph2syl` read it. Labels
are BIO, or BIOES with `--label-scheme bioes`. Entities may be nested.

## docbin

The binary file of spaCy (`.spacy`), by way of `spacy-json`. Only `ner convert` takes the name;
spaCy must be installed (`pip install 'sejongud[spacy]'`).

## spans, hf-tokens

For today's taggers, an object a line: `text` and `entities` with `start`, `end` and `label`
(`--to spans`); the word pieces of a model with a label for each, -100 for [CLS] and the like
(`--to hf-tokens --tokenizer FILE`, `pip install 'sejongud[tokenizers]'`). `label_names` of
the last line has the names of all labels. Only `ner convert` takes the names; `--from` reads both.
"""


def listing() -> str:
    """Return the formats of entities with their settings and an example of each, in Markdown."""
    parts = []
    for name in ENTITY_FORMATS:
        described = DESCRIBED[name]
        aliases = [f"`{alias}`" for alias, format_name in ALIASES.items() if format_name == name]
        also = f" Also {', '.join(aliases)}." if aliases else ""
        nested = " Entities may be nested." if described.nested else ""
        text = f"{described.corpus}. Labels stand on: {described.unit}.{nested}{also}"
        lines = [f"## {name}", "", text, "", "```", example(name, described.shown).rstrip("\n")]
        lines.append("```")
        if described.settings:
            lines += ["", "| name and setting | | |", "|---|---|---|"]
            lines += [
                f"| `{name}:{setting}` | {meaning} | {_shown(name, setting)} |"
                for setting, meaning in described.settings.items()
            ]
        parts.append("\n".join([*lines, ""]))
    return "\n".join([*parts, _MORE])


_SHOWN = 56
_BEFORE = 20
"""The length of an example in a table, and of its part that stands in other examples as well."""


def _shown(name: str, settings: str) -> str:
    """Return the part of the example that a setting changes; "" if the setting is a file."""
    if "FILE" in settings:
        return ""
    text, usual = example(name, settings), example(name)
    differs = next((n for n, (a, b) in enumerate(zip(text, usual, strict=False)) if a != b), 0)
    begin = 0 if differs < _SHOWN - _BEFORE else differs - _BEFORE
    part = text[begin : begin + _SHOWN].rstrip("\n")
    marks = "…" if begin else "", "…" if begin + _SHOWN < len(text) else ""
    shown = part.replace("\t", "⇥").replace("\n", "⏎")
    return f"`{marks[0]}{shown}{marks[1]}`"
