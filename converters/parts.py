"""The parts that a level of granularity makes of a treebank's word, and the arcs between them.

    세계적인  level 4    세계적이 · ㄴ          ㄴ --mark--> 세계적이
             level 5    세계 · 적 · 이 · ㄴ    each morpheme --> 세계

`sejongud.converters.word2morph` and `sejongud.converters.recut` split words by these functions, so
that `dep word2morph --level k` and `convert --level k` give the same relations.

`WordFeats` gives FEATS of a treebank's word to the parts that express them (rules/feats-parts.tsv).

갔다 Mood=Ind|Tense=Past      가 _,  았 Tense=Past,  다 Mood=Ind
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.formats.misc import escape_misc
from sejongud.layers.arcs import Split
from sejongud.levels.heads import HeadRule
from sejongud.model import NOTHING
from sejongud.morphology.eojeol import Assembler
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.converters.relations import WordPattern
    from sejongud.levels.cut import Granularity
    from sejongud.model import Eojeol, Morpheme, Token, Word
    from sejongud.rules import Rules


_STEM = "stem"


class Parts(NamedTuple):
    """The analysis of a word's parts."""

    upos: tuple[str, ...]
    head: int
    """The part with the head morpheme, from 0."""
    split: Split
    """The division of the word into these parts."""
    told: int
    """The first morpheme of the head part, from 1, if the tags alone show another part; else 0."""


class PartsByTags(NamedTuple):
    """The parts of a word that follow from its tags."""

    upos: tuple[str, ...]
    runs: tuple[tuple[int, int], ...]
    """The first morpheme of each, from 0, and behind its last one."""
    tags: tuple[str, ...]
    """XPOS of each."""
    head: int
    """The head part, from 0."""
    split: Split
    items: tuple[str, ...]
    """The items of MISC of the word."""


class PartsOf:
    """Groups the morphemes of a word into parts, whose heads have the relations of the parts.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._heads = HeadRule(rules)

    def __call__(self, pattern: WordPattern, sizes: Sequence[int], tags: Sequence[str]) -> Parts:
        """Return the parts of a word.

        Args:
            pattern: the analysis of the word by morphemes.
            sizes: the number of morphemes of each part.
            tags: the Sejong tags of all the morphemes.
        """
        upos, head, split, _, _, by_tags = pattern
        heads: list[int] = []
        head_part = told = 0
        for start, end in pairwise(accumulate(sizes, initial=0)):
            if start <= head < end:
                head_part = len(heads)
                heads.append(head)
                told = 0 if start <= by_tags < end else start + 1
            elif end == start + 1:
                heads.append(start)
            else:
                heads.append(start + self._heads.head(tags[start:end]))
        deprels = tuple([split.deprels[at] for at in heads])
        of_parts = tuple([upos[at] for at in heads])
        split = Split((len(heads),), (head_part,), deprels, *split[3:])
        return Parts(of_parts, head_part, split, told)


class Stems:
    """Gives words of some UPOS their stem alone as LEMMA (rules/ud-classes.tsv, class `stem`).

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._heads = HeadRule(rules)
        self._sejong_tags = rules.sejong_tags
        rows = rules.table("ud-classes")
        self.upos = frozenset([row["name"] for row in rows if row["class"] == _STEM])

    def of(self, upos: str, morphemes: Sequence[Morpheme], told: str) -> str:
        """Return the lemma of a word whose UPOS wants its stem alone, "" for any other.

        Args:
            upos: of the word.
            morphemes: of its head part.
            told: the lemma that the treebank has for that part, which may be the stem, or `_` in a
                treebank without it; "" for none.
        """
        if upos not in self.upos:
            return ""
        if told and "+" not in told:
            return told
        return morphemes[self._heads.head(self._sejong_tags(morphemes))].form


class TokenCutter:
    """Cuts the tokens of a treebank at a level, each by itself, so that none are joined.

    Args:
        granularity: the level, 2 to 5.
    """

    def __init__(self, granularity: Granularity) -> None:
        self.granularity = granularity
        self._made = Assembler(granularity.rules).made

    def tokens(self, form: str, morphemes: tuple[Morpheme, ...]) -> tuple[Token, ...]:
        """Return the tokens that a level makes of one token.

        Args:
            form: of the token.
            morphemes: of the token; at least one.
        """
        return self.granularity.tokens(self._made(form, morphemes, completes=False))

    def words(self, word: Word, eojeol: Eojeol | None = None) -> tuple[Word, ...]:
        """Return the words that a level makes of one word; the word itself if it stays whole.

        Args:
            word: of a treebank.
            eojeol: the word by itself, if its morphemes are aligned.
        """
        tags = [morpheme.tag for morpheme in word.morphemes]
        sejong = self.granularity.rules.sejong_tags(word.morphemes)
        if len(self.granularity.sizes(tags, sejong)) == 1:
            return (word,)
        if eojeol is None:
            tokens = self.tokens(word.form, word.morphemes)
        else:
            tokens = self.granularity.tokens(eojeol)
        words = tuple([one for token in tokens for one in token.words])
        return words if len(words) > 1 else (word,)


ITEM = "WordFeats"
"""The key of MISC that keeps FEATS of the word where its head part has others."""


class WordFeats:
    """Divides FEATS of words among their parts.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._sejong_tags = rules.sejong_tags
        self._permitted = {
            (row["feature"], row["value"]): frozenset(row["upos"].split("|"))
            for row in rules.table("feats-ud")
        }
        self._lemmas = rules.lemmas["normalised"]
        self._places: dict[str, list[tuple[str, str]]] = {}
        for row in rules.table("feats-parts"):
            self._places.setdefault(row["feature"], []).append((row["lemma"], row["tag"]))

    def __call__(self, words: Sequence[Word], head: int, feats: str) -> tuple[list[str], str]:
        """Return FEATS of each part, and the item of MISC that keeps those of the word, or "".

        Args:
            words: the parts.
            head: the part, from 0, with the head morpheme.
            feats: of the word.
        """
        of_parts: list[list[str]] = [[] for _ in words]
        for item in feats.split("|"):
            feature, _, value = item.partition("=")
            allowed = self._permitted.get((feature, value))
            places = [*self._places_of(words, feature), head]
            fits = [at for at in places if allowed is None or words[at].upos in allowed]
            if fits:
                of_parts[fits[0]].append(item)
        columns = ["|".join(items) or NOTHING for items in of_parts]
        return columns, "" if columns[head] == feats else f"{ITEM}={escape_misc(feats)}"

    def _places_of(self, words: Sequence[Word], feature: str) -> list[int]:
        """Return the last part that each row of a feature names."""
        places = []
        for lemma, tag in self._places.get(feature, ()):
            for at in reversed(range(len(words))):
                morphemes = words[at].morphemes
                is_tag = len(morphemes) == 1 and self._sejong_tags(morphemes)[0] == tag
                form = morphemes[0].form
                if is_tag and lemma in (ANY, self._lemmas.get((form, morphemes[0].tag), form)):
                    places.append(at)
                    break
        return places
