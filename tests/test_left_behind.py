"""What a format of entities has no place for is said: ids, comments, dependencies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

KONNE = '{"id": "s-1", "text": "철수가 갔다", "label": [[0, 2, "PS"]], "author": "kim"}\n'
CONLLU = (
    "# newdoc id = d1\n# sent_id = s-1\n# text = 철수 갔다\n"
    "1\t철수\t철수\tPROPN\tNNP\t_\t2\tnsubj\t_\tNE=B-PS\n"
    "2\t갔다\t가+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t_\n\n"
)
IDS = "1 id of sentences was not written: the format has no place for it"
COMMENTS = "1 sentence has comments, or members of its own format, that were not written"
ARCS = "1 sentence has dependencies, which were not written"


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        (KONNE, "conllu", set()),
        (KONNE, "konne", set()),
        (KONNE, "doccano", set()),
        (KONNE, "klue-ner", {COMMENTS}),
        (KONNE, "etri", {COMMENTS}),
        (KONNE, "naver", {IDS, COMMENTS}),
        (KONNE, "brat", {IDS, COMMENTS}),
        (CONLLU, "conllu", set()),
        (CONLLU, "konne", {COMMENTS, ARCS}),
        (CONLLU, "columns", {IDS, COMMENTS, ARCS}),
    ],
)
def test_what_a_format_has_no_place_for(
    cli: Cli, tmp_path: Path, text: str, form: str, said: set[str]
) -> None:
    (tmp_path / "in").write_text(text, encoding="utf-8")
    told = cli("ner", "convert", "in", "-", "--to", form).told()
    assert {one for one in (IDS, COMMENTS, ARCS) if one in told} == said


def test_links_between_entities(cli: Cli, tmp_path: Path) -> None:
    relation = {"id": 5, "from_id": 1, "to_id": 1, "type": "self"}
    entity = {"id": 1, "label": "PS", "start_offset": 0, "end_offset": 2}
    for relations, lost in (([relation], True), ([], False)):
        row = {"id": 1, "text": "철수가 갔다", "entities": [entity], "relations": relations}
        text = json.dumps({**row, "Comments": []}, ensure_ascii=False) + "\n"
        (tmp_path / "in.jsonl").write_text(text, encoding="utf-8")
        told = cli("ner", "convert", "in.jsonl", "-", "--to", "konne").stderr.decode()
        assert (COMMENTS in told) == lost
