"""Columns: a row for each token or morpheme, its label last, and the NAVER corpus of such rows."""

from __future__ import annotations

import re
from collections import Counter
from itertools import count, pairwise
from typing import TYPE_CHECKING, ClassVar

from sejongud.formats.around import kept_lines, restore_comment
from sejongud.formats.base import Block, first_lines, is_analysed, mostly, whole_lines
from sejongud.formats.labelled import (
    LabelFormat,
    Labelled,
    MorphemeRow,
    Unit,
    cells_fault,
    labelled_tokens,
    restarts,
    split_rows,
)
from sejongud.formats.schemes import (
    BEGINNING,
    CONTINUED,
    OTHER_SCHEMES,
    SPELLINGS,
    eojeol_begins,
    guess_spelling,
    in_bioes,
    labels_of,
    other_scheme,
    piece_mark,
    tags_of,
)
from sejongud.layers.labels import LABEL_SCHEMES, OUTSIDE, Entity, LabelScheme, split_label
from sejongud.memo import Memo
from sejongud.morphology.generation import surface
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence


_SEPARATORS = {"tab": "\t", "space": " "}
_HEAD = "ner_head"
DOCUMENT = "-DOCSTART-"
"""The first cell of a row that begins a document (CoNLL), and is no token."""
_ID = re.compile(r"#\s*(?:sent_)?id\s*[=\s]\s*(\S+)")
_LANGUAGE = re.compile("[a-z]{2,3}:")
"""The language before each token (PAN-X, WikiAnn)."""
_LABELLED = re.compile(r"^[A-Z][-_].|.[-_][A-Z]$")
"""A tag with a prefix and a type, in any spelling."""


