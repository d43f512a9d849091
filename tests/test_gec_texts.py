"""Texts cut into other sentences, and answers of language models, against their sources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from cases import cases

from sejongud.__main__ import main
from sejongud.errors import Incident, Report
from sejongud.gec.boundaries import Text, align_texts, clean_lines
from sejongud.gec.edits import Edit, apply_to_text
from sejongud.gec.tokens import split_punctuation
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Cli

CASES = cases("gec_texts")

SOURCES = ["저는 어제 친구 를 만나요.", "한국음식이 아주 맛있습니다.", "나는 학교에 갓다."]
TARGETS = ["저는 어제 친구를 만났어요.", "한국 음식이 아주 맛있습니다.", "나는 학교에 갔다."]


def lines(*texts: str) -> str:
    return "".join([f"{text}\n" for text in texts])


def groups_of(sources: list[str], *targets: list[str]) -> list[tuple[str, ...]]:
    found, _ = align_texts(Text.of("s", sources), [Text.of("t", t) for t in targets], Report())
    return [(one.pair.source, *one.pair.targets) for one in found]


# --- texts cut into other sentences ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("sources", "targets", "expected"),
    [
        (SOURCES, TARGETS, list(zip(SOURCES, TARGETS, strict=True))),
        (
            SOURCES,
            [f"{TARGETS[0]} {TARGETS[1]}", TARGETS[2]],
            [
                (f"{SOURCES[0]} {SOURCES[1]}", f"{TARGETS[0]} {TARGETS[1]}"),
                (SOURCES[2], TARGETS[2]),
            ],
        ),
        (
            SOURCES,
            ["저는 어제", "친구를 만났어요.", *TARGETS[1:]],
            list(zip(SOURCES, TARGETS, strict=True)),
        ),
        (SOURCES, ["", *TARGETS[:2], "", TARGETS[2]], list(zip(SOURCES, TARGETS, strict=True))),
        (
            SOURCES,
            [TARGETS[0], TARGETS[2]],
            [(" ".join(SOURCES[:2]), TARGETS[0]), (SOURCES[2], TARGETS[2])],
        ),
        (
            SOURCES,
            ["결과:", *TARGETS],
            list(zip(SOURCES, [f"결과: {TARGETS[0]}", *TARGETS[1:]], strict=True)),
        ),
        ([], [], []),
    ],
)  # fmt: skip
def test_groups(sources: list[str], targets: list[str], expected: list[tuple[str, str]]) -> None:
    assert groups_of(sources, targets) == expected


def test_groups_of_several_targets_end_together() -> None:
    joined = [f"{TARGETS[0]} {TARGETS[1]}", TARGETS[2]]
    assert groups_of(SOURCES, TARGETS, joined) == [
        (" ".join(SOURCES[:2]), joined[0], joined[0]),
        (SOURCES[2], TARGETS[2], TARGETS[2]),
    ]


def test_groups_and_empty_lines_are_told() -> None:
    incidents: list[Incident] = []
    targets = ["", f"{TARGETS[0]} {TARGETS[1]}", TARGETS[2]]
    _, settings = align_texts(
        Text.of("s", SOURCES), [Text.of("t", targets)], Report(incidents.append)
    )
    assert settings == {"lines": "aligned", "groups": "2", "several": "1"}
    assert [(one.code, one.path, one.line) for one in incidents] == [
        ("W447", "t", 1),
        ("W448", "s", 1),
    ]
    assert incidents[1].message == "aligned: lines 1-2 of s – line 2 of t"


def test_parallel_corpora_stay_parallel(shared: Path) -> None:
    """Lines of learners and of their corrections differ in most words, and belong together."""
    for name in ("k-nct", "kolla-ref1"):
        folder = shared / "data" / "gec-dev" / name
        source, target = (
            (folder / f"{side}.txt").read_text(encoding="utf-8").splitlines()
            for side in ("source", "target")
        )
        found, settings = align_texts(Text.of("s", source), [Text.of("t", target)], Report())
        assert len(found) == len(source)
        assert settings["several"] == "0"


class TestCommands:
    @pytest.fixture(autouse=True)
    def _files(self, tmp_path: Path) -> None:
        (tmp_path / "s").write_text(lines(*SOURCES), encoding="utf-8")
        (tmp_path / "t").write_text(lines(" ".join(TARGETS[:2]), TARGETS[2]), encoding="utf-8")

    def test_unequal_numbers_of_lines_name_the_option(self, cli: Cli) -> None:
        for words in (["annotate", "s", "t"], ["score", "t", "s", "--source", "s"]):
            assert "--align aligns the texts" in cli("gec", *words).told(1)

    def test_annotate(self, cli: Cli) -> None:
        done = cli("gec", "annotate", "--align", "s", "t")
        assert done.returncode == 0
        assert done.stdout.decode() == (
            "S 저는 어제 친구 를 만나요 . 한국음식이 아주 맛있습니다 .\n"
            "A 2 4|||WS|||친구를|||REQUIRED|||-NONE-|||0\n"
            "A 4 5|||ENDING|||만났어요|||REQUIRED|||-NONE-|||0\n"
            "A 6 7|||WS|||한국 음식이|||REQUIRED|||-NONE-|||0\n\n"
            "S 나는 학교에 갓다 .\n"
            "A 2 3|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n\n"
        )
        assert "s:1: W448 aligned: lines 1-2 of s – line 1 of t" in done.stderr.decode()
        assert "|lines:aligned|groups:2|several:1|" in done.stderr.decode()

    def test_only_texts_are_aligned_and_cleaned(self, cli: Cli, tmp_path: Path) -> None:
        cli("gec", "annotate", "--align", "s", "t", "-o", "a.m2")
        for option in ("--align", "--clean"):
            done = cli("gec", "annotate", option, "a.m2")
            assert done.returncode == 2
            assert f"{option} is for texts".encode() in done.stderr

    def test_a_text_that_is_cut_otherwise_has_the_counts_of_the_lines(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        system = [TARGETS[0], SOURCES[1], "나는 학교로 갔다."]
        (tmp_path / "system").write_text(lines(*system), encoding="utf-8")
        (tmp_path / "joined").write_text(lines(" ".join(system)), encoding="utf-8")
        (tmp_path / "r").write_text(lines(*TARGETS), encoding="utf-8")
        counts = []
        for name in ("system", "joined"):
            done = cli("gec", "score", "--align", name, "r", "--source", "s", "--json")
            [score] = json.loads(done.stdout)["scores"]
            counts.append([score[key] for key in ("tp", "fp", "fn")])
        assert counts == [[3, 1, 1], [3, 1, 1]]


# --- what language models add ---------------------------------------------------------------------


@pytest.mark.parametrize("row", load().table("gec-clean"), ids=lambda row: row["example"])
def test_every_row_of_the_table_fits_its_example(row: dict[str, str]) -> None:
    assert [kind for _, kind, _ in clean_lines([(1, row["example"])])[1]] == [row["kind"]]


@pytest.mark.parametrize(
    ("source", "answer", "expected"), CASES["test_what_the_source_has_as_well_stays"]
)
def test_what_the_source_has_as_well_stays(source: str, answer: str, expected: str) -> None:
    assert [line for _, line in clean_lines([(1, answer)], [source])[0]] == [expected]


def test_empty_lines_of_a_parallel_text_stay() -> None:
    text = [(1, "나는 갔다."), (2, ""), (3, "밥을 먹었다.")]
    assert clean_lines(text, ["나는 갓다.", "음", "밥을 먹엇다."]) == (text, [])
    assert clean_lines(text, ["나는 갓다.", "밥을 먹엇다."])[1] == [(2, "blank", "")]


def test_known_corrections_stay() -> None:
    text = [(1, "“나는 갔다.”")]
    assert clean_lines(text, ["나는 갓다."], ["“나는 갔다.”"])[0] == text


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    answer = lines("네, 고친 문장입니다.", "", "```text", "1. 나는 갔다.", "", "2. 1) 밥", "```")
    (tmp_path / "answer").write_text(answer, encoding="utf-8")
    (tmp_path / "s").write_text(lines("나는 갓다.", "1) 밥"), encoding="utf-8")
    done = cli("gec", "clean", "answer", "--source", "s")
    assert done.stdout.decode() == "나는 갔다.\n1) 밥\n"
    assert b"clean|marks:blank=2+fence=2+numbering=2+preamble=1|" in done.stderr
    assert b"answer:4: W446 numbering" in done.stderr
    assert cli("gec", "clean", "-q").stdout == b""


def test_a_table_of_the_user(cli: Cli, tmp_path: Path) -> None:
    for folder, pattern in (("good", "★(.+)"), ("bad", "★(.+")):
        (tmp_path / folder).mkdir()
        table = f"kind\tpattern\texample\nstar\t{pattern}\t★가\n"
        (tmp_path / folder / "gec-clean.tsv").write_text(table, encoding="utf-8")
    assert cli("gec", "clean", "--rules", "good", stdin="★가\n".encode()).text() == "가\n"
    assert "star: " in cli("gec", "clean", "--rules", "bad", stdin="★가\n".encode()).told(1)


# --- a perfect text -------------------------------------------------------------------------------

CUTS: dict[str, Callable[[list[str]], list[str]]] = {
    "lines": lambda texts: texts,
    "pairs": lambda texts: [" ".join(texts[i : i + 2]) for i in range(0, len(texts), 2)],
    "one": lambda texts: [" ".join(texts)],
    "inside": lambda texts: [part for text in texts for part in text.split(" ", 1)],
}  # fmt: skip
WRAPS: dict[str, Callable[[list[str]], list[str]]] = {
    "plain": list,
    "chat": lambda texts: [
        "다음은 교정한 문장입니다:", "", *[f"{i}. {text}" for i, text in enumerate(texts, 1)],
    ],
    "quotes": lambda texts: ["```", *[f'- "{text}"' for text in texts], "```"],
}  # fmt: skip


REFERENCES = {
    "m2": ("eojeol", ".m2"),
    "char": ("character", ".m2"),
    "word": ("word", ".jsonl"),
    "jsonl": ("eojeol", ".jsonl"),
}


@pytest.fixture(scope="module")
def references(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The words of a command that name each reference, made of the sample."""
    folder = tmp_path_factory.mktemp("references")
    source, target = [
        str(root / "samples" / f"learner.{side}.txt") for side in ("source", "target")
    ]
    made = {"texts": [target, "--source", source]}
    for name, (unit, ending) in REFERENCES.items():
        made[name] = [str(folder / f"{name}{ending}")]
        words = ("gec", "annotate", source, target, "-o", *made[name], "--unit", unit, "-q")
        assert main(words) == 0
    return made


