"""Metadata of a corpus as comments: `# meta::title = …`, as UD's treebanks of documents have them.

A comment of the first sentence of a document holds each text of the header of a Sejong file, and
each value of the metadata of a NIKL document. Its key is the name of the element or member:

    <title>봄, 전자파일</title>            # meta::title = 봄, 전자파일
    <catRef scheme="SJ21" target="M2132">  # meta::genre = M2132
    "date": "20190101"                     # meta::date = 20190101
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sejongud.formats.base import META

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*)(?P<attributes>[^<>]*)>")
_TARGET = re.compile(r"""\btarget\s*=\s*(["']?)(?P<value>[^"'\s]+)\1""")
_GENRE = "catref"
_PARAGRAPH = "p"
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
        names = [name for name in self._open if name.lower() != _PARAGRAPH]
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
        if name.lower() == _GENRE and (target := _TARGET.search(attributes)):
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
