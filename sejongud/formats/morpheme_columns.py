"""Columns of morphemes: form, tag and label, without the numbers of eojeols.

    프랑스 NNP B-LC            프랑스 NNP - B-LC
    의 JKG O                   의 X-JKG - O
    옷 NNG O                   옷 NNG - O

A tag that begins with X- goes on in its eojeol (copies of the NAVER corpus). Where no tag does so,
particles, endings, suffixes, the copula and symbols go on, and all others begin an eojeol; so two
nouns are never one eojeol. The surfaces are made of the morphemes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from sejongud.formats.columns import Columns
from sejongud.formats.labelled import Labelled, MorphemeRow
from sejongud.formats.schemes import eojeol_begins, tags_of
from sejongud.formats.sniffing import whole_lines
from sejongud.morphology.generation import surface
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sejongud.formats.labelled import Block, Unit

_TAG = "*"
"""The place of the tag among the middle columns."""
_OTHER = "_"
"""A middle column whose cells differ."""
_GOES_ON, _BARE = "X-", "bare"
_FEW = 10
"""One of so many morphemes at least is a particle or an ending."""


class MorphemeColumns(Columns):
    """Reads and writes columns of morphemes.

    Args:
        settings: as those of `Columns`; then `X-`, if tags begin so inside an eojeol, or `bare`;
            then the middle columns, `*` for the tag.

    >>> from sejongud.formats.labelled import Block
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
        return eojeol_begins(pairs, (self.rules or load()).kind)

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
        return "".join([*self.head_of(labelled), *lines, "\n"])

    def told(self) -> list[str]:
        """Return a line about the eojeols that the tags tell."""
        if self._goes_on or not self._sentences:
            return []
        size = counted(self._sentences, "sentence[s]")
        return [f"the borders of eojeols in {size} were told by the tags of the morphemes"]
