"""The report in a real browser, if there is one: Chromium, spoken to through a pipe."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import time
from threading import Thread
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from test_gec_html import ITEMS, made

from sejongud import read
from sejongud.commands.serve import PageServer
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.gec.edits import Edit
from sejongud.report import (
    EditLine,
    EditRow,
    ReportOptions,
    State,
    edit_page,
    make_report,
    rows_of,
)
from sejongud.report.igt import tikz
from sejongud.report.parallel_view import make_comparison
from sejongud.report.picture import Picture
from sejongud.report.views import tree_words
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

pytestmark = [
    pytest.mark.skipif(not CHROMIUM, reason="no chromium on PATH"),
    pytest.mark.skipif(os.name != "posix", reason="its pipe has the numbers 3 and 4"),
]

ALONE = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
SECONDS = 120


class Browser:
    """A page in Chromium: commands of the DevTools protocol, and what they tell."""

    def __init__(self, profile: Path) -> None:
        read_in, self._write = os.pipe()
        self._read, write_out = os.pipe()

        def connect() -> None:
            # The numbers may be taken by each other.
            one, other = os.dup(read_in), os.dup(write_out)
            os.dup2(one, 3)
            os.dup2(other, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *ALONE, "--remote-debugging-pipe", f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=connect,
        )
        os.close(read_in)
        os.close(write_out)
        self._rest = b""
        self._number = 0
        self._session = ""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        size = {"width": 1360, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def close(self) -> None:
        os.close(self._write)
        os.close(self._read)
        self._process.kill()
        self._process.wait()

    def call(self, method: str, **params: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                assert "error" not in found, found
                return found["result"]
            self._note(found)

    def _next(self) -> Any:
        while b"\0" not in self._rest:
            data = os.read(self._read, 1 << 16)
            assert data, "the browser has gone"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _note(self, event: Any) -> None:
        params = event.get("params", {})
        match event["method"]:
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self.complaints.append(json.dumps(params)[:2000])

    def __getitem__(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, (expression, found)
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if self[f"Boolean({expression})"]:
                return
            time.sleep(0.02)
        raise AssertionError(f"never: {expression}\n{self.complaints}")

    def open(self, url: str) -> None:
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.documentElement?.dataset.complete")

    def change_language(self, lang: str) -> None:
        """Press the button of the page, which loads the page again."""
        button = "document.getElementById('language')"
        assert self[f"Boolean({button})"]
        self[f"setTimeout(() => {button}.click())"]
        while (event := self._next())["method"] != "Page.loadEventFired":
            self._note(event)
        self.wait(f"document.querySelector('[lang={lang}][data-complete]')")

    def key(self, key: str, code: str = "", **more: Any) -> None:
        code = code or (f"Key{key.upper()}" if key.isalpha() and len(key) == 1 else key)
        text = {"text": key} if len(key) == 1 else {}
        if key == "Enter":
            text = {"text": "\r"}
        number = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "End": 35, "Home": 36}
        params = {"key": key, "code": code, "windowsVirtualKeyCode": number.get(key, 0), **more}
        self.call("Input.dispatchKeyEvent", type="keyDown", **params, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


WORDS = """\
1-2	서울대학교의	_	_	_	_	_	_	_	_
1	서울대학교	서울대학교	PROPN	NNP	_	3	nmod	_	NE=B-OG
2	의	의	ADP	JKG	_	1	case	_	_
3-4	연구는	_	_	_	_	_	_	_	_
3	연구	연구	NOUN	NNG	_	5	nsubj	_	_
4	는	은	ADP	JX	_	3	case	_	_
5-7	끝났다	_	_	_	_	_	_	_	SpaceAfter=No
5	끝나	끝나	VERB	VV	_	0	root	_	_
6	았	었	PART	EP	_	5	aux	_	_
7	다	다	PART	EF	_	5	aux	_	_
8	.	.	PUNCT	SF	_	5	punct	_	_

"""
HOSTILE = "<img/src=x/onerror=alert(1)>"
COUNT = 1203


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a report of more than one chunk, with some words that stand out."""
    folder = tmp_path_factory.mktemp("page")
    source = folder / "many.conllu"
    texts = []
    for number in range(1, COUNT + 1):
        text = WORDS if number % 100 else WORDS.replace("서울대학교", "부산대학교")
        if number == 7:
            text = text.replace("연구	연구", f"{HOSTILE}	{HOSTILE}").replace(
                "연구는", f"{HOSTILE}는"
            )
        if number == 9:
            text = text.replace("NE=B-OG", "NE=B-OG|NE2=B-LC").replace("JKG", "JKQ")
        comment = "# text = another one\n" if number == 9 else ""
        texts.append(f"# sent_id = s{number}\n{comment}{text}")
    source.write_text("".join(texts), "utf-8")
    out = folder / "many.html"
    parts = make_report([str(source)], Source, ReportOptions(), Report())
    out.write_text("".join(parts), "utf-8")
    yield out.as_uri()


@pytest.fixture
def opened(browser: Browser, page: str) -> Browser:
    browser.complaints.clear()
    browser.open(page)
    return browser


HEADING = "document.querySelector('.head h2')?.textContent"
FOUND = "document.getElementById('found').textContent"
FOCUS = "document.activeElement.id"


def at(sent_id: str) -> str:
    return f"{HEADING} === '{sent_id}'"


def test_a_sentence_at_five_levels(opened: Browser, page: str) -> None:
    assert opened[HEADING] == "s1"
    rows = opened[
        "[...document.querySelectorAll('.system tbody')].map(b =>"
        " [...b.querySelectorAll('.form')].map(f => f.textContent).join(' '))"
    ]
    tree, _, *levels = rows
    assert levels == [
        "서울대학교의 연구는 끝났다.",
        "서울대학교의 연구는 끝났다 .",
        "서울대학교 의 연구 는 끝났다 .",
        "서울대학교 의 연구 는 끝나 았 다 .",
        "서울대학교 의 연구 는 끝나 았 다 .",
    ]
    assert tree == levels[4]
    labels = "[...document.querySelectorAll('.arc text')]"
    relations = ["nmod", "case", "nsubj", "case", "root", "aux", "aux", "punct"]
    assert sorted(opened[f"{labels}.map(t => t.textContent)"]) == sorted(relations)
    # The labels of low arcs stand over the feet of high ones.
    heights = opened[f"{labels}.map(t => Number(t.getAttribute('y')))"]
    assert heights == sorted(heights)
    tokens = "[...document.querySelectorAll('.mwt')].map(t => t.textContent).slice(0, 2)"
    assert opened[tokens] == ["서울대학교의", "연구는"]
    assert opened["document.querySelector('mark.ent').textContent"] == "서울대학교OG"
    # All rows have as many columns.
    spans = "[...row.cells].reduce((n, c) => n + (c.tagName === 'TD' ? c.colSpan : 0), 0)"
    assert opened[
        f"[...new Set([...document.querySelectorAll('.system tr')].map(row => {spans}))]"
    ] == [8]


ROWS_OF_FRAMES = """[...document.querySelectorAll('.frame tr')].map(row =>
  [...row.querySelectorAll('.span')].map(box => box.textContent))"""
TREE = """[...document.querySelectorAll('.constituents text')].map(node => node.textContent)"""


