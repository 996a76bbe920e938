"""The model of the soak says what docs/semantics.md says, and shares no code with what it is compared with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.soak import model
from tests.soak.model import (
    Dish,
    Entry,
    Facts,
    Here,
    Hours,
    Menu,
    Place,
    Planned,
    Poster,
    Scene,
    Version,
    present,
)
from tests.support.imports import imports

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"
LORD_HOWE, BEIRUT = "Australia/Lord_Howe", "Asia/Beirut"
PLACE = Place("UTC", "EUR", "de-DE")
ZERO = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_the_model_shares_no_code_with_the_programs() -> None:
    found = {imported.partition(".")[0] for imported, _ in imports(Path(model.__file__))}
    assert found <= {
        "__future__", "bisect", "collections", "dataclasses", "datetime", "decimal", "functools", "zoneinfo"
    }  # fmt: skip


DAYPARTS = [
    (BERLIN, "06:00", "11:00", "2026-11-20", "20 05:00", "20 10:00"),
    (BERLIN, "22:00", "02:00", "2026-11-20", "20 21:00", "21 01:00"),
    (BERLIN, "08:00", "08:00", "2026-11-20", "20 07:00", "21 07:00"),
    (BERLIN, "18:00", "24:00", "2026-11-20", "20 17:00", "20 23:00"),
    (BERLIN, "00:00", "24:00", "2026-03-29", "28 23:00", "29 22:00"),
    (BERLIN, "00:00", "24:00", "2026-10-25", "24 22:00", "25 23:00"),
    (BERLIN, "02:30", "04:00", "2026-03-29", "29 01:30", "29 02:00"),
    (BERLIN, "02:00", "03:00", "2026-03-29", None, None),
    (BERLIN, "02:00", "03:00", "2026-10-25", "25 00:00", "25 02:00"),
    (NEW_YORK, "23:00", "06:00", "2026-03-07", "08 04:00", "08 10:00"),
    (LORD_HOWE, "01:00", "03:00", "2026-10-04", "03 14:30", "03 16:00"),
    (BEIRUT, "00:00", "06:00", "2026-03-29", "28 22:00", "29 03:00"),
    (BEIRUT, "18:00", "24:00", "2026-03-28", "28 16:00", "28 22:00"),
]
"""The table of docs/semantics.md."""


def test_a_daypart_does_not_begin_on_a_date_of_exception() -> None:
    first, last = datetime.fromisoformat("2026-12-24").date(), datetime.fromisoformat("2026-12-26").date()
    found = model.occurrences(Hours("22:00", "02:00", but_not=("2026-12-25",)), "UTC", first, last)
    assert [f"{a:%d}" for a, _ in found] == ["24", "26"]


@pytest.mark.parametrize(("zone", "start", "end", "day", "begins", "ends"), DAYPARTS)
def test_dayparts_occur_as_the_table_says(
    zone: str, start: str, end: str, day: str, begins: str | None, ends: str | None
) -> None:
    on = datetime.fromisoformat(day).date()
    found = model.occurrences(Hours(start, end), zone, on, on)
    assert [(f"{a:%d %H:%M}", f"{b:%d %H:%M}") for a, b in found] == ([(begins, ends)] if begins else [])


def version(*entries: tuple[str, int], hours: Hours | None = None) -> Version:
    """Entries that show an item of their own name."""
    return Version(
        "pl",
        1,
        ZERO,
        tuple(Entry(name, Scene(name, (Menu("m", dishes=(name,)),)), seconds, hours) for name, seconds in entries),
    )


def facts(*names: str) -> Facts:
    return Facts(PLACE, tuple(Dish(name, name, "Food", Decimal(1)) for name in names))


BROKEN = [
    ("", ["A 0-10", "B 10-30", "C 30-60", "A 60-70"]),
    ("B", ["A 0-10", "C 10-60", "C 10-60", "A 60-70"]),
    ("C", ["A 0-10", "B 10-30", "A 30-70", "A 30-70"]),
    ("AC", ["B 0-30", "B 0-30", "B 30-90", "B 30-90"]),
    ("ABC", ["nothing"] * 4),
]
"""The other table: A lasts 10 s, B 20 s, C 30 s."""


@pytest.mark.parametrize(("broken", "expected"), BROKEN)
def test_entries_that_cannot_be_shown_give_their_time_as_the_table_says(broken: str, expected: list[str]) -> None:
    loop = version(("A", 10), ("B", 20), ("C", 30))
    found = []
    for second in (5, 15, 35, 65):
        now = model.showing(loop, ZERO, facts(*(set("ABC") - set(broken))), ZERO + timedelta(seconds=second))
        since, until = (round((at - ZERO).total_seconds()) for at in (now.since, now.until))
        found.append("nothing" if now.entry is None else f"{now.entry.id} {since}-{until}")
    assert found == expected


FESTIVE = [
    ("", "09:59", "breakfast"),
    ("", "10:00", "christmas"),
    ("", "11:00:15", "gifts"),
    ("", "20:00", "lunch"),
    ("christmas", "10:00", "gifts"),
    ("christmas gifts", "10:30", "breakfast"),
    ("christmas gifts", "11:00", "lunch"),
]
"""And the table of priorities."""


@pytest.mark.parametrize(("broken", "at", "expected"), FESTIVE)
def test_a_higher_priority_plays_in_place_of_a_lower_one(broken: str, at: str, expected: str) -> None:
    hours = {
        "breakfast": Hours("06:00", "11:00"),
        "lunch": Hours("11:00", "22:00"),
        "christmas": Hours("2026-12-25T10:00", "2026-12-25T20:00", window=True, priority=50),
        "gifts": Hours("2026-12-25T10:00", "2026-12-25T20:00", window=True, priority=50),
    }
    seconds = {"breakfast": 3600, "lunch": 3600, "christmas": 10, "gifts": 20}
    entries = tuple(
        Entry(name, Scene(name, (Menu("m", dishes=(name,)),), hours=(hours[name],)), seconds[name]) for name in hours
    )
    day = datetime(2026, 12, 25, tzinfo=UTC)
    now = model.showing(
        Version("pl", 1, day - timedelta(days=1), entries),
        day - timedelta(days=1),
        facts(*(hours.keys() - set(broken.split()))),
        datetime.fromisoformat(f"2026-12-25T{at}").replace(tzinfo=UTC),
    )
    assert now.entry is not None
    assert now.entry.id == expected


def test_an_override_shows_in_place_of_the_version_until_its_time() -> None:
    def override(name: str, since: int, until: int) -> model.Override:
        shown = Version(name, 0, ZERO + timedelta(minutes=since), version((name, 10)).entries)
        return model.Override(shown, ZERO + timedelta(minutes=until))

    known = Facts(PLACE, facts("A", "B").dishes, (override("B", 1, 60), override("A", 0, 120), override("C", 2, 60)))

    def shown(minute: float) -> str | None:
        found = model.overridden(known, ZERO + timedelta(minutes=minute))
        return found and found[0].playlist

    assert [shown(at) for at in (0, 1, 2, 59.9, 60, 119.9, 120)] == ["A", "B", "B", "B", "A", "A", None]


def test_loop_boundaries_are_ends_of_loops_and_starts_of_periods() -> None:
    loop = version(("A", 60), ("B", 90), hours=Hours("00:00", "12:10"))
    found = model.boundaries(loop, ZERO, facts("A", "B"), ZERO, ZERO + timedelta(minutes=12))
    assert [(at - ZERO).total_seconds() for at in found[:5]] == [150, 300, 450, 600, 43_200]


def test_menus_list_by_category_then_by_id_and_no_item_twice() -> None:
    dishes = Facts(
        PLACE,
        (
            Dish("1", "Tea", "Hot", Decimal(2), rank=2),
            Dish("2", "Coffee", "Hot", Decimal(3), rank=1),
            Dish("3", "Cake", "Sweet", Decimal("4.5")),
            Dish("4", "Pie", "Sweet", Decimal(5), sold_out=True),
        ),
    )
    menu = Menu("m", ("Hot",), ("3", "4", "1"))
    assert model.rows(menu, dishes, ZERO) == (
        ("Hot", (("Coffee", "3,00 €"), ("Tea", "2,00 €"))),
        ("Sweet", (("Cake", "4,50 €"),)),
    )
    assert model.presented(Poster("p", "4", "3"), dishes, ZERO) == dishes.dishes[2]


@pytest.mark.parametrize(
    ("locale", "currency", "amount", "text"),
    [
        ("de-DE", "EUR", "1234.5", "1.234,50 €"),
        ("en-IE", "EUR", "0", "€0.00"),
        ("en-US", "USD", "1234567.891", "$1,234,567.89"),
        ("ja-JP", "JPY", "1250.5", "¥1,250"),
    ],
)
def test_prices_of_the_places_of_the_soak(locale: str, currency: str, amount: str, text: str) -> None:
    assert model.price(Decimal(amount), Place("UTC", currency, locale)) == text


def test_dishes_are_as_the_location_has_them_and_as_planned_from_their_local_time_on() -> None:
    place = Place("Europe/Berlin", "EUR", "de-DE")
    dishes = (Dish("a", "A", "Coffee", Decimal(3)), Dish("b", "B", "Coffee", Decimal(4), sold_out=True))
    planned = (
        Planned("later", "2027-01-01T06:00:00", "a", here=False, name="price", value=Decimal(7)),
        Planned("first", "2027-01-01T05:00:00", "a", here=True, name="price", value=None),
        Planned("first", "2027-01-01T05:00:00", "b", here=True, name="hidden", value=True),
    )
    here = (("a", Here(price=Decimal(9))), ("b", Here(sold_out=False)))
    facts = Facts(place, dishes, here=here, planned=planned)

    def seen(at: datetime | None) -> list[tuple[str, Decimal, bool]]:
        return [(dish.id, dish.price, dish.sold_out) for dish in present(facts, at).dishes]

    before = [("a", Decimal(9), False), ("b", Decimal(4), False)]
    assert seen(None) == seen(datetime(2027, 1, 1, 3, 59, tzinfo=UTC)) == before
    assert seen(datetime(2027, 1, 1, 4, tzinfo=UTC)) == [("a", Decimal(3), False)]
    assert seen(datetime(2027, 1, 1, 5, tzinfo=UTC)) == [("a", Decimal(7), False)]
