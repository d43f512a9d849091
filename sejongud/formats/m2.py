r"""M2: a line for the source, a line for each edit, and a blank line.

    S 한국어수업할때 너무 자고 싶었다
    A 0 1|||WS|||한국어 수업할 때|||REQUIRED|||-NONE-|||0
    A 4 4|||INSERTION|||.|||REQUIRED|||-NONE-|||0

The fields of an edit are its span in tokens, its type, its correction, whether it is required, a
comment and the annotator. An annotator without edits has a line `A -1 -1|||noop|||…`, whose
correction is empty in KAGAS's files and `-NONE-` in ERRANT's: that is the setting. ChERRANT's lines
of targets (`T0-A0 …`), lines of ids (`I …`) and headings (`# …`) are kept.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Incident, OnError, Report
from sejongud.files import Source
from sejongud.files.layout import with_lf
from sejongud.formats.around import kept, restore_comment
from sejongud.formats.base import MAX_SENTENCE, Block, first_lines, mostly, to_number, too_long
from sejongud.formats.corrections import CorrectionsFormat, handlers
from sejongud.gec.edits import Corrections, Edit, Pair, in_order
from sejongud.terminal import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.formats.corrections import Fault, Items


KEPT = "m2_block"
"""The key of the comment with the lines of a sentence that would not come back otherwise."""
_FIELDS = 6
_BAR = "|||"
_NOOPS = {"kagas": "", "errant": "-NONE-"}
"""The setting → the correction in the line of an annotator without edits."""
_SOURCE, _EDIT = "S", "A"
_OTHER = re.compile(r"#|I(?: |$)|T\d+(?:-A\d+)?(?: |$)")
"""The beginnings of the lines that are kept as they are."""
_NOOP = re.compile(r"A -1 -1\|\|\|[^|]*\|\|\|(.*?)\|\|\|")
_LINE = re.compile(r"S(?: |$)|A -?\d+ -?\d+\|\|\|")
_STRICT, _ = handlers("", "stop", Report())
"""Raises every fault."""


class M2(CorrectionsFormat):
    """Reads and writes M2.

    Args:
        settings: the line of an annotator without edits, `kagas` or `errant`.

    >>> from sejongud.errors import Report
    >>> block = Block("S 나는 갓다\\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\\n\\n", 1, 1)
    >>> [(line, found)] = M2().parse(block, print, Report())
    >>> found.edits[0][0].correction, found.target(), M2().sentence(found) == block.text
    ('갔다', ('나는', '갔다'), True)
    """

    name = "m2"
    choices = (_NOOPS,)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format.

        >>> M2.sniff("S a\\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\\n\\n"), M2.sniff("S a")
        ('errant', None)
        """
        lines = [line for line in first_lines(head) if not _OTHER.match(line)]
        has_edit = any([line.startswith("A ") and _BAR in line for line in lines])
        if not has_edit or not mostly([_LINE.match(line) is not None for line in lines]):
            return None
        noop = _NOOP.search(head)
        return "errant" if noop and noop[1] == _NOOPS["errant"] else "kagas"

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file; headings that stand alone belong to the block behind them."""
        before: Block | None = None
        for block in super().blocks(chunks):
            whole = before._replace(text=before.text + block.text) if before else block
            lines = block.text.split("\n")
            before = whole if all([not line or _OTHER.match(line) for line in lines]) else None
            if before is None:
                yield whole
            elif len(before.text) > MAX_SENTENCE:
                raise too_long(before.line)
        if before and before.text.strip():
            yield before

    def parse(self, block: Block, fault: Fault, report: Report) -> Items:
        """Yield the sentences of a block: one, or more if the blank lines between are missing."""
        offset = 0
        for number, lines in enumerate(_sentences(block.text.split("\n"))):
            line = block.line + offset
            offset += len(lines)
            if number and lines:
                message = "no blank line stands before the sentence, which is read all the same"
                report.add(Incident("W501", message, line=line))
            corrections = self._sentence(lines, line, fault)
            if corrections is not None:
                source_line = [text[:2].rstrip() for text in lines].index(_SOURCE)
                yield line + source_line, corrections

    def _sentence(self, lines: Sequence[str], first: int, fault: Fault) -> Corrections | None:
        """Return the sentence of lines; None if they hold no S line."""
        tokens: tuple[str, ...] | None = None
        edits: list[Edit] = []
        for number, line in enumerate(lines, first):
            try:
                if line[:2].rstrip() == _SOURCE:
                    tokens = tuple(line[2:].split())
                elif line[:2] == "A ":
                    if tokens is None:
                        raise _error("E502", "an edit stands before its sentence", "a line S first")
                    edits.append(read_edit(line, len(tokens)))
                elif line.strip() and not _OTHER.match(line):
                    raise _error("E501", "this is not a line of M2", "S, A, T0-A0, I or # first")
            except FormatError as error:
                error.line, error.text = number, line
                fault(error)
        if tokens is None:
            if lines and all([not line or _OTHER.match(line) for line in lines]):
                message = "no sentence follows these lines"
                fault(FormatError(message, line=first, text=lines[0], code="E106"))
            return None
        corrections = Corrections(tokens, in_order(edits))
        stated = "\n".join(lines).removesuffix("\n").split("\n")
        if not stated[-1] and stated[-2].strip():
            del stated[-1]  # The usual blank line.
        # Other formats do not know the setting: its lines ride along unless it is the usual one.
        usual = [self.lines(corrections), M2().lines(corrections)]
        if usual != [stated, stated] or not _is_plain(tokens):
            corrections = corrections._replace(comments=(restore_comment(KEPT, stated),))
        return corrections

    def sentence(self, item: Corrections | Pair) -> str:
        """Return the lines of a sentence, and a blank line.

        Raises:
            FormatError: a token or a field holds `|||`, a token holds a space, or a field a line
                end.
            UsageError: source and targets have not been compared.
        """
        corrections = self.edited(item)
        stated = _stated(corrections)
        if _says(stated, corrections):
            # Unusual blank lines are kept.
            return "\n".join([*stated, *[""] * (1 + bool(stated[-1].strip()))])
        if not _is_plain(corrections.tokens):
            raise _error(
                "E506",
                "a token is empty or holds a space or |||",
                "tokens without them, or another format: jsonl",
            )
        above = [line for line in stated if line.startswith("#")]
        below = [line for line in stated if line.startswith("I")]
        source, *edits = self.lines(corrections)
        return "\n".join([*above, source, *below, *edits, "", ""])

    def lines(self, corrections: Corrections) -> list[str]:
        """Return the usual lines of a sentence."""
        lines = [" ".join([_SOURCE, *corrections.tokens])]
        for annotator, edits in corrections.edits.items():
            lines += map(edit_line, edits)
            if not edits:
                lines.append(noop_line(annotator, self.settings))
        return lines


def read_m2(
    path_or_text: str | os.PathLike[str],
    *,
    on_error: OnError = "stop",
    report: Report | None = None,
) -> Iterator[Corrections]:
    """Iterate over the sentences of M2, in constant memory.

    Args:
        path_or_text: the file, compressed or not, `-` for standard input; or M2 itself, which has a
            line end, as no name of a file has here.
        on_error: "stop" at the first faulty line; "skip" and "keep" leave it out.
        report: receives an incident for everything that was left out or is odd.

    Raises:
        FormatError: the first faulty line, with "stop".
        OSError: the file cannot be read.

    >>> [found] = read_m2("S 나는 갓다\\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\\n")
    >>> found.tokens, found.edits[0][0][:4], found.target()
    (('나는', '갓다'), (1, 2, '갔다', 'SPELL'), ('나는', '갔다'))
    """
    layout, report = M2(), report or Report()
    if isinstance(path_or_text, str) and "\n" in path_or_text:
        fault, report = handlers("-", on_error, report)
        lines = [with_lf(path_or_text).removesuffix("\n") + "\n"]
        items = layout.of_chunks(lines, "-", report, fault)
        yield from (layout.edited(item) for _, item in items)
        return
    with Source(path_or_text) as source:
        items = layout.numbered(source, on_error, report)
        yield from (layout.edited(item) for _, item in items)


def _sentences(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the lines of each sentence; lines before an S line belong to it if it is the first."""
    starts = [i for i, line in enumerate(lines) if line[:2].rstrip() == _SOURCE]
    borders = [0, *starts[1:], len(lines)]
    for begin, end in pairwise(borders):
        yield lines[begin:end]


