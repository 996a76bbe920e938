"""Events for changes of the device's network."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from ipaddress import IPv4Network

import pytest

from player.device import network_watch
from player.domain.events import NetworkChanged
from player.domain.link.network import Adapter, NetworkState, WayOut

OUT = WayOut(to=IPv4Network("0.0.0.0/0"), adapter="eth0")


def cable(*, is_on: bool = True, linked: bool = True, losses: int = 0) -> Adapter:
    return Adapter(name="eth0", wifi=False, is_on=is_on, linked=linked, losses=losses)


def standing(*adapters: Adapter) -> NetworkState:
    return NetworkState(adapters=adapters)


async def told(monkeypatch: pytest.MonkeyPatch, *states: NetworkState) -> list[NetworkChanged]:
    """Events emitted for these states, of each of which the kernel tells."""
    left, heard = list(states), list[NetworkChanged]()

    async def news(*_: object) -> None:
        if not left:
            raise asyncio.CancelledError

    read: Callable[[], NetworkState] = lambda: left.pop(0)  # noqa: E731
    monkeypatch.setattr(network_watch, "_news", news)
    with contextlib.suppress(asyncio.CancelledError):
        await network_watch.watch_network(emit=heard.append, network=read)
    return heard


async def test_a_cable_that_is_pulled_and_put_in_again_is_lost_once(monkeypatch: pytest.MonkeyPatch) -> None:
    states = (standing(cable()), standing(cable(linked=False, losses=1)), standing(cable(losses=1)))
    assert await told(monkeypatch, *states) == [NetworkChanged(lost=1), NetworkChanged()]


async def test_losses_between_two_looks_are_told_by_the_kernel_s_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await told(monkeypatch, standing(cable(losses=4)), standing(cable(losses=7))) == [NetworkChanged(lost=3)]


async def test_without_a_count_a_link_that_has_gone_is_lost_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await told(monkeypatch, standing(cable()), standing(cable(linked=False))) == [NetworkChanged(lost=1)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (standing(cable()), standing(cable(is_on=False, linked=False, losses=1))),
        (standing(cable(is_on=False, linked=False)), standing(cable(losses=1))),
        (standing(cable()), standing()),
        (standing(cable(losses=5)), NetworkState(adapters=(cable(),))),
        (standing(cable()), NetworkState(adapters=(cable(),), routes=(OUT,))),
    ],
    ids=["switched off", "switched on", "taken out", "another adapter of the name", "a way out"],
)
async def test_another_change_is_told_and_no_loss(
    monkeypatch: pytest.MonkeyPatch, before: NetworkState, after: NetworkState
) -> None:
    assert await told(monkeypatch, before, after) == [NetworkChanged()]


async def test_a_signal_that_sways_is_no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    wifi = [standing(Adapter(name="wlan0", wifi=True, is_on=True, linked=True, signal=dbm)) for dbm in (-60, -65)]
    assert await told(monkeypatch, *wifi) == []
