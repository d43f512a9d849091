"""The command line of word2morph, morph2word and stats: files, errors, reports."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from sejongud.formats import TREES, WRITERS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

WORDS = """\
# sent_id = 가-1
# text = 집에 갔다.
1\t집에\t집+에\tADV\tNNG+JKB\t_\t2\tobl\t_\tGloss=home
2\t갔다\t가+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t_

"""
MORPHEMES = """\
# sent_id = 가-1
# text = 집에 갔다.
1-2\t집에\t_\t_\t_\t_\t_\t_\t_\tGloss=home|WordUPOS=ADV
1\t집\t집\tNOUN\tNNG\t_\t3\tobl\t_\t_
2\t에\t에\tADP\tJKB\t_\t1\tcase\t_\t_
3-5\t갔다\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\t가\t가\tVERB\tVV\t_\t0\troot\t_\t_
4\t았\t었\tPART\tEP\t_\t3\tmark\t_\t_
5\t다\t다\tPART\tEF\t_\t3\tmark\t_\t_
6\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_

"""


OF_THE_MEMOIR = MORPHEMES.replace("PART\tEP", "AUX\tEP").replace("\tmark\t", "\taux\t")
PARTICLES = """\
# sent_id = 가-1
# text = 집에 갔다.
1-2\t집에\t_\t_\t_\t_\t_\t_\t_\tGloss=home|WordUPOS=ADV
1\t집\t집\tNOUN\tNNG\t_\t3\tobl\t_\t_
2\t에\t에\tADP\tJKB\t_\t1\tcase\t_\t_
3\t갔다\t가+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_

"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", MORPHEMES),
        ("--scheme ud --level 5", MORPHEMES),
        ("--scheme morphud", OF_THE_MEMOIR),
        ("--level 3", PARTICLES),
        ("--level 2", WORDS),
    ],
)
def test_there_and_back(cli: Cli, options: str, expected: str) -> None:
    made = cli("dep", "word2morph", *options.split(), stdin=WORDS.encode())
    assert (made.returncode, made.stdout.decode()) == (0, expected)
    assert cli("dep", "morph2word", stdin=made.stdout).text() == WORDS


KAIST = """\
# sent_id = k
# text = 집에 가지 않았다
1\t집에\t집+에\tADV\tncn+jca\t_\t2\tobl\t_\t_
2\t가지\t가+지\tVERB\tpvg+ecx\t_\t0\troot\t_\t_
3\t않았다\t않\tAUX\tpx+ep+ef\t_\t2\taux\t_\tOrigLemma=않+았+다
4\t꼭\t꼭\tADV\tmag\t_\t2\tadvmod\t_\t_

"""


@pytest.mark.parametrize("level", ["2", "3", "5"])
@pytest.mark.parametrize("lemmas", ["whole", "bound"])
def test_one_tag_set_and_one_lemma(cli: Cli, level: str, lemmas: str) -> None:
    options = ("--level", level, "--xpos", "sejong", "--aux-lemmas", lemmas)
    made = cli("dep", "word2morph", *options, stdin=KAIST.encode())
    tags = {
        tag
        for line in made.stdout.decode().split("\n")
        if line[:1].isdigit()
        for tag in line.split("\t")[4].split("+")
    }
    assert tags - {"_"} == {"NNG", "JKB", "VV", "EC", "VX", "EP", "EF", "MAG"}
    if level != "5":
        lemma = "않+았+다" if lemmas == "whole" else "않"
        assert f"\t않았다\t{lemma}\tAUX\tVX+EP+EF\t" in made.stdout.decode()
    assert cli("dep", "morph2word", stdin=made.stdout).stdout.decode() == KAIST


@pytest.mark.parametrize("lemma", ["않", "_"])
def test_a_lemma_that_is_the_stem_is_bound(cli: Cli, lemma: str) -> None:
    """UD_Korean-PUD has 않 as LEMMA of 않다고, whose first morpheme is 않다, or no LEMMA."""
    rows = (
        "1\t가지\t가\tVERB\tVV\t_\t0\troot\t_\t_\n"
        f"2\t않다고\t{lemma}\tAUX\tVX+QP\t_\t1\taux\t_\tMSeg=않다-고\n"
    )
    source = f"# sent_id = 가-1\n# text = 가지 않다고\n{rows}\n"
    made = cli("convert", "--level", "2", "--aux-lemmas", "bound", stdin=source.encode())
    assert [row.split("\t")[2] for row in made.stdout.decode().split("\n") if "AUX" in row] == [
        lemma
    ]


