"""Deliveries: retries, disabling of endpoints, concurrency, and crashes."""

import asyncio
import contextlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.core.events import EventType
from service.core.permissions import Role
from service.services.shared.outbound import Answered, Unanswered
from service.services.webhooks.deliveries import (
    CLAIM,
    FAILURES_TO_DISABLE,
    MAX_RETRIES,
    RETENTION,
    RETRY_JITTER,
    RETRY_SECONDS,
    Attempt,
    DeliveryJob,
    DeliveryQueue,
)
from service.services.webhooks.outbox import emit
from service.storage.tables.webhooks import DeliveryRow, EndpointRow, EventRow
from tests.service.support.application import Cafe, Caller, Service, VirtualClock, make_playlist, running, until
from tests.service.support.processes import make_key, serving
from tests.service.support.receivers import WEBHOOKS, Receiver, deliveries, publish, receiver, settled
from tests.support.examples import KILLS
from tests.support.patience import PATIENCE_SECONDS

SECOND = timedelta(seconds=1)


@pytest.fixture
def reaches_loopback() -> bool:
    return True


async def subscribe(owner: Caller, hook: Receiver, *events: str) -> str:
    made = await owner.make(WEBHOOKS, {"url": hook.url, "events": list(events or ["content.published"])})
    identifier: str = made["id"]
    return identifier


async def endpoint_of(owner: Caller, webhook: str) -> Any:
    return (await owner.get(f"{WEBHOOKS}/{webhook}")).json()


async def test_a_failure_is_retried_three_times_each_after_twice_the_wait(
    service: Service, owner: Caller, cafe: Cafe, hook: Receiver, clock: VirtualClock
) -> None:
    hook.status = 503
    webhook = await subscribe(owner, hook)
    begun = clock.now()
    await publish(owner, cafe.playlist)
    await settled(owner, webhook, 1)

    longest, let_go_by = 1 + RETRY_JITTER, 3
    for retry in range(MAX_RETRIES):
        [delivery] = await deliveries(owner, webhook)
        due = datetime.fromisoformat(delivery["nextAttemptAt"])
        after = (due - datetime.fromisoformat(delivery["attempts"][-1]["madeAt"])).total_seconds()
        # An attempt is recorded when it has ended; the test may have moved the clock on by then.
        wait = RETRY_SECONDS * 2**retry
        assert wait * (1 - RETRY_JITTER) - 0.1 <= after <= wait * longest + let_go_by
        await service.pass_seconds(int((due - clock.now()).total_seconds()) - 1)
        assert len(hook.got) == retry + 1, "too early"
        await service.pass_seconds(let_go_by)
        await settled(owner, webhook, retry + 2)

    [delivery] = await deliveries(owner, webhook)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert [one["status"] for one in delivery["attempts"]] == [503] * 4
    assert clock.now() - begun < timedelta(seconds=RETRY_SECONDS * 7 * longest + 60)
    assert len({one.body for one in hook.got}) == 1
    assert len({one.headers["X-Webhook-Timestamp"] for one in hook.got}) == 4
    assert (await endpoint_of(owner, webhook))["failures"] == 1


async def test_a_successful_retry_ends_the_delivery(
    service: Service, owner: Caller, cafe: Cafe, hook: Receiver, clock: VirtualClock
) -> None:
    hook.status = 500
    webhook = await subscribe(owner, hook)
    await publish(owner, cafe.playlist)
    await settled(owner, webhook, 1)
    hook.status = 204

    clock.set(clock.now() + timedelta(seconds=RETRY_SECONDS * 2))
    await service.pass_seconds(1)

    [delivery] = await settled(owner, webhook, 2)
    assert (delivery["status"], [one["status"] for one in delivery["attempts"]]) == ("succeeded", [500, 204])


