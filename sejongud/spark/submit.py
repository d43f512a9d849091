"""Run `sejongud spark` under spark-submit, which takes a file that ends in `.py`."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Python looks for modules beside this file first, whose names are those of others.
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).parent]

    from sejongud.__main__ import main

    sys.exit(main(["spark", *sys.argv[1:]]))
