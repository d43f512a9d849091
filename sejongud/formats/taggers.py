"""The output of taggers: a token a row (MeCab-ko), or a list of pairs a line (KoNLPy, Kiwi).

Neither has the spaces of the text. So the tags tell the eojeols (W633), as they do for tagged words
without marks (`sejongud.formats.tokens`), to which the rows and lists are made.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.files import numbered_lines
from sejongud.formats.base import Block, data_rows, first_lines, mostly, numbered, text_blocks
from sejongud.formats.schemes import eojeol_begins
from sejongud.formats.tokens import BY_TAGS, MARK, TokensReader, escape
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.model import Sentence


_END = "EOS"
_END_LINE = re.compile(rf"^[^\S\n]*{_END}[^\S\n]*$", re.MULTILINE)
_Rows = list[tuple[str, list[tuple[str, str]]]]
"""The surface of each token, "" if that is not known, and the forms and tags of its morphemes."""


class MecabReader(TokensReader):
    r"""The output of MeCab-ko: a token a row, its tag the first of the features.

        갔<TAB>VV+EP,*,T,갔,Inflect,VV,EP,가/VV/*+았/EP/*
        다<TAB>EF,*,F,다,*,*,*,*
        EOS

    A sentence ends at `EOS` or a blank line. A token of several tags is read as the morphemes of
    its expression, the last feature; Kiwi finds them where it has none. A compound noun stays a
    morpheme. Other features are not read. The tags tell the eojeols (W633), since there are no
    spaces. Tags that MeCab-ko alone has (`rules/mecab-tags.tsv`) stay, unless `--xpos sejong`
    replaces them.

    Rows may have the tag alone, behind a tab or a blank (`나<TAB>NP`). If no tag of a sentence has
    a plus sign, they may be those of another tagger, whose rows are morphemes: Kiwi joins these.
    """

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if most rows are a token and its tags, with features or without.

        >>> MecabReader.sniff("나\tNP,*,F,나\n는\tJX\nEOS\n"), MecabReader.sniff("봄\tB-LC\n")
        ('', None)
        """
        rows = [_cells(row)[2] for row in data_rows(head) if row != _END]
        kind = load().kind
        tags = [features.partition(",")[0].split("+") for features in rows]
        return "" if mostly([all(map(kind, each)) for each in tags]) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the rows of each sentence."""
        return numbered(text_blocks(_END_LINE.sub("", chunk) for chunk in chunks))

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: a row is no token with its tag.
        """
        sentence = super().parse(block._replace(text=self._marked(self._rows(block))))
        sentence.notes = (BY_TAGS,)
        return sentence

    def _rows(self, block: Block) -> _Rows:
        """Return the tokens of a block.

        Raises:
            FormatError: a row is no token with its tag.
        """
        rows: _Rows = []
        for number, row in enumerate(block.text.split("\n")):
            surface, separator, features = _cells(row)
            tag, *others = features.split(",")
            if not separator or not surface.strip() or not tag.strip() or "\t" in features:
                message = "expected a token, a tab and its tag (NNG or NNG,*,T,…)"
                raise block.error(message, "E404", number)
            morphemes = [(surface, tag)]
            for feature in others if "+" in tag else ():
                parts = [part.split("/") for part in feature.split("+")]
                tags = [part[1] for part in parts if len(part) > 1 and part[0]]
                if tags == tag.split("+") and len(tags) == len(parts):
                    morphemes = [(part[0], part[1]) for part in parts]
            rows.append((surface, morphemes))
        return rows if re.search("[+,]", block.text) else _without_surfaces(rows)

    def _marked(self, rows: _Rows) -> str:
        """Return a line of words with a mark and its form before each eojeol."""
        heads = [(morphemes[0][0], morphemes[0][1].partition("+")[0]) for _, morphemes in rows]
        begins = eojeol_begins(heads, self.assembler.rules)
        places = [*[place for place, begin in enumerate(begins) if begin], len(rows)]
        words = []
        for first, last in pairwise(places):
            eojeol = rows[first:last]
            form = "".join([escape(surface) for surface, _ in eojeol])
            pairs = [pair for _, morphemes in eojeol for pair in morphemes]
            tagged = " ".join([f"{escape(morpheme)}/{tag}" for morpheme, tag in pairs])
            words.append(f"{MARK}{form}{MARK if form else ''}{tagged}")
        return " ".join(words)


def _cells(row: str) -> tuple[str, str, str]:
    """Return the token of a row, the tab or the blank behind it, and its features."""
    return row.partition("\t" if "\t" in row else " ")


def _without_surfaces(rows: _Rows) -> _Rows:
    """Return tokens that may be morphemes, whose surface is not known then."""
    return [("", morphemes) for _, morphemes in rows]


_TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_PAIR = re.compile(
    rf"[(\[]\s*({_TEXT})\s*,\s*({_TEXT})\s*[)\]]"
    rf"|Token\(form=({_TEXT}), tag=({_TEXT}), start=\d+, len=\d+\)|({_TEXT})"
)
_BETWEEN_PAIRS = re.compile(r"[\s,()\[\]]*")
_SCORE = re.compile(r"\], -?\d[\d.e+-]*\)")
"""What stands behind each of Kiwi's analyses of a sentence, the best of which is the first."""
_BETWEEN_SENTENCES = re.compile(r"(?<=[)\]])\s*\]\s*,\s*\[\s*(?=[(\[])")
_TAG = r"[A-Za-z][\w+-]*"
_LIST = re.compile(
    rf"\s*\[(?:\(\[)?Token\(form=|\s*\[[\[(]+(?:{_TEXT})\s*,\s*['\"]{_TAG}['\"]"
    rf"|\s*\[\[*['\"][^'\"]*/{_TAG}['\"]",
    re.ASCII,
)
_TAGS = r"([A-Z]{2,}(?:\+[A-Z]{2,})*)"
_TAGGED = re.compile(rf"(\S+)(?:/([A-Z][a-z][A-Za-z]*)|_{_TAGS}|\({_TAGS}\))")
"""A word with a tag of Okt, or behind another sign than the slash of `tokens`."""


