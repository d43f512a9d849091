"""The conversions of files for the pipeline, each a choice of reader, steps and writer.

A conversion is made once and pickles to every process (`sejongud.pipeline`).
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sejongud.converters.recut import CutWriter, OwnCut, Recut, annotated, recut_at
from sejongud.errors import ON_ERROR, OnError, Report, UsageError, expect_choice
from sejongud.files import Source
from sejongud.formats import (
    CORRECTION_FORMATS,
    ENTITY_FORMATS,
    FORMATS,
    FRAME_FORMATS,
    RAW,
    READERS,
    TREES,
    Writer,
    corrections_format,
    frame_format,
    label_format,
    reader_class,
    resolve,
    sniff,
    writer_class,
)
from sejongud.formats.conllu.layers import FRAME_COLUMNS, TREE_COLUMNS
from sejongud.formats.conllu.plus import needed_columns, other_columns
from sejongud.levels.cut import Granularity
from sejongud.levels.heads import UD
from sejongud.model import MORPHEMES, Record, Sentence
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import Pipeline, Step, convert_stream
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from sejongud.converters.trees import Fit
    from sejongud.formats.base import Block, Reader
    from sejongud.formats.conllu.write import Deps, NePlace

_BRACKETS = ("brackets", "penn-korean", "sinica")
"""The formats of trees over words."""
_KLUE = "klue-dp"
_KLUE_JSON = "klue-dp-json"
_CUT = ("conllu", "jsonl", "tokens", *_BRACKETS)
"""The formats of words, which a level cuts."""
_OPTIONS_OF_ONE = {
    "sejong": ("spaced",),
    "sinica": ("simplify",),
    "tokens": ("mark", "with_tags", "tags", "ids"),
}
"""The options that a single writer has."""
_OPTIONS = {"conllu": ("deps", "ne", "columns"), "jsonl": ("deps",), **_OPTIONS_OF_ONE}
"""The fields of a conversion that are arguments of a writer."""
_OF_SURFACE = 3
"""The highest level whose words are pieces of the surface."""


def is_analysed(name: str) -> bool:
    """Return whether Kiwi, which has threads of its own, analyses what a file of a format lacks.

    Args:
        name: the format, with its settings or without.
    """
    kind = FORMATS.get(name.partition(":")[0])
    return name in RAW or (kind is not None and not kind.reader)


def make_reader(name: str, assembler: Assembler, *, keep: bool = False, **options: Any) -> Reader:
    """Return the reader of a format.

    Args:
        name: the format, with its settings as `NAME:SETTINGS`.
        assembler: builds the eojeols.
        keep: see `Reader`.
        options: further arguments of the class.

    Raises:
        UsageError: there is no such format.
    """
    name, _, settings = name.partition(":")
    if name in ENTITY_FORMATS:
        from sejongud.converters.entities import CorpusReader

        layout = label_format(name, settings, assembler.rules)
        return CorpusReader(assembler, layout, keep=keep, **options)
    if name in FRAME_FORMATS:
        from sejongud.converters.frames import FrameReader

        return FrameReader(assembler, frame_format(name, settings), keep=keep, **options)
    if name in CORRECTION_FORMATS and name in READERS and not FORMATS[name].reader:
        from sejongud.converters.corrected import CorrectedReader

        corrections = corrections_format(name, settings, assembler.rules)
        return CorrectedReader(assembler, corrections, keep=keep, **options)
    return reader_class(name)(assembler, keep=keep, **options)


class Conversion(Record):
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
        ne: the place of entity labels (writer conllu): "misc" or "column".
        columns: the names of the columns of other layers (writer conllu).
        trees: whether constituents are written (writer conllu).
        spaced: whether blanks surround the plus (writer sejong).
        mark: whether a mark stands before the first word of each eojeol (writer tokens).
        with_tags: whether tags stand behind the words (writer tokens).
        tags: whether the tags of its words stand behind each sentence (writer tokens).
        ids: whether its id and its comments do (writer tokens).
        simplify: whether trees are simplified as for SIGHAN 2012 (writer sinica).
        xpos: "sejong" for the Sejong tags nearest to those of a treebank; "" for its own.
        aux_lemmas: "whole" or "bound" lemmas of a treebank's auxiliaries; "" for its own.
        scheme: "ud" for the heads and relations of UD instead of those of KLUE-DP and NIKL; "" for
            those of the source.
        profile: the conventions of the scheme `ud` (`sejongud.converters.tree_relations.PROFILES`).
        explain: whether MISC names the row of the tables that made an arc of the scheme `ud`.
        repair: whether relations of a treebank that UD does not permit are repaired, and told.
        on_error: "stop", "skip" or "keep".
        rules: the folder of the user's tables.
        path: the name of the input in messages.
        reader_options: further options of the format's reader.

    Raises:
        UsageError: there is no such `on_error`, or an option belongs to another writer.
    """

    reader: str
    writer: str = "conllu"
    level: int | None = MORPHEMES
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
    mark: bool = False
    with_tags: bool = False
    tags: bool = False
    ids: bool = False
    simplify: bool = False
    xpos: str = ""
    aux_lemmas: str = ""
    scheme: str = ""
    repair: bool = False
    profile: str = "ud"
    explain: bool = False
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"
    reader_options: Mapping[str, Any] = {}

    schemes: ClassVar[tuple[str, ...]] = ("", UD)
    """The values of `scheme`."""

    def __post_init__(self) -> None:
        if self.on_error not in ON_ERROR:
            raise UsageError(f"on_error is one of {', '.join(ON_ERROR)}, not {self.on_error}")
        owners = [(name, to) for to, names in _OPTIONS_OF_ONE.items() for name in names]
        for name, writer in owners:
            if getattr(self, name) and writer != self.writer:
                option = name.replace("_", "-")
                raise UsageError(f"--{option} belongs to --to {writer}, and this is {self.writer}")
        if self.scheme not in self.schemes:
            known = ", ".join(filter(None, self.schemes))
            raise UsageError(f"there is no scheme {self.scheme}: {known}")
        self._check_scheme()

    def _check_scheme(self) -> None:
        if self.scheme and self.reader not in (_KLUE, _KLUE_JSON, "modu"):
            raise UsageError(
                f"the scheme {self.scheme} is for the labels of {_KLUE} and NIKL, and this is"
                f" {self.reader}: convert it without --scheme, and trees, or CoNLL-U with these"
                " labels, with `tree dependencies`"
            )

    def make_pipeline(self) -> Pipeline:
        """Return the pipeline that reads blocks and writes their sentences, for one process."""
        return Pipeline(self, self.make_reader(), self.make_steps(), self._make_writer())

    def make_steps(self) -> list[Step]:
        """Return the steps from a sentence that was read to the one that is written.

        Raises:
            UsageError: there is no such level or scheme.
        """
        rules = load(self.rules)
        steps: list[Step] = []
        if self.scheme == UD:
            from sejongud.converters.tree_relations import UdRelations

            steps.append(UdRelations(rules, self.profile, explain=self.explain))
        steps += _conventions(self)
        if self.writer == _KLUE:
            steps.append(_head_final(rules))
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

        return Fit("widen")

    @property
    def needs_order(self) -> bool:
        """Whether the output of a sentence depends on the sentences before it.

        A format may omit a sent_id that equals the sentence's number, and skipped sentences shift
        the numbers.
        """
        return FORMATS[self.writer].numbered and self.on_error == "skip"

    def make_reader(self) -> Reader:
        """Return the reader."""
        keep = self.on_error == "keep"
        assembler = Assembler(load(self.rules))
        return make_reader(self.reader, assembler, keep=keep, **self.reader_options)

    def make_recut(self) -> Recut | OwnCut:
        """Return the step that cuts sentences at the level.

        Raises:
            UsageError: there is no such level or scheme; or a scheme without a level.
        """
        rules = load(self.rules)
        # The words of the scheme `ud` have the UPOS of that name, and what its relations need.
        upos = None if self.scheme == UD == self.upos else self.upos
        return recut_at(self.level, upos, self.lemmas, rules, repair=self.repair)

    def make_writer(self) -> Writer:
        """Return a writer that cuts its sentences at the level.

        Raises:
            UsageError: there is no such level or scheme.
        """
        writer = self._make_writer()
        if self.writer == _KLUE:
            return CutWriter(_head_final(load(self.rules)), writer)
        return CutWriter(self.make_recut(), writer) if self.writer in _CUT else writer

    def _make_writer(self) -> Writer:
        kind: Any = writer_class(self.writer)
        options = {name: getattr(self, name) for name in _OPTIONS.get(self.writer, ())}
        parts: tuple[Any, ...] = ()
        if self.writer == "tokens":
            options["surface"] = self.level is not None and self.level <= _OF_SURFACE
            parts = (load(self.rules),)
        elif FORMATS[self.writer].levelled and self.writer not in _CUT:
            level = MORPHEMES if self.level is None else self.level
            rules = load(self.rules)
            parts = (Granularity(rules, level, upos=self.upos, lemmas=self.lemmas),)
        writer: Writer = kind(*parts, **options)
        return writer


