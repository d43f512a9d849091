"""Views of a corpus: one HTML page with its sentences, statistics and incidents; `sejongud show`.

    views          any file → sentences with their places; a sentence → its levels, layers and tree
    chunks         sentences → packed data, statistics → charts, templates and all of that → a page
    make_report    files → page;  edit_page: corrections → page
    parallel_view  gold and a system → page
    drawing        a sentence → lines of a terminal;  picture: SVG;  igt: interlinear examples

The page fetches nothing. The same input gives the same bytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from zlib import crc32

from sejongud.converters.recut import recuts
from sejongud.errors import Incident, OnError, Report, UsageError
from sejongud.formats import Detection, expect_known_unit, recognise
from sejongud.gec.edits import NO_COMMENT, Corrections, Edit
from sejongud.model import MORPHEMES
from sejongud.query import document_of
from sejongud.report.chunks import SentenceData, charts_of, corpus_page, pack, page
from sejongud.report.igt import Examples
from sejongud.report.picture import Picture
from sejongud.report.views import read_placed
from sejongud.rules import Rules, load
from sejongud.statistics import Collector, Statistics, by_frequency
from sejongud.statistics.layers import LayerStatistics
from sejongud.terminal import clean, counted
from sejongud.validation import Checker, Validation, codes, validate
from sejongud.validation.corpus_entities import EntityCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.files import Source
    from sejongud.formats.base import Reader


__all__ = ["ReportOptions", "make_report"]


# --- build ----------------------------------------------------------------------------------------


LIMIT = 10_000
"""The number of sentences that a page shows by default."""

MOST_INCIDENTS = 5_000
"""The number of incidents of one code that a page lists by default."""


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report.

    Args:
        from_: the format of the files, None to detect it.
        limit: the page shows so many sentences, the first ones; 0 for all. It counts all.
        most_incidents: the page lists so many incidents of one code; 0 for all. It counts all.
        upos: the UPOS scheme of the levels.
        lemmas: the lemma scheme of the levels.
        pictures: whether the page saves sentences as `sejongud draw` draws them.
        title: the title of the page; "" for the names of the files.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        jobs: the number of processes that validate.
    """

    from_: str | None = None
    limit: int = LIMIT
    most_incidents: int = MOST_INCIDENTS
    upos: str | None = None
    lemmas: str | None = None
    pictures: bool = False
    title: str = ""
    on_error: OnError = "keep"
    rules: str | None = None
    jobs: int = 1


def make_report(
    paths: Sequence[str],
    open_source: Callable[[str], Source],
    options: ReportOptions,
    report: Report,
    *,
    announce: Callable[[str], None] = lambda _: None,
) -> Iterator[str]:
    """Yield the parts of the page of some files, in order.

    Args:
        paths: the names of the files.
        open_source: opens a file; called twice for each.
        options: the options.
        report: the report of all incidents.
        announce: is told the format of each file if it was detected.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        UsageError: a file is named twice; there is no such scheme or format.
    """
    if twice := [path for path, times in Counter(paths).items() if times > 1]:
        raise UsageError(f"{twice[0]} is named twice")
    build = _Build(options, report)
    statistics = build.read(paths, open_source, announce)
    yield from build.page(paths, statistics)


