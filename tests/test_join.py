"""`sejongud.join`: the layers of files with one text on the words of the first."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

import sejongud
from sejongud import Report

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud import Incident

WORDS = """\
# sent_id = a-1
# text = 서울시는 강을 건넜다.
1	서울시는	서울+시+는	NOUN	NNP+NNG+JX	_	3	nsubj	_	_
2	강을	강+을	NOUN	NNG+JKO	_	3	obj	_	_
3	건넜다	건너+었+다	VERB	VV+EP+EF	_	0	root	_	SpaceAfter=No
4	.	.	PUNCT	SF	_	3	punct	_	_

# sent_id = a-2
# text = 비가 온다.
1	비가	비+가	NOUN	NNG+JKS	_	2	nsubj	_	_
2	온다	오+ㄴ다	VERB	VV+EF	_	0	root	_	SpaceAfter=No
3	.	.	PUNCT	SF	_	2	punct	_	_

"""
# Another analysis: 서울시 is one morpheme.
OTHER = """\
# sent_id = b-1
# text = 서울시는 강을 건넜다.
# source = B
1-2	서울시는	_	_	_	_	_	_	_	_
1	서울시	서울시	PROPN	NNP	_	_	_	_	NE=B-LC
2	는	은	ADP	JX	_	_	_	_	_
3-4	강을	_	_	_	_	_	_	_	_
3	강	강	NOUN	NNG	_	_	_	_	NE=B-NT
4	을	을	ADP	JKO	_	_	_	_	_
5-7	건넜다	_	_	_	_	_	_	_	SpaceAfter=No
5	건너	건너	VERB	VV	_	_	_	_	_
6	었	었	PART	EP	_	_	_	_	_
7	다	다	PART	EF	_	_	_	_	_
8	.	.	PUNCT	SF	_	_	_	_	_

"""
TREES = """\
; 서울시는 강을 건넜다.
(S (NP_SBJ 서울/NNP + 시/NNG + 는/JX)
   (VP (NP_OBJ 강/NNG + 을/JKO) (VP 건너/VV + 었/EP + 다/EF + ./SF)))

; 비가 온다.
(S (NP_SBJ 비/NNG + 가/JKS) (VP 오/VV + ㄴ다/EF + ./SF))
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("words", WORDS), ("other", OTHER)):
        (tmp_path / f"{name}.conllu").write_text(text, "utf-8")
    (tmp_path / "trees.txt").write_text(TREES, "utf-8")
    return tmp_path


def joined(files: Path, *names: str) -> tuple[str, list[str]]:
    told: list[Incident] = []
    sources = [files / name for name in names]
    count, _ = sejongud.join(
        *sources, target=files / "out", to="conllu", report=Report(told.append)
    )
    assert count == names[0].startswith("other") + 2 * names[0].startswith("words")
    return (files / "out").read_text("utf-8"), [f"{one.code} {one.sent_id}" for one in told]


def test_layers_stand_on_the_words_of_the_first_file(files: Path) -> None:
    text, told = joined(files, "words.conllu", "other.conllu", "trees.txt")
    assert told == ["I615 a-2"]
    rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
    assert ["\t".join(row[:8]) for row in rows] == [
        line.rsplit("\t", 2)[0] for line in WORDS.splitlines() if line[:1].isdigit()
    ]
    # The label has both morphemes of 서울+시.
    entities = [row[9] for row in rows[:2]]
    assert entities == ["NE=B-LC|NEMorph=1:B-LC,2:I-LC", "NE=B-NT|NEMorph=1:B-NT"]
    assert [row[10:] for row in rows] == [
        ["(S (NP_SBJ", ")"], ["(VP (NP_OBJ", ")"], ["(VP", "_"], ["_", ")))"],
        ["(S (NP_SBJ", ")"], ["(VP", "_"], ["_", "))"],
    ]  # fmt: skip
    assert "# source = B\n" in text
    (files / "joined.conllup").write_text(text, "utf-8")
    again = [(s.entities, s.constituents) for s in sejongud.read(files / "joined.conllup")]
    assert all(trees for _, trees in again) and again[0][0]


