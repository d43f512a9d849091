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

Bring a source and its corrected texts together, whatever lines and marks they have.

    source  나는 학교에 갓다.          target  1. 나는 학교에 갔다. 밥을 먹었다.
            밥을 먹엇다.

Lines that were cut in other places are aligned as `sejongud eval` aligns sentences, and lines that
belong together are one pair. What language models put around corrected text is taken away first, on
request: numbering, quotes, bullets, preambles.

    다음은 교정한 문장입니다:              (preamble: the line goes)
    1. "나는 학교에 갔다."         →       나는 학교에 갔다.

The patterns are those of the table `gec-clean`. What the source has as well belongs to the text: a
line keeps as many marks as its source has, and a line that is like one of the source stays.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError, Incident, Report, RulesError
from sejongud.gec.edits import SPACE, Corrections, Edit, Pair
from sejongud.layers.matching import Group, align_sentences, align_words
from sejongud.layers.subsequence import STRICT, Likeness
from sejongud.rules import Rules, load
from sejongud.rules.bounded import BoundedPattern
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    Words = Callable[[str], Sequence[str]]
    """Returns the tokens of a text."""
    Sentences = Sequence[Sequence[str]]
    """The tokens of each sentence."""
    Line = tuple[int, str]
    """The number of a line in its file, and its text."""
    Pattern = BoundedPattern | re.Pattern[str]


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


def together(source: Sentences, targets: Sequence[Sentences]) -> Iterator[tuple[range, ...]]:
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
        pairs = zip(ends, targets, strict=True)
        end = (stop, *[borders.get(stop, len(target)) for borders, target in pairs])
        yield tuple(map(range, begin, end))
        begin = end


def _move(borders: dict[int, int], source: Sentences, target: Sentences) -> None:
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
        before, behind = source[i:i_end], source[i_end:i_stop]
        cuts = [
            (cut, _shared(before, target[j:cut]) + _shared(behind, target[cut:j_stop]))
            for cut in range(j + 1, j_stop)
        ]
        # Of borders that are equally good the one that the alignment has found stays.
        best, _ = max(cuts, key=lambda pair: (pair[1], -abs(pair[0] - j_end)))
        ends[k] = i_end, best
        borders[i_end] = best


def _shared(source: Iterable[Iterable[str]], target: Iterable[Iterable[str]]) -> int:
    """Return how many letters some sentences of both sides share, by difflib."""
    ours, theirs = ("".join(map("".join, sentences)) for sentences in (source, target))
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return sum([block.size for block in blocks])


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


# --- sources and their corrected texts ------------------------------------------------------------


class Text(NamedTuple):
    """The lines of a file."""

    path: str
    lines: Sequence[Line]

    @classmethod
    def of(cls, path: str, lines: Iterable[str]) -> Text:
        """Number the lines of a file."""
        return cls(path, list(enumerate(lines, 1)))

    @property
    def texts(self) -> list[str]:
        """The lines without their numbers."""
        return [line for _, line in self.lines]


class Grouped(NamedTuple):
    """A source and its targets, made of lines that belong together."""

    line: int
    """The first line of the source."""
    numbers: range
    """The lines of the source, from 0, those without text left out."""
    pair: Pair


def cleaned(
    texts: Sequence[Text],
    report: Report,
    source: Sequence[str] | None = None,
    known: Collection[str] = (),
    rules: Rules | None = None,
) -> tuple[list[Text], str]:
    """Take the marks of language models away from texts; each mark is an incident.

    Args:
        texts: the corrected texts.
        report: receives the incidents.
        source: the lines before their correction; None if they are not known.
        known: texts that stay as they are.
        rules: the tables; None for the package's own.

    Returns:
        The texts, and the number of marks of each kind for the signature.
    """
    without, counts = [], []
    for text in texts:
        lines, removed = clean_lines(text.lines, source or (), known, rules)
        without.append(text._replace(lines=lines))
        for line, kind, mark in removed:
            message = f"{kind} of a language model, taken away: {mark!r:.60}"
            report.add(Incident("W446", message, text.path, line))
        kinds = sorted(Counter([kind for _, kind, _ in removed]).items())
        counts.append("+".join([f"{kind}={number}" for kind, number in kinds]) or "nothing")
    return without, ",".join(counts)


def align_texts(
    source: Text, targets: Sequence[Text], report: Report
) -> tuple[list[Grouped], dict[str, str]]:
    """Align the lines of a source with those of its targets.

    Args:
        source: the lines before their correction.
        targets: the corrected lines of each annotator.
        report: receives an incident for each group that is not one line of each file.

    Returns:
        The pairs, and the settings for the signature: how many groups there are, and how many of
        them have not one line of each file.
    """
    texts = []
    for text in (source, *targets):
        blank = [number for number, line in text.lines if not line.strip()]
        message = "the line is empty: it is left out of the alignment"
        report.extend([Incident("W447", message, text.path, number) for number in blank])
        texts.append(text._replace(lines=[row for row in text.lines if row[1].strip()]))
    words = [[line.split() for line in text.texts] for text in texts]
    groups: list[Grouped] = []
    several = 0
    for ranges in together(words[0], words[1:]) if any(words) else ():
        rows = [text.lines[r.start : r.stop] for text, r in zip(texts, ranges, strict=True)]
        ours, *theirs = [" ".join([line for _, line in part]) for part in rows]
        line = rows[0][0][0] if rows[0] else 1
        groups.append(Grouped(line, ranges[0], Pair(ours, tuple(theirs))))
        if any([len(part) != 1 for part in rows]):
            several += 1
            sides = [
                f"{_numbered(part)} of {text.path}" for text, part in zip(texts, rows, strict=True)
            ]
            report.add(Incident("W448", f"aligned: {' – '.join(sides)}", source.path, line))
    return groups, {"lines": "aligned", "groups": str(len(groups)), "several": str(several)}


