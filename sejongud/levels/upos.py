"""The UPOS of a word, in one of several schemes (--upos).

`sejong` and `table3.1` map a tag to its UPOS; a word of several morphemes has the UPOS of its last
derivation (rules/upos-derived.tsv; memoir, 2.3.5) or else of its head (annotation scheme, "The five
levels"). `ud` follows the guidelines of UD (`sejongud.levels.heads`); the part with the head of
a token has the UPOS of the token. `ud-unidive`, `ud-gsd`, `ud-ksl` and `ud-kaist` map words, by
patterns of their tags that were counted in treebanks (rules/upos-words.tsv), and the parts that a
level cuts off from words (upos-parts.tsv). `morphud` is the scheme of Chen et al. (2022): the UPOS
of a morpheme may depend on the UPOS of its token (rules/upos-morphud.tsv), which is looked up as in
GSD, their treebank. A tag of another tag set counts as its nearest Sejong tag where the scheme does
not name it itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.levels.heads import UD, UNKNOWN, HeadRule, HeadUpos
from sejongud.levels.patterns import compile_patterns
from sejongud.memo import remembered
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sejongud.model import Morpheme
    from sejongud.rules import Row, Rules

_REMEMBERED = 20_000
IN_CONTEXT, _CONTEXT = "morphud", "ud-gsd"


def upos_schemes(rules: Rules) -> tuple[str, ...]:
    """Return the names of the schemes.

    >>> from sejongud.rules import load
    >>> upos_schemes(load())
    ('sejong', 'table3.1', 'ud', 'ud-unidive', 'ud-gsd', 'ud-ksl', 'ud-kaist', 'morphud')
    """
    counted = [row["scheme"] for row in rules.table("upos-words")]
    return tuple(dict.fromkeys((*rules.upos, *counted, IN_CONTEXT)))


class UposScheme:
    """Give words their UPOS in one of the schemes.

    Args:
        rules: the tables.
        name: of the scheme.

    Raises:
        UsageError: no such scheme.

    >>> from sejongud.model import Morpheme
    >>> from sejongud.rules import load
    >>> UposScheme(load(), "sejong").of((Morpheme("프랑스", "NNP"), Morpheme("의", "JKG")))
    'PROPN'
    """

    def __init__(self, rules: Rules, name: str) -> None:
        if name not in upos_schemes(rules):
            raise UsageError(f"there is no UPOS scheme {name}: {', '.join(upos_schemes(rules))}")
        self._sejong_tags = rules.sejong_tags
        self._head = HeadRule(rules).head
        self._derived = Derivation(rules).upos
        self._words: UposPatterns | None = None
        self._heads = HeadUpos(rules) if name == UD else None
        self.in_context = name in (IN_CONTEXT, UD)
        """Whether the UPOS of a word depends on the token around it; see `parts`."""
        self._by_tag = by_tag = rules.upos.get(name, {})
        if name == IN_CONTEXT or rules.table("upos-words", scheme=name):
            self._words = UposPatterns(rules, _CONTEXT if self.in_context else name)
            has_rows = rules.user_file("upos-words") or not rules.replaces_tags
            if not has_rows and self._words.named.isdisjoint(rules.tags):
                wrong = f"no row of the UPOS scheme {name} has a tag of tagset.tsv"
                raise UsageError(f"{wrong}: choose {' or '.join(rules.upos)}, or add rows")
            by_tag = self._words.by_tag
        if self.in_context:
            by_tag = {}
        self.by_tag = {tag: upos for tag, upos in by_tag.items() if rules.are_sejong((tag,))}
        """The UPOS of a word of one morpheme, for each Sejong tag that decides it by itself."""
        self._morphemes = MorphemeUpos(rules, name) if name == IN_CONTEXT else None

    def parts(
        self, morphemes: tuple[Morpheme, ...], runs: Sequence[tuple[int, int]]
    ) -> Sequence[str]:
        """Return the UPOS of the words of a token.

        Args:
            morphemes: of the token; at least one.
            runs: the words, each by its first morpheme and the one behind its last, from 0.
        """
        if self._heads is not None:
            return self._heads.parts(morphemes, runs)
        words = [morphemes[first:last] for first, last in runs]
        if self._words is None:
            return [self._by_tags[self._sejong_tags(word)] for word in words]
        if self._morphemes is None:
            return list(map(self._words.of, words))
        token_upos = self._words.of(morphemes)
        tags = frozenset([m.tag for m in morphemes])
        return [self._in_context(word, token_upos, tags) for word in words]

    def of(self, morphemes: tuple[Morpheme, ...]) -> str:
        """Return the UPOS of a word that is a token.

        Args:
            morphemes: at least one.
        """
        return self.parts(morphemes, [(0, len(morphemes))])[0]

    def _in_context(
        self, morphemes: tuple[Morpheme, ...], token_upos: str, token_tags: Collection[str]
    ) -> str:
        """Return the UPOS of a word by its head morpheme, in the scheme `morphud`."""
        assert self._morphemes is not None
        tags = self._sejong_tags(morphemes)
        head = self._head(tags)
        tag = self._morphemes.tags([morphemes[head].tag], [tags[head]])[0]
        return self._morphemes.in_context(tag, token_upos, token_tags)

    # Words share their tags far more often than their forms.
    @remembered(_REMEMBERED)
    def _by_tags(self, tags: tuple[str, ...]) -> str:
        """Return the UPOS of a word that its tags decide."""
        derived = self._derived(tags) if len(tags) > 1 else ""
        return derived or self._by_tag.get(tags[self._head(tags)], UNKNOWN)


class Derivation:
    """Find the UPOS that a derivation gives a word of several morphemes (memoir, 2.3.5).

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> upos = Derivation(load()).upos
    >>> upos(["NNG", "XSV", "EP", "EF"]), upos(["NNG", "XSV", "ETM", "NNB"])
    ('VERB', '')
    """

    def __init__(self, rules: Rules) -> None:
        self._heads = HeadRule(rules).heads
        rows: dict[tuple[str, str], dict[str, str]] = {}
        for row in rules.table("upos-derived"):
            rows.setdefault((row["by"], row["of"]), {})[row["behind"]] = row["upos"]
        self._by_tag = {
            tag: rows.get(("kind", rules.kind(tag)), {}) | rows.get(("tag", tag), {})
            for tag in rules.tags
        }

    def upos(self, tags: Sequence[str]) -> str:
        """Return the UPOS; "" if no derivation decides.

        Args:
            tags: the Sejong tags of the morphemes.
        """
        heads: list[int] = []
        for index in reversed(range(len(tags))):
            rows = self._by_tag.get(tags[index], {})
            upos = rows.get(ANY)
            if index and len(rows) > (ANY in rows):
                heads = heads or self._heads(tags)
                upos = rows.get(tags[heads[index - 1]], upos)
            if upos is not None:
                return upos
        return ""


class UposPatterns:
    """Give words the UPOS that they have in treebanks (rules/upos-words.tsv).

    Args:
        rules: the tables.
        scheme: a scheme of that table.
    """

    def __init__(self, rules: Rules, scheme: str) -> None:
        rows = rules.table("upos-words", scheme=scheme)
        self._decide = compile_patterns(rows)
        elements = [row["pattern"].split() for row in rows]
        self.named = named = {part.rpartition("/")[2] for pattern in elements for part in pattern}
        """The tags of the rows, and the patterns of tags."""
        kaist = frozenset(row["tag"] for row in rules.table("kaist-tags"))
        named_kaist = kaist if not named.isdisjoint(kaist) else frozenset[str]()
        self._own = named_kaist
        self._sejong_tags = rules.sejong_tags
        self._standard = rules.standard
        self._known = named.union(rules.tags, named_kaist)
        self._forms = {tuple(pattern) for pattern in elements if len(pattern) == 1}
        of_parts = {(row["by"], row["of"]): row for row in rules.table("upos-parts")}
        endings = {row["sejong"]: row["tag"] for row in reversed(rules.table("kaist-tags"))}
        of_tags = {
            tag: of_parts.get(("tag", rules.sejong_tag("", tag)))
            or of_parts.get(("kind", rules.kind(tag)), {})
            for tag in (*rules.tags, *named_kaist)
        }
        self._alone, self._outside, self._between, behind = [
            {tag: row[column] for tag, row in of_tags.items() if row.get(column)}
            for column in ("alone", "outside", "between", "behind")
        ]
        self._behind: dict[str, tuple[str, str]] = {}
        for tag, added in behind.items():
            form, _, ending = added.rpartition("/")
            self._behind[tag] = form, endings[ending] if tag in named_kaist else ending
        of_forms = {pattern[0].rpartition("/")[2] for pattern in self._forms if "/" in pattern[0]}
        self.by_tag = {tag: upos for tag, upos in self._alone.items() if tag not in of_forms}
        """The UPOS of a morpheme, for each tag that decides it by itself."""

    def of(self, morphemes: tuple[Morpheme, ...]) -> str:
        """Return the UPOS of a word.

        Args:
            morphemes: at least one.
        """
        tags = [
            morpheme.tag if morpheme.tag in self._own else self._standard.get(tag, tag)
            for morpheme, tag in zip(morphemes, self._sejong_tags(morphemes), strict=True)
        ]
        forms = [m.form for m in morphemes]
        if (
            len(tags) == 1
            and tags[0] in self._alone
            and (f"{forms[0]}/{tags[0]}",) not in self._forms
        ):
            return self._alone[tags[0]]
        if self._known.isdisjoint(tags):
            return UNKNOWN
        while len(tags) > 1 and self._outside.get(tags[-1]) in (ANY, tags[-2]):
            del tags[-1], forms[-1]
        while len(tags) > 1 and self._outside.get(tags[0]) == ANY:
            del tags[0], forms[0]
        if not self._between.keys().isdisjoint(tags):
            self._join(tags, forms)
        if tags[-1] in self._behind and len(tags) > 1:
            form, tag = self._behind[tags[-1]]
            forms.append(form)
            tags.append(tag)
        return self._decide(tuple(tags), tuple(forms))

    def _join(self, tags: list[str], forms: list[str]) -> None:
        """Make one morpheme of those that a symbol joins (57.14), in place."""
        index = 1
        while index < len(tags) - 1:
            if tags[index - 1] == tags[index + 1] == self._between.get(tags[index]):
                forms[index - 1 : index + 2] = ["".join(forms[index - 1 : index + 2])]
                del tags[index : index + 2]
            else:
                index += 1


class MorphemeUpos:
    """Give the morphemes of a word their UPOS, if the UPOS of the word is known.

    Args:
        rules: the tables.
        scheme: `morphud`, which depends on the word as well (rules/upos-morphud.tsv, and for KAIST
            tags kaist-tags.tsv), or a scheme of rules/upos.tsv.

    Raises:
        UsageError: no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str) -> None:
        if scheme != IN_CONTEXT and scheme not in rules.upos:
            names = ", ".join([IN_CONTEXT, *rules.upos])
            raise UsageError(f"there is no UPOS scheme {scheme}: {names}")
        self._by_tag = None if scheme == IN_CONTEXT else rules.upos[scheme]
        self._kaist = {row["tag"]: row["morphud"] for row in rules.table("kaist-tags")}
        self._sejong_tag = rules.sejong_tag
        self._rows: dict[str, list[Row]] = {}
        for row in rules.table("upos-morphud"):
            self._rows.setdefault(row["tag"], []).append(row)

    def tags(self, tags: Sequence[str], sejong: Sequence[str]) -> Sequence[str]:
        """Return the tags of morphemes as the scheme has them: `morphud` has KAIST tags as well.

        Args:
            tags: the tags of the treebank.
            sejong: the Sejong tags.
        """
        if self._by_tag is not None:
            return sejong
        return [tag if tag in self._kaist else to for tag, to in zip(tags, sejong, strict=True)]

    def of(self, tags: Sequence[str], word: str) -> list[str]:
        """Return the UPOS of each morpheme.

        Args:
            tags: of all the morphemes of the word; see `tags`.
            word: its UPOS.
        """
        if self._by_tag is None:
            return [self.in_context(tag, word, tags) for tag in tags]
        return [self._by_tag.get(tag, UNKNOWN) for tag in tags]

    def in_context(self, tag: str, word: str, tags: Collection[str]) -> str:
        """Return the UPOS of one morpheme in the scheme `morphud`.

        Args:
            tag: its tag.
            word: the UPOS of its word.
            tags: of all the morphemes of the word.
        """
        if tag in self._kaist:
            return self._kaist[tag]
        for row in self._rows.get(self._sejong_tag("", tag), ()):
            if row["word"] in ("*", word) and (row["has"] == "*" or row["has"] in tags):
                return row["upos"]
        return UNKNOWN
