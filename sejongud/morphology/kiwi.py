"""The morphological analyser Kiwi, with analyses in the style of the Sejong corpus.

Kiwi (Lee 2024, kiwipiepy) has tags of its own, gives the morphemes of a text rather than of an
eojeol, and normalises allomorphs. This module groups its tokens by the spaces of the text, maps its
tags by rules/kiwi-tags.tsv, and keeps endings as they are written: 하였다 is 하/VV 였/EP 다/EF, not
하 었 다.
"""

from __future__ import annotations

import locale
import re
from collections import deque
from functools import cache, lru_cache
from itertools import accumulate, pairwise, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import is_normalized, normalize

from sejongud.errors import UsageError
from sejongud.memo import remembered, remembered_by
from sejongud.model import Eojeol, Morpheme
from sejongud.morphology.hangul import (
    compose,
    compose_jamo,
    decompose,
    is_letter,
    is_syllable,
    to_compatibility,
)
from sejongud.morphology.readings import Readings
from sejongud.morphology.rewrites import BOUND, compile_joins, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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

_WINDOW = 4096
"""The most characters for one call of Kiwi, which needs minutes for 100,000 letters in a row."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SENTENCE_END = re.compile(r".*[.?!…] ", re.DOTALL)

_start, _form_tag = attrgetter("start"), attrgetter("form_tag")

_BOTH = "both"
_SAME = "="
_LETTERS = "letters"
"""In the column form, a form with letters, which are not those of ㅋㅋ or ℃."""
_ADDED = "before", _SAME
"""The row of a letter that is added in fun and belongs to no morpheme: 했어욥."""


def versions() -> tuple[str, ...]:
    """Return the versions of Kiwi and of its model, on which every analysis depends.

    Returns:
        `kiwipiepy 0.24.1`, `kiwipiepy_model 0.24.0`.
    """
    from importlib.metadata import version

    return tuple(f"{name} {version(name)}" for name in ("kiwipiepy", "kiwipiepy_model"))


def clean(text: str) -> str:
    r"""Normalise a text for Kiwi: NFC, one space between eojeols, none at the edges.

    Kiwi takes decomposed Hangul for unknown nouns, and fails on half a surrogate pair.

    >>> clean("\u1102\u1161\u1102\u1173\u11ab  간다. \t")
    '나는 간다.'
    """
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    return " ".join(without_surrogates(text).split())


def without_surrogates(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoding can write, by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text


@lru_cache(maxsize=2)
def _kiwi(workers: int) -> Any:
    """Load Kiwi: half a gigabyte and a second, so once a process.

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


@cache
def _matches() -> Any:
    """Return the patterns that Kiwi looks for: all but hashtags, which would hold particles."""
    from kiwipiepy import Match

    return Match.ALL & ~Match.HASHTAG


