"""Sentences as the objects of other libraries: `conllu.TokenList` and `pandas.DataFrame`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.formats.base import Frame
from sejongud.converters.recut import Recut
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.write import ConlluWriter

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from conllu import TokenList

    from sejongud.levels.cut import Granularity
    from sejongud.model import Sentence
    from sejongud.morphology.eojeol import Assembler

__all__ = ["from_tokenlist", "to_dataframe", "to_tokenlist"]

_FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def to_tokenlist(sentence: Sentence, granularity: Granularity) -> TokenList:
    """A sentence as the conllu library has it.

    `TokenList.serialize` gives back the lines that our own writer writes, but for one thing: its
    metadata is a dictionary, so of comments with the same key only the last remains.

    Args:
        sentence: the sentence.
        granularity: the level and the schemes.

    Returns:
        Its tokens; the `id` of a range is `(1, "-", 2)`.

    >>> from sejongud.morphology.eojeol import Assembler
    >>> from sejongud.levels.cut import Granularity
    >>> from sejongud.model import Sentence
    >>> from sejongud.rules import load
    >>> sentence = Sentence((Assembler(load())["나는\\t나/NP+는/JX"],), "1")
    >>> [token["form"] for token in to_tokenlist(sentence, Granularity(load(), 5))]
    ['나는', '나', '는']
    """
    from conllu.models import Metadata, Token, TokenList

    metadata = Metadata()
    tokens = []
    for line in ConlluWriter(Recut(granularity)).sentence(sentence).rstrip("\n").split("\n"):
        if line.startswith("# "):
            key, equals, value = line[2:].partition(" = ")
            metadata[key] = value if equals else None
        else:
            tokens.append(Token(zip(_FIELDS, map(_value, _FIELDS, line.split("\t")), strict=True)))
    return TokenList(tokens, metadata)


def _value(field: str, cell: str) -> object:
    """A cell as the conllu library has it."""
    if field == "id":
        return _number(cell)
    if field in ("form", "lemma", "upos", "deprel"):
        return cell
    if cell == "_":
        return None
    if field == "head":
        return int(cell)
    if field in ("feats", "misc"):
        pairs = [item.partition("=") for item in cell.split("|")]
        return {key: value for key, _, value in pairs}
    if field == "deps":
        relations = [item.partition(":") for item in cell.split("|")]
        return [(relation, _number(head)) for head, _, relation in relations]
    return cell


def _number(cell: str) -> int | tuple[int, str, int]:
    """Return an ID as the conllu library has it.

    >>> _number("3"), _number("1-2"), _number("2.1")
    (3, (1, '-', 2), (2, '.', 1))
    """
    for mark in "-.":
        first, found, last = cell.partition(mark)
        if found:
            return int(first), mark, int(last)
    return int(cell)


def from_tokenlist(tokens: TokenList, assembler: Assembler) -> Sentence:
    """The sentence of a token list, read as `ConlluReader` would read it from a file.

    Args:
        tokens: the tokens, whose metadata may hold `sent_id` and `text`.
        assembler: builds the eojeols.

    Raises:
        FormatError: this is no CoNLL-U; the line counts from the first comment.
    """
    reader = ConlluReader(assembler)
    sent_id = str(tokens.metadata.get("sent_id") or "1")
    return reader.parse(Frame(tokens.serialize().rstrip("\n"), 1, 1, sent_id))


def to_dataframe(sentences: Iterable[Sentence], granularity: Granularity) -> pd.DataFrame:
    """Sentences as a table, a row a word.

    Args:
        sentences: the sentences.
        granularity: the level and the schemes.

    Returns:
        Columns: `sent_id`; `eojeol`, `token` and `word`, numbers from 1 in their sentence; `id`,
        the corpus id of the eojeol or ""; `eojeol_form`, `token_form`; `form`, `lemma`, `upos`,
        `xpos` of the word.
    """
    import pandas as pd

    rows = []
    for sentence in sentences:
        ids = sentence.ids or ("",) * len(sentence.eojeols)
        token_number = word_number = 0
        for at, (eojeol, corpus_id) in enumerate(zip(sentence.eojeols, ids, strict=True), 1):
            for token in granularity.tokens(eojeol):
                token_number += 1
                for word in token.words:
                    word_number += 1
                    rows.append(
                        (
                            sentence.sent_id,
                            at,
                            token_number,
                            word_number,
                            corpus_id,
                            eojeol.form,
                            token.form,
                            *word[:4],
                        )
                    )
    return pd.DataFrame(rows, columns=list(_TABLE))


_TABLE = (
    "sent_id",
    "eojeol",
    "token",
    "word",
    "id",
    "eojeol_form",
    "token_form",
    "form",
    "lemma",
    "upos",
    "xpos",
)
