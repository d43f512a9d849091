"""JSON Lines: a sentence a line, as one JSON object.

    sent_id     the id
    text        the eojeols joined by one space
    text_orig   the text of the source (only where it differs)
    comments    the other comments, a list (only where there are any)
    header      the comment lines of the source, a list (only where they have an order or a text
                that the other keys do not tell)
    eojeols     a list of objects:
        form        the surface
        id          the id of the corpus (only where there is one)
        made        true where the surface was made from the morphemes by Kiwi (else absent)
        error       the code of the error that `--on-error keep` kept (else absent)
        morphemes   a list of objects:
            form, tag   the morpheme; bound consonants are compatibility jamo
            span        its part of the surface: begin, end, in code points
            source      its spelling in the corpus, where that differs
            sense       its sense number, where it has one
            source_tag  its tag in the corpus, where that was a typo
            added       true where the corpus lacks it
        tokens      a list of objects:
            form        the surface
            words       a list of objects: form, lemma, upos, xpos
    words       the words as CoNLL-U has them (only where `tokens` do not tell all of it), a list of
                objects: eojeol (from 0), morphemes (first and behind the last, from 0), form,
                lemma, upos, xpos, feats, head (from 1; 0 the root; -1 none), deprel, deps, misc (a
                list)
    ranges      the multiword tokens of these words (only where there are any), a list of objects:
                first and last (words, from 1), form, feats, misc (a list)
    empty_nodes the empty nodes between these words (only where there are any), a list of objects:
                after (the word before the node), number (the digits behind the dot of its ID),
                cells (the nine columns behind its ID)
    entities    layers of entity labels (only where the source has them), a list of lists: of each
                eojeol the labels of its morphemes, none where all are outside
    frames      instances of frames (only where the source has them), a list of objects:
        targets     of each eojeol null, or an object: unit, frame, and at, which of its morphemes
                    belong to the target (only where not all do)
        labels      frame elements, as a layer of entities
        comments    what the source says of the instance (only where it does)
    constituents    the phrase structure in the order of its opening brackets (only where the source
                has one), a list of objects: label, start and end (morphemes of the sentence, from
                0), depth (constituents around it); a null element is empty, its label is its text

The reader needs the form and the morphemes of each eojeol, and ignores `text` and `span`, which
follow from them. A key whose value is null counts as absent, as tables of other programs have it
(Hugging Face, pandas). In files of older versions the words have no form, and `misc` lacks the
items that other keys tell.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, Note
from sejongud.files import numbered_lines
from sejongud.formats.around import from_json
from sejongud.formats.base import Block, Reader, first_lines, identified, is_json
from sejongud.formats.conllu.rows import deps_fit
from sejongud.formats.conllu.sentence import ConlluReader, add_comments
from sejongud.formats.conllu.write import ConlluWriter, Deps, header_of
from sejongud.formats.json_layers import frame_values, read_constituents, read_frames, read_labels
from sejongud.formats.json_text import CODE, beginning, get, load_json, misfit, texts
from sejongud.formats.misc import as_read, other_items
from sejongud.memo import Memo
from sejongud.model import NOTHING, Arcs, Eojeol, Morpheme, Sentence, Token, Word
from sejongud.morphology.eojeol import LINE_BREAK, MADE, Assembler

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


_encode = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode
_REMEMBERED = 48_000


class JsonlWriter:
    """Write a JSON object a sentence.

    Args:
        deps: the dependencies that are written; see `ConlluWriter`.
    """

    def __init__(self, *, deps: Deps = "") -> None:
        self._deps = deps
        self._conllu = ConlluWriter(deps=deps)
        self._says_more: Memo[Eojeol, bool] = Memo(
            lambda eojeol: any(map(_says_more, eojeol.tokens)), size=_REMEMBERED
        )
        # The JSON of an eojeol without its id, and without the opening brace.
        self._eojeols: Memo[Eojeol, str] = Memo(
            lambda eojeol: _encode(_eojeol_value(eojeol))[1:], size=_REMEMBERED
        )

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence, with its end."""
        cache = self._eojeols
        ids = sentence.ids or ("",) * len(sentence.eojeols)
        eojeols = ", ".join(
            [
                f'{{"id": {_encode(corpus_id)}, {cache[e]}' if corpus_id else f"{{{cache[e]}"
                for corpus_id, e in zip(ids, sentence.eojeols, strict=True)
            ]
        )
        before: dict[str, Any] = {"sent_id": sentence.sent_id, "text": sentence.text}
        if sentence.text_orig:
            before["text_orig"] = sentence.text_orig
        if sentence.comments:
            before["comments"] = sentence.comments
        if sentence.header is not None and (lines := self._odd_header(sentence)):
            before["header"] = lines
        behind: dict[str, Any] = {}
        if (
            sentence.is_treebank
            or sentence.arcs
            or self._deps == "dummy"
            or any(map(self._says_more.__getitem__, sentence.eojeols))
        ):
            behind = _columns(sentence, self._conllu.lines(sentence))
        if sentence.entities:
            behind["entities"] = sentence.entities
        if sentence.frames:
            behind["frames"] = frame_values(sentence.frames)
        if sentence.constituents:
            behind["constituents"] = [node._asdict() for node in sentence.constituents]
        rest = f", {_encode(behind)[1:]}" if behind else "}"
        return f'{_encode(before)[:-1]}, "eojeols": [{eojeols}]{rest}\n'

    def loses(self, _: Sentence) -> list[Note]:
        """Return the incidents of parts of a sentence that are not written: none."""
        return []

    def _odd_header(self, sentence: Sentence) -> list[str]:
        """Return the comment lines of a sentence, [] if they are those that a writer makes."""
        lines = self._conllu.header(sentence)
        header = sentence.sent_id, sentence.text, sentence.text_orig, sentence.comments
        return [] if lines == header_of(*header) else lines.split("\n")[:-1]


