"""Regular expressions of the user's tables and queries, bounded in time.

Python's `re` tries all ways to match, and a pattern such as `(a+)+$` has more of them than anybody
can wait for. The package `regex` reads the same notation and stops after a time. It is slower, so
the package's own patterns stay with `re`; `atomic` makes those fast that would try too much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sejongud.errors import UsageError

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

_SECONDS = 1.0
"""The longest time for one text, such as an eojeol; a usual pattern takes some microseconds."""


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


class BoundedPattern:
    """A pattern that fails with an error if it takes too long for a text.

    Args:
        pattern: in the notation of `re`.
        keys: of the user's patterns in it, for the message.
        path: the user's file, or the place of the pattern, for the message.

    Raises:
        ValueError: the pattern is not well formed.
    """

    def __init__(self, pattern: str, keys: Sequence[str], path: str) -> None:
        import regex

        try:
            self._pattern = regex.compile(pattern)
        except regex.error as error:
            raise ValueError(f"{' or '.join(keys)}: {error}") from None
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
