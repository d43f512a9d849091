"""Named entities: convert corpora of eojeols or syllables to CoNLL-U of morphemes, and back.

Entities that are marked on eojeols or characters are projected on morphemes, so that they exclude
particles (memoir, 3.2). The way back returns the corpus byte for byte.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import tee
from typing import TYPE_CHECKING, cast

from sejongud.commands import (
    add_common_options,
    add_input_output,
    open_input,
    open_output,
    run_file,
)
from sejongud.commands.convert import add_ne_place, add_schemes
from sejongud.commands.ner import agree, convert
from sejongud.commands.ner.options import (
    add_format,
    add_inherit,
    add_label_scheme,
    add_map,
    add_morphemes,
    add_repair,
)
from sejongud.commands.ner.work import (
    conllu_sentences,
    given_sentences,
    layout_in,
    make_forward,
    make_writer,
    tell,
    tell_line_ends,
    type_map,
)
from sejongud.converters.blocks import BlockReading
from sejongud.converters.entities_back import Backward
from sejongud.converters.entity_counts import SIZES
from sejongud.converters.riders import format_of, layout_of
from sejongud.errors import UsageError
from sejongud.files.layout import PLAIN
from sejongud.formats import ENTITY_FORMATS, label_format, output_format, sniff
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.crf import crf_text, labelled_sentences, lost
from sejongud.formats.entity_list import listing
from sejongud.layers.labels import entity_layers
from sejongud.layers.losses import LOST
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load
from sejongud.terminal import clean, counted
from sejongud.validation.corpus_entities import CorpusCheck, corpus_sentences, tag_set
from sejongud.validation.entities import EntityCheck

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.files.layout import Layout
    from sejongud.formats.labelled import LabelFormat
    from sejongud.layers.labels import LabelScheme
    from sejongud.model import Sentence

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
_WRITES = {
    **dict.fromkeys(_FORWARD, ("conllu",)),
    **{name: (_USUAL[unit], *ENTITY_FORMATS) for name, unit in _BACKWARD.items()},
    _CRF: ("columns",),
    _CHECK: ("tsv",),
}
"""The formats of the outputs, the usual one first."""
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
            action.set_defaults(writes=("conllu",), usual="conllu")
        else:
            add_input_output(action, *_WRITES[name], joins=name in (*_FORWARD, _CRF))
        if name in (*_FORWARD, *_BACKWARD, _MERGE):
            add_map(action)
        if name in (*_FORWARD, _MERGE):
            add_format(action, "format of the entities; without it the format is detected")
            if name in _FORWARD:
                add_morphemes(action)
            if name != "syl2morph":
                add_inherit(action)
            action.add_argument(
                "--nested",
                action="store_true",
                help="also keep entities inside other entities (default: only the outermost)",
            )
            add_label_scheme(action)
            add_schemes(action)
            add_ne_place(action)
        elif name in _BACKWARD:
            summary = "format of OUT; without it that of its ending, else the one IN was made from"
            add_format(action, summary, "--to", "to")
            action.set_defaults(usual=None, in_folder=_USUAL[_BACKWARD[name]])
            add_repair(action)
        elif name == _CRF:
            action.add_argument(
                "--labels",
                metavar="FILE",
                help="the columns to which a CRF has added its labels: write IN with these labels",
            )
            add_label_scheme(action)
            add_schemes(action)
            # As in `convert`, words of a treebank keep theirs.
            action.set_defaults(upos=None, lemmas=None, writes=_crf_writes)
        else:
            add_format(action, "format of IN, conllu or a corpus (default: detect it)")
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
    convert.register(actions.add_parser(_CONVERT, help=_OF_CONVERT, description=_OF_CONVERT))
    listing = actions.add_parser(_FORMATS, help=_OF_FORMATS, description=_OF_FORMATS)
    listing.add_argument("output", metavar="OUT", nargs="?", default="-", help="output file")
    listing.set_defaults(writes=("markdown",), usual="markdown")
    add_common_options(listing, "--force")


def _crf_writes(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the format that `crf` writes."""
    return ("conllu" if args.labels else "columns",)


def run(args: argparse.Namespace) -> int:
    """Convert, check or compare."""
    if args.action == _FORMATS:
        with open_output(args) as out:
            out.write(clean(listing(), "\n\t"))
        return 0
    if args.action == _CONVERT:
        return convert.run(args)
    if args.action == _AGREE:
        return agree.run(args)
    return run_file(args, _ACTIONS[args.action], layout_for=partial(_file_layout, args))


def _file_layout(args: argparse.Namespace, head: str) -> Layout:
    """Return the layout of OUT: a corpus that is written again has its own."""
    if args.action not in _BACKWARD:
        return PLAIN
    named = format_of(head).partition(" ")[0]
    to = _format_out(args, named)
    return layout_of(head) if to is None or to.partition(":")[0] == named else PLAIN


def _format_out(args: argparse.Namespace, named: str) -> str | None:
    """Return the format of a corpus to write; None for the one that the file names, or the usual.

    Args:
        args: of the command.
        named: the format that the file names, "" for none.

    Raises:
        UsageError: several formats have the ending of OUT, and neither user nor file names one.
    """
    usual = named or _USUAL[_BACKWARD[args.action]]
    to = output_format(args.output, ENTITY_FORMATS, args.to, usual)
    return to if args.to or to != usual else None


