"""Find English edits and their types by the installed ERRANT (Bryant et al. 2017).

Nothing is imitated: sentences are parsed, aligned, merged and typed by that program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.errors import UsageError, require
from sejongud.gec.edits import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.gec.edits import AnalysedToken

MODEL = "en_core_web_sm"
"""The model of spaCy that ERRANT loads."""


class English:
    """Annotate English sentences by ERRANT.

    Args:
        merge: ERRANT's way of merging.
        lev: whether every substitution costs 1.

    Raises:
        MissingExtraError: ERRANT is not installed.
        UsageError: spaCy's model of English is not installed.
    """

    def __init__(self, merge: str, lev: bool) -> None:
        self._settings = {"merging": merge, "lev": lev}
        try:
            self._errant = require("errant", "errant").load("en")
        except OSError as error:
            raise UsageError(
                "the scheme errant-en needs spaCy's model of English, which is not installed:"
                f" python -m spacy download {MODEL}"
            ) from error

    def edits(
        self, source: Sequence[AnalysedToken], target: Sequence[AnalysedToken], annotator: int
    ) -> tuple[Edit, ...]:
        """Return the edits that make the target of the source."""
        found = self._errant.annotate(*map(self._parsed, (source, target)), **self._settings)
        return tuple(
            [
                Edit(
                    e.o_start, e.o_end, e.c_str, e.type, annotator, c_start=e.c_start, c_end=e.c_end
                )
                for e in found
            ]
        )

    def retyped(
        self, edit: Edit, source: Sequence[AnalysedToken], target: Sequence[AnalysedToken]
    ) -> Edit:
        """Return an edit with the type that ERRANT gives it."""
        places = [edit.start, edit.end, edit.c_start, edit.c_end]
        typed = self._errant.import_edit(
            *map(self._parsed, (source, target)), places, min=False, old_cat=False
        )
        return edit._replace(type=typed.type)

    def _parsed(self, tokens: Sequence[AnalysedToken]) -> Any:
        return self._errant.parse(" ".join([token.form for token in tokens]))
