"""The memoir's Table 3.8 in small: UDPipe trained on words, levels and morphemes, scored in words.

    pip install 'sejongud[benchmarks]'
    python benchmarks/dep_parser.py --gsd TRAIN.conllu DEV.conllu --kaist KAIST.conllu
        --raw RAW.txt --results RESULTS.json [--cells gsd/words,gsd/ud] [--seeds 1,2,3] [--quick]
    python benchmarks/dep_parser.py … --results RESULTS.json --table

Chen et al. (2022; memoir, Section 3.3.2) train UDPipe and Stanza on UD_Korean-GSD and -Kaist, on
words and on morphemes, convert the arcs between morphemes back to words and give LAS. This script
does the same with UDPipe 1 (Straka et al. 2016) and changes one condition at a time. A cell of the
table is a treebank, the units of the text, and the conditions that differ from the base: gold tags,
XPOS read by the parser, no vectors, morphemes of the treebank. The list is in `dep_cells.py`.

units       words: the treebank's, which are level 2; 3, 4: `dep word2morph --level`; ud, morphud:
            its two schemes at level 5; +ud, +morphud: the same with `--bound-marker +`.
no-xpos     UDPipe's default (`embedding_xpostag=0`): the parser reads form, UPOS, FEATS and DEPREL.
vectors     the forms begin with fastText vectors, trained on RAW and on the training part, whose
            text Kiwi cuts into the units. Forms of the test part get theirs from their parts.
predicted   UDPipe's tagger is trained too. The parser is trained on its tags, as UDPipe does by
            default; in all other cells it is trained on gold tags (`use_gold_tags=1`).
kiwi        predicted, and Kiwi finds the morphemes of the test part; the words are the treebank's.

What the parser finds between morphemes is converted by `dep morph2word` and has the words of the
test part, and `eval dep` scores it: LAS is that of words in all cells. Scores of morphemes are
higher because most arcs inside a word are easy; they stand in a column of their own, and must not
be compared with scores of words. UDPipe has no seed: a seed puts the training sentences in another
order, and seeds the vectors. Intervals are those of 1,000 resamples of test sentences (bootstrap,
95 %), in pairs, of the difference in LAS from the words under the same conditions; the seeds are
pooled. Every run is kept in the file of results, and a second run of the script goes on from there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from dep_cells import CELLS, Cell, las, table

from sejongud.converters.morph2word import Morph2Word
from sejongud.converters.word2morph import Word2Morph
from sejongud.errors import FormatError
from sejongud.evaluation import evaluate
from sejongud.files import atomic_output
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.layers.places import Recutter
from sejongud.levels.cut import Granularity
from sejongud.model import Arcs, Token
from sejongud.morphology.eojeol import Assembler
from sejongud.morphology.kiwi import KiwiAnalyser, clean
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.model import Eojeol, Sentence, Word

RULES = load()
ASSEMBLER = Assembler(RULES)
DIMENSION = 50
"""UDPipe's own for forms; a file of longer vectors is projected at random."""
TAGGER_ITERATIONS = 2


class Settings(NamedTuple):
    """The training."""

    iterations: int
    hidden: int
    more: str
    """Further options of the parser."""
    train: int | None
    """The number of training sentences; None for all."""
    test: int | None

    @property
    def name(self) -> str:
        part = f" of {self.train} sentences" if self.train else ""
        return f"iterations={self.iterations};hidden_layer={self.hidden};{self.more}{part}"


# Sentences


def read(text: str, *, trees: bool = True) -> list[Sentence]:
    """Return the sentences of CoNLL-U; without `trees` any heads are taken."""
    reader = ConlluReader(ASSEMBLER, heads="tree" if trees else "any")
    return [reader.parse(frame) for frame in reader.blocks([text])]


def written(sentences: Iterable[Sentence]) -> str:
    return "".join(map(ConlluWriter(same_header=True).sentence, sentences))


def bare(text: str) -> str:
    """CoNLL-U without MISC, where a conversion tells of the words: a parse has none of it."""
    return re.sub(r"(?m)^([0-9].*\t)[^\t\n]*$", r"\1_", text)


@cache
def converter(units: str) -> Callable[[Sentence], Sentence]:
    """The conversion of words to units."""
    if units == "words":
        return lambda sentence: sentence
    marker = marker_of(units)
    if units.endswith("morphud"):
        return Word2Morph(RULES, scheme="morphud", bound_marker=marker)
    return Word2Morph(RULES, level=level_of(units), bound_marker=marker)


