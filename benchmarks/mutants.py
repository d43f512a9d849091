"""Change the library in one place at a time, and see whether a test notices.

    pip install cosmic-ray pytest-cov
    python benchmarks/mutants.py --count 300 --seed 1 [--coverage FILE] [--rooms gec formats]

A mutant is one change by an operator of cosmic-ray (`<` becomes `<=`, `and` becomes `or`, 1 becomes
2, a condition is negated, a loop ends at once …) at a place that some test executes, drawn by a
seed: as many of each room as it has places. The tests that execute the line are run on a copy of
the tree until one fails: a few at first, then all of them up to `--most`. The tests of a line are
those of one run of the suite under coverage, which `--coverage` keeps and takes up again.

The script prints how many mutants of each room a test has noticed, and every one that lived, as a
difference. A mutant that changes nothing that anybody sees (a size of a memory, a guard of speed)
lives for ever: the survivors are read.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from random import Random
from typing import NamedTuple

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from coverage import CoverageData

TOP = Path(__file__).resolve().parent.parent
FEW = 12
TIMEOUT = 300
OPERATORS = (
    *("ReplaceComparisonOperator_Eq_NotEq", "ReplaceComparisonOperator_NotEq_Eq"),
    *("ReplaceComparisonOperator_Lt_LtE", "ReplaceComparisonOperator_LtE_Lt"),
    *("ReplaceComparisonOperator_Gt_GtE", "ReplaceComparisonOperator_GtE_Gt"),
    *("ReplaceComparisonOperator_Is_IsNot", "ReplaceComparisonOperator_IsNot_Is"),
    *("ReplaceBinaryOperator_Add_Sub", "ReplaceBinaryOperator_Sub_Add"),
    *("ReplaceBinaryOperator_Mul_Div", "ReplaceBinaryOperator_BitAnd_BitOr"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("AddNot", "NumberReplacer", "ZeroIterationForLoop", "ReplaceBreakWithContinue"),
    *("ReplaceContinueWithBreak", "ReplaceUnaryOperator_Delete_Not"),
)


class Mutant(NamedTuple):
    """A change of one place."""

    path: str
    line: int
    operator: str
    occurrence: int

    @property
    def room(self) -> str:
        return "/".join(Path(self.path).parts[:-1])


def cover(data: Path) -> None:
    """Run the suite under coverage, with the tests that execute each line."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
    command += ["--cov=sejongud", "--cov=converters", "--cov-context=test", "--cov-report="]
    subprocess.run(command, cwd=TOP, env={**os.environ, "COVERAGE_FILE": str(data)}, check=False)


def tests_of_lines(data: Path) -> dict[str, dict[int, list[str]]]:
    """Return the tests that execute each line of each file, files as in the tree."""
    coverage = CoverageData(str(data))
    coverage.read()
    found: dict[str, dict[int, list[str]]] = {}
    for name in coverage.measured_files():
        parts = Path(name).resolve().parts
        start = max(at for at, part in enumerate(parts) if part in {"sejongud", "converters"})
        tops = [at for at, part in enumerate(parts) if part in {"sejongud", "converters", "rules"}]
        path = str(Path(*parts[tops[0] if (TOP / Path(*parts[tops[0] :])).is_file() else start :]))
        lines = coverage.contexts_by_lineno(name)
        found[path] = {
            line: sorted({context.partition("|")[0] for context in contexts if context})
            for line, contexts in lines.items()
        }
    return found


def mutants(path: str) -> list[Mutant]:
    """Return every mutant of a file."""
    tree = get_ast((TOP / path).read_text(encoding="utf-8"))
    found = []
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        occurrence = 0
        nodes = [tree]
        while nodes:
            node = nodes.pop(0)
            nodes[:0] = getattr(node, "children", [])
            for place in operator.mutation_positions(node):
                found.append(Mutant(path, place[0][0], name, occurrence))
                occurrence += 1
    return found


def change(mutant: Mutant) -> tuple[str, str]:
    """Return the text of a file before and after."""
    before = (TOP / mutant.path).read_text(encoding="utf-8")
    operator = get_operator(f"core/{mutant.operator}")()
    return before, mutate_code(before, operator, mutant.occurrence) or before


def is_noticed(folder: Path, tests: list[str]) -> bool:
    """Whether one of some tests fails, or does not end, in a copy of the tree."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=150, help="tests that are run for a mutant")
    parser.add_argument("--rooms", nargs="*", default=[], help="parts of paths")
    parser.add_argument(
        "--coverage", type=Path, default=Path(tempfile.gettempdir()) / "mutants.cov"
    )
    args = parser.parse_args()
    if not args.coverage.is_file():
        cover(args.coverage)
    tests = tests_of_lines(args.coverage)
    random = Random(args.seed)
    every = [
        mutant
        for path in sorted(tests)
        if (TOP / path).is_file() and (not args.rooms or any(room in path for room in args.rooms))
        for mutant in mutants(path)
        if tests[path].get(mutant.line)
    ]
    drawn = random.sample(every, min(args.count, len(every)))
    folders: Queue[Path] = Queue()
    lived: list[Mutant] = []
    totals: dict[str, Counter[bool]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as name:
        for number in range(args.jobs):
            copy = Path(name) / str(number) / TOP.name
            shutil.copytree(
                TOP, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv*", "*.pyc")
            )
            folders.put(copy)

        def try_one(mutant: Mutant) -> None:
            before, after = change(mutant)
            if before == after:
                return
            folder = folders.get()
            own = tests[mutant.path][mutant.line]
            own = Random(args.seed).sample(own, min(args.most, len(own)))
            target = folder / mutant.path
            target.write_text(after, encoding="utf-8")
            noticed = is_noticed(folder, own[:FEW]) or (
                len(own) > FEW and is_noticed(folder, own[FEW:])
            )
            target.write_text(before, encoding="utf-8")
            folders.put(folder)
            totals[mutant.room][noticed] += 1
            if not noticed:
                lived.append(mutant)
                difference = difflib.unified_diff(
                    before.splitlines(), after.splitlines(), mutant.path, mutant.operator, n=0
                )
                print("\n".join(difference), flush=True)

        with ThreadPoolExecutor(args.jobs) as pool:
            list(pool.map(try_one, drawn))
    print(f"\n{'room':24} noticed lived")
    for room, counts in sorted(totals.items()):
        print(f"{room:24} {counts[True]:7} {counts[False]:5}")
    noticed = sum(counts[True] for counts in totals.values())
    total = noticed + len(lived)
    print(f"{noticed} of {total} were noticed ({noticed / max(total, 1):.1%}), of {len(every):,}")


if __name__ == "__main__":
    main()
