"""Entity corpora to CoNLL-U of morphemes, and back to the very bytes.

    block → Labelled → morphemes (given, or Kiwi's) → eoj2morph | syl2morph → Sentence → CoNLL-U
    CoNLL-U → Sentence → morph2eoj | morph2syl → Labelled → block

Going forth, every sentence is turned back at once. What would not come back rides in its comments,
which hold nothing where all is well:

    ner_format = naver rows PER_B        on the first sentence: the format of the file, its settings
    ner_rows = 3:I-PS,7:O                labels of rows (from 1) that the morphemes do not tell
    ner_lines = {"0": "## a\\t<나:PS>"}   lines (from 0) that the format would write otherwise
    ner_block = "1 \\t나는\\t-\\n"          the whole block, where even their number would differ
    ner_before = "…", ner_after = "…"    text of the file without a sentence
    ner_of = 5e1f0c77                    the labels that the first three were made for

A system that labels anew leaves the comments as they were. They would lend it what is right; but
`ner_of` does not fit its labels, and so they are not used.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from dataclasses import replace
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import is_normalized, normalize
from zlib import crc32

from sejongud.converters.eoj2morph import Eoj2Morph
from sejongud.converters.morph2eoj import eojeol_labels, labels_in_text, overridden
from sejongud.converters.morph2syl import syllable_labels
from sejongud.converters.syl2morph import Eojeols, cut, labels_of, without_edge_spaces
from sejongud.errors import FormatError, Incident
from sejongud.formats import label_format
from sejongud.formats.base import SentIds, to_number
from sejongud.formats.labelled import Labelled, MorphemeRow, from_json
from sejongud.layers.labels import find_entities, ill_formed, repair
from sejongud.layers.places import Recutter, places
from sejongud.memo import Memo
from sejongud.model import Morpheme, Sentence
from sejongud.morphology.hangul import to_compatibility
from sejongud.morphology.kiwi import KiwiAnalyser, KiwiEojeols, sejong_morpheme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.errors import OnError, Report
    from sejongud.formats.labelled import Block, LabelFormat
    from sejongud.layers.labels import Entity
    from sejongud.model import Eojeol, Labels, Span
    from sejongud.morphology.eojeol import Assembler
    from sejongud.morphology.kiwi import Pairs

__all__ = ["Backward", "Forward", "format_of", "labelled_of", "repaired"]

_FORMAT = "ner_format"
_ROWS = "ner_rows"
_LINES = "ner_lines"
_BLOCK = "ner_block"
_BEFORE = "ner_before"
_AFTER = "ner_after"
_OF = "ner_of"
_KEYS = (_FORMAT, _ROWS, _LINES, _BLOCK, _BEFORE, _AFTER, _OF)

_OF_MORPHEMES = ("E-", "S-")
_OTHER_TEXT = "E412"
_PASSED = 50
"""How far apart the sentences of a corpus and those of its morphemes may be."""

_STOPGAP = "\N{OBJECT REPLACEMENT CHARACTER}"

_Spans = dict[int, tuple[tuple[int, int], ...]]
"""What the morphemes of some eojeols of a sentence cover."""


class _Item(NamedTuple):
    """A sentence on its way."""

    block: Block
    labelled: Labelled
    sent_id: str
    number: int
    before: str
    """What stands before it in the file without being a sentence."""
    text: str
    """Its tokens, joined."""
    forms: list[str]
    """Its eojeols."""
    where: list[Span]
    """What part of the text each of them is; nothing if the labels stand on eojeols."""
    pieces: dict[int, tuple[str, ...]]
    """What the borders of its entities cut some of them into."""
    entities: list[list[Entity]]
    """In each layer of labels that is used."""


class Forward:
    """From an entity corpus to sentences of morphemes.

    Args:
        assembler: builds the eojeols.
        layout: the format of the corpus.
        inherit: see `Eoj2Morph`.
        nested: whether all layers of nested entities are kept, or the outermost only.
        force: whether Kiwi is made to see a border wherever an entity has one.
        tell: whether ill-formed labels of characters, which become none of morphemes, are reported.
        on_error: "stop", "skip" or "keep": a sentence that cannot be read, or whose entities end
            inside given morphemes; kept, it rides along unread, or its entities are widened.
        report: what is told of everything that was mended or left out.
        path: of the corpus, for messages.
        workers: how many threads of Kiwi's own; None as many as there are processors.
    """

    def __init__(
        self,
        assembler: Assembler,
        layout: LabelFormat,
        report: Report,
        *,
        inherit: bool = False,
        nested: bool = False,
        force: bool = True,
        tell: bool = False,
        on_error: OnError = "stop",
        path: str = "-",
        workers: int | None = None,
    ) -> None:
        self._layout = layout
        self._tell = tell
        self._syllables = layout.unit == "syllable"
        self._nested = nested
        self._force = force
        self._on_error = on_error
        self._report = report
        self._path = path
        self._eoj2morph = Eoj2Morph(assembler.rules, inherit=inherit)
        self._recutter = Recutter(assembler)
        self._kiwi = _KiwiEojeols(assembler, workers)
        self._assembler = assembler
        self._rows: Memo[tuple[str, Pairs], Eojeol] = Memo(
            lambda key: self._of_rows(*key), size=48_000
        )
        self._uses_own = False
        self._named = False
        self._left = ""
        self._without = 0
        """How many sentences since the last one that had its given morphemes."""
        self._ids = SentIds()
        self.counts: Counter[str] = Counter()
        """How many sentences, eojeols and entities there were, and comments of each key."""

    @property
    def steps(self) -> Counter[int]:
        """How many eojeols with a label needed how many steps of shrinking (`Eoj2Morph`)."""
        return self._eoj2morph.steps

    def sentences(
        self, chunks: Iterable[str], given: Iterator[Sentence] | None = None
    ) -> Iterator[Sentence]:
        """The sentences of a corpus, with the labels on their morphemes.

        Args:
            chunks: the text of the corpus, each chunk ending at a line's end.
            given: the same sentences with their morphemes; None to take those that the corpus has
                itself, or else to have Kiwi analyse.

        Raises:
            FormatError: with `on_error` "stop", at the first error.
        """
        items = self._items(chunks)
        self._uses_own = given is None and self._layout.has_morphemes
        if given is not None:
            made = self._given(items, given)
        else:
            made = self._own(items) if self._uses_own else self._analysed(items)
        last: Sentence | None = None
        for item, sentence, spans in made:
            if not self._label(sentence, item, spans):
                continue
            if last is not None:
                yield last
            last = sentence
        if last is None:
            raise FormatError("there is no sentence in the file", path=self._path, code="E107")
        if self._left:
            last.comments += (f"{_AFTER} = {_encode(self._left)}",)
        yield last

    def _items(self, chunks: Iterable[str]) -> Iterator[_Item]:
        """The blocks that are sentences, read."""
        before = ""
        number = 0
        for block in self._blocks(chunks):
            try:
                labelled = self._layout.read(block)
            except FormatError as error:
                self._fail(error, block.line)
                if self._on_error == "keep":
                    before += block.text
                self._without = min(self._without + 1, _PASSED)
                continue
            text = "".join(labelled.tokens)
            if not text.strip():
                before += block.text
                continue
            number += 1
            sent_id = labelled.sent_id
            if not sent_id or any(map(str.isspace, sent_id)):
                sent_id = str(number)
            sent_id = self._ids.unique(sent_id)
            entities = [find_entities(layer) for layer in self._layers(labelled)]
            eojeols = self._cut(labelled, text, entities)
            yield _Item(block, labelled, sent_id, number, before, text, *eojeols, entities)
            before = ""
        self._left = before

    def _blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        try:
            yield from self._layout.blocks(chunks)
        except FormatError as error:
            raise error.at(path=self._path, line=0) from None

    def _cut(self, labelled: Labelled, text: str, entities: list[list[Entity]]) -> Eojeols:
        """The eojeols of a sentence."""
        if not self._syllables:
            return Eojeols(_composed(labelled), [], {})
        every = [entity for layer in entities for entity in layer] if self._force else []
        return cut(text, without_edge_spaces(text, every))

    def _layers(self, labelled: Labelled) -> tuple[tuple[str, ...], ...]:
        return labelled.layers if self._nested else labelled.layers[:1]

    def _analysed(self, items: Iterator[_Item]) -> Iterator[tuple[_Item, Sentence, _Spans | None]]:
        """Items with what Kiwi makes of them, which works on some of them ahead."""
        waiting: deque[_Item] = deque()

        def forms() -> Iterator[tuple[list[str], dict[int, tuple[str, ...]]]]:
            for item in items:
                waiting.append(item)
                yield item.forms, item.pieces

        for eojeols, spans in self._kiwi.eojeols(forms()):
            item = waiting.popleft()
            yield item, Sentence(eojeols, item.sent_id, number=item.number), spans

    def _own(self, items: Iterator[_Item]) -> Iterator[tuple[_Item, Sentence, _Spans | None]]:
        """Items with the morphemes that the corpus has, or Kiwi's where these cannot be used."""
        for item in items:
            labelled = item.labelled
            if len(labelled.morphemes) != len(item.forms):
                item = item._replace(labelled=labelled._replace(morphemes=()))
                message = "the morphemes of this sentence cannot be used: Kiwi analyses it"
                self._warn("W425", message, item)
                yield from self._analysed(iter([item]))
                continue
            eojeols = [
                self._rows[form, tuple([(row.form, row.tag) for row in rows])]
                for form, rows in zip(item.forms, labelled.morphemes, strict=True)
            ]
            for number, eojeol in enumerate(eojeols, 1):
                for code, message in eojeol.notes:
                    self._warn(code, message, item, str(number))
            yield item, Sentence(tuple(eojeols), item.sent_id, number=item.number), None

    def _of_rows(self, form: str, rows: Pairs) -> Eojeol:
        """The eojeol of a form and of the forms and tags of its morphemes."""
        morpheme = self._assembler.analysis.morpheme
        return self._assembler.eojeol(form, tuple([morpheme(*row, form) for row in rows]))

    def _warn(self, code: str, message: str, item: _Item, token: str = "") -> None:
        self._report.add(
            Incident(code, message, self._path, item.block.line, 0, item.sent_id, token)
        )

    def _given(
        self, items: Iterator[_Item], given: Iterator[Sentence]
    ) -> Iterator[tuple[_Item, Sentence, _Spans | None]]:
        """Items with the sentences that are given."""
        unread = ""
        # What did not fit: the morphemes of a sentence that could not be read, or of one further on
        # where those of this one are missing.
        passed: deque[Sentence] = deque(maxlen=_PASSED)
        for item in items:
            try:
                sentence, eojeols = self._fitting(item.forms, passed, given)
            except FormatError as error:
                self._fail(error, item.block.line, item.sent_id)
                if self._on_error == "keep":
                    unread += item.before + item.block.text
                continue
            item = item._replace(before=unread + item.before)
            unread = ""
            sentence.comments = _split_comments(sentence.comments)[1]
            sentence.number = item.number
            if item.labelled.sent_id or not sentence.sent_id:
                sentence.sent_id = item.sent_id
            sentence.text_orig = ""
            if eojeols is not sentence.eojeols:
                # What was said of the other eojeols cannot be said of these.
                sentence = replace(sentence, eojeols=eojeols, ids=(), arcs=None)
            yield item, sentence, None
        self._left = unread + self._left
        more = len(passed) + len(list(islice(given, self._without + 1)))
        if more > self._without:
            message = "the file of the morphemes has more sentences, which are left out"
            self._report.add(Incident("W411", message, self._path))

    def _fitting(
        self, forms: list[str], passed: deque[Sentence], given: Iterator[Sentence]
    ) -> tuple[Sentence, tuple[Eojeol, ...]]:
        """The next sentence that has the eojeols of an item, and these with its morphemes.

        Args:
            forms: of the eojeols.
            passed: sentences that no item had so far.
            given: the others. One is looked at, and one more for each item that went without.

        Raises:
            FormatError: none of them fits, or there are no more.
        """
        ahead = islice(given, 1 + self._without)
        failed = FormatError(
            "there are no morphemes for this sentence and those behind it: the file of the"
            " morphemes has fewer sentences",
            code="E411",
        )
        known = len(passed)
        for at, sentence in enumerate(chain(tuple(passed), ahead)):
            error = None
            try:
                eojeols = self._recutter.recut(sentence.eojeols, forms)
            except FormatError as raised:
                error = raised
            if error is not None and error.code == _OTHER_TEXT:
                failed = error
                if at >= known:
                    passed.append(sentence)
                continue
            # It is this one; what stands before it fits nothing any more.
            for _ in range(min(at + 1, len(passed))):
                passed.popleft()
            self._without = 0
            if error is not None:
                raise error
            return sentence, eojeols
        self._without = min(self._without + 1, _PASSED)
        raise failed

    def _fail(self, error: FormatError, line: int, sent_id: str = "") -> None:
        """Raise an error, or report it."""
        error.at(path=self._path, line=line)
        if self._on_error == "stop":
            raise error
        self._report.add(error.incident(sent_id=sent_id))

    def _label(self, sentence: Sentence, item: _Item, spans: _Spans | None) -> bool:
        """Give a sentence the labels of an item; whether it is to be kept."""
        labelled = item.labelled
        eojeols = sentence.eojeols
        counts = self.counts
        layers: list[Labels] = []
        if not self._syllables:
            for layer, found in zip(labelled.layers, item.entities, strict=False):
                counts["entities"] += len(found)
                layers.append(self._eoj2morph.labels(eojeols, layer, found))
        elif self._uses_own and labelled.morphemes:
            layers.append(_labels_of_rows(eojeols, labelled.morphemes))
            counts["entities"] += len(find_entities([m for own in layers[0] for m in own]))
        elif not self._project(sentence, item, spans, layers):
            return False
        counts["sentences"] += 1
        counts["eojeols"] += len(eojeols)
        if self._syllables and item.text != sentence.text:
            sentence.text_orig = item.text
        for layer in labelled.layers:
            ill = ill_formed(layer)
            counts["ill-formed labels"] += len(ill)
            if self._tell and self._syllables:
                # The labels of eojeols are those of their morphemes, as they are.
                for at in ill:
                    message = f"{layer[at]} of character {at + 1} goes on with nothing"
                    self._warn("W421", message, item)
        while layers and not any(layers[-1]):
            layers.pop()
        sentence.entities = tuple(layers)
        self._add_comments(sentence, item)
        return True

    def _project(
        self, sentence: Sentence, item: _Item, spans: _Spans | None, layers: list[Labels]
    ) -> bool:
        """Add the labels of the characters of an item, as labels of morphemes, to `layers`.

        Returns:
            Whether the sentence is to be kept.
        """
        for found in item.entities:
            entities = without_edge_spaces(item.text, found)
            self.counts["entities"] += len(found)
            self.counts["edge spaces"] += found != entities
            labels, inexact = labels_of(sentence.eojeols, item.where, entities, spans)
            for of, begin, end in inexact:
                error = FormatError(
                    f"the entity {item.text[begin:end]} ({of}) begins or ends inside a morpheme",
                    code="E414",
                )
                self._fail(error, item.block.line, item.sent_id)
                self.counts["inside morphemes"] += 1
                if self._on_error == "skip":
                    return False
            layers.append(labels)
        return True

    def _add_comments(self, sentence: Sentence, item: _Item) -> None:
        """Put into comments what would not come back otherwise."""
        labelled = item.labelled
        comments = list(labelled.comments)
        if item.before:
            comments.append(f"{_BEFORE} = {_encode(item.before)}")
        back = labelled_of(sentence, self._layout, labelled.comments)
        patches = []
        if back.layers != labelled.layers and len(back.tokens) == len(labelled.tokens):
            rows = _differing_rows(back, labelled)
            if rows is not None:
                patches.append(f"{_ROWS} = {rows}")
                back = back._replace(layers=labelled.layers)
                if self._uses_own and labelled.morphemes:
                    message = "the labels of the rows are not those of the text: the rows' are used"
                    self._warn("W424", message, item)
        written = self._layout.write(back)
        if written != item.block.text:
            patches.append(_patch(written, item.block.text))
        for patch in patches:
            self.counts[patch.partition(" ")[0]] += 1
        if patches:
            patches.append(f"{_OF} = {_sum(sentence)}")
        if patches or item.before or not self._named:
            # Also where lines are kept: the file may be split, or its sentences shuffled.
            comments.insert(len(labelled.comments), f"{_FORMAT} = {_named(self._layout)}")
            self._named = True
        sentence.comments = (*sentence.comments, *comments, *patches)


