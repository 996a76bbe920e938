"""Schedules in words: in English, and as other languages write days, times and numbers."""

from menu.text.phrase import in_language
from menu.text.schedule_words import describe, describe_rule
from tests.menu.rules.versions import daily, window

BREAKFAST, WEEKEND = daily("06:00", "11:00", "mon", "fri"), daily("10:00", "15:00", "sat", "sun")


def test_a_schedule_is_described_for_a_technician() -> None:
    assert describe(BREAKFAST) == "Mon, Fri 06:00–11:00"
    assert describe(daily("18:00", "24:00", timezone="Asia/Tokyo")) == "daily 18:00–24:00 (Asia/Tokyo)"
    assert describe(daily("18:00", "24:00", but_not=["2026-12-25"])) == "daily 18:00–24:00, but not on 25 Dec 2026"
    assert describe(window("2026-12-24T10:00", "2026-12-26T22:00")) == "24 Dec 2026, 10:00–26 Dec 2026, 22:00"


def test_all_schedules_of_an_entry_are_described_and_a_long_list_is_shortened() -> None:
    assert describe_rule((BREAKFAST, WEEKEND), None) == "Mon, Fri 06:00–11:00 or Sat, Sun 10:00–15:00"
    assert describe_rule((), WEEKEND) == "Sat, Sun 10:00–15:00"
    both = "Mon, Fri 06:00–11:00, and in this playlist only Sat, Sun 10:00–15:00"
    assert describe_rule((BREAKFAST,), WEEKEND) == both
    dates = [f"2026-12-{day}" for day in range(10, 18)]
    told = describe(daily("18:00", "24:00", but_not=dates))
    assert told.endswith("but not on 10 Dec 2026, 11 Dec 2026, 12 Dec 2026, 13 Dec 2026, 14 Dec 2026; and 3 more")
    assert describe_rule((BREAKFAST,) * 7, None).endswith(" or at 2 other times")


def test_a_schedule_is_described_in_the_language_of_the_reader() -> None:
    assert in_language(describe(BREAKFAST), "de") == "Mo, Fr 06:00–11:00"
    assert in_language(describe(window("2026-12-24T10:00", "2026-12-26T22:00")), "fr").startswith("24 déc. 2026")
    assert "من" in in_language(describe(WEEKEND), "ar")
