"""Lay the layers of several files with the same text onto the words of the first file.

    A  나 는 학교 에 가 ㄴ다     the words and the arcs of a treebank, which stay
    B  나 는 학교 에 간다        entities, frames, constituents, aligned with the morphemes of A

If both files have a layer, that of the first file stays, and a difference is told. A label that
begins or ends inside a morpheme of the first file is left out and told.
"""

from __future__ import annotations

from contextlib import ExitStack
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from sejongud.converters.frames import is_instance
from sejongud.converters.jobs import Conversion, with_columns
from sejongud.converters.recut import recut_of, word_borders
from sejongud.converters.tree_jobs import pairs
from sejongud.errors import Incident, Note, OnError, Report
from sejongud.formats import FRAME_FORMATS, resolve
from sejongud.formats.conllu.layers import FRAME_COLUMNS, target_units
from sejongud.formats.conllu.plus import layers_of, needed_columns
from sejongud.formats.klue import as_word
from sejongud.layers.labels import (
    LOST,
    Entity,
    by_eojeol,
    entity_layers,
    find_entities,
    flat_labels,
    lost_frames,
    shown,
    to_labels,
)
from sejongud.layers.matching import align_words
from sejongud.layers.subsequence import same_text
from sejongud.layers.trees import moved, without
from sejongud.model import LEVELS, MORPHEMES, Constituent, FrameInstance, Labels, Sentence, Target
from sejongud.pipeline import Totals
from sejongud.rules import Rules, load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from sejongud.files import Source

_NO_SENTENCE = "E609"
_NO_OTHER = "I615"
_DIFFERENT = "W610"
_CONFLICT = "W616"
_NO_BORDER = "it begins or ends inside a morpheme"
_INSIDE = "W613"

Borders = dict[int, int]
"""Border of morphemes in one sentence, from 0 → the same border in another sentence."""


def join_files(
    sources: Sequence[Source],
    out: TextIO,
    to: str,
    report: Report,
    *,
    on_error: OnError = "stop",
    rules: str | None = None,
) -> Totals:
    """Write the sentences of a file with the layers of other files that have the same text.

    Args:
        sources: the file whose words stay, and the others.
        out: the output.
        to: its format.
        report: receives the incidents.
        on_error: "stop", "skip" or "keep".
        rules: the folder of the user's tables.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
    """
    columns: dict[str, None] = {}
    with_frames = 0
    with ExitStack() as stack:
        files: list[tuple[str, Iterator[Sentence]]] = []
        for source in sources:
            name = resolve(None, source.head(), source.path, rules)
            whole, of_file = stack.enter_context(with_columns(name, "conllu", source))
            # A corpus of frames has a sentence once for each of them: all are laid on together.
            of_frames = bool(files) and name.partition(":")[0] in FRAME_FORMATS
            options = {"merge": True} if of_frames else {}
            conversion = Conversion(
                name, on_error=on_error, rules=rules, path=whole.path, reader_options=options
            )
            found = conversion.make_reader().read_file(whole, on_error, report)
            if of_frames or (files and FRAME_COLUMNS[0] in of_file):
                # How many columns they need is known when all of them have been read.
                merged = _merged(found)
                needed = needed_columns(map(layers_of, merged))
                found, of_file = iter(merged), needed if of_frames else (*of_file, *needed)
            columns |= dict.fromkeys(of_file)
            with_frames += FRAME_COLUMNS[0] in of_file
            files.append((whole.path, found))
        (path, sentences), *others = files
        for other, layers in others:
            sentences = joined(sentences, layers, other, report, load(rules))
        if with_frames > 1:
            # A sentence may have the frames of several files, each in columns of its own.
            whole_file = list(sentences)
            columns |= dict.fromkeys(needed_columns(map(layers_of, whole_file)))
            sentences = iter(whole_file)
        writer = Conversion(to, to, level=None, columns=tuple(columns), rules=rules).make_writer()
        out.write(getattr(writer, "preamble", ""))
        count = words = 0
        for count, sentence in enumerate(sentences, 1):  # noqa: B007
            text = writer.sentence(sentence)
            notes = (*sentence.notes, *writer.loses(sentence))
            report.tell(notes, path, sent_id=sentence.sent_id)
            out.write(text)
            words += len(sentence.eojeols)
    return Totals(count, words)


