"""Plain rows: the same values as those of a session, on both engines."""

import random
from typing import Any

from sqlalchemy import select

from service.services.shared.lookup import find_many_plain
from service.storage.tables.base import Base
from service.storage.tables.menus import ItemRow
from service.storage.tables.screens import ScreenRow
from tests.service.support.application import Caller, Device, Service
from tests.service.support.some_items import some_item

ITEMS = "/v1/content/items"


async def test_a_plain_row_has_what_a_row_of_a_session_has(owner: Caller, service: Service, device: Device) -> None:
    chance = random.Random(5)
    for number in range(20):
        await owner.make(ITEMS, some_item(chance, number, []))
    await device.heartbeat()
    service.services.presence.flush()
    tables: tuple[type[Base], ...] = (ItemRow, ScreenRow)
    with service.services.database.read() as session:
        for table in tables:
            rows: Any = session.scalars(select(table)).all()
            found = find_many_plain(session, table, rows[0].workspace_id, [row.id for row in rows])  # type: ignore[type-var]
            assert len(found) == len(rows) > 0
            for row in rows:
                for name in (column.key for column in table.__table__.columns):
                    kept, read = getattr(row, name), getattr(found[row.id], name)
                    assert (kept, type(kept)) == (read, type(read)), name