@pytest.mark.parametrize(
    ("reference", "cut", "wrap"),
    [
        (reference, cut, list(WRAPS)[(at + of) % len(WRAPS)])
        for at, reference in enumerate([*REFERENCES, "texts"])
        for of, cut in enumerate(CUTS)
    ],
)
def test_a_perfect_text_scores_100(
    reference: str,
    cut: str,
    wrap: str,
    root: Path,
    tmp_path: Path,
    cli: Cli,
    references: dict[str, list[str]],
) -> None:
    """For every metric, format of the reference, cut and cleaning."""
    text = (root / "samples" / "learner.target.txt").read_text(encoding="utf-8")
    answer = WRAPS[wrap](CUTS[cut](text.splitlines()))
    (tmp_path / "answer").write_text(lines(*answer), encoding="utf-8")
    gold = references[reference]
    for metric in ("errant", "maxmatch", "gleu"):
        done = cli(
            "gec", "score", "answer", *gold, "--metric", metric, "--align", "--clean", "--json"
        )
        assert done.returncode == 0, done.stderr.decode()
        [score] = json.loads(done.stdout)["scores"]
        ratios = {score[name] for name in ("precision", "recall", "f0.5", "gleu") if name in score}
        assert ratios == {1.0}, (metric, score, done.stderr.decode())