def test_frames_and_constituents(browser: Browser, root: Path, tmp_path: Path) -> None:
    expected = root / "samples" / "expected"
    paths = [str(expected / name) for name in ("framenet.frames.conllu", "treebank.5.conllu")]
    page = tmp_path / "page.html"
    page.write_text("".join(make_report(paths, Source, ReportOptions(), Report())), "utf-8")
    browser.complaints.clear()
    browser.open(page.as_uri())
    browser["location.hash = '#sentence/2'"]
    browser.wait("document.querySelector('.frame')")
    assert browser[ROWS_OF_FRAMES] == [["Political_locales부산.n"], ["Locale"]]
    browser["location.hash = '#sentence/8'"]
    browser.wait("document.querySelector('.constituents')")
    assert browser[TREE] == ["S", "NP_SBJ", "VP", "AP", "VP", "NP_OBJ", "DP", "NP_OBJ", "VP"]
    label = "document.querySelector('.constituents').getAttribute('aria-label')"
    assert browser[label] == (
        "Constituents: (S (NP_SBJ 동생은) (VP (AP 어제)"
        " (VP (NP_OBJ (DP 새) (NP_OBJ 책을)) (VP 샀다.))))"
    )
    assert "over level 1" in browser["document.querySelector('.tree th').textContent"]
    # Without level 1 the tree stands over the words of level 2.
    browser["document.querySelector('.toggles input').click()"]
    assert "(VP 샀다 .)" in browser[label]
    assert "over level 2" in browser["document.querySelector('.tree th').textContent"]
    for field, query, count in (("frame", "부산.n", 1), ("constituent", "NP_*", 10)):
        browser[f"document.getElementById('field').value = '{field}'"]
        browser[f"document.getElementById('query').value = '{query}'"]
        browser["document.getElementById('query').dispatchEvent(new Event('input'))"]
        browser.wait(f"{FOUND}.includes('{count} of 19 sentences')")
    assert browser.complaints == []


# English words of the page: texts, names and titles of elements that hold no text of the corpus.
ENGLISH = """(() => {
  const none = "script, style, noscript, h1, title, kbd, code, datalist, textarea, #language,"
    + " #list, .w, .mwt, .arc, .said, .comments, .data, #text, h2 a, .place, .said-of, .span,"
    + " .constituents text, figure .name, #count-list th:not(.n), body [lang=ko]";
  const seen = new Set();
  const add = (text) => {
    if (/[a-z]{3}/.test(text) && !/[가-힣]/.test(text)) seen.add(text.trim());
  };
  for (const node of document.querySelectorAll("body *")) {
    if (node.closest(none)) continue;
    for (const child of node.childNodes) if (child.nodeType === Node.TEXT_NODE) add(child.data);
    for (const name of ["aria-label", "title", "placeholder"]) add(node.getAttribute(name) ?? "");
  }
  return [...seen].sort();
})()"""


def test_the_page_in_korean(browser: Browser, root: Path, tmp_path: Path) -> None:
    source, page = tmp_path / "a.conllu", tmp_path / "a.html"
    # A word of the corpus stays, also if it is a label of the page.
    words = WORDS.replace("연구\t연구", "Table\tTable").replace("연구는", "Table는")
    source.write_text(f"# sent_id = s1\n# note = Table\n{words}" * 2, "utf-8")
    expected = root / "samples" / "expected"
    others = [expected / name for name in ("framenet.frames.conllu", "treebank.5.conllu")]
    parts = make_report(list(map(str, [source, *others])), Source, ReportOptions(), Report())
    page.write_text("".join(parts), "utf-8")
    browser.complaints.clear()
    browser.open(page.as_uri() + "#sentence/2")
    browser.change_language("ko")
    browser.wait(f"{FOUND} === '21문장'")
    assert browser["document.querySelector('.place').textContent"].startswith("2 / 21 ·")
    assert browser["document.querySelector('.form[lang=ko]').textContent"] == "서울대학교"
    rows = "[...document.querySelectorAll('.system tbody th')].map((head) => head.textContent)"
    assert browser[rows] == [
        *("의존 나무= 5단계", "개체명", "1단계어절", "2단계+ 기호", "3단계+ 조사", "4단계+ 어미"),
        "5단계형태소",
    ]
    assert browser["document.querySelector('.xpos').title"] == "NNP 고유명사"
    assert "Table" in browser["document.getElementById('figure').textContent"]
    assert browser["document.querySelector('.comments').textContent"] == "# note = Table"
    titles = browser["[...document.querySelectorAll('figcaption h3')].map((h) => h.textContent)"]
    assert {"다섯 단계의 UPOS", "형태소 태그", "의존 관계", "표지별 구 성분"} <= {*titles}
    english = set(browser[ENGLISH])
    browser["location.hash = '#incidents'"]
    browser.wait("document.querySelectorAll('#incident-list .row').length")
    codes = "[...document.querySelectorAll('.codes tr')].map((row) => row.cells[2].textContent)"
    assert {"모든 코드", "모르는 태그", "같은 문장 번호"} <= {*browser[codes]}
    browser["document.getElementById('frequencies').requestSubmit()"]
    browser.wait("document.querySelector('#count-list th.n')")
    for number in (3, 21):
        browser[f"location.hash = '#sentence/{number}'"]
        browser.wait(f"document.querySelector('.place').textContent.startsWith('{number} / 21 ·')")
        english |= set(browser[ENGLISH])
    browser["document.getElementById('query').value = '서울'"]
    browser["document.getElementById('search').requestSubmit()"]
    assert browser[FOUND] == "1 / 2 (전체 21문장), 2곳 일치"
    # Keys of queries and columns of CoNLL-U have no other name.
    assert english == {"sent_id", "head. child."}
    browser.change_language("en")
    assert browser["location.search"] == ""
    assert browser.complaints == []


def test_a_page_tells_in_korean_what_it_leaves_out(browser: Browser, tmp_path: Path) -> None:
    source, page = tmp_path / "a.conllu", tmp_path / "a.html"
    wrong = WORDS.replace("JKG", "JKQQ")
    texts = [f"# sent_id = {number}\n# text = {'가' * 90}\n{wrong}" for number in range(3)]
    source.write_text("".join(texts), "utf-8")
    options = ReportOptions(limit=2, most_incidents=1)
    page.write_text("".join(make_report([str(source)], Source, options, Report())), "utf-8")
    browser.complaints.clear()
    browser.open(page.as_uri() + "?lang=ko#incidents")
    notices = "[...document.querySelectorAll('main > .notice')].map((node) => node.textContent)"
    assert browser[notices] == [
        "전체 3문장 가운데 처음 2문장만 보입니다(--limit). 통계는 전체 문장의 것입니다.",
        "E216, W104은 처음 1건만 나열합니다(--limit-incidents). 건수는 전체의 것입니다.",
    ]
    browser["document.getElementById('frequencies').requestSubmit()"]
    said = "document.getElementById('count-said').textContent"
    browser.wait(f"{said}.endsWith('보이는 2문장에서 셈')")
    # The incident that is chosen is read whole on a phone.
    browser["document.getElementById('incident-list').style.width = '300px'"]
    browser.wait("document.querySelector('#incident-list .row')")
    browser.key("j")
    browser.wait("document.querySelector('#incident-list [aria-selected=true]')")
    message = "document.querySelector('#incident-list [aria-selected=true] .said')"
    assert browser[f"{message}.scrollWidth <= {message}.clientWidth"]
    assert browser[f"{message}.offsetHeight > 30"]
    assert browser.complaints == []


def test_nothing_is_asked_for_and_nothing_complained_of(opened: Browser, page: str) -> None:
    for place in ("statistics", "incidents", "sentence/9", "incidents/W237"):
        opened[f"location.hash = '#{place}'"]
        time.sleep(0.05)
    opened["new Promise(done => setTimeout(done, 200))"]
    assert opened.requests == [page]
    assert opened.complaints == []


