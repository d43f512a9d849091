"""Read a recipe: a TOML file that says what a release is made of.

    name = "eyes"  title = "…"  version = "1.0"  licence = "CC-BY-4.0"  authors = ["…"]
    [split]        by = "seed"  seed = 42  shares = [80, 10, 10]
    [outputs]      conllu = [1, 5]  jsonl = [5]
    [[inputs]]     name = "gsd"  path = "../gsd.conllu"  converter = "dep word2morph"

Every path is relative to the folder of the recipe, so that the recipe and its inputs can be moved
together, and leads to a file in that folder, so that the recipe of a stranger publishes no other
files; whoever builds the release can name a wider folder. The layout of a release decides where its
files go; no key changes that. A value that cannot be used is a `RecipeError` with the recipe, the
key and a value that would do.

`sketch` writes a recipe for some files, with every key explained. The files decide the converters.
Files whose names differ by train, dev and test alone are one input that is split already; other
files of one folder, format and ending are one input together. What a file cannot say, as the
licence and the authors, has a value to be replaced.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.jobs import DependencyConversion
from sejongud.errors import OnError, RulesError, UsageError
from sejongud.files import Source, escape_name, unescape_name
from sejongud.formats import READERS, label_format, recognise
from sejongud.formats.conllu.rows import DEPREL, HEAD
from sejongud.formats.finding import input_files
from sejongud.levels.cut import Granularity
from sejongud.release.keys import KEYS, SPLITS, RecipeError, RecipeTable, Unusable, one_of
from sejongud.release.splits import UNITS, SplitPlan
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


CONVERT, WORD2MORPH = "convert", "dep word2morph"
EOJ2MORPH, SYL2MORPH = "ner eoj2morph", "ner syl2morph"
FRAMES = "frame eoj2morph"

WORDS, IOB = "words", "iob"
FORMATS = ("conllu", IOB, "jsonl", "parquet")
"""The formats that are written at levels; `words` is the treebank's own cut, and has none."""


class Output(NamedTuple):
    """A form in which a corpus is written."""

    format: str
    level: int = 0
    """0 for the treebank's own words."""

    @property
    def name(self) -> str:
        """The name of the folder of its files.

        >>> Output("conllu", 5).name, Output("words").name
        ('conllu-5', 'words')
        """
        return f"{self.format}-{self.level}" if self.level else self.format


