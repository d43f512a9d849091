"""Find the edits between a source and its targets, and say of which type they are.

    tokens → alignment → merging → types

The scheme `kagas` is for Korean: eojeols as Kiwi analyses them, fourteen types (Yoon et al. 2023).
The scheme `refined` has types of morphemes there, and one edit for one error. The scheme `errant`
is for any language that has UPOS (Bryant et al. 2017; memoir, Section 5.3), and `errant-en` asks
the installed ERRANT for the edits of English.

Find English edits and their types by the installed ERRANT (Bryant et al. 2017).

Nothing is imitated: sentences are parsed, aligned, merged and typed by that program.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import chain, filterfalse, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from sejongud.errors import Incident, Report, UsageError, expect_choice, require
from sejongud.gec.alignment import CELLS, Operation, TokenAligner, align, aligner_of, is_long
from sejongud.gec.edits import SPACE, AnalysedToken, Corrections, Edit, Pair, placed
from sejongud.gec.merging import DEFAULT_MERGES, MERGES, merge
from sejongud.gec.speller import checked_speller
from sejongud.gec.tokens import (
    PUNCTUATION,
    UNITS,
    analysed,
    has_letters,
    plain_tokens,
    split_punctuation,
    tokens_of,
)
from sejongud.gec.types import ud_type
from sejongud.model import LEVELS, MORPHEMES, Sentence
from sejongud.morphology.kiwi import clean
from sejongud.rules import Rules, digest, load
from sejongud.version import kiwi_versions

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.morphology.eojeol import Assembler

_Tokens: TypeAlias = "Sequence[AnalysedToken]"

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

    def edits(self, source: _Tokens, target: _Tokens, annotator: int) -> tuple[Edit, ...]:
        """Return the edits that make the target of the source."""
        edits = []
        for e in self._errant.annotate(*map(self._parsed, (source, target)), **self._settings):
            edit = Edit(e.o_start, e.o_end, e.c_str, e.type, annotator)
            edits.append(edit._replace(c_start=e.c_start, c_end=e.c_end))
        return tuple(edits)

    def retyped(self, edit: Edit, source: _Tokens, target: _Tokens) -> Edit:
        """Return an edit with the type that ERRANT gives it."""
        places = [edit.start, edit.end, edit.c_start, edit.c_end]
        sides = map(self._parsed, (source, target))
        typed = self._errant.import_edit(*sides, places, min=False, old_cat=False)
        return edit._replace(type=typed.type)

    def _parsed(self, tokens: _Tokens) -> Any:
        return self._errant.parse(" ".join([token.form for token in tokens]))


# --- Korean ---------------------------------------------------------------------------------------

SCHEMES = tuple(DEFAULT_MERGES)
"""The schemes of annotation: for Korean, and for any language with UPOS."""

_BATCH = 128
"""The pairs whose texts are analysed together."""

_KAGAS, _REFINED, _ENGLISH = "kagas", "refined", "errant-en"
_PUBLISHED = "published"
_ERRANT_MERGES = ("rules", "all-split", "all-merge", "all-equal")
_REPLACING = frozenset("DIS")


@dataclass(frozen=True, kw_only=True)
class Annotator:
    """Annotates pairs with the same settings.

    Args:
        scheme: one of SCHEMES: "kagas" or "refined", types of Korean; "errant", types by UPOS;
            "errant-en", what the installed ERRANT finds in English.
        unit: what a token is: "eojeol", "token" (a word of the analyses), "word" (of `level`) or
            "character". Words of level 5 are morphemes: texts that differ in spaces or letters and
            have the same morphemes have no edit there.
        level: of granularity, 1 to 5, for "word".
        merge: how operations become edits, one of MERGES; None for "spaces" with "kagas", for
            "published" with `compat`, for "alike" with "refined" and for "rules" with "errant" and
            "errant-en".
        split_punctuation: the marks that get a space on either side: True or "published" for those
            of the KAGAS program, "all" for all symbols, False for none; None for "published" if
            the scheme is one of Korean and the unit "eojeol". Analyses stay as they are.
        whole: the eojeols of which no marks are split off.
        lev: whether every substitution costs 1 and nothing is transposed.
        detail: whether the comment of an edit has all groups of the morphemes that differ.
        compat: whether merging, order and conditions are those of the KAGAS program.
        speller: what finds misspellings: "kiwi", "hunspell", "hunspell:DIR", "none", or a function
            of source and target.
        given: whether the analyses are the caller's, so that Kiwi's are not asked for others.
        rules: a folder of tables laid over the built-in ones.

    Raises:
        UsageError: a setting has no such value.

    >>> annotator = Annotator(scheme="errant")
    >>> source = [AnalysedToken("Cat", "cat", "NOUN")]
    >>> target = [AnalysedToken("The", "the", "DET"), AnalysedToken("cat", "cat", "NOUN")]
    >>> [edit[:4] for edit in annotator.edits(source, target)]
    [(0, 1, 'The cat', 'M:DET')]
    """

    scheme: str = "kagas"
    unit: str = "eojeol"
    level: int = MORPHEMES
    merge: str | None = None
    split_punctuation: bool | str | None = None
    whole: frozenset[str] = frozenset()
    lev: bool = False
    detail: bool = False
    compat: bool = False
    speller: str | Callable[[str, str], bool] = "kiwi"
    given: bool = False
    rules: str | None = None

    def __post_init__(self) -> None:
        if self.unit == "character":  # As the option is spelled.
            object.__setattr__(self, "unit", UNITS[-1])
        if self.split_punctuation is True:
            object.__setattr__(self, "split_punctuation", PUNCTUATION[0])
        for name, value, legal in (
            ("scheme", self.scheme, SCHEMES),
            ("unit", self.unit, UNITS),
            ("merge", self.merge or _PUBLISHED, MERGES),
            ("split_punctuation", self.split_punctuation or PUNCTUATION[0], PUNCTUATION),
        ):
            expect_choice(name, value, legal)
        if isinstance(self.speller, str):
            checked_speller(self.speller)
        if self.level not in LEVELS:
            raise UsageError(f"there is no level {self.level}: the levels are 1 to {MORPHEMES}")
        if self.compat and self.scheme != _KAGAS:
            raise UsageError(f"compat asks for the KAGAS program, and the scheme is {self.scheme}")
        if self.scheme == _ENGLISH:
            if self.how not in _ERRANT_MERGES:
                raise UsageError(f"ERRANT has no merging {self.how}: {', '.join(_ERRANT_MERGES)}")
            require("errant", "errant")

    def __getstate__(self) -> dict[str, object]:
        # A worker process makes its own analyser and its own memories.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def tables(self) -> Rules:
        """The tables, with the user's own laid over."""
        return load(self.rules)

    @property
    def is_korean(self) -> bool:
        """Whether the types are those of Korean morphemes."""
        return self.scheme in (_KAGAS, _REFINED)

    @property
    def how(self) -> str:
        """The way of merging."""
        return self.merge or (_PUBLISHED if self.compat else DEFAULT_MERGES[self.scheme])

    def annotated(
        self, pairs: Iterable[Pair], report: Report | None = None
    ) -> Iterator[Corrections]:
        """Yield the corrections of each pair, in order; texts are analysed by the batch.

        Args:
            pairs: each target is an annotator, from 0.
            report: receives an incident for each pair that is aligned in blocks.

        Raises:
            UsageError: the unit is "token", and a pair has no analyses.

        >>> pairs = [Pair("기분이 조아요", ("기분이 좋아요", "기분이 조아요"))]
        >>> [found] = Annotator().annotated(pairs)
        >>> {annotator: [edit[:4] for edit in edits] for annotator, edits in found.edits.items()}
        {0: [(1, 2, '좋아요', 'SPELL')], 1: []}
        """
        remaining = iter(pairs)
        while batch := list(islice(remaining, _BATCH)):
            sides = [
                () if pair.analyses else [*map(self.normalised, (pair.source, *pair.targets))]
                for pair in batch
            ]
            differ = [texts for texts in sides if self.unit == "word" or len(set(texts)) > 1]
            changed = dict.fromkeys(chain.from_iterable(differ))
            tokens = self.tokens(changed) if any(sides) else ()
            analysed = dict(zip(changed, tokens, strict=True))
            for pair, texts in zip(batch, sides, strict=True):
                source, *targets = [*map(self.tokens_of, pair.analyses)] or [
                    analysed.get(text) or plain_tokens(text, self.unit) for text in texts
                ]
                edits = {}
                for by, target in enumerate(targets):
                    edits[by] = self._of(source, target, by) if source != target else ()
                    if report and is_long(source, target):
                        message = (
                            f"a source of {len(source)} tokens and a target of {len(target)} have"
                            f" more than {CELLS:,} cells: they are aligned in blocks"
                        )
                        report.add(Incident("W505", message, sent_id=pair.sent_id))
                    if report and texts and self._moves_spaces(pair, texts, by):
                        message = (
                            f"the target of annotator {by} has other spaces beside marks, which is"
                            " no edit where marks stand apart (--no-split-punctuation)"
                        )
                        report.add(Incident("I523", message, sent_id=pair.sent_id))
                forms = tuple([token.form for token in source])
                yield Corrections(forms, edits, pair.sent_id, pair.comments)

    def _moves_spaces(self, pair: Pair, texts: Sequence[str], by: int) -> bool:
        """Test whether a target has the marks of its source, and other spaces beside them."""
        source, target = [
            (clean(text).split(), normal.split())
            for text, normal in ((pair.source, texts[0]), (pair.targets[by], texts[by + 1]))
        ]
        marks = [[*filterfalse(has_letters, tokens)] for _, tokens in (source, target)]
        apart = [len(tokens) - len(eojeols) for eojeols, tokens in (source, target)]
        return apart[0] != apart[1] and marks[0] == marks[1]

    def corrections(self, pair: Pair) -> Corrections:
        """Return the corrections of one pair; `annotated` is faster for many."""
        [corrections] = self.annotated([pair])
        return corrections

    def retyped(self, corrections: Iterable[Corrections]) -> Iterator[Corrections]:
        """Yield corrections with the same edits and other types.

        Raises:
            FormatError: edits overlap, or end beyond their sentence.

        >>> given = Corrections(("기분이", "조아요"), {0: (Edit(1, 2, "좋아요", "ADJ"),)})
        >>> [found] = Annotator().retyped([given])
        >>> found.edits[0][0].type
        'SPELL'
        """
        remaining = iter(corrections)
        while batch := list(islice(remaining, _BATCH)):
            sides = [item.texts() for item in batch]
            texts = dict.fromkeys(chain.from_iterable(sides))
            analysed = dict(zip(texts, self.tokens(texts), strict=True))
            for item, own in zip(batch, sides, strict=True):
                source, *targets = [analysed[text] for text in own]
                pairs = zip(item.edits.items(), targets, strict=True)
                yield item._replace(
                    edits={
                        by: tuple([self._retyped(edit, source, target) for edit in placed(edits)])
                        for (by, edits), target in pairs
                    }
                )

    def edits(self, source: _Tokens, target: _Tokens) -> list[Edit]:
        """Return the edits between two analysed sentences.

        Args:
            source: the tokens of the source.
            target: the tokens of the target.

        Returns:
            The edits in order; applied to the source they give the target.
        """
        return list(self._of(source, target, 0))

    def normalised(self, text: str) -> str:
        """Return a text as it is analysed: NFC, one space between tokens, marks split off."""
        return split_punctuation(text, self.split, self.tables, self.whole)

    @property
    def split(self) -> str:
        """The marks that are split off, one of PUNCTUATION; "" for none."""
        if self.split_punctuation is None:
            return PUNCTUATION[0] if self.is_korean and self.unit == UNITS[0] else ""
        return str(self.split_punctuation or "")

    def settings(self, *, finds: bool = True) -> dict[str, str]:
        """Return the settings that the edits of texts depend on, for the signature of a score.

        Args:
            finds: whether edits are found, rather than tokens made alone.
        """
        has_words = self.unit == UNITS[2]
        return {
            **({"scheme": self.scheme} if finds else {}),
            "unit": self.unit,
            **({"level": str(self.level)} if has_words else {}),
            **({"speller": str(self.speller)} if finds else {}),
            "split": self.split or "no",
            **({"rules": digest(self.rules)} if self.rules else {}),
            **dict([one.split() for one in kiwi_versions() if finds or has_words]),
        }

    def forms(self, text: str) -> tuple[str, ...]:
        """Return the tokens of a text; Kiwi is asked only if they are words of a level.

        >>> Annotator().forms("나는 갔다."), Annotator(unit="char").forms("간 다")
        (('나는', '갔다', '.'), ('간', '▁', '다'))
        """
        text = self.normalised(text)
        if self.unit == UNITS[0]:
            return tuple(text.split())
        [tokens] = self.tokens([text])
        return tuple([token.form for token in tokens])

    def tokens(self, texts: Iterable[str]) -> Iterator[tuple[AnalysedToken, ...]]:
        """Return the analysed tokens of normalised texts, in order; Kiwi analyses them.

        Raises:
            UsageError: the unit is "token", which only given analyses have.
        """
        if self.unit == "token":
            raise UsageError(
                "the unit is token, and texts have none: give their analyses as CoNLL-U"
            )
        if self.unit == "char" or self.scheme == _ENGLISH:
            return (plain_tokens(text, self.unit) for text in texts)
        return self._analysed(texts)

    def _analysed(self, texts: Iterable[str]) -> Iterator[tuple[AnalysedToken, ...]]:
        for tokens in analysed(texts, self.tables):
            if self.is_korean and self.unit == "eojeol":
                yield tokens
            else:
                eojeols = [self._assembler.eojeol(token.form, token.morphemes) for token in tokens]
                yield self.tokens_of(Sentence(tuple(eojeols)))

    def tokens_of(self, sentence: Sentence) -> tuple[AnalysedToken, ...]:
        """Return the tokens of an analysed sentence, as the scheme compares them."""
        return tokens_of(
            sentence, self.unit, level=self.level, korean=self.is_korean, rules=self.tables
        )

    @cached_property
    def _assembler(self) -> Assembler:
        from sejongud.morphology.eojeol import Assembler

        return Assembler(self.tables)

    @cached_property
    def _aligner(self) -> TokenAligner:
        scheme = _KAGAS if self.is_korean else self.scheme
        aligner = aligner_of("char" if self.unit == "char" else scheme, self.tables)
        return aligner.plain() if self.lev else aligner

    def _of(self, source: _Tokens, target: _Tokens, annotator: int) -> tuple[Edit, ...]:
        """Return the edits of one annotator."""
        if self.scheme == _ENGLISH:
            return self._english.edits(source, target, annotator)
        operations = align(source, target, self._aligner)
        merged = merge(operations, source, target, self.how, rules=self.tables)
        return tuple([self._edit(change, source, target, annotator) for change in merged])

    def _edit(self, change: Operation, source: _Tokens, target: _Tokens, annotator: int) -> Edit:
        """Return a change as an edit with its type."""
        kind, start, end, c_start, c_end = change
        theirs = target[c_start:c_end]
        type_, detail = self._type(source[start:end], theirs, kind)
        correction = " ".join([token.form for token in theirs])
        edit = Edit(start, end, correction, type_, annotator, c_start=c_start, c_end=c_end)
        return edit._replace(comment=detail) if self.detail and detail else edit

    def _retyped(self, edit: Edit, source: _Tokens, target: _Tokens) -> Edit:
        """Return an edit with the type that its tokens have."""
        if self.scheme == _ENGLISH:
            return self._english.retyped(edit, source, target)
        ours, theirs = source[edit.start : edit.end], target[edit.c_start : edit.c_end]
        type_, detail = self._type(ours, theirs, _kind(ours, theirs))
        comment = detail if self.detail and detail else edit.comment
        return edit._replace(type=type_, comment=comment)

    def _type(self, source: _Tokens, target: _Tokens, kind: str) -> tuple[str, str]:
        """Return the type of a change and its detail."""
        if not self.is_korean:
            return ud_type(source, target), ""
        if self.unit == "char" and kind in _REPLACING:
            if _letters(source) == _letters(target):
                kind = "WS"
            elif kind == "S":
                name = _respelling(source, target)
                return f"R:{name}" if self.scheme == _REFINED else name, ""
        return self._korean_type(source, target, kind)

    @cached_property
    def _english(self) -> English:
        return English(self.how, self.lev)

    @cached_property
    def _korean_type(self) -> Callable[[_Tokens, _Tokens, str], tuple[str, str]]:
        from sejongud.gec.types import KoreanTypes

        types = KoreanTypes(
            self.tables,
            speller=self.speller,
            compat=self.compat,
            detail=self.detail,
            given=self.given or self.unit != UNITS[0],
        )
        return types.refined if self.scheme == _REFINED else types.kagas