def test_hostile_text_stays_text(opened: Browser) -> None:
    opened["location.hash = '#sentence/7'"]
    opened.wait(at("s7"))
    assert HOSTILE in opened["document.getElementById('detail').textContent"]
    assert opened["document.querySelectorAll('img').length"] == 0


def test_keys(opened: Browser) -> None:
    for key, expected in (("j", "s2"), ("j", "s3"), ("k", "s2")):
        opened.key(key)
        opened.wait(at(expected))
    # The same keys under a Korean input method.
    opened.key("ㅓ", "KeyJ")
    opened.wait(at("s3"))
    opened["document.getElementById('list').focus()"]
    opened.key("End")
    opened.wait(at(f"s{COUNT}"))
    assert (
        opened["document.querySelector('#list [aria-selected=true] .id span').textContent"]
        == f"s{COUNT}"
    )
    active = opened["document.getElementById('list').getAttribute('aria-activedescendant')"]
    assert opened[f"document.getElementById('{active}').ariaPosInSet"] == str(COUNT)
    opened.key("ArrowUp")
    opened.wait(at(f"s{COUNT - 1}"))
    opened.key("?", "Slash", modifiers=8)
    opened.wait("document.getElementById('help').open")
    opened.key("Escape")
    opened.wait("!document.getElementById('help').open")
    opened.key("2", "Digit2")
    opened.wait("!document.getElementById('view-statistics').hidden")
    assert opened["document.querySelector('nav [aria-current]').dataset.view"] == "statistics"
    assert opened["document.querySelectorAll('figure svg text').length"] > 50


PANELS = """[...document.querySelectorAll("figure")].map((figure) => {
  const bars = [...figure.querySelectorAll("rect")].map((bar) => bar.getBBox());
  const standing = ["columns", "histogram"].includes(figure.dataset.chart);
  return [figure.id, bars.map((box) => (standing ? box.height : box.width))];
})"""


def test_bars_are_as_long_as_the_numbers_of_their_tables(opened: Browser) -> None:
    opened["location.hash = '#statistics'"]
    opened.wait("!document.getElementById('view-statistics').hidden")
    sizes = dict(opened[PANELS])
    tables = dict(
        opened[
            "[...document.querySelectorAll('figure')].map(f => [f.id, [...f.querySelectorAll("
            "'tbody tr')].map(row => [...row.cells].map(c => c.textContent.replace(/,/g, '')))])"
        ]
    )
    assert not opened["document.querySelector('#view-statistics details[open]')"]

    def of_greatest(numbers: list[float]) -> list[float]:
        return [number / max(numbers) for number in numbers]

    def approx(numbers: list[float]) -> Any:
        return pytest.approx(numbers, abs=1e-3)

    rows = tables["figure-deprels"]
    assert of_greatest(sizes["figure-deprels"]) == approx(
        of_greatest([float(row[1]) for row in rows])
    )
    assert len(rows) == 6
    # Five bars for each of three panels, which have a scale each.
    words = sizes["figure-words"]
    for at in range(3):
        panel = of_greatest(words[5 * at : 5 * at + 5])
        assert panel == approx(of_greatest([float(row[at + 1]) for row in tables["figure-words"]]))
    # Five panels of shares with one scale.
    columns = [[float(row[at]) for row in tables["figure-upos"]] for at in range(1, 6)]
    expected = [number / sum(column) for column in columns for number in column]
    assert of_greatest(sizes["figure-upos"]) == approx(of_greatest(expected))


def test_long_charts_are_cut_and_their_tables_are_whole(browser: Browser, tmp_path: Path) -> None:
    word = "{0}\t나\t나\tNOUN\tNNG\t_\t0\troot\t_\tNE=B-T{1}\n"
    lengths = [1] * 239 + [30]
    blocks = [
        "".join([word.format(n, at % 60) for n in range(1, length + 1)]) + "\n"
        for at, length in enumerate(lengths)
    ]
    source = tmp_path / "cut.conllu"
    source.write_text("".join(blocks), "utf-8")
    out = tmp_path / "cut.html"
    out.write_text("".join(make_report([str(source)], Source, ReportOptions(), Report())), "utf-8")
    browser.complaints.clear()
    browser.open(out.as_uri())
    count = "document.querySelectorAll('{0}').length"
    assert browser[count.format("#figure-types rect")] == 45
    assert browser[count.format("#figure-types tbody tr")] == 60
    notes = browser["[...document.querySelectorAll('figcaption p')].map(p => p.textContent)"]
    assert "The chart has the first 45 of 60; the table has all." in notes
    # Sentences of one eojeol alone are drawn; eojeols have one morpheme and one character.
    assert "The longest 0.5% are not drawn; the table has them." in notes
    titles = "[...document.querySelectorAll('#figure-lengths rect title')].map(t => t.textContent)"
    assert browser[titles] == ["1: 239", "1: 269", "1: 269"]
    assert browser[count.format("#figure-lengths tbody tr")] == 2
    assert browser.complaints == []


def test_without_a_script_the_tables_are_open(browser: Browser, page: str) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.call("Page.navigate", url="about:blank")
        browser.call("Page.navigate", url=page)
        browser.wait("document.querySelector('#figure-codes')")
        seen = "[...document.querySelectorAll('figure table')].map(t => t.checkVisibility())"
        assert browser[seen] == [True] * 7
        assert browser["document.querySelector('noscript p').checkVisibility()"]
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_search(opened: Browser) -> None:
    opened.key("/", "Slash")
    assert opened[FOCUS] == "query"
    opened.call("Input.insertText", text="부산")
    opened.wait(f"{FOUND}.startsWith('12 of 1,203 sentences, 12 matches')")
    opened.key("Enter")
    opened.wait(at("s100"))
    assert opened["document.querySelectorAll('.system .hit').length"] > 0
    assert opened[FOUND].startswith("1 / 12 of")
    opened["document.getElementById('list').focus()"]
    opened.key("n")
    opened.wait(at("s200"))
    opened.key("N", modifiers=8)
    opened.wait(at("s100"))
    # Before the first comes the last.
    opened.key("N", modifiers=8)
    opened.wait(at("s1200"))
    opened.key("Escape")
    opened.wait(f"{FOUND} === '1,203 sentences'")
    assert opened[HEADING] == "s1200"


@pytest.fixture
def searched(browser: Browser, page: str) -> Browser:
    """The page in any state, so that searches need not open it again."""
    if browser["location.href"].partition("#")[0] != page:
        browser.open(page)
    return browser


@pytest.mark.parametrize(
    ("field", "query", "count"),
    [
        ("form", "끝났", COUNT),
        ("form", '"끝"', 0),
        ("lemma", '"었"', COUNT),
        ("lemma", '"았"', 0),
        ("tag", "JKQ", 1),
        ("tag", "NNP+JK*", COUNT),
        ("tag", "JK", 0),
        ("tag", "NOUN", COUNT),
        ("deprel", "nsubj", COUNT),
        ("entity", "LC", 1),
        ("entity", "부산", 12),
        ("id", '"s12"', 1),
        ("any", "/^부산.*의$/", 12),
        ("any", "부산대학교의 연구는", 12),
        ("query", "tag=JKQ or lemma=부산*", 13),
        ("query", "upos=PROPN head.deprel=nsubj next.tag=JKG", COUNT - 1),
        ("query", "entity=LC text=/연구/ id=s9", 1),
        ("query", "construction=VV+EP+EF+SF deprel=root child.lemma=었", COUNT),
    ],
)
def test_searching_in(searched: Browser, field: str, query: str, count: int) -> None:
    searched["document.getElementById('query').value = ''"]
    searched["document.getElementById('search').requestSubmit()"]
    searched.wait(f"!{FOUND}.includes(' of ')")
    searched[f"document.getElementById('field').value = '{field}'"]
    searched[f"document.getElementById('query').value = {json.dumps(query)}"]
    searched["document.getElementById('search').requestSubmit()"]
    # A regular expression is tested beside the page, which goes on meanwhile.
    searched.wait(f"{FOUND}.includes(' of ')")
    said = searched[FOUND].rpartition("/ ")[2]
    assert said.split(" of ")[0] == f"{count:,}"


