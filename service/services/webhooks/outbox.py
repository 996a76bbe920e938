"""Emits events: stores the event, and a delivery for each subscribed endpoint, in the transaction of the effect.

So no crash loses an event or invents one. `DeliveryQueue` delivers them.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from service.core.changes import DeliveriesQueued
from service.core.clock import instant_text
from service.core.events import EventType, event_named
from service.core.ids import random_id
from service.core.json_text import write_json
from service.schema.workspace.webhook import DeliveryStatus
from service.storage.database import Unit
from service.storage.tables.webhooks import DeliveryRow, EndpointRow, EventRow

API_VERSION = "v1"


def emit(unit: Unit, workspace: str, kind: EventType, data: Mapping[str, object]) -> None:
    """Emits an event of the workspace if the unit of work is committed."""
    emit_all(unit, workspace, kind, [data])


def emit_all(unit: Unit, workspace: str, kind: EventType, several: Sequence[Mapping[str, object]]) -> None:
    endpoints = [
        endpoint
        for endpoint in unit.session.scalars(
            select(EndpointRow).where(EndpointRow.workspace_id == workspace, EndpointRow.enabled)
        )
        if kind in map(event_named, endpoint.events)
    ]
    events = [add_event(unit, workspace, kind.value, data) for data in several]
    # Deliveries refer to events by id alone, so the session does not order them by itself.
    unit.session.flush()
    for endpoint in endpoints:
        for event in events:
            add_delivery(unit, endpoint, event)


def add_event(unit: Unit, workspace: str, kind: str, data: Mapping[str, object]) -> EventRow:
    """Stores the event in its envelope, without deliveries."""
    identifier = random_id("evt")
    envelope = {
        "id": identifier,
        "type": kind,
        "createdAt": instant_text(unit.now),
        "workspace": workspace,
        "apiVersion": API_VERSION,
        "data": data,
    }
    event = EventRow(
        id=identifier,
        workspace_id=workspace,
        type=kind,
        body=write_json(envelope).decode(),
        created_at=unit.now,
    )
    unit.session.add(event)
    return event


def add_delivery(unit: Unit, endpoint: EndpointRow, event: EventRow) -> DeliveryRow:
    """Queues the event for this endpoint."""
    delivery = DeliveryRow(
        id=random_id("dlv"),
        endpoint_id=endpoint.id,
        event_id=event.id,
        status=DeliveryStatus.PENDING,
        tries=0,
        due_at=unit.now,
        created_at=unit.now,
    )
    unit.session.add(delivery)
    unit.announce(DeliveriesQueued())
    return delivery
