"""Named entities: convert corpora of eojeols or syllables to CoNLL-U of morphemes, and back.

Entities that are marked on eojeols or characters are projected on morphemes, so that they exclude
particles (memoir, 3.2). The way back returns the corpus byte for byte. A format may have settings:
`--from naver:PER-B` (docs/entities.md).
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import tee
from typing import TYPE_CHECKING, cast

from sejongud.commands import (
    open_input,
    run_file,
)
from sejongud.commands.ner import agree, convert
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
_CONVERT = "convert"
_USUAL = {"eojeol": "naver", "syllable": "klue-ner"}
"""The format that is written if neither the user nor the file names one."""


def crf_writes(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the format that `crf` writes."""
    return ("conllu" if args.labels else "columns",)


def run(args: argparse.Namespace) -> int:
    """Convert, check or compare."""
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
        return _columns(pairs, granularity, args.label_scheme, source.path, out, report)
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
    found = sniff(source.head()) if args.from_ is None else None
    if args.from_ == "conllu" or (found and found.name == "conllu"):
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