def _numbered(lines: Sequence[Line]) -> str:
    """Return the numbers of lines: `line 3`, `lines 3-5`, or `no line`."""
    if len(lines) > 1:
        return f"lines {lines[0][0]}-{lines[-1][0]}"
    return f"line {lines[0][0]}" if lines else "no line"


def uneven(text: Text, source: Text) -> FormatError:
    """Return the error of a text that has not as many lines as its source."""
    line = min(len(text.lines), len(source.lines)) + 1
    message = (
        f"the text has {counted(len(text.lines), 'line[s]')} and {source.path} has"
        f" {counted(len(source.lines), 'sentence[s]')}: line {line} has no"
        " counterpart; a text has the correction of each sentence on its own line, or --align"
        " aligns the texts"
    )
    return FormatError(message, path=text.path, line=line, code="E507")


_BLANK = "blank"
_ALIKE = 0.6
"""The likeness, by difflib, from which a line of the source and one of a system are one line."""


class Peeled(NamedTuple):
    """A mark that can be taken off a line."""

    kind: str
    mark: str
    """The text in front of the rest."""
    rest: str
    """The text that stays; "" if the whole line goes."""


def clean_lines(
    lines: Iterable[Line],
    source: Sequence[str] = (),
    known: Collection[str] = (),
    rules: Rules | None = None,
) -> tuple[list[Line], list[tuple[int, str, str]]]:
    """Take the marks of language models away from a text.

    Args:
        lines: the text.
        source: the lines of the text before its correction; () if it is not known.
        known: texts that stay as they are, such as right corrections.
        rules: the tables; None for the package's own.

    Returns:
        The text, and the number of the line, the kind and the line of each mark.

    >>> answer = ["다음은 교정한 문장입니다:", "", "1. 나는 갔다.", '2. "밥을 먹었다."']
    >>> lines, marks = clean_lines(enumerate(answer, 1), ["나는 갓다.", '"밥을 먹엇다."'])
    >>> lines, [kind for _, kind, _ in marks]
    ([(3, '나는 갔다.'), (4, '"밥을 먹었다."')], ['preamble', 'blank', 'numbering', 'numbering'])
    """
    patterns = clean_patterns(rules or load())
    fixed = {" ".join(text.split()) for text in known}
    removed: list[tuple[int, str, str]] = []
    left: list[tuple[int, str, list[Peeled]]] = []
    for number, line in lines:
        steps = [] if " ".join(line.split()) in fixed else _peel(line, patterns)
        if steps and not steps[-1].rest and not get_close_matches(line, source, 1, _ALIKE):
            removed.append((number, steps[-1].kind, line))
        else:
            left.append((number, line, [step for step in steps if step.rest]))
    # Empty lines of a text with a line for each sentence are sentences, those of an answer are not.
    if removed or len(left) != len(source):
        removed += [(number, _BLANK, line) for number, line, _ in left if not line.strip()]
        left = [row for row in left if row[1].strip()]
    plain = [steps[-1].rest if steps else line for _, line, steps in left]
    texts: list[Line] = []
    for (number, line, steps), ours in zip(left, _counterparts(source, plain), strict=True):
        have = len([step for step in _peel(ours, patterns) if step.rest])
        taken = steps[: max(0, len(steps) - have)]
        if not have:
            # The source may begin with the mark, which is then a part of its text: 3.1 운동.
            bare = "".join(ours.split())
            same = [i for i, step in enumerate(taken) if bare.startswith(step.mark)] if bare else []
            taken = taken[: same[0]] if same else taken
        removed += [(number, step.kind, line) for step in taken]
        texts.append((number, taken[-1].rest if taken else line))
    return texts, sorted(removed)


def _counterparts(source: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return the text of the source that belongs to each line."""
    if len(source) == len(texts) or not source:
        return list(source) or [""] * len(texts)
    ours = [""] * len(texts)
    words = [[line.split() for line in side] for side in (source, texts)]
    for of_source, of_text in together(words[0], words[1:]):
        for i in of_text:
            ours[i] = " ".join(source[of_source.start : of_source.stop])
    return ours


def _peel(line: str, patterns: Sequence[tuple[str, Pattern]]) -> list[Peeled]:
    """Return the marks of a line, from the outermost on; the last may take the whole line."""
    steps: list[Peeled] = []
    rest = line.strip()
    while rest:
        for kind, pattern in patterns:
            if fitting := pattern.search(rest):
                inner = fitting[1].strip() if fitting.re.groups else ""
                mark = rest[: fitting.start(1)] if inner else rest
                steps.append(Peeled(kind, "".join(mark.split()), inner))
                break
        else:
            break
        rest = steps[-1].rest
    # A line inside a list or in quotes is a text, even if it looks like a preamble.
    return steps[:-1] if len(steps) > 1 and not steps[-1].rest else steps


@lru_cache(maxsize=4)
def clean_patterns(rules: Rules) -> list[tuple[str, Pattern]]:
    """Return the kind and the pattern of each row of the table `gec-clean`.

    Raises:
        RulesError: a pattern of the user is not well formed.
    """
    users = rules.user_file("gec-clean")
    try:
        return [
            (
                row["kind"],
                BoundedPattern(f"^(?:{row['pattern']})$", [row["kind"]], str(users))
                if users
                else re.compile(f"^(?:{row['pattern']})$"),
            )
            for row in rules.table("gec-clean")
        ]
    except ValueError as error:
        raise RulesError(str(error), path=str(users)) from None
