"""The commands of ERRANT with its options and its output: parallel, m2 and compare.

English is annotated by the installed ERRANT, and Korean (-lang ko) by the scheme kagas, with the
lines of M2 as ERRANT writes them. Figures are those of `gec score --errant`.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

from sejongud.arguments import Parser
from sejongud.commands import open_input, reporting
from sejongud.commands.gec import score
from sejongud.errors import MissingExtraError, UsageError
from sejongud.files import atomic_output
from sejongud.formats.corrections import tell_empty, together
from sejongud.formats.m2 import M2

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.gec.annotator import Annotator
    from sejongud.gec.edits import Corrections, Edit, Pair

_DETECTED = ("Um", "UNK")
"""The types of errors without a correction."""


def parallel(args: argparse.Namespace) -> int:
    """Annotate parallel texts, as errant_parallel does.

    Every file has a sentence on each line, words between spaces; -tok splits the marks off. Lines
    whose source is empty are left out.
    """
    _require(args, orig="-orig", cor="-cor", out="-out")
    files = ["-orig", args.orig, "-cor", *args.cor]
    if args.lang == "en":
        return _english(args, "parallel_to_m2", [*files, *_flags(args, "tok", "lev")])
    with reporting(args) as report, ExitStack() as stack:
        print("Loading resources...")
        annotator = _annotator(args, split="published" if args.tok else "")
        print("Processing parallel files...")
        paths = [args.orig, *args.cor]
        sources = [stack.enter_context(open_input(args, path)) for path in paths]
        _write(args, annotator.annotated(_with_source(sources, report), report))
    return 0


def m2(args: argparse.Namespace) -> int:
    """Find the edits of M2 anew (-auto), or their types alone (-gold), as errant_m2 does.

    Edits without a correction (UNK) stay. With -gold words that both sides of an edit share at its
    edges are left out of it, unless -no_min is given, and types stay with -old_cats.
    """
    _require(args, m2_file="m2_file", out="-out")
    if not (args.auto or args.gold_edits):
        raise UsageError("one of the arguments -auto -gold is required")
    if args.lang == "en":
        flags = _flags(args, "auto", "no_min", "old_cats", "lev")
        return _english(args, "m2_to_m2", [args.m2_file, *["-gold"] * args.gold_edits, *flags])
    with reporting(args) as report, open_input(args, args.m2_file) as source:
        print("Loading resources...")
        annotator = _annotator(args)
        print("Processing M2 file...")
        layout = M2()
        items = (layout.edited(item) for _, item in layout.numbered(source, args.on_error, report))
        _write(args, (_again(args, annotator, item) for item in items))
    return 1 if report.errors else 0


def compare(args: argparse.Namespace) -> int:
    """Compare two M2 files, as errant_compare does; -v prints the edits of every sentence."""
    _require(args, hyp="-hyp", ref="-ref")
    usual = vars(Parser("gec score").parse_args([]))
    return score.run(argparse.Namespace(**usual | vars(args), errant_verbose=args.verbose))


def _with_source(sources: Sequence[Source], report: Report) -> Iterator[Pair]:
    """Yield the pairs of parallel texts; those without a source are left out and told."""
    for line, pair in together(sources, report):
        if pair.source.strip():
            yield pair
        else:
            tell_empty(report, line, sources[0].path)


def _require(args: argparse.Namespace, **options: str) -> None:
    """Check that options are given.

    Raises:
        UsageError: one of them is not.
    """
    for name, option in options.items():
        if not getattr(args, name):
            raise UsageError(f"the argument {option} is required")


def _flags(args: argparse.Namespace, *names: str) -> list[str]:
    """Return the options that are given, in the spelling of ERRANT."""
    merge = ["-merge", args.merge] if args.merge else []
    return [*[f"-{name}" for name in names if getattr(args, name)], *merge]


def _english(args: argparse.Namespace, program: str, words: Sequence[str]) -> int:
    """Run a program of the installed ERRANT; its output appears when it is whole.

    Raises:
        MissingExtraError: ERRANT is not installed.
        UsageError: the model of its tagger is not installed.
    """
    try:
        module = __import__(f"errant.commands.{program}", fromlist=["main"])
    except ImportError:
        raise MissingExtraError("errant", "errant") from None
    with TemporaryDirectory() as folder:
        path = Path(folder, "out.m2")
        with patch.object(sys, "argv", [program, *words, "-out", str(path)]):
            try:
                module.main()
            except OSError as error:
                if "en_core_web_sm" not in str(error):
                    raise
                message = "ERRANT needs the model of spaCy: python -m spacy download en_core_web_sm"
                raise UsageError(message) from None
        with atomic_output(args.out) as out:
            out.write(path.read_text())
    return 0


def _annotator(args: argparse.Namespace, split: str = "") -> Annotator:
    from sejongud.gec.annotator import Annotator

    return Annotator(
        split_punctuation=split or False, lev=bool(args.lev), merge=args.merge, rules=args.rules
    )


def _write(args: argparse.Namespace, items: Iterable[Corrections]) -> None:
    """Write M2 with the line of ERRANT for an annotator without edits."""
    layout = M2("errant")
    with atomic_output(args.out) as out:
        out.writelines([layout.sentence(item._replace(comments=())) for item in items])


def _again(args: argparse.Namespace, annotator: Annotator, item: Corrections) -> Corrections:
    """Return a sentence with other edits, or with other types."""
    edits: dict[int, tuple[Edit, ...]] = {}
    for by, given in sorted(item.edits.items()):
        detected = [edit for edit in given if edit.type in _DETECTED]
        some = tuple([edit for edit in given if edit.type not in _DETECTED])
        one = item._replace(edits={by: some})
        if args.auto:
            sides = " ".join(one.tokens), " ".join(one.target(by))
            ours, theirs = annotator.tokens(sides)
            some = tuple(annotator.edits(ours, theirs)) if sides[0] != sides[1] else ()
        else:
            if not args.no_min:
                one = one._replace(edits={by: tuple(_minimal(item.tokens, some))})
            some = one.edits[by] if args.old_cats else next(annotator.retyped([one])).edits[by]
        renumbered = [edit._replace(annotator=by) for edit in (*detected, *some)]
        edits[by] = tuple(sorted(renumbered, key=lambda edit: edit[:2]))
    return item._replace(edits=edits)


def _minimal(tokens: Sequence[str], edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield edits without the words at their edges that both sides have."""
    for edit in edits:
        start, end, words = edit.start, edit.end, edit.words
        while start < end and words and tokens[start] == words[0]:
            start, words = start + 1, words[1:]
        while start < end and words and tokens[end - 1] == words[-1]:
            end, words = end - 1, words[:-1]
        yield edit._replace(start=start, end=end, correction=" ".join(words))
