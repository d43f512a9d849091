"""Entities of one file of NIKL on the morphemes of another."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

TEXTS = {"N.1": "남은해가 왔다.", "N.2": "강물이 맑다.", "N.3": "남은해가 왔다."}
MORPHEMES = {
    "남은해가": [("남은해", "NNP"), ("가", "JKS")],
    "왔다.": [("오", "VV"), ("았", "EP"), ("다", "EF"), (".", "SF")],
    "강물이": [("강물", "NNG"), ("이", "JKS")],
    "맑다.": [("맑", "VA"), ("다", "EF"), (".", "SF")],
}


def write(path: Path, sentences: list[dict[str, Any]]) -> None:
    corpus = {"id": "X", "document": [{"id": "N", "sentence": sentences}]}
    path.write_text(json.dumps(corpus, ensure_ascii=False, indent=1), encoding="utf-8")


def entities(sent_id: str) -> dict[str, Any]:
    form = TEXTS[sent_id]
    item = {"id": 1, "form": form[:2], "label": "PS_NAME", "begin": 0, "end": 2}
    if form.startswith("남"):
        item |= {"form": form[:3], "end": 3}
    return {"id": sent_id, "form": form, "NE": [item]}


def morphemes(sent_id: str, tag: str = "NNP") -> dict[str, Any]:
    words, found = [], []
    at = 0
    for number, word in enumerate(TEXTS[sent_id].split(), 1):
        words.append({"id": number, "form": word, "begin": at, "end": at + len(word)})
        at += len(word) + 1
        for position, (form, label) in enumerate(MORPHEMES[word], 1):
            label = tag if label == "NNP" else label
            found.append({"form": form, "label": label, "word_id": number, "position": position})
    return {"id": sent_id, "form": TEXTS[sent_id], "word": words, "morpheme": found}


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_merge(cli: Cli, tmp_path: Path, order: tuple[int, ...]) -> None:
    """The third sentence has the text of the first, and morphemes of its own."""
    write(tmp_path / "ne.json", [entities(sent_id) for sent_id in TEXTS])
    made = [morphemes(f"N.{at}", "NNG" if at == 3 else "NNP") for at in order]
    write(tmp_path / "mp.json", made)
    message = cli("ner", "merge", "ne.json", "mp.json", "out.conllu").told()
    assert "3 sentences, 6 eojeols, 3 entities" in message
    rows = (tmp_path / "out.conllu").read_text(encoding="utf-8").splitlines()
    named = [row.split("\t")[1:5:3] for row in rows if "NE=B-PS_NAME" in row]
    assert named == [["남은해", "NNP"], ["강물", "NNG"], ["남은해", "NNG"]]
    assert cli("ner", "morph2syl", "out.conllu").stdout == (tmp_path / "ne.json").read_bytes()


def test_a_sentence_without_morphemes_and_morphemes_without_a_sentence(
    cli: Cli, tmp_path: Path
) -> None:
    write(tmp_path / "ne.json", [entities("N.1"), entities("N.2")])
    write(tmp_path / "mp.json", [morphemes("N.3"), morphemes("N.1")])
    message = cli("ner", "merge", "ne.json", "mp.json").told(1)
    assert "the file of the morphemes has no sentence N.2" in message
    done = cli("ner", "merge", "ne.json", "mp.json", "--on-error", "skip")
    assert done.returncode == 1
    assert b"W411" in done.stderr
    assert [line for line in done.stdout.decode().splitlines() if "sent_id" in line] == [
        "# sent_id = N.1"
    ]


def test_a_sentence_of_another_text(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "ne.json", [entities("N.1")])
    write(tmp_path / "mp.json", [{**morphemes("N.2"), "id": "N.1"}])
    assert "another text" in cli("ner", "merge", "ne.json", "mp.json").told(1)


def test_one_file_may_have_entities_and_morphemes(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "all.json", [morphemes(sent_id) | entities(sent_id) for sent_id in TEXTS])
    merge = ("merge", "all.json", "all.json", "-")
    for words in (merge, ("syl2morph", "all.json", "-", "--morphemes", "all.json")):
        text = cli("ner", *words).text()
        rows = [row.split("\t") for row in text.splitlines() if "NE=B-PS" in row]
        assert [row[1] for row in rows] == ["남은해", "강물", "남은해"]


def test_the_morphemes_of_a_pipe_are_read_once(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "ne.json", [entities(sent_id) for sent_id in TEXTS])
    write(tmp_path / "mp.json", [morphemes(sent_id) for sent_id in TEXTS])
    end, begin = os.pipe()
    os.write(begin, (tmp_path / "mp.json").read_bytes())
    os.close(begin)
    done = cli("ner", "syl2morph", "ne.json", "-", "--morphemes", f"/dev/fd/{end}")
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.count(b"NE=B-PS") == 3
