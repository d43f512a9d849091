"""Tagged text: segmented, a sentence a line."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, Note
from sejongud.files import numbered_lines
from sejongud.formats.around import from_json, to_json, without_around
from sejongud.formats.base import Block, Reader, SentIds, first_lines, is_analysed, mostly
from sejongud.formats.schemes import eojeol_begins
from sejongud.formats.sejong import Losses
from sejongud.layers.labels import not_written
from sejongud.memo import remembered
from sejongud.model import NOTHING, Eojeol, Morpheme, Sentence
from sejongud.morphology.eojeol import MADE, Assembler
from sejongud.morphology.joining import KiwiJoiner
from sejongud.morphology.rewrites import attached
from sejongud.rules import Rules, load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


MARK = "▁"
_ESCAPES = {" ": r"\s", MARK: r"\_", "\\": r"\\"}
_TO_ESCAPE = re.compile(f"[ {MARK}\\\\]")
_ESCAPED = re.compile(r"\\[s_\\]")
_CHARACTERS = {escape: char for char, escape in _ESCAPES.items()}
_COMPOSED = re.compile("[ㄴㄹㅁㅂ](?![ㄱ-ㅎ])")
"""A bound consonant that goes under the syllable before it."""
_BOUND = re.compile(r"\S[^\n]* (?:[ㄴㄹㅁㅂ]|ㄴ다|ㅂ니다|ㄴ다고)(?: |$)")
"""A line with an ending that begins with a consonant, as a word of its own."""

_JOINED = re.compile(r"/[A-Za-z]+\+")
"""A morpheme with its tag before another one of its eojeol."""

BY_TAGS = Note("W633", "the words have no marks, so that their tags tell the eojeols")
_SEJONG = "sejong"
_NO_IDS = Note("W630", "ids and comments of sentences are not written: --ids FILE keeps them")

_Words = tuple[tuple[str, tuple[str, ...]], ...]
"""The form and the tags of each word of an eojeol."""


class WordJoiner:
    """Join the words of eojeols.

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> joiner = WordJoiner(load())
    >>> joiner.form[("돕", ("VV",)), ("아", ("EC",)), (".", ("SF",))]
    '도와.'
    """

    def __init__(self, rules: Rules) -> None:
        self.kiwi = KiwiJoiner(rules)
        self._kind = rules.kind

    @remembered(48_000)
    def form(self, words: _Words) -> str:
        """Return the form of an eojeol: Kiwi joins endings to what is before them."""
        kinds = [self._kind(tags[0]) if tags else "" for _, tags in words]
        form = ""
        begin = 0
        for end in range(1, len(words) + 1):
            kind, behind = [*kinds, "", ""][end : end + 2]
            if kind == "ending" or (kind in ("copula", "suffix") and behind == "ending"):
                continue
            run, begin = words[begin:end], end
            if len(run) > 1:
                form += self.kiwi.surfaces([list(_morphemes(run))])[0]
            elif _COMPOSED.match(run[0][0]):
                form = attached(form, run[0][0][0]) + run[0][0][1:]
            else:
                form += run[0][0]
        return form


class TokensReader(Reader):
    r"""Segmented text: a sentence a line, its words with a blank between them.

        ▁프랑스/NNP 의/JKG ▁세계적이/NNG+XSN+VCP ㄴ/ETM ▁의상/NNG

    The mark ▁ (U+2581, as SentencePiece has it) stands before the first word of each eojeol, and a
    slash and the tags behind each word; both are written if they are asked for. In a form `\s` is a
    blank, `\_` the mark, and `\\` a backslash. Only text with marks is read. Its words are joined
    to eojeols: an ending is joined to the stem before it by Kiwi, if the words have tags, and all
    others stand one behind the other. Where that is not the form of an eojeol, text with marks and
    tags states the form before a second mark: `▁했다▁하/VV 였/EP 다/EF`. Words without tags get
    those that Kiwi finds in the text of the words, one behind the other, if its morphemes are these
    words. Up to level 3 a token whose words are not pieces of the surface (게 of 것 and 이) is
    written whole.

    The tags may stand behind a tab, as many as words, and behind two further tabs the id and the
    comments (JSON) of the sentence. Options divide these lines among files: `--tags`, `--ids`. Tags
    tell the eojeols of words without marks.

        프랑스 의 의상<TAB>NNP JKG NNG<TAB>a-1<TAB>["newdoc id = a"]

    Args:
        assembler: builds the eojeols.
        keep: see `Reader`.
        noted: whether each eojeol that Kiwi has joined has a note of it.
    """

    def __init__(self, assembler: Assembler, *, keep: bool = False, noted: bool = True) -> None:
        super().__init__(assembler, keep=keep)
        self._notes = (MADE,) if noted else ()
        self._joiner = WordJoiner(assembler.rules)
        self._kind = assembler.rules.kind
        self._lemmas = assembler.rules.lemmas["normalised"]

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for marks, for words with tags that no eojeol has, or for bound consonants."""
        lines = first_lines(head)
        if _are_parts(lines):
            return ""
        tagged = [_has_tags(line) for line in lines]
        if mostly(tagged) and any([" " in line.partition("\t")[0] for line in lines]):
            return ""
        marked = [line.startswith(MARK) for line in lines]
        bound = [_BOUND.match(line) is not None for line in lines]
        return "" if mostly(marked) or mostly(bound) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the lines that are not blank."""
        ids = SentIds()
        number = 0
        for line, text in numbered_lines(chunks):
            if text.strip():
                number += 1
                cells = text.split("\t")
                has_id = len(cells) > 2
                sent_id, comments = cells[-2:] if has_id else ("", "")
                words = "\t".join(cells[:-2]) if has_id else text
                kept = _comments(comments, line)
                yield Block(words, line, number, ids.of(sent_id, number), kept)

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a line; Kiwi analyses eojeols whose morphemes are not the words.

        Raises:
            FormatError: the line has neither marks nor tags, or marks only, or other tags.
        """
        stated, groups = zip(*_eojeols(block.text, self.assembler.rules), strict=True)
        forms: Sequence[str] = [
            form or self._joiner.form[words] for form, words in zip(stated, groups, strict=True)
        ]
        doubts: Sequence[tuple[Note, ...]] = [()] * len(forms)
        if not any([tags for words in groups for _, tags in words]):
            groups, forms, doubts = zip(*self._tagged(groups, forms), strict=True)
        are_morphemes = [all([len(tags) == 1 for _, tags in words]) for words in groups]
        analysed: list[tuple[str, list[Morpheme]]] = [("", [])] * len(forms)
        if not all(are_morphemes):
            analysed = self._analysed(forms)
        eojeols = []
        for own, form, words, given, (_, by_kiwi), doubt in zip(
            stated, forms, groups, are_morphemes, analysed, doubts, strict=True
        ):
            pieces = [(piece, tags[0]) for piece, tags in words] if given else by_kiwi
            morpheme_of = self.assembler.analysis.morpheme
            morphemes = [morpheme_of(piece[0], piece[1], form) for piece in pieces]
            is_made = form not in (own, _text(words))
            notes = (*doubt, *(self._notes if is_made else ()))
            before = [] if given else [tag for _, tags in words for tag in tags]
            after = [morpheme.tag for morpheme in morphemes]
            if list(map(self._kind, before)) == list(map(self._kind, after)):
                morphemes = [m._replace(tag=t) for m, t in zip(morphemes, before, strict=True)]
            elif before:
                message = f"{form}: read as {'+'.join(after)} by Kiwi instead of {'+'.join(before)}"
                notes = (*notes, Note("W621", message))
            eojeols.append(self.assembler.eojeol(form, morphemes).with_notes(notes))
        sentence = Sentence(tuple(eojeols), block.sent_id, number=block.number)
        sentence.comments = block.comments
        sentence.notes = () if MARK in block.text else (BY_TAGS,)
        return sentence

    def _analysed(self, forms: Sequence[str]) -> list[tuple[str, list[Morpheme]]]:
        """Return the eojeols of these forms with their morphemes, by Kiwi."""
        analysed = next(self._joiner.kiwi.of([" ".join(forms)]))
        if [form for form, _ in analysed] != list(forms):
            # Kiwi finds no others than these, unless a form holds a blank or a jamo.
            analysed = [next(self._joiner.kiwi.of([form.replace(" ", "")]))[0] for form in forms]
        return analysed

    def _tagged(
        self, groups: Iterable[_Words], forms: Sequence[str]
    ) -> Iterator[tuple[_Words, str, tuple[Note, ...]]]:
        """Yield the words of each eojeol with Kiwi's tags, the form they make, and doubts of it.

        Surface pieces need no tags; whether a line has them, the line does not tell.

        Args:
            groups: the words of eojeols, without tags.
            forms: of these eojeols, the words one behind the other.
        """
        for words, form, (_, morphemes) in zip(groups, forms, self._analysed(forms), strict=True):
            tagged = _with_tags(words, morphemes, self._lemmas)
            joined = form if tagged is None else self._joiner.form[tagged]
            bound = [word for word, _ in words[1:] if _COMPOSED.match(word) and word in joined]
            unsure = tagged is None and self._joiner.kiwi.surfaces([morphemes]) != [form]
            message = f"{joined}: joined as the words stand, since Kiwi finds others in it"
            # Nothing fuses with a symbol.
            has_parts = any([word[:1].isalpha() for word, _ in words[1:]])
            notes = (Note("W631", message),) if bound or (unsure and has_parts) else ()
            yield tagged or words, joined, notes


