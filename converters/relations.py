"""The head, the UPOS and the relations of the morphemes of a word, from their tags (memoir, §3.3).

Heads: rules/heads.tsv. Relations to the head morpheme: rules/deprels.tsv, in a scheme.

The parts that a level of granularity makes of a treebank's word, and the arcs between them.

    세계적인  level 4    세계적이 · ㄴ          ㄴ --mark--> 세계적이
             level 5    세계 · 적 · 이 · ㄴ    each morpheme --> 세계

`sejongud.converters.word2morph` and `sejongud.converters.recut` split words by these functions, so
that `dep word2morph --level k` and `convert --level k` give the same relations.

`WordFeats` gives FEATS of a treebank's word to the parts that express them (rules/feats-parts.tsv).

갔다 Mood=Ind|Tense=Past      가 _,  았 Tense=Past,  다 Mood=Ind
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import UsageError
from sejongud.formats.misc import escape_misc
from sejongud.layers.arcs import UNSPECIFIED, Partition
from sejongud.layers.relabelling import ADVERBIAL, COPULA, UPOS, WordUpos
from sejongud.levels.heads import UD, UNKNOWN, HeadRule, HeadUpos, NamedLemmas, WordHeadRule
from sejongud.levels.upos import MorphemeUpos
from sejongud.memo import remembered_by
from sejongud.model import NOTHING, Eojeol, Morpheme, Token, Word
from sejongud.morphology.eojeol import Assembler
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.levels.cut import Granularity
    from sejongud.rules import Rules

SCHEMES = {"morphud": "morphud", "ud": "ud"}
"""The schemes of relations (rules/deprels.tsv), each with its UPOS scheme."""

HEAD_ITEM = "HeadMorpheme="


class Relation(NamedTuple):
    """The attachment of a morpheme to the head morpheme."""

    deprel: str
    upos: str
    """The UPOS of the morpheme under this relation; "" for the UPOS of the UPOS scheme."""


class Relations:
    """The table of relations of a scheme.

    Args:
        rules: the tables.
        scheme: a scheme of rules/deprels.tsv.

    Raises:
        UsageError: there is no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str) -> None:
        self._kind = rules.kind
        self._rows = rules.table("deprels", scheme=scheme)
        if not self._rows:
            if scheme in SCHEMES:
                raise UsageError(f"deprels.tsv has no row of the scheme {scheme}: add rows")
            raise UsageError(f"there is no scheme {scheme}: {', '.join(SCHEMES)}")
        self.by_lemma = frozenset(
            [
                (row["lemma"], tag)
                for row in self._rows
                if row["lemma"] != "*" and row["by"] == "tag"
                for tag in row["dependent"].split("|")
            ]
        )
        """The lemmas and tags that decide a relation."""

    @remembered_by(20_000)
    def of(
        self, head_upos: str, upos: str, tag: str, lemma: str, before: str, behind: str
    ) -> Relation:
        """Return the relation of a morpheme to the head morpheme.

        Args:
            head_upos: the UPOS of the head morpheme.
            upos: the UPOS of the morpheme.
            tag: the tag of the morpheme.
            lemma: the lemma of the morpheme.
            before: the kind of the head morpheme if the morpheme stands before it, else "".
            behind: the tag of the morpheme directly before this one, "" for none.
        """
        values = {"upos": upos, "kind": self._kind(tag), "tag": tag}
        for row in self._rows:
            chosen = {"before": before, "head": head_upos, "dependent": values[row["by"]]}
            if (
                row["behind"] in (ANY, behind)
                and row["lemma"] in (ANY, lemma)
                and all([row[k] == ANY or v in row[k].split("|") for k, v in chosen.items()])
            ):
                return Relation(row["deprel"], row["upos"])
        return Relation(UNSPECIFIED, "")


class WordPattern(NamedTuple):
    """The analysis of a word that follows from its tags."""

    upos: tuple[str, ...]
    head: int
    """The head morpheme, from 0."""
    split: Partition
    """The division of the word into its morphemes."""
    xpos: str
    """The tags joined."""
    items: tuple[str, ...]
    """The MISC items that restore the word's UPOS and the head morpheme."""
    by_tags: int
    """The head morpheme by the tags alone, from 0."""

    def keeping(self, upos: str) -> WordPattern:
        """Return the pattern with the UPOS of the treebank at the head morpheme."""
        of_parts = (*self.upos[: self.head], upos, *self.upos[self.head + 1 :])
        items = tuple([item for item in self.items if not item.startswith(UPOS)])
        return self._replace(upos=of_parts, items=items)


