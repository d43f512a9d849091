r"""Make rules/upos-words.tsv, which gives a word its UPOS, from treebanks with Sejong tags.

    python benchmarks/make_upos_words.py ud-unidive=K-UNIDIVE ud-gsd=GSD ud-ksl=KSL \
        ud-kaist=KAIST > NEW.tsv

The committed table was made from the train part of K-UniDive (Park et al. 2025), from
ko_gsd-ud-train.conllu of UD_Korean-GSD (2022-09), from ko_ksl-ud-train.conllu of UD_Korean-KSL
(2024-07), and from the first nine tenths of the words of ko_kaist-ud-dev.conllu of UD_Korean-Kaist
(`--share 0.9` holds for the last treebank). Of Kaist, the scheme has a second set of patterns in
which every KAIST tag is its nearest Sejong tag, so that it holds for both tag sets.

Rows of the present table without a count were written by hand, because they follow the guidelines
of UD rather than a treebank: they stay, and go before counted rows with the same pattern.

The table is grown greedily, as a decision list is. It begins with `*` and the most frequent UPOS.
Each step adds the pattern that mends the most words, net of those it spoils, given the rows there
are; among patterns that do so within a tenth, the one with the fewest elements and then the most
general. It ends where no pattern mends `--gain` words; then rows that others have made superfluous
are dropped. Candidate patterns name at most two morphemes, at the word's ends or one anywhere, as a
tag, a class of tags or, if frequent, a form with its tag.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sejongud.levels.patterns import compile_patterns, specificity
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

COLUMNS = ("scheme", "pattern", "upos", "count", "share", "example")
UNIT = 1 << 20  # the weight of one word of a treebank of average length: integers add up exactly
NAMED = 2  # how many morphemes a pattern names at most


class Word(NamedTuple):
    tags: tuple[str, ...]
    forms: tuple[str, ...]  # as many as are known, from the first morpheme on
    upos: str


def read_words(path: str | Path) -> list[Word]:
    """The words of a CoNLL-U file; morphemes from OrigLemma, else LEMMA, split at `+` like XPOS."""
    words = []
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            columns = line.rstrip("\n").split("\t")
            if len(columns) != 10 or not columns[0].isdigit():
                continue
            misc = dict(item.partition("=")[::2] for item in columns[9].split("|"))
            lemma = misc.get("OrigLemma", columns[2])
            tags = tuple(columns[4].split("+"))
            # The one morpheme of a word may be a plus sign.
            forms = tuple(lemma.split("+"))[: len(tags)] if len(tags) > 1 else (lemma,)
            words.append(Word(tags, forms, columns[3]))
    return words


def hide_truncated(treebanks: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """Leave out forms that a treebank lacks in a part of the words with the same tags.

    UD_Korean-KSL cuts the lemma of auxiliaries to the stem, 싶 for 싶+습니다, just where their UPOS
    is AUX. A pattern with 습니다 would learn from its absence what the annotator wrote in UPOS. So
    where more than one in twenty words with the same tags are cut, they all are.
    """
    words = [word for treebank in treebanks for word in treebank]
    total = Counter(word.tags for word in words)
    cut = [word for word in words if len(word.forms) < len(word.tags)]
    count = Counter(word.tags for word in cut)
    known: dict[tuple[str, ...], int] = {}
    for word in cut:
        if count[word.tags] * 20 > total[word.tags]:
            known[word.tags] = min(len(word.forms), known.get(word.tags, len(word.forms)))
    return [
        [word._replace(forms=word.forms[: known.get(word.tags)]) for word in treebank]
        for treebank in treebanks
    ]


def padded(word: Word) -> tuple[str, ...]:
    return word.forms + ("",) * (len(word.tags) - len(word.forms))


class Language:
    """Which patterns there are: the classes of tags, the forms that are frequent."""

    def __init__(
        self, tags: Iterable[str], forms: Mapping[tuple[str, str], int], least: int
    ) -> None:
        beginnings = defaultdict(set)
        names = sorted(set(tags))
        for tag in names:
            for end in range(1, len(tag)):
                beginnings[tag[:end]].add(tag)
        self.variants = {
            tag: [
                tag,
                *(tag[:end] + "*" for end in range(1, len(tag)) if len(beginnings[tag[:end]]) > 1),
            ]
            for tag in names
        }
        self.frequent = {
            (form, tag): f"{form}/{tag}"
            for (form, tag), weight in forms.items()
            # A row that begins with # would be a comment.
            if weight >= least and form and not form.startswith("#") and len(form.split()) == 1
        }

    def patterns(self, tags: tuple[str, ...], forms: tuple[str, ...]) -> set[str]:
        """Every pattern that matches a word."""
        elements = []
        for tag, form in zip(tags, forms, strict=True):
            named = self.frequent.get((form, tag))
            elements.append([*self.variants[tag], named] if named else self.variants[tag])
        return {
            " ".join(choice)
            for shape in _shapes(len(tags))
            for choice in product(*[["*"] if place is None else elements[place] for place in shape])
        }


def _shapes(length: int) -> Iterator[tuple[int | None, ...]]:
    """Which morphemes of a word a pattern names; None is a run of any."""
    if length <= NAMED:
        yield tuple(range(length))
    for first in range(min(length, NAMED) + 1):
        for last in range(min(length, NAMED) - first + 1):
            yield (*range(first), None, *range(length - last, length))
    for place in range(length):
        yield (None, place, None)


class Candidates:
    """The patterns that may become rows, from general to specific, and what they match.

    Words that no pattern tells apart are of one kind: the same tags, the same frequent forms.
    """

    def __init__(self, treebanks: Sequence[Sequence[Word]], least: int) -> None:
        total = sum(map(len, treebanks))
        weights = [round(UNIT * total / len(treebank) / len(treebanks)) for treebank in treebanks]
        counts: Counter[tuple[str, str]] = Counter()
        for treebank, weight in zip(treebanks, weights, strict=True):
            for word in treebank:
                for pair in zip(padded(word), word.tags, strict=True):
                    counts[pair] += weight
        language = Language((tag for _, tag in counts), counts, least * UNIT)
        kinds: dict[tuple[tuple[str, ...], tuple[str, ...]], Counter[str]] = defaultdict(Counter)
        for treebank, weight in zip(treebanks, weights, strict=True):
            for word in treebank:
                pairs = zip(padded(word), word.tags, strict=True)
                forms = tuple(pair[0] if pair in language.frequent else "" for pair in pairs)
                kinds[word.tags, forms][word.upos] += weight
        self.labels = sorted({label for counter in kinds.values() for label in counter})
        self.weight: Integers = np.array(
            [[counter[label] for label in self.labels] for counter in kinds.values()],
            dtype=np.int64,
        )
        """How much of each kind (row) has each label (column)."""

        matching = [language.patterns(*kind) for kind in kinds]
        support: Counter[str] = Counter()
        for patterns, weight in zip(matching, self.weight.sum(axis=1).tolist(), strict=True):
            for pattern in patterns:
                support[pattern] += weight
        # With an equal rank the later row decides: here, and in the table that is written.
        self.patterns = sorted(
            (pattern for pattern, weight in support.items() if weight >= least * UNIT),
            key=lambda pattern: (specificity(pattern), pattern),
        )
        number = {pattern: index for index, pattern in enumerate(self.patterns)}
        self.length = np.array([len(pattern.split()) for pattern in self.patterns])
        of_kind = [sorted(number[p] for p in patterns if p in number) for patterns in matching]
        self.of_kind = [np.array(indices, dtype=np.int64) for indices in of_kind]
        """Which candidates match each kind."""
        self.kinds_of: list[list[int]] = [[] for _ in self.patterns]
        """Which kinds each candidate matches."""
        for kind, indices in enumerate(of_kind):
            for index in indices:
                self.kinds_of[index].append(kind)


class Learner:
    """The rows there are, and what every candidate would mend."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        shape = len(candidates.patterns), len(candidates.labels)
        kinds = len(candidates.weight)
        self.rows: dict[int, int] = {}
        """Candidate → label, both as numbers."""
        self.deciding = np.full(kinds, -1)
        """Which row decides each kind; the greater number is the more specific."""
        self.right = np.zeros(kinds, dtype=np.int64)
        """How much of each kind has the label that its row gives it."""
        # Of the kinds that a candidate would decide: how much has each label, and is right now.
        self.labelled = np.zeros(shape, dtype=np.int64)
        self.settled = np.zeros(shape[0], dtype=np.int64)
        for indices, weight in zip(candidates.of_kind, candidates.weight, strict=True):
            self.labelled[indices] += weight

    def grow(self, gain: int, most: int) -> None:
        """Add rows until none mends `gain`, or there are `most`."""
        while len(self.rows) < most:
            gains = self.labelled.max(axis=1) - self.settled
            gains[list(self.rows)] = 0
            best = int(gains.max())
            if self.rows and best < gain:
                return
            # The first row is the last resort; the others are as short as they can be.
            near = np.flatnonzero(10 * gains >= 9 * best) if self.rows else np.zeros(1, dtype=int)
            index = int(near[np.argmin(self.candidates.length[near])])
            self._add(index, int(self.labelled[index].argmax()))

    def _add(self, index: int, label: int) -> None:
        kinds = [kind for kind in self.candidates.kinds_of[index] if self.deciding[kind] < index]
        for kind in kinds:
            matching = self.candidates.of_kind[kind]
            weight = self.candidates.weight[kind]
            low, here = np.searchsorted(matching, (self.deciding[kind], index), side="right")
            lost, kept = matching[low:here], matching[here:]
            self.labelled[lost] -= weight
            self.settled[lost] -= self.right[kind]
            self.settled[kept] += weight[label] - self.right[kind]
            self.deciding[kind] = index
            self.right[kind] = weight[label]
        self.rows[index] = label

    def prune(self, gain: int) -> None:
        """Drop rows, the least useful first, while one mends less than `gain`."""
        weight = self.candidates.weight
        rows_of: dict[int, list[int]] = defaultdict(list)
        for index in sorted(self.rows, reverse=True):
            for kind in self.candidates.kinds_of[index]:
                rows_of[kind].append(index)
        while True:
            use = dict.fromkeys(self.rows, 0)
            for kind, indices in rows_of.items():
                if len(indices) > 1:
                    now, then = (int(weight[kind, self.rows[index]]) for index in indices[:2])
                    use[indices[0]] += now - then
            del use[0]  # the row that matches every word
            index = min(use, key=lambda index: (use[index], -index), default=0)
            if not index or use[index] >= gain:
                return
            del self.rows[index]
            for kind in self.candidates.kinds_of[index]:
                rows_of[kind].remove(index)

    def table(self) -> list[tuple[str, str]]:
        """Patterns and labels, from general to specific."""
        candidates = self.candidates
        return [
            (candidates.patterns[index], candidates.labels[label])
            for index, label in sorted(self.rows.items())
        ]


