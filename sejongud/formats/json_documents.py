"""Documents of JSON whose sentences have tokens or morphemes, and entities: ETRI's and spaCy's."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

from sejongud.errors import FormatError, UsageError
from sejongud.formats.around import restore_comment, to_json
from sejongud.formats.json_records import (
    MEMBER_FAULTS,
    OWN,
    JsonDocument,
    as_written,
    is_odd,
    label_of,
    member,
    number_of,
    own_of,
    same_or_new,
    shown,
    upos_of,
)
from sejongud.formats.json_text import JsonText, indent_of
from sejongud.formats.labelled import (
    EOJEOL,
    Labelled,
    MorphemeRow,
    as_text,
    labelled_rows,
    placed_rows,
    split_sense,
    with_sense,
)
from sejongud.formats.schemes import in_bioes, tags_of
from sejongud.layers.labels import (
    OUTSIDE,
    Entity,
    find_entities,
    layers,
    recode,
    spread,
    to_labels,
    to_text,
)
from sejongud.layers.places import places

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from sejongud.model import Span


_RETURNED = "return_object"


class Etri(JsonDocument):
    """JSON of ETRI's corpora and analyser (memoir, Table 3.7): entities by the ids of morphemes.

        {"sentence": [{"id": 0, "text": "프랑스의 옷",
          "morp": [{"id": 0, "lemma": "프랑스", "type": "NNP", "position": 0, "weight": 1}, …],
          "word": [{"id": 0, "text": "프랑스의", "type": "", "begin": 0, "end": 1}, …],
          "NE":   [{"id": 0, "text": "프랑스", "type": "LC", "begin": 0, "end": 0, …}]}]}

    `begin` and `end` of words and entities are ids of morphemes, the end inclusive; `position`
    counts bytes of UTF-8 from the beginning of the document. The list may stand under
    `return_object`, as the analyser returns it. Other layers (`WSD`, `dependency` …) ride in a
    comment. `scode` is the sense number of a morpheme.

    Args:
        settings: the number of blanks by which the JSON is indented, `0` for JSON on one line; then
            `return_object` if the sentences stand under it.
    """

    name = "etri"
    _faults = MEMBER_FAULTS
    has_morphemes = True
    labels_rows = True
    has_spans = True
    choices = (("", _RETURNED),)
    _position = 0
    """The bytes of the sentences that were written."""

    def _json_text(self) -> JsonText:
        template: dict[str, Any] = {"sentence": ["@"]}
        if self._chosen == [_RETURNED]:
            template = {_RETURNED: template}
        path = (*filter(None, self._chosen), "sentence")
        return JsonText(path, template, int(self._indent), "ETRI's corpora", self._code)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the indentation and the place of the list; None if it is another format."""
        if not head.lstrip().startswith("{") or '"morp"' not in head or '"sentence"' not in head:
            return None
        indent = indent_of(head)
        return f"{indent} {_RETURNED}" if f'"{_RETURNED}"' in head else str(indent)

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = record.get("text")
        if not isinstance(text, str) or not text.strip():
            return Labelled((), ())
        return _sentence(as_text(text), record)

    def _comments(self, record: dict[str, Any]) -> tuple[str, ...]:
        text = record.get("text")
        return (restore_comment(OWN, record | ({} if is_odd(text) else {"text": None})),)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        record = own_of(labelled.comments) or {"id": number_of(labelled.sent_id)}
        text = as_written(record.get("text"), "".join(labelled.tokens))
        pairs = list(placed_rows(labelled))
        offsets = _in_bytes(text, self._position)
        self._position = offsets[-1]
        new = {
            "morp": [_morpheme(row, i, offsets[at]) for i, (row, (at, _)) in enumerate(pairs)],
            "word": list(_words(labelled, text)),
            "NE": list(_entities(pairs, text)),
        }
        record |= {"text": text}
        for key, items in new.items():
            kind = "type" if key == "NE" else ""
            record[key] = same_or_new(record.get(key), items, _COMPARED[key], kind)
        return self._dump(record, labelled)


