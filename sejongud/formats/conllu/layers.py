"""Layers in CoNLL-U: frames and constituents in columns, and blocks of comments that stand apart.

Frames are in CoNLL-U Plus (memoir, Fig. 3.14):

    22  통치  통치하다.v  Being_in_control  B-FrameTarget
    23  하    _          _                 I-FrameTarget

The target hides the frame elements of its own morphemes: these stand in MISC (`FE=B-Theme`). Labels
that a word of several morphemes does not tell stand in `FEMorph=`, as those of entities in
`NEMorph=`, and the morphemes of the target, where not all of a word belong to it, in
`TargetMorph=`. What a file says of an instance is in comments: `anno_id = 7553`, and
`frame2:source = …` for the second instance of a sentence.

Constituents are the brackets before and behind each word, in two columns:

    1   웅가로   …   TREE:OPEN  (S (NP-SBJ    TREE:CLOSE  _
    2   가       …              _                         )
    3   나서     …              (VP                       _

The word itself, with its tag, stands between the two.

Blocks of comments without a sentence, as scripts leave them for the sentences that they skip, are
kept by the next sentence in a comment, `comments_before`, and by the last one of a file in
`comments_behind`; CoNLL-U has them at their place again.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.formats.around import from_json, kept, restore_comment
from sejongud.formats.misc import at_positions, labels_by_position, unescape_misc, word_label
from sejongud.layers.labels import OUTSIDE, inside, spread
from sejongud.memo import Memo, lazy_pattern
from sejongud.model import NOTHING, Constituent, Eojeol, FrameInstance, Sentence, Target
from sejongud.terminal import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


FRAME_COLUMNS = ("FRAME:TARGET", "FRAME:FRAME", "FRAME:ANNOTATION")
FRAME_KEYS = ("FE", "FEMorph", "TargetMorph")
FRAME_TARGET = "FrameTarget"
"""The type of the labels of a target."""
PLAIN = ("anno_id", "sentid", "source")
"""The comments of a sentence's first instance that have no prefix."""

_BEGIN, _INSIDE = f"B-{FRAME_TARGET}", f"I-{FRAME_TARGET}"
TARGET_TAGS = (_BEGIN, _INSIDE)
"""The labels of a target."""
_COMMENT = lazy_pattern(r"frame([0-9]{0,9}):")


def target_units(
    eojeols: Iterable[Eojeol], instance: FrameInstance
) -> list[tuple[str, str] | None]:
    """Return the lexical unit and the frame of each morpheme; None outside the target."""
    found: list[tuple[str, str] | None] = []
    for eojeol, target in zip(eojeols, instance.targets, strict=True):
        places = frozenset(target.at) if target is not None else ()
        for at in range(len(eojeol.morphemes)):
            is_inside = target is not None and (at in places or not places)
            found.append((target.unit, target.frame) if target and is_inside else None)
    return found


def target_tags(units: Iterable[tuple[str, str] | None]) -> list[str]:
    """Return the tags of a target, which goes on where the unit and the frame stay the same.

    Args:
        units: the lexical unit and the frame at each place, None outside the target.

    >>> target_tags([("가다.v", "Motion"), ("가다.v", "Motion"), None])
    ['B-FrameTarget', 'I-FrameTarget', 'O']
    """
    found = []
    before = None
    for here in units:
        found.append(OUTSIDE if here is None else _INSIDE if here == before else _BEGIN)
        before = here
    return found


def frame_cells(sentence: Sentence) -> list[list[tuple[str, ...]]]:
    """Return the cells of the words of a sentence, instance by instance."""
    return [list(_cells(sentence, instance)) for instance in sentence.frames]


def _cells(sentence: Sentence, instance: FrameInstance) -> Iterator[tuple[str, ...]]:
    of_target = iter(target_tags(target_units(sentence.eojeols, instance)))
    for eojeol, target, own in zip(
        sentence.eojeols, instance.targets, instance.labels, strict=True
    ):
        labels = iter(own or (OUTSIDE,) * len(eojeol.morphemes))
        for token in eojeol.tokens:
            for word in token.words:
                size = len(word.morphemes)
                cells = _label_cells[tuple(islice(of_target, size)), tuple(islice(labels, size))]
                unit = NOTHING, NOTHING
                if target is not None and cells[0] == _BEGIN:
                    unit = target.unit, target.frame
                yield *unit, *cells


