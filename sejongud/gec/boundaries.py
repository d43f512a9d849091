"""Compare corrections of one text that was cut into sentences and tokens in two ways.

    reference   S Kate Ashby ,            S how are you ?              A 0 1|||R:ADV|||How
    hypothesis  S Kate Ashby , how are you ?                           no edits
    joined      S Kate Ashby , how are you ?      reference A 3 4|||R:ADV|||How, hypothesis no edits

The sentences of both sides are aligned (`sejongud.layers.matching`), the edits of each group move
into the joined sentence, and those of the hypothesis move to the tokens of the reference (memoir,
Section 5.3.3). Nothing of either side is left out: a sentence without a counterpart stands against
a sentence without edits.

For one annotator a side, the joining of neighbouring sentences on either side changes no count of
edits. The exception are equal insertions at the end of a sentence and at the beginning of the next
one, which are two places as long as the sentences stand apart, and one place once they are joined.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from difflib import SequenceMatcher
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.gec.edits import SPACE, Corrections
from sejongud.layers.matching import STRICT, Group, Likeness, align_sentences, align_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.gec.edits import Edit

    Words = Callable[[str], Sequence[str]]
    """Returns the tokens of a text."""


class Aligned(NamedTuple):
    """The corrections of an aligned group of sentences, over the tokens of the reference."""

    group: Group
    """The numbers of the sentences; gold is the reference, system the hypothesis."""
    reference: Corrections
    hypothesis: Corrections


def same_sentences(reference: Sequence[Corrections], hypothesis: Sequence[Corrections]) -> bool:
    """Return whether two sides have the same sentences with the same tokens."""
    return len(reference) == len(hypothesis) and all(
        ours.tokens == theirs.tokens for ours, theirs in zip(reference, hypothesis, strict=True)
    )


def align(
    reference: Sequence[Corrections],
    hypothesis: Sequence[Corrections],
    likeness: Likeness = STRICT,
) -> list[Group]:
    """Return the groups of sentences that belong together; they cover both sides in order.

    Args:
        reference: the sentences with the right edits.
        hypothesis: the sentences with the edits of a system.
        likeness: which words and sentences count as the same where the texts differ.
    """
    if same_sentences(reference, hypothesis):
        return [Group(range(i, i + 1), range(i, i + 1), True) for i in range(len(reference))]
    ours, theirs = ([letters(item.tokens) for item in side] for side in (reference, hypothesis))
    return align_sentences(ours, theirs, likeness)


def letters(tokens: Sequence[str]) -> list[str]:
    """Return the tokens without those that stand for spaces, if characters are the tokens.

    >>> letters(("나", "는", "▁", "간", "다"))
    ['나', '는', '간', '다']
    """
    return [token for token in tokens if token != SPACE]


def aligned(
    reference: Sequence[Corrections],
    hypothesis: Sequence[Corrections],
    groups: Sequence[Group],
    likeness: Likeness = STRICT,
    words: Words = str.split,
) -> Iterator[Aligned]:
    """Yield the corrections of each group, over the tokens of the reference.

    Args:
        reference: the sentences with the right edits.
        hypothesis: the sentences with the edits of a system.
        groups: what `align` returned for them.
        likeness: which words count as the same where the texts differ.
        words: see `mapped`.

    >>> from sejongud.gec.edits import Edit
    >>> reference = [
    ...     Corrections(("Kate", "Ashby", ",")),
    ...     Corrections(("how", "are", "you", "?"), {0: (Edit(0, 1, "How", "R:ADV"),)}),
    ... ]
    >>> hypothesis = [Corrections(("Kate", "Ashby", ",", "how", "are", "you", "?"))]
    >>> [one] = aligned(reference, hypothesis, align(reference, hypothesis))
    >>> one.reference.edits[0][0][:4], one.hypothesis.edits
    ((3, 4, 'How', 'R:ADV'), {0: ()})
    """
    chars = any([SPACE in item.tokens for side in (reference, hypothesis) for item in side])
    for group in groups:
        ours = joined([reference[i] for i in group.gold], chars=chars)
        theirs = joined([hypothesis[i] for i in group.system], chars=chars)
        # A sentence without a counterpart has no edits on the other side.
        if not group.gold:
            ours = Corrections(theirs.tokens)
        if not group.system:
            theirs = Corrections(ours.tokens)
        yield Aligned(group, ours, mapped(theirs, ours.tokens, likeness, words))


def together(
    source: Sequence[Sequence[str]], targets: Sequence[Sequence[Sequence[str]]]
) -> Iterator[tuple[range, ...]]:
    """Yield the sentences of a source and of its targets that belong together.

    A group ends where a sentence ends in the source and in all targets. The sentences of source and
    target differ by the corrections, so they are compared by the similarity of the memoir (Section
    5.3.3), which is the more lenient one.

    Args:
        source: the tokens of each sentence.
        targets: for each target the tokens of each sentence.

    Returns:
        The numbers of the sentences of the source, and of each target.

    >>> list(together([["가", "나"], ["다"]], [[["가", "나", "다"]]]))
    [(range(0, 2), range(0, 1))]
    """
    ends: list[dict[int, int]] = []
    for target in targets:
        groups = align_sentences(source, target, Likeness(similarity="jaro"))
        # Sentences that the target alone has belong to the sentence before them.
        borders = {group.gold.stop: group.system.stop for group in groups if group.gold.stop}
        _move(borders, source, target)
        ends.append(borders)
    common = set.intersection(*map(set, ends)) or {0}
    begin = (0,) * (1 + len(targets))
    for stop in sorted(common):
        last = stop == len(source)
        end = (
            stop,
            *[
                len(target) if last else borders[stop]
                for borders, target in zip(ends, targets, strict=True)
            ],
        )
        yield tuple(map(range, begin, end))
        begin = end


def _move(
    borders: dict[int, int], source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]
) -> None:
    """Move borders to where the sentences on either side are most like those of the source.

    Where a target has more sentences than its source, the pieces of one sentence may stand behind
    the border.

    Args:
        borders: the numbers of sentences of the source → those of the target, in order.
        source: the tokens of each sentence.
        target: the tokens of each sentence.
    """
    ends = [(0, 0), *borders.items()]
    for k in range(1, len(ends) - 1):
        (i, j), (i_end, j_end), (i_stop, j_stop) = ends[k - 1 : k + 2]
        if j_stop - j <= i_stop - i:
            continue
        ours = _text(source[i:i_end]), _text(source[i_end:i_stop])

        def likeness(cut: int, first: int = j, last: int = j_stop, ours: Any = ours) -> int:
            theirs = _text(target[first:cut]), _text(target[cut:last])
            return sum(
                block.size
                for pair in zip(ours, theirs, strict=True)
                for block in SequenceMatcher(None, *pair, autojunk=False).get_matching_blocks()
            )

        # Of borders that are equally good the one that the alignment has found stays.
        best = max(range(j + 1, j_stop), key=lambda cut: (likeness(cut), -abs(cut - j_end)))
        ends[k] = i_end, best
        borders[i_end] = best


def _text(sentences: Iterable[Iterable[str]]) -> str:
    """Return the letters of sentences."""
    return "".join(map("".join, sentences))


def joined(sentences: Sequence[Corrections], *, chars: bool = False) -> Corrections:
    """Return neighbouring sentences as one, whose edits stand at the places of its tokens.

    An annotator who is lacking in one of the sentences changed nothing there.

    Args:
        sentences: in the order of the text; a single sentence is returned as it is.
        chars: whether the tokens are characters, so that a token for a space stands between.

    >>> from sejongud.gec.edits import Edit
    >>> joined([Corrections(("a", "b")), Corrections(("c",), {1: (Edit(0, 1, "C"),)})]).edits
    {0: (), 1: (Edit(start=2, end=3, correction='C', type='', annotator=0, \
required='REQUIRED', comment='-NONE-', c_start=None, c_end=None),)}
    """
    if len(sentences) == 1:
        return sentences[0]
    between = (SPACE,) if chars else ()
    lengths = [len(one.tokens) + len(between) for one in sentences]
    offsets = accumulate(lengths, initial=0)
    edits: dict[int, list[Edit]] = {}
    for offset, sentence in zip(offsets, sentences, strict=False):
        for annotator, moving in sentence.edits.items():
            edits.setdefault(annotator, []).extend(
                [_moved(edit, edit.start + offset, edit.end + offset) for edit in moving]
            )
    tokens = tuple([token for one in sentences for token in (*one.tokens, *between)])
    tokens = tokens[: len(tokens) - len(between)] if sentences else ()
    sent_id = next((sentence.sent_id for sentence in sentences), "")
    return Corrections(
        tokens, {key: tuple(some) for key, some in edits.items()} or {0: ()}, sent_id
    )


def mapped(
    corrections: Corrections,
    tokens: tuple[str, ...],
    likeness: Likeness = STRICT,
    words: Words = str.split,
) -> Corrections:
    """Return corrections over other tokens of the same text.

    The tokens of both sides are aligned in groups. An edit takes all groups that it touches, and
    its correction the tokens of these groups that it left as they are; an insertion between two
    groups stays an insertion. Marks that stand apart in the other tokens do so in a correction as
    well, and those at its edges that it left as they are do not belong to it.

    Args:
        corrections: of a sentence.
        tokens: the other tokens of the sentence.
        likeness: which words count as the same where the texts differ.
        words: returns the tokens of a correction, with its marks apart as in the other tokens.

    >>> from sejongud.gec.edits import Edit
    >>> found = Corrections(("I", "ca", "n't", "go"), {0: (Edit(1, 2, "do"),)})
    >>> mapped(found, ("I", "can't", "go")).edits[0][0][:3]
    (1, 2, "do n't")
    """
    if corrections.tokens == tokens and all(
        [words(" ".join(e.words)) == e.words for e in chain(*corrections.edits.values())]
    ):
        return corrections
    groups = align_words(tokens, corrections.tokens, likeness)
    starts = [group.system.start for group in groups]
    hypothesis_tokens = corrections.tokens

    def to(edit: Edit) -> Edit | None:
        if edit.is_insertion:
            index = bisect_left(starts, edit.start)
            if index < len(starts) and starts[index] == edit.start:
                return _moved(edit, groups[index].gold.start, groups[index].gold.start)
            if edit.start >= len(hypothesis_tokens):
                return _moved(edit, len(tokens), len(tokens))
        first = groups[bisect_right(starts, edit.start) - 1]
        last = groups[max(bisect_left(starts, edit.end), 1) - 1]
        around = [
            *hypothesis_tokens[first.system.start : edit.start],
            *edit.words,
            *hypothesis_tokens[edit.end : last.system.stop],
        ]
        start, end = first.gold.start, last.gold.stop
        inserted = words(" ".join(around))
        if len(inserted) > len(around):
            while start < end and inserted and inserted[-1] == tokens[end - 1]:
                end, inserted = end - 1, inserted[:-1]
            while start < end and inserted and inserted[0] == tokens[start]:
                start, inserted = start + 1, inserted[1:]
            if start == end and not inserted:
                return None
        return _moved(edit, start, end)._replace(correction=" ".join(inserted))

    return corrections._replace(
        tokens=tokens,
        edits={
            key: tuple(filter(None, map(to, edits))) for key, edits in corrections.edits.items()
        },
    )


def _moved(edit: Edit, start: int, end: int) -> Edit:
    """Return an edit at another place of the source; its place in the target is not known."""
    return edit._replace(start=start, end=end, c_start=None, c_end=None)
