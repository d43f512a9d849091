"""The way of sentences with labels on their morphemes back to an entity corpus; its counts.

    Sentence → morph2eoj | morph2syl → Labelled → restoring comments → block

`entities` is the way there.

Types of entities in another tag set: 150 → 15 → 6 types of NIKL and KLUE, NAVER ↔ KLUE.

    OGG_ECONOMY → OG,  PER → PS,  EVT → O: no entity any more

A map is one of rules/ne-map.tsv, or a file of the user's with two columns.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import KW_ONLY, dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sejongud.converters import restoring
from sejongud.converters.blocks import spans_of
from sejongud.converters.eoj2morph import other_eojeols
from sejongud.errors import Note, RulesError, UsageError
from sejongud.files import Source
from sejongud.formats import ENTITY_FORMATS, label_format
from sejongud.formats.around import from_json
from sejongud.formats.base import to_number
from sejongud.layers.labels import (
    OUTSIDE,
    UNMAPPED,
    Loss,
    by_eojeol,
    entity_layers,
    find_entities,
    flat_labels,
    frame_notes,
    ill_formed,
    layers,
    lines_of,
    not_written,
    repair,
    repair_layer,
    shown,
    split_label,
    to_labels,
    to_text,
    tree_notes,
    unmatched,
)
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.formats.labelled import LabelFormat, Labelled, Unit
    from sejongud.model import Eojeol, Labels, Sentence, Span
    from sejongud.rules import Rules


SIZES: Mapping[str, str] = {
    "sentences": "sentence[s]",
    "eojeols": "eojeol[s]",
    "entities": "entit[y|ies]",
}
"""The counts of a corpus, with the names of the things counted."""

SUMMARY_FORWARD: Mapping[str, str] = {
    "hidden": "more entit[y is|ies are] in NEMorph= alone: another entity begins before"
    " [it|them] in the same word",
    "begun otherwise": "of the entities begin[s|] with another label than B, as in the corpus",
    "skipped sentences": "sentence[s] [was|were] left out (--on-error keep keeps them)",
    "unread": "sentence[s] could not be read, and none of [its|their] entities is counted",
    "edge spaces": "sentence[s] had entities with spaces at their edges",
    "ill-formed labels": "label[s] of the corpus [was|were] ill-formed and [is|are] kept",
    "inside morphemes": "entit[y|ies] began or ended inside a morpheme",
    "analysed by labels": "sentence[s] [has|have] other morphemes because of [its|their] labels"
    " (--blind analyses the text alone, as for a test file)",
}
"""The meanings of the counts of the way to morphemes, in the order of the summary."""

SUMMARY_RESTORING: Mapping[str, str] = {
    restoring.ROWS: f"sentence[s] keep[s|] labels of rows in a comment ({restoring.ROWS})",
    restoring.LINES: f"sentence[s] keep[s|] lines in a comment ({restoring.LINES})",
    restoring.BLOCK: f"sentence[s] [is|are] kept whole in a comment ({restoring.BLOCK})",
}
"""The meanings of the counts of comments, which CoNLL-U alone has."""

SUMMARY_BACKWARD: Mapping[str, str] = {
    "mended": "ill-formed label[s] [was|were] mended",
    "ill-formed": "ill-formed label[s] [is|are] kept (--repair mends)",
    "other eojeols": "sentence[s] [has|have] other eojeols than [its|their] text: the labels are"
    " on those of the text",
    "only in comments": "entit[y|ies] that only the kept text of the corpus has [was|were] not"
    " written: the labels or the format are others now (--nested gives entities that overlap"
    " labels)",
    "ids": "id[s] of sentences [was|were] not written: the format has no place for [it|them]",
    "comments": "sentence[s] [has|have] comments, or members of [its|their] own format, that were"
    " not written: CoNLL-U keeps them",
    "dependencies": "sentence[s] [has|have] dependencies, which were not written: CoNLL-U keeps"
    " them",
    "comments of other labels": "sentence[s] [has|have] comments that were made for other labels:"
    " these were not used",
}
"""The meanings of the counts of the way back."""


def summary_lines(counts: Counter[str], meanings: Mapping[str, str]) -> list[str]:
    """Return the counts that are not zero, with what they count."""
    return [counted(counts[key], what) for key, what in meanings.items() if counts[key]]


FORWARD: Mapping[str, Unit] = {"eoj2morph": "eojeol", "syl2morph": "syllable"}
BACKWARD: Mapping[str, Unit] = {"morph2eoj": "eojeol", "morph2syl": "syllable"}
"""The conversions of corpora, and the unit that has the labels in them."""

_MEMBERS = "ner_record"
_NOTES, _BRAT = "ner_notes", "brat"
_OF_FORMAT = ("ner_head", "ner_items", "ner_own", _NOTES)
_OF_ENTITIES = ("entities", "spans")
"""The members with objects that are entities, of the formats doccano and spans."""
_KNOWN = frozenset(
    (
        *("id", "guid", "sent_id", "text", "raw", "form", "tokens", "sentences", "data"),
        *("label", "labels", "entities", "annotations", "predictions", "ner_tags", "NE"),
        *("morp", "word", "upos", "xpos", "spans"),
        *("start", "end", "start_offset", "end_offset", "entity_group"),
    )
)
"""The members that hold the id, the text, its tokens and its entities with their places."""


def expect_unit(layout: LabelFormat, unit: Unit, ways: Mapping[str, Unit]) -> None:
    """Check that a format has labels on the unit of a conversion.

    Raises:
        UsageError: the format is one of the other conversion.
    """
    if layout.unit != unit:
        other = next(name for name, of in ways.items() if of != unit)
        raise UsageError(f"{layout.name} has labels of {layout.unit}s: use {other}")


@dataclass
class CorpusWriter:
    """Writes sentences with labels on their morphemes as a corpus of entities.

    Args:
        layout: the format to write; None for the format that the first sentence names.
        default: the format, and its settings, where the sentence names none.
        named: whether another sentence of the file names the default.
        rules: the tables, for a format that writes UPOS; None for the package's own.
        mend: whether to mend ill-formed labels as conlleval reads them.
        unit: the unit that must have the labels; "" for any.
    """

    layout: LabelFormat | None
    default: str
    _: KW_ONLY
    unit: Unit | Literal[""] = ""
    named: bool = False
    mend: bool = False
    rules: Rules | None = None
    counts: Counter[str] = field(default_factory=Counter, init=False)
    """The numbers of sentences, of mended labels, of comments for other labels, and so on."""

    def __post_init__(self) -> None:
        self._made_from = ""
        self._guessed = ""
        self._held: list[tuple[int, str]] = []
        self._notes: list[Note] = []
        self._passed_over: list[str] = []
        self._name = str(self.layout)

    @property
    def parting(self) -> str:
        """The end of a sentence that another one follows; "" in a format that has no such end."""
        if self.layout is None or self.layout.is_whole:
            return ""
        return "\n" if self.layout.by_lines else "\n\n"

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of what `sentence` did not write of the last sentence."""
        return self._notes

    def sentence(self, sentence: Sentence) -> str:
        """Return the text of a sentence in the file, but for lines that are held back to the end.

        Raises:
            UsageError: the sentence names a format that does not exist.
        """
        said, comments = restoring.split_comments(sentence.comments)
        layout = self._layout_for(said)
        counts = self.counts
        made_from = self._made_from.partition(" ")[0]
        counts.update(_left_behind(sentence, comments, layout, made_from))
        if self._made_from and made_from != layout.name:
            comments = restoring.without_own(comments)
        counts["sentences"] += 1
        fits = restoring.OF in said and restoring.fit(said, sentence)
        kept_lines = restoring.LINES in said or restoring.BLOCK in said
        by_cells = not fits and restoring.LINES in said and layout.token_cell is not None
        counts["comments of other labels"] += restoring.OF in said and not (fits or by_cells)
        given = sentence
        if self.mend:
            mended = [repair_layer(sentence.eojeols, layer) for layer in sentence.entities]
            counts["mended"] += sum([number for _, number in mended])
            sentence = sentence.but(entities=tuple([layer for layer, _ in mended]))
        labelled = restoring.labelled_of(_with_types(sentence, layout), layout, comments)
        if sentence.text_orig:
            counts["other eojeols"] += bool(other_eojeols(sentence))
        if fits:
            labelled = restoring.with_rows(labelled, said)
        wrong = sum([len(ill_formed(layer)) for layer in labelled.layers])
        counts["mended" if self.mend else "ill-formed"] += wrong
        if self.mend:
            labelled = labelled._replace(layers=tuple([repair(one) for one in labelled.layers]))
        block = layout.write(labelled)
        whole = fits and kept_lines
        if restoring.UNWRITTEN in said:
            unwritten = to_number(said[restoring.UNWRITTEN]) or 0
            counts["entities" if whole else "only in comments"] += unwritten
        losses = self._count(sentence, labelled, layout, whole=whole)
        notes = [loss.note for loss in losses]
        rest = [*frame_notes(sentence), *tree_notes(sentence), *not_written(self._passed_over)]
        self._notes = [*notes, *rest]
        if whole:
            own = restoring.labelled_of(given, layout, comments)
            block = restoring.with_lines(block, said, layout.write(own) if self.mend else block)
        elif by_cells:
            block = restoring.with_cells(block, said, layout.token_cell or 0)
        places = layout.places(comments)
        if places:
            lines = [f"{line}\n" for line in block.split("\n")[:-1]]
            self._held += zip(chain(places, repeat(places[-1])), lines, strict=False)
            block = ""
        if said.keys().isdisjoint(restoring.AROUND):
            return block
        before, after = (restoring.kept_text(said, key) or "" for key in restoring.AROUND)
        return before + block + after

    def _count(
        self, sentence: Sentence, labelled: Labelled, layout: LabelFormat, *, whole: bool
    ) -> list[Loss]:
        """Count the entities of a sentence that are written, and return those that are not.

        Args:
            sentence: with labels on its morphemes.
            labelled: the same labels on the tokens of the format.
            layout: the format.
            whole: whether the text of the corpus is written, which has all of them.
        """
        layers = entity_layers(sentence)
        count = sum(map(len, layers))
        written = layout.written(labelled) if count and not whole else []
        self.counts["entities"] += count if whole else len(written)
        if whole or count <= len(written):
            return []
        spans = _token_spans(sentence, layout)
        places = [place for layer in layers for place in to_text(layer, spans)]
        given = [(at, entity) for at, layer in enumerate(layers) for entity in layer]
        forms = [morpheme.form for morpheme in sentence.morphemes]
        losses = []
        for at, entity in [given[number] for number in unmatched(places, written)]:
            reason = "same token" if layout.unit == "eojeol" else "shared characters"
            if layout.types and not layout.types.fullmatch(entity.type):
                reason = "type"
            elif at and not layout.has_spans:
                reason = "no layers"
            losses.append(Loss(shown(entity, forms), reason))
        self.counts.update([loss.reason for loss in losses])
        return losses

    def _layout_for(self, said: dict[str, str]) -> LabelFormat:
        """Return the format to write, and drop the restoring comments that another format needs."""
        named = said.get(restoring.FORMAT)
        if self.layout is None:
            name, _, settings = (named or self.default).partition(" ")
            self.layout = label_format(name, settings, self.rules)
            self._name = str(self.layout)
            self._guessed = "" if self.named or named is not None else self._name
        if self.unit:
            expect_unit(self.layout, self.unit, BACKWARD)
        self._made_from = self._made_from if named is None else named
        self._passed_over = []
        if self._made_from != self._name:
            around = [restoring.kept_text(said, key) or "" for key in restoring.AROUND]
            self._passed_over = restoring.unplaced("".join(around))
            for key in restoring.OF_TEXT:
                said.pop(key, None)
            if restoring.ROWS in said and self._unit_of_rows() != self.layout.unit:
                del said[restoring.ROWS]
        return self.layout

    def _unit_of_rows(self) -> str:
        """Return the unit that has a label in the format that the sentences were made from."""
        name, _, settings = self._made_from.partition(" ")
        return label_format(name, settings).unit if name in ENTITY_FORMATS else ""

    def end(self) -> str:
        """Return the end of the file: the lines that were held back, and what the format closes."""
        held = [line for _, line in sorted(self._held, key=lambda held: held[0])]
        return "".join([*held, "" if self.layout is None else self.layout.end()])

    def summary(self, _: Mapping[str, int] | None = None) -> list[str]:
        """Return what was done, in lines."""
        lines = [
            ", ".join([counted(self.counts[key], SIZES[key]) for key in ("sentences", "entities")])
        ]
        if self._guessed:
            lines.append(f"the file names no format: written as {self._guessed} (--to)")
        of_format = [] if self.layout is None else self.layout.summary_lines()
        lost = lines_of(self.counts)
        return [*lines, *summary_lines(self.counts, SUMMARY_BACKWARD), *lost, *of_format]


