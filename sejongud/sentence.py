"""A sentence as a user of the library sees it: words with their heads, entities and features.

    for sentence in sejongud.read("ko_gsd-ud-dev.conllu"):
        for word in sentence:
            print(word.form, word.upos, word.head, word.deprel, word.entity)

A word is a `sejongud.formats.words.WordView`.
"""

from __future__ import annotations

from dataclasses import fields, replace
from html import escape
from textwrap import shorten
from typing import TYPE_CHECKING, overload

from sejongud import model
from sejongud.formats.words import word_views

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from conllu.models import TokenList

    from sejongud.formats.words import WordView

_SHOWN = 60
"""The most characters of its text that the `repr` of a sentence shows."""


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

    __slots__ = ()

    @classmethod
    def of(cls, sentence: model.Sentence) -> SentenceView:
        """Return the public view of a sentence."""
        return cls(*[getattr(sentence, one.name) for one in fields(sentence)])

    def cut(self) -> SentenceView:
        """Return the sentence in its own cut, or at level 5 if its source has none."""
        from sejongud.converters.recut import recut_of

        made = recut_of(None)(self)
        return self if made is self else SentenceView.of(made)

    def __iter__(self) -> Iterator[WordView]:
        return word_views(self.cut())

    def __len__(self) -> int:
        return len(list(self.cut().words))

    @overload
    def __getitem__(self, at: int) -> WordView: ...

    @overload
    def __getitem__(self, at: slice) -> list[WordView]: ...

    def __getitem__(self, at: int | slice) -> WordView | list[WordView]:
        return list(self)[at]

    def __reversed__(self) -> Iterator[WordView]:
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
        from sejongud.converters.recut import recut_of

        return SentenceView.of(recut_of(level, upos, lemmas)(replace(self)))

    def at_level(
        self, level: int, *, upos: str | None = None, lemmas: str | None = None
    ) -> list[model.Token]:
        """Return the tokens of the sentence at a level of granularity; see `recut`."""
        return list(self.recut(level, upos=upos, lemmas=lemmas).tokens)

    def to_dataframe(self, level: int | None = None) -> pd.DataFrame:
        """Return the words as a table, a row a word; see `sejongud.interop.to_dataframe`.

        Args:
            level: 1 to 5; None for the sentence's own cut.
        """
        from sejongud.interop import to_dataframe

        return to_dataframe([self.cut() if level is None else self.recut(level)])

    def to_tokenlist(self, level: int | None = None) -> TokenList:
        """Return the sentence as the conllu library has it; see `sejongud.interop.to_tokenlist`.

        Args:
            level: 1 to 5; None for the sentence's own cut.
        """
        from sejongud.interop import to_tokenlist

        return to_tokenlist(self.cut() if level is None else self.recut(level))

    def to_conllu(self, level: int | None = None) -> str:
        """Return the sentence as CoNLL-U, with the blank line behind it.

        The ten columns have no place for frames and constituents: `sejongud.write` has.

        Args:
            level: 1 to 5; None for the sentence's own cut.
        """
        from sejongud.formats.conllu.write import ConlluWriter

        return ConlluWriter().sentence(self.cut() if level is None else self.recut(level))

    def _repr_html_(self) -> str:
        """Return the words as a table of HTML, as notebooks show it."""
        names = ("number", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "entity")
        rows = [[str(getattr(word, name)) for name in names] for word in self]
        head = "".join([f"<th>{name}</th>" for name in names])
        body = "".join(
            ["<tr>" + "".join([f"<td>{escape(c)}</td>" for c in row]) + "</tr>" for row in rows]
        )
        return f"<p>{escape(self.text)}</p><table><tr>{head}</tr>{body}</table>"


def _said(sentence: SentenceView) -> Sequence[object]:
    """Return all that is said of a sentence, by value: its eojeols are compared by identity."""
    eojeols = [
        (
            *(eojeol.form, eojeol.morphemes, eojeol.spans, eojeol.notes, eojeol.said),
            [[getattr(token, name) for name in token.__slots__] for token in eojeol.tokens],
        )
        for eojeol in sentence.eojeols
    ]
    return eojeols, [getattr(sentence, one.name) for one in fields(sentence)[1:]]


Sentence = SentenceView
"""The name under which the library has it: `sejongud.Sentence`."""
