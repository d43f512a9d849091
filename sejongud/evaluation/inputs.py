"""The inputs of a metric beside files: text, sentences, token lists, lists of tokens."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sejongud.errors import UsageError
from sejongud.files import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conllu.models import TokenList

    from sejongud.sentence import Sentence

    Given = str | os.PathLike[str] | Iterable[Sentence | TokenList | str | list[str]]
    """A file or a text; or the sentences of one."""


class TextSource(Source):
    """A text that stands in memory.

    Args:
        text: the text.
        path: its name in messages.
    """

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self._head = None
        self._pieces = filter(None, iter([text.replace("\r\n", "\n")]))
        self._stack = ExitStack()


def open_given(given: Given, name: str) -> Source:
    r"""Open a file, a text or sentences that a user gives to be measured.

    Args:
        given: a path; a text, which is a `str` with a line break; or the sentences of a file, each
            a `Sentence`, a `conllu.TokenList`, a line of text or a list of tokens.
        name: stands in messages for a text or sentences, which have no path.

    Raises:
        OSError: a file cannot be read.
        UsageError: the sentences are of another kind.

    >>> list(open_given("나는 간다\n", "gold").lines())
    ['나는 간다']
    >>> list(open_given([["나는", "간다"], ["네"]], "gold").lines())
    ['나는 간다', '네']
    """
    if isinstance(given, str) and "\n" in given:
        return TextSource(given, name)
    if isinstance(given, str | os.PathLike):
        return Source(given)
    return TextSource("".join(map(_written, given)), name)


def _written(sentence: Any) -> str:
    """Return a sentence as a file has it."""
    if hasattr(sentence, "to_conllu"):
        return str(sentence.to_conllu())
    if hasattr(sentence, "serialize"):
        return str(sentence.serialize())
    if isinstance(sentence, str):
        return f"{sentence}\n"
    if isinstance(sentence, list | tuple) and all(isinstance(token, str) for token in sentence):
        return " ".join(sentence) + "\n"
    raise UsageError(
        f"{type(sentence).__name__} is no sentence that can be measured:"
        " give Sentences, TokenLists, lines of text, or lists of tokens"
    )