SLOW = "/^(a+)+$/"


def test_a_pattern_without_end_is_ended(browser: Browser, tmp_path: Path) -> None:
    word = f"{'a' * 60}!"
    source, out = tmp_path / "a.conllu", tmp_path / "a.html"
    source.write_text(
        f"# sent_id = s1\n# {word}\n{WORDS.replace('연구', word)}# sent_id = s2\n{WORDS}", "utf-8"
    )
    out.write_text("".join(make_report([str(source)], Source, ReportOptions(), Report())), "utf-8")
    browser.complaints.clear()
    browser.open(out.as_uri())
    # What the page calls a second is a tenth of one here.
    browser["whole = setTimeout, setTimeout = (f, most) => whole(f, most / 10)"]
    for field, query, about in (
        ("any", SLOW, ""),
        ("query", f"form={SLOW}", ""),
        ("tag", "", SLOW),
    ):
        browser[f"document.getElementById('field').value = '{field}'"]
        browser[f"document.getElementById('query').value = '{query}'"]
        browser[f"document.getElementById('about').value = '{about}'"]
        browser["document.getElementById('search').requestSubmit()"]
        # The page answers while the pattern is tested, and is told.
        assert browser["1 + 1"] == 2
        browser.wait(f"{FOUND} === 'the pattern {SLOW} took longer than a second'")
        assert browser["document.querySelectorAll('[aria-invalid]').length"] == 1
        browser["document.getElementById('query').value = '서울'"]
        browser["document.getElementById('about').value = ''"]
        browser["document.getElementById('field').value = 'any'"]
        browser["document.getElementById('search').requestSubmit()"]
        browser.wait(f"{FOUND}.endsWith('2 of 2 sentences, 2 matches')")
    # The picture of a sentence may wait for the pattern of a search that another one has followed.
    browser["settled = patterns.settled, late = null"]
    later = "(run) => run.name === 'draw' ? new Promise((_, no) => late = no) : settled(run)"
    browser[f"patterns.settled = {later}"]
    browser["document.getElementById('search').requestSubmit()"]
    browser.wait("late")
    browser["patterns.settled = settled"]
    browser["document.getElementById('search').requestSubmit()"]
    browser["late(new Error('too late'))"]
    browser.wait(f"{FOUND}.endsWith('2 of 2 sentences, 2 matches')")
    assert browser["document.querySelectorAll('[aria-invalid]').length"] == 0
    browser["location.hash = '#statistics'"]
    browser[f"document.getElementById('counted').value = 'form={SLOW}'"]
    browser["document.getElementById('frequencies').requestSubmit()"]
    said = "document.getElementById('count-said').textContent"
    browser.wait(f"{said} === 'the pattern {SLOW} took longer than a second'")
    assert browser.complaints == []


def test_documents_are_chosen_by_their_metadata(
    browser: Browser, tmp_path: Path, root: Path
) -> None:
    """The second box takes comments, those of the document, and names of files, beside a search."""
    paths = []
    for name in ("written", "spoken"):
        paths.append(str(tmp_path / f"{name}.txt"))
        source = root / "samples" / f"corpus-{name}.txt"
        (tmp_path / f"{name}.txt").write_bytes(source.read_bytes())
    out = tmp_path / "page.html"
    out.write_text("".join(make_report(paths, Source, ReportOptions(), Report())), "utf-8")
    browser.complaints.clear()
    browser.open(out.as_uri())
    total = browser[FOUND].partition(" ")[0]
    count = {}
    for about in ("입말", "/title = .*입말$/", '"없음"', "spoken.txt", "written"):
        browser["document.getElementById('about').focus()"]
        browser[f"document.getElementById('about').value = {json.dumps(about)}"]
        browser["document.getElementById('search').requestSubmit()"]
        count[about] = int(browser[FOUND].rpartition("/ ")[2].partition(" of ")[0])
    assert 0 < count["입말"] == count["/title = .*입말$/"] == count["spoken.txt"]
    assert (count['"없음"'], count["spoken.txt"] + count["written"]) == (0, int(total))
    # A sentence shows the comments of its document, which stand at the document's first one.
    assert browser["document.querySelector('.comments')?.textContent.includes('= ')"]
    browser["document.getElementById('query').value = '그'"]
    browser["document.getElementById('search').requestSubmit()"]
    assert int(browser[FOUND].rpartition("/ ")[2].partition(" of ")[0]) < count["written"]
    browser["document.getElementById('about').value = '/(/'"]
    browser["document.getElementById('search').requestSubmit()"]
    assert browser[FOUND].startswith("not a regular expression")
    browser["document.getElementById('about').focus()"]
    browser.key("Escape")
    browser.wait(f"{FOUND} === '{total} sentences'")
    assert browser["document.getElementById('about').value"] == ""
    assert not browser.complaints


def test_marks_of_a_search_go_with_it(opened: Browser) -> None:
    marks = "document.querySelectorAll('#detail .hit').length"

    def search(field: str, query: str) -> None:
        opened[f"document.getElementById('field').value = '{field}'"]
        opened[f"document.getElementById('query').value = {json.dumps(query)}"]
        opened["document.getElementById('search').requestSubmit()"]

    search("query", "lemma=끝나 or tag=JKG")
    opened.wait(f"{marks} === 2")
    search("form", "서울")
    opened.wait(f"{marks} > 2")
    search("form", "nothing")
    assert opened[marks] == 0
    search("form", "서울")
    assert opened[marks] > 2
    search("query", "tag=(")
    assert opened[FOUND] == "the query is wrong at character 5: a value must follow the ="
    assert opened["document.querySelectorAll('[aria-invalid]').length"] == 1
    assert opened[marks] == 0


def test_frequency_lists(opened: Browser) -> None:
    opened["location.hash = '#statistics'"]
    opened["document.getElementById('counted').value = 'upos=NOUN or tag=JK*'"]
    opened["document.getElementById('keys-counted').value = 'lemma, head.lemma'"]
    opened["document.getElementById('frequencies').requestSubmit()"]
    said = "document.getElementById('count-said').textContent"
    opened.wait(f"{said} === '2,406 words, 4 different rows'")
    rows = opened[
        "[...document.querySelectorAll('#count-list tr')].map((row) =>"
        " [...row.cells].map((cell) => cell.textContent))"
    ]
    assert rows[:4] == [
        ["lemma", "head.lemma", "count", "share"],
        ["연구", "끝나", "1,202", "50.0%"],
        ["의", "서울대학교", "1,191", "49.5%"],
        ["의", "부산대학교", "12", "0.5%"],
    ]
    assert [HOSTILE, "끝나", "1", "0.0%"] in rows
    opened["document.getElementById('keys-counted').value = 'lema'"]
    opened["document.getElementById('frequencies').requestSubmit()"]
    opened.wait(f"{said}.includes('character 1: lema is no key: form, lemma, ')")


