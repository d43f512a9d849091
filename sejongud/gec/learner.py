"""The corrected sentence of a learner corpus, which corrects morphemes (paper 002, A.4).

The annotator of a word says of each of its morphemes whether it is preserved, replaced or removed.
`sejongud.surface` makes the corrected eojeol of them: the letters of the learner stay for the
morphemes in front that are preserved, and his own choice between two surfaces wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.errors import FormatError
from sejongud.gec.edits import Corrections, Edit, Pair
from sejongud.model import Morpheme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.morphology.generation import Generator

_UNUSABLE = frozenset({"ADD", "DELETE"})
"""Texts of a replacement that name an action and are no replacement."""
_OMITTED = "OM"
"""The pattern of a morpheme that the learner left out."""
_NO_PATTERN = "UNK"
"""The pattern of a change whose annotation has none."""


class Change(NamedTuple):
    """The annotation of a morpheme by an annotator."""

    kind: Literal["Preserved", "Proofread", "Removed"]
    form: str = ""
    """The text that is preserved, or that replaces a morpheme."""
    tag: str = ""
    """The tag of the replacement."""
    pattern: str = ""
    """REP replacement, MIF misformation, ADD addition, OM omission."""


class Eojeol(NamedTuple):
    """An eojeol as the learner wrote it."""

    form: str
    morphemes: tuple[Morpheme, ...] = ()


class Annotated(NamedTuple):
    """A sentence as the learner wrote it, and the changes that an annotator makes to its words."""

    eojeols: tuple[Eojeol, ...]
    changes: Mapping[int, Sequence[Change]]
    """Eojeol → its morphemes in order."""
    sent_id: str = ""


def pair_of(sentence: Annotated, generator: Generator) -> Pair:
    """Return a sentence and its correction, with one edit for each annotated word.

    Args:
        sentence: of the corpus.
        generator: makes the surfaces.

    Returns:
        The pair; the type of an edit in `given` is ErrorPattern:pos of each changed morpheme,
        joined by `+`.

    Raises:
        FormatError: a replacement has no text, or says ADD or DELETE.

    >>> from sejongud.morphology.generation import Generator
    >>> from sejongud.rules import load
    >>> word = Eojeol("옷어서", (Morpheme("옷", "VV"), Morpheme("어서", "EC")))
    >>> changes = Change("Proofread", "웃", "VV", "MIF"), Change("Preserved", "어서")
    >>> pair = pair_of(Annotated((word,), {0: changes}), Generator(load()))
    >>> pair.targets, pair.given.edits[0][0].type
    (('웃어서',), 'MIF:VV')
    """
    tokens = tuple([eojeol.form for eojeol in sentence.eojeols])
    target: list[str] = []
    edits = []
    for at, eojeol in enumerate(sentence.eojeols):
        begin = len(target)
        changes = sentence.changes.get(at)
        if changes is None:
            target.append(eojeol.form)
            continue
        morphemes, of_type = _corrected(eojeol, changes)
        made = generator.surface(morphemes, (eojeol.form, eojeol.morphemes)) if morphemes else ""
        target += made.split()
        if of_type:
            correction = " ".join(target[begin:])
            edits.append(Edit(at, at + 1, correction, of_type, c_start=begin, c_end=len(target)))
    given = Corrections(tokens, {0: tuple(edits)}, sentence.sent_id)
    return Pair(" ".join(tokens), (" ".join(target),), sentence.sent_id, given=given)


def _corrected(eojeol: Eojeol, changes: Sequence[Change]) -> tuple[tuple[Morpheme, ...], str]:
    """Return the corrected morphemes of an eojeol, and the type of its edit.

    A preserved morpheme has the tag of the next morpheme of the eojeol with its form.
    """
    found: list[Morpheme] = []
    types = []
    at = 0
    for change in changes:
        own = eojeol.morphemes[at] if at < len(eojeol.morphemes) else None
        if change.kind == "Preserved":
            at, tag = _tag_of(change.form, eojeol.morphemes, at)
            if change.form:
                found.append(Morpheme(change.form, tag))
            continue
        if change.kind == "Proofread":
            if not change.form or change.form in _UNUSABLE:
                said = f"the text {change.form}" if change.form else "no text"
                raise FormatError(
                    f"{eojeol.form}: a correction has {said}, and a morpheme is expected:"
                    " write it into Proofread",
                    code="E513",
                )
            found.append(Morpheme(change.form, change.tag))
        at += change.pattern != _OMITTED
        tag = change.tag or (own.tag if own and change.pattern != _OMITTED else "")
        types.append(":".join(filter(None, (change.pattern or _NO_PATTERN, tag))))
    return tuple(found), "+".join(types)


def _tag_of(form: str, morphemes: Sequence[Morpheme], at: int) -> tuple[int, str]:
    """Return the place behind the next morpheme with a form, and its tag; "" if there is none."""
    for place in range(at, len(morphemes)):
        if morphemes[place].form == form:
            return place + 1, morphemes[place].tag
    return at, ""
