"""UD heads and relations for the trees of treebanks whose heads are last.

    1 갈    2 VP_MOD          1 갈    0 root
    2 수    3 NP_SBJ          2 수    1 aux
    3 있다  0 VP              3 있다  2 fixed

The Sejong Treebank, the Penn Korean Treebank (`sejongud.converters.trees.Dependencies`) and
KLUE-DP give the same: a head-final tree of eojeols with labels of phrase and function. The words
become those of level 2. Functional words then go below the words that they belong to, the first
conjunct becomes the head of the others, and each arc gets the relation of the first row that fits.

All linguistics stand in rules/ud-heads.tsv, rules/ud-relations.tsv and rules/ud-words.tsv.

Punctuation of a UD tree, and the repair of what UD forbids.
"""

from __future__ import annotations

import re
from bisect import bisect
from itertools import chain, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from sejongud.converters.recut import Recut
from sejongud.converters.tree_words import (
    PUNCT,
    TreeRow,
    TreeWord,
    Undo,
    WordClasses,
    WordTree,
    first_fit,
    fits,
    rows_of,
)
from sejongud.converters.trees import split_label
from sejongud.errors import FormatError, Note, RulesError, expect_choice
from sejongud.formats.klue import as_word
from sejongud.formats.misc import TREE_HEAD, TREE_LABEL, escape_misc
from sejongud.layers.arcs import ROOT
from sejongud.layers.trees import depths_of
from sejongud.levels.cut import Granularity
from sejongud.model import Arcs, Sentence, Word, changed_token, telling, with_items

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.rules import Rules
    from sejongud.rules.tables import Row

PROFILES = ("ud", "pkt")
"""The conventions of UD, and those of the UD of the Penn Korean Treebank (306007)."""

_INDEX = re.compile(r"[-=][0-9]+$")
_LEVEL = 2
_NO_HEADS, _UNKNOWN, _DOUBT, _NO_TREE, _BOUND = "W617", "W618", "I619", "E611", "W126"
_BEFORE, _FUNCTIONAL, _SECOND_ROOT = "before", "functional", "second-root"
AUX, SYM = "AUX", "SYM"


