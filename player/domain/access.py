"""Rules of access to the page from other machines, by the PIN on the screen; pure.

A PIN that a browser has asked for is for that browser. Wrong ones are counted for each address and in all, and the
wishes for a PIN, too; the counts are stored, so that a restart forgives nothing. A PIN that was shown at the device is
for everybody who sees it, and has guesses of its own, so that nobody can use them up beforehand; while somebody guesses
it is too long to be used up. Of a session only a hash is stored.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from player.domain.words.redacted import Redacted

PIN_DIGITS = 6

LONG_PIN_DIGITS = 10
"""Digits of a PIN that is shown at the device while somebody guesses."""

PIN_SECONDS = 120.0
"""The time for which a PIN shows, and counts."""

MOST_GUESSES = 5
"""Wrong PINs after which the one that a browser has asked for no longer counts."""

MOST_GUESSES_AT_DEVICE = 20
"""Wrong PINs after which one that was shown at the device no longer counts."""

MOST_GUESSES_AT_LONG = 20_000
"""Wrong PINs after which such a long one no longer counts: more than come while it shows."""

MOST_GUESSES_OF_ADDRESS = 3
"""Wrong PINs of one address at one that was shown at the device; others may go on."""

MOST_FAILURES_OF_ADDRESS = 5
ADDRESS_SECONDS = 600.0
"""Wrong PINs of one address within this time, after which it has to wait."""

MOST_FAILURES = 20
FAILURES_SECONDS = 3600.0
"""Wrong PINs of all addresses within this time, after which only a PIN that is shown at the device lets anybody in."""

ASK_AGAIN_SECONDS = 60.0
"""Between two wishes of the page that the PIN be shown: guests see it."""

MOST_ASKED = 10
ASKED_SECONDS = 3600.0
"""Wishes of the page within this time."""

SESSION_SECONDS = 3600.0
"""From the PIN on, after which it is asked for again."""

MOST_SESSIONS = 8
"""The oldest ends for a further one."""

Instant = Annotated[datetime, msgspec.Meta(tz=True)]


class Failure(Struct, frozen=True):
    """A wrong PIN."""

    at: Instant
    address: str


class Session(Struct, frozen=True):
    """A browser that is signed in: the hash of its secret, from where, and until when."""

    digest: str
    address: str
    until: Instant


class Pin(Redacted, frozen=True, kw_only=True):
    """The PIN on the screen; `until` is on the monotonic clock."""

    redacted_fields = ("digits",)
    digits: str
    until: float

    @property
    def grouped(self) -> str:
        """The digits as they are shown."""
        half = len(self.digits) // 2
        return f"{self.digits[:half]} {self.digits[half:]}"


class Showing(Redacted, frozen=True, kw_only=True):
    """A PIN, and for whom it is: for the browser with this secret, or for everybody (None). That one `is_long` while
    somebody guesses. `guesses` are the addresses of those that were wrong."""

    redacted_fields = ("visitor",)
    pin: Pin
    visitor: str | None = None
    is_long: bool = False
    guesses: tuple[str, ...] = ()

    def is_for(self, visitor: str) -> bool:
        """Whether this browser may try it."""
        return self.visitor is None or self.visitor == visitor

    def allows(self, address: str) -> bool:
        """Whether this address may still try it."""
        return self.visitor is not None or self.guesses.count(address) < MOST_GUESSES_OF_ADDRESS

    def guessed(self, address: str) -> Showing | None:
        """The same after a wrong guess; None once it no longer counts."""
        guesses = (*self.guesses, address)
        at_device = MOST_GUESSES_AT_LONG if self.is_long else MOST_GUESSES_AT_DEVICE
        most = at_device if self.visitor is None else MOST_GUESSES
        return replace(self, guesses=guesses) if len(guesses) < most else None


class Access(Struct, frozen=True):
    """The stored part. Times are wall time; one in the future was noted while the clock was wrong, and counts as
    now."""

    failures: tuple[Failure, ...] = ()
    asked: tuple[Instant, ...] = ()
    sessions: tuple[Session, ...] = ()

    @classmethod
    def read(cls, content: bytes | None) -> Access:
        """Reads the stored part. Raises one of NOT_THE_DOCUMENT."""
        return msgspec.json.decode(content or b"{}", type=cls)

    def encoded(self) -> bytes:
        """The content of the file."""
        return msgspec.json.encode(self)

    def at(self, now: datetime) -> Access:
        """The same without what no longer counts."""
        longest = timedelta(seconds=SESSION_SECONDS)
        failures = tuple(Failure(min(one.at, now), one.address) for one in self.failures)
        return Access(
            failures=tuple(one for one in failures if _age(one.at, now) < FAILURES_SECONDS)[-MOST_FAILURES:],
            asked=tuple(at for at in (min(at, now) for at in self.asked) if _age(at, now) < ASKED_SECONDS)[
                -MOST_ASKED:
            ],
            sessions=tuple(one for one in self.sessions if now < one.until <= now + longest)[-MOST_SESSIONS:],
        )

    def wait_to_try(self, address: str, now: datetime) -> float:
        """Seconds until this address may try a PIN; 0 if it may now."""
        known = self.at(now).failures
        own = [one for one in known if one.address == address and _age(one.at, now) < ADDRESS_SECONDS]
        waits = [0.0]
        if len(own) >= MOST_FAILURES_OF_ADDRESS:
            waits.append(ADDRESS_SECONDS - _age(own[-MOST_FAILURES_OF_ADDRESS].at, now))
        if len(known) >= MOST_FAILURES:
            waits.append(FAILURES_SECONDS - _age(known[-MOST_FAILURES].at, now))
        return max(waits)

    def is_guessed(self, now: datetime) -> bool:
        """Whether somebody guesses: so much was wrong that a PIN of the page's own lets nobody in."""
        return len(self.at(now).failures) >= MOST_FAILURES

    def failed(self, address: str, now: datetime) -> Access:
        """A PIN from this address was wrong."""
        known = self.at(now)
        return replace(known, failures=(*known.failures, Failure(now, address)))

    def wait_to_ask(self, now: datetime) -> float:
        """Seconds until the page may ask for the PIN to be shown; 0 if it may now."""
        asked = self.at(now).asked
        waits = [0.0]
        if asked:
            waits.append(ASK_AGAIN_SECONDS - _age(asked[-1], now))
        if len(asked) >= MOST_ASKED:
            waits.append(ASKED_SECONDS - _age(asked[-MOST_ASKED], now))
        return max(waits)

    def asked_at(self, now: datetime) -> Access:
        """The page has asked for the PIN to be shown."""
        known = self.at(now)
        return replace(known, asked=(*known.asked, now))

    def signed_in(self, digest: str, address: str, now: datetime, *, counted_to: str) -> Access:
        """A browser has the PIN: it begins a session, and its address has a clean slate."""
        known = self.at(now)
        session = Session(digest, address, now + timedelta(seconds=SESSION_SECONDS))
        return replace(
            known,
            failures=tuple(one for one in known.failures if one.address != counted_to),
            sessions=(*known.sessions, session)[-MOST_SESSIONS:],
        )

    def signed_out(self, digest: str) -> Access:
        """The session is over."""
        return replace(self, sessions=tuple(one for one in self.sessions if one.digest != digest))

    def session(self, digest: str, address: str, now: datetime) -> Session | None:
        """The session of this secret, if it is used from where it began."""
        return next((one for one in self.at(now).sessions if (one.digest, one.address) == (digest, address)), None)


def _age(at: datetime, now: datetime) -> float:
    return (now - at).total_seconds()
