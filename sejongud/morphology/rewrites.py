"""The rows of rules/alignment.tsv and rules/joins.tsv, compiled into rewrites of symbols.

A symbol is one character: leads and codas are conjoining jamo, to tell them apart; vowels, and
consonants that stand alone (ㄴ of ㄴ다, ㅋ of ㅋㅋ), are compatibility jamo. Conjoining jamo of the
input are read as compatibility jamo, so they cannot be mistaken for symbols; those of Old Hangul
stay as they are. `BORDER` stands between two morphemes. Example: the symbols of 가/VV+ㄴ/ETM are
those of 가, `BORDER` and ㄴ; the row "coda fusion" rewrites ㄴ as the coda ㄴ.

The rows of rules/joins.tsv make morphemes as Kiwi's join has to be given them. Kiwi conjugates by
its tags: 짓/VV+어/EC makes 짓어, and 짓/VV-I+어/EC makes 지어.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import Memo, lazy_pattern
from sejongud.morphology.hangul import (
    CODAS,
    LEADS,
    VOWELS,
    compose,
    decompose,
    is_syllable,
    to_compatibility,
)
from sejongud.rules.bounded import fits
from sejongud.rules.tables import located
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.rules import Row, Rules


WEAK = 100
"""Cost added to a weak rule: a chain without a weak rule is cheaper than any chain with one."""
BORDER = "\0"
"""The symbol between two morphemes."""
WINDOW = 3
"""How many symbols of the source `RewriteTable` looks rewrites up by."""

MISSPELT, SILENT, STRAY = "{jamo} {jamo}", "#{symbol}# ", " {symbol}"
"""Underlying and surface side of the rows whose symbols are any of a class."""
_OPEN = (MISSPELT, SILENT, STRAY)

_LEAD = {jamo: chr(0x1100 + index) for index, jamo in enumerate(LEADS)}
BOUND = {jamo: chr(0x11A7 + index) for index, jamo in enumerate(CODAS) if jamo}
"""Coda → the conjoining jamo that stands for it."""
PLACES = (frozenset(_LEAD.values()), frozenset(VOWELS), frozenset(BOUND.values()))
"""The symbols of leads, of vowels and of codas."""
_OLD_VOWELS = frozenset(map(chr, range(0x1176, 0x11A8)))
"""Conjoining vowels of Old Hangul; as a compatibility letter ㆍ could not be told from a dot."""
ENDS_IN = dict.fromkeys([*VOWELS, *_OLD_VOWELS], "vowel") | dict.fromkeys(BOUND.values(), "coda")
"""Symbol → the value of the column `follows` that it satisfies; `OTHER` for every other symbol."""
OTHER = "other"
_FOLLOWS = frozenset([*ENDS_IN.values(), OTHER])
# A bound consonant behind one of these, at the beginning of a morpheme, stands alone.
_OPENINGS = frozenset([*VOWELS, *"()"])


class Rewrite(NamedTuple):
    """One row of the table, for one choice from its sets."""

    name: str
    cost: int
    barred: tuple[frozenset[str], ...]
    """For each of its morphemes the tags it may not have."""
    behind: str = ""
    """The symbols that its first morpheme must have before it."""
    before: str = ""
    """The symbols of the morphemes that it rewrites."""
    needed: str = ""
    """`before` and the symbols that must follow it."""
    after: tuple[str, ...] = ("",)
    """The surface it leaves, divided among its morphemes, or one piece that all of them share."""
    surface: str = ""
    """`after`, joined."""
    starts: bool = False
    """Whether it begins where a morpheme begins."""
    ends: bool = False
    """Whether it ends where a morpheme ends."""
    follows: frozenset[str] = frozenset()
    """What the surface before it may end in; empty for anything."""
    weak: bool = False
    """Whether an alignment by it is to be reported."""


class RewriteTable(NamedTuple):
    """The compiled table; rewrites are looked up by the next `WINDOW` symbols of the source."""

    strict: Memo[str, list[Rewrite]]
    weak: Memo[str, list[Rewrite]]
    open: dict[str, list[Rewrite]]
    """The rows for a class of symbols, by their underlying and surface side."""


def symbols_of(equivalents: Mapping[str, str]) -> Memo[str, str]:
    """Return a mapping from each character to its symbols.

    Args:
        equivalents: character → the character that it counts as.
    """

    def symbols(char: str) -> str:
        if char in PLACES[0] or char in _OLD_VOWELS or char in PLACES[2]:
            return char  # of a syllable that has no code point
        char = to_compatibility(char)
        same = equivalents.get(char, char).lower()
        if is_syllable(same):
            return _syllable(same)
        return "" if same.isspace() else same.replace(BORDER, "\ufffd")

    return Memo(symbols, size=12_000)


def _syllable(char: str) -> str:
    lead, vowel, coda = decompose(char)
    return _LEAD[lead] + vowel + BOUND.get(coda, "")


@lru_cache(maxsize=8)
def compile_table(rules: Rules) -> RewriteTable:
    """Compile the table `alignment`, once for the same tables: it takes milliseconds.

    Raises:
        RulesError: a row cannot be used.
    """
    named: dict[str, set[str]] = {}
    for tag in rules.tags:
        for name in (tag, rules.kind(tag)):
            named.setdefault(name, set()).add(tag)
    tags = frozenset(rules.tags)
    barred: Memo[str, frozenset[str]] = Memo(
        lambda condition: _barred(condition, named, tags), size=1_000
    )
    rewrites: dict[bool, list[Rewrite]] = {False: [], True: []}
    classes: dict[str, list[Rewrite]] = {sides: [] for sides in _OPEN}

    def compiled(row: Row) -> list[Rewrite]:
        is_open = f"{row['underlying']} {row['surface']}" in classes
        try:
            return list((_open_rewrite if is_open else _compile_row)(row, barred))
        except ValueError as error:
            fault = located(rules.sources("alignment"), row, f"{row['name']}: {error}")
            if rules.leaves_out("alignment", fault.path):
                return []
            raise fault from None

    for row in rules.table("alignment"):
        sides = f"{row['underlying']} {row['surface']}"
        group = classes[sides] if sides in classes else rewrites[bool(row["weak"])]
        group += compiled(row)
    return RewriteTable(_by_window(rewrites[False]), _by_window(rewrites[True]), classes)


def _by_window(rewrites: Sequence[Rewrite]) -> Memo[str, list[Rewrite]]:
    """Return a mapping from the next symbols of the source to the rewrites that may fit there."""
    by_first: dict[str, list[Rewrite]] = {}
    # The first of equal paths stays, so the more specific rewrites come first.
    for rewrite in sorted(rewrites, key=lambda rewrite: len(rewrite.before) == 1):
        by_first.setdefault(rewrite.needed[0], []).append(rewrite)

    def fitting(window: str) -> list[Rewrite]:
        several = by_first.get(window[0], ())
        return [rewrite for rewrite in several if window.startswith(rewrite.needed[:WINDOW])]

    return Memo(fitting, size=8_000)


def _barred(condition: str, named: Mapping[str, set[str]], tags: frozenset[str]) -> frozenset[str]:
    """Return the tags that do not satisfy a condition.

    Args:
        condition: patterns of tags and kinds.
        named: tag or kind → the tags of this name.
        tags: all of them.

    Raises:
        ValueError: a pattern of the condition fits no tag and no kind.
    """
    allowed: set[str] = set()
    for pattern in condition.removeprefix("!").split("|"):
        # Most patterns are a tag or a kind.
        fitting = named.get(pattern) or {tag for tag in tags if fits(tag, pattern)}
        if not fitting:
            raise ValueError(f"no tag and no kind {pattern!r}")
        allowed |= fitting
    return frozenset(allowed if condition.startswith("!") else tags - allowed)


def _open_rewrite(row: Row, barred: Mapping[str, frozenset[str]]) -> Iterator[Rewrite]:
    """Yield what all rewrites share of a row whose symbols are any of a class."""
    if not row["weak"]:
        raise ValueError("a row with a class in braces has to be weak")
    if row["follows"]:
        raise ValueError("a row with a class in braces has no condition in follows")
    yield Rewrite(row["name"], int(row["cost"]) + WEAK, (barred[row["tags"]],), weak=True)


def _compile_row(row: Row, barred: Mapping[str, frozenset[str]]) -> Iterator[Rewrite]:
    """Yield the rewrites of one row, one for each choice from its sets.

    Raises:
        ValueError: the row cannot be used.
    """
    if "{" in row["underlying"] + row["surface"]:
        raise ValueError(f"a class in braces stands as in {' or '.join(map(repr, _OPEN))}")
    tags = row["tags"].split("+")
    follows = frozenset(row["follows"].split("|")) if row["follows"] else frozenset()
    if not follows <= _FOLLOWS:
        raise ValueError(f"follows should be of: {', '.join(sorted(_FOLLOWS))}")
    for underlying, surface in _expand(row):
        behind, before, ahead = _contexts(underlying)
        after = tuple(surface.split(BORDER))
        size = before.count(BORDER) + 1
        if not before:
            raise ValueError("underlying rewrites nothing")
        if len(tags) != size + ahead.count(BORDER):
            raise ValueError(
                f"tags is for {counted(len(tags), 'morpheme[s]')}, underlying has {size}"
            )
        if len(after) not in (1, size):
            raise ValueError(
                f"surface is of {counted(len(after), 'morpheme[s]')}, underlying has {size}"
            )
        yield Rewrite(
            row["name"],
            int(row["cost"]) + (WEAK if row["weak"] else 0),
            tuple([barred[condition] for condition in tags]),
            behind,
            before,
            before + ahead,
            after,
            "".join(after),
            starts=row["underlying"].startswith("#"),
            ends=row["underlying"].endswith("#"),
            follows=follows,
            weak=bool(row["weak"]),
        )


def _contexts(pattern: str) -> tuple[str, str, str]:
    """Split `(a)b(c)` into the context before, the symbols to rewrite and the context behind."""
    behind, before, ahead = "", pattern, ""
    if before.startswith("("):
        behind, _, before = before[1:].partition(")")
    if before.endswith(")"):
        before, _, ahead = before[:-1].rpartition("(")
    return behind, before, ahead


def _expand(row: Row) -> Iterator[tuple[str, str]]:
    """Yield both sides for every choice from the sets.

    Sets of one size go together: the first member of one with the first member of the other.
    """
    left = list(_tokens(row["underlying"], bare=True))
    right = list(_tokens(row["surface"], bare=False))
    sizes, wanted = [{len(token) for token in side if len(token) > 1} for side in (left, right)]
    if not wanted <= sizes:
        raise ValueError("a set of surface has not as many members as one of underlying")
    for picks in product(*[range(size) for size in sizes]):
        chosen = {1: 0} | dict(zip(sizes, picks, strict=True))
        yield _pick(left, chosen), _pick(right, chosen)


def _pick(tokens: Sequence[tuple[str, ...]], chosen: Mapping[int, int]) -> str:
    return "".join([token[chosen[len(token)]] for token in tokens])


def _tokens(pattern: str, *, bare: bool) -> Iterator[tuple[str, ...]]:
    """Yield the choices at each place of a pattern; outside a set there is only one.

    With `bare`, a bound consonant that begins a morpheme stands alone, and one behind a vowel that
    begins it as well (ㅏㅆ); otherwise it is the coda of the syllable before, as on the surface.
    """
    choices: list[str] | None = None
    bound = False
    begins = bare and pattern.startswith("#")
    for char in pattern.strip("#"):
        if char == "-" and not bound:
            bound = True
        elif char == "[":
            choices = []
        elif char == "]" and choices is not None:
            yield tuple(choices)
            begins = begins and _OPENINGS.issuperset(choices)
            choices = None
        else:
            symbols = _symbol(char, bound=bound, begins=begins)
            bound = False
            if choices is not None:
                choices.append(symbols)
            else:
                yield (symbols,)
                begins = bare and (char == "+" or (begins and char in _OPENINGS))


def _symbol(char: str, *, bound: bool, begins: bool) -> str:
    """Return the symbols of a character of a pattern.

    Raises:
        ValueError: `symbols_of` makes this character of no form, so the row would never apply.
    """
    if char.isspace() or char != char.lower():
        raise ValueError(
            f"no form has {char!r} when it is compared: blanks are left out and letters are small;"
            " tags stand in the column tags"
        )
    if bound:
        return char if begins else BOUND.get(char, char)
    if is_syllable(char):
        return _syllable(char)
    return BORDER if char == "+" else _LEAD.get(char, char)


Pair = tuple[str, str]
"""A form and a tag."""

_PIECE = lazy_pattern(r"(-?)([1-9])(?:/(\S+))?|([^\s/]+)/(\S+)")


class _Piece(NamedTuple):
    """A morpheme that Kiwi is given."""

    row_index: int
    """The morpheme of the row whose form it has, from 0; -1 for a form of its own."""
    form: str
    tag: str
    """The tag of Kiwi; "" for the morpheme's own."""
    skipped: int
    """The number of letters that are left out at the beginning of the morpheme."""


