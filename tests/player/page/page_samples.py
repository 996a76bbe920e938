"""Facts of boards as a technician meets them: the page's tests and pictures are made from these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from player.domain import events as ev
from player.domain.findings.diagnosis import diagnose
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.fault import Fault
from player.domain.machine import Display, Machine
from player.domain.pairing.pairing import Code
from player.domain.playing.board import Restored
from player.domain.playing.holdings import holdings
from player.domain.playing.timetable import timetable
from player.domain.state import Device
from player.page.sections.actions import BY_NAME
from player.page.sections.facts import Facts
from player.recent_log import LogLine
from player.runtime.conductor import Conductor
from tests.support.menus import NOON, HandClock, asset, item, manifest, menu_scene

EVIL = "<img src=x onerror=alert(1)>&amp;\"'"
"""Would run in a page that inserts names as HTML."""

DEVICE_ID = "7f3a9c" + "d" * 26
MACHINE = Machine(
    model="Raspberry Pi 4 Model B Rev 1.5",
    system="Debian GNU/Linux 13 (trixie), Linux 6.12.25",
    versions=(("Python", "3.13.5"), ("Qt", "6.8.2")),
    memory_bytes=2 * 10**9,
    disk_bytes=31 * 10**9,
    started_at=NOON - timedelta(days=41, hours=3),
    displays=(Display(name="HDMI-A-1", connected=True, mode="1920x1080"), Display(name="HDMI-A-2", connected=False)),
)
LOG = (
    LogLine(NOON - timedelta(days=1), "INFO", "player.runtime.app", "Menu Player 0.2.0 starts"),
    LogLine(NOON - timedelta(minutes=9), "WARNING", "player.link", "the menu service does not answer"),
    LogLine(
        NOON - timedelta(minutes=8), "INFO", "player.runtime.conductor", "the service answers again after 3 failures"
    ),
)


class Sample:
    """A board with a program, of which the page is made."""

    def __init__(self, *, screen_id: str | None = "scr_1", start: timedelta = timedelta()) -> None:
        self.clock = HandClock(NOON + start)
        self.conductor = Conductor(
            device=Device(
                device_id=DEVICE_ID,
                boot_id="b" * 32,
                app_version="0.2.0",
                service="https://menu.example",
                started_at=self.clock.wall() - timedelta(days=2, hours=5),
            ),
            clock=self.clock,
            restored=Restored(screen_id=screen_id),
            synchronised=True,
            issue=lambda _: None,
            publish=lambda _: None,
        )
        self.conductor.begin()

    def tell(self, event: ev.Event) -> None:
        self.conductor.handle(event)

    def receive(self, **fields: Any) -> None:
        found, body = manifest(**fields)
        self.tell(ev.ManifestArrived(manifest=found, body=body))
        if found.version is not None:
            self.tell(ev.AssetsVerified(key=found.version.key))
        self.beat()

    def beat(self, name: str = "Counter left") -> None:
        now = self.clock.monotonic()
        self.tell(
            ev.HeartbeatAnswered(
                server_time=self.clock.wall(), sent=now, received=now, screen_name=name, settings=ev.LinkSettings()
            )
        )
        self.tell(ev.ServiceAnswered(call="heartbeat"))

    def healthy(self) -> None:
        self.tell(ev.AddressesRead(addresses=("192.168.178.34",), pages=("http://192.168.178.34:8085/",)))
        self.tell(
            ev.HealthRead(
                health=ev.Health(
                    temperature_celsius=61.4,
                    disk_free_bytes=24 * 10**9,
                    memory_available_bytes=1_240_000_000,
                    throttled=False,
                )
            )
        )

    def facts(self, **fields: Any) -> Facts:
        board = self.conductor.board
        state = self.conductor.state
        made: Mapping[str, Any] = {
            "state": state,
            "monotonic": self.clock.monotonic(),
            "timetable": timetable(board.playback, state.at) if board.playback else None,
            "items": tuple(board.catalogue.items.values()) if board.catalogue else (),
            "holdings": holdings(board),
            "machine": MACHINE,
            "log": LOG,
            "csrf": "c" * 32,
            "actions": frozenset(BY_NAME),
        }
        return Facts(**{**made, **fields})


def with_state(facts: Facts, **fields: Any) -> Facts:
    """The facts with another state, diagnosed."""
    state = replace(facts.state, **fields)
    return replace(facts, state=replace(state, findings=diagnose(state)))


def part(start: str, end: str, *days: str) -> dict[str, Any]:
    """A daypart."""
    return {"type": "daypart", "start": start, "end": end} | ({"days": list(days)} if days else {})


def connection(fault: Fault | None = None, at_step: Step = Step.SERVICE, evidence: str = "") -> ConnectionTest:
    """A test that fails at a step, or none."""
    seen = {
        Step.LINK: "Cable at eth0, 1000 Mbit/s",
        Step.ADDRESS: "192.168.178.34",
        Step.ROUTE: "through 192.168.178.1",
        Step.NAME: "menu.example is 203.0.113.8",
        Step.TLS: "certificate good until 3 March 2027",
    }
    steps = []
    failed = False
    for number, step in enumerate(Step):
        if failed or step is Step.PROXY:
            steps.append(StepResult(step=step, passed=None))
        elif fault is not None and step is at_step:
            failed = True
            steps.append(StepResult(step=step, passed=False, milliseconds=5004, fault=fault, evidence=evidence))
        else:
            steps.append(StepResult(step=step, passed=True, milliseconds=1.2 + number * 7, evidence=seen.get(step, "")))
    return ConnectionTest(at=NOON - timedelta(minutes=4), steps=tuple(steps))


def small() -> Facts:
    """Three items, three scenes, nothing wrong."""
    sample = Sample()
    scenes = [
        menu_scene("Breakfast", "Coffee", schedules=[part("06:00", "11:00")]),
        menu_scene("Coffee", "Coffee", image="beans"),
        menu_scene("Lunch", "Lunch", schedules=[part("11:30", "14:30", "mon", "tue", "wed", "thu", "fri")]),
    ]
    items = [
        item("Espresso", 2.2),
        item("Flat white", 3.8, sold_out=True),
        item("Soup of the day", 6.5, category="Lunch"),
    ]
    sample.receive(scenes=scenes, items=items, images=["beans"])
    sample.healthy()
    facts = sample.facts()
    return with_state(facts, connection=connection())


def large() -> Facts:
    """Sixty items in three scripts, long names, markup, and several things wrong at once."""
    sample = Sample()
    names = [
        "قهوة عربية بالهيل والزعفران",
        "宫保鸡丁配茉莉香米饭",
        EVIL,
        "Grandmother’s slow-roasted shoulder of lamb with rosemary, new potatoes and a jus of roasted garlic and thyme",
        "Donaudampfschifffahrtsgesellschaftskapitänsfrühstücksteller",
    ]
    names += [f"Dish number {number}" for number in range(60 - len(names))]
    items = [
        {**item(name, 2.5 + number, sold_out=number % 9 == 4), "id": f"itm_{number}"}
        for number, name in enumerate(names)
    ]
    scenes = [
        menu_scene("All day", "Coffee", image="beans"),
        menu_scene("早餐菜单", "Coffee", schedules=[part("06:00", "11:00"), part("15:00", "17:00")]),
        menu_scene(EVIL, "Coffee", schedules=[part("22:00", "02:00")]),
        menu_scene("قائمة العشاء الرمضانية", "Nothing"),
        menu_scene(
            "Weekend brunch with live music and a glass of sparkling wine",
            "Coffee",
            schedules=[part("10:00", "15:00", "sat", "sun")],
        ),
    ]
    sample.receive(scenes=scenes, items=items, images=["beans"], timezone="Asia/Shanghai")
    sample.receive(scenes=scenes[:2], items=items, images=["beans", "cup"], version=2, timezone="Asia/Shanghai")
    digest = asset("cup")[0]
    key = sample.conductor.board.staged.key if sample.conductor.board.staged else None
    if key is not None:
        sample.tell(ev.AssetsMissing(key=key, reasons={digest: "fetched to 40 %, 3 MB of 7 MB"}, remaining=1))
    sample.beat("مطعم الزاوية – Corner Café 街角咖啡馆, second counter on the left behind the entrance")
    failed = ev.ServiceFailed(call="manifest", fault=Fault.NO_CONNECTION, detail="the name menu.example is not known")
    sample.tell(failed)
    sample.clock.pass_(200)
    sample.tell(failed)
    sample.tell(
        ev.HealthRead(
            health=ev.Health(
                temperature_celsius=84.0,
                disk_free_bytes=120 * 10**6,
                memory_available_bytes=900 * 10**6,
                throttled=True,
            )
        )
    )
    log = (
        *LOG,
        *(
            LogLine(NOON, "ERROR" if number % 7 == 0 else "INFO", "player", f"{EVIL} number {number}\nsecond line")
            for number in range(4, 60)
        ),
    )
    facts = sample.facts(log=log)
    test = connection(Fault.NAME_UNKNOWN, Step.NAME, "192.168.178.1 answers that menu.example does not exist")
    return with_state(facts, connection=test)


def unpaired() -> Facts:
    """A code on the screen."""
    sample = Sample(screen_id=None)
    sample.tell(
        ev.PairingChanged(
            code=Code(
                device_code="secret",
                user_code="WDJ-BMJ",
                verification_uri="https://menu.example/pair",
                verification_uri_complete="https://menu.example/pair?code=WDJBMJ",
                interval=5.0,
                good_until=sample.clock.monotonic() + 900,
            )
        )
    )
    return sample.facts(machine=Machine(), log=(), csrf="")


SAMPLES: Mapping[str, Callable[[], Facts]] = {"small": small, "large": large, "unpaired": unpaired}