def test_conventions_of_convert(cli: Cli) -> None:
    options = ("--level", "2", "--xpos", "sejong")
    whole = cli("convert", *options, "--aux-lemmas", "whole", stdin=KAIST.encode())
    assert "3\t않았다\t않+았+다\tAUX\tVX+EP+EF\t" in whole.stdout.decode()
    assert "3\t않았다\t않\tAUX\tVX+EP+EF\t_\t2\taux\t_\tOrigLemma=않+았+다\n" in (
        cli("convert", *options, "--aux-lemmas", "bound", stdin=whole.stdout).text()
    )
    # The stem alone, of a source that has the whole lemma.
    source = KAIST.replace("\t않\tAUX", "\t않+았+다\tAUX").replace("OrigLemma=않+았+다", "_")
    bound = cli("convert", "--level", "2", "--aux-lemmas", "bound", stdin=source.encode())
    assert bound.stdout.decode() == KAIST


PUD = """# sent_id = a
# text = 그는 글을 썼다
1\t그는\t그\tPRON\tPRP+CM\t_\t3\tnsubj\t_\tMSeg=그-는
2\t글을\t글\tNOUN\tNN+CM\t_\t3\tobj\t_\tMSeg=글-을
3\t썼다\t_\tVERB\tVV\t_\t0\troot\t_\t_

"""
# In the usual layout, which no comment keeps with the tags of the file.
PENN = """\
;;a:1: 그는 글을 쓴다

(S (NP-SBJ 그/NPN
           ~은/PAU)
   (VP (NP-OBJ 글/NNC
               ~을/PCA)
       쓰/VV
       ~는다/EFN))

"""
OTHERS = ("ncn", "jca", "pvg", "ecx", "px", "mag", "PRP", "CM", "NN", "NPN", "PAU", "NNC", "PCA")


@pytest.mark.parametrize("to", WRITERS)
@pytest.mark.parametrize(
    ("text", "tags"),
    [(KAIST, "NNG JKB VV EC VX EP EF MAG"), (PUD, "NP JX NNG JKO VV"), (PENN, "NP JX NNG JKO EF")],
    ids=["kaist", "pud", "penn"],
)
def test_every_format_has_the_tags_that_are_asked_for(
    cli: Cli, to: str, text: str, tags: str
) -> None:
    tagged = ("--with-tags",) if to == "tokens" else ()
    output = cli("convert", "--to", to, *tagged, "--xpos", "sejong", stdin=text.encode()).text()
    words = set(re.findall(r"[A-Za-z]+", output))
    assert words.isdisjoint(OTHERS)
    # Formats of trees have the words of sentences with trees alone.
    assert words.issuperset(tags.split()) or (text != PENN and to in TREES)


def test_files_and_jobs(cli: Cli, tmp_path: Path) -> None:
    text = "".join([WORDS.replace("가-1", f"가-{n}") for n in range(2000)])
    (tmp_path / "words").write_text(text, encoding="utf-8")
    one = cli("dep", "word2morph", "words", "one")
    two = cli("dep", "word2morph", "--jobs", "2", "words", "two")
    assert one.returncode == two.returncode == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert cli("dep", "morph2word", "two", "back").returncode == 0
    assert (tmp_path / "back").read_text(encoding="utf-8") == text
    assert b"2,000 sentences, 12,000 words" in one.stderr


def test_published_and_bound_marker(cli: Cli) -> None:
    made = cli(
        *("dep", "word2morph", "--compat", "published", "--bound-marker", "+"), stdin=WORDS.encode()
    )
    assert "5\t+다\t다\tPART\tEF\t_\t3\taux\t_\tSpaceAfter=No\n" in made.stdout.decode()
    assert "3-5\t갔다\t_\t_\t_\t_\t_\t_\t_\t_\n" in made.stdout.decode()


