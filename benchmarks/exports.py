"""Measures what a read of an item takes while somebody exports the menu, receipts or the audit list, on SQLite.

Run as `python -m benchmarks.exports` (`make bench-service` does as well). One caller reads an item every 5 ms; another
exports the same table again and again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import sys
import tempfile
import time
import zlib
from pathlib import Path

from benchmarks.service import Installation, fill_items, install, load, request
from service.settings import Settings

ITEMS = 3_000
RECEIPTS = 200_000
ACTS = 50_000
SECONDS = 6.0
PAUSE_SECONDS = 0.005
SCREEN = "scr_bench_0"
EXPORTS = {
    "nothing": None,
    "the menu": ("/v1/content/items/export", "text/csv"),
    "receipts": (f"/v1/screens/{SCREEN}/receipts", "text/csv"),
    "the audit list": ("/v1/audit", "text/csv"),
}
_TOLD = {"kind": "scene", "playlistId": "pl_1", "version": 1, "locationId": "loc_1", "steps": []}


def main() -> int:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="menu-exports-")))
        there = install(stack, folder, None, 1)
        fill_items(there)
        with contextlib.closing(sqlite3.connect(Settings(data=folder).database_file)) as database, database:
            _fill(database)
        asyncio.run(_measure(there))
    return 0


def _fill(database: sqlite3.Connection) -> None:
    columns = [row[1] for row in database.execute("PRAGMA table_info(items)")]
    made = {"number": "NULL", "id": "'itm_' || lower(hex(randomblob(10)))"}
    named = ", ".join(made.get(column, column) for column in columns)
    for _ in range(ITEMS // 50):
        database.execute(f"INSERT INTO items SELECT {named} FROM items ORDER BY number LIMIT 50")
    told, now = zlib.compress(json.dumps(_TOLD).encode()), int(time.time() * 1000)
    database.executemany(
        "INSERT INTO receipts (screen_id, log, sequence, begins_at, ends_at, told) VALUES (?, 'bench', ?, ?, ?, ?)",
        (
            (SCREEN, at, now - (RECEIPTS - at) * 60_000, now - (RECEIPTS - at - 1) * 60_000, told)
            for at in range(RECEIPTS)
        ),
    )
    columns = [row[1] for row in database.execute("PRAGMA table_info(audit)")]
    named = ", ".join(made.get(column, column) for column in columns if column != "id")
    names = ", ".join(column for column in columns if column != "id")
    while database.execute("SELECT count(*) FROM audit").fetchone()[0] < ACTS:
        database.execute(f"INSERT INTO audit ({names}) SELECT {named} FROM audit LIMIT {ACTS}")


async def _measure(there: Installation) -> None:
    item = f"/v1/content/items/{there.item}"
    print(f"{'beside':<16}{'a read, median':>16}{'p99':>8}{'max':>8}{'exports':>10}{'each':>10}")
    await load(there.port, lambda _: request("GET", item, there.key), connections=1, seconds=2.0)
    for name, export in EXPORTS.items():
        reads: list[float] = []
        exports: list[float] = []
        end = time.perf_counter() + SECONDS
        callers = [_calls(there, item, {}, reads, end)]
        if export is not None:
            callers.append(_calls(there, export[0], {"Accept": export[1]}, exports, end))
        await asyncio.gather(*callers)
        reads.sort()
        cells = [1000 * reads[int(len(reads) * part)] for part in (0.5, 0.99)] + [1000 * reads[-1]]
        each = f"{1000 * sum(exports) / len(exports):>7.0f} ms" if exports else ""
        print(f"{name:<16}{cells[0]:>13.1f} ms{cells[1]:>8.1f}{cells[2]:>8.1f}{len(exports):>10}{each:>10}")


async def _calls(there: Installation, path: str, headers: dict[str, str], taken: list[float], end: float) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", there.port)
    while time.perf_counter() < end:
        sent = time.perf_counter()
        writer.write(request("GET", path, there.key, headers=headers))
        await _read_answer(reader)
        taken.append(time.perf_counter() - sent)
        await asyncio.sleep(PAUSE_SECONDS)
    writer.close()


async def _read_answer(reader: asyncio.StreamReader) -> None:
    """Reads an answer, which may be in chunks."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    assert b" 200 " in head.split(b"\r\n")[0], head
    if b"transfer-encoding: chunked" not in head:
        length = head.partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length))
        return
    while size := int(await reader.readline(), 16):
        await reader.readexactly(size + 2)
    await reader.readline()


if __name__ == "__main__":
    sys.exit(main())
