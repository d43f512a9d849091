r"""Interlinear examples as (2.1) of the memoir prints them, and trees for the LaTeX package forest.

    프랑스의       세계적인
    peurangseu-ui  segye-jeok-i-n
    France-gen     world class-rel

The second line has the morphemes in the Revised Romanisation (rules/romaja.tsv), the third their
glosses: of rules/lexical-glosses.tsv, by tag and form of rules/glosses.tsv, else the lemma. A
symbol has no hyphen and no gloss, unless it is all there is. The comment `text_en` is the
translation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.features import Interlinear
from sejongud.converters.recut import recuts
from sejongud.converters.trees import Fit
from sejongud.formats.trees import checked_edges
from sejongud.memo import remembered
from sejongud.model import MORPHEMES
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.terminal import display_width, latex, pad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sejongud.formats.misc import WordView
    from sejongud.model import Eojeol, Morpheme, Sentence
    from sejongud.rules import Rules

_TRANSLATION = "text_en = "
_LAYERS = {
    "latex": (r"\begin{exe}", r"\ex", (r"\glll ", "     ", "     "), r" \\", r"\trans ", "",
              r"\end{exe}"),
    "expex": (r"\ex", r"\begingl", (r"\gla ", r"\glb ", r"\glc "), " //", r"\glft ", " //",
              r"\endgl" "\n" r"\xe"),
}  # fmt: skip
"""Format → its beginning, the beginning of the lines and of each, their end, the beginning and the
end of the translation, and the end: those of gb4e and of expex."""


class Gloss(NamedTuple):
    """The lines of an eojeol."""

    form: str
    roman: str
    parts: tuple[tuple[str, bool], ...]
    """The glosses between hyphens, each with whether it is grammatical."""

    @property
    def gloss(self) -> str:
        """The line of the glosses."""
        return "-".join([text for text, _ in self.parts])


class Examples:
    """Make interlinear examples of sentences.

    Args:
        rules: the tables.
        to: "igt" for text, "latex" for gb4e, "expex", or "forest" for the constituents.
        level: whose words are the leaves of forest.
        width: the cells of a line of text.

    >>> from sejongud.morphology.eojeol import Assembler
    >>> from sejongud.rules import load
    >>> eojeol = Assembler(load())["나섰다.\\t나서/VV+었/EP+다/EF+./SF"]
    >>> examples = Examples(load())
    >>> examples.of[eojeol].roman, examples.of[eojeol].gloss
    ('naseo-eoss-da.', 'become-past-decl')
    """

    def __init__(
        self, rules: Rules, to: str = "igt", level: int = MORPHEMES, width: int = 100
    ) -> None:
        self._to, self._width = to, width
        self._rules = rules
        letters: dict[str, dict[str, str]] = {p: {} for p in ("lead", "vowel", "coda", "pair")}
        for row in rules.table("romaja"):
            letters[row["place"]][row["jamo"]] = row["latin"]
        self._letters = letters
        self._lexicon = {row["morphemes"]: row["gloss"] for row in rules.table("lexical-glosses")}
        self._longest = max([key.count("+") + 1 for key in self._lexicon], default=1)
        self._of_tag = Interlinear(rules, gloss=True).gloss_of
        self._cut: Callable[[Sentence], Sentence] = recuts(rules)[level - 1]
        self._fit = Fit("widen")

    def sentence(self, sentence: Sentence) -> str:
        """Return the example of a sentence."""
        if self._to == "forest":
            return self._forest(sentence)
        glosses = [self.of[eojeol] for eojeol in sentence.eojeols]
        comments = [c for c in sentence.comments if c.startswith(_TRANSLATION)]
        english = [comment.removeprefix(_TRANSLATION).strip() for comment in comments]
        if self._to == "igt":
            lines = [*self._columns(glosses), *[f"‘{text}’" for text in english]]
            return "\n".join(lines) + "\n"
        begin, opening, (first, second, third), end, free, stop, close = _LAYERS[self._to]
        rows = [
            (first, [latex(g.form) for g in glosses]),
            (second, [latex(g.roman) for g in glosses]),
            (third, [self.glosses(g) for g in glosses]),
        ]
        # A cell with blanks is one word all the same.
        lines = [
            f"{mark}{' '.join([f'{{{cell}}}' if ' ' in cell else cell for cell in cells])}{end}"
            for mark, cells in rows
        ]
        lines += [f"{free}`{latex(text)}'{stop}" for text in english]
        return "\n".join([f"% {latex(sentence.sent_id)}", begin, opening, *lines, close]) + "\n"

    def _columns(self, glosses: Sequence[Gloss]) -> Iterator[str]:
        """Yield lines of columns, broken between eojeols where they are too wide."""
        rows = [(g.form, g.roman, g.gloss) for g in glosses]
        start = 0
        while start < len(rows):
            widths: list[int] = []
            for row in rows[start:]:
                widths.append(max(map(display_width, row)) + 2)
                if len(widths) > 1 and sum(widths) > self._width + 2:
                    widths.pop()
                    break
            shown = list(zip(widths, rows[start:], strict=False))
            if start:
                yield ""
            for line in range(3):
                yield "".join([pad(row[line], width) for width, row in shown]).rstrip()
            start += len(shown)

    def glosses(self, gloss: Gloss) -> str:
        """Return the glosses of an eojeol in LaTeX, the grammatical ones in small capitals."""
        parts = [(latex(part), of_tag) for part, of_tag in gloss.parts]
        return "-".join([rf"\textsc{{{part}}}" if of_tag else part for part, of_tag in parts])

    @remembered(24_000)
    def of(self, eojeol: Eojeol) -> Gloss:
        """Return the lines of an eojeol."""
        morphemes = [m for m in eojeol.morphemes if m.form]
        roman = ""
        was_symbol = True
        for morpheme in morphemes:
            is_symbol = self._is_symbol(morpheme)
            roman += ("" if is_symbol or was_symbol else "-") + self._romanised(morpheme.form)
            was_symbol = is_symbol
        parts = list(self._parts([m for m in morphemes if not self._is_symbol(m)]))
        return Gloss(eojeol.form, roman, tuple(parts) or ((eojeol.form, False),))

    def _is_symbol(self, morpheme: Morpheme) -> bool:
        return self._rules.kind(morpheme.tag) == "symbol"

    def _parts(self, morphemes: Sequence[Morpheme]) -> Iterator[tuple[str, bool]]:
        """Yield the glosses of morphemes; the longest run that the lexicon has goes first."""
        start = 0
        while start < len(morphemes):
            for end in range(min(len(morphemes), start + self._longest), start, -1):
                run = morphemes[start:end]
                tagged = zip(run, self._rules.sejong_tags(run), strict=True)
                text = self._lexicon.get("+".join([f"{m.form}/{tag}" for m, tag in tagged]))
                if text:
                    yield text, False
                    break
            else:
                end = start + 1
                gloss = self._of_tag(morphemes[start])
                yield gloss or morphemes[start].form, bool(gloss)
            start = end

    def _romanised(self, text: str) -> str:
        """Return a morpheme in the Revised Romanisation; a jamo alone is a coda or a lead."""
        leads, vowels, codas, pairs = self._letters.values()
        latin = coda = ""
        for char in text:
            if not is_syllable(char):
                latin += codas.get(char) or leads.get(char) or vowels.get(char, char)
                coda = ""
                continue
            lead, vowel, after = decompose(char)
            if coda + lead in pairs:
                latin = latin.removesuffix(codas.get(coda, "")) + pairs[coda + lead]
            else:
                latin += leads.get(lead, lead)
            latin += vowels.get(vowel, vowel) + codas.get(after, "")
            coda = after
        return latin

    def _forest(self, sentence: Sentence) -> str:
        """Return the constituents of a sentence over its words; a comment if it has none."""
        if not sentence.constituents:
            return f"% {latex(sentence.sent_id)}: no constituents\n"
        cut = self._fit(self._cut(sentence))
        pieces = []
        for word, edge in zip(cut.words, checked_edges(cut), strict=True):
            leaf = f"[{{{latex(word.xpos)}}} [{{{latex(word.form)}}}]]"
            pieces += [*map(_bracket, edge.before), leaf, *map(_bracket, edge.behind)]
        body = " ".join(pieces).replace(" ]", "]")
        if sum([node.depth == 0 for node in cut.constituents]) > 1:
            body = f"[{{}} {body}]"
        return "\n".join([r"\begin{forest}", body, r"\end{forest}"]) + "\n"


def tikz(words: Sequence[WordView]) -> str:
    """Return the dependencies of words for the package tikz-dependency."""

    def row(texts: Iterator[str]) -> str:
        # In deptext \\& ends a column.
        cells = [latex(text).replace("\\&", r"\char38{}") for text in texts]
        return "    " + r" \& ".join(cells) + r" \\"

    arcs = [
        rf"  \depedge{{{word.head}}}{{{word.number}}}{{{latex(word.deprel)}}}"
        if word.head
        else rf"  \deproot{{{word.number}}}{{{latex(word.deprel)}}}"
        for word in words
        if 0 <= word.head <= len(words)
    ]
    head = ["% \\usepackage{tikz-dependency}, and a font that has Hangul", r"\begin{dependency}"]
    head.append(r"  \begin{deptext}[column sep=1em]")
    forms, tags = row(word.form for word in words), row(word.upos for word in words)
    return "\n".join([*head, forms, tags, r"  \end{deptext}", *arcs, r"\end{dependency}", ""])


def _bracket(text: str) -> str:
    """Return a bracket of a tree, or a null element, for forest."""
    if text == ")":
        return "]"
    return f"[{{{latex(text[1:])}}}" if text[0] == "(" else f"[{{{latex(text)}}}]"
