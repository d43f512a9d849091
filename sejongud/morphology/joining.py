"""The surface that Kiwi makes of morphemes, and its judgement of an eojeol that stands alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import remembered_by
from sejongud.morphology.hangul import to_compatibility
from sejongud.morphology.kiwi import ADDED, WINDOW, KiwiAnalyser, Pairs, clean
from sejongud.morphology.readings import Readings
from sejongud.morphology.rewrites import BOUND, compile_joins, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Morpheme
    from sejongud.rules import Rules


class Alone(NamedTuple):
    """The analysis of an eojeol by itself."""

    pairs: Pairs
    in_dictionary: bool
    """Whether each morpheme is in Kiwi's dictionary."""
    surface: str
    """The form that Kiwi makes of these morphemes; a misspelling differs from it."""
    score: float
    """The logarithm of its probability; a rarer eojeol has less."""


class KiwiJoiner(KiwiAnalyser):
    """Make the surface of morphemes, beside what `KiwiAnalyser` does.

    Args:
        rules: the tables.

    Raises:
        UsageError: the tag set is another one, of which kiwi-tags.tsv has nothing.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self._bound = frozenset(
            tag for tag, row in rules.tags.items() if row.kind in ("ending", "particle")
        )
        self._kiwi_tags = frozenset([row["kiwi"] for row in rules.table("kiwi-tags")])
        self._own_tags = self._kiwi_tags - rules.tags.keys()
        self._sejong_tag = rules.sejong_tag
        self._joins = compile_joins(rules)
        self._readings = Readings(rules)

    def alone(self, form: str) -> Alone:
        """Analyse one eojeol without its sentence, and judge the analysis.

        Args:
            form: an eojeol of any length; one of more than 4,096 characters counts as unknown.

        >>> from sejongud.rules import load
        >>> KiwiJoiner(load()).alone("살어요")[:3]
        ((('살', 'VV'), ('아요', 'EF')), True, '살아요')
        """
        form = clean(form)
        if not form or len(form) > WINDOW:
            return Alone(((form, self._unknown),), False, "", 0.0)
        kiwi = self._kiwi
        [(tokens, score)] = kiwi.analyze(form)
        pairs = tuple(self._join([(to_compatibility(t.form), t.tag) for t in tokens]))
        in_dictionary = not any([t.oov or self._joined.get(t.tag) == ADDED for t in tokens])
        return Alone(
            pairs, in_dictionary, kiwi.join([(t.form, t.tag, False) for t in tokens]), score
        )

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
        >>> KiwiJoiner(load()).surfaces([parse("돕/VV+아/EC", "")[0]])
        ['도와']
        """
        pairs = [
            tuple([(m.form, m.tag) for m in morphemes if m.form and not m.elided])
            for morphemes in eojeols
        ]
        pieces = [self._joinable[own, self._before(pairs, at)] for at, own in enumerate(pairs)]
        kiwi = self._kiwi
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
