"""The NIKL learner corpus (국립국어원 학습자 말뭉치) as XML: sentences and corrected morphemes.

    <SENTENCE from="0" to="7"><s>밥 먹었어요</s>
      <MorphemeAnnotations><word><w>밥</w>
        <morph from="0" to="1" subsequence="1" pos="NNG">밥</morph></word> …</MorphemeAnnotations>
      <LearnerErrorAnnotations><word><w>밥</w>
        <morph from="0" to="1" subsequence="1"><Preserved>밥</Preserved></morph>
        <morph from="0" to="1" subsequence="2"><Proofread pos="JKO">을</Proofread>
          <ErrorPattern type="OM"/></morph></word></LearnerErrorAnnotations>
    </SENTENCE>

A sentence without error annotation is no pair and is left out, and so are spoken texts, of which a
header tells: `<SourceType>구어</SourceType>`. A file is cut into its sentences, each of which is
read by itself, in constant memory. A file that declares entities is refused: an entity may expand
to gigabytes, or name another file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from sejongud.errors import FormatError, Incident, Report
from sejongud.formats.base import MAX_SENTENCE, Block, to_number
from sejongud.formats.corrections import CorrectionsFormat
from sejongud.gec.edits import AnalysedToken, stated_edits
from sejongud.gec.tokens import Change, pair_of
from sejongud.model import Morpheme
from sejongud.morphology.generation import Generator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from xml.etree.ElementTree import Element

    from sejongud.formats.corrections import Fault
    from sejongud.gec.edits import Pair
    from sejongud.rules import Rules

_BROKEN, _WRONG = "E511", "E512"
_KINDS = ("Preserved", "Proofread", "Removed")
_WRITTEN, _SPOKEN = "written", "spoken"
_IS_SPOKEN = {"문어": False, "구어": True}
"""The beginning of a text or of an attribute that tells it → whether the text is spoken."""

_SNIFF = re.compile(r"<SENTENCE[\s>].{0,2000}?<(?:s|MorphemeAnnotations)>", re.DOTALL)
# What may begin outside of a sentence. A comment may hold the tags of a sentence.
_BEGIN = re.compile(r"<!--|<SENTENCE(?=[\s/>])")
_END = re.compile(r"</SENTENCE\s{0,9}>|<SENTENCE(?=[\s/>])")
_COMMENT_END = re.compile("-->")
_LONGEST_TAG = 64
"""The most characters of a match of these."""


class LearnerXml(CorrectionsFormat):
    """Reads the learner corpus.

    Args:
        settings: `written` leaves spoken texts out, `spoken` reads them as well.

    >>> LearnerXml.sniff("<SENTENCE from='0'><s>나는 간다</s>"), LearnerXml.sniff("<p>")
    ('', None)
    """

    name = "learner-xml"
    written = False
    cut_anywhere = True
    choices = ((_WRITTEN, _SPOKEN),)

    def __init__(self, settings: str = "", rules: Rules | None = None) -> None:
        super().__init__(settings, rules)
        self._generator = Generator(self.rules)
        self._frame = _Frame()

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for a file that begins so; None if it is in another format."""
        return "" if head.lstrip("\ufeff \t\r\n")[:1] == "<" and _SNIFF.search(head) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences, and an empty block for the end of the file.

        Raises:
            FormatError: the text between the sentences is no XML, or declares entities.
        """
        scanner = _Scanner(chunks)
        self._frame = _Frame()
        number = 0
        while scanner.to(_BEGIN, self._frame.feed):
            if scanner.text.startswith("<!--"):
                scanner.to(_COMMENT_END, self._frame.feed)
                continue
            number += 1
            # The tag that begins here is not the next one.
            line, pieces = scanner.line, [scanner.take(1)]
            scanner.to(_END, pieces.append)
            if scanner.text.startswith("</"):
                pieces.append(scanner.take(scanner.text.index(">") + 1))
            text = "".join(pieces)
            self._frame.feed("\n" * text.count("\n"))
            yield Block(text, line, number)
        self._frame.feed("", final=True)
        if not number:
            message = "the file has no element SENTENCE, as a learner corpus has"
            raise FormatError(message, code=_BROKEN)

    def parse(self, block: Block, fault: Fault, report: Report) -> Iterator[tuple[int, Pair]]:
        """Yield the pair of a sentence; none if it is not corrected."""
        element = _parsed(block)
        sample = self._frame.sample
        sent_id = f"{sample}-{block.number}" if sample else str(block.number)

        def tell(code: str, message: str) -> None:
            report.add(Incident(code, message, line=block.line, sent_id=sent_id))

        spoken = _spoken(element.attrib.values(), self._frame.is_spoken)
        if spoken and self.settings == _WRITTEN:
            tell("W512", "the text is spoken, and is left out: --spoken reads it")
            return
        words = _words_of(element, "LearnerErrorAnnotations")
        if not words:
            tell("W511", "the sentence has no error annotation, and is left out")
            return
        eojeols, changes = _annotated(element, words)
        shown = " ".join(_text(element.find("s")).split())
        if shown and shown != " ".join([eojeol.form for eojeol in eojeols]):
            differ = "the text of the sentence and its words differ, and its words count"
            tell("W513", f"{differ}: {shown}")
        pair = pair_of(eojeols, changes, self._generator, sent_id)
        for edit in stated_edits(pair):
            if (form := edit.correction) == eojeols[edit.start].form:
                stays = "and stays as it is: look at its morphemes"
                tell("W515", f"{form} is corrected ({edit.type}), {stays}")
        yield block.line, pair


# --- the elements of a sentence -------------------------------------------------------------------


def _parsed(block: Block) -> Element:
    """Return the element of a sentence; its text can declare no entities."""
    try:
        return ElementTree.fromstring(block.text)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise FormatError(
            f"the sentence is no XML: {str(error).partition(':')[0]}",
            line=block.line + line - 1,
            column=column + 1,
            text=block.text.split("\n")[line - 1],
            code=_BROKEN,
        ) from None


def _annotated(
    element: Element, words: Sequence[_WordElement]
) -> tuple[list[AnalysedToken], dict[int, list[Change]]]:
    """Return a sentence with the changes of its words, which are found by where they begin."""
    eojeols: list[tuple[int | None, AnalysedToken]] = []
    for word in _words_of(element, "MorphemeAnnotations"):
        morphemes = tuple([Morpheme(_text(m), m.get("pos", "")) for m in word.morphs])
        eojeols.append((word.begin, AnalysedToken(word.form, morphemes=morphemes)))
    if not eojeols:
        first = to_number(element.get("from", "")) or 0
        matches = re.finditer(r"\S+", _text(element.find("s"), strip=False))
        eojeols = [(first + match.start(), AnalysedToken(match[0])) for match in matches]
    places = {begin: i for i, (begin, _) in reversed(list(enumerate(eojeols)))}
    changes: dict[int, list[Change]] = {}
    for word in words:
        index = places.get(word.begin) if word.begin is not None else None
        if index is None or index in changes:
            problem = "no word of the sentence begins" if index is None else "another one stands"
            raise FormatError(
                f"the correction of {word.form} begins at {word.begin}, where {problem}: the"
                " attributes from tell which word is corrected",
                code=_WRONG,
            )
        changes[index] = [_change(word, morph) for morph in word.morphs]
    return [eojeol for _, eojeol in eojeols], changes


class _WordElement(NamedTuple):
    """An element `word`."""

    form: str
    begin: int | None
    """The attribute `from` of its morphemes."""
    morphs: list[Element]
    """In the order of `subsequence`."""


def _words_of(element: Element, name: str) -> list[_WordElement]:
    """Return the words of an annotation."""
    words = []
    for annotation in element.findall(name):
        for word in annotation.findall("word"):
            form = _text(word.find("w"))
            if len(form.split()) != 1:
                raise FormatError(f"a word is {form!r:.40}, and an eojeol is expected", code=_WRONG)
            morphs = word.findall("morph")
            order = [to_number(morph.get("subsequence", "")) for morph in morphs]
            if None not in order:
                morphs.sort(key=lambda morph: int(morph.attrib["subsequence"]))
            begin = to_number(morphs[0].get("from", "")) if morphs else None
            words.append(_WordElement(form, begin, morphs))
    return words


def _change(word: _WordElement, morph: Element) -> Change:
    """Return the change that an element `morph` states.

    Raises:
        FormatError: it states no change, or several.
    """
    parts = [part for name in _KINDS for part in morph.findall(name)]
    if len(parts) != 1:
        tags = ", ".join([part.tag for part in parts]) or "none"
        raise FormatError(
            f"{word.form}: a morpheme is one of {', '.join(_KINDS)}, and this one is {tags}",
            code="E513",
        )
    (part,) = parts
    pattern = morph.find("ErrorPattern")
    return Change(
        part.tag,  # type: ignore[arg-type]
        _text(part),
        part.get("pos", ""),
        "" if pattern is None else pattern.get("type", ""),
    )


def _text(element: Element | None, *, strip: bool = True) -> str:
    text = "" if element is None else "".join(element.itertext())
    return text.strip() if strip else text


def _spoken(texts: Iterable[str], otherwise: bool) -> bool:
    """Return whether texts say that they are spoken; `otherwise` if none of them says it."""
    answers = [_IS_SPOKEN[text.strip()[:2]] for text in texts if text.strip()[:2] in _IS_SPOKEN]
    return answers[-1] if answers else otherwise


# --- the file -------------------------------------------------------------------------------------


class _Frame:
    """The text between the sentences of a file: headers."""

    def __init__(self) -> None:
        self.is_spoken = False
        self.sample = ""
        self._name = ""
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._begin
        self._parser.CharacterDataHandler = self._read
        self._parser.EntityDeclHandler = self._refuse

    def feed(self, text: str, *, final: bool = False) -> None:
        """Read a text; with `final`, check as well that all elements are closed.

        Raises:
            FormatError: the text is no XML, or declares entities; an element is not closed.
        """
        try:
            self._parser.Parse(text, final)
        except expat.ExpatError as error:
            message = f"the file is no XML here: {expat.ErrorString(error.code)}"
            raise FormatError(message, line=error.lineno, code=_BROKEN) from None

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._name = name
        self.is_spoken = _spoken(attributes.values(), self.is_spoken)

    def _read(self, text: str) -> None:
        if text.strip():
            self.is_spoken = _spoken([text], self.is_spoken)
            if self._name == "SampleSeq":
                self.sample = text.strip()

    def _refuse(self, name: str, *_: object) -> None:
        raise FormatError(
            f"the file declares the entity {name}, which may expand to anything: replace it by its"
            " text",
            line=self._parser.CurrentLineNumber,
            code=_BROKEN,
        )


class _Scanner:
    """Goes through a text in pieces, and holds little more than one of them.

    Args:
        chunks: the text, cut anywhere.
    """

    def __init__(self, chunks: Iterable[str]) -> None:
        self._chunks = iter(chunks)
        self.text = ""
        """What has been read and not handed out."""
        self.line = 1
        """The number of the line that has been reached."""

    def to(self, pattern: re.Pattern[str], take: Callable[[str], None]) -> bool:
        """Hand out the text before the next match; all of it, and return False, if there is none.

        Raises:
            FormatError: nothing matches for longer than any sentence is.
        """
        taken = 0
        while True:
            match = pattern.search(self.text)
            if match:
                take(self.take(match.start()))
                return True
            more = next(self._chunks, None)
            # A match may go on behind the end of what has been read.
            passed = self.take(len(self.text) - (0 if more is None else _LONGEST_TAG))
            take(passed)
            taken += len(passed)
            if more is None:
                return False
            if taken > MAX_SENTENCE:
                message = f"more than {MAX_SENTENCE:,} characters without the end of a sentence"
                raise FormatError(message, line=self.line, code=_BROKEN)
            self.text += more

    def take(self, length: int) -> str:
        """Return the next characters, and go on behind them."""
        text, self.text = self.text[: max(length, 0)], self.text[max(length, 0) :]
        self.line += text.count("\n")
        return text
