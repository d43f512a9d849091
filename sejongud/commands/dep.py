"""Convert dependencies between eojeols and morphemes: word2morph, morph2word.

UD Korean treebanks have eojeols as words. word2morph splits the words into their morphemes and
moves the dependencies (Chen et al. 2022). morph2word joins them again, byte for byte; it also makes
trees of words from the morpheme trees of a parser. stats counts arcs and words before and after.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from sejongud.arguments import count
from sejongud.commands import (
    add_common_options,
    add_input_output,
    add_table_output,
    open_input,
    reporting,
    run_file,
    settings_of,
    told_totals,
    write_output,
)
from sejongud.commands.convert import add_conventions
from sejongud.converters.jobs import DependencyConversion
from sejongud.converters.word2morph import SCHEMES
from sejongud.model import LEVELS
from sejongud.pipeline import convert_stream
from sejongud.terminal import counted, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.statistics import DependencyStatistics

_TOP = 20


def register(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command for each direction, and one for statistics."""
    # A sub-command has those of the options that it needs; a conversion has them all.
    parser.set_defaults(scheme="ud", level=5, upos="", lemmas="normalised", compat=None)
    parser.set_defaults(bound_marker="", words=None, xpos="", aux_lemmas="")
    commands = parser.add_subparsers(metavar="COMMAND", dest="direction", required=True)
    splitting = commands.add_parser(
        "word2morph", help="words of a UD treebank → morphemes", description=_WORD2MORPH
    )
    add_input_output(splitting)
    _add_schemes(splitting)
    add_conventions(splitting)
    splitting.add_argument(
        "--compat",
        choices=("published",),
        help="reproduce the published program byte for byte, with its mistakes",
    )
    _add_marker(splitting)
    add_common_options(splitting)
    joining = commands.add_parser("morph2word", help="morphemes → words", description=_MORPH2WORD)
    add_input_output(joining)
    joining.add_argument(
        "--words",
        metavar="WORDUD",
        help="write the words of the treebank WORDUD with the arcs of IN",
    )
    _add_marker(joining)
    add_common_options(joining)
    counting = commands.add_parser(
        "stats", help="arcs and words, before and after", description=_STATS
    )
    counting.add_argument(
        "input", metavar="IN", nargs="?", default="-", help="a UD treebank of words"
    )
    _add_schemes(counting)
    add_table_output(counting, "json")
    counting.add_argument(
        "--top", metavar="N", type=count, help=f"number of patterns (tables: {_TOP}, JSON: all)"
    )
    add_common_options(counting)


_WORD2MORPH = (
    "Split every word into its morphemes, or into the words of --level, taken from MSeg, OrigLemma,"
    " LEMMA or FORM. The head"
    " morpheme gets the word's HEAD and DEPREL, and the others are attached to it. MISC of the"
    " range line keeps what morph2word needs to restore the word."
)
_MORPH2WORD = (
    "Join the morphemes of every surface token to one word. Its arc is found by starting at its"
    " head morpheme and going up until an arc leaves the token. If the words are not a tree then,"
    " as few arcs as possible are changed."
)
_STATS = (
    "Count directions, depths and lengths of the arcs between words and between morphemes, and the"
    " XPOS patterns of words."
)


def _add_schemes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scheme",
        choices=SCHEMES,
        default="ud",
        help="relations within a word: 'ud', as valid as the source for UD's validator;"
        " 'morphud', those of the memoir, which are not valid UD (%(default)s)",
    )
    parser.add_argument(
        "--level",
        type=int,
        choices=LEVELS[1:],
        default=LEVELS[-1],
        help="parts that become words: 2 symbols, 3 also particles, 4 also endings, 5 all morphemes"
        " (%(default)s)",
    )
    parser.add_argument(
        "--upos",
        metavar="SCHEME",
        default="",
        help="UPOS of morphemes: morphud, sejong, table3.1, ud (default: the one of --scheme)",
    )
    parser.add_argument(
        "--lemmas", metavar="SCHEME", default="normalised", help="normalised, morphud"
    )


def _add_marker(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bound-marker",
        metavar="MARK",
        default="",
        help="text before every morpheme except the first of a word (+ in +morphUD)",
    )


def run(args: argparse.Namespace) -> int:
    """Convert `args.input` to `args.output`, or count its arcs."""
    return _count(args) if args.direction == "stats" else run_file(args, _convert)


def _conversion(args: argparse.Namespace) -> DependencyConversion:
    settings = settings_of(args, DependencyConversion)
    settings["direction"] = "morph2word" if args.direction == "morph2word" else "word2morph"
    return DependencyConversion(**settings, published=args.compat is not None, path=args.input)


def _convert(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    with open_input(args, args.words) if args.words else nullcontext() as words:
        conversion = _conversion(args)
        totals = convert_stream(conversion, source, out, report, words=words, jobs=args.jobs)
    return told_totals(args, totals, "word[s]")


def _count(args: argparse.Namespace) -> int:
    from sejongud.statistics import collect_dependencies

    conversion = _conversion(args)
    split = conversion.make_step()
    with reporting(args) as report, open_input(args) as source:
        sentences = conversion.make_reader().read_file(source, args.on_error, report)
        found = collect_dependencies(sentences, split)
    top = _TOP if args.top is None else args.top
    write_output(args, found.to_dict(args.top) if args.to == "json" else _as_text(found, top))
    return 1 if report.errors else 0


def _as_text(found: DependencyStatistics, top: int) -> str:
    """Return the counts as tables."""
    counts = found.to_dict(top)
    sides = (counts["words"], counts["morphemes"])
    deepest = max([int(depth) for side in sides for depth in side["depths"]], default=-1)
    lines = [("all", [side["words"] for side in sides])]
    for name in sides[0]["directions"]:
        lines.append((name, [side["directions"][name] for side in sides]))
    for depth in range(deepest + 1):
        lines.append((f"depth {depth}", [side["depths"].get(str(depth), 0) for side in sides]))
    rows = [["", "words", "%", "morphemes", "%"]]
    for name, values in lines:
        cells = [name]
        for value, side in zip(values, sides, strict=True):
            share = 100 * value / side["words"] if side["words"] else 0
            cells += [f"{value:,}", f"{share:.2f}"]
        rows.append(cells)
    rows += [
        [f"mean {name}", f"{sides[0][key]:.3f}", "", f"{sides[1][key]:.3f}", ""]
        for name, key in (("depth", "mean_depth"), ("length", "mean_length"))
    ]
    patterns = [[pattern, f"{n:,}"] for pattern, n in counts["patterns"].items()]
    title = counted(
        counts["distinct_patterns"], "pattern[s] of words, the head morpheme in brackets"
    )
    return f"{counted(found.sentences, 'sentence[s]')}\n\n{table(rows)}\n{title}\n{table(patterns)}"
