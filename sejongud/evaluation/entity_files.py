"""Words with their tags: those of CoNLL-U, of columns, and of tokens without the spaces."""

from __future__ import annotations

import re
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sejongud.errors import Incident
from sejongud.evaluation.side import collect
from sejongud.formats import ENTITY_FORMATS, recognise, sniff
from sejongud.formats.columns import DOCUMENT
from sejongud.formats.conllu.rows import FEATS, MISC
from sejongud.formats.misc import feats_label, label_key, unescape_misc
from sejongud.formats.schemes import OTHER_SCHEMES
from sejongud.layers.labels import OUTSIDE, find_entities, to_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.evaluation.inputs import Treebank
    from sejongud.evaluation.side import Found, Side
    from sejongud.files import Source
    from sejongud.formats import Recognised

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


class Tagged(NamedTuple):
    """A sentence whose words have a tag each."""

    words: Sequence[str]
    tags: Sequence[str]

    @property
    def entities(self) -> list[Place]:
        """The entities by the numbers of their words, as conlleval and seqeval read the tags."""
        return [Place(*entity) for entity in find_entities(self.tags)]


def entity_format(source: Source, form: str | None) -> Recognised | None:
    """Return the format of a file with entities; None for columns of any kind.

    Args:
        source: the file.
        form: the format of a file that is not CoNLL-U, as `NAME:SETTINGS`; None to detect it.
    """
    head = source.head()
    if detection := sniff(head, ("conllu",)):
        return detection
    detection = recognise(form, head, ENTITY_FORMATS) if form else sniff(head, ENTITY_FORMATS)
    # Damaged columns are read as well, apart from the sentences with faults.
    settings = (
        detection.settings.split() if detection is not None and detection.name == COLUMNS else []
    )
    usual = _USUAL in settings and not set(settings).intersection(OTHER_SCHEMES)
    return None if usual and not form else detection


def expect_entities(side: Side[T], data: Iterable[Tagged]) -> Side[T]:
    """Return a side with a warning if there is no entity in its sentences.

    Args:
        side: of a file.
        data: the labels of its sentences.
    """
    if not side.sentences or any(sentence.entities for sentence in data):
        return side
    fault = Incident("W805", "there is no entity in this file", side.path)
    return side._replace(incidents=[*side.incidents, fault])


def read_treebank(bank: Treebank) -> Side[list[Tagged]]:
    """Return the words of CoNLL-U with the labels that MISC or FEATS has."""
    cells = zip(bank.columns[MISC], bank.columns[FEATS], strict=True)
    tags = bank.by_sentence([_tag_of(misc, feats) for misc, feats in cells])
    return bank.side(list(map(Tagged, bank.word_sentences, tags)))


def read_columns(lines: Iterable[str], path: str = "-") -> Side[list[Tagged]]:
    """Read columns: the token first, its tag last, blank lines between sentences.

    A line that begins with `#` and does not end in a tag is a comment; `-DOCSTART-` is no token.

    Args:
        lines: the lines without their ends.
        path: the name of the file.
    """
    return collect(path, _column_sentences(lines, path))


def _column_sentences(lines: Iterable[str], path: str) -> Iterator[Found[Tagged] | Incident]:
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
            yield rows[0][0], words, Tagged(words, [tag for _, _, tag in rows])


def without_spaces(tokens: Sequence[str], labels: Sequence[str]) -> Tagged:
    """Return tokens that are no space, with their tags.

    >>> without_spaces("김 철수", ["B-PS", "I-PS", "I-PS", "I-PS"])
    Tagged(words=['김', '철', '수'], tags=('B-PS', 'I-PS', 'I-PS'))
    """
    seen = [0, *accumulate([not token.isspace() for token in tokens])]
    words = [token for token in tokens if not token.isspace()]
    entities = [
        entity._replace(begin=seen[entity.begin], end=seen[entity.end])
        for entity in find_entities(labels)
    ]
    nonempty = [entity for entity in entities if entity.begin < entity.end]
    return Tagged(words, to_labels(nonempty, len(words)))


def _tag_of(misc: str, feats: str) -> str:
    """Return the entity tag of a word from MISC, or from FEATS if it holds only a tag."""
    if _KEY in misc:
        for item in misc.split("|"):
            if item.startswith(_KEY):
                return unescape_misc(item.removeprefix(_KEY)) or OUTSIDE
    return feats if feats_label(feats) else OUTSIDE
