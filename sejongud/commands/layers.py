"""The commands of layers over words: `tree` and `frame`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from sejongud.commands import (
    format_in,
    is_pipe,
    keep_end,
    opened_corpora,
    reporting,
    run_file,
    settings_of,
    told_totals,
    write_output,
    written,
)
from sejongud.converters.corpus_jobs import FrameConversion
from sejongud.converters.jobs import Conversion, as_conllu, columns_of, read, with_columns
from sejongud.converters.tree_jobs import TreeConversion
from sejongud.converters.trees import NO_TREE, TreeEdit
from sejongud.errors import FormatError, OnError, Report, UsageError
from sejongud.files import Source
from sejongud.formats import ENTITY_FORMATS, FRAME_FORMATS, TREES, output_format, resolve, sniff
from sejongud.formats.around import layout_for
from sejongud.formats.conllu.layers import FRAME_COLUMNS, TREE_COLUMNS
from sejongud.pipeline import convert_stream
from sejongud.rules import load
from sejongud.statistics import collect
from sejongud.statistics.layers import FrameCounts, LayerStatistics, as_text, frames_as_text
from sejongud.terminal import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO

    from sejongud.converters.frames import FrameReader
    from sejongud.model import Sentence


# --- the sentences that an option names ------------------------------------------------------------


def read_beside(
    args: Namespace, path: str, report: Report, from_: str | None = None
) -> Iterator[Sentence]:
    """Return the sentences of a file that belong to the sentences of the input.

    Args:
        args: the arguments of the command.
        path: the file.
        report: receives the incidents.
        from_: its format; None to detect it.
    """
    # A sentence that is left out here would be missing there.
    on_error: OnError = "stop" if args.on_error == "stop" else "keep"
    return read(path, from_=from_, on_error=on_error, rules=args.rules, report=report)


def given_sentences(args: Namespace, report: Report) -> Iterator[Sentence] | None:
    """Return the sentences with morphemes, if the user has any."""
    if args.morphemes is None:
        return None
    form = _morphemes_of_nikl(args.morphemes)
    return read_beside(args, args.morphemes, report, from_=form)


def given_columns(args: Namespace) -> tuple[str, ...]:
    """Return the columns of the layers that the sentences with morphemes have; none for a pipe."""
    if args.morphemes is None or is_pipe(args.morphemes):
        return ()
    with Source(args.morphemes) as source:
        name = resolve(_morphemes_of_nikl(args.morphemes), source.head(), source.path, args.rules)
        with with_columns(name, "conllu", source) as (_, columns):
            return columns


def _morphemes_of_nikl(path: str) -> str | None:
    """Return "modu" for a file of NIKL with entities and morphemes, else None; no pipe is read."""
    if is_pipe(path):
        return None
    with Source(path) as source:
        head = source.head()
    found = sniff(head, ENTITY_FORMATS)
    return "modu" if found and found.name == "modu-ne" and '"morpheme"' in head else None


# --- tree -----------------------------------------------------------------------------------------


_WITH_LAYERS = ("conllu", "jsonl")
"""The formats that hold trees beside all other layers of a sentence."""
_WITH_ARCS = ("klue-dp", "klue-dp-json", "modu", "framenet")
"""The other formats that may have dependencies."""
_PLUS = "*PLUS*"
_WORDS = {"final": 1, "ud": 2}
"""The level of the words of dependencies in a scheme."""
_OWN = {"penn-korean": 2}
"""The level of the words of a format; other formats without words get those of level 5."""


def tree(args: Namespace) -> int:
    """Convert trees of constituents: at any level, onto and out of CoNLL-U, from dependencies and back.

    A constituent is a run of morphemes, so its tree can have the words of any level as terminals. Trees
    are read from the Sejong treebank (treebank), the Penn Korean Treebank (penn-korean), brackets,
    JSON Lines and CoNLL-U Plus with the columns TREE:OPEN and TREE:CLOSE.
    """
    if args.action == "stats":
        return _tree_count(args)
    is_attached = vars(args).get("morphemes") is not None
    return run_file(args, _tree_attach if is_attached else _tree_convert)


def _tree_convert(args: Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    name = _tree_format_of(args, source)
    conversion = _tree_conversion(args, name, source, columns_of(name, source.head()))
    totals = convert_stream(conversion, source, out, report, jobs=args.jobs)
    lines = told_totals(args, totals)
    if args.action == "from-dependencies" and lines:
        trees = counted(totals.sentences - report.counts[NO_TREE], "tree[s]")
        return (f"{trees} made of {lines[0]}",)
    return lines


def _tree_format_of(args: Namespace, source: Source) -> str:
    """Return the format of a file that an action reads.

    Raises:
        UsageError: it has no trees, or no dependencies.
        FormatError: it is CoNLL-U without the columns of trees.
    """
    name = format_in(args, source)
    makes = args.action == "from-dependencies"
    needed, names = ("dependencies", _WITH_ARCS) if makes else ("trees", TREES)
    if name.partition(":")[0] not in (*names, *_WITH_LAYERS):
        raise UsageError(
            f"{source.path} looks like {name}, which has no {needed}: name the format with --from"
        )
    if name == "conllu" and args.action in ("level", "extract", "strip", "stats"):
        _expect_columns("trees", TREE_COLUMNS, source)
    return name


def _tree_conversion(
    args: Namespace, name: str, source: Source, layers: tuple[str, ...] = ()
) -> TreeConversion:
    """Return the conversion that an action is.

    Args:
        args: the arguments of the command.
        name: the format of the file.
        source: the file.
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
        usual = "conllu" if name in _WITH_LAYERS else "brackets"
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
        "path": source.path,
        "reader_options": options,
        "dependencies": way,
        "edit": edit,
        "trees": trees,
        "plus": _PLUS if vars(args).get("plus_escape") else "+",
    }
    return TreeConversion(name, to, **settings_of(args, TreeConversion) | own)


