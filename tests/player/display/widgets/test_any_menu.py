"""Any menu can be read: generated menus, measured on the glass.

`MENU_EXAMPLES=2000 pytest tests/player/display/widgets/test_any_menu.py` looks for longer, and elsewhere each time.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.manifest import (
    Catalogue,
    Item,
    Location,
    Modifier,
    Offer,
    Part,
    PartChoice,
    PriceKind,
    PriceUnit,
    SecondCurrency,
    Translation,
    Variant,
)
from menu.documents.scene import MenuWidget, SoldOut
from menu.documents.theme import PriceCents, Theme
from menu.text.allergens import LETTERS
from menu.text.languages import speech_of
from menu.text.wording import capitals, joined, locality_of, sold_out_text
from player.display.layout.sizes import FEATURED_SIZE
from player.domain.view import MenuListing, MenuRow
from tests.player.display.conftest import DIRECTION_MARKS, Glass, descendants, object_of, text_of, text_top, text_width
from tests.player.display.scenes import LOCALES, NOON, reads, scene, showing
from tests.player.display.widgets.generated import EXAMPLES, SLACK, examples
from tests.player.domain.playing.listed import listing

FEW, MOST_ITEMS = 8, 300 if EXAMPLES else 80


KNOWN_TAGS = ["vegan", "spicy", "sehr scharf", "sin gluten", "nouveau", "حلال"]
NO_WORDS = {"price_kind": PriceKind.EXACT, "price_unit": None}
"""Prices of an item with variants."""


@dataclass(frozen=True, repr=False)
class Case:
    location: Location
    items: tuple[Item, ...]
    widget: MenuWidget
    upright: bool
    seconds: int
    second: str
    """A second language, or nothing."""

    def __repr__(self) -> str:
        # Hypothesis refuses to print three hundred items.
        shown = f"{self.widget}, upright={self.upright}, second={self.second!r}"
        return f"Case({self.location}, {len(self.items)} of {self.items[:2]}, {shown})"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    locale, currency, vocabulary = draw(st.sampled_from(sorted(LOCALES.values())))
    words = vocabulary.split()
    # From the others too: a menu is never in one script alone.
    strange = [word for _, _, text in LOCALES.values() for word in text.split()[:2]]
    word = st.one_of(st.sampled_from(words), st.sampled_from(words), st.sampled_from(strange))
    phrase = lambda most: st.lists(word, min_size=1, max_size=most).map(" ".join)  # noqa: E731
    price = st.decimals(0, 99_999, places=None, allow_nan=False, allow_infinity=False).map(
        lambda value: min(abs(value), Decimal(99_999)).quantize(Decimal("1e-10"))
    )
    prices = st.one_of(price, st.sampled_from([Decimal(0), Decimal("3.4"), Decimal("12.90"), Decimal("0.0000000001")]))
    some = st.sampled_from([False, False, False, True])
    # Most do not hold: their price is another.
    offers = st.sampled_from([None, None, Offer(price=Decimal("3.4"), regular=Decimal("44.4"))])
    energies = st.sampled_from([None, None, 0, 720, 1240])
    delta = st.decimals(-999, 999, places=2, allow_nan=False)
    few_or = lambda most: st.sampled_from([3, 3, most])  # noqa: E731
    categories = draw(st.lists(phrase(3), min_size=1, max_size=8, unique=True))
    # Sizes as most items of a shop have them, and those of some that are alone with theirs.
    sizes = st.one_of(st.just(()), st.sampled_from([("S", "M", "L"), ("S", "L"), ("0,3 l", "0,5 l")]))
    variants = st.one_of(sizes, st.lists(phrase(3), max_size=4, unique=True))
    second = draw(st.sampled_from(["", "", *(one for one, _, _ in LOCALES.values() if one[:2] != locale[:2])]))
    told = st.builds(Translation, language=st.just(second), name=phrase(4), description=st.one_of(st.none(), phrase(8)))
    item = st.builds(
        dict,
        translations=st.sampled_from([(), *([draw(st.tuples(told))] if second else [])]),
        energy=energies,
        variants=variants.flatmap(
            lambda names: st.tuples(
                *(
                    st.builds(
                        Variant, name=st.just(name), price=prices, eighty_sixed=some, energy=energies, offer=offers
                    )
                    for name in names
                )
            )
        ),
        # Of the first item, so often that something is saved.
        parts=st.sampled_from([(), (), (Part(choices=(PartChoice(item_id="itm_0"),), quantity=99),)]),
        name=phrase(draw(st.sampled_from([2, 4, 14]))),
        category=st.sampled_from(categories),
        price=prices,
        offer=offers,
        price_kind=st.sampled_from([PriceKind.EXACT, PriceKind.EXACT, *PriceKind]),
        price_unit=st.sampled_from([None, None, None, None, *PriceUnit]),
        modifiers=st.lists(st.builds(Modifier, name=phrase(2), price_delta=delta), max_size=draw(few_or(20))).map(
            tuple
        ),
        description=st.one_of(st.none(), phrase(20)),
        tags=st.lists(st.one_of(phrase(2), st.sampled_from(KNOWN_TAGS)), max_size=draw(few_or(12))).map(tuple),
        allergens=st.lists(st.sampled_from(list(LETTERS)), max_size=5, unique=True).map(tuple),
        eighty_sixed=st.sampled_from([False, False, False, True]),
        featured=some,
    )
    count = draw(st.one_of(st.integers(1, 6), st.integers(1, MOST_ITEMS)))
    kinds = draw(st.lists(item, min_size=1, max_size=min(count, 12)))
    items = tuple(
        Item(id=f"itm_{number}", sort_index=number, **(kind if not kind["variants"] else {**kind, **NO_WORDS}))
        for number, kind in zip(range(count), itertools.cycle(kinds), strict=False)
    )
    upright = draw(st.booleans())
    width, height = (1080.0, 1920.0) if upright else (1920.0, 1080.0)
    widget = MenuWidget(
        id="menu",
        box=Box(
            x=60,
            y=50,
            width=draw(st.sampled_from([0.3, 0.5, 0.9])) * width,
            height=draw(st.sampled_from([0.5, 0.9])) * height,
        ),
        title=draw(st.one_of(st.none(), phrase(6))),
        columns=draw(st.sampled_from([None, None, 1, 2, 3])),
        group_by_category=draw(st.booleans()),
        leader=draw(st.booleans()),
        tag_icons=draw(st.booleans()),
        sold_out=draw(st.sampled_from(SoldOut)),
        theme=Theme(price_symbol=draw(st.booleans()), price_cents=draw(st.sampled_from(PriceCents))),
    )
    lev = SecondCurrency(currency="BGN", rate=Decimal("1.95583"))
    location = Location(
        id="loc",
        name="",
        timezone="UTC",
        currency=currency,
        locale=locale,
        second_currency=draw(st.sampled_from([None, None, lev])),
    )
    return Case(location, items, widget, upright, draw(st.sampled_from([5, 30, 300])), second)


@dataclass(frozen=True)
class Row:
    """One row on the glass, in canvas units from the widget's corner."""

    item_id: str
    name: str
    price: str
    page: int
    left: float
    right: float
    top: float
    bottom: float
    name_edge: float
    price_edge: float
    price_ends: tuple[float, float]
    separator: float
    sizes: frozenset[int]
    second: str
    second_bottom: float
    details: str
    details_size: int
    tags: tuple[str, ...]
    icons: int
    lowest_tag: float
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Cell:
    """A price of a variant, or its name in a line, in canvas units from the widget's corner."""

    kind: str
    text: str
    left: float
    right: float
    baseline: float
    separator: float


