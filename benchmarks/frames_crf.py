"""Arguments of frames found by a CRF that is trained on eojeols, and by one on morphemes.

    python benchmarks/frames_crf.py kfn-1.1-dev.tsv jkfn_tst.tsv --seeds 5

The memoir's Table 3.12 in small (Section 3.4.3), with python-crfsuite (the extra `benchmarks`)
rather than a language model. The task: target and frame are given, and every eojeol or morpheme
gets one of five labels: O, B-/I-FrameTarget, B-/I-Argument. Two-fold cross-validation: each half is
labelled by a model that the other half has trained. What is labelled on morphemes is converted back
as `frame morph2eoj` does. The scores are F1 by the exact and the partial scheme of SemEval'13, over
eojeols, of all instances of both halves; once of the arguments alone, and once with the targets,
which are right in any case because they are given.

Three models see the same template, two units on either side: eojeols by form and last characters;
eojeols that have the tags of their morphemes, too; morphemes by form and tag.

The folds are drawn by a seed, and the instances of a sentence stay in one fold. lbfgs itself draws
nothing. The spread is the least and the greatest F1 of the seeds. The interval is that of 1,000
resamples of sentences (bootstrap, 95 %) of the difference in F1, morphemes less eojeols, over the
outcomes of all seeds together.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pycrfsuite

from sejongud.converters.frames import FrameReader, Voter, general
from sejongud.errors import Report
from sejongud.evaluation.entities import Tagged
from sejongud.evaluation.ner import outcomes
from sejongud.files import Source
from sejongud.formats import frame_format, sniff
from sejongud.formats.conllu.layers import target_tags
from sejongud.layers.labels import OUTSIDE, by_eojeol, flat_labels
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from sejongud.evaluation.ner import Scheme
    from sejongud.model import FrameInstance, Sentence

TARGET = "FrameTarget"
UNITS = ("eojeols", "tagged", "morphemes")
RESAMPLES = 1_000
RULES = load()
ASSEMBLER = Assembler(RULES)


class Unit(NamedTuple):
    """An eojeol or a morpheme: the texts that a CRF sees, and its label."""

    texts: dict[str, str]
    label: str


class Instance(NamedTuple):
    """An instance of a frame, on its eojeols and on its morphemes."""

    text: str
    sentence: Sentence
    gold: FrameInstance
    """With general arguments."""
    eojeols: list[Unit]
    tagged: list[Unit]
    """Eojeols with the tags of their morphemes."""
    morphemes: list[Unit]


def instances_of(path: str) -> list[Instance]:
    """Return the instances of a corpus, with Kiwi's morphemes."""
    with Source(path) as source:
        found = sniff(source.head(), ("framenet",))
        assert found is not None
        reader = FrameReader(ASSEMBLER, frame_format(*found))
        return [instance_of(one) for one in reader.read_file(source, "stop", Report())]


def instance_of(sentence: Sentence) -> Instance:
    """Return an instance with its units."""
    eojeols = sentence.eojeols
    gold = general(eojeols, sentence.frames[0])
    verdict = Voter(RULES)(eojeols, gold)
    marks = target_tags([(one.unit, one.frame) if one else None for one in verdict.targets])
    of_eojeols = []
    frame = next((one for one in verdict.targets if one), None)
    names = {"unit": frame.unit if frame else "", "frame": frame.frame if frame else ""}
    for eojeol, mark, label in zip(eojeols, marks, verdict.labels, strict=True):
        texts = {
            "form": eojeol.form,
            "tag": "+".join([morpheme.tag for morpheme in eojeol.morphemes]),
            "end": eojeol.form[-1:],
            "end2": eojeol.form[-2:],
            "target": mark,
            **names,
        }
        of_eojeols.append(Unit(texts, label if mark == OUTSIDE else mark))
    of_morphemes = []
    flat = iter(flat_labels(eojeols, gold.labels))
    before = False
    for eojeol, target in zip(eojeols, gold.targets, strict=True):
        for at, morpheme in enumerate(eojeol.morphemes):
            label = next(flat)
            mark = OUTSIDE if target is None else f"{'I' if before else 'B'}-{TARGET}"
            before = target is not None
            texts = {
                "form": morpheme.form,
                "tag": morpheme.tag,
                "end": eojeol.morphemes[-1].tag,
                "end2": "B" if at == 0 else "I",
                "target": mark,
                **names,
            }
            of_morphemes.append(Unit(texts, label if mark == OUTSIDE else mark))
    plain = [unit._replace(texts={**unit.texts, "tag": "_"}) for unit in of_eojeols]
    return Instance(sentence.text, sentence, gold, plain, of_eojeols, of_morphemes)


