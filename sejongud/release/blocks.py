"""Read and change the text of a sentence in CoNLL-U: all that a release knows of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.formats.base import OPENING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NER_FORMAT", "loss_of_ranges", "opens_file", "reopened", "rows_of", "split_block"]

SENT_ID = "sent_id = "
NER_FORMAT = "ner_format = "


def split_block(text: str) -> tuple[list[str], str]:
    r"""Return the comments of a block, without `#` and its space, and the lines behind them.

    >>> split_block("# sent_id = 1\n1\t가")
    (['sent_id = 1'], '1\t가')
    """
    comments = []
    while text.startswith("#"):
        comment, _, text = text.partition("\n")
        comments.append(comment[1:].removeprefix(" "))
    return comments, text


def rows_of(text: str) -> list[list[str]]:
    """Return the columns of each line of a block: words, ranges and empty nodes."""
    return [line.split("\t") for line in split_block(text)[1].rstrip("\n").split("\n")]


def opens_file(comment: str) -> bool:
    """Return whether a comment is written anew in every file, as it holds for what follows it."""
    return comment.startswith((*OPENING, NER_FORMAT))


def reopened(text: str, sent_id: str, opening: Sequence[str]) -> str:
    r"""Return a block with another id, and with other comments that open a file or document.

    >>> reopened("# newdoc\n# sent_id = 1\n1\t가", "1-2", ["newdoc id = a"])
    '# newdoc id = a\n# sent_id = 1-2\n1\t가\n\n'
    """
    comments, body = split_block(text)
    named = f"{SENT_ID}{sent_id}"
    own = [named if comment.startswith(SENT_ID) else comment for comment in comments]
    if named not in own:
        own.insert(0, named)
    kept = [*opening, *[comment for comment in own if not opens_file(comment)]]
    return "".join([*[f"# {comment}\n" for comment in kept], body, "\n\n"])


def loss_of_ranges(text: str) -> str:
    """Return the loss of a block that is written by words alone: the MISC of its ranges."""
    misc = [row[9] for row in rows_of(text) if "-" in row[0]]
    count = len([items for items in misc if items not in ("_", "SpaceAfter=No")])
    return f"MISC of {count} words, on the ranges of their morphemes" if count else ""
