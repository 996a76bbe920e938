"""Measures the service with a large workspace: 5,000 items, 30 locations, 300 screens on held polls.

Each location has ten screens: five play the menu, five the drinks, each four of the 100 categories.
`benchmarks.service` runs this beside the small workspace.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from service.core.clock import SystemClock
from service.core.ids import digest_of
from service.services.registry import Services
from service.settings import Settings
from service.storage.tables.menus import ItemRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow
from tests.support.programs import call

ITEMS = 5_000
CATEGORIES = 100
LOCATIONS = 30
SCREENS = 300
WAIT = 25
GIVEN_UP_SECONDS = 240.0
SETTLED_SECONDS = 1.0
PUBLISHES = 5

Answer = tuple[int, str]


def fill(settings: Settings, tokens: Sequence[str], base: str, key: str) -> dict[str, Any]:
    """Adds the items and locations to a running service's database, and the playlists over HTTP; returns their ids."""
    services = Services(settings, clock=SystemClock())
    with services.database.write() as unit:
        first = unit.session.query(LocationRow).one()
        workspace, now = first.workspace_id, unit.now
        unit.session.add_all(_item(number, workspace, now) for number in range(ITEMS))
    services.database.close()

    def made(path: str, body: object) -> str:
        return str(call("POST", f"{base}{path}", body=body, key=key)["id"])

    playlists = []
    for number, name in enumerate(("Menu", "Drinks")):
        categories = [f"Category {4 * number + one:03}" for one in range(4)]
        widget = {"id": "m", "type": "menu", "categories": categories, "x": 0, "y": 0, "width": 1900, "height": 1000}
        scene = made("/v1/scenes", {"name": name, "width": 1920, "height": 1080, "widgets": [widget]})
        playlists.append(made("/v1/playlists", {"name": name}))
        made(f"/v1/playlists/{playlists[-1]}/scenes", {"sceneId": scene, "durationSeconds": 10})
        call("POST", f"{base}/v1/playlists/{playlists[-1]}/publish", key=key)
    place = {"timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
    locations = [made("/v1/locations", {"name": f"Shop {number}", **place}) for number in range(LOCATIONS)]
    services = Services(settings, clock=SystemClock())
    with services.database.write() as unit:
        unit.session.add_all(
            ScreenRow(
                id=f"scr_large_{number}",
                workspace_id=workspace,
                name=f"Screen {number}",
                device_id=f"{number:032x}",
                location_id=locations[number % LOCATIONS],
                playlist_id=playlists[number // LOCATIONS % 2],
                token_digest=digest_of(token),
                token_used=True,
                created_at=unit.now,
                changed_at=unit.now,
            )
            for number, token in enumerate(tokens)
        )
    services.database.close()
    return {"playlists": playlists, "item": "itm_large_7", "elsewhere": f"itm_large_{ITEMS - 1}"}


def _item(number: int, workspace: str, now: Any) -> ItemRow:
    german = {"de": {"name": f"Gericht {number}", "description": "Mit frischem Gemüse der Saison und Brot"}}
    return ItemRow(
        id=f"itm_large_{number}",
        workspace_id=workspace,
        name=f"Dish {number}",
        category=f"Category {number * CATEGORIES // ITEMS:03}",
        price=Decimal("9.5"),
        price_kind="exact",
        modifiers=[{"name": "Cheese", "units": 10_000}],
        variants=[],
        translations=german,
        named_in=" de ",
        eighty_sixed=False,
        description="With vegetables of the season and bread",
        tags=["vegetarian"],
        allergens=["gluten"],
        featured=False,
        sort_index=number,
        created_at=now,
        changed_at=now,
    )


async def cold(pid: int, port: int, tokens: Sequence[str], name: str) -> dict[str, float]:
    """Every board asks for its manifest at once, of a service that has composed none."""
    began, cpu = time.perf_counter(), _cpu(pid)
    await asyncio.gather(*(_manifest(port, token, None, 0) for token in tokens))
    return {
        f"{name}_manifests_s": time.perf_counter() - began,
        f"{name}_manifests_cpu_s": _cpu(pid) - cpu,
        f"{name}_peak_memory_mib": _peak(pid),
    }


async def changes(pid: int, port: int, key: str, tokens: Sequence[str], ids: dict[str, Any]) -> dict[str, float]:
    """One 86 of an item on boards, one of an item that no board shows, and publishing."""
    figures: dict[str, float] = {}
    for name, item in (("eighty_six", ids["item"]), ("eighty_six_elsewhere", ids["elsewhere"])):
        answers = await asyncio.gather(*(_manifest(port, token, None, 0) for token in tokens))
        async with _holding(port, tokens, [etag for _, etag in answers]) as held:
            figures |= await _change(port, pid, key, item, held, name)
    took = []
    for _ in range(PUBLISHES):
        began = time.perf_counter()
        await asyncio.to_thread(_call, port, key, "POST", f"/v1/playlists/{ids['playlists'][0]}/publish")
        took.append(time.perf_counter() - began)
    return figures | {"publish_ms": 1000 * sorted(took)[PUBLISHES // 2]}


async def _change(
    port: int, pid: int, key: str, item: str, held: Sequence[asyncio.Task[float]], name: str
) -> dict[str, float]:
    """One PATCH while all polls are held: when the boards are answered, and what it costs others."""
    stop = asyncio.Event()
    others = asyncio.ensure_future(_reads(port, key, stop))
    began, idle = time.perf_counter(), _cpu(pid)
    await asyncio.sleep(2 * SETTLED_SECONDS)
    sent, cpu = time.perf_counter(), _cpu(pid)
    of_others = (cpu - idle) / (sent - began)
    await asyncio.to_thread(_call, port, key, "PATCH", f"/v1/content/items/{item}", {"eightySixed": True})
    figures = {f"{name}_patch_ms": 1000 * (time.perf_counter() - sent)}
    if name == "eighty_six":
        answered = await asyncio.gather(*held)
        affected = [at - sent for number, at in enumerate(answered) if number // LOCATIONS % 2 == 0]
        figures[f"{name}_to_first_affected_ms"] = 1000 * min(affected)
        figures[f"{name}_to_last_affected_ms"] = 1000 * max(affected)
        figures[f"{name}_to_last_of_{SCREENS}_ms"] = 1000 * (max(answered) - sent)
    await asyncio.sleep(SETTLED_SECONDS)
    figures[f"{name}_cpu_s"] = _cpu(pid) - cpu - of_others * (time.perf_counter() - sent)
    stop.set()
    figures[f"{name}_worst_other_read_ms"] = 1000 * await others
    return figures


async def _reads(port: int, key: str, stop: asyncio.Event) -> float:
    """Another caller, ten times a second: its worst latency."""
    worst = 0.0
    while not stop.is_set():
        began = time.perf_counter()
        await _send(port, key, f"/v1/content/items/itm_large_{ITEMS // 2}", {})
        worst = max(worst, time.perf_counter() - began)
        await asyncio.sleep(0.1)
    return worst


@contextlib.asynccontextmanager
async def _holding(
    port: int, tokens: Sequence[str], etags: Sequence[str]
) -> AsyncIterator[Sequence[asyncio.Task[float]]]:
    """One held poll for each screen, begun again after a 304; each task returns when its board has another body."""

    async def board(token: str, etag: str) -> float:
        end = time.perf_counter() + GIVEN_UP_SECONDS
        while time.perf_counter() < end:
            status, _ = await _manifest(port, token, etag, WAIT)
            if status == 200:
                break
        return time.perf_counter()

    tasks = [asyncio.ensure_future(board(token, etag)) for token, etag in zip(tokens, etags, strict=True)]
    await asyncio.sleep(3 * SETTLED_SECONDS)
    assert not any(task.done() for task in tasks), "a poll was answered before the change"
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _manifest(port: int, token: str, etag: str | None, wait: int) -> Answer:
    headers = {"Accept-Encoding": "gzip", **({"If-None-Match": etag} if etag else {})}
    return await _send(port, token, "/v1/player/manifest", headers | ({"Prefer": f"wait={wait}"} if wait else {}))


async def _send(port: int, secret: str, path: str, headers: dict[str, str]) -> Answer:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    try:
        lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {secret}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        status = int(head[0].split(" ", 2)[1])
        assert status in (200, 304), head
        if status == 200:
            await reader.readexactly(int(fields["content-length"]))
        return status, fields.get("etag", "")
    finally:
        writer.close()


def _call(port: int, key: str, method: str, path: str, body: object = None) -> Any:
    return call(method, f"http://127.0.0.1:{port}{path}", body=body, key=key)


def _cpu(pid: int) -> float:
    """Seconds of CPU that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(pid: int) -> float:
    """MiB of resident memory at most so far."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0
