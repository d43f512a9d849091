"""Where two texts that should be one differ, said with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.layers.matching import align_words, same_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.layers.matching import Group, Likeness

__all__ = ["Text", "alignment_settings", "list_differences"]

_WIDTH = 60


class Text(NamedTuple):
    """The tokens of a text, sentence by sentence."""

    sentences: Sequence[Sequence[str]]
    lines: Sequence[int]
    """Where each sentence begins, from 1."""
    path: str = "-"

    def within(self, sentences: range) -> list[str]:
        """The tokens of some of the sentences."""
        return [token for at in sentences for token in self.sentences[at]]

    def place(self, sentence: int) -> str:
        """File and line of a sentence; of the last for one behind it."""
        if not self.lines:
            return self.path
        return f"{self.path}:{self.lines[min(sentence, len(self.lines) - 1)]}"


def alignment_settings(gold: Text, system: Text, likeness: Likeness) -> dict[str, str]:
    """How two texts are aligned, for the signature of a result: by offset, or by likeness."""
    texts = ([token for words in text.sentences for token in words] for text in (gold, system))
    return {"align": "offset"} if same_text(*texts) else {"align": "jp", **likeness.settings}


def list_differences(
    gold: Text, system: Text, groups: Iterable[Group], likeness: Likeness
) -> list[str]:
    """What differs between two texts other than their tokens and sentences.

    Args:
        gold: the one text.
        system: the other.
        groups: their sentences, aligned.
        likeness: which words count as the same.

    Returns:
        One line each: sentences only one side has, words that differ; at the end how many sentences
        differ in case or in Unicode normalisation only.

    >>> from sejongud.layers.matching import Group, Likeness
    >>> gold, system = Text([["a", "bc", "d"]], [1], "g"), Text([["a", "b", "d"]], [1], "s")
    >>> list_differences(gold, system, [Group(range(1), range(1), True)], Likeness())
    ["g:1 'bc' – s:1 'b'"]
    """
    found: list[str] = []
    spelt = 0
    for group in groups:
        gold_words, system_words = gold.within(group.gold), system.within(group.system)
        if "".join(gold_words) == "".join(system_words):
            continue
        if not group.gold or not group.system:
            text, at = (gold, group.gold) if group.gold else (system, group.system)
            only = "gold" if group.gold else "the system"
            found += [f"{text.place(k)} only in {only}: {_shown(text.sentences[k])}" for k in at]
        elif same_text(gold_words, system_words):
            spelt += 1
        else:
            places = gold.place(group.gold.start), system.place(group.system.start)
            found += _of_words(gold_words, system_words, places, likeness)
    if spelt:
        found.append(f"{spelt} sentences differ in case, spaces or Unicode normalisation only")
    return found


def _of_words(
    gold: Sequence[str], system: Sequence[str], places: tuple[str, str], likeness: Likeness
) -> Iterator[str]:
    """The words that differ in an aligned pair."""
    for group in align_words(gold, system, likeness.exceptions):
        if not group.match:
            ours = gold[group.gold.start : group.gold.stop]
            theirs = system[group.system.start : group.system.stop]
            if not same_text(ours, theirs):
                yield f"{places[0]} {_shown(ours)} – {places[1]} {_shown(theirs)}"


def _shown(words: Iterable[str]) -> str:
    """Words for a message, not too many of them."""
    text = " ".join(words)
    return repr(text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…") if text else "nothing"