FRAMES = """\
#anno-id:1
#text:비가 온다.
0\t비가\t_\t_\tB-Precipitation
1\t온다.\t오다.v\tPrecipitation\tO

#anno-id:2
#text:비가 온다.
0\t비가\t비.n\tWeather\tO
1\t온다.\t_\t_\tO

"""


def test_all_frames_of_a_sentence_are_taken(files: Path) -> None:
    """FrameNet has the sentence once for each of them."""
    (files / "frames.tsv").write_text(FRAMES, "utf-8")
    text, told = joined(files, "words.conllu", "frames.tsv")
    assert told == ["I615 a-1"]
    rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
    assert [row[12] for row in rows[4:]] == ["B-Precipitation", "B-FrameTarget", "I-FrameTarget"]
    assert [row[15] for row in rows[4:]] == ["B-FrameTarget", "O", "O"]
    assert "# anno_id = 1\n" in text and "# frame2:anno_id = 2\n" in text


def test_instances_in_conllu_are_frames_of_one_sentence(files: Path) -> None:
    (files / "frames.tsv").write_text(FRAMES, "utf-8")
    sejongud.run("frame eoj2morph", files / "frames.tsv", files / "frames.conllu")
    text, told = joined(files, "words.conllu", "frames.conllu")
    assert told == ["I615 a-1"]
    rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
    assert [row[15] for row in rows[4:]] == ["B-FrameTarget", "O", "O"]


def test_frames_of_two_files_have_columns_of_their_own(files: Path) -> None:
    blocks = FRAMES.partition("#anno-id:2")
    (files / "a.tsv").write_text(blocks[0], "utf-8")
    (files / "b.tsv").write_text("".join(blocks[1:]), "utf-8")
    sejongud.join(files / "words.conllu", files / "a.tsv", target=files / "words-a.conllu")
    for names in (["words.conllu", "a.tsv", "b.tsv"], ["words-a.conllu", "b.tsv"]):
        text, told = joined(files, *names)
        assert {code.partition(" ")[0] for code in told} == {"I615"}
        rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
        assert [row[12] for row in rows[4:]] == [
            "B-Precipitation",
            "B-FrameTarget",
            "I-FrameTarget",
        ]
        assert [row[15] for row in rows[4:]] == ["B-FrameTarget", "O", "O"]


def test_a_label_inside_a_morpheme_and_a_sentence_too_many_are_told(files: Path) -> None:
    (files / "words.conllu").write_text(
        WORDS.replace("\t3\tnsubj\t_\t_", "\t3\tnsubj\t_\tNE=B-LC|NEMorph=1:B-LC"), "utf-8"
    )
    text, told = joined(files, "other.conllu", "words.conllu")
    assert told == ["W616 b-1", "W441 b-1", "W616 b-1", "E609 a-2"]
    # The dependencies of other words are not taken over, and the entities stay.
    assert "NE=B-NT" in text and "nsubj" not in text


def test_a_corpus_of_two_files_is_found(root: Path) -> None:
    path = str(root / "tests" / "data" / "ner" / "brat.ann")
    assert "NE=B-" in sejongud.run("join", path, path).output


def test_dependencies_of_the_same_morphemes_are_taken(files: Path) -> None:
    without = "\n".join(
        "\t".join([*cells[:6], "_", "_", *cells[8:]]) if len(cells) > 1 else cells[0]
        for cells in (line.split("\t") for line in WORDS.split("\n"))
    )
    (files / "words-bare.conllu").write_text(without, "utf-8")
    assert joined(files, "words-bare.conllu", "words.conllu") == (WORDS, [])