def _eojeol_value(eojeol: Eojeol) -> dict[str, Any]:
    """Return the object of an eojeol with its tokens."""
    value: dict[str, Any] = {"form": eojeol.form}
    for code, *_ in eojeol.notes:
        if code == MADE.code:
            value["made"] = True
        elif code.startswith("E"):
            value["error"] = code
    value["morphemes"] = [
        _morpheme(morpheme, span)
        for morpheme, span in zip(eojeol.morphemes, eojeol.spans, strict=True)
    ]
    value["tokens"] = [
        {
            "form": token.form,
            "words": [
                {"form": w.form, "lemma": w.lemma, "upos": w.upos, "xpos": w.xpos}
                for w in token.words
            ],
        }
        for token in eojeol.tokens
    ]
    return value


def _morpheme(morpheme: Morpheme, span: tuple[int, int]) -> dict[str, Any]:
    values: dict[str, Any] = {"form": morpheme.form, "tag": morpheme.tag, "span": span}
    for key in ("source", "sense", "source_tag", "added"):
        if value := getattr(morpheme, key):
            values[key] = value
    return values


_NOTHING_MORE = NOTHING, ""
"""FEATS and MISC of a word or a range that its morphemes tell."""
_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def _says_more(token: Token) -> bool:
    """Test whether a token has columns that its morphemes and `tokens` do not tell."""
    columns = [(token.feats, token.misc), *[(word.feats, word.misc) for word in token.words]]
    return token.was_read or columns.count(_NOTHING_MORE) < len(columns)


def _columns(sentence: Sentence, text: str) -> dict[str, Any]:
    """Return the words of a sentence, its multiword tokens and its empty nodes as objects.

    Args:
        sentence: whose words have been cut.
        text: the sentence in CoNLL-U.
    """
    words: list[dict[str, Any]] = []
    ranges: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    places = _places(sentence)
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("#"):
            continue
        number, *cells = line.split("\t")
        if number.isdigit():
            word: dict[str, Any] = dict(zip(("eojeol", "morphemes"), next(places), strict=True))
            word |= zip(_COLUMNS, cells, strict=True)
            word["head"] = -1 if word["head"] == NOTHING else int(word["head"])
            word["misc"] = _items(word["misc"])
            words.append(word)
        elif "." in number:
            after, _, digits = number.partition(".")
            nodes.append({"after": int(after), "number": digits, "cells": cells})
        else:
            first, _, last = number.partition("-")
            token = {"form": cells[0], "feats": cells[4], "misc": _items(cells[-1])}
            ranges.append({"first": int(first), "last": int(last), **token})
    layers = {"words": words, "ranges": ranges, "empty_nodes": nodes}
    return {key: values for key, values in layers.items() if values}


