"""The command `sejongud ner`."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from portions import ALL, some

if TYPE_CHECKING:
    from conftest import Cli

DATA = Path(__file__).parent / "data" / "ner"


@pytest.mark.parametrize(
    ("forth", "back", "name"),
    [("eoj2morph", "morph2eoj", "naver.txt"), ("syl2morph", "morph2syl", "klue-ner.txt")],
)
def test_there_and_back(cli: Cli, tmp_path: Path, forth: str, back: str, name: str) -> None:
    assert "detected format: " in cli("ner", forth, DATA / name, "a.conllu", "--level", "3").told()
    again = cli("ner", back, "a.conllu")
    assert (again.returncode, again.stdout) == (0, (DATA / name).read_bytes())


TREEBANK = (
    "# sent_id = 1\n# text = 어제 왔다.\n"
    "1\t어제\t어제+θ\tADV\tNNG\t_\t2\tadvmod\t_\tOrigLemma=어제\n"
    "2\t왔다\t오다\tVERB\tVV+EP+EF\tTense=Past\t0\troot\t_\tSpaceAfter=No|OrigLemma=오+았+다\n"
    "3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t_\n\n"
)


@pytest.mark.parametrize(
    ("command", "corpus"),
    [
        ("eoj2morph", "1\t어제\tDAT_B\n2\t왔다.\t-\n\n"),
        ("syl2morph", "어\tB-DT\n제\tI-DT\n \tO\n왔\tO\n다\tO\n.\tO\n\n"),
        ("convert", "1\t어제\tDAT_B\n2\t왔다.\t-\n\n"),
    ],
)
@pytest.mark.parametrize("level", ["2", "5"])
def test_words_of_a_treebank_keep_their_columns(
    cli: Cli, tmp_path: Path, command: str, corpus: str, level: str
) -> None:
    (tmp_path / "tb.conllu").write_text(TREEBANK, encoding="utf-8")
    options = ["--morphemes", "tb.conllu", "--level", level]
    options += ["--to", "conllu"] if command == "convert" else []
    text = cli("ner", command, *options, stdin=corpus.encode()).text()
    assert "NE=B-D" in text
    plain = cli("convert", "--level", level, "tb.conllu").stdout.decode().splitlines()
    columns = [line.split("\t")[:9] for line in text.splitlines() if "\t" in line]
    assert columns == [line.split("\t")[:9] for line in plain if "\t" in line]


def test_given_morphemes_and_repair(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("한강의\t한강/NNP+의/JKG\n물\t물/NNG\n", encoding="utf-8")
    corpus = "1\t한강의\tLOC_I\n2\t물\t-\n\n".encode()
    made = cli("ner", "eoj2morph", "--morphemes", "m.txt", stdin=corpus)
    assert "1\t한강\t한강\tPROPN\tNNP\t_\t_\t_\t_\tNE=I-LOC\n" in made.stdout.decode()
    again = cli("ner", "morph2eoj", "--repair", "--to", "naver:B-PER", stdin=made.stdout)
    assert again.stdout.decode() == "1\t한강의\tB-LOC\n2\t물\tO\n\n"
    assert b"1 ill-formed label was mended" in again.stderr


@pytest.mark.parametrize(
    ("options", "wanted"), [((), ["김"]), (("--exclusion", "paper"), ["김", "씨"])]
)
def test_which_morphemes_are_excluded(
    cli: Cli, tmp_path: Path, options: tuple[str, ...], wanted: list[str]
) -> None:
    (tmp_path / "m.txt").write_text("김씨는\t김/NNP+씨/NNB+는/JX\n", encoding="utf-8")
    corpus = "1\t김씨는\tPER_B\n\n".encode()
    made = cli("ner", "eoj2morph", "--morphemes", "m.txt", *options, stdin=corpus)
    rows = made.stdout.decode().splitlines()
    assert [row.split("\t")[1] for row in rows if "NE=" in row] == wanted
    assert cli("ner", "morph2eoj", stdin=made.stdout).stdout == corpus


@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_the_format_outlives_the_first_sentence(cli: Cli, tmp_path: Path, on_error: str) -> None:
    corpus = "김철수 왔다\tPER-B O\n서울 왔다\tLOC-B O\n"
    others = "김영수\t김영수/NNP\n왔다\t오/VV+았/EP+다/EF\n\n"
    other = "서울\t서울/NNP\n왔다\t오/VV+았/EP+다/EF\n\n"
    (tmp_path / "m.txt").write_text(others + other, encoding="utf-8")
    options = ("--morphemes", "m.txt", "--on-error", on_error)
    made = cli("ner", "eoj2morph", *options, stdin=corpus.encode())
    again = cli("ner", "morph2eoj", stdin=made.stdout).stdout.decode()
    assert again == (corpus if on_error == "keep" else corpus.partition("\n")[2])


def test_the_format_outlives_the_first_sentence_on_the_way_back(cli: Cli) -> None:
    damaged = "# ner_format = naver lines PER-B\n1\t서울\t서울\tPROPN\tNNP\t_\t_\t_\tNE=B-LOC\n\n"
    written = damaged + "1\t부산\t부산\tPROPN\tNNP\t_\t_\t_\t_\tNE=B-LOC\n\n"
    again = cli("ner", "morph2eoj", "--on-error", "skip", stdin=written.encode())
    assert (again.returncode, again.stdout.decode()) == (1, "부산\tLOC-B\n")


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("syl2morph", DATA / "naver.txt"), 2, "use eoj2morph"),
        (("eoj2morph", DATA / "naver-no-tag.txt"), 1, 'naver-no-tag.txt", line 2'),
        (("eoj2morph", "--from", "naver:rows X", DATA / "naver.txt"), 2, "there is no setting X"),
        (("eoj2morph", "--from", "nobody", DATA / "naver.txt"), 2, "no format nobody"),
        (("syl2morph", DATA / "konne-too-long.jsonl"), 1, "the text has 1 character"),
        (("eoj2morph",), 1, "there is no sentence in the file"),
    ],
)
def test_what_is_wrong_is_said(
    cli: Cli, args: tuple[str | Path, ...], status: int, message: str
) -> None:
    made = cli("ner", *args, stdin=b"\n")
    assert made.returncode == status
    assert message in made.stderr.decode()
    assert made.stdout == b""
    assert b"Traceback" not in made.stderr


def test_check(cli: Cli) -> None:
    text = cli("ner", "check", DATA / "klue-ner.txt").text()
    assert text.splitlines()[-1].split("\t")[:2] == ["all", "6"]


def test_columns_for_a_crf_and_its_labels(cli: Cli, tmp_path: Path) -> None:
    cli("ner", "eoj2morph", DATA / "naver.txt", "a.conllu")
    made = cli("ner", "crf", "a.conllu")
    columns = made.stdout
    assert made.stderr == b"2 sentences, 9 entities\n"
    assert columns.decode().startswith("프랑스\tPROPN\tNNP\tB-LOC\n의\tADP\tJKG\tO\n")
    (tmp_path / "tagged.txt").write_bytes(columns.replace(b"B-LOC", b"O\tB-ORG"))
    tagged = cli("ner", "crf", "--labels", "tagged.txt", "a.conllu")
    again = cli("ner", "morph2eoj", stdin=tagged.stdout)
    assert again.stdout == (DATA / "naver.txt").read_bytes().replace(b"LOC_B", b"ORG_B")


@pytest.mark.parametrize(
    "corpus", ["1\t김\tPER_I\n2\t갔다.\t-\n\n\n", "7\t김\tPER_I\n2\t갔다.\t-\n\n"]
)
def test_repair_mends_what_is_kept_in_a_comment(cli: Cli, corpus: str) -> None:
    made = cli("ner", "eoj2morph", "--from", "naver:PER_B", stdin=corpus.encode())
    assert b"# ner_block" in made.stdout or b"# ner_lines" in made.stdout
    assert cli("ner", "morph2eoj", stdin=made.stdout).stdout.decode() == corpus
    again = cli("ner", "morph2eoj", "--repair", stdin=made.stdout)
    mended = corpus.replace("PER_I", "PER_B").replace("7", "1")
    assert again.stdout.decode() == mended
    assert b"1 ill-formed label was mended" in again.stderr


@pytest.mark.parametrize(
    "comment", [f"ner_rows = {'9' * 5000}:O", "ner_head = x\n# ner_format = klue-ner marked"]
)
def test_comments_that_somebody_has_changed(cli: Cli, comment: str) -> None:
    rows = "프\tI-LC\n랑\tI-LC\n스\tI-LC\n의\tO\n\n"
    made = cli("ner", "syl2morph", "--from", "klue-ner:none", stdin=rows.encode()).stdout.decode()
    changed = made.replace("# ner_rows = 1:I-LC", f"# {comment}")
    again = cli("ner", "morph2syl", stdin=changed.encode())
    assert (again.returncode, b"Traceback" in again.stderr) == (0, False)
    assert "프\tB-LC\n" in again.stdout.decode()


def test_names_that_kiwi_does_not_find_alone_are_one_morpheme(cli: Cli) -> None:
    """Kiwi alone reads 최성진 as 최성지/NNP + ㄴ/JX: two tokens that share the last syllable."""
    line = "## a\t<최성진:PS> 기자가 <1심:QT>에서 들었다.\n"
    text = "최성진 기자가 1심에서 들었다."
    tags = ["B-PS", "I-PS", "I-PS", "O", "O", "O", "O", "O", "B-QT", "I-QT"]
    tags += ["O"] * (len(text) - len(tags))
    rows = line + "".join(f"{a}\t{b}\n" for a, b in zip(text, tags, strict=True)) + "\n"
    lines = cli("ner", "syl2morph", stdin=rows.encode()).stdout.decode().splitlines()
    words = [line.split("\t") for line in lines if line[:1].isdigit()]
    assert [(word[1], word[4]) for word in words[:1]] == [("최성진", "NNP")]


def test_what_is_kept_of_one_format_is_not_written_in_another(cli: Cli) -> None:
    line = '{"text": " 옷  값","label":[[0,2,"X"]]}\n'
    made = cli("ner", "syl2morph", stdin=line.encode())
    assert b"# ner_block" in made.stdout or b"# ner_lines" in made.stdout
    assert cli("ner", "morph2syl", stdin=made.stdout).stdout.decode() == line
    other = cli("ner", "morph2syl", "--to", "modu-ne", stdin=made.stdout).stdout
    [sentence] = json.loads(other)["document"][0]["sentence"]
    assert (sentence["form"], sentence["NE"][0]["form"]) == (" 옷  값", " 옷")


def test_more_labels_than_sentences(cli: Cli, tmp_path: Path) -> None:
    made = cli("ner", "syl2morph", DATA / "klue-ner.txt", "a.conllu")
    columns = cli("ner", "crf", "a.conllu").stdout
    (tmp_path / "b.txt").write_bytes(columns + columns)
    again = cli("ner", "crf", "--labels", "b.txt", "a.conllu", "c.conllu")
    assert (made.returncode, again.returncode) == (0, 1)
    assert b'"b.txt", line ' in again.stderr
    assert not (tmp_path / "c.conllu").exists()


NAMES = ("김철수", "서울", "한강", "부산")
CORPUS = [f"1\t{name}\tPER_B\n2\t왔다\t-\n\n" for name in NAMES]
MORPHEMES = [f"{name}\t{name}/NNP\n왔다\t오/VV+았/EP+다/EF\n\n" for name in NAMES]


def given(cli: Cli, folder: Path, corpus: list[str], morphemes: list[str], on_error: str) -> str:
    """What eoj2morph says of a corpus with given morphemes; its output is m.conllu."""
    (folder / "m.txt").write_text("".join(morphemes), encoding="utf-8")
    (folder / "c.txt").write_text("".join(corpus), encoding="utf-8")
    options = ("--morphemes", "m.txt", "--on-error", on_error, "-v", "--force")
    return cli("ner", "eoj2morph", *options, "c.txt", "m.conllu").stderr.decode()


def back(cli: Cli) -> str:
    return cli("ner", "morph2eoj", "m.conllu").stdout.decode()


@pytest.mark.parametrize("at", range(4))
def test_a_sentence_that_cannot_be_read_has_its_morphemes_to_itself(
    cli: Cli, tmp_path: Path, at: int
) -> None:
    damaged = [*CORPUS]
    damaged[at] = damaged[at].replace("\tPER_B", "")
    said = given(cli, tmp_path, damaged, MORPHEMES, "skip")
    assert said.count("E401") == 2  # once more in the counts
    assert "E412" not in said and "W411" not in said
    assert back(cli) == "".join(CORPUS[:at] + CORPUS[at + 1 :])
    given(cli, tmp_path, damaged, MORPHEMES, "keep")
    assert back(cli) == "".join(damaged)


@pytest.mark.parametrize("at", range(4))
def test_morphemes_that_are_missing_are_those_of_one_sentence(
    cli: Cli, tmp_path: Path, at: int
) -> None:
    given(cli, tmp_path, CORPUS, MORPHEMES[:at] + MORPHEMES[at + 1 :], "skip")
    assert back(cli) == "".join(CORPUS[:at] + CORPUS[at + 1 :])


def test_morphemes_that_cannot_be_read_are_kept(cli: Cli, tmp_path: Path) -> None:
    damaged = [*MORPHEMES]
    damaged[1] = damaged[1].replace("/NNP", "")
    given(cli, tmp_path, CORPUS, damaged, "skip")
    assert back(cli) == "".join(CORPUS)


def test_labels_of_bioes(cli: Cli, tmp_path: Path) -> None:
    corpus = "1\t2018년에\tDAT_S\n2\t3월의\tDAT_B\n3\t10일에\tDAT_E\n\n"
    forms = (("2018", "년", "에", "JKB"), ("3", "월", "의", "JKG"), ("10", "일", "에", "JKB"))
    numbers = "".join([f"{a}{b}{c}\t{a}/SN+{b}/NNB+{c}/{tag}\n" for a, b, c, tag in forms])
    given(cli, tmp_path, [corpus], [numbers], "stop")
    rows = cli("convert", "-q", "--from", "conllu", "m.conllu").stdout.decode().split("\n")
    labels = [row.rpartition("NE=")[2] for row in rows if "NE=" in row]
    assert labels == ["B-DAT", "E-DAT", "B-DAT", "I-DAT", "I-DAT", "I-DAT", "E-DAT"]
    assert back(cli) == corpus
    checked = cli("ner", "check", "-v", "m.conllu")
    assert b"W421" not in checked.stderr
    assert checked.stdout.decode().split("\n")[1].startswith("DAT\t2\t")


@pytest.mark.parametrize("level", ["1", "2", "5"])
def test_check_knows_what_we_have_written(cli: Cli, tmp_path: Path, level: str) -> None:
    (tmp_path / "c.txt").write_text("1\t서울\tLOC_B\n2\t왔다\t-\n\n", encoding="utf-8")
    (tmp_path / "m.txt").write_text(MORPHEMES[1], encoding="utf-8")
    cli("ner", "eoj2morph", "--level", level, "--morphemes", "m.txt", "c.txt", "m.conllu")
    assert cli("ner", "check", "m.conllu").text().split("\n")[1].startswith("LOC\t1\t")


def test_check_goes_on_unless_it_is_told_to_stop(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text(CORPUS[0] + "1\t서울\n\n", encoding="utf-8")
    assert cli("ner", "check", "c.txt").text(1).split("\n")[1][:6] == "PER\t1\t"
    assert cli("ner", "check", "--on-error", "stop", "c.txt").text(1) == ""


def test_a_part_of_a_file_is_in_one_format(cli: Cli, tmp_path: Path) -> None:
    corpus = ["김철수 NNP B-PS\n왔다 VV O\n\n", "서울 NNP B-LC\n왔다 VV O\n\n"]
    given(cli, tmp_path, corpus, MORPHEMES[:2], "stop")
    written = (tmp_path / "m.conllu").read_text(encoding="utf-8")
    second = written[written.index("# sent_id = 2") :]
    assert cli("ner", "morph2eoj", stdin=second.encode()).stdout.decode() == corpus[1]
    # Nothing of a format that nothing names.
    bare = "".join([line for line in second.splitlines(True) if "ner_format" not in line])
    made = cli("ner", "morph2eoj", stdin=bare.encode())
    assert made.stdout.decode() == "1\t서울\tLC_B\n2\t왔다\t-\n\n"
    assert b"the file names no format: written as naver" in made.stderr


@pytest.mark.parametrize(
    ("corpus", "wanted"),
    [
        ("서울 NNP B-LC\n왔다 VV O\n\n", "서울 NNP B-OG\n왔다 VV O\n\n"),
        ("0\t서울\tLC_B\n1\t왔다\t-\n\n", "0\t서울\tOG_B\n1\t왔다\t-\n\n"),
    ],
)
def test_other_labels_leave_the_other_cells(
    cli: Cli, tmp_path: Path, corpus: str, wanted: str
) -> None:
    given(cli, tmp_path, [corpus], MORPHEMES[1:2], "stop")
    path = tmp_path / "m.conllu"
    path.write_text(path.read_text("utf-8").replace("NE=B-LC", "NE=B-OG"), "utf-8")
    assert back(cli) == wanted


def test_another_text_is_not_put_back(cli: Cli, tmp_path: Path) -> None:
    given(cli, tmp_path, ["서울 NNP B-LC\n왔다 VV O\n\n"], MORPHEMES[1:2], "stop")
    path = tmp_path / "m.conllu"
    written = path.read_text("utf-8").splitlines(keepends=True)
    edited = [one if one.startswith("# ner") else one.replace("서울", "부산") for one in written]
    path.write_text("".join(edited), "utf-8")
    assert back(cli) == "부산 B-LC\n왔다 VV O\n\n"


@pytest.mark.parametrize("place", ["misc", "column"])
@pytest.mark.parametrize(
    "labels", [("B", "I"), ("PS", "O"), ("_", "O"), ("*", "O"), ("B-PS", "I-PS")]
)
def test_every_label_has_a_place(
    cli: Cli, tmp_path: Path, place: str, labels: tuple[str, str]
) -> None:
    corpus = f"1\t서울\t{labels[0]}\n2\t왔다\t{labels[1]}\n\n"
    (tmp_path / "c.txt").write_text(corpus, encoding="utf-8")
    (tmp_path / "m.txt").write_text(MORPHEMES[1], encoding="utf-8")
    options = ("--from", "naver:rows B-PER", "--ne", place, "--morphemes", "m.txt")
    cli("ner", "eoj2morph", *options, "c.txt", "m.conllu")
    assert back(cli) == corpus


def test_nothing_is_written_of_the_other_unit(cli: Cli, tmp_path: Path) -> None:
    given(cli, tmp_path, CORPUS, MORPHEMES, "stop")
    assert cli("ner", "morph2syl", "m.conllu").text(2) == ""


BIOES = (
    "1\t김철수\t김철수\tPROPN\tNNP\t_\t_\t_\t_\tNE=B-PS\n"
    "2-3\t박사가\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\t박사\t박사\tNOUN\tNNG\t_\t_\t_\t_\tNE=E-PS\n"
    "3\t가\t이\tADP\tJKS\t_\t_\t_\t_\t_\n"
    "4-5\t서울에\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "4\t서울\t서울\tPROPN\tNNP\t_\t_\t_\t_\tNE=S-LC\n"
    "5\t에\t에\tADP\tJKB\t_\t_\t_\t_\t_\n\n"
)


@pytest.mark.parametrize(
    ("action", "form", "wanted"),
    [
        ("morph2syl", "inline", "<김철수 박사:PS>가 <서울:LC>에\n"),
        ("morph2eoj", "naver", "1\t김철수\tPS_B\n2\t박사가\tPS_I\n3\t서울에\tLC_B\n\n"),
        ("morph2eoj", "columns:space B-PER bioes", "김철수 B-PS\n박사가 E-PS\n서울에 S-LC\n\n"),
    ],
)
def test_a_system_may_label_morphemes_in_bioes(
    cli: Cli, action: str, form: str, wanted: str
) -> None:
    made = cli("ner", action, "--to", form, stdin=BIOES.encode())
    assert made.stdout.decode() == wanted
    assert b"ill-formed" not in made.stderr


@pytest.mark.parametrize("more", [1, 3])
def test_morphemes_that_no_sentence_has_are_passed_over(
    cli: Cli, tmp_path: Path, more: int
) -> None:
    extra = [f"덤{at}\t덤{at}/NNG\n\n" for at in range(more)]
    corpus = CORPUS * 4
    given(cli, tmp_path, corpus, MORPHEMES[:1] + extra + MORPHEMES[1:] + MORPHEMES * 3, "skip")
    # As many as it took to find the next that fits.
    assert back(cli).count("\n\n") >= len(corpus) - more


def test_the_format_may_be_named_further_on(cli: Cli, tmp_path: Path) -> None:
    given(cli, tmp_path, CORPUS, MORPHEMES, "stop")
    first, *others = (tmp_path / "m.conllu").read_text("utf-8").split("\n\n")[:-1]
    shuffled = "\n\n".join([*others, first, ""])
    made = cli("ner", "morph2eoj", stdin=shuffled.encode())
    assert made.stdout.decode() == "".join(CORPUS[1:] + CORPUS[:1])
    assert b"names no format" not in made.stderr


def test_morphemes_of_nikl_that_stand_beside_entities_are_taken(cli: Cli, tmp_path: Path) -> None:
    """A file of both is a corpus of entities, and morphemes behind the option."""
    eojeol = {"id": 1, "form": "한강의", "begin": 0, "end": 3}
    pairs = [("한강", "NR"), ("의", "JKG")]
    morphemes = [
        {"id": n, "form": form, "label": tag, "word_id": 1, "position": n}
        for n, (form, tag) in enumerate(pairs, 1)
    ]
    sentence = {"id": "A.1.1", "form": "한강의", "word": [eojeol], "morpheme": morphemes, "NE": []}
    both = {"id": "A", "document": [{"id": "A.1", "sentence": [sentence]}]}
    (tmp_path / "both.json").write_text(json.dumps(both, ensure_ascii=False), "utf-8")
    corpus = "1\t한강의\tLOC_I\n\n".encode()
    made = cli("ner", "eoj2morph", "--morphemes", "both.json", stdin=corpus)
    assert "\tNR\t_\t_\t_\t_\tNE=" in made.stdout.decode(), made.stderr.decode()


def test_given_morphemes_have_the_schemes_that_are_asked_for(cli: Cli, root: Path) -> None:
    klue = root / "samples" / "klue-ner.tsv"
    cli("ner", "syl2morph", klue, "given.conllu")
    schemes = ("--upos", "ud-gsd", "--lemmas", "form")
    given = ("ner", "syl2morph", "--morphemes", "given.conllu")
    made = cli(*given, *schemes, klue).stdout.decode()
    rows = [line.split("\t") for line in made.split("\n") if "\t" in line]
    words = [row for row in rows if "-" not in row[0]]
    assert all([row[2] == row[1] for row in words])
    assert "PROPN" not in {row[3] for row in words}
    usual = cli(*given, klue).stdout.decode()
    assert "\tPROPN\t" in usual


MARKED = "앳킨슨은/B-PS:3 갔다 북한산성에서/B-LC:2 눈썰매를 탔다"


def characters(marked: str, *, blank: bool = False) -> str:
    """Return a sentence in which the first letters of an eojeol are an entity, as KLUE-NER."""
    rows = []
    for number, word in enumerate(marked.split()):
        form, _, of = word.partition("/")
        label, _, length = of.partition(":")
        inside = [label, *["I" + label[1:]] * (int(length) - 1)] if label and not blank else []
        labels = [*inside, *["O"] * (len(form) - len(inside))]
        rows += [" \tO"] * bool(number)
        rows += [f"{character}\t{label}" for character, label in zip(form, labels, strict=True)]
    return "\n".join([*rows, "", ""])


def columns_of(conllu: bytes) -> list[list[str]]:
    """Return the first five columns of the words of CoNLL-U."""
    rows = [line.split("\t") for line in conllu.decode().splitlines() if line[:1].isdigit()]
    return [row[:5] for row in rows]


def test_a_blind_analysis_does_not_know_the_labels(cli: Cli) -> None:
    blind = ("ner", "syl2morph", "--blind", "--on-error", "keep", "--from", "klue-ner:none")
    labelled = cli(*blind, stdin=characters(MARKED).encode())
    plain = cli(*blind, stdin=characters(MARKED, blank=True).encode())
    seeing = cli("ner", "syl2morph", stdin=characters(MARKED).encode())
    assert columns_of(labelled.stdout) == columns_of(plain.stdout) != columns_of(seeing.stdout)
    text = "앳킨슨은 갔다 북한산성에서 눈썰매를 탔다\n".encode()
    assert columns_of(labelled.stdout) == columns_of(cli("analyze", stdin=text).stdout)
    # The entities that end inside a morpheme are widened and told; no comment tells their ends.
    assert (
        "E414 the entity 앳킨슨 (PS) begins or ends inside a morpheme" in labelled.stderr.decode()
    )
    assert b"ner_rows" not in labelled.stdout
    assert b"\tNE=B-LC" in labelled.stdout
    assert cli(*blind[:3], stdin=characters(MARKED).encode()).text(1) == ""
    assert "1 sentence has other morphemes because of its labels" in seeing.stderr.decode()
    assert b"because of" not in labelled.stderr


def test_morphemes_of_a_corpus_are_not_read_blindly(cli: Cli) -> None:
    rows = "## 1\n## 나는\n## <나:PS>는\n나\t나\tNNP\tB-PS\n는\t는\tJX\tO\n\n".encode()
    command = ("ner", "syl2morph", "--from", "kmou")
    tags = [
        [r[4] for r in columns_of(cli(*command, *option, stdin=rows).stdout) if r[4] != "_"]
        for option in ((), ("--blind",))
    ]
    assert tags == [["NNP", "JX"], ["NP", "JX"]]


def test_klue_with_and_without_labels_has_the_same_blind_morphemes(
    cli: Cli, tmp_path: Path, shared: Path
) -> None:
    whole = shared / "data" / "klue-ner" / "klue-ner-v1.1_dev.first3000.tsv"
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text(some(whole.read_text(encoding="utf-8")), encoding="utf-8")
    lines = corpus.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [re.sub("\t[BI]-..$", "\tO", line) for line in lines if not line.startswith("##")]
    (tmp_path / "plain.tsv").write_text("".join(rows), encoding="utf-8")
    blind = ("ner", "syl2morph", "--blind", "--on-error", "keep", "-q")
    labelled = cli(*blind, corpus)
    plain = cli(*blind, "--from", "klue-ner:none", "plain.tsv")
    assert len(columns_of(plain.stdout)) > (80_000 if ALL else 800)
    assert columns_of(labelled.stdout) == columns_of(plain.stdout)


def test_check_reads_json_lines(cli: Cli, root: Path) -> None:
    assert cli("convert", root / "samples" / "naver-ner.tsv", "a.jsonl").returncode == 0
    assert cli("convert", "a.jsonl", "a.conllu", "--level", "5").returncode == 0
    rows, conllu = [cli("ner", "check", name) for name in ("a.jsonl", "a.conllu")]
    assert (rows.returncode, rows.stdout) == (0, conllu.stdout)
    assert b"\nPER\t" in rows.stdout


def test_split_gives_test_no_gold(cli: Cli, tmp_path: Path) -> None:
    corpus = "".join([characters(MARKED) for _ in range(10)])
    (tmp_path / "corpus.tsv").write_text(corpus, encoding="utf-8")
    assert cli("ner", "split", "corpus.tsv", "-o", "parts", "--shares", "60/20/20").returncode == 0
    parts = {path.name: path.read_bytes() for path in (tmp_path / "parts").iterdir()}
    assert sorted(parts) == [
        f"{part}.{end}" for part in ("dev", "test", "train") for end in ("conllu", "gold.tsv")
    ]
    sizes = [parts[f"{part}.gold.tsv"].count(b"\n\n") for part in ("train", "dev", "test")]
    assert sizes == [6, 2, 2]
    assert parts["test.gold.tsv"].decode() == characters(MARKED) * 2
    seeing = columns_of(cli("ner", "syl2morph", stdin=characters(MARKED).encode()).stdout)
    assert columns_of(parts["train.conllu"]) == seeing * 6
    text = "앳킨슨은 갔다 북한산성에서 눈썰매를 탔다\n".encode()
    alone = columns_of(cli("analyze", stdin=text).stdout)
    assert columns_of(parts["dev.conllu"]) == columns_of(parts["test.conllu"]) == alone * 2
    # The output of a tagger is compared with the corpus itself.
    files = ("parts/test.gold.tsv", "parts/test.conllu")
    scores = json.loads(cli("eval", "ner", "--unit", "character", "--json", *files).stdout)
    assert [s["tp"] for s in scores["scores"] if s["name"] in ("LC", "PS")] == [2, 0]
    assert cli("ner", "split", "corpus.tsv", "-o", "parts").returncode == 2
    assert cli("ner", "split", "-o", "piped", stdin=corpus.encode()).returncode == 0
    assert (tmp_path / "piped" / "test.gold.txt").read_bytes().count(b"\n\n") == 1
    (tmp_path / "packed.tsv.gz").write_bytes(gzip.compress(corpus.encode()))
    assert cli("ner", "split", "packed.tsv.gz", "-o", "packed").returncode == 0
    assert (tmp_path / "packed" / "test.gold.tsv").read_bytes().count(b"\n\n") == 1


def test_split_of_eojeols_and_of_one_document(cli: Cli, tmp_path: Path) -> None:
    rows = "".join([f"1\t철수{n}가\tPS_B\n2\t왔다\t-\n\n" for n in range(4)])
    made = cli("ner", "split", "-o", "rows", "--shares", "50/25/25", stdin=rows.encode())
    assert made.returncode == 0
    assert b"\tNE=B-PS" in (tmp_path / "rows" / "test.conllu").read_bytes()
    items = [{"id": n, "text": f"철수{n}가", "label": [[0, 2, "PS"]]} for n in range(4)]
    (tmp_path / "list.json").write_text(json.dumps(items), encoding="utf-8")
    assert cli("ner", "split", "list.json", "-o", "list").returncode == 0
    test = json.loads((tmp_path / "list" / "test.gold.json").read_bytes())
    assert [item["label"] for item in test] == [[[0, 2, "PS"]]]
    done = cli("ner", "split", "list.json", "-o", "none", "--shares", "50/0/50")
    assert (done.returncode, b"dev: 0 sentences, 0 eojeols" in done.stderr) == (0, True)
    assert (tmp_path / "none" / "dev.gold.json").read_bytes() == b""
    assert cli("ner", "split", "list.json", "-o", "x", "--shares", "50/50").returncode == 2
    assert cli("ner", "split", "-o", "y", stdin=b"[1, 2]\n").returncode == 2
    assert not (tmp_path / "x").exists()
    assert not (tmp_path / "y").exists()
    for names in ("list.json",), ("list.json", "-o", "-"), (".", "-o", "z"):
        assert "folder" in cli("ner", "split", *names).told_only()