@pytest.mark.long
async def test_ten_failed_deliveries_in_a_row_disable_the_endpoint_until_it_is_enabled(
    service: Service, owner: Caller, cafe: Cafe, hook: Receiver, clock: VirtualClock
) -> None:
    hook.status = 500
    webhook = await subscribe(owner, hook)
    await publish(owner, cafe.playlist, times=FAILURES_TO_DISABLE + 1)
    for attempt in range(1, MAX_RETRIES + 2):
        await settled(owner, webhook, min(attempt * (FAILURES_TO_DISABLE + 1), 4 * FAILURES_TO_DISABLE + 3))
        clock.set(clock.now() + timedelta(seconds=RETRY_SECONDS * 5))
        if attempt <= MAX_RETRIES:
            await service.pass_seconds(1)
    # One of the eleven gets no fourth attempt.
    found = sorted(await deliveries(owner, webhook), key=lambda one: len(one["attempts"]), reverse=True)
    assert [one["status"] for one in found] == ["failed"] * FAILURES_TO_DISABLE + ["pending"]
    endpoint = await endpoint_of(owner, webhook)
    assert (endpoint["status"], endpoint["failures"]) == ("disabled", FAILURES_TO_DISABLE)
    await publish(owner, cafe.playlist)
    assert len(await deliveries(owner, webhook)) == FAILURES_TO_DISABLE + 1
    refused = await owner.post(f"{WEBHOOKS}/{webhook}/deliveries/{found[0]['id']}/replay")
    assert (refused.status_code, refused.json()["code"]) == (409, "webhook_disabled")

    hook.status = 200
    enabled = (await owner.post(f"{WEBHOOKS}/{webhook}/enable")).json()
    assert (enabled["status"], enabled["failures"]) == ("enabled", 0)
    # The pending delivery is sent, and a failed one can be replayed.
    await settled(owner, webhook, 4 * FAILURES_TO_DISABLE + 4)
    assert len(await deliveries(owner, webhook, "status=succeeded")) == 1
    await owner.post(f"{WEBHOOKS}/{webhook}/deliveries/{found[0]['id']}/replay")
    assert (await settled(owner, webhook, 4 * FAILURES_TO_DISABLE + 5))[-1]["status"] == "succeeded"


async def test_a_success_resets_the_count_of_failures(
    service: Service, owner: Caller, cafe: Cafe, hook: Receiver
) -> None:
    webhook = await subscribe(owner, hook)
    with service.services.database.write() as unit:
        row = unit.session.get(EndpointRow, 1)
        assert row is not None
        row.failures = FAILURES_TO_DISABLE - 1
    await owner.post(f"{WEBHOOKS}/{webhook}/test")
    await settled(owner, webhook, 1)
    assert (await endpoint_of(owner, webhook))["failures"] == FAILURES_TO_DISABLE - 1, "a test says nothing of events"
    await publish(owner, cafe.playlist)
    await settled(owner, webhook, 2)
    assert (await endpoint_of(owner, webhook))["failures"] == 0


async def test_a_dead_receiver_delays_no_other(owner: Caller, cafe: Cafe, hook: Receiver) -> None:
    async with receiver(None) as dead, receiver(None) as other:
        for one in (dead, other):
            await subscribe(owner, one)
        webhook = await subscribe(owner, hook)

        await publish(owner, cafe.playlist, times=5)
        found = await settled(owner, webhook, 5)

        assert {one["status"] for one in found} == {"succeeded"}
        # One delivery at a time to each, so a dead receiver has one connection.
        assert (len(dead.got), len(other.got), hook.at_once) == (1, 1, 1)
        assert [one.event["data"]["version"] for one in hook.got] == [2, 3, 4, 5, 6]


