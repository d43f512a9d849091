"""What a sentence has beside its text, morphemes and entities that another format cannot hold.

CoNLL-U keeps everything; the formats of entities keep ids, and objects of JSON their other members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.formats.labelled import from_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence

_OWN = "ner_"
_MEMBERS = "ner_record"
_OF_FORMAT = ("ner_head", "ner_items", "ner_own")
_KNOWN = frozenset(
    (
        *("id", "guid", "sent_id", "text", "raw", "form", "tokens", "sentences", "data"),
        *("label", "labels", "entities", "annotations", "predictions", "ner_tags", "NE"),
        *("morp", "word", "upos", "xpos", "spans"),
    )
)
"""The members that hold the id, the text, its tokens and its entities."""


def left_behind(
    sentence: Sentence, comments: Iterable[str], layout: LabelFormat, made_from: str
) -> Iterator[str]:
    """Yield the names of what a format does not write of a sentence: ids, comments, dependencies.

    Args:
        sentence: with its id and arcs.
        comments: of the sentence, without those that the way back reads (`riders`).
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
    if not key.startswith(_OWN):
        return True
    if same or (key == _MEMBERS and layout.has_members):
        return False
    if key not in (_MEMBERS, *_OF_FORMAT):
        return False
    said = from_json(value)
    if isinstance(said, dict):
        return any([member and name not in _KNOWN for name, member in said.items()])
    # KMOU keeps the rows of its morphemes under the same key.
    return bool(said) and key != _MEMBERS
