"""Tables of another language, which stand alone (docs/scheme.md, "Another language")."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sejongud.errors import RulesError
from sejongud.rules import load
from sejongud.rules.tables import SCHEMAS

if TYPE_CHECKING:
    from conftest import Cli

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
TURKISH = {
    "tagset": (
        "tag kind description",
        *("Noun noun isim", "Verb verb fiil", "Punct symbol nokta", "Unknown unknown bilinmeyen"),
        *("Plu particle çoğul", "Poss particle iyelik", "Loc particle kalma"),
        *("Past ending geçmiş", "Person ending şahıs"),
    ),
    "upos": (
        "tag sejong table3.1 ud",
        *(f"{tag} PART PART PART" for tag in ("Plu", "Poss", "Past", "Person")),
        *("Noun NOUN NOUN NOUN", "Verb VERB VERB VERB", "Loc ADP ADP ADP"),
        *("Punct PUNCT PUNCT PUNCT", "Unknown X X X"),
    ),
    "alignment": (
        "name underlying surface tags follows cost weak example source",
        "harmony #la le Plu - 1 - evler ünlü_uyumu",
        "harmony #ımız imiz Poss - 1 - evimiz ünlü_uyumu",
        "harmony #da de Loc - 1 - evde ünlü_uyumu",
        "harmony #dı di Past - 1 - geldi ünlü_uyumu",
    ),
    "symbols": ("rule name tags text note", "external symbols Punct - -"),
}
"""Tables of another language, with a blank for each tab and - for an empty cell."""


def replace(folder: Path, name: str, *rows: str) -> None:
    """Write a table that stands alone; without rows it has its header alone."""
    header = " ".join(SCHEMAS[name].columns)
    cells = [["" if cell == "-" else cell for cell in row.split()] for row in rows or [header]]
    mark = "#!Replace" if name == "alignment" else "#!replace"
    text = "\n".join([mark, *map("\t".join, cells), ""])
    (folder / f"{name}.tsv").write_text(text, encoding="utf-8")


@pytest.fixture
def turkish(tmp_path: Path) -> Path:
    folder = tmp_path / "turkish"
    folder.mkdir()
    for name, rows in TURKISH.items():
        replace(folder, name, *rows)
    return folder


def test_tables_of_another_language_replace_those_of_korean(
    turkish: Path, tmp_path: Path, cli: Cli
) -> None:
    text = tmp_path / "turkish.txt"
    text.write_text(
        "evlerimizde\tev/Noun+lar/Plu+ımız/Poss+da/Loc\n"
        "geldik.\tgel/Verb+dı/Past+k/Person+./Punct\n\n",
        encoding="utf-8",
    )
    forms = {1: "evlerimizde geldik.", 3: "ev lar ımız da geldik .", 4: "ev lar ımız da gel dı k ."}
    for level in range(1, 6):
        out, back = tmp_path / f"{level}.conllu", tmp_path / f"{level}.txt"
        common = ["-q", "--rules", str(turkish)]
        cli("convert", *common, "--from", "sejong", "-l", str(level), str(text), "-o", str(out))
        cli("convert", *common, "--to", "sejong", str(out), "-o", str(back))
        assert back.read_bytes() == text.read_bytes()
        lines = [line.split("\t") for line in out.read_text(encoding="utf-8").splitlines()]
        words = " ".join(line[1] for line in lines if line[0].isdigit())
        assert words == forms.get(level, words)
    for name in load().names:
        assert cli("rules", "show", name, "--rules", str(turkish)).returncode == 0
    message = cli("generate", "-q", "--rules", str(turkish), str(tmp_path / "4.conllu")).told(2)
    assert "Kiwi analyses and joins Korean, and kiwi-tags.tsv" in message
    (turkish / "alignment.tsv").unlink()
    word = b"1\tevde\tev+de\tNOUN\tNoun+Loc\tCase=Loc\t0\troot\t_\t_\n\n"
    parts = cli("convert", "--rules", str(turkish), "-l", "3", stdin=word)
    analysed = [line.split("\t")[1:8] for line in parts.stdout.decode().splitlines()[-3:-1]]
    assert analysed == [
        ["ev", "ev", "NOUN", "Noun", "Case=Loc", "0", "root"],
        ["de", "de", "ADP", "Loc", "_", "1", "case"],
    ]
    whole = cli("convert", "-l", "2", "--rules", str(turkish), stdin=parts.stdout)
    assert whole.stdout.endswith(word)
    wrong = shutil.copytree(turkish, tmp_path / "wrong")
    (wrong / "lemmas.tsv").write_text(
        "scheme\tform\ttag\tlemma\tnote\nform\t그\tMMD\t그\t\n", "utf-8"
    )
    with pytest.raises(RulesError, match=r"tag is 'MMD'; it should be a tag of tagset\.tsv"):
        load(wrong)


WORD = b"1\tevde\tev+de\tNOUN\tNoun+Loc\tCase=Loc\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize("name", ["tagset", "kinds"])
def test_a_tag_set_needs_a_tag_of_kind_unknown(turkish: Path, cli: Cli, name: str) -> None:
    rows = [row.replace(" unknown ", " symbol ") for row in TURKISH["tagset"]]
    replace(turkish, name, *(rows if name == "tagset" else ()))
    if name == "kinds":
        (turkish / "tagset.tsv").unlink()
    for command in (("rules",), ("convert", "--level", "5"), ("dep", "word2morph")):
        assert cli(*command, "--rules", str(turkish), stdin=WORD).told(1).splitlines()[-2:] == [
            f'File "{turkish / name}.tsv"',
            f"{name}.tsv needs a row of kind unknown",
        ]


@pytest.mark.parametrize(
    ("name", "needed", "files"),
    [
        ("tree-labels", "root", "from-dependencies eval/heads.tsv"),
        ("tree-labels", "leaf", "level --level 3 treebank-figure.txt"),
    ],
)
def test_trees_need_labels(tmp_path: Path, cli: Cli, name: str, needed: str, files: str) -> None:
    replace(tmp_path, name)
    *words, sample = files.split()
    message = cli("tree", *words, "--rules", str(tmp_path), str(SAMPLES / sample)).told(1)
    assert f"{name}.tsv needs a row of class {needed}" in message


def test_a_class_of_relations_may_be_empty(tmp_path: Path, cli: Cli) -> None:
    replace(tmp_path, "ud-classes")
    gold = str(SAMPLES / "eval" / "gold.conllu")
    assert "CLAS" in cli("eval", "dep", "--rules", str(tmp_path), gold, gold).text()
    for command in (("dep", "word2morph"), ("convert", "--repair", "--level", "3")):
        assert cli(*command, "--rules", str(tmp_path), gold).returncode == 0


def test_a_star_permits_a_feature_to_every_upos(turkish: Path, cli: Cli) -> None:
    replace(turkish, "feats-ud", "feature value upos", "Case Loc *", "Number Plur NOUN")
    rows = ("* Loc * * Case=Loc Case=Loc -", "* Plu * * Number=Plur Number=Plur -")
    replace(turkish, "feats", "lemma tag stem next ud full note", *rows)
    text = b"evlerde\tev/Noun+lar/Plu+da/Loc\n\n"
    made = cli("convert", "--feats", "ud", "--level", "3", "--rules", str(turkish), stdin=text)
    words = [line.split("\t") for line in made.stdout.decode().splitlines() if line[:1].isdigit()]
    assert [(word[1], word[5]) for word in words[1:]] == [
        *(("ev", "_"), ("lar", "_"), ("da", "Case=Loc"))
    ]
    parts = cli("convert", "--level", "3", "--rules", str(turkish), stdin=WORD)
    assert b"\tNoun\tCase=Loc\t" in parts.stdout


def test_equivalents_come_before_lower_case(turkish: Path, cli: Cli) -> None:
    """İ becomes i with a dot above, of two characters, in lower case."""
    replace(turkish, "equivalents", "char as name", "İ i noktalı")
    text = "İzmirde\tizmir/Noun+da/Loc\n\n".encode()
    made = cli("convert", "--level", "3", "--rules", str(turkish), stdin=text)
    words = [line.split("\t") for line in made.stdout.decode().splitlines() if line[:1].isdigit()]
    assert [word[1] for word in words] == ["İzmirde", "İzmir", "da"]


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("alignment", "x [ab] [cde] * - 1 - - -", "x: a set of surface has not as many members"),
        ("alignment", "x #la LE Plu - 1 - - -", "x: no form has 'L'"),
        ("joins", "x ev+de Noun - 1+2 - x", "x: ev+de has 2 morphemes and Noun 1 tags"),
        ("ud-heads", "x * mark * odd=1 * flip - - - -", "x: odd=1 is no test"),
        ("ud-relations", "x * part odd=1 * dep - - -", "x: odd=1 is no test"),
        ("pronunciation", "said [ab] [cde] x", "[ ] of [cde] should have as many letters"),
        ("symbols", "inside url * (ab -", "missing ), unterminated subpattern"),
    ],
)
def test_the_command_rules_checks_what_is_compiled(
    turkish: Path, cli: Cli, name: str, row: str, message: str
) -> None:
    columns = list(SCHEMAS[name].columns)
    row = "\t".join("" if cell == "-" else cell for cell in row.split())
    (turkish / f"{name}.tsv").write_text("\t".join(columns) + f"\n#\n{row}\n", encoding="utf-8")
    done = cli("rules", "--rules", str(turkish))
    assert (done.returncode, done.stdout) == (1, b"")
    assert f'{name}.tsv", line 3\n  {row}'.rstrip() in done.stderr.decode()
    assert f"\n{message}" in done.stderr.decode()


@pytest.mark.parametrize("name", ["gec-punctuation", "gec-numbers", "gec-particles"])
def test_a_list_for_corrections_may_be_empty(tmp_path: Path, cli: Cli, name: str) -> None:
    replace(tmp_path, name)
    texts = [str(SAMPLES / f"learner.{side}.txt") for side in ("source", "target")]
    for scheme in ("kagas", "errant"):
        done = cli("gec", "annotate", "--scheme", scheme, "--rules", str(tmp_path), *texts)
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    "above", ["#!replace\n# mine\n\n", "# mine\n\n#!replace\n", "#! replace\r\n"]
)
def test_the_mark_of_a_table_that_stands_alone(tmp_path: Path, above: str) -> None:
    text = f"{above}lemma\ttag\tgloss\tnote\nev\tNNG\thouse\t\n"
    (tmp_path / "glosses.tsv").write_text(text, encoding="utf-8")
    assert [row["lemma"] for row in load(tmp_path).table("glosses")] == ["ev"]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("glosses.tsv", "#!repalce\nlemma\ttag\tgloss\tnote\n", 1),
        ("glosses.tsv", "# mine\n#!replace all\nlemma\ttag\tgloss\tnote\n", 2),
        ("glosses.tsv", "lemma\ttag\tgloss\tnote\n#!replace\nev\tNNG\thouse\t\n", 2),
        ("sighan.toml", '#!replace\nphrase_labels = ["S"]\n', 1),
    ],
)
def test_another_mark_is_refused(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match="#!replace above the header of a table") as caught:
        load(tmp_path)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / name), line)


@pytest.mark.parametrize("tag", ["No+un", "No|un", "No/un"])
def test_a_tag_has_no_character_that_joins_tags(turkish: Path, tag: str) -> None:
    replace(turkish, "tagset", *TURKISH["tagset"], f"{tag} noun x")
    with pytest.raises(RulesError, match="it should be a tag without a space") as caught:
        load(turkish)
    assert caught.value.line == len(TURKISH["tagset"]) + 2


@pytest.mark.parametrize("name", ["romaja", "translit"])
def test_letters_without_a_row_stay(tmp_path: Path, cli: Cli, name: str) -> None:
    replace(tmp_path, name)
    text = "봄\t봄/NNG\n\n".encode()
    made = cli("convert", "--translit", "--rules", str(tmp_path), stdin=text)
    assert made.returncode == 0, made.stderr.decode()
    (tmp_path / "a.conllu").write_bytes(made.stdout)
    page = cli("report", "--rules", str(tmp_path), str(tmp_path / "a.conllu"), tmp_path / "a.html")
    assert page.returncode == 0, page.stderr.decode()


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("ud-heads", (), "ud-heads.tsv needs a row of step mark"),
        ("ud-relations", (), "ud-relations.tsv needs a row of step part"),
        (
            "ud-relations",
            ("part", "relation", "repair", "category", "function"),
            "ud-relations.tsv needs a row of step relation that fits",
        ),
    ],
)
def test_steps_of_trees_need_rows(
    tmp_path: Path, cli: Cli, name: str, rows: tuple[str, ...], message: str
) -> None:
    header = " ".join(SCHEMAS[name].columns) if rows else ""
    lines = [f"{step} * {step} upos=SYM * dep - - -" for step in rows]
    replace(tmp_path, name, *filter(None, [header, *lines]))
    sample = str(SAMPLES / "klue-dp.tsv")
    assert message in cli("convert", "--scheme", "ud", "--rules", str(tmp_path), sample).told(1)


@pytest.mark.parametrize("scheme", ["ud-unidive", "morphud"])
def test_a_upos_scheme_needs_rows_for_the_tag_set(turkish: Path, cli: Cli, scheme: str) -> None:
    text = b"ev\tev/Noun\n\n"
    message = cli("convert", "--upos", scheme, "--rules", str(turkish), stdin=text).told(2)
    assert f"no row of the UPOS scheme {scheme} has a tag of tagset.tsv" in message


def test_a_scheme_of_relations_without_rows_is_named(turkish: Path, cli: Cli) -> None:
    replace(turkish, "deprels")
    message = cli("dep", "word2morph", "--rules", str(turkish), stdin=WORD).told(2)
    assert "deprels.tsv has no row of the scheme ud" in message


def test_the_list_says_which_tables_stand_alone(turkish: Path, cli: Cli) -> None:
    (turkish / "glosses.tsv").write_text("lemma\ttag\tgloss\tnote\n", encoding="utf-8")
    lines = cli("rules", "--rules", str(turkish)).stdout.decode().splitlines()
    ends = [line.rpartition("  ")[0][:8].strip() for line in lines if "[replaced by " in line]
    assert len(ends) == len(TURKISH)
    assert [line.split()[0] for line in lines if line.endswith("glosses.tsv]")] == ["glosses"]
    assert [line for line in lines if "[and " in line] == [
        line for line in lines if line.endswith(f"[and {turkish / 'glosses.tsv'}]")
    ]


def test_checks_of_korean_eojeols_are_not_those_of_another_tag_set(turkish: Path, cli: Cli) -> None:
    text = b"da\tda/Loc\ngel\tgel/Verb\n\n"
    done = cli("validate", "--rules", str(turkish), stdin=text)
    assert (done.returncode, done.stdout.count(b"W126") + done.stdout.count(b"W127")) == (0, 0)
    assert "W126" in cli("validate", stdin="은\t은/JX\n\n".encode()).stdout.decode()


def test_the_tables_of_the_manual_are_enough(tmp_path: Path, cli: Cli) -> None:
    page = (ROOT / "docs" / "scheme.md").read_text(encoding="utf-8")
    tables, words = re.findall(
        r"^```text\n(# tagset.*?|1\t.*?)^```", page.partition("## Another language")[2], re.M | re.S
    )
    for text in re.split(r"^(?=# \w+\.tsv\n)", tables, flags=re.M)[1:]:
        (tmp_path / text[2:].partition("\n")[0]).write_text(text, encoding="utf-8")
    listed = cli("rules", "--rules", str(tmp_path)).stdout.decode()
    assert listed.count("[replaced by ") == 4
    made = cli("convert", "--level", "3", "--rules", str(tmp_path), stdin=f"{words}\n".encode())
    assert (made.returncode, b"W106" in made.stderr) == (0, False)
    parts = [line.split("\t") for line in made.stdout.decode().splitlines() if "\t" in line]
    assert [part[1] for part in parts] == ["evlerde", "ev", "lar", "da"]
    back = cli("convert", "--level", "1", "--rules", str(tmp_path), stdin=made.stdout)
    assert back.stdout.decode().endswith(f"{words}\n")
