"""A recipe is checked and sketched, and splits and texts follow from nothing else."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import UsageError
from sejongud.release import build, sketch
from sejongud.release.card import PartCounts, Released, card, citation, notice
from sejongud.release.keys import KEYS, RecipeError
from sejongud.release.recipe import Output, load_recipe, parse_recipe
from sejongud.release.splits import (
    ReleaseError,
    SplitPlan,
    listed_parts,
    shuffled,
    sizes,
    split_sets,
)

if TYPE_CHECKING:
    from conftest import Cli

    from sejongud.release.recipe import Recipe

CASES = cases("release_recipe")

HEAD = """
name = "small"
title = "작은 말뭉치"
version = "1.0"
licence = "CC-BY-4.0"
authors = ["an author"]
"""
INPUT = """
[[inputs]]
name = "one"
path = "../corpus/one.txt"
outputs = { conllu = [5, 1] }
"""


def parsed(text: str) -> Any:
    return parse_recipe(text.encode(), Path("recipes"), "r.toml")


def message(text: str) -> str:
    with pytest.raises(RecipeError) as raised:
        parsed(text)
    return str(raised.value)


def test_what_a_recipe_leaves_out_is_as_in_the_paper() -> None:
    recipe = parsed(HEAD + INPUT)
    (corpus,) = recipe.corpora
    assert corpus.split == SplitPlan("seed", (42,), (80, 10, 10))
    assert (corpus.converter, corpus.on_error, corpus.upos) == ("convert", "stop", "sejong")
    assert corpus.outputs == (Output("conllu", 1), Output("conllu", 5))
    assert recipe.files == ("../corpus/one.txt",)
    assert recipe.resolve(recipe.files[0]) == Path("recipes/../corpus/one.txt")


def test_an_input_has_the_split_and_outputs_of_the_recipe_or_its_own() -> None:
    general = "[split]\nseeds = [41, 42]\n[outputs]\njsonl = [5]\nconllu = [3]\n"
    own = '[[inputs]]\nname = "two"\npath = "b"\nsplit = { by = "document" }\n'
    first, second = parsed(HEAD + general + INPUT + own).corpora
    assert first.split.seeds == (41, 42)
    assert second.split == SplitPlan("document")
    assert [output.name for output in second.outputs] == ["conllu-3", "jsonl-5"]


def test_all_that_a_recipe_can_say() -> None:
    text = HEAD.replace('"CC-BY-4.0"', '"MIT OR Apache-2.0"') + (
        'description = """\n  두 줄\n설명\n"""\nhomepage = "https://example.org"\n'
        'licence_file = "L"\ncitation_file = "C.cff"\ncompress = true\n'
        '[[inputs]]\nname = "ne"\npath = "ne.tsv"\nconverter = "ner eoj2morph"\n'
        'format = "naver:PER-B"\nmorphemes = "m.conllu"\nencoding = "cp949"\non_error = "skip"\n'
        'options = { upos = "ud", lemmas = "form", ne = "column", inherit = true, '
        'exclusion = "paper" }\n'
        'title = "NE"\nsource = "here"\nlicence = "MIT"\nlicence_file = "N"\n'
        'split = { by = "ids", dev = "d.txt", test = "t.txt", rest = "train" }\n'
        "outputs = { iob = [1], parquet = [5] }\n"
        '[[inputs]]\nname = "ud"\npaths = ["a.conllu", "b.conllu"]\nconverter = "dep word2morph"\n'
        'options = { scheme = "ud", bound_marker = "+" }\noutputs = { words = true }\n'
    )
    recipe = parsed(text)
    entities, treebank = recipe.corpora
    assert recipe.description == "  두 줄\n설명"
    assert entities.options["inherit"] is True
    assert entities.options["exclusion"] == "paper"
    assert treebank.outputs == (Output("words"),)
    assert recipe.files == (
        "L", "C.cff", "ne.tsv", "m.conllu", "N", "d.txt", "t.txt", "a.conllu", "b.conllu",
    )  # fmt: skip


FAULTS = [
    ("nmae = 'x'\n" + HEAD, "r.toml: nmae: there is no such key; did you mean name?"),
    (HEAD.replace("licence", "licens"), "licens: there is no such key; did you mean licence?"),
    (HEAD + 'license = "MIT"\n' + INPUT, "license: the recipe says it by another key as well"),
    (HEAD.replace('name = "small"', ""), 'name: is missing: write name = "ud-korean"'),
    (HEAD.replace('"small"', '"../small"'), 'name: "../small" will not do'),
    (HEAD.replace('"small"', '"Small"'), 'name: "Small" will not do'),
    (HEAD.replace('"small"', '"con.x"'), "name: no folder can be called con.x on every system"),
    (HEAD.replace('"small"', "3"), "name: 3 will not do"),
    (HEAD.replace('"small"', f'"{"a" * 65}"'), "name:"),
    (HEAD.replace('"1.0"', '"1/0"'), "version:"),
    (HEAD.replace('"CC-BY-4.0"', '"free as in beer"'), "licence:"),
    (HEAD.replace('["an author"]', "[]"), "authors:"),
    (HEAD.replace('"an author"', '"an\\nauthor"'), "authors: write a text of one line"),
    (HEAD.replace('"작은 말뭉치"', '"a\\u0000"'), "title: write a text of one line"),
    (HEAD.replace('"작은 말뭉치"', '""'), "title: write a text of one line"),
    (HEAD + 'description = "a\\u001b[31m"\n', "description: there are control characters"),
    (HEAD + 'compress = "yes"\n', 'compress: "yes" will not do: write compress = true or false'),
    (HEAD + 'rules = "nowhere"\n' + INPUT, "rules:"),
    (HEAD, "inputs: is missing"),
    (HEAD + "inputs = 3\n", "inputs: 3 will not do"),
    (HEAD + "split = 3\n" + INPUT, "split: 3 will not do"),
    (HEAD + "x = [\n", "not TOML"),
    (HEAD + f"x = {'9' * 5000}\n", "not TOML"),
    (HEAD + INPUT + INPUT, "inputs[one].name: there are two inputs one"),
    (HEAD + INPUT + INPUT.replace('"one"', "5"), "inputs[2].name:"),
    (HEAD + INPUT.replace('"one"', '"\\u001b[31m"'), "inputs[1].name:"),
]


@pytest.mark.parametrize(("text", "said"), FAULTS)
def test_a_fault_of_the_recipe_is_named(text: str, said: str) -> None:
    found = message(text)
    assert found.startswith("r.toml: ")
    assert said in found


def test_all_faults_are_named_at_once() -> None:
    text = (
        HEAD.replace('"1.0"', "1") + 'rules = "nowhere"\n[split]\nseed = "x"\n'
        '[[inputs]]\nname = "one"\npath = "/a"\nconverter = "x"\noutputs = { conllu = [6] }\n'
        '[[inputs]]\nname = "two"\npath = "b"\nformat = "seojng"\noutputs = { iob = [5] }\n'
    )
    lines = [line for line in message(text).split("\n") if line.startswith("r.toml: ")]
    found = [line.removeprefix("r.toml: ").partition(": ")[0] for line in lines]
    assert found == [
        "version", "split.seed", "rules", "inputs[one].path", "inputs[one].converter",
        "inputs[one].outputs.conllu", "inputs[two].format",
    ]  # fmt: skip


def test_a_wrong_table_of_outputs_is_one_fault() -> None:
    found = message(HEAD + INPUT.replace("[[inputs]]", "outputs = 3\n[[inputs]]"))
    assert found.count("r.toml: ") == 1
    assert "outputs: 3 will not do: write outputs = { conllu = [1, 5] }" in found


def test_the_american_spelling_is_understood() -> None:
    recipe = parsed(HEAD.replace("licence", "license") + INPUT + 'license_file = "L"\n')
    assert recipe.licence == "CC-BY-4.0"
    assert recipe.corpora[0].licence_file == "L"


def test_files_may_be_split_already() -> None:
    paths = 'paths = { dev = "d", train = ["a", "b"] }'
    (corpus,) = parsed(HEAD + INPUT.replace('path = "../corpus/one.txt"', paths)).corpora
    assert corpus.paths == ("a", "b", "d")
    assert corpus.split == SplitPlan("files", files=("train", "train", "dev"))


MANY = f"split = {{ seeds = {list(range(5000))} }}", "the list has 5,000 values: write at most 100"


@pytest.mark.parametrize(("line", "said"), [*CASES["INPUT_FAULTS"], MANY])
def test_a_fault_of_an_input_is_named(line: str, said: str) -> None:
    found = message(HEAD + INPUT + line + "\n")
    assert found.startswith("r.toml: inputs[one].")
    assert said in found


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ("{}", "outputs: nothing is to be written"),
        ("{ conllu = [] }", "outputs.conllu:"),
        (
            "{ conllu = [6] }",
            "outputs.conllu: [6] will not do: write conllu = [1, 5] (levels from 1",
        ),
        ("{ conllu = [5, 5] }", "outputs.conllu:"),
        ("{ conlu = [5] }", "outputs.conlu: there is no such key; did you mean conllu?"),
        ("{ words = true }", "outputs: words are those of a treebank"),
        ("{ words = 1 }", "outputs.words:"),
    ],
)
def test_a_fault_of_the_outputs_is_named(outputs: str, said: str) -> None:
    found = message(HEAD + INPUT.replace("{ conllu = [5, 1] }", outputs))
    assert said in found


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('converter = "dep word2morph"\nformat = "conllu"', "format: a treebank is CoNLL-U"),
        ('converter = "dep word2morph"\non_error = "skip"', "on_error: a treebank"),
        ('converter = "ner syl2morph"\nformat = "nvaer"', "format: there is no format"),
        ('converter = "ner eoj2morph"\nformat = "naver:X"', "format: naver: there is no setting X"),
    ],
)
def test_what_does_not_fit_together_is_named(lines: str, said: str) -> None:
    assert said in message(HEAD + INPUT + lines + "\n")


def test_a_treebank_has_no_entities_and_one_marked_no_morphemes() -> None:
    treebank = INPUT + 'converter = "dep word2morph"\n'
    assert "no entities for iob" in message(HEAD + treebank.replace("conllu = [5, 1]", "iob = [5]"))
    marked = treebank.replace("conllu", "jsonl") + 'options = { bound_marker = "+" }\n'
    assert "bound_marker changes their forms" in message(HEAD + marked)


def test_every_option_of_every_converter_is_understood() -> None:
    for name, options in KEYS["options"].items():
        kinds = {option: key["type"] for option, key in options.items()}
        values = {
            option: "true" if kind == "flag" else f'"{"normalised" if kind == "text" else kind[0]}"'
            for option, kind in kinds.items()
        }
        values |= {"upos": '"sejong"'}
        given = ", ".join([f"{option} = {value}" for option, value in values.items()])
        text = f'{INPUT}converter = "{name}"\noptions = {{ {given} }}\n'
        assert set(parsed(HEAD + text).corpora[0].options) == set(options)


def test_a_recipe_in_other_bytes(tmp_path: Path) -> None:
    crlf = b"\xef\xbb\xbf" + (HEAD + INPUT).replace("\n", "\r\n").encode()
    assert parse_recipe(crlf, tmp_path, "r").title == "작은 말뭉치"
    with pytest.raises(RecipeError, match="byte 1 is not UTF-8"):
        parse_recipe(b"#\xff", tmp_path, "r")


def test_a_file_that_is_not_there_is_named_with_the_folder(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(HEAD + INPUT, encoding="utf-8")
    with pytest.raises(RecipeError, match=r"there is no file \.\./corpus/one\.txt; paths"):
        load_recipe(tmp_path / "r.toml", tmp_path.parent)


def test_no_path_leaves_the_folder(tmp_path: Path) -> None:
    """Recipes are given away, and what they name is published."""
    inside, secret = tmp_path / "in", tmp_path / "secret"
    inside.mkdir()
    for path in (secret, inside / "one.txt"):
        path.write_text("나\t나/NP\n", encoding="utf-8")
    (inside / "link").symlink_to(secret)
    recipe = inside / "r.toml"
    text = HEAD + INPUT.replace("../corpus/", "")
    morphemes = 'converter = "ner eoj2morph"\nmorphemes = '
    header = "scheme\tform\ttag\tlemma\tnote\n"
    (tmp_path / "lemmas.tsv").write_text(header, encoding="utf-8")
    (inside / "rules").mkdir()
    (inside / "rules" / "lemmas.tsv").symlink_to(tmp_path / "lemmas.tsv")
    faults = {
        "../secret": [
            HEAD + INPUT.replace("../corpus/one.txt", "../secret"),
            f'{text}split = {{ by = "ids", train = "../secret" }}\n',
            f'licence_file = "../secret"\n{text}',
            f'citation_file = "../secret"\n{text}',
        ],
        "link": [f'licence_file = "link"\n{text}', f'{text}{morphemes}"link"\n'],
        "rules/lemmas.tsv": [f'rules = "rules"\n{text}'],
        "x/../../secret": [f'{text}licence_file = "x/../../secret"\n'],
    }
    for name, wrong in faults.items():
        for faulty in wrong:
            recipe.write_text(faulty, encoding="utf-8")
            with pytest.raises(RecipeError, match=f"{name} is outside of {inside}"):
                load_recipe(recipe)
            if "x" not in name:
                assert name in load_recipe(recipe, tmp_path).files
    recipe.write_text(text, encoding="utf-8")
    assert load_recipe(recipe).files == ("one.txt",)


def test_the_recipes_of_the_samples_can_be_read(root: Path) -> None:
    assert [corpus.name for corpus in load_recipe(root / "samples" / "release.toml").corpora] == [
        "sejong", "naver", "klue", "ud",
    ]  # fmt: skip
    path = root / "samples" / "release-treebanks.toml"
    names = [c.name for c in parse_recipe(path.read_bytes(), path.parent, path.name).corpora]
    assert names == ["gsd", "kaist", "klue-ner"]


# --- a recipe for some files ----------------------------------------------------------------------


SAMPLES = [
    *("sejong.txt", "ud.conllu", "naver-ner.tsv", "klue-ner.tsv"),
    *("framenet.tsv", "treebank.txt"),
]


def test_the_files_decide_the_converters(root: Path, tmp_path: Path, cli: Cli) -> None:
    for name in SAMPLES:
        shutil.copy(root / "samples" / name, tmp_path)
    assert cli("release", "init", "-o", "recipe.toml", *SAMPLES).text() == ""
    recipe = load_recipe(tmp_path / "recipe.toml")
    found = [(corpus.name, corpus.converter, corpus.paths) for corpus in recipe.corpora]
    assert found == [
        ("sejong", "convert", ("sejong.txt",)),
        ("ud", "dep word2morph", ("ud.conllu",)),
        ("naver-ner", "ner eoj2morph", ("naver-ner.tsv",)),
        ("klue-ner", "ner syl2morph", ("klue-ner.tsv",)),
        ("framenet", "frame eoj2morph", ("framenet.tsv",)),
        ("treebank", "convert", ("treebank.txt",)),
    ]
    # What is there is replaced only if that is said.
    assert cli("release", "init", "-o", "recipe.toml", "ud.conllu").returncode == 2
    assert cli("release", "init", "-o", "recipe.toml", "--force", "ud.conllu").returncode == 0
    release = build(tmp_path / "recipe.toml", tmp_path / "out")
    assert [one.sentences for one in release.corpora] == [10]


def test_folders_are_walked(root: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "in" / "more").mkdir(parents=True)
    for name in ("sejong.txt", "learner.m2", "release.toml"):
        shutil.copy(root / "samples" / name, tmp_path / "in")
    shutil.copy(root / "samples" / "sejong-ids.txt", tmp_path / "in" / "more")
    assert cli("release", "init", "in", "in/sejong.txt", "-o", "r.toml").told().splitlines() == [
        "in/learner.m2: skipped: in/learner.m2 has corrections (m2), which no release holds",
        "in/release.toml: skipped: in no format that is known, nor Korean text",
    ]
    corpora = load_recipe(tmp_path / "r.toml").corpora
    assert [one.paths for one in corpora] == [("in/more/sejong-ids.txt",), ("in/sejong.txt",)]
    (tmp_path / "none").mkdir()
    assert cli("release", "init", "none").returncode == 2


def test_every_key_is_there_and_every_line_is_toml(root: Path) -> None:
    text = sketch([root / "samples" / name for name in SAMPLES], root)
    tomllib.loads(text)
    lines = [line for line in text.splitlines() if line.startswith("# ") and " = " in line]
    for line in lines:
        tomllib.loads(line[2:])
    keys = {line.removeprefix("# ").partition(" = ")[0] for line in text.splitlines()}
    options = {f"options.{key}" for own in KEYS["options"].values() for key in own}
    for wanted in (KEYS["recipe"], KEYS["split"], KEYS["input"], options):
        assert set(wanted) - {"split", "outputs", "inputs", "options", "path", "paths"} <= keys


def test_files_that_are_parts_are_one_input(root: Path, tmp_path: Path) -> None:
    text = (root / "samples/ud.conllu").read_bytes()
    for name in ("x-ud-train-a", "x-ud-train-b", "x-ud-valid", "trained"):
        (tmp_path / f"{name}.conllu").write_bytes(text)
    # Three corpora of one name.
    for name in ("sejong.txt", "naver-ner.tsv"):
        shutil.copy(root / "samples" / name, tmp_path / f"trained{name[-4:]}")
    (tmp_path / "r.toml").write_text(sketch(sorted(tmp_path.iterdir()), tmp_path), "utf-8")
    corpora = load_recipe(tmp_path / "r.toml").corpora
    assert [(one.name, one.paths, one.split.files) for one in corpora] == [
        ("trained", ("trained.conllu",), ()),
        ("trained-2", ("trained.tsv",), ()),
        ("trained-3", ("trained.txt",), ()),
        ("x-ud-a", ("x-ud-train-a.conllu",), ()),
        ("x-ud-b", ("x-ud-train-b.conllu",), ()),
        ("x-ud", ("x-ud-valid.conllu",), ()),
    ]


def test_parts_of_one_corpus(root: Path, tmp_path: Path) -> None:
    text = (root / "samples/ud.conllu").read_bytes()
    for name in ("dev.conllu", "test.conllu", "train.conllu"):
        (tmp_path / name).write_bytes(text)
    (tmp_path / "r.toml").write_text(sketch(sorted(tmp_path.iterdir()), tmp_path), "utf-8")
    (corpus,) = load_recipe(tmp_path / "r.toml").corpora
    assert corpus.split.files == ("train", "dev", "test")
    assert (corpus.name, corpus.paths[0]) == ("corpus", "train.conllu")


def test_what_no_release_can_hold_is_said(root: Path, tmp_path: Path, cli: Cli) -> None:
    with pytest.raises(UsageError, match="name the files"):
        sketch([])
    with pytest.raises(UsageError, match=r"learner\.m2 has corrections \(m2\), which no release"):
        sketch([root / "samples/learner.m2"])
    assert (
        b"--inputs no longer exists: build the recipe again"
        in cli("release", "init", "--inputs", "x", "y").stderr
    )
    assert cli("release", "init", "missing.txt").returncode != 0
    assert b"one folder too many: c" in cli("release", "verify", "b", "c").stderr


# --- splits ---------------------------------------------------------------------------------------


SHARES = st.tuples(st.integers(1, 100), st.integers(0, 99)).filter(lambda s: sum(s) <= 100)


def test_the_shuffle_is_the_one_that_is_documented() -> None:
    # Written down once: what comes out otherwise has changed every release.
    assert list(shuffled(10, 42)) == [9, 7, 8, 5, 3, 4, 1, 2, 0, 6]
    assert list(shuffled(10, 41)) != list(shuffled(10, 42))
    assert list(shuffled(0, 1)) == []


@given(st.integers(0, 300), st.integers(0, 2**32 - 1))
def test_a_shuffle_keeps_everything(count: int, seed: int) -> None:
    assert sorted(shuffled(count, seed)) == list(range(count))


@given(st.integers(0, 5_000), SHARES)
def test_sizes_add_up_and_are_near_their_shares(count: int, two: tuple[int, int]) -> None:
    shares = (two[0], two[1], 100 - sum(two))
    found = sizes(count, shares)
    assert sum(found) == count
    for size, share in zip(found[1:], shares[1:], strict=True):
        assert (size == 0) if share == 0 else size == max(1, round(count * share / 100 + 1e-9))


def test_sizes_of_the_treebanks() -> None:
    assert sizes(950, (80, 10, 10)) == (760, 95, 95)
    assert sizes(2066, (80, 10, 10)) == (1652, 207, 207)
    assert sizes(10, (100, 0, 0)) == (10, 0, 0)
    assert sizes(3, (80, 10, 10)) == (1, 1, 1)


@given(st.lists(st.integers(1, 9), min_size=3, max_size=60), st.integers(0, 999))
def test_every_sentence_is_in_one_part_and_documents_stay_whole(
    documents: list[int], seed: int
) -> None:
    (way,) = split_sets(SplitPlan("document", (seed,)), documents)
    assert len(way.parts) == sum(documents)
    start = 0
    parts = []
    for size in documents:
        assert len(set(way.parts[start : start + size])) == 1
        parts.append(way.parts[start])
        start += size
    counts = Counter(parts)
    assert tuple(counts[part] for part in range(3)) == sizes(len(documents), (80, 10, 10))


def test_several_seeds_are_several_ways_with_names() -> None:
    ways = split_sets(SplitPlan("seed", (41, 42)), [100])
    assert [way.name for way in ways] == ["seed-41", "seed-42"]
    assert ways[0].parts != ways[1].parts
    (alone,) = split_sets(SplitPlan("seed", (42,)), [60, 40])
    assert (alone.name, alone.parts) == ("", ways[1].parts)


def test_the_parts_are_the_first_the_next_and_the_last_of_the_shuffled_numbers() -> None:
    (way,) = split_sets(SplitPlan("seed", (7,)), [10])
    order = list(shuffled(10, 7))
    assert [way.parts[n] for n in order] == [0] * 8 + [1, 2]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_sentences_are_named(count: int) -> None:
    with pytest.raises(
        ReleaseError, match=f"{count} sentences are too few to be split 80/10/10: shares of 100"
    ):
        split_sets(SplitPlan(), [count])
    with pytest.raises(ReleaseError, match="documents are too few"):
        split_sets(SplitPlan("document"), [5] * count)


def places(*ids: str) -> list[tuple[str, str]]:
    return [(sent_id, f"list:{n}") for n, sent_id in enumerate(ids, 1)]


def test_lists_of_ids() -> None:
    parts = listed_parts({"dev": places("b"), "test": places("c")}, "train", "abc")
    assert list(parts) == [0, 1, 2]


def test_faults_in_lists_of_ids() -> None:
    with pytest.raises(ReleaseError, match="list:1: b stands in list:2 already"):
        listed_parts({"train": places("a", "b"), "dev": places("b")}, "", "ab")
    lists = {"train": places("a", "b")}
    with pytest.raises(ReleaseError, match="sentence c is in no list of ids"):
        listed_parts(lists, "", "abc")
    with pytest.raises(ReleaseError, match="list:2: there is no sentence b in the corpus"):
        listed_parts(lists, "", "a")


# --- texts ----------------------------------------------------------------------------------------


TITLE = '{{ 7 * 7 }} {% if %} <b> & | "눈"'
LEVEL = {"tokens": 1234, "mcw": 0.25, "immediate_nts": 7}
FIGURES = {
    "sentences": 2_000,
    "eojeols": 0,
    "distinct_eojeols": 0,
    "levels": {str(level): LEVEL for level in range(1, 6)},
}


def recipe(*, licence: str = "MIT", outputs: str = "jsonl = [1, 5], parquet = [3]") -> Recipe:
    text = (
        f'name = "x"\ntitle = \'{TITLE}\'\nversion = "1.0"\nlicence = "{licence}"\n'
        "authors = ['{{ a }}', 'b: c']\nhomepage = 'https://example.org/?a|b'\n"
        f"[[inputs]]\nname = \"one\"\npath = \"a\"\ntitle = '{TITLE}'\nsource = 'here'\n"
        f'licence = "MIT"\nlicence_file = "L"\noutputs = {{ {outputs} }}\n'
        "split = { seeds = [1, 2, 3] }\n"
    )
    return parse_recipe(text.encode(), Path(), "r.toml")


def released(given: Recipe, **more: object) -> list[Released]:
    parts = [
        PartCounts(way, name, FIGURES | more)
        for way in ("seed-1", "seed-2", "seed-3")
        for name in ("train", "dev")
    ]
    losses = {"jsonl-5": {"a | b": 1_000}}
    return [Released(given.corpora[0], 2_000, parts, [], {"E101": 3}, losses)]


def test_a_title_is_data_in_all_texts() -> None:
    given = recipe()
    text = card(given, released(given), {"sejongud": "1"})
    assert f"pretty_name: {json.dumps(TITLE, ensure_ascii=False)}\n" in text
    assert f"\n# {TITLE}\n" in text
    escaped = TITLE.replace("|", "\\|")
    assert f"| `one` | {escaped} | `convert` | here | MIT | 2,000 |\n" in text
    assert f"title: {json.dumps(TITLE, ensure_ascii=False)}\n" in citation(given)
    assert '  - name: "{{ a }}"\n  - name: "b: c"\n' in citation(given)
    assert 'url: "https://example.org/?a|b"\n' in citation(given)
    assert notice(given) == (
        f"{TITLE}, version 1.0, by {{{{ a }}}}, b: c\n\n"
        "Licensed under MIT: https://spdx.org/licenses/MIT.html\n\n"
        "It was made of these, under licences of their own:\n\n"
        f"- {TITLE} (here): MIT, licences/one.txt\n"
    )


def test_columns_with_nothing_in_them_are_left_out() -> None:
    given = recipe()
    text = card(given, released(given), {})
    assert (
        "| corpus | part | sentences | morphemes |\n| --- | --- | ---: | ---: |\n"
        "| `one` | seed-1/train | 2,000 | 1,234 |\n"
    ) in text
    assert "| `one` | seed-1/dev | MCW | 0.2500 | 0.2500 |" in text
    assert "seed-2/train | tokens" not in text
    assert "| `one` | `jsonl-5` | a \\| b | 1,000 |\n" in text
    assert "| `one` | E101 | 3 |\n" in text
    assert "split 80/10/10 by the seeds 1, 2 and 3.\n" in text


def test_entities_and_relations_are_tables_of_their_own() -> None:
    given = recipe()
    entities = {"P|S": {"entities": 1_500}, "LC": {"entities": 0}, "all": {"entities": 1_500}}
    relations = {"words": {"root": 4}, "morphemes": {"root": 4, "case": 3}}
    text = card(given, released(given, entities=entities, relations=relations), {})
    assert "| type | seed-1/train | seed-1/dev |\n| --- | ---: | ---: |\n" in text
    assert "| `LC` | 0 | 0 |\n| `P\\|S` | 1,500 | 1,500 |\n\n" in text
    assert "| relation | between words | between morphemes |\n| --- | ---: | ---: |\n" in text
    assert "| `case` | 0 | 6 |\n| `root` | 8 | 8 |\n\n" in text
    assert "| `one` | seed-3/dev | 2,000 | 1,234 | 1,500 | 4 |\n" in text


@pytest.mark.parametrize(
    ("outputs", "loaded"),
    [
        ("jsonl = [1, 5], parquet = [3]", "data/one/seed-2/parquet-3/dev.parquet"),
        ("jsonl = [1, 5], iob = [5]", "data/one/seed-2/jsonl-5/dev.jsonl"),
        ("conllu = [5]", None),
    ],
)
def test_the_hub_loads_the_finest_level_of_its_best_format(
    outputs: str, loaded: str | None
) -> None:
    given = recipe(outputs=outputs)
    text = card(given, released(given), {})
    if loaded is None:
        assert "\nviewer: false\n---\n" in text
        assert "configs:" not in text
    else:
        assert "configs:\n" in text
        config = (
            f'- config_name: "one-seed-2"\n  data_files:\n  - split: train\n    path: "{loaded}"'
        )
        assert config.replace("dev.", "train.") in text
        assert f'  - split: validation\n    path: "{loaded}"\n' in text


@pytest.mark.parametrize(
    ("licence", "front", "cited", "page"),
    [
        ("CC-BY-SA-4.0", "license: cc-by-sa-4.0\n", True, True),
        ("LicenseRef-x", 'license: other\nlicense_name: "licenseref-x"\n', True, False),
        ("MIT OR Apache-2.0", 'license_name: "mit or apache-2.0"\n', False, False),
    ],
)
def test_the_licence_as_the_hub_and_a_citation_want_it(
    licence: str, front: str, cited: bool, page: bool
) -> None:
    given = recipe(licence=licence)
    assert front in card(given, released(given), {})
    assert (f"\nlicense: {licence}\n" in citation(given)) == cited
    assert (f"Licensed under {licence}: https://spdx.org" in notice(given)) == page


@pytest.mark.parametrize(
    ("sentences", "size"),
    [(0, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (10**6, "1M<n<10M"), (10**12, "100M<n<1B")],
)
def test_the_class_of_size(sentences: int, size: str) -> None:
    given = recipe()
    (one,) = released(given)
    text = card(given, [Released(one.corpus, sentences, one.parts, [], {}, {})], {})
    assert f"size_categories:\n- {size}\n" in text


def test_conllu_plus_keeps_its_layers_by_convert_alone(cli: Cli, tmp_path: Path) -> None:
    names = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC TREE:OPEN TREE:CLOSE"
    rows = [f"# sent_id = {n}\n1\t끝\t끝\tNOUN\tNNG\t_\t0\troot\t_\t_\t(NP\t)\n" for n in range(9)]
    text = f"# global.columns = {names}\n" + "\n".join(rows) + "\n"
    (tmp_path / "a.conllup").write_text(text, encoding="utf-8")
    recipe = cli("release", "init", "a.conllup").stdout.decode()
    assert 'converter = "convert"' in recipe
    (tmp_path / "r.toml").write_text(recipe, encoding="utf-8")
    assert cli("release", "r.toml", "out").returncode == 0
    (tmp_path / "r.toml").write_text(
        recipe.replace('"convert"', '"dep word2morph"', 1), encoding="utf-8"
    )
    done = cli("release", "r.toml", "other")
    assert (done.returncode, b'converter = "convert" keeps them' in done.stderr) == (1, True)


def test_entities_of_a_treebank_are_in_its_rows(cli: Cli, tmp_path: Path) -> None:
    rows = [
        f"# sent_id = {n}\n1\t서울에서\t서울+에서\tPROPN\tNNP+JKB\t_\t0\troot\t_"
        "\tNE=B-LC|NEMorph=1:B-LC\n\n"
        for n in range(9)
    ]
    (tmp_path / "a.conllu").write_text("".join(rows), encoding="utf-8")
    (tmp_path / "r.toml").write_bytes(cli("release", "init", "a.conllu").stdout)
    assert cli("release", "r.toml", "out").returncode == 0
    made = tmp_path / "out" / "data" / "a" / "jsonl-5" / "train.jsonl"
    first = json.loads(made.read_text(encoding="utf-8").partition("\n")[0])
    assert (first["tokens"], first["ner_tags"]) == (["서울", "에서"], ["B-LC", "O"])
    assert "### Entities of a\n" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