def _forward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert a corpus to CoNLL-U; return the lines to say about it."""
    writer = make_writer(args, ne=args.ne, ne_layers=3 if args.nested else 1)
    layout = layout_in(args, source)
    if args.action in _FORWARD:
        _check_unit(layout, _FORWARD[args.action], _FORWARD)
    forward = make_forward(args, layout, source.path, report)
    forward.file = source.layout
    out.write(writer.preamble)
    types = type_map(args)
    given, by_id = given_sentences(args, report), args.action == _MERGE
    codes: Counter[str] = Counter()
    for given_sentence in forward.sentences(source.chunks(), given, by_id=by_id):
        sentence = types.sentence(given_sentence) if types else given_sentence
        out.write(writer.sentence(sentence))
        tell(writer.loses(sentence), sentence, report, source.path, forward.line, codes)
    tell_line_ends(source, report)
    return [*forward.summary(codes), *(types.summary() if types else ())]


def _check_unit(layout: LabelFormat, unit: str, ways: dict[str, str]) -> None:
    """Check that a format has labels on the unit of a conversion.

    Raises:
        UsageError: the format is one of the other conversion.
    """
    if layout.unit != unit:
        other = next(name for name, of in ways.items() if of != unit)
        raise UsageError(f"{layout.name} has labels of {layout.unit}s: use {other}")


def _sentences(
    args: argparse.Namespace, source: Source, report: Report
) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentences of CoNLL-U with their lines."""
    return conllu_sentences(args, source.chunks(), source.path, report)


def _backward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert CoNLL-U to a corpus; return the lines to say about it."""
    unit = _BACKWARD[args.action]
    layout = None
    # The sentence that says it may be one that cannot be read.
    named = format_of(source.head())
    if to := _format_out(args, named.partition(" ")[0]):
        name, _, settings = to.partition(":")
        layout = label_format(name, settings, load(args.rules))
    backward = Backward(
        layout,
        named or _USUAL[unit],
        named=bool(named),
        mend=args.repair,
        rules=load(args.rules),
    )
    types = type_map(args)
    codes: Counter[str] = Counter()
    for line, given in _sentences(args, source, report):
        sentence = types.sentence(given) if types else given
        text = backward.text(sentence)
        _check_unit(cast("LabelFormat", backward.layout), unit, _BACKWARD)
        out.write(text)
        tell(backward.loses(sentence), sentence, report, source.path, line, codes)
    out.write(backward.end())
    return [*backward.summary(), *(types.summary() if types else ())]


def _crf(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Write columns for a CRF, or CoNLL-U with the labels that it has added to them."""
    granularity = Granularity(load(args.rules), args.level, upos=args.upos, lemmas=args.lemmas)
    pairs = _sentences(args, source, report)
    if not args.labels:
        return _columns(pairs, granularity, args.scheme, source.path, out, report)
    writer = make_writer(args)
    with open_input(args, args.labels) as columns:
        placed, sentences = tee(pairs)
        given = (sentence for _, sentence in sentences)
        labelled = labelled_sentences(given, columns.lines(), granularity, columns.path)
        for (line, _), sentence in zip(placed, labelled, strict=True):
            out.write(writer.sentence(sentence))
            tell(writer.loses(sentence), sentence, report, source.path, line, Counter())
    return []


def _columns(
    pairs: Iterable[tuple[int, Sentence]],
    granularity: Granularity,
    scheme: LabelScheme | None,
    path: str,
    out: TextIO,
    report: Report,
) -> list[str]:
    """Write columns for a CRF; return the lines to say about them."""
    counts: Counter[str] = Counter()
    for line, sentence in pairs:
        out.write(crf_text(sentence, granularity, scheme))
        tell(lost(sentence, granularity), sentence, report, path, line, counts)
        counts["sentences"] += 1
        counts["entities"] += sum(map(len, entity_layers(sentence)))
    counts["entities"] -= counts[LOST]
    return [", ".join([counted(counts[key], SIZES[key]) for key in ("sentences", "entities")])]


def _check(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Write a table of the entities in CoNLL-U or in a corpus."""
    rules = load(args.rules)
    of_morphemes = EntityCheck(rules, report, source.path)
    found = sniff(source.head()) if args.format is None else None
    if args.format == "conllu" or (found and found.name == "conllu"):
        reader = ConlluReader(Assembler(rules), keep=args.on_error == "keep")
        frames = reader.frames_of(source)
        for frame, sentence in reader.pairs(frames, source.path, args.on_error, report):
            of_morphemes.add(sentence, partial(reader.line_of, frame))
        out.write(clean(of_morphemes.table(), "\n\t"))
        return []
    layout = layout_in(args, source)
    tags = None if args.tagset is None else tag_set(args.tagset, rules)
    check = CorpusCheck(rules, report, source.path, layout, tags)
    if args.morphemes is None and not layout.has_morphemes:
        reading = BlockReading(layout, report, args.on_error, source.path)
        for one in corpus_sentences(reading, source.chunks()):
            check.add(one.block, one.value, one.sent_id)
        more = None
    else:
        forward = make_forward(args, layout, source.path, report)
        forward.seen = lambda one: check.add(one.block, one.value, one.sent_id)
        for sentence in forward.sentences(source.chunks(), given_sentences(args, report)):
            of_morphemes.add(sentence, lambda _: forward.line)
        more = of_morphemes.counts()
    check.end()
    out.write(clean(check.table(more), "\n\t"))
    return []


_ACTIONS = {
    **dict.fromkeys((*_FORWARD, _MERGE), _forward),
    **dict.fromkeys(_BACKWARD, _backward),
    _CRF: _crf,
    _CHECK: _check,
}
