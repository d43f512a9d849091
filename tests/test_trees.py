"""Constituents: over morphemes, between words, in files, and from dependencies and back."""

from __future__ import annotations

import json
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

import pytest
from corpora import RULES
from hypothesis import given
from hypothesis import strategies as st
from portions import ALL

from sejongud.api import convert, loads
from sejongud.converters.jobs import read
from sejongud.converters.trees import Dependencies, FromDependencies, TreeEdit, TreeLabels
from sejongud.errors import Incident, Report
from sejongud.formats import sniff
from sejongud.formats.treebank import written
from sejongud.formats.trees import parse_tree
from sejongud.layers.trees import constituents, crossed, edges, nulls, widened
from sejongud.model import LEVELS, Arcs, Constituent, Eojeol, Morpheme, Sentence, Token, Word

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from conftest import Cli

KLUE = "klue-dp/klue-dp-v1.1_dev.first1500.tsv"


# --- brackets between words -----------------------------------------------------------------------

Node = Any


def layers(words: int) -> st.SearchStrategy[tuple[tuple[Constituent, ...], list[int]]]:
    """Trees over words of one to three morphemes, with null elements, and the ends of the words."""
    label = st.sampled_from(["S", "NP", "NP-SBJ", "VP_MOD"])
    null = st.sampled_from(["*pro*", "*T*-1"])
    sizes = st.lists(st.integers(1, 3), min_size=words, max_size=words)

    @st.composite
    def tree(draw: st.DrawFn) -> tuple[tuple[Constituent, ...], list[int]]:
        ends = list(accumulate(draw(sizes)))
        borders = [0, *ends]
        found: list[Constituent] = []

        def node(first: int, last: int, depth: int) -> None:
            at = len(found)
            found.append(Constituent(draw(label), borders[first], borders[last], depth))
            if draw(st.integers(0, 5)) == 0:
                place = borders[draw(st.sampled_from([first, last]))]
                found.append(Constituent(draw(null), place, place, depth + 1))
                if place == borders[last] and last > first:
                    return
            if last - first > 1:
                cut = draw(st.integers(first + 1, last - 1))
                node(first, cut, depth + 1)
                node(cut, last, depth + 1)
            assert found[at].depth == depth

        node(0, words, 0)
        return tuple(found), ends

    return tree()


@given(st.integers(1, 8).flatmap(layers))
def test_brackets_between_words_are_read_as_they_are_written(
    given_: tuple[tuple[Constituent, ...], list[int]],
) -> None:
    layer, ends = given_
    parts = [
        " ".join([*edge.before, "(T w)", *edge.behind]).replace(" )", ")")
        for edge in edges(layer, ends)
    ]
    assert constituents(parse_tree(" ".join(parts)), ends) == layer


@given(st.integers(2, 8).flatmap(layers), st.data())
def test_widened_constituents_are_a_tree_over_the_words(
    given_: tuple[tuple[Constituent, ...], list[int]], data: st.DataObject
) -> None:
    layer, ends = given_
    fewer = [end for end in ends[:-1] if data.draw(st.booleans())] + ends[-1:]
    wide = widened(layer, fewer)
    assert not list(crossed(wide, fewer))
    assert {one.label for one in wide} <= {one.label for one in layer}
    # They are nested: their brackets are read as they are written.
    text = " ".join([" ".join([*e.before, "(T w)", *e.behind]) for e in edges(wide, fewer)])
    assert constituents(parse_tree(text), fewer) == wide


def test_what_ends_at_words_is_not_widened() -> None:
    layer = (Constituent("S", 0, 3, 0), Constituent("NP", 0, 1, 1), Constituent("VP", 1, 3, 1))
    assert widened(layer, [1, 3]) == layer
    assert widened(layer, [2, 3]) == (
        layer[0],
        layer[1]._replace(end=2),
        layer[2]._replace(start=2),
    )
    # Nothing is left for the second of two constituents inside one word.
    assert widened(layer, [3]) == (layer[0], layer[1]._replace(end=3))


