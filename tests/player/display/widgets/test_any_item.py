"""Any item widget can be read: generated items, measured on the glass.

`MENU_EXAMPLES=2000 pytest tests/player/display/widgets/test_any_item.py` looks for longer, and elsewhere each time.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, PriceKind, PriceUnit, SecondCurrency, Variant
from menu.documents.scene import ItemWidget
from menu.documents.theme import PriceCents, Theme
from menu.text.allergens import LETTERS, allergen_names, allergens_title
from menu.text.wording import capitals, locality_of
from player.domain.view import MenuRow
from tests.player.display.conftest import DIRECTION_MARKS, Glass, text_of, text_top, text_width
from tests.player.display.scenes import LOCALES, NOON, reads, scene, showing
from tests.player.display.widgets.generated import SLACK, examples
from tests.player.domain.playing.listed import row_of

FEW = 20
PHOTO = "p" * 64
PARTS = (
    "itemName",
    "itemDetails",
    "price",
    "priceInWords",
    "saving",
    "priceWord",
    "variantName",
    "variantPrice",
    "itemAllergens",
    "tag",
)
BESIDE = ("price", "priceInWords", "priceWord", "saving", "variantPrice")


@dataclass(frozen=True)
class Case:
    location: Location
    item: Item
    saving: str
    widget: ItemWidget


@st.composite
def cases(draw: st.DrawFn) -> Case:
    locale, currency, vocabulary = draw(st.sampled_from(sorted(LOCALES.values())))
    # From the others too: a menu is never in one script alone.
    strange = [word for _, _, text in LOCALES.values() for word in text.split()[:2]]
    word = st.one_of(st.sampled_from(vocabulary.split()), st.sampled_from(vocabulary.split()), st.sampled_from(strange))
    phrase = lambda most: st.lists(word, min_size=1, max_size=most).map(" ".join)  # noqa: E731
    contained = st.one_of(st.sampled_from(list(LETTERS)), st.sampled_from(list(LETTERS)), phrase(2))
    variants = draw(st.one_of(st.just([]), st.lists(phrase(2), max_size=8, unique=True)))
    item = Item(
        id="itm",
        price_kind=PriceKind.EXACT if variants else draw(st.sampled_from(PriceKind)),
        price_unit=None if variants else draw(st.sampled_from([None, None, *PriceUnit])),
        name=draw(phrase(draw(st.sampled_from([2, 4, 14])))),
        category="",
        price=draw(st.sampled_from([Decimal(0), Decimal("3.4"), Decimal("12.90"), Decimal("99999.999")])),
        description=draw(st.one_of(st.none(), phrase(20))),
        tags=tuple(draw(st.lists(phrase(2), max_size=6))),
        allergens=draw(st.one_of(st.just(tuple(LETTERS)), st.lists(contained, max_size=6, unique=True).map(tuple))),
        image=draw(st.sampled_from([None, PHOTO])),
        variants=tuple(Variant(name=name, price=Decimal(number)) for number, name in enumerate(variants)),
    )
    box = Box(
        x=60,
        y=50,
        width=draw(st.sampled_from([240, 500, 900, 1800])),
        height=draw(st.sampled_from([160, 260, 500, 980])),
    )
    theme = draw(st.sampled_from([Theme(), Theme(panel_color="#30FFFFFF")]))
    theme = replace(theme, price_symbol=draw(st.booleans()), price_cents=draw(st.sampled_from(PriceCents)))
    second = draw(st.sampled_from([None, None, SecondCurrency(currency="BGN", rate=Decimal("1.95583"))]))
    location = Location(id="loc", name="", timezone="UTC", currency=currency, locale=locale, second_currency=second)
    saving = draw(st.one_of(st.just(""), phrase(3)))
    return Case(location, item, saving, ItemWidget(id="item", box=box, item_id="itm", theme=theme))


def row_shown(case: Case) -> MenuRow:
    card = Catalogue(revision=1, revision_at=NOON, items={case.item.id: case.item})
    row = row_of(case.widget, card, location=case.location)
    assert row is not None
    return row if row.variants else replace(row, saving=case.saving)


def shown(item: QQuickItem) -> str:
    """The text of a run, or of a tag."""
    text = text_of(item) if item.property("run") is not None else item.childItems()[0].property("text")
    return str(text).translate(DIRECTION_MARKS)


def text_rect(item: QQuickItem, *, mirrored: bool) -> QRectF:
    """The rectangle of a QML item's text, in canvas units from the widget's corner."""
    width = text_width(item)
    if item.objectName() == "tag":
        return QRectF(item.x(), item.y(), item.width(), item.height())
    if item.objectName() in {"price", "priceInWords", "priceWord", "saving"}:
        # A price is one line, as high as the face of its currency sign makes it; its figures stand on the baseline.
        size, baseline = item.property("font").pixelSize(), item.y() + item.baselineOffset()
        return QRectF(item.x(), baseline - 0.8 * size, width, size)
    left = item.x() + item.width() - width if mirrored else item.x()
    if item.objectName().startswith("variant"):
        # Names and prices are one line each.
        size, baseline = item.property("font").pixelSize(), item.y() + item.baselineOffset()
        return QRectF(left, baseline - 0.8 * size, width, 0.9 * size)
    return QRectF(left, text_top(item), width, item.height())


def bare(text: str) -> str:
    """The text without blanks and hyphens."""
    return "".join(text.replace("-", "").split())


@pytest.fixture
def photo(glass: Glass, tmp_path: Path) -> None:
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    image.fill(QColor("#20C020"))
    assert image.save(str(tmp_path / PHOTO), "PNG")  # type: ignore[call-overload]
    glass.files[PHOTO] = tmp_path / PHOTO


@examples(FEW)
@given(case=cases())
def test_any_item_can_be_read(glass: Glass, photo: None, case: Case) -> None:
    del photo
    row, locality = row_shown(case), locality_of(case.location)
    mirrored = locality.right_to_left
    board = scene(case.widget, scene_id=f"scn_{glass.serial}")
    view = replace(showing(board, locality=locality), items={"item": row})
    glass.events.clear()
    glass.show(view)
    reported = {event.code for event in glass.undrawable}
    [whole] = glass.find("item")
    found = {name: glass.find(name, whole) for name in PARTS}
    rects = [(name, text_rect(item, mirrored=mirrored)) for name in PARTS for item in found[name]]

    [name] = found["itemName"]
    assert reads(shown(name), row.name)
    prices = [] if row.variants or not row.price.text else [row.price.text.translate(DIRECTION_MARKS)]
    assert [shown(price) for price in (*found["price"], *found["priceInWords"])] == prices
    assert [shown(one) for one in found["saving"]] == ([row.saving] if row.saving else [])
    assert [shown(word) for word in found["priceWord"]] == [
        word.translate(DIRECTION_MARKS) for word in (row.price.before, row.price.suffix) if word
    ]
    variants = zip(found["variantName"], found["variantPrice"], strict=True)
    told = [(one.name, one.price.text.translate(DIRECTION_MARKS)) for one in row.variants]
    assert [(shown(one), shown(other)) for one, other in variants] == told
    tags = [shown(tag) for tag in found["tag"]]
    tags_wanted = [capitals(tag, case.location.locale) for tag in row.tags]
    assert all(reads(tag, wanted) for tag, wanted in zip(tags, tags_wanted, strict=False))
    if not reported & {"item_too_small", "item_cut"}:
        assert tags == tags_wanted
        described = bare("".join(shown(item) for item in found["itemDetails"]))
        assert described == bare(row.description), "a description is whole, or it is reported"
    if row.description:
        assert all(reads(shown(item), row.description) for item in found["itemDetails"])
    wanted = [allergens_title(case.location.locale), *allergen_names(case.item.allergens, case.location.locale)]
    foot = "".join("".join(shown(item).replace("·", "").split()) for item in found["itemAllergens"])
    if "item_too_small" not in reported:
        assert bare(shown(name)) == bare(row.name), "a name is whole, or it is reported"
        assert foot == ("".join("".join(wanted).split()) if row.allergens else ""), "allergens are all there, in order"
        for part, rect in rects:
            assert -SLACK <= rect.left() <= rect.right() <= whole.width() + SLACK, part
            assert -SLACK <= rect.top() <= rect.bottom() <= whole.height() + 2 * SLACK, part
        for (one, here), (other, there) in itertools.combinations(rects, 2):
            assert not here.intersects(there.adjusted(SLACK, SLACK, -SLACK, -SLACK)), f"{one} runs into {other}"
        for image in glass.find("itemImage", whole):
            taken = QRectF(image.x(), image.y(), image.width(), image.height())
            assert not [part for part, rect in rects if taken.intersects(rect.adjusted(0, SLACK, 0, -SLACK))]
        tops = {part: min(rect.top() for other, rect in rects if other == part) for part, _ in rects}
        down = [tops[part] for part in ("itemName", "itemDetails", "tag", "itemAllergens") if part in tops]
        assert down == sorted(down), "name, description, tags, allergens"
        starts = [(part, rect.right() if mirrored else rect.left()) for part, rect in rects if part not in BESIDE]
        edge = starts[0][1]
        assert {part for part, start in starts if abs(start - edge) <= SLACK} == {part for part, _ in starts}, (
            "all lines begin where reading begins, and the first of the tags and of the variants"
        )

    if row.variants or not row.price.text:
        return
    [price] = *found["price"], *found["priceInWords"]
    width = text_width(price)
    text = row.price.text.translate({ord("9"): "1", ord("٩"): "١", ord("९"): "१"})
    glass.show(replace(view, items={"item": replace(row, price=replace(row.price, text=text))}))
    assert shown(glass.find(price.objectName())[0]) == text.translate(DIRECTION_MARKS)
    assert text_width(glass.find(price.objectName())[0]) <= width + SLACK
    after = [(name, text_rect(item, mirrored=mirrored)) for name in PARTS for item in glass.find(name, whole)]
    priced = ("price", "priceInWords", "priceWord")
    assert [here for here in rects if here[0] not in priced and here not in after] == [], "a new price moves nothing"
