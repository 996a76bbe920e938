"""Rotated panels and panels with overscan, and every transition on them, pixel by pixel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QColor, QImage

from menu.documents.box import Box
from menu.documents.scene import (
    Background,
    CountdownWidget,
    GridWidget,
    ItemWidget,
    QrWidget,
    ShapeKind,
    ShapeWidget,
    TickerWidget,
    Transition,
    TransitionKind,
)
from menu.documents.scene_reader import MAX_WIDGETS
from menu.text.wording import Locality
from player.display.window.panel import Panel
from player.display.window.screenshot import Screenshot
from player.domain.view import HouseCard, Identity, PairingCard, SceneView, View
from tests.player.display.conftest import Glass
from tests.player.display.scenes import ARABIC, GERMAN, listing, row, scene, showing

RED, GREEN, BLUE = "#C02020", "#20C020", "#2020C0"
ROTATIONS = (0, 90, 180, 270)
MOST_WATCHED = 20
"""Transitions."""
MILLISECONDS = 200
NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)


def colored(
    color: str, name: str, *, kind: TransitionKind = TransitionKind.CUT, locality: Locality = GERMAN
) -> SceneView:
    transition = Transition(kind=kind, milliseconds=MILLISECONDS)
    shown = scene(scene_id=name, background=Background(color=color), transition=transition)
    return showing(shown, entry=name, locality=locality)


def marked(width: int = 1920, height: int = 1080) -> SceneView:
    """A different colour in each corner, so that no two rotations look alike."""
    right, low = width - 200, height - 200
    corners = [(0, 0, RED), (right, 0, GREEN), (0, low, BLUE), (right, low, "#FFFFFF")]
    widgets = [
        ShapeWidget(id=color, box=Box(x=x, y=y, width=200, height=200), shape=ShapeKind.RECTANGLE, color=color)
        for x, y, color in corners
    ]
    return showing(scene(*widgets, background=Background(color="#404040"), width=width, height=height))


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("size", [(960, 540), (541, 961)])
def test_the_view_is_rotated_whole(make_glass: Callable[..., Glass], rotation: int, size: tuple[int, int]) -> None:
    upright = size if rotation % 180 == 0 else (size[1], size[0])
    expected = make_glass(size=upright)
    expected.show(marked(*upright))

    rotated = make_glass(size=size, panel=Panel(rotation=rotation))
    rotated.show(marked(*upright))

    assert rotated.seen() == expected.grab()


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_a_picture_for_people_elsewhere_is_upright(make_glass: Callable[..., Glass], rotation: int) -> None:
    glass = make_glass(panel=Panel(rotation=rotation))
    glass.show(marked())
    taken: list[Screenshot] = []
    taken.append(glass.display.screenshot())
    glass.until(lambda: bool(taken))
    whole, small = QImage.fromData(taken[0].png()), QImage.fromData(taken[0].jpeg(480))
    seen = glass.seen()
    assert whole == seen.convertToFormat(whole.format())
    assert max(small.width(), small.height()) == 480
    assert (small.width() > small.height()) is (seen.width() > seen.height())
    assert small.pixelColor(5, 5).name() == seen.pixelColor(10, 10).name()


def test_the_location_s_rotation_applies_unless_the_device_has_its_own(make_glass: Callable[..., Glass]) -> None:
    from_location, own = make_glass(), make_glass(panel=Panel(rotation=0))
    for glass in (from_location, own):
        glass.show(marked(), rotation=90)
    assert from_location.display.stage.property("rotation") == 90
    assert own.display.stage.property("rotation") == 0

    # A change at the location shows at once, on the view that is there.
    from_location.show(marked(), rotation=180)
    assert from_location.grab().pixelColor(10, 10) == QColor("#FFFFFF")


VIEWS: list[tuple[View, str]] = [
    (
        PairingCard(user_code="WDJBMJ", verification_uri="https://menu.example.com/pair", good_until=1900.0),
        "codeLetter",
    ),
    (HouseCard(location_name="Corner Café", locality=GERMAN, reason="Nothing is scheduled"), "houseName"),
    (marked(), "shape"),
]


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize(("view", "part"), VIEWS, ids=["pairing", "house", "scene"])
def test_every_view_and_the_banner_keep_off_an_edge_that_the_frame_hides(
    make_glass: Callable[..., Glass], rotation: int, view: View, part: str
) -> None:
    glass = make_glass(panel=Panel(rotation=rotation, overscan=10))
    glass.show(view, identify=Identity(name="Window, left", short_id="7F3A9C"))
    safe = QRectF(96, 54, 768, 432).adjusted(-1, -1, 1, 1)

    items = [*glass.find(part), *glass.find("banner")]
    assert len(items) >= 2
    for item in items:
        assert safe.contains(item.mapRectToScene(item.boundingRect())), item.objectName()


def test_the_service_s_margin_and_rotation_show_at_once_and_give_way_to_the_device_s(
    make_glass: Callable[..., Glass],
) -> None:
    glass, own = make_glass(), make_glass(panel=Panel(rotation=0, overscan=5))
    for each in (glass, own):
        each.show(marked())
        each.show(marked(), rotation=180, overscan=10)
    assert turned_and_shrunk(glass) == (180, 10)
    assert turned_and_shrunk(own) == (0, 5)
    for shape in glass.find("shape"):
        assert QRectF(95, 53, 770, 434).contains(shape.mapRectToScene(shape.boundingRect()))
    glass.show(marked())
    assert turned_and_shrunk(glass) == (0, 0)


def turned_and_shrunk(glass: Glass) -> tuple[object, object]:
    stage = glass.display.stage
    return stage.property("rotation"), stage.property("overscan")


def test_a_margin_takes_the_background_of_the_scene(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(panel=Panel(overscan=5))
    glass.show(colored(BLUE, "blue"))

    assert {glass.grab().pixelColor(*at).name().upper() for at in ((0, 0), (5, 535), (959, 539), (480, 270))} == {BLUE}


def frames(glass: Glass) -> Iterator[QImage]:
    """The pixels after each turn of the event loop until the transition has ended."""
    glass.until(lambda: glass.moving)
    while glass.moving:
        QCoreApplication.processEvents()
        yield glass.seen()


def row_of(image: QImage) -> list[str]:
    """Colours along the middle, from left to right."""
    y = image.height() // 2
    return [image.pixelColor(x, y).name().upper() for x in range(2, image.width(), 16)]


@pytest.mark.first_case
@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["left to right", "right to left"])
def test_a_slide_goes_in_reading_direction(make_glass: Callable[..., Glass], rotation: int, locality: Locality) -> None:
    glass = make_glass(size=(480, 270), panel=Panel(rotation=rotation))
    between = 0
    for _ in range(MOST_WATCHED):  # a busy machine may draw no frame of one
        glass.show(colored(RED, "red", locality=locality))
        glass.order(colored(GREEN, "green", kind=TransitionKind.SLIDE, locality=locality))
        shares = []

        for image in frames(glass):
            row = row_of(image)
            green = row.count(GREEN)
            shares.append(green)
            assert set(row) <= {RED, GREEN}
            # A slide comes from the end of the reading direction.
            ordered = row[::-1] if locality is GERMAN else row
            assert ordered == [GREEN] * green + [RED] * (len(row) - green)

        assert shares == sorted(shares)
        assert set(row_of(glass.seen())) == {GREEN}
        between = sum(0 < share < len(row_of(glass.seen())) for share in shares)
        if between:
            break
    assert between, "no frame between the two was seen"


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_a_fade_and_a_cut_leave_no_hole(make_glass: Callable[..., Glass], rotation: int) -> None:
    glass = make_glass(size=(480, 270), panel=Panel(rotation=rotation))
    glass.show(colored(RED, "red"))
    glass.order(colored(GREEN, "green", kind=TransitionKind.FADE))
    seen = []
    for image in frames(glass):
        colors = {QColor(name).getRgb()[:3] for name in row_of(image)}
        assert len(colors) == 1, "the whole view fades alike"
        [(red, green, blue)] = colors
        assert red + green == pytest.approx(0xE0, abs=6)
        assert blue == pytest.approx(0x20, abs=4)
        seen.append(green)
    assert seen == sorted(seen)

    glass.show(colored(BLUE, "blue", kind=TransitionKind.CUT))
    assert set(row_of(glass.seen())) == {BLUE}
    assert len(glass.find("host")) == 1


def test_a_slide_takes_its_letterbox_along(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(size=(480, 480))
    glass.show(colored(RED, "red"))
    green = colored(GREEN, "green", kind=TransitionKind.SLIDE)
    glass.order(replace(green, scene=replace(green.scene, height=200)))

    for image in frames(glass):
        tops = [image.pixelColor(x, 3).name() for x in range(2, 480, 16)]
        assert tops == [image.pixelColor(x, 240).name() for x in range(2, 480, 16)]


def test_a_widget_that_sticks_out_is_cut_off_at_the_edge_of_the_canvas(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(size=(960, 800))
    wide = ShapeWidget(
        id="s", box=Box(x=-30_000, y=-30_000, width=32_000, height=32_000), shape=ShapeKind.RECTANGLE, color=RED
    )
    glass.show(showing(scene(wide, background=Background(color=BLUE))))
    image = glass.grab()

    assert [image.pixelColor(480, y).name().upper() for y in (50, 400, 750)] == [BLUE, RED, BLUE]


@pytest.mark.long
@pytest.mark.goes_beyond("MOST_GRIDS", "MOST_CODES")
def test_as_many_widgets_as_a_scene_may_have_are_drawn(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass()
    boxes = [Box(x=index % 25 * 76, y=index // 25 * 54, width=76, height=54) for index in range(MAX_WIDGETS)]
    kinds = (
        lambda n, box: ShapeWidget(id=f"{n}", box=box, shape=ShapeKind.RECTANGLE, color=GREEN, radius=32_768),
        lambda n, box: TickerWidget(id=f"{n}", box=box, text="x" * 5_000),
        lambda n, box: QrWidget(id=f"{n}", box=box, data="x" * 1_000, caption="y" * 200),
        lambda n, box: ItemWidget(id=f"{n}", box=box, item_id="soup"),
        lambda n, box: GridWidget(id=f"{n}", box=box),
        lambda n, box: CountdownWidget(id=f"{n}", box=box, ends_at=NEW_YEAR, text="x" * 194 + "{time}"),
    )
    widgets = [kinds[number % len(kinds)](number, box) for number, box in enumerate(boxes)]
    view = showing(scene(*widgets, background=Background(color=BLUE)))
    grids = {w.id: listing(("", [row("Soup")])) for w in widgets if isinstance(w, GridWidget)}
    shown = replace(view, menus=grids, items={w.id: row("Soup") for w in widgets if isinstance(w, ItemWidget)})

    glass.show(shown)

    assert glass.grab().pixelColor(19, 13).name().upper() == GREEN
    assert {event.code for event in glass.undrawable} == {
        "qr_too_small",
        "qr_too_many",
        "text_too_long",
        "countdown_too_many",
        "grid_too_many",
    }
