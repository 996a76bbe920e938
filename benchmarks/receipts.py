"""The bytes that receipts of a year take: on the card of a board, and in the database of the service.

`python -m benchmarks.receipts`: a board of five scenes, open from 7 to 22, with other scenes at 11 and at 17, and
twenty changes a day of a price or of what is sold out.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from sqlalchemy import text

from menu.documents.manifest import VersionKey
from player.domain.panel.panel import PanelFacts, Power
from player.domain.receipts import Receipts, batch
from player.domain.state import Kind, PlayerState, Presented
from player.storage import receipts as log_module
from player.storage.receipts import ReceiptLog
from service.core.clock import SystemClock
from service.core.ids import digest_of
from service.core.json_text import read_json, write_json
from service.core.permissions import Role
from service.schema.content.item import ItemCreate, ItemPatch
from service.schema.devices.receipt import ReceiptReport
from service.services.registry import Services
from service.settings import Settings
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow
from tests.player.domain.findings.states import HEALTHY

DAYS = 30
"""Simulated days; a year is 365 / 30 of them."""
OPENS, CLOSES, CHANGES = 7, 22, 20
SECONDS = 15
ITEM_CHANGES = 500
CHECKSUM = 10
START = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=DAYS)


def identifier(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(10)}"


SCENES = [(identifier("scn"), identifier("ent")) for _ in range(9)]
PLAYLIST, LOCATION, HISTORY = identifier("pl"), identifier("loc"), secrets.token_urlsafe(24)


def snapshots() -> Iterator[PlayerState]:
    """What the display reports in these days, a snapshot for each change, and one every five minutes."""
    serial, revision, blank = 0, 1, HEALTHY
    shown = Presented()
    for second in range(0, DAYS * 24 * 3600, SECONDS):
        hour, of_day = second % 86400 / 3600, second % 86400
        at, is_open = START + timedelta(seconds=second), OPENS <= hour < CLOSES
        if is_open:
            if of_day % (54000 // CHANGES) < SECONDS:
                revision += 1
            first = 0 if hour < 11 else 2 if hour < 17 else 4
            scene, entry = SCENES[first + second // SECONDS % 5]
            serial += 1
            shown = Presented(
                serial=serial,
                kind=Kind.SCENE,
                key=VersionKey(playlist_id=PLAYLIST, version=7),
                revision=revision,
                scene_id=scene,
                entry_id=entry,
                history=HISTORY,
                at=at + timedelta(seconds=secrets.randbelow(120) / 1000),
            )
        elif second % 300:
            continue
        panel = PanelFacts(wanted=Power.ON if is_open else Power.OFF_BY_SCHEDULE)
        yield replace(blank, at=at, monotonic=float(second), presented=shown, panel=panel)


def on_card(folder: Path) -> tuple[list[dict[str, Any]], int]:
    """The receipts, and the bytes that are written to the card for them."""
    log, receipts, written = ReceiptLog(folder), Receipts(), 0
    setattr(log_module, "sync", lambda _: None)  # noqa: B010 -- the time of the disk is not measured
    path = folder / "receipts"
    for number, state in enumerate(snapshots()):
        receipts = receipts.look(state)
        if state.monotonic % 300 == 0 and number:
            told = batch(receipts.stretches, now=state.at, monotonic=state.monotonic)
            before = path.stat().st_size if path.exists() else 0
            if told:
                log.keep(told)
                receipts = receipts.stored(max(told))
            after = path.stat().st_size if path.exists() else 0
            written += after - before if after >= before else after
    return list(log.pending(10**6).receipts.values()), written


def in_database(folder: Path, told: list[dict[str, Any]]) -> tuple[int, int]:
    """The bytes of these receipts, and of changes of an item, in a database of SQLite."""
    services = Services(Settings(data=folder), clock=SystemClock())
    services.keys.create(role=Role.OWNER, name="benchmark")
    with services.database.read() as session:
        workspace = session.execute(text("SELECT id FROM workspaces")).scalar_one()
    now, screen = datetime.now(UTC), identifier("scr")
    with services.database.write() as unit:
        place = {"timezone": "UTC", "currency": "EUR", "locale": "de-DE", "created_at": now, "changed_at": now}
        unit.session.add(LocationRow(id=LOCATION, workspace_id=workspace, name="Café", **place))
        unit.session.flush()
        unit.session.add(
            ScreenRow(
                id=screen,
                workspace_id=workspace,
                name="Bar",
                device_id=screen,
                location_id=LOCATION,
                token_digest=digest_of("x"),
                token_used=True,
                created_at=now,
                changed_at=now,
            )
        )
    begin = _size(services)
    for start in range(0, len(told), 100):
        report = ReceiptReport.model_validate({"log": "0" * 16, "receipts": told[start : start + 100]})
        services.receipts.keep(workspace, screen, report, token=digest_of("x"))
    receipts = _size(services)
    item = {"name": "Flat white", "category": "Coffee", "price": 3.4, "description": "x" * 80}
    created = services.items.create(workspace, ItemCreate.model_validate(_exact(item)))
    for number in range(ITEM_CHANGES):
        services.items.change(workspace, created.id, ItemPatch.model_validate({"eightySixed": number % 2 == 0}))
    history = _size(services)
    services.database.close()
    return receipts - begin, history - receipts


def _exact(document: dict[str, Any]) -> Any:
    return read_json(write_json(document))


def _size(services: Services) -> int:
    with services.database.read() as session:
        query = "SELECT sum(pgsize) FROM dbstat"
        size: int = session.execute(text(query)).scalar_one()
    return size


def main() -> int:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:  # noqa: PTH112
        told, written = on_card(Path(folder))
        size = sum(len(write_json(one)) + CHECKSUM for one in told)
        receipts, history = in_database(Path(folder) / "service", told)
    year = 365 / DAYS
    print(f"{len(told) / DAYS:.0f} receipts a day")
    print(f"card: {size / DAYS / 1000:.1f} kB a day, {written / DAYS / 1e6:.2f} MB a day written")
    print(f"database: {receipts / len(told):.0f} bytes a receipt, {receipts * year / 1e6:.1f} MB a screen a year")
    print(f"history: {history / ITEM_CHANGES:.0f} bytes a change of an item")
    return 0


if __name__ == "__main__":
    sys.exit(main())
