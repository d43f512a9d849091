"""The parsers of the command line, which two tables in commands/ declare.

A row of `options.tsv` declares an option once, for all commands; a row of `commands.tsv` names the
options of a command. The arguments of a command are added when it is first used.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from sejongud.errors import similar
from sejongud.memo import lazy_pattern
from sejongud.terminal import clean, in_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PROGRAM = "sejongud"
_TABLES = Path(__file__).with_name("commands")
_ENTRY = lazy_pattern(r"([\w+-]+)(?:\[(.*?)\])?(?:=(.*))?")
_SIGN = "@"
"""The sign of values that another module of `sejongud` has: @module:name."""
_GONE = "gone"
_CONSTANTS = {"True": True, "False": False, "": None}
_FILES = ("in", "out", "beside", "folder")
"""The types whose values are names of files."""

_DIGITS = 18
"""The most digits of a number in an option: the number fits into a word of the machine."""

_MOST_JOBS = 1000
"""The greatest number of processes or of threads of Kiwi; each needs memory of its own."""

_MOST_SAMPLES = 1_000_000
_WIDE = 1000


# --- the tables -----------------------------------------------------------------------------------


class Option(NamedTuple):
    """A row of `options.tsv`, which explains its columns."""

    name: str
    flags: str = ""
    sets: str = ""
    value: str = ""
    type: str = ""
    choices: str = ""
    default: str = ""
    group: str = ""
    help: str = ""
    was: str = ""

    @property
    def keyword(self) -> str:
        """The name of the argument in Python."""
        return self.sets.partition("=")[0] or self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        """The longest spelling, which messages name."""
        return max(self.flags.split(), key=len, default="")

    @property
    def is_file(self) -> bool:
        """Whether the value is the name of a file."""
        return self.type.partition(":")[0] in _FILES

    def values(self) -> dict[str, str]:
        """Return the values that are named, each with its meaning; "" if that is plain."""
        values: dict[str, str] = {}
        for choice in filter(None, self.choices.split("|")):
            name, _, meaning = choice.partition(": ")
            if name[0] == _SIGN:
                several = resolved(name)
                values |= dict.fromkeys(several() if callable(several) else several, "")
            else:
                values[name] = meaning
        return values

    def text(self) -> str:
        """Return the help, with the values and the value that is usual."""
        values = self.values()
        shown = [f"{name}: {meaning}" for name, meaning in values.items() if meaning]
        more = f". {'; '.join(shown)}" if shown else ""
        if not shown and len(values) > 1 and self.value:
            more = f": {', '.join(values)}"
        usual = f" (default: {self.default.strip('()')})" if self.default else ""
        return f"{self.help}{more}{usual}".replace("%", "%%")


class Command(NamedTuple):
    """A row of `commands.tsv`, which explains its columns."""

    name: str
    summary: str = ""
    about: str = ""
    writes: str = ""
    options: str = ""
    fixed: str = ""
    meant: str = ""

    def settings(self) -> dict[str, Any]:
        """Return the further values, and the formats of the output with the usual one."""
        entries = [entry.partition("=") for entry in self.fixed.split("; ") if entry]
        values = {name: _CONSTANTS.get(value, value) for name, _, value in entries}
        usual = {"writes": self.writes, "usual": self.writes.split()[0]} if self.writes else {}
        return usual | values

    def description(self) -> str:
        """Return the docstring of the command, or the text that describes it."""
        about = self.about or self.summary
        return about if " " in about else docstring(about)


@cache
def options() -> dict[str, Option]:
    """Return the rows of `options.tsv` by their names."""
    return {row[0]: Option(*row) for row in _rows("options.tsv")}


@cache
def commands() -> dict[str, Command]:
    """Return the rows of `commands.tsv` by their names."""
    return {row[0]: Command(*row) for row in _rows("commands.tsv")}


@cache
def homes() -> dict[str, str]:
    """Return the function of each command in the order of the help, as `work_of` takes it."""
    names = [name for name in commands() if name.isalpha() and name != PROGRAM]
    return {name: f"sejongud.{commands()[name].about}" for name in names}


def work_of(home: str, args: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """Return the function that runs a command and returns its exit status.

    Args:
        home: module:function, or module:class with the method `run`. A sub-command that has one of
            its own in the table is done by that.
        args: the arguments of the command.
    """
    about = commands()[args.declared].about
    if ":" in about and " " not in about:
        home = f"sejongud.{about}"
    module, _, name = home.partition(":")
    work = getattr(import_module(module), name)
    run: Callable[[argparse.Namespace], int] = work().run if isinstance(work, type) else work
    return run


class Example(NamedTuple):
    """A command as it is typed, in a folder with the files of `samples/`, and its effect."""

    command: str
    effect: str


@cache
def examples() -> defaultdict[str, list[Example]]:
    """Return the rows of `examples.tsv` by their pages, in order.

    >>> examples()["sejongud ner crf"][1].command
    'sejongud ner crf entities.conllu columns.txt --template template.txt'
    """
    found: defaultdict[str, list[Example]] = defaultdict(list)
    for page, *row in _rows("examples.tsv"):
        found[page].append(Example(*row))
    return found


def _rows(name: str) -> Iterator[list[str]]:
    text = (_TABLES / name).read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and line[0] != "#")
    next(rows)
    return rows


@cache
def options_of(command: str) -> dict[str, tuple[Option, str]]:
    """Return the options of a command by their names, each with the group that it excludes."""
    rows: dict[str, tuple[Option, str]] = {}
    for entry in filter(None, commands()[command].options.split("; ")):
        if entry[0] == "+":
            rows |= options_of(entry)
        elif entry[0] == "-":
            del rows[entry[1:]]
        else:
            several = entry.split(" / ")
            named = [_option(one) for one in several]
            rows |= {option.name: (option, entry[len(several[0]) :]) for option in named}
    if "to" in rows and not rows["to"][0].choices:
        settings = commands()[command].settings()
        usual = f", else {settings['usual']}" if settings["usual"] else ""
        to = rows["to"][0]
        default = to.default or f"(by the ending of the name OUT{usual})"
        choices = settings["writes"].replace(" ", "|")
        rows["to"] = to._replace(choices=choices, default=default), ""
    return rows


def _option(entry: str) -> Option:
    """Return an option with the values and the default that a command has of its own."""
    parts = _ENTRY.fullmatch(entry)
    assert parts is not None, entry
    name, choices, default = parts.groups()
    option = options()[name]
    if choices is not None:
        own = dict([choice.partition(": ")[::2] for choice in option.choices.split("|")])
        chosen = [
            one if ": " in one or not own.get(one) else f"{one}: {own[one]}"
            for one in choices.split("|")
        ]
        option = option._replace(choices="|".join(chosen))
    return option if default is None else option._replace(default=default)


def files_of(args: argparse.Namespace, kind: str) -> Iterator[tuple[Option, str]]:
    """Yield the options of a type whose values are names of files, each with a name.

    Args:
        args: the arguments of a command.
        kind: "in", "out" or "folder"; or "beside" for files beside the input, which are "in" as
            well. Beside an output that has lines abreast such a file is "out".
    """
    from sejongud.formats import ABREAST

    to = (getattr(args, "to", None) or "").partition(":")[0]
    kinds = {kind, "beside"} if (kind == "out") == (to in ABREAST) and kind != "folder" else {kind}
    kinds -= {"beside"} if kind == "beside" and to in ABREAST else set()
    for option, _ in options_of(args.declared).values():
        if option.type.partition(":")[0] in kinds:
            value = getattr(args, option.keyword, None)
            for name in value if isinstance(value, list) else [] if value is None else [value]:
                yield option, name


def resolved(name: str) -> Any:
    """Return what a name in a table stands for: @module:name or module:name, in `sejongud`."""
    module, _, attribute = name.removeprefix(_SIGN).partition(":")
    return getattr(import_module(f"sejongud.{module}"), attribute)


def docstring(name: str) -> str:
    """Return the docstring of a module, or of module:function, which are not imported for it."""
    import inspect

    module, _, inside = name.partition(":")
    path = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    if inside:
        text = re.split(rf"(?m)^(?:def|class) {inside}\b", text)[1]
    return inspect.cleandoc(text.partition('"""')[2].partition('"""')[0])


# --- the parsers ----------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """A parser of a command in the tables.

    It accepts options between the files: `IN --level 2 OUT`. Its errors cannot control the terminal
    and name the option that was meant; its help ends with examples.

    Args:
        command: the name of the command in `commands.tsv`.
        settings: the options of any argument parser.
    """

    def __init__(self, command: str, **settings: Any) -> None:
        settings.setdefault("prog", f"{PROGRAM} {command}")
        # Each argument is formatted to try it, for which Python asks for the width of the terminal.
        wide = cache(partial(argparse.HelpFormatter, width=_WIDE))
        super().__init__(formatter_class=wide, **settings)
        self.command = command
        self._mixing = False
        self._declared: dict[argparse.Action, Option] = {}
        self._filled = False
        self._epilog = ""

    def fill(self) -> None:
        """Add the arguments and the parsers of the sub-commands, when they are first needed."""
        if self._filled:
            return
        self._filled = True
        row = commands()[self.command]
        settings = row.settings()
        self.usage = (settings.pop("usage", None) or "").replace("\\n", "\n") or None
        self._epilog = settings.pop("epilog", "")
        self.set_defaults(declared=self.command, **settings)
        groups: dict[str, Any] = {"": self}
        for option, group in options_of(self.command).values():
            if option.type != _GONE:
                if option.group not in groups:
                    groups[option.group] = self.add_argument_group(option.group)
                if group and group not in groups:
                    groups[group] = groups[option.group].add_mutually_exclusive_group()
                action = _add(groups[group or option.group], option)
                self._declared[action] = option
        below = [name for name in commands() if name.startswith(f"{self.command} ")]
        if below:
            actions = self.add_subparsers(metavar="ACTION", dest="action", required=True)
            for name in below:
                summary = commands()[name].summary
                actions.add_parser(name.partition(" ")[2], help=summary, command=name)
        self.formatter_class = argparse.RawDescriptionHelpFormatter

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Return the parsed arguments; an unknown argument ends the process with status 2."""
        words = sys.argv[1:] if args is None else list(args)
        found, unknown = self.parse_known_args(words, namespace)
        if unknown:
            parser = chosen(self, words)
            shown = [name for name in parser._option_string_actions if name.startswith("--")]
            asked = [word.partition("=")[0] for word in unknown if word.startswith("--")]
            hint = next(filter(None, [similar(word, shown) for word in asked]), "")
            parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return the parsed arguments and the unknown arguments."""
        if self._mixing:
            return super().parse_known_args(args, namespace)
        self.fill()
        words, notes = self._renamed(sys.argv[1:] if args is None else args)
        if self._subparsers is not None or "--" in words:  # argparse forgets -- if it mixes.
            found, unknown = super().parse_known_args(words, namespace)
        else:
            self._mixing = True
            try:
                found, unknown = self.parse_known_intermixed_args(words, namespace)
            finally:
                self._mixing = False
        found.renamed = [*getattr(found, "renamed", ()), *notes]
        return found, unknown

    def _renamed(self, args: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the words with the older spellings replaced, and a note on each of these."""
        words, notes, at = list(args), list[str](), 0
        older = {old: new for option, _ in options_of(self.command).values()
                 for old, new in _older(option)}  # fmt: skip
        while older and at < len(words) and words[at] != "--":
            flag, sign, value = words[at].partition("=")
            several = 1 if sign else 2
            chosen_value = value if sign else "".join(words[at + 1 : at + 2])
            exact = f"{flag}={chosen_value}"
            action = self._option_string_actions.get(flag)
            is_known = action and (not action.choices or chosen_value in action.choices)
            if exact not in older:
                several, exact = 1, flag
                if is_known or not (flag[:1] == "-" or at == 0):
                    several = 0
            if several and exact in older:
                new = older[exact]
                if " " in new:
                    self.error(f"{exact} no longer exists: {new}")
                words[at : at + several] = [new + sign + value if exact == flag else new]
                notes.append(f"{exact} is spelled {new} now: the older spelling will be removed")
            else:
                at += 1
        return words, notes

    def describe(self) -> None:
        """Add the description and the help of each argument, which no command needs to run."""
        self.fill()
        self.description = commands()[self.command].description()
        if self._epilog:
            self.epilog = resolved(self._epilog)()
        for action, option in self._declared.items():
            action.help = option.text()

    def below(self) -> Iterator[Parser]:
        """Yield the parsers of all sub-commands."""
        self.fill()
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    yield parser
                    yield from parser.below()

    def declared(self) -> Iterator[tuple[argparse.Action, Option]]:
        """Yield the arguments of this parser and of those of its sub-commands."""
        for parser in (self, *self.below()):
            yield from parser._declared.items()

    def format_usage(self) -> str:
        """Return the usage; "" while words are read, which Python asks for errors beforehand."""
        return "" if self._mixing else super().format_usage()

    def _recall_usage(self) -> None:
        """Set the usage that was not worked out while words are read."""
        if self._mixing and not self.usage:
            whole = Parser(self.command, prog=self.prog)
            whole.fill()
            self.usage = whole.format_usage().partition(": ")[2]
        self._mixing = False

    def format_help(self) -> str:
        """Return the help with the examples of this command."""
        self._recall_usage()
        self.describe()
        rows = [f"  {command}\n      {effect}\n" for command, effect in examples()[self.prog]]
        return super().format_help() + ("\nexamples:\n" + "".join(rows) if rows else "")

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        self._recall_usage()
        super().error(clean(message))


