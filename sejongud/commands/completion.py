"""Print what completes the commands and options in a shell: bash, zsh or tcsh.

    sejongud completion bash > ~/.local/share/bash-completion/completions/sejongud
    sejongud completion zsh > "${fpath[1]}/_sejongud"

The script is made from the parsers by the library shtab (pip install 'sejongud[completion]'), and
completing starts no Python. `man` prints a manual page, by argparse-manpage of the same extra:

    sejongud completion man > ~/.local/share/man/man1/sejongud.1
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import sejongud.commands
from sejongud import __version__
from sejongud.arguments import top_parser
from sejongud.errors import require
from sejongud.formats import READERS, WRITERS

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHELLS = ("bash", "zsh", "tcsh")
_MAN = "man"
_NAMES = ("FILE", "DIR", "FOLDER", "OUT", "CONLLU", "WORDUD", "OTHER")
"""The names of values that are files, in help."""
_FORMAT, _FORMATS = "NAME", {"from_": READERS, "to": WRITERS}
"""The name of a value that is a format, and the formats of each option."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("shell", choices=(*_SHELLS, _MAN), help="the shell, or man")


def run(args: argparse.Namespace) -> int:
    """Print the script or the page."""
    make = _page if args.shell == _MAN else _script
    sys.stdout.write(make(whole_parser(), args.shell))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, each of which otherwise has one of its own."""
    parser = top_parser()
    actions = parser.add_subparsers(metavar="COMMAND", dest="command", title="commands")
    for name in sorted([module.name for module in iter_modules(sejongud.commands.__path__)]):
        module = import_module(f"sejongud.commands.{name}")
        text = module.__doc__ or ""
        own = actions.add_parser(
            name,
            help=text.partition("\n")[0],
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.register(own)
    return parser


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of the parsers below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _arguments(below)


def _script(parser: argparse.ArgumentParser, shell: str) -> str:
    shtab = require("shtab", "completion")
    for action in _arguments(parser):
        if action.metavar == _FORMAT and action.dest in _FORMATS:
            action.choices = _FORMATS[action.dest]
        is_name = not action.option_strings or action.metavar in _NAMES
        if is_name and action.choices is None and action.nargs != 0:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    script: str = shtab.complete(parser, shell)
    return script.rstrip("\n") + "\n"


def _page(parser: argparse.ArgumentParser, _: str) -> str:
    manpage = require("argparse_manpage.manpage", "completion")
    page = manpage.Manpage(parser)
    page.manual, page.source = "User Commands", f"sejongud {__version__}"
    return str(page).rstrip("\n") + "\n"