def _cells_of_labels(marks: tuple[str, ...], elements: tuple[str, ...]) -> tuple[str, ...]:
    """Return the cells of a word, from that of its labels on.

    Args:
        marks: the labels of its morphemes as parts of the target.
        elements: their labels as parts of frame elements.
    """
    mark, label = word_label(marks), word_label(elements)
    by_morpheme = NOTHING
    if label and spread(label, len(elements)) != elements:
        by_morpheme = labels_by_position(elements)
    hidden = label or NOTHING if mark else NOTHING
    in_part = labels_by_position(marks) if mark and OUTSIDE in marks else NOTHING
    return mark or label or OUTSIDE, hidden, by_morpheme, in_part


_label_cells: Memo[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = Memo(
    lambda key: _cells_of_labels(*key), size=10_000
)


def give_frames(sentence: Sentence, instances: list[list[tuple[str, ...]]]) -> None:
    """Give a sentence the instances of cells, with their comments."""
    said, others = split_comments(sentence.comments)
    found = []
    for number, rows in enumerate(instances, 1):
        if any([cell != NOTHING for row in rows for cell in row]):
            found.append(_instance(sentence, rows)._replace(comments=said.get(number, ())))
    sentence.frames = tuple(found)
    sentence.comments = others


def _instance(sentence: Sentence, rows: Sequence[tuple[str, ...]]) -> FrameInstance:
    """Return the instance of cells."""
    each = iter(rows)
    targets: list[Target | None] = []
    layer = []
    for eojeol in sentence.eojeols:
        marks: list[bool] = []
        labels: list[str] = []
        unit, frame = NOTHING, NOTHING
        goes_on = False
        for token in eojeol.tokens:
            for word, row in zip(token.words, each, strict=False):
                own, of, annotation, hidden, by_morpheme, in_part = row
                size = len(word.morphemes)
                is_target = annotation in TARGET_TAGS
                goes_on = goes_on or (annotation == _INSIDE and not any(marks))
                if (own, of) != (NOTHING, NOTHING):
                    unit, frame = own, of
                marks += _word_marks(in_part, size) if is_target else [False] * size
                labels += _word_labels(hidden if is_target else annotation, by_morpheme, size)
        count = len(eojeol.morphemes)
        labels = (labels + [OUTSIDE] * count)[:count]
        before = targets[-1] if targets else None
        target = None
        if any(marks):
            if (unit, frame) == (NOTHING, NOTHING) and goes_on and before is not None:
                unit, frame = before.unit, before.frame
            at = () if all(marks) else tuple([n for n, mark in enumerate(marks) if mark])
            target = Target(unit, frame, at)
        targets.append(target)
        layer.append(inside(labels))
    return FrameInstance(tuple(targets), tuple(layer))


def _word_marks(in_part: str, size: int) -> list[bool]:
    """Return whether each morpheme of a word of the target belongs to the target."""
    found = [bool(one) for one in at_positions(in_part, size)] if in_part != NOTHING else []
    return found if any(found) else [True] * size


def _word_labels(label: str, by_morpheme: str, size: int) -> list[str]:
    """Return the labels of the morphemes of a word."""
    if by_morpheme != NOTHING and size > 1:
        found = [unescape_misc(one) or OUTSIDE for one in at_positions(by_morpheme, size)]
        if word_label(found) == label:
            return found
    return list(spread(OUTSIDE if label in (NOTHING, "") else label, size))


def frame_comments(sentence: Sentence) -> tuple[str, ...]:
    """Return the comments of the instances of a sentence, with the numbers of their instances.

    Those of the first instance have no number, and no prefix either if their key is in `PLAIN` and
    the sentence itself has no such comment.
    """
    found = []
    taken = any([_key(comment) in PLAIN for comment in sentence.comments])
    for number, instance in enumerate(sentence.frames, 1):
        prefix = "frame:" if number == 1 else f"frame{number}:"
        for comment in instance.comments:
            is_plain = number == 1 and not taken and _key(comment) in PLAIN
            found.append(comment if is_plain else f"{prefix}{comment}")
    return tuple(found)


def split_comments(own: Sequence[str]) -> tuple[dict[int, tuple[str, ...]], tuple[str, ...]]:
    """Return the comments of each instance, by its number from 1, and the other comments.

    >>> split_comments(["anno_id = 3", "frame2:source = a", "newdoc"])
    ({1: ('anno_id = 3',), 2: ('source = a',)}, ('newdoc',))
    """
    prefixed = any(
        [comment.startswith(tuple([f"frame:{key}" for key in PLAIN])) for comment in own]
    )
    said: dict[int, tuple[str, ...]] = {}
    others = []
    for comment in own:
        match = _COMMENT.match(comment)
        if match or (not prefixed and _key(comment) in PLAIN):
            number = int(match[1] or 1) if match else 1
            text = comment[match.end() :] if match else comment
            said[number] = (*said.get(number, ()), text)
        else:
            others.append(comment)
    return said, tuple(others)


def _key(comment: str) -> str:
    key, equals, _ = comment.partition(" = ")
    return key if equals else ""


TREE_COLUMNS = ("TREE:OPEN", "TREE:CLOSE")


def tree_cells(sentence: Sentence) -> list[list[tuple[str, ...]]]:
    """Return the brackets before and behind each word of a sentence whose words have been cut.

    Raises:
        FormatError: a constituent begins or ends inside a word.
    """
    if not sentence.constituents:
        return []
    # Few files have trees: what reads and writes them is imported for these alone.
    from sejongud.formats.trees import checked_edges

    return [[(_text(one.before), _text(one.behind)) for one in checked_edges(sentence)]]


def give_constituents(sentence: Sentence, instances: Sequence[Sequence[tuple[str, ...]]]) -> None:
    """Give a sentence the constituents of its two columns.

    Brackets that cannot be read are told in the notes and stand in a comment.
    """
    rows = instances[0]
    if not any([cell != NOTHING for row in rows for cell in row]):
        return
    from sejongud.formats.trees import PLACES, SOURCE, parse_tree
    from sejongud.layers.trees import constituents, is_null, widened, word_ends

    text = " ".join([f"{_cell(before)} (_ _) {_cell(behind)}" for before, behind in rows])
    try:
        tree = parse_tree(text)
        nulls = [is_null(*word) for word in zip(tree.words, tree.tags, strict=True)]
        if nulls.count(False) != len(rows):
            raise FormatError("the brackets beside the words hold other words", code="E603")
    except FormatError as error:
        note = Note(error.code, f"{error.message}; the tree is kept as a comment")
        sentence.notes = (*sentence.notes, note)
        sentence.comments = (*sentence.comments, restore_comment(SOURCE, text))
        return
    ends = word_ends(sentence)
    sentence.constituents = constituents(tree, ends)
    for rows_kept in kept(sentence.comments, PLACES):
        layer = _layer(rows_kept, ends[-1])
        if layer and widened(layer, ends) == sentence.constituents:
            # The words are those that were written, so that the borders inside are known.
            sentence.constituents = layer
            sentence.comments = tuple([c for c in sentence.comments if not c.startswith(PLACES)])


def _layer(rows: object, end: int) -> tuple[Constituent, ...]:
    """Return the constituents of a comment; () if the sentence cannot have them.

    Args:
        rows: the value of the comment.
        end: the place behind the last morpheme of the sentence.
    """
    try:
        layer = tuple([Constituent(str(a), int(b), int(c), int(d)) for a, b, c, d in rows])  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        return ()
    deepest = [0, *[node.depth + 1 for node in layer]]
    inside = [
        0 <= node.start <= node.end <= end and 0 <= node.depth <= depth
        for node, depth in zip(layer, deepest, strict=False)
    ]
    return layer if all(inside) else ()


def _text(brackets: tuple[str, ...]) -> str:
    return " ".join(brackets).replace(" )", ")") or NOTHING


def _cell(text: str) -> str:
    return "" if text == NOTHING else text


BEFORE, BEHIND = "comments_before = ", "comments_behind = "


def comment_of(place: str, blocks: Sequence[str]) -> str:
    r"""Return the comment that keeps blocks of comments.

    >>> comment_of(BEFORE, ["# sent_id = 2\n# text = 봄"])
    'comments_before = ["# sent_id = 2\\n# text = 봄"]'
    """
    return place + json_text(list(blocks))


def with_apart(text: str, comments: Sequence[str]) -> str:
    r"""Return the lines of a sentence with the blocks of comments that its comments keep.

    >>> with_apart("# a\n1\t나\n\n", [comment_of(BEFORE, ["# b"])])
    '# b\n\n# a\n1\t나\n\n'
    """
    before = behind = ""
    for comment in comments:
        place = next((place for place in (BEFORE, BEHIND) if comment.startswith(place)), "")
        blocks = _blocks(comment[len(place) :]) if place else ""
        if blocks:
            text = text.replace(f"# {comment}\n", "", 1)
            before += blocks if place == BEFORE else ""
            behind += blocks if place == BEHIND else ""
    return before + text + behind


def _blocks(value: str) -> str:
    """Return blocks as they stand in a file; "" for a value that keeps none."""
    blocks = from_json(value)
    if not isinstance(blocks, list) or not all([isinstance(one, str) for one in blocks]):
        return ""
    lines = [line for block in blocks for line in block.split("\n")]
    are_comments = all([line.startswith("#") and "\r" not in line for line in lines])
    return "".join([f"{block}\n\n" for block in blocks]) if are_comments else ""
