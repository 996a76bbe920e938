"""The outbox: an event is committed with its effect, or not at all."""

from collections.abc import Iterable

import pytest
from sqlalchemy import func, select

from service.core.changes import Change, DeliveriesQueued
from service.core.events import ALIASES, NAMES, EventType, event_named
from service.core.json_text import read_json
from service.services.webhooks.outbox import emit, emit_all
from service.storage.tables.webhooks import DeliveryRow, EndpointRow, EventRow
from tests.service.support.application import Service


def test_an_event_is_found_by_its_name_and_by_its_alias() -> None:
    assert [event_named(name).value for name in NAMES] == [*EventType, *ALIASES.values()]
    with pytest.raises(ValueError, match="ping"):
        event_named("ping")


@pytest.fixture
def workspace(service: Service) -> str:
    """A workspace with an endpoint for online, one for offline, and a disabled one."""
    with service.services.database.write() as unit:
        workspace = service.services.keys.workspace(unit)
        for number, (events, enabled) in enumerate(
            [(["screen.online"], True), (["device.offline", "screen.online"], True), (["screen.online"], False)]
        ):
            unit.session.add(
                EndpointRow(
                    id=f"whk_{number}",
                    workspace_id=workspace,
                    url="https://hooks.example.com/",
                    events=events,
                    secret="s",
                    enabled=enabled,
                    failures=0,
                    # Claimed, so that the sender leaves the deliveries alone.
                    busy_until=unit.now.replace(year=2100),
                    created_at=unit.now,
                    changed_at=unit.now,
                )
            )
    return workspace


def waiting(service: Service) -> list[tuple[str, object]]:
    """The deliveries, by endpoint and data."""
    with service.services.database.read() as session:
        rows = session.execute(
            select(DeliveryRow.endpoint_id, EventRow.body)
            .join(EventRow, EventRow.id == DeliveryRow.event_id)
            .order_by(DeliveryRow.number)
        )
        return [(endpoint, read_json(body.encode())["data"]) for endpoint, body in rows]


def events(service: Service) -> int:
    with service.services.database.read() as session:
        return session.scalar(select(func.count()).select_from(EventRow)) or 0


async def test_every_enabled_and_subscribed_endpoint_gets_a_delivery(service: Service, workspace: str) -> None:
    told: list[Change] = []
    service.services.hub.subscribe(told.append)
    with service.services.database.write() as unit:
        emit(unit, workspace, EventType.SCREEN_ONLINE, {"screen": "scr_1"})
        emit(unit, workspace, EventType.SCREEN_OFFLINE, {"screen": "scr_2"})
        emit(unit, workspace, EventType.POS_SYNC_FAILED, {"reason": "nobody listens"})
        assert told == []

    assert waiting(service) == [
        ("whk_0", {"screen": "scr_1"}),
        ("whk_1", {"screen": "scr_1"}),
        ("whk_1", {"screen": "scr_2"}),
    ]
    assert events(service) == 3
    assert told == [DeliveriesQueued()]


async def test_several_at_once_are_separate_events(service: Service, workspace: str) -> None:
    with service.services.database.write() as unit:
        emit_all(unit, workspace, EventType.SCREEN_OFFLINE, [{"screen": number} for number in range(3)])
    assert waiting(service) == [("whk_1", {"screen": number}) for number in range(3)]


async def test_a_rollback_emits_nothing(service: Service, workspace: str) -> None:
    told: list[Change] = []
    service.services.hub.subscribe(told.append)

    def fail(kinds: Iterable[EventType]) -> None:
        with service.services.database.write() as unit:
            for kind in kinds:
                emit(unit, workspace, kind, {})
            unit.session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail(EventType)

    assert (waiting(service), events(service), told) == ([], 0, [])


async def test_another_workspace_gets_no_event(service: Service, workspace: str) -> None:
    service.stranger()
    with service.services.database.write() as unit:
        emit(unit, "ws_2", EventType.SCREEN_ONLINE, {})
    assert (waiting(service), events(service)) == ([], 1)