def _composed(labelled: Labelled) -> list[str]:
    """The eojeols of a sentence, in NFC, as an analyser wants them."""
    tokens = labelled.tokens
    if is_normalized("NFC", "".join(tokens)):
        return list(tokens)
    return [normalize("NFC", token) for token in tokens]


def _labels_of_rows(eojeols: Sequence[Eojeol], rows: tuple[tuple[MorphemeRow, ...], ...]) -> Labels:
    """The labels of the rows of each eojeol, which may have more morphemes than rows."""
    found = []
    for eojeol, own in zip(eojeols, rows, strict=True):
        labels = [row.label for row in own]
        outside = len(eojeol.morphemes) - len(labels)
        found.append((*labels, *["O"] * outside) if any([one != "O" for one in labels]) else ())
    return tuple(found)


def _named(layout: LabelFormat) -> str:
    """A format and its settings, as comments name them."""
    return f"{layout.name} {layout.settings}".rstrip()


def format_of(head: str) -> str:
    """The entity format that CoNLL-U was made from, and its settings; "" if it does not say.

    Args:
        head: the beginning of the file.

    >>> format_of("# ner_format = naver rows PER_B\\n1\\t나\\n")
    'naver rows PER_B'
    """
    found = re.search(rf"^# {_FORMAT} = (.*)$", head, re.MULTILINE)
    return found[1] if found else ""


