"""Edits judged by the annotators of a file: how many are accepted, and how far judges agree.

    S 나는 학교 에 간다
    A 1 3|||WS|||학교에|||…|||0      annotators 0 and 1 accept the edit, annotator 2 does not
    A 1 3|||WS|||학교에|||…|||1
    A -1 -1|||noop|||…|||2

An edit of the source (its tokens and its correction) is an item, and every annotator who saw the
sentence judges it: accepted, if the annotator has it. An edit that nobody has is no item; where one
annotator is a system whose edits the others judge, its edits alone are the items, those that all
reject as well (KAGAS, Tables 4 and 5: three experts judge edits good or bad).

Kappa of two annotators is Cohen's (1960), that of all of them Fleiss' (1971) over the items that
all have judged; alpha is Krippendorff's (2011) for names, over the items of two judges or more.

`EditCounts` counts how many edits there are, of which types, and how annotators agree.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

from sejongud.evaluation.scores import cohen, share
from sejongud.gec.edits import Corrections, Edit, heading
from sejongud.terminal import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_ALL = "all"
_Z = 1.959963984540054
"""The normal deviate of an interval of 95 %."""


class Judgements:
    """Collects the judgements of the annotators of a file.

    Args:
        proposals: the annotator whose edits the others judge; None if every edit is judged by all.

    >>> from sejongud.gec.edits import Corrections, Edit
    >>> edit = Edit(1, 2, "갔다", "SPELL")
    >>> judgements = Judgements()
    >>> judgements.add(Corrections(("나는", "갓다"), {0: (edit,), 1: (), 2: (edit,)}))
    >>> judgements.to_dict()["accepted"]["all"]["count"]
    2
    """

    def __init__(self, proposals: int | None = None) -> None:
        self._proposals = proposals
        self._items: list[tuple[str, dict[int, bool]]] = []
        """The type of each item, and annotator → whether the item is accepted."""

    def add(self, item: Corrections) -> None:
        """Take the edits of a sentence."""
        if heading(item):
            return
        keys = {who: {edit[:3] for edit in edits} for who, edits in item.edits.items()}
        judges = [who for who in item.edits if who != self._proposals]
        proposers = item.edits if self._proposals is None else (self._proposals,)
        types: dict[tuple[int, int, str], str] = {}
        for who in proposers:
            for edit in item.edits.get(who, ()):
                types.setdefault(edit[:3], edit.type)
        for key, name in types.items():
            self._items.append((name, {who: key in keys[who] for who in judges}))

    def to_dict(self) -> dict[str, Any]:
        """Return the rates of acceptance and the agreement.

        A rate has its interval of 95 % (Wilson 1927); one of nothing is None, as is a measure of
        items that fewer than two annotators have judged.
        """
        items = [judged for _, judged in self._items]
        judges = sorted({who for judged in items for who in judged})
        types = Counter([name for name, _ in self._items])
        accepted = {_ALL: _rate(items)}
        accepted |= {f"annotator {who}": _rate(items, who) for who in judges}
        by_type = {
            name: _rate([judged for other, judged in self._items if other == name])
            for name, _ in sorted(types.items(), key=lambda row: (-row[1], row[0]))
        }
        pairs = {f"{a}-{b}": _cohen(items, a, b) for a, b in combinations(judges, 2)}
        known = [value for value in pairs.values() if value is not None]
        return {
            "items": len(items),
            "judges": len(judges),
            "accepted": accepted,
            "types": by_type,
            "agreement": {
                "fleiss": fleiss(items, len(judges)),
                "alpha": alpha(items),
                "cohen": share(sum(known), len(known)) if known else None,
                **{f"cohen {pair}": value for pair, value in pairs.items()},
            },
        }

    def to_text(self) -> str:
        """Return tables to look at."""
        found = self.to_dict()
        parts = [table([["items", str(found["items"])], ["judges", str(found["judges"])]])]
        rates = [(key, found["accepted"][key]) for key in found["accepted"]]
        rates += [(key or "(none)", figures) for key, figures in found["types"].items()]
        parts.append(table([_shown(*rate) for rate in rates], header=["", *_HEADER]))
        measures = [[key, _number(value)] for key, value in found["agreement"].items()]
        parts.append(table(measures, header=["agreement", ""]))
        return "\n".join(parts)


def rows_of(found: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Return numbers in rows: the table, the key, the number."""
    rows: list[tuple[str, str, Any]] = []
    for key, value in found.items():
        if not isinstance(value, dict):
            rows.append((_ALL, key, value))
            continue
        for name, part in value.items():
            if isinstance(part, dict):
                rows += [(f"{key}.{column}", name, number) for column, number in part.items()]
            else:
                rows.append((key, name, part))
    return rows


_HEADER = ["accepted", "judged", "rate", "95 %"]


def _shown(name: str, figures: Mapping[str, Any]) -> list[str]:
    """Return the cells of a rate."""
    counts = [f"{figures[key]:,}" for key in ("count", "of")]
    if figures["rate"] is None:
        return [name, *counts, "–", ""]
    ends = f"[{figures['low']:.2%}, {figures['high']:.2%}]"
    return [name, *counts, f"{figures['rate']:.2%}", ends]


