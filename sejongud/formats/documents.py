"""Corpora of corrections that are one JSON value: NIKL spelling correction, and K-NCT.

    {"id": …, "document": [{"id": …, "paragraph": [
        {"id": …, "form": …, "original_form": "나는 갓다", "corrected_form": "나는 갔다"}, …]}]}

    {"schema": …, "data": [{"index": 1, "error_sentence": "나는 <e1>갓다</e1>",
        "correct_sentence": "나는 갔다", "error_type": {"e1": "consonant_vowel_conversion"}}, …]}

The NIKL corpus (맞춤법 교정) has a list `paragraph` of texts from the web, and `utterance` of
messages. K-NCT marks each error of its source with a tag; an element without text is an omission.
Files are read value by value, in constant memory.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError, Incident
from sejongud.formats.corrections import CorrectionsFormat, tell_empty
from sejongud.formats.json_text import Walk, beginning, load_json
from sejongud.formats.labelled import Block
from sejongud.formats.sniffing import is_json
from sejongud.gec.edits import Corrections, Edit, Pair
from sejongud.morphology.kiwi import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.errors import Report
    from sejongud.formats.corrections import Fault

_BROKEN, _WRONG = "E511", "E512"
_HUMAN = 1
"""The annotator of the classes that K-NCT states."""
_UNKNOWN = "UNK"
"""The type of a change that K-NCT marks with no class."""
_LONGEST = 2_000
"""The most tokens of sentences that are compared; of longer ones all is one change."""


class Documents(CorrectionsFormat):
    """Reads a file that is one JSON object, whose sentences are objects in lists."""

    written = False
    cut_anywhere = True
    _key = ""
    """A key of every sentence."""
    _path: tuple[str, ...]
    """The keys that lead to the lists of sentences, see `Walk.items`."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for a file that begins so; None if it is in another format."""
        return "" if is_json(head) and f'"{cls._key}"' in head else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences, each as the text of its object.

        Raises:
            FormatError: the file is no JSON, or has other lists.
        """
        walk = Walk(chunks, _BROKEN)
        if walk.peek() != "{":
            raise walk.error(f"a file of {self.name} is one JSON object, which begins with {{")
        number = 0
        for _ in walk.items(self._path):
            number += 1
            walk.peek()
            line = walk.line
            yield Block(walk.take(), line, number)
        if walk.peek():
            raise walk.error("something stands behind the end of the corpus")
        if not number:
            raise walk.error(f"the file has no sentences, whose objects have a key {self._key}")

    def parse(self, block: Block, fault: Fault, report: Report) -> Iterator[tuple[int, Pair]]:
        """Yield the pair of an object; none if it has no correction."""
        record = load_json(block.text, block.line, _WRONG)
        if not isinstance(record, dict) or record.get(self._key) is None:
            shown = beginning(record)
            message = f"a text without {self._key} is left out: {shown}"
            report.add(Incident("W511", message, line=block.line))
            return
        pair = self.pair(record)
        if any([pair.source.strip(), *map(str.strip, pair.targets)]):
            yield block.line, pair
        else:
            tell_empty(report, block.line, sent_id=pair.sent_id)

    @abstractmethod
    def pair(self, record: dict[str, Any]) -> Pair:
        """Return the pair of an object.

        Raises:
            FormatError: a value is missing, or of the wrong type.
        """


class Nikl(Documents):
    """Reads the NIKL corpus of spelling correction.

    >>> Nikl().pair({"id": "a.1", "form": "갓다", "corrected_form": "갔다"})[:3]
    ('갓다', ('갔다',), 'a.1')
    """

    name = "nikl"
    _key = "corrected_form"
    _path = ("document", "paragraph|utterance")

    def pair(self, record: dict[str, Any]) -> Pair:
        """Return the pair of a paragraph or an utterance."""
        source = record.get("original_form")
        key = "form" if source is None else "original_form"
        texts = _string(record, key), _string(record, self._key)
        return Pair(texts[0], (texts[1],), _id(record.get("id")))


class Knct(Documents):
    """Reads K-NCT; `given` has its classes of errors as annotator 1.

    >>> pair = Knct().pair({"index": 3, "error_sentence": "나는 <e1>갓다</e1>",
    ...     "correct_sentence": "나는 갔다 .", "error_type": {"e1": "spelling"}})
    >>> pair[:3], [edit[:4] for edit in pair.given.edits[1]]
    (('나는 갓다', ('나는 갔다 .',), '3'), [(1, 2, '갔다 .', 'spelling')])
    """

    name = "knct"
    _key = "error_sentence"
    _path = ("data",)

    def pair(self, record: dict[str, Any]) -> Pair:
        """Return the pair of a sentence with the edits that its tags state."""
        source, marks = _marked(_string(record, self._key))
        target = _string(record, "correct_sentence")
        classes = record.get("error_type") or {}
        if not isinstance(classes, dict) or not all(isinstance(c, str) for c in classes.values()):
            raise _wrong(f"error_type must have a class for each tag, and is {beginning(classes)}")
        tokens = tuple(source.split())
        edits = _edits(source, target, marks, classes)
        sent_id = _id(record.get("index"))
        return Pair(source, (target,), sent_id, given=Corrections(tokens, {_HUMAN: edits}, sent_id))


def _string(record: dict[str, Any], key: str) -> str:
    """Return a text; its line ends and tabs are spaces."""
    value = record.get(key)
    if not isinstance(value, str):
        problem = "is missing" if value is None else f"is {beginning(value)}"
        raise _wrong(f"{key} must be a text, and {problem}")
    return " ".join(without_surrogates(value).split())


def _id(value: Any) -> str:
    """Return an id as text without spaces; "" if there is none."""
    return "".join(without_surrogates(str(value)).split()) if isinstance(value, str | int) else ""


def _wrong(message: str) -> FormatError:
    return FormatError(message, code=_WRONG)


# --- the marks of K-NCT ---------------------------------------------------------------------------

_TAG = re.compile(r"<(/?)(e\d{1,9})>")


class _Mark(NamedTuple):
    """An element around an error."""

    name: str
    begin: int
    end: int
    """In characters of the text without tags."""


def _marked(text: str) -> tuple[str, list[_Mark]]:
    """Return a text without its tags, and where these stand.

    Raises:
        FormatError: a tag is not closed, or closes nothing.

    >>> _marked("나는 <e1>갓</e1>다<e2></e2>")
    ('나는 갓다', [_Mark(name='e1', begin=3, end=4), _Mark(name='e2', begin=5, end=5)])
    """
    pieces, marks = [], []
    begun: dict[str, int] = {}
    position = length = 0
    for tag in _TAG.finditer(text):
        pieces.append(text[position : tag.start()])
        position = tag.end()
        length += len(pieces[-1])
        closes, name = tag.groups()
        if bool(closes) != (name in begun):
            raise _wrong(f"the tag {tag[0]} {'closes nothing' if closes else 'stands twice'}")
        if closes:
            marks.append(_Mark(name, begun.pop(name), length))
        else:
            begun[name] = length
    if begun:
        raise _wrong(f"the tag <{next(iter(begun))}> is not closed")
    text = "".join([*pieces, text[position:]])
    return _without_spaces(text, marks)


def _without_spaces(text: str, marks: list[_Mark]) -> tuple[str, list[_Mark]]:
    """Return a text with one space between tokens, none at the edges, and the marks in it."""
    normal = " ".join(text.split())
    if normal == text:
        return text, marks
    # Where each character of the text, and its end, stand in what is kept.
    places = []
    before = 0
    for i, char in enumerate(text):
        places.append(min(before, len(normal)))
        space = char.isspace()
        before += not space or (before > 0 and not text[i - 1].isspace())
    places.append(len(normal))
    return normal, [_Mark(mark.name, places[mark.begin], places[mark.end]) for mark in marks]


def _edits(
    source: str, target: str, marks: Sequence[_Mark], classes: dict[str, str]
) -> tuple[Edit, ...]:
    """Return the changes of tokens, with the classes of the marks that each of them touches."""
    tokens, target_tokens = source.split(), target.split()
    ends = []
    length = 0
    for token in tokens:
        length += len(token) + 1
        ends.append(length - 1)
    edits = []
    for start, end, c_start, c_end in _changes(tokens, target_tokens):
        inserts = start == end
        begin = ends[start - 1] + (not inserts) if start else 0
        stop = begin + 1 if inserts else ends[end - 1]
        types = [
            classes.get(mark.name, _UNKNOWN)
            for mark in marks
            if mark.begin <= stop and begin <= mark.end
        ]
        kind = "+".join(dict.fromkeys(types)) or _UNKNOWN
        correction = " ".join(target_tokens[c_start:c_end])
        edits.append(Edit(start, end, correction, kind, _HUMAN, c_start=c_start, c_end=c_end))
    return tuple(edits)


def _changes(tokens: list[str], target_tokens: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the stretches of tokens that differ."""
    if max(len(tokens), len(target_tokens)) > _LONGEST:
        if tokens != target_tokens:
            yield 0, len(tokens), 0, len(target_tokens)
        return
    matcher = SequenceMatcher(None, tokens, target_tokens, autojunk=False)
    for operation, *span in matcher.get_opcodes():
        if operation != "equal":
            yield tuple(span)  # type: ignore[misc]
