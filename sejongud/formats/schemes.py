"""The schemes of labels in files: BIO, BIOES, IOB1, and BILOU and BMES, which are BIOES respelt."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sejongud.formats.labelled import SPELLINGS
from sejongud.layers.labels import recode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sejongud.formats.labelled import Spelling
    from sejongud.layers.labels import LabelScheme

_IN_BIOES = {"bilou": {"U": "S", "L": "E"}, "bmes": {"M": "I"}}
"""Scheme → its prefix → the prefix of BIOES: BILOU (spaCy) and BMES."""
_FROM_BIOES = {
    scheme: {letter: prefix for prefix, letter in prefixes.items()}
    for scheme, prefixes in _IN_BIOES.items()
}
OTHER_SCHEMES = tuple(_IN_BIOES)
_USUAL = SPELLINGS["B-PER"]


def labels_of(tags: Iterable[str], scheme: str, spelling: Spelling = _USUAL) -> tuple[str, ...]:
    """Return the labels of tags in BIO; tags that are ill-formed in the scheme keep their prefixes.

    Args:
        tags: of a sentence.
        scheme: one of `LABEL_SCHEMES` or of `OTHER_SCHEMES`.
        spelling: of the tags.

    >>> labels_of(["B-PS", "L-PS", "U-LC"], "bilou"), labels_of(["U-PS", "L-PS"], "bilou")
    (('B-PS', 'I-PS', 'B-LC'), ('S-PS', 'E-PS'))
    """
    labels = tuple(map(spelling.read, in_bioes(tags, scheme)))
    if scheme == "bio":
        return labels
    in_bio = recode(labels, "bio")
    return in_bio if recode(in_bio, _known(scheme)) == labels else labels


def tags_of(labels: tuple[str, ...], scheme: str, spelling: Spelling = _USUAL) -> list[str]:
    """Return the tags of labels, the inverse of `labels_of`.

    >>> tags_of(("B-PS", "I-PS", "B-LC"), "bilou")
    ['B-PS', 'L-PS', 'U-LC']
    """
    if scheme != "bio" and recode(labels, "bio") == labels:
        labels = recode(labels, _known(scheme))
    return _with_prefixes(map(spelling.write, labels), _FROM_BIOES.get(scheme, {}))


def in_bioes(tags: Iterable[str], scheme: str) -> list[str]:
    """Return tags of BILOU or BMES as those of BIOES; tags of any other scheme as they are.

    >>> in_bioes(["U-PS", "U"], "bilou")
    ['S-PS', 'U']
    """
    return _with_prefixes(tags, _IN_BIOES.get(scheme, {}))


def other_scheme(tags: Iterable[str]) -> str:
    """Return the scheme of `OTHER_SCHEMES` that tags have, "" for any other.

    >>> other_scheme(["O", "U-PS"]), other_scheme(["B-PS", "M-PS", "E-PS"]), other_scheme(["O"])
    ('bilou', 'bmes', '')
    """
    seen = {tag[0] for tag in tags if tag[1:2] in ("-", "_") and tag[2:]}
    schemes = [scheme for scheme, prefixes in _IN_BIOES.items() if seen & prefixes.keys()]
    return schemes[0] if len(schemes) == 1 else ""


def _known(scheme: str) -> LabelScheme:
    return cast("LabelScheme", "bioes" if scheme in _IN_BIOES else scheme)


def _with_prefixes(tags: Iterable[str], prefixes: Mapping[str, str]) -> list[str]:
    return [
        prefixes[tag[0]] + tag[1:] if tag[1:2] in ("-", "_") and tag[0] in prefixes else tag
        for tag in tags
    ]
