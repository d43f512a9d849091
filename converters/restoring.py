"""What would not come back of an entity corpus, and rides in the comments of its sentences.

Going to morphemes, every sentence is turned back at once. Only where the result differs from the
file, comments keep the difference:

    ner_format = naver rows PER_B        on the first sentence: the format of the file, its settings
    ner_rows = 3:I-PS,7:O                labels of rows (from 1) that the morphemes do not tell
    ner_lines = {"0": "## a\\t<나:PS>"}   lines (from 0) that the format would write otherwise
    ner_block = "1 \\t나는\\t-\\n"          the whole block, where even the number of lines differs
    ner_before = "…", ner_after = "…"    text of the file without a sentence
    ner_file = utf-8 crlf                encoding, byte order mark, line ends; on the first sentence
    ner_unwritten = 2                    how many entities of that text have no label here
    ner_of = 5e1f0c77                    the labels that the first three were made for

A system that labels the sentences anew leaves the comments as they were. `ner_of` does not fit its
labels, so that the comments are not used and lend it no label that is right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import normalize
from zlib import crc32

from sejongud.converters.blocks import rows_of, spans_of
from sejongud.converters.eoj2morph import labelled_eojeols
from sejongud.converters.syl2morph import labelled_syllables
from sejongud.formats.around import from_json, restore_comment
from sejongud.formats.base import to_number
from sejongud.formats.labelled import LabelFormat, Labelled
from sejongud.layers.labels import OUTSIDE, LabelScheme, recode_layer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sejongud.model import Sentence

PREFIX = "ner_"
"""The beginning of the keys of entities; the comments of frames have another prefix."""
_OF_LINES, _OF_BLOCK = "lines", "block"
FORMAT = f"{PREFIX}format"
ROWS = f"{PREFIX}rows"
LINES = PREFIX + _OF_LINES
BLOCK = PREFIX + _OF_BLOCK
FILE = f"{PREFIX}file"
BEFORE = "ner_before"
AFTER = "ner_after"
OF = "ner_of"
UNWRITTEN = f"{PREFIX}unwritten"
AROUND = (BEFORE, AFTER)
OF_TEXT = (FORMAT, LINES, BLOCK, *AROUND)
"""The comments that hold text of a format."""
_OF_FORMATS = (
    "ner_prefix = ",
    "ner_items = ",
    "ner_own = ",
    "ner_head = ",
    "ner_offset = ",
    "ner_places = ",
)
"""The beginnings of the comments that formats of entities make for themselves alone."""
_KEYS = (FORMAT, FILE, ROWS, LINES, BLOCK, *AROUND, UNWRITTEN, OF)


def format_of(head: str) -> str:
    """Return the entity format that CoNLL-U was made from, and its settings; "" if it is not said.

    Args:
        head: the beginning of the file.

    >>> format_of("# ner_format = naver rows PER_B\\n1\\t나\\n")
    'naver rows PER_B'
    """
    match = re.search(rf"^# {FORMAT} = (.*)$", head, re.MULTILINE)
    return match[1] if match else ""


def split_comments(comments: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the restoring comments of a sentence, by their keys, and its other comments."""
    restore_comments = {}
    rest = []
    for comment in comments:
        key, equals, value = comment.partition(" = ")
        if equals and key in _KEYS:
            restore_comments[key] = value
        else:
            rest.append(comment)
    return restore_comments, tuple(rest)


def without_own(comments: tuple[str, ...]) -> tuple[str, ...]:
    """Return comments without those that a format of entities has made for itself alone.

    >>> without_own(("ner_offset = 5", "newdoc"))
    ('newdoc',)
    """
    return tuple([comment for comment in comments if not comment.startswith(_OF_FORMATS)])


def kept_text(restore_comments: dict[str, str], key: str) -> str | None:
    """Return the text that a comment keeps; None if there is none, or somebody has changed it."""
    text = from_json(restore_comments[key]) if key in restore_comments else None
    return text if isinstance(text, str) else None


