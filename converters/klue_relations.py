"""UD relations for the labels of KLUE-DP (convert --scheme ud-approx, rules/klue-deprels.tsv).

The relations are approximate, and a comment of each sentence says so: the heads are those of KLUE,
and a label does not tell every relation of UD. No text is annotated in both schemes;
docs/dependencies.md has the figures of a reading of 60 sentences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sejongud.layers.arcs import ROOT
from sejongud.memo import Memo

if TYPE_CHECKING:
    from sejongud.model import Sentence
    from sejongud.rules import Rules

SCHEMES = ("ud-approx",)
"""The schemes of relations that a source with other labels can be given."""

APPROXIMATE = "deprels = ud-approx: approximate, labels of KLUE-DP by rules/klue-deprels.tsv"
"""The comment of a sentence whose relations are approximate."""


class KlueRelations:
    """Gives the words of KLUE-DP relations of UD.

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> relations = KlueRelations(load())
    >>> relations.of("NP_SBJ"), relations.of("VP_MOD"), relations.of("X_OBJ"), relations.of("S")
    ('nsubj', 'acl', 'obj', 'S')
    """

    def __init__(self, rules: Rules) -> None:
        self._rows = {row["label"]: row["deprel"] for row in rules.table("klue-deprels")}
        self._found: Memo[str, str] = Memo.of(self, KlueRelations.of, size=1_000)

    def of(self, label: str) -> str:
        """Return the relation for a label; the label itself if the table has none."""
        phrase, _, function = label.partition("_")
        for key in (label, f"*_{function}", f"{phrase}_*"):
            if key in self._rows:
                return self._rows[key]
        return label

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with relations of UD, and the comment that they are approximate."""
        arcs = sentence.arcs
        if arcs is None:
            return sentence
        pairs = zip(arcs.heads, arcs.deprels, strict=True)
        deprels = tuple([self._found[label] if head else ROOT for head, label in pairs])
        comments = (APPROXIMATE, *[line for line in sentence.comments if line != APPROXIMATE])
        return replace(sentence, arcs=arcs._replace(deprels=deprels), comments=comments)
