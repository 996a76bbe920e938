"""Grids on the glass: cards of one size with pictures, names and prices; pages, offers, sizes, what sells out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Background, GridWidget, SoldOut
from menu.documents.theme import Theme
from menu.text.allergens import LegendLine
from menu.text.wording import Locality
from player.display.layout.card import MOST_LISTED_VARIANTS
from player.display.layout.grid import MOST_CARDS_A_PAGE, lay_out_grid
from player.display.layout.setting import Setting
from player.display.typography.contrast import LEAST_CONTRAST, contrast
from player.display.typography.theme import resolve_theme
from player.display.widgets.grid import monogram
from player.display.widgets.typeset import Fonts
from player.domain.view import MenuListing, MenuRow, SceneView, VariantText
from tests.player.display.conftest import DIRECTION_MARKS, Glass, descendants, object_of, text_top, text_width
from tests.player.display.scenes import ARABIC, GERMAN, LOCALES, listing, price, reads, row, scene, showing
from tests.player.display.widgets.generated import SLACK, examples

PHOTO = "p" * 64
LANDSCAPE, PORTRAIT = Box(x=60, y=60, width=1800, height=960), Box(x=60, y=60, width=960, height=1800)
PANEL = Theme(panel_color="#1E252C")
PRICES = (
    "price",
    "priceInWords",
    "priceWord",
    "saving",
    "regular",
    "variantRegular",
    "variantName",
    "variantPrice",
    "variantOffer",
    "variantStruckName",
    "variantStruck",
)
PARTS = ("cardName", "cardDetails", "tag", "allergens", *PRICES)


def cards(count: int, **more: object) -> list[MenuRow]:
    return [row(f"Dish {number}", image=PHOTO, description="With salad and bread", **more) for number in range(count)]


def grid(
    shown: Sequence[MenuRow] | MenuListing,
    *,
    box: Box = LANDSCAPE,
    locality: Locality = GERMAN,
    seconds: int = 60,
    theme: Theme = PANEL,
    background: Background | None = None,
    scene_id: str = "scn_1",
    **more: object,
) -> SceneView:
    """A scene with one grid of these."""
    widget = GridWidget(id="grid", box=box, theme=theme, **more)  # type: ignore[arg-type]
    size = {"width": 1920, "height": 1080} if box.width > box.height else {"width": 1080, "height": 1920}
    drawn = scene(widget, scene_id=scene_id, background=background or Background(), **size)
    listed = shown if isinstance(shown, MenuListing) else listing(("", shown))
    return showing(drawn, {"grid": listed}, locality=locality, seconds=seconds)


def by_name(glass: Glass) -> dict[str, QQuickItem]:
    return {"".join(glass.texts("cardName", card)).replace("\n", " "): card for card in glass.find("card")}


def rect_of(item: QQuickItem) -> QRectF:
    return QRectF(item.x(), item.y(), item.width(), item.height())


@pytest.fixture(autouse=True)
def photo(glass: Glass, tmp_path: Path) -> None:
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    image.fill(QColor("#20C020"))
    assert image.save(str(tmp_path / PHOTO), "PNG")  # type: ignore[call-overload]
    glass.files[PHOTO] = tmp_path / PHOTO


@pytest.mark.first_case
@pytest.mark.goes_beyond("MAX_COLUMNS")
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 12, 24])
@pytest.mark.parametrize("box", [LANDSCAPE, PORTRAIT], ids=["landscape", "portrait"])
def test_cards_have_one_size_and_stand_in_lines(glass: Glass, box: Box, count: int) -> None:
    glass.show(grid(cards(count), box=box))
    rects = [rect_of(card) for card in glass.find("card")]

    assert len(rects) == count
    assert len({(rect.width(), rect.height()) for rect in rects}) == 1
    assert all(rect.x() >= 0 and rect.right() <= box.width and rect.bottom() <= box.height for rect in rects)
    assert not any(one.intersects(other) for at, one in enumerate(rects) for other in rects[:at])
    assert rects == sorted(rects, key=lambda rect: (rect.y(), rect.x())), "in reading order"
    for name in ("cardName", "price", "picture"):
        places = {(item.parentItem().y(), item.y()) for item in glass.find(name) if item.parentItem() is not None}
        assert len({y for _, y in places}) == 1, f"{name} in one line on all cards"
    [size] = {line.property("font").pixelSize() for line in glass.find("cardName")}
    assert size >= 28
    assert sum(rect.width() * rect.height() for rect in rects) >= 0.6 * box.width * box.height


def test_a_last_line_that_is_not_full_stands_in_the_middle(glass: Glass) -> None:
    glass.show(grid(cards(5), columns=3))
    rects = [rect_of(card) for card in glass.find("card")]
    assert [round(rect.y()) for rect in rects] == [round(rects[0].y())] * 3 + [round(rects[3].y())] * 2
    assert rects[3].left() + rects[4].right() == pytest.approx(LANDSCAPE.width, abs=2)


def test_a_card_has_a_letter_where_others_have_pictures(glass: Glass) -> None:
    glass.show(grid([*cards(2), row("Éclair")]))
    glass.until(lambda: glass.texts("monogram") == ["É"])
    grounds = [QColor(picture.property("color")).alpha() for picture in glass.find("picture")]
    assert (grounds[:2], grounds[2] > 0) == ([0, 0], True), "no ground shows through a picture that is cut out"
    assert len(glass.find("picture")) == 3

    glass.show(grid([row("Éclair"), row("Tart")]))
    assert (glass.find("picture"), glass.find("monogram")) == ([], []), "without any picture there is no place for one"


def test_a_picture_that_cannot_be_drawn_leaves_its_letter_and_is_reported(glass: Glass, tmp_path: Path) -> None:
    damaged = "d" * 64
    (tmp_path / damaged).write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    glass.files[damaged] = tmp_path / damaged
    glass.show(grid([*cards(1), row("Soup", image=damaged)]))
    assert [event.subject for event in glass.undrawable] == ["scn_1/grid/Soup"]
    glass.until(lambda: glass.texts("monogram") == ["S"])


def test_a_scene_waits_for_the_pictures_of_its_cards(glass: Glass) -> None:
    glass.show(grid(cards(3)))
    # On a busy machine the first view may come before its pictures.
    glass.until(lambda: (top := glass.display.stage.top) is not None and top.is_ready)
    centre = rect_of(glass.find("card")[1])
    seen = glass.grab().pixelColor(round((60 + centre.center().x()) / 2), round((60 + centre.top() + 60) / 2))
    assert seen.green() > 150


@pytest.mark.parametrize(("name", "letter"), [("„Éclair“", "É"), ("istanbul", "İ"), ("抹茶", "抹"), ("★", "")])
def test_the_letter_of_a_card_is_the_first_of_its_name(name: str, letter: str) -> None:
    assert monogram(name, "tr-TR" if name.startswith("i") else "de-DE") == letter


def test_more_cards_than_fit_are_on_further_pages(glass: Glass) -> None:
    glass.show(grid(cards(MOST_CARDS_A_PAGE + 2)))
    first = list(by_name(glass))
    assert len(first) == (MOST_CARDS_A_PAGE + 2) // 2, "pages have as many cards as each other"
    assert glass.texts("pageMark") == ["1/2"]

    glass.pass_seconds(31)
    glass.until(lambda: glass.texts("pageMark") == ["2/2"] and not set(first) & set(by_name(glass)))
    assert [*first, *by_name(glass)] == [f"Dish {number}" for number in range(MOST_CARDS_A_PAGE + 2)]


@pytest.mark.first_case
@pytest.mark.parametrize("count", [3, 12, 30, 60, 240])
@pytest.mark.parametrize("box", [LANDSCAPE, PORTRAIT, Box(x=60, y=60, width=1800, height=400)])
def test_no_picture_is_a_slice(glass: Glass, box: Box, count: int) -> None:
    long = "Twelve hours in the oven, with roots, herbs and a great deal of patience"
    glass.show(grid([replace(one, description=long, tags=("vegan",)) for one in cards(count)], box=box))

    pictures = glass.find("picture")
    assert len(pictures) == len(glass.find("card"))
    assert [one for one in pictures if not 0.65 <= one.width() / one.height() <= 1.61] == []


def test_a_grid_too_low_for_pictures_or_with_few_of_them_has_none(glass: Glass) -> None:
    glass.show(grid(cards(12), box=Box(x=60, y=60, width=1800, height=110)))
    assert glass.find("card")
    assert glass.find("picture") == []

    few = [replace(one, image=PHOTO if number < 3 else None) for number, one in enumerate(cards(8))]
    glass.show(grid(few, scene_id="few"))
    glass.settle()
    assert len(glass.find("card")) == 8
    assert glass.find("picture") == []


def test_cards_without_panels_stand_apart(glass: Glass) -> None:
    glass.show(grid(cards(8), box=Box(x=60, y=60, width=1800, height=440), theme=Theme()))

    first, second = glass.find("card")[:2]
    size = QFont(glass.find("cardName")[0].property("font")).pixelSize()
    assert second.x() - first.x() - first.width() >= 1.3 * size


def test_one_long_word_is_hyphenated_and_makes_no_grid_of_one_column(glass: Glass) -> None:
    glass.show(grid(cards(6)))
    usual = {card.width() for card in glass.find("card")}
    long = replace(cards(1)[0], item_id="long", name="Donaudampfschifffahrtsgesellschaftskapitänsfrühstück")
    glass.show(grid([*cards(5), long], scene_id="long"))
    glass.settle()

    assert {card.width() for card in glass.find("card")} == usual
    assert len({QFont(name.property("font")).pixelSize() for name in glass.find("cardName")}) == 1


def test_a_showing_too_short_for_all_pages_is_reported(glass: Glass) -> None:
    glass.show(grid(cards(26), seconds=8))
    assert [event.code for event in glass.undrawable] == ["menu_continues"]


def test_a_card_that_sells_out_leaves_and_the_others_keep_their_size(glass: Glass) -> None:
    view = grid(cards(12))
    glass.show(view)
    before = {name: (card, rect_of(card)) for name, card in by_name(glass).items()}

    glass.show(replace(view, menus={"grid": listing(("", cards(12)[:3] + cards(12)[4:]))}))
    assert "Dish 3" not in by_name(glass)
    glass.until(lambda: by_name(glass)["Dish 4"].x() == before["Dish 3"][1].x())
    assert by_name(glass) == {name: card for name, (card, _) in before.items() if name != "Dish 3"}
    assert {rect_of(card).size().toTuple() for card in by_name(glass).values()} == {
        before["Dish 0"][1].size().toTuple()
    }

    glass.order(view)
    [back] = [card for card in glass.find_all("card") if object_of(card, "entry")["id"] == "Dish 3"]
    assert back.opacity() == 0.0, "it comes once the others have made room"
    glass.until(lambda: back.opacity() == 1.0)
    assert {name: rect_of(card) for name, card in by_name(glass).items()} == {
        name: rect for name, (_, rect) in before.items()
    }


def test_a_card_that_is_marked_stays_faint_with_its_tag_at_full_strength(glass: Glass) -> None:
    shown = cards(4, tags=("vegan",))
    view = grid(shown, sold_out=SoldOut.MARK)
    glass.show(view)
    before = [rect_of(card) for card in glass.find("card")]
    gone = replace(shown[1], sold_out=True)
    glass.show(replace(view, menus={"grid": listing(("", [shown[0], gone, *shown[2:]]))}))

    assert [rect_of(card) for card in glass.find("card")] == before
    card = by_name(glass)["Dish 1"]
    strengths = {tag.childItems()[0].property("text"): tag.opacity() for tag in glass.find("tag", card)}
    assert strengths["AUSVERKAUFT"] == 1.0
    assert strengths["VEGAN"] < 0.5
    [name] = glass.find("cardName", card)
    assert name.opacity() < 0.5


def test_a_new_price_changes_in_place(glass: Glass) -> None:
    shown = cards(4)
    view = grid(shown)
    glass.show(view)
    before = by_name(glass)
    dearer = [replace(shown[0], price=price("14,10 €")), *shown[1:]]
    glass.show(replace(view, menus={"grid": listing(("", dearer))}))
    assert glass.texts("price", before["Dish 0"]) == ["14,10 €"]
    assert by_name(glass) == before
    glass.until(lambda: glass.texts("monogram") == [])


def test_an_offer_strikes_the_regular_price(glass: Glass) -> None:
    glass.show(grid([replace(one, regular="12,40 €") for one in cards(3)]))
    for card in glass.find("card"):
        [now], [before] = glass.find("price", card), glass.find("regular", card)
        [line] = glass.find("strike", card)
        assert (line.x(), line.width()) == pytest.approx((before.x(), text_width(before)), abs=1.5)
        size, baseline = before.property("font").pixelSize(), before.y() + before.baselineOffset()
        assert baseline - 0.5 * size < line.y() < baseline - 0.2 * size
        assert now.x() + text_width(now) <= before.x() or before.y() + before.height() <= now.y() + 10
        assert before.x() + text_width(before) <= card.width()


def test_what_a_price_is_for_stands_beside_it_and_what_a_combo_saves_above(glass: Glass) -> None:
    ham = replace(cards(1)[0], price=replace(price("3,40 €"), before="ab", after="/ 100 g"), saving="Sie sparen 2 €")
    glass.show(grid([ham, *cards(3)[1:]]))
    [cost, other, _] = glass.find("price")
    before, after = glass.find("priceWord")
    [saving] = glass.find("saving")
    assert before.x() < cost.x() < after.x()
    assert saving.y() + saving.baselineOffset() < cost.y() + cost.baselineOffset()
    assert cost.y() == other.y(), "all prices of a line have one baseline"


def test_few_sizes_are_listed_and_of_many_the_lowest_price_is_told(glass: Glass) -> None:
    few = row("Pizza", image=PHOTO, variants=[("S", "8,50 €"), ("M", "10,50 €", True), ("L", "13,00 €")])
    sizes = [(f"{number} cl", f"{number},00 €") for number in range(3, 4 + MOST_LISTED_VARIANTS)]
    many = replace(
        row("Wine", image=PHOTO, variants=sizes),
        lowest=VariantText(name="", price=replace(price("3,00 €"), before="ab"), energy=""),
    )
    glass.show(grid([few, many, row("Bread", image=PHOTO)]))
    shown = by_name(glass)
    assert glass.texts("variantName", shown["Pizza"])[::-1] == ["S", "L"]
    assert glass.texts("variantStruck", shown["Pizza"]) == ["10,50 €"]
    heights = [item.y() for item in glass.find("variantPrice", shown["Pizza"])]
    assert heights == sorted(heights, reverse=True)
    assert (glass.texts("priceWord", shown["Wine"]), glass.texts("price", shown["Wine"])) == (["ab"], ["3,00 €"])
    assert glass.texts("price", shown["Bread"]) == ["3,40 €"]


@pytest.mark.goes_beyond("MOST_DETAIL_LINES")
def test_descriptions_that_have_no_room_are_reported_with_the_items(glass: Glass) -> None:
    wordy = [replace(one, description="Slowly braised in red wine with herbs " * 6) for one in cards(24)]
    glass.show(grid(wordy))
    [fault] = glass.undrawable
    assert (fault.subject, fault.code) == ("scn_1/grid", "grid_cut")
    assert "“Dish 0”" in fault.detail
    assert "21 more items" in fault.detail
    assert len(glass.find("card")) == 24

    glass.show(grid(cards(4)))
    assert "grid_cut" in {code for event in glass.drawn for code in event.codes}


def test_a_grid_has_no_descriptions_rather_than_the_first_words_of_most(glass: Glass) -> None:
    text = "Mature cheddar, pickles and our own sauce in a brioche bun, with fries and coleslaw"
    upright = Box(x=70, y=220, width=940, height=1620)
    glass.show(grid([replace(one, description=text) for one in cards(12)], box=upright, min_text_size=28))
    assert glass.texts("cardDetails") == []
    assert [event.code for event in glass.undrawable] == ["grid_cut"]


def test_a_card_that_is_too_low_for_a_picture_above_its_text_has_it_beside(qapp: QGuiApplication) -> None:
    fonts = Fonts(resolve_theme((), locale="de-DE"), GERMAN)
    setting = Setting(measurers=fonts.measurers, locality=GERMAN, with_panel=True)
    widget = GridWidget(id="grid", box=Box(x=0, y=0, width=1790, height=740), columns=3)
    layout = lay_out_grid(widget, listing(("", cards(6))), setting)

    assert layout.pages == 1
    for card in layout.entries:
        [name] = [run for run in card.runs if run.name == "cardName"]
        assert card.picture is not None
        assert card.picture.box.x + card.picture.box.width < name.x


def test_a_very_long_description_is_cut_and_reported(glass: Glass) -> None:
    glass.show(grid([replace(cards(1)[0], description="Word " * 4_000)]))
    assert glass.texts("cardDetails")
    assert [event.code for event in glass.undrawable] == ["grid_cut"]


def test_the_foot_explains_allergens_and_energies(glass: Glass) -> None:
    listed = replace(
        listing(("", [replace(one, allergens=("A", "G"), energy="420 kcal") for one in cards(4)])),
        legend=(
            LegendLine(mark="A", text="Gluten"),
            LegendLine(mark="G", text="Milch"),
        ),
        legend_title="Allergene:",
        energy_note="Referenzmenge 2 000 kcal",
    )
    glass.show(grid(listed))
    assert all(part in glass.texts("legend")[0] for part in ("Allergene:", "Gluten", "Milch"))
    assert glass.texts("energyNote") == ["Referenzmenge 2 000 kcal"]
    assert all(details.startswith("420 kcal") for details in glass.texts("cardDetails"))
    [rule] = glass.find("legendRule")
    assert max(card.y() + card.height() for card in glass.find("card")) <= rule.y()
    [note], [legend] = glass.find("energyNote"), glass.find("legend")
    assert note.y() + note.height() <= legend.y() + SLACK
    assert legend.y() + legend.height() <= LANDSCAPE.height + SLACK


def test_a_tiny_grid_has_no_foot_and_says_so(glass: Glass) -> None:
    lines = tuple(LegendLine(mark=str(at), text="a long word " * 4) for at in range(30))
    listed = replace(listing(("", cards(1))), legend=lines, legend_title="Allergene:")
    glass.show(grid(listed, box=Box(x=60, y=60, width=400, height=300)))
    assert glass.texts("legend") == []
    assert len(glass.find("card")) == 1
    [fault] = [event for event in glass.undrawable if event.code == "grid_cut"]
    assert "the explanation of its icons, allergens or energies" in fault.detail


def test_many_pictures_in_a_low_grid_with_a_foot_are_on_further_pages(glass: Glass) -> None:
    """In one column, so many cards would have no height at all."""
    lines = tuple(LegendLine(mark=mark, text=f"contains {mark}") for mark in "ABC")
    listed = replace(listing(("", cards(24))), legend=lines, legend_title="Allergene:")
    glass.show(grid(listed, box=Box(x=60, y=60, width=420, height=300), theme=Theme()))
    assert len(glass.find("card")) > 0
    assert glass.texts("legend")


def test_a_right_to_left_board_is_mirrored(glass: Glass) -> None:
    shown = [row(name, "١,٢٥٠", decimals=3, image=PHOTO) for name in ("قهوة عربية", "شاي بالنعناع", "كنافة")]
    glass.show(grid(shown, locality=ARABIC, columns=3))
    lefts = [card.x() for card in glass.find("card")]
    assert lefts == sorted(lefts, reverse=True)
    for card in glass.find("card"):
        [cost] = glass.find("price", card)
        assert cost.x() + cost.width() == pytest.approx(card.width() - glass.find("cardName", card)[0].x(), abs=2)


def test_an_empty_grid_says_so(glass: Glass) -> None:
    glass.show(grid([], empty_text="Bald wieder"))
    assert glass.texts("empty") == ["Bald wieder"]
    assert glass.find("card") == []


@pytest.mark.parametrize(
    ("background", "theme"),
    [
        (Background(), Theme()),
        (Background(color="#FFFFFF"), Theme(text_color="#2B2118", accent_color="#F97316")),
        (Background(color="#101418"), Theme(panel_color="#F0FFFFFF")),
        (Background(color="#777777"), Theme(text_color="#888888", accent_color="#707070")),
    ],
)
def test_every_word_of_a_card_can_be_read(glass: Glass, background: Background, theme: Theme) -> None:
    shown = [replace(one, tags=("new",), allergens=("G",), regular="9,00 €") for one in cards(3)]
    glass.show(grid([replace(one, image=None) for one in shown], background=background, theme=theme))
    [card, *_] = glass.find("card")
    corner = card.mapToScene(QPointF(card.width() - 8, card.height() - 8))
    behind = glass.grab().pixelColor(round(corner.x()), round(corner.y()))
    texts = [item for part in glass.find("card") for item in descendants(part) if item.property("text")]
    colours = {str(item.property("text")): QColor(item.property("color")) for item in texts if item.isVisible()}
    assert {"NEW", "G", "3,40 €", "9,00 €"} <= set(colours)
    assert {
        text: found for text, one in colours.items() if (found := contrast(one, behind)) < LEAST_CONTRAST - 0.1
    } == {}


# -- any grid

VOCABULARIES = st.sampled_from(sorted(LOCALES.values()))


@st.composite
def any_grid(draw: st.DrawFn) -> tuple[SceneView, list[MenuRow]]:
    locale, _, vocabulary = draw(VOCABULARIES)
    word = st.sampled_from(vocabulary.split())
    phrase: Callable[[int], st.SearchStrategy[str]] = lambda most: st.lists(word, min_size=1, max_size=most).map(  # noqa: E731
        " ".join
    )
    found = []
    for number in range(draw(st.sampled_from([1, 2, 3, 5, 7, 12, 24, 31]))):
        more: dict[str, object] = {}
        if draw(st.integers(0, 3)) == 0:
            names = draw(st.lists(phrase(1), min_size=1, max_size=5, unique=True))
            more["variants"] = [(name, f"{at + 2},00 €", at == 1) for at, name in enumerate(names)]
        one = row(
            draw(phrase(draw(st.sampled_from([1, 3, 8])))),
            draw(st.sampled_from(["3,40 €", "12.345,90 €"])),
            item_id=f"item {number}",
            image=draw(st.sampled_from([None, PHOTO])),
            description=draw(st.one_of(st.just(""), phrase(12))),
            tags=tuple(draw(st.lists(phrase(2), max_size=draw(st.sampled_from([1, 3, 12]))))),
            allergens=tuple(draw(st.lists(st.sampled_from("ABCDEFGHLMNOPR"), max_size=6, unique=True))),
            regular=draw(st.sampled_from(["", "", "13,00 €"])) if "variants" not in more else "",
            sold_out=draw(st.integers(0, 5)) == 0,
            **more,
        )
        if one.variants:
            one = replace(one, lowest=VariantText(name="", price=replace(price("2,00 €"), before="ab")))
        else:
            words = {"after": draw(st.sampled_from(["", "", "/ 100 g"])), "in_words": draw(st.integers(0, 5)) == 0}
            one = replace(one, price=replace(one.price, **words), saving=draw(st.sampled_from(["", "Sie sparen 2 €"])))
        found.append(one)
    box = Box(x=40, y=30, width=draw(st.sampled_from([420, 900, 1800])), height=draw(st.sampled_from([300, 620, 1000])))
    locality = Locality(timezone="UTC", locale=locale, right_to_left=locale[:2] in {"ar", "he"})
    theme = draw(st.sampled_from([Theme(), PANEL]))
    widget = GridWidget(id="grid", box=box, theme=theme, sold_out=SoldOut.MARK)
    listed = listing(("", found))
    return showing(scene(widget), {"grid": listed}, locality=locality), found


@examples(8)
@given(case=any_grid())
def test_any_grid_can_be_read(glass: Glass, case: tuple[SceneView, list[MenuRow]]) -> None:
    view, found = case
    view = replace(view, scene=replace(view.scene, id=f"scn_{glass.serial}"))
    glass.events.clear()
    glass.show(view)
    cut = {event.code for event in glass.undrawable} & {"grid_cut"}
    [whole] = glass.find("grid")
    shown = {object_of(card, "entry")["id"]: card for card in glass.find("card")}
    rects = [rect_of(card) for card in shown.values()]
    assert len({rect.size().toTuple() for rect in rects}) == 1
    assert all(rect.left() >= 0 and rect.right() <= whole.width() and rect.top() >= 0 for rect in rects)
    assert not any(one.intersects(other) for at, one in enumerate(rects) for other in rects[:at])
    assert all(rect.bottom() <= whole.height() for rect in rects)
    for one in found:
        card = shown.get(one.item_id)
        if card is None:
            continue
        assert reads(glass.texts("cardName", card)[0], one.name)
        tags = [text.translate(DIRECTION_MARKS) for text in map(tag_text, glass.find("tag", card))]
        boxes = [part_rect(item, card) for part in PARTS for item in glass.find(part, card)]
        if not cut:
            assert len(tags) == len(one.tags) + one.sold_out
            assert bare("".join(glass.texts("cardDetails", card))) == bare(one.description)
            for box in boxes:
                assert -SLACK <= box.left() <= box.right() <= card.width() + SLACK
                assert -SLACK <= box.top() <= box.bottom() <= card.height() + 2 * SLACK
            for at, box in enumerate(boxes):
                for other in boxes[:at]:
                    assert not box.intersects(other.adjusted(SLACK, SLACK, -SLACK, -SLACK))
            for picture in glass.find("picture", card):
                holder = picture.parentItem()
                assert holder is not None
                taken = rect_of(holder)
                assert not [box for box in boxes if taken.intersects(box.adjusted(0, SLACK, 0, -SLACK))]


def tag_text(tag: QQuickItem) -> str:
    return str(tag.childItems()[0].property("text"))


def bare(text: str) -> str:
    return "".join(text.replace("-", "").split())


def part_rect(item: QQuickItem, card: QQuickItem) -> QRectF:
    """Where the ink of a part is, from the card's corner."""
    if item.objectName() in {"tag", "allergens"}:
        return rect_of(item)
    if item.objectName() in PRICES:
        size, baseline = item.property("font").pixelSize(), item.y() + item.baselineOffset()
        return QRectF(item.x(), baseline - 0.75 * size, text_width(item), 0.85 * size)
    width, run = text_width(item), object_of(item, "run")
    left = item.x() + item.width() - width if run["atRight"] else item.x()
    del card
    return QRectF(left, text_top(item), width, item.height())


def test_wide_cards_without_pictures_have_the_price_beside_the_name(glass: Glass) -> None:
    cakes = [row(name, "5,20 €") for name in ("Malakofftorte", "Kardinalschnitte", "Mohn-Marillen-Kuchen")]
    glass.show(grid(cakes, box=PORTRAIT))
    for card in glass.find("card"):
        [name], [price] = glass.find("cardName", card), glass.find("price", card)
        baselines = {round(one.y() + one.baselineOffset()) for one in (name, price)}
        assert max(baselines) - min(baselines) <= 1, "in one line"
        assert price.x() + price.width() == pytest.approx(card.width() - name.x(), abs=2)
        assert name.x() + text_width(name) < price.x()


def test_narrow_cards_without_pictures_have_the_price_at_their_foot(glass: Glass) -> None:
    bowls = [row(f"Buddha-Bowl „Klassik“ {n}", "12,90 €", description="Avocado, Brokkoli, Hirse") for n in range(11)]
    glass.show(grid(bowls, columns=4))
    for card in glass.find("card"):
        [name], [price] = glass.find("cardName", card), glass.find("price", card)
        assert price.y() > name.y() + name.height()
        assert price.x() == pytest.approx(name.x(), abs=3)
