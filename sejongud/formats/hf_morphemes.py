"""The morphemes of a sentence as flat lists, for `datasets` of Hugging Face.

    {"id": "1", "text": "프랑스의 옷", "tokens": ["프랑스", "의", "옷"],
     "ner_tags": ["B-LC", "O", "O"], "upos": ["PROPN", "ADP", "NOUN"],
     "xpos": ["NNP", "JKG", "NNG"], "spans": [[0, 3], [3, 4], [5, 6]]}

`tokens` are morphemes, so the text cannot be made of them (가+았다 is 갔다): `text` and `spans`
lead back. A span is the place of a morpheme in the text, in characters (code points), the end
exclusive; spans of fused morphemes overlap, and a morpheme without a surface has an empty one.
`senses` is there if a morpheme has a sense number. `card` returns the dataset card that makes
`ner_tags` a `ClassLabel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.formats.json_records import member
from sejongud.formats.labelled import Labelled, MorphemeRow, as_text, to_json
from sejongud.formats.placed import labelled_rows, placed_rows, split_sense, upos_of, with_sense
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.rules import Rules

KEYS = frozenset({"text", "upos", "xpos", "spans"})
"""The members beside `tokens` and `ner_tags`."""


def labelled_of(record: dict[str, Any], labels: Sequence[str]) -> Labelled:
    """Return the sentence of an object.

    Args:
        record: the object, whose `tokens` are as many texts as there are labels.
        labels: of the tokens.

    Raises:
        ValueError: a member is missing, has another length, or a span is not in the text.
    """
    tokens, text = record["tokens"], member(record, "text", str)
    xpos, spans = [member(record, key, list) for key in ("xpos", "spans")]
    senses = record.get("senses") or [""] * len(tokens)
    for key, values in (("xpos", xpos), ("spans", spans), ("senses", senses)):
        if len(values) != len(tokens):
            size = counted(len(tokens), "value[s]")
            raise ValueError(f"{key} must be a list of {size}, one for each token")
    if not all(map(_is_span, spans)) or not all([tag and isinstance(tag, str) for tag in xpos]):
        raise ValueError("expected a tag in xpos, and begin and end in spans, for each token")
    rows = [
        MorphemeRow(with_sense(as_text(form), str(sense)), tag, label)
        for form, tag, label, sense in zip(tokens, xpos, labels, senses, strict=True)
    ]
    return labelled_rows(as_text(text), rows, [(begin, end) for begin, end in spans])


def _is_span(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)


def flat(labelled: Labelled, rules: Rules | None) -> dict[str, Any]:
    """Return the members of a sentence.

    Args:
        labelled: with morphemes and their spans.
        rules: the tables that tell UPOS; None for the package's own.
    """
    pairs = list(placed_rows(labelled))
    forms = [split_sense(row.form) for row, _ in pairs]
    members: dict[str, Any] = {
        "text": "".join(labelled.tokens),
        "tokens": [form for form, _ in forms],
        "ner_tags": [row.label for row, _ in pairs],
        "upos": [upos_of([row], rules) for row, _ in pairs],
        "xpos": [row.tag for row, _ in pairs],
        "spans": [list(span) for _, span in pairs],
    }
    if any([sense for _, sense in forms]):
        members["senses"] = [sense for _, sense in forms]
    return members


_CARD = """\
---
configs:
- config_name: default
  data_files: {file}
dataset_info:
  features:
  - name: id
    dtype: string
{others}  - name: tokens
    sequence: string
  - name: ner_tags
    sequence:
      class_label:
        names:
{names}
{more}---
"""
_STRINGS = "  - name: {}\n    sequence: string\n"
_SPANS = "  - name: spans\n    sequence:\n      sequence: int64\n"


def card(file: str, labels: Iterable[str], *, morphemes: bool) -> str:
    """Return the dataset card of a file: with it, `load_dataset(FOLDER)` has the names of the tags.

    Args:
        file: the name of the data in the folder of the card.
        labels: all that occur; O is added and is 0.
        morphemes: whether the tokens are morphemes, which have more members.

    >>> card("a.jsonl", ["I-PS", "B-PS"], morphemes=False).split("names:")[1].split()
    ["'0':", '"O"', "'1':", '"B-PS"', "'2':", '"I-PS"', '---']
    """
    names = ["O", *sorted(set(labels) - {"O"}, key=lambda label: (label[2:], label))]
    rows = [f"          '{number}': {to_json(name)}" for number, name in enumerate(names)]
    return _CARD.format(
        file=to_json(file),
        others="  - name: text\n    dtype: string\n" if morphemes else "",
        names="\n".join(rows),
        more="".join([_STRINGS.format(key) for key in ("upos", "xpos")]) + _SPANS
        if morphemes
        else "",
    )