def test_dependencies_are_laid_on_the_words_of_the_first_file(files: Path, cli: Cli) -> None:
    """Its words became those of the other file, of another level too, in silence."""
    cli("convert", "--level", "5", "words.conllu", "words-5.conllu")
    rows = [line.split("\t") for line in (files / "words-5.conllu").read_text("utf-8").split("\n")]
    edited = [
        [*row[:3], row[3].replace("NOUN", "PROPN"), *row[4:6], "_", "_", "_", f"Mine={row[0]}"]
        if len(row) > 1 and row[3] != "_" else row
        for row in rows
    ]  # fmt: skip
    text = "\n".join(["\t".join(row) for row in edited])
    (files / "mine.conllu").write_text(text.replace("# text", "# note = mine\n# text"), "utf-8")
    other = WORDS.replace("# text", "# note = other\n# text")
    (files / "words.conllu").write_text(other, "utf-8")
    for name in ("words.conllu", "words-5.conllu"):
        done = cli("join", "mine.conllu", name)
        found = [line.split("\t") for line in done.stdout.decode().split("\n") if line[:1] != "#"]
        assert found == [
            [*mine[:6], *row[6:8], *mine[8:]]
            for mine, row in zip(edited, rows, strict=True) if mine[0][:1] != "#"
        ]  # fmt: skip
        told = "W616 the comments (note) of words.conllu differ from those here, which stay [a-1]"
        assert (told in done.stderr.decode()) == (name == "words.conllu")


def test_dependencies_of_eojeols_stand_on_the_morphemes_of_the_first_file(
    cli: Cli, tmp_path: Path
) -> None:
    """NIKL distributes dependencies without morphemes."""
    arcs = [{"word_id": 1, "head": 2, "label": "NP_SBJ"}, {"word_id": 2, "head": -1, "label": "VP"}]
    sentence = {"id": "a", "form": "나는 난다.", "DP": arcs}
    corpus = {"id": "c", "document": [{"id": "d", "sentence": [sentence]}]}
    (tmp_path / "dp.json").write_text(json.dumps(corpus), "utf-8")
    (tmp_path / "mp.txt").write_text("나는\t나/NP+는/JX\n난다.\t날/VV+ㄴ다/EF+./SF\n", "utf-8")
    done = cli("join", "mp.txt", "dp.json", "-o", "out.conllu")
    assert done.stderr.decode().endswith("incidents: I325 1\n")
    cli("convert", "out.conllu", "morphemes.conllu")
    text = (tmp_path / "morphemes.conllu").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    assert [(row[1], row[6], row[7]) for row in rows if len(row) > 1 and row[3] != "_"] == [
        ("나", "3", "NP_SBJ"), ("는", "1", "case"), ("날", "0", "VP"), ("ㄴ다", "3", "mark"),
        (".", "3", "punct"),
    ]  # fmt: skip
    # The words of a first file with words stay, of whatever level they are.
    for level in "15":
        cli("convert", "mp.txt", "mp.conllu", "--level", level, "--force")
        done = cli("join", "mp.conllu", "dp.json", "-o", "joined.conllu", "--force")
        assert done.stderr.decode().endswith("incidents: I325 1\n")
        cli("convert", "out.conllu", "cut.conllu", "--level", level, "--force")
        cut, joined = [
            (tmp_path / f"{name}.conllu").read_text("utf-8") for name in ("cut", "joined")
        ]
        assert joined[joined.index("\n1") :] == cut[cut.index("\n1") :]
    # Words of no level have no place for them.
    words = [
        "1\t나는\t나+은\tPRON\tNP+JX\t_\t_\t_\t_\t_\n",
        "2-3\t난다\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n",
        "2\t날\t날\tVERB\tVV\t_\t_\t_\t_\t_\n",
        "3\tㄴ다\t는다\tPART\tEF\t_\t_\t_\t_\t_\n",
        "4\t.\t.\tPUNCT\tSF\t_\t_\t_\t_\t_\n\n",
    ]
    (tmp_path / "mp.conllu").write_text("".join(words), "utf-8")
    done = cli("join", "mp.conllu", "dp.json", "-o", "joined.conllu", "--force")
    assert "W616 the dependencies of dp.json are of other words" in done.stderr.decode()


def test_a_source_is_not_written_over(files: Path) -> None:
    with pytest.raises(sejongud.UsageError, match="which it would replace"):
        sejongud.join(files / "words.conllu", files / "other.conllu", target=files / "other.conllu")