async def test_a_stop_cancels_deliveries_and_the_next_start_repeats_them(
    tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    settings = {"clock": clock, "database": database_url, "webhooks_allow_private": True}
    async with receiver(None) as hook:
        async with running(tmp_path / "data", **settings) as first:
            owner = first.caller(Role.OWNER)
            webhook = await subscribe(owner, hook)
            await publish(owner, await make_playlist(owner))
            await until(lambda: len(hook.got) == 1)
        hook.status = 200
        async with running(tmp_path / "data", **settings) as second:
            [delivery] = await settled(second.caller(Role.OWNER), webhook, 1)
            assert delivery["status"] == "succeeded"
        assert hook.got[0].body == hook.got[1].body


def queue_with(service: Service, *, endpoints: int = 1, events: int = 1) -> DeliveryQueue:
    """Deliveries that the running sender does not see."""
    database = service.services.database
    with database.write() as unit:
        workspace = service.services.keys.workspace(unit)
        for number in range(endpoints):
            unit.session.add(
                EndpointRow(
                    id=f"whk_{number}",
                    workspace_id=workspace,
                    url=f"http://{number}.example/",
                    events=["screen.online"],
                    secret="s",
                    enabled=True,
                    failures=0,
                    busy_until=unit.now,
                    created_at=unit.now,
                    changed_at=unit.now,
                )
            )
        unit.session.flush()
        for number in range(events):
            emit(unit, workspace, EventType.SCREEN_ONLINE, {"number": number})
        unit.changes.clear()
    return DeliveryQueue(database=database, secrets=service.services.webhook_secrets, jitter=lambda: 1.0)


def attempt(service: Service, job: DeliveryJob, outcome: Answered | Unanswered = Answered(200)) -> Attempt:  # noqa: B008
    return Attempt(job=job, made_at=service.clock.now(), outcome=outcome, milliseconds=1)


async def test_an_endpoint_is_claimed_once_and_released_in_order(service: Service) -> None:
    queue = queue_with(service, endpoints=2, events=2)

    first = queue.batch((), room=10)
    assert [job.endpoint for job in first.jobs] == ["whk_0", "whk_1"]
    assert queue.batch((), room=10).jobs == ()
    second = queue.batch([attempt(service, first.jobs[0])], room=10)

    [job] = second.jobs
    assert job.endpoint == "whk_0"
    assert job.delivery != first.jobs[0].delivery
    assert second.upcoming == service.clock.now() + CLAIM


async def test_the_endpoint_that_waited_longest_is_next(service: Service) -> None:
    queue = queue_with(service, endpoints=3, events=2)
    [first] = queue.batch((), room=1).jobs
    service.clock.set(service.clock.now() + SECOND)
    [second] = queue.batch([attempt(service, first)], room=1).jobs
    assert (first.endpoint, second.endpoint) == ("whk_0", "whk_1")
    assert queue.batch((), room=0).jobs == ()


async def test_a_claim_expires_when_the_claimer_is_gone(service: Service, clock: VirtualClock) -> None:
    queue = queue_with(service)
    [job] = queue.batch((), room=1).jobs

    clock.set(clock.now() + CLAIM - SECOND)
    assert queue.batch((), room=1).jobs == ()
    clock.set(clock.now() + SECOND)
    [again] = queue.batch((), room=1).jobs

    assert again == job
    # The expired claim returns an attempt after all: one attempt is recorded, and nothing is counted twice.
    queue.batch([attempt(service, again), attempt(service, job, Answered(500))], room=0)
    with service.services.database.read() as session:
        delivery = session.get(DeliveryRow, 1)
        assert delivery is not None
        assert (delivery.status, delivery.tries) == ("succeeded", 1)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Answered(200), "succeeded"),
        (Answered(299), "succeeded"),
        (Answered(199), "pending"),
        (Answered(302), "pending"),
        (Answered(410), "pending"),
        (Unanswered("timeout"), "pending"),
    ],
)
async def test_only_2xx_is_success(service: Service, outcome: Answered | Unanswered, status: str) -> None:
    queue = queue_with(service)
    [job] = queue.batch((), room=1).jobs
    queue.batch([attempt(service, job, outcome)], room=0)
    with service.services.database.read() as session:
        delivery = session.get(DeliveryRow, 1)
        assert delivery is not None
        assert delivery.status == status