PatternKey = tuple[tuple[str, ...], tuple[str, ...], str, tuple[str, ...], int]
"""Tags; Sejong tags; UPOS of the word; lemmas, if relations depend on them; the head morpheme, -1
if unknown."""


# The function of a memo holds no reference to the memo. The memory of a dropped converter is thus
# free at once, without a search for reference cycles.


class WordPatterns:
    """Finds head, UPOS and relations of the morphemes of a word by their tags.

    Args:
        rules: the tables.
        scheme: the scheme of relations.
        upos: the scheme of the morphemes' UPOS; "" for the default of `scheme`.

    Raises:
        UsageError: there is no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str, upos: str) -> None:
        self._relations = Relations(rules, scheme)
        self._ud = scheme == UD
        upos = upos or SCHEMES[scheme]
        self._head_upos = HeadUpos(rules) if upos == UD else None
        self._upos = MorphemeUpos(rules, upos)
        self._upos_of_tags = MorphemeUpos(rules, UD)
        self._heads = WordHeadRule(rules)
        self._plain_heads = HeadRule(rules)
        self._kind = rules.kind
        self._are_sejong, self._sejong_tags = rules.are_sejong, rules.sejong_tags
        of_upos = self._head_upos.named if self._head_upos else frozenset()
        self.lemmas = NamedLemmas(rules, self._relations.by_lemma | of_upos).of
        """Finds the lemmas that decide (`NamedLemmas.of`)."""

    def key(self, word: Word) -> PatternKey:
        """Return the key of a word's pattern."""
        morphemes, written = word.morphemes, word.lemma
        xpos = tuple([m[1] for m in morphemes])
        tags = xpos if self._are_sejong(xpos) else self._sejong_tags(morphemes)
        forms = tuple([m[0] for m in morphemes])
        # LEMMA is the stem alone for auxiliaries in newer releases, and for every word in PUD.
        head = forms.index(written) if "+" not in written and written in forms else -1
        return xpos, tags, word.upos, self.lemmas(forms, xpos, tags), head

    def whole(self, upos: str, tags: Sequence[str]) -> Partition:
        """Return the division of a word that stays whole.

        Args:
            upos: of the word.
            tags: the Sejong tags of its morphemes.
        """
        return _whole(upos, COPULA in tags, ADVERBIAL in tags)

    def __call__(self, key: PatternKey) -> WordPattern:
        """Return the pattern of a word.

        Args:
            key: of the word; see `key`.
        """
        own_tags, tags, word_upos, lemmas, head = key
        lemmas = lemmas or ("",) * len(tags)
        if self._head_upos is not None:
            upos = self._head_upos.morphemes(lemmas, tags)
        else:
            upos = self._upos.of(self._upos.tags(own_tags, tags), word_upos)
        # A LEMMA that names an ending or a particle beside a noun names no head.
        if head < 0 or head not in self._heads.among(tags):
            # Both schemes have the same heads, whatever UPOS the morphemes have.
            head = self._heads.head(tags, self._upos_of_tags.of(tags, word_upos), word_upos)
        # For an unknown tag, and a word that was not analysed, the treebank's UPOS is more precise.
        if not self._kind(tags[head]) or (self._head_upos and upos[head] == UNKNOWN):
            upos[head] = word_upos
        elif self._head_upos is not None:
            upos[head] = self._head_upos.word(lemmas, tags, head)
        elif self._ud:
            upos[head] = word_upos
        head_upos = upos[head]
        kind = self._kind(tags[head])
        relations = [
            self._relations.of[
                head_upos, own, tag, lemma, kind if i < head else "", tags[i - 1] if i else ""
            ]
            for i, (own, tag, lemma) in enumerate(zip(upos, tags, lemmas, strict=True))
        ]
        upos = [relation.upos or old for relation, old in zip(relations, upos, strict=True)]
        upos[head] = head_upos
        deprels = [relation.deprel for relation in relations]
        deprels[head] = ""
        word = WordUpos.of(head_upos, word_upos, tags[head + 1 :])
        is_turned = self._head_upos is not None and head_upos != word_upos
        split = Partition((len(tags),), (head,), tuple(deprels), (word,), is_turned)
        items = []
        if upos[head] != word_upos:
            items.append(f"{UPOS}={word_upos}")
        by_tags = self._plain_heads.head(tags)
        if self._ud and by_tags != head:
            # The arcs may not show the head: all arcs of a function word leave it.
            items.append(f"{HEAD_ITEM}{head + 1}")
        return WordPattern(tuple(upos), head, split, "+".join(own_tags), tuple(items), by_tags)

    def parts(self, pattern: WordPattern, sizes: Sequence[int], tags: Sequence[str]) -> Parts:
        """Return the parts of a word, whose heads have the relations of the parts.

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
                heads.append(start + self._plain_heads.head(tags[start:end]))
        deprels = tuple([split.deprels[at] for at in heads])
        of_parts = tuple([upos[at] for at in heads])
        split = Partition((len(heads),), (head_part,), deprels, *split[3:])
        return Parts(of_parts, head_part, split, told)


@lru_cache(maxsize=100)
def _whole(upos: str, has_copula: bool, is_adverbial: bool) -> Partition:
    return Partition((1,), (0,), ("",), (WordUpos(upos, upos, has_copula, is_adverbial),))


# --- the parts of a word --------------------------------------------------------------------------


_STEM = "stem"


class Parts(NamedTuple):
    """The analysis of a word's parts."""

    upos: tuple[str, ...]
    head: int
    """The part with the head morpheme, from 0."""
    split: Partition
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
    split: Partition
    items: tuple[str, ...]
    """The items of MISC of the word."""