class Columns(LabelFormat):
    """Columns: rows of a token first and its label last, blank lines between sentences.

    This is the layout of CoNLL-2002/2003 and of many copies of Korean corpora. Middle columns that
    are the same in all rows (`프랑스의 eoj - B-LOC`) are a setting; other ones ride in comments.
    Lines above the rows of a sentence that begin with # are comments (MultiCoNER), unless they are
    rows themselves; `-DOCSTART-` (CoNLL) is no token.

    Tokens that are word pieces, `##은` (BERT) or `▁은` (SentencePiece), are joined to the words
    that they make, which have the labels of their first pieces.

    Columns for CRF++ and CRFsuite are word, UPOS, XPOS and label, or the labels of three layers.
    The program adds its labels as the last column, from which they return to the words.

    Args:
        settings: `tab` or `space`, a spelling of `SPELLINGS`, a scheme of `LABEL_SCHEMES` or of
            `OTHER_SCHEMES`, the mark of word pieces (`##` or `▁`), a prefix of all tokens (`ko:`),
            and the middle columns, with a space between: `space B-PER bio eoj -`.

    >>> Columns("space B-PER bioes").read(Block("프랑스의 S-LOC\\n\\n", 1, 1)).layers
    (('B-LOC',),)
    """

    name = "columns"
    has_ids = False
    unit: Unit = "eojeol"
    token_cell = 0

    choices: ClassVar[tuple[Collection[str], ...]] = (
        _SEPARATORS,
        ("B-PER", *SPELLINGS),
        (*LABEL_SCHEMES, *OTHER_SCHEMES),
        ("", CONTINUED, BEGINNING),
    )
    more_settings = True

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        separator, spelling, self._scheme, self._piece = self._chosen[:4]
        self._separator = _SEPARATORS[separator]
        self.types = re.compile(f"[^{self._separator}]*")
        self._spelling = SPELLINGS[spelling]
        prefix = self._more[:1] if _LANGUAGE.fullmatch("".join(self._more[:1])) else []
        self._prefix = "".join(prefix)
        self._middle = self._more[len(prefix) :]

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        lines = [line for line in whole_lines(head) if not line.startswith(("#", DOCUMENT))]
        for name, separator in _SEPARATORS.items():
            rows = [line.split(separator) for line in lines]
            rows = [row for row in rows if len(row) > 1 and row[0] and row[-1]]
            # If the first column has numbers, the tokens are in another one.
            numbers = [row for row in rows if row[0].isdecimal()]
            if 2 * len(rows) > len(lines) and 2 * len(numbers) < len(rows):
                tags = [row[-1] for row in rows]
                # A file of another format is refused before a spelling is guessed.
                if not any(map(_LABELLED.search, tags)):
                    continue
                unusual = other_scheme(tags)
                tags = in_bioes(tags, unusual)
                spelling = guess_spelling(tags)
                labels = [SPELLINGS[spelling].read(tag) for tag in tags]
                # The last words of lines of text are no labels, even if one of them is S-OIL.
                if 2 * sum(map(SPELLINGS[spelling].has, tags)) < len(tags):
                    continue
                if not any([split_label(label)[1] for label in labels]):
                    continue
                middle, count = Counter([tuple(row[1:-1]) for row in rows]).most_common(1)[0]
                constant = middle if count == len(rows) else ()
                prefixes = {cell[: cell.find(":") + 1] for cell in [row[0] for row in rows]}
                prefix = prefixes if _LANGUAGE.fullmatch("".join(prefixes)) else ()
                scheme = unusual or _scheme(labels)
                cells = [line.split(separator) for line in whole_lines(head)]
                tokens = [row[0] for row in cells if len(row) > 1]
                piece = [mark for mark in (piece_mark(tokens),) if mark]
                return " ".join([name, spelling, scheme, *piece, *prefix, *constant])
        return None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block; a sentence without tokens if it has no rows."""
        above, rows = self._cells(block)
        if not rows:
            return Labelled((), ())
        labels = labels_of([row[-1] for row in rows], self._scheme, self._spelling)
        ids = [match[1] for line in above if (match := _ID.match(line))]
        head = [restore_comment(_HEAD, line) for line in above]
        # A token may be the prefix itself.
        tokens = [row[0].removeprefix(self._prefix) or row[0] for row in rows]
        if self._piece:
            tokens, labels = _joined(tokens, labels, self._piece)
        return labelled_tokens(tokens, labels, "".join(ids[:1]), head)

    def _cells(self, block: Block) -> tuple[list[str], list[list[str]]]:
        """Return the lines above the rows of a block, and the cells of each row.

        Raises:
            FormatError: a row has a fault.
        """
        above = self._above(block)
        if above:
            rest = block.text.split("\n")[len(above) :]
            block = Block("\n".join(rest), block.line + len(above), block.number)
        return above, split_rows(block, self._separator, _fault, "E404")[1]

    def _above(self, block: Block) -> list[str]:
        """Return the lines above the rows of a block: comments, and the mark of a document."""
        if not block.text.startswith(("#", DOCUMENT)):
            return []
        lines = block.text.split("\n")
        rows = [line.split(self._separator) for line in lines if line.strip()]
        width = len(rows[-1])
        lines_above = []
        for line in lines:
            cells = line.split(self._separator)
            has_tag = self._spelling.has(*in_bioes(cells[-1:], self._scheme))
            is_row = len(cells) == width and has_tag
            if not (line.startswith(DOCUMENT) or (line.startswith("#") and not is_row)):
                break
            lines_above.append(line)
        return lines_above

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        tags = tags_of(labelled.labels, self._scheme, self._spelling)
        head = kept_lines(labelled.comments, _HEAD)
        rows = [
            self._separator.join([self._prefix + token, *self._middle, tag]) + "\n"
            for token, tag in zip(labelled.tokens, tags, strict=True)
        ]
        return "".join([*head, *rows, "\n"])

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the row of the first token."""
        above = len(self._above(block))
        return lambda entity: block.line + above + entity.begin


def _joined(
    tokens: Sequence[str], labels: Sequence[str], mark: str
) -> tuple[list[str], tuple[str, ...]]:
    """Return the words that pieces make, each with the label of its first piece.

    An entity that goes on in the next word is one entity, and a word whose later piece alone
    begins an entity has the label of that piece.

    >>> _joined(["서울", "##에", "간다"], ["B-LC", "O", "O"], "##")
    (['서울에', '간다'], ('B-LC', 'O'))
    """
    words: list[str] = []
    of_words: list[str] = []
    for token, label in zip(tokens, labels, strict=True):
        marked = token.startswith(mark) and len(token) > len(mark)
        form = token[len(mark) :] if marked else token
        if words and marked == (mark == CONTINUED):
            words[-1] += form
            of_words[-1] = label if of_words[-1] == OUTSIDE else of_words[-1]
        else:
            words.append(form)
            of_words.append(label)
    return words, tuple(of_words)


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    fault = ""
    if len(cells) < 2:
        fault = "no label"
    elif not cells[0].strip(" ") or not cells[-1]:
        fault = "an empty column"
    elif "\t" in cells[0] + cells[-1]:
        # The columns are separated by spaces.
        fault = "a tab inside a column"
    return fault and f"expected a token first and its label last, found {fault}"


def _scheme(labels: list[str]) -> LabelScheme:
    """Return the most likely scheme of some labels."""
    prefixes = Counter([split_label(label)[0] for label in labels])
    if prefixes["E"] or prefixes["S"]:
        return "bioes"
    # In IOB1 an entity begins with I, and with B only directly behind another of its type.
    pairs = [(split_label(a), split_label(b)) for a, b in pairwise([OUTSIDE, *labels])]
    begins = [b for a, b in pairs if b[0] == "I" and a[1] != b[1]]
    alone = [b for a, b in pairs if b[0] == "B" and a[1] != b[1]]
    return "iob1" if begins and not alone else "bio"


