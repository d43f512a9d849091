"""Give FEATS of a treebank's word to the parts that express them (rules/feats-parts.tsv).

갔다 Mood=Ind|Tense=Past      가 _,  았 Tense=Past,  다 Mood=Ind
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.formats.misc import escape_misc
from sejongud.model import NOTHING
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Word
    from sejongud.rules import Rules

ITEM = "WordFeats"
"""The key of MISC that keeps FEATS of the word where its head part has others."""


class WordFeats:
    """Divides FEATS of words among their parts.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._sejong_tags = rules.sejong_tags
        self._permitted = {
            (row["feature"], row["value"]): frozenset(row["upos"].split("|"))
            for row in rules.table("feats-ud")
        }
        self._lemmas = rules.lemmas["normalised"]
        self._places: dict[str, list[tuple[str, str]]] = {}
        for row in rules.table("feats-parts"):
            self._places.setdefault(row["feature"], []).append((row["lemma"], row["tag"]))

    def __call__(self, words: Sequence[Word], head: int, feats: str) -> tuple[list[str], str]:
        """Return FEATS of each part, and the item of MISC that keeps those of the word, or "".

        Args:
            words: the parts.
            head: the part, from 0, with the head morpheme.
            feats: of the word.
        """
        of_parts: list[list[str]] = [[] for _ in words]
        for item in feats.split("|"):
            feature, _, value = item.partition("=")
            allowed = self._permitted.get((feature, value))
            places = [*self._places_of(words, feature), head]
            fits = [at for at in places if allowed is None or words[at].upos in allowed]
            if fits:
                of_parts[fits[0]].append(item)
        columns = ["|".join(items) or NOTHING for items in of_parts]
        return columns, "" if columns[head] == feats else f"{ITEM}={escape_misc(feats)}"

    def _places_of(self, words: Sequence[Word], feature: str) -> list[int]:
        """Return the last part that each row of a feature names."""
        places = []
        for lemma, tag in self._places.get(feature, ()):
            for at in reversed(range(len(words))):
                morphemes = words[at].morphemes
                is_tag = len(morphemes) == 1 and self._sejong_tags(morphemes)[0] == tag
                form = morphemes[0].form
                if is_tag and lemma in (ANY, self._lemmas.get((form, morphemes[0].tag), form)):
                    places.append(at)
                    break
        return places