def offered(browser: Browser, button: str) -> str:
    """Return the text that a button offers to save."""
    browser[f"{button}.click()"]
    browser.wait("document.getElementById('export-said').textContent")
    text: str = browser["document.getElementById('export-text').value"]
    browser["document.getElementById('export').close()"]
    return text


def test_charts_and_lists_are_saved(browser: Browser, tmp_path: Path) -> None:
    source, out = tmp_path / "a.conllu", tmp_path / "a.html"
    word = "1\tw{0}\tw{0}\tNOUN\tNNG\t_\t0\troot\t_\t_\n\n"
    forms = [word.format(number) for number in range(1200)]
    forms += [word.format(0), word.replace("w{0}", '=1+"2"')]
    source.write_text("".join(forms), "utf-8")
    out.write_text("".join(make_report([str(source)], Source, ReportOptions(), Report())), "utf-8")
    browser.complaints.clear()
    browser.open(out.as_uri() + "#statistics")
    figure = "document.querySelectorAll('#figure-xpos .exports button')"
    picture = ElementTree.fromstring(offered(browser, f"{figure}[0]"))
    assert sum([node.tag.endswith("rect") for node in picture.iter()]) == 1
    assert "1,202" in [node.text for node in picture.iter()]
    assert picture.find("{http://www.w3.org/2000/svg}style") is not None
    assert offered(browser, f"{figure}[1]") == "\ufeffXPOS,count,share\nNNG,1202,100.0%\n"
    browser["document.getElementById('keys-counted').value = 'lemma'"]
    browser["document.getElementById('frequencies').requestSubmit()"]
    browser.wait("document.querySelector('#count-list tbody')")
    assert browser["document.querySelectorAll('#count-list tbody tr').length"] == 1000
    table = offered(browser, "document.querySelector('#count-list .exports button')")
    rows = table.split("\n")
    assert rows[:2] == ["\ufefflemma,count,share", "w0,2,0.2%"]
    assert len(rows) == 1 + 1201 + 1
    assert '"\'=1+""2""",1,0.1%' in rows
    assert browser.complaints == []


