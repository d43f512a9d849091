"""Measure the surfaces that are made of morphemes on treebanks, and list what differs by class.

    python benchmarks/surface.py ../shared/data/ud-korean-ksl/ko_ksl-ud-dev.conllu …

Three ways are counted, over the eojeols that have an ending and over all of them. *alone*: the
morphemes of a sentence and nothing else. *choices*: the rules by which the source's surface came
from its morphemes (`Generator.chosen`), but not its letters. *source*: `Generator.surface` with
the eojeol itself as source, whose letters stay, so anything but 100 % is a fault of the program.
The classes are the rules of rules/alignment.tsv that the surface needs, and those that the made
surface needs instead.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from sejongud import read
from sejongud.morphology.generation import Generator
from sejongud.morphology.surface import Aligner
from sejongud.rules import load

if TYPE_CHECKING:
    from sejongud.model import Eojeol

WAYS = ("alone", "choices", "source")
EXAMPLES = 3


def main() -> None:
    """Print a table a file, and the classes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--classes", type=int, default=20, help="number of classes (%(default)s)")
    args = parser.parse_args()
    rules = load()
    generator, aligner = Generator(rules), Aligner(rules)
    kinds = {tag for tag in rules.tags if rules.kind(tag) == "ending"}
    for path in args.files:
        counts: Counter[tuple[str, bool]] = Counter()
        classes: dict[str, dict[str, list[str]]] = {way: {} for way in WAYS}
        for sentence in read(path, on_error="skip"):
            made = generator.surfaces([eojeol.morphemes for eojeol in sentence.eojeols])
            for eojeol, alone in zip(sentence.eojeols, made, strict=True):
                own = eojeol.form, eojeol.morphemes
                forms = (
                    alone,
                    generator.chosen(eojeol.morphemes, own),
                    generator.surface(eojeol.morphemes, own),
                )
                has_ending = any([morpheme.tag in kinds for morpheme in eojeol.morphemes])
                counts["all", has_ending] += 1
                for way, form in zip(WAYS, forms, strict=True):
                    counts[way, has_ending] += form == eojeol.form
                    if form != eojeol.form:
                        name = _class(aligner, eojeol, form)
                        classes[way].setdefault(name, []).append(f"{eojeol.form} ({form})")
        print(path)
        for way in WAYS:
            ending = counts[way, True] / counts["all", True]
            whole = (counts[way, True] + counts[way, False]) / (
                counts["all", True] + counts["all", False]
            )
            print(f"  {way:8} with an ending {ending:.2%}, all {whole:.2%}")
            _print(classes[way], args.classes)


def _class(aligner: Aligner, eojeol: Eojeol, made: str) -> str:
    """Return the rules that the two surfaces of an eojeol do not share."""
    own, other = aligner.align(eojeol.form, eojeol.morphemes), aligner.align(made, eojeol.morphemes)
    if own.unexplained:
        return "the analysis does not explain the surface"
    if own.weak:
        return f"weak: {', '.join(own.weak)}"
    needed = [name for name in own.rules if name not in other.rules]
    instead = [name for name in other.rules if name not in own.rules]
    return f"{', '.join(needed) or '-'} / {', '.join(instead) or '-'}"


def _print(classes: dict[str, list[str]], most: int) -> None:
    ordered = sorted(classes.items(), key=lambda item: -len(item[1]))
    for name, found in ordered[:most]:
        print(f"    {len(found):4}  {name}: {', '.join(dict.fromkeys(found[:EXAMPLES]))}")
    if rest := sum([len(found) for _, found in ordered[most:]]):
        print(f"    {rest:4}  others")


if __name__ == "__main__":
    main()
