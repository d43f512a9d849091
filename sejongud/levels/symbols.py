"""The symbols of an eojeol that are tokens of their own (rules/symbols.tsv; annotation scheme)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sejongud.model import Eojeol, Span
    from sejongud.rules import Rules


class SymbolRules:
    """Tell external symbols, which are tokens, from internal ones, which are parts of words.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules.symbols
        self._sejong_tags = rules.sejong_tags
        self.tags = rules.symbols.external
        """The Sejong tags of symbols."""
        self._among_symbols = any(
            not self.tags.isdisjoint(neighbours) for neighbours, _ in rules.symbols.between
        )

    def external(self, eojeol: Eojeol) -> Collection[int]:
        """Return the positions of the morphemes that are external symbols.

        >>> from sejongud.morphology.eojeol import Assembler
        >>> from sejongud.rules import load
        >>> eojeol = Assembler(load())["3.14는,\\t3/SN+./SF+14/SN+는/JX+,/SP"]
        >>> list(SymbolRules(load()).external(eojeol))
        [4]
        """
        symbols = self.tags
        tags = self._sejong_tags(eojeol.morphemes)
        marks = [tag in symbols for tag in tags]
        if True not in marks:
            return ()
        first = marks.index(True)
        # Symbols at the end are external by all rules: nearly every full stop.
        if False not in marks[first:]:
            return range(first, len(marks))
        inside = self._internal_spans(eojeol, marks)
        return frozenset(
            [
                i
                for i, mark in enumerate(marks)
                if mark
                and not self._is_between(eojeol.morphemes[i].form, tags[max(i - 1, 0) : i + 2])
                and not any([_covers(span, eojeol.spans[i]) for span in inside])
            ]
        )

    def may_be_internal(self, form: str) -> bool:
        """Return whether a symbol may be internal wherever it stands in a form.

        >>> from sejongud.rules import load
        >>> SymbolRules(load()).may_be_internal("“당신")
        False
        """
        rules = self._rules
        return bool(
            self._among_symbols or rules.inside.search(form) or rules.abbreviation.search(form)
        )

    def _is_between(self, form: str, tags: Sequence[str]) -> bool:
        """Return whether the neighbours of a symbol make it internal (3.14, R&D).

        Args:
            form: of the symbol.
            tags: of the morpheme before it, of itself, and of the morpheme behind it.
        """
        return len(tags) == 3 and any(
            tags[0] in neighbours and tags[2] in neighbours and form in chars
            for neighbours, chars in self._rules.between
        )

    def _internal_spans(self, eojeol: Eojeol, marks: Sequence[bool]) -> list[Span]:
        """Return the parts of the surface in which every symbol is internal.

        Args:
            eojeol: the eojeol.
            marks: for each morpheme whether it is a symbol.
        """
        if not self.may_be_internal(eojeol.form):
            return []
        places = [start for (start, _), mark in zip(eojeol.spans, marks, strict=True) if not mark]
        spans = []
        for match in self._rules.inside.finditer(eojeol.form):
            # An address does not end in a symbol: the pattern took that from what follows it.
            inner = [start for start in places if match.start() <= start < match.end()]
            if inner:
                spans.append((match.start(), inner[-1]))
        for match in self._rules.abbreviation.finditer(eojeol.form):
            # U.S.의: the last dot belongs to the word if that goes on, with no symbol.
            if match.end() in places:
                spans.append(match.span())
        return spans


def _covers(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