def labelled_of(
    sentence: Sentence, layout: LabelFormat, comments: tuple[str, ...] = ()
) -> Labelled:
    """Return the eojeols or the characters of a sentence with their labels.

    Args:
        sentence: with labels on its morphemes; a system may have lost some of its eojeols.
        layout: the format decides between eojeols and characters, and whether morphemes are added.
        comments: the comments that the format keeps of its own.
    """
    of_text = labelled_syllables if layout.unit == "syllable" else labelled_eojeols
    tokens, layers = of_text(sentence)
    return Labelled(
        tokens,
        tuple(layers) or ((OUTSIDE,) * len(tokens),),
        sentence.sent_id,
        comments,
        rows_of(sentence) if layout.has_morphemes else (),
        spans_of(sentence) if layout.has_morphemes else (),
    )


def restore_comments_of(
    sentence: Sentence, labelled: Labelled, layout: LabelFormat, block: str
) -> list[str]:
    """Return the comments without which the block of a sentence would not come back.

    Args:
        sentence: with labels on its morphemes.
        labelled: the sentence as the corpus has it.
        layout: the format of the corpus.
        block: the text of the corpus.
    """
    back = labelled_of(sentence, layout, labelled.comments)
    restore_comments = []
    if back.layers != labelled.layers and len(back.tokens) == len(labelled.tokens):
        rows = _differing_rows(back, labelled)
        if rows is not None:
            restore_comments.append(f"{ROWS} = {rows}")
            back = back._replace(layers=labelled.layers)
    restore_comments += block_comments(layout.write(back), block)
    return [*restore_comments, f"{OF} = {_sum(sentence)}"] if restore_comments else []


def block_comments(written: str, block: str, prefix: str = PREFIX) -> list[str]:
    """Return the comment that keeps the lines of a block which are written otherwise, if any.

    Args:
        written: the block as the format writes it.
        block: the text of the corpus.
        prefix: of the key.
    """
    if written == block:
        return []
    lines = _differing_lines(written, block)
    if lines is None:
        return [restore_comment(prefix + _OF_BLOCK, block)]
    return [restore_comment(prefix + _OF_LINES, lines)]


def fit(restore_comments: dict[str, str], sentence: Sentence) -> bool:
    """Test whether the restoring comments were made for the labels that a sentence has."""
    return OF in restore_comments and restore_comments[OF] == _sum(sentence)


def recoded(sentence: Sentence, scheme: LabelScheme) -> Sentence:
    """Return a sentence with its labels in another scheme; its restoring comments fit as before."""
    restore_comments, _ = split_comments(sentence.comments)
    layers = [recode_layer(sentence.eojeols, layer, scheme) for layer in sentence.entities]
    result = sentence.but(entities=tuple(layers))
    if fit(restore_comments, sentence):
        old, new = f"{OF} = {restore_comments[OF]}", f"{OF} = {_sum(result)}"
        result.comments = tuple([new if line == old else line for line in sentence.comments])
    return result


def unplaced(text: str) -> list[str]:
    """Return, for a message, the lines beside a sentence that have no place in a format.

    >>> unplaced("## a"), unplaced("]}")
    (['lines without a sentence: ## a'], [])
    """
    line = " ".join(text.split())
    # The brackets that close lists of JSON say nothing.
    return [f"lines without a sentence: {line:.80}"] if line.strip("[]{}, ") else []


def _sum(sentence: Sentence) -> str:
    """Return a checksum of the text and the labels of a sentence."""
    forms = [eojeol.form for eojeol in sentence.eojeols]
    lines = [*forms, *["\t".join(labels) for layer in sentence.entities for labels in layer]]
    return checksum(lines)


def checksum(lines: Iterable[str]) -> str:
    """Return the checksum of lines, which tells whether restoring comments were made for them."""
    return f"{crc32(chr(10).join(lines).encode('utf-8', 'surrogatepass')):08x}"


