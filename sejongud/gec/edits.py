"""The edits of a sentence, as the M2 format has them, and the labels of their types.

Example: `한국어수업할때 너무 자고 싶었다` has four tokens. `Edit(0, 1, "한국어 수업할 때", "WS")`
replaces the first of them with three, and `Edit(4, 4, ".", "INSERTION")` inserts a token behind
the last.

Apply edits to a text, rather than to its tokens, so that its spaces and marks stay.

    text   나는 “학교”에 갔어.      tokens  나는 “학교”에 갔어 .      edit  2 3 갔어요
    text   나는 “학교”에 갔어요.

A new mark stands beside its word by the table `gec-attach`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError, Note
from sejongud.morphology.kiwi import clean
from sejongud.rules import Rules, load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.model import Morpheme, Sentence


REQUIRED = "REQUIRED"
NO_COMMENT = "-NONE-"
NOTHING = "-NONE-"
"""The correction of a deletion in some M2 files, which have no empty fields."""
LOST, AS_TEXT = "W514", "I522"
"""The codes of an edit that is not written, and of one of which a text alone is written."""
SPACE = "▁"
"""The token of a space, if characters are the tokens."""
TEXT, LEVEL = "text = ", "m2_level = "
"""The beginning of the comments with the text of a source and the level of its tokens, which tokens
that are no eojeols do not tell."""


class Edit(NamedTuple):
    """A change of neighbouring tokens of the source.

    >>> Edit(4, 4, ".", "INSERTION").is_insertion
    True
    """

    start: int
    """The first token of the source, from 0."""
    end: int
    """The place behind the last token; an insertion stands before the token `start`."""
    correction: str
    """The tokens of the target, joined by one space; "" or `-NONE-` for a deletion."""
    type: str = ""
    annotator: int = 0
    required: str = REQUIRED
    comment: str = NO_COMMENT
    c_start: int | None = None
    """The first token of the target; None if the target's tokens are not known."""
    c_end: int | None = None

    @property
    def words(self) -> list[str]:
        """The tokens of the target.

        >>> Edit(1, 2, "한국어 수업").words, Edit(1, 2, "-NONE-").words
        (['한국어', '수업'], [])
        """
        return [] if self.correction == NOTHING else self.correction.split()

    def to_m2(self) -> str:
        """Return the edit as a line of M2.

        >>> Edit(0, 1, "", "DELETION").to_m2()
        'A 0 1|||DELETION||||||REQUIRED|||-NONE-|||0'
        """
        fields = (self.type, self.correction, self.required, self.comment, str(self.annotator))
        return "|||".join([f"A {self.start} {self.end}", *fields])

    @property
    def is_insertion(self) -> bool:
        """Whether the edit has no token of the source."""
        return self.start == self.end

    @property
    def is_deletion(self) -> bool:
        """Whether the edit has no token of the target."""
        return not self.words


class Corrections(NamedTuple):
    """A source sentence and its edits by each annotator.

    An annotator without edits found nothing to correct (`noop` in M2); an annotator who did not
    see the sentence is not among the keys.
    """

    tokens: tuple[str, ...]
    """The tokens of the source."""
    edits: Mapping[int, tuple[Edit, ...]] = {0: ()}
    """Annotator → its edits in the order of (start, end); they do not overlap."""
    sent_id: str = ""
    comments: tuple[str, ...] = ()
    """Other lines of the sentence in its file, which a writer of the same format copies."""
    analysis: Sentence | None = None
    """The source with its morphemes and its layers, if the file has them."""

    def target(self, annotator: int = 0) -> tuple[str, ...]:
        """Return the tokens of the corrected sentence.

        Raises:
            KeyError: there is no such annotator.
            FormatError: two of its edits overlap, or an edit ends beyond the sentence.
        """
        return applied(self.tokens, self.edits[annotator])

    def texts(self) -> list[str]:
        """Return the text of the source and of each target, with spaces between the tokens.

        Raises:
            FormatError: two edits overlap, or an edit ends beyond the sentence.
        """
        return [" ".join(tokens) for tokens in (self.tokens, *map(self.target, self.edits))]


class Pair(NamedTuple):
    """A source text and its corrections as texts, before they are compared."""

    source: str
    targets: tuple[str, ...]
    """The corrected text of each annotator."""
    sent_id: str = ""
    comments: tuple[str, ...] = ()
    given: Corrections | None = None
    """The edits that the file itself states, if it states edits."""
    analyses: tuple[Sentence, ...] = ()
    """The analyses of the source and of each target, if there are any."""

    def texts(self) -> list[str]:
        """Return the source and each target."""
        return [self.source, *self.targets]


