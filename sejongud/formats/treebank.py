"""Two treebanks whose trees stand in lines of text: the Sejong treebank and that of the Sinica."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError, Note
from sejongud.formats import trees
from sejongud.formats.around import lost_above, restore_comments, with_lines_around
from sejongud.formats.base import Block, first_lines, mostly, numbered
from sejongud.formats.brackets import CLOSE, LEAF, OPEN, STRAY, BracketToken, Notation, parse
from sejongud.formats.labelled import LINE, line_blocks
from sejongud.formats.penn import treebank_of
from sejongud.formats.trees import Terminal, TreeBlock, TreeReader, TreeWriter
from sejongud.layers.labels import not_written
from sejongud.layers.trees import constituents, edges, without_nulls
from sejongud.memo import Memo, lazy_pattern
from sejongud.morphology.eojeol import Assembler, checked_analysis, write_analysis
from sejongud.rules import Rules, load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.levels.cut import Granularity
    from sejongud.model import Constituent, Eojeol, Sentence


_NAME = "treebank"
_TEXT = ";"
_LABEL = "W605"

# A bracket of the tree has a label and something behind it; a bracket of the text has a tag.
_INNER = r"\([A-Za-z][^\s()/+]*[\s+]"
# A leaf ends before the next bracket of the tree, so that no leaf is sought in the rest of a line.
_INSIDE = rf"(?:[^\n(]|(?!{_INNER})\()"
_LEAF = (
    r"\((?P<label>[A-Za-z][^\s()/+]*)(?P<glue>[ \t]+|\+)"
    rf"(?!{_INNER})(?P<analysis>\S{_INSIDE}*?/[A-Za-z][\w?\"-]*(?:[ \t]*\+)?)"
    rf"(?:[ \t]*(?P<close>\))(?=[\s)]|$|{_INNER})|(?=[ \t]*(?:\n|$)))"
)
_LEAF_PARTS = re.compile(_LEAF)
_SEJONG = re.compile(re.sub(r"\?P<\w+>", "?:", _LEAF) + r"|\([^\s()]*|\)|[^\s()]+")


def _take_apart(text: str) -> BracketToken:
    if text == ")":
        return BracketToken(CLOSE, "", "")
    if leaf := _LEAF_PARTS.fullmatch(text):
        return BracketToken(LEAF if leaf["close"] else STRAY, leaf["label"], leaf["analysis"])
    return BracketToken(OPEN, text[1:], "") if text[0] == "(" else BracketToken(STRAY, "", text)


_tokens: Memo[str, BracketToken] = Memo(_take_apart, size=1 << 15)


class _Lines(NamedTuple):
    """The lines of a block."""

    before: str
    text: str
    """The line of the text without its mark; "" if there is none."""
    has_text: bool
    tree: str
    behind: str
    line: int
    """The number of the first line of the tree."""


def _constituents(lines: _Lines) -> tuple[Constituent, ...]:
    """Return the constituents of a tree, over its leaves.

    Raises:
        FormatError: there is no tree, its brackets are not balanced, or a constituent is empty.
    """
    if not lines.tree:
        raise FormatError(
            "there is no tree below this text", line=lines.line - 1, code=trees.NO_TREE
        )
    try:
        tree = parse(lines.tree, lines.line, Notation(_SEJONG, _tokens))
    except FormatError:
        # A leaf whose bracket is lost explains the fault better.
        for token in _SEJONG.finditer(lines.tree):
            leaf = _LEAF_PARTS.fullmatch(token[0])
            if leaf is not None and not leaf["close"]:
                line = lines.line + lines.tree.count("\n", 0, token.start())
                message = f"the bracket of {token[0]} is not closed"
                raise FormatError(message, line=line, code="E601") from None
        raise
    return constituents(trees.filled(tree), range(1, len(tree.words) + 1), tags_too=True)


class TreebankReader(TreeReader):
    r"""The Sejong treebank as distributed (files BG): the text of a sentence and its tree below.

        ; 엠마누엘 웅가로 /
        (NP	(NP	(NP 엠마누엘/NNP)
                    (NP 웅가로/NNP))
            (X //SP))

    A leaf is an eojeol; quotes and brackets stand alone, in leaves L and R. Brackets of the text
    are not escaped: `(L (/SS)`. Lines before the first sentence (the header) and between sentences
    are kept in comments (`sejongud.formats.around`), as is the text of a tree that would not come
    back so. Many copies of the treebank lack the lines of text. Kiwi makes the text of their trees,
    and none is written for them. A tree whose brackets are not balanced is told; its leaves are the
    eojeols of a sentence without constituents.
    """

    restored = _NAME

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if a tree with tagged leaves follows a line of text, or has Sejong's tags."""
        lines = first_lines(head)
        for i, (above, line) in enumerate(pairwise(lines)):
            is_text = above.startswith(_TEXT) and not above.startswith(2 * _TEXT)
            if is_text and line.startswith("("):
                # Trees of parsers may have such comments above them.
                return "" if _LEAF_PARTS.search("\n".join(lines[i + 1 : i + 20])) else None
        return "" if treebank_of(head) == "treebank" else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences, each with all lines up to the next; the first has those before."""
        return numbered(_texts(chunks))

    def tree_block(self, block: Block) -> TreeBlock:
        """Return the tree of a block.

        Raises:
            FormatError: the block has no tree.
        """
        lines = _lines(block)
        if not lines.tree and not lines.text.strip():
            raise FormatError("there is no tree", line=lines.line, code=trees.NO_TREE)
        return self.read_lines(lines)

    def read_lines(self, lines: _Lines) -> TreeBlock:
        """Return the tree of the lines of a sentence, with comments that bring the lines back."""
        notes = []
        layer: tuple[Constituent, ...] = ()
        terminals: tuple[Terminal, ...] = ()
        try:
            layer = _constituents(lines)
        except FormatError as error:
            notes.append(trees.damaged(error, lines.line))
        if leaves := _matches(lines.tree):
            terminals = self._terminals(lines, leaves, notes)
        else:
            unknown = self.assembler.rules.unknown_tag
            terminals = tuple([Terminal(word, unknown) for word in lines.text.split()])
        text = " ".join(lines.text.split())
        tree_block = TreeBlock(terminals, layer, text, (), tuple(notes))
        sentence = trees.sentence_of(tree_block, self.assembler) if layer else None
        comments = self._restore_comments(lines, sentence)
        return tree_block._replace(comments=comments, sentence=sentence)

    def _terminals(
        self, lines: _Lines, matches: Sequence[re.Match[str]], notes: list[Note]
    ) -> tuple[Terminal, ...]:
        """Return the leaves of a tree, with their surface as the text has it."""
        words = lines.text.split()
        analyses = []
        for leaf in matches:
            morphemes, more = self.assembler.analysis.parse(leaf["analysis"], "")
            if leaf["glue"] == "+":
                message = f"the label of ({leaf['label']}+{leaf['analysis']}) is glued to its leaf"
                more = (Note(_LABEL, message), *more)
            analyses.append((morphemes, more))
        if lines.has_text and len(words) != len(matches):
            message = f"the text has {counted(len(words), 'eojeol[s]')} and the tree"
            notes.append(Note("W604", f"{message} {counted(len(matches), 'lea[f|ves]')}"))
        leaves = [morphemes for morphemes, _ in analyses]
        forms = (
            trees.forms_of(words, leaves, self.assembler) if lines.has_text else [""] * len(leaves)
        )
        terminals = []
        for leaf, form, (morphemes, more) in zip(matches, forms, analyses, strict=True):
            if form:
                # The surface tells a stray plus from a real one.
                morphemes, again = self.assembler.analysis.parse(leaf["analysis"], form)
                more = (*[note for note in more if note.code == _LABEL], *again)
            terminals.append(Terminal(form, "", morphemes, more))
        return tuple(terminals)

    def _restore_comments(self, lines: _Lines, sentence: Sentence | None) -> tuple[str, ...]:
        """Return the comments without which the lines of a sentence would not come back."""
        source = f"{_TEXT}{lines.text}{lines.tree}" if lines.has_text else lines.tree
        if sentence is not None and written(sentence, unlabelled(self.assembler.rules)) == source:
            source = ""
        return restore_comments(_NAME, lines.before, source, lines.behind)


def _texts(chunks: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of each sentence as one text, with the number of the first line."""
    lines: list[str] = []
    first = 1
    open_brackets = 0
    begun = has_text = has_tree = ended = False
    for line, number, *_ in line_blocks(chunks):
        is_text = line.startswith(_TEXT)
        is_tree = line.startswith("(")
        # A tree without a text ends where its brackets do, or, if one is lost, where its
        # indentation does.
        if is_tree and has_tree and not has_text and not ended:
            ended = lines[-1][0] in " \t" or not open_brackets
        # A second text, or a tree behind a blank line, is another sentence.
        if (is_text and begun) or (is_tree and ended):
            yield first, "".join(lines)
            lines, first, open_brackets = [], number, 0
            has_text = has_tree = ended = False
        begun = begun or is_text or is_tree
        has_text = has_text or is_text
        has_tree = has_tree or is_tree
        ended = ended or (has_tree and _ends_tree(line))
        lines.append(line)
        if not (has_text or is_text):
            kinds = [_tokens[token].kind for token in _SEJONG.findall(line)]
            open_brackets += kinds.count(OPEN) - kinds.count(CLOSE)
    if lines:
        yield first, "".join(lines)


def _ends_tree(line: str) -> bool:
    """Whether a line ends the tree above it: blank lines and markup do."""
    return not line.strip() or line.startswith("<")


def _lines(block: Block) -> _Lines:
    """Return the lines of a block by their kind."""
    lines = LINE.findall(block.text)
    starts = [i for i, line in enumerate(lines) if line.startswith((_TEXT, "("))]
    begin = starts[0] if starts else len(lines)
    has_text = begin < len(lines) and lines[begin].startswith(_TEXT)
    tree = begin + has_text
    end = tree
    while end < len(lines) and not _ends_tree(lines[end]):
        end += 1
    return _Lines(
        "".join(lines[:begin]),
        lines[begin].removeprefix(_TEXT) if has_text else "",
        has_text,
        "".join(lines[tree:end]),
        "".join(lines[end:]),
        block.line + tree,
    )


def _matches(tree: str) -> list[re.Match[str]]:
    """Return the leaves of a tree, whatever its brackets are."""
    matches = (_LEAF_PARTS.fullmatch(token) for token in _SEJONG.findall(tree))
    return [leaf for leaf in matches if leaf is not None]


# --- writing --------------------------------------------------------------------------------------


def unlabelled(rules: Rules) -> str:
    """Return the label of a leaf that has no label of its own."""
    return rules.first_row("tree-labels", "class", "leaf")["label"]


def written(sentence: Sentence, label: str) -> str:
    """Return the lines of a sentence with constituents, as the treebank lays them out.

    Args:
        sentence: with constituents.
        label: of leaves that have no label of their own.

    Raises:
        FormatError: a tag or the label of a leaf is none of the treebank.
    """
    ends, texts, analyses = _pieces(sentence)
    lines = [] if trees.is_made(sentence) else [f"{_TEXT} {' '.join(texts)}\n"]
    depth = 0
    layer = without_nulls(sentence.constituents)
    for edge, analysis in zip(edges(layer, ends), analyses, strict=True):
        # The innermost bracket is the leaf's own, if it opens and closes at the leaf.
        is_own = bool(edge.before and edge.behind)
        opening = [] if is_own else [f"({label}"]
        brackets = "\t".join([*edge.before, *opening])
        _check_leaf(brackets.rpartition("(")[2], analysis)
        closing = "".join([*[")" for _ in opening], *edge.behind])
        indent = "\t" * min(depth, trees.DEEPEST)
        lines.append(f"{indent}{brackets} {analysis}{closing}\n")
        depth += len(edge.before) - len(edge.behind)
    return "".join(lines)


def _check_leaf(label: str, analysis: str) -> None:
    """Check that the leaf of a tree can be read again.

    Raises:
        FormatError: its label is none of the Sejong treebank.
    """
    leaf = _LEAF_PARTS.fullmatch(f"({label} {analysis})")
    if leaf is None or leaf.group("label", "analysis") != (label, analysis):
        raise FormatError(
            f"the Sejong treebank cannot hold the leaf ({label} {analysis}): a label begins with a"
            " letter and has neither / nor +, an analysis ends in a slash and a tag",
            code="E301",
        )


def _pieces(sentence: Sentence) -> tuple[list[int], list[str], list[str]]:
    """Return the leaves of a sentence: their ends in morphemes, surfaces and analyses.

    A leaf is an eojeol, or less where a constituent begins or ends inside an eojeol.
    """
    borders = {place for node in sentence.constituents for place in (node.start, node.end)}
    ends: list[int] = []
    texts: list[str] = []
    analyses: list[str] = []
    offset = 0
    for eojeol in sentence.eojeols:
        start = begin = 0
        count = len(eojeol.morphemes)
        for end in range(1, count + 1):
            if end < count and offset + end not in borders:
                continue
            stop = len(eojeol.form) if end == count else eojeol.spans[end][0]
            morphemes = eojeol.morphemes[start:end]
            ends.append(offset + end)
            texts.append(eojeol.form[begin:stop])
            analyses.append(checked_analysis(morphemes, spaced=True, surface=eojeol.form))
            start, begin = end, stop
        offset += count
    return ends, [text for text in texts if text], analyses


class TreebankWriter:
    """Writes the Sejong treebank.

    Args:
        granularity: supplies the tables.
    """

    parting = "\n"

    def __init__(self, granularity: Granularity) -> None:
        self._reader = TreebankReader(Assembler(granularity.rules))
        self._label = unlabelled(granularity.rules)

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts of a sentence that the treebank has no place for."""
        parts = [*["dependencies"] * (sentence.arcs is not None), *trees.null_elements(sentence)]
        return [*not_written(parts), *trees.lost(sentence), *lost_above(sentence)]

    def sentence(self, sentence: Sentence) -> str:
        """Return the lines of a sentence, with the lines of the file around it."""

        def text(source: str | None) -> str:
            if source is not None and self._says_the_same(source, sentence):
                return source
            return written(sentence, self._label) if sentence.constituents else ""

        return with_lines_around(sentence.comments, _NAME, text)

    def _says_the_same(self, source: str, sentence: Sentence) -> bool:
        """Whether lines of a file still have the tree and the morphemes of a sentence."""
        lines = _lines(Block(source, 1, 1, ""))
        try:
            tree_block = self._reader.read_lines(lines)
            stated = tree_block.sentence or trees.sentence_of(tree_block, self._reader.assembler)
        except FormatError:
            # The damaged text of a tree without words has no tree either.
            return not sentence.constituents
        return stated.constituents == sentence.constituents and (
            [_analysis(e) for e in stated.eojeols] == [_analysis(e) for e in sentence.eojeols]
        )


def _analysis(eojeol: Eojeol) -> str:
    return write_analysis(eojeol.morphemes)


PHRASE, SINICA_WORD, PHRASE_END = range(3)
"""The kinds of the parts of a tree."""
_PHRASE = lazy_pattern(r"(?:([^:()|]+):)?([^:()|]+)\(")
_WORD = lazy_pattern(r"(?:([^:()|]+):)?([^:()|]+):([^()|]+)")
_LINE = lazy_pattern(r"(?:#(\S+)\s+)?(.*?)(?:(?<=\))#.*)?")
_SINICA = "sinica"
_TREE = lazy_pattern(r"(?:#\S+\s+)?[^\s:()|]+\((?:[^:()|]+:)?[^:()|]+[:(].*\)(?:#.*)?\s*$")


def parts(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the parts of a tree: kind, role, label or tag, word; spaces in the tree mean nothing.

    Args:
        text: the tree: `label(…|…)`, words as `tag:word`, with `role:` before either.

    Raises:
        FormatError: it is not a tree.
    """
    text = "".join(text.split())
    place = depth = 0
    between = False  # whether a phrase or a word has just ended
    while place < len(text):
        if between and depth and text[place] in "|)":
            between = text[place] == ")"
            if between:
                depth -= 1
                yield PHRASE_END, "", "", ""
            place += 1
        elif not between and (match := _PHRASE.match(text, place)):
            depth += 1
            yield PHRASE, match[1] or "", match[2], ""
            place = match.end()
        elif not between and depth and (match := _WORD.match(text, place)):
            yield SINICA_WORD, match[1] or "", match[2], match[3]
            between = True
            place = match.end()
        else:
            wanted = "| or )" if depth else "the end of the line"
            wanted = wanted if between else "label(…) or tag:word"
            raise _error(f"expected {wanted} here", text, place)
    if depth or not between:
        raise _error(f"closing brackets are missing: {depth}", text, place)


def _error(message: str, text: str, place: int) -> FormatError:
    return FormatError(message, column=place + 1, text=text, code="E603")


def tree_of(line: str) -> str:
    """Return the tree of a line, without its number and the mark behind it.

    >>> tree_of("#1:1.[0] S(Head:VC:笑)#。(PERIODCATEGORY)")
    'S(Head:VC:笑)'
    """
    match = _LINE.fullmatch(line.strip())
    return match[2] if match else line


def simplified(text: str) -> str:
    """Return a tree as the training data of SIGHAN 2012 have it.

    >>> simplified("S(theme:NP(Head:Nba:西遊記)|Head:V_11:是)")
    'S(theme:NP(Nb:西遊記)|Head:V_11:是)'
    """
    tags = {row["prefix"]: row["tag"] for row in load().table("sinica-tags")}
    out = ""
    depth = 0
    for kind, role, label, word in parts(text):
        if kind != PHRASE_END and out and out[-1] != "(":
            out += "|"
        shown = f"{role}:" if role and depth == 1 else ""
        if kind == PHRASE:
            out += f"{shown}{label}("
            depth += 1
        elif kind == SINICA_WORD:
            prefixes = [label[:end] for end in range(len(label), 0, -1)]
            tag = next((tags[prefix] for prefix in prefixes if prefix in tags), label)
            out += f"{shown}{tag}:{word}"
        else:
            out += ")"
            depth -= 1
    return out


class SinicaReader(TreeReader):
    """Trees of the Sinica Treebank: a tree a line, roles and labels before the brackets.

        #1:1.[0] S(agent:NP(Head:Nba:西遊記)|Head:V_11:是|range:NP(…))#。(PERIODCATEGORY)
        S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(DM:一則|Na:廣告))

    The label of a constituent and the tag of a word keep their role: `agent:NP`, `Head:VC`. Spaces
    in a tree mean nothing. A line with anything but its tree rides in a comment (`sinica_source`),
    and so do blank lines and the layout of the file (`sejongud.formats.around`).

    The training data of SIGHAN 2012, Task 4, are simplified (Tseng, Lee and Yu 2012, Section 3):
    tags are those of rules/sinica-tags.tsv, and only the top level keeps its roles.
    """

    restored = _SINICA

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if most lines are such trees."""
        lines = first_lines(head)[:-1] or first_lines(head)
        return "" if mostly([_TREE.match(line) is not None for line in lines]) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the lines with a tree, each with the blank lines around it."""
        text = ""
        first = number = 0
        for line, at, *_ in line_blocks(chunks):
            if line.strip():
                if number:
                    yield Block(text, first, number, str(number))
                    text = ""
                first = at
                number += 1
            text += line
        if number:
            yield Block(text, first, number, str(number))

    def tree_block(self, block: Block) -> TreeBlock:
        """Return the tree of a line; see `TreeReader.tree_block`."""
        line = block.text.strip()
        before, _, behind = block.text.partition(line)
        text = tree_of(line)
        brackets = []
        for kind, role, label, word in parts(text):
            label = f"({role}:{label}" if role else f"({label}"
            brackets.append({PHRASE: label, SINICA_WORD: f"{label} {word})", PHRASE_END: ")"}[kind])
        tree = parse(" ".join(brackets), block.line)
        source = "" if line == "".join(text.split()) else line
        comments = restore_comments(_SINICA, before, source, behind)
        layer = constituents(tree, range(1, len(tree.words) + 1))
        return TreeBlock(tuple(map(Terminal, tree.words, tree.tags)), layer, "", comments)


class SinicaWriter(TreeWriter):
    """Writes trees of the Sinica Treebank.

    Args:
        simplify: whether trees are simplified as for SIGHAN 2012.
    """

    def __init__(self, *, simplify: bool = False) -> None:
        self._simplify = simplify

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts of a sentence that the treebank has no place for."""
        return [*not_written(trees.null_elements(sentence)), *super().loses(sentence)]

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence; a blank line for a sentence without a tree.

        Raises:
            FormatError: a constituent ends inside a word.
        """
        bare = sentence.but(constituents=without_nulls(sentence.constituents))
        if not bare.constituents:
            return "\n"
        out = ""
        for word, edge in zip(sentence.words, trees.checked_edges(bare), strict=True):
            out += "|" if out and out[-1] != "(" else ""
            out += "".join([f"{part[1:]}(" for part in edge.before])
            out += f"{word.xpos}:{word.form}{')' * len(edge.behind)}"
        _check_words(out, bare)
        tree = simplified(out) if self._simplify else out

        def line(source: str | None) -> str:
            if source is None or "".join(tree_of(source).split()) != out:
                return tree
            return source.replace(tree_of(source), tree) if self._simplify else source

        return with_lines_around(sentence.comments, _SINICA, line)


def _check_words(tree: str, sentence: Sentence) -> None:
    """Check that a tree that was written can be read again.

    Raises:
        FormatError: it has several roots, or a word has signs of the Sinica Treebank.
    """
    try:
        found = [part for part in parts(tree) if part[0] == SINICA_WORD]
    except FormatError:
        found = []
    tagged = [(f"{role}:{tag}" if role else tag, word) for _, role, tag, word in found]
    if tagged != [(word.xpos, word.form) for word in sentence.words]:
        raise FormatError(
            f"the Sinica Treebank cannot hold {tree}: it has a single root, and no bracket, colon,"
            " | or space in a word",
            code="E301",
        )
