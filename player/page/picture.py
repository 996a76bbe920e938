"""Pictures of the display for remote viewers: each states whether a secret may be in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from msgspec import Struct

from player.domain.view import DisplayOrder, PairingCard

PIN = "PIN"
PAIRING_CODE = "pairing code"


class Shot(Protocol):
    """Display at one moment."""

    def png(self) -> bytes:
        """Every pixel."""
        ...

    def jpeg(self, pixels: int) -> bytes:
        """At most so many pixels on its longer side."""
        ...


class Picture(Struct, frozen=True):
    """PNG or JPEG of the display. `secret` names what only those in front of it may see, empty if there is none."""

    content: bytes
    secret: str = ""


Grab = Callable[..., Awaitable[Picture]]
"""Takes a picture, as `Pictures.take` does."""


class Pictures:
    """Takes pictures, and follows the orders: a secret may come or go while the display waits for the end of a fade.
    `grab` gives the display to a function, on any thread."""

    def __init__(self, grab: Callable[[Callable[[Shot], None]], None]) -> None:
        self._grab = grab
        self._shows = self._last = ""
        self._times = 0

    def follow(self, order: DisplayOrder) -> None:
        """Notes an order that the display received. Orders are carried out in turn, so a picture requested from now on
        is not of an order before."""
        secret = _secret_of(order)
        if secret and not self._shows:
            self._times += 1
        self._shows, self._last = secret, secret or self._last

    async def take(self, pixels: int | None = None) -> Picture:
        """Returns a PNG of the display; with `pixels`, a JPEG of so many on its longer side. Waits for the display,
        without end."""
        loop = asyncio.get_running_loop()
        taken: asyncio.Future[Shot] = loop.create_future()

        def settle(shot: Shot) -> None:
            if not taken.done():
                taken.set_result(shot)

        def deliver(shot: Shot) -> None:
            loop.call_soon_threadsafe(settle, shot)

        secret, times = self._shows, self._times
        self._grab(deliver)
        shot = await taken
        secret = secret or (self._last if times != self._times else "")
        encode = shot.png if pixels is None else partial(shot.jpeg, pixels)
        return Picture(await asyncio.to_thread(encode), secret)


@dataclass
class SharedPicture:
    """Shares one picture a second between all callers: each costs the display a frame, and the processor the time to
    pack it. Nobody gets one from before the request."""

    take_one: Callable[[], Awaitable[Picture]]
    monotonic: Callable[[], float] = field(kw_only=True)
    _taking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: int = 0
    _newest: Picture | None = None
    _began: float = float("-inf")

    async def take(self, *, at_once: bool) -> Picture:
        """Returns the picture; with `at_once`, for a program on the device, one of its own, without the pause."""
        asked = self.monotonic()
        self._waiting += 1
        try:
            async with self._taking:
                if not at_once:
                    if self._newest is not None and self._began > asked:
                        return self._newest
                    await asyncio.sleep(self._began + 1.0 - self.monotonic())
                self._began = self.monotonic()
                self._newest = picture = await self.take_one()
                return picture
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._newest = None


def _secret_of(order: DisplayOrder) -> str:
    if order.pin is not None:
        return PIN
    is_code = isinstance(order.view, PairingCard) and order.view.user_code
    return PAIRING_CODE if is_code or (order.notice is not None and order.notice.user_code) else ""