_COMPARED = {
    "morp": ("id", "lemma", "type"),
    "word": ("id", "text", "begin", "end"),
    "NE": ("text", "type", "begin", "end"),
}
"""The members of the items of a layer that the labels and morphemes of a sentence tell."""


def _sentence(text: str, record: dict[str, Any]) -> Labelled:
    """Return the sentence of a text with its layers.

    Raises:
        KeyError: a member is missing.
        TypeError: a member is of another type.
        ValueError: an id or a place is none of this sentence.
    """
    items = record["morp"]
    number = {item["id"]: i for i, item in enumerate(items)}
    entities = []
    for item in record.get("NE") or ():
        if item["begin"] not in number or item["end"] not in number:
            raise ValueError(f"no morpheme has the id that this entity names: {shown(item)}")
        begin, end = number[item["begin"]], number[item["end"]] + 1
        if end <= begin:
            raise ValueError(f"this entity ends before it begins: {shown(item)}")
        entities.append(Entity(label_of(item["type"]), begin, end))
    for item in items:
        if not all([isinstance(item[key], str) and item[key] for key in ("lemma", "type")]):
            raise ValueError(f"a morpheme has a lemma and a type, both texts, not {shown(item)}")
    flat = [to_labels(layer, len(items)) for layer in layers(entities) or [[]]]
    rows = [
        MorphemeRow(
            with_sense(item["lemma"], str(item.get("scode") or "")), item["type"], label, (*inner,)
        )
        for item, (label, *inner) in zip(items, zip(*flat, strict=True), strict=True)
    ]
    spans = _spans(text, [item.get("position") for item in items])
    return labelled_rows(text, rows, spans or _eojeols(text, record["word"], number))


def _spans(text: str, positions: list[Any]) -> list[Span]:
    """Return the places of morphemes in a text; [] if a position is no place in it.

    A morpheme ends where the next one begins, or its eojeol ends; of morphemes at the same place
    the earlier ones are empty.

    Args:
        text: the sentence, perhaps with a space before its first morpheme.
        positions: of the morphemes, in bytes of UTF-8 from the beginning of the document.
    """
    if not positions or type(positions[0]) is not int:
        return []
    first = positions[0] - (len(text) - len(text.lstrip(" ")))
    at_byte = {place: index for index, place in enumerate(_in_bytes(text, first)[:-1])}
    if not all([type(position) is int and position in at_byte for position in positions]):
        return []
    begins = [at_byte[position] for position in positions]
    if begins != sorted(begins):
        return []
    ends = []
    for begin, after in zip(begins, [*begins[1:], len(text)], strict=True):
        space = text.find(" ", begin, after)
        ends.append(after if space < 0 else space)
    return list(zip(begins, ends, strict=True))


def _in_bytes(text: str, first: int) -> list[int]:
    """Return the place of each character of a text, and of its end, in bytes of UTF-8.

    >>> _in_bytes("a 봄", 5)
    [5, 6, 7, 10]
    """
    sizes = [len(character.encode("utf-8", "surrogatepass")) for character in text]
    return list(accumulate(sizes, initial=first))


def _eojeols(text: str, words: list[Any], number: dict[int, int]) -> list[Span]:
    """Return the place of the eojeol of each morpheme, where the morphemes' own are unknown.

    Raises:
        KeyError: a member is missing, or no morpheme has the id that a word names.
        ValueError: the words are others than those of the text.
    """
    forms = [word["text"] for word in words]
    if forms != EOJEOL.findall(text):
        raise ValueError("the words of the sentence differ from its text")
    spans: list[Span] = []
    for word, span in zip(words, places(text, forms), strict=True):
        spans += [span] * (number[word["end"]] + 1 - number[word["begin"]])
    if len(spans) != len(number):
        raise ValueError("the words have other morphemes than the sentence")
    return spans


