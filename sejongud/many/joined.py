"""One file of the outputs of many."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.files import escape_name
from sejongud.formats import endings_of
from sejongud.many.files import File, output_ending, stem, told_apart

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

_COLUMNS = "# global.columns = "
_NUMBER = re.compile(r"# sent_id = (\d+)\n")


def is_conllu(args: argparse.Namespace) -> bool:
    """Return whether a command writes CoNLL-U."""
    return output_ending(args) in endings_of("conllu")


def document_names(files: Sequence[File]) -> dict[str, str]:
    """Return the name of the document that each file becomes, by its path.

    It is the name of the file without its endings; equal names keep their endings. A byte that is
    not UTF-8 becomes its escape.

    >>> document_names([File("a b.txt", "a b.txt", False), File("x/c.txt", "c.txt", False),
    ...                 File("y/c.txt", "c.txt", False)])
    {'a b.txt': 'a_b', 'x/c.txt': 'x/c.txt', 'y/c.txt': 'y/c.txt'}
    """
    stems = [stem(file.name) for file in files]
    paths = [file.path for file in files]
    names = told_apart(told_apart(stems, [file.name for file in files]), paths)
    texts = [re.sub(r"\s", "_", escape_name(name)) for name in names]
    return dict(zip(paths, texts, strict=True))


@dataclass
class Joined:
    """Joins outputs, one behind the other, in one file.

    In CoNLL-U an output is a document (`# newdoc id`), and a sentence that has only its number gets
    the name of the document before it, since an id must stand for one sentence. The line of the
    columns is written once.
    """

    out: TextIO
    names: dict[str, str]
    """The name of the document that each input becomes, by its path."""
    is_conllu: bool
    columns: str | None = None

    def add(self, file: File, output: str) -> None:
        """Write an output.

        Args:
            file: what it was made of.
            output: its path.

        Raises:
            UsageError: its columns are others than those of the outputs before.
        """
        with Path(output).open(encoding="utf-8", newline="\n") as lines:
            if not self.is_conllu:
                self.out.writelines(lines)
                return
            first = next(lines, "")
            columns = first if first.startswith(_COLUMNS) else ""
            if self.columns is None:
                self.out.write(columns)
            elif columns != self.columns:
                raise UsageError(
                    f"{file.path} has other columns than the files before it, and a file of"
                    " CoNLL-U Plus has one kind: name a folder for them, -o OUT/"
                )
            self.columns = columns
            name = self.names[file.path]
            rest = lines if columns else chain([first], lines)
            self.out.writelines(_as_document(rest, name))


def _as_document(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield the lines of CoNLL-U as those of a document, with its name in ids that are numbers.

    >>> list(_as_document(["# sent_id = 1\\n", "1\\t나\\n", "\\n"], "a"))
    ['# newdoc id = a\\n', '# sent_id = a-1\\n', '1\\t나\\n', '\\n']
    """
    begun = False
    for line in lines:
        if not begun and not line.startswith("# newdoc"):
            yield f"# newdoc id = {name}\n"
        begun = True
        number = _NUMBER.fullmatch(line) if line.startswith("# s") else None
        yield f"# sent_id = {name}-{number[1]}\n" if number else line
