"""Lists: pages stay correct while rows are added and removed, and cursors cannot be forged."""

import base64
import hashlib
import hmac
import re

from service.storage.tables.workspaces import FactRow
from tests.service.support.application import Caller, Service, VirtualClock, body_of, faults_in, running

ITEMS = "/v1/content/items"


async def make_items(owner: Caller, count: int) -> list[str]:
    return [(await owner.make(ITEMS, {"name": f"{n}", "category": "c", "price": n}))["id"] for n in range(count)]


async def test_pages_follow_each_other_to_the_end(owner: Caller) -> None:
    ids = await make_items(owner, 7)

    seen: list[list[str]] = []
    cursor = ""
    while True:
        page = body_of(await owner.get(f"{ITEMS}?limit=3{cursor}"))
        seen.append([item["id"] for item in page["data"]])
        assert page["pagination"]["hasMore"] == (page["pagination"]["cursor"] is not None)
        if not page["pagination"]["hasMore"]:
            break
        cursor = f"&cursor={page['pagination']['cursor']}"

    assert seen == [ids[:3], ids[3:6], ids[6:]]


async def test_a_page_that_is_exactly_full_is_the_last(owner: Caller) -> None:
    await make_items(owner, 3)

    assert body_of(await owner.get(f"{ITEMS}?limit=3"))["pagination"] == {"cursor": None, "hasMore": False}


async def test_rows_that_come_and_go_neither_repeat_nor_hide_others(owner: Caller) -> None:
    ids = await make_items(owner, 4)
    first = body_of(await owner.get(f"{ITEMS}?limit=2"))

    # Remove the row at the cursor, one before it and one after it; add a new one.
    for gone in (ids[0], ids[1], ids[2]):
        await owner.delete(f"{ITEMS}/{gone}")
    [new] = await make_items(owner, 1)

    rest = body_of(await owner.get(f"{ITEMS}?cursor={first['pagination']['cursor']}"))
    assert [item["id"] for item in rest["data"]] == [ids[3], new]


async def test_a_number_is_never_used_again(owner: Caller) -> None:
    ids = await make_items(owner, 2)
    first = body_of(await owner.get(f"{ITEMS}?limit=1"))
    await owner.delete(f"{ITEMS}/{ids[1]}")
    await owner.delete(f"{ITEMS}/{ids[0]}")
    [new] = await make_items(owner, 1)

    rest = body_of(await owner.get(f"{ITEMS}?cursor={first['pagination']['cursor']}"))

    assert [item["id"] for item in rest["data"]] == [new]


NO_LIMITS: list[str] = ["0", "101", "-1", "ten", "1.5", "9" * 400]


async def test_a_limit_is_from_1_to_100(owner: Caller) -> None:
    for limit in NO_LIMITS:
        response = await owner.get(f"{ITEMS}?limit={limit}")

        assert response.status_code == 422, limit
        assert list(faults_in(response)) == ["limit"], limit


async def test_a_page_has_fifty_rows_by_default(owner: Caller) -> None:
    await make_items(owner, 51)

    assert len(body_of(await owner.get(ITEMS))["data"]) == 50
    assert len(body_of(await owner.get(f"{ITEMS}?limit=100"))["data"]) == 51


async def test_a_forged_cursor_is_a_400(service: Service, owner: Caller, clock: VirtualClock) -> None:
    await make_items(owner, 2)
    good = body_of(await owner.get(f"{ITEMS}?limit=1"))["pagination"]["cursor"]
    raw = bytearray(base64.urlsafe_b64decode(good))
    raw[7] += 1
    tampered = base64.urlsafe_b64encode(bytes(raw)).decode()
    for path, cursor in (
        (ITEMS, "nonsense"),
        (ITEMS, ""),
        (ITEMS, good[:-4]),
        (ITEMS, tampered),
        (ITEMS, "%F0%9F%8D%B0"),
        ("/v1/scenes", good),
    ):
        response = await owner.get(f"{path}?cursor={cursor}")
        assert (response.status_code, response.json()["code"]) == (400, "bad_cursor"), cursor
        assert faults_in(response) == {"cursor": "bad_cursor"}
    assert (await service.stranger().get(f"{ITEMS}?cursor={good}")).status_code == 400

    async with running(service.data, clock=clock, database=service.database) as again:
        after_restart = await Caller(again.client, "stranger").get(f"{ITEMS}?cursor={good}")
        assert after_restart.status_code == 400
        owner_again = Caller(again.client, owner.secret)
        assert len(body_of(await owner_again.get(f"{ITEMS}?cursor={good}"))["data"]) == 1


async def test_a_cursor_is_short_and_safe_in_a_url(owner: Caller) -> None:
    await make_items(owner, 2)

    cursor = body_of(await owner.get(f"{ITEMS}?limit=1"))["pagination"]["cursor"]

    assert re.fullmatch(r"[A-Za-z0-9_-]{32}", cursor)
    assert body_of(await owner.get(f"{ITEMS}?limit=1"))["pagination"]["cursor"] == cursor


def cursor_of_0_1(secret: bytes, scope: str, number: int) -> str:
    """A cursor as 0.1.0 made it."""
    seal = hmac.digest(secret, scope.encode() + b"\0" + number.to_bytes(8, "big"), hashlib.sha256)[:16]
    mask = hmac.digest(secret, b"mask\0" + seal, hashlib.sha256)[:8]
    return base64.urlsafe_b64encode(
        bytes(a ^ b for a, b in zip(number.to_bytes(8, "big"), mask, strict=True)) + seal
    ).decode()


async def test_a_cursor_of_0_1_is_a_400(service: Service, owner: Caller) -> None:
    await make_items(owner, 2)
    with service.services.database.write() as unit:
        secret = base64.b64decode(unit.session.get_one(FactRow, "cursor secret").value)
        workspace = service.services.keys.workspace(unit)

    response = await owner.get(f"{ITEMS}?cursor={cursor_of_0_1(secret, f'items:{workspace}', 1)}")

    assert (response.status_code, response.json()["code"]) == (400, "bad_cursor")