class _Build:
    """Collects the contents of a page while the files are read."""

    def __init__(self, options: ReportOptions, report: Report) -> None:
        self.rules: Rules = load(options.rules)
        picture = Picture(self.rules) if options.pictures else None
        # The collector of statistics must not hold this object, which holds it.
        levels = recuts(self.rules, options.upos, options.lemmas)
        self.data = SentenceData(levels, Examples(self.rules), picture)
        self._collector = Collector(lambda: levels)
        self._options = options
        self._report = report
        self._counts = LayerStatistics()
        self._incidents: Counter[str] = Counter()
        self._of_sentence: dict[str, list[Incident]] = {}
        self._elsewhere: list[list[Any]] = []

    def read(
        self,
        paths: Sequence[str],
        open_source: Callable[[str], Source],
        announce: Callable[[str], None],
    ) -> Statistics:
        """Pack and count the sentences of all files, and collect their incidents."""
        options = self._options
        for number, path in enumerate(paths):
            with open_source(path) as source:
                kind = recognise(options.from_, source.head())
                if options.from_ is None:
                    expect_known_unit(kind, source.head(), path, self.rules)
                    announce(f"{path}: detected format: {kind} (override with --from)")
                reader = None
                if kind.has_morphemes:
                    shared = ("on_error", "upos", "lemmas", "rules")
                    settings = {name: getattr(options, name) for name in shared}
                    validation = Validation(kind.name, path=path, **settings)
                    checker = Checker(validation)
                    taken = Report(self._take)
                    validate(validation, source, taken, jobs=options.jobs, checker=checker)
                    reader = checker.reader
            with open_source(path) as source:
                self._read(path, number, source, kind, reader)
            # Incidents of sentences that are not on the page.
            self._elsewhere += [
                [i.code, i.message, number, i.line, i.sent_id, i.token]
                for incidents in self._of_sentence.values()
                for i in incidents
            ]
            self._of_sentence.clear()
        self.data.finish()
        return self._collector.finish()

    def _take(self, incident: Incident) -> None:
        """Count an incident; keep it unless its code has too many."""
        self._report.add(incident)
        self._incidents[incident.code] += 1
        most = self._options.most_incidents
        if not most or self._incidents[incident.code] <= most:
            self._of_sentence.setdefault(incident.sent_id, []).append(incident)

    def _read(
        self, path: str, number: int, source: Source, kind: Detection, reader: Reader | None
    ) -> None:
        """Pack and count the sentences of a file; `reader` is a reader that has read it."""
        options = self._options
        taken = Report(self._take)
        check = EntityCheck(self.rules, taken, path)
        # Validation has reported the incidents of files with morphemes.
        report = Report() if kind.has_morphemes else taken
        placed = read_placed(
            source, kind, report, on_error=options.on_error, rules=options.rules, known=reader
        )
        document: tuple[str, ...] = ()
        for item in placed:
            sentence = item.sentence
            document = document_of(sentence, document)
            check.add(sentence, item.line_of)
            self._counts.add(sentence)
            self._collector.add(sentence)
            if not options.limit or self.data.sentences < options.limit:
                incidents = self._of_sentence.pop(sentence.sent_id, ())
                self.data.add(item, number, incidents, document)

    def page(self, paths: Sequence[str], statistics: Statistics) -> Iterator[str]:
        """Yield the parts of the page."""
        options = self._options
        descriptions = codes()
        names = short_names(paths)
        total = self._incidents.total()
        types = by_frequency(self._counts.entities + self._counts.nested)
        types += by_frequency(self._counts.elements)
        incidents = sorted(self._incidents.items())
        meta = {
            "types": [name for name, _ in types],
            "tags": self._tags(statistics),
            "codes": {code: [descriptions.get(code, ""), n] for code, n in incidents},
            "incidents": total,
            "sentences": statistics.sentences,
        }
        codes_rows = [(code, f"{n:,}", descriptions.get(code, "")) for code, n in incidents]
        elsewhere = {"elsewhere": pack(self._elsewhere)} if self._elsewhere else {}
        yield from corpus_page(
            self.data,
            names,
            meta,
            title=options.title or ", ".join(names),
            summary=f"{counted(statistics.sentences, 'sentence[s]')},"
            f" {counted(statistics.eojeols, 'eojeol[s]')}, {counted(total, 'incident[s]')}",
            notices=list(self._notices(statistics.sentences)),
            tiles=self._tiles(statistics),
            charts=charts_of(statistics, self._counts, self._incidents, descriptions),
            drawn=True,
            incidents=total,
            codes=[("all", f"{total:,}", "all codes"), *codes_rows] if total else [],
            packed=self.data.packed | elsewhere,
        )

    def _tags(self, statistics: Statistics) -> dict[str, list[str]]:
        """Return the kind and the description of each tag in the corpus."""
        tags = self.rules.tags
        return {
            tag: [self.rules.kind(tag), tags[tag].description if tag in tags else ""]
            for tag in sorted(statistics.levels[MORPHEMES].xpos)
            if self.rules.kind(tag)
        }

    def _notices(self, sentences: int) -> Iterator[str]:
        """Yield the paragraphs that tell what the page leaves out."""
        most = self._options.most_incidents
        if self.data.sentences < sentences:
            yield (
                f"The first {self.data.sentences:,} of {sentences:,} sentences are shown (--limit);"
                " the statistics are of all."
            )
        if cut := [code for code, n in sorted(self._incidents.items()) if most and n > most]:
            yield (
                f"Of {', '.join(cut)} the first {most:,} incidents are listed"
                " (--limit-incidents); the counts"
                " are of all."
            )

    def _tiles(self, statistics: Statistics) -> dict[str, int]:
        """Return the main figures; layers that the corpus does not have are left out."""
        counts = self._counts
        layers = {
            "entities": (counts.entities + counts.nested).total(),
            "dependencies": counts.deprels.total(),
            "frames": counts.frames.instances,
            "constituents": counts.trees.labels.total(),
        }
        return {
            "sentences": statistics.sentences,
            "eojeols": statistics.eojeols,
            "different eojeols": statistics.distinct_eojeols,
            "morphemes": statistics.levels[MORPHEMES].words,
            **{name: n for name, n in layers.items() if n},
            "incidents": self._incidents.total(),
        }


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the names of the files, without folders unless two would be equal."""
    short = ["standard input" if path == "-" else PurePath(path).name for path in paths]
    return [clean(name) for name in (short if len(set(short)) == len(short) else paths)]


# --- edits ----------------------------------------------------------------------------------------


State = Literal["", "found", "missed", "spurious"]
"""The verdict on an edit of a scored sentence: in both files, in the reference, in the output."""

_ROWS = "\x00"
"""The place of the rows in the template, which holds no such character."""
_HUES = 12
"""The number of colours in report.css."""
_OF_TYPES = {
    "WS": 5, "WO": 9, "SPELL": 1, "SHORTEN": 6, "SHORT": 6, "PUNCT": 10, "NOUN": 0, "VERB": 2,
    "ADJECTIVE": 8, "ADJ": 8, "PARTICLE": 3, "PART": 3, "ENDING": 11, "END": 11, "MODIFIER": 7,
    "MOD": 7, "CONJUGATION": 2, "CONJ": 2, "INSERTION": 4, "INS": 4, "DELETION": 4, "DEL": 4,
}  # fmt: skip
"""The colour of each Korean type; any other type has a colour that follows from its name."""


class EditLine(NamedTuple):
    """The edits of an annotator, with the verdict on each of them."""

    name: str
    """Such as `annotator 0` or `system`."""
    edits: Sequence[tuple[Edit, State]]


class EditRow(NamedTuple):
    """A sentence of the page."""

    name: str
    """Its id, or its number."""
    tokens: Sequence[str]
    lines: Sequence[EditLine]


def rows_of(items: Iterable[Corrections]) -> Iterator[EditRow]:
    """Yield the rows of sentences that are not scored."""
    for number, item in enumerate(items, 1):
        lines = [
            EditLine(f"annotator {annotator}", [(edit, "") for edit in edits])
            for annotator, edits in item.edits.items()
        ]
        yield EditRow(item.sent_id or str(number), item.tokens, lines)


def edit_page(rows: Iterable[EditRow], **settings: Any) -> Iterator[str]:
    """Yield the parts of the page, in order, in constant memory.

    Args:
        rows: the sentences.
        settings: those of `PagePrinter`.
    """
    printer = PagePrinter(**settings)
    yield printer.head
    yield from map(printer.row, rows)
    yield printer.end()


class PagePrinter:
    """Makes the parts of the page.

    Args:
        title: the title of the page.
        signature: the settings that made the edits.
        limit: the number of sentences that are shown; 0 for all. The page tells how many are not.
        morphemes: returns the morphemes of a text, for the note at an edit; None for no notes.
    """

    def __init__(
        self,
        *,
        title: str,
        signature: str = "",
        limit: int = LIMIT,
        morphemes: Callable[[str], str] | None = None,
    ) -> None:
        parts = page("edits", title=title, signature=signature, rows=[_ROWS])
        self.head, self._foot = "".join(parts).split(_ROWS)
        self._limit = limit
        self._morphemes = lru_cache(50_000)(morphemes) if morphemes else lambda text: text
        self._rows = 0

    def end(self) -> str:
        """Return the end of the page, with a notice if there are more rows than it shows."""
        if not 0 < self._limit < self._rows:
            return self._foot
        left = counted(self._rows - self._limit, "more sentence[s] [is|are]")
        return f'<p class="notice">{left} not shown: --limit 0 shows all of them.</p>\n{self._foot}'

    def row(self, row: EditRow) -> str:
        """Return the markup of a row; "" if there are too many."""
        self._rows += 1
        if 0 < self._limit < self._rows:
            return ""
        parts = [f'<article class="pair data" lang="ko">\n<h2>{escape(row.name)}</h2>\n']
        for name, edits in row.lines:
            head = f'<p class="edits" data-by="{escape(name)}"><span class="by">{escape(name)}'
            parts.append(f"{head}</span> {self._line(row.tokens, edits)}</p>\n")
        return "".join([*parts, "</article>\n"])

    def _line(self, tokens: Sequence[str], edits: Sequence[tuple[Edit, State]]) -> str:
        """Return the markup of a source with edits set in."""
        parts: list[str] = []
        place = 0
        for edit, state in edits:
            parts += map(escape, tokens[place : edit.start])
            parts.append(self._edit(tokens, edit, state))
            place = max(place, edit.end)
        return " ".join([*parts, *map(escape, tokens[place:])])

    def _edit(self, tokens: Sequence[str], edit: Edit, state: State) -> str:
        source, correction = " ".join(tokens[edit.start : edit.end]), " ".join(edit.words)
        before = f"<del>{escape(source)}</del>" if source else ""
        after = f"<ins>{escape(correction)}</ins>" if correction else ""
        mark = f' data-state="{state}"' if state else ""
        verdict = f"{state}: " if state else ""
        hue = _OF_TYPES.get(edit.type, crc32(edit.type.encode("utf-8", "replace")) % _HUES)
        # The note has the morphemes of both sides, and the comment of the edit.
        sides = [self._morphemes(text) if text else "∅" for text in (source, correction)]
        note = [" → ".join(sides), f"{edit.start}–{edit.end}"]
        note += [edit.comment] if edit.comment not in ("", NO_COMMENT) else []
        return (
            f'<span class="edit" data-type="{escape(edit.type)}"{mark} tabindex="0">{before}{after}'
            f'<b class="tag ent-{hue}">{escape(edit.type)}</b><span class="tip" role="tooltip">'
            f"{verdict}{'<br>'.join(map(escape, note))}</span></span>"
        )
