"""Analyse raw text with Kiwi and write it as CoNLL-U or in another format of `convert`.

A line is a sentence; with --split a line is a paragraph, and Kiwi finds its sentences. Kiwi's tags
are converted to the tags of the Sejong corpus. The option --jobs sets the number of Kiwi's threads;
without it Kiwi uses one thread for each processor.
"""

from __future__ import annotations

from sejongud.commands.convert import run

__all__ = ["run"]
