"""Values that the operator's own programs keep current, in texts: told until they expire."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, LiveValue, Location
from menu.documents.scene import ClockWidget, MenuWidget, TextWidget, TickerWidget, Widget
from menu.text.languages import speech_of
from menu.text.live_values import filled
from player.domain.playing.board import Board, bring_back, next_back
from player.domain.playing.playback import Playback, play, view_at
from player.domain.view import HouseCard, SceneView
from tests.menu.rules.versions import entry, utc, version

NOON = utc("2026-11-20T12:00")
BERLIN = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
BOX = Box(x=0, y=0, width=900, height=100)
TEXT = TextWidget(id="text", box=BOX, text="Draußen {{temperature}} °C\nHeute: {{ soup }}")


def catalogue(**values: str | Decimal | tuple[str | Decimal, datetime]) -> Catalogue:
    """Values that expire at one, or when they say."""
    told = {
        name: LiveValue(value=value[0], expires_at=value[1])
        if isinstance(value, tuple)
        else LiveValue(value=value, expires_at=NOON + timedelta(hours=1))
        for name, value in values.items()
    }
    return Catalogue(revision=1, revision_at=NOON, values=told)


def board(*widgets: Widget, values: Catalogue, scene_id: str = "weather") -> Board:
    one, scene = entry(scene_id, 10)
    made = version((one, replace(scene, widgets=widgets)))
    playback = play(made, location=BERLIN, catalogue=values, missing={})
    return Board(playback=playback, location=BERLIN, catalogue=values)


def playing(board: Board) -> Playback:
    assert board.playback is not None
    return board.playback


def told(board: Board, now: datetime, *, clock_known: bool = True) -> Mapping[str, str]:
    """The texts on the board."""
    view = view_at(playing(board), now, schedules_trusted=clock_known)
    assert isinstance(view, SceneView)
    return {widget: text.text for widget, text in view.texts.items()}


def test_a_value_is_told_until_it_expires_without_the_service() -> None:
    values = catalogue(temperature=Decimal("21.5"), soup=("Linsensuppe", NOON + timedelta(minutes=30)))
    weather = board(TEXT, ClockWidget(id="clock", box=BOX), values=values)
    weather = bring_back(weather, NOON)
    assert told(weather, NOON) == {"text": "Draußen 21,5 °C\nHeute: Linsensuppe"}
    assert next_back(weather) == NOON + timedelta(minutes=30)

    weather = bring_back(weather, NOON + timedelta(minutes=30))
    assert told(weather, NOON + timedelta(minutes=30)) == {"text": "Draußen 21,5 °C"}
    assert next_back(weather) == NOON + timedelta(hours=1)


def test_a_clock_that_is_set_back_tells_it_again() -> None:
    weather = bring_back(board(TEXT, values=catalogue(soup="Linsensuppe")), NOON + timedelta(hours=2))
    assert isinstance(view_at(playing(weather), NOON, schedules_trusted=True), HouseCard)
    weather = bring_back(weather, NOON)
    assert told(weather, NOON) == {"text": "Heute: Linsensuppe"}


def test_nothing_is_told_while_the_time_is_not_known() -> None:
    values = catalogue(temperature=Decimal(21), soup="Linsensuppe")
    # As after a start without a network: nobody knows how old they are.
    menu = MenuWidget(id="menu", box=BOX)
    with_menu = board(TEXT, menu, values=values)
    alone = board(TEXT, values=values)
    assert playing(with_menu).catalogue.values["soup"].current is None
    assert isinstance(view_at(playing(alone), NOON, schedules_trusted=False), HouseCard)
    # Once it was known, and no longer is.
    assert told(bring_back(alone, NOON), NOON, clock_known=False) == {"text": ""}


@pytest.mark.parametrize(
    ("locale", "value", "said"),
    [
        ("de-DE", Decimal("-1234.5"), "\N{MINUS SIGN}1.234,5"),
        ("en-US", Decimal("0.30000000000000004"), "0.3"),
        ("ar-EG", Decimal("21.5"), "\N{FIRST STRONG ISOLATE}٢١٫٥\N{POP DIRECTIONAL ISOLATE}"),
        ("en-GB", Decimal("1e-999"), "0"),
        ("ja-JP", "晴れ", "晴れ"),
        ("en-GB", "21 °C {{soup}}", "21 °C {{soup}}"),
    ],
)
def test_numbers_are_written_as_the_location_does(locale: str, value: str | Decimal, said: str) -> None:
    values = catalogue(it=value).as_of(NOON)
    speech = speech_of((), values, replace(BERLIN, locale=locale))
    assert filled("{{it}}", values, speech).text == said


def test_texts_and_values_are_words_that_can_be_translated() -> None:
    words = {"sonnig": {"en": "sunny"}, "Draußen {{temperature}}°, {{sky}}": {"en": "{{temperature}}° and {{sky}}"}}
    values = replace(catalogue(temperature=Decimal(21), sky="sonnig").as_of(NOON), words=words)
    text = TextWidget(id="text", box=BOX, text="Draußen {{temperature}}°, {{sky}}")
    one, scene = entry("weather", 10)
    made = version((one, replace(scene, widgets=(text,), languages=("en",))))
    playback = play(made, location=BERLIN, catalogue=values, missing={})
    view = view_at(playback, NOON, schedules_trusted=True)
    assert isinstance(view, SceneView)
    assert view.texts["text"].text == "21° and sunny"


def test_a_line_without_its_value_is_left_out_and_named() -> None:
    values = catalogue(temperature=Decimal(21)).as_of(NOON)
    text = "Heute\n{{temperature}} °C, {{wind}} km/h\n{{temperature}} °C\n{{rain}}"
    found = filled(text, values, speech_of((), values, BERLIN))
    assert (found.text, found.lacking) == ("Heute\n21 °C", ("wind", "rain"))
    assert filled("{{not a name}} {{ }} { temperature }", values, speech_of((), values, BERLIN)).lacking == ()


@pytest.mark.parametrize(
    ("beside", "passed_over"),
    [
        ([], True),
        ([TextWidget(id="title", box=BOX, text="Das Wetter"), ClockWidget(id="clock", box=BOX)], True),
        ([MenuWidget(id="menu", box=BOX)], True),  # It is empty.
        ([TickerWidget(id="more", box=BOX, text="Immer frisch\n{{rain}}")], False),
        ([TickerWidget(id="more", box=BOX, text="{{temperature}} °C")], False),
    ],
)
def test_a_scene_that_is_there_for_its_values_is_passed_over_without_them(
    beside: list[Widget], *, passed_over: bool
) -> None:
    soup = TextWidget(id="text", box=BOX, text="{{soup}}")
    weather = bring_back(board(soup, *beside, values=catalogue(temperature=Decimal(21))), NOON)
    view = view_at(playing(weather), NOON, schedules_trusted=True)
    assert isinstance(view, HouseCard) is passed_over
