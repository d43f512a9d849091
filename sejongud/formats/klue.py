"""The entities and the dependency trees of KLUE.

KLUE-NER and files like it have a row for each character, spaces as well, `프<TAB>B-LC`.

    ## klue-ner-v1_dev_00000-wikitree<TAB><프랑스:LC>의 옷

stands above the rows: the sentence with its entities marked (in konec without marks). The marks are
not used, since the text may contain `<`. The lines above the first sentence describe the format. If
the space at the beginning of a row was stripped, the empty character is read as a space. A line of
blanks is a row without its label: the line between two sentences is empty. In some copies a space
stands between the character and its label, `프 B-LC`, or a tab behind the label.

KLUE-DP has dependency trees of eojeols as tab-separated text (Park et al. 2021, KLUE).

    ## 칼럼명 : INDEX	WORD_FORM	LEMMA	POS	HEAD	DEPREL        the head of the file
    ## klue-dp-v1_dev_00000_wikitree	유희열이 눈물을 흘렸다.
    1	유희열이	유희열 이	NNP+JKS	3	NP_SBJ

The morphemes are separated by spaces, their tags by plus signs, sentences by blank lines. A
spreadsheet damaged the published files: it turned 3% into 0 and 5.0 into 5. Damaged morphemes are
fewer than their tags, which is an error; a damaged form differs from the line above the sentence,
and a note gives the right one. Comments bring the file back (`sejongud.formats.around`):
`dp_before` has the head of the file, and `dp_source` the lines of a sentence with damaged rows.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from sejongud.errors import FormatError, Note
from sejongud.formats.around import (
    RestoredReader,
    kept_lines,
    lost_above,
    restore_comment,
    restore_comments,
    to_json,
    with_lines_around,
)
from sejongud.formats.base import (
    Block,
    SentIds,
    first_lines,
    id_notes,
    identified,
    is_json,
    mostly,
    to_number,
)
from sejongud.formats.labelled import LINE, LabelFormat, Labelled, exact_blocks, labelled_tokens
from sejongud.formats.marked import marked, unmarked
from sejongud.layers.labels import Entity, find_entities, layer_notes, not_written
from sejongud.memo import remembered
from sejongud.model import NOTHING, Arcs, Eojeol, Sentence, Token, Word
from sejongud.morphology.eojeol import Assembler, write_analysis
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.files import Source
    from sejongud.levels.cut import Granularity


_MARKED, _PLAIN, _NONE = "marked", "plain", "none"
_HEAD = "ner_head"
_COMMENT = "##"
_TRAILING = "trailing"
_SEPARATORS = {"tab": "\t", "space": " "}
_OTHER_TEXT = "the line above the rows has another text than they"
_ROW = re.compile(r"[^\t]?\t[^\t/ ]+")
"""A line of Sejong text has a slash behind the tab, and a numbered sentence has blanks."""
_SPACED_ROW = re.compile(r".? (?:[BIES]-[^ \t]+|[BIEO])")
_ROW_OF_SPACE = re.compile(r" ? (?:[BIES]-[^ \t]+|[BIEO])")
_ROWS = re.compile(r"((?:[^\t\n]\t[^\t\n]+\n)+)\n*")


class KlueNer(LabelFormat):
    """Reads and writes KLUE-NER.

    Args:
        settings: the line above a sentence: the sentence `marked`, or `plain`, or `none`; then
            `space`, if that and no tab stands before the labels; then `trailing`, if a tab stands
            behind them.
    """

    name = "klue-ner"
    blank = ""
    choices = ((_MARKED, _PLAIN, _NONE), _SEPARATORS, ("", _TRAILING))

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self._heading, separator, trailing = self._chosen
        self._row_end = "\t" if trailing else ""
        self._separator = _SEPARATORS[separator]

    @property
    def settings(self) -> str:
        """The line above a sentence, and the separator if it is none of tab."""
        return " ".join([value for value in self._chosen if value not in ("tab", "")])

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        # A decomposed syllable is recognised, so that `read` can tell how to mend it.
        head = normalize("NFC", head)
        rows = [line for line in head.split("\n")[:-1] if line and not line.startswith(_COMMENT)]
        if mostly([row.endswith("\t") for row in rows]):
            settings = cls.sniff(head.replace("\t\n", "\n"))
            return settings and f"{settings} {_TRAILING}"
        lines = head.split("\n")[:-1]
        comments = [line for line in lines if line.startswith(_COMMENT) and "\t" in line]
        if any([line[2:3].strip() for line in comments]):
            # A word piece, ##은.
            return None
        fits = [_ROW.fullmatch(row) is not None for row in rows]
        tail = ""
        if not mostly(fits) and any(map(_ROW_OF_SPACE.fullmatch, rows)):
            # Characters without any space between them may be tokens of one letter.
            fits = [_SPACED_ROW.fullmatch(row) is not None for row in rows]
            tail = " space"
        if not mostly(fits):
            return None
        sentences = [line for line in comments if line.split("\t")[1] != "NE_TAG"]
        if not sentences:
            # Without its comments it is told from columns of tokens, of which many have one letter.
            return _NONE + tail if sum(fits) >= 0.9 * len(fits) else None
        return (_MARKED if any(["<" in line for line in sentences]) else _PLAIN) + tail

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        if self._row_end:
            block = block._replace(text=block.text.replace("\t\n", "\n").removesuffix("\t"))
        lines = block.text.split("\n")
        comments = list(takewhile(lambda line: line.startswith(_COMMENT), lines))
        above = sum([len(line) + 1 for line in comments])
        rows = _ROWS.fullmatch(block.text, above) if self._separator == "\t" else None
        if rows is not None:
            cells = rows[1].replace("\n", "\t").split("\t")
            characters, labels = cells[:-1:2], cells[1::2]
        else:
            characters, labels = _read_rows(block, len(comments), self._separator)
        sent_id = ""
        if comments and self._heading != _NONE and "\t" in comments[-1]:
            sent_id = comments.pop().removeprefix(_COMMENT).partition("\t")[0].strip()
        head = [restore_comment(_HEAD, comment) for comment in comments]
        return labelled_tokens(characters, labels, sent_id, head)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        head = kept_lines(labelled.comments, _HEAD)
        labels = labelled.labels
        if self._heading != _NONE:
            text = "".join(labelled.tokens)
            entities = find_entities(labels) if self._heading == _MARKED else []
            head.append(f"{_COMMENT} {labelled.sent_id}\t{marked(text, entities)}\n")
        # A tab between eojeols is a blank, which has a row of its own.
        tokens = [" " if token == "\t" else token for token in labelled.tokens]
        rows = map(self._separator.join, zip(tokens, labels, strict=True))
        return "".join(head) + "".join([f"{row}{self._row_end}\n" for row in rows]) + "\n"

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the row of the first character."""
        lines = block.text.split("\n")
        above = len(list(takewhile(lambda line: line.startswith(_COMMENT), lines)))
        return lambda entity: block.line + above + entity.begin

    def other_heading(self, block: Block, labelled: Labelled) -> str:
        """Return how the line above the rows differs from the rows, "" if it does not."""
        if self._heading == _NONE or not labelled.sent_id:
            return ""
        *_, line = takewhile(lambda row: row.startswith(_COMMENT), block.text.split("\n"))
        heading = line.partition("\t")[2]
        text = "".join(labelled.tokens)
        if self._heading == _PLAIN:
            return "" if heading == text else _OTHER_TEXT
        entities = labelled.entities()
        if heading == marked(text, entities):
            return ""
        plain, marks = unmarked(heading)
        ours = [f"{text[begin:end]} ({name})" for name, begin, end in entities]
        theirs = [f"{plain[begin:end]} ({name})" for name, begin, end in marks]
        if ours == theirs:
            elsewhere = "the line above the rows marks its entities elsewhere"
            return elsewhere if plain == text else _OTHER_TEXT
        common = set(ours).intersection(theirs)
        more = ", ".join([mark for mark in theirs if mark not in common]) or "nothing"
        less = ", ".join([mark for mark in ours if mark not in common]) or "nothing"
        return f"the line above the rows marks {more} where the rows have {less}"