def cells_of(item: QQuickItem, decimals: dict[str, int]) -> tuple[Cell, ...]:
    found = []
    for child in descendants(item):
        if child.objectName() not in PRICE_PARTS:
            continue
        text, left = str(child.property("text")), item.x() + child.x()
        at = decimals.get(text)
        cursor = _cursor(child, at, mirrored=False) if at is not None else 0.0
        found.append(
            Cell(
                kind=child.objectName(),
                text=text.translate(DIRECTION_MARKS),
                left=left,
                right=left + text_width(child),
                baseline=item.y() + child.y() + child.baselineOffset(),
                separator=left + cursor,
            )
        )
    return tuple(found)


def rows_of(glass: Glass, case: Case, listed: MenuListing) -> list[Row]:
    """The rows of all pages; of a long list only some pages exist at a time."""
    count = sum(len(section.rows) for section in listed.sections)
    found = {row.item_id: row for row in rows_built(glass, case, listed)}
    [menu] = glass.find("menu")
    # The menu is alone on its board, so it goes round.
    for _ in range(count):
        if len(found) >= count:
            break
        page = menu.property("list").property("pageText")
        while menu.property("list").property("pageText") == page:
            glass.pass_seconds(4)
        glass.pass_seconds(1)
        found |= {row.item_id: row for row in rows_built(glass, case, listed)}
    return list(found.values())


