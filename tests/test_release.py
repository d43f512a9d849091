"""A release is what the commands make of its inputs, and the same each time."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from sejongud import __version__, release
from sejongud.api import convert
from sejongud.converters.jobs import read
from sejongud.errors import FormatError, MissingExtraError, Report, UsageError
from sejongud.files import Source
from sejongud.model import LEVELS
from sejongud.release import RecipeError, ReleaseError, build, outputs, verify
from sejongud.release.card import papers
from sejongud.release.checks import round_trips
from sejongud.release.folder import MANIFEST, SUMS, digest_of, read_sums
from sejongud.release.keys import SPLITS
from sejongud.release.recipe import load_recipe, parse_recipe
from sejongud.release.rows import table
from sejongud.release.splits import SplitPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Cli

    from sejongud.release import Release
    from sejongud.release.recipe import Corpus, Recipe

HEAD = """
name = "small"
title = "작은 말뭉치"
version = "1.0"
licence = "CC-BY-4.0"
authors = ["an author"]
"""
SEJONG = """
[[inputs]]
name = "sejong"
path = "sejong.txt"
outputs = { conllu = [1, 2, 3, 4, 5], jsonl = [3] }
"""
NAVER = """
[[inputs]]
name = "naver"
path = "naver-ner.tsv"
converter = "ner eoj2morph"
morphemes = "naver-ner.txt"
outputs = { conllu = [5], iob = [1, 5], jsonl = [5] }
split = { seeds = [41, 42] }
"""
UD = """
[[inputs]]
name = "ud"
path = "ud.conllu"
converter = "dep word2morph"
options = { scheme = "ud" }
split = { by = "document", shares = [60, 20, 20] }
outputs = { words = true, conllu = [2, 5], jsonl = [5] }
"""
FRAMED = """
[[inputs]]
name = "framed"
path = "framenet.tsv"
converter = "frame eoj2morph"
morphemes = "framenet.txt"
options = { merge = true, symbols = "out" }
outputs = { conllu = [1, 5], iob = [5], jsonl = [5], parquet = [3] }
split = { shares = [60, 20, 20] }
"""
TREES = """
[[inputs]]
name = "trees"
path = "treebank.txt"
on_error = "keep"
outputs = { conllu = [2, 5], jsonl = [5], parquet = [5] }
"""
FILES = ("sejong.txt", "naver-ner.tsv", "naver-ner.txt", "ud.conllu")


@pytest.fixture(scope="module", autouse=True)
def _round_trips_are_made_once() -> Iterator[None]:
    """The same files make the same round trips: twenty builds need not make them all."""
    known: dict[object, list[dict[str, Any]]] = {}

    def remembered(corpus: Corpus, recipe: Recipe, *, jobs: int) -> list[dict[str, Any]]:
        files = tuple([recipe.resolve(name).read_bytes() for name in corpus.files])
        levels = {output.level for output in corpus.outputs}
        # Nothing else of a recipe is looked at.
        key = (
            files,
            repr(replace(corpus, split=SplitPlan(), outputs=(), name="")),
            frozenset(levels),
        )
        if key not in known:
            known[key] = round_trips(corpus, recipe, jobs=jobs)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "round_trips", remembered)
        yield


@pytest.fixture(scope="module")
def place(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with inputs and a recipe for them that needs no Kiwi."""
    folder = tmp_path_factory.mktemp("release")
    for name in FILES:
        shutil.copy(root / "samples" / name, folder)
    (folder / "r.toml").write_text(HEAD + SEJONG + NAVER + UD, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def built(place: Path) -> Release:
    """The release of that recipe."""
    return build(place / "r.toml", place / "small")


@pytest.fixture
def copy(built: Release, tmp_path: Path) -> Path:
    """A copy of it, to do harm to."""
    shutil.copytree(built.folder, tmp_path / "copy")
    return tmp_path / "copy"


def written(folder: Path, text: str, recipe: str = "r.toml", **files: str) -> Path:
    """A recipe in a folder, and files beside it."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    path = folder / recipe
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return found


def blocks(path: Path) -> list[str]:
    """The sentences of a CoNLL-U file without what begins documents, by their order."""
    with Source(path) as source:
        text = "".join([line + "\n" for line in source.lines() if not line.startswith("# newdoc")])
    return [block for block in text.split("\n\n") if block]


def by_id(texts: list[str]) -> dict[str, str]:
    found = {}
    for block in texts:
        found[block.partition("# sent_id = ")[2].partition("\n")[0]] = block
    return found


def parts(folder: Path, rest: str) -> dict[str, str]:
    """The sentences of all parts, by their ids."""
    found: dict[str, str] = {}
    for part in SPLITS:
        own = by_id(blocks(folder / rest.format(part)))
        assert not own.keys() & found.keys()
        found |= own
    return found


# --- what is in it -------------------------------------------------------------------------------


def test_the_layout_of_a_release(built: Release) -> None:
    top = {path.name for path in built.folder.iterdir()}
    assert top == {
        "CITATION.cff", "LICENSE", "README.md", "SHA256SUMS", "data", "ids", "manifest.json",
        "recipe.toml", "statistics",
    }  # fmt: skip
    assert (built.folder / "data/naver/seed-42/iob-5/dev.tsv").is_file()
    assert (built.folder / "data/ud/words/test.conllu").is_file()
    assert (built.folder / "ids/sejong/train.txt").is_file()
    assert not [path for path in built.folder.parent.iterdir() if path.name.startswith(".small")]


@pytest.mark.parametrize("level", LEVELS)
def test_text_is_what_convert_makes_of_it(
    built: Release, place: Path, tmp_path: Path, level: int
) -> None:
    convert(place / "sejong.txt", tmp_path / "out", level=level)
    found = parts(built.folder, f"data/sejong/conllu-{level}/{{}}.conllu")
    assert found == by_id(blocks(tmp_path / "out"))
    convert(place / "sejong.txt", tmp_path / "out.jsonl", to="jsonl", level=3)
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = {found["sent_id"]: found for found in map(json.loads, lines)}
    released = {found["sent_id"]: found for found in objects(built.folder, "sejong/jsonl-3")}
    assert released.keys() == wanted.keys()
    for sent_id, one in released.items():
        assert without_empty(one).items() >= without_empty(wanted[sent_id]).items()


def objects(folder: Path, name: str) -> list[dict[str, Any]]:
    """The objects in the lines of all parts of a form."""
    return [
        json.loads(line)
        for part in SPLITS
        for line in (folder / f"data/{name}/{part}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def without_empty(value: Any) -> Any:
    """A value of JSON without the keys that say nothing."""
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    if isinstance(value, dict):
        kept = {key: without_empty(own) for key, own in value.items()}
        return {key: own for key, own in kept.items() if own not in ("", False, None, [])}
    return value


def shapes(value: Any) -> set[str]:
    """The keys of all objects in a value of JSON, one text for each object."""
    if isinstance(value, list):
        return {shape for item in value for shape in shapes(item)}
    if isinstance(value, dict):
        own = {f"{key}/{shape}" for key, item in value.items() for shape in shapes(item)}
        return {" ".join(sorted(value)), *own}
    return set()


@pytest.mark.parametrize("name", ["sejong/jsonl-3", "naver/seed-41/jsonl-5", "ud/jsonl-5"])
def test_every_object_has_every_key_and_lists_as_long_as_its_words(
    built: Release, name: str
) -> None:
    found = objects(built.folder, name)
    # A place in an object has objects of one kind, whatever the sentence has there.
    shapes_of = Counter([shape.rpartition("/")[0] for shape in shapes(found)])
    assert set(shapes_of.values()) == {1}
    for one in found:
        lists = ("tokens", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "ner_tags")
        sizes = {len(one[key]) for key in lists if one[key] is not None}
        assert sizes == {sum(one["words_a_token"])}
        assert len(one["surface_tokens"]) == len(one["space_after"]) == len(one["words_a_token"])
        words = [w for e in one["eojeols"] for t in e["tokens"] for w in t["words"]]
        assert one["tokens"] == [word["form"] for word in words]
        assert one["xpos"] == [word["xpos"] for word in words]
        assert (one["heads"] is None) == ("ud" not in name)
        assert (one["ner_tags"] is None) == ("naver" not in name)


def test_the_card_declares_the_columns_of_the_hub(built: Release) -> None:
    head = (built.folder / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    declared = [json.loads(line[4:]) for line in head.splitlines() if line.startswith("  - {")]
    names = [feature["name"] for feature in declared]
    one = names.index("sent_id", 1)
    assert set(names[:one]) == set(objects(built.folder, "sejong/jsonl-3")[0])
    classes = [feature["sequence"] for feature in declared if feature["name"] == "ner_tags"]
    (labels,) = {
        tuple(one["class_label"]["names"].values()) for one in classes if isinstance(one, dict)
    }
    assert labels[:3] == ("O", "B-ANM", "I-ANM")
    found = objects(built.folder, "naver/seed-41/jsonl-5")
    assert {tag for one in found for tag in one["ner_tags"]} <= set(labels)


def test_datasets_loads_a_release(built: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="no datasets")
    cache = str(built.folder.parent / "cache")
    found = datasets.load_dataset(str(built.folder), "naver-seed-41", cache_dir=cache)
    assert sum([len(part) for part in found.values()]) == 8
    row = found["train"][0]
    labels = found["train"].features["ner_tags"].feature
    wanted = objects(built.folder, "naver/seed-41/jsonl-5")[0]
    assert [labels.int2str(tag) for tag in row["ner_tags"]] == wanted["ner_tags"]
    assert row["eojeols"][0]["form"] == wanted["eojeols"][0]["form"]


def test_files_that_are_split_already_keep_their_parts(root: Path, tmp_path: Path) -> None:
    lines = (root / "samples/sejong.txt").read_text(encoding="utf-8").strip("\n").split("\n\n")
    files = {"a_txt": lines[:2], "b_txt": lines[2:3], "c_txt": lines[3:5], "d_txt": lines[5:6]}
    paths = '{ test = "b.txt", train = ["c.txt", "a.txt"], dev = "d.txt" }'
    path = written(
        tmp_path,
        f'[[inputs]]\nname = "x"\npaths = {paths}\noutputs = {{ jsonl = [1] }}\n',
        **{name: "\n\n".join(own) + "\n" for name, own in files.items()},
    )
    folder = build(path, tmp_path / "out").folder
    sizes = [
        (folder / f"data/x/jsonl-1/{part}.jsonl").read_text(encoding="utf-8").count("\n")
        for part in SPLITS
    ]
    assert sizes == [4, 1, 1]
    assert "`x` has the parts that its files had" in (folder / "README.md").read_text("utf-8")


def test_words_have_feats_and_glosses_if_the_recipe_says_so(
    place: Path, tmp_path: Path, cli: Cli
) -> None:
    text = SEJONG.replace("1, 2, 3, 4, 5", "3").replace("jsonl = [3]", "jsonl = [5]")
    options = 'options = { feats = "ud", translit = true, gloss = true }\n'
    (place / "feats.toml").write_text(HEAD + text + options, encoding="utf-8")
    folder = build(place / "feats.toml", tmp_path / "out").folder
    ways = ("--level", "3", "--feats", "ud", "--translit", "--gloss")
    assert cli("convert", *ways, place / "sejong.txt", tmp_path / "three").returncode == 0
    assert parts(folder, "data/sejong/conllu-3/{}.conllu") == by_id(blocks(tmp_path / "three"))
    feats = [own for one in objects(folder, "sejong/jsonl-5") for own in one["feats"]]
    assert "Mood=Ind|VerbForm=Fin" in feats


def test_a_treebank_is_what_dep_word2morph_makes_of_it(
    built: Release, place: Path, cli: Cli, tmp_path: Path
) -> None:
    done = cli("dep", "word2morph", "--scheme", "ud", place / "ud.conllu", tmp_path / "out")
    assert done.returncode == 0
    assert parts(built.folder, "data/ud/conllu-5/{}.conllu") == by_id(blocks(tmp_path / "out"))
    assert parts(built.folder, "data/ud/words/{}.conllu") == by_id(blocks(place / "ud.conllu"))
    convert(place / "ud.conllu", tmp_path / "two", level=2)
    assert parts(built.folder, "data/ud/conllu-2/{}.conllu") == by_id(blocks(tmp_path / "two"))


def test_json_lines_are_the_conllu_of_their_level(built: Release, cli: Cli) -> None:
    for corpus in ("ud", "naver/seed-41"):
        for part in SPLITS:
            folder = built.folder / "data" / corpus
            back = cli("convert", folder / f"jsonl-5/{part}.jsonl")
            assert back.stdout == (folder / f"conllu-5/{part}.conllu").read_bytes()
            counted = cli("stats", "-q", folder / f"jsonl-5/{part}.jsonl").stdout
            assert counted == cli("stats", "-q", folder / f"conllu-5/{part}.conllu").stdout
    assert manifest(built.folder)["corpora"]["ud"]["not_written"] == {}


def test_entities_in_a_column_are_in_conllu_alone(
    built: Release, place: Path, tmp_path: Path
) -> None:
    for name in ("naver-ner.tsv", "naver-ner.txt"):
        shutil.copy(place / name, tmp_path)
    text = NAVER.replace("split", 'options = { ne = "column" }\nsplit')
    folder = build(written(tmp_path, text), tmp_path / "out").folder / "data/naver/seed-41"
    for part in SPLITS:
        own = "conllu-5/{}.conllu", "jsonl-5/{}.jsonl"
        conllu, objects = [
            (built.folder / "data/naver/seed-41" / name.format(part)).read_text() for name in own
        ]
        assert (folder / f"jsonl-5/{part}.jsonl").read_text() == objects
        columns = (folder / f"conllu-5/{part}.conllup").read_text()
        labels = re.findall(r"NE=([BI]-[A-Z]+)", conllu)
        assert re.findall(r"\t([BI]-[A-Z]+)$", columns, re.MULTILINE) == labels != []


@contextmanager
def without_rows(path: Path) -> Iterator[Callable[[Any], None]]:
    """A Parquet file that loses its rows."""
    with table(path):
        yield lambda _: None


@pytest.mark.parametrize(
    ("name", "broken", "said"),
    [
        ("jsonl", lambda text: text.replace('"form": "', '"fomr": "'), "form is missing"),
        ("jsonl", lambda text: text * 2, "6 sentences were written, 12 read"),
        (
            "conllu",
            lambda text: text.replace("\t_\t_\n", "\t_\n"),
            "train.conllu:4: .* expected 10 columns",
        ),
        ("iob", lambda text: text.replace("\t", " "), "train.tsv:1: .* expected a token first"),
        ("ids", lambda text: "", "6 sentences were written, 0 read"),
        ("parquet", lambda row: row, "6 sentences were written, 0 read"),
    ],
)
def test_a_file_that_cannot_be_read_ends_the_build(
    name: str,
    broken: Callable[[Any], Any],
    said: str,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make = outputs._make_form

    def damaged(output: Any, converted: Any) -> Any:
        form = make(output, converted)
        if output.format != name:
            return form
        return form._replace(write=lambda sentence: broken(form.write(sentence)))

    monkeypatch.setattr(outputs, "_make_form", damaged)
    for own in ("naver-ner.tsv", "naver-ner.txt"):
        shutil.copy(root / "samples" / own, tmp_path)
    text = NAVER.replace("[41, 42]", "[41]")
    if name == "parquet":
        pytest.importorskip("pyarrow")
        text = text.replace("jsonl", "parquet")
        monkeypatch.setattr(outputs, "table", without_rows)
    with pytest.raises(ReleaseError, match=said) as caught:
        build(written(tmp_path, text), tmp_path / "out")
    place = "ids/naver/" if name == "ids" else f"data/naver/{name}-"
    assert str(caught.value).startswith(place)
    assert "Traceback" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def test_the_entities_of_every_part_come_back(built: Release, place: Path, cli: Cli) -> None:
    corpus = (place / "naver-ner.tsv").read_text(encoding="utf-8").strip().split("\n\n")
    for seed in (41, 42):
        found = []
        for part in SPLITS:
            path = built.folder / f"data/naver/seed-{seed}/conllu-5/{part}.conllu"
            found += cli("ner", "morph2eoj", path).text().strip().split("\n\n")
        assert sorted(found) == sorted(corpus)


@pytest.mark.parametrize("compress", ["true", "false"])
def test_a_late_comment_does_not_change_the_type_of_a_column(
    compress: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loaders take a list that is empty for the first 10 MB for null, and fail at a text."""
    monkeypatch.setattr("sejongud.release.outputs._GUESSED", 1_500)
    sentence = "# sent_id = {}\n1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n"
    texts = [sentence.format(number) for number in range(9)]
    for name, comment_at in (("late", 8), ("early", 1), ("none", 9)):
        own = [f"# note = x\n{text}" if at == comment_at else text for at, text in enumerate(texts)]
        (tmp_path / f"{name}.conllu").write_text("".join(own), "utf-8")
    recipe = f"compress = {compress}\n" + "".join(
        f'[[inputs]]\nname = "{name}"\npaths = {{ train = "{name}.conllu" }}\n'
        "outputs = { jsonl = [5] }\n"
        for name in ("late", "early", "none")
    )
    folder = build(written(tmp_path, recipe), tmp_path / "out").folder
    said = {}
    for name in ("late", "early", "none"):
        (path,) = (folder / f"data/{name}/jsonl-5").glob("train.jsonl*")
        with Source(path) as source:
            said[name] = [json.loads(line)["comments"] for line in source.lines()]
    assert said["late"] == [[f"generator = sejongud {__version__}"], *[[]] * 7, ["note = x"]]
    assert said["early"] == [[], ["note = x"], *[[]] * 7]
    assert said["none"] == [[]] * 9
    assert verify(folder).ok


def test_a_recipe_says_which_morphemes_carry_no_label(tmp_path: Path, cli: Cli) -> None:
    """The key `exclusion` is the option of the command; by the paper no determiner has a label."""
    (tmp_path / "a.tsv").write_text("1\t한명이\tNUM_B\n2\t간다.\t-\n\n" * 3, "utf-8")
    morphemes = "한명이\t한/MM+명/NNB+이/JKS\n간다.\t가/VV+ㄴ다/EF+./SF\n\n" * 3
    (tmp_path / "m.txt").write_text(morphemes, "utf-8")
    text = (
        '[[inputs]]\nname = "a"\npath = "a.tsv"\nmorphemes = "m.txt"\n'
        'converter = "ner eoj2morph"\noptions = { exclusion = "paper" }\n'
        "outputs = { conllu = [5] }\n"
    )
    folder = build(written(tmp_path, text), tmp_path / "out").folder / "data/a/conllu-5"
    command = ("ner", "eoj2morph", "a.tsv", "--morphemes", "m.txt", "--exclusion", "paper")
    made = cli(*command).stdout.decode()
    parts = [(folder / f"{part}.conllu").read_text("utf-8") for part in SPLITS]
    told = "# ner_format = naver rows PER_B\n"  # It stands at the first sentence of each part.
    one, other = ("".join(texts).replace(told, "").split("\n\n") for texts in (parts, [made]))
    assert by_id(one) == by_id(other)
    assert "한\t한\tDET\tMM\t_\t_\t_\t_\t_\n" in made
    assert "명\t명\tNOUN\tNNB\t_\t_\t_\t_\tNE=B-NUM\n" in made


def test_columns_have_form_upos_xpos_and_label(built: Release) -> None:
    folder = built.folder / "data/naver/seed-42"
    morphemes, eojeols = [
        "".join([(folder / name / f"{part}.tsv").read_text(encoding="utf-8") for part in SPLITS])
        for name in ("iob-5", "iob-1")
    ]
    assert "부산\tPROPN\tNNP\tB-LOC\n에서\tADP\tJKB\tO\n" in morphemes
    assert "부산에서\tPROPN\tNNP+JKB\tB-LOC\n" in eojeols


def test_seeds_are_those_of_the_lists_of_ids(built: Release) -> None:
    for seed in (41, 42):
        folder = f"naver/seed-{seed}"
        for part in SPLITS:
            ids = (built.folder / f"ids/{folder}/{part}.txt").read_text().split()
            own = blocks(built.folder / f"data/{folder}/conllu-5/{part}.conllu")
            assert ids == list(by_id(own))
    one, other = (
        (built.folder / f"ids/naver/seed-{seed}/train.txt").read_text() for seed in (41, 42)
    )
    assert one != other


def test_statistics_are_those_of_the_commands(built: Release, cli: Cli) -> None:
    counted = json.loads((built.folder / "statistics/ud.json").read_text(encoding="utf-8"))
    for part in SPLITS:
        words = built.folder / f"data/ud/words/{part}.conllu"
        wanted = json.loads(cli("stats", "-q", "--json", words).stdout)
        for level in wanted["levels"].values():
            level["mcw"] = round(level["mcw"], 4)
        found = counted[part]
        assert {key: found[key] for key in wanted} == wanted
        arcs = json.loads(cli("dep", "stats", "--scheme", "ud", "--json", words).stdout)
        assert found["arcs"] == arcs
        for unit, of in (("words", "2"), ("morphemes", "5")):
            assert sum(found["relations"][unit].values()) == wanted["levels"][of]["tokens"]
    naver = json.loads((built.folder / "statistics/naver.json").read_text(encoding="utf-8"))
    for way in ("seed-41", "seed-42"):
        assert sum([naver[way][part]["entities"]["all"]["entities"] for part in SPLITS]) == 22
    corpora = manifest(built.folder)["corpora"]
    assert corpora["naver"]["parts"]["seed-41"] == {"train": 6, "dev": 1, "test": 1}
    assert corpora["ud"]["parts"] == {part: counted[part]["sentences"] for part in SPLITS}


def test_the_round_trips_are_in_the_manifest(built: Release) -> None:
    trips = [
        (name, trip["trip"], trip["sentences"], trip["identical"])
        for name, corpus in manifest(built.folder)["corpora"].items()
        for trip in corpus["round_trips"]
    ]
    assert ("sejong", "sejong level 3", 22, 22) in trips
    assert ("naver", "ner eoj2morph", 8, 8) in trips
    assert ("ud", "dep word2morph ud", 10, 10) in trips
    # What the release does not hold is not checked for it.
    assert not [trip for trip in trips if trip[1].endswith("morphud")]
    assert ("ud", "sejong level 3", 10, 10) not in trips


def test_the_manifest_says_what_it_was_made_of(built: Release, place: Path, cli: Cli) -> None:
    found = manifest(built.folder)
    assert list(found) == [
        "format", "name", "title", "version", "licence", "made_with", "recipe", "inputs",
        "corpora", "files",
    ]  # fmt: skip
    for name in FILES:
        data = (place / name).read_bytes()
        assert found["inputs"][name] == {
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    recipe = (place / "r.toml").read_bytes()
    assert (built.folder / "recipe.toml").read_bytes() == recipe
    assert found["recipe"]["sha256"] == hashlib.sha256(recipe).hexdigest()
    assert found["recipe"]["text"].encode() == recipe
    said = cli("--versions").stdout.decode().splitlines()
    for name, number in found["made_with"].items():
        assert f"{name} {number}" in said
    text = (built.folder / MANIFEST).read_text(encoding="utf-8")
    assert str(place) not in text
    assert "python" not in found["made_with"]


def test_sums_are_those_of_sha256sum(built: Release) -> None:
    sums, faults = read_sums(built.folder)
    files = {
        path.relative_to(built.folder).as_posix()
        for path in built.folder.rglob("*")
        if path.is_file()
    }
    assert faults == []
    assert sums.keys() == files - {SUMS}
    assert sums.keys() - {MANIFEST} == manifest(built.folder)["files"].keys()
    assert list(sums) == sorted(sums)
    assert hashlib.sha256((built.folder / SUMS).read_bytes()).hexdigest() == built.digest
    program = shutil.which("sha256sum")
    if program is None:
        pytest.skip("no sha256sum")
    done = subprocess.run(
        [program, "-c", "--quiet", SUMS], cwd=built.folder, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_card_has_the_layout_of_the_hub(built: Release) -> None:
    text = (built.folder / "README.md").read_text(encoding="utf-8")
    first, front, body = text.split("---\n", 2)
    assert first == ""
    for line in (
        'pretty_name: "작은 말뭉치"', "language:\n- ko", "license: cc-by-4.0",
        "task_categories:\n- token-classification", "size_categories:\n- n<1K",
        '- config_name: "ud"\n  data_files:\n  - split: train\n'
        '    path: "data/ud/jsonl-5/train.jsonl"\n  - split: validation\n'
        '    path: "data/ud/jsonl-5/dev.jsonl"\n',
    ):  # fmt: skip
        assert line in front
    assert '- config_name: "naver-seed-42"' in front
    for path in [line.split('"')[1] for line in front.splitlines() if "    path: " in line]:
        assert (built.folder / path).is_file()
    assert "| `sejong` | train | 18 |" in body
    assert "| `ud` | dep word2morph ud | 10 | 10 |" in body
    assert "Documents of `ud` were split 60/20/20 by the seed 42." in body


def test_citation_and_licence(built: Release, root: Path) -> None:
    citation = (built.folder / "CITATION.cff").read_text(encoding="utf-8")
    assert 'title: "작은 말뭉치"\nversion: "1.0"\nlicense: CC-BY-4.0\n' in citation
    assert '  - name: "an author"\n' in citation
    ours = (root / "CITATION.cff").read_text(encoding="utf-8").replace('"', "")
    found = papers(load_recipe(root / "samples" / "release.toml"))
    assert len(found) == 4
    recipe = HEAD + FRAMED
    found += papers(parse_recipe(recipe.encode(), root, "r.toml"))
    assert len(found) == 7
    for paper in found:
        for key, value in paper.items():
            if key not in ("converters", "authors"):
                assert f"{key}: {value}\n" in ours
        for author in paper["authors"]:
            family, given = author.split(", ")
            assert f"- family-names: {family}\n        given-names: {given}\n" in ours
    licence = (built.folder / "LICENSE").read_text(encoding="utf-8")
    assert "Licensed under CC-BY-4.0: https://spdx.org/licenses/CC-BY-4.0.html" in licence


# --- the same each time --------------------------------------------------------------------------


def test_the_same_recipe_gives_the_same_bytes(
    built: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere, of older files, with few files open at once, and in an empty folder."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    for name in (*FILES, "r.toml"):
        shutil.copy(built.folder.parent / name, place)
        os.utime(place / name, (0, 0))
    monkeypatch.setattr(outputs, "_OPEN_FILES", 1)
    (tmp_path / "again").mkdir()
    assert build(place / "r.toml", tmp_path / "again").digest == built.digest


def test_several_processes_give_the_same_bytes(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(place, UD.replace("words = true, conllu = [2, 5], ", ""), "jobs.toml")
    one = build(path, tmp_path / "one")
    monkeypatch.setattr(release, "_WORTH_A_POOL", 0)
    assert build(path, tmp_path / "two", jobs=2).digest == one.digest


def test_packed_text_is_the_same_each_time(place: Path, tmp_path: Path) -> None:
    path = place / "packed.toml"
    path.write_text(
        f"{HEAD}compress = true\n{SEJONG.replace('1, 2, 3, 4, ', '')}", encoding="utf-8"
    )
    one, two = [build(path, tmp_path / name) for name in ("a", "b")]
    assert one.digest == two.digest
    packed = one.folder / "data/sejong/conllu-5/dev.conllu.gz"
    assert gzip.decompress(packed.read_bytes()).startswith(b"# sent_id = ")
    assert packed.read_bytes()[4:8] == bytes(4)


def test_parquet_is_the_same_each_time_and_says_the_same(place: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow")
    outputs = "outputs = { parquet = [5] }\n"
    text = "".join(
        [
            "\n".join([line for line in one.splitlines() if not line.startswith("outputs")])
            + f"\n{outputs}"
            for one in (NAVER.replace("seeds = [41, 42]", "seed = 1"), UD)
        ]
    )
    path = written(place, text, "parquet.toml")
    one, two = [build(path, tmp_path / name) for name in ("a", "b")]
    assert one.digest == two.digest
    rows = {
        row["sent_id"]: row
        for part in SPLITS
        for row in parquet.read_table(one.folder / f"data/ud/parquet-5/{part}.parquet").to_pylist()
    }
    row = rows["sample-ud-8"]
    assert row["text"] == '지우는 "내일 다시 만나자"라고 말했다.'
    assert " ".join(row["surface_tokens"]) == '지우는 " 내일 다시 만나자 " 라고 말했다 .'
    assert row["words_a_token"] == [2, 1, 1, 1, 2, 1, 1, 4, 1]
    assert row["space_after"] == [True, False, True, True, False, False, True, False, True]
    assert len(row["tokens"]) == len(row["heads"]) == len(row["deprels"]) == 14
    assert row["deprels"].count("root") == 1
    assert row["ner_tags"] is None
    table = parquet.read_table(one.folder / "data/naver/parquet-5/train.parquet").to_pylist()
    assert all([len(row["ner_tags"]) == len(row["tokens"]) for row in table])
    assert table[0]["heads"] is None
    assert "pyarrow" in manifest(one.folder)["made_with"]


def test_frames_and_constituents_are_released(root: Path, tmp_path: Path, cli: Cli) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow")
    for name in ("framenet.tsv", "framenet.txt", "treebank.txt"):
        shutil.copy(root / "samples" / name, tmp_path)
    release = build(written(tmp_path, FRAMED + TREES), tmp_path / "out")
    data = release.folder / "data"
    # All parts together are what the commands make.
    frames = "frame eoj2morph --merge-instances --symbols out --morphemes framenet.txt framenet.tsv"
    for line, made in (
        (f"{frames} --level 5", "framed/conllu-5"),
        (f"{frames} --level 1", "framed/conllu-1"),
        ("convert --level 2 treebank.txt", "trees/conllu-2"),
    ):
        preamble, _, body = cli(*line.split()).stdout.decode().partition("\n")
        texts = [(data / made / f"{part}.conllup").read_text("utf-8") for part in SPLITS]
        assert all([text.startswith(f"{preamble}\n# sent_id = ") for text in texts])
        blocks_of = [block for text in texts for block in text.partition("\n")[2].split("\n\n")]
        assert by_id(blocks_of) == by_id(body.split("\n\n"))
    rows = {
        row["sent_id"]: row
        for name in ("framed/parquet-3", "trees/parquet-5")
        for part in SPLITS
        for row in parquet.read_table(data / name / f"{part}.parquet").to_pylist()
        if row["frames"] or row["sent_id"] == "2"
    }
    assert rows["1"]["tokens"] == ["하늘", "은", "어제", "부산", "에서", "강연했다", "."]
    assert rows["1"]["tree"] is None
    assert rows["1"]["frames"][1] == {
        "units": [None] * 3 + ["부산.n"] + [None] * 3,
        "names": [None] * 3 + ["Political_locales"] + [None] * 3,
        "annotation": ["O"] * 3 + ["B-FrameTarget", "I-FrameTarget"] + ["O"] * 2,
        "elements": ["O"] * 3 + ["B-Locale", "I-Locale"] + ["O"] * 2,
    }
    assert rows["2"]["tree"].startswith("(S (NP_SBJ (NNG 동생) (JX 은)) (VP (AP (MAG 어제))")
    assert rows["2"]["frames"] is None
    found = manifest(release.folder)["corpora"]
    assert found["framed"]["not_written"] == {"iob-5": {"frames": 4}}
    trips = [trip for one in found.values() for trip in one["round_trips"]]
    assert [(trip["trip"], trip["sentences"]) for trip in trips] == [
        ("frame eoj2morph", 6), ("treebank level 2", 12), ("treebank level 5", 12),
        ("jsonl level 2", 13), ("jsonl level 5", 13),
    ]  # fmt: skip
    assert all([trip["identical"] == trip["sentences"] for trip in trips])
    body = (release.folder / "README.md").read_text(encoding="utf-8")
    assert "| corpus | part | sentences | eojeols | distinct | morphemes | frames | trees |" in body
    assert "### Frames of framed\n" in body
    assert "### Constituents of trees\n" in body
    assert verify(release.folder).ok


def test_a_constituent_that_ends_inside_a_word_is_told(root: Path, tmp_path: Path) -> None:
    shutil.copy(root / "samples" / "penn-korean.fid", tmp_path)
    text = TREES.replace("treebank.txt", "penn-korean.fid").replace("[2, 5]", "[1]")
    text = text.replace("parquet = [5]", "parquet = [1]") + "split = { shares = [100, 0, 0] }\n"
    release = build(written(tmp_path, text), tmp_path / "out")
    found = manifest(release.folder)["corpora"]["trees"]["not_written"]
    assert list(found) == ["conllu-1", "parquet-1"]
    for lost in found.values():
        assert re.fullmatch(r"borders of \d+ constituents? that would cut words", *lost)
    said = (
        r"inputs\[trees\], sentence W0001, output conllu-1: the constituent VP begins or ends"
        r" inside word 5, .* \(in the recipe: on_error\)$"
    )
    with pytest.raises(FormatError, match=said):
        build(written(tmp_path, text.replace("keep", "stop")), tmp_path / "other")


def test_without_pyarrow_it_is_said_what_to_install(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place / "parquet2.toml"
    text = SEJONG.replace("jsonl", "parquet")
    path.write_text(HEAD + text, encoding="utf-8")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sejongud\[parquet\]'"):
        build(path, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_the_samples_build_with_kiwi(root: Path, tmp_path: Path, cli: Cli) -> None:
    done = cli("release", "-q", root / "samples" / "release.toml")
    assert (done.returncode, done.stderr) == (0, b"")
    folder = tmp_path / "sejongud-samples-1.0"
    digest, name = done.stdout.decode().split()
    assert (digest_of(folder / SUMS).sha256, name) == (digest, f"{folder.name}/{SUMS}")
    assert verify(folder).ok


def test_the_treebank_passes_the_validator_of_ud(built: Release) -> None:
    udtools = pytest.importorskip("udtools", reason="no udtools")
    for form in ("words", "conllu-2", "conllu-5"):
        paths = [str(built.folder / f"data/ud/{form}/{part}.conllu") for part in SPLITS]
        # As the treebank itself: what word2morph makes of it has no error of its own.
        state = udtools.Validator(lang="ko", level=5, output=None).validate_files(paths)
        assert state.passed(), f"{form}: {state}"


def test_what_is_released_is_valid(built: Release, cli: Cli) -> None:
    paths = sorted((built.folder / "data").rglob("*.conllu"))
    done = cli("validate", "-q", "--select", "E", *paths)
    assert (done.returncode, done.stdout) == (0, b""), done.stdout.decode()


def test_the_tables_of_a_recipe_are_in_force_and_recorded(place: Path, tmp_path: Path) -> None:
    (tmp_path / "sejong.txt").write_bytes((place / "sejong.txt").read_bytes())
    (tmp_path / "mine").mkdir()
    table = "scheme\tform\ttag\tlemma\tnote\nnormalised\t비\tNNG\t비님\tmine\n"
    (tmp_path / "mine" / "lemmas.tsv").write_text(table, encoding="utf-8")
    path = written(tmp_path, 'rules = "mine"\n' + SEJONG.replace("[1, 2, 3, 4, 5]", "[5]"))
    folder = build(path, tmp_path / "out").folder
    texts = [
        (folder / f"data/sejong/conllu-5/{part}.conllu").read_text(encoding="utf-8")
        for part in SPLITS
    ]
    assert "비\t비님\tNOUN\tNNG" in "".join(texts)
    assert list(manifest(folder)["inputs"]) == ["mine/lemmas.tsv", "sejong.txt"]


def test_a_corpus_of_words_has_the_schemes_that_the_recipe_names(tmp_path: Path) -> None:
    row = "1\t눈\tmine\tX\tNNG\t_\t0\troot\t_\t_"
    text = "".join([f"# sent_id = s{n}\n# text = 눈\n{row}\n\n" for n in range(10)])
    corpora = {
        "plain": ("", row),
        "upos": ('upos = "sejong"', row.replace("X", "NOUN")),
        "lemmas": ('lemmas = "normalised"', row.replace("mine", "눈")),
        "deps": ('deps = "none"', row.replace("0\troot", "_\t_")),
    }
    recipe = "".join(
        [
            f'[[inputs]]\nname = "{name}"\npath = "x.conllu"\noutputs = {{ conllu = [5] }}\n'
            f"options = {{ {option} }}\n"
            for name, (option, _) in corpora.items()
        ]
    )
    folder = build(written(tmp_path, recipe, x_conllu=text), tmp_path / "out").folder
    for name, (_, expected) in corpora.items():
        for part in SPLITS:
            lines = (folder / f"data/{name}/conllu-5/{part}.conllu").read_text("utf-8").split("\n")
            assert {line for line in lines if line and line[0] != "#"} == {expected}, name


@pytest.mark.parametrize("named", [True, False])
def test_no_report_inside_the_release(
    place: Path, copy: Path, cli: Cli, tmp_path: Path, named: bool
) -> None:
    folder = copy.rename(tmp_path / ("out" if named else "small-1.0"))
    before = (folder / "SHA256SUMS").read_bytes()
    more = [folder.name] if named else []
    for name in ("SHA256SUMS", "new.jsonl"):
        done = cli("release", "--force", place / "r.toml", *more, "--log", folder / name)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"would be a file of the release" in done.stderr
    assert (folder / "SHA256SUMS").read_bytes() == before
    assert verify(folder).ok


# --- where the documents begin -------------------------------------------------------------------


def test_a_part_says_again_which_document_goes_on(tmp_path: Path) -> None:
    text = "".join(
        [
            ("# newdoc id = a\n# newpar id = p1\n" if n == 0 else "")
            + ("# newpar\n" if n == 10 else "")
            + ("# newdoc id = b\n" if n == 20 else "")
            + ("# global.x = y\n" if n == 0 else "")
            + f"# sent_id = s{n}\n# text = 눈\n1\t눈\t눈\tNOUN\tNNG"
            + "\t_" * 5
            + "\n\n"
            for n in range(30)
        ]
    )
    path = written(
        tmp_path,
        '[[inputs]]\nname = "x"\npath = "x.conllu"\noutputs = { conllu = [5], jsonl = [5] }\n'
        "split = { seeds = [1, 2] }\n",
        x_conllu=text,
    )
    folder = build(path, tmp_path / "out").folder
    for seed in (1, 2):
        for part in SPLITS:
            where = f"data/x/seed-{seed}/{{}}-5/{part}.{{}}"
            for kind, ending in (("conllu", "conllu"), ("jsonl", "jsonl")):
                found = list(read(folder / where.format(kind, ending)))
                document = paragraph = ""
                assert "global.x = y" in found[0].comments
                for at, sentence in enumerate(found):
                    said = [c for c in sentence.comments if c.startswith("new")]
                    number = int(sentence.sent_id[1:])
                    if f"newdoc id = {'a' if number < 20 else 'b'}" != document:
                        assert said[0].startswith("newdoc")
                        document, paragraph = said[0], ""
                    wanted = "newpar id = p1" if number < 10 else "newpar"
                    if number < 20 and wanted != paragraph:
                        paragraph = said[-1]
                    assert paragraph == (wanted if number < 20 else "")
                    assert ("global.x = y" in sentence.comments) == (at == 0)


def test_several_files_are_documents_and_their_ids_are_unique(tmp_path: Path, root: Path) -> None:
    sample = (root / "samples" / "sejong.txt").read_text(encoding="utf-8").split("\n\n")
    for name, of in (("a", sample[:4]), ("b c", sample[4:9])):
        (tmp_path / f"{name}.txt").write_text("\n\n".join(of) + "\n", encoding="utf-8")
    path = written(
        tmp_path,
        '[[inputs]]\nname = "x"\npaths = ["a.txt", "b c.txt"]\noutputs = { conllu = [5] }\n'
        'split = { by = "document", shares = [50, 0, 50] }\n',
    )
    folder = build(path, tmp_path / "out").folder
    assert not (folder / "data/x/conllu-5/dev.conllu").exists()
    found = [list(read(folder / f"data/x/conllu-5/{part}.conllu")) for part in ("train", "test")]
    assert sorted([len(one) for one in found]) == [4, 5]
    documents = {one[0].comments[0] for one in found}
    assert documents == {"newdoc id = a", "newdoc id = b_c"}
    ids = [sentence.sent_id for one in found for sentence in one]
    assert len(set(ids)) == 9
    assert {"1", "1-2", "5"} <= set(ids)


@pytest.mark.parametrize("merged", ["false", "true"])
@pytest.mark.parametrize("by", ["lexical-unit", "frame"])
def test_lexical_units_of_test_are_unseen_in_train(tmp_path: Path, by: str, merged: str) -> None:
    """Instances of 12 lexical units in 6 frames, two of which share a sentence."""
    blocks, morphemes = [], []
    for n in range(36):
        unit = n % 12
        target = f"간다.\t가다{unit}.v\tMotion{unit // 2}\tO"
        blocks.append(f"#anno-id:{n}\n#text:나는 {n}에 간다.\n0\t나는\t_\t_\tB-Theme\n"
                      f"1\t{n}에\t_\t_\tO\n2\t{target}\n\n")  # fmt: skip
        morphemes.append(f"나는\t나/NP+는/JX\n{n}에\t{n}/SN+에/JKB\n간다.\t가/VV+ㄴ다/EF+./SF\n\n")
    blocks.append(blocks[0].replace("anno-id:0", "anno-id:99").replace("가다0.v", "가다5.v"))
    (tmp_path / "f.tsv").write_text("".join(blocks), encoding="utf-8")
    (tmp_path / "f.txt").write_text("".join(morphemes), encoding="utf-8")
    path = written(
        tmp_path,
        '[[inputs]]\nname = "f"\npath = "f.tsv"\nmorphemes = "f.txt"\n'
        f'converter = "frame eoj2morph"\noptions = {{ merge_instances = {merged} }}\n'
        f'outputs = {{ conllu = [5] }}\nsplit = {{ by = "{by}", shares = [50, 25, 25] }}\n',
    )
    folder = build(path, tmp_path / "out").folder
    seen = []
    for part in ("train", "dev", "test"):
        sentences = list(read(folder / f"data/f/conllu-5/{part}.conllup"))
        targets = [t for one in sentences for frame in one.frames for t in frame.targets if t]
        assert targets
        seen.append({t.unit if by == "lexical-unit" else t.frame for t in targets})
    assert not any(a & b for a, b in combinations(seen, 2))
    assert sum(map(len, seen)) == (12 if by == "lexical-unit" else 6)
    units = "Lexical units" if by == "lexical-unit" else "Frames"
    assert f"- {units} of `f` were split 50/25/25" in (folder / "README.md").read_text("utf-8")


def test_the_instances_of_a_sentence_are_in_one_part(tmp_path: Path) -> None:
    """A sentence stands once for each of its frames, and was in train and in test."""
    block = "#anno-id:{0}\n#text:{1}에 간다.\n0\t{1}에\t_\t_\tO\n1\t간다.\t가다.v\tMotion\tO\n\n"
    blocks = [block.format(n, n % 10) for n in range(30)]
    (tmp_path / "f.tsv").write_text("".join(blocks), encoding="utf-8")
    rows = [f"{n}에\t{n}/SN+에/JKB\n간다.\t가/VV+ㄴ다/EF+./SF\n\n" for n in range(10)]
    (tmp_path / "f.txt").write_text("".join(rows), encoding="utf-8")
    path = written(
        tmp_path,
        '[[inputs]]\nname = "f"\npath = "f.tsv"\nmorphemes = "f.txt"\n'
        'converter = "frame eoj2morph"\noutputs = { conllu = [5] }\n',
    )
    folder = build(path, tmp_path / "out").folder / "data/f/conllu-5"
    texts = [[one.text for one in read(folder / f"{part}.conllup")] for part in SPLITS]
    assert [len(part) for part in texts] == [24, 3, 3]
    assert not any({*a} & {*b} for a, b in combinations(texts, 2))


def test_the_lists_of_a_release_split_another_one_alike(
    built: Release, place: Path, tmp_path: Path
) -> None:
    ids = os.path.relpath(built.folder / "ids/sejong", place)
    text = (
        f'split = {{ by = "ids", dev = "{ids}/dev.txt", test = "{ids}/test.txt", rest = "train" }}'
    )
    path = place / "ids.toml"
    own = SEJONG.replace("1, 2, 3, 4, ", "")
    path.write_text(f"{HEAD}{own}{text}\n", encoding="utf-8")
    folder = build(path, tmp_path / "out").folder
    for part in SPLITS:
        rest = f"data/sejong/conllu-5/{part}.conllu"
        assert (folder / rest).read_bytes() == (built.folder / rest).read_bytes()
    assert f"{ids}/dev.txt" in manifest(folder)["inputs"]
    path.write_text(f"{HEAD}{own}{text.replace(', rest = ' + chr(34) + 'train' + chr(34), '')}")
    with pytest.raises(ReleaseError, match="is in no list of ids"):
        build(path, tmp_path / "other")


# --- what goes wrong -----------------------------------------------------------------------------


def test_an_error_in_the_data_ends_a_build_or_leaves_the_sentence_out(
    place: Path, tmp_path: Path
) -> None:
    (place / "bad.txt").write_text(
        (place / "sejong.txt").read_text(encoding="utf-8") + "\n눈이\n", encoding="utf-8"
    )
    path = place / "bad.toml"
    text = HEAD + SEJONG.replace("sejong.txt", "bad.txt").replace("[1, 2, 3, 4, 5]", "[5]")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="expected two columns"):
        build(path, tmp_path / "out")
    assert not list(tmp_path.iterdir())
    path.write_text(text + 'on_error = "skip"\n', encoding="utf-8")
    report = Report()
    folder = build(path, tmp_path / "out", report=report).folder
    corpus = manifest(folder)["corpora"]["sejong"]
    assert (corpus["sentences"], corpus["incidents"], report.errors) == (22, {"E101": 1}, 1)
    assert "| `sejong` | E101 | 1 |" in (folder / "README.md").read_text(encoding="utf-8")
    assert str(place) not in (folder / MANIFEST).read_text(encoding="utf-8")


def test_what_does_not_come_back_is_not_released(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sejongud.validation.round_trip import Difference, RoundTrips

    whole = RoundTrips.check

    def broken(self: Any, *args: Any, **options: Any) -> Any:
        result = whole(self, *args, **options)
        return replace(result, first=Difference(7, "눈이\t눈/NNG", "눈이\t눈/NNP", 2))

    monkeypatch.setattr(RoundTrips, "check", broken)
    monkeypatch.setattr(release, "round_trips", round_trips)
    with pytest.raises(ReleaseError) as raised:
        build(place / "r.toml", tmp_path / "out")
    assert str(raised.value).startswith("sejong.txt:7: sejong level 1: a sentence does not")
    assert "눈/NNP" in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_an_input_that_is_changed_meanwhile_ends_the_build(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sejong.txt", "r.toml"):
        shutil.copy(place / name, tmp_path)
    (tmp_path / "r.toml").write_text(HEAD + SEJONG, encoding="utf-8")

    def meddling(*args: Any, **options: Any) -> Any:
        (tmp_path / "sejong.txt").write_text("눈\t눈/NNG\n", encoding="utf-8")
        return []

    monkeypatch.setattr(release, "round_trips", meddling)
    with pytest.raises(ReleaseError, match=r"sejong\.txt was changed while the release was built"):
        build(tmp_path / "r.toml", tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"sejong.txt", "r.toml"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NAVER.replace("ner eoj2morph", "ner syl2morph"), "naver has labels of eojeols"),
        (NAVER.replace("naver-ner.tsv", "sejong.txt"), "looks like no entity corpus"),
        (SEJONG.replace("sejong.txt", "empty.txt"), "there is no sentence"),
        (SEJONG + "options = { rejoin = false }\n", "is read as sejong: rejoin"),
        (SEJONG + 'split = { by = "document" }\n', "sejong: it cannot be split by documents"),
        (SEJONG + 'split = { by = "lexical-unit" }\n', "cannot be split by lexical units"),
        (SEJONG + 'split = { by = "frame" }\n', "sejong: it cannot be split by frames"),
    ],
)
def test_an_input_that_is_not_what_the_recipe_says(
    place: Path, tmp_path: Path, text: str, said: str
) -> None:
    (place / "empty.txt").write_text("\n", encoding="utf-8")
    path = written(place, text, "wrong.toml")
    with pytest.raises((ReleaseError, FormatError), match=said):
        build(path, tmp_path / "out")


# --- where it goes -------------------------------------------------------------------------------


def test_a_release_of_the_same_recipe_is_replaced(copy: Path, place: Path, built: Release) -> None:
    (copy / "README.md").unlink()
    release = build(place / "r.toml", copy)
    assert release.digest == built.digest
    assert verify(copy).ok
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]


def test_what_is_no_untouched_release_of_the_recipe_stays(
    copy: Path, place: Path, tmp_path: Path
) -> None:
    note = copy / "notes.txt"
    note.write_text("mine")
    with pytest.raises(UsageError, match=r"no part of the release, as notes\.txt"):
        build(place / "r.toml", copy)
    note.unlink()
    other = place / "other.toml"
    other.write_text(HEAD + SEJONG, encoding="utf-8")
    with pytest.raises(UsageError, match="the release of another recipe: --force replaces it"):
        build(other, copy)
    assert verify(copy).ok
    assert build(other, copy, force=True).folder == copy
    assert verify(copy).ok
    assert not (copy / "data/ud").exists()


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_release_is_never_touched(place: Path, tmp_path: Path, force: bool) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / MANIFEST).write_text('{"format": "something else"}')
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(own)
    for name, said in (("own", "is no release"), ("file", "is no folder"), ("link", "no folder")):
        with pytest.raises(UsageError, match=said):
            build(place / "r.toml", tmp_path / name, force=force)
    assert [path.name for path in own.iterdir()] == [MANIFEST]
    with pytest.raises(UsageError, match="there is no folder"):
        build(place / "r.toml", tmp_path / "nowhere" / "out", force=force)
    for name in ("/", f"{tmp_path}/.."):
        with pytest.raises(UsageError):
            build(place / "r.toml", name, force=force)
    assert {path.name for path in tmp_path.iterdir()} == {"own", "file", "link"}


def test_what_killed_builds_have_left_is_put_in_order(
    copy: Path, place: Path, built: Release
) -> None:
    above = copy.parent
    old = above / ".copy.0123456789ab.old"
    copy.rename(old)
    partial = above / ".copy.0123456789ac.partial"
    (partial / "work").mkdir(parents=True)
    (above / ".copy.0123456789ae.gone" / "rest").mkdir(parents=True)
    foreign = above / ".copy.0123456789ad.partial"
    (foreign / "my data").mkdir(parents=True)
    (above / ".copy.lock").touch()
    with pytest.raises(RecipeError, match="not TOML"):
        build(place / "sejong.txt", copy)
    # The old release is back before anything else is done, and is treated like any other.
    other = place / "killed.toml"
    other.write_text(HEAD + SEJONG, encoding="utf-8")
    with pytest.raises(UsageError, match="the release of another recipe"):
        build(other, copy)
    assert digest_of(copy / SUMS).sha256 == built.digest
    assert {path.name for path in above.iterdir()} == {"copy", foreign.name}


def test_two_builds_of_one_release_do_not_meet(copy: Path, place: Path) -> None:
    fcntl = pytest.importorskip("fcntl", reason="no locks of files")
    with (copy.parent / ".copy.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ReleaseError, match="another process is building"):
            build(place / "r.toml", copy)
    assert verify(copy).ok


# --- verify --------------------------------------------------------------------------------------


WORDS = "data/ud/words/train.conllu"


def replaced(folder: Path, name: str, before: str, after: str) -> None:
    """Change what a file says, once."""
    text = (folder / name).read_text(encoding="utf-8")
    assert before in text
    (folder / name).write_text(text.replace(before, after, 1), encoding="utf-8")


def flip(folder: Path) -> None:
    data = bytearray((folder / WORDS).read_bytes())
    data[40] ^= 1
    (folder / WORDS).write_bytes(data)


def cut(folder: Path) -> None:
    (folder / WORDS).write_bytes((folder / WORDS).read_bytes()[:-1])


def link(folder: Path) -> None:
    (folder / WORDS).unlink()
    (folder / WORDS).symlink_to("/etc/passwd")


def change_a_digest(folder: Path) -> None:
    digest = digest_of(folder / "README.md").sha256
    replaced(folder, SUMS, digest, digest[::-1])


def take_a_line(folder: Path) -> None:
    replaced(folder, SUMS, f"{digest_of(folder / 'README.md').sha256}  README.md\n", "")


def add_to_sums(folder: Path, line: str) -> None:
    with (folder / SUMS).open("a") as out:
        out.write(line + "\n")


def change_manifest_and_sum(folder: Path) -> None:
    before = digest_of(folder / MANIFEST).sha256
    replaced(folder, MANIFEST, digest_of(folder / "README.md").sha256, "0" * 64)
    replaced(folder, SUMS, before, digest_of(folder / MANIFEST).sha256)


CHANGED = f"{WORDS}: changed: its bytes are not those of the release"
SAID = "changed: its checksum of README.md differs from that of"
ZEROS = "0" * 64
HARM: dict[str, tuple[Callable[[Path], object], str]] = {
    "a flipped bit": (flip, CHANGED),
    "an end cut off": (cut, CHANGED),
    "a missing file": (lambda folder: (folder / WORDS).unlink(), f"{WORDS}: missing"),
    "an added file": (
        lambda folder: (folder / "data/more.txt").touch(),
        "data/more.txt: added: it is no part of the release",
    ),
    "a hidden file": (
        lambda folder: (folder / ".hidden").touch(),
        ".hidden: added: it is no part of the release",
    ),
    "an added folder": (
        lambda folder: (folder / "data/empty").mkdir(),
        "data/empty: added: an empty folder, which is no part of the release",
    ),
    "a link": (link, f"{WORDS}: added: a link, which no release has; it is not followed"),
    "a linked folder": (
        lambda folder: (folder / "ids2").symlink_to(folder / "ids"),
        "ids2: added: a link, which no release has; it is not followed",
    ),
    "a pipe": (lambda folder: os.mkfifo(folder / "pipe"), "pipe: added: neither a file nor"),
    "a changed manifest": (
        lambda folder: replaced(folder, MANIFEST, '"1.0"', '"1.1"'),
        "manifest.json: changed: its bytes are not those of the release",
    ),
    "a broken manifest": (
        lambda folder: (folder / MANIFEST).write_text("{"),
        "manifest.json: changed: manifest.json is no JSON",
    ),
    "a manifest of something else": (
        lambda folder: (folder / MANIFEST).write_text("[]"),
        'manifest.json is not that of a release: it does not say "sejongud release 1"',
    ),
    "a manifest without files": (
        lambda folder: (folder / MANIFEST).write_text('{"format": "sejongud release 1"}'),
        "manifest.json does not list the files of the release",
    ),
    "no manifest": (lambda folder: (folder / MANIFEST).unlink(), "manifest.json: missing"),
    "no sums": (
        lambda folder: (folder / SUMS).unlink(),
        "SHA256SUMS: missing; without it a release is not whole",
    ),
    "a digest of the sums": (change_a_digest, f"SHA256SUMS: {SAID} the manifest"),
    "a line of the sums": (take_a_line, f"SHA256SUMS: {SAID} the manifest"),
    "a line twice": (
        lambda folder: add_to_sums(folder, f"{ZEROS}  README.md"),
        "names README.md a second time",
    ),
    "a line outside": (
        lambda folder: add_to_sums(folder, f"{ZEROS}  ../../etc/passwd"),
        "names '../../etc/passwd', which is no path of a release",
    ),
    "no line": (
        lambda folder: add_to_sums(folder, "hello"),
        "is not a digest, two spaces and a path",
    ),
    "sums that are no text": (
        lambda folder: (folder / SUMS).write_bytes(b"\xff"),
        "SHA256SUMS: changed: SHA256SUMS is not UTF-8",
    ),
    "sums without an end": (
        lambda folder: os.truncate(folder / SUMS, (1 << 26) + 1),  # It has few bytes on the disk.
        "SHA256SUMS is too large to be that of a release",
    ),
    "a manifest and its sum": (change_manifest_and_sum, f"manifest.json: {SAID} SHA256SUMS"),
}


@pytest.mark.parametrize("how", HARM)
def test_harm_that_is_done_to_a_release_is_named(copy: Path, how: str) -> None:
    assert verify(copy).ok
    do, said = HARM[how]
    do(copy)
    found = verify(copy)
    assert not found.ok
    assert any([said in str(finding) for finding in found.findings]), found.findings
    # A link stands where a file is missing; a broken manifest is broken and changed.
    assert len(found.findings) <= 2


def test_every_file_of_a_release_is_looked_at(copy: Path) -> None:
    for path in sorted(copy.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
            name = path.relative_to(copy).as_posix()
            assert name in {finding.path for finding in verify(copy).findings}
            path.write_bytes(data)
    assert verify(copy).ok


def test_what_is_no_release_cannot_be_verified(tmp_path: Path, cli: Cli) -> None:
    for args in (["verify", tmp_path], ["verify", tmp_path / "x"], ["verify"]):
        assert cli("release", *args).returncode == 2


# --- the command ---------------------------------------------------------------------------------


def test_the_command(place: Path, built: Release, tmp_path: Path, cli: Cli) -> None:
    done = cli("release", place / "r.toml", "out", "--log", "incidents.jsonl")
    assert done.returncode == 0
    assert done.stdout.decode() == f"{built.digest}  out/{SUMS}\n"
    assert "ud: dep word2morph ud: 10 of 10 sentences come back" in done.stderr.decode()
    assert (tmp_path / "incidents.jsonl").is_file()
    assert "whole" in cli("release", "verify", "out").told_only(0)
    (tmp_path / "out" / WORDS).unlink()
    found = cli("release", "verify", "-q", "out")
    assert (found.returncode, found.stderr) == (1, b"")
    assert found.stdout.decode() == "data/ud/words/train.conllu: missing\n"


@pytest.mark.parametrize(
    "args",
    [
        ["verify", "x", "--force"], ["verify", "x", "--log", "y"],
        ["r.toml", "--jobs", "-1"], [], ["nowhere.toml"],
    ],
)  # fmt: skip
def test_wrong_usage(place: Path, cli: Cli, args: list[str]) -> None:
    assert "Traceback" not in cli("release", *args).told(1 if args == ["nowhere.toml"] else 2)


# --- real corpora --------------------------------------------------------------------------------


def test_the_beginnings_of_real_corpora(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="no pyarrow")
    data = shared / "data"
    sources = {
        "kaist.conllu": data / "ud-korean-kaist" / "ko_kaist-ud-dev.conllu",
        "klue.tsv": data / "klue-ner" / "klue-ner-v1.1_dev.first3000.tsv",
    }
    for name, path in sources.items():
        sentences = path.read_text(encoding="utf-8").split("\n\n")[:6]
        (tmp_path / name).write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
    outputs = "outputs = { words = true, conllu = [1, 5], jsonl = [5], parquet = [3] }"
    text = (
        '[[inputs]]\nname = "kaist"\npath = "kaist.conllu"\n'
        f'converter = "dep word2morph"\noptions = {{ scheme = "ud" }}\n{outputs}\n'
        '[[inputs]]\nname = "klue"\npath = "klue.tsv"\nconverter = "ner syl2morph"\n'
        "outputs = { conllu = [1, 5], iob = [5], jsonl = [5], parquet = [5] }\n"
    )
    release = build(written(tmp_path, text), tmp_path / "out")
    assert verify(release.folder).ok
    for one in release.corpora:
        assert one.sentences == 6
        assert all([trip["identical"] == trip["sentences"] for trip in one.trips])
    found = parts(release.folder, "data/kaist/words/{}.conllu")
    assert found == by_id(blocks(tmp_path / "kaist.conllu"))
