"""Access to the page: this machine, and browsers with the PIN of the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from player.domain.events import Event, PairingChanged, PinChanged
from player.domain.pairing.access import (
    LONG_PIN_DIGITS,
    MOST_TRIES,
    PIN_DIGITS,
    PIN_SECONDS,
    SESSION_SECONDS,
    TRIES_SECONDS,
    Access,
)
from player.domain.pairing.pairing import Code
from player.page.access import Gatekeeper
from player.page.picture import PIN, Picture
from tests.player.page.test_diagnostics import PNG, Glass, app_of

PHONE = "192.168.1.20"
HOST = "192.168.1.7:8085"


class Board:
    """A page with its gatekeeper, and what it asked the board for."""

    def __init__(self, *, stored: bytes | None = None, fixed: str | None = None, open_to_network: bool = True) -> None:
        self.glass = Glass()
        self.stored = stored
        self.events: list[Event] = []
        self.done: list[str] = []
        self.fades: Callable[[], None] = lambda: None
        """Called while the display waits for the end of a fade."""
        self.gatekeeper = Gatekeeper(
            stored=Access.read(stored), clock=self.glass.clock, store=self._store, emit=self.events.append, fixed=fixed
        )
        self.app = app_of(
            self.glass.facts,
            self.glass.clock.monotonic,
            grab=self._grab,
            gatekeeper=self.gatekeeper if open_to_network else None,
            actions={"identify": self._identify},
        )

    async def _store(self, content: bytes) -> None:
        self.stored = content

    async def _grab(self, pixels: int | None = None) -> Picture:
        self.fades()
        return Picture(PNG, PIN if self.gatekeeper.shown() else "")

    async def _identify(self) -> None:
        self.done.append("identify")

    @property
    def pin(self) -> str:
        """The PIN on the glass."""
        shown = [event for event in self.events if isinstance(event, PinChanged)]
        assert shown
        assert shown[-1].pin is not None
        return shown[-1].pin.digits

    def browser(self, address: str = PHONE, host: str = HOST) -> Browser:
        transport = httpx.ASGITransport(app=self.app, client=(address, 50_000))
        return Browser(
            httpx.AsyncClient(transport=transport, base_url=f"http://{host}", headers={"Accept": "text/html"})
        )


class Browser:
    """Does what a browser does with forms."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=headers)

    async def csrf(self) -> str:
        found = re.search(r'name="csrf" value="(\w+)"', (await self.get("/sign-in")).text)
        assert found
        return found[1]

    async def post(self, path: str, *, csrf: str | None = None, headers: Any = None, **fields: str) -> httpx.Response:
        fields = {"csrf": await self.csrf() if csrf is None else csrf, **fields}
        origin = {"Origin": str(self.client.base_url).rstrip("/")}
        return await self.client.post(path, data=fields, headers=origin | (headers or {}))

    async def sign_in(self, pin: str) -> httpx.Response:
        return await self.post("/sign-in", pin=pin)


async def test_a_phone_sees_nothing_until_it_has_the_pin_of_the_screen_and_then_everything() -> None:
    board = Board()
    phone = board.browser()
    for path in ("/state.json", "/glass.png", "/glass.jpg", "/anything"):
        answer = await phone.get(path, Accept="*/*")
        assert (answer.status_code, "sign in" in answer.text.lower()) == (401, True), path
        assert "menu.example" not in answer.text
    answer = await phone.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    answer = await phone.post("/pin")
    assert "for two minutes" in answer.text
    assert re.fullmatch(r"\d{6}", board.pin)
    assert board.pin not in answer.text

    answer = await phone.sign_in(f"{board.pin[:3]} {board.pin[3:]}")

    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await phone.get("/")).status_code == 200
    assert (await phone.get("/state.json")).json()["device"]["service"] == "https://menu.example"
    assert (await phone.post("/actions/identify")).status_code == 303
    assert board.done == ["identify"]


