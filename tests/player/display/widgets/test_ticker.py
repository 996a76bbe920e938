"""Tickers: they run without end, in reading direction, and only while visible."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Background, Span, TickerWidget
from menu.documents.theme import Theme
from menu.text.wording import Locality
from player.display.typography.theme import resolve_theme
from player.display.widgets.ticker import MOST_COPIES, describe_ticker
from player.domain.view import SceneView
from tests.player.display.conftest import Glass, object_of
from tests.player.display.scenes import ARABIC, GERMAN, NOON, scene, showing

BOX = Box(x=0, y=400, width=1920, height=200)


def ticker(text: str = "Soup of the day", *, locality: Locality = GERMAN, **more: object) -> SceneView:
    widget = replace(TickerWidget(id="t", box=BOX, text=text, speed=600), **more)  # type: ignore[arg-type]
    return showing(scene(widget, background=Background(color="#101418")), locality=locality)


def run_of(line: QQuickItem) -> float:
    return float(line.property("run"))


@pytest.mark.parametrize(("locality", "sign"), [(GERMAN, -1), (ARABIC, 1)])
def test_a_ticker_runs_in_reading_direction(glass: Glass, locality: Locality, sign: int) -> None:
    glass.show(ticker(locality=locality))
    [line] = glass.find("tickerLine")

    glass.until(lambda: run_of(line) > 20)

    assert line.x() * sign > 0
    [first, *_] = glass.find("tickerText")
    assert (first.x() > 960) is (sign == 1), "the first message begins at the edge where reading begins"


def test_no_seam_shows_where_the_line_begins_again(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(size=(1920, 1080))
    glass.show(ticker())
    [line] = glass.find("tickerLine")
    [whole] = glass.find("ticker")
    whole.setProperty("running", False)
    views = []
    period = object_of(whole, "ticker")["period"]
    for run in (0.0, period / 2, period):
        line.setProperty("run", run)
        views.append(glass.grab().copy(0, 400, 1920, 200))

    beginning, middle, end = views
    assert beginning == end
    assert beginning != middle


def test_a_ticker_that_is_prepared_does_not_run_yet(glass: Glass) -> None:
    first = showing(scene(scene_id="first"))
    upcoming = replace(ticker(), scene=replace(ticker().scene, id="second"), entry_id="second")
    glass.show(first, upcoming)
    glass.until(lambda: bool(glass.find_all("ticker")))
    [prepared] = glass.find_all("ticker")
    assert prepared.property("running") is False

    glass.show(upcoming)
    assert prepared.property("running") is True


def test_messages_are_separated_by_dots_and_a_short_line_has_few_copies() -> None:
    theme = resolve_theme((Theme(),), locale="de-DE")
    widget = TickerWidget(id="t", box=BOX, text="One\n\n  Two  \n", speed=120)

    long = describe_ticker(widget, theme, GERMAN)
    short = describe_ticker(replace(widget, text="I"), theme, GERMAN)

    assert [message["text"] for message in long["messages"]] == ["One", "Two"]  # type: ignore[union-attr, index]
    assert long["milliseconds"] == round(1000 * float(long["period"]) / 120)  # type: ignore[arg-type]
    assert int(short["copies"]) <= MOST_COPIES  # type: ignore[call-overload]


def test_a_ticker_without_words_is_still(glass: Glass) -> None:
    glass.show(ticker("\n \n"))

    assert glass.texts("tickerText") == []


def over_two_panels(view: SceneView, *, seconds: float = 0.0) -> SceneView:
    """The same on a board of two panels, where it has moved for so many seconds at noon."""
    return replace(view, scene=replace(view.scene, span=Span(panels=2)), counted_from=NOON - timedelta(seconds=seconds))


def place_of(glass: Glass) -> tuple[float, float]:
    """How far the line had moved when it began, and its period."""
    [ticker_item] = glass.find("ticker")
    return float(ticker_item.property("begun")), float(object_of(ticker_item, "ticker")["period"])


def test_a_ticker_over_two_panels_is_where_it_is_on_the_other_one(make_glass: Callable[..., Glass]) -> None:
    text = "\n".join(f"Soup number {number}" for number in range(20))
    early, late, alone = make_glass(), make_glass(wall=NOON + timedelta(seconds=100.5)), make_glass()
    early.show(over_two_panels(ticker(text), seconds=7))
    late.show(over_two_panels(ticker(text), seconds=7))
    alone.show(replace(ticker(text), counted_from=NOON - timedelta(seconds=7)))
    begun, period = place_of(early)
    assert begun == pytest.approx(7 * 600 % period)
    assert place_of(late)[0] == pytest.approx(107.5 * 600 % period)
    assert place_of(alone)[0] == 0
    for glass in (early, late):
        [line] = glass.find("tickerLine")
        start = place_of(glass)[0]
        glass.until(lambda line=line, start=start: run_of(line) > start + 20)  # type: ignore[misc]


def test_a_ticker_over_two_panels_follows_a_correction_of_the_clock(glass: Glass) -> None:
    view = over_two_panels(ticker("Soup " * 200))
    glass.show(view)
    glass.pass_seconds(10)
    assert place_of(glass)[0] == 0, "time that passes corrects nothing"
    glass.show(view, clock_offset=timedelta(seconds=0.05))
    glass.pass_seconds(1)
    assert place_of(glass)[0] == 0, "nobody sees so little"
    glass.show(view, clock_offset=timedelta(seconds=2))
    glass.pass_seconds(1)
    begun, period = place_of(glass)
    assert begun == pytest.approx(13 * 600 % period)


def test_a_line_that_begins_in_its_middle_shows_no_seam_either(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(size=(1920, 1080))
    glass.show(over_two_panels(ticker(), seconds=1000.4))
    [line] = glass.find("tickerLine")
    _, period = place_of(glass)
    views = []
    for run in (period / 2, period + period / 2):
        line.setProperty("run", run)
        views.append(glass.grab().copy(0, 400, 1920, 200))
    assert views[0] == views[1]
