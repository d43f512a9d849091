"""The words of a tree whose arcs are changed, and the conditions that tables put to them.

A condition of rules/ud-heads.tsv and rules/ud-relations.tsv is `*` or several tests with a space
between: `kind=predicate ending=EC|ETN first!=하/VX`. A test holds if the word has one of the values
(none of them with `!=`); `@CLASS` stands for the names of a class of rules/ud-words.tsv.

The head-final tree of eojeols that a UD tree was made of, as far as UD tells it.

    1 갈    0 root            1 갈    2 VP_MOD
    2 수    1 aux             2 수    3 NP_SBJ
    3 있다  2 fixed           3 있다  0 VP

An eojeol that hangs on one before it goes up: the auxiliary above its verb, the last conjunct above
the others. Labels follow from relation and tags (steps `category` and `function` of
rules/ud-relations.tsv). Where that is not the tree of the treebank, `TreeHead=` and `TreeLabel=` in
MISC of the first word of an eojeol tell it.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.recut import recut_at
from sejongud.converters.trees import Dependencies
from sejongud.errors import FormatError, RulesError
from sejongud.formats.base import to_number
from sejongud.formats.klue import as_word
from sejongud.formats.misc import TREE_HEAD, TREE_LABEL, misc_items, unescape_misc
from sejongud.layers.arcs import ROOT
from sejongud.layers.labels import not_written
from sejongud.layers.trees import depths_of
from sejongud.levels.heads import UD
from sejongud.model import LEVELS, NOTHING, Arcs, Sentence, Word
from sejongud.rules.tables import SCHEMAS, located

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.rules import Rules
    from sejongud.rules.tables import Row

PUNCT = "PUNCT"
_place = attrgetter("at")


@dataclass(eq=False, slots=True)
class TreeWord:
    """A word, its arc, and what the treebank says of it."""

    at: int
    word: Word
    tags: list[tuple[str, str]]
    """Form and Sejong tag of each morpheme, then those of the functional words behind."""
    eojeol: int
    upos: str
    category: str = ""
    function: str = ""
    deprel: str = ""
    rule: str = ""
    doubt: str = ""
    """Another relation that is as good."""
    feats: str = ""
    part: str = ""
    """The place of a word that does not stand for its eojeol: functional, bracket, before …"""
    is_clause: bool = False
    face: TreeWord = field(init=False)
    """The word that has the particle and the ending: the one whose place this word took."""
    dependents: list[TreeWord] = field(default_factory=list, init=False)
    """In order."""
    _head: TreeWord | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.face = self

    @property
    def head(self) -> TreeWord | None:
        """The governor; None for the root."""
        return self._head

    @head.setter
    def head(self, head: TreeWord | None) -> None:
        if self._head is not None:
            self._head.dependents.remove(self)
        if head is not None:
            insort(head.dependents, self, key=_place)
        self._head = head

    def take_place(self, other: TreeWord) -> None:
        """Take the head, the label, the relation, the part and the face of another word."""
        self.part = other.part
        self.head, self.deprel, self.rule = other.head, other.deprel, other.rule
        self.category, self.function, self.face = other.category, other.function, other.face

    @property
    def is_mark(self) -> bool:
        """Whether the word is punctuation."""
        return self.upos == PUNCT


class WordClasses:
    """The classes of labels, tags and forms (rules/ud-words.tsv).

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._classes: dict[str, dict[str, str]] = {}
        for row in rules.table("ud-words"):
            self._classes.setdefault(row["class"], {})[row["name"]] = row["value"]

    def __getitem__(self, name: str) -> Mapping[str, str]:
        """Return the names of a class, each with its value.

        Raises:
            RulesError: there is no such class.
        """
        if name not in self._classes:
            known = ", ".join(self._classes)
            raise RulesError(f"ud-words.tsv has no class {name}; it has: {known}")
        return self._classes[name]


