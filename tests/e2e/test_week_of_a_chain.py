"""A week of a chain on virtual time: two cities, two groups, three boards and a feed of the point of sale.

The service and the players are real, one board is drawn and read from what is drawn; after every step the glass of all
three is asked.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication

from tests.soak.glass import drawn
from tests.soak.world import Line, Panel, SoakLoop, World, opened

MONDAY = datetime(2026, 12, 21, 6, tzinfo=UTC)
"""07:00 in Berlin, 01:00 in New York."""
WITHIN_SECONDS = 2.0
"""A change is on the glass of a board that can reach the service."""
BERLIN = {"name": "Berlin", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
YORK = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
DISHES = (
    ("Flat white", "Coffee", 3.4),
    ("Espresso", "Coffee", 2.2),
    ("Soup", "Lunch", 6.5),
    ("Goose", "Christmas", 24),
)

Rows = dict[str, str]


class Chain:
    """The operator, and what hangs in the shops."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.items: dict[str, str] = {}
        self.screens: dict[str, str] = {}

    async def call(self, method: str, path: str, body: object = None) -> Any:
        return await self.world.call(method, path, body)

    async def add(self, path: str, body: object) -> str:
        return str((await self.call("POST", path, body))["id"])

    async def scene(self, name: str, *categories: str) -> str:
        return await self.add("/scenes", {"name": name, "widgets": [menu_of(categories=categories)]})

    async def hang(self, panel: Panel, playlist: str, location: str) -> None:
        self.world.panels.append(panel)
        await panel.proxy.open()
        await panel.start()
        await asyncio.sleep(5)
        body = {"code": code_of(panel), "playlist": playlist, "location": location, "name": panel.name}
        self.screens[panel.name] = await self.add("/screens/pair", body)

    async def at(self, when: datetime) -> None:
        """Let the time pass until then."""
        assert when >= self.world.now, "the week goes on"
        await asyncio.sleep((when - self.world.now).total_seconds())

    async def night(self, *, until: datetime) -> None:
        """The shops cut the power of their boards, and switch them on again then."""
        for panel in self.world.panels:
            await panel.kill()
        await self.at(until)
        for panel in self.world.panels:
            await panel.start()

    async def expect(self, what: str, *boards: tuple[Panel, Rows], seconds: float = WITHIN_SECONDS) -> None:
        """Each board shows these names and prices in time, and no board wants to restart."""
        end = self.world.now + timedelta(seconds=seconds)
        while any(glass(panel) != rows for panel, rows in boards) and self.world.now < end:  # noqa: ASYNC110
            await asyncio.sleep(0.25)
        for panel, rows in boards:
            assert glass(panel) == rows, f"{what}, on {panel.name}, {self.world.now:%a %H:%M:%S}"
            assert panel.restart_wanted is None, panel.restart_wanted


def menu_of(**which: object) -> dict[str, object]:
    return {"id": "menu", "type": "menu", "x": 100, "y": 60, "width": 1720, "height": 960, **which}


def code_of(panel: Panel) -> str:
    assert panel.state is not None
    assert panel.state.pairing.code is not None
    return panel.state.pairing.code.user_code


def glass(panel: Panel) -> Rows:
    """The names and prices on a board, as a guest reads them."""
    seen = panel.trace[-1].seen
    assert seen is not None, f"{panel.name} is not running"
    return {name: price for menu in seen.menus.values() for _, rows in menu for name, price in rows}


def utc(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 12, day, hour, minute, tzinfo=UTC)


