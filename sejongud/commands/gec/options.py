"""The options that the sub-commands share, and the formats by their names in options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.arguments import Parser, count
from sejongud.commands import choose_format, guard_files, guard_inputs
from sejongud.errors import UsageError
from sejongud.formats import CORRECTION_FORMATS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

HTML = "html"
REGISTERED = {"jsonl": "gec-jsonl"}
"""The name in options → the name in the register, where `jsonl` has sentences of morphemes."""
OPTION_NAMES = {registered: name for name, registered in REGISTERED.items()}

READ = tuple([OPTION_NAMES.get(name, name) for name in CORRECTION_FORMATS])
"""The names of the formats that are read."""

WRITTEN = ("m2", "jsonl", "conllu", HTML, "tsv", "parallel")
"""The names of the formats that are written."""

COMMON = (
    *("--quiet", "--verbose", "--on-error", "--log", "--force", "--no-progress"),
    *("--encoding", "--rules"),
)
"""The common options of the sub-commands that write a file."""

_SPLIT = "--split-punctuation"


def add_files(parser: argparse.ArgumentParser, metavar: str, summary: str) -> None:
    """Add the arguments that name the input files (`args.inputs`) and the output."""
    parser.add_argument("inputs", metavar=metavar, nargs="*", default=["-"], help=summary)
    parser.add_argument(
        "-o",
        "--output",
        dest="outputs",
        metavar="OUT",
        action="append",
        help="output file; - is stdout (default: -); parallel has one for the sources and one for"
        " each annotator's targets",
    )


def add_from(parser: argparse.ArgumentParser) -> None:
    """Add the options of the input's format."""
    parser.add_argument(
        "--from",
        dest="from_",
        choices=READ,
        help="format of the input (default: detect it; several files are parallel)",
    )
    parser.add_argument(
        "--columns",
        metavar="N,N…",
        default="",
        help="tsv: columns of the source and of each target, by number from 1 or by name in the"
        " first row (default: all in order)",
    )
    parser.add_argument(
        "--spoken", action="store_true", help="learner-xml: read spoken texts as well"
    )


def add_to(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Add the options of the output's format."""
    parser.add_argument(
        "--to",
        choices=WRITTEN,
        help="format of the output: m2 for scorers, jsonl for Hugging Face datasets, conllu with"
        " the morphemes, html to look at, tsv and parallel without edits (default: by the ending of"
        f" the name OUT{f', else {default}' if default else ''})",
    )
    parser.set_defaults(writes=WRITTEN, usual=default)


def add_writing(parser: argparse.ArgumentParser) -> None:
    """Add the options of single formats of the output."""
    parser.add_argument(
        "--noop",
        choices=("kagas", "errant", "none"),
        help="m2: the line of an annotator without edits, in the spelling of KAGAS or of ERRANT, or"
        " no line (default: as in the input, else as the scheme)",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=count,
        default=10_000,
        help="html: number of sentences that are shown; 0 shows all (default: %(default)s)",
    )
    parser.add_argument("--title", default="", help="html: title of the page")


def add_marks(group: argparse._ArgumentGroup, usual: str) -> None:
    """Add the options of the marks that are split off.

    Args:
        group: of options.
        usual: the treatment of the marks without these options, for help.
    """
    group.add_argument(
        _SPLIT,
        metavar="MARKS",
        help="put spaces around marks first: those of the KAGAS program, or 'all' symbols (default:"
        f" {usual})",
    )
    group.add_argument(
        "--no-split-punctuation", dest="split_punctuation", action="store_false", default=None,
        help="leave the marks where they are",
    )  # fmt: skip


def add_speller(group: argparse._ArgumentGroup) -> None:
    """Add --speller."""
    group.add_argument(
        "--speller",
        metavar="NAME",
        default="kiwi",
        help="spelling checker: kiwi, hunspell, hunspell:DIR or none (default: %(default)s)",
    )


class ActionParser(Parser):
    """A parser in which the value of --split-punctuation may be missing before a file."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return the parsed arguments and the unknown arguments."""
        words = list(args or ())
        if _SPLIT in words:
            at = words.index(_SPLIT)
            all_marks = words[at + 1 : at + 2] == ["all"]
            words[at : at + 1 + all_marks] = [f"{_SPLIT}={'all' if all_marks else 'published'}"]
        return super().parse_known_args(words, namespace)


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
