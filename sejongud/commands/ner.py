"""The command `ner`: corpora of entities to morphemes and back, their splits, checks and columns."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from functools import partial
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sejongud.commands import (
    guard_files,
    inform,
    keep_end,
    lines_beside,
    open_input,
    reporting,
    run_file,
    say_format,
    settings_of,
)
from sejongud.commands.layers import given_columns, given_sentences
from sejongud.commands.scoring import read_likeness, read_sides, tell_differences, write_result
from sejongud.converters.between import WRITTEN, OutputTarget, binary_in, format_in
from sejongud.converters.corpus_jobs import EntityConversion
from sejongud.converters.entities_back import BACKWARD, FORWARD, SIZES, expect_unit, load_map
from sejongud.converters.jobs import as_conllu, with_columns
from sejongud.converters.recut import CutWriter, Recut
from sejongud.converters.restoring import FILE, format_of
from sejongud.errors import Incident, Report, UsageError
from sejongud.evaluation.entities import UnitsReader, in_common
from sejongud.evaluation.ner import Agreement
from sejongud.evaluation.tables import Result, to_text
from sejongud.files import Source, atomic_output, file_ending
from sejongud.files.layout import PLAIN, Layout
from sejongud.files.texts import Scratch, put_by
from sejongud.formats import (
    ENTITY_FORMATS,
    expect_known_unit,
    label_format,
    output_format,
    resolve,
    sniff,
)
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.conllu.plus import other_columns
from sejongud.formats.exports import NESTED_LAYERS, crf_template, crf_text, labelled_sentences, lost
from sejongud.formats.json_text import PREFIX
from sejongud.layers.labels import LOST, entity_layers
from sejongud.levels.cut import Granularity
from sejongud.pipeline import convert_stream, without_collector
from sejongud.release.keys import SPLITS
from sejongud.release.splits import SplitPlan, split_sets
from sejongud.rules import load
from sejongud.terminal import clean, counted
from sejongud.validation.corpus_entities import CorpusCheck, EntityCheck, tag_set

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import TextIO

    from sejongud.converters.entities import CorpusReader
    from sejongud.pipeline import Tally


_CRF, _CHECK = "crf", "check"
_AGREE, _MERGE = "agree", "merge"
_USUAL = {"eojeol": "naver", "syllable": "klue-ner"}
"""The format that is written if neither the user nor the file names one."""


def crf_writes(args: Namespace) -> tuple[str, ...]:
    """Return the format that `crf` writes."""
    return ("conllu" if args.labels else "columns",)


def ner(args: Namespace) -> int:
    """Named entities: convert corpora of eojeols or syllables to CoNLL-U of morphemes, and back.

    Entities that are marked on eojeols or characters are projected on morphemes, so that they exclude
    particles (memoir, 3.2). The way back returns the corpus byte for byte. A format may have settings:
    `--from naver:PER-B` (docs/entities.md). The labels decide where morphemes end, so a file to test a
    tagger on must be analysed with --blind, or come from `split` (docs/entity-experiments.md).
    """
    if args.action == "convert":
        return convert(args)
    if args.action == _AGREE:
        return agree(args)
    conllu = f"ner {args.action}" if args.action in (*BACKWARD, _CRF) else ""
    layout = partial(_file_layout, args)
    return run_file(args, _ACTIONS[args.action], layout_for=layout, conllu=conllu)


def _file_layout(args: Namespace, head: str) -> Layout:
    """Return the layout of OUT: a corpus that is written again has its own."""
    if args.action not in BACKWARD:
        return PLAIN
    named = format_of(head).partition(" ")[0]
    to = _format_out(args, named)
    return Layout.from_comment(head, FILE) if to is None or to.partition(":")[0] == named else PLAIN


def _format_out(args: Namespace, named: str) -> str | None:
    """Return the format of a corpus to write; None for the one that the file names, or the usual.

    Args:
        args: of the command.
        named: the format that the file names, "" for none.

    Raises:
        UsageError: several formats have the ending of OUT, and neither user nor file names one.
    """
    usual = named or _USUAL[BACKWARD[args.action]]
    to = output_format(args.output, ENTITY_FORMATS, args.to, usual)
    return to if args.to or to != usual else None


def _forward(args: Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert a corpus to CoNLL-U; return the lines to say about it."""
    name = corpus_in(args, source)
    if args.action in FORWARD:
        corpus, _, settings = name.partition(":")
        expect_unit(label_format(corpus, settings), FORWARD[args.action], FORWARD)
    conversion = conversion_of(
        args,
        name,
        source,
        ne_layers=3 if args.nested else 1,
        columns=given_columns(args),
        reader_options=reader_options(args) | {"by_id": args.action == _MERGE},
    )
    given = given_sentences(args, report)
    totals = convert_stream(conversion, source, out, report, given=given)
    tell_line_ends(source, report)
    return list(totals.summary)