def rows_built(glass: Glass, case: Case, listed: MenuListing) -> list[Row]:
    decimals = {
        price.text: price.decimal_at
        for section in listed.sections
        for row in section.rows
        for price in (row.price, *(variant.price for variant in row.variants))
    }
    mirrored = locality_of(case.location).right_to_left
    found = []
    [menu] = glass.find("menu")
    before = int(str(menu.property("list").property("pageText")).partition("/")[0]) - menu.property("list").property(
        "page"
    )
    for item in descendants(menu):
        if item.objectName() != "row":
            continue
        parts = {child.objectName(): child for child in descendants(item)}
        name, price = parts["name"], parts.get("price")
        # A market price has no amount, and those of variants stand elsewhere.
        edge = 0.0 if mirrored else item.width()
        details = next((child for child in descendants(item) if child.objectName() == "details"), None)
        second, more = (
            next((child for child in descendants(item) if child.objectName() == part), None)
            for part in ("second", "secondDetails")
        )
        tags = [child for child in descendants(item) if child.objectName() == "tag"]
        icons = [child for child in descendants(item) if child.objectName() == "icon"]
        entry = object_of(item, "entry")
        found.append(
            Row(
                item_id=entry["id"],
                name=text_of(name).translate(DIRECTION_MARKS),
                price=text_of(price) if price else "",
                page=before + int(entry["page"]),
                left=item.x(),
                right=item.x() + item.width(),
                top=item.y(),
                bottom=item.y() + item.height(),
                name_edge=name.x() + name.width() - text_width(name) if mirrored else name.x() + text_width(name),
                price_edge=edge if not price else price.x() + text_width(price) if mirrored else price.x(),
                price_ends=(item.x() + price.x(), item.x() + price.x() + text_width(price)) if price else (0.0, 0.0),
                separator=item.x() + price.x() + _cursor(price, decimals.get(text_of(price), 0), mirrored)
                if price
                else 0.0,
                cells=cells_of(item, decimals),
                sizes=frozenset(part.property("font").pixelSize() for part in (name, price) if part is not None),
                second=bare(text_of(second)) if second is not None else "",
                second_bottom=max(
                    (text_top(part) + part.height() for part in (second, more) if part is not None),
                    default=0.0,
                ),
                details=bare("".join(text_of(part) for part in (details, more) if part is not None)),
                details_size=details.property("font").pixelSize() if details is not None else 0,
                tags=tuple(bare(tag.childItems()[0].property("text")) for tag in tags),
                icons=len(icons),
                lowest_tag=max((tag.y() + tag.height() for tag in (*tags, *icons)), default=0.0),
            )
        )
    assert len({row.item_id for row in found}) == len(found), "every item is listed once"
    return found


def bare(text: object) -> str:
    """The text without blanks, hyphens and marks of direction."""
    return "".join(str(text).translate(DIRECTION_MARKS).replace("-", "").split())


def details_of(wanted: MenuRow) -> str:
    """An item's uncut details, without blanks and the dots between options."""
    second = wanted.second.description if wanted.second is not None else ""
    options = "".join(one.name + one.delta for one in wanted.modifiers)
    return bare(wanted.energy + wanted.description + second + options)


def _cursor(price: QQuickItem, at: int, mirrored: bool) -> float:
    text, metrics = str(price.property("text")), QFontMetricsF(QFont(price.property("font")))
    if mirrored:
        return float("nan")
    return metrics.horizontalAdvance(text[:at])