def _differing_rows(back: Labelled, labelled: Labelled) -> str | None:
    """Return the labels that would not come back; None if there are several layers."""
    if len(labelled.layers) != 1 or len(back.layers) != 1:
        return None
    pairs = zip(back.layers[0], labelled.layers[0], strict=True)
    rows = [(n, right) for n, (written, right) in enumerate(pairs, 1) if written != right]
    if any(["," in label for _, label in rows]):
        return None
    return ",".join([f"{n}:{label}" for n, label in rows])


def with_rows(labelled: Labelled, restore_comments: dict[str, str]) -> Labelled:
    """Return a sentence with the labels that comments keep: the inverse of `_differing_rows`."""
    if ROWS not in restore_comments:
        return labelled
    labels = list(labelled.layers[0])
    for row in restore_comments[ROWS].split(","):
        number, _, label = row.partition(":")
        index = to_number(number)
        if index and index <= len(labels):
            labels[index - 1] = label
    return labelled._replace(layers=(tuple(labels),))


def with_lines(
    block: str, restore_comments: dict[str, str], plain: str, prefix: str = PREFIX
) -> str:
    """Return a block with the text that restoring comments keep of it.

    Args:
        block: as the format writes it.
        restore_comments: the restoring comments.
        plain: as the format writes it with the labels that the restoring comments were made for.
        prefix: of the keys.
    """
    text = kept_text(restore_comments, prefix + _OF_BLOCK)
    if text is None:
        lines = _lines_of(restore_comments, prefix)
        too_many = any([i > plain.count("\n") for i in lines])
        text = plain if too_many else _replaced(plain, lines)
    changes = _differing_lines(plain, block)
    # Labels that were mended since are changed in the file's own text, if its lines are the same.
    if changes is None or (changes and text.count("\n") < plain.count("\n")):
        return block
    return _replaced(text, changes)


def with_cells(block: str, restore_comments: dict[str, str], token: int) -> str:
    """Return a block with the cells of the corpus, and the new labels.

    Args:
        block: as the format writes it with the new labels.
        restore_comments: the restoring comments; a line that they keep ends in its old label.
        token: the number of the cell with the token.

    >>> with_cells("프랑스의 B-OG\\n\\n", {"ner_lines": '{"0": "프랑스의 NNP B-LC"}'}, 0)
    '프랑스의 NNP B-OG\\n\\n'
    """
    rows = block.split("\n")
    lines = {i: line for i, line in _lines_of(restore_comments).items() if i < len(rows)}
    return _replaced(block, {i: _relabelled(line, rows[i], token) for i, line in lines.items()})


def _relabelled(line: str, row: str, token: int) -> str:
    """Return a row with the label of another row of the same token; else the other row."""
    joint = "\t" if "\t" in row else " "
    *cells, _ = line.split(joint)
    *row_cells, label = row.split(joint)
    # The letters of syllables are composed for the analysis.
    same = token < min(len(cells), len(row_cells)) and (
        normalize("NFC", cells[token]) == normalize("NFC", row_cells[token])
    )
    return joint.join([*cells, label]) if same else row


def _differing_lines(first: str, second: str) -> dict[int, str] | None:
    """Return the lines of the second text that differ; None if their number differs."""
    lines, second_lines = first.split("\n"), second.split("\n")
    if len(lines) != len(second_lines):
        return None
    return {i: o for i, (line, o) in enumerate(zip(lines, second_lines, strict=True)) if line != o}


def _replaced(block: str, changes: dict[int, str]) -> str:
    """Return a block with other lines: the inverse of `_differing_lines`."""
    return "\n".join([changes.get(i, line) for i, line in enumerate(block.split("\n"))])


def _lines_of(restore_comments: dict[str, str], prefix: str = PREFIX) -> dict[int, str]:
    """Return the lines that a restoring comment keeps; {} if somebody has changed it."""
    changes = from_json(restore_comments.get(prefix + _OF_LINES, "{}"))
    if not isinstance(changes, dict):
        return {}
    lines = {to_number(number): str(line) for number, line in changes.items()}
    return {} if None in lines else lines  # type: ignore[return-value]
