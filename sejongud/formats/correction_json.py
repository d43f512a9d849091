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
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, Incident, Report
from sejongud.formats.around import from_json, to_json
from sejongud.formats.base import Block, first_lines, is_json
from sejongud.formats.corrections import CorrectionsFormat, tell_empty
from sejongud.formats.json_text import Walk, beginning, load_json
from sejongud.gec.edits import SPACE, Corrections, Edit, Pair, in_order, overlapping, placed
from sejongud.layers.labels import Entity
from sejongud.layers.places import places
from sejongud.morphology.hangul import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.formats.corrections import Fault, Items


_BROKEN, _WRONG = "E511", "E512"
_wrong = partial(FormatError, code=_WRONG)
"""Makes the error of a value of these corpora."""
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
        for number, _ in enumerate(walk.items(self._path), 1):
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


# --- the marks of K-NCT ---------------------------------------------------------------------------

_TAG = re.compile(r"<(/?)(e\d{1,9})>")


def _marked(text: str) -> tuple[str, list[Entity]]:
    """Return a text without its tags, and where each of these stands, by its name.

    Raises:
        FormatError: a tag is not closed, or closes nothing.

    >>> _marked("나는 <e1>갓</e1>다<e2></e2>")
    ('나는 갓다', [Entity(type='e1', begin=3, end=4), Entity(type='e2', begin=5, end=5)])
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
            marks.append(Entity(name, begun.pop(name), length))
        else:
            begun[name] = length
    if begun:
        raise _wrong(f"the tag <{next(iter(begun))}> is not closed")
    text = "".join([*pieces, text[position:]])
    return _without_spaces(text, marks)


def _without_spaces(text: str, marks: list[Entity]) -> tuple[str, list[Entity]]:
    """Return a text with one space between tokens, none at the edges, and the marks in it."""
    normal = " ".join(text.split())
    if normal == text:
        return text, marks
    # Of a run of spaces the first stays, and none in front.
    stays = [not (before + char).isspace() for before, char in zip(f" {text}", text, strict=False)]
    cuts = [min(cut, len(normal)) for cut in accumulate(stays, initial=0)]
    return normal, [Entity(name, cuts[begin], cuts[end]) for name, begin, end in marks]


def _edits(
    source: str, target: str, marks: Sequence[Entity], classes: dict[str, str]
) -> tuple[Edit, ...]:
    """Return the changes of tokens, with the classes of the marks that each of them touches."""
    tokens, target_tokens = source.split(), target.split()
    ends = [end for _, end in char_spans(tokens)]
    edits = []
    for start, end, c_start, c_end in _changes(tokens, target_tokens):
        inserts = start == end
        begin = ends[start - 1] + (not inserts) if start else 0
        stop = begin + 1 if inserts else ends[end - 1]
        types = [
            classes.get(mark.type, _UNKNOWN)
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


_CODE = "E509"
_error = partial(FormatError, code=_CODE)
"""Makes the error of a line of JSON Lines."""
_KEYS = (
    "start", "end", "c_start", "c_end", "type", "correction", "required", "comment",
)  # fmt: skip
"""The keys of an edit that are attributes of it."""
_OURS = ({"source", "targets"}, {"tokens", "edits"})
"""The keys of which an object has one set."""


class GecJson(CorrectionsFormat):
    """JSON Lines of corrections: a sentence a line, as one JSON object.

        id          the id of the sentence; its number if it has none
        source      the text of the source
        targets     the corrected text of each annotator; null if his edits overlap
        annotators  the number of each annotator, in the order of the targets
        tokens      the tokens of the source
        edits       a list of objects; null if source and targets have not been compared:
            annotator       his number
            start, end      the tokens of the source; an insertion stands before the token `start`
            c_start, c_end  the tokens of the target; null if edits overlap
            type            such as SPELL or R:NOUN
            correction      the tokens of the target, joined by one space
            required        REQUIRED in most files
            comment         -NONE- in most files
            chars           begin and end in the source's tokens joined by one space, in code points
        comments    other lines of the sentence

    Every object has every key, so that Hugging Face datasets find one type for each column. The
    reader needs `source` with `targets`, or `tokens` with `edits`; all other keys may be missing.

    >>> import json
    >>> edit = Edit(1, 2, "갔다", "SPELL")
    >>> line = GecJson().sentence(Corrections(("나는", "갓다"), {0: (edit,)}, "a"))
    >>> json.loads(line)["targets"], json.loads(line)["edits"][0]["chars"]
    (['나는 갔다'], [3, 5])
    """

    name = "gec-jsonl"
    by_lines = True

    _written = 0
    """The number of sentences so far."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for a file that begins so; None if it is in another format.

        >>> GecJson.sniff('{"source": "가", "targets": ["나"]}\\n'), GecJson.sniff('{"a": 1}\\n')
        ('', None)
        """
        record = from_json(next(iter(first_lines(head)), ""))
        return "" if isinstance(record, dict) and _is_ours(record) else None

    def parse(self, block: Block, fault: Fault, report: Report) -> Items:
        """Yield the sentence of a line."""
        if not block.text.strip():
            return
        record = load_json(block.text.rstrip("\n"), block.line, _CODE)
        if not isinstance(record, dict) or not _is_ours(record):
            raise _error(
                "the line is not an object with source and targets, or with tokens and edits:"
                f" {beginning(record)}"
            )
        sent_id = record.get("id")
        sent_id = sent_id if isinstance(sent_id, str) else "" if sent_id is None else str(sent_id)
        comments = tuple(_strings(record, "comments"))
        if record.get("edits") is None:
            yield block.line, _pair(record, sent_id, comments)
            return
        item = _corrections(record, sent_id, comments, block.line, fault)
        source = record.get("source")
        if isinstance(source, str) and _letters([source]) != _letters(item.tokens):
            message = "the source and its tokens are not the same text; the tokens count"
            report.add(Incident("W504", message, line=block.line))
        if stated := record.get("targets"):
            _compare(item, stated, block.line, report)
        yield block.line, item

    def sentence(self, item: Corrections | Pair) -> str:
        """Return the line of a sentence."""
        self._written += 1
        value: dict[str, Any] = {"id": item.sent_id or str(self._written)}
        item = (item.given or item) if isinstance(item, Pair) else item
        if isinstance(item, Pair):
            value |= {"source": item.source, "targets": item.targets}
            value |= {"annotators": list(range(len(item.targets)))}
            value |= {"tokens": item.source.split(), "edits": None}
        else:
            spans = char_spans(item.tokens)
            targets = [_target(item, by) for by in item.edits]
            value |= {"source": " ".join(item.tokens), "targets": targets}
            value |= {"annotators": list(item.edits), "tokens": item.tokens}
            value["edits"] = [
                {"annotator": by}
                | {key: getattr(edit, key) for key in _KEYS}
                | {"chars": _chars(edit, spans)}
                for by, edits in item.edits.items()
                for edit in (edits if overlapping(edits) else placed(edits))
            ]
        return to_json({**value, "comments": item.comments}) + "\n"


def char_spans(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the begin and the end of each token in the tokens joined by one space.

    >>> char_spans(("나는", "간다"))
    [(0, 2), (3, 5)]
    """
    return places(" ".join(tokens), tokens)