def learn(
    treebanks: Sequence[Sequence[Word]], gain: int, least: int, most: int
) -> list[tuple[str, str]]:
    """The table: patterns with their UPOS."""
    learner = Learner(Candidates(treebanks, least))
    learner.grow(gain * UNIT, most)
    learner.prune(gain * UNIT)
    return learner.table()


def count(
    table: Sequence[tuple[str, str]], treebanks: Sequence[Sequence[Word]]
) -> Iterator[tuple[str, ...]]:
    """The rows of the file: of the words that a row decides, how many have its UPOS.

    Args:
        table: patterns with their UPOS.
        treebanks: the words, with all forms that they have.
    """
    decide = compile_patterns([{"pattern": pattern, "upos": pattern} for pattern, _ in table])
    upos = dict(table)
    of_row = {pattern: [0, 0] for pattern, _ in table}
    examples: dict[str, Counter[str]] = defaultdict(Counter)
    for treebank, hidden in zip(treebanks, hide_truncated(treebanks), strict=True):
        for word, known in zip(treebank, hidden, strict=True):
            pattern = decide(word.tags, known.forms)
            tally = of_row[pattern]
            tally[1] += 1
            if word.upos != upos[pattern]:
                continue
            tally[0] += 1
            morphemes = [f"{form}/{tag}" for form, tag in zip(word.forms, word.tags, strict=False)]
            example = "+".join(morphemes)
            whole = len(morphemes) == len(word.tags) and example.count("+") == len(morphemes) - 1
            if whole and decide(word.tags, word.forms) == pattern:
                examples[pattern][example] += 1
    for pattern, label in table:
        right, every = of_row[pattern]
        example = min(
            examples[pattern], key=lambda text: (-examples[pattern][text], text), default=""
        )
        yield pattern, label, str(every), f"{right / every:.2f}" if every else "", example


