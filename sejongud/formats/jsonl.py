"""JSON Lines: a sentence a line, as one JSON object.

    sent_id     the id
    text        the eojeols joined by one space
    text_orig   the text as the source has it (only where it is another)
    comments    the other comments, a list (only where there are any)
    eojeols     a list of objects:
        form        the surface
        id          the id of the corpus (only where there is one)
        made        true where the surface was made from the morphemes by Kiwi (else absent)
        error       the code of the error that `--on-error keep` kept (else absent)
        morphemes   a list of objects:
            form, tag   the morpheme; bound consonants are compatibility jamo
            span        what it covers of the surface: begin, end, in code points
            source      its spelling in the corpus, where that differs
            sense       its sense number, where it has one
            source_tag  its tag in the corpus, where that was a typo
            added       true where the corpus lacks it
        tokens      the tokens at the level of granularity, a list of objects:
            form        the surface
            words       a list of objects: form, lemma, upos, xpos
    words       the columns of a treebank's own words (only where the source has them), a list of
                objects: eojeol (from 0), morphemes (first and behind the last, from 0), upos,
                lemma, xpos, feats, head (from 1; 0 the root; -1 none), deprel, deps, misc (a list)
    entities    layers of entity labels (only where the source has them), a list of lists: of each
                eojeol the labels of its morphemes, none where all are outside
    frames      instances of frames (only where the source has them), a list of objects:
        targets     of each eojeol null, or an object: unit, frame, and at, which of its morphemes
                    belong to the target (only where not all do)
        labels      frame elements, as a layer of entities
        comments    what the source says of the instance (only where it does)
    constituents    the phrase structure in the order of its opening brackets (only where the source
                has one), a list of objects: label, start and end (morphemes of the sentence, from
                0), depth (constituents around it); a null element is empty, its label is its text

The reader takes all keys but `text`, `span` and `tokens`, which follow from the others.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import Note
from sejongud.files import numbered_lines
from sejongud.formats.base import Frame, Reader, identified
from sejongud.formats.json_layers import (
    constituent_values,
    frame_values,
    read_constituents,
    read_frames,
    read_labels,
)
from sejongud.formats.json_values import CODE, beginning, get, load_json, misfit, texts
from sejongud.formats.labelled import from_json
from sejongud.formats.misc import HEAD_AT, HEAD_MORPHEME, lost_segments
from sejongud.formats.sniffing import first_lines, is_json
from sejongud.formats.words import word_views
from sejongud.layers.losses import not_written
from sejongud.levels.cut import Granularity
from sejongud.memo import Memo
from sejongud.model import LEVELS, NOTHING, Arcs, Eojeol, Morpheme, Sentence, Token, Word
from sejongud.morphology.eojeol import MADE
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode


class JsonlWriter:
    """Write a JSON object a sentence.

    Args:
        granularity: the level and the schemes of the tokens and words.
    """

    def __init__(self, granularity: Granularity) -> None:
        self._tokens = granularity.tokens
        levels = [Granularity(granularity.rules, level) for level in LEVELS]
        self._lost: Memo[Eojeol, _Lost] = Memo(lambda eojeol: _lost(eojeol, levels), size=48_000)
        # The JSON of an eojeol without its id, and without the opening brace.
        self._eojeols: Memo[Eojeol, str] = Memo.of(
            self, lambda writer, eojeol: _encode(writer._eojeol(eojeol))[1:], size=48_000
        )

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence, with its end."""
        known = self._eojeols
        ids = sentence.ids or ("",) * len(sentence.eojeols)
        eojeols = ", ".join(
            [
                f'{{"id": {_encode(corpus_id)}, {known[e]}' if corpus_id else f"{{{known[e]}"
                for corpus_id, e in zip(ids, sentence.eojeols, strict=True)
            ]
        )
        before: dict[str, Any] = {"sent_id": sentence.sent_id, "text": sentence.text}
        if sentence.text_orig:
            before["text_orig"] = sentence.text_orig
        if sentence.comments:
            before["comments"] = sentence.comments
        behind: dict[str, Any] = {}
        if sentence.is_treebank or sentence.arcs:
            behind["words"] = list(_words(sentence))
        if sentence.entities:
            behind["entities"] = sentence.entities
        if sentence.frames:
            behind["frames"] = frame_values(sentence.frames)
        if sentence.constituents:
            behind["constituents"] = constituent_values(sentence.constituents)
        rest = f", {_encode(behind)[1:]}" if behind else "}"
        return f'{_encode(before)[:-1]}, "eojeols": [{eojeols}]{rest}\n'

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts of a sentence that are not written."""
        lost = []
        if sentence.arcs is not None and sentence.arcs.nodes:
            lost.append("empty nodes")
        if sentence.is_treebank:
            found = [self._lost[eojeol] for eojeol in sentence.eojeols]
            if forms := sum([count for count, _ in found]):
                lost.append(f"FORM of {counted(forms, 'word[s] that no level cuts so')}")
            items = [item for _, some in found for item in some]
            if items:
                lost.append(f"{', '.join(dict.fromkeys(items))} in MISC")
            if not sentence.eojeols[-1].tokens[-1].space_after:
                lost.append("SpaceAfter=No of the last word")
        return not_written(lost)

    def _eojeol(self, eojeol: Eojeol) -> dict[str, Any]:
        found: dict[str, Any] = {"form": eojeol.form}
        for code, _ in eojeol.notes:
            if code == MADE.code:
                found["made"] = True
            elif code.startswith("E"):
                found["error"] = code
        found["morphemes"] = [
            _morpheme(morpheme, span)
            for morpheme, span in zip(eojeol.morphemes, eojeol.spans, strict=True)
        ]
        found["tokens"] = [
            {
                "form": token.form,
                "words": [
                    {"form": w.form, "lemma": w.lemma, "upos": w.upos, "xpos": w.xpos}
                    for w in token.words
                ],
            }
            for token in self._tokens(eojeol)
        ]
        return found


def _morpheme(morpheme: Morpheme, span: tuple[int, int]) -> dict[str, Any]:
    found: dict[str, Any] = {"form": morpheme.form, "tag": morpheme.tag, "span": span}
    for key in ("source", "sense", "source_tag", "added"):
        if value := getattr(morpheme, key):
            found[key] = value
    return found


_Lost = tuple[int, tuple[str, ...]]
"""The number of words whose FORM does not come back, and the items of MISC that do not."""
_TOLD = (HEAD_MORPHEME, HEAD_AT)
"""The keys of MISC that only words in their own cut can have."""


def _lost(eojeol: Eojeol, levels: Sequence[Granularity]) -> _Lost:
    """Return the parts of an eojeol's own words that a reader does not find in the JSON.

    Args:
        eojeol: of a treebank.
        levels: the levels at which a reader may make FORM of a word from its morphemes.
    """
    items = []
    for token in eojeol.tokens:
        lines = [token.misc, *[word.misc for word in token.words]]
        for item in "|".join(lines).split("|"):
            if item.partition("=")[0] in _TOLD:
                items.append(item)
        items += filter(None, map(lost_segments, token.words))
    own = [place for place in _places(eojeol.tokens) if place[2]]
    if len(own) == 1:
        return 0, tuple(items)
    made = {place for level in levels for place in _places(level.tokens(eojeol))}
    spans = eojeol.spans
    strange = [
        form
        for first, last, form in own
        if (first, last, form) not in made
        and form != eojeol.form[spans[first][0] : spans[last - 1][1]]
    ]
    return len(strange), tuple(items)


def _places(tokens: Iterable[Token]) -> Iterator[tuple[int, int, str]]:
    """Yield the first morpheme, the one behind the last, and FORM of each word."""
    start = 0
    for token in tokens:
        for word in token.words:
            end = start + len(word.morphemes)
            yield start, end, word.form
            start = end


def _words(sentence: Sentence) -> Iterator[dict[str, Any]]:
    """Iterate over the columns of a treebank's own words."""
    for word in word_views(sentence):
        yield {
            "eojeol": word.eojeol,
            "morphemes": (word.first, word.last),
            **{key: getattr(word, key) for key in _COLUMNS},
            "misc": word.misc,
        }


