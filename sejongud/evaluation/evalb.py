"""EVALB, the constituent scorer of Sekine and Collins (1997), with Ellis's repairs (2006).

The output is that of the C program, byte for byte: stdout, stderr, exit status, every key of the
parameter file. Texts are therefore handled as bytes, one character (Latin-1) a byte, and columns
are measured in bytes.

Words whose tag is a DELETE_LABEL are taken out of both trees; the words that are left must be the
same. The constituents over them are then compared (`sejongud.evaluation.parseval`). A line without
words in the test tree is skipped (Stat. 2); a line with an error is not summed up (Stat. 1).

This module differs where the C program's answer is undefined or plainly wrong:

- No limits: not 200 constituents or words to a sentence, 5000 bytes to a line, 100 to a word, 30 to
  a label, 20 quotation marks; the C program scores wrongly, crashes or stops there.
- A closing bracket too many closes nothing (the C program reads outside its stack there). The
  messages are the C program's: none for the first such bracket, `too many close bracket` for each
  further one, and `too many open bracket` at the end of the line.
- The only error of a line that ends behind a label (`(S (NP`) is its open brackets (the C program
  reads on in an older line).
- A parameter without a value is reported and ignored.

As in the C program, a word outside a bracket of its own ends everything: `Reading sentence` is
printed until MAX_ERROR is reached. The aligned mode (`sejongud.evaluation.parse`) goes on.
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError
from sejongud.evaluation.evalb_output import (
    format_comparison,
    format_details,
    format_reading,
    put_quotes_back,
)
from sejongud.evaluation.parseval import (
    ERROR,
    HEADER,
    SKIP,
    VALID,
    Constituents,
    ParsevalCounts,
    ParsevalRow,
    both_ways,
    format_summary,
)
from sejongud.formats.brackets import CLOSE, OPEN, STRAY, TOKEN, Tree, keep_words, parse, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Parameters:
    """The settings of EVALB; `rules/evalb.toml` describes each."""

    debug: int = 0
    max_error: int = 10
    cutoff_len: int = 40
    labeled: int = 1
    delete_label: tuple[str, ...] = ()
    delete_label_for_length: tuple[str, ...] = ()
    quote_label: tuple[str, ...] = ()
    eq_label: tuple[tuple[str, str], ...] = ()
    eq_word: tuple[tuple[str, str], ...] = ()

    @property
    def constituents(self) -> Constituents:
        """The constituents that count."""
        return Constituents(self.delete_label, self.eq_label, bool(self.labeled))


_NAMES = {field.name.upper(): field.name for field in fields(Parameters)}
_NUMBERS = {field.name for field in fields(Parameters) if isinstance(field.default, int)}
_PAIRS = {name for name in _NAMES.values() if name.startswith("eq_")}


_LARGEST = (1 << 63) - 1
_LONGEST = 20
"""The digits after which a number is larger than the largest."""


def atoi(text: str) -> int:
    """Return the number at the beginning of a text as C reads it; 0 if there is none.

    A number that is too large becomes the largest of 64 bits, of which the last 32 bits count.

    >>> atoi("10 errors"), atoi("none"), atoi("-" + "9" * 5000)
    (10, 0, 0)
    """
    match = re.match(r"\s*([+-]?)0*([0-9]*)", text, re.ASCII)
    if match is None or not match[2]:
        return 0
    number = min(int(f"{match[1]}{match[2][:_LONGEST]}"), _LARGEST)
    return (max(number, -_LARGEST - 1) + (1 << 31)) % (1 << 32) - (1 << 31)


def read_parameters(
    lines: Iterable[str], parameters: Parameters, warn: Callable[[str], None]
) -> Parameters:
    """Read a parameter file.

    Args:
        lines: its lines.
        parameters: the parameters so far; numbers are replaced, lists are extended.
        warn: called with a message for each line that cannot be used.

    >>> read_parameters(["DELETE_LABEL TOP", "# note", "LABELED 0"], Parameters(), print).labeled
    0
    """
    changes: dict[str, Any] = {}
    for number, line in enumerate(lines, 1):
        line = line.rstrip(" \t\n\r\f\v")
        if line.startswith("#") or len(line) < 3:
            continue
        keyword, *value = re.split(r"\s+", line, maxsplit=1, flags=re.ASCII)
        name = _NAMES.get(keyword)
        if not value:
            warn(f"Empty value in parameter file ({number})")
        elif name is None:
            warn(f"Unknown keyword ({line}) in parameter file")
        elif name in _NUMBERS:
            changes[name] = atoi(value[0])
        elif name in _PAIRS:
            pair = re.split(r"\s+", value[0], flags=re.ASCII)
            if len(pair) == 2:
                changes.setdefault(name, []).append(tuple(pair))
            else:
                warn(f"{keyword} requires two values")
        else:
            changes.setdefault(name, []).append(value[0])
    return _extend(parameters, changes)


def load_parameters(
    name: str, parameters: Parameters | None = None, directory: str | None = None
) -> Parameters:
    """Load a set of parameters that comes with the package.

    Args:
        name: `COLLINS`, `new`, `nk`, `SPMRL` or `aligned` (see `rules/evalb.toml`).
        parameters: the parameters so far; numbers are replaced, lists are extended.
        directory: the user's tables, as for `sejongud.rules.load`.

    Raises:
        FileNotFoundError: there is no such set; callers look for a file of this name before.

    >>> load_parameters("COLLINS").eq_label
    (('ADVP', 'PRT'),)
    """
    from sejongud.rules import load

    sets = load(directory).settings("evalb")
    if name not in sets:
        message = f"neither a file nor a set of rules/evalb.toml ({', '.join(sets)})"
        raise FileNotFoundError(errno.ENOENT, message, name)
    changes = sets[name]
    return _extend(
        parameters or Parameters(),
        {key: [*map(tuple, changes[key])] if key in _PAIRS else changes[key] for key in changes},
    )


def _extend(parameters: Parameters, changes: Mapping[str, Any]) -> Parameters:
    """Replace the numbers of parameters and continue their lists."""
    values: dict[str, Any] = {
        name: value if name in _NUMBERS else (*getattr(parameters, name), *value)
        for name, value in changes.items()
    }
    return replace(parameters, **values)


_WORD_WITHOUT_END = re.compile(r"\s+[^\s()]+(?![^\s)])", re.ASCII)
"""A word behind a label, without a bracket behind it."""


class _TooManyErrorsError(Exception):
    """The errors have reached MAX_ERROR."""


def evaluate(
    gold_lines: Sequence[str],
    test_lines: Sequence[str],
    parameters: Parameters,
    out: BinaryIO,
    err: BinaryIO,
) -> int:
    """Score a test file against a gold file as EVALB does.

    Args:
        gold_lines: lines without their ends, a tree on each, a character a byte (Latin-1).
        test_lines: the lines of the test file.
        parameters: the settings, in the same encoding.
        out: the stream for the table.
        err: the stream for the messages.

    Returns:
        The exit status: 0, or 1 if MAX_ERROR was reached; then there is no summary.
    """
    run = _Evalb(parameters, out, err)
    run.write(HEADER)
    try:
        run.score(gold_lines, test_lines)
    except _TooManyErrorsError:
        return 1
    # A 64-bit PC prints 0/0 as -nan.
    run.write(format_summary(run.rows, parameters.cutoff_len, undefined="-nan"))
    return 0


class _Evalb:
    """The state of one evaluation."""

    def __init__(self, parameters: Parameters, out: BinaryIO, err: BinaryIO) -> None:
        self.parameters = parameters
        self.deleted = frozenset(parameters.delete_label)
        self.uncounted = frozenset(parameters.delete_label_for_length)
        self.constituents = parameters.constituents
        self.equal_words = both_ways(parameters.eq_word)
        self.out = out
        self.err = err
        self.on_terminal = out.isatty()
        self.rows: list[ParsevalRow] = []
        self.line = 0
        self.status = VALID
        self.errors = 0

    def write(self, *texts: str) -> None:
        self.out.write("".join(texts).encode("latin-1"))

    def error(self, message: str) -> None:
        """Report an error of the current line.

        Raises:
            _TooManyErrorsError: more than MAX_ERROR errors were reported before.
        """
        self.status = ERROR
        if self.on_terminal:
            self.out.flush()
        self.err.write(f"{self.line} : {message}\n".encode("latin-1"))
        self.err.flush()
        self.errors += 1
        if self.errors > self.parameters.max_error + 1:
            raise _TooManyErrorsError

    def score(self, gold_lines: Sequence[str], test_lines: Sequence[str]) -> None:
        """Score all lines."""
        for gold_line, test_line in zip_longest(gold_lines, test_lines):
            self.line += 1
            self.status = VALID
            if gold_line is None:
                self.error("Number of lines unmatch (too many lines in test file)")
                return
            gold = self.read(gold_line)
            if test_line is None:
                self.error("Number of lines unmatch (too many lines in gold file)")
                return
            self.score_pair(gold, self.read(test_line), gold_line, test_line)

    def read(self, text: str) -> Tree:
        """Read a line and report its errors."""
        if self.parameters.debug > 1:
            self.write(*format_reading(text, self.deleted))
        try:
            return parse(text)
        except FormatError:
            return self.read_malformed(text)

    def read_malformed(self, text: str) -> Tree:
        """Report the errors of a line that is not well-formed, and read its usable part."""
        depth = 0  # below 0 after too many closing brackets
        for match in TOKEN.finditer(text):
            kind = tokens[match[0]].kind
            if kind == OPEN:
                if _WORD_WITHOUT_END.match(text, match.end()):
                    self.error("More than two elements in a bracket")
                depth += 1
            elif kind == CLOSE:
                if depth < 0:
                    self.error("Bracketing unbalance (too many close bracket)")
                depth -= 1
            while kind == STRAY:  # until there are too many errors
                self.error("Reading sentence")
        if depth != 0:
            self.error("Bracketing is unbalanced (too many open bracket)")
        return parse(text, is_whole=False)

    def score_pair(self, gold: Tree, test: Tree, gold_line: str, test_line: str) -> None:
        """Score a line, write its row and, in debug mode, the details."""
        if self.parameters.debug > 1:
            self.write("\n")
        length = len(gold.tags) - sum(map(self.uncounted.__contains__, gold.tags))
        read = gold, test
        gold, test = self.without_deleted(gold), self.without_deleted(test)
        if test.words and len(gold.words) != len(test.words) and self.parameters.quote_label:
            gold, test, notes = put_quotes_back(*read, self.parameters.quote_label, self.deleted)
            if self.parameters.debug > 1:
                self.write(*notes)
        counts = ParsevalCounts()
        constituents = self.constituents if self.is_comparable(gold, test) else None
        if constituents is not None:
            counts = constituents.compare(
                constituents.of(gold),
                constituents.of(test),
                words=len(gold.words),
                tags=sum(map(constituents.same_label, gold.tags, test.tags)),
            )
            if self.parameters.debug > 1:
                self.write(*format_comparison(gold, test, gold_line, test_line, constituents))
        row = ParsevalRow(self.line, length, self.status, counts)
        self.rows.append(row)
        self.write(str(row))
        if self.parameters.debug > 0:
            self.write(*format_details(gold, test, constituents))

    def without_deleted(self, tree: Tree) -> Tree:
        """Return a tree over the words that count."""
        return keep_words(tree, [tag not in self.deleted for tag in tree.tags])

    def is_comparable(self, gold: Tree, test: Tree) -> bool:
        """Return whether two trees have the same words; if not, set the status and report why."""
        if not test.words:
            self.status = SKIP
            return False
        if len(gold.words) != len(test.words):
            self.error(f"Length unmatch ({len(gold.words)}|{len(test.words)})")
            return False
        for pair in zip(gold.words, test.words, strict=True):
            if pair[0] != pair[1] and pair not in self.equal_words:
                self.error(f"Words unmatch ({pair[0]}|{pair[1]})")
                return False
        return True