def _read_rows(block: Block, first: int, separator: str) -> tuple[list[str], list[str]]:
    """Return the characters and labels of rows that may be damaged.

    Args:
        block: the block.
        first: the number of lines above the rows.
        separator: between a character and its label.

    Raises:
        FormatError: a line is not a row.
    """
    characters = []
    labels = []
    for index, line in enumerate(block.text.split("\n")):
        if index < first or not line:
            continue
        character, joint, label = line.partition(separator)
        if line[:2] == "  " == separator * 2:
            character, label = " ", line[2:]
        if not joint or len(character) > 1 or not label or separator in label:
            blank = ", and between two sentences an empty line" if line.isspace() else ""
            name = "tab" if separator == "\t" else "space"
            message = f"expected one character and its label with a {name} between{blank}"
            if len(character) > len(normalize("NFC", character)):
                message = "a decomposed character (NFD): save the file with composed ones (NFC)"
            raise block.error(message, "E403", index)
        characters.append(character or " ")
        labels.append(label)
    return characters, labels


_DP = "klue-dp"
_DP_ROW = re.compile(r"1\t[^\t]+\t[^\t]+\t[A-Z+]+\t\d+\t[A-Z_]+")
_COUNTS, _NO_HEADS, _NOT_READ_AGAIN = "E313", "E622", "E301"
_COLUMNS = ("INDEX", "WORD_FORM", "LEMMA", "POS", "HEAD", "DEPREL")


