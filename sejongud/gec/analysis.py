"""The analysis of source and target sentences: eojeols with morphemes, lemmas and kinds.

Kiwi analyses each eojeol in its sentence. The lemma of a predicate is its stem, as the forms before
its first ending, joined; its kind is A for adjectives and copulas, V for all others. An eojeol
without an ending has no lemma. Alignment compares lemma, kind and morphemes
(`sejongud.gec.alignment`), and the types of KAGAS follow from the morphemes that differ.

Example: 먹었어요 is 먹/VV+었/EP+어요/EF, with the lemma 먹 and the kind V; 학생이에요 has the lemma
학생이 and the kind A; 학교에 has no lemma.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sejongud.gec.edits import AnalysedToken
from sejongud.memo import Memo
from sejongud.morphology.kiwi import KiwiAnalyser
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Morpheme
    from sejongud.rules import Rules

_REMEMBERED = 24_000
_JAMO = "jamo"

# The groups of gec-types.tsv that rules name.
NOUN, VERB, ADJECTIVE, ENDING, PARTICLE = "NOUN", "VERB", "ADJECTIVE", "ENDING", "PARTICLE"
UNCLASSIFIED = "UNCLASSIFIED"


class SentenceAnalyser:
    """Analyse sentences by Kiwi, eojeol by eojeol. Kiwi is loaded with the first sentence.

    Args:
        rules: the tables.
        workers: the number of Kiwi's threads; None for as many as there are processors.

    >>> [tokens] = SentenceAnalyser(load()).of(["나는 집에서 밥을 먹었어요 ."])
    >>> [(token.form, token.lemma, token.kind) for token in tokens[2:4]]
    [('밥을', '', ''), ('먹었어요', '먹', 'V')]
    """

    def __init__(self, rules: Rules, *, workers: int | None = None) -> None:
        self.kiwi = KiwiAnalyser(rules, workers=workers)
        self._tokens: Memo[tuple[str, tuple[Morpheme, ...]], AnalysedToken] = Memo(
            lambda key: analysed_token(*key, rules), size=_REMEMBERED
        )

    def of(self, texts: Iterable[str]) -> Iterator[tuple[AnalysedToken, ...]]:
        """Yield the analysed eojeols of each text, in order.

        Texts are taken only a few ahead of the results, so that Kiwi's threads have work.

        Args:
            texts: sentences of any length, normalised as `sejongud.morphology.kiwi.clean` does.
        """
        for eojeols in self.kiwi.of(texts):
            yield tuple([self._tokens[form, tuple(morphemes)] for form, morphemes in eojeols])


@lru_cache(maxsize=4)
def analyser(rules: Rules) -> SentenceAnalyser:
    """Return the analyser of these tables; the same object for the same tables."""
    return SentenceAnalyser(rules)


def analysed(
    texts: Iterable[str], rules: Rules | None = None
) -> Iterator[tuple[AnalysedToken, ...]]:
    """Yield the analysed eojeols of each text, in order; see `SentenceAnalyser`.

    Args:
        texts: sentences, whose eojeols stand between spaces.
        rules: the tables; None for the package's own.

    >>> [token.form for tokens in analysed(["학교에 갔다 ."]) for token in tokens]
    ['학교에', '갔다', '.']
    """
    return analyser(rules or load()).of(texts)


@lru_cache(maxsize=4)
def _groups(rules: Rules) -> dict[tuple[str, str], str]:
    """Return the group of each tag and form of the table `gec-types`."""
    return {(row["tag"], row["form"]): row["group"] for row in rules.table("gec-types")}


def group_of(morpheme: Morpheme, rules: Rules, *, letters: bool = True) -> str:
    """Return the group of a morpheme by the table `gec-types`; UNCLASSIFIED for unknown tags.

    Args:
        morpheme: in the tag set of Sejong or of Kkma.
        rules: the tables.
        letters: whether letters without a syllable have a group of their own.

    >>> from sejongud.model import Morpheme
    >>> group_of(Morpheme("싶", "VX"), load()), group_of(Morpheme("ㅋㅋ", "SW"), load())
    ('ADJECTIVE', 'UNCLASSIFIED')
    """
    groups = _groups(rules)
    form, tag = morpheme[:2]
    group = groups.get((tag, form)) or groups.get((tag, ""), UNCLASSIFIED)
    if letters and (tag, _JAMO) in groups and form and all(["ㄱ" <= char <= "ㆎ" for char in form]):
        group = groups[tag, _JAMO]
    return group


def analysed_token(
    form: str, morphemes: Sequence[Morpheme], rules: Rules | None = None
) -> AnalysedToken:
    """Return an eojeol with its lemma and kind, made of its morphemes.

    Args:
        form: the surface of the eojeol.
        morphemes: its morphemes, in the tag set of Sejong or of Kkma.
        rules: the tables; None for the package's own.

    >>> from sejongud.model import Morpheme
    >>> token = analysed_token("바쁜", [Morpheme("바쁘", "VA"), Morpheme("ㄴ", "ETM")])
    >>> token.lemma, token.kind
    ('바쁘', 'A')
    """
    rules = rules or load()
    stem: list[Morpheme] = []
    for morpheme in morphemes:
        if group_of(morpheme, rules) == ENDING:
            break
        stem.append(morpheme)
    if not stem or len(stem) == len(morphemes):
        return AnalysedToken(form, morphemes=tuple(morphemes))
    kind = "A" if group_of(stem[-1], rules) == ADJECTIVE else "V"
    lemma = "".join([morpheme.form for morpheme in stem])
    return AnalysedToken(form, lemma=lemma, morphemes=tuple(morphemes), kind=kind)