def _morpheme(row: MorphemeRow, number: int, position: int) -> dict[str, Any]:
    """Return the item of a morpheme."""
    lemma, sense = split_sense(row.form)
    item = {"id": number, "lemma": lemma, "type": row.tag, "position": position, "weight": 1}
    return item | ({"scode": sense} if sense else {})


def _words(labelled: Labelled, text: str) -> Iterator[dict[str, Any]]:
    """Yield the items of the eojeols."""
    first = 0
    forms = EOJEOL.findall(text)
    same = len(forms) == len(labelled.morphemes)
    for number, (rows, spans) in enumerate(zip(labelled.morphemes, labelled.spans, strict=True)):
        form = forms[number] if same else text[spans[0][0] : spans[-1][1]]
        yield {"id": number, "text": form, "type": "", "begin": first, "end": first + len(rows) - 1}
        first += len(rows)


def _entities(pairs: list[tuple[MorphemeRow, Span]], text: str) -> Iterator[dict[str, Any]]:
    """Yield the items of the entities."""
    flat = zip(*[(row.label, *row.inner) for row, _ in pairs], strict=True)
    entities = sorted(
        [entity for labels in flat for entity in find_entities(labels)],
        key=lambda entity: (entity.begin, -entity.end),
    )
    for number, (name, begin, end) in enumerate(entities):
        shape = text[pairs[begin][1][0] : max([span[1] for _, span in pairs[begin:end]])]
        ids = {"begin": begin, "end": end - 1}
        yield {"id": number, "text": shape, "type": name, **ids, "weight": 1, "common_noun": 0}


_MORPHEMES, _PLAIN = "morphemes", "plain"
_BILUO = "bilou"
_SPACE = {"tag": "_SP", "pos": "SPACE"}
"""The analysis of a token of spaces, as in spaCy, which wants a tag for all tokens or none."""


