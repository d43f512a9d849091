"""The Penn Korean Treebank: its notation there and back, and the published way of its trees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER, RULES
from hypothesis import given
from hypothesis import strategies as st

from sejongud.api import convert, read
from sejongud.converters.recut import Recut
from sejongud.converters.trees import Fit
from sejongud.formats.penn import PennReader, PennWriter
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS, Constituent, Morpheme, Sentence

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


@pytest.fixture
def data(root: Path) -> Path:
    return root / "tests" / "data" / "trees"


@pytest.fixture
def penn(root: Path) -> Path:
    return root / "samples" / "penn-korean.fid"


# --- the notation ---------------------------------------------------------------------------------


def published(text: str) -> str:
    """The sentences of the sample that are written as the treebank has them, without damage."""
    blocks = [";;" + block for block in text.split(";;")[1:]]
    return "".join([b for b in blocks if b[2:].startswith(("9010001:4", "9010001:5"))])


def test_words_of_level_2_are_written_as_the_treebank_has_them(penn: Path, tmp_path: Path) -> None:
    convert(penn, tmp_path / "out.fid", to="penn-korean", level=2)
    assert (tmp_path / "out.fid").read_bytes() == penn.read_bytes()
    # Without its comments a sentence is laid out anew, as the treebank has it.
    convert(penn, tmp_path / "a.conllu")
    rows = (tmp_path / "a.conllu").read_text(encoding="utf-8").split("\n")
    rows = [row for row in rows if not row.startswith("# penn_")]
    (tmp_path / "a.conllu").write_text("\n".join(rows), encoding="utf-8")
    convert(tmp_path / "a.conllu", tmp_path / "out.fid", to="penn-korean", level=2)
    text = (tmp_path / "out.fid").read_text(encoding="utf-8")
    assert published(text) == published(penn.read_text(encoding="utf-8"))
    # Glue of the text counts as well as glue of the tree, and raw brackets as well as escaped ones.
    assert ";;W0003: 누나가 심은 꽃이 ( ~붉게 ~) 피었다 ~.\n\n(S (NP-SBJ" in text
    assert "(VP (PRN -LRB-/SLQ\n            (ADVP 붉/VJ+게/ECS)\n" in text


@pytest.mark.parametrize("level", [2, 3, 4, 5])
def test_trees_come_back_from_the_notation(penn: Path, tmp_path: Path, level: int) -> None:
    convert(penn, tmp_path / "a.fid", to="penn-korean", level=level)
    for name, of in (("a.mrg", penn), ("b.mrg", tmp_path / "a.fid")):
        convert(of, tmp_path / name, to="brackets", level=level)
    found = (tmp_path / "b.mrg").read_text(encoding="utf-8")
    assert found == (tmp_path / "a.mrg").read_text(encoding="utf-8")
    assert found.count("\n") == 8


def test_words_below_a_token_are_glued_in_the_tree(penn: Path, cli: Cli) -> None:
    text = cli("tree", "level", penn, "--level", "3", "--to", "penn-korean", "-q").text(1)
    assert ";;9010001:8: 바람이 분다 ~.\n\n(S (NP-SBJ 바람/NNC\n           ~이/PCA)\n" in text


def test_a_damaged_tree_is_written_as_it_was_read(penn: Path, cli: Cli) -> None:
    done = cli("convert", "--to", "penn-korean", "--level", "2", penn)
    assert done.returncode == 1
    error = done.stderr.decode()
    assert "fid:65: E601 line 67: 1 closing bracket is missing" in error
    assert "fid:71: E604 line 71: there is no tree [9010001:7]" in error
    damaged = "(S (NP-SBJ 꽃/NNC+이/PCA\n   (VP 지/VV+는다/EFN)\n   ./SFN)\n\n"
    assert f";;9010001:6: 꽃이 진다 ~.\n\n{damaged}" in done.stdout.decode()


def test_a_damaged_tree_of_another_treebank_is_told(penn: Path, root: Path, cli: Cli) -> None:
    """Its lines are no lines of this treebank; those of this treebank stand in one comment."""
    source = root / "samples" / "expected" / "treebank.4.conllu"
    done = cli("convert", "--to", "penn-korean", source)
    assert ";;9: 바람이 분다 ~.\n\n;;10:" in done.stdout.decode()
    assert re.search(r"W301 .*without a tree.* \[9\]", done.stderr.decode())
    assert cli("convert", penn).stdout.decode().count("(S (NP-SBJ 꽃/NNC+이/PCA") == 1


def test_a_text_without_a_tree_does_not_take_the_next_one(penn: Path) -> None:
    text = ";;A:1: 비가 온다 ~.\n\n;;A:2: 꽃이 진다\n\n(S (NP 꽃/NNC+이/PCA)\n   지/VV+는다/EFN)\n"
    reader = PennReader(ASSEMBLER)
    found = [reader.parse(block) for block in reader.blocks([text])]
    assert [(one.sent_id, len(one.constituents)) for one in found] == [("A:1", 0), ("A:2", 2)]
    assert [one.text for one in found] == ["비가 온다.", "꽃이 진다"]


def test_a_text_with_another_spelling_than_its_tree_comes_back(tmp_path: Path) -> None:
    """The words of the tree were written as its text."""
    text = ";;A:1: 나는 잭을 산다.\n(S (NP 나/NPN+는/PAU)\n (NP 책/NNC+을/PCA)\n   사/VV ./SFN)\n"
    (tmp_path / "a.fid").write_text(text, encoding="utf-8")
    for level in LEVELS[1:]:
        convert(tmp_path / "a.fid", tmp_path / "a.conllu", level=level)
        convert(tmp_path / "a.conllu", tmp_path / "b.fid", level=2)
        assert (tmp_path / "b.fid").read_text(encoding="utf-8") == text


def test_a_tree_that_somebody_took_away_does_not_come_back(tmp_path: Path) -> None:
    """However it was laid out: its lines are those of the file only while the tree is the same."""
    text = ";;A:1: 비가 온다\n\n(S   (NP 비/NNC+가/PCA)\n   오/VV+는다/EFN)\n\n"
    (tmp_path / "a.fid").write_text(text, encoding="utf-8")
    convert(tmp_path / "a.fid", tmp_path / "a.conllu")
    _, *lines = (tmp_path / "a.conllu").read_text(encoding="utf-8").split("\n")
    rows = ["\t".join(line.split("\t")[:10]) for line in lines]
    (tmp_path / "a.conllu").write_text("\n".join(rows), encoding="utf-8")
    convert(tmp_path / "a.conllu", tmp_path / "b.fid", to="penn-korean", level=2)
    assert (tmp_path / "b.fid").read_text(encoding="utf-8") == ";;A:1: 비가 온다\n\n"


def test_a_damaged_tree_without_a_text_comes_back(tmp_path: Path) -> None:
    """Its lines are those of the file, since no other tree can be written."""
    text = "(S (NP-SBJ 그/NPN+은/PAU)\n\n"
    (tmp_path / "a.fid").write_text(text, encoding="utf-8")
    convert(tmp_path / "a.fid", tmp_path / "b.fid", from_="penn-korean", to="penn-korean", level=2)
    assert (tmp_path / "b.fid").read_text(encoding="utf-8") == text


FORMS = st.sampled_from(["가", "나다", "라마바", "(", ")", "+", "/", "~", "'", "94"])
TAGS = st.sampled_from(["NNC", "PCA", "VV", "EFN", "SSY", "NNU", "XSV"])


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    """Sentences with a tree over their words at level 2, and null elements."""
    eojeols = []
    for number in range(draw(st.integers(1, 5))):
        own = [Morpheme(draw(FORMS), draw(TAGS)) for _ in range(draw(st.integers(1, 4)))]
        # Text that begins with a tilde looks glued, wherever it is not the first.
        if number and own[0].form == "~":
            own[0] = Morpheme("가", own[0].tag)
        eojeols.append(ASSEMBLER.eojeol("".join([m.form for m in own]), own))
    sentence = Recut(Granularity(RULES, 2))(Sentence(tuple(eojeols), sent_id="D1:7"))
    ends = [0]
    for word in sentence.words:
        ends.append(ends[-1] + len(word.morphemes))
    found: list[Constituent] = []

    def node(first: int, last: int, depth: int) -> None:
        label = draw(st.sampled_from(["S", "NP-SBJ", "VP"]))
        found.append(Constituent(label, ends[first], ends[last], depth))
        if draw(st.booleans()):
            found.append(Constituent("*T*-1", ends[first], ends[first], depth + 1))
        if last - first > 1:
            middle = draw(st.integers(first + 1, last - 1))
            for begin, end in ((first, middle), (middle, last)):
                if draw(st.booleans()):
                    node(begin, end, depth + 1)

    node(0, len(ends) - 1, 0)
    sentence.constituents = tuple(found)
    return sentence


@given(sentences(), st.sampled_from(LEVELS[1:]))
def test_what_is_written_is_read(sentence: Sentence, level: int) -> None:
    cut = Fit()(Recut(Granularity(RULES, level))(sentence))
    text = PennWriter().sentence(cut)
    reader = PennReader(ASSEMBLER)
    [block] = reader.blocks([text])
    assert block.sent_id == "D1:7"
    back = reader.parse(block)
    assert back.constituents == sentence.constituents
    assert [e.form for e in back.eojeols] == [e.form for e in sentence.eojeols]
    found = [[(m.form, m.tag) for m in e.morphemes] for e in back.eojeols]
    assert found == [[(m.form, m.tag) for m in e.morphemes] for e in sentence.eojeols]


# --- the published way ----------------------------------------------------------------------------


def test_trees_and_words_of_ud_as_published(penn: Path, data: Path, cli: Cli) -> None:
    """The treebank onto UD, trees of words and of morphemes, without functions and nulls."""
    words = data / "penn-words.conllu"
    message = cli("tree", "attach", penn, words, "a.conllu").told(1)
    assert message.count("E608 no sentence has the text of this tree") == 5
    found = cli("tree", "extract", "a.conllu", "--pos", "upos", "--plus-escape", "-q").stdout
    assert found == (data / "penn-trees-of-words.mrg").read_bytes()
    run = ("tree", "extract", "a.conllu", "--level", "5", "--terminal", "lemma", "--plus-escape")
    found = cli(*run, "-q").stdout
    assert found == (data / "penn-trees-of-morphemes.mrg").read_bytes()
    run = ("tree", "strip", "-", "--from", "brackets", "--functions", "--empty", "-q")
    stripped = cli(*run, stdin=found).stdout
    assert stripped == (data / "penn-stripped.mrg").read_bytes()


def test_columns_of_the_published_scripts_need_no_names(penn: Path, data: Path, cli: Cli) -> None:
    cli("tree", "attach", penn, data / "penn-words.conllu", "a.conllu", "-q")
    named = cli("tree", "extract", "a.conllu", "-q").stdout
    text = cli("convert", "--level", "2", "a.conllu", "-q").stdout
    header, _, rows = text.partition(b"\n")
    assert header.startswith(b"# global.columns")
    done = cli("tree", "extract", "-", stdin=b"# sent_id = 1\n" + rows.partition(b"\n")[2])
    assert b"detected format: conllu" in done.stderr
    assert done.stdout == named


def test_predicted_morphemes_become_eojeols(data: Path, cli: Cli) -> None:
    parsed, words = data / "penn-parsed.mrg", data / "penn-words.conllu"
    run = ("tree", "level", parsed, "--morphemes", words, "--level", "1", "--pos", "upos")
    done = cli(*run, "--plus-escape", "--inside", "drop")
    assert done.returncode == 0
    assert done.stdout == (data / "penn-parsed-of-words.mrg").read_bytes()
    assert "W613 VP ends inside word 15, 죽었다고 [901000.fid-s5]" in done.stderr.decode()
    # The other way out: a constituent gets all of the word.
    wide = cli(*run, "--inside", "widen", "-q").stdout.decode()
    assert "(VP (VP (VERB 죽었다고))) (VP (VERB 했다))" in wide
    assert wide == cli(*run, "--on-error", "keep", "-q").stdout.decode()
    # Trees of the same morphemes in the notation of the treebank.
    text = cli(*run[:-3], "2", "--to", "penn-korean", "--inside", "drop", "-q").text()
    assert "\n           (VP 죽/VV+었/EPF+다/EFN+고/PAD)\n           (VP 하/VV" in text
    assert ";;901000.fid-s8: 바람이 분다 .\n\n(S (NP 바람/NNC+이/PCA)\n" in text


def test_a_particle_has_its_surface_as_form_and_the_normal_form_as_lemma(tmp_path: Path) -> None:
    """The treebank writes 과, 을, 은, 으로 for every allomorph; MSeg brings them back."""
    path = tmp_path / "in.fid"
    path.write_text(
        ";;1: 환경부와 나무를 지자체로 ~.\n\n(S (NP 환경부/NNC+과/PCJ)\n   (NP 나무/NNC+을/PCA)\n"
        "   (NP 지자체/NNC+으로/PAD)\n   ./SFN)\n\n",
        encoding="utf-8",
    )
    (sentence,) = read(path)
    words = Recut(Granularity(RULES, 5))(sentence).words
    assert [(word.form, word.lemma) for word in words if word.upos == "ADP"] == [
        ("와", "과"), ("를", "을"), ("로", "으로"),
    ]  # fmt: skip
    convert(path, tmp_path / "out.conllu", level=2)
    convert(tmp_path / "out.conllu", tmp_path / "back.fid", to="penn-korean", level=2)
    assert (tmp_path / "back.fid").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
