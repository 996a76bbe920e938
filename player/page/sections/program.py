"""The sections of the program: today's timetable and the menu's items; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from player.domain.documents.manifest import Item, Location
from player.domain.findings.texts import unshowable_text
from player.domain.menu.listings import single_price
from player.domain.menu.price import board_price
from player.domain.playing.timetable import Timetable, TimetableRow
from player.domain.state import Kind, OtherEntry, PlayerState
from player.domain.time.schedule_words import between
from player.domain.time.timeline import Reason
from player.domain.view import MenuRow, SceneView
from player.domain.words.phrase import Phrase, listed, phrase, phrases
from player.page.sections.facts import Facts
from player.page.sections.markup import Content, Html, join, name_of, tag
from player.page.sections.parts import MAX_ROWS, Mood, chip, more, quiet
from player.page.sections.words import Times, duration, told

FIRST_ITEMS = 12
"""Items that are seen at once; the rest opens."""

BETWEEN_PRICES = " \u00b7 "
"""Between the prices of an item's variants."""

_WIDTH = 1440
"""Units of a strip: a minute each on most days."""


def timetable(facts: Facts) -> Html:
    """Today, scene by scene: when each may show, and why it does not show now."""
    state = facts.state
    times = Times(state.at, state.location)
    others = {other.entry_id: other for other in state.showing.others}
    day = facts.timetable
    if day is None or not day.rows:
        if not others:
            return quiet(phrase("There is no timetable: nothing has been published for this screen."))
        rows = [
            _entry_row(other.entry_id, other.scene_name, None, None, state, times, others) for other in others.values()
        ]
        return tag("ul", *rows[:MAX_ROWS], cls="timetable")
    shown = [_entry_row(row.entry_id, row.scene_name, row, day, state, times, others) for row in day.rows[:MAX_ROWS]]
    left = len(day.rows) - len(shown)
    return join(
        quiet(phrase("Today in {zone}. The line marks the time now.", zone=times.zone_name)),
        tag("ul", *shown, cls="timetable"),
        quiet(phrase("And {count} more.", count=left)) if left > 0 else None,
    )


def _entry_row(
    entry_id: str,
    scene_name: str,
    row: TimetableRow | None,
    day: Timetable | None,
    state: PlayerState,
    times: Times,
    others: Mapping[str, OtherEntry],
) -> Html:
    shows = state.showing.kind is Kind.SCENE and state.showing.entry_id == entry_id
    other = others.get(entry_id)
    return tag(
        "li",
        tag(
            "div",
            tag("strong", name_of(scene_name)),
            chip(phrase("Showing now"), Mood.GOOD) if shows else _why_chip(other),
            cls="head",
        ),
        _strip(row, day, state.at) if row and day else None,
        tag("p", _spans(row, day, times)) if row and day else None,
        tag("p", _why(other, times), cls="why") if other and not shows else None,
    )


def _why_chip(other: OtherEntry | None) -> Html | None:
    if other is None:
        return None
    words: Mapping[str, tuple[Phrase, Mood | None]] = {
        Reason.WAITING: (phrase("In turn"), None),
        Reason.NOT_SCHEDULED: (phrase("Not now"), None),
        Reason.SCHEDULE_UNREADABLE: (phrase("Never"), Mood.WARNING),
        Reason.PASSED_OVER: (phrase("Cannot show"), Mood.WARNING),
        Reason.CLOCK_UNKNOWN: (phrase("Waits for the time"), Mood.WARNING),
    }
    text, mood = words.get(other.reason, words[Reason.NOT_SCHEDULED])
    return chip(text, mood)


def _why(other: OtherEntry, times: Times) -> Content:
    upcoming = times.until(other.next_at) if other.next_at else None
    match other.reason:
        case Reason.WAITING:
            if other.next_at is None:
                return phrase("It shows later.")
            return phrase("It shows in turn, next {time}.", time=times.clock(other.next_at, seconds=True))
        case Reason.NOT_SCHEDULED:
            again = phrase("It shows again {time}.", time=upcoming) if upcoming else phrase("It does not show again.")
            return join(phrase("It is scheduled {schedule}.", schedule=other.detail), " ", again)
        case Reason.PASSED_OVER if other.unshowable is not None:
            return phrase("It cannot be shown: {why}", why=told(unshowable_text(other.unshowable)) or "")
        case Reason.CLOCK_UNKNOWN:
            return phrase("It waits until the time is known, as it is scheduled {schedule}.", schedule=other.detail)
        case _:
            return told(other.detail)