@pytest.mark.parametrize("kind", ["edits", "report"])
def test_nothing_is_wider_than_a_phone(browser: Browser, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "a.html"
    signature = "_".join([f"setting{number}" for number in range(40)])
    out.write_text("".join(edit_page([], title="a" * 90, signature=signature)), "utf-8")
    if kind == "report":
        source = tmp_path / f"{'a' * 90}.conllu"
        source.write_text(WORDS, "utf-8")
        parts = make_report([str(source)], Source, ReportOptions(), Report())
        out.write_text("".join(parts), "utf-8")
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **phone)
    try:
        browser.call("Page.navigate", url=out.as_uri())
        browser.wait("document.readyState === 'complete'")
        assert browser["document.documentElement.scrollWidth"] <= 390
        # Texts of charts, 11 of 640, are not too small to read: the chart is scrolled.
        browser["location.hash = '#statistics'"]
        charts = "[...document.querySelectorAll('figure svg')]"
        widths = browser[f"{charts}.map((svg) => svg.getBoundingClientRect().width)"]
        assert all([width * 11 / 640 > 8 for width in widths])
        assert len(widths) > 3 or kind == "edits"
    finally:
        size = {"width": 1360, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", **size)


OVERLAPS = """[...document.querySelectorAll('.arcs svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBBox()]);
  const meet = (a, b) => Math.abs(a.y - b.y) < 6 && a.x < b.x + b.width && b.x < a.x + a.width;
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1).filter(([, b]) => meet(a, b))
    .map(([other]) => `${one} ${other}`));
})"""


def test_no_label_of_an_arc_hides_another(browser: Browser, tmp_path: Path) -> None:
    """Arcs that leave a line have their labels at its ends, where others may stand."""
    words = [f"{n}\t작은\t작+은\tADJ\tVA+ETM\t_\t{n + 1}\tacl:relcl\t_\t_" for n in range(1, 30)]
    words += ["30\t집\t집\tNOUN\tNNG\t_\t0\troot\t_\t_"]
    (tmp_path / "a.conllu").write_text("\n".join(words) + "\n\n", "utf-8")
    parts = make_report([str(tmp_path / "a.conllu")], Source, ReportOptions(), Report())
    (tmp_path / "a.html").write_text("".join(parts), "utf-8")
    browser.open((tmp_path / "a.html").as_uri())
    assert browser["document.querySelectorAll('.arc.open text').length"] > 2
    assert browser[OVERLAPS] == []


def test_entities_that_cross_are_all_in_the_text(browser: Browser, tmp_path: Path) -> None:
    """One goes on behind another, and a third lies where both are."""
    text = WORDS.replace("1	case	_	_", "1	case	_	NE=I-OG|NE2=B-EV|NE3=B-LC")
    text = text.replace("nsubj	_	_", "nsubj	_	NE2=I-EV")
    (tmp_path / "a.conllu").write_text(text, "utf-8")
    parts = make_report([str(tmp_path / "a.conllu")], Source, ReportOptions(), Report())
    (tmp_path / "a.html").write_text("".join(parts), "utf-8")
    browser.open((tmp_path / "a.html").as_uri())
    assert (
        browser["document.getElementById('text').textContent"]
        == "서울대학교의LCEVOG 연구EV는 끝났다."
    )


def copied(browser: Browser, label: str) -> str:
    """What a button offers to copy."""
    button = (
        f"[...document.querySelectorAll('.exports button')].find(b => b.textContent === '{label}')"
    )
    browser[f"{button}.click()"]
    browser.wait("document.getElementById('export-said').textContent")
    text: str = browser["document.getElementById('export-text').value"]
    browser["document.getElementById('export').close()"]
    return text


def test_gold_beside_a_system(browser: Browser, tmp_path: Path) -> None:
    gold, system, out = (tmp_path / name for name in ("gold.conllu", "system.conllu", "out.html"))
    texts = [f"# sent_id = s{number}\n{WORDS}" for number in (1, 2)]
    gold.write_text("".join(texts), "utf-8")
    system.write_text(texts[0] + texts[1].replace("3\tnmod", f"5\t{HOSTILE}"), "utf-8")
    scores = [
        ["score", "tp", "precision", "recall", "accuracy"],
        ["LAS", "7", "87.5%", "87.5%", ""],
    ]
    parts = make_comparison((str(gold), str(system)), Source, "dep", scores=scores)
    out.write_text("".join(parts), "utf-8")
    browser.complaints.clear()
    browser.open(out.as_uri())
    browser["document.getElementById('filter').value = '≠'"]
    browser["document.getElementById('filter').dispatchEvent(new Event('change'))"]
    browser.wait(at("s2"))
    assert browser[FOUND] == "1 / 1 of 2 sentences"
    texts_of = "[...document.querySelectorAll('{}')].map((node) => node.textContent)"
    assert browser[texts_of.format(".side")] == ["Gold", "System"]
    assert browser[texts_of.format(".w.wrong .form")] == ["서울대학교"] * 2
    assert browser[texts_of.format(".arc.wrong text")] == ["nmod", HOSTILE]
    assert browser["document.querySelectorAll('img').length"] == 0
    assert "≠ 1" in browser["document.querySelector('.row .flag').textContent"]
    browser.change_language("ko")
    differences = "document.querySelector('#figure-differences tbody').textContent"
    assert browser[differences] == "지배소와 의존 관계1"
    browser["location.hash = '#sentence/2'"]
    browser.wait("document.querySelector('.w.wrong')?.title === '다름: 지배소와 의존 관계'")
    assert browser[texts_of.format(".side")] == ["정답", "시스템"]
    assert browser[ENGLISH] == ["head. child.", "sent_id"]
    assert browser.complaints == []


def test_a_sentence_has_its_own_link(browser: Browser, tmp_path: Path) -> None:
    """Two files may have sentences of one id, such as a treebank in two versions."""
    paths = [tmp_path / name for name in ("a.conllu", "b.conllu")]
    for path in paths:
        path.write_text(f"# sent_id = s\n# text = 서울대학교의 연구는 끝났다.\n{WORDS}", "utf-8")
    parts = make_report(list(map(str, paths)), Source, ReportOptions(), Report())
    (tmp_path / "page.html").write_text("".join(parts), "utf-8")
    browser.open((tmp_path / "page.html").as_uri() + "#sentence/2")
    link, place = "document.querySelector('h2 a')?.hash", "document.querySelector('.place')"
    browser.wait(f"{link} !== '#id/s'")
    browser.open(str(browser["document.querySelector('h2 a').href"]))
    assert "b.conllu" in browser[f"{place}.textContent"]
    browser.open((tmp_path / "page.html").as_uri() + "#sentence/1")
    assert browser[link] == "#id/s"


def pages(browser: Browser) -> int:
    """The number of pages that the page prints on, A4."""
    size = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": False}
    data = browser.call("Page.printToPDF", printBackground=True, **size)["data"]
    return len(re.findall(rb"/Type */Page\b", base64.b64decode(data)))


@pytest.mark.parametrize(("eojeols", "most"), [(30, 1), (90, 6)])
def test_a_sentence_prints_on_one_page(
    browser: Browser, tmp_path: Path, eojeols: int, most: int
) -> None:
    source, out = tmp_path / "a.txt", tmp_path / "a.html"
    source.write_text("나서었다\t나서/VV+었/EP+다/EF\n" * eojeols, "utf-8")
    out.write_text("".join(make_report([str(source)], Source, ReportOptions(), Report())), "utf-8")
    browser.open(out.as_uri())
    browser["document.querySelector('nav [data-view=sentences]').click()"]
    before = browser["document.querySelectorAll('.system').length"]
    assert 1 <= pages(browser) <= most
    browser.wait(f"document.querySelectorAll('.system').length === {before}")
    assert browser["document.getElementById('figure').style.zoom"] == ""


def test_tables_print_with_all_of_their_columns(browser: Browser, tmp_path: Path) -> None:
    """Nobody scrolls paper, which is 696 pixels wide between its margins."""
    source, out = tmp_path / "a.conllu", tmp_path / "a.html"
    source.write_text(
        WORDS.replace("서울대학교	서울대학교	PROPN", f"{'a' * 200}	서울대학교	PROPN"),
        "utf-8",
    )
    out.write_text("".join(make_report([str(source)], Source, ReportOptions(), Report())), "utf-8")
    browser.open(out.as_uri() + "#sentence/1")
    browser["document.querySelector('#detail details').open = true"]
    width = "document.querySelector('#detail .scroll > table')?.getBoundingClientRect().width"
    browser.wait(f"{width} > 1000")
    browser["dispatchEvent(new Event('beforeprint'))"]
    assert 600 < browser[width] <= 696
    browser["dispatchEvent(new Event('afterprint'))"]
    assert browser[width] > 1000


def test_a_sentence_is_copied(opened: Browser) -> None:
    opened["location.hash = '#id/s7'"]
    opened.wait(at("s7"))
    lines = copied(opened, "CoNLL-U").split("\n")
    assert lines[0] == "# sent_id = s7"
    assert lines[5] == f"3\t{HOSTILE}\t{HOSTILE}\tNOUN\tNNG\t_\t5\tnsubj\t_\t_"
    assert lines[-3:] == [WORDS.split("\n")[-3], "", ""]
    latex = copied(opened, "LaTeX").split("\n")
    assert f"    서울대학교 \\& 의 \\& {HOSTILE} \\& 는 \\& 끝나 \\& 았 \\& 다 \\& . \\\\" in latex
    assert "  \\depedge{5}{3}{nsubj}" in latex
    assert "  \\deproot{5}{root}" in latex
    assert "     seouldaehakgyo-ui" in "\n".join(latex)
    assert f"\\glll 서울대학교의 {HOSTILE}는 끝났다. \\\\" in latex
    picture = ElementTree.fromstring(copied(opened, "SVG"))
    names = {node.tag.rpartition("}")[2] for node in picture.iter()}
    assert names == {"svg", "title", "style", "g", "path", "text"}
    texts = [node.text for node in picture.iter() if node.tag.endswith("}text")]
    assert {HOSTILE, "끝나", "nsubj", "root", "VERB"} <= {*texts}
    opened["location.hash = '#id/nothing'"]
    opened.wait("document.getElementById('say').textContent.includes('no sentence nothing')")
    assert opened[HEADING] == "s7"


DRAWN = """[...document.querySelectorAll('.arc text, .constituents text, .span, .mwt, .form')]
  .map((node) => node.firstChild.textContent)"""


@pytest.mark.parametrize("name", ["ud.conllu", "treebank.txt", "expected/naver-ner.5.conllu"])
def test_the_picture_of_the_library_has_what_the_page_has(
    browser: Browser, root: Path, tmp_path: Path, name: str
) -> None:
    """Both draw the same arcs, constituents, entities, multiword tokens and words."""
    source, out = root / "samples" / name, tmp_path / "a.html"
    out.write_text("".join(make_report([str(source)], Source, ReportOptions(), Report())), "utf-8")
    browser.open(out.as_uri())
    toggle = "[...document.querySelectorAll('.toggles label')].find(n => n.textContent === 'wrap')"
    browser[f"{toggle}.firstChild.click()"]
    titles = {"tree", "words", "entities", "constituents", "1 eojeols", "2 + symbols"}
    titles |= {"3 + particles", "4 + endings", "5 morphemes"}
    for number, sentence in enumerate(read(source), 1):
        browser[f"location.hash = '#sentence/{number}'"]
        browser.wait(f"document.querySelector('.place').textContent.startsWith('{number} of')")
        picture = ElementTree.fromstring(Picture(load(), rows=()).svg(sentence))
        texts = [node.text or "" for node in picture.iter() if node.tag.endswith("}text")]
        found = [text for text in texts if text not in titles]
        assert sorted(found) == sorted(browser[DRAWN])
        assert len(found) > 5
        if sentence.arcs:
            words, _ = tree_words(sentence, Picture(load()).levels_of(sentence))
            assert tikz(words) in copied(browser, "LaTeX")


@pytest.mark.parametrize("level", [1, 3, 5])
def test_morphemes_are_copied_as_they_are_converted(
    browser: Browser, root: Path, tmp_path: Path, level: int
) -> None:
    source, out = root / "samples" / "sejong.txt", tmp_path / "a.html"
    out.write_text("".join(make_report([str(source)], Source, ReportOptions(), Report())), "utf-8")
    browser.open(out.as_uri())
    levels = "[...document.querySelectorAll('.toggles input')]"
    browser[f"{levels}.slice({level}, 5).forEach((box) => box.click())"]
    for number, sentence in enumerate(read(source), 1):
        if number in (1, 4, 12, 17):
            browser[f"location.hash = '#sentence/{number}'"]
            browser.wait(f"{HEADING} === '{sentence.sent_id}'")
            found = copied(browser, "CoNLL-U")
            wanted = sentence.to_conllu(level)
            assert without_misc(found) == without_misc(wanted)


def without_misc(text: str) -> list[str]:
    return [line.rpartition("\t")[0] if "\t" in line else line for line in text.split("\n")]


@pytest.fixture(scope="module")
def served() -> Iterator[PageServer]:
    with PageServer() as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


IN_FRAME = "document.querySelector('iframe:not(.next)')?.contentDocument"


def test_a_text_is_analysed_as_it_is_typed(browser: Browser, served: PageServer) -> None:
    browser.complaints.clear()
    browser.requests.clear()
    browser.call("Page.navigate", url=served.url)
    browser.wait(f"{IN_FRAME}?.querySelector('.system')")
    browser["document.getElementById('text').select()"]
    browser.call("Input.insertText", text=f"프랑스의 디자이너가 나섰다. {HOSTILE}")
    browser.wait(f"{IN_FRAME}?.getElementById('text')?.textContent.startsWith('프랑스의')")
    forms = f"[...{IN_FRAME}.querySelector('.system').querySelectorAll('tbody')].map((body) => "
    forms += "[...body.querySelectorAll('.form')].map((form) => form.textContent).join(' '))"
    rows = browser[forms]
    assert rows[-5].startswith("프랑스의 디자이너가 나섰다.")
    assert rows[-1].startswith("프랑스 의 디자이너 가 나서 었 다 .")
    assert HOSTILE in browser[f"{IN_FRAME}.getElementById('text').textContent"]
    assert browser[f"{IN_FRAME}.querySelectorAll('img').length"] == 0
    # FEATS and glosses stand among the columns, without a click.
    columns = browser[f"{IN_FRAME}.querySelector('details table').textContent"]
    assert "Case=Nom" in columns
    assert "Gloss=-nom" in columns
    labels = f"[...{IN_FRAME}.querySelectorAll('.head .exports button')].map((b) => b.textContent)"
    assert browser[labels] == ["CoNLL-U", "SVG", "LaTeX"]
    browser[f"{IN_FRAME}.querySelectorAll('.head .exports button')[1].click()"]
    saved = browser[f"{IN_FRAME}.getElementById('export-text').value"]
    assert "5 morphemes" in [node.text for node in ElementTree.fromstring(saved).iter()]
    browser[f"{IN_FRAME}.getElementById('export').close()"]
    # On paper the frame has no scroll bar, behind which something would be lost.
    browser["dispatchEvent(new Event('beforeprint'))"]
    frame = "document.querySelector('iframe:not(.next)')"
    detail = f"{frame}.contentDocument.getElementById('detail')"
    assert browser[f"{frame}.offsetHeight > {detail}.scrollHeight"]
    browser["dispatchEvent(new Event('afterprint'))"]
    assert browser[f"{frame}.style.height"] == ""
    browser["document.getElementById('level').value = '2'"]
    browser["document.getElementById('level').dispatchEvent(new Event('change'))"]
    browser.wait(f"{IN_FRAME}?.querySelector('.system th')?.textContent.includes('level 2')")
    # The other language takes the text and its level along.
    browser.change_language("ko")
    browser.wait(f"{IN_FRAME}?.documentElement.lang === 'ko'")
    assert browser["document.getElementById('text').value"].startswith("프랑스의")
    browser.wait(f"{IN_FRAME}?.querySelector('.system th')?.textContent.includes('2단계')")
    assert browser[f"{IN_FRAME}.getElementById('language').hidden"]
    assert browser[ENGLISH] == []
    browser.change_language("en")
    browser.wait(f"{IN_FRAME}?.querySelector('.system th')?.textContent.includes('level 2')")
    assert {url.partition("?")[0] for url in browser.requests} == {served.url}
    assert browser.complaints == []


def test_a_file_is_dropped_on_the_page(browser: Browser, served: PageServer, root: Path) -> None:
    browser.call("Page.navigate", url=served.url)
    browser.wait(f"{IN_FRAME}?.querySelector('.system')")
    drop = """(([...bytes], name) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name));
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true, bubbles: true }));
    })"""
    text = (root / "samples" / "ud.conllu").read_text("utf-8")
    browser[f"{drop}({[*text.encode('utf-16')]}, 'a.conllu')"]
    browser.wait(f"{IN_FRAME}?.querySelectorAll('.arc').length > 1")
    browser.wait(f"{IN_FRAME}.getElementById('found').textContent === '10 sentences'")
    browser[f"{drop}({[*'나는 간다.'.encode('cp949')]}, 'a.txt')"]
    browser.wait(f"{IN_FRAME}?.getElementById('text')?.textContent === '나는 간다.'")
    browser[f"{drop}({[*b'x' * 1_000_001]}, 'b.txt')"]
    browser.wait("document.getElementById('said').textContent.startsWith('b.txt is longer than')")
    browser["document.getElementById('text').value = '# sent_id = 1\\n1\\tx\\n\\n'"]
    browser["document.getElementById('typed').requestSubmit()"]
    browser.wait(f"{IN_FRAME}?.body.textContent.includes('columns')")


def asked(server: PageServer, request: str, body: bytes = b"") -> bytes:
    """Return the answer to a request of which {host} and {path} are those of the page."""
    text = request.format(host=server.hosts[0], path=server.path).replace("\n", "\r\n")
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as stream:
        stream.sendall(text.encode() + b"\r\n\r\n" + body)
        answer = b""
        while data := stream.recv(1 << 16):
            answer += data
    return answer


POST = "POST {path} HTTP/1.1\nHost: {host}\nOrigin: http://{host}\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ("GET {path} HTTP/1.1\nHost: {host}", 200),
        ("GET {path} HTTP/1.1\nHost: evil.example", 403),
        ("GET {path} HTTP/1.1\nHost: {host}\nHost: evil.example", 403),
        ("GET {path} HTTP/1.1\nHost: 127.0.0.1", 403),
        ("GET {path} HTTP/1.1", 403),
        ("GET / HTTP/1.1\nHost: {host}", 404),
        ("GET {path}../ HTTP/1.1\nHost: {host}", 404),
        ("GET {path}../../etc/passwd HTTP/1.1\nHost: {host}", 404),
        ("GET ../ HTTP/1.1\nHost: {host}", 404),
        ("GET {path}? HTTP/1.1\nHost: {host}", 404),
        ("PUT {path} HTTP/1.1\nHost: {host}", 501),
        ("POST / HTTP/1.1\nHost: {host}\nOrigin: http://{host}\nContent-Length: 0", 404),
        ("POST {path} HTTP/1.1\nHost: {host}\nContent-Length: 0", 403),
        ("POST {path} HTTP/1.1\nHost: {host}\nOrigin: null\nContent-Length: 0", 403),
        ("POST {path} HTTP/1.1\nHost: {host}\nOrigin: http://evil.example\nContent-Length: 0", 403),
        ("POST {path} HTTP/1.1\nHost: {host}\nOrigin: https://{host}\nContent-Length: 0", 403),
        (f"{POST}Transfer-Encoding: chunked", 411),
        (f"{POST}Content-Length: -1", 411),
        (f"{POST}Content-Length: ²", 411),
        (f"{POST}Content-Length: 1000001", 413),
        (f"{POST}Content-Length: 99999999999999999999", 411),
        (f"{POST}Content-Length: 0", 400),
        (f"{POST}Content-Length: 9", 400),
    ],
)
def test_requests_of_others_are_refused(
    served: PageServer, request_: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PageServer, "report", None)
    answer = asked(served, request_, b"level=6\r\n")
    assert answer.startswith(f"HTTP/1.0 {status} ".encode())
    assert (b"<textarea" in answer) == (status == 200)


