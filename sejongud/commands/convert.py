"""Convert between Sejong text, CoNLL-U and other formats, at five levels of granularity.

The input is read as what --from says or, without it, as what it looks like. CoNLL-U can be of any
level, and the Sejong text comes back from it byte for byte. At level 1 a word is an eojeol, at
level 2 symbols are cut off, at 3 particles, at 4 endings, at 5 every morpheme is a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import (
    add_common_options,
    add_input_output,
    open_input,
    open_output,
    reporting,
    say,
)
from sejongud.converters.jobs import Conversion
from sejongud.formats import READERS, WRITERS, resolve
from sejongud.formats.conllu import NE_PLACES
from sejongud.model import LEVELS
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    import argparse

__all__ = ["add_ne_place", "add_schemes", "register", "run"]


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_input_output(parser)
    parser.add_argument("--from", dest="from_", choices=list(READERS), help="format of the input")
    parser.add_argument("--to", choices=list(WRITERS), default="conllu", help="format to write")
    add_schemes(parser)
    # A treebank says of its own words what they are, unless somebody asks for another scheme.
    parser.set_defaults(upos=None, lemmas=None)
    parser.add_argument(
        "--deps",
        choices=("none", "dummy"),
        help="'none' leaves HEAD and DEPREL empty; 'dummy' writes a simple chain for tools that"
        " need a tree; default: keep the source's",
    )
    add_ne_place(parser)
    parser.add_argument("--spaced", action="store_true", help="sejong: blanks around the plus")
    corpus = parser.add_argument_group("the Sejong corpus as distributed (--from corpus)")
    corpus.add_argument(
        "--metadata", action="store_true", help="<source>, <date> … as sentences, not as comments"
    )
    corpus.add_argument(
        "--no-rejoin",
        dest="rejoin",
        action="store_false",
        help="leave sentences as they are that were cut inside 4.6판, S.M.오너",
    )
    add_common_options(parser)


def add_ne_place(parser: argparse.ArgumentParser) -> None:
    """Add --ne."""
    parser.add_argument(
        "--ne",
        choices=NE_PLACES,
        default="misc",
        help="labels of entities: NE= in MISC, a column of CoNLL-U Plus, or in FEATS (conllu)",
    )


def add_schemes(parser: argparse.ArgumentParser) -> None:
    """Add --level, --upos and --lemmas."""
    parser.add_argument(
        "--level", type=int, choices=LEVELS, default=5, help="granularity (5: every morpheme)"
    )
    parser.add_argument(
        "--upos", metavar="SCHEME", default="sejong", help="sejong, table3.1, ud, morphud"
    )
    parser.add_argument(
        "--lemmas", metavar="SCHEME", default="normalised", help="normalised, morphud, form"
    )


def run(args: argparse.Namespace) -> int:
    """Convert `args.input` to `args.output`."""
    with open_input(args) as source, reporting(args) as report, open_output(args) as out:
        name = resolve(args.from_, source.head())
        if args.from_ is None and not args.quiet:
            say(f"{source.path}: detected format: {name} (override with --from)")
        options: dict[str, object] = {}
        jobs = args.jobs
        if name == "corpus":
            options = {"metadata": args.metadata, "rejoin": args.rejoin}
        elif name == "text":
            # Kiwi has threads of its own; a second process would load it a second time.
            options = {"workers": jobs or None}
            jobs = 1
        conversion = Conversion(
            name,
            args.to,
            level=args.level,
            upos=args.upos,
            lemmas=args.lemmas,
            deps=args.deps or "",
            ne=args.ne,
            spaced=args.spaced,
            on_error=args.on_error,
            rules=args.rules,
            path=source.path,
            reader_options=options,
        )
        totals = convert_stream(conversion, source, out, report, jobs=jobs)
        if not args.quiet:
            say(f"{totals.sentences:,} sentences, {totals.words:,} eojeols")
        return 1 if report.errors else 0
