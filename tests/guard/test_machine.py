"""The machine as the guard knows it."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from guard import machine
from guard.machine import Machine, settings_in
from tests.support.authority import Authority


class Ready(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/readyz" else 404)
        self.send_header("Menu-Display", "1")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None: ...  # noqa: A002 -- the base class's name


@contextmanager
def served(server: HTTPServer) -> Iterator[int]:
    with server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            serving.join()


@pytest.fixture
def service() -> Iterator[str]:
    with served(HTTPServer(("127.0.0.1", 0), Ready)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config.d").mkdir()
    monkeypatch.setattr(machine, "SETTINGS", tmp_path)
    return tmp_path


def test_the_service_is_asked_where_the_board_asks_it(settings: Path, service: str) -> None:
    (settings / "config.toml").write_text('service = "http://127.0.0.1:9"\nproxy = "http://127.0.0.1:9"\n')
    assert not Machine().reaches_service()
    # As the boot file has it.
    (settings / "config.d" / "boot.toml").write_text(f'service = "{service}"\nproxy = "none"\n')
    assert Machine().reaches_service()


def test_an_authority_whose_key_has_no_identifier_is_trusted(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the board trusts it, also under Python 3.13, whose contexts are strict."""
    default = ssl.create_default_context

    def strict() -> ssl.SSLContext:
        context = default()
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr(ssl, "create_default_context", strict)
    authority, server = Authority(tmp_path), HTTPServer(("127.0.0.1", 0), Ready)
    server.socket = authority.server("127.0.0.1").wrap_socket(server.socket, server_side=True)
    with served(server) as port:
        config = f'service = "https://127.0.0.1:{port}"\nproxy = "none"\n'
        (settings / "config.toml").write_text(config)
        assert not Machine().reaches_service()
        (settings / "config.toml").write_text(f'{config}ca_file = "{authority.file}"\n')
        assert Machine().reaches_service()


def test_a_board_without_settings_has_no_service(settings: Path) -> None:
    assert not Machine().reaches_service()


def test_settings_that_cannot_be_read_name_no_service(settings: Path, service: str) -> None:
    (settings / "config.toml").write_text(f'service = "{service}"\n')
    (settings / "config.d" / "boot.toml").write_bytes(b"\xff = 1")
    assert not Machine().reaches_service()


def test_later_files_override_earlier_ones(settings: Path) -> None:
    (settings / "config.d" / "10-shop.toml").write_text("overscan = 3\n")
    (settings / "config.d" / "20-screen.toml").write_text("overscan = 5\n")
    assert settings_in(settings) == {"overscan": 5}
