"""The command `ner`: corpora of entities to morphemes and back, their splits, checks and columns."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from functools import partial
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sejongud.commands import guard_files, open_input, reporting, run_file, say
from sejongud.commands.ner_convert import (
    conversion_of,
    convert,
    corpus_in,
    given_columns,
    given_sentences,
    make_writer,
    reader_options,
    tell,
    tell_line_ends,
    type_map,
)
from sejongud.commands.scoring import (
    read_likeness,
    read_sides,
    say_differences,
    write_result,
)
from sejongud.converters.entities_back import BACKWARD, FORWARD, SIZES, expect_unit
from sejongud.converters.restoring import FILE, format_of
from sejongud.errors import Note, Report, UsageError
from sejongud.evaluation.entities import UnitsReader, in_common
from sejongud.evaluation.ner import Agreement
from sejongud.evaluation.tables import Result, to_text
from sejongud.files import Source, atomic_output, file_ending
from sejongud.files.layout import PLAIN, Layout
from sejongud.files.texts import Scratch, put_by
from sejongud.formats import ENTITY_FORMATS, label_format, output_format, sniff
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
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from sejongud.converters.entities import CorpusReader
    from sejongud.model import Sentence


_CRF, _CHECK = "crf", "check"
_AGREE, _MERGE = "agree", "merge"
_CONVERT = "convert"
_USUAL = {"eojeol": "naver", "syllable": "klue-ner"}
"""The format that is written if neither the user nor the file names one."""


def crf_writes(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the format that `crf` writes."""
    return ("conllu" if args.labels else "columns",)


def ner(args: argparse.Namespace) -> int:
    """Named entities: convert corpora of eojeols or syllables to CoNLL-U of morphemes, and back.

    Entities that are marked on eojeols or characters are projected on morphemes, so that they exclude
    particles (memoir, 3.2). The way back returns the corpus byte for byte. A format may have settings:
    `--from naver:PER-B` (docs/entities.md). The labels decide where morphemes end, so a file to test a
    tagger on must be analysed with --blind, or come from `split` (docs/entity-experiments.md).
    """
    if args.action == _CONVERT:
        return convert(args)
    if args.action == _AGREE:
        return agree(args)
    conllu = f"ner {args.action}" if args.action in (*BACKWARD, _CRF) else ""
    layout = partial(_file_layout, args)
    return run_file(args, _ACTIONS[args.action], layout_for=layout, conllu=conllu)


def _file_layout(args: argparse.Namespace, head: str) -> Layout:
    """Return the layout of OUT: a corpus that is written again has its own."""
    if args.action not in BACKWARD:
        return PLAIN
    named = format_of(head).partition(" ")[0]
    to = _format_out(args, named)
    return Layout.from_comment(head, FILE) if to is None or to.partition(":")[0] == named else PLAIN


def _format_out(args: argparse.Namespace, named: str) -> str | None:
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


def _forward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
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


def _backward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
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


def _sentences(
    args: argparse.Namespace, source: Source, report: Report
) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentences of CoNLL-U with their lines."""
    pairs = (
        conversion_of(args, "conllu", source).make_reader().pairs_of(source, args.on_error, report)
    )
    return ((block.line, sentence) for block, sentence in pairs)


def _crf(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Write columns for a CRF, or CoNLL-U with the labels that it has added to them."""
    granularity = Granularity(load(args.rules), args.level, upos=args.upos, lemmas=args.lemmas)
    pairs = _sentences(args, source, report)
    layers = NESTED_LAYERS if args.nested else 1
    if args.template:
        with atomic_output(args.template) as template:
            template.write(crf_template())
    if not args.labels:
        text = partial(crf_text, granularity=granularity, scheme=args.label_scheme, layers=layers)
        losses = partial(lost, granularity=granularity, layers=layers)
        return _columns(pairs, text, losses, source.path, out, report)
    writer = make_writer(args, columns=other_columns(source.head()))
    out.write(writer.preamble)
    with open_input(args, args.labels) as columns:
        placed, sentences = tee(pairs)
        given = (sentence for _, sentence in sentences)
        labelled = labelled_sentences(given, columns.lines(), granularity, columns.path, layers)
        for (line, _), sentence in zip(placed, labelled, strict=True):
            out.write(writer.sentence(sentence))
            tell(writer.loses(sentence), sentence, report, source.path, line, Counter())
    return []


def _columns(
    pairs: Iterable[tuple[int, Sentence]],
    text: Callable[[Sentence], str],
    losses: Callable[[Sentence], list[Note]],
    path: str,
    out: TextIO,
    report: Report,
) -> list[str]:
    """Write columns for a CRF; return the lines to say about them."""
    counts: Counter[str] = Counter()
    for line, sentence in pairs:
        out.write(text(sentence))
        tell(losses(sentence), sentence, report, path, line, counts)
        counts["sentences"] += 1
        counts["entities"] += sum(map(len, entity_layers(sentence)))
    counts["entities"] -= counts[LOST]
    return [", ".join([counted(counts[key], SIZES[key]) for key in ("sentences", "entities")])]


def _check(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Write a table of the entities in CoNLL-U or in a corpus."""
    rules = load(args.rules)
    of_morphemes = EntityCheck(rules, report, source.path)
    found = sniff(source.head()) if args.from_ is None else None
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


# --- agree ----------------------------------------------------------------------------------------


def agree(args: argparse.Namespace) -> int:
    """Measure how far two files agree on entities, by type: whole, in part, and by tokens."""
    types = type_map(args)
    reader = UnitsReader(args.from_, types.label if types else None)
    sides, status = read_sides(args, reader, [args.gold, args.system])
    first, second, unit, told = in_common(*sides, nested=args.nested)
    likeness = read_likeness(args)
    [evaluation] = Agreement(unit=unit, nested=args.nested).measure(
        first, second, likeness=likeness
    )
    if not args.quiet:
        for line in told:
            say(line)
        say_differences(evaluation.differences)
    result = Result(evaluation, sentences=args.sentences)
    write_result(args, result, lambda _, found: to_text(found))
    return status


# --- split ----------------------------------------------------------------------------------------


_WIDENED = "E414"


def split(args: argparse.Namespace) -> int:
    """Divide a corpus into train, dev and test for a fair experiment.

    In train the morphemes end where names do: the analyser is given the labels. A tagger that is
    tested has no labels, so dev and test are analysed blind, as a text alone. DIR has train.conllu,
    dev.conllu and test.conllu, and of each the sentences as the corpus has them (test.gold.tsv):
    compare these with the labels of a tagger by `eval ner --unit character` or `--unit eojeol`. The
    sentences are drawn as in `release` with `by = "seed"`.
    """
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
            totals = convert_stream(conversion, source, out, heard)
            if not args.quiet:
                say(f"{part}: " + "\n".join(totals.summary))
    return 1 if report.errors else 0


def _divided(
    args: argparse.Namespace, paths: list[str], report: Report, stack: ExitStack
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
    [drawn] = split_sets(plan, [1] * count, b"")
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
        for out, layout in zip(outs, layouts, strict=True):
            out.write(layout.end())
    return name, golds