class SpacyJson(JsonDocument):
    """JSON of spaCy, which `spacy convert` reads: tokens of the surface, with entities in BILUO.

        [{"id": 0, "paragraphs": [{"raw": "프랑스의 옷", "sentences": [{"tokens": [
          {"id": 0, "orth": "프랑스", "space": "", "tag": "NNP", "pos": "PROPN", "lemma": "프랑스",
           "ner": "U-LC"}, …]}]}]}]

    A paragraph is a sentence here, as `spacy convert` makes a `Doc` of it. Tokens of spaCy are
    pieces of the text, so morphemes that are fused in it (갔다: 가+았+다) make one token, whose
    tags and lemmas stand with a plus sign between (`VV+EP+EF`).

    DocBin, the binary file of spaCy, is read and written by way of its JSON. spaCy itself does
    that, and is installed apart: `pip install sejongud[spacy]`.

    Args:
        settings: the number of blanks by which the JSON is indented, `0` for JSON on one line; then
            `morphemes`, or `plain` if tokens have neither tags nor lemmas of morphemes.
    """

    name = "spacy-json"
    _faults = MEMBER_FAULTS
    choices: ClassVar[tuple[Collection[str], ...]] = ((_MORPHEMES, _PLAIN),)
    _usual = "1"

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self.has_morphemes = self._chosen == [_MORPHEMES]

    def _json_text(self) -> JsonText:
        template = [{"id": 0, "paragraphs": ["@"]}]
        return JsonText(("paragraphs",), template, int(self._indent), "spaCy", self._code)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        if not head.lstrip().startswith("[") or '"paragraphs"' not in head or '"orth"' not in head:
            return None
        morphemes = '"lemma"' in head and '"tag"' in head
        return f"{indent_of(head)} {_MORPHEMES if morphemes else _PLAIN}"

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        sentences = member(record, "sentences", list)
        tokens = [token for sent in sentences for token in member(sent, "tokens", list)]
        text, spans = _text(tokens)
        labels = recode([_from_biluo(token.get("ner")) for token in tokens], "bio")
        rows = []
        places = []
        for token, span, label in zip(tokens, spans, labels, strict=True):
            if token["orth"].isspace():
                continue
            forms = _morphemes(token) if self.has_morphemes else [(token["orth"], "")]
            each = zip(forms, spread(label, len(forms)), strict=True)
            rows += [MorphemeRow(form, tag, label) for (form, tag), label in each]
            places += [span, *[(span[1], span[1])] * (len(forms) - 1)]
        result = labelled_rows(text, rows, places)
        return result if all([row.tag for row in rows]) else result._replace(morphemes=(), spans=())

    def _comments(self, record: dict[str, Any]) -> tuple[str, ...]:
        return (restore_comment(OWN, record),)

    def _id_of(self, record: dict[str, Any]) -> str:
        return as_text(str(record.get("sent_id") or ""))

    def written(self, labelled: Labelled) -> list[Entity]:
        """Return the entities that have a token of their own."""
        spans = [span for span, _ in _pieces("".join(labelled.tokens), labelled)]
        return to_text(in_tokens(labelled.entities(), spans), spans)

    def write(self, labelled: Labelled) -> str:
        """Return the paragraph of a sentence."""
        text = "".join(labelled.tokens)
        record = own_of(labelled.comments)
        old = [token for sent in record.get("sentences", ()) for token in sent["tokens"]]
        known_text, spans = _text(old)
        entities = labelled.entities()
        if known_text == text and _fit(entities, spans):
            # The tokens of the file stay, whatever program has made them.
            for token, ner in zip(old, _biluo(entities, spans), strict=True):
                token |= {"ner": ner} if _from_biluo(token.get("ner")) != _from_biluo(ner) else {}
            return self._dump(record, labelled)
        pieces = list(_pieces(text, labelled))
        labels = _biluo(entities, [span for span, _ in pieces])
        each = zip(pieces, labels, strict=True)
        tokens = [self._token(i, text, *piece, ner) for i, (piece, ner) in enumerate(each)]
        record = {"sent_id": labelled.sent_id, "raw": text}
        record |= {"sentences": [{"tokens": tokens, "brackets": []}], "cats": []}
        return self._dump(record, labelled)

    def _token(
        self, number: int, text: str, span: Span, rows: Sequence[MorphemeRow], ner: str
    ) -> dict[str, Any]:
        """Return a token.

        Args:
            number: of the token in its paragraph, from 0.
            text: of the paragraph.
            span: the place of the token in it.
            rows: its morphemes; none if they are unknown.
            ner: its label in BILUO.
        """
        begin, end = span
        space = " " if text[end : end + 1] == " " and not text[begin:end].isspace() else ""
        token: dict[str, Any] = {"id": number, "orth": text[begin:end], "space": space}
        if rows and self.has_morphemes:
            token["tag"] = "+".join([row.tag for row in rows])
            token |= {"pos": upos_of(rows, self.rules), "lemma": "+".join([r.form for r in rows])}
        elif token["orth"].isspace() and self.has_morphemes:
            token |= _SPACE | {"lemma": token["orth"]}
        return token | {"ner": ner}


def _text(tokens: list[dict[str, Any]]) -> tuple[str, list[Span]]:
    """Return the text of tokens, and their places in it.

    Where a file does not say whether a space follows a token, one does, but for the last token.
    """
    parts = []
    spans = []
    position = 0
    for number, token in enumerate(tokens, 1):
        space = token.get("space")
        if space is None:
            space = " " if number < len(tokens) else ""
        orth = as_text(token["orth"])
        spans.append((position, position + len(orth)))
        parts += [orth, space]
        position += len(orth) + len(space)
    return "".join(parts), spans


