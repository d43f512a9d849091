r"""Phrase structures in brackets: those of parsers and their tools, and the Penn Korean Treebank.

A tree stands on one line or over several:

    (SENT (S (NP-SBJ (NNP+JKS 웅가로가)) (VP (VV+EP+EF+SF 나섰다.))))        level 1
    (SENT (S (NP-SBJ (NNP 웅가로) (JKS 가)) (VP (VV 나서) (EP 었) (EF 다) (SF .))))

The tag of a word is its XPOS and the terminal its FORM. Round brackets of a terminal are written
`-LRB-` and `-RRB-`; a plus is a plus, and `*PLUS*` is read as one.

The terminals of the Penn Korean Treebank (`.fid`) hold their morphemes:

    ;;9010001:1: 그가 떠나면 나는 간다 ~.

    (S (S-ADV (NP-SBJ 그/NPN+이/PCA)
              (VP 떠나/VV+으면/ECS))
       (NP-SBJ 나/NPN+은/PAU)
       (VP (NP-OBJ *pro*)
           가/VV+는다/EFN)
       ./SFN)

A terminal is a token and needs no bracket of its own. Punctuation is separated from the word: `~`
before a token of the text glues it to the token before, and `~` before a terminal glues it to the
terminal before, so that both are one token of the text (`웅가로/NNP ~가/JKS`). Null elements
(`*pro*`, `*T*-1`, `*op*`) have no text. Brackets of the text are `-LRB-` and `-RRB-`; `(/SLQ` is
read, too. Where the line of the text is missing, Kiwi makes the text, and rules/penn-glue.tsv tells
which terminals are glued; no line of text is written then.

Where the lines of a sentence are laid out in another way, they are a comment (`penn_source`), and
come back over the same terminals (`sejongud.formats.around`).
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Literal

from sejongud.errors import FormatError, Note
from sejongud.files import numbered_lines
from sejongud.formats import trees
from sejongud.formats.around import lost_above, restore_comment, restore_comments, with_lines_around
from sejongud.formats.base import Block, first_lines, identified, is_analysed, mostly, numbered
from sejongud.formats.brackets import (
    CLOSE,
    COMMENT,
    LEAF,
    OPEN,
    STRAY,
    TOKEN,
    BracketToken,
    Notation,
    blocks,
    parse,
    tokens,
)
from sejongud.formats.labelled import LINE, line_blocks
from sejongud.formats.trees import Terminal, TreeBlock, TreeReader, TreeWriter
from sejongud.layers.matching import align_words
from sejongud.layers.trees import constituents, is_null
from sejongud.memo import Memo
from sejongud.morphology.eojeol import Assembler, checked_analysis
from sejongud.rules import load
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Morpheme, Sentence, Word


Pos = Literal["xpos", "upos"]
"""The column that is the tag of a word in a tree."""

TerminalText = Literal["form", "lemma"]
"""The column that is the terminal."""


class BracketsReader(TreeReader):
    """Reads trees in brackets.

    Args:
        assembler: builds the eojeols.
        keep: has no effect; a tree that cannot be read is a comment.
        whole: whether a terminal is one unit with all its tags, whatever its morphemes are.
    """

    def __init__(self, assembler: Assembler, *, keep: bool = False, whole: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self.whole = whole

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if most lines begin with a bracket in a bracket, around no analyses."""
        lines = [line for line in first_lines(head) if not line.startswith(_COMMENTS)]
        starts = [i for i, line in enumerate(lines) if line[0] not in " \t)"]
        nested = mostly([_NESTED("\n".join(lines[i : i + 2])) is not None for i in starts])
        return "" if nested and not treebank_of(head) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the trees."""
        return numbered(blocks(line for _, line in numbered_lines(chunks)))

    def tree_block(self, block: Block) -> TreeBlock:
        """Return the tree of a block; see `TreeReader.tree_block`."""
        try:
            tree = trees.parse_tree(block.text, block.line)
        except FormatError as error:
            known = [tokens[token] for token in TOKEN.findall(block.text)]
            leaves = [(word, label) for kind, label, word in known if word and kind == LEAF]
            if not leaves and error.code == "E601":
                raise
            source = (restore_comment(trees.SOURCE, block.text),)
            note = trees.damaged(error, block.line)
            return TreeBlock(_terminals(leaves), (), "", source, (note,))
        terminals = _terminals(zip(tree.words, tree.tags, strict=True))
        return TreeBlock(terminals, constituents(tree, range(1, len(terminals) + 1)))


def _terminals(leaves: Iterable[tuple[str, str]]) -> tuple[Terminal, ...]:
    """Return the terminals of words and their tags, without null elements."""
    words = [leaf for leaf in leaves if not is_null(*leaf)]
    return tuple([Terminal(trees.unescaped(word), trees.unescaped(tag)) for word, tag in words])


class BracketsWriter(TreeWriter):
    """Writes a tree a line, over the words of the sentence.

    Args:
        pos: the column that is the tag of a word.
        terminal: the column that is the terminal.
        plus: how a terminal that is a plus is written.
    """

    def __init__(
        self, *, pos: Pos = "xpos", terminal: TerminalText = "form", plus: str = "+"
    ) -> None:
        self._tag = 2 if pos == "upos" else 3
        self._text = 1 if terminal == "lemma" else 0
        self._plus = plus

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence; a comment for a sentence without a tree.

        Raises:
            FormatError: a constituent ends inside a word.
        """
        if not sentence.constituents:
            return f"{COMMENT} {sentence.sent_id} {sentence.text}\n"
        words = list(sentence.words)
        parts = []
        for word, edge in zip(words, trees.checked_edges(sentence), strict=True):
            parts += [*edge.before, self._leaf(word), *edge.behind]
        return " ".join(parts).replace(" )", ")") + "\n"

    def _leaf(self, word: Word) -> str:
        tag, text = (trees.escaped(str(word[i])) for i in (self._tag, self._text))
        return f"({tag} {self._plus if text == '+' else text})"


