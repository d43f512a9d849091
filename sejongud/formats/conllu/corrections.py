"""Corrections in CoNLL-U: comments in the form of M2, so that the edits stay with the sentence.

    # m2 = A 0 1|||WS|||한국어 수업할 때|||REQUIRED|||-NONE-|||0
    # m2_level = 1

The level tells the tokens of the edits: 1 to 5 are the words of that level (1 by default), `char`
the characters, and `token` the words as the file has them. The words of the file may be those of
any other level, and a conversion to another level does not touch the edits. With the level `empty`
the source is empty, and the word _ stands in its place, as a sentence of CoNLL-U needs a word.
A comment `m2_source` has the tokens of a source that is not in NFC, as the words are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, OnError, Report
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.corrections import CorrectionsFormat, handlers
from sejongud.formats.m2 import M2, read_edit
from sejongud.gec.edits import (
    LEVEL,
    TEXT,
    Corrections,
    Edit,
    Pair,
    heading,
    in_order,
    level_of,
    source_text,
)
from sejongud.gec.tokens import tokens_of
from sejongud.layers.places import first_difference
from sejongud.layers.subsequence import composed
from sejongud.model import LEVELS, MORPHEMES, NOTHING, Eojeol, Morpheme, Sentence
from sejongud.morphology.eojeol import Assembler
from sejongud.morphology.kiwi import BorderedEojeols, Names, Pieces, clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.files import Source
    from sejongud.formats.base import Block
    from sejongud.formats.corrections import Fault, Items
    from sejongud.rules import Rules

_EDIT, _SOURCE = "m2 = ", "m2_source = "
_DOCUMENT = "newdoc id = "
"""The comment of a sentence `# 0123`, the heading of a document."""
_CHAR, _TOKEN, _EMPTY = "char", "token", "empty"
_UNITS = (*map(str, LEVELS), _CHAR, _TOKEN, _EMPTY)


class ConlluCorrections(CorrectionsFormat):
    """Reads edits in the comments of CoNLL-U; `WithEdits` puts them there."""

    name = "conllu"

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for CoNLL-U; None for any other format."""
        return ConlluReader.sniff(head)

    def numbered(self, source: Source, on_error: OnError, report: Report) -> Items:
        """Iterate over the sentences of a file, each with the number of its line."""
        fault, report = handlers(source.path, on_error, report)
        reader = ConlluReader(Assembler(self.rules), keep=on_error == "keep")
        blocks = reader.blocks(source.chunks())
        for block, sentence in reader.pairs(blocks, source.path, on_error, report):
            try:
                yield block.line, corrections_of(sentence, block, fault, self.rules)
            except FormatError as error:
                fault(error.at(path="", line=block.line))


class WithEdits:
    """Make sentences with edits in comments.

    Args:
        assembler: builds the eojeols.
        unit: the level of the tokens of edits that state none; "" for that of eojeols.
        workers: the number of Kiwi's own threads; None for as many as there are processors.
        copies: whether sentences that have an analysis have their edits in comments already.
    """

    def __init__(
        self,
        assembler: Assembler,
        unit: str = "",
        workers: int | None = 1,
        *,
        copies: bool = False,
    ) -> None:
        self._rules = assembler.rules
        self._unit = unit
        self._edited = ConlluCorrections(rules=assembler.rules).edited
        self._kiwi = BorderedEojeols(assembler, workers)
        self._copies = copies
        # A sentence needs a word.
        self._nothing = (Eojeol(NOTHING, (Morpheme(NOTHING, self._rules.unknown_tag),)),)

    def __call__(self, item: Any) -> Sentence:
        """Return the source of a sentence with its edits; Kiwi analyses it if the file did not.

        Raises:
            FormatError: the tokens of the edits are not those of the level.
            UsageError: source and targets have not been compared.
        """
        corrections = self._edited(item)
        if corrections.analysis is None:
            [eojeols] = self.eojeols([corrections])
            return self.analysed(corrections, eojeols)
        if self._copies:
            return corrections.analysis
        # The source has the other comments already.
        bare = corrections._replace(comments=())
        return with_edits(corrections.analysis, bare, self._level(corrections), self._rules)

    def eojeols(self, items: Iterable[Corrections | Pair]) -> Iterator[tuple[Eojeol, ...]]:
        """Yield the eojeols of sources, which Kiwi analyses some ahead."""

        def forms() -> Iterator[tuple[list[str], Pieces, Names]]:
            for item in items:
                if isinstance(item, Pair) and item.given is None:
                    text = item.source
                else:
                    corrections = self._edited(item)
                    chars = _level(corrections.comments, self._unit) == _CHAR
                    text = source_text(corrections, chars=chars)
                yield clean(text).split(), {}, {}

        return (analysed.eojeols or self._nothing for analysed in self._kiwi.of(forms()))

    def unedited(self, pair: Pair, eojeols: tuple[Eojeol, ...]) -> Sentence:
        """Return the source of a pair without edits; its targets are comments."""
        empty = (f"{LEVEL}{_EMPTY}",) if eojeols is self._nothing else ()
        targets = [f"target = {' '.join(target.splitlines())}" for target in pair.targets]
        return Sentence(eojeols, comments=(*pair.comments, *targets, *empty))

    def analysed(self, corrections: Corrections, eojeols: tuple[Eojeol, ...]) -> Sentence:
        """Return a source that Kiwi has analysed, with its edits in comments.

        Raises:
            FormatError: the tokens of the edits are not those of the level.
        """
        name = heading(corrections)
        opening = (f"{_DOCUMENT}{name}",) if name else ()
        sentence = Sentence(eojeols, corrections.sent_id, comments=opening)
        return with_edits(sentence, corrections, self._level(corrections), self._rules)

    def _level(self, corrections: Corrections) -> str:
        return _level(corrections.comments, self._unit) if corrections.tokens else _EMPTY


