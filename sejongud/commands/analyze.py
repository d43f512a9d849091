"""Analyse raw text with Kiwi and write it as CoNLL-U or in another format of `convert`.

A line is a sentence; with --split a line is a paragraph, and Kiwi finds its sentences. Kiwi's tags
are converted to the tags of the Sejong corpus. The option --jobs sets the number of Kiwi's threads;
without it Kiwi uses one thread for each processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, add_input_output
from sejongud.commands.convert import add_feats, add_schemes, add_to, run
from sejongud.formats import TREES, WRITERS

if TYPE_CHECKING:
    import argparse

__all__ = ["register", "run"]


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; options of `convert` that raw text does not need have one value."""
    add_input_output(parser)
    add_to(parser, [name for name in WRITERS if name not in TREES])
    add_schemes(parser)
    add_feats(parser)
    parser.add_argument(
        "--split",
        action="store_true",
        help="take a line as a paragraph, let Kiwi find its sentences",
    )
    add_common_options(parser)
    parser.set_defaults(from_="text", deps=None, ne="misc", spaced=False, jobs=0)
    # --jobs are threads of Kiwi: the files of a folder come one after the other.
    parser.set_defaults(trees="none", scheme="", xpos="", aux_lemmas="", threads=True)
