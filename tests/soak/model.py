"""A model of a board, from docs/semantics.md alone: plain dates, zones and decimals, by brute force.

It shares no code with the player or the service (`test_model.py` sees to that), so that a mistake in one is not in the
other. It is slow, knows few locales, and makes no attempt to look ahead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
A_DAY = timedelta(days=1)

HOUSE = "house card"
PAIRING = "pairing card"


@dataclass(frozen=True)
class Place:
    """A location."""

    zone: str
    currency: str
    locale: str


@dataclass(frozen=True)
class Dish:
    """An item. `until`: when it is no longer sold out."""

    id: str
    name: str
    category: str
    price: Decimal
    rank: int = 0
    sold_out: bool = False
    until: datetime | None = None

    def gone(self, at: datetime) -> bool:
        return self.sold_out and (self.until is None or at < self.until)


@dataclass(frozen=True)
class Hours:
    """A daypart (`days`, `start`, `end` as HH:MM) or a window (`start`, `end` as local date and time)."""

    start: str
    end: str
    days: tuple[str, ...] = DAYS
    zone: str | None = None
    window: bool = False
    priority: int = 0
    but_not: tuple[str, ...] = ()


@dataclass(frozen=True)
class Menu:
    """A menu widget."""

    id: str
    categories: tuple[str, ...] = ()
    dishes: tuple[str, ...] = ()
    grouped: bool = True
    marks_sold_out: bool = False


@dataclass(frozen=True)
class Poster:
    """An item widget."""

    id: str
    dish: str
    instead: str | None = None


@dataclass(frozen=True)
class Scene:
    id: str
    menus: tuple[Menu, ...] = ()
    posters: tuple[Poster, ...] = ()
    hours: tuple[Hours, ...] = ()


@dataclass(frozen=True)
class Entry:
    id: str
    scene: Scene
    seconds: int
    hours: Hours | None = None


@dataclass(frozen=True)
class Version:
    playlist: str
    number: int
    published: datetime
    entries: tuple[Entry, ...]
    needs: frozenset[str] = frozenset()
    """Assets, by name."""

    @property
    def key(self) -> tuple[str, int]:
        return (self.playlist, self.number)

    @property
    def longest(self) -> timedelta:
        """The longest time for which one of its scenes may stay: all others can be passed over."""
        return timedelta(seconds=sum(entry.seconds for entry in self.entries))


@dataclass(frozen=True)
class Override:
    """A version in place of all else, for a time; in the order in which they were made."""

    version: Version
    until: datetime

    @property
    def start(self) -> datetime:
        return self.version.published


@dataclass(frozen=True)
class Here:
    """Values of a dish at the location; None is the value that it has everywhere."""

    price: Decimal | None = None
    sold_out: bool | None = None
    hidden: bool | None = None


@dataclass(frozen=True)
class Planned:
    """A value of a dish, everywhere or `here`, from a local date and time on; `name` is of a field of Here."""

    plan: str
    wall: str
    dish: str
    here: bool
    name: str
    value: Decimal | bool | None

    def at(self, place: Place) -> datetime:
        return instant(date.fromisoformat(self.wall[:10]), self.wall[11:], place.zone)


@dataclass(frozen=True)
class Facts:
    """The live facts: the location, the items in the order in which they were created, the overrides, what the items
    have at the location, and what is planned."""

    place: Place
    dishes: tuple[Dish, ...]
    overrides: tuple[Override, ...] = ()
    here: tuple[tuple[str, Here], ...] = ()
    planned: tuple[Planned, ...] = ()


@dataclass(frozen=True)
class Seen:
    """A view, as a guest reads it: a card, or a scene with its rows (name, price) under their headings."""

    card: str | None = None
    version: tuple[str, int] | None = None
    entry: str | None = None
    menus: Mapping[str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = field(default_factory=dict)
    posters: Mapping[str, tuple[str, str]] = field(default_factory=dict)


# Schedules


def instant(day: date, wall: str, zone: str) -> datetime:
    """A local time as an instant. zoneinfo takes the first of two, and moves a skipped one by the gap, as RFC 5545."""
    if wall == "24:00":
        return instant(day + A_DAY, "00:00", zone)
    return datetime.combine(day, time.fromisoformat(wall), ZoneInfo(zone)).astimezone(UTC)


def occurrences(hours: Hours, home: str, first: date, last: date) -> list[tuple[datetime, datetime]]:
    """The intervals that begin on these days."""
    zone = hours.zone or home
    if hours.window:
        begin, end = (datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)) for text in (hours.start, hours.end))
        return [(begin.astimezone(UTC), end.astimezone(UTC))]
    found = []
    day = first
    while day <= last:
        if DAYS[day.weekday()] in hours.days and day.isoformat() not in hours.but_not:
            ends_on = day if hours.end > hours.start else day + A_DAY
            begin, end = instant(day, hours.start, zone), instant(ends_on, hours.end, zone)
            if begin < end:
                found.append((begin, end))
        day += A_DAY
    return found


@dataclass(frozen=True)
class Period:
    start: datetime
    end: datetime
    eligible: tuple[Entry, ...]


@lru_cache(maxsize=64)
def periods(
    version: Version, home: str, begin: datetime, end: datetime, broken: frozenset[str] = frozenset()
) -> tuple[Period, ...]:
    """All periods from `begin` to `end`, by looking at every instant at which any schedule begins or ends, while the
    `broken` entries cannot be shown."""
    first, last = begin.date() - 3 * A_DAY, end.date() + 3 * A_DAY
    found: dict[Hours, list[tuple[datetime, datetime]]] = {}
    for entry in version.entries:
        for hours in (*entry.scene.hours, *((entry.hours,) if entry.hours else ())):
            found[hours] = occurrences(hours, home, first, last)

    def holds(hours: Hours, at: datetime) -> bool:
        return any(since <= at < until for since, until in found[hours])

    def priority(entry: Entry, at: datetime) -> int:
        every = (*entry.scene.hours, *((entry.hours,) if entry.hours else ()))
        return max((hours.priority for hours in every if holds(hours, at)), default=0)

    def eligible(at: datetime) -> tuple[Entry, ...]:
        allowed = tuple(
            entry
            for entry in version.entries
            if (not entry.scene.hours or any(holds(hours, at) for hours in entry.scene.hours))
            and (entry.hours is None or holds(entry.hours, at))
        )
        for most in sorted({priority(entry, at) for entry in allowed}, reverse=True):
            equals = tuple(entry for entry in allowed if priority(entry, at) == most)
            if any(entry.id not in broken for entry in equals):
                return equals
        return ()

    changes = sorted({at for ranges in found.values() for both in ranges for at in both if begin < at < end})
    result = [Period(begin, end, eligible(begin))]
    for at in changes:
        now = eligible(at)
        if now != result[-1].eligible:
            result[-1] = Period(result[-1].start, at, result[-1].eligible)
            result.append(Period(at, end, now))
    return tuple(result)


# The timeline


@dataclass(frozen=True)
class Showing:
    """`entry` None: the house card. `boundary`: the next loop boundary; the instant itself where nothing shows."""

    entry: Entry | None
    since: datetime
    until: datetime
    boundary: datetime


REACH = timedelta(days=40)


def showing(version: Version, anchor: datetime, facts: Facts, at: datetime, *, clock_known: bool = True) -> Showing:
    """The entry of this version at an instant that is not before its anchor."""
    broken = {entry.id for entry in version.entries if not showable(entry.scene, facts, at)}
    period = None
    if not clock_known:
        free = tuple(entry for entry in version.entries if not entry.scene.hours and entry.hours is None)
        if any(entry.id not in broken for entry in free):
            period = Period(anchor, anchor + REACH, free)
    if period is None:
        all_periods = periods(version, facts.place.zone, anchor, anchor + REACH, frozenset(broken))
        period = all_periods[bisect_right([each.start for each in all_periods], at) - 1]
    length = timedelta(seconds=sum(entry.seconds for entry in period.eligible))
    shown = [entry for entry in period.eligible if entry.id not in broken]
    if not shown:
        return Showing(None, period.start, period.end, at)
    loops, within = divmod(at - period.start, length)
    begins = period.start + loops * length
    ends: list[tuple[timedelta, Entry]] = []
    end = timedelta()
    for entry in period.eligible:
        end += timedelta(seconds=entry.seconds)
        if entry.id not in broken:
            ends.append((end, entry))
    place = next((number for number, (end, _) in enumerate(ends) if within < end), None)
    boundary = min(begins + length, period.end)
    if place is None:
        # The last entries are broken: the first of the next loop begins early.
        since, until, entry = ends[-1][0], length + ends[0][0], ends[0][1]
    elif place == 0:
        # And it may have begun so.
        early = length - ends[-1][0]
        since, until, entry = -early if loops else timedelta(), *ends[0]
    else:
        since, (until, entry) = ends[place - 1][0], ends[place]
    return Showing(entry, max(begins + since, period.start), min(begins + until, period.end), boundary)


def boundaries(version: Version, anchor: datetime, facts: Facts, begin: datetime, end: datetime) -> list[datetime]:
    """The loop boundaries in [begin, end]; where nothing shows, only the end of that, though all of it is one."""
    found = []
    at = begin
    while at <= end:
        now = showing(version, anchor, facts, at)
        if now.entry is None:
            at = now.until
            found.append(at)
            at += timedelta(microseconds=1)
            continue
        if now.boundary <= end:
            found.append(now.boundary)
        at = now.boundary + timedelta(microseconds=1)
    return found


def overridden(facts: Facts, at: datetime, *, clock_known: bool = True) -> tuple[Version, Entry] | None:
    """The entry in place of the running version: of the override that started last, if anything of it can show."""
    held = [one for one in facts.overrides if one.start <= at < one.until]
    for one in sorted(held, key=lambda one: one.start)[::-1]:
        entry = showing(one.version, one.start, facts, at, clock_known=clock_known).entry
        if entry is not None:
            return one.version, entry
    return None


# Items


def carried_out(one: Planned, facts: Facts) -> Facts:
    """The facts once a planned value has become the value."""
    if one.here:
        values = dict(facts.here)
        values[one.dish] = replace(values.get(one.dish, Here()), **{one.name: one.value})
        return replace(facts, here=tuple(values.items()))
    until = {"until": None} if one.name == "sold_out" else {}
    dishes = (replace(dish, **{one.name: one.value}, **until) if dish.id == one.dish else dish for dish in facts.dishes)
    return replace(facts, dishes=tuple(dishes))


def present(facts: Facts, at: datetime | None) -> Facts:
    """The facts with the dishes as the location has them at an instant; without one, nothing planned has come."""
    due = sorted(
        (one for one in facts.planned if at is not None and one.at(facts.place) <= at),
        key=lambda one: one.at(facts.place),
    )
    for one in due:
        facts = carried_out(one, facts)
    values, dishes = dict(facts.here), []
    for dish in facts.dishes:
        here = values.get(dish.id, Here())
        if here.price is not None:
            dish = replace(dish, price=here.price)
        if here.sold_out is not None:
            dish = replace(dish, sold_out=here.sold_out, until=None)
        if not here.hidden:
            dishes.append(dish)
    return Facts(facts.place, tuple(dishes), facts.overrides)


def listed(menu: Menu, facts: Facts, at: datetime) -> list[Dish]:
    """The dishes of a menu in the order in which they are listed without groups' headings."""
    by_rank = sorted(facts.dishes, key=lambda dish: dish.rank)
    if menu.categories or menu.dishes:
        chosen = [dish for name in menu.categories for dish in by_rank if dish.category == name]
        known = {dish.id: dish for dish in facts.dishes}
        chosen += [known[name] for name in menu.dishes if name in known]
    else:
        chosen = by_rank
    once: list[Dish] = []
    for dish in chosen:
        if dish not in once and (menu.marks_sold_out or not dish.gone(at)):
            once.append(dish)
    return once