def _places(sentence: Sentence) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the eojeol and the morphemes of each word of a sentence."""
    for index, eojeol in enumerate(sentence.eojeols):
        sizes = [len(word.morphemes) for token in eojeol.tokens for word in token.words]
        for place in pairwise(accumulate(sizes, initial=0)):
            yield index, place


def _items(misc: str) -> list[str]:
    return [] if misc == NOTHING else misc.split("|")


_Key = tuple[str, tuple[tuple[Any, ...], ...], bool, str, tuple[Any, ...]]
"""The values in the object of an eojeol: form, morphemes, `made`, `error`, tokens."""


class JsonlReader(Reader):
    """Read the lines of `JsonlWriter`."""

    def __init__(self, assembler: Assembler, *, keep: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self._conllu = ConlluReader(assembler)
        self._eojeols: Memo[_Key, Eojeol] = Memo.of(self, JsonlReader._read, size=_REMEMBERED)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for JSON whose first line has a sent_id."""
        first = "".join(first_lines(head)[:1])
        return "" if is_json(head) and '"sent_id"' in first else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the lines that are not blank."""
        lines = (line for line in numbered_lines(chunks) if line[1].strip())
        return identified(lines, _sent_id)

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a line.

        Raises:
            FormatError: it is no JSON object of this kind.
        """
        record = load_json(block.text, block.line, CODE)
        if "null" in block.text:
            record = _without_nulls(record)
        items = get(record, "eojeols", list)
        if not items:
            raise misfit("the sentence has no eojeols", block.line)
        words = get(record, "words", list, [])
        is_open = not all([get(word, key, str, "") for word in words for key in _COLUMNS[:4]])
        eojeols = tuple([self._eojeol(item, cut=is_open or not words) for item in items])
        if is_open:
            sentence = _from_open_words(words, eojeols, block)
        elif words:
            sentence = self._from_words(record, words, eojeols, block)
        else:
            sentence = Sentence(eojeols, block.sent_id, number=block.number)
        if header := texts(record, "header"):
            add_comments(sentence, "".join([f"{line}\n" for line in header]), block)
        comments, text_orig = texts(record, "comments"), get(record, "text_orig", str, "")
        if (sentence.comments, sentence.text_orig) != (comments, text_orig):
            sentence.comments, sentence.text_orig, sentence.header = comments, text_orig, None
        ids = tuple([get(item, "id", str, "") for item in items])
        sentence.ids = ids if any(ids) else ()
        layers = get(record, "entities", list, [])
        sentence.entities = tuple([read_labels(layer, eojeols, "entities") for layer in layers])
        sentence.frames = read_frames(record, eojeols)
        sentence.constituents = read_constituents(record, eojeols)
        return sentence

    def _eojeol(self, item: Any, *, cut: bool) -> Eojeol:
        """Return the eojeol of an object.

        Args:
            item: the object.
            cut: whether the eojeol gets the tokens of its object.

        Raises:
            FormatError: a key is missing, or a value is of another type.
        """
        try:
            return self._eojeols[_key_of(item, cut=cut)]
        except (AttributeError, KeyError, TypeError):
            _check(item)
            raise

    def _read(self, key: _Key) -> Eojeol:
        """Return the eojeol of some values.

        Raises:
            TypeError: a value is of another type.
        """
        form, items, is_made, error, tokens = key
        cells = [form, error, *[text for item in items for text in item[:-1]]]
        flags = [is_made, *[item[-1] for item in items]]
        if not all(map(_is_text, cells)) or not all([type(flag) is bool for flag in flags]):
            raise TypeError
        if not form or not items:
            raise misfit("an eojeol has no form or no morphemes")
        morphemes = tuple([Morpheme(*item) for item in items])
        eojeol = self.assembler.made(form, morphemes, completes=False)
        notes: tuple[Note, ...] = (MADE,) if is_made else ()
        if error:
            notes += (Note(error, f"{form} was kept as it is when it was first read"),)
        eojeol = eojeol.with_notes(notes)
        return _with_tokens(eojeol, tokens) if tokens else eojeol

    def _from_words(
        self, record: Any, words: Sequence[Any], eojeols: Sequence[Eojeol], block: Block
    ) -> Sentence:
        """Return the sentence of words with all of their columns, as CoNLL-U is read.

        Args:
            record: the object of the sentence.
            words: its words.
            eojeols: the eojeols, as their objects tell them.
            block: the place of the sentence.

        Raises:
            FormatError: the words are no sentence, or make other eojeols.
        """
        try:
            sentence = self._conllu.parse(block._replace(text="\n".join(_rows(record, words))))
        except FormatError as error:
            raise misfit(f"words: {error.message}", block.line) from None
        if [eojeol.form for eojeol in sentence.eojeols] != [eojeol.form for eojeol in eojeols]:
            raise misfit("the words make other eojeols than those of the sentence", block.line)
        for eojeol, counterpart in zip(sentence.eojeols, eojeols, strict=True):
            if eojeol.morphemes != counterpart.morphemes:
                message = f"{eojeol.form}: the words, which are used, have other morphemes"
                sentence.notes += (Note(_UNLIKE, message),)
        if sentence.arcs is not None and len(sentence.arcs.heads) == 1:
            # A single word and its root are no chain of `--deps dummy`.
            sentence.is_treebank = True
        return sentence


