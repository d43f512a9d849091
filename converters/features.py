"""Give words their FEATS, from the lemmas and tags of their morphemes (--feats, rules/feats.tsv).

    갔다    가/VV 았/EP 다/EF     Mood=Ind|Tense=Past|VerbForm=Fin        one word, level 2
    가고    가/VV 고/EC           Form=Compl, or before an auxiliary (있다) Form=Aux

Features stand in the segmentation that is written: `Features` is a step behind the one that cuts
words anew. FEATS that a treebank has stay. Only an ending at the end of its token looks at the next
token, so an eojeol has one variant for each tag behind it that a row of the table names.

Give words a romanisation and glosses in MISC (--translit, --gloss).

    갔다    Translit=.gass.da|LTranslit=.ga+.eoss+.da|MGloss=가-past-decl

`Translit=` is of the form, on the range line of a token with several words too, `LTranslit=` of the
lemma, as UD Korean GSD and Kaist write them (rules/translit.tsv). `MGloss=` names the particles,
endings and affixes of a word (rules/glosses.tsv); other morphemes stand for themselves. Items that
a treebank has stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import UsageError
from sejongud.formats.conllu.sentence import says_more
from sejongud.formats.misc import escape_misc, misc_items
from sejongud.levels.cut import Lemmas
from sejongud.memo import Memo
from sejongud.model import NOTHING, Eojeol, Morpheme, Sentence, Token, Word, changed_token
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.rules import Rules

    _Choose = Callable[[Word, str], str]
    _Change = Callable[[str, list[str]], str]

SCHEMES = ("ud", "full")
"""The columns of the table: registered in UD for Korean, or all that UD has for it."""

_KINDS = {"v": ("verb", "auxiliary"), "a": ("adjective", "copula")}
_SAME = "same"
"""The class of an auxiliary that takes the class of the stem before it (rules/feats-stems.tsv)."""
_POLITE = "Polite"
"""A word can honour the subject and be polite to the hearer, 가십니다: Polite=Elev,Form."""
_OF_ENDINGS = frozenset(("Form", "Mood", "VerbForm"))
_PARTICLE = "particle"
_CLOSING, _PREFINAL = "closing", "prefinal"
_MOOD, _UNMARKED = "Mood", ("Ind", None)
"""The moods of a closing ending that leave that of a prefinal one: 가겠다 is Pot, 가겠니 Int."""


class _FeatureRow(NamedTuple):
    """A row of the table, for one lemma and tag."""

    stem: str
    next: str
    feats: tuple[tuple[str, str], ...]

    @property
    def rank(self) -> int:
        """The number of conditions: the row with more decides, and a form goes before a kind."""
        return (self.stem != ANY) + ("/" in self.stem) + (self.next != ANY)

    def fits(self, stem: tuple[str, str], behind: str) -> bool:
        """Return whether the row holds between a stem and the name of the morpheme behind."""
        return (self.stem in (ANY, stem[0]) or stem[1] in self.stem.split("|")) and (
            self.next == ANY
            or not {behind, behind.rpartition("/")[2]}.isdisjoint(self.next.split("|"))
        )


class Features:
    """Gives the words of sentences their FEATS.

    Args:
        rules: the tables.
        scheme: "ud" or "full".
        permitted: whether a word has of "ud" only what its UPOS permits.

    Raises:
        UsageError: there is no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str, *, permitted: bool = True) -> None:
        if scheme not in SCHEMES:
            raise UsageError(f"there are no FEATS {scheme}: {', '.join(SCHEMES)}")
        self._kind = rules.kind
        self._sejong_tags, self._standard = rules.sejong_tags, rules.standard
        self._lemmas = Lemmas(rules, "normalised")
        self._table: dict[tuple[str, str], list[_FeatureRow]] = {}
        for row in rules.table("feats"):
            feats = tuple(misc_items(row[scheme]).items())
            self._table.setdefault((row["lemma"], row["tag"]), []).append(
                _FeatureRow(row["stem"], row["next"], feats)
            )
        for rows in self._table.values():
            rows.sort(key=lambda row: row.rank, reverse=True)
        self._looks_at = frozenset(
            [tag for row in rules.table("feats") for tag in row["next"].split("|")]
        ) - {ANY}
        self._permitted = rules.permitted
        self._is_checked = permitted and scheme == "ud"
        self._stems = {(row["form"], row["tag"]): row["kind"] for row in rules.table("feats-stems")}
        self._made: Memo[tuple[Eojeol, str, str], Eojeol] = Memo.of(
            self, lambda features, place: features._changed(place, _given)
        )

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with FEATS in all words that have none."""
        filled = [self._made[place] for place in self._placed(sentence)]
        return sentence.but(eojeols=tuple(filled))

    def cleared(self, sentence: Sentence) -> Sentence:
        """Return the sentence without the FEATS that this table gives its words.

        They are given anew once the words are cut, so that every level has the features of its
        own words, whichever level was read.
        """
        if not any([word.feats != NOTHING for word in sentence.words]):
            return sentence
        eojeols = tuple([self._changed(place, _taken) for place in self._placed(sentence)])
        return unsaid(sentence, eojeols, self._kind)

    def _placed(self, sentence: Sentence) -> Iterator[tuple[Eojeol, str, str]]:
        """Yield each eojeol with what a row of the table asks of the eojeols beside it.

        That is the name of the morpheme behind it, "" if no row names it, and the class of the stem
        before it, "" if the eojeol does not begin with an auxiliary of the same class.
        """
        eojeols = sentence.eojeols
        first = [self._named(eojeol.morphemes[0]) for eojeol in eojeols]
        kind = ""
        for eojeol, behind in zip(eojeols, [*first[1:], ""], strict=True):
            yield eojeol, behind, kind if self._is_same(eojeol.morphemes[0]) else ""
            for morpheme, tag in zip(eojeol.morphemes, self._tags(eojeol.morphemes), strict=True):
                kind = self._stem_kind(morpheme.form, tag, kind) or kind

    def _is_same(self, morpheme: Morpheme) -> bool:
        """Return whether an auxiliary has the class of the stem before it."""
        return self._stems.get((morpheme.form, self._tags((morpheme,))[0])) == _SAME

    def _named(self, morpheme: Morpheme) -> str:
        """Return the form/tag or the tag of a morpheme, if a row of the table names it, or ""."""
        (tag,) = self._tags((morpheme,))
        name = f"{morpheme.form}/{tag}"
        return next((key for key in (name, tag) if key in self._looks_at), "")

    def _tags(self, morphemes: Sequence[Morpheme]) -> list[str]:
        """Return the tags of morphemes as the table has them."""
        return [self._standard.get(tag, tag) for tag in self._sejong_tags(morphemes)]

    def _changed(self, place: tuple[Eojeol, str, str], choose: _Choose) -> Eojeol:
        """Return an eojeol, in its place (`_placed`), whose words have chosen FEATS."""
        eojeol, behind, before = place
        tokens = []
        first = [self._named(token.words[0].morphemes[0]) for token in eojeol.tokens]
        for token, follower in zip(eojeol.tokens, [*first[1:], behind], strict=True):
            pairs = zip(token.words, self._of(token.words, follower, before), strict=True)
            words = tuple([word._replace(feats=choose(word, feats)) for word, feats in pairs])
            if words != token.words:
                token = changed_token(token, words, token.feats, token.misc)
            tokens.append(token)
        return eojeol.but(tokens=tuple(tokens))

    def _of(self, words: Sequence[Word], behind: str, before: str) -> Iterator[str]:
        """Yield the FEATS of each word of a token."""
        morphemes = [m for word in words for m in word.morphemes]
        sejong, tags = self._sejong_tags(morphemes), self._tags(morphemes)
        lemmas = self._lemmas.of(morphemes)
        stem = before, ""
        index = 0
        for word in words:
            values: dict[str, str] = {}
            mood: dict[str, str] = {}
            for morpheme in word.morphemes:
                tag = tags[index]
                after = range(index + 1, len(tags))
                nearest = next((i for i in after if self._kind(tags[i]) != _PARTICLE), None)
                follower = behind if nearest is None else self._named(morphemes[nearest])
                feats = self._feats(lemmas[index], sejong[index], stem, follower)
                ending = self._stems.get((ANY, tag))
                if ending == _PREFINAL and _MOOD in feats:
                    mood = {_MOOD: feats[_MOOD]}
                if ending == _CLOSING:
                    values = {name: values[name] for name in values if name not in _OF_ENDINGS}
                    feats = feats | mood if feats.get(_MOOD) in _UNMARKED else feats
                    mood = {}
                if not self._is_checked and values.get(_POLITE) == "Elev" and _POLITE in feats:
                    feats = {**feats, _POLITE: f"Elev,{feats[_POLITE]}"}
                values |= feats
                if kind := self._stem_kind(morpheme.form, tag, stem[0]):
                    stem = kind, f"{morpheme.form}/{tag}"
                index += 1
            yield _written(self._allowed(values, word.upos))

    def _feats(self, lemma: str, tag: str, stem: tuple[str, str], behind: str) -> dict[str, str]:
        """Return the features of a morpheme."""
        standard = self._standard.get(tag, tag)
        for key in ((lemma, tag), (lemma, standard), (ANY, standard)):
            for row in self._table.get(key, ()):
                if row.fits(stem, behind):
                    return dict(row.feats)
        return {}

    def _stem_kind(self, form: str, tag: str, before: str) -> str:
        """Return v for a verb, a for an adjective, "" for any other morpheme.

        Args:
            form: of the morpheme.
            tag: its tag.
            before: the class of the stem before it.
        """
        listed = self._stems.get((form, tag)) or self._stems.get((ANY, tag))
        if listed == _SAME:
            return before or "v"
        if listed in _KINDS:
            return listed
        kind = self._kind(tag)
        return next((name for name, kinds in _KINDS.items() if kind in kinds), "")

    def _allowed(self, feats: Mapping[str, str], upos: str) -> Iterable[tuple[str, str]]:
        """Return the features that a word may have."""
        if not self._is_checked:
            return feats.items()
        return [pair for pair in feats.items() if upos in self._permitted.get(pair, ())]


def _given(word: Word, feats: str) -> str:
    """Return the FEATS of a word, those of the table if it has none."""
    return feats if word.feats in ("", NOTHING) else word.feats


def _taken(word: Word, feats: str) -> str:
    """Return the FEATS of a word, none if they are those of the table."""
    return NOTHING if word.feats == feats else word.feats


def unsaid(sentence: Sentence, eojeols: tuple[Eojeol, ...], kind: Callable[[str], str]) -> Sentence:
    """Return a sentence whose words say less; it is a treebank's if they still say enough.

    Args:
        sentence: the sentence.
        eojeols: in place of its own.
        kind: tag → the kind of its morphemes.
    """
    result = sentence.but(eojeols=eojeols)
    if sentence.arcs is None:
        result.is_treebank = any([says_more(token, kind) for token in result.tokens])
    return result


def _written(feats: Iterable[tuple[str, str]]) -> str:
    """Return FEATS as a cell: sorted by name, in any case.

    >>> _written([("Tense", "Past"), ("Mood", "Ind")]), _written([])
    ('Mood=Ind|Tense=Past', '_')
    """
    items = [f"{name}={value}" for name, value in feats]
    return "|".join(sorted(items, key=str.lower)) or NOTHING


# --- romanisation and glosses ---------------------------------------------------------------------

_COMMENT = "translit = "
_PLACES = ("lead", "vowel", "coda")


class Interlinear:
    """Gives the words of sentences their romanisation and glosses.

    Args:
        rules: the tables.
        translit: whether to romanise.
        gloss: whether to gloss.
    """

    def __init__(self, rules: Rules, *, translit: bool = False, gloss: bool = False) -> None:
        self._rules = rules
        self._translit, self._gloss = translit, gloss
        letters: dict[str, dict[str, str]] = {place: {"": ""} for place in _PLACES}
        for row in rules.table("translit"):
            letters[row["place"]][row["jamo"]] = row["latin"]
        self._letters = [letters[place] for place in _PLACES]
        self._glosses = {(row["lemma"], row["tag"]): row["gloss"] for row in rules.table("glosses")}
        self._lemmas = rules.lemmas["normalised"]
        self._made: Memo[Eojeol, Eojeol] = Memo.of(
            self, lambda interlinear, eojeol: interlinear._changed(eojeol, _added)
        )

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the items in all words that lack them."""
        eojeols = tuple([self._made[eojeol] for eojeol in sentence.eojeols])
        result = sentence.but(eojeols=eojeols)
        if self._translit and not any([c.startswith(_COMMENT) for c in sentence.comments]):
            result.comments = (self._comment(sentence), *sentence.comments)
        return result

    def cleared(self, sentence: Sentence) -> Sentence:
        """Return the sentence without the items that `__call__` gives its words."""
        comments = tuple([c for c in sentence.comments if c != self._comment(sentence)])
        if not any([token.misc != NOTHING for token in sentence.tokens]) and not any(
            [word.misc not in ("", NOTHING) for word in sentence.words]
        ):
            return sentence
        eojeols = tuple([self._changed(eojeol, _without) for eojeol in sentence.eojeols])
        result = unsaid(sentence, eojeols, self._rules.kind)
        result.comments = comments
        return result

    def romanised(self, text: str) -> str:
        """Return a text in Latin letters; what is no Hangul syllable stays.

        >>> from sejongud.rules import load
        >>> Interlinear(load()).romanised("가까운 ㄴ 8개")
        '.ga.gga.un ㄴ 8.gae'
        """
        return "".join([self._syllable(char) if is_syllable(char) else char for char in text])

    def _syllable(self, char: str) -> str:
        parts = zip(self._letters, decompose(char), strict=True)
        return "." + "".join([letters.get(jamo, jamo) for letters, jamo in parts])

    def _comment(self, sentence: Sentence) -> str:
        return f"{_COMMENT}{self.romanised(sentence.text)}"

    def _changed(self, eojeol: Eojeol, change: _Change) -> Eojeol:
        """Return an eojeol with other MISC."""
        tokens = []
        for token in eojeol.tokens:
            words = tuple([word._replace(misc=change(*pair)) for word, pair in self._items(token)])
            misc = words[0].misc
            if len(words) > 1:
                misc = change(token.misc, [self._of_form(token.form)] * self._translit)
            tokens.append(changed_token(token, words, token.feats, misc))
        return eojeol.but(tokens=tuple(tokens))

    def _items(self, token: Token) -> Iterator[tuple[Word, tuple[str, list[str]]]]:
        """Yield each word of a token with its MISC and the items for it."""
        for word in token.words:
            items = []
            if self._translit:
                items.append(self._of_form(word.form or token.form))
                if word.lemma != NOTHING:
                    items.append(f"LTranslit={escape_misc(self.romanised(word.lemma))}")
            if self._gloss and (gloss := self._glossed(word.morphemes)):
                items.append(f"MGloss={escape_misc(gloss)}")
            misc = word.misc if len(token.words) > 1 else token.misc
            yield word, (misc, items)

    def _of_form(self, form: str) -> str:
        return f"Translit={escape_misc(self.romanised(form))}"

    def _glossed(self, morphemes: tuple[Morpheme, ...]) -> str:
        """Return the gloss of a word; "" if none of its morphemes has one."""
        glosses = [self.gloss_of(morpheme) for morpheme in morphemes]
        if not any(glosses):
            return ""
        parts = [
            f"-{gloss}" if gloss else morpheme.form
            for gloss, morpheme in zip(glosses, morphemes, strict=True)
        ]
        return "".join(parts)

    def gloss_of(self, morpheme: Morpheme) -> str:
        """Return the gloss of a particle, an ending or an affix; "" for other morphemes."""
        tag = self._rules.sejong_tag(morpheme.form, morpheme.tag)
        lemma = self._lemmas.get((morpheme.form, tag), morpheme.form)
        return self._glosses.get((lemma, tag)) or self._glosses.get((ANY, tag), "")


def _added(misc: str, items: list[str]) -> str:
    """Return MISC with the items whose keys it lacks."""
    keys = misc_items(misc)
    old = [] if misc in ("", NOTHING) else [misc]
    return "|".join([*old, *[item for item in items if item.partition("=")[0] not in keys]]) or misc


def _without(misc: str, items: list[str]) -> str:
    """Return MISC without these items."""
    if misc in ("", NOTHING):
        return misc
    return "|".join([item for item in misc.split("|") if item not in items]) or NOTHING
