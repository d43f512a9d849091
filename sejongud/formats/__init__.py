"""The register of all file formats, one class each, and the recognition of a file's format.

A reader parses the blocks of a file (`sejongud.formats.base`); a writer turns a sentence
into text. A corpus of named entities is read and written by one class of its own
(`sejongud.formats.labelled`), and so are a corpus of frames and a file of corrections
(`sejongud.formats.corrections`). The classes are imported when they are first asked for.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sejongud.errors import Note, UsageError
from sejongud.files import file_ending
from sejongud.memo import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sejongud.formats.base import Reader
    from sejongud.formats.corrections import CorrectionsFormat
    from sejongud.formats.framenet import FrameNet
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence
    from sejongud.rules import Rules


PLAIN_ENDING = ".txt"
"""The ending that tells no format."""


class Splitting(NamedTuple):
    """How to cut a file into ranges that can be read apart."""

    cut: re.Pattern[bytes]
    """Behind a match a sentence has ended, and the next one begins no paragraph yet."""
    before: str
    """A sentence to read before a range, lest its first sentence be read as the file's first."""
    odd: tuple[re.Pattern[bytes], ...] = ()
    """Anything that may name sentences, or that only a whole file tells."""


class Format(NamedTuple):
    """The classes of a format, as `module:Class` in `sejongud.formats`; "" where there is none.

    A whole reader, of a format with a word and the tag of the whole word on each line:

    >>> from sejongud.errors import FormatError
    >>> from sejongud.formats.base import Reader, identified, text_blocks
    >>> from sejongud.model import Sentence
    >>> from sejongud.morphology.eojeol import Assembler
    >>> from sejongud.rules import load
    >>> class WordReader(Reader):
    ...     @classmethod
    ...     def sniff(cls, head):
    ...         return "" if head.partition("\\n")[0].count("\\t") == 1 else None
    ...     def blocks(self, chunks):
    ...         return identified(text_blocks(chunks), lambda text: "")
    ...     def parse(self, block):
    ...         rows = zip(self.lines(block), block.text.split("\\n"))
    ...         eojeols = tuple([self._eojeol(line, *row.split("\\t")) for line, row in rows])
    ...         return Sentence(eojeols, block.sent_id, number=block.number)
    ...     def lines(self, block):
    ...         return range(block.line, block.line + block.text.count("\\n") + 1)
    ...     def _eojeol(self, line, form, tag):
    ...         try:
    ...             morpheme = self.assembler.analysis.morpheme(form, tag, form)
    ...             return self.assembler.eojeol(form, (morpheme,))
    ...         except FormatError as error:
    ...             return self.kept(error, form, line=line)
    >>> reader = WordReader(Assembler(load()), keep=True)
    >>> [sentence] = map(reader.parse, reader.blocks(["봄\\tNNG\\n", "또\\t\\n"]))
    >>> [(eojeol.form, eojeol.morphemes[0].tag) for eojeol in sentence.eojeols]
    [('봄', 'NNG'), ('또', 'NA')]
    """

    reader: str = ""
    writer: str = ""
    entities: str = ""
    """The class that reads and writes a corpus of named entities."""
    frames: str = ""
    """The class that reads and writes a corpus of frames."""
    corrections: str = ""
    """The class that reads sources with their targets or edits, and may write them."""
    ends: str = "blank line"
    """The end of a sentence: a blank line, a line or other. A file with another end than a blank
    line is not compared with the output of its own writer (`NAME file` of
    `sejongud.validation.trips`)."""
    endings: tuple[str, ...] = (PLAIN_ENDING,)
    """The endings of the names of its files; files in a folder of outputs get the first. An output
    has the format of its ending (`output_format`). An input is recognised by its text alone."""
    splitting: Splitting | None = None
    """How a file is cut into ranges; None if it is read as a whole."""
    analysed: bool = False
    """Whether the lines of a file are Sejong text, which has no tokens."""
    numbered: bool = False
    """Whether a sentence is written without its id where that is only its number: skipped sentences
    shift the numbers, so that one process alone writes the file where some may be skipped."""
    levelled: bool = False
    """Whether the writer is made with a `Granularity`."""
    hint: str = ""
    """A pattern that the beginning of every file of the format has; "" where nothing is sure."""


