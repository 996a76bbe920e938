"""A service that announces itself on the shop's network is found; what announces nonsense is passed over."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from player.link import discovery
from player.link.discovery import MAX_SUGGESTIONS, SERVICE_TYPE, discover, suggestion


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
        assert "https://menus.example.com" in await discover(interfaces=("127.0.0.1",))
        await network.async_unregister_service(info)
    finally:
        await network.async_close()


async def test_a_network_full_of_services_suggests_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    class Network:
        zeroconf = None

        def __init__(self, **_: object) -> None:
            pass

        async def async_close(self) -> None:
            pass

    class Browser:
        def __init__(self, zeroconf: None, kind: str, handlers: list[Callable[..., None]]) -> None:
            for number in range(MAX_SUGGESTIONS + 10):
                added = discovery.ServiceStateChange.Added
                handlers[0](zeroconf=zeroconf, service_type=kind, name=str(number), state_change=added)

        async def async_cancel(self) -> None:
            pass

    class Info:
        def __init__(self, _: str, name: str) -> None:
            self.properties = {b"url": f"https://{name}.example.com".encode()}

        async def async_request(self, *_: object) -> None:
            pass

    for name, fake in (("AsyncZeroconf", Network), ("AsyncServiceBrowser", Browser), ("AsyncServiceInfo", Info)):
        monkeypatch.setattr(discovery, name, fake)
    assert len(await discovery.discover(seconds=0)) == MAX_SUGGESTIONS
