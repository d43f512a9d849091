r"""Sejong text: an eojeol a line, `form<TAB>analysis`, with or without the corpus id before it.

Sentences end at blank lines. A line that begins with `#` and has no tab is a comment; our own
writer puts the id and the comments of a sentence there. A comment with a tab in it is written
behind `#\` with its tabs as `\t` and its backslashes doubled. The text of a sentence (`# text = …`)
is the comment `sejong_text` in CoNLL-U, which has a line for the text already.
`sejongud.formats.corpus` reads the corpus as it was distributed, with its markup.

Comments of CoNLL-U bring the file back to the byte (`sejongud.formats.around`): `sejong_file` has
its encoding and line ends, `sejong_before` and `sejong_behind` empty lines that are not one behind
each sentence, and `sejong_source` the lines of a sentence with comments between its eojeols or in
an unusual order. Blanks on an empty line and an empty line behind comments are left out, and told
(W108).

The format sejong-line has a sentence a line, an eojeol as its analysis:

    나/NP+는/JX 가/VV+ㄴ다/EF+./SF

Such lines have no surface. Kiwi makes one when they are read, which the note I107 of every eojeol
reports. A space within a morpheme is written `\s`, a backslash `\\`; a plus that stands by
itself joins the pieces left and right of it. Plus signs and slashes are as in
`sejongud.morphology.eojeol`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.files import numbered_lines
from sejongud.formats.around import (
    OPENING,
    Gaps,
    RestoredReader,
    lost_above,
    opening_first,
    restore_comments,
    with_lines_around,
    without_around,
)
from sejongud.formats.base import (
    MAX_SENTENCE,
    SENT_ID,
    Block,
    Reader,
    SentIds,
    Units,
    data_rows,
    id_notes,
    is_analysed,
    numbered,
    text_blocks,
)
from sejongud.formats.conllu.plus import PLUS
from sejongud.formats.misc import all_lost_segments
from sejongud.layers.labels import layer_notes, not_written
from sejongud.memo import Memo, lazy_pattern, remembered, remembered_by
from sejongud.model import Eojeol, Morpheme, Sentence
from sejongud.morphology.eojeol import MADE, Assembler, unreadable_tags, unsure, write_analysis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


_NAME = "sejong"

_LONGEST = MAX_SENTENCE >> 4
"""The most characters of a sentence; its CoNLL-U is then short enough to be read again."""

_ESCAPED = "#\\ "
"""The beginning of a comment line with escaped tabs."""
_ESCAPE = lazy_pattern(r"\\([\\t])")

_MARKS = "|".join(map(re.escape, OPENING))
_USUAL_HEAD = lazy_pattern(
    rf"(?:{SENT_ID}[^\n\t]*\n)?(?:# (?:{_MARKS})[^\n\t]*\n)*"
    rf"(?:#\n|#(?:\\(?= .*\\t))? (?!sent_id = |text_orig = |{_MARKS})[^\n\t]+\n)*"
    r"(?:#(?:\\(?= .*\\t))? text_orig = [^\n\t]*\n)?(?!#[^\t])"
)
"""The comments above a sentence in the order in which they are written."""
_SINGLE = "sent_id", "text_orig"
_IDS = SENT_ID, "#sent_id = "

_DOCUMENT = "newdoc id = "
_OF_CONLLU = "text = ", PLUS
_OF_SEJONG = tuple([f"sejong_{key}" for key in _OF_CONLLU])
"""The beginnings of comments that would say something of CoNLL-U, in a file and in CoNLL-U."""

_CORPUS_ID = lazy_pattern(r"([0-9A-Z_]{4}\d{4})-\d{7,8}")


def document_of(corpus_id: str) -> str:
    """Return the document that an id of the corpus belongs to; "" for another kind of id.

    >>> document_of("BTAA0001-00000012")
    'BTAA0001'
    """
    match = _CORPUS_ID.fullmatch(corpus_id)
    return match[1] if match else ""


_CSV = lazy_pattern(r"[^/\s]+[,;|](?![/\s])")
"""A form, and the mark behind it."""


def _is_spaced(row: str) -> bool:
    """Test whether the tabs of a row have become spaces, or the marks of CSV.

    >>> _is_spaced("나는 나/NP + 는/JX"), _is_spaced("나/NP+는/JX 가/VV+ㄴ다/EF")
    (True, False)
    >>> _is_spaced("나는,나/NP+는/JX"), _is_spaced("하루,/NNG")
    (True, False)
    """
    if _CSV.match(row) and is_analysed(row.rstrip('"')):
        return True
    *columns, analysis = row.replace(" + ", "+").split() or [""]
    return len(columns) in (1, 2) and is_analysed(analysis) and not is_analysed(columns[-1])


class SejongReader(RestoredReader):
    """Read tab-separated Sejong text."""

    restored = _NAME
    _gap = 1
    """The number of empty lines behind a sentence."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if a row ends in an analysis, or if the first one has a tab.

        Rows whose tabs have become spaces or commas, below the names of columns or not, are known
        too: they are an error, and no raw text.

        >>> SejongReader.sniff("프랑스의\t프랑스/NNP+의/JKG\n")
        ''
        """
        rows = [row.rpartition("\t") for row in data_rows(head)]
        if any([tab and is_analysed(last) for _, tab, last in rows]):
            return ""
        if rows and rows[0][1]:
            return ""
        # The first of several rows may have the names of the columns.
        below = rows[1:] if len(rows) > 2 else rows
        return "" if len(rows) > 1 and all([_is_spaced(row) for _, _, row in below]) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks between blank lines; each tells unusual lines between them."""
        gaps = Gaps(self.restored, self._gap)
        last: Block | None = None
        try:
            for block in self._blocks(gaps.watched(chunks), gaps):
                if last is not None:
                    yield gaps.behind(last)
                last = block if last is not None else gaps.before(block)
        except FormatError:
            if last is not None:
                yield last
            raise
        if last is not None:
            yield gaps.behind(last, is_last=True)

    def _blocks(self, chunks: Iterable[str], gaps: Gaps) -> Iterator[Block]:
        """Yield the blocks between blank lines; `gaps` gets the first line of each."""
        ids = SentIds()
        document = ""
        carried: tuple[str, ...] = ()
        number = begin = 0
        for line, text in text_blocks(chunks, _LONGEST):
            begin = begin or line
            if text[0] == "#" and "\t" not in text and all(map(_is_comment, text.split("\n"))):
                # Comments that a blank line parts from their sentence, such as a file's header.
                carried += tuple([_comment(raw) for raw in text.split("\n")])
                continue
            number += 1
            comments, carried = carried, ()
            gaps.begin, begin = begin, 0
            explicit, corpus_id = _names(text)
            is_said = False
            if corpus_id and (begun := document_of(corpus_id)) not in ("", document):
                document = begun
                is_said = f"# {_DOCUMENT}{document}\n" in text
                if not is_said:
                    comments = (f"{_DOCUMENT}{document}", *comments)
            notes: tuple[tuple[int, str, str], ...] = ()
            if gaps.begin < line:
                message = "the empty line behind the comments is left out"
                notes = ((line - 1, "W108", message),)
            stated = explicit or corpus_id
            sent_id = ids.of(stated, number)
            notes += id_notes(stated, sent_id, text, line)
            if text[0] == "\t" or "\n\t" in text:
                notes += _empty_ids(text, line)
            if text.count("#") > text.startswith(SENT_ID):
                comments += _own_lines(text, self.restored, is_usual=not is_said)
            # A NamedTuple's own constructor takes twice as long.
            yield tuple.__new__(Block, (text, line, number, sent_id, comments, notes, "", None))
        if carried:
            message = "the file ends in comments that no sentence follows: move or delete them"
            raise FormatError(message, line=line, text=text.partition("\n")[0], code="E106")

    def units(self, block: Block) -> Units | None:
        """Return the parts of a block of two columns; None for any other."""
        parted = _parted(block)
        is_plain = block.item is None and block.text.count("\t") == len(parted[0]) > 0
        return parted if is_plain else None

    @property
    def unit(self) -> Callable[[str], Eojeol]:
        """The function that returns the eojeol of a line, not remembered."""
        return self.assembler.read

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block."""
        lines, text_orig, comments = _parted(block)
        ids, eojeols = self._eojeols(block, lines)
        if not eojeols:
            raise FormatError("a sentence without an eojeol", line=block.line, code="E106")
        return Sentence(
            tuple(eojeols),
            block.sent_id,
            tuple(ids) if any(ids) else (),
            comments,
            text_orig,
            block.number,
        )

    def _eojeols(self, block: Block, lines: list[str]) -> tuple[list[str], list[Eojeol]]:
        """Return the ids and the eojeols of lines; no ids if no line has one.

        Raises:
            FormatError: the fault of the first line that cannot be read, unless it is kept.
        """
        cache = self.assembler.by_line
        if block.text.count("\t") == len(lines):
            # A context manager would cost each sentence a tenth of its time.
            try:
                return [], [cache[line] for line in lines]
            except FormatError:
                pass
        ids = []
        eojeols = []
        for line in lines:
            corpus_id, rest = _split_id(line)
            try:
                eojeol = cache[rest]
            except FormatError as error:
                if error.column:
                    error.column += len(line) - len(rest)
                form = next((cell for cell in rest.split("\t") if cell.strip()), "")
                number = block.line + block.text.split("\n").index(line)
                eojeol = self.kept(error, form, line=number, text=line)
            ids.append(corpus_id)
            eojeols.append(eojeol)
        return ids, eojeols

    def lines(self, block: Block) -> list[int]:
        """Return the line numbers of the eojeols of a block."""
        lines = enumerate(block.text.split("\n"), block.line)
        return [number for number, line in lines if not _is_comment(line)]


def _parted(block: Block) -> Units:
    """Return the lines of the eojeols of a block, its original text and its comments."""
    lines = block.text.split("\n")
    comments, text_orig = block.comments, ""
    has_id = lines[0].startswith(SENT_ID) and "\t" not in lines[0]
    if block.text.count("#") == has_id:  # Nothing else can be a comment.
        return lines[has_id:], text_orig, comments
    count = block.text.count("\n#") + (block.text[0] == "#")
    above, own = lines[:count], lines[count:]
    if not all(map(_is_comment, above)):
        above = [line for line in lines if _is_comment(line)]
        own = [line for line in lines if not _is_comment(line)]
    for line in above:
        if line.startswith(_IDS):
            continue
        comment = _comment(line)
        if comment.startswith("text_orig = "):
            text_orig = comment.removeprefix("text_orig = ")
        else:
            comments += (comment,)
    return own, text_orig, comments


def _names(text: str) -> tuple[str, str]:
    """Return the id in the comments of a sentence, and the corpus id of its first eojeol."""
    explicit = ""
    head, _, rest = text.partition("\t")
    *comments, first = head.split("\n")
    if "#" in rest and "sent_id = " in rest:
        comments += [
            line for line in filter(_is_comment, rest.split("\n")) if line.startswith(_IDS)
        ]
    for comment in comments:
        if comment[:1] != "#":
            return explicit, ""
        if comment.startswith(_IDS):
            explicit = comment.partition("=")[2].strip()
    return explicit, first if rest.partition("\n")[0].count("\t") == 1 else ""


def _empty_ids(text: str, line: int) -> tuple[tuple[int, str, str], ...]:
    """Return the notes on empty ids, which the sentence does not keep."""
    rows = [(n, row) for n, row in enumerate(text.split("\n"), line) if row.startswith("\t")]
    message = "an empty id before the form is left out"
    return tuple([(n, "W109", message) for n, row in rows if row.count("\t") == 2])


def _own_lines(text: str, name: str, *, is_usual: bool) -> tuple[str, ...]:
    """Return the comment that keeps the lines of a sentence whose comments are unusual.

    Args:
        text: the lines.
        name: the format of the file.
        is_usual: whether each of its comments would be written.
    """
    head = _USUAL_HEAD.match(text) if is_usual else None
    if head and text.count("\n#", head.end()) == text.count("\n#\t", head.end()):
        lines = head[0].split("\n") if "#\\" in head[0] else []
        if list(map(_usual, lines)) == lines:
            return ()
    return restore_comments(name, "", f"{text}\n", "\n")


def _usual(line: str) -> str:
    """Return a line as it is written: a comment with a blank behind its `#`."""
    return _comment_line(_comment(line)) if _is_comment(line) else line


def _is_comment(line: str) -> bool:
    return line.startswith("#") and "\t" not in line


def _comment(line: str) -> str:
    r"""Return the text of a comment line.

    >>> _comment("# a note"), _comment(r"#\ a\tnote"), _comment(r"#\ no tab")
    ('a note', 'a\tnote', '\\ no tab')
    >>> _comment("# text = 봄 봄")
    'sejong_text = 봄 봄'
    """
    if line.startswith(_ESCAPED) and r"\t" in line:
        return _ESCAPE.sub(lambda m: "\t" if m[1] == "t" else m[1], line[len(_ESCAPED) :])
    comment = line[1:].removeprefix(" ")
    return f"sejong_{comment}" if comment.startswith(_OF_CONLLU) else comment


def _comment_line(comment: str) -> str:
    r"""Return the line of a comment, without its end.

    >>> _comment_line("a note"), _comment_line("a\tnote")
    ('# a note', '#\\ a\\tnote')
    """
    if "\t" in comment:
        # With a tab it would be the line of an eojeol.
        return _ESCAPED + comment.replace("\\", r"\\").replace("\t", r"\t")
    if comment.startswith(_OF_SEJONG):
        comment = comment.removeprefix("sejong_")
    return f"# {comment}" if comment else "#"


def _split_id(line: str) -> tuple[str, str]:
    """Split a line into its corpus id, "" if it has none, and the rest."""
    corpus_id, tab, rest = line.partition("\t")
    if tab and (rest.count("\t") == 1 or document_of(corpus_id)):
        return corpus_id, rest
    return "", line


class Losses:
    """Names the parts of sentences that their analyses do not bring back."""

    def __init__(self) -> None:
        self._of = Memo(_loss, size=48_000)

    def __call__(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of the layers and tags that would be lost."""
        lost = ["constituents"] if sentence.constituents else []
        losses_of = self._of
        losses = [loss for eojeol in sentence.eojeols if (loss := losses_of[eojeol])]
        if sentence.is_treebank:
            lost.append("UPOS, FEATS, HEAD, DEPREL, DEPS and MISC of the words")
        else:
            lost += [segments for _, segments in losses if segments]
        if tags := dict.fromkeys([tag for refused, _ in losses for tag in refused]):
            lost.append(f"tags that cannot be read again: {' '.join(tags)}")
        return [*layer_notes(sentence), *not_written(lost)]