class UdRelations:
    """Gives sentences with the dependencies of a treebank UD heads and relations.

    The words of the result are those of level 2.

    Args:
        rules: the tables.
        profile: one of `PROFILES`.
        explain: whether MISC names the row that made an arc.
    """

    def __init__(self, rules: Rules, profile: str = "ud", *, explain: bool = False) -> None:
        expect_choice("profile", profile, PROFILES)
        self._rules = rules
        self._classes = classes = WordClasses(rules)
        self._heads = rows_of(rules, "ud-heads", profile, classes)
        self._relations = rows_of(rules, "ud-relations", profile, classes)
        self._recut = Recut(Granularity(rules, _LEVEL, upos="ud"), retag=True)
        self._undo = Undo(rules)
        self._seen: set[str] = set()
        self._explains = explain

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the words of level 2 and UD arcs.

        A sentence without heads returns as it is, and a note tells it.

        Raises:
            FormatError: the heads are no tree.
        """
        arcs = sentence.arcs
        if arcs is None or -1 in arcs.heads:
            sentence.notes += (Note(_NO_HEADS, "no UD relations: an eojeol has no HEAD"),)
            return sentence
        _check(arcs.heads)
        notes = sentence.notes
        sentence = sentence.but(eojeols=tuple(map(as_word, sentence.eojeols)), arcs=arcs)
        sentence.is_treebank = True
        cut = self._recut(sentence)
        tree = self._tree(cut, arcs)
        self._change(tree, is_final=all([not 0 < h <= at for at, h in enumerate(arcs.heads, 1)]))
        result = _telling(self._written(cut, tree), arcs, self._undo)
        unknown = (*self._bound(sentence), *self._unknown(arcs.deprels))
        result.notes = (*notes, *result.notes, *unknown, *self._doubts(tree))
        return result

    # --- the tree ---------------------------------------------------------------------------------

    def _tree(self, sentence: Sentence, arcs: Arcs) -> WordTree:
        """Return the words of level 2, those that stand for an eojeol with its arc."""
        tree = WordTree([], self._classes)
        standing: list[TreeWord] = []
        for number, eojeol in enumerate(sentence.eojeols):
            start = len(tree.words)
            for word in eojeol.words:
                tree.words.append(self._word(len(tree.words), word, number))
            standing.append(self._parts(tree, tree.words[start:]))
        last = standing[len(arcs.heads) - 1 - arcs.heads[::-1].index(0)]
        for top, head, label in zip(standing, arcs.heads, arcs.deprels, strict=True):
            top.head = standing[head - 1] if head else last if top is not last else None
            top.category, top.function = self._label(label)
            top.function = _SECOND_ROOT if not head and top is not last else top.function
        return tree

    def _word(self, at: int, word: Word, eojeol: int) -> TreeWord:
        tags = self._rules.sejong_tags(word.morphemes)
        pairs = [(m.form, tag) for m, tag in zip(word.morphemes, tags, strict=True)]
        upos = word.upos
        if all([tag in self._classes["symbol"] for tag in tags]):
            tag = self._classes["symbol-word"].get(word.form)
            pairs = [(word.form, tag)] if tag else pairs
            upos = SYM if tag else PUNCT
        return TreeWord(at, word, pairs, eojeol, upos)

    def _label(self, label: str) -> tuple[str, str]:
        """Return category and function of a label in the names of the Sejong Treebank."""
        category, function = split_label(_INDEX.sub("", label))
        function = function[1:]
        categories, functions = self._classes["category"], self._classes["function"]
        if category not in categories or function not in ("", *functions):
            return "", ""
        category, _, more = (categories[category] or category).partition("-")
        return category, functions.get(function, "") or function or more

    def _bound(self, sentence: Sentence) -> Iterator[Note]:
        """Yield a note if an eojeol is an ending, as in trees whose words are morphemes."""
        kinds = [self._rules.kind(e.morphemes[0].tag) for e in sentence.eojeols if e.morphemes]
        if [pair for pair in pairwise(kinds) if pair[1] == "ending" and pair[0] != "symbol"]:
            message = (
                "an eojeol begins with an ending: of trees over morphemes, lay the brackets onto"
            )
            yield Note(_BOUND, f"{message} CoNLL-U of the text (`tree attach`), which has eojeols")

    def _unknown(self, labels: Sequence[str]) -> Iterator[Note]:
        """Yield a note for each label that was not seen before and that no table has."""
        for label in labels:
            if label not in self._seen:
                self._seen.add(label)
                if self._label(label) == ("", ""):
                    message = f"the label {label} is in no table: the relation follows from tags"
                    yield Note(_UNKNOWN, message)

    @staticmethod
    def _doubts(tree: WordTree) -> Iterator[Note]:
        """Yield a note for each relation that the treebank leaves open."""
        for word in tree.words:
            if word.doubt and word.doubt != word.deprel:
                form = word.word.form
                yield Note(_DOUBT, f"{form}: {word.deprel} is taken, and {word.doubt} is as good")

    def _parts(self, tree: WordTree, words: Sequence[TreeWord]) -> TreeWord:
        """Attach the words of an eojeol to one of them, and return it."""
        groups = self._bracketed(words, to_end=True)
        inside = {word for _, group in groups for word in group}
        plain = [word for word in words if not word.is_mark] or words[:1]
        lexical = [word for word in plain if not tree.has("kind", word, "functional")]
        outside = [word for word in lexical if word not in inside]
        head = (outside or lexical or plain)[-1]
        if outside and not tree.values("first", head, None).isdisjoint(self._classes["suffix"]):
            head = outside[0]
        for word in words:
            if word is head:
                continue
            host = next((one for one in reversed(outside) if one.at < word.at), head)
            if word in plain and word not in lexical and host.at < word.at:
                self._absorb(host if word.at < head.at else head, word)
            else:
                word.head, word.part = head, _BEFORE if word.at < head.at else "behind"
        for host, group in groups:
            if head not in group:
                _appose(host, group)
        return head

    def _absorb(self, head: TreeWord, word: TreeWord) -> None:
        """Hang a functional word on a word, which has its morphemes from then on."""
        if word.part == _FUNCTIONAL and word.head is not None:
            del word.head.tags[-len(word.tags) :]
        word.head, word.part = head, _FUNCTIONAL
        head.tags += word.tags

    def _bracketed(
        self, words: Sequence[TreeWord], *, to_end: bool = False
    ) -> list[tuple[TreeWord, list[TreeWord]]]:
        """Return the words between brackets, each time with the word before the bracket.

        Args:
            words: in order.
            to_end: whether a bracket that is not closed goes on to the end.
        """
        pairs = self._classes["bracket"]
        groups = []
        host: TreeWord | None = None
        group: list[TreeWord] | None = None
        closing = ""
        for word in words:
            form = word.word.form
            if group is not None and host is not None:
                if word.is_mark and form == closing:
                    groups += [(host, group)] if group else []
                    group = None
                elif not word.is_mark:
                    group.append(word)
            elif not word.is_mark:
                host = word
            elif form in pairs and host is not None:
                closing, group = pairs[form], []
        return groups + ([(host, group)] if to_end and host is not None and group else [])

    def _brackets(self, tree: WordTree) -> None:
        """Make words in brackets over several eojeols an apposition of the word before them."""
        for host, group in self._bracketed(tree.words):
            last = group[-1]
            end = last.at + 2
            while end < len(tree.words) and tree.has("kind", tree.words[end], "functional"):
                end += 1
            members = set(tree.words[host.at + 1 : end])
            if host.part or last.eojeol == host.eojeol:
                continue
            is_joined = tree.words[host.at + 1].eojeol == host.eojeol
            if not is_joined and (
                host.head not in members
                or not tree.has("kind", host, "nominal")
                or tree.values("particle", host, None)
            ):
                continue
            outside = [w for w in tree.words[host.at + 1 : end] if w.head not in (host, *members)]
            below = [
                w for member in members for w in member.dependents if w not in (host, *members)
            ]
            if not outside:
                continue
            top = outside[-1]
            host.head, host.category, host.function = top.head, top.category, top.function
            for word in below:
                word.head = host
            for word in group:
                if word.head not in group:
                    word.head = last
                    word.category = word.function = word.part = ""
            last.head, last.part = host, "bracket"
            for word in tree.words[last.at + 2 : end]:
                self._absorb(host, word)
            tree.changed()

    # --- heads ------------------------------------------------------------------------------------

    def _change(self, tree: WordTree, *, is_final: bool) -> None:
        """Change the arcs of a tree to those of UD.

        Args:
            tree: of a treebank.
            is_final: whether all heads stand on the right; others are kept, and get relations.
        """
        if is_final:
            self._brackets(tree)
            self._flip(tree, "mark")
        _lift(tree)
        for word in tree.words:
            row = first_fit(self._heads["noun"], tree, word.head, word)
            if row:
                word.is_clause, word.upos = row["action"] == "clause", row["upos"] or word.upos
        tree.changed()
        if is_final:
            self._flip(tree, "auxiliary")
            for word in tree.words:
                self._coordinate(tree, word)
        for word in sorted(tree.words, key=lambda word: not word.part):
            if not word.is_mark:
                self._relate(tree, word)
        repair(tree, self._relations["repair"])
        attach_marks(tree)

    def _flip(self, tree: WordTree, step: str) -> None:
        """Put functional words below their nearest dependent, by the rows of a step."""
        for head in tree.words:
            left = [word for word in head.dependents if word.at < head.at]
            left = [word for word in left if not word.part and not word.is_mark]
            if not left or head.part:
                continue
            dependent = left[-1]
            for row in self._heads[step]:
                if not row.fits(tree, head, dependent):
                    continue
                verb = dependent if not row.verb else self._verb(tree, row, head, dependent)
                if verb is not None:
                    if row.cells["action"] != "stay":
                        self._act(tree, row.cells, head, dependent, verb)
                        tree.changed()
                    break

    def _verb(
        self, tree: WordTree, row: TreeRow, head: TreeWord, noun: TreeWord
    ) -> TreeWord | None:
        """Return the verb below a noun or before it."""
        left = [w for w in (*noun.dependents, *head.dependents) if w.at < noun.at and not w.is_mark]
        verb = max(left, key=attrgetter("at"), default=None)
        return verb if verb is not None and fits(row.verb, tree, verb, noun) else None

    def _act(
        self, tree: WordTree, row: Row, head: TreeWord, dependent: TreeWord, verb: TreeWord
    ) -> None:
        """Change the arcs of a word, of its dependent and of the verb that gets its place."""
        action, (first, _, second) = row["action"], row["relation"].partition("+")
        if action == "lower":
            for word in tuple(head.dependents):
                if word.at < dependent.at and not self._conjunct(tree, head, word):
                    word.head, word.rule = dependent, row["name"]
            return
        below = dependent.dependents if verb is not dependent else []
        for word in [*below, *head.dependents]:
            if word is not verb:
                word.head = verb
        verb.take_place(head)
        head.upos = row["upos"] or head.upos
        if action == "fixed":
            _hang(dependent, verb, first, row)
            _hang(head, dependent, second, row)
            dependent.feats = row["feats"]
            return
        _hang(head, verb, first, row)
        if action == "verb-first":
            _hang(dependent, head, second, row)
        elif action == "mark":
            verb.face = verb
            if not head.is_mark:
                self._absorb(verb, head)

    def _conjunct(self, tree: WordTree, head: TreeWord, dependent: TreeWord) -> Row | None:
        if dependent.part not in ("", _BEFORE) or dependent.deprel or dependent.is_mark:
            return None
        return first_fit(self._heads["conjunct"], tree, head, dependent)

    def _coordinate(self, tree: WordTree, head: TreeWord) -> None:
        """Put the conjuncts of a word below the first, or each below the next."""
        left = [word for word in head.dependents if word.at < head.at]
        rows = [(word, self._conjunct(tree, head, word)) for word in left]
        conjuncts = [(word, row) for word, row in rows if row]
        if not conjuncts:
            return
        how = self._heads["coordination"][0].cells
        first = conjuncts[0][0]
        if how["action"] == "chain":
            following = [*[word for word, _ in conjuncts[1:]], head]
            for (word, row), after in zip(conjuncts, following, strict=True):
                _hang(word, after, how["relation"], row)
        else:
            before = [word for word in left if word.at < first.at]
            start = tree.span(first)[0] if before else first.at
            for word in before:
                if word.at < start:
                    word.head = first
            first.take_place(head)
            for word, row in conjuncts[1:]:
                _hang(word, first, how["relation"], row)
            _hang(head, first, how["relation"], conjuncts[-1][1])
        tree.changed()

    # --- relations --------------------------------------------------------------------------------

    def _relate(self, tree: WordTree, word: TreeWord) -> None:
        """Give a word its relation."""
        if word.head is None:
            word.deprel = ROOT
        elif not word.deprel:
            step = "part" if word.part else "relation"
            row = first_fit(self._relations[step], tree, word.head, word)
            if row is None:
                message = f"ud-relations.tsv needs a row of step {step} that fits {word.word.form}"
                raise RulesError(f"{message}: write * as its conditions, below all others")
            word.deprel, word.rule = row["relation"], row["name"]
            word.upos, word.doubt = row["upos"] or word.upos, row["doubt"]

    # --- the sentence -----------------------------------------------------------------------------

    def _written(self, sentence: Sentence, tree: WordTree) -> Sentence:
        """Return the sentence with the arcs and the UPOS of a tree."""
        left = iter(tree.words)
        eojeols = []
        for eojeol in sentence.eojeols:
            tokens = []
            for token in eojeol.tokens:
                words = [_told(word, next(left), self._explains) for word in token.words]
                own = words[0] if len(words) == 1 else token
                tokens.append(changed_token(token, tuple(words), own.feats, own.misc))
            eojeols.append(eojeol.but(tokens=tuple(tokens)))
        heads = tuple([word.head.at + 1 if word.head else 0 for word in tree.words])
        return sentence.but(
            eojeols=tuple(eojeols), arcs=Arcs(heads, tuple([word.deprel for word in tree.words]))
        )


def _telling(sentence: Sentence, arcs: Arcs, undo: Undo) -> Sentence:
    """Return a sentence whose MISC tells the arcs that do not come back from UD."""
    undone = undo(sentence)
    eojeols = []
    given = zip(arcs.heads, arcs.deprels, undone.heads, undone.deprels, strict=True)
    for eojeol, (head, label, other_head, other_label) in zip(sentence.eojeols, given, strict=True):
        items = [f"{TREE_HEAD}={head}"] if head != other_head else []
        items += [f"{TREE_LABEL}={escape_misc(label)}"] if label != other_label else []
        first, *rest = eojeol.tokens
        for item in items:
            first = telling(first, item)
        eojeols.append(eojeol.but(tokens=(first, *rest)) if items else eojeol)
    return sentence.but(eojeols=tuple(eojeols))


def _check(heads: Sequence[int]) -> None:
    """Check that the heads of a sentence are a tree, or several.

    Raises:
        FormatError: they are not.
    """
    depths = depths_of(heads)
    for at, (head, depth) in enumerate(zip(heads, depths, strict=True), 1):
        if head > len(heads) or depth > len(heads):
            message = f"HEAD {head} of eojeol {at} leads to no root: correct the heads"
            raise FormatError(message, code=_NO_TREE)


def _hang(word: TreeWord, head: TreeWord, deprel: str, row: Row) -> None:
    word.head, word.deprel, word.rule = head, deprel, row["name"]


def _lift(tree: WordTree) -> None:
    """Hang the words below punctuation or 및 on the word above it; the last becomes the root."""
    words = [word for word in tree.words if not word.is_mark]
    for word in words:
        while (head := word.head) and (head.is_mark or (head.head and tree.is_coordinator(head))):
            word.head = head.head
    roots = [word for word in words if word.head is None]
    for word in roots[:-1]:
        word.head = roots[-1]
    tree.changed()


def _appose(host: TreeWord, group: Sequence[TreeWord]) -> None:
    """Make the last of the words in brackets an apposition, of which the others are part."""
    for word in group[:-1]:
        word.head, word.part = group[-1], _BEFORE
    group[-1].head, group[-1].part = host, "bracket"


def _told(old: Word, word: TreeWord, explains: bool) -> Word:
    """Return a word with the UPOS, the lemma and the features of its place in the tree."""
    items = [f"Rule={escape_misc(word.rule)}"] if explains and word.rule else []
    lemma = old.lemma
    if word.upos == AUX and len(old.morphemes) > 1:
        lemma = word.tags[0][0]
        items.append(f"OrigLemma={escape_misc(old.lemma)}")
    misc = with_items(old.misc, items)
    return old._replace(upos=word.upos, lemma=lemma, feats=word.feats or old.feats, misc=misc)


# --- repairs --------------------------------------------------------------------------------------

_MARK = "punct"
_CONJUNCT = "conj"


def repair(tree: WordTree, rows: Sequence[TreeRow]) -> None:
    """Change the relations and UPOS that UD forbids.

    Args:
        tree: its words but the punctuation have relations.
        rows: of rules/ud-relations.tsv, of which each is tried.
    """
    leaves, stays = tree.classes["leaf"], tree.classes["on-leaf"]
    words = [word for word in tree.words if not word.is_mark]
    for word in words:
        while word.head and word.head.deprel in leaves and word.deprel not in stays:
            word.head = word.head.head
    tree.changed()
    for row in rows:
        for word in words:
            if row.fits(tree, word.head, word):
                relation, upos = row.cells["relation"], row.cells["upos"]
                word.deprel = word.deprel if relation == "=" else relation
                word.upos, word.rule = upos or word.upos, row.cells["name"]
                tree.changed()


# --- punctuation ----------------------------------------------------------------------------------


def attach_marks(tree: WordTree) -> None:
    """Give the punctuation marks of a tree their heads.

    Args:
        tree: all of its other words have heads.
    """
    words = [word for word in tree.words if not word.is_mark]
    marks = [word for word in tree.words if word.is_mark]
    if not words:
        for mark in marks:
            mark.head, mark.deprel = (marks[0], _MARK) if mark is not marks[0] else (None, ROOT)
        return
    for mark in marks:
        mark.head, mark.deprel = None, _MARK
    partners = _partners(tree)
    places = [word.at for word in words]
    for mark in marks:
        left = bisect(places, mark.at)
        beside = words[max(left - 1, 0) : left + 1]
        wanted = _wanted(tree, mark, words, left, partners)
        candidates = chain([wanted], *map(_upwards, beside))
        mark.head = next((w for w in candidates if not _crosses(tree, mark, w)), wanted)


def _wanted(
    tree: WordTree,
    mark: TreeWord,
    words: Sequence[TreeWord],
    left: int,
    partners: Mapping[TreeWord, TreeWord],
) -> TreeWord:
    """Return the word that a mark should hang on.

    Args:
        tree: the tree.
        mark: the mark.
        words: the words of the tree that are no marks.
        left: the number of them before the mark.
        partners: of quotation marks and brackets.
    """
    if mark in partners:
        first, last = sorted((mark.at, partners[mark].at))
        inside = [word for word in tree.words[first + 1 : last] if not word.is_mark]
        tops = [w for w in inside if w.head is None or not first < w.head.at < last]
        if tops:
            return tops[0] if mark.at == first else tops[-1]
    if left == len(words):
        return next(word for word in words if word.head is None)
    behind = words[left]
    if mark.word.form in tree.classes["comma"]:
        above = [w for w in _upwards(behind) if tree.span(w)[0] == behind.at]
        if conjuncts := [w for w in above if w.deprel == _CONJUNCT]:
            return max(conjuncts, key=attrgetter("at"))
    is_opening = mark.word.form in tree.classes["quote"] or not left
    word = behind if is_opening else words[left - 1]
    while word.head is not None and (
        tree.span(word.head)[0] > mark.at if is_opening else tree.span(word.head)[1] < mark.at
    ):
        word = word.head
    return word


def _partners(tree: WordTree) -> dict[TreeWord, TreeWord]:
    """Return the partner of each quotation mark and bracket that has one."""
    pairs = tree.classes["quote"]
    partners: dict[TreeWord, TreeWord] = {}
    opened: list[TreeWord] = []
    for word in tree.words:
        if not word.is_mark:
            continue
        form = word.word.form
        opening = next((one for one in reversed(opened) if form in pairs[one.word.form]), None)
        if opening is not None:
            partners |= {opening: word, word: opening}
            del opened[opened.index(opening) :]
        elif form in pairs:
            opened.append(word)
    return partners


def _upwards(word: TreeWord | None) -> Iterator[TreeWord]:
    """Yield a word and all words above it."""
    while word is not None:
        yield word
        word = word.head


def _crosses(tree: WordTree, mark: TreeWord, head: TreeWord) -> bool:
    """Return whether the arc of a mark crosses another arc, or that of the root."""
    first, last = sorted((mark.at, head.at))
    inside = tree.words[first + 1 : last]
    ends = [end for word in inside for end in (word.head, *word.dependents) if end is not None]
    has_root = any([word.head is None and not word.is_mark for word in inside])
    return has_root or any([not first <= end.at <= last for end in ends])