class KiwiAnalyser:
    """Analyse texts, and make the surface of analyses that have none.

    Args:
        rules: the tables.
        workers: the number of Kiwi's threads; None for as many as there are processors.

    Raises:
        UsageError: the tag set is another one, of which kiwi-tags.tsv has nothing.

    >>> from sejongud.rules import load
    >>> next(KiwiAnalyser(load()).analyse(["나는 간다."]))
    [('나는', (('나', 'NP'), ('는', 'JX'))), ('간다.', (('가', 'VV'), ('ㄴ다', 'EF'), ('.', 'SF')))]
    """

    def __init__(self, rules: Rules, *, workers: int | None = None) -> None:
        rows = rules.table("kiwi-tags")
        self._workers = -1 if workers is None else workers
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
        self._bound = frozenset(
            tag for tag, row in rules.tags.items() if row.kind in ("ending", "particle")
        )
        self._kiwi_tags = frozenset([row["kiwi"] for row in rows])
        self._own_tags = self._kiwi_tags - rules.tags.keys()
        self._sejong_tag = rules.sejong_tag
        self._joins = compile_joins(rules)
        self._readings = Readings(rules)
        self._kind = rules.kind

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

    def alone(self, form: str) -> Alone:
        """Analyse one eojeol without its sentence, and judge the analysis.

        Args:
            form: an eojeol of any length; one of more than 4,096 characters counts as unknown.

        >>> from sejongud.rules import load
        >>> KiwiAnalyser(load()).alone("살어요")[:3]
        ((('살', 'VV'), ('아요', 'EF')), True, '살아요')
        """
        form = clean(form)
        if not form or len(form) > _WINDOW:
            return Alone(((form, self._unknown),), False, "", 0.0)
        kiwi = _kiwi(self._workers)
        [(tokens, score)] = kiwi.analyze(form)
        pairs = tuple(self._join([(to_compatibility(t.form), t.tag) for t in tokens]))
        in_dictionary = not any([t.oov or self._joined.get(t.tag) == _ADDED for t in tokens])
        return Alone(
            pairs, in_dictionary, kiwi.join([(t.form, t.tag, False) for t in tokens]), score
        )

    def sentences(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield the sentences of each text, as Kiwi splits it; an eojeol is never split.

        Args:
            texts: as for `analyse`; a text of more than 4,096 characters is split there as well.
        """
        for first, *pieces in self.tokenized(texts):
            sentences = _split(first)
            goes_on = first.goes_on
            for piece in pieces:
                more = _split(piece)
                if goes_on:
                    more[0] = sentences.pop() + more[0]
                sentences += more
                goes_on = piece.goes_on
            yield sentences

    def surfaces(self, eojeols: Sequence[Sequence[Morpheme]]) -> list[str]:
        """Make the forms of the eojeols of a sentence from their morphemes.

        Kiwi contracts, conjugates and chooses allomorphs: 프랑스/NNP+은/JX makes 프랑스는. If two
        forms are possible (묻/VV+어/EC), the other morphemes of the sentence decide. The table
        rules/joins.tsv mends what Kiwi does not join well. Morphemes that are marked as elided or
        have no form are left out.

        Args:
            eojeols: the morphemes of each eojeol.

        >>> from sejongud.morphology.eojeol import Analysis
        >>> from sejongud.rules import load
        >>> parse = Analysis(load()).parse
        >>> KiwiAnalyser(load()).surfaces([parse("돕/VV+아/EC", "")[0]])
        ['도와']
        """
        pairs = [
            tuple([(m.form, m.tag) for m in morphemes if m.form and not m.elided])
            for morphemes in eojeols
        ]
        pieces = [self._joinable[own, self._before(pairs, at)] for at, own in enumerate(pairs)]
        kiwi = _kiwi(self._workers)
        items = [
            (form, tag, i == 0) for morphemes in pieces for i, (form, tag) in enumerate(morphemes)
        ]
        text, positions = kiwi.join(items, return_positions=True)
        starts = [
            start for (start, _), (_, _, first) in zip(positions, items, strict=True) if first
        ]
        if all([text[start - 1] == " " for start in starts[1:]]):
            borders = pairwise([*starts, len(text) + 1])
            texts = iter([text[start : end - 1] for start, end in borders])
        else:
            # A morpheme with spaces at its edges has taken the place of the one between.
            texts = iter([kiwi.join([(*m, False) for m in part]) for part in pieces if part])
        return [
            (next(texts).strip() if part else "") or "".join([m.form for m in morphemes]) or "_"
            for part, morphemes in zip(pieces, eojeols, strict=True)
        ]

    def _before(self, pairs: Sequence[Pairs], place: int) -> str:
        """Return the text before an eojeol, if the eojeol closes a bracket of another one."""
        text = "".join([form for form, _ in pairs[place]])
        if not self._readings.closes(text):
            return ""
        words = ["".join([form for form, _ in own]) for own in pairs[:place]]
        return " ".join([*words, ""])

    @remembered_by(24_000)
    def _joinable(self, pairs: Pairs, before: str) -> Pairs:
        """Return the morphemes of an eojeol with the forms and tags that Kiwi joins well."""
        # Kiwi's own tags tell more than those of Sejong: 짓/VV-I is irregular.
        pairs_left = [
            (form, tag if tag in self._own_tags else self._sejong_tag(form, tag))
            for form, tag in pairs
        ]
        joinable = []
        for form, tag in joined(self._joins, self._readings.fitted(pairs_left, before)):
            if tag in self._bound and form[0] in BOUND:
                # Kiwi joins bound consonants only if they are conjoining jamo.
                form = BOUND[form[0]] + form[1:]
            tag_of_kiwi = tag if tag in self._kiwi_tags else self._back[self._unknown]
            joinable.append((form, self._back.get(tag, tag_of_kiwi)))
        return tuple(joinable)

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
        results = _kiwi(self._workers).tokenize(feed(), _matches(), **options)
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

    @remembered(48_000)
    def _morpheme(self, pair: tuple[str, str]) -> Morpheme | None:
        """Return the morpheme of a form and Kiwi's tag.

        None if it may be joined to another, or its tag of Sejong is none of the tag set.
        """
        form = to_compatibility(pair[0])
        tag = self._tag(form, pair[1])
        return sejong_morpheme((form, tag)) if tag and self._kind(tag) else None

    def _tag(self, form: str, kiwi_tag: str) -> str | None:
        """Return the tag of Sejong for a form with a tag of Kiwi; None if the table lacks it."""
        tag = self._of_forms.get((form, kiwi_tag))
        if tag is None and any(map(is_letter, form)):
            tag = self._of_forms.get((_LETTERS, kiwi_tag))
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


class Alone(NamedTuple):
    """The analysis of an eojeol by itself."""

    pairs: Pairs
    in_dictionary: bool
    """Whether each morpheme is in Kiwi's dictionary."""
    surface: str
    """The form that Kiwi makes of these morphemes; a misspelling differs from it."""
    score: float
    """The logarithm of its probability; a rarer eojeol has less."""


class Piece(NamedTuple):
    """A piece of a cleaned text, short enough for Kiwi."""

    text: str
    goes_on: bool
    """Whether its last eojeol goes on in the next piece."""
    tokens: list[Any]


def attached(form: str, rest: str) -> str:
    """Join two forms; a bound consonant goes under an open syllable.

    >>> attached("어요", "ㅂ"), attached("깨끗", "이")
    ('어욥', '깨끗이')
    """
    if rest in BOUND and is_syllable(form[-1:]):
        lead, vowel, coda = decompose(form[-1])
        if not coda:
            return form[:-1] + compose(lead, vowel, rest)
    return form + rest


def _pieces(text: str) -> list[tuple[str, bool]]:
    """Cut a cleaned text in pieces for Kiwi, each with whether its last eojeol goes on.

    The text is cut behind the last full stop, else at a space, else anywhere.
    """
    pieces = []
    while len(text) > _WINDOW:
        window = text[:_WINDOW]
        match = _SENTENCE_END.match(window)
        cut = match.end() if match else window.rfind(" ") + 1
        if cut:
            pieces.append((text[: cut - 1], False))
        else:
            cut = _WINDOW
            pieces.append((window, text[cut] != " "))
            cut += text[cut] == " "
        text = text[cut:]
    pieces.append((text, False))
    return pieces


def _split(piece: Piece) -> list[str]:
    """Return the sentences of a piece; the first eojeol that begins in a sentence begins it."""
    sentences: list[list[str]] = []
    starts = {token.start: token.sent_position for token in reversed(piece.tokens)}
    begin = 0
    current = None
    for form in piece.text.split(" "):
        number = starts.get(begin, current)
        if number != current or not sentences:
            sentences.append([])
            current = number
        sentences[-1].append(form)
        begin += len(form) + 1
    return [" ".join(forms) for forms in sentences]
