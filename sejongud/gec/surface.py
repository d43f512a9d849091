"""Apply edits to a text, rather than to its tokens, so that its spaces and marks stay.

    text   나는 “학교”에 갔어.      tokens  나는 “학교”에 갔어 .      edit  2 3 갔어요
    text   나는 “학교”에 갔어요.

A new mark stands beside its word by the table `gec-attach`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError
from sejongud.gec.edits import SPACE, applied
from sejongud.morphology.kiwi import clean
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.gec.edits import Edit
    from sejongud.rules import Rules

_LEFT, _RIGHT, _BOTH = "left", "right", "both"
_SIDES = {"Ps": _RIGHT, "Pi": _RIGHT, "Pe": _LEFT, "Pf": _LEFT}


class _Placed(NamedTuple):
    """A word of the corrected text."""

    form: str
    before: int | None
    """The number of the gap of the source in front of it; None for a new word."""
    after: int | None


def apply_to_text(
    text: str,
    tokens: Sequence[str],
    edits: Sequence[Edit],
    *,
    chars: bool = False,
    rules: Rules | None = None,
) -> str:
    """Return a text with edits of its tokens applied.

    Args:
        text: the source.
        tokens: its tokens; marks may stand apart from their words.
        edits: of the tokens.
        chars: whether the tokens are characters.
        rules: the tables; None for the package's own.

    Raises:
        FormatError: the tokens are not those of the text, or two edits overlap.

    >>> from sejongud.gec.edits import Edit
    >>> apply_to_text("나는  갔어.", ("나는", "갔어", "."), [Edit(1, 2, "갔어요"), Edit(2, 3, "!")])
    '나는  갔어요!'
    """
    applied(tokens, edits)
    if not edits:
        return text
    spans, text = _located(text, tokens)
    ends = [0, *[end for _, end in spans]]
    begins = [*[begin for begin, _ in spans], len(text)]
    gaps = [text[end:begin] for end, begin in zip(ends, begins, strict=True)]
    forms = [text[begin:end] for begin, end in spans]
    if chars:
        return gaps[0] + "".join(_chars(forms, edits)) + (gaps[-1] if tokens else "")
    sides = _sides(rules or load())
    pieces = list(_pieces(forms, edits, sides))
    words = [gaps[0]] if tokens else []
    for number, piece in enumerate(pieces):
        if number:
            words.append(_gap(pieces[number - 1], piece, gaps, "".join(words), sides))
        words.append(piece.form)
    return "".join(words) + (gaps[-1] if tokens else "")


def _located(text: str, tokens: Sequence[str]) -> tuple[list[tuple[int, int]], str]:
    """Return the place of each token, and the text, in NFC if the tokens are.

    Raises:
        FormatError: the tokens are not those of the text.
    """
    for form in (text, unicodedata.normalize("NFC", text), clean(text)):
        spans: list[tuple[int, int]] = []
        place = 0
        for token in tokens:
            begin = place
            while begin < len(form) and form[begin].isspace():
                begin += 1
            if token == SPACE and not form.startswith(SPACE, begin):
                begin, end = place, begin
            elif form.startswith(token, begin):
                end = begin + len(token)
            else:
                break
            spans.append((begin, end))
            place = end
        if len(spans) == len(tokens) and not form[place:].strip():
            return spans, form
    raise FormatError(
        f"the text {text!r:.60} has not the tokens of the sentence, {' '.join(tokens)!r:.60}",
        code="E422",
    )


def _chars(forms: Sequence[str], edits: Iterable[Edit]) -> Iterator[str]:
    """Yield the corrected text of characters."""
    place = 0
    for edit in sorted(edits, key=lambda edit: edit[:2]):
        yield from forms[place : edit.start]
        yield "".join(edit.words).replace(SPACE, " ")
        place = edit.end
    yield from forms[place:]


def _pieces(
    forms: Sequence[str], edits: Iterable[Edit], sides: dict[str, str]
) -> Iterator[_Placed]:
    """Yield the words of the corrected text."""
    place = 0

    def same(first: str, second: str) -> bool:
        """Test whether two words have spaces around them in one way: both marks, or neither."""
        return _side(first, sides) == _side(second, sides)

    for edit in sorted(edits, key=lambda edit: edit[:2]):
        yield from [_Placed(forms[i], i, i + 1) for i in range(place, edit.start)]
        old, new = forms[edit.start : edit.end], edit.words
        for k, word in enumerate(new):
            first = bool(old) and k == 0 and same(word, old[0])
            last = bool(old) and k == len(new) - 1 and same(word, old[-1])
            yield _Placed(word, edit.start if first else None, edit.end if last else None)
        place = edit.end
    yield from [_Placed(forms[i], i, i + 1) for i in range(place, len(forms))]


def _gap(
    first: _Placed, second: _Placed, gaps: Sequence[str], so_far: str, sides: dict[str, str]
) -> str:
    """Return the space between two words."""
    if first.after is not None and first.after == second.before:
        return gaps[first.after]
    ahead, behind = _side(first.form, sides), _side(second.form, sides)
    if ahead == _BOTH:
        ahead = _RIGHT if so_far.count(first.form) % 2 else _LEFT
    if behind == _BOTH:
        behind = _LEFT if so_far.count(second.form) % 2 else _RIGHT
    if behind == _LEFT:
        return "" if second.before is None else gaps[second.before]
    if ahead == _RIGHT:
        return "" if first.after is None else gaps[first.after]
    known = [gaps[i] for i in (first.after, second.before) if i is not None]
    return next(filter(None, known), " ")


def _side(form: str, sides: dict[str, str]) -> str:
    """Return the side on which a mark has no space; "" for a word."""
    if len(set(form)) != 1:
        return ""
    return sides.get(form[0]) or _SIDES.get(unicodedata.category(form[0]), "")


@lru_cache(maxsize=4)
def _sides(rules: Rules) -> dict[str, str]:
    """Return the side of each mark of the table `gec-attach`."""
    return {row["char"]: row["side"] for row in rules.table("gec-attach")}