async def test_the_cookie_is_for_this_page_alone_and_is_a_new_one_after_the_pin() -> None:
    board = Board()
    phone = board.browser()
    answer = await phone.get("/sign-in")
    before = answer.cookies["menu_player"]
    board.gatekeeper.show_pin()
    answer = await phone.sign_in(board.pin)
    written = answer.headers["set-cookie"]
    assert "HttpOnly" in written
    assert "SameSite=Strict" in written
    assert f"Max-Age={SESSION_SECONDS:.0f}" in written
    assert answer.cookies["menu_player"] != before
    assert (await phone.get("/state.json")).status_code == 200
    phone.client.cookies.clear()
    phone.client.cookies.set("menu_player", before, domain="192.168.1.7")
    assert (await phone.get("/state.json", Accept="*/*")).status_code == 401


async def test_a_session_is_over_after_its_time_at_another_address_or_when_told() -> None:
    board = Board()
    phone = board.browser()
    board.gatekeeper.show_pin()
    secret = (await phone.sign_in(board.pin)).cookies["menu_player"]
    thief = board.browser("192.168.1.66")
    thief.client.cookies.set("menu_player", secret)
    assert (await thief.get("/state.json", Accept="*/*")).status_code == 401

    restarted = Board(stored=board.stored)
    again = restarted.browser()
    again.client.cookies.set("menu_player", secret, domain="192.168.1.7")
    assert (await again.get("/state.json")).status_code == 200, "a restart does not ask for the PIN again"
    assert secret.encode() not in (board.stored or b"")

    restarted.glass.clock.pass_(SESSION_SECONDS)
    assert (await again.get("/state.json", Accept="*/*")).status_code == 401
    assert (await phone.post("/sign-out")).status_code == 303
    assert (await phone.get("/state.json", Accept="*/*")).status_code == 401


async def test_a_pin_counts_once_and_for_two_minutes() -> None:
    board = Board()
    board.gatekeeper.show_pin()
    used = board.pin
    assert (await board.browser().sign_in(used)).status_code == 303
    assert board.events[-1] == PinChanged(pin=None), "it leaves the screen"
    answer = await board.browser("192.168.1.21").sign_in(used)
    assert answer.status_code == 403
    assert "not on the screen any more" in answer.text

    board.gatekeeper.show_pin()
    board.glass.clock.pass_(PIN_SECONDS)
    assert (await board.browser().sign_in(board.pin)).status_code == 403


@pytest.mark.proves("guesses-pin-page")
async def test_ten_thousand_pins_from_many_addresses_are_refused_also_after_restarts_until_staff_shows_a_pin() -> None:
    board = Board()
    compared = 0
    for number in range(10_000):
        if number % 1000 == 999:
            board = Board(stored=board.stored)
            board.glass.clock.pass_(number * 0.3)
        await board.gatekeeper.ask_for_pin()
        shown = board.gatekeeper.shown() or ""
        outcome = await board.gatekeeper.sign_in("-----", f"10.0.{number // 250}.{number % 250}")
        compared += type(outcome).__name__ == "WrongPin" and len(shown) == PIN_DIGITS
        board.glass.clock.pass_(0.3)
    assert compared < MOST_TRIES, "of six digits, in an hour: the PINs that were shown count, too"
    board.glass.clock.pass_(PIN_SECONDS)
    phone = board.browser()
    for answer in (await phone.post("/pin"), await phone.sign_in("000000")):
        assert answer.status_code == 429
        assert "F1 on a keyboard" in answer.text

    board.gatekeeper.show_pin()
    assert (await phone.sign_in(board.pin)).status_code == 303


async def guess(board: Board, times: int = 1000) -> None:
    """Somebody guesses from many addresses."""
    for number in range(times):
        await board.gatekeeper.sign_in("-----", f"10.0.0.{number % 250}")


@pytest.mark.first_case
@pytest.mark.proves("guesses-pin-page")
@pytest.mark.parametrize("asks", [True, False], ids=["shown for the page", "shown at the screen"])
async def test_while_somebody_guesses_the_pin_on_the_screen_is_a_longer_one_that_cannot_be_used_up(asks: bool) -> None:
    board = Board()
    phone, watcher = board.browser(), board.browser("192.168.1.40")
    board.gatekeeper.show_pin()
    assert (await watcher.sign_in(board.pin)).status_code == 303
    if asks:
        assert (await phone.post("/pin")).status_code == 200
    else:
        board.gatekeeper.show_pin()
    first = board.pin
    await guess(board)
    assert len(board.pin) == LONG_PIN_DIGITS
    longer, counted = board.pin, board.stored
    assert (await phone.sign_in(first)).status_code == 403
    await guess(board)
    board.gatekeeper.show_pin()
    assert board.pin == longer, "somebody is typing it"
    assert board.stored == counted, "no guess at it is worth a write"
    assert (await watcher.get("/state.json")).status_code == 200, "a session goes on"
    assert (await phone.sign_in(f"{longer[:5]} {longer[5:]}")).status_code == 303

    board.glass.clock.pass_(TRIES_SECONDS)
    board.gatekeeper.show_pin()
    assert len(board.pin) == PIN_DIGITS, "nobody guesses any more"


