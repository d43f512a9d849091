"""What format a file is in, and which files of a folder are in any."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, UsageError
from sejongud.files import Source
from sejongud.formats import NOT_READ, READERS, resolve
from sejongud.formats import sniff as sniff_reader
from sejongud.formats.labelled import FORMATS, label_format
from sejongud.formats.labelled import sniff as sniff_entities
from sejongud.pipeline import Conversion

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

__all__ = ["find_files", "format_of", "reason"]

_SAMPLE = 50
"""How many sentences of a file show whether it is what it looks like."""


def find_files(folder: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """The files in a folder and below it, in order, each with why it is none to convert.

    "" is the reason where there is none: the file looks like one of the formats, and the most of
    its beginning can be read as that. Text without annotation is taken if it is Korean and its name
    ends in `.txt`. Hidden files are passed over.

    Args:
        folder: where.

    Raises:
        OSError: the folder cannot be read.
    """
    for below in sorted(Path(folder).iterdir()):
        if below.name.startswith("."):
            continue
        if below.is_dir() and not below.is_symlink():
            yield from find_files(below)
        elif below.is_file():
            yield str(below), _why_not(below)


def _why_not(path: Path) -> str:
    """Why a file is none to convert, "" if it is one."""
    try:
        with Source(path) as source:
            head = source.head()
    except (FormatError, OSError) as error:
        return reason(error).splitlines()[-1]
    if not head.strip():
        return "empty"
    if sniff_entities(head) is not None:
        return ""
    name = sniff_reader(head)
    if name in NOT_READ:
        return NOT_READ[name]
    if name == "text":
        suffixes = [suffix for suffix in path.suffixes if suffix not in (".gz", ".xz", ".bz2")]
        korean = suffixes[-1:] == [".txt"] and _is_korean(head)
        return "" if korean else "in no format that is known, nor Korean text"
    return _unreadable(name, head)


def _is_korean(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return 2 * len([char for char in letters if "가" <= char <= "힣"]) > len(letters)


def _unreadable(name: str, head: str) -> str:
    """What is wrong with most of the first sentences of a file; "" if they can be read."""
    reader = Conversion(name).make_reader()
    read = 0
    faults: list[str] = []
    try:
        for frame in islice(reader.frame([head]), _SAMPLE):
            try:
                reader.parse(frame)
                read += 1
            except FormatError as error:
                faults.append(error.message)
    except FormatError as error:
        faults.append(error.message)
    return "" if read > len(faults) or not faults else f"looks like {name}, but: {faults[0]}"


def format_of(head: str, from_: str | None = None) -> tuple[str, str]:
    """The name of a format, and the settings of one of entities.

    Args:
        head: the beginning of the file.
        from_: the name of a reader, or of an entity format, with a colon and settings or without;
            None for what the file looks like.

    Raises:
        UsageError: there is no such format, or it has no such settings; the file looks like what
            is not read.

    >>> format_of("1\\t한강의\\tLOC_B\\n"), format_of("한강의\\t한강/NNP+의/JKG\\n")
    (('naver', 'rows PER_B'), ('sejong', ''))
    """
    if from_ is None:
        return sniff_entities(head) or (resolve(None, head), "")
    name, colon, settings = from_.partition(":")
    if name in FORMATS:
        if not colon and (found := sniff_entities(head, (name,))) is not None:
            return found
        return name, label_format(name, settings).settings or settings
    if from_ not in READERS:
        raise UsageError(f"there is no format {from_}: {', '.join([*READERS, *FORMATS])}")
    return resolve(from_, head), ""


def reason(error: Exception) -> str:
    """Why something could not be read or converted, without the name of the file if it is plain."""
    if isinstance(error, UnicodeEncodeError):
        return f"the character U+{ord(error.object[error.start]):04X} of the output is not text"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