def labelled_of(
    sentence: Sentence, layout: LabelFormat, comments: tuple[str, ...] = ()
) -> Labelled:
    """The eojeols or characters of a sentence with their labels.

    Args:
        sentence: of morphemes; a system may have lost some of its eojeols.
        layout: what is to be labelled, and whether morphemes are as well.
        comments: what is to ride along.
    """
    eojeols = sentence.eojeols
    forms = tuple([eojeol.form for eojeol in eojeols])
    entities = [_in_bio(eojeols, labels) for labels in sentence.entities]
    if layout.unit == "syllable":
        text = sentence.text_orig or " ".join(forms)
        where = places(text, forms)
        layers = [tuple(syllable_labels(text, eojeols, where, labels)) for labels in entities]
        tokens = tuple(text)
    else:
        tokens = _eojeols_of_text(sentence) or forms
        if tokens == forms:
            layers = [eojeol_labels(labels) for labels in entities]
        else:
            layers = [labels_in_text(tokens, eojeols, labels) for labels in entities]
    return Labelled(
        tokens,
        tuple(layers) or (("O",) * len(tokens),),
        sentence.sent_id,
        comments,
        _rows_of(sentence) if layout.has_morphemes else (),
    )


def _in_bio(eojeols: Sequence[Eojeol], labels: Labels) -> Labels:
    """A layer without E and S, which are those of morphemes only; an ill-formed one as it is."""
    if not any([label[:2] in _OF_MORPHEMES for own in labels for label in own]):
        return labels
    flat = _flat(eojeols, labels)
    return labels if ill_formed(flat) else _regrouped(labels, repair(flat), eojeols)


