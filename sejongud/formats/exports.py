"""Files on which taggers are trained: columns for a CRF, spans, and labels of word pieces.

Columns for CRF++ and CRFsuite are word, UPOS, XPOS and label, or the labels of three layers. The
program adds its labels as the last column, from which they return to the words.

    spans      {"id": "1", "text": "프랑스의 옷",
               "entities": [{"start": 0, "end": 3, "label": "LC"}]}
    hf-tokens  {"id": "1", "text": …, "tokens": ["[CLS]", "프랑", "##스의", …], "input_ids": [2, …],
               "attention_mask": [1, …], "offsets": [[0, 0], [0, 2], …], "labels": [-100, 1, 2, …],
               "label_names": ["O", "B-LC", "I-LC"]}

Both are written from lines of `konne`, and word pieces are read as such lines. `tokenizers` reads a
file `tokenizer.json` of Hugging Face: `pip install sejongud[tokenizers]`. An entity has all pieces
in which it has a character; a piece without characters, such as [CLS], is masked (-100). The number
of a label stays the same through a file, whose last line has the names of all. Entities inside
others have layers of their own, `inner_labels`.
"""

from __future__ import annotations

import json
from functools import lru_cache, partial
from itertools import chain, groupby, pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.eoj2morph import Eoj2Morph
from sejongud.errors import FormatError, Note, UsageError
from sejongud.formats.around import to_json
from sejongud.formats.conllu.plus import without_place
from sejongud.formats.json_documents import in_tokens
from sejongud.layers.labels import (
    OUTSIDE,
    Entity,
    LabelScheme,
    Loss,
    by_eojeol,
    entity_layers,
    find_entities,
    flat_labels,
    labels_of_units,
    layers,
    recode,
    shown,
    split_label,
    to_labels,
    to_text,
)
from sejongud.model import Eojeol, Sentence, Word
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.levels.cut import Granularity


_PREFIXES = frozenset("BIES")
"""The labels of entities without a type."""


class CrfRow(NamedTuple):
    """A word with its label."""

    form: str
    upos: str
    xpos: str
    label: str


def rows(sentence: Sentence, granularity: Granularity) -> list[CrfRow]:
    """Return the words of a sentence, with the labels of its outermost entities.

    Args:
        sentence: with entities or without.
        granularity: the level; at 5 a word is a morpheme.
    """
    words = _words(sentence, granularity)
    labels, _ = _word_labels(sentence, words)
    return [
        CrfRow(word.form, word.upos, word.xpos, label)
        for word, label in zip(words, labels, strict=True)
    ]


def lost(sentence: Sentence, granularity: Granularity, layers: int = 1) -> list[Note]:
    """Return the incidents of the entities and layers of a sentence that its rows do not have.

    Args:
        sentence: with entities or without.
        granularity: as of `rows`.
        layers: as of `crf_text`.
    """
    forms = [morpheme.form for morpheme in sentence.morphemes]
    words = _words(sentence, granularity)
    behind = [_word_labels(sentence, words, layer)[1] for layer in range(layers)]
    losses = [Loss(shown(entity, forms), "same token") for entity in chain(*behind)]
    losses += _inner(sentence, layers)
    return [*[loss.note for loss in losses], *without_place(sentence, ())]


def _inner(sentence: Sentence, layers: int) -> list[Loss]:
    """Return the entities of a sentence that are in no layer of the rows."""
    forms = [morpheme.form for morpheme in sentence.morphemes]
    inner = [entity for layer in entity_layers(sentence)[layers:] for entity in layer]
    return [Loss(shown(entity, forms), "no layers") for entity in inner]


def _words(sentence: Sentence, granularity: Granularity) -> list[Word]:
    tokens = [token for eojeol in sentence.eojeols for token in granularity.tokens(eojeol)]
    return [word for token in tokens for word in token.words]


def _word_labels(
    sentence: Sentence, words: Sequence[Word], layer: int = 0
) -> tuple[list[str], list[Entity]]:
    """Return the labels of words in a layer, and its entities that they do not show."""
    if layer >= len(sentence.entities):
        return [OUTSIDE] * len(words), []
    labels = flat_labels(sentence.eojeols, sentence.entities[layer])
    return labels_of_units(labels, [len(word.morphemes) for word in words])


NESTED_LAYERS = 3
"""The layers of nested entities that columns have: all rows of a file have the same width."""


