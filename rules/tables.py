"""Read and check a file in rules/: its columns and values, and the faults of a row or a key.

A schema names the columns in order, each with a check: `form:word tag:tags note`. rules/schemas.tsv
has the schema of each table, and explains the checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from sejongud.errors import RulesError
from sejongud.model import LEVELS
from sejongud.terminal import counted

UPOS = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
        *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
    )
)
"""The universal part-of-speech tags of UD v2."""

ANY = "*"
"""The condition that anything satisfies."""

Row = Mapping[str, str]
"""One row of a table: column → value."""
Cells = tuple[str, ...]
"""The values of a row, in the order of the columns."""
_Table = Callable[[str], tuple[Row, ...]]
"""Name of a table → its rows."""
_Check = Callable[[str, Row], str]
"""(value, its row) → what the value should be, "" if it is right."""


class Schema:
    """The shape of a table.

    Args:
        columns: each with its check; see rules/schemas.tsv.
        key: the columns that make a row unique.
        ordered: whether the first row that fits decides; the user's rows then come first.
    """

    def __init__(self, columns: str, key: str, *, ordered: bool = False) -> None:
        pairs = [column.partition(":") for column in columns.split()]
        self.checks = {column: check for column, _, check in pairs}
        self.columns = list(self.checks)
        self.key = key.split()
        self.ordered = ordered


_STRINGS = [str]
_PAIRS = [(str, str)]

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "evalb": {
        ANY: {
            **dict.fromkeys(("debug", "max_error", "cutoff_len", "labeled"), int),
            **dict.fromkeys(("delete_label", "delete_label_for_length", "quote_label"), _STRINGS),
            **dict.fromkeys(("eq_label", "eq_word"), _PAIRS),
        }
    },
    "gec-lang8": {
        "steps": _STRINGS,
        "languages": {"letters": _STRINGS, "stripped": _STRINGS},
        "hangul": {"letters": _STRINGS},
        "characters": {"least": int},
        "eojeols": {"most": int},
        "noise": {"words": _STRINGS, "marks": _STRINGS},
        "tokens": {"most": int, "least": int},
        "token-ratio": {"above": float, "below": float},
        "length-ratio": {"above": float, "below": float},
        "subsequence": {"least": int},
        "brackets": {"pairs": _STRINGS},
        "marks": {"once": str},
        "split": {"mark": str},
        "distance": {"below": float},
    },
    "gec-native": {"steps": _STRINGS, "length": {"least": float}, "names": {"tags": _STRINGS}},
    "sighan": {"phrase_labels": _STRINGS},
}
"""Name of a file in TOML → its keys, each with the shape of its value: a type, a list of values of
one shape, a pair, or keys of its own. `ANY` stands for all other keys."""


def read_settings(text: str, path: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Read a file in TOML: keys and values of its shape.

    Args:
        text: of the file.
        path: for messages.
        shape: as in `SETTINGS`.

    Raises:
        RulesError: it is not TOML, or a value has another shape.
    """
    import tomllib

    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # A number may have too many digits.
        where = re.search(r"\(at line (\d+)", str(error))
        line = int(where[1]) if where else 0
        raise RulesError(f"not TOML: {error}", path=path, line=line) from None
    check_settings(values, shape, path)
    return values


def check_settings(value: object, shape: Any, path: str, key: str = "") -> None:
    """Check that a value of a file in TOML has its shape.

    Args:
        value: the value.
        shape: as in `SETTINGS`.
        path: the file, for messages.
        key: where the value stands in the file.

    Raises:
        RulesError: the value has another shape, or there is no such key.

    >>> check_settings({"new": {"labeled": "yes"}}, SETTINGS["evalb"], "evalb.toml")
    Traceback (most recent call last):
    sejongud.errors.RulesError: File "evalb.toml"
    new.labeled is "yes"; it should be a whole number
    """
    if isinstance(shape, Mapping) and isinstance(value, Mapping):
        for name, item in value.items():
            place = f"{key}.{name}" if key else name
            if name not in shape and ANY not in shape:
                raise RulesError(
                    f"there is no key {place}; there are: {', '.join(shape)}", path=path
                )
            check_settings(item, shape.get(name, shape.get(ANY)), path, place)
    elif isinstance(shape, list | tuple) and isinstance(value, list):
        if isinstance(shape, tuple) and len(value) != len(shape):
            raise RulesError(_misshapen(key, value, shape), path=path)
        for index, item in enumerate(value):
            check_settings(item, shape[0], path, f"{key}[{index}]")
    elif not isinstance(shape, type) or not isinstance(value, shape):
        raise RulesError(_misshapen(key, value, shape), path=path)


