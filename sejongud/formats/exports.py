"""Entities for today's taggers: spans of a text, and labels of the word pieces of a tokenizer.

    spans      {"id": "1", "text": "프랑스의 옷",
               "entities": [{"start": 0, "end": 3, "label": "LC"}]}
    hf-tokens  {"id": "1", "text": …, "tokens": ["[CLS]", "프랑", "##스의", …], "input_ids": [2, …],
               "attention_mask": [1, …], "offsets": [[0, 0], [0, 2], …], "labels": [-100, 1, 2, …],
               "label_names": ["O", "B-LC", "I-LC"]}

Both are written from lines of `konne`, and read as such lines. `tokenizers` reads a file
`tokenizer.json` of Hugging Face: `pip install sejongud[tokenizers]`. An entity has all pieces in
which it has a character; a piece without characters, such as [CLS], is masked (-100). The number of
a label stays the same through a file, whose last line has the names of all. Entities inside others
have layers of their own, `inner_labels`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, UsageError
from sejongud.formats.labelled import to_json
from sejongud.formats.spacy import in_tokens
from sejongud.layers.labels import OUTSIDE, Entity, find_entities, layers, to_labels, to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SPANS, HF_TOKENS = "spans", "hf-tokens"
EXPORTS = (SPANS, HF_TOKENS)
_MASKED = -100


def exporter(name: str, tokenizer: str | None) -> Callable[[str], str]:
    """Return the function that turns a line of konne into one of an export.

    Args:
        name: of the export.
        tokenizer: the path of the tokenizer of `hf-tokens`.

    Raises:
        UsageError: the tokenizer is not named, or cannot be read; its library is not installed.
    """
    if name == SPANS:
        return _as_spans
    if tokenizer is None:
        raise UsageError("hf-tokens needs the file of a tokenizer: --tokenizer tokenizer.json")
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise UsageError(
            "hf-tokens needs a library that is not installed: pip install 'sejongud[tokenizers]'"
        ) from None
    try:
        loaded = Tokenizer.from_file(tokenizer)
    except Exception as error:
        raise UsageError(f"{tokenizer} is no tokenizer.json of Hugging Face: {error}") from None
    names = [OUTSIDE]
    return lambda line: _as_pieces(line, loaded, names)


def _read(line: str) -> tuple[dict[str, Any], list[Entity]]:
    record = json.loads(line)
    key = "label" if isinstance(record.get("label"), list) else "labels"
    return record, [Entity(name, begin, end) for begin, end, name in record.pop(key)]


def _as_spans(line: str) -> str:
    record, found = _read(line)
    spans = [{"start": begin, "end": end, "label": name} for name, begin, end in found]
    return to_json({**record, "entities": spans}) + "\n"


def _as_pieces(line: str, tokenizer: Any, names: list[str]) -> str:
    record, found = _read(line)
    encoded = tokenizer.encode(record["text"])
    offsets = [list(pair) for pair in encoded.offsets]
    numbered = [number for number, (begin, end) in enumerate(offsets) if begin < end]
    spans = [encoded.offsets[number] for number in numbered]
    of_layers = []
    for layer in layers(found) or [[]]:
        row = [_MASKED] * len(offsets)
        labels = to_labels(in_tokens(layer, spans), len(spans))
        for number, label in zip(numbered, labels, strict=True):
            if label not in names:
                names += [f"{prefix}-{label.partition('-')[2]}" for prefix in "BI"]
            row[number] = names.index(label)
        of_layers.append(row)
    record |= {"tokens": encoded.tokens, "input_ids": encoded.ids}
    record |= {"attention_mask": encoded.attention_mask, "offsets": offsets}
    record |= {"labels": of_layers[0], "label_names": names}
    if of_layers[1:]:
        record["inner_labels"] = of_layers[1:]
    return to_json(record) + "\n"


def as_konne(name: str, lines: Iterable[str], path: str) -> Iterator[str]:
    """Yield the lines of an export as lines of konne.

    Raises:
        FormatError: a line is none of the export.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            found = _of_spans(record) if name == SPANS else _of_pieces(record)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            message = f"this is no line of {name}: {type(error).__name__}: {error}"
            raise FormatError(message, path=path, line=number, code="E514") from None
        label = [[begin, end, name] for name, begin, end in found]
        yield to_json({**record, "label": label}) + "\n"


def _of_spans(record: dict[str, Any]) -> list[Entity]:
    return [Entity(one["label"], one["start"], one["end"]) for one in record.pop("entities")]


def _of_pieces(record: dict[str, Any]) -> list[Entity]:
    names, offsets = record.pop("label_names"), record.pop("offsets")
    for key in ("tokens", "input_ids", "attention_mask"):
        record.pop(key, None)
    found = []
    for row in [record.pop("labels"), *record.pop("inner_labels", [])]:
        pairs = [(names[n], (a, b)) for n, (a, b) in zip(row, offsets, strict=True) if n >= 0]
        found += to_text(find_entities([label for label, _ in pairs]), [span for _, span in pairs])
    return found