def _with_types(sentence: Sentence, layout: LabelFormat) -> Sentence:
    """Return a sentence without entities whose types the format cannot write."""
    if layout.types is None:
        return sentence
    found = entity_layers(sentence)
    fits = [[one for one in layer if layout.types.fullmatch(one.type)] for layer in found]
    if fits == found:
        return sentence
    count = len(list(sentence.morphemes))
    left = [by_eojeol(sentence.eojeols, to_labels(layer, count)) for layer in fits]
    return sentence.but(entities=tuple(left))


def _token_spans(sentence: Sentence, layout: LabelFormat) -> list[Span]:
    """Return the place of each morpheme of a sentence in the tokens, or the rows, of a format."""
    if layout.labels_rows:
        return [(at, at + 1) for at, _ in enumerate(sentence.morphemes)]
    if layout.unit == "eojeol":
        return [(n, n + 1) for n, one in enumerate(sentence.eojeols) for _ in one.morphemes]
    return [span for own in spans_of(sentence, added=True) for span in own]


def _left_behind(
    sentence: Sentence, comments: Iterable[str], layout: LabelFormat, made_from: str
) -> Iterator[str]:
    """Yield the names of what a format does not write of a sentence: ids, comments, dependencies.

    CoNLL-U keeps everything; the formats of entities keep ids, and objects of JSON their other
    members.

    Args:
        sentence: with its id and arcs.
        comments: of the sentence, without those that the way back reads (`restoring`).
        layout: the format.
        made_from: the name of the format that the sentence comes from, "" if it is not known.
    """
    same = made_from == layout.name
    if not (same or layout.has_ids or sentence.sent_id in ("", str(sentence.number))):
        yield "ids"
    if any([_is_lost(comment, layout, same=same) for comment in comments]):
        yield "comments"
    if sentence.arcs is not None:
        yield "dependencies"