def _with_tags(
    words: _Words, morphemes: Sequence[Morpheme], lemmas: Mapping[tuple[str, str], str]
) -> _Words | None:
    """Return words with the tags of their morphemes; None if the morphemes do not spell them.

    Allomorphs are one morpheme: Kiwi finds 였 in 하았다, where 았 stands.

    Args:
        words: of an eojeol, without tags.
        morphemes: of its form.
        lemmas: the lemma of each allomorph by form and tag.

    >>> _with_tags((("봄", ()), ("이", ())), [Morpheme("봄", "NNG"), Morpheme("이", "JKS")], {})
    (('봄', ('NNG',)), ('이', ('JKS',)))
    """
    ends = {end: i for i, end in enumerate(accumulate([len(m.form) for m in morphemes]), 1)}
    borders = list(accumulate([len(form) for form, _ in words]))
    if not morphemes or borders[-1] != max(ends) or not ends.keys() >= set(borders):
        return None
    tagged = []
    spans = pairwise([0, *[ends[border] for border in borders]])
    for (form, _), (start, end) in zip(words, spans, strict=True):
        own = morphemes[start:end]
        last, tag = own[-1][:2]
        same = lemmas.get((form, tag), form) == lemmas.get((last, tag), last)
        if form != _text(own) and not (same and len(own) == 1):
            return None
        tagged.append((form, tuple([morpheme.tag for morpheme in own])))
    return tuple(tagged)