def _loss(eojeol: Eojeol) -> tuple[tuple[str, ...], str] | None:
    """Return what the analysis of an eojeol does not bring back; None if it brings back all.

    These are the tags that a reader would refuse, and each MSeg with another number of morphemes
    than its word.
    """
    tags = unreadable_tags(eojeol.morphemes)
    clashes = all_lost_segments(eojeol)
    shown = [f"{lost}, which has not the morphemes of {word.xpos}" for word, lost in clashes]
    segments = "; ".join(shown)
    return (tags, segments) if tags or segments else None


class SejongWriter:
    """Write tab-separated Sejong text, with the corpus ids if there are any.

    Args:
        spaced: blanks around the plus, as in the written corpus.
    """

    parting = "\n\n"
    restored = _NAME
    """The name of the format, as of its reader."""

    def __init__(self, *, spaced: bool = False) -> None:
        self._lines: Memo[Eojeol, str] = Memo(
            lambda e: f"{e.form}\t{write_analysis(e.morphemes, spaced=spaced)}\n", size=48_000
        )
        self._losses = Losses()

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts that are not written, or could not be read again."""
        return self._losses(sentence)

    def sentence(self, sentence: Sentence) -> str:
        """Return the lines of a sentence, with the blank line behind it."""
        known = self._lines
        lines = [known[eojeol] for eojeol in sentence.eojeols]
        if sentence.ids:
            rows = zip(sentence.ids, sentence.eojeols, lines, strict=True)
            # A tab before a form that looks like an id tells that there is no id.
            lines = [f"{i}\t{line}" if i or document_of(e.form) else line for i, e, line in rows]
        text = f"{self._comments(sentence)}{''.join(lines)}"
        if not sentence.comments:
            return f"{text}\n"
        restored = partial(_restored, text, _implied(sentence))
        return with_lines_around(sentence.comments, self.restored, restored)

    def _comments(self, sentence: Sentence) -> str:
        """Return the comment lines of a sentence: its id, its comments and its original text."""
        first_id = sentence.ids[0] if sentence.ids else ""
        implied = _implied(sentence)
        own = without_around(sentence.comments, self.restored) if sentence.comments else ()
        comments = [comment for comment in opening_first(own) if comment != implied]
        if sentence.sent_id not in (first_id, str(sentence.number)):
            comments.insert(0, f"sent_id = {sentence.sent_id}")
        if sentence.text_orig:
            comments.append(f"text_orig = {sentence.text_orig}")
        return "".join([f"{_comment_line(comment)}\n" for comment in comments])


def _implied(sentence: Sentence) -> str:
    """Return the comment on a new document, which the reader finds by itself in corpus ids."""
    return f"{_DOCUMENT}{document_of(sentence.ids[0] if sentence.ids else '')}"


def _restored(text: str, implied: str, source: str | None) -> str:
    """Return the lines that a file had, if they still say the same, else these.

    Args:
        text: the lines as they are written.
        implied: the comment that says nothing.
        source: the lines of the file, None if they are not kept.
    """

    def told(lines: str) -> list[str | None]:
        comments: list[str] = []
        rows: list[str] = []
        for line in map(_usual, lines.split("\n")):
            (comments if _is_comment(line) else rows).append(line)
        # The last of several ids, or original texts, is that of the sentence.
        keys = [_comment(line).partition(" = ")[0] for line in comments]
        single = dict(zip(keys, comments, strict=True))
        others = [line for key, line in zip(keys, comments, strict=True) if key not in _SINGLE]
        others = sorted([line for line in others if _comment(line) != implied])
        return [*others, *map(single.get, _SINGLE), *rows]

    return source if source and told(source) == told(text) else text


# Blanks, except those beside a plus that stands by itself.
_BLANK = r"[ \t\u3000]"
_BORDER = lazy_pattern(rf"(?<=[^+ \t\u3000]){_BLANK}+(?!{_BLANK}|\+(?:{_BLANK}|$))")
_ESCAPED_SPACE = lazy_pattern(r"\\([\\s])")


class LineReader(Reader):
    """Read a sentence a line.

    Args:
        assembler: builds the eojeols.
        keep: whether an eojeol that cannot be read is kept as unknown instead of raising.
        noted: whether each eojeol has the note that its surface was made.
    """

    def __init__(self, assembler: Assembler, *, keep: bool = False, noted: bool = True) -> None:
        from sejongud.morphology.joining import KiwiJoiner

        super().__init__(assembler, keep=keep)
        self._notes = (MADE,) if noted else ()
        self._kiwi = KiwiJoiner(assembler.rules)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if the first line consists of analyses."""
        return "" if any(map(is_analysed, data_rows(head)[:1])) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the lines that are not blank."""
        return numbered(line for line in numbered_lines(chunks) if line[1].strip())

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a line.

        Raises:
            FormatError: an eojeol has a piece without a tag; with its column.
        """
        analyses = []
        unread: dict[int, Eojeol] = {}
        for column, piece in _split(block.text):
            try:
                analyses.append(self._analyses[piece])
            except FormatError as error:
                error.column += column
                eojeol = self.kept(error, piece, line=block.line, text=block.text)
                unread[len(analyses)] = eojeol
                analyses.append((eojeol.morphemes, ()))
        forms = self._kiwi.surfaces([morphemes for morphemes, _ in analyses])
        eojeols = [
            unread.get(i) or self._eojeols[form, morphemes, notes]
            for i, (form, (morphemes, notes)) in enumerate(zip(forms, analyses, strict=True))
        ]
        return Sentence(tuple(eojeols), block.sent_id, number=block.number)

    @remembered(48_000)
    def _analyses(self, text: str) -> tuple[tuple[Morpheme, ...], tuple[Note, ...]]:
        """Return the morphemes of an eojeol, and notes on repairs."""
        # As with a surface +: plus signs may be morphemes, parentheses mark elision.
        morphemes, notes = self.assembler.analysis.parse(text, "+")
        if "\\" in text:
            morphemes = tuple(
                [m._replace(form=_unescape(m.form), source=_unescape(m.source)) for m in morphemes]
            )
        return morphemes, notes

    @remembered_by(48_000)
    def _eojeols(
        self, form: str, morphemes: tuple[Morpheme, ...], notes: tuple[Note, ...]
    ) -> Eojeol:
        eojeol = self.assembler.eojeol(form, morphemes)
        doubts = unsure(self.assembler.rules, morphemes)
        return eojeol.but(notes=(*self._notes, *notes, *eojeol.notes, *doubts))


