"""Words of a level as tokens of spaCy, with their morphemes, tags and features.

    [nlp.tokenizer]                             [components.sejongud]
    @tokenizers = "sejongud.Tokenizer.v1"       factory = "sejongud"
    level = 5                                   level = 5

Without a level the component takes that of the tokenizer, or level 5 beside another tokenizer.

A token of spaCy is a piece of the text, so words that are fused in it (갔다: 가+았+다) are one
token, as in the files that `ner convert` writes (.spacy); a plus sign stands between their tags and
lemmas. spaCy finds both names by the entry points of the package, without an import.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Token
from spacy.util import registry

from sejongud.converters.features import Features
from sejongud.converters.recut import Recut
from sejongud.levels.cut import Granularity
from sejongud.model import MORPHEMES, NOTHING, Eojeol, Sentence, Word
from sejongud.morphology.eojeol import Assembler
from sejongud.morphology.kiwi import BorderedEojeols
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


Token.set_extension("morphemes", default=(), force=True)
_SPACE = " "


class TextPiece(NamedTuple):
    """A token of a text: the words that share its characters."""

    begin: int
    end: int
    words: tuple[Word, ...]
    """() for white space."""


class TextWords:
    """Cuts texts into the words of a level.

    Args:
        level: from 1 to 5.
    """

    def __init__(self, level: int) -> None:
        rules = load()
        self._kiwi = BorderedEojeols(Assembler(rules), 1)
        self._steps = Recut(Granularity(rules, level)), Features(rules, "ud")

    def __call__(self, text: str) -> Iterator[TextPiece]:
        """Yield the tokens of a text without the space behind them; white space is one as well."""
        places = [match.span() for match in re.finditer(r"\S+", text)]
        forms = [text[begin:end] for begin, end in places]
        sentence = Sentence(next(self._kiwi.of([(forms, {}, {})])).eojeols if forms else ())
        for step in self._steps if forms else ():
            sentence = step(sentence)
        reached = 0
        for (begin, end), eojeol in zip(places, sentence.eojeols, strict=True):
            yield from _white(text, reached, begin)
            yield from _pieces(eojeol, begin, end)
            reached = end
        yield from _white(text, reached, len(text))


@lru_cache(maxsize=5)
def analysis_of(level: int) -> TextWords:
    """Return the cutter of a level, which the tokenizer and the component share."""
    return TextWords(level)


def _white(text: str, begin: int, end: int) -> Iterator[TextPiece]:
    """Yield the white space between two tokens that is more than the space behind the first."""
    begin += begin > 0 and text[begin:end].startswith(_SPACE)
    if begin < end:
        yield TextPiece(begin, end, ())


def _pieces(eojeol: Eojeol, offset: int, end: int) -> Iterator[TextPiece]:
    """Yield the tokens of an eojeol, whose words are in one token if they share characters."""
    begin, limit, number = offset, offset, 0
    group: list[Word] = []
    for word in eojeol.words:
        spans = eojeol.spans[number : number + len(word.morphemes)]
        number += len(spans)
        first, last = offset + spans[0][0], offset + max([stop for _, stop in spans])
        if group and limit <= first < last and first > begin:
            yield TextPiece(begin, first, tuple(group))
            begin, group = first, []
        group.append(word)
        limit = max(limit, last)
    yield TextPiece(begin, end, tuple(group))


class Tokenizer:
    """Makes tokens of the words of a level, which Kiwi finds.

    Args:
        vocab: of the pipeline.
        level: from 1 to 5.
    """

    def __init__(self, vocab: Any, level: int = MORPHEMES) -> None:
        self.vocab = vocab
        self.level = level

    def __call__(self, text: str) -> Doc:
        """Return the tokens of a text."""
        pieces = list(analysis_of(self.level)(text))
        words = [text[piece.begin : piece.end] for piece in pieces]
        ends = [piece.end for piece in pieces]
        begins = [*[piece.begin for piece in pieces], len(text)][1:]
        return Doc(self.vocab, words, [a < b for a, b in zip(ends, begins, strict=True)])

    def to_bytes(self, **_: object) -> bytes:
        """Return nothing: the configuration of the pipeline has the level."""
        return b""

    def from_bytes(self, _data: bytes, **_: object) -> Tokenizer:
        """Return the tokenizer as it is."""
        return self

    def to_disk(self, _path: object, **_: object) -> None:
        """Write nothing: the configuration of the pipeline has the level."""

    def from_disk(self, _path: object, **_: object) -> Tokenizer:
        """Return the tokenizer as it is."""
        return self


@registry.tokenizers("sejongud.Tokenizer.v1")  # type: ignore[untyped-decorator, unused-ignore]
def create_tokenizer(level: int = MORPHEMES) -> Callable[[Language], Tokenizer]:
    """Return the function that makes the tokenizer of a pipeline."""
    return lambda nlp: Tokenizer(nlp.vocab, level)


@Language.factory(  # type: ignore[untyped-decorator, unused-ignore]
    "sejongud", default_config={"level": None}
)
def create_component(nlp: Language, name: str, level: int | None) -> Callable[[Doc], Doc]:
    """Return the component that gives tokens tags, UPOS, lemmas, features and `token._.morphemes`.

    Tokens of another tokenizer get what a word of the same place has, others stay as they are.
    """
    level = level or getattr(nlp.tokenizer, "level", MORPHEMES)
    del nlp, name

    def annotated(doc: Doc) -> Doc:
        pieces = {(piece.begin, piece.end): piece.words for piece in analysis_of(level)(doc.text)}
        for token in doc:
            words = pieces.get((token.idx, token.idx + len(token.text)), ())
            if not words:
                continue
            morphemes = [morpheme for word in words for morpheme in word.morphemes]
            token.tag_ = "+".join([word.xpos for word in words])
            token.lemma_ = "+".join([word.lemma for word in words])
            token.pos_ = words[0].upos
            feats = [word.feats for word in words if word.feats not in ("", NOTHING)]
            token.set_morph("|".join(feats))  # type: ignore[attr-defined, unused-ignore]
            token._.morphemes = tuple([f"{one.form}/{one.tag}" for one in morphemes])
        return doc

    return annotated
