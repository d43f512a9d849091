"""Named entities: convert corpora of eojeols or syllables to CoNLL-U of morphemes, and back.

Entities that are marked on eojeols or characters are projected on morphemes, so that they exclude
particles (memoir, 3.2). The way back returns the corpus byte for byte.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, cast

from sejongud.commands import (
    add_common_options,
    add_input_output,
    guard_files,
    open_input,
    open_output,
    reporting,
    say,
    say_format,
)
from sejongud.commands.convert import add_entity_formats, add_ne_place, add_schemes
from sejongud.commands.ner import agree
from sejongud.converters.between import Target, binary_in, format_in, with_text
from sejongud.converters.blocks import BlockReading
from sejongud.converters.entities import Backward, Forward
from sejongud.converters.eoj2morph import EXCLUSIONS
from sejongud.converters.jobs import read
from sejongud.converters.recut import Recut
from sejongud.converters.riders import format_of, layout_of
from sejongud.errors import FormatError, Incident, UsageError
from sejongud.files.layout import PLAIN
from sejongud.formats import ENTITY_FORMATS, label_format, reader_class, recognise, sniff
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.crf import crf_text, labelled_sentences
from sejongud.formats.entity_list import listing
from sejongud.formats.units import expect_known_unit
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import without_collector
from sejongud.rules import load
from sejongud.terminal import clean
from sejongud.validation.corpus_entities import CorpusCheck, corpus_sentences, tag_set
from sejongud.validation.entities import EntityCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.errors import OnError, Report
    from sejongud.files import Source
    from sejongud.files.layout import Layout
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence

    Write = Callable[[str], object]
    Act = Callable[[argparse.Namespace, Source, Write, Report], list[str]]

__all__ = [
    "add_label_scheme",
    "add_morphemes",
    "conllu_sentences",
    "given_sentences",
    "register",
    "run",
    "run_action",
]

_FORWARD = {"eoj2morph": "eojeol", "syl2morph": "syllable"}
_BACKWARD = {"morph2eoj": "eojeol", "morph2syl": "syllable"}
"""The conversions, and the unit that has the labels in their corpora."""
_CRF, _CHECK = "crf", "check"
_AGREE, _MERGE = "agree", "merge"
_CONVERT, _FORMATS = "convert", "formats"
_OF_CONVERT = "convert between any two formats of entities, through morphemes"
_OF_FORMATS = "list the formats of entities, their settings and an example of each, in Markdown"
_USUAL = {"eojeol": "naver", "syllable": "klue-ner"}
"""The format that is written if neither the user nor the file names one."""
_SUMMARIES = {
    "eoj2morph": "convert entities of eojeols (NAVER) to entities of morphemes",
    "syl2morph": "convert entities of characters (KLUE, MODU) to entities of morphemes",
    _MERGE: "put the entities of NE on the morphemes of MP (NIKL), by the ids of the sentences",
    "morph2eoj": "convert entities of morphemes back to entities of eojeols",
    "morph2syl": "convert entities of morphemes back to entities of characters",
    _CRF: "write columns for CRF++ and CRFsuite, or put their labels back on the morphemes",
    _CHECK: "count the entities, and report those that look wrong",
}


def register(parser: argparse.ArgumentParser) -> None:
    """Add a sub-command for each conversion, and for `crf` and `check`."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    for name, summary in _SUMMARIES.items():
        action = actions.add_parser(name, help=summary, description=summary)
        if name == _MERGE:
            action.add_argument("input", metavar="NE", help="the entities; - is stdin")
            action.add_argument("morphemes", metavar="MP", help="the morphemes")
            action.add_argument("output", metavar="OUT", nargs="?", default="-", help="CoNLL-U")
        else:
            whole = name not in (*_FORWARD, _CRF)
            ending = ".conllu" if name in _FORWARD else ".txt"
            add_input_output(action, ending=ending, joins=not whole)
        if name in (*_FORWARD, *_BACKWARD, _MERGE):
            agree.add_map(action)
        if name in (*_FORWARD, _MERGE):
            _add_format(action, "format of the entities; without it the format is detected")
            if name in _FORWARD:
                add_morphemes(action)
            if name != "syl2morph":
                _add_inherit(action)
            action.add_argument(
                "--nested",
                action="store_true",
                help="keep entities inside entities as well; without it the outermost only",
            )
            add_label_scheme(action)
            add_schemes(action)
            add_ne_place(action)
        elif name in _BACKWARD:
            _add_format(
                action, "format of OUT; without it the format that IN was made from", "--to"
            )
            action.add_argument(
                "--repair",
                action="store_true",
                help="mend labels that go on without having begun, as conlleval reads them",
            )
        elif name == _CRF:
            action.add_argument(
                "--labels",
                metavar="FILE",
                help="the columns with a column of labels added by the CRF: write IN with them",
            )
            add_label_scheme(action)
            add_schemes(action)
            # As in `convert`, words of a treebank keep theirs.
            action.set_defaults(upos=None, lemmas=None)
        else:
            _add_format(action, "format of IN, conllu or a corpus; without it it is detected")
            add_morphemes(
                action,
                ", whose particles and syllables are looked at as well",
                "a corpus is judged as it is, and not analysed",
            )
            action.add_argument(
                "--tagset",
                metavar="NAME|FILE",
                help="the types that entities may have: a set of `rules show ne-tags` such as"
                " nikl-150, or a file with a type a line; without it the set that fits nearly all",
            )
        add_common_options(action)
        if name == _CHECK:
            action.set_defaults(on_error="keep")
    summary = "tell how far two files agree on entities, by type"
    agree.register(actions.add_parser(_AGREE, help=summary, description=summary))
    converting = actions.add_parser(_CONVERT, help=_OF_CONVERT, description=_OF_CONVERT)
    add_input_output(converting)
    add_entity_formats(converting)
    add_morphemes(converting)
    _add_inherit(converting)
    add_label_scheme(converting)
    add_schemes(converting)
    add_ne_place(converting)
    add_common_options(converting)
    converting.set_defaults(nested=True)
    listing = actions.add_parser(_FORMATS, help=_OF_FORMATS, description=_OF_FORMATS)
    listing.add_argument("output", metavar="OUT", nargs="?", default="-", help="output file")
    add_common_options(listing, "--force")


