"""Frames: the Korean FrameNet to morphemes at every level, and back to the byte."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER, RULES, read_text
from hypothesis import given
from hypothesis import strategies as st
from portions import some, some_levels

from sejongud.converters.frames import FrameReader, FrameWriter, without_edge_symbols
from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import Report
from sejongud.formats import recognise
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.conllu.layers import FRAME_COLUMNS
from sejongud.formats.conllu.plus import instance_columns
from sejongud.formats.framenet import FrameNet
from sejongud.formats.sejong import SejongReader
from sejongud.levels.cut import Granularity, SymbolRules
from sejongud.model import LEVELS, FrameInstance, Target
from sejongud.statistics.layers import FrameCounts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Cli

    from sejongud.converters.frames import Vote
    from sejongud.errors import Incident

CUTS = {level: Recut(Granularity(RULES, level), retag=True, relemma=True) for level in LEVELS}
FILES = ["jkfn_tst.tsv", "kfn-1.1-dev.tsv"]


def there(
    text: str,
    morphemes: str,
    *,
    level: int = 5,
    symbols: bool = True,
    general: bool = False,
    merge: bool = False,
) -> str:
    """A corpus as CoNLL-U Plus."""
    layout = FrameNet(FrameNet.sniff(text) or "")
    forward = FrameReader(ASSEMBLER, layout, symbols=symbols, general=general, merge=merge)
    forward.give(iter(read_text(SejongReader(ASSEMBLER), morphemes)))
    sentences = read_text(forward, text)
    instances = max(len(sentence.frames) for sentence in sentences)
    assert forward.instances == instances
    writer = CutWriter(
        CUTS[level], ConlluWriter(columns=instance_columns(FRAME_COLUMNS, instances))
    )
    blocks = [writer.sentence(sentence) for sentence in sentences]
    return writer.preamble + "".join(blocks)


def back(text: str, *, vote: Vote = "first", report: Report | None = None) -> str:
    """CoNLL-U Plus as a corpus."""
    backward = FrameWriter(RULES, vote=vote)
    written = []
    for sentence in read_text(ConlluReader(ASSEMBLER), text):
        written.append(backward.sentence(sentence))
        if report is not None:
            report.tell(backward.loses(sentence), "-", sent_id=sentence.sent_id)
    return "".join([*written, backward.end()])


@pytest.fixture
def sample(root: Path) -> tuple[str, str]:
    """The sample and its morphemes."""
    folder = root / "samples"
    corpus = (folder / "framenet.tsv").read_text(encoding="utf-8")
    return corpus, (folder / "framenet.txt").read_text(encoding="utf-8")


FIGURE = """\
16	30	30	_	_	B-Time
17-19	여년간	_	_	_	_
17	여	여	_	_	I-Time
18	년	년	_	_	I-Time
19	간	간	_	_	I-Time
20-21	오스트리아를	_	_	_	_
20	오스트리아	오스트리아	_	_	B-Dependent_entity
21	를	을	_	_	I-Dependent_entity
22-24	통치한	_	_	_	_
22	통치	통치	통치하다.v	Being_in_control	B-FrameTarget
23	하	하	_	_	I-FrameTarget
24	ㄴ	은	_	_	I-FrameTarget
25-26	좌익이	_	_	_	_
25	좌익	좌익	_	_	B-Controlling_entity
26	이	이	_	_	I-Controlling_entity
"""


def test_the_rows_of_figure_3_14() -> None:
    before = [("아", "아/IC")] * 15
    eojeols = [
        *before,
        ("30", "30/SN"),
        ("여년간", "여/XSN+년/NNB+간/XSN"),
        ("오스트리아를", "오스트리아/NNP+를/JKO"),
        ("통치한", "통치/NNG+하/XSV+ㄴ/ETM"),
        ("좌익이", "좌익/NNG+이/JKS"),
    ]
    labels = ["B-Time", "I-Time", "B-Dependent_entity", "O", "B-Controlling_entity"]
    rows = []
    for number, ((form, _), label) in enumerate(zip(eojeols, ["O"] * 15 + labels, strict=True)):
        target = "통치하다.v\tBeing_in_control" if form == "통치한" else "_\t_"
        rows.append(f"{number}\t{form}\t{target}\t{label}\n")
    text = f"#text:{' '.join([form for form, _ in eojeols])}\n{''.join(rows)}\n"
    morphemes = "".join([f"{form}\t{analysis}\n" for form, analysis in eojeols]) + "\n"
    made = there(text, morphemes)
    lines = [line for line in made.split("\n") if re.match(r"(1[6-9]|2\d)[\t-]", line)]
    cells = [line.split("\t") for line in lines]
    lines = ["\t".join([*row[:3], *row[10:13]]) for row in cells]
    # LEMMA of a particle is the form that rules/lemmas.tsv has for all its variants.
    assert "\n".join([*lines, ""]) == FIGURE
    assert back(made) == text


def test_the_sample_becomes_what_is_expected(sample: tuple[str, str], root: Path) -> None:
    expected = root / "samples" / "expected" / "framenet.frames.conllu"
    assert there(*sample) == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"merge": True},
        {"symbols": False},
        {"general": True},
        {"symbols": False, "general": True, "merge": True},
    ],
)
def test_the_sample_comes_back(
    sample: tuple[str, str], level: int, end: str, options: dict[str, bool]
) -> None:
    corpus, morphemes = sample
    corpus = corpus.replace("\n", end)
    made = there(corpus, morphemes, level=level, **options)
    assert back(made) == corpus


@pytest.mark.parametrize("level", LEVELS)
def test_frames_are_recut_from_level_to_level(sample: tuple[str, str], level: int) -> None:
    for other in LEVELS:
        text = there(*sample, level=other, symbols=False)
        sentences = read_text(ConlluReader(ASSEMBLER), text)
        writer = CutWriter(CUTS[level], ConlluWriter(columns=FRAME_COLUMNS))
        made = writer.preamble + "".join(map(writer.sentence, sentences))
        assert back(made) == sample[0]


@pytest.mark.parametrize("merge", [False, True])
def test_frames_ride_through_convert(
    sample: tuple[str, str], cli: Cli, tmp_path: Path, merge: bool
) -> None:
    text = there(*sample, merge=merge)
    (tmp_path / "5").write_text(text, encoding="utf-8")
    assert cli("convert", "--level", "3", "5", "3").returncode == 0
    assert cli("convert", "3", "back").returncode == 0
    assert (tmp_path / "back").read_text(encoding="utf-8") == text
    assert back((tmp_path / "3").read_text(encoding="utf-8")) == sample[0]
    lost = cli("convert", "--to", "sejong", "5", "text").stderr
    assert lost.count(b": W427 the frame ") == 6


FORMS = {
    "나는": "나/NP+는/JX",
    "“간다.”": "“/SS+가/VV+ㄴ다/EF+./SF+”/SS",
    "…": "…/SE",
    "집": "집/NNG",
    "했다": "하/VV+었/EP+다/EF",
}
LABELS = ["O", "O", "B-Theme", "I-Theme", "B-Goal", "I-Goal", "S-Goal", "E-Theme"]
TARGETS = ["_\t_", "_\t_", "가다.v\tMotion", "집.n\tBuildings", "가다.v\t_"]
ROWS = st.lists(
    st.tuples(st.sampled_from(sorted(FORMS)), st.sampled_from(TARGETS), st.sampled_from(LABELS)),
    min_size=1,
    max_size=6,
)
HEADS = st.sampled_from(["", "#anno-id:3\n", "#sentid:3\n#source:a = b\n", "#x:1\n#x:2\n", "#x\n"])


@given(
    st.lists(st.tuples(HEADS, st.booleans(), ROWS), min_size=1, max_size=4),
    st.sampled_from(LEVELS),
    st.booleans(),
    st.booleans(),
)
def test_the_ways_are_inverse(
    blocks: list[tuple[str, bool, list[tuple[str, str, str]]]],
    level: int,
    symbols: bool,
    merge: bool,
) -> None:
    corpus, morphemes = "", ""
    for head, has_text, rows in blocks:
        text = "#text:" + " ".join([form for form, _, _ in rows]) + "\n" if has_text else ""
        lines = [f"{at}\t" + "\t".join(row) + "\n" for at, row in enumerate(rows)]
        corpus += head + text + "".join(lines) + "\n"
        morphemes += "".join([f"{form}\t{FORMS[form]}\n" for form, _, _ in rows]) + "\n"
    made = there(corpus, morphemes, level=level, symbols=symbols, merge=merge)
    assert back(made) == corpus


# --- a system's labels ----------------------------------------------------------------------------

SYSTEM = """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC \
FRAME:TARGET FRAME:FRAME FRAME:ANNOTATION
# sent_id = s
# text = 학교에서만 간다.
1-3	학교에서만	_	_	_	_	_	_	_	_	_	_	_
1	학교	학교	NOUN	NNG	_	_	_	_	_	_	_	{}
2	에서	에서	ADP	JKB	_	_	_	_	_	_	_	{}
3	만	만	ADP	JX	_	_	_	_	_	_	_	{}
4-6	간다.	_	_	_	_	_	_	_	_	_	_	_
4	가	가	VERB	VV	_	_	_	_	_	가다.v	Motion	{}
5	ㄴ다	는다	PART	EF	_	_	_	_	_	_	_	{}
6	.	.	PUNCT	SF	_	_	_	_	_	_	_	{}