class KlueDpReader(RestoredReader):
    """Read KLUE-DP.

    HEAD and DEPREL, whose words are the eojeols, are kept as `Sentence.arcs`. The sentence as it
    stands above the rows is `text_orig` where it is not the forms joined.
    """

    restored = _DP

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if the first line is a comment of KLUE above rows, or a row of parsers.

        >>> KlueDpReader.sniff("1\t나는\t나 는\tNP+JX\t2\tNP_SBJ\n"), KlueDpReader.sniff("1\t나\n")
        ('', None)
        """
        first, *lines = first_lines(head) or [""]
        # Markdown begins its headings so, and has no rows.
        has_rows = any(["\t" in line or line[0].isdecimal() for line in (first, *lines) if line])
        is_comment = first.startswith("## ") and has_rows
        return "" if is_comment or _DP_ROW.fullmatch(first) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks that have rows, each with the lines above it."""
        return identified(_texts(chunks), lambda text: _header(text)[0])

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: a row is faulty; with its line.
        """
        eojeols = []
        heads = []
        deprels = []
        _, text = _header(block.text)
        rows = _rows(block.text)
        for index, (_, raw) in enumerate(rows):
            cells: tuple[str, ...] = tuple(raw.split("\t"))
            if len(cells) == len(_COLUMNS) + 1 and not cells[-1]:
                # Some copies have a tab behind the last column.
                cells = cells[:-1]
            try:
                head = _head(cells, index, len(rows))
                deprel = cells[5]
                eojeol = self._eojeols[cells[1], cells[2], cells[3]]
            except FormatError as error:
                form = cells[1].strip() if len(cells) > 1 else ""
                line = self.line_of(block, index)
                eojeol = self.kept(error, form or raw.strip(), line=line, text=raw)
                # A row that only lacks morphemes keeps its place in the tree.
                head, deprel = -1, "_"
                if error.code == _COUNTS:
                    head, deprel = int(cells[4]), cells[5]
                eojeol = as_word(eojeol)
            heads.append(head)
            deprels.append(deprel)
            eojeols.append(eojeol)
        sentence = Sentence(
            tuple(_compared(eojeols, text)),
            block.sent_id,
            number=block.number,
            arcs=Arcs(tuple(heads), tuple(deprels)),
            is_treebank=True,
        )
        if text and text != sentence.text:
            sentence.text_orig = text
        sentence.comments = (*block.comments, *_comments(block.text, sentence))
        return sentence

    def lines(self, block: Block) -> list[int]:
        """Return the line numbers of the rows of a block."""
        return [block.line + row[0] for row in _rows(block.text)]

    @remembered(48_000)
    def _eojeols(self, cells: tuple[str, str, str]) -> Eojeol:
        """Return the eojeol of a form, its morphemes and their tags.

        Raises:
            FormatError: the numbers of morphemes and tags differ.
        """
        form, lemma, pos = cells
        forms = lemma.split(" ")
        tags = pos.split("+")
        if len(forms) != len(tags):
            raise FormatError(
                f"{form}: {counted(len(forms), 'morpheme[s]')} ({lemma}) and"
                f" {counted(len(tags), 'tag[s]')} ({pos}): "
                "the two numbers must be equal",
                code=_COUNTS,
            )
        morpheme = self.assembler.analysis.morpheme
        morphemes = [morpheme(f, tag, form) for f, tag in zip(forms, tags, strict=True)]
        return as_word(self.assembler.eojeol(form, tuple(morphemes)))


class KlueDpJsonReader(KlueDpReader):
    """Read KLUE-DP as `datasets` of Hugging Face has it: an object a line, or a list of objects.

        {"sentence": "나는 간다.", "index": [1, 2], "word_form": ["나는", "간다."],
         "lemma": ["나 는", "가 ㄴ다 ."], "pos": ["NP+JX", "VV+EF+SF"], "head": [2, 0],
         "deprel": ["NP_SBJ", "VP"]}

    The lists are the columns of KLUE-DP, and an object becomes its rows; `index` and `sentence` may
    be missing. `guid` or `id` is the id of the sentence. Other members are the comment `record`.
    """

    restored = ""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if the first object has the columns of KLUE-DP.

        >>> KlueDpJsonReader.sniff('{"word_form": [], "lemma": [], "pos": [], "head": []}\n')
        >>> KlueDpJsonReader.sniff('{"word_form":[],"lemma":[],"pos":[],"head":[],"deprel":[]}\n')
        ''
        """
        from sejongud.formats.json_text import first_objects

        record: dict[str, Any] = next(first_objects(head), {}) if is_json(head) else {}
        return "" if record.keys() >= {name.lower() for name in _COLUMNS[1:]} else None

    def text_of(self, source: Source) -> Iterator[str]:
        """Return the text of a file; a list may be one line of any length."""
        return source.pieces() if source.head().lstrip()[:1] == "[" else source.chunks()

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the objects as rows; the item of a faulty one is its fault."""
        from sejongud.formats.json_records import read_objects

        ids = SentIds()
        for number, (line, record) in enumerate(read_objects(chunks, "E405"), 1):
            try:
                if isinstance(record, FormatError):
                    raise record
                stated, text, others = _of_record(record, line)
            except FormatError as error:
                yield Block("", line, number, ids.running(number), item=error)
                continue
            sent_id = ids.of(stated, number)
            comments = (restore_comment("record", others),) if others else ()
            rows = f"{_COMMENT} {sent_id}\t{text}"
            notes = id_notes(stated, sent_id, "", line)
            yield Block(rows, line, number, sent_id, comments, notes)

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: its object cannot be read.
        """
        if block.item is not None:
            raise block.item
        return super().parse(block)

    def lines(self, block: Block) -> list[int]:
        """Return the line of the object for each of its rows."""
        return [block.line] * len(_rows(block.text))


