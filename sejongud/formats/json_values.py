"""Values of JSON Lines that were read, each of the type that its key wants."""

from __future__ import annotations

from typing import Any

from sejongud.errors import FormatError
from sejongud.formats.base import beginning
from sejongud.morphology.eojeol import LINE_BREAK

__all__ = ["get", "texts"]

_REQUIRED: Any = object()
_KINDS = {str: "a text", int: "a whole number", list: "a list", bool: "true or false"}


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
        raise FormatError(f"expected an object with {key}, found {beginning(item)}", code="E331")
    value = item.get(key, default)
    if value is _REQUIRED:
        raise FormatError(f"{key} is missing", code="E331")
    if type(value) is not kind:
        raise FormatError(f"{key}: expected {_KINDS[kind]}, found {beginning(value)}", code="E331")
    # The original text is written as a comment, which may have tabs.
    text = value.replace("\t", " ") if key == "text_orig" and type(value) is str else value
    if isinstance(text, str) and LINE_BREAK.search(text):
        raise FormatError(f"{key}: a tab or a line's end in {beginning(value)}", code="E331")
    return value


def texts(item: Any, key: str) -> tuple[str, ...]:
    """Return the texts of a key, () if the object lacks it.

    Raises:
        FormatError: the value is no list of texts of one line.
    """
    values = get(item, key, list, [])
    if not all(isinstance(value, str) and "\n" not in value for value in values):
        raise FormatError(f"{key}: expected a list of texts of one line", code="E331")
    return tuple(values)