def _flat(eojeols: Sequence[Eojeol], labels: Labels) -> list[str]:
    """The label of each morpheme of a sentence."""
    pairs = zip(eojeols, labels, strict=True)
    return [label for eojeol, own in pairs for label in own or ("O",) * len(eojeol.morphemes)]


def _regrouped(labels: Labels, flat: Iterable[str], eojeols: Sequence[Eojeol]) -> Labels:
    """The inverse of `_flat`, for other labels of the same morphemes."""
    each = iter(flat)
    found = []
    for eojeol, own in zip(eojeols, labels, strict=True):
        new = tuple([next(each) for _ in eojeol.morphemes])
        found.append(new if own else ())
    return tuple(found)


def _rows_of(sentence: Sentence) -> tuple[tuple[MorphemeRow, ...], ...]:
    """The morphemes of each eojeol as a corpus has them, with their outermost labels."""
    layer = sentence.entities[0] if sentence.entities else ((),) * len(sentence.eojeols)
    found = []
    for eojeol, own in zip(sentence.eojeols, layer, strict=True):
        labels = own or ("O",) * len(eojeol.morphemes)
        rows = [
            MorphemeRow(_with_sense(morpheme), morpheme.source_tag or morpheme.tag, label)
            for morpheme, label in zip(eojeol.morphemes, labels, strict=True)
            if not morpheme.added
        ]
        found.append(tuple(rows))
    return tuple(found)


