"""`sejongud tree`: attach, level with morphemes, extract, strip, dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sejongud.model import LEVELS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

KLUE = "klue-dp/klue-dp-v1.1_dev.first1500.tsv"
SEJONG = """\
비가\t비/NNG+가/JKS
온다.\t오/VV+ㄴ다/EF+./SF

나는\t나/NP+는/JX
(다시)\t(/SS+다시/MAG+)/SS
간다.\t가/VV+ㄴ다/EF+./SF

"""
GOLD = (
    "(S (NP-SBJ (NNG 비) (JKS 가)) (VP (VV 오) (EF ㄴ다) (SF .)))\n"
    "(S (NP-SBJ (NP 나) (JX 는)) (VP (AP (SS -LRB-) (MAG 다시) (SS -RRB-))"
    " (VP (VV 가) (EF ㄴ다) (SF .))))\n"
)


@pytest.fixture
def files(cli: Cli, tmp_path: Path) -> Path:
    """A folder with the sentences at level 5 and their trees at all levels."""
    (tmp_path / "in.txt").write_text(SEJONG, encoding="utf-8")
    (tmp_path / "gold.mrg").write_text(GOLD, encoding="utf-8")
    assert cli("convert", "in.txt", "m.conllu", "-q").returncode == 0
    for level in LEVELS:
        run = ("tree", "level", "gold.mrg", f"{level}.mrg", "--morphemes", "m.conllu")
        assert cli(*run, "--level", str(level), "-q").returncode == 0
    return tmp_path


def test_trees_of_each_level_become_level_5_with_their_morphemes(files: Path, cli: Cli) -> None:
    assert "(NNG+JKS 비가)" in (files / "1.mrg").read_text(encoding="utf-8")
    for level in LEVELS:
        done = cli("tree", "level", f"{level}.mrg", "--morphemes", "m.conllu", "-q")
        assert done.stdout.decode() == GOLD
        assert done.returncode == 0
        assert b"100.00" in cli("eval", "parse", "gold.mrg", "5.mrg").stdout


def test_trees_of_words_need_their_morphemes(files: Path, cli: Cli) -> None:
    message = cli("tree", "level", "1.mrg", "--level", "2").told(1)
    assert "(NNG+JKS 비가) does not tell its morphemes: give the CoNLL-U" in message


def test_attached_trees_are_extracted(files: Path, cli: Cli) -> None:
    for level in LEVELS:
        run = ("tree", "attach", f"{level}.mrg", "m.conllu", "a.conllu", "--force", "-q")
        assert cli(*run).returncode == 0
        assert cli("tree", "extract", "a.conllu", "-q").stdout.decode() == GOLD
        text = (files / "a.conllu").read_text(encoding="utf-8")
        assert text.startswith("# global.columns = ID FORM LEMMA")
        # The words of the file stay as they are.
        own = [line.split("\t")[:10] for line in text.split("\n") if line[:1].isdigit()]
        given = (files / "m.conllu").read_text(encoding="utf-8")
        assert own == [line.split("\t") for line in given.split("\n") if line[:1].isdigit()]


def test_other_trees_of_the_sentence_are_told(files: Path, cli: Cli) -> None:
    cli("tree", "attach", "gold.mrg", "m.conllu", "a.conllu")
    assert "W616" not in cli("tree", "attach", "gold.mrg", "a.conllu", "b.conllu").told()
    (files / "c.mrg").write_text(GOLD.replace("(S ", "(SENT ", 1), encoding="utf-8")
    told = cli("tree", "attach", "c.mrg", "a.conllu", "c.conllu").told()
    assert told.count("W616 other constituents that the sentence had are left out") == 1


@pytest.mark.parametrize(
    "action",
    ["extract", "extract --level 5", "level", "strip --functions", "stats", "dependencies"],
)
def test_trees_in_json_lines_are_those_of_conllu(files: Path, cli: Cli, action: str) -> None:
    convert = ("convert", "gold.mrg", "-l", "2", "-q", "-o")
    made = []
    for name in ("t.conllu", "t.jsonl"):
        assert cli(*convert, name).returncode == 0
        done = cli("tree", *action.split(), name, "-q")
        assert done.returncode == 0
        made.append(done.stdout)
    assert made[0] == made[1] != b""


def test_a_tree_without_a_sentence_is_told_and_kept(files: Path, cli: Cli) -> None:
    extra = "(S (NP (NNG 하늘) (JKS 이)) (VP (VA 맑) (EF 다)))\n"
    (files / "t.mrg").write_text(extra + GOLD, encoding="utf-8")
    message = cli("tree", "attach", "t.mrg", "m.conllu", "a.conllu").told(1)
    assert "t.mrg:1: E608 no sentence has the text of this tree" in message
    text = (files / "a.conllu").read_text(encoding="utf-8")
    assert '# tree_source = "(S (NP (NNG 하늘)' in text
    assert cli("tree", "extract", "a.conllu", "-q").stdout.decode() == GOLD


@pytest.mark.parametrize(
    ("tree", "words", "told"),
    [
        ("(S )", "", "E604 this tree has no words"),
        ("()", "", "E604 this tree has no words"),
        ("(S (NP 비) (VP 오 ㄴ다))", "비", "E601 line 1: 오 has no tag of its own"),
        ("(S 비 오 ㄴ다)", "", "E601 비 has no tag of its own: write (TAG 비)"),
        ("(S (NP ) (VV 오))", "오", "E605 line 1: the constituent (NP) has neither words"),
        ("(S (NNG 비) (VV 오)", "비 오", "E601 line 1: 1 closing bracket is missing"),
    ],
)
def test_a_tree_that_cannot_be_read_is_told_on_both_ways(
    tmp_path: Path, cli: Cli, tree: str, words: str, told: str
) -> None:
    (tmp_path / "t.mrg").write_text(f"{tree}\n(S (NNG 끝))\n", encoding="utf-8")
    there = cli("convert", "--from", "brackets", "--on-error", "keep", "t.mrg", "t.conllu")
    assert f"t.mrg:1: {told}" in there.stderr.decode()
    text = (tmp_path / "t.conllu").read_text(encoding="utf-8")
    assert f"# text = {words}\n" in text or not words
    assert text.count("# text = ") == 1 + bool(words)
    back = cli("convert", "--to", "brackets", "t.conllu")
    assert back.stdout.decode() == (f"; 1 {words}\n" if words else "") + "(S (NNG 끝))\n"
    assert ("W301 not written: a sentence without a tree" in back.stderr.decode()) == bool(words)


@pytest.mark.parametrize(
    ("to", "wanted"),
    [
        ("sinica", "S(VP(VV:가|EF:다))\n"),
        ("treebank", "; 가 다\n(S\t(VP\t(X 가/VV)\n\t\t(X 다/EF)))\n"),
    ],
)
def test_null_elements_and_words_that_a_treebank_has_not_are_told(
    tmp_path: Path, cli: Cli, to: str, wanted: str
) -> None:
    tree = "(S (NP (-NONE- 0)) (VP (VV 가) (EF 다)))\n"
    (tmp_path / "t.mrg").write_text(tree, encoding="utf-8")
    done = cli("convert", "t.mrg", "--to", to)
    assert done.stdout.decode().rstrip("\n") + "\n" == wanted
    assert "W301 not written: null elements [1]" in done.stderr.decode()
    (tmp_path / "t.mrg").write_text("(S (NNG 집|밥) (SS -LRB-))\n", encoding="utf-8")
    if to == "sinica":
        assert "cannot hold S(NNG:집|밥|SS:()" in cli("convert", "t.mrg", "--to", to).told(1)


def test_a_sentence_without_a_tree_is_told(files: Path, cli: Cli) -> None:
    last = GOLD.partition("\n")[2]
    (files / "t.mrg").write_text(last, encoding="utf-8")
    message = cli("tree", "attach", "t.mrg", "m.conllu", "a.conllu").told()
    assert "W612 no tree has the text of it [1]" in message
    found = cli("tree", "extract", "a.conllu", "-q").stdout.decode()
    assert found == f"; 1 비가 온다.\n{last}"
    (files / "t.mrg").write_text(found, encoding="utf-8")
    assert cli("tree", "strip", "t.mrg", "-q").stdout.decode() == last


def test_a_tree_of_other_words_is_told_and_kept(files: Path, cli: Cli) -> None:
    # The border of two constituents stands inside of the morpheme 다시.
    text = GOLD.replace("(MAG 다시)", "(AP (MAG 다)) (AP (MAG 시))")
    (files / "t.mrg").write_text(text, encoding="utf-8")
    message = cli("tree", "attach", "t.mrg", "m.conllu", "a.conllu").told(1)
    assert "t.mrg:2: E607 a constituent ends behind terminal 4, 다, where" in message
    found = (files / "a.conllu").read_text(encoding="utf-8")
    assert '# tree_source = "(S (NP-SBJ (NP 나)' in found
    assert "(S (NP-SBJ\t_\n" in found


def test_texts_may_differ(files: Path, cli: Cli) -> None:
    (files / "t.mrg").write_text(GOLD.replace("다시", "또"), encoding="utf-8")
    message = cli("tree", "attach", "t.mrg", "m.conllu", "a.conllu").told()
    assert "t.mrg:2: W610 the tree has 또 where the sentence has 다시" in message
    assert cli("tree", "extract", "a.conllu", "-q").stdout.decode() == GOLD


def test_a_damaged_tree_is_a_comment_and_the_run_goes_on(files: Path, cli: Cli) -> None:
    (files / "t.mrg").write_text(GOLD.replace(" (VP (VV 오)", " (VP ((VV 오)", 1), encoding="utf-8")
    assert "E601 line 1: " in cli("tree", "attach", "t.mrg", "m.conllu", "a.conllu").told(1)
    found = cli("tree", "extract", "a.conllu", "-q").stdout.decode().split("\n")
    assert found[1] == GOLD.split("\n")[1]
    assert "; 1 비가 온다." in found[0]


def test_a_border_inside_a_word_is_widened_with_keep(files: Path, cli: Cli) -> None:
    text = GOLD.replace(
        "(AP (SS -LRB-) (MAG 다시) (SS -RRB-))", "(L (SS -LRB-)) (AP (MAG 다시)) (R (SS -RRB-))"
    )
    (files / "t.mrg").write_text(text, encoding="utf-8")
    run = ("tree", "level", "t.mrg", "--morphemes", "m.conllu", "--level", "1")
    assert "the constituent L begins or ends inside word 2, (다시)" in cli(*run).told(1)
    done = cli(*run, "--on-error", "keep")
    assert "(VP (L (SS+MAG+SS -LRB-다시-RRB-)) (VP" in done.stdout.decode()
    assert "W609 L gets all of word 2, (다시)" in done.stderr.decode()


def test_penn_korean_trees_are_attached_to_other_morphemes(
    root: Path, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "in.txt").write_text(
        "비가\t비/NNG+가/JKS\n오면\t오/VV+면/EC\n나는\t나/NP+는/JX\n책을\t책/NNG+을/JKO\n"
        "읽는다.\t읽/VV+는다/EF+./SF\n\n"
        "언제\t언제/MAG\n가느냐고\t가/VV+느냐고/EC\n물었다.\t묻/VV+었/EP+다/EF+./SF\n\n"
        "누나가\t누나/NNG+가/JKS\n심은\t심/VV+은/ETM\n꽃이\t꽃/NNG+이/JKS\n"
        "(붉게)\t(/SS+붉/VA+게/EC+)/SS\n피었다.\t피/VV+었/EP+다/EF+./SF\n\n",
        encoding="utf-8",
    )
    assert cli("convert", "in.txt", "m.conllu", "-q").returncode == 0
    own = (root / "samples" / "penn-korean.fid").read_text(encoding="utf-8").partition(";;9010001")
    penn = tmp_path / "in.fid"
    penn.write_text(own[0], encoding="utf-8")
    assert cli("tree", "attach", penn, "m.conllu", "a.conllu", "-q").returncode == 0
    found = cli("tree", "extract", "a.conllu", "--level", "2", "-q").stdout.decode().split("\n")
    assert found[1] == (
        "(S (NP-SBJ *pro*) (VP (S-COMP (NP-SBJ *pro*) (VP (ADVP (MAG 언제)) (VV+EC 가느냐고)))"
        " (VV+EP+EF 물었다)) (SF .))"
    )
    found = cli("tree", "extract", "a.conllu", "-q").stdout.decode().split("\n")
    assert "(PRN (SS -LRB-) (ADVP (VA 붉) (EC 게)) (SS -RRB-)) (VV 피)" in found[2]
    (tmp_path / "b.mrg").write_text("\n".join(found), encoding="utf-8")
    done = cli("tree", "strip", "b.mrg", "--functions", "--empty", "-q").stdout.decode()
    assert "(S (NP (S (S (NP (NNG 누나) (JKS 가)) (VP (VV 심) (ETM 은))))" in done
    # What a parser says of morphemes becomes a tree of eojeols.
    run = ("tree", "level", "b.mrg", "--morphemes", "m.conllu", "--level", "1", "-q")
    wide = cli(*run, "--on-error", "keep").stdout.decode().split("\n")
    assert "(VV+EP+EF+SF 물었다.)" in wide[1]


def test_words_of_a_tree_are_stripped_whatever_their_morphemes(cli: Cli) -> None:
    tree = "(TOP (S (NP-SBJ (NNP+JKS 웅가로가)) (VP (VV+EP+EF 나섰다) (SF .))))\n".encode()
    done = cli("tree", "strip", "-", "--functions", "--root", "none", "-q", stdin=tree)
    assert done.stdout.decode() == "(S (NP (NNP+JKS 웅가로가)) (VP (VV+EP+EF 나섰다) (SF .)))\n"


def test_a_plus_is_written_as_the_published_scripts_do(root: Path, cli: Cli) -> None:
    run = ("tree", "level", root / "samples" / "treebank.txt", "-q")
    assert "(SW +)" in cli(*run).stdout.decode()
    escaped = cli(*run, "--plus-escape").stdout
    assert "(SW *PLUS*)" in escaped.decode()
    assert "(SW +)" in cli("tree", "level", "-", "-q", stdin=escaped).stdout.decode()


def test_pos_and_terminal(root: Path, cli: Cli) -> None:
    figure = root / "samples" / "treebank-figure.txt"
    run = ("tree", "level", figure, "-q", "--level", "3", "--pos", "upos", "--terminal", "lemma")
    assert "(NP-SBJ (PROPN 웅가로) (ADP 이))" in cli(*run).stdout.decode()


def test_dependencies_of_a_treebank_file(root: Path, cli: Cli) -> None:
    done = cli("tree", "dependencies", root / "samples" / "treebank-figure.txt", "-q")
    rows = [line.split("\t") for line in done.stdout.decode().split("\n") if line[:1].isdigit()]
    assert [(row[6], row[7]) for row in rows] == [
        ("4", "NP-MOD"), ("4", "VNP-MOD"), ("4", "NP"), ("6", "NP"), ("6", "NP"), ("11", "NP-SBJ"),
        ("8", "NP"), ("9", "NP"), ("10", "NP"), ("11", "NP-AJT"), ("0", "VP"),
    ]  # fmt: skip


def test_trees_of_klue_dp_pass_through_the_treebank(shared: Path, cli: Cli, tmp_path: Path) -> None:
    text = (shared / "data" / KLUE).read_text(encoding="utf-8")
    (tmp_path / "in.tsv").write_text(
        "\n\n".join(text.split("\n\n")[:41]) + "\n\n", encoding="utf-8"
    )
    run = ("tree", "from-dependencies", "in.tsv", "out.txt", "--to", "treebank", "--root", "TOP")
    assert cli(*run, "-q").returncode == 0
    assert cli("convert", "out.txt", "a.conllu", "--level", "3", "-q").returncode == 0
    assert cli("convert", "a.conllu", "back.txt", "--to", "treebank", "-q").returncode == 0
    treebank = (tmp_path / "out.txt").read_bytes()
    assert (tmp_path / "back.txt").read_bytes() == treebank
    assert b"# tree" not in (tmp_path / "a.conllu").read_bytes()
    assert cli("tree", "dependencies", "out.txt", "b.conllu", "-q").returncode == 0
    cells = [
        (tmp_path / "b.conllu").read_text(encoding="utf-8").split("\n"),
        (tmp_path / "in.tsv").read_text(encoding="utf-8").split("\n"),
    ]
    found, given = ([row.split("\t") for row in rows if row[:1].isdigit()] for rows in cells)
    assert [row[6:8] for row in found] == [row[4:6] for row in given]


def test_other_formats_have_no_trees(cli: Cli) -> None:
    message = cli("tree", "level", "-", stdin="나는\t나/NP+는/JX\n".encode()).told(2)
    assert "looks like sejong, which has no trees: name the format with --from" in message


def test_other_formats_have_no_dependencies(cli: Cli, root: Path) -> None:
    message = cli("tree", "from-dependencies", root / "samples" / "naver-ner.tsv").told_only()
    assert "looks like naver:rows PER_B, which has no dependencies: name" in message


@pytest.mark.parametrize("action", ["level", "extract", "strip", "stats"])
def test_conllu_without_the_columns_of_trees_is_refused(cli: Cli, root: Path, action: str) -> None:
    message = cli("tree", action, root / "samples" / "ud.conllu").told_only(1)
    said = "the file has no trees: its first line must name the columns TREE:OPEN TREE:CLOSE"
    assert said in message


def test_the_text_of_a_damaged_tree_without_words_is_written(cli: Cli, tmp_path: Path) -> None:
    damaged = "   (VP (NP 나/NP)\n   ./SF)\n"
    (tmp_path / "in.mrg").write_text(f"(S (NP-SBJ *pro*)\n\n{damaged}", encoding="utf-8")
    done = cli("convert", "--from", "brackets", "--to", "treebank", "--on-error", "skip", "in.mrg")
    assert done.stdout.decode() == damaged
    assert b"in.mrg:3: E601" in done.stderr


def test_counts_in_json_cannot_control_the_terminal(cli: Cli) -> None:
    done = cli("tree", "stats", "--json", stdin="(S\x9b31m (NNG a))\n".encode())
    assert "\x9b" not in done.stdout.decode() and b"\\u009b" in done.stdout


@pytest.mark.parametrize(
    ("tree", "to", "problem"),
    [
        ("(S ({A 그) (JX 는))", "penn-korean", "the tag {A "),
        ("(S ({A 그) (JX 는))", "treebank", "the tag {A "),
        ("(S (N/P (NP 그)) (JX 는))", "penn-korean", "the label N/P"),
        ("(S (1\u202eP (NP 그)) (JX 는))", "treebank", "the leaf (1\ufffdP 그/NP)"),
        ("(S (N+P (NP 그)) (JX 는))", "treebank", "the leaf (N+P 그/NP)"),
    ],
)
def test_tags_and_labels_that_could_not_be_read_again_are_told(
    tree: str, to: str, problem: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "a.mrg").write_text(f"{tree}\n(S (NP 나) (JX 는))\n", encoding="utf-8")
    done = cli("convert", "a.mrg", "out", "--from", "brackets", "--to", to, "--on-error", "keep")
    assert done.returncode == 1
    assert "a.mrg:1: E301 " in done.stderr.decode()
    assert problem in done.stderr.decode()
    assert "나/NP" in (tmp_path / "out").read_text(encoding="utf-8")
    assert "그" not in (tmp_path / "out").read_text(encoding="utf-8")


def test_a_slash_that_is_missing_is_told_where_the_tree_could_not_be_read_again(cli: Cli) -> None:
    trees = ";;W1: 비 오면\n(S (NP 비/NNC) (VP 오VV+면/ECS))\n\n;;W2: 비\n(NP 비/NNC)\n"
    words = ("convert", "--from", "penn-korean", "--to", "treebank", "--on-error", "keep")
    done = cli(*words, stdin=trees.encode())
    assert "E301 the form 오VV+면 has a plus sign" in done.stderr.decode()
    assert "VV" not in done.stdout.decode()
    assert cli("convert", "--from", "treebank", stdin=done.stdout).returncode == 0


@pytest.mark.parametrize("to", ["sejong", "sejong-line"])
def test_tags_of_an_analysis_that_could_not_be_read_again_are_told(
    to: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "a.mrg").write_text("(S (`` 그) (. .) (. .))\n", encoding="utf-8")
    message = cli("convert", "a.mrg", "out", "--from", "brackets", "--to", to).told()
    told = "W301 not written: constituents; tags that cannot be read again: `` ."
    assert told in message
    assert "그/``" in (tmp_path / "out").read_text(encoding="utf-8")