class Stems:
    """Gives words of some UPOS their stem alone as LEMMA (rules/ud-classes.tsv, class `stem`).

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._heads = HeadRule(rules)
        self._sejong_tags = rules.sejong_tags
        self.upos = rules.ud_classes[_STEM]

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

    def in_range(self, token: Token, cuts: Sequence[tuple[Word, ...]]) -> list[tuple[Word, ...]]:
        """Return the parts of the words of a range, whose neighbours decide: U.S. before 의.

        Args:
            token: the range.
            cuts: the parts of each of its words by itself.
        """
        sizes = [len(word.morphemes) for word in token.words]
        eojeol = self._made(token.form, token.morphemes, completes=False)
        pieces = list(pairwise(accumulate(sizes, initial=0)))
        stay = self.granularity.are_words(eojeol, pieces)
        rows = zip(token.words, cuts, stay, strict=True)
        return [(word,) if stays else cut for word, cut, stays in rows]


_PARTICLE = "particle"
ITEM = "WordFeats"
"""The key of MISC that keeps FEATS of the word where its head part has others."""


class WordFeats:
    """Divides FEATS of words among their parts.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._sejong_tags = rules.sejong_tags
        self._permitted = rules.permitted
        self._lemmas, self._kind = rules.lemmas["normalised"], rules.kind
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

    def restored(self, words: Sequence[Word], head: int, told: str) -> str:
        """Return FEATS of a word, those of before or, where its parts have others now, theirs.

        Args:
            words: the parts.
            head: the part, from 0, with the head morpheme.
            told: FEATS of the word before it was split.
        """
        given = self(words, head, told)[0]
        if given == [word.feats for word in words]:
            return told
        items = [item for word in words for item in word.feats.split("|") if item != NOTHING]
        gone = {item for feats in given for item in feats.split("|")}
        items += [item for item in told.split("|") if item not in gone.union(items)]
        return "|".join(sorted(set(items), key=str.lower)) or NOTHING

    def joined(self, words: Sequence[Word]) -> str:
        """Return FEATS of a word, with those that the function words behind it express.

        Args:
            words: the word, and those that are joined to it; a particle or a copula adds the
                features that the word lacks and that its UPOS permits.
        """
        upos, feats = words[0].upos, words[0].feats
        items = [] if feats == NOTHING else feats.split("|")
        for word in words[1:]:
            tag = self._sejong_tags(word.morphemes)[0]
            if tag != COPULA and self._kind(tag) != _PARTICLE:
                continue
            for item in word.feats.split("|"):
                feature, _, value = item.partition("=")
                known = [one.partition("=")[0] for one in items]
                if feature not in known and upos in self._permitted.get((feature, value), ()):
                    items.append(item)
        return "|".join(sorted(items, key=str.lower)) or NOTHING

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
