"""The round trips that a file can make, by its format.

A trip is a chain of conversions and the text that must come out at its end:

    sejong level 3         FILE → CoNLL-U of level 3 → Sejong text, equal to that of FILE
    sejong file            FILE → FILE, as our own writer writes it; likewise sejong-line and jsonl
    treebank level 3       FILE → CoNLL-U Plus of level 3 → FILE; likewise klue-dp
    klue-dp ud             FILE → CoNLL-U of level 3 with heads and relations of UD → FILE
    conllu level 3         FILE, our own CoNLL-U of any level → CoNLL-U of level 3 → FILE
    jsonl level 3          FILE → JSON Lines of level 3 → CoNLL-U, equal to that of FILE at level 3
    ner syl2morph          FILE → entities of morphemes → FILE; likewise eoj2morph
    frame eoj2morph        FILE → frames of morphemes → FILE
    gec level 3            FILE → CoNLL-U of level 3 with the edits in comments → FILE
    dep word2morph ud      FILE → dependencies of morphemes → FILE; likewise morphud
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.corpus_jobs import EntityConversion, FrameConversion
from sejongud.converters.jobs import Conversion, DependencyConversion, columns_of
from sejongud.converters.pair_jobs import PairConversion
from sejongud.errors import FormatError
from sejongud.formats import FORMATS, TREES, WRITERS, Detection, corrections_format, label_format
from sejongud.formats.conllu.layers import TREE_COLUMNS
from sejongud.formats.conllu.write import NE_PLACES
from sejongud.formats.labelled import exact_blocks, line_blocks
from sejongud.levels.heads import UD
from sejongud.levels.upos import upos_schemes
from sejongud.model import LEVELS, MORPHEMES, Sentence
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.formats.base import Block


_SAMPLE = 50
"""The number of sentences that show the options that a file was written with."""


class Trip(NamedTuple):
    """A chain of conversions and the text that must come back."""

    name: str
    format: str
    """The format that the file is read as."""
    steps: tuple[Conversion | DependencyConversion, ...]
    """The conversions, one after another."""
    text: Conversion | None = None
    """The conversion of the file to the text that must come back; None for the file itself."""


def trips_of(found: Detection, head: str, rules: str | None = None) -> list[Trip]:
    """Return the round trips of a file.

    Args:
        found: the file's format.
        head: the beginning of the file.
        rules: the user's tables.
    """
    name = found.name
    if found.is_entities:
        there = Conversion(found.spec, reader_options={"nested": False})
        action = "eoj2morph" if label_format(*found).unit == "eojeol" else "syl2morph"
        of_corpus = EntityConversion("conllu", "", made_from=str(found), is_named=True)
        return [Trip(f"ner {action}", name, (there, of_corpus))]
    if found.is_frames:
        frames = FrameConversion(found.spec)
        return [Trip("frame eoj2morph", name, (frames, FrameConversion("conllu")))]
    if found.is_corrections:
        if not corrections_format(*found).written:
            return []
        pairs = PairConversion("conllu", name, settings=found.settings, count_words=True)
        return _at_levels("gec", name, Conversion(found.spec), pairs)
    trips: list[Trip] = []
    if name in TREES:
        there, back = Conversion(name, columns=TREE_COLUMNS), Conversion("conllu", name)
        trips += _at_levels(name, name, there, back) if name == "treebank" else []
        return trips + _by_way_of_jsonl(name, TREE_COLUMNS)
    own = own_writer(name, head, rules)
    if own is not None and name == "conllu":
        trips += [
            Trip(f"conllu level {level}", name, (own.but(level=level), own))
            for level in _levels_of(own, head)
        ]
    elif own is not None:
        # The levels below tell whether its sentences come back from CoNLL-U.
        trips.append(Trip(f"{name} file", name, (own,)))
    if name == "klue-dp":
        ways = {f"level {level}": Conversion(name, level=level) for level in LEVELS}
        ways["ud"] = Conversion(name, level=3, scheme=UD)
        back = Conversion("conllu", name)
        trips += [Trip(f"{name} {way}", name, (there, back)) for way, there in ways.items()]
    text, back = Conversion(name, "sejong"), Conversion("conllu", "sejong")
    # Raw text is analysed only once: its Sejong text starts each trip.
    there = Conversion("sejong" if name == "text" else name)
    trips += _at_levels("sejong", name, there, back, text)
    if name != "text":
        trips += _by_way_of_jsonl(name, columns_of(name, head))
    heads = _HEAD.findall(head) if name == "conllu" and own is None else []
    if heads and all(map(str.isdigit, heads)):
        columns = columns_of(name, head)
        join = DependencyConversion("morph2word", columns=columns)
        for scheme in ("morphud", "ud"):
            split = DependencyConversion("word2morph", scheme=scheme, columns=columns)
            trips.append(Trip(f"dep word2morph {scheme}", name, (split, join)))
    return trips


def left_out(name: str, trips: list[Trip]) -> str:
    """Return why the trip `NAME file` of a format is not made; "" if it is, or never is."""
    own, kind = f"{name} file", FORMATS[name]
    is_never = not kind.writer or kind.ends == "other" or name in ("conllu", *TREES)
    if is_never or own in [trip.name for trip in trips]:
        return ""
    return f"no conversion `{own}`: most of its first sentences are written otherwise than they are"


def _at_levels(
    way: str, name: str, there: Conversion, back: Conversion, text: Conversion | None = None
) -> list[Trip]:
    """Return the trips of a file to the five levels and back."""
    return [
        Trip(f"{way} level {level}", name, (there.but(level=level), back), text) for level in LEVELS
    ]


def _by_way_of_jsonl(name: str, columns: tuple[str, ...]) -> list[Trip]:
    """Return the trips of a file to JSON Lines, from which its CoNLL-U of each level must come.

    Args:
        name: the file's format.
        columns: of CoNLL-U Plus, which its layers need.
    """
    back = Conversion("jsonl", "conllu", level=None, columns=columns)
    text = Conversion(name, "conllu", columns=columns)
    trips = _at_levels("jsonl", name, Conversion(name, "jsonl"), back)
    return [
        trip._replace(text=text.but(level=level)) for trip, level in zip(trips, LEVELS, strict=True)
    ]


_HEAD = re.compile(r"^\d+\t(?:[^\t\n]*\t){5}([^\t\n]*)\t", re.MULTILINE)


def blocks_of(name: str) -> Callable[[Iterable[str]], Iterator[Block]]:
    """Return the function that cuts a file of a format into blocks, mostly a sentence each."""
    return line_blocks if FORMATS[name].ends == "line" else exact_blocks


# --- the options that a file was written with -----------------------------------------------------


def own_writer(name: str, head: str, rules: str | None = None) -> Conversion | None:
    """Return the conversion that writes a file as it is; None if our own writer has not written it.

    The first sentences show each option: its value is the one by which most cells are written as
    they stand in the file. Most sentences must then be equal; the others were changed later.

    Args:
        name: the file's format.
        head: the beginning of the file.
        rules: the user's tables.
    """
    if name not in WRITERS:
        return None
    columns = columns_of(name, head) if name == "conllu" else ()
    level = None if name == "jsonl" else MORPHEMES
    own = Conversion(name, name, level=level, columns=columns, rules=rules)
    samples = list(islice(_samples(own, head), _SAMPLE))
    if name == "conllu" and any([sentence.is_treebank for sentence, _ in samples]):
        # Dependencies are projected on the words of a level; those inside of words are lost.
        return None
    for option, values in _options(name, rules):
        ways = [own.but(**{option: value}) for value in values]
        own = max(ways, key=lambda way: sum(map(_equal_cells, *_written(way, samples))))
    equal = [text == written for text, written in zip(*_written(own, samples), strict=True)]
    # Sejong text must always come back.
    return own if name == "sejong" or 2 * sum(equal) > len(samples) else None


def _options(name: str, rules: str | None) -> Iterator[tuple[str, Iterable[Any]]]:
    """Yield the options of a format's writer, each with its values, the likeliest first."""
    if name == "sejong":
        yield "spaced", (False, True)
    if name == "tokens":
        yield "mark", (True,)
        yield "with_tags", (True, False)
        yield "level", LEVELS[::-1]
    if name == "conllu":
        yield "level", LEVELS[::-1]
        yield "upos", upos_schemes(load(rules))
        yield "lemmas", load(rules).lemmas
        yield "deps", ("", "dummy")
        yield "ne", NE_PLACES


