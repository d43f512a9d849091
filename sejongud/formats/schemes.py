"""The spellings of labels in files (`PER_B` for B-PER), and their schemes.

The schemes are BIO, BIOES, IOB1, and BILOU and BMES, which are BIOES respelt. Their units are told
as well: labels are read of eojeols or of characters. Tokens may be morphemes or word pieces as
well, or characters of a text without its spaces; taken for eojeols, each would be analysed by
itself.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast
from unicodedata import category

from sejongud.errors import FormatError
from sejongud.layers.labels import OUTSIDE, LabelScheme, recode, split_label
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.formats.labelled import LabelFormat
    from sejongud.rules import Rules


class Spelling(NamedTuple):
    """The way in which a file writes labels."""

    joint: str
    """The character between prefix and type."""
    behind: bool
    """Whether the prefix follows the type."""
    outside: str
    """The tag that means O."""

    def read(self, tag: str) -> str:
        """Return the label of a tag; a tag in another spelling is its own label.

        >>> SPELLINGS["PER_B"].read("PER_B"), SPELLINGS["PER_B"].read("-")
        ('B-PER', 'O')
        """
        if tag == self.outside:
            return OUTSIDE
        if self.behind:
            of, joint, prefix = tag.rpartition(self.joint)
        else:
            prefix, joint, of = tag.partition(self.joint)
        return f"{prefix}-{of}" if joint and of and prefix in _PREFIXES else tag

    def write(self, label: str) -> str:
        """Return the tag of a label.

        >>> SPELLINGS["PER_B"].write("B-PER"), SPELLINGS["PER_B"].write("O")
        ('PER_B', '-')
        """
        if label == OUTSIDE:
            return self.outside
        prefix, of = split_label(label)
        if not of:
            return label
        return f"{of}{self.joint}{prefix}" if self.behind else f"{prefix}{self.joint}{of}"

    def has(self, tag: str) -> bool:
        """Test whether a tag is O, or a label with a type, in this spelling.

        >>> [tag for tag in ("PER_B", "-", "O", "B-PER", "B") if SPELLINGS["PER_B"].has(tag)]
        ['PER_B', '-']
        """
        label = self.read(tag)
        return self.write(label) == tag and (label == OUTSIDE or split_label(label)[1] != "")


_PREFIXES = frozenset("BIES")

SPELLINGS = {
    "PER_B": Spelling("_", True, "-"),
    "PER-B": Spelling("-", True, OUTSIDE),
    "B-PER": Spelling("-", False, OUTSIDE),
    "B_PER": Spelling("_", False, OUTSIDE),
    "PER-B/-": Spelling("-", True, "-"),
    "B-PER/-": Spelling("-", False, "-"),
    "B_PER/-": Spelling("_", False, "-"),
    "PER_B/O": Spelling("_", True, OUTSIDE),
}
"""The spellings in use, named by an example, and by the tag for O where it is not the usual one."""


def guess_spelling(tags: Iterable[str]) -> str:
    """Return the name of the spelling of some tags; `B-PER` if the tags do not decide.

    If there are both `O` and `-`, they are two tags, and `O` has its usual meaning.

    >>> guess_spelling(["-", "PER_B"]), guess_spelling(["O", "O"]), guess_spelling(["-", "PER-B"])
    ('PER_B', 'B-PER', 'PER-B/-')
    """
    seen = set(tags)
    fits = {name: sum(map(spelling.has, seen)) for name, spelling in SPELLINGS.items()}
    best = max(fits.values())
    return next(name for name in ("B-PER", *SPELLINGS) if fits[name] == best)


_IN_BIOES = {"bilou": {"U": "S", "L": "E"}, "bmes": {"M": "I"}}
"""Scheme → its prefix → the prefix of BIOES: BILOU (spaCy) and BMES."""
_FROM_BIOES = {
    scheme: {letter: prefix for prefix, letter in prefixes.items()}
    for scheme, prefixes in _IN_BIOES.items()
}
OTHER_SCHEMES = tuple(_IN_BIOES)
_USUAL = SPELLINGS["B-PER"]

_SYMBOL, _NUMBER = "symbol", "number"
_OPENING = ("Ps", "Pi")
"""The categories of Unicode of brackets and quotation marks that open."""


def eojeol_begins(pairs: Iterable[tuple[str, str]], rules: Rules) -> list[bool]:
    """Return whether each word begins an eojeol, where its tags alone tell (rules/same-eojeol.tsv).

    Args:
        pairs: the form and the tag of each morpheme or word; the first of several tags.
        rules: the tables.

    >>> from sejongud.rules import load
    >>> eojeol_begins([("옷", "NNG"), ("이", "JKS"), ("(", "SS"), ("책", "NNG")], load())
    [True, False, True, False]
    >>> eojeol_begins([("1", "SN"), (",", "SP"), ("000", "SN"), ("원", "NNB")], load())
    [True, False, False, False]
    """
    begins: list[bool] = []
    opened = True
    before = last = ""
    for form, tag in pairs:
        of = rules.kind(tag)
        opens = of == _SYMBOL and category(form[0]) in _OPENING
        hosts = rules.goes_on.get(of, ())
        # Figures go on behind a mark behind figures: 1,000, 3.5, 12:30.
        is_figure = of == _NUMBER and (before, last) == (_NUMBER, _SYMBOL)
        joins = ANY in hosts or last in hosts or is_figure
        begins.append(not begins or (not opened and not joins and (of != _SYMBOL or opens)))
        opened = opens
        before, last = last, of
    return begins


def labels_of(tags: Iterable[str], scheme: str, spelling: Spelling = _USUAL) -> tuple[str, ...]:
    """Return the labels of tags in BIO; tags that are ill-formed in the scheme keep their prefixes.

    Args:
        tags: of a sentence.
        scheme: one of `LABEL_SCHEMES` or of `OTHER_SCHEMES`.
        spelling: of the tags.

    >>> labels_of(["B-PS", "L-PS", "U-LC"], "bilou"), labels_of(["U-PS", "L-PS"], "bilou")
    (('B-PS', 'I-PS', 'B-LC'), ('S-PS', 'E-PS'))
    """
    labels = tuple(map(spelling.read, in_bioes(tags, scheme)))
    if scheme == "bio":
        return labels
    in_bio = recode(labels, "bio")
    return in_bio if recode(in_bio, _known(scheme)) == labels else labels


def tags_of(labels: tuple[str, ...], scheme: str, spelling: Spelling = _USUAL) -> list[str]:
    """Return the tags of labels, the inverse of `labels_of`.

    >>> tags_of(("B-PS", "I-PS", "B-LC"), "bilou")
    ['B-PS', 'L-PS', 'U-LC']
    """
    if scheme != "bio" and recode(labels, "bio") == labels:
        labels = recode(labels, _known(scheme))
    return _with_prefixes(map(spelling.write, labels), _FROM_BIOES.get(scheme, {}))


def in_bioes(tags: Iterable[str], scheme: str) -> list[str]:
    """Return tags of BILOU or BMES as those of BIOES; tags of any other scheme as they are.

    >>> in_bioes(["U-PS", "U"], "bilou")
    ['S-PS', 'U']
    """
    return _with_prefixes(tags, _IN_BIOES.get(scheme, {}))


def other_scheme(tags: Iterable[str]) -> str:
    """Return the scheme of `OTHER_SCHEMES` that tags have, "" for any other.

    >>> other_scheme(["O", "U-PS"]), other_scheme(["B-PS", "M-PS", "E-PS"]), other_scheme(["O"])
    ('bilou', 'bmes', '')
    """
    seen = {tag[0] for tag in tags if tag[1:2] in ("-", "_") and tag[2:]}
    schemes = [scheme for scheme, prefixes in _IN_BIOES.items() if seen & prefixes.keys()]
    return schemes[0] if len(schemes) == 1 else ""


def _known(scheme: str) -> LabelScheme:
    return cast("LabelScheme", "bioes" if scheme in _IN_BIOES else scheme)


def _with_prefixes(tags: Iterable[str], prefixes: Mapping[str, str]) -> list[str]:
    return [
        prefixes[tag[0]] + tag[1:] if tag[1:2] in ("-", "_") and tag[0] in prefixes else tag
        for tag in tags
    ]


_SENTENCES = 200
"""The number of sentences that decide."""
_FEW = 10
"""One of so many eojeols at most looks like a piece of one."""
_CHARACTERS = 5
"""So many tokens of one character are no accident."""
CONTINUED = "##"
BEGINNING = "▁"


def other_unit(layout: LabelFormat, head: str, rules: Rules) -> str:
    """Return the unit of the tokens of a corpus, with an example; "" if they look like eojeols.

    Args:
        layout: the format, whose labels are of eojeols; it is not used any more.
        head: the beginning of the file.
        rules: the tables.

    >>> from sejongud.formats import label_format
    >>> from sejongud.rules import load
    >>> other_unit(label_format("columns", "space"), "서울 B-LC\\n##에 O\\n\\n", load())
    'word pieces, such as ##에'
    """
    tokens: list[str] = []
    whole = head[: head.rfind("\n") + 1] or head
    for block in islice(layout.blocks([whole]), _SENTENCES):
        try:
            tokens += layout.read(block).tokens
        except FormatError:
            # The reading of the whole file reports it.
            continue
    if mark := piece_mark(tokens):
        return f"word pieces, such as {_marked(tokens, mark)[0]}"
    alone = [token for token in tokens if len(token) == 1]
    if len(tokens) >= _CHARACTERS and (len(tokens) - len(alone)) * _FEW <= len(tokens):
        return "characters without the spaces between eojeols"
    bound = {row["form"] for row in rules.table("ne-pieces")}
    bound_tokens = [token for token in tokens if token in bound]
    if len(bound_tokens) > 1 and len(bound_tokens) * _FEW > len(tokens):
        return f"morphemes, such as {bound_tokens[0]}"
    return ""


def piece_mark(tokens: Sequence[str]) -> str:
    """Return the mark of the word pieces that tokens are, "" for other tokens.

    >>> piece_mark(["서울", "##에", "간다"]), piece_mark(["▁서울", "에"]), piece_mark(["서울에"])
    ('##', '▁', '')
    """
    for mark in (CONTINUED, BEGINNING):
        if len(_marked(tokens, mark)) * _FEW > len(tokens):
            return mark
    return ""


def _marked(tokens: Sequence[str], mark: str) -> list[str]:
    return [token for token in tokens if token.startswith(mark) and len(token) > len(mark)]
