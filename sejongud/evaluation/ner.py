"""Named entities against gold: conlleval's figures, and those of SemEval'13.

An entity is right for conlleval if its type and both its borders are. SemEval'13 (Task 9.1) counts
strict (type and borders), exact (borders), partial (borders; an overlap counts half) and type (an
overlap and the type). Files are CoNLL-U with NE= in MISC; columns with the token first and the tag
last and blank lines between sentences, tags of IOB1, IOB2 or BIOES; or corpora as `sejongud ner`
knows them (NAVER, KLUE-NER, MODU ...), of whose nested entities the outermost count. Where tokens
or sentences differ, they are aligned first and borders are compared by their place in the text;
morphemes are best put back before they are measured by a corpus (`sejongud ner morph2eoj`), as
those that fuse have no place of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.commands import open_input
from sejongud.errors import FormatError, Incident
from sejongud.evaluation.base import Evaluation, Metric, Score, Signature, Unit, f_score
from sejongud.evaluation.differences import Text, alignment_settings, list_differences
from sejongud.evaluation.output import (
    add_alignment_options,
    add_arguments,
    read_likeness,
    run_metric,
)
from sejongud.evaluation.treebank import FEATS, MISC, Treebank, looks_like_conllu
from sejongud.formats import ENTITY_FORMATS, label_format, recognise, sniff
from sejongud.formats.conllu import COLUMNS, FEATS_LABEL, NE_COLUMN
from sejongud.formats.misc import label_key, unescape_misc
from sejongud.layers.labels import find_entities as corpus_entities
from sejongud.layers.labels import to_labels
from sejongud.layers.matching import (
    STRICT,
    Group,
    Likeness,
    align_sentences,
    align_words,
    longest_rising,
    pair_words,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.formats.labelled import LabelFormat
    from sejongud.formats.labelled import Labelled as CorpusSentence

__all__ = [
    "Entity",
    "Labelled",
    "evaluate",
    "find_entities",
    "read_columns",
    "read_corpus",
    "register",
    "run",
]

Scheme = Literal["strict", "exact", "partial", "type"]
"""A way of SemEval'13 to count."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
_CORRECT, _INCORRECT, _PARTIAL, _MISSED, _SPURIOUS = range(len(_OUTCOMES))

_KEY = f"{label_key(0)}="
_COLUMN = NE_COLUMN + label_key(0)
_PLUS = "# global.columns = "
_COLUMNS, _USUAL = "columns", "B-PER"
"""The format, and the spelling of tags, that `read_columns` reads."""
_OUTSIDE = "O"
_TAG = re.compile(r"O|[BIES](?:-.+)?")


class Entity(NamedTuple):
    """A stretch of tokens that is one entity, or of places in aligned texts."""

    type: str
    begin: float
    end: float


class Labelled(NamedTuple):
    """A text whose words have a tag each."""

    text: Text
    """The sentences and their tokens, by which the sentences are aligned."""
    words: Sequence[Sequence[str]]
    tags: Sequence[Sequence[str]]
    """Parallel to the words."""
    incidents: Sequence[Incident] = ()

    @property
    def types(self) -> set[str]:
        """The types of its entities."""
        return {entity.type for tags in self.tags for entity in find_entities(tags)}


class NerMetric(Metric):
    """The scores of entities.

    Args:
        types: the types of entity, each of which has a score of its own.
    """

    name = "ner"

    def __init__(self, types: Iterable[str]) -> None:
        self.types = tuple(sorted(types))
        self.columns = (
            *("tokens:correct", "tokens:gold"),
            *(f"{of}:{n}" for of in self.types for n in ("correct", "gold", "system")),
            *(f"{of}:{outcome}" for of in SCHEMES for outcome in _OUTCOMES),
        )

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Tokens, all entities, those of each type, and the four of SemEval'13."""
        correct, tokens, *others = map(int, totals)
        accuracy = {"accuracy": correct / tokens if tokens else 0.0}
        scores = [Score("Tokens", {"tp": correct, "fn": tokens - correct}, accuracy, "accuracy")]
        cut = 3 * len(self.types)
        by_type = [others[at : at + 3] for at in range(0, cut, 3)]
        overall = [sum(column) for column in zip(*by_type, strict=True)] or [0, 0, 0]
        scores.append(f_score("Entities", *overall))
        scores += [f_score(name, *counts) for name, counts in zip(self.types, by_type, strict=True)]
        for scheme, at in zip(SCHEMES, range(cut, len(others), len(_OUTCOMES)), strict=True):
            scores.append(_semeval(scheme, others[at : at + len(_OUTCOMES)]))
        return scores


