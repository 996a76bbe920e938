"""Two programs on one PostgreSQL database: what they do is done once, and either may die or lose the server.

They are started once, as that takes long; so the test that kills one is the last.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import create_engine, make_url, text

from service.app import build_services
from service.core.clock import SystemClock, instant_text
from service.core.permissions import Role
from service.services.devices.commands import SENDINGS
from service.settings import Settings
from tests.service.run.test_server import Server, serving
from tests.service.support.application import Cafe, Caller, Device, open_cafe
from tests.service.support.postgres import END_LEADER, LEADERS, TEMPLATE, Cluster
from tests.support.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.asyncio(loop_scope="module")

SYNCS = 6
"""More points of sale than one process reads in a turn."""
CSV = "id,name,category,price\n1,Espresso,Coffee,2.20\n"


@dataclass
class Member:
    """One of the programs, and those who call it. Its name is that of its user of the database."""

    name: str
    server: Server
    client: httpx.AsyncClient
    owner: Caller

    def seen_by(self, device: Device) -> Device:
        """The same device, calling this program."""
        here = Device(self.client, device_id=device.device_id)
        here.token, here.screen = device.token, device.screen
        return here

    async def leads(self) -> bool:
        answer = await self.client.get("/metrics")
        [family] = [one for one in text_string_to_metric_families(answer.text) if one.name == "menu_leading"]
        return family.samples[0].value == 1

    async def holds(self, count: int) -> bool:
        answer = await self.client.get("/metrics")
        return f"menu_held_requests {float(count)}" in answer.text


@dataclass
class Fleet:
    near: Member
    far: Member
    cafe: Cafe
    device: Device
    """Paired by the near one."""
    data: Path
    database: str
    offset: Path

    async def leader(self) -> tuple[Member, Member]:
        """The one that leads and the other, once both know it: one that leads no more learns that a moment later."""
        pairs = {"near": (self.near, self.far), "far": (self.far, self.near)}
        found: list[tuple[Member, Member]] = []

        async def agreed() -> bool:
            found[:] = [pairs[name] for name, _ in self.ask(LEADERS)]
            return [(await one.leads(), await other.leads()) for one, other in found] == [(True, False)]

        await eventually(agreed)
        return found[0]

    def ask(self, query: str, **parameters: object) -> list[Any]:
        """What the database says."""
        engine = create_engine(self.database)
        with engine.begin() as connection:
            rows = list(connection.execute(text(query), parameters))
        engine.dispose()
        return rows


async def eventually(check: Any) -> None:
    """Return once it is so."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await check():  # noqa: ASYNC110  (another program changes it)
            await asyncio.sleep(0.05)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fleet(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> AsyncIterator[Fleet]:
    with cluster.users("near", "far"), cluster.database(template=TEMPLATE) as database:
        async with started(tmp_path_factory.mktemp("fleet"), database) as two:
            yield two


@asynccontextmanager
async def started(folder: Path, database: str) -> AsyncIterator[Fleet]:
    data, offset = folder / "data", folder / "offset"
    services = build_services(Settings(data=data, database=database), clock=SystemClock())
    key = services.keys.create(role=Role.OWNER, name="")
    services.database.close()
    async with AsyncExitStack() as stack:
        members = []
        for name in ("near", "far"):
            address = make_url(database).set(username=name).render_as_string()
            flags = ("--database", address, "--clock-offset-file", str(offset))
            server = stack.enter_context(serving(data, *flags))
            client = httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS)
            await stack.enter_async_context(client)
            members.append(Member(name, server, client, Caller(client, key)))
        near, far = members
        cafe = await open_cafe(near.owner)
        device = Device(near.client)
        codes = await device.ask_codes()
        await near.owner.make(
            "/v1/screens/pair", {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
        )
        await device.take_token(codes)
        yield Fleet(near, far, cafe, device, data, database, offset)


async def test_commands_and_imports_happen_once(fleet: Fleet) -> None:
    (fleet.data / "feeds").mkdir()
    (fleet.data / "feeds" / "till.csv").write_text(CSV)
    for number in range(SYNCS):
        body = {"name": f"{number}", "feed": "till.csv", "format": "csv", "everyMinutes": 5}
        await (fleet.near, fleet.far)[number % 2].owner.make("/v1/pos/connections", body)

    # Heartbeats at both at the same time, while commands are given at one.
    near, far = fleet.device, fleet.far.seen_by(fleet.device)
    given: list[dict[str, str]] = []
    for kind in ("restart", "identify", "restart"):
        answer = await fleet.near.owner.post(f"/v1/screens/{near.screen}/commands", {"type": kind})
        given.append(answer.json())
    answers = await asyncio.gather(*(device.heartbeat() for device in (near, far) for _ in range(10)))
    more = [await device.heartbeat() for device in (near, far)]
    carried = [command["id"] for answer in (*answers, *more) for command in answer.json()["commands"]]
    assert {one["id"]: carried.count(one["id"]) for one in given} == {
        one["id"]: SENDINGS[one["type"]]  # type: ignore[index]
        for one in given
    }

    async def synced(times: int) -> bool:
        [(count,)] = fleet.ask("SELECT count(*) FROM events WHERE type = 'pos.sync.completed'")
        assert count <= times, "a feed was imported twice"
        return bool(count == times)

    await eventually(lambda: synced(SYNCS))
    fleet.offset.write_text("301")
    await eventually(lambda: synced(2 * SYNCS))
    items = (await fleet.far.owner.get("/v1/content/items?limit=100")).json()["data"]
    assert [item["name"] for item in items].count("Espresso") == SYNCS


async def test_a_leader_whose_connection_is_ended_is_followed_by_exactly_one(fleet: Fleet) -> None:
    await fleet.leader()
    [before] = fleet.ask(LEADERS)

    assert fleet.ask(END_LEADER) == [(True,)]

    await fleet.leader()
    assert fleet.ask(LEADERS) != [before]


async def test_after_a_restart_of_the_server_everything_goes_on(fleet: Fleet, cluster: Cluster) -> None:
    device = fleet.far.seen_by(fleet.device)
    calls = [asyncio.ensure_future(one.held((await one.manifest()).headers["ETag"])) for one in (fleet.device, device)]
    await eventually(lambda: fleet.near.holds(1))
    await eventually(lambda: fleet.far.holds(1))

    await asyncio.to_thread(cluster.restart)

    async def changed() -> bool:
        answer = await fleet.near.owner.patch(f"/v1/content/items/{fleet.cafe.coffee}", {"eightySixed": True})
        assert answer.status_code in (200, 503), answer.text
        return answer.status_code == 200

    await eventually(changed)
    for call in calls:
        items = (await call).json()["items"]
        assert [item["id"] for item in items if item["eightySixed"]] == [fleet.cafe.coffee]
    await fleet.leader()
    answer = await fleet.far.owner.post(f"/v1/screens/{device.screen}/commands", {"type": "reload"})
    assert answer.status_code == 202
    assert [one["type"] for one in (await device.heartbeat()).json()["commands"]] == ["reload"]


async def test_when_the_leader_is_killed_another_leads_and_stops_in_time(fleet: Fleet) -> None:
    leader, other = await fleet.leader()
    until = SystemClock(offset_file=fleet.offset).now() + timedelta(hours=1)
    path = f"/v1/content/items/{fleet.cafe.coffee}"
    answer = await leader.owner.patch(path, {"eightySixed": True, "eightySixedUntil": instant_text(until)})
    assert answer.status_code == 200, answer.text

    leader.server.process.kill()

    await eventually(other.leads)
    fleet.offset.write_text("7200")

    async def brought_back() -> bool:
        [(sold_out,)] = fleet.ask("SELECT eighty_sixed FROM items WHERE id = :id", id=fleet.cafe.coffee)
        return not sold_out

    await eventually(brought_back)

    # Its held polls and its connections to the database keep it from nothing.
    device = other.seen_by(fleet.device)
    etag = (await device.manifest()).headers["ETag"]
    call = asyncio.ensure_future(device.held(etag))
    await eventually(lambda: other.holds(1))
    assert await asyncio.to_thread(other.server.stop) == 0
    assert (await call).status_code == 304