_TAG = "*"
"""The place of the tag among the middle columns."""
_OTHER = "_"
"""A middle column whose cells differ."""
_GOES_ON, _BARE = "X-", "bare"
_FEW = 10
"""One of so many morphemes at least is a particle or an ending."""


class MorphemeColumns(Columns):
    """Columns of morphemes: form, tag and label, without the numbers of eojeols.

        프랑스 NNP B-LC            프랑스 NNP - B-LC
        의 JKG O                   의 X-JKG - O
        옷 NNG O                   옷 NNG - O

    A tag that begins with X- goes on in its eojeol (copies of the NAVER corpus). Where no tag does
    so, particles, endings, suffixes, the copula and symbols go on, and all others begin an eojeol;
    so two nouns are never one eojeol. The surfaces are made of the morphemes.

    Args:
        settings: as those of `Columns`; then `X-`, if tags begin so inside an eojeol, or `bare`;
            then the middle columns, `*` for the tag.

    >>> from sejongud.formats.base import Block
    >>> form = MorphemeColumns("space B-PER bio bare *")
    >>> rows = "서울 NNP B-LC\\n에 JKB O\\n가 VV O\\n았 EP O\\n다 EF O\\n\\n"
    >>> "".join(form.read(Block(rows, 1, 1)).tokens)
    '서울에 갔다'
    """

    name = "morpheme-columns"
    unit: Unit = "syllable"
    has_morphemes = True
    labels_rows = True
    choices: ClassVar[tuple[Collection[str], ...]] = (*Columns.choices[:3], (_GOES_ON, _BARE))

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self._goes_on, self._piece = self._chosen[3] == _GOES_ON, ""
        self._more = self._middle = self._middle or [_TAG]
        self._sentences = 0

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        settings = super().sniff(head)
        if settings is None:
            return None
        separator = "\t" if settings.startswith("tab") else " "
        rows = [line.split(separator) for line in whole_lines(head) if line[0] != "#"]
        width, _ = Counter(map(len, rows)).most_common(1)[0]
        rows = [row for row in rows if len(row) == width]
        kind = load().kind
        for at in range(1, width - 1):
            tags = [row[at].removeprefix(_GOES_ON) for row in rows]
            kinds = Counter(map(kind, tags))
            bound = kinds["particle"] + kinds["ending"]
            if 2 * kinds[""] < len(rows) < _FEW * bound and not any(["+" in tag for tag in tags]):
                goes_on = any([row[at].startswith(_GOES_ON) for row in rows])
                columns = [set(column) for column in list(zip(*rows, strict=True))[1:-1]]
                middle = [cells.pop() if len(cells) == 1 else _OTHER for cells in columns]
                middle[at - 1] = _TAG
                chosen = [*settings.split()[:3], _GOES_ON if goes_on else _BARE]
                return " ".join([*chosen, *middle])
        return None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block, whose surfaces are made."""
        labelled = super().read(block)
        if not labelled.tokens:
            return labelled
        place = self._middle.index(_TAG) + 1
        _, rows = self._cells(block)
        tags = [row[place] if len(row) > place + 1 else "" for row in rows]
        groups: list[list[MorphemeRow]] = []
        pairs = list(zip(labelled.tokens, tags, strict=True))
        for (form, tag), begins, label in zip(
            pairs, self._begins(pairs), labelled.labels, strict=True
        ):
            row = MorphemeRow(form, tag.removeprefix(_GOES_ON), label)
            if begins:
                groups.append([row])
            else:
                groups[-1].append(row)
        self._sentences += 1
        text = " ".join([surface([(row.form, row.tag) for row in group]) for group in groups])
        return labelled._replace(tokens=tuple(text), layers=(), morphemes=tuple(map(tuple, groups)))

    def _begins(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return whether each morpheme, a form and a tag, begins an eojeol."""
        if self._goes_on:
            return [not at or not tag.startswith(_GOES_ON) for at, (_, tag) in enumerate(pairs)]
        return eojeol_begins(pairs, self.rules or load())

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        groups = labelled.morphemes
        rows = [(row, at > 0) for group in groups for at, row in enumerate(group)]
        tags = tags_of(tuple([row.label for row, _ in rows]), self._scheme, self._spelling)
        lines = []
        for (row, is_inside), label in zip(rows, tags, strict=True):
            tag = f"{_GOES_ON}{row.tag}" if is_inside and self._goes_on else row.tag
            middle = [tag if cell == _TAG else cell for cell in self._middle]
            lines.append(self._separator.join([row.form, *middle, label]) + "\n")
        return "".join([*kept_lines(labelled.comments, _HEAD), *lines, "\n"])

    def summary_lines(self) -> list[str]:
        """Return a line about the eojeols that the tags tell."""
        if self._goes_on or not self._sentences:
            return []
        size = counted(self._sentences, "sentence[s]")
        return [f"the borders of eojeols in {size} were told by the tags of the morphemes"]


