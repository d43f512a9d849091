"""Entities from any format to any other, through morphemes: the two ends of the way.

    IN → CorpusReader, or a reader of CoNLL-U → Sentence → CorpusWriter, or that of CoNLL-U → OUT

`format_in` finds the format of IN, and `OutputTarget` writes OUT with the files that belong to it:
the text beside the annotations of brat, and the dataset card of rows for Hugging Face.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sejongud.converters import restoring
from sejongud.converters.entities_back import CorpusWriter
from sejongud.errors import FormatError, Note, UsageError
from sejongud.evaluation.inputs import TextSource
from sejongud.files import COMPRESSED, Source, atomic_binary, atomic_output
from sejongud.files.layout import PLAIN, Layout
from sejongud.formats import (
    ENTITY_FORMATS,
    FORMATS,
    Detection,
    endings_of,
    label_format,
    recognise,
    sniff,
)
from sejongud.formats.exports import EXPORTS, HF_TOKENS, SPANS, as_konne, exporter
from sejongud.formats.json_documents import read_docbin, written_docbin
from sejongud.formats.json_entities import HfJsonl
from sejongud.formats.json_entities import card as card_of
from sejongud.layers.labels import OUTSIDE, flat_labels, not_written, split_label

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from contextlib import ExitStack
    from typing import TextIO

    from sejongud.converters.recut import CutWriter
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence
    from sejongud.rules import Rules

_CONLLU, DOCBIN, _BRAT, _HF = "conllu", "docbin", "brat", "hf-jsonl"
_OFFSET = "ner_offset = "
_WITH_MORPHEMES = (_CONLLU, "jsonl")
READ = tuple([name for name in FORMATS if name in (*ENTITY_FORMATS, *_WITH_MORPHEMES)])
"""The formats that are read, in the order in which a file is compared with them."""
_BY_WAY_OF = {DOCBIN: "spacy-json", **dict.fromkeys(EXPORTS, "konne")}
"""The formats that are made of another one, which a sentence is written in first."""
WRITTEN = (_CONLLU, DOCBIN, *EXPORTS, *ENTITY_FORMATS)
"""The formats that are written."""


def binary_in(said: str | None, path: str) -> Source | None:
    """Return a DocBin as the JSON of spaCy, word pieces as konne; None for any other format.

    Args:
        said: the format that the user names, if any.
        path: of the file.

    Raises:
        UsageError: spaCy is not installed.
        FormatError: the file cannot be read.
        OSError: likewise.
    """
    if said == HF_TOKENS:
        with Source(path) as source:
            return TextSource("".join(as_konne(source.lines(), path)), path)
    if said != DOCBIN and Path(path).suffix.lower() not in endings_of(DOCBIN):
        return None
    return TextSource(read_docbin(Path(path)), path)


def format_in(said: str | None, source: Source, names: Collection[str] = READ) -> Detection:
    """Return the format of IN.

    Args:
        said: the format that the user names; None for the one that the file looks like.
        source: the file.
        names: the formats that come into question.

    Raises:
        UsageError: there is no such format, or the file looks like none.
        FormatError: the file is empty.
    """
    head = source.head()
    if not head.strip():
        raise FormatError("there is no sentence in the file", path=source.path, code="E107")
    if said is not None and said not in (DOCBIN, HF_TOKENS):
        return recognise(said, head, names)
    found = sniff(head, names)
    if found is None:
        raise UsageError(
            f"{source.path} looks like no entity corpus: name its format with --from:"
            f" {', '.join(names)}"
        )
    return found


@dataclass
class OutputTarget:
    """Writes sentences with entities in a format, and the files that belong to it.

    Args:
        path: of OUT; `-` is standard output.
        said: the format as `NAME:SETTINGS`.
        writer: of CoNLL-U, for the format conllu.
        rules: the tables.
        mend: whether to mend ill-formed labels as conlleval reads them.
        card: the path of the dataset card; "" for none.
        tokenizer: the path of the tokenizer of hf-tokens, if any.

    Raises:
        UsageError: there is no such format, or its files cannot be where the user wants them.
    """

    path: str
    said: str | None
    writer: CutWriter
    rules: Rules
    _: KW_ONLY
    mend: bool = False
    card: str = ""
    tokenizer: str | None = None

    def __post_init__(self) -> None:
        if self.said is None:
            raise UsageError("name the format of OUT with --to; docs/entities.md lists the formats")
        self._labels: set[str] = set()
        self._unread: list[str] = []
        self._name, _, settings = self.said.partition(":")
        self._layout: LabelFormat | None = None
        # Whoever says how the JSON of spans is written wants that, and no lines made of konne's.
        self._exports = self._name in EXPORTS and not (settings and self._name in ENTITY_FORMATS)
        if self._name != _CONLLU:
            is_made = self._exports or self._name == DOCBIN
            written = _BY_WAY_OF[self._name] if is_made else self._name
            self._layout = label_format(written, settings, self.rules)
            self._name = self._name if self._name in _BY_WAY_OF else self._layout.name
        if self._exports:
            self._export = exporter(self._name, self.tokenizer)
        if self._name == DOCBIN and self.path == "-":
            raise UsageError("a DocBin is no text: name the file to write")
        if self._name == DOCBIN and Path(self.path).suffix.lower() in COMPRESSED:
            raise UsageError(f"{self.path}: a DocBin is compressed by itself: name it OUT.spacy")
        if self.tokenizer and self._name != HF_TOKENS:
            raise UsageError("--tokenizer is for the word pieces of a model: --to hf-tokens")
        if self.card and self._name != _HF:
            raise UsageError("--card is for the rows of Hugging Face: --to hf-jsonl:…")
        self._corpus = CorpusWriter(self._layout, "", mend=self.mend, rules=self.rules)
        has_text = self._name == _BRAT and self.path != "-"
        self.more = [str(Path(self.path).with_suffix(".txt"))] if has_text else []
        """The paths of the files beside OUT that no option names: brat's text."""

    @property
    def has_comments(self) -> bool:
        """Whether sentences have comments in OUT: whether it is CoNLL-U."""
        return self._layout is None

    @property
    def is_whole(self) -> bool:
        """Whether two files like OUT, one behind the other, are none of its format."""
        return self._layout is not None and (self._name == DOCBIN or self._layout.is_whole)

    def layout_of(self, source: Source, found: Detection) -> Layout:
        """Return the layout of OUT: that of the corpus if OUT is in its format, else the plain one.

        Args:
            source: of IN, the corpus itself or CoNLL-U that was made from it.
            found: the format of IN.
        """
        if found.is_entities:
            return source.layout if found.name == self._name else PLAIN
        head = source.head()
        same = restoring.format_of(head).partition(" ")[0] == self._name
        return Layout.from_comment(head, restoring.FILE) if same else PLAIN

    @property
    def preamble(self) -> str:
        """The text before the first sentence."""
        return self.writer.preamble if self._layout is None else ""

    @property
    def parting(self) -> str:
        """The end of a sentence that another one follows; "" if every one has it."""
        return "" if self._layout is None or self._exports else self._corpus.parting

    def open(self, stack: ExitStack, layout: Layout = PLAIN) -> TextIO:
        """Open the files, and return OUT.

        Args:
            stack: closes them, whose texts then appear under their names.
            layout: of OUT.

        Raises:
            OSError: a file cannot be written.
        """
        out: TextIO = StringIO()
        if self._name == DOCBIN:
            self._raw = stack.enter_context(atomic_binary(self.path))
        else:
            out = stack.enter_context(atomic_output(self.path, layout))
        self._whole = out
        self._text, self._card = [
            stack.enter_context(atomic_output(path)) if path else None
            for path in ("".join(self.more), self.card)
        ]
        return out

    def sentence(self, sentence: Sentence) -> str:
        """Return the text of a sentence in OUT, and write it into the other files."""
        if self._layout is None:
            return self.writer.sentence(sentence)
        if self._exports and self._name == SPANS and _is_of_spans(sentence):
            # Lines of konne have no place for the further members of its entities.
            self._exports, self._layout = False, label_format(SPANS, "", self.rules)
            self._corpus = CorpusWriter(self._layout, "", mend=self.mend, rules=self.rules)
        if self._name == _BRAT and any([one.startswith(_OFFSET) for one in sentence.comments]):
            # The offsets are those of another text.
            said, comments = restoring.split_comments(sentence.comments)
            count = [f"{key} = {said[key]}" for key in (restoring.UNWRITTEN,) if key in said]
            sentence.comments = (*restoring.without_own(comments), *count)
        if self._card is not None and sentence.entities:
            self._labels.update(flat_labels(sentence.eojeols, sentence.entities[0]))
        written = self._corpus.sentence(sentence)
        if self._exports:
            # Blank lines and records without a text stand beside a sentence.
            lines = [line for line in written.split("\n") if line.strip()]
            exported = list(map(self._export, lines))
            unread = [line for line, text in zip(lines, exported, strict=True) if not text]
            self._unread = restoring.unplaced("\n".join(unread))
            return "".join(exported)
        if self._text is not None:
            self._text.write(f"{sentence.text_orig or sentence.text}\n")
        return written

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of what was not written of the sentence that was added last."""
        notes = (self.writer if self._layout is None else self._corpus).loses(sentence)
        return [*notes, *not_written(self._unread)]

    def end(self) -> str:
        """Return what follows the last sentence in OUT, and write the other files to their end."""
        end = self._corpus.end()
        if self._name == DOCBIN:
            self._raw.write(written_docbin(cast("StringIO", self._whole).getvalue() + end))
        if self._card is not None:
            layout = cast("HfJsonl", self._layout)
            names = layout.names or _complete(self._labels)
            self._card.write(card_of(Path(self.path).name, names, morphemes=layout.has_morphemes))
        return end

    def summary(self, codes: Mapping[str, int]) -> list[str]:
        """Return what was written, in lines."""
        if self._layout is None:
            return []
        written, *more = self._corpus.summary(codes)
        return [f"written: {written}", *more]


def _is_of_spans(sentence: Sentence) -> bool:
    """Test whether a sentence says that it was made of `spans`."""
    return any([one.startswith(f"{restoring.FORMAT} = {SPANS} ") for one in sentence.comments])


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