class DependencyConversion(Record):
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
        repair: whether relations of the treebank that UD does not permit are repaired, and told.
        columns: the names of the columns of other layers.
        on_error: "stop", "skip" or "keep".
        rules: the folder of the user's tables.
        path: the name of the input in messages.
    """

    direction: Literal["word2morph", "morph2word"]
    scheme: str = "ud"
    level: int = MORPHEMES
    upos: str = ""
    lemmas: str = "normalised"
    bound_marker: str = ""
    xpos: str = ""
    aux_lemmas: str = ""
    published: bool = False
    repair: bool = False
    columns: tuple[str, ...] = ()
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"

    def make_pipeline(self) -> Pipeline:
        """Return the pipeline that converts blocks, for one process.

        Raises:
            UsageError: there is no such scheme.
        """
        from sejongud.formats.conllu.write import ConlluWriter

        writer = ConlluWriter(same_header=True, columns=self.columns)
        steps = [*_conventions(self, told=True), self.make_step()]
        return _DependencyPipeline(self, self.make_reader(), steps, writer, count_words=True)

    needs_order = False

    def make_reader(self) -> Reader:
        """Return the reader; only word2morph without `keep` requires trees."""
        from sejongud.formats.conllu.sentence import ConlluReader

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
            from sejongud.converters.edits import Edits
            from sejongud.converters.morph2word import Morph2Word

            return Morph2Word(rules, bound_marker=self.bound_marker, edits=Edits(rules))
        if self.published:
            if self.level != MORPHEMES or self.xpos or self.aux_lemmas:
                raise UsageError(
                    "the published program makes morphemes with the tags and lemmas of the"
                    " treebank: leave out --compat published, or --level, --xpos and --aux-lemmas"
                )
            from sejongud.converters.conventions import Published

            return Published(rules, bound_marker=self.bound_marker)
        from sejongud.converters.word2morph import Word2Morph

        return Word2Morph(
            rules,
            scheme=self.scheme,
            level=self.level,
            upos=self.upos,
            lemmas=self.lemmas,
            bound_marker=self.bound_marker,
            repair=self.repair,
        )


def _conventions(job: Conversion | DependencyConversion, *, told: bool = False) -> list[Step]:
    """Return the step to the tags and lemmas of another convention, if a conversion has one."""
    if not (job.xpos or job.aux_lemmas):
        return []
    from sejongud.converters.conventions import Conventions

    return [Conventions(load(job.rules), xpos=job.xpos, aux_lemmas=job.aux_lemmas, told=told)]


class _DependencyPipeline(Pipeline):
    """Converts sentences, optionally with the words of a second file."""

    def convert(self, block: Block, sentence: Sentence) -> Sentence:
        """Apply the step to a sentence, with the words of the second file if there is one."""
        if not block.other:
            return super().convert(block, sentence)
        words = self.reader.parse(block._replace(text=block.other, other=""))
        converted: Sentence = self.steps[0](sentence, words)  # type: ignore[call-arg]
        return converted


def _head_final(rules: Rules) -> Step:
    """Return the step to the eojeols and the head-final dependencies of KLUE-DP."""
    from sejongud.converters.tree_words import HeadFinal

    return HeadFinal(rules, keeps_arcs=True)


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
    return MORPHEMES if level is None and name != "jsonl" else level


def columns_of(name: str, head: str) -> tuple[str, ...]:
    """Return the columns of CoNLL-U Plus for the layers that the sentences of a file have.

    Args:
        name: the format of the file.
        head: its beginning.
    """
    if name == "jsonl":
        from sejongud.formats.jsonl import layers_in

        return needed_columns(layers_in(head.split("\n")))
    if name.partition(":")[0] in FRAME_FORMATS:
        return FRAME_COLUMNS
    if name in TREES:
        return TREE_COLUMNS
    return other_columns(head) if name == "conllu" else ()


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
    from sejongud.files.texts import Scratch
    from sejongud.formats.jsonl import layers_in

    with ExitStack() as stack:
        copy = None if source.is_file else Scratch.of(source, stack)
        with source.again() if copy is None else copy.open() as whole:
            columns = needed_columns(layers_in(whole.lines()))
        yield source if copy is None else stack.enter_context(copy.open()), columns


_JSONL: Mapping[str, int | None] = {"jsonl": None}


@contextmanager
def as_conllu(
    source: Source,
    report: Report,
    *,
    on_error: OnError = "stop",
    rules: str | None = None,
    command: str = "",
) -> Iterator[Source]:
    """Provide a file that is read as CoNLL-U: JSON Lines become CoNLL-U before; see `as_format`.

    Args:
        source: the file, of which only the beginning was read.
        report: receives the incidents.
        on_error: "stop", "skip" or "keep".
        rules: the folder of the user's tables.
        command: the command that reads CoNLL-U alone and refuses other corpora, if it does.

    Raises:
        UsageError: the command refuses the file.
    """
    other = sniff(source.head()) if command else None
    if other is not None and other.name not in ("conllu", "jsonl"):
        raise UsageError(
            f"{source.path} looks like {other.name}, and {command} reads CoNLL-U: convert makes it"
        )
    with as_format("conllu", source, report, _JSONL, on_error=on_error, rules=rules) as text:
        yield text


@contextmanager
def as_format(
    to: str,
    source: Source,
    report: Report,
    corpora: Mapping[str, int | None],
    *,
    on_error: OnError = "keep",
    rules: str | None = None,
) -> Iterator[Source]:
    """Provide a file in a format that files of some other formats become before.

    Args:
        to: the format.
        source: the file, of which only the beginning was read; one of another format is itself.
        report: receives the incidents of the corpus; those of its text in the format name it "FILE
            as CoNLL-U".
        corpora: the other formats → the level of the words, None for those of the corpus.
        on_error: "stop", "skip" or "keep".
        rules: the folder of the user's tables.
    """
    other = sniff(source.head()) if source.head().strip() else None
    if other is None or other.name not in corpora:
        yield source
        return
    from sejongud.files.texts import Scratch

    settings: dict[str, Any] = {"on_error": on_error, "rules": rules, "path": source.path}
    with ExitStack() as stack:
        whole, columns = stack.enter_context(with_columns(other.spec, to, source))
        settings |= tree_settings(columns, "columns") if to == "conllu" else {}
        named = "CoNLL-U" if to == "conllu" else to
        text = stack.enter_context(Scratch(f"{source.path} as {named}"))
        conversion = Conversion(other.spec, to, level=corpora[other.name], **settings)
        with text.writing() as out:
            convert_stream(conversion, whole, out, report)
        yield stack.enter_context(text.open())


def tree_settings(columns: tuple[str, ...], trees: str) -> dict[str, Any]:
    """Return the settings `trees` and `columns` of a conversion.

    Args:
        columns: the columns of the layers of the source.
        trees: "columns", or "none" if constituents are not written.
    """
    expect_choice("trees", trees, ("columns", "none"))
    # Sentences without trees take a faster way.
    has_trees = trees != "none" or TREE_COLUMNS[0] not in columns
    kept = [column for column in columns if has_trees or column not in TREE_COLUMNS]
    return {"trees": has_trees, "columns": tuple(kept)}


def read(
    path: str | os.PathLike[str],
    *,
    from_: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    encoding: str | None = None,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """Iterate over the sentences of a file.

    Args:
        path: the file; `-` is standard input.
        from_: its format; None detects it.
        encoding: its encoding; None detects it.
        on_error: "stop", "skip" or "keep".
        rules: a folder of tables laid over the built-in ones.
        report: receives an incident for everything that was mended or left out.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: the file cannot be read.
    """
    with Source(path, encoding=encoding) as source:
        conversion = Conversion(
            resolve(from_, source.head(), source.path, None if rules is None else str(rules)),
            on_error=on_error,
            rules=None if rules is None else str(rules),
            path=source.path,
        )
        yield from conversion.make_reader().read_file(source, on_error, report or Report())
