"""A recipe: what a release is made of, read from TOML and checked value by value.

    name = "eyes"  title = "…"  version = "1.0"  licence = "CC-BY-4.0"  authors = ["…"]
    [split]        by = "seed"  seed = 42  shares = [80, 10, 10]
    [outputs]      conllu = [1, 5]  jsonl = [5]
    [[inputs]]     name = "gsd"  path = "../gsd.conllu"  converter = "dep word2morph"

Every path is relative to the folder of the recipe, so that the recipe and its inputs can be moved
together; what is written goes where the layout of a release has it, and no key changes that. A
value that cannot be used is a `RecipeError`, which names the recipe, the key and what would do.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, get_args

from sejongud.errors import ON_ERROR, RulesError, UsageError
from sejongud.formats.conllu import NE_PLACES
from sejongud.model import LEVELS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.errors import OnError
    from sejongud.rules import Rules

__all__ = [
    "CONVERTERS",
    "SPLITS",
    "Corpus",
    "Output",
    "Recipe",
    "RecipeError",
    "Split",
    "load_recipe",
    "parse_recipe",
]

SPLITS = ("train", "dev", "test")
"""The parts that a corpus is split into, in this order everywhere."""

By = Literal["seed", "document", "ids"]
_BY: tuple[By, ...] = get_args(By)

SEED = 42
SHARES = (80, 10, 10)
"""Of train, dev and test, in percent, where the recipe says nothing else."""

CONVERT, EOJ2MORPH, SYL2MORPH, WORD2MORPH = (
    "convert",
    "ner eoj2morph",
    "ner syl2morph",
    "dep word2morph",
)

_TEXT, _FLAG = "text", "flag"
_SCHEMES = {"upos": _TEXT, "lemmas": _TEXT}

CONVERTERS: dict[str, dict[str, str | tuple[str, ...]]] = {
    CONVERT: {
        **_SCHEMES,
        "deps": ("none", "dummy"),
        "ne": NE_PLACES,
        "metadata": _FLAG,
        "rejoin": _FLAG,
    },
    EOJ2MORPH: {**_SCHEMES, "ne": NE_PLACES, "inherit": _FLAG, "nested": _FLAG},
    SYL2MORPH: {**_SCHEMES, "ne": NE_PLACES, "nested": _FLAG},
    WORD2MORPH: {
        **_SCHEMES,
        "scheme": ("morphud", "ud"),
        "bound_marker": _TEXT,
    },
}
"""Name of a converter, that of its command → its options: a text, a flag or one of some words."""

_WORDS, _IOB = "words", "iob"
FORMATS = ("conllu", _IOB, "jsonl", "parquet")
"""The formats that are written at levels; `words` is the treebank's own cut, and has none."""


class RecipeError(UsageError):
    """A recipe that cannot be followed."""


class Output(NamedTuple):
    """One form in which a corpus is written."""

    format: str
    level: int = 0
    """0 for the treebank's own words."""

    @property
    def name(self) -> str:
        """As the folder of its files is called.

        >>> Output("conllu", 5).name, Output("words").name
        ('conllu-5', 'words')
        """
        return f"{self.format}-{self.level}" if self.level else self.format


@dataclass(frozen=True)
class Split:
    """How a corpus is split into train, dev and test.

    Args:
        by: sentences by a seed, documents by a seed, or sentences by lists of their ids.
        seeds: each makes a split of its own.
        shares: of train, dev and test, in percent.
        lists: name of a part → file of its ids, a path as the recipe has it.
        rest: the part that takes the sentences which are in no list; "" if there must be none.
    """

    by: By = "seed"
    seeds: tuple[int, ...] = (SEED,)
    shares: tuple[int, int, int] = SHARES
    lists: Mapping[str, str] = field(default_factory=dict)
    rest: str = ""


