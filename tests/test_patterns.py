"""Patterns over morphemes, and the table of them that gives a word its UPOS."""

from __future__ import annotations

import runpy
import subprocess
import sys
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from portions import ALL

from sejongud.errors import RulesError
from sejongud.levels.patterns import compile_patterns, specificity
from sejongud.levels.upos import UposScheme
from sejongud.model import Morpheme
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from sejongud.levels.patterns import Labeller

Row = dict[str, str]


def table_of(*pairs: tuple[str, str]) -> Labeller:
    rows = [{"pattern": pattern, "upos": upos} for pattern, upos in pairs]
    return compile_patterns(rows)


def analysed(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tags and forms of `있/VV+다/EF`."""
    morphemes = [morpheme.split("/") for morpheme in text.split("+")] if text else []
    return tuple(tag for _, tag in morphemes), tuple(form for form, _ in morphemes)


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("VV", ["가/VV"], ["가/VV+다/EF", "가/VX", "가/VVX", ""]),
        ("N*", ["나/NP", "집/NNG"], ["집/NNG+이/JKS", "가/VV"]),
        ("있/VV", ["있/VV"], ["있/VX", "가/VV"]),
        ("있/V*", ["있/VV", "있/VX"], ["가/VV", "있/NNG"]),
        ("VV *", ["가/VV", "가/VV+았/EP+다/EF"], ["못/MAG+가/VV"]),
        ("* EF", ["다/EF", "가/VV+다/EF"], ["가/VV+다/EF+고/JKQ"]),
        ("있/VV * EF", ["있/VV+다/EF", "있/VV+었/EP+다/EF"], ["있/VV", "가/VV+다/EF"]),
        ("* 때문/NNB *", ["때문/NNB", "그/MM+때문/NNB+에/JKB"], ["때/NNB", "때문/NNG"]),
        ("* 고/EC *", ["가/VV+아/EC+보/VX+고/EC", "가/VV+고/EC+보/VX+아/EC"], ["고/VV+어/EC"]),
        ("N.*", [], ["집/NNG"]),
    ],
)
def test_what_a_pattern_matches(pattern: str, matching: list[str], others: list[str]) -> None:
    upos = table_of(("*", "no"), (pattern, "yes"))
    assert [upos(*analysed(word)) for word in matching] == ["yes"] * len(matching)
    assert [upos(*analysed(word)) for word in others] == ["no"] * len(others)


@pytest.mark.parametrize("sign", ["/", "*", "+", "."])
def test_a_sign_as_a_form(sign: str) -> None:
    upos = table_of(("*", "no"), (f"{sign}/S*", "yes"))
    assert upos(("SW",), (sign,)) == "yes"
    assert upos(("SW",), ("x",)) == "no"


def test_a_form_that_is_not_known_matches_no_form() -> None:
    upos = table_of(("*", "rest"), ("VX * 다/EF", "form"), ("싶/VX *", "stem"), ("VX EF", "tags"))
    assert upos(("VX", "EF"), ("보", "다")) == "form"
    assert upos(("VX", "EF"), ("보",)) == "tags"
    assert upos(("VX", "EF"), ("싶",)) == "stem"
    assert upos(("VX", "EF"), ()) == "tags"
    assert upos((), ()) == "rest"


def test_the_most_specific_row_decides() -> None:
    order = ["*", "* V* *", "V* *", "V*", "* VV *", "VV E*", "VV EF", "* 다/EF", "가/VV 다/EF"]
    assert order == sorted(order, key=specificity)
    word = analysed("가/VV+다/EF")
    matching = [pattern for pattern in order if pattern != "V*"]
    for end in range(1, len(matching) + 1):
        rows = [(pattern, pattern) for pattern in matching[:end]]
        assert table_of(*rows)(*word) == table_of(*rows[::-1])(*word) == matching[end - 1]


def test_of_equally_specific_rows_the_later_decides() -> None:
    word = analysed("가/VV+다/EF")
    assert table_of(("*", "X"), ("VV *", "first"), ("* EF", "second"))(*word) == "second"
    assert table_of(("*", "X"), ("* EF", "first"), ("VV *", "second"))(*word) == "second"


@pytest.mark.parametrize("pattern", ["", " ", "/VV", "있/", "VV /EF"])
def test_a_pattern_that_is_none(pattern: str) -> None:
    with pytest.raises(RulesError, match="pattern"):
        table_of(("*", "X"), (pattern, "VERB"))


def test_a_table_must_answer_for_every_word() -> None:
    with pytest.raises(RulesError, match="no row matches every word"):
        table_of(("V* *", "VERB"))
    with pytest.raises(RulesError, match="'VV' has no upos"):
        table_of(("*", "X"), ("VV", ""))


tags = st.sampled_from(["A", "AB", "ABC", "B", "?"])
forms = st.sampled_from(["x", "y", ""])
elements = st.one_of(
    st.just("*"),
    st.builds(
        str.__add__, st.sampled_from(["", "x/", "y/"]), st.sampled_from(["A", "AB", "A*", "B"])
    ),
)
patterns = st.lists(elements, min_size=1, max_size=4).map(" ".join)


def plainly(elements: list[str], word: list[tuple[str, str]]) -> bool:
    """Whether a pattern matches, in the words of its definition."""
    if not elements:
        return not word
    if elements[0] == "*":
        return any(plainly(elements[1:], word[begin:]) for begin in range(len(word) + 1))
    form, _, tag = elements[0].rpartition("/")
    return (
        bool(word)
        and (form in ("", word[0][0]))
        and (word[0][1].startswith(tag[:-1]) if tag.endswith("*") else word[0][1] == tag)
        and plainly(elements[1:], word[1:])
    )


@given(st.lists(patterns, max_size=6), st.lists(st.lists(st.tuples(forms, tags), max_size=5)))
def test_agrees_with_trying_every_row(table: list[str], words: list[list[tuple[str, str]]]) -> None:
    rows = [(pattern, str(number)) for number, pattern in enumerate(["*", *table])]
    upos = table_of(*rows)
    for word in words:
        matching = [row for row in rows if plainly(row[0].split(), word)]
        best = max(specificity(pattern) for pattern, _ in matching)
        expected = [number for pattern, number in matching if specificity(pattern) == best][-1]
        assert upos(tuple(tag for _, tag in word), tuple(form for form, _ in word)) == expected


def test_a_pattern_with_many_runs_is_fast_for_a_long_word() -> None:
    upos = table_of(("*", "X"), ("* A * x/A * A * x/A * A * A * y/A * B", "Y"))
    started = process_time()
    assert upos(("A",) * 300, ("x",) * 300) == "X"
    assert upos((*("A",) * 300, "B"), ("x",) * 301) == "X"
    assert upos((*("A",) * 300, "B"), (*("x",) * 299, "y", "z")) == "Y"
    assert process_time() - started < 2


# The table of treebanks.

SCHEMES = {"ud-unidive": "", "ud-gsd": "gsd", "ud-ksl": "ksl", "ud-kaist": "kaist"}


@pytest.fixture(scope="module")
def rows(root: Path) -> list[Row]:
    text = (root / "rules" / "upos-words.tsv").read_text(encoding="utf-8")
    header, *lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [dict(zip(header, line, strict=True)) for line in lines]


@pytest.fixture(scope="module")
def script(root: Path) -> dict[str, Any]:
    return runpy.run_path(str(root / "benchmarks" / "make_upos_words.py"))


def treebank(shared: Path, scheme: str, part: str) -> Path:
    """The file of a treebank, its train part or its dev part."""
    data = shared / "data"
    if scheme == "ud-unidive":
        return data / "k-unidive" / f"ko_gsd-ud-{part}.conllu_unidive"
    name = SCHEMES[scheme]
    folder = data / f"ud-korean-{name}" / ("older-train" if part == "train" else ".")
    return folder / f"ko_{name}-ud-{part}.conllu"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_table_is_short_and_in_order(rows: list[Row], scheme: str) -> None:
    patterns = [row["pattern"] for row in rows if row["scheme"] == scheme]
    assert len(set(patterns)) == len(patterns) <= 200
    assert patterns == sorted(patterns, key=specificity)
    assert patterns[0] == "*"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_row_has_an_example_that_it_decides(rows: list[Row], scheme: str) -> None:
    own = [row for row in rows if row["scheme"] == scheme]
    upos = compile_patterns(own)
    decides = compile_patterns([{**row, "upos": row["pattern"]} for row in own])
    # KSL cuts the lemma of auxiliaries to the stem, so no word of such a row can be shown whole.
    cut = {"싶/VX *": "싶/VX+다/EF", "하/VX E*": "하/VX+고/EC", "있/VX EP *": "있/VX+었/EP+다/EF"}
    assert {row["pattern"] for row in own if not row["example"]} <= cut.keys()
    for row in own:
        word = analysed(row["example"] or cut[row["pattern"]])
        assert (decides(*word), upos(*word)) == (row["pattern"], row["upos"]), row["example"]


@pytest.mark.parametrize(
    ("scheme", "of", "least"),
    [
        ("ud-unidive", "ud-unidive", 0.97),
        ("ud-gsd", "ud-gsd", 0.935),
        ("ud-ksl", "ud-ksl", 0.945),
        ("ud-kaist", "ud-kaist", 0.98),
        # Of all words; 0.928 without the words whose tag (NOUN) is in no tag set.
        ("sejong", "ud-unidive", 0.917),
    ],
)
def test_agrees_with_the_treebanks(
    script: dict[str, Any], shared: Path, scheme: str, of: str, least: float
) -> None:
    words = script["read_words"](treebank(shared, of, "dev"))
    assert len(words) > 10_000
    if of == "ud-kaist":
        words = words[len(words) * 9 // 10 :]  # the table was counted on the words before
    upos = UposScheme(load(), scheme)
    right = 0
    for word in words:
        forms = word.forms + ("",) * (len(word.tags) - len(word.forms))
        right += upos.of(tuple(map(Morpheme, forms, word.tags))) == word.upos
    assert right / len(words) >= least


@pytest.mark.skipif(not ALL, reason="counting four treebanks takes long: SEJONGUD_WHOLE=1 does it")
def test_the_script_makes_the_table(root: Path, shared: Path) -> None:
    parts = dict.fromkeys(SCHEMES, "train") | {"ud-kaist": "dev"}
    made = subprocess.run(
        [
            sys.executable,
            root / "benchmarks" / "make_upos_words.py",
            *[f"{scheme}={treebank(shared, scheme, part)}" for scheme, part in parts.items()],
        ],
        capture_output=True,
        check=True,
        timeout=300,
    )
    assert made.stdout.decode() == (root / "rules" / "upos-words.tsv").read_text(encoding="utf-8")


def test_the_cut_lemmas_of_auxiliaries_tell_nothing(script: dict[str, Any]) -> None:
    word = script["Word"]
    whole = [word(("VX", "EF"), ("보", "다"), "VERB"), word(("VV", "EF"), ("가", "다"), "VERB")]
    cut = [word(("VX", "EF"), ("싶",), "AUX"), *whole]
    hidden = script["hide_truncated"]([whole, cut])
    assert [[word.forms for word in treebank] for treebank in hidden] == [
        [("보",), ("가", "다")],
        [("싶",), ("보",), ("가", "다")],
    ]


def test_the_script_learns_what_forms_tell(script: dict[str, Any]) -> None:
    word = script["Word"]
    words = [word(("NNG",), (f"집{i}",), "NOUN") for i in range(50)]
    words += [word(("NNG",), ("때",), "ADV")] * 30 + [word(("VV", "EF"), ("가", "다"), "VERB")] * 30
    table = script["learn"]([words, words], gain=8, least=12, most=200)
    upos = table_of(*table)
    assert table[0] == ("*", "NOUN")
    assert len(table) == 3
    assert all(upos(word.tags, word.forms) == word.upos for word in words)