def _misshapen(key: str, value: object, shape: Any) -> str:
    """Return the message about a value of another shape than it should have."""
    wanted = {
        str: "a string",
        int: "a whole number",
        float: "a number with a point",
        tuple: "a pair of strings",
    }
    wanted |= {list: "a list", dict: "a table"}
    kind = shape if isinstance(shape, type) else type(shape)
    import json

    shown = json.dumps(value, ensure_ascii=False, default=str)
    return f"{key} is {shown:.80}; it should be {wanted[kind]}"


def user_text(path: Path) -> str:
    """Return the text of a user's file.

    Raises:
        RulesError: it cannot be read.
    """
    from sejongud.morphology.hangul import compose_jamo

    try:
        # Forms are compared as they are read, with syllables that are composed.
        return compose_jamo(path.read_text(encoding="utf-8-sig"))[0]
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (byte {error.start}): save the file as UTF-8"
        raise RulesError(message, path=str(path)) from None
    except OSError as error:
        raise RulesError(f"cannot be read: {error.strerror}", path=str(path)) from None


def stands_alone(text: str, path: str, name: str) -> bool:
    """Return whether the line `#!replace` stands above the header of a user's table.

    Args:
        text: of the file.
        path: for messages.
        name: of the table, or of the file in TOML, which has no such line.

    Raises:
        RulesError: there is another line that begins with `#!`.
    """
    is_above = name in SCHEMAS
    is_marked = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#!"):
            is_marked = is_above and line[2:].strip().lower() == "replace"
            if not is_marked:
                message = (
                    "a line that begins with #! is #!replace above the header of a table (.tsv)"
                )
                raise RulesError(message, path=path, line=number, text=line)
        is_above = is_above and line[:1] in ("", "#", "\r")
    return is_marked


def read_table(
    text: str, path: str, schema: Schema, table: _Table, *, drop: bool = False
) -> dict[object, Cells]:
    """Read a table: as many columns as its header, every value legal, every key once.

    Args:
        text: of the file.
        path: for messages.
        schema: of the table.
        table: the other tables, whose values a row may name.
        drop: whether a row that names a value no other table has is dropped, not refused.

    Returns:
        The cells of each row, by its key.

    Raises:
        RulesError: a row cannot be used; with its place.
    """
    columns = schema.columns
    wanted = f"{', '.join(columns)}, with a tab between"
    lines = [
        (number, line.removesuffix("\r"))
        for number, line in enumerate(text.split("\n"), 1)
        if line and line[0] not in "#\r"
    ]
    if not lines:
        raise RulesError(f"no header line: {wanted}", path=path)
    # A table may end before the columns that decide nothing: notes, counts, examples.
    behind = columns[lines[0][1].count("\t") + 1 :]
    if any(map(schema.checks.get, behind)):
        behind = []
    header = "\t".join([lines[0][1], *behind])
    more = "\t" * len(behind)
    rows = [tuple((line + more).split("\t")) for _, line in lines]
    rows[0] = tuple(header.split("\t"))
    if {*map(len, rows)} != {len(columns)}:
        index, row = next(pair for pair in enumerate(rows) if len(pair[1]) != len(columns))
        number, line = lines[index]
        message = f"{counted(len(row), 'column[s]')} where there should be {len(columns)}: {wanted}"
        raise RulesError(message, path=path, line=number, text=line)
    number, line = lines.pop(0)
    if list(rows.pop(0)) != columns:
        message = f"the columns of this table are {wanted}"
        raise RulesError(message, path=path, line=number, text=header)
    faults = _faults(rows, schema, table)
    if drop:
        rest = sorted({*range(len(rows))} - {index for index, *_ in faults})
        lines, rows = [lines[index] for index in rest], [rows[index] for index in rest]
    for index, column, message in faults:
        number, line = lines[index]
        start = sum(len(cell) + 1 for cell in rows[index][: columns.index(column)]) + 1
        raise RulesError(message, path=path, line=number, column=start, text=line)
    key_of = itemgetter(*map(columns.index, schema.key))
    variants = list(_expanded(rows, schema))
    by_key = {key_of(row): row for row in variants}
    if len(by_key) < len(variants):
        raise _repeated(lines, rows, schema, path)
    return by_key


