"""Korean texts: whether morphemes make a form, particles, the distance of two texts, numbers.

Kiwi makes the form of morphemes: it conjugates, contracts and chooses allomorphs. A form that
differs is built all the same where a contraction is a matter of choice (되어 and 돼, 하여 and 해).
It is not built with a wrong allomorph (꽃는, 살어요), nor without a contraction that must be made
(가아서).

Numbers are compared as their values: 3명, 삼 명 and 세 명 are alike. A syllable such as 이 or 만 is
taken for a number wherever it stands, so a text with values serves the comparison and nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import pairwise
from math import inf, log
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.gec.tokens import NOUN, group_of
from sejongud.memo import remembered
from sejongud.model import Morpheme, Span
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.morphology.surface import Aligner
from sejongud.rules import Rules, load
from sejongud.rules.bounded import atomic
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.morphology.joining import KiwiJoiner


# --- forms ----------------------------------------------------------------------------------------

_REMEMBERED = 24_000
_OPTIONAL, _DOUBLE, _KEPT, _HARMONY = "optional", "double", "kept", "harmony"
_ALLOMORPH = "allomorph"
_LONGEST = 60
"""The most characters of an eojeol that is looked at."""


class Builder:
    """Tell whether morphemes make a form.

    Args:
        rules: the tables, of which `gec-contractions` says which contractions are free, and
            `choices` which rules of alignment choose an allomorph.
        kiwi: makes forms.

    >>> from sejongud.morphology.joining import KiwiJoiner
    >>> from sejongud.rules import load
    >>> builder = Builder(load(), KiwiJoiner(load()))
    >>> morphemes = Morpheme("되", "VV"), Morpheme("었", "EP"), Morpheme("다", "EF")
    >>> [builder.makes(form, morphemes) for form in ("됐다", "되었다", "됬다")]
    [True, True, False]
    """

    def __init__(self, rules: Rules, kiwi: KiwiJoiner) -> None:
        self._aligner = Aligner(rules)
        self._kiwi = kiwi
        self._lemmas = rules.lemmas["normalised"]
        self._bound = bound_tags(rules)
        self._rows: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for row in rules.table("gec-contractions"):
            self._rows[row["kind"], row["tag"]].append((row["form"], row["full"]))
        self._allomorphs = {row["name"] for row in rules.table("choices", kind=_ALLOMORPH)}

    def makes(self, form: str, morphemes: Sequence[Morpheme], surface: str = "") -> bool:
        """Return whether the morphemes make this form, or make it with other free contractions.

        Args:
            form: an eojeol.
            morphemes: its analysis in Sejong tags.
            surface: the form that Kiwi makes of the morphemes, if it is known.
        """
        if not form or not morphemes or len(form) > _LONGEST:
            return False
        if self._contract_wrongly(form, morphemes):
            return False
        if surface == form or form in self._surfaces(morphemes):
            return True
        fit = self._aligner.align(form, morphemes)
        if fit.unexplained or fit.weak or not self._allomorphs.isdisjoint(fit.rules):
            return False
        chunks = _chunks(fit.spans)
        if any([self._is_unlike_kiwi(form, morphemes, chunk) for chunk in chunks]):
            return False
        pairs = pairwise(chunks)
        return all([self._adjoin(form[a.begin : b.end], morphemes, a, b) for a, b in pairs])

    def borders(self, form: str, morphemes: Sequence[Morpheme]) -> list[tuple[int, int]]:
        """Return the places inside a form where one morpheme ends and the next begins.

        Returns:
            The number of morphemes in front, and of characters; none for a very long form. A place
            inside the syllable that two morphemes share is none.
        """
        return _borders(self._aligner.align(form, morphemes).spans) if len(form) <= _LONGEST else []

    def _adjoin(
        self, form: str, morphemes: Sequence[Morpheme], left: _Chunk, right: _Chunk
    ) -> bool:
        """Return whether two neighbouring chunks make a piece of a form."""
        pair = morphemes[left.first : right.stop]
        if form in self._surfaces(pair):
            return True
        last, first = morphemes[left.stop - 1], morphemes[right.first]
        if last.form + first.form in self._surfaces((last, first)):
            return True
        return self._is(_OPTIONAL, last, first)

    def _is_unlike_kiwi(self, form: str, morphemes: Sequence[Morpheme], chunk: _Chunk) -> bool:
        """Return whether a stem takes an ending with another vowel than it must: 바뻤다."""
        parts = morphemes[chunk.first : chunk.stop]
        return any([self._is(_HARMONY, *pair) for pair in pairwise(parts)]) and (
            form[chunk.begin : chunk.end] not in self._surfaces(parts)
        )

    def _contract_wrongly(self, form: str, morphemes: Sequence[Morpheme]) -> bool:
        """Return whether two morphemes of a form are contracted by half.

        The first is written in full before the second, which is contracted with it (책이예요), or
        it is left out, and the second is not contracted (학교에요).
        """
        before = ""
        for last, first in pairwise(morphemes):
            if before + last.form + first.form in form and self._is(_DOUBLE, last, first):
                return True
            if before and before + first.form in form and self._is(_KEPT, last, first):
                return True
            before = last.form
        return False

    def _is(self, kind: str, last: Morpheme, first: Morpheme) -> bool:
        """Return whether the table `gec-contractions` has two neighbours in its rows of a kind."""
        return any(
            [
                _ends_with(last.form, end) and (begin == ANY or _begins_with(first.form, begin))
                for end, begin in self._rows.get((kind, last.tag), ())
            ]
        )

    def _surfaces(self, morphemes: Sequence[Morpheme]) -> tuple[str, str]:
        """Return the forms that Kiwi makes of morphemes, as they are and as their lemmas."""
        plain = [
            Morpheme(self._lemmas.get(m[:2], m.form), m.tag) if m.tag in self._bound else m
            for m in morphemes
        ]
        return self._joined[tuple(morphemes)], self._joined[tuple(plain)]

    @remembered(_REMEMBERED)
    def _joined(self, morphemes: tuple[Morpheme, ...]) -> str:
        return self._kiwi.surfaces([morphemes])[0].replace(" ", "")


class _Chunk(NamedTuple):
    """Neighbouring morphemes that share syllables."""

    first: int
    stop: int
    begin: int
    """The place in the form where it begins."""
    end: int


def _borders(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return the places where one span ends and the next begins, with the spans in front.

    >>> _borders([(0, 1), (0, 1), (1, 2)])
    [(2, 1)]
    """
    borders = []
    end = 0
    for number, ((_, stop), (begin, _)) in enumerate(pairwise(spans), 1):
        end = max(end, stop)
        if end <= begin:
            borders.append((number, end))
    return borders


