"""How fast corrections are annotated, beside the published programs, in one run.

    pip install errant          # its own environment: spaCy is large
    python benchmarks/gec.py annotate [--pairs 750] [--runs 5]

annotate: processor time of alignment, merging and typing of English pairs whose tags are given, by
the scheme `errant` and by ERRANT itself, and whether the spans are the same. The pairs are invented
(tests/errant_pairs.py): 12 to 28 tokens with one to six errors. The best of the runs.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from sejongud.gec.annotator import Annotator

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.gec.edits import AnalysedToken

    Sides = list[tuple[list[AnalysedToken], list[AnalysedToken]]]

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import errant_pairs


def best(work: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """Return the least processor time of some runs, and the last result."""
    times = []
    for _ in range(runs):
        begin = time.process_time()
        found = work()
        times.append(time.process_time() - begin)
    return min(times), found


def annotate(args: argparse.Namespace) -> None:
    """Time the scheme `errant` and ERRANT on the same pairs."""
    sides = list(errant_pairs.pairs(Random(args.seed), args.pairs, (12, 28), (1, 6)))
    annotator = Annotator(scheme="errant")
    ours = partial(lambda: [annotator.edits(*pair) for pair in sides])
    seconds, found = best(ours, args.runs)
    tokens = sum(len(source) for source, _ in sides)
    print(f"{len(sides)} pairs, {tokens} tokens, {sum(map(len, found))} edits")
    print(f"sejongud   {seconds:.3f} s of the processor")
    theirs, docs = errant_steps(sides)
    other, expected = best(lambda: [theirs(*pair) for pair in docs], args.runs)
    print(f"ERRANT     {other:.3f} s of the processor, {other / seconds:.2f} times as much")
    spans = [[(e.start, e.end, e.c_start, e.c_end) for e in edits] for edits in found]
    same = sum(map(list.__eq__, spans, expected))
    print(f"the same spans in {same} of {len(sides)} pairs")


def errant_steps(sides: Sides) -> tuple[Callable[[Any, Any], list[tuple[int, ...]]], list[Any]]:
    """Return the alignment, merging and typing of ERRANT, and the pairs as spaCy has them."""
    import errant
    import spacy

    nlp = spacy.blank("en")
    program = errant.load("en", nlp)

    def steps(source: Any, target: Any) -> list[tuple[int, ...]]:
        edits = program.annotate(source, target)
        return [(e.o_start, e.o_end, e.c_start, e.c_end) for e in edits]

    doc = partial(errant_pairs.spacy_doc, nlp.vocab)
    return steps, [(doc(source), doc(target)) for source, target in sides]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    sections = parser.add_subparsers(required=True)
    section = sections.add_parser("annotate", help="alignment, merging and typing, and ERRANT's")
    section.add_argument("--pairs", type=int, default=750)
    section.add_argument("--runs", type=int, default=5)
    section.add_argument("--seed", type=int, default=1)
    section.set_defaults(run=annotate)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