class KonlpyReader(MecabReader):
    r"""Lists of morphemes and tags, a sentence a line, as KoNLPy and Kiwi print them, or as JSON.

        [('나', 'NP'), ('는', 'JX'), ('가', 'VV'), ('ㄴ다', 'EF')]
        ['나/NP', '는/JX', '가/VV', 'ㄴ다/EF']
        [Token(form='나', tag='NP', start=0, len=1), …]
        [["나", "NP"], ["는", "JX"], ["가", "VV"], ["ㄴ다", "EF"]]
        나_NP 는_JX 가_VV ㄴ다_EF

    The tags are Sejong tags (Komoran, Kiwi) or of another known tag set (Kkma), and tell the
    eojeols (W633). Kiwi joins the morphemes of an eojeol; tokens are joined as they stand if one of
    their sentence has several tags, as those of MeCab-ko. Of several analyses of a sentence the
    first is read. Lists of Okt and Hannanum, whose tags (`Noun`, `Josa`) are those of no morphemes,
    and such words a line (`나/Noun 는/Josa`), are refused.
    """

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if most lines are such lists, or words with tags of no tag set.

        >>> KonlpyReader.sniff("[('나', 'NP')]\\n"), KonlpyReader.sniff("[속보] '나', '너'\\n")
        ('', None)
        """
        fits = [bool(_LIST.match(line) or _tagged_words(line)) for line in first_lines(head)]
        return "" if mostly(fits) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the lists."""
        lines = ((number, part) for number, line in numbered_lines(chunks) for part in _lists(line))
        return numbered(lines)

    def _rows(self, block: Block) -> _Rows:
        """Return the morphemes of a list.

        Raises:
            FormatError: it is none, or most of its tags are of no tag set.
        """
        rows: _Rows = [(form, [(form, tag)]) for form, tag in _pairs(block)]
        tags = [of for _, [(_, tag)] in rows for of in tag.split("+")]
        unknown = dict.fromkeys([tag for tag in tags if not self._kind(tag)])
        if 2 * sum([tag in unknown for tag in tags]) > len(tags):
            message = (
                f"the tags {', '.join(unknown)[:80]} are of no tag set that is known (Okt and"
                " Hannanum have such): tag with Komoran, MeCab-ko or Kiwi, or give the text to"
                " `analyze`"
            )
            raise FormatError(message, line=block.line, text=block.text, code="E621")
        return rows if len(tags) > len(rows) else _without_surfaces(rows)


def _tagged_words(line: str) -> list[tuple[str, str]]:
    """Return the words of a line with their tags; [] if these are not all tagged."""
    kind = load().kind
    words = [_TAGGED.fullmatch(word) for word in line.split()]
    pairs = [(found[1], found[found.lastindex or 0], found[2]) for found in words if found]
    fits = [okt or all(map(kind, tags.split("+"))) for _, tags, okt in pairs]
    is_tagged = len(pairs) == len(words) > 1 and all(fits)
    return [(form, tags) for form, tags, _ in pairs] if is_tagged else []


def _lists(line: str) -> list[str]:
    """Return the sentences of a line."""
    best = _SCORE.split(line, maxsplit=1)[0] if "Token(" in line else line
    return [part for part in _BETWEEN_SENTENCES.split(best) if part.strip(" []")]


def _pairs(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the morphemes of a list with their tags.

    Raises:
        FormatError: it is no such list.
    """
    text = block.text
    if words := _tagged_words(text):
        yield from words
        return
    end = 0
    for match in _PAIR.finditer(text):
        between, end = text[end : match.start()], match.end()
        try:
            texts = [_unquoted(part) for part in match.groups() if part]
        except ValueError:
            texts = []
        form, tag = texts if len(texts) > 1 else "".join(texts).rpartition("/")[::2]
        if not _BETWEEN_PAIRS.fullmatch(between) or not form.strip() or not tag.strip():
            break
        yield form.strip(), tag
    if not _BETWEEN_PAIRS.fullmatch(text, end):
        message = "expected a list of morphemes and tags, [('나', 'NP'), …]"
        raise FormatError(message, line=block.line, text=block.text, code="E404")


def _unquoted(text: str) -> str:
    """Return the text of a literal of Python or JSON."""
    body = text[1:-1].replace("\\'", "'").replace("\\x", "\\u00")
    quoted = body if text[0] == '"' else body.replace('"', '\\"')
    unquoted: str = json.loads(f'"{quoted}"', strict=False)
    return unquoted