_ROWS, _LINES = "rows", "lines"
_COLUMNS = 3
_TAGS = 10_000
"""More tags than any corpus has."""


class Naver(LabelFormat):
    """The corpus of the NAVER NLP Challenge 2018: rows of eojeols, `1<TAB>프랑스의<TAB>LOC_B`.

    Blank lines separate the sentences, and `-` means O. Copies have other spellings, or the layout
    `lines`, a sentence a line: `프랑스의 옷을<TAB>LOC-B O` (KoELECTRA, KoBERT-NER). For copies in
    columns see `sejongud.formats.columns`.

    Args:
        settings: a layout, `rows` or `lines`, and a spelling of `SPELLINGS`; or only one of them.

    >>> Naver("rows PER_B").read(Block("1\\t프랑스의\\tLOC_B\\n\\n", 1, 1)).layers
    (('B-LOC',),)
    """

    name = "naver"
    has_ids = False
    unit = "eojeol"

    choices = ((_ROWS, _LINES), SPELLINGS)

    def __init__(self, settings: str = "") -> None:
        # Files with a sentence a line have another usual spelling.
        super().__init__(f"{_LINES} PER-B" if settings == _LINES else settings)
        layout, spelling = self._chosen
        self.by_lines = layout == _LINES
        # A line has its tags with spaces between them.
        self.types = re.compile(r"\S*") if self.by_lines else None
        self.token_cell = None if self.by_lines else 1
        self._labels: Memo[str, str] = Memo(SPELLINGS[spelling].read, size=_TAGS)
        self._tags: Memo[str, str] = Memo(SPELLINGS[spelling].write, size=_TAGS)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        # The only line of a file may lack its end.
        rows = [line.split("\t") for line in whole_lines(head) or first_lines(head)]
        # The ids of Sejong text may be numbers.
        if mostly([len(r) == 3 and r[0].isdigit() and not is_analysed(r[2]) for r in rows]):
            return f"{_ROWS} {guess_spelling([row[2] for row in rows if len(row) == 3])}"
        several = mostly([" " in row[0] for row in rows])
        if several and any(map(_is_line, rows)) and mostly([len(row) == 2 for row in rows]):
            tags = [tag for row in rows for tag in row[-1].split(" ")]
            spelling = guess_spelling(tags)
            # Parts of speech are no labels.
            return f"{_LINES} {spelling}" if mostly([*map(SPELLINGS[spelling].has, tags)]) else None
        return None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        if self.by_lines:
            return self._read_line(block)
        _, rows = split_rows(block, "\t", _naver_fault, "E401")
        numbers, tokens, tags = [[row[i] for row in rows] for i in range(_COLUMNS)]
        return self._labelled(tokens, tags)._replace(notes=restarts(numbers, block.line))

    def _read_line(self, block: Block) -> Labelled:
        text, _, tail = block.text.rstrip("\n").partition("\t")
        tokens = [token for token in text.split(" ") if token]
        tags = tail.split()
        if len(tokens) != len(tags):
            message = f"{counted(len(tokens), 'eojeol[s]')} and {counted(len(tags), 'tag[s]')}"
            message += ": each eojeol needs a tag"
            raise block.error(message, "E402")
        return self._labelled(tokens, tags)

    def _labelled(self, tokens: Iterable[str], tags: Iterable[str]) -> Labelled:
        return labelled_tokens(tokens, map(self._labels.__getitem__, tags))

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the row of the first eojeol."""
        return lambda entity: block.line if self.by_lines else block.line + entity.begin

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        tokens = labelled.tokens
        tags = list(map(self._tags.__getitem__, labelled.labels))
        if self.by_lines:
            return f"{' '.join(tokens)}\t{' '.join(tags)}\n"
        rows = map("\t".join, zip(map(str, count(1)), tokens, tags, strict=False))
        return "\n".join([*rows, "", ""])


def _naver_fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    return cells_fault(cells, "number, eojeol and tag", _COLUMNS, (1, 2))


def _is_line(row: list[str]) -> bool:
    return len(row) == 2 and len(row[0].split()) == len(row[1].split()) > 0