def located(sources: Sequence[tuple[str, str]], row: Row, message: str) -> RulesError:
    """Return the error of a row, with the file and the line it stands in.

    Args:
        sources: the path and the text of each file of the table, the user's last.
        row: a row of them, none of those that `|` in a column of tags makes of one.
        message: what is wrong.
    """
    # A line may end before the columns that decide nothing.
    wanted = "\t".join(row.values()).rstrip("\t")
    path, number, line = next(
        (path, number, line.removesuffix("\r"))
        for path, text in reversed(sources)
        for number, line in enumerate(text.split("\n"), 1)
        if line.rstrip("\t\r") == wanted
    )
    return RulesError(message, path=path, line=number, text=line)


def _repeated(
    lines: Sequence[tuple[int, str]], rows: Sequence[Cells], schema: Schema, path: str
) -> RulesError:
    """Return the error of the first row whose key another row has."""
    first: dict[Cells, int] = {}
    for (number, line), row in zip(lines, rows, strict=True):
        for variant in _expanded([row], schema):
            key = tuple([variant[schema.columns.index(column)] for column in schema.key])
            if key in first:
                message = f"{' '.join(key)} is in line {first[key]} already: take one of them out"
                return RulesError(message, path=path, line=number, text=line)
            first[key] = number
    raise AssertionError("each key stands once")


def _expanded(rows: Iterable[Cells], schema: Schema) -> Iterable[Cells]:
    """Return a row for each of the values that `|` joins in columns of tags."""
    for at, check in enumerate(schema.checks.values()):
        if check in ("tags", "any_tags"):
            rows = [
                variant
                for row in rows
                for variant in (
                    [row[:at] + (tag,) + row[at + 1 :] for tag in row[at].split("|")]  # noqa: RUF005
                    if "|" in row[at]
                    else (row,)
                )
            ]
    return rows


def _faults(rows: Sequence[Cells], schema: Schema, table: _Table) -> Iterator[tuple[int, str, str]]:
    """Yield which row has which column wrong, and how to mend it."""
    for (column, name), cells in zip(schema.checks.items(), zip(*rows, strict=True), strict=False):
        if not name:
            continue
        check = _check(name, table)
        # Values repeat; those of two checks depend on another column.
        values = [*{*cells}]
        if name == "word" and "\n".join(values).split() == values:
            continue
        if name not in ("choice", "tag_of_set") and not any([check(cell, {}) for cell in values]):
            continue
        for index, row in enumerate(rows):
            if wanted := check(cells[index], dict(zip(schema.columns, row, strict=True))):
                yield index, column, f"{column} is {cells[index]!r}; it should be {wanted}"


def _values(test: Callable[[str], object], wanted: str) -> _Check:
    """Return the check of values by a test."""
    return lambda value, row: "" if test(value) else wanted


_SHAPES = {
    "text": _values(lambda value: value and not value.isspace(), "something, not empty"),
    "word": _values(lambda value: value.split() == [value], "something without a space"),
    "tag_name": _values(
        lambda value: value.split() == [value] and {*"+|/"}.isdisjoint(value),
        "a tag without a space and without + | /, which join tags and forms",
    ),
    "char": _values(lambda value: len(value) == 1, "one character"),
    "number": _values(lambda value: value.isascii() and value.isdigit(), "a number"),
    "level": _values({*map(str, LEVELS)}.__contains__, f"a level, 1 to {LEVELS[-1]}"),
}


_BESIDE = {
    "tag_if_any": [""],
    "tag_or_any": [ANY],
    "next": [ANY],
    "tag_or_same": ["="],
    "tags": [ANY],
    "tag_list": [ANY],
    "any_tags": [ANY],
    "upos_if_any": [""],
    "upos_v1": ["CONJ"],
}
"""Check → the values that may stand beside the tags it names."""
_CHOICES = {"kind": "kind", "tag": "tags", "upos": "upos"}
"""Value of the column `by` → the check of a choice."""


