"""The query language: one table of cases for `sejongud grep` and for the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud import read, report
from sejongud.errors import UsageError
from sejongud.model import Sentence
from sejongud.morphology.eojeol import Assembler
from sejongud.query import Query, Words, _comparison, concordance_line, grammar, parse, words_at
from sejongud.query.grammar import KEYS, Value
from sejongud.rules import load
from sejongud.terminal import display_width

if TYPE_CHECKING:
    from conftest import Cli

DATA = Path(__file__).parent / "data" / "query"
CASES = json.loads((DATA / "cases.json").read_text("utf-8"))
SCRIPT = Path(report.__file__).parent / "query.js"
NODE = shutil.which("node")


@pytest.fixture(scope="module")
def sentences() -> list[Words]:
    cut = words_at(None, None, None, load())
    return [cut(sentence) for sentence in read(DATA / "sentences.conllu")]


@pytest.mark.parametrize(("text", "wanted"), CASES["found"])
def test_words_are_found(sentences: list[Words], text: str, wanted: list[str]) -> None:
    query = Query(text)
    found = [(words, at) for words in sentences for at in query.find(words)]
    assert [f"{words.sentence.sent_id} {at + 1}" for words, at in found] == wanted


@pytest.mark.parametrize(("text", "place", "message"), CASES["wrong"])
def test_a_wrong_query_has_a_place(text: str, place: int, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(text)
    first, shown, caret = str(raised.value).split("\n")
    assert first.startswith(f"the query is wrong at character {place}: {message}")
    assert shown.strip() == text.strip()
    assert display_width(caret) == 2 + display_width(text[: place - 1]) + 1


def test_brackets_and_negations_cannot_exhaust_the_stack() -> None:
    assert parse("(" * 50 + "form=배" + ")" * 50) == parse("form=배")
    with pytest.raises(UsageError, match="character 51: more than 50 brackets are open"):
        parse("(" * 100_000)
    assert parse("not " * 20_000 + "form=배") == parse("form=배")
    assert len(parse("child." * 5_000 + "form=배")[0].steps) == 5_000  # type: ignore[union-attr]


DRIVER = """
const { sentences, cases } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const words = sentences.map(({ id, words }) => ({ id, words: words.map(({ head, values }) => (
  { head, get: (key) => values[key] })) }));
