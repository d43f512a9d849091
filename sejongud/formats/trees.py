"""The base of the formats of trees, whose readers make a sentence of a tree.

A terminal of a tree is an eojeol or a word of some level. It becomes an eojeol of the sentence
where the tree tells its morphemes. A tree whose terminals are words without morphemes
(`(NNP+JKS 웅가로가)`) has to be attached to a sentence that has them
(`sejongud.converters.trees.attach`).
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError, Note
from sejongud.formats.around import RestoredReader, kept, lost_above
from sejongud.formats.brackets import TOKEN, Notation, Tree, parse, tokens
from sejongud.layers.labels import layer_notes, not_written
from sejongud.layers.matching import align_words
from sejongud.layers.trees import Edge, crossed, edges, is_null, moved, without_nulls, word_ends
from sejongud.model import NOTHING, Constituent, Eojeol, Morpheme, Sentence, Token, Word
from sejongud.morphology.eojeol import MADE, Assembler
from sejongud.morphology.joining import KiwiJoiner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.formats.base import Block
    from sejongud.rules import Rules

SOURCE = "tree_source"
"""The comment that keeps the lines of a tree."""

PLACES = "tree_places"
"""The comment that keeps constituents over morphemes, of which some end inside a word."""

DEEPEST = 1000
"""The greatest indentation of a line: deeper trees would take the square of their depth."""

INSIDE = "E602"
NO_TREE = "E604"

_ESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "*PLUS*": "+",
}  # fmt: skip


_NULLS = Notation(TOKEN, tokens, has_bare_words=True)


class Terminal(NamedTuple):
    """A word of a tree."""

    form: str
    """Its surface; "" if the tree tells its morphemes alone."""
    tag: str = ""
    """The tags of its morphemes, joined by a plus."""
    morphemes: tuple[Morpheme, ...] = ()
    """() if the tree does not tell them."""
    notes: tuple[Note, ...] = ()
    glued: bool = False
    """Whether it belongs to the eojeol of the terminal before it."""


class TreeBlock(NamedTuple):
    """A sentence of a file of trees."""

    terminals: tuple[Terminal, ...]
    constituents: tuple[Constituent, ...]
    """Over the terminals, rather than over morphemes."""
    text: str = ""
    """The text of the sentence, where the file has it beside the tree."""
    comments: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    sentence: Sentence | None = None
    """The sentence of the tree, if the reader has made it already."""


class TreeReader(RestoredReader):
    """Reads a format of trees."""

    whole: bool = False
    """Whether a terminal is one unit with all its tags, whatever its morphemes are."""

    @abstractmethod
    def tree_block(self, block: Block) -> TreeBlock:
        """Return the tree of a block.

        A tree that cannot be read is told in the notes, and its text stands in the comments.

        Raises:
            FormatError: the block has no tree that can be used; with its line.
        """

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block: its terminals are the eojeols.

        Raises:
            FormatError: as `tree_block`, or a terminal has no morphemes.
        """
        tree_block = self.tree_block(block)
        sentence = tree_block.sentence
        if sentence is None:
            sentence = sentence_of(tree_block, self.assembler, whole=self.whole)
        sentence.sent_id = block.sent_id
        sentence.number = block.number
        sentence.comments = (*block.comments, *tree_block.comments)
        return sentence


