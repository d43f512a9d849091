"""The entities of a corpus: counts, and reports of those that look wrong.

They are those of a corpus of morphemes, or those of an entity corpus as its file has them, before
they are moved to morphemes. What looks wrong is reported with its line: overlaps, labels, marks,
and entities that are marked in one place and not in another. Nothing is analysed, so that no error
of an analyser is reported.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

from sejongud.errors import Incident, Report, UsageError
from sejongud.files import Source
from sejongud.gec.korean import chain_of_particles
from sejongud.layers.labels import (
    OUTSIDE,
    Entity,
    entity_layers,
    find_entities,
    flat_labels,
    ill_formed,
    shown,
)
from sejongud.layers.places import morpheme_spans, overlaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.converters.blocks import Content
    from sejongud.formats.base import Block
    from sejongud.formats.labelled import LabelFormat, Labelled
    from sejongud.model import Sentence
    from sejongud.rules import Rules


_CHECKED_COLUMNS = (
    "entities",
    "inside",
    "crossing",
    "same",
    "morphemes",
    "eojeols",
    "particle_inside",
    "particle_at_end",
    "shared_syllable",
)


class _Check:
    """Counts entities by type and reports what looks wrong.

    Args:
        rules: the tables.
        report: collects the incidents.
        path: of the file, for messages.
    """

    def __init__(self, rules: Rules, report: Report, path: str) -> None:
        self._rules = rules
        self._report = report
        self._path = path
        self._counts: dict[str, Counter[str]] = {}


class EntityCheck(_Check):
    """Counts the entities of sentences and reports those that look wrong.

    W421: a label continues no entity. W422: an entity ends in a particle, as 프랑스의 does; one
    with a particle between its morphemes, 프로페셔널의 원칙, is a name and only counted. W423: an
    entity begins or ends inside a syllable, which it shares with a morpheme outside. W431 and W432:
    as of `CorpusCheck`, between all layers. The arguments are those of `_Check`.
    """

    def add(self, sentence: Sentence, line_of: Callable[[int], int] = lambda _: 0) -> None:
        """Count and check the entities of a sentence.

        Args:
            sentence: with labels on its morphemes.
            line_of: returns the line of an eojeol, counted from 0; 0 if it is not known.
        """
        if not sentence.entities:
            return
        where = [at for at, eojeol in enumerate(sentence.eojeols) for _ in eojeol.morphemes]
        for morpheme, code, message in self._faults(sentence, where):
            eojeol = where[morpheme]
            place = self._path, line_of(eojeol), 0, sentence.sent_id, str(eojeol + 1)
            self._report.add(Incident(code, message, *place))

    def _faults(self, sentence: Sentence, where: Sequence[int]) -> Iterator[tuple[int, str, str]]:
        """Count the entities; yield a morpheme, a code and a message for each that looks wrong."""
        forms = [morpheme.form for morpheme in sentence.morphemes]
        spans = morpheme_spans(sentence)
        kind = self._rules.kind
        particles = [kind(morpheme.tag) == "particle" for morpheme in sentence.morphemes]
        for layer in sentence.entities:
            labels = flat_labels(sentence.eojeols, layer)
            for index in ill_formed(labels):
                yield index, "W421", f"{labels[index]} continues no entity"
            for entity in find_entities(labels):
                name, begin, end = entity
                counts = self._counts.setdefault(name, Counter())
                counts["entities"] += 1
                counts["morphemes"] += end - begin
                counts["eojeols"] += where[end - 1] - where[begin] + 1
                counts["particle_inside"] += any(particles[begin : end - 1])
                if particles[end - 1]:
                    counts["particle_at_end"] += 1
                    yield end - 1, "W422", f"{shown(entity, forms)} ends in a particle"
                before = begin > 0 and spans[begin - 1][1] > spans[begin][0]
                behind = end < len(spans) and spans[end][0] < spans[end - 1][1]
                if before or behind:
                    counts["shared_syllable"] += 1
                    message = f"{shown(entity, forms)} shares a syllable with a morpheme outside"
                    yield begin, "W423", message
        entities = [entity for layer in entity_layers(sentence) for entity in layer]
        for entity, code, message in _overlaps(entities, forms, "+", self._counts):
            yield entity.begin, code, message

    def counts(self) -> dict[str, dict[str, int]]:
        """Return what is counted of each type, and of `all`, of the morphemes of its entities."""
        return _by_type(self._counts, _CHECKED_COLUMNS)

    def table(self) -> str:
        """Return the counts by type, and their sum, as tab-separated text.

        `inside`, `crossing` and `same` count the entities that overlap one before them;
        `morphemes` and `eojeols` count those that the entities cover.
        """
        return _tsv(self.counts())


def _by_type(counts: dict[str, Counter[str]], columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the counts of some columns by type, and those of `all` types."""
    total = sum(counts.values(), Counter[str]())
    rows = [*sorted(counts.items()), ("all", total)]
    return {name: {column: of_type[column] for column in columns} for name, of_type in rows}