RAW_COLUMNS = (
    *("text", "sentence", "document", "content", "review", "form", "comment", "comments"),
    *("utterance", "문장", "본문", "내용", "텍스트", "원문", "글", "댓글", "리뷰"),
)
"""The usual names of a column of raw text, by which CSV is known."""

_SPLITTINGS = {
    "sejong": Splitting(
        lazy_pattern(rb"\n\n+(?=[^\n])"),
        "_\t_\n\n",
        (
            lazy_pattern(rb"\n#[^\t\n]*\n"),
            lazy_pattern(rb"\t[^\t\n]*\t"),
            lazy_pattern(rb"\n[ \t]+\n"),
        ),
    ),
    "sejong-line": Splitting(lazy_pattern(rb"\n"), "_\n"),
    "text": Splitting(lazy_pattern(rb"[!-~]\n"), "_\n"),
}


def _formats() -> Iterator[tuple[str, Format]]:
    """Yield the formats of `formats.tsv`, which explains its columns."""
    text = Path(__file__).with_name("formats.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n") if line and line[0] != "#"]
    for name, *classes, ends, endings, properties, hint in rows[1:]:
        flags = [flag in properties for flag in ("analysed", "numbered", "levelled")]
        hint = hint.replace("RAW_COLUMNS", "|".join(RAW_COLUMNS))
        splitting = _SPLITTINGS.get(name)
        yield name, Format._make((*classes, ends, tuple(endings.split()), splitting, *flags, hint))


FORMATS = dict(_formats())
"""All formats by name, in the order in which a file is compared with them."""

OTHER_ENDINGS = {
    "docbin": (".spacy",),
    "csv": (".csv",),
    "json": (".json",),
    "markdown": (".md",),
    "latex": (".tex",),
    "html": (".html", ".htm"),
    "toml": (".toml",),
    "parquet": (".parquet",),
    "xlsx": (".xlsx",),
    "xls": (".xls",),
    "svg": (".svg",),
    "png": (".png",),
    "picture": (".png", ".svg", ".pdf", ".jpg"),
}
"""The endings of outputs that are no text of a corpus: tables, pages, pictures. Some of them no
command writes: they are here to be refused."""

READERS = tuple([name for name in FORMATS if name != "parallel"])
"""The names of the formats that are read as sentences; Kiwi analyses what has no morphemes. A text
in parallel files is several files."""

WRITERS = tuple([name for name, kind in FORMATS.items() if kind.writer])
"""The names of the formats that are written."""

ALIASES = {"klue": "klue-ner", "modu": "modu-ne", "conll": "columns", "hf": "hf-jsonl"}
"""Other names of formats of entities, where no format of the name itself comes into question."""

ANALYSED = tuple([name for name, kind in FORMATS.items() if kind.analysed])
"""The names of the formats of Sejong text."""

RAW = ("text", "records")
"""The names of the formats of raw text, which Kiwi analyses."""

TREES = ("treebank", "penn-korean", "brackets", "sinica")
"""The names of the formats whose sentences have constituents."""

OF_MORPHEMES = tuple([name for name in WRITERS if name not in (*TREES, "klue-dp")])
"""The names of the formats that are written of morphemes alone, without constituents and heads."""

ABREAST = ("tokens", "naver")
"""The names of the formats whose lines may be divided among files: words, and their tags or ids."""

ENTITY_FORMATS = tuple([name for name, kind in FORMATS.items() if kind.entities])
"""The names of the formats of corpora of named entities."""

FRAME_FORMATS = tuple([name for name, kind in FORMATS.items() if kind.frames])
"""The names of the formats of corpora of frames."""

CORRECTION_FORMATS = tuple([name for name, kind in FORMATS.items() if kind.corrections])
"""The names of the formats of sources with their corrections."""