_PENN = "penn-korean"
_SOURCE = "penn_source"
"""The comment that keeps the lines of a sentence."""
# An id is that of a document and the number of the sentence, or any other word.
_HEAD = re.compile(r";;\s*(?P<id>[^\s:]+(?::\d+)?)\s*:(?P<text>.*)")
_GLUE = "~"
# A tilde that is a morpheme has a slash and its tag behind it.
_GLUED = re.compile(r"~(?!/[A-Za-z])")
_BOUND = frozenset({"particle", "ending", "copula", "suffix"})
"""The kinds of tags whose morphemes cannot begin an eojeol."""
_SHOWN = 50
"""The lines of trees that tell whose they are."""

# A round bracket that is a morpheme has a slash and its tag behind it.
_PATTERN = re.compile(r"\((?!/)[^\s()/]*(?=[\s(])|\)(?!/)|(?:[^\s()]|[()](?=/))+", re.ASCII)


def _take_apart(text: str) -> BracketToken:
    if text == ")":
        return BracketToken(CLOSE, "", "")
    if text[0] == "(" and not text.startswith("(/"):
        return BracketToken(OPEN, text[1:], "")
    return BracketToken(STRAY, "", text)


_tokens: Memo[str, BracketToken] = Memo(_take_apart, size=1 << 15)
_NOTATION = Notation(_PATTERN, _tokens, has_bare_words=True)
_TAGS = re.compile(r"/([A-Z]+)(?=\+|$)")
_COMMENTS = (COMMENT, "#", "%%")
"""What a line above the trees of other programs begins with."""
_LABEL = r"\((?!/)[^\s()]*"
_NESTED = re.compile(rf"{_LABEL}\s*(?:\(\)|{_LABEL}(?:[\s(]|$))", re.ASCII).match
"""A bracket in a bracket: one with a label alone, `((주)한국)`, is a text's, `(/SS` an analysis."""
_LABELLED = re.compile(rf"{_LABEL}(?:\s*\((?!/)|\s+[^\s(]|\s*$)", re.ASCII).match
_BEFORE_TREES = re.compile(rf"{COMMENT}|\s*(?:<|\]\s*>)").match
"""A comment or markup, of which the declarations of a document have brackets of their own."""