_UNLIKE = "W331"
"""The code for tokens or words that do not fit the morphemes of their eojeol."""


def _rows(record: Any, words: Sequence[Any]) -> Iterator[str]:
    """Yield the lines of words, multiword tokens and empty nodes in CoNLL-U."""
    before: dict[int, list[str]] = {}
    for item in get(record, "empty_nodes", list, []):
        after = get(item, "after", int)
        cells = f"{after}.{get(item, 'number', str)}", *texts(item, "cells")
        before.setdefault(after + 1, []).append("\t".join(cells))
    for item in get(record, "ranges", list, []):
        first, last = get(item, "first", int), get(item, "last", int)
        form, feats = get(item, "form", str), get(item, "feats", str)
        line = f"{first}-{last}\t{form}\t_\t_\t_\t{feats}\t_\t_\t_\t{_misc(item)}"
        before.setdefault(first, []).append(line)
    for number, word in enumerate(words, 1):
        yield from before.pop(number, ())
        columns = [get(word, key, str) for key in ("form", "lemma", "upos", "xpos", "feats")]
        head, *arc = get(word, "head", int), get(word, "deprel", str), get(word, "deps", str)
        written = NOTHING if head == -1 else str(head)
        yield "\t".join((str(number), *columns, written, *arc, _misc(word)))
    # Nodes behind the last word; a line without its word has an ID out of order.
    yield from chain.from_iterable(before.values())


def _misc(item: Any) -> str:
    return "|".join(texts(item, "misc")) or NOTHING


def _arcs(words: Sequence[Any]) -> Arcs | None:
    """Return the arcs of words, None if they have none."""
    heads = tuple([get(word, "head", int) for word in words])
    deprels, deps = [tuple([get(word, key, str) for word in words]) for key in ("deprel", "deps")]
    if deps.count(NOTHING) == len(deps):
        deps = ()
    if not all([deps_fit(cell, len(words)) for cell in deps]):
        raise misfit("deps: expected HEAD:DEPREL with | between, of words of the sentence")
    has_arcs = deps or max(heads) >= 0 or set(deprels) != {NOTHING}
    return Arcs(heads, deprels, deps) if has_arcs else None