@dataclass(frozen=True)
class Corpus:
    """One corpus of a release: where it comes from and what is made of it.

    Args:
        name: of its folders.
        paths: its files, as the recipe has them.
        converter: one of `CONVERTERS`.
        format: of the files; "" to find it out.
        encoding: None to find it out.
        morphemes: a file with the morphemes of the sentences (entities); "" for Kiwi.
        options: of the converter.
        on_error: "stop", "skip" or "keep".
        split: how it is split.
        outputs: what is written.
        title: for people.
        source: where it is from, for the card.
        licence: of the input, where it is not that of the release.
        licence_file: its text; "" if none.
    """

    name: str
    paths: tuple[str, ...]
    converter: str = CONVERT
    format: str = ""
    encoding: str | None = None
    morphemes: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    on_error: OnError = "stop"
    split: Split = Split()
    outputs: tuple[Output, ...] = ()
    title: str = ""
    source: str = ""
    licence: str = ""
    licence_file: str = ""

    @property
    def upos(self) -> str:
        """The UPOS scheme of its words (of `dep word2morph` that of the lower levels)."""
        given: str = self.options.get("upos", "")
        return given or "sejong"

    @property
    def lemmas(self) -> str:
        """The lemma scheme."""
        given: str = self.options.get("lemmas", "")
        return given or "normalised"

    @property
    def files(self) -> tuple[str, ...]:
        """All files that it is made of, as the recipe has them."""
        lists = [self.split.lists[name] for name in SPLITS if name in self.split.lists]
        return tuple(filter(None, [*self.paths, self.morphemes, self.licence_file, *lists]))


@dataclass(frozen=True)
class Recipe:
    """A recipe that can be followed.

    Args:
        data: the bytes of the recipe itself.
        folder: what its paths are relative to.
        name: of the release.
        title: for people.
        version: of the release, not of this program.
        licence: an SPDX identifier.
        authors: for the citation.
        corpora: what it is made of.
        description: for the card, of any length.
        homepage: a URL for the citation; "" if none.
        licence_file: the text of the licence; "" for a notice.
        citation_file: a CITATION.cff to take as it is; "" to have one made.
        rules: a folder of tables laid over the built-in ones; "" for none.
        compress: whether the text files are packed with gzip.
    """

    data: bytes
    folder: Path
    name: str
    title: str
    version: str
    licence: str
    authors: tuple[str, ...]
    corpora: tuple[Corpus, ...]
    description: str = ""
    homepage: str = ""
    licence_file: str = ""
    citation_file: str = ""
    rules: str = ""
    compress: bool = False

    @property
    def release_name(self) -> str:
        """What the folder of the release is called if nobody says otherwise."""
        return f"{self.name}-{self.version}"

    def resolve(self, path: str) -> Path:
        """Where a path of the recipe leads."""
        return self.folder / path

    @property
    def rules_folder(self) -> str | None:
        """The user's tables, as `sejongud.rules.load` takes them."""
        return str(self.resolve(self.rules)) if self.rules else None

    @property
    def has_parquet(self) -> bool:
        """Whether anything is written as Parquet."""
        return any([out.format == "parquet" for one in self.corpora for out in one.outputs])

    @property
    def common_files(self) -> tuple[str, ...]:
        """The files that speak of the release as a whole, as the recipe has them."""
        return tuple(filter(None, [self.licence_file, self.citation_file]))

    @property
    def rules_files(self) -> tuple[str, ...]:
        """The user's tables, on which every corpus depends."""
        if not self.rules:
            return ()
        names = [path.name for path in self.resolve(self.rules).iterdir()]
        return tuple([f"{self.rules}/{name}" for name in sorted(names) if name[:1] != "."])

    @property
    def files(self) -> tuple[str, ...]:
        """All files that are read, as the recipe has them, each once and in its order."""
        own = [path for corpus in self.corpora for path in corpus.files]
        return tuple(dict.fromkeys([*self.common_files, *self.rules_files, *own]))


def load_recipe(path: str | os.PathLike[str]) -> Recipe:
    """Read a recipe from its file, and see that the files it names are there.

    Args:
        path: the file.

    Raises:
        RecipeError: it cannot be followed.
        OSError: it cannot be read.
    """
    file = Path(path)
    recipe = parse_recipe(file.read_bytes(), file.parent, str(path))
    for name in recipe.files:
        if not recipe.resolve(name).is_file():
            raise RecipeError(
                f"{path}: there is no file {name}; paths are relative to the folder of the recipe,"
                f" {file.parent.resolve()}"
            )
    return recipe