class WordTree:
    """The words of a sentence with arcs that change.

    Args:
        words: in order.
        classes: of labels, tags and forms.
    """

    def __init__(self, words: list[TreeWord], classes: WordClasses) -> None:
        self.words = words
        self.classes = classes
        self._answers: dict[tuple[str, int, int], frozenset[str]] = {}
        self._spans: dict[int, tuple[int, int]] = {}

    def changed(self) -> None:
        """Forget the answers of tests and the spans, since an arc or a relation was changed."""
        self._answers.clear()
        self._spans.clear()

    def span(self, word: TreeWord) -> tuple[int, int]:
        """Return the first and the last word of the subtree of a word, without punctuation."""
        spans = self._spans
        if word.at not in spans:
            below = [word]
            for one in below:
                below += [w for w in one.dependents if not w.is_mark and w.at not in spans]
            for one in reversed(below):
                inner = [spans[w.at] for w in one.dependents if not w.is_mark]
                firsts, lasts = zip((one.at, one.at), *inner, strict=True)
                spans[one.at] = min(firsts), max(lasts)
        return spans[word.at]

    def is_below(self, word: TreeWord | None, above: TreeWord) -> bool:
        """Return whether a word is another word or below it."""
        while word is not None and word is not above:
            word = word.head
        return word is above

    def is_coordinator(self, word: TreeWord) -> bool:
        """Return whether a word is a conjunction between two words, such as 및."""
        return not self.classes["coordinator"].keys().isdisjoint(_first(self, word))

    def has(self, name: str, word: TreeWord, value: str) -> bool:
        """Return whether a test gives a word a value."""
        return value in self.values(name, word, None)

    # --- what conditions ask ----------------------------------------------------------------------

    def values(self, name: str, word: TreeWord, other: TreeWord | None) -> frozenset[str]:
        """Return what a test of that name compares."""
        key = name, word.at, other.at if other and name in _OF_PAIRS else -1
        if key not in self._answers:
            self._answers[key] = frozenset(filter(None, _TESTS[name](self, word, other)))
        return self._answers[key]

    def _kinds(self, word: TreeWord, _: TreeWord | None) -> Iterator[str]:
        """Yield what a word is: nominal, verbal, predicate, clausal, clause, number, functional."""
        face = word.face
        nouns, verbs = self.classes["noun"], self.classes["verb"]
        noun = max([at for at, (_, tag) in enumerate(face.tags) if tag in nouns], default=-1)
        verb = max([at for at, (_, tag) in enumerate(face.tags) if tag in verbs], default=-1)
        is_nominalised = "nominal" in self.classes["ending"].get(self._tag(face, "ending"), "")
        if verb > noun:
            yield "verbal"
            yield "nominal" if is_nominalised else "predicate"
            yield "clause" if is_nominalised and face.is_clause else ""
        elif noun > verb:
            yield "nominal"
        if (verb > noun and not is_nominalised) or (
            verb >= 0 and word.upos in self.classes["verbal"]
        ):
            yield "clausal"
        numbers, numerals = self.classes["number-tag"], self.classes["numeral"]
        own = word.tags if word.face is word else face.tags
        symbols = self.classes["symbol"]
        plain = [(form, tag) for form, tag in own if tag not in symbols]
        if plain and all([tag in numbers or f"{form}/{tag}" in numerals for form, tag in plain]):
            yield "number"
        if all([tag in self.classes["functional"] for _, tag in word.tags]):
            yield "functional"

    def _tag(self, word: TreeWord, name: str) -> str:
        tags = self.classes[name]
        return next((tag for _, tag in reversed(word.tags) if tag in tags), "")

    def _last(self, word: TreeWord, name: str) -> Iterator[str]:
        """Yield form, tag and form/tag of the last morpheme whose tag is of a class."""
        tags = self.classes[name]
        for form, tag in reversed(word.tags):
            if tag in tags:
                yield from (form, tag, f"{form}/{tag}")
                return

    def _behind(self, word: TreeWord, _: TreeWord | None) -> Iterator[str]:
        """Yield the punctuation behind the constituent of a word, or the conjunction."""
        for at in range(self.span(word)[1] + 1, len(self.words)):
            mark = self.words[at]
            if mark.is_mark or self.is_coordinator(mark):
                yield mark.word.form
            if not mark.is_mark:
                return

    def _children(self, word: TreeWord, _: TreeWord | None) -> Iterator[str]:
        """Yield the function of each dependent, its category if it has none, and its relation."""
        for one in word.dependents:
            yield from (one.function or one.category, one.deprel.partition(":")[0])

    def _later(self, word: TreeWord, other: TreeWord | None) -> Iterator[str]:
        """Yield the relation of each dependent of the head that stands behind the word."""
        for one in other.dependents if other else ():
            if one.at > word.at:
                yield one.deprel.partition(":")[0]

    def _adjacent(self, word: TreeWord, other: TreeWord | None) -> Iterator[str]:
        """Yield yes if only punctuation and dependents of the word stand between two words."""
        assert other is not None
        between = self.words[word.at + 1 : other.at]
        if all([one.is_mark or self.is_below(one, word) for one in between]):
            yield "yes"

    def _place(self, word: TreeWord, other: TreeWord | None) -> Iterator[str]:
        yield "root" if word.head is None else ""
        if other is not None:
            yield "before" if word.at < other.at else "behind"
            yield "same" if word.eojeol == other.eojeol else ""


