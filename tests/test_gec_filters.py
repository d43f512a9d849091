"""The filters of Kor-Lang8 and Kor-Native, the jamo distance, and the values of numbers."""

from __future__ import annotations

import json
from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import RulesError, UsageError
from sejongud.gec.filters import (
    Filter,
    FilterOptions,
    TextPair,
    _letters,
    lang8_steps,
    native_steps,
    without_brackets,
)
from sejongud.gec.korean import differ_in_numbers, jamo_distance, normalised, with_numbers
from sejongud.morphology.joining import KiwiJoiner
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Cli

CASES = cases("gec_filters")

RULES = load()


def no_kiwi() -> KiwiJoiner:
    raise AssertionError("Kiwi is not needed here")


def lang8(**options: Any) -> dict[str, Callable[[TextPair], Any]]:
    return lang8_steps(RULES, FilterOptions(**options), no_kiwi)[0]


def native(**options: Any) -> dict[str, Callable[[TextPair], Any]]:
    return native_steps(RULES, FilterOptions(**options), lambda: KiwiJoiner(RULES))[0]


def texts(found: Any) -> Any:
    return found if isinstance(found, str) else [pair.texts for pair in found]


# --- the jamo distance ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("한국어", "한국말", 1.0),
        ("가요", "갔어요", 4 / 3),
        ("", "가나", 2.0),
        ("가", "가", 0.0),
        ("가a", "나b", 4 / 3),
        ("ㅋ", "카", 1.0),
        ("나는 간다", "나 는간다", 2.0),
    ],
)
def test_jamo_distance(one: str, other: str, distance: float) -> None:
    assert jamo_distance(one, other) == pytest.approx(distance)
    assert jamo_distance(other, one) == pytest.approx(distance)


def reference(one: str, other: str) -> float:
    """The distance over the whole table."""
    above = [float(at) for at in range(len(other) + 1)]
    for i, char in enumerate(one, 1):
        row = [float(i)]
        for j, there in enumerate(other, 1):
            cost = 0.0 if char == there else jamo_distance(char, there)
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + cost))
        above = row
    return above[-1]


WORDS = st.text("가갔각요용a.", max_size=9)


@given(WORDS, WORDS, st.sampled_from([0.5, 1.0, 2.0, 10.0]))
def test_the_band_changes_nothing_within_the_limit(one: str, other: str, limit: float) -> None:
    distance = reference(one, other)
    assert jamo_distance(one, other) == pytest.approx(distance)
    within = jamo_distance(one, other, limit)
    assert within == pytest.approx(distance) if distance <= limit else within > limit


def test_long_texts_are_compared_in_a_band() -> None:
    assert jamo_distance("가나다라" * 5000, "나가라다" * 5000, 10) == inf
    assert jamo_distance("가" * 400_000, "나" * 400_000) == inf
    assert jamo_distance("가" * 400_000 + "나", "가" * 400_000 + "다") == pytest.approx(1 / 3)


def test_normalised_distance() -> None:
    # Equation 1 of the paper; the logarithm of one character is 0.
    assert normalised(3.0, 20) == pytest.approx(3 / 20)
    assert normalised(0.0, 0) == 0.0
    assert normalised(1.0, 1) == normalised(1.0, 0) == inf


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "other", "alike"), CASES["test_numbers"])
def test_numbers(one: str, other: str, alike: bool) -> None:
    assert differ_in_numbers(one, other) == differ_in_numbers(other, one) == alike


@given(st.integers(0, 99_999_999))
def test_a_number_is_its_sino_korean_name(number: int) -> None:
    assert with_numbers(str(number)) == with_numbers(spelt(number))


def spelt(number: int) -> str:
    digits, units = "영일이삼사오육칠팔구", ["", "십", "백", "천"]

    def section(value: int) -> str:
        places = [
            (int(digit), unit) for digit, unit in zip(f"{value:04}"[::-1], units, strict=True)
        ]
        return "".join([digits[digit] + unit for digit, unit in places if digit][::-1])

    high, low = divmod(number, 10_000)
    return (f"{section(high)}만" if high else "") + section(low) or digits[0]


@given(st.text("3삼세십만.,0 점가", max_size=12))
def test_any_text_has_numbers(text: str) -> None:
    assert with_numbers(text) == with_numbers(text)
    assert not differ_in_numbers(text, text)