def level_of(units: str) -> int:
    """The level at which raw text has these units; words of the treebanks are those of level 2."""
    return {"words": 2, "ud": 5, "morphud": 5}.get(units.removeprefix("+")) or int(units)


def marker_of(units: str) -> str:
    """The text before every morpheme of a word except the first."""
    return "+" if units.startswith("+") else ""


def words_of(tokens: Iterable[Token], units: str) -> tuple[Word, ...]:
    """The words of the tokens that make a word of the treebank, marked as the units are."""
    first, *others = chain.from_iterable([token.words for token in tokens])
    marker = marker_of(units)
    return first, *[word._replace(form=marker + word.form) for word in others]


# Kiwi


@cache
def kiwi() -> KiwiAnalyser:
    return KiwiAnalyser(RULES, workers=1)


def analysed(texts: Iterable[str]) -> Iterator[tuple[Eojeol, ...]]:
    """Yield the eojeols of texts with Kiwi's morphemes."""
    for found in kiwi().of(map(clean, texts)):
        yield tuple([ASSEMBLER.eojeol(form, tuple(morphemes)) for form, morphemes in found])


def cut_by_kiwi(sentences: Sequence[Sentence], units: str) -> Iterator[Sentence]:
    """Yield sentences whose words Kiwi cuts into units; each has the first as its head.

    Where a word ends inside a morpheme of Kiwi, the words of the sentence stay whole.
    """
    cut = Granularity(RULES, level_of(units)).tokens
    recutter = Recutter(ASSEMBLER)
    texts = ["".join(text_of(sentence)) for sentence in sentences]
    for sentence, eojeols in zip(sentences, analysed(texts), strict=True):
        forms = [token.form for eojeol in sentence.eojeols for token in eojeol.tokens]
        try:
            found = recutter.recut(eojeols, forms)
        except FormatError as error:
            print(f"{sentence.sent_id}: {error}; its words stay whole", file=sys.stderr)
            yield sentence
            continue
        made = []
        for eojeol in found:
            made.append(eojeol.but(tokens=(Token(eojeol.form, words_of(cut(eojeol), units)),)))
        count = sum([len(eojeol.tokens[0].words) for eojeol in made])
        arcs = Arcs((0, *[1] * (count - 1)), ("root", *["dep"] * (count - 1)))
        yield sentence.but(eojeols=tuple(made), arcs=arcs)


def text_of(sentence: Sentence) -> Iterator[str]:
    """Yield the tokens of a treebank's sentence and the spaces between them."""
    for eojeol in sentence.eojeols:
        yield from [token.form for token in eojeol.tokens]
        yield " "


# Vectors


def forms_of(texts: Iterable[str], units: str) -> list[list[str]]:
    """The forms of the units that Kiwi finds in texts, sentence by sentence."""
    cut = Granularity(RULES, level_of(units)).tokens
    return [
        [
            word.form
            for eojeol in eojeols
            for token in cut(eojeol)
            for word in words_of([token], units)
        ]
        for eojeols in analysed(texts)
    ]


def write_vectors(raw: list[list[str]], forms: Iterable[str], seed: int, path: Path) -> None:
    """Train fastText vectors and write those of all forms as a text file of word2vec."""
    from gensim.models import FastText

    vectors = FastText(
        raw,
        vector_size=DIMENSION,
        sg=1,
        window=5,
        min_count=2,
        min_n=1,
        max_n=4,
        epochs=5,
        bucket=200_000,
        seed=seed,
        workers=1,
    ).wv
    names = dict.fromkeys(chain(vectors.index_to_key, forms))
    kept = [name for name in names if name and " " not in name]
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{len(kept)} {DIMENSION}\n")
        for name in kept:
            file.write(f"{name} {' '.join([f'{value:.5f}' for value in vectors[name]])}\n")


# UDPipe


def train(text: str, tagger: str, parser: str, path: Path) -> None:
    """Train a parser, with a tagger unless its options are `none`, and write the model."""
    import ufal.udpipe as udpipe

    sentences = udpipe.Sentences()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    error = udpipe.ProcessingError()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(error.message)
    none = udpipe.Sentences()
    model = udpipe.Trainer.train(
        "morphodita_parsito", sentences, none, "none", tagger, parser, error
    )
    if error.occurred():
        raise SystemExit(error.message)
    path.write_bytes(model)


