"""The content of a file that a metric compares, and the differences between two such texts."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from unicodedata import category

from sejongud.errors import FormatError, Incident
from sejongud.layers.matching import Group, align_words, replaced_words
from sejongud.layers.subsequence import Likeness, same_text
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.formats.base import Block, Reader
    from sejongud.model import Sentence


S = TypeVar("S")
T = TypeVar("T")
_WIDTH = 60
_OF_ARCS = frozenset({"E204", "E205", "E211"})
"""The codes of faults in HEAD and DEPS."""
LEFT_OUT = "; the sentence is left out"
"""The end of the messages of faults, after which the run goes on."""


class Annotation(NamedTuple, Generic[T]):
    """The gold file or the system file of a metric."""

    sentences: Sequence[Sequence[str]]
    """The tokens of each sentence; sentences are aligned by them."""
    data: T
    """The annotation that the metric compares; most metrics hold a list parallel to `sentences`."""
    lines: Sequence[int]
    """The line in which each sentence begins, from 1."""
    path: str = "-"
    incidents: Sequence[Incident] = ()
    """The faults of the file. A sentence with a fault in its frame is not in `sentences`."""
    form: str = ""
    """The format that the file was read in; empty if the metric reads only one."""
    files: Sequence[tuple[int, str]] = ()
    """The files of a folder that are read as one text, each with its first line in it."""
    documents: Callable[[], Sequence[int]] = tuple
    """Lists the first sentence of each document, from 0, when somebody asks for them."""

    def with_data(self, data: S) -> Annotation[S]:
        """Return the same file with another annotation."""
        return self._replace(data=data)  # type: ignore[return-value, arg-type]

    def place(self, sentence: int) -> str:
        """Return file and line of a sentence; those of the last sentence for a number behind it."""
        if not self.lines:
            return self.path
        line = self.lines[min(sentence, len(self.lines) - 1)]
        return "{}:{}".format(*self.located(line))

    def located(self, line: int) -> tuple[str, int]:
        """Return the file and its line that a line of the text is."""
        if not self.files:
            return self.path, line
        first, name = self.files[bisect_right(self.files, line, key=itemgetter(0)) - 1]
        return name, line - first + 1


Found = tuple[int, list[str], T]
"""A sentence that a reader found: its line, its tokens, the data of the metric."""


def collect(path: str, results: Iterable[Found[T] | Incident]) -> Annotation[list[T]]:
    """Build the side of a file from its sentences and faults.

    Args:
        path: the name of the file.
        results: the sentences and the faults, in the order of the file.

    >>> side = collect("a.txt", [(1, ["나는", "갔다"], "data")])
    >>> side.sentences, side.place(0)
    ([['나는', '갔다']], 'a.txt:1')
    """
    results = list(results)
    rows = [result for result in results if not isinstance(result, Incident)]
    incidents = [result for result in results if isinstance(result, Incident)]
    if not any(tokens for _, tokens, _ in rows):
        incidents.append(nothing(path))
    return Annotation(
        [tokens for _, tokens, _ in rows],
        [data for _, _, data in rows],
        [line for line, _, _ in rows],
        path,
        incidents,
    )


def read_each(
    path: str, blocks: Iterable[Block], read: Callable[[Block], Iterable[Found[T]]]
) -> Annotation[list[T]]:
    """Build the side of a file from its blocks; one that cannot be read is told and left out.

    Args:
        path: the file.
        blocks: its blocks.
        read: returns what a block holds.
    """

    def results() -> Iterator[Found[T] | Incident]:
        for block in blocks:
            try:
                yield from read(block)
            except FormatError as error:
                yield left_out(error, path, block.line)

    return collect(path, results())


def without_arcs(reader: Reader, block: Block) -> Sentence:
    """Return the sentence of a block for a metric to which HEAD and DEPS are nothing.

    Raises:
        FormatError: anything else in the block cannot be read; with its line.
    """
    try:
        return reader.parse(block)
    except FormatError:
        mended, errors = reader.mended(block)
        if not {error.code for error in errors} <= _OF_ARCS:
            raise
        return reader.parse(mended)


def left_out(error: FormatError, path: str, line: int) -> Incident:
    """Return the incident of a sentence that cannot be read."""
    error.message += LEFT_OUT
    return error.at(path=path, line=line).incident()


def nothing(path: str) -> Incident:
    """Return the fault of a file without sentences."""
    return Incident("E801", "there is no sentence in this file", path)


def joined(sentences: Sequence[Sequence[T]], group: range) -> list[T]:
    """Join the tokens, or other items, of neighbouring sentences.

    >>> joined([["a"], ["b", "c"], ["d"]], range(1, 3))
    ['b', 'c', 'd']
    """
    return [item for i in group for item in sentences[i]]


def alignment_settings(
    gold: Annotation[Any], system: Annotation[Any], likeness: Likeness
) -> dict[str, str]:
    """Return how two texts are aligned, by offset or by likeness, for the signature of a result."""
    same = same_text(*[chain.from_iterable(side.sentences) for side in (gold, system)])
    return {"align": "offset"} if same else {"align": "jp", **likeness.settings}


def is_punctuation(form: str) -> bool:
    """Return whether all characters of a word are punctuation, by the categories of Unicode.

    >>> is_punctuation("..."), is_punctuation("%p")
    (True, False)
    """
    return bool(form) and all(category(char)[0] == "P" for char in form)


class Alignment(NamedTuple):
    """The groups of sentences of two files, by their alignment."""

    groups: int = 0
    """The number of groups of sentences."""
    not_one_to_one: int = 0
    """The number of groups with no sentence, or several, of either file."""
    largest: float = 0.0
    """The share of the text in the largest group that has sentences of both, and several of one."""
    place: str = "-"
    """The place in gold of the largest of these groups."""


def summarise(gold: Annotation[Any], system: Annotation[Any], groups: Sequence[Group]) -> Alignment:
    """Count the groups of aligned sentences, and tell the largest that is not one to one.

    >>> from sejongud.layers.matching import Group
    >>> gold = Annotation([["a"], ["b"]], None, [1, 2], "g")
    >>> system = Annotation([["a", "b"]], None, [1])
    >>> summarise(gold, system, [Group(range(2), range(1), False)])
    Alignment(groups=1, not_one_to_one=1, largest=1.0, place='g:1')
    """
    lengths = [*map(len, gold.sentences)], [*map(len, system.sentences)]
    whole = sum(map(sum, lengths)) or 1
    largest, first = 0, 0
    for group in groups:
        if group.grows:
            size = sum(lengths[0][i] for i in group.gold)
            size += sum(lengths[1][i] for i in group.system)
            largest, first = max((largest, first), (size, group.gold.start))
    several = sum(not group.one_to_one for group in groups)
    return Alignment(len(groups), several, largest / whole, gold.place(first))


def list_differences(
    gold: Annotation[Any], system: Annotation[Any], groups: Iterable[Group], likeness: Likeness
) -> list[str]:
    """List the differences between two texts other than the borders of tokens and sentences.

    Args:
        gold: the one text.
        system: the other text.
        groups: their sentences, aligned.
        likeness: which words count as the same.

    Returns:
        One line for each sentence that only one side has and for each pair of words that differ;
        the last line counts the sentences that differ only in case or Unicode normalisation.

    >>> from sejongud.layers.matching import Group
    >>> from sejongud.layers.subsequence import Likeness
    >>> gold = Annotation([["a", "bc", "d"]], None, [1], "g")
    >>> system = Annotation([["a", "b", "d"]], None, [1])
    >>> list_differences(gold, system, [Group(range(1), range(1), True)], Likeness())
    ["g:1 'bc' – -:1 'b'"]
    """
    differences: list[str] = []
    spelt = 0
    for group in groups:
        ours, theirs = joined(gold.sentences, group.gold), joined(system.sentences, group.system)
        if "".join(ours) == "".join(theirs):
            continue
        if not group.gold or not group.system:
            side, sentences = (gold, group.gold) if group.gold else (system, group.system)
            only = "gold" if group.gold else "the system"
            differences += [
                f"{side.place(k)} only in {only}: {_shown(side.sentences[k])}" for k in sentences
            ]
        elif same_text(ours, theirs):
            spelt += 1
        else:
            places = _places(gold, group.gold), _places(system, group.system)
            differences += _of_words(ours, theirs, places, likeness)
    if spelt:
        differences.append(
            counted(spelt, "sentence[s] differ[s|] in case, spaces or Unicode normalisation only")
        )
    return differences


def _places(side: Annotation[Any], sentences: range) -> Callable[[int], str]:
    """Return a function from a word of some sentences to its file and line.

    A word behind the last one has the line of the last sentence.
    """
    ends = [*accumulate([len(side.sentences[i]) for i in sentences[:-1]])]
    return lambda word: side.place(sentences[bisect_right(ends, word)])


def _of_words(
    gold: Sequence[str],
    system: Sequence[str],
    places: tuple[Callable[[int], str], Callable[[int], str]],
    likeness: Likeness,
) -> Iterator[str]:
    """Yield the words that differ in an aligned pair of sentences."""
    if (replaced := replaced_words(gold, system, likeness)) is not None:
        for i in replaced:
            ours_at, theirs_at = places[0](i), places[1](i)
            yield f"{ours_at} {_shown([gold[i]])} – {theirs_at} {_shown([system[i]])}"
        return
    for group in align_words(gold, system, likeness):
        ours = gold[group.gold.start : group.gold.stop]
        theirs = system[group.system.start : group.system.stop]
        if not group.match and not same_text(ours, theirs):
            ours_at, theirs_at = places[0](group.gold.start), places[1](group.system.start)
            yield f"{ours_at} {_shown(ours)} – {theirs_at} {_shown(theirs)}"


def _shown(words: Iterable[str]) -> str:
    """Return words in quotes for a message, cut to a readable width."""
    text = " ".join(words)
    return repr(text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…") if text else "nothing"