def _tsv(counts: dict[str, dict[str, int]]) -> str:
    """Return counts by type as tab-separated text below the names of their columns."""
    rows = [[name, *map(str, of_type.values())] for name, of_type in counts.items()]
    return "".join(["\t".join(row) + "\n" for row in [["type", *counts["all"]], *rows]])


def _overlaps(
    entities: Iterable[Entity], tokens: Sequence[str], joint: str, counts: dict[str, Counter[str]]
) -> Iterator[tuple[Entity, str, str]]:
    """Count the entities that overlap one before them; yield the odd ones, a code and a message."""
    for entity, outer, how in overlaps(entities):
        counts[entity.type][how] += 1
        inner, around = shown(entity, tokens, joint), shown(outer, tokens, joint)
        if how == "crossing":
            yield entity, "W431", f"{inner} crosses {around}"
        elif how == "same":
            twice = "stands twice" if entity.type == outer.type else f"has the span of {around}"
            yield entity, "W432", f"{inner} {twice}"


_COLUMNS = ("entities", "inside", "crossing", "same", "eojeols", "characters", "forms")
_LONGEST = 30
"""The longest name, in characters, that is looked for where it is not marked."""
_SHORTEST = 2
"""Names of one character are too often something else."""
_NEARLY_ALL = 0.9
"""So many of the entities have a type of the tag set that a corpus is taken to have."""
_OTHER_HALF = {"Ps": {"Pe"}, "Pe": {"Ps"}, "Pi": {"Pf"}, "Pf": {"Pi"}}
_PARTS = frozenset("%‰′″&#*@")
"""Punctuation, in the terms of Unicode, that names and amounts begin and end in."""


class TagSet(NamedTuple):
    """The types that entities may have."""

    name: str
    types: frozenset[str]


class _Seen(NamedTuple):
    """The number of occurrences of something, and the place of the first."""

    times: int
    line: int
    sent_id: str


def tag_set(name: str, rules: Rules) -> TagSet:
    """Return a tag set of rules/ne-tags.tsv by its name, or that of a file.

    Args:
        name: the name, or a file with a type at the beginning of each line.
        rules: the tables.

    Raises:
        UsageError: there is neither such a name nor such a file.
        FormatError: the file cannot be read.

    >>> from sejongud.rules import load
    >>> len(tag_set("nikl-150", load()).types)
    150
    """
    sets = _tag_sets(rules)
    if name in sets:
        return TagSet(name, sets[name])
    if not Path(name).exists():
        names = ", ".join(sets)
        raise UsageError(f"{name} is neither a file nor a set of types; the sets are: {names}")
    with Source(name) as source:
        words = [line.split()[0] for line in source.lines() if line.strip() and line[0] != "#"]
    return TagSet(Path(name).name, frozenset(words))


def _tag_sets(rules: Rules) -> dict[str, frozenset[str]]:
    """Return the types of the tag sets by their names."""
    types_of: dict[str, set[str]] = {}
    for row in rules.table("ne-tags"):
        types_of.setdefault(row["set"], set()).add(row["tag"])
    return {name: frozenset(types) for name, types in types_of.items()}