# --- the steps of lang8 ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "source", "target", "expected"),
    [
        ("languages", "가ＡＢ", "가", "the letter Ａ is neither Korean nor English"),
        ("languages", "가", "가 ja あ", "the letter あ is neither Korean nor English"),
        ("languages", "가 1 OK!?ㅋㅋ", "가", [("가 1 OK!?ㅋㅋ", "가")]),
        ("hangul", "가", "OK", "a text has no Hangul"),
        ("characters", "네.", "네요.", "a text has 2 characters, not 3"),
        ("eojeols", "가" * 21, "가", "an eojeol has 21 characters, not 20"),
        ("eojeols", "가" * 20, "가", [("가" * 20, "가")]),
        ("noise", "or", "가 or 나", "the target has or"),
        ("noise", "가", "가 Good!", "the target has Good"),
        ("noise", "가", "for color 가", [("가", "for color 가")]),
        ("noise", "가", "가/나", "the target has /"),
        ("noise", "가 or /", "가", [("가 or /", "가")]),
        ("length-ratio", "가" * 4, "가" * 5, "the target has 5 characters, and the source 4"),
        ("length-ratio", "가" * 4, "가" * 2, "the target has 2 characters, and the source 4"),
        ("length-ratio", "가" * 5, "가" * 5, [("가" * 5, "가" * 5)]),
        ("subsequence", "가" * 10, "가" * 11, "the texts share 10 characters, not 11"),
        ("subsequence", "가" * 11, "나" + "가" * 11, [("가" * 11, "나" + "가" * 11)]),
        ("brackets", "가 (나) 다", "가 [나]{라} <마>다", [("가 다", "가 다")]),
        ("brackets", "(가)", "가", "nothing is left of a text"),
        ("marks", "안녕 홍대 !!!!!! ????", "ㅋㅋㅋ  가..", [("안녕 홍대 ! ?", "ㅋ 가..")]),
        ("split", "가다. 나다.", "가다. 나가다.", [("가다.", "가다."), ("나다.", "나가다.")]),
        # The last is not lost, and a number is not cut.
        ("split", "가다. 나다", "가다. 나", [("가다.", "가다."), ("나다", "나")]),
        ("split", "3.5 가다. 나", "3.5 가. 나", [("3.5 가다.", "3.5 가."), ("나", "나")]),
        ("split", "가다. 나다.", "가다, 나다.", [("가다. 나다.", "가다, 나다.")]),
        ("split", "가...나", "가...나", [("가...", "가..."), ("나", "나")]),
        ("distance", "가" * 10, "나다라마바사아자차카", [("가" * 10, "나다라마바사아자차카")]),
        ("distance", "가" * 20, "없는말을적는다하여도더" * 2, "the jamo distance is not below 10"),
        ("equal", "가", "가", "source and target are equal"),
    ],
)
def test_a_step_of_lang8(step: str, source: str, target: str, expected: Any) -> None:
    assert texts(lang8()[step](TextPair(source, target))) == expected


def test_strip_foreign() -> None:
    step = lang8(strip_foreign=True)["languages"]
    assert texts(step(TextPair("가 あ OK", "가Ａ漢"))) == [("가", "가")]
    assert step(TextPair("가 д", "가")) == "the letter д is neither Korean nor English"


def test_the_normalised_distance() -> None:
    step = lang8(distance="normalised")["distance"]
    long = ("가" * 20, "없는말을적는다하여도더" * 2)
    assert texts(step(TextPair(*long))) == [long]
    assert step(TextPair("가", "나")) == "the jamo distance is not below 10"


def test_repeated_pairs_and_repeated_targets() -> None:
    step = lang8()["repeated"]
    found = [step(TextPair(source, "나")) for source in ("가", "다", "가")]
    assert [isinstance(one, str) for one in found] == [False, False, True]


def test_counts_of_eojeols_and_of_morphemes() -> None:
    pair = TextPair("나는 어제 집에 갔다", "나는 어제 집에 갔습니다")
    told: list[tuple[Any, ...]] = []
    for unit, kept in (("eojeols", 0), ("morphemes", 1)):
        options = FilterOptions(unit=unit, without=("split",))  # type: ignore[arg-type]
        steps, prepare = lang8_steps(RULES, options, lambda: KiwiJoiner(RULES))
        assert len(list(Filter(steps, lambda *row: told.append(row), prepare)([pair]))) == kept
    assert told == [("tokens", pair, "a text has 4 tokens, not 6 to 200")]


@given(st.text("가(){}[]<> ", max_size=12))
def test_brackets(text: str) -> None:
    pairs = ["()", "{}", "<>", "[]"]
    left = without_brackets(text, pairs)
    assert not set(left) - set(text)


def test_nested_brackets_and_brackets_alone() -> None:
    assert without_brackets("가(나(다)라)마", ["()"]) == "가마"
    assert without_brackets(":) 가(", ["()"]) == ":) 가("
    assert without_brackets("(" * 50_000 + ")" * 50_000, ["()"]) == ""


def test_long_texts_take_linear_time() -> None:
    steps = lang8()
    long = "가.3 " * 50_000
    for name in ("brackets", "marks", "split", "noise", "languages"):
        assert texts(steps[name](TextPair(long, long)))


# --- the steps of native --------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "source", "target", "is_kept"), CASES["test_a_step_of_native"])
def test_a_step_of_native(step: str, source: str, target: str, is_kept: bool) -> None:
    found = native()[step](TextPair(source, target))
    assert isinstance(found, str) != is_kept, found