def _add_inherit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--inherit",
        action="store_true",
        help="give the label of an eojeol to all its morphemes, particles included",
    )
    parser.add_argument(
        "--exclusion",
        choices=EXCLUSIONS,
        default=EXCLUSIONS[0],
        help="which morphemes of an eojeol carry no label: by the class of the entity,"
        " or by the letter of the paper (default: %(default)s)",
    )


def _add_format(parser: argparse.ArgumentParser, summary: str, option: str = "--from") -> None:
    parser.add_argument(
        option,
        dest="format",
        metavar="NAME[:SETTINGS]",
        help=f"{summary}: {', '.join(ENTITY_FORMATS)}; for example naver:PER-B",
    )
    parser.add_argument("--format", help=argparse.SUPPRESS)


def add_label_scheme(parser: argparse.ArgumentParser) -> None:
    """Add --scheme."""
    parser.add_argument(
        "--scheme",
        choices=("bio", "bioes"),
        help="scheme of the labels of morphemes: bioes has E- for the end of an entity, and S- for"
        " one of a single morpheme (default: bio; crf: as they are)",
    )


def add_morphemes(
    parser: argparse.ArgumentParser, each: str = "", without: str = "Kiwi analyses them"
) -> None:
    """Add --morphemes.

    Args:
        parser: the parser.
        each: what else holds of the file, for its help.
        without: what is done without it, for its help.
    """
    parser.add_argument(
        "--morphemes",
        metavar="FILE",
        help=f"the same sentences with their morphemes (CoNLL-U, Sejong text …){each}; without it"
        f" {without}",
    )


def run(args: argparse.Namespace) -> int:
    """Convert, check or compare."""
    if args.action == _FORMATS:
        with open_output(args) as out:
            out.write(clean(listing(), "\n\t"))
        return 0
    if args.action == _CONVERT:
        return _convert(args)
    if args.action == _AGREE:
        return agree.run(args)
    return run_action(args, _ACTIONS[args.action], layout_for=partial(_file_layout, args))


def _file_layout(args: argparse.Namespace, head: str) -> Layout:
    """Return the layout of OUT: a corpus that is written again has its own."""
    if args.action not in _BACKWARD:
        return PLAIN
    named = format_of(head).partition(" ")[0]
    same = args.format is None or args.format.partition(":")[0] == named
    return layout_of(head) if same else PLAIN


def run_action(
    args: argparse.Namespace,
    act: Act,
    *,
    line_ends: bool = True,
    layout_for: Callable[[str], Layout] = lambda _: PLAIN,
) -> int:
    """Do an action that reads a file and writes a file, and say what was done.

    Args:
        args: of the command.
        act: reads a source, writes, and returns what to tell about it, in lines.
        line_ends: whether the line ends of the source become LF.
        layout_for: returns the layout of the file that is written, from the source's beginning.

    Returns:
        The exit status.
    """
    with (
        open_input(args, line_ends=line_ends) as source,
        reporting(args) as report,
        open_output(args, layout_for(source.head())) as out,
        without_collector(),
    ):
        done = act(args, source, out.write, report)
        if done and not args.quiet:
            say("\n".join(done))
    return 1 if report.errors else 0


