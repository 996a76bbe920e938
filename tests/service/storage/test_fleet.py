"""Two processes on one PostgreSQL database: jobs run once, and either process may die or lose the server.

Starting them takes long, so all tests share them, but for the one that kills them.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
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

from service.core.clock import SystemClock, instant_text
from service.core.permissions import Role
from service.services.devices.commands import SENDINGS
from service.services.registry import Services
from service.settings import Settings
from tests.service.support.application import Cafe, Caller, Device, open_cafe, pair_device
from tests.service.support.postgres import END_LEADER, LEADERS, TEMPLATE, Cluster
from tests.service.support.processes import Server, serving
from tests.support.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.asyncio(loop_scope="module")

SYNCS = 6
"""More points of sale than one process reads at a time."""
CSV = "id,name,category,price\n1,Espresso,Coffee,2.20\n"


@dataclass
class Member:
    """One of the processes, with its callers. Its name is that of its user of the database."""

    name: str
    server: Server
    client: httpx.AsyncClient
    owner: Caller

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
    """Paired through `near`."""
    data: Path
    database: str
    offset: Path

    async def leader(self) -> tuple[Member, Member]:
        """The leading member and the other one, once both know it."""
        pairs = {"near": (self.near, self.far), "far": (self.far, self.near)}
        found: list[tuple[Member, Member]] = []

        async def agreed() -> bool:
            found[:] = [pairs[name] for name, _ in self.query(LEADERS)]
            return [(await one.leads(), await other.leads()) for one, other in found] == [(True, False)]

        await eventually(agreed)
        return found[0]

    def query(self, query: str, **parameters: object) -> list[Any]:
        """The rows of a query."""
        engine = create_engine(self.database)
        with engine.begin() as connection:
            rows = list(connection.execute(text(query), parameters))
        engine.dispose()
        return rows


async def eventually(check: Any) -> None:
    """Return once the check succeeds."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await check():  # noqa: ASYNC110  (another process changes it)
            await asyncio.sleep(0.05)


@pytest.fixture(scope="module")
def users(cluster: Cluster) -> Iterator[None]:
    with cluster.users("near", "far"):
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fleet(users: None, tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> AsyncIterator[Fleet]:
    del users
    with cluster.database(template=TEMPLATE) as database:
        async with started(tmp_path_factory.mktemp("fleet"), database) as two:
            yield two


@pytest_asyncio.fixture(loop_scope="module")
async def mortal(users: None, tmp_path: Path, cluster: Cluster) -> AsyncIterator[Fleet]:
    """Two processes of a test's own."""
    del users
    with cluster.database(template=TEMPLATE) as database:
        async with started(tmp_path, database) as two:
            yield two


@asynccontextmanager
async def started(folder: Path, database: str) -> AsyncIterator[Fleet]:
    data, offset = folder / "data", folder / "offset"
    services = Services(Settings(data=data, database=database), clock=SystemClock())
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
        await pair_device(device, near.owner, cafe)
        yield Fleet(near, far, cafe, device, data, database, offset)


async def test_commands_and_imports_happen_once(fleet: Fleet) -> None:
    (fleet.data / "feeds").mkdir()
    for number in range(SYNCS):
        (fleet.data / "feeds" / f"till{number}.csv").write_text(CSV)
        body = {"name": f"{number}", "feed": f"till{number}.csv", "format": "csv", "everyMinutes": 5}
        await (fleet.near, fleet.far)[number % 2].owner.make("/v1/pos/connections", body)

    # Heartbeats to both at the same time, commands at one.
    near, far = fleet.device, fleet.device.calling(fleet.far.client)
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
        [(count,)] = fleet.query("SELECT count(*) FROM events WHERE type = 'pos.sync.completed'")
        assert count <= times, "a feed was imported twice"
        return bool(count == times)

    await eventually(lambda: synced(SYNCS))
    fleet.offset.write_text("301")
    await eventually(lambda: synced(2 * SYNCS))
    items = (await fleet.far.owner.get("/v1/content/items?limit=100")).json()["data"]
    assert [item["name"] for item in items].count("Espresso") == SYNCS


async def test_a_leader_that_loses_its_connection_is_replaced_by_exactly_one(fleet: Fleet) -> None:
    await fleet.leader()
    [before] = fleet.query(LEADERS)

    assert fleet.query(END_LEADER) == [(True,)]

    await fleet.leader()
    assert fleet.query(LEADERS) != [before]


async def test_both_processes_recover_from_a_restart_of_the_server(fleet: Fleet, cluster: Cluster) -> None:
    device = fleet.device.calling(fleet.far.client)
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


async def test_a_killed_leader_is_replaced_and_the_new_one_stops_in_time(mortal: Fleet) -> None:
    leader, other = await mortal.leader()
    until = SystemClock(offset_file=mortal.offset).now() + timedelta(hours=1)
    path = f"/v1/content/items/{mortal.cafe.coffee}"
    answer = await leader.owner.patch(path, {"eightySixed": True, "eightySixedUntil": instant_text(until)})
    assert answer.status_code == 200, answer.text

    leader.server.process.kill()

    await eventually(other.leads)
    mortal.offset.write_text("7200")

    async def brought_back() -> bool:
        [(sold_out,)] = mortal.query("SELECT eighty_sixed FROM items WHERE id = :id", id=mortal.cafe.coffee)
        return not sold_out

    await eventually(brought_back)

    # Held polls and database connections do not delay its stop.
    device = mortal.device.calling(other.client)
    etag = (await device.manifest()).headers["ETag"]
    call = asyncio.ensure_future(device.held(etag))

    async def holds() -> bool:
        nonlocal call
        if call.done():
            # What the new leader still had to tell has ended it.
            call = asyncio.ensure_future(device.held((await device.manifest()).headers["ETag"]))
        return await other.holds(1)

    await eventually(holds)
    assert await asyncio.to_thread(other.server.stop) == 0
    assert (await call).status_code == 304
