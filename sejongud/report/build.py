"""From files to a page.

Every file is read twice: `sejongud.validation.validate` says what there is to say of it, then its
sentences are gathered, counted and given what was said of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from sejongud import __version__
from sejongud.errors import Report, UsageError
from sejongud.formats import recognise
from sejongud.report.charts import inline
from sejongud.report.data import Counts, SentenceData, pack
from sejongud.report.figures import charts_of
from sejongud.report.inputs import read_placed
from sejongud.report.page import chunk_scripts, codes_table, data_script, figure, page, tiles
from sejongud.rules import load
from sejongud.statistics import by_frequency, collect
from sejongud.validation.entities import EntityCheck
from sejongud.validation.validate import Validation, codes, validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sejongud.errors import Incident, OnError
    from sejongud.files import Source
    from sejongud.formats import Recognised
    from sejongud.model import Sentence
    from sejongud.rules import Rules
    from sejongud.statistics import Statistics

__all__ = ["LIMIT", "MOST_INCIDENTS", "Options", "make_report"]

LIMIT = 10_000
"""How many sentences a page shows if nobody says otherwise."""

MOST_INCIDENTS = 5_000
"""How many incidents of one code it lists."""


@dataclass(frozen=True)
class Options:
    """How a report is made.

    Args:
        from_: the format of the files, None to find it out.
        limit: how many sentences are shown, the first ones; 0 for all. All are counted.
        most_incidents: how many incidents of one code are listed; 0 for all. All are counted.
        charts: whether charts are drawn; if not, tables say the same.
        upos: UPOS scheme of the levels.
        lemmas: their lemma scheme.
        title: of the page; "" for the names of the files.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        jobs: how many processes validate.
    """

    from_: str | None = None
    limit: int = LIMIT
    most_incidents: int = MOST_INCIDENTS
    charts: bool = True
    upos: str = "sejong"
    lemmas: str = "normalised"
    title: str = ""
    on_error: OnError = "keep"
    rules: str | None = None
    jobs: int = 1


def make_report(
    paths: Sequence[str],
    open_source: Callable[[str], Source],
    options: Options,
    report: Report,
    *,
    told: Callable[[str], None] = lambda _: None,
) -> Iterator[str]:
    """The page of some files, in parts to be written one after another.

    Args:
        paths: the files, each as it is to be called.
        open_source: opens a file; called twice for each.
        options: how.
        report: what is told of all incidents.
        told: is told what each file is read as.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        MissingExtraError: charts are wanted and matplotlib is not installed.
        UsageError: a file is named twice; there is no such scheme or format.
    """
    if len(set(paths)) < len(paths):
        raise UsageError("a file is named twice")
    build = _Build(options, report)
    if options.charts:
        _draw_nothing()
    statistics = collect(build.sentences(paths, open_source, told), build.rules, upos=options.upos)
    build.data.finish()
    yield from build.page(paths, statistics)


def _draw_nothing() -> None:
    """See that charts can be drawn, before any work is done."""
    from sejongud.report.charts import Panel, bars

    bars([Panel("", {"": 1})])


class _Build:
    """What is gathered on the way through the files."""

    def __init__(self, options: Options, report: Report) -> None:
        self.rules: Rules = load(options.rules)
        self.data = SentenceData(self.rules, upos=options.upos, lemmas=options.lemmas)
        self._options = options
        self._report = report
        self._counts = Counts()
        self._incidents: Counter[str] = Counter()
        self._listed: Counter[str] = Counter()
        self._of_sentence: dict[str, list[Incident]] = {}
        self._elsewhere: list[list[Any]] = []
        self._sentences = 0

    def sentences(
        self,
        paths: Sequence[str],
        open_source: Callable[[str], Source],
        told: Callable[[str], None],
    ) -> Iterator[Sentence]:
        """The sentences of all files, gathered as they go by."""
        for number, path in enumerate(paths):
            with open_source(path) as source:
                kind = recognise(self._options.from_, source.head())
                if self._options.from_ is None:
                    told(f"{path}: detected format: {kind} (override with --from)")
                if kind.has_morphemes:
                    self._validate(path, source, kind)
            with open_source(path) as source:
                yield from self._read(path, number, source, kind)
            self._leave(number)

    def _validate(self, path: str, source: Source, kind: Recognised) -> None:
        options = self._options
        validation = Validation(
            kind.name,
            on_error=options.on_error,
            upos=options.upos,
            lemmas=options.lemmas,
            rules=options.rules,
            path=path,
        )
        validate(validation, source, Report(self._take), jobs=options.jobs)

    def _take(self, incident: Incident) -> None:
        """Count an incident, and keep it unless there are very many of its kind."""
        self._report.add(incident)
        code = incident.code
        self._incidents[code] += 1
        most = self._options.most_incidents
        if not most or self._listed[code] < most:
            self._listed[code] += 1
            self._of_sentence.setdefault(incident.sent_id, []).append(incident)

    def _read(self, path: str, number: int, source: Source, kind: Recognised) -> Iterator[Sentence]:
        options = self._options
        taken = Report(self._take)
        # What was validated has been reported.
        report = Report() if kind.has_morphemes else taken
        check = EntityCheck(self.rules, taken, path)
        placed = read_placed(source, kind, report, on_error=options.on_error, rules=options.rules)
        for one in placed:
            sentence = one.sentence
            check.add(sentence)
            self._counts.add(sentence)
            self._sentences += 1
            if not options.limit or self.data.sentences < options.limit:
                self.data.add(one, number, self._of_sentence.pop(sentence.sent_id, ()))
            yield sentence

    def _leave(self, number: int) -> None:
        """Keep what was said of no sentence that is shown."""
        self._elsewhere += [
            [i.code, i.message, number, i.line, i.sent_id, i.token]
            for incidents in self._of_sentence.values()
            for i in incidents
        ]
        self._of_sentence.clear()

    def page(self, paths: Sequence[str], statistics: Statistics) -> Iterator[str]:
        """The page."""
        known = codes()
        names = _names(paths)
        listed = sum(self._incidents.values())
        meta = {
            "files": names,
            "chunks": [chunk.sentences for chunk in self.data.chunks],
            "types": [
                name for name, _ in by_frequency(self._counts.entities + self._counts.nested)
            ],
            "tags": self._tags(statistics),
            "codes": {
                code: [known.get(code, ""), self._incidents[code]]
                for code in sorted(self._incidents)
            },
            "incidents": listed,
        }
        values = {
            "title": self._options.title or ", ".join(names),
            "summary": _summary(statistics, listed),
            "generator": f"sejongud {__version__}",
            "incident_count": f"{listed:,}",
            "notice": self._notice(),
            "filter_options": "".join(
                [
                    f'<option value="{code}">{code} ({n:,})</option>'
                    for code, n in sorted(self._incidents.items())
                ]
            ),
            "statistics": self._figures(statistics),
            "incidents": codes_table(self._incidents, known),
            "meta": data_script(meta),
        }
        more = {"elsewhere": pack(self._elsewhere)} if self._elsewhere else {}
        yield from page(values, chunk_scripts(self.data.chunks, more))

    def _tags(self, statistics: Statistics) -> dict[str, list[str]]:
        """Tag → its kind and what it stands for."""
        known = self.rules.tags
        return {
            tag: [self.rules.kind(tag), known[tag].description if tag in known else ""]
            for tag in sorted(statistics.levels[5].xpos)
            if self.rules.kind(tag)
        }

    def _notice(self) -> str:
        """What is not shown."""
        said = []
        if self.data.sentences < self._sentences:
            said.append(
                f"The first {self.data.sentences:,} of {self._sentences:,} sentences are shown"
                " (--limit); the statistics are of all."
            )
        short = [code for code, n in sorted(self._incidents.items()) if self._listed[code] < n]
        if short:
            said.append(
                f"Of {', '.join(short)} the first {self._options.most_incidents:,} incidents are"
                " listed (--max); the counts are of all."
            )
        return "".join([f'<p class="notice">{text}</p>\n' for text in said])

    def _figures(self, statistics: Statistics) -> str:
        counts = self._counts
        values = {
            "sentences": statistics.sentences,
            "eojeols": statistics.eojeols,
            "different eojeols": statistics.distinct_eojeols,
            "morphemes": statistics.levels[5].words,
        }
        if entities := (counts.entities + counts.nested).total():
            values["entities"] = entities
        if arcs := counts.deprels.total():
            values["dependencies"] = arcs
        values["incidents"] = self._incidents.total()
        parts = [tiles(values), '<div class="charts">\n']
        for chart in charts_of(statistics, counts, self._incidents, codes()):
            svg = ""
            if self._options.charts:
                svg = inline(chart.draw(), chart.name, f"Chart: {chart.title}") + "\n"
            parts.append(figure(chart, svg))
        return "".join([*parts, "</div>\n"])


def _names(paths: Sequence[str]) -> list[str]:
    """What the files are called: without their folders, unless two would have the same name."""
    short = ["standard input" if path == "-" else PurePath(path).name for path in paths]
    return short if len(set(short)) == len(short) else list(paths)


def _summary(statistics: Statistics, incidents: int) -> str:
    counts = {"sentence": statistics.sentences, "eojeol": statistics.eojeols, "incident": incidents}
    return ", ".join([f"{n:,} {name}{'s' * (n != 1)}" for name, n in counts.items()])
