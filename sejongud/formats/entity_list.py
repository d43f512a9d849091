"""The formats of entities, their settings and an example of each, for users to read.

The examples are written by the formats themselves, so that they show what a file looks like.
"""

from __future__ import annotations

from typing import NamedTuple

from sejongud.formats import ALIASES, ENTITY_FORMATS, label_format
from sejongud.formats.labelled import SPELLINGS, Labelled, MorphemeRow


class Described(NamedTuple):
    """The description of a format."""

    corpus: str
    """The corpora or programs that have it."""
    unit: str
    """The unit of the text that has a label."""
    settings: dict[str, str]
    """Each setting that may follow the name of the format, and its meaning."""
    nested: bool = False
    """Whether it has entities inside entities."""
    shown: str = ""
    """The settings of the example above the table."""


_JSON = {
    "spaced": "an object a line, spaces behind `,` and `:`",
    "compact": "an object a line, no spaces",
    "spaced-ascii": "as `spaced`, all beyond ASCII escaped",
    "compact-ascii": "as `compact`, all beyond ASCII escaped",
    "array": "a list of objects on one line",
    "array-compact": "the same without spaces",
    "array-compact-ascii": "the same, all beyond ASCII escaped",
    "array-1": "a list of objects, indented by 1 blank",
    "array-2": "a list of objects, indented by 2 blanks",
    "array-4": "a list of objects, indented by 4 blanks",
    "array-ascii": "as `array`, all beyond ASCII escaped",
    "array-2-ascii": "as `array-2`, all beyond ASCII escaped",
    "array-4-ascii": "as `array-4`, all beyond ASCII escaped",
}
_SPELT = {
    name: "how labels are spelt"
    if name in ("PER_B", "PER-B", "B-PER", "B_PER")
    else f"the same, `{spelling.outside}` outside"
    for name, spelling in SPELLINGS.items()
}
_INDENTED = {
    "0": "JSON on one line",
    "1": "JSON indented by 1 blank",
    "2": "JSON indented by 2 blanks",
    "4": "JSON indented by 4 blanks",
}

DESCRIBED = {
    "naver": Described(
        "NAVER NLP Challenge, Changwon; KoELECTRA's copy",
        "eojeol",
        {
            "rows": "a row for each eojeol",
            "lines": "a sentence a line, tags behind a tab",
            **_SPELT,
        },
    ),
    "columns": Described(
        "CoNLL-2002 and 2003: a token and its label on a row",
        "eojeol",
        {
            "tab": "tabs between columns",
            "space": "spaces between columns",
            **_SPELT,
            "bio": "scheme BIO",
            "bioes": "scheme BIOES",
            "iob1": "scheme IOB1",
            "bilou": "scheme BILOU",
            "bmes": "scheme BMES",
            "tab B-PER bio eoj -": "columns between token and label, the same on each row",
        },
    ),
    "klue-ner": Described(
        "KLUE-NER, konec: a character and its label on a row",
        "character",
        {
            "marked": "a heading with the sentence and its marks",
            "plain": "a heading with the sentence",
            "none": "no heading",
            "tab": "a tab before the label",
            "space": "a space before the label",
        },
    ),
    "kmou": Described(
        "Korea Maritime and Ocean University",
        "character",
        {"typed": "`I-LC` inside an entity", "bare": "`I` inside an entity"},
    ),
    "kips": Described(
        "KIPS contest of 2016",
        "morpheme",
        {"bare": "`I` inside an entity", "typed": "`I_LC` inside an entity"},
    ),
    "modu-ne": Described("NIKL corpora (모두의 말뭉치), NE", "character", _INDENTED, nested=True),
    "etri": Described(
        "ETRI's corpora and analyser: entities by ids of morphemes",
        "morpheme",
        {**_INDENTED, "4 return_object": "under `return_object`, as the analyser returns it"},
        shown="0",
        nested=True,
    ),
    "konne": Described("konne; doccano's older export", "character", _JSON, nested=True),
    "doccano": Described("doccano's export, with relations", "character", _JSON, nested=True),
    "label-studio": Described(
        "Label Studio",
        "character",
        {
            **_JSON,
            "tasks": "tasks with annotations",
            "min": "the short form, JSON-MIN",
            "annotations": "new tasks have annotations",
            "predictions": "new tasks have predictions of a system",
        },
        nested=True,
        shown="array",
    ),
    "hf-jsonl": Described(
        "Hugging Face `datasets`",
        "eojeol, character or morpheme",
        {
            **_JSON,
            "eojeol": "tokens are eojeols",
            "syllable": "tokens are characters, spaces included",
            "morpheme": "tokens are morphemes, with `upos`, `xpos`, `text` and `spans`",
            "spaced eojeol O,B-PS,I-PS,B-LC,I-LC": "tags are the numbers of these names",
        },
    ),
    "spacy-json": Described(
        "spaCy: `spacy convert`, and DocBin by way of it",
        "token of spaCy",
        {
            **_INDENTED,
            "morphemes": "tokens with tags and lemmas of their morphemes",
            "plain": "tokens without them",
        },
        shown="0",
    ),
    "inline": Described(
        "ETRI's older corpora: marks in the text",
        "character",
        {
            "capitals": "types are capitals, `<철수:PS>`",
            "any-case": "types may be small letters as well, `<철수:ps>`",
        },
        nested=True,
    ),
    "brat": Described(
        "brat: `.ann` beside `.txt`",
        "character",
        {"FILE.txt": "the text, if it has another name than the `.ann`"},
        nested=True,
    ),
}
"""What users read of each format of `ENTITY_FORMATS`."""

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
    rows = tuple([tuple([MorphemeRow(*row) for row in own]) for own in _MORPHEMES])
    if layout.unit == "eojeol":
        labelled = Labelled(_EOJEOLS, (("B-PS", "B-LC", "O"),), "1")
    else:
        labelled = Labelled(tuple(" ".join(_EOJEOLS)), (_SYLLABLES,), "1", (), rows, _SPANS)
    return layout.write(labelled) + layout.end()


