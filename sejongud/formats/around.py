"""The comments that bring the file of a treebank back to the byte.

The keys of a format begin alike, here with `tree`:

    tree_file = utf-16-le bom crlf   encoding, byte order mark, line ends; on the first sentence
    tree_before = "<tei.2>\\n…"       lines of the file above the sentence
    tree_source = "; 엠마누엘 …"        the lines of a sentence that would be written otherwise
    tree_behind = "\\n</tei.2>\\n"     lines of the file behind the sentence, if not one blank line
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.files.layout import PLAIN, Layout
from sejongud.formats.labelled import kept, rider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.files import Source
    from sejongud.formats.base import Frame

PREFIXES = {
    "treebank": "tree",
    "penn-korean": "penn",
    "klue-dp": "dp",
    "sinica": "sinica",
    "espresso": "espresso",
    "framenet": "frame",
}
"""The formats whose files come back, each with the beginning of its keys."""

_PARTS = ("before", "source", "behind")
_FILE, _BLANK_LINE = "file", "\n"
_MIXED = "W614"


def riders(name: str, before: str, source: str, behind: str) -> tuple[str, ...]:
    """Return the comments that keep the lines of a file around a sentence.

    Args:
        name: the format of the file.
        before: the lines above the sentence.
        source: the lines of the sentence; "" if they are written so in any case.
        behind: the lines behind the sentence.
    """
    usual = ("", "", _BLANK_LINE)
    parts = zip(_PARTS, (before, source, behind), usual, strict=True)
    return tuple([rider(_key(name, part), lines) for part, lines, same in parts if lines != same])


def with_lines_around(comments: Iterable[str], name: str, text: Callable[[str | None], str]) -> str:
    """Return the text of a sentence between the lines of the file, as comments keep them.

    Args:
        comments: of the sentence.
        name: the format of the file.
        text: returns the lines of the sentence from those that a comment keeps, None without one;
            "" if nothing is to be written.
    """
    values = [next(iter(kept(comments, _key(name, part))), None) for part in _PARTS]
    before, source, behind = [value if isinstance(value, str) else None for value in values]
    if not (lines := text(source)):
        return ""
    return f"{before or ''}{lines}{_BLANK_LINE if behind is None else behind}"


def file_key(name: str) -> str:
    """Return the key of the comment that tells the layout of a file of a format."""
    return _key(name, _FILE)


def layout_for(name: str, head: str) -> Layout:
    """Return the layout of a file that is written: that of the file it was made from, if told.

    Args:
        name: the format of the file that is written.
        head: the beginning of the file that is read.
    """
    return Layout.told(head, file_key(name)) if name in PREFIXES else PLAIN


def with_layout(frames: Iterable[Frame], source: Source, name: str) -> Iterator[Frame]:
    """Yield the frames of a file; a comment of the first tells the layout of the file.

    A note of the last tells what cannot be written back as it was.
    """
    source.head()
    layout = source.layout
    held = None
    for frame in frames:
        if held is not None:
            yield held
        elif layout != PLAIN:
            frame = frame._replace(comments=(f"{file_key(name)} = {layout}", *frame.comments))
        held = frame
    if held is not None:
        if different := _different(source, layout):
            message = f"not written back as they are: {different}"
            held = held._replace(notes=(*held.notes, (held.line, _MIXED, message)))
        yield held


def _key(name: str, part: str) -> str:
    return f"{PREFIXES[name]}_{part}"


def _different(source: Source, layout: Layout) -> str:
    """Return how a whole file differs from the layout of its beginning, "" if it does not."""
    if source.has_mixed_line_ends:
        return f"line ends, of which the file has several kinds; all become {layout}"
    return f"the file is {source.layout} behind its beginning" if source.layout != layout else ""
