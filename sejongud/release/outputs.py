"""Step two of a build: the sentences of a base written in every form, each to the file of its part.

    words        a treebank's own words, as it has them
    conllu-N     CoNLL-U at level N; of a treebank at 5 what `dep word2morph` makes
    iob-N        columns with a tab between: form, UPOS, XPOS, label of the outermost entity
    jsonl-N      an object a sentence, as `convert --to jsonl` writes it
    parquet-N    a row a sentence, with lists of tokens and words (`sejongud.release.parquet`)

Where a corpus is split sentence by sentence its documents are cut: so the comments that begin a
document or a paragraph are written anew, in each file before the first sentence that it has of it.
What a source says of itself as a whole (`global.…`, `ner_format`) stands on the first sentence of
every file.
"""

from __future__ import annotations

import gc
import json
import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.files import atomic_output
from sejongud.formats.base import Frame
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.crf import crf_text, rows
from sejongud.formats.jsonl import JsonlReader, JsonlWriter
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.parallel import ordered_map
from sejongud.release.inputs import headers, opening_of, split_block
from sejongud.release.recipe import SPLITS, WORD2MORPH
from sejongud.rules import load
from sejongud.streams import batches, without_collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from sejongud.model import Sentence
    from sejongud.release.inputs import Base, Header
    from sejongud.release.recipe import Corpus, Output
    from sejongud.release.splits import SplitSet
    from sejongud.rules import Rules

__all__ = ["Reading", "file_of", "write_ids", "write_outputs"]

_OPEN_FILES = 180
"""How many files are written at the same time; some systems allow 256."""
_LAST_LEVEL = 5

_ENDINGS = {
    "words": ".conllu",
    "conllu": ".conllu",
    "iob": ".tsv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
}
_PLUS = ".conllup"
_PACKED = ".gz"


def file_of(corpus: Corpus, output: Output, way: str, part: str, *, compress: bool) -> str:
    """Where the sentences of a part stand, from the folder of the release.

    Args:
        corpus: which.
        output: which form.
        way: the name of the way of splitting.
        part: one of `SPLITS`.
        compress: whether text is packed.
    """
    ending = _ENDINGS[output.format]
    if output.format == "conllu" and corpus.options.get("ne") == "column":
        ending = _PLUS
    if compress and output.format != "parquet":
        ending += _PACKED
    return "/".join(filter(None, ["data", corpus.name, way, output.name, part + ending]))


# --- a sentence ----------------------------------------------------------------------------------


class Reading:
    """Reads the lines of a base.

    Args:
        is_treebank: whether a line holds CoNLL-U.
        rules: the user's tables.
    """

    def __init__(self, is_treebank: bool, rules: str | None) -> None:
        assembler = Assembler(load(rules))
        self._is_treebank = is_treebank
        self._jsonl = JsonlReader(assembler)
        self._conllu = ConlluReader(assembler)

    def sentence(self, line: str, sent_id: str) -> Sentence:
        """The sentence of a line; of a treebank in its own words."""
        if self._is_treebank:
            return self.parsed(json.loads(line)["words"], sent_id)
        return self._jsonl.parse(Frame(line, 1, 1, sent_id))

    def parsed(self, text: str, sent_id: str) -> Sentence:
        """The sentence of a block of CoNLL-U."""
        return self._conllu.parse(Frame(text.rstrip("\n"), 1, 1, sent_id))