def in_file_order(corrections: Corrections) -> dict[int, list[Edit]]:
    """Return the edits of each annotator in the order of their lines in an M2 file."""
    edits = {by: list(some) for by, some in corrections.edits.items()}
    stated = _stated(corrections)
    if _says(stated, corrections):
        lines = [line for line in stated if line[:2] == "A "]
        order = [_bare(read_edit(line, len(corrections.tokens))) for line in lines]
        for some in edits.values():
            some.sort(key=lambda edit: order.index(_bare(edit)))
    return edits


def _stated(corrections: Corrections) -> list[str]:
    """Return the lines of M2 that a comment keeps, [] if none does, or if somebody changed it."""
    for stated in kept(corrections.comments, KEPT):
        if isinstance(stated, list) and all(
            isinstance(one, str) and "\n" not in one for one in stated
        ):
            return stated
    return []


def _says(stated: list[str], corrections: Corrections) -> bool:
    """Test whether lines have the tokens and the edits of a sentence."""
    try:
        read_back = M2()._sentence(stated, 1, _STRICT)
    except FormatError:
        return False
    same = {by: tuple(map(_bare, edits)) for by, edits in corrections.edits.items()}
    return read_back is not None and read_back[:2] == (corrections.tokens, same)


def _is_plain(tokens: Sequence[str]) -> bool:
    """Test whether tokens can stand in a line S."""
    return all([token.split() == [token] and _BAR not in token for token in tokens])


