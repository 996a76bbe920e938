"""Kills the program while clients write and webhooks are delivered: no partial, repeated or lost effects."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.core.clock import SystemClock, instant_text
from service.core.permissions import Role
from service.schema.content.item import ItemCreate
from service.services.registry import Services
from service.services.webhooks.deliveries import CLAIM
from service.settings import Settings
from tests.service.support.application import Caller, make_playlist, until
from tests.service.support.processes import serving
from tests.service.support.receivers import WEBHOOKS, Receiver, receiver
from tests.support.examples import KILLS
from tests.support.patience import PATIENCE_SECONDS

MOST_ANSWERS = 12
"""The most answers before the kill of a round."""
BULK = 200
ITEMS = "/v1/content/items"


@dataclass
class Call:
    """A call with an Idempotency-Key, and the body of its answer if one arrived."""

    name: str
    method: str
    path: str
    body: Any
    answer: bytes | None = None


@dataclass
class Writer:
    """A client that calls repeatedly, with a serial number in the body."""

    kind: str
    method: str
    path: str
    """With `{}` for the serial number, where it is a part of it."""
    body: Callable[[int], Any]
    calls: list[Call] = field(default_factory=list)

    def next(self) -> Call:
        number = len(self.calls) + 1
        self.calls.append(Call(f"{self.kind}-{number}", self.method, self.path.format(number), self.body(number)))
        return self.calls[-1]

    @property
    def possible(self) -> set[int]:
        """Possible numbers of effects: the last call may have had one without an answer."""
        return {len(self.calls), sum(call.answer is not None for call in self.calls)}


async def call(owner: Caller, this: Call) -> None:
    response = await owner.send(this.method, this.path, this.body, **{"Idempotency-Key": this.name})
    assert response.status_code in (200, 201), response.text
    assert this.answer in (None, response.content), "a repeated call was answered differently"
    this.answer = response.content


async def write_until_killed(owner: Caller, writers: list[Writer], *, answers: int, kill: Callable[[], None]) -> None:
    """All writers call at the same time, until the given number of answers triggers the kill."""
    left = itertools.count(answers - 1, -1)

    async def write(writer: Writer) -> None:
        with suppress(httpx.TransportError):
            while True:
                await call(owner, writer.next())
                if next(left) == 0:
                    kill()

    await asyncio.gather(*map(write, writers))


async def all_items(owner: Caller) -> list[Any]:
    found: list[Any] = []
    cursor = ""
    while True:
        page = (await owner.get(f"{ITEMS}?limit=100{cursor}")).json()
        found += page["data"]
        if not page["pagination"]["hasMore"]:
            return found
        cursor = f"&cursor={page['pagination']['cursor']}"


@dataclass
class WrittenResources:
    """The resources that writers change: items in bulk, a single item, a playlist, and one that is restored."""

    key: str
    together: list[str]
    alone: str
    playlist: str
    restored: str
    """Published once; then each of its versions restores the one before."""

    def writers(self) -> list[Writer]:
        return [
            Writer("bulk", "POST", f"{ITEMS}/bulk", lambda n: [{"id": item, "price": n} for item in self.together]),
            Writer("change", "PATCH", f"{ITEMS}/{self.alone}", lambda n: {"price": n}),
            Writer("create", "POST", ITEMS, lambda n: {"name": f"{n}", "category": "Made", "price": n}),
            Writer("publish", "POST", f"/v1/playlists/{self.playlist}/publish", lambda _: None),
            Writer("restore", "POST", f"/v1/playlists/{self.restored}/versions/{{}}/restore", lambda _: None),
        ]

    async def effects(self, owner: Caller) -> list[int]:
        """The number of effects of each writer's calls."""
        items = await all_items(owner)
        prices = {item["price"] for item in items if item["id"] in self.together}
        assert len(prices) == 1, "half a bulk call"
        [alone] = [item["price"] for item in items if item["id"] == self.alone]
        made = [int(item["name"]) for item in items if item["category"] == "Made"]
        assert made == list(range(1, len(made) + 1)), "a call had its effect twice, or was lost"
        version = (await owner.get(f"/v1/playlists/{self.playlist}")).json()["version"]
        versions = (await owner.get(f"/v1/playlists/{self.restored}/versions")).json()["data"]
        restores = [(one["version"], one["restores"]) for one in versions if one["version"] > 1]
        assert restores == [(number, number - 1) for number, _ in restores], "half a restore, or one twice"
        last = (await owner.get(f"/v1/playlists/{self.restored}")).json()["version"]
        assert versions[-1]["version"] == last
        return [prices.pop(), alone, len(made), version, last - 1]


