"""Opening hours as a board shows them."""

import pytest
from msgspec.structs import replace

from menu.documents.manifest import Catalogue, LiveValue, Location
from menu.documents.schedule import Daypart
from menu.text.hours import hours_text
from menu.text.languages import speech_of
from menu.text.live_values import filled
from tests.menu.rules.versions import utc

MORNING, EVENING = Daypart(start=9 * 60, end=14 * 60), Daypart(start=17 * 60 + 30, end=22 * 60)


def at(*hours: Daypart, locale: str = "en-GB") -> Location:
    return Location(
        id="loc", name="Café", timezone="Europe/London", currency="GBP", locale=locale, opening_hours=tuple(hours)
    )


def on(days: str, start: int, end: int) -> Daypart:
    return Daypart(start=start * 60, end=end * 60, days=frozenset(map(int, days)))


WEEK = (on("0123", 9, 18), on("4", 9, 18), on("5", 10, 14))


@pytest.mark.parametrize(
    ("hours", "locale", "lines"),
    [
        (WEEK, "en-GB", ["Mon–Fri 09:00–18:00", "Sat 10:00–14:00"]),
        (WEEK, "de-DE", ["Mo–Fr 09:00–18:00", "Sa 10:00–14:00"]),
        (WEEK, "en-US", ["Mon–Fri 9:00\u202fAM–6:00\u202fPM", "Sat 10:00\u202fAM–2:00\u202fPM"]),
        ((on("06", 8, 12),), "en-US", ["Sun, Mon 8:00\u202fAM–12:00\u202fPM"]),
        ((MORNING, EVENING), "en-GB", ["Mon–Sun 09:00–14:00, 17:30–22:00"]),
        ((on("5", 18, 24), on("0", 12, 15), on("0", 15, 18)), "en-GB", ["Mon 12:00–18:00", "Sat 18:00–00:00"]),
        ((), "en-GB", []),
    ],
)
def test_days_with_the_same_hours_are_one_line_from_the_first_of_the_week(
    hours: tuple[Daypart, ...], locale: str, lines: list[str]
) -> None:
    assert hours_text(at(*hours), locale).split("\n") == (lines or [""])


def test_arabic_hours_have_their_figures() -> None:
    assert any("٠" <= letter <= "٩" for letter in hours_text(at(*WEEK, locale="ar-KW"), "ar-KW"))


def test_a_text_takes_the_hours_unless_a_program_says_others() -> None:
    empty = Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={})
    place = at(*WEEK)
    text = "Open\n{{openingHours}}"
    shown = filled(text, empty, speech_of((), empty, place, None))
    assert shown.text == "Open\nMon–Fri 09:00–18:00\nSat 10:00–14:00"
    closed = filled(text, empty, speech_of((), empty, at(), None))
    assert (closed.text, closed.lacking) == ("Open", ("openingHours",))
    said = replace(
        empty,
        values={"openingHours": LiveValue(value="today until 15:00", expires_at=utc("2026-11-20T20:00"), current=True)},
    )
    assert filled(text, said, speech_of((), said, place, None)).text == "Open\ntoday until 15:00"
