"""Convert between any two formats of entities, through morphemes."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from sejongud.commands import (
    add_common_options,
    add_input_output,
    guard_files,
    open_input,
    reporting,
    say,
    say_format,
)
from sejongud.commands.convert import add_ne_place, add_schemes
from sejongud.commands.ner.options import add_inherit, add_label_scheme, add_morphemes
from sejongud.commands.ner.work import given_sentences, make_forward
from sejongud.converters.between import (
    BY_ENDING,
    DOCBIN,
    READ,
    Target,
    binary_in,
    format_in,
    with_text,
)
from sejongud.converters.recut import Recut
from sejongud.formats import label_format, reader_class
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.units import expect_known_unit
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import without_collector
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse

__all__ = ["register", "run"]


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ner convert`."""
    add_input_output(parser)
    _add_formats(parser)
    add_morphemes(parser)
    add_inherit(parser)
    add_label_scheme(parser)
    add_schemes(parser)
    add_ne_place(parser)
    add_common_options(parser)
    parser.set_defaults(nested=True)


def _add_formats(parser: argparse.ArgumentParser) -> None:
    """Add --from, --to, --repair and --card."""
    parser.add_argument(
        "--from",
        dest="from_",
        metavar="NAME[:SETTINGS]",
        help=f"format of IN: {', '.join([*READ, DOCBIN])}; without it the format is detected",
    )
    parser.add_argument(
        "--to",
        metavar="NAME[:SETTINGS]",
        help="format of OUT, likewise, for example naver:PER-B; without it the ending of its name"
        f" tells it: {', '.join(BY_ENDING)}. `ner formats` lists them with examples",
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="mend labels that go on without having begun, as conlleval reads them",
    )
    parser.add_argument(
        "--card",
        metavar="FILE",
        help="write the dataset card of OUT as well (hf-jsonl): with it in the folder of OUT,"
        " load_dataset(FOLDER) of Hugging Face makes ner_tags a ClassLabel with its names",
    )


def run(args: argparse.Namespace) -> int:
    """Convert any format to any other."""
    rules = load(args.rules)
    granularity = Granularity(rules, args.level, upos=args.upos, lemmas=args.lemmas)
    writer = ConlluWriter(Recut(granularity, retag=True, relemma=True), ne=args.ne, ne_layers=3)
    target = Target(args.output, args.to, writer, rules, mend=args.repair, card=args.card or "")
    args.outputs = target.more
    guard_files(args)
    with (
        binary_in(args.from_, args.input) or open_input(args) as source,
        reporting(args) as report,
        ExitStack() as stack,
        without_collector(),
    ):
        found = format_in(args.from_, source)
        say_format(args, source.path, found)
        if args.from_ is None:
            expect_known_unit(found, source.head(), source.path, rules)
        target.open(stack)
        done: list[str] = []
        if found.is_entities:
            layout = with_text(label_format(*found, rules), source.path)
            forward = make_forward(args, layout, source.path, report)
            for sentence in forward.sentences(source.chunks(), given_sentences(args, report)):
                target.add(sentence)
            done = forward.summary()
        else:
            reader = reader_class(found.name)(Assembler(rules), keep=args.on_error == "keep")
            frames = reader.frames_of(source)
            for sentence in reader.read(frames, source.path, args.on_error, report):
                target.add(sentence)
        target.end()
        if not args.quiet and (said := [*done, *target.summary()]):
            say("\n".join(said))
    return 1 if report.errors else 0
