"""What people read of a release: the dataset card, the citation and the notice of the licence.

The card is README.md as the Hugging Face Hub reads it: YAML between two lines of hyphens, then
text. Everything in it follows from the recipe and from what was counted.
"""

from __future__ import annotations

import json
import re
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sejongud.model import LEVELS
from sejongud.release.outputs import file_of
from sejongud.release.recipe import EOJ2MORPH, SYL2MORPH, WORD2MORPH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.release.figures import Part
    from sejongud.release.recipe import Corpus, Recipe

__all__ = ["Released", "card", "citation", "notice", "papers"]

_LANGUAGE = "ko"
_HUB_SPLITS = {"train": "train", "dev": "validation", "test": "test"}
"""How the Hub calls the parts."""
_HUB_FORMATS = ("parquet", "jsonl")
"""The formats that the Hub can load, the one that is taken first before the other."""
_HUB_LICENCES = frozenset(
    [
        "apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "cc0-1.0", "gpl-3.0", "lgpl-3.0",
        *[f"cc-{kind}-{number}" for kind in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa",
                                            "by-nc-nd") for number in ("2.0", "3.0", "4.0")],
    ]
)  # fmt: skip
"""Licences that the Hub has a name for; every other one is `other`."""
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"),
          (10**7, "1M<n<10M"), (10**8, "10M<n<100M"))  # fmt: skip
_LARGEST = "100M<n<1B"
_TASKS = {
    EOJ2MORPH: "named-entity-recognition",
    SYL2MORPH: "named-entity-recognition",
    WORD2MORPH: "parsing",
}


class Released:
    """A corpus as it was released.

    Args:
        corpus: what the recipe says of it.
        sentences: how many it has.
        parts: the figures of its parts.
        trips: its round trips, as the manifest has them.
        incidents: code → how many.
        not_written: what some outputs have no place for, as the manifest has it.
    """

    def __init__(
        self,
        corpus: Corpus,
        sentences: int,
        parts: Sequence[Part],
        trips: Sequence[Mapping[str, Any]],
        incidents: Mapping[str, int],
        not_written: Mapping[str, Mapping[str, int]],
    ) -> None:
        self.corpus = corpus
        self.sentences = sentences
        self.parts = parts
        self.trips = trips
        self.incidents = incidents
        self.not_written = not_written

    @property
    def ways(self) -> list[str]:
        """The names of the ways in which it is split."""
        return list(dict.fromkeys([part.way for part in self.parts]))


def papers(recipe: Recipe) -> list[dict[str, Any]]:
    """The papers whose methods a recipe uses.

    Args:
        recipe: its converters decide.
    """
    text = (files("sejongud.release") / "papers.toml").read_text(encoding="utf-8")
    used = {corpus.converter for corpus in recipe.corpora}
    return [paper for paper in tomllib.loads(text).values() if used & set(paper["converters"])]


# --- the card ------------------------------------------------------------------------------------


