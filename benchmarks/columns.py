"""Compares `columns: auto` with every number of columns that could be forced, over generated menus.

`python -m benchmarks.columns [menus]` prints the measure and the worst ten boards; it exits with 1 where a board breaks
the rule.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, Translation, Variant
from menu.documents.scene import MAX_COLUMNS, MenuWidget, VerticalAlign
from menu.text.languages import locality_in
from menu.text.wording import Locality
from player.display.layout.menu import choose
from player.display.layout.menu_rating import Rating
from player.display.layout.setting import Setting
from player.display.typography.theme import resolve_theme
from player.display.widgets.typeset import Fonts
from player.domain.view import MenuListing
from tests.player.display.scenes import LOCALES
from tests.player.domain.playing.listed import listing

MENUS = 2_000
WORST = 10
MOST_SMALLER = 0.03
"""The share by which the text of `auto` may be smaller than in a choice that breaks no more and has no more pages."""
SHAPES = (
    (1920, 1080),
    (1920, 1080),
    (1080, 1920),
    (3840, 2160),
    (1920, 360),
    (1920, 540),
    (2560, 720),
    (5120, 1440),
    (600, 1024),
    (700, 900),
)
"""Of widgets, in canvas units."""
NAMES = (
    "Espresso",
    "Flat white",
    "Hendrick's & tonic",
    "House red",
    "Alcohol-free pale ale",
    "Soup of the day",
    "Grilled aubergine with rice",
    "Fish & chips",
    "Quattro stagioni",
    "Cheeseburger",
    "Sweet potato fries",
    "Slow-braised shoulder of lamb with rosemary jus",
    "Tiramisù",
)
LANGUAGES = (("en-GB", "GBP"), ("en-US", "USD"), *((locale, currency) for locale, currency, _ in LOCALES.values()))
WORDS = {locale: text.split() for locale, _, text in LOCALES.values()}
SIZES = ((), (), (), ("S", "L"), ("S", "M", "L"), ("Small", "Regular", "Large", "Family"))
COUNTS = ((3, 8), (3, 12), (9, 25), (9, 25), (20, 60), (50, 200))


class Board(Struct, frozen=True, kw_only=True):
    """A generated menu in its widget."""

    seed: int
    widget: MenuWidget
    shown: MenuListing
    setting: Setting

    def __str__(self) -> str:
        box, rows = self.widget.box, sum(len(section.rows) for section in self.shown.sections)
        languages = "+".join(one.locale for one in (self.setting.locality, self.setting.second) if one is not None)
        return f"{self.seed:>5}  {box.width:.0f}x{box.height:.0f}  {rows} items  {languages}"


def board(seed: int) -> Board:
    """The menu of this number."""
    random = Random(seed)
    languages = random.sample(LANGUAGES, random.randint(1, 8))
    together = [locale for locale, _ in languages[: random.choice((1, 2))]]
    place = Location(id="loc", name="", timezone="UTC", locale=languages[0][0], currency=languages[0][1])
    count = random.randint(*random.choice(COUNTS))
    sections = random.randint(1, max(1, min(10, count // 3)))
    sizes, most_words = random.choice(SIZES), random.choice((2, 2, 3, 5))
    described, priced = random.choice((0, 0, 0.3, 1)), random.choice((1, 10, 100))

    def words(locale: str, most: int) -> str:
        known = WORDS.get(locale)
        return " ".join(random.choices(known, k=random.randint(1, most))) if known else random.choice(NAMES)

    def item(number: int) -> Item:
        price = Decimal(random.randint(20, 300) * 5 * priced).scaleb(-2)
        variants = sizes if random.random() < 0.8 else ()
        return Item(
            id=f"itm_{number}",
            name=words(together[0], most_words),
            category=f"{words(together[0], 1)} {number * sections // count}",
            price=price,
            variants=tuple(Variant(name=name, price=price * n) for n, name in enumerate(variants, 2)),
            description=" ".join(words(together[0], 5) for _ in range(3)) if random.random() < described else None,
            allergens=("gluten", "milk") if random.random() < 0.2 else (),
            featured=random.random() < 0.03,
            translations=tuple(Translation(language=locale, name=words(locale, 3)) for locale in together[1:]),
            sort_index=number,
        )

    width, height = random.choice(SHAPES)
    part = random.choice((1.0, 1.0, 0.5))
    widget = MenuWidget(
        id="menu",
        box=Box(x=0, y=0, width=0.9 * part * width, height=random.choice((0.9, 0.7)) * height),
        title="Menu" if random.random() < 0.3 else None,
        group_by_category=random.random() < 0.8,
        leader=random.random() < 0.2,
        max_text_size=random.choice((40, 64, 64, 96)),
    )
    items = {one.id: one for one in map(item, range(count))}
    card = Catalogue(revision=1, revision_at=datetime(2026, 11, 20, tzinfo=UTC), items=items)
    shown = listing(widget, card, location=place, languages=tuple(together))
    localities = [locality_in(locale, place) for locale in together]
    return Board(seed=seed, widget=widget, shown=shown, setting=_setting(*localities))


@cache
def _setting(locality: Locality, second: Locality | None = None) -> Setting:
    fonts = Fonts(resolve_theme((), locale=locality.locale), locality, second)
    return Setting(measurers=fonts.measurers, locality=locality, second=second)


def rated(shown: Board, columns: int | None) -> tuple[int, Rating, float]:
    """A board with `columns`, None for `auto`: its columns, how it rates, and the seconds that the layout took."""
    widget = replace(shown.widget, columns=columns)
    began = time.process_time()
    _, rating, chosen = choose(widget, shown.shown, shown.setting, align=VerticalAlign.TOP, row_cache={})
    return chosen.columns, rating, time.process_time() - began


class Compared(Struct, frozen=True, kw_only=True):
    """A board with `auto` and the best that could be forced instead; `smaller` is the share that this would gain."""

    board: str
    columns: int
    auto: Rating
    other: int
    best: Rating
    smaller: float
    seconds: float


def compare(seed: int) -> Compared:
    """Rate the menu of this number with `auto` and with every number of columns."""
    shown = board(seed)
    columns, auto, seconds = rated(shown, None)
    other, best = columns, auto
    for forced in range(1, MAX_COLUMNS + 1):
        found, rating, _ = rated(shown, forced)
        if rating.size > best.size and rating.breaks_no_more_than(auto):
            other, best = found, rating
    return Compared(
        board=str(shown),
        columns=columns,
        auto=auto,
        other=other,
        best=best,
        smaller=1 - auto.size / best.size,
        seconds=seconds,
    )


def table(found: list[Compared]) -> Iterator[str]:
    """The measure over these boards, and the worst ten."""
    count, rows = len(found), sum(one.auto.rows for one in found)
    broken = [one for one in found if one.smaller > MOST_SMALLER]
    yield f"menus                              {count}"
    yield f"more than {MOST_SMALLER:.0%} smaller               {len(broken)}"
    yield f"smaller at most                    {max(one.smaller for one in found):.1%}"
    yield f"text size, mean                    {sum(one.auto.size for one in found) / count:.2f}"
    yield f"pages, mean                        {sum(one.auto.pages for one in found) / count:.3f}"
    yield f"names in several lines             {sum(one.auto.wrapped for one in found) / rows:.1%}"
    yield f"names broken inside a word         {sum(one.auto.split for one in found) / rows:.1%}"
    yield f"sizes in lines                     {sum(one.auto.listed for one in found) / rows:.1%}"
    yield f"categories of few rows, divided    {sum(one.auto.divided for one in found)}"
    yield f"boards on which rows stand close   {sum(one.auto.close for one in found) / count:.1%}"
    yield f"balance of columns, mean           {sum(one.auto.balance for one in found) / count:.2f}"
    yield f"comfort of columns, mean           {sum(one.auto.comfort for one in found) / count:.2f}"
    mean, slowest = sum(one.seconds for one in found) / count, max(one.seconds for one in found)
    yield f"CPU of a layout, mean and slowest  {1000 * mean:.1f} ms, {1000 * slowest:.0f} ms"
    yield "\nsmaller  columns, size, pages: auto, best  menu"
    for one in sorted(found, key=lambda one: -one.smaller)[:WORST]:
        auto, best = (
            f"{columns}, {rating.size}, {rating.pages}"
            for columns, rating in ((one.columns, one.auto), (one.other, one.best))
        )
        yield f"{one.smaller:>6.1%}   {auto} and {best}  {one.board}"


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    application = QGuiApplication.instance() or QGuiApplication([])
    found = [compare(seed) for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else MENUS)]
    for line in table(found):
        print(line)
    del application
    return 1 if any(one.smaller > MOST_SMALLER for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
