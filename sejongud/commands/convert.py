"""Convert between Sejong text, CoNLL-U and other formats, at five levels of granularity.

The option --from names the format of the input; without it the format is detected. CoNLL-U input
can have any level, and converting it to Sejong text restores the original byte for byte. At level 1
a word is an eojeol. Level 2 cuts off symbols, level 3 also particles, level 4 also endings, and at
level 5 every morpheme is a word.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sejongud.commands import (
    UPOS_SCHEMES,
    add_common_options,
    add_input_output,
    format_in,
    run_file,
    settings_of,
    told_totals,
)
from sejongud.converters.conventions import AUX_LEMMAS, XPOS
from sejongud.converters.features import SCHEMES as FEATS
from sejongud.converters.jobs import Conversion, layout_for, level_of, with_columns
from sejongud.converters.klue_relations import SCHEMES
from sejongud.formats import READERS, WRITERS, check_output
from sejongud.formats.conllu import NE_PLACES
from sejongud.formats.conllu.trees import COLUMNS as TREE_COLUMNS
from sejongud.model import LEVELS
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.files import Source

_NONE = "none"


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_input_output(parser)
    parser.add_argument(
        "--from",
        dest="from_",
        metavar="NAME",
        help=f"format of the input (default: detect it): {', '.join(READERS)}",
    )
    add_to(parser)
    add_schemes(parser, "5; JSON Lines keep the words that they have")
    add_feats(parser)
    # Words of a treebank keep their UPOS and LEMMA, unless the user requests a scheme.
    parser.set_defaults(level=None, upos=None, lemmas=None, split=False)
    parser.add_argument(
        "--deps",
        choices=(_NONE, "dummy"),
        help="'none' leaves HEAD and DEPREL empty; 'dummy' writes a simple chain for tools that"
        " need a tree; default: keep the source's",
    )
    parser.add_argument(
        "--scheme",
        choices=SCHEMES,
        default="",
        help="'ud-approx' gives KLUE-DP relations of UD instead of its labels: approximate, since"
        " the heads stay as they are; a comment of each sentence says so (default: its labels)",
    )
    add_conventions(parser)
    add_ne_place(parser)
    parser.add_argument(
        "--spaced", action="store_true", help="write blanks around the plus (sejong)"
    )
    parser.add_argument(
        "--trees",
        choices=("columns", _NONE),
        default="columns",
        help="place of constituents in CoNLL-U: two columns of CoNLL-U Plus, or none"
        " (default: %(default)s)",
    )
    corpus = parser.add_argument_group("the Sejong corpus as distributed (--from corpus)")
    corpus.add_argument(
        "--metadata",
        action="store_true",
        help="read <source>, <date> … as sentences, not as comments",
    )
    corpus.add_argument(
        "--no-rejoin",
        dest="rejoin",
        action="store_false",
        help="do not join sentences that the corpus divides inside 4.6판 or S.M.오너",
    )
    add_common_options(parser)


def add_to(parser: argparse.ArgumentParser, names: Sequence[str] = WRITERS) -> None:
    """Add --to, for one of some formats."""
    parser.add_argument(
        "--to",
        metavar="NAME",
        help="format of the output (default: the one that OUT ends as, else conllu):"
        f" {', '.join(names)}",
    )
    parser.set_defaults(writes=names, usual="conllu")


def add_conventions(parser: argparse.ArgumentParser) -> None:
    """Add --xpos and --aux-lemmas."""
    parser.add_argument(
        "--xpos",
        choices=XPOS,
        default="",
        help="replace the tags of KAIST and other treebanks by tags of the Sejong tag set, so that"
        " several treebanks can be used together (default: keep the tags of the treebank)",
    )
    parser.add_argument(
        "--aux-lemmas",
        choices=AUX_LEMMAS,
        default="",
        help="LEMMA of the auxiliaries of a treebank: 'whole' writes all morphemes (하+았+지요, as"
        " in UD 2.10; not valid UD today), 'bound' writes the stem (하) (default: keep LEMMA)",
    )


def add_ne_place(parser: argparse.ArgumentParser) -> None:
    """Add --ne."""
    parser.add_argument(
        "--ne",
        choices=NE_PLACES,
        default="misc",
        help="place of the entity labels in CoNLL-U: NE= in MISC, a column of CoNLL-U Plus, or"
        " FEATS (default: %(default)s)",
    )


def add_feats(parser: argparse.ArgumentParser) -> None:
    """Add --feats, --translit and --gloss."""
    parser.add_argument(
        "--feats",
        choices=(_NONE, *FEATS),
        default=_NONE,
        help="FEATS of words without FEATS: 'ud' writes the features that UD has registered for"
        " Korean, 'full' writes every UD feature of their morphemes (default: %(default)s)",
    )
    parser.add_argument(
        "--translit",
        action="store_true",
        help="write romanised forms and lemmas as UD Korean GSD does: Translit=, LTranslit=",
    )
    parser.add_argument(
        "--gloss",
        action="store_true",
        help="write glosses of particles, endings and affixes: MGloss=",
    )


def feats_of(args: argparse.Namespace) -> str:
    """Return the value of --feats as conversions take it: "" for none."""
    return "" if args.feats == _NONE else str(args.feats)


def add_schemes(parser: argparse.ArgumentParser, said: str = "%(default)s") -> None:
    """Add --level, --upos and --lemmas.

    Args:
        parser: the parser of a command.
        said: the default level, as the help says it.
    """
    parser.add_argument(
        "-l",
        "--level",
        type=int,
        choices=LEVELS,
        default=5,
        help=f"granularity of the words, from eojeols (1) to morphemes (default: {said})",
    )
    parser.add_argument(
        "--upos",
        metavar="SCHEME",
        default="sejong",
        help=f"scheme of UPOS: {UPOS_SCHEMES}",
    )
    parser.add_argument(
        "--lemmas",
        metavar="SCHEME",
        default="normalised",
        help="scheme of LEMMA: normalised, morphud or form",
    )


def run(args: argparse.Namespace) -> int:
    """Convert `args.input` to `args.output`; `analyze` is the conversion of raw text."""
    check_output(args.to)
    return run_file(args, _convert, layout_for=partial(layout_for, args.to))


def _convert(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    name = format_in(args, source)
    options: dict[str, object] = {}
    jobs = args.jobs
    if name == "corpus":
        options = {"metadata": args.metadata, "rejoin": args.rejoin}
    elif name == "text":
        # Kiwi has threads of its own; every further process would load the model again.
        options = {"workers": jobs or None, "split": args.split}
        jobs = 1
    with with_columns(name, args.to, source) as (whole, columns):
        # Sentences without trees take a faster way.
        trees = args.trees != _NONE or TREE_COLUMNS[0] not in columns
        if not trees:
            columns = tuple([column for column in columns if column not in TREE_COLUMNS])
        own = {
            "level": level_of(name, args.level),
            "feats": feats_of(args),
            "deps": args.deps or "",
            "trees": trees,
            "columns": columns,
            "path": source.path,
            "reader_options": options,
        }
        conversion = Conversion(name, args.to, **settings_of(args, Conversion) | own)
        return told_totals(args, convert_stream(conversion, whole, out, report, jobs=jobs))