def with_edits(
    sentence: Sentence, corrections: Corrections, unit: str = "1", rules: Rules | None = None
) -> Sentence:
    """Return a sentence with edits in its comments, in place of those that it had.

    Args:
        sentence: the source.
        corrections: its edits.
        unit: the level of their tokens: `1` to `5`, `char`, `token` or `empty`.
        rules: the tables; None for the package's own.

    Raises:
        FormatError: the sentence has other tokens at this level.
    """
    tokens = forms_of(sentence, unit, rules)
    wanted = tuple(map(composed, corrections.tokens))
    if tokens != wanted:
        odd = first_difference(tokens, wanted)
        message = f"the tokens of the edits are not those of level {unit} from token {odd} on"
        raise FormatError(message, code="E510")
    kept = [c for c in sentence.comments if not c.startswith((_EDIT, LEVEL, _SOURCE))]
    kept += [c for c in corrections.comments if not c.startswith((_EDIT, LEVEL, TEXT, _DOCUMENT))]
    if wanted != corrections.tokens:
        kept.append(f"{_SOURCE}{' '.join(corrections.tokens)}")
    own = [f"{_EDIT}{line}" for line in M2().lines(corrections)[1:]] + [f"{LEVEL}{unit}"]
    return sentence.but(comments=(*kept, *own), header=None)


def forms_of(sentence: Sentence, unit: str, rules: Rules | None = None) -> tuple[str, ...]:
    """Return the tokens of a sentence at a level.

    Args:
        sentence: the sentence.
        unit: the level: `1` to `5`, `char`, `token` or `empty`.
        rules: the tables; None for the package's own.
    """
    if unit == _EMPTY:
        return ()
    is_eojeol, level = unit == _UNITS[0], int(unit) if unit.isdigit() else MORPHEMES
    own = "eojeol" if is_eojeol else "word" if unit.isdigit() else unit
    tokens = tokens_of(sentence, own, level=level, korean=is_eojeol, rules=rules)
    return tuple([token.form for token in tokens])


def corrections_of(sentence: Sentence, block: Block, fault: Fault, rules: Rules) -> Corrections:
    """Return the edits in the comments of a sentence.

    Raises:
        FormatError: there is no such level.
    """
    try:
        unit = _level(sentence.comments)
    except FormatError as error:
        raise error.at(path="", line=_line_of(block, f"# {LEVEL}")) from None
    tokens = forms_of(sentence, unit, rules)
    edits: list[Edit] = []
    others = []
    for comment in sentence.comments:
        stated = tuple(comment.removeprefix(_SOURCE).split())
        if comment.startswith(_SOURCE) and tuple(map(composed, stated)) == tokens:
            tokens = stated
            continue
        if not comment.startswith(_EDIT):
            if unit not in (_UNITS[0], _EMPTY) or not comment.startswith(LEVEL):
                others.append(comment)
            continue
        try:
            edits.append(read_edit(comment.removeprefix(_EDIT), len(tokens)))
        except FormatError as error:
            fault(error.at(path="", line=_line_of(block, f"# {comment}")))
    if unit not in (_UNITS[0], _EMPTY):
        others.append(f"{TEXT}{' '.join([eojeol.form for eojeol in sentence.eojeols])}")
    return Corrections(tokens, in_order(edits), sentence.sent_id, tuple(others), sentence)


def _level(comments: Sequence[str], usual: str = "") -> str:
    """Return the level of tokens that comments state; `usual`, or that of eojeols, without one.

    Raises:
        FormatError: there is no such level.
    """
    unit = level_of(comments) or usual or _UNITS[0]
    if unit not in _UNITS:
        raise FormatError(
            f"there is no level {unit:.40} of edits; expected: one of {', '.join(_UNITS)}",
            code="E510",
        )
    return unit


def _line_of(block: Block, beginning: str) -> int:
    """Return the line of a block that begins so, its first line if there is none."""
    rows = enumerate(block.text.split("\n"), block.line)
    return next((number for number, row in rows if row.startswith(beginning)), block.line)
