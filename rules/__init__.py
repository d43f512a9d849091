"""The linguistics, as tables: what the tags are, what they become, which lemma a morpheme has.

Every table is a file beside this one, `NAME.tsv`: UTF-8, tab-separated, lines that begin with `#`
are comments, the first other line names the columns, and every row has as many of them. Lists and
patterns are in TOML files. A directory of the user's own may be laid over them: in a file of the
same name a row replaces the row with the same key, and the others are added. A user's table with
the line `#!replace` above its header stands alone; where that is tagset.tsv or kinds.tsv, the rows
of the other tables of the package that name a tag or a kind which is gone are gone as well.

`load` is their one loader. Every row is checked (`sejongud.rules.tables`); the error of a bad row
says where it stands and how to mend it. Tables are read when they are first asked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import RulesError
from sejongud.memo import Memo, lazy_pattern
from sejongud.rules.bounded import BoundedPattern, fits
from sejongud.rules.tables import (
    ANY,
    SCHEMAS,
    SETTINGS,
    UPOS,
    Cells,
    Row,
    located,
    read_settings,
    read_table,
    stands_alone,
    user_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set

    from sejongud.model import Morpheme

__all__ = ["UPOS", "Row", "Rules", "Symbols", "Tag", "digest", "load"]

if __name__ != "sejongud.rules":
    raise ImportError(
        f"this folder is the package sejongud.rules, not {__name__}: import sejongud.rules"
    )


_tag = itemgetter(1)
_NAMED = ("tagset", "kinds")
"""The tables whose rows other tables name."""
_REMEMBERED = 20_000


class Tag(NamedTuple):
    """One tag of the tag set."""

    tag: str
    kind: str
    """The sort of morpheme it marks, a row of kinds.tsv: noun, verb, particle, ending …"""
    description: str


class Symbols(NamedTuple):
    """The symbols that are tokens of their own, and those that belong to their word.

    A symbol is external unless one of the rules for internal ones holds (rules/symbols.tsv).
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


class _Lemmas(dict[tuple[str, str], str]):
    """(form, tag) → lemma; `get` finds that of a tag of another set by its Sejong tag."""

    __slots__ = ("_forms", "_rules")

    def __init__(self, rows: Mapping[tuple[str, str], str], rules: Rules) -> None:
        super().__init__(rows)
        self._forms = {form for form, _ in rows}
        self._rules = rules

    def get(self, key: tuple[str, str], default: Any = None) -> Any:
        """Return the lemma of a form and a tag of any set."""
        if key in self or key[0] not in self._forms:
            return super().get(key, default)
        return super().get((key[0], self._rules.sejong_tag(*key)), default)


