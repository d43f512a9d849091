"""From a treebank to a treebank: the streams behind `sejongud dep`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from sejongud.converters.morph2word import Morph2Word
from sejongud.converters.published import Published
from sejongud.converters.word2morph import Word2Morph
from sejongud.direct_ud import DirectJoin, DirectSplit
from sejongud.errors import FormatError, Incident, Report, UsageError
from sejongud.formats.ud import UDReader, write_ud
from sejongud.rules import load
from sejongud.streams import Done, Totals, batches, stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from sejongud.errors import OnError
    from sejongud.files import Source
    from sejongud.formats.ud import UDBlock
    from sejongud.ud import UDSentence

__all__ = ["DependencyConversion", "convert_dependencies", "read_ud"]

_SENT_ID = "# sent_id = "

_Pair = tuple["UDBlock", "UDBlock | None"]
"""A sentence, and the same one in the file with the words that are to be taken."""


@dataclass(frozen=True)
class DependencyConversion:
    """What is to be done to a treebank; made once, used in every process.

    Args:
        direction: from words to morphemes, or back.
        scheme: of relations.
        upos: scheme of the morphemes' UPOS, "" for the one that goes with `scheme`.
        lemmas: lemma scheme.
        bound_marker: before every morpheme but the first of a token.
        published: do what the published program did, whatever the schemes.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        path: of the input.
    """

    direction: Literal["word2morph", "morph2word"]
    scheme: str = "morphud"
    upos: str = ""
    lemmas: str = "normalised"
    bound_marker: str = ""
    published: bool = False
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"

    def make_work(self) -> _Work:
        """What converts blocks, in one process."""
        return _Work(self)

    def make_reader(self) -> UDReader:
        """The reader: a parser's output, or what is to be kept, need not be a tree."""
        trees = self.direction == "word2morph" and self.on_error != "keep"
        return UDReader(load(self.rules), trees=trees)

    def make_splitter(self) -> Callable[[UDSentence], UDSentence]:
        """From words to morphemes.

        Raises:
            UsageError: no such scheme.
        """
        rules = load(self.rules)
        if self.published:
            return Published(rules, bound_marker=self.bound_marker)
        return Word2Morph(
            rules,
            scheme=self.scheme,
            upos=self.upos,
            lemmas=self.lemmas,
            bound_marker=self.bound_marker,
        )


class _Work:
    """Converts blocks, in one process."""

    def __init__(self, conversion: DependencyConversion) -> None:
        self._conversion = conversion
        self.reader = conversion.make_reader()
        self._direct: Callable[[UDBlock], tuple[str, int] | None] | None = None
        self._words = UDReader(load(conversion.rules), trees=False)
        if conversion.direction == "word2morph":
            self._split = conversion.make_splitter()
            if isinstance(self._split, Word2Morph):
                self._direct = DirectSplit(self.reader, self._split)
        else:
            rules = load(conversion.rules)
            self._join = Morph2Word(rules, bound_marker=conversion.bound_marker)
            self._direct = DirectJoin(self.reader, self._join)

    def __call__(self, pairs: list[_Pair]) -> Done:
        incidents: list[Incident] = []
        texts: list[str] = []
        words = 0
        direct = self._direct
        for block, other in pairs:
            if direct is not None and other is None and (written := direct(block)):
                texts.append(written[0])
                words += written[1]
                continue
            try:
                sentence = self._sentence(block, other, incidents)
            except FormatError as error:
                error.at(path=self._conversion.path, line=block.line)
                if self._conversion.on_error == "stop":
                    return Done("".join(texts), Totals(len(texts), words), incidents, error)
                incidents.append(error.incident(sent_id=_sent_id(block)))
                continue
            words += len(sentence.heads)
            texts.append(write_ud(sentence))
        return Done("".join(texts), Totals(len(texts), words), incidents)

    def _sentence(
        self, block: UDBlock, other: UDBlock | None, incidents: list[Incident]
    ) -> UDSentence:
        source = self.reader.parse(block)
        if any([token.notes for token in source.tokens]):
            incidents += _notes(source, block, self._conversion.path)
        if self._conversion.direction == "word2morph":
            return self._split(source)
        words = None if other is None else self._words.parse(other)
        result, mended = self._join.convert(source, words)
        if mended:
            message = "the arcs that leave the words make no tree; mended"
            place = (self._conversion.path, block.line, 0, _sent_id(block))
            incidents.append(Incident("W210", message, *place))
        return result


