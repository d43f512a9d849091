"""Values of JSON that were read, each of the type that its key wants."""

from __future__ import annotations

import json
from typing import Any

from sejongud.errors import FormatError
from sejongud.morphology.eojeol import LINE_BREAK

CODE = "E331"
_REQUIRED: Any = object()
_KINDS = {str: "a text", int: "a whole number", list: "a list", bool: "true or false"}


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        JSONDecodeError: the text is not JSON.
        ValueError: its brackets are nested too deeply, or a number has too many digits.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


_TOO_DEEP = "the brackets are nested too deeply"
_DEEPEST = 100
"""The greatest depth of JSON that is kept; no corpus has more than ten brackets in each other."""


def check_depth(value: Any) -> None:
    """Check that the brackets of a value of JSON can be written and read again.

    Raises:
        ValueError: they are nested too deeply.

    >>> check_depth(json.loads("[" * 101 + "]" * 101))
    Traceback (most recent call last):
    ValueError: the brackets are nested too deeply
    """
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def beginning(value: Any) -> str:
    """Return the beginning of a value of JSON, for a message."""
    try:
        return f"{value!r:.40}"
    except RecursionError:
        return "brackets that are nested too deeply"


def load_json(text: str, line: int, code: str, like: str = "") -> Any:
    """Return the value of a text that is JSON.

    Args:
        text: the JSON of a sentence.
        line: the number of its first line.
        code: the code of the error.
        like: the end of the message if no place in the text is wrong.

    Raises:
        FormatError: the text is no JSON, or is nested too deeply.
    """
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"this is not JSON: {error.msg}",
            line=line + error.lineno - 1,
            column=error.colno,
            text=text.split("\n")[error.lineno - 1],
            code=code,
        ) from None
    except ValueError as error:
        message = f"this is not JSON{like}: {error}"
        raise FormatError(message, line=line, code=code) from None


def misfit(message: str, line: int = 0) -> FormatError:
    """Return the error of a value that is none of our JSON Lines."""
    return FormatError(message, line=line, code=CODE)


def get(item: Any, key: str, kind: type[Any], default: Any = _REQUIRED) -> Any:
    """Return the value of a key.

    Args:
        item: the object, if it is one.
        key: the key.
        kind: the type of its value.
        default: the value if the object lacks the key; without it the key is required.

    Raises:
        FormatError: the key is missing, or its value is of another type.
    """
    if not isinstance(item, dict):
        raise misfit(f"expected an object with {key}, found {beginning(item)}")
    value = item.get(key, default)
    if value is _REQUIRED:
        raise misfit(f"{key} is missing")
    if type(value) is not kind:
        raise misfit(f"{key}: expected {_KINDS[kind]}, found {beginning(value)}")
    # The original text is written as a comment, which may have tabs.
    text = value.replace("\t", " ") if key == "text_orig" and type(value) is str else value
    if isinstance(text, str) and LINE_BREAK.search(text):
        raise misfit(f"{key}: a tab or a line's end in {beginning(value)}")
    return value


def texts(item: Any, key: str) -> tuple[str, ...]:
    """Return the texts of a key, () if the object lacks it.

    Raises:
        FormatError: the value is no list of texts of one line.
    """
    values = get(item, key, list, [])
    if not all(isinstance(value, str) and "\n" not in value for value in values):
        raise misfit(f"{key}: expected a list of texts of one line")
    return tuple(values)