def _with_sense(morpheme: Morpheme) -> str:
    return f"{morpheme.written}__{morpheme.sense}" if morpheme.sense else morpheme.written


def _eojeols_of_text(sentence: Sentence) -> tuple[str, ...]:
    """The eojeols of the text of a sentence, () if they are its own."""
    if not sentence.text_orig:
        return ()
    eojeols = tuple(sentence.text_orig.split())
    own = tuple([eojeol.form for eojeol in sentence.eojeols])
    composed = tuple([normalize("NFC", form) for form in eojeols])
    return () if own in (eojeols, composed) else eojeols


def repaired(sentence: Sentence) -> tuple[Sentence, int]:
    """A sentence whose labels are well-formed, as conlleval reads them, and how many were not."""
    count = 0
    layers = []
    for layer in sentence.entities:
        flat = _flat(sentence.eojeols, layer)
        count += len(ill_formed(flat))
        layers.append(_regrouped(layer, repair(flat), sentence.eojeols))
    return replace(sentence, entities=tuple(layers)), count


class Backward:
    """From sentences of morphemes to the file of an entity corpus.

    Args:
        layout: the format to write; None for the one that the first sentence names.
        default: the format, and its settings, where it names none.
        named: whether another sentence of the file names that.
        mend: whether ill-formed labels are mended by conlleval's logic.
    """

    def __init__(
        self, layout: LabelFormat | None, default: str, *, named: bool = False, mend: bool = False
    ) -> None:
        self.layout = layout
        self._named = named
        self._default = default
        self._made_from = ""
        self._guessed = ""
        self._mend = mend
        self.counts: Counter[str] = Counter()
        """How many sentences, mended labels and unused comments there were."""
        self._held: list[tuple[int, str]] = []

    def text(self, sentence: Sentence) -> str:
        """The part of the file that a sentence makes, or what of it is not held back until the end.

        Raises:
            UsageError: the sentence names a format that there is not.
        """
        said, comments = _split_comments(sentence.comments)
        layout = self.layout
        if layout is None:
            name, _, settings = said.get(_FORMAT, self._default).partition(" ")
            layout = self.layout = label_format(name, settings)
            self._guessed = "" if self._named or _FORMAT in said else _named(layout)
        self.counts["sentences"] += 1
        self._made_from = said.get(_FORMAT, self._made_from)
        if self._made_from != _named(layout):
            # Text of another format, or of one that nothing names.
            said = {key: value for key, value in said.items() if key in (_ROWS, _OF)}
        fits = said.get(_OF) == _sum(sentence)
        by_rows = not fits and _LINES in said and layout.token_cell is not None
        if not fits and _OF in said and not by_rows:
            self.counts["comments of other labels"] += 1
        given = sentence
        if self._mend:
            sentence, count = repaired(sentence)
            self.counts["mended"] += count
        labelled = labelled_of(sentence, layout, comments)
        if layout.unit == "eojeol":
            self.counts["overridden"] += sum(map(overridden, sentence.entities))
        self.counts["other eojeols"] += bool(_eojeols_of_text(sentence))
        if fits and _ROWS in said:
            labelled = _with_rows(labelled, said[_ROWS])
        ill = sum([len(ill_formed(layer)) for layer in labelled.layers])
        self.counts["mended" if self._mend else "ill-formed"] += ill
        if self._mend:
            labelled = labelled._replace(layers=tuple([repair(one) for one in labelled.layers]))
        block = layout.write(labelled)
        if fits and (_BLOCK in said or _LINES in said):
            plain = layout.write(labelled_of(given, layout, comments)) if self._mend else block
            block = _as_kept(said, plain, block)
        elif by_rows:
            block = _with_cells(block, said[_LINES], layout.token_cell or 0)
        places = layout.places(comments)
        if places:
            lines = [f"{line}\n" for line in block.split("\n")[:-1]]
            self._held += zip(chain(places, repeat(places[-1])), lines, strict=False)
            block = ""
        return (_decode(said.get(_BEFORE)) or "") + block + (_decode(said.get(_AFTER)) or "")

    def end(self) -> str:
        """What stands behind all sentences: lines that they have in another order, and the end."""
        held = [line for _, line in sorted(self._held, key=lambda held: held[0])]
        return "".join([*held, "" if self.layout is None else self.layout.end()])

    def summary(self) -> list[str]:
        """What was done, in lines."""
        counts = self.counts
        lines = [f"{counts['sentences']:,} sentences"]
        if self._guessed:
            lines.append(f"the file names no format: written as {self._guessed} (--format)")
        if counts["mended"]:
            lines.append(f"{counts['mended']:,} ill-formed labels were mended")
        if counts["ill-formed"]:
            lines.append(f"{counts['ill-formed']:,} ill-formed labels are kept (--repair mends)")
        if counts["other eojeols"]:
            lines.append(
                f"{counts['other eojeols']:,} sentences have other eojeols than their text: the"
                " labels are on those of the text"
            )
        if counts["overridden"]:
            lines.append(f"{counts['overridden']:,} entities share an eojeol with one before them")
        if counts["comments of other labels"]:
            lines.append(
                f"{counts['comments of other labels']:,} sentences have comments that were made"
                " for other labels: these were not used"
            )
        return lines