class AnalysedToken(NamedTuple):
    """A token of the source or of the target with its analysis; "" or () where it has none."""

    form: str
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    morphemes: tuple[Morpheme, ...] = ()
    kind: str = ""
    """The kind of a Korean predicate: A for adjectives and copulas, V for all others."""


def applied(tokens: Sequence[str], edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return the tokens with all edits applied.

    Raises:
        FormatError: two edits overlap, or an edit ends beyond the tokens.

    >>> applied(("나는", "학교에", "갓다"), [Edit(2, 3, "갔다", "SPELL"), Edit(3, 3, ".")])
    ('나는', '학교에', '갔다', '.')
    """
    ordered = sorted(edits, key=lambda edit: edit[:2])
    if clash := overlapping(ordered):
        first, second = clash
        raise FormatError(
            f"the edits {first.start} {first.end} and {second.start} {second.end} overlap:"
            " only one of them can be applied",
            code="E505",
        )
    target: list[str] = []
    place = 0
    for edit in ordered:
        if not place <= edit.start <= edit.end <= len(tokens):
            raise FormatError(
                f"the edit {edit.start} {edit.end} lies outside the sentence,"
                f" which has {counted(len(tokens), 'token[s]')}",
                code="E504",
            )
        target += [*tokens[place : edit.start], *edit.words]
        place = edit.end
    return (*target, *tokens[place:])


def chars_of(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the characters of tokens, with a token for each space.

    >>> chars_of(("나는", "간다"))
    ('나', '는', '▁', '간', '다')
    """
    return tuple(SPACE.join(tokens))


def text_of(tokens: Sequence[str], *, chars: bool) -> str:
    """Return the text that tokens are made of: characters, or tokens with spaces between them.

    >>> text_of(("나", "는", "▁", "간", "다"), chars=True), text_of(("나는", "간다"), chars=False)
    ('나는 간다', '나는 간다')
    """
    return "".join(tokens).replace(SPACE, " ") if chars else " ".join(tokens)


def level_of(comments: Iterable[str]) -> str:
    """Return the level of tokens that comments state; "" if they state none."""
    return next(
        (line.removeprefix(LEVEL).strip() for line in comments if line.startswith(LEVEL)), ""
    )


def source_text(corrections: Corrections, *, chars: bool) -> str:
    """Return the text of a source: its comment `text`, or the text that its tokens make."""
    stated = (line.removeprefix(TEXT) for line in corrections.comments if line.startswith(TEXT))
    return next(stated, None) or text_of(corrections.tokens, chars=chars)


def placed(edits: Sequence[Edit]) -> list[Edit]:
    """Return edits with the tokens of the target that each of them makes.

    Args:
        edits: in order, without overlaps.

    >>> [edit[-2:] for edit in placed([Edit(0, 0, "a b"), Edit(2, 3, "")])]
    [(0, 2), (4, 4)]
    """
    located = []
    shift = 0
    for edit in edits:
        begin = edit.start + shift
        end = begin + len(edit.words)
        located.append(edit._replace(c_start=begin, c_end=end))
        shift = end - edit.end
    return located


def stated_edits(item: Corrections | Pair) -> list[Edit]:
    """Return the edits of a sentence, or those that its file states of a pair of texts."""
    stated = item.given if isinstance(item, Pair) else item
    return [edit for edits in stated.edits.values() for edit in edits] if stated else []


def text_notes(item: Corrections | Pair, annotator: int | None = None) -> list[Note]:
    """Return the incidents of edits of which a corrected text is all that is written.

    Args:
        item: the sentence.
        annotator: the only annotator whose corrected text is written; None if all are.
    """
    corrections = item.given if isinstance(item, Pair) else item
    tokens = corrections.tokens if corrections else ()
    notes = []
    if isinstance(item, Pair) and corrections is None and annotator is not None:
        unwritten = [by for by in range(len(item.targets)) if by != annotator]
        notes = [Note(AS_TEXT, f"the target of annotator {by} is not written") for by in unwritten]
    for edit in stated_edits(item):
        if annotator not in (None, edit.annotator):
            code, why = AS_TEXT, "is not applied (--annotator, --source)"
        elif edit.words == list(tokens[edit.start : edit.end]):
            code, why = LOST, "is not written: it changes no text"
        else:
            code, why = AS_TEXT, "is written as text alone"
        notes.append(Note(code, f"{_shown(edit)} {why}"))
    return notes


def skipped_notes(item: Corrections | Pair) -> list[Note]:
    """Return the incidents of the edits of a sentence that is left out."""
    why = "is not written, since its sentence has an error"
    return [Note(LOST, f"{_shown(edit)} {why}") for edit in stated_edits(item)]


def _shown(edit: Edit) -> str:
    """Return an edit for a message.

    >>> _shown(Edit(1, 2, "갔다", "SPELL"))
    'the edit 1 2 SPELL 갔다 of annotator 0'
    """
    cells = [str(edit.start), str(edit.end), edit.type, *edit.words]
    return f"the edit {' '.join(filter(None, cells))} of annotator {edit.annotator}"


def heading(item: Corrections | Pair) -> str:
    """Return the id of the document if a sentence is a heading, as `# 0123` in UA-GEC; else "".

    >>> heading(Corrections(("#", "0123"))), heading(Corrections(("#", "0123", ".")))
    ('0123', '')
    """
    if isinstance(item, Pair) or len(item.tokens) != 2 or any(item.edits.values()):
        return ""
    mark, name = item.tokens
    return name if mark == "#" and name.isascii() and name.isdigit() else ""


def overlapping(edits: Sequence[Edit]) -> tuple[Edit, Edit] | None:
    """Return the first two edits that share a token, or an insertion and the edit around it.

    Insertions at one place do not overlap: they follow each other in their order.

    Args:
        edits: in the order of (start, end).

    >>> overlapping([Edit(1, 3, "가"), Edit(2, 2, "나")])[1].correction
    '나'
    >>> overlapping([Edit(2, 2, "나"), Edit(2, 2, "다"), Edit(2, 3, "라")])
    """
    for first, second in pairwise(edits):
        if second.start < first.end:
            return first, second
    return None


# --- labels ---------------------------------------------------------------------------------------
# The labels of Korean types are long, as the KAGAS program writes them, or short, as its paper
# (Yoon et al. 2023, Table 3; rules/gec-labels.tsv): INSERTION INS, PARTICLE PART, NOUN NOUN.

_AMBIGUOUS = "UNK"
"""The short label that stands for an edit without a correction elsewhere."""


def labels(rules: Rules | None = None) -> dict[str, str]:
    """Return the long label of each type with its short one, by the table `gec-labels`.

    Args:
        rules: the tables; None for the package's own.

    >>> labels()["INSERTION"], labels()["NOUN"]
    ('INS', 'NOUN')
    """
    return {row["long"]: row["short"] for row in (rules or load()).table("gec-labels")}


def in_long(sentences: Sequence[Corrections]) -> Sequence[Corrections]:
    """Return the sentences of a file with long labels, if its labels are the short ones.

    A file has short labels if all its types are Korean ones, and one of them is short alone. Other
    files, such as those of ERRANT, stay as they are.

    Args:
        sentences: all sentences of a file.

    >>> from sejongud.gec.edits import Corrections, Edit
    >>> edits = Edit(0, 1, "나는", "PART"), Edit(1, 2, "간다", "UNK")
    >>> [found] = in_long([Corrections(("나은", "가다"), {0: edits})])
    >>> [edit.type for edit in found.edits[0]]
    ['PARTICLE', 'UNCLASSIFIED']
    """
    long = {short: name for name, short in labels().items()}
    types = {edit.type for item in sentences for edit in chain(*item.edits.values())}
    only_short = {short for short, name in long.items() if short != name} - {_AMBIGUOUS}
    if types.isdisjoint(only_short) or not types <= long.keys() | set(long.values()):
        return sentences

    def longer(edit: Edit) -> Edit:
        return edit._replace(type=long.get(edit.type, edit.type))

    return [
        item._replace(edits={by: tuple(map(longer, edits)) for by, edits in item.edits.items()})
        for item in sentences
    ]


def in_order(edits: Iterable[Edit], annotators: Iterable[int] = ()) -> dict[int, tuple[Edit, ...]]:
    """Return the edits of each annotator in the order of their places, () of 0 if there is nobody.

    Args:
        edits: of all annotators; one that starts at -1 tells that its annotator has none.
        annotators: those who come first, with edits or without.

    >>> edits = [Edit(2, 3, "가"), Edit(0, 1, ""), Edit(-1, -1, "", annotator=1)]
    >>> in_order([]), {by: [edit.start for edit in own] for by, own in in_order(edits).items()}
    ({0: ()}, {0: [0, 2], 1: []})
    """
    found: dict[int, list[Edit]] = {by: [] for by in annotators}
    for edit in edits:
        own = found.setdefault(edit.annotator, [])
        own += [edit] if edit.start >= 0 else []
    ordered = {by: tuple(sorted(own, key=lambda edit: edit[:2])) for by, own in found.items()}
    return ordered or {0: ()}


# --- edits applied to a text ----------------------------------------------------------------------

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
