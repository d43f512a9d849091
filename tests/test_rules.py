from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.arguments import Parser
from sejongud.commands import tools as command
from sejongud.errors import RulesError, UsageError
from sejongud.levels.cut import SymbolRules
from sejongud.levels.upos import UposScheme
from sejongud.model import Morpheme
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import UPOS, Rules, load

if TYPE_CHECKING:
    import argparse

    from conftest import Cli

CASES = cases("rules")

RULES = load()
ROOT = Path(__file__).resolve().parent.parent
SYMBOLS = "rule\tname\ttags\ttext\tnote"
TABLES = [name for name in RULES.names if name not in RULES.toml_names]


def written(tmp_path: Path, name: str, *lines: str) -> Path:
    """A directory of the user's with one table in it."""
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def lemma(form: str, tag: str) -> str:
    return RULES.lemmas["normalised"].get((form, tag), form)


# The tables themselves


def test_every_table_loads_and_says_what_it_is_for() -> None:
    for name in TABLES:
        assert RULES.table(name)
        first, _, rest = RULES.text(name).partition("\n")
        assert first.startswith("# "), name
        assert "\t" in rest, name


def test_every_file_beside_the_loader_is_a_known_table() -> None:
    files = {path.stem for path in (ROOT / "rules").iterdir() if path.suffix in {".tsv", ".toml"}}
    assert files == {*RULES.names, "schemas"}


def test_table_3_1_of_the_memoir() -> None:
    table = {
        "NOUN": "NNG NNB NR XR",
        "PROPN": "NNP",
        "PRON": "NP",
        "ADV": "MAG",
        "CONJ": "MAJ",
        "DET": "MM",
        "VERB": "VV VX VCN VCP",
        "ADJ": "VA",
        "PART": "EP EF EC ETN ETM XPN XSN XSA XSV",
        "ADP": "JKS JKC JKG JKO JKB JKV JKQ JX JC",
        "INTJ": "IC",
        "PUNCT": "SF SP SE SO SS",
        "X": "SW SH SL NA NF NV",
        "NUM": "SN",
    }
    printed = {tag: upos for upos, tags in table.items() for tag in tags.split()}
    assert len(printed) == 45
    assert {tag: RULES.upos["table3.1"][tag] for tag in printed} == printed
    assert {tag: RULES.upos["sejong"][tag] for tag in printed} == printed | {"MAJ": "CCONJ"}


def test_table_3_2_of_the_memoir() -> None:
    printed = {"ㄴ/ETM": "은", "ㄹ지/EC": "을지", "가/JKS": "이", "를/JKO": "을", "는/JX": "은"}
    assert {key: lemma(*key.split("/")) for key in printed} == printed


@pytest.mark.parametrize(("forms", "tag", "expected"), CASES["test_allomorphs_have_one_lemma"])
def test_allomorphs_have_one_lemma(forms: str, tag: str, expected: str) -> None:
    assert {lemma(form, tag) for form in forms.split()} == {expected}


NONE = {"ETM": "는", "JKV": "아", "EF": "니 다", "EC": "라 라고", "JKB": "하고 서", "VV": "가"}


@pytest.mark.parametrize(("tag", "forms"), [*NONE.items(), ("NNG", "로")])
def test_what_looks_like_an_allomorph_and_is_none_stays(tag: str, forms: str) -> None:
    assert [lemma(form, tag) for form in forms.split()] == forms.split()


@pytest.mark.parametrize("scheme", list(RULES.lemmas))
def test_a_lemma_is_its_own_lemma(scheme: str) -> None:
    lemmas = RULES.lemmas[scheme]
    assert {key: to for key, to in lemmas.items() if lemmas.get((to, key[1]), to) != to} == {}


def test_no_lemma_is_a_form_that_only_follows_a_vowel() -> None:
    only = re.compile("[ㄴㄹㅁㅂㅏㅓㅕㅐㅆ아았여였]")
    lemmas = RULES.lemmas["normalised"].items()
    assert {key: to for key, to in lemmas if only.match(to) and to != key[0]} == {
        ("야", "JKV"): "아"
    }
    assert lemma("야", "jcv") == "아"