def test_words_of_another_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "gold").write_text(WORDS, encoding="utf-8")
    parsed = MORPHEMES.replace("\t3\tpunct", "\t2\tpunct").replace("Gloss=home", "_")
    made = cli("dep", "morph2word", "--words", "gold", stdin=parsed.encode())
    assert made.stdout.decode() == WORDS.replace("\t2\tpunct", "\t1\tpunct")
    message = cli("dep", "morph2word", "--words", "gold", stdin=(parsed * 2).encode()).told(1)
    assert "more sentences than the other" in message


BAD = [
    ("nine columns", "\t_\tSpaceAfter=No", "\tSpaceAfter=No", 4, "expected 10 columns"),
    ("a row of blanks", "1\t집에", "1 집에", 3, "expected 10 columns with a tab between, found 9"),
    ("a tab at the end", "Gloss=home", "Gloss=home\t", 3, "found 11: take away the tab at the end"),
    ("an empty column", "\tADV\t", "\t\t", 3, "UPOS is empty"),
    ("an id twice", "\n2\t", "\n1\t", 4, "ID 1: expected 2"),
    ("an id left out", "\n3\t.", "\n4\t.", 5, "ID 4: expected 3"),
    ("a range that never ends", "1\t집에", "1-5\t둘" + "\t_" * 8 + "\n1\t집에", 6, "before word 5"),
    ("a range of one", "1\t집에", "1-1\t둘" + "\t_" * 8 + "\n1\t집에", 3, "ID 1-1: expected 1"),
    ("a head of letters", "\t2\tobl", "\ttwo\tobl", 3, "HEAD two is no number"),
    ("a head behind the end", "\t2\tobl", "\t9\tobl", 3, "HEAD 9 is no word: the sentence has 3"),
    ("no head", "\t2\tobl", "\t_\tobl", 3, "HEAD _ is no number"),
    ("two roots", "\t2\tobl", "\t0\tobl", 4, "words 1, 2 have HEAD 0"),
    ("no root", "\t0\troot", "\t1\troot", 3, "no word has HEAD 0"),
    ("a circle", "\t2\tpunct\t_\t_", "\t3\tpunct\t_\t_", 5, "contains a cycle: word 3"),
    ("odd DEPS", "\t_\tGloss=home", "\t2-obl\tGloss=home", 3, "DEPS 2-obl"),
    ("no blank line", "\t_\t_\n\n", "\t_\t_\n", 5, "no blank line ends the last sentence"),
    ("no line end", "\t_\t_\n\n", "\t_\t_", 5, "no blank line ends the last sentence"),
    ("comments alone", WORDS, "# sent_id = 1\n\n", 1, "comments without a sentence"),
]


@pytest.mark.parametrize(
    ("before", "after", "line", "reason"), [row[1:] for row in BAD], ids=[row[0] for row in BAD]
)
def test_bad_input(
    cli: Cli, tmp_path: Path, before: str, after: str, line: int, reason: str
) -> None:
    assert before in WORDS
    (tmp_path / "bad").write_text(WORDS.replace(before, after), encoding="utf-8")
    made = cli("dep", "word2morph", "bad", "out")
    said = made.stderr.decode()
    assert made.returncode == 1
    assert f'File "bad", line {line}\n' in said
    assert reason in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_words_without_dependencies_are_cut_by_convert(cli: Cli, root: Path) -> None:
    made = cli("dep", "word2morph", root / "samples" / "expected" / "sejong.3.conllu")
    said = "HEAD _ is no number: no word has one, and `sejongud convert` cuts such words"
    assert (made.returncode, said in made.stderr.decode()) == (1, True)


def test_lines_of_json_lines_are_those_of_their_conllu(cli: Cli, root: Path) -> None:
    path = root / "samples" / "jsonl.jsonl"
    said = cli("dep", "word2morph", path).stderr.decode()
    assert f'File "{path} as CoNLL-U", line ' in said


