"""Blocks of comments without a sentence, as scripts leave them for the sentences that they skip.

The next sentence keeps them in a comment, `comments_before`, and the last one of a file in
`comments_behind`; CoNLL-U has them at their place again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.terminal import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

BEFORE, BEHIND = "comments_before = ", "comments_behind = "


def comment_of(place: str, blocks: Sequence[str]) -> str:
    r"""Return the comment that keeps blocks of comments.

    >>> comment_of(BEFORE, ["# sent_id = 2\n# text = 봄"])
    'comments_before = ["# sent_id = 2\\n# text = 봄"]'
    """
    return place + json_text(list(blocks))


def with_apart(text: str, comments: Sequence[str]) -> str:
    r"""Return the lines of a sentence with the blocks of comments that its comments keep.

    >>> with_apart("# a\n1\t나\n\n", [comment_of(BEFORE, ["# b"])])
    '# b\n\n# a\n1\t나\n\n'
    """
    before = behind = ""
    for comment in comments:
        place = next((place for place in (BEFORE, BEHIND) if comment.startswith(place)), "")
        blocks = _blocks(comment[len(place) :]) if place else ""
        if blocks:
            text = text.replace(f"# {comment}\n", "", 1)
            before += blocks if place == BEFORE else ""
            behind += blocks if place == BEHIND else ""
    return before + text + behind


def _blocks(value: str) -> str:
    """Return blocks as they stand in a file; "" for a value that keeps none."""
    import json

    try:
        blocks = json.loads(value)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(blocks, list) or not all([isinstance(one, str) for one in blocks]):
        return ""
    lines = [line for block in blocks for line in block.split("\n")]
    return "".join([f"{block}\n\n" for block in blocks]) if _are_comments(lines) else ""


def _are_comments(lines: Sequence[str]) -> bool:
    return bool(lines) and all([line.startswith("#") and "\r" not in line for line in lines])
