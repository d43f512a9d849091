"""One text with entities by its words, by its eojeols and by its characters.

    김하늘이었다     words (CoNLL-U)   김하늘 B-PS  이 O  었 O  다 O
                     characters        김 B-PS  하 I-PS  늘 I-PS  이 O  었 O  다 O
                     eojeols           김하늘이었다 B-PS

Two files of one text may have other words: characters and morphemes, or morphemes at two levels.
Morphemes do not spell their eojeol (갔다 is 가, 았 and 다), so that their lengths tell no place
in it. What two files have in common are the eojeols and, unless one of them labels eojeols, the
characters, on which `morph2eoj` and `morph2syl` put the labels of morphemes.

The words are those of CoNLL-U, of columns, and of tokens without the spaces.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import nullcontext
from itertools import accumulate, groupby, repeat, starmap
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar, get_args

from sejongud.converters.eoj2morph import labelled_eojeols
from sejongud.converters.jobs import as_conllu
from sejongud.converters.syl2morph import labelled_syllables
from sejongud.errors import FormatError, Incident, Report
from sejongud.evaluation.base import refuse
from sejongud.evaluation.inputs import LabelSource, TextSource, Treebank
from sejongud.evaluation.side import Annotation, Found, collect, read_each, without_arcs
from sejongud.formats import ENTITY_FORMATS, Detection, label_format, recognise, sniff
from sejongud.formats.columns import DOCUMENT
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.conllu.rows import FEATS, MISC
from sejongud.formats.misc import feats_label, label_key, unescape_misc
from sejongud.formats.schemes import OTHER_SCHEMES
from sejongud.layers.labels import OUTSIDE, find_entities, flat_labels, labels_of_units, to_labels
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from sejongud.files import Source
    from sejongud.formats.base import Block
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence


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
    inner: Sequence[Sequence[str]] = ()
    """The tags of entities inside others or across them, layer by layer."""

    @property
    def entities(self) -> list[Place]:
        """The entities by the numbers of their words, as conlleval and seqeval read the tags."""
        return [Place(*entity) for entity in find_entities(self.tags)]

    def mapped(self, relabel: Callable[[str], str]) -> Tagged:
        """Return the sentence with other tags."""
        inner = [tuple(map(relabel, tags)) for tags in self.inner]
        return Tagged(self.words, tuple(map(relabel, self.tags)), inner)

    @property
    def every(self) -> list[Place]:
        """The entities of all layers."""
        inner = [Place(*entity) for tags in self.inner for entity in find_entities(tags)]
        return list(dict.fromkeys([*self.entities, *inner]))


TaggedSide = Annotation[list[Tagged]]
"""A file whose sentences have a tag for each word."""


def entity_format(source: Source, form: str | None) -> Detection | None:
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


def read_treebank(bank: Treebank) -> TaggedSide:
    """Return the words of CoNLL-U with the labels that MISC or FEATS has."""
    cells = zip(bank.columns[MISC], bank.columns[FEATS], strict=True)
    tags = bank.by_sentence([_tag_of(misc, feats) for misc, feats in cells])
    inner: list[list[list[str]]] = []
    while any([f"{label_key(len(inner) + 1)}=" in misc for misc in bank.columns[MISC]]):
        key = f"{label_key(len(inner) + 1)}="
        inner.append(bank.by_sentence([_tag_of(misc, "", key) for misc in bank.columns[MISC]]))
    by_sentence = zip(*inner, strict=True) if inner else repeat(())
    return bank.side(list(map(Tagged, bank.word_sentences, tags, by_sentence)))


def read_columns(lines: Iterable[str], path: str = "-") -> TaggedSide:
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


def without_spaces(
    tokens: Sequence[str], labels: Sequence[str], inner: Sequence[Sequence[str]] = ()
) -> Tagged:
    """Return tokens that are no space, with their tags.

    >>> without_spaces("김 철수", ["B-PS", "I-PS", "I-PS", "I-PS"])
    Tagged(words=['김', '철', '수'], tags=('B-PS', 'I-PS', 'I-PS'), inner=[])
    """
    seen = [0, *accumulate([not token.isspace() for token in tokens])]
    words = [token for token in tokens if not token.isspace()]
    tags = []
    for layer in (labels, *inner):
        entities = [
            entity._replace(begin=seen[entity.begin], end=seen[entity.end])
            for entity in find_entities(layer)
        ]
        nonempty = [entity for entity in entities if entity.begin < entity.end]
        tags.append(to_labels(nonempty, len(words)))
    return Tagged(words, tags[0], tags[1:])


def _tag_of(misc: str, feats: str, key: str = _KEY) -> str:
    """Return the entity tag of a word from MISC, or from FEATS if it holds only a tag."""
    if key in misc:
        for item in misc.split("|"):
            if item.startswith(key):
                return unescape_misc(item.removeprefix(key)) or OUTSIDE
    return feats if feats_label(feats) else OUTSIDE


EntityUnit = Literal["word", "character", "eojeol"]
"""The tokens whose labels are compared: those of the file, its characters or its eojeols."""
UNITS: tuple[EntityUnit, ...] = get_args(EntityUnit)

_WORD, _CHARACTER, _EOJEOL = UNITS
_PAIRS: tuple[tuple[EntityUnit, EntityUnit], ...] = (
    (_WORD, _WORD),
    (_CHARACTER, _CHARACTER),
    (_WORD, _CHARACTER),
    (_CHARACTER, _WORD),
    (_EOJEOL, _EOJEOL),
    (_WORD, _EOJEOL),
    (_EOJEOL, _WORD),
)
"""The units of two files that may be the same; of several that are, the first pair is taken."""


class EntityUnits(NamedTuple):
    """A sentence with the entities on each of its units; () for a unit that is not known."""

    words: Tagged
    characters: Tagged = Tagged((), ())
    eojeols: Tagged = Tagged((), ())
    inner: int = 0
    """How many entities lie inside others or across them, and are on none of these units."""

    def on(self, unit: EntityUnit) -> Tagged:
        """Return the sentence on a unit; without words if the unit is not known."""
        return (self.words, self.characters, self.eojeols)[UNITS.index(unit)]


UnitsSide = Annotation[list[EntityUnits]]
"""A file whose sentences have entities on several units."""


class UnitsReader(NamedTuple):
    """Reads files whose sentences have entities on several units.

    Args:
        form: the format of files that are not CoNLL-U, as `NAME:SETTINGS`; None to detect it.
        relabel: a label of a file → the label that is compared; None for the same.
        words_only: whether sentences have their own words and no other unit.
    """

    form: str | None = None
    relabel: Callable[[str], str] | None = None
    words_only: bool = False

    def opened(self, source: Source, report: Report) -> AbstractContextManager[Source]:
        """Provide a file whose JSON Lines have become CoNLL-U; see `Metric.opened`."""
        if self.form:
            return nullcontext(source)
        return as_conllu(source, report, on_error="skip")

    def read(self, source: Source) -> UnitsSide:
        """Read CoNLL-U, columns or an entity corpus; its faults become incidents of the side.

        Raises:
            UsageError: the file is a corpus of another kind.
        """
        told: list[Incident] = []
        with self.opened(source, Report(told.append)) as text:
            side = self._read(text)
        return side._replace(incidents=[*told, *side.incidents])

    def _read(self, source: Source) -> UnitsSide:
        detection = entity_format(source, self.form)
        if detection is None:
            head = TextSource(source.head(), source.path)
            side = _of_words(read_columns(source.lines(), source.path))
            # Columns may look like rows of another format: only what has none of them is refused.
            if not side.sentences and not isinstance(source, LabelSource):
                refuse(head, "conllu", "text", *ENTITY_FORMATS, way="it has no entities")
        elif detection.is_entities:
            layout = label_format(*detection, path=source.path)
            side = read_corpus(layout, source.chunks(), source.path, words_only=self.words_only)
        elif self.words_only:
            side = _of_words(read_treebank(Treebank.read(source.chunks(), source.path)))
        else:
            side = _of_conllu(source)
        if to := self.relabel:
            rows = [(w.mapped(to), c.mapped(to), e.mapped(to), n) for w, c, e, n in side.data]
            side = side.with_data(list(starmap(EntityUnits, rows)))
        faults = list(side.incidents)
        if side.sentences and not any(units.words.entities for units in side.data):
            faults.append(Incident("W805", "there is no entity in this file", side.path))
        return side._replace(form=detection.name if detection else COLUMNS, incidents=faults)


def in_common(
    first: UnitsSide,
    second: UnitsSide,
    *,
    nested: bool = False,
) -> tuple[TaggedSide, TaggedSide, EntityUnit, list[str]]:
    """Return two files on the unit whose tokens are the same in most of their sentences.

    Args:
        first: the one file.
        second: the other file.
        nested: whether entities inside others and across them are compared.

    Returns:
        The files, the unit, and how many entities of each are not compared, and why, in lines.
    """
    best, most = _PAIRS[0], 0
    for pair in _PAIRS:
        texts, other_texts = (
            Counter([tuple(units.on(unit).words) for units in side.data])
            for side, unit in zip((first, second), pair, strict=True)
        )
        del texts[()]
        same = (texts & other_texts).total()
        if same > most:
            best, most = pair, same
    ours, theirs = on_unit(first, best[0]), on_unit(second, best[1])
    unit = _WORD if best == _PAIRS[0] else _EOJEOL if _EOJEOL in best else _CHARACTER
    pairs = ((first, ours), (second, theirs))
    told = [
        f"{one.path}: {why}" for one, own in pairs for why in not_compared(one, own, nested=nested)
    ]
    return ours, theirs, unit, told


def on_unit(side: UnitsSide, unit: EntityUnit) -> TaggedSide:
    """Return a file on a unit, each sentence that lacks it on its own words.

    Args:
        side: the file.
        unit: the unit.
    """
    data = [units.on(unit) if units.on(unit).words else units.words for units in side.data]
    # Ranges of words spell the text where words do not.
    sentences = side.sentences if unit == _WORD else [labelled.words for labelled in data]
    return side.with_data(data)._replace(sentences=sentences)


def expect_unit(side: UnitsSide, unit: EntityUnit) -> UnitsSide:
    """Return a file with a warning if it has sentences without a unit."""
    lacking = [units for units in side.data if units.words.words and not units.on(unit).words]
    if not lacking:
        return side
    message = (
        f"there are no {unit}s in {counted(len(lacking), 'sentence[s]')} of this file, whose own"
    )
    fault = Incident("W806", f"{message} tokens are compared", side.path)
    return side._replace(incidents=[*side.incidents, fault])


def not_compared(side: UnitsSide, shown: TaggedSide, *, nested: bool = False) -> Iterator[str]:
    """Yield how many entities of a file are not compared, and why.

    Args:
        side: the file.
        shown: the same on the unit that is compared.
        nested: whether entities inside others and across them are compared.
    """
    inner = 0 if nested else sum([units.inner for units in side.data])
    if inner:
        yield counted(inner, "entit[y|ies] inside or across others [is|are] not compared")

    def number(some: Iterable[Tagged]) -> int:
        return sum([len(one.every if nested else one.entities) for one in some])

    # A word has the label of one entity, and a character perhaps that of another.
    every = max(number([one.words for one in side.data]), number([o.characters for o in side.data]))
    if every > (left := number(shown.data)):
        message = counted(every - left, "entit[y shares all its|ies share all their] tokens with")
        yield f"{message} another and cannot be compared"


def _of_words(side: TaggedSide) -> UnitsSide:
    """Return a file of which nothing but the words is known."""
    return side.with_data([EntityUnits(one, inner=_number(one.inner)) for one in side.data])


def _number(layers: Iterable[Sequence[str]]) -> int:
    """Return the number of entities in layers of tags."""
    return sum([len(find_entities(tags)) for tags in layers])


def read_corpus(
    layout: LabelFormat, chunks: Iterable[str], path: str = "-", *, words_only: bool = False
) -> UnitsSide:
    """Read an entity corpus; its words are its eojeols, or its characters without the spaces.

    Of nested entities the outermost are on the units.

    Args:
        layout: its format.
        chunks: the text, each chunk ending at a line's end.
        path: the name of the file.
        words_only: whether sentences have no other unit.

    Raises:
        FormatError: the file does not consist of sentences.
    """

    def read(block: Block) -> Iterator[Found[EntityUnits]]:
        sentence = layout.read(block)
        inner_labels = sentence.layers[1:]
        words = characters = without_spaces(sentence.tokens, sentence.labels, inner_labels)
        if rows := [row for morphemes in sentence.morphemes for row in morphemes]:
            # The rows of such a corpus are trusted more than the marks in its text.
            first, *rest = sentence.row_layers
            words = without_spaces([row.form for row in rows], first, rest)
        inner = _number(inner_labels)
        units = EntityUnits(words, inner=inner)
        if not words_only:
            units = EntityUnits(words, eojeols=words, inner=inner)
            if rows and not sentence.layers:
                # The morphemes alone have labels, which say nothing about single characters.
                sizes = [len(morphemes) for morphemes in sentence.morphemes]
                eojeols = _eojeols(sentence.tokens, words, sizes)
                units = EntityUnits(words, eojeols=eojeols, inner=inner)
            elif layout.unit != "eojeol":
                eojeols = _eojeols(sentence.tokens, characters)
                units = EntityUnits(words, characters, eojeols, inner)
        if words.words:
            yield block.line, list(words.words), units

    return read_each(path, layout.blocks(chunks), read)


def _eojeols(
    characters: Sequence[str], units: Tagged, sizes: Iterable[int] | None = None
) -> Tagged:
    """Return the eojeols of a text, each with the label of the first entity that touches it.

    Args:
        characters: the characters of the text, with its spaces.
        units: those that are no space, or morphemes, with their tags.
        sizes: the number of units of each eojeol; None if they are characters.

    >>> _eojeols("서울 의", without_spaces("서울 의", ["B-LC", "I-LC", "O", "O"]))
    Tagged(words=['서울', '의'], tags=['B-LC', 'O'], inner=[])
    """
    runs = [list(run) for space, run in groupby(characters, str.isspace) if not space]
    sizes = [*map(len, runs)] if sizes is None else list(sizes)
    tags, *others = (labels_of_units(layer, sizes)[0] for layer in (units.tags, *units.inner))
    return Tagged(["".join(run) for run in runs], tags, others)


def _of_conllu(source: Source) -> UnitsSide:
    """Read CoNLL-U, as words and as a text with eojeols."""
    text = list(source.chunks())
    words = read_treebank(Treebank.read(text, source.path))
    reader = ConlluReader(Assembler(load()))
    sentences: dict[int, Sentence] = {}
    for block in reader.blocks(text):
        try:
            sentences[block.line] = without_arcs(reader, block)
        except FormatError:
            # Its words are compared if they can be read, or their fault is among those of `words`.
            continue
    pairs = zip(words.lines, words.data, strict=True)
    return words.with_data([_units(labelled, sentences.get(line)) for line, labelled in pairs])


def _units(words: Tagged, sentence: Sentence | None) -> EntityUnits:
    """Return the units of a sentence of CoNLL-U; its words alone if nothing else is known."""
    if sentence is None:
        return EntityUnits(words)
    (eojeols, of_eojeols), (characters, of_characters) = (
        (tokens, labels or [(OUTSIDE,) * len(tokens)])
        for tokens, labels in (labelled_eojeols(sentence), labelled_syllables(sentence))
    )
    inner = [flat_labels(sentence.eojeols, layer) for layer in sentence.entities[1:]]
    return EntityUnits(
        words,
        without_spaces(characters, of_characters[0], of_characters[1:]),
        Tagged(eojeols, of_eojeols[0], of_eojeols[1:]),
        _number(inner),
    )