def _of_record(record: dict[str, Any], line: int) -> tuple[str, str, dict[str, Any]]:
    """Return the id of an object, its sentence with its rows, and its other members.

    Raises:
        FormatError: its lists are no columns of one table.
    """
    others = dict(record)
    own = next((key for key in ("guid", "id") if key in others), "")
    # An id that is no word stays with the other members.
    has_id = isinstance(others.get(own), str | int) and len(str(others[own]).split()) == 1
    sent_id = str(others.pop(own)) if has_id else ""
    sentence = others.pop("sentence") if isinstance(others.get("sentence"), str) else ""
    columns = [others.pop(name.lower(), None) for name in _COLUMNS]
    sizes = [len(column) if isinstance(column, list) else 0 for column in columns]
    if columns[0] is None:
        columns[0], sizes[0] = [*range(1, sizes[1] + 1)], sizes[1]
    if not min(sizes) or len({*sizes}) > 1:
        lengths = [f"{name.lower()} {size}" for name, size in zip(_COLUMNS, sizes, strict=True)]
        message = f"expected lists of the same length, one value a word: {', '.join(lengths)}"
        raise FormatError(message, line=line, code="E311")
    rows = list(zip(*columns, strict=True))
    if odd := [cell for row in rows for cell in row if not isinstance(cell, str | int)]:
        message = f"expected a text or a number for each word, found {to_json(odd[0])}"
        raise FormatError(message, line=line, code="E311")
    text = "\n".join(["\t".join([str(cell) for cell in row]) for row in rows])
    return sent_id, f"{' '.join(sentence.splitlines())}\n{text}\n\n", others


