"""Convert trees of constituents: at any level, onto and out of CoNLL-U, from dependencies and back.

A constituent is a run of morphemes, so its tree can have the words of any level as terminals. Trees
are read from the Sejong treebank (treebank), the Penn Korean Treebank (penn-korean), brackets and
CoNLL-U Plus with the columns TREE:OPEN and TREE:CLOSE.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from sejongud.commands import (
    corpora,
    format_in,
    open_input,
    read_beside,
    reporting,
    run_file,
    settings_of,
    told_totals,
    write_output,
    written,
)
from sejongud.commands.ner.work import given_columns
from sejongud.converters.jobs import columns_of
from sejongud.converters.tree_jobs import TreeConversion
from sejongud.converters.trees import NO_TREE, TreeEdit
from sejongud.errors import UsageError
from sejongud.formats import TREES, output_format
from sejongud.formats.conllu.layers import TREE_COLUMNS
from sejongud.pipeline import convert_stream
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TextIO

    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.model import Sentence

_PLUS = "*PLUS*"
_WORDS = {"final": 1, "ud": 2}
"""The level of the words of dependencies in a scheme."""
_OWN = {"penn-korean": 2}
"""The level of the words of a format; other formats without words get those of level 5."""


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says."""
    if args.action == "stats":
        return _count(args)
    if vars(args).get("morphemes") is not None:
        return run_file(args, _attach)
    return run_file(args, _convert)


def _convert(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    name = _format_of(args, source)
    conversion = _conversion(args, name, columns_of(name, source.head()))
    totals = convert_stream(conversion, source, out, report, jobs=args.jobs)
    lines = told_totals(args, totals)
    if args.action == "from-dependencies" and lines:
        trees = counted(totals.sentences - report.counts[NO_TREE], "tree[s]")
        return (f"{trees} made of {lines[0]}",)
    return lines


def _format_of(args: argparse.Namespace, source: Source) -> str:
    name = format_in(args, source)
    if args.action != "from-dependencies" and name not in (*TREES, "conllu"):
        raise UsageError(
            f"{source.path} looks like {name}, which has no trees: name the format with --from"
        )
    return name


def _conversion(
    args: argparse.Namespace, name: str, layers: tuple[str, ...] = ()
) -> TreeConversion:
    """Return the conversion that an action is.

    Args:
        args: the arguments of the command.
        name: the format of the file.
        layers: the columns of CoNLL-U Plus for the layers of the sentences.
    """
    ways: dict[str, Any] = {"from-dependencies": "from", "dependencies": "to"}
    way = ways.get(args.action, "")
    to: Any = args.to
    options: dict[str, Any] = {}
    edit = TreeEdit()
    level = vars(args).get("level")
    if args.action == "strip":
        # The words of trees in brackets stay as they are, whatever their morphemes.
        usual = "conllu" if name == "conllu" else "brackets"
        to = output_format(args.output, written(args), to, usual)
        edit = TreeEdit(args.functions, args.empty, args.unary, args.root or "")
        options = {"whole": True} if name == to == "brackets" else {}
    trees = vars(args).get("trees") != "none"
    columns = layers if way == "to" else tuple(dict.fromkeys((*layers, *TREE_COLUMNS)))
    columns = columns if trees else tuple([name for name in columns if name not in TREE_COLUMNS])
    own = {
        "level": level or (_WORDS[args.scheme] if way == "to" else _OWN.get(name, 5)),
        "recuts": level is not None or way == "to",
        "columns": columns if to == "conllu" else (),
        "path": args.input,
        "reader_options": options,
        "dependencies": way,
        "edit": edit,
        "trees": trees,
        "plus": _PLUS if vars(args).get("plus_escape") else "+",
    }
    return TreeConversion(name, to, **settings_of(args, TreeConversion) | own)


def _attach(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    """Attach trees to sentences, and write these with their trees."""
    name = _format_of(args, source)
    if name not in TREES:
        raise UsageError(f"the trees to attach are {', '.join(TREES)}, not {name}")
    sentences = read_beside(args, args.morphemes, report)
    count = -1  # The text before the first sentence is no sentence.
    layers = given_columns(args)
    for text in _conversion(args, name, layers).attached(source, sentences, report):
        out.write(text)
        count += 1
    return [counted(count, "sentence[s]")]


def _count(args: argparse.Namespace) -> int:
    from sejongud.statistics.layers import as_text, collect_trees

    with reporting(args) as report:
        sentences = chain.from_iterable(_sentences(args, report))
        found = collect_trees(sentences, load(args.rules))
    write_output(args, found.to_dict() if args.to == "json" else as_text(found))
    return 1 if report.errors else 0


def _sentences(args: argparse.Namespace, report: Report) -> Iterator[Iterable[Sentence]]:
    """Yield the sentences of each file."""
    for path in corpora(args, [args.input], lambda name, _: name in ("conllu", *TREES)):
        args.input = path
        with open_input(args) as source:
            reader = _conversion(args, _format_of(args, source)).make_reader()
            yield reader.read_file(source, args.on_error, report)
