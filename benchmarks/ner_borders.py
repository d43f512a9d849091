"""How many borders of entities `ner eoj2morph` finds as people have marked them in KLUE-NER.

    python benchmarks/ner_borders.py KLUE-NER.tsv
    python benchmarks/ner_borders.py KLUE-NER.tsv --errors 100

Every eojeol takes the label of the first entity that touches it, as in the NAVER corpus, and
eoj2morph puts these labels on morphemes. An eojeol is right if the characters that are then inside
an entity are those that KLUE's annotators marked. An eojeol of two entities cannot be right: it has
one label. `all` counts these as well, `one entity` does not.

The morphemes are those of `syl2morph`, which end where an entity does, or those that Kiwi finds in
the text without knowing the entities. Kiwi's morphemes cannot express every border.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.entities import CorpusReader
from sejongud.converters.eoj2morph import EXCLUSIONS, Eoj2Morph
from sejongud.converters.syl2morph import cut, syllable_labels
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.formats import label_format
from sejongud.formats.labelled import Labelled
from sejongud.layers.labels import OUTSIDE, to_labels
from sejongud.morphology.eojeol import Assembler
from sejongud.morphology.kiwi import BorderedEojeols
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.model import Eojeol
    from sejongud.rules import Rules

TYPES = ("PS", "LC", "OG", "QT", "DT", "TI")


class Judged(NamedTuple):
    """An eojeol with a label."""

    eojeol: Eojeol
    label: str
    shared: bool
    """Whether more than one entity touches it."""
    gold: tuple[str, ...]
    """The labels of its characters."""
    found: tuple[str, ...]

    @property
    def right(self) -> bool:
        return self.gold == self.found


def on_eojeols(labelled: Labelled) -> Labelled:
    """Return a sentence with labels of characters as one with labels of eojeols."""
    entities = labelled.entities()
    tokens: list[str] = []
    labels = []
    forms, where, _ = cut("".join(labelled.tokens), ())
    for form, (begin, end) in zip(forms, where, strict=True):
        tokens.append(form)
        label = OUTSIDE
        for entity in reversed(entities):
            if entity.begin < end and entity.end > begin:
                label = f"{'B' if entity.begin >= begin else 'I'}-{entity.type}"
        labels.append(label)
    return Labelled(tuple(tokens), (tuple(labels),))


def judged(
    corpus: Sequence[Labelled], analysed: Sequence[Sequence[Eojeol]], projection: Eoj2Morph
) -> Iterator[Judged]:
    """Yield the eojeols with a label.

    Args:
        corpus: with labels of characters.
        analysed: the eojeols of each sentence with their morphemes.
        projection: of labels of eojeols on their morphemes.
    """
    for labelled, eojeols in zip(corpus, analysed, strict=True):
        text = "".join(labelled.tokens)
        entities = labelled.entities()
        gold = to_labels(entities, len(text))
        _, where, _ = cut(text, ())
        labels = on_eojeols(labelled).labels
        projected = projection.labels(eojeols, labels)
        found = syllable_labels(text, eojeols, where, projected)
        for eojeol, label, (begin, end) in zip(eojeols, labels, where, strict=True):
            if label != OUTSIDE:
                touching = [e for e in entities if e.begin < end and e.end > begin]
                characters = gold[begin:end], tuple(found[begin:end])
                yield Judged(eojeol, label, len(touching) > 1, *characters)


def without_names(rules: Rules, folder: Path) -> Rules:
    """Return the tables with no type whose entities are given to Kiwi as proper nouns."""
    rows = [{**row, "name": ""} for row in rules.table("ne-types")]
    lines = ["\t".join(row) for row in [list(rows[0]), *[list(row.values()) for row in rows]]]
    (folder / "ne-types.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load(folder)


def analyses(path: str, count: int, rules: Rules) -> list[tuple[Eojeol, ...]]:
    """Return the eojeols of the sentences of a corpus as `syl2morph` makes them.

    Args:
        path: of the corpus.
        count: the number of sentences.
        rules: the tables.
    """
    reader = CorpusReader(Assembler(rules), label_format("klue-ner"), keep=True, nested=False)
    with Source(path) as source:
        return [one.eojeols for one in islice(reader.read_file(source, "keep", Report()), count)]


def alone(corpus: Sequence[Labelled], rules: Rules) -> list[tuple[Eojeol, ...]]:
    """Return the eojeols of sentences as Kiwi analyses them without knowing an entity."""
    forms = [cut("".join(labelled.tokens), ()).forms for labelled in corpus]
    analysed = BorderedEojeols(Assembler(rules), None).of([(own, {}, {}) for own in forms])
    return [one.eojeols for one in analysed]


def share(counts: Counter[str], key: str) -> str:
    return f"{100 * counts[f'{key} right'] / max(counts[key], 1):.2f}"


def report(title: str, found: list[Judged]) -> None:
    counts: Counter[str] = Counter()
    for one in found:
        keys = ["all"] if one.shared else ["all", "one entity", one.label[2:]]
        counts.update(keys)
        counts.update([f"{key} right" for key in keys if one.right])
    keys = ["all", "one entity", *TYPES]
    print("\t".join([title, str(counts["one entity"]), *[share(counts, key) for key in keys]]))


def shown(one: Judged) -> str:
    """Return an eojeol with what is marked in it and what was found."""
    marked = ["".join(["*" if label != OUTSIDE else "-" for label in own]) for own in one[3:]]
    morphemes = "+".join([f"{m.form}/{m.tag}" for m in one.eojeol.morphemes])
    return "\t".join([one.label, one.eojeol.form, *marked, morphemes])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", help="KLUE-NER")
    parser.add_argument("--sentences", type=int, default=3_000)
    parser.add_argument("--errors", type=int, metavar="N", help="show N errors of one entity")
    args = parser.parse_args()
    layout = label_format("klue-ner")
    with Source(args.corpus) as source:
        blocks = islice(layout.blocks(source.chunks()), args.sentences)
        corpus = [layout.read(block) for block in blocks]
    corpus = [labelled for labelled in corpus if labelled.tokens]
    rules = load()
    with tempfile.TemporaryDirectory() as folder:
        plain = without_names(rules, Path(folder))
        kinds = {
            "cut at borders": analyses(args.corpus, args.sentences, plain),
            "syl2morph": analyses(args.corpus, args.sentences, rules),
            "Kiwi alone": alone(corpus, rules),
        }
    print("\t".join(["morphemes", "exclusion", "eojeols", "all", "one entity", *TYPES]))
    for name, analysed in kinds.items():
        for exclusion in EXCLUSIONS:
            projection = Eoj2Morph(rules, exclusion=exclusion)
            found = list(judged(corpus, analysed, projection))
            report(f"{name}\t{exclusion}", found)
    if args.errors:
        projection = Eoj2Morph(rules)
        found = list(judged(corpus, kinds["cut at borders"], projection))
        wrong = [one for one in found if not (one.right or one.shared)]
        random.Random(1).shuffle(wrong)
        print("label\teojeol\tmarked\tfound\tmorphemes")
        print("\n".join(map(shown, wrong[: args.errors])))


if __name__ == "__main__":
    main()