def _number(value: float | None, form: str = ".4f") -> str:
    return "–" if value is None else f"{value:{form}}"


def _rate(items: Iterable[Mapping[int, bool]], who: int | None = None) -> dict[str, Any]:
    """Return how many judgements accept an item, of all or of one annotator."""
    judgements = [yes for judged in items for by, yes in judged.items() if who in (None, by)]
    count, of = sum(judgements), len(judgements)
    if not of:
        return {"count": 0, "of": 0, "rate": None, "low": None, "high": None}
    low, high = wilson(count, of)
    return {"count": count, "of": of, "rate": count / of, "low": low, "high": high}


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return the interval of 95 % of a share.

    >>> [round(end, 4) for end in wilson(9, 10)]
    [0.5958, 0.9821]
    """
    rate, squared = count / of, _Z * _Z / of
    half = _Z * sqrt((rate * (1 - rate) + squared / 4) / of)
    centre = rate + squared / 2
    return max(0.0, (centre - half) / (1 + squared)), min(1.0, (centre + half) / (1 + squared))


def _cohen(items: Iterable[Mapping[int, bool]], first: int, second: int) -> float | None:
    """Return the kappa of two annotators over the items that both have judged."""
    pairs = [(one[first], one[second]) for one in items if first in one and second in one]
    if not pairs:
        return None
    labels = []
    for label in (True, False):
        ours, theirs = (sum([pair[side] is label for pair in pairs]) for side in (0, 1))
        labels.append([ours, theirs, pairs.count((label, label))])
    return cohen(len(pairs), labels)


def fleiss(items: Iterable[Mapping[int, bool]], judges: int) -> float | None:
    """Return Fleiss' kappa over the items that all have judged, None if there are none.

    Args:
        items: annotator → judgement, of each item.
        judges: the number of annotators.

    >>> round(fleiss([{0: True, 1: True}, {0: False, 1: False}, {0: True, 1: False}], 2), 4)
    0.3333
    """
    yes = [sum(judged.values()) for judged in items if len(judged) == judges]
    if judges < 2 or not yes:
        return None
    same = sum([n * (n - 1) + (judges - n) * (judges - n - 1) for n in yes])
    observed = same / (len(yes) * judges * (judges - 1))
    rate = sum(yes) / (len(yes) * judges)
    chance = rate * rate + (1 - rate) * (1 - rate)
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


def alpha(items: Iterable[Mapping[int, bool]]) -> float | None:
    """Return Krippendorff's alpha over the items of two judges or more, None if there are none.

    >>> round(alpha([{0: True, 1: True}, {0: False, 1: False}, {0: True, 1: False}]), 4)
    0.4444
    """
    counts = [(sum(one.values()), len(one)) for one in items if len(one) > 1]
    total = sum([size for _, size in counts])
    if not total:
        return None
    yes = sum([n for n, _ in counts])
    apart = sum([2 * n * (size - n) / (size - 1) for n, size in counts]) / total
    expected = 2 * yes * (total - yes) / (total * (total - 1))
    return 1.0 if expected == 0 else 1 - apart / expected


_UNCLASSIFIED = frozenset({"UNCLASSIFIED", "UNK"})
_SHARES = ("tokens_inside", "sentences_without_edits", "coverage", "f1")
_OPERATIONS = ("insertion", "deletion", "replacement")


class EditCounts:
    """Counts the edits of corrections.

    A pair is a sentence with the edits of one annotator.

    >>> from sejongud.gec.edits import Corrections, Edit
    >>> counts = EditCounts()
    >>> counts.add(Corrections(("나는", "갓다"), {0: (Edit(1, 2, "갔다", "SPELL"),), 1: ()}))
    >>> found = counts.to_dict()
    >>> found["pairs"], found["edits"], found["types"]["SPELL"]["share"], found["agreement"]["f1"]
    (2, 1, 1.0, 0.0)
    """

    def __init__(self) -> None:
        self._sums: Counter[str] = Counter()
        """Name of a sum → the sum: documents, sentences, pairs, tokens …"""
        self._types: Counter[str] = Counter()
        self._lengths: Counter[str] = Counter()
        """Type → the source tokens of its edits."""
        self._operations: Counter[str] = Counter()
        self._annotators: Counter[int] = Counter()

    def add(self, item: Corrections) -> None:
        """Count a sentence, or the heading of a document."""
        sums = self._sums
        if heading(item):
            sums["documents"] += 1
            return
        sums["sentences"] += 1
        for annotator, edits in item.edits.items():
            self._annotators[annotator] += 1
            sums["pairs"] += 1
            sums["tokens"] += len(item.tokens)
            sums["without"] += not edits
            sums["inside"] += len({i for edit in edits for i in range(edit.start, edit.end)})
            for edit in edits:
                self._types[edit.type] += 1
                self._lengths[edit.type] += edit.end - edit.start
                self._operations[_operation(edit)] += 1
        for first, second in combinations(item.edits.values(), 2):
            keys = [Counter([edit[:3] for edit in edits]) for edits in (first, second)]
            sums["shared"] += (keys[0] & keys[1]).total()
            sums["compared"] += len(first) + len(second)

    def to_dict(self) -> dict[str, Any]:
        """Return all counts and shares.

        Shares and means of nothing are None; `agreement` is None with one annotator. Its `f1` is
        that of two annotators' edits (span and correction), over all pairs of annotators.
        """
        sums, edits = self._sums, self._types.total()
        unclassified = sum([self._types[label] for label in _UNCLASSIFIED])
        f1 = 2 * sums["shared"] / sums["compared"] if sums["compared"] else 1.0
        several = len(self._annotators) > 1
        return {
            **{name: sums[name] for name in ("documents", "sentences", "pairs")},
            "annotators": {str(key): n for key, n in sorted(self._annotators.items())},
            "tokens": sums["tokens"],
            "tokens_a_sentence": _share(sums["tokens"], sums["pairs"]),
            "edits": edits,
            "edits_a_sentence": _share(edits, sums["pairs"]),
            "tokens_an_edit": _share(self._lengths.total(), edits),
            "tokens_inside": _share(sums["inside"], sums["tokens"]),
            "sentences_without_edits": _share(sums["without"], sums["pairs"]),
            "coverage": _share(edits - unclassified, edits),
            "types": {
                label: {
                    "count": count,
                    "share": count / edits,
                    "mean_length": self._lengths[label] / count,
                }
                for label, count in sorted(self._types.items(), key=lambda row: (-row[1], row[0]))
            },
            "operations": {
                name: {
                    "count": self._operations[name],
                    "share": _share(self._operations[name], edits),
                }
                for name in _OPERATIONS
            },
            "agreement": {"shared": sums["shared"], "f1": f1} if several else None,
        }

    def to_text(self) -> str:
        """Return tables to look at."""
        counts = self.to_dict()
        lines = [
            ["sentences", f"{counts['sentences']:,}"],
            ["pairs (sentence and annotator)", f"{counts['pairs']:,}"],
            ["tokens a sentence", _number(counts["tokens_a_sentence"], ".2f")],
            ["edits", f"{counts['edits']:,}"],
            ["edits a sentence", _number(counts["edits_a_sentence"], ".2f")],
            ["source tokens an edit", _number(counts["tokens_an_edit"], ".2f")],
            ["source tokens inside an edit", _number(counts["tokens_inside"], ".2%")],
            ["sentences without edits", _number(counts["sentences_without_edits"], ".2%")],
            ["coverage (edits with a type)", _number(counts["coverage"], ".2%")],
        ]
        if counts["documents"]:
            lines.insert(0, ["documents", f"{counts['documents']:,}"])
        if agreement := counts["agreement"]:
            lines.append(["agreement of annotators (F1)", _number(agreement["f1"], ".2%")])
        types = [
            [label or "(none)", *map(_number, figures.values(), (",", ".2%", ".2f"))]
            for label, figures in counts["types"].items()
        ]
        operations = [
            [name, *map(_number, figures.values(), (",", ".2%"))]
            for name, figures in counts["operations"].items()
        ]
        parts = [table(lines)]
        if types:
            parts.append(table(types, header=["type", "count", "share", "tokens"]))
            parts.append(table(operations, header=["operation", "count", "share"]))
        return "\n".join(parts)


def columns(files: Mapping[str, EditCounts]) -> list[list[Any]]:
    """Return the numbers of several files in rows: the table, the key, the number of each file.

    A type that a file lacks has no edits in it (KAGAS, Table 1; memoir, Table 5.4).

    Args:
        files: name → counts.
    """
    tables = [{row[:2]: row[2] for row in rows_of(counts.to_dict())} for counts in files.values()]
    keys = dict.fromkeys([key for rows in tables for key in rows])
    order = list(dict.fromkeys([name for name, _ in keys]))
    ordered = sorted(keys, key=lambda key: order.index(key[0]))
    absent = {key: None if key[0] == "types.mean_length" else 0 for key in ordered}
    return [[*key, *[rows.get(key, absent[key]) for rows in tables]] for key in ordered]


def columns_text(files: Mapping[str, EditCounts]) -> str:
    """Return a table of several files to look at, a column for each; see `columns`."""
    rows = []
    for name, key, *numbers in columns(files):
        is_share = "share" in name or key in _SHARES
        cells = [_number(n, ".2%") if is_share else _figure(n) for n in numbers]
        rows.append([name if name != _ALL else "", key or "(none)", *cells])
    return table(rows, header=["", "", *files])


def _figure(value: float | None) -> str:
    return f"{value:,}" if isinstance(value, int) else _number(value, ".2f")


def _operation(edit: Edit) -> str:
    if edit.is_insertion:
        return _OPERATIONS[0]
    return _OPERATIONS[1] if edit.is_deletion else _OPERATIONS[2]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
