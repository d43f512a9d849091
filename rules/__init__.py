"""The linguistics, as tables: what the tags are, what they become, which lemma a morpheme has.

Every table is a file beside this one, `NAME.tsv`: UTF-8, tab-separated, lines that begin with `#`
are comments, the first other line names the columns, and every row has as many of them. Lists and
patterns are in TOML files. A directory of the user's own may be laid over them: in a file of the
same name a row replaces the row with the same key, and the others are added.

`load` is their one loader. Every row is checked (`sejongud.rules.tables`); the error of a bad row
says where it stands and how to mend it. Tables are read when they are first asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import RulesError
from sejongud.rules.bounded import BoundedPattern
from sejongud.rules.tables import SCHEMAS, SETTINGS, UPOS, Row, check_settings, read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["UPOS", "Row", "Rules", "Symbols", "Tag", "digest", "load"]

if __name__ != "sejongud.rules":
    raise ImportError(
        f"this folder is the package sejongud.rules, not {__name__}: import sejongud.rules"
    )


class Tag(NamedTuple):
    """One tag of the tag set."""

    tag: str
    kind: str
    """The sort of morpheme it marks, a row of kinds.tsv: noun, verb, particle, ending …"""
    description: str


class Symbols(NamedTuple):
    """The symbols that are tokens of their own, and those that belong to their word.

    A symbol is external unless one of the rules for internal ones holds (rules/symbols.toml).
    """

    external: frozenset[str]
    """Tags of the symbols that are external where nothing says otherwise."""
    between: tuple[tuple[frozenset[str], frozenset[str]], ...]
    """Pairs (neighbours, chars): internal if one of chars and both neighbours have such tags."""
    inside: re.Pattern[str] | BoundedPattern
    """Internal if it lies inside a match of this in the surface (URLs, e-mail addresses)."""
    abbreviation: re.Pattern[str] | BoundedPattern
    """Internal if it lies inside a match of this in the surface and the eojeol goes on behind it
    with something that is no symbol (`U.S.의`)."""


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
        return tuple(sorted((*SCHEMAS, *SETTINGS)))

    @property
    def toml_names(self) -> tuple[str, ...]:
        """The names of the files in TOML, which are no tables of rows."""
        return tuple(SETTINGS)

    def table(self, name: str) -> tuple[Row, ...]:
        """Return the rows of a table, checked, with the user's laid over.

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
            if name not in SCHEMAS:
                raise RulesError(f"no table {name!r}; there are: {', '.join(SCHEMAS)}")
            self._tables[name] = self._load(name)
        return self._tables[name]

    def settings(self, name: str) -> Mapping[str, Any]:
        """Return the values of a file in TOML.

        The user's values are laid over key by key, in its tables entry by entry.

        Args:
            name: its name without the suffix, such as `symbols`.

        Raises:
            RulesError: there is no such file, it is not TOML, or a value has another type.

        >>> sorted(load().settings("symbols")["inside"])
        ['email', 'url']
        """
        if name not in SETTINGS:
            raise RulesError(f"no settings {name!r}; there are: {', '.join(SETTINGS)}")
        values, *users = [
            _parse_toml(text, path, SETTINGS[name]) for path, text in self.sources(name)
        ]
        for key, value in [item for others in users for item in others.items()]:
            own = values.get(key)
            both = isinstance(own, dict) and isinstance(value, dict)
            values[key] = own | value if both else value
        return values

    def text(self, name: str) -> str:
        """Return the text of one of the package's own files, with its comments.

        Args:
            name: as in `names`.
        """
        return Path(__file__).with_name(_file_name(name)).read_text(encoding="utf-8")

    def sources(self, name: str) -> list[tuple[str, str]]:
        """Return the paths, for messages, and the texts of a package's file and of the user's.

        Args:
            name: as in `names`.

        Raises:
            RulesError: the user's file cannot be read.
        """
        users = self.user_file(name)
        own = (f"rules/{_file_name(name)}", self.text(name))
        return [own] if users is None else [own, (str(users), _user_text(users))]

    def user_file(self, name: str) -> Path | None:
        """Return the path of the user's file that is laid over a table; None if there is none.

        Args:
            name: as in `names`.

        Raises:
            RulesError: there is something of its name, which is no regular file.
        """
        if self.directory is None:
            return None
        path = self.directory / _file_name(name)
        if not path.exists() and not path.is_symlink():
            return None
        if not path.is_file():
            kind = "folder" if path.is_dir() else "broken link" if path.is_symlink() else "device"
            kind = "pipe" if path.is_fifo() else kind
            message = f"a table is a regular file, and this is a {kind}: replace it or take it out"
            raise RulesError(message, path=str(path))
        return path

    @cached_property
    def tags(self) -> Mapping[str, Tag]:
        """The Sejong tag set with what corpora in its tradition add: tag → Tag."""
        return {row["tag"]: Tag(*row.values()) for row in self.table("tagset")}

    @cached_property
    def standard(self) -> Mapping[str, str]:
        """Tag that the NIKL corpora add to the Sejong tag set → the nearest tag of the set.

        >>> load().standard["MMD"]
        'MM'
        """
        rows = self.table("modu-tags")
        return {row["modu"]: row["sejong"] for row in rows if row["modu"] != row["sejong"]}

    @cached_property
    def unknown_tag(self) -> str:
        """The tag of an eojeol whose analysis cannot be used: the first of kind unknown."""
        return next(tag.tag for tag in self.tags.values() if tag.kind == "unknown")

    @cached_property
    def nearest(self) -> Mapping[str, str]:
        """Tag of the KAIST or the Penn Korean tag set → the nearest Sejong tag.

        >>> load().nearest["jcs"], load().nearest["PAU"]
        ('JKS', 'JX')
        """
        rows = (*self.table("kaist-tags"), *self.table("penn-tags"))
        return {row["tag"]: row["sejong"] for row in rows}

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Tag of the Sejong, KAIST or Penn Korean tag set → its kind."""
        rows = (*self.table("kaist-tags"), *self.table("penn-tags"), *self.table("tagset"))
        return {row["tag"]: row["kind"] for row in rows}

    def kind(self, tag: str) -> str:
        """Return the kind of a tag of the Sejong, KAIST or Penn Korean tag set; "" for any other.

        >>> load().kind("JKS"), load().kind("jcs"), load().kind("JKSS")
        ('particle', 'particle', '')
        """
        return self.kinds.get(tag, "")

    @cached_property
    def _pud_alone(self) -> frozenset[str]:
        """The tags of UD_Korean-PUD that are in no other tag set."""
        return frozenset(self._pud.keys() - self.kinds.keys())

    @cached_property
    def _pud(self) -> Mapping[str, str]:
        return {row["tag"]: row["sejong"] for row in self.table("pud-tags")}

    def of_treebank(self, tags: Sequence[str]) -> Sequence[str]:
        """Return the tags of a word, Sejong's instead of those of UD_Korean-PUD.

        A word has tags of PUD if one of them is in no other tag set (rules/pud-tags.tsv).

        >>> load().of_treebank(["JX", "QP"]), load().of_treebank(["NNG", "JX"])
        (['VX', 'JKQ'], ['NNG', 'JX'])
        """
        if self._pud_alone.isdisjoint(tags):
            return tags
        return [self._pud.get(tag, tag) for tag in tags]

    @cached_property
    def cut_level(self) -> Mapping[str, int]:
        """Tag → the lowest level at which a morpheme with that tag is a word of its own.

        The level of an unknown tag is 5, the highest, and so is the level of an internal symbol,
        whatever its tag (see `symbols`). Memoir, ch. 2, Figure 2.7.

        >>> load().cut_level["JX"]
        3
        """
        levels = {row["kind"]: int(row["level"]) for row in self.table("kinds")}
        return {tag: levels[kind] for tag, kind in self.kinds.items()}

    @cached_property
    def treebank_level(self) -> Mapping[str, int]:
        """Like `cut_level`, with the tags of UD_Korean-PUD (rules/pud-tags.tsv)."""
        own = self.cut_level
        return {**{tag: own[sejong] for tag, sejong in self._pud.items()}, **own}

    @cached_property
    def upos(self) -> Mapping[str, Mapping[str, str]]:
        """Scheme → tag → UPOS; a tag of another tag set has that of its nearest Sejong tag.

        >>> load().upos["table3.1"]["MAJ"], load().upos["sejong"]["MAJ"]
        ('CONJ', 'CCONJ')
        """
        rows = self.table("upos")
        schemes = {
            scheme: {row["tag"]: row[scheme] for row in rows}
            for scheme in SCHEMAS["upos"].columns
            if scheme != "tag"
        }
        for by_tag in schemes.values():
            nearest = {tag: by_tag[sejong] for tag, sejong in self.nearest.items()}
            by_tag.update(nearest)
        return schemes

    @cached_property
    def lemmas(self) -> Mapping[str, Mapping[tuple[str, str], str]]:
        """Scheme → (form, tag) → lemma; the lemma of every other morpheme is its form.

        The scheme `form` has no rows, so the lemma of every morpheme is its form. In a scheme
        without tags of other tag sets, they count as their nearest Sejong tags.

        >>> load().lemmas["normalised"]["ㄴ", "ETM"]
        '은'
        """
        lemmas: dict[str, dict[tuple[str, str], str]] = {"form": {}}
        for row in self.table("lemmas"):
            name, form, tag, lemma, _ = row.values()
            lemmas.setdefault(name, {})[form, tag] = lemma
        near: dict[str, list[str]] = {}
        for tag, sejong in self.nearest.items():
            near.setdefault(sejong, []).append(tag)
        for scheme in lemmas.values():
            if self.nearest.keys().isdisjoint([tag for _, tag in scheme]):
                scheme |= {
                    (form, other): lemma
                    for (form, tag), lemma in scheme.items()
                    if tag in near
                    for other in near[tag]
                }
        return lemmas

    @cached_property
    def lemmas_behind(self) -> Mapping[str, Mapping[tuple[str, str, str, str], str]]:
        """Scheme → (form and tag of the morpheme before, form, tag) → lemma."""
        lemmas: dict[str, dict[tuple[str, str, str, str], str]] = {}
        for row in self.table("lemmas-behind"):
            for before in row["behind"].split("|"):
                form, _, tag = before.rpartition("/")
                key = form, tag, row["form"], row["tag"]
                lemmas.setdefault(row["scheme"], {})[key] = row["lemma"]
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
        """Character → its tag, for symbols that end a form and may be missing in its analysis.

        >>> load().final_symbols["．"]
        'SF'
        """
        tags = {row["char"]: row["tag"] for row in self.table("final-symbols")}
        same = {char: tags[other] for char, other in self.equivalents.items() if other in tags}
        return same | tags

    @cached_property
    def symbols(self) -> Symbols:
        """The rules that tell external symbols from internal ones.

        Raises:
            RulesError: symbols.toml lacks a key, or a value cannot be used.
        """
        values = self.settings("symbols")
        shape = SETTINGS["symbols"]
        users = [_parse_toml(text, path, shape) for path, text in self.sources("symbols")[1:]]
        try:
            return _symbols(values, self.kinds, self._compiler(users))
        except (KeyError, ValueError, OverflowError, RecursionError, re.error) as error:
            path, _ = self.sources("symbols")[-1]
            what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
            message = f"{what}: the comments in the package's own symbols.toml say what it holds"
            raise RulesError(message, path=path) from None

    def _compiler(
        self, users: list[dict[str, Any]]
    ) -> Callable[[str, str], re.Pattern[str] | BoundedPattern]:
        """Return the function that compiles the pattern of a key of symbols.toml.

        Args:
            users: the values of the user's file, if there is one.
        """

        def compiled(key: str, pattern: str) -> re.Pattern[str] | BoundedPattern:
            checked = re.compile(pattern)
            own = [values[key] for values in users if key in values]
            if not own:
                return checked
            path = str(self.user_file("symbols"))
            keys = [f"{key}.{name}" for name in own[0]] if isinstance(own[0], dict) else [key]
            return BoundedPattern(pattern, keys, path)

        return compiled

    def _load(self, name: str) -> tuple[Row, ...]:
        """Return the rows of a table, with the user's laid over."""
        schema = SCHEMAS[name]
        lines: dict[object, Row] = {}
        for path, text in self.sources(name):
            others = read_table(text, path, schema, self.table)
            lines = (others | lines if schema.ordered else lines) | others
        return tuple(lines.values())