def _morphemes(word: TreeWord) -> Iterator[str]:
    for form, tag in word.face.tags:
        yield from (form, tag, f"{form}/{tag}")


def _first(tree: WordTree, word: TreeWord) -> Iterator[str]:
    symbols = tree.classes["symbol"]
    for form, tag in word.tags:
        if tag not in symbols:
            yield from (form, tag, f"{form}/{tag}")
            return


_TESTS: Mapping[str, Callable[[WordTree, TreeWord, TreeWord | None], Iterable[str]]] = {
    "adjacent": WordTree._adjacent,
    "behind": WordTree._behind,
    "category": lambda tree, word, _: (word.category,),
    "child": WordTree._children,
    "deprel": lambda tree, word, _: (word.deprel, word.deprel.partition(":")[0]),
    "ending": lambda tree, word, _: tree._last(word.face, "ending"),
    "first": lambda tree, word, _: _first(tree, word),
    "function": lambda tree, word, _: (word.function or "none",),
    "kind": WordTree._kinds,
    "later": WordTree._later,
    "morpheme": lambda tree, word, _: _morphemes(word),
    "noun": lambda tree, word, _: tree._last(word, "noun"),
    "part": lambda tree, word, _: (word.part or "none",),
    "particle": lambda tree, word, _: tree._last(word.face, "particle"),
    "place": WordTree._place,
    "tags": lambda tree, word, _: ("+".join([tag for _, tag in word.tags]),),
    "upos": lambda tree, word, _: (word.upos,),
    "verb": lambda tree, word, _: tree._last(word, "verb"),
}
_OF_PAIRS = ("adjacent", "later", "place")


class WordTest(NamedTuple):
    """A test of a condition."""

    name: str
    values: frozenset[str]
    holds: bool


Condition = tuple[WordTest, ...]


def condition(text: str, classes: WordClasses) -> Condition:
    """Return the tests of a condition.

    Args:
        text: the condition.
        classes: for `@CLASS`.

    Raises:
        RulesError: there is no such test or class.
    """
    tests = []
    for part in text.split() if text != "*" else ():
        name, is_test, values = part.partition("=")
        holds = not name.endswith("!")
        name = name.removesuffix("!")
        if not is_test or name not in _TESTS:
            raise RulesError(f"{part} is no test; write NAME=VALUE with {', '.join(_TESTS)}")
        several: set[str] = set()
        for value in values.split("|"):
            several.update(classes[value[1:]] if value[:1] == "@" else (value,))
        tests.append(WordTest(name, frozenset(several), holds))
    return tuple(tests)


def fits(tests: Condition, tree: WordTree, word: TreeWord, other: TreeWord | None) -> bool:
    """Return whether a word fulfils a condition.

    Args:
        tests: the condition.
        tree: the tree of the word.
        word: the word.
        other: the word at the other end of its arc, if there is one.
    """
    for name, values, holds in tests:
        if values.isdisjoint(tree.values(name, word, other)) is holds:
            return False
    return True


