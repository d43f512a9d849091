"""How long `sejongud eval dep` takes and how long `udeval`, start-up included, on the same files.

    python benchmarks/eval_dep.py GOLD.conllu SYSTEM.conllu [--times 10] [--runs 5]

The two treebanks, which must have the same text, are repeated ten times: with UD_Korean-GSD that is
10,000 sentences and 120,000 words.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def fastest(command: list[str], runs: int) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("system", type=Path)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for path in (args.gold, args.system):
            files.append(str(Path(folder) / f"{len(files)}.conllu"))
            text = path.read_text(encoding="utf-8").rstrip("\n") + "\n\n"
            Path(files[-1]).write_text(text * args.times, encoding="utf-8")
        ours = fastest([sys.executable, "-m", "sejongud", "eval", "dep", "-q", *files], args.runs)
        udeval = "import sys; from udtools.cli import main_eval; sys.exit(main_eval())"
        theirs = fastest([sys.executable, "-c", udeval, *files], args.runs)
    print(f"sejongud eval dep {ours:6.2f} s\nudeval            {theirs:6.2f} s")
    print(f"ratio             {theirs / ours:6.2f}")


if __name__ == "__main__":
    main()
