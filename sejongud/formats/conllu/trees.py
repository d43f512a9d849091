"""Constituents in CoNLL-U Plus: the brackets before and behind each word, in two columns.

    1   웅가로   …   TREE:OPEN  (S (NP-SBJ    TREE:CLOSE  _
    2   가       …              _                         )
    3   나서     …              (VP                       _

The word itself, with its tag, stands between the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.model import NOTHING, Constituent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Sentence

COLUMNS = ("TREE:OPEN", "TREE:CLOSE")


def cells(sentence: Sentence) -> list[list[tuple[str, ...]]]:
    """Return the brackets before and behind each word of a sentence whose words have been cut.

    Raises:
        FormatError: a constituent begins or ends inside a word.
    """
    if not sentence.constituents:
        return []
    # Few files have trees: what reads and writes them is imported for these alone.
    from sejongud.formats.trees import checked_edges

    return [[(_text(one.before), _text(one.behind)) for one in checked_edges(sentence)]]


def give(sentence: Sentence, instances: Sequence[Sequence[tuple[str, ...]]]) -> None:
    """Give a sentence the constituents of its two columns.

    Brackets that cannot be read are told in the notes and stand in a comment.
    """
    rows = instances[0]
    if not any([cell != NOTHING for row in rows for cell in row]):
        return
    from sejongud.formats.labelled import kept, rider
    from sejongud.formats.trees import PLACES, SOURCE, parse_tree
    from sejongud.layers.trees import constituents, is_null, widened, word_ends

    text = " ".join([f"{_cell(before)} (_ _) {_cell(behind)}" for before, behind in rows])
    try:
        tree = parse_tree(text)
        if sum([not is_null(*word) for word in zip(tree.words, tree.tags, strict=True)]) != len(
            rows
        ):
            raise FormatError("the brackets beside the words hold other words", code="E603")
    except FormatError as error:
        note = Note(error.code, f"{error.message}; the tree is kept as a comment")
        sentence.notes = (*sentence.notes, note)
        sentence.comments = (*sentence.comments, rider(SOURCE, text))
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
