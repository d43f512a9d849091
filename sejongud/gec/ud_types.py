"""The types of corrections in any language: the operation and the parts of speech.

    M:PUNCT     the target has a mark more
    U:DET       the source has a determiner too many
    R:NOUN      a noun replaces what the source has

These are the types of jp-errant (memoir, Section 5.3), without ERRANT's classes of English grammar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.gec.edits import AnalysedToken

_NONE = "UNK"
_UNTAGGED = "X"


def ud_type(source: Sequence[AnalysedToken], target: Sequence[AnalysedToken]) -> str:
    """Return the type of an edit by the tags of its tokens.

    Args:
        source: the tokens of the source; () for an insertion.
        target: the tokens of the target; () for a deletion.

    Returns:
        `M:`, `U:` or `R:` and UPOS (X for none) with a space between; UNK if nothing changes. Last
        tokens that are equal but for case are left out where one side has more tokens than one.

    >>> from sejongud.gec.edits import AnalysedToken
    >>> cat, the = AnalysedToken("cat", upos="NOUN"), AnalysedToken("The", upos="DET")
    >>> ud_type([cat], []), ud_type([cat._replace(form="Cat")], [the, cat])
    ('U:NOUN', 'M:DET')
    """
    ours, theirs = list(source), list(target)
    while len(ours) + len(theirs) > 2 and ours and theirs and _alike(ours[-1], theirs[-1]):
        if _same(ours, theirs):
            return _NONE
        del ours[-1], theirs[-1]
    if _same(ours, theirs):
        return _NONE
    if not theirs:
        return f"U:{_tags(ours)}"
    return f"{'R' if ours else 'M'}:{_tags(theirs)}"


def _alike(source: AnalysedToken, target: AnalysedToken) -> bool:
    return source.form.lower() == target.form.lower()


def _same(ours: Sequence[AnalysedToken], theirs: Sequence[AnalysedToken]) -> bool:
    return [token.form for token in ours] == [token.form for token in theirs]


def _tags(tokens: Sequence[AnalysedToken]) -> str:
    """Return UPOS of tokens, with a space between."""
    return " ".join([token.upos or _UNTAGGED for token in tokens])
