"""Write the sentences of a corpus in every form, each to the file of its part.

    words        the words of a treebank as they are
    conllu-N     CoNLL-U at level N; level 5 of a treebank is the output of `dep word2morph`
    iob-N        columns with a tab between: form, UPOS, XPOS, label of the outermost entity
    jsonl-N      an object a sentence: the keys of `convert --to jsonl`, and lists of words
    parquet-N    a row a sentence, with lists of words and tokens (`sejongud.release.rows`)
    ids          the ids of the sentences, one a line: lists that another recipe can take

A split by sentences cuts documents. Therefore the comments that begin a document or paragraph are
written anew in every file, before the first sentence that the file has of it. Comments about the
whole source (`global.…`, `ner_format`) stand on the first sentence of every file.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.recut import Recut, annotated
from sejongud.converters.trees import Fit
from sejongud.errors import FormatError, Note
from sejongud.files import Source, atomic_output
from sejongud.files import progress as make_bar
from sejongud.formats import endings_of
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.exports import crf_text, lost, rows
from sejongud.formats.jsonl import JsonlWriter
from sejongud.layers.labels import LOST, LOST_FRAME
from sejongud.levels.cut import Granularity
from sejongud.model import MORPHEMES
from sejongud.pipeline import ordered_batches, without_collector
from sejongud.release.inputs import OPENING, Converted, ReleaseHeader, reader_of
from sejongud.release.keys import SPLITS
from sejongud.release.recipe import Corpus, Output, word2morph
from sejongud.release.rows import layer_cells, object_line, row, table
from sejongud.rules import load
from sejongud.terminal import counted
from sejongud.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from sejongud.model import Sentence
    from sejongud.release.splits import SplitSet

    Home = tuple[int, int]
    """Where a sentence goes: the numbers of the way of splitting and of the part."""
    Losses = dict[str, dict[str, int]]
    _Written = tuple[list[tuple[list[Home], list[Any]]], list[tuple[str, str]]]
    """The files of each opening of a sentence, and for each form the text or row; the names of
    forms that do not hold all of the sentence, and what they lose."""

_OPEN_FILES = 180
"""The greatest number of files that are open at the same time; some systems allow 256."""
IDS = Output("ids")
_FORMATS = {"words": "conllu", "iob": "tsv"}
"""The formats of outputs that have other names."""


def file_of(
    corpus: Corpus, output: Output, way: str, part: str, compress: bool, columns: Sequence[str] = ()
) -> str:
    """Return the path of a file of sentences in the folder of the release.

    Args:
        corpus: the corpus.
        output: the form.
        way: the name of the way of splitting.
        part: one of `SPLITS`.
        compress: whether text is packed with gzip.
        columns: of CoNLL-U Plus, which frames and constituents need.
    """
    if output == IDS:
        return "/".join(filter(None, ["ids", corpus.name, way, f"{part}.txt"]))
    ending, *plus = endings_of(_FORMATS.get(output.format, output.format))
    if output.format == "conllu" and (columns or corpus.options.get("ne") == "column"):
        [ending] = plus
    if compress and output.format != "parquet":
        ending += ".gz"
    return "/".join(filter(None, ["data", corpus.name, way, output.name, part + ending]))


# --- a sentence ----------------------------------------------------------------------------------


class _Form(NamedTuple):
    """A form in which sentences are written, as a text or as the row of a table."""

    output: Output
    write: Callable[[Sentence], Any]
    steps: Sequence[Callable[[Sentence], Sentence]] = ()
    """Cut a sentence into the words of the form; none if `write` does."""
    preamble: str = ""
    """What a file begins with."""
    lose: Callable[[Sentence], str] = lambda _: ""
    """Returns the parts of a sentence that the form cannot hold, whatever its words are."""

    def converted(self, sentence: Sentence) -> tuple[Any, str]:
        """Return the form of a sentence, and the parts of the sentence that it does not hold."""
        if not self.steps:
            return self.write(sentence), self.lose(sentence)
        for step in self.steps:
            sentence = step(sentence)
        notes = sentence.notes
        lost = [message.removeprefix(_LOST) for code, message, _ in notes if code == "W301"]
        return self.write(sentence), "; ".join(lost)


_LOST = "not written: "


def _make_form(output: Output, converted: Converted) -> _Form:
    corpus = converted.corpus
    options = corpus.options
    rules = load(converted.recipe.rules_folder)
    level = output.level or MORPHEMES
    granularity = Granularity(rules, level, upos=corpus.upos, lemmas=corpus.lemmas)
    conllu = ConlluWriter(
        deps=options.get("deps", ""),
        ne=options.get("ne", "misc") if output.format == "conllu" else "misc",
        ne_layers=3 if options.get("nested") else 1,
        # A row of a table has lists for the other layers.
        columns=converted.columns if output.format == "conllu" else (),
    )
    # The schemes of a treebank are those of its morphemes; its words stay as they are.
    cut: Callable[[Sentence], Sentence] = Recut(
        granularity,
        retag="upos" in options and not corpus.is_treebank,
        relemma="lemmas" in options and not corpus.is_treebank,
    )
    if corpus.is_treebank and output.level == MORPHEMES:
        cut = word2morph(corpus, converted.recipe.rules_folder).make_step()
    elif converted.columns and output.format != "jsonl":
        cut = _fitted(cut, widen=corpus.on_error == "keep")
    steps = annotated(
        [cut],
        rules,
        feats=options.get("feats", ""),
        translit=options.get("translit", False),
        gloss=options.get("gloss", False),
    )
    objects = JsonlWriter(deps=options.get("deps", ""))

    def flat(sentence: Sentence) -> dict[str, Any]:
        labels = [cells.label for cells in rows(sentence, granularity)]
        return row(conllu.lines(sentence), labels if converted.labels is not None else None)

    def line(sentence: Sentence) -> str:
        return object_line(objects.sentence(sentence), flat(sentence))

    def parquet_row(sentence: Sentence) -> dict[str, Any]:
        return {**flat(sentence), **(layer_cells(sentence) if converted.columns else {})}

    forms = {
        IDS.format: _Form(output, lambda sentence: f"{sentence.sent_id}\n"),
        "words": _Form(output, conllu.sentence),
        "iob": _Form(
            output,
            partial(crf_text, granularity=granularity),
            lose=lambda sentence: _named(lost(sentence, granularity)),
        ),
        "jsonl": _Form(output, line, steps),
        "conllu": _Form(output, conllu.sentence, steps, conllu.preamble),
        "parquet": _Form(output, parquet_row, steps),
    }
    return forms[output.format]


_KINDS = {LOST: "entities inside others, or behind others in a word", LOST_FRAME: "frames"}


def _named(notes: Iterable[Note]) -> str:
    """Return the kinds of the parts of a sentence that are not written."""
    kinds = [_KINDS.get(code, message.removeprefix(_LOST)) for code, message, _ in notes]
    return "; ".join(dict.fromkeys(kinds))


def _fitted(cut: Callable[[Sentence], Sentence], *, widen: bool) -> Callable[[Sentence], Sentence]:
    """Return a cut after which no constituent ends inside a word; it reports its changes."""
    fit = Fit("widen" if widen else "")

    def fitted(sentence: Sentence) -> Sentence:
        cut_sentence = fit(cut(sentence))
        if cut_sentence.constituents != sentence.constituents:
            pairs = zip(cut_sentence.constituents, sentence.constituents, strict=False)
            count = sum([new != old for new, old in pairs])
            what = f"{_LOST}borders of {counted(count, 'constituent[s] that would cut words')}"
            cut_sentence.notes = (*cut_sentence.notes, Note("W301", what))
        return cut_sentence

    return fitted


class _OutputItem(NamedTuple):
    """A sentence to be written."""

    text: str
    """Its line in the file of converted sentences."""
    sent_id: str
    openings: dict[tuple[str, ...], list[Home]]
    """Comments to open the sentence with → the files that it opens in this way."""


class _Writing:
    """Writes sentences in all forms, in one process."""

    def __init__(self, converted: Converted) -> None:
        self._sentence = reader_of(converted)
        self._corpus = converted.corpus.name
        outputs = (IDS, *converted.corpus.outputs)
        self.forms = [_make_form(output, converted) for output in outputs]

    def __call__(self, items: list[_OutputItem]) -> list[_Written]:
        """Return the texts of sentences, and what their forms do not hold."""
        return list(map(self._written, items))

    def _written(self, item: _OutputItem) -> _Written:
        sentence = self._sentence(item.text, item.sent_id)
        comments = [comment for comment in sentence.comments if not comment.startswith(OPENING)]
        texts = []
        lost: dict[str, str] = {}
        for opening, homes in item.openings.items():
            opened = sentence.but(comments=(*opening, *comments))
            of_form = []
            for form in self.forms:
                name = form.output.name
                try:
                    text, lost[name] = form.converted(opened)
                except FormatError as error:
                    error.message = (
                        f"inputs[{self._corpus}], sentence {item.sent_id}, output {name}:"
                        f" {error.message} (in the recipe: on_error)"
                    )
                    raise
                of_form.append(text)
            texts.append((homes, of_form))
        return texts, [(name, what) for name, what in lost.items() if what]


# --- all of them ---------------------------------------------------------------------------------


def write_outputs(
    converted: Converted,
    ways: Sequence[SplitSet],
    folder: Path,
    *,
    jobs: int,
    progress: bool = False,
) -> Losses:
    """Write the sentences of a corpus in all forms, in constant memory and in order.

    Args:
        converted: the corpus.
        ways: the ways in which it is split.
        folder: the folder of the release.
        jobs: the number of processes.
        progress: whether to show a progress bar.

    Returns:
        Name of an output → what it cannot hold → the number of sentences with that.
    """
    make_pipeline = partial(_Writing, converted)
    work = make_pipeline()
    at_once = max(1, _OPEN_FILES // (len(SPLITS) * len(work.forms)))
    losses: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    rounds = range(0, len(ways), at_once)
    total = len(rounds) * converted.sentences
    bar = make_bar(total, f"{converted.corpus.name}: written", " sentences") if progress else None
    for first in rounds:
        some = ways[first : first + at_once]
        items = _items(converted, some)
        with _open_files(converted, work.forms, some, folder) as files, without_collector():
            for written in ordered_batches(make_pipeline, items, jobs=jobs, work=work):
                if bar:
                    bar.update(len(written))
                for openings, lost_parts in written:
                    for homes, texts in openings:
                        for home in homes:
                            for write, text in zip(files[home], texts, strict=True):
                                write(text)
                    # Every way of splitting loses the same.
                    for name, what in lost_parts if first == 0 else ():
                        number = _COUNTED.search(what)
                        numbers = losses[name, _COUNTED.sub(r"{}\2[s]", what, count=1)]
                        numbers[0] += 1
                        numbers[1] += int(number[1].replace(",", "")) if number else 0
    if bar:
        bar.close()
    summed: Losses = {}
    for (name, what), (sentences, total) in sorted(losses.items()):
        before, mark, noun = what.partition("{}")
        loss = f"{before}{counted(total, noun)}" if mark else what
        summed.setdefault(name, {})[loss] = sentences
    return summed


_COUNTED = re.compile(r"([\d,]+) (constituent|word)s?\b")
"""The number of a loss, which is added up over the sentences, and the noun behind it."""


@contextmanager
def _open_files(
    converted: Converted, forms: Sequence[_Form], ways: Sequence[SplitSet], folder: Path
) -> Iterator[dict[Home, list[Callable[[Any], object]]]]:
    """Open the files of some ways of splitting, and give what writes to them."""
    rest = converted.recipe.compress, converted.columns
    with ExitStack() as stack:
        writes: dict[Home, list[Callable[[Any], object]]] = {}
        for way_number, way in enumerate(ways):
            for number in sorted(set(way.parts)):
                of_part = way.name, SPLITS[number], *rest
                paths = [folder / file_of(converted.corpus, one.output, *of_part) for one in forms]
                files = map(_open_file, paths, forms)
                writes[way_number, number] = list(map(stack.enter_context, files))
        yield writes


@contextmanager
def _open_file(path: Path, form: _Form) -> Iterator[Callable[[Any], object]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if form.output.format == "parquet":
        with table(path) as add:
            yield add
    else:
        with atomic_output(path) as out:
            out.write(form.preamble)
            yield out.write
        if form.output.format == "jsonl":
            _tell_generator(path)


_GUESSED = 8 << 20
"""The characters of a file by which loaders guess the types of its columns; they take 10 MB."""
_COMMENTED, _BEHIND = '"comments": ["', '"eojeols": '
"""What an object with comments has, and the key that stands behind them."""


def _tell_generator(path: Path) -> None:
    """Give the first object of JSON Lines a comment if its first one comes too late for loaders.

    They guess null. The comment is one that CoNLL-U has there.
    """
    with Source(path) as source:
        size = 0
        for line in source.lines():
            if _COMMENTED in line.partition(_BEHIND)[0]:
                break
            size += len(line) + 1
        else:
            return
    if size <= _GUESSED:
        return
    with Source(path) as source, atomic_output(path) as out:
        for number, line in enumerate(source.lines()):
            if number == 0:
                first = json.loads(line)
                first["comments"] = [f"generator = sejongud {__version__}"]
                line = json.dumps(first, ensure_ascii=False)
            out.write(f"{line}\n")


def _items(converted: Converted, ways: Sequence[SplitSet]) -> Iterator[Any]:
    """Iterate over the sentences, each with its files and its opening in each of them."""
    last: dict[Home, ReleaseHeader] = {}
    for number, header in enumerate(converted.headers()):
        openings: dict[tuple[str, ...], list[Home]] = {}
        for way_number, way in enumerate(ways):
            home = way_number, way.parts[number]
            openings.setdefault(_opening(header, last.get(home)), []).append(home)
            last[home] = header
        yield _OutputItem(header.line, header.sent_id, openings)


def _opening(header: ReleaseHeader, before: ReleaseHeader | None) -> tuple[str, ...]:
    """Return the comments that open a sentence in a file, after the sentence before it there."""
    seen = () if before is None else before.places
    return tuple([comment for place in header.places if place not in seen for comment in place[1]])
