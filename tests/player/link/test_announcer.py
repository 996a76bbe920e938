"""A player announces itself: others find it, are told of changes and of its end, and cannot wear it out."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import random
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import pairwise

import pytest
from zeroconf import DNSOutgoing, DNSQuestion, IPVersion, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

from player.domain.link.announcement import MAX_LABEL_BYTES, MAX_NAME_BYTES, Announcement
from player.domain.link.network import Interface
from player.link import announcer as limits
from player.link.announcer import GROUP, LOOK_SECONDS, PORT, RETRY_SECONDS, Announcer
from player.link.discovery import FoundPlayer, discover
from player.link.mdns_packets import PLAYER_TYPE, TTL_SECONDS, asks_for, packet_of
from player.runtime.tasks import FIRST_PAUSE_SECONDS, Tasks

LOOPBACK = ("127.0.0.1",)
LO = Interface(socket.if_nametoindex("lo"), "lo", socket.inet_aton("127.0.0.1"))
PTR, SRV, TXT, A, ANY, QUESTION_IN = 12, 33, 16, 1, 255, 1
META = "_services._dns-sd._udp.local."


def announcement(**fields: object) -> Announcement:
    """Announcement of a screen that no test beside this one has."""
    told = {
        "name": "Counter",
        "short_id": f"{random.getrandbits(24):06X}",
        "version": "0.1.0",
        "condition": "ok",
        "page": "http",
        "port": 8085,
    }
    return Announcement(**{**told, **fields})


class Screen:
    """An announcer on the loopback, and what it is to announce."""

    def __init__(self, told: Announcement) -> None:
        self.told = told
        self.interfaces: tuple[Interface, ...] = (LO,)
        self.announcer = Announcer(announcement=lambda: self.told, interfaces=lambda: self.interfaces)


@asynccontextmanager
async def announced(told: Announcement) -> AsyncIterator[Screen]:
    screen = Screen(told)
    task = asyncio.create_task(screen.announcer.run())
    try:
        yield screen
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def found(short_id: str) -> FoundPlayer | None:
    everything = await discover(interfaces=LOOPBACK)
    return next((player for player in everything.players if player.short_id == short_id), None)


async def test_others_find_a_player_with_its_name_its_state_and_its_page() -> None:
    told = announcement(name="Théke Nr. 3, 前台", condition="warning")
    async with announced(told):
        player = await found(told.short_id)

    assert player == FoundPlayer(
        name="Théke Nr. 3, 前台",
        short_id=told.short_id,
        state="warning",
        version="0.1.0",
        address="127.0.0.1",
        page="http://127.0.0.1:8085/",
    )


async def test_a_change_is_told_and_so_is_the_end() -> None:
    told = announcement()
    seen: list[tuple[ServiceStateChange, str]] = []

    def note(*, zeroconf: object, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        del zeroconf, service_type
        if told.short_id in name:
            seen.append((state_change, name.removesuffix(f".{PLAYER_TYPE}")))

    network = AsyncZeroconf(ip_version=IPVersion.V4Only, interfaces=["127.0.0.1"])
    browser = AsyncServiceBrowser(network.zeroconf, PLAYER_TYPE, handlers=[note])
    try:
        async with announced(told) as screen:
            await asyncio.sleep(2)
            assert seen == [(ServiceStateChange.Added, f"Counter {told.short_id}")]
            screen.told = announcement(short_id=told.short_id, condition="fault")
            await asyncio.sleep(LOOK_SECONDS + 2)
            assert seen[1:] == [(ServiceStateChange.Updated, f"Counter {told.short_id}")]
            screen.told = announcement(short_id=told.short_id, name="Window")
            await asyncio.sleep(LOOK_SECONDS + 3)
        await asyncio.sleep(3)
    finally:
        await browser.async_cancel()
        await network.async_close()

    assert seen[2:] == [
        (ServiceStateChange.Removed, f"Counter {told.short_id}"),
        (ServiceStateChange.Added, f"Window {told.short_id}"),
        (ServiceStateChange.Removed, f"Window {told.short_id}"),
    ]


async def test_the_same_is_told_again_before_lists_forget_it(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []

    def note(announced: Announcement, address: bytes, *, ttl: int) -> bytes:
        told.append(asyncio.get_running_loop().time())
        return packet_of(announced, address, ttl=ttl)

    monkeypatch.setattr(limits, "packet_of", note)
    async with announced(announcement()):
        await asyncio.sleep(5 * 60)
    assert len(told) > 1
    assert all(later - earlier < TTL_SECONDS for earlier, later in pairwise(told))


async def test_a_network_that_comes_later_is_told_of_the_player() -> None:
    told = announcement()
    async with announced(told) as screen:
        screen.interfaces = ()
        await asyncio.sleep(LOOK_SECONDS + 1)
        assert await found(told.short_id) is None
        screen.interfaces = (LO,)
        await asyncio.sleep(LOOK_SECONDS)
        player = await found(told.short_id)

    assert player is not None


async def test_a_port_that_another_program_has_for_itself_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    opened = limits._open

    def taken() -> socket.socket:
        monkeypatch.setattr(limits, "_open", opened)
        raise OSError(errno.EADDRINUSE, "Address already in use")

    monkeypatch.setattr(limits, "_open", taken)
    told = announcement()
    with caplog.at_level(logging.INFO):
        async with announced(told):
            await asyncio.sleep(RETRY_SECONDS - 5)
            assert await found(told.short_id) is None
            await asyncio.sleep(5)
            assert await found(told.short_id) is not None
    assert "this screen is not announced on the network: Address already in use" in caplog.text


async def test_a_defect_costs_the_announcement_for_a_while_and_never_the_board(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told = announcement()
    asked = 0

    def ask() -> Announcement:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise KeyError("a defect")
        return told

    announcer = Announcer(announcement=ask, interfaces=lambda: (LO,))
    task = Tasks(emit=lambda _: None).start("announcer", announcer.run)
    try:
        await asyncio.sleep(FIRST_PAUSE_SECONDS + 1)
        assert await found(told.short_id) is not None
    finally:
        task.cancel()
        await asyncio.wait((task,))
    assert "a defect" in caplog.text


def question(name: str, kind: int) -> bytes:
    out = DNSOutgoing(0)
    out.add_question(DNSQuestion(name, kind, QUESTION_IN))
    return out.packets()[0]


@contextmanager
def asker() -> Iterator[Callable[[bytes], object]]:
    """Sends packets to the group, from a port of its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line:
        line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("=4s4si", bytes(4), bytes(4), LO.index))
        yield lambda packet: line.sendto(packet, (GROUP, PORT))