def _split_comments(comments: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """What the comments of this module say, and the others."""
    said = {}
    others = []
    for comment in comments:
        key, equals, value = comment.partition(" = ")
        if equals and key in _KEYS:
            said[key] = value
        else:
            others.append(comment)
    return said, tuple(others)


def _encode(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _decode(value: str | None) -> str | None:
    """The text of a comment; None if there is none, or somebody has changed it."""
    text = from_json(value or "null")
    return text if isinstance(text, str) else None


def _sum(sentence: Sentence) -> str:
    """A number that tells the text and the labels of a sentence from others."""
    forms = [eojeol.form for eojeol in sentence.eojeols]
    lines = [*forms, *["\t".join(own) for layer in sentence.entities for own in layer]]
    return f"{crc32(chr(10).join(lines).encode('utf-8', 'surrogatepass')):08x}"


def _differing_rows(back: Labelled, labelled: Labelled) -> str | None:
    """The rows whose labels would not come back; None if more than those of one layer would not."""
    if len(labelled.layers) != 1 or len(back.layers) != 1:
        return None
    pairs = zip(back.layers[0], labelled.layers[0], strict=True)
    rows = [(n, right) for n, (made, right) in enumerate(pairs, 1) if made != right]
    if any(["," in label for _, label in rows]):
        return None
    return ",".join([f"{n}:{label}" for n, label in rows])


def _with_rows(labelled: Labelled, rows: str) -> Labelled:
    """The inverse of `_differing_rows`."""
    labels = list(labelled.layers[0])
    for row in rows.split(","):
        number, _, label = row.partition(":")
        at = to_number(number)
        if at and at <= len(labels):
            labels[at - 1] = label
    return labelled._replace(layers=(tuple(labels),))


def _patch(written: str, wanted: str) -> str:
    """The comment that makes one text of another."""
    made, lines = written.split("\n"), wanted.split("\n")
    if len(made) != len(lines):
        return f"{_BLOCK} = {_encode(wanted)}"
    pairs = zip(made, lines, strict=True)
    differing = {str(at): line for at, (one, line) in enumerate(pairs) if one != line}
    return f"{_LINES} = {json.dumps(differing, ensure_ascii=False)}"


def _as_kept(said: dict[str, str], plain: str, block: str) -> str:
    """A block as comments have it.

    Args:
        said: what the comments say.
        plain: the block as the format writes it, with the labels that the comments were made for.
        block: the same with the labels that it is to have.
    """
    whole = _decode(said.get(_BLOCK))
    patched = _patched(plain, said.get(_LINES)) if whole is None else whole
    return patched if plain == block else _with_changes(patched, plain, block)


def _with_cells(block: str, patch: str, token: int) -> str:
    """A block with other labels than the file's own, and the other cells of its rows.

    Args:
        block: as the format writes it.
        patch: the lines that the file had instead, each ending in its label.
        token: which cell is the token.

    >>> _with_cells("프랑스의 B-OG\\n\\n", '{"0": "프랑스의 NNP B-LC"}', 0)
    '프랑스의 NNP B-OG\\n\\n'
    """
    lines = block.split("\n")
    for at, line in _lines_of(patch).items():
        if at < len(lines):
            lines[at] = _relabelled(line, lines[at], token)
    return "\n".join(lines)


def _relabelled(line: str, other: str, token: int) -> str:
    """A row of the file with the label of another row of the same token; else the other row."""
    joint = "\t" if "\t" in other else " "
    *cells, _ = line.split(joint)
    *others, label = other.split(joint)
    same = token < min(len(cells), len(others)) and cells[token] == others[token]
    return joint.join([*cells, label]) if same else other


def _with_changes(block: str, before: str, after: str) -> str:
    """A block in which the lines are changed that differ between two others.

    Args:
        block: the file's own.
        before: the block as the format writes it.
        after: the same with other labels; it is taken whole where the lines are not the same ones.
    """
    lines, old, new = block.split("\n"), before.split("\n"), after.split("\n")
    if len(old) != len(new) or len(lines) < len(old):
        return after
    for at, (one, other) in enumerate(zip(old, new, strict=True)):
        if one != other:
            lines[at] = other
    return "\n".join(lines)


def _patched(written: str, patch: str | None) -> str:
    """The inverse of `_patch`, for a patch of lines."""
    lines = written.split("\n")
    differing = _lines_of(patch)
    if any([at >= len(lines) for at in differing]):
        return written
    for at, line in differing.items():
        lines[at] = line
    return "\n".join(lines)


def _lines_of(patch: str | None) -> dict[int, str]:
    """The lines that a comment keeps, by number from 0; {} if somebody has changed it."""
    said = from_json(patch or "{}")
    if not isinstance(said, dict):
        return {}
    lines = {to_number(at): str(line) for at, line in said.items()}
    return {} if None in lines else lines  # type: ignore[return-value]


class _KiwiEojeols:
    """Eojeols from Kiwi, in which entities begin and end where morphemes do.

    The paper has entities stand as eojeols of their own before the analysis. But a particle that
    stands alone is often taken for something else (`180cm 가`: 가/VV), and nineteen sentences of
    twenty do not need it. So a sentence is analysed as it is, and once more with its entities apart
    only where one would begin or end inside a morpheme; then only the eojeols of which that is true
    are taken from the second analysis.

    Args:
        assembler: builds the eojeols.
        workers: how many threads of Kiwi's own.
    """

    def __init__(self, assembler: Assembler, workers: int | None) -> None:
        self._assembler = assembler
        self._analyser = KiwiAnalyser(assembler.rules, workers=workers)
        self._eojeols = KiwiEojeols(self._analyser, lambda morpheme: morpheme)
        self._cut: Memo[tuple[tuple[str, Pairs], ...], tuple[Eojeol, tuple[Span, ...]]] = Memo(
            self._joined, size=10_000
        )

    def eojeols(
        self, sentences: Iterable[tuple[list[str], dict[int, tuple[str, ...]]]]
    ) -> Iterator[tuple[tuple[Eojeol, ...], _Spans]]:
        """The eojeols of sentences, and what the morphemes of those that were cut cover.

        Args:
            sentences: the forms of the eojeols of each; and what some of them are cut into, each
                piece of which has to end where a morpheme does.
        """
        waiting: deque[tuple[list[str], dict[int, tuple[str, ...]]]] = deque()

        def texts() -> Iterator[str]:
            for sentence in sentences:
                waiting.append(sentence)
                yield _plain(sentence[0])

        build = self._assembler.eojeol
        for found in self._eojeols.of(texts()):
            eojeols = [build(form, morphemes) for form, morphemes in found]
            forms, pieces = waiting.popleft()
            if [eojeol.form for eojeol in eojeols] != forms:
                eojeols = list(map(self._written, forms, eojeols))
            spans = self._apart(forms, pieces, eojeols) if pieces else {}
            yield tuple(eojeols), spans

    def _apart(
        self, forms: list[str], pieces: dict[int, tuple[str, ...]], eojeols: list[Eojeol]
    ) -> _Spans:
        """Analyse anew the eojeols in which a piece ends inside a morpheme.

        Args:
            forms: of the eojeols of a sentence.
            pieces: of some of them.
            eojeols: as they were analysed; those that are analysed anew are replaced.

        Returns:
            What the morphemes of these cover.
        """
        apart = {at for at, own in pieces.items() if not _ends_at(own, eojeols[at].spans)}
        spans: _Spans = {}
        if apart:
            wanted = [pieces[at] if at in apart else (form,) for at, form in enumerate(forms)]
            text = _plain([piece for own in wanted for piece in own])
            again = iter(next(self._analyser.analyse([text])))
            for at, own in enumerate(wanted):
                analysed = tuple([(piece, next(again)[1]) for piece in own])
                if at in apart:
                    eojeols[at], spans[at] = self._cut[analysed]
        return spans

    def _written(self, form: str, eojeol: Eojeol) -> Eojeol:
        """An eojeol in the form that it has in the corpus, which Kiwi could not be shown."""
        if eojeol.form == form:
            return eojeol
        odd = iter([c for c in form if c.isspace()])
        found = []
        for morpheme in eojeol.morphemes:
            written = morpheme.form
            if _STOPGAP in written:
                written = "".join([next(odd, c) if c == _STOPGAP else c for c in written])
            found.append(morpheme._replace(form=written))
        return self._assembler.eojeol(form, tuple(found))

    def _joined(self, pieces: tuple[tuple[str, Pairs], ...]) -> tuple[Eojeol, tuple[Span, ...]]:
        """An eojeol of several pieces."""
        morphemes: list[Morpheme] = []
        spans: list[Span] = []
        offset = 0
        for form, pairs in pieces:
            seen = self._assembler.eojeol(_plain([form]), map(sejong_morpheme, pairs))
            piece = self._written(form, seen)
            morphemes += piece.morphemes
            spans += [(offset + begin, offset + end) for begin, end in piece.spans]
            offset += len(form)
        whole = self._assembler.eojeol("".join([form for form, _ in pieces]), tuple(morphemes))
        return whole, (*spans, *whole.spans[len(spans) :])


def _ends_at(pieces: tuple[str, ...], spans: Sequence[Span]) -> bool:
    """Whether no morpheme goes on where a piece ends."""
    border = 0
    for piece in pieces[:-1]:
        border += len(piece)
        if any([begin < border < end for begin, end in spans]):
            return False
    return True


_ODD = re.compile("[\u1100-\u11ff]|\\s")
"""What a form may have that Kiwi must not see: jamo, which it would join, and spaces."""


def _plain(forms: Sequence[str]) -> str:
    """A text in which Kiwi sees each form as one eojeol."""
    if not any(map(_ODD.search, forms)):
        return " ".join(forms)
    return " ".join([to_compatibility(re.sub(r"\s", _STOPGAP, form)) for form in forms])