def card(recipe: Recipe, released: Sequence[Released], made_with: Mapping[str, str]) -> str:
    """README.md.

    Args:
        recipe: what was followed.
        released: its corpora.
        made_with: the versions of what it was made with.
    """
    lines = ["---", *_front_matter(recipe, released), "---", "", f"# {recipe.title}", ""]
    lines += [f"Version {recipe.version}, {recipe.licence}. By {', '.join(recipe.authors)}.", ""]
    if recipe.description:
        lines += [recipe.description, ""]
    lines += [*_contents(released), *_counts(released), *_table_2_1(released)]
    lines += [*_entities(released), *_relations(released), *_checks(released)]
    lines += [*_files(recipe, released), *_making(recipe, made_with), *_references(recipe)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _front_matter(recipe: Recipe, released: Sequence[Released]) -> Iterator[str]:
    """The YAML. A text in JSON is one in YAML, so nothing in it can be taken for something else."""
    hub = recipe.licence.lower()
    yield f"pretty_name: {_quoted(recipe.title)}"
    yield "language:"
    yield f"- {_LANGUAGE}"
    if hub in _HUB_LICENCES:
        yield f"license: {hub}"
    else:
        yield "license: other"
        yield f"license_name: {_quoted(hub)}"
        yield "license_link: LICENSE"
    yield "multilinguality:"
    yield "- monolingual"
    yield "task_categories:"
    yield "- token-classification"
    yield "task_ids:"
    tasks = {_TASKS[one.corpus.converter] for one in released if one.corpus.converter in _TASKS}
    yield from [f"- {task}" for task in sorted(tasks | {"part-of-speech", "lemmatization"})]
    yield "tags:"
    yield from [f"- {tag}" for tag in ("korean", "morphology", "universal-dependencies")]
    yield "size_categories:"
    yield f"- {_size(sum(one.sentences for one in released))}"
    configs = [line for one in released for line in _configs(recipe, one)]
    if configs:
        yield "configs:"
        yield from configs
    else:
        # There is nothing in it that the Hub can load.
        yield "viewer: false"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _size(sentences: int) -> str:
    return next((name for limit, name in _SIZES if sentences < limit), _LARGEST)


def _configs(recipe: Recipe, one: Released) -> Iterator[str]:
    """What the Hub is to load of a corpus, a way of splitting after the other."""
    outputs = [
        output
        for format in _HUB_FORMATS
        for output in one.corpus.outputs
        if output.format == format
    ]
    if not outputs:
        return
    # The finest cut of the format that is taken first.
    output = max([o for o in outputs if o.format == outputs[0].format], key=lambda o: o.level)
    for way in one.ways:
        yield f"- config_name: {_quoted('-'.join(filter(None, [one.corpus.name, way])))}"
        yield "  data_files:"
        for part in [part.name for part in one.parts if part.way == way]:
            path = file_of(one.corpus, output, way, part, compress=recipe.compress)
            yield f"  - split: {_HUB_SPLITS[part]}"
            yield f"    path: {_quoted(path)}"


def _contents(released: Sequence[Released]) -> Iterator[str]:
    yield from ["## Contents", ""]
    rows = []
    for one in released:
        corpus = one.corpus
        title = corpus.title if corpus.title != corpus.name else ""
        rows.append(
            [
                f"`{corpus.name}`",
                title,
                f"`{corpus.converter}`",
                corpus.source,
                corpus.licence,
                f"{one.sentences:,}",
            ]
        )
    head = ["corpus", "", "converted by", "from", "licence", "sentences"]
    yield from _table(head, rows, numbers=1)


def _counts(released: Sequence[Released]) -> Iterator[str]:
    yield from ["## Parts", ""]
    rows = []
    for one, part in _parts(released):
        figures = part.figures
        levels = figures["levels"]
        entities = figures.get("entities", {}).get("all", {}).get("entities")
        rows.append(
            [
                *_names(one, part),
                f"{figures['sentences']:,}",
                f"{figures['eojeols']:,}",
                f"{figures['distinct_eojeols']:,}",
                f"{levels[str(LEVELS[-1])]['tokens']:,}",
                "" if entities is None else f"{entities:,}",
                f"{sum(figures.get('relations', {}).get('words', {}).values()):,}",
            ]
        )
    head = ["corpus", "part", "sentences", "eojeols", "distinct", "morphemes", "entities", "arcs"]
    yield from _table(head, [[cell if cell != "0" else "" for cell in row] for row in rows], 6)


def _table_2_1(released: Sequence[Released]) -> Iterator[str]:
    """Table 2.1 of the memoir, for every part."""
    yield from [
        "## Granularity",
        "",
        "Words at the five levels of granularity; the ratio of those that are morphologically"
        " complex (MCW, two morphemes or more); immediate non-terminals (different XPOS). Of a"
        " corpus that is split in several ways this shows the first; the others are in"
        " `statistics/`, and so it is below.",
        "",
    ]
    rows = []
    for one, part in _parts(released, first=True):
        levels = part.figures["levels"].values()
        for name, cells in (
            ("tokens", [f"{of['tokens']:,}" for of in levels]),
            ("MCW", [f"{of['mcw']:.4f}" for of in levels]),
            ("immediate NT", [f"{of['immediate_nts']:,}" for of in levels]),
        ):
            rows.append([*_names(one, part), name, *cells])
    head = ["corpus", "part", "", *[f"level {level}" for level in LEVELS]]
    yield from _table(head, rows, len(LEVELS))


def _entities(released: Sequence[Released]) -> Iterator[str]:
    """How many entities of each type each part has."""
    for one in released:
        parts = [part for _, part in _parts([one], first=True) if "entities" in part.figures]
        types = sorted({of for part in parts for of in part.figures["entities"]} - {"all"})
        if not types:
            continue
        yield from [f"### Entities of {one.corpus.name}", ""]
        rows = []
        for of in types:
            counts = [part.figures["entities"].get(of, {}).get("entities", 0) for part in parts]
            rows.append([f"`{of}`" if of else "", *[f"{count:,}" for count in counts]])
        yield from _table(["type", *[_part(part) for part in parts]], rows, len(parts))


def _relations(released: Sequence[Released]) -> Iterator[str]:
    """How often each relation is there, between the words of all parts and between morphemes."""
    for one in released:
        parts = [part for _, part in _parts([one], first=True)]
        kinds = [
            kind
            for kind in ("words", "morphemes")
            if any([kind in part.figures.get("relations", {}) for part in parts])
        ]
        if not kinds:
            continue
        totals: dict[str, dict[str, int]] = {}
        for part in parts:
            for kind in kinds:
                for name, count in part.figures.get("relations", {}).get(kind, {}).items():
                    row = totals.setdefault(name, dict.fromkeys(kinds, 0))
                    row[kind] += count
        yield from [f"### Relations of {one.corpus.name}", ""]
        rows = [
            [f"`{name}`", *[f"{row[kind]:,}" for kind in kinds]]
            for name, row in sorted(totals.items())
        ]
        yield from _table(["relation", *[f"between {kind}" for kind in kinds]], rows, len(kinds))


def _checks(released: Sequence[Released]) -> Iterator[str]:
    yield from [
        "## Round trips",
        "",
        "Each input was converted and converted back; so many of its sentences came back to the"
        " byte. Some of them need a comment of the released sentence for that. What was left out"
        " does not come back, nor do blank lines of a file that is laid out in its own way.",
        "",
    ]
    rows = [
        [
            f"`{one.corpus.name}`",
            trip["trip"],
            f"{trip['sentences']:,}",
            f"{trip['identical']:,}",
            f"{trip['helped_by_comments']:,}",
        ]
        for one in released
        for trip in one.trips
    ]
    yield from _table(["corpus", "round trip", "sentences", "identical", "by comments"], rows, 3)
    found = [
        (one.corpus.name, code, count) for one in released for code, count in one.incidents.items()
    ]
    if found:
        yield from ["While they were read, this was found (`sejongud validate --help`):", ""]
        rows = [[f"`{name}`", code, f"{count:,}"] for name, code, count in found]
        yield from _table(["corpus", "code", "times"], rows, 1)
    lost = [
        (one.corpus.name, output, what, count)
        for one in released
        for output, items in one.not_written.items()
        for what, count in items.items()
    ]
    if lost:
        yield from ["Some forms have no place for all that a sentence has:", ""]
        rows = [[f"`{name}`", f"`{out}`", what, f"{n:,}"] for name, out, what, n in lost]
        yield from _table(["corpus", "form", "not written", "sentences"], rows, 1)


_FORMS = {
    "words": "CoNLL-U, the treebank's own words",
    "conllu": "CoNLL-U, words of level N",
    "iob": "columns with a tab between: form, UPOS, XPOS, label of the outermost entity; words of"
    " level N",
    "jsonl": "JSON Lines, an object a sentence: eojeols, morphemes, words of level N",
    "parquet": "Parquet, a row a sentence: lists of tokens and words of level N, no DEPS and MISC",
}


def _files(recipe: Recipe, released: Sequence[Released]) -> Iterator[str]:
    yield from ["## Files", ""]
    ways = "SEED/" if any([len(one.ways) > 1 for one in released]) else ""
    names = {output.format for one in released for output in one.corpus.outputs}
    rows = [
        [f"`data/CORPUS/{ways}{name}{'' if name == 'words' else '-N'}/PART…`", what]
        for name, what in _FORMS.items()
        if name in names
    ]
    rows += [
        [f"`ids/CORPUS/{ways}PART.txt`", "the ids of the sentences of a part"],
        ["`statistics/CORPUS.json`", "all that was counted, for each part"],
        ["`licences/`", "the licences of the inputs, as far as they came with a text"],
        ["`recipe.toml`", "what was followed to make this"],
        ["`manifest.json`", "inputs, versions, checks, files"],
        ["`SHA256SUMS`", "the digests of all files: `sha256sum -c SHA256SUMS`"],
    ]
    if not any([one.corpus.licence_file for one in released]):
        rows = [row for row in rows if row[0] != "`licences/`"]
    yield from _table(["", ""], rows, 0)
    yield from [_splits(one) for one in released]
    yield ""


def _splits(one: Released) -> str:
    """How a corpus was split."""
    split = one.corpus.split
    name = f"`{one.corpus.name}`"
    if split.by == "ids":
        return f"- {name} was split by given lists of ids."
    what = "Documents" if split.by == "document" else "Sentences"
    seeds = " and ".join(
        filter(None, [", ".join(map(str, split.seeds[:-1])), str(split.seeds[-1])])
    )
    shares = "/".join(map(str, split.shares))
    plural = "s" if len(split.seeds) > 1 else ""
    return f"- {what} of {name} were split {shares} by the seed{plural} {seeds}."


def _making(recipe: Recipe, made_with: Mapping[str, str]) -> Iterator[str]:
    yield from ["## How it was made", ""]
    yield f"With {', '.join([f'{name} {number}' for name, number in made_with.items()])}:"
    yield from ["", "```sh", "sejongud release recipe.toml", "```", ""]
    yield (
        "The same recipe and inputs give the same bytes. `sejongud release verify .` checks every"
        " file; with `--inputs FOLDER`, where the recipe stood, it makes the release again and"
        " compares."
    )
    yield ""


def _references(recipe: Recipe) -> Iterator[str]:
    yield from ["## References", "", "How to cite this is in `CITATION.cff`.", ""]
    for paper in papers(recipe):
        where: str = paper.get("journal") or paper["collection-title"]
        if "volume" in paper:
            where += f" {paper['volume']}({paper['issue']})"
        link = paper.get("url") or f"https://doi.org/{paper['doi']}"
        yield (
            f"- {'; '.join(paper['authors'])} ({paper['year']}). {paper['title']}. {where},"
            f" {paper['start']}–{paper['end']}. {link}"
        )


def _parts(released: Iterable[Released], *, first: bool = False) -> Iterator[tuple[Released, Part]]:
    """The parts of all corpora; of each, if need be, those of the first way of splitting only."""
    for one in released:
        for part in one.parts:
            if not first or part.way == one.ways[0]:
                yield one, part


def _names(one: Released, part: Part) -> list[str]:
    return [f"`{one.corpus.name}`", _part(part)]


def _part(part: Part) -> str:
    return "/".join(filter(None, [part.way, part.name]))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> Iterator[str]:
    """A table in Markdown, without the columns that have nothing in them.

    Args:
        head: the names of the columns.
        rows: the cells.
        numbers: how many columns, from the right, are numbers.
    """
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    columns = [at for at in range(len(head)) if any([row[at] for row in rows])]
    for row in (head, rule, *rows):
        yield f"| {' | '.join([row[at].replace('|', chr(92) + '|') for at in columns])} |"
    yield ""


# --- citation and licence ------------------------------------------------------------------------


def citation(recipe: Recipe) -> str:
    """CITATION.cff, where the recipe names none.

    Args:
        recipe: title, version, authors; its converters decide on the papers.
    """
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this dataset, please cite it, its sources and the papers it follows.",
        "type: dataset",
        f"title: {_quoted(recipe.title)}",
        f"version: {_quoted(recipe.version)}",
    ]
    if _SPDX.fullmatch(recipe.licence):
        lines.append(f"license: {recipe.licence}")
    if recipe.homepage:
        lines.append(f"url: {_quoted(recipe.homepage)}")
    lines += ["authors:", *[f"  - name: {_quoted(author)}" for author in recipe.authors]]
    lines.append("references:")
    for paper in papers(recipe):
        first = True
        for key, value in paper.items():
            if key in ("converters", "authors"):
                continue
            shown = value if key == "type" or isinstance(value, int) else _quoted(value)
            lines.append(f"  {'-' if first else ' '} {key}: {shown}")
            first = False
        lines.append("    authors:")
        for author in paper["authors"]:
            family, _, given = author.partition(", ")
            lines.append(f"      - family-names: {_quoted(family)}")
            lines.append(f"        given-names: {_quoted(given)}")
    return "\n".join(lines) + "\n"


_SPDX = re.compile(r"\S+")
"""A single licence; an expression has no place in a citation."""


def notice(recipe: Recipe) -> str:
    """LICENSE, where the recipe names no text.

    Args:
        recipe: its licence, and those of its inputs.
    """
    listed = _SPDX.fullmatch(recipe.licence) and not recipe.licence.startswith("LicenseRef-")
    lines = [
        f"{recipe.title}, version {recipe.version}, by {', '.join(recipe.authors)}",
        "",
        f"Licensed under {recipe.licence}"
        + (f": https://spdx.org/licenses/{recipe.licence}.html" if listed else "."),
    ]
    of_inputs = [corpus for corpus in recipe.corpora if corpus.licence]
    if of_inputs:
        lines += ["", "It was made of these, under licences of their own:", ""]
    for corpus in of_inputs:
        source = f" ({corpus.source})" if corpus.source else ""
        text = f", licences/{corpus.name}.txt" if corpus.licence_file else ""
        lines.append(f"- {corpus.title}{source}: {corpus.licence}{text}")
    return "\n".join(lines) + "\n"