@pytest.mark.parametrize("eojeols", [500, 501])
def test_names_of_long_texts_are_not_compared(eojeols: int) -> None:
    before, after = [
        "사과를 " * (eojeols - 3) + f"어제 {name}가 왔다." for name in ("김철쑤", "김철수")
    ]
    assert isinstance(native()["names"](TextPair(before, after)), str) == (eojeols == 500)


def test_the_least_length_of_the_user() -> None:
    pair = TextPair("집", "집에 갔습니다")
    assert texts(native(min_length_ratio=0.1)["length"](pair)) == [pair.texts]


def test_many_sources_of_one_target_are_kept() -> None:
    pairs = [TextPair("집에 갓다", "집에 갔다"), TextPair("지베 갔다", "집에 갔다")]
    steps, prepare = native_steps(RULES, FilterOptions(), lambda: KiwiJoiner(RULES))
    assert list(Filter(steps, print, prepare)(pairs)) == pairs


# --- tables and the command -----------------------------------------------------------------------


def test_a_step_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no step splits; did you mean split"):
        lang8(without=("splits",))
    (tmp_path / "gec-lang8.toml").write_text('steps = ["equl"]', encoding="utf-8")
    with pytest.raises(RulesError, match="there is no step equl"):
        lang8_steps(load(tmp_path), FilterOptions(), no_kiwi)
    (tmp_path / "gec-lang8.toml").write_text('[hangul]\nletters = ["z-a"]', encoding="utf-8")
    with pytest.raises(RulesError, match="'z-a' is no range of characters"):
        lang8_steps(load(tmp_path), FilterOptions(), no_kiwi)


class TestCommand:
    """`sejongud gec filter`."""

    def test_lang8(self, cli: Cli, root: Path, tmp_path: Path) -> None:
        sample = root / "tests" / "data" / "gec" / "lang8.tsv"
        run = cli("gec", "filter", "lang8", sample, "--log", tmp_path / "report")
        rows = [line.split("\t") for line in run.stdout.decode().splitlines()]
        assert [row[0] for row in rows] == [
            "저는 어제 친구하고 같이 영화를 봤었어요.",
            "오늘은 날씨가 너무 좋습니다! 산책을 했어요.",
            "우리 집은 바다 옆에 있슴니다.",
            "매일 바다를 봄니다.",
            "새로운 노래를 배웠는데 아주 재미있엇어요",
        ]
        # The targets of one source stay together.
        assert [len(row) for row in rows] == [2, 2, 2, 2, 3]
        counts = [line.split() for line in run.stderr.decode().splitlines() if "  " in line]
        assert ["taken", "13"] in counts
        assert ["split", "0", "2", "9"] in counts
        assert ["repeated", "1", "0", "6"] in counts
        lines = (tmp_path / "report").read_text(encoding="utf-8").splitlines()
        dropped = [json.loads(line) for line in lines]
        assert {one["code"] for one in dropped} == {"I521"}
        places = [(one["line"], one["message"].partition(":")[0]) for one in dropped]
        assert sorted(places) == [
            *[(2, "repeated"), (5, "languages"), (6, "hangul"), (7, "characters"), (8, "equal")],
            *[(9, "equal"), (10, "noise"), (11, "length-ratio")],
        ]

    def test_steps_left_out(self, cli: Cli, root: Path) -> None:
        sample = root / "tests" / "data" / "gec" / "lang8.tsv"
        run = cli("gec", "filter", "lang8", sample, "--no-split", "--without", "languages,repeated")
        assert run.stdout.count(b"\n") == 6
        assert "あした" in run.stdout.decode()
        assert b"split" not in run.stderr
        message = cli("gec", "filter", "lang8", sample, "--without", "nothing").told(2)
        assert "there is no step nothing" in message

    def test_native(self, cli: Cli) -> None:
        rows = "집에 갓다\t집에 갔다\n집에 갔다\t집에 갔다.\n"
        rows += "3명이 왔다\t세 명이 왔다\n\n집\t집에 갔다"
        run = cli("gec", "filter", "native", "-", stdin=rows.encode())
        assert run.stdout.decode() == "집에 갓다\t집에 갔다\n"
        assert b"W502" in run.stderr

    def test_a_row_without_a_target(self, cli: Cli) -> None:
        rows = "집에 갓다\t집에 갔다\n집\n".encode()
        message = cli("gec", "filter", "native", "--from", "tsv", "-", stdin=rows).told_only(1)
        assert "line 2" in message
        run = cli("gec", "filter", "native", "--from", "tsv", "--on-error", "skip", "-", stdin=rows)
        assert (run.returncode, run.stdout.count(b"\n")) == (1, 1)

    @pytest.mark.parametrize("ratio", ["2", "-1", "x", "nan"])
    def test_wrong_ratios(self, cli: Cli, ratio: str) -> None:
        assert cli("gec", "filter", "native", "--min-length-ratio", ratio, "-").returncode == 2


def test_a_range_may_be_one_character() -> None:
    assert _letters(["a-a", "가-힣"]).pattern == "[a-a가-힣]"
