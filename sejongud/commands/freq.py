"""Count words: lists of frequencies, key words beside a reference, collocates around a word.

--of names the values that are counted together, by the keys of queries (`sejongud grep --help`):
form, lemma, tag, upos, deprel, entity, construction; head.lemma, next.tag. --where counts only the
words that match a query, --ngrams N runs of N such words in a sentence.

A list has for each value: count; per_million words of the corpus; share of all that is counted;
range, the number of parts (--parts) that have it; and dispersion, Gries' DP (0: spread evenly, near
1: all in a small part). --against REFERENCE adds its count and frequency there, log-likelihood
(above 3.84: p < 0.05, above 15.13: p < 0.0001) and %DIFF, and sorts by log-likelihood. --around
QUERY counts the words near those that match it, with log-likelihood, MI, t-score and logDice, by
logDice. sejongud.statistics.measures has the formulas and their sources. --doc chooses documents of
the inputs, and not of the reference, so that a genre can be compared with its whole corpus.

The ending of OUT chooses the table: .csv (with a byte order mark, which Excel needs), .tsv, .json,
.xlsx or .parquet, with all rows and unrounded figures.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sejongud.commands import check_table, logged, say, shown_errors, write_table
from sejongud.commands.many_files import CorpusFiles
from sejongud.query.frequencies import Frequencies, count_corpus
from sejongud.terminal import counted

if TYPE_CHECKING:
    from sejongud.errors import Report


def run(args: argparse.Namespace) -> int:
    """Count the words of `args.inputs`.

    Raises:
        UsageError: a query, a key or a number is wrong; a file is named twice.
    """
    from sejongud.rules import load

    check_table(args)
    with logged(args, shown_errors(args)) as report:
        counts = _counted(args, report)
        reference = None
        if args.against is not None:
            own = vars(args) | {"inputs": [args.against], "doc": None}
            reference = _counted(argparse.Namespace(**own), report)
        table = counts.table(reference)
        write_table(args, table)
    if not args.quiet:
        nodes = f", {counted(counts.nodes, 'node[s]')}" if args.around else ""
        say(f"{counted(len(table), 'row[s]')} from {counted(counts.size, 'word[s]')}{nodes}")
        if len(counts.sizes) == 1 and not args.around:
            say("there is one part, so no dispersion: --parts sentence takes sentences as parts")
        for query in (counts.where, counts.around) if table.empty else ():
            for message in query.unknown(load(args.rules)) if query else ():
                say(message)
    return 1 if report.errors else 0


def _counted(args: argparse.Namespace, report: Report) -> Frequencies:
    """Return the counts of `args.inputs`."""
    counts = Frequencies(
        args.of, where=args.where, ngrams=args.ngrams, around=args.around, window=args.window
    )
    corpus = CorpusFiles(args, report)
    count_corpus(counts, corpus.sentences(), corpus.words_of(), args.parts)
    return counts
