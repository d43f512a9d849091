"""The command `serve`: a server of the page to type into, for this computer alone."""

from __future__ import annotations

import secrets
import sys
import webbrowser
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING

from sejongud.commands import inform
from sejongud.converters.jobs import Conversion
from sejongud.errors import Report, SejongudError
from sejongud.files.texts import Scratch
from sejongud.formats import recognise
from sejongud.model import LEVELS
from sejongud.pipeline import convert_stream
from sejongud.report import ReportOptions, make_report
from sejongud.report.chunks import page

if TYPE_CHECKING:
    from argparse import Namespace

_MOST = 1_000_000
"""The bytes of a text that is sent; the same number stands in serve.js."""
_SHOWN = 500
"""The sentences of a text that are shown; each has its picture."""
_PATIENCE = 20
"""The seconds after which a silent connection is closed."""
_EXAMPLE = "나는 어제 학교에서 친구를 만났다."
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'self'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def serve(args: Namespace) -> int:
    """Open a page to type into: a text is analysed by Kiwi and shown at the five levels.

    The page is that of `report`: levels, FEATS and glosses of the words, copies as CoNLL-U, LaTeX and
    SVG. A text that is pasted, or a file that is dropped on the page, may have any format that is read.
    The page is only for this computer (127.0.0.1, any free port) and for whoever has its address; no
    file is written, and nothing is sent elsewhere. Ctrl-C ends it.
    """
    with PageServer(args.rules) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        inform(args, "the page is open until Ctrl-C")
        if args.browser:
            webbrowser.open(server.url)
        server.serve_forever()
    return 0


class PageServer(ThreadingHTTPServer):
    """Serves the page at an address that only its reader knows.

    Args:
        rules: the folder of the user's tables.
    """

    daemon_threads = True

    def __init__(self, rules: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.path = f"/{secrets.token_urlsafe(24)}/"
        self.hosts = [f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")]
        self.url = f"http://{self.hosts[0]}{self.path}"
        self._rules = rules
        self._lock = Lock()

    def report(self, text: str, level: int) -> str:
        """Return the report of a text.

        Args:
            text: raw text, or a text in any format that is read.
            level: the level of the words of raw text.

        Raises:
            SejongudError: the text cannot be read.
        """
        with self._lock, ExitStack() as stack:
            given = stack.enter_context(Scratch("text"))
            with given.writing() as out:
                out.write(text)
            with given.open() as source:
                kind = recognise(None, source.head())
            if kind.name == "text":
                raw, given = given, stack.enter_context(Scratch("text"))
                conversion = Conversion(
                    "text", level=level, feats="full", gloss=True, rules=self._rules, path="text"
                )
                with raw.open() as source, given.writing() as out:
                    convert_stream(conversion, source, out, Report())
            options = ReportOptions(
                title="sejongud", rules=self._rules, limit=_SHOWN, pictures=True
            )
            parts = make_report(["text"], lambda _: given.open(), options, Report())
            return "".join(parts)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a reader who has left before the answer."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    """Answers the two requests: the page, and the report of a text that it sends."""

    server: PageServer
    timeout = _PATIENCE
    server_version = "sejongud"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with the page."""
        self._answer(
            *self._refusal() or (200, "".join(page("serve", title="sejongud", text=_EXAMPLE)))
        )

    def do_POST(self) -> None:
        """Answer with the report of the text, the part of the form behind its level."""
        self._answer(*self._refusal() or self._reported())

    def _reported(self) -> tuple[int, str]:
        """Return the status and the text of the answer to a text."""
        if self.headers.get("Origin") not in [f"http://{host}" for host in self.server.hosts]:
            return 403, "The text comes from another page."
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit() and len(size) < 10):
            return 411, "The length of the text is missing."
        if int(size) > _MOST:
            return 413, "The text is longer than 1 MB."
        data = self.rfile.read(int(size)).decode("utf-8", "replace")
        first, _, rest = data.partition("\r\n")
        level = first.removeprefix("level=")
        text = rest.removeprefix("text=").removesuffix("\r\n").replace("\r\n", "\n")
        if level not in map(str, LEVELS):
            return 400, f"The level is not a number from 1 to {LEVELS[-1]}."
        try:
            return 200, self.server.report(f"{text}\n" if text else "", int(level))
        except SejongudError as error:
            return 422, str(error)

    def _refusal(self) -> tuple[int, str] | None:
        """Return the status and the text that refuse a request; None for a request of the page.

        A request by another name of this computer, or without the address of the page, is refused.
        """
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            return 403, "The page has another name."
        address = self.path.removesuffix("?lang=ko").encode()
        if not secrets.compare_digest(address, self.server.path.encode()):
            return 404, "There is no such page."
        return None

    def _answer(self, status: int, text: str) -> None:
        """Answer with a page, or with a text if it is none."""
        data = text.encode("utf-8", "replace")
        kind = "html" if status == 200 else "plain"
        self.send_response(status)
        own = {"Content-Type": f"text/{kind}; charset=utf-8", "Content-Length": str(len(data))}
        for name, value in (own | _HEADERS).items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Log nothing: the address of the page is a secret."""