async def test_a_few_wrong_digits_cost_nothing_and_a_pin_stays_while_somebody_types_it() -> None:
    board = Board()
    phone = board.browser()
    await phone.post("/pin")
    first = board.pin
    for _ in range(3):
        assert (await phone.sign_in("000")).status_code == 403
    assert (await phone.post("/pin")).status_code == 200
    board.gatekeeper.show_pin()
    assert board.pin == first
    assert (await phone.sign_in(first)).status_code == 303
    await phone.post("/pin")
    assert board.pin != first


async def test_the_page_can_have_a_pin_shown_so_often_in_an_hour_and_not_for_longer() -> None:
    board = Board()
    phone = board.browser()
    shown = 0
    for _ in range(3600):
        before = board.gatekeeper.shown()
        await board.gatekeeper.ask_for_pin()
        shown += board.gatekeeper.shown() != before
        board.glass.clock.pass_(1)
    assert shown == MOST_TRIES
    board.glass.clock.pass_(-600)
    answer = await phone.post("/pin")
    assert answer.status_code == 429
    assert "Try again in" in answer.text


async def test_a_fixed_pin_is_never_on_the_screen() -> None:
    board = Board(fixed="271828")
    assert "Show the PIN" not in (await board.browser().get("/sign-in")).text
    assert (await board.browser().post("/pin")).status_code == 403
    board.gatekeeper.show_pin()
    assert board.events == []
    for _ in range(2):
        assert (await board.browser().sign_in("271828")).status_code == 303


@pytest.mark.proves("guesses-pin-page")
async def test_who_keeps_a_fixed_pin_busy_does_not_lock_out_whoever_stands_at_the_screen() -> None:
    board = Board(fixed="271828")
    phone = board.browser()
    await guess(board)
    assert (await phone.sign_in("271828")).status_code == 429
    assert "F1" in (await phone.sign_in("271828")).text
    board.gatekeeper.show_pin()
    shown = board.pin
    assert len(shown) == LONG_PIN_DIGITS
    assert "digits that the screen shows" in (await phone.get("/sign-in")).text
    await guess(board)
    answer = await phone.sign_in("271828")
    assert (answer.status_code, "Check the digits on the screen" in answer.text) == (403, True)
    assert (await phone.sign_in(shown)).status_code == 303
    assert board.events[-1] == PinChanged(pin=None)

    board.glass.clock.pass_(TRIES_SECONDS)
    before = len(board.events)
    board.gatekeeper.show_pin()
    assert len(board.events) == before, "nobody guesses any more, and the fixed one is not shown"
    assert (await board.browser().sign_in("271828")).status_code == 303


async def test_the_command_shows_a_pin_beside_a_fixed_one_only_while_somebody_guesses() -> None:
    board = Board(fixed="271828")
    here = board.browser("127.0.0.1", "127.0.0.1:8085")
    assert (await here.post("/pin")).status_code == 403
    await guess(board)
    assert (await here.post("/pin")).status_code == 200
    assert (await board.browser().sign_in(board.pin)).status_code == 303


async def test_this_machine_reads_without_a_pin_and_acts_with_the_token_only() -> None:
    board = Board()
    here = board.browser("127.0.0.1", "127.0.0.1:8085")
    assert (await here.get("/state.json")).status_code == 200
    assert (await here.post("/actions/identify", csrf="")).status_code == 403
    assert board.done == []
    assert (await here.post("/actions/identify")).status_code == 303
    assert board.done == ["identify"]


async def test_a_page_that_is_closed_to_the_network_lets_nobody_else_in() -> None:
    board = Board(open_to_network=False)
    assert (await board.browser().get("/sign-in", Accept="*/*")).status_code in (401, 404)
    assert (await board.browser().get("/state.json", Accept="*/*")).status_code == 401
    assert (await board.browser("::1", "[::1]:8085").get("/state.json")).status_code == 200