PRICE_PARTS = {
    *("columnPrice", "columnStruck", "columnOffer", "columnNone", "columnEnergy", "columnLargeEnergy"),
    *("linePrice", "lineStruck", "lineOffer", "lineName", "lineStruckName", "variantRegular"),
    *("regular", "saving", "priceWord", "priceInWords"),
}
PRICES = {"columnPrice", "columnStruck", "columnOffer", "linePrice", "lineStruck", "lineOffer"}


def check_variants(rows: list[Row], expected: dict[str, MenuRow], *, mirrored: bool) -> None:
    """Each price of a variant stands whole under or beside its name; columns line up, and nothing overlaps."""
    for row in rows:
        variants, cells = expected[row.item_id].variants, row.cells
        prices = [cell for cell in cells if cell.kind in PRICES]
        told = [variant.price.text.translate(DIRECTION_MARKS) for variant in variants]
        assert sorted(cell.text for cell in prices) == sorted(told)
        struck = [cell.text for cell in cells if cell.kind == "variantRegular"]
        assert struck == [variant.regular.translate(DIRECTION_MARKS) for variant in variants if variant.regular]
        energies = [cell.text for cell in cells if cell.kind == "columnEnergy"]
        assert energies in ([], [variant.energy.translate(DIRECTION_MARKS) for variant in variants if variant.energy])
        savings = [bare(cell.text) for cell in cells if cell.kind == "saving"]
        assert savings == [bare(text) for text in (expected[row.item_id].saving,) if text]
        names = [cell.text for cell in cells if "Name" in cell.kind]
        assert not names or bare(names[0])[:1] == bare(variants[0].name)[:1], "in lines, with names"
        for cell in cells:
            assert row.left - SLACK <= cell.left <= cell.right <= row.right + SLACK, cell
            assert cell.baseline <= row.bottom + SLACK
        for one, other in itertools.combinations(cells, 2):
            if abs(one.baseline - other.baseline) < SLACK:
                assert one.right <= other.left + SLACK or other.right <= one.left + SLACK, (one, other)
        first = [cell for cell in cells if cell.kind.startswith("column")]
        if first:
            edge = row.left + row.name_edge
            assert all(cell.right <= edge + SLACK if mirrored else cell.left >= edge - SLACK for cell in first)


WORDS = {"priceWord", "priceInWords", "regular"}


def check_words(rows: list[Row], expected: dict[str, MenuRow], headed: set[str], *, mirrored: bool) -> None:
    """Kind and unit of a price stand whole beside it, the unit once where the heading of all says it, and nothing
    overlaps."""
    for row in rows:
        price, cells = expected[row.item_id].price, row.cells
        before = " ".join(filter(None, ("" if row.item_id in headed else price.measure, price.before)))
        told = [text.translate(DIRECTION_MARKS) for text in (before, price.after) if text]
        told += [price.text.translate(DIRECTION_MARKS)] if price.in_words else []
        told += [expected[row.item_id].regular.translate(DIRECTION_MARKS)] if expected[row.item_id].regular else []
        assert sorted(cell.text for cell in cells if cell.kind in WORDS) == sorted(told)
        edge = row.left + row.name_edge
        ends = [(cell.left, cell.right) for cell in cells if cell.kind in WORDS]
        ends += [row.price_ends] if row.price else []
        for left, right in ends:
            assert row.left - SLACK <= left <= right <= row.right + SLACK
            assert right <= edge + SLACK if mirrored else left >= edge - SLACK, f"{row.name!r} runs into its price"
        for one, other in itertools.pairwise(sorted(ends)):
            assert one[1] <= other[0] + SLACK, row