def _symbols(
    values: Mapping[str, Any],
    known: Mapping[str, str],
    compiled: Callable[[str, str], re.Pattern[str] | BoundedPattern],
) -> Symbols:
    unknown = [tag for tag in values["external"] if tag not in known]
    if unknown:
        raise ValueError(
            f"external: no tag {', '.join(unknown)} in tagset.tsv, kaist-tags.tsv or penn-tags.tsv"
        )
    return Symbols(
        external=frozenset(values["external"]),
        between=tuple(
            (frozenset(rule["neighbours"]), frozenset(rule["chars"]))
            for rule in values["between"].values()
        ),
        inside=compiled(
            "inside", "|".join(f"(?:{pattern})" for pattern in values["inside"].values())
        ),
        abbreviation=compiled("abbreviation", values["abbreviation"]),
    )


def _file_name(name: str) -> str:
    return f"{name}.toml" if name in SETTINGS else f"{name}.tsv"


def _user_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (byte {error.start}): save the file as UTF-8"
        raise RulesError(message, path=str(path)) from None
    except OSError as error:
        raise RulesError(f"cannot be read: {error.strerror}", path=str(path)) from None


def _parse_toml(text: str, path: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    import tomllib

    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # A number may have too many digits.
        where = re.search(r"\(at line (\d+)", str(error))
        line = int(where[1]) if where else 0
        raise RulesError(f"not TOML: {error}", path=path, line=line) from None
    check_settings(values, shape, path)
    return values


def load(directory: str | Path | None = None) -> Rules:
    """Load the tables, with the user's own laid over; the same object for the same directory.

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
        if name in SCHEMAS:
            rules.table(name)
        else:
            rules.settings(name)
    _ = rules.symbols
    return rules


def digest() -> str:
    """Return the first twelve digits of the SHA-256 of the package's own tables."""
    import hashlib

    folder = Path(__file__).parent
    tables = sorted(map(_file_name, (*SCHEMAS, *SETTINGS)))
    return hashlib.sha256(b"".join([(folder / t).read_bytes() for t in tables])).hexdigest()[:12]