def as_word(eojeol: Eojeol) -> Eojeol:
    """Return an eojeol that is one word, of which the corpus gives nothing but its morphemes."""
    word = Word(eojeol.form, "", "", "", NOTHING, "", eojeol.morphemes)
    return eojeol.but(tokens=(Token(eojeol.form, (word,), misc="", was_read=False),))


def _is_comment(line: str) -> bool:
    return line.startswith("## ")


def _texts(chunks: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of each sentence as one text, with the number of the first line."""
    held: tuple[int, str] | None = None
    above: list[Block] = []
    for block in exact_blocks(chunks, r"[^\S\n]*"):
        above.append(block)
        if _rows(block.text):
            if held is not None:
                yield held
            held, above = (above[0].line, "".join([block.text for block in above])), []
    if held is not None:
        yield held[0], held[1] + "".join([block.text for block in above])


def _header(block: str) -> tuple[str, str]:
    """Return the id and the sentence of the line above the rows; "" if there is no such line."""
    headers = [line for line in block.split("\n") if _is_header(line)]
    sent_id, _, text = headers[-1][3:].partition("\t") if headers else ("", "", "")
    return sent_id.strip(), text


def _is_header(line: str) -> bool:
    return _is_comment(line) and "\t" in line


def _rows(text: str) -> list[tuple[int, str]]:
    """Return the rows of a sentence, each with the number of lines before it."""
    lines = enumerate(text.split("\n"))
    return [(at, raw) for at, raw in lines if not _is_comment(raw) and raw.strip()]


def _comments(text: str, sentence: Sentence) -> tuple[str, ...]:
    """Return the comments without which the lines of a sentence would not come back."""
    lines = LINE.findall(text)
    rows = _rows(text)
    start, end = rows[0][0], rows[-1][0] + 1
    start -= start > 0 and _is_header(lines[start - 1])
    source = "".join(lines[start:end])
    with suppress(FormatError):  # A damaged row may have no head.
        source = "" if _written(sentence) == source else source
    return restore_comments(_DP, "".join(lines[:start]), source, "".join(lines[end:]))


def _head(cells: tuple[str, ...], position: int, count: int) -> int:
    """Return the head of row number `position` of `count` rows, from 1; 0 for the root.

    Raises:
        FormatError: the row is faulty.
    """
    if len(cells) != len(_COLUMNS):
        raise FormatError(
            f"expected {len(_COLUMNS)} columns with a tab between "
            f"({', '.join(_COLUMNS)}), found {len(cells)}",
            code="E311",
        )
    index, _, _, _, head, _ = cells
    for name, cell in zip(_COLUMNS, cells, strict=True):
        if not cell.strip():
            raise FormatError(f"{name} is empty", code="E312")
    if index != str(position + 1):
        raise FormatError(f"INDEX {index}: expected {position + 1}", column=1, code="E312")
    number = to_number(head)
    if number is None or number > count or number == position + 1:
        message = f"HEAD {head}: expected the INDEX of another of the {count} rows, or 0"
        raise FormatError(message, code="E314")
    return number


def _compared(eojeols: list[Eojeol], text: str) -> list[Eojeol]:
    """Add a note to each eojeol whose form differs from the sentence above the rows."""
    forms = text.split(" ")
    if len(forms) != len(eojeols):
        return eojeols
    return [
        eojeol
        if eojeol.form == form
        else eojeol.with_notes([Note("W311", f"{eojeol.form} is {form} in the sentence above")])
        for form, eojeol in zip(forms, eojeols, strict=True)
    ]


class KlueDpWriter:
    """Write KLUE-DP, whose words are the eojeols.

    Args:
        granularity: supplies the tables.
    """

    parting = "\n\n"

    def __init__(self, granularity: Granularity) -> None:
        self._reader = KlueDpReader(Assembler(granularity.rules), keep=True)

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts of a sentence that the format has no place for."""
        constituents = ["constituents, but for their heads"] if sentence.constituents else []
        above = lost_above(sentence, has_ids=True)
        return [*layer_notes(sentence), *not_written(constituents), *above]

    def sentence(self, sentence: Sentence) -> str:
        """Return the lines of a sentence, with the lines of the file around it.

        Raises:
            FormatError: an eojeol has no head, or a morpheme cannot be read again.
        """

        def text(source: str | None) -> str:
            is_same = source is not None and self._says_the_same(source, sentence)
            return source if source is not None and is_same else _written(sentence)

        return with_lines_around(sentence.comments, _DP, text)

    def _says_the_same(self, source: str, sentence: Sentence) -> bool:
        """Whether lines of a file still have the morphemes and the arcs of a sentence."""
        if not _rows(source):
            return False
        stated = self._reader.parse(Block(source, 1, 1, ""))
        eojeols = zip(stated.eojeols, sentence.eojeols, strict=False)
        return (stated.arcs, len(stated.eojeols)) == (sentence.arcs, len(sentence.eojeols)) and all(
            [write_analysis(a.morphemes) == write_analysis(b.morphemes) for a, b in eojeols]
        )


def _written(sentence: Sentence) -> str:
    """Return the lines of a sentence.

    Raises:
        FormatError: an eojeol has no head, or a morpheme cannot be read again.
    """
    arcs = sentence.arcs
    if arcs is None or -1 in arcs.heads or len(arcs.heads) != len(sentence.eojeols):
        message = "KLUE-DP has a head for each eojeol, and this sentence lacks some: give it heads"
        raise FormatError(message, code=_NO_HEADS)
    lines = [f"{_COMMENT} {sentence.sent_id}\t{sentence.text_orig or sentence.text}\n"]
    arcs_of = zip(sentence.eojeols, arcs.heads, arcs.deprels, strict=True)
    for number, (eojeol, head, deprel) in enumerate(arcs_of, 1):
        forms = [morpheme.written for morpheme in eojeol.morphemes]
        tags = [morpheme.source_tag or morpheme.tag for morpheme in eojeol.morphemes]
        if any([" " in form for form in forms]) or any(["+" in tag for tag in tags]):
            message = f"{eojeol.form}: KLUE-DP holds no morpheme with a blank, no tag with +"
            raise FormatError(message, code=_NOT_READ_AGAIN)
        cells = (str(number), eojeol.form, " ".join(forms), "+".join(tags), str(head), deprel)
        lines.append("\t".join(cells) + "\n")
    return "".join(lines)
