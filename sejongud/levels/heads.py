"""The head morpheme of a word (rules/heads.tsv; memoir, §3.3.1), and the UPOS that follows from it.

`HeadUpos` has the UPOS of morphemes and of words by their morphemes, as the guidelines of UD do.

A morpheme has the UPOS of its form (rules/upos-forms.tsv) or of its tag (upos.tsv). A word has that
of its head morpheme, as the morphemes behind the head change it (upos-behind.tsv): a pure function
of the morphemes, whatever the source and the level of granularity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import remembered, remembered_by
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Morpheme
    from sejongud.rules import Row, Rules


_REMEMBERED = 20_000


class HeadRule:
    """Find the head among the morphemes of a word whose UPOS is unknown, or among words.

    Args:
        rules: the tables.
        rule: of rules/heads.tsv, "morphemes" or "words".

    >>> from sejongud.rules import load
    >>> HeadRule(load()).head(["NNG", "XSN", "VCP", "ETM"])
    0
    """

    def __init__(self, rules: Rules, rule: str = "morphemes") -> None:
        self._class = str if rule == "words" else rules.kind
        self._rows = [(_choice(row["of"]), row["pick"]) for row in rules.table("heads", rule=rule)]

    def head(self, tags: Sequence[str]) -> int:
        """Return the index of the head.

        Args:
            tags: the Sejong tags of the morphemes, or the UPOS of the words; at least one.
        """
        return self.heads(tags)[-1]

    def heads(self, tags: Sequence[str]) -> list[int]:
        """Return the index of the head of each beginning of a word: of one tag, of two, of all.

        Args:
            tags: as for `head`.
        """
        return self._heads_of[tuple(map(self._class, tags))]

    # Words share their kinds far more often than their tags.
    @remembered(_REMEMBERED)
    def _heads_of(self, kinds: tuple[str, ...]) -> list[int]:
        """Return the index of the head of each beginning of a word of these kinds."""
        heads_of_rows = [-1] * len(self._rows)
        heads = []
        for index, kind in enumerate(kinds):
            for row, ((wanted, fits), pick) in enumerate(self._rows):
                if (kind in wanted) == fits and (heads_of_rows[row] < 0 or _PICK[pick]):
                    heads_of_rows[row] = index
            heads.append(next((head for head in heads_of_rows if head >= 0), 0))
        return heads


class _Tagged(NamedTuple):
    """What the tags of a word say, whatever the UPOS of the word is."""

    kinds: list[str]
    tagset: str
    """The tag set that has all of the tags; "" if neither has."""
    among: list[int]
    """The morphemes, from 0, that may be the head."""


class WordHeadRule:
    """Find the head among the morphemes of a word whose UPOS is known, as in a UD treebank.

    Particles, endings, affixes, symbols and auxiliaries are no heads unless a word has nothing
    else (memoir, §3.3.1). The rule of the published program knows no such limit.

    Args:
        rules: the tables.
        rule: of rules/heads.tsv, "word" or "published".

    >>> from sejongud.rules import load
    >>> WordHeadRule(load()).head(["NNG", "NNG", "JKO"], ["NOUN", "NOUN", "ADP"], "NOUN")
    1
    """

    def __init__(self, rules: Rules, rule: str = "word") -> None:
        self._kind = rules.kind
        self._kaist = frozenset([row["tag"] for row in rules.table("kaist-tags")])
        # Tags of the Penn Korean Treebank divide words as those of Sejong do.
        self._sejong = frozenset(rules.kinds) - self._kaist
        self._rows = [
            (row["tagset"], _choice(row["word"]), row["by"], _choice(row["of"]), row["pick"])
            for row in rules.table("heads", rule=rule)
        ]
        among = rules.table("heads", rule="among") if rule == "word" else ()
        self._among = [_choice(row["of"]) for row in among]

    def among(self, tags: Sequence[str]) -> list[int]:
        """Return the morphemes, from 0, that may be the head.

        Args:
            tags: of the morphemes; at least one.
        """
        return self._tagged[tuple(tags)].among

    def head(self, tags: Sequence[str], upos: Sequence[str], word: str) -> int:
        """Return the index of the head morpheme.

        Args:
            tags: of the morphemes; at least one.
            upos: of the morphemes.
            word: the UPOS of the word.
        """
        kinds, tagset, among = self._tagged[tuple(tags)]
        for by, wanted, fits, pick in self._of_word[tagset, word]:
            classes = upos if by == "upos" else kinds
            positions = [i for i in among if (classes[i] in wanted) == fits]
            if positions and (pick != "end" or positions[-1] == among[-1]):
                return positions[_PICK[pick]]
        return among[0]

    @remembered(_REMEMBERED)
    def _tagged(self, tags: tuple[str, ...]) -> _Tagged:
        """Return what the tags of a word say."""
        kinds = list(map(self._kind, tags))
        among = list(range(len(tags)))
        for wanted, fits in self._among:
            positions = [i for i, kind in enumerate(kinds) if (kind in wanted) == fits]
            if positions:
                among = positions
                break
        return _Tagged(kinds, self._tagset(tags), among)

    @remembered_by(_REMEMBERED)
    def _of_word(self, tagset: str, word: str) -> list[tuple[str, frozenset[str], bool, str]]:
        """Return the rows for the words of a tag set and a UPOS: by, values, fits, pick."""
        return [
            (by, frozenset((word,)) if "=" in value else value, fits, pick)
            for of_tagset, (words, holds), by, (value, fits), pick in self._rows
            if of_tagset in ("*", tagset) and (word in words) == holds
        ]

    def _tagset(self, tags: Sequence[str]) -> str:
        """Return the tag set that has all of these tags; "" if neither has."""
        if self._sejong.issuperset(tags):
            return "sejong"
        return "kaist" if self._kaist.issuperset(tags) else ""


_PICK = {"first": 0, "last": -1, "end": -1}


def _choice(text: str) -> tuple[frozenset[str], bool]:
    """Read a choice: the values it names, and whether it wants one of them or any other."""
    if text == "*":
        return frozenset(), False
    return frozenset(text.removeprefix("!").split("|")), not text.startswith("!")


UD = "ud"
"""The scheme of UPOS by the guidelines of UD."""
UNKNOWN = "X"
"""The UPOS of a tag that is in no table."""
_LEMMAS = "normalised"


class NamedLemmas:
    """Find the lemmas of morphemes that rows of tables name.

    Args:
        rules: the tables.
        named: the lemmas and Sejong tags.
    """

    def __init__(self, rules: Rules, named: frozenset[tuple[str, str]]) -> None:
        self._known = rules.lemmas[_LEMMAS]
        self._named = named
        self._tags = frozenset([tag for _, tag in named])

    def of(
        self, forms: tuple[str, ...], own: tuple[str, ...], tags: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return the lemma of each morpheme, "" if no row names it; () if none names any.

        Args:
            forms: of the morphemes.
            own: their tags.
            tags: their Sejong tags.
        """
        if self._tags.isdisjoint(tags):
            return ()
        known, named, by_tag = self._known, self._named, self._tags
        lemmas = []
        for form, own_tag, tag in zip(forms, own, tags):  # noqa: B905
            lemma = known.get((form, own_tag), form) if tag in by_tag else ""
            lemmas.append(lemma if (lemma, tag) in named else "")
        return tuple(lemmas) if any(lemmas) else ()


