"""Say which words and sentences of two texts count as the same: spelling and likeness."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args
from unicodedata import normalize

from sejongud.errors import UsageError
from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Similarity = Literal["edit", "jaro"]
"""The measure by which two sentences are alike (see `matching.align_sentences`)."""

SIMILARITIES: tuple[Similarity, ...] = get_args(Similarity)

_OF_ALL = "*"
_EDIT_LENGTH = 10  # the edit distance is below one in ten characters: jp-evalb, Section 2
_JARO = 0.9  # above; the memoir (Section 5.3.3) leaves threshold and cap of its measure open
_AFFIX_SCALE = 0.1
_AFFIX_CAP = 4


class Likeness(NamedTuple):
    """The settings of an alignment: which words and sentences of differing texts are the same."""

    exceptions: Mapping[str, str] = {}
    """Folded word → the folded word it counts as, for example `n't` → `not`."""
    similarity: Similarity = "edit"
    languages: tuple[str, ...] = ()
    """The languages that the exceptions belong to."""

    @property
    def settings(self) -> dict[str, str]:
        """The settings for the signature of a result."""
        languages = "+".join(self.languages) or "none"
        return {"similarity": self.similarity, "exceptions": languages}


STRICT = Likeness()
"""The settings without exceptions; sentences are compared by their edit distance."""


def load_likeness(
    languages: Iterable[str], similarity: Similarity = "edit", directory: str | None = None
) -> Likeness:
    """Load the exceptions of some languages.

    Args:
        languages: codes in `rules/word-exceptions.tsv`; the words that belong to no language
            (quotes, escaped brackets) go with every language, and are `*` by themselves.
        similarity: the measure for sentences.
        directory: the user's tables, as for `sejongud.rules.load`.

    Raises:
        UsageError: a language has no list.

    >>> load_likeness(["en"]).exceptions["n't"]
    'not'
    """
    languages = tuple(languages)
    if not languages:
        return Likeness(similarity=similarity)
    from sejongud.rules import load

    rows = load(directory).table("word-exceptions")
    available = {row["language"] for row in rows}
    if missing := sorted({*languages} - available):
        raise UsageError(
            f"no word exceptions for {', '.join(missing)}: rules/word-exceptions.tsv has "
            + ", ".join(sorted(available))
        )
    used = [row for row in rows if row["language"] in (*languages, _OF_ALL)]
    exceptions = {fold(row["word"]): fold(row["counts_as"]) for row in used}
    return Likeness(exceptions, similarity, languages)


def compared(words: Iterable[str], likeness: Likeness) -> list[str]:
    """Return the words in the form that is compared."""
    folded = list(map(fold, words))
    exceptions = likeness.exceptions
    return [exceptions.get(word, word) for word in folded] if exceptions else folded


def spelt_lengths(texts: Sequence[str], spell: Callable[[str], str]) -> list[int]:
    """Return the length of each text in a spelling.

    Args:
        texts: the texts.
        spell: `spaceless` or `decomposed`.
    """
    joined = "".join(texts)
    # Most texts are spelt so already, and need not be looked at one by one.
    if spell(joined) == joined:
        return list(map(len, texts))
    lengths = {text: len(spell(text)) for text in {*texts}}
    return [lengths[text] for text in texts]


def same_text(gold: Iterable[str], system: Iterable[str]) -> bool:
    """Test whether two lists of words are one text but for spaces, case and normal form.

    >>> same_text(["H", "NEIM"], ["HNEIM"])
    True
    """
    ours, theirs = "".join(gold), "".join(system)
    return ours == theirs or canonical(ours) == canonical(theirs)


def spaceless(text: str) -> str:
    """Return the text without spaces, which two tokenizations of one text have in common."""
    return "".join(text.split())


def decomposed(text: str) -> str:
    """Return the text without spaces, case folded, in NFD.

    In NFD, unlike in NFC (see `fold`), the text of two joined tokens is the joined text of each.
    """
    return normalize("NFD", spaceless(text).casefold())


@lru_cache(maxsize=1 << 16)
def composed(text: str) -> str:
    """Return the text in NFC, in which words and lemmas of treebanks are compared."""
    return normalize("NFC", text)


def canonical(text: str) -> str:
    """Return the text in the spelling that is compared: no spaces, case folded, NFC.

    Texts are the same in this spelling if they are the same `decomposed`. Of a text in NFC, which
    most texts are, it is the faster one.

    >>> canonical("De 1 000 Mètres")
    'de1000mètres'
    """
    return normalize("NFC", spaceless(text).casefold())


fold = Memo(canonical, size=1 << 15).__getitem__
"""Like `canonical`, remembered: for words and sentences."""


def similarity_test(similarity: Similarity) -> Callable[[str, str], bool]:
    """Return the test of likeness for two sentences, which are folded."""
    from rapidfuzz.distance import Jaro, Levenshtein, Postfix, Prefix

    def by_edits(gold: str, system: str) -> bool:
        longer = max(len(gold), len(system))
        limit = (longer - 1) // _EDIT_LENGTH  # the greatest distance that is below
        if abs(len(gold) - len(system)) > limit:
            return False
        return Levenshtein.distance(gold, system, score_cutoff=limit) <= limit

    def by_jaro(gold: str, system: str) -> bool:
        jaro = Jaro.similarity(gold, system)
        affixes = min(Prefix.similarity(gold, system), _AFFIX_CAP)
        affixes += min(Postfix.similarity(gold, system), _AFFIX_CAP)
        return jaro + _AFFIX_SCALE * affixes * (1 - jaro) > _JARO

    return by_edits if similarity == "edit" else by_jaro
