"""Convert trees of constituents: at any level, onto and out of CoNLL-U, from dependencies and back.

A constituent is a run of morphemes, so its tree can have the words of any level as terminals. Trees
are read from the Sejong treebank (treebank), the Penn Korean Treebank (penn-korean), brackets and
CoNLL-U Plus with the columns TREE:OPEN and TREE:CLOSE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import (
    add_common_options,
    add_from,
    add_input_output,
    add_table_output,
    format_in,
    open_input,
    read_beside,
    reporting,
    run_file,
    settings_of,
    told_totals,
    write_output,
)
from sejongud.converters.tree_jobs import TreeConversion
from sejongud.converters.trees import Edit
from sejongud.errors import UsageError
from sejongud.formats import READERS, TREES, output_format
from sejongud.formats.conllu.trees import COLUMNS
from sejongud.model import LEVELS
from sejongud.pipeline import convert_stream
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any, TextIO

    from sejongud.errors import Report
    from sejongud.files import Source

_PLUS = "*PLUS*"
_SUMMARIES = {
    "level": "write trees over the words of a level",
    "attach": "attach trees to CoNLL-U of the same text",
    "extract": "write the trees of CoNLL-U Plus in brackets",
    "strip": "take functions, null elements, roots or unary chains out of trees",
    "stats": "count words at five levels (Table 2.1), labels, depth and branching",
    "from-dependencies": "make the binary trees of head-final dependencies (KLUE-DP)",
    "dependencies": "make the dependencies of eojeols of trees, heads last",
}
_LEAST = {"level": 5, "from-dependencies": 5}
"""The usual level of an action; others leave the words as they are."""
_OWN = {"penn-korean": 2}
"""The level of the words of a format; other formats without words get those of level 5."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command for each action."""
    parser.set_defaults(
        level=None, to=None, from_=None, morphemes=None, pos="xpos", terminal="form",
        plus_escape=False, root="", functions=False, empty=False, unary=False, edge="", inside="",
    )  # fmt: skip
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    for name, summary in _SUMMARIES.items():
        action = actions.add_parser(name, help=summary, description=summary)
        if name == "attach":
            action.add_argument("input", metavar="TREES", help="the trees")
            action.add_argument("morphemes", metavar="CONLLU", help="the sentences with morphemes")
            action.add_argument("output", metavar="OUT", nargs="?", default="-")
            action.set_defaults(writes=("conllu",), usual="conllu")
        elif name == "stats":
            action.add_argument("input", metavar="IN", nargs="?", default="-", help="the trees")
            add_table_output(action, "json")
        else:
            add_input_output(action, "conllu" if name == "dependencies" else "brackets")
        add_from(action, READERS if name == "from-dependencies" else [*TREES, "conllu"])
        if name in _ADD:
            _ADD[name](action)
        add_common_options(action)