def crf_text(
    sentence: Sentence,
    granularity: Granularity,
    scheme: LabelScheme | None = None,
    layers: int = 1,
) -> str:
    """Return the lines of a sentence and the blank line; a space in a form becomes `_`.

    Args:
        sentence: with entities or without.
        granularity: the level; at 5 a word is a morpheme.
        scheme: of the labels; None leaves them as they are.
        layers: the number of layers of entities that are written, a column each.
    """
    words = _words(sentence, granularity)
    labels = [_word_labels(sentence, words, layer)[0] for layer in range(layers)]
    if scheme is not None:
        labels = [list(recode(layer, scheme)) for layer in labels]
    cells = [(word.form, word.upos, word.xpos) for word in words]
    rest = zip(*labels, strict=True)
    lines = ["\t".join(map(_cell, chain(*row))) for row in zip(cells, rest, strict=True)]
    return "\n".join([*lines, "", ""])


def crf_template() -> str:
    r"""Return the template of CRF++ for the columns: each of the first three in a window of five.

    Of the memoir's Figure 3.5 the text names `# Unigram` with the current word and the current pos,
    and `# Bigram`; its macros are drawn and not known here. So the window and the pairs of
    neighbours are those of CRF++'s own example; the columns are those of Table 3.4.

    >>> crf_template().split("\n")[:3]
    ['# Unigram', '# word', 'U00:%x[-2,0]']
    """
    lines = ["# Unigram"]
    number = 0
    for column, name in enumerate(("word", "UPOS", "XPOS")):
        cells = [f"%x[{at},{column}]" for at in range(-2, 3)]
        lines.append(f"# {name}")
        for feature in [*cells, *map("/".join, pairwise(cells))]:
            lines.append(f"U{number:02}:{feature}")
            number += 1
    return "\n".join([*lines, "", "# Bigram", "B", ""])


def _cell(text: str) -> str:
    return text.replace(" ", "_")


class CrfRun(NamedTuple):
    """The rows of a sentence that a CRF has labelled."""

    line: int
    """The number of the first of them."""
    forms: list[str]
    """The first column, "" where a row has a label alone."""
    layers: list[list[str]]
    """The labels of each layer: the last columns. A label that a row lacks is ""."""


def read_labels(lines: Iterable[str], layers: int = 1) -> Iterator[CrfRun]:
    """Yield the rows of each sentence.

    Args:
        lines: without their ends.
        layers: the number of columns with labels.

    >>> list(read_labels(["옷\tNOUN\tO", "", "나\tPRON\tB-PS"]))[1]
    CrfRun(line=3, forms=['나'], layers=[['B-PS']])
    """
    padding = [""] * layers
    for blank, group in groupby(enumerate(lines, 1), lambda line: not line[1].strip()):
        if not blank:
            run = list(group)
            cells = [line.split() for _, line in run]
            forms = [row[0] if len(row) > layers else "" for row in cells]
            labels = zip(*[[*padding, *row][-layers:] for row in cells], strict=True)
            yield CrfRun(run[0][0], forms, list(map(list, labels)))


def labelled_sentences(
    sentences: Iterable[Sentence],
    lines: Iterable[str],
    granularity: Granularity,
    path: str = "",
    layers: int = 1,
) -> Iterator[Sentence]:
    """Yield sentences with the labels of a file in place of their own.

    Args:
        sentences: from which the columns were made.
        lines: of the file, without their ends.
        granularity: the same as when the columns were written.
        path: of the file, for messages.
        layers: as of `read_labels`.

    Raises:
        FormatError: the file has another number of sentences, or of words in a sentence, other
            words, or a last column that is no label.
    """
    for sentence, run in zip_longest(sentences, read_labels(lines, layers)):
        if run is None:
            raise FormatError(
                f"the labels end before sentence {sentence.sent_id}: were the columns made from"
                " all of this file?",
                path=path,
                code="E415",
            )
        if sentence is None:
            raise FormatError(
                "there are labels for more sentences than the file has: were the columns made from"
                " it?",
                path=path,
                line=run.line,
                code="E415",
            )
        try:
            words = rows(sentence, granularity)
            with_labels(sentence, run.layers, granularity)
            _compare(run, words)
        except FormatError as error:
            raise error.at(path=path, line=run.line) from None
        yield sentence


def _compare(run: CrfRun, words: Sequence[CrfRow]) -> None:
    """Check that labelled rows have these words, and labels.

    Raises:
        FormatError: a word is another one, or a label is none; with its line.
    """
    labels = zip(*run.layers, strict=True)
    for offset, (form, row, word) in enumerate(zip(run.forms, labels, words, strict=False)):
        # Programs that split a row at any space leave a part of the form, none of a no-break space.
        wanted = "".join(_cell(word.form).split()[:1])
        if form and wanted and form != wanted:
            raise FormatError(
                f"the word is {form} here and {wanted} in the sentence: were the columns made from"
                " this file, at this level?",
                line=run.line + offset,
                code="E420",
            )
        for layer, label in enumerate(row, 1):
            if label == OUTSIDE or label in _PREFIXES or split_label(label)[1]:
                continue
            message = f"{label} is no label" if label else f"the label of layer {layer} is missing"
            raise FormatError(
                f"{message}: the last column has O, B-TYPE or I-TYPE, as a CRF adds it, and with"
                f" --nested the last {NESTED_LAYERS} columns have",
                line=run.line + offset,
                code="E421",
            )