class _Form:
    """One form in which sentences are written.

    Args:
        output: which.
        corpus: whose sentences.
        rules: the tables.
        labelled: whether the corpus has entities.
    """

    def __init__(self, output: Output, corpus: Corpus, rules: Rules, *, labelled: bool) -> None:
        self.output = output
        level = output.level or _LAST_LEVEL
        granularity = Granularity(rules, level, upos=corpus.upos, lemmas=corpus.lemmas)
        options = corpus.options
        # Of `dep word2morph` the schemes are those of the morphemes: its words are the treebank's.
        schemes = {} if corpus.converter == WORD2MORPH else options
        conllu = ConlluWriter(
            granularity,
            dummy_deps=options.get("deps") == "dummy",
            ne=options.get("ne", "misc") if output.format == "conllu" else "misc",
            ne_layers=3 if options.get("nested") else 1,
            retag=bool(schemes.get("upos")),
            relemma=bool(schemes.get("lemmas")),
            no_deps=options.get("deps") == "none",
        )
        self.preamble = conllu.preamble
        """What stands before the first sentence of a file."""
        self.of_text: Callable[[str], Any] | None = None
        """Makes it of CoNLL-U that is at this level; None if that would not do."""
        self.of_sentence: Callable[[Sentence], Any] = conllu.sentence
        """Makes it of a sentence."""
        self.loses: Callable[[Sentence], str] = conllu.loses
        """What of a sentence it has no place for, "" for nothing."""
        if output.format in ("words", "conllu"):
            self.of_text = _itself
        elif output.format == "iob":
            # Labels of words are all that it is meant for.
            self.loses = _nothing
            self.of_sentence = lambda sentence: crf_text(sentence, granularity)
        elif output.format == "jsonl":
            self.loses = _nothing
            self.of_sentence = JsonlWriter(granularity).sentence
        else:
            from sejongud.release.parquet import row

            self.of_text = row
            self.of_sentence = lambda sentence: row(
                conllu.sentence(sentence),
                [one.label for one in rows(sentence, granularity)] if labelled else None,
            )


def _itself(text: str) -> str:
    return text


def _nothing(sentence: Sentence) -> str:
    return ""


class _Item(NamedTuple):
    """A sentence on its way to another process."""

    line: str
    sent_id: str
    openings: tuple[tuple[str, ...], ...]
    """The comments that open it; several where it opens a document in some of its files only."""
    homes: tuple[tuple[int, int, int], ...]
    """Where it goes: the number of the way of splitting, of the part, and of the opening."""


class _Rendered(NamedTuple):
    """What came of a sentence."""

    homes: tuple[tuple[int, int, int], ...]
    written: list[list[Any]]
    """For each opening, for each output: a text, or the row of a table."""
    lost: list[tuple[str, str]]
    """The names of the outputs that have no place for all of it, and what for."""


@dataclass(frozen=True)
class _Rendering:
    """What is to be made of the sentences of a corpus; made once, pickled to every process."""

    corpus: Corpus
    is_treebank: bool
    has_entities: bool
    rules: str | None

    def make_work(self) -> _Work:
        """What does it, in one process."""
        return _Work(self)


class _Work:
    """Writes sentences in every form, in one process."""

    def __init__(self, rendering: _Rendering) -> None:
        rules = load(rendering.rules)
        corpus = rendering.corpus
        self._is_treebank = rendering.is_treebank
        self._reading = Reading(rendering.is_treebank, rendering.rules)
        labelled = rendering.has_entities
        self.forms = [_Form(out, corpus, rules, labelled=labelled) for out in corpus.outputs]

    def __call__(self, items: list[_Item]) -> list[_Rendered]:
        render = self._treebank if self._is_treebank else self._sentence
        return [render(item) for item in items]

    def _sentence(self, item: _Item) -> _Rendered:
        sentence = self._reading.sentence(item.line, item.sent_id)
        others = tuple([c for c in sentence.comments if not opening_of(c)])
        written = []
        for opening in item.openings:
            sentence = replace(sentence, comments=(*opening, *others))
            written.append([form.of_sentence(sentence) for form in self.forms])
        return _Rendered(item.homes, written, _lost(sentence, self.forms))

    def _treebank(self, item: _Item) -> _Rendered:
        found = json.loads(item.line)
        written = []
        for opening in item.openings:
            words = _opened(found["words"], item.sent_id, opening)
            inner = _opened(found["morphemes"], item.sent_id, opening)
            # The treebank's own cut serves the lower levels: one of them may be just that.
            low = self._reading.parsed(words, item.sent_id)
            written.append([self._form(form, words, inner, low) for form in self.forms])
        own_cut = [form for form in self.forms if 0 < form.output.level < _LAST_LEVEL]
        lost = _lost(low, own_cut)
        if what := _of_ranges(found["morphemes"]):
            sentences = [f for f in self.forms if f.output.level == _LAST_LEVEL and not f.of_text]
            lost += [(form.output.name, what) for form in sentences]
        return _Rendered(item.homes, written, lost)

    def _form(self, form: _Form, words: str, inner: str, low: Sentence) -> Any:
        if form.output.format == "words":
            return words
        if form.output.level < _LAST_LEVEL:
            return form.of_sentence(low)
        if form.of_text is not None:
            return form.of_text(inner)
        return form.of_sentence(self._reading.parsed(inner, low.sent_id))


