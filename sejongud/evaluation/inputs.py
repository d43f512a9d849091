"""The inputs of a metric beside files: text, sentences, token lists, lists of tokens."""

from __future__ import annotations

import os
from contextlib import ExitStack
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal

from sejongud.errors import UsageError
from sejongud.files import Source
from sejongud.files.layout import PLAIN
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conllu.models import TokenList

    from sejongud.errors import Incident
    from sejongud.files.layout import Layout
    from sejongud.sentence import Sentence

    Given = str | os.PathLike[str] | Iterable[Sentence | TokenList | str | list[str]]
    """A file or a text; or the sentences of one."""


Lists = Literal["tokens", "labels", ""]
"""The meaning of a list of strings, see `sejongud.evaluation.base.Metric.lists`."""


class TextSource(Source):
    """A text that stands in memory.

    Args:
        text: the text.
        path: its name in messages.
    """

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self._head = None
        self._pieces = filter(None, iter([text.replace("\r\n", "\n")]))
        self._stack = ExitStack()

    @property
    def layout(self) -> Layout:
        """The layout of a text that no file has."""
        return PLAIN

    @property
    def has_mixed_line_ends(self) -> bool:
        """False: its lines end in LF."""
        return False


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


def open_given(data: Given, name: str, lists: Lists = "tokens") -> Source:
    r"""Open a file, a text or sentences that a user gives to be measured.

    Args:
        data: a path; a text, which is a `str` with a line break; or the sentences of a file, each
            a `Sentence`, a `conllu.TokenList`, a line of text or a list of strings.
        name: stands in messages for a text or sentences, which have no path.
        lists: the meaning of a list of strings; "" if the metric takes none.

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
        return Source(data)
    sentences: list[Any] = list(data)
    if lists == "labels" and sentences and all(map(_is_list, sentences)):
        return LabelSource(sentences, name)
    return TextSource("".join([_written(sentence, lists) for sentence in sentences]), name)


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
    if hasattr(sentence, "to_conllu"):
        return str(sentence.to_conllu())
    if hasattr(sentence, "serialize"):
        return str(sentence.serialize())
    if isinstance(sentence, str):
        return f"{sentence}\n"
    if lists == "tokens" and _is_list(sentence):
        return " ".join(sentence) + "\n"
    takes = {"tokens": ", or lists of tokens", "labels": ", or for all of them lists of labels"}
    raise UsageError(
        f"{type(sentence).__name__} is no sentence that can be measured: give Sentences,"
        f" TokenLists, lines of text{takes.get(lists, '')}"
    )
