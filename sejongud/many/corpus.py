"""The sentences of the inputs of a command that reads files and folders as one corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import guard_files, open_input, say_format, say_skipped
from sejongud.formats import recognise

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from sejongud.errors import OnError, Report
    from sejongud.model import Sentence
    from sejongud.query.words import Words


class CorpusFiles:
    """The sentences of files, and of the files in folders.

    Args:
        args: the arguments of the command, of which `inputs` are read.
        report: receives the incidents.

    Raises:
        UsageError: a file is named twice, or is also the output.
    """

    def __init__(self, args: argparse.Namespace, report: Report) -> None:
        from sejongud.formats.finding import input_files
        from sejongud.many.files import named_once

        self._skipped: dict[str, str] = {}
        files = list(input_files(args.inputs, args.from_, self._skipped))
        named_once(files)
        self.paths = [file.path for file in files]
        """The files that are read."""
        guard_files(args, self.paths)
        self._args = args
        self._report = report

    def words_of(self) -> Callable[[Sentence], Words]:
        """Return the function that cuts sentences into the words that the options ask for."""
        from sejongud.query.words import words_at
        from sejongud.rules import load

        args = self._args
        return words_at(args.level, args.upos, args.lemmas, load(args.rules))

    def sentences(self) -> Iterator[tuple[str, Sentence]]:
        """Yield the sentences of all files, each with the name of its file."""
        from sejongud.query.words import document_pattern, in_documents

        return in_documents(self._sentences(), document_pattern(self._args.doc))

    def _sentences(self) -> Iterator[tuple[str, Sentence]]:
        from sejongud.report.views import read_placed

        args = self._args
        on_error: OnError = args.on_error
        for path in self.paths:
            with open_input(args, path) as source:
                kind = recognise(args.from_, source.head())
                say_format(args, source.path, kind)
                for placed in read_placed(
                    source, kind, self._report, on_error=on_error, rules=args.rules
                ):
                    yield path, placed.sentence

    def say_skipped(self) -> None:
        """Say which files of folders were passed over."""
        say_skipped(self._args, self._skipped)
