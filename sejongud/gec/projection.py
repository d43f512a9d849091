"""Edits on other tokens of the same text: eojeols, words of levels 2 to 5, characters.

    eojeols      한국어수업할때 너무                0 1 → 한국어 수업할 때
    characters   한 국 어 수 업 할 때 ▁ 너 무       0 7 → 한 국 어 ▁ 수 업 할 ▁ 때
    level 5      한국어 수업 하 ㄹ 때 너무          0 5 → 한국어 수업 하 ㄹ 때

An edit that does not fall on borders of the coarser tokens grows to them, and its correction takes
the text of its neighbours along. Applied to their own tokens, the edits give the same target.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from sejongud.gec.edits import SPACE, Edit, placed

if TYPE_CHECKING:
    from collections.abc import Sequence


class Grouped(NamedTuple):
    """The eojeols of a sentence and their words."""

    eojeols: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    """The words of each eojeol, at least one; at level 5 they need not spell it."""

    @property
    def flat(self) -> tuple[str, ...]:
        """All words in order."""
        return tuple([word for eojeol in self.words for word in eojeol])

    @property
    def starts(self) -> list[int]:
        """The number of the first word of each eojeol, and the number of words."""
        return list(accumulate(map(len, self.words), initial=0))


# --- characters -----------------------------------------------------------------------------------


def to_chars(tokens: Sequence[str], edits: Sequence[Edit]) -> list[Edit]:
    """Return edits of tokens as edits of their characters.

    Edits that insert or delete the last tokens of a sentence side by side become one.

    Args:
        tokens: of the source.
        edits: of one annotator, in order, without overlaps.

    >>> [edit[:3] for edit in to_chars(("나는", "갓다"), [Edit(1, 2, "갔다"), Edit(2, 2, ".")])]
    [(3, 5, '갔 다'), (5, 5, '▁ .')]
    """
    starts = list(accumulate([len(token) + 1 for token in tokens], initial=0))
    last = len(tokens)
    ordered = list(edits)
    while len(ordered) > 1 and ordered[-1].end == last and _side_by_side(*ordered[-2:]):
        first, second = ordered[-2:]
        correction = f"{first.correction} {second.correction}".strip()
        ordered[-2:] = [first._replace(end=second.end, correction=correction)]
    return [_to_chars(edit, starts) for edit in ordered]


def _side_by_side(first: Edit, second: Edit) -> bool:
    """Test whether two insertions or deletions have nothing between them."""
    pure = [edit.is_insertion or edit.is_deletion for edit in (first, second)]
    return all(pure) and first.end == second.start


def _to_chars(edit: Edit, starts: Sequence[int]) -> Edit:
    """Return an edit of tokens, each of which has a space behind it, as one of characters."""
    begin, end = starts[edit.start], starts[edit.end]
    new = SPACE.join(edit.words)
    pure = edit.is_insertion or edit.is_deletion
    is_last = edit.end == len(starts) - 1
    if not pure or (is_last and edit.start == 0):
        end = max(end - 1, begin)
    elif is_last:
        # The sentence has no space behind its last token: the space before it goes or comes.
        begin, end = begin - 1, end - 1
        new = f"{SPACE}{new}" if new else ""
    elif new:
        new += SPACE
    return edit._replace(start=begin, end=end, correction=" ".join(new), c_start=None, c_end=None)


def from_chars(tokens: Sequence[str], edits: Sequence[Edit]) -> list[Edit]:
    """Return edits of characters as edits of tokens, grown to the borders of tokens.

    Edits that grow into each other become one, with the type of the first.

    Args:
        tokens: of the source.
        edits: of its characters (`chars_of`), in order, without overlaps.

    >>> from_chars(("나", "는", "갓다"), [Edit(1, 2, ""), Edit(4, 5, "갔")])[0][:3]
    (0, 2, '나는')
    """
    text = "".join([token + SPACE for token in tokens])
    starts = list(accumulate([len(token) + 1 for token in tokens], initial=0))
    groups: list[_EditGroup] = []
    for edit, behind in zip_longest(edits, edits[1:]):
        alone = behind is None or behind.start > edit.end
        turned = _turned(edit, text, to_space=alone)
        group = _grown(_EditGroup([turned], 0, 0), text, starts)
        while groups and _meet(groups[-1], group):
            before = groups.pop()
            group = _grown(_EditGroup([*before.edits, *group.edits], 0, 0), text, starts)
        groups.append(group)
    grown = []
    for group in groups:
        begin, end = bisect_left(starts, group.begin), bisect_left(starts, group.end)
        correction = " ".join(_applied(group, text).split(SPACE)).split()
        if correction != list(tokens[begin:end]):
            first = group.edits[0]
            joined = " ".join(correction)
            grown.append(
                first._replace(start=begin, end=end, correction=joined, c_start=None, c_end=None)
            )
    return grown


class _EditGroup(NamedTuple):
    """Edits of characters that belong to one edit of tokens."""

    edits: list[Edit]
    """Their corrections are texts."""
    begin: int
    end: int


def _turned(edit: Edit, text: str, *, to_space: bool) -> Edit:
    """Return an edit as text; an insertion or deletion `▁X` before a space becomes one of `X▁`."""
    new = "".join(edit.words)
    begin, end = edit.start, edit.end
    moved = new if begin == end else text[begin:end]
    is_pure = begin == end or not new
    if to_space and is_pure and moved[:1] == SPACE == text[end : end + 1]:
        begin, end = begin + 1, end + 1
        new = new[1:] + SPACE if new else ""
    return edit._replace(start=begin, end=end, correction=new)


def _grown(group: _EditGroup, text: str, starts: Sequence[int]) -> _EditGroup:
    """Return a group with the tokens that it changes."""
    first, last = group.edits[0], group.edits[-1]
    if not text:
        return group
    begin = starts[bisect_right(starts, min(first.start, len(text) - 1)) - 1]
    is_border = all(
        [
            edit.start == edit.end == begin and edit.correction.endswith(SPACE)
            for edit in group.edits
        ]
    )
    if first.start == last.end == len(text):
        return group._replace(begin=len(text), end=len(text))
    if is_border:
        return group._replace(begin=begin, end=begin)
    index = bisect_left(starts, max(last.end, begin + 1))
    group = group._replace(begin=begin, end=starts[index])
    while group.end < len(text) and (after := _applied(group, text)) and after[-1] != SPACE:
        index += 1
        group = group._replace(end=starts[index])
    return group


def _applied(group: _EditGroup, text: str) -> str:
    """Return the text of a group's tokens with its edits."""
    parts = []
    place = group.begin
    for edit in group.edits:
        parts += [text[place : edit.start], edit.correction]
        place = edit.end
    return "".join([*parts, text[place : group.end]])