def test_morphud_lemmas_are_the_published_ones() -> None:
    lemmas = RULES.lemmas["morphud"]
    assert lemmas["ㄴ다고", "EC"] == "은다고"
    assert lemmas["는", "jxt"] == "은"
    others = {("습니다", "EF"), ("였", "EP"), ("로서", "JKB"), ("가", "JKC"), ("면", "EC")}
    assert others.isdisjoint(lemmas)
    assert len({key for key in lemmas if key[1].isupper()}) == 18


SLIPS = {
    *(("ㄴ", "EC"), ("ㄴ", "EP"), ("ㄴ", "ETN"), ("ㄴ-", "ETM"), ("ㄴ공", "ETM"), ("ㄴ다", "ETM")),
    *(("ㄴ다", "JX"), ("ㄴ면", "EC"), ("ㄴ큼", "JX"), ("ㄹ", "EC"), ("ㄹ", "ETN"), ("ㅁ", "ETM")),
    *(("ㅂ", "EC"), ("아", "EP"), ("아", "ETM"), ("았", "EC")),
}
"""No endings at all: slips of the treebanks and of learners, one to three times each."""


def test_every_ending_of_the_treebanks_that_varies_is_covered(shared: Path) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for path in sorted((shared / "data").glob("ud-korean-[gk][sa]*/**/*.conllu")):
        counts.update(pieces(path))
    assert len(counts) > 10_000
    varies = re.compile("[ㄴㄹㅁㅂ아았여였]")
    missing = {
        key: count
        for key, count in counts.items()
        if RULES.kind(key[1]) in {"particle", "ending"}
        and varies.match(key[0])
        and RULES.lemmas["normalised"].get(key) is None
        and key not in SLIPS
    }
    assert missing == {}


def pieces(path: Path) -> Counter[tuple[str, str]]:
    """The (form, tag) of all morphemes in a treebank of UD Korean."""
    found: Counter[tuple[str, str]] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) == 10 and cells[0].isdigit():
            original = re.search(r"OrigLemma=([^|]+)", cells[9])
            forms = (original[1] if original else cells[2]).split("+")
            tags = cells[4].split("+")
            if len(forms) == len(tags):
                found.update(zip(forms, tags, strict=True))
    return found


@pytest.mark.parametrize(
    "path",
    [
        "ud-korean-kaist/ko_kaist-ud-dev.conllu",
        "ud-korean-pud/ko_pud-ud-test.conllu",
        "ktb-sample/odd.conllu",
    ],
)
def test_every_tag_of_a_treebank_is_known(shared: Path, path: str) -> None:
    tags = {tag for _, tag in pieces(shared / "data" / path)} - {"_"}
    assert {tag for tag in tags if RULES.sejong_tag("", tag) not in RULES.tags} == set()


@pytest.mark.parametrize(("morphemes", "tags"), CASES["test_the_sejong_tag_of_any_tag"])
def test_the_sejong_tag_of_any_tag(morphemes: str, tags: str) -> None:
    pairs = [Morpheme(form, tag) for form, _, tag in [m.rpartition("/") for m in morphemes.split()]]
    assert " ".join(RULES.sejong_tags(pairs)) == tags
    assert [m.tag for m in RULES.in_sejong(tuple(pairs))] == tags.split()
    assert [RULES.sejong_tag(m.form, m.tag) for m in pairs] == tags.split()


@pytest.mark.parametrize(
    ("tags", "unknown"),
    [
        *[("NNP MMA NA JKG", ""), ("ncn jcm", ""), ("NNC PCA", ""), ("VV-I SSO", "")],
        *[("NNG FOO", "FOO"), ("FOO BAR FOO", "FOO BAR FOO")],
        # Beside a tag that PUD lacks, a tag that PUD alone has is misspelt.
        *[("NN JKB", "NN"), ("NN CM '' NA", ""), ("NN", "")],
    ],
)
def test_tags_of_no_tag_set(tags: str, unknown: str) -> None:
    assert RULES.unknown(tags.split()) == unknown.split()


