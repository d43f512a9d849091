"""Convert every input once, into a file that the rest of a build reads.

The conversions are those of the commands (`convert`, `ner eoj2morph`, `ner syl2morph`, `frame
eoj2morph`, `dep word2morph`). A line of the file is a sentence, a JSON object that begins with its
id and comments. That of a text, or of a corpus of entities or frames, is a line of the format
`jsonl`, which loses nothing. That of a treebank holds the sentence in CoNLL-U, as the file has it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.jobs import Conversion, read
from sejongud.files import Source, atomic_output
from sejongud.formats import (
    ENTITY_FORMATS,
    FRAME_FORMATS,
    expect_known_unit,
    label_format,
    recognise,
    resolve,
    sniff,
)
from sejongud.formats.around import META
from sejongud.formats.base import Block, SentIds
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.conllu.plus import needed_columns
from sejongud.formats.conllu.rows import split_comments
from sejongud.formats.jsonl import JsonlReader, layers_in
from sejongud.layers.labels import OUTSIDE
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import Step, convert_stream
from sejongud.release.recipe import CONVERT, EOJ2MORPH, WORD2MORPH, Corpus, Recipe, word2morph
from sejongud.release.rows import class_names, comments_of
from sejongud.release.splits import ReleaseError
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.model import Sentence

_NEWDOC, _NEWPAR = "newdoc", "newpar"
_OF_FILE = ("global.", "ner_format = ")
"""The beginnings of comments that stand on the first sentence and hold for the whole file."""
OPENING = (_NEWDOC, _NEWPAR, META, *_OF_FILE)
"""The beginnings of comments that are written anew in every file, as they hold for what follows."""

_ENTITIES = ', "entities": ['
_BODY = {False: ', "eojeols": [', True: ', "text": "'}
"""The text that ends the head of a line, for a treebank or not. Inside a JSON text its quotes would
have a backslash before them, so it cannot occur there."""

_Place = tuple[int, tuple[str, ...]]
"""The number of a document or paragraph, and the comments that it begins with."""


class ReleaseHeader(NamedTuple):
    """The head of a sentence, known without reading the rest of it."""

    line: str
    """The line of the sentence."""
    sent_id: str
    """Its id, unique in the corpus."""
    places: tuple[_Place, _Place, _Place]
    """The file, document and paragraph that it is in."""

    @property
    def document(self) -> int:
        """The number of the document, from 1; 0 before the first document begins."""
        return self.places[1][0]


@dataclass(frozen=True)
class Converted:
    """The converted sentences of a corpus.

    Args:
        corpus: the corpus.
        recipe: the recipe that it is in.
        path: the file of the sentences.
        sentences: the number of sentences.
        labels: the labels of entities that its sentences have; None if they have none, not even O.
        columns: of CoNLL-U Plus, which the frames and constituents of the sentences need.
        borders: for each file of several, the number of its first sentence, from 0, and its name.
    """

    corpus: Corpus
    recipe: Recipe
    path: Path
    sentences: int
    labels: frozenset[str] | None
    columns: tuple[str, ...]
    borders: tuple[tuple[int, str], ...]

    @property
    def names(self) -> list[str]:
        """The names of the labels, in the order of their numbers; empty without entities."""
        return [] if self.labels is None else class_names(self.labels)

    def headers(self) -> Iterator[ReleaseHeader]:
        """Iterate over the sentences, unread, each with its id, document and paragraph.

        If the corpus has several files, each is a document, unless it names its own documents.
        """
        ids = SentIds()
        mark = _BODY[self.corpus.is_treebank]
        borders = dict(self.borders) if len(self.borders) > 1 else {}
        nowhere: _Place = 0, ()
        file = document = paragraph = nowhere
        with self.path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines):
                head = json.loads(line.partition(mark)[0] + "}")
                comments = head.get("comments", ())
                if number == 0:
                    file = 0, _beginning_with(_OF_FILE, comments)
                newdoc = _beginning_with(_NEWDOC, comments)[:1]
                newpar = _beginning_with(_NEWPAR, comments)[:1]
                if not newdoc and number in borders:
                    newdoc = (f"{_NEWDOC} id = {borders[number]}",)
                # Metadata are those of a document.
                newdoc += _beginning_with(META, comments)
                if newdoc:
                    document = document[0] + 1, newdoc
                if newdoc or newpar:
                    paragraph = paragraph[0] + 1, newpar
                yield ReleaseHeader(line, ids.unique(head["sent_id"]), (file, document, paragraph))


def _beginning_with(mark: str | tuple[str, ...], comments: list[str]) -> tuple[str, ...]:
    return tuple([comment for comment in comments if comment.startswith(mark)])


def reader_of(converted: Converted) -> Callable[[str, str], Sentence]:
    """Return what reads the line of a sentence, and gives it its id."""
    assembler = Assembler(load(converted.recipe.rules_folder))
    jsonl, conllu = JsonlReader(assembler), ConlluReader(assembler)
    if converted.corpus.is_treebank:
        return lambda line, sent_id: conllu.parse(Block(json.loads(line)["text"], 1, 1, sent_id))
    return lambda line, sent_id: jsonl.parse(Block(line, 1, 1, sent_id))


# --- conversions ---------------------------------------------------------------------------------


def convert_inputs(
    corpus: Corpus, recipe: Recipe, folder: Path, report: Report, *, jobs: int, progress: bool
) -> Converted:
    """Convert the files of a corpus.

    Args:
        corpus: the corpus.
        recipe: the recipe that it is in.
        folder: the folder for the file of its sentences.
        report: takes the incidents of the conversion.
        jobs: the number of processes.
        progress: whether to show a progress bar.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        ReleaseError: there is no sentence, or the files are in another format.
    """
    convert = _word2morph if corpus.is_treebank else _convert
    path = folder / f"{corpus.name}.sentences"
    borders = []
    count = 0
    with atomic_output(path) as out:
        for name in corpus.paths:
            borders.append((count, "_".join(Path(name).name.partition(".")[0].split())))
            place = recipe.resolve(name)
            with Source(place, encoding=corpus.encoding, progress=progress) as source:
                count += convert(corpus, recipe, source, out, report, jobs)
    if not count:
        raise ReleaseError(f"{corpus.name}: there is no sentence in {', '.join(corpus.paths)}")
    with path.open(encoding="utf-8", newline="\n") as lines:
        labelled = (line for line in lines if _ENTITIES in line)
        found = {label for line in labelled for label in _labels(line)}
    labels = frozenset(found) if found or corpus.is_labelled else None
    with path.open(encoding="utf-8", newline="\n") as lines:
        columns = needed_columns(layers_in(lines))
    return Converted(corpus, recipe, path, count, labels, columns, tuple(borders))


def _labels(line: str) -> set[str]:
    """Return the labels of entities in the line of a sentence, in all layers."""
    layers, _ = json.JSONDecoder().raw_decode(line, line.index(_ENTITIES) + len(_ENTITIES) - 1)
    return {OUTSIDE, *[label for layer in layers for own in layer for label in own]}


class _Unchanged(Conversion):
    """A conversion that keeps the words of the source, and makes none where it has none."""

    def make_steps(self) -> list[Step]:
        """Return no steps."""
        return []


def _convert(
    corpus: Corpus, recipe: Recipe, source: Source, out: TextIO, report: Report, jobs: int
) -> int:
    """Convert a file as its command does, to JSON Lines, and return the number of sentences.

    Raises:
        ReleaseError: the file is in no format of the corpus, or has not the options of its own.
    """
    # Kiwi has threads of its own.
    alone: dict[str, Any] = {"workers": jobs if jobs > 1 else None}
    if corpus.is_labelled:
        reader = _layout(corpus, source, load(recipe.rules_folder))
        options = {"nested": False} | alone | _chosen(corpus, "inherit", "exclusion", "nested")
    elif corpus.is_framed:
        if (found := sniff(source.head(), FRAME_FORMATS)) is None:
            raise ReleaseError(f"{source.path} looks like no corpus of frames")
        reader = found.spec
        options = alone | {
            "general": corpus.options.get("arguments") == "general",
            "symbols": corpus.options.get("symbols") != "out",
            "merge": bool(corpus.options.get("merge_instances")),
        }
    else:
        reader = resolve(corpus.format or None, source.head(), source.path, recipe.rules_folder)
        options = _chosen(corpus, "metadata", "rejoin")
        if options and reader != "corpus":
            raise ReleaseError(
                f"{source.path} is read as {reader}: {' and '.join(options)} are options of the"
                " Sejong corpus as distributed (corpus) alone"
            )
        if reader == "text":
            options = {"workers": jobs}
    conversion = _Unchanged(
        reader,
        "jsonl",
        on_error=corpus.on_error,
        rules=recipe.rules_folder,
        path=source.path,
        reader_options=options,
    )
    if "workers" in options:
        jobs = 1
    morphemes = None
    if corpus.morphemes:
        place = recipe.resolve(corpus.morphemes)
        morphemes = read(place, rules=recipe.rules_folder, report=report)
    return convert_stream(conversion, source, out, report, given=morphemes, jobs=jobs).sentences


def _chosen(corpus: Corpus, *names: str) -> dict[str, Any]:
    """Return those of some options that the recipe has."""
    return {name: corpus.options[name] for name in names if name in corpus.options}


def _layout(corpus: Corpus, source: Source, rules: Rules) -> str:
    """Return the format of an entity corpus, with its settings.

    Raises:
        ReleaseError: the format is not recognised, or another converter takes its labels.
    """
    head, said = source.head(), corpus.format
    found = recognise(said, head, ENTITY_FORMATS) if said else sniff(head, ENTITY_FORMATS)
    if found is None:
        raise ReleaseError(
            f"{source.path} looks like no entity corpus: name its format in the recipe:"
            f" {', '.join(ENTITY_FORMATS)}"
        )
    if not said:
        expect_known_unit(found, head, source.path, rules)
    layout = label_format(*found, path=source.path)
    wanted = "eojeol" if corpus.converter == EOJ2MORPH else "syllable"
    if layout.unit != wanted:
        raise ReleaseError(
            f"{source.path}: {layout.name} has labels of {layout.unit}s, and {corpus.converter}"
            f" takes those of {wanted}s: name the other converter in the recipe"
        )
    return found.beside(source.path).spec


def _word2morph(
    corpus: Corpus, recipe: Recipe, source: Source, out: TextIO, report: Report, jobs: int
) -> int:
    """Check that `sejongud dep word2morph` converts a file, and write its sentences as they are.

    Raises:
        ReleaseError: the file has other columns than CoNLL-U, which its outputs would not have.
    """
    conversion = word2morph(corpus, recipe.rules_folder, source.path)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        convert_stream(conversion, source, nowhere, report, jobs=jobs)
    count = 0
    reader = conversion.make_reader()
    with Source(source.path, encoding=corpus.encoding) as again:
        for count, block in enumerate(reader.blocks_of(again), 1):
            if block.comments:
                raise ReleaseError(
                    f"{source.path} is CoNLL-U Plus, whose layers {WORD2MORPH} of a release has no"
                    f' place for: converter = "{CONVERT}" keeps them, and the dependencies'
                )
            line: dict[str, Any] = {
                "sent_id": block.sent_id if len(block.sent_id.split()) == 1 else str(count),
                "comments": comments_of(split_comments(block.text)[0]),
                "text": block.text,
            }
            if "NE" in block.text and (entities := reader.parse(block).entities):
                line["entities"] = entities
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count