def _chunks(spans: Sequence[Span]) -> list[_Chunk]:
    """Return the groups of morphemes between two _borders."""
    places = [(0, 0), *_borders(spans), (len(spans), spans[-1][1])]
    return [_Chunk(first, stop, begin, end) for (first, begin), (stop, end) in pairwise(places)]


def bound_tags(rules: Rules) -> frozenset[str]:
    """Return the tags of particles and endings, whose forms depend on the morpheme in front."""
    return frozenset([tag for tag, row in rules.tags.items() if row.kind in ("ending", "particle")])


def _ends_with(form: str, end: str) -> bool:
    """Return whether a form ends with a vowel, is a whole form, or anything."""
    last = decompose(form[-1]) if is_syllable(form[-1:]) else ("", "", "")
    return end in (ANY, form) or (last[1] == end and not last[2])


def _begins_with(form: str, begin: str) -> bool:
    """Return whether a form begins with a syllable of the lead and the vowel of `begin`."""
    if form.startswith(begin):
        return True
    are_syllables = is_syllable(form[:1]) and is_syllable(begin)
    return are_syllables and decompose(form[0])[:2] == decompose(begin)[:2]


# --- particles ------------------------------------------------------------------------------------
# Kiwi takes a noun with a wrong particle for another noun as often as not (기술가 is 기술가/NNG).
# Where the correction's noun stands in the source as well, what follows it decides.

_PARTICLE, _COPULA = "particle", "VCP"