def test_null_elements_keep_their_place() -> None:
    text = "(S (NP *pro*) (VP (NP *T*-1) (VV 가)) (NP (-NONE- 0)))"
    layer = constituents(parse_tree(text), [1])
    assert [one.label for one, null in zip(layer, nulls(layer), strict=True) if null] == [
        "*pro*", "*T*-1", "0",
    ]  # fmt: skip
    [edge] = edges(layer, [1])
    assert " ".join(edge.before) == "(S (NP *pro* ) (VP (NP *T*-1 )"
    assert " ".join(edge.behind) == ") (NP (-NONE- 0 ) ) )"


# --- dependencies ---------------------------------------------------------------------------------


def sentence_of(heads: Sequence[int], deprels: Sequence[str], sizes: Sequence[int]) -> Sentence:
    eojeols = []
    for size in sizes:
        morphemes = (Morpheme("가", "NNG"),) * size
        word = Word("가" * size, "가", "NOUN", "NNG", "_", "_", morphemes)
        eojeols.append(Eojeol("가" * size, morphemes, tokens=(Token(word.form, (word,)),)))
    return Sentence(tuple(eojeols), arcs=Arcs(tuple(heads), tuple(deprels)))


@st.composite
def projective(draw: st.DrawFn) -> tuple[list[int], list[str], list[int]]:
    """Projective trees, head-final or not: of two neighbouring subtrees one hangs on the other."""
    count = draw(st.integers(1, 9))
    heads = [0] * count
    is_final = draw(st.booleans())
    tops = list(range(count))
    while len(tops) > 1:
        at = draw(st.integers(0, len(tops) - 2))
        first, second = tops[at : at + 2]
        goes = first if is_final or draw(st.booleans()) else second
        heads[goes] = first + second - goes + 1
        tops.remove(goes)
    names = st.sampled_from(["NP_SBJ", "VP", "VP_MOD", "NP", "VNP_CMP", "AP", "X_SBJ"])
    deprels = draw(st.lists(names, min_size=count, max_size=count))
    return heads, deprels, draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))


@given(projective())
def test_dependencies_are_those_that_the_tree_was_made_from(
    given_: tuple[list[int], list[str], list[int]],
) -> None:
    heads, deprels, sizes = given_
    for root in ("", "TOP"):
        sentence = FromDependencies(RULES, root)(sentence_of(heads, deprels, sizes))
        back = Dependencies(RULES)(sentence)
        assert back.arcs is not None
        assert (list(back.arcs.heads), list(back.arcs.deprels)) == (heads, deprels)
        assert back.notes == ()


@pytest.mark.parametrize("heads", [[2, 1], [3, 4, 0, 3], [3, 4, 4, 0], [2, 0, 0], [-1, 0]])
def test_dependencies_that_are_no_projective_tree_are_told(heads: list[int]) -> None:
    sentence = FromDependencies(RULES)(sentence_of(heads, ["NP"] * len(heads), [1] * len(heads)))
    assert sentence.constituents == ()
    assert [note.code for note in sentence.notes] == ["W607"]


def test_the_first_child_is_the_head_of_a_label_with_a_mark() -> None:
    sentence = sentence_of([0, 1, 1], ["root", "conj", "punct"], [1, 1, 1])
    nodes = FromDependencies(RULES)(sentence).constituents
    assert [(node.label, node.start, node.end) for node in nodes] == [
        ("root<", 0, 3), ("root<", 0, 2), ("root", 0, 1), ("conj", 1, 2), ("punct", 2, 3)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tree", "heads"),
    [
        ("(S< (A (가 1)) (B (가 2)) )", (0, 1)),
        # A word between the constituents is a child of the node around it, not of the next one.
        ("(S< (가 1) (B (가 2)) )", (0, 1)),
        ("(S (A (가 1)) (가 2) (B< (가 3) (가 4)) (가 5))", (5, 5, 5, 3, 0)),
    ],
)
def test_words_under_marked_labels(tree: str, heads: tuple[int, ...]) -> None:
    sentence = sentence_of([0] * len(heads), ["X"] * len(heads), [1] * len(heads))
    ends = range(1, len(heads) + 1)
    sentence.constituents = constituents(parse_tree(tree), ends)
    found = Dependencies(RULES)(sentence)
    assert found.arcs is not None
    assert found.arcs.heads == heads


