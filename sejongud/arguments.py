"""The parsers of the command line, and the numbers in its options."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from sejongud.errors import similar
from sejongud.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGITS = 18
"""The most digits of a number in an option: the number fits into a word of the machine."""

_MOST_JOBS = 1000
"""The greatest number of processes or of threads of Kiwi; each needs memory of its own."""


class CleanParser(argparse.ArgumentParser):
    """A parser whose errors cannot control the terminal, and whose help ends with examples.

    An error names the option that was meant.
    """

    def format_help(self) -> str:
        """Return the help with the examples of this command."""
        from sejongud.examples import examples_text

        return super().format_help() + examples_text(self.prog)

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Return the parsed arguments; an unknown argument ends the process with status 2."""
        words = sys.argv[1:] if args is None else list(args)
        found, unknown = self.parse_known_args(words, namespace)
        if unknown:
            parser = chosen(self, words)
            shown = [
                name
                for name, action in parser._option_string_actions.items()
                if name.startswith("--") and action.help != argparse.SUPPRESS
            ]
            asked = [word.partition("=")[0] for word in unknown if word.startswith("--")]
            hint = next(filter(None, [similar(word, shown) for word in asked]), "")
            parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        super().error(clean(message))


def chosen(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of the sub-command that the words name, the parser itself without one."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            name = next((word for word in words if word in action.choices), None)
            return parser if name is None else chosen(action.choices[name], words)
    return parser


class Parser(CleanParser):
    """A parser that accepts options between the files as well: `IN --level 2 OUT`."""

    _mixing = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return the parsed arguments and the unknown arguments."""
        if self._mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False


def top_parser(usage: str | None = None) -> Parser:
    """Return the parser of the program itself, without its commands."""
    parser = Parser(
        prog="sejongud",
        usage=usage,
        description="Sejong-style Korean corpora in Universal Dependencies.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    parser.add_argument(
        "--versions",
        action="store_true",
        help="print the versions that results depend on",
    )
    return parser


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
