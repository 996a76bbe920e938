"""Rows of the program's sections: today's timetable and the menu's items; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from menu.documents.manifest import Item, Location
from menu.rules.timeline import OtherEntry, Reason
from menu.text.phrase import Phrase, listed, phrase, phrases
from menu.text.price import board_price
from menu.text.schedule_words import between
from player.domain.playing.listings import single_price
from player.domain.playing.timetable import Timetable, TimetableRow
from player.domain.recovery.fault_texts import unshowable_text
from player.domain.state import Kind, PlayerState
from player.domain.view import MenuRow, SceneView
from player.page.sections.facts import Facts
from player.page.sections.words import Marked, Times, duration, told

MAX_ROWS = 300
"""Rows of any list on the page; the rest is counted."""

FIRST_ITEMS = 12
"""Items that are seen at once; the rest opens."""

BETWEEN_PRICES = " \u00b7 "
"""Between the prices of an item's variants."""

STRIP_WIDTH = 1440
"""Units of a strip: a minute each on most days."""

_SHOWS = (phrase("Showing now"), "good")
_REASONS: Mapping[str, tuple[Phrase, str]] = {
    Reason.WAITING: (phrase("In turn"), ""),
    Reason.NOT_SCHEDULED: (phrase("Not now"), ""),
    Reason.DISPLACED: (phrase("Displaced"), ""),
    Reason.SCHEDULE_UNREADABLE: (phrase("Never"), "warning"),
    Reason.PASSED_OVER: (phrase("Cannot show"), "warning"),
    Reason.CLOCK_UNKNOWN: (phrase("Waits for the time"), "warning"),
}
_ON_SCREEN, _SOLD_OUT = (phrase("On the screen"), "good"), (phrase("Sold out"), "warning")

Words = Phrase | Marked


class Entry(Struct, frozen=True):
    """Scene of the timetable: a word for its state, which may have a colour, and sentences on the reason."""

    row: TimetableRow
    word: Phrase | None
    mood: str
    why: tuple[Words, ...]


class ItemRow(Struct, frozen=True):
    """An item of the menu: a word for its state, which may have a colour."""

    name: str
    price: str
    word: Phrase
    mood: str


class Menu(Struct, frozen=True):
    """At most MAX_ROWS of `total` items."""

    total: int
    summary: Phrase
    rows: list[ItemRow]


def entries(facts: Facts) -> list[Entry]:
    """Returns the scenes of today with their state."""
    showing, times = facts.state.showing, Times(facts.state.at, facts.state.location)
    others = {other.entry_id: other for other in showing.others}
    found = []
    for row in facts.timetable.rows[:MAX_ROWS] if facts.timetable else ():
        other = others.get(row.entry_id)
        if showing.kind is Kind.SCENE and showing.entry_id == row.entry_id:
            found.append(Entry(row, *_SHOWS, ()))
        elif other is None:
            found.append(Entry(row, None, "", ()))
        else:
            word, mood = _REASONS[other.reason]
            found.append(Entry(row, word, mood, tuple(words for words in _why(other, times) if words)))
    return found


def _why(other: OtherEntry, times: Times) -> Iterator[Words | None]:
    upcoming = times.until(other.next_at) if other.next_at else None
    match other.reason:
        case Reason.WAITING:
            at = times.clock(other.next_at, seconds=True) if other.next_at else None
            yield phrase("It shows in turn, next {time}.", time=at) if at else phrase("It shows later.")
        case Reason.NOT_SCHEDULED:
            yield phrase("It is scheduled {schedule}.", schedule=other.detail)
            yield phrase("It shows again {time}.", time=upcoming) if upcoming else phrase("It does not show again.")
        case Reason.DISPLACED:
            yield phrase("Not shown: displaced by {scene}.", scene=other.displaced_by)
            yield phrase("It shows again {time}.", time=upcoming) if upcoming else None
        case Reason.PASSED_OVER if other.unshowable is not None:
            yield phrase("It cannot be shown: {why}", why=told(unshowable_text(other.unshowable)) or "")
        case Reason.CLOCK_UNKNOWN:
            yield phrase("It waits until the time is known, as it is scheduled {schedule}.", schedule=other.detail)
        case _:
            yield told(other.detail)


def place_of(moment: datetime, day: Timetable) -> str:
    """Returns the place of an instant on the strip of a day."""
    return f"{(moment - day.start) / (day.end - day.start) * STRIP_WIDTH:.0f}"


def bars(row: TimetableRow, day: Timetable) -> Iterator[tuple[str, str]]:
    """Yields start and width of each bar on the strip of a day."""
    for low, high in row.spans[:MAX_ROWS]:
        yield place_of(low, day), f"{(high - low) / (day.end - day.start) * STRIP_WIDTH:.0f}"


def spans(row: TimetableRow, day: Timetable, times: Times) -> Phrase:
    """Returns the times of day at which a scene may show."""
    each = phrase("{span} each time", span=duration(timedelta(seconds=row.duration_seconds)))
    if not row.spans:
        return phrase("Not today")
    if row.spans == ((day.start, day.end),):
        return listed([phrase("All day"), each])

    def face(moment: datetime) -> str:
        return "24:00" if moment == day.end else f"{times.local(moment):%H:%M}"

    return listed([*(between(face(low), face(high)) for low, high in row.spans[:MAX_ROWS]), each])


def items(facts: Facts) -> Menu:
    """Returns the items of the menu, then those on the display that it does not have."""
    state = facts.state
    on_glass = _glass_rows(state)
    known = {item.id for item in facts.items}
    others = [row for key, row in on_glass.items() if key not in known]
    # No more than are listed: a price takes a while to be written.
    rows = [_item(item, on_glass.get(item.id), state.location) for item in facts.items[:MAX_ROWS]]
    rows += [
        ItemRow(row.name, _price(row), *(_SOLD_OUT if row.sold_out else _ON_SCREEN))
        for row in others[: MAX_ROWS - len(rows)]
    ]
    total = len(facts.items) + len(others)
    sold_out = sum(item.is_sold_out for item in facts.items)
    summary = [
        phrases("{count} item", "{count} items", count=total),
        phrase("{count} on the screen now", count=sum(not row.sold_out for row in on_glass.values())),
        *([phrase("{count} sold out", count=sold_out)] if sold_out else []),
    ]
    return Menu(total, listed(summary), rows)


def _glass_rows(state: PlayerState) -> dict[str, MenuRow]:
    """Returns the rows of the scene that was ordered, by item."""
    view = state.view
    if not isinstance(view, SceneView):
        return {}
    listed = [row for listing in view.menus.values() for section in listing.sections for row in section.rows]
    return {row.item_id: row for row in (*listed, *view.items.values())}


def _item(item: Item, row: MenuRow | None, location: Location | None) -> ItemRow:
    price = _price(row) if row else ""
    if not price and location is not None:
        amounts = [variant.price for variant in item.variants]
        texts = [board_price(amount, location=location).text for amount in amounts]
        price = BETWEEN_PRICES.join(texts) or single_price(item, location).whole
    if item.is_sold_out:
        sold_out = (phrase("Sold out, marked on the screen"), "warning") if row else _SOLD_OUT
        return ItemRow(item.name, price, *sold_out)
    return ItemRow(item.name, price, *(_ON_SCREEN if row else (phrase("Not in this scene"), "")))


def _price(row: MenuRow) -> str:
    """Returns the price on the display, or those of the variants."""
    return row.price.whole or BETWEEN_PRICES.join(variant.price.text for variant in row.variants)
