"""Change the library in one place at a time, and see whether a test notices.

    pip install cosmic-ray pytest-cov
    python benchmarks/mutants.py --count 300 --seed 1 [--coverage FILE] [--log FILE] [--rooms gec]

A mutant is one change by an operator of cosmic-ray (`<` becomes `<=`, `and` becomes `or`, 1 becomes
2, a condition is negated, a loop ends at once …) in a function, at a place that some test executes,
drawn by a seed: as many of one room as of another. What is made when a module is imported, types,
strings and docstrings are not changed.

pytest collects the tests once. For each mutant the process forks, the child changes the function
where it lives, and runs the tests that execute the line until one fails: the smallest first, then
others that are drawn. A test that fails in a child without a mutant does not count. The tests of a
line are those of one run under coverage, which `--coverage` keeps and takes up again, of every
table of tests some rows, and without slow files (`SLOW`); `--also` names tests that are run for
every mutant, such as new ones.

Each result is a line of `--log`, and what has one is not tried again: a run goes on where it ended.
`--again --most 300` tries those that lived with more tests.
The script prints how many mutants of each room were noticed, and the change of every one that
lived. A mutant that changes nothing that anybody sees (a size of a memory, a guard of speed) lives
for ever: the survivors are read.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator
from coverage import CoverageData

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TOP = Path(__file__).resolve().parent.parent
PROCESSOR, CLOCK, MEMORY = 60, 300, 8 << 30
"""The seconds and bytes of a child; a mutant that needs more is noticed."""
SLOW = (
    *(
        "beside",
        "browser",
        "errant",
        "every_corpus",
        "faults",
        "fuzz",
        "interop",
        "kill",
        "library",
    ),
    *("left_behind", "manual", "memory", "once", "packaging", "parallel", "release_kill", "ways"),
    *("report_browser", "spacy", "spark", "speller", "streams", "udvalidate", "unfinished"),
)
ROWS = 2
"""The rows of a table of tests that are run under coverage."""
KIWI = "sejongud/morphology/kiwi.py"
"""The module whose tests come last: the start of Kiwi takes two seconds in every child."""
OPERATORS = (
    *("ReplaceComparisonOperator_Eq_NotEq", "ReplaceComparisonOperator_NotEq_Eq"),
    *("ReplaceComparisonOperator_Lt_LtE", "ReplaceComparisonOperator_LtE_Lt"),
    *("ReplaceComparisonOperator_Gt_GtE", "ReplaceComparisonOperator_GtE_Gt"),
    *("ReplaceComparisonOperator_Is_IsNot", "ReplaceComparisonOperator_IsNot_Is"),
    *("ReplaceBinaryOperator_Add_Sub", "ReplaceBinaryOperator_Sub_Add"),
    *("ReplaceBinaryOperator_Mul_Div", "ReplaceBinaryOperator_BitAnd_BitOr"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("AddNot", "NumberReplacer", "ZeroIterationForLoop", "ReplaceBreakWithContinue"),
    *("ReplaceContinueWithBreak", "ReplaceUnaryOperator_Delete_Not", "In"),
)


class In(Operator):
    """The change of `in` into `not in`, which cosmic-ray has not."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type == "keyword" and node.value == "in" and node.parent.type == "comparison":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.value = "not in"
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


def operator_of(name: str) -> Any:
    return In() if name == "In" else get_operator(f"core/{name}")()


class Mutant(NamedTuple):
    """A change of one place."""

    path: str
    line: int
    operator: str
    occurrence: int

    @property
    def room(self) -> str:
        parts = Path(self.path).parts
        return "/".join(parts[: 2 if parts[0] == "sejongud" and parts[2:] else 1])