def test_the_command_does_what_the_function_does(files: Path, cli: Cli) -> None:
    text, _ = joined(files, "words.conllu", "other.conllu", "trees.txt")
    done = cli("join", "words.conllu", "other.conllu", "trees.txt", "-o", "out.conllu")
    assert (done.returncode, (files / "out.conllu").read_text("utf-8")) == (0, text)
    assert done.stderr.decode().endswith("2 sentences, 5 eojeols\nincidents: I615 1\n")
    piped = cli("join", "-", "trees.txt", "other.conllu", "--to", "jsonl", stdin=WORDS.encode())
    assert (piped.returncode, piped.stdout.count(b'"constituents"')) == (0, 2)


def test_the_comments_of_the_first_file_stay_in_their_order(cli: Cli, tmp_path: Path) -> None:
    first = WORDS.replace("# text", "# a remark\n# text")
    (tmp_path / "a.conllu").write_text(first, encoding="utf-8")
    (tmp_path / "b.conllu").write_text(OTHER, encoding="utf-8")
    lines = cli("join", "a.conllu", "b.conllu").stdout.decode().split("\n")
    assert lines[:4] == [*first.split("\n")[:3], "# source = B"]
    (tmp_path / "c.conllu").write_text(first, encoding="utf-8")
    assert cli("join", "a.conllu", "c.conllu").stdout.decode() == first


def test_dependencies_at_another_level_are_no_other_ones(files: Path, cli: Cli) -> None:
    names = ["words.conllu"]
    for level in "135":
        names.append(f"words-{level}.conllu")
        cli("convert", "--level", level, "words.conllu", names[-1])
    for first, second in permutations(names, 2):
        assert joined(files, first, second) == ((files / first).read_text("utf-8"), [])
    edited = (files / "words-5.conllu").read_text("utf-8").replace("nsubj", "dep")
    (files / "words-5.conllu").write_text(edited, "utf-8")
    assert joined(files, "words.conllu", "words-5.conllu")[1] == ["W616 a-1", "W616 a-2"]


def test_sentences_of_other_texts_get_no_layers(tmp_path: Path) -> None:
    """As many sentences as there are in the first file were taken for its sentences, in silence."""
    (tmp_path / "a.txt").write_text(
        "비가\t비/NNG+가/JKS\n온다.\t오/VV+ㄴ다/EF+./SF\n\n"
        "나는\t나/NP+는/JX\n간다.\t가/VV+ㄴ다/EF+./SF\n",
        encoding="utf-8",
    )
    rows = "1\t김철수가\tPER_B\n2\t왔다.\t-\n\n1\t나는\tPER_B\n2\t간당.\t-\n\n"
    (tmp_path / "b.tsv").write_text(rows, encoding="utf-8")
    told: list[Incident] = []
    sejongud.join(
        tmp_path / "a.txt",
        tmp_path / "b.tsv",
        target=tmp_path / "c.conllu",
        report=sejongud.Report(told.append),
    )
    assert [incident.code for incident in told] == ["E609", "I615", "W610"]
    assert told[-1].message.endswith("b.tsv differs: 나는 간당.")
    rain, other = sejongud.read(tmp_path / "c.conllu")
    assert [[word.form for word in one if word.entity] for one in (rain, other)] == [[], ["나"]]


def test_trees_of_morphemes_keep_the_constituents_of_a_contracted_eojeol(files: Path) -> None:
    """The eojeol 나가 was aligned with 나가/VV, and the ending 아 with the next eojeol."""
    tree = "(VP (VP (VV 나가) (EC 아)) (VP (VX 보) (EP 았) (EF 다)))\n"
    (files / "words.txt").write_text("나가\t나가/VV+아/EC\n봤다\t보/VX+았/EP+다/EF\n", "utf-8")
    (files / "trees.mrg").write_text(tree, "utf-8")
    told: list[Incident] = []
    sources = [files / "words.txt", files / "trees.mrg"]
    sejongud.join(*sources, target=files / "out.conllu", report=Report(told.append))
    assert told == []
    assert sejongud.run("tree extract", files / "out.conllu", level=5).output == tree
