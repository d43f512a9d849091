"""The inputs of a metric beside files: text, sentences, token lists, lists of tokens.

A `Treebank` is CoNLL-U as columns for a whole file: the lean view that the metrics work on.

Align the words of two treebanks as the CoNLL 2018 evaluation does.

A word that is a token of its own is aligned with the token at the same place in the text. Words of
ranges are aligned, by the longest common subsequence of their forms, within the smallest stretch of
text that has no range across its borders (conll18_ud_eval, "Description of word matching"). If the
texts differ, sentences are aligned first, and stretches that differ are aligned by words.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import accumulate, pairwise, zip_longest
from operator import lt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from sejongud.errors import FormatError, Incident, UsageError
from sejongud.evaluation.side import Annotation, left_out, nothing
from sejongud.files import Source
from sejongud.files.layout import with_lf
from sejongud.formats.base import text_blocks
from sejongud.formats.conllu.plus import (
    layer_columns,
    layers_of,
    needed_columns,
    without_columns,
)
from sejongud.formats.conllu.rows import COLUMNS, FORM, Rows, parse
from sejongud.layers.matching import Group, align_words, pair_words
from sejongud.layers.subsequence import Likeness, composed, decomposed, spaceless, spelt_lengths
from sejongud.model import Sentence
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conllu.models import TokenList

    Given = str | os.PathLike[str] | Iterable[Sentence | TokenList | Sequence[str]]
    """A file or a text; or the sentences of one, which may be lines or lists of strings."""
    from collections.abc import Callable, Iterable, Iterator


_NEW_DOCUMENT = re.compile(r"^#\s*newdoc\b", re.MULTILINE)

Lists = Literal["tokens", "labels", ""]
"""The meaning of a list of strings, see `sejongud.evaluation.base.Metric.lists`."""


class TextSource(Source):
    """A text that stands in memory.

    Args:
        text: the text.
        path: its name in messages.
    """

    def __init__(self, text: str, path: str) -> None:
        super().__init__(os.devnull)
        self.close()
        self.path = path
        self._pieces = filter(None, iter([with_lf(text)]))


class LabelSource(TextSource):
    """Labels without words, as columns whose words are w1, w2 ….

    Args:
        sentences: the labels of each sentence.
        path: their name in messages.
    """

    def __init__(self, sentences: Sequence[Sequence[str]], path: str) -> None:
        rows = [[f"w{k}\t{label}\n" for k, label in enumerate(s, 1)] for s in sentences]
        super().__init__("".join([row for labels in rows for row in (*labels, "\n")]), path)
        self.sentences = sentences

    def fault(self, incident: Incident) -> str:
        """Return the message of an incident in the columns, which tells the label."""
        lines = [label for labels in self.sentences for label in (*labels, "")]
        label = lines[incident.line - 1] if incident.line else ""
        if not label:
            return f"{self.path}: {incident.message}"
        return f"{self.path}: {label!r:.40} is no label: O, or B-, I-, E- or S- and a type"


def open_given(
    data: Given, name: str, lists: Lists = "tokens", encoding: str | None = None
) -> Source:
    r"""Open a file, a text or sentences that a user gives to be measured.

    Args:
        data: a path; a text, which is a `str` with a line break; or the sentences of a file, each
            a `Sentence`, a `conllu.TokenList`, a line of text or a list of strings.
        name: stands in messages for a text or sentences, which have no path.
        lists: the meaning of a list of strings; "" if the metric takes none.
        encoding: the encoding of a file, None to detect it.

    Raises:
        OSError: a file cannot be read.
        UsageError: the sentences are of another kind.

    >>> list(open_given("나는 간다\n", "gold").lines())
    ['나는 간다']
    >>> list(open_given([["나는", "간다"], ["네"]], "gold").lines())
    ['나는 간다', '네']
    """
    if isinstance(data, str) and "\n" in data:
        return TextSource(data, name)
    if isinstance(data, str | os.PathLike):
        return Source(data, encoding=encoding)
    sentences: list[Any] = list(data)
    if lists == "labels" and sentences and all(map(_is_list, sentences)):
        return LabelSource(sentences, name)
    # Frames and constituents need columns of their own.
    if layers := [layers_of(one) for one in sentences if isinstance(one, Sentence)]:
        from sejongud.converters.jobs import Conversion

        columns = needed_columns(layers)
        writer = Conversion("conllu", "conllu", level=None, columns=columns).make_writer()
        sentences = [writer.sentence(s) if isinstance(s, Sentence) else s for s in sentences]
        sentences[:0] = filter(None, [getattr(writer, "preamble", "")])
    return TextSource("".join([_written(sentence, lists) for sentence in sentences]), name)


def document_starts(source: Source, lines: Sequence[int]) -> list[int]:
    """Return the first sentence of each document of a file, from 0.

    Args:
        source: the file, opened anew; or the files of a folder, each of which is a document.
        lines: the line in which each sentence begins, also in a format that the file became.

    Raises:
        UsageError: it has fewer than two documents, or not all of its sentences were read.
    """
    blocks = [
        (line, bool(_NEW_DOCUMENT.search(text))) for line, text in text_blocks(source.chunks())
    ]
    starts = [line for line, _ in blocks]
    begins = [line for line, is_first in blocks if is_first]
    begins += [line for line, _ in getattr(source, "files", ())]
    if any(map(lt, lines, starts)):  # those of another format, which has fewer
        if len(lines) != len(starts):
            raise UsageError(
                f"{source.path} has {counted(len(starts), 'sentence[s]')}, of which {len(lines):,}"
                " were read: to resample documents needs all of them"
            )
        lines = starts
    first = {bisect_left(lines, line) for line in begins}
    if len(first) < 2:
        raise UsageError(
            f"{source.path} has {counted(len(first), 'document[s]')}: to resample documents needs"
            " several, as # newdoc in CoNLL-U or as the files of a folder"
        )
    return sorted(first)


def check_labels(sources: Sequence[Source], incidents: Sequence[Sequence[Incident]]) -> None:
    """Check that labels without words can be compared: label by label, as seqeval does.

    Args:
        sources: gold and the systems.
        incidents: the faults of each of them.

    Raises:
        UsageError: a label is none, or two sides have other numbers of labels.
    """
    labels = [source for source in sources if isinstance(source, LabelSource)]
    if labels and len(labels) < len(sources):
        raise UsageError(
            f"{labels[0].path} has labels without words, which can be compared only with labels:"
            " give lists of labels for all, or sentences for all"
        )
    for source, faults in zip(labels, incidents, strict=False):
        if fault := next((incident for incident in faults if incident.is_error), None):
            raise UsageError(source.fault(fault))
    for source in labels[1:]:
        sizes = [[*map(len, labels_of.sentences)] for labels_of in (labels[0], source)]
        if sizes[0] != sizes[1]:
            pairs = enumerate(zip_longest(*sizes, fillvalue=0), 1)
            number, (ours, theirs) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
            raise UsageError(
                f"sentence {number} has {counted(ours, 'label[s]')} in {labels[0].path} and"
                f" {theirs} in {source.path}: each word has a label in both"
            )


def _is_list(sentence: object) -> bool:
    return isinstance(sentence, list | tuple) and all(isinstance(item, str) for item in sentence)


def _written(sentence: Any, lists: Lists) -> str:
    """Return a sentence as a file has it."""
    if hasattr(sentence, "serialize"):
        return str(sentence.serialize())
    if isinstance(sentence, str):
        return sentence.removesuffix("\n") + "\n"
    if lists == "tokens" and _is_list(sentence):
        # A blank within a token parts no tokens; texts are compared without them.
        return " ".join(map(spaceless, sentence)) + "\n"
    takes = {"tokens": ", or lists of tokens", "labels": ", or for all of them lists of labels"}
    raise UsageError(
        f"{type(sentence).__name__} is no sentence that can be measured: give Sentences,"
        f" TokenLists, lines of text{takes.get(lists, '')}"
    )


T = TypeVar("T")


@dataclass(slots=True)
class Treebank:
    """The words and tokens of a file, numbered from 0, and the borders of its sentences.

    Args:
        path: the name of the file.
    """

    path: str = "-"
    columns: tuple[list[str], ...] = field(default_factory=lambda: tuple([] for _ in COLUMNS))
    """The ten columns, each with a cell for every word."""
    tokens: list[str] = field(default_factory=list)
    """The form of each token: a range, or a word outside every range."""
    token_of: list[int] = field(default_factory=list)
    """The token that each word belongs to."""
    in_range: list[bool] = field(default_factory=list)
    """Whether each word belongs to a range."""
    word_borders: list[int] = field(default_factory=lambda: [0])
    """The first word of each sentence, and the number of words."""
    token_borders: list[int] = field(default_factory=lambda: [0])
    """The first token of each sentence, and the number of tokens."""
    lines: list[int] = field(default_factory=list)
    """The line in which each sentence begins (its first comment, or word)."""
    incidents: list[Incident] = field(default_factory=list)
    """The faults of the sentences that were left out."""

    @property
    def token_sentences(self) -> list[list[str]]:
        """The tokens of each sentence."""
        return [self.tokens[begin:end] for begin, end in pairwise(self.token_borders)]

    @property
    def word_sentences(self) -> list[list[str]]:
        """The words of each sentence."""
        return self.by_sentence(self.columns[FORM])

    def by_sentence(self, column: Sequence[T]) -> list[list[T]]:
        """Cut a column of all words into sentences."""
        return [[*column[begin:end]] for begin, end in pairwise(self.word_borders)]

    def words_of(self, sentences: range) -> range:
        """Return the numbers of the words of some sentences."""
        return range(self.word_borders[sentences.start], self.word_borders[sentences.stop])

    def tokens_of(self, sentences: range) -> list[str]:
        """Return the tokens of some sentences."""
        begin, end = self.token_borders[sentences.start], self.token_borders[sentences.stop]
        return self.tokens[begin:end]

    def side(self, data: T, incidents: Iterable[Incident] = ()) -> Annotation[T]:
        """Return the side of a metric that aligns sentences by their tokens.

        Args:
            data: the annotation that the metric compares.
            incidents: faults of the file beside those of its frame.
        """
        all_incidents = [*self.incidents, *incidents]
        return Annotation(self.token_sentences, data, self.lines, self.path, all_incidents)

    @classmethod
    def read(cls, chunks: Iterable[str], path: str = "-") -> Treebank:
        r"""Read CoNLL-U. A sentence with a fault in its frame is reported and left out.

        Args:
            chunks: the text, each chunk ending at a line's end; the labels of CoNLL-U Plus are
                read as items of MISC.
            path: the name of the file.

        Raises:
            FormatError: the columns of CoNLL-U Plus are not labels.

        >>> Treebank.read(["# text = 나\n1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n"]).tokens
        ['나']
        """
        bank = cls(path)
        labels: tuple[str, ...] = ()
        for line, block in text_blocks(chunks):
            try:
                labels = labels if bank.lines else layer_columns(block, line)
                bank._add(parse(without_columns(block, labels, "") if labels else block, line))
            except FormatError as error:
                bank.incidents.append(left_out(error, path, line))
        if not bank.lines:
            bank.incidents.append(nothing(path))
        return bank

    def _add(self, rows: Rows) -> None:
        """Add a sentence."""
        for column, values in zip(self.columns, rows.columns, strict=True):
            column.extend(values)
        forms, place = rows.columns[FORM], 0
        for token_range in rows.ranges:
            self._add_tokens(forms[place : token_range.first - 1])
            self.token_of += [len(self.tokens)] * (token_range.last - token_range.first + 1)
            self.in_range += [True] * (token_range.last - token_range.first + 1)
            self.tokens.append(token_range.cells[FORM])
            place = token_range.last
        self._add_tokens(forms[place:])
        self.word_borders.append(len(self.token_of))
        self.token_borders.append(len(self.tokens))
        self.lines.append(rows.line)

    def _add_tokens(self, forms: Sequence[str]) -> None:
        """Add words outside ranges."""
        first = len(self.tokens)
        self.token_of += range(first, first + len(forms))
        self.in_range += [False] * len(forms)
        self.tokens += forms


# --- the words of two treebanks -------------------------------------------------------------------

Pairs = list[tuple[int, int]]
"""Gold words and system words by their numbers in the files, from 0; in gold order."""


def pair_ud_words(
    gold: Treebank, system: Treebank, groups: Iterable[Group], likeness: Likeness
) -> Pairs:
    """Pair the words of two files.

    Args:
        gold: the one file.
        system: the other file.
        groups: their sentences, aligned.
        likeness: which words count as the same where the texts differ.
    """
    texts = "".join(gold.tokens), "".join(system.tokens)
    for spell in (spaceless, decomposed):
        if spell(texts[0]) == spell(texts[1]):
            return _by_offset(_FileWords.of(gold, spell), _FileWords.of(system, spell))
    ours, theirs = _FileWords.of(gold, decomposed), _FileWords.of(system, decomposed)
    pairs: Pairs = []
    for group in groups:
        gold_words, system_words = gold.words_of(group.gold), system.words_of(group.system)
        if gold_words and system_words:
            pairs += _within(ours, theirs, gold_words, system_words, likeness)
    return pairs


def pairs_of_groups(
    pairs: Pairs, gold: Treebank, groups: Iterable[Group]
) -> Iterator[tuple[Group, tuple[int, int]]]:
    """Yield each group of sentences with the first of its pairs and the place behind the last.

    Args:
        pairs: the pairs of the whole file; those of a group are neighbours.
        gold: the gold file.
        groups: the aligned sentences.
    """
    words = [g for g, _ in pairs]
    for group in groups:
        gold_words = gold.words_of(group.gold)
        yield group, (bisect_left(words, gold_words.start), bisect_left(words, gold_words.stop))


def _within(
    gold: _FileWords, system: _FileWords, gold_words: range, system_words: range, likeness: Likeness
) -> Pairs:
    """Pair some words of each side."""
    ours = gold.forms[gold_words.start : gold_words.stop]
    theirs = system.forms[system_words.start : system_words.stop]
    if gold.text_of(gold_words) != system.text_of(system_words):
        pairs_within = pair_words(ours, theirs, align_words(ours, theirs, likeness), likeness)
    elif ours == theirs and not (gold.has_range(gold_words) or system.has_range(system_words)):
        return list(zip(gold_words, system_words, strict=True))
    else:
        pairs_within = _by_offset(gold.part(gold_words), system.part(system_words))
    return [(gold_words[g], system_words[s]) for g, s in pairs_within]


class _FileWords(NamedTuple):
    """The words of a file and their places in its text."""

    text: str
    forms: Sequence[str]
    starts: Sequence[int]
    """The first character of each word's token."""
    ends: Sequence[int]
    """The character behind each word's token."""
    in_range: Sequence[bool]

    @classmethod
    def of(cls, bank: Treebank, spell: Callable[[str], str]) -> _FileWords:
        """Return the words of a file; places are counted in the spelling that `spell` makes."""
        text = spell("".join(bank.tokens))
        borders = list(accumulate(spelt_lengths(bank.tokens, spell), initial=0))
        return cls(
            text,
            bank.columns[FORM],
            [borders[token] for token in bank.token_of],
            [borders[token + 1] for token in bank.token_of],
            bank.in_range,
        )

    def text_of(self, words: range) -> str:
        """Return the text of some sentences (at least one word)."""
        return self.text[self.starts[words.start] : self.ends[words.stop - 1]]

    def has_range(self, words: range) -> bool:
        """Return whether a word of some sentences belongs to a range."""
        return any(self.in_range[words.start : words.stop])

    def part(self, words: range) -> _FileWords:
        """Return the words of some sentences (at least one word); places count from the first."""
        begin, end = words.start, words.stop
        shift = self.starts[begin]
        return _FileWords(
            self.text_of(words),
            self.forms[begin:end],
            [start - shift for start in self.starts[begin:end]],
            [place - shift for place in self.ends[begin:end]],
            self.in_range[begin:end],
        )


