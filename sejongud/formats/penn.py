r"""The Penn Korean Treebank (`.fid`): phrase structures whose terminals hold their morphemes.

    ;;W0001: 그가 떠나면 나는 간다.
    (S (S-ADV (NP-SBJ 그/NPN+가/PCA)
              (VP 떠나/VV+면/ECS))
       (NP-SBJ 나/NPN+는/PAU)
       (VP (NP-OBJ *pro*)
           가/VV+ㄴ다/EFN)
       ./SFN)

A terminal is a token and needs no bracket of its own. Punctuation is separated from the word;
`~` before a token glues it to the token before. Null elements (`*pro*`, `*T*-1`, `*op*`) have no
text. An eojeol is a word of the text above the tree, with its tokens.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.files import numbered_lines
from sejongud.formats.base import Frame, SentIds
from sejongud.formats.brackets import CLOSE, OPEN, STRAY, Notation, Token, parse
from sejongud.formats.labelled import rider
from sejongud.formats.sniffing import first_lines
from sejongud.formats.trees import (
    SOURCE,
    Terminal,
    TreeBlock,
    TreeReader,
    check_filled,
    damaged,
    unescaped,
)
from sejongud.layers.matching import align_words
from sejongud.layers.trees import constituents, is_null
from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["PennReader"]

_HEAD = re.compile(r";;\s*(?P<id>[^\s:]+)\s*:(?P<text>.*)")
_GLUE = "~"

# A round bracket that is a morpheme has a slash and its tag behind it.
_PATTERN = re.compile(r"\((?!/)[^\s()/]*(?=[\s(])|\)(?!/)|(?:[^\s()]|[()](?=/))+", re.ASCII)


def _take_apart(text: str) -> Token:
    if text == ")":
        return Token(CLOSE, "", "")
    if text[0] == "(" and not text.startswith("(/"):
        return Token(OPEN, text[1:], "")
    return Token(STRAY, "", text)


_tokens: Memo[str, Token] = Memo(_take_apart, size=1 << 15)
_NOTATION = Notation(_PATTERN, _tokens, has_bare_words=True)


class PennReader(TreeReader):
    """Reads the Penn Korean Treebank."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if a line with an id and a text is followed by a tree."""
        lines = first_lines(head)
        pairs = pairwise(lines)
        has = any([_HEAD.match(above) and line.startswith("(") for above, line in pairs])
        return "" if has else None

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the sentences: a line of text and the tree below it, or a tree without a text."""
        ids = SentIds()
        lines: list[str] = []
        first = number = 0
        has_tree = False
        for at, line in numbered_lines(chunks):
            starts = line.startswith((";;", "("))
            if starts and has_tree:
                number += 1
                yield _frame(lines, first, number, ids)
                lines, has_tree = [], False
            if not lines:
                if not line.strip():
                    continue
                first = at
            has_tree = has_tree or line.startswith("(")
            lines.append(line)
        if lines:
            yield _frame(lines, first, number + 1, ids)

    def block(self, frame: Frame) -> TreeBlock:
        """Return the tree of a frame.

        Raises:
            FormatError: there is no tree.
        """
        lines = frame.text.split("\n")
        start = next((at for at, line in enumerate(lines) if line.startswith("(")), None)
        if start is None:
            raise FormatError("there is no tree", line=frame.line, code="E604")
        head = next(filter(None, map(_HEAD.match, lines[:start])), None)
        text = head["text"].split() if head else []
        source = "\n".join(lines[start:])
        try:
            tree = parse(source, frame.line + start, _NOTATION)
            check_filled(tree.starts, tree.ends, tree.labels)
        except FormatError as error:
            note = damaged(error, frame.line + start)
            found = [_tokens[token].word for token in _PATTERN.findall(source)]
            words = [word for word in found if word and not is_null(word)]
            terminals = self._terminals(words, text)
            return TreeBlock(terminals, (), " ".join(text), (rider(SOURCE, source),), (note,))
        words = [word for word in tree.words if not is_null(word)]
        layer = constituents(tree, range(1, len(words) + 1))
        return TreeBlock(self._terminals(words, text), layer, " ".join(text))

    def _terminals(self, words: Sequence[str], text: Sequence[str]) -> tuple[Terminal, ...]:
        """Return the terminals of the tokens of a tree, each with the number of its eojeol."""
        terminals = []
        parse_analysis = self.assembler.analysis.parse
        for word in words:
            glued = word.startswith(_GLUE) and not word.startswith((f"{_GLUE}/", f"{_GLUE}+"))
            morphemes, notes = parse_analysis(unescaped(word[glued:]), "")
            terminals.append(Terminal("", "", morphemes, notes, glued))
        joined = ["".join([m.form for m in one.morphemes]) for one in terminals]
        if not text:
            return tuple(terminals)
        return tuple(_with_forms(terminals, joined, text))


def _frame(lines: Sequence[str], first: int, number: int, ids: SentIds) -> Frame:
    head = next(filter(None, map(_HEAD.match, lines)), None)
    return Frame("\n".join(lines), first, number, ids.of(head["id"] if head else "", number))


def _with_forms(
    terminals: Sequence[Terminal], joined: Sequence[str], text: Sequence[str]
) -> Iterator[Terminal]:
    """Yield terminals with the word of the text that they are part of.

    The first token of an eojeol gets the word as its form, and the others are glued to it.
    """
    starts = [at for at, one in enumerate(terminals) if not one.glued]
    if len(starts) == len(text):
        forms = dict(zip(starts, text, strict=True))
        for at, one in enumerate(terminals):
            yield one._replace(form=forms.get(at, ""))
        return
    for group in align_words(text, joined):
        own = [terminals[at] for at in group.system]
        if len(group.gold) == 1:
            for at, one in enumerate(own):
                form = text[group.gold.start] if at == 0 else ""
                yield one._replace(form=form, glued=at > 0)
        else:
            yield from own