def test_every_tag_has_a_upos_in_every_scheme() -> None:
    assert set(RULES.upos) == {"sejong", "table3.1", "ud"}
    assert {RULES.sejong_tag("", tag) for tag in RULES.kinds} == set(RULES.tags)
    for scheme, by_tag in RULES.upos.items():
        assert set(by_tag) == set(RULES.tags)
        assert set(by_tag.values()) <= UPOS | ({"CONJ"} if scheme == "table3.1" else set())


def test_morphud_decides_for_every_tag() -> None:
    rows = RULES.table("upos-morphud")
    sure = {row["tag"] for row in rows if row["word"] == row["has"] == "*"}
    assert sure == {*RULES.tags, "*"}
    assert rows[-1]["tag"] == "*"


def test_levels() -> None:
    cut = RULES.cut_level
    by_level = {
        2: "SF SP SS SE SO SW",
        3: "JKS JKC JKG JKO JKB JKV JKQ JX JC",
        4: "EP EF EC ETN ETM",
    }
    early = {tag: level for level, tags in by_level.items() for tag in tags.split()}
    assert {tag: cut[tag] for tag in RULES.tags} == {tag: early.get(tag, 5) for tag in RULES.tags}
    assert cut["jcs"] == 3
    assert cut["ef"] == 4
    assert cut["sf"] == 2
    assert (cut["CM"], cut["PCA"], cut["SFN"], cut["SSO"]) == (3, 3, 2, 2)


def test_unknown_tag() -> None:
    assert RULES.unknown_tag == "NA"


def test_typos_lead_out_of_the_tag_set_or_correct_a_form() -> None:
    for (tag, form), right in RULES.typos.items():
        assert tag not in RULES.tags or form != "*", tag
        assert right in RULES.tags
    assert RULES.typos["NNGG", "*"] == "NNG"
    assert RULES.typos["SF", "다"] == "EF"


def test_equivalents_have_one_representative() -> None:
    same = RULES.equivalents
    assert not set(same.values()) & set(same)
    for alike in ("“”‘’`´\"'＂", "∼~～〜", "─―–—-", "·‧ㆍ・", "％%", "Ａ" + "A"):
        assert len({same.get(char, char) for char in alike}) == 1, alike
    assert len({same.get(char, char) for char in '".,-~·…()'}) == 9


def test_final_symbols() -> None:
    tags = {".!?": "SF", ",/:": "SP", "\"'“”()[]": "SS", "…": "SE", "-~": "SO"}
    for chars, tag in tags.items():
        assert {RULES.final_symbols[char] for char in chars} == {tag}


def test_symbols() -> None:
    symbols = RULES.symbols
    assert symbols.external == {"SF", "SP", "SS", "SE", "SO", "SW"}
    (numbers, between_numbers), (letters, between_letters) = symbols.between
    assert numbers == {"SN"}
    assert between_numbers == set(".,:-~∼/·ㆍ‧・")
    assert letters == {"SL", "SN"}
    assert between_letters == set(".-&'_@")
    for text in ("https://a.kr/b?c=1", "www.a.kr", "a.b-c@d.kr"):
        for particle in ("에서", normalize("NFD", "에서")):
            found = symbols.inside.search(f"{text}{particle}")
            assert found is not None
            assert found[0] == text
    assert symbols.inside.search("a.b") is None
    assert symbols.abbreviation.search("U.S.의")
    assert not symbols.abbreviation.search("Mr.의")


def test_every_tag_of_kiwi_is_mapped() -> None:
    from kiwipiepy.utils import _valid_tags

    mapped = {row["kiwi"] for row in RULES.table("kiwi-tags")}
    assert set(_valid_tags) <= mapped
    assert {"VV-I", "VA-R", "VX-R", "XSA-I"} <= mapped


def test_modu_tags_go_both_ways() -> None:
    rows = RULES.table("modu-tags")
    back = {(row["sejong"], row["form"]): row["modu"] for row in rows}
    assert [back["MM", form] for form in "이한*"] == ["MMD", "MMN", "MMA"]
    of = {"MMA": "MM", "MMD": "MM", "MMN": "MM", "NAP": "NA"}
    assert {row["modu"]: row["sejong"] for row in rows} == of


