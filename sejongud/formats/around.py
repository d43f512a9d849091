"""The comments that bring a file back to the byte.

The keys of a format begin alike, here with `tree`:

    tree_file = utf-16-le bom crlf   encoding, byte order mark, line ends; on the first sentence
    tree_before = "<tei.2>\\n…"       lines of the file above the sentence
    tree_source = "; 엠마누엘 …"        the lines of a sentence that would be written otherwise
    tree_behind = "\\n</tei.2>\\n"     lines of the file behind the sentence, if not one blank line
    sejong_behind = false              the file ends without the end of its last line
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.files.layout import PLAIN, Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.files import Source
    from sejongud.formats.base import Frame

PREFIXES = {
    "sejong": "sejong",
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
    from sejongud.formats.labelled import rider

    return tuple([rider(_key(name, part), lines) for part, lines, same in parts if lines != same])


def with_lines_around(
    comments: Iterable[str], name: str, text: Callable[[str | None], str], usual: str = _BLANK_LINE
) -> str:
    """Return the text of a sentence between the lines of the file, as comments keep them.

    Args:
        comments: of the sentence.
        name: the format of the file.
        text: returns the lines of the sentence from those that a comment keeps, None without one;
            "" if nothing is to be written.
        usual: the lines behind a sentence that has no comment on them.
    """
    from sejongud.formats.labelled import kept

    values = [next(iter(kept(comments, _key(name, part))), None) for part in _PARTS]
    before, source, behind = [value if isinstance(value, str) else None for value in values]
    if not (lines := text(source)):
        return ""
    if values[-1] is False:
        return f"{before or ''}{lines}".removesuffix("\n")
    return f"{before or ''}{lines}{usual if behind is None else behind}"


def without_around(comments: Iterable[str], name: str) -> tuple[str, ...]:
    """Return comments without those that keep lines around a sentence, or the file's layout.

    >>> without_around(['sejong_behind = ""', "sejong_x = 1"], "sejong")
    ('sejong_x = 1',)
    """
    keys = [f"{_key(name, part)} = " for part in (_FILE, *_PARTS)]
    return tuple([comment for comment in comments if not comment.startswith(tuple(keys))])


class Gaps:
    """Counts the lines of a file that are between its sentences, and tells the unusual ones.

    Args:
        name: the format of the file.
        usual: the number of empty lines behind a sentence.
    """

    def __init__(self, name: str, usual: int) -> None:
        self.begin = 1
        """The first line of the sentence that comes next, and of the comments above it."""
        self._blanks: list[int] = []
        """The lines of blanks that no frame tells yet."""
        self._name, self._usual = name, usual
        self._lines = 0

    def watched(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the chunks of the file."""
        for chunk in chunks:
            if " \n" in chunk or "\t\n" in chunk:
                rows = enumerate(chunk.split("\n"), self._lines + 1)
                self._blanks += [line for line, row in rows if row and not row.strip(" \t")]
            self._lines += chunk.count("\n")
            yield chunk

    def before(self, frame: Frame) -> Frame:
        """Return the first frame with the empty lines above it."""
        lines = "\n" * (self.begin - 1)
        return self._with_rider(frame, "before", lines) if lines else frame

    def behind(self, frame: Frame, *, is_last: bool = False) -> Frame:
        """Return a frame with the empty lines behind it, up to `begin` or the end of the file."""
        end = frame.line + frame.text.count("\n")
        count = (self._lines if is_last else self.begin - 1) - end
        if count != self._usual:
            frame = self._with_rider(frame, "behind", "\n" * count if count >= 0 else False)
        if self._blanks:
            message = "the blanks on an empty line are left out"
            last = self._lines + 2 if is_last else self.begin
            notes = [(line, "W108", message) for line in self._blanks if line < last]
            del self._blanks[: len(notes)]
            frame = frame._replace(notes=(*frame.notes, *notes))
        return frame

    def _with_rider(self, frame: Frame, part: str, lines: str | bool) -> Frame:
        from sejongud.formats.labelled import rider

        return frame._replace(comments=(*frame.comments, rider(_key(self._name, part), lines)))


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
    held = fault = None
    try:
        for frame in frames:
            if held is not None:
                yield held
            elif layout != PLAIN:
                frame = frame._replace(comments=(f"{file_key(name)} = {layout}", *frame.comments))
            held = frame
    except FormatError as error:
        fault = error  # It comes behind the incidents of the last sentence.
    if held is not None:
        if different := _different(source, layout):
            message = f"not written back as they are: {different}"
            held = held._replace(notes=(*held.notes, (held.line, _MIXED, message)))
        yield held
    if fault is not None:
        raise fault


def _key(name: str, part: str) -> str:
    return f"{PREFIXES[name]}_{part}"


def _different(source: Source, layout: Layout) -> str:
    """Return how a whole file differs from the layout of its beginning, "" if it does not."""
    if source.has_mixed_line_ends:
        return f"line ends, of which the file has several kinds; all become {layout}"
    return f"the file is {source.layout} behind its beginning" if source.layout != layout else ""
