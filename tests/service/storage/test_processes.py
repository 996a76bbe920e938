"""Several processes on one database: each knows what the others change, and one of them leads."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text

from service.core.changes import Change, ChangesMissed, ContentChanged
from service.core.permissions import Role
from service.services.devices.commands import LIFETIME
from service.storage import leadership
from service.storage.claims import claim
from service.storage.database import Database
from service.storage.engines import leadership_of, open_engine
from service.storage.relay import CHANNEL
from service.storage.tables import FactRow
from tests.service.support.application import (
    START,
    Cafe,
    Caller,
    Device,
    Running,
    VirtualClock,
    open_cafe,
    pair,
    running,
    start,
    until,
)
from tests.service.support.postgres import END_LEADER, Cluster


@dataclass
class Two:
    """A café whose screen calls one process while its owner calls another."""

    near: Running
    far: Running
    owner: Caller
    cafe: Cafe
    device: Device

    async def far_device(self) -> Device:
        """The same device, by the other process, once that knows it."""
        device = Device(self.far.client)
        device.token, device.screen = self.device.token, self.device.screen
        await until(lambda: self.far.services.devices.by_token(device.token) is not None)
        return device


@pytest.fixture
async def two(tmp_path: Path, clock: VirtualClock, postgres: str) -> AsyncIterator[Two]:
    async with (
        running(tmp_path / "data", clock=clock, database=postgres) as near,
        running(tmp_path / "data", clock=VirtualClock(), database=postgres) as far,
    ):
        owner = near.caller(Role.OWNER)
        cafe = await open_cafe(owner)
        yield Two(near, far, owner, cafe, await pair(near, owner, cafe))


@pytest.fixture
def engine(postgres: str, tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(postgres, file=tmp_path)
    yield engine
    engine.dispose()


async def test_what_one_process_changes_wakes_the_polls_of_another(two: Two) -> None:
    device = await two.far_device()
    etag = (await device.manifest()).headers["ETag"]
    call = start(device.held(etag))
    await two.far.holding()

    await two.owner.patch(f"/v1/content/items/{two.cafe.coffee}", {"eightySixed": True})

    assert [item["eightySixed"] for item in (await call).json()["items"]] == [True, False]


async def test_a_screen_that_one_process_removes_is_refused_by_another(two: Two) -> None:
    device = await two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    await two.owner.delete(f"/v1/screens/{device.screen}")

    assert (await call).status_code == 401


async def test_what_was_missed_while_the_database_was_away_is_made_up_for(two: Two, engine: Engine) -> None:
    device = await two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    # A change that nobody is told of, as if it were made in the gap; then the listeners lose their connections.
    with engine.begin() as connection:
        connection.execute(text("UPDATE items SET eighty_sixed = true WHERE id = :id"), {"id": two.cafe.coffee})
        connection.execute(
            text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = :query"),
            {"query": f"LISTEN {CHANNEL}"},
        )

    assert [item["eightySixed"] for item in (await call).json()["items"]] == [True, False]


@pytest.mark.parametrize("payload", ["", "[]", '["x", "LaterNotice", {}]', '["x", "ContentChanged", {"more": 1}]'])
async def test_a_notice_that_is_not_understood_counts_as_any(two: Two, engine: Engine, payload: str) -> None:
    device = await two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    with engine.begin() as connection:
        connection.execute(text("UPDATE items SET eighty_sixed = true WHERE id = :id"), {"id": two.cafe.coffee})
        connection.execute(text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": payload})

    assert (await call).status_code == 200


async def test_a_process_hears_its_own_commits_once_and_those_that_fail_never(two: Two) -> None:
    near: list[Change] = []
    far: list[Change] = []
    two.near.services.hub.join(near.append)
    two.far.services.hub.join(far.append)

    def fail() -> None:
        with two.near.services.database.write() as unit:
            unit.announce(ContentChanged("failed"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    for name in ("first", "second"):
        with two.near.services.database.write() as unit:
            unit.announce(ContentChanged(name))
    await until(lambda: len(far) == 2)

    assert near == far == [ContentChanged("first"), ContentChanged("second")]


def test_one_leads_until_it_lets_go(engine: Engine) -> None:
    first, second = leadership_of(engine), leadership_of(engine)

    assert (first.held(), second.held(), first.held()) == (True, False, True)
    first.close()
    assert (second.held(), first.held()) == (True, False)
    second.close()
    assert not first.held()


def test_a_leader_that_loses_its_connection_leads_no_more(engine: Engine) -> None:
    first, second = leadership_of(engine), leadership_of(engine)
    assert first.held()
    with engine.begin() as connection:
        assert connection.execute(text(END_LEADER)).all() == [(True,)]

    assert not first.held()
    assert second.held()
    assert not first.held()
    first.close()
    second.close()


async def test_a_leader_that_hangs_is_followed_when_its_lease_is_over(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leadership, "LEASE_SECONDS", 1)
    first, second = leadership_of(engine), leadership_of(engine)
    assert first.held()

    await until(second.held)

    assert not first.held()
    first.close()
    second.close()


async def test_a_listener_that_fails_keeps_nothing_from_the_others_and_catches_up(two: Two) -> None:
    heard: list[Change] = []
    broken = True

    def stumble(notice: Change) -> None:
        if broken:
            raise RuntimeError
        heard.append(notice)

    two.far.services.hub.join(stumble)
    device = await two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    assert (await two.owner.patch(f"/v1/content/items/{two.cafe.coffee}", {"eightySixed": True})).status_code == 200
    assert (await call).status_code == 200

    broken = False
    await two.far.pass_seconds(1)
    assert heard == [ChangesMissed()]


async def test_a_command_that_one_process_did_not_hear_of_is_found_again(two: Two, engine: Engine) -> None:
    device = await two.far_device()
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO commands (id, screen_id, type, sendings, expires_at) VALUES ('c', :id, 'reload', 3, :at)"
            ),
            {"id": device.screen, "at": (START + LIFETIME).timestamp() * 1000},
        )
    assert (await device.heartbeat()).json()["commands"] == []

    two.far.services.hub.publish((ChangesMissed(),))

    assert (await device.heartbeat()).json()["commands"] == [{"id": "c", "type": "reload"}]


def test_two_workers_never_take_the_same_row(engine: Engine) -> None:
    database = Database(engine=engine, clock=VirtualClock(), publish=lambda _: None)
    with database.write() as unit:
        unit.session.add_all(FactRow(name=f"job {number}", value="") for number in range(5))
    jobs = select(FactRow).where(FactRow.name.like("job %")).order_by(FactRow.name)

    with database.work() as one, database.work() as other:
        first = [row.name for row in claim(one.session, jobs, limit=2)]
        second = [row.name for row in claim(other.session, jobs, limit=9)]

    assert first == ["job 0", "job 1"]
    assert second == ["job 2", "job 3", "job 4"]


async def test_without_its_database_the_service_says_so_and_comes_back(
    cluster: Cluster, postgres: str, tmp_path: Path, clock: VirtualClock
) -> None:
    async with running(tmp_path / "data", clock=clock, database=postgres) as service:
        owner = service.caller(Role.OWNER)
        cafe = await open_cafe(owner)
        device = await pair(service, owner, cafe)
        etag = (await device.manifest()).headers["ETag"]

        with cluster.closed(postgres):
            refused = await owner.get("/v1/screens")
            readiness = await service.client.get("/readyz")
            # Boards need it for nothing that they have.
            heartbeat = await device.heartbeat()
            known = await device.manifest(**{"If-None-Match": etag})
        restored = await owner.get("/v1/screens")

    assert (refused.status_code, refused.json()["code"]) == (503, "database_unavailable")
    assert int(refused.headers["Retry-After"]) > 0
    assert readiness.json()["code"] == "database_unavailable"
    assert "See that it runs" in readiness.json()["detail"]
    assert (readiness.status_code, heartbeat.status_code, known.status_code) == (503, 200, 304)
    assert restored.status_code == 200
