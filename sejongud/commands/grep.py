"""Find words by a query: concordance lines, frequency lists, the sentences as CoNLL-U.

A query tests the words of a treebank, and the morphemes of any other corpus (--level cuts both at
a level of granularity). A test is KEY=VALUE or KEY!=VALUE; tests are joined by and, or, not and
brackets, and tests beside one another must all hold. The keys are form, lemma, tag, upos, feats,
deprel; entity, the type of an entity around the word; frame and lu, the frame and the lexical unit
whose target the word belongs to; fe, its frame element; constituent, the label of a constituent
around it; eojeol, the surface of the whole eojeol, and construction, its tags; text and id of the
sentence. head., child., prev. and next. before a key lead to another word: head.tag, or
next.next.lemma. VALUE is the whole value, in which * stands for any characters; a part of it as
/REGEX/ (/REGEX/i in any case); or a text in double quotes.

Of several files each line begins with the name of its file, and a table has it in the last column.
Files of a folder that are in no known format are passed over.

--doc searches only some documents. REGEX must match a comment at the beginning of the document,
where its metadata stand (meta::title, meta::genre).
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from itertools import chain, islice
from typing import TYPE_CHECKING

from sejongud.commands import (
    guard_files,
    logged,
    open_input,
    open_output,
    say,
    say_format,
    say_skipped,
    write_output,
)
from sejongud.commands.show import terminal_width
from sejongud.errors import UsageError
from sejongud.formats import recognise
from sejongud.model import LEVELS
from sejongud.query.grammar import parse_path
from sejongud.query.words import COLUMNS, Frequencies, Query, concordance_line, concordance_row
from sejongud.rules.bounded import BoundedPattern
from sejongud.terminal import clean, counted, data_lines, display_width, pad

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sejongud.errors import Incident, OnError, Report
    from sejongud.model import Sentence
    from sejongud.query.words import Words

_DATA, _CONLLU = ("tsv", "csv", "json"), "conllu"
"""The forms of a table, and that of the sentences."""
_ROWS = 50
"""The rows of a frequency list as text."""
_NAME = 30
"""The most cells that the name of a file has before a line."""


def writes(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the forms of a list, or of the matches."""
    return ("text", *_DATA, *[_CONLLU][args.count is not None :])


def document_pattern(text: str) -> BoundedPattern:
    """Return the value of an option that takes a regular expression.

    Raises:
        ArgumentTypeError: the text is none.
    """
    try:
        return BoundedPattern(text, (text,), "--doc")
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is no regular expression: {error}") from None


def run(args: argparse.Namespace) -> int:
    """Find the words of `args.inputs` that match.

    Raises:
        UsageError: the query or a key is wrong, or takes too long; a list is asked for as CoNLL-U;
            a file is named twice.
    """
    query = Query(args.query)
    keys = args.count.split(",") if args.count is not None else []
    frequencies = Frequencies([parse_path(key.strip()) for key in keys])
    if keys and args.to == _CONLLU:
        raise UsageError("--count makes a list, which is no CoNLL-U: leave out --to conllu")

    def show(incident: Incident) -> None:
        # A search does without the warnings, which are about the analysis of eojeols.
        if incident.is_error or args.verbose:
            say(str(incident))

    with logged(args, show) as report:
        search = _Search(args, query, report)
        if args.to == _CONLLU:
            _write_sentences(args, search, report)
        elif keys:
            for words, at in search.matches():
                frequencies.add(words, at)
            limit = (_ROWS if args.to == "text" else 0) if args.limit is None else args.limit
            write_output(args, frequencies.text(limit, args.to))
        else:
            _write_lines(args, search)
    if not args.quiet:
        search.tell()
    return 1 if report.errors else 0


