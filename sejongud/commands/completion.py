"""Print the script that completes commands and options in a shell: bash, zsh or tcsh.

    sejongud completion bash > ~/.local/share/bash-completion/completions/sejongud
    sejongud completion zsh > "${fpath[1]}/_sejongud"

The script is made from the parsers by the library shtab (pip install 'sejongud[completion]'), and
completing starts no Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.arguments import whole_parser
from sejongud.commands import write_output
from sejongud.errors import require

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    shtab = require("shtab", "completion")
    parser = whole_parser()
    for action, option in parser.declared():
        if option.is_file or "FILE" in option.value or option.keyword in ("target", "outputs"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif option.value and not action.nargs:
            action.choices = list(option.values()) or None
    script: str = shtab.complete(parser, args.shell)
    write_output(args, script.rstrip("\n") + "\n")
    return 0