class Join(NamedTuple):
    """A row of the table."""

    patterns: tuple[tuple[str, tuple[str, ...]], ...]
    """For each morpheme the pattern of its form, and those of its tag."""
    follows: str
    pieces: tuple[_Piece, ...]
    """In place of the first morphemes; the others are context."""
    size: int
    """The number of morphemes that are replaced."""


@lru_cache(maxsize=8)
def compile_joins(rules: Rules) -> tuple[Join, ...]:
    """Compile the table `joins`, once for the same tables.

    Raises:
        RulesError: a row cannot be used.
    """
    return tuple([_compiled(rules, row) for row in rules.table("joins")])


def _compiled(rules: Rules, row: Row) -> Join:
    forms, tags = row["forms"].split("+"), row["tags"].split("+")
    pieces = [_piece(text, len(forms)) for text in row["joined"].split("+")]
    if len(forms) != len(tags) or None in pieces:
        message = (
            f"{row['name']}: {row['forms']} has {len(forms)} morphemes and {row['tags']}"
            f" {len(tags)} tags; {row['joined']} should name them as in 1/VV-I+2"
        )
        raise located(rules.sources("joins"), row, message)
    chosen = [piece for piece in pieces if piece is not None]
    size = len(forms)
    while size > 1 and len(chosen) > 1 and chosen[-1] == _Piece(size - 1, "", "", 0):
        chosen.pop()
        size -= 1
    patterns = tuple(zip(forms, [tuple(tag.split("|")) for tag in tags], strict=True))
    return Join(patterns, row["follows"], tuple(chosen), size)