def _backward(args: Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert CoNLL-U to a corpus; return the lines to say about it."""
    unit = BACKWARD[args.action]
    # The sentence that says it may be one that cannot be read.
    named = format_of(source.head())
    conversion = conversion_of(
        args,
        "conllu",
        source,
        writer=_format_out(args, named.partition(" ")[0]) or "",
        made_from=named or _USUAL[unit],
        is_named=bool(named),
        unit=unit,
    )
    return list(convert_stream(conversion, source, out, report).summary)


def _crf(args: Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Write columns for a CRF, or CoNLL-U with the labels that it has added to them."""
    granularity = Granularity(load(args.rules), args.level, upos=args.upos, lemmas=args.lemmas)
    reader = conversion_of(args, "conllu", source).make_reader()
    read = reader.pairs_of(source, args.on_error, report)
    pairs = ((block.line, sentence) for block, sentence in read)
    layers = NESTED_LAYERS if args.nested else 1
    if args.template:
        with atomic_output(args.template) as template:
            template.write(crf_template())
    if args.labels:
        writer = make_writer(args, columns=other_columns(source.head()))
        out.write(writer.preamble)
        with open_input(args, args.labels) as columns:
            placed, sentences = tee(pairs)
            given = (sentence for _, sentence in sentences)
            labelled = labelled_sentences(given, columns.lines(), granularity, columns.path, layers)
            for (line, _), sentence in zip(placed, labelled, strict=True):
                out.write(writer.sentence(sentence))
                notes = (*sentence.notes, *writer.loses(sentence))
                report.tell(notes, source.path, line, sentence.sent_id)
        return []
    counts: Counter[str] = Counter()
    for line, sentence in pairs:
        out.write(crf_text(sentence, granularity, args.label_scheme, layers))
        notes = (*sentence.notes, *lost(sentence, granularity, layers))
        report.tell(notes, source.path, line, sentence.sent_id)
        counts["sentences"] += 1
        counts["entities"] += sum(map(len, entity_layers(sentence)))
        counts["entities"] -= [code for code, *_ in notes].count(LOST)
    return [", ".join([counted(counts[key], SIZES[key]) for key in ("sentences", "entities")])]


def _check(args: Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Write a table of the entities in CoNLL-U, JSON Lines or a corpus."""
    found = sniff(source.head()) if args.from_ is None else None
    if found and found.name == "jsonl":
        with as_conllu(source, report, on_error=args.on_error, rules=args.rules) as text:
            return _check(args, text, out, report)
    rules = load(args.rules)
    of_morphemes = EntityCheck(rules, report, source.path)
    if args.from_ == "conllu" or (found and found.name == "conllu"):
        conllu = conversion_of(args, "conllu", source).make_reader()
        for block, sentence in conllu.pairs_of(source, args.on_error, report):
            of_morphemes.add(sentence, partial(conllu.line_of, block))
        out.write(clean(of_morphemes.table(), "\n\t"))
        return []
    name = corpus_in(args, source)
    own = reader_options(args)
    reader = cast(
        "CorpusReader", conversion_of(args, name, source, reader_options=own).make_reader()
    )
    tags = None if args.tagset is None else tag_set(args.tagset, rules)
    check = CorpusCheck(rules, report, source.path, reader.layout, tags)
    if args.morphemes is None and not reader.layout.has_morphemes:
        for content in reader.contents(source, args.on_error, report):
            check.add(content)
        more = None
    else:
        reader.seen = check.add
        if (given := given_sentences(args, report)) is not None:
            reader.give(given)
        # The entities are counted as the corpus has them, those that are not written as well.
        others = Report(lambda one: None if one.code == LOST else report.add(one))
        for block, sentence in reader.pairs_of(source, args.on_error, others):
            of_morphemes.add(sentence, partial(_line_of, block.line))
        more = of_morphemes.counts()
    check.end()
    out.write(clean(check.table(more), "\n\t"))
    return []


def _line_of(line: int, _: int) -> int:
    """Return the line of an eojeol of a corpus, whose sentences alone have a line."""
    return line


_ACTIONS = {
    **dict.fromkeys((*FORWARD, _MERGE), _forward),
    **dict.fromkeys(BACKWARD, _backward),
    _CRF: _crf,
    _CHECK: _check,
}


# --- the parts of several sub-commands -------------------------------------------------------------


def corpus_in(args: Namespace, source: Source) -> str:
    """Return the format that is named, or the one that the input looks like."""
    found = format_in(args.from_, source, ENTITY_FORMATS)
    if args.from_ is None:
        inform(args, f"{source.path}: detected format: {found} (override with --from)")
        expect_known_unit(found, source.head(), source.path, load(args.rules))
    return found.beside(source.path).spec


def reader_options(args: Namespace) -> dict[str, Any]:
    """Return the options of the reader of a corpus; one that `args` lacks has its usual value."""
    own = {
        name: getattr(args, name)
        for name in ("inherit", "exclusion", "blind")
        if hasattr(args, name)
    }
    return {
        **own,
        "nested": getattr(args, "nested", False),
        "scheme": getattr(args, "label_scheme", None) or "bio",
        "workers": args.jobs if args.jobs > 1 else None,
    }


def conversion_of(args: Namespace, name: str, source: Source, **own: Any) -> EntityConversion:
    """Return the conversion of a file.

    Args:
        args: of the command.
        name: the format of the file.
        source: the file.
        own: the fields that the arguments do not name, or mean in another way.
    """
    fields = {"reader": name, "path": source.path, "label_scheme": "", "tags": False, **own}
    return EntityConversion(**settings_of(args, EntityConversion) | fields)


def make_writer(args: Namespace, **options: Any) -> CutWriter:
    """Return the writer of CoNLL-U at the level and in the schemes of the options.

    Args:
        args: the arguments of the command.
        options: the other arguments of `ConlluWriter`.
    """
    granularity = Granularity(load(args.rules), args.level, upos=args.upos, lemmas=args.lemmas)
    retag, relemma = args.upos is not None, args.lemmas is not None
    cutter = Recut(granularity, retag=retag, relemma=relemma)
    return CutWriter(cutter, ConlluWriter(**options))


def tell_line_ends(source: Source, report: Report) -> None:
    """Report that a file has line ends of several kinds, which do not come back."""
    if source.has_mixed_line_ends:
        message = f"the file has line ends of several kinds, and comes back as {source.layout}"
        report.add(Incident("W614", message, source.path))


# --- convert --------------------------------------------------------------------------------------


def convert(args: Namespace) -> int:
    """Convert between any two formats of entities, through morphemes.

    Raises:
        UsageError: there is no such format, or its files cannot be where the user wants them.
    """
    to = output_format(args.output, WRITTEN, args.to)
    target = OutputTarget(
        args.output,
        to,
        make_writer(args),
        load(args.rules),
        mend=args.repair,
        card=args.card or "",
        tokenizer=args.tokenizer,
    )
    if _joins(args) and target.is_whole:
        raise UsageError(
            f"{to} has one file for each input: name a folder for the outputs, -o OUT/"
        )
    args.outputs = target.more
    guard_files(args)
    binary = binary_in(args.from_, args.input)
    with (
        binary or open_input(args) as source,
        reporting(args) as report,
        ExitStack() as stack,
        without_collector(),
    ):
        found = format_in(args.from_, source)
        say_format(args, source.path, found)
        if args.from_ is None:
            expect_known_unit(found, source.head(), source.path, load(args.rules))
        layout = PLAIN if binary or _joins(args) else target.layout_of(source, found)
        out = lines_beside(args, target.open(stack, layout), stack)
        name = resolve(found.spec, source.head(), source.path, args.rules)
        beside = "conllu" if target.has_comments else ""
        source, columns = stack.enter_context(with_columns(name, beside, source))
        columns = tuple(dict.fromkeys((*columns, *(given_columns(args) if beside else ()))))
        target.writer = make_writer(args, ne=args.ne, ne_layers=3, columns=columns)
        own = reader_options(args) | {"comments": target.has_comments}
        conversion = conversion_of(
            args,
            name,
            source,
            label_scheme="" if found.is_entities else args.label_scheme or "",
            file_writer=target,
            reader_options=own if found.is_entities else {},
        )
        given = given_sentences(args, report) if found.is_entities else None
        totals = convert_stream(conversion, source, out, report, given=given)
        keep_end(args, totals)
        if found.is_entities and target.has_comments and binary is None:
            tell_line_ends(source, report)
        inform(args, *totals.summary)
    return 1 if report.errors else 0


def _joins(args: Namespace) -> bool:
    """Test whether OUT becomes a part of one file."""
    tally: Tally | None = getattr(args, "tally", None)
    return tally is not None and tally.joins


# --- agree ----------------------------------------------------------------------------------------


def agree(args: Namespace) -> int:
    """Measure how far two files agree on entities, by type: whole, in part, and by tokens."""
    types = None if args.map is None else load_map(args.map, load(args.rules))
    reader = UnitsReader(args.from_, types.label if types else None)
    sides, status = read_sides(args, reader, [args.gold, args.system])
    first, second, unit, told = in_common(*sides, nested=args.nested)
    likeness = read_likeness(args)
    [evaluation] = Agreement(unit=unit, nested=args.nested).measure(
        first, second, likeness=likeness
    )
    inform(args, *told)
    tell_differences(args, evaluation.differences)
    result = Result(evaluation, sentences=args.sentences)
    write_result(args, result, partial(to_text, result))
    return status


# --- split ----------------------------------------------------------------------------------------


_WIDENED = "E414"


def split(args: Namespace) -> int:
    """Divide a corpus into train, dev and test for a fair experiment.

    In train the morphemes end where names do: the analyser is given the labels. A tagger that is
    tested has no labels, so dev and test are analysed blind, as a text alone. DIR has train.conllu,
    dev.conllu and test.conllu, and of each the sentences as the corpus has them (test.gold.tsv):
    compare these with the labels of a tagger by `eval ner --unit character` or `--unit eojeol`. The
    sentences are drawn as in `release` with `by = "seed"`.
    """
    if args.folder in (None, "-"):
        raise UsageError("the parts are files of a folder: name it with -o DIR")
    if Path(args.input).is_dir():
        raise UsageError(
            f"{args.input} is a folder: make one file of it first, `ner convert {args.input} -o FILE`"
        )
    folder, ending = Path(args.folder), file_ending(args.input) or ".txt"
    names = [(folder / f"{part}.conllu", folder / f"{part}.gold{ending}") for part in SPLITS]
    args.outputs = [str(path) for pair in names for path in pair]
    guard_files(args)
    with reporting(args) as report, ExitStack() as stack, without_collector():
        name, golds = _divided(args, [str(gold) for _, gold in names], report, stack)
        folder.mkdir(parents=True, exist_ok=True)
        for (conllu, path), part, gold in zip(names, SPLITS, golds, strict=True):
            copy = stack.enter_context(atomic_output(path))
            copy.writelines(stack.enter_context(gold.open()).chunks())
            source = stack.enter_context(gold.open())
            args.blind = part != SPLITS[0]
            conversion = conversion_of(
                args,
                name,
                source,
                on_error="keep" if args.blind else args.on_error,
                ne_layers=3 if args.nested else 1,
                reader_options=reader_options(args),
            )
            # The gold has the labels of the corpus; the morphemes of a blind analysis may not.
            heard = Report(lambda one: None if one.code == _WIDENED else report.add(one))
            out = stack.enter_context(atomic_output(conllu))
            summary: Sequence[str] = ("0 sentences, 0 eojeols, 0 entities",)
            if source.head():
                summary = convert_stream(conversion, source, out, heard).summary
            inform(args, f"{part}: " + "\n".join(summary))
    return 1 if report.errors else 0


def _divided(
    args: Namespace, paths: list[str], report: Report, stack: ExitStack
) -> tuple[str, list[Scratch]]:
    """Return the format of a corpus, and its parts as temporary texts in that format.

    Raises:
        UsageError: the format has two files, or an object for the whole file that is not text.
        ReleaseError: there are too few sentences.
    """
    copy = put_by(args.input, args.encoding, stack)

    def opened() -> Source:
        return stack.enter_context(open_input(args) if copy is None else copy.open())

    source = opened()
    name = corpus_in(args, source)
    layout_name, _, settings = name.partition(":")
    if layout_name == "brat":
        raise UsageError("brat has two files for a corpus: convert it first, `ner convert`")
    reader = cast("CorpusReader", conversion_of(args, name, source).make_reader())
    count = sum(1 for _ in reader.contents(source, args.on_error, report))
    plan = SplitPlan(seeds=(args.seed,), shares=args.shares)
    [drawn] = split_sets(plan, [1] * count)
    golds = [stack.enter_context(Scratch(path)) for path in paths]
    with ExitStack() as writing:
        outs = [writing.enter_context(gold.writing()) for gold in golds]
        layouts = [label_format(layout_name, settings) for _ in SPLITS]
        contents = reader.contents(opened(), args.on_error, Report())
        for part, content in zip(drawn.parts, contents, strict=True):
            assert content.value is not None
            # The text between two objects of JSON is another one in a part.
            comments = [one for one in content.value.comments if not one.startswith(PREFIX)]
            sentence = content.value._replace(comments=tuple(comments))
            outs[part].write(layouts[part].write(sentence))
        for part, (out, layout) in enumerate(zip(outs, layouts, strict=True)):
            # A part without sentences is an empty file: half of a document of JSON is none.
            out.write(layout.end() if part in drawn.parts else "")
    return name, golds