def features(units: list[Unit]) -> list[list[str]]:
    """Return unigrams of two units on either side, bigrams, and the place beside the target."""
    targets = [at for at, unit in enumerate(units) if unit.texts["target"] != OUTSIDE]
    found = []
    for at, unit in enumerate(units):
        own = [f"frame={unit.texts['frame']}", f"unit={unit.texts['unit']}"]
        nearest = min(targets, key=lambda one: abs(one - at), default=at)
        distance = max(-6, min(6, at - nearest))
        own += [f"distance={distance}", f"frame|tag={unit.texts['frame']}|{unit.texts['tag']}"]
        for name in ("form", "tag", "end", "end2", "target"):
            for by in range(-2, 3):
                here = at + by
                text = units[here].texts[name] if 0 <= here < len(units) else "_"
                own.append(f"{name}{by}={text}")
        for name in ("form", "tag"):
            pairs = [units[at - 1].texts[name] if at else "_", unit.texts[name]]
            own.append(f"{name}-1|0={'|'.join(pairs)}")
        found.append(own)
    return found


def labelled(
    train: list[list[Unit]], others: list[list[Unit]], c2: float, iterations: int
) -> list[list[str]]:
    """Return the labels of sequences, by a model that others have trained."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for units in train:
        trainer.append(features(units), [unit.label for unit in units])
    trainer.set_params({"c1": 0.0, "c2": c2, "max_iterations": iterations})
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        found = [tagger.tag(features(units)) for units in others]
        tagger.close()
    return found


def given_target(units: list[Unit], labels: list[str]) -> list[str]:
    """Return labels whose target is the one that is given."""
    marks = [unit.texts["target"] for unit in units]
    return [
        mark if mark != OUTSIDE else label if TARGET not in label else OUTSIDE
        for mark, label in zip(marks, labels, strict=True)
    ]


def on_eojeols(instance: Instance, labels: list[str]) -> list[str]:
    """Return the labels of eojeols, converted back from those of morphemes as `morph2eoj` does."""
    eojeols = instance.sentence.eojeols
    plain = [OUTSIDE if TARGET in label else label for label in labels]
    made = instance.gold._replace(labels=by_eojeol(eojeols, plain))
    return list(Voter(RULES)(eojeols, made).labels)


SCHEMES: tuple[Scheme, ...] = ("exact", "partial")
WAYS = [(scheme, targets) for targets in (False, True) for scheme in SCHEMES]
"""The scores: a scheme, and whether the targets count."""


def counts_of(gold: list[str], system: list[str]) -> list[list[int]]:
    """Return the outcomes of SemEval'13 for each of `WAYS`."""
    found = []
    for scheme, targets in WAYS:
        both = []
        for labels in (gold, system):
            tags = [OUTSIDE if TARGET in one and not targets else one for one in labels]
            both.append(Tagged([""] * len(tags), tags).entities)
        found.append(outcomes(scheme, *both))
    return found


def f1(rows: list[list[int]]) -> float:
    """Return F1 of outcomes in percent; a partial one counts half."""
    correct, incorrect, partial, missed, spurious = map(sum, zip(*rows, strict=True))
    right = correct + 0.5 * partial
    both = correct + incorrect + partial
    precision, recall = right / max(both + spurious, 1), right / max(both + missed, 1)
    return 200 * precision * recall / max(precision + recall, 1e-9)