def _chars(edit: Edit, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the characters of an edit; an insertion stands where its next token begins."""
    if edit.start < edit.end:
        return [spans[edit.start][0], spans[edit.end - 1][1]]
    place = spans[edit.start][0] if edit.start < len(spans) else spans[-1][1] if spans else 0
    return [place, place]


def _target(item: Corrections, annotator: int) -> str | None:
    try:
        return " ".join(item.target(annotator))
    except FormatError:
        return None


def _letters(texts: Sequence[str]) -> str:
    """Return texts without the spaces in and between them."""
    return "".join("".join(texts).replace(SPACE, "").split())


def _is_ours(record: dict[str, Any]) -> bool:
    return any([keys <= record.keys() for keys in _OURS])


def _pair(record: dict[str, Any], sent_id: str, comments: tuple[str, ...]) -> Pair:
    source = record.get("source")
    if not isinstance(source, str):
        raise _error(f"source must be a text, and is {beginning(source)}")
    targets = _strings(record, "targets")
    if not targets:
        raise _error("there is neither a target nor a list of edits")
    return Pair(source, tuple(targets), sent_id, comments)


def _corrections(
    record: dict[str, Any], sent_id: str, comments: tuple[str, ...], line: int, fault: Fault
) -> Corrections:
    """Return the sentence of an object with edits; an edit with a fault is left out."""
    source = record.get("source")
    tokens = _strings(record, "tokens") or (source.split() if isinstance(source, str) else [])
    if not isinstance(record["edits"], list):
        raise _error(f"edits must be a list, and is {beginning(record['edits'])}")
    by = record.get("annotators") or [0]
    if not isinstance(by, list) or not all([_is_count(number) for number in by]):
        raise _error(f"annotators must be a list of numbers from 0, and is {beginning(by)}")
    edits: list[Edit] = []
    for value in record["edits"]:
        try:
            edits.append(_edit(value, len(tokens)))
        except FormatError as error:
            fault(error.at(path="", line=line))
    return Corrections(tuple(tokens), in_order(edits, by), sent_id, comments)


def _edit(value: Any, length: int) -> Edit:
    """Return the edit of an object.

    Raises:
        FormatError: a key is missing or has a value of another kind, or the span is impossible.
    """
    if not isinstance(value, dict):
        raise _error(f"an edit must be an object, and is {beginning(value)}")
    start: Any = value.get("start")
    end: Any = value.get("end")
    annotator: Any = value.get("annotator") or 0
    if not (_is_count(start) and _is_count(end) and _is_count(annotator)):
        raise _error(
            "start, end and annotator of an edit must be numbers from 0, and are"
            f" {beginning(start)}, {beginning(end)} and {beginning(annotator)}"
        )
    if not start <= end <= length:
        raise FormatError(
            f"the edit goes from {start} to {end}; expected: a span inside the sentence, from 0"
            f" to {length}",
            code="E504",
        )
    usual = {"correction": "", **Edit._field_defaults}
    keys = ("correction", "type", "required", "comment")
    texts: dict[str, Any] = {key: value.get(key, usual[key]) for key in keys}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise _error(f"{key} of an edit must be a text, and is {beginning(text)}")
    target = [value.get(key) for key in ("c_start", "c_end")]
    c_start, c_end = target if all(map(_is_count, target)) else (None, None)
    return Edit(start, end, annotator=annotator, c_start=c_start, c_end=c_end, **texts)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9


def _strings(record: dict[str, Any], key: str) -> list[str]:
    """Return the texts of a list.

    Raises:
        FormatError: the value is no list of texts.
    """
    value = record.get(key)
    value = [] if value is None else value
    if not isinstance(value, list) or not all([isinstance(text, str) for text in value]):
        raise _error(f"{key} must be a list of texts, and is {beginning(value)}")
    return value


def _compare(item: Corrections, stated: Any, line: int, report: Report) -> None:
    """Report targets that the edits do not make."""
    if not isinstance(stated, list) or len(stated) != len(item.edits):
        message = (
            f"targets has not a text for each of {len(item.edits)} annotators; the edits count"
        )
        report.add(Incident("W504", message, line=line))
        return
    for text, annotator in zip(stated, item.edits, strict=True):
        target = _target(item, annotator)
        if target is not None and (not isinstance(text, str) or text.split() != target.split()):
            message = f"the edits of annotator {annotator} make another target; the edits count"
            report.add(Incident("W504", message, line=line))
