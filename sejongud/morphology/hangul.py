"""Hangul syllables and jamo.

A syllable is arithmetic on its code point (Unicode Standard, section 3.12): 가 is U+AC00, and every
lead has 21 × 28 syllables, every vowel 28, of which the first has no coda. Jamo are given as
*compatibility jamo* (ㄱ U+3131 …), which do not combine; most corpora write bound consonants so.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from sejongud.memo import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Span

LEADS = tuple("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")
"""The 19 leads, in the order of the code points."""
VOWELS = tuple("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")
"""The 21 vowels."""
CODAS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
"""No coda, and the 27 codas."""

_FIRST = ord("가")
_LAST = _FIRST + len(LEADS) * len(VOWELS) * len(CODAS) - 1


def is_syllable(char: str) -> bool:
    """Return whether `char` is one precomposed Hangul syllable.

    >>> is_syllable("한"), is_syllable("ㄴ"), is_syllable("한국")
    (True, False, False)
    """
    return len(char) == 1 and _FIRST <= ord(char) <= _LAST


def is_letter(char: str) -> bool:
    """Return whether `char` is a letter or a digit of any script.

    Those that Unicode keeps for older codes (① ℓ ㆍ ㅋ) are none, but Latin of full width is one.

    >>> [is_letter(char) for char in "한aすＫㅋ℃"]
    [True, True, True, True, False, False]
    """
    return unicodedata.category(char) in ("Lu", "Ll", "Lo", "Nd") and (
        unicodedata.is_normalized("NFKC", char) or unicodedata.east_asian_width(char) == "F"
    )


def decompose(syllable: str) -> tuple[str, str, str]:
    """Return the lead, vowel and coda of a syllable as compatibility jamo; "" for no coda.

    Raises:
        ValueError: `syllable` is not one precomposed syllable.

    >>> decompose("한"), decompose("가")
    (('ㅎ', 'ㅏ', 'ㄴ'), ('ㄱ', 'ㅏ', ''))
    """
    if not is_syllable(syllable):
        raise ValueError(f"not one Hangul syllable: {syllable!r}")
    lead_vowel, coda = divmod(ord(syllable) - _FIRST, len(CODAS))
    lead, vowel = divmod(lead_vowel, len(VOWELS))
    return LEADS[lead], VOWELS[vowel], CODAS[coda]


def compose(lead: str, vowel: str, coda: str = "") -> str:
    """Return the syllable of a lead, a vowel and a coda, given as compatibility jamo.

    Raises:
        ValueError: a jamo cannot stand in its place.

    >>> compose("ㅎ", "ㅏ", "ㄴ")
    '한'
    """
    index = (LEADS.index(lead) * len(VOWELS) + VOWELS.index(vowel)) * len(CODAS)
    return chr(_FIRST + index + CODAS.index(coda))


def _letters() -> dict[int, str]:
    # The names tell which letter a jamo is: HANGUL CHOSEONG NIEUN, HANGUL JONGSEONG NIEUN and
    # HANGUL LETTER NIEUN. Old jamo without a compatibility letter stay as they are.
    letters = {}
    for code in range(0x1100, 0x1200):
        letter = unicodedata.name(chr(code)).split()[-1]
        try:
            letters[code] = unicodedata.lookup(f"HANGUL LETTER {letter}")
        except KeyError:
            continue
    return letters


_LETTERS = _letters()
# Of jamo alone; or as NFC writes it, if only its coda is old.
_OLD_SYLLABLE = (
    "[\u1100-\u115f\ua960-\ua97c]+[\u1160-\u11a7\ud7b0-\ud7c6]+[\u11a8-\u11ff\ud7cb-\ud7fb]*"
    "|[가-힣][\u11c3-\u11ff\ud7cb-\ud7fb]"
)
_HALF = lazy_pattern("[\ud800-\udfff]")
_CONJOINING = re.compile("[\u1100-\u11ff]")
# A syllable of jamo, or one that stands alone.
_JAMO = lazy_pattern(f"{_OLD_SYLLABLE}|([\u1100-\u11ff])")


# A lead and a vowel, with or without a coda; or any other character.
_CLUSTER = lazy_pattern("[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|.", re.DOTALL)


def compose_jamo(text: str) -> tuple[str, Sequence[int]]:
    r"""Compose each conjoining lead and vowel, with or without a coda, to a syllable.

    Nothing else is normalised: a bound ᆫ stays as it is, behind a syllable as well.

    Returns:
        The text, and where each of its characters began in the old text; last the old length.

    >>> compose_jamo("\u1112\u1161\u11ab다")
    ('한다', [0, 3, 4])
    """
    if not _CONJOINING.search(text):
        return text, range(len(text) + 1)
    clusters = list(_CLUSTER.finditer(text))
    composed = [unicodedata.normalize("NFC", c[0]) if len(c[0]) > 1 else c[0] for c in clusters]
    return "".join(composed), [*[c.start() for c in clusters], len(text)]


def to_compatibility(text: str) -> str:
    r"""Replace every conjoining jamo that stands alone (U+1100 to U+11FF) by a compatibility jamo.

    Nothing is composed, so a bound ᆫ after 가 stays apart. A syllable of jamo stays whole, since Old
    Hangul has no other way to write it. The few old jamo without a compatibility letter stay.

    >>> to_compatibility("가\u11ab"), len(to_compatibility("\u1112\u119e\u11ab"))
    ('가ㄴ', 3)
    """
    if not _CONJOINING.search(text):
        return text
    return _JAMO.sub(lambda match: match[0].translate(_LETTERS) if match[1] else match[0], text)


def without_surrogates(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoding can write, by U+FFFD."""
    return _HALF.sub("\ufffd", text) if _HALF.search(text) else text


def whole_syllables(text: str, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    r"""Widen spans that begin or end inside a syllable of jamo to the whole syllable.

    Args:
        text: the surface.
        spans: parts of it, in characters.

    >>> whole_syllables("\u1106\u119e\u11af", ((0, 1), (1, 3)))
    ((0, 3), (0, 3))
    """
    if not _CONJOINING.search(text):
        return spans
    begins, ends = list(range(len(text) + 1)), list(range(len(text) + 1))
    for match in _JAMO.finditer(text):
        for i in range(match.start() + 1, match.end()):
            begins[i], ends[i] = match.start(), match.end()
    return tuple(
        [(begins[begin], ends[end] if end > begin else begins[end]) for begin, end in spans]
    )
