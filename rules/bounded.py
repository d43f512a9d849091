"""Regular expressions of the user's tables and queries, bounded in time and in memory.

Python's `re` tries all ways to match, and a pattern such as `(a+)+$` has more of them than anybody
can wait for. The package `regex` reads the same notation and stops after a time. It is slower, so
the package's own patterns stay with `re`; `atomic` makes those fast that would try too much.
`regex` writes counted repetitions out while it compiles, which nothing stops: `(?:x{500}){500}` is
250,000 characters. So a pattern is measured before it is compiled.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from re import _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, TypeVar

from sejongud.errors import UsageError

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

_SECONDS = 1.0
"""The longest time for one text, such as an eojeol; a usual pattern takes some microseconds."""
_LONGEST = 10_000
"""The most characters of a pattern whose counted repetitions are written out."""

_REPEATS = (_parser.MAX_REPEAT, _parser.MIN_REPEAT, _parser.POSSESSIVE_REPEAT)


def atomic(pattern: str, group: str) -> str:
    """Return a pattern that matches in the first way alone, as `(?>…)` does.

    Python before 3.11.5 matches `(?>…)`, `*+` and `++` wrongly. A group in a lookahead is not
    tried again, and what it has tried takes no memory any more.

    Args:
        pattern: in the notation of `re`.
        group: a name for its group.

    >>> import re
    >>> re.fullmatch(atomic("나|나라", "noun") + "의?", "나라의") is None
    True
    """
    return f"(?=(?P<{group}>{pattern}))(?P={group})"


def fits(text: str, wanted: str) -> bool:
    """Return whether a text is as wanted, with wildcards as in names of files.

    `fnmatch` makes a pattern of `re` of each one; most are a text, or the beginning of one.

    >>> fits("않", "않*"), fits("VV", "XS[VA]"), fits("VA", "VA")
    (True, False, True)
    """
    beginning, star, rest = wanted.partition("*")
    if rest or "?" in beginning or "[" in beginning:
        return fnmatchcase(text, wanted)
    return text.startswith(beginning) if star else text == wanted


def _length(part: Any) -> int:
    """Return the characters of a part of a parsed pattern, its counted repetitions written out."""
    match part:
        case _parser.SubPattern() | list():
            return sum(map(_length, part))
        case (op, (least, most, inner)) if op in _REPEATS:
            count: int = least if most == _parser.MAXREPEAT else most
            return max(count, 1) * _length(inner)
        case (_, tuple() | _parser.SubPattern() as inner):
            return sum(map(_length, inner))
        case tuple():
            return 1
        case _:  # the number of a group, flags
            return 0


class BoundedPattern:
    """A pattern that fails with an error if it takes too long for a text.

    Args:
        pattern: in the notation of `re`.
        keys: of the user's patterns in it, for the message.
        path: the user's file, or the place of the pattern, for the message.

    Raises:
        ValueError: the pattern is not well formed, or too long.
    """

    def __init__(self, pattern: str, keys: Sequence[str], path: str) -> None:
        import regex

        try:
            if len(pattern) > _LONGEST or _length(_parser.parse(pattern)) > _LONGEST:
                raise ValueError(
                    f"with its repetitions written out it has more than {_LONGEST:,} characters:"
                    " write * or + instead of large counts"
                )
            self._pattern = regex.compile(pattern)
        except (regex.error, _parser.error, ValueError, OverflowError, RecursionError) as error:
            raise ValueError(f"{' or '.join(keys):.100}: {error}") from None
        self._keys = keys
        self._path = path

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text, None if there is none.

        Raises:
            UsageError: the search takes too long.
        """
        match: re.Match[str] | None = self._within(
            text, lambda: self._pattern.search(text, timeout=_SECONDS)
        )
        return match

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Iterate over the matches in a text.

        Raises:
            UsageError: the search takes too long.
        """
        matches: list[Any] = self._within(
            text, lambda: list(self._pattern.finditer(text, timeout=_SECONDS))
        )
        return iter(matches)

    def _within(self, text: str, search: Callable[[], T]) -> T:
        try:
            return search()
        except TimeoutError:
            raise UsageError(
                f"{self._path}: the pattern {' or '.join(self._keys)} takes more than"
                f" {_SECONDS:.0f} second for {text:.40}: write it so that no part of a text can be"
                " matched in several ways, as ++ and *+ do"
            ) from None
