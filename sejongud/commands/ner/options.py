"""Options that several sub-commands of `ner` and of `frame` have."""

from __future__ import annotations

import argparse

from sejongud.converters.eoj2morph import EXCLUSIONS
from sejongud.formats import ENTITY_FORMATS


def add_format(
    parser: argparse.ArgumentParser, summary: str, option: str = "--from", dest: str = "format"
) -> None:
    """Add the option that names the format of a corpus.

    Args:
        parser: the parser.
        summary: the help, before the list of the formats.
        option: the name of the option.
        dest: the name of the argument.
    """
    parser.add_argument(
        option,
        dest=dest,
        metavar="NAME[:SETTINGS]",
        help=f"{summary}: {', '.join(ENTITY_FORMATS)}; for example naver:PER-B",
    )
    parser.add_argument("--format", dest=dest, help=argparse.SUPPRESS)


def add_inherit(parser: argparse.ArgumentParser) -> None:
    """Add --inherit and --exclusion."""
    parser.add_argument(
        "--inherit",
        action="store_true",
        help="give the label of an eojeol to all its morphemes, particles included",
    )
    parser.add_argument(
        "--exclusion",
        choices=EXCLUSIONS,
        default=EXCLUSIONS[0],
        help="rule for the morphemes of an eojeol that get no label: 'borders' decides by the class"
        " of the entity, 'paper' follows the paper literally (default: %(default)s)",
    )


def add_label_scheme(parser: argparse.ArgumentParser) -> None:
    """Add --scheme."""
    parser.add_argument(
        "--scheme",
        choices=("bio", "bioes"),
        help="scheme of the labels of morphemes: bioes also has E- for the end of an entity, and S-"
        " for an entity of a single morpheme (default: bio; labels in CoNLL-U are kept)",
    )


def add_morphemes(
    parser: argparse.ArgumentParser, each: str = "", without: str = "Kiwi analyses them"
) -> None:
    """Add --morphemes.

    Args:
        parser: the parser.
        each: a further condition of the file, for its help.
        without: the effect of leaving it out, for its help.
    """
    parser.add_argument(
        "--morphemes",
        metavar="FILE",
        help=f"the same sentences with their morphemes (CoNLL-U, Sejong text …){each}; without it"
        f" {without}",
    )


def add_map(parser: argparse.ArgumentParser) -> None:
    """Add --map."""
    parser.add_argument(
        "--map",
        metavar="TABLE",
        help="give entities the types of another tag set. TABLE is a map of `rules show ne-map`,"
        " such as nikl-150-15 or naver-klue, or a file: each line has the old type, a tab and the"
        " new type (O deletes the entity)",
    )


def add_repair(parser: argparse.ArgumentParser) -> None:
    """Add --repair."""
    parser.add_argument(
        "--repair",
        action="store_true",
        help="mend labels that go on without having begun, as conlleval reads them",
    )