def parse(path: Path, text: str, *, tags: str) -> str:
    """Parse given tokens, with their tags or with predicted ones."""
    import ufal.udpipe as udpipe

    model = udpipe.Model.load(str(path))
    tagger = udpipe.Pipeline.NONE if tags == "gold" else udpipe.Pipeline.DEFAULT
    pipeline = udpipe.Pipeline(model, "conllu", tagger, udpipe.Pipeline.DEFAULT, "conllu")
    error = udpipe.ProcessingError()
    parsed: str = pipeline.process(text, error)
    if error.occurred():
        raise SystemExit(error.message)
    return parsed


# The benchmark


class Treebank(NamedTuple):
    """The two parts of a treebank."""

    train: list[Sentence]
    test: list[Sentence]


def fifths(sentences: list[Sentence]) -> Treebank:
    """Every fifth run of 20 sentences is the test part, so that texts are hardly torn apart."""
    numbered = list(enumerate(sentences))
    return Treebank(
        [sentence for at, sentence in numbered if at // 20 % 5 != 4],
        [sentence for at, sentence in numbered if at // 20 % 5 == 4],
    )


def counts(gold: str, system: str) -> list[list[int]]:
    """The correct words, those of gold and those of the system, for LAS, by `eval dep`."""
    found = []
    for one in evaluate("dep", gold, system).by_sentence():
        score = one.scores["LAS"].counts
        right = int(score["tp"])
        found.append([right, right + int(score["fn"]), right + int(score["fp"])])
    return found


class Bench:
    """The runs, made when they are needed.

    Args:
        treebanks: by name.
        raw: lines of raw text for the vectors.
        settings: the training.
        folder: for the models of this run.
        parses: the folder that keeps the parsed words; None if nothing is kept.
    """

    def __init__(
        self,
        treebanks: dict[str, Treebank],
        raw: list[str],
        settings: Settings,
        folder: Path,
        parses: Path | None = None,
    ) -> None:
        self.treebanks = treebanks
        self.settings = settings
        self.folder = folder
        self.parses = parses
        self._raw = raw
        self._raw_forms: dict[tuple[str, str], list[list[str]]] = {}
        self._models: dict[tuple[Cell, int], tuple[Path, float]] = {}
        self._ceilings: dict[tuple[str, str], float] = {}

    def run(self, cell: Cell, seed: int) -> dict[str, Any]:
        """Train, parse, convert back and score."""
        gold = self.treebanks[cell.treebank].test
        model, seconds = self.model(cell.model, seed)
        began = time.process_time()
        units = bare(written(map(converter(cell.units), gold)))
        given = bare(written(cut_by_kiwi(gold, cell.units))) if cell.cut == "kiwi" else units
        parsed = parse(model, given, tags=cell.tags)
        back = Morph2Word(RULES, bound_marker=marker_of(cell.units))
        pairs = zip(read(parsed, trees=False), gold, strict=True)
        system = [ours if cell.units == "words" else back(ours, words) for ours, words in pairs]
        made = written(system)
        if self.parses:
            name = cell.name.replace("/", "-")
            (self.parses / f"{name}-{seed}.conllu").write_text(made, encoding="utf-8")
        return {
            "words": counts(written(gold), made),
            "units": [] if cell.cut == "kiwi" else counts(units, parsed),
            "ceiling": self.ceiling(cell.treebank, cell.units),
            "train_seconds": round(seconds, 1),
            "parse_seconds": round(time.process_time() - began, 1),
        }

    def ceiling(self, treebank: str, units: str) -> float:
        """LAS of gold arcs between units that are converted back to words."""
        if (treebank, units) not in self._ceilings:
            gold = self.treebanks[treebank].test
            given = read(bare(written(map(converter(units), gold))))
            back = Morph2Word(RULES, bound_marker=marker_of(units))
            made = written(map(back, given, gold))
            self._ceilings[treebank, units] = las(counts(written(gold), made))
        return self._ceilings[treebank, units]

    def model(self, cell: Cell, seed: int) -> tuple[Path, float]:
        """The model of a cell, and the seconds of the processor that its training took."""
        if (cell, seed) not in self._models:
            path = self.folder / f"{cell.name.replace('/', '-')}-{seed}.udpipe"
            made = [converter(cell.units)(one) for one in self.treebanks[cell.treebank].train]
            Random(seed).shuffle(made)
            settings = self.settings
            options = [f"iterations={settings.iterations};hidden_layer={settings.hidden}"]
            options.append(settings.more)
            options.append(f"embedding_xpostag={20 if cell.xpos else 0}")
            tagger = "none"
            if cell.tags == "gold":
                options.append("use_gold_tags=1")
            else:
                tagger = f"models=1;use_lemma=0;provide_lemma=0;iterations={TAGGER_ITERATIONS}"
            if cell.vectors:
                options.append(f"embedding_form_file={self.vectors(cell, made, seed)}")
            began = time.process_time()
            train(written(made), tagger, ";".join(options), path)
            self._models[cell, seed] = path, time.process_time() - began
        return self._models[cell, seed]

    def vectors(self, cell: Cell, training: list[Sentence], seed: int) -> Path:
        """The file of vectors of the forms of a cell."""
        key = cell.treebank, "ud" if cell.units == "morphud" else cell.units
        path = self.folder / f"{'-'.join(key)}-{seed}.vec"
        if path.exists():
            return path
        if key not in self._raw_forms:
            texts = ["".join(text_of(one)) for one in self.treebanks[cell.treebank].train]
            self._raw_forms[key] = forms_of([*self._raw, *texts], cell.units)
        test = self.treebanks[cell.treebank].test
        parts = [training, map(converter(cell.units), test), cut_by_kiwi(test, cell.units)]
        forms = [word.form for sentence in chain(*parts) for word in sentence.words]
        write_vectors(self._raw_forms[key], forms, seed, path)
        return path


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gsd", type=Path, nargs=2, metavar=("TRAIN", "DEV"), required=True)
    parser.add_argument("--kaist", type=Path, help="a fifth of it is the test part")
    parser.add_argument("--raw", type=Path, nargs="*", default=[], help="one sentence a line")
    parser.add_argument("--cells", help="names as the script prints them, with commas")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=48)
    parser.add_argument("--parser", default="structured_interval=0", help="further options of it")
    parser.add_argument("--sentences", type=int, help="train on the first of them only")
    parser.add_argument("--quick", action="store_true", help="300 sentences, one iteration")
    parser.add_argument("--results", type=Path, help="the file that keeps the results")
    parser.add_argument("--parses", type=Path, help="a folder that keeps the parsed words")
    parser.add_argument("--table", action="store_true", help="print the table of what is kept")
    arguments = parser.parse_args()
    quick = arguments.quick
    settings = Settings(
        1 if quick else arguments.iterations,
        20 if quick else arguments.hidden,
        arguments.parser,
        300 if quick else arguments.sentences,
        100 if quick else None,
    )
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    cells = [cell for cell in CELLS if arguments.kaist or cell.treebank != "kaist"]
    if arguments.cells:
        names = {cell.name: cell for cell in cells}
        wanted = arguments.cells.split(",")
        if unknown := [name for name in wanted if name not in names]:
            parser.error(f"no such cell: {', '.join(unknown)}. Cells: {', '.join(names)}")
        cells = [names[name] for name in wanted]
    kept: dict[str, Any] = {}
    if arguments.results and arguments.results.exists():
        kept = json.loads(arguments.results.read_text(encoding="utf-8"))
    results = kept.setdefault(settings.name, {})
    if not arguments.table:
        run_all(arguments, settings, cells, seeds, kept, results)
    print(settings.name)
    print("\n".join(table(cells, seeds, results)))


def run_all(
    arguments: argparse.Namespace,
    settings: Settings,
    cells: list[Cell],
    seeds: list[int],
    kept: dict[str, Any],
    results: dict[str, Any],
) -> None:
    """Run what is not kept, all cells of one seed before the next, and keep each result."""

    def of(path: Path) -> list[Sentence]:
        return read(path.read_text(encoding="utf-8"))

    treebanks = {"gsd": Treebank(*map(of, arguments.gsd))}
    if arguments.kaist:
        treebanks["kaist"] = fifths(of(arguments.kaist))
    treebanks = {
        name: Treebank(one.train[: settings.train], one.test[: settings.test])
        for name, one in treebanks.items()
    }
    raw = [line for path in arguments.raw for line in path.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(treebanks, raw, settings, Path(folder), arguments.parses)
        for seed in seeds:
            for cell in cells:
                name = f"{cell.name}#{seed}"
                if name in results:
                    continue
                results[name] = bench.run(cell, seed)
                if arguments.results:
                    with atomic_output(arguments.results) as file:
                        file.write(json.dumps(kept))
                run = results[name]
                seconds = f"{run['train_seconds']:.0f} s"
                print(name, f"{las(run['words']):.2f}", seconds, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
