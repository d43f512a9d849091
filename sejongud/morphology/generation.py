"""The surface that morphemes make: the inverse of segmentation (memoir, 2.3.6).

Kiwi makes one surface of morphemes, and often two are right: 했다 and 하였다 of 하/VV+았/EP+다/EF.
A *source* is an eojeol whose surface is known, and whose morphemes are the same but for some of
them. The choices of the source win:

1. By some rules of rules/alignment.tsv the surface of the source came from its morphemes, and by
   some rules Kiwi's surface of them would have come. The choices of the source are the rules that
   it alone used, and those that it alone left out, if rules/choices.tsv says that they may be. If
   a surface of the new morphemes has more of these choices than Kiwi's, it is taken: first Kiwi's
   surface with one morpheme rewritten (것/NNB as 거: 거예요, if the source is 겁니다), else one of
   the surfaces that the rules of the source allow.
2. Morphemes at the front that are the same keep the letters of the source, misspelt or not, unless
   the letters depend on the morpheme behind them: 공부하였다 gives 공부하였어요.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.memo import Memo
from sejongud.model import Morpheme
from sejongud.morphology.eojeol import Analysis
from sejongud.morphology.hangul import compose, is_syllable, to_compatibility
from sejongud.morphology.joining import KiwiJoiner
from sejongud.morphology.rewrites import (
    BORDER,
    ENDS_IN,
    OTHER,
    PLACES,
    WINDOW,
    compile_table,
    symbols_of,
)
from sejongud.morphology.search import NOT_CUT, Search
from sejongud.morphology.surface import Aligner
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Protocol

    class SurfaceSource(Protocol):
        """An eojeol of `sejongud.model`, or anything else with a surface and morphemes."""

        @property
        def form(self) -> str:
            """The surface."""

        @property
        def morphemes(self) -> Sequence[Morpheme]:
            """Its morphemes."""

    Given = str | Iterable[Morpheme | tuple[str, str]]
    """Morphemes: `짓/VV+어/EC`, or a form and a tag of each."""

_CONTRACTION = "contraction"
"""The kind of a rule that both right surfaces may have or not, rather than of an allomorph."""
_MOST = 64
"""The greatest number of surfaces that are followed at a time."""
_LONGEST = 200
"""The most letters of an eojeol whose source is looked at; no word has as many."""
_SYLLABLE = re.compile(
    "([{}])([{}])([{}]?)".format(*["".join(sorted(jamo)) for jamo in PLACES]), re.DOTALL
)
_JAMO = re.compile("[ㄱ-ㅣ]")
_STRAY = re.compile("[\u1100-\u11ff]")

_Morphemes = tuple[Morpheme, ...]


def surface(morphemes: Given, source: SurfaceSource | tuple[str, Given] | None = None) -> str:
    """Return the surface that the morphemes of an eojeol make.

    Args:
        morphemes: the analysis of the eojeol (`짓/VV+어/EC`), or a form and a Sejong tag for each
            morpheme.
        source: an eojeol whose surface is known, before some of its morphemes were changed: an
            `Eojeol`, or its surface and its morphemes. Its own choices between two surfaces win,
            and morphemes at the front that have not changed keep its letters. None for the surface
            that is the most frequent.

    Returns:
        The surface; "_" of no morphemes.

    Raises:
        FormatError: a morpheme of an analysis has no tag.
        UsageError: a morpheme is no pair of strings, or the source is a surface alone.

    Memoir, 2.3.6, on the reunion of segmented morphemes.

    >>> surface("짓/VV+어/EC"), surface([("학교", "NNG"), ("이", "VCP"), ("에요", "EF")])
    ('지어', '학교예요')
    >>> surface("공부/NNG+하/XSV+았/EP+어요/EF", ("공부하였다", "공부/NNG+하/XSV+았/EP+다/EF"))
    '공부하였어요'
    """
    if source is None:
        return _generator().surface(given_morphemes(morphemes))
    if isinstance(source, str):
        raise UsageError(
            "a source is an eojeol, or a pair of its surface and its morphemes: the surface"
            f" {source:.40} alone does not tell its morphemes"
        )
    form, morphs = source if isinstance(source, tuple) else (source.form, source.morphemes)
    return _generator().surface(given_morphemes(morphemes), (form, given_morphemes(morphs)))


@lru_cache(maxsize=1)
def _generator() -> Generator:
    return Generator(load())


def given_morphemes(morphemes: Given) -> _Morphemes:
    """Return the morphemes that a caller gives."""
    if isinstance(morphemes, str):
        # The plus sign stands for a form that is not known.
        return Analysis(load()).parse(morphemes, "+")[0] if morphemes else ()
    if not isinstance(morphemes, Iterable):
        raise UsageError(
            "morphemes are a string such as 짓/VV+어/EC, the .morphemes of an eojeol, or a list"
            f" with a form and a tag of each, not a value of type {type(morphemes).__name__}"
        )
    read = []
    for item in morphemes:
        form, tag = item[:2] if isinstance(item, (tuple, list)) and len(item) > 1 else (None, None)
        if not isinstance(form, str) or not isinstance(tag, str):
            pair = "a morpheme is a form and a tag, such as ('짓', 'VV')"
            raise UsageError(f"{pair}, not {item!r:.60}")
        read.append(item if isinstance(item, Morpheme) else Morpheme(form, tag))
    return tuple(read)


class Generator:
    """Make surfaces of morphemes.

    Args:
        rules: the tables.

    >>> parse = Analysis(load()).parse
    >>> Generator(load()).surface(parse("낫/VV+아/EC", "")[0])
    '나아'
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._kiwi = KiwiJoiner(rules)
        self._aligner = Aligner(rules)
        self._table = compile_table(rules)
        self._symbols = symbols_of({})
        choices = rules.table("choices")
        self._choices = frozenset([row["name"] for row in choices])
        self._free = frozenset([r["name"] for r in choices if r["kind"] == _CONTRACTION])
        self._sejong_tags = rules.sejong_tags
        self._plain: Memo[_Morphemes, str] = Memo.of(
            self, lambda generator, morphemes: generator._kiwi.surfaces([morphemes])[0], size=24_000
        )

    def surface(
        self,
        morphemes: _Morphemes,
        source: tuple[str, _Morphemes] | None = None,
        front: int | None = None,
    ) -> str:
        """Return the surface of an eojeol; see `surface`.

        Args:
            morphemes: of the eojeol.
            source: surface and morphemes of an eojeol whose choices win.
            front: the number of morphemes in front that keep the letters of the source, if its
                surface is wrong, so that its allomorphs are no choice; None for all morphemes in
                front that are the same.
        """
        plain = self._plain[morphemes]
        if source is None or not morphemes:
            return plain
        form, morphs = source
        if front is None and _pairs(morphemes) == _pairs(morphs) and form:
            return form
        usual = self._plain[morphs] if morphs else ""
        if not (morphs and form) or form == usual or max(map(len, (form, usual, plain))) > _LONGEST:
            return plain
        choices = self._choices if front is None else self._free
        chosen = self.chosen(morphemes, (form, morphs), choices)
        result = self._with_front(morphemes, chosen, (form, morphs), usual, front)
        return plain if front is not None and result == form else result

    def morphemes(self, form: str) -> _Morphemes:
        """Return the morphemes of an eojeol that stands alone; Kiwi analyses it."""
        [eojeols] = self._kiwi.of([form])
        return tuple([morpheme for _, morphemes in eojeols for morpheme in morphemes])

    def surfaces(self, eojeols: Sequence[Sequence[Morpheme]]) -> list[str]:
        """Return the surfaces of the eojeols of a sentence; see `KiwiJoiner.surfaces`."""
        return self._kiwi.surfaces(eojeols)

    def chosen(
        self,
        morphemes: _Morphemes,
        source: tuple[str, _Morphemes],
        choices: Collection[str] | None = None,
    ) -> str:
        """Return the surface of an eojeol by the source's choices, without regard to its letters.

        Args:
            morphemes: of the eojeol.
            source: surface and morphemes of an eojeol whose choices between rules are taken.
            choices: the rules that may be left out; None for all of rules/choices.tsv.
        """
        plain = self._plain[morphemes]
        form, morphs = source
        explained = self._aligner.align(form, morphs)
        usual = self._aligner.align(self._plain[morphs], morphs)
        liked = {*explained.rules} - {*explained.weak, *usual.rules}
        left_out = {*usual.rules} - {*explained.rules}
        disliked = left_out.intersection(self._choices if choices is None else choices)
        if explained.unexplained or not (liked or disliked):
            return plain
        names = {*explained.rules, *self._aligner.align(plain, morphemes).rules} - {*explained.weak}
        jamo = len(_JAMO.findall(plain))

        def score(candidate: str) -> tuple[int, int]:
            used = {*self._aligner.align(candidate, morphemes).rules}
            return len(used & liked) - len(used & disliked), _shared(candidate, plain)

        for candidates in (self._variants(morphemes, liked), self._allowed(morphemes, names)):
            whole = [text for text in candidates if len(_JAMO.findall(text)) <= jamo]
            best = max([plain, *whole], key=score)
            if score(best)[0] > score(plain)[0]:
                return best
        return plain

    def _variants(self, morphemes: _Morphemes, names: set[str]) -> list[str]:
        """Return Kiwi's surfaces of the morphemes with one of them rewritten (것 as 거)."""
        surfaces = []
        for i, morpheme in enumerate(morphemes):
            for form in self._allowed((morpheme,), names):
                if form and form != morpheme.form:
                    rewritten = morpheme._replace(form=form)
                    surfaces.append(self._plain[(*morphemes[:i], rewritten, *morphemes[i + 1 :])])
        return surfaces

    def _allowed(self, morphemes: _Morphemes, names: set[str]) -> list[str]:
        """Return the surfaces that the rules of these names allow, at most some dozens."""
        tags = self._sejong_tags(morphemes)
        source = BORDER.join(["".join(map(self._symbol, m.form)) for m in morphemes])
        search = Search(self._table, source, "", tags, NOT_CUT, cut_back=False)
        # For each symbol the surfaces that lead there.
        reached: list[dict[str, None]] = [{} for _ in range(len(source) + 1)]
        reached[0][""] = None
        morpheme = 0
        for i, symbol in enumerate(source):
            before = list(reached[i])[:_MOST]
            for rewrite in self._table.strict[source[i : i + WINDOW]]:
                needed = rewrite.name in names and source.startswith(rewrite.needed, i)
                if needed and search.fits(rewrite, i, morpheme, aside=0):
                    beyond = reached[i + len(rewrite.before)]
                    for text in before:
                        ending = ENDS_IN.get(text[-1:], OTHER)
                        if not rewrite.follows or ending in rewrite.follows:
                            beyond[text + rewrite.surface] = None
            letter = "" if symbol == BORDER else symbol
            reached[i + 1].update(dict.fromkeys([text + letter for text in before]))
            morpheme += symbol == BORDER
        surfaces = [_SYLLABLE.sub(_composed, text) for text in list(reached[-1])[:_MOST]]
        return [text for text in surfaces if not _STRAY.search(text)]

    def _symbol(self, char: str) -> str:
        """Return the symbols of a character; the case of a letter and a quotation mark stay."""
        return self._symbols[char] if is_syllable(char) else char.replace(BORDER, "\ufffd")

    def _with_front(
        self,
        morphemes: _Morphemes,
        chosen: str,
        source: tuple[str, _Morphemes],
        usual: str,
        front: int | None,
    ) -> str:
        """Return a surface with the source's letters for the morphemes in front that are the same.

        Args:
            morphemes: of the eojeol.
            chosen: its surface by the source's choices.
            source: surface and morphemes of the source.
            usual: Kiwi's surface of the source's morphemes.
            front: the most morphemes that are the same; None for any number.
        """
        form, morphs = source
        plain = self._plain[morphemes]
        theirs, usually = self._borders(form, morphs), self._borders(usual, morphs)
        ours, plainly = self._borders(chosen, morphemes), self._borders(plain, morphemes)
        same = _same(_pairs(morphemes), _pairs(morphs))
        for size in range(same if front is None else min(same, front), 0, -1):
            borders = [ends[size - 1] for ends in (theirs, usually, ours, plainly)]
            # A source without letters for them tells nothing of them.
            if borders[0] and None not in borders and usual[: borders[1]] == plain[: borders[3]]:
                return form[: borders[0]] + chosen[borders[2] :]
        return chosen

    def _borders(self, form: str, morphemes: _Morphemes) -> list[int | None]:
        """Return where each morpheme ends; None inside of a syllable."""
        spans = self._aligner.align(form, morphemes).spans
        inner = [begin if end <= begin else None for (_, end), (begin, _) in pairwise(spans)]
        return [*inner, len(form)]


def _pairs(morphemes: _Morphemes) -> list[tuple[str, str]]:
    """Return form and tag of each morpheme."""
    return [(morpheme.form, morpheme.tag) for morpheme in morphemes]


def _composed(match: re.Match[str]) -> str:
    """Return the syllable of a lead, a vowel and perhaps a coda."""
    return compose(*map(to_compatibility, match.groups("")))


def _same(first: Sequence[object], second: Sequence[object]) -> int:
    """Return the number of items in front that are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _shared(first: str, second: str) -> int:
    """Return the number of letters that two surfaces share at their beginning and end."""
    front = _same(first, second)
    return front + _same(first[front:][::-1], second[front:][::-1])
