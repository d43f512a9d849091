"""Edits on other tokens of the same text: there and back, and the target stays."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from sejongud.gec.edits import Edit, applied, chars_of, placed
from sejongud.gec.projection import (
    Grouped,
    from_chars,
    from_words,
    to_chars,
    to_words,
)

WORD = st.text("가나다abc", min_size=1, max_size=3)
CHAR = st.sampled_from("가나ab▁")
WORDS = st.lists(WORD, max_size=6)


@st.composite
def corrections(
    draw: st.DrawFn, tokens: list[str], new_ones: st.SearchStrategy[str] = WORD
) -> list[Edit]:
    """Edits of tokens that do not overlap, side by side or apart."""
    edits = []
    at = 0
    while at <= len(tokens):
        if draw(st.booleans()):
            end = draw(st.integers(at, len(tokens)))
            new = draw(st.lists(new_ones, max_size=3))
            if end == at and not new:
                new = ["새"]
            if new != tokens[at:end]:
                edits.append(Edit(at, end, " ".join(new), draw(st.sampled_from("TU"))))
            at = end + (end == at)
        else:
            at += 1
    return edits


EDITED = WORDS.flatmap(lambda tokens: st.tuples(st.just(tokens), corrections(tokens)))


@given(EDITED)
def test_characters_give_the_same_target(edited: tuple[list[str], list[Edit]]) -> None:
    tokens, edits = edited
    found = to_chars(tokens, edits)
    assert applied(chars_of(tokens), found) == chars_of(applied(tokens, edits))


@given(EDITED)
def test_characters_come_back_with_the_same_target(edited: tuple[list[str], list[Edit]]) -> None:
    tokens, edits = edited
    back = from_chars(tokens, to_chars(tokens, edits))
    assert applied(tokens, back) == applied(tokens, edits)


@given(EDITED)
def test_edits_apart_come_back_as_they_were(edited: tuple[list[str], list[Edit]]) -> None:
    tokens, edits = edited
    apart = [edit for at, edit in enumerate(edits) if not at or edits[at - 1].end < edit.start]
    assert from_chars(tokens, to_chars(tokens, apart)) == apart


@given(
    st.lists(WORD, max_size=5).flatmap(
        lambda tokens: st.tuples(st.just(tokens), corrections(list(chars_of(tokens)), CHAR))
    )
)
def test_any_edits_of_characters_grow_to_tokens(edited: tuple[list[str], list[Edit]]) -> None:
    tokens, edits = edited
    chars = chars_of(tokens)
    text = "".join(applied(chars, edits)).replace("▁", " ")
    assert applied(tokens, from_chars(tokens, edits)) == tuple(text.split())


def cut(eojeols: list[str]) -> Grouped:
    """A sentence whose words follow from its eojeols, and need not spell them."""
    words = [(*[letter.upper() for letter in eojeol], "끝")[-2:] for eojeol in eojeols]
    return Grouped(tuple(eojeols), tuple(words))


def compared(source: tuple[str, ...], target: tuple[str, ...]) -> list[Edit]:
    """Some edits that make a target."""
    return [
        Edit(i, i_end, " ".join(target[j:j_end]), "T")
        for kind, i, i_end, j, j_end in SequenceMatcher(None, source, target, False).get_opcodes()
        if kind != "equal"
    ]


@given(EDITED)
def test_words_give_the_target(edited: tuple[list[str], list[Edit]]) -> None:
    tokens, edits = edited
    source, target = cut(tokens), cut(list(applied(tokens, edits)))
    found = to_words(source, edits, target)
    assert applied(source.flat, found) == target.flat
    assert applied(tokens, from_words(source, found, target)) == target.eojeols


@given(WORDS, WORDS)
def test_any_edits_of_words_grow_to_eojeols(before: list[str], after: list[str]) -> None:
    source, target = cut(before), cut(after)
    edits = compared(source.flat, target.flat)
    assert applied(source.eojeols, from_words(source, edits, target)) == target.eojeols


@given(EDITED)
def test_without_the_words_of_the_target_eojeols_stay_apart(
    edited: tuple[list[str], list[Edit]],
) -> None:
    tokens, edits = edited
    source = cut(tokens)
    back = from_words(source, to_words(source, edits))
    assert applied(tokens, back) == applied(tokens, edits)


def test_an_edit_takes_the_text_of_its_neighbours_along() -> None:
    source = Grouped(("책를", "읽었다"), (("책", "를"), ("읽", "었", "다")))
    [edit] = from_words(source, [Edit(1, 2, "을", "PARTICLE")])
    assert edit == Edit(0, 1, "책을", "PARTICLE", c_start=0, c_end=1)


def test_other_spaces_alone_are_an_edit() -> None:
    source = Grouped(("할", "수", "있다"), (("하", "ㄹ"), ("수",), ("있", "다")))
    target = Grouped(("할수", "있다"), (("하", "ㄹ", "수"), ("있", "다")))
    [edit] = from_words(source, [], target)
    assert edit[:4] == (0, 2, "할수", "WS")


def test_the_places_of_the_target() -> None:
    edits = placed([Edit(0, 1, ""), Edit(2, 2, "a b"), Edit(3, 4, "c")])
    assert [edit[-2:] for edit in edits] == [(0, 0), (1, 3), (4, 5)]
