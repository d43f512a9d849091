"""The two ends of `ner convert`: a corpus in any format, and a file in any other."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sejongud.commands import guard_files, open_input
from sejongud.converters import riders
from sejongud.converters.entities import Backward
from sejongud.converters.recut import Recut
from sejongud.errors import FormatError, UsageError
from sejongud.evaluation.inputs import TextSource
from sejongud.files import atomic_binary, atomic_output
from sejongud.formats import ENTITY_FORMATS, FORMATS, Recognised, label_format, recognise, sniff
from sejongud.formats.brat import Brat
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.docbin import ENDING, read_docbin, written_docbin
from sejongud.formats.entity_list import NESTED
from sejongud.formats.hf_morphemes import card
from sejongud.layers.labels import OUTSIDE, find_entities, flat_labels, split_label
from sejongud.levels.cut import Granularity
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import TextIO

    from sejongud.files import Source
    from sejongud.formats.json_entities import HfJsonl
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence

__all__ = ["Target", "add_formats", "format_in", "open_corpus", "open_target", "with_text"]

_CONLLU, _DOCBIN, _BRAT, _HF = "conllu", "docbin", "brat", "hf-jsonl"
_WITH_MORPHEMES = (_CONLLU, "jsonl")
_READ = tuple([name for name in FORMATS if name in (*ENTITY_FORMATS, *_WITH_MORPHEMES)])
"""The formats that are read, in the order in which a file is compared with them."""
_BY_ENDING = {".conllu": _CONLLU, ENDING: _DOCBIN, ".ann": _BRAT}
"""The endings of names of files that tell their format."""


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add --from, --to, --repair and --card."""
    parser.add_argument(
        "--from",
        dest="from_",
        metavar="NAME[:SETTINGS]",
        help=f"format of IN: {', '.join([*_READ, _DOCBIN])}; without it the format is detected",
    )
    parser.add_argument(
        "--to",
        metavar="NAME[:SETTINGS]",
        help="format of OUT, likewise, for example naver:PER-B; without it the ending of its name"
        f" tells it: {', '.join(_BY_ENDING)}. `ner formats` lists them with examples",
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="mend labels that go on without having begun, as conlleval reads them",
    )
    parser.add_argument(
        "--card",
        metavar="FILE",
        help="write the dataset card of OUT as well (hf-jsonl): with it in the folder of OUT,"
        " load_dataset(FOLDER) of Hugging Face makes ner_tags a ClassLabel with its names",
    )


def open_corpus(args: argparse.Namespace) -> Source:
    """Open IN; a DocBin is opened as the JSON of spaCy.

    Raises:
        UsageError: IN is a DocBin, and spaCy is not installed.
        FormatError: the DocBin cannot be read.
        OSError: IN cannot be read.
    """
    if args.from_ != _DOCBIN and Path(args.input).suffix != ENDING:
        return open_input(args)
    return TextSource(read_docbin(Path(args.input)), args.input)


def format_in(args: argparse.Namespace, source: Source) -> Recognised:
    """Return the format of IN, which the user names, or which the file looks like.

    Raises:
        UsageError: there is no such format, or the file looks like none.
        FormatError: the file is empty.
    """
    head = source.head()
    if args.from_ is not None and args.from_ != _DOCBIN:
        return recognise(args.from_, head, _READ)
    found = sniff(head, _READ)
    if found is None and not head.strip():
        raise FormatError("there is no sentence in the file", path=source.path, code="E107")
    if found is None:
        raise UsageError(
            f"{source.path} looks like no corpus with entities: name its format with --from:"
            f" {', '.join(_READ)}"
        )
    return found


def with_text(layout: LabelFormat, path: str) -> LabelFormat:
    """Return a format; that of brat with the text that stands beside the annotations.

    Args:
        layout: the format.
        path: of the file in this format.
    """
    if not isinstance(layout, Brat) or layout.path or path == "-":
        return layout
    beside = Path(path).with_suffix(".txt")
    return label_format(_BRAT, str(beside)) if beside.is_file() else layout


