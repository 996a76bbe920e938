"""Random days of a chain: what its operator does, and what happens to lines, disks, clocks and programs.

Every choice comes from one seeded generator, so a seed repeats a run step by step.
"""

from __future__ import annotations

import asyncio
import errno
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from tests.service.support.application import png
from tests.soak.checker import Checker, DisagreementError, Past
from tests.soak.model import (
    DAYS,
    FORMATS,
    Dish,
    Entry,
    Facts,
    Here,
    Hours,
    Menu,
    Override,
    Place,
    Planned,
    Poster,
    Scene,
    Version,
    carried_out,
)
from tests.soak.world import Line, Panel, World

CATEGORIES = ("Coffee", "Lunch", "Cake", "Drinks")
ZONES = (
    "Europe/Berlin",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Beirut",
    "Asia/Tokyo",
    "America/St_Johns",
    "UTC",
)
WORDS = ("Soup", "Cake", "Flat white", "Espresso", "Tea", "Salad", "Bagel", "Juice", "Pie", "Toast")
MOST_DISHES = 9
MOST_SCENES = 6
MOST_PLANNED = 12
_WIRE = {"price": "price", "sold_out": "eightySixed", "hidden": "hidden"}
MOST_OVERRIDES = 6
PLACES = tuple(FORMATS)
CUT = {"type": "cut", "milliseconds": 0}
KEPT_STEPS = 40
"""Steps that a failure prints."""


@dataclass
class Draft:
    """A playlist as it is being edited."""

    id: str
    entries: list[tuple[str, Scene, int, Hours | None]]
    number: int = 0