def given_sentences(args: argparse.Namespace, report: Report) -> Iterator[Sentence] | None:
    """Return the sentences with morphemes, if the user has any."""
    if args.morphemes is None:
        return None
    # A sentence that is left out here would be missing there.
    on_error: OnError = "stop" if args.on_error == "stop" else "keep"
    return read(args.morphemes, on_error=on_error, rules=args.rules, report=report)


def conllu_sentences(
    args: argparse.Namespace, chunks: Iterable[str], path: str, report: Report
) -> Iterator[Sentence]:
    """Yield the sentences of CoNLL-U.

    Args:
        args: of the command.
        chunks: the text, each chunk ending at a line's end.
        path: of the file.
        report: collects the incidents.
    """
    reader = ConlluReader(Assembler(load(args.rules)), keep=args.on_error == "keep")
    return reader.read(reader.frame(chunks), path, args.on_error, report)


def _forward(args: argparse.Namespace, source: Source, write: Write, report: Report) -> list[str]:
    """Convert a corpus to CoNLL-U; return what to tell about it, in lines."""
    rules = load(args.rules)
    granularity = Granularity(rules, args.level, upos=args.upos, lemmas=args.lemmas)
    writer = ConlluWriter(
        Recut(granularity, retag=True, relemma=True), ne=args.ne, ne_layers=3 if args.nested else 1
    )
    layout = _layout_of(args, source)
    if args.action in _FORWARD:
        _check_unit(layout, _FORWARD[args.action], _FORWARD)
    forward = _make_forward(args, layout, source.path, report)
    forward.file = source.layout
    write(writer.preamble)
    types = agree.type_map(args)
    given, by_id = given_sentences(args, report), args.action == _MERGE
    for sentence in forward.sentences(source.chunks(), given, by_id=by_id):
        write(writer.sentence(types.sentence(sentence) if types else sentence))
    if source.has_mixed_line_ends:
        message = f"the file has line ends of several kinds, and comes back as {forward.file}"
        report.add(Incident("W614", message, source.path))
    return [*forward.summary(), *(types.summary() if types else ())]


def _check_unit(layout: LabelFormat, unit: str, ways: dict[str, str]) -> None:
    """See that a format has labels on the unit of a conversion.

    Raises:
        UsageError: the format is one of the other conversion.
    """
    if layout.unit != unit:
        other = next(name for name, of in ways.items() if of != unit)
        raise UsageError(f"{layout.name} has labels of {layout.unit}s: use {other}")


def _make_forward(
    args: argparse.Namespace, layout: LabelFormat, path: str, report: Report
) -> Forward:
    return Forward(
        Assembler(load(args.rules)),
        layout,
        report,
        inherit=getattr(args, "inherit", False),
        exclusion=getattr(args, "exclusion", EXCLUSIONS[0]),
        nested=getattr(args, "nested", False),
        scheme=getattr(args, "scheme", None) or "bio",
        on_error=args.on_error,
        path=path,
        workers=args.jobs if args.jobs > 1 else None,
    )


def _layout_of(args: argparse.Namespace, source: Source) -> LabelFormat:
    """Return the format that is named, or the one that the input looks like."""
    head = source.head()
    if args.format is not None:
        return with_text(label_format(*recognise(args.format, head, ENTITY_FORMATS)), source.path)
    found = sniff(head, ENTITY_FORMATS)
    if found is None and not head.strip():
        raise FormatError("there is no sentence in the file", path=source.path, code="E107")
    if found is None:
        raise UsageError(
            f"{source.path} looks like no entity corpus: name its format with --from:"
            f" {', '.join(ENTITY_FORMATS)}"
        )
    if not args.quiet:
        say(f"{source.path}: detected format: {found} (override with --from)")
    expect_known_unit(found, head, source.path, load(args.rules))
    return with_text(label_format(*found), source.path)


def _sentences(args: argparse.Namespace, source: Source, report: Report) -> Iterator[Sentence]:
    """Yield the sentences of CoNLL-U."""
    return conllu_sentences(args, source.chunks(), source.path, report)