def _add_level(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-l", "--level", type=int, choices=LEVELS, help="granularity of the words")


def _add_inside(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--inside",
        choices=("widen", "drop"),
        default="",
        help="constituents that begin or end inside a word: widen them to the whole word, or drop"
        " them (default: an error; with --on-error keep: widen)",
    )


def _add_leaves(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pos", choices=("xpos", "upos"), default="xpos", help="tag of a word (default: xpos)"
    )
    parser.add_argument(
        "--terminal", choices=("form", "lemma"), default="form", help="text of a word"
    )
    parser.add_argument(
        "--plus-escape", action="store_true", help=f"write {_PLUS} for a terminal that is a plus"
    )


def _add_to(parser: argparse.ArgumentParser, *more: str) -> None:
    names = ("brackets", "penn-korean", *more)
    parser.add_argument(
        "--to",
        choices=names,
        help="format of OUT (default: by the ending of the name OUT, else brackets)",
    )
    parser.set_defaults(writes=names)


def _add_for_extract(parser: argparse.ArgumentParser) -> None:
    _add_level(parser)
    _add_inside(parser)
    _add_leaves(parser)
    _add_to(parser)


def _add_for_level(parser: argparse.ArgumentParser) -> None:
    _add_for_extract(parser)
    parser.add_argument(
        "--morphemes",
        metavar="CONLLU",
        help="the same sentences with their morphemes, for trees without morphemes",
    )


def _add_for_strip(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--to",
        choices=("brackets", "penn-korean"),
        help="format of OUT (default: by the ending of the name OUT, else brackets; for CoNLL-U:"
        " CoNLL-U)",
    )
    parser.set_defaults(writes=("brackets", "penn-korean", "conllu"), usual=None)
    parser.add_argument(
        "--functions",
        action="store_true",
        help="remove functions and indices: NP-SBJ, NP_SBJ, NP=2 → NP; -NONE- stays",
    )
    parser.add_argument(
        "--empty",
        action="store_true",
        help="remove null elements, and constituents that have only null elements",
    )
    parser.add_argument(
        "--root",
        dest="edge",
        metavar="ADD|DROP",
        type=str.lower,
        choices=("add", "drop"),
        default="",
        help="put TOP around each tree, or take TOP, ROOT, SENT and empty labels away",
    )
    parser.add_argument(
        "--unary",
        action="store_true",
        help="keep only the outermost of several constituents over the same words",
    )


def _add_for_dependencies(parser: argparse.ArgumentParser) -> None:
    _add_level(parser)
    _add_leaves(parser)
    parser.add_argument("--root", metavar="LABEL", default="", help="label around each tree")
    _add_to(parser, "treebank", "conllu")


_ADD = {
    "level": _add_for_level,
    "attach": _add_level,
    "extract": _add_for_extract,
    "strip": _add_for_strip,
    "from-dependencies": _add_for_dependencies,
}


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says."""
    if args.action == "stats":
        return _count(args)
    if args.morphemes is not None:
        return run_file(args, _attach)
    return run_file(args, _convert)


def _convert(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    conversion = _conversion(args, _format_of(args, source))
    return told_totals(args, convert_stream(conversion, source, out, report, jobs=args.jobs))


def _format_of(args: argparse.Namespace, source: Source) -> str:
    name = format_in(args, source)
    if args.action != "from-dependencies" and name not in (*TREES, "conllu"):
        raise UsageError(
            f"{source.path} looks like {name}, which has no trees: name the format with --from"
        )
    return name


def _conversion(args: argparse.Namespace, name: str) -> TreeConversion:
    """Return the conversion that an action is."""
    ways: dict[str, Any] = {"from-dependencies": "from", "dependencies": "to"}
    way = ways.get(args.action, "")
    to = args.to
    options: dict[str, Any] = {}
    level = args.level or _LEAST.get(args.action)
    if args.action == "strip":
        # The words of trees in brackets stay as they are, whatever their morphemes.
        usual = "conllu" if name == "conllu" else "brackets"
        to = output_format(args.output, args.writes, to, usual)
        options = {"whole": True} if name == to == "brackets" else {}
    own = {
        "level": 1 if way == "to" else level or _OWN.get(name, 5),
        "recuts": level is not None,
        "columns": COLUMNS if to == "conllu" and way != "to" else (),
        "path": args.input,
        "reader_options": options,
        "dependencies": way,
        "edit": Edit(args.functions, args.empty, args.unary, args.edge),
        "plus": _PLUS if args.plus_escape else "+",
    }
    return TreeConversion(name, to, **settings_of(args, TreeConversion) | own)


def _attach(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    """Attach trees to sentences, and write these with their trees."""
    name = _format_of(args, source)
    if name not in TREES:
        raise UsageError(f"the trees to attach are {', '.join(TREES)}, not {name}")
    sentences = read_beside(args, args.morphemes, report)
    count = -1  # The text before the first sentence is no sentence.
    for text in _conversion(args, name).attached(source, sentences, report):
        out.write(text)
        count += 1
    return [counted(count, "sentence[s]")]


def _count(args: argparse.Namespace) -> int:
    from sejongud.statistics.trees import as_text, collect_trees

    with open_input(args) as source, reporting(args) as report:
        reader = _conversion(args, _format_of(args, source)).make_reader()
        sentences = reader.read_file(source, args.on_error, report)
        found = collect_trees(sentences, load(args.rules))
    write_output(args, found.to_dict() if args.to == "json" else as_text(found))
    return 1 if report.errors else 0
