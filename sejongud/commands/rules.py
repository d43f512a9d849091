"""List the linguistic tables, or print a table with the user's rows.

Without arguments the command prints a line for each table: its name, its purpose, and the user's
file that is laid over it (--rules DIR). `show NAME` prints a table with the user's rows as TSV
(or TOML). A user's file has the columns of the table and contains only the rows that differ.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sejongud.commands import open_output
from sejongud.errors import UsageError
from sejongud.rules import Rules, load
from sejongud.terminal import clean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping


def writes(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the form of the list, or of a table."""
    is_toml = args.name in load(args.rules).toml_names
    return ("text",) if args.action is None else ("toml",) if is_toml else ("tsv",)


def run(args: argparse.Namespace) -> int:
    """Print the list or the table.

    Raises:
        UsageError: there is no such table.
        RulesError: the user's table is invalid.
    """
    rules = load(args.rules)
    if args.action is None:
        lines = listing(rules)
    elif args.name in rules.names:
        lines = shown(rules, args.name)
    else:
        wrong = f"no table {args.name}" if args.name else "show needs the name of a table"
        raise UsageError(f"{wrong}; there are: {', '.join(rules.names)}")
    with open_output(args) as out:
        # A table is data; on a terminal it is to look at.
        if args.action is None or out.isatty():
            lines = (clean(line, "\t") for line in lines)
        out.writelines(f"{line}\n" for line in lines)
    return 0


def listing(rules: Rules) -> Iterator[str]:
    """Yield a line for each table: its name, its purpose and the user's file.

    Args:
        rules: the tables in force.

    Yields:
        Lines without a line end. The purpose of a table is its first comment line.
    """
    width = max(map(len, rules.names))
    for name in rules.names:
        purpose = rules.text(name).partition("\n")[0].lstrip("# ")
        users = rules.user_file(name)
        source = f" [and {users}]" if users else ""
        yield f"{name:{width}}  {purpose}{source}"


def shown(rules: Rules, name: str) -> Iterator[str]:
    """Yield the lines of a table in force, in the format of a file for `--rules`.

    Args:
        rules: the tables in force.
        name: the name of the table, as in `rules.names`.

    Yields:
        Lines without a line end.
    """
    if name in rules.toml_names:
        yield from _toml(rules.settings(name))
        return
    rows = rules.table(name)
    yield "\t".join(rows[0])
    yield from ("\t".join(row.values()) for row in rows)


def _toml(values: Mapping[str, object], table: str = "") -> Iterator[str]:
    """Yield values as lines of TOML, which writes strings, numbers and lists like JSON."""
    if table:
        yield from ("", f"[{table}]")
    for key, value in values.items():
        if not isinstance(value, dict):
            yield f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _toml(value, f"{table}.{_key(key)}" if table else _key(key))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