async def test_removing_an_endpoint_removes_its_deliveries(service: Service, owner: Caller) -> None:
    queue = queue_with(service)
    [job] = queue.batch((), room=1).jobs
    assert (await owner.delete(f"{WEBHOOKS}/whk_0")).status_code == 204
    assert queue.batch([attempt(service, job)], room=1) == queue.batch((), room=1)


async def test_old_events_and_their_deliveries_are_deleted(
    service: Service, owner: Caller, clock: VirtualClock
) -> None:
    queue = queue_with(service, events=3)
    clock.set(clock.now() + RETENTION - SECOND)
    queue.prune()
    assert len(await deliveries(owner, "whk_0")) == 3
    clock.set(clock.now() + SECOND)
    queue.prune()
    assert await deliveries(owner, "whk_0") == []
    with service.services.database.read() as session:
        assert session.get(EventRow, 1) is None


async def test_attempts_that_cannot_be_recorded_are_recorded_later(
    service: Service, owner: Caller, cafe: Cafe, hook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = service.services.deliveries
    batch, full = queue.batch, []

    def fail_once(attempts: Any, *, room: int) -> Any:
        if attempts and not full:
            full.append(attempts)
            raise OSError("disk full")
        return batch(attempts, room=room)

    monkeypatch.setattr(queue, "batch", fail_once, raising=True)
    webhook = await subscribe(owner, hook)
    await publish(owner, cafe.playlist)
    await until(lambda: bool(full))
    assert (await deliveries(owner, webhook))[0]["attempts"] == []

    await service.pass_seconds(2)

    [delivery] = await settled(owner, webhook, 1)
    assert (delivery["status"], len(hook.got)) == ("succeeded", 1)


@pytest.mark.long
async def test_a_kill_loses_and_invents_no_event(tmp_path: Path) -> None:
    data, kills = tmp_path / "data", min(KILLS, 4)
    offset = tmp_path / "offset"
    key = make_key(data)
    arguments = ("--webhooks-allow-private", "--clock-offset-file", str(offset))
    confirmed: list[int] = []
    playlist = ""
    async with receiver() as hook:
        for round_ in range(kills + 1):
            # The claim of a dead process expires only after a while.
            offset.write_text(str(round_ * CLAIM.total_seconds()))
            with serving(data, *arguments) as server:
                async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
                    owner = Caller(client, key)
                    if not playlist:
                        playlist = await make_playlist(owner)
                        webhook = await subscribe(owner, hook)
                    if round_ < kills:
                        got = len(hook.got)
                        while len(hook.got) < got + 3 * (round_ + 1):
                            with contextlib.suppress(httpx.HTTPError):
                                confirmed.append(
                                    (await owner.post(f"/v1/playlists/{playlist}/publish")).json()["version"]
                                )
                        beside = asyncio.ensure_future(owner.post(f"/v1/playlists/{playlist}/publish"))
                        await asyncio.sleep(0)
                        server.process.kill()
                        with contextlib.suppress(httpx.HTTPError):
                            confirmed.append((await beside).json()["version"])
                    else:
                        async with asyncio.timeout(PATIENCE_SECONDS):
                            while {one["status"] for one in await every_delivery(owner, webhook)} != {"succeeded"}:
                                pass
                        version = (await owner.get(f"/v1/playlists/{playlist}")).json()["version"]
        told = {one.event["data"]["version"]: one.event["id"] for one in hook.got}
        assert set(confirmed) <= set(told)
        # Every commit, answered or not, was delivered as one event, however often.
        assert sorted(told) == list(range(1, version + 1))
        assert len({one.event["id"] for one in hook.got}) == version


async def every_delivery(owner: Caller, webhook: str) -> list[Any]:
    found: list[Any] = []
    cursor = ""
    while True:
        page = (await owner.get(f"{WEBHOOKS}/{webhook}/deliveries?limit=100{cursor}")).json()
        found += page["data"]
        if not page["pagination"]["hasMore"]:
            return found
        cursor = f"&cursor={page['pagination']['cursor']}"