def text(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


@pytest.mark.long
def test_a_week_of_a_chain(tmp_path: Path, qapp: QGuiApplication) -> None:
    with asyncio.Runner(loop_factory=SoakLoop) as runner:
        runner.run(week(tmp_path))


async def week(folder: Path) -> None:
    async with opened(folder, MONDAY) as world:
        chain = Chain(world)
        for name, category, price in DISHES:
            body = {"name": name, "category": category, "price": price, "sku": name.upper()}
            chain.items[name] = await chain.add("/content/items", body)
        berlin, york = [await chain.add("/locations", place) for place in (BERLIN, YORK)]
        germany = await chain.add("/groups", {"name": "Germany", "locations": [berlin]})
        franchise = await chain.add("/groups", {"name": "Franchise", "locations": [york], "precedence": 10})
        coffee, lunch = await chain.scene("Coffee", "Coffee"), await chain.scene("Lunch", "Lunch")
        playlist = await chain.add("/playlists", {"name": "All day"})
        for scene in (coffee, lunch):
            await chain.call("POST", f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 20})
        at_noon = {"type": "daypart", "start": "11:00", "end": "15:00", "priority": 10}
        await chain.call("POST", f"/scenes/{lunch}/schedules", at_noon)
        await chain.call("POST", f"/playlists/{playlist}/publish")
        makers: dict[str, dict[str, Any]] = {"Berlin": {"display": drawn}, "Berlin window": {}, "New York": {}}
        panels = [Panel(name, folder / name, world, **more) for name, more in makers.items()]
        for panel in panels:
            (folder / panel.name).mkdir()
            await chain.hang(panel, playlist, york if panel.name == "New York" else berlin)
        counter, window, abroad = panels

        def both(rows: Rows) -> list[tuple[Panel, Rows]]:
            return [(counter, rows), (window, rows)]

        await chain.expect(
            "the menu, with each city's currency",
            *both({"Flat white": "3,40 €", "Espresso": "2,20 €"}),
            (abroad, {"Flat white": "$3.40", "Espresso": "$2.20"}),
            seconds=60,
        )

        # Monday: a price for each group and for a location; the lunch of each city comes at its own noon.
        await chain.call("PATCH", f"/groups/{franchise}/items/{chain.items['Flat white']}", {"price": 5.5})
        await chain.call("PATCH", f"/groups/{germany}/items/{chain.items['Soup']}", {"price": 7})
        american = {"Flat white": "$5.50", "Espresso": "$2.20"}
        german = {"Flat white": "3,40 €", "Espresso": "2,20 €"}
        await chain.expect("prices of groups", *both(german), (abroad, american))
        await chain.night(until=utc(21, 9, 58))
        await chain.expect("the morning", *both(german), (abroad, american), seconds=30)
        await chain.at(utc(21, 10, 1))
        await chain.expect("lunch in Berlin", *both({"Soup": "7,00 €"}), (abroad, american))
        await chain.night(until=utc(21, 16, 1))
        await chain.expect("lunch in New York", *both(german), (abroad, {"Soup": "$6.50"}), seconds=30)

        # Tuesday: the till of Berlin sets its prices every hour; a row of nonsense is told, the rest counts.
        feed = {"name": "Till", "feed": "berlin.csv", "format": "csv", "location": berlin, "everyMinutes": 60}
        made = await chain.call("POST", "/pos/connections", feed | {"owns": ["price", "soldOut"]})
        till = world.data / made["file"]
        till.parent.mkdir(exist_ok=True)
        till.write_text("id;sku;name;category;price\n1;ESPRESSO;Espresso;Coffee;2,40\n2;SOUP;Soup;Lunch;much\n")
        await chain.night(until=utc(22, 7, 5))
        german["Espresso"] = "2,40 €"
        await chain.expect("the till's price, in Berlin alone", *both(german), (abroad, american), seconds=30)
        sync = (await chain.call("GET", f"/pos/connections/{made['id']}"))["lastSync"]
        assert [(row["row"], row["column"]) for row in sync["badRows"]] == [(2, "price")]

        # Wednesday: sold out in Berlin alone until 11:00 there, which a board whose line is cut knows as well.
        body = {"eightySixed": True, "eightySixedUntil": text(utc(23, 10))}
        await chain.night(until=utc(23, 9, 55))
        await chain.expect("the morning", *both(german), (abroad, american), seconds=30)
        await chain.call("PATCH", f"/locations/{berlin}/items/{chain.items['Flat white']}", body)
        await chain.expect("sold out", *both({"Espresso": "2,40 €"}), (abroad, american))
        window.proxy.use(Line.CUT)
        await chain.at(utc(23, 10))
        lunch_time = {"Soup": "7,00 €"}
        await chain.expect("lunch", *both(lunch_time), (abroad, american))
        window.proxy.use(Line.WHOLE)
        await chain.night(until=utc(23, 14, 5))
        await chain.expect("it is back after lunch", *both(german), (abroad, american), seconds=30)

        # Thursday: only espresso for the franchise until noon, its line cut meanwhile, and the service killed.
        only = menu_of(itemIds=[chain.items["Espresso"]])
        espresso = await chain.add("/scenes", {"name": "Only espresso", "widgets": [only]})
        await chain.night(until=utc(24, 14, 0))
        await chain.expect("the morning", *both(german), (abroad, american), seconds=30)
        override = {"scene": espresso, "target": {"group": franchise}, "until": text(utc(24, 14, 10))}
        override["reason"] = "No milk"
        await chain.call("POST", "/overrides", override)
        await chain.expect("the override", *both(german), (abroad, {"Espresso": "$2.20"}))
        abroad.proxy.use(Line.CUT)
        await world.kill()
        await chain.at(utc(24, 14, 5))
        await world.open()
        await abroad.kill()
        await abroad.start()
        await chain.expect("it outlives both", *both(german), (abroad, {"Espresso": "$2.20"}), seconds=30)
        await chain.at(utc(24, 14, 10))
        await chain.expect("it has ended by itself", *both(german), (abroad, american))
        abroad.proxy.use(Line.WHOLE)

        # Friday: Christmas in place of all else, at each city's own hours, and no lunch on that day.
        christmas = await chain.scene("Christmas", "Christmas")
        await chain.call("POST", f"/playlists/{playlist}/scenes", {"sceneId": christmas, "durationSeconds": 20})
        days = {"type": "window", "startsAt": "2026-12-25T09:00", "endsAt": "2026-12-25T18:00", "priority": 50}
        await chain.call("POST", f"/scenes/{christmas}/schedules", days)
        (noon,) = (await chain.call("GET", f"/scenes/{lunch}/schedules"))["data"]
        await chain.call("PATCH", f"/schedules/{noon['id']}", {"except": ["2026-12-25"]})
        await chain.call("POST", f"/playlists/{playlist}/publish")
        await chain.night(until=utc(25, 10, 30))
        await chain.expect("Christmas in Berlin", *both({"Goose": "24,00 €"}), (abroad, american), seconds=30)
        await chain.call("PATCH", f"/locations/{berlin}/items/{chain.items['Goose']}", {"eightySixed": True})
        await chain.expect("never dark: no goose, and no lunch today", *both(german), (abroad, american))
        await chain.night(until=utc(25, 16, 30))
        await chain.expect("Christmas in New York", *both(german), (abroad, {"Goose": "$24.00"}), seconds=30)

        # Saturday: a bad publish is taken back, and a broken board replaced.
        await chain.night(until=utc(26, 7))
        await chain.expect("the day after", *both(german), (abroad, american), seconds=30)
        await chain.call("PATCH", f"/scenes/{coffee}", {"widgets": [menu_of(categories=["Lunch"])]})
        bad = await chain.call("POST", f"/playlists/{playlist}/publish")
        wrong = [*both({"Soup": "7,00 €"}), (abroad, {"Soup": "$6.50"})]
        await chain.expect("the wrong menu", *wrong, seconds=60)
        await chain.call("POST", f"/playlists/{playlist}/versions/{bad['version'] - 1}/restore")
        await chain.expect("the menu is back", *both(german), (abroad, american), seconds=60)
        spare = Panel("Spare", folder / "spare", world)
        (folder / "spare").mkdir()
        await window.stop()
        world.panels.remove(window)
        await window.proxy.close()
        world.panels.append(spare)
        await spare.proxy.open()
        await spare.start()
        await asyncio.sleep(5)
        old = chain.screens["Berlin window"]
        screen = await chain.call("POST", f"/screens/{old}/replace", {"code": code_of(spare)})
        assert screen["name"] == "Berlin window"
        await chain.expect("the new device", (counter, german), (spare, german), (abroad, american), seconds=60)

        # Sunday: new prices at 05:00 of each city, of which boards know that are cut off since the day before.
        changes = [{"item": chain.items["Flat white"], "price": 3.6}, {"item": chain.items["Espresso"], "price": 2.5}]
        plan = {"name": "New prices", "at": "2026-12-27T05:00", "changes": changes}
        await chain.call("POST", "/planned-changes", plan)
        await asyncio.sleep(10)
        boards = [counter, spare, abroad]
        for panel in boards:
            panel.proxy.use(Line.CUT)
        await chain.night(until=utc(27, 3, 58))
        await chain.expect("before", (counter, german), (spare, german), (abroad, american), seconds=30)
        await chain.at(utc(27, 4))
        german["Flat white"] = "3,60 €"
        await chain.expect("new in Berlin", (counter, german), (spare, german), (abroad, american))
        await chain.night(until=utc(27, 9, 58))
        await chain.at(utc(27, 10))
        american["Espresso"] = "$2.50"
        await chain.expect("new in New York", (counter, lunch_time), (spare, lunch_time), (abroad, american))
        for panel in boards:
            panel.proxy.use(Line.WHOLE)
        await chain.at(utc(27, 10, 15))
        await chain.expect("the service agrees", (counter, lunch_time), (spare, lunch_time), (abroad, american))
        stored = await chain.call("GET", f"/content/items/{chain.items['Espresso']}")
        assert float(stored["price"]) == 2.5