class TreeRow(NamedTuple):
    """A row of a table with its conditions."""

    cells: Row
    head: Condition
    dependent: Condition
    verb: Condition

    def fits(self, tree: WordTree, head: TreeWord | None, dependent: TreeWord) -> bool:
        """Return whether an arc fulfils the conditions of the row."""
        return fits(self.dependent, tree, dependent, head) and (
            not self.head or (head is not None and fits(self.head, tree, head, dependent))
        )


def rows_of(
    rules: Rules, name: str, profile: str, classes: WordClasses
) -> dict[str, list[TreeRow]]:
    """Return the rows of a table that a profile has, by their steps.

    Raises:
        RulesError: a condition of a row cannot be used, or a step has no row.
    """
    rows: dict[str, list[TreeRow]] = {}
    for cells in rules.table(name):
        if cells["profile"] not in ("*", profile):
            continue
        try:
            tests = [
                condition(cells.get(column) or "*", classes)
                for column in ("head", "dependent", "verb")
            ]
        except RulesError as error:
            message = f"{cells['name']}: {error}"
            raise located(rules.sources(name), cells, message) from None
        rows.setdefault(cells["step"], []).append(TreeRow(cells, *tests))
    for step in SCHEMAS[name].checks["step"].split("|"):
        if step not in rows:
            raise RulesError(f"{name}.tsv needs a row of step {step} for the profile {profile}")
    return rows


def first_fit(
    rows: Sequence[TreeRow], tree: WordTree, head: TreeWord | None, dependent: TreeWord
) -> Row | None:
    """Return the first row that fits an arc; None if none does."""
    return next((row.cells for row in rows if row.fits(tree, head, dependent)), None)


# --- the head-final tree --------------------------------------------------------------------------

_LEVEL = 2
_HAS_UD = "E610"
_CONJUNCT, _UNDER = "conj", "under-"


