"""A sentence as a user of the library sees it: words with their heads, entities and features.

    for sentence in sejongud.read("ko_gsd-ud-dev.conllu"):
        for word in sentence:
            print(word.form, word.upos, word.head, word.deprel, word.entity)

Neither sentences nor words are changed in place: `replace` and `with_comments` return new
sentences, and `Sentence.build` makes one of forms and analyses.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from itertools import accumulate
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple, TypedDict, overload

from sejongud import model
from sejongud.converters.recut import recut_of
from sejongud.errors import FormatError, UsageError
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.formats.misc import misc_items, word_span, word_views
from sejongud.interop import to_dataframe, to_tokenlist, with_cells
from sejongud.morphology.eojeol import LINE_BREAK, Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Unpack

    import pandas as pd
    from conllu.models import TokenList

    from sejongud.morphology.generation import Given

_SHOWN = 60
"""The most characters of its text that the `repr` of a sentence shows."""


class Items(Mapping[str, str]):
    """FEATS or MISC of a word, by their keys; `str` gives the text of the column.

    >>> items = Items("Case=Nom|Number=Plur")
    >>> items["Case"], dict(items), str(items), str(Items("_")), Items("_").get("Case")
    ('Nom', {'Case': 'Nom', 'Number': 'Plur'}, 'Case=Nom|Number=Plur', '_', None)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._items = misc_items(text)

    def __getitem__(self, key: str) -> str:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Items({self._text!r})"

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))


class SentenceWord(NamedTuple):
    """A word in its sentence."""

    number: int
    """From 1."""
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: Items
    head: int | None
    """The number of its governor, 0 for the root; None if it has none."""
    deprel: str
    deps: str
    misc: Items
    """The items of MISC that nothing else here says."""
    entity: str
    """The label of the outermost entity it is part of, "" for none."""
    start: int
    """Its first character in the text of the sentence, from 0."""
    end: int
    """Behind its last character; morphemes that are fused share a syllable."""
    eojeol: int
    """Its eojeol, from 0."""
    token: int
    """Its token in the sentence, from 0."""