"""
TARGET = ["B-FrameTarget", "I-FrameTarget"]
MOTION = "가다.v\tMotion\tO"


@pytest.mark.parametrize(
    ("labels", "vote", "rows", "told", "lost"),
    [
        (["O", "B-A", "B-B", *TARGET, "O"], "first", ["_\t_\tB-A", MOTION], [1], ["만 (B)"]),
        (["O", "B-A", "B-B", *TARGET, "O"], "last", ["_\t_\tB-B", MOTION], [1], ["에서 (A)"]),
        (["O", "B-A", "B-B", *TARGET, "O"], "head", ["_\t_\tO", MOTION], [1],
         ["에서 (A)", "만 (B)"]),
        (["O", "O", "O", "O", "O", "B-A"], "first", ["_\t_\tO", "_\t_\tO"], [], [". (A)"]),
        (["O", "O", "O", "O", "O", "B-A"], "any", ["_\t_\tO", "_\t_\tB-A"], [], []),
        # The second eojeol has the rest of the frame element, whose first eojeol has another.
        (["B-A", "O", "B-B", "I-B", "I-B", "O"], "first", ["_\t_\tB-A", "_\t_\tB-B"], [1], []),
        (["O", "O", "B-B", "I-B", "I-B", "O"], "first", ["_\t_\tB-B", "_\t_\tI-B"], [1], []),
        (["O", "O", "O", TARGET[0], "B-A", "O"], "first", ["_\t_\tO", MOTION], [2], ["ㄴ다 (A)"]),
        (["O", "O", "O", TARGET[0], "B-A", "O"], "last", ["_\t_\tO", "_\t_\tB-A"], [2],
         ["the target 가다.v (Motion)"]),
    ],
)  # fmt: skip
def test_spans_that_begin_or_end_inside_an_eojeol(
    labels: list[str], vote: Vote, rows: list[str], told: list[int], lost: list[str]
) -> None:
    incidents: list[Incident] = []
    report = Report(incidents.append)
    text = back(SYSTEM.format(*labels), vote=vote, report=report)
    forms = ["학교에서만", "간다."]
    lines = [f"{at}\t{form}\t{row}" for at, (form, row) in enumerate(zip(forms, rows, strict=True))]
    assert text == "\n".join(["#text:학교에서만 간다.", *lines, "", ""])
    assert [(i.code, i.sent_id, i.token) for i in incidents] == [
        *[("W426", "s", str(at)) for at in told],
        *[("W427", "s", "")] * len(lost),
    ]
    messages = [one.message for one in incidents if one.code == "W427"]
    assert [message.partition(" is not written")[0] for message in messages] == lost


def test_losses_are_summed_by_sentence(cli: Cli) -> None:
    """Two sentences lose three frame elements, a third one loses none."""
    head, _, rows = SYSTEM.partition("\n")
    labels = (["O", "O", "B-C", "O", "O", "B-A"], ["B-A", "B-B", "B-D", "O", "O", "O"], ["O"] * 6)
    sentences = [rows.replace("= s", f"= {n}").format(*own) for n, own in enumerate(labels)]
    done = cli("frame", "morph2eoj", stdin="\n".join([head, "".join(sentences)]).encode())
    told = "3 frame elements or targets of 2 sentences were not written: their eojeols"
    assert told in done.stderr.decode()


def test_riders_are_not_used_for_other_labels(sample: tuple[str, str]) -> None:
    made = there(*sample)
    changed = made.replace("FE=B-Unit", "FE=B-Other")
    assert changed != made
    text = back(changed)
    assert "\t어제.adv\tCalendric_unit\tB-Other\n" in text
    # The blank line that the last block lacks is known to the comment alone.
    assert text == sample[0].replace("B-Unit", "B-Other") + "\n"


# --- evaluation -----------------------------------------------------------------------------------


def test_a_system_is_measured_in_eojeols_and_in_words(
    cli: Cli, tmp_path: Path, sample: tuple[str, str]
) -> None:
    gold = sample[0].split("\n\n")[0] + "\n\n"
    (tmp_path / "gold.tsv").write_text(gold, encoding="utf-8")
    made = there(gold, sample[1].split("\n\n")[0] + "\n\n")
    (tmp_path / "gold.conllu").write_text(made, encoding="utf-8")
    # The system leaves 은 out, and takes 어제 for a place.
    made = made.replace("\tI-Speaker", "\tO").replace("\tB-Time", "\tB-Place")
    (tmp_path / "system.conllu").write_text(made, encoding="utf-8")

    def scores(*args: str) -> dict[str, dict[str, float]]:
        text = cli("eval", "frame", "--json", *args).text()
        return {score["name"]: score for score in json.loads(text)["scores"]}

    eojeols = scores("gold.tsv", "system.conllu")
    assert [eojeols["Entities"][key] for key in ("tp", "fp", "fn")] == [3, 1, 1]
    assert eojeols["FrameTarget"]["tp"] == eojeols["Speaker"]["tp"] == 1
    assert [eojeols[name]["correct"] for name in ("strict", "exact", "partial")] == [3, 4, 4]
    words = scores("--unit", "word", "gold.conllu", "system.conllu")
    assert [words["Entities"][key] for key in ("tp", "fp", "fn")] == [2, 2, 2]
    assert [words["partial"][key] for key in ("correct", "partial")] == [3, 1]
    refused = cli("eval", "frame", "--unit", "word", "gold.tsv", "system.conllu")
    assert (refused.returncode, b"has eojeols and no words" in refused.stderr) == (2, True)


def test_texts_that_differ_are_aligned(cli: Cli, tmp_path: Path, sample: tuple[str, str]) -> None:
    (tmp_path / "gold.tsv").write_text(sample[0], encoding="utf-8")
    cut = sample[0].replace(
        "0\t하늘은\t_\t_\tB-Speaker\n", "0\t하늘\t_\t_\tB-Speaker\n1\t은\t_\t_\tI-Speaker\n"
    )
    (tmp_path / "system.tsv").write_text(cut, encoding="utf-8")
    result = cli("eval", "frame", "--json", "gold.tsv", "system.tsv")
    found = {score["name"]: score for score in json.loads(result.stdout)["scores"]}
    assert found["strict"]["correct"] == 18
    assert found["strict"]["missed"] == found["strict"]["spurious"] == 0


# --- real corpora and the command -----------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_a_public_file_comes_back(shared: Path, cli: Cli, tmp_path: Path, name: str) -> None:
    texts = some((shared / "data" / "korean-framenet" / name).read_text(encoding="utf-8"))
    source = tmp_path / name
    source.write_text(texts, encoding="utf-8")
    made, given = tmp_path / "made.conllu", tmp_path / "given.conllu"
    there = cli("frame", "eoj2morph", source, made)
    assert there.returncode == 0
    distinct = len(set(re.findall(r"(?m)^#text:.*$", texts)))
    assert f"{distinct:,} sentences were analysed by Kiwi".encode() in there.stderr
    cli("frame", "morph2eoj", made, "back.tsv")
    assert (tmp_path / "back.tsv").read_bytes() == source.read_bytes()
    made.rename(given)
    runs = [["--level", str(level)] for level in some_levels() if level < LEVELS[-1]]
    runs += [["--merge-instances"], ["--symbols", "out"]]
    for options in runs:
        run = ["frame", "eoj2morph", "--morphemes", str(given), *options, "--force"]
        assert cli(*run, source, made).returncode == 0
        assert cli("frame", "morph2eoj", made, "back.tsv", "--force").returncode == 0
        assert (tmp_path / "back.tsv").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_every_element_of_a_target_is_kept(
    shared: Path, cli: Cli, tmp_path: Path, name: str
) -> None:
    text = some((shared / "data" / "korean-framenet" / name).read_text(encoding="utf-8"))
    source = tmp_path / name
    source.write_text(text, encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n")]
    wanted = [row[4] for row in rows if len(row) == 5 and row[2] != "_" and row[4] != "O"]
    made = cli("frame", "eoj2morph", "--level", "1", source).stdout.decode()
    assert Counter(re.findall(r"\bFE=(\S+)", made)) == Counter(wanted)


def test_sentences_are_merged(sample: tuple[str, str]) -> None:
    made = there(*sample, merge=True)
    assert made.count("# sent_id = ") == 4
    assert re.findall(r"# (frame\d*:number = \d)", made) == [
        "frame:number = 1", "frame2:number = 2", "frame3:number = 6",
        "frame:number = 3", "frame:number = 4", "frame:number = 5",
    ]  # fmt: skip


@pytest.mark.parametrize(("options", "ids"), [
    ((), ["K-1", "K-1-2", "K-2", "K-3", "K-4", "K-1-3"]),
    (("--merge-instances",), ["K-1", "K-2", "K-3", "K-4"]),
])  # fmt: skip
def test_the_ids_of_the_morphemes_are_kept(
    cli: Cli, tmp_path: Path, sample: tuple[str, str], options: tuple[str, ...], ids: list[str]
) -> None:
    corpus, morphemes = sample
    numbered = [
        f"# sent_id = K-{n}\n{one}" for n, one in enumerate(morphemes.strip().split("\n\n"), 1)
    ]
    (tmp_path / "base.txt").write_text("\n\n".join(numbered) + "\n", encoding="utf-8")
    (tmp_path / "in.tsv").write_text(corpus, encoding="utf-8")
    run = ("frame", "eoj2morph", "--morphemes", "base.txt", *options, "in.tsv", "out")
    assert cli(*run).returncode == 0
    made = (tmp_path / "out").read_text(encoding="utf-8")
    assert re.findall("# sent_id = (.*)", made) == ids
    assert "# anno_id = 1\n" in made
    assert cli("frame", "morph2eoj", "out", "back").returncode == 0
    assert (tmp_path / "back").read_text(encoding="utf-8") == corpus


def test_layers_of_the_morphemes_that_are_not_written_are_told(
    cli: Cli, tmp_path: Path, sample: tuple[str, str]
) -> None:
    """Frames, and the dependencies and entities of eojeols that begin elsewhere."""
    rows = (
        "1\t비가\t비+가\tNOUN\tNNG+JKS\t_\t2\tnsubj\t_\tNE=B-NT\t_\t_\tB-A\n"
        "2\t온다\t오+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t_\t_\t오다.v\tRain\tB-FrameTarget\n\n"
    )
    columns = there(*sample).partition("\n")[0]
    (tmp_path / "m.conllu").write_text(f"{columns}\n{rows}", encoding="utf-8")
    (tmp_path / "in.tsv").write_text(
        "0\t비\t_\t_\tB-A\n1\t가\t_\t_\tO\n2\t온다\t오다.v\tFall\tO\n\n"
    )
    done = cli("frame", "eoj2morph", "--morphemes", "m.conllu", "in.tsv", "out")
    for said in (
        "W441 비+가 (NT) is not written: the corpus has other eojeols",
        "W301 not written: dependencies",
        "1 other frame of the file with the morphemes was not written",
    ):
        assert said in done.stderr.decode()
    # Those of the corpus itself are written.
    run = ("frame", "eoj2morph", "--morphemes", "out", "in.tsv", "again")
    assert "other frame" not in cli(*run).stderr.decode()


def test_general_arguments(sample: tuple[str, str]) -> None:
    made = there(*sample, general=True)
    labels = {line.split("\t")[-1] for line in made.split("\n") if line[:1].isdigit()}
    assert labels == {"_", "O", "B-FrameTarget", "I-FrameTarget", "B-Argument", "I-Argument"}
    assert "FE=B-Argument" in made


def test_an_empty_file_stays_empty(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").write_bytes(b"")
    assert cli("frame", "eoj2morph", "empty.tsv", "made").returncode == 0
    assert cli("frame", "morph2eoj", "made", "back").returncode == 0
    assert (tmp_path / "made").read_bytes() == (tmp_path / "back").read_bytes() == b""


def test_line_ends_come_back(cli: Cli, tmp_path: Path, root: Path) -> None:
    text = (root / "samples" / "framenet.tsv").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "in.tsv").write_bytes(text)
    given = root / "samples" / "framenet.txt"
    assert cli("frame", "eoj2morph", "--morphemes", given, "in.tsv", "made").returncode == 0
    assert cli("frame", "morph2eoj", "made", "back").returncode == 0
    assert (tmp_path / "back").read_bytes() == text
    # No line of such a file needs a comment for its end.
    assert (tmp_path / "made").read_text(encoding="utf-8").count("frame:block") == 1


def test_a_faulty_row_is_told_with_its_place(cli: Cli, tmp_path: Path, root: Path) -> None:
    text = (root / "samples" / "framenet.tsv").read_text(encoding="utf-8")
    damaged = text.replace("\tB-Time\n", "\n", 1)
    (tmp_path / "in.tsv").write_text(damaged, encoding="utf-8")
    run = ("frame", "eoj2morph", "--morphemes", root / "samples" / "framenet.txt", "in.tsv", "out")
    stopped = cli(*run)
    assert stopped.returncode == 1
    assert b'File "in.tsv", line 5' in stopped.stderr
    assert b"found 4 columns" in stopped.stderr
    assert cli(*run, "--on-error", "keep").returncode == 1
    assert cli("frame", "morph2eoj", "out", "back").returncode == 0
    assert (tmp_path / "back").read_text(encoding="utf-8") == damaged


def test_a_file_of_another_kind(cli: Cli, root: Path) -> None:
    sejong_file = root / "samples" / "sejong.txt"
    assert "looks like no corpus of frames" in cli("frame", "eoj2morph", sejong_file).told(2)
    result = cli("frame", "morph2eoj", root / "samples" / "ud.conllu")
    assert (result.returncode, b"must name the columns FRAME:TARGET" in result.stderr) == (1, True)
    assert "the columns are ID FORM FRAME:TARGET; those" in cli(
        "frame", "morph2eoj", stdin=b"# global.columns = ID FORM FRAME:TARGET\n1\ta\t_\n"
    ).told(1)


def _in_rows(change: Callable[[list[str]], list[str]]) -> Callable[[str], str]:
    """A change of the cells of each row."""
    return lambda text: "\n".join(
        ["\t".join(change(line.split("\t"))) if "\t" in line else line for line in text.split("\n")]
    )


def _without_last_cells(text: str) -> str:
    lines = enumerate(text.split("\n"))
    return "\n".join([line if number % 3 else line.rpartition("\t")[0] for number, line in lines])


COPIES: dict[str, Callable[[str], str]] = {
    "as distributed": str,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "rows alone": lambda text: re.sub(r"(?m)^#.*\n", "", text),
    "other keys": lambda text: text.replace("#sentid", "#SENTID").replace("#anno-id", "#ID"),
    "no elements": _in_rows(lambda row: [*row[:-1], "O"]),
    "no targets": _in_rows(lambda row: [*row[:-3], "_", "_", row[-1]]),
    "no last line end": lambda text: text.rstrip("\n"),
    "empty lines": lambda text: "\n\n" + text.replace("\n\n", "\n\n\n"),
    "one row": lambda text: next(line for line in text.split("\n") if "\t" in line),
    "names of columns": "no\teojeol\tunit\tframe\telement\n".__add__,
    "a tab behind each row": _in_rows(lambda row: [*row, ""]),
    "cells are missing": _without_last_cells,
}


@pytest.mark.parametrize("name", ["samples/framenet.tsv", "tests/data/framenet-0.8.tsv"])
@pytest.mark.parametrize("copy", COPIES)
def test_copies_of_the_corpus_are_recognised(root: Path, name: str, copy: str) -> None:
    text = COPIES[copy]((root / name).read_text(encoding="utf-8"))
    assert recognise(None, text).name == "framenet"


OTHER_TABLES = {
    "CoNLL-2003 with numbers": "1\t하늘이\tNNP\tB-NP\tB-PER\n2\t갔다\tVV\tB-VP\tO\n\n",
    "roles of a predicate": "1\t나는\t_\t_\tB-A0\n2\t간다\tY\t가다.01\tO\n\n",
    "morphemes and entities": "0\t서울에\t서울/NNP+에/JKB\tNP_AJT\tB-LOC\n",
    "heads and entities": "1\t강의\t강/NNG+의/JKG\t2\tB-LC\n2\t물\t물/NNG\t0\tO\n\n",
    "CoNLL-2009": "1\t나는\t나\t나\tN\tN\t_\t_\t2\t2\tSBJ\tSBJ\t_\t_\tA0\n"
    "2\t간다\t가다\t가다\tV\tV\t_\t_\t0\t0\tROOT\tROOT\tY\t가다.01\t_\n\n",
    "CoNLL-2009 with BIO": "1\t나는\t나\t나\tN\tN\t_\t_\t0\t0\tROOT\tROOT\t_\t_\tB-A0\n\n",
    "15 numbers": "\t".join(map(str, range(15))) + "\n",
    "15 words": "1\t" + "\t".join(["봄"] * 13) + "\tO\n",
    "entities of NAVER": "1\t한강의\tLOC_B\n2\t물\t-\n\n",
    "CoNLL-U": "1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n",
}


@pytest.mark.parametrize("table", OTHER_TABLES)
def test_other_tables_are_no_frames(table: str) -> None:
    assert FrameNet.sniff(OTHER_TABLES[table]) is None


@pytest.mark.parametrize(
    ("name", "settings"),
    [("samples/framenet.tsv", "lf"), ("tests/data/framenet-0.8.tsv", "lf 0.8")],
)
def test_other_commands_read_frames(cli: Cli, root: Path, name: str, settings: str) -> None:
    corpus = root / name
    for command in (
        "convert", "draw", "freq", "generate", "grep tag=NNG", "report",
        "show", "stats", "validate",
    ):  # fmt: skip
        result = cli(*command.split(), corpus, *(["a.html"] if command == "report" else []))
        told = result.stderr.decode()
        assert result.returncode == 0, told
        assert f"detected format: framenet {settings} (" in told, command
    plus = cli("convert", corpus, "-").stdout
    assert plus == cli("frame", "eoj2morph", corpus, "-").stdout
    assert "frame eoj2morph" in cli("validate", "--roundtrip", "--select", "E9", corpus).text()


def test_the_tables_of_a_file(cli: Cli, root: Path, tmp_path: Path) -> None:
    corpus = root / "samples" / "framenet.tsv"
    (tmp_path / "a.tsv").write_bytes(corpus.read_bytes())
    result = cli("frame", "stats", "a.tsv", root / "samples" / "expected/framenet.frames.conllu")
    rows = [re.split(r"  +", line) for line in result.stdout.decode().splitlines()]
    found = {row[0]: row[1:] for row in rows[:7]}
    assert found["Noun"] == ["1"] * 3
    assert found["Verb"] == ["4"] * 3
    assert found["Others"] == ["1"] * 3
    assert found["Total"] == ["6"] * 3
    sizes = {row[0]: row[1:] for row in rows[-3:]}
    assert sizes == {
        "sentences": ["4", "4", "4"],
        "instances": ["6", "6", "12"],
        "frames per sentence": ["1.500", "1.500", "3.000"],
    }
    both, other = FrameCounts(), FrameCounts()
    both.add(["봄"], [None])
    other.add(["눈"], [None])
    both.update(other)
    assert (both.sentences, both.instances) == (2, 2)


@pytest.mark.parametrize("name", FILES)
def test_the_tables_are_those_of_a_plain_count(shared: Path, cli: Cli, name: str) -> None:
    source = shared / "data" / "korean-framenet" / name
    text = source.read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.split("\n")]
    pairs = {(row[2], row[3]) for row in lines if len(row) == 5 and row[2] != "_"}
    verbs = {unit for unit, _ in pairs if unit.endswith(".v")}
    of_verbs = len({pair for pair in pairs if pair[0] in verbs}) / len(verbs)
    printed = cli("frame", "stats", source).text()
    assert re.search(rf"^Verb +{len(verbs):,}$", printed, re.MULTILINE)
    assert re.search(rf"^Verb +{of_verbs:.3f}$", printed, re.MULTILINE)
    sizes = len(set(re.findall(r"(?m)^#text:.*$", text))), text.count("#text:")
    assert re.search(rf"^sentences +{sizes[0]:,}\ninstances +{sizes[1]:,}$", printed, re.MULTILINE)


def test_an_instance_with_a_number_of_many_digits_is_a_comment(cli: Cli, tmp_path: Path) -> None:
    names = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC " + " ".join(FRAME_COLUMNS)
    comment = f"# frame{'9' * 5000}:a = b\n"
    row = "1\t나\t나\tPRON\tNP\t_\t_\t_\t_\t_\ta.v\tX\tB-FrameTarget\n\n"
    (tmp_path / "in").write_text(
        f"# global.columns = {names}\n{comment}# text = 나\n{row}", "utf-8"
    )
    done = cli("convert", "in")
    assert (done.returncode, comment.encode() in done.stdout) == (0, True)


def test_a_symbol_at_the_end_of_an_element_of_two_eojeols_has_no_label() -> None:
    eojeols = [ASSEMBLER["학교\t학교/NNG"], ASSEMBLER["에서.\t에서/JKB+./SF"]]
    labels = (("B-Place",), ("I-Place", "I-Place"))
    external = SymbolRules(ASSEMBLER.rules).external
    edges = ("B-Place", "I-Place")
    cut = without_edge_symbols(eojeols, FrameInstance((None, None), labels), edges, external)
    assert cut.labels == (("B-Place",), ("I-Place", "O"))
    # A target is one thing over its eojeols: a symbol between them belongs to it.
    eojeols = [ASSEMBLER["학교,\t학교/NNG+,/SP"], ASSEMBLER["에서.\t에서/JKB+./SF"]]
    target = Target("학교.n", "Locale")
    cut = without_edge_symbols(
        eojeols, FrameInstance((target, target), (("O", "O"),) * 2), ("O", "O"), external
    )
    assert cut.targets == (target, target._replace(at=(0,)))


SYNTAX = "framenet-0.8.tsv"
VARIANTS: list[tuple[str, str]] = [
    ("", ""),
    ("\n", "\r\n"),
    ("#sentid:", "#anno-id:"),
    ("#sentid:12\n", "#sentid:12\n#source:sejong\n"),
    ("_\t_\t-1\t-1", "_\t_\t_\t_"),
    ("4\t4\tNP_AJT\tNP_AJT", "4\t3\tNP_AJT\tNP_CNJ"),
    ("살다.v\tResidence\tO", "살다.v\tResidence\tS-Resident"),
    ("달려가다.v\tSelf_motion", "_\t_"),
    ("SN+NNB+JKG\t_", "SN+NNB+JKG\tnum"),
    ("#text:우리는 ", "#text:우리는  "),
    ("\n1\t어제", "\n#1\t어제"),
]


@pytest.mark.parametrize(("old", "new"), VARIANTS)
@pytest.mark.parametrize("level", some_levels())
@pytest.mark.parametrize("merge", [(), ("--merge-instances",)])
def test_rows_with_morphemes_heads_and_frames_come_back(
    cli: Cli, root: Path, tmp_path: Path, old: str, new: str, level: int, merge: tuple[str, ...]
) -> None:
    text = (root / "tests" / "data" / SYNTAX).read_text(encoding="utf-8").replace(old, new)
    corpus, middle, again = (tmp_path / name for name in ("a.tsv", "b.conllu", "c.tsv"))
    corpus.write_bytes(text.encode())
    message = cli("frame", "eoj2morph", corpus, middle, "--level", str(level), *merge).told()
    assert "analysed by Kiwi" not in message
    assert "W301" not in cli("frame", "morph2eoj", middle, again).told()
    assert again.read_bytes() == text.encode()


def test_heads_and_labels_are_read_with_the_frames(cli: Cli, root: Path) -> None:
    result = cli("convert", root / "tests" / "data" / SYNTAX, "-", "--level", "5")
    rows = result.stdout.decode().split("\n")
    assert (
        "8	살	살	VERB	VV	_	0	VP	_	_	살다.v	Residence	B-FrameTarget"
        in rows
    )
    assert (
        "6	마을	마을	NOUN	NNG	_	8	NP_AJT	_	_	_	_	I-Location"
        in rows
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("_\t_\t-1\t-1", "_\t_\t9\t9", "HEAD 9: expected the number of another row, or -1"),
        ("_\t_\t-1\t-1", "_\t_\t4\t4", "HEAD 4: expected the number of another row, or -1"),
        ("_\t_\t-1\t-1", "_\t_\tx\tx", "HEAD x: expected the number of another row, or -1"),
        ("살/VV+았/EP+다/EF+./SF\t", "", "expected 15 columns"),
        ("살/VV+았/EP", "살+았/EP", "7: E103 expected form/TAG, found '살'"),
        ("\tNP_SBJ\tNP_SBJ", "\t\tNP_SBJ", "an empty one"),
    ],
)
@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_a_faulty_row_of_morphemes_costs_its_instance(
    cli: Cli, root: Path, tmp_path: Path, old: str, new: str, message: str, on_error: str
) -> None:
    text = (root / "tests" / "data" / SYNTAX).read_text(encoding="utf-8").replace(old, new, 1)
    corpus = tmp_path / "a.tsv"
    corpus.write_text(text, encoding="utf-8")
    result = cli("frame", "eoj2morph", corpus, "-", "--on-error", on_error)
    told = result.stderr.decode()
    assert (message in told, "Traceback" in told) == (True, False), told
    assert result.stdout.count(b"# sent_id") == 3 + (new.startswith("살+") and on_error == "keep")