def by_hand() -> dict[str, list[tuple[str, str, str]]]:
    """Scheme → the rows of the present table that nobody counted: pattern, UPOS, example."""
    rows: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for row in load().table("upos-words"):
        if not row["count"]:
            rows[row["scheme"]].append((row["pattern"], row["upos"], row["example"]))
    return rows


def section(
    treebanks: Sequence[Sequence[Word]],
    guided: Sequence[tuple[str, str, str]],
    limits: tuple[int, int, int],
) -> list[tuple[str, ...]]:
    """The rows of a scheme, without its name."""
    own = {pattern for pattern, _, _ in guided}
    learned = [row for row in learn(hide_truncated(treebanks), *limits) if row[0] not in own]
    rows = [(*row, "", "", example) for *row, example in guided]
    rows += [row for row in count(learned, treebanks) if row[2] != "0"]
    return sorted(rows, key=lambda row: (specificity(row[0]), row[0]))


def in_sejong_tags(words: Iterable[Word]) -> list[Word]:
    """The words with the Sejong tag of every KAIST tag."""
    rules = load()
    kaist = {row["tag"] for row in rules.table("kaist-tags")}
    found = []
    for word in words:
        forms = (*word.forms, *[""] * len(word.tags))
        pairs = list(zip(forms, word.tags, strict=False))
        tags = tuple([rules.sejong_tag(*pair) if pair[1] in kaist else pair[1] for pair in pairs])
        found.append(word._replace(tags=tags))
    return found


