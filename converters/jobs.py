"""The conversions of files for the pipeline, each a choice of reader, steps and writer.

A conversion is made once and pickles to every process (`sejongud.pipeline`).
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sejongud.converters.conventions import Conventions
from sejongud.converters.interlinear import annotated
from sejongud.converters.klue_relations import SCHEMES, KlueRelations
from sejongud.converters.morph2word import Morph2Word
from sejongud.converters.published import Published
from sejongud.converters.recut import recut_at
from sejongud.converters.word2morph import Word2Morph
from sejongud.errors import ON_ERROR, Report, UsageError
from sejongud.files import Source
from sejongud.files.layout import PLAIN
from sejongud.files.scratch import Scratch
from sejongud.formats import FORMATS, TREES, reader_class, resolve, writer_class
from sejongud.formats.conllu.plus import needed_columns, other_columns
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.trees import COLUMNS as TREE_COLUMNS
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import Work
from sejongud.rules import load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from sejongud.converters.recut import OwnCut, Recut
    from sejongud.converters.trees import Fit
    from sejongud.errors import OnError
    from sejongud.files.layout import Layout
    from sejongud.formats import Writer
    from sejongud.formats.base import Frame, Reader
    from sejongud.formats.conllu.write import Deps, NePlace
    from sejongud.model import Sentence
    from sejongud.pipeline import Step

_BRACKETS = ("brackets", "penn-korean")
"""The formats of trees over words."""
_KLUE = "klue-dp"
_CUT = ("conllu", "jsonl", *_BRACKETS)
"""The formats of words, which a level cuts."""


@dataclass(frozen=True)
class Conversion:
    """A conversion between formats and levels; made once, used in every process.

    Args:
        reader: the name of the input format.
        writer: the name of the output format.
        level: the level of granularity, 1 to 5; None keeps the words of the source, and makes those
            of level 5 where it has none.
        upos: the UPOS scheme; None keeps UPOS of a treebank and otherwise uses the default scheme.
        lemmas: the lemma scheme; None keeps LEMMA of a treebank and otherwise uses the default.
        translit: whether to romanise forms and lemmas in MISC.
        gloss: whether to gloss particles, endings and affixes in MISC.
        feats: "ud" or "full" for FEATS from the tables, "" for those of a treebank alone.
        deps: "none" leaves HEAD, DEPREL and DEPS empty; "dummy" writes a chain; "" keeps the
            source's.
        ne: the place of entity labels (writer conllu): "misc", "column" or "feats".
        columns: the names of the columns of other layers (writer conllu).
        trees: whether constituents are written (writer conllu).
        spaced: whether blanks surround the plus (writer sejong).
        xpos: "sejong" for the Sejong tags nearest to those of a treebank; "" for its own.
        aux_lemmas: "whole" or "bound" lemmas of a treebank's auxiliaries; "" for its own.
        scheme: "ud-approx" for approximate UD relations instead of KLUE-DP's labels; "" for the
            relations of the source.
        on_error: "stop", "skip" or "keep".
        rules: the folder of the user's tables.
        path: the name of the input in messages.
        reader_options: further options of the format's reader.

    Raises:
        UsageError: there is no such `on_error`.
    """

    reader: str
    writer: str = "conllu"
    level: int | None = 5
    upos: str | None = None
    lemmas: str | None = None
    feats: str = ""
    translit: bool = False
    gloss: bool = False
    deps: Deps = ""
    ne: NePlace = "misc"
    columns: tuple[str, ...] = ()
    trees: bool = True
    spaced: bool = False
    xpos: str = ""
    aux_lemmas: str = ""
    scheme: str = ""
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"
    reader_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.on_error not in ON_ERROR:
            raise UsageError(f"on_error is one of {', '.join(ON_ERROR)}, not {self.on_error}")
        if self.scheme not in ("", *SCHEMES):
            raise UsageError(f"there is no scheme {self.scheme}: {', '.join(SCHEMES)}")
        if self.scheme and self.reader != _KLUE:
            raise UsageError(
                f"the scheme {self.scheme} is for the labels of {_KLUE}, and this is {self.reader}:"
                " convert it without --scheme"
            )

    def make_work(self) -> Work:
        """Return the work that reads frames and writes their sentences, for one process."""
        return Work(self, self.make_reader(), self.make_steps(), self._make_writer(None))

    def make_steps(self) -> list[Step]:
        """Return the steps from a sentence that was read to the one that is written.

        Raises:
            UsageError: there is no such level or scheme.
        """
        rules = load(self.rules)
        steps: list[Step] = [KlueRelations(rules)] if self.scheme else []
        if self.xpos or self.aux_lemmas:
            steps.append(Conventions(rules, xpos=self.xpos, aux_lemmas=self.aux_lemmas))
        if self.writer not in _CUT:
            return steps
        steps += annotated(
            [self.make_recut()],
            rules,
            feats=self.feats,
            translit=self.translit,
            gloss=self.gloss,
        )
        if not self.trees:
            return [*steps, _without_trees]
        if self.writer in _BRACKETS or TREE_COLUMNS[0] in self.columns:
            steps.append(self.make_fit())
        return steps

    def make_fit(self) -> Fit:
        """Return the step after which no constituent ends inside a word."""
        from sejongud.converters.trees import Fit

        return Fit("widen" if self.on_error == "keep" else "")

    @property
    def needs_order(self) -> bool:
        """Whether the output of a sentence depends on the sentences before it.

        A format may omit a sent_id that equals the sentence's number, and skipped sentences shift
        the numbers.
        """
        return FORMATS[self.writer].numbered and self.on_error == "skip"

    def make_reader(self) -> Reader:
        """Return the reader."""
        kind = reader_class(self.reader)
        keep = self.on_error == "keep"
        return kind(Assembler(load(self.rules)), keep=keep, **self.reader_options)

    def make_recut(self) -> Recut | OwnCut:
        """Return the step that cuts sentences at the level.

        Raises:
            UsageError: there is no such level or scheme; or a scheme without a level.
        """
        return recut_at(self.level, self.upos, self.lemmas, load(self.rules))

    def make_writer(self) -> Writer:
        """Return a writer that cuts its sentences at the level.

        Raises:
            UsageError: there is no such level or scheme.
        """
        return self._make_writer(self.make_recut() if self.writer in _CUT else None)

    def _make_writer(self, cutter: Recut | OwnCut | None) -> Writer:
        kind: Any = writer_class(self.writer)
        writer: Writer
        if self.writer == "conllu":
            writer = kind(cutter, deps=self.deps, ne=self.ne, columns=self.columns)
        elif self.writer == "jsonl":
            writer = kind(cutter, deps=self.deps)
        elif self.writer in _BRACKETS:
            writer = kind(cutter)
        elif self.writer == "sejong":
            writer = kind(spaced=self.spaced)
        elif FORMATS[self.writer].levelled:
            level = LEVELS[-1] if self.level is None else self.level
            rules = load(self.rules)
            writer = kind(Granularity(rules, level, upos=self.upos, lemmas=self.lemmas))
        else:
            writer = kind()
        return writer


@dataclass(frozen=True)
class DependencyConversion:
    """A conversion of dependencies between words and morphemes; made once, used in every process.

    Args:
        direction: "word2morph" or "morph2word".
        scheme: the scheme of relations.
        level: the level of granularity whose words word2morph makes, 2 to 5.
        upos: the scheme of the morphemes' UPOS; "" for the default of `scheme`.
        lemmas: the lemma scheme.
        bound_marker: the text before every morpheme of a token except the first.
        xpos: "sejong" for Sejong tags, "" for those of the treebank; word2morph only.
        aux_lemmas: "whole" or "bound" lemmas of auxiliaries, "" for the treebank's own; likewise.
        published: whether to work like the published program and ignore the schemes.
        on_error: "stop", "skip" or "keep".
        rules: the folder of the user's tables.
        path: the name of the input in messages.
    """

    direction: Literal["word2morph", "morph2word"]
    scheme: str = "ud"
    level: int = 5
    upos: str = ""
    lemmas: str = "normalised"
    bound_marker: str = ""
    xpos: str = ""
    aux_lemmas: str = ""
    published: bool = False
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"

    def make_work(self) -> Work:
        """Return the work that converts frames, for one process.

        Raises:
            UsageError: there is no such scheme.
        """
        writer = ConlluWriter(same_header=True)
        steps: list[Step] = [self.make_step()]
        if self.xpos or self.aux_lemmas:
            rules = load(self.rules)
            told = Conventions(rules, xpos=self.xpos, aux_lemmas=self.aux_lemmas, told=True)
            steps = [told, *steps]
        return _DependencyWork(self, self.make_reader(), steps, writer, count_words=True)

    @property
    def needs_order(self) -> bool:
        """Whether the output of a sentence depends on the sentences before it: never."""
        return False

    def make_reader(self) -> Reader:
        """Return the reader; only word2morph without `keep` requires trees."""
        keep = self.on_error == "keep"
        trees = self.direction == "word2morph" and not keep
        return ConlluReader(
            Assembler(load(self.rules)),
            heads="tree" if trees else "any",
            aligned=False,
            whole=not keep,
        )

    def make_step(self) -> Step:
        """Return the step that converts a sentence.

        Raises:
            UsageError: there is no such scheme.
        """
        rules = load(self.rules)
        if self.direction == "morph2word":
            return Morph2Word(rules, bound_marker=self.bound_marker)
        if self.published:
            if self.level != LEVELS[-1] or self.xpos or self.aux_lemmas:
                raise UsageError(
                    "the published program makes morphemes with the tags and lemmas of the"
                    " treebank: leave out --compat published, or --level, --xpos and --aux-lemmas"
                )
            return Published(rules, bound_marker=self.bound_marker)
        return Word2Morph(
            rules,
            scheme=self.scheme,
            level=self.level,
            upos=self.upos,
            lemmas=self.lemmas,
            bound_marker=self.bound_marker,
        )


class _DependencyWork(Work):
    """Converts sentences, optionally with the words of a second file."""

    def convert(self, frame: Frame, sentence: Sentence) -> Sentence:
        """Apply the step to a sentence, with the words of the second file if there is one."""
        if not frame.other:
            return super().convert(frame, sentence)
        words = self.reader.parse(frame._replace(text=frame.other, other=""))
        converted: Sentence = self.steps[0](sentence, words)  # type: ignore[call-arg]
        return converted


def _without_trees(sentence: Sentence) -> Sentence:
    """Take the constituents of a sentence away."""
    sentence.constituents = ()
    return sentence


def level_of(name: str, level: int | None) -> int | None:
    """Return the level of a conversion; None for the words of the source.

    Args:
        name: the format of the source.
        level: the level that the user names, if any.

    >>> level_of("jsonl", None), level_of("conllu", None), level_of("jsonl", 3)
    (None, 5, 3)
    """
    return LEVELS[-1] if level is None and name != "jsonl" else level


def columns_of(name: str, head: str) -> tuple[str, ...]:
    """Return the columns of CoNLL-U Plus for the layers that the sentences of a file have.

    Args:
        name: the format of the file.
        head: its beginning.
    """
    if name == "jsonl":
        from sejongud.formats.jsonl import layers_in

        return needed_columns(layers_in(head.split("\n")))
    return TREE_COLUMNS if name in TREES else other_columns(head)


@contextmanager
def with_columns(name: str, to: str, source: Source) -> Iterator[tuple[Source, tuple[str, ...]]]:
    """Provide a source, and the columns of CoNLL-U Plus for the layers of all of its sentences.

    Only JSON Lines do not begin with their columns. They are read before; a pipe is copied.

    Args:
        name: the format of the source.
        to: the format of the output.
        source: only its beginning was read.
    """
    if to != "conllu" or name != "jsonl":
        yield source, columns_of(name, source.head()) if to == "conllu" else ()
        return
    from sejongud.formats.jsonl import layers_in

    with ExitStack() as stack:
        copy = None if source.is_file else Scratch.of(source, stack)
        with source.again() if copy is None else copy.open() as whole:
            columns = needed_columns(layers_in(whole.lines()))
        yield source if copy is None else stack.enter_context(copy.open()), columns


def layout_for(name: str, head: str) -> Layout:
    """Return the layout of a file that is written: a treebank has that of the one it was made from.

    Args:
        name: the format of the file that is written.
        head: the beginning of the file that is read.
    """
    if name != "treebank":
        return PLAIN
    from sejongud.formats.treebank import layout_of

    return layout_of(head)


def read(
    path: str | os.PathLike[str],
    *,
    from_: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """Iterate over the sentences of a file.

    Args:
        path: the file; `-` is standard input.
        from_: its format; None detects it.
        on_error: "stop", "skip" or "keep".
        rules: a folder of tables laid over the built-in ones.
        report: receives an incident for everything that was mended or left out.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: the file cannot be read.
    """
    with Source(path) as source:
        conversion = Conversion(
            resolve(from_, source.head()),
            on_error=on_error,
            rules=None if rules is None else str(rules),
            path=source.path,
        )
        yield from conversion.make_reader().read_file(source, on_error, report or Report())
