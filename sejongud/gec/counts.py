"""Counts of corrections: how many edits there are, of which types, and how annotators agree."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sejongud.gec.edits import heading
from sejongud.terminal import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sejongud.gec.edits import Corrections, Edit

_UNCLASSIFIED = frozenset({"UNCLASSIFIED", "UNK"})
_ALL = "all"
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

    def rows(self) -> list[tuple[str, str, Any]]:
        """Return all numbers in rows: the table, the key, the number."""
        rows: list[tuple[str, str, Any]] = []
        for key, value in self.to_dict().items():
            if not isinstance(value, dict):
                rows.append((_ALL, key, value))
                continue
            for name, part in value.items():
                if isinstance(part, dict):
                    rows += [(f"{key}.{column}", name, number) for column, number in part.items()]
                else:
                    rows.append((key, name, part))
        return rows

    def to_text(self) -> str:
        """Return tables to look at."""
        counts = self.to_dict()
        lines = [
            ["sentences", f"{counts['sentences']:,}"],
            ["pairs (sentence and annotator)", f"{counts['pairs']:,}"],
            ["tokens a sentence", _number(counts["tokens_a_sentence"])],
            ["edits", f"{counts['edits']:,}"],
            ["edits a sentence", _number(counts["edits_a_sentence"])],
            ["source tokens an edit", _number(counts["tokens_an_edit"])],
            ["source tokens inside an edit", _percent(counts["tokens_inside"])],
            ["sentences without edits", _percent(counts["sentences_without_edits"])],
            ["coverage (edits with a type)", _percent(counts["coverage"])],
        ]
        if counts["documents"]:
            lines.insert(0, ["documents", f"{counts['documents']:,}"])
        if agreement := counts["agreement"]:
            lines.append(["agreement of annotators (F1)", _percent(agreement["f1"])])
        types = [
            [label or "(none)", f"{n['count']:,}", _percent(n["share"]), f"{n['mean_length']:.2f}"]
            for label, n in counts["types"].items()
        ]
        operations = [
            [name, f"{figures['count']:,}", _percent(figures["share"])]
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
    tables = [{row[:2]: row[2] for row in counts.rows()} for counts in files.values()]
    keys = dict.fromkeys([key for rows in tables for key in rows])
    order = list(dict.fromkeys([name for name, _ in keys]))
    ordered = sorted(keys, key=lambda key: order.index(key[0]))
    absent = {key: None if key[0] == "types.mean_length" else 0 for key in ordered}
    return [[*key, *[rows.get(key, absent[key]) for rows in tables]] for key in ordered]


def columns_text(files: Mapping[str, EditCounts]) -> str:
    """Return a table of several files to look at, a column for each; see `columns`."""
    rows = []
    for name, key, *numbers in columns(files):
        shown = _percent if "share" in name or key in _SHARES else _figure
        rows.append([name if name != _ALL else "", key or "(none)", *map(shown, numbers)])
    return table(rows, header=["", "", *files])


def _figure(value: float | None) -> str:
    return f"{value:,}" if isinstance(value, int) else _number(value)


def _operation(edit: Edit) -> str:
    if edit.is_insertion:
        return _OPERATIONS[0]
    return _OPERATIONS[1] if edit.is_deletion else _OPERATIONS[2]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2%}"