@dataclass(frozen=True)
class Corpus:
    """A corpus of a release: its files, its conversion and its outputs.

    The keys of a table [[inputs]] describe its fields; `paths` holds `path` too.
    """

    name: str
    paths: tuple[str, ...]
    converter: str
    options: Mapping[str, Any] = field(hash=False)
    format: str
    encoding: str | None
    morphemes: str
    on_error: OnError
    split: SplitPlan
    outputs: tuple[Output, ...]
    title: str
    source: str
    licence: str
    licence_file: str

    @property
    def is_treebank(self) -> bool:
        """Whether the corpus is a treebank: dependencies between words."""
        return self.converter == WORD2MORPH

    @property
    def is_labelled(self) -> bool:
        """Whether the corpus is an entity corpus."""
        return self.converter in (EOJ2MORPH, SYL2MORPH)

    @property
    def is_framed(self) -> bool:
        """Whether the corpus is a corpus of frames."""
        return self.converter == FRAMES

    @property
    def upos(self) -> str:
        """The UPOS scheme of the words; of a treebank that of the levels below 5."""
        return str(self.options.get("upos", "sejong"))

    @property
    def lemmas(self) -> str:
        """The lemma scheme."""
        return str(self.options.get("lemmas", "normalised"))

    @property
    def scheme(self) -> str:
        """The scheme of the relations between the morphemes of a treebank."""
        return str(self.options.get("scheme", "ud"))

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of all files that the corpus is made of."""
        paths = [*self.paths, self.morphemes, self.licence_file, *self.split.lists.values()]
        return tuple(filter(None, paths))


@dataclass(frozen=True)
class Recipe:
    """A recipe without faults.

    Args:
        data: the bytes of the recipe file.
        folder: the folder that its paths are relative to.
        corpora: the corpora of the release. The other fields are keys of a recipe.
    """

    data: bytes
    folder: Path
    corpora: tuple[Corpus, ...]
    name: str
    title: str
    version: str
    licence: str
    authors: tuple[str, ...]
    description: str
    homepage: str
    licence_file: str
    citation_file: str
    rules: str
    compress: bool

    @property
    def release_name(self) -> str:
        """The usual name of the release's folder."""
        return f"{self.name}-{self.version}"

    def resolve(self, path: str) -> Path:
        """Return the place of a path of the recipe, in which a byte may be an escape."""
        return self.folder / unescape_name(path)

    @property
    def rules_folder(self) -> str | None:
        """The user's tables, as `sejongud.rules.load` takes them."""
        return str(self.resolve(self.rules)) if self.rules else None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of all files that the release is made of, each once and in order."""
        paths = [self.licence_file, self.citation_file]
        if self.rules:
            names = [escape_name(path.name) for path in self.resolve(self.rules).iterdir()]
            paths += [f"{self.rules}/{name}" for name in sorted(names) if name[:1] != "."]
        paths += [path for corpus in self.corpora for path in corpus.files]
        return tuple(dict.fromkeys(filter(None, paths)))


def word2morph(corpus: Corpus, rules: str | None, path: str = "-") -> DependencyConversion:
    """Return the conversion of a treebank to morphemes.

    Args:
        corpus: the treebank.
        rules: the user's tables.
        path: the input file, for messages.
    """
    return DependencyConversion(
        "word2morph",
        scheme=corpus.scheme,
        upos=corpus.options.get("upos", ""),
        lemmas=corpus.lemmas,
        bound_marker=corpus.options.get("bound_marker", ""),
        rules=rules,
        path=path,
    )


# --- one table after another ---------------------------------------------------------------------


def load_recipe(
    path: str | os.PathLike[str], within: str | os.PathLike[str] | None = None
) -> Recipe:
    """Read a recipe from its file, and check that the files it names exist.

    Args:
        path: the file of the recipe.
        within: the folder that all files of the recipe, links resolved, must be in; None for the
            folder of the recipe.

    Raises:
        RecipeError: the recipe has faults; the message names all of them, one a line.
        OSError: the file cannot be read.
    """
    file = Path(path)
    recipe = parse_recipe(file.read_bytes(), file.parent, str(path))
    allowed = Path(file.parent if within is None else within).resolve()
    places = {name: recipe.resolve(name) for name in recipe.files}
    outside = [name for name, at in places.items() if not at.resolve().is_relative_to(allowed)]
    advice = f"is outside of {allowed}: move it there, or name a wider folder by --within"
    _refuse([f"{path}: {name} {advice}" for name in outside])
    missing = [name for name, at in places.items() if not at.is_file()]
    relative = f"paths are relative to the folder of the recipe, {file.parent.resolve()}"
    _refuse([f"{path}: there is no file {name}; {relative}" for name in missing])
    return recipe


def parse_recipe(data: bytes, folder: Path, shown: str) -> Recipe:
    """Read a recipe from its bytes.

    Args:
        data: TOML in UTF-8.
        folder: the folder that its paths are relative to.
        shown: the name of the recipe, for messages.

    Raises:
        RecipeError: the recipe has faults; the message names all of them, one a line.
    """
    try:
        toml = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        raise RecipeError(
            f"{shown}: byte {error.start} is not UTF-8: save the recipe as UTF-8"
        ) from None
    except (ValueError, RecursionError) as error:  # A number may have too many digits.
        raise RecipeError(f"{shown}: not TOML: {error}") from None
    faults: list[str] = []
    top = RecipeTable(shown, "", toml, KEYS["recipe"], faults)
    usual = {"split": _split(top), "outputs": _outputs(top)}
    simple = {key: top[key] for key in top.values if key not in (*usual, "inputs")}
    recipe = Recipe(data, folder, (), **simple)
    try:
        load(recipe.rules_folder)
    except RulesError as error:
        top.fault("rules", str(error))
        recipe = replace(recipe, rules="")
    corpora: dict[str, Corpus] = {}
    for number, values in enumerate(top["inputs"] or (), 1):
        name = values.get("name")
        place = name if isinstance(name, str) and name.isprintable() else number
        before = len(faults)
        table = RecipeTable(shown, f"inputs[{place}]", values, KEYS["input"], faults)
        corpus = _corpus(table, usual)
        if corpus.name in corpora:
            table.fault("name", f"there are two inputs {name}: give one another name")
        if len(faults) == before:
            # How values fit together can be said of values that will do.
            _check(table, corpus, recipe.rules_folder)
        corpora[corpus.name] = corpus
    _refuse(faults)
    return replace(recipe, corpora=tuple(corpora.values()))


def _refuse(faults: list[str]) -> None:
    """Raise the error of a recipe with faults, if there are any."""
    if faults:
        raise RecipeError("\n".join(faults))


def _split(outer: RecipeTable) -> SplitPlan:
    table = outer.inner("split", KEYS["split"])
    by = table["by"]
    lists = {part: table[part] for part in SPLITS if part in table}
    for key in ("seed", "seeds", "shares") if by == "ids" else (*SPLITS, "rest"):
        if key in table:
            fits = " or ".join(["seed", *UNITS]) if by == "ids" else "ids"
            table.fault(key, f'goes with a split by {fits}, and by is "{by}"')
    if by == "ids" and not lists:
        table.fault("train", "is missing: name the file with the ids, one a line")
    if "seed" in table and "seeds" in table:
        table.fault("seed", "there is seeds as well: write one of the two")
    return SplitPlan(by, table["seeds"] or (table["seed"],), table["shares"], lists, table["rest"])


def _outputs(outer: RecipeTable) -> tuple[Output, ...]:
    table = outer.inner("outputs", KEYS["outputs"])
    outputs = [Output(WORDS)] if table[WORDS] else []
    outputs += [Output(name, level) for name in FORMATS for level in sorted(table[name])]
    if "outputs" in outer and not outputs and not table.wrong | outer.wrong & {"outputs"}:
        table.fault("", "nothing is to be written: name a format, as conllu = [1, 5]")
    return tuple(outputs)


def _corpus(table: RecipeTable, usual: Mapping[str, Any]) -> Corpus:
    if ("path" in table) == ("paths" in table):
        table.fault("path", 'write path = "…" for one file, or paths = ["…", "…"] for several')
    options: dict[str, Any] = {}
    if not table.wrong & {"converter", "options"}:
        options_table = table.inner("options", KEYS["options"][table["converter"]])
        options = {name: options_table[name] for name in options_table.entries}
    paths, split = _files(table, usual["split"])
    values = table.values | {
        "paths": paths,
        "encoding": table["encoding"] or None,
        "options": options,
        "split": split,
        "outputs": _outputs(table) or usual["outputs"],
        "title": table["title"] or table["name"],
    }
    del values["path"]
    return Corpus(**values)


def _files(table: RecipeTable, usual: SplitPlan) -> tuple[tuple[str, ...], SplitPlan]:
    """Return the paths of the files of a corpus, and how the corpus is split."""
    split = _split(table) if "split" in table else usual
    paths = table["paths"] or (table["path"],)
    if not isinstance(paths, dict):
        return paths, split
    if "split" in table:
        table.fault("split", "the table of paths says the parts already: leave one of the two out")
    parts = [part for part, some in paths.items() for _ in some]
    return tuple([path for some in paths.values() for path in some]), SplitPlan(
        "files", files=tuple(parts)
    )


def _check(table: RecipeTable, corpus: Corpus, rules: str | None) -> None:
    """Check that the values of a corpus fit together; `table` takes the faults."""

    def refuse(wrong: object, key: str, message: str) -> None:
        if wrong:
            table.fault(key, message)

    treebank = corpus.is_treebank
    formats = {output.format for output in corpus.outputs}
    advice = "give the input outputs of its own"
    nothing = "nothing is to be written: add [outputs] with conllu = [5]"
    refuse(not formats and "outputs" not in table, "outputs", nothing)
    refuse(treebank and IOB in formats, "outputs", f"a treebank has no entities for iob: {advice}")
    words = WORDS in formats and not treebank
    refuse(words, "outputs", f"words are those of a treebank ({WORD2MORPH}): {advice}")
    marked = "jsonl" in formats and "bound_marker" in corpus.options
    refuse(marked, "outputs", "jsonl holds morphemes, and bound_marker changes their forms")
    left_out = treebank and corpus.on_error != "stop"
    refuse(left_out, "on_error", "a treebank whose sentences are no trees is not released")
    analysed = corpus.is_labelled or corpus.is_framed
    misplaced = corpus.morphemes and not (analysed and len(corpus.paths) == 1)
    takers = ", ".join([EOJ2MORPH, SYL2MORPH, FRAMES])
    refuse(misplaced, "morphemes", f"goes with one file of entities or frames ({takers})")
    refuse(corpus.is_framed and corpus.format, "format", "a corpus of frames has one: leave it out")
    refuse(treebank and corpus.format, "format", "a treebank is CoNLL-U: leave it out")
    _check_names(table, corpus, rules)


def _check_names(table: RecipeTable, corpus: Corpus, rules: str | None) -> None:
    """Check that the format and the schemes of a corpus exist."""
    key = "format"
    try:
        if corpus.format and corpus.is_labelled:
            name, _, settings = corpus.format.partition(":")
            label_format(name, settings)
        elif corpus.format:
            one_of(READERS, corpus.format)
        key = "options"
        if corpus.is_treebank:
            word2morph(corpus, rules).make_step()
        Granularity(load(rules), 5, upos=corpus.upos, lemmas=corpus.lemmas)
    except (UsageError, Unusable) as error:
        table.fault(key, str(error))


# --- a recipe for some files ----------------------------------------------------------------------


_PART = re.compile(r"(?<![a-z])(train|dev|test|validation|valid|val)(?![a-z])", re.IGNORECASE)
_PARTS = {"validation": "dev", "valid": "dev", "val": "dev"}
_OUTPUTS = {
    CONVERT: "{ conllu = [1, 5], jsonl = [5] }",
    WORD2MORPH: "{ words = true, conllu = [1, 5], jsonl = [5] }",
    EOJ2MORPH: "{ conllu = [5], iob = [5], jsonl = [5] }",
    SYL2MORPH: "{ conllu = [5], iob = [5], jsonl = [5] }",
    FRAMES: "{ conllu = [5], jsonl = [5] }",
}
_VALUES = {
    "name": '"my-corpus"',
    "title": '"My corpus"',
    "version": '"0.1"',
    "licence": '"LicenseRef-unknown"',
    "authors": '["unknown"]',
}
"""The values of the keys that a recipe must have, for its author to replace."""
_HEADING = """\
# A recipe: `sejongud release FILE` builds a dataset of it. Paths are relative to the folder of this
# file. Remove the first # of a line to set its key; the meaning of each key stands behind it.
"""


class _File(NamedTuple):
    """A file, and the input that it belongs to."""

    path: str
    format: str
    converter: str
    stem: str
    """Its path without the name of its part."""
    part: str
    """One of `SPLITS`; "" if its name says none."""


def sketch(
    paths: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str] = ".",
    skipped: dict[str, str] | None = None,
) -> str:
    """Return the text of a recipe for some files.

    Args:
        paths: the files, and folders of files.
        folder: the folder that the recipe is going to stand in.
        skipped: gets the files of folders that no release can hold, with the reason.

    Raises:
        UsageError: a file is in no format that a release can hold; or there is no file.
        OSError: a file cannot be read.
    """
    left_out = {} if skipped is None else skipped
    files: dict[str, _File] = {}
    names = [os.fspath(path) for path in paths]
    for path, _, walked in input_files(names, None, left_out) if names else ():
        try:
            files.setdefault(path, _file(path, Path(folder)))
        except UsageError as error:
            if not walked:
                raise
            left_out[path] = str(error)
    if not files:
        raise UsageError("name the files of the release")
    lines = [_HEADING, *_keys(KEYS["recipe"], _VALUES), "", "[split]", *_keys(KEYS["split"], {})]
    taken: set[str] = set()
    groups: defaultdict[tuple[str, str, str, bool], list[_File]] = defaultdict(list)
    for file in files.values():
        groups[file.converter, file.format, file.stem, bool(file.part)].append(file)
    for (converter, *_), group in groups.items():
        name = _name(group, taken)
        taken.add(name)
        values = {
            "name": _toml(name),
            **_paths(group),
            "converter": _toml(converter),
            "outputs": _OUTPUTS[converter],
        }
        lines += ["", "[[inputs]]", *_keys(KEYS["input"], values)]
        lines += [_unset(f"options.{key}", row) for key, row in KEYS["options"][converter].items()]
    return "\n".join([*lines, ""])


def _file(path: str, folder: Path) -> _File:
    with Source(path) as source:
        head = source.head()
    detection = recognise(None, head)
    if detection.is_corrections:
        raise UsageError(f"{path} has corrections ({detection.name}), which no release holds")
    converter = CONVERT
    if detection.is_entities:
        converter = EOJ2MORPH if label_format(*detection).unit == "eojeol" else SYL2MORPH
    elif detection.is_frames:
        converter = FRAMES
    elif detection.name == "conllu" and _has_arcs(head) and "# global.columns" not in head:
        converter = WORD2MORPH
    shown = escape_name(Path(os.path.relpath(path, folder)).as_posix())
    name = shown.rpartition("/")[2]
    part = _PART.search(name)
    if part is None:
        # Files of one folder and ending belong together.
        stem = shown.removesuffix(name) + Path(name).suffix
        return _File(shown, detection.name, converter, stem, "")
    part_name = part[1].lower()
    stem = shown.removesuffix(name) + name[: part.start()] + name[part.end() :]
    return _File(shown, detection.name, converter, stem, _PARTS.get(part_name, part_name))


def _has_arcs(head: str) -> bool:
    """Return whether the beginning of a CoNLL-U file has dependencies."""
    rows = [line.split("\t") for line in head.split("\n") if line[:1].isdigit()]
    return any([len(row) > DEPREL and row[HEAD].isdigit() for row in rows])


def _paths(group: Sequence[_File]) -> dict[str, str]:
    """Return the key and the value for the paths of an input."""
    if len(group) == 1:
        return {"path": _toml(group[0].path)}
    if not group[0].part:
        return {"paths": _toml([file.path for file in group])}
    parts = {part: [file.path for file in group if file.part == part] for part in SPLITS}
    inner = ", ".join([f"{part} = {_toml(paths)}" for part, paths in parts.items() if paths])
    return {"paths": f"{{ {inner} }}"}


def _name(group: Sequence[_File], taken: set[str]) -> str:
    """Return a name for an input, from the name of its first file."""
    base = _PART.sub("", group[0].path.rpartition("/")[2].partition(".")[0]).lower()
    name = re.sub(r"[^a-z0-9]+", "-", base).strip("-")[:40] or "corpus"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(unused for unused in names if unused not in taken)


def _keys(keys: Mapping[str, Any], values: Mapping[str, str]) -> list[str]:
    """Return the lines of a table: keys with values, and the others as comments."""
    lines = []
    for name, key in keys.items():
        if name in values:
            lines.append(f"{name} = {values[name]}  # {key['meaning']}")
        elif "table" not in key["type"] and name not in ("path", "paths"):
            lines.append(_unset(name, key))
    return lines


def _unset(name: str, key: Mapping[str, Any]) -> str:
    example = "true" if key["type"] == "flag" else key["example"]
    return f"# {name} = {example}  # {key['meaning']}"


def _toml(value: object) -> str:
    """Return a text or a list of texts in TOML."""
    return json.dumps(value, ensure_ascii=False)
