"""Clocks, phrases and script direction by locale, for any input."""

from datetime import datetime

import pytest
from babel import localedata
from hypothesis import given
from hypothesis import strategies as st

from menu.documents.manifest import Location
from menu.sizes import size_text
from menu.text.wording import Locality, back_text, cldr_locale, clock_text, locality_of, sold_out_text
from tests.menu.rules.versions import at, utc

FRIDAY = utc("2026-11-20T06:30")


@pytest.mark.parametrize(
    ("pattern", "timezone", "locale", "text"),
    [
        ("HH:mm", "Europe/Berlin", "de-DE", "07:30"),
        ("HH:mm", "America/New_York", "en-US", "01:30"),
        ("h:mm a", "Asia/Tokyo", "en-US", "3:30 PM"),
        ("EEEE, d. MMMM", "Europe/Berlin", "de-DE", "Freitag, 20. November"),
        ("EEEE d MMMM", "Europe/Paris", "fr-FR", "vendredi 20 novembre"),
        ("HH 'Uhr'", "Europe/Berlin", "de-DE", "07 Uhr"),
        ("HH:mm", "Africa/Cairo", "ar-EG", "٠٨:٣٠"),
        ("HH:mm", "Asia/Tehran", "fa-IR", "۱۰:۰۰"),
        ("HH:mm", "Asia/Kathmandu", "ne-NP", "१२:१५"),
        ("HH:mm", "Nowhere/Land", "de-DE", "06:30"),
        ("HH:mm", "Europe/Berlin", "xx-YY", "07:30"),
        # `HH:mm` replaces a pattern that cannot be read.
        ("HHHHHHH", "Europe/Berlin", "de-DE", "07:30"),
        ("QQQQQQQQ", "Europe/Berlin", "de-DE", "07:30"),
        ("'unended", "Europe/Berlin", "de-DE", "07:30"),
        ("", "Europe/Berlin", "de-DE", "07:30"),
        ("   ", "Europe/Berlin", "de-DE", "07:30"),
    ],
)
def test_a_clock_is_formatted_by_its_pattern_zone_and_locale(
    pattern: str, timezone: str, locale: str, text: str
) -> None:
    assert clock_text(pattern, FRIDAY, timezone, locale) == text


@given(
    pattern=st.text(alphabet="GyYuUQqMLwWdDFgEecabBhHKkjJmsSAzZOvVXx':.,-/% {}()0é", max_size=12),
    locale=st.sampled_from(["de-DE", "ar-EG", "fa-IR", "th-TH", "zh-Hant-TW", "en"]),
)
def test_any_pattern_has_a_text(pattern: str, locale: str) -> None:
    assert clock_text(pattern, FRIDAY, "Europe/Berlin", locale).strip()


@pytest.mark.parametrize(
    ("locale", "right_to_left"),
    [
        ("ar-EG", True),
        ("he-IL", True),
        ("fa-IR", True),
        ("ur-PK", True),
        ("de-DE", False),
        ("ja-JP", False),
        ("??", False),
    ],
)
def test_the_script_direction_is_that_of_the_locale(locale: str, right_to_left: bool) -> None:
    location = Location(id="l", name="L", timezone="Asia/Tokyo", currency="EUR", locale=locale)
    assert locality_of(location) == Locality(timezone="Asia/Tokyo", locale=locale, right_to_left=right_to_left)


@pytest.mark.parametrize(
    ("locale", "next_at", "text"),
    [
        ("de-DE", "2026-11-20T17:00", "Wieder da um 17:00"),
        ("en-GB", "2026-11-20T17:00", "Back at 17:00"),
        ("en-US", "2026-11-20T17:00", "Back at 5:00\N{NARROW NO-BREAK SPACE}PM"),
        ("de-DE", "2026-11-21T06:30", "Wieder da: Samstag, 06:30"),
        ("fr-FR", "2026-11-26T06:30", "De retour : jeudi, 06:30"),
        ("en-GB", "2026-11-27T06:30", "Back 27 Nov, 06:30"),
        ("ar-EG", "2026-11-20T17:00", "نعود الساعة ٥:٠٠ م"),
        ("sv-SE", "2026-11-20T17:00", "Tillbaka kl. 17:00"),
        ("is-IS", "2026-11-20T17:00", "Back at 17:00"),
        ("zh-Hant-TW", "2026-11-20T06:30", "清晨6:30 恢復供應"),
    ],
)
def test_the_text_says_when_something_shows_again(locale: str, next_at: str, text: str) -> None:
    now: datetime = at("2026-11-20T01:00")
    assert back_text(at(next_at), now, Locality(timezone="Europe/Berlin", locale=locale)) == text


def test_every_locale_has_such_a_text() -> None:
    for tag in localedata.locale_identifiers():
        for day in ("20", "22", "29"):
            assert back_text(at(f"2026-11-{day}T17:00"), FRIDAY, Locality(timezone="Europe/Berlin", locale=tag))


def test_sold_out_is_written_in_the_language_of_the_locale() -> None:
    assert sold_out_text("de-AT") == "Ausverkauft"
    assert sold_out_text("ja-JP") == "売り切れ"
    assert sold_out_text("xx") == "Sold out"


@pytest.mark.parametrize(
    ("tag", "known"),
    [
        ("de-DE", "de_DE"),
        ("de_DE", "de_DE"),
        ("zh-TW", "zh_Hant_TW"),
        ("de-XX", "de"),
        ("sr-Latn-XX", "sr_Latn"),
        ("de-DE-u-nu-latn", "de_DE"),
        ("", "en"),
        ("-", "en"),
        ("\0", "en"),
        ("../../x", "en"),
        ("x" * 5000, "en"),
    ],
)
def test_any_tag_has_a_locale(tag: str, known: str) -> None:
    assert str(cldr_locale(tag)) == known


@pytest.mark.parametrize(
    ("size", "text"),
    [(999, "999 bytes"), (65_536, "65.5 kB"), (4_194_304, "4.2 MB"), (5_000_000, "5 MB"), (8 << 30, "8.6 GB")],
)
def test_a_size_is_in_the_unit_that_people_use(size: int, text: str) -> None:
    assert size_text(size) == text