def _has_tags(line: str) -> bool:
    """Whether a line has the tag of each of its words behind a tab."""
    words, tab, rest = line.partition("\t")
    tags = rest.partition("\t")[0]
    known = load().tags
    is_each_known = all([tag in known for tag in re.split("[ +]", tags)])
    return bool(tab) and is_each_known and words.count(" ") == tags.count(" ")


def _are_parts(lines: Sequence[str]) -> bool:
    """Test whether the words of lines have tags behind a slash, and are parts of eojeols.

    >>> _are_parts(["나/NP 는/JX"]), _are_parts(["나는/NP+JX"]), _are_parts(["나/NP+는/JX 뿐/JX"])
    (True, True, False)
    """
    kind = load().kind
    words = [[word.rpartition("/") for word in line.split()] for line in lines]
    tags = [[tag.split("+") for _, _, tag in line] for line in words]
    spelled = [all([kind(tag) or tag.isupper() for of in line for tag in of]) for line in tags]
    if not mostly(spelled):
        return False
    if any([_JOINED.search(form) for line in words for form, _, _ in line]):
        return False
    return any([of[1:] or kind(of[0]) in ("particle", "ending") for line in tags for of in line])


def _comments(text: str, line: int) -> tuple[str, ...]:
    """Return the comments of a sentence from their JSON.

    Raises:
        FormatError: they are no list of texts.
    """
    comments = from_json(text or "[]")
    if not isinstance(comments, list) or not all([isinstance(one, str) for one in comments]):
        message = "behind the id stand the comments, a list in JSON, as --ids writes them"
        raise FormatError(message, line=line, text=text, code="E621")
    return tuple([" ".join(one.split("\n")) for one in comments])