def rows(menu: Menu, facts: Facts, at: datetime) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """The rows under their headings."""
    dishes = listed(menu, facts, at)
    if not menu.grouped:
        dishes.sort(key=lambda dish: dish.rank)
        headings = [""] if dishes else []
        groups = {"": dishes}
    else:
        headings = list(dict.fromkeys(dish.category for dish in dishes))
        groups = {heading: [dish for dish in dishes if dish.category == heading] for heading in headings}
    return tuple(
        (heading, tuple((dish.name, price(dish.price, facts.place)) for dish in groups[heading]))
        for heading in headings
    )


def presented(poster: Poster, facts: Facts, at: datetime) -> Dish | None:
    """The dish of an item widget: its own, or the substitute's."""
    for name in (poster.dish, poster.instead):
        for dish in facts.dishes:
            if dish.id == name and not dish.gone(at):
                return dish
    return None


def showable(scene: Scene, facts: Facts, at: datetime) -> bool:
    if scene.menus:
        return any(listed(menu, facts, at) for menu in scene.menus)
    return not scene.posters or any(presented(poster, facts, at) for poster in scene.posters)


def view(version: Version, entry: Entry | None, facts: Facts, at: datetime) -> Seen:
    """The entry as a guest reads it."""
    if entry is None:
        return Seen(card=HOUSE)
    dishes = {poster.id: presented(poster, facts, at) for poster in entry.scene.posters}
    return Seen(
        version=version.key,
        entry=entry.id,
        menus={menu.id: rows(menu, facts, at) for menu in entry.scene.menus},
        posters={name: (dish.name, price(dish.price, facts.place)) for name, dish in dishes.items() if dish},
    )


# Prices, of three locales


FORMATS = {
    ("de-DE", "EUR"): (2, "{} €", ".", ","),
    ("en-IE", "EUR"): (2, "€{}", ",", "."),
    ("en-US", "USD"): (2, "${}", ",", "."),
    ("ja-JP", "JPY"): (0, "¥{}", ",", "."),
}
PLACES = tuple(FORMATS)
"""Locale and currency of the places of the soak."""


def price(amount: Decimal, place: Place) -> str:
    """A price as text, with a plain space where the player has one that does not break."""
    decimals, pattern, group, point = FORMATS[place.locale, place.currency]
    rounded = amount.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)
    whole, _, fraction = f"{rounded:f}".partition(".")
    groups: list[str] = []
    while whole:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    return pattern.format(group.join(groups) + (point + fraction if fraction else ""))


def dishes_of(names: Iterable[Dish], *, but: str) -> tuple[Dish, ...]:
    """The dishes without one."""
    return tuple(dish for dish in names if dish.id != but)


def changed(dishes: Sequence[Dish], new: Dish) -> tuple[Dish, ...]:
    """The dishes with one changed, each in its place."""
    return tuple(new if dish.id == new.id else dish for dish in dishes)