def _letters(tokens: _Tokens) -> str:
    """Return characters without the spaces among them."""
    return "".join([token.form for token in tokens if token.form != SPACE])


def _respelling(source: _Tokens, target: _Tokens) -> str:
    """Return the type of characters that replace others."""
    has_letters = [any([token.form.isalnum() for token in side]) for side in (source, target)]
    return "SPELL" if all(has_letters) else "PUNCT"


def _kind(source: _Tokens, target: _Tokens) -> str:
    """Return the operation that an edit of a file stands for."""
    ours, theirs = [token.form for token in source], [token.form for token in target]
    if not ours or not theirs:
        return "D" if ours else "I"
    if len(ours) > 1 and sorted(form.lower() for form in ours) == sorted(
        form.lower() for form in theirs
    ):
        return "T"
    return "WS" if "".join(ours) == "".join(theirs) and ours != theirs else "S"


_annotator = lru_cache(maxsize=8)(Annotator)


def annotate(
    source: str,
    target: str,
    *,
    analyses: tuple[Sentence, Sentence] | tuple[_Tokens, _Tokens] | None = None,
    rules: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> list[Edit]:
    """Return the edits that make the target of the source, with their types.

    Args:
        source: the text with errors.
        target: the corrected text.
        analyses: of source and target, as sentences or as tokens; None for those of Kiwi. The texts
            are not looked at then.
        rules: a folder of tables laid over the built-in ones.
        settings: the other arguments of `Annotator` but `given`, for example `scheme="errant"`.

    Returns:
        The edits in order; applied to the tokens of the source they give those of the target.

    Raises:
        UsageError: a setting has no such value, or a text is no string.
        RulesError: the folder of tables cannot be used.

    >>> [edit[:4] for edit in annotate("기분이 조아요.", "기분이 좋아요.")]
    [(1, 2, '좋아요', 'SPELL')]
    >>> [edit[:3] for edit in annotate("할수 있다", "할 수 있다", unit="char")]
    [(1, 1, '▁')]
    """
    folder = None if rules is None else str(rules)
    annotator = _annotator(**settings, given=analyses is not None, rules=folder)
    if analyses is None:
        for text in (source, target):
            if not isinstance(text, str):
                raise UsageError(
                    f"a text is a str, not a value of type {type(text).__name__}: many texts are"
                    " pairs for `Annotator.annotated`"
                )
        return list(annotator.corrections(Pair(source, (target,))).edits[0])
    ours, theirs = [
        annotator.tokens_of(side) if isinstance(side, Sentence) else side for side in analyses
    ]
    return annotator.edits(ours, theirs)
