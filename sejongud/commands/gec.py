"""Corrections: find the edits of sources and targets, score, convert, apply, clean and filter them.

Parallel text and TSV hold sources and targets; M2, JSON Lines and CoNLL-U hold edits as well. M2 is
what scorers of grammatical error correction read; JSON Lines loads with Hugging Face datasets;
CoNLL-U keeps the edits with the morphemes.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import groupby
from typing import TYPE_CHECKING
from unicodedata import normalize

from sejongud.commands import open_input, open_output, reporting, say
from sejongud.commands.gec_convert import read_input, read_pairs
from sejongud.converters.corrected import leave_out
from sejongud.errors import FormatError, Incident
from sejongud.evaluation.scores import sign
from sejongud.formats.corrections import tell_composed
from sejongud.gec.boundaries import Text, cleaned
from sejongud.gec.edits import Corrections, Pair, text_notes
from sejongud.gec.filters import Dropped, Filter, FilterOptions, TextPair, lang8_steps, native_steps
from sejongud.morphology.kiwi import KiwiAnalyser
from sejongud.rules import load
from sejongud.terminal import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.converters.corrected import Placed


def clean(args: argparse.Namespace) -> int:
    """Take away what language models put around corrected text, a sentence a line.

    Numbering, bullets, quotes, labels, code fences, preambles and closings go, by the table
    rules/gec-clean.tsv; --rules lays a table of your own over it. With --source, the text before its
    correction, everything stays that the source has as well. What goes is counted on standard error;
    --log names each mark with its line.
    """
    with reporting(args) as report, open_input(args) as answer, open_output(args) as out:
        source = None
        if args.source is not None:
            with open_input(args, args.source) as before:
                source = list(before.lines())
        text = Text.of(answer.path, answer.lines())
        [text], counts = cleaned([text], report, source, rules=load(args.rules))
        out.writelines([f"{line}\n" for line in text.texts])
        if not args.quiet:
            say(sign("clean", {"marks": counts}))
    return 0


# --- filter ---------------------------------------------------------------------------------------


_STEPS = {"lang8": lang8_steps, "native": native_steps}


def filter_pairs(args: argparse.Namespace) -> int:
    """Leave out pairs that are no corrections, as Yoon et al. (2023) made Kor-Lang8 and Kor-Native.

    lang8 takes pairs of source and target from Lang-8, where learners correct each other. native takes
    what native speakers wrote from dictation. The steps, their order and their thresholds are in
    rules/gec-lang8.toml and rules/gec-native.toml; --rules lays a file of your own over them. A source
    with several targets is filtered target by target. What each step does is counted on standard error;
    --log names each pair that is dropped, with its line, the step and the reason.
    """
    rules = load(args.rules)
    without = [name for name in (args.without or "").replace(",", " ").split() if name]
    options = FilterOptions(
        (*without, *["split"] * (not args.split and args.corpus == "lang8")),
        args.strip_foreign,
        args.unit,
        args.distance,
        args.min_length_ratio,
    )
    steps, prepare = _STEPS[args.corpus](rules, options, cache(lambda: KiwiAnalyser(rules)))
    with (
        reporting(args) as report,
        read_input(args, [args.input], report) as given,
        open_output(args) as out,
    ):
        path = given.source.path

        def tell(dropped: Dropped) -> None:
            if args.report or args.verbose:
                message = f"{dropped.step}: {dropped.reason}"
                report.add(Incident("I521", message, path, dropped.pair.row))

        def pairs_of(items: Iterable[Placed]) -> Iterator[TextPair]:
            for placed in items:
                block, item = placed
                try:
                    tell_texts = partial(tell_composed, report, path=path)
                    pairs = _pairs(block.line, item, tell_texts)
                    report.tell(text_notes(item), path, block.line, item.sent_id)
                    yield from pairs
                except FormatError as error:
                    leave_out(error, placed, path, args.on_error, report)

        filtered = Filter(steps, tell, prepare)
        for _, pairs in groupby(
            filtered(pairs_of(read_pairs(args, given, report))), key=lambda pair: pair.row
        ):
            targets: dict[str, list[str]] = {}
            for pair in pairs:
                targets.setdefault(pair.source, []).append(pair.target)
            for source, own in targets.items():
                out.write("\t".join([source, *own]) + "\n")
        if not args.quiet:
            say(_counts(filtered, steps).rstrip("\n"))
    return 1 if report.errors else 0


def _pairs(
    line: int, item: Corrections | Pair, tell: Callable[[Iterable[str], int], None]
) -> list[TextPair]:
    """Return a pair for each target, in NFC, with one space between eojeols.

    Args:
        line: of the item.
        item: source and targets.
        tell: called with the texts and the line.

    Raises:
        FormatError: edits overlap, so that they make no target.
    """
    if isinstance(item, Pair):
        texts = [text.split() for text in (item.source, *item.targets)]
    else:
        texts = [list(tokens) for tokens in (item.tokens, *map(item.target, item.edits))]
    joined = [" ".join(text) for text in texts]
    tell(joined, line)
    source, *targets = [normalize("NFC", text) for text in joined]
    return [TextPair(source, target, line) for target in targets]


def _counts(filtered: Filter, steps: Iterable[str]) -> str:
    """Return the table of what each step has done."""
    rows = [["taken", "", "", f"{filtered.taken:,}"]]
    rows += [
        [
            step,
            f"{filtered.dropped[step]:,}",
            f"{filtered.changed[step]:,}",
            f"{filtered.left[step]:,}",
        ]
        for step in steps
    ]
    return table(rows, header=["step", "dropped", "changed", "left"])
