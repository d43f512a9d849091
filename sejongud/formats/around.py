"""The comments that keep what stands around sentences: the lines of a file, and its metadata.

The keys by which a file comes back to the byte begin alike, here with `tree`:

    tree_file = utf-16-le bom crlf   encoding, byte order mark, line ends; on the first sentence
    tree_before = "<tei.2>\\n…"       lines of the file above the sentence
    tree_source = "; 엠마누엘 …"        the lines of a sentence that would be written otherwise
    tree_behind = "\\n</tei.2>\\n"     lines of the file behind the sentence, if not one blank line
    sejong_behind = false              the file ends without the end of its last line

Metadata are comments as UD's treebanks of documents have them, `# meta::title = …`. A comment of
the first sentence of a document holds each text of the header of a Sejong file, and each value of
the metadata of a NIKL document. Its key is the name of the element or member:

    <title>봄, 전자파일</title>            # meta::title = 봄, 전자파일
    <catRef scheme="SJ21" target="M2132">  # meta::genre = M2132
    "date": "20190101"                     # meta::date = 20190101
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sejongud.errors import FormatError
from sejongud.files.layout import PLAIN, Layout
from sejongud.formats.base import Block, Reader
from sejongud.layers.labels import not_written
from sejongud.memo import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.errors import Note
    from sejongud.files import Source
    from sejongud.model import Sentence


META = "meta::"
"""The beginning of a comment on the document that the sentence begins."""
OPENING = ("newdoc", "newpar", "global.", META)
"""The beginnings of the comments that are written before all others of a sentence."""

M2 = "m2"
_MARK = "restored="
_ROWS = Path(__file__).with_name("formats.tsv").read_text(encoding="utf-8").split("\n")
PREFIXES = {
    row.partition("\t")[0]: row.partition(_MARK)[2].partition("\t")[0]
    for row in _ROWS
    if _MARK in row and row[0] != "#"
}
"""The formats whose files come back, each with the beginning of its keys; read here, since the
register of `sejongud.formats` knows classes that import this module."""

_PARTS = ("before", "source", "behind")
_FILE, _BLANK_LINE = "file", "\n"
_KEYS_OF_LINES = tuple(
    [f"{key}_{part} = " for key in PREFIXES.values() for part in (_FILE, *_PARTS)]
)
"""The beginnings of the comments that keep lines of a file, of any format."""
_HALF = lazy_pattern("[\ud800-\udfff]")


def opening_first(comments: tuple[str, ...]) -> list[str]:
    """Return comments in the order of writing: those that open a document or paragraph first.

    >>> opening_first(("a note", "newdoc id = 1"))
    ['newdoc id = 1', 'a note']
    """
    return sorted(comments, key=lambda comment: not comment.startswith(OPENING))


def to_json(value: object, **style: Any) -> str:
    """Return a value as JSON that a file can hold: halves of surrogate pairs are escaped.

    Args:
        value: the value.
        style: options of `json.dumps`; by default characters beyond ASCII stand as they are.
    """
    import json  # Few conversions need it.

    written = json.dumps(value, **{"ensure_ascii": False, **style})
    return _HALF.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def restore_comment(key: str, value: object) -> str:
    """Return the comment that keeps a value as JSON; `kept` is the inverse."""
    return f"{key} = {to_json(value)}"


def kept(comments: Iterable[str], key: str) -> list[Any]:
    """Return the values that comments keep as JSON, without comments that were changed since.

    Args:
        comments: of a sentence.
        key: of the comments in question.

    >>> kept(["ner_head = \\"## a\\"", "ner_head = ## a", "newdoc"], "ner_head")
    ['## a']
    """
    mark = f"{key} = "
    values = [from_json(c.removeprefix(mark)) for c in comments if c.startswith(mark)]
    return [value for value in values if value is not None]


def kept_lines(comments: Iterable[str], key: str) -> list[str]:
    """Return the texts that comments keep as lines with their ends; see `kept`."""
    return [f"{line}\n" for line in kept(comments, key) if isinstance(line, str)]


def from_json(text: str) -> Any:
    """Return the value of a JSON text, None if it is not JSON."""
    import json

    try:
        return json.loads(text)
    except (RecursionError, ValueError):
        return None


def restore_comments(name: str, before: str, source: str, behind: str) -> tuple[str, ...]:
    """Return the comments that keep the lines of a file around a sentence.

    Args:
        name: the format of the file.
        before: the lines above the sentence.
        source: the lines of the sentence; "" if they are written so in any case.
        behind: the lines behind the sentence.
    """
    usual = ("", "", _BLANK_LINE)
    parts = zip(_PARTS, (before, source, behind), usual, strict=True)
    return tuple(
        [restore_comment(_key(name, part), lines) for part, lines, same in parts if lines != same]
    )


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


def lost_above(sentence: Sentence, *, has_ids: bool = False) -> list[Note]:
    """Return the incident of what a format without comments does not write above a sentence.

    Comments on the lines of a file are none of it, nor is an id that is the number of the sentence.

    Args:
        sentence: the sentence.
        has_ids: whether the format has a place for the id of a sentence.
    """
    others = [comment for comment in sentence.comments if not comment.startswith(_KEYS_OF_LINES)]
    parts = ["comments"] if others else []
    is_numbered = sentence.sent_id in ("", str(sentence.number)) and not any(sentence.ids)
    return not_written([*parts, *([] if has_ids or is_numbered else ["ids"])])


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
        """The lines of blanks that no block tells yet."""
        self._name, self._usual = name, usual
        self._lines = 0

    def watched(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the chunks of the file."""
        for chunk in chunks:
            if " \n" in chunk or "\t\n" in chunk or chunk.endswith((" ", "\t")):
                rows = enumerate(chunk.split("\n"), self._lines + 1)
                self._blanks += [line for line, row in rows if row and not row.strip(" \t")]
            self._lines += chunk.count("\n")
            yield chunk

    def before(self, block: Block) -> Block:
        """Return the first block with the empty lines above it."""
        lines = "\n" * (self.begin - 1)
        return self._with_restore_comment(block, "before", lines) if lines else block

    def behind(self, block: Block, *, is_last: bool = False) -> Block:
        """Return a block with the empty lines behind it, up to `begin` or the end of the file."""
        end = block.line + block.text.count("\n")
        count = (self._lines if is_last else self.begin - 1) - end
        if count != self._usual:
            block = self._with_restore_comment(
                block, "behind", "\n" * count if count >= 0 else False
            )
        if self._blanks:
            message = "the blanks on an empty line are left out"
            last = self._lines + 2 if is_last else self.begin
            notes = [(line, "W108", message) for line in self._blanks if line < last]
            del self._blanks[: len(notes)]
            block = block._replace(notes=(*block.notes, *notes))
        return block

    def _with_restore_comment(self, block: Block, part: str, lines: str | bool) -> Block:
        return block._replace(
            comments=(*block.comments, restore_comment(_key(self._name, part), lines))
        )


def file_key(name: str) -> str:
    """Return the key of the comment that tells the layout of a file of a format."""
    return _key(name, _FILE)


def layout_for(name: str, head: str) -> Layout:
    """Return the layout of a file that is written: that of the file it was made from, if told.

    Args:
        name: the format of the file that is written.
        head: the beginning of the file that is read.
    """
    return Layout.from_comment(head, file_key(name)) if name in PREFIXES else PLAIN


def with_layout(blocks: Iterable[Block], source: Source, name: str) -> Iterator[Block]:
    """Yield the blocks of a file; a comment of the first tells the layout of the file.

    A note of the last tells what cannot be written back as it was.
    """
    source.head()
    layout = source.layout
    held = fault = None
    try:
        for block in blocks:
            if held is not None:
                yield held
            elif layout != PLAIN:
                block = block._replace(comments=(f"{file_key(name)} = {layout}", *block.comments))
            held = block
    except FormatError as error:
        fault = error  # It comes behind the incidents of the last sentence.
    if held is not None:
        if different := _different(source, layout):
            message = f"not written back as they are: {different}"
            held = held._replace(notes=(*held.notes, (held.line, "W614", message)))
        yield held
    if fault is not None:
        raise fault


class RestoredReader(Reader):
    """Reads files whose layout comments keep."""

    restored: ClassVar[str] = ""
    """The name of the format, one of `PREFIXES`; "" for files that no writer makes again."""

    def blocks_of(self, source: Source) -> Iterator[Block]:
        """Yield the unparsed sentences of a file; see `with_layout`."""
        blocks = super().blocks_of(source)
        return with_layout(blocks, source, self.restored) if self.restored else blocks


def _key(name: str, part: str) -> str:
    return f"{PREFIXES[name]}_{part}"


def _different(source: Source, layout: Layout) -> str:
    """Return how a whole file differs from the layout of its beginning, "" if it does not."""
    if source.has_mixed_line_ends:
        return f"line ends, of which the file has several kinds; all become {layout}"
    return f"the file is {source.layout} behind its beginning" if source.layout != layout else ""


_TAG = lazy_pattern(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*)(?P<attributes>[^<>]*)>")
_TARGET = lazy_pattern(r"""\btarget\s*=\s*(["']?)(?P<value>[^"'\s]+)\1""")
_MOST, _LONGEST = 200, 20_000
"""Comments and characters of a header; a header that is not closed must not take the memory."""
_DEEPEST = 50


def meta(key: str, value: str) -> str:
    r"""Return a comment without its `# `, in one line.

    >>> meta("title", "봄\n 전자파일 ")
    'meta::title = 봄 전자파일'
    """
    return f"{META}{''.join(key.split())} = {' '.join(value.split())}"


class HeaderText:
    """Take the lines of a header of pseudo-SGML, in which elements may be left open."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._count = self._size = 0

    def take(self, content: str) -> list[str]:
        """Return the comments for the values in a line.

        Args:
            content: the line, without an id.

        >>> header = HeaderText()
        >>> header.take("<sourceDesc><p>지어낸 글</p>"), header.take("<publisher>봄")
        (['meta::sourceDesc = 지어낸 글'], ['meta::publisher = 봄'])
        """
        comments = []
        position = 0
        for tag in _TAG.finditer(content):
            comments += self._text(content[position : tag.start()])
            comments += self._tag(tag)
            position = tag.end()
        comments += self._text(content[position:])
        room = max(0, _MOST - self._count)
        self._count += len(comments)
        self._size += sum(map(len, comments))
        return comments[:room] if self._size <= _LONGEST else []

    @property
    def is_cut(self) -> bool:
        """Whether there were more values than are taken."""
        return self._count > _MOST or self._size > _LONGEST

    def _text(self, text: str) -> list[str]:
        if not text.strip():
            return []
        # A paragraph has no name of its own.
        names = [name for name in self._open if name.lower() != "p"]
        return [meta(names[-1] if names else "header", text)]

    def _tag(self, tag: re.Match[str]) -> list[str]:
        name = tag["name"]
        if tag["close"]:
            while name in self._open and self._open.pop() != name:
                pass
            return []
        # An element is not inside one of its name: the former was left open.
        while name in self._open:
            self._open.pop()
        if len(self._open) < _DEEPEST:
            self._open.append(name)
        attributes = tag["attributes"].rstrip("/")
        if not attributes.strip():
            return []
        if name.lower() == "catref" and (target := _TARGET.search(attributes)):
            return [meta("genre", target["value"])]
        return [meta(name, attributes)]


def member_comments(value: Any, key: str = "") -> Iterator[str]:
    """Yield the comments for the metadata of a JSON document.

    Args:
        value: an object; members that are objects give keys with dots.
        key: the key of the value; "" for the whole.

    >>> list(member_comments({"title": "봄", "author": None, "topic": ["꽃", "비"], "a": {"b": 1}}))
    ['meta::title = 봄', 'meta::topic = 꽃; 비', 'meta::a.b = 1']
    """
    if isinstance(value, dict):
        for name, member in value.items():
            yield from member_comments(member, f"{key}.{name}" if key else name)
    elif isinstance(value, list) and any([isinstance(member, dict | list) for member in value]):
        for number, member in enumerate(value, 1):
            yield from member_comments(member, f"{key}.{number}")
    else:
        shown = "; ".join(map(str, value)) if isinstance(value, list) else value
        if shown not in (None, ""):
            yield meta(key, str(shown))
