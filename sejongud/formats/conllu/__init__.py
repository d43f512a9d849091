"""CoNLL-U: a sentence as columns (rows), read from them (sentence), and its text (write)."""

from __future__ import annotations

from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.write import NE_PLACES, ConlluWriter, NePlace

__all__ = ["NE_PLACES", "ConlluReader", "ConlluWriter", "NePlace"]