def _tagged_line(line: str) -> str:
    """Return a line with the tag of each word, which stands behind a tab, behind a slash.

    Raises:
        FormatError: there are more tags than words, or fewer.
    """
    text, tab, rest = line.partition("\t")
    if not tab:
        return line
    words, tags = ([cell for cell in cells.split(" ") if cell] for cells in (text, rest))
    if len(words) != len(tags):
        numbers = f"{counted(len(words), 'word[s]')} and {counted(len(tags), 'tag[s]')}"
        raise FormatError(f"{numbers}: each word needs a tag", text=line, code="E404")
    return " ".join(map("/".join, zip(words, tags, strict=True)))


def _by_tags(line: str, rules: Rules) -> str:
    """Return a line without marks with those that its tags tell; the same without tags."""
    words = [word for word in line.split(" ") if word]
    if MARK in line or not words or not all(map(_is_tagged, words)):
        return line
    pairs = [(form, tags.partition("+")[0]) for form, tags in map(_cut, words)]
    begins = eojeol_begins(pairs, rules)
    return " ".join([MARK * begin + word for begin, word in zip(begins, words, strict=True)])


def _eojeols(line: str, rules: Rules) -> Iterator[tuple[str, _Words]]:
    """Yield the form of each eojeol of a line, "" if it is not stated, and its words.

    Raises:
        FormatError: the line has neither a mark first nor tags, or marks only, or other tags.
    """
    has_tags = "\t" in line
    line = _by_tags(_tagged_line(line), rules)
    if not line.lstrip(" ").startswith(MARK):
        raise FormatError(
            f"the first word has no mark {MARK}, so that the borders of eojeols are not known:"
            " write the words with --mark, or give their text to `analyze`",
            text=line,
            code="E621",
        )
    words = [word for word in line.split(" ") if word]
    bare = [word for word in [word.rpartition(MARK)[2] for word in words] if word]
    if not bare:
        raise FormatError("the line has marks only", text=line, code="E621")
    without = [] if has_tags else [word for word in bare if not _is_tagged(word)]
    if 0 < 2 * len(without) < len(bare):
        message = f"expected form/TAG, found {without[0]!r}: the other words have their tags"
        raise FormatError(message, text=line, code="E103")
    tagged = not without
    eojeol: list[tuple[str, tuple[str, ...]]] = []
    form = ""
    for word in words:
        if word.startswith(MARK):
            if eojeol:
                yield form, tuple(eojeol)
            eojeol = []
            stated, _, word = word[1:].rpartition(MARK)
            form = _unescape(stated)
        if word:
            piece, tags = _cut(word) if tagged else (word, "")
            eojeol.append((_unescape(piece), tuple(tags.split("+")) if tags else ()))
    if eojeol:
        yield form, tuple(eojeol)


def _is_tagged(word: str) -> bool:
    """Test whether the last of the tags behind a word is known; an empty one is `_`."""
    form, tags = _cut(word)
    tag = tags.rpartition("+")[2]
    return bool(form) and (tag == NOTHING or is_analysed(f"{form}/{tag}"))


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: _CHARACTERS[match[0]], text)


def escape(text: str) -> str:
    """Return a form as a line of segmented text has it."""
    return _TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], text)


