"""The conversions of trees for the pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sejongud.converters.attach import Attach, attached
from sejongud.converters.jobs import Conversion
from sejongud.converters.recut import OwnCut
from sejongud.converters.relations import UD
from sejongud.converters.tree_back import HeadFinal, TreeBack
from sejongud.converters.trees import (
    NO_EDIT,
    Fit,
    FromDependencies,
    Inside,
    TreeEdit,
    TreeLabels,
)
from sejongud.formats.base import Frame
from sejongud.formats.penn import BracketsWriter
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sejongud.converters.recut import Recut
    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.formats import Writer
    from sejongud.formats.penn import Pos, TerminalText
    from sejongud.model import Sentence
    from sejongud.pipeline import Step


class TreeConversion(Conversion):
    """A conversion of trees; made once, used in every process.

    Args:
        dependencies: "from" makes the trees of dependencies, "to" the dependencies of trees; "" has
            the trees of the file.
        edit: the changes of the trees.
        root: the label around a tree that is made of dependencies; "" for none.
        pos: the column that is the tag of a word (writer brackets).
        terminal: the column that is the terminal (writer brackets).
        plus: how a terminal that is a plus is written (writer brackets).
        inside: the treatment of a constituent that begins or ends inside a word; "" widens it with
            `on_error` "keep" and is an error otherwise.
        recuts: whether sentences are cut at the level; otherwise those that have no words yet.
    """

    dependencies: Literal["", "from", "to"] = ""
    edit: TreeEdit = NO_EDIT
    root: str = ""
    pos: Pos = "xpos"
    terminal: TerminalText = "form"
    plus: str = "+"
    inside: Inside = ""
    recuts: bool = True

    schemes: ClassVar[tuple[str, ...]] = ("", "final", UD)

    def _check_scheme(self) -> None:
        """Accept any format: the command has checked that it has trees."""

    def make_steps(self) -> list[Step]:
        """Return the steps from a sentence that was read to the one that is written.

        Raises:
            UsageError: there is no such level or scheme.
        """
        rules = load(self.rules)
        if self.dependencies == "to":
            return [HeadFinal(rules, self.scheme, self.level), *super().make_steps()]
        steps: list[Step] = []
        if self.dependencies == "from":
            steps += [TreeBack(rules)] if self.scheme == UD else []
            steps.append(FromDependencies(rules, self.root))
        if self.edit != NO_EDIT:
            steps.append(_Editing(self.edit, TreeLabels(rules)))
        return [*steps, *super().make_steps()]

    def make_recut(self) -> Any:
        """Return the step that cuts sentences at the level.

        Raises:
            UsageError: there is no such level or scheme.
        """
        recut = super().make_recut()
        return recut if self.recuts else OwnCut(recut)

    def make_fit(self) -> Fit:
        """Return the step after which no constituent ends inside a word."""
        return Fit(self.inside or ("widen" if self.on_error == "keep" else ""))

    def attached(
        self, source: Source, sentences: Iterator[Sentence], report: Report
    ) -> Iterator[str]:
        """Yield the text of the sentences of a file with the trees of another file.

        Args:
            source: the trees.
            sentences: of the other file.
            report: receives the incidents.

        Raises:
            FormatError: a sentence cannot be written, with `on_error` "stop".
        """
        work = self.make_work()
        reader: Any = work.reader
        yield work.preamble
        attach = Attach(load(self.rules))
        frames = reader.frames_of(source)
        for tree, sentence in attached(reader, frames, sentences, attach, report, source.path):
            place = Frame("", tree.line if tree is not None else 0, 0, sentence.sent_id)
            if (written := work.written(place, sentence, report)) is not None:
                yield written[0]

    def _make_writer(self, cutter: Recut | OwnCut | None) -> Writer:
        if self.writer == "brackets":
            return BracketsWriter(cutter, pos=self.pos, terminal=self.terminal, plus=self.plus)
        return super()._make_writer(cutter)


class _Editing:
    """Changes the constituents of sentences.

    Args:
        edit: the changes.
        labels: tell roots from other constituents.
    """

    def __init__(self, edit: TreeEdit, labels: TreeLabels) -> None:
        self._edit = edit
        self._labels = labels

    def __call__(self, sentence: Sentence) -> Sentence:
        self._edit(sentence, self._labels)
        return sentence