def _check(name: str, table: _Table) -> _Check:
    """Return the check of that name, or of the values that `|` joins in it."""
    if name in _SHAPES:
        return _SHAPES[name]
    if name == "choice":
        return _choice(table)
    if name == "feats":
        return _feats(table)
    if name == "tag_of_set":
        return _tag_of_set(table)
    if "|" in name:
        legal = name.split("|")
        wanted = " or ".join(value or "empty" for value in sorted(legal))
    elif name in ("kind", "kinds"):
        legal = [row["kind"] for row in table("kinds")]
        wanted = f"a kind of kinds.tsv: {', '.join(legal)}"
    elif name.startswith("upos"):
        legal = [*UPOS, *_BESIDE.get(name, ())]
        wanted = f"one of {' '.join(sorted(UPOS))}"
    else:
        tables = [
            "tagset",
            *(["kaist-tags", "penn-tags", "pud-tags"] if name == "any_tags" else ()),
        ]
        legal = [*[row["tag"] for tags in tables for row in table(tags)], *_BESIDE.get(name, ())]
        wanted = f"a tag of {' or '.join(f'{tags}.tsv' for tags in tables)}"
    allowed = frozenset(legal)
    if name == "next":
        return _values(
            lambda value: allowed.issuperset(
                [part.rpartition("/")[2] for part in value.split("|")]
            ),
            f"{wanted}, or form/tag, of which `|` joins several",
        )
    if name == "hosts":
        hosts = {ANY, "first", *legal, *[f"{tag}." for tag in legal]}
        return _values(lambda value: hosts.issuperset(value.split("|")), f"{wanted}, or first")
    if name in ("tags", "tag_list", "any_tags", "upos_choice", "kinds"):
        return _values(lambda value: value == ANY or allowed.issuperset(value.split("|")), wanted)
    return _values(allowed.__contains__, wanted)


def _feats(table: _Table) -> _Check:
    """Return the check of FEATS: `_`, or features with values that UD has."""
    known = {(row["feature"], row["value"]) for row in table("feats-ud")}
    known |= {
        (r["feature"], value) for r in table("feats-universal") for value in r["values"].split("|")
    }

    def check(text: str, _: Row) -> str:
        items = [item.partition("=") for item in text.split("|")] if text != "_" else []
        wrong = [
            f"{feature}={value}"
            for feature, _, values in items
            for value in values.split(",")
            if (feature, value) not in known
        ]
        if not wrong:
            return ""
        return f"_ or features of feats-universal.tsv and feats-ud.tsv, without {', '.join(wrong)}"

    return check


def _tag_of_set(table: _Table) -> _Check:
    """Return the check of a tag that stands in tagset.tsv only if its column `tagset` says so."""
    sejong = frozenset([row["tag"] for row in table("tagset")])

    def check(value: str, row: Row) -> str:
        if (value in sejong) == (row["tagset"] == "sejong") and value.split() == [value]:
            return ""
        return (
            "a tag of tagset.tsv"
            if row["tagset"] == "sejong"
            else f"a tag of {row['tagset']} that tagset.tsv does not have"
        )

    return check


def _choice(table: _Table) -> _Check:
    """Return the check of a choice of what the column `by` says: kinds, UPOS or tags."""
    checks = {by: _check(name, table) for by, name in _CHOICES.items()}

    def check(value: str, row: Row) -> str:
        if value in (ANY, "="):
            return ""
        parts = value.removeprefix("!").split("|")
        # A `by` that is none is refused itself, and leaves nothing to check here.
        one = checks.get(row["by"], checks["kind"])
        return next((bad for part in parts if (bad := one(part, row))), "")

    return check


def _schemas() -> dict[str, Schema]:
    """Return the schemas of all tables by their names (rules/schemas.tsv)."""
    schema = Schema("table:word columns:text key:text ordered:|yes", key="table")
    text = Path(__file__).with_name("schemas.tsv").read_text(encoding="utf-8")
    rows = read_table(text, "rules/schemas.tsv", schema, lambda _: ()).values()
    return {
        name: Schema(columns, key, ordered=ordered == "yes") for name, columns, key, ordered in rows
    }


SCHEMAS: Mapping[str, Schema] = _schemas()
"""Name of a table → its schema."""