def test_head_rules_end_in_one_that_always_holds() -> None:
    for rule in ("morphemes", "word"):
        last = [row for row in RULES.table("heads") if row["rule"] == rule][-1]
        assert (last["tagset"], last["word"], last["of"]) == ("*", "*", "*")
    for scheme in ("morphud", "ud"):
        last = [row for row in RULES.table("deprels") if row["scheme"] == scheme][-1]
        assert (last["head"], last["dependent"]) == ("*", "*")


# Faults: one in each


@pytest.mark.parametrize(
    ("name", "lines", "line", "message"),
    [
        ("tagset.tsv", ["# only a comment"], 0, "no header line: tag, kind, description"),
        ("tagset.tsv", ["tag\tkind", "A\tnoun"], 1, "2 columns where there should be 3"),
        ("tagset.tsv", ["tag\tkind\tname", "A\tnoun\ta"], 1, "the columns of this table are"),
        ("tagset.tsv", ["tag\tkind\tdescription", "A\tnoun"], 2, "2 columns where"),
        ("tagset.tsv", ["tag\tkind\tdescription", "A\tnuon\ta"], 2, "kind is 'nuon'"),
        ("tagset.tsv", ["tag\tkind\tdescription", "A B\tnoun\ta"], 2, "without a space"),
        ("tagset.tsv", ["tag\tkind\tdescription", "A\tnoun\t"], 2, "not empty"),
        (
            "tagset.tsv",
            ["# c", "tag\tkind\tdescription", "A\tnoun\ta", "", "A\tverb\tb"],
            5,
            "A is in line 3 already",
        ),
        ("kinds.tsv", ["kind\tlevel\tdescription", "noun\t6\ta"], 2, "a level, 1 to 5"),
        ("upos.tsv", ["tag\tsejong\ttable3.1\tud", "NNG\tCONJ\tX\tX"], 2, "sejong is 'CONJ'"),
        ("upos.tsv", ["tag\tsejong\ttable3.1\tud", "ABC\tX\tX\tX"], 2, "a tag of tagset.tsv"),
        (
            "lemmas.tsv",
            ["scheme\tform\ttag\tlemma\tnote", "normalised\t가\tJKS|JKX\t이\t"],
            2,
            "tag is 'JKS|JKX'",
        ),
        (
            "lemmas.tsv",
            ["scheme\tform\ttag\tlemma\tnote", "a\t가\tEC|EF\t이\t", "a\t가\tEF\t아\t"],
            3,
            "a 가 EF is in line 2 already",
        ),
        # A row that names a tag of another set would never hold: it counts as its Sejong tag.
        ("final-symbols.tsv", ["char\ttag\tnote", "!\tsf\t"], 2, "a tag of tagset.tsv"),
        (
            "symbols.tsv",
            [SYMBOLS, "external\tsymbols\tSF|sf\t\t"],
            2,
            "tags is 'SF|sf'; it should be a tag of tagset.tsv",
        ),
        ("final-symbols.tsv", ["char\ttag\tnote", "..\tSF\t"], 2, "one character"),
        ("tag-typos.tsv", ["tag\tform\tright\tsource", "NN\t*\tNG\tme"], 2, "right is 'NG'"),
        (
            "heads.tsv",
            ["rule\ttagset\tword\tby\tof\tpick", "word\t*\t*\tupos\tNOUN\tmiddle"],
            2,
            "first or last",
        ),
        (
            "heads.tsv",
            ["rule\ttagset\tword\tby\tof\tpick", "word\t*\t*\tkind\tNOUN\tlast"],
            2,
            "of is 'NOUN'",
        ),
        (
            "alignment.tsv",
            [
                "name\tunderlying\tsurface\ttags\tfollows\tcost\tweak\texample\tsource",
                "n\ta\tb\t*\t\tlow\t\t\t",
            ],
            2,
            "cost is 'low'; it should be a number",
        ),
        ("symbols.tsv", [SYMBOLS, "inside\tmine\t*\t(\t"], 2, "symbols.tsv say what it holds"),
        ("symbols.tsv", [SYMBOLS, "inside\tmine\t*\ta{99999999999}\t"], 2, "symbols.tsv say what"),
        ("symbols.tsv", [SYMBOLS, "outside\tmine\t*\ta\t"], 2, "rule is 'outside'; it should be"),
        ("sighan.toml", ["phrase_labels = ["], 0, "not TOML"),
        ("sighan.toml", [f"outside = {'9' * 5000}"], 0, "not TOML: Exceeds the limit"),
        ("sighan.toml", ["outside = 1"], 0, "there is no key outside; there are: phrase_labels"),
        ("sighan.toml", ["phrase_labels = [1]"], 0, "phrase_labels[0] is 1; it should be a string"),
        ("sighan.toml", ["phrase_labels = 1979-05-27"], 0, 'phrase_labels is "1979-05-27"'),
        ("sighan.toml", ["phrase_labels = 1"], 0, "phrase_labels is 1; it should be a list"),
        ("evalb.toml", ["new = 1"], 0, "new is 1; it should be a table"),
        ("evalb.toml", ["[own]", "labelled = 1"], 0, "there is no key own.labelled; there are: d"),
        ("evalb.toml", ["[own]", 'labeled = "1"'], 0, 'own.labeled is "1"; it should be a whole'),
        ("evalb.toml", ["[own]", 'delete_label = "A"'], 0, 'own.delete_label is "A"; it should'),
        ("evalb.toml", ["[own]", 'eq_label = ["A"]'], 0, 'own.eq_label[0] is "A"; it should be a'),
        ("evalb.toml", ["[own]", 'eq_label = [["A"]]'], 0, 'own.eq_label[0] is ["A"]; it should'),
        ("evalb.toml", ["[own]", 'eq_word = [["A", 1]]'], 0, "own.eq_word[0][1] is 1; it should"),
        ("upos-derived.tsv", ["by\tof\tbehind\tupos", "dag\tXSN\t*\tNOUN"], 2, "by is 'dag'"),
    ],
)
def test_a_fault_is_told_with_its_place(
    tmp_path: Path, name: str, lines: list[str], line: int, message: str
) -> None:
    directory = written(tmp_path, name, *lines)
    with pytest.raises(RulesError, match=re.escape(message)) as caught:
        load(directory)
    assert caught.value.path == str(directory / name)
    if name.endswith(".tsv"):
        assert caught.value.line == line
    assert load().tags == RULES.tags