async def test_a_player_stays_findable_after_a_flood_of_questions() -> None:
    told = announcement()
    async with announced(told):
        await asyncio.sleep(3.1)
        with asker() as ask:
            for _ in range(2000):
                ask(question(f"{told.label}.{PLAYER_TYPE}", SRV))
                await asyncio.sleep(0)
        await asyncio.sleep(10)
        assert await found(told.short_id) is not None


async def test_of_a_flood_no_more_packets_are_read_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    def count(announced: Announcement, packet: bytes) -> bool:
        nonlocal read
        read += packet == b"flood"
        return False

    monkeypatch.setattr(limits, "asks_for", count)
    async with announced(announcement()):
        await asyncio.sleep(3.1)
        began = asyncio.get_running_loop().time()
        with asker() as ask:
            for _ in range(3 * limits.MAX_PACKETS):
                ask(b"flood")
                await asyncio.sleep(0)
            assert asyncio.get_running_loop().time() - began < limits.APART_SECONDS
            assert 0 < read <= limits.MAX_PACKETS


async def test_what_others_say_of_themselves_does_not_have_the_networks_read_again() -> None:
    looks = 0

    def look() -> tuple[Interface, ...]:
        nonlocal looks
        looks += 1
        return (LO,)

    told = announcement()
    task = asyncio.create_task(Announcer(announcement=lambda: told, interfaces=look).run())
    await asyncio.sleep(0.5)
    looks = 0
    with asker() as say:
        for _ in range(20):
            say(b"of another program")
            await asyncio.sleep(1)
    task.cancel()
    await asyncio.wait((task,))
    assert looks == 20 / LOOK_SECONDS


async def test_everybody_is_answered_together_once_a_second() -> None:
    told = announcement()
    sent: list[bytes] = []
    async with announced(told):
        await asyncio.sleep(3.1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            other.bind((GROUP, PORT))
            membership = struct.pack("=4s4si", socket.inet_aton(GROUP), bytes(4), LO.index)
            for change in (socket.IP_ADD_MEMBERSHIP, socket.IP_MULTICAST_IF):
                other.setsockopt(socket.IPPROTO_IP, change, membership)
            for _ in range(50):
                other.sendto(question(f"{told.label}.{PLAYER_TYPE}", TXT), (GROUP, PORT))
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)
            with contextlib.suppress(BlockingIOError):
                while True:
                    sent.append(other.recv(limits.MAX_PACKET_BYTES))
    assert sent.count(packet_of(told, LO.address)) == 1


@pytest.mark.parametrize(
    ("name", "kind", "concerns"),
    [
        (PLAYER_TYPE, PTR, True),
        ("_MENU-Player._tcp.LOCAL.", PTR, True),
        (META, PTR, True),
        ("Counter 7F3A9C._menu-player._tcp.local.", ANY, True),
        ("menu-player-7f3a9c.local.", A, True),
        ("menu-player-7f3a9d.local.", A, False),
        ("_http._tcp.local.", PTR, False),
    ],
)
def test_questions_about_the_player_are_answered_and_no_others(name: str, kind: int, *, concerns: bool) -> None:
    assert asks_for(announcement(short_id="7F3A9C"), question(name, kind)) is concerns


def test_the_answers_of_players_are_no_questions() -> None:
    told = announcement()
    assert not asks_for(told, packet_of(told, LO.address))
    assert not any(asks_for(told, question(PLAYER_TYPE, PTR)[:length]) for length in range(20))


@pytest.mark.parametrize("name", ["", "Ж" * 300, "No. 3\n\x1b[31m", ".", "😀" * 100, "a.b." * 80])
def test_a_name_of_any_kind_fits_into_the_announcement(name: str) -> None:
    told = announcement(name=name)

    assert len(told.label.encode()) <= MAX_LABEL_BYTES
    assert len(told.texts["name"].encode()) <= MAX_NAME_BYTES
    assert told.label.endswith(told.short_id)
    assert told.label.isprintable()
    assert "." not in told.label
    assert len(packet_of(told, LO.address)) < 1400
