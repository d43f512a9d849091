"""Kiwi wrapped: nothing of a text is lost, tags are Sejong's, any input is survived."""

from __future__ import annotations

import locale
import os
import subprocess
import sys
import unicodedata
from contextlib import suppress
from threading import Barrier, BrokenBarrierError, Thread
from typing import TYPE_CHECKING

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.formats.text import sentences_of
from sejongud.morphology.eojeol import Analysis
from sejongud.morphology.joining import KiwiJoiner
from sejongud.morphology.kiwi import KiwiAnalyser, _kiwi, clean
from sejongud.rules import load
from sejongud.version import kiwi_versions

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

CASES = cases("kiwi")


@pytest.fixture(scope="module")
def kiwi() -> KiwiJoiner:
    return KiwiJoiner(load())


def analysed(kiwi: KiwiJoiner, text: str) -> list[str]:
    """The eojeols of a text, as `form=form/TAG+form/TAG`."""
    (eojeols,) = kiwi.analyse([text])
    return [f"{form}={'+'.join('/'.join(pair) for pair in pairs)}" for form, pairs in eojeols]


@pytest.mark.parametrize(("text", "expected"), CASES["test_analyses"])
def test_analyses(kiwi: KiwiJoiner, text: str, expected: list[str]) -> None:
    assert analysed(kiwi, text) == expected


def test_every_tag_is_sejongs(kiwi: KiwiJoiner) -> None:
    text = "https://example.com me@example.org #태그 010-1234-5678 (가) '나' 1) ㅋㅋ 漢字 A…~"
    (eojeols,) = kiwi.analyse([text])
    tags = {tag for _, pairs in eojeols for _, tag in pairs}
    assert tags <= set(load().tags)
    assert {"SL", "SN", "SS", "SW", "SH"} <= tags


def test_decomposed_hangul_is_composed_first(kiwi: KiwiJoiner) -> None:
    text = "나는 간다."
    assert analysed(kiwi, unicodedata.normalize("NFD", text)) == analysed(kiwi, text)