def test_the_column_of_a_bad_value(tmp_path: Path) -> None:
    directory = written(tmp_path, "tagset.tsv", "tag\tkind\tdescription", "ABC\tnuon\ta")
    with pytest.raises(RulesError) as caught:
        load(directory)
    assert caught.value.column == 5
    assert "ABC\tnuon\ta" in str(caught.value)


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    directory = written(tmp_path, "lemma.tsv", "a")
    with pytest.raises(RulesError, match=r"not the name of a table: .*lemmas\.tsv"):
        load(directory)


def test_a_table_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "tagset.tsv").write_bytes("태그".encode("cp949"))
    with pytest.raises(RulesError, match="save the file as UTF-8"):
        load(tmp_path)


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="no such directory"):
        load(tmp_path / "none")


def test_no_such_table() -> None:
    with pytest.raises(RulesError, match="there are: alignment"):
        RULES.table("lemma")
    with pytest.raises(RulesError, match="there are: evalb"):
        RULES.settings("lemmas")


# The user's tables


def test_the_users_rows_replace_and_add(tmp_path: Path) -> None:
    written(
        tmp_path,
        "lemmas.tsv",
        "\ufeffscheme\tform\ttag\tlemma\tnote\r",
        normalize("NFD", "normalised\t가\tJKS\t가\t\r"),
        "normalised\t껜\tJKB|JX\t께\t\r",
        "mine\t는\tJX\t는\t\r",
    )
    lemmas = load(tmp_path).lemmas
    assert lemmas["normalised"]["가", "JKS"] == "가"
    assert lemmas["normalised"]["가", "JKC"] == "이"
    assert lemmas["normalised"]["껜", "JX"] == "께"
    assert lemmas["mine"]["는", "JX"] == "는"
    assert RULES.lemmas["normalised"]["가", "JKS"] == "이"