_COLUMNS = ("upos", "lemma", "xpos", "feats", "head", "deprel", "deps")


class JsonlReader(Reader):
    """Read the lines of `JsonlWriter`; an eojeol needs only its form and its morphemes."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for JSON whose first line has a sent_id."""
        first = "".join(first_lines(head)[:1])
        return "" if is_json(head) and '"sent_id"' in first else None

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the lines that are not blank."""
        lines = (line for line in numbered_lines(chunks) if line[1].strip())
        return identified(lines, _sent_id)

    def parse(self, frame: Frame) -> Sentence:
        """Return the sentence of a line.

        Raises:
            FormatError: it is no JSON object of this kind.
        """
        found = load_json(frame.text, frame.line, CODE)
        items = get(found, "eojeols", list)
        if not items:
            raise misfit("the sentence has no eojeols", frame.line)
        ids = tuple([get(item, "id", str, "") for item in items])
        eojeols = tuple([self._eojeol(item) for item in items])
        words = [_word(item, eojeols) for item in get(found, "words", list, [])]
        if (head := max([word.head for word in words], default=0)) > len(words):
            raise misfit(f"head {head} is no word: the sentence has {len(words)}", frame.line)
        return Sentence(
            _with_words(eojeols, words),
            frame.sent_id,
            ids if any(ids) else (),
            texts(found, "comments"),
            get(found, "text_orig", str, ""),
            frame.number,
            _arcs(words),
            tuple(
                [
                    read_labels(layer, eojeols, "entities")
                    for layer in get(found, "entities", list, [])
                ]
            ),
            bool(words),
            frames=read_frames(found, eojeols),
            constituents=read_constituents(found, eojeols),
        )

    def _eojeol(self, item: Any) -> Eojeol:
        form = get(item, "form", str)
        morphemes = tuple([_read_morpheme(one) for one in get(item, "morphemes", list)])
        if not form or not morphemes:
            raise misfit("an eojeol has no form or no morphemes")
        eojeol = self.assembler.eojeol(form, morphemes)
        notes: tuple[Note, ...] = (MADE,) if get(item, "made", bool, False) else ()
        if error := get(item, "error", str, ""):
            notes += (Note(error, f"{form} was kept as it is when it was first read"),)
        return eojeol.with_notes(notes)


def _read_morpheme(item: Any) -> Morpheme:
    form, tag = get(item, "form", str), get(item, "tag", str)
    source, sense, wrong = [get(item, key, str, "") for key in ("source", "sense", "source_tag")]
    return Morpheme(form, tag, source, sense, wrong, get(item, "added", bool, False))


class _Own(NamedTuple):
    """A word of a treebank's own."""

    eojeol: int
    """Which eojeol it is a part of, from 0."""
    word: Word
    head: int
    deprel: str
    deps: str