def _piece(text: str, size: int) -> _Piece | None:
    """Return a piece of the column `joined`; None if it is none of a row with `size` morphemes."""
    match = _PIECE.fullmatch(text)
    if match is None:
        return None
    shortened, number, tag, form, form_tag = match.groups()
    if form:
        return _Piece(-1, form, form_tag, 0)
    return _Piece(int(number) - 1, "", tag or "", len(shortened)) if int(number) <= size else None


def joined(joins: Sequence[Join], morphemes: Sequence[Pair]) -> list[Pair]:
    """Return the morphemes that Kiwi is given for the morphemes of an eojeol.

    Args:
        joins: the compiled table.
        morphemes: form and Sejong tag of each.

    Returns:
        Form and tag of each; the tag is Kiwi's where a row states it.

    >>> from sejongud.rules import load
    >>> joined(compile_joins(load()), [("짓", "VV"), ("어", "EC")])
    [('짓', 'VV-I'), ('어', 'EC')]
    """
    pairs: list[Pair] = []
    index = 0
    longest = max([len(row.patterns) for row in joins], default=0)
    while index < len(morphemes):
        ending = _ending(morphemes[index - 1][0]) if index else ""
        ahead = morphemes[index : index + longest]
        join = next((row for row in joins if _fits(row, ahead, ending)), None)
        if join is None:
            pairs.append(morphemes[index])
            index += 1
            continue
        for piece in join.pieces:
            form, tag = (
                morphemes[index + piece.row_index] if piece.row_index >= 0 else (piece.form, "")
            )
            pairs.append((form[piece.skipped :], piece.tag or tag))
        index += join.size
    return pairs


def _fits(join: Join, morphemes: Sequence[Pair], ending: str) -> bool:
    if len(join.patterns) > len(morphemes) or (join.follows and join.follows != ending):
        return False
    return all(
        fits(form, pattern) and any([fits(tag, tag_pattern) for tag_pattern in tags])
        for (pattern, tags), (form, tag) in zip(join.patterns, morphemes, strict=False)
    )


def _ending(form: str) -> str:
    """Return what a form ends in, as the column `follows` has it.

    >>> _ending("학교"), _ending("학생"), _ending("PD")
    ('vowel', 'coda', 'other')
    """
    if not is_syllable(form[-1:]):
        return "other"
    return "coda" if decompose(form[-1])[2] else "vowel"


def attached(form: str, rest: str) -> str:
    """Join two forms; a bound consonant goes under an open syllable.

    >>> attached("어요", "ㅂ"), attached("깨끗", "이")
    ('어욥', '깨끗이')
    """
    if rest in BOUND and is_syllable(form[-1:]):
        lead, vowel, coda = decompose(form[-1])
        if not coda:
            return form[:-1] + compose(lead, vowel, rest)
    return form + rest
