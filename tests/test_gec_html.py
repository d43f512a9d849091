"""The page of corrections: its markup, and what it does in a browser, if there is one."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from sejongud.gec.edits import Corrections, Edit
from sejongud.report import EditLine, EditRow, edit_page, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Cli

HOSTILE = "<img/src=x/onerror=alert(1)>\"'&"
ITEMS = [
    Corrections(
        ("나는", "학교에", "갓다"),
        {0: (Edit(2, 3, "갔다", "SPELL"), Edit(3, 3, ".", "INSERTION")), 1: ()},
        "a",
    ),
    Corrections(("책를", "를", "읽었다"), {0: (Edit(1, 2, "", "DELETION"),)}, "b"),
    Corrections((HOSTILE, "간다"), {0: (Edit(0, 1, HOSTILE, HOSTILE, comment=HOSTILE),)}, HOSTILE),
]


def made(**options: object) -> str:
    return "".join(edit_page(rows_of(ITEMS), title="t", **options))


class Parsed(HTMLParser):
    """The elements of a page, and their texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_markup_of_an_edit() -> None:
    text = made()
    assert (
        '<span class="edit" data-type="SPELL" tabindex="0"><del>갓다</del><ins>갔다</ins>'
        '<b class="tag ent-1">SPELL</b>' in text
    )
    assert '<del>를</del><b class="tag ent-4">DELETION</b>' in text
    assert re.search(r'data-by="annotator 1".*</span> 나는 학교에 갓다</p>', text)


def test_it_is_well_formed_and_no_text_becomes_markup() -> None:
    found = Parsed(made(signature=HOSTILE, morphemes=lambda text: HOSTILE + text))
    assert found.open == []
    assert "img" not in found.tags
    assert found.tags.count("script") == 2  # The table of labels is one.


def test_it_fetches_nothing() -> None:
    found = Parsed(made())
    links = [value for name, value in found.attributes if name in ("src", "href", "action")]
    assert set(links) == {"data:,", "#rows"}
    assert "default-src 'none'" in made()


def test_morphemes_stand_at_an_edit() -> None:
    text = made(morphemes=lambda text: f"{text}/X")
    assert '<span class="tip" role="tooltip">갓다/X → 갔다/X<br>2–3</span>' in text
    assert "∅ → ./X" in text


def test_the_verdicts_of_a_score() -> None:
    edit = Edit(0, 1, "나", "NOUN")
    row = EditRow("1", ("가",), [EditLine("reference", [(edit, "missed")])])
    text = "".join(edit_page([row], title="t"))
    assert 'data-state="missed"' in text
    assert "missed: 가 → 나" in text


def test_overlapping_edits_are_all_shown() -> None:
    item = Corrections(("가", "나"), {0: (Edit(0, 2, "다"), Edit(1, 2, "라"))})
    text = "".join(edit_page(rows_of([item]), title="t"))
    assert "<del>가 나</del><ins>다</ins>" in text
    assert "<del>나</del><ins>라</ins>" in text


def test_a_limit_tells_what_is_not_shown() -> None:
    assert "2 more sentences are not shown" in made(limit=1)
    assert made(limit=1).count("<article") == 1
    assert "--limit 0 shows" not in made(limit=0)


def test_rows_are_written_as_they_come() -> None:
    taken = []

    def rows() -> Iterator[EditRow]:
        for row in rows_of(ITEMS * 1000):
            taken.append(row)
            yield row

    parts = edit_page(rows(), title="t", limit=0)
    for part in parts:
        if "<article" in part:
            break
    assert len(taken) < 100


def test_the_command_writes_a_page(tmp_path: Path, cli: Cli) -> None:
    text = "S 나는 갓다\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "a.m2").write_text(text, encoding="utf-8")
    assert cli("gec", "convert", "a.m2", "a.html", "--to", "html", "--title", "<T>").returncode == 0
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>&lt;T&gt;</title>" in page
    assert "<ins>갔다</ins>" in page