Outcomes = list[tuple[str, list[list[int]]]]
"""The text of each instance, and its outcomes."""


def cross_validated(
    instances: list[Instance], seed: int, c2: float, iterations: int
) -> dict[str, Outcomes]:
    """Return the outcomes of all instances, by the units that are labelled."""
    texts = sorted({instance.text for instance in instances})
    Random(seed).shuffle(texts)
    first = set(texts[: len(texts) // 2])
    halves = [[i for i in instances if (i.text in first) == is_first] for is_first in (True, False)]
    found: dict[str, Outcomes] = {unit: [] for unit in UNITS}
    for train, test in (halves, halves[::-1]):
        for unit, results in found.items():
            sequences = [[getattr(one, unit) for one in half] for half in (train, test)]
            systems = labelled(sequences[0], sequences[1], c2, iterations)
            for instance, labels in zip(test, systems, strict=True):
                own = given_target(getattr(instance, unit), labels)
                back = on_eojeols(instance, own) if unit == "morphemes" else own
                # The target hides the argument that it carries: no unit is asked for it.
                marks = [one.texts["target"] for one in instance.eojeols]
                system = [o if m == OUTSIDE else m for o, m in zip(back, marks, strict=True)]
                gold = [one.label for one in instance.eojeols]
                results.append((instance.text, counts_of(gold, system)))
    return found


def interval(runs: list[dict[str, Outcomes]], way: int) -> tuple[float, float]:
    """Return the 95 % interval of the difference in F1, morphemes less eojeols."""
    groups: dict[str, dict[str, list[list[int]]]] = {}
    for unit in UNITS:
        for text, counts in [one for run in runs for one in run[unit]]:
            groups.setdefault(text, {}).setdefault(unit, []).append(counts[way])
    sums = [
        {unit: [sum(column) for column in zip(*rows, strict=True)] for unit, rows in one.items()}
        for one in groups.values()
    ]
    random = Random(1)
    differences = []
    for _ in range(RESAMPLES):
        drawn = random.choices(sums, k=len(sums))
        by_unit = {unit: f1([one[unit] for one in drawn]) for unit in UNITS}
        differences.append(by_unit["morphemes"] - by_unit["eojeols"])
    differences.sort()
    return differences[RESAMPLES // 40], differences[-RESAMPLES // 40]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+", help="files of the Korean FrameNet")
    parser.add_argument("--seeds", type=int, default=5, help="ways of drawing the folds (5)")
    parser.add_argument("--c2", type=float, default=0.1, help="weight of the L2 norm (0.1)")
    parser.add_argument("--iterations", type=int, default=100, help="of lbfgs, at the most (100)")
    args = parser.parse_args()
    print("\t".join(["corpus", "instances", "sentences", "score", *UNITS, "difference", "95 %"]))
    for path in args.corpora:
        instances = instances_of(path)
        texts = len({instance.text for instance in instances})
        runs = [
            cross_validated(instances, seed, args.c2, args.iterations) for seed in range(args.seeds)
        ]
        for way, (scheme, targets) in enumerate(WAYS):
            cells = []
            means = {}
            for unit in UNITS:
                of_seeds = [f1([counts[way] for _, counts in run[unit]]) for run in runs]
                means[unit] = statistics.mean(of_seeds)
                cells.append(f"{means[unit]:.2f} ({min(of_seeds):.2f}-{max(of_seeds):.2f})")
            low, high = interval(runs, way)
            cells.append(f"{means['morphemes'] - means['eojeols']:+.2f}")
            cells.append(f"{low:+.2f} to {high:+.2f}")
            name = f"{scheme}, with targets" if targets else scheme
            print("\t".join([Path(path).name, f"{len(instances)}", f"{texts}", name, *cells]))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