def _bare(edit: Edit) -> Edit:
    """Return an edit as M2 has it, without its place in the target."""
    return edit._replace(c_start=None, c_end=None)


def read_edit(line: str, length: int) -> Edit:
    """Return the edit of a line; its start is -1 if the annotator has no edits.

    Args:
        line: `A start end|||type|||correction|||required|||comment|||annotator`.
        length: the number of tokens of the sentence.

    Raises:
        FormatError: the line has a fault.

    >>> read_edit("A 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0", 2)[:4]
    (1, 2, '갔다', 'SPELL')
    """
    fields = line.removeprefix("A ").split(_BAR)
    if len(fields) != _FIELDS:
        message = f"the edit has {counted(len(fields), 'field[s]')}, and {_FIELDS} are expected"
        expected = "A start end|||type|||correction|||required|||comment|||annotator"
        raise _error("E503", message, expected)
    span, of_type, correction, required, comment, by = fields
    start, end = _span(span)
    annotator = to_number(by)
    if annotator is None:
        raise _error("E503", f"the annotator is {by!r:.40}", "a number from 0")
    if (start, end) != (-1, -1) and not 0 <= start <= end <= length:
        raise _error(
            "E504",
            f"the edit goes from {start} to {end}",
            f"a span inside the sentence, from 0 to {length}, or -1 -1",
        )
    return Edit(start, end, correction, of_type, annotator, required, comment)


def _span(text: str) -> tuple[int, int]:
    cells = text.split()
    numbers = [-1 if cell == "-1" else to_number(cell) for cell in cells]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        raise _error("E503", f"the span of the edit is {text!r:.40}", "two numbers, as in A 0 1|||")
    return numbers[0], numbers[1]


def edit_line(edit: Edit) -> str:
    """Return the line of an edit.

    Raises:
        FormatError: a field holds `|||` or a line end.

    >>> edit_line(Edit(0, 1, "", "DELETION"))
    'A 0 1|||DELETION||||||REQUIRED|||-NONE-|||0'
    """
    fields = (edit.type, edit.correction, edit.required, edit.comment)
    line = edit.to_m2()
    if "\n" in line or line.split(_BAR)[1:-1] != [*fields]:
        raise _error("E506", "a field of an edit holds ||| or a line end", "another format: jsonl")
    return line


def noop_line(annotator: int, style: str = "kagas") -> str:
    """Return the line of an annotator without edits.

    Args:
        annotator: his number.
        style: `kagas` or `errant`.

    >>> noop_line(0)
    'A -1 -1|||noop||||||REQUIRED|||-NONE-|||0'
    """
    return edit_line(Edit(-1, -1, _NOOPS[style], "noop", annotator))


def _error(code: str, message: str, expected: str) -> FormatError:
    return FormatError(f"{message}; expected: {expected}", code=code)
