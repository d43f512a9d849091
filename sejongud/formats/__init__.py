"""File formats, one module each, and the register of their names.

A reader frames a file and parses its frames (`sejongud.formats.base`); a writer turns a sentence
into text. The classes are imported when they are first asked for.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from sejongud.errors import UsageError

if TYPE_CHECKING:
    from sejongud.formats.base import Reader
    from sejongud.model import Sentence

__all__ = [
    "NOT_READ",
    "READERS",
    "WRITERS",
    "Writer",
    "reader_class",
    "resolve",
    "sniff",
    "writer_class",
]

READERS = {
    "sejong": "sejongud.formats.sejong:SejongReader",
    "corpus": "sejongud.formats.corpus:CorpusReader",
    "sejong-line": "sejongud.formats.line:LineReader",
    "modu": "sejongud.formats.modu:ModuReader",
    "klue-dp": "sejongud.formats.klue_dp:KlueDpReader",
    "conllu": "sejongud.formats.conllu.sentence:ConlluReader",
    "jsonl": "sejongud.formats.jsonl:JsonlReader",
    "text": "sejongud.formats.text:TextReader",
}
"""Name of a format → where its reader is."""

WRITERS = {
    "conllu": "sejongud.formats.conllu.write:ConlluWriter",
    "sejong": "sejongud.formats.sejong:SejongWriter",
    "sejong-line": "sejongud.formats.line:LineWriter",
    "jsonl": "sejongud.formats.jsonl:JsonlWriter",
}
"""Name of a format → where its writer is."""


NOT_READ = {
    "trees": "this looks like the Sejong treebank, whose trees are not read: write the eojeols of"
    " their leaves a line each, form<TAB>analysis, or say with --from what else it is"
}
"""What a text may look like that has no reader → what to do about it."""


class Writer(Protocol):
    """What all writers can do."""

    def sentence(self, sentence: Sentence) -> str:
        """The text of a sentence, with what parts it from the next."""

    def loses(self, sentence: Sentence) -> str:
        """What of a sentence this format has no place for, "" for nothing."""


def reader_class(name: str) -> type[Reader]:
    """The reader of a format.

    Raises:
        UsageError: there is none of this name.
    """
    found: type[Reader] = _class(name, READERS)
    return found


def writer_class(name: str) -> type[Writer]:
    """The writer of a format.

    Raises:
        UsageError: there is none of this name.
    """
    found: type[Writer] = _class(name, WRITERS)
    return found


def _class(name: str, register: dict[str, str]) -> type:
    if name not in register:
        raise UsageError(f"there is no format {name}: {', '.join(register)}")
    module, _, attribute = register[name].partition(":")
    found: type = getattr(import_module(module), attribute)
    return found


def resolve(name: str | None, head: str) -> str:
    """The reader for a file: the one that is named, or the one that its beginning looks like.

    Args:
        name: a format, None to find it out; `sejong` may be the corpus as distributed.
        head: the beginning of the file, some lines at least.

    Raises:
        UsageError: it looks like what there is no reader for.
    """
    if name is None:
        name = sniff(head)
        if name in NOT_READ:
            raise UsageError(NOT_READ[name])
        return name
    from sejongud.formats.corpus import looks_like_corpus

    return "corpus" if name == "sejong" and looks_like_corpus(head) else name


_JSON = re.compile(r"\s*[\[{]\s*(?:[\[\]{}\"]|$)")
"""How JSON begins, and no `[속보] …`."""


def sniff(head: str) -> str:
    """The name of the format that a text is likely in, by its beginning, or one of `NOT_READ`.

    Args:
        head: the beginning of the file, some lines at least.

    >>> sniff("프랑스의\\t프랑스/NNP+의/JKG\\n"), sniff("1\\t의" + "\\t_" * 8 + "\\n")
    ('sejong', 'conllu')
    """
    from sejongud.formats.corpus import looks_like_corpus, looks_like_trees

    if looks_like_corpus(head):
        return "corpus"
    if looks_like_trees(head):
        return "trees"
    lines = [line for line in head.split("\n")[:200] if line.strip()]
    if lines and _JSON.match(lines[0]):
        return "jsonl" if '"sent_id"' in lines[0] else "modu"
    if lines and lines[0].startswith("## "):
        return "klue-dp"
    rows = [line for line in lines if not (line.startswith("#") and "\t" not in line)]
    tabs = [row.count("\t") for row in rows]
    if lines and not rows and not any([line.startswith(("# ", "##")) for line in lines]):
        return "text"
    if 9 in tabs or not rows or head.startswith("# global.columns"):
        return "conllu"
    if any([_looks_analysed(row.split("\t")[-1]) for row in rows if "\t" in row]):
        return "sejong"
    if _looks_analysed(rows[0]):
        return "sejong-line"
    return "sejong" if tabs[0] else "text"


def _looks_analysed(line: str) -> bool:
    """Whether every eojeol of a line is an analysis, `form/TAG+form/TAG`."""
    parts = [part.rpartition("/") for part in line.split()]
    return bool(parts) and all(
        slash and tag[:1].isalpha() and tag.isupper() for _, slash, tag in parts
    )
