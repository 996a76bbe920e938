"""The technician's page where the whole one (`full_page`) cannot be had: the finding that stands on the glass, and
nothing to press. It needs no PIN: all that it says stands on the glass. One thread a caller, for a few callers.
"""

from __future__ import annotations

import html
import json
import logging
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET6, IPPROTO_IPV6, IPV6_V6ONLY, SO_REUSEADDR, SOL_SOCKET
from typing import Any

from player.standstill.hindrance import Hindrance
from player.version import VERSION

log = logging.getLogger(__name__)

REQUEST_SECONDS = 5.0
"""How long a caller may take."""

MOST_CALLERS = 16
"""At a time; more are turned away."""

RELOAD_SECONDS = 5

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
STYLE = (
    "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}"
    "li{margin:1rem 0}code,pre{font-size:1rem;overflow-wrap:anywhere;white-space:pre-wrap}"
)


class Page:
    """Serves the page until it is stopped. If its port is taken there is none."""

    def __init__(self, hindrance: Hindrance) -> None:
        self._hindrance = hindrance
        self._servers: list[ThreadingHTTPServer] = []

    def start(self) -> None:
        """Serve it where the settings say, as far as they can be read."""
        if self._hindrance.page == "off":
            return
        on_network = self._hindrance.page == "network"
        for kind, anywhere, here in ((_Server, "0.0.0.0", "127.0.0.1"), (_Server6, "::", "::1")):  # noqa: S104
            try:
                server = kind(
                    (anywhere if on_network else here, self._hindrance.port), _handler(lambda: self._hindrance)
                )
            except OSError as error:
                log.info("no page at port %d: %s", self._hindrance.port, error.strerror)
                continue
            threading.Thread(target=server.serve_forever, name="page", daemon=True).start()
            self._servers.append(server)

    pin = ""
    """It has none."""

    @property
    def address(self) -> str:
        """Where a phone finds it; empty where none does, or what finds that out is missing."""
        if not self._servers or self._hindrance.page != "network":
            return ""
        try:
            from player.device.network import own_addresses
        except ImportError:
            return ""
        port = self._servers[0].server_address[1]
        found = own_addresses()[:1]
        return "".join(f"http://[{one}]:{port}" if ":" in one else f"http://{one}:{port}" for one in found)

    def say(self, hindrance: Hindrance) -> None:
        """Show this from now on; the address stays."""
        self._hindrance = hindrance

    def stop(self) -> None:
        """Close it."""
        for server in self._servers:
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._free = threading.Semaphore(MOST_CALLERS)
        super().__init__(address, handler)

    def server_bind(self) -> None:
        if self.address_family == AF_INET6:
            self.socket.setsockopt(IPPROTO_IPV6, IPV6_V6ONLY, 1)
        # Not the base class's, which asks the network for this machine's name.
        self.socket.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "menu-player", int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a caller of the page went away", exc_info=True)


class _Server6(_Server):
    address_family = AF_INET6


def _handler(hindrance: Callable[[], Hindrance]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = REQUEST_SECONDS
        server_version, sys_version = "menu-player", ""

        def do_GET(self) -> None:
            match self.path.partition("?")[0]:
                case "/":
                    self._answer(200, "text/html", as_html(hindrance()))
                case "/state.json":
                    self._answer(200, "application/json", as_json(hindrance()))
                case _:
                    self._answer(404, "text/plain", "There is nothing here.\n")

        def _answer(self, status: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            given = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))}
            for name, value in (given | HEADERS).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- the base class's name
            log.debug(format, *arguments)

    return Handler


def as_html(hindrance: Hindrance) -> str:
    """The page."""
    rows = "".join(
        f"<li>{f'<code>{html.escape(where)}</code><br>' if where else ''}{html.escape(what)}"
        f"{f'<pre>{html.escape(line)}</pre>' if line else ''}</li>"
        for where, what, line in hindrance.faults
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="{RELOAD_SECONDS}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>Menu Player</title><style>{STYLE}</style></head>'
        f"<body><main><h1>{html.escape(hindrance.title)}</h1><ul>{rows}</ul>"
        f"<p>{hindrance.then.value}</p>"
        f"<p><small>Menu Player {html.escape(VERSION)}</small></p></main></body></html>\n"
    )


def as_json(hindrance: Hindrance) -> str:
    """The part of the player's snapshot that is known: what is wrong."""
    finding = {
        "code": hindrance.code,
        "severity": "fault",
        "what": f"The player cannot start. {hindrance.title}.",
        "why": hindrance.text,
        "do": f"Correct what is named here. {hindrance.then.value}",
        "who": "here",
        "since": None,
    }
    known = {"device": {"appVersion": VERSION}, "pairing": {}, "presented": {"kind": "nothing"}}
    return json.dumps({"findings": [finding], **known}, ensure_ascii=False)
