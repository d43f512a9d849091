"""Read sentences of CoNLL-U: our own files of any level, and UD treebanks.

Tokens joined by `SpaceAfter=No` make an eojeol. A sentence keeps the tokens as they were read.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Literal

from sejongud.errors import FormatError, Note
from sejongud.formats.base import (
    Block,
    Reader,
    SentIds,
    data_rows,
    first_lines,
    id_notes,
    stated_id,
    text_blocks,
)
from sejongud.formats.conllu.layers import BEFORE, BEHIND, comment_of
from sejongud.formats.conllu.plus import (
    PLUS,
    give_cells,
    layer_columns,
    other_columns,
    without_columns,
)
from sejongud.formats.conllu.rows import (
    DEPREL,
    DEPS,
    RANGE_REST,
    Rows,
    governors,
    heads_of,
    mended,
    parse,
    plain_columns,
    split_comments,
)
from sejongud.formats.conllu.tokens import TokenReader, eojeols_of
from sejongud.formats.misc import (
    KEPT,
    LABEL_KEY,
    SURFACE_MADE,
    at_positions,
    escape_misc,
    feats_label,
    label_key,
    other_items,
    range_items,
    unescape_misc,
)
from sejongud.layers.arcs import ROOT, UNSPECIFIED, chain_of
from sejongud.layers.labels import OUTSIDE, not_written, spread
from sejongud.levels.heads import UNKNOWN
from sejongud.memo import Memo, lazy_pattern
from sejongud.model import (
    NO_OCCURRENCE,
    NOTHING,
    Arcs,
    Eojeol,
    Header,
    Labels,
    Sentence,
    Token,
    Word,
)
from sejongud.morphology.eojeol import MADE, Assembler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


_REMEMBERED = 48_000
_WORD_LINE = lazy_pattern(r"\n[^#]")
_DAMAGED = lazy_pattern(
    r"1(-\d+)?\t([^\t\n]*\t){6}.*(\n[12][\t.-]|\Z)"
    r"|1(-\d+)?( +\S+){2} +([A-Z]+|_)( +\S+){2} +(\d+|_) "
)
"""Numbered rows with some columns too few or too many, or with blanks for tabs: no other format has
so many behind an ID."""


class ConlluReader(Reader):
    """Reads CoNLL-U.

    Args:
        assembler: builds the eojeols.
        keep: has no effect; `mended` tells what can be read of a faulty sentence.
        heads: "tree" if the words of a sentence must be a tree, "any" if their arcs are wanted
            whatever they are; "" keeps a chain (`--deps dummy`), which makes no treebank.
        aligned: whether the morphemes of an eojeol are aligned with its surface, as they must be to
            cut it anew at a level.
        whole: whether a file must end with a blank line; one that does not may be cut short.
    """

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if a row has ten columns, or if there is nothing but comments.

        Rows whose tabs have become spaces, and rows with tabs at the end, are known too: they are
        an error, and no raw text.

        >>> ConlluReader.sniff("1\t의" + "\t_" * 8 + "\n"), ConlluReader.sniff("# a note\n")
        ('', '')
        >>> [ConlluReader.sniff(f"1{by}의{f'{by}_' * 8}{by}\n") for by in " \t"]
        ['', '']
        """
        rows = data_rows(head)
        tabs = {text.count("\t") for row in rows for text in (row, row.rstrip("\t"))}
        if head.startswith("# global.columns") or 9 in tabs:
            return ""
        if rows and _DAMAGED.match("\n".join(rows[:2])):
            return ""
        if other_columns(head):
            return ""
        lines = first_lines(head)
        commented = not lines or any([line.startswith("# ") for line in lines])
        return "" if commented and not rows else None

    def __init__(
        self,
        assembler: Assembler,
        *,
        keep: bool = False,
        heads: Literal["", "any", "tree"] = "",
        aligned: bool = True,
        whole: bool = False,
    ) -> None:
        super().__init__(assembler, keep=keep)
        self._heads = heads
        self.is_aligned = aligned
        self._whole = whole
        self._tokens = TokenReader(assembler)
        self._eojeols: Memo[tuple[Token, ...], Eojeol] = Memo.of(
            self, ConlluReader._eojeol, size=_REMEMBERED
        )
        kind = assembler.rules.kind
        self._says_more: Memo[Token, bool] = Memo(
            lambda token: says_more(token, kind), size=_REMEMBERED
        )

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Frame the blocks between blank lines; comments alone go along with a sentence."""
        apart: list[tuple[int, str]] = []
        last = None
        for block in self._blocks(chunks, apart):
            if last is not None:
                yield last
            last = block
        if last is None:
            # Comments are no corpus.
            yield from [Block(text, line, n, str(n)) for n, (line, text) in enumerate(apart, 1)]
        else:
            yield _with_apart(last, BEHIND, apart)

    def _blocks(self, chunks: Iterable[str], apart: list[tuple[int, str]]) -> Iterator[Block]:
        """Yield the blocks that have words; `apart` holds the comments behind the last of them."""
        ids = SentIds()
        columns: tuple[str, ...] = ()
        if self._whole:
            chunks = _ended(chunks)
        number = 0
        for index, (line, text) in enumerate(text_blocks(chunks)):
            if index == 0:
                columns = layer_columns(text, line)
            if text[0] == "#" and not _WORD_LINE.search(text):
                apart.append((line, text))
                continue
            number += 1
            sent_id = stated_id(text)
            notes: tuple[tuple[int, str, str], ...] = ()
            if self.is_aligned:
                stated = sent_id
                sent_id = ids.of(stated, number)
                notes = id_notes(stated, sent_id, text, line)
            elif index == 0 and text.removeprefix("#").lstrip().startswith(PLUS):
                # The columns of another file are written.
                line, text = line + 1, text.partition("\n")[2]
            # A NamedTuple's own constructor takes twice as long.
            # A sentence whose morphemes are not aligned is written with the comments that it has.
            cells = (text, line, number, sent_id or str(number), columns, notes, "", None)
            block = tuple.__new__(Block, cells)
            before, apart[:] = apart[:], []
            yield _with_apart(block, BEFORE, before) if before else block

    def rows(self, block: Block) -> Rows:
        """Return the columns of a block; the labels of CoNLL-U Plus stand in MISC.

        Raises:
            FormatError: with its line.
        """
        text = block.text
        if block.comments:
            text = without_columns(text, block.comments, block.sent_id)
        return parse(text, block.line)

    def mended(self, block: Block) -> tuple[Block, list[FormatError]]:
        """Return a block with `_` for cells that cannot be read; see `Reader.mended`."""
        # Columns of CoNLL-U Plus have other widths.
        text, errors = (block.text, []) if block.comments else mended(block.text, block.line)
        return block._replace(text=text), errors

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block."""
        rows = self.rows(block)
        tokens = self._tokens.tokens(rows)
        known = self._eojeols
        eojeols = []
        start = 0
        for at, token in enumerate(tokens, 1):
            if token.space_after or at == len(tokens):
                eojeols.append(known[tuple(tokens[start:at])])
                start = at
        sentence = Sentence(tuple(eojeols), block.sent_id, number=block.number)
        said = [eojeol.occurrence for eojeol in eojeols]
        if said.count(NO_OCCURRENCE) < len(said):
            if any([corpus_id for corpus_id, _ in said]):
                sentence.ids = tuple([corpus_id for corpus_id, _ in said])
            if any([labels for _, labels in said]):
                layers = zip_longest(*[labels for _, labels in said], fillvalue=())
                sentence.entities = tuple(layers)
        self._add_arcs(sentence, tokens, rows)
        filled = [r.cells[0] for r in rows.ranges if {*r.cells[2:5], *r.cells[6:9]} != {NOTHING}]
        if filled:
            kept = "a range has FORM, FEATS and MISC alone"
            sentence.notes = tuple(not_written([f"other columns of {', '.join(filled)}: {kept}"]))
        if self.is_aligned:
            add_comments(sentence, rows.header, block)
        else:
            sentence.header = Header(rows.header, block.sent_id, (), "")
        if block.comments:
            give_cells(sentence, block.text, block.comments)
        if block.item:
            sentence.comments = (*sentence.comments, *block.item)
            if sentence.header is not None:
                sentence.header = sentence.header._replace(comments=sentence.comments)
        return sentence

    def keys(self, block: Block, *, by_eojeol: bool = False) -> tuple[list[Any], str, Arcs] | None:
        """Return the lines of each token of a block, its comment lines and its arcs.

        With `by_eojeol`, the lines of each eojeol: one line, or those of its tokens.

        Returns None for a block with anything else, for one whose comments would not be written as
        they are, and for ranges if morphemes are aligned: only a whole sentence tells their source.
        """
        if block.comments or block.other or block.item:
            return None
        header, body = split_comments(block.text)
        if self.is_aligned and RANGE_REST in body:
            return None
        columns = plain_columns(body)
        if columns is None:
            return None
        found, governing, deprels, ranges = columns
        if self.is_aligned and ranges:  # A range may have FEATS, Typo=Yes.
            return None
        lines: list[Any] = list(found)
        for begin, end in reversed(ranges):
            lines[begin:end] = [found[begin:end]]
        heads = heads_of(governing, trees=self._heads == "tree")
        if heads is None or (self.is_aligned and not _has_header(header, block.sent_id)):
            return None
        if self.is_aligned and not self._heads and _is_chain(heads, deprels):
            return None
        return eojeols_of(lines) if by_eojeol else lines, header, Arcs(heads, deprels)

    def tree(self, lines: Any) -> Eojeol:
        """Return the eojeol of lines as `keys` returns them, not remembered.

        Raises:
            FormatError: it cannot be built.
        """
        if self.is_aligned and not isinstance(lines[0], str):
            # The marks around words are the same everywhere.
            return self._eojeol(tuple(map(self._tokens.known, lines)))
        return self._eojeol((self._tokens.token(lines),))

    def _add_arcs(self, sentence: Sentence, tokens: Sequence[Token], rows: Rows) -> None:
        """Give a sentence its dependencies; those of `--deps dummy` make no treebank of it."""
        heads = governors(rows, trees=self._heads == "tree")
        deprels = tuple(rows.columns[DEPREL])
        deps: tuple[str, ...] = ()
        if rows.columns[DEPS].count(NOTHING) < len(heads):
            deps = tuple(rows.columns[DEPS])
        if not (deps or rows.nodes or self._heads) and _is_chain(heads, deprels):
            sentence.is_treebank = any(map(self._says_more.__getitem__, tokens))
            if max(heads) < 0:
                return
        else:
            sentence.is_treebank = True
        sentence.arcs = Arcs(heads, deprels, deps, rows.nodes)

    def opening(self, block: Block) -> tuple[str, ...]:
        """Return the comments of a block that say which document begins with it."""
        return tuple([line[2:] for line in block.text.split("\n") if line.startswith("# newdoc")])

    def lines(self, block: Block) -> list[int]:
        """Return the first line of each eojeol of a block."""
        rows = self.rows(block)
        lines = rows.line_numbers()
        ranges = {first: cells[0] for first, _, cells in rows.ranges}
        starts = []
        word = 1
        begins = True
        for token in self._tokens.tokens(rows):
            if begins:
                starts.append(lines[ranges.get(word, str(word))])
            begins = token.space_after
            word += len(token.words)
        return starts

    def _eojeol(self, tokens: tuple[Token, ...]) -> Eojeol:
        """Return the eojeol of some tokens, aligned with its surface if that is wanted."""
        form = "".join([token.form for token in tokens])
        words = [word for token in tokens for word in token.words]
        morphemes = tuple(chain.from_iterable([word[6] for word in words]))
        if not self.is_aligned:
            notes = tuple([note for token in tokens for note in token.notes])
            # Labels in FEATS stay there.
            in_feats = any([feats_label(word.feats) for word in words])
            place = NO_OCCURRENCE if in_feats else _said(tokens, len(morphemes))
            return Eojeol(form, morphemes, None, notes, tokens, place)
        # Nobody else has this eojeol yet.
        eojeol = self.assembler.made(form, morphemes, completes=False)
        for token in reversed(tokens):
            if token.notes:
                eojeol.notes = (*token.notes, *eojeol.notes)
            if KEPT in token.misc or SURFACE_MADE in token.misc:
                eojeol.notes = (*_kept_notes(token), *eojeol.notes)
        eojeol.tokens = tokens
        eojeol.occurrence = _said(tokens, len(eojeol.morphemes))
        return eojeol