class CorpusCheck(_Check):
    """Counts the entities of a corpus and reports those that look wrong.

    W421: a label continues no entity. W431 and W432: two entities cross, or have the same span.
    W433: the line above the rows says otherwise than they. W436: a label outside the tag set. W437
    and W438: one form has several types, or stands unmarked elsewhere. W439: an entity begins or
    ends in punctuation or a space.

    Args:
        rules: the tables.
        report: collects the incidents.
        path: of the file, for messages.
        layout: the format of the corpus.
        tags: the types that entities may have; None for the set of rules/ne-tags.tsv that nine of
            ten entities have a type of, if there is any.
    """

    def __init__(
        self, rules: Rules, report: Report, path: str, layout: LabelFormat, tags: TagSet | None
    ) -> None:
        super().__init__(rules, report, path)
        self._layout = layout
        self._tags = tags
        self._eojeols = layout.unit == "eojeol"
        self._types: dict[str, _Seen] = {}
        self._forms: dict[str, dict[str, _Seen]] = {}
        self._outside: dict[str, _Seen] = {}
        # Of the sentence that was asked for last.
        self._lines: tuple[Block | None, Callable[[Entity], int]] = None, lambda _: 0
        self._particles = chain_of_particles(rules)

    def add(self, content: Content[Labelled]) -> None:
        """Count and check the entities of a sentence, as the file has them."""
        labelled = content.value
        assert labelled is not None
        for layer in labelled.layers:
            for i in ill_formed(layer):
                self._tell(content, Entity("", i, i + 1), "W421", f"{layer[i]} continues no entity")
        if message := self._layout.other_heading(content.block, labelled):
            self._say(content.block.line, content.sent_id, "W433", message)
        entities = labelled.all_entities()
        joint = " " if self._eojeols else ""
        for entity in entities:
            tokens = labelled.tokens[entity.begin : entity.end]
            form = joint.join(tokens)
            self._count(entity, form, content)
            fault = _edge_of_eojeols(tokens) if self._eojeols else _edge_of_form(form)
            if fault:
                self._tell(content, entity, "W439", f"{form} ({entity.type}) {fault}")
        for entity, code, message in _overlaps(entities, labelled.tokens, joint, self._counts):
            self._tell(content, entity, code, message)
        self._see_outside(labelled, content)

    def _count(self, entity: Entity, form: str, place: Content[Labelled]) -> None:
        """Count an entity, and remember its type and its form."""
        name = entity.type
        self._see(self._types, name, entity, place)
        counts = self._counts.setdefault(name, Counter())
        counts["entities"] += 1
        counts["eojeols"] += form.count(" ") + 1
        counts["characters"] += len(form) - form.count(" ")
        types = self._forms.setdefault(form, {})
        counts["forms"] += name not in types
        self._see(types, name, entity, place)

    def _see(
        self, table: dict[str, _Seen], key: str, entity: Entity, place: Content[Labelled]
    ) -> None:
        """Count a key of a table, and remember where the first entity of the key stands."""
        if key in table:
            table[key] = table[key]._replace(times=table[key].times + 1)
        else:
            table[key] = _Seen(1, self._line(place, entity), place.sent_id)

    def _see_outside(self, labelled: Labelled, place: Content[Labelled]) -> None:
        """Remember the eojeols outside of all entities."""
        tokens, labels = labelled.tokens, labelled.labels
        if self._eojeols:
            outside = [(i, t) for i, t in enumerate(tokens) if labels[i] == OUTSIDE]
        else:
            forms = "".join(tokens).split(" ")
            begins = accumulate([len(form) + 1 for form in forms], initial=0)
            outside = [
                (begin, form)
                for begin, form in zip(begins, forms, strict=False)
                if form and labels[begin : begin + len(form)].count(OUTSIDE) == len(form)
            ]
        for index, form in outside:
            self._see(self._outside, form, Entity("", index, index + 1), place)

    def end(self) -> None:
        """Report what only the whole corpus shows: types, and forms that differ in their type."""
        counts = {name: seen.times for name, seen in self._types.items()}
        tags = self._tags or _likely(counts, _tag_sets(self._rules))
        if tags is not None:
            for name, (times, line, sent_id) in self._types.items():
                if name not in tags.types:
                    message = (
                        f"{name or 'an empty type'}, used {_times(times)}, is no type of the tag"
                        f" set {tags.name} (--tagset names another one)"
                    )
                    self._say(line, sent_id, "W436", message)
        unmarked = self._unmarked()
        for form, types in self._forms.items():
            uses = [f"{name} {_times(seen.times)}" for name, seen in types.items()]
            if len(types) > 1:
                rarest = min(types.values(), key=lambda seen: seen.times)
                self._say(rarest.line, rarest.sent_id, "W437", f"{form} is {' and '.join(uses)}")
            if form in unmarked:
                seen = unmarked[form]
                message = f"{form} is {' and '.join(uses)}, and no entity {_times(seen.times)}"
                self._say(seen.line, seen.sent_id, "W438", message)

    def _unmarked(self) -> dict[str, _Seen]:
        """Return the forms of entities that stand outside of all entities as well.

        An eojeol counts if nothing but particles and punctuation follows the form in it; where
        labels stand on eojeols, if nothing does.
        """
        unmarked: dict[str, _Seen] = {}
        for eojeol, seen in self._outside.items():
            bare = _bare(eojeol)
            shortest = max(len(eojeol), _SHORTEST) if self._eojeols else _SHORTEST
            for end in range(shortest, min(len(bare), _LONGEST) + 1):
                form = bare[:end]
                if form in self._forms and self._particles.fullmatch(bare, end):
                    before = unmarked.get(form)
                    times = seen.times + (before.times if before else 0)
                    unmarked[form] = (before or seen)._replace(times=times)
        return unmarked

    def _line(self, place: Content[Labelled], entity: Entity) -> int:
        """Return the line where an entity begins."""
        if self._lines[0] is not place.block:
            self._lines = place.block, self._layout.line_of(place.block)
        return self._lines[1](entity)

    def _tell(self, place: Content[Labelled], entity: Entity, code: str, message: str) -> None:
        """Report an entity, or a label of its first token."""
        self._say(self._line(place, entity), place.sent_id, code, message)

    def _say(self, line: int, sent_id: str, code: str, message: str) -> None:
        self._report.add(Incident(code, message, self._path, line, 0, sent_id))

    def table(self, more: dict[str, dict[str, int]] | None = None) -> str:
        """Return the counts by type, and their sum, as tab-separated text.

        `inside`, `crossing` and `same` count the entities that overlap one before them;
        `characters` are those that the entities cover, and `forms` how many different ones there
        are.

        Args:
            more: further counts by type and name.
        """
        counts = _by_type(self._counts, _COLUMNS)
        further = more["all"] if more else {}
        for name, of_type in counts.items():
            of_type |= dict.fromkeys(further, 0) | (more or {}).get(name, {}) | of_type
        return _tsv(counts)


