"""A conversion gives the same bytes by every way: another level, a pipe, the library, parts."""

from __future__ import annotations

import gzip
import socket
from typing import TYPE_CHECKING

import pytest

import sejongud

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

CORPORA = {
    "pud": "ud-korean-pud/ko_pud-ud-test.conllu",
    "ksl": "ud-korean-ksl/ko_ksl-ud-dev.conllu",
    "kaist": "ud-korean-kaist/ko_kaist-ud-dev.conllu",
}
SENTENCES = 30


@pytest.fixture(params=["made", *CORPORA])
def corpus(request: pytest.FixtureRequest, root: Path, tmp_path: Path) -> Path:
    """The first sentences of a treebank, in a file of their own."""
    name = request.param
    path = root / "samples" / "ud.conllu"
    if name != "made":
        path = request.getfixturevalue("shared") / "data" / CORPORA[name]
    if not path.is_file():
        pytest.skip(f"no {path.name}")
    blocks = path.read_text(encoding="utf-8").split("\n\n")[:SENTENCES]
    text = "\n\n".join([block for block in blocks if block.strip()]) + "\n\n"
    (tmp_path / "in.conllu").write_text(text, encoding="utf-8")
    return tmp_path / "in.conllu"


def converted(cli: Cli, *args: str | Path, stdin: bytes = b"") -> bytes:
    done = cli("convert", "-q", *args, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_level_is_the_same_by_way_of_another(corpus: Path, cli: Cli) -> None:
    for level in "2345":
        (corpus.parent / level).write_bytes(converted(cli, "--level", level, corpus))
    for level in "2345":
        wanted = (corpus.parent / level).read_bytes()
        for other in "2345":
            assert converted(cli, "--level", level, corpus.parent / other) == wanted, (other, level)


def test_every_door_is_the_same(corpus: Path, cli: Cli) -> None:
    wanted = converted(cli, "--level", "5", corpus)
    data = corpus.read_bytes()
    (corpus.parent / "in.conllu.gz").write_bytes(gzip.compress(data))
    assert converted(cli, "--level", "5", stdin=data) == wanted
    assert converted(cli, "--level", "5", "in.conllu.gz") == wanted
    assert converted(cli, "--level", "5", "--jobs", "2", corpus) == wanted
    sejongud.convert(corpus, corpus.parent / "out.conllu", level=5)
    assert (corpus.parent / "out.conllu").read_bytes() == wanted
    blocks = data.decode().removesuffix("\n\n").split("\n\n")
    apart = [converted(cli, "--level", "5", stdin=f"{block}\n\n".encode()) for block in blocks]
    assert b"".join(apart) == wanted


def test_nothing_opens_a_connection(
    corpus: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert converted(cli, "--level", "5", corpus)
    assert cli("report", "-q", corpus, "page.html").returncode == 0
    assert cli("analyze", "-q", stdin="나는 간다.\n".encode()).returncode == 0