def _split(line: str) -> Iterator[tuple[int, str]]:
    """Yield the analyses of the eojeols of a line, each with its column from 0.

    >>> list(_split("나/NP + 는/JX +/SW"))
    [(0, '나/NP + 는/JX'), (12, '+/SW')]
    """
    start = len(line) - len(line.lstrip())
    line = line.rstrip()
    for border in _BORDER.finditer(line, start):
        yield start, line[start : border.start()]
        start = border.end()
    yield start, line[start:]


def _unescape(text: str) -> str:
    return _ESCAPED_SPACE.sub(lambda match: " " if match[1] == "s" else "\\", text)


class LineWriter:
    """Write a sentence a line.

    Only the morphemes, their tags and their senses are written; the surface is left out.
    """

    def __init__(self) -> None:
        self._losses = Losses()

    @remembered(48_000)
    def _analyses(self, eojeol: Eojeol) -> str:
        """Return the analysis of an eojeol, which no space divides."""
        return write_analysis(eojeol.morphemes).replace("\\", "\\\\").replace(" ", "\\s")

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts that are not written beyond the surface."""
        return [*self._losses(sentence), *lost_above(sentence)]

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence, with its end."""
        analyses = self._analyses
        return " ".join([analyses[eojeol] for eojeol in sentence.eojeols]) + "\n"