@examples(FEW)
@given(case=cases())
def test_any_menu_can_be_read(glass: Glass, case: Case) -> None:
    card = Catalogue(revision=1, revision_at=NOON, items={item.id: item for item in case.items})
    languages = (case.location.locale, case.second) if case.second else ()
    listed = listing(case.widget, card, location=case.location, languages=languages)
    wanted = [row for section in listed.sections for row in section.rows]
    size = (1080.0, 1920.0) if case.upright else (1920.0, 1080.0)
    shown = scene(case.widget, scene_id=f"scn_{glass.serial}", width=size[0], height=size[1])
    reported = len(glass.undrawable)
    view = showing(shown, {"menu": listed}, locality=locality_of(case.location), seconds=case.seconds)
    speech = speech_of(languages, card, case.location)
    glass.show(replace(view, localities={"menu": speech.localities} if case.second else {}))
    rows = rows_of(glass, case, listed)
    [widget] = glass.find("menu")
    mirrored = locality_of(case.location).right_to_left

    assert {row.item_id for row in rows} == {row.item_id for row in wanted}, "every item is listed once"
    in_order = sorted(rows, key=lambda row: (row.page, -row.left if mirrored else row.left, row.top))
    assert [row.item_id for row in in_order] == [row.item_id for row in wanted], "in order, column by column"
    expected = {row.item_id: row for row in wanted}
    assert all(row.price in ("", expected[row.item_id].price.text) for row in rows)
    amounts = [row for row in wanted if row.price.text and not row.price.in_words]
    assert {row.item_id for row in rows if row.price} == {row.item_id for row in amounts}
    assert all(reads(row.name, expected[row.item_id].name) for row in rows)
    sizes = {featured: set[int]() for featured in (False, True)}
    for row in rows:
        sizes[expected[row.item_id].featured] |= row.sizes
    assert all(len(found) <= 1 for found in sizes.values()), "one size, and one for featured items"
    if all(sizes.values()):
        assert max(sizes[True]) > max(sizes[False])

    check_variants(rows, expected, mirrored=mirrored)
    headed = {
        row.item_id
        for section in listed.sections
        if len(section.rows) > 1 and len({row.price.per for row in section.rows}) == 1
        for row in section.rows
    }
    check_words(rows, expected, headed, mirrored=mirrored)
    if not any(fault.code == "menu_cut" for fault in glass.undrawable[reported:]):
        for row in rows:
            wanted_row = expected[row.item_id]
            assert bare(row.name) == bare(wanted_row.name), "a name is whole"
            assert row.details.replace("·", "") == details_of(wanted_row).replace("·", ""), "details are whole"
            assert row.second == bare(wanted_row.second.name if wanted_row.second is not None else "")
            sold_out = [joined(sold_out_text(one.locale) for one in speech.localities)] if wanted_row.sold_out else []
            tags = [bare(capitals(tag, case.location.locale)) for tag in (*sold_out, *wanted_row.tags)]
            assert list(row.tags) == tags, "all tags are there, whole"
            assert row.icons == len(wanted_row.icons)
    factors = {row.item_id: FEATURED_SIZE if expected[row.item_id].featured else 1.0 for row in rows}
    smallest = min((size / factors[row.item_id] for row in rows for size in row.sizes), default=0)
    for row in rows:
        # Frames lie on whole pixels.
        assert row.lowest_tag <= row.bottom - row.top + 2 * SLACK, "tags are within their row"
        assert row.second_bottom <= row.bottom - row.top + 2 * SLACK, "so is the second language"
        assert not row.details_size or row.details_size >= min(24, 6 / 7 * smallest - 1)
        assert -SLACK <= row.left <= row.right <= widget.width() + SLACK
        if expected[row.item_id].variants:
            continue
        gap = row.name_edge - row.price_edge if mirrored else row.price_edge - row.name_edge
        assert gap >= -SLACK, f"{row.name!r} runs into {row.price!r}"
    foot = min((item.y() for item in glass.find("legend")), default=widget.height())
    if not widget.clip():
        assert all(row.top >= -SLACK and row.bottom <= foot + SLACK for row in rows), "nothing is cut off"
    for above, below in itertools.pairwise(in_order):
        if (above.page, round(above.left)) == (below.page, round(below.left)):
            assert above.bottom <= below.top + SLACK, "no row lies over another"
    if not mirrored:
        section = {row.item_id: number for number, section in enumerate(listed.sections) for row in section.rows}
        # Words after an amount indent it.
        apart = {row.item_id: row.item_id if row.price.after else "" for one in listed.sections for row in one.rows}
        for _, column in itertools.groupby(
            in_order, key=lambda row: (row.page, round(row.left), section[row.item_id], apart[row.item_id])
        ):
            separators = [row.separator for row in column if row.price and not expected[row.item_id].featured]
            if not separators:
                continue
            assert max(separators) - min(separators) <= SLACK, "prices stand on the decimal line"
