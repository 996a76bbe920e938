"""Whom an alert tells of what, and when."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from service.schema.workspace.alert import AlertKind
from service.services.alerts.rules import FAULT_LASTS, GATHER, MAX_LINES, Known, Mail, Name, step
from service.services.alerts.troubles import Trouble
from service.services.shared.hours import held_since

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
OFFLINE, FAULT = AlertKind.SCREEN_OFFLINE, AlertKind.BOARD_FAULT


def offline(name: str, *, since: datetime = NOON, open_since: datetime | None = None, closed: bool = False) -> Trouble:
    text = f"{name} (Corner) is offline"
    return Trouble(OFFLINE, name, name, text, "loc_1", since=since, open_since=open_since, is_closed=closed)


class Person:
    """Keeps what an alert knows from look to look, as the database does."""

    def __init__(self, *, minutes: int = 10) -> None:
        self._offline = timedelta(minutes=minutes)
        self._known: dict[Name, Known] = {}

    def look(self, found: Sequence[Trouble], now: datetime, *, quiet: bool = False) -> tuple[Mail, ...]:
        taken = step(found, self._known, offline=self._offline, is_quiet=quiet, now=now)
        for one in taken.noticed:
            self._known[one.kind, one.subject] = Known(one.name, now)
        for name in taken.told:
            self._known[name] = Known(self._known[name].name, self._known[name].noticed_at, now)
        for name in taken.forgotten:
            del self._known[name]
        return taken.mails


def test_a_screen_is_told_after_the_minutes_once_and_that_it_is_back() -> None:
    person, bar = Person(), offline("Bar")
    due = NOON + 10 * MINUTE + GATHER
    assert person.look([bar], NOON + 2 * MINUTE) == ()
    assert person.look([bar], due - timedelta(seconds=1)) == ()
    assert person.look([bar], due) == (Mail("Bar is offline", "Bar (Corner) is offline.\n"),)
    assert person.look([bar], due + timedelta(days=3)) == ()
    assert person.look([], due + timedelta(days=3)) == (Mail("Bar is online again", "Bar is online again.\n"),)
    assert person.look([], due + timedelta(days=4)) == ()


def test_a_screen_that_comes_back_in_time_is_not_mentioned() -> None:
    person = Person()
    assert person.look([offline("Bar")], NOON + 9 * MINUTE) == ()
    assert person.look([], NOON + 12 * MINUTE) == ()


def test_many_screens_of_one_failure_are_one_mail_and_one_when_the_last_is_back() -> None:
    person = Person()
    screens = [offline(f"Board {n}", since=NOON + timedelta(seconds=n)) for n in range(60)]
    [mail] = person.look(screens, NOON + 10 * MINUTE + GATHER)
    assert mail.subject == "60 screens are offline"
    assert mail.body.splitlines()[-1] == f"… and {60 - MAX_LINES} more."
    assert person.look(screens[:1], NOON + 20 * MINUTE) == ()
    [over] = person.look([], NOON + 21 * MINUTE)
    assert over.subject == "60 screens are online again"


def test_minutes_count_within_the_opening_hours_only() -> None:
    person = Person()
    assert person.look([offline("Bar", closed=True)], NOON + timedelta(hours=9)) == ()
    opened = NOON + timedelta(hours=20)
    bar = offline("Bar", open_since=opened)
    assert person.look([bar], opened + 10 * MINUTE) == ()
    assert [mail.subject for mail in person.look([bar], opened + 10 * MINUTE + GATHER)] == ["Bar is offline"]
    assert person.look([offline("Bar", closed=True)], opened + timedelta(hours=12)) == (), "closing ends nothing"


def test_quiet_hours_put_off_what_is_still_so_afterwards() -> None:
    person, bar = Person(), offline("Bar")
    at = NOON + 30 * MINUTE
    assert person.look([bar], at, quiet=True) == ()
    assert [mail.subject for mail in person.look([bar], at + MINUTE)] == ["Bar is offline"]
    assert person.look([], at + 2 * MINUTE, quiet=True) == ()
    assert [mail.subject for mail in person.look([], at + 3 * MINUTE)] == ["Bar is online again"]


def test_a_fault_that_goes_by_itself_is_not_told() -> None:
    person, hot = Person(), Trouble(FAULT, "scr_1", "Bar", "Bar (Corner) says: The screen is black", "loc_1")
    assert person.look([hot], NOON) == ()
    assert person.look([], NOON + MINUTE) == ()
    assert person.look([hot], NOON + 2 * MINUTE) == ()
    later = NOON + 2 * MINUTE + FAULT_LASTS + GATHER
    assert person.look([hot], later) == (Mail("Bar has a fault", "Bar (Corner) says: The screen is black.\n"),)


def test_different_troubles_of_one_moment_are_one_mail() -> None:
    person = Person()
    sync = Trouble(AlertKind.SYNC_FAILED, "pos_1", "Till", "Till could not be synchronised: timeout")
    bar = offline("Bar", since=NOON - 10 * MINUTE)
    assert person.look([bar, sync], NOON) == ()
    [mail] = person.look([bar, sync], NOON + GATHER)
    assert mail.subject == "2 things need a look"
    assert mail.body == "Bar (Corner) is offline.\nTill could not be synchronised: timeout.\n"
    assert [one.subject for one in person.look([], NOON + timedelta(hours=1))] == [
        "Bar is online again",
        "Till is synchronised again",
    ]


def test_a_decided_approval_needs_no_second_mail() -> None:
    person = Person()
    asked = Trouble(AlertKind.APPROVAL_REQUESTED, "apr_1", "Lunch", "Somebody asks to publish Lunch", since=NOON)
    assert [mail.subject for mail in person.look([asked], NOON + GATHER)] == ["Approval asked for: Lunch"]
    assert person.look([], NOON + timedelta(hours=1)) == ()


@pytest.mark.parametrize(
    ("hours", "zone", "now", "since"),
    [
        ({"start": "08:00", "end": "20:00"}, "Europe/Berlin", "2026-11-20T12:00", "2026-11-20T07:00"),
        ({"start": "08:00", "end": "20:00"}, "Europe/Berlin", "2026-11-20T06:59", None),
        ({"start": "08:00", "end": "20:00"}, "Europe/Berlin", "2026-11-20T19:00", None),
        # In the summer time of Berlin.
        ({"start": "08:00", "end": "20:00"}, "Europe/Berlin", "2026-07-01T06:00", "2026-07-01T06:00"),
        ({"start": "22:00", "end": "04:00", "days": ["fri"]}, "UTC", "2026-11-21T03:00", "2026-11-20T22:00"),
        ({"start": "22:00", "end": "04:00", "days": ["fri"]}, "UTC", "2026-11-22T03:00", None),
        ({"start": "00:00", "end": "24:00", "days": ["fri"]}, "UTC", "2026-11-20T23:59", "2026-11-20T00:00"),
    ],
)
def test_hours_of_a_day(hours: dict[str, object], zone: str, now: str, since: str | None) -> None:
    expected = None if since is None else datetime.fromisoformat(since).replace(tzinfo=UTC)
    assert held_since([hours], zone, datetime.fromisoformat(now).replace(tzinfo=UTC)) == expected


def test_hours_that_touch_are_one_stretch() -> None:
    hours = [{"start": "06:00", "end": "12:00"}, {"start": "12:00", "end": "22:00"}]
    assert held_since(hours, "UTC", NOON + timedelta(hours=3)) == NOON.replace(hour=6)