def create_resources(data: Path, database: str | None) -> WrittenResources:
    """Create the resources without the program."""
    services = Services(Settings(data=data, database=database), clock=SystemClock())
    key = services.keys.create(role=Role.OWNER, name="")
    access = services.keys.authenticate(key)
    with services.database.write() as unit:
        body = ItemCreate.model_validate({"name": "Thing", "category": "Priced", "price": 0})
        *together, alone = (services.items.add(unit, access.workspace, body).id for _ in range(BULK + 1))
    services.database.close()
    return WrittenResources(key, together, alone, playlist="", restored="")


def told_versions(hook: Receiver) -> set[tuple[str, int, str]]:
    """The playlist, version and id of each event that was delivered."""
    return {(got.event["data"]["playlist"], got.event["data"]["version"], got.event["id"]) for got in hook.got}


async def delivered(hook: Receiver, versions: dict[str, int]) -> None:
    """Return once every version of each playlist has been delivered."""
    expected = {(playlist, number) for playlist, last in versions.items() for number in range(1, last + 1)}
    await until(lambda: {told[:2] for told in told_versions(hook)} == expected)


@asynccontextmanager
async def second_program(
    data: Path, flags: list[str], key: str, *, database: str | None
) -> AsyncIterator[Caller | None]:
    """A caller of a second program on the same database, which is not killed; None on SQLite."""
    if database is None:
        yield None
        return
    with serving(data, *flags) as server:
        async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
            yield Caller(client, key)


@pytest.mark.first_case
async def test_kills_lose_and_repeat_nothing(tmp_path: Path, database_url: str | None) -> None:
    moments = random.Random(86)
    offset = tmp_path / "offset"
    resources = create_resources(tmp_path / "data", database_url)
    flags = ["--webhooks-allow-private", "--clock-offset-file", str(offset), "--rate-limits", "bulk=0"]
    if database_url is not None:
        flags += ["--database", database_url]
    writers: list[Writer] = []
    async with (
        receiver() as hook,
        second_program(tmp_path / "data", flags, resources.key, database=database_url) as other,
    ):
        for round_ in range(KILLS + 1):
            # A delivery that a killed program had started is repeated when its claim expires.
            offset.write_text(str(round_ * CLAIM.total_seconds()))
            if other is not None and writers:
                for writer, effects in zip(writers, await resources.effects(other), strict=True):
                    assert effects in writer.possible, writer.kind
            with serving(tmp_path / "data", *flags) as server:
                async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
                    owner = Caller(client, resources.key)
                    if not writers:
                        await owner.make(WEBHOOKS, {"url": hook.url, "events": ["content.published"]})
                        resources.playlist = await make_playlist(owner)
                        resources.restored = await make_playlist(owner)
                        assert (await owner.post(f"/v1/playlists/{resources.restored}/publish")).status_code == 200
                        writers = resources.writers()

                    for writer, effects in zip(writers, await resources.effects(owner), strict=True):
                        assert effects in writer.possible, writer.kind
                        # Repeat the lost call and an answered one, as an unsure client would.
                        for repeated in writer.calls[-2:]:
                            await call(owner, repeated)
                    assert await resources.effects(owner) == [len(writer.calls) for writer in writers]

                    if round_ < KILLS:
                        answers = moments.randint(1, MOST_ANSWERS)
                        await write_until_killed(owner, writers, answers=answers, kill=server.process.kill)
                    else:
                        published, restored = (len(writer.calls) for writer in writers[-2:])
                        await delivered(hook, {resources.playlist: published, resources.restored: restored + 1})

    told = told_versions(hook)
    assert len({one[:2] for one in told}) == len({one[2] for one in told}) == len(told)


@pytest.mark.long
@pytest.mark.first_case
async def test_kills_leave_no_override_half_made_or_withdrawn(tmp_path: Path, database_url: str | None) -> None:
    moments = random.Random(187)
    resources = create_resources(tmp_path / "data", database_url)
    flags = [] if database_url is None else ["--database", database_url]
    scene, made = "", list[str]()

    def body(number: int) -> Any:
        until = instant_text(SystemClock().now() + timedelta(days=1))
        return {"scene": scene, "target": {"everything": True}, "until": until, "reason": f"{number}"}

    writer = Writer("override", "POST", "/v1/overrides", body)
    for _ in range(KILLS + 1):
        with serving(tmp_path / "data", *flags) as server:
            async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
                owner = Caller(client, resources.key)
                if not scene:
                    scene = (await owner.make("/v1/scenes", {"name": "Closed", "widgets": []}))["id"]
                for repeated in writer.calls[-2:]:
                    await call(owner, repeated)
                left = (await owner.get("/v1/overrides")).json()["data"]
                assert [one["reason"] for one in left] == [
                    each.name.split("-")[1] for each in writer.calls[len(made) :]
                ]
                for one in left:
                    assert (await owner.delete(f"/v1/overrides/{one['id']}")).status_code == 204
                made += [one["id"] for one in left]
                await write_until_killed(owner, [writer], answers=moments.randint(1, 9), kill=server.process.kill)