def _cut(word: str) -> tuple[str, str]:
    """Return the form and the tags of a word."""
    form, _, tags = word.rpartition("/")
    return form, tags


def _morphemes(words: _Words) -> Iterator[Morpheme]:
    """Yield morphemes that Kiwi joins as it joins those of the words.

    The last syllable of a word of several morphemes tells how an ending is joined to it.

    >>> [morpheme[:2] for morpheme in _morphemes((("이사하", ("NNG", "XSV")), ("았", ("EP",))))]
    [('이사', 'NNG'), ('하', 'XSV'), ('았', 'EP')]
    """
    for form, tags in words:
        if len(tags) > 1 and form[:-1]:
            yield Morpheme(form[:-1], tags[0])
            form = form[-1]
        yield Morpheme(form, tags[-1])


class TokensWriter:
    """Write segmented text.

    Args:
        rules: the tables.
        mark: whether a mark stands before the first word of each eojeol.
        with_tags: whether a slash and the tags stand behind each word.
        tags: whether the tags of all words stand behind them, for `sejongud.files.texts`.
        surface: whether tokens are written whole where their words are not pieces of the surface.
        ids: whether its id and its comments stand behind each sentence, likewise.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        mark: bool = False,
        with_tags: bool = False,
        tags: bool = False,
        surface: bool = False,
        ids: bool = False,
    ) -> None:
        self._ids = ids
        self._joiner = WordJoiner(rules) if mark and (with_tags or tags) else None
        self._tags = tags
        self._mark = MARK if mark else ""
        self._with_tags = with_tags
        self._surface = surface
        self._losses = Losses()

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence, with its end."""
        pairs = [self._lines[eojeol] for eojeol in sentence.eojeols]
        line = " ".join([words for words, _ in pairs])
        line += "\t" + " ".join([tags for _, tags in pairs]) if self._tags else ""
        if self._ids:
            comments = without_around(sentence.comments, _SEJONG)
            line += f"\t{sentence.sent_id}\t{to_json(comments)}"
        return line + "\n"

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of layers, and of forms that the words do not tell."""
        notes = self._losses(sentence)
        has_id = sentence.sent_id not in ("", str(sentence.number))
        if not self._ids and (has_id or without_around(sentence.comments, _SEJONG)):
            notes.append(_NO_IDS)
        if self._joiner is None and not self._surface:
            fused = [
                e.form for e in sentence.eojeols if e.tokens and e.form != _text(self._words(e))
            ]
            shown = " ".join(dict.fromkeys(fused))
            lacking = [["--mark"], []][bool(self._mark)] + [["--with-tags"], []][self._with_tags]
            lost = f"the forms of {shown}, which {' and '.join(lacking)} would keep"
            notes += not_written([lost] if fused else [])
        return notes

    def _words(self, eojeol: Eojeol) -> _Words:
        """Return the words of an eojeol as they are written."""
        words: list[tuple[str, tuple[str, ...]]] = []
        for token in eojeol.tokens:
            cut = [(word.form, tuple(word.xpos.split("+"))) for word in token.words]
            if self._surface and token.form != _text(cut):
                cut = [(token.form, tuple([tag for _, tags in cut for tag in tags]))]
            words += cut
        return tuple(words)

    @remembered(48_000)
    def _lines(self, eojeol: Eojeol) -> tuple[str, str]:
        """Return the words of an eojeol, with its form if they do not tell it, and their tags."""
        words = self._words(eojeol)
        tags = ["+".join(tags) for _, tags in words]
        tagged = [f"/{tag}" if self._with_tags else "" for tag in tags]
        line = " ".join([escape(form) + tag for (form, _), tag in zip(words, tagged, strict=True)])
        if self._joiner is not None and eojeol.form != self._joiner.form[words]:
            line = f"{escape(eojeol.form)}{MARK}{line}"
        return self._mark + line, " ".join(tags)


def _text(words: Iterable[tuple[Any, ...]]) -> str:
    """Return the forms of words, joined."""
    return "".join([word[0] for word in words])
