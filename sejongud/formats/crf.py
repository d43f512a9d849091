"""Columns for CRF++ and CRFsuite: word, UPOS, XPOS and label, blank lines between sentences.

The program adds its labels as the last column, from which they return to the words.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.eoj2morph import Eoj2Morph
from sejongud.errors import FormatError
from sejongud.formats.conllu.plus import without_place
from sejongud.layers.labels import (
    OUTSIDE,
    by_eojeol,
    entity_layers,
    flat_labels,
    recode,
    split_label,
)
from sejongud.layers.losses import Loss, labels_of_units, shown
from sejongud.model import Eojeol
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.errors import Note
    from sejongud.layers.labels import Entity, LabelScheme
    from sejongud.levels.cut import Granularity
    from sejongud.model import Sentence, Word

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


def lost(sentence: Sentence, granularity: Granularity) -> list[Note]:
    """Return the incidents of the layers of a sentence that its rows do not have.

    Args:
        sentence: with entities or without.
        granularity: as of `rows`.
    """
    forms = [morpheme.form for morpheme in sentence.morphemes]
    _, behind = _word_labels(sentence, _words(sentence, granularity))
    losses = [*[Loss(shown(entity, forms), "same token") for entity in behind], *_inner(sentence)]
    return [*[loss.note for loss in losses], *without_place(sentence, ())]


def _inner(sentence: Sentence) -> list[Loss]:
    """Return the entities of a sentence that are not in its first layer, the only one of rows."""
    forms = [morpheme.form for morpheme in sentence.morphemes]
    inner = [entity for layer in entity_layers(sentence)[1:] for entity in layer]
    return [Loss(shown(entity, forms), "no layers") for entity in inner]


def _words(sentence: Sentence, granularity: Granularity) -> list[Word]:
    tokens = [token for eojeol in sentence.eojeols for token in granularity.tokens(eojeol)]
    return [word for token in tokens for word in token.words]


def _word_labels(sentence: Sentence, words: Sequence[Word]) -> tuple[list[str], list[Entity]]:
    """Return the labels of words, and the outermost entities that they do not show."""
    if not sentence.entities:
        return [OUTSIDE] * len(words), []
    labels = flat_labels(sentence.eojeols, sentence.entities[0])
    return labels_of_units(labels, [len(word.morphemes) for word in words])


def crf_text(
    sentence: Sentence, granularity: Granularity, scheme: LabelScheme | None = None
) -> str:
    """Return the lines of a sentence and the blank line; a space in a form becomes `_`.

    Args:
        sentence: with entities or without.
        granularity: the level; at 5 a word is a morpheme.
        scheme: of the labels; None leaves them as they are.
    """
    recoded = rows(sentence, granularity)
    if scheme is not None:
        labels = recode([row.label for row in recoded], scheme)
        recoded = [row._replace(label=label) for row, label in zip(recoded, labels, strict=True)]
    lines = ["\t".join(map(_cell, row)) for row in recoded]
    return "\n".join([*lines, "", ""])


def _cell(text: str) -> str:
    return text.replace(" ", "_")


class CrfRun(NamedTuple):
    """The rows of a sentence that a CRF has labelled."""

    line: int
    """The number of the first of them."""
    forms: list[str]
    """The first column, "" where a row has a label alone."""
    labels: list[str]
    """The last column."""


def read_labels(lines: Iterable[str]) -> Iterator[CrfRun]:
    """Yield the rows of each sentence.

    Args:
        lines: without their ends.

    >>> list(read_labels(["옷\tNOUN\tO", "", "나\tPRON\tB-PS"]))[1]
    CrfRun(line=3, forms=['나'], labels=['B-PS'])
    """
    for blank, group in groupby(enumerate(lines, 1), lambda line: not line[1].strip()):
        if not blank:
            run = list(group)
            cells = [line.split() for _, line in run]
            forms = [row[0] if len(row) > 1 else "" for row in cells]
            yield CrfRun(run[0][0], forms, [row[-1] for row in cells])


def labelled_sentences(
    sentences: Iterable[Sentence], lines: Iterable[str], granularity: Granularity, path: str = ""
) -> Iterator[Sentence]:
    """Yield sentences with the labels of a file in place of their own.

    Args:
        sentences: from which the columns were made.
        lines: of the file, without their ends.
        granularity: the same as when the columns were written.
        path: of the file, for messages.

    Raises:
        FormatError: the file has another number of sentences, or of words in a sentence, other
            words, or a last column that is no label.
    """
    for sentence, run in zip_longest(sentences, read_labels(lines)):
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
            with_labels(sentence, run.labels, granularity)
            _compare(run, words)
        except FormatError as error:
            raise error.at(path=path, line=run.line) from None
        yield sentence


def _compare(run: CrfRun, words: Sequence[CrfRow]) -> None:
    """Check that labelled rows have these words, and labels.

    Raises:
        FormatError: a word is another one, or a label is none; with its line.
    """
    for offset, (form, label, word) in enumerate(zip(run.forms, run.labels, words, strict=False)):
        # Programs that split a row at any space leave a part of the form.
        wanted = "".join(_cell(word.form).split()[:1])
        if form and form != wanted:
            raise FormatError(
                f"the word is {form} here and {wanted} in the sentence: were the columns made from"
                " this file, at this level?",
                line=run.line + offset,
                code="E420",
            )
        if label != OUTSIDE and label not in _PREFIXES and not split_label(label)[1]:
            raise FormatError(
                f"{label} is no label: the last column has O, B-TYPE or I-TYPE, as a CRF adds it",
                line=run.line + offset,
                code="E421",
            )


def with_labels(sentence: Sentence, labels: Sequence[str], granularity: Granularity) -> None:
    """Replace the labels of the words of a sentence.

    Args:
        sentence: the sentence; its entities are replaced, and its notes name those that the rows
            did not have.
        labels: one for each word.
        granularity: the same as when the columns were written.

    Raises:
        FormatError: there are more labels than words, or fewer.
    """
    each = [Eojeol(word.form, word.morphemes) for word in _words(sentence, granularity)]
    if len(each) != len(labels):
        raise FormatError(
            f"sentence {sentence.sent_id} has {counted(len(each), 'word[s]')}"
            f" and {counted(len(labels), 'label[s]')}: were the"
            " columns made from this file, at this level?",
            code="E415",
        )
    projected = _projection(granularity.rules).labels(each, labels)
    layer = by_eojeol(sentence.eojeols, flat_labels(each, projected))
    sentence.notes += tuple([loss.note for loss in _inner(sentence)])
    sentence.entities = (layer,) if any(layer) else ()


_projection = lru_cache(maxsize=2)(Eoj2Morph)
"""The projection of labels of words on their morphemes, by the tables."""