def test_a_subject_and_a_predicate_are_a_clause() -> None:
    labels = TreeLabels(RULES)
    assert labels.joined("NP_SBJ", "VP_MOD") == "S_MOD"
    assert labels.joined("NP_SBJ", "S") == "S"
    assert labels.joined("NP_SBJ", "NP_AJT") == "NP_AJT"
    assert labels.joined("NP-SBJ", "VNP") == "S"
    assert labels.relation("S_MOD", "VP_MOD") == "VP_MOD"
    assert labels.relation("NP_SBJ", "NP_SBJ") == "NP_SBJ"


def test_a_third_child_is_told(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text(
        "; 나 너 그\n(NP\t(NP 나/NP)\n\t(NP_CNJ 너/NP)\n\t(NP 그/NP))\n\n", encoding="utf-8"
    )
    [sentence] = read(path)
    back = Dependencies(RULES)(sentence)
    assert back.arcs is not None
    assert (back.arcs.heads, back.arcs.deprels) == ((3, 3, 0), ("NP", "NP_CNJ", "NP"))
    assert [note.code for note in back.notes] == ["W608"]


def test_the_trees_of_klue_dp_give_its_dependencies_back(shared: Path) -> None:
    make, back = FromDependencies(RULES), Dependencies(RULES)
    total = 0
    for sentence in islice(read(shared / "data" / KLUE, on_error="keep"), None if ALL else 300):
        arcs = sentence.arcs
        found = back(make(sentence)).arcs
        assert arcs is not None
        assert found is not None
        assert (found.heads, found.deprels) == (arcs.heads, arcs.deprels)
        total += 1
    assert total == (1501 if ALL else 300)


# --- editing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (
            TreeEdit(functions=True),
            "(SENT (S (NP *pro* ) (VP (NP (NP (-NONE- *T*-1 ) ) w ) w ) ) )",
        ),
        (TreeEdit(empty=True), "(SENT (S (VP-A (NP w ) w ) ) )"),
        (TreeEdit(root="none"), "(S (NP=2 *pro* ) (VP-A (NP (NP-1 (-NONE- *T*-1 ) ) w ) w ) )"),
        (
            TreeEdit(root="TOP"),
            "(TOP (S (NP=2 *pro* ) (VP-A (NP (NP-1 (-NONE- *T*-1 ) ) w ) w ) ) )",
        ),
        (TreeEdit(empty=True, unary=True), "(SENT (NP w ) w )"),
        (
            TreeEdit(unary=True),
            "(SENT (NP=2 *pro* ) (VP-A (NP (NP-1 (-NONE- *T*-1 ) ) w ) w ) )",
        ),
    ],
)
def test_trees_are_stripped(edit: TreeEdit, wanted: str) -> None:
    sentence = sentence_of([2, 0], ["NP", "VP"], [1, 1])
    text = "(SENT (S (NP=2 *pro*) (VP-A (NP (NP-1 (-NONE- *T*-1)) (N w)) (V w))))"
    sentence.constituents = constituents(parse_tree(text), [1, 2])
    edit(sentence, TreeLabels(RULES))
    parts = [[*e.before, "w", *e.behind] for e in edges(sentence.constituents, [1, 2])]
    assert " ".join([token for part in parts for token in part]) == wanted


# --- the treebank ---------------------------------------------------------------------------------


