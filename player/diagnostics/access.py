"""Signs browsers in with the PIN on the screen, and keeps what is counted on the disk."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from player.diagnostics.connections import address_of
from player.domain import access
from player.domain.access import PIN_DIGITS, PIN_SECONDS, Access, Pin
from player.domain.clock import Clock
from player.domain.events import Event, PinEnded, PinIssued

log = logging.getLogger(__name__)

STORED_SECONDS = 2.0
"""How long an answer waits for the disk to have counted a wrong PIN; a disk that hangs locks nobody out."""


class TooSoon(Struct, frozen=True):
    """Not now; again in this many seconds."""

    seconds: float


class WrongPin(Struct, frozen=True):
    """That is not the PIN."""


class NoPin(Struct, frozen=True):
    """There is none on the screen, or not any more."""


class SignedIn(Struct, frozen=True):
    """`secret` is the browser's alone."""

    secret: str


class Gatekeeper:
    """Lets browsers in. `fixed` is the operator's PIN, which the screen never shows; `store` keeps what is counted and
    returns when the disk has it."""

    def __init__(
        self,
        *,
        stored: Access,
        clock: Clock,
        store: Callable[[bytes], Awaitable[None]],
        emit: Callable[[Event], None],
        fixed: str | None = None,
    ) -> None:
        self._access = stored
        self._clock = clock
        self._store = store
        self._emit = emit
        self._fixed = fixed
        self._pin: Pin | None = None

    @property
    def has_fixed_pin(self) -> bool:
        """Whether the operator has chosen the PIN."""
        return self._fixed is not None

    async def show_pin(self) -> None:
        """Show a PIN, because of somebody whom no guest can pass for: nobody has to wait for a try any more."""
        self._issue()
        before, self._access = self._access, self._access.forgiven()
        if self._access != before:
            await self._stored()

    async def ask_for_pin(self) -> TooSoon | None:
        """Show a PIN because of a wish on the page, which everybody on the network can make."""
        now = self._clock.wall()
        wait = self._access.wait_to_ask(now)
        if wait > 0:
            return TooSoon(wait)
        self._access = self._access.asked_at(now)
        self._issue()
        await self._stored()
        return None

    async def sign_in(self, pin: str, address: str) -> SignedIn | WrongPin | NoPin | TooSoon:
        """Begin a session, if this is the PIN."""
        now, counted_to = self._clock.wall(), address_of((address,))
        wait = self._access.wait_to_try(counted_to, now)
        if wait > 0:
            return TooSoon(wait)
        known = self._fixed or self.shown()
        if known is None:
            return NoPin()
        if not hmac.compare_digest(pin.encode(), known.encode()):
            log.warning("a wrong PIN for the page, from %s", address)
            self._access = self._access.failed(counted_to, now)
            self._count_guess()
            await self._stored()
            return WrongPin()
        log.info("%s has signed in to the page", address)
        if self._pin is not None:
            self._pin = None
            self._emit(PinEnded())
        secret = secrets.token_urlsafe(32)
        self._access = self._access.signed_in(digest(secret), address, now, counted_to=counted_to)
        await self._stored()
        return SignedIn(secret)

    async def sign_out(self, secret: str) -> None:
        """End the session."""
        self._access = self._access.signed_out(digest(secret))
        await self._stored()

    def is_signed_in(self, secret: str, address: str) -> bool:
        """Whether this browser may see the page, and act."""
        return self._access.session(digest(secret), address, self._clock.wall()) is not None

    def shown(self) -> str | None:
        """The PIN on the screen."""
        pin = self._pin
        return pin.digits if pin is not None and self._clock.monotonic() < pin.until else None

    def _issue(self) -> None:
        if self._fixed is not None:
            return
        until = self._clock.monotonic() + PIN_SECONDS
        if self.shown() is not None and self._pin is not None:
            # Somebody may be typing it.
            self._pin = replace(self._pin, until=until)
        else:
            self._pin = Pin(digits=f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}}", until=until)
        self._emit(PinIssued(pin=self._pin))

    def _count_guess(self) -> None:
        if self._pin is None:
            return
        self._pin = replace(self._pin, guesses=self._pin.guesses + 1)
        if self._pin.guesses >= access.MOST_GUESSES:
            self._pin = None
            self._emit(PinEnded())

    async def _stored(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STORED_SECONDS):
                await self._store(self._access.encoded())


def digest(secret: str) -> str:
    """What is kept of a session's secret."""
    return sha256(secret.encode()).hexdigest()