def treebank_of(head: str) -> Literal["", "treebank", "penn-korean"]:
    """Return the treebank that trees without a line of text belong to, by the tags of their words.

    Args:
        head: the beginning of the file; blank lines, comments and markup may stand before the tree.

    >>> treebank_of("(NP-MOD 프랑스/NNP+의/JKG)"), treebank_of("(NP 그/NPN+은/PAU)")
    ('treebank', 'penn-korean')
    >>> treebank_of("(NP (NNG 비) (JKS 가))")
    ''
    """
    lines = [line for line in first_lines(head) if not _BEFORE_TREES(line)]
    if not lines or not _LABELLED(lines[0]):
        return ""
    words = [_tokens[token].word for token in _PATTERN.findall("\n".join(lines[:_SHOWN]))]
    words = [word for word in words if word not in ("", "+")]
    real = [word for word in words if not is_null(word)]
    if not mostly([is_analysed(trees.unescaped(word)) for word in real]):
        return ""
    rules = load()
    tags = [tag for word in real for tag in _TAGS.findall(word)]
    of_penn = {row["tag"] for row in rules.table("penn-tags")}
    penn = sum([tag in of_penn for tag in tags]) > sum([tag in rules.tags for tag in tags])
    return "penn-korean" if penn or len(real) < len(words) else "treebank"


# --- reading --------------------------------------------------------------------------------------


