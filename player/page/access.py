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

from player.domain.access import LONG_PIN_DIGITS, PIN_DIGITS, PIN_SECONDS, Access, Pin, Showing
from player.domain.events import Event, PinEnded, PinIssued
from player.domain.time.clock import Clock
from player.page.connections import address_of

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


class NotYours(Struct, frozen=True):
    """The one on the screen is for another browser, for this many seconds."""

    seconds: float


class SignedIn(Struct, frozen=True):
    """`secret` is the browser's alone."""

    secret: str


class Gatekeeper:
    """Lets browsers in. `fixed` is the operator's PIN, which the screen never shows: while somebody guesses at it, the
    screen shows another one to whom no guest can pass for. `store` keeps what is counted and returns when the disk has
    it."""

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
        self._showing: Showing | None = None

    @property
    def has_fixed_pin(self) -> bool:
        """Whether the operator has chosen the PIN."""
        return self._fixed is not None

    @property
    def asks_for_fixed_pin(self) -> bool:
        """Whether that one counts now, and none that is on the screen."""
        return self.has_fixed_pin and self.shown() is None

    def show_pin(self) -> None:
        """Show a PIN, because of somebody whom no guest can pass for: whoever sees it may try it, whatever was tried
        before. A fixed PIN is not shown, and may be tried all the same; while somebody guesses, another one is shown in
        its place."""
        self._issue(None)

    async def ask_for_pin(self, visitor: str, address: str) -> TooSoon | NotYours | None:
        """Show a PIN to this browser, because of a wish on the page, which everybody on the network can make."""
        now, known = self._clock.wall(), self._current()
        if known is not None and known.visitor is None:
            return None
        if known is not None and not known.is_for(visitor):
            return NotYours(known.pin.until - self._clock.monotonic())
        wait = max(self._access.wait_to_ask(now), self._access.wait_to_try(address_of((address,)), now))
        if wait > 0:
            return TooSoon(wait)
        self._access = self._access.asked_at(now)
        self._issue(visitor)
        await self._stored()
        return None

    async def sign_in(self, pin: str, visitor: str, address: str) -> SignedIn | WrongPin | NoPin | NotYours | TooSoon:
        """Begin a session, if this is the PIN."""
        now, counted_to, showing = self._clock.wall(), address_of((address,)), self._current()
        wait = 0.0
        if showing is None or showing.visitor is not None:
            wait = self._access.wait_to_try(counted_to, now)
        elif not showing.allows(counted_to):
            wait = showing.pin.until - self._clock.monotonic()
        if wait > 0:
            return TooSoon(wait)
        if showing is not None and not showing.is_for(visitor):
            return NotYours(showing.pin.until - self._clock.monotonic())
        known = showing.pin.digits if showing is not None else self._fixed
        if known is None:
            return NoPin()
        if not hmac.compare_digest(pin.encode(), known.encode()):
            log.warning("a wrong PIN for the page, from %s", address)
            if showing is not None:
                self._keep(showing.guessed(counted_to))
            if showing is None or not showing.is_long:
                self._access = self._access.failed(counted_to, now)
                await self._stored()
            return WrongPin()
        log.info("%s has signed in to the page", address)
        self._keep(None)
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
        known = self._current()
        return known.pin.digits if known is not None and self._is_on_screen(known) else None

    def _current(self) -> Showing | None:
        known = self._showing
        return known if known is not None and self._clock.monotonic() < known.pin.until else None

    def _issue(self, visitor: str | None) -> None:
        until, known = self._clock.monotonic() + PIN_SECONDS, self._current()
        if known is not None and known.visitor == visitor and (known.is_long or not known.guesses):
            # Somebody may be typing it.
            self._showing = replace(known, pin=replace(known.pin, until=until))
        else:
            is_long = visitor is None and self._access.is_guessed(self._clock.wall())
            length = LONG_PIN_DIGITS if is_long else PIN_DIGITS
            fixed = None if is_long else self._fixed
            digits = fixed or f"{secrets.randbelow(10**length):0{length}}"
            self._showing = Showing(pin=Pin(digits=digits, until=until), visitor=visitor, is_long=is_long)
        if self._is_on_screen(self._showing):
            self._emit(PinIssued(pin=self._showing.pin))

    def _is_on_screen(self, showing: Showing) -> bool:
        return self._fixed is None or showing.is_long

    def _keep(self, showing: Showing | None) -> None:
        before, self._showing = self._showing, showing
        if before is not None and showing is None and self._is_on_screen(before):
            self._emit(PinEnded())

    async def _stored(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STORED_SECONDS):
                await self._store(self._access.encoded())


def digest(secret: str) -> str:
    """What is kept of a session's secret."""
    return sha256(secret.encode()).hexdigest()
