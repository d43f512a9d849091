"""Convert between the formats of corrections.

M2 is what scorers read; JSON Lines loads with Hugging Face datasets; CoNLL-U keeps the edits with
the morphemes, which Kiwi finds; html is a page to look at; tsv and parallel hold texts without
edits. M2 that is written as M2 stays as it was, byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import is_pipe, open_input, reporting, say, say_format, settings_of
from sejongud.commands.gec.files import read_items, write_items
from sejongud.commands.gec.options import WRITTEN, outputs_last
from sejongud.converters.jobs import Conversion, columns_of
from sejongud.errors import UsageError
from sejongud.files import atomic_output
from sejongud.formats import recognise
from sejongud.pipeline import convert_stream, without_collector
from sejongud.terminal import counted

if TYPE_CHECKING:
    import argparse

    from sejongud.commands.gec.files import Input

_PARALLEL, _M2, _CONLLU = "parallel", "m2", "conllu"
_EDIT, _NOOP = "# m2 = A ", "|||noop|||"


def run(args: argparse.Namespace) -> int:
    """Convert."""
    outputs_last(args, args.from_ == _PARALLEL)
    if args.to is None:
        raise UsageError(f"name the format of OUT with --to: {', '.join(WRITTEN)}")
    if args.to == _CONLLU and len(args.inputs) == 1 and not is_pipe(args.inputs[0]):
        with open_input(args, args.inputs[0]) as source:
            found = recognise(args.from_, source.head()) if args.from_ in (None, _CONLLU) else None
        if found is not None and found.name == _CONLLU:
            return _copied(args)
    with (
        reporting(args) as report,
        read_items(args, args.inputs, report) as given,
        without_collector(),
    ):
        written = write_items(args, given, report, None, _settings(args, given))
        if not args.quiet:
            say(written.said)
    return 1 if report.errors else 0


def _copied(args: argparse.Namespace) -> int:
    """Convert CoNLL-U to CoNLL-U of morphemes, which keeps its layers."""
    [path] = args.outputs or ["-"]
    with (
        reporting(args) as report,
        open_input(args, args.inputs[0]) as source,
        atomic_output(path) as out,
    ):
        say_format(args, source.path, _CONLLU)
        columns = columns_of(_CONLLU, source.head())
        own = {"columns": columns, "path": source.path}
        conversion = Conversion(_CONLLU, **settings_of(args, Conversion) | own)
        totals = convert_stream(conversion, source, out, report)
    if not args.quiet:
        with open_input(args, args.inputs[0]) as source:
            lines = [line for line in source.lines() if line.startswith(_EDIT)]
        edits = len(lines) - len([line for line in lines if _NOOP in line])
        say(f"{counted(totals.sentences, 'sentence[s]')}, {counted(edits, 'edit[s]')}")
    return 1 if report.errors else 0


def _settings(args: argparse.Namespace, given: Input) -> str:
    """Return the settings of the output: those of the input if it has the same format."""
    if args.to != _M2:
        return ""
    return given.layout.settings if given.layout.name == _M2 else ""