class PennReader(TreeReader):
    """Reads the Penn Korean Treebank.

    Args:
        assembler: builds the eojeols.
        keep: has no effect; a tree that cannot be read is a comment.
    """

    restored = _PENN

    def __init__(self, assembler: Assembler, *, keep: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        rows = assembler.rules.table("penn-glue")
        self._sides = {(row["tag"], row["form"]): row["side"] for row in rows}
        self._kind = assembler.rules.kind

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if a tree follows a line with an id and a text, or has tags of the treebank."""
        lines = first_lines(head)
        pairs = pairwise(lines)
        has = any([_HEAD.match(above) and line.startswith("(") for above, line in pairs])
        return "" if has or treebank_of(head) == _PENN else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences: a line of text and the tree below it, or one without the other."""
        return identified(_texts(chunks), _sent_id)

    def tree_block(self, block: Block) -> TreeBlock:
        """Return the tree of a block, with comments that bring its lines back.

        Raises:
            FormatError: there is neither a tree nor a text.
        """
        tree_block = self._tree_block(block)
        lines = LINE.findall(block.text)
        full = [at for at, line in enumerate(lines) if line.strip()]
        source = "".join(lines[full[0] : full[-1] + 1])
        comments = restore_comments(
            _PENN,
            "".join(lines[: full[0]]),
            "" if not tree_block.notes and source == _usual(source) else source,
            "".join(lines[full[-1] + 1 :]),
        )
        return tree_block._replace(comments=(*tree_block.comments, *comments))

    def _tree_block(self, block: Block) -> TreeBlock:
        head, above, source = _divided(block.text.rstrip())
        groups = _eojeols(head["text"] if head else "")
        text = " ".join(map("".join, groups))
        line = block.line + above
        if not source:
            error = FormatError("there is no tree", line=block.line, code=trees.NO_TREE)
            if not groups:
                raise error
            unknown = self.assembler.rules.unknown_tag
            words = tuple([Terminal("".join(group), unknown) for group in groups])
            return TreeBlock(words, (), text, (), (trees.damaged(error, line),))
        try:
            tree = trees.filled(parse(source, line, _NOTATION))
        except FormatError as error:
            words_read = [_tokens[token].word for token in _PATTERN.findall(source)]
            words = self._terminals([word for word in words_read if word], groups)
            return TreeBlock(words, (), text, (), (trees.damaged(error, line),))
        terminals = self._terminals(tree.words, groups)
        return TreeBlock(terminals, constituents(tree, range(1, len(terminals) + 1)), text)

    def _terminals(
        self, words: Iterable[str], groups: Sequence[Sequence[str]]
    ) -> tuple[Terminal, ...]:
        """Return the terminals of a tree; each but the first of an eojeol is glued.

        Args:
            words: of the tree; null elements are left out.
            groups: the eojeols of the text, each as its tokens.
        """
        terminals = []
        for word in words:
            if is_null(word):
                continue
            glued = _GLUED.match(word) is not None
            morphemes, notes = self.assembler.analysis.parse(trees.unescaped(word[glued:]), "")
            terminals.append(Terminal("", "", morphemes, notes, glued))
        return tuple(_with_forms(terminals, groups) if groups else self._glued(terminals))

    def _glued(self, terminals: Iterable[Terminal]) -> Iterator[Terminal]:
        """Yield the terminals of a tree without a text; tags tell which are glued to the last."""
        opens = False
        for number, terminal in enumerate(terminals):
            first, last = terminal.morphemes[0], terminal.morphemes[-1]
            is_bound = self._kind(first.tag) in _BOUND or self._side(first) in ("before", "both")
            yield terminal._replace(glued=terminal.glued or (number > 0 and (opens or is_bound)))
            opens = self._side(last) in ("behind", "both")

    def _side(self, morpheme: Morpheme) -> str:
        """Return the side of a morpheme that has no blank, "" if both have one."""
        form, tag = morpheme[:2]
        return self._sides.get((tag, form)) or self._sides.get((tag, ANY), "")


def _texts(chunks: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of each sentence as one text, with the number of the first line."""
    lines: list[str] = []
    first = 0
    has_head = has_tree = False
    for line, number, *_ in line_blocks(chunks):
        is_head = _HEAD.match(line) is not None
        if (has_tree and line.startswith((";;", "("))) or (has_head and is_head):
            yield first, "".join(lines)
            lines, has_head, has_tree = [], False, False
        if not lines:
            first = number
        has_head = has_head or is_head
        has_tree = has_tree or line.startswith("(")
        lines.append(line)
    if "".join(lines).strip():
        yield first, "".join(lines)


def _divided(source: str) -> tuple[re.Match[str] | None, int, str]:
    """Return the heading of a sentence, the number of lines above its tree, and the tree."""
    lines = source.split("\n")
    start = next((i for i, line in enumerate(lines) if line.startswith("(")), len(lines))
    return _heading(lines[:start]), start, "\n".join(lines[start:])


def _usual(source: str) -> str:
    """Return the lines of a sentence as they are laid out, if nobody has laid them out."""
    heading, _, tree = _divided(source)
    text = f";;{heading['id']}: {' '.join(heading['text'].split())}\n" if heading else ""
    pieces = _PATTERN.findall(tree)
    return "\n".join(filter(None, [text, f"{_laid_out(pieces)}\n" if pieces else ""]))


def _said(source: str) -> tuple[str, list[str], list[str]]:
    """Return the id, the eojeols and the pieces of a sentence, however they are laid out."""
    heading, _, tree = _divided(source)
    sent_id, text = heading.group("id", "text") if heading else ("", "")
    eojeols = list(map("".join, _eojeols(text)))
    pieces = _PATTERN.findall(tree)
    return sent_id, eojeols, [trees.unescaped(p[bool(_GLUED.match(p)) :]) for p in pieces]


def _is_damaged(source: str) -> bool:
    """Test whether the tree in the lines of a sentence cannot be read."""
    try:
        trees.filled(parse(_divided(source)[2], 0, _NOTATION))
    except FormatError:
        return True
    return False


def _heading(lines: Iterable[str]) -> re.Match[str] | None:
    """Return the id and the text above a tree; None if neither stands there."""
    return next(filter(None, map(_HEAD.match, lines)), None)


def _sent_id(text: str) -> str:
    head = _heading(text.split("\n"))
    return head["id"] if head else ""


def _eojeols(text: str) -> list[list[str]]:
    """Return the eojeols of a text, each as its tokens.

    >>> _eojeols("' ~작은 나무 ~' ~가 자란다 ~.")
    [["'", '작은'], ['나무', "'", '가'], ['자란다', '.']]
    """
    groups: list[list[str]] = []
    for token in text.split():
        if groups and len(token) > 1 and token.startswith(_GLUE):
            groups[-1].append(token[1:])
        else:
            groups.append([token])
    return groups


def _with_forms(
    terminals: Sequence[Terminal], groups: Sequence[Sequence[str]]
) -> Iterator[Terminal]:
    """Yield terminals with the eojeol of the text that they are part of.

    The first terminal of an eojeol gets it as its form, and the others are glued to it.

    Args:
        terminals: some are glued to the terminal before, with which they are one token.
        groups: the eojeols of the text, each as its tokens.
    """
    starts = [i for i, terminal in enumerate(terminals) if not terminal.glued]
    tokens = [("".join(group) if i == 0 else "") for group in groups for i in range(len(group))]
    if len(starts) == len(tokens):
        forms = dict(zip(starts, tokens, strict=True))
        for i, terminal in enumerate(terminals):
            form = forms.get(i, "")
            yield terminal._replace(form=form, glued=not form)
        return
    text = list(map("".join, groups))
    joined = ["".join([m.form for m in terminal.morphemes]) for terminal in terminals]
    for aligned in align_words(text, joined):
        members = [terminals[i] for i in aligned.system]
        if len(aligned.gold) == 1:
            for i, terminal in enumerate(members):
                form = text[aligned.gold.start] if i == 0 else ""
                yield terminal._replace(form=form, glued=i > 0)
        else:
            yield from members


# --- writing --------------------------------------------------------------------------------------


class PennWriter(TreeWriter):
    """Writes trees as the Penn Korean Treebank does, over the words of the sentence.

    The words of level 2 are the tokens of the treebank.
    """

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a text and the tree below it; a damaged tree as it was read.

        Raises:
            FormatError: a constituent ends inside a word; a tag or a label cannot be read again.
        """
        lines = self._lines(sentence)

        def text(source: str | None) -> str:
            if source is None:
                return lines
            compared = slice(2 if not sentence.constituents and _is_damaged(source) else 3)
            sent_id, eojeols, pieces = _said(lines)
            texts = (eojeols, sentence.text_orig.split())
            ours = [(sent_id, own, pieces)[compared] for own in texts]
            return source if _said(source)[compared] in ours else lines

        return with_lines_around(sentence.comments, _PENN, text)

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts that are not written; see `TreeWriter`."""
        return [*trees.lost(sentence, _SOURCE), *lost_above(sentence, has_ids=True)]

    def _lines(self, sentence: Sentence) -> str:
        tokens = [
            f"{_GLUE if i else ''}{token.form}"
            for eojeol in sentence.eojeols
            for i, token in enumerate(eojeol.tokens)
        ]
        tree = _laid_out(_pieces(sentence)) if sentence.constituents else ""
        head = f";;{sentence.sent_id}: {' '.join(tokens)}\n"
        if trees.is_made(sentence) and sentence.sent_id.isdecimal():
            head = ""
        blank = "\n" if head and tree else ""
        return head + (f"{blank}{str(tree).rstrip()}\n" if tree else "")


def _pieces(sentence: Sentence) -> Iterator[str]:
    """Yield brackets, null elements and terminals of a sentence in order."""
    words = [
        (word, i > 0)
        for eojeol in sentence.eojeols
        for token in eojeol.tokens
        for i, word in enumerate(token.words)
    ]
    for (word, glued), edge in zip(words, trees.checked_edges(sentence), strict=True):
        text = trees.escaped(checked_analysis(word.morphemes))
        for bracket in edge.before:
            if bracket[0] == "(" and "/" in bracket:
                raise FormatError(
                    f"the Penn Korean Treebank cannot hold the label {bracket[1:]}: a word with a"
                    " slash is a terminal",
                    code="E301",
                )
        yield from chain(edge.before, [f"{_GLUE}{text}" if glued else text], edge.behind)


def _laid_out(pieces: Iterable[str]) -> str:
    """Return brackets and terminals in lines: the parts of a constituent stand below each other.

    >>> print(_laid_out(["(S", "(NP", "나/NPN", ")", "(VP", "*T*-1", "가/VV", ")", ")"]))
    (S (NP 나/NPN)
       (VP *T*-1
           가/VV))
    """
    lines_out: list[str] = []
    columns: list[int] = []
    """The column of the parts of each open constituent."""
    column = 0
    is_first = True
    for piece in pieces:
        if piece == ")":
            columns.pop()
            lines_out.append(piece)
            column += 1
            is_first = False
            continue
        if columns and not is_first:
            column = min(columns[-1], trees.DEEPEST)
            lines_out.append("\n" + " " * column)
        elif lines_out:
            lines_out.append(" ")
            column += 1
        lines_out.append(piece)
        column += len(piece)
        is_first = piece.startswith("(")
        if is_first:
            columns.append(column + 1)
    return "".join(lines_out)
