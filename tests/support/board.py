"""A conductor on a clock set by hand, with what it asked for and what it published."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from menu.documents.manifest import LinkSettings
from player.domain import actions as act
from player.domain import events as ev
from player.domain.pairing.pairing import Code, Refusal
from player.domain.panel.panel import ScreenDisplay
from player.domain.playing.board import Restored
from player.domain.state import Device, PlayerState
from player.domain.view import HouseCard, PairingCard, PairingNotice, SceneView, Strip
from player.runtime.conductor import Conductor
from tests.support.menus import NOON, HandClock, entry, item, manifest, menu_scene

COFFEE = menu_scene("coffee", "Coffee")


LUNCH = menu_scene("lunch", "Lunch")


ITEMS = (item("Flat white", 3.4), item("Espresso", 2.2), item("Soup", 6.5, category="Lunch"))


PAIRED = Restored(screen_id="scr_1")
WAITING = menu_scene("new", "Coffee", image="hero")
DAY = timedelta(days=1)


class Board:
    """A conductor, with what it asked for and what it published."""

    def __init__(
        self,
        restored: Restored = PAIRED,
        clock: HandClock | None = None,
        *,
        synchronised: bool = False,
        locale: str = "en",
        own_display: ScreenDisplay | None = None,
        loaded_in: float = 0.0,
    ) -> None:
        self.clock = clock or HandClock()
        self.actions: list[act.Action] = []
        self.published: list[PlayerState] = []
        self.spent = 0
        self.conductor = Conductor(
            device=Device(
                device_id="d" * 32,
                boot_id="boot",
                app_version="0",
                service="https://menu.example",
                started_at=self.clock.wall(),
            ),
            clock=self.clock,
            restored=restored,
            synchronised=synchronised,
            locale=locale,
            own_display=own_display or ScreenDisplay(),
            loaded_in=loaded_in,
            issue=self.actions.append,
            publish=self.published.append,
        )
        self.conductor.begin()

    def tell(self, event: ev.Event) -> None:
        self.conductor.handle(event)

    def trust_the_clock(self) -> Board:
        self.tell(ev.ClockChecked(synchronised=True, stepped=False))
        return self

    def receive(self, *, fetched: bool = True, **fields: Any) -> None:
        """A manifest arrives, and its assets with it unless the test says otherwise."""
        found, body = manifest(**fields)
        self.tell(ev.ManifestArrived(manifest=found, body=body))
        if fetched and found.version is not None and found.version.entries:
            self.tell(ev.AssetsVerified(key=found.version.key))

    def pass_(self, seconds: float) -> None:
        """Time passes; every wake-up that was asked for on the way comes."""
        end = self.clock.wall() + timedelta(seconds=seconds)
        while (due := self.woken_at()) is not None and due <= end:
            self.clock.pass_((due - self.clock.wall()).total_seconds())
            self.spent = len(self.actions)
            self.tell(ev.TimePassed())
        self.clock.pass_((end - self.clock.wall()).total_seconds())

    def woken_at(self) -> datetime | None:
        """The wake-up that is still to come, by the system's clock; one that has come is spent."""
        asked = [action for action in self.actions[self.spent :] if isinstance(action, act.WakeAt)]
        return asked[-1].instant - asked[-1].clock_offset if asked else None

    def swap(self) -> None:
        """The frame of the newest order reaches the glass."""
        self.tell(ev.FramePresented(serial=self.orders()[-1].order.serial, at=self.clock.monotonic()))

    def orders(self) -> list[act.Show]:
        return [action for action in self.actions if isinstance(action, act.Show)]

    def asked(self, kind: type[Any]) -> list[Any]:
        return [action for action in self.actions if isinstance(action, kind)]

    @property
    def state(self) -> PlayerState:
        return self.conductor.state

    @property
    def notice(self) -> PairingNotice | None:
        """The banner that asks to pair the board again."""
        return self.orders()[-1].order.notice

    @property
    def glass(self) -> str:
        """The glass in a guest's words."""
        match self.orders()[-1].order.view:
            case SceneView() as view:
                rows = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
                names = ", ".join(row.name for row in rows)
                return f"v{view.key.version} {view.scene.name}: {names}"
            case HouseCard() as card:
                return f"house: {card.reason}"
            case PairingCard(is_paired=True) as card:
                return f"paired: {card.paired_as}"
            case PairingCard() as card:
                return f"pairing: {card.user_code}"

    @property
    def prices(self) -> dict[str, str]:
        """The prices on the glass, by name."""
        view = self.orders()[-1].order.view
        assert isinstance(view, SceneView)
        rows = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
        return {row.name: row.price.text for row in rows}