def _has_header(header: str, sent_id: str) -> bool:
    """Whether comment lines have a text, and this id and no other."""
    said = f"# sent_id = {sent_id}\n"
    return said in header and header.count("sent_id = ") == 1 and "# text = " in header


def _kept_notes(token: Token) -> Iterator[Note]:
    """Iterate over the notes that MISC of a token says an eojeol had when it was written."""
    for item in token.misc.split("|"):
        if item == SURFACE_MADE:
            yield MADE
        elif item.startswith(f"{KEPT}=E"):
            message = f"{token.form} was kept as it is when it was first read"
            yield Note(item.partition("=")[2], message)


def says_more(token: Token, kind: Callable[[str], str]) -> bool:
    """Whether a token has columns of a treebank's own, which its morphemes do not tell.

    These are FEATS, items of MISC, and a UPOS that no XPOS tells, or none with a tag of known kind;
    also a UPOS of several morphemes that no `MSeg` tells, which words of our own levels have.
    """
    if len(token.words) > 1 and (token.feats != NOTHING or range_items(token)):
        return True
    return any([_word_says_more(word, kind) for word in token.words])


def _word_says_more(word: Word, kind: Callable[[str], str]) -> bool:
    """Whether a word has such columns; see `says_more`."""
    if word.feats != NOTHING and not feats_label(word.feats):
        return True
    if word.misc != NOTHING and other_items(word):
        return True
    if word.upos in (NOTHING, UNKNOWN):
        return False
    is_joined = len(word.morphemes) > 1 and "MSeg=" not in word.misc
    return is_joined or word.xpos == NOTHING or not any([kind(m.tag) for m in word.morphemes])


