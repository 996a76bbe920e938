"""mDNS: players find an announced service; only reachable addresses are announced."""

from pathlib import Path

import pytest

from player.link.discovery import discover
from service.cli.main import EXIT_USAGE, main
from service.run.mdns import MAX_TEXT_BYTES, announced, announcement_fault

LOOPBACK = ("127.0.0.1",)


async def test_players_find_an_announced_service() -> None:
    async with announced("https://announced.example.com", interfaces=LOOPBACK):
        found = await discover(interfaces=LOOPBACK)

    assert "https://announced.example.com" in found.services


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (None, "needs a --public-url"),
        ("http://127.0.0.1:8080", "this machine only"),
        ("http://[::1]:8080", "this machine only"),
        ("http://localhost:8080", "this machine only"),
        ("http://0.0.0.0", "this machine only"),
        ("https://menü.example.com", "in ASCII"),
        ("https://menu.example.com/" + "a" * MAX_TEXT_BYTES, "at most"),
    ],
)
def test_an_unreachable_address_is_not_announced(url: str | None, words: str) -> None:
    fault = announcement_fault(url)
    assert fault is not None
    assert words in fault


def test_a_reachable_address_is_announced() -> None:
    for url in ("https://menu.example.com", "http://192.168.1.5:8080", "https://" + "a" * (MAX_TEXT_BYTES - 12)):
        assert announcement_fault(url) is None


def test_the_program_refuses_to_announce_loopback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"

    assert main(["serve", "--data", str(data), "--announce", "--public-url", "http://localhost:8080"], {}) == EXIT_USAGE

    assert "this machine only" in capsys.readouterr().err
    assert not data.exists()