class Writer(Protocol):
    """The methods of all writers; one is made without arguments, but for those of `Conversion`."""

    def sentence(self, sentence: Sentence) -> str:
        """Return the text of a sentence, with what ends it.

        The texts of processes and of files are put one behind the other. A writer that brings the
        last sentence of a file back without its line end says in `parting` how a sentence ends
        before another one.
        """

    def loses(self, sentence: Sentence) -> Sequence[Note]:
        """Return an incident for each part of a sentence that the format cannot express."""


class Detection(NamedTuple):
    """The format of a file."""

    name: str
    settings: str = ""
    """Of a corpus of entities: how the file spells its labels, and the like."""

    @property
    def is_entities(self) -> bool:
        """Whether the file is a corpus of named entities."""
        return self.name in ENTITY_FORMATS

    @property
    def is_frames(self) -> bool:
        """Whether the file is a corpus of frames."""
        return self.name in FRAME_FORMATS

    @property
    def is_corrections(self) -> bool:
        """Whether the file has corrections, and no sentences with morphemes."""
        return self.name in CORRECTION_FORMATS and not FORMATS[self.name].reader

    @property
    def has_morphemes(self) -> bool:
        """Whether the file itself has morphemes, rather than that Kiwi makes them."""
        others = self.is_entities or self.is_frames or self.is_corrections
        return not others and self.name not in RAW

    def __str__(self) -> str:
        return f"{self.name} {self.settings}".rstrip()

    def beside(self, path: str) -> Detection:
        """Return the format with the settings that the files beside a file tell.

        Args:
            path: of the file.
        """
        if self.settings or not self.is_entities:
            return self
        of: type[LabelFormat] = _class(FORMATS[self.name].entities)
        return self._replace(settings=of.settings_beside(path))

    @property
    def spec(self) -> str:
        """The format as `NAME:SETTINGS`."""
        return f"{self.name}:{self.settings}" if self.settings else self.name


def endings_of(name: str) -> tuple[str, ...]:
    """Return the endings of the names of files in a format; the first one names new files.

    Args:
        name: of a format or of `OTHER_ENDINGS`, with its settings or without.

    >>> endings_of("naver:PER-B"), endings_of("modu"), endings_of("csv")
    (('.txt', '.tsv'), ('.json',), ('.csv',))
    """
    name = name.partition(":")[0]
    name = ALIASES.get(name, name)
    return FORMATS[name].endings if name in FORMATS else OTHER_ENDINGS.get(name, ())


def output_format(
    path: str, names: Collection[str], said: str | None = None, usual: str | None = None
) -> str | None:
    """Return the format of a file that is written: the named one, or the one of its ending.

    Args:
        path: the name of the file; the ending of a compressed file does not count.
        names: the formats that can be written.
        said: the format that the user names; it may have any ending.
        usual: the format of a file whose name tells none, and of an ending that it shares.

    Returns:
        The format; None if the user names none, none is usual, and the name tells none or several.

    Raises:
        UsageError: no format with this ending can be written, or several and not the usual one.

    >>> output_format("a.jsonl.gz", WRITERS), output_format("a.txt", WRITERS, usual="conllu")
    ('jsonl', 'conllu')
    >>> output_format("a.csv", ("jsonl", "m2"))
    Traceback (most recent call last):
    sejongud.errors.UsageError: a.csv: .csv cannot be written here; write .jsonl, .ndjson, .m2
    """
    ending = file_ending(path)
    if said is not None or ending == PLAIN_ENDING or ending not in _all_endings():
        return said or usual
    fitting = [name for name in names if ending in endings_of(name)]
    if usual in fitting or (len(fitting) > 1 and usual is None):
        return usual
    if len(fitting) > 1:
        formats = ", ".join(fitting)
        raise UsageError(f"{path}: {ending} can be any of {formats}: name the format with --to")
    if fitting:
        return fitting[0]
    endings = dict.fromkeys(chain.from_iterable(map(endings_of, names)))
    endings.pop(PLAIN_ENDING, None)
    shown = ", ".join([*endings, *([f"or {PLAIN_ENDING} for {usual}"] if usual else [])])
    raise UsageError(f"{path}: {ending} cannot be written here; write {shown.removeprefix('or ')}")