def _key_of(item: Any, *, cut: bool) -> _Key:
    """Return the values in the object of an eojeol, whatever their types."""
    # To check each of them here would take more time than all the rest.
    morphemes = [
        (
            morpheme["form"],
            morpheme["tag"],
            morpheme.get("source", ""),
            morpheme.get("sense", ""),
            morpheme.get("source_tag", ""),
            morpheme.get("added", False),
        )
        for morpheme in item["morphemes"]
    ]
    tokens = [
        (
            token["form"],
            tuple([(w["form"], w["lemma"], w["upos"], w["xpos"]) for w in token["words"]]),
        )
        for token in (item.get("tokens", ()) if cut else ())
    ]
    is_made, error = item.get("made", False), item.get("error", "")
    return item["form"], tuple(morphemes), is_made, error, tuple(tokens)


def _check(item: Any) -> None:
    """Check that the object of an eojeol has its keys, with values of their types.

    Raises:
        FormatError: it has not.
    """
    get(item, "form", str)
    for morpheme in get(item, "morphemes", list):
        for key in ("form", "tag"):
            get(morpheme, key, str)
        for key in ("source", "sense", "source_tag"):
            get(morpheme, key, str, "")
        get(morpheme, "added", bool, False)
    get(item, "made", bool, False)
    get(item, "error", str, "")
    for token in get(item, "tokens", list, []):
        get(token, "form", str)
        for word in get(token, "words", list):
            for key in ("form", "lemma", "upos", "xpos"):
                get(word, key, str)


def _is_text(value: Any) -> bool:
    return type(value) is str and not LINE_BREAK.search(value)


def _with_tokens(eojeol: Eojeol, items: Iterable[Any]) -> Eojeol:
    """Return an eojeol with its tokens; without them, and with a note, if they do not fit.

    Raises:
        TypeError: a value is of another type.
    """
    columns = [values for _, words in items for values in words]
    cells = [*[form for form, _ in items], *chain.from_iterable(columns)]
    if not all(map(_is_text, cells)):
        raise TypeError
    if "" in cells:
        return eojeol  # Their columns are open.
    tags = "+".join([morpheme.tag for morpheme in eojeol.morphemes])
    is_cut = all([words for _, words in items])
    if not is_cut or "+".join([xpos for _, _, _, xpos in columns]) != tags:
        message = f"{eojeol.form}: the tokens do not fit the morphemes, and are left out"
        return eojeol.with_notes([Note(_UNLIKE, message)])
    tokens = []
    start = 0
    for form, words in items:
        cut = []
        for text, lemma, upos, xpos in words:
            end = start + xpos.count("+") + 1
            cut.append(Word(text, lemma, upos, xpos, NOTHING, "", eojeol.morphemes[start:end]))
            start = end
        is_last = start == len(eojeol.morphemes)
        tokens.append(Token(form, tuple(cut), misc="", was_read=False, space_after=is_last))
    return eojeol.but(tokens=tuple(tokens))


# --- words with open columns ----------------------------------------------------------------------