class Target:
    """Writes sentences in the format that the user names.

    Args:
        args: of the command.
        stack: closes the files, whose texts then appear under their names.

    Raises:
        UsageError: there is no such format, or its files cannot be where the user wants them.
        OSError: a file cannot be written.
    """

    def __init__(self, args: argparse.Namespace, stack: ExitStack) -> None:
        self._args = args
        self._rules = load(args.rules)
        self._inner = 0
        self._labels: set[str] = set()
        said = args.to or _BY_ENDING.get(Path(args.output).suffix)
        if said is None:
            raise UsageError("name the format of OUT with --to; `ner formats` lists the formats")
        name, _, settings = said.partition(":")
        if name == _DOCBIN and args.output == "-":
            raise UsageError("a DocBin is no text: name the file to write")
        self._layout: LabelFormat | None = None
        self._backward: Backward | None = None
        self._conllu: ConlluWriter | None = None
        self._binary: StringIO | None = None
        self._text: TextIO | None = None
        if name == _CONLLU:
            self._conllu = self._conllu_writer()
        else:
            spacy = name == _DOCBIN
            self._layout = label_format("spacy-json" if spacy else name, settings, self._rules)
            self._backward = Backward(self._layout, "", mend=args.repair, rules=self._rules)
        if args.card and not (self._layout and self._layout.name == _HF):
            raise UsageError("--card is for the rows of Hugging Face: --to hf-jsonl:…")
        more = [args.card] if args.card else []
        if name == _BRAT and args.output != "-":
            more.append(str(Path(args.output).with_suffix(".txt")))
        args.outputs = more
        guard_files(args)
        if name == _DOCBIN:
            self._binary = StringIO()
            self._raw = stack.enter_context(atomic_binary(args.output))
            self._write = self._binary.write
        else:
            self._write = stack.enter_context(atomic_output(args.output)).write
        if self._conllu is not None:
            self._write(self._conllu.preamble)
        if name == _BRAT and args.output != "-":
            self._text = stack.enter_context(atomic_output(more[-1]))
        self._card = stack.enter_context(atomic_output(args.card)) if args.card else None

    def _conllu_writer(self) -> ConlluWriter:
        args = self._args
        granularity = Granularity(self._rules, args.level, upos=args.upos, lemmas=args.lemmas)
        recut = Recut(granularity, retag=True, relemma=True)
        return ConlluWriter(recut, ne=args.ne, ne_layers=3)

    def add(self, sentence: Sentence) -> None:
        """Write a sentence."""
        if self._conllu is not None:
            self._write(self._conllu.sentence(sentence))
            return
        layout, backward = cast("LabelFormat", self._layout), cast("Backward", self._backward)
        if layout.name == _BRAT:
            # Its offsets are those of another text.
            _, comments = riders.split_comments(sentence.comments)
            sentence.comments = riders.without_own(comments)
        flat = [flat_labels(sentence.eojeols, layer) for layer in sentence.entities]
        if layout.name not in NESTED:
            self._inner += sum([len(find_entities(labels)) for labels in flat[1:]])
        if self._card is not None:
            self._labels.update(*flat[:1])
        self._write(backward.text(sentence))
        if self._text is not None:
            self._text.write(f"{sentence.text_orig or sentence.text}\n")

    def end(self) -> None:
        """Write what follows the last sentence."""
        if self._backward is not None:
            self._write(self._backward.end())
        if self._binary is not None:
            self._raw.write(written_docbin(self._binary.getvalue()))
        if self._card is not None:
            layout = cast("HfJsonl", self._layout)
            names = layout.names or _complete(self._labels)
            file = Path(self._args.output).name
            self._card.write(card(file, names, morphemes=layout.has_morphemes))

    def summary(self) -> list[str]:
        """Return what was written, in lines."""
        lines = self._backward.summary()[1:] if self._backward is not None else []
        if self._inner:
            lines.append(
                f"{self._inner:,} entities inside others were not written: this format has no room"
                f" for them, which {', '.join(sorted(NESTED))} have"
            )
        return lines


def _complete(labels: set[str]) -> list[str]:
    """Return the names of the tags: O, and B- and I- of each type even if a file lacks one.

    >>> _complete({"O", "B-PS", "I-LC"})
    ['O', 'B-LC', 'I-LC', 'B-PS', 'I-PS']
    """
    pairs = {split_label(label) for label in labels}
    prefixes = ["B", "I", *sorted({prefix for prefix, _ in pairs} & {"E", "S"})]
    types = sorted({of for _, of in pairs if of})
    bare = sorted({label for label in labels if not split_label(label)[1]} - {OUTSIDE})
    return [OUTSIDE, *bare, *[f"{prefix}-{of}" for of in types for prefix in prefixes]]


@contextmanager
def open_target(args: argparse.Namespace) -> Iterator[Target]:
    """Open OUT, and the files that belong to it.

    Raises:
        UsageError: there is no such format, or its files cannot be where the user wants them.
        OSError: a file cannot be written.
    """
    with ExitStack() as stack:
        yield Target(args, stack)