def _notes(sentence: UDSentence, block: UDBlock, path: str) -> Iterator[Incident]:
    """What there is to report of a sentence's tokens."""
    rows = [
        (number, raw.partition("\t")[0])
        for number, raw in enumerate(block.text.split("\n"), block.line)
        if raw[:1] != "#"
    ]
    lines = {word_id: number for number, word_id in rows}
    first = 1
    for token in sentence.tokens:
        for note in token.notes:
            place = (path, lines[str(first)], 0, _sent_id(block), str(first))
            yield Incident(note.code, note.message, *place)
        first += len(token.words)


def _sent_id(block: UDBlock) -> str:
    at = block.text.find(_SENT_ID)
    return "" if at < 0 else block.text[at + len(_SENT_ID) :].partition("\n")[0].strip()


def _size(pair: _Pair) -> int:
    return len(pair[0].text)


def _pairs(blocks: Iterable[UDBlock], others: Iterable[UDBlock] | None) -> Iterator[_Pair]:
    """The sentences of one file, or of two side by side.

    Raises:
        FormatError: one file has more sentences than the other.
    """
    if others is None:
        for block in blocks:
            yield block, None
        return
    for block, other in zip_longest(blocks, others):
        if block is None or other is None:
            there = block or other
            which = "the file with the words" if block is None else "this file"
            raise FormatError(
                f"{which} has more sentences than the other one: they must be the same sentences",
                line=there.line,
                code="E209",
            )
        yield block, other


def convert_dependencies(
    conversion: DependencyConversion,
    source: Source,
    out: TextIO,
    report: Report,
    *,
    words: Source | None = None,
    jobs: int = 1,
) -> Totals:
    """Convert a treebank, in constant memory and in order.

    Args:
        conversion: what to do.
        source: where from.
        out: where to; nothing of it is to be trusted if this raises.
        report: what is told of everything that was mended or left out.
        words: the treebank whose words are to be taken (morph2word).
        jobs: how many processes; 0 as many as there are processors.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        UsageError: no such scheme.
    """
    if words is not None and conversion.direction == "word2morph":
        raise UsageError("the words of another file can only be taken on the way back")
    work = conversion.make_work()  # Wrong usage is said before any process begins.
    whole = conversion.on_error != "keep"
    blocks = work.reader.blocks(source.chunks(), whole=whole)
    others = None if words is None else work.reader.blocks(words.chunks(), whole=whole)
    pairs = batches(_pairs(blocks, others), _size)
    return stream(conversion, work, pairs, out, report, path=source.path, jobs=jobs)


def read_ud(
    source: Source, report: Report, *, rules: str | None = None, on_error: OnError = "stop"
) -> Iterator[UDSentence]:
    """The sentences of a treebank.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
    """
    conversion = DependencyConversion("word2morph", on_error=on_error, rules=rules)
    reader = conversion.make_reader()
    try:
        for block in reader.blocks(source.chunks(), whole=on_error != "keep"):
            try:
                sentence = reader.parse(block)
            except FormatError as error:
                error.at(path=source.path, line=block.line)
                if on_error == "stop":
                    raise
                report.add(error.incident(sent_id=_sent_id(block)))
                continue
            report.extend(_notes(sentence, block, source.path))
            yield sentence
    except FormatError as error:
        raise error.at(path=source.path, line=0) from None