def test_skip_and_keep(cli: Cli) -> None:
    two_roots = WORDS.replace("\t2\tobl", "\t0\tobl")
    skipped = cli("dep", "word2morph", "--on-error", "skip", stdin=(two_roots + WORDS).encode())
    assert (skipped.returncode, skipped.stdout.decode()) == (1, MORPHEMES)
    assert "-:4: E206" in skipped.stderr.decode()
    kept = cli("dep", "word2morph", "--on-error", "keep", stdin=(two_roots.rstrip("\n")).encode())
    assert (kept.returncode, kept.stdout.decode()) == (0, MORPHEMES.replace("\t3\tobl", "\t0\tobl"))


@pytest.mark.parametrize("command", ["dep word2morph", "convert --level 3", "convert --level 2"])
def test_a_root_without_its_relation_is_told(cli: Cli, command: str) -> None:
    for relation, told in (("obj", True), ("root:x", False), ("VP", False)):
        text = WORDS.replace("\t0\troot", f"\t0\t{relation}")
        made = cli(*command.split(), stdin=text.encode())
        said = f"-:1: W210 word 2 has HEAD 0 and the relation {relation}"
        assert (said in made.stderr.decode()) is told
        assert f"\t0\t{relation}\t" in made.stdout.decode()
        assert made.returncode == 0


@pytest.mark.parametrize("command", ["dep word2morph --scheme ud", "convert --level 5"])
@pytest.mark.parametrize(
    ("head", "code"), [("99", "E205"), ("-1", "E204"), ("x", "E204"), ("", "E202")]
)
def test_keep_keeps_the_words_of_a_faulty_head(
    cli: Cli, command: str, head: str, code: str
) -> None:
    faulty = WORDS.replace("\t2\tobl", f"\t{head}\tobl")
    kept = cli(*command.split(), "--on-error", "keep", stdin=(faulty + WORDS).encode())
    lines = kept.stdout.decode().split("\n")
    words = [
        line.split("\t")[1] for line in lines if "\t" in line and "-" not in line.split("\t")[0]
    ]
    assert words == ["집", "에", "가", "았", "다", "."] * 2
    assert lines[3].split("\t")[6:8] == ["_", "obl"]
    assert f"-:3: {code} HEAD" in kept.stderr.decode()
    assert kept.returncode == 1


def test_keep_tells_every_faulty_cell(cli: Cli) -> None:
    faulty = WORDS.replace("\t2\tobl\t_", "\t9\t\tx").replace("\t_\t0", "\t\t0")
    kept = cli("dep", "word2morph", "--on-error", "keep", stdin=faulty.encode())
    said = kept.stderr.decode()
    found = [line for line in said.split("\n") if line.startswith("-:")]
    assert [line.split(" ")[:3] for line in found] == [
        ["-:3:", "E205", "HEAD"],
        ["-:3:", "E202", "DEPREL"],
        ["-:3:", "E211", "DEPS"],
        ["-:4:", "E202", "FEATS"],
    ]
    assert "4\t았\t었\tPART\tEP\t_\t3\tmark" in kept.stdout.decode()


@pytest.mark.parametrize("command", ["dep word2morph", "convert", "convert --level 1"])
def test_comments_without_a_sentence_stay_at_their_place(cli: Cli, command: str) -> None:
    skipped = "# sent_id = skipped\n# text = 봄\n\n"
    other = WORDS.replace("sent_id = 가-1", "sent_id = 가-2")
    text = f"{skipped}# a\n\n{WORDS}{skipped}{other}{skipped}"
    kept = cli(*command.split(), stdin=text.encode())
    plain = cli(*command.split(), stdin=(WORDS + other).encode())
    assert (kept.returncode, "incidents: W212 4\n" in kept.stderr.decode()) == (0, True)
    first, second, _ = plain.stdout.decode().split("\n\n")
    expected = f"{skipped}# a\n\n{first}\n\n{skipped}{second}\n\n{skipped}"
    assert kept.stdout.decode() == expected
    if command == "convert":
        back = cli("convert", "--to", "jsonl", stdin=text.encode())
        again = cli("convert", "--from", "jsonl", stdin=back.stdout)
        assert [line for line in again.stdout.decode().split("\n") if line[:1] == "#"] == [
            line for line in expected.split("\n") if line[:1] == "#"
        ]


