"""Find the edits between sources and their targets, and say of which type they are.

SOURCE and each TARGET have one sentence on each line; other formats (--from) hold both. The scheme
kagas is for Korean: Kiwi analyses the eojeols, and there are fourteen types. The scheme refined is
for Korean, too: it tells which morphemes are missing, unnecessary or replaced. The scheme errant is
for any language: --analysis names CoNLL-U files of any tagger, and types are made of UPOS. The
scheme errant-en finds the edits of English texts by ERRANT, if that is installed. With
--keep-edits the edits of a file stay as they are, and get other types.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING

from sejongud.commands import is_pipe, reporting, say, settings_of
from sejongud.commands.gec.convert import Input, read_input, write_pairs
from sejongud.converters.jobs import Conversion, with_columns
from sejongud.converters.pair_jobs import Annotate
from sejongud.errors import FormatError, Incident, UsageError
from sejongud.files import Source
from sejongud.formats import corrections_format, resolve
from sejongud.gec.edits import Pair
from sejongud.layers.labels import not_written
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from sejongud.errors import OnError, Report
    from sejongud.formats.base import Frame
    from sejongud.gec.annotator import Annotator
    from sejongud.model import Sentence

    Read = tuple[Frame, Sentence]
    Placed = tuple[int, Any]
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
_UNITS = {"character": "char"}
"""The names of options → those of annotators."""


def run(args: argparse.Namespace) -> int:
    """Annotate."""
    annotator = _annotator(args)
    unit = _UNIT_LEVELS.get(annotator.unit, str(annotator.level))
    keeps_level = args.to in (_CONLLU, _JSONL) and annotator.unit != "eojeol"
    step = Annotate(annotator, args.keep_edits, args.types == "given", unit if keeps_level else "")
    with reporting(args) as report, ExitStack() as stack:
        read = (
            _read_analyses(args, report) if args.analysis else read_input(args, args.inputs, report)
        )
        given = stack.enter_context(read)
        if args.keep_edits and given.layout.name in ("tsv", "parallel"):
            raise UsageError(
                f"--keep-edits keeps the edits of a file, and {given.source.path} has none"
            )
        has_texts = given.layout.name in _TEXTS and not args.analysis
        signature = _signature(annotator, has_texts, given.settings)
        noop = "errant" if args.scheme.startswith("errant") else "kagas"
        settings = {_CONLLU: unit, _M2: noop}.get(args.to, "")
        said = write_pairs(args, given, report, signature, annotate=step, settings=settings)
        if not args.quiet:
            say(f"{said}\n{signature}")
    return 1 if report.errors else 0


@contextmanager
def _read_analyses(args: argparse.Namespace, report: Report) -> Iterator[Input]:
    """Open the analyses of the sentences, and their texts if they are named.

    Raises:
        UsageError: there is no analysis of a target, or of one of the texts.
    """
    texts = [] if args.inputs == ["-"] else args.inputs
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
        files = [
            Conversion(name, on_error=on_error, rules=args.rules)
            .make_reader()
            .pairs_of(source, on_error, report)
            for name, source in zip(formats, sources, strict=True)
        ]
        items = _analysed(args, files, report)
        if texts:
            given = stack.enter_context(read_input(args, texts, report))
            placed = given.items or given.layout.numbered(given.source, args.on_error, report)
            items = _together(items, placed, given.source.path, args.analysis[0])
        layout = corrections_format(_CONLLU, rules=load(args.rules))
        yield Input(sources[0], layout, items, columns)


def _analysed(
    args: argparse.Namespace, files: Sequence[Iterator[Read]], report: Report
) -> Iterator[Placed]:
    """Yield the sentences of all files that belong together, by their numbers."""
    paths = args.analysis
    once = any(map(is_pipe, paths)) or args.inputs != ["-"]
    sizes = [] if once else [_size(path) for path in paths]
    if len(set(sizes)) > 1:
        yield from _grouped(list(map(list, files)), paths, report)
        return
    for number, placed in enumerate(zip_longest(*files), 1):
        if None in placed:
            longer = next(i for i, side in enumerate(placed) if side is not None)
            raise _uneven(paths[longer], number, paths[placed.index(None)])
        yield placed[0][0].line, _pair([sentence for _, sentence in placed])


def _size(path: str) -> int:
    """Return the number of sentences in a file of analyses."""
    from sejongud.formats.base import blocks

    with Source(path) as source:
        return sum(1 for _ in blocks(source.chunks()))


def _grouped(
    files: Sequence[Sequence[Read]], paths: Sequence[str], report: Report
) -> Iterator[Placed]:
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
        line = next((frame.line for frame, _ in placed[0]), line)
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
    from sejongud.model import Sentence

    if len(sentences) == 1:
        return sentences[0]
    eojeols = tuple([eojeol for one in sentences for eojeol in one.eojeols])
    return Sentence(
        eojeols,
        next((one.sent_id for one in sentences), ""),
        number=next((one.number for one in sentences), 0),
        is_treebank=any([one.is_treebank for one in sentences]),
    )


def _together(
    items: Iterator[Placed], texts: Iterator[Placed], path: str, analysis: str
) -> Iterator[Placed]:
    """Yield analysed sentences with the lines and ids of their texts."""
    for number, (own, text) in enumerate(zip_longest(items, texts), 1):
        if own is None or text is None:
            raise _uneven(*((analysis, number, path) if text is None else (path, number, analysis)))
        yield text[0], own[1]


def _uneven(path: str, number: int, other: str) -> FormatError:
    return FormatError(
        f"sentence {number} has no counterpart: {other} has only"
        f" {counted(number - 1, 'sentence[s]')}",
        path=path,
        code="E507",
    )


def _annotator(args: argparse.Namespace) -> Annotator:
    """Return the annotator with the settings of the options.

    Raises:
        UsageError: an option has a value that does not exist.
    """
    from sejongud.gec.annotator import Annotator

    usual = "token" if args.analysis and args.scheme == "errant" else "eojeol"
    own = {
        "unit": _UNITS.get(args.unit or usual, args.unit or usual),
        "compat": args.compat is not None,
    }
    return Annotator(**settings_of(args, Annotator) | own)


def _signature(annotator: Annotator, has_texts: bool, more: Mapping[str, str]) -> str:
    """Return the settings that the edits depend on, as `eval` prints its own.

    Args:
        annotator: the settings.
        has_texts: whether tokens are made of texts, rather than that the input has them.
        more: how texts were cleaned and aligned.
    """
    from sejongud.evaluation.scores import sign
    from sejongud.morphology.kiwi import versions

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
    return sign("annotate", settings | dict([one.split() for one in versions()]))
