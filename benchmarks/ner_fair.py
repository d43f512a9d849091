"""A tagger on morphemes that know the labels, and on morphemes that do not.

    python benchmarks/ner_fair.py KLUE-NER.tsv --seeds 5

`ner syl2morph` makes morphemes end where entities do, and gives persons to the analyser as proper
nouns. A tagger that is tested on such morphemes sees gold. Three set-ups, with the CRF and the
features of ner_crf.py (word, UPOS): train and test with names, as one run over the whole corpus
makes them; train with names and test blind, as `ner split` makes them; train and test blind. What
is tagged is put on the characters of the text and compared with KLUE's own entities, whole. Figures
are the mean F1 of the seeds, with the bootstrap's interval (95 %): a sentence that several seeds
test is drawn with all of its results.
"""

from __future__ import annotations

import argparse
import copy
import random
import statistics
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ner_crf import FIELDS, features, train

from sejongud.converters.entities import CorpusReader
from sejongud.converters.entities_back import repaired
from sejongud.converters.syl2morph import labelled_syllables, without_edge_spaces
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.formats import label_format
from sejongud.formats.exports import rows, with_labels
from sejongud.layers.labels import Entity, find_entities, repair
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Sentence

NAMES, BLIND = "with names", "blind"
SETUPS = ((NAMES, NAMES), (NAMES, BLIND), (BLIND, BLIND))
TYPES = ("all", "PS", "LC", "OG", "QT", "DT", "TI")
SAMPLES = 1000

Counts = Counter[tuple[str, str]]
"""How many entities of a type are gold, found by the system, and right, in a sentence."""


def sentences(path: str, *, blind: bool) -> list[Sentence]:
    reader = CorpusReader(
        Assembler(load()), label_format("klue-ner"), keep=True, nested=False, blind=blind
    )
    with Source(path) as source:
        return list(reader.read_file(source, "keep", Report()))


def on_characters(sentence: Sentence, labels: list[str], granularity: Granularity) -> set[Entity]:
    """Return the entities over the text that a tagger finds on the morphemes of a sentence."""
    tagged = copy.copy(sentence)
    with_labels(tagged, [labels], granularity)
    characters, layers = labelled_syllables(repaired(tagged)[0])
    found = find_entities(repair(layers[0])) if layers else []
    return set(without_edge_spaces("".join(characters), found))


def counted(gold: set[Entity], system: set[Entity]) -> Counts:
    counts: Counts = Counter()
    for kind, entities in (("gold", gold), ("system", system), ("right", gold & system)):
        for entity in entities:
            counts[kind, "all"] += 1
            counts[kind, entity.type] += 1
    return counts


def f1(counts: Sequence[Counts], type_: str) -> float:
    right, *sides = (sum([c[kind, type_] for c in counts]) for kind in ("right", "gold", "system"))
    return 200 * right / max(sum(sides), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", help="KLUE-NER")
    parser.add_argument("--train", type=int, default=2000, help="sentences to train on")
    parser.add_argument("--seeds", type=int, default=5, help="how often the sentences are drawn")
    args = parser.parse_args()
    klue = label_format("klue-ner")
    with Source(args.corpus) as source:
        corpus = [klue.read(block) for block in klue.blocks(source.chunks())]
    gold = [
        set(without_edge_spaces("".join(one.tokens), one.entities()))
        for one in corpus
        if one.tokens
    ]
    data = {name: sentences(args.corpus, blind=name == BLIND) for name in (NAMES, BLIND)}
    granularity = Granularity(load(), 5)
    columns = {name: [rows(one, granularity) for one in own] for name, own in data.items()}
    fields = FIELDS["word+upos"]
    found: dict[tuple[str, str], list[list[Counts]]] = {setup: [] for setup in SETUPS}
    of_sentences = {setup: [Counts() for _ in gold] for setup in SETUPS}
    for seed in range(1, args.seeds + 1):
        order = random.Random(seed).sample(range(len(gold)), len(gold))
        to_train, to_test = order[: args.train], order[args.train :]
        for trained in data:
            with tempfile.TemporaryDirectory() as folder:
                given = [columns[trained][at] for at in to_train]
                tagger = train(given, fields, Path(folder, "model"))
            for tested in [tested for given, tested in SETUPS if given == trained]:
                counts = []
                for at in to_test:
                    labels = tagger.tag(features(columns[tested][at], fields))
                    system = on_characters(data[tested][at], labels, granularity)
                    counts.append(counted(gold[at], system))
                    of_sentences[trained, tested][at] += counts[-1]
                found[trained, tested].append(counts)
    rest = len(gold) - args.train
    print(f"{args.train:,} sentences to train on, {rest:,} to test; seeds: {args.seeds}")
    print("\t".join(["train", "test", *TYPES]))
    draw = random.Random(12345)
    for (trained, tested), of_seeds in found.items():
        pooled = list(filter(None, of_sentences[trained, tested]))
        cells = []
        for type_ in TYPES:
            mean = statistics.mean([f1(counts, type_) for counts in of_seeds])
            drawn = sorted([f1(draw.choices(pooled, k=len(pooled)), type_) for _ in range(SAMPLES)])
            low, high = drawn[SAMPLES * 25 // 1000], drawn[SAMPLES * 975 // 1000]
            cells.append(f"{mean:.2f} [{low:.2f}, {high:.2f}]")
        print("\t".join([trained, tested, *cells]))


if __name__ == "__main__":
    main()