def test_an_answer_may_stand_in_no_other_page(served: PageServer) -> None:
    body = "level=5\r\ntext=나는 간다.\r\n".encode()
    answer = asked(served, f"{POST}Content-Length: {len(body)}", body)
    head = answer.partition(b"\r\n\r\n")[0]
    assert b"Content-Security-Policy: frame-ancestors 'self'" in head
    assert b"form-action 'none'" in answer
    assert served.server_address[0] == "127.0.0.1"
    with PageServer() as other:
        assert other.path != served.path


def test_incidents_lead_to_sentences_and_back(opened: Browser) -> None:
    opened.key("3", "Digit3")
    opened.wait("document.querySelectorAll('#incident-list .row').length")
    code = opened["document.querySelector('.codes tr[data-code^=W]').dataset.code"]
    opened[f"document.querySelector('.codes a[href=\"#incidents/{code}\"]').click()"]
    opened.wait(f"document.getElementById('shown').textContent.includes('{code}')")
    opened.key("j")
    opened.key("Enter")
    opened.wait("!document.getElementById('view-sentences').hidden")
    opened.wait("document.querySelector('.said-of .chosen')")
    assert opened["document.querySelector('.said-of .chosen .code').textContent"] == code
    opened["document.querySelector('.said-of .chosen a').click()"]
    opened.wait("!document.getElementById('view-incidents').hidden")
    opened.wait("document.querySelector('#incident-list [aria-selected=true]')")
    opened.key("1", "Digit1")
    opened[
        "document.getElementById('filter').value = 'E216';"
        "document.getElementById('filter').dispatchEvent(new Event('change'))"
    ]
    opened.wait(at("s9"))
    assert opened[FOUND] == "1 / 1 of 1,203 sentences"
    assert opened["document.querySelectorAll('#list .row').length"] == 1