def test_a_tag_of_the_users_own_has_a_level_and_may_be_used_in_other_tables(tmp_path: Path) -> None:
    written(tmp_path, "tagset.tsv", "tag\tkind\tdescription", "JKZ\tparticle\tmine")
    written(tmp_path, "upos.tsv", "tag\tsejong\ttable3.1\tud", "JKZ\tADP\tADP\tADP")
    rules = load(tmp_path)
    assert rules.cut_level["JKZ"] == 3
    assert rules.upos["ud"]["JKZ"] == "ADP"
    assert rules.tags["JKZ"].description == "mine"


def test_the_users_rows_come_first_where_the_order_counts(tmp_path: Path) -> None:
    written(
        tmp_path,
        "upos-morphud.tsv",
        "tag\tword\thas\tupos\tnote",
        "JX\t*\t*\tPART\t",
        "JX\tADV\t*\tADV\t",
    )
    rows = load(tmp_path).table("upos-morphud")
    assert [(row["tag"], row["upos"]) for row in rows[:2]] == [("JX", "PART"), ("JX", "ADV")]
    assert len(rows) == len(RULES.table("upos-morphud")) + 1


def test_rules_of_symbols_are_laid_over_row_by_row(tmp_path: Path) -> None:
    rows = ("external\tsymbols\tSF\t\t", "between\tnumbers\tSN\t.\t")
    written(tmp_path, "symbols.tsv", SYMBOLS, *rows)
    symbols = load(tmp_path).symbols
    assert symbols.external == {"SF"}
    assert symbols.between[0] == (frozenset({"SN"}), frozenset({"."}))
    assert symbols.between[1] == RULES.symbols.between[1]
    assert symbols.inside == RULES.symbols.inside


def test_load_is_cached_and_goes_to_other_processes(tmp_path: Path) -> None:
    written(tmp_path, "tagset.tsv", "tag\tkind\tdescription", "JKZ\tparticle\tmine")
    rules = load(tmp_path)
    assert load(str(tmp_path)) is rules
    # Many other tables may have been loaded since this module was.
    assert load() is load()
    assert pickle.loads(pickle.dumps(rules)) is rules


@pytest.mark.parametrize("name", ["rules", "converters"])
def test_the_folders_cannot_be_imported_under_their_bare_names(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True
    )
    assert f"the package sejongud.{name}" in done.stderr.splitlines()[-1]


@given(st.text())
def test_kind_of_anything(tag: str) -> None:
    assert (RULES.kind(tag) == "") == (tag not in RULES.cut_level)


# The command


def arguments(*words: str) -> argparse.Namespace:
    return Parser("rules").parse_args(words)