def find_entities(tags: Sequence[str]) -> list[Entity]:
    """The entities of one sentence, by the rules of conlleval, and for E and S those of seqeval.

    An entity goes on with I or E of its type after B or I; anything else ends it. What goes on
    without having begun, begins.

    >>> find_entities(["B-PS", "I-PS", "O", "I-LC", "B-LC"])
    [Entity(type='PS', begin=0, end=2), Entity(type='LC', begin=3, end=4), \
Entity(type='LC', begin=4, end=5)]
    """
    entities: list[Entity] = []
    begin = 0
    before, type_before = _OUTSIDE, ""
    for at, tag in enumerate([*tags, _OUTSIDE]):
        prefix, _, of = tag.partition("-")
        if not (prefix in ("I", "E") and before in ("B", "I") and of == type_before):
            if before != _OUTSIDE:
                entities.append(Entity(type_before, begin, at))
            begin = at
        before, type_before = prefix, of
    return entities


def evaluate(
    gold: Labelled,
    system: Labelled,
    types: Iterable[str] | None = None,
    likeness: Likeness = STRICT,
) -> Evaluation:
    """Count the entities that a system found.

    Args:
        gold: the right ones.
        system: those to be measured.
        types: the types that have a score of their own; those of both if None.
        likeness: what counts as the same where the texts differ.
    """
    metric = NerMetric(gold.types | system.types if types is None else types)
    groups = align_sentences(
        gold.text.sentences, system.text.sentences, likeness.exceptions, likeness.similarity
    )
    units = [_unit(metric, gold, system, group, likeness) for group in groups]
    return Evaluation(
        metric,
        Signature("ner", alignment_settings(gold.text, system.text, likeness)),
        units,
        list_differences(gold.text, system.text, groups, likeness),
        [*gold.incidents, *system.incidents],
    )


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--conlleval", action="store_true", help="print what the program conlleval prints"
    )
    parser.add_argument(
        "--format",
        metavar="NAME[:SETTINGS]",
        help="format of the files that are no CoNLL-U, if not found out: "
        + ", ".join(ENTITY_FORMATS),
    )
    add_alignment_options(parser)
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    likeness = read_likeness(args)
    paths = [args.gold, args.system, *([args.compare] if args.compare else [])]
    files = {path: _read(args, path) for path in dict.fromkeys(paths)}
    types = set[str]().union(*(labelled.types for labelled in files.values()))
    gold = files[args.gold]
    layout = format_conlleval if args.conlleval else None
    return run_metric(args, lambda path: evaluate(gold, files[path], types, likeness), layout)


def format_conlleval(evaluation: Evaluation) -> str:
    """The figures in the layout of conlleval.pl (Tjong Kim Sang and Buchholz 2000)."""
    tokens, overall, *others = evaluation.scores
    types = others[: -len(SCHEMES)]
    found = {score.name: score.counts["tp"] + score.counts["fp"] for score in (overall, *types)}
    words = sum(tokens.counts.values())
    lines = [
        f"processed {words} tokens"
        f" with {overall.counts['tp'] + overall.counts['fn']} phrases;"
        f" found: {found[overall.name]} phrases; correct: {overall.counts['tp']}.",
        f"accuracy: {_percent(tokens.counts['tp'], words):6.2f}%; {_percents(overall)}",
    ]
    lines += [f"{score.name:>17}: {_percents(score)}  {found[score.name]}" for score in types]
    return "".join(f"{line}\n" for line in lines)


def read_columns(lines: Iterable[str], path: str = "-") -> Labelled:
    """Read columns: the token first, its tag last, blank lines between sentences.

    A line that begins with `#` and does not end in a tag is a comment.

    Args:
        lines: without their ends.
        path: where they are from, for messages.
    """
    sentences: list[list[str]] = []
    tags: list[list[str]] = []
    places: list[int] = []
    incidents: list[Incident] = []
    begin, words, found, wrong = 0, list[str](), list[str](), ""
    for number, line in enumerate([*lines, ""], 1):
        cells = line.split()
        if not cells:
            if wrong:
                incidents.append(
                    Incident("E801", f"{wrong}; the sentence is left out", path, begin)
                )
            elif words:
                sentences.append(words)
                tags.append(found)
                places.append(begin)
            words, found, wrong = [], [], ""
        elif wrong:
            continue
        elif len(cells) > 1 and _TAG.fullmatch(cells[-1]):
            begin = begin if words else number
            words.append(cells[0])
            found.append(cells[-1])
        elif cells[0][0] != "#":
            begin = number
            wrong = f"{line!r} does not end in a tag: O, or B-, I-, E- or S- and a type"
    if not sentences:
        incidents.append(Incident("E801", "there is no sentence in this file", path))
    return Labelled(Text(sentences, places, path), sentences, tags, incidents)