def _is_lost(comment: str, layout: LabelFormat, *, same: bool) -> bool:
    """Test whether a format does not write a comment that says something."""
    key, _, value = comment.partition(" = ")
    if not key.startswith(restoring.PREFIX):
        return True
    same = same or (key == _NOTES and layout.name == _BRAT)
    if same or (key == _MEMBERS and layout.has_members):
        return False
    if key not in (_MEMBERS, *_OF_FORMAT):
        return False
    said = from_json(value)
    if isinstance(said, dict):
        lists = [own for name in _OF_ENTITIES if isinstance(own := said.get(name), list)]
        items = chain.from_iterable(lists)
        records = [said, *[item for item in items if isinstance(item, dict)]]
        return any([record[name] and name not in _KNOWN for record in records for name in record])
    if key == _NOTES and isinstance(said, list):  # behind the ids of the entities of brat
        said = said[-1:] != [[]]
    # KMOU keeps the rows of its morphemes under the same key.
    return bool(said) and key != _MEMBERS


# --- types in another tag set ---------------------------------------------------------------------


class TypeMap:
    """Gives entities the types of another tag set.

    Args:
        types: a type → the type in the other tag set; O for no entity.

    >>> TypeMap({"PER": "PS", "EVT": "O"}).label("I-PER")
    'I-PS'
    """

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = types
        self.dropped: Counter[str] = Counter()
        """The number of entities of each type that became none."""
        self.unknown: Counter[str] = Counter()
        """The number of entities of each type that the map does not name."""

    def label(self, label: str) -> str:
        """Return a label with the type of the other tag set; O if it becomes no entity."""
        prefix, name = split_label(label)
        mapped = self._types.get(name, name)
        return label if mapped == name else OUTSIDE if mapped == OUTSIDE else f"{prefix}-{mapped}"

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return a sentence whose entities have the types of the other tag set."""
        eojeols = sentence.eojeols
        notes = sentence.notes
        forms = [morpheme.form for morpheme in sentence.morphemes]
        for entity in [entity for layer in entity_layers(sentence) for entity in layer]:
            name = entity.type
            self.unknown[name] += bool(name) and name not in self._types
            if self._types.get(name) == OUTSIDE:
                self.dropped[name] += 1
                message = f"{shown(entity, forms)} is no entity in the other tag set"
                notes += (Note(UNMAPPED, message),)
        entities = tuple([self._layer(eojeols, layer) for layer in sentence.entities])
        if len(entities) > 1 and any(map(any, entities)):
            entities = _lifted(sentence, entities)
        left = tuple([layer for layer in entities if any(layer)])
        return sentence.but(entities=left, notes=notes)

    def _layer(self, eojeols: Sequence[Eojeol], layer: Labels) -> Labels:
        """Return a layer of labels with the types of the other tag set."""
        flat = flat_labels(eojeols, layer)
        mapped: Sequence[str] = list(map(self.label, flat))
        types = [(self._types.get(e.type, e.type), e) for e in find_entities(flat)]
        left = [e._replace(type=name) for name, e in types if name != OUTSIDE]
        if len(find_entities(mapped)) != len(left):
            # Neighbours that have one type now, of which the second had no B.
            mapped = to_labels(left, len(flat))
        return by_eojeol(eojeols, mapped)

    def summary(self, _: Mapping[str, int] | None = None) -> list[str]:
        """Return what became of types without a counterpart, in lines."""
        counts_of = {
            "entit[y is|ies are] none in the other tag set": +self.dropped,
            "entit[y keeps|ies keep] a type that the map does not name": +self.unknown,
        }
        return [
            f"{counted(counts.total(), what)}: "
            + ", ".join([f"{name} {n:,}" for name, n in sorted(counts.items())])
            for what, counts in counts_of.items()
            if counts
        ]


def _lifted(sentence: Sentence, entities: tuple[Labels, ...]) -> tuple[Labels, ...]:
    """Return layers in which an inner entity is the outermost if the outer one is no more."""
    flat = [flat_labels(sentence.eojeols, layer) for layer in entities]
    merged = layers([entity for labels in flat for entity in find_entities(labels)])
    # An entity ends in E- or S- in BIOES alone.
    is_bioes = any([label.startswith(("E-", "S-")) for labels in flat for label in labels])
    result = [to_labels(layer, len(flat[0]), "bioes" if is_bioes else "bio") for layer in merged]
    return tuple([by_eojeol(sentence.eojeols, labels) for labels in result])


def load_map(name: str, rules: Rules) -> TypeMap:
    """Return a map of types.

    Args:
        name: a map of rules/ne-map.tsv, or the path of a file: the type, a tab, the type that it
            becomes (O or nothing for no entity), a row a line; `#` begins a comment.
        rules: the tables.

    Raises:
        UsageError: there is no such map, and no such file.
        RulesError: a row of the file has no two columns, or names a type a second time.
    """
    rows = rules.table("ne-map")
    mapping = {row["from"]: row["to"] for row in rows if row["map"] == name}
    if mapping:
        return TypeMap(mapping)
    if not Path(name).exists():
        names = ", ".join(dict.fromkeys([row["map"] for row in rows]))
        raise UsageError(f"{name} is neither a file nor a map of types; the maps are: {names}")
    with Source(name) as source:
        for number, line in enumerate(source.lines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            type_, *targets = [cell.strip() for cell in line.split("\t")]
            fault = ""
            if not type_ or len(targets) != 1:
                fault = "a row of a map is a type, a tab, and the type that it becomes, or O"
            elif type_ in mapping:
                fault = f"the type {type_} has a row already: take one of them out"
            if fault:
                raise RulesError(fault, path=name, line=number, text=line)
            mapping[type_] = targets[0] or OUTSIDE
    return TypeMap(mapping)