@pytest.fixture
def treebank(root: Path) -> Path:
    return root / "samples" / "treebank.txt"


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-16").replace("\r\n", "\n")


@pytest.mark.parametrize("level", LEVELS)
def test_the_treebank_comes_back_to_the_byte(treebank: Path, tmp_path: Path, level: int) -> None:
    convert(treebank, tmp_path / "a.conllu", level=level)
    convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    assert (tmp_path / "b.txt").read_bytes() == treebank.read_bytes()


def test_a_file_without_a_last_line_end_comes_back(tmp_path: Path) -> None:
    text = "; 나는 간다\n(S\t(NP_SBJ 나/NP + 는/JX)\n\t(VP 가/VV + ㄴ다/EF))"
    (tmp_path / "in.txt").write_text(text, encoding="utf-8")
    convert(tmp_path / "in.txt", tmp_path / "a.conllu")
    convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == text


def test_each_fault_of_the_treebank_is_told_with_its_line(treebank: Path) -> None:
    found: list[Incident] = []
    list(read(treebank, report=Report(found.append)))
    told = [(one.code, one.line) for one in found]
    assert told == [
        ("W605", 47), ("W102", 52), ("W102", 52), ("W102", 58), ("W104", 65),
        ("E601", 70), ("I107", 74), ("W604", 74), ("E604", 78),
    ]  # fmt: skip
    assert "line 71: the bracket of (NP_SBJ 바람/NNG + 이/JKS is not closed" in found[5].message


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ('" 그 는 왔다 . " 고 했다 .', ['"', "그는", "왔다.", '"', "고", "했다."]),
        ('"그는 왔다."고 했다.', ['"', "그는", "왔다.", '"', "고", "했다."]),
        # A word that no leaf explains leaves the morphemes beside it to Kiwi.
        ('" 그는 어제 왔다. " 고 했다.', ['"', "그는", "왔다.", '"', "고", "했다."]),
    ],
)
def test_leaves_have_the_surface_of_a_text_with_other_words(text: str, forms: list[str]) -> None:
    tree = (
        '(VP\t(VP_CMP\t(L "/SS)\n\t\t(VP_CMP\t(VP\t(NP_SBJ 그/NP + 는/JX)\n'
        '\t\t\t\t(VP 오/VV + 았/EP + 다/EF + ./SF))\n\t\t\t(VP_CMP\t(R "/SS)\n'
        "\t\t\t\t(X_CMP 고/JKQ))))\n\t(VP 하/VV + 았/EP + 다/EF + ./SF))\n"
    )
    [sentence] = loads(f"; {text}\n{tree}", from_="treebank")
    assert [one.form for one in sentence.eojeols] == forms


def test_brackets_and_quotes_of_the_text_are_leaves(treebank: Path) -> None:
    sentence = list(read(treebank))[3]
    spans = [(one.label, one.start, one.end) for one in sentence.constituents]
    assert [one.form for one in sentence.eojeols][1:4] == ["(", "박", "선생"]
    assert ("L", 1, 2) in spans
    assert ("R_PRN", 4, 5) in spans
    assert written(sentence, "X") in text_of(treebank)


def test_a_changed_tree_is_written_anew(treebank: Path, tmp_path: Path) -> None:
    convert(treebank, tmp_path / "a.conllu", level=1)
    text = (tmp_path / "a.conllu").read_text(encoding="utf-8")
    text = text.replace("(VNP (NP\t)", "(VNP (NP_CMP\t)")
    (tmp_path / "a.conllu").write_text(text, encoding="utf-8")
    convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    found = (tmp_path / "b.txt").read_text(encoding="utf-16")
    assert "(VNP\t(NP_CMP 포로/NNG)" in found
    assert "NP+포로" not in found