class _Search:
    """Reads the inputs and finds the words that match.

    Args:
        args: the arguments of the command.
        query: the query.
        report: receives the incidents.
    """

    def __init__(self, args: argparse.Namespace, query: Query, report: Report) -> None:
        from sejongud.converters.recut import recut_of
        from sejongud.many.files import input_files, named_once
        from sejongud.query.words import words_of
        from sejongud.rules import load

        recut = recut_of(args.level or LEVELS[-1], args.upos, args.lemmas, load(args.rules))
        own = not (args.level or args.upos or args.lemmas)
        self._words_of = words_of(recut, as_is=own)
        self._skipped: dict[str, str] = {}
        self._files = list(input_files(args, self._skipped))
        named_once(self._files)
        guard_files(args, [file.path for file in self._files])
        self.path = ""
        """The file that is being read."""
        self._args = args
        self._query = query
        self._report = report
        self._sentences = self._found = self._places = 0

    @property
    def paths(self) -> list[str]:
        """The files that are searched."""
        return [file.path for file in self._files]

    def found(self) -> Iterator[tuple[Words, list[int]]]:
        """Yield the sentences with a match, and the words that match."""
        for sentence in self._read():
            self._sentences += 1
            words = self._words_of(sentence)
            if places := self._query.find(words):
                self._found += 1
                yield words, places

    def sentences(self) -> Iterator[Sentence]:
        """Yield the sentences with a match."""
        for words, places in self.found():
            self._places += len(places)
            yield words.sentence

    def matches(self) -> Iterator[tuple[Words, int]]:
        """Yield the words that match, each with the words of its sentence."""
        for words, places in self.found():
            for at in places:
                self._places += 1
                yield words, at

    def _read(self) -> Iterator[Sentence]:
        """Yield the sentences of all inputs."""
        from sejongud.query.words import document_of
        from sejongud.report.views import read_placed

        args = self._args
        for path, *_ in self._files:
            self.path = path
            comments: tuple[str, ...] = ()
            with open_input(args, path) as source:
                kind = recognise(args.from_, source.head())
                say_format(args, source.path, kind)
                on_error: OnError = args.on_error
                placed = read_placed(
                    source, kind, self._report, on_error=on_error, rules=args.rules
                )
                for one in placed:
                    comments = document_of(one.sentence, comments)
                    if args.doc is None or any(map(args.doc.search, comments)):
                        yield one.sentence

    def tell(self) -> None:
        """Say on standard error which files were passed over, and how much was found."""
        say_skipped(self._args, self._skipped)
        matches = counted(self._places, "match[es]")
        of = counted(self._sentences, "sentence[s]")
        say(f"{matches} in {self._found:,} of {of}")


def _write_lines(args: argparse.Namespace, search: _Search) -> None:
    """Write a line for each match."""
    width = terminal_width() if args.width is None else args.width
    several = len(search.paths) > 1
    # The matches of all files stand below one another.
    cells = min(_NAME, max([display_width(clean(path)) + 1 for path in search.paths], default=0))
    if several and width:
        width = max(width - cells - 1, 1)
    matches = islice(search.matches(), args.limit or None)
    with open_output(args) as out:
        if args.to in _DATA:
            names = [[*COLUMNS, *["file"][: int(several)]]]
            rows = (
                [*concordance_row(*match), *[clean(search.path)][: int(several)]]
                for match in matches
            )
            out.writelines(data_lines(args.to, chain(names, rows)))
            return
        for match in matches:
            name = f"{pad(_cut_name(clean(search.path)), cells)} " if several else ""
            out.write(name + concordance_line(*match, width))


def _cut_name(path: str) -> str:
    """Return the name of a file before its line; a long one loses its beginning."""
    while display_width(path) >= _NAME:
        path = "…" + path.removeprefix("…")[1:]
    return f"{path}:"


def _write_sentences(args: argparse.Namespace, search: _Search, report: Report) -> None:
    """Write the sentences with a match, in the cut that was tested."""
    from sejongud.api import write

    write(islice(search.sentences(), args.limit or None), args.output, report=report)
