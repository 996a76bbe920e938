"""Rate limits per key: counting, headers, refusals."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from service.core.permissions import Role
from service.services.access.rates import DEFAULT_QUOTAS, WINDOW, CallClass, Rates
from service.settings import Settings, SettingsFaults, read_settings
from tests.service.support.application import Caller, VirtualClock, running

ITEMS = "/v1/content/items"
TEA = {"name": "Tea", "category": "Drinks", "price": 2}
SMALL = {"reads": 3, "writes": 2, "bulk": 1, "pairing": 1}


@pytest.fixture
async def callers(tmp_path: Path, clock: VirtualClock) -> AsyncIterator[tuple[Caller, Caller]]:
    """Two owners of a service with small quotas."""
    async with running(tmp_path / "data", clock=clock, rate_limits=SMALL) as service:
        yield service.caller(Role.OWNER), service.caller(Role.OWNER)


def status_and_limits(response: httpx.Response) -> tuple[int, str, str]:
    return response.status_code, response.headers["RateLimit-Policy"], response.headers["RateLimit"]


async def test_every_answer_reports_the_quota(callers: tuple[Caller, Caller], clock: VirtualClock) -> None:
    caller, other = callers
    policy = '"reads";q=3;w=60'

    assert status_and_limits(await caller.get(ITEMS)) == (200, policy, '"reads";r=2;t=20')
    assert status_and_limits(await caller.get(f"{ITEMS}/none")) == (404, policy, '"reads";r=1;t=40')
    assert status_and_limits(await caller.get(f"{ITEMS}?limit=0")) == (422, policy, '"reads";r=0;t=60')
    refused = await caller.get(ITEMS)
    assert status_and_limits(refused) == (429, policy, '"reads";r=0;t=20')
    assert refused.headers["Retry-After"] == "20"
    assert refused.json()["code"] == "too_many_requests"
    assert (await other.get(ITEMS)).status_code == 200

    clock.set(clock.now() + timedelta(seconds=19))
    assert (await caller.get(ITEMS)).headers["Retry-After"] == "1"
    clock.set(clock.now() + timedelta(seconds=1))
    assert status_and_limits(await caller.get(ITEMS)) == (200, policy, '"reads";r=0;t=60')


async def test_each_class_of_calls_has_its_own_quota(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    for method, path, body, kind in (
        ("GET", ITEMS, None, "reads"),
        ("POST", ITEMS, TEA, "writes"),
        ("DELETE", f"{ITEMS}/x", None, "writes"),
        ("POST", f"{ITEMS}/bulk", [], "bulk"),
        ("POST", "/v1/screens/pair", {}, "pairing"),
    ):
        response = await caller.send(method, path, body)
        assert response.headers["RateLimit-Policy"] == f'"{kind}";q={SMALL[kind]};w=60', path
        assert response.status_code != 429
    at_a_place = [(f"/v1/{place}/x/items/bulk", []) for place in ("locations", "groups")]
    for path, body in ((ITEMS, TEA), (f"{ITEMS}/bulk", []), *at_a_place, ("/v1/screens/pair", {})):
        assert (await caller.post(path, body)).status_code == 429, path
    assert (await caller.get(ITEMS)).status_code == 200


async def test_a_call_over_the_limit_is_neither_read_nor_executed(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    for _ in range(3):
        await caller.post(ITEMS, TEA)

    assert (await caller.raw("POST", ITEMS, b"{not json")).status_code == 429
    assert len((await caller.get(ITEMS)).json()["data"]) == 2


async def test_callers_without_a_key_get_no_rate_limit_headers(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    stranger = Caller(caller._client, "nonsense")
    for _ in range(5):
        response = await stranger.get(ITEMS)
        assert response.status_code == 401
        assert "RateLimit" not in response.headers


def test_a_full_quota_is_granted_and_refills_evenly() -> None:
    for quota in (1, 7, 60, 6000):
        rates = Rates({**DEFAULT_QUOTAS, CallClass.READS: quota})
        granted = [rates.take("k", CallClass.READS, now=WINDOW) for _ in range(quota + 1)]
        assert [one.granted for one in granted if one is not None] == [True] * quota + [False], quota
        later = [rates.take("k", CallClass.READS, now=2 * WINDOW) for _ in range(quota + 1)]
        assert sum(one.granted for one in later if one is not None) == quota, quota


def test_the_number_of_counted_keys_is_bounded() -> None:
    """Those with the most of their quota left are forgotten."""
    rates = Rates({**DEFAULT_QUOTAS, CallClass.READS: 10}, most=10)

    def remaining(key: str) -> int:
        state = rates.take(key, CallClass.READS, now=WINDOW)
        assert state is not None
        return state.remaining

    for _ in range(5):
        busy = remaining("busy")
    assert (busy, remaining("idle"), remaining("idle")) == (5, 9, 8)
    for number in range(100):
        remaining(f"k{number}")
    assert (remaining("busy"), remaining("k0")) == (4, 9)


def test_settings_override_the_limits() -> None:
    settings = read_settings({"data": "d", "rate_limits": "reads=10, writes=0"}, {})
    assert isinstance(settings, Settings)
    assert settings.rate_limits == {"reads": 10, "writes": 0}
    assert Rates({CallClass.WRITES: 0}).take("k", CallClass.WRITES, now=WINDOW) is None
    for wrong in ("reads", "reads=x", "reads=-1", "reads=1,reads=2", "cakes=1", "reads=1000001", "reads=²"):
        refused = read_settings({"data": "d"}, {"MENU_SERVICE_RATE_LIMITS": wrong})
        assert isinstance(refused, SettingsFaults), wrong
        assert "reads, writes, bulk, pairing" in refused.faults[0]
