"""Trees to UD: every row of the tables, the way back, bad input, and the figures of real trees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpora import ASSEMBLER, RULES
from hypothesis import given
from hypothesis import strategies as st
from portions import some
from test_udvalidate import count_errors

from sejongud.converters.recut import annotated, recut_at
from sejongud.converters.tree_relations import PROFILES, UdRelations
from sejongud.converters.tree_words import PUNCT, TreeBack, TreeRow, TreeWord, WordTree
from sejongud.errors import FormatError, RulesError
from sejongud.formats.klue import as_word
from sejongud.layers.trees import depths_of
from sejongud.model import Arcs, Sentence
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Cli

KLUE = "data/klue-dp/klue-dp-v1.1_dev.first1500.tsv"
KTB = "data/ktb-sample"

GUARDS = {
    *("noun-upos", "predicate-upos", "adverb-upos", "oblique-of-noun"),
    *("no-determiner", "no-determiner-number"),
}
"""The rows for UPOS that a table of the user gives, or another scheme."""
UNASKED = {"coordination", "coordination-pkt"}
"""The rows without conditions."""


def sentence_of(rows: list[list[str]]) -> Sentence:
    eojeols = tuple([as_word(ASSEMBLER[f"{row[0]}\t{row[1]}"]) for row in rows])
    arcs = Arcs(tuple([int(row[2]) for row in rows]), tuple([row[3] for row in rows]))
    return Sentence(eojeols, arcs=arcs, is_treebank=True)


def tree(text: str) -> Sentence:
    """A sentence of `form|analysis|head|label` with spaces between the eojeols."""
    return sentence_of([part.split("|") for part in text.split()])


FEATS = "not written: FEATS and DEPS of the words"

CASES = [
    [line.split("\t") for line in block.split("\n") if line[:2] != "# "]
    for block in (Path(__file__).parent / "data" / "trees-to-ud.tsv")
    .read_text(encoding="utf-8")
    .strip("\n")
    .split("\n\n")
]


ROWS = [row for rows in CASES for row in rows]
LABELS = sorted({row[3] for row in ROWS} | {"ZZ", "NP_PRN", "L", "R"})
MADE = {profile: UdRelations(RULES, profile) for profile in PROFILES}


def arcs_of(sentence: Sentence) -> list[str]:
    """The arcs of the words of each eojeol."""
    assert sentence.arcs is not None
    arcs = iter(zip(sentence.arcs.heads, sentence.arcs.deprels, strict=True))
    return [
        " ".join([":".join(map(str, next(arcs))) for token in eojeol.tokens for _ in token.words])
        for eojeol in sentence.eojeols
    ]


@pytest.mark.parametrize("rows", CASES, ids=lambda rows: " ".join([row[0] for row in rows]))
def test_a_tree_and_its_way_back(rows: list[list[str]]) -> None:
    for profile in PROFILES:
        source = sentence_of(rows)
        result = MADE[profile](source)
        assert arcs_of(result) == [(profile == "pkt" and row[5]) or row[4] for row in rows]
        back = TreeBack(RULES)(result)
        assert back.arcs == source.arcs
        has_feats = any([word.feats != "_" for word in result.words])
        assert (FEATS in [note.message for note in back.notes]) == has_feats


def test_the_sentences_need_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    used = set()
    fits = TreeRow.fits

    def noting(row: TreeRow, tree: WordTree, head: TreeWord | None, dependent: TreeWord) -> bool:
        if fits(row, tree, head, dependent):
            used.add(row.cells["name"])
            return True
        return False

    monkeypatch.setattr(TreeRow, "fits", noting)
    for profile in PROFILES:
        relations = UdRelations(RULES, profile)
        for rows in CASES:
            relations(sentence_of(rows))
    names = {row["name"] for table in ("ud-heads", "ud-relations") for row in RULES.table(table)}
    assert names - used == GUARDS | UNASKED


@st.composite
def any_tree(draw: st.DrawFn) -> Sentence:
    """Trees of the eojeols and the labels of the cases, head-final or not, with a root or two."""
    rows = draw(st.lists(st.sampled_from(ROWS), min_size=1, max_size=9))
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=len(rows), max_size=len(rows)))
    heads = [draw(st.integers(at + 2, len(rows))) for at in range(len(rows) - 1)]
    if draw(st.booleans()):
        heads = [len(rows), *[draw(st.integers(1, at)) for at in range(1, len(rows) - 1)]][
            : len(heads)
        ]
    heads = [0 if draw(st.integers(0, 20)) == 0 else head for head in heads]
    cells = zip(rows, [*heads, 0], labels, strict=True)
    return sentence_of([[row[0], row[1], str(head), label] for row, head, label in cells])


@given(any_tree(), st.sampled_from(PROFILES))
def test_any_tree_becomes_a_tree_and_comes_back(given_: Sentence, profile: str) -> None:
    result = MADE[profile](given_)
    assert result.arcs is not None
    heads = result.arcs.heads
    assert heads.count(0) == 1
    assert max(depths_of(heads)) < len(heads)
    assert all(result.arcs.deprels)
    assert TreeBack(RULES)(recut_at(5, rules=RULES)(result)).arcs == given_.arcs


def test_a_row_of_the_user_comes_first(tmp_path: Path) -> None:
    header, row = "\t".join(RULES.table("ud-relations")[0]), "mine\t*\trelation\t*\t*\tdep\t\t\t"
    (tmp_path / "ud-relations.tsv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    source = tree("나의|나/NP+의/JKG|2|NP_MOD 책|책/NNG|0|NP")
    assert arcs_of(UdRelations(load(tmp_path))(source)) == ["2:dep", "0:root"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "ud-relations.tsv").write_text(
        "\n".join([header, row.replace("\t*\t*", "\tcolour=red\t*"), ""]), encoding="utf-8"
    )
    with pytest.raises(RulesError, match="mine: colour=red is no test"):
        UdRelations(load(other))


# --- bad input ------------------------------------------------------------------------------------


def test_a_sentence_without_heads_stays() -> None:
    source = tree("나의|나/NP+의/JKG|-1|_ 책|책/NNG|0|NP")
    result = UdRelations(RULES)(source)
    assert result.arcs == source.arcs
    assert [note.code for note in result.notes] == ["W617"]


@pytest.mark.parametrize("heads", [(2, 1, 0), (2, 3, 2), (3, 4, 0), (2, 3, 9)])
def test_heads_that_are_no_tree_are_an_error(heads: tuple[int, ...]) -> None:
    source = tree("너와|너/NP+와/JC|2|NP 나의|나/NP+의/JKG|3|NP 책|책/NNG|0|NP")
    assert source.arcs is not None
    source.arcs = source.arcs._replace(heads=heads)
    with pytest.raises(FormatError, match="leads to no root"):
        UdRelations(RULES)(source)


def test_features_without_a_place_are_told() -> None:
    result = UdRelations(RULES)(tree("나의|나/NP+의/JKG|2|NP_MOD 책|책/NNG|0|NP"))
    for step in annotated([], RULES, feats="ud", translit=False, gloss=False):
        result = step(result)
    assert FEATS in [note.message for note in TreeBack(RULES)(result).notes]


def test_heads_on_the_left_stay() -> None:
    source = tree("갈|가/VV+ㄹ/ETM|0|VP 수|수/NNB|1|NP_SBJ 있다|있/VA+다/EF|2|VP")
    assert arcs_of(UdRelations(RULES)(source)) == ["0:root", "1:nsubj", "2:parataxis"]


def test_a_sentence_of_marks_has_the_first_as_root() -> None:
    source = tree("(|(/SS|3|L ?|?/SF|3|NP )|)/SS|0|R")
    assert arcs_of(UdRelations(RULES)(source)) == ["0:root", "1:punct", "1:punct"]


class CountedWords(list[TreeWord]):
    """Words that count how often one of them is looked at."""

    looks = 0

    def __iter__(self) -> Iterator[TreeWord]:
        CountedWords.looks += len(self)
        return super().__iter__()

    def __getitem__(self, place: Any) -> Any:
        result = super().__getitem__(place)
        CountedWords.looks += len(result) if isinstance(place, slice) else 1
        return result


@pytest.mark.parametrize(
    "pair",
    [
        "집,|집/NNG+,/SP|{}|NP_AJT 가고,|가/VV+고/EC+,/SP|{}|VP",
        "집에서|집/NNG+에서/JKB|{}|NP_AJT 가는|가/VV+는/ETM|{}|VP_MOD",
    ],
    ids=["side by side", "one below another"],
)
def test_long_sentences_cost_as_much_as_short_ones_by_the_word(
    pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = WordTree.__init__
    monkeypatch.setattr(
        WordTree, "__init__", lambda tree, words, classes: made(tree, CountedWords(words), classes)
    )
    reads = []

    def is_mark(word: TreeWord) -> bool:
        reads.append(word)
        return word.upos == PUNCT

    monkeypatch.setattr(TreeWord, "is_mark", property(is_mark))
    costs = []
    for count in (20, 80):
        CountedWords.looks = 0
        reads.clear()
        pairs = [pair.format(at, at + 1) for at in range(2, 2 * count, 2)]
        MADE["ud"](tree(" ".join([*pairs, "간다.|가/VV+ㄴ다/EF+./SF|0|VP"])))
        costs.append(CountedWords.looks + len(reads))
    assert costs[1] < 5 * costs[0]


def test_unknown_labels_and_open_relations_are_told() -> None:
    relations = UdRelations(RULES)
    source = tree("가고|가/VV+고/EC|2|VP 자고|자/VV+고/EC|3|ZZ_TOP 간다|가/VV+ㄴ다/EF|0|ZZ_TOP")
    assert [note.message for note in relations(source).notes] == [
        "the label ZZ_TOP is in no table: the relation follows from tags",
        "가고: advcl is taken, and conj is as good",
        "자고: advcl is taken, and conj is as good",
    ]
    assert [note.code for note in relations(source).notes] == ["I619", "I619"]


def test_trees_whose_words_are_morphemes_are_told() -> None:
    source = tree("봄|봄/NNG|2|NP 이|이/JKS|4|NP_SBJ 오|오/VV|4|VP ㄴ다|ㄴ다/EF|0|VP")
    assert [note.code for note in UdRelations(RULES)(source).notes] == ["W126"]
    quoted = tree("”|”/SS|2|R 라는|라는/ETM|3|X_MOD 봄|봄/NNG|0|NP")
    assert not UdRelations(RULES)(quoted).notes


# --- the commands ---------------------------------------------------------------------------------


def test_klue_comes_back_from_every_level(root: Path, cli: Cli, tmp_path: Path) -> None:
    source = (root / "samples" / "klue-dp.tsv").read_bytes()
    run = ("convert", "--from", "klue-dp", "--on-error", "keep", "--level")
    wanted = cli(*run, "1", stdin=source).stdout
    cli(*run, "3", "--scheme", "ud-approx", "-o", "3.conllu", stdin=source)
    assert b"\troot\t" in (tmp_path / "3.conllu").read_bytes()
    for level in "2345":
        made = cli(*run, level, "--scheme", "ud", "--upos", "ud", stdin=source).stdout
        assert b"\troot\t" in made
        assert cli("tree", "dependencies", "--from", "conllu", stdin=made).stdout == wanted
    again = cli("tree", "dependencies", "--scheme", "ud", "--from", "conllu", stdin=made)
    assert (again.returncode, b"relations of UD already" in again.stderr) == (1, True)


@pytest.mark.parametrize("option", ["--scheme", "--upos"])
def test_words_before_a_bracket_have_the_upos_of_ud(cli: Cli, option: str) -> None:
    rows = "## a\tM(48)씨\n1\tM(48)씨\tM ( 48 ) 씨\tSL+SS+SN+SS+NNB\t0\tNP\n\n"
    for level in "25":
        made = cli("convert", "--level", level, option, "ud", stdin=rows.encode()).stdout.decode()
        assert "1\tM\tM\tNOUN\tSL\t" in made and "WordUPOS" not in made


def test_a_treebank_comes_back_without_its_trees(root: Path, cli: Cli, tmp_path: Path) -> None:
    source = root / "samples" / "treebank-figure.txt"
    run = ("tree", "dependencies", source, "--scheme", "ud", "--trees", "none", "--explain")
    assert cli(*run, "--profile", "pkt", "ud.conllu").returncode == 0
    assert "Rule=possessive-pkt" in (tmp_path / "ud.conllu").read_text(encoding="utf-8")
    assert cli(*run, "--force", "ud.conllu").returncode == 0
    back = ("tree", "from-dependencies", "ud.conllu", "out.txt", "--scheme", "ud")
    assert cli(*back, "--to", "treebank", "--root", "SENT").returncode == 0
    assert cli("convert", source, "a.conllu", "--level", "1").returncode == 0
    assert cli("convert", "out.txt", "b.conllu", "--level", "1").returncode == 0
    assert (tmp_path / "a.conllu").read_bytes() == (tmp_path / "b.conllu").read_bytes()


def test_only_treebanks_get_relations_of_ud(cli: Cli) -> None:
    message = cli("convert", "--scheme", "ud", "--from", "conllu", stdin=b"").told(2)
    assert "for the labels of klue-dp and NIKL, and this is conllu" in message


# --- real trees -----------------------------------------------------------------------------------


def test_the_corpus_comes_back(shared: Path, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text(some((shared / KLUE).read_text(encoding="utf-8")), "utf-8")
    run = ("convert", "in.tsv", "--on-error", "keep", "--level")
    cli(*run, "1", "-o", "1.conllu")
    cli(*run, "3", "--scheme", "ud", "-o", "ud.conllu")
    assert cli("tree", "dependencies", "ud.conllu", "back.conllu").returncode == 0
    assert (tmp_path / "back.conllu").read_bytes() == (tmp_path / "1.conllu").read_bytes()
    cli("convert", "ud.conllu", "1.conllu", "--level", "1", "--force")
    for name in ("1.conllu", "ud.conllu"):
        cli("convert", name, "back.tsv", "--to", "klue-dp", "--force")
        assert (tmp_path / "back.tsv").read_bytes() == (tmp_path / "in.tsv").read_bytes()


@pytest.mark.parametrize(("profile", "uas", "las"), [("ud", 85, 67), ("pkt", 97, 93)])
def test_the_penn_sample(
    shared: Path, cli: Cli, tmp_path: Path, profile: str, uas: int, las: int
) -> None:
    run = ("tree", "dependencies", shared / KTB / "odd.fid", "ud.conllu", "--trees", "none")
    assert cli(*run, "--scheme", "ud", "--profile", profile).returncode == 0
    score = ("eval", "dep", shared / KTB / "odd.conllu", "ud.conllu", "--json")
    f1 = {row["name"]: row["f1"] for row in json.loads(cli(*score).stdout)["scores"]}
    assert f1["UAS"] >= uas / 100
    assert f1["LAS"] >= las / 100


@pytest.mark.parametrize("level", [2, 5])
def test_klue_is_valid_ud(shared: Path, cli: Cli, tmp_path: Path, level: int) -> None:
    (tmp_path / "in.tsv").write_text(some((shared / KLUE).read_text(encoding="utf-8")), "utf-8")
    run = ("convert", "in.tsv", "ud.conllu", "--level", str(level), "--scheme", "ud")
    assert cli(*run, "--on-error", "skip").returncode < 2
    words = (tmp_path / "ud.conllu").read_text(encoding="utf-8").count("\n")
    assert count_errors(tmp_path / "ud.conllu") <= words / 1000
