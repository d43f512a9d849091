"""The linguistics, as tables: what the tags are, what they become, which lemma a morpheme has.

Every table is a file beside this one, `NAME.tsv`: UTF-8, tab-separated, lines that begin with `#`
are comments, the first other line names the columns, and every row has as many of them. What holds
lists and patterns is TOML. A directory of the user's own may be laid over them: in a file of the
same name a row replaces the row with the same key, and the others are added.

This module is their one loader. It checks every row and says of a bad one where it stands and how
to mend it. Tables are read when they are first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import RulesError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["UPOS", "Row", "Rules", "Symbols", "Tag", "load"]

if __name__ != "sejongud.rules":
    raise ImportError(
        f"this folder is the package sejongud.rules, not {__name__}: import sejongud.rules"
    )

UPOS = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
        *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
    )
)
"""The universal part-of-speech tags of UD v2."""

Row = Mapping[str, str]
"""One row of a table: column → value."""

_ANY = "*"
"""What a condition says that anything satisfies."""


class Tag(NamedTuple):
    """One tag of the tag set."""

    tag: str
    kind: str
    """What sort of morpheme it marks, a row of kinds.tsv: noun, verb, particle, ending …"""
    description: str


class Symbols(NamedTuple):
    """Which symbols are tokens of their own, and which belong to the word they stand in.

    A symbol is external unless one of the rules for internal ones holds (rules/symbols.toml).
    """

    external: frozenset[str]
    """Tags of the symbols that are external where nothing says otherwise."""
    between: tuple[tuple[frozenset[str], frozenset[str]], ...]
    """Pairs (neighbours, chars): internal if one of chars and both neighbours have such tags."""
    inside: re.Pattern[str]
    """Internal if it lies inside a match of this in the surface (URLs, e-mail addresses)."""
    abbreviation: re.Pattern[str]
    """Internal if it lies inside a match of this in the surface and the eojeol goes on behind it
    with something that is no symbol (`U.S.의`)."""


class _Schema(NamedTuple):
    """What a table looks like."""

    columns: Mapping[str, str | frozenset[str]]
    """Column → the check of its values, a method of `_Checker`, or the values there are. `A|B` in a
    column that is checked as `tags` stands for two rows that are alike but for that column."""
    key: tuple[str, ...]
    """The columns that make a row unique."""
    ordered: bool = False
    """Whether the first row that fits decides; the user's rows then come first."""


def _one_of(*values: str) -> frozenset[str]:
    return frozenset(values)


_SCHEMAS: Mapping[str, _Schema] = {
    "alignment": _Schema(
        {
            "name": "text",
            "underlying": "any",
            "surface": "any",
            "tags": "text",
            "follows": "any",
            "cost": "number",
            "weak": _one_of("", "yes"),
            "example": "any",
            "source": "any",
        },
        ("underlying", "surface", "tags", "follows"),
    ),
    "deprels": _Schema(
        {
            "scheme": "word",
            "head": "upos_choice",
            "by": _one_of("upos", "kind", "tag"),
            "dependent": "choice",
            "lemma": "word",
            "deprel": "word",
            "upos": "upos_if_any",
        },
        ("scheme", "head", "by", "dependent", "lemma"),
        ordered=True,
    ),
    "equivalents": _Schema({"char": "char", "as": "char", "name": "text"}, ("char",)),
    "final-symbols": _Schema({"char": "char", "tag": "tag", "note": "any"}, ("char",)),
    "heads": _Schema(
        {
            "rule": _one_of("morphemes", "word", "words"),
            "tagset": _one_of(_ANY, "sejong", "kaist"),
            "word": "upos_choice",
            "by": _one_of("upos", "kind"),
            "of": "choice",
            "pick": _one_of("first", "last"),
        },
        ("rule", "tagset", "word", "by", "of"),
        ordered=True,
    ),
    "kaist-tags": _Schema(
        {"tag": "word", "sejong": "tag", "kind": "kind", "morphud": "upos", "description": "text"},
        ("tag",),
    ),
    "kinds": _Schema({"kind": "word", "level": "level", "description": "text"}, ("kind",)),
    "kiwi-tags": _Schema(
        {
            "kiwi": "word",
            "sejong": "tag_or_same",
            "join": _one_of("", "before", "both"),
            "note": "any",
        },
        ("kiwi",),
    ),
    "lemmas": _Schema(
        {"scheme": "word", "form": "word", "tag": "tags", "lemma": "word", "note": "any"},
        ("scheme", "form", "tag"),
    ),
    "modu-tags": _Schema(
        {"modu": "tag", "sejong": "tag", "form": "any", "note": "any"}, ("sejong", "form")
    ),
    "ne-exclusion": _Schema(
        {
            "by": _one_of("kind", "tag"),
            "of": "choice",
            "step": "number",
            "upos": "upos",
            "note": "any",
        },
        ("by", "of"),
    ),
    "tag-typos": _Schema(
        {"tag": "word", "form": "word", "right": "tag", "source": "text"}, ("tag", "form")
    ),
    "tagset": _Schema({"tag": "word", "kind": "kind", "description": "text"}, ("tag",)),
    "ud-classes": _Schema(
        {
            "class": _one_of(
                *("content", "function", "feature", "leaf", "climbing", "undivided", "stem")
            ),
            "name": "word",
        },
        ("class", "name"),
    ),
    "upos": _Schema(
        {"tag": "tag", "sejong": "upos", "table3.1": "upos_v1", "ud": "upos"}, ("tag",)
    ),
    "upos-morphud": _Schema(
        {
            "tag": "tags",
            "word": "upos_choice",
            "has": "tag_or_any",
            "upos": "upos",
            "note": "any",
        },
        ("tag", "word", "has"),
        ordered=True,
    ),
    "upos-parts": _Schema(
        {
            "by": _one_of("kind", "tag"),
            "of": "choice",
            "alone": _one_of("", "yes"),
            "behind": "any",
            "note": "any",
        },
        ("by", "of"),
    ),
    "upos-words": _Schema(
        {
            "pattern": "text",
            "upos": "upos",
            "count": "any",
            "share": "any",
            "by_treebank": "any",
            "example": "any",
        },
        ("pattern",),
    ),
    "word-exceptions": _Schema(
        {"language": "word", "word": "word", "counts_as": "word"}, ("language", "word")
    ),
}
_SETTINGS = ("evalb", "sighan", "symbols")
"""The files in TOML."""