def _is_chain(heads: Sequence[int], deprels: Sequence[str]) -> bool:
    """Whether there are no dependencies, or only those of `--deps dummy`."""
    if max(heads) < 0:
        return set(deprels) <= {NOTHING}
    arcs = Arcs(tuple(heads), tuple(deprels))
    return set(deprels) <= {ROOT, UNSPECIFIED} and arcs == chain_of(len(heads))


def _with_apart(block: Block, place: str, blocks: Sequence[tuple[int, str]]) -> Block:
    """Return a block with blocks of comments that have no sentence, each told."""
    texts = []
    notes = []
    for line, text in blocks:
        names_columns = text.removeprefix("#").lstrip().startswith(PLUS)
        if kept := text.partition("\n")[2] if names_columns else text:
            texts.append(kept)
            message = "comments without a sentence, kept at their place"
            notes.append((line + names_columns, "W212", message))
    if not texts:
        return block
    return block._replace(
        notes=(*notes, *block.notes), item=(*(block.item or ()), comment_of(place, texts))
    )


def add_comments(sentence: Sentence, header: str, block: Block) -> None:
    """Give a sentence what its comment lines say."""
    text = sent_id = ""
    kept = []
    for raw in header.split("\n")[:-1]:
        comment = raw[1:].removeprefix(" ")
        if comment.startswith("text = "):
            text = comment[7:]
        elif comment.startswith("text_orig = "):
            sentence.text_orig = comment[12:]
        elif comment.startswith("sent_id = "):
            sent_id = comment[10:].strip()
        else:
            kept.append(comment)
    sentence.comments = tuple(kept)
    if text and not sentence.text_orig and text != sentence.text:
        sentence.text_orig = text
    if not block.comments:
        sentence.header = Header(header, sent_id, sentence.comments, sentence.text_orig)


