"""The sections of the program: today's timetable and the menu's items; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from player.diagnostics.page.facts import Facts
from player.diagnostics.page.markup import Content, Html, join, name_of, tag
from player.diagnostics.page.parts import MAX_ROWS, Mood, chip, more, quiet
from player.diagnostics.page.words import Times, count, duration, schedule, sentence
from player.domain.findings.finding import plain
from player.domain.manifest import Item, Location
from player.domain.price import price_text
from player.domain.state import Kind, OtherEntry, PlayerState
from player.domain.timeline import Reason
from player.domain.timetable import Timetable, TimetableRow
from player.domain.view import MenuRow, SceneView

FIRST_ITEMS = 12
"""Items that are seen at once; the rest opens."""

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
            return quiet("There is no timetable: nothing has been published for this screen.")
        rows = [
            _entry_row(other.entry_id, other.scene_name, None, None, state, times, others) for other in others.values()
        ]
        return tag("ul", *rows[:MAX_ROWS], cls="timetable")
    shown = [_entry_row(row.entry_id, row.scene_name, row, day, state, times, others) for row in day.rows[:MAX_ROWS]]
    left = len(day.rows) - len(shown)
    return join(
        quiet(f"Today in {times.zone_name}. ", "The line marks the time now."),
        tag("ul", *shown, cls="timetable"),
        quiet(f"And {left} more.") if left > 0 else None,
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
            chip("Showing now", Mood.GOOD) if shows else _why_chip(other),
            cls="head",
        ),
        _strip(row, day, state.at) if row and day else None,
        tag("p", _spans(row, day, times)) if row and day else None,
        tag("p", _why(other, times), cls="why") if other and not shows else None,
    )


def _why_chip(other: OtherEntry | None) -> Html | None:
    if other is None:
        return None
    words: Mapping[str, tuple[str, Mood | None]] = {
        Reason.WAITING: ("In turn", None),
        Reason.NOT_SCHEDULED: ("Not now", None),
        Reason.SCHEDULE_UNREADABLE: ("Never", Mood.WARNING),
        Reason.PASSED_OVER: ("Cannot show", Mood.WARNING),
        Reason.CLOCK_UNKNOWN: ("Waits for the time", Mood.WARNING),
    }
    text, mood = words.get(other.reason, ("Not now", None))
    return chip(text, mood)


def _why(other: OtherEntry, times: Times) -> Html:
    upcoming = times.until(other.next_at) if other.next_at else None
    match other.reason:
        case Reason.WAITING:
            if other.next_at is None:
                return join("It shows later.")
            return join("It shows in turn, next ", times.clock(other.next_at, seconds=True), ".")
        case Reason.NOT_SCHEDULED:
            words = f"It is scheduled {schedule(other.detail)}."
            return (
                join(words, " It shows again ", upcoming, ".") if upcoming else join(words, " It does not show again.")
            )
        case Reason.PASSED_OVER:
            return join("It cannot be shown: ", sentence(plain(other.detail)))
        case Reason.CLOCK_UNKNOWN:
            return join(f"It waits until the time is known, as it is scheduled {schedule(other.detail)}.")
        case _:
            return join(sentence(plain(other.detail)))


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


def _spans(row: TimetableRow, day: Timetable, times: Times) -> Html:
    each = f"{duration(timedelta(seconds=row.duration_seconds))} each time"
    if not row.spans:
        return join("Not today")
    if row.spans == ((day.start, day.end),):
        return join("All day, ", each)
    text = ", ".join(f"{_face(low, day, times)}–{_face(high, day, times)}" for low, high in row.spans[:MAX_ROWS])
    return join(text, ", ", each)


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
        return quiet("The menu has no items.")
    # No more than are listed: a price takes a while to be written.
    items = [_item(item, rows.get(item.id), state.location) for item in facts.items[:MAX_ROWS]]
    items += [_row(row) for row in others[: MAX_ROWS - len(items)]]
    on_glass = sum(1 for row in rows.values() if not row.sold_out)
    sold_out = sum(1 for item in facts.items if item.eighty_sixed)
    summary = [
        count(total, "item", "items"),
        f"{on_glass} on the screen now",
        f"{sold_out} sold out" if sold_out else "",
    ]
    rest = items[FIRST_ITEMS:]
    return join(
        quiet(", ".join(filter(None, summary)), "."),
        tag("ul", *items[:FIRST_ITEMS], cls="rows items"),
        more(f"{len(rest)} more", tag("ul", *rest, cls="rows items"), key="items") if rest else None,
        quiet(f"And {total - MAX_ROWS} that are not listed here.") if total > MAX_ROWS else None,
    )


def _glass_rows(state: PlayerState) -> dict[str, MenuRow]:
    """The rows of the scene that was ordered, by item."""
    view = state.view
    if not isinstance(view, SceneView):
        return {}
    listed = [row for listing in view.menus.values() for section in listing.sections for row in section.rows]
    return {row.item_id: row for row in (*listed, *view.items.values())}


def _item(item: Item, row: MenuRow | None, location: Location | None) -> Html:
    price: str = row.price.text if row else ""
    if not price and location is not None:
        price = price_text(item.price, currency=location.currency, locale=location.locale).text
    if item.eighty_sixed:
        state: Content = chip("Sold out, marked on the screen" if row else "Sold out", Mood.WARNING)
    elif row is not None:
        state = chip("On the screen", Mood.GOOD)
    else:
        state = chip("Not in this scene")
    return _line(item.name, price, state)


def _row(row: MenuRow) -> Html:
    return _line(
        row.name, row.price.text, chip("Sold out", Mood.WARNING) if row.sold_out else chip("On the screen", Mood.GOOD)
    )


def _line(name: str, price: str, state: Content) -> Html:
    return tag("li", tag("span", name_of(name)), tag("span", name_of(price), cls="took"), tag("small", state))
