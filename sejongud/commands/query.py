"""The commands that look for words: `grep` and `freq`."""

from __future__ import annotations

from argparse import Namespace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.commands import corpora, inform, logged, open_output, say, write_output
from sejongud.commands.show import placed_in, terminal_width
from sejongud.errors import Incident, Report, UsageError, require
from sejongud.files import atomic_binary, file_ending
from sejongud.formats.finding import named_once
from sejongud.process import OUTPUT_NAMES
from sejongud.query import (
    COLUMNS,
    Query,
    Words,
    concordance_line,
    concordance_row,
    context_key,
    document_pattern,
    in_documents,
    words_at,
)
from sejongud.query.frequencies import Frequencies, count_corpus
from sejongud.rules import load
from sejongud.terminal import (
    clean,
    clip_left,
    counted,
    csv_cell,
    data_lines,
    display_width,
    pad,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from sejongud.model import Sentence

    Match = tuple[str, Words, int]


# --- grep -----------------------------------------------------------------------------------------


_DATA, _CONLLU = ("tsv", "csv", "json"), "conllu"
"""The forms of a table, and that of the sentences."""
_NAME = 30
"""The most cells that the name of a file has before a line."""


def writes(args: Namespace) -> tuple[str, ...]:
    """Return the forms of a list, or of the matches."""
    return ("text", *_DATA, *[_CONLLU][args.count is not None :])


def grep(args: Namespace) -> int:
    """Find words by a query: concordance lines (KWIC), their sentences as CoNLL-U.

    QUERY is a word (a form or a lemma: 나무, 나무*), or tests. A query tests the words of a treebank,
    and the morphemes of any other corpus (--level cuts both at a level of granularity). A test is
    KEY=VALUE or KEY!=VALUE; tests are joined by and, or, not and brackets, and tests beside one
    another must all hold. The keys are form, lemma, tag, upos, feats, deprel; entity, the type of an
    entity around the word; frame and lu, the frame and the lexical unit whose target the word
    belongs to; fe, its frame element; constituent, the label of a constituent around it; eojeol, the
    surface of the whole eojeol, and construction, its tags; text and id of the sentence. head.,
    child., prev. and next. before a key lead to another word: head.tag, or next.next.lemma. VALUE is
    the whole value, in which * stands for any characters; a part of it as /REGEX/ (/REGEX/i in any
    case); or a text in double quotes.

    Of several files each line begins with the name of its file, and a table has it in the last column.
    Files of a folder that are in no known format are passed over.

    --doc searches only some documents. REGEX must match a comment at the beginning of the document,
    where its metadata stand (meta::title, meta::genre).

    The exit status is 1 if no word matches. `sejongud freq` makes lists of frequencies.
    """
    query = Query(args.query)
    keys = args.count is not None
    counts = Frequencies(args.count if keys else "form")
    if keys and args.to == _CONLLU:
        raise UsageError("--count makes a list, which is no CoNLL-U: leave out --to conllu")
    if args.sort and (keys or args.to == _CONLLU):
        raise UsageError("--sort puts concordance lines in order: leave out --count or --to conllu")
    with logged(args, shown_errors(args)) as report:
        search = _Search(args, query, report)
        if args.to == _CONLLU:
            _write_sentences(args, search, report)
        elif keys:
            counts.begin_part()
            for _, words, place in search.matches():
                counts.count(words, [place])
            write_table(args, counts.table()[["count", "share", *counts.keys]])
        else:
            _write_lines(args, search)
    search.tell(args)
    if not search.places:
        inform(args, *query.unknown(load(args.rules)))
    return 1 if report.errors or not search.places else 0


class _Search:
    """Finds the words of the inputs that match.

    Args:
        args: the arguments of the command.
        query: the query.
        report: receives the incidents.
    """

    def __init__(self, args: Namespace, query: Query, report: Report) -> None:
        self.corpus = _Corpus(args, report)
        self.places = 0
        """The words that match."""
        self._query = query
        self._writes_sentences = args.to == _CONLLU
        self._limit = 0 if args.sort or args.count is not None else args.limit or 0
        self._sentences = self._matching = 0

    def found(self) -> Iterator[tuple[str, Words, list[int]]]:
        """Yield the sentences with a match, and the words that match."""
        words_of = self.corpus.words_of
        for path, sentence in self.corpus.sentences:
            self._sentences += 1
            words = words_of(sentence)
            if places := self._query.find(words):
                self._matching += 1
                yield path, words, places

    def sentences(self) -> Iterator[Sentence]:
        """Yield the sentences with a match."""
        for _, words, places in self.found():
            self.places += len(places)
            yield words.sentence

    def matches(self) -> Iterator[Match]:
        """Yield the words that match, each with its file and the words of its sentence."""
        for path, words, places in self.found():
            for place in places:
                self.places += 1
                yield path, words, place

    def tell(self, args: Namespace) -> None:
        """Say on standard error how much was found."""
        matches = counted(self.places, "match[es]")
        of = counted(self._sentences, "sentence[s]")
        shown = self._matching if self._writes_sentences else self.places
        if 0 < self._limit <= shown:
            of += f", where --limit {self._limit} ended the search"
        inform(args, f"{matches} in {self._matching:,} of {of}")


def _write_lines(args: Namespace, search: _Search) -> None:
    """Write a line for each match."""
    width = terminal_width() if args.width is None else args.width
    paths = search.corpus.paths
    several = len(paths) > 1
    # The matches of all files stand below one another.
    cells = min(_NAME, max([display_width(clean(path)) + 1 for path in paths], default=0))
    if several and width:
        width = max(width - cells - 1, 1)

    def row(match: Match) -> list[str]:
        path, words, place = match
        if args.to in _DATA:
            return [*concordance_row(words, place), *[clean(path)][: int(several)]]
        # A long name loses its beginning.
        name = f"{pad(clip_left(clean(path), _NAME - 1) + ':', cells)} " if several else ""
        return [name + concordance_line(words, place, width)]

    rows: Iterator[list[str]]
    if args.sort:
        # A sentence has many matches: a line is made at once, so that the sentence is not held.
        lines = ((context_key(*match[1:], args.sort), row(match)) for match in search.matches())
        rows = iter([made for _, made in sorted(lines, key=lambda line: line[0])])
    else:
        rows = map(row, search.matches())
    rows = islice(rows, args.limit or None)
    with open_output(args) as out:
        if args.to in _DATA:
            names = [[*COLUMNS, *["file"][: int(several)]]]
            out.writelines(data_lines(args.to, chain(names, rows)))
        else:
            out.writelines(chain.from_iterable(rows))


def _write_sentences(args: Namespace, search: _Search, report: Report) -> None:
    """Write the sentences with a match, in the cut that was tested."""
    from sejongud.api import write

    write(islice(search.sentences(), args.limit or None), args.output, report=report)


# --- freq -----------------------------------------------------------------------------------------


def freq(args: Namespace) -> int:
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
    check_table(args)
    with logged(args, shown_errors(args)) as report:
        counts = _counted(args, report)
        reference = None
        if args.against is not None:
            own = vars(args) | {"inputs": [args.against], "doc": None}
            reference = _counted(Namespace(**own), report)
        table = counts.table(reference)
        write_table(args, table)
    nodes = f", {counted(counts.nodes, 'node[s]')}" if args.around else ""
    rows, words = counted(len(table), "row[s]"), counted(counts.size, "word[s]")
    told = [f"{rows} from {words}{nodes}"]
    if len(counts.cuts.union(reference.cuts if reference else ())) > 1 and not args.level:
        told.append("words of treebanks are counted beside morphemes: --level cuts all texts alike")
    if len(counts.sizes) == 1 and not args.around:
        told.append(
            "there is one part, so no dispersion: --parts sentence takes sentences as parts"
        )
    for query in filter(None, (counts.where, counts.around)) if table.empty else ():
        told += query.unknown(load(args.rules))
    inform(args, *told)
    return 1 if report.errors else 0


def _counted(args: Namespace, report: Report) -> Frequencies:
    """Return the counts of `args.inputs`."""
    counts = Frequencies(
        args.of, where=args.where, ngrams=args.ngrams, around=args.around, window=args.window
    )
    corpus = _Corpus(args, report)
    return count_corpus(counts, corpus.sentences, corpus.words_of, args.parts)


# --- the files and the tables of both -------------------------------------------------------------

_BINARY = {"xlsx": ("openpyxl", "xlsx"), "parquet": ("pyarrow", "parquet")}
"""The tables that are no text: the library that writes them, and its extra."""
_ROWS = 50
"""The rows of a table as text."""
_SHEET = 1_048_576
"""The rows of a spreadsheet."""


class _Corpus:
    """The sentences of files, and of the files in folders.

    Args:
        args: the arguments of the command, of which `inputs` are read.
        report: receives the incidents.

    Raises:
        UsageError: a file is named twice, or is also the output; there is no corpus; there is no
            such level, scheme or pattern.
    """

    def __init__(self, args: Namespace, report: Report) -> None:
        self.paths = corpora(args, args.inputs)
        """The files that are read."""
        named_once(self.paths)
        self.words_of = words_at(args.level, args.upos, args.lemmas, load(args.rules))
        """Cuts sentences into the words that the options ask for."""
        sentences = (
            (path, placed.sentence)
            for path in self.paths
            for placed in placed_in(args, path, report)
        )
        self.sentences = in_documents(sentences, document_pattern(args.doc))
        """The sentences of all files, each with the name of its file."""


def write_table(args: Namespace, frame: pd.DataFrame) -> None:
    """Write a table to `args.output`: rounded as text, unrounded in files of data.

    Text has `args.limit` rows, files of data have all if it is None.

    Raises:
        UsageError: a table has too many rows for a spreadsheet.
    """
    limit = (_ROWS if args.to == "text" else 0) if args.limit is None else args.limit
    frame = frame.head(limit) if limit else frame
    # As objects, whole numbers stay whole; None stands for what is not defined.
    rows = frame.astype(object).where(frame.notna(), None)
    if args.to in _BINARY:
        _write_binary(args, frame)
    elif args.to == "text":
        align = "".join(["l" if frame[name].dtype.kind in "OU" else "r" for name in frame])
        shown = [list(map(_figure, frame, row)) for row in rows.values.tolist()]
        write_output(args, table(shown, header=list(frame), align=align) if shown else "")
    else:
        with open_output(args) as out:
            out.writelines(data_lines(args.to, [list(frame), *rows.values.tolist()]))


def _figure(name: str, value: object) -> str:
    """Return a value of a table as text."""
    if isinstance(value, float):
        return f"{value:.2%}" if name == "share" else f"{value:,.2f}"
    return "" if value is None else str(value)


def check_table(args: Namespace) -> None:
    """Check that a table can be written, before anything is counted.

    Raises:
        UsageError: a table in bytes has no file.
        MissingExtraError: the library that writes the file is not installed.
    """
    if args.to in _BINARY:
        library, extra = _BINARY[args.to]
        require(library, extra)
        output: str = args.output
        if output in OUTPUT_NAMES or file_ending(output) != Path(output).suffix.lower():
            raise UsageError(
                f"{args.to} is a file of bytes, not compressed: name it, -o OUT.{args.to}"
            )


def _write_binary(args: Namespace, frame: pd.DataFrame) -> None:
    """Write a table as a spreadsheet or in columns (Parquet)."""
    library, _ = _BINARY[args.to]
    if args.to == "xlsx" and len(frame) >= _SHEET:
        raise UsageError(
            f"a spreadsheet has {_SHEET:,} rows, and the table has {len(frame):,}: write .csv, or"
            " take the first with --limit"
        )
    with atomic_binary(args.output) as raw:
        if args.to == "xlsx":
            frame.map(csv_cell).to_excel(raw, index=False, engine=library)
        else:
            frame.to_parquet(raw, index=False, engine=library)


def shown_errors(args: Namespace) -> Callable[[Incident], None]:
    """Return what shows the errors of a search or a count; with -v all incidents.

    The warnings are about the analysis of eojeols.
    """

    def show(incident: Incident) -> None:
        if incident.is_error or args.verbose:
            say(str(incident))

    return show