def _strip(row: TimetableRow, day: Timetable, now: datetime) -> Html:
    """The day as a line; who does not see it reads the times below."""
    whole = (day.end - day.start) / _WIDTH
    bars = [
        tag("rect", x=f"{(low - day.start) / whole:.0f}", y=0, width=f"{(high - low) / whole:.0f}", height=10)
        for low, high in row.spans[:MAX_ROWS]
    ]
    at = f"{(now - day.start) / whole:.0f}"
    return tag(
        "svg",
        tag("g", *bars, cls="bar"),
        tag("line", x1=at, x2=at, y1=0, y2=10, cls="now") if day.start <= now < day.end else None,
        viewBox=f"0 0 {_WIDTH} 10",
        preserveAspectRatio="none",
        aria_hidden="true",
        cls="strip blocked" if row.unshowable else "strip",
    )


def _spans(row: TimetableRow, day: Timetable, times: Times) -> Phrase:
    each = phrase("{span} each time", span=duration(timedelta(seconds=row.duration_seconds)))
    if not row.spans:
        return phrase("Not today")
    if row.spans == ((day.start, day.end),):
        return listed([phrase("All day"), each])
    hours = [between(_face(low, day, times), _face(high, day, times)) for low, high in row.spans[:MAX_ROWS]]
    return listed([*hours, each])


def _face(moment: datetime, day: Timetable, times: Times) -> str:
    return "24:00" if moment == day.end else f"{times.local(moment):%H:%M}"


def menu(facts: Facts) -> Html:
    """The items, and whether each is on the glass."""
    state = facts.state
    rows = _glass_rows(state)
    known = {item.id for item in facts.items}
    others = [row for key, row in rows.items() if key not in known]
    total = len(facts.items) + len(others)
    if not total:
        return quiet(phrase("The menu has no items."))
    # No more than are listed: a price takes a while to be written.
    items = [_item(item, rows.get(item.id), state.location) for item in facts.items[:MAX_ROWS]]
    items += [_row(row) for row in others[: MAX_ROWS - len(items)]]
    on_glass = sum(1 for row in rows.values() if not row.sold_out)
    sold_out = sum(1 for item in facts.items if item.is_sold_out)
    summary = [
        phrases("{count} item", "{count} items", count=total),
        phrase("{count} on the screen now", count=on_glass),
        *([phrase("{count} sold out", count=sold_out)] if sold_out else []),
    ]
    rest = items[FIRST_ITEMS:]
    return join(
        quiet(listed(summary), "."),
        tag("ul", *items[:FIRST_ITEMS], cls="rows items"),
        more(phrase("{count} more", count=len(rest)), tag("ul", *rest, cls="rows items"), key="items")
        if rest
        else None,
        quiet(phrase("And {count} that are not listed here.", count=total - MAX_ROWS)) if total > MAX_ROWS else None,
    )


def _glass_rows(state: PlayerState) -> dict[str, MenuRow]:
    """The rows of the scene that was ordered, by item."""
    view = state.view
    if not isinstance(view, SceneView):
        return {}
    listed = [row for listing in view.menus.values() for section in listing.sections for row in section.rows]
    return {row.item_id: row for row in (*listed, *view.items.values())}


def _item(item: Item, row: MenuRow | None, location: Location | None) -> Html:
    price = _price(row) if row else ""
    if not price and location is not None:
        amounts = [variant.price for variant in item.variants]
        texts = [board_price(amount, location=location).text for amount in amounts]
        price = BETWEEN_PRICES.join(texts) or single_price(item, location).whole
    if item.is_sold_out:
        state: Content = chip(phrase("Sold out, marked on the screen") if row else phrase("Sold out"), Mood.WARNING)
    elif row is not None:
        state = chip(phrase("On the screen"), Mood.GOOD)
    else:
        state = chip(phrase("Not in this scene"))
    return _line(item.name, price, state)


def _price(row: MenuRow) -> str:
    """The price on the glass, or those of the variants."""
    return row.price.whole or BETWEEN_PRICES.join(variant.price.text for variant in row.variants)


def _row(row: MenuRow) -> Html:
    return _line(
        row.name,
        _price(row),
        chip(phrase("Sold out"), Mood.WARNING) if row.sold_out else chip(phrase("On the screen"), Mood.GOOD),
    )


def _line(name: str, price: str, state: Content) -> Html:
    return tag("li", tag("span", name_of(name)), tag("span", name_of(price), cls="took"), tag("small", state))