# --- the corrected text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "edits", "expected"), CASES["test_spaces_and_marks_of_the_source_stay"]
)
def test_spaces_and_marks_of_the_source_stay(
    source: str, edits: list[tuple[int, int, str]], expected: str
) -> None:
    tokens = split_punctuation(source).split()
    assert apply_to_text(source, tokens, [Edit(*edit) for edit in edits]) == expected


class TestApply:
    @pytest.mark.parametrize("unit", ["eojeol", "character"])
    @pytest.mark.parametrize("align", [[], ["--align"]])
    def test_the_sample(
        self, unit: str, align: list[str], root: Path, tmp_path: Path, cli: Cli
    ) -> None:
        for side in ("source", "target"):
            text = (root / "samples" / f"learner.{side}.txt").read_bytes()
            (tmp_path / side).write_bytes(text + b"\n\n")
        if align:
            first, second, rest = (tmp_path / "target").read_text(encoding="utf-8").split("\n", 2)
            (tmp_path / "target").write_text(f"{first} {second}\n{rest}", encoding="utf-8")
        cli("gec", "annotate", "source", "target", "-o", "a.m2", "--unit", unit, *align)
        done = cli("gec", "apply", "a.m2", "--source-text", "source")
        assert done.returncode == 0
        assert done.stdout == (tmp_path / "target").read_bytes().rstrip() + b"\n"
        done = cli("gec", "apply", "--uncorrected", "a.m2", "--source-text", "source")
        assert done.stdout.split() == (tmp_path / "source").read_bytes().split()

    def test_another_text_is_an_error(self, tmp_path: Path, cli: Cli) -> None:
        (tmp_path / "a.m2").write_text(
            "S 나는 갓다\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n\n"
        )
        for text, message in (
            ("너는 갓다\n", "has not the tokens of the sentence"),
            ("나는\n", "the text ends before the sentence"),
            ("나는 갓다\n밥\n", "the line has no sentence among the edits"),
        ):
            (tmp_path / "s").write_text(text, encoding="utf-8")
            assert message in cli("gec", "apply", "a.m2", "-o", "out", "--source-text", "s").told(1)
            assert not (tmp_path / "out").exists()

    def test_a_decomposed_text(self, tmp_path: Path, cli: Cli) -> None:
        (tmp_path / "s").write_text(normalize("NFD", "나는 갓다.") + "\n", encoding="utf-8")
        (tmp_path / "t").write_text("나는 갔다.\n", encoding="utf-8")
        cli("gec", "annotate", "s", "t", "-o", "a.m2")
        assert cli("gec", "apply", "a.m2", "--source-text", "s").text() == "나는 갔다.\n"

    def test_real_corrections(self, shared: Path, tmp_path: Path, cli: Cli) -> None:
        """But for the spaces around marks, whose corpus has them apart, the text is the target."""
        folder = shared / "data" / "gec-dev" / "kolla-ref1"
        source, target = [
            (folder / name).read_text(encoding="utf-8").splitlines()[:100]
            for name in ("source.txt", "target.txt")
        ]
        for name, texts in (("source.txt", source), ("target.txt", target)):
            (tmp_path / name).write_text(lines(*texts), encoding="utf-8")
        for unit, differing in (("eojeol", 3), ("character", 0)):
            words = ("--unit", unit, "--speller", "none", "-o", f"{unit}.m2")
            cli("gec", "annotate", "source.txt", "target.txt", *words)
            done = cli("gec", "apply", f"{unit}.m2", "--source-text", "source.txt")
            pairs = list(zip(done.stdout.decode().splitlines(), target, strict=True))
            assert sum(ours != theirs for ours, theirs in pairs) <= differing
            assert all(split_punctuation(a, "all") == split_punctuation(b, "all") for a, b in pairs)