@pytest.mark.parametrize(
    "forged",
    [
        lambda token: {"csrf": ""},
        lambda token: {"csrf": "0" * 64},
        lambda token: {"csrf": token, "headers": {"Origin": "http://evil.example"}},
        lambda token: {"csrf": token, "headers": {"Origin": "null"}},
        lambda token: {"csrf": token, "headers": {"Origin": "https://" + HOST}},
        lambda token: {"csrf": token, "headers": {"Sec-Fetch-Site": "cross-site"}},
        lambda token: {"csrf": token, "headers": {"Cookie": "menu_player=" + "x" * 43}},
    ],
)
async def test_no_other_page_can_have_anything_done(forged: Callable[[str], dict[str, Any]]) -> None:
    board = Board()
    phone = board.browser()
    board.gatekeeper.show_pin()
    await phone.sign_in(board.pin)
    answer = await phone.post("/actions/identify", **forged(await phone.csrf()))
    assert answer.status_code == 403
    assert board.done == []


@pytest.mark.parametrize(
    "host",
    [
        "192.168.1.7",
        "192.168.1.7:8085",
        "[::1]",
        "[::1]:8085",
        "[fd00::7]:8085",
        "localhost:8085",
        "127.0.0.1",
        "board",
    ],
)
async def test_addresses_and_this_machines_own_names_are_hosts(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Board")
    answer = await Board().browser("127.0.0.1").get("/state.json", Host=host)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "192.168.1.7.evil.example",
        "",
        "a@127.0.0.1",
        "127.0.0.1/x",
        "[::1",
        "127.0.0.1:99999",
        "evil:80",
    ],
)
async def test_no_other_name_is(host: str) -> None:
    answer = await Board().browser("127.0.0.1").get("/state.json", Host=host)
    assert answer.status_code == 400


async def test_every_answer_forbids_scripts_of_others_frames_and_guesses() -> None:
    board = Board()
    phone, here = board.browser(), board.browser("127.0.0.1")
    answers = [await phone.get("/"), await phone.get("/sign-in"), await phone.get("/state.json", Accept="*/*")]
    answers += [await here.get(path) for path in ("/", "/state.json", "/glass.png", "/static/none", "/static/page.css")]
    answers += [await phone.post("/actions/identify", csrf=""), await here.get("/", Host="evil.example")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, answer.url
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
    assert "<script" not in answers[1].text
    assert "style=" not in answers[1].text


async def test_the_pin_is_in_no_document_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    board = Board()
    board.gatekeeper.show_pin()
    pin = board.pin
    here = board.browser("127.0.0.1")
    for path in ("/", "/state.json", "/sign-in"):
        assert pin not in (await here.get(path)).text
    await board.browser().sign_in(pin)
    assert pin not in caplog.text
    assert pin not in str(board.events)
    assert pin.encode() not in (board.stored or b"")


@pytest.mark.parametrize("picture", ["/glass.png", "/glass.jpg"])
async def test_a_code_on_the_screen_is_read_there_and_not_on_the_network(picture: str) -> None:
    board = Board()
    phone, here = board.browser(), board.browser("127.0.0.1")
    board.gatekeeper.show_pin()
    await phone.sign_in(board.pin)
    assert (await phone.get(picture)).content == PNG
    board.gatekeeper.show_pin()
    assert (await phone.get(picture)).status_code == 403
    assert (await here.get(picture)).content == PNG
    board.glass.clock.pass_(PIN_SECONDS)
    board.fades = board.gatekeeper.show_pin
    assert (await phone.get(picture)).status_code == 403, "it comes while the picture is being taken"
    board.glass.clock.pass_(PIN_SECONDS)
    board.glass.conductor.handle(
        PairingChanged(
            code=Code(
                device_code="secret",
                user_code="WDJ-BMJ",
                verification_uri="https://menu.example/pair",
                verification_uri_complete="https://menu.example/pair?code=WDJBMJ",
                interval=5.0,
                good_until=board.glass.clock.monotonic() + 900,
            )
        )
    )
    for path in ("/", "/state.json", picture):
        assert "WDJ" not in (await phone.get(path)).text, path
    assert (await here.get("/state.json")).json()["pairing"]["code"] == "WDJ-BMJ"