class Undo:
    """Finds the head-final tree of a UD tree.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._classes = WordClasses(rules)
        self._rows = rows_of(rules, "ud-relations", "ud", self._classes)

    def __call__(self, sentence: Sentence) -> Arcs:
        """Return the arcs of the eojeols of a sentence with the words of level 2."""
        assert sentence.arcs is not None
        heads, deprels = _final(_of_eojeols(sentence))
        words = []
        for number, (eojeol, deprel) in enumerate(zip(sentence.eojeols, deprels, strict=True)):
            tags = self._rules.sejong_tags(eojeol.morphemes)
            pairs = [(m.form, tag) for m, tag in zip(eojeol.morphemes, tags, strict=True)]
            word = eojeol.tokens[0].words[0]
            words.append(TreeWord(number, word, pairs, number, "", deprel=deprel))
        tree = WordTree(words, self._classes)
        for one, head in zip(words, heads, strict=True):
            one.head = words[head] if head >= 0 else None
        labels = [self._label(tree, one) for one in words]
        return Arcs(tuple([head + 1 for head in heads]), tuple(labels))

    def _label(self, tree: WordTree, word: TreeWord) -> str:
        parts = [
            row["relation"]
            for step in ("category", "function")
            if (row := first_fit(self._rows[step], tree, word.head, word))
        ]
        return "_".join([part for part in parts if part != "="])


def _of_eojeols(sentence: Sentence) -> list[tuple[int, str]]:
    """Return the head of each eojeol, from 0, -1 for the root, and its relation."""
    arcs = sentence.arcs
    assert arcs is not None
    places = [number for number, eojeol in enumerate(sentence.eojeols) for _ in eojeol.words]
    depths = depths_of(arcs.heads)
    marks = [word.upos == PUNCT for word in sentence.words]
    tops: dict[int, int] = {}
    for at, place in enumerate(places):
        top = tops.setdefault(place, at)
        if (marks[at], depths[at]) < (marks[top], depths[top]):
            tops[place] = at
    return [
        (places[arcs.heads[top] - 1] if arcs.heads[top] > 0 else -1, arcs.deprels[top])
        for top in tops.values()
    ]


def _final(arcs: Sequence[tuple[int, str]]) -> tuple[list[int], list[str]]:
    """Return heads, from 0, and relations of a tree in which every head stands on the right.

    An eojeol with dependents on its right hangs on the first of them, and that on the next;
    conjuncts all hang on the last. The last has the relation of the first.
    """
    heads, deprels = [-1] * len(arcs), [deprel for _, deprel in arcs]
    children: list[list[int]] = [[] for _ in arcs]
    for at, (head, _) in enumerate(arcs):
        if head >= 0:
            children[head].append(at)
    # The word that stands highest when the words behind have gone up; words below come first.
    order = [at for at, (head, _) in enumerate(arcs) if head < 0]
    for at in order:
        order += children[at]
    tops = list(range(len(arcs)))
    for at in reversed(order):
        behind = [one for one in children[at] if one > at]
        chain = [one for one in behind if not arcs[one][1].startswith(_CONJUNCT)]
        conjuncts = [one for one in behind if one not in chain]
        for one in children[at]:
            if one < at:
                heads[tops[one]] = at
        top = at
        for one in chain:
            heads[top], deprels[top] = one, _UNDER + arcs[one][1]
            top = tops[one]
        for one in [top, *[tops[one] for one in conjuncts[:-1]]] if conjuncts else ():
            heads[one], deprels[one] = conjuncts[-1], _UNDER + _CONJUNCT
        tops[at] = tops[conjuncts[-1]] if conjuncts else top
        deprels[tops[at]] = arcs[at][1]
    return heads, deprels


class TreeBack:
    """Gives sentences with UD trees the head-final trees of eojeols that these were made of.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._recut = recut_at(_LEVEL, rules=rules)
        self._undo = Undo(rules)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its eojeols as words."""
        if sentence.arcs is None:
            return sentence
        words = self._recut(sentence)
        arcs = self._undo(words)
        heads, labels = list(arcs.heads), list(arcs.deprels)
        for at, eojeol in enumerate(words.eojeols):
            items = misc_items(eojeol.tokens[0].misc)
            head = to_number(items.get(TREE_HEAD, ""))
            if head is not None and head <= len(heads):
                heads[at] = head
            labels[at] = unescape_misc(items.get(TREE_LABEL, labels[at]))
        eojeols = tuple(map(as_word, words.eojeols))
        result = words.but(eojeols=eojeols, arcs=Arcs(tuple(heads), tuple(labels)))
        result.is_treebank = True
        feats = [word.feats for word in sentence.words]
        if sentence.arcs.deps or not {"", NOTHING}.issuperset(feats):
            result.notes = (*result.notes, *not_written(["FEATS and DEPS of the words"]))
        return result


class HeadFinal:
    """Gives sentences the head-final dependencies of their trees.

    A sentence without a tree has dependencies of UD, which are undone, or those of a treebank.

    Args:
        rules: the tables.
        scheme: the scheme that the dependencies get then.
        level: the level of the words.
        keeps_arcs: whether a sentence with both has its dependencies, not those of its tree.
    """

    def __init__(
        self, rules: Rules, scheme: str = "", level: int | None = None, *, keeps_arcs: bool = False
    ) -> None:
        self._keeps_arcs = keeps_arcs
        self._of_trees = Dependencies(rules, None if scheme == UD else level)
        self._back = TreeBack(rules)
        self._eojeols = recut_at(LEVELS[0], rules=rules)
        self._scheme = scheme

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its eojeols as words.

        Raises:
            FormatError: the sentence is to get relations of UD, and has them.
        """
        if sentence.arcs is None or (sentence.constituents and not self._keeps_arcs):
            return self._of_trees(sentence)
        if ROOT not in sentence.arcs.deprels:
            return self._eojeols(sentence)
        if self._scheme == UD:
            raise FormatError("the sentence has no tree, and relations of UD already", code=_HAS_UD)
        return self._back(sentence)