const found = cases.found.map(([text]) => {
  const holds = queries.compile(queries.parse(text));
  return words.flatMap(({ id, words }) => words.map((_, at) => at)
    .filter((at) => holds(words, at)).map((at) => `${id} ${at + 1}`));
});
const wrong = [...cases.wrong.map(([text]) => text), "(".repeat(100000)].map((text) => {
  try { queries.parse(text); return ""; } catch (error) { return error.message; }
});
process.stdout.write(JSON.stringify({ found, wrong, keys: queries.KEYS, steps: queries.STEPS }));
"""


@pytest.mark.skipif(NODE is None, reason="no node on PATH")
def test_the_page_has_the_same_language(sentences: list[Words]) -> None:
    assert NODE is not None
    given = [
        {
            "id": words.sentence.sent_id,
            "words": [
                {"head": view.head - 1, "values": {key: words.values(at, key) for key in KEYS}}
                for at, view in enumerate(words.views)
            ],
        }
        for words in sentences
    ]
    done = subprocess.run(
        [NODE, "-e", SCRIPT.read_text("utf-8") + DRIVER],
        input=json.dumps({"sentences": given, "cases": CASES}).encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    found: Any = json.loads(done.stdout)
    assert found["found"] == [wanted for _, wanted in CASES["found"]]
    for said, (_, place, message) in zip(found["wrong"], CASES["wrong"], strict=False):
        assert said.startswith(f"the query is wrong at character {place}: {message}")
    assert found["wrong"][-1].endswith("character 51: more than 50 brackets are open")
    assert (tuple(found["keys"]), tuple(found["steps"])) == (grammar.KEYS, grammar.STEPS)


# --- lists --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 60, 100])
def test_matches_stand_below_one_another(sentences: list[Words], width: int) -> None:
    lines = [concordance_line(words, at, width) for words in sentences for at in range(len(words))]
    starts = {display_width(line.partition("[")[0]) for line in lines}
    assert starts == {(width - 24) // 2}
    assert {display_width(line[: line.rindex("  q") + 2]) for line in lines} == {width - 22}
    assert all(display_width(line.rstrip()) <= width for line in lines)


def test_a_line_without_a_width_is_whole(sentences: list[Words]) -> None:
    assert concordance_line(sentences[0], 6, 0) == "수지가 서울에서 큰 [배]를 샀다.  q1\n"
    # The syllable of a morpheme that shares it is the match.
    assert concordance_line(sentences[0], 5, 0) == "수지가 서울에서 [큰] 배를 샀다.  q1\n"
    # A morpheme without a surface is its whole eojeol.
    assembler = Assembler(load())
    lines = "정말\t정말/MAG", "최고다\t최고/NNG+이/VCP+다/EF"
    words = words_at(5, None, None, load())(Sentence(tuple([assembler[line] for line in lines])))
    assert concordance_line(words, 2, 0).startswith("정말 [최고다]")


def test_the_lines_of_a_long_sentence_are_made_in_time() -> None:
    eojeol = Assembler(load())["나\x01는\t나\x01는/NNG"]
    words = words_at(5, None, None, load())(Sentence((eojeol,) * 30_000))
    begin = time.process_time()
    lines = {concordance_line(words, place, 80) for place in range(3_000, 3_300)}
    assert time.process_time() - begin < 2
    assert lines == {"…는 나␁는 나␁는 나␁는 나␁는 [나␁는] 나␁는 나␁는 나␁는 …\n"}


# --- the command --------------------------------------------------------------------------------


def test_grep_writes_lines_tables_lists_and_sentences(cli: Cli, tmp_path: Path) -> None:
    source = DATA / "sentences.conllu"
    text = cli("grep", "tag=NNG", source, "--width", "60").stdout.decode()
    assert [line.split()[-1] for line in text.splitlines()] == ["q1", "q2"]
    rows = cli("grep", "deprel=obj", source, "--tsv").stdout.decode().splitlines()
    assert rows[0].split("\t")[:3] == ["sent_id", "word", "left"]
    assert rows[1].split("\t") == [
        *("q1", "7", "수지가 서울에서 큰 ", "배", "를 샀다."),
        *("배", "배", "NOUN", "NNG", "obj", "사", "_"),
    ]
    counted = cli("grep", "form=*", source, "--count", "upos", "--tsv", "--limit", "1")
    assert counted.stdout.decode() == f"count\tshare\tupos\n4\t{4 / 19}\tADP\n"
    done = cli("grep", "form=*", source, "--limit", "2")
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr.decode().endswith(
        "2 matches in 1 of 1 sentence, where --limit 2 ended the search\n"
    )
    message = cli("grep", "tag=NNP", source, "--to", "conllu", "-o", "out.conllu").told()
    assert message.endswith("2 matches in 1 of 2 sentences\n")
    kept = source.read_text("utf-8").partition("\n\n")[0] + "\n\n"
    assert (tmp_path / "out.conllu").read_text("utf-8") == kept


def test_the_context_in_a_table_is_bounded(cli: Cli) -> None:
    """Every row of a sentence of 20,000 words had the whole sentence: gigabytes."""
    row = "나\t나/NP\n"
    done = cli("grep", "form=배", "--tsv", stdin=f"{row * 3000}배\t배/NNG\n{row * 3000}".encode())
    [cells] = [line.split("\t") for line in done.stdout.decode().splitlines()[1:]]
    assert (cells[2], cells[3], cells[4]) == ("나 " * 1000, "배", " 나" * 1000)


def test_grep_reads_any_format_at_any_level(cli: Cli, root: Path) -> None:
    sejong = root / "samples" / "sejong.txt"
    assert b"[" in cli("grep", "lemma=하 tag=XSV", sejong).stdout
    assert cli("grep", "tag=NNG+*", sejong).stdout == b""
    assert b"+" in cli("grep", "tag=NNG+*", sejong, "--level", "2", "--tsv").stdout
    entities = cli(
        "grep", "entity=*", DATA / "sentences.conllu", "--count", "entity", "--level", "1"
    )
    assert [line.split()[-1] for line in entities.stdout.splitlines()] == [b"entity", b"LC", b"PS"]


@pytest.mark.parametrize(
    ("query", "sample", "matches"),
    [
        ("frame=Speak_on_topic lu=강연하다.v", "framenet.tsv", "강연 했 했 다 ."),
        ("frame=* fe=* lu!=강연하다.v id=2", "framenet.tsv", "부산 에서"),
        ("fe=Place tag=NN*", "framenet.tsv", "부산"),
        ("constituent=NP_SBJ not constituent=VP* id=1", "treebank.txt", ""),
        ("constituent=NP constituent!=VP id=1", "treebank.txt", "봄비 오 는 날 /"),
        ("tag=NNG text=/^우리/", "klue-dp.tsv", "집 고양이 창가 낮잠"),
        ("tag=NP", "../tests/data/framenet-0.8.tsv", "우리 우리"),
    ],
)
def test_grep_asks_for_layers(
    query: str, sample: str, matches: str, cli: Cli, root: Path, tmp_path: Path
) -> None:
    source = root / "samples" / sample
    if sample == "framenet.tsv":
        cli("frame", "eoj2morph", source, "frames.conllup")
        source = tmp_path / "frames.conllup"
    rows = cli("grep", query, source, "--tsv").stdout.decode().splitlines()
    assert [row.split("\t")[3] for row in rows[1:]] == matches.split()


def test_grep_takes_documents_by_their_metadata(cli: Cli, root: Path) -> None:
    corpora = [root / "samples" / f"corpus-{name}.txt" for name in ("written", "spoken")]
    whole = cli("grep", "-q", "tag=N*", *corpora, "--tsv").stdout.splitlines()
    spoken = cli("grep", "-q", "tag=N*", *corpora, "--tsv", "--doc", "title = .*입말$").stdout
    assert spoken.splitlines()[1:] == [row for row in whole if row.startswith(b"9CT_0001-")]
    assert 0 < len(spoken.splitlines()) < len(whole)
    assert "( is no regular expression" in cli("grep", "tag=N*", corpora[0], "--doc", "(").told(2)


def test_grep_names_the_files_of_a_folder(cli: Cli, root: Path, tmp_path: Path) -> None:
    """Lines begin with their file, in a table it is the last column; no corpus is passed over."""
    (tmp_path / "in" / "b").mkdir(parents=True)
    for name, source in (("a.conllu", DATA / "sentences.conllu"),
                         ("b/corpus.txt", root / "samples" / "sejong.txt"),
                         ("b/edits.m2", root / "samples" / "learner.m2")):  # fmt: skip
        (tmp_path / "in" / name).write_bytes(source.read_bytes())
    (tmp_path / "in" / "README.md").write_text("About it.\n", "utf-8")
    done = cli("grep", "tag=NNG", "in", "--width", "70")
    alone = [cli("grep", "tag=NNG", f"in/{name}", "--width", "53").stdout.decode().splitlines()
             for name in ("a.conllu", "b/corpus.txt", "b/edits.m2")]  # fmt: skip
    assert done.stdout.decode().splitlines() == [
        *[f"in/a.conllu:     {line}" for line in alone[0]],
        *[f"in/b/corpus.txt: {line}" for line in alone[1]],
        *[f"in/b/edits.m2:   {line}" for line in alone[2]],
    ]
    said = done.stderr.decode()
    assert "in/README.md: skipped: in no format that is known" in said
    rows = [
        row.split("\t")
        for row in cli("grep", "tag=NNG", "in", "--tsv").stdout.decode().splitlines()
    ]
    assert rows[0][-1] == "file"
    assert {row[-1] for row in rows[1:]} == {"in/a.conllu", "in/b/corpus.txt", "in/b/edits.m2"}
    assert len(rows) == 1 + sum(map(len, alone))
    assert "in/a.conllu is an input twice" in cli("grep", "tag=NNG", "in", "in/a.conllu").told(2)
    kept = cli("grep", "tag=NNG", "in", "--to", "conllu", "-o", "in/a.conllu")
    assert (kept.returncode, b"in/a.conllu exists" in kept.stderr) == (2, True)


@pytest.mark.parametrize("arguments", [["form=/(a|aa)+$/"], ["form=*", "--doc", "(a|aa)+$"]])
def test_no_expression_is_searched_for_ever(
    arguments: list[str], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sejongud.rules.bounded._SECONDS", 0.02)
    long = "a" * 60 + "b"
    (tmp_path / "a.conllu").write_text(
        f"# newdoc id = {long}\n1\t{long}\t{long}\tX\tSL\t_\t0\troot\t_\t_\n\n", "utf-8"
    )
    message = cli("grep", *arguments, "a.conllu").told_only()
    assert "(a|aa)+$" in message
    assert "takes more than" in message
    stars = cli("grep", f"form={'*a' * 30}*c", "a.conllu", "-q")  # Each star alone is fast.
    assert (stars.returncode, stars.stdout) == (1, b"")


@pytest.mark.parametrize(
    ("pattern", "is_long"),
    [
        ("(?:(?:x{500}){500})", True),
        ("(?:(?:a|[b-d]|x{60}){20}){30}", True),
        ("(?:(?P<n>x{5,}){,50}?){50}", True),
        ("x{60000}", True),
        ("|".join(["가나다"] * 5_000), True),
        ("(?:(?=x{99}))" * 102, True),
        ("(?:x{100}){100}", False),
        ("(?#()(?:[가-힣]{1,100}/[A-Z]{1,4}){1,50}|x{9,}", False),
    ],
)
def test_no_expression_is_too_long_to_compile(pattern: str, is_long: bool, cli: Cli) -> None:
    """`regex` writes counted repetitions out: four of 500 in one another take 23 GB."""
    for arguments in ([f"form=/{pattern.replace('/', '.')}/"], ["form=*", "--doc", pattern]):
        done = cli("grep", *arguments, stdin=b"")
        assert (b"more than 10,000 characters" in done.stderr) is is_long
        assert (done.returncode == 2) >= is_long


@given(st.text("ab*", min_size=1, max_size=6), st.text("ab", max_size=8))
def test_stars_stand_for_any_characters(pattern: str, text: str) -> None:
    wanted = re.fullmatch(".*".join(map(re.escape, re.split(r"\*+", pattern))), text) is not None
    kind = "pattern" if "*" in pattern else "text"
    assert _comparison(Value(kind, pattern), in_parts=False)(text) is wanted


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tag="], "character 5: a value must follow the ="),
        (["tag=NNG", "--count", "lema"], "lema is no key"),
        (["tag=NNG", "--count", "lemma", "--to", "conllu"], "--count makes a list"),
        (["tag=NNG", "--count", "lemma", "--sort", "left"], "--sort puts concordance lines"),
        (["tag=NNG", "--to", "conllu", "--sort", "left"], "--sort puts concordance lines"),
    ],
)
def test_wrong_usage_of_grep(cli: Cli, arguments: list[str], message: str) -> None:
    assert message in cli("grep", *arguments, DATA / "sentences.conllu").told_only()


def test_grep_and_freq_take_no_morphemes_for_eojeols(cli: Cli, tmp_path: Path) -> None:
    morphemes = "나\tB-PER\n는\tO\n가\tO\nㄴ다\tO\n.\tO\n\n"
    (tmp_path / "columns.txt").write_text(morphemes * 3, "utf-8")
    for command in (("grep", "tag=NP"), ("freq",), ("show",)):
        assert "the tokens of this file are morphemes" in cli(*command, "columns.txt").told_only()


def test_grep_tells_errors_and_not_what_a_search_does_not_need(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("나는\t나/NP+은/JX\n\n간다\n\n온다\t오/VV+ㄴ다/EF+라/EC\n", "utf-8")
    message = cli("grep", "form=*", path, "--from", "sejong", "--log", "said.jsonl").told(1)
    assert "E10" in message
    assert "W106" not in message
    assert "W106" in (tmp_path / "said.jsonl").read_text("utf-8")
    (tmp_path / "a.json").write_text('{"a": 1}\n', "utf-8")
    assert b'File "a.json"' in cli("grep", "form=*", "a.json", "--from", "modu").stderr


def test_lines_are_sorted_by_their_context(cli: Cli, tmp_path: Path) -> None:
    """The nearest word decides, then the next one; equal lines stay in the order of the file."""
    texts = ["큰 강 가", "작은 강 나", "큰 산 강 가", "강", "큰 강 가"]
    rows = ["".join([f"{word}\t{word}/NNG\n" for word in text.split()]) for text in texts]
    (tmp_path / "a.txt").write_text("\n".join(rows), "utf-8")
    for side, order in (("left", "43215"), ("right", "41352")):
        table = cli("grep", "강", "a.txt", "--sort", side, "--tsv").stdout.decode()
        assert "".join([row.split("\t")[0] for row in table.splitlines()[1:]]) == order
    lines = cli("grep", "강", "a.txt", "--sort", "left", "--limit", "2", "--width", "0")
    assert lines.stdout.decode().splitlines() == ["[강]  4", "큰 산 [강] 가  3"]


def test_grep_ends_with_1_without_a_match_and_says_which_tag_is_none(cli: Cli) -> None:
    source = DATA / "sentences.conllu"
    for query, told in (
        ("tag=QQ", "tag=QQ: there is no tag QQ; `sejongud rules show tagset` has them"),
        ("upos=verb", "upos=verb: there is no tag verb; did you mean VERB?"),
        ("tag=NNG+jks", "tag=NNG+jks: there is no tag jks; did you mean JKS?"),
        ("not 배* 나무 construction=nng", "there is no tag nng; did you mean NNG?"),
    ):
        assert told in cli("grep", query, source).told_only(1)
    for query in ("나무", "tag=JKV", "tag=V*Q", "tag=/foo/", "upos=X"):
        assert "there is no tag" not in cli("grep", query, source).told(1)
    assert b"there is no tag" not in cli("grep", "tag=FOO or 배", source).stderr


def test_a_query_is_utf_8_in_any_locale(process: Cli, tmp_path: Path) -> None:
    (tmp_path / "봄.txt").write_text("꽃이\t꽃/NNG+이/JKS\n\n", encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = process("grep", "lemma=꽃", "봄.txt", env=plain)
    assert done.stdout.decode().split() == ["[꽃]이", "1"]
    assert done.stderr.decode().startswith("봄.txt: detected format: sejong")
