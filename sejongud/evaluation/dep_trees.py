"""Dependency trees as the metrics see them: governors and relations, a list for a whole file."""

from __future__ import annotations

from itertools import compress, pairwise
from typing import TYPE_CHECKING, TypeVar

from sejongud.errors import Incident
from sejongud.formats.base import to_number
from sejongud.formats.conllu.rows import DEPREL, FEATS, HEAD, LEMMA, UPOS, XPOS
from sejongud.layers.arcs import find_cycle
from sejongud.layers.likeness import composed
from sejongud.layers.trees import depths
from sejongud.model import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.evaluation.treebank import Treebank
    from sejongud.rules import Rules

ROOT = -1
"""The governor of a root."""
NO_GOVERNOR = -2
"""The governor of a word whose HEAD is not a word of its sentence."""
_T = TypeVar("_T")


class Trees:
    """The columns that the dependency metrics compare, with words numbered from 0.

    Args:
        bank: the treebank.
        rules: the tables; `ud-classes` says which relations and features count.
    """

    def __init__(self, bank: Treebank, rules: Rules) -> None:
        names: dict[str, set[str]] = {}
        for row in rules.table("ud-classes"):
            names.setdefault(row["class"], set()).add(row["name"])
        self.bank = bank
        self.incidents: list[Incident] = []
        self.upos = bank.columns[UPOS]
        self.xpos = bank.columns[XPOS]
        self.lemmas = _mapped(bank.columns[LEMMA], composed)
        features = names["feature"]
        self.feats = _mapped(
            bank.columns[FEATS],
            lambda feats: "|".join(
                sorted(feat for feat in feats.split("|") if feat.partition("=")[0] in features)
            ),
        )
        self.deprels = _mapped(bank.columns[DEPREL], lambda deprel: deprel.partition(":")[0])
        self.content = _mapped(self.deprels, names["content"].__contains__)
        self.governors = self._governors()
        self.function_children: dict[int, list[int]] = {}
        """The children of a word that have a function relation, in order."""
        is_function = _mapped(self.deprels, names["function"].__contains__)
        for word in compress(range(len(is_function)), is_function):
            self.function_children.setdefault(self.governors[word], []).append(word)

    @property
    def depths(self) -> list[int | None]:
        """The number of arcs between each word and its root; None if none is above it."""
        return depths([governor + 1 for governor in self.governors])

    def _governors(self) -> list[int]:
        """Return the governor of each word; a sentence that is no tree is reported and scored."""
        heads = self.bank.columns[HEAD]
        if heads and not any(map(str.isdecimal, heads)):
            message = "no word has a HEAD: there are no dependencies to measure in this file"
            self.incidents.append(Incident("E802", message, self.bank.path))
            return [NO_GOVERNOR] * len(heads)
        numbers = _mapped(heads, _governor)
        governors: list[int] = []
        borders = pairwise(self.bank.word_borders)
        for (begin, end), line in zip(borders, self.bank.lines, strict=True):
            of_sentence = numbers[begin:end]
            if max(of_sentence) >= end - begin:
                of_sentence = [head if head < end - begin else NO_GOVERNOR for head in of_sentence]
            if fault := _fault(of_sentence, heads[begin:end]):
                self.incidents.append(Incident(*fault, self.bank.path, line))
            governors += [head + begin if head >= 0 else head for head in of_sentence]
        return governors


def _governor(head: str) -> int:
    """Return the number of a word, from 0, by the HEAD that names it."""
    number = to_number(head)
    return NO_GOVERNOR if number is None else number - 1


def _fault(governors: Sequence[int], heads: Sequence[str]) -> tuple[str, str] | None:
    """Return code and message of the fault that keeps a sentence from being a tree."""
    if NO_GOVERNOR in governors:
        word = governors.index(NO_GOVERNOR)
        is_number = heads[word] == NOTHING or to_number(heads[word]) is not None
        what = "a word of the sentence" if is_number else "a number"
        message = f"HEAD {heads[word]} of word {word + 1} is not {what}; the arc counts as wrong"
        return "E205" if is_number else "E204", message
    if (roots := governors.count(ROOT)) != 1:
        return "W801", f"the sentence has {roots} roots"
    if find_cycle([governor + 1 for governor in governors]) >= 0:
        return "W802", "the HEAD column contains a cycle"
    return None


def _mapped(values: Sequence[str], function: Callable[[str], _T]) -> list[_T]:
    """Map values to results, each different value once."""
    mapped = {value: function(value) for value in set(values)}
    return [mapped[value] for value in values]
