"""Structural search: a small query language over the words of sentences.

    grammar     text of a query → its tree
    words       a sentence → the words that a query tests, the words that match, their lines
    frequencies words → tables of frequencies, key items and collocates

The page of `sejongud report` has the same language (`report/query.js`); one table of cases tests
both.
"""

from sejongud.query.grammar import parse
from sejongud.query.words import Query

__all__ = ["Query", "parse"]
"""The parser, and a query that finds words."""