def _levels_of(own: Conversion, head: str) -> list[int]:
    """Return the levels whose words no constituent of the first sentences begins or ends in."""
    if TREE_COLUMNS[0] not in own.columns:
        return list(LEVELS)
    samples = list(islice(_samples(own, head), _SAMPLE))
    return [level for level in LEVELS if all(_written(own.but(level=level), samples)[1])]


def _samples(conversion: Conversion, head: str) -> Iterator[tuple[Sentence, str]]:
    """Yield the first sentences of a file, each with its text."""
    reader = conversion.make_reader()
    texts = {block.line: block.text for block in blocks_of(conversion.reader)([head])}
    with suppress(FormatError):  # The last sentence of the beginning is cut off.
        for block in reader.blocks([head]):
            with suppress(FormatError):
                yield reader.parse(block), texts.get(block.line, "")


def _written(way: Conversion, samples: list[tuple[Sentence, str]]) -> tuple[list[str], list[str]]:
    """Return the texts of sentences as they are, and as a conversion writes them.

    The text is "" if a constituent of a sentence begins or ends inside a word.
    """
    writer = way.make_writer()
    texts = []
    for sentence, _ in samples:
        with suppress(FormatError):
            texts.append(writer.sentence(sentence.but()))
            continue
        texts.append("")
    texts[:1] = [getattr(writer, "preamble", "") + text for text in texts[:1]]
    return [text for _, text in samples], texts


_CELL = re.compile(r'[\t"]')


def _equal_cells(text: str, other: str) -> int:
    """Return how many cells of two texts are equal, line by line from the end.

    >>> _equal_cells("# global.columns = ID\\n1\\t나\\n", "1\\t너\\n")
    2
    """
    lines = zip(text.split("\n")[::-1], other.split("\n")[::-1], strict=False)
    cells = [zip(_CELL.split(a), _CELL.split(b), strict=False) for a, b in lines]
    return sum([a == b for line in cells for a, b in line])