def parse_recipe(data: bytes, folder: Path, shown: str) -> Recipe:
    """A recipe of its bytes.

    Args:
        data: TOML in UTF-8.
        folder: what its paths are relative to.
        shown: the name of the recipe, for messages.

    Raises:
        RecipeError: it cannot be followed.
    """
    try:
        values = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        raise RecipeError(
            f"{shown}: byte {error.start} is not UTF-8: save the recipe as UTF-8"
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RecipeError(f"{shown}: not TOML: {error}") from None
    return _recipe(_Table(shown, "", values, _RECIPE_KEYS), data, folder)


# --- one table after another ---------------------------------------------------------------------

_RECIPE_KEYS = (
    "name", "title", "version", "licence", "authors", "description", "homepage", "licence_file",
    "citation_file", "rules", "compress", "split", "outputs", "inputs",
)  # fmt: skip
_INPUT_KEYS = (
    "name", "path", "paths", "converter", "options", "format", "encoding", "morphemes", "on_error",
    "split", "outputs", "title", "source", "licence", "licence_file",
)  # fmt: skip
_SPLIT_KEYS = ("by", "seed", "seeds", "shares", *SPLITS, "rest")
_OUTPUT_KEYS = (_WORDS, *FORMATS)

_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_VERSION = re.compile(r"[0-9A-Za-z]+(?:[.+-][0-9A-Za-z]+)*")
_LICENCE = re.compile(r"[0-9A-Za-z]+(?:[.+-][0-9A-Za-z]+)*(?: (?:AND|OR|WITH) [0-9A-Za-z.+-]+)*")
_LONGEST_NAME = 64
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *[f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)]]
)
"""Names that no file can have on Windows."""
_HIGHEST_SEED = 2**32 - 1


