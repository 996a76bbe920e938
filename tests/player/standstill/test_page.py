"""The small page of a player that is not installed whole, or whose directory another one uses."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from player.standstill import page as pages
from player.standstill.hindrance import Hindrance, not_whole
from player.standstill.page import MOST_CALLERS, Page

PATIENCE_SECONDS = 20.0


def get(port: int, path: str = "/") -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE_SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def port_of(page: Page) -> int:
    return int(page._servers[0].server_address[1])


TROUBLE = not_whole(("msgspec", "<script>"))._replace(port=0, page="device")


@pytest.fixture
def page() -> Iterator[Page]:
    page = Page(TROUBLE)
    page.start()
    yield page
    page.stop()


def test_it_says_what_stands_on_the_glass_to_people_and_tools(page: Page) -> None:
    status, text = get(port_of(page))
    assert status == 200
    assert "Menu Player is not installed whole" in text
    assert "<code>msgspec</code>" in text
    assert "<script>" not in text
    told = json.loads(get(port_of(page), "/state.json")[1])
    (finding,) = told["findings"]
    assert (finding["code"], finding["severity"]) == ("player_incomplete", "fault")
    assert "msgspec: This part" in finding["why"]
    assert get(port_of(page), "/elsewhere")[0] == 404


def test_it_says_what_is_wrong_now(page: Page) -> None:
    page.say(Hindrance("state_in_use", "Something else", ()))
    assert "Something else" in get(port_of(page))[1]


def test_a_page_that_is_off_is_not_served() -> None:
    page = Page(TROUBLE._replace(page="off"))
    page.start()
    assert (page._servers, page.address) == ([], "")
    page.stop()


def test_a_port_that_is_taken_costs_the_page_only(page: Page) -> None:
    second = Page(TROUBLE._replace(port=port_of(page)))
    second.start()
    assert second._servers == [] or second._servers[0].server_address[1] == port_of(page)
    second.stop()


def test_a_caller_that_says_nothing_is_closed_and_holds_up_nobody(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "REQUEST_SECONDS", 0.2)
    quick = Page(TROUBLE)
    quick.start()
    with socket.create_connection(("127.0.0.1", port_of(quick)), timeout=PATIENCE_SECONDS) as silent:
        assert get(port_of(quick))[0] == 200
        assert silent.recv(1) == b""
    quick.stop()


def test_one_caller_too_many_is_closed(page: Page) -> None:
    callers = [socket.create_connection(("127.0.0.1", port_of(page)), timeout=PATIENCE_SECONDS) for _ in range(20)]
    try:
        for caller in callers[MOST_CALLERS:]:
            assert caller.recv(1) == b""
    finally:
        for caller in callers:
            caller.close()
