"""Texts and tickers that tell values: they change in place, and leave out what is not known."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Background, TextWidget, TickerWidget
from menu.documents.theme import Theme
from menu.text.live_values import FilledText
from menu.text.wording import Locality
from player.domain.view import SceneView
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, menu, row, scene, showing

TEXT = TextWidget(id="text", box=Box(x=80, y=40, width=1760, height=200), text="Draußen {{temperature}} °C\n{{soup}}")
TICKER = TickerWidget(
    id="ticker", box=Box(x=0, y=980, width=1920, height=100), text="{{temperature}} °C\n{{soup}}", theme=Theme()
)
PLAIN = TickerWidget(id="plain", box=Box(x=0, y=880, width=1920, height=100), text="Immer frisch und mit Liebe " * 99)
"""So long that it does not begin again within a test."""
PANEL = replace(TICKER, theme=Theme(panel_color="#303030"))


def board(text: str, messages: str, *lacking: str, locality: Locality = GERMAN) -> SceneView:
    """A menu with a text and a ticker that say this now."""
    widgets = (menu(box=Box(x=80, y=260, width=1760, height=600)), TEXT, PANEL, PLAIN)
    view = showing(scene(*widgets, background=Background(color="#101418")), locality=locality)
    return replace(
        view,
        menus={"menu": listing(("Suppen", [row("Linsensuppe"), row("Tomatensuppe")]))},
        texts={
            "text": FilledText(text=text, lacking=lacking),
            "ticker": FilledText(text=messages, lacking=lacking),
        },
    )


def run_of(line: QQuickItem) -> float:
    return float(line.property("run"))


def test_a_new_value_changes_the_text_in_place(glass: Glass) -> None:
    glass.show(board("Draußen 21 °C", "21 °C"))
    glass.settle()
    changes, [name, *_] = glass.display.stage.changes, glass.find("name")
    assert glass.texts("text") == ["Draußen 21 °C"]
    [live, plain] = sorted(glass.find("tickerLine"), key=lambda line: -line.parentItem().y())
    glass.until(lambda: run_of(plain) > 10)
    before = run_of(plain)

    glass.show(board("Draußen 9 °C\nHeute: Borschtsch", "9 °C\nHeute: Borschtsch"))
    assert glass.texts("text") == ["Draußen 9 °C\nHeute: Borschtsch"]
    assert set(glass.texts("tickerText", live)) == {"9 °C", "Heute: Borschtsch"}
    # The scene goes on: no transition, the same rows, and the other ticker runs on.
    assert glass.display.stage.changes == changes
    assert glass.find("name")[0] is name
    assert run_of(plain) >= before
    glass.until(lambda: run_of(plain) > before)


def test_what_lacks_its_values_shows_nothing_and_is_reported_until_it_has_them(glass: Glass) -> None:
    glass.show(board("", "", "temperature", "soup"))
    assert not any(glass.texts("text"))
    [gone, there] = sorted(glass.find("ticker"), key=lambda one: -one.y())
    assert glass.texts("tickerText", gone) == []
    assert glass.texts("tickerText", there)
    assert glass.grab().pixelColor(480, 515) == glass.grab().pixelColor(5, 200), "the strip is left out as well"
    assert {(one.code, one.subject.rpartition("/")[2]) for one in glass.undrawable} == {
        ("value_missing", "text"),
        ("value_missing", "ticker"),
    }
    assert glass.undrawable[0].detail == "no current value of “temperature”, “soup”"
    assert not any("value_missing" in one.codes for one in glass.drawn)

    glass.show(board("Draußen 21 °C\nHeute: Borschtsch", "21 °C\nHeute: Borschtsch"))
    taken_back = {one.subject.rpartition("/")[2] for one in glass.drawn if "value_missing" in one.codes}
    assert taken_back == {"text", "ticker"}
    assert glass.texts("text") == ["Draußen 21 °C\nHeute: Borschtsch"]


def test_a_ticker_runs_seamlessly_with_other_messages(glass: Glass) -> None:
    glass.show(board("", "21 °C"))
    glass.settle()
    [line, *_] = sorted(glass.find("tickerLine"), key=lambda one: -one.parentItem().y())
    glass.until(lambda: run_of(line) > 10)
    runs: list[float] = []
    line.runChanged.connect(lambda: runs.append(run_of(line)))
    glass.show(board("", "Heute und morgen und auch übermorgen: Borschtsch mit Schmand und Dill " * 3))
    assert 0 in runs, "begins again: its period is another one"
    glass.until(lambda: run_of(line) > 10)


def test_a_text_that_grows_keeps_to_its_box(glass: Glass) -> None:
    glass.show(board("21 °C", "21 °C", locality=ARABIC))
    said = "الحرارة في الخارج \N{FIRST STRONG ISOLATE}٢١٫٥\N{POP DIRECTIONAL ISOLATE} درجة "
    glass.show(board(said * 2, "٢١", locality=ARABIC))
    [text] = glass.find("text")
    assert text_width(text) <= text.width() + 1
