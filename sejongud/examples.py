"""The examples of the `--help` pages: the table `examples.tsv`, whose rows a test runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

_TABLE = "examples.tsv"


class Example(NamedTuple):
    """A command as it is typed."""

    command: str
    """The command, in a folder with the files of `samples/`."""
    effect: str
    """A sentence that says what the command does."""


@cache
def examples() -> dict[str, list[Example]]:
    """Return the examples of all pages: the words of the page → its examples, in order.

    >>> examples()["sejongud ner crf"][1].command
    'sejongud ner crf entities.conllu columns.txt --template template.txt'
    """
    text = Path(__file__).with_name(_TABLE).read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    found: dict[str, list[Example]] = {}
    for page, command, effect in rows[1:]:
        found.setdefault(page, []).append(Example(command, effect))
    return found


def examples_text(page: str) -> str:
    """Return the examples as they stand at the end of a page; "" if the page has none.

    Args:
        page: the words of the command, `sejongud ner crf`.
    """
    rows = [f"  {command}\n      {effect}\n" for command, effect in examples().get(page, [])]
    return "\nexamples:\n" + "".join(rows) if rows else ""
