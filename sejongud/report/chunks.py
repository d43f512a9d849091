"""The page of `report`: template, style, script and data in one HTML file.

A policy in the page allows only its own style and script, which it names by their hashes: the page
fetches nothing, and text of the corpus cannot become a script even if it were markup.

A chart is the table that the page's script draws it from. The sentences are packed in chunks that
the script unpacks one by one. A chunk is a JSON object, deflated and in base64. It holds each word,
eojeol and message once, and its sentences refer to them by number:

    words       [form, lemma, UPOS, XPOS, number of morphemes]
    eojeols     [form, level 1, …, level 5]; a level is a list of tokens, or 0 if it equals the
                level before; a token is a word, or [form, word, word …] if it has several
    glosses     [romanisation, glosses in LaTeX] of each eojeol
    treeWords   [form, lemma, UPOS, XPOS, FEATS, MISC] of the treebank's own words
    incidents   [code, message]
    documents   the comments of each document that tells its metadata, if there is any
    sentences   [id, file, line, [eojeol …], {layers}]

The layers of a sentence, if it has any: `tree` (see `_tree`), `entities` [layer, type, first
morpheme, end, first character, end], `frames` (of each instance its boxes [name, lexical unit,
first morpheme, end, row]), `constituents` [label, first morpheme, end, depth], `comments`,
`document` (its number, from 1), `source` (the text of the source), `lines` (those of a file of
CoNLL-U), `picture` (SVG), `incidents` [incident, line, token, eojeol]; where gold stands beside a
system, `system` (the row of its sentence) and `marks` (see `Side`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections import Counter, defaultdict
from html import escape
from itertools import accumulate, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.layers.labels import entity_layers, to_text
from sejongud.layers.places import morpheme_spans
from sejongud.model import LEVEL_NAMES, MORPHEMES, NOTHING, Eojeol, Sentence, Token
from sejongud.report.views import Levels, Placed, cut_at, frame_boxes, tree_nodes, tree_words
from sejongud.statistics import Statistics, by_frequency
from sejongud.terminal import clean
from sejongud.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.converters.recut import Recut
    from sejongud.errors import Incident
    from sejongud.report.igt import Examples
    from sejongud.report.picture import Picture
    from sejongud.statistics.layers import LayerStatistics

    Side = tuple[Placed | None, Mapping[str, dict[int, str]]]
    """A sentence, if there is one; `words`, `entities` or `constituents` → the number of each that
    differs → its difference."""


_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; worker-src blob:;"
    " base-uri 'none'; {more}; require-trusted-types-for 'script'; trusted-types worker"
)


_PAGES = {
    "report": (
        "template.html",
        ("language.js", "query.js", "patterns.js", "exports.js", "report.js"),
        ("report.css",),
    ),
    "edits": ("edits.html", ("language.js", "edits.js"), ("report.css", "edits.css")),
    "serve": ("serve.html", ("language.js", "serve.js"), ("report.css", "serve.css")),
}
"""The template, the scripts and the styles of each kind of page."""

_SENDS = {"serve": "form-action 'self'; frame-src 'self'"}
"""Further policies of pages that send a form; others send none."""


def page(kind: str = "report", *, title: str, **values: Any) -> Iterator[str]:
    """Yield the parts of the page, in order.

    Args:
        kind: the kind of page, `report`, `edits` or `serve`.
        title: the title of the page, which may hold the names of files.
        values: the other variables of its template, apart from `script`, `style`, `policy` and
            `generator`.
    """
    from jinja2 import Environment, StrictUndefined

    folder = Path(__file__).parent

    def text(*names: str) -> str:
        return "".join([(folder / name).read_text("utf-8") for name in names])

    markup, scripts, styles = _PAGES[kind]
    inline = {"script": text(*scripts), "style": text(*styles)}
    hashes = {name: _hash(source) for name, source in inline.items()}
    policy = _POLICY.format(**hashes, more=_SENDS.get(kind, "form-action 'none'"))
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["e"] = lambda text: escape(text)
    template = environment.from_string(text("head.html", markup))
    # Korean labels: a row of the table is the English label and the Korean one.
    rows = [row.split("\t") for row in text("korean.tsv").splitlines() if row[:1] not in ("", "#")]
    labels = {"korean": data_script(dict(rows[1:]))}
    # The server compares the origin of a form with its own.
    values |= {"policy": policy, "referrer": "same-origin" if kind in _SENDS else "no-referrer"}
    values |= {"title": clean(title), "generator": f"sejongud {__version__}"}
    yield from template.generate(**values, **inline, **labels)


def corpus_page(
    data: SentenceData, files: Sequence[str], meta: Mapping[str, object], **values: Any
) -> Iterator[str]:
    """Yield the parts of the page of sentences; see `page`.

    Args:
        data: the sentences.
        files: the names of their files.
        meta: further values for the page's script.
        values: further variables of the template.
    """
    of_page: dict[str, object] = {"files": files, "levels": LEVEL_NAMES, "chunks": data.sizes}
    of_page |= {"types": [], "tags": {}, "codes": {}, "incidents": 0, **meta}
    usual: dict[str, Any] = {"incidents": 0, "codes": [], "packed": data.packed}
    return page(meta=data_script(of_page), **usual | values)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"'sha256-{digest.decode('ascii')}'"


def data_script(value: object) -> str:
    """Return a value as JSON for a script element, without any text that could end the element.

    >>> data_script("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


class Chart(NamedTuple):
    """A chart: its table, and the shape that the page draws.

    The first column has the names of the bars; each further column of plain numbers is a panel.
    """

    name: str
    """The end of the element's id."""
    title: str
    shape: str
    """`bars` lie below one another, `shares` are bars of each column's percentages, `columns`
    stand side by side, a `histogram` stands on a scale of numbers."""
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    """An explanation that stands below the title."""


def charts_of(
    statistics: Statistics,
    counts: LayerStatistics,
    incidents: Mapping[str, int],
    codes: Mapping[str, str],
) -> list[Chart]:
    """Return the charts of a corpus, except the empty ones.

    Args:
        statistics: the statistics of all its sentences.
        counts: the counts of its layers.
        incidents: code → number of incidents.
        codes: code → description.
    """
    levels = statistics.levels
    words = [
        [f"{k}", f"{counted.words:,}", f"{counted.mcw:.4f}", f"{counted.immediate_nts:,}"]
        for k, counted in levels.items()
        if counted.words
    ]
    upos = {f"level {k}": counted.upos for k, counted in levels.items()}
    lengths = {name.capitalize(): counted for name, counted in statistics.lengths.items()}
    every_length = sorted(set[int]().union(*lengths.values()))
    entities = {"entities": counts.entities, "inside others": counts.nested}
    types = {name: counted for name, counted in entities.items() if counted or name == "entities"}
    codes_chart = _ranking("codes", "Incidents by code", "code", Counter(incidents))
    explained = [[*row, codes.get(row[0], "")] for row in codes_chart.rows]
    charts = [
        Chart(
            "words",
            "Words at the five levels",
            "columns",
            ["level", "words", "complex words (MCW)", "tags"],
            words,
            "Complex words have two morphemes or more; MCW is their share of all words. Tags"
            " (immediate NT) are the different XPOS of the words.",
        ),
        Chart(
            "upos",
            "UPOS at the five levels",
            "shares",
            ["UPOS", *upos],
            _rows(upos, _names(upos)),
            "The bars are shares of the words of a level; the table has the numbers.",
        ),
        Chart(
            "lengths", "Lengths", "histogram", ["length", *lengths], _rows(lengths, every_length)
        ),
        _ranking("xpos", "Tags of the morphemes", "XPOS", levels[MORPHEMES].xpos),
        Chart("types", "Entities by type", "bars", ["type", *types], _rows(types, _names(types))),
        _ranking("deprels", "Relations", "DEPREL", counts.deprels),
        _ranking("frames", "Frames", "frame", counts.names),
        _ranking("elements", "Frame elements", "element", counts.elements),
        _ranking("labels", "Constituents by label", "label", counts.trees.labels),
        codes_chart._replace(head=[*codes_chart.head, "description"], rows=explained),
    ]
    return [chart for chart in charts if chart.rows]


def _names(columns: Mapping[str, Counter[str]]) -> list[str]:
    """Return the keys of all columns, the most frequent first."""
    return [name for name, _ in by_frequency(sum(columns.values(), Counter[str]()))]


def _rows(columns: Mapping[str, Counter[Any]], keys: Sequence[Any]) -> list[list[str]]:
    """Return a row of counts for each key."""
    return [[str(key), *[f"{counts[key]:,}" for counts in columns.values()]] for key in keys]


def _ranking(name: str, title: str, what: str, counts: Counter[str]) -> Chart:
    """Return the chart of one distribution, the most frequent first."""
    total = counts.total()
    rows = [[key, f"{n:,}", f"{n / total:.1%}"] for key, n in by_frequency(counts)]
    return Chart(name, title, "bars", [what, "count", "share"], rows)


_BARE = 4
"""The items of a row without layers."""

_CHUNK = 1_000
"""The sentences of a chunk; the page shows nothing before it has the first chunk."""


def pack(value: object) -> str:
    """Return a value as deflated JSON in base64, which needs no escaping anywhere in a page.

    >>> pack([])
    'i44FAA=='
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair becomes its JSON escape.
    data = text.encode("utf-8", "backslashreplace")
    squeezer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeezer.compress(data) + squeezer.flush()).decode("ascii")


def _numbers() -> defaultdict[Any, int]:
    """Return a table that numbers keys from 0 in the order of their first use."""
    return defaultdict(count().__next__)


class SentenceData:
    """Collects sentences in chunks.

    Args:
        levels: cut sentences at the five levels.
        examples: romanise and gloss eojeols; None for a page without interlinear examples.
        picture: draws the picture that the page saves; None for the page's own drawing of trees.
    """

    def __init__(
        self,
        levels: Sequence[Recut],
        examples: Examples | None = None,
        picture: Picture | None = None,
    ) -> None:
        self._levels = levels
        self._examples = examples
        self._picture = picture
        self.packed: dict[str, str] = {}
        """The text of each chunk, by the id of its element in the page."""
        self.sizes: list[int] = []
        """The number of sentences of each chunk."""
        self.sentences = 0
        self.types: set[str] = set()
        """The types of all entities."""
        self._tree_level = 0
        self._begin()

    def _begin(self) -> None:
        self._words = _numbers()
        self._tree_words = _numbers()
        self._incidents = _numbers()
        self._documents = _numbers()
        self._eojeols: dict[tuple[Eojeol, Levels], int] = {}
        self._eojeol_rows: list[list[Any]] = []
        self._glosses: list[tuple[str, str]] = []
        self._rows: list[list[Any]] = []

    def add(
        self,
        placed: Placed,
        file: int,
        incidents: Sequence[Incident],
        document: tuple[str, ...] = (),
    ) -> None:
        """Add a sentence.

        Args:
            placed: the sentence and its place.
            file: the number of its file.
            incidents: the incidents of the sentence.
            document: the comments of its document; see `document_of`.
        """
        more = {"document": self._documents[document] + 1} if document else {}
        self._keep(self._row(placed, file, incidents, more))

    def add_pair(self, pair: tuple[Side, Side]) -> None:
        """Add a sentence of gold and one of a system, beside one another."""
        gold, system = [
            placed and self._row(placed, file, (), {"marks": {k: v for k, v in marks.items() if v}})
            for file, (placed, marks) in enumerate(pair)
        ]
        if gold is not None and system is not None:
            if len(gold) == _BARE:
                gold.append({})
            gold[_BARE]["system"] = system
        self._keep(gold or system or [])

    def _keep(self, row: list[Any]) -> None:
        """Add the row of a sentence."""
        self._rows.append(row)
        self.sentences += 1
        if len(self._rows) == _CHUNK:
            self.finish()

    def _row(
        self, placed: Placed, file: int, incidents: Sequence[Incident], more: dict[str, Any]
    ) -> list[Any]:
        """Return the row of a sentence; `more` are layers of the page alone."""
        sentence = placed.sentence
        levels = cut_at(self._levels, sentence)
        eojeols = list(map(self._eojeol, sentence.eojeols, levels))
        entities = _entities(sentence)
        self.types.update([entity[1] for entity in entities])
        layers = {
            "tree": self._tree(sentence, levels) if sentence.is_treebank else None,
            "entities": entities,
            "frames": frame_boxes(sentence),
            "constituents": tree_nodes(sentence.constituents),
            "comments": sentence.comments,
            "source": sentence.text_orig,
            "lines": placed.lines,
            "picture": self._picture and self._picture.svg(sentence, colour="#000"),
            "incidents": [
                [self._incidents[i.code, i.message], i.line, i.token, placed.eojeol_of(i)]
                for i in incidents
            ],
            **more,
        }
        present = {name: value for name, value in layers.items() if value}
        row = [sentence.sent_id, file, placed.line, eojeols]
        return [*row, present] if present else row

    def finish(self) -> None:
        """Close the chunk that is being filled."""
        if self._rows:
            value = {
                "words": list(self._words),
                "eojeols": self._eojeol_rows,
                "treeWords": list(self._tree_words),
                "incidents": list(self._incidents),
                "sentences": self._rows,
                **({"documents": list(self._documents)} if self._documents else {}),
                **({"glosses": self._glosses} if self._glosses else {}),
            }
            self.packed[f"chunk-{len(self.sizes)}"] = pack(value)
            self.sizes.append(len(self._rows))
            self._begin()

    def _eojeol(self, eojeol: Eojeol, levels: Levels) -> int:
        """Return the number of an eojeol with these tokens."""
        number = self._eojeols.get((eojeol, levels))
        if number is None:
            number = self._eojeols[eojeol, levels] = len(self._eojeols)
            pairs = zip(((), *levels), levels, strict=False)
            rows = [0 if cut == before else list(map(self._token, cut)) for before, cut in pairs]
            self._eojeol_rows.append([eojeol.form, *rows])
            if self._examples is not None:
                gloss = self._examples.of[eojeol]
                self._glosses.append((gloss.roman, self._examples.glosses(gloss)))
        return number

    def _token(self, token: Token) -> int | list[Any]:
        words = [
            self._words[word.form, word.lemma, word.upos, word.xpos, len(word.morphemes)]
            for word in token.words
        ]
        return words[0] if len(words) == 1 else [token.form, *words]

    def _tree(self, sentence: Sentence, levels: Sequence[Levels]) -> dict[str, Any]:
        """Return the treebank's words: their numbers, morphemes, heads and relations.

        `level` is there if they are the words of a level, `deps` if there is an enhanced graph.
        """
        words, self._tree_level = tree_words(sentence, levels, self._tree_level)
        tree: dict[str, Any] = {
            "words": [
                self._tree_words[w.form, w.lemma, w.upos, w.xpos, w.feats, "|".join(w.misc)]
                for w in words
            ],
            "sizes": [word.last - word.first for word in words],
            "heads": [word.head for word in words],
            "deprels": [word.deprel for word in words],
        }
        if self._tree_level:
            tree["level"] = self._tree_level
        if any([word.deps != NOTHING for word in words]):
            tree["deps"] = [word.deps for word in words]
        return tree


def _entities(sentence: Sentence) -> list[list[Any]]:
    """Return the entities: layer, type, and their spans in the morphemes and in the text."""
    spans = morpheme_spans(sentence)
    text = sentence.text if sentence.entities else ""
    # JavaScript counts a character beyond U+FFFF as two.
    units = list(accumulate([1 + (char > "\uffff") for char in text], initial=0))
    return [
        [layer, entity.type, entity.begin, entity.end, units[covered.begin], units[covered.end]]
        for layer, entities in enumerate(entity_layers(sentence))
        for entity, covered in zip(entities, to_text(entities, spans), strict=True)
    ]