def cross_validate(
    words: Sequence[Word], folds: int, limits: tuple[int, int, int]
) -> Iterator[float]:
    """For each fold, the share of words that a table made from the others gets."""
    for fold in range(folds):
        part = slice(len(words) * fold // folds, len(words) * (fold + 1) // folds)
        table = learn(hide_truncated([[*words[: part.start], *words[part.stop :]]]), *limits)
        decide = compile_patterns([{"pattern": pattern, "upos": upos} for pattern, upos in table])
        held_out = words[part]
        right = sum(decide(word.tags, word.forms) == word.upos for word in held_out)
        yield right / len(held_out)


HEADER = """\
# The UPOS that treebanks give a word of these morphemes (--upos ud, ud-gsd, ud-ksl, ud-kaist).
# scheme ud: K-UniDive, which is UD Korean GSD with the UPOS, XPOS and FEATS of the memoir's author
#   (Park et al. 2025), whose XPOS NOUN stands for NNG. The other schemes are the habits of one
#   treebank each.
# pattern: the word's morphemes from the first to the last. VV: a tag; N*: a tag that begins so;
#   있/VV: a form with its tag; *: any run of morphemes, also none. Of the rows that match a word
#   the most specific decides: most forms, then most whole tags, then most classes, then fewest *;
#   of equals the later. The rows of a scheme stand in this order, so the last that matches decides.
# count: the words that the row decides. share: of these, how many have its UPOS. example: the most
#   frequent word of those. A row without count was written by hand: the guidelines of UD ask for it
#   where the treebank does otherwise.
# Counted by benchmarks/make_upos_words.py on
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="+", metavar="SCHEME=CONLLU")
    parser.add_argument("--gain", type=int, default=4, help="words that a row must mend (4)")
    parser.add_argument("--least", type=int, default=12, help="words of a pattern or form (12)")
    parser.add_argument("--most", type=int, default=200, help="rows of a scheme (200)")
    parser.add_argument("--share", type=float, default=0.9, help="of the last treebank (0.9)")
    parser.add_argument("--folds", type=int, default=0, help="cross-validate instead")
    arguments = parser.parse_args()
    named = [text.partition("=")[::2] for text in arguments.treebanks]
    words = {scheme: read_words(path) for scheme, path in named}
    last = words[named[-1][0]]
    del last[int(len(last) * arguments.share) :]
    limits = arguments.gain, arguments.least, arguments.most
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    if arguments.folds:
        for scheme, own in words.items():
            shares = cross_validate(own, arguments.folds, limits)
            print(scheme, *[f"{share:.4f}" for share in shares], sep="\t")
        return
    guided = by_hand()
    print(HEADER.rstrip("\n"), " and ".join(Path(path).name for _, path in named))
    print(*COLUMNS, sep="\t")
    for scheme, own in words.items():
        mapped = in_sejong_tags(own)
        treebanks = [own] if mapped == own else [own, mapped]
        for row in section(treebanks, guided[scheme], limits):
            print(scheme, *row, sep="\t")


if __name__ == "__main__":
    main()
