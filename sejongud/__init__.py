"""Sejong-style Korean corpora in Universal Dependencies: converters and evaluation.

Read, make and write sentences:
    read           the sentences of a file or a folder, in any format
    loads          the sentences of a text
    analyze        the sentences of raw text, by Kiwi
    write          sentences to a file, in any format that is written
    Sentence       a sequence of words; .replace, .with_comments, .recut, .build make others
    to_dataframe   sentences as a table of pandas, a row a word
    surface        the text that morphemes make

Do what the command of the name does:
    convert        a file into another format or level
    join           the layers of several files of one text in one file
    freq           frequencies, key words and collocates, as a table of pandas
    draw           the picture of a sentence: SVG, PNG or LaTeX

The model, and what went wrong:
    Eojeol, Token, Word, Morpheme                   the parts of a sentence
    Report, Incident                                what was mended or left out
    SejongudError, FormatError, UsageError          errors

    evaluate       a system beside gold, as `eval` does
    run            any other command: run("dep morph2word", "morphemes.conllu", "words.conllu")

Further: sejongud.evaluation, sejongud.gec (annotate, score), sejongud.spark.

>>> import sejongud
>>> sejongud.Morpheme("의", "JKG").tag
'JKG'
"""

# Public names are imported from their modules when they are first used, so that `import sejongud`
# costs nothing.

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sejongud.__main__ import run
    from sejongud.api import analyze, convert, draw, freq, join, loads, read, write
    from sejongud.errors import FormatError, Incident, Report, SejongudError, UsageError
    from sejongud.evaluation import evaluate
    from sejongud.interop import to_dataframe
    from sejongud.model import Eojeol, Morpheme, Token, Word
    from sejongud.morphology.generation import surface
    from sejongud.sentence import Sentence
    from sejongud.version import __version__

__all__ = [
    "Eojeol",
    "FormatError",
    "Incident",
    "Morpheme",
    "Report",
    "SejongudError",
    "Sentence",
    "Token",
    "UsageError",
    "Word",
    "__version__",
    "analyze",
    "convert",
    "draw",
    "evaluate",
    "freq",
    "join",
    "loads",
    "read",
    "run",
    "surface",
    "to_dataframe",
    "write",
]

_HOMES = {
    "__version__": "sejongud.version",
    **dict.fromkeys(("analyze", "convert", "freq", "join", "loads", "read"), "sejongud.api"),
    **dict.fromkeys(("draw", "write"), "sejongud.api"),
    "evaluate": "sejongud.evaluation",
    "run": "sejongud.__main__",
    "to_dataframe": "sejongud.interop",
    **dict.fromkeys(
        ("FormatError", "Incident", "Report", "SejongudError", "UsageError"), "sejongud.errors"
    ),
    **dict.fromkeys(("Eojeol", "Morpheme", "Token", "Word"), "sejongud.model"),
    "Sentence": "sejongud.sentence",
    "surface": "sejongud.morphology.generation",
}
"""Where each public name is defined."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