def whole_parser() -> Parser:
    """Return the parser of all commands, each of which otherwise has one of its own."""
    parser = Parser("+program", prog=PROGRAM)
    parser.describe()
    actions = parser.add_subparsers(metavar="COMMAND", dest="command", title="commands")
    for name in homes():
        summary = commands()[name].description().partition("\n")[0]
        actions.add_parser(name, help=summary, command=name)
    for below in parser.below():
        below.describe()
    return parser


def chosen(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of the sub-command that the words name, the parser itself without one."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            name = next((word for word in words if word in action.choices), None)
            return parser if name is None else chosen(action.choices[name], words)
    return parser


def _older(option: Option) -> Iterator[tuple[str, str]]:
    """Yield the older spellings of an option, each with its new one; with advice if it is gone."""
    if option.type == _GONE:
        yield from [(flag, option.help) for flag in option.flags.split()]
    for spelling in option.was.split():
        old, _, new = spelling.partition(">")
        yield old, new or option.flag


def _add(group: Any, option: Option) -> argparse.Action:
    """Add an option to a parser or to a group of its arguments, without its help."""
    value, times = option.value.rstrip("+?*…"), option.value[-1:]
    constant = option.sets.partition("=")[2]
    check = _check(option.type)
    given: dict[str, Any] = {"dest": option.keyword} if option.flags else {}
    default: Any = None if option.default[:1] in ("", "(") else option.default
    if constant and not option.value:
        given |= {"action": "store_const", "const": _CONSTANTS.get(constant, constant)}
        default = not given["const"] if isinstance(given["const"], bool) else None
    elif isinstance(check, type):
        given |= {"action": check} | ({} if value else {"nargs": 0})
    else:
        given |= {"type": check} if check else {}
        given |= {"const": constant} if constant else {}
        if not value:
            given["choices"] = [check(name) if check else name for name in option.values()]
    if value:
        given["metavar"] = value
    if times == "…":
        given["action"] = "append"
    elif times in ("?", "*", "+") and times:
        given["nargs"] = times
        default = [default] if default and times != "?" else default
    names = option.flags.split() or [option.keyword]
    action: argparse.Action = group.add_argument(*names, default=default, **given)
    return action


def _check(kind: str) -> Any:
    """Return the function that checks a value, or the action of an option; None for a file."""
    if kind.partition(":")[0] in _FILES:
        return None
    if not kind:
        return in_utf8
    return resolved(kind) if ":" in kind else globals()[kind]


# --- the values -----------------------------------------------------------------------------------


def count(text: str, *, least: int = 0) -> int:
    """Return the value of an option that takes a number from `least` on.

    Raises:
        ArgumentTypeError: the text is no such number, or has too many digits.
    """
    if text.isascii() and text.isdigit() and len(text) > _DIGITS:
        raise argparse.ArgumentTypeError(f"a number has at most {_DIGITS} digits, not {len(text)}")
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from {least} upwards")
    return int(text)


def positive(text: str) -> int:
    """Return the value of an option that takes a number from 1 on."""
    return count(text, least=1)


def samples(text: str) -> int:
    """Return a number of samples.

    Raises:
        ArgumentTypeError: it is no number from 1 on, or so large that the run would not end.
    """
    if (number := positive(text)) > _MOST_SAMPLES:
        raise argparse.ArgumentTypeError(
            f"{number:,} samples are too many: {_MOST_SAMPLES:,} at most"
        )
    return number


def number(text: str) -> float:
    """Return the value of an option that takes any number.

    Raises:
        ArgumentTypeError: the text is no number.
    """
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no number") from None


def ratio(text: str) -> float:
    """Return the value of an option that takes a number from 0 to 1.

    Raises:
        ArgumentTypeError: the text is no such number.
    """
    with suppress(ValueError):
        if 0 <= (value := float(text)) <= 1:
            return value
    raise argparse.ArgumentTypeError(f"{text} is no number from 0 to 1")


def shares(text: str) -> tuple[int, ...]:
    """Return the shares of train, dev and test in percent.

    Raises:
        ArgumentTypeError: they are not three numbers that make 100.
    """
    parts = tuple(map(count, text.split("/")))
    if len(parts) != 3 or sum(parts) != 100 or not parts[0]:
        raise argparse.ArgumentTypeError(f"{text}: expected three shares of 100, as in 80/10/10")
    return parts


def number_of_jobs(text: str) -> int:
    """Return the value of --jobs; 0 for `auto`.

    Raises:
        ArgumentTypeError: the text is neither such a number nor `auto`.
    """
    if text == "auto":
        return 0
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text} is neither a number of processes nor auto")
    if (jobs := count(text)) > _MOST_JOBS:
        raise argparse.ArgumentTypeError(f"at most {_MOST_JOBS} processes can work, not {text}")
    return jobs
