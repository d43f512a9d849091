"""The Sejong corpus as it was distributed: eojeols with ids, between lines of markup.

    <p>                                                           written (BT, BS)
    BTXX0000-00000012 ⇥ 나섰다. ⇥ 나서/VV + 었/EP + 다/EF + ./SF
    </p>

    5CT_0000-0000020 ⇥ <s n="00001">                              spoken (CT)
    5CT_0000-0000040 ⇥ 타고 ⇥ 타/VV+고/EC

The markup looks like SGML and is not: text is not escaped, elements are left open, and `<` is an
eojeol like any other. So a file is read line by line. A line is markup if, without its id, it
begins with a tag, ends with `>` and has no second column; every other line is an eojeol (reference:
the readers of khaiii and of lovit's sejong_corpus_cleaner, the patches of coolengineer).

The elements `<p>`, `<head>`, `<l>` and `<s>` hold sentences. Everything else becomes a comment of
the next sentence: the header (`meta::title = …`, see `sejongud.formats.around`), metadata in the
text (`date = 1993/06/08`), the speaker (`speaker = P1`), an event behind the second eojeol
(`event = 2 <vocal desc="웃음"/>`) and its transcription (`transcription = 2 그::래`). An event of
another speaker names the speaker: `event = 0 P2: <vocal desc="웃음"/>`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.files import split_lines
from sejongud.formats.around import HeaderText
from sejongud.formats.base import MAX_SENTENCE, Block, SentIds, Units, id_notes
from sejongud.formats.sejong import SejongReader, document_of
from sejongud.levels.cut import SymbolRules
from sejongud.morphology.eojeol import LONGEST, Assembler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.model import Sentence

_SENTENCE = frozenset({"p", "head", "l", "s"})
_METADATA = frozenset({"source", "date", "page", "title", "author"})
# The elements that begin the text if there is neither header nor <text>.
_BEGINNING = _SENTENCE | {"source", "u"}
# These elements end every element that is still open.
_DIVISION = frozenset({"tei.2", "teiheader", "text", "group", "body", "front", "back"})
_STRUCTURE = _DIVISION | frozenset({"div", "lg", "poem", "stanza", "sp", "stage", "pb", "lb", "u"})
_NOT_SPOKEN = ("phon", "note")
"""Elements whose content describes the speech and is no part of it."""
_EVENTS = (
    *_NOT_SPOKEN, "trunc-iu", "trunc", "unclear", "pause", "laughing", "singing", "reading",
    "quotation", "applauding", "kinesics", "event", "vocal", "anchor", "latching", "gap", "speaker",
)  # fmt: skip


_ELEMENT = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z!][\w.-]*)(?P<attributes>[^<>]*)>")
_INLINE = re.compile(
    "|".join(
        [rf"<{name}\b[^<>]*>.*?</{name}>" for name in _NOT_SPOKEN]
        + [rf"</?(?:{'|'.join(_EVENTS)})(?:\s[^<>]*)?/?>"]
    ),
    re.IGNORECASE,
)
_NAME = re.compile(r"</?name(?:\s[^<>]*)?/?>", re.IGNORECASE)
_LENGTHENED = re.compile(r"(?<=[가-힣ㄱ-ㅣ])::+")
_DOCTYPE = re.compile(r"\ufeff?<!doctype", re.IGNORECASE)
_WHO = re.compile(r"""\bwho\s*=\s*(["']?)(?P<who>.*?)\1(?:\s+\w+\s*=|\s*$)""")
_FILE_NAME = re.compile(r"(\w+)(?:\.txt)?\b", re.IGNORECASE)
_LIKENESS = re.compile(
    r"^<!doctype\s+tei|^<teiheader|"
    r"^(?:[^\t\n]+\t)?</?(?:tei\.2|text|body|source|head|p|l|u|s)(?:\s[^<>\t\n]*)?>\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_TREE = re.compile(r"^;.*\n+\(", re.MULTILINE)
_ROW = re.compile(r"[^	<>]+	[^<>]*/[^<>]*")
"""An eojeol and its analysis, without markup."""
_FULL_STOP = "."


def looks_like_corpus(head: str) -> bool:
    r"""Return whether a text that begins so is the corpus as distributed.

    The treebank has the same header, but also trees.

    >>> looks_like_corpus("<p>\nBTXX0000-00000001\t책\t책/NNG\n"), looks_like_corpus("책\t책/NNG\n")
    (True, False)
    """
    return _LIKENESS.search(head) is not None and _TREE.search(head) is None


class SejongCorpusReader(SejongReader):
    """Read the corpus as distributed.

    Args:
        assembler: builds the eojeols.
        keep: whether an eojeol that cannot be read is kept as unknown instead of raising.
        metadata: whether `<source>`, `<date>`, `<page>`, `<title>` and `<author>` are read as
            sentences, marked `metadata = date`, rather than as comments of the next sentence.
        rejoin: whether sentences that were cut at a full stop inside an eojeol (4.6판, S.M.오너)
            are joined again.
    """

    restored = ""

    def __init__(
        self,
        assembler: Assembler,
        *,
        keep: bool = False,
        metadata: bool = False,
        rejoin: bool = True,
    ) -> None:
        super().__init__(assembler, keep=keep)
        self._metadata = metadata
        self._rejoin = rejoin
        self._symbols = SymbolRules(assembler.rules)
        self._stop_tag = assembler.rules.final_symbols.get(_FULL_STOP, "")

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for the corpus as distributed; see `sejongud.formats.base`."""
        return "" if looks_like_corpus(head) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:  # noqa: D102 (as in Reader)
        is_cut = self._is_cut if self._rejoin else lambda _: False
        scan = _Scan(is_cut, metadata=self._metadata)
        number = 0
        for chunk in chunks:
            for line in split_lines(chunk):
                number += 1
                # Every eojeol has a slash, and nearly all markup has an angle bracket.
                if "<" not in line and "/" in line and scan.inside:
                    scan.lines.append(line)
                    scan.count += 1
                else:
                    scan.take(line, number)
                    if scan.ready:
                        yield from scan.ready
                        scan.ready.clear()
            scan.check_size()
        scan.finish(number)
        yield from scan.ready

    def units(self, block: Block) -> Units | None:  # noqa: D102 (as in SejongReader)
        return super().units(block) if _is_unmarked(block.text) else None

    def parse(self, block: Block) -> Sentence:  # noqa: D102 (as in Reader)
        text = block.text
        if _is_unmarked(text):
            return super().parse(block)
        lines = text.split("\n")
        rows = [(offset, line) for offset, line in enumerate(lines) if _is_eojeol(line)]
        clean = []
        comments = block.comments
        for index, (_, line) in enumerate(rows, 1):
            written, heard = _without_events(line)
            clean.append(written)
            if heard:
                comments += (f"transcription = {index} {heard}",)
        try:
            return super().parse(block._replace(text="\n".join(clean), comments=comments))
        except FormatError as error:
            if error.line:
                index = error.line - block.line
                if not rows[index][1].startswith(clean[index].rstrip("\t")):
                    error.column = 0
                error.line, error.text = block.line + rows[index][0], rows[index][1]
            raise

    def lines(self, block: Block) -> list[int]:  # noqa: D102 (as in Reader)
        lines = enumerate(block.text.split("\n"), block.line)
        return [number for number, line in lines if _is_eojeol(line)]

    def _is_cut(self, line: str) -> bool:
        """Return whether a sentence was cut at a full stop inside the eojeol of its last line.

        As in khaiii's munjong: 4/SN + ./SF + 6/SN + 판/NNB, but no symbol at the end.
        """
        if f"/{self._stop_tag}" not in line:
            return False
        try:
            eojeol = self.assembler[line.partition("\t")[2]]
        except FormatError:
            return False
        if eojeol.morphemes[-1].tag in self._symbols.tags:
            return False
        external = self._symbols.external(eojeol)
        return any(
            morpheme.form == _FULL_STOP and morpheme.tag == self._stop_tag and i not in external
            for i, morpheme in enumerate(eojeol.morphemes)
        )


def _is_unmarked(text: str) -> bool:
    """Return whether every line is an eojeol, without markup or lengthened vowels."""
    return "<" not in text and "::" not in text and all(["/" in line for line in text.split("\n")])


class _Scan:
    """Cut a file line by line: keep the open elements and the notes for the next sentence.

    Args:
        is_cut: whether the sentence that ends with this line goes on in the next one.
        metadata: whether metadata are sentences.
    """

    def __init__(self, is_cut: Callable[[str], bool], *, metadata: bool) -> None:
        self._is_cut = is_cut
        self._metadata = metadata
        self.inside = False
        """Whether a line without markup belongs to the open block."""
        self.lines: list[str] = []
        """The lines of the open sentence or metadata, from its first eojeol on."""
        self.count = 0
        """The number of eojeols among them."""
        self.ready: list[Block] = []
        """The blocks that are complete; the caller takes them away."""
        self._start = 0
        self._open: list[tuple[str, int]] = []
        self._in_text = self._in_header = self._ended = False
        self._headers = 0
        self._header_text = HeaderText()
        self._meta: list[str] = []
        self._number = 0
        # Each with the speaker whom an event interrupts, "" for other comments.
        self._comments: list[tuple[str, str]] = []
        self._notes: list[tuple[int, str, str]] = []
        self._speaker = ""
        self._header_id = ""
        self._document = ""
        self._ids = SentIds()
        self._pending: Block | None = None
        self._pending_element = ""
        self._pending_speaker = ""

    def take(self, line: str, number: int) -> None:
        """Take the next line, which may be markup."""
        content = _content(line)
        if self._in_text and _DOCTYPE.match(content):
            # The next of several files in one.
            self._close_all(number)
            self._in_text = False
        if not self._in_text:
            self._prolog(line, content, number)
        elif _is_markup(content):
            self._markup(line, content, number)
        elif content:
            self._eojeol(line, number)
        elif self.lines:
            self.lines.append("")

    def check_size(self) -> None:
        """Check that the open block may be a sentence.

        Raises:
            FormatError: it is too long.
        """
        size = sum([len(line) + 1 for line in self.lines])
        # Short comments and notes take memory as well.
        size += sum([len(comment) + 50 for comment, _ in self._comments]) + 50 * len(self._notes)
        if self._pending is not None:
            size += len(self._pending.text)
        if size > MAX_SENTENCE:
            name, line = self._open[-1] if self._open else ("", self._start)
            raise FormatError(
                f"a sentence of more than {MAX_SENTENCE:,} characters begins here"
                + (f": is its </{name}> missing?" if name else ""),
                line=line,
                code="E105",
            )

    def finish(self, number: int) -> None:
        """Complete the last blocks, at the end of a file of `number` lines.

        Raises:
            FormatError: there is no sentence in the file.
        """
        self._close_all(number)
        if self._pending is None:
            if number:
                message = "no sentence: there is no line with an eojeol in <p>, <head>, <l> or <s>"
                raise FormatError(message, line=number, code="E107")
            return
        # The last sentence takes the comments behind it.
        count = sum(map(_is_eojeol, self._pending.text.split("\n")))
        late = [
            re.sub("^event = 0 ", f"event = {count} ", comment)
            for comment in self._take_comments(self._pending_speaker)
        ]
        self._pending = self._pending._replace(
            comments=(*self._pending.comments, *late),
            notes=(*self._pending.notes, *self._notes),
        )
        self._hand_over()

    def _note(self, number: int, code: str, message: str) -> None:
        self._notes.append((number, code, message))

    def _prolog(self, line: str, content: str, number: int) -> None:
        """Take a line before the text: look for its beginning, and for the name of the file."""
        # A header that is not closed must not swallow the text, and a header has no ids.
        has_id = line.count("\t") == 2 and document_of(line.partition("\t")[0])
        if has_id or (not self._in_header and _ROW.fullmatch(line)):
            if self._in_header:
                self._note(number, "W112", "the header is not closed, the text begins here")
            self._begin_text()
            self._eojeol(line, number)
            return
        start = 0
        """Where the header goes on in this line."""
        for element in _ELEMENT.finditer(content):
            name = element["name"].lower()
            if name == "teiheader":
                self._take_header(content[start : element.start()])
                self._header(number, closing=bool(element["close"]))
                start = element.start()
            elif name == "idno" and not element["close"]:
                if match := _FILE_NAME.search(content, element.end()):
                    self._header_id = match[1]
            elif name in ("text", "body") or (name in _BEGINNING and not self._in_header):
                self._take_header(content[start : element.start()])
                self._begin_text()
                self._markup(line, content[element.start() :], number)
                return
        self._take_header(content[start:])

    def _take_header(self, content: str) -> None:
        """Take a piece of a line of the header."""
        if self._in_header:
            self._meta += self._header_text.take(content)

    def _begin_text(self) -> None:
        self._in_text, self._in_header, self.inside = True, False, False

    def _header(self, number: int, *, closing: bool) -> None:
        self._in_header = not closing
        if closing:
            if self._header_text.is_cut:
                self._note(number, "W112", "the header is so long that the end of it is left out")
            return
        self._header_text = HeaderText()
        self._headers += 1
        if self._headers > 1:
            message = "a second header; its metadata are those of the next sentence"
            self._note(number, "W112", message)

    def _markup(self, line: str, content: str, number: int) -> None:
        """Take a line of markup in the text."""
        heard = False
        for element in _ELEMENT.finditer(content):
            name = element["name"].lower()
            closing = bool(element["close"])
            if name in _SENTENCE or (name in _METADATA and not self._in_sentence):
                (self._leave if closing else self._enter)(name, number)
            elif name == "teiheader":
                self._close_all(number)
                self._in_text = self.inside = False
                self._header(number, closing=closing)
                return
            elif name in _STRUCTURE:
                self._structure(element, name, number)
            else:
                heard = True
                # Elements of names may be numbered.
                if name.rstrip("0123456789") not in (*_EVENTS, "name") and name not in _METADATA:
                    message = f"unknown markup {element[0]}, kept as a comment"
                    self._note(number, "W113", message)
        stray = " ".join(_ELEMENT.sub(" ", content).split())
        if heard or (stray and name not in _METADATA):
            # Between two sentences an event has no eojeols before it.
            place = self.count if self._in_sentence else 0
            event = f"event = {place} {' '.join(content.split())}"
            self._comments.append((event, self._speaker))
        elif stray:
            self._comments.append((f"{name} = {stray}", ""))
        if self.lines:
            # The line stays, so the lines behind it keep their numbers.
            self.lines.append(line)

    @property
    def _in_sentence(self) -> bool:
        return any(name in _SENTENCE for name, _ in self._open)

    def _structure(self, element: re.Match[str], name: str, number: int) -> None:
        if name == "u":
            self._flush()
            who = _WHO.search(element["attributes"])
            self._speaker = who["who"] if who and not element["close"] else ""
        elif name in _DIVISION:
            self._close_all(number)
            if name == "tei.2":
                self._ended = bool(element["close"])

    def _eojeol(self, line: str, number: int) -> None:
        if not self.lines:
            self._start = number
            if self._ended:
                self._ended = False
                self._note(number, "W111", "text after </tei.2>, read on")
            if not self._open:
                message = "text outside <p>, <head>, <l> and <s>, read as a sentence"
                self._note(number, "W116", message)
        self.lines.append(line)
        self.count += 1
        self.inside = True

    def _enter(self, name: str, number: int) -> None:
        """Open a sentence or metadata."""
        # No element is inside one of its name, and no sentence is inside metadata.
        while any(
            opened == name or (name in _SENTENCE and opened in _METADATA)
            for opened, _ in self._open
        ):
            self._unclosed(number)
        self._flush()
        self._open.append((name, number))

    def _leave(self, name: str, number: int) -> None:
        """Close a sentence or metadata."""
        if not any(name == opened for opened, _ in self._open):
            self._note(number, "W115", f"</{name}> closes nothing")
            if not self._open:
                self._flush()
            return
        while self._open[-1][0] != name:
            self._unclosed(number)
        self._flush()
        self._open.pop()

    def _unclosed(self, number: int) -> None:
        """Close the innermost open element, whose end tag is missing."""
        self._flush()
        name, line = self._open.pop()
        self._note(number, "W114", f"<{name}> of line {line} is not closed, it ends here")

    def _close_all(self, number: int) -> None:
        while self._open:
            self._unclosed(number)
        self._flush()

    def _flush(self) -> None:
        """End the open sentence or metadata."""
        self.inside = False
        if not self.lines:
            return
        lines, self.lines, self.count = self.lines, [], 0
        while not _is_eojeol(lines[-1]):
            lines.pop()
        element = self._open[-1][0] if self._open else ""
        if element in _METADATA and not self._in_sentence:
            if not self._metadata:
                forms = [_form(line) for line in lines if _is_eojeol(line)]
                self._comments.append((f"{element} = {' '.join(forms)}", ""))
                return
            self._comments.append((f"metadata = {element}", ""))
        self._sentence(lines, element)

    def _sentence(self, lines: list[str], element: str) -> None:
        comments = self._take_comments(self._speaker)
        notes, self._notes = self._notes, []
        if self._speaker:
            comments.insert(0, f"speaker = {self._speaker}")
        comments[:0] = self._meta
        self._meta = []
        before = self._pending
        if before is not None:
            last = before.text.rpartition("\n")[2]
            if element == self._pending_element == "p" and not comments and self._is_cut(last):
                gap = self._start - before.line - before.text.count("\n")
                notes.append((self._start, "W110", f"cut behind {_form(last)}, joined again"))
                self._pending = before._replace(
                    text=before.text + "\n" * gap + "\n".join(lines), notes=(*before.notes, *notes)
                )
                return
            self._hand_over()
        self._number += 1
        self._pending = Block(
            "\n".join(lines), self._start, self._number, "", tuple(comments), tuple(notes)
        )
        self._pending_element = element
        self._pending_speaker = self._speaker

    def _take_comments(self, speaker: str) -> list[str]:
        """Return the comments for a sentence of this speaker; events of others name theirs."""
        comments, self._comments = self._comments, []
        taken = []
        for comment, who in comments:
            if who not in ("", speaker):
                key, equals, place, event = comment.split(" ", 3)
                comment = f"{key} {equals} {place} {who}: {event}"
            taken.append(comment)
        return taken

    def _hand_over(self) -> None:
        """Name the sentence that waited, which is complete now."""
        block, self._pending = self._pending, None
        if block is None:
            return
        corpus_id, _, rest = block.text.partition("\n")[0].partition("\t")
        if "\t" not in rest and not document_of(corpus_id):
            corpus_id = ""
        document = document_of(corpus_id) or self._header_id
        if document and document != self._document:
            self._document = document
            # From now on the ids say where a document begins.
            self._header_id = ""
            block = block._replace(comments=(f"newdoc id = {document}", *block.comments))
        sent_id = self._ids.of(corpus_id, block.number)
        notes = block.notes + id_notes(corpus_id, sent_id, block.text, block.line)
        self.ready.append(block._replace(sent_id=sent_id, notes=notes))


def _content(line: str) -> str:
    """Return a line without its id and without blanks at its ends."""
    head, tab, rest = line.partition("\t")
    if tab and document_of(head) and "\t" not in rest.rstrip():
        return rest.strip()
    return "" if document_of(line.strip()) else line.strip()


def _is_markup(content: str) -> bool:
    """Return whether the content of a line is markup.

    An analysis never ends in `>`. A sentence on one line with its `<p>` is an eojeol without an
    analysis, which is a fault, rather than markup.
    """
    if content[:1] != "<" or content[-1] != ">" or "\t" in content:
        return False
    element = _ELEMENT.match(content)
    if element is None:
        return False
    return element["name"].lower() not in _SENTENCE or not _ELEMENT.sub("", content).strip()


def _is_eojeol(line: str) -> bool:
    if "/" in line and "<" not in line:
        return True
    content = _content(line)
    return bool(content) and not _is_markup(content)


def _form(line: str) -> str:
    """Return the form of an eojeol."""
    columns = line.split("\t")
    return (columns[1] if len(columns) > 2 or document_of(columns[0]) else columns[0]).strip()


def _without_events(line: str) -> tuple[str, str]:
    r"""Return a line without descriptions of the speech, and its transcription if that differs.

    Symbols that are analysed are text. A line that lacks the analysis gets an empty one.

    >>> _without_events("5CT_0000-0000010\t그::래\t그래/IC")
    ('5CT_0000-0000010\t그래\t그래/IC', '그::래')
    >>> _without_events("BTXX0000-00000001\t<note>\t</SS + note/SL + >/SS")[1]
    ''
    """
    corpus_id, tab, rest = line.partition("\t")
    if not document_of(corpus_id) and "\t" not in rest:
        corpus_id, tab, rest = "", "", line
    elif tab and "\t" not in rest:
        rest += "\t"
    form, between, analysis = rest.partition("\t")
    heard = form
    if len(form) > LONGEST:
        return line, ""
    for pattern, mark in ((_INLINE, "<"), (_NAME, "<"), (_LENGTHENED, ":")):
        if mark in form:
            left = pattern.sub("", form).strip()
            # A name tag in the analysis stands for a name that was anonymised: it is text.
            analysed = analysis if pattern is _NAME else pattern.sub("", analysis)
            if left and mark not in analysed:
                form, analysis = left, analysed
    return f"{corpus_id}{tab}{form}{between}{analysis}", heard if heard != form else ""