def test_list(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written(tmp_path, "upos.tsv", "tag\tsejong\ttable3.1\tud", "NR\tNUM\tNUM\tNUM")
    assert command.rules(arguments("--rules", str(tmp_path))) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(RULES.names)
    assert [line for line in lines if line.endswith(f"[and {tmp_path / 'upos.tsv'}]")] == [
        line for line in lines if line.startswith("upos ")
    ]


def test_what_is_shown_are_tables_of_their_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in RULES.names:
        assert command.rules(arguments("show", name)) == 0
        suffix = "toml" if name in RULES.toml_names else "tsv"
        (tmp_path / f"{name}.{suffix}").write_text(capsys.readouterr().out, encoding="utf-8")
    again: Rules = load(tmp_path)
    for name in RULES.names:
        if name in RULES.toml_names:
            assert again.settings(name) == RULES.settings(name)
        else:
            assert again.table(name) == RULES.table(name)


def test_show_needs_a_table() -> None:
    with pytest.raises(UsageError, match="no table lemma; there are: alignment"):
        command.rules(arguments("show", "lemma"))
    with pytest.raises(UsageError, match="needs the name"):
        command.rules(arguments("show"))


# --- what no table is, and patterns without an end ------------------------------------------------


@pytest.mark.parametrize("kind", ["broken link", "folder", "pipe"])
@pytest.mark.parametrize("name", ["lemmas.tsv", "sighan.toml"])
def test_a_table_that_is_no_file_is_an_error(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / name
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(tmp_path / "none")
    with pytest.raises(RulesError, match=f"this is a {kind}") as caught:
        load(tmp_path)
    assert caught.value.path == str(path)


def test_a_link_to_a_table_is_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "theirs").mkdir()
    written(tmp_path / "theirs", "tagset.tsv", "tag\tkind\tdescription", "JKY\tparticle\tmine")
    (tmp_path / "mine" / "tagset.tsv").symlink_to(tmp_path / "theirs" / "tagset.tsv")
    assert "JKY" in load(tmp_path / "mine").tags


@pytest.mark.parametrize(
    ("rule", "name", "first"), [("abbreviation", "dotted", ""), ("inside", "slow", "b|")]
)
def test_a_pattern_that_takes_too_long_is_named_with_its_eojeol(
    tmp_path: Path, cli: Cli, rule: str, name: str, first: str
) -> None:
    """The first match can be fast and the next one slow."""
    written(tmp_path, "symbols.tsv", SYMBOLS, f"{rule}\t{name}\t*\t{first}(?:a|a)+$\t")
    letters = "b" + "a" * 39
    text = f"봄.\t봄/NNG+./SF\n\n{letters}.은\t{letters}/SL+./SF+은/JX\n\n"
    message = cli("convert", "--on-error", "skip", "--rules", ".", stdin=text.encode()).told(2)
    assert (
        f"symbols.tsv: the pattern {rule}.{name} takes more than 1 second for {letters}" in message
    )


@pytest.mark.parametrize("repeated", ["(?:(?:x{500}){500})", "x{60000}", "(?:(?:a|x{60}){20}){30}"])
def test_no_pattern_of_a_table_is_too_long_to_compile(
    tmp_path: Path, cli: Cli, repeated: str
) -> None:
    written(tmp_path, "symbols.tsv", SYMBOLS, f"inside\tslow\t*\t{repeated}\t")
    message = cli("convert", "--rules", ".", stdin="봄.\t봄/NNG+./SF\n\n".encode()).told(1)
    assert "more than 10,000 characters" in message


def test_the_patterns_of_the_package_are_those_of_re(tmp_path: Path) -> None:
    assert isinstance(RULES.symbols.inside.search("www.a.kr"), re.Match)
    assert isinstance(RULES.symbols.abbreviation.search("U.S.의"), re.Match)
    written(tmp_path, "symbols.tsv", SYMBOLS, "inside\tdotted\t*\t(?:[A-Z]\\.)++\t")
    symbols = SymbolRules(load(tmp_path))
    assert symbols.may_be_internal("A.B.")
    assert symbols.may_be_internal("a@b.kr")
    assert not symbols.may_be_internal("봄.")


@pytest.mark.parametrize(
    ("line", "external"),
    [
        ("3·1운동\t3/SN+·/SP+1/SN+운동/NNG", []),
        ("7ㆍ4의\t7/SN+ㆍ/SP+4/SN+의/JKG", []),
        ("봄·여름\t봄/NNG+·/SP+여름/NNG", [1]),
    ],
)
def test_a_middle_dot_between_numbers_stays_in_its_word(line: str, external: list[int]) -> None:
    assert list(SymbolRules(load()).external(Assembler(load())[line])) == external


def test_a_users_table_may_end_before_the_columns_that_decide_nothing(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    for folder in (good, bad):
        folder.mkdir()
    (good / "upos-words.tsv").write_text(
        "scheme\tpattern\tupos\nud-gsd\t한국/NNP *\tPROPN\n", encoding="utf-8"
    )
    word = (Morpheme("한국", "NNP"), Morpheme("은", "JX"))
    assert UposScheme(load(), "ud-gsd").of(word) == "NOUN"
    assert UposScheme(load(good), "ud-gsd").of(word) == "PROPN"
    (bad / "upos-words.tsv").write_text("scheme\tpattern\nud-gsd\t한국/NNP *\n", encoding="utf-8")
    with pytest.raises(RulesError, match="2 columns where there should be 6"):
        UposScheme(load(bad), "ud-gsd")