@pytest.mark.parametrize("command", ["dep word2morph", "convert", "convert --level 1"])
@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
def test_comments_behind_the_names_of_columns_stay(
    cli: Cli, command: str, jobs: tuple[str, ...]
) -> None:
    names = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n"
    text = f"{names}# skipped = 1\n# text = 봄\n\n# skipped = 2\n\n{WORDS}# skipped = 3\n\n"
    kept = cli(*command.split(), *jobs, stdin=text.encode())
    plain = cli(*command.split(), stdin=text.partition("\n")[2].encode())
    assert (kept.returncode, "incidents: W212 3\n" in kept.stderr.decode()) == (0, True)
    assert kept.stdout.decode().removeprefix(names) == plain.stdout.decode()
    assert kept.stdout.decode().count("# skipped = ") == 3


def test_reports_name_the_line(cli: Cli) -> None:
    whole = WORDS.replace("집+에", "집에")
    assert "-:3: W205 집에: no 2 morphemes for NNG+JKB, kept as NA [가-1 1]" in (
        cli("dep", "word2morph", stdin=whole.encode()).told()
    )
    mended = cli("dep", "morph2word", stdin=MORPHEMES.replace("\t0\troot", "\t4\troot").encode())
    assert "-:1: W210" in mended.stderr.decode()
    assert mended.returncode == 0


def test_statistics(cli: Cli) -> None:
    found = json.loads(cli("dep", "stats", "--json", stdin=WORDS.encode()).text())
    assert found["sentences"] == 1
    assert found["words"] == {
        "words": 3,
        "directions": {"left": 1, "right": 1, "root": 1},
        "depths": {"0": 1, "1": 2},
        "mean_depth": 0.667,
        "mean_length": 1.0,
    }
    assert found["morphemes"]["directions"] == {"left": 4, "right": 1, "root": 1}
    assert found["patterns"] == {"SF": 1, "[NNG]+JKB": 1, "[VV]+EP+EF": 1}
    shown = cli("dep", "stats", "--top", "1", stdin=WORDS.encode()).stdout.decode()
    assert "left             1   33.33          4   66.67\n" in shown
    assert "3 patterns of words" in shown


@pytest.mark.parametrize("options", ["--level 3", "--xpos sejong", "--aux-lemmas bound"])
def test_the_published_program_has_no_levels(cli: Cli, options: str) -> None:
    command = f"dep word2morph --compat published {options}"
    message = cli(*command.split(), stdin=WORDS.encode()).told(2)
    assert "the published program makes morphemes" in message


def test_wrong_usage(cli: Cli) -> None:
    message = cli("dep", "word2morph", "--upos", "penn", stdin=WORDS.encode()).told(2)
    assert "no UPOS scheme penn" in message
    assert cli("dep").returncode == 2


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("dep word2morph", "dep"),
        ("dep morph2word", "dep"),
        ("dep stats", "dep"),
        ("ner morph2syl", "ner morph2syl"),
        ("ner morph2eoj", "ner morph2eoj"),
        ("ner crf", "ner crf"),
        ("frame morph2eoj", "frame"),
    ],
)
@pytest.mark.parametrize("name", ["sejong.txt", "klue-dp.tsv", "treebank.txt", "text.txt"])
def test_other_formats_are_named(cli: Cli, root: Path, command: str, named: str, name: str) -> None:
    message = cli(*command.split(), root / "samples" / name).told_only()
    assert re.search(rf"looks like \S+, and {named} reads CoNLL-U: convert makes it", message)


@pytest.mark.parametrize("item", ["WordSizes", "HeadMorpheme"])
def test_numbers_that_nobody_can_count_to(cli: Cli, item: str) -> None:
    row = f"1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t{item}={'9' * 5000}\n\n"
    assert "Traceback" not in cli("dep", "morph2word", stdin=row.encode()).told()
    deps = f"1\t나\t나\tPRON\tNP\t_\t0\troot\t{'9' * 5000}:case\t_\n\n"
    assert "Traceback" not in cli("dep", "word2morph", stdin=deps.encode()).told(1)
