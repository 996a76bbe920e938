"""Signs browsers in with the PIN on the screen, by the rule of `player/domain/pairing/access.py`."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from msgspec import Struct

from player.domain.events import Event, PinChanged
from player.domain.pairing.access import LONG_PIN_DIGITS, PIN_DIGITS, PIN_SECONDS, Access, Pin
from player.domain.time.clock import Clock

log = logging.getLogger(__name__)


class TooSoon(Struct, frozen=True):
    """No try is left for this many seconds."""

    seconds: float


class WrongPin(Struct, frozen=True):
    """Not the PIN, or no PIN is on the screen any more."""


@dataclass(kw_only=True)
class Gatekeeper:
    """Lets browsers in, by what is `stored`. `fixed` is the operator's PIN, which the screen never shows: after the
    last try it shows another one to a person there. `store` keeps the count and returns when it is on disk."""

    stored: Access
    clock: Clock
    store: Callable[[bytes], Awaitable[None]]
    emit: Callable[[Event], None]
    fixed: str | None = None
    _pin: Pin | None = None

    @property
    def asks_for_fixed_pin(self) -> bool:
        """True if the operator's PIN counts now, and none that is on the screen."""
        return self.fixed is not None and self.shown() is None

    def shown(self) -> str | None:
        """Returns the PIN on the screen."""
        pin = self._pin
        return pin.digits if pin is not None and self.clock.monotonic() < pin.until else None

    def show_pin(self) -> None:
        """Shows a PIN for a person at the screen, or the same one for longer: somebody may be typing it."""
        if self.fixed is None or self._wait() > 0:
            self._show(self.shown() or self._new_digits())

    async def ask_for_pin(self) -> TooSoon | None:
        """Shows a PIN for the sign-in page, which everybody on the network can request."""
        if self.shown() is not None:
            return None
        if (wait := self._wait()) > 0:
            return TooSoon(wait)
        counted = self._count()
        self._show(self._new_digits())
        await counted
        return None

    async def sign_in(self, given: str, address: str) -> str | WrongPin | TooSoon:
        """Begins a session, if this is the PIN; returns its secret, which only the browser has."""
        pin, wait = self.shown(), self._wait()
        if pin is None and wait > 0:
            return TooSoon(wait)
        known = pin or self.fixed
        if known is None:
            return WrongPin()
        if not hmac.compare_digest(given.encode(), known.encode()):
            log.warning("a wrong PIN for the page, from %s", address)
            if wait == 0:
                counted = self._count()
                if pin is not None and len(pin) == PIN_DIGITS and self._wait() > 0:
                    self._show(self._new_digits())
                await counted
            return WrongPin()
        log.info("%s has signed in to the page", address)
        if pin is not None:
            self._pin = None
            self.emit(PinChanged(pin=None))
        secret = secrets.token_urlsafe(32)
        self.stored = self.stored.signed_in(digest(secret), address, self.clock.wall())
        await self._when_stored()
        return secret

    async def sign_out(self, secret: str) -> None:
        self.stored = self.stored.signed_out(digest(secret))
        await self._when_stored()

    def is_signed_in(self, secret: str, address: str) -> bool:
        """True if this browser may see the page, and act."""
        return self.stored.session(digest(secret), address, self.clock.wall()) is not None

    def _wait(self) -> float:
        return self.stored.wait(self.clock.wall())

    def _count(self) -> Awaitable[None]:
        self.stored = self.stored.tried(self.clock.wall())
        return self._when_stored()

    def _new_digits(self) -> str:
        length = LONG_PIN_DIGITS if self._wait() > 0 else PIN_DIGITS
        return f"{secrets.randbelow(10**length):0{length}}"

    def _show(self, digits: str) -> None:
        self._pin = Pin(digits=digits, until=self.clock.monotonic() + PIN_SECONDS)
        self.emit(PinChanged(pin=self._pin))

    async def _when_stored(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2.0):  # A disk that hangs locks nobody out.
                await self.store(self.stored.encoded())


def digest(secret: str) -> str:
    """Returns the stored form of a session's secret."""
    return sha256(secret.encode()).hexdigest()
