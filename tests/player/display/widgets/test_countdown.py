"""Countdown widgets: what they count, that nothing jumps, and that they never show a wrong number."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Align, CountdownWidget
from menu.text.wording import Locality
from player.display.widgets.countdown import MOST_COUNTDOWNS
from player.domain.view import SceneView
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, NOON, scene, showing

BOX = Box(x=100, y=100, width=1200, height=200)
PERSIAN = Locality(timezone="Asia/Tehran", locale="fa-IR", right_to_left=True)
SPACE = "\N{NO-BREAK SPACE}"


def countdown(left: timedelta = timedelta(hours=1, minutes=20), **more: object) -> CountdownWidget:
    given = {"id": "left", "box": BOX, "text": "Happy hour ends in {time}", "ends_at": NOON + left, **more}
    return CountdownWidget(**given)  # type: ignore[arg-type]


def view_of(*widgets: CountdownWidget, locality: Locality = GERMAN) -> SceneView:
    return showing(scene(*widgets), locality=locality)


def words(glass: Glass) -> QQuickItem:
    return glass.find("countdown")[0]


def reads(glass: Glass) -> str:
    return " ".join(glass.texts("countdown"))


def test_it_counts_every_second_to_its_end_and_shows_a_text_there(glass: Glass) -> None:
    glass.show(view_of(countdown(timedelta(seconds=62), end_text="Happy hour is over")))

    assert reads(glass) == "Happy hour ends in 01:02"
    glass.pass_seconds(2)
    assert reads(glass) == "Happy hour ends in 01:00"
    glass.pass_seconds(59)
    assert reads(glass) == "Happy hour ends in 00:01"
    glass.pass_seconds(1)
    assert reads(glass) == "Happy hour is over"
    glass.pass_seconds(100_000)
    assert reads(glass) == "Happy hour is over"


def test_without_a_text_for_its_end_nothing_is_left(glass: Glass) -> None:
    glass.show(view_of(countdown(timedelta(seconds=1))))
    glass.pass_seconds(1)

    assert reads(glass) == ""


def test_it_counts_the_hours_of_a_day_in_the_location_s_zone(glass: Glass) -> None:
    daily = countdown(ends_at=None, start=13 * 60, end=14 * 60, end_text="Tomorrow again")
    glass.show(view_of(daily))

    assert reads(glass) == "Happy hour ends in 01:00:00", "it is 13:00 in Berlin"
    glass.pass_seconds(3600)
    assert reads(glass) == "Tomorrow again"
    glass.pass_seconds(22.5 * 3600)
    assert reads(glass) == "Tomorrow again"
    glass.pass_seconds(1800)
    assert reads(glass) == "Happy hour ends in 01:00:00"


def test_without_seconds_its_text_changes_once_a_minute(glass: Glass) -> None:
    glass.show(view_of(countdown(timedelta(minutes=2), show_seconds=False)))
    seen = []
    for _ in range(121):
        seen.append(reads(glass).removeprefix("Happy hour ends in "))
        glass.pass_seconds(1)

    assert seen == ["00:02"] * 60 + ["00:01"] * 60 + [""]


def test_it_follows_a_correction_of_the_clock_at_once(glass: Glass) -> None:
    shown = view_of(countdown(timedelta(minutes=10), end_text="Over"))
    glass.show(shown)

    glass.show(shown, clock_offset=timedelta(minutes=5))
    assert reads(glass) == "Happy hour ends in 05:00"
    glass.show(shown, clock_offset=timedelta(minutes=15))
    assert reads(glass) == "Over"
    glass.show(shown, clock_offset=timedelta(hours=-1))
    assert reads(glass) == "Happy hour ends in 01:10:00"


@pytest.mark.parametrize("end_text", ["Until seven", None])
def test_with_an_unknown_clock_it_shows_no_number(glass: Glass, end_text: str | None) -> None:
    known = view_of(countdown(end_text=end_text))
    unknown = replace(known, clock_known=False)
    glass.show(unknown)
    assert reads(glass) == (end_text or "")
    glass.pass_seconds(1)
    assert reads(glass) == (end_text or "")

    glass.show(known)
    assert reads(glass) == "Happy hour ends in 01:19:59"
    glass.show(unknown)
    assert reads(glass) == (end_text or "")


@pytest.mark.parametrize("align", list(Align))
def test_nothing_moves_while_it_counts_a_minute(glass: Glass, align: Align) -> None:
    glass.show(view_of(countdown(timedelta(hours=1, seconds=-1), text="Noch {time}", align=align)))
    [line] = words(glass).childItems()
    places = []
    for _ in range(60):
        places.append((line.x(), line.y(), text_width(line)))
        glass.pass_seconds(1)

    for place in places:
        assert place == pytest.approx(places[0], abs=1.0)


@pytest.mark.parametrize(("locality", "text"), [(ARABIC, "تنتهي خلال {time}"), (PERSIAN, "{time} تا پایان")])
def test_figures_of_other_widths_keep_their_size_and_line(glass: Glass, locality: Locality, text: str) -> None:
    glass.show(view_of(countdown(timedelta(hours=1, seconds=-1), text=text), locality=locality))
    [line] = words(glass).childItems()
    places = set()
    for _ in range(60):
        places.add((line.y(), line.property("font").pixelSize()))
        glass.pass_seconds(1)

    assert len(places) == 1


def test_its_size_is_the_same_before_and_in_its_last_hour(glass: Glass) -> None:
    glass.show(view_of(countdown(timedelta(hours=1, seconds=1))))
    before = words(glass).property("font").pixelSize()
    glass.pass_seconds(2)

    assert reads(glass).endswith("59:59")
    assert words(glass).property("font").pixelSize() == before


def test_days_are_named(glass: Glass) -> None:
    glass.show(view_of(countdown(timedelta(days=3, hours=4), text="{time}")))

    assert reads(glass) == f"3{SPACE}Tage{SPACE}04:00:00"


def test_it_changes_only_when_its_text_does(glass: Glass) -> None:
    glass.show(view_of(countdown(timedelta(hours=2), show_seconds=False)))
    changes: list[None] = []
    [model] = glass.display.stage.top.property("widgets")  # type: ignore[union-attr]
    model.changed.connect(lambda: changes.append(None))
    for _ in range(180):
        glass.pass_seconds(1)

    assert len(changes) == 3


def test_of_a_scene_so_many_countdowns_count(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass()
    widgets = [countdown(id=f"{n}", box=Box(x=0, y=20 * n, width=400, height=20)) for n in range(MOST_COUNTDOWNS + 1)]
    glass.show(view_of(*widgets))

    assert len(glass.find("countdown")) == MOST_COUNTDOWNS
    assert [(event.subject, event.code) for event in glass.undrawable] == [
        (f"scn_1/{MOST_COUNTDOWNS}", "countdown_too_many")
    ]


@pytest.mark.long
def test_one_that_counts_for_a_day_keeps_no_more_than_one_that_counts_for_a_minute(glass: Glass) -> None:
    glass.show(view_of(countdown(timedelta(days=2))))

    def count(seconds: int) -> int:
        for _ in range(seconds):
            glass.pass_seconds(30)
            QCoreApplication.processEvents()
        gc.collect()
        return sys.getallocatedblocks()

    after_a_while = count(200)
    assert count(1000) - after_a_while < 1000