class WordColumns(TypedDict, total=False):
    """The columns of a word that `Sentence.replace` takes."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str | Mapping[str, str]
    head: int | None
    deprel: str
    deps: str
    misc: str | Mapping[str, str]


class SentenceView(model.Sentence):
    """A sentence with all its annotation; see `sejongud.model.Sentence` for its fields.

    It is a sequence of words: those of a treebank as the treebank has them, those of other corpora
    at level 5. An index makes all of them anew, so `list(sentence)` is better in a loop. Sentences
    are equal if all that is said of them is equal.

    >>> import sejongud
    >>> [sentence] = sejongud.loads("나는\\t나/NP+는/JX\\n간다\\t가/VV+ㄴ다/EF\\n")
    >>> len(sentence), [word.form for word in sentence], sentence.text
    (4, ['나', '는', '가', 'ㄴ다'], '나는 간다')
    >>> sentence[-1].xpos, [word.form for word in sentence[:2]], sentence
    ('EF', ['나', '는'], <Sentence 1: 나는 간다>)
    >>> [(token.form, len(token.words)) for token in sentence.at_level(2)]
    [('나는', 1), ('간다', 1)]
    """

    @classmethod
    def of(cls, sentence: model.Sentence) -> SentenceView:
        """Return the public view of a sentence."""
        return cls(**vars(sentence))

    def cut(self) -> SentenceView:
        """Return the sentence in its own cut, or at level 5 if its source has none."""
        made = recut_of(None)(self)
        return self if made is self else SentenceView.of(made)

    @classmethod
    def build(cls, eojeols: Iterable[tuple[str, Given]], *, sent_id: str = "1") -> SentenceView:
        """Return a sentence of forms and their analyses.

        Args:
            eojeols: for each eojeol its form and its morphemes: `가/VV+았/EP+다/EF`, or a form and
                a tag of each.
            sent_id: its id.

        Raises:
            FormatError: an analysis cannot be that of its form, or has a morpheme without a tag.
            UsageError: the id has several lines.

        >>> SentenceView.build([("갔다", "가/VV+았/EP+다/EF")])[0].lemma
        '가'
        """
        from sejongud.morphology.generation import given_morphemes

        assembler = Assembler(load())
        built = [assembler.eojeol(form, given_morphemes(given)) for form, given in eojeols]
        for eojeol in built:
            faults = [note.message for note in eojeol.notes if note.code in ("W104", "W106")]
            if faults or any(map(str.isspace, eojeol.form)):
                why = faults[0] if faults else f"{eojeol.form} has a space, which parts eojeols"
                raise FormatError(f"this cannot be the analysis: {why}", code="E230")
        if LINE_BREAK.search(str(sent_id)):
            raise UsageError(f"this is no id of one line: {sent_id!r}")
        return cls(tuple(built), sent_id)

    def replace(self, index: int, **columns: Unpack[WordColumns]) -> SentenceView:
        """Return the sentence with other columns of a word; see `WordColumns` for their names.

        The sentence becomes one of a treebank in its own cut, which is read as CoNLL-U is. Another
        form changes the text as well: 너 for 나 makes 너는 of 나는.

        Args:
            index: the word, as in `sentence[index]`.
            **columns: the columns to replace; `head` is the number of a word, from 1, or None. A
                mapping for `misc` replaces the items that `misc` of the word shows, and a text all,
                entities and SpaceAfter as well.

        Raises:
            FormatError: this would be no CoNLL-U, such as a head that is no word; or another form
                of a word that is fused with its neighbours, as 가 in 갔다.
            IndexError: there is no such word.
            UsageError: there is no such column.
        """
        cut = self.cut()
        number = range(1, len(cut) + 1)[index]
        cells = {}
        for name, value in columns.items():
            if name not in WordColumns.__annotations__:
                known = ", ".join(WordColumns.__annotations__)
                raise UsageError(f"a word has no column {name}: {known}")
            text = model.NOTHING if value is None else str(value)
            if isinstance(value, Mapping):
                items = [f"{key}={item}" if item else key for key, item in value.items()]
                text = "|".join(items) or model.NOTHING
            if not text or LINE_BREAK.search(text):
                raise FormatError(f"{name} is no cell of CoNLL-U: {text!r}", code="E231")
            cells[name] = text
        # Mappings have the items that `SentenceWord.misc` shows, and no SpaceAfter, NE or Sense.
        is_mapping = isinstance(columns.get("misc"), Mapping)
        shown = str(cut[number - 1].misc) if is_mapping else None
        changed = with_cells(cut, number, cells, shown)
        return SentenceView.of(changed.but(number=self.number, is_treebank=True))

    def with_comments(self, comments: Iterable[str]) -> SentenceView:
        """Return the sentence with other comments, without the `#`: `newdoc id = BTAA0001`.

        Raises:
            UsageError: a comment has several lines, or is the id or the text of the sentence.
        """
        if isinstance(comments, str):
            raise UsageError("with_comments takes several comments: put this one into a list")
        lines = tuple(comments)
        for line in lines:
            if LINE_BREAK.search(line) or line.startswith(("sent_id =", "text =")):
                raise UsageError(f"this is no further comment of one line: {line!r}")
        return self.but(comments=lines)

    def __iter__(self) -> Iterator[SentenceWord]:
        cut = self.cut()
        starts = list(accumulate([len(eojeol.form) + 1 for eojeol in cut.eojeols], initial=0))
        for word in word_views(cut):
            start = starts[word.eojeol]
            begin, end = word_span(cut.eojeols[word.eojeol], word)
            yield SentenceWord(
                *word[:5],
                Items(word.feats),
                None if word.head < 0 else word.head,
                word.deprel,
                word.deps,
                Items("|".join(word.misc) or model.NOTHING),
                word.entity,
                start + begin,
                start + end,
                word.eojeol,
                word.token,
            )

    def __len__(self) -> int:
        return len(list(self.cut().words))

    @overload
    def __getitem__(self, at: int) -> SentenceWord: ...

    @overload
    def __getitem__(self, at: slice) -> list[SentenceWord]: ...

    def __getitem__(self, at: int | slice) -> SentenceWord | list[SentenceWord]:
        return list(self)[at]

    def __reversed__(self) -> Iterator[SentenceWord]:
        return reversed(list(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SentenceView) and _said(self) == _said(other)

    def __repr__(self) -> str:
        return f"<Sentence {self.sent_id}: {shorten(self.text, _SHOWN, placeholder=' …')}>"

    def recut(
        self, level: int, *, upos: str | None = None, lemmas: str | None = None
    ) -> SentenceView:
        """Return the sentence with its words cut at a level of granularity.

        Args:
            level: 1 to 5.
            upos: the UPOS scheme; None for the UPOS of a treebank's words, and else "sejong".
            lemmas: the lemma scheme; None likewise, and else "normalised".

        Raises:
            UsageError: no such level or scheme.
        """
        return SentenceView.of(recut_of(level, upos, lemmas)(self.but()))

    def at_level(
        self, level: int, *, upos: str | None = None, lemmas: str | None = None
    ) -> list[model.Token]:
        """Return the tokens of the sentence at a level of granularity; see `recut`."""
        return list(self.recut(level, upos=upos, lemmas=lemmas).tokens)

    def to_dataframe(self, level: int | None = None) -> pd.DataFrame:
        """Return the words as a table, a row a word; see `sejongud.to_dataframe`.

        Args:
            level: 1 to 5; None for the sentence's own cut.
        """
        return to_dataframe([self], level=level)

    def to_tokenlist(self, level: int | None = None) -> TokenList:
        """Return the sentence as the conllu library has it; see `sejongud.interop.to_tokenlist`.

        Args:
            level: 1 to 5; None for the sentence's own cut.
        """
        return to_tokenlist(self.cut() if level is None else self.recut(level))

    def to_conllu(self, level: int | None = None) -> str:
        """Return the sentence as CoNLL-U, with the blank line behind it.

        The ten columns have no place for frames and constituents: `sejongud.write` has.

        Args:
            level: 1 to 5; None for the sentence's own cut.
        """
        return ConlluWriter().sentence(self.cut() if level is None else self.recut(level))

    def _repr_html_(self) -> str:
        """Return the picture and the words as a table of HTML, as notebooks show them."""
        from sejongud.report.picture import Picture

        names = ("number", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "entity")
        cells = [[getattr(word, name) for name in names] for word in self]
        rows = [["_" if cell is None else str(cell) for cell in row] for row in cells]
        head = "".join([f"<th>{name}</th>" for name in names])
        body = "".join(
            ["<tr>" + "".join([f"<td>{escape(c)}</td>" for c in row]) + "</tr>" for row in rows]
        )
        picture = Picture(load()).svg(self)
        table = f"<details><summary>Table</summary><table><tr>{head}</tr>{body}</table></details>"
        return f'<div style="overflow-x:auto" tabindex="0">{picture}</div>{table}'


def _said(sentence: SentenceView) -> Sequence[object]:
    """Return all that is said of a sentence, by value: its eojeols are compared by identity."""
    eojeols = [
        (
            *(eojeol.form, eojeol.morphemes, eojeol.spans, eojeol.notes, eojeol.occurrence),
            [[getattr(token, name) for name in token.__slots__] for token in eojeol.tokens],
        )
        for eojeol in sentence.eojeols
    ]
    return eojeols, list(vars(sentence).values())[1:]


Sentence = SentenceView
"""The name under which the library has it: `sejongud.Sentence`."""
