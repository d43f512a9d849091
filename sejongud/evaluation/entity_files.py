"""Files with entities: CoNLL-U, columns and corpora, each a list of words with their tags."""

from __future__ import annotations

import re
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sejongud.errors import FormatError, Incident
from sejongud.evaluation.side import collect
from sejongud.evaluation.treebank import Treebank
from sejongud.formats import ENTITY_FORMATS, label_format, recognise, sniff
from sejongud.formats.columns import DOCUMENT, OTHER_SCHEMES
from sejongud.formats.conllu.rows import FEATS, MISC
from sejongud.formats.misc import feats_label, label_key, unescape_misc
from sejongud.layers.labels import OUTSIDE, find_entities, to_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.evaluation.side import Found, Side
    from sejongud.files import Source
    from sejongud.formats import Recognised
    from sejongud.formats.labelled import LabelFormat
    from sejongud.formats.labelled import Labelled as CorpusSentence

T = TypeVar("T")
COLUMNS = "columns"
"""The format that `read_columns` reads."""
_USUAL = "B-PER"
"""The spelling of tags that it reads."""
_KEY = f"{label_key(0)}="
_TAG = re.compile(r"O|[BIES](?:-.+)?")


class Place(NamedTuple):
    """An entity between two places of aligned texts."""

    type: str
    begin: float
    end: float


class Labelled(NamedTuple):
    """A sentence whose words have a tag each."""

    words: Sequence[str]
    tags: Sequence[str]

    @property
    def entities(self) -> list[Place]:
        """The entities by the numbers of their words, as conlleval and seqeval read the tags."""
        return [Place(*entity) for entity in find_entities(self.tags)]


def read_entities(source: Source, said: str | None = None) -> Side[list[Labelled]]:
    """Read CoNLL-U, columns or an entity corpus, by its own words.

    Args:
        source: the file.
        said: the format of a file that is not CoNLL-U, as `NAME:SETTINGS`; None to detect it.
    """
    found = entity_format(source, said)
    if found is None:
        side = read_columns(source.lines(), source.path)
    elif found.is_entities:
        side = read_corpus(label_format(*found, path=source.path), source.chunks(), source.path)
    else:
        side = read_treebank(Treebank.read(source.chunks(), source.path))
    return expect_entities(side, side.data)._replace(form=found.name if found else COLUMNS)


def entity_format(source: Source, said: str | None) -> Recognised | None:
    """Return the format of a file with entities; None for columns of any kind.

    Args:
        source: the file.
        said: the format of a file that is not CoNLL-U, as `NAME:SETTINGS`; None to detect it.
    """
    head = source.head()
    if found := sniff(head, ("conllu",)):
        return found
    found = recognise(said, head, ENTITY_FORMATS) if said else sniff(head, ENTITY_FORMATS)
    # Damaged columns are read as well, apart from the sentences with faults.
    settings = found.settings.split() if found is not None and found.name == COLUMNS else []
    usual = _USUAL in settings and not set(settings).intersection(OTHER_SCHEMES)
    return None if usual and not said else found


def expect_entities(side: Side[T], data: Iterable[Labelled]) -> Side[T]:
    """Return a side with a warning if there is no entity in its sentences.

    Args:
        side: of a file.
        data: the labels of its sentences.
    """
    if not side.sentences or any(one.entities for one in data):
        return side
    fault = Incident("W805", "there is no entity in this file", side.path)
    return side._replace(incidents=[*side.incidents, fault])


def read_treebank(bank: Treebank) -> Side[list[Labelled]]:
    """Return the words of CoNLL-U with the labels that MISC or FEATS has."""
    cells = zip(bank.columns[MISC], bank.columns[FEATS], strict=True)
    tags = bank.by_sentence([_tag_of(misc, feats) for misc, feats in cells])
    return bank.side(list(map(Labelled, bank.word_sentences, tags)))