class _Table:
    """A table of the recipe; every value that is taken from it is checked.

    Args:
        recipe: its name, for messages.
        place: the key of the table, "" for the recipe as a whole.
        values: as TOML has them.
        known: the keys that there are.

    Raises:
        RecipeError: there is another key.
    """

    def __init__(
        self, recipe: str, place: str, values: Mapping[str, Any], known: Sequence[str]
    ) -> None:
        self.recipe = recipe
        self._place = place
        self.values = values
        for key in values:
            if key not in known:
                raise self.error(key, f"there is no such key{_near(key, known)}")

    def error(self, key: str, message: str) -> RecipeError:
        """The error of a key."""
        place = ".".join(filter(None, [self._place, key]))
        return RecipeError(f"{self.recipe}: {place}: {message}")

    def _take(self, key: str, kind: type, wanted: str, default: Any) -> Any:
        value = self.values.get(key, default)
        if value is _REQUIRED:
            raise self.error(key, f"is missing: write {wanted}")
        if key in self.values and type(value) is not kind:
            raise self.error(key, f"{_shown(value)} will not do: write {wanted}")
        return value

    def text(self, key: str, default: Any = None, wanted: str = '"…"') -> str:
        """A text of one line that says something."""
        usual = _REQUIRED if default is None else default
        value: str = self._take(key, str, f"{key} = {wanted}", usual)
        if key in self.values and (not value.strip() or not value.isprintable()):
            raise self.error(key, "write a text of one line, without control characters")
        return value

    def paragraphs(self, key: str) -> str:
        """A text of any number of lines."""
        value: str = self._take(key, str, f'{key} = """…"""', "")
        lines = value.split("\n")
        if not all([line.isprintable() for line in lines]):
            raise self.error(key, "there are control characters or tabs in it")
        return "\n".join([line.rstrip() for line in lines]).strip("\n")

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value: bool = self._take(key, bool, f"{key} = true or false", default)
        return value

    def matching(self, key: str, pattern: re.Pattern[str], wanted: str) -> str:
        """A text of a certain form."""
        value = self.text(key, wanted=wanted)
        if not pattern.fullmatch(value) or len(value) > _LONGEST_NAME:
            raise self.error(key, f"{_shown(value)} will not do: write {key} = {wanted}")
        return value

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """One of some words."""
        value = self.text(key, default)
        if value not in (*choices, default):
            there = ", ".join(choices)
            near = _near(value, choices)
            raise self.error(key, f"there is no {_shown(value)}{near}; there are: {there}")
        return value

    def number(self, key: str, wanted: str, default: int) -> int:
        """A whole number."""
        value: int = self._take(key, int, f"{key} = {wanted}", default)
        return value

    def tables(self, key: str) -> list[Mapping[str, Any]]:
        """A list of tables."""
        wanted = f"a table [[{key}]] for each of them"
        values: list[Mapping[str, Any]] = self._take(key, list, wanted, _REQUIRED)
        if not values or not all([isinstance(value, dict) for value in values]):
            raise self.error(key, f"{_shown(values)} will not do: write {wanted}")
        return values

    def items(self, key: str, kind: type, wanted: str, default: Any = None) -> tuple[Any, ...]:
        """A list of one thing or more."""
        usual = _REQUIRED if default is None else default
        values = self._take(key, list, f"{key} = {wanted}", usual)
        if key not in self.values:
            return cast("tuple[Any, ...]", default)
        if not values or not all([type(value) is kind for value in values]):
            raise self.error(key, f"{_shown(values)} will not do: write {key} = {wanted}")
        if kind is str and len(set(values)) < len(values):
            raise self.error(key, "something is in the list twice")
        return tuple(values)

    def path(self, key: str, default: str | None = None) -> str:
        """A path relative to the recipe."""
        value = self.text(key, default, '"../corpus/file"')
        return self.checked_path(key, value) if key in self.values else value

    def checked_path(self, key: str, value: str) -> str:
        """A path that does not depend on the machine."""
        if PurePosixPath(value).is_absolute() or PureWindowsPath(value).anchor:
            raise self.error(
                key, f"{value} is absolute: write the path relative to the folder of the recipe"
            )
        if "\\" in value:
            raise self.error(key, f"{value}: write / between folders")
        return value

    def table(self, key: str, known: Sequence[str]) -> _Table | None:
        """A table in this one, None if there is none."""
        if key not in self.values:
            return None
        value = self._take(key, dict, f"a table [{key}]", None)
        return _Table(self.recipe, ".".join(filter(None, [self._place, key])), value, known)


_REQUIRED: Any = object()


