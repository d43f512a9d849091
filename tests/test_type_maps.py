"""Types of entities in another tag set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpora import RULES

from sejongud.converters.entities_back import TypeMap, load_map
from sejongud.errors import RulesError, UsageError
from sejongud.model import Eojeol, Morpheme
from sejongud.sentence import Sentence

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

MAPS = {row["map"] for row in RULES.table("ne-map")}
EOJEOLS = (
    Eojeol("강물제는", (Morpheme("강물제", "NNP"), Morpheme("는", "JX"))),
    Eojeol("봄", (Morpheme("봄", "NNG"),)),
)


@pytest.mark.parametrize("name", sorted(MAPS))
def test_every_type_of_a_map_has_a_class(name: str) -> None:
    """What a map makes of a type is a type of ne-types.tsv of the same class, or no entity."""
    rows = {row["type"]: row["class"] for row in RULES.table("ne-types")}
    for row in RULES.table("ne-map"):
        if row["map"] == name and row["to"] != "O":
            of = row["from"] if row["from"] in rows else row["from"].partition("_")[0]
            assert rows.get(of, "other") == rows[row["to"]]


def test_the_maps_of_nikl_are_whole() -> None:
    """150 types become 15, and these six."""
    maps = {name: [row for row in RULES.table("ne-map") if row["map"] == name] for name in MAPS}
    assert len(maps["nikl-150-15"]) == len(maps["nikl-150-klue"]) == 150
    fifteen = {row["to"] for row in maps["nikl-150-15"]}
    assert fifteen == {row["from"] for row in maps["nikl-15-klue"]}
    six = {"PS", "LC", "OG", "DT", "TI", "QT"}
    assert {row["to"] for row in maps["nikl-15-klue"]} == six | {"O"}
    coarse = load_map("nikl-15-klue", RULES)
    for row in maps["nikl-150-klue"]:
        through = coarse.label(load_map("nikl-150-15", RULES).label(f"B-{row['from']}"))
        assert through == ("O" if row["to"] == "O" else f"B-{row['to']}")


def test_klue_to_naver_and_back() -> None:
    forth, back = load_map("klue-naver", RULES), load_map("naver-klue", RULES)
    for of in ("PS", "LC", "OG", "DT", "TI", "QT"):
        assert back.label(forth.label(f"I-{of}")) == f"I-{of}"


def test_types_of_a_sentence() -> None:
    types = TypeMap({"EV": "O", "DT": "DAT"})
    sentence = Sentence(EOJEOLS, entities=((("B-EV", "O"), ("B-DT",)), (("B-LC", "O"), ())))
    # The inner entity is the outermost now.
    made = types(sentence)
    assert made.entities == ((("B-LC", "O"), ("B-DAT",)),)
    assert types.summary() == [
        "1 entity is none in the other tag set: EV 1",
        "1 entity keeps a type that the map does not name: LC 1",
    ]
    assert types(Sentence(EOJEOLS)).entities == ()
    bioes = Sentence(EOJEOLS, entities=((("S-EV", "O"), ("S-DT",)), (("S-LC", "O"), ())))
    assert types(bioes).entities == ((("S-LC", "O"), ("S-DAT",)),)


def test_two_types_that_become_one_stay_two_entities() -> None:
    types = TypeMap({"PER": "PS", "CVL": "PS"})
    sentence = Sentence(EOJEOLS, entities=((("B-PER", "O"), ("I-CVL",)),))
    assert types(sentence).entities == ((("B-PS", "O"), ("I-PS",)),)
    sentence = Sentence(EOJEOLS, entities=((("B-PER", "I-CVL"), ()),))
    assert types(sentence).entities == ((("B-PS", "B-PS"), ()),)


def test_a_map_on_the_way(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text(
        "김하늘은\t김하늘/NNP+은/JX\n왔다\t오/VV+았/EP+다/EF\n", "utf-8"
    )
    corpus = "1\t김하늘은\tPER_B\n2\t왔다\tEVT_B\n\n".encode()
    options = ("--morphemes", "m.txt", "--map", "naver-klue")
    made = cli("ner", "eoj2morph", *options, stdin=corpus)
    assert b"NE=B-PS" in made.stdout
    assert b"1 entity is none in the other tag set: EVT 1" in made.stderr
    again = cli("ner", "morph2eoj", "--map", "klue-naver", stdin=made.stdout)
    assert again.stdout.decode() == "1\t김하늘은\tPER_B\n2\t왔다\t-\n\n"


def test_agreement_of_two_tag_sets(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("강물 왔다\tLOC-B O\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("강물 왔다\tLC-B O\n", encoding="utf-8")
    done = cli("ner", "agree", "a.txt", "b.txt", "--map", "naver-klue")
    assert "LC             1  1     1        1  100.00   100.00  100.00" in done.stdout.decode()


def test_a_map_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "map.tsv"
    path.write_text("# mine\nPS\tPERSON\n\nLC\t\n", encoding="utf-8")
    types = load_map(str(path), RULES)
    assert [types.label(label) for label in ("B-PS", "I-LC", "E-OG", "O")] == [
        *("B-PERSON", "O", "E-OG", "O"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("PS\tPER\nLC\n", 2, "a row of a map is a type, a tab"),
        ("PS\tPER\t1\n", 1, "a row of a map is a type, a tab"),
        ("PS\tPER\nPS\tX\n", 2, "the type PS has a row already"),
    ],
)
def test_what_is_wrong_with_a_map(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "map.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=message) as raised:
        load_map(str(path), RULES)
    assert raised.value.line == line


def test_a_map_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="the maps are: nikl-150-15"):
        load_map("nowhere", RULES)