def _merged(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Return sentences; the instances of one, as `frame eoj2morph` writes them, are a sentence."""
    firsts: dict[tuple[str, ...], Sentence] = {}
    whole = []
    for sentence in sentences:
        first = sentence
        if is_instance(sentence):
            first = firsts.setdefault(tuple(_forms(sentence)), sentence)
        if first is sentence:
            whole.append(sentence)
        else:
            first.frames += sentence.frames
    return whole


def joined(
    sentences: Iterator[Sentence],
    donors: Iterator[Sentence],
    path: str,
    report: Report,
    rules: Rules,
) -> Iterator[Sentence]:
    """Yield the sentences of a file with the layers of another file.

    Args:
        sentences: of the file whose words stay.
        donors: of the other file; either may have sentences that the other lacks.
        path: the name of the other file.
        report: receives an incident for each sentence of the other file whose text no sentence has.
        rules: the tables.
    """
    for donor, sentence in pairs(donors, sentences, _forms):
        if donor is not None and (sentence is None or _is_other(sentence, donor)):
            message = "no sentence of the first file has the text of this one"
            report.add(Incident(_NO_SENTENCE, message, path, sent_id=donor.sent_id))
            donor = None
        if sentence is not None:
            yield join(sentence, donor, path, rules)


def _forms(sentence: Sentence) -> list[str]:
    return [eojeol.form for eojeol in sentence.eojeols]


def _has_text(sentence: Sentence, donor: Sentence) -> bool:
    """Return whether a sentence has the text of another, as its eojeols or as its morphemes."""
    forms = _forms(donor)
    return same_text(forms, _forms(sentence)) or same_text(
        forms, [morpheme.form for morpheme in sentence.morphemes]
    )


def _is_other(sentence: Sentence, donor: Sentence) -> bool:
    """Return whether two sentences have most of their eojeols not in common."""
    if _has_text(sentence, donor):
        return False
    ours, theirs = _forms(sentence), _forms(donor)
    common = sum([group.match for group in align_words(ours, theirs)])
    return 2 * common < min(len(ours), len(theirs))


def join(sentence: Sentence, donor: Sentence | None, path: str, rules: Rules) -> Sentence:
    """Return a sentence with the layers of another sentence of the same text.

    Args:
        sentence: keeps its words, arcs, and the layers that it has.
        donor: its counterpart; None if the other file lacks it, which a note tells.
        path: the name of the other file, for the notes.
        rules: the tables.
    """
    if donor is None:
        note = Note(_NO_OTHER, f"{path} has no sentence with the text of this one")
        return sentence.but(notes=(*sentence.notes, note))
    notes: list[Note] = []
    if not _has_text(sentence, donor):
        notes.append(Note(_DIFFERENT, f"the text of {path} differs: {donor.text}"))
    borders = _borders(donor, sentence)
    size = sum([len(eojeol.morphemes) for eojeol in sentence.eojeols])
    new, others = _comments(sentence, donor)
    if others:
        notes.append(_conflict(f"comments ({', '.join(others)})", path))
    comments, header = (*sentence.comments, *new), sentence.header
    if header is not None:
        lines = header.lines + "".join([f"# {comment}\n" for comment in new])
        header = header._replace(lines=lines, comments=comments)
    whole = sentence.but(
        frames=(*sentence.frames, *_frames(sentence, donor, borders, size, notes)),
        comments=comments,
        header=header,
    )
    if _has_arcs_of_eojeols(donor) and (words := _with_arcs_of_eojeols(sentence, donor, rules)):
        whole.eojeols, whole.arcs, whole.is_treebank = words.eojeols, words.arcs, True
    elif (
        _has_arcs(donor)
        and not _has_arcs(sentence)
        and _same_words(sentence, donor)
        and (words := _cut_alike(donor, sentence, rules))
    ):
        whole.arcs, whole.is_treebank = words.arcs, True
        whole.eojeols = sentence.eojeols if _has_words(sentence) else words.eojeols
        notes += words.notes[len(donor.notes) :]
    elif _has_arcs(donor) and not _has_arcs(sentence):
        message = f"the dependencies of {path} are of other words, and are not written"
        notes.append(Note(_CONFLICT, message))
    elif _has_arcs(donor) and not _same_arcs(sentence, donor, rules):
        notes.append(_conflict("dependencies", path))
    entities = _entities(whole, donor, borders, size, notes)
    if sentence.entities and entities and entities != sentence.entities:
        notes.append(_conflict("entities", path))
    whole.entities = sentence.entities or entities
    trees = _constituents(donor.constituents, borders, notes)
    if sentence.constituents and trees and trees != sentence.constituents:
        notes.append(_conflict("constituents", path))
    whole.constituents = sentence.constituents or trees
    whole.notes = (*sentence.notes, *notes)
    return whole


def _conflict(layer: str, path: str) -> Note:
    return Note(_CONFLICT, f"the {layer} of {path} differ from those here, which stay")


def _has_arcs(sentence: Sentence) -> bool:
    """Return whether a sentence has dependencies."""
    return sentence.arcs is not None and any([head >= 0 for head in sentence.arcs.heads])


def _has_arcs_of_eojeols(sentence: Sentence) -> bool:
    """Return whether a sentence has dependencies of eojeols that have no other columns."""
    words = [eojeol.words for eojeol in sentence.eojeols]
    return _has_arcs(sentence) and all([len(own) == 1 and not own[0].upos for own in words])


def _with_arcs_of_eojeols(sentence: Sentence, donor: Sentence, rules: Rules) -> Sentence | None:
    """Return a sentence with dependencies of its eojeols, moved to its words if it has any.

    None if its eojeols are others, or its words have columns of their own or are of no level.
    """
    forms = [[eojeol.form for eojeol in each.eojeols] for each in (sentence, donor)]
    if sentence.is_treebank or forms[0] != forms[1]:
        return None
    arcs = donor.arcs
    whole = sentence.but(eojeols=tuple(map(as_word, sentence.eojeols)), arcs=arcs, is_treebank=True)
    return _cut_alike(whole, sentence, rules)


def _has_words(sentence: Sentence) -> bool:
    return any([eojeol.tokens for eojeol in sentence.eojeols])


def _cut_alike(whole: Sentence, sentence: Sentence, rules: Rules) -> Sentence | None:
    """Return a sentence with words as another cuts them, if it does; None if no level has them."""
    if not _has_words(sentence):
        return whole
    cuts = (recut_of(level, rules=rules)(whole) for level in (None, *reversed(LEVELS)))
    borders = list(map(word_borders, sentence.eojeols))
    return next((cut for cut in cuts if list(map(word_borders, cut.eojeols)) == borders), None)


def _same_arcs(sentence: Sentence, donor: Sentence, rules: Rules) -> bool:
    """Return whether two sentences have the same arcs once both are cut at one level."""
    recut = recut_of(MORPHEMES, rules=rules)
    return recut(sentence).arcs == recut(donor).arcs


def _same_words(sentence: Sentence, donor: Sentence) -> bool:
    """Return whether both sentences have the same eojeols with the same morphemes."""
    analyses = [[(e.form, e.morphemes) for e in each.eojeols] for each in (sentence, donor)]
    return analyses[0] == analyses[1]


def _borders(donor: Sentence, sentence: Sentence) -> Borders:
    """Return the borders of morphemes that two sentences share.

    Eojeols are aligned first, so another analysis of an eojeol concerns that eojeol alone. Where
    morphemes spell the same text, they are aligned themselves: those of trees may be its eojeols.
    """
    eojeols, targets = donor.eojeols, sentence.eojeols
    ours, theirs = [[morpheme.form for morpheme in each.morphemes] for each in (donor, sentence)]
    if all(ours + theirs) and same_text(ours, theirs):
        return {0: 0} | {each.gold.stop: each.system.stop for each in align_words(ours, theirs)}
    shared: Borders = {0: 0}
    starts = list(accumulate([len(e.morphemes) for e in eojeols], initial=0))
    places = list(accumulate([len(e.morphemes) for e in targets], initial=0))
    for group in align_words([e.form for e in eojeols], [e.form for e in targets]):
        ours = [m.form for e in eojeols[group.gold.start : group.gold.stop] for m in e.morphemes]
        theirs = [
            m.form for e in targets[group.system.start : group.system.stop] for m in e.morphemes
        ]
        for inner in align_words(ours, theirs):
            end = places[group.system.start] + inner.system.stop
            shared[starts[group.gold.start] + inner.gold.stop] = end
        shared[starts[group.gold.stop]] = places[group.system.stop]
    return shared


def _labels(
    sentence: Sentence, entities: Iterable[Entity], borders: Borders, size: int
) -> tuple[Labels, list[Entity]]:
    """Return a layer of labels over the morphemes of a sentence, and the entities it lacks."""
    layer, lost = [], []
    for entity in entities:
        begin, end = borders.get(entity.begin, -1), borders.get(entity.end, -1)
        if 0 <= begin < end:
            layer.append(entity._replace(begin=begin, end=end))
        else:
            lost.append(entity)
    return by_eojeol(sentence.eojeols, to_labels(layer, size)), lost


def _entities(
    sentence: Sentence, donor: Sentence, borders: Borders, size: int, notes: list[Note]
) -> tuple[Labels, ...]:
    """Return the entities of the other sentence over the morphemes of the first."""
    if not donor.entities or _same_words(sentence, donor):
        return donor.entities
    forms = [morpheme.form for morpheme in donor.morphemes]
    layers = []
    for entities in entity_layers(donor):
        labels, lost = _labels(sentence, entities, borders, size)
        layers.append(labels)
        for entity in lost:
            notes.append(Note(LOST, f"{shown(entity, forms)} is not written: {_NO_BORDER}"))
    return tuple(layers)


def _frames(
    sentence: Sentence, donor: Sentence, borders: Borders, size: int, notes: list[Note]
) -> Iterator[FrameInstance]:
    """Yield the frames of the other sentence that the first lacks, over its morphemes."""
    for instance in donor.frames:
        elements = find_entities(flat_labels(donor.eojeols, instance.labels))
        labels, lost = _labels(sentence, elements, borders, size)
        units: list[tuple[str, str] | None] = [None] * size
        place = 0
        for unit, run in groupby(target_units(donor.eojeols, instance)):
            begin, place = place, place + len(list(run))
            if unit and (begin not in borders or place not in borders):
                lost += elements[:1]
            elif unit:
                units[borders[begin] : borders[place]] = [unit] * (borders[place] - borders[begin])
        if lost:
            notes += lost_frames([instance], _NO_BORDER)
            continue
        moved_ = FrameInstance(_targets(sentence, units), labels, instance.comments)
        if moved_ not in sentence.frames:
            yield moved_


def _targets(
    sentence: Sentence, units: Sequence[tuple[str, str] | None]
) -> tuple[Target | None, ...]:
    """Return the target in each eojeol; the inverse of `target_units`."""
    targets: list[Target | None] = []
    start = 0
    for eojeol in sentence.eojeols:
        part = units[start : start + len(eojeol.morphemes)]
        start += len(part)
        unit = next(filter(None, part), None)
        places = tuple([i for i, u in enumerate(part) if u == unit])
        targets.append(Target(*unit, () if len(places) == len(part) else places) if unit else None)
    return tuple(targets)


def _constituents(
    layer: Sequence[Constituent], borders: Borders, notes: list[Note]
) -> tuple[Constituent, ...]:
    """Return constituents over the morphemes of the first sentence."""
    gone = [
        node.start not in borders
        or node.end not in borders
        or (node.start < node.end and borders[node.start] == borders[node.end])
        for node in layer
    ]
    if any(gone):
        message = f"{counted(sum(gone), 'constituent[s]')} left out: {_NO_BORDER}"
        notes.append(Note(_INSIDE, message))
    places = [borders.get(i, 0) for i in range(max(borders) + 1)]
    return moved(without(layer, gone), places)


def _comments(sentence: Sentence, donor: Sentence) -> tuple[list[str], dict[str, None]]:
    """Return the comments of the other sentence that the first lacks, and the keys of others."""
    keys = {comment.partition(" = ")[0] for comment in sentence.comments}
    new: list[str] = []
    others: dict[str, None] = {}
    for comment in donor.comments:
        key, equals, _ = comment.partition(" = ")
        if key not in keys:
            new.append(comment)
        elif equals and comment not in sentence.comments and not key.startswith("new"):
            others[key] = None
    return new, others
