"""A service that announces itself on the shop's network is found; what announces nonsense is passed over."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from zeroconf import DNSAddress, DNSOutgoing, DNSPointer, DNSRecord, DNSService, DNSText, IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from player.cli import WRONG_USE, main
from player.link import discovery
from player.link.discovery import (
    MAX_PLAYERS,
    MAX_SEARCH_SECONDS,
    MAX_SHOWN,
    MAX_SUGGESTIONS,
    SERVICE_TYPE,
    Found,
    FoundPlayer,
    discover,
    found_player,
    suggestion,
)
from player.link.mdns_packets import PLAYER_TYPE

LOOPBACK = ("127.0.0.1",)
A, PTR, TXT, SRV, IN, UNIQUE = 1, 12, 16, 33, 1, 0x8001


@pytest.mark.parametrize(
    ("properties", "url"),
    [
        ({b"url": b"https://menus.example.com/"}, "https://menus.example.com"),
        ({b"url": b"http://192.168.1.5:8080"}, "http://192.168.1.5:8080"),
        ({}, None),
        ({b"url": None}, None),
        ({b"url": b"\xff\xfe"}, None),
        ({b"url": b"javascript:alert(1)"}, None),
        ({b"url": b"https://" + b"a" * 255}, "https://" + "a" * 255),
    ],
)
def test_an_announcement_suggests_an_address(properties: dict[bytes, bytes | None], url: str | None) -> None:
    assert suggestion(properties) == url


async def test_a_service_that_announces_itself_is_found() -> None:
    network = AsyncZeroconf(ip_version=IPVersion.V4Only, interfaces=["127.0.0.1"])
    info = AsyncServiceInfo(
        SERVICE_TYPE,
        f"Shop.{SERVICE_TYPE}",
        addresses=[socket.inet_aton("127.0.0.1")],
        port=443,
        properties={"url": "https://menus.example.com/"},
        server="shop.local.",
    )
    try:
        await network.async_register_service(info, cooperating_responders=True)
        found = await discover(interfaces=LOOPBACK)
        assert "https://menus.example.com" in found.services
        await network.async_unregister_service(info)
    finally:
        await network.async_close()


def announcing(kind: str, label: str, **texts: bytes | str) -> list[DNSRecord]:
    """An announcement of a machine on the network, true or not."""
    text = b"".join(
        bytes([len(field)]) + field
        for key, value in texts.items()
        for field in [key.encode() + b"=" + (value.encode() if isinstance(value, str) else value)]
    )
    name = f"{label}.{kind}"
    return [
        DNSPointer(kind, PTR, IN, 120, name),
        DNSService(name, SRV, UNIQUE, 120, 0, 0, 8085, "menu-player-abc.local."),
        DNSText(name, TXT, UNIQUE, 120, text),
        DNSAddress("menu-player-abc.local.", A, UNIQUE, 120, socket.inet_aton("192.0.2.9")),
    ]


@asynccontextmanager
async def network(*machines: list[DNSRecord]) -> AsyncIterator[None]:
    """They say so on the loopback, again and again."""

    async def say() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as speaker:
            own = struct.pack("=4s4si", bytes(4), bytes(4), socket.if_nametoindex("lo"))
            speaker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
            while True:
                for records in machines:
                    out = DNSOutgoing(0x8400)
                    for record in records:
                        out.add_answer_at_time(record, 0)
                    for packet in out.packets():
                        speaker.sendto(packet, ("224.0.0.251", 5353))
                    await asyncio.sleep(0)
                await asyncio.sleep(0.5)

    task = asyncio.create_task(say())
    try:
        yield
    finally:
        task.cancel()


async def test_a_network_full_of_machines_is_listed_up_to_the_bounds() -> None:
    services = [announcing(SERVICE_TYPE, f"Shop {number}", url=f"https://{number}.example.com") for number in range(30)]
    players = [announcing(PLAYER_TYPE, f"Board {number}", id=f"{number:06}") for number in range(230)]
    async with network(*services, *players):
        found = await discover(interfaces=LOOPBACK)

    assert len(found.services) == MAX_SUGGESTIONS
    assert len(found.players) == MAX_PLAYERS
    assert found.left_out >= 40


async def test_what_hostile_machines_say_is_harmless() -> None:
    evil = "Counter\x1b[2J\x07\u202e\x9b31m\n" + "x" * 100
    hostile = (
        announcing(
            PLAYER_TYPE, "a", name=evil, id="\x1b]0;owned\x07", version="1\r\n2", state="fine\n", page="javascript"
        ),
        announcing(PLAYER_TYPE, "b", name=b"\xff\xfe\x00", id=b"\xc3"),
        announcing(PLAYER_TYPE, "\x1b[31m"),
        announcing("_other._tcp.local.", "c", name="c"),
        [DNSPointer(PLAYER_TYPE, PTR, IN, 120, "nonsense.example.")],
        [DNSPointer(PLAYER_TYPE, PTR, IN, 120, PLAYER_TYPE)],
        [DNSPointer(PLAYER_TYPE, PTR, IN, 4294967295, f"nobody.{PLAYER_TYPE}")],
    )
    async with network(*hostile):
        found = await discover(interfaces=LOOPBACK)

    assert all(
        text.isprintable() and len(text) <= MAX_SHOWN
        for player in found.players
        for text in (player.name, player.short_id, player.version, player.state, player.page)
    )
    shown = {player.name for player in found.players}
    assert any(name.startswith("Counter?[2J???31m?xxx") and name.endswith("…") for name in shown)
    assert "javascript" not in str(found)


def test_a_player_is_shown_at_the_address_that_others_can_reach() -> None:
    addresses = [socket.inet_aton(each) for each in ("127.0.0.1", "169.254.1.1", "192.0.2.9")]

    player = found_player({b"page": b"https", b"state": b"ok"}, addresses, 8085)

    assert (player.address, player.page, player.state) == ("192.0.2.9", "https://192.0.2.9:8085/", "ok")
    assert found_player({}, [], 0).page == ""


def test_the_search_is_as_long_as_it_was_asked_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("discover", "--seconds", str(MAX_SEARCH_SECONDS + 1))) == WRONG_USE
    assert main(("discover", "--seconds", "nan")) == WRONG_USE
    assert "from 0 to 60" in capsys.readouterr().err


def test_what_is_found_is_a_table_or_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    player = FoundPlayer(
        name="Théke",
        short_id="7F3A9C",
        state="fault",
        version="0.1.0",
        address="192.0.2.9",
        page="http://192.0.2.9:8085/",
    )
    unpaired = FoundPlayer(name="", short_id="00AA11", state="warning", version="0.1.0", address="192.0.2.7", page="")

    async def search(**_: object) -> Found:
        return Found(services=("https://menus.example.com",), players=(player, unpaired), left_out=3)

    monkeypatch.setattr(discovery, "discover", search)
    assert main(("discover",)) == 0
    table, said = capsys.readouterr()
    assert table.splitlines() == [
        "         NAME          ID      STATE    VERSION  ADDRESS",
        "service                                          https://menus.example.com",
        "screen   Théke         7F3A9C  fault    0.1.0    http://192.0.2.9:8085/",
        "screen   (not paired)  00AA11  warning  0.1.0    192.0.2.7",
    ]
    assert "3 more" in said

    assert main(("discover", "--json")) == 0
    written = capsys.readouterr().out
    assert written.isascii()
    assert json.loads(written)["players"][0]["name"] == "Théke"
