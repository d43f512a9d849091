"""The corrected sentence of a learner corpus, which corrects morphemes (Yoon et al. 2023, A.4).

The annotator of a word says of each of its morphemes whether it is preserved, replaced or removed.
A word of which anything is changed is made anew of its corrected morphemes, also where these are
the learner's: the stem of 어렵어요 is 어렵 in 어려워요 as well. The learner's letters stay for
nominals in front that are preserved, and his own choice between two right surfaces wins (하였, 했).
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.errors import FormatError
from sejongud.gec.edits import Corrections, Edit, Pair
from sejongud.gec.tokens import ADJECTIVE, ENDING, VERB, group_of
from sejongud.model import Morpheme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.morphology.generation import Generator
    from sejongud.rules import Rules

_UNUSABLE = frozenset({"ADD", "DELETE"})
"""Texts of a replacement that name an action and are no replacement."""
_OMITTED = "OM"
"""The pattern of a morpheme that the learner left out."""
_INFLECTED = frozenset({VERB, ADJECTIVE, ENDING})
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


class LearnerEojeol(NamedTuple):
    """An eojeol as the learner wrote it."""

    form: str
    morphemes: tuple[Morpheme, ...] = ()


class Annotated(NamedTuple):
    """A sentence as the learner wrote it, and the changes that an annotator makes to its words."""

    eojeols: tuple[LearnerEojeol, ...]
    changes: Mapping[int, Sequence[Change]]
    """Eojeol → its morphemes in order."""
    sent_id: str = ""


def pair_of(sentence: Annotated, generator: Generator) -> Pair:
    """Return a sentence and its correction, with one edit for each annotated word.

    Args:
        sentence: of the corpus.
        generator: makes the surfaces.

    Returns:
        The pair; the type of an edit in `corrections` is ErrorPattern:pos of each changed morpheme,
        joined by `+`.

    Raises:
        FormatError: a replacement has no text, or says ADD or DELETE.

    >>> from sejongud.morphology.generation import Generator
    >>> from sejongud.rules import load
    >>> word = LearnerEojeol("옷어서", (Morpheme("옷", "VV"), Morpheme("어서", "EC")))
    >>> changes = Change("Proofread", "웃", "VV", "MIF"), Change("Preserved", "어서")
    >>> pair = pair_of(Annotated((word,), {0: changes}), Generator(load()))
    >>> pair.targets, pair.given.edits[0][0].type
    (('웃어서',), 'MIF:VV')
    """
    tokens = tuple([eojeol.form for eojeol in sentence.eojeols])
    target: list[str] = []
    edits = []
    for index, eojeol in enumerate(sentence.eojeols):
        begin = len(target)
        changes = sentence.changes.get(index)
        if changes is None:
            target.append(eojeol.form)
            continue
        morphemes, of_type = _corrected(eojeol, changes, generator)
        if not of_type:
            target.append(eojeol.form)
            continue
        source = eojeol.form, eojeol.morphemes
        front = _front(changes, morphemes, generator.rules)
        target += generator.surface(morphemes, source, front).split() if morphemes else ()
        correction = " ".join(target[begin:])
        edits.append(Edit(index, index + 1, correction, of_type, c_start=begin, c_end=len(target)))
    corrections = Corrections(tokens, {0: tuple(edits)}, sentence.sent_id)
    return Pair(" ".join(tokens), (" ".join(target),), sentence.sent_id, given=corrections)


def _corrected(
    eojeol: LearnerEojeol, changes: Sequence[Change], generator: Generator
) -> tuple[tuple[Morpheme, ...], str]:
    """Return the corrected morphemes of an eojeol, and the type of its edit; "" without a change.

    A preserved morpheme has the tag of the next morpheme of the eojeol with its form, or of its
    partner, the morpheme in its place; so has a replacement whose tag is not known. Kiwi analyses
    an eojeol without morphemes.
    """
    corrected: list[Morpheme] = []
    types = []
    morphemes = eojeol.morphemes or generator.morphemes(eojeol.form)
    index = 0
    for change in changes:
        morpheme = morphemes[index] if index < len(morphemes) else None
        partner = morpheme.tag if morpheme else ""
        if change.kind == "Preserved":
            rest = [m.form for m in morphemes[index:]]
            ahead = rest.index(change.form) if change.form in rest else 0
            tag = morphemes[index + ahead].tag if rest else ""
            index += ahead + 1
            if change.form:
                corrected.append(Morpheme(change.form, tag))
            continue
        if change.kind == "Proofread":
            if not change.form or change.form in _UNUSABLE:
                shown = f"the text {change.form}" if change.form else "no text"
                raise FormatError(
                    f"{eojeol.form}: a correction has {shown}, and a morpheme is expected:"
                    " write it into Proofread",
                    code="E513",
                )
            is_tag = change.tag in generator.rules.tags
            corrected.append(Morpheme(change.form, change.tag if is_tag else partner))
        index += change.pattern != _OMITTED
        tag = change.tag or (partner if change.pattern != _OMITTED else "")
        types.append(":".join(filter(None, (change.pattern or _NO_PATTERN, tag))))
    return tuple(corrected), "+".join(types)


def _front(changes: Sequence[Change], morphemes: Sequence[Morpheme], rules: Rules) -> int:
    """Return the number of morphemes in front that are preserved and are not inflected."""
    preserved = takewhile(lambda change: change.kind == "Preserved", changes)
    pairs = zip([change for change in preserved if change.form], morphemes, strict=False)
    nominal = takewhile(lambda pair: group_of(pair[1], rules) not in _INFLECTED, pairs)
    return len(list(nominal))