class TreeWriter:
    """Writes trees over the words of a sentence that has been cut."""

    parting = "\n"

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts of a sentence that have no place in the format."""
        return [*lost(sentence, ""), *lost_above(sentence)]


def sentence_of(tree_block: TreeBlock, assembler: Assembler, *, whole: bool = False) -> Sentence:
    """Return the sentence of a tree, without its id.

    Args:
        tree_block: the tree.
        assembler: builds the eojeols.
        whole: whether a terminal is one unit with all its tags, whatever its morphemes are.

    Raises:
        FormatError: a terminal has no morphemes, or there is no terminal.
    """
    groups: list[list[Terminal]] = []
    for terminal in tree_block.terminals:
        if terminal.glued and groups:
            groups[-1].append(terminal)
        else:
            groups.append([terminal])
    if not groups:
        raise FormatError("this tree has no words", code=NO_TREE)
    eojeols = tuple(map(_whole, groups)) if whole else tuple(_eojeols(assembler, groups))
    sizes: list[int] = []
    for eojeol, group in zip(eojeols, groups, strict=True):
        lengths = [len(terminal.morphemes) or 1 for terminal in group]
        # A reader may add a final symbol to an eojeol.
        sizes += [*lengths[:-1], len(eojeol.morphemes) - sum(lengths[:-1])]
    borders = list(accumulate(sizes, initial=0))
    sentence = Sentence(eojeols, notes=tree_block.notes)
    sentence.constituents = moved(tree_block.constituents, borders)
    if tree_block.text and tree_block.text != sentence.text:
        sentence.text_orig = tree_block.text
    return sentence


def _whole(terminals: Sequence[Terminal]) -> Eojeol:
    """Return the eojeol of a terminal that is one unit with all its tags."""
    [terminal] = terminals
    form, tag = terminal.form, terminal.tag
    unit = Morpheme(form, tag)
    word = Word(form, form, NOTHING, tag or NOTHING, NOTHING, NOTHING, (unit,))
    return Eojeol(form, (unit,), tokens=(Token(form, (word,)),))


def _eojeols(assembler: Assembler, groups: Sequence[Sequence[Terminal]]) -> Iterator[Eojeol]:
    """Yield the eojeols of groups of terminals; Kiwi makes the forms that no text tells.

    Raises:
        FormatError: a terminal does not tell its morphemes.
    """
    morphemes = [_morphemes(assembler, group) for group in groups]
    forms = [group[0].form for group in groups]
    surfaces = forms if all(forms) else _kiwi(assembler.rules).surfaces(morphemes)
    for group, form, surface, own in zip(groups, forms, surfaces, morphemes, strict=True):
        notes = [note for terminal in group for note in terminal.notes]
        if form:
            yield assembler.eojeol(form, own).with_notes(notes)
        else:
            yield assembler.eojeol(surface, own).with_notes((MADE, *notes))


@lru_cache(maxsize=2)
def _kiwi(rules: Rules) -> KiwiJoiner:
    return KiwiJoiner(rules)


def _morphemes(assembler: Assembler, terminals: Sequence[Terminal]) -> list[Morpheme]:
    """Return the morphemes of the terminals of an eojeol.

    Raises:
        FormatError: a terminal does not tell its morphemes.
    """
    morphemes: list[Morpheme] = []
    for form, tag, morphemes_here, _, _ in terminals:
        if not morphemes_here and (not tag or "+" in tag):
            raise FormatError(
                f"the terminal ({tag} {form}) does not tell its morphemes: give the CoNLL-U of the"
                " sentences with --morphemes",
                code="E606",
            )
        morphemes += morphemes_here or [assembler.analysis.morpheme(form, tag, form)]
    return morphemes


def forms_of(
    text: Sequence[str], leaves: Sequence[tuple[Morpheme, ...]], assembler: Assembler
) -> list[str]:
    """Return the surface of each leaf, from a text that may have other words.

    Args:
        text: the words of the text.
        leaves: the morphemes of each leaf.
        assembler: aligns them with the text between words that both sides have.

    Returns:
        The part of the text that a leaf is aligned with, without spaces; "" if there is none.
    """
    if len(text) == len(leaves):
        return list(text)
    joined = ["".join([morpheme.form for morpheme in leaf]) for leaf in leaves]
    forms = [""] * len(leaves)
    for gold, system, match in align_words(text, joined):
        if match:
            forms[system.start] = text[gold.start]
        elif gold and system:
            group = leaves[system.start : system.stop]
            divided = _divided("".join(text[gold.start : gold.stop]), group, assembler)
            forms[system.start : system.stop] = divided or [""] * len(group)
    return forms


def _divided(
    form: str, leaves: Sequence[tuple[Morpheme, ...]], assembler: Assembler
) -> list[str] | None:
    """Divide a text among leaves; None if they do not explain it, or a syllable belongs to two."""
    morphemes = tuple(chain.from_iterable(leaves))
    eojeol = assembler.made(form, morphemes)
    if eojeol.notes or len(eojeol.morphemes) != len(morphemes):
        return None
    ends = list(accumulate(map(len, leaves)))
    begins = [eojeol.spans[i][0] for i in (0, *ends[:-1])]
    if begins[1:] != [eojeol.spans[i - 1][1] for i in ends[:-1]]:
        return None
    return [form[begin:end] for begin, end in zip(begins, [*begins[1:], len(form)], strict=True)]


def checked_edges(sentence: Sentence) -> list[Edge]:
    """Return the brackets around each word of a sentence whose words have been cut.

    Raises:
        FormatError: a constituent begins or ends inside a word.
    """
    ends = word_ends(sentence)
    if (error := inside_error(sentence, ends)) is not None:
        raise error
    return edges(sentence.constituents, ends)


def inside_error(sentence: Sentence, ends: Sequence[int]) -> FormatError | None:
    """Return the error of the first constituent that begins or ends inside a word, if there is one.

    Args:
        sentence: whose words have been cut.
        ends: the place behind the last morpheme of each word.
    """
    for node, index in crossed(sentence.constituents, ends):
        word = list(sentence.words)[index]
        return FormatError(
            f"the constituent {node.label} begins or ends inside word {index + 1}, {word.form}"
            f" ({word.xpos}): take a higher level, or widen it with --on-error keep",
            code=INSIDE,
        )
    return None


def damaged(error: FormatError, line: int) -> Note:
    """Return the note that a tree cannot be read and stands in a comment.

    Args:
        error: the reason.
        line: the number of the first line of the tree, if the error does not know its line.
    """
    kept_as = "" if error.code == NO_TREE else "; the tree is kept as a comment"
    return Note(error.code, f"line {error.line or line}: {error.message}{kept_as}")


def parse_tree(text: str, line: int = 0) -> Tree:
    """Read a tree in brackets, whose null elements may stand without a bracket of their own.

    Args:
        text: its brackets.
        line: the number of its first line in the file, from 1.

    Raises:
        FormatError: the brackets are not balanced, a word has no tag, or a constituent is empty.
    """
    tree = parse(text, line, _NULLS)
    for word, tag in zip(tree.words, tree.tags, strict=True):
        if not tag and not is_null(word):
            message = f"{word} has no tag of its own: write (TAG {word})"
            raise FormatError(message, line=line, code="E601")
        if not word and not is_null(word, tag):
            raise _empty(tag)
    return filled(tree)


def filled(tree: Tree) -> Tree:
    """Return a tree that was read, none of whose constituents is empty.

    Raises:
        FormatError: a constituent has neither words nor null elements.
    """
    for start, end, label in zip(tree.starts, tree.ends, tree.labels, strict=True):
        if start == end:
            raise _empty(label)
    return tree


def _empty(label: str) -> FormatError:
    """Return the error of an empty constituent."""
    return FormatError(
        f"the constituent ({label}) has neither words nor null elements", code="E605"
    )


def lost(sentence: Sentence, source: str = SOURCE) -> list[Note]:
    """Return the incidents of parts that no format of trees has a place for.

    Args:
        sentence: the sentence.
        source: the comment that keeps a tree that could not be read; "" if it is not written.
    """
    has_tree = sentence.constituents or kept(sentence.comments, source)
    treeless = not_written([] if has_tree else ["a sentence without a tree"])
    return [*layer_notes(sentence), *treeless]


def null_elements(sentence: Sentence) -> list[str]:
    """Return the name of null elements if a sentence has some, for formats that have none."""
    layer = sentence.constituents
    return ["null elements"] if len(without_nulls(layer)) < len(layer) else []


def is_made(sentence: Sentence) -> bool:
    """Return whether the text of a sentence was made from its morphemes, so that it is no data."""
    return all([MADE in eojeol.notes for eojeol in sentence.eojeols])


def escaped(word: str) -> str:
    """Return a word as it stands in a tree: a bracket would end it, and so would a space.

    >>> escaped("나(저"), escaped("나 저"), escaped("")
    ('나-LRB-저', '나_저', '_')
    """
    return word.replace("(", "-LRB-").replace(")", "-RRB-").replace(" ", "_") or "_"


def unescaped(word: str) -> str:
    """Return a word of a tree without escapes.

    >>> unescaped("-LRB-"), unescaped("*PLUS*"), unescaped("나-LRB-저")
    ('(', '+', '나(저')
    """
    for escape, char in _ESCAPED.items():
        if escape in word:
            word = word.replace(escape, char)
    return word