def read_corpus(layout: LabelFormat, chunks: Iterable[str], path: str = "-") -> Labelled:
    """Read an entity corpus: its eojeols, or its characters without the spaces.

    Args:
        layout: its format.
        chunks: the text, each chunk ending at a line's end.
        path: where it is from, for messages.

    Raises:
        FormatError: the file is not one of sentences.
    """
    sentences: list[list[str]] = []
    tags: list[list[str]] = []
    places: list[int] = []
    incidents: list[Incident] = []
    for block in layout.blocks(chunks):
        try:
            found = layout.read(block)
        except FormatError as error:
            error.at(path=path, line=block.line)
            error.message += "; the sentence is left out"
            incidents.append(error.incident())
            continue
        words, labels = _words_of(found)
        if words:
            sentences.append(words)
            tags.append(labels)
            places.append(block.line)
    if not sentences:
        incidents.append(Incident("E801", "there is no sentence in this file", path))
    return Labelled(Text(sentences, places, path), sentences, tags, incidents)


def _words_of(found: CorpusSentence) -> tuple[list[str], list[str]]:
    """The words of a sentence of a corpus, and their tags: its entities without their spaces."""
    rows = [row for own in found.morphemes for row in own]
    if rows:
        # The rows of such a corpus are trusted more than what is marked in its text.
        tokens: Sequence[str] = [row.form for row in rows]
        labels: Sequence[str] = [row.label for row in rows]
    else:
        tokens = found.tokens
        labels = found.layers[0] if found.layers else ()
    seen = [0, *accumulate([not token.isspace() for token in tokens])]
    words = [token for token in tokens if not token.isspace()]
    entities = [
        one._replace(begin=seen[one.begin], end=seen[one.end]) for one in corpus_entities(labels)
    ]
    kept = [one for one in entities if one.begin < one.end]
    return words, list(to_labels(kept, len(words)))


def _read(args: argparse.Namespace, path: str) -> Labelled:
    with open_input(args, path) as source:
        head = source.head()
        if not looks_like_conllu(head) and not head.startswith(_PLUS):
            if args.format is not None:
                return read_corpus(
                    label_format(*recognise(args.format, head, ENTITY_FORMATS)),
                    source.chunks(),
                    path,
                )
            found = sniff(head, ENTITY_FORMATS)
            if found is None or (found.name == _COLUMNS and _USUAL in found.settings.split()):
                # Columns of tokens and tags, damaged ones as well.
                return read_columns(source.lines(), path)
            return read_corpus(label_format(*found), source.chunks(), path)
        bank = Treebank.read(_without_columns(source.lines()), path)
    columns = zip(bank.columns[MISC], bank.columns[FEATS], strict=True)
    tags = [_tag_of(misc, feats) for misc, feats in columns]
    of_sentences = [
        [tags[word] for word in bank.words_of(range(at, at + 1))] for at in range(len(bank))
    ]
    return Labelled(bank.text, bank.word_sentences, of_sentences, bank.incidents)


def _without_columns(lines: Iterable[str]) -> Iterator[str]:
    """The lines of CoNLL-U Plus as CoNLL-U, with the column of entities in MISC."""
    at = count = 0
    for line in lines:
        if line.startswith(_PLUS):
            names = line.removeprefix(_PLUS).split()
            count = len(names)
            at = names.index(_COLUMN) if _COLUMN in names else 0
        cells = line.split("\t")
        if COLUMNS < count == len(cells):
            misc = [cells[COLUMNS - 1]] * (cells[COLUMNS - 1] != "_")
            if at and cells[at] != "_":
                misc.append(_KEY + cells[at])
            yield "\t".join([*cells[: COLUMNS - 1], "|".join(misc) or "_"])
        else:
            yield line


def _tag_of(misc: str, feats: str) -> str:
    """The entity tag of a word, by its MISC, or FEATS if there is a tag and nothing else."""
    if _KEY in misc:
        for item in misc.split("|"):
            if item.startswith(_KEY):
                return unescape_misc(item.removeprefix(_KEY)) or _OUTSIDE
    return feats if FEATS_LABEL.match(feats) else _OUTSIDE


def _unit(
    metric: NerMetric, gold: Labelled, system: Labelled, group: Group, likeness: Likeness
) -> Unit:
    """The statistics of a group of sentences."""
    our_words = [word for at in group.gold for word in gold.words[at]]
    their_words = [word for at in group.system for word in system.words[at]]
    ours, our_tags = _entities(gold.tags, group.gold)
    theirs, their_tags = _entities(system.tags, group.system)
    pairs = [(at, at) for at in range(len(our_words))]
    if our_words != their_words:
        aligned = align_words(our_words, their_words, likeness.exceptions)
        pairs = pair_words(our_words, their_words, aligned, likeness.exceptions)
        aligned = _cut_at_pairs(aligned, pairs)
        ours = _placed(ours, our_words, [one.gold for one in aligned])
        theirs = _placed(theirs, their_words, [one.system for one in aligned])
    counts = [sum(our_tags[i] == their_tags[j] for i, j in pairs), len(our_words)]
    common = set(ours).intersection(theirs)
    for of in metric.types:
        counts += [sum(entity.type == of for entity in some) for some in (common, ours, theirs)]
    for scheme in SCHEMES:
        counts += _outcomes(scheme, ours, theirs)
    return Unit(group.gold, group.system, counts)


