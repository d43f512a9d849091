"""Helpers with which a format recognises a file by its first lines.

The class that reads a format has a class method `sniff(head)`. It returns None for a file in
another format, and otherwise the settings of the file: "" for a format that has no settings.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sejongud.memo import lazy_pattern
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = 200
_JSON = lazy_pattern(r"\s*[\[{]\s*(?:[\[\]{}\"]|$)", re.MULTILINE)


@lru_cache(maxsize=1)
def first_lines(head: str) -> Sequence[str]:
    """Return the lines that decide what a text is: the first 200 without the blank ones."""
    return tuple([line for line in head.split("\n", _LINES)[:_LINES] if line.strip()])


def whole_lines(head: str) -> list[str]:
    """Return the lines of the beginning of a file that are whole and not blank."""
    return [line for line in head.split("\n")[:-1] if line.strip()]


def data_rows(head: str) -> list[str]:
    r"""Return the first lines of a text without its comments, which begin with # and have no tab.

    >>> data_rows("# sent_id = 1\n1\t나\n")
    ['1\t나']
    """
    return [line for line in first_lines(head) if line[:1] != "#" or "\t" in line]


def is_analysed(text: str) -> bool:
    """Test whether every eojeol of a text is an analysis, form/TAG+form/TAG.

    >>> is_analysed("나/npp+는/jxt 가/VV+ㄴ다/EF"), is_analysed("나는 1/2")
    (True, False)
    """
    parts = [part.rpartition("/") for part in text.split()]
    return bool(parts) and all(
        slash and ((tag[:1].isalpha() and tag.isupper()) or load().kind(tag))
        for _, slash, tag in parts
    )


def is_json(head: str) -> bool:
    """Test whether a text begins as JSON does; `[속보] …` does not."""
    return _JSON.match(head) is not None


def mostly(fits: Sequence[bool]) -> bool:
    """Test whether more than half of the lines fit a format: some of them may be damaged."""
    return 2 * sum(fits) > len(fits)
