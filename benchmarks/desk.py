"""Measures the desk with 5,000 items: acts of htmx, the first page on a slow phone, and 200 open pages at rest.

Run as `python -m benchmarks.desk [PAGES]`. The browser is Debian's Chromium; the calls come from this process, which
shares the cores with the service.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from benchmarks import large_menu
from benchmarks.service import Installation, _run, cpu_seconds, install
from service.settings import Settings
from tests.support.chromium import opened

PAGES = 200
TABS = 12
"""Open pages of a session, at most."""
CALLS = 40
SETTLED_SECONDS = 2
REST_SECONDS = 60
SLOWER_CPU = 4
BYTES_A_SECOND = 1_600_000 / 8
LATENCY_MILLISECONDS = 150
"""A phone on a slow network, as browsers' own tools define it: 4 x slower CPU, 1.6 Mbit/s, 150 ms."""


def main(pages: int) -> None:
    """Prints all figures."""
    with tempfile.TemporaryDirectory(prefix="menu-desk-") as folder, contextlib.ExitStack() as stack:
        place = Path(folder)
        there = install(stack, place, None, 0)
        base = f"http://127.0.0.1:{there.port}"
        tokens = [str(number) for number in range(large_menu.SCREENS)]
        large_menu.fill(Settings(data=place), tokens, base, there.key)
        people = [stack.enter_context(_person(base, place, number)) for number in range(-(-pages // TABS))]
        _acts(people[0], there)
        print(f"{pages} open pages at rest: {asyncio.run(_rest(people, there, pages)):.1%} of a core", flush=True)
        _first_page(base, people[0])


@contextlib.contextmanager
def _person(base: str, data: Path, number: int) -> Iterator[httpx.Client]:
    """An owner who has signed in by a link."""
    owner = ("--email", f"owner{number}@example.com", "--role", "Owner", "--public-url", base)
    link = _run("desk-link", "--data", str(data), *owner).strip()
    with httpx.Client(base_url=base, follow_redirects=True, timeout=30) as desk:
        desk.get(link).raise_for_status()
        yield desk


def _acts(desk: httpx.Client, there: Installation) -> None:
    token = re.search(r'<meta name="csrf" content="([^"]+)">', desk.get("/desk/menu").text)
    assert token is not None
    part = {"HX-Request": "true", "X-CSRF-Token": token[1], "Origin": str(desk.base_url).rstrip("/")}

    def sell_out(number: int) -> httpx.Response:
        form = {"sold": "true" if number % 2 else "false", "at": "", "back": "/desk/menu"}
        return desk.post(f"/desk/menu/itm_large_{number}/sold-out", data=form, headers=part)

    def set_price(number: int) -> httpx.Response:
        form = {"price": f"{number % 9 + 1}.50", "at": "", "back": "/desk/menu"}
        return desk.post(f"/desk/menu/itm_large_{number}/price", data=form, headers=part)

    acts: dict[str, Callable[[int], httpx.Response]] = {
        "PATCH of the API, for comparison": lambda number: desk.patch(
            f"/v1/content/items/itm_large_{number}",
            json={"price": 3 + number % 5},
            headers={"Authorization": f"Bearer {there.key}"},
        ),
        "sold out": sell_out,
        "price": set_price,
        "search": lambda number: desk.get("/desk/menu", params={"search": f"dish {number}"}, headers=part),
        "a page of the menu": lambda number: desk.get("/desk/menu"),
        "screens": lambda number: desk.get("/desk/screens"),
    }
    for name, act in acts.items():
        took = []
        for number in range(CALLS):
            began = time.perf_counter()
            act(number).raise_for_status()
            took.append((time.perf_counter() - began) * 1000)
        ordered = sorted(took)
        worst = ordered[int(0.95 * (len(ordered) - 1))]
        print(f"{name}: {statistics.median(took):.0f} ms, 95 % within {worst:.0f}", flush=True)


async def _rest(people: list[httpx.Client], there: Installation, pages: int) -> float:
    """The share of a core that the service takes while so many streams are open and nothing changes, above what it
    takes without any."""
    shares = []
    for count in (0, pages):
        async with contextlib.AsyncExitStack() as stack:
            for number in range(count):
                person = people[number // TABS]
                client = httpx.AsyncClient(base_url=person.base_url, cookies=person.cookies, timeout=None)
                await stack.enter_async_context(client)
                (await stack.enter_async_context(client.stream("GET", "/desk/live"))).raise_for_status()
            await asyncio.sleep(SETTLED_SECONDS)
            before = cpu_seconds(there.pid)
            await asyncio.sleep(REST_SECONDS)
            shares.append((cpu_seconds(there.pid) - before) / REST_SECONDS)
    return shares[1] - shares[0]


def _first_page(base: str, desk: httpx.Client) -> None:
    """Prints the bytes of the first page with all that it needs, and when it can be used, on a slow phone."""
    jar = [(one.name, one.value or "") for one in desk.cookies.jar]
    with opened() as browser:
        for path in ("/desk/sign-in", "/desk/screens", "/desk/menu", "/desk/boards", "/desk/playlists"):
            context = browser.new_context(viewport={"width": 390, "height": 844})
            if path != "/desk/sign-in":
                context.add_cookies([{"name": name, "value": value, "url": base} for name, value in jar])
            page = context.new_page()
            wire = context.new_cdp_session(page)
            wire.send("Network.enable")
            line = {
                "latency": LATENCY_MILLISECONDS,
                "downloadThroughput": BYTES_A_SECOND,
                "uploadThroughput": BYTES_A_SECOND,
            }
            wire.send("Network.emulateNetworkConditions", {"offline": False, **line})
            wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER_CPU})
            received: list[float] = []
            wire.on("Network.loadingFinished", lambda done, kept=received: kept.append(done["encodedDataLength"]))
            page.goto(base + path, wait_until="load")
            usable = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
            page.wait_for_timeout(3000)
            print(
                f"{path}: {sum(received) / 1000:.0f} kB in {len(received)} answers, usable after {usable:.0f} ms",
                flush=True,
            )
            context.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