def codes(state: PlayerState) -> list[str]:
    return [rejection.code for rejection in state.rejections]


REFUSED = ev.PairingChanged(screen_id="scr_1", refusal=Refusal.UNKNOWN)
ACCEPTED = ev.PairingChanged(screen_id="scr_1")


def new_screen(screen_id: str, *, forgets: bool = True, **more: str) -> ev.PairingChanged:
    """The device becomes this screen."""
    return ev.PairingChanged(screen_id=screen_id, is_new=True, forgets=forgets, **more)


CODE = Code(
    device_code="x",
    user_code="WDJ-BMJ",
    verification_uri="https://menu.example/pair",
    verification_uri_complete="https://menu.example/pair?code=WDJBMJ",
    interval=5.0,
    good_until=900.0,
)


def playing_board() -> Board:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.glass == PLAYS
    assert board.notice is None
    return board


PLAYS = "v1 coffee: Flat white, Espresso"


THREE = [menu_scene(name, category) for name, category in (("a", "Coffee"), ("b", "Lunch"), ("c", "Coffee"))]


SIXTY = [entry("a", 10), entry("b", 20), entry("c", 30)]
"""A loop of a minute, whose scenes are told apart by their length."""


def scene_of(board: Board) -> str:
    return board.glass.removeprefix("v").split(":")[0]


def seen_for(board: Board, seconds: float, *, step: float = 0.5) -> list[tuple[str, float]]:
    """The scenes on the glass in that time, and for how long each."""
    seen: list[tuple[str, float]] = []
    for _ in range(round(seconds / step)):
        scene = scene_of(board)
        if seen and seen[-1][0] == scene:
            seen[-1] = (scene, seen[-1][1] + step)
        else:
            seen.append((scene, step))
        board.pass_(step)
    return seen


def showing(board: Board) -> tuple[str | None, datetime | None]:
    return board.state.showing.entry_id, board.state.showing.since


ONE = NOON + timedelta(hours=1)


def sold_out_until(until: datetime | None) -> list[dict[str, Any]]:
    return [item("Flat white", sold_out=True, until=until), *ITEMS[1:]]


def lacking(board: Board) -> frozenset[str]:
    """The files that the scene on the glass is drawn without."""
    view = board.orders()[-1].order.view
    assert isinstance(view, SceneView)
    return view.lacking


def scheduled_and_free() -> dict[str, Any]:
    noon = {"type": "daypart", "start": "11:00", "end": "15:00", "timezone": "location"}
    return {
        "scenes": [COFFEE, LUNCH],
        "entries": [entry("lunch", schedule=noon), entry("coffee")],
        "items": ITEMS,
    }


def answer(clock: HandClock, *, server_time: datetime, **fields: Any) -> ev.HeartbeatAnswered:
    return ev.HeartbeatAnswered(
        **{
            "server_time": server_time,
            "sent": clock.monotonic(),
            "received": clock.monotonic(),
            "screen_name": "Counter left",
            "settings": LinkSettings(),
            **fields,
        }
    )


def strip_of(board: Board) -> Strip | None:
    return board.orders()[-1].order.strip


def commanded(board: Board, *types: str) -> None:
    """The service sends commands, `c0` and so on."""
    given = tuple(ev.Command(id=f"c{number}", type=kind) for number, kind in enumerate(types))
    board.tell(answer(board.clock, server_time=board.clock.wall(), commands=given))


def results(board: Board) -> list[tuple[str, str, str]]:
    return [(one.id, one.outcome.value, one.detail) for one in board.state.results]


def look(board: Board, **more: Any) -> None:
    """The display shows its signs of life."""
    board.tell(ev.DisplayChecked(**{"turned_at": board.clock.monotonic(), **more}))


def look_for(board: Board, seconds: float, **more: Any) -> None:
    """So it is looked at, once a second."""
    for _ in range(round(seconds)):
        board.clock.pass_(1)
        look(board, **more)