class Rules:
    """The tables in force; made by `load`.

    Args:
        directory: the user's tables, laid over the package's own; None for those alone.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory
        self._tables: dict[str, tuple[Row, ...]] = {}
        self._cells: dict[str, Sequence[Cells]] = {}

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

    def table(self, name: str, **where: str) -> tuple[Row, ...]:
        """Return the rows of a table, checked, with the user's laid over.

        Args:
            name: its name without the suffix, such as `lemmas`.
            where: column → value; of the rows only those with these values are returned.

        Returns:
            The rows in order. `A|B` in a column of tags has become two rows.

        Raises:
            RulesError: there is no such table, or a row of it cannot be used.

        >>> load().table("final-symbols")[0]["tag"]
        'SF'
        """
        if name not in self._tables:
            cells = self.cells(name)
            columns = SCHEMAS[name].columns
            self._tables[name] = tuple([dict(zip(columns, row, strict=True)) for row in cells])
        rows = self._tables[name]
        for column, value in where.items():
            rows = tuple([row for row in rows if row[column] == value])
        return rows

    def cells(self, name: str) -> Sequence[Cells]:
        """Return the values of the rows of a table, as `table` does; long tables are read faster.

        >>> load().cells("final-symbols")[0][:2]
        ('.', 'SF')
        """
        if name not in self._cells:
            if name not in SCHEMAS:
                raise RulesError(f"no table {name!r}; there are: {', '.join(SCHEMAS)}")
            self._cells[name] = self._load(name)
        return self._cells[name]

    def first_row(self, name: str, column: str, value: str) -> Row:
        """Return the first row of a table that has a value in a column.

        Raises:
            RulesError: there is none.
        """
        for row in self.table(name):
            if row[column] == value:
                return row
        message = f"{name}.tsv needs a row of {column} {value}"
        raise RulesError(message, path=self.sources(name)[-1][0])

    @cached_property
    def ud_classes(self) -> Mapping[str, Set[str]]:
        """Class of ud-classes.tsv → the names in it, none for a class without rows."""
        classes: defaultdict[str, set[str]] = defaultdict(set)
        for row in self.table("ud-classes"):
            classes[row["class"]].add(row["name"])
        return classes

    @cached_property
    def permitted(self) -> Mapping[tuple[str, str], Set[str]]:
        """Feature and value → the UPOS that may have it (rules/feats-ud.tsv)."""
        return {
            (feature, value): UPOS if upos == ANY else {*upos.split("|")}
            for feature, value, upos in self.cells("feats-ud")
        }

    def settings(self, name: str) -> Mapping[str, Any]:
        """Return the values of a file in TOML.

        The user's values are laid over key by key, in its tables entry by entry.

        Args:
            name: its name without the suffix, such as `sighan`.

        Raises:
            RulesError: there is no such file, it is not TOML, or a value has another type.

        >>> load().settings("sighan")["phrase_labels"][:2]
        ['S', 'VP']
        """
        if name not in SETTINGS:
            raise RulesError(f"no settings {name!r}; there are: {', '.join(SETTINGS)}")
        values, *users = [
            read_settings(text, path, SETTINGS[name]) for path, text in self.sources(name)
        ]
        for key, value in [item for values_of_user in users for item in values_of_user.items()]:
            shipped = values.get(key)
            are_tables = isinstance(shipped, dict) and isinstance(value, dict)
            values[key] = shipped | value if are_tables else value
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

        Returns:
            The package's and the user's; the user's alone if it replaces the table.

        Raises:
            RulesError: the user's file cannot be read, or is marked by another word.
        """
        users = self.user_file(name)
        laid = [] if users is None else [(str(users), user_text(users))]
        if laid and stands_alone(laid[0][1], laid[0][0], name):
            return laid
        return [(f"rules/{_file_name(name)}", self.text(name)), *laid]

    @cached_property
    def replaces_tags(self) -> bool:
        """Whether the user's tags or kinds replace those that the package's tables name."""
        return any([len(self.sources(name)) == 1 for name in _NAMED if self.user_file(name)])

    def leaves_out(self, name: str, path: str) -> bool:
        """Return whether rows of a file that name a tag or a kind which is gone are left out.

        Args:
            name: the table.
            path: one of the paths of its `sources`.
        """
        return self.replaces_tags and path != str(self.user_file(name))

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
        self.first_row("kinds", "kind", "unknown")
        return self.first_row("tagset", "kind", "unknown")["tag"]

    @cached_property
    def _of_other_sets(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Tag of another tag set → patterns of forms, each with the Sejong tag for these forms."""
        choices: dict[str, list[tuple[str, str]]] = {}
        for name in ("kaist-tags", "pud-tags", "penn-tags", "mecab-tags", "kkma-tags"):
            for row in self.table(name):
                if row["tag"] != row["sejong"]:
                    choices.setdefault(row["tag"], []).append((row["form"], row["sejong"]))
        for row in self.table("kiwi-tags"):
            if row["sejong"] in self.tags and row["kiwi"] not in self.tags:
                choices.setdefault(row["kiwi"], []).append((ANY, row["sejong"]))
        return choices

    @cached_property
    def tags_by_form(self) -> frozenset[str]:
        """The tags of other tag sets whose Sejong tag hangs on the form."""
        rows = self._of_other_sets.items()
        return frozenset([tag for tag, choices in rows if choices[0][0] != ANY])

    @cached_property
    def are_sejong(self) -> Callable[[Iterable[str]], bool]:
        """Whether all of some tags are Sejong tags, or unknown, with any form.

        >>> load().are_sejong(["NNG", "JKS"]), load().are_sejong(["NNG", "JX"])
        (True, False)
        """
        return frozenset(self._of_other_sets).isdisjoint

    @cached_property
    def _sejong(self) -> Memo[tuple[str, str], str]:
        return Memo.of(self, lambda rules, pair: rules._counterpart(*pair), size=_REMEMBERED)

    def _counterpart(self, form: str, tag: str) -> str:
        for patterns, sejong in self._of_other_sets.get(tag, ()):
            if patterns == ANY or (
                form and any([fits(form, pattern) for pattern in patterns.split("|")])
            ):
                return sejong
        return tag

    def sejong_tag(self, form: str, tag: str) -> str:
        """Return the Sejong tag of a morpheme with a tag of any tag set; an unknown tag itself.

        The sets are those of rules/kaist-tags.tsv, penn-tags.tsv, pud-tags.tsv, mecab-tags.tsv,
        kkma-tags.tsv and kiwi-tags.tsv.
        The NIKL corpora add to the Sejong tag set, so their tags stay (see `standard`).

        >>> load().sejong_tag("되", "pvg"), load().sejong_tag("를", "PCA")
        ('VV', 'JKO')
        >>> [load().sejong_tag(form, "JX") for form in ("않다", "도")]
        ['VX', 'JX']
        """
        return self._sejong[form if tag in self.tags_by_form else "", tag]

    def sejong_tags(self, morphemes: Sequence[Morpheme]) -> tuple[str, ...]:
        """Return the Sejong tags of morphemes; see `sejong_tag`."""
        tags = tuple(map(_tag, morphemes))
        if self.are_sejong(tags):
            return tags
        by_form, sejong = self.tags_by_form, self._sejong
        return tuple([sejong[m[0] if m[1] in by_form else "", m[1]] for m in morphemes])

    def in_sejong(self, morphemes: tuple[Morpheme, ...]) -> tuple[Morpheme, ...]:
        """Return morphemes with Sejong tags; themselves if they have no others."""
        if self.are_sejong(map(_tag, morphemes)):
            return morphemes
        new, pairs = tuple.__new__, zip(morphemes, self.sejong_tags(morphemes), strict=True)
        return tuple([new(type(m), (m[0], tag, *m[2:])) for m, tag in pairs])

    @cached_property
    def goes_on(self) -> Mapping[str, Sequence[str]]:
        """Kind of a morpheme → the kinds of morphemes behind which it stands in the same eojeol.

        >>> load().goes_on["noun"], load().goes_on["particle"]
        (['number'], ['*'])
        """
        return {row["kind"]: row["behind"].split("|") for row in self.table("same-eojeol")}

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Tag of a known tag set → the kind of its Sejong tag."""
        kinds = {tag: row.kind for tag, row in self.tags.items()}
        return {tag: kinds[rows[-1][1]] for tag, rows in self._of_other_sets.items()} | kinds

    def kind(self, tag: str) -> str:
        """Return the kind of a tag of a known tag set; "" for any other.

        >>> load().kind("JKS"), load().kind("jcs"), load().kind("JKSS")
        ('particle', 'particle', '')
        """
        return self.kinds.get(tag, "")

    @cached_property
    def of_pud(self) -> frozenset[str]:
        """The tags that UD_Korean-PUD alone has."""
        elsewhere = {row["tag"] for name in ("kaist-tags", "penn-tags") for row in self.table(name)}
        return self._in_pud - elsewhere - self.tags.keys()

    @cached_property
    def _in_pud(self) -> frozenset[str]:
        return frozenset([row["tag"] for row in self.table("pud-tags")])

    def unknown(self, tags: Iterable[str]) -> list[str]:
        """Return the tags of an eojeol that are in no tag set.

        Beside a Sejong tag that PUD lacks, a tag that PUD alone has is a misspelt one.

        >>> load().unknown(["NN", "JKB"]), load().unknown(["NN", "CM"])
        (['NN'], [])
        """
        legal = [tag for tag in tags if self.kind(tag) != "unknown"]
        is_sejong = any([tag in self.tags and tag not in self._in_pud for tag in legal])
        return [tag for tag in legal if tag not in self.kinds or (is_sejong and tag in self.of_pud)]

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
    def upos(self) -> Mapping[str, Mapping[str, str]]:
        """Scheme → Sejong tag → UPOS.

        >>> load().upos["table3.1"]["MAJ"], load().upos["sejong"]["MAJ"]
        ('CONJ', 'CCONJ')
        """
        rows = self.table("upos")
        return {
            scheme: {row["tag"]: row[scheme] for row in rows}
            for scheme in SCHEMAS["upos"].columns
            if scheme != "tag"
        }

    @cached_property
    def lemmas(self) -> Mapping[str, Mapping[tuple[str, str], str]]:
        """Scheme → (form, tag) → lemma; the lemma of every other morpheme is its form.

        The scheme `form` has no rows, so the lemma of every morpheme is its form. In a scheme
        without tags of other tag sets, they count as their Sejong tags (`sejong_tag`).

        >>> load().lemmas["normalised"]["ㄴ", "ETM"]
        '은'
        """
        lemmas: dict[str, dict[tuple[str, str], str]] = {"form": {}, "normalised": {}}
        for scheme, form, tag, lemma, _ in self.cells("lemmas"):
            lemmas.setdefault(scheme, {})[form, tag] = lemma
        sejong = self.tags.keys()
        return {
            scheme: _Lemmas(rows, self) if sejong >= {tag for _, tag in rows} else rows
            for scheme, rows in lemmas.items()
        }

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
        same = {char: tags[like] for char, like in self.equivalents.items() if like in tags}
        return same | tags

    @cached_property
    def symbols(self) -> Symbols:
        """The rules that tell external symbols from internal ones.

        Raises:
            RulesError: a pattern of the user's cannot be used.
        """
        rows = self.cells("symbols")

        def of(rule: str) -> list[Cells]:
            return [row for row in rows if row[0] == rule]

        return Symbols(
            external=frozenset([tag for row in of("external") for tag in row[2].split("|")]),
            between=tuple(
                [
                    (frozenset(tags.split("|")), frozenset(text.split()))
                    for _, _, tags, text, _ in of("between")
                ]
            ),
            inside=self._pattern(of("inside")),
            abbreviation=self._pattern(of("abbreviation")),
        )

    def _pattern(self, rows: Sequence[Cells]) -> re.Pattern[str] | BoundedPattern:
        """Return the pattern of some rows of symbols.tsv, bounded if one of them is the user's."""
        pattern = "|".join([f"(?:{row[3]})" for row in rows]) or "(?!)"
        path = self.user_file("symbols")
        users = sorted({*rows}.difference(load().cells("symbols"))) if path else []
        if not users:
            return lazy_pattern(pattern)
        keys = [f"{rule}.{name}" for rule, name, *_ in users]
        try:
            for row in users:
                re.compile(row[3])
                BoundedPattern(row[3], [f"{row[0]}.{row[1]}"], str(path))
            return BoundedPattern(pattern, keys, str(path))
        except (ValueError, OverflowError, RecursionError, re.error) as error:
            message = f"{error}: the comments in the package's own symbols.tsv say what it holds"
            cells = dict(zip(SCHEMAS["symbols"].columns, row, strict=True))
            raise located(self.sources("symbols"), cells, message) from None

    def _load(self, name: str) -> Sequence[Cells]:
        """Return the rows of a table, with the user's laid over."""
        schema = SCHEMAS[name]
        lines: dict[object, Cells] = {}
        for path, text in self.sources(name):
            laid = read_table(text, path, schema, self.table, drop=self.leaves_out(name, path))
            lines = (laid | lines if schema.ordered else lines) | laid
        return list(lines.values())


def _file_name(name: str) -> str:
    return f"{name}.toml" if name in SETTINGS else f"{name}.tsv"


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
    _ = rules.unknown_tag  # Without it other tables are refused for what is no fault of theirs.
    names = {_file_name(name): name for name in rules.names}
    for path in sorted(directory.iterdir()):
        if path.name.startswith("."):
            continue
        name = names.get(path.name)
        if name is None:
            raise RulesError(f"not the name of a table: {', '.join(names)}", path=str(path))
        if name in SCHEMAS:
            rules.table(name)
        else:
            rules.settings(name)
    _ = rules.symbols
    return rules


def digest(folder: str | None = None) -> str:
    """Return the first digits of the SHA-256 of the tables of a folder; None is the package's."""
    import hashlib

    place = Path(folder or Path(__file__).parent)
    tables = [place / name for name in sorted(map(_file_name, (*SCHEMAS, *SETTINGS)))]
    data = b"".join([table.read_bytes() for table in tables if table.exists()])
    return hashlib.sha256(data).hexdigest()[:12]