class Particles:
    """Compare the particles behind a noun.

    Args:
        rules: the tables, of which `gec-particles` lists the particles.

    >>> from sejongud.rules import load
    >>> particles = Particles(load())
    >>> correction = [("기술", "NNG"), ("이", "JKS")]
    >>> [particles.differ(form, "기술이", correction) for form in ("기술가", "기술과학")]
    [True, False]
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._tags = frozenset([tag for tag, row in rules.tags.items() if row.kind == _PARTICLE])
        self._chain = chain_of_particles(rules)
        self._forms = {row["form"] for row in rules.table("gec-particles")}
        """Kiwi takes those that begin with 이 for a copula with its ending as well: 이라든가."""

    def noun(self, form: str, pairs: Sequence[tuple[Any, ...]]) -> str:
        """Return the part of an eojeol in front of its last particles.

        Args:
            form: the eojeol.
            pairs: the form and tag of each morpheme; more fields may follow.

        Returns:
            "" if no noun stands there, or if a particle is contracted with it (난, 날).
        """
        count = len(pairs)
        while count and pairs[count - 1][1] in self._tags:
            count -= 1
        is_bare = count == len(pairs) > 2 and pairs[-2][1] == _COPULA
        if is_bare and pairs[-2][0] + pairs[-1][0] in self._forms:
            count -= 2
        if not count or group_of(Morpheme(*pairs[count - 1][:2]), self._rules) != NOUN:
            return ""
        rest = "".join([pair[0] for pair in pairs[count:]])
        return form.removesuffix(rest) if form.endswith(rest) else ""

    def differ(self, source: str, target: str, pairs: Sequence[tuple[Any, ...]]) -> bool:
        """Return whether source and target have one noun, and particles or nothing behind it.

        Args:
            source: an eojeol.
            target: its correction.
            pairs: the analysis of the correction.
        """
        noun = self.noun(target, pairs)
        return (
            noun != ""
            and source != target
            and source.startswith(noun)
            and self._chain.fullmatch(source, len(noun)) is not None
        )

    def are_misspelt(self, source: str, target: str, pairs: Sequence[tuple[Any, ...]]) -> bool:
        """Return whether the noun is the same, and a syllable behind it is like its particle.

        In 시간으 → 시간을 the last syllable is no particle, but most letters are those of 을.
        """
        noun = self.noun(target, pairs)
        source_end, target_end = source[len(noun) :], target[len(noun) :]
        if not noun or not source.startswith(noun) or not len(source_end) == len(target_end) == 1:
            return False
        from rapidfuzz.distance import Levenshtein

        ours, theirs = letters_of(source_end), letters_of(target_end)
        return 2 * Levenshtein.distance(ours, theirs) <= max(len(ours), len(theirs))


def chain_of_particles(rules: Rules) -> re.Pattern[str]:
    """Return the pattern of any number of particles, of which each is as long as it can be.

    >>> from sejongud.rules import load
    >>> chain_of_particles(load()).match("에서는요즘").group()
    '에서는'
    """
    forms = [re.escape(row["form"]) for row in rules.table("gec-particles")]
    # 이나 may be read as 이 + 나 as well, and each further one would double the ways to try.
    return re.compile(f"(?:{atomic('|'.join(sorted(forms, key=len, reverse=True)), 'form')})*")


def letters_of(form: str) -> str:
    """Return the letters of a form, those of its syllables and those outside of them.

    >>> letters_of("한ㄱ글")
    'ㅎㅏㄴㄱㄱㅡㄹ'
    """
    return "".join(["".join(decompose(c)) if is_syllable(c) else c for c in form])


# --- the jamo distance ----------------------------------------------------------------------------
# Source: Yoon et al. (2023), A.3.1; soynlp's `jamo_levenshtein`. It is the Levenshtein distance
# over characters, where the substitution of a syllable by another costs a third for each of lead,
# vowel and coda that differ.

_PARTS = 3
_BASE = 20
_MOST_CELLS = 4_000_000
"""The most cells of a table; texts that need more are not compared."""


@lru_cache(maxsize=1 << 16)
def substitution_cost(first: str, second: str) -> float:
    """Return the cost of one character for another.

    >>> substitution_cost("갓", "갔"), substitution_cost("가", "a")
    (0.3333333333333333, 1.0)
    """
    if not (is_syllable(first) and is_syllable(second)):
        return 1.0
    pairs = zip(decompose(first), decompose(second), strict=True)
    return sum([a != b for a, b in pairs]) / _PARTS


def jamo_distance(first: str, second: str, limit: float = inf) -> float:
    """Return the jamo distance of two texts.

    Args:
        first: a text.
        second: another one.
        limit: a distance that is enough: of texts that are farther apart, or that are too long to
            be compared within the limit, the result is infinite.

    Returns:
        The distance, 0 for equal texts.

    >>> jamo_distance("한국어", "한국말"), round(jamo_distance("가요", "갔어요"), 3)
    (1.0, 1.333)
    """
    from rapidfuzz.distance import Postfix, Prefix

    front = Prefix.similarity(first, second)
    first, second = first[front:], second[front:]
    back = Postfix.similarity(first, second)
    first, second = first[: len(first) - back], second[: len(second) - back]
    if abs(len(first) - len(second)) > limit:
        return inf
    # A path that leaves this band costs more than the limit.
    band = int(min(limit, max(len(first), len(second))))
    if (2 * band + 1) * len(first) > _MOST_CELLS:
        return inf
    return _within(first, second, band, limit)


def _within(first: str, second: str, band: int, limit: float) -> float:
    """Return the distance over the cells of a band around the diagonal."""
    width = 2 * band + 1
    # The place of the cell (i, j) in its row is j - i + band.
    above = [float(k - band) if band <= k <= band + len(second) else inf for k in range(width)]
    for i, char in enumerate(first, 1):
        row = [inf] * width
        best = inf
        for k in range(max(0, band - i), min(width, len(second) - i + band + 1)):
            best += 1
            if k + 1 < width:
                best = min(best, above[k + 1] + 1)
            j = i + k - band
            if j:
                second_char = second[j - 1]
                cost = 0.0 if char == second_char else substitution_cost(char, second_char)
                best = min(best, above[k] + cost)
            row[k] = best
        above = row
        if min(row) > limit:
            return inf
    return above[len(second) - len(first) + band]


def normalised(distance: float, length: int) -> float:
    """Return a distance by the length of the shorter text (Yoon et al. 2023, equation 1).

    Args:
        distance: of two texts.
        length: of the shorter one, in characters.

    >>> round(normalised(2.0, 20), 2), normalised(0.0, 1), normalised(1.0, 1)
    (0.1, 0.0, inf)
    """
    if not distance:
        return 0.0
    by = length * log(length, _BASE) if length > 1 else 0.0
    return distance / by if by else inf


# --- numbers --------------------------------------------------------------------------------------

_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_POINT = "점"
_LONGEST_NUMBER = 18
"""The most digits of a number; longer ones are read digit by digit."""
_BEGIN, _END = "\ue000", "\ue001"
"""Marks around a number, which no text has."""
_SPACES = re.compile(rf" +(?={_BEGIN})|(?<={_END}) +")
_ORDER = {"digit": 1, "ones": 1, "tens": 10}


_Atom = tuple[str, int]
"""The kind of a word of a number, and its value."""


@lru_cache(maxsize=2)
def _number_words(rules: Rules) -> tuple[re.Pattern[str], Mapping[str, _Atom]]:
    """Return the pattern that finds a word of a number, and the words."""
    atoms = {row["word"]: (row["kind"], int(row["value"])) for row in rules.table("gec-numbers")}
    longest_first = sorted(atoms, key=len, reverse=True)
    parts = [
        _DIGITS.pattern,
        rf"(?<=\d)\.(?=\d)|(?<=.){_POINT}(?=.)",
        *map(re.escape, longest_first),
    ]
    return re.compile("|".join(parts)), atoms


def with_numbers(text: str, rules: Rules | None = None) -> str:
    """Return a text with its numbers as values, and without spaces beside them.

    Args:
        text: the text.
        rules: the tables; None for the package's own.

    >>> with_numbers("3명") == with_numbers("세 명") == with_numbers("삼 명")
    True
    >>> with_numbers("32") == with_numbers("삼십이"), with_numbers("나무") == with_numbers("나 무")
    (True, False)
    """
    pattern, atoms = _number_words(rules or load())
    pieces = []
    run: list[str] = []
    position = 0
    for match in pattern.finditer(text):
        if between := text[position : match.start()]:
            pieces += [_values(run, atoms), between]
            run = []
        run.append(match[0])
        position = match.end()
    pieces += [_values(run, atoms), text[position:]]
    return _SPACES.sub("", "".join(pieces))


def differ_in_numbers(first: str, second: str, rules: Rules | None = None) -> bool:
    """Return whether two texts differ, and in nothing but the spelling of numbers.

    >>> differ_in_numbers("사과 3개", "사과 세 개"), differ_in_numbers("사과세 개", "사과 세 개")
    (True, False)
    """
    if "".join(first.split()) == "".join(second.split()):
        return False
    return with_numbers(first, rules) == with_numbers(second, rules)


def _values(run: list[str], atoms: Mapping[str, _Atom]) -> str:
    """Return the values of the words of numbers that stand together."""
    return "".join([f"{_BEGIN}{value}{_END}" for value in _spelt(_read(run, atoms))])


def _read(run: list[str], atoms: Mapping[str, _Atom]) -> Iterator[_Atom | str]:
    """Yield the atoms of words; digits behind a point, and those of an id, stand for themselves."""
    behind_point = False
    for word in run:
        if word in atoms:
            yield atoms[word]
        elif not word[0].isdigit():
            behind_point = True
            yield _POINT
            continue
        else:
            digits = word.replace(",", "")
            if behind_point or digits[0] == "0" or len(digits) > _LONGEST_NUMBER:
                for digit in digits:
                    yield "digit", int(digit)
                    yield ""
            else:
                yield "number", int(digits)
        behind_point = False


def _spelt(atoms: Iterator[_Atom | str]) -> Iterator[str]:
    """Yield the numbers of atoms, and the points between them."""
    whole = section = 0
    current: int | None = None
    order = 0
    begun = False
    for atom in atoms:
        if isinstance(atom, str):
            if begun:
                yield str(whole + section + (current or 0))
                whole, section, current, order, begun = 0, 0, None, 0, False
            if atom:
                yield atom
            continue
        kind, value = atom
        if kind == "ten":
            section += (1 if current is None else current) * value
            current = None
        elif kind == "myriad":
            whole += ((section + (current or 0)) or 1) * value
            section, current = 0, None
        else:
            size = _ORDER.get(kind, 1)
            if current is not None and not (order == _ORDER["tens"] and size == 1):
                yield str(whole + section + current)
                whole, section, current = 0, 0, None
            current = (current or 0) + value
            order = size
        begun = True
    if begun:
        yield str(whole + section + (current or 0))