def test_sejong_text_tells_that_it_has_no_constituents(treebank: Path, tmp_path: Path) -> None:
    found: list[Incident] = []
    convert(treebank, tmp_path / "out.txt", to="sejong", report=Report(found.append))
    told = [one.message for one in found if one.code == "W301"]
    assert told == ["not written: constituents"] * 11


def test_level_k_becomes_level_j(shared: Path, tmp_path: Path, cli: Cli) -> None:
    """A level made of another level is the level made of the file."""
    text = (shared / "data" / KLUE).read_text(encoding="utf-8")
    (tmp_path / "in.tsv").write_text("\n\n".join(text.split("\n\n")[:8]) + "\n\n", encoding="utf-8")
    for level in LEVELS:
        for to in ("brackets", "conllu"):
            done = cli("tree", "from-dependencies", "in.tsv", f"{level}.{to}", "--to", to,
                       "--level", str(level), "-q")  # fmt: skip
            assert done.returncode == 0
    for level in LEVELS:
        for other in {1, 6 - level, 5}:
            done = cli("tree", "level", f"{level}.conllu", "--level", str(other), "-q")
            assert done.returncode == 0
            direct = (tmp_path / f"{other}.brackets").read_bytes()
            assert done.stdout == direct
            assert direct.count(b"\n") == 8


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_border_inside_a_word_is_widened_and_comes_back(cli: Cli, root: Path, level: int) -> None:
    penn = root / "samples" / "penn-korean.fid"
    done = cli("convert", penn, "a.conllu", "--level", str(level))
    told = [line for line in done.stderr.decode().split("\n") if " W609 " in line]
    # Each sentence tells it once: the VP of 읽는다. and the like at level 1, none above.
    assert len(told) == (7 if level == 1 else 0)
    direct = cli("convert", penn, "-", "-q", "--level", "5").stdout
    assert cli("convert", "a.conllu", "-", "-q", "--level", "5").stdout == direct


@pytest.mark.parametrize(
    "places", ["[]", "0", "[[0]]", '[["S", 0, 99, 0]]', '[["S", 0, 3, 5]]', '[["S", 2, 1, 0]]', "{"]
)
def test_places_that_the_words_do_not_have_are_a_comment(tmp_path: Path, places: str) -> None:
    path = tmp_path / "a.conllu"
    row = "1\t온다.\t오+ㄴ다+.\tVERB\tVV+EF+SF\t_\t_\t_\t_\tMSeg=오-ㄴ다-.\t(S (VP\t))"
    head = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
    head += " TREE:OPEN TREE:CLOSE"
    path.write_text(f"{head}\n# tree_places = {places}\n{row}\n\n", encoding="utf-8")
    [sentence] = read(path)
    assert [node[1:3] for node in sentence.constituents] == [(0, 3), (0, 3)]
    assert f"tree_places = {places}" in sentence.comments


@pytest.mark.parametrize(
    ("brackets", "are_read"),
    [("(S (VP\t))", 1), ("(S (X 비) (VP\t))", 0), ("(S (VP\t)", 0), ("(S ()\t)", 0)],
)
def test_brackets_that_the_words_do_not_have_are_a_comment(
    tmp_path: Path, brackets: str, are_read: int
) -> None:
    path = tmp_path / "a.conllu"
    head = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
    row = f"1\t온다\t오+ㄴ다\tVERB\tVV+EF\t_\t_\t_\t_\tMSeg=오-ㄴ다\t{brackets}"
    path.write_text(f"{head} TREE:OPEN TREE:CLOSE\n{row}\n\n", encoding="utf-8")
    [sentence] = read(path)
    assert bool(sentence.constituents) == bool(are_read)
    assert any(["(_ _)" in line for line in sentence.comments]) != bool(are_read)


BARE = """\
(S\t(NP_SBJ 꽃/NNG+이/JKS)
\t(VP 지/VV+ㄴ다/EF+./SF))
(S\t(L "/SS)
\t(VP 오/VV+아라/EF))
"""


