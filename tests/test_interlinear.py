"""Romanisation and glosses in MISC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sejongud.converters.features import Interlinear
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

TRANSLIT = {
    "gsd": "ud-korean-gsd/ko_gsd-ud-dev.conllu",
    "kaist": "ud-korean-kaist/ko_kaist-ud-dev.conllu",
}


def written(cli: Cli, text: str, *options: str) -> list[tuple[str, str]]:
    """FORM and MISC of the lines of Sejong text."""
    done = cli("convert", "-q", "--from", "sejong", *options, stdin=f"{text}\n".encode())
    rows = [line.split("\t") for line in done.stdout.decode().split("\n") if "\t" in line]
    return [(row[1], row[9]) for row in rows]


def test_a_word_and_its_parts_are_romanised(cli: Cli) -> None:
    text = "비디오를\t비디오/NNG+를/JKO"
    whole = "MSeg=비디오-를|Translit=.bi.di.o.reul|LTranslit=.bi.di.o+.eul"
    assert written(cli, text, "--translit", "--level", "2") == [("비디오를", whole)]
    assert written(cli, text, "--translit", "--level", "5") == [
        ("비디오를", "Translit=.bi.di.o.reul"),
        ("비디오", "Translit=.bi.di.o|LTranslit=.bi.di.o"),
        ("를", "Translit=.reul|LTranslit=.eul"),
    ]
    done = cli("convert", "-q", "--translit", stdin=f"{text}\n".encode()).stdout.decode()
    assert "# text = 비디오를\n# translit = .bi.di.o.reul\n" in done


def test_particles_endings_and_affixes_are_glossed(cli: Cli) -> None:
    text = "프랑스의\t프랑스/NNP+의/JKG\n세계적인\t세계/NNG+적/XSN+이/VCP+ㄴ/ETM\n"
    text += "나섰다\t나서/VV+었/EP+다/EF"
    found = [
        misc.rpartition("MGloss=")[2] for _, misc in written(cli, text, "--gloss", "--level", "2")
    ]
    assert found == ["프랑스-gen", "세계-suf-cop-rel", "나서-past-decl"]
    parts = dict(written(cli, text, "--gloss"))
    assert (parts["의"], parts["적"], parts["었"], parts["프랑스"]) == (
        *("MGloss=-gen", "MGloss=-suf", "MGloss=-past"),
        "_",
    )


def test_items_of_a_treebank_stay(cli: Cli) -> None:
    row = "1\t李白이다\t李白+이다\tVERB\tSH+VCP+EF\t_\t0\troot\t_\tTranslit=libái.i.da\n\n"
    done = cli(
        "convert", "-q", "--level", "2", "--translit", stdin=f"# text = 李白이다\n{row}".encode()
    )
    assert done.stdout.decode().count("Translit=libái.i.da|LTranslit=李白+.i.da") == 1


@pytest.mark.parametrize("name", TRANSLIT)
def test_romanises_as_the_treebanks_do(shared: Path, name: str) -> None:
    romanised = Interlinear(load()).romanised
    right = every = 0
    for line in (shared / "data" / TRANSLIT[name]).read_text(encoding="utf-8").split("\n"):
        cells = line.split("\t")
        if len(cells) == 10 and "Translit=" in cells[9]:
            items = dict(item.partition("=")[::2] for item in cells[9].split("|"))
            every += 1
            right += items["Translit"] == romanised(cells[1])
    # The others have Chinese characters in pinyin, and one ρ.
    assert every > 10_000
    assert right / every > 0.997
