"""Divide a corpus into train, dev and test for a fair experiment.

In train the morphemes end where names do: the analyser is given the labels. A tagger that is
tested has no labels, so dev and test are analysed blind, as a text alone. DIR has train.conllu,
dev.conllu and test.conllu, and of each the sentences as the corpus has them (test.gold.tsv):
compare these with the labels of a tagger by `eval ner --unit character` or `--unit eojeol`. The
sentences are drawn as in `release` with `by = "seed"`.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sejongud.commands import guard_files, open_input, reporting, say
from sejongud.commands.ner.work import conversion_of, corpus_in, reader_options
from sejongud.errors import Report, UsageError
from sejongud.files import atomic_output, file_ending
from sejongud.files.scratch import Scratch, put_by
from sejongud.formats import label_format
from sejongud.formats.json_text import PREFIX
from sejongud.pipeline import convert_stream, without_collector
from sejongud.release.keys import SPLITS
from sejongud.release.splits import SplitPlan, split_sets

if TYPE_CHECKING:
    import argparse

    from sejongud.converters.entities import CorpusReader
    from sejongud.files import Source

_WIDENED = "E414"


def run(args: argparse.Namespace) -> int:
    """Write the parts of a corpus; return the exit status."""
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
                say(f"{part}: " + "\n".join(totals.told))
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