# --- labels of entities --------------------------------------------------------------------------


def _said(tokens: Sequence[Token], count: int) -> tuple[str, Labels]:
    """Return the corpus id and the labels that the lines of an eojeol say.

    Args:
        tokens: of the eojeol.
        count: how many morphemes it has; the source may lack some of them.
    """
    corpus_id = ""
    if "Id=" in tokens[0].misc:
        items = [item.partition("=") for item in tokens[0].misc.split("|")]
        corpus_id = next((unescape_misc(value) for key, _, value in items if key == "Id"), "")
    said: list[dict[str, str]] = []
    sizes: list[int] = []
    for token in tokens:
        own = [_labels_of(word.misc, word.feats) for word in token.words]
        own_sizes = [len(word.morphemes) for word in token.words]
        if len(own) > 1 and not any(own) and (on_range := _labels_of(token.misc, token.feats)):
            # Labels of a range are meant for all its words.
            own, own_sizes = [on_range], [sum(own_sizes)]
        said += own
        sizes += own_sizes
    return corpus_id, _layers(said, sizes, count) if any(said) else ()


def _labels_of(misc: str, feats: str) -> dict[str, str]:
    """Return the labels that a line says, by the keys of MISC."""
    labels = {}
    if "NE" in misc:
        for item in misc.split("|"):
            key, _, value = item.partition("=")
            if value and LABEL_KEY.fullmatch(key):
                labels[key] = value
    if feats_label(feats):
        labels[label_key(0)] = escape_misc(feats)
    return labels


