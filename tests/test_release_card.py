"""The texts about a release take every value as data, whatever stands in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sejongud.release.card import PartCounts, Released, card, citation, notice
from sejongud.release.recipe import parse_recipe

if TYPE_CHECKING:
    from sejongud.release.recipe import Recipe

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