def _from_open_words(words: Sequence[Any], eojeols: Sequence[Eojeol], block: Block) -> Sentence:
    """Return the sentence of words some of whose columns are open, as in older files.

    Raises:
        FormatError: the words do not fit the eojeols.
    """
    by_eojeol: list[list[Word]] = [[] for _ in eojeols]
    for item in words:
        index, span = get(item, "eojeol", int), get(item, "morphemes", list)
        morphemes = eojeols[index].morphemes if 0 <= index < len(eojeols) else ()
        taken = sum([len(word.morphemes) for word in by_eojeol[index]]) if morphemes else 0
        if not (
            len(span) == 2
            and all(type(n) is int for n in span)
            and taken == span[0] < span[1] <= len(morphemes)
        ):
            message = f"a word has the morphemes {beginning(span)} of eojeol {index}"
            raise misfit(f"{message}: expected those behind the word before it")
        lemma, upos, xpos, feats = [get(item, key, str) for key in _COLUMNS[1:5]]
        misc = "|".join(texts(item, "misc"))
        word = Word("", lemma, upos, xpos, feats, misc, morphemes[slice(*span)])
        by_eojeol[index].append(word._replace(misc="|".join(other_items(word))))
    if not all(by_eojeol):
        raise misfit("an eojeol has none of the words")
    if any([not all(word[1:4]) for some in by_eojeol if len(some) > 1 for word in some]):
        raise misfit("LEMMA, UPOS or XPOS of a word is empty, which is not its whole eojeol")
    arcs = _arcs(words)
    if arcs is not None and (head := max(arcs.heads)) > len(words):
        raise misfit(f"head {head} is no word: the sentence has {len(words)}", block.line)
    cut = []
    for eojeol, words in zip(eojeols, by_eojeol, strict=True):
        tokens = _open_tokens(eojeol, words)
        if all([all(word[1:4]) for word in words]):
            tokens = as_read(tokens, eojeol)
        cut.append(eojeol.but(tokens=tokens))
    return Sentence(tuple(cut), block.sent_id, number=block.number, arcs=arcs, is_treebank=True)


def _open_tokens(eojeol: Eojeol, words: Sequence[Word]) -> tuple[Token, ...]:
    """Return the tokens of words that get their forms: those of the eojeol, if it has such words.

    Otherwise the forms are parts of the surface, and words that share a syllable are one token.
    """
    cut = [word for token in eojeol.tokens for word in token.words]
    if [len(word.morphemes) for word in cut] == [len(word.morphemes) for word in words]:
        named = (word._replace(form=new.form) for word, new in zip(words, cut, strict=True))
        runs = [(token, list(islice(named, len(token.words)))) for token in eojeol.tokens]
        return tuple([_open_token(token.form, run, token.space_after) for token, run in runs])
    form, spans = eojeol.form, eojeol.spans
    tokens = []
    run: list[Word] = []
    begin = stop = 0
    for number, word in enumerate(words, 1):
        run.append(word._replace(form="".join([m.form for m in word.morphemes]) or NOTHING))
        stop += len(word.morphemes)
        is_last = number == len(words)
        end = len(form) if is_last else spans[stop][0]
        if is_last or (begin < end < len(form) and spans[stop - 1][1] <= end):
            if len(run) == 1:
                run = [word._replace(form=form[begin:end])]
            tokens.append(_open_token(form[begin:end], run, is_last))
            run, begin = [], end
    return tuple(tokens)


def _open_token(form: str, words: Sequence[Word], space_after: bool) -> Token:
    misc = words[0].misc if len(words) == 1 else ""
    return Token(form, tuple(words), misc=misc, was_read=False, space_after=space_after)


_LAYER = re.compile(r'"(?:frames|constituents)":\s*\[\s*\{')


def layers_in(lines: Iterable[str]) -> Iterator[Mapping[str, list[Any]]]:
    """Yield the layers, all that are lists, of each sentence that has frames or constituents.

    Args:
        lines: of a file; one that is cut off is left out.

    >>> list(layers_in(['{"text": "간다", "frames": [{}]}', '{"frames": []}', '{"frames": [{']))
    [{'frames': [{}]}]
    """
    for line in filter(_LAYER.search, lines):
        # `parse` raises the error of a whole line that is no JSON.
        record = from_json(line)
        if isinstance(record, dict):
            yield {key: value for key, value in record.items() if isinstance(value, list)}


def _without_nulls(value: Any) -> Any:
    """Return a value of JSON whose objects lack the keys that are null in it."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [*map(_without_nulls, value)] if isinstance(value, list) else value


def _sent_id(text: str) -> str:
    """Return the id of the sentence in a line, which `JsonlWriter` writes at its beginning."""
    start = '{"sent_id": '
    try:
        if text.startswith(start):
            value, _ = json.JSONDecoder().raw_decode(text, len(start))
        else:  # Another program has written the line.
            value = json.loads(text)["sent_id"]
    except (KeyError, RecursionError, TypeError, ValueError):
        return ""  # `parse` raises the error.
    return str(value) if type(value) in (str, int) else ""
