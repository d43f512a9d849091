"""Pairs of tagged sentences to compare with ERRANT: invented words in any order, and their errors.

    python tests/errant_pairs.py > tests/data/gec/errant-3.0.2.jsonl

records the spans of the ERRANT that is installed, for tests/test_gec_errant.py.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

from sejongud.gec.edits import AnalysedToken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["MERGES", "WORDS", "errant_spans", "pairs", "spacy_doc"]

MERGES = ("rules", "all-split", "all-merge", "all-equal")
"""The ways of merging that ERRANT has."""

Spans = list[list[int]]

_LEXICON = """
NOUN NN cat cats dog Dog friend friends subway sub way ways house School school letter river
PROPN NNP Mina Seoul seoul Jiho
VERB VB go goes going eat eats eating look looked see Seen write writes wrote
AUX VBZ is are was be can has have
PART TO to not n't up
PART POS 's '
DET DT the The a an this
ADP IN at in on up of
PUNCT . . , ! ? - -- '' …
ADJ JJ big small old Big quick
ADV RB very quickly then Then
PRON PRP I we We it It
CCONJ CC and but And
"""

WORDS = [
    AnalysedToken(word, word.lower().rstrip("s"), upos, xpos)
    for upos, xpos, *words in (line.split() for line in _LEXICON.strip().split("\n"))
    for word in words
]


def perturbed(tokens: list[AnalysedToken], random: Random, errors: int) -> list[AnalysedToken]:
    """Return a sentence with errors: tokens left out, put in, moved, respelt, joined and split."""
    found = list(tokens)
    for _ in range(errors):
        at = random.randrange(len(found)) if found else 0
        error = random.choice(_ERRORS) if found else _put_in
        error(found, at, random)
    return found


def _leave_out(found: list[AnalysedToken], at: int, random: Random) -> None:
    del found[at]


def _put_in(found: list[AnalysedToken], at: int, random: Random) -> None:
    found.insert(at, random.choice(WORDS))


def _replace(found: list[AnalysedToken], at: int, random: Random) -> None:
    found[at] = random.choice(WORDS)


def _move(found: list[AnalysedToken], at: int, random: Random) -> None:
    piece = found[at : at + random.choice((2, 2, 3, 4))]
    random.shuffle(piece)
    found[at : at + len(piece)] = piece


def _respell(found: list[AnalysedToken], at: int, random: Random) -> None:
    form = found[at].form
    place = random.randrange(len(form))
    form = form[:place] + random.choice(("", form[place] * 2, "x", "'")) + form[place + 1 :]
    found[at] = found[at]._replace(form=form or "x", upos=random.choice((found[at].upos, "NOUN")))


def _change_case(found: list[AnalysedToken], at: int, random: Random) -> None:
    change = random.choice((str.upper, str.lower, str.title))
    found[at] = found[at]._replace(form=change(found[at].form))


def _join(found: list[AnalysedToken], at: int, random: Random) -> None:
    piece = found[at : at + 2]
    form = random.choice(("", "-")).join([token.form for token in piece])
    found[at : at + 2] = [piece[0]._replace(form=form)]


def _split(found: list[AnalysedToken], at: int, random: Random) -> None:
    form = found[at].form
    if len(form) > 1:
        place = random.randrange(1, len(form))
        rest = found[at]._replace(form=form[place:], upos=random.choice((found[at].upos, "PART")))
        found[at : at + 1] = [found[at]._replace(form=form[:place]), rest]


_ERRORS = (
    *(_leave_out, _leave_out, _put_in, _put_in, _put_in, _replace, _move, _move),
    *(_respell, _change_case, _join, _split),
)


def pairs(
    random: Random, count: int, lengths: tuple[int, int], errors: tuple[int, int]
) -> Iterator[tuple[list[AnalysedToken], list[AnalysedToken]]]:
    """Yield sources and targets, neither of them empty.

    Args:
        random: the source of chance.
        count: the number of pairs.
        lengths: the least and the greatest number of tokens of a target.
        errors: the least and the greatest number of errors.
    """
    while count:
        target = random.choices(WORDS, k=random.randint(*lengths))
        source = perturbed(target, random, random.randint(*errors))
        if source:
            count -= 1
            yield source, target


def spacy_doc(vocab: Any, tokens: list[AnalysedToken]) -> Any:
    """Return a sentence as spaCy has it, with the tags that are given: no model is needed."""
    from spacy.tokens import Doc

    forms, lemmas, upos, xpos, *_ = (list(column) for column in zip(*tokens, strict=True))
    return Doc(vocab, words=forms, tags=xpos, pos=upos, lemmas=lemmas)


def errant_spans(
    errant: Any, spacy: Any
) -> Callable[[list[AnalysedToken], list[AnalysedToken], bool], dict[str, Spans]]:
    """Return a function of source, target and `lev` that gives ERRANT's spans by way of merging.

    Args:
        errant: the module.
        spacy: the module.
    """
    nlp = spacy.blank("en")
    program = errant.load("en", nlp)

    def spans(
        source: list[AnalysedToken], target: list[AnalysedToken], lev: bool
    ) -> dict[str, Spans]:
        sides = [spacy_doc(nlp.vocab, tokens) for tokens in (source, target)]
        alignment = program.align(*sides, lev)
        return {
            how: [[e.o_start, e.o_end, e.c_start, e.c_end] for e in program.merge(alignment, how)]
            for how in MERGES
        }

    return spans


def record() -> None:
    """Print cases with ERRANT's spans, an object of JSON a line."""
    import errant
    import spacy

    spans = errant_spans(errant, spacy)
    for lev in (False, True):
        for source, target in pairs(Random(2), 20 if lev else 100, (1, 14), (1, 6)):
            sides = {"source": [t[:4] for t in source], "target": [t[:4] for t in target]}
            found = {"lev": lev, **sides, "spans": spans(source, target, lev)}
            print(json.dumps(found, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    record()