def test_only_what_is_in_sight_is_in_the_list(opened: Browser) -> None:
    ids = "[...document.querySelectorAll('#list .id span:first-child')].map(s => s.textContent)"
    for part in range(1, 11):
        opened[
            f"document.getElementById('list').scrollTop = {part} / 10 * 1e9;"
            f"document.getElementById('list').scrollTop = {part * COUNT * 5};"
            "new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)))"
        ]
        assert 5 < opened[f"{ids}.length"] < 60
    opened["document.getElementById('list').scrollTop = 1e9"]
    opened.wait(f"{ids}.includes('s{COUNT}')")


@pytest.fixture
def edits(browser: Browser, tmp_path: Path) -> Browser:
    """The page of corrections of tests/test_gec_html.py."""
    (tmp_path / "page.html").write_text(made(), encoding="utf-8")
    browser.complaints.clear()
    browser.open((tmp_path / "page.html").as_uri())
    return browser


SHOWN = "[...document.querySelectorAll('.pair:not([hidden]) h2')].map((h) => h.textContent)"


def test_a_page_of_edits_is_quiet_and_counts(edits: Browser) -> None:
    assert edits["byId = (id) => document.getElementById(id), byId('found').textContent"] == (
        "3 of 3 sentences, 4 of 4 edits"
    )
    assert edits.complaints == []
    assert [url for url in edits.requests if not url.startswith(("file:", "data:"))] == []


def test_types_text_and_annotators_filter_edits(edits: Browser) -> None:
    found = "document.getElementById('found').textContent"
    edits["document.querySelector('#types input[value=DELETION]').click()"]
    assert edits[SHOWN] == ["b"]
    assert edits[found] == "1 of 3 sentences, 1 of 4 edits"
    edits["document.getElementById('all').click()"]
    assert edits[found].startswith("3 of 3")
    edits[
        "(q => (q.value = '학교', q.dispatchEvent(new Event('input'))))"
        "(document.getElementById('query'))"
    ]
    edits.wait(f"{found}.startsWith('1 of 3 sentences')")
    assert edits[SHOWN] == ["a"]
    edits["document.getElementById('all').click()"]
    edits[
        "(s => (s.value = 'annotator 1', s.dispatchEvent(new Event('change'))))"
        "(document.getElementById('annotator'))"
    ]
    assert edits[SHOWN] == ["a"]
    assert edits[found] == "1 of 3 sentences, 0 of 4 edits"


@pytest.mark.parametrize(
    ("text", "ids"),
    [("학교에 갓다", "a"), ("학교에  갔다 .", "a"), ("책를 를 읽", "b"), ("책를 읽", "b")],
)
def test_a_text_is_searched_as_it_was_and_as_it_is_corrected(
    text: str, ids: str, edits: Browser
) -> None:
    query = "document.getElementById('query')"
    edits[f"({query}.value = {json.dumps(text)}, {query}.dispatchEvent(new Event('input')))"]
    edits.wait("document.getElementById('found').textContent.startsWith('1 of 3')")
    assert edits[SHOWN] == [ids]


def test_characters_are_searched_as_words(browser: Browser, tmp_path: Path) -> None:
    item = ITEMS[0]._replace(tokens=tuple("나는▁학교▁갓다"), edits={0: (Edit(4, 4, "에"),)})
    (tmp_path / "a.html").write_text("".join(edit_page(rows_of([item] * 2), title="t")), "utf-8")
    browser.open((tmp_path / "a.html").as_uri())
    query = "document.getElementById('query')"
    for text, count in (("학교 는", 0), ("나는 학교 갓", 2), ("교는", 0), ("는 학에교", 2)):
        browser[f"({query}.value = {json.dumps(text)}, {query}.dispatchEvent(new Event('input')))"]
        browser.wait(f"document.getElementById('found').textContent.startsWith('{count} of 2')")


@pytest.mark.parametrize("width", [1200, 390])
def test_no_edit_is_wider_than_the_window(width: int, edits: Browser) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    edits.call("Emulation.setDeviceMetricsOverride", **size)
    assert edits["document.documentElement.scrollWidth"] <= width


def test_a_page_of_edits_in_korean(browser: Browser, tmp_path: Path) -> None:
    state: State = "missed"
    lines = [EditLine("reference 0", [(ITEMS[0].edits[0][0], state)]), EditLine("found", [])]
    parts = edit_page([EditRow("Types", ("나는", "학교에", "갓다"), lines)] * 3, title="t", limit=2)
    (tmp_path / "page.html").write_text("".join(parts), encoding="utf-8")
    browser.complaints.clear()
    browser.open((tmp_path / "page.html").as_uri())
    browser.change_language("ko")
    assert browser["document.getElementById('found').textContent"] == (
        "2문장 중 2문장, 교정 2건 중 2건"
    )
    names = "[...document.querySelectorAll('.pair:first-child :is(h2, .by)')]"
    # Ids and the names of files stay, also if they are labels of the page.
    assert browser[f"{names}.map((node) => node.textContent)"] == ["Types", "정답 0", "found"]
    assert browser["document.querySelector('.tip').textContent"].startswith("놓침: 갓다")
    # Types have Korean names, of which the codes are the titles.
    tag = "(({textContent, title}) => [textContent, title])(document.querySelector('%s'))"
    assert browser[tag % ".tag"] == ["맞춤법", "SPELL"]
    assert browser[tag % "#types b"] == ["맞춤법", "SPELL"]
    assert browser["document.querySelector('.notice').textContent"].startswith("나머지 1문장")
    assert browser[ENGLISH] == ["found"]
    browser.change_language("en")
    assert browser["document.querySelector('.by').textContent"] == "reference 0"
    assert browser[tag % ".tag"] == ["SPELL", ""]
    assert browser.complaints == []