def read_columns(lines: Iterable[str], path: str = "-") -> Side[list[Labelled]]:
    """Read columns: the token first, its tag last, blank lines between sentences.

    A line that begins with `#` and does not end in a tag is a comment; `-DOCSTART-` is no token.

    Args:
        lines: the lines without their ends.
        path: the name of the file.
    """
    return collect(path, _column_sentences(lines, path))


def _column_sentences(lines: Iterable[str], path: str) -> Iterator[Found[Labelled] | Incident]:
    numbered = ((number, line, line.split()) for number, line in enumerate(lines, 1))
    for blank, block in groupby(numbered, key=lambda row: not row[2]):
        rows = []
        for number, line, cells in () if blank else block:
            if cells[0] == DOCUMENT:
                continue
            if len(cells) > 1 and _TAG.fullmatch(cells[-1]):
                rows.append((number, cells[0], cells[-1]))
            elif cells[0][0] != "#":
                message = f"{line!r} does not end in a tag: O, or B-, I-, E- or S- and a type"
                yield Incident("E801", f"{message}; the sentence is left out", path, number)
                rows = []
                break
        if rows:
            words = [word for _, word, _ in rows]
            yield rows[0][0], words, Labelled(words, [tag for _, _, tag in rows])


def read_corpus(
    layout: LabelFormat, chunks: Iterable[str], path: str = "-"
) -> Side[list[Labelled]]:
    """Read an entity corpus: its eojeols, or its characters without the spaces.

    Of nested entities the outermost are read.

    Args:
        layout: its format.
        chunks: the text, each chunk ending at a line's end.
        path: the name of the file.

    Raises:
        FormatError: the file does not consist of sentences.
    """
    return collect(path, _words_of_corpus(layout, chunks, path))


def _words_of_corpus(
    layout: LabelFormat, chunks: Iterable[str], path: str
) -> Iterator[Found[Labelled] | Incident]:
    for one in corpus_sentences(layout, chunks, path):
        if isinstance(one, Incident):
            yield one
            continue
        line, sentence = one
        if (found := labelled_words(sentence)).words:
            yield line, list(found.words), found


def corpus_sentences(
    layout: LabelFormat, chunks: Iterable[str], path: str
) -> Iterator[tuple[int, CorpusSentence] | Incident]:
    """Yield the sentences of an entity corpus with their lines, and the faults of the others.

    Args:
        layout: its format.
        chunks: the text, each chunk ending at a line's end.
        path: the name of the file.
    """
    for block in layout.blocks(chunks):
        try:
            yield block.line, layout.read(block)
        except FormatError as error:
            error.message += "; the sentence is left out"
            yield error.at(path=path, line=block.line).incident()


def labelled_words(found: CorpusSentence) -> Labelled:
    """Return the words of a corpus sentence with their tags, without the spaces in it."""
    rows = [row for own in found.morphemes for row in own]
    if rows:
        # The rows of such a corpus are trusted more than the marks in its text.
        return without_spaces([row.form for row in rows], [row.label for row in rows])
    return without_spaces(found.tokens, found.labels)


def without_spaces(tokens: Sequence[str], labels: Sequence[str]) -> Labelled:
    """Return tokens that are no space, with their tags.

    >>> without_spaces("김 철수", ["B-PS", "I-PS", "I-PS", "I-PS"])
    Labelled(words=['김', '철', '수'], tags=('B-PS', 'I-PS', 'I-PS'))
    """
    seen = [0, *accumulate([not token.isspace() for token in tokens])]
    words = [token for token in tokens if not token.isspace()]
    entities = [
        entity._replace(begin=seen[entity.begin], end=seen[entity.end])
        for entity in find_entities(labels)
    ]
    kept = [entity for entity in entities if entity.begin < entity.end]
    return Labelled(words, to_labels(kept, len(words)))


def _tag_of(misc: str, feats: str) -> str:
    """Return the entity tag of a word from MISC, or from FEATS if it holds only a tag."""
    if _KEY in misc:
        for item in misc.split("|"):
            if item.startswith(_KEY):
                return unescape_misc(item.removeprefix(_KEY)) or OUTSIDE
    return feats if feats_label(feats) else OUTSIDE