class HeadUpos:
    """Give morphemes and words the UPOS of UD.

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> upos = HeadUpos(load())
    >>> upos.word(["", ""], ["NNG", "XSV"], 0), upos.morphemes(["", ""], ["NNG", "XSV"])
    ('VERB', ['NOUN', 'PART'])
    """

    def __init__(self, rules: Rules) -> None:
        self._by_tag = rules.upos[UD]
        self._kind = rules.kind
        self._heads = HeadRule(rules, UD)
        self._sejong_tags = rules.sejong_tags
        self._of_forms: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for row in rules.table("upos-forms"):
            key = row["lemma"], row["tag"]
            self._of_forms.setdefault(key, []).append((row["behind"], row["upos"]))
        self._behind: dict[str, list[Row]] = {}
        for row in rules.table("upos-behind"):
            self._behind.setdefault(row["tag"], []).append(row)
        rows = rules.table("upos-behind")
        after = [row["after"].rpartition("/") for row in rows]
        named = {(row["lemma"], row["tag"]) for row in rows}
        named |= {*self._of_forms, *((lemma, tag) for lemma, _, tag in after)}
        self.named = frozenset([pair for pair in named if pair[0] not in ("", ANY)])
        """The lemmas and Sejong tags that decide."""
        self._lemmas = NamedLemmas(rules, self.named).of

    def morphemes(self, lemmas: Sequence[str], tags: Sequence[str]) -> list[str]:
        """Return the UPOS of each morpheme of a word.

        Args:
            lemmas: their lemmas, "" for one that no row names (`NamedLemmas`).
            tags: the Sejong tags.
        """
        upos = []
        before = ""
        for key in zip(lemmas, tags, strict=True):
            rows = self._of_forms.get(key, ())
            fits = [
                upos
                for behind, upos in rows
                if behind == ANY or self._kind(before) in behind.split("|")
            ]
            upos.append(fits[0] if fits else self._by_tag.get(key[1], UNKNOWN))
            before = key[1]
        return upos

    def word(self, lemmas: Sequence[str], tags: Sequence[str], head: int) -> str:
        """Return the UPOS of a word of several morphemes.

        Args:
            lemmas: as for `morphemes`.
            tags: the Sejong tags of its morphemes.
            head: its head morpheme, from 0.
        """
        upos = self.morphemes(lemmas, tags)[head]
        if len(tags) == 1:
            return upos
        for at in range(head, len(tags)):
            for row in self._behind.get(tags[at], ()):
                if (
                    row["lemma"] in (ANY, lemmas[at])
                    and (row["now"] == ANY or upos in row["now"].split("|"))
                    and _follows(row["after"], lemmas, tags, at)
                ):
                    if not row["upos"]:
                        return upos
                    upos = row["upos"]
                    break
        return upos

    def parts(self, morphemes: Sequence[Morpheme], runs: Sequence[tuple[int, int]]) -> list[str]:
        """Return the UPOS of the words of a token; its head has the UPOS of the whole.

        Args:
            morphemes: of the token.
            runs: the words, each by its first morpheme and the one behind its last, from 0.
        """
        tags = self._sejong_tags(morphemes)
        forms, own, *_ = zip(*morphemes, strict=True)
        lemmas = self._lemmas(forms, own, tags) or ("",) * len(tags)
        head = self._heads.head(tags)
        alone = self.morphemes(lemmas, tags)
        upos = []
        for first, last in runs:
            if first <= head < last:
                upos.append(self.word(lemmas, tags, head))
            elif last == first + 1:
                upos.append(alone[first])
            else:
                inner = tags[first:last]
                upos.append(self.word(lemmas[first:last], inner, self._heads.head(inner)))
        return upos


def _follows(after: str, lemmas: Sequence[str], tags: Sequence[str], at: int) -> bool:
    """Return whether the morpheme before one fits the column `after` of a row."""
    if after == ANY:
        return True
    lemma, _, tag = after.rpartition("/")
    return at > 0 and tags[at - 1] == tag and lemma in (ANY, lemmas[at - 1])