def _likely(counts: dict[str, int], sets: dict[str, frozenset[str]]) -> TagSet | None:
    """Return the tag set that most entities have a type of; None if too many have none.

    Args:
        counts: of the entities by their types.
        sets: the types by the name of the set.
    """
    total = sum(counts.values())
    # Of sets that fit alike the smallest says most.
    fits = {
        name: (sum([n for type_, n in counts.items() if type_ in types]), -len(types))
        for name, types in sets.items()
    }
    name = max(fits, key=lambda set_name: fits[set_name], default="")
    if not name or not total or fits[name][0] < _NEARLY_ALL * total:
        return None
    return TagSet(name, sets[name])


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _is_mark(char: str) -> bool:
    """Test whether a character is punctuation that no name or amount has at its edge."""
    return category(char)[0] == "P" and char not in _PARTS


def _bare(form: str) -> str:
    """Return an eojeol without the punctuation behind it."""
    end = len(form)
    while end and _is_mark(form[end - 1]):
        end -= 1
    return form[:end]


def _edge_of_form(form: str) -> str:
    """Return what a form wrongly begins or ends in, "" if there is nothing.

    A bracket may close or open another one inside, and a full stop may be that of U.S. or Inc.

    >>> _edge_of_form("서울."), _edge_of_form("(서울"), _edge_of_form("서울 ")
    ('ends in .', 'begins with (', 'ends in a space')
    >>> _edge_of_form("U.S."), _edge_of_form("옷(빨강)"), _edge_of_form("30%")
    ('', '', '')
    """
    first, last = form[0], form[-1]
    kinds = set(map(category, form))
    if first.isspace():
        return "begins with a space"
    if last.isspace():
        return "ends in a space"
    if _is_mark(first) and first != "-" and not _has_pair(first, form, kinds):
        return f"begins with {first}"
    abbreviated = last == "." and len(form) > 1 and form[-2].isascii() and form[-2].isalpha()
    if _is_mark(last) and not abbreviated and not _has_pair(last, form, kinds):
        return f"ends in {last}"
    return ""


def _has_pair(mark: str, form: str, kinds: set[str]) -> bool:
    """Test whether a bracket or a quotation mark has its other half in a form."""
    kind = category(mark)
    if kind in _OTHER_HALF:
        return not kinds.isdisjoint(_OTHER_HALF[kind])
    return mark in "\"'" and form.count(mark) > 1


def _edge_of_eojeols(tokens: Sequence[str]) -> str:
    """Return the eojeol of nothing but punctuation at the edge of an entity, "" if there is none.

    The label of any other eojeol covers its punctuation.

    >>> _edge_of_eojeols(["서울", "."]), _edge_of_eojeols(["서울."])
    ('ends in .', '')
    """
    if not _bare(tokens[-1]) and _edge_of_form(" ".join(tokens)):
        return f"ends in {tokens[-1]}"
    return f"begins with {tokens[0]}" if not _bare(tokens[0]) and len(tokens) > 1 else ""