def _lost(sentence: Sentence, forms: Sequence[_Form]) -> list[tuple[str, str]]:
    if not sentence.columns and not sentence.entities:
        return []
    found = [(form.output.name, form.loses(sentence)) for form in forms]
    return [(name, what) for name, what in found if what]


def _of_ranges(block: str) -> str:
    """What a block of CoNLL-U says of its ranges, for which a sentence has no place."""
    rows = [line.split("\t") for line in split_block(block)[1].rstrip("\n").split("\n")]
    misc = [row[9] for row in rows if "-" in row[0]]
    count = len([items for items in misc if items not in ("_", "SpaceAfter=No")])
    return f"MISC of {count} words, on the ranges of their morphemes" if count else ""


class _Losses:
    """Adds up what has not been written."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], tuple[int, int]] = {}

    def add(self, name: str, what: str) -> None:
        """Add what an output has no place for of a sentence; a number in that is a sum in all."""
        number = _NUMBER.search(what)
        before, behind = (what[: number.start()], what[number.end() :]) if number else (what, "")
        sentences, total = self._found.get((name, before, behind), (0, 0))
        amount = int(number[0]) if number else 0
        self._found[name, before, behind] = sentences + 1, total + amount

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Of each output what has no place in it, and of how many sentences that is so."""
        found: dict[str, dict[str, int]] = {}
        for (name, before, behind), (sentences, total) in sorted(self._found.items()):
            what = f"{before}{total:,}{behind}" if total else before
            found.setdefault(name, {})[what] = sentences
        return found


_NUMBER = re.compile(r"\d+")


def _opened(block: str, sent_id: str, opening: tuple[str, ...]) -> str:
    """A block of CoNLL-U with another id and other comments before it."""
    comments, body = split_block(block)
    own = [f"sent_id = {sent_id}" if c.startswith("sent_id = ") else c for c in comments]
    if own == comments and f"sent_id = {sent_id}" not in comments:
        own.insert(0, f"sent_id = {sent_id}")
    kept = [*opening, *[comment for comment in own if not opening_of(comment)]]
    return "".join([*[f"# {comment}\n" for comment in kept], body, "\n\n"])


# --- all of them ---------------------------------------------------------------------------------


_work: _Work | None = None
"""The work of this process."""


def _begin(rendering: _Rendering) -> None:
    global _work
    gc.disable()
    _work = rendering.make_work()


def _run(items: list[_Item]) -> list[_Rendered]:
    assert _work is not None
    return _work(items)


