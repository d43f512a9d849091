"""The entities of a corpus of morphemes: counts, and reports of those that look wrong."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sejongud.errors import Incident
from sejongud.layers.labels import find_entities, flat_labels, ill_formed
from sejongud.layers.losses import shown
from sejongud.layers.places import morpheme_spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.errors import Report
    from sejongud.model import Labels, Sentence
    from sejongud.rules import Rules

_COLUMNS = (
    "type",
    "entities",
    "morphemes",
    "eojeols",
    "particle_inside",
    "particle_at_end",
    "shared_syllable",
)


class EntityCheck:
    """Counts the entities of sentences and reports those that look wrong.

    W421: a label continues no entity. W422: an entity ends in a particle, as 프랑스의 does; one
    with a particle between its morphemes, 프로페셔널의 원칙, is a name and only counted. W423: an
    entity begins or ends inside a syllable, which it shares with a morpheme outside.

    Args:
        rules: the tables.
        report: collects the incidents.
        path: of the file, for messages.
    """

    def __init__(self, rules: Rules, report: Report, path: str) -> None:
        self._rules = rules
        self._report = report
        self._path = path
        self._counts: dict[str, Counter[str]] = {}
        self._line_of: Callable[[int], int] = lambda _: 0

    def add(self, sentence: Sentence, line_of: Callable[[int], int] = lambda _: 0) -> None:
        """Count and check the entities of a sentence.

        Args:
            sentence: with labels on its morphemes.
            line_of: returns the line of an eojeol, counted from 0; 0 if it is not known.
        """
        self._line_of = line_of
        for layer in sentence.entities:
            self._add_layer(sentence, layer)

    def _add_layer(self, sentence: Sentence, layer: Labels) -> None:
        labels = flat_labels(sentence.eojeols, layer)
        forms = [morpheme.form for morpheme in sentence.morphemes]
        spans = morpheme_spans(sentence)
        where = [i for i, eojeol in enumerate(sentence.eojeols, 1) for _ in eojeol.morphemes]
        for index in ill_formed(labels):
            self._say(sentence, where[index], "W421", f"{labels[index]} continues no entity")
        kind = self._rules.kind
        particles = [kind(morpheme.tag) == "particle" for morpheme in sentence.morphemes]
        for entity in find_entities(labels):
            name, begin, end = entity
            counts = self._counts.setdefault(name, Counter())
            counts["entities"] += 1
            counts["morphemes"] += end - begin
            counts["eojeols"] += where[end - 1] - where[begin] + 1
            counts["particle_inside"] += any(particles[begin : end - 1])
            if particles[end - 1]:
                counts["particle_at_end"] += 1
                message = f"{shown(entity, forms)} ends in a particle"
                self._say(sentence, where[end - 1], "W422", message)
            before = begin > 0 and spans[begin - 1][1] > spans[begin][0]
            behind = end < len(spans) and spans[end][0] < spans[end - 1][1]
            if before or behind:
                counts["shared_syllable"] += 1
                message = f"{shown(entity, forms)} shares a syllable with a morpheme outside"
                self._say(sentence, where[begin], "W423", message)

    def _say(self, sentence: Sentence, eojeol: int, code: str, message: str) -> None:
        line = self._line_of(eojeol - 1)
        self._report.add(
            Incident(code, message, self._path, line, 0, sentence.sent_id, str(eojeol))
        )

    def counts(self) -> dict[str, dict[str, int]]:
        """Return what is counted of each type, and of `all`, of the morphemes of its entities."""
        total = sum(self._counts.values(), Counter[str]())
        rows = {**dict(sorted(self._counts.items())), "all": total}
        return {
            name: {column: counts[column] for column in _COLUMNS[1:]}
            for name, counts in rows.items()
        }

    def table(self) -> str:
        """Return the counts by type, and their sum, as tab-separated text.

        `morphemes` and `eojeols` count those that the entities cover.
        """
        rows = self.counts().items()
        lines = [[name, *[str(n) for n in counts.values()]] for name, counts in rows]
        return "".join(["\t".join(line) + "\n" for line in [list(_COLUMNS), *lines]])