def labels_of_words(words: Sequence[Word]) -> Labels:
    """Return the labels of the morphemes of words, layer by layer, as their MISC has them."""
    said = [_labels_of(word.misc, word.feats) for word in words]
    sizes = [len(word.morphemes) for word in words]
    return _layers(said, sizes, sum(sizes)) if any(said) else ()


def _layers(said: Sequence[dict[str, str]], sizes: Sequence[int], count: int) -> Labels:
    """Return the labels of an eojeol's morphemes, layer by layer, as far as any has one.

    Args:
        said: what the lines of its words say.
        sizes: the number of morphemes of each word.
        count: of the eojeol.
    """
    layers: list[tuple[str, ...]] = []
    numbers = [match for labels in said for key in labels if (match := LABEL_KEY.fullmatch(key))]
    depth = max([int(number[1] or 1) for number in numbers], default=0)
    for layer in range(depth):
        key = label_key(layer)
        found: list[str] = []
        for labels, size in zip(said, sizes, strict=True):
            by_position = labels.get(f"{key}Morph")
            if by_position is not None:
                own = at_positions(by_position, size) if size > 1 else [by_position[2:]]
                found += [unescape_misc(label) or OUTSIDE for label in own]
            elif labels.get(key, OUTSIDE) != OUTSIDE:
                found += spread(unescape_misc(labels[key]), size)
            else:
                found += [OUTSIDE] * size
        found += [OUTSIDE] * (count - len(found))
        layers.append(tuple(found) if any([label != OUTSIDE for label in found]) else ())
    while layers and not layers[-1]:
        layers.pop()
    return tuple(layers)


def _ended(chunks: Iterable[str]) -> Iterator[str]:
    """Iterate over the chunks of a text and check that it ends with a blank line.

    Raises:
        FormatError: no blank line ends the text; the error is raised after the last chunk.
    """
    end = "\n\n"
    lines = 0
    for chunk in chunks:
        yield chunk
        lines += chunk.count("\n")
        end = (end + chunk[-2:])[-2:]
    if end != "\n\n":
        raise FormatError(
            "no blank line ends the last sentence: is the file complete? (--on-error keep accepts"
            " it)",
            line=lines + (not end.endswith("\n")),
            code="E208",
        )