@pytest.mark.parametrize(
    ("text", "name", "sentences"),
    [
        (BARE, "treebank", ["꽃이 진다.", '" 와라']),
        (BARE.replace(")\n(S", ")\n\n(S"), "treebank", ["꽃이 진다.", '" 와라']),
        (BARE.replace("\n\t", " "), "treebank", ["꽃이 진다.", '" 와라']),
        (BARE.replace("\n\t", "\n"), "treebank", ["꽃이 진다.", '" 와라']),
        ("<text>\n" + BARE, "treebank", ["꽃이 진다.", '" 와라']),
        # A bracket is lost.
        (BARE.replace("SF))", "SF)"), "treebank", ["꽃이 진다.", '" 와라']),
        ("(S *pro*\n   (VP 가/VV))\n", "penn-korean", ["가"]),
        ("(S (VP 가/VV))\n", "treebank", ["가"]),
        (
            "(S 가/VV+는다/EFN\n   '/SLQ\n   꽃/NNC\n   '/SRQ\n   이/PCA\n   -LRB-/SLQ\n   3/NNU\n"
            "   월/NNX\n   -RRB-/SRQ\n   ./SFN)\n",
            "penn-korean",
            ["간다 '꽃'이(3 월)."],
        ),
        ("(S (NP (NNG 비) (SL km/h)) (VP (SN 1/2)))\n", "brackets", ["비 km/h 1/2"]),
    ],
)
def test_trees_without_a_line_of_text(
    tmp_path: Path, text: str, name: str, sentences: list[str]
) -> None:
    path = tmp_path / "in"
    path.write_text(text, encoding="utf-8")
    detected = sniff(text)
    assert detected is not None
    assert detected.name == name
    assert [sentence.text for sentence in read(path, on_error="keep")] == sentences
    if name != "brackets":
        convert(path, tmp_path / "a.conllu", level=2)
        convert(tmp_path / "a.conllu", tmp_path / "back", to=name, level=2)
        found = (tmp_path / "back").read_text(encoding="utf-8")
        assert found.rstrip("\n") == text.rstrip("\n")


def test_statistics_in_json(cli: Cli, treebank: Path) -> None:
    done = cli("tree", "stats", treebank, "--json", "-q")
    counts = json.loads(done.stdout)
    assert done.returncode == 1  # The sample has faults.
    assert (counts["trees"], counts["constituents"], counts["words"]["sentences"]) == (11, 75, 13)
    assert counts["labels"]["NP_PRN"] == 4
    assert counts["words"]["levels"]["1"]["tokens"] == 47


def test_long_sentences_take_a_time_that_grows_with_their_length() -> None:
    """Five thousand eojeols that all wait for the last one, and a chain of as many."""
    count = 5_000
    for heads in ([*[count] * (count - 1), 0], [*range(2, count + 1), 0]):
        sentence = FromDependencies(RULES, "TOP")(sentence_of(heads, ["NP"] * count, [1] * count))
        assert len(sentence.constituents) == 2 * count
        back = Dependencies(RULES)(sentence)
        assert back.arcs is not None
        assert list(back.arcs.heads) == heads
        TreeEdit(root="none", unary=True)(back, TreeLabels(RULES))
        assert len(back.constituents) == 2 * count - 1


@pytest.mark.parametrize(
    "piece", ["(NP a ", "(NP a/ ", "(NP a/A b ", "(NP a/NNG ", "(NP (/ ", "(("]
)
def test_a_long_damaged_line_takes_a_time_that_grows_with_its_length(
    tmp_path: Path, piece: str
) -> None:
    """Each bracket looked for its leaf up to the end of the line: this took half an hour."""
    (tmp_path / "in.txt").write_text(f"; 가\n(S {piece * 30_000}\n", encoding="utf-8")
    found: list[Incident] = []
    list(read(tmp_path / "in.txt", from_="treebank", on_error="skip", report=Report(found.append)))
    assert {one.code for one in found} >= {"E601"}