def _entities(
    tags: Sequence[Sequence[str]], sentences: range
) -> tuple[list[Entity], Sequence[str]]:
    """The entities of some sentences, by words from the first on, and the tags of the words."""
    entities: list[Entity] = []
    joined: list[str] = []
    for at in sentences:
        shift = len(joined)
        entities += [
            Entity(of, begin + shift, end + shift) for of, begin, end in find_entities(tags[at])
        ]
        joined += tags[at]
    return entities, joined


def _cut_at_pairs(groups: Iterable[Group], pairs: Sequence[tuple[int, int]]) -> list[Group]:
    """Groups of words, cut at the words in them that are the same."""
    cut: list[Group] = []
    at = 0
    for group in groups:
        first = at
        while at < len(pairs) and pairs[at][0] in group.gold:
            at += 1
        i, j = group.gold.start, group.system.start
        for i_end, j_end in longest_rising(pairs[first:at]):
            if i < i_end or j < j_end:
                cut.append(Group(range(i, i_end), range(j, j_end), False))
            cut.append(Group(range(i_end, i_end + 1), range(j_end, j_end + 1), True))
            i, j = i_end + 1, j_end + 1
        if i < group.gold.stop or j < group.system.stop:
            cut.append(Group(range(i, group.gold.stop), range(j, group.system.stop), False))
    return cut


def _placed(
    entities: Iterable[Entity], words: Sequence[str], groups: Iterable[range]
) -> list[Entity]:
    """Entities by places that both sides have in common.

    The groups of aligned words begin and end at whole numbers. What is within one is in between, as
    its characters are: two segmentations of one text agree on the place of a border.
    """
    begins: list[float] = []
    ends: list[float] = []
    for number, group in enumerate(groups):
        borders = list(accumulate((len(words[at]) for at in group), initial=0))
        places = [number + border / (borders[-1] or 1) for border in borders]
        begins += places[:-1]
        ends += places[1:]
    return [Entity(of, begins[int(begin)], ends[int(end) - 1]) for of, begin, end in entities]


def _outcomes(scheme: Scheme, gold: Sequence[Entity], system: Sequence[Entity]) -> list[int]:
    """How the entities of a system come out, by one of the ways of SemEval'13 (as in nervaluate).

    Each entity of the system takes one gold entity that none before it took: the one it is right
    with, else the first that it overlaps.
    """
    counts = [0] * len(_OUTCOMES)
    taken: set[int] = set()
    begins, ends = [entity.begin for entity in gold], [entity.end for entity in gold]
    for entity in system:
        overlapping = [
            at
            for at in range(bisect_right(ends, entity.begin), bisect_left(begins, entity.end))
            if at not in taken
        ]
        right = [at for at in overlapping if _is_right(scheme, gold[at], entity)]
        if right:
            counts[_CORRECT] += 1
            taken.add(min(right, key=lambda at: _distance(gold[at], entity)))
        elif overlapping:
            counts[_PARTIAL if scheme == "partial" else _INCORRECT] += 1
            taken.add(overlapping[0])
        else:
            counts[_SPURIOUS] += 1
    counts[_MISSED] = len(gold) - len(taken)
    return counts


def _is_right(scheme: Scheme, gold: Entity, system: Entity) -> bool:
    """Whether two entities that overlap are the same, by a scheme."""
    if scheme == "strict":
        return gold == system
    return gold.type == system.type if scheme == "type" else _distance(gold, system) == 0


def _distance(gold: Entity, system: Entity) -> float:
    """How far apart the borders of two entities are."""
    return abs(gold.begin - system.begin) + abs(gold.end - system.end)


def _semeval(scheme: Scheme, outcomes: Sequence[int]) -> Score:
    """The score of a scheme; what is half right counts half."""
    right = outcomes[_CORRECT] + 0.5 * outcomes[_PARTIAL]
    both = sum(outcomes[_CORRECT : _PARTIAL + 1])
    found, there = both + outcomes[_SPURIOUS], both + outcomes[_MISSED]
    precision, recall = right / found if found else 0.0, right / there if there else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Score(
        scheme,
        dict(zip(_OUTCOMES, outcomes, strict=True)),
        {"precision": precision, "recall": recall, "f1": f1},
    )


def _percents(score: Score) -> str:
    # In the Perl program's order of operations, so that ties are rounded as there.
    right = score.counts["tp"]
    precision = _percent(right, right + score.counts["fp"])
    recall = _percent(right, right + score.counts["fn"])
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0