@pytest.mark.parametrize("character", "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
def test_an_invisible_character_is_a_symbol(kiwi: KiwiJoiner, character: str) -> None:
    """Kiwi takes some for unknown nouns."""
    (eojeols,) = kiwi.analyse([f"서울{character}은 크다"])
    assert eojeols[0][1] == (("서울", "NNP"), (character, "SW"), ("은", "JX"))


def test_syllables_of_old_hangul_stay_whole(kiwi: KiwiJoiner) -> None:
    (eojeols,) = kiwi.analyse(["ᄒᆞᆫ글 나랏말ᄊᆞ미 듀\u11f0귁에 간다"])
    forms = [[form for form, _ in pairs] for _, pairs in eojeols]
    assert forms == [["ᄒᆞᆫ글"], ["나랏말ᄊᆞ미"], ["듀\u11f0귁", "에"], ["가", "ㄴ다"]]


def test_order_and_laziness(kiwi: KiwiJoiner) -> None:
    taken = 0

    def texts() -> object:
        nonlocal taken
        for number in range(5000):
            taken += 1
            yield f"{number}번 학생"

    results = kiwi.analyse(texts())  # type: ignore[arg-type]
    for number in range(100):
        assert next(results)[0][0] == f"{number}번"
    assert taken < 1000


def test_an_error_of_the_input_comes_out(kiwi: KiwiJoiner) -> None:
    def texts() -> object:
        yield "하나"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(kiwi.analyse(texts()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 30_000,
        "\0" * 10_000,
        "나는 집에 간다. " * 1_000,
        "x" * 4096,
        "x" * 4096 + " y",
        "x" * 4095 + " y",
        ("x" * 5000 + " ") * 3,
        "가나다 " * 1024 + "라",
    ],
)
def test_long_texts_come_back_whole(kiwi: KiwiJoiner, text: str) -> None:
    (eojeols, after) = kiwi.analyse([text, "끝"])
    assert " ".join(form for form, _ in eojeols) == clean(text)
    assert [form for form, _ in after] == ["끝"]
    assert " ".join(sentences_of(next(kiwi.tokenized([text])))) == clean(text)


SPICED = st.text(
    st.one_of(
        st.sampled_from("나는간다했어욥요이가을를. ,!?…-~+/()\"'“”ㅋㅂㄴ"),
        st.sampled_from("\u11ab\u119e\u0301\0\ufeff\u200d"),
        st.characters(),
    ),
    max_size=40,
)


@given(st.lists(SPICED | st.text(st.characters(categories=["Cs", "Co", "So"])), max_size=4))
def test_nothing_is_lost(texts: list[str]) -> None:
    kiwi = KiwiAnalyser(load())
    results = list(kiwi.analyse(texts))
    assert [" ".join(form for form, _ in eojeols) for eojeols in results] == [*map(clean, texts)]
    assert all(pairs for eojeols in results for _, pairs in eojeols)
    "".join(f for eojeols in results for _, pairs in eojeols for f, _ in pairs).encode()
    assert [" ".join(sentences_of(pieces)) for pieces in kiwi.tokenized(texts)] == [
        *map(clean, texts)
    ]


def test_clean_keeps_everything_but_spaces_and_halves_of_pairs() -> None:
    assert clean(" 가\t\u3000나 \u0085다\n") == "가 나 다"
    assert clean("가\ud800나") == "가\ufffd나"


def test_sentences_are_whole_eojeols(kiwi: KiwiJoiner) -> None:
    text = "비가 왔다. 우산은 있니? 응.그래서 괜찮아."
    assert sentences_of(next(kiwi.tokenized([text]))) == [
        "비가 왔다.",
        "우산은 있니?",
        "응.그래서",
        "괜찮아.",
    ]


@pytest.mark.parametrize(("line", "expected"), CASES["test_surfaces"])
def test_surfaces(kiwi: KiwiJoiner, line: str, expected: str) -> None:
    parse = Analysis(load()).parse
    eojeols = [parse(piece, "")[0] for piece in line.split(" ")]
    assert kiwi.surfaces(eojeols) == expected.split(" ")


def test_surfaces_of_morphemes_with_spaces_at_their_edges(kiwi: KiwiJoiner) -> None:
    morpheme = Analysis(load()).morpheme
    eojeols = [[morpheme(" a ", "SL")], [morpheme("b  c", "SL"), morpheme(" ", "SW")]]
    assert kiwi.surfaces(eojeols) == ["a", "b  c"]


TURKISH = """\
LC_CTYPE
toupper (<U0061>,<U0041>);(<U0069>,<U0130>)
tolower (<U0041>,<U0061>);(<U0049>,<U0131>)
END LC_CTYPE
"""


def test_a_locale_with_other_capitals_changes_nothing(
    tmp_path: Path, cli: Cli, process: Cli
) -> None:
    made, source = tmp_path / "tr_TR.UTF-8", tmp_path / "source"
    source.write_text(TURKISH, encoding="utf-8")
    with suppress(OSError):
        subprocess.run(["localedef", "-c", "-i", source, "-f", "UTF-8", made], capture_output=True)
    if not made.is_dir():
        pytest.skip("no localedef")
    text = "IBM에서 iOS를 썼다.\n".encode()
    turkish = {"LOCPATH": str(tmp_path), "LC_ALL": "tr_TR.UTF-8"}
    usual, other = cli("analyze", stdin=text), process("analyze", stdin=text, env=turkish)
    assert (other.returncode, other.stdout) == (0, usual.stdout)


def test_versions() -> None:
    kiwi, model = kiwi_versions()
    assert kiwi.startswith("kiwipiepy 0.")
    assert model.startswith("kiwipiepy_model 0.")


def test_threads_load_kiwi_once_and_keep_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Barrier(2)
    loaded = []

    class Slow:
        def __init__(self, **_: object) -> None:
            loaded.append(locale.setlocale(locale.LC_CTYPE))
            with suppress(BrokenBarrierError):
                both.wait(0.2)  # for a thread that would load it as well

        def tokenize(self, text: str) -> None: ...

    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    monkeypatch.setattr("kiwipiepy.Kiwi", Slow)
    monkeypatch.setattr("sejongud.morphology.kiwi._kiwi", _kiwi)
    analyser = KiwiAnalyser(load(), workers=-77)
    threads = [Thread(target=getattr, args=[analyser, "_kiwi"]) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (loaded, locale.setlocale(locale.LC_CTYPE)) == (["C"], "C.UTF-8")
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


FORKS = """
import multiprocessing
import sejongud

def forms(text):
    return [word.form for sentence in sejongud.analyze(text) for word in sentence]

forms("나는 간다.")
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(*pool.map_async(forms, ["나는 간다."] * 20).get(timeout=60)[-1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_analyses_as_its_parent_does() -> None:
    """The threads of Kiwi stay in the parent, without which it waited for ever."""
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, timeout=120)
    assert done.stdout.decode() == "나 는 가 ㄴ다 .\n", done.stderr.decode()


def test_no_threads_are_one_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[int] = []
    monkeypatch.setattr("sejongud.morphology.kiwi._kiwi", wanted.append)
    for workers in (None, 0, 2):
        _ = KiwiAnalyser(load(), workers=workers)._kiwi
    assert wanted == [-1, -1, 2]
