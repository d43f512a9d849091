"""The edits of a batch of sentences: found anew, or given types anew.

The work pickles: each process makes an analyser of its own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sejongud.commands.gec.files import Analysed
from sejongud.errors import FormatError
from sejongud.formats.pairs import tell_composed
from sejongud.gec.annotator import Annotator, tell_long
from sejongud.gec.edits import LEVEL, LOST, TEXT, Corrections, Pair, text_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.commands.gec.files import Fault, Made, Placed
    from sejongud.errors import Report

_Kind = Literal["free", "fixed", "kept", "analysed"]
"""A text whose marks may be split off, a text of fixed tokens, edits that are kept, sentences."""


@dataclass(frozen=True)
class Annotate:
    """Finds the edits of pairs, or the types of edits that are given.

    Args:
        annotator: the settings.
        keep: whether edits stay as they are, and their types alone are found.
        given: whether edits that a file states of a pair stand beside those that are found; they
            take the place of those that have the same annotator.
        level: of the tokens, which a comment keeps beside the text of each source; "" for none.
    """

    annotator: Annotator
    keep: bool = False
    given: bool = False
    level: str = ""

    def __call__(self, batch: Sequence[Placed], report: Report, fault: Fault) -> Iterator[Made]:
        """Yield the corrections of a batch in order."""
        groups: defaultdict[_Kind, list[tuple[int, Pair | Corrections | Analysed]]]
        groups = defaultdict(list)
        for at, placed in enumerate(batch):
            try:
                if not self.keep:
                    tell_composed(report, _texts(placed[1]), placed[0], sent_id=placed[1].sent_id)
                kind, ready = self._ready(placed[1])
            except FormatError as error:
                fault(error, placed)
            else:
                groups[kind].append((at, ready))
                self._tell_unchanging(*placed, report)
        made: dict[int, Corrections] = {}
        for kind, own in groups.items():
            found = self._found(kind, [ready for _, ready in own], report)
            made |= zip([at for at, _ in own], found, strict=True)
        for at in sorted(made):
            line, item = batch[at]
            source = item.sides[0] if isinstance(item, Analysed) else None
            yield line, self._finished(item, made[at]), source

    def _ready(
        self, item: Pair | Corrections | Analysed
    ) -> tuple[_Kind, Pair | Corrections | Analysed]:
        """Return what edits are found of, and how.

        Raises:
            FormatError: edits that are given overlap.
        """
        if isinstance(item, Analysed):
            return "analysed", item
        if isinstance(item, Corrections):
            targets = tuple([" ".join(item.target(annotator)) for annotator in item.edits])
            if self.keep:
                return "kept", item
            return "fixed", Pair(" ".join(item.tokens), targets, item.sent_id, item.comments)
        if self.given and item.given is not None:
            return "fixed", item._replace(source=" ".join(item.given.tokens))
        return "free", item

    def _tell_unchanging(
        self, line: int, item: Pair | Corrections | Analysed, report: Report
    ) -> None:
        """Report the edits of a sentence that change no text, and are not found again."""
        if isinstance(item, Corrections) and not self.keep:
            lost = [note for note in text_notes(item) if note.code == LOST]
            report.tell(lost, "", line, item.sent_id)

    def _found(self, kind: _Kind, ready: list[object], report: Report) -> Iterable[Corrections]:
        makers: dict[_Kind, Callable[..., Iterable[Corrections]]] = {
            "free": self.annotator.annotated,
            "fixed": self._fixed.annotated,
            "analysed": self._of_sentences,
        }
        return self._fixed.retyped(ready) if kind == "kept" else makers[kind](ready, report)  # type: ignore[arg-type]

    @cached_property
    def _fixed(self) -> Annotator:
        """The annotator of texts whose tokens a file has fixed; marks are not split off twice."""
        if self.annotator.split_punctuation is None:
            return replace(self.annotator, split_punctuation=False)
        return self.annotator

    def _of_sentences(self, items: Iterable[Analysed], report: Report) -> Iterator[Corrections]:
        """Yield the corrections of sentences that are analysed already."""
        for item in items:
            source, *targets = map(self.annotator.tokens_of, item.sides)
            edits = {}
            for annotator, target in enumerate(targets):
                tell_long(source, target, report, item.sent_id)
                found = self.annotator.edits(source, target)
                edits[annotator] = tuple([edit._replace(annotator=annotator) for edit in found])
            forms = tuple([token.form for token in source])
            yield Corrections(forms, edits, item.sent_id, item.comments)

    def _finished(self, item: Pair | Corrections | Analysed, made: Corrections) -> Corrections:
        """Return corrections with the annotators and the text of their source."""
        edits = {annotator: tuple(own) for annotator, own in made.edits.items()}
        if isinstance(item, Corrections) and not self.keep:
            edits = {
                annotator: tuple([edit._replace(annotator=annotator) for edit in own])
                for annotator, own in zip(item.edits, edits.values(), strict=True)
            }
        elif isinstance(item, Pair) and self.given and item.given is not None:
            edits = dict(sorted({**edits, **item.given.edits}.items()))
        comments = made.comments
        if not self.keep:
            comments = tuple([one for one in comments if not one.startswith(LEVEL)])
        if self.level and isinstance(item, Pair):
            text = f"{TEXT}{self.annotator.normalised(item.source)}"
            comments = (*comments, text, f"{LEVEL}{self.level}")
        return made._replace(edits=edits, comments=comments)


def _texts(item: Pair | Corrections | Analysed) -> Iterator[str]:
    """Yield the texts, or the tokens, of an item."""
    if isinstance(item, Analysed):
        yield from [side.text for side in item.sides]
    elif isinstance(item, Pair):
        yield from (item.source, *item.targets)
    else:
        yield from item.tokens
        yield from [edit.correction for edits in item.edits.values() for edit in edits]