_MORE = """\
## conllu

CoNLL-U of morphemes, or of another level (`--level`), with `NE=` in MISC. Only `ner convert`
takes the name; `eoj2morph` and `syl2morph` write it, `morph2eoj` and `morph2syl` read it. Labels
are BIO, or BIOES with `--scheme bioes`. Entities may be nested.

## docbin

The binary file of spaCy (`.spacy`), by way of `spacy-json`. Only `ner convert` takes the name;
spaCy must be installed (`pip install 'sejongud[spacy]'`).
"""


def listing() -> str:
    """Return the formats of entities with their settings and an example of each, in Markdown."""
    parts = []
    for name in ENTITY_FORMATS:
        described = DESCRIBED[name]
        others = [f"`{alias}`" for alias, of in ALIASES.items() if of == name]
        also = f" Also {', '.join(others)}." if others else ""
        nested = " Entities may be nested." if described.nested else ""
        text = f"{described.corpus}. Labels stand on: {described.unit}.{nested}{also}"
        lines = [f"## {name}", "", text, "", "```", example(name, described.shown).rstrip("\n")]
        lines.append("```")
        if described.settings:
            lines += ["", "| name and setting | | |", "|---|---|---|"]
            lines += [
                f"| `{name}:{one}` | {meaning} | {_shown(name, one)} |"
                for one, meaning in described.settings.items()
            ]
        parts.append("\n".join([*lines, ""]))
    return "\n".join([*parts, _MORE])


_SHOWN = 56
_BEFORE = 20
"""The length of an example in a table, and of its part that stands in other examples as well."""


def _shown(name: str, settings: str) -> str:
    """Return what a setting changes in the example, on one line; "" if that takes a file."""
    if "FILE" in settings:
        return ""
    text, usual = example(name, settings), example(name)
    differs = next((n for n, (a, b) in enumerate(zip(text, usual, strict=False)) if a != b), 0)
    begin = 0 if differs < _SHOWN - _BEFORE else differs - _BEFORE
    part = text[begin : begin + _SHOWN].rstrip("\n")
    marks = "…" if begin else "", "…" if begin + _SHOWN < len(text) else ""
    shown = part.replace("\t", "⇥").replace("\n", "⏎")
    return f"`{marks[0]}{shown}{marks[1]}`"
