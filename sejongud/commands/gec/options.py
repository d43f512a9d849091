"""The options that the sub-commands share, and the formats by their names in options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import choose_format, guard_files, guard_inputs
from sejongud.errors import UsageError
from sejongud.formats import CORRECTION_FORMATS

if TYPE_CHECKING:
    import argparse

HTML = "html"
REGISTERED = {"jsonl": "gec-jsonl"}
"""The name in options → the name in the register, where `jsonl` has sentences of morphemes."""
OPTION_NAMES = {registered: name for name, registered in REGISTERED.items()}

READ = tuple([OPTION_NAMES.get(name, name) for name in CORRECTION_FORMATS])
"""The names of the formats that are read."""

WRITTEN = ("m2", "jsonl", "conllu", HTML, "tsv", "parallel")
"""The names of the formats that are written."""


def outputs_last(args: argparse.Namespace, parallel: bool) -> None:
    """Take the second of two files for the output, unless the input is parallel: IN OUT.

    Raises:
        UsageError: the files cannot be told apart, the output is an input, or its format cannot be
            written.
    """
    if parallel:
        return
    if len(args.inputs) == 2 and not args.outputs:
        args.outputs = [args.inputs.pop()]
        choose_format(args)
        guard_inputs(args)
        guard_files(args)
    if len(args.inputs) > 1:
        raise UsageError(
            f"one input is read, and {len(args.inputs)} are named; parallel text is read with"
            " --from parallel, and -o names the output"
        )