@pytest.mark.long
@pytest.mark.first_case
async def test_kills_leave_no_push_of_a_point_of_sale_half_done_or_done_twice(
    tmp_path: Path, database_url: str | None
) -> None:
    moments = random.Random(191)
    resources = create_resources(tmp_path / "data", database_url)
    flags = ["--rate-limits", "writes=0", *([] if database_url is None else ["--database", database_url])]
    path, sent = "", 0

    def rows(number: int) -> list[dict[str, Any]]:
        # Each push changes all rows, and brings one more.
        return [
            {"id": f"{row}", "name": f"Dish {row}", "category": "Pushed", "price": number, "soldOut": number % 2 == 1}
            for row in range(BULK + number)
        ]

    for _ in range(KILLS + 1):
        with serving(tmp_path / "data", *flags) as server:
            async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
                owner = Caller(client, resources.key)
                if not path:
                    path = (await owner.make("/v1/pos/connections", {"name": "Till", "format": "json"}))["id"]
                    path = f"/v1/pos/connections/{path}"
                pushed = [item for item in await all_items(owner) if item["category"] == "Pushed"]
                last = (await owner.get(path)).json()["lastSync"]
                done = 0 if last is None else sent if len(pushed) == BULK + sent else sent - 1
                assert len({item["name"] for item in pushed}) == len(pushed) == (BULK + done if done else 0)
                assert {(item["price"], item["eightySixed"]) for item in pushed} <= {(done, done % 2 == 1)}
                assert last is None or sum(last["counts"][name] for name in ("created", "updated")) == BULK + done
                if done:
                    again = await owner.send("PUT", f"{path}/items", rows(done))
                    assert again.json()["counts"] | {"soldOut": 0} == {
                        "created": 0, "updated": 0, "unchanged": BULK + done, "soldOut": 0, "failed": 0
                    }  # fmt: skip

                async def push_on(caller: Caller = owner, path: str = path) -> None:
                    nonlocal sent
                    with suppress(httpx.TransportError):
                        while True:
                            sent += 1
                            assert (await caller.send("PUT", f"{path}/items", rows(sent))).status_code == 200

                pushing = asyncio.ensure_future(push_on())
                await asyncio.sleep(moments.uniform(0.2, 1.0))
                server.process.kill()
                await pushing


@pytest.mark.long
@pytest.mark.first_case
async def test_kills_leave_no_planned_change_half_stored_and_none_twice(
    tmp_path: Path, database_url: str | None
) -> None:
    """Each round plans a price of many items, and kills the program about the time at which it is stored."""
    moments = random.Random(189)
    offset = tmp_path / "offset"
    offset.write_text("0")
    resources = create_resources(tmp_path / "data", database_url)
    flags = ["--clock-offset-file", str(offset)] + ([] if database_url is None else ["--database", database_url])
    location, days = "", 0
    for round_ in range(1, KILLS + 1):
        with serving(tmp_path / "data", *flags) as server:
            async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
                owner = Caller(client, resources.key)
                if not location:
                    place = {"name": "Here", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
                    location = (await owner.make("/v1/locations", place))["id"]
                day = (SystemClock().now() + timedelta(days=days + 2)).date().isoformat()
                changes = [{"item": item, "price": round_} for item in resources.together]
                changes.append({"item": resources.alone, "location": location, "price": round_})
                body = {"name": "New prices", "at": f"{day}T05:00", "changes": changes}
                plan = await owner.make("/v1/planned-changes", body)
                days += 4
                offset.write_text(str(days * 86400))
                for _ in range(moments.randint(1, 150)):
                    await owner.get(f"/v1/planned-changes/{plan['id']}")
                server.process.kill()
        with serving(tmp_path / "data", *flags) as server:
            async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
                owner = Caller(client, resources.key)
                prices = {item["price"] for item in await all_items(owner) if item["id"] in resources.together}
                assert len(prices) == 1, "half a planned change"
                async with asyncio.timeout(PATIENCE_SECONDS):
                    while (await owner.get(f"/v1/planned-changes/{plan['id']}")).json()["status"] != "done":  # noqa: ASYNC110
                        await asyncio.sleep(0)
                items = {item["id"]: item["price"] for item in await all_items(owner)}
                assert {items[item] for item in resources.together} == {round_}
                here = await owner.get(f"/v1/locations/{location}/items/{resources.alone}")
                assert here.json()["price"] == round_
                # Once more would take this back.
                await owner.patch(f"/v1/locations/{location}/items/{resources.alone}", {"price": None})
                server.process.kill()
        with serving(tmp_path / "data", *flags) as server:
            async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
                here = await Caller(client, resources.key).get(f"/v1/locations/{location}/items/{resources.alone}")
                assert here.json()["price"] == 0, "never twice"
