"""The morphological analyser Kiwi, with analyses in the style of the Sejong corpus.

Kiwi (Lee 2024, kiwipiepy) has tags of its own, gives the morphemes of a text rather than of an
eojeol, and normalises allomorphs. This module groups its tokens by the spaces of the text, maps its
tags by rules/kiwi-tags.tsv, and keeps endings as they are written: 하였다 is 하/VV 였/EP 다/EF, not
하 었 다.

Eojeols in which entities begin and end where morphemes do (`BorderedEojeols`): the paper puts
spaces around the entities before the analysis. But a particle that stands alone is often taken for
something else (`180cm 가`: 가/VV), and 19 of 20 sentences do not need the spaces. So a sentence is
analysed as it is, and once more with its entities apart only if one begins or ends inside a
morpheme; the eojeols with such a border alone are taken from there. Names are told to Kiwi only if
it does not find each of them by itself.
"""

from __future__ import annotations

import locale
import os
import re
from collections import deque
from functools import cache, lru_cache
from itertools import accumulate, islice, repeat, tee
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import is_normalized, normalize

from sejongud.errors import UsageError
from sejongud.memo import Memo, remembered
from sejongud.model import Eojeol, Morpheme
from sejongud.morphology.hangul import (
    compose_jamo,
    is_letter,
    to_compatibility,
    without_surrogates,
)
from sejongud.morphology.rewrites import attached

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Span
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import Rules

Pairs = tuple[tuple[str, str], ...]
"""The form and tag of each morpheme of an eojeol."""

Analysed = list[tuple[str, Pairs]]
"""The eojeols of a text: the form of each, and the form and tag of its morphemes."""

Unit = tuple[Any, ...]
"""An eojeol as Kiwi analyses it: its form, and behind it the form and Kiwi's tag of each token."""

Name = tuple[int, int, str]
"""The span of a morpheme that is known, in characters, and its tag of Sejong."""

Pieces = dict[int, tuple[str, ...]]
"""The number of an eojeol, from 0 → the pieces into which the borders of entities cut it."""

Names = dict[int, tuple["Name", ...]]
"""The number of an eojeol, from 0 → the morphemes in it that are known."""

Spans = dict[int, tuple[tuple[int, int], ...]]
"""The number of an eojeol, from 0 → the span of each of its morphemes."""

_Given = tuple[list[str], Pieces, Names]
_Alone = tuple[_Given, list["Name"], list["Piece"]]

_BATCH = 64
"""The sentences after which those with names are analysed again, on all threads of Kiwi."""

_STOPGAP = "\N{OBJECT REPLACEMENT CHARACTER}"
_ODD = re.compile("[\u1100-\u11ff]|[^\\S ]")
"""Characters that Kiwi must not see in a form: jamo, which it would join, and white space."""

WINDOW = 4096
"""The most characters for one call of Kiwi, which needs minutes for 100,000 letters in a row."""

_SENTENCE_END = re.compile(r".*[.?!…] ", re.DOTALL)

_start, _form_tag = attrgetter("start"), attrgetter("form_tag")

_BOTH = "both"
_SAME = "="
_LETTERS, _SIGNS = "letters", "signs"
"""In the column form, a form with letters, which are not those of ㅋㅋ or ℃, and one without."""
ADDED = "before", _SAME
"""The row of a letter that is added in fun and belongs to no morpheme: 했어욥."""


def clean(text: str) -> str:
    r"""Normalise a text for Kiwi: NFC, one space between eojeols, none at the edges.

    Kiwi takes decomposed Hangul for unknown nouns, and fails on half a surrogate pair.

    >>> clean("\u1102\u1161\u1102\u1173\u11ab  간다. \t")
    '나는 간다.'
    """
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    return " ".join(without_surrogates(text).split())


_LOADING = Lock()
"""Held while Kiwi is loaded: a thread beside would load it again, and take C for the locale."""


def _load(workers: int) -> Any:
    """Load Kiwi: half a gigabyte and a second.

    Kiwi reads the names in its model by the locale's capitals, and ends the process where I is not
    the capital of i, as in Turkish.
    """
    from kiwipiepy import Kiwi

    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, "C")
        kiwi = Kiwi(num_workers=workers, integrate_allomorph=False)
        # The model is read by the first call.
        kiwi.tokenize("")
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    return kiwi


_kiwi = lru_cache(maxsize=2)(_load)
_of_parents: list[object] = []  # A Kiwi without its threads, which would never answer.


