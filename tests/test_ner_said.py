"""What `sejongud ner` says of corpora that hold more than it writes, or another unit than it reads.

The files in data/ner-said/ are made up; a test below says of each what is told about it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.formats.marked import marked, unmarked
from sejongud.layers.labels import Entity, layers
from sejongud.terminal import counted

if TYPE_CHECKING:
    from conftest import Cli

CASES = cases("ner_said")

DATA = Path(__file__).parent / "data" / "ner-said"
MORPHEMES = ("--morphemes", str(DATA / "one-morpheme.morphemes.txt"))
NOT_WRITTEN = "all morphemes belong to other entities (--nested keeps such"

FORTH = CASES["FORTH"]
"""A file and options → the conversion, how many entities are written, and what else is said."""

REFUSED = {
    "characters-no-space.txt": "characters without the spaces between eojeols",
    "morphemes.txt": "morphemes, such as 의",
    "word-pieces.jsonl": "word pieces, such as ▁프랑스",
}
"""A file → the unit of its tokens."""

READ = {
    "morphemes-tags.txt": ("syl2morph", "프랑스의 옷을"),
    "morphemes-few.txt": ("syl2morph", "서울이 크다 옷만 사고"),
    "word-pieces.txt": ("eoj2morph", "프랑스의 옷을"),
}
"""A file whose tokens tell where eojeols begin → the conversion, and the text of its first one."""

CHECKED = CASES["CHECKED"]
"""A file → what `check` reports of it, after its lines."""


def test_every_file_is_spoken_of() -> None:
    told = {case.partition(" ")[0] for case in (*FORTH, *REFUSED, *CHECKED, *READ)}
    own = {path.name for path in DATA.iterdir() if not path.name.startswith("one-morpheme")}
    assert own == told


@pytest.mark.parametrize("case", FORTH)
def test_what_is_not_written_is_said(cli: Cli, case: str) -> None:
    name, *options = case.split()
    action, entities, *said = FORTH[case]
    made = cli("ner", str(action), *options, DATA / name)
    told = made.stderr.decode()
    assert made.returncode == 0
    for one in (f" {counted(int(entities), 'entit[y|ies]')}\n", *said):
        assert str(one) in told
    if "--nested" in options:
        assert "not written" not in told
    written = made.stdout.decode()
    assert written.count("=B-") == entities
    again = cli("ner", str(action).replace("2morph", "").join(("morph2", "")), stdin=made.stdout)
    assert again.stdout == (DATA / name).read_bytes()
    # The text of the corpus has the entities that are not written as well.
    every = max([int(str(of[1])) for key, of in FORTH.items() if key.split()[0] == name])
    assert f" {counted(every, 'entit[y|ies]')}\n" in again.stderr.decode()


SCHEMES = {
    "bilou": ("U-LC", "B-PS", "I-PS", "L-PS", "O"),
    "bmes": ("S-LC", "B-PS", "M-PS", "E-PS", "O"),
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_of_other_prefixes(cli: Cli, tmp_path: Path, scheme: str) -> None:
    words = zip(["부산에", "김", "하늘", "별이", "갔다"], SCHEMES[scheme], strict=True)
    text = "".join([f"{word}\t{label}\n" for word, label in words]) + "\n"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    made = cli("ner", "eoj2morph", "a.txt")
    assert f"columns tab B-PER {scheme}".encode() in made.stderr
    assert (made.stdout.count(b"=B-"), made.stdout.count(b"# ner_")) == (2, 1)
    assert cli("ner", "morph2eoj", stdin=made.stdout).stdout.decode() == text
    assert b"1 sentence, 5 eojeols, 2 entities" in made.stderr
    found = cli("eval", "ner", "a.txt", "a.txt").stdout.decode()
    assert "Entities   2" in found


def test_the_entities_of_other_annotators_are_counted(cli: Cli, tmp_path: Path) -> None:
    results = [
        {"result": [{"value": {"start": 0, "end": 2, "text": "부산", "labels": [of]}}]}
        for of in ("LC", "OG")
    ]
    task = {"id": 1, "data": {"text": "부산에 갔다"}, "annotations": results}
    (tmp_path / "a.json").write_text(json.dumps([task], ensure_ascii=False), encoding="utf-8")
    said = cli("ner", "syl2morph", "a.json", "b.conllu").stderr.decode()
    assert "a.json:1: W440 1 entity of another annotation is not read" in said


def test_spaces_are_told_once(cli: Cli, tmp_path: Path) -> None:
    row = '{"id": 1, "text": "부산 앞", "label": [[0, 3, "OG"], [2, 3, "LC"]]}\n'
    (tmp_path / "a.jsonl").write_text(row, encoding="utf-8")
    said = cli("ner", "convert", "a.jsonl", "-", "--to", "brat").stderr.decode()
    assert "1 sentence had entities with spaces at their edges" in said
    assert "1 entity was not written: nothing but spaces" in said
    assert "only the kept text" not in said


@pytest.mark.parametrize("form", ["brat", "label-studio", "konne:compact"])
def test_entities_that_only_comments_have_are_counted(cli: Cli, form: str) -> None:
    made = cli("ner", "syl2morph", DATA / "crossing.jsonl", "-").stdout
    assert made.count(b"\n# ner_unwritten = ") == 2
    said = cli("ner", "convert", "-", "-", "--to", form, stdin=made).stderr.decode()
    lost = "3 entities that only the kept text of the corpus has were not written"
    assert (lost in said) == (form != "konne:compact")
    assert f"written: 2 sentences, {5 if form == 'konne:compact' else 2} entities\n" in said
    other = cli("ner", "morph2syl", stdin=made.replace(b"=B-LC", b"=B-AF")).stderr.decode()
    assert "2 entities that only the kept text" in other


@pytest.mark.parametrize(
    ("options", "entities", "said"),
    [
        (("--on-error", "keep"), 3, f"1 entity was not written: {NOT_WRITTEN}"),
        (("--on-error", "keep", "--nested"), 4, ""),
        (("--on-error", "skip"), 2, "1 sentence was left out (--on-error keep keeps them)\n2 "),
    ],
)
def test_entities_that_share_a_morpheme(
    cli: Cli, options: tuple[str, ...], entities: int, said: str
) -> None:
    """남북/NNG is one morpheme for two entities."""
    corpus = DATA / "one-morpheme.txt"
    form = ("--from", "klue-ner:none")
    made = cli("ner", "syl2morph", *form, *MORPHEMES, *options, corpus)
    told = made.stderr.decode()
    assert made.returncode == 1
    assert f" {counted(entities, 'entit[y|ies]')}\n" in told
    assert said in told
    assert made.stdout.decode().count("=B-") == entities
    if "keep" in options:
        assert cli("ner", "morph2syl", stdin=made.stdout).stdout == corpus.read_bytes()


def test_crossing_entities_have_a_layer_of_their_own() -> None:
    outer, inner, crossing = Entity("OG", 0, 6), Entity("LC", 0, 2), Entity("PS", 4, 8)
    assert layers([crossing, inner, outer]) == [[outer], [inner], [crossing]]


@pytest.mark.parametrize("name", REFUSED)
def test_tokens_of_another_unit_are_refused(cli: Cli, name: str) -> None:
    told = cli("ner", "eoj2morph", DATA / name).told_only()
    assert f"the tokens of this file are {REFUSED[name]}; eojeols or characters are" in told
    form = told.partition("name the format: '")[2].partition("'")[0]
    assert form.startswith(("columns:", "hf-jsonl:"))
    if name == "morphemes.txt":
        assert cli("show", DATA / name).returncode == 2
        # Somebody may want it all the same.
        assert cli("ner", "eoj2morph", "--from", form, DATA / name).returncode == 0


@pytest.mark.parametrize("name", READ)
def test_tokens_that_tell_their_eojeols_are_read(cli: Cli, name: str) -> None:
    """Tags of morphemes and marks of word pieces tell where an eojeol begins."""
    command, text = READ[name]
    assert cli("ner", command, DATA / name).text().split("\n")[1] == f"# text = {text}"


@pytest.mark.parametrize("name", CHECKED)
def test_a_corpus_is_checked_as_it_is(cli: Cli, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sejongud.morphology.kiwi.KiwiAnalyser.of", None)
    made = cli("ner", "check", "--tagset", "klue" if "klue" in name else "nikl-150", DATA / name)
    lines = [line for line in made.stderr.decode().split("\n") if f"{name}:" in line]
    told = [line.partition(f"{name}:")[2].rpartition(" [")[0] for line in lines[1:]]
    if "klue" in name:
        told = [line.partition(" (--tagset")[0] for line in told]
    told = [line for line in told if "W436" not in line or "klue" in name]
    assert sorted(told, key=lambda line: (int(line.partition(":")[0]), line)) == CHECKED[name]
    assert made.returncode == 0


def test_a_tag_set_is_a_file_or_the_one_that_fits(cli: Cli, tmp_path: Path) -> None:
    rows = "".join([f"{at}\t서울{at}은\tLOC_B\n" for at in range(1, 20)])
    (tmp_path / "a.txt").write_text(f"{rows}20\t나\tPLACE_B\n\n", encoding="utf-8")
    (tmp_path / "tags.txt").write_text("# mine\nLOC\ta place\n", encoding="utf-8")
    for options, name in ((("--tagset", "tags.txt"), "tags.txt"), ((), "kmou")):
        told = cli("ner", "check", *options, "a.txt").stderr.decode()
        said = f"a.txt:20: W436 PLACE, used once, is no type of the tag set {name}"
        assert said in told
        assert "LOC, used" not in told
    assert b"W436" not in cli("ner", "check", stdin=b"1\t\xec\x98\xb7\tZ_B\n\n").stderr


def test_a_tag_set_that_is_none(cli: Cli) -> None:
    message = cli("ner", "check", "--tagset", "nikl-15O", DATA / "check-klue.txt").told(2)
    assert "nikl-15O is neither a file nor a set of types; the sets are: " in message


def test_morphemes_are_looked_at_if_they_are_given(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("서울의\t서울/NNP+의/JKG\n\n옷\t옷/NNG\n\n", encoding="utf-8")
    corpus = "서\tB-LC\n울\tI-LC\n의\tI-LC\n\n옷\tO\n\n".encode()
    form = ("--from", "klue-ner:none")
    made = cli("ner", "check", *form, "--morphemes", "m.txt", stdin=corpus)
    assert "-:1: W422 서울+의 (LC) ends in a particle" in made.stderr.decode()
    head, row, _ = [line.split("\t") for line in made.stdout.decode().split("\n")[:3]]
    assert len(set(head)) == len(head)
    found = dict(zip(head, row, strict=True))
    assert (found["entities"], found["morphemes"], found["particle_at_end"]) == ("1", "2", "1")


def test_incidents_of_conllu_have_their_line(cli: Cli) -> None:
    row = "{}\t서울\t서울\tPROPN\tNNP\t_\t_\t_\t_\t{}\n"
    text = "# sent_id = a\n" + row.format(1, "_") + row.format(2, "NE=I-LC") + "\n"
    assert (
        "-:3: W421 I-LC continues no entity [a 2]"
        in cli("ner", "check", stdin=text.encode()).stderr.decode()
    )


NAMES = st.text(alphabet="서울대<>:가 ", min_size=1, max_size=8)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=5),
    st.text(alphabet="서울대가 .", min_size=14, max_size=14),
)
def test_marks_inside_marks_come_back(places: list[tuple[int, int]], text: str) -> None:
    entities = [Entity("LC", begin, begin + length) for begin, length in places]
    nested: list[Entity] = []
    for entity in sorted(set(entities), key=lambda e: (e.begin, -e.end)):
        if not any([b.begin < entity.begin < b.end < entity.end for b in nested]):
            nested.append(entity)
    assert unmarked(marked(text, nested)) == (text, nested)


@given(NAMES)
def test_any_text_is_read(text: str) -> None:
    plain, entities = unmarked(text)
    assert marked(plain, entities) == text or not entities


# --- the file and its other contents --------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("form", ["naver", "kips"])
def test_a_file_comes_back_with_its_encoding_and_line_ends(
    cli: Cli, tmp_path: Path, form: str, encoding: str, end: str
) -> None:
    texts = {
        "naver": "1\t서울에\tLOC_B\n2\t갔다\t-\n\n1\t철수는\tPER_B\n\n",
        "kips": "; 서울에\n$<서울:LC>에\n1\t서울\tNNP\tB_LC\n1\t에\tJKB\tO\n\n",
    }
    text = texts[form]
    corpus = text.replace("\n", end).encode(encoding)
    (tmp_path / "m.txt").write_text(
        "서울에\t서울/NNP+에/JKB\n갔다\t가/VV+았/EP+다/EF\n\n철수는\t철수/NNP+는/JX\n\n", "utf-8"
    )
    if form == "naver":
        made = cli("ner", "eoj2morph", "--morphemes", "m.txt", stdin=corpus).stdout
    else:
        made = cli("ner", "syl2morph", stdin=corpus).stdout
    assert b"\r" not in made
    back = "morph2eoj" if form == "naver" else "morph2syl"
    assert cli("ner", back, stdin=made).stdout == corpus
    other = made.replace(b"NE=B-L", b"NE=B-X")
    wanted = text.replace("LOC_B", "XOC_B").replace(":LC", ":XC").replace("B_LC", "B_XC")
    assert cli("ner", back, stdin=other).stdout == wanted.replace("\n", end).encode(encoding)


def test_line_ends_of_several_kinds_are_told(cli: Cli) -> None:
    corpus = "; 서울\r\n$<서울:LC>\n1\t서울\tNNP\tB_LC\n\n".encode()
    made = cli("ner", "syl2morph", stdin=corpus)
    assert b"W614 the file has line ends of several kinds" in made.stderr


def test_characters_are_not_normalised(cli: Cli, tmp_path: Path) -> None:
    """U+F981 is another character in NFC; the letters of a syllable are composed for Kiwi."""
    corpus = "1\t\uf981\uc790\ub294\tPER_B\n2\t\u1112\u1161\u11ab\uac15\tLOC_B\n\n"
    made = cli("ner", "eoj2morph", stdin=corpus.encode()).stdout.decode()
    assert "# text = \uf981자는 한강\n" in made
    assert "\t한강\t" in made
    assert cli("ner", "morph2eoj", stdin=made.encode()).stdout.decode() == corpus
    other = made.replace("NE=B-PER", "NE=B-CVL").replace("NE=B-LOC", "NE=B-ORG")
    wanted = corpus.replace("PER_B", "CVL_B").replace("LOC_B", "ORG_B")
    assert cli("ner", "morph2eoj", stdin=other.encode()).stdout.decode() == wanted


def test_links_of_entities_outlive_their_labels(cli: Cli) -> None:
    name = DATA / "crossing-modu.json"
    made = cli("ner", "syl2morph", "--nested", name).stdout
    other = made.replace(b"LCP_COUNTRY", b"OGG_POLITICS")
    wanted = name.read_bytes().replace(b"LCP_COUNTRY", b"OGG_POLITICS")
    assert cli("ner", "morph2syl", stdin=other).stdout == wanted


def test_relations_outlive_the_labels_of_their_entities(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("한강의 물\n서울 옷\n", encoding="utf-8")
    lines = [
        "T3\tLC 0 2\t한강\n",
        "#1\tAnnotatorNotes T3\t강\n",
        "T7\tLC 6 8\t서울\n",
        "R1\tNear Arg1:T3 Arg2:T7\t\n",
    ]
    (tmp_path / "a.ann").write_text("".join(lines), encoding="utf-8")
    made = cli("ner", "syl2morph", "--from", "brat:a.txt", "a.ann").stdout
    assert cli("ner", "morph2syl", stdin=made).stdout.decode() == "".join(lines)
    other = made.replace(b"NE=B-LC", b"NE=B-OG")
    wanted = "".join(lines).replace("LC", "OG")
    assert cli("ner", "morph2syl", stdin=other).stdout.decode() == wanted
    # Another entity has an id of its own, and what is said of one that is gone is left out.
    moved = made.replace(b"NE=B-LC", b"_", 1).replace(
        "물\tNOUN\tNNG\t_\t_\t_\t_\t_".encode(), "물\tNOUN\tNNG\t_\t_\t_\t_\tNE=B-AF".encode()
    )
    back = cli("ner", "morph2syl", stdin=moved)
    assert back.stdout.decode() == "T8\tAF 4 5\t물\nT7\tLC 6 8\t서울\n"
    assert b"2 relations and notes on entities that are gone were not written" in back.stderr


def test_layers_that_a_format_cannot_write_are_told(cli: Cli) -> None:
    made = cli("ner", "syl2morph", "--nested", DATA / "crossing.jsonl").stdout
    for form, count in (("inline", 1), ("klue-ner", 3), ("hf-jsonl:spaced syllable", 3)):
        told = cli("ner", "morph2syl", "--to", form, stdin=made).stderr.decode()
        what = "entit[y was|ies were] not written: inside or across another entity, for which"
        assert f"\n{counted(count, what)}" in told
    assert b"not written" not in cli("ner", "morph2syl", "--to", "brat", stdin=made).stderr


def test_a_nested_corpus_in_marks(cli: Cli) -> None:
    made = cli("ner", "syl2morph", "--nested", DATA / "nested-inline.txt").stdout
    other = made.replace(b"B-OG", b"B-XX").replace(b"I-OG", b"I-XX")
    wanted = (DATA / "nested-inline.txt").read_text("utf-8").replace("OG", "XX")
    assert cli("ner", "morph2syl", stdin=other).stdout.decode() == wanted
