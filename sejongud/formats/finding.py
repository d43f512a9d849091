"""The files of a folder that can be converted, and for the others the reason why not."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError, UsageError
from sejongud.files import Source, checked_name, file_ending
from sejongud.formats import PLAIN_ENDING, reader_class, recognise, sniff
from sejongud.formats.base import data_rows, is_analysed
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.formats.base import Reader

_SAMPLE = 50
"""The most sentences that are read to see whether a file can be."""
_ENOUGH = 3
"""So many more sentences that can be read than others are enough."""
_MADE = re.compile(
    r'\{"code": |<!DOCTYPE html>|(<\?xml[^\n]*\n)?<!DOCTYPE svg'
    r"|type\tentities\t(?:morphemes|inside)\t"
)
"""The beginnings of files that this program writes and does not read: incidents, a page, a picture,
the table of `ner check`."""


class File(NamedTuple):
    """An input.

    Args:
        path: of the file, or `-`.
        name: the path in its folder, or the name of a file that was named itself.
        walked: whether it was found in a folder.
    """

    path: str
    name: str
    walked: bool


def input_files(inputs: Sequence[str], form: str | None, skipped: dict[str, str]) -> Iterator[File]:
    """Yield the files that are named, and those in the folders that are named.

    Args:
        inputs: the names; () for standard input.
        form: the format, if the user names it.
        skipped: gets the files of folders that are not read, with the reason.
    """
    for path in map(checked_name, inputs or ["-"]):
        if path == "-" or not Path(path).is_dir():
            yield File(path, Path(path).name, walked=False)
            continue
        # Whoever names the format means all files of the folder.
        names = ((name, "") for name in _inside(Path(path))) if form else find_files(path)
        for name, why in names:
            if why:
                skipped[name] = why
            else:
                yield File(name, str(Path(name).relative_to(path)), walked=True)


def _inside(folder: Path) -> Iterator[str]:
    """Yield the files in a folder and below it in order, but no hidden ones."""
    for below in sorted(folder.iterdir()):
        if below.name.startswith("."):
            continue
        if below.is_dir() and not below.is_symlink():
            yield from _inside(below)
        elif below.is_file():
            yield str(below)


def find_files(folder: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield the files in a folder and below it in order, each with the reason to leave it out.

    The reason is "" for a file that can be converted: it looks like one of the formats, and most
    of its first sentences can be read (of three to fifty). Text without annotation can be converted
    if it is Korean and its name ends in `.txt`. Hidden files are passed over.

    Args:
        folder: the path of the folder.

    Raises:
        OSError: the folder cannot be read.
    """
    return ((name, _why_not(Path(name))) for name in _inside(Path(folder)))


def _why_not(path: Path) -> str:
    """Return the reason to leave a file out, "" if it can be converted."""
    try:
        head = _head(path)
    except (FormatError, OSError) as error:
        return reason(error).splitlines()[-1]
    if not head.strip():
        return "empty"
    if _MADE.match(head):
        return "a page, a picture, a table or a list of incidents, as this program writes them"
    detection = recognise(None, head)
    if detection.name == "text":
        korean = file_ending(path) == PLAIN_ENDING and _is_korean(head)
        return "" if korean else "in no format that is known, nor Korean text"
    if detection.name == "records":
        from sejongud.formats.text import is_nikl_text

        if is_nikl_text(head):
            return ""
        return "raw text in JSON or CSV: name the file itself, and --field"
    is_layered = detection.is_entities or detection.is_frames or detection.is_corrections
    return "" if is_layered else _unreadable(detection.name, head)


def corpus_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a file that is recognised as a corpus, "" for any other file.

    Text without annotation is a corpus if it is Korean. Incidents, pages, pictures and tables that
    this program has written are none, nor is a file that cannot be read as text.

    Args:
        path: the file.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        head = _head(path)
    except FormatError:
        return ""
    if not head.strip() or _MADE.match(head):
        return ""
    name = recognise(None, head).name
    return "" if name == "text" and not _is_korean(head) else name


def _head(path: str | os.PathLike[str]) -> str:
    with Source(path) as source:
        return source.head()


def _is_korean(text: str) -> bool:
    """Test whether at least half of the letters are Hangul syllables."""
    letters = [char for char in text if char.isalpha()]
    return 2 * len([char for char in letters if "가" <= char <= "힣"]) > len(letters)


@lru_cache(maxsize=1)
def _reader(name: str) -> Reader:
    """Return the reader of a format; the files of a folder often have one format and one text."""
    return reader_class(name)(Assembler(load()))


def _unreadable(name: str, head: str) -> str:
    """Return the first error of a file most of whose first sentences cannot be read, else ""."""
    reader = _reader(name)
    read = 0
    faults: list[str] = []
    try:
        for block in islice(reader.blocks([head]), _SAMPLE):
            try:
                reader.parse(block)
                read += 1
            except FormatError as error:
                faults.append(error.message)
            if read - len(faults) == _ENOUGH:
                return ""
    except FormatError as error:
        faults.append(error.message)
    return "" if read > len(faults) or not faults else f"looks like {name}, but: {faults[0]}"


def reason(error: Exception) -> str:
    """Return the message of an error that occurred in reading or converting a file."""
    if isinstance(error, UnicodeEncodeError):
        return f"the character U+{ord(error.object[error.start]):04X} of the output is not text"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)


def named_once(files: Iterable[str]) -> dict[Path, str]:
    """Return the paths of files by their real paths.

    Raises:
        UsageError: a file is named twice.
    """
    seen: dict[Path, str] = {}
    for path in files:
        if path == "-":
            continue
        real = Path(path).resolve()
        if real in seen:
            raise UsageError(f"{path} is an input twice, as {seen[real]} as well")
        seen[real] = path
    return seen


_LIKE_PAIRS = ("sejong", "tokens", "klue-ner", "brackets", "records", "text")
"""The formats that pairs of texts may look like."""


def may_be_pairs(head: str) -> bool:
    r"""Return whether rows may be sources and targets, and not those of another corpus.

    Args:
        head: the beginning of a file that has no other format of corrections.

    >>> may_be_pairs("나는 갓다\t나는 갔다\n"), may_be_pairs("나는\t나/NP+는/JX\n")
    (True, False)
    """
    if "\t" not in head.partition("\n")[0]:
        return False
    found = sniff(head)
    targets = [row.rpartition("\t")[2] for row in data_rows(head)]
    return not any(map(is_analysed, targets)) and (found is None or found.name in _LIKE_PAIRS)
