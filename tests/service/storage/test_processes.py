"""Several processes on one database: each receives the changes of the others, and one leads."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.orm import Session

from service.core.changes import Change, ChangesMissed, ContentChanged, ScreenReported
from service.core.ids import digest_of
from service.core.permissions import Role
from service.services.content.catalogue import MAX_NAMED_ITEMS
from service.services.devices.commands import LIFETIME
from service.services.operations.upkeep import Upkeep
from service.storage.claims import claim
from service.storage.database import Database
from service.storage.engines import leadership_of, open_engine
from service.storage.lock_leadership import LockLeadership
from service.storage.relay import CHANNEL, ChangeRelay
from service.storage.tables.workspaces import FactRow
from tests.service.support.application import (
    START,
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    open_cafe,
    pair,
    running,
    start,
    until,
)
from tests.service.support.postgres import END_LEADER, Cluster
from tests.support.programs import eventually


@dataclass
class TwoProcesses:
    """A café whose screen calls one process while its owner calls another."""

    near: Service
    far: Service
    owner: Caller
    cafe: Cafe
    device: Device

    def far_device(self) -> Device:
        """The same device, calling the other process."""
        return self.device.calling(self.far.client)


@pytest.fixture
async def two(tmp_path: Path, clock: VirtualClock, postgres: str) -> AsyncIterator[TwoProcesses]:
    async with (
        running(tmp_path / "data", clock=clock, database=postgres) as near,
        running(tmp_path / "data", clock=VirtualClock(), database=postgres) as far,
    ):
        owner = near.caller(Role.OWNER)
        cafe = await open_cafe(owner)
        yield TwoProcesses(near, far, owner, cafe, await pair(near, owner, cafe))


@pytest.fixture
def engine(postgres: str, tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(postgres, file=tmp_path)
    yield engine
    engine.dispose()


def test_the_largest_change_is_told_as_it_is(engine: Engine) -> None:
    """PostgreSQL takes notifications of less than 8,000 bytes."""
    received: list[Change] = []
    near = ChangeRelay(engine=engine, publish=lambda _: None)
    far = ChangeRelay(engine=engine, publish=received.extend)
    items = tuple((f"{number:0>40}", '\N{HOT BEVERAGE}\ufe0f"' * 33) for number in range(MAX_NAMED_ITEMS))
    change = ContentChanged("w" * 40, items=items, playlist="p" * 40, location="l" * 40, group="g" * 40)
    far.open()
    try:
        with Session(engine) as session, session.begin():
            near.send(session, (change,))
        eventually(lambda: received == [change], what="the change arrives")
    finally:
        far.close()


async def test_a_new_epoch_reaches_the_boards_of_the_other_process(two: TwoProcesses) -> None:
    device = two.far_device()
    before = await device.manifest()
    call = start(device.held(before.headers["ETag"]))
    await two.far.holding()

    told = {"If-None-Match": (await two.device.manifest()).headers["ETag"], "Menu-Holds": "another_epoch 9"}
    near = (await two.device.manifest(**told)).json()

    assert near["epoch"] != before.json()["epoch"]
    assert (await call).json()["epoch"] == near["epoch"]
    for process in (two.near, two.far):
        assert "putBack" in (await process.client.get("/readyz")).json()
    again = {**told, "If-None-Match": (await device.manifest()).headers["ETag"]}
    assert (await device.manifest(**again)).status_code == 304, "once, whichever process is told"


async def test_a_change_in_one_process_wakes_the_polls_of_another(two: TwoProcesses) -> None:
    device = two.far_device()
    etag = (await device.manifest()).headers["ETag"]
    call = start(device.held(etag))
    await two.far.holding()

    await two.owner.patch(f"/v1/content/items/{two.cafe.coffee}", {"eightySixed": True})

    assert [item["eightySixed"] for item in (await call).json()["items"]] == [True, False]


async def test_a_screen_deleted_by_one_process_is_refused_by_another(two: TwoProcesses) -> None:
    device = two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    await two.owner.delete(f"/v1/screens/{device.screen}")

    assert (await call).status_code == 401


async def test_changes_missed_during_an_outage_are_reloaded(two: TwoProcesses, engine: Engine) -> None:
    device = two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    # A change without a notification, as if made during the gap; then the listeners lose their connections.
    with engine.begin() as connection:
        connection.execute(text("UPDATE items SET eighty_sixed = true WHERE id = :id"), {"id": two.cafe.coffee})
        connection.execute(
            text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = :query"),
            {"query": f"LISTEN {CHANNEL}"},
        )

    assert [item["eightySixed"] for item in (await call).json()["items"]] == [True, False]


@pytest.mark.first_case
@pytest.mark.parametrize("payload", ["", "[]", '["x", "LaterNotice", {}]', '["x", "ContentChanged", {"more": 1}]'])
async def test_an_unknown_notification_counts_as_any_change(two: TwoProcesses, engine: Engine, payload: str) -> None:
    device = two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    with engine.begin() as connection:
        connection.execute(text("UPDATE items SET eighty_sixed = true WHERE id = :id"), {"id": two.cafe.coffee})
        connection.execute(text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": payload})

    assert (await call).status_code == 200


async def test_a_commit_is_published_once_and_a_rollback_never(two: TwoProcesses) -> None:
    near: list[Change] = []
    far: list[Change] = []
    two.near.services.hub.subscribe(near.append)
    two.far.services.hub.subscribe(far.append)

    def fail() -> None:
        with two.near.services.database.write() as unit:
            unit.announce(ContentChanged("failed"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    for name in ("first", "second"):
        with two.near.services.database.write() as unit:
            unit.announce(ContentChanged(name))
    await until(lambda: ContentChanged("second") in far)

    for heard in (near, far):
        # Changes of the set-up may still be on their way to the other process.
        ours = [change for change in heard if change in map(ContentChanged, ("failed", "first", "second"))]
        assert ours == [ContentChanged("first"), ContentChanged("second")]


def test_one_process_leads_until_it_releases_the_lock(engine: Engine) -> None:
    first, second = leadership_of(engine), leadership_of(engine)

    assert (first.held(), second.held(), first.held()) == (True, False, True)
    first.close()
    assert (second.held(), first.held()) == (True, False)
    second.close()
    assert not first.held()


def test_a_leader_that_loses_its_connection_stops_leading(engine: Engine) -> None:
    first, second = leadership_of(engine), leadership_of(engine)
    assert first.held()
    with engine.begin() as connection:
        assert connection.execute(text(END_LEADER)).all() == [(True,)]

    assert not first.held()
    assert second.held()
    assert not first.held()
    first.close()
    second.close()


@pytest.mark.proves("leading-service-process")
async def test_two_say_that_they_lead_only_until_the_former_leader_looks_again(engine: Engine) -> None:
    """The gauge tells what the last round found. The lock itself is never held twice."""
    clocks = (VirtualClock(), VirtualClock())
    locks = (leadership_of(engine), leadership_of(engine))
    first, second = (Upkeep(clock=clock, leadership=lock, jobs=()) for clock, lock in zip(clocks, locks, strict=True))
    async with AsyncExitStack() as stack:
        for upkeep, clock in zip((first, second), clocks, strict=True):
            task = asyncio.create_task(upkeep.run(on_loop=lambda _: None))
            stack.callback(task.cancel)
            await until(lambda clock=clock: clock.waiting == 1)  # type: ignore[misc]
        assert (first.leading, second.leading) == (True, False)

        with engine.begin() as connection:
            assert connection.execute(text(END_LEADER)).all() == [(True,)]
        await clocks[1].advance(1)
        await until(lambda: clocks[1].waiting == 1)
        assert (first.leading, second.leading) == (True, True), "the first has not looked yet"
        assert (locks[0].held(), locks[1].held()) == (False, True), "whoever asks is told the truth"

        await clocks[0].advance(1)
        await until(lambda: clocks[0].waiting == 1)
        assert (first.leading, second.leading) == (False, True)
    for lock in locks:
        lock.close()


@pytest.mark.proves("leading-service-process")
def test_of_many_that_ask_at_once_after_a_loss_one_leads(engine: Engine) -> None:
    many = [leadership_of(engine) for _ in range(6)]
    with ThreadPoolExecutor(len(many)) as threads:
        for _ in range(5):
            led = list(threads.map(lambda lock: lock.held(), many))
            again = list(threads.map(lambda lock: lock.held(), many))
            assert (led.count(True), again) == (1, led)
            with engine.begin() as connection:
                assert connection.execute(text(END_LEADER)).all() == [(True,)]
    for lock in many:
        lock.close()


async def test_a_hanging_leader_is_replaced_when_its_lease_expires(engine: Engine) -> None:
    first, second = LockLeadership(engine=engine, lease_seconds=1), leadership_of(engine)
    assert first.held()

    await until(second.held)

    assert not first.held()
    first.close()
    second.close()


async def test_a_failing_listener_does_not_stop_the_others_and_catches_up(two: TwoProcesses) -> None:
    heard: list[Change] = []
    broken = True

    def stumble(notice: Change) -> None:
        if broken:
            raise RuntimeError
        heard.append(notice)

    two.far.services.hub.subscribe(stumble)
    device = two.far_device()
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await two.far.holding()

    assert (await two.owner.patch(f"/v1/content/items/{two.cafe.coffee}", {"eightySixed": True})).status_code == 200
    assert (await call).status_code == 200

    broken = False
    await two.far.pass_seconds(1)
    # Beside that, the screen has told what it shows.
    assert [one for one in heard if not isinstance(one, ScreenReported)] == [ChangesMissed()]


async def test_a_missed_command_is_found_again(two: TwoProcesses, engine: Engine) -> None:
    device = two.far_device()
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


async def test_a_board_that_was_paired_just_now_may_call_any_process(two: TwoProcesses, engine: Engine) -> None:
    device = two.far_device()
    device.token = "of a pairing that nobody has told this process"
    with engine.begin() as connection:
        connection.execute(
            text("UPDATE screens SET token_digest = :digest WHERE id = :id"),
            {"digest": digest_of(device.token), "id": device.screen},
        )

    assert (await device.manifest()).status_code == 200
    assert (await two.device.calling(two.far.client).manifest()).status_code == 401


def test_two_workers_never_claim_the_same_row(engine: Engine) -> None:
    database = Database(engine=engine, clock=VirtualClock(), publish=lambda _: None)
    with database.write() as unit:
        unit.session.add_all(FactRow(name=f"job {number}", value="") for number in range(5))
    jobs = select(FactRow).where(FactRow.name.like("job %")).order_by(FactRow.name)

    with database.write_concurrently() as one, database.write_concurrently() as other:
        first = [row.name for row in claim(one.session, jobs, limit=2)]
        second = [row.name for row in claim(other.session, jobs, limit=9)]

    assert first == ["job 0", "job 1"]
    assert second == ["job 2", "job 3", "job 4"]


async def test_the_service_reports_a_lost_database_and_recovers(
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
            # Boards with a current manifest do not need the database.
            heartbeat = await device.heartbeat()
            known = await device.manifest(**{"If-None-Match": etag})
        restored = await owner.get("/v1/screens")

    assert (refused.status_code, refused.json()["code"]) == (503, "database_unavailable")
    assert int(refused.headers["Retry-After"]) > 0
    assert readiness.json()["code"] == "database_unavailable"
    assert "See that it runs" in readiness.json()["detail"]
    assert (readiness.status_code, heartbeat.status_code, known.status_code) == (503, 200, 304)
    assert restored.status_code == 200
