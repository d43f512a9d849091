"""The page of corrections: a row a sentence, with its edits set in and coloured by type.

The page is one HTML file that needs no network. Its rows are markup, so that it is read without
JavaScript too; the script filters and counts them.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple
from zlib import crc32

from sejongud import __version__
from sejongud.gec.edits import NO_COMMENT
from sejongud.report.chunks import page
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.gec.edits import Corrections, Edit

LIMIT = 10_000
"""The number of sentences that a page shows by default."""

State = Literal["", "found", "missed", "spurious"]
"""The verdict on an edit of a scored sentence: in both files, in the reference, in the output."""

_ROWS = "\x00"
"""The place of the rows in the template, which holds no such character."""
_HUES = 12
"""The number of colours in report.css."""
_OF_TYPES = {
    "WS": 5, "WO": 9, "SPELL": 1, "SHORTEN": 6, "SHORT": 6, "PUNCT": 10, "NOUN": 0, "VERB": 2,
    "ADJECTIVE": 8, "ADJ": 8, "PARTICLE": 3, "PART": 3, "ENDING": 11, "END": 11, "MODIFIER": 7,
    "MOD": 7, "CONJUGATION": 2, "CONJ": 2, "INSERTION": 4, "INS": 4, "DELETION": 4, "DEL": 4,
}  # fmt: skip
"""The colour of each Korean type; any other type has a colour that follows from its name."""


class EditLine(NamedTuple):
    """The edits of an annotator, with the verdict on each of them."""

    name: str
    """Such as `annotator 0` or `system`."""
    edits: Sequence[tuple[Edit, State]]


class EditRow(NamedTuple):
    """A sentence of the page."""

    name: str
    """Its id, or its number."""
    tokens: Sequence[str]
    lines: Sequence[EditLine]


def rows_of(items: Iterable[Corrections]) -> Iterator[EditRow]:
    """Yield the rows of sentences that are not scored."""
    for number, item in enumerate(items, 1):
        lines = [
            EditLine(f"annotator {annotator}", [(edit, "") for edit in edits])
            for annotator, edits in item.edits.items()
        ]
        yield EditRow(item.sent_id or str(number), item.tokens, lines)


def edit_page(
    rows: Iterable[EditRow],
    *,
    title: str,
    signature: str = "",
    limit: int = LIMIT,
    morphemes: Callable[[str], str] | None = None,
) -> Iterator[str]:
    """Yield the parts of the page, in order, in constant memory.

    Args:
        rows: the sentences.
        title: the title of the page.
        signature: the settings that made the edits.
        limit: the number of sentences that are shown; 0 for all. The page tells how many are not.
        morphemes: returns the morphemes of a text, for the note at an edit; None for no notes.
    """
    printer = PagePrinter(title=title, signature=signature, limit=limit, morphemes=morphemes)
    yield printer.head
    yield from map(printer.row, rows)
    yield printer.end()


class PagePrinter:
    """Makes the parts of the page; see `edit_page`."""

    def __init__(
        self,
        *,
        title: str,
        signature: str = "",
        limit: int = LIMIT,
        morphemes: Callable[[str], str] | None = None,
    ) -> None:
        generator = f"sejongud {__version__}"
        parts = page("edits", title=title, signature=signature, rows=[_ROWS], generator=generator)
        self.head, self._foot = "".join(parts).split(_ROWS)
        self._limit = limit
        self._morphemes = lru_cache(50_000)(morphemes) if morphemes else None
        self._rows = 0

    def row(self, row: EditRow) -> str:
        """Return the markup of a row; "" if there are too many."""
        self._rows += 1
        return "" if 0 < self._limit < self._rows else _row(row, self._morphemes)

    def end(self) -> str:
        """Return the end of the page, with a notice if there are more rows than it shows."""
        if not 0 < self._limit < self._rows:
            return self._foot
        left = counted(self._rows - self._limit, "more sentence[s] [is|are]")
        return f'<p class="notice">{left} not shown: --limit 0 shows all of them.</p>\n{self._foot}'


def _row(row: EditRow, morphemes: Callable[[str], str] | None) -> str:
    lines = "".join(
        [
            f'<p class="edits" data-by="{escape(line.name)}"><span class="by">{escape(line.name)}'
            f"</span> {_line(row.tokens, line.edits, morphemes)}</p>\n"
            for line in row.lines
        ]
    )
    head = f'<article class="pair data" lang="ko">\n<h2>{escape(row.name)}</h2>\n'
    return f"{head}{lines}</article>\n"


def _line(
    tokens: Sequence[str],
    edits: Sequence[tuple[Edit, State]],
    morphemes: Callable[[str], str] | None,
) -> str:
    """Return the markup of a source with edits set in."""
    parts: list[str] = []
    place = 0
    for edit, state in edits:
        parts += map(escape, tokens[place : edit.start])
        parts.append(_edit(tokens, edit, state, morphemes))
        place = max(place, edit.end)
    return " ".join([*parts, *map(escape, tokens[place:])])


def _edit(
    tokens: Sequence[str], edit: Edit, state: State, morphemes: Callable[[str], str] | None
) -> str:
    source = " ".join(tokens[edit.start : edit.end])
    before = f"<del>{escape(source)}</del>" if source else ""
    correction = " ".join(edit.words)
    after = f"<ins>{escape(correction)}</ins>" if correction else ""
    mark = f' data-state="{state}"' if state else ""
    verdict = f"{state}: " if state else ""
    hue = _OF_TYPES.get(edit.type, crc32(edit.type.encode("utf-8", "replace")) % _HUES)
    return (
        f'<span class="edit" data-type="{escape(edit.type)}"{mark} tabindex="0">{before}{after}'
        f'<b class="tag ent-{hue}">{escape(edit.type)}</b>'
        f'<span class="tip" role="tooltip">{verdict}{_note(source, edit, morphemes)}</span></span>'
    )


def _note(source: str, edit: Edit, morphemes: Callable[[str], str] | None) -> str:
    """Return the morphemes of both sides, and the comment of an edit."""
    sides = [text or "∅" for text in (source, " ".join(edit.words))]
    if morphemes:
        sides = [morphemes(text) if text != "∅" else text for text in sides]
    lines = [f"{sides[0]} → {sides[1]}", f"{edit.start}–{edit.end}"]
    if edit.comment not in ("", NO_COMMENT):
        lines.append(edit.comment)
    return "<br>".join(map(escape, lines))
