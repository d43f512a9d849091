"""Sentences as the objects of other libraries: `conllu.TokenList` and `pandas.DataFrame`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.converters.jobs import Conversion
from sejongud.converters.recut import Recut, recut_of
from sejongud.errors import FormatError, UsageError
from sejongud.formats.base import Block
from sejongud.formats.conllu.plus import layers_of, needed_columns
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.formats.misc import word_views
from sejongud.model import NOTHING, Sentence
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pandas as pd
    from conllu import TokenList

    from sejongud.levels.cut import Granularity

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def to_tokenlist(sentence: Sentence, granularity: Granularity | None = None) -> TokenList:
    """Return a sentence as a token list of the conllu library.

    `TokenList.serialize` gives the lines of our own writer, except that its metadata is a
    dictionary: of several comments with one key only the last remains.

    Args:
        sentence: the sentence.
        granularity: the level and the schemes.

    Returns:
        Its tokens; the `id` of a range is `(1, "-", 2)`.

    >>> from sejongud.morphology.eojeol import Assembler
    >>> from sejongud.levels.cut import Granularity
    >>> from sejongud.model import NOTHING, Sentence
    >>> from sejongud.rules import load
    >>> sentence = Sentence((Assembler(load())["나는\\t나/NP+는/JX"],), "1")
    >>> [token["form"] for token in to_tokenlist(sentence, Granularity(load(), 5))]
    ['나는', '나', '는']
    """
    from conllu.models import Metadata, Token, TokenList

    metadata = Metadata()
    tokens = []
    cut = Recut(granularity)(sentence) if granularity else sentence
    for line in ConlluWriter().lines(cut).rstrip("\n").split("\n"):
        if line.startswith("# "):
            key, equals, value = line[2:].partition(" = ")
            metadata[key] = value if equals else None
        else:
            tokens.append(Token(zip(COLUMNS, map(_value, COLUMNS, line.split("\t")), strict=True)))
    return TokenList(tokens, metadata)


def _value(field: str, cell: str) -> object:
    """Return a cell as the conllu library stores it; a value may contain `=`."""
    from conllu.parser import DEFAULT_FIELD_PARSERS

    if field in ("feats", "misc") and cell.strip("|_"):
        pairs = [item.partition("=") for item in cell.split("|")]
        return {key: value for key, _, value in pairs}
    parse = DEFAULT_FIELD_PARSERS.get(field)
    return parse([cell], 0) if parse else cell


def from_tokenlist(tokens: TokenList, assembler: Assembler) -> Sentence:
    """Return the sentence of a token list, as `ConlluReader` reads it from a file.

    Args:
        tokens: the tokens, whose metadata may hold `sent_id` and `text`.
        assembler: builds the eojeols.

    Raises:
        FormatError: this is no CoNLL-U; the line counts from the first comment.
    """
    sent_id = str(tokens.metadata.get("sent_id") or "1")
    return ConlluReader(assembler).parse(Block(tokens.serialize().rstrip("\n"), 1, 1, sent_id))


def as_sentences(sentences: Iterable[Sentence | TokenList]) -> Iterator[Sentence]:
    """Iterate over sentences, each of which must be one, or a token list.

    Raises:
        UsageError: one of them is something else.
    """
    assembler = None
    for sentence in sentences:
        if not isinstance(sentence, Sentence) and hasattr(sentence, "serialize"):
            assembler = assembler or Assembler(load())
            sentence = from_tokenlist(sentence, assembler)
        if not isinstance(sentence, Sentence):
            raise UsageError(
                f"a sentence is a Sentence, not a value of type {type(sentence).__name__}"
            )
        yield sentence


_WORD = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "entity")
_TABLE = ("sent_id", "eojeol", "token", "word", "id", "eojeol_form", "token_form", *_WORD)


def to_dataframe(
    sentences: Iterable[Sentence | TokenList] | Sentence,
    *,
    level: int | None = None,
    upos: str | None = None,
    lemmas: str | None = None,
) -> pd.DataFrame:
    """Return sentences as a table, a row for each word.

    Args:
        sentences: the sentences, or one; a TokenList of the conllu library is one, too.
        level: of granularity, 1 to 5; None for the own words of a treebank, and else 5.
        upos: the UPOS scheme.
        lemmas: the lemma scheme.

    Returns:
        Columns: `sent_id`; `eojeol`, `token` and `word`, numbers from 1 in their sentence; `id`,
        the corpus id of the eojeol or ""; `eojeol_form`, `token_form`; `form`, `lemma`, `upos`,
        `xpos`, `feats`, `head` (-1 for none), `deprel` of the word; `entity`, its label.

    Raises:
        UsageError: there is no such level or scheme, or one of the sentences is no `Sentence`.
    """
    import pandas as pd

    rows: list[tuple[object, ...]] = []
    given = [sentences] if isinstance(sentences, Sentence) else sentences
    for cut in map(recut_of(level, upos, lemmas), as_sentences(given)):
        ids = cut.ids or ("",) * len(cut.eojeols)
        tokens = [token.form for token in cut.tokens]
        for word in word_views(cut):
            numbers = (cut.sent_id, word.eojeol + 1, word.token + 1, word.number)
            forms = (ids[word.eojeol], cut.eojeols[word.eojeol].form, tokens[word.token])
            rows.append((*numbers, *forms, *[getattr(word, name) for name in _WORD]))
    return pd.DataFrame(rows, columns=list(_TABLE))


def with_cells(
    sentence: Sentence, number: int, cells: Mapping[str, str], shown: str | None = None
) -> Sentence:
    """Return a sentence with other cells of a word, as CoNLL-U with all its layers is read.

    Another form changes the token around it and the text of the sentence.

    Args:
        sentence: the sentence in its own cut.
        number: the ID of the word.
        cells: the new cells by the names of `COLUMNS`.
        shown: the items of MISC that those of the new cell replace; None for all.

    Raises:
        FormatError: this would be no CoNLL-U, or the form is no part of its token.
    """
    conversion = Conversion("conllu", level=None, columns=needed_columns([layers_of(sentence)]))
    lines = conversion.make_pipeline().preamble.split("\n")
    lines[-1:] = conversion.make_writer().sentence(sentence).split("\n")
    if "form" in cells:
        lines = [line for line in lines if not line.startswith(("# text = ", "# text_orig = "))]
    place = next(i for i, line in enumerate(lines) if line.partition("\t")[0] == str(number))
    row = lines[place].split("\t")
    if shown is not None:
        new = [item for item in cells["misc"].split("|") if item != NOTHING]
        keys = {item.partition("=")[0] for item in new}
        others = [
            item
            for item in row[COLUMNS.index("misc")].split("|")
            if item not in (NOTHING, *shown.split("|")) and item.partition("=")[0] not in keys
        ]
        cells = {**cells, "misc": "|".join([*others, *new]) or NOTHING}
    if "form" in cells:
        _change_range(lines, place, cells["form"])
    for name, cell in cells.items():
        row[COLUMNS.index(name)] = cell
    lines[place] = "\t".join(row)
    reader = conversion.make_reader()
    [block] = reader.blocks(["\n".join(lines)])
    changed = reader.parse(block)
    return changed.but(text_orig=_text_after(sentence, changed))


def _change_range(lines: list[str], place: int, form: str) -> None:
    """Change the FORM of the range around a word that gets another form, if it stands in one.

    Raises:
        FormatError: the range is not its words, written one after another.
    """
    number = int(lines[place].partition("\t")[0])
    for at in range(place - 1, -1, -1):
        row = lines[at].split("\t")
        first, dash, last = row[0].partition("-")
        if not dash or not last.isdigit() or int(last) < number:
            continue
        ids = map(str, range(int(first), int(last) + 1))
        forms = dict([line.split("\t")[:2] for line in lines[at + 1 :] if "\t" in line])
        words = {word: forms[word] for word in ids}
        if "".join(words.values()) != row[1]:
            raise FormatError(
                f"{row[1]} is not {' + '.join(words.values())} one after another, so none of them"
                " can be replaced alone: Sentence.build makes a sentence of forms and analyses",
                code="E230",
            )
        row[1] = "".join((words | {str(number): form}).values())
        lines[at] = "\t".join(row)


def _text_after(before: Sentence, changed: Sentence) -> str:
    """Return the text of a source that is not its eojeols joined, with the changed eojeols."""
    pieces = re.split(r"(\s+)", before.text_orig)
    if len(pieces) == 2 * len(before.eojeols) - 1:
        for index, (old, new) in enumerate(zip(before.eojeols, changed.eojeols, strict=True)):
            pieces[2 * index] = new.form if pieces[2 * index] == old.form else pieces[2 * index]
    return "".join(pieces)
