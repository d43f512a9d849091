"""The borders of an entity inside its first and its last eojeol, by the class of its type.

    김/NNP 씨/NNB 는/JX  PER    →   김
    타율/NNG (/SS 0.262/SN )/SS 의/JKG  NUM   →   0.262

A name has a proper noun as its anchor, an amount a number. The entity is the part between symbols
that has one; what surrounds it, such as titles, is outside (rules/ne-borders.tsv).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import Memo
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.model import Morpheme, Span
    from sejongud.rules import Row, Rules

_OTHER = "other"
_TAIL = frozenset(("tail", "held"))
_ROLES = (
    *("break", "joint", "sign", "gloss", "anchor", "before", "outside"),
    *("unit", "behind", "ordinal", "more", "tail", "held", "loose"),
)


_LEFT_OUT = frozenset({"before", "loose"})


class EntityTypes:
    """The classes of the types of entities (rules/ne-types.tsv).

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> types = EntityTypes(load())
    >>> types.class_of("PER"), types.class_of("PS_NAME"), types.class_of("ABC")
    ('person', 'person', 'other')
    >>> types.name_tag("PS"), types.name_tag("QT")
    ('NNP', '')
    """

    def __init__(self, rules: Rules) -> None:
        self._rows = {row["type"]: row for row in rules.table("ne-types")}

    def class_of(self, name: str) -> str:
        """Return the class of a type: person, place, organisation, amount, date, time or other."""
        return self._row(name).get("class", _OTHER)

    def name_tag(self, name: str) -> str:
        """Return the tag of a name of a type, which is one morpheme in each of its eojeols.

        Args:
            name: the type of an entity.

        Returns:
            The tag; "" if an entity of this type is no such name.
        """
        return self._row(name).get("name", "")

    def _row(self, name: str) -> Row:
        return self._rows.get(name) or self._rows.get(name.partition("_")[0], {})


class _Parts(NamedTuple):
    """The parts into which symbols cut an eojeol."""

    spans: list[Span]
    glosses: frozenset[int]
    """The positions of symbols and of what they enclose that belong to a name."""


_Roles = tuple[frozenset[str], bool]
"""The roles of a morpheme for a class of entities, and whether its tag is excluded."""


class Borders:
    """Finds the morphemes of an eojeol that an entity covers.

    Args:
        rules: the tables.
        excluded: whether a morpheme with a tag carries no label if another one does.
    """

    def __init__(self, rules: Rules, excluded: Callable[[str], bool]) -> None:
        self._excluded = excluded
        self._kind = rules.kind
        self._sejong_tags = rules.sejong_tags
        self._types = EntityTypes(rules)
        self._rows = frozenset(
            (row["class"], row["role"], row["by"], condition, row["form"])
            for row in rules.table("ne-borders")
            for condition in row["of"].split("|")
        )
        self._roles: Memo[tuple[str, str, str], _Roles] = Memo.of(
            self, lambda borders, key: borders._roles_of(*key), size=20_000
        )
        # Most morphemes have the same few roles.
        self._found: Memo[tuple[tuple[_Roles, ...], bool, bool, bool], Span | None] = Memo(
            lambda key: _find(*key), size=10_000
        )

    def find(
        self, morphemes: Sequence[Morpheme], name: str, *, begins: bool, ends: bool
    ) -> Span | None:
        """Return the first of the morphemes that an entity covers, and the position after the last.

        Args:
            morphemes: of an eojeol.
            name: the type of the entity.
            begins: whether the entity begins in the eojeol.
            ends: whether it ends in it.

        Returns:
            The positions; None if no morpheme is left.

        >>> from sejongud.model import Morpheme
        >>> from sejongud.rules import load
        >>> rules = load()
        >>> borders = Borders(rules, lambda tag: rules.kind(tag) == "particle")
        >>> eojeol = [Morpheme("김", "NNP"), Morpheme("씨", "NNB"), Morpheme("는", "JX")]
        >>> borders.find(eojeol, "PER", begins=True, ends=True)
        (0, 1)
        """
        of_class = self._types.class_of(name)
        roles_of = self._roles
        pairs = zip(morphemes, self._sejong_tags(morphemes), strict=True)
        roles = tuple([roles_of[of_class, morpheme[0], tag] for morpheme, tag in pairs])
        return self._found[roles, begins, ends, of_class != _OTHER]

    def _roles_of(self, of_class: str, form: str, tag: str) -> _Roles:
        """Return the roles of a morpheme for a class of entities."""
        names = (("tag", tag), ("kind", self._kind(tag)))
        matching = frozenset(
            [
                role
                for role in _ROLES
                for by, condition in names
                for shown in (form, ANY)
                if (of_class, role, by, condition, shown) in self._rows
            ]
        )
        return matching, self._excluded(tag)


def _find(pairs: tuple[_Roles, ...], begins: bool, ends: bool, named: bool) -> Span | None:
    """Return the result of `Borders.find` for morphemes of these roles."""
    roles, excluded = [roles for roles, _ in pairs], [excluded for _, excluded in pairs]
    spans, glosses = _parts(roles)
    if not spans:
        return None
    first, last = _part(spans, roles, excluded, begins=begins, ends=ends, named=named)
    anchors = [i for i in range(first, last) if "anchor" in roles[i]]
    while anchors[1:] and "loose" in roles[anchors[0]]:
        del anchors[0]
    anchor = anchors[0] if anchors else None
    if begins:
        first = _first(roles, excluded, first, last, anchor)
    if ends:
        last = _last(roles, excluded, first, last, anchor)
        if anchor is None and any([role & _TAIL for role in roles[first:last]]):
            last = _before_tail(roles, excluded, first, last)
        else:
            while last > first and excluded[last - 1] and last - 1 not in glosses:
                last -= 1
    return (first, last) if first < last else None


def _parts(roles: Sequence[frozenset[str]]) -> _Parts:
    """Return the parts of an eojeol between the symbols that cut it."""
    spans: list[Span] = []
    glosses: set[int] = set()
    begin = index = 0
    anchored = False
    while index < len(roles):
        if "break" not in roles[index]:
            anchored = anchored or "anchor" in roles[index]
            index += 1
            continue
        end = _gloss_end(roles, index)
        joins = "joint" in roles[index] and _is_anchor(roles, index + 1)
        if end > index and index > begin:
            glosses.update(range(index, end))
            index = end
            continue
        if not (joins and anchored):
            if index > begin:
                spans.append((begin, index))
            begin = index + 1 - ("sign" in roles[index] and _is_anchor(roles, index + 1))
            anchored = False
        index += 1
    if begin < len(roles):
        spans.append((begin, len(roles)))
    return _Parts(spans, frozenset(glosses))


def _is_anchor(roles: Sequence[frozenset[str]], position: int) -> bool:
    return position < len(roles) and "anchor" in roles[position]


def _gloss_end(roles: Sequence[frozenset[str]], position: int) -> int:
    """Return the position after a bracketed gloss that begins here; the position itself if none."""
    end = position + 1
    while end < len(roles) and "gloss" in roles[end]:
        end += 1
    closed = end > position + 1 and end < len(roles) and "break" in roles[end]
    return end + 1 if closed else position


def _part(
    spans: Sequence[Span],
    roles: Sequence[frozenset[str]],
    excluded: Sequence[bool],
    *,
    begins: bool,
    ends: bool,
    named: bool,
) -> Span:
    """Return the part of an eojeol in which an entity lies.

    Without an anchor it is the last part for a class that has anchors (`named`): 액션..이연걸.
    """
    if not begins:
        return 0, spans[0][1] if ends else len(roles)
    if not ends:
        return spans[-1][0], len(roles)
    anchored = [span for span in spans if any(["anchor" in roles[i] for i in range(*span)])]
    carrying = [span for span in spans if not all(excluded[slice(*span)])]
    return anchored[0] if anchored else (carrying or spans)[-1 if named else 0]


def _first(
    roles: Sequence[frozenset[str]],
    excluded: Sequence[bool],
    first: int,
    last: int,
    anchor: int | None,
) -> int:
    """Return the position at which an entity begins in a part of an eojeol."""
    if anchor is None:
        while first < last and excluded[first] and not roles[first].intersection(_TAIL):
            first += 1
        return first
    for index in range(first, anchor):
        if "sign" not in roles[index] and (excluded[index] or "outside" in roles[index]):
            first = index + 1
    while first < anchor and roles[first] & _LEFT_OUT:
        first += 1
    return first


def _last(
    roles: Sequence[frozenset[str]],
    excluded: Sequence[bool],
    first: int,
    last: int,
    anchor: int | None,
) -> int:
    """Return the position after the end of an entity in a part of an eojeol.

    Behind an anchor the entity ends at the first particle or ending; a name without one may be
    cut into verbs by the analyser, and keeps what is inside.
    """
    end = (first if anchor is None else anchor) + 1
    while end < last and "outside" not in roles[end] and not _ends_unit(roles, end):
        if anchor is not None and excluded[end] and "break" not in roles[end]:
            break
        end += 1
    return min(end, last)


def _ends_unit(roles: Sequence[frozenset[str]], position: int) -> bool:
    """Test whether a morpheme stands behind a unit and is no part of it."""
    behind = "behind" in roles[position] and "more" not in roles[position]
    ordinal = "ordinal" in roles[max(position - 2, 0)] and "anchor" in roles[position - 1]
    return behind and (ordinal or "unit" in roles[position - 1])


def _before_tail(
    roles: Sequence[frozenset[str]], excluded: Sequence[bool], first: int, last: int
) -> int:
    """Return the position after a name that the analyser does not know.

    Particles of names end it, and verbs with their endings. Other particles, and endings that
    stand behind no verb, are syllables of the name: 배두/NNG 나/JC.
    """
    end = last
    for position in range(last - 1, first, -1):
        if "tail" in roles[position]:
            end = position
        elif not (excluded[position] and "held" in roles[position]):
            break
    return end