def write_outputs(
    corpus: Corpus,
    base: Base,
    ways: Sequence[SplitSet],
    folder: Path,
    *,
    rules: str | None,
    compress: bool,
    jobs: int,
) -> dict[str, dict[str, int]]:
    """Write the sentences of a corpus in all forms, in constant memory and in order.

    Args:
        corpus: which.
        base: its sentences.
        ways: how they are split.
        folder: the folder of the release.
        rules: the user's tables.
        compress: whether text is packed.
        jobs: how many processes.

    Returns:
        Of each output that has no place for all of its sentences: what for, and for how many.
    """
    rendering = _Rendering(corpus, base.is_treebank, base.has_entities, rules)
    work = rendering.make_work()
    at_once = max(1, _OPEN_FILES // (len(SPLITS) * (len(corpus.outputs) + 1)))
    losses = _Losses()
    for first in range(0, len(ways), at_once):
        some = ways[first : first + at_once]
        # All of them lose the same.
        losses = _Losses()
        items = batches(_items(base, some), lambda item: len(item.line))
        results: Iterator[list[_Rendered]]
        if jobs == 1:
            results = map(work, items)
        else:
            results = ordered_map(_run, items, jobs, initializer=_begin, initargs=(rendering,))
        with _open_files(work.forms, some, folder, corpus, compress) as files, without_collector():
            for rendered in results:
                for one in rendered:
                    for name, what in one.lost:
                        losses.add(name, what)
                    for way, part, opening in one.homes:
                        for write, text in zip(files[way, part], one.written[opening], strict=True):
                            write(text)
    return losses.to_dict()


@contextmanager
def _open_files(
    forms: Sequence[_Form],
    ways: Sequence[SplitSet],
    folder: Path,
    corpus: Corpus,
    compress: bool,
) -> Iterator[dict[tuple[int, int], list[Callable[[Any], object]]]]:
    """The files of some ways of splitting, by the numbers of way and part: what writes to each."""
    with ExitStack() as stack:
        writes: dict[tuple[int, int], list[Callable[[Any], object]]] = {}
        for at, way in enumerate(ways):
            for part in sorted(set(way.parts)):
                own = writes[at, part] = []
                for form in forms:
                    name = file_of(corpus, form.output, way.name, SPLITS[part], compress=compress)
                    own.append(stack.enter_context(_open_file(folder / name, form)))
        yield writes


@contextmanager
def _open_file(path: Path, form: _Form) -> Iterator[Callable[[Any], object]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if form.output.format == "parquet":
        from sejongud.release.parquet import table

        with table(path) as add:
            yield add
    else:
        with atomic_output(path) as out:
            out.write(form.preamble)
            yield out.write


def _items(base: Base, ways: Sequence[SplitSet]) -> Iterator[_Item]:
    """The sentences of a base, each with where it goes and what opens it there."""
    last: dict[tuple[int, int], Header] = {}
    for number, header in enumerate(headers(base)):
        openings: list[tuple[str, ...]] = []
        homes = []
        for at, way in enumerate(ways):
            home = at, way.parts[number]
            opening = _opening(header, last.get(home))
            if opening not in openings:
                openings.append(opening)
            homes.append((*home, openings.index(opening)))
            last[home] = header
        yield _Item(header.line, header.sent_id, tuple(openings), tuple(homes))


def _opening(header: Header, before: Header | None) -> tuple[str, ...]:
    """The comments that open a sentence in a file, where this one stands before it."""
    found = list(header.of_file) if before is None else []
    if before is None or before.document != header.document:
        found.append(header.newdoc)
    if before is None or before.paragraph != header.paragraph:
        found.append(header.newpar)
    return tuple(filter(None, found))


def write_ids(base: Base, ways: Sequence[SplitSet], folder: Path, corpus: Corpus) -> None:
    """Write which sentences each part has, one id a line: lists that another recipe can take.

    Args:
        base: the sentences.
        ways: how they are split.
        folder: the folder of the release.
        corpus: which.
    """
    with ExitStack() as stack:
        outs = {}
        for way in ways:
            for part in sorted(set(way.parts)):
                path = folder / "/".join(
                    filter(None, ["ids", corpus.name, way.name, f"{SPLITS[part]}.txt"])
                )
                path.parent.mkdir(parents=True, exist_ok=True)
                outs[way.name, part] = stack.enter_context(atomic_output(path))
        for number, header in enumerate(headers(base)):
            for way in ways:
                outs[way.name, way.parts[number]].write(f"{header.sent_id}\n")