def _near(word: str, known: Iterable[str]) -> str:
    found = get_close_matches(word, list(known), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def _shown(value: object) -> str:
    """A value as TOML has it, if it is short."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value!r:.60}".replace("'", '"')


def _recipe(table: _Table, data: bytes, folder: Path) -> Recipe:
    split = _split(table.table("split", _SPLIT_KEYS)) or Split()
    outputs = _outputs(table.table("outputs", _OUTPUT_KEYS))
    rules = _rules(table, folder)
    authors = table.items("authors", str, '["…"]')
    if not all([author.strip() and author.isprintable() for author in authors]):
        raise table.error("authors", "write each name as a text of one line")
    return Recipe(
        data=data,
        folder=folder,
        name=_name(table),
        title=table.text("title"),
        version=table.matching("version", _VERSION, '"1.0" (letters, digits and . + - between)'),
        licence=_licence(table, _REQUIRED),
        authors=authors,
        description=table.paragraphs("description"),
        homepage=table.text("homepage", ""),
        licence_file=table.path("licence_file", ""),
        citation_file=table.path("citation_file", ""),
        rules=table.path("rules", ""),
        compress=table.flag("compress"),
        corpora=_corpora(table, split, outputs, rules),
    )


def _name(table: _Table) -> str:
    name = table.matching("name", _NAME, '"ud-korean" (small letters, digits and . _ - between)')
    if name.partition(".")[0] in _DEVICES:
        raise table.error("name", f"no folder can be called {name} on every system")
    return name


def _licence(table: _Table, default: Any) -> str:
    if "licence" not in table.values and default is not _REQUIRED:
        return cast("str", default)
    return table.matching("licence", _LICENCE, '"CC-BY-SA-4.0" (an SPDX identifier)')


def _rules(table: _Table, folder: Path) -> Rules:
    """The tables that are in force: the schemes are looked up in them."""
    from sejongud.rules import load

    path = table.path("rules", "")
    try:
        return load(folder / path if path else None)
    except RulesError as error:
        raise table.error("rules", str(error)) from None


def _split(table: _Table | None) -> Split | None:
    if table is None:
        return None
    by = cast("By", table.choice("by", _BY, "seed"))
    lists = {name: table.path(name) for name in SPLITS if name in table.values}
    if by == "ids":
        for key in ("seed", "seeds", "shares"):
            if key in table.values:
                raise table.error(key, 'a split by = "ids" is in the lists, and has none')
        if not lists:
            raise table.error("train", "is missing: name the file with the ids, one a line")
        return Split(by, (), SHARES, lists, table.choice("rest", SPLITS, ""))
    for key in (*SPLITS, "rest"):
        if key in table.values:
            raise table.error(key, f'lists of ids go with by = "ids", not "{by}"')
    return Split(by, _seeds(table), _shares(table))


def _seeds(table: _Table) -> tuple[int, ...]:
    if "seed" in table.values and "seeds" in table.values:
        raise table.error("seed", "there is seeds as well: write one of the two")
    key = "seed" if "seed" in table.values else "seeds"
    found: tuple[int, ...]
    if key == "seed":
        found = (table.number(key, "42", SEED),)
    else:
        found = table.items(key, int, "[41, 42, 43, 44, 45]", (SEED,))
    for seed in found:
        if not 0 <= seed <= _HIGHEST_SEED:
            raise table.error(key, f"{seed} will not do: a seed is from 0 to {_HIGHEST_SEED}")
    if len(set(found)) < len(found):
        raise table.error(key, "a seed is in the list twice")
    return found


def _shares(table: _Table) -> tuple[int, int, int]:
    found = table.items("shares", int, "[80, 10, 10]", SHARES)
    if len(found) != len(SPLITS) or sum(found) != 100 or min(found) < 0 or not found[0]:
        raise table.error(
            "shares",
            f"{list(found)} will not do: write the parts of train, dev and test in percent, 100 in"
            " all, as [80, 10, 10]",
        )
    train, dev, test = found
    return train, dev, test


def _outputs(table: _Table | None) -> tuple[Output, ...]:
    if table is None:
        return ()
    found = [Output(_WORDS)] if table.flag(_WORDS) else []
    for name in FORMATS:
        levels = table.items(name, int, "[1, 5]", ())
        if len(set(levels)) < len(levels) or not set(levels) <= set(LEVELS):
            raise table.error(name, f"{list(levels)} will not do: the levels are 1 to 5, each once")
        found += [Output(name, level) for level in sorted(levels)]
    if not found:
        raise table.error("", "nothing is to be written: name a format, as conllu = [1, 5]")
    return tuple(found)


def _corpora(
    table: _Table, split: Split, outputs: tuple[Output, ...], rules: Rules
) -> tuple[Corpus, ...]:
    found: list[Corpus] = []
    for number, values in enumerate(table.tables("inputs"), 1):
        name = values.get("name")
        shown = name if isinstance(name, str) and _NAME.fullmatch(name) else number
        own = _Table(table.recipe, f"inputs[{shown}]", values, _INPUT_KEYS)
        corpus = _corpus(own, split, outputs, rules)
        if corpus.name in [other.name for other in found]:
            raise own.error("name", f"there are two inputs {corpus.name}: give one another name")
        found.append(corpus)
    return tuple(found)


def _corpus(table: _Table, split: Split, outputs: tuple[Output, ...], rules: Rules) -> Corpus:
    name = _name(table)
    converter = table.choice("converter", list(CONVERTERS), CONVERT)
    corpus = Corpus(
        name=name,
        paths=_paths(table),
        converter=converter,
        format=table.text("format", ""),
        encoding=_encoding(table),
        morphemes=table.path("morphemes", ""),
        options=_options(table, converter),
        on_error=cast("OnError", table.choice("on_error", ON_ERROR, "stop")),
        split=_split(table.table("split", _SPLIT_KEYS)) or split,
        outputs=_outputs(table.table("outputs", _OUTPUT_KEYS)) or outputs,
        title=table.text("title", name),
        source=table.text("source", ""),
        licence=_licence(table, ""),
        licence_file=table.path("licence_file", ""),
    )
    _check(table, corpus, rules)
    return corpus


def _paths(table: _Table) -> tuple[str, ...]:
    if ("path" in table.values) == ("paths" in table.values):
        raise table.error(
            "path", 'write path = "…" for one file, or paths = ["…", "…"] for several'
        )
    if "path" in table.values:
        return (table.path("path"),)
    return tuple(
        [table.checked_path("paths", path) for path in table.items("paths", str, '["…", "…"]')]
    )


def _encoding(table: _Table) -> str | None:
    name = table.text("encoding", "")
    if not name:
        return None
    try:
        codecs.lookup(name)
    except LookupError:
        raise table.error(
            "encoding", f"there is no {name}; Korean files are utf-8, cp949 or utf-16"
        ) from None
    return name


def _options(table: _Table, converter: str) -> dict[str, Any]:
    known = CONVERTERS[converter]
    options = table.table("options", list(known))
    if options is None:
        return {}
    found: dict[str, Any] = {}
    for key in options.values:
        kind = known[key]
        if kind == _FLAG:
            found[key] = options.flag(key)
        elif kind == _TEXT:
            found[key] = options.text(key)
        else:
            found[key] = options.choice(key, kind, kind[0])
    return found


def _check(table: _Table, corpus: Corpus, rules: Rules) -> None:
    """See that what a table says fits together.

    Raises:
        RecipeError: it does not.
    """
    treebank = corpus.converter == WORD2MORPH
    if not corpus.outputs:
        raise table.error("outputs", "nothing is to be written: add [outputs] with conllu = [5]")
    formats = {output.format for output in corpus.outputs}
    if treebank and _IOB in formats:
        raise table.error(
            "outputs", "a treebank has no entities for iob: give it outputs of its own"
        )
    if not treebank and _WORDS in formats:
        raise table.error(
            "outputs", f"words are those of a treebank ({WORD2MORPH}): give it outputs of its own"
        )
    if "jsonl" in formats and "bound_marker" in corpus.options:
        raise table.error("outputs", "jsonl holds morphemes, and bound_marker changes their forms")
    if treebank and corpus.on_error != "stop":
        raise table.error("on_error", "a treebank whose sentences are no trees is not released")
    entities = corpus.converter in (EOJ2MORPH, SYL2MORPH)
    if corpus.morphemes and (not entities or len(corpus.paths) > 1):
        raise table.error("morphemes", "goes with one file of entities (ner eoj2morph, syl2morph)")
    _check_format(table, corpus, entities)
    _check_schemes(table, corpus, rules)


def _check_format(table: _Table, corpus: Corpus, entities: bool) -> None:
    from sejongud.formats import READERS, label_format

    if not corpus.format:
        return
    if corpus.converter == WORD2MORPH:
        raise table.error("format", "a treebank is CoNLL-U: leave it out")
    if not entities:
        table.choice("format", list(READERS), "")
        return
    name, _, settings = corpus.format.partition(":")
    try:
        label_format(name, settings)
    except UsageError as error:
        raise table.error("format", str(error)) from None


def _check_schemes(table: _Table, corpus: Corpus, rules: Rules) -> None:
    from sejongud.dependencies import DependencyConversion
    from sejongud.levels.cut import Granularity

    try:
        if corpus.converter == WORD2MORPH:
            DependencyConversion(
                "word2morph",
                scheme=corpus.options.get("scheme", "morphud"),
                upos=corpus.options.get("upos", ""),
                lemmas=corpus.lemmas,
                rules=None if rules.directory is None else str(rules.directory),
            ).make_splitter()
        Granularity(rules, 5, upos=corpus.upos, lemmas=corpus.lemmas)
    except UsageError as error:
        raise table.error("options", str(error)) from None