def _backward(args: argparse.Namespace, source: Source, write: Write, report: Report) -> list[str]:
    """Convert CoNLL-U to a corpus; return what to tell about it, in lines."""
    unit = _BACKWARD[args.action]
    layout = None
    if args.format is not None:
        name, _, settings = args.format.partition(":")
        layout = label_format(name, settings, load(args.rules))
    # The sentence that says it may be one that cannot be read.
    named = format_of(source.head())
    backward = Backward(
        layout,
        named or _USUAL[unit],
        named=bool(named),
        mend=args.repair,
        rules=load(args.rules),
    )
    types = agree.type_map(args)
    for sentence in _sentences(args, source, report):
        text = backward.text(types.sentence(sentence) if types else sentence)
        _check_unit(cast("LabelFormat", backward.layout), unit, _BACKWARD)
        write(text)
    write(backward.end())
    return [*backward.summary(), *(types.summary() if types else ())]


def _crf(args: argparse.Namespace, source: Source, write: Write, report: Report) -> list[str]:
    """Write columns for a CRF, or CoNLL-U with the labels that it has added to them."""
    granularity = Granularity(load(args.rules), args.level, upos=args.upos, lemmas=args.lemmas)
    sentences = _sentences(args, source, report)
    if not args.labels:
        for sentence in sentences:
            write(crf_text(sentence, granularity, args.scheme))
        return []
    retag, relemma = args.upos is not None, args.lemmas is not None
    writer = ConlluWriter(Recut(granularity, retag=retag, relemma=relemma))
    with open_input(args, args.labels) as columns:
        lines = columns.lines()
        for sentence in labelled_sentences(sentences, lines, granularity, columns.path):
            write(writer.sentence(sentence))
    return []


def _convert(args: argparse.Namespace) -> int:
    """Convert any format to any other."""
    rules = load(args.rules)
    granularity = Granularity(rules, args.level, upos=args.upos, lemmas=args.lemmas)
    writer = ConlluWriter(Recut(granularity, retag=True, relemma=True), ne=args.ne, ne_layers=3)
    target = Target(args.output, args.to, writer, rules, mend=args.repair, card=args.card or "")
    args.outputs = target.more
    guard_files(args)
    with (
        binary_in(args.from_, args.input) or open_input(args) as source,
        reporting(args) as report,
        ExitStack() as stack,
        without_collector(),
    ):
        found = format_in(args.from_, source)
        say_format(args, source.path, found)
        if args.from_ is None:
            expect_known_unit(found, source.head(), source.path, rules)
        target.open(stack)
        done: list[str] = []
        if found.is_entities:
            layout = with_text(label_format(*found, rules), source.path)
            forward = _make_forward(args, layout, source.path, report)
            for sentence in forward.sentences(source.chunks(), given_sentences(args, report)):
                target.add(sentence)
            done = forward.summary()
        else:
            reader = reader_class(found.name)(Assembler(rules), keep=args.on_error == "keep")
            frames = reader.frames_of(source)
            for sentence in reader.read(frames, source.path, args.on_error, report):
                target.add(sentence)
        target.end()
        if not args.quiet and (said := [*done, *target.summary()]):
            say("\n".join(said))
    return 1 if report.errors else 0


def _check(args: argparse.Namespace, source: Source, write: Write, report: Report) -> list[str]:
    """Write a table of the entities in CoNLL-U or in a corpus."""
    rules = load(args.rules)
    of_morphemes = EntityCheck(rules, report, source.path)
    found = sniff(source.head()) if args.format is None else None
    if args.format == "conllu" or (found and not found.is_entities):
        reader = ConlluReader(Assembler(rules), keep=args.on_error == "keep")
        frames = reader.frames_of(source)
        for frame, sentence in reader.pairs(frames, source.path, args.on_error, report):
            of_morphemes.add(sentence, partial(reader.line_of, frame))
        write(clean(of_morphemes.table(), "\n\t"))
        return []
    layout = _layout_of(args, source)
    tags = None if args.tagset is None else tag_set(args.tagset, rules)
    check = CorpusCheck(rules, report, source.path, layout, tags)
    if args.morphemes is None and not layout.has_morphemes:
        reading = BlockReading(layout, report, args.on_error, source.path)
        for one in corpus_sentences(reading, source.chunks()):
            check.add(one.block, one.value, one.sent_id)
        more = None
    else:
        forward = _make_forward(args, layout, source.path, report)
        forward.seen = lambda one: check.add(one.block, one.value, one.sent_id)
        for sentence in forward.sentences(source.chunks(), given_sentences(args, report)):
            of_morphemes.add(sentence, lambda _: forward.line)
        more = of_morphemes.counts()
    check.end()
    write(clean(check.table(more), "\n\t"))
    return []


_ACTIONS = {
    **dict.fromkeys((*_FORWARD, _MERGE), _forward),
    **dict.fromkeys(_BACKWARD, _backward),
    _CRF: _crf,
    _CHECK: _check,
}
