"""Decides which other machines may open the page: those whose user has read the PIN on the screen; pure.

One number bounds guessing: the tries of an hour, from all addresses together. A try is a wrong PIN, or a PIN that the
sign-in page has had shown. After the last one a PIN has ten digits, which cannot be guessed while it shows. The tries
are stored, so that a restart does not reset them. Of a session only a hash is stored.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from player.domain.redacted import Redacted

MOST_TRIES = 10
TRIES_SECONDS = 3600.0
"""Tries within this time. Afterwards only a PIN that is on the screen lets anybody in."""

PIN_DIGITS = 6
LONG_PIN_DIGITS = 10
"""Digits of a PIN that shows after the last try. All that the page compares in its two minutes is too little to
guess it."""

PIN_SECONDS = 120.0
"""The time for which a PIN shows, and counts."""

SESSION_SECONDS = 3600.0
"""From the PIN on, after which it is asked for again."""

MOST_SESSIONS = 8
"""The oldest ends for a further one."""

Instant = Annotated[datetime, msgspec.Meta(tz=True)]


class Session(Struct, frozen=True):
    """A signed-in browser: the hash of its secret, its address, and the end of the session."""

    digest: str
    address: str
    until: Instant


class Pin(Redacted, frozen=True, kw_only=True):
    """PIN on the screen; `until` is on the monotonic clock."""

    redacted_fields = ("digits",)
    digits: str
    until: float

    @property
    def grouped(self) -> str:
        """Digits as they are shown."""
        half = len(self.digits) // 2
        return f"{self.digits[:half]} {self.digits[half:]}"


class Access(Struct, frozen=True):
    """Stored state. Times are wall time; one in the future was recorded while the clock was wrong, and counts as now.
    Players up to 0.5.0 read the tries as requests for a PIN."""

    tries: tuple[Instant, ...] = field(default=(), name="asked")
    sessions: tuple[Session, ...] = ()

    @classmethod
    def read(cls, content: bytes | None) -> Access:
        """Parses the stored state. Raises one of NOT_THE_DOCUMENT."""
        return msgspec.json.decode(content or b"{}", type=cls)

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)

    def at(self, now: datetime) -> Access:
        """Removes expired tries and sessions."""
        tries = (min(at, now) for at in self.tries)
        longest = timedelta(seconds=SESSION_SECONDS)
        return Access(
            tries=tuple(at for at in tries if _age(at, now) < TRIES_SECONDS)[-MOST_TRIES:],
            sessions=tuple(one for one in self.sessions if now < one.until <= now + longest)[-MOST_SESSIONS:],
        )

    def wait(self, now: datetime) -> float:
        """Seconds until the next try; 0 if there is one left."""
        tries = self.at(now).tries
        return TRIES_SECONDS - _age(tries[0], now) if len(tries) == MOST_TRIES else 0.0

    def tried(self, now: datetime) -> Access:
        """Records a try: a wrong PIN, or one shown for the page."""
        known = self.at(now)
        return replace(known, tries=(*known.tries, now))

    def signed_in(self, digest: str, address: str, now: datetime) -> Access:
        """Begins a session of a browser that sent the PIN."""
        known = self.at(now)
        session = Session(digest, address, now + timedelta(seconds=SESSION_SECONDS))
        return replace(known, sessions=(*known.sessions, session)[-MOST_SESSIONS:])

    def signed_out(self, digest: str) -> Access:
        return replace(self, sessions=tuple(one for one in self.sessions if one.digest != digest))

    def session(self, digest: str, address: str, now: datetime) -> Session | None:
        """Returns the session of this secret, if used from its address."""
        return next((one for one in self.at(now).sessions if (one.digest, one.address) == (digest, address)), None)


def _age(at: datetime, now: datetime) -> float:
    return (now - at).total_seconds()