def _fit(entities: Iterable[Entity], spans: Sequence[Span]) -> bool:
    """Test whether all entities begin where a token begins, and end where one ends."""
    begins, ends = {begin for begin, _ in spans}, {end for _, end in spans}
    return all([entity.begin in begins and entity.end in ends for entity in entities])


def _morphemes(token: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the forms and tags of the morphemes of a token; one without a tag if it has none.

    Raises:
        ValueError: its tag or its lemma is no text.
    """
    tag, lemma = token.get("tag") or "", token.get("lemma") or token["orth"]
    if not isinstance(tag, str) or not isinstance(lemma, str):
        raise ValueError(f"tag and lemma of a token are texts, not {shown([tag, lemma])}")
    # A single morpheme may be a plus sign.
    tags = tag.split("+")
    forms = lemma.split("+") if len(tags) > 1 else [lemma]
    if len(forms) != len(tags) or not all(forms):
        return [(token["orth"], "")]
    return list(zip(forms, tags, strict=True))


def _from_biluo(ner: Any) -> str:
    """Return the label of a token.

    Raises:
        ValueError: it is no text.

    >>> _from_biluo("U-LC"), _from_biluo("L-LC"), _from_biluo("-")
    ('S-LC', 'E-LC', 'O')
    """
    if ner is None or ner in ("-", ""):
        return OUTSIDE
    return in_bioes([label_of(ner)], _BILUO)[0]


def _pieces(text: str, labelled: Labelled) -> Iterator[tuple[Span, Sequence[MorphemeRow]]]:
    """Yield the places of tokens in a text, each with its morphemes.

    Eojeols whose morphemes are unknown are cut where an entity begins or ends. Spaces beyond the
    one behind a token are a token of their own.
    """
    eojeols = [match.span() for match in EOJEOL.finditer(text)]
    have_all = len(eojeols) == len(labelled.morphemes) == len(labelled.spans)
    cut = {place for _, begin, end in labelled.entities() for place in (begin, end)}
    reached = -1
    for number, (begin, end) in enumerate(eojeols):
        if begin > reached + 1:
            yield (reached + 1, begin), ()
        groups: list[tuple[int, list[MorphemeRow]]]
        if have_all:
            groups = _groups(labelled.morphemes[number], labelled.spans[number], begin)
        else:
            groups = [(place, []) for place in range(begin, end) if place == begin or place in cut]
        stops = [*[start for start, _ in groups[1:]], end]
        for (start, rows), stop in zip(groups, stops, strict=True):
            yield (start, stop), rows
        reached = end
    if reached + 1 < len(text):
        yield (reached + 1, len(text)), ()


def _groups(
    rows: Sequence[MorphemeRow], spans: Sequence[Span], begin: int
) -> list[tuple[int, list[MorphemeRow]]]:
    """Return the morphemes of an eojeol in groups that share no character, with their beginnings.

    Args:
        rows: the morphemes.
        spans: their places in the text.
        begin: of the eojeol.
    """
    groups: list[tuple[int, list[MorphemeRow]]] = [(begin, [])]
    limit = begin
    for row, (first, last) in zip(rows, spans, strict=True):
        if limit <= first < last and first > groups[-1][0]:
            groups.append((first, []))
        groups[-1][1].append(row)
        limit = max(limit, last)
    return groups


def in_tokens(entities: Iterable[Entity], spans: Sequence[Span]) -> list[Entity]:
    """Return entities over tokens: an entity has all tokens in which it has a character.

    An entity whose tokens all belong to those before it is left out.
    """
    in_tokens: list[Entity] = []
    ends = [end for _, end in spans]
    begins = [begin for begin, _ in spans]
    for name, begin, end in entities:
        first, last = bisect_right(ends, begin), bisect_left(begins, end)
        # Of two entities in one token the first has it.
        first = max(first, in_tokens[-1].end if in_tokens else 0)
        if first < last:
            in_tokens.append(Entity(name, first, last))
    return in_tokens


def _biluo(entities: Iterable[Entity], spans: Sequence[Span]) -> list[str]:
    """Return the labels of tokens.

    >>> _biluo([Entity("LC", 0, 3)], [(0, 2), (2, 3), (3, 4)])
    ['B-LC', 'L-LC', 'O']
    """
    return tags_of(to_labels(in_tokens(entities, spans), len(spans)), _BILUO)


_SENT_ID = "sent_id"
_LARGEST = 1 << 30
"""The greatest number of bytes of a file when its compression is undone."""


def _spacy() -> tuple[Any, Any]:
    """Return spaCy's modules of tokens and of training.

    Raises:
        UsageError: spaCy is not installed.
    """
    try:
        import spacy.tokens
        import spacy.training
    except ImportError:
        raise UsageError(
            "a DocBin is read and written by spaCy, which is not installed:"
            " pip install 'sejongud[spacy]'; or use spacy-json, which `spacy convert` reads"
        ) from None
    return spacy.tokens, spacy.training


def read_docbin(path: Path) -> str:
    """Return the documents of a file as spaCy's JSON, a paragraph for each sentence.

    Args:
        path: of the file.

    Raises:
        UsageError: spaCy is not installed.
        FormatError: the file is no DocBin, or too large.
        OSError: the file cannot be read.
    """
    tokens, training = _spacy()
    from spacy.vocab import Vocab

    data = path.read_bytes()
    _check_size(data, path)
    try:
        docs = list(tokens.DocBin().from_bytes(data).get_docs(Vocab()))
    except (KeyError, TypeError, ValueError) as error:
        message = f"this is no DocBin of spaCy: {error}"
        raise FormatError(message, path=str(path), code="E322") from None
    sentences = []
    for doc in docs:
        sents = list(doc.sents) if doc.has_annotation("SENT_START") else []
        sentences += [sent.as_doc() for sent in sents] if len(sents) > 1 else [doc]
    paragraphs = []
    for doc in sentences:
        for token in doc:
            token.is_sent_start = token.i == 0
        paragraph = training.docs_to_json([doc])["paragraphs"][0]
        sent_id = str(doc.user_data.get(_SENT_ID) or "")
        paragraphs.append({_SENT_ID: sent_id, **paragraph} if sent_id else paragraph)
    return to_json([{"id": 0, "paragraphs": paragraphs}], indent=1)


def _check_size(data: bytes, path: Path) -> None:
    """Check that the compression of a file can be undone in memory.

    Raises:
        FormatError: it cannot, or the file is not compressed as a DocBin is.
    """
    unpacker = zlib.decompressobj()
    size = 0
    try:
        while data and size <= _LARGEST:
            size += len(unpacker.decompress(data, 1 << 20))
            data = unpacker.unconsumed_tail
    except zlib.error as error:
        message = f"this is no DocBin of spaCy: {error}"
        raise FormatError(message, path=str(path), code="E322") from None
    if size > _LARGEST:
        raise FormatError(f"a DocBin of more than {_LARGEST:,} bytes", path=str(path), code="E322")


def written_docbin(text: str) -> bytes:
    """Return the bytes of a file with the documents of spaCy's JSON.

    Args:
        text: the JSON, with a paragraph for each sentence.

    Raises:
        UsageError: spaCy is not installed.
        FormatError: spaCy does not take the tokens.
    """
    tokens, training = _spacy()
    try:
        docs = list(training.converters.json_to_docs(text))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"spaCy does not take these tokens: {error}", code="E322") from None
    paragraphs = [paragraph for file in json.loads(text) for paragraph in file["paragraphs"]]
    for doc, paragraph in zip(docs, paragraphs, strict=True):
        if paragraph.get(_SENT_ID):
            doc.user_data[_SENT_ID] = paragraph[_SENT_ID]
    data: bytes = tokens.DocBin(docs=docs, store_user_data=True).to_bytes()
    return data