class Soak:
    """The world, the truth about it, and a checker for each panel."""

    def __init__(self, world: World, seed: int, *, pace: float) -> None:
        """`pace`: seconds between two steps, in the mean."""
        self.world = world
        self.random = random.Random(seed)
        self.seed = seed
        self.pace = pace
        self.steps: list[str] = []
        self.counts: dict[str, int] = {}
        self.place = Place("Europe/Berlin", "EUR", "de-DE")
        self.dishes: tuple[Dish, ...] = ()
        self.scenes: list[Scene] = []
        self.drafts: list[Draft] = []
        self.published: dict[str, Version] = {}
        self.assigned: dict[str, str | None] = {}
        self.images: dict[str, str] = {}
        self.needs: dict[str, frozenset[str]] = {}
        self.past: dict[str, Past] = {}
        self.checkers: dict[str, Checker] = {}
        self.screens: dict[str, str] = {}
        self.lost: dict[str, tuple[Any, bytes]] = {}
        self.clock_changed = 0
        self.overrides: list[tuple[Override, frozenset[str]]] = []
        """With the panels that each is for."""
        self.here: dict[str, Here] = {}
        self.planned: list[Planned] = []

    # The opening

    async def open(self, panels: list[Panel]) -> None:
        location = {"name": "Corner Café", "timezone": self.place.zone, "currency": "EUR", "locale": "de-DE"}
        self.location = (await self.world.call("POST", "/locations", location))["id"]
        for number in range(6):
            await self._create_dish(number)
        for _ in range(4):
            await self._create_scene()
        for name in ("All day", "Terrace"):
            draft = Draft((await self.world.call("POST", "/playlists", {"name": name}))["id"], [])
            self.drafts.append(draft)
            for _ in range(3):
                await self._append(draft)
            await self._publish(draft)
        for panel in panels:
            self.world.panels.append(panel)
            past = self.past[panel.name] = Past()
            self.checkers[panel.name] = Checker(panel.name, past)
            await panel.proxy.open()
            self._note_clock(panel)
            past.disk.append((self.world.now, True))
            past.lost.append((self.world.now, frozenset()))
            await panel.start()
            past.starts.append(self.world.now)
            await asyncio.sleep(5)
            assert panel.state is not None
            assert panel.state.pairing.code is not None
            code = panel.state.pairing.code.user_code
            body = {"code": code, "playlist": self.drafts[0].id, "location": self.location, "name": panel.name}
            self.screens[panel.name] = (await self.world.call("POST", "/screens/pair", body))["id"]
            self.assigned[panel.name] = self.drafts[0].id
            past.versions.append((self.world.now, self.published[self.drafts[0].id]))
            past.line.append((self.world.now, True))
        self._note_facts()
        await asyncio.sleep(30)
        for panel in panels:
            del panel.trace[:-1]
            panel.trace[0].at = self.world.now

    # A step

    async def step(self) -> None:
        """Do one thing, let some time pass, and compare."""
        self._end_what_is_due()
        kinds: list[tuple[int, Callable[[], Awaitable[str]]]] = [
            (12, self.sell_out),
            (10, self.bring_back),
            (5, self.sell_out_for_a_while),
            (8, self.change_price),
            (6, self.change_here),
            (6, self.plan),
            (1, self.withdraw_plan),
            (3, self.delete_dish),
            (3, self.create_dish),
            (2, self.move_dish),
            (10, self.publish),
            (3, self.assign),
            (3, self.change_zone),
            (2, self.change_place),
            (4, self.override),
            (2, self.withdraw),
            (8, self.fail_line),
            (10, self.heal_line),
            (5, self.kill_player),
            (3, self.restart_player),
            (3, self.start_offline),
            (2, self.kill_service),
            (3, self.break_disk),
            (6, self.mend_disk),
            (3, self.step_clock),
            (2, self.lose_asset),
            (4, self.find_asset),
        ]
        weights, calls = zip(*kinds, strict=True)
        call = self.random.choices(calls, weights)[0]
        at = self.world.now
        text = await call()
        if not text:
            return
        name = call.__name__
        self.counts[name] = self.counts.get(name, 0) + 1
        pause = self._pause()
        self.steps.append(f"{at:%a %d %b %H:%M:%S} {text}; then {pause:.0f} s")
        await asyncio.sleep(pause)
        self.check()

    def check(self) -> None:
        """Compare every panel's glass up to now. Raises DisagreementError with the steps that led to it."""
        self._end_what_is_due()
        for panel in self.world.panels:
            if panel._work is not None and panel._work.done() and panel.running:
                raise DisagreementError(self._report(f"panel {panel.name} has ended: {panel._work.exception()!r}"))
            if panel.restart_wanted is not None:
                raise DisagreementError(self._report(f"panel {panel.name} wants to restart\n{_facts_of(panel)}"))
            try:
                self.checkers[panel.name].check(panel.trace, self.world.now)
            except DisagreementError as error:
                seen = "\n    ".join(str(frame) for frame in panel.trace)[:6000]
                raise DisagreementError(self._report(f"{error}\n{_facts_of(panel)}\n  trace:\n    {seen}")) from None

    def summary(self) -> str:
        """Its progress."""
        frames = sum(checker.frames for checker in self.checkers.values())
        instants = sum(checker.instants for checker in self.checkers.values())
        return f"{self.world.now:%a %d %b %H:%M}, {len(self.steps)} steps, {frames} frames, {instants} instants agree"

    def _report(self, text: str) -> str:
        last = "\n  ".join(self.steps[-KEPT_STEPS:])
        return f"seed {self.seed}, step {len(self.steps)}\n{text}\nthe last steps:\n  {last}"

    def _pause(self) -> float:
        kind = self.random.random()
        if kind < 0.3:
            return self.random.uniform(0.5, 20)
        if kind < 0.9:
            return self.random.uniform(0.2, 2) * self.pace
        return self.random.uniform(2, 8) * self.pace

    # The operator

    async def sell_out(self) -> str:
        dish = self._some_dish(sold_out=False)
        if dish is None or not self.world.up:
            return ""
        return await self._patch(dish, {"eightySixed": True, "eightySixedUntil": None}, sold_out=True, until=None)

    async def sell_out_for_a_while(self) -> str:
        dish = self._some_dish(sold_out=False)
        if dish is None or not self.world.up:
            return ""
        until = self.world.now + timedelta(seconds=round(self.random.uniform(0.1, 4) * self.pace) + 5)
        until = until.replace(microsecond=0)
        text = until.isoformat().replace("+00:00", "Z")
        return await self._patch(dish, {"eightySixed": True, "eightySixedUntil": text}, sold_out=True, until=until)

    async def bring_back(self) -> str:
        dish = self._some_dish(sold_out=True)
        if dish is None or not self.world.up:
            return ""
        return await self._patch(dish, {"eightySixed": False, "eightySixedUntil": None}, sold_out=False, until=None)

    async def change_price(self) -> str:
        if not self.dishes or not self.world.up:
            return ""
        price = self._price()
        return await self._patch(self.random.choice(self.dishes), {"price": float(price)}, price=price)

    async def change_here(self) -> str:
        if not self.dishes or not self.world.up:
            return ""
        dish, (name, value) = self.random.choice(self.dishes), self._value(here=True)
        body = {_WIRE[name]: float(value) if isinstance(value, Decimal) else value}
        await self.world.call("PATCH", f"/locations/{self.location}/items/{dish.id}", body)
        self.here[dish.id] = replace(self.here.get(dish.id, Here()), **{name: value})
        self._note_facts()
        return f"{dish.name} ({dish.id}) here: {body}"

    def _value(self, *, here: bool) -> tuple[str, Decimal | bool | None]:
        """A value of a dish to change."""
        name = self.random.choice(("price", "price", "sold_out", "hidden") if here else ("price", "sold_out"))
        value = self._price() if name == "price" else self.random.random() < 0.5
        return name, None if here and self.random.random() < 0.4 else value

    async def plan(self) -> str:
        ahead = timedelta(seconds=round(self.random.uniform(0.2, 4) * self.pace) + 5)
        wall = (self.world.now + ahead).astimezone(ZoneInfo(self.place.zone)).replace(microsecond=0, tzinfo=None)
        if not self.dishes or not self.world.up or len(self.planned) >= MOST_PLANNED:
            return ""
        found, changes = list[Planned](), list[dict[str, Any]]()
        for dish in self.random.sample(self.dishes, min(len(self.dishes), self.random.randint(1, 3))):
            here = self.random.random() < 0.5
            name, value = self._value(here=here)
            found.append(Planned("", wall.isoformat(), dish.id, here, name, value))
            at_place = {"location": self.location} if here else {}
            body = {_WIRE[name]: float(value) if isinstance(value, Decimal) else value}
            changes.append({"item": dish.id, **at_place, **body})
        # In the second of two hours the first is meant, which has passed.
        if any(one.at(self.place) <= self.world.now + timedelta(seconds=2) for one in found):
            return ""
        if any(one.wall == wall.isoformat() for one in self.planned):
            return ""
        plan = {"name": "New prices", "at": wall.isoformat(), "changes": changes}
        made = await self.world.call("POST", "/planned-changes", plan)
        self.planned += [replace(one, plan=made["id"]) for one in found]
        self._note_facts()
        return f"{made['id']} is planned: {plan}"

    async def withdraw_plan(self) -> str:
        soon = self.world.now + timedelta(seconds=2)
        plans = sorted({one.plan for one in self.planned if one.at(self.place) > soon})
        if not plans or not self.world.up:
            return ""
        plan = self.random.choice(plans)
        await self.world.call("DELETE", f"/planned-changes/{plan}")
        self.planned = [one for one in self.planned if one.plan != plan]
        self._note_facts()
        return f"{plan} is withdrawn"

    async def move_dish(self) -> str:
        if not self.dishes or not self.world.up:
            return ""
        rank, category = self.random.randint(-3, 3), self.random.choice(CATEGORIES)
        dish = self.random.choice(self.dishes)
        return await self._patch(dish, {"sortIndex": rank, "category": category}, rank=rank, category=category)

    async def _patch(self, dish: Dish, body: dict[str, Any], **fields: Any) -> str:
        await self.world.call("PATCH", f"/content/items/{dish.id}", body)
        self.dishes = tuple(replace(each, **fields) if each.id == dish.id else each for each in self.dishes)
        self._note_facts()
        return f"{dish.name} ({dish.id}): {body}"

    async def delete_dish(self) -> str:
        if len(self.dishes) < 4 or not self.world.up:
            return ""
        dish = self.random.choice(self.dishes)
        await self.world.call("DELETE", f"/content/items/{dish.id}")
        self.dishes = tuple(each for each in self.dishes if each.id != dish.id)
        self.here.pop(dish.id, None)
        self.planned = [one for one in self.planned if one.dish != dish.id]
        self._note_facts()
        return f"{dish.name} ({dish.id}) is deleted"

    async def create_dish(self) -> str:
        if len(self.dishes) >= MOST_DISHES or not self.world.up:
            return ""
        dish = await self._create_dish(self.random.randint(0, 9))
        self._note_facts()
        return f"{dish.name} ({dish.id}) is new"

    async def _create_dish(self, number: int) -> Dish:
        name, price = f"{WORDS[number]} {self.random.randint(10, 99)}", self._price()
        category, rank = self.random.choice(CATEGORIES), self.random.randint(-2, 2)
        body = {"name": name, "category": category, "price": float(price), "sortIndex": rank}
        made = await self.world.call("POST", "/content/items", body)
        dish = Dish(made["id"], name, category, price, rank)
        self.dishes = (*self.dishes, dish)
        return dish

    def _price(self) -> Decimal:
        return Decimal(self.random.choice((0, 50, 220, 340, 355, 1250, 1299, 123456))) / 100

    def _some_dish(self, *, sold_out: bool) -> Dish | None:
        found = [dish for dish in self.dishes if dish.gone(self.world.now) is sold_out]
        return self.random.choice(found) if found else None

    async def change_zone(self) -> str:
        if not self.world.up:
            return ""
        self.place = replace(self.place, zone=self.random.choice(ZONES))
        await self.world.call("PATCH", f"/locations/{self.location}", {"timezone": self.place.zone})
        self._note_facts()
        return f"the location is in {self.place.zone}"

    async def change_place(self) -> str:
        if not self.world.up:
            return ""
        locale, currency = self.random.choice(PLACES)
        self.place = replace(self.place, locale=locale, currency=currency)
        await self.world.call("PATCH", f"/locations/{self.location}", {"locale": locale, "currency": currency})
        self._note_facts()
        return f"the location speaks {locale} and takes {currency}"

    async def publish(self) -> str:
        if not self.world.up:
            return ""
        draft = self.random.choice(self.drafts)
        for _ in range(self.random.randint(1, 3)):
            change = self.random.random()
            if change < 0.3 and len(draft.entries) > 2:
                entry = draft.entries.pop(self.random.randrange(len(draft.entries)))
                await self.world.call("DELETE", f"/playlists/{draft.id}/scenes/{entry[0]}")
            elif change < 0.5 and len(self.scenes) < MOST_SCENES:
                await self._create_scene()
            elif change < 0.7:
                self.random.shuffle(draft.entries)
                order = {"order": [entry[0] for entry in draft.entries]}
                await self.world.call("PATCH", f"/playlists/{draft.id}/order", order)
            else:
                await self._append(draft)
        version = await self._publish(draft)
        return f"{draft.id} is published: version {version.number}, {len(version.entries)} entries"

    async def _publish(self, draft: Draft) -> Version:
        made = await self.world.call("POST", f"/playlists/{draft.id}/publish")
        version = Version(
            draft.id,
            made["version"],
            datetime.fromisoformat(made["publishedAt"]),
            tuple(Entry(name, scene, seconds, hours) for name, scene, seconds, hours in draft.entries),
            frozenset[str]().union(*(self.needs[scene.id] for _, scene, _, _ in draft.entries)),
        )
        self.published[draft.id] = version
        for name, playlist in self.assigned.items():
            if playlist == draft.id:
                self.past[name].versions.append((self.world.now, version))
        return version

    async def assign(self) -> str:
        if not self.world.up:
            return ""
        panel = self.random.choice(self.world.panels)
        playlist = self.random.choice([draft.id for draft in self.drafts if draft.id != self.assigned[panel.name]])
        await self.world.call("PATCH", f"/screens/{self.screens[panel.name]}", {"playlist": playlist})
        self.assigned[panel.name] = playlist
        self.past[panel.name].versions.append((self.world.now, self.published[playlist]))
        return f"panel {panel.name} plays {playlist}"

    async def override(self) -> str:
        alive = [one for one, _ in self.overrides if one.until > self.world.now]
        if not self.world.up or len(alive) >= MOST_OVERRIDES:
            return ""
        names = [panel.name for panel in self.world.panels]
        meant = frozenset(names if self.random.random() < 0.5 else self.random.sample(names, 1))
        target: dict[str, Any] = {"screens": [self.screens[name] for name in sorted(meant)]}
        if len(meant) == len(names):
            target = self.random.choice(({"everything": True}, {"location": self.location}, target))
        start = None
        if self.random.random() < 0.3:
            start = self.world.now + timedelta(seconds=round(self.random.uniform(0.1, 2) * self.pace))
        until = (start or self.world.now) + timedelta(seconds=round(self.random.uniform(0.1, 4) * self.pace) + 5)
        body: dict[str, Any] = {"target": target, "until": _instant(until), "reason": "Closed early"}
        if start is not None:
            body["startsAt"] = _instant(start)
        if self.random.random() < 0.5:
            draft = self.random.choice(self.drafts)
            body["playlist"] = draft.id
            entries = tuple(Entry(name, scene, seconds, hours) for name, scene, seconds, hours in draft.entries)
            made = await self.world.call("POST", "/overrides", body)
        else:
            scene = self.random.choice(self.scenes)
            made = await self.world.call("POST", "/overrides", body | {"scene": scene.id})
            entries = (Entry(f"{made['id']}_scene", replace(scene, hours=()), 10),)
        start = datetime.fromisoformat(made["startsAt"])
        shown = Override(Version(made["id"], 0, start, entries), datetime.fromisoformat(made["until"]))
        self.overrides.append((shown, meant))
        self._note_facts()
        return f"override {made['id']} from {start:%H:%M:%S} to {shown.until:%H:%M:%S} for {sorted(meant)}"

    async def withdraw(self) -> str:
        alive = [one for one in self.overrides if one[0].until > self.world.now]
        if not self.world.up or not alive:
            return ""
        gone = self.random.choice(alive)
        await self.world.call("DELETE", f"/overrides/{gone[0].version.playlist}")
        self.overrides.remove(gone)
        self._note_facts()
        return f"override {gone[0].version.playlist} is withdrawn"

    async def _append(self, draft: Draft) -> None:
        if len(draft.entries) >= MOST_SCENES:
            return
        scene = self.random.choice(self.scenes)
        seconds = self.random.choice((10, 20, 30, 45, 60, 120))
        hours, body = None, {"sceneId": scene.id, "durationSeconds": seconds}
        if self.random.random() < 0.2:
            hours = self._daypart()
            body["schedule"] = _document(hours)
        made = await self.world.call("POST", f"/playlists/{draft.id}/scenes", body)
        draft.entries.append((made["id"], scene, seconds, hours))

    async def _create_scene(self) -> None:
        number = len(self.scenes)
        widgets: list[dict[str, Any]] = []
        menus: list[Menu] = []
        posters: list[Poster] = []
        kind = self.random.random()
        known = [dish.id for dish in self.dishes]
        box = {"width": 900, "height": 900, "y": 40}
        if kind < 0.75:
            for index in range(self.random.choice((1, 1, 2))):
                categories = tuple(self.random.sample(CATEGORIES, self.random.choice((0, 1, 1, 2))))
                dishes = tuple(self.random.sample(known, self.random.choice((0, 0, 1, 2))))
                grouped, marks = self.random.random() < 0.7, self.random.random() < 0.2
                menus.append(Menu(f"menu-{index}", categories, dishes, grouped, marks))
                fields = {"categories": list(categories), "itemIds": list(dishes), "groupByCategory": grouped}
                fields["soldOut"] = "mark" if marks else "hide"
                widgets.append({"id": f"menu-{index}", "type": "menu", "x": 40 + 940 * index, **box, **fields})
        elif kind < 0.9:
            dish, instead = self.random.sample(known, 2)
            posters.append(Poster("poster", dish, instead))
            widgets.append({"id": "poster", "type": "item", "x": 40, **box, "itemId": dish, "insteadItemId": instead})
        else:
            widgets.append({"id": "text", "type": "text", "x": 40, **box, "text": f"Welcome {number}"})
        needs = frozenset[str]()
        if self.random.random() < 0.5:
            name = await self.world.upload(png(number + 1))
            needs = frozenset({name})
            widgets.append(
                {"id": "image", "type": "image", "x": 1800, "y": 900, "width": 60, "height": 60, "asset": name}
            )
        made = await self.world.call(
            "POST", "/scenes", {"name": f"Scene {number}", "widgets": widgets, "transition": CUT}
        )
        all_hours: list[Hours] = []
        while self.random.random() < 0.35:
            hours = self._daypart() if self.random.random() < 0.8 else self._window()
            await self.world.call("POST", f"/scenes/{made['id']}/schedules", _document(hours))
            all_hours.append(hours)
        self.needs[made["id"]] = needs
        self.scenes.append(Scene(made["id"], tuple(menus), tuple(posters), tuple(all_hours)))

    def _daypart(self) -> Hours:
        start = f"{self.random.randint(0, 23):02}:{self.random.choice((0, 15, 30)):02}"
        end = self.random.choice((start, "24:00", f"{self.random.randint(0, 23):02}:{self.random.choice((0, 30)):02}"))
        days = DAYS if self.random.random() < 0.6 else tuple(self.random.sample(DAYS, self.random.randint(1, 6)))
        zone = self.random.choice((None, None, "America/New_York", "Europe/Berlin"))
        today, but_not = self.world.now.date(), tuple[str, ...]()
        if self.random.random() < 0.2:
            but_not = tuple((today + timedelta(days=n)).isoformat() for n in sorted(self.random.sample(range(8), 2)))
        return Hours(start, end, days, zone, priority=self._priority(), but_not=but_not)

    def _priority(self) -> int:
        return self.random.choice((0, 0, 0, 10, 50))

    def _window(self) -> Hours:
        begin = self.world.now.replace(tzinfo=None, second=0, microsecond=0) + timedelta(
            minutes=self.random.randint(-600, 3000)
        )
        end = begin + timedelta(minutes=self.random.randint(5, 3000))
        face = "%Y-%m-%dT%H:%M:%S"
        return Hours(begin.strftime(face), end.strftime(face), window=True, priority=self._priority())

    # What fails

    async def fail_line(self) -> str:
        panel = self._panel()
        if panel is None:
            return ""
        line = self.random.choice((Line.CUT, Line.CUT, Line.MUTE, Line.PORTAL, Line.BROKEN, Line.REFUSED))
        panel.proxy.use(line)
        self._note_lines()
        return f"panel {panel.name}'s line is {line}"

    async def heal_line(self) -> str:
        failed = [panel for panel in self.world.panels if panel.proxy.line is not Line.WHOLE]
        if not self.world.up:
            await self.world.open()
            self._note_lines()
            return "the service is back"
        if not failed:
            return ""
        panel = self.random.choice(failed)
        panel.proxy.use(Line.WHOLE)
        self._note_lines()
        return f"panel {panel.name}'s line is whole"

    async def kill_service(self) -> str:
        if not self.world.up:
            return ""
        await self.world.kill()
        self._note_lines()
        if self.random.random() < 0.5:
            await self.world.open()
            self._note_lines()
            return "the service is killed, and starts again"
        return "the service is killed"

    async def kill_player(self) -> str:
        panel = self._panel()
        if panel is None:
            return ""
        at = self.random.choice((None, 1, 2, 3, 5))
        await panel.kill(at_operation=at)
        return await self._start_again(panel, "is killed" + (f" at write {at} to come" if at else ""))

    async def restart_player(self) -> str:
        panel = self._panel()
        if panel is None:
            return ""
        await panel.stop()
        return await self._start_again(panel, "is stopped")

    async def start_offline(self) -> str:
        panel = self._panel()
        if panel is None:
            return ""
        panel.proxy.use(Line.CUT)
        await panel.kill()
        return await self._start_again(panel, "is killed and has no line")

    async def _start_again(self, panel: Panel, text: str) -> str:
        self._note_lines()
        pause = self.random.choice((0.0, 3.0, self.pace))
        await asyncio.sleep(pause)
        if self.random.random() < 0.15:
            panel.clock.synchronised = False
            self._note_clock(panel)
            text += ", its clock is not synchronised"
        elif not panel.clock.synchronised and self.random.random() < 0.5:
            panel.clock.synchronised, panel.clock.error = True, timedelta()
            self._note_clock(panel)
        await panel.start()
        self.past[panel.name].starts.append(self.world.now)
        self._note_lines()
        return f"panel {panel.name} {text}, and starts {pause:.0f} s later"

    async def break_disk(self) -> str:
        panel = self._panel()
        if panel is None or not self.past[panel.name].disk[-1][1]:
            return ""
        number = self.random.choice((errno.ENOSPC, errno.EIO, errno.EROFS))
        self.world.disks.break_(panel.folder.parent, number)
        self.past[panel.name].disk.append((self.world.now, False))
        return f"panel {panel.name}'s disk: {errno.errorcode[number]}"

    async def mend_disk(self) -> str:
        broken = [panel for panel in self.world.panels if not self.past[panel.name].disk[-1][1]]
        if not broken:
            return ""
        panel = self.random.choice(broken)
        self.world.disks.mend(panel.folder.parent)
        self.past[panel.name].disk.append((self.world.now, True))
        return f"panel {panel.name}'s disk is well"

    async def step_clock(self) -> str:
        panel = self._panel()
        if panel is None:
            return ""
        if panel.clock.error:
            panel.clock.error, panel.clock.synchronised = timedelta(), True
        elif self.random.random() < 0.5:
            panel.clock.error = timedelta(seconds=self.random.choice((-1, 1)) * self.random.randint(2, 300))
        else:
            panel.clock.synchronised = False
            panel.clock.error = timedelta(hours=self.random.choice((-1, 1)) * self.random.randint(1, 200))
        self._note_clock(panel)
        return f"panel {panel.name}'s clock is {panel.clock.error} off, synchronised: {panel.clock.synchronised}"

    async def lose_asset(self) -> str:
        files = [path for path in self.world.asset_files() if path not in self.lost]
        if not files or not self.world.up:
            return ""
        path = self.random.choice(sorted(files))
        content = path.read_bytes()
        name = f"sha256:{_digest(content)}"
        if name not in set().union(*self.needs.values()):
            return ""
        path.unlink()
        self.lost[name] = (path.relative_to(self.world.data), content)
        self._note_lost()
        return f"the service loses {name[:16]}"

    async def find_asset(self) -> str:
        if not self.lost:
            return ""
        name = self.random.choice(sorted(self.lost))
        path, content = self.lost.pop(name)
        (self.world.data / path).write_bytes(content)
        self._note_lost()
        return f"the service finds {name[:16]} again"

    # The truth

    def _panel(self) -> Panel | None:
        return self.random.choice(self.world.panels)

    def _end_what_is_due(self) -> None:
        """The service makes items available again, and stores what was planned, by its own clock."""
        now = self.world.now
        ends = {dish.until for dish in self.dishes if dish.until is not None}
        due = sorted(at for at in {*ends, *(one.at(self.place) for one in self.planned)} if at <= now)
        for at in due if self.world.up else ():
            facts = Facts(self.place, self.dishes, here=tuple(self.here.items()))
            for one in [one for one in self.planned if one.at(self.place) == at]:
                facts = carried_out(one, facts)
                self.planned.remove(one)
            self.here = dict(facts.here)
            self.dishes = tuple(
                replace(dish, sold_out=False, until=None) if dish.until == at else dish for dish in facts.dishes
            )
            for name, past in self.past.items():
                past.facts.append((max(at, past.facts[-1][0]), self._facts(name)))

    def _note_facts(self) -> None:
        for name, past in self.past.items():
            past.facts.append((self.world.now, self._facts(name)))

    def _facts(self, panel: str) -> Facts:
        overrides = tuple(one for one, meant in self.overrides if panel in meant)
        return Facts(self.place, self.dishes, overrides, tuple(self.here.items()), tuple(self.planned))

    def _note_lines(self) -> None:
        for panel in self.world.panels:
            whole = self.world.up and panel.running and panel.proxy.line is Line.WHOLE
            line = self.past[panel.name].line
            if line[-1][1] is not whole:
                line.append((self.world.now, whole))

    def _note_clock(self, panel: Panel) -> None:
        self.past[panel.name].clock.append((self.world.now, panel.clock.error, panel.clock.synchronised))

    def _note_lost(self) -> None:
        for past in self.past.values():
            past.lost.append((self.world.now, frozenset(self.lost)))


def _facts_of(panel: Panel) -> str:
    """The player's own report."""
    state = panel.state
    if state is None:
        return ""
    staged, errors = state.staged, [(each.code, each.subject) for each in state.rejections]
    return (
        f"  the player says: revision {state.revision}, {state.clock}, {state.contact}\n"
        f"    runs {state.running}\n    staged {staged}\n    {errors}\n    its clock is {panel.clock.error} off"
    )


def _instant(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _document(hours: Hours) -> dict[str, Any]:
    more: dict[str, Any] = {} if hours.zone is None else {"timezone": hours.zone}
    if hours.priority:
        more["priority"] = hours.priority
    if hours.window:
        return {"type": "window", "startsAt": hours.start, "endsAt": hours.end, **more}
    if hours.but_not:
        more["except"] = list(hours.but_not)
    days = {} if hours.days == DAYS else {"days": list(hours.days)}
    return {"type": "daypart", "start": hours.start, "end": hours.end, **days, **more}


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()
