"""Corrections: find the edits of sources and targets, score, convert, apply, clean and filter them.

Parallel text and TSV hold sources and targets; M2, JSON Lines and CoNLL-U hold edits as well. M2 is
what scorers of grammatical error correction read; JSON Lines loads with Hugging Face datasets;
CoNLL-U keeps the edits with the morphemes.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import groupby, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unicodedata import normalize
from unittest.mock import patch

from sejongud.arguments import Parser
from sejongud.commands import inform, is_pipe, open_input, open_output, reporting, settings_of
from sejongud.commands.gec_convert import Input, read_input, read_pairs, write_pairs
from sejongud.commands.gec_score import score
from sejongud.converters.corrected import leave_out
from sejongud.converters.jobs import Conversion, with_columns
from sejongud.converters.pair_jobs import Annotate
from sejongud.errors import FormatError, Incident, OnError, Report, UsageError, require
from sejongud.evaluation.scores import sign
from sejongud.files import Source, atomic_output
from sejongud.formats import corrections_format, resolve
from sejongud.formats.corrections import tell_composed, tell_empty, together
from sejongud.formats.m2 import M2
from sejongud.gec.boundaries import Text, cleaned
from sejongud.gec.edits import Corrections, Edit, Pair, text_notes
from sejongud.gec.filters import Filter, FilterOptions, TextPair, lang8_steps, native_steps
from sejongud.layers.labels import not_written
from sejongud.model import Sentence
from sejongud.morphology.joining import KiwiJoiner
from sejongud.rules import load
from sejongud.terminal import counted, table
from sejongud.version import kiwi_versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from sejongud.converters.corrected import Placed
    from sejongud.formats.base import Block
    from sejongud.gec.annotator import Annotator

    Read = tuple[Block, Sentence]
    Numbered = tuple[int, Any]
    """A sentence with the number of its line."""


_M2, _CONLLU, _JSONL = "m2", "conllu", "jsonl"
_TEXTS = ("parallel", "tsv", "nikl", "knct", "learner-xml")
"""The formats that have texts without tokens."""
_UNIT_LEVELS = {"eojeol": "1", "char": "char", "token": "token"}
"""The unit → the level of its tokens in CoNLL-U; words have that of --level."""
_LAYERS = {
    "dependencies": "arcs",
    "entities": "entities",
    "frames": "frames",
    "constituents": "constituents",
}
"""The layers that sentences lose when they are joined → the attributes of sentences."""


def annotate(args: Namespace) -> int:
    """Find the edits between sources and their targets, and say of which type they are.

    SOURCE and each TARGET have one sentence on each line; other formats (--from) hold both. The scheme
    kagas is for Korean: Kiwi analyses the eojeols, and there are fourteen types. The scheme refined is
    for Korean, too: it tells which morphemes are missing, unnecessary or replaced. The scheme errant is
    for any language: --analysis names CoNLL-U files of any tagger, and types are made of UPOS. The
    scheme errant-en finds the edits of English texts by ERRANT, if that is installed. With
    --keep-edits the edits of a file stay as they are, and get other types.
    """
    annotator = _annotator(args)
    unit = _UNIT_LEVELS.get(annotator.unit, str(annotator.level))
    keeps_level = args.to in (_CONLLU, _JSONL) and annotator.unit != "eojeol"
    step = Annotate(annotator, args.keep_edits, args.types == "given", unit if keeps_level else "")
    read = _read_analyses if args.analysis else read_input
    with reporting(args) as report, read(args, args.inputs, report) as given:
        if args.keep_edits and given.layout.name in ("tsv", "parallel"):
            raise UsageError(
                f"--keep-edits keeps the edits of a file, and {given.source.path} has none"
            )
        has_texts = given.layout.name in _TEXTS and not args.analysis
        signature = _signature(annotator, has_texts, given.settings)
        noop = "errant" if args.scheme.startswith("errant") else "kagas"
        settings = {_CONLLU: unit, _M2: noop}.get(args.to, "")
        said = write_pairs(args, given, report, signature, annotate=step, settings=settings)
        inform(args, said, signature)
    return 1 if report.errors else 0


@contextmanager
def _read_analyses(args: Namespace, paths: Sequence[str], report: Report) -> Iterator[Input]:
    """Open the analyses of the sentences, and their texts if they are named.

    Raises:
        UsageError: there is no analysis of a target, or of one of the texts.
    """
    texts = [] if paths == ["-"] else paths
    if args.align_texts or args.clean:
        raise UsageError(
            "--align and --clean are for texts: files of --analysis are aligned anyway"
        )
    if len(args.analysis) < 2 or (texts and len(texts) != len(args.analysis)):
        raise UsageError(
            "--analysis must name a file for the source and one for each target, and names"
            f" {len(args.analysis)} in all"
        )
    with ExitStack() as stack:
        sources = [
            stack.enter_context(Source(path, encoding=args.encoding)) for path in args.analysis
        ]
        formats = [resolve(None, one.head(), one.path, args.rules) for one in sources]
        whole = with_columns(formats[0], args.to, sources[0])
        sources[0], columns = stack.enter_context(whole)
        # A sentence that is left out here would be missing there.
        on_error: OnError = "stop" if args.on_error == "stop" else "keep"
        files = []
        for name, one in zip(formats, sources, strict=True):
            reader = Conversion(name, on_error=on_error, rules=args.rules).make_reader()
            files.append(reader.pairs_of(one, on_error, report))
        items = _analysed(args, files, report)
        if texts:
            given = stack.enter_context(read_input(args, texts, report))
            placed = given.items or given.layout.numbered(given.source, args.on_error, report)
            rows = _beside((items, placed), (args.analysis[0], given.source.path))
            # Analysed sentences have the lines of their texts.
            items = ((line, pair) for (_, pair), (line, _) in rows)
        layout = corrections_format(_CONLLU, rules=load(args.rules))
        yield Input(sources[0], layout, items, columns)


def _analysed(
    args: Namespace, files: Sequence[Iterator[Read]], report: Report
) -> Iterator[Numbered]:
    """Yield the sentences of all files that belong together, by their numbers."""
    paths = args.analysis
    once = any(map(is_pipe, paths)) or args.inputs != ["-"]
    sizes = [] if once else [_size(path) for path in paths]
    if len(set(sizes)) > 1:
        yield from _grouped(list(map(list, files)), paths, report)
        return
    for placed in _beside(files, paths):
        yield placed[0][0].line, _pair([sentence for _, sentence in placed])


def _beside(files: Sequence[Iterator[Any]], paths: Sequence[str]) -> Iterator[Sequence[Any]]:
    """Yield the sentences with one number in several files.

    Raises:
        FormatError: a file has more sentences than another.
    """
    for number, row in enumerate(zip_longest(*files), 1):
        if None in row:
            longer = next(path for path, one in zip(paths, row, strict=True) if one is not None)
            message = (
                f"sentence {number} has no counterpart: {paths[row.index(None)]} has only"
                f" {counted(number - 1, 'sentence[s]')}"
            )
            raise FormatError(message, path=longer, code="E507")
        yield row


def _size(path: str) -> int:
    """Return the number of sentences in a file of analyses."""
    from sejongud.formats.base import text_blocks

    with Source(path) as source:
        return sum(1 for _ in text_blocks(source.chunks()))


def _grouped(
    files: Sequence[Sequence[Read]], paths: Sequence[str], report: Report
) -> Iterator[Numbered]:
    """Yield the sentences of files that were cut in other places, joined where they differ."""
    from sejongud.gec.boundaries import together

    texts = [[[eojeol.form for eojeol in one.eojeols] for _, one in file] for file in files]
    groups = list(together(texts[0], texts[1:]))
    counts = " and ".join(str(len(file)) for file in files)
    message = (
        f"the files have {counts} sentences: they are aligned in {counted(len(groups), 'group[s]')}"
    )
    report.add(Incident("W506", message, paths[0]))
    line = 1
    for group in groups:
        placed = [[file[i] for i in own] for file, own in zip(files, group, strict=True)]
        sides = [_joined([sentence for _, sentence in side]) for side in placed]
        line = next((block.line for block, _ in placed[0]), line)
        if len(placed[0]) > 1:
            layers = [
                name
                for name, attribute in _LAYERS.items()
                if any([getattr(sentence, attribute) for _, sentence in placed[0]])
            ]
            report.tell(not_written(layers), paths[0], line, sides[0].sent_id)
        yield line, _pair(sides)


def _pair(sides: Sequence[Sentence]) -> Pair:
    """Return a source and its targets with their analyses."""
    source, *targets = [side.text for side in sides]
    return Pair(source, tuple(targets), sides[0].sent_id, analyses=tuple(sides))


def _joined(sentences: Sequence[Sentence]) -> Sentence:
    """Return neighbouring sentences as one, with the words of all and without layers over them."""
    if len(sentences) == 1:
        return sentences[0]
    eojeols = tuple([eojeol for one in sentences for eojeol in one.eojeols])
    return Sentence(
        eojeols,
        next((one.sent_id for one in sentences), ""),
        number=next((one.number for one in sentences), 0),
        is_treebank=any([one.is_treebank for one in sentences]),
    )


def _annotator(args: Namespace) -> Annotator:
    """Return the annotator with the settings of the options.

    Raises:
        UsageError: an option has a value that does not exist.
    """
    from sejongud.gec.annotator import Annotator

    usual = "token" if args.analysis and args.scheme == "errant" else "eojeol"
    own = {"unit": args.unit or usual, "compat": args.compat is not None}
    return Annotator(**settings_of(args, Annotator) | own)


def _signature(annotator: Annotator, has_texts: bool, more: Mapping[str, str]) -> str:
    """Return the settings that the edits depend on, as `eval` prints its own.

    Args:
        annotator: the settings.
        has_texts: whether tokens are made of texts, rather than that the input has them.
        more: how texts were cleaned and aligned.
    """
    settings = {"scheme": annotator.scheme, "unit": annotator.unit, "merge": annotator.how}
    if annotator.unit == "word":
        settings["level"] = str(annotator.level)
    if annotator.is_korean:
        settings["speller"] = str(annotator.speller)
    if annotator.compat:
        settings["compat"] = annotator.scheme
    if has_texts:
        settings["split"] = annotator.split or "no"
    settings |= more
    return sign("annotate", settings | dict([one.split() for one in kiwi_versions()]))


# --- clean ---------------------------------------------------------------------------------------


def clean(args: Namespace) -> int:
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
        inform(args, sign("clean", {"marks": counts}))
    return 0


# --- filter ---------------------------------------------------------------------------------------


_STEPS = {"lang8": lang8_steps, "native": native_steps}


def filter_pairs(args: Namespace) -> int:
    """Leave out pairs that are no corrections, as Yoon et al. (2023) made Kor-Lang8 and Kor-Native.

    lang8 takes pairs of source and target from Lang-8, where learners correct each other. native takes
    what native speakers wrote from dictation. The steps, their order and their thresholds are in
    rules/gec-lang8.toml and rules/gec-native.toml; --rules lays a file of your own over them. A source
    with several targets is filtered target by target. What each step does is counted on standard error;
    --log names each pair that is dropped, with its line, the step and the reason.
    """
    rules = load(args.rules)
    without = (args.without or "").replace(",", " ").split()
    without += ["split"] * (not args.split and args.corpus == "lang8")
    options = FilterOptions(**settings_of(args, FilterOptions) | {"without": tuple(without)})
    steps, prepare = _STEPS[args.corpus](rules, options, cache(lambda: KiwiJoiner(rules)))
    with (
        reporting(args) as report,
        read_input(args, [args.input], report) as given,
        open_output(args) as out,
    ):
        path = given.source.path

        def tell(step: str, pair: TextPair, reason: str) -> None:
            if args.report or args.verbose:
                report.add(Incident("I521", f"{step}: {reason}", path, pair.row))

        def pairs_of(items: Iterable[Placed]) -> Iterator[TextPair]:
            for placed in items:
                block, item = placed
                try:
                    texts = [" ".join(text.split()) for text in item.texts()]
                    tell_composed(report, texts, block.line, path)
                    report.tell(text_notes(item), path, block.line, item.sent_id)
                    source, *targets = [normalize("NFC", text) for text in texts]
                    yield from [TextPair(source, target, block.line) for target in targets]
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
        inform(args, _counts(filtered, steps).rstrip("\n"))
    return 1 if report.errors else 0


def _counts(filtered: Filter, steps: Iterable[str]) -> str:
    """Return the table of what each step has done."""
    counts = filtered.dropped, filtered.changed, filtered.left
    rows = [["taken", "", "", f"{filtered.taken:,}"]]
    rows += [[step, *[f"{count[step]:,}" for count in counts]] for step in steps]
    return table(rows, header=["step", "dropped", "changed", "left"])


# --- errant ---------------------------------------------------------------------------------------


_DETECTED = ("Um", "UNK")
"""The types of errors without a correction."""


def parallel(args: Namespace) -> int:
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
        annotator = _word_annotator(args, split="published" if args.tok else "")
        print("Processing parallel files...")
        paths = [args.orig, *args.cor]
        sources = [stack.enter_context(open_input(args, path)) for path in paths]
        _write(args, annotator.annotated(_with_source(sources, report), report))
    return 0


def m2(args: Namespace) -> int:
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
        annotator = _word_annotator(args)
        print("Processing M2 file...")
        layout = M2()
        items = (layout.edited(item) for _, item in layout.numbered(source, args.on_error, report))
        _write(args, (_again(args, annotator, item) for item in items))
    return 1 if report.errors else 0


def compare(args: Namespace) -> int:
    """Compare two M2 files, as errant_compare does; -v prints the edits of every sentence."""
    _require(args, hyp="-hyp", ref="-ref")
    usual = vars(Parser("gec score").parse_args([]))
    return score(Namespace(**usual | vars(args), errant_verbose=args.verbose))


def _with_source(sources: Sequence[Source], report: Report) -> Iterator[Pair]:
    """Yield the pairs of parallel texts; those without a source are left out and told."""
    for line, pair in together(sources, report):
        if pair.source.strip():
            yield pair
        else:
            tell_empty(report, line, sources[0].path)


def _require(args: Namespace, **options: str) -> None:
    """Check that options are given.

    Raises:
        UsageError: one of them is not.
    """
    for name, option in options.items():
        if not getattr(args, name):
            raise UsageError(f"the argument {option} is required")


def _flags(args: Namespace, *names: str) -> list[str]:
    """Return the options that are given, in the spelling of ERRANT."""
    merge = ["-merge", args.merge] if args.merge else []
    return [*[f"-{name}" for name in names if getattr(args, name)], *merge]


def _english(args: Namespace, program: str, words: Sequence[str]) -> int:
    """Run a program of the installed ERRANT; its output appears when it is whole.

    Raises:
        MissingExtraError: ERRANT is not installed.
        UsageError: the model of its tagger is not installed.
    """
    require("errant", "errant")
    module = require(f"errant.commands.{program}", "errant")
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


def _word_annotator(args: Namespace, split: str = "") -> Annotator:
    from sejongud.gec.annotator import Annotator

    return Annotator(
        split_punctuation=split or False, lev=bool(args.lev), merge=args.merge, rules=args.rules
    )


def _write(args: Namespace, items: Iterable[Corrections]) -> None:
    """Write M2 with the line of ERRANT for an annotator without edits."""
    layout = M2("errant")
    with atomic_output(args.out) as out:
        out.writelines([layout.sentence(item._replace(comments=())) for item in items])


def _again(args: Namespace, annotator: Annotator, item: Corrections) -> Corrections:
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