@cache
def _all_endings() -> frozenset[str]:
    """Return every ending that belongs to a format."""
    known = chain.from_iterable([kind.endings for kind in FORMATS.values()])
    return frozenset(known).union(*OTHER_ENDINGS.values())


def reader_class(name: str) -> type[Reader]:
    """Return the class that reads a format.

    Raises:
        UsageError: no format of this name can be read.
    """
    found: type[Reader] = _class(_kind(name, READERS).reader)
    return found


def writer_class(name: str) -> type[Writer]:
    """Return the class that writes a format.

    Raises:
        UsageError: no format of this name can be written.
    """
    found: type[Writer] = _class(_kind(name, WRITERS).writer)
    return found


def label_format(
    name: str, settings: str = "", rules: Rules | None = None, path: str = ""
) -> LabelFormat:
    """Return the reader and writer of a corpus of named entities.

    Args:
        name: one of `ENTITY_FORMATS` or `ALIASES`.
        settings: see `LabelFormat`; "" for the usual ones.
        rules: the tables, for a format that writes UPOS; None for the package's own.
        path: of the file that is read, beside which another file may stand that belongs to it.

    Raises:
        UsageError: there is no such format, or it has no such settings.

    >>> str(label_format("klue", "plain"))
    'klue-ner plain'
    """
    of: type[LabelFormat] = _class(_kind(_known(name, ENTITY_FORMATS), ENTITY_FORMATS).entities)
    found = of(settings or of.settings_beside(path))
    found.rules = rules
    return found


def frame_format(name: str, settings: str = "") -> FrameNet:
    """Return the reader and writer of a corpus of frames.

    Args:
        name: one of `FRAME_FORMATS`.
        settings: see `FrameNet`; "" for the usual ones.

    Raises:
        UsageError: there is no such format, or it has no such settings.
    """
    found: FrameNet = _class(_kind(name, FRAME_FORMATS).frames)(settings)
    return found


def corrections_format(
    name: str, settings: str = "", rules: Rules | None = None
) -> CorrectionsFormat:
    """Return the reader and writer of a file of corrections.

    Args:
        name: one of `CORRECTION_FORMATS`.
        settings: see the class of the format; "" for the usual ones.
        rules: the tables; None for the package's own.

    Raises:
        UsageError: there is no such format, or it has no such settings.
    """
    kind = _class(_kind(name, CORRECTION_FORMATS).corrections)
    found: CorrectionsFormat = kind(settings, rules)
    return found


def sniff(head: str, names: Collection[str] = FORMATS) -> Detection | None:
    """Return the first format that a text looks like, None if it looks like none of them.

    Args:
        head: the beginning of the file, some lines at least.
        names: the formats that come into question.

    >>> sniff("프랑스의\\t프랑스/NNP+의/JKG\\n"), sniff("1\\t한강의\\tLOC_B\\n")
    (Detection(name='sejong', settings=''), Detection(name='naver', settings='rows PER_B'))
    """
    for name in names:
        kind = FORMATS[name]
        if not re.search(kind.hint, head, re.MULTILINE):
            continue
        of = _class(kind.reader or kind.entities or kind.frames or kind.corrections)
        settings = of.sniff(head)
        if settings is not None:
            return Detection(name, settings)
    return None


def recognise(said: str | None, head: str, names: Collection[str] = FORMATS) -> Detection:
    """Return the format of a file: the one that the user names, or the one that it looks like.

    Args:
        said: the name of a format, for a corpus of entities also `NAME:SETTINGS`; None to look.
            `sejong` is the corpus as distributed if the file looks like that.
        head: the beginning of the file, some lines at least.
        names: the formats that come into question.

    Raises:
        UsageError: there is no such format, it has no such settings, or the file looks like none.

    >>> str(recognise("naver", "1\\t나는\\tPER-B\\n")), str(recognise("naver:lines", ""))
    ('naver rows PER-B', 'naver lines PER-B')
    """
    if said is None:
        found = sniff(head, names)
        if found is None:
            raise UsageError(f"the format is not recognised; name it: {', '.join(names)}")
        return found
    name, colon, settings = said.partition(":")
    name = _known(name, names)
    settled = (*ENTITY_FORMATS, *FRAME_FORMATS, *CORRECTION_FORMATS)
    kind = _kind(name if name in settled else said, names)
    if name in settled and not kind.reader:
        looks_like = None if colon else sniff(head, (name,))
        of = label_format if kind.entities else frame_format if kind.frames else corrections_format
        return looks_like or Detection(name, of(name, settings).settings or settings)
    from sejongud.formats.corpus import looks_like_corpus

    return Detection("corpus" if name == "sejong" and looks_like_corpus(head) else name)