def _tree_attach(args: Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    """Attach trees to sentences, and write these with their trees."""
    name = _tree_format_of(args, source)
    if name not in TREES:
        raise UsageError(f"the trees to attach are {', '.join(TREES)}, not {name}")
    sentences = read_beside(args, args.morphemes, report)
    count = -1  # The text before the first sentence is no sentence.
    layers = given_columns(args)
    for text in _tree_conversion(args, name, source, layers).attached(source, sentences, report):
        out.write(text)
        count += 1
    return [counted(count, "sentence[s]")]


def _tree_count(args: Namespace) -> int:
    with reporting(args) as report:
        layers = LayerStatistics()
        sentences = layers.counted(_tree_sentences(args, report))
        layers.trees.words = collect(sentences, load(args.rules))
    found = layers.trees
    write_output(args, found.to_dict() if args.to == "json" else as_text(found))
    return 1 if report.errors else 0


def _tree_sentences(args: Namespace, report: Report) -> Iterator[Sentence]:
    """Yield the sentences of each file."""
    for source in opened_corpora(args, [args.input], partial(_has_layer, TREE_COLUMNS)):
        reader = _tree_conversion(args, _tree_format_of(args, source), source).make_reader()
        yield from reader.read_file(source, args.on_error, report)


# --- frame ----------------------------------------------------------------------------------------


def frame(args: Namespace) -> int:
    """Frames: convert the Korean FrameNet to CoNLL-U Plus of morphemes, and back; count it.

    Every morpheme of an eojeol inherits its target or its frame element (memoir, 3.4). The way back
    returns the corpus byte for byte.
    """
    if args.action == "stats":
        return _frame_stats(args)
    if args.action == "eoj2morph":
        return run_file(args, _frame_forward, line_ends=False)
    layout = partial(layout_for, FRAME_FORMATS[0])
    return run_file(args, _frame_backward, layout_for=layout, conllu="frame")


def _frame_forward(args: Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert a corpus to CoNLL-U Plus; return the lines to say about it."""
    options = {
        "general": args.arguments == "general",
        "symbols": args.symbols == "in",
        "merge": args.merge_instances,
        "workers": args.jobs if args.jobs > 1 else None,
    }
    own = {
        "reader": _frame_corpus_in(source),
        "path": source.path,
        "columns": given_columns(args),
        "reader_options": options,
    }
    conversion = FrameConversion(**settings_of(args, FrameConversion) | own)
    given = given_sentences(args, report)
    return list(convert_stream(conversion, source, out, report, given=given).summary)


def _frame_corpus_in(source: Source) -> str:
    """Return the format of a corpus, with its settings.

    Raises:
        UsageError: the file looks like no corpus of frames.
    """
    head = source.head()
    found = sniff(head, FRAME_FORMATS)
    if found is None and head.strip():
        raise UsageError(
            f"{source.path} looks like no corpus of frames: a row must have number, eojeol,"
            " lexical unit, frame and frame element, with a tab between"
        )
    return found.spec if found else FRAME_FORMATS[0]


def _frame_conversion_back(args: Namespace, source: Source) -> FrameConversion:
    """Return the conversion of CoNLL-U Plus, to a corpus.

    Raises:
        FormatError: the file has no columns of frames.
    """
    _expect_columns("frames", FRAME_COLUMNS, source)
    own = {"reader": "conllu", "path": source.path}
    return FrameConversion(**settings_of(args, FrameConversion) | own)


def _frame_backward(args: Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert CoNLL-U Plus to a corpus; return the lines to say about it."""
    totals = convert_stream(_frame_conversion_back(args, source), source, out, report)
    keep_end(args, totals)
    return list(totals.summary)


def _frame_stats(args: Namespace) -> int:
    """Print the tables of files."""
    files: dict[str, FrameCounts] = {}
    with reporting(args) as report:
        for source in opened_corpora(args, args.inputs, partial(_has_layer, FRAME_COLUMNS)):
            with as_conllu(source, report, on_error=args.on_error, rules=args.rules) as text:
                found = sniff(text.head(), ("conllu", *FRAME_FORMATS))
                in_columns = found is not None and found.name not in FRAME_FORMATS
                count = _count_sentences if in_columns and text.head().strip() else _count_blocks
                files[source.path] = count(args, text, report)
    tables = {path: counts.to_dict() for path, counts in files.items()}
    write_output(args, tables if args.to == "json" else frames_as_text(files))
    return 1 if report.errors else 0


def _has_layer(columns: Sequence[str], name: str, head: str) -> bool:
    """Test whether a file of a folder has a layer, by its format and its beginning."""
    return columns[0] in columns_of(name, head)


def _expect_columns(layer: str, columns: Sequence[str], source: Source) -> None:
    """Refuse CoNLL-U without the columns of a layer.

    Raises:
        FormatError: it has sentences and no such columns.
    """
    head = source.head()
    # The columns of published scripts have no names; whether all of them are named is seen later.
    named = (*head.partition("\n")[0].split(), *columns_of("conllu", head))
    if head.strip() and columns[0] not in named:
        raise FormatError(
            f"the file has no {layer}: its first line must name the columns {' '.join(columns)}",
            path=source.path,
            line=1,
            code="E213",
        )


def _count_sentences(args: Namespace, source: Source, report: Report) -> FrameCounts:
    """Count the instances of CoNLL-U Plus."""
    layers = LayerStatistics()
    reader = _frame_conversion_back(args, source).make_reader()
    for sentence in reader.read_file(source, args.on_error, report):
        layers.add(sentence)
    return layers.frames


def _count_blocks(args: Namespace, source: Source, report: Report) -> FrameCounts:
    """Count the instances of a corpus."""
    counts = FrameCounts()
    reader = cast(
        "FrameReader", Conversion(_frame_corpus_in(source), rules=args.rules).make_reader()
    )
    for content in reader.contents(source, args.on_error, report):
        framed = content.value
        assert framed is not None
        counts.add(framed.tokens, framed.targets)
    return counts
