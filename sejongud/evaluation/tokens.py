"""Tokens and sentence boundaries against gold (jp-preprocessing; memoir, Section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from sejongud.errors import UsageError
from sejongud.evaluation.base import FScores
from sejongud.evaluation.inputs import Treebank
from sejongud.evaluation.side import collect, joined
from sejongud.formats import ANALYSED, sniff
from sejongud.layers.matching import count_common

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.evaluation.side import Side
    from sejongud.files import Source
    from sejongud.layers.matching import Group, Likeness

Kind = Literal["token", "word", "morpheme"]
"""The units that are counted within a sentence."""

UNITS: tuple[Kind, ...] = get_args(Kind)

Units = list[list[str]]
"""The tokens, words or morphemes of each sentence."""


class TokensMetric(FScores["Units"]):
    """Counts the sentences and the units that two segmentations of a text have in common.

    Args:
        unit: the units that are counted.
        form: `text`, `conllu`, for morphemes any format; None to detect it.
        rules: the user's tables, as for `sejongud.rules.load`.

    >>> gold, system = read_text(["B H CL FL HM H NEIM"]), read_text(["B CL FL HM HNEIM"])
    >>> [found] = TokensMetric().measure(gold, system)
    >>> found.scores[1].counts
    {'tp': 4, 'fp': 1, 'fn': 3}
    """

    lists = "tokens"

    def __init__(
        self, unit: Kind = "token", form: str | None = None, rules: str | None = None
    ) -> None:
        super().__init__("tokens", ["Sentences", f"{unit.capitalize()}s"])
        self.settings = {"unit": unit}
        self._unit = unit
        self._form = form
        self._rules = rules

    def read(self, source: Source) -> Side[Units]:
        """Read a file; see `Metric.read`."""
        if self._unit == "morpheme":
            return self._read_morphemes(source)
        head = source.head()
        if self._form == "conllu" or (self._form is None and sniff(head, ("conllu",))):
            bank = Treebank.read(source.chunks(), source.path)
            units = bank.token_sentences if self._unit == "token" else bank.word_sentences
            return bank.side(units)._replace(form="conllu")
        if self._form is None and sniff(head, ANALYSED):
            raise UsageError(
                f"{source.path} looks like Sejong text, of which only morphemes are counted"
                " (--unit morpheme); convert it first, or add --from text if its lines hold tokens"
            )
        if self._unit != "token":
            raise UsageError(f"{source.path} is plain text: it has tokens, no {self._unit}s")
        return read_text(source.lines(), source.path)._replace(form="text")

    def _read_morphemes(self, source: Source) -> Side[Units]:
        from sejongud.evaluation.pos import read_analyses
        from sejongud.morphology.eojeol import Assembler
        from sejongud.rules import load

        side = read_analyses(source, Assembler(load(self._rules)), self._form)
        units = [
            [morpheme.form for eojeol in eojeols for morpheme in eojeol.morphemes]
            for eojeols in side.data
        ]
        return side._replace(data=units)  # type: ignore[return-value, arg-type]

    def _count(
        self, gold: Units, system: Units, group: Group, likeness: Likeness
    ) -> Sequence[float]:
        ours, theirs = joined(gold, group.gold), joined(system, group.system)
        counts = int(group.one_to_one), len(group.gold), len(group.system)
        return (*counts, count_common(ours, theirs, likeness), len(ours), len(theirs))


def read_text(lines: Iterable[str], path: str = "-") -> Side[Units]:
    """Read plain text: a sentence on each line, spaces between tokens; blank lines do not count.

    Args:
        lines: the lines without their ends.
        path: the name of the file.
    """
    numbered = enumerate(map(str.split, lines), 1)
    return collect(path, [(number, tokens, tokens) for number, tokens in numbered if tokens])