def _forked() -> None:
    """Let a process that was forked load a Kiwi of its own."""
    global _kiwi, _LOADING
    _of_parents.append(_kiwi)
    _kiwi, _LOADING = lru_cache(maxsize=2)(_load), Lock()


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(after_in_child=_forked)


@cache
def _matches() -> Any:
    """Return the patterns that Kiwi looks for: all but hashtags, which would hold particles."""
    from kiwipiepy import Match

    return Match.ALL & ~Match.HASHTAG


class KiwiAnalyser:
    """Analyse texts.

    Args:
        rules: the tables.
        workers: the number of Kiwi's threads; None or 0 for as many as there are processors.

    Raises:
        UsageError: the tag set is another one, of which kiwi-tags.tsv has nothing.

    >>> from sejongud.rules import load
    >>> next(KiwiAnalyser(load()).analyse(["나는 간다."]))
    [('나는', (('나', 'NP'), ('는', 'JX'))), ('간다.', (('가', 'VV'), ('ㄴ다', 'EF'), ('.', 'SF')))]
    """

    def __init__(self, rules: Rules, *, workers: int | None = None) -> None:
        rows = rules.table("kiwi-tags")
        self._workers = workers or -1
        self._unknown = rules.unknown_tag
        # Tags of tokens that are joined to others are in `_joined` only.
        plain = [row for row in rows if not row["join"] and not row["form"]]
        self._tags = {row["kiwi"]: row["sejong"] for row in plain}
        self._of_forms = {(row["form"], row["kiwi"]): row["sejong"] for row in rows if row["form"]}
        self._joined = {row["kiwi"]: (row["join"], row["sejong"]) for row in rows if row["join"]}
        # Of several tags of Kiwi for one of Sejong the first is the plain tag.
        self._back = {row["sejong"]: row["kiwi"] for row in reversed(plain)}
        if self._unknown not in self._back:
            raise UsageError(
                f"Kiwi analyses and joins Korean, and kiwi-tags.tsv has no tag of Kiwi for"
                f" {self._unknown}, the tag of what is unknown: add rows for a tag set of your own"
            )
        self._kind = rules.kind

    @property
    def _kiwi(self) -> Any:
        with _LOADING:
            return _kiwi(self._workers)

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysed]:
        """Yield the eojeols of each text with the forms and tags of their morphemes; see `of`."""
        for eojeols in self.of(texts):
            yield [(form, tuple([m[:2] for m in morphemes])) for form, morphemes in eojeols]

    def of(
        self, texts: Iterable[str], names: Iterable[Sequence[Name]] | None = None
    ) -> Iterator[list[tuple[str, list[Morpheme]]]]:
        """Yield the eojeols of each text with their morphemes, in order.

        Texts are taken only a few ahead of the results.

        Args:
            texts: texts of any length; `clean` normalises them first.
            names: for each text the morphemes that are known in it, in order and without overlaps;
                passed over for a text of more than 4,096 characters, or one that `clean` changes.

        Returns:
            For each text its eojeols: the forms, joined by spaces, are the cleaned text. A form
            that Kiwi leaves out is one morpheme with the unknown tag.
        """
        return map(self.eojeols, self.tokenized(texts, names))

    def eojeols(self, pieces: list[Piece]) -> list[tuple[str, list[Morpheme]]]:
        """Return the eojeols of a text with their morphemes; see `of`.

        Args:
            pieces: all of the text.
        """
        eojeols: Analysed = []
        goes_on = False
        for piece in pieces:
            forms = piece.text.split(" ") if piece.text else []
            more = self._grouped(forms, piece.tokens)
            if goes_on:
                (form, head), (rest, tail) = eojeols.pop(), more[0]
                more[0] = (form + rest, head + tail)
            eojeols += more
            goes_on = piece.goes_on
        return [(form, list(map(sejong_morpheme, pairs))) for form, pairs in eojeols]

    def units(self, pieces: list[Piece]) -> list[Unit] | None:
        """Return the eojeols of a text in the common case, else None.

        In the common case every eojeol begins with a token, and every token lies in one eojeol.

        Args:
            pieces: all of the text.
        """
        if len(pieces) > 1:
            return None
        text, _, tokens = pieces[0]
        starts = list(map(_start, tokens))
        if not starts or starts[0]:
            return None
        index = starts.index
        pairs = list(map(_form_tag, tokens))
        eojeols = []
        begin = position = 0
        *forms, last = text.split(" ")
        try:
            for form in forms:
                begin += len(form) + 1
                end = index(begin, position)
                eojeols.append((form, *pairs[position:end]))
                position = end
        except ValueError:
            return None
        eojeols.append((last, *pairs[position:]))
        return eojeols

    def eojeol(self, unit: Unit, assembler: Assembler) -> Eojeol | None:
        """Return the eojeol of a unit, uncached; None if only its sentence tells its morphemes.

        Args:
            unit: one of those that `units` returns.
            assembler: builds the eojeol.
        """
        form, *pairs = unit
        morphemes = tuple([m for pair in pairs if (m := self._morpheme[pair]) is not None])
        # A token may be joined to another, or the tag set lacks its tag.
        return assembler.trusted(form, morphemes) if len(morphemes) == len(pairs) else None

    def tokenized(
        self, texts: Iterable[str], names: Iterable[Sequence[Name]] | None = None
    ) -> Iterator[list[Piece]]:
        """Yield for each text its pieces with their tokens; the arguments are those of `of`."""
        pending: deque[list[tuple[str, bool]]] = deque()
        # Kiwi asks for the known morphemes of each piece, in order.
        queue: deque[list[Name]] = deque()
        known: Iterator[Sequence[Name]] = repeat(()) if names is None else iter(names)

        def feed() -> Iterator[str]:
            for text, named in zip(texts, known, strict=False):
                pieces = _pieces(clean(text))
                pending.append(pieces)
                if names is not None:
                    spans = named if pieces[0][0] == text else ()
                    queue.append([(begin, end, self._back[tag]) for begin, end, tag in spans])
                    queue.extend([[] for _ in pieces[1:]])
                for piece, _ in pieces:
                    # Kiwi takes ᄏᄏᄏ, as NFKC leaves ㅋㅋㅋ, for a noun, and all of its eojeol.
                    yield to_compatibility(piece)

        # Kiwi's own compatibility jamo would take the syllables of Old Hangul apart.
        options: dict[str, Any] = {}
        if names is not None:
            options["pretokenized"] = lambda _: queue.popleft()
        results = self._kiwi.tokenize(feed(), _matches(), **options)
        for tokens in results:
            (piece, goes_on), *pieces = pending.popleft()
            analysed = [Piece(piece, goes_on, tokens)]
            for piece, goes_on in pieces:
                analysed.append(Piece(piece, goes_on, next(results)))
            yield analysed

    def holds(self, pieces: list[Piece], names: Iterable[Name]) -> bool:
        """Test whether each name is one token of an analysis, with the tag of the name.

        Args:
            pieces: all of a text.
            names: in its first 4,096 characters.
        """
        tokens = [(token.start, token.end, token.tag) for token in pieces[0].tokens]
        return all(
            # A token may share its last syllable with the next: 최성진 as 최성지/NNP + ㄴ/JX.
            [token for token in tokens if token[0] < end and begin < token[1]]
            == [(begin, end, self._back[tag])]
            for begin, end, tag in names
        )

    @remembered()
    def _morpheme(self, pair: tuple[str, str]) -> Morpheme | None:
        """Return the morpheme of a form and Kiwi's tag.

        None if it may be joined to another, or its tag of Sejong is none of the tag set.
        """
        form = to_compatibility(pair[0])
        tag = self._tag(form, pair[1])
        return sejong_morpheme((form, tag)) if tag and self._kind(tag) else None

    def _tag(self, form: str, kiwi_tag: str) -> str | None:
        """Return the tag of Sejong for a form with a tag of Kiwi; None if the table lacks it."""
        kind = _LETTERS if any(map(is_letter, form)) else _SIGNS
        tag = self._of_forms.get((form, kiwi_tag)) or self._of_forms.get((kind, kiwi_tag))
        return tag or self._tags.get(kiwi_tag)

    def _grouped(self, forms: list[str], tokens: list[Any]) -> Analysed:
        """Group any tokens of a cleaned text by its eojeols."""
        ends = list(accumulate([len(form) + 1 for form in forms], initial=-1))[1:]
        groups: list[list[tuple[str, str]]] = [[] for _ in forms]
        index = 0
        for token in tokens:
            start, end, tag = token.start, token.end, token.tag
            while start > ends[index] and index + 1 < len(forms):
                index += 1
            if end <= ends[index]:
                groups[index].append((to_compatibility(token.form), tag))
                continue
            # A name or a date of several eojeols is divided among them.
            while True:
                begin = ends[index] - len(forms[index])
                groups[index].append((forms[index][max(start - begin, 0) : end - begin], tag))
                if end <= ends[index] or index + 1 == len(forms):
                    break
                index += 1
        return [
            (form, tuple(self._join(group)) or ((form, self._unknown),))
            for form, group in zip(forms, groups, strict=True)
        ]

    def _join(self, tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the morphemes of an eojeol: its tokens, joined by rules/kiwi-tags.tsv."""
        pairs: list[tuple[str, str]] = []
        is_open = False
        for form, kiwi_tag in tokens:
            join, tag = self._joined.get(kiwi_tag, ("", ""))
            if is_open or (join and pairs):
                before, tag_before = pairs.pop()
                form = attached(before, form)
                tag = tag if join and tag != _SAME else tag_before
            elif not join:
                tag = self._tag(form, kiwi_tag) or kiwi_tag
            elif tag == _SAME:
                tag = self._unknown
            is_open = join == _BOTH
            pairs.append((form, tag))
        return pairs


def sejong_morpheme(pair: tuple[str, str]) -> Morpheme:
    """Return the morpheme of a form of Kiwi and a tag of Sejong.

    Kiwi knows names with their spaces and finds them even if these are not written; a morpheme has
    no spaces.

    >>> sejong_morpheme(("짐 캐리", "NNP")).form
    '짐캐리'
    """
    return Morpheme(to_compatibility(compose_jamo(pair[0])[0]).replace(" ", ""), pair[1])


class Piece(NamedTuple):
    """A piece of a cleaned text, short enough for Kiwi."""

    text: str
    goes_on: bool
    """Whether its last eojeol goes on in the next piece."""
    tokens: list[Any]


def _pieces(text: str) -> list[tuple[str, bool]]:
    """Cut a cleaned text in pieces for Kiwi, each with whether its last eojeol goes on.

    The text is cut behind the last full stop, else at a space, else anywhere.
    """
    pieces = []
    while len(text) > WINDOW:
        window = text[:WINDOW]
        match = _SENTENCE_END.match(window)
        cut = match.end() if match else window.rfind(" ") + 1
        if cut:
            pieces.append((text[: cut - 1], False))
        else:
            cut = WINDOW
            pieces.append((window, text[cut] != " "))
            cut += text[cut] == " "
        text = text[cut:]
    pieces.append((text, False))
    return pieces


class Bordered(NamedTuple):
    """The analysis of a sentence."""

    eojeols: tuple[Eojeol, ...]
    spans: Spans
    """Of the morphemes in the eojeols that were cut."""
    changed: bool
    """Whether the text alone, without pieces and names, has another analysis."""


class BorderedEojeols:
    """Analyses the eojeols of sentences so that given pieces of them end where morphemes do.

    Args:
        assembler: builds the eojeols.
        workers: the number of Kiwi's own threads; None for as many as there are processors.
    """

    def __init__(self, assembler: Assembler, workers: int | None) -> None:
        self._assembler = assembler
        self._analyser = KiwiAnalyser(assembler.rules, workers=workers)
        self._known: Memo[Unit, Eojeol | None] = Memo.of(
            self, lambda this, unit: this._analyser.eojeol(unit, this._assembler), size=48_000
        )

    def of(self, sentences: Iterable[_Given]) -> Iterator[Bordered]:
        """Yield the analysis of each sentence.

        Up to 64 sentences and some more are taken ahead of the results.

        Args:
            sentences: the forms of the eojeols of each sentence, the pieces of some of them, and
                the names in some of them, none of which crosses the border of a piece.
        """
        alone = self._alone(sentences)
        while batch := list(islice(alone, _BATCH)):
            with_names = self._with_names(batch)
            for (forms, pieces, names), placed, analysed in batch:
                eojeols, changed = self._eojeols(analysed), False
                if placed:
                    own, eojeols = eojeols, self._eojeols(next(with_names))
                    changed = eojeols != own
                if [eojeol.form for eojeol in eojeols] != forms:
                    eojeols = list(map(self._written, forms, eojeols))
                spans = self._analyse_apart(forms, pieces, names, eojeols) if pieces else {}
                yield Bordered(tuple(eojeols), spans, changed or bool(spans))

    def _alone(self, sentences: Iterable[_Given]) -> Iterator[_Alone]:
        """Yield sentences, the names that Kiwi does not find by itself, and its analysis."""
        sentences, texts = tee(sentences)
        analyses = self._analyser.tokenized(_plain(forms) for forms, *_ in texts)
        for sentence, analysed in zip(sentences, analyses, strict=True):
            placed = _placed(sentence[0], sentence[2])
            if placed and self._analyser.holds(analysed, placed):
                placed = []
            yield sentence, placed, analysed

    def _with_names(self, batch: Iterable[_Alone]) -> Iterator[list[Piece]]:
        """Return the analyses of the sentences of a batch that have names, with their names."""
        named = [(_plain(forms), placed) for (forms, _, _), placed, _ in batch if placed]
        return self._analyser.tokenized([text for text, _ in named], [names for _, names in named])

    def _eojeols(self, pieces: list[Piece]) -> list[Eojeol]:
        """Return the eojeols of a text that Kiwi has analysed."""
        cache, build = self._known, self._assembler.eojeol
        eojeols = [cache[unit] for unit in self._analyser.units(pieces) or ()]
        if eojeols and None not in eojeols:
            return eojeols  # type: ignore[return-value]
        return [build(form, morphemes) for form, morphemes in self._analyser.eojeols(pieces)]

    def _analyse_apart(
        self, forms: list[str], pieces: Pieces, names: Names, eojeols: list[Eojeol]
    ) -> Spans:
        """Replace the eojeols in which a piece ends inside a morpheme by another analysis.

        Args:
            forms: of the eojeols of a sentence.
            pieces: of some of them.
            names: in some of them.
            eojeols: the first analysis, which is changed.

        Returns:
            The spans of the morphemes in the eojeols that were replaced.
        """
        first = [eojeols[i].spans for i in pieces]
        pairs = zip(pieces.items(), first, strict=True)
        apart = {i for (i, parts), spans in pairs if not _ends_at(parts, spans)}
        spans: Spans = {}
        if apart:
            wanted = [pieces[i] if i in apart else (form,) for i, form in enumerate(forms)]
            words = [piece for units in wanted for piece in units]
            placed = _placed(words, _in_pieces(wanted, names))
            again = iter(next(self._analyser.of([_plain(words)], [placed])))
            for i, units in enumerate(wanted):
                analysed = tuple(
                    [(piece, tuple([m[:2] for m in next(again)[1]])) for piece in units]
                )
                if i in apart:
                    eojeols[i], spans[i] = self._cut[analysed]
        return spans

    def _written(self, form: str, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol in the form of the corpus, if Kiwi was shown another form."""
        if eojeol.form == form:
            return eojeol
        odd = iter([c for c in form if c.isspace()])
        morphemes = []
        for morpheme in eojeol.morphemes:
            written = "".join([next(odd, c) if c == _STOPGAP else c for c in morpheme.form])
            morphemes.append(morpheme._replace(form=written))
        return self._assembler.eojeol(form, tuple(morphemes))

    @remembered(10_000)
    def _cut(self, pieces: tuple[tuple[str, Pairs], ...]) -> tuple[Eojeol, tuple[Span, ...]]:
        """Return the eojeol that some analysed pieces make, and the spans of its morphemes."""
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


def _placed(forms: Sequence[str], names: Names) -> list[Name]:
    """Return the spans of names in the text of some eojeols as Kiwi sees it (`_plain`)."""
    if not names:
        return []
    starts = list(accumulate([len(form) + 1 for form in forms], initial=0))
    return [
        (starts[i] + begin, starts[i] + end, tag)
        for i in sorted(names)
        for begin, end, tag in names[i]
    ]


def _in_pieces(pieces: Sequence[Sequence[str]], names: Names) -> Names:
    """Return the names in each of the pieces of some eojeols.

    >>> _in_pieces([("나루", "에서"), ("하늘", "이")], {1: ((0, 2, "NNP"),)})
    {2: ((0, 2, 'NNP'),)}
    """
    inner: dict[int, tuple[Name, ...]] = {}
    number = 0
    for i, units in enumerate(pieces):
        offset = 0
        for piece in units:
            end = offset + len(piece)
            inside = [name for name in names.get(i, ()) if offset <= name[0] < end]
            if inside:
                inner[number] = tuple(
                    [(first - offset, last - offset, tag) for first, last, tag in inside]
                )
            number += 1
            offset = end
    return inner


def _ends_at(pieces: tuple[str, ...], spans: Sequence[Span]) -> bool:
    """Test whether every piece ends where a morpheme does."""
    border = 0
    for piece in pieces[:-1]:
        border += len(piece)
        if any([begin < border < end for begin, end in spans]):
            return False
    return True


def _plain(forms: Sequence[str]) -> str:
    """Return a text in which Kiwi sees each form as one eojeol, of as many characters."""
    text = " ".join(forms)
    if text.count(" ") == len(forms) - 1 and not _ODD.search(text):
        return text
    return " ".join([to_compatibility(re.sub(r"\s", _STOPGAP, form)) for form in forms])
