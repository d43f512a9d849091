"""Every --help page has examples, and every example runs on the samples."""

from __future__ import annotations

from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from made import help_pages
from typed import run_line

from sejongud.arguments import examples

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

PAGES = list(help_pages())
NEEDS = {"sejongud spark convert": "pyspark", "sejongud completion": "shtab"}
"""Page → the library of an extra without which its examples do not run."""


@pytest.mark.usefixtures("few_trips")
@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page(
    page: str, cli: Cli, process: Cli, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    # The page to type into would wait for its reader.
    monkeypatch.setattr("sejongud.commands.serve.PageServer.serve_forever", lambda _: None)
    rows = examples().get(page, [])
    assert 2 <= len(rows) <= 3, f"sejongud/commands/examples.tsv has {len(rows)} rows for {page!r}"
    assert rows[-1].command.startswith(page)
    for command, effect in rows:
        assert effect[0].isupper()
        assert effect.endswith(".")
        assert command in help_pages()[page]
    if page in NEEDS:
        pytest.importorskip(NEEDS[page], reason=f"{NEEDS[page]} is not installed")
    copytree(root / "samples", tmp_path, dirs_exist_ok=True)
    for command, _ in rows:
        # A session of Spark stays in the folder where its process began.
        run_line(command, tmp_path, process if page == "sejongud spark convert" else cli)


def test_no_example_of_a_page_that_is_not_there() -> None:
    assert set(examples()) <= set(PAGES)
