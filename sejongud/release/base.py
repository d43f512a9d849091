"""Step one of a build: every input converted once, to a file that stays inside.

The conversion is that of the command (`convert`, `ner eoj2morph`, `ner syl2morph`, `dep
word2morph`). A line is a sentence, a JSON object which begins with its id and its comments:
of a corpus it is what the format `jsonl` has, which loses nothing; of a treebank it holds the
sentence as CoNLL-U, in its own words and in morphemes. What is split, written and counted later is
read from there, a line at a time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.files import Source, atomic_output
from sejongud.formats.base import OPENING, SentIds
from sejongud.release.recipe import CONVERT, EOJ2MORPH, SYL2MORPH, WORD2MORPH
from sejongud.release.splits import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from sejongud.converters.entities import Forward
    from sejongud.errors import Report
    from sejongud.formats.labelled import LabelFormat
    from sejongud.release.recipe import Corpus, Recipe

__all__ = ["Base", "Header", "headers", "make_base", "opening_of", "split_block"]

_SENT_ID = "sent_id = "
_NEWDOC, _NEWPAR = "newdoc", "newpar"
_NER_FORMAT = "ner_format = "
_OF_FILE = ("global.", _NER_FORMAT)
"""How the comments begin that stand on the first sentence and speak of the whole file."""

_ENTITIES = ', "entities": ['
_OF_CORPUS = ("metadata", "rejoin")
_BODY = {False: ', "eojeols": [', True: ', "words": "'}
"""Where the head of a line ends, of a corpus and of a treebank. Inside a JSON text the quotes would
have a backslash before them, so it cannot be found there."""


class Base(NamedTuple):
    """The sentences of a corpus, converted."""

    path: Path
    is_treebank: bool
    sentences: int
    has_entities: bool
    """Whether its sentences are labelled, if only with O."""
    borders: tuple[tuple[int, str], ...]
    """Which sentence, from 0, begins a file of the corpus, and the name of that file; nothing where
    the corpus is a single file."""


class Header(NamedTuple):
    """What is known of a sentence without reading it."""

    line: str
    """Of the base."""
    sent_id: str
    """Unique in the corpus."""
    document: int
    """Which document, from 1; 0 before the first that has a beginning."""
    newdoc: str
    """The comment that begins that document; "" if none does."""
    paragraph: int
    newpar: str
    of_file: tuple[str, ...]
    """The comments that belong to the first sentence of every file made of this one."""


@dataclass
class _Build:
    """What the conversion of one corpus needs."""

    corpus: Corpus
    recipe: Recipe
    report: Report
    jobs: int
    progress: bool

    def open(self, path: str) -> Source:
        """An input, as the recipe has it."""
        return Source(
            self.recipe.resolve(path), encoding=self.corpus.encoding, progress=self.progress
        )


def make_base(
    corpus: Corpus, recipe: Recipe, folder: Path, report: Report, *, jobs: int, progress: bool
) -> Base:
    """Convert the files of a corpus.

    Args:
        corpus: which.
        recipe: the recipe it is in.
        folder: where the base may be written.
        report: is told of everything that was mended or left out.
        jobs: how many processes.
        progress: whether to show how far it is.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        ReleaseError: there is no sentence.
    """
    build = _Build(corpus, recipe, report, jobs, progress)
    is_treebank = corpus.converter == WORD2MORPH
    path = folder / f"{corpus.name}.base"
    borders = []
    count = 0
    with atomic_output(path) as out:
        for name in corpus.paths:
            borders.append((count, "_".join(Path(name).name.partition(".")[0].split())))
            if is_treebank:
                count += _treebank(build, name, out, folder)
            elif corpus.converter == CONVERT:
                count += _sentences(build, name, out)
            else:
                count += _entities(build, name, out)
    if not count:
        raise ReleaseError(f"{corpus.name}: there is no sentence in {', '.join(corpus.paths)}")
    has_entities = corpus.converter in (EOJ2MORPH, SYL2MORPH) or _any_entities(path)
    several = tuple(borders) if len(borders) > 1 else ()
    return Base(path, is_treebank, count, has_entities, several)


def _any_entities(path: Path) -> bool:
    with path.open(encoding="utf-8", newline="\n") as lines:
        return any(_ENTITIES in line for line in lines)


def _sentences(build: _Build, name: str, out: TextIO) -> int:
    """`sejongud convert --to jsonl`."""
    from sejongud.conversion import Conversion, convert_stream
    from sejongud.formats import resolve

    corpus = build.corpus
    jobs = build.jobs
    with build.open(name) as source:
        reader = resolve(corpus.format or None, source.head())
        options = {key: corpus.options[key] for key in _OF_CORPUS if key in corpus.options}
        if options and reader != "corpus":
            raise ReleaseError(
                f"{source.path} is read as {reader}: {' and '.join(options)} are options of the"
                " Sejong corpus as distributed (corpus) alone"
            )
        if reader == "text":
            # As `sejongud convert` does it: Kiwi has threads of its own.
            options = {"workers": jobs or None}
            jobs = 1
        conversion = Conversion(
            reader,
            "jsonl",
            on_error=corpus.on_error,
            rules=build.recipe.rules_folder,
            path=source.path,
            reader_options=options,
        )
        return convert_stream(conversion, source, out, build.report, jobs=jobs).sentences


def _entities(build: _Build, name: str, out: TextIO) -> int:
    """`sejongud ner eoj2morph | syl2morph`, written as JSON Lines."""
    from sejongud.conversion import read
    from sejongud.formats.jsonl import JsonlWriter
    from sejongud.levels.cut import Granularity
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import load

    corpus = build.corpus
    rules = load(build.recipe.rules_folder)
    writer = JsonlWriter(Granularity(rules))
    with build.open(name) as source:
        layout = _layout(corpus, source)
        forward = _forward(build, Assembler(rules), layout, source.path)
        given = None
        if corpus.morphemes:
            morphemes = build.recipe.resolve(corpus.morphemes)
            given = read(morphemes, rules=build.recipe.rules_folder, report=build.report)
        count = 0
        for sentence in forward.sentences(source.chunks(), given):
            out.write(writer.sentence(sentence))
            count += 1
    return count


def _layout(corpus: Corpus, source: Source) -> LabelFormat:
    """The format of an entity corpus.

    Raises:
        ReleaseError: it looks like none, or its labels stand on what another converter takes.
    """
    from sejongud.formats import ENTITY_FORMATS, label_format, recognise, sniff

    head, said = source.head(), corpus.format
    found = recognise(said, head, ENTITY_FORMATS) if said else sniff(head, ENTITY_FORMATS)
    if found is None:
        raise ReleaseError(
            f"{source.path} looks like no entity corpus: name its format in the recipe:"
            f" {', '.join(ENTITY_FORMATS)}"
        )
    layout = label_format(*found)
    wanted = "eojeol" if corpus.converter == EOJ2MORPH else "syllable"
    if layout.unit != wanted:
        raise ReleaseError(
            f"{source.path}: {layout.name} has labels of {layout.unit}s, and {corpus.converter}"
            f" takes those of {wanted}s: name the other converter in the recipe"
        )
    return layout


def _forward(build: _Build, assembler: Any, layout: LabelFormat, path: str) -> Forward:
    from sejongud.converters.entities import Forward

    corpus = build.corpus
    return Forward(
        assembler,
        layout,
        build.report,
        inherit=corpus.options.get("inherit", False),
        nested=corpus.options.get("nested", False),
        on_error=corpus.on_error,
        path=path,
        workers=build.jobs if build.jobs > 1 else None,
    )


def _treebank(build: _Build, name: str, out: TextIO, folder: Path) -> int:
    """`sejongud dep word2morph`, each sentence beside the one that it was made of."""
    from sejongud.dependencies import DependencyConversion, convert_dependencies

    corpus = build.corpus
    options = corpus.options
    made = folder / f"{corpus.name}.morphemes"
    with build.open(name) as source, atomic_output(made) as morphemes:
        conversion = DependencyConversion(
            "word2morph",
            scheme=options.get("scheme", "morphud"),
            upos=options.get("upos", ""),
            lemmas=corpus.lemmas,
            bound_marker=options.get("bound_marker", ""),
            rules=build.recipe.rules_folder,
            path=source.path,
        )
        convert_dependencies(conversion, source, morphemes, build.report, jobs=build.jobs)
    count = 0
    reader = conversion.make_reader()
    with build.open(name) as source, Source(made) as split:
        pairs = zip(reader.blocks(source.chunks()), reader.blocks(split.chunks()), strict=True)
        for words, inner in pairs:
            comments, _ = split_block(words.text)
            named = next((c[len(_SENT_ID) :] for c in comments if c.startswith(_SENT_ID)), "")
            count += 1
            line = {
                "sent_id": named.strip() if len(named.split()) == 1 else str(count),
                "comments": comments,
                "words": words.text,
                "morphemes": inner.text,
            }
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    made.unlink()
    return count


def split_block(text: str) -> tuple[list[str], str]:
    r"""The comments of a block of CoNLL-U, without `#` and its space, and the lines behind them.

    >>> split_block("# sent_id = 1\n1\t가")
    (['sent_id = 1'], '1\t가')
    """
    comments = []
    while text.startswith("#"):
        comment, _, text = text.partition("\n")
        comments.append(comment[1:].removeprefix(" "))
    return comments, text


def headers(base: Base) -> Iterator[Header]:
    """The sentences of a base, unread, each with its id, its document and its paragraph.

    Where the corpus has several files, each of them is a document, unless it says itself what its
    documents are.
    """
    ids = SentIds()
    mark = _BODY[base.is_treebank]
    borders = dict(base.borders)
    document = paragraph = 0
    newdoc = newpar = ""
    of_file: tuple[str, ...] = ()
    with base.path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines):
            head = json.loads(line.partition(mark)[0] + "}")
            comments = head.get("comments", ())
            if number == 0:
                of_file = tuple([c for c in comments if c.startswith(_OF_FILE)])
            begins = next((c for c in comments if c.startswith(_NEWDOC)), "")
            if not begins and number in borders:
                begins = f"{_NEWDOC} id = {borders[number]}"
            if begins:
                document += 1
                newdoc = begins
            if (part := next((c for c in comments if c.startswith(_NEWPAR)), "")) or begins:
                paragraph += 1
                newpar = part
            sent_id = ids.unique(head["sent_id"])
            yield Header(line, sent_id, document, newdoc, paragraph, newpar, of_file)


def opening_of(comment: str) -> bool:
    """Whether a comment is written anew for every file: it speaks of what goes on behind it."""
    return comment.startswith((*OPENING, _NER_FORMAT))