def _meet(first: _EditGroup, second: _EditGroup) -> bool:
    """Test whether two groups have a token or a place in common."""
    same_place = (first.begin, first.end) == (second.begin, second.end)
    return second.begin < first.end or same_place


# --- words ----------------------------------------------------------------------------------------


def to_words(source: Grouped, edits: Sequence[Edit], target: Grouped | None = None) -> list[Edit]:
    """Return edits of eojeols as edits of their words.

    Args:
        source: the source.
        edits: of its eojeols, in order, without overlaps.
        target: the corrected sentence, whose words the corrections become; without it they stay
            eojeols.

    >>> source = Grouped(("책를",), (("책", "를"),))
    >>> to_words(source, [Edit(0, 1, "책을")], Grouped(("책을",), (("책", "을"),)))[0][:3]
    (0, 2, '책 을')
    """
    starts = source.starts
    edits_of_words = []
    for edit in placed(edits):
        correction = edit.correction
        if target is not None:
            words_of_target = target.words[edit.c_start : edit.c_end]
            correction = " ".join([word for words in words_of_target for word in words])
        begin, end = starts[edit.start], starts[edit.end]
        edits_of_words.append(edit._replace(start=begin, end=end, correction=correction))
    return placed(edits_of_words)


def from_words(source: Grouped, edits: Sequence[Edit], target: Grouped | None = None) -> list[Edit]:
    """Return edits of words as edits of eojeols, grown to the borders that both sides share.

    Where a text has other spaces alone, an edit of the type WS says so.

    Args:
        source: the source.
        edits: of its words, in order, without overlaps.
        target: the corrected sentence, whose words the edits make. Without it an edit inside an
            eojeol changes letters of it, and any other one makes an eojeol of each word.

    >>> from_words(Grouped(("책를",), (("책", "를"),)), [Edit(1, 2, "을", "PARTICLE")])[0][:4]
    (0, 1, '책을', 'PARTICLE')
    """
    target = target or _target(source, edits)
    ours = {word: i for i, word in enumerate(source.starts)}
    theirs = {word: i for i, word in enumerate(target.starts)}
    numbered = placed(edits)
    path = _path(numbered, len(source.flat))
    borders = [(ours[i], theirs[j]) for i, j in path if i in ours and j in theirs]
    along = [edit.start + (edit.c_start or 0) for edit in numbered]
    spaces = Edit(0, 0, "", "WS", annotator=edits[0].annotator if edits else 0)
    edits_of_eojeols = []
    for (i, j), (i_end, j_end) in pairwise(borders):
        if source.eojeols[i:i_end] == target.eojeols[j:j_end]:
            continue
        k = bisect_left(along, source.starts[i] + target.starts[j])
        is_inside = k < len(along) and along[k] < source.starts[i_end] + target.starts[j_end]
        first = numbered[k] if is_inside else spaces
        correction = " ".join(target.eojeols[j:j_end])
        edits_of_eojeols.append(first._replace(start=i, end=i_end, correction=correction))
    return placed(edits_of_eojeols)


def _path(edits: Sequence[Edit], length: int) -> list[tuple[int, int]]:
    """Return the places of source and target that correspond, the edges of edits included."""
    path = []
    i = j = 0
    for edit in edits:
        path += [(i + step, j + step) for step in range(edit.start - i + 1)]
        i, j = edit.end, edit.c_end or 0
    path += [(i + step, j + step) for step in range(length - i + 1)]
    return list(dict.fromkeys(path))


def _target(source: Grouped, edits: Sequence[Edit]) -> Grouped:
    """Return the sentence that edits of words most likely make."""
    starts = source.starts
    borders = set(starts)
    words = source.flat
    eojeols_made: list[list[str]] = []
    forms: dict[int, str] = {}
    place = 0
    for edit in [*edits, Edit(len(words), len(words), "")]:
        for index in range(place, edit.start):
            _put(eojeols_made, words[index], apart=index in borders)
            eojeol = bisect_right(starts, index) - 1
            if place <= starts[eojeol] and starts[eojeol + 1] <= edit.start:
                forms[len(eojeols_made) - 1] = source.eojeols[eojeol]
        apart = edit.start in borders and edit.end in borders
        for index, word in enumerate(edit.words):
            _put(eojeols_made, word, apart=apart or (not index and edit.start in borders))
        place = edit.end
    eojeols = [forms.get(i, "".join(words_inside)) for i, words_inside in enumerate(eojeols_made)]
    return Grouped(tuple(eojeols), tuple(map(tuple, eojeols_made)))


def _put(eojeols: list[list[str]], word: str, *, apart: bool) -> None:
    """Add a word to the last eojeol, or as a new one."""
    if apart or not eojeols:
        eojeols.append([word])
    else:
        eojeols[-1].append(word)
