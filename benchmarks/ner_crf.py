"""Entities found by a CRF that is trained on eojeols, and by one that is trained on morphemes.

    python benchmarks/ner_crf.py KLUE-NER.tsv --seeds 5

The paper's Table 3.5 in small (memoir, 3.2.3.2), with python-crfsuite, which must be installed. An
eojeol has the first entity that touches it, as in the NAVER corpus. 2,000 sentences, drawn by a
seed, train, the others are tagged; what is tagged on morphemes is turned back into labels of
eojeols by morph2eoj. Entities are counted on eojeols in all rows, so that the rows can be compared.
Figures are the mean and the standard deviation of the seeds.
"""

from __future__ import annotations

import argparse
import copy
import random
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pycrfsuite
from ner_borders import on_eojeols

from sejongud.converters.entities import CorpusReader
from sejongud.converters.entities_back import repaired
from sejongud.converters.eoj2morph import eojeol_labels
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.formats import label_format
from sejongud.formats.exports import CrfRow, rows, with_labels
from sejongud.layers.labels import find_entities, repair
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from sejongud.model import Sentence

FIELDS = {"word": ("form",), "word+upos": ("form", "upos"), "word+upos+xpos": CrfRow._fields[:3]}


def features(sentence: list[CrfRow], fields: tuple[str, ...]) -> list[list[str]]:
    """Unigrams of two words on either side, bigrams with the neighbours (Figure 3.5)."""
    found = []
    for at in range(len(sentence)):
        own = []
        for field in fields:
            around = [
                getattr(sentence[at + by], field) if 0 <= at + by < len(sentence) else "_"
                for by in range(-2, 3)
            ]
            own += [f"{field}{by}={value}" for by, value in enumerate(around)]
            own += [f"{field}12={around[1]}|{around[2]}", f"{field}23={around[2]}|{around[3]}"]
        found.append(own)
    return found


def train(sentences: list[list[CrfRow]], fields: tuple[str, ...], model: Path) -> pycrfsuite.Tagger:
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for sentence in sentences:
        trainer.append(features(sentence, fields), [row.label for row in sentence])
    trainer.set_params({"c1": 0.0, "c2": 1.0, "max_iterations": 100})
    trainer.train(str(model))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    return tagger


def score(gold: list[tuple[str, ...]], system: list[tuple[str, ...]]) -> tuple[float, float, float]:
    pairs = [
        (set(find_entities(g)), set(find_entities(s))) for g, s in zip(gold, system, strict=True)
    ]
    right = sum(len(g & s) for g, s in pairs)
    precision = right / max(sum(len(s) for _, s in pairs), 1)
    recall = right / max(sum(len(g) for g, _ in pairs), 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", help="KLUE-NER")
    parser.add_argument("--train", type=int, default=2000, help="sentences to train on")
    parser.add_argument("--seeds", type=int, default=1, help="how often the sentences are drawn")
    args = parser.parse_args()
    klue = label_format("klue-ner")
    with Source(args.corpus) as source:
        labelled = [on_eojeols(klue.read(block)) for block in klue.blocks(source.chunks())]
    layout = label_format("naver")
    reader = CorpusReader(Assembler(load()), layout, nested=False)
    frames = reader.blocks([layout.write(one) for one in labelled])
    sentences = list(reader.read(frames, "-", "stop", Report()))
    gold = [one.layers[0] for one in labelled]
    print(f"{args.train:,} sentences to train on, {len(gold) - args.train:,} to tag")
    eojeols = [
        [
            CrfRow(form, "_", "_", label)
            for form, label in zip(one.tokens, one.layers[0], strict=True)
        ]
        for one in labelled
    ]
    granularity = Granularity(load(), 5)
    morphemes = [rows(sentence, granularity) for sentence in sentences]
    scores: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for seed in range(1, args.seeds + 1):
        order = random.Random(seed).sample(range(len(gold)), len(gold))
        for unit, name in (("eojeols", "word"), *(("morphemes", name) for name in FIELDS)):
            data = eojeols if unit == "eojeols" else morphemes
            with tempfile.TemporaryDirectory() as folder:
                given = [data[at] for at in order[: args.train]]
                tagger = train(given, FIELDS[name], Path(folder, "model"))
            system = []
            for at in order[args.train :]:
                labels = tagger.tag(features(data[at], FIELDS[name]))
                back = tuple(labels) if unit == "eojeols" else None
                system.append(back or _back(sentences[at], labels, granularity))
            found = score([gold[at] for at in order[args.train :]], system)
            scores.setdefault((unit, name), []).append(found)
    print("trained on\tfeatures\tprecision\trecall\tF1")
    for (unit, name), of_seeds in scores.items():
        columns = [[100 * value for value in column] for column in zip(*of_seeds, strict=True)]
        shown = [f"{statistics.mean(one):.2f} ± {statistics.pstdev(one):.2f}" for one in columns]
        print("\t".join([unit, name, *shown]))


def _back(sentence: Sentence, labels: list[str], granularity: Granularity) -> tuple[str, ...]:
    tagged = copy.copy(sentence)
    with_labels(tagged, [labels], granularity)
    if not tagged.entities:
        return ("O",) * len(tagged.eojeols)
    return repair(eojeol_labels(repaired(tagged)[0].entities[0]))


if __name__ == "__main__":
    main()