@dataclass(frozen=True)
class Rules:
    """The tables in force; made by `load`.

    Args:
        directory: the user's tables, laid over the package's own; None for those alone.
    """

    directory: Path | None = None
    _tables: dict[str, tuple[Row, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __reduce__(self) -> tuple[Callable[..., Rules], tuple[Path | None]]:
        # A worker process reads the tables itself, and once.
        return load, (self.directory,)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files, those in TOML as well, sorted."""
        return tuple(sorted((*_SCHEMAS, *_SETTINGS)))

    @property
    def toml_names(self) -> tuple[str, ...]:
        """The names of the files in TOML, which are no tables of rows."""
        return _SETTINGS

    def table(self, name: str) -> tuple[Row, ...]:
        """The rows of a table, checked, the user's laid over.

        Args:
            name: its name without the suffix, such as `lemmas`.

        Returns:
            The rows in order. `A|B` in a column of tags has become two rows.

        Raises:
            RulesError: there is no such table, or a row of it cannot be used.

        >>> load().table("final-symbols")[0]["tag"]
        'SF'
        """
        if name not in self._tables:
            if name not in _SCHEMAS:
                raise RulesError(f"no table {name!r}; there are: {', '.join(_SCHEMAS)}")
            self._tables[name] = self._load(name, _SCHEMAS[name])
        return self._tables[name]

    def settings(self, name: str) -> Mapping[str, Any]:
        """What a file in TOML says, the user's laid over key by key, in its tables entry by entry.

        Args:
            name: its name without the suffix, such as `symbols`.

        Raises:
            RulesError: there is no such file, or it is not TOML.

        >>> sorted(load().settings("symbols")["inside"])
        ['email', 'url']
        """
        if name not in _SETTINGS:
            raise RulesError(f"no settings {name!r}; there are: {', '.join(_SETTINGS)}")
        values = _parse_toml(self.text(name), f"rules/{_file_name(name)}")
        users = self.user_file(name)
        if users is not None:
            for key, value in _parse_toml(_user_text(users), str(users)).items():
                own = values.get(key)
                both = isinstance(own, dict) and isinstance(value, dict)
                values[key] = own | value if both else value
        return values

    def text(self, name: str) -> str:
        """One of the package's own files, comments and all.

        Args:
            name: as in `names`.
        """
        return _own_file(name).read_text(encoding="utf-8")

    def user_file(self, name: str) -> Path | None:
        """The user's file that is laid over one of the package's; None where there is none.

        Args:
            name: as in `names`.
        """
        if self.directory is None:
            return None
        path = self.directory / _file_name(name)
        return path if path.is_file() else None

    @cached_property
    def tags(self) -> Mapping[str, Tag]:
        """The Sejong tag set with what corpora in its tradition add: tag → Tag."""
        return {row["tag"]: Tag(*row.values()) for row in self.table("tagset")}

    @cached_property
    def unknown_tag(self) -> str:
        """The tag of an eojeol whose analysis cannot be used: the first of kind unknown."""
        return next(tag.tag for tag in self.tags.values() if tag.kind == "unknown")

    @cached_property
    def nearest(self) -> Mapping[str, str]:
        """KAIST tag → the nearest Sejong tag.

        >>> load().nearest["jcs"]
        'JKS'
        """
        return {row["tag"]: row["sejong"] for row in self.table("kaist-tags")}

    @cached_property
    def _kinds(self) -> Mapping[str, str]:
        rows = (*self.table("kaist-tags"), *self.table("tagset"))
        return {row["tag"]: row["kind"] for row in rows}

    def kind(self, tag: str) -> str:
        """The kind of a tag of the Sejong or the KAIST tag set; "" for any other.

        >>> load().kind("JKS"), load().kind("jcs"), load().kind("JKSS")
        ('particle', 'particle', '')
        """
        return self._kinds.get(tag, "")

    @cached_property
    def cut_level(self) -> Mapping[str, int]:
        """Tag → the lowest level at which a morpheme with that tag is a word of its own.

        That of an unknown tag is the highest level, 5, and so is that of an internal symbol,
        whatever its tag (see `symbols`). Memoir, ch. 2, Figure 2.7.

        >>> load().cut_level["JX"]
        3
        """
        levels = {row["kind"]: int(row["level"]) for row in self.table("kinds")}
        return {tag: levels[kind] for tag, kind in self._kinds.items()}

    @cached_property
    def upos(self) -> Mapping[str, Mapping[str, str]]:
        """Scheme → tag → UPOS; a KAIST tag has that of its nearest Sejong tag.

        >>> load().upos["table3.1"]["MAJ"], load().upos["sejong"]["MAJ"]
        ('CONJ', 'CCONJ')
        """
        rows = self.table("upos")
        schemes = {
            scheme: {row["tag"]: row[scheme] for row in rows}
            for scheme in _SCHEMAS["upos"].columns
            if scheme != "tag"
        }
        for by_tag in schemes.values():
            nearest = {tag: by_tag[sejong] for tag, sejong in self.nearest.items()}
            by_tag.update(nearest)
        return schemes

    @cached_property
    def lemmas(self) -> Mapping[str, Mapping[tuple[str, str], str]]:
        """Scheme → (form, tag) → lemma; the lemma of every other morpheme is its form.

        In the scheme `form`, which has no rows, that of every morpheme is. A scheme that has no
        KAIST tags of its own has them by their nearest Sejong tags.

        >>> load().lemmas["normalised"]["ㄴ", "ETM"]
        '은'
        """
        lemmas: dict[str, dict[tuple[str, str], str]] = {"form": {}}
        for row in self.table("lemmas"):
            lemmas.setdefault(row["scheme"], {})[row["form"], row["tag"]] = row["lemma"]
        near: dict[str, list[str]] = {}
        for tag, sejong in self.nearest.items():
            near.setdefault(sejong, []).append(tag)
        for scheme in lemmas.values():
            if not any(tag in self.nearest for _, tag in scheme):
                scheme |= {
                    (form, other): lemma
                    for (form, tag), lemma in scheme.items()
                    for other in near.get(tag, ())
                }
        return lemmas

    @cached_property
    def typos(self) -> Mapping[tuple[str, str], str]:
        """(tag, form, or `*` for any form) → the right tag."""
        return {(row["tag"], row["form"]): row["right"] for row in self.table("tag-typos")}

    @cached_property
    def equivalents(self) -> Mapping[str, str]:
        """Character → the character it counts as when a form and its analysis are compared.

        >>> load().equivalents["”"]
        '"'
        """
        return {row["char"]: row["as"] for row in self.table("equivalents")}

    @cached_property
    def final_symbols(self) -> Mapping[str, str]:
        """Character → the tag of the symbol, where a form ends in it and its analysis does not.

        >>> load().final_symbols["．"]
        'SF'
        """
        tags = {row["char"]: row["tag"] for row in self.table("final-symbols")}
        same = {char: tags[other] for char, other in self.equivalents.items() if other in tags}
        return same | tags

    @cached_property
    def symbols(self) -> Symbols:
        """Which symbols are external, which internal.

        Raises:
            RulesError: symbols.toml lacks something, or has it as something else than it should be.
        """
        values = self.settings("symbols")
        try:
            return _symbols(values, self._kinds)
        except (KeyError, TypeError, ValueError, re.error) as error:
            path = self.user_file("symbols") or f"rules/{_file_name('symbols')}"
            what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
            message = f"{what}: the comments in the package's own symbols.toml say what it holds"
            raise RulesError(message, path=str(path)) from None

    def _load(self, name: str, schema: _Schema) -> tuple[Row, ...]:
        checker = _Checker(self, schema)
        lines = _read(self.text(name), f"rules/{_file_name(name)}", schema, checker)
        users = self.user_file(name)
        if users is not None:
            others = _read(_user_text(users), str(users), schema, checker)
            lines = others | lines if schema.ordered else lines
            lines = lines | others
        return tuple(lines.values())


_Rows = dict[object, Row]
"""The rows of a table by their keys."""


def _read(text: str, path: str, schema: _Schema, checker: _Checker) -> _Rows:
    """The rows of a table: as many columns as its header, every value legal, every key once."""
    columns = list(schema.columns)
    wanted = f"{', '.join(columns)}, with a tab between"
    lines = [
        (number, line.removesuffix("\r"))
        for number, line in enumerate(text.split("\n"), 1)
        if line and not line.startswith(("#", "\r"))
    ]
    if not lines:
        raise RulesError(f"no header line: {wanted}", path=path)
    table: list[dict[str, str]] = []
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(columns):
            message = f"{len(cells)} columns where there should be {len(columns)}: {wanted}"
            raise RulesError(message, path=path, line=number, text=line)
        table.append(dict(zip(columns, cells, strict=True)))
    header = table.pop(0)
    number, line = lines.pop(0)
    if list(header.values()) != columns:
        message = f"the columns of this table are {wanted}"
        raise RulesError(message, path=path, line=number, text=line)
    for index, column, message in checker.faults(table):
        number, line = lines[index]
        at = sum(len(cell) + 1 for cell in line.split("\t")[: columns.index(column)]) + 1
        raise RulesError(message, path=path, line=number, column=at, text=line)
    many = [column for column, check in schema.columns.items() if check == "tags"]
    key_of = itemgetter(*schema.key)
    rows: _Rows = {}
    numbers: list[int] = []
    for (number, line), row in zip(lines, table, strict=True):
        for one in _expanded(row, many) if many else (row,):
            key = key_of(one)
            if key in rows:
                first = numbers[list(rows).index(key)]
                shown = " ".join([one[column] for column in schema.key])
                message = f"{shown} is in line {first} already: take one of them out"
                raise RulesError(message, path=path, line=number, text=line)
            rows[key] = one
            numbers.append(number)
    return rows


def _expanded(row: dict[str, str], columns: list[str]) -> list[dict[str, str]]:
    """A row for each of the values that `|` joins in these columns."""
    rows = [row]
    for column in columns:
        if "|" in row[column]:
            rows = [{**one, column: value} for one in rows for value in row[column].split("|")]
    return rows


_Check = Callable[[str, Row], str]
"""(value, its row) → what the value should be, "" if it is that."""


class _Checker:
    """Checks the values of a row, a method a check."""

    def __init__(self, rules: Rules, schema: _Schema) -> None:
        self._rules = rules
        self._checks: list[tuple[str, _Check]] = [
            (column, self._values(check) if isinstance(check, frozenset) else self._named(check))
            for column, check in schema.columns.items()
            if check != "any"
        ]

    def faults(self, table: Sequence[Row]) -> Iterator[tuple[int, str, str]]:
        """Which row has which column wrong, and how to mend it."""
        for column, check in self._checks:
            good: set[str] = set()
            for index, row in enumerate(table):
                value = row[column]
                if value in good:
                    continue
                wanted = check(value, row)
                if wanted:
                    yield index, column, f"{column} is {value!r}; it should be {wanted}"
                elif check != self._choice:
                    good.add(value)

    def _named(self, check: str) -> _Check:
        found: _Check = getattr(self, f"_{check}")
        return found

    @staticmethod
    def _values(values: frozenset[str]) -> _Check:
        shown = " or ".join(value or "empty" for value in sorted(values))
        return lambda value, row: "" if value in values else shown

    def _text(self, value: str, row: Row) -> str:
        return "" if value and not value.isspace() else "something, not empty"

    def _word(self, value: str, row: Row) -> str:
        return "" if value.split() == [value] else "something without a space"

    def _char(self, value: str, row: Row) -> str:
        return "" if len(value) == 1 else "one character"

    def _number(self, value: str, row: Row) -> str:
        return "" if value.isascii() and value.isdigit() else "a number"

    def _level(self, value: str, row: Row) -> str:
        return "" if value in {"1", "2", "3", "4", "5"} else "a level, 1 to 5"

    def _kind(self, value: str, row: Row) -> str:
        kinds = [kind["kind"] for kind in self._rules.table("kinds")]
        return "" if value in kinds else f"a kind of kinds.tsv: {', '.join(kinds)}"

    def _tag(self, value: str, row: Row) -> str:
        return "" if value in self._rules.tags else "a tag of tagset.tsv"

    def _tag_or_same(self, value: str, row: Row) -> str:
        return "" if value == "=" else self._tag(value, row)

    def _tag_or_any(self, value: str, row: Row) -> str:
        known = value == _ANY or self._rules.kind(value)
        return "" if known else "a tag of tagset.tsv or kaist-tags.tsv"

    def _tags(self, value: str, row: Row) -> str:
        return next((bad for tag in value.split("|") if (bad := self._tag_or_any(tag, row))), "")

    def _upos(self, value: str, row: Row) -> str:
        return "" if value in UPOS else f"one of {' '.join(sorted(UPOS))}"

    def _upos_v1(self, value: str, row: Row) -> str:
        return "" if value == "CONJ" else self._upos(value, row)

    def _upos_if_any(self, value: str, row: Row) -> str:
        return self._upos(value, row) if value else ""

    def _upos_choice(self, value: str, row: Row) -> str:
        if value == _ANY:
            return ""
        return next((bad for upos in value.split("|") if (bad := self._upos(upos, row))), "")

    def _choice(self, value: str, row: Row) -> str:
        """A choice of what the column `by` says: kinds, UPOS or tags."""
        if value in (_ANY, "="):
            return ""
        check = getattr(self, {"upos": "_upos", "kind": "_kind", "tag": "_tags"}[row["by"]])
        values = value.removeprefix("!").split("|")
        return next((bad for one in values if (bad := check(one, row))), "")


def _symbols(values: Mapping[str, Any], known: Mapping[str, str]) -> Symbols:
    unknown = [tag for tag in values["external"] if tag not in known]
    if unknown:
        raise ValueError(f"external: no tag {', '.join(unknown)} in tagset.tsv or kaist-tags.tsv")
    return Symbols(
        external=frozenset(values["external"]),
        between=tuple(
            (frozenset(rule["neighbours"]), frozenset(rule["chars"]))
            for rule in values["between"].values()
        ),
        inside=re.compile("|".join(f"(?:{pattern})" for pattern in values["inside"].values())),
        abbreviation=re.compile(values["abbreviation"]),
    )


def _file_name(name: str) -> str:
    return f"{name}.toml" if name in _SETTINGS else f"{name}.tsv"


def _own_file(name: str) -> Traversable:
    from importlib.resources import files

    return files(__name__) / _file_name(name)


def _user_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (byte {error.start}): save the file as UTF-8"
        raise RulesError(message, path=str(path)) from None
    except OSError as error:
        raise RulesError(f"cannot be read: {error.strerror}", path=str(path)) from None


def _parse_toml(text: str, path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\(at line (\d+)", str(error))
        line = int(where[1]) if where else 0
        raise RulesError(f"not TOML: {error}", path=path, line=line) from None


def load(directory: str | Path | None = None) -> Rules:
    """The tables, with the user's own laid over; the same object for the same directory.

    Args:
        directory: the user's tables; every file in it has the name of one of the package's.

    Returns:
        The rules. The user's tables are all checked here, the package's when they are first used.

    Raises:
        RulesError: no such directory, a file in it that is no table, or a row that cannot be used.
    """
    return _load(None if directory is None else Path(directory).resolve())


@lru_cache(maxsize=8)
def _load(directory: Path | None) -> Rules:
    rules = Rules(directory)
    if directory is None:
        return rules
    if not directory.is_dir():
        raise RulesError("no such directory of tables", path=str(directory))
    known = {_file_name(name): name for name in rules.names}
    for path in sorted(directory.iterdir()):
        if path.name.startswith("."):
            continue
        name = known.get(path.name)
        if name is None:
            raise RulesError(f"not the name of a table: {', '.join(known)}", path=str(path))
        if name in _SCHEMAS:
            rules.table(name)
        else:
            rules.settings(name)
    _ = rules.symbols
    return rules
