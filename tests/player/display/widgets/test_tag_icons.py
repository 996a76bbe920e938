"""Icons of tags on the glass: drawn in the theme's colour, wrapped, explained at the foot, mirrored."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QColor, QImage
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Background, GridWidget
from menu.documents.theme import Theme
from menu.text.allergens import LegendLine
from menu.text.tags import ICONS
from menu.text.wording import Locality
from player.display.media.tag_icons import MOST_PIXELS, VEGETARIAN_MARK, tag_icon, tag_icon_named
from player.display.typography.contrast import LEAST_CONTRAST, contrast
from player.domain.view import MenuListing, SceneView
from tests.player.display.conftest import Glass, object_of, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, one_menu, row, scene, showing

TWELVE = ICONS[:12]
ROWS = [
    row("Curry", "9,80 €", icons=("vegan", "spicy3"), tags=("hausgemacht",), allergens=("A", "G")),
    row("Soup", "4,50 €", icons=("new",)),
    row("Everything", "14,50 €", icons=TWELVE, description="With bread"),
    row("Plain", "1,20 €"),
]


def listed(rows: list[object] | None = None) -> MenuListing:
    shown = ROWS if rows is None else rows
    legend = (LegendLine(mark="A", text="Gluten"),)
    icons = tuple(LegendLine(mark=icon, text=icon.replace("_", " ")) for icon in TWELVE)
    return replace(listing(("Food", shown)), icons=icons, legend=legend, legend_title="Allergene:")  # type: ignore[list-item]


def board(kind: str, *, locality: Locality = GERMAN, box: Box | None = None, **more: object) -> SceneView:
    if kind == "menu":
        return one_menu(listed(), locality=locality, **({"box": box} if box else {}), **more)
    widget = GridWidget(id="grid", box=box or Box(x=60, y=60, width=1800, height=960), tag_icons=True)
    return showing(scene(widget, **more), {"grid": listed()}, locality=locality)


def icons_in(glass: Glass, part: QQuickItem) -> list[str]:
    return [str(object_of(icon, "badge")["icon"]) for icon in glass.find("icon", part)]


@pytest.mark.parametrize("icon", [*ICONS, VEGETARIAN_MARK])
def test_every_icon_is_drawn_whole_on_its_grid(icon: str) -> None:
    image = tag_icon(icon, "ff102030", 48)
    assert image.height() == 48
    assert image.width() == (100 if icon == "spicy3" else 74 if icon == "spicy2" else 48)
    inked = [(x, y) for x in range(image.width()) for y in range(48) if image.pixelColor(x, y).alpha() > 128]
    assert 0.06 <= len(inked) / (48 * image.width()) <= 0.5
    assert all(0 < x < image.width() - 1 and 0 < y < 47 for x, y in inked), "with its lines' ends"
    assert {image.pixelColor(*spot).name() for spot in inked if image.pixelColor(*spot).alpha() == 255} == {"#102030"}


def test_a_huge_icon_is_drawn_smaller_and_enlarged() -> None:
    image = tag_icon_named("vegan/ff102030/90000")
    assert image.height() == MOST_PIXELS


@pytest.mark.parametrize("kind", ["menu", "grid"])
@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_icons_stand_with_the_tags_and_wrap(glass: Glass, kind: str, locality: Locality) -> None:
    glass.show(board(kind, locality=locality, box=Box(x=60, y=60, width=460 if kind == "menu" else 1800, height=960)))
    parts = glass.find("row" if kind == "menu" else "card")
    name = "name" if kind == "menu" else "cardName"
    found = {glass.texts(name, part)[0]: part for part in parts}
    assert icons_in(glass, found["Curry"]) == ["vegan", "spicy3"]
    assert icons_in(glass, found["Everything"]) == list(TWELVE)
    for part in found.values():
        badges = [*glass.find("icon", part), *glass.find("tag", part), *glass.find("allergens", part)]
        boxes = [(one.x(), one.y(), one.x() + one.width(), one.y() + one.height()) for one in badges]
        assert all(left >= -1 and right <= part.width() + 1 for left, _, right, _ in boxes)
        assert all(bottom <= part.height() + 3 for *_, bottom in boxes)
        for at, one in enumerate(boxes):
            for other in boxes[:at]:
                assert (
                    one[2] <= other[0] + 1 or other[2] <= one[0] + 1 or one[3] <= other[1] + 1 or other[3] <= one[1] + 1
                )
    heights = {icon.height() for icon in glass.find("icon")}
    assert min(heights) >= 30, "as large as a name's letters"
    assert not glass.undrawable


def legend_icons(glass: Glass) -> list[QQuickItem]:
    """The icons at the foot of the list."""
    icons = [(icon, icon.parentItem()) for icon in glass.find("tagIcon")]
    return [icon for icon, parent in icons if parent is not None and parent.objectName() in {"menu", "grid"}]


@pytest.mark.parametrize("kind", ["menu", "grid"])
@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_the_foot_explains_the_icons_within_the_columns(glass: Glass, kind: str, locality: Locality) -> None:
    glass.show(board(kind, locality=locality))
    [whole] = glass.find(kind)
    assert glass.texts("iconMeaning") == [icon.replace("_", " ") for icon in TWELVE]
    [rule], [legend] = glass.find("legendRule"), glass.find("legend")
    lines = []
    for icon, text in zip(legend_icons(glass), glass.find("iconMeaning"), strict=True):
        left, right = sorted((icon, text), key=lambda one: one.x())
        assert (left is text) is locality.right_to_left
        assert left.x() + (left.width() if left is icon else text_width(text)) <= right.x()
        ends = (rule.x() - 1, rule.x() + rule.width() + 1)
        assert ends[0] <= left.x()
        assert right.x() + (right.width() if right is icon else text_width(text)) <= ends[1]
        assert rule.y() <= icon.y()
        assert icon.y() + icon.height() <= legend.y() + legend.height()
        lines.append(icon.y())
    assert legend.y() + legend.height() <= whole.height() + 2
    assert max(lines) < legend.y() + legend.property("baselineOffset")


def test_a_tiny_menu_drops_the_explanation_and_says_so(glass: Glass) -> None:
    glass.show(board("menu", box=Box(x=60, y=60, width=420, height=130)))
    assert glass.find("iconMeaning") == legend_icons(glass) == []
    assert glass.find("row")
    [fault] = [event for event in glass.undrawable if event.code == "menu_cut"]
    assert "the explanation of its icons" in fault.detail


@pytest.mark.parametrize(
    ("background", "theme"),
    [
        (Background(), Theme()),
        (Background(color="#FFFFFF"), Theme(text_color="#2B2118", accent_color="#F97316")),
        (Background(color="#101418"), Theme(panel_color="#F0FFFFFF")),
    ],
)
def test_icons_can_be_told_from_what_is_behind_them(glass: Glass, background: Background, theme: Theme) -> None:
    glass.show(board("menu", background=background, theme=theme))
    picture = glass.grab()
    [menu] = glass.find("menu")
    behind = picture.pixelColor(round((menu.x() + menu.width() / 2) / 2), round((menu.y() + menu.height() - 8) / 2))
    inks = {QColor(icon.property("ink")).name() for icon in glass.find("tagIcon")}
    assert len(inks) == 3, "those of leaves and of chillies, and the accent's"
    assert min(contrast(QColor(ink), behind) for ink in inks) >= LEAST_CONTRAST - 0.1


def test_leaves_are_green_and_chillies_red_but_on_a_picture_all_have_the_accent_s_colour(glass: Glass) -> None:
    glass.show(board("menu", background=Background(color="#FFFFFF"), theme=Theme(text_color="#222222")))
    inks = {icon.property("icon"): QColor(icon.property("ink")) for icon in glass.find("tagIcon")}
    assert inks["vegan"].green() > max(inks["vegan"].red(), inks["vegan"].blue())
    assert inks["spicy3"].red() > 2 * max(inks["spicy3"].green(), inks["spicy3"].blue())
    assert inks["new"] == inks["special"] not in (inks["vegan"], inks["spicy3"])

    glass.show(board("menu", background=Background(asset="a" * 64)))
    assert len({QColor(icon.property("ink")).name() for icon in glass.find("tagIcon")}) == 1


@pytest.mark.parametrize(
    ("locale", "drawn"), [("hi-IN", "vegetarian_mark"), ("en-IN", "vegetarian_mark"), ("en-GB", "vegetarian")]
)
def test_what_is_vegetarian_has_india_s_mark_in_india(glass: Glass, locale: str, drawn: str) -> None:
    place = Locality(timezone="Asia/Kolkata", locale=locale)
    listed_rows = listing(("Food", [row("Dal", "₹60", icons=("vegetarian",))]))
    glass.show(one_menu(listed_rows, locality=place))
    [icon] = glass.find("tagIcon")
    assert icon.property("icon") == drawn


def test_an_icon_is_drawn_for_the_pixels_on_which_it_lies(glass: Glass) -> None:
    glass.show(board("menu"))
    icon = glass.find("tagIcon")[0]
    assert str(icon.property("source").toString()).endswith(f"/{round(icon.height() / 2)}"), "half a pixel a unit"
    spot = icon.mapToScene(icon.boundingRect().topLeft())
    shot: QImage = glass.grab().copy(
        round(spot.x()), round(spot.y()), round(icon.width() / 2), round(icon.height() / 2)
    )
    colours = {shot.pixelColor(x, y).name() for x in range(shot.width()) for y in range(shot.height())}
    assert len(colours) > 3, "something is drawn there"


def test_icons_of_a_sold_out_item_are_faint(glass: Glass) -> None:
    gone = replace(ROWS[0], sold_out=True)
    glass.show(one_menu(listed([gone, *ROWS[1:]])))
    [part] = [part for part in glass.find("row") if glass.texts("name", part) == ["Curry"]]
    assert all(icon.opacity() < 0.5 for icon in glass.find("icon", part))