def with_labels(
    sentence: Sentence, layers: Sequence[Sequence[str]], granularity: Granularity
) -> None:
    """Replace the labels of the words of a sentence.

    Args:
        sentence: the sentence; its entities are replaced, and its notes name those that the rows
            did not have.
        layers: of labels, one for each word.
        granularity: the same as when the columns were written.

    Raises:
        FormatError: there are more labels than words, or fewer.
    """
    each = [Eojeol(word.form, word.morphemes) for word in _words(sentence, granularity)]
    count = len(layers[0])
    if len(each) != count:
        raise FormatError(
            f"sentence {sentence.sent_id} has {counted(len(each), 'word[s]')}"
            f" and {counted(count, 'label[s]')}: were the"
            " columns made from this file, at this level?",
            code="E415",
        )
    project = _projection(granularity.rules).labels
    sentence.notes += tuple([loss.note for loss in _inner(sentence, len(layers))])
    projected = [flat_labels(each, project(each, labels)) for labels in layers]
    of_eojeols = [by_eojeol(sentence.eojeols, labels) for labels in projected]
    sentence.entities = tuple([layer for layer in of_eojeols if any(layer)])


_projection = lru_cache(maxsize=2)(Eoj2Morph)
"""The projection of labels of words on their morphemes, by the tables."""


SPANS, HF_TOKENS = "spans", "hf-tokens"
EXPORTS = (SPANS, HF_TOKENS)


def exporter(name: str, tokenizer: str | None) -> Callable[[str], str]:
    """Return the function that turns a line of konne into one of an export; "" for another line.

    Args:
        name: of the export.
        tokenizer: the path of the tokenizer of `hf-tokens`.

    Raises:
        UsageError: the tokenizer is not named, or cannot be read; its library is not installed.
    """
    if name == SPANS:
        return partial(_exported, export=_as_spans)
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
    return partial(_exported, export=partial(_as_pieces, tokenizer=loaded, names=names))


def _exported(line: str, export: Callable[[dict[str, Any], list[Entity]], dict[str, Any]]) -> str:
    try:
        record = json.loads(line)
        key = "label" if isinstance(record.get("label"), list) else "labels"
        found = [Entity(name, begin, end) for begin, end, name in record.pop(key)]
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""
    return to_json(export(record, found)) + "\n"


def _as_spans(record: dict[str, Any], found: list[Entity]) -> dict[str, Any]:
    spans = [{"start": begin, "end": end, "label": name} for name, begin, end in found]
    return {**record, "entities": spans}


def _as_pieces(
    record: dict[str, Any], found: list[Entity], tokenizer: Any, names: list[str]
) -> dict[str, Any]:
    encoded = tokenizer.encode(record["text"])
    offsets = [list(pair) for pair in encoded.offsets]
    numbered = [number for number, (begin, end) in enumerate(offsets) if begin < end]
    spans = [encoded.offsets[number] for number in numbered]
    of_layers = []
    for layer in layers(found) or [[]]:
        row = [-100] * len(offsets)
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
    return record


def as_konne(lines: Iterable[str], path: str) -> Iterator[str]:
    """Yield the lines of `hf-tokens` as lines of konne.

    Raises:
        FormatError: a line is no such line.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            found = _of_pieces(record)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            message = f"this is no line of {HF_TOKENS}: {type(error).__name__}: {error}"
            raise FormatError(message, path=path, line=number, code="E514") from None
        label = [[begin, end, name] for name, begin, end in found]
        yield to_json({**record, "label": label}) + "\n"


def _of_pieces(record: dict[str, Any]) -> list[Entity]:
    names, offsets = record.pop("label_names"), record.pop("offsets")
    for key in ("tokens", "input_ids", "attention_mask"):
        record.pop(key, None)
    found = []
    for row in [record.pop("labels"), *record.pop("inner_labels", [])]:
        pairs = [(names[n], (a, b)) for n, (a, b) in zip(row, offsets, strict=True) if n >= 0]
        found += to_text(find_entities([label for label, _ in pairs]), [span for _, span in pairs])
    return found
