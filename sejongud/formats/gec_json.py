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

Every object has every key, so that Hugging Face datasets find one type for each column. The reader
needs `source` with `targets`, or `tokens` with `edits`; all other keys may be missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, Incident
from sejongud.formats.corrections import CorrectionsFormat
from sejongud.formats.json_text import beginning, load_json
from sejongud.formats.labelled import from_json, to_json
from sejongud.formats.sniffing import first_lines
from sejongud.gec.edits import (
    NO_COMMENT,
    REQUIRED,
    SPACE,
    Corrections,
    Edit,
    Pair,
    overlapping,
    placed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.errors import Report
    from sejongud.formats.corrections import Fault
    from sejongud.formats.labelled import Block
    from sejongud.rules import Rules

_CODE = "E509"
_KEYS = (
    "start", "end", "c_start", "c_end", "type", "correction", "required", "comment",
)  # fmt: skip
"""The keys of an edit that are attributes of it."""
_OURS = ({"source", "targets"}, {"tokens", "edits"})
"""The keys of which an object has one set."""


class GecJson(CorrectionsFormat):
    """Reads and writes JSON Lines of corrections.

    >>> import json
    >>> edit = Edit(1, 2, "갔다", "SPELL")
    >>> line = GecJson().sentence(Corrections(("나는", "갓다"), {0: (edit,)}, "a"))
    >>> json.loads(line)["targets"], json.loads(line)["edits"][0]["chars"]
    (['나는 갔다'], [3, 5])
    """

    name = "gec-jsonl"
    by_lines = True

    def __init__(self, settings: str = "", rules: Rules | None = None) -> None:
        super().__init__(settings, rules)
        self._written = 0

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for a file that begins so; None if it is in another format.

        >>> GecJson.sniff('{"source": "가", "targets": ["나"]}\\n'), GecJson.sniff('{"a": 1}\\n')
        ('', None)
        """
        record = from_json(next(iter(first_lines(head)), ""))
        return "" if isinstance(record, dict) and _is_ours(record) else None

    def parse(
        self, block: Block, fault: Fault, report: Report
    ) -> Iterator[tuple[int, Corrections | Pair]]:
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
        sent_id = item.sent_id or str(self._written)
        item = (item.given or item) if isinstance(item, Pair) else item
        value: dict[str, Any]
        if isinstance(item, Pair):
            value = {
                "id": sent_id,
                "source": item.source,
                "targets": item.targets,
                "annotators": list(range(len(item.targets))),
                "tokens": item.source.split(),
                "edits": None,
            }
        else:
            spans = char_spans(item.tokens)
            value = {
                "id": sent_id,
                "source": " ".join(item.tokens),
                "targets": [_target(item, by) for by in item.edits],
                "annotators": list(item.edits),
                "tokens": item.tokens,
                "edits": [
                    {"annotator": by}
                    | {key: getattr(edit, key) for key in _KEYS}
                    | {"chars": _chars(edit, spans)}
                    for by, edits in item.edits.items()
                    for edit in (edits if overlapping(edits) else placed(edits))
                ],
            }
        return to_json({**value, "comments": item.comments}) + "\n"


def char_spans(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the begin and the end of each token in the tokens joined by one space.

    >>> char_spans(("나는", "간다"))
    [(0, 2), (3, 5)]
    """
    spans = []
    begin = 0
    for token in tokens:
        spans.append((begin, begin + len(token)))
        begin += len(token) + 1
    return spans


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
    edits: dict[int, list[Edit]] = {annotator: [] for annotator in by}
    for value in record["edits"]:
        try:
            edit = _edit(value, len(tokens))
        except FormatError as error:
            fault(error.at(path="", line=line))
            continue
        edits.setdefault(edit.annotator, []).append(edit)
    ordered = {
        annotator: tuple(sorted(some, key=lambda edit: edit[:2]))
        for annotator, some in edits.items()
    }
    return Corrections(tuple(tokens), ordered, sent_id, comments)


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
    usual = {"correction": "", "type": "", "required": REQUIRED, "comment": NO_COMMENT}
    texts = {key: value.get(key, default) for key, default in usual.items()}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise _error(f"{key} of an edit must be a text, and is {beginning(text)}")
    target = [value.get(key) for key in ("c_start", "c_end")]
    has_target = all(map(_is_count, target))
    return Edit(
        start, end, texts["correction"], texts["type"], annotator, texts["required"],
        texts["comment"], *(target if has_target else (None, None)),
    )  # fmt: skip


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


def _error(message: str) -> FormatError:
    return FormatError(message, code=_CODE)