def _by_offset(gold: _FileWords, system: _FileWords) -> Pairs:
    """Pair the words of two sides that have the same text."""
    pairs: Pairs = []
    g = s = 0
    while g < len(gold.forms) and s < len(system.forms):
        if gold.in_range[g] or system.in_range[s]:
            g_begin, s_begin, g, s = _stretch(gold, system, g, s)
            ours = [composed(form.lower()) for form in gold.forms[g_begin:g]]
            theirs = [composed(form.lower()) for form in system.forms[s_begin:s]]
            pairs += [(g_begin + i, s_begin + j) for i, j in _common_subsequence(ours, theirs)]
        elif gold.starts[g] == system.starts[s] and gold.ends[g] == system.ends[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.starts[g] <= system.starts[s]:
            g += 1
        else:
            s += 1
    return pairs


def _stretch(gold: _FileWords, system: _FileWords, g: int, s: int) -> tuple[int, int, int, int]:
    """Return the smallest stretch of whole ranges around a pair with one word in a range.

    Returns:
        The first gold word and the first system word, and the words behind the last ones.
    """
    if gold.in_range[g]:
        end = gold.ends[g]
        s += not system.in_range[s] and system.starts[s] < gold.starts[g]
    else:
        end = system.ends[s]
        g += gold.starts[g] < system.starts[s]
    g_begin, s_begin = g, s
    while _is_inside(gold, g, end) or _is_inside(system, s, end):
        if g < len(gold.forms) and (s >= len(system.forms) or gold.starts[g] <= system.starts[s]):
            end = max(end, gold.ends[g]) if gold.in_range[g] else end
            g += 1
        else:
            end = max(end, system.ends[s]) if system.in_range[s] else end
            s += 1
    return g_begin, s_begin, g, s


def _is_inside(side: _FileWords, word: int, end: int) -> bool:
    """Return whether a word belongs to a stretch; a range belongs to that in which it begins."""
    if word >= len(side.forms):
        return False
    return side.starts[word] < end if side.in_range[word] else side.ends[word] <= end


def _common_subsequence(gold: Sequence[str], system: Sequence[str]) -> Pairs:
    """Return the longest common subsequence, of several the choice of conll18_ud_eval."""
    if gold == system:
        return [(i, i) for i in range(len(gold))]
    n, m = len(gold), len(system)
    lengths = [[0] * (m + 1) for _ in range(n + 1)]
    for g in reversed(range(n)):
        row, below = lengths[g], lengths[g + 1]
        for s in reversed(range(m)):
            length = 1 + below[s + 1] if gold[g] == system[s] else 0
            row[s] = max(length, below[s], row[s + 1])
    pairs: Pairs = []
    g = s = 0
    while g < n and s < m:
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif lengths[g][s] == lengths[g + 1][s]:
            g += 1
        else:
            s += 1
    return pairs