def cover(data: Path) -> None:
    """Run the tests under coverage, with the tests that execute each line."""
    files = [
        str(file)
        for file in sorted((TOP / "tests").glob("test_*.py"))
        if file.stem.removeprefix("test_") not in SLOW
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    command += [
        "-p",
        "mutants",
        "--cov=sejongud",
        "--cov=converters",
        "--cov-context=test",
        "--cov-report=",
    ]
    env = {"COVERAGE_FILE": str(data), "PYTHONPATH": str(TOP / "benchmarks")}
    subprocess.run(command, cwd=TOP, env={**os.environ, **env}, check=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep some rows of each table of tests, where this module is the plugin of `cover`."""
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        groups[item.nodeid.partition("[")[0]].append(item)
    items[:] = [
        item for rows in groups.values() for item in Random(1).sample(rows, min(ROWS, len(rows)))
    ]


def tests_of_lines(data: Path) -> dict[str, dict[int, list[str]]]:
    """Return the tests that execute each line of each file, those that execute the least first."""
    coverage = CoverageData(str(data))
    coverage.read()
    executed: dict[str, dict[int, list[str]]] = {}
    sizes: Counter[str] = Counter()
    for name in coverage.measured_files():
        parts = Path(name).parts
        start = max(parts.index(top) for top in ("sejongud", "converters") if top in parts)
        path = (TOP / Path(*parts[start:])).resolve().relative_to(TOP)
        executed[str(path)] = lines = {
            line: sorted({context.partition("|")[0] for context in contexts} - {""})
            for line, contexts in coverage.contexts_by_lineno(name).items()
        }
        for tests in lines.values():
            sizes.update(tests)
    kiwi = {test for tests in executed[KIWI].values() for test in tests}
    for lines in executed.values():
        for tests in lines.values():
            tests.sort(key=lambda test: (test in kiwi, sizes[test]))
    return executed


def mutants(path: str) -> Iterator[Mutant]:
    """Yield every mutant of a file."""
    operators = {name: operator_of(name) for name in OPERATORS}
    occurrences: Counter[str] = Counter()
    text = (TOP / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    nodes = [get_ast(text)]
    while nodes:
        node = nodes.pop()
        nodes += reversed(getattr(node, "children", []))
        for name, operator in operators.items():
            for place in operator.mutation_positions(node):
                # `strict=True` says that two lists are equally long, and does nothing else.
                if "strict=" not in lines[place[0][0] - 1] or "True" not in name:
                    yield Mutant(path, place[0][0], name, occurrences[name])
                occurrences[name] += 1


def change(mutant: Mutant) -> tuple[str, str]:
    """Return the text of a file before and after."""
    before = (TOP / mutant.path).read_text(encoding="utf-8")
    return before, mutate_code(before, operator_of(mutant.operator), mutant.occurrence) or before


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of every function of a module or function."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


def place_of(code: CodeType) -> tuple[str, tuple[object, ...]]:
    return code.co_qualname, tuple(code.co_positions())


Change = list[tuple[FunctionType, CodeType]]
"""Functions, and the code that each of them gets."""


class Server:
    """The plugin of pytest that runs tests in a child for each mutant."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.tests = tests_of_lines(args.coverage)
        self.done: dict[Mutant, str] = {}
        self.sound: dict[str, bool] = {}
        self.items: dict[str, pytest.Item] = {}
        self.rows: dict[str, list[str]] = defaultdict(list)
        self.failed = False
        if args.log.is_file():
            for line in args.log.read_text(encoding="utf-8").splitlines():
                path, number, operator, occurrence, result = line.split("\t")[:5]
                self.done[Mutant(path, int(number), operator, int(occurrence))] = result

    def drawn(self) -> Iterator[Mutant]:
        """Yield the mutants by turns from every room, or those that lived."""
        if self.args.again:
            yield from [mutant for mutant, result in self.done.items() if result == "lived"]
            return
        rooms: dict[str, list[Mutant]] = defaultdict(list)
        for path in sorted(path for path in self.tests if path.endswith(".py")):
            for mutant in mutants(path):
                shown = f"{path}:{mutant.line}"
                if self.tests[path].get(mutant.line) and any(
                    room in shown for room in self.args.rooms
                ):
                    rooms[mutant.room].append(mutant)
        for every in rooms.values():
            Random(self.args.seed).shuffle(every)
        for turn in zip_longest(*[rooms[room] for room in sorted(rooms)]):
            yield from [mutant for mutant in turn if mutant is not None]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            self.items[item.nodeid] = item
            self.rows[item.nodeid.partition("[")[0]].append(item.nodeid)
        for path in self.tests:
            name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
            with suppress(ImportError):
                import_module(name if name.startswith("sejongud") else f"sejongud.{name}")
        functions: dict[str, list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(str(TOP)):
                functions[str(Path(thing.__code__.co_filename).resolve())].append(thing)
        gc.freeze()
        tried = 0
        for mutant in self.drawn():
            if tried == self.args.count:
                break
            if (result := self.done.get(mutant)) and not self.args.again:
                tried += result != "nothing"
                continue
            result, test = "nothing", ""
            before, after = change(mutant)
            if changed := self.changed(functions[str(TOP / mutant.path)], before, after):
                result, test = self.outcome(mutant, changed)
                tried += 1
            self.done[mutant] = result
            print(".", end="", file=sys.stderr, flush=True)
            with self.args.log.open("a", encoding="utf-8") as log:
                print(*mutant, result, test, sep="\t", file=log)
            if result == "lived":
                difference = difflib.unified_diff(
                    before.splitlines(), after.splitlines(), mutant.path, mutant.operator, n=0
                )
                print("\n".join(difference), flush=True)
        return True

    @staticmethod
    def changed(functions: Sequence[FunctionType], before: str, after: str) -> Change:
        """Return the functions that a mutant changes where they live."""
        try:
            old, new = [codes(compile(text, "", "exec")) for text in (before, after)]
        except SyntaxError:
            return []
        pairs = list(zip(old, new, strict=False))
        others = {place_of(old): new for old, new in pairs if old != new}
        return [
            (function, others[place])
            for function in functions
            if (place := place_of(function.__code__)) in others
            and function.__code__.co_freevars == others[place].co_freevars
        ]

    def outcome(self, mutant: Mutant, changed: Change) -> tuple[str, str]:
        """Return what became of a mutant, and the test that noticed it."""
        tests = self.tests[mutant.path].get(mutant.line, [])
        half = self.args.most // 2
        few = [*tests[:half], *Random(self.args.seed).sample(tests, min(half, len(tests)))]
        # The examples of a module stand in its docstrings.
        own = (*self.args.also, f"{mutant.path}::", f"sejongud/{mutant.path}::")
        also = [name for name in self.items if name.startswith(own)]
        # What was left out of the run under coverage may notice it as well: rows, then files.
        rows = [row for test in tests for row in self.rows[test.partition("[")[0]]]
        near = {test.partition("::")[0] for test in tests}
        rows += [name for name in self.items if name.partition("::")[0] in near]
        chosen = list(dict.fromkeys([*also, *few, *rows]))
        chosen = [name for name in chosen if name in self.items][: len(also) + self.args.most]
        while chosen := [name for name in chosen if self.sound.get(name, True)]:
            result, test = self.run([self.items[name] for name in chosen], changed)
            if result != "noticed" or self.sound.get(test):
                return result, test
            self.sound[test] = self.run([self.items[test]], [])[0] == "lived"
            if self.sound[test]:
                return result, test
        return "nothing", ""

    def run(self, items: Sequence[pytest.Item], changed: Change) -> tuple[str, str]:
        """Run tests in a child until one fails; return the result and the name of the test."""
        with tempfile.TemporaryFile("w+") as failures:
            child = os.fork()
            if not child:
                os.setsid()
                resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                null = os.open(os.devnull, os.O_RDWR)
                for stream in range(3):
                    os.dup2(null, stream)
                for function, code in changed:
                    function.__code__ = code
                for item, following in zip(items, [*items[1:], None], strict=True):
                    # The name stands there before the test, which may never end.
                    failures.seek(0)
                    failures.truncate()
                    print(item.nodeid, end="", file=failures, flush=True)
                    with suppress(BaseException):
                        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                    if self.failed:
                        os._exit(1)
                os._exit(0)
            end = time.monotonic() + CLOCK
            while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
                time.sleep(0.01)
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            status = ended[1] if ended[0] else os.waitpid(child, 0)[1]
            failures.seek(0)
            test = failures.read()
        if os.WIFSIGNALED(status):
            return "endless", test
        return ("noticed", test) if os.WEXITSTATUS(status) else ("lived", "")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=40, help="tests that are run for a mutant")
    parser.add_argument("--rooms", nargs="*", default=[""], help="parts of paths, or path:line")
    parser.add_argument("--again", action="store_true", help="try those of the log that lived")
    parser.add_argument("--also", nargs="*", default=[], help="beginnings of the names of tests")
    temporary = Path(tempfile.gettempdir())
    parser.add_argument("--coverage", type=Path, default=temporary / "mutants.cov")
    parser.add_argument("--log", type=Path, default=temporary / "mutants.tsv")
    args = parser.parse_args()
    if not args.coverage.is_file():
        cover(args.coverage)
    os.chdir(TOP)
    server = Server(args)
    files = {test.partition("::")[0] for test in args.also}
    if args.again:
        for mutant in server.drawn():
            tests = server.tests[mutant.path].get(mutant.line, [])[: args.most // 2]
            files.update([mutant.path, *(test.partition("::")[0] for test in tests)])
    else:
        files.add("sejongud")
        for lines in server.tests.values():
            files.update(test.partition("::")[0] for tests in lines.values() for test in tests)
    with tempfile.TemporaryDirectory() as folder:
        options = ["-q", "-s", "-p", "no:cacheprovider", f"--basetemp={folder}/base"]
        pytest.main([*options, *sorted(filter(os.path.exists, files))], plugins=[server])
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, result in server.done.items():
        totals[mutant.room][result] += 1
        totals["all"][result] += 1
    print(f"\n{'room':24} noticed endless lived")
    for room, counts in totals.items():
        print(f"{room:24} {counts['noticed']:7} {counts['endless']:7} {counts['lived']:5}")


if __name__ == "__main__":
    main()