def _word(item: Any, eojeols: tuple[Eojeol, ...]) -> _Own:
    at = get(item, "eojeol", int)
    span = get(item, "morphemes", list)
    size = len(eojeols[at].morphemes) if 0 <= at < len(eojeols) else -1
    if not (
        len(span) == 2 and all(type(n) is int for n in span) and 0 <= span[0] < span[1] <= size
    ):
        raise misfit(f"a word has the morphemes {beginning(span)} of eojeol {at}, which lacks them")
    upos, lemma, xpos, feats, deprel, deps = [
        get(item, key, str) for key in ("upos", "lemma", "xpos", "feats", "deprel", "deps")
    ]
    misc = "|".join(texts(item, "misc"))
    word = Word("", lemma, upos, xpos, feats, misc, eojeols[at].morphemes[span[0] : span[1]])
    return _Own(at, word, get(item, "head", int), deprel, deps)


def _with_words(eojeols: tuple[Eojeol, ...], words: list[_Own]) -> tuple[Eojeol, ...]:
    """Return the eojeols with their own words, each a token."""
    if not words:
        return eojeols
    own: list[list[Token]] = [[] for _ in eojeols]
    for word in words:
        tokens = own[word.eojeol]
        for before in tokens[-1:]:
            before.space_after = False
        tokens.append(Token("", (word.word,), misc=word.word.misc, was_read=False))
    if not all(own):
        raise misfit("an eojeol has none of the words")
    return tuple([e.but(tokens=tuple(tokens)) for e, tokens in zip(eojeols, own, strict=True)])


def _arcs(words: list[_Own]) -> Arcs | None:
    """Return the arcs of the words, None if they have none."""
    heads = tuple([word.head for word in words])
    deprels = tuple([word.deprel for word in words])
    deps = tuple([word.deps for word in words])
    if deps.count(NOTHING) == len(deps):
        deps = ()
    if not deps and max(heads, default=-1) < 0 and set(deprels) <= {NOTHING}:
        return None
    return Arcs(heads, deprels, deps)


def layers_in(head: str) -> Iterator[Mapping[str, list[Any]]]:
    r"""Yield the layers of each sentence at the beginning of a file, those that are lists.

    Args:
        head: the beginning of the file; a line that is cut off is left out.

    >>> list(layers_in('{"text": "간다", "frames": [{}]}\n{"te'))
    [{'frames': [{}]}]
    """
    for line in head.split("\n"):
        # `parse` raises the error of a whole line that is no JSON.
        found = from_json(line)
        if isinstance(found, dict):
            yield {key: value for key, value in found.items() if isinstance(value, list)}


def _sent_id(text: str) -> str:
    """Return the id with which the line of a sentence begins, as `JsonlWriter` writes it."""
    start = '{"sent_id": '
    if not text.startswith(start):
        return ""
    try:
        value, _ = json.JSONDecoder().raw_decode(text, len(start))
    except (RecursionError, ValueError):
        return ""  # `parse` raises the error.
    return value if isinstance(value, str) else ""
