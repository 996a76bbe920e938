"""The events in the outbox of a service, for tests that do not check deliveries."""

from typing import Any

from sqlalchemy import select

from service.core.json_text import read_json
from service.storage.tables.webhooks import EventRow
from tests.service.support.application import Service


def emitted_events(service: Service, kind: str) -> list[dict[str, Any]]:
    """The data of all events of this type, oldest first."""
    with service.services.database.read() as session:
        bodies = session.scalars(select(EventRow.body).where(EventRow.type == kind).order_by(EventRow.number)).all()
    return [read_json(body.encode())["data"] for body in bodies]