def check_output(said: str) -> None:
    """Check the name of a format that `convert` writes.

    Raises:
        UsageError: there is none, or entities have their own commands to write it.

    >>> check_output("klue-ner")
    Traceback (most recent call last):
    sejongud.errors.UsageError: klue-ner is a format of named entities: write it with \
`sejongud ner convert IN OUT --to klue-ner`
    """
    if said not in WRITERS and _known(said.partition(":")[0], ENTITY_FORMATS) in ENTITY_FORMATS:
        raise UsageError(
            f"{said} is a format of named entities: write it with"
            f" `sejongud ner convert IN OUT --to {said}`"
        )
    _kind(said, WRITERS)


def resolve(said: str | None, head: str, path: str = "", rules: str | None = None) -> str:
    """Return the format of a file that is read as sentences, as `NAME:SETTINGS`; see `recognise`.

    Args:
        said: the format that the user names, if any.
        head: the beginning of the file.
        path: of the file, beside which another file may stand that belongs to it.
        rules: the user's tables.

    Raises:
        UsageError: as `recognise`; or the file has tokens of an unknown unit, or is a table.
    """
    found = recognise(said, head, FORMATS if said is None else READERS)
    if found.is_entities and said is None:
        from sejongud.rules import load

        expect_known_unit(found, head, path, load(rules))
    if found.name == "text" and said is None:
        from sejongud.formats.base import expect_no_table

        expect_no_table(head, path)
    return found.beside(path).spec


def expect_known_unit(detection: Detection, head: str, path: str, rules: Rules) -> None:
    """Check that a corpus whose format was detected has no tokens of another unit.

    Args:
        detection: the format; whoever names it knows the unit.
        head: the beginning of the file.
        path: of the file, for the message.
        rules: the tables.

    Raises:
        UsageError: the tokens are morphemes, word pieces, or characters without spaces.
    """
    layout = label_format(*detection) if detection.is_entities else None
    if layout is None or layout.unit != "eojeol":
        return
    from sejongud.formats.schemes import other_unit

    if unit := other_unit(layout, head, rules):
        name = f"{detection.name}:{detection.settings}"
        raise UsageError(
            f"{path}: the tokens of this file are {unit}; eojeols or characters are expected. Join"
            " the tokens to eojeols, or, if they are eojeols all the same, name the format:"
            f" '{name}'. Columns that `sejongud ner crf` has written come"
            " back with its --labels"
        )


def _kind(name: str, names: Collection[str]) -> Format:
    if name not in names:
        if name in CORRECTION_FORMATS:
            raise UsageError(
                f"{name} is a format of corrections: the actions of `sejongud gec` read it"
            )
        raise UsageError(no_format(name, names, is_read=names != WRITERS))
    return FORMATS[name]


def no_format(name: str, names: Collection[str], *, is_read: bool) -> str:
    """Return the message that a format is none of those that can be read, or written."""
    if _known(name, FORMATS) in FORMATS or name in OTHER_ENDINGS:
        done, do = ("read", "read") if is_read else ("written", "write")
        return f"{name} cannot be {done} here; {do} {', '.join(names)}"
    return f"there is no format {name}: {', '.join(names)}"


def _known(name: str, names: Collection[str]) -> str:
    """Return the name of a format, or the name that an alias stands for."""
    return name if name in names else ALIASES.get(name, name)


@cache
def _class(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(f"{__name__}.{module}"), attribute)
