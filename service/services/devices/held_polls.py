"""Held requests for manifests: a poll waits until what its screen should hold differs from what it has.

Lives on the event loop. Each manifest is composed once, in a thread, for all screens that share it, and again only
after a notice for its workspace; a change that leaves it as it was wakes nobody.
"""

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from service.core.changes import Change, ChangesMissed, ContentChanged, DeliveriesQueued, ScreenChanged
from service.core.clock import Clock
from service.services.devices.directory import Device, DeviceDirectory
from service.services.publishing.manifests import Manifest, ManifestGoneError, ManifestKey

MAX_WAIT_SECONDS = 30
MAX_HELD_PER_SCREEN = 4
"""Requests of one screen held at a time; one more answers the oldest."""

_log = logging.getLogger(__name__)

Compose = Callable[[ManifestKey], Awaitable[Manifest]]


@dataclass(frozen=True, slots=True)
class Fresh:
    """The screen should hold this."""

    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The screen holds what it should."""

    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Revoked:
    """The token that asked is not a screen's any more."""


Answer = Fresh | Unchanged | Revoked


@dataclass(slots=True, eq=False)
class _Held:
    """A waiting request; `wake` may be called as often as one likes."""

    future: asyncio.Future[None]
    over: bool = False

    def wake(self) -> None:
        if not self.future.done():
            self.future.set_result(None)

    def end(self) -> None:
        self.over = True
        self.wake()


@dataclass(slots=True, eq=False)
class _Slot:
    """A manifest that some screens share."""

    manifest: Manifest | None = None
    generation: int = -1
    refresh: asyncio.Task[Manifest] | None = None
    renewal: asyncio.Task[None] | None = None
    held: set[_Held] = field(default_factory=set)


class HeldPolls:
    """Answers polls. Its methods belong to the event loop, but for `heed`, which any thread may call."""

    def __init__(self, *, compose: Compose, devices: DeviceDirectory, clock: Clock) -> None:
        self._compose = compose
        self._devices = devices
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._generations: defaultdict[str, int] = defaultdict(int)
        self._gaps = 0
        """How often notices were missed: each time, every workspace is a generation further."""
        self._slots: dict[ManifestKey, _Slot] = {}
        self._by_screen: defaultdict[str, list[_Held]] = defaultdict(list)
        self._closed = False

    def open(self) -> None:
        """Begin to hold requests, on the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """Answer every held request now, and hold none from now on."""
        self._closed = True
        for held in [one for requests in self._by_screen.values() for one in requests]:
            held.end()

    @property
    def closed(self) -> bool:
        """Whether the service is stopping."""
        return self._closed

    @property
    def holding(self) -> int:
        """How many requests wait."""
        return sum(len(requests) for requests in self._by_screen.values())

    def heed(self, notice: Change) -> None:
        """Something was committed. When this returns, no answer is older than that."""
        match notice:
            case ContentChanged(workspace=workspace):
                with self._lock:
                    self._generations[workspace] += 1
                self._soon(lambda: self._renew(lambda board: board.workspace == workspace))
            case ScreenChanged(screen=screen):
                self._soon(lambda: self._rouse([screen]))
            case ChangesMissed():
                with self._lock:
                    self._gaps += 1
                self._soon(lambda: self._rouse(list(self._by_screen)))
                self._soon(lambda: self._renew(lambda _: True))
            case DeliveriesQueued():
                pass

    async def ask(self, device: Device, *, known: Callable[[str], bool], wait: float) -> Answer:
        """What the device should hold, as soon as it differs from what is known by its etag, or after `wait` seconds.

        Raises what composing raises.
        """
        held = _Held(future=self._future())
        if wait <= 0 or self._closed:
            held.over = True
        timer = None if held.over else self._clock.call_later(min(wait, MAX_WAIT_SECONDS), held.end)
        self._admit(device.screen, held)
        try:
            while True:
                current = self._devices.by_screen(device.screen)
                if current is None or current.token_digest != device.token_digest:
                    return Revoked()
                slot = self._slots.setdefault(current.board, _Slot())
                slot.held.add(held)
                try:
                    manifest = await self._current(current.board, slot)
                    if not known(manifest.etag):
                        return Fresh(manifest)
                    if held.over:
                        return Unchanged(manifest)
                    await held.future
                except ManifestGoneError:
                    # The screen was removed or moved while the manifest was composed; the directory knows by now.
                    if self._devices.by_screen(device.screen) == current:
                        raise
                finally:
                    slot.held.discard(held)
                    held.future = self._future()
        finally:
            if timer is not None:
                timer.cancel()
            self._dismiss(device.screen, held)

    def _future(self) -> asyncio.Future[None]:
        return asyncio.get_running_loop().create_future()

    def _admit(self, screen: str, held: _Held) -> None:
        requests = self._by_screen[screen]
        requests.append(held)
        if len(requests) > MAX_HELD_PER_SCREEN:
            requests[0].end()

    def _dismiss(self, screen: str, held: _Held) -> None:
        self._by_screen[screen].remove(held)
        if not self._by_screen[screen]:
            del self._by_screen[screen]

    async def _current(self, board: ManifestKey, slot: _Slot) -> Manifest:
        """The manifest as of the newest notice; whoever asks first composes, the others wait for it."""
        while slot.manifest is None or slot.generation != self._generation(board):
            if slot.refresh is None:
                slot.refresh = asyncio.ensure_future(self._compose_into(board, slot))
            # Shielded: one poll that hangs up must not take the manifest from the others.
            await asyncio.shield(slot.refresh)
        return slot.manifest

    async def _compose_into(self, board: ManifestKey, slot: _Slot) -> Manifest:
        generation = self._generation(board)
        try:
            manifest = await self._compose(board)
        finally:
            slot.refresh = None
        changed = slot.manifest is None or slot.manifest.etag != manifest.etag
        slot.manifest, slot.generation = manifest, generation
        if changed:
            for held in slot.held:
                held.wake()
        return manifest

    def _generation(self, board: ManifestKey) -> int:
        return self._gaps + self._generations[board.workspace]

    def _renew(self, concerned: Callable[[ManifestKey], bool]) -> None:
        """Compose anew what is being waited for; what nobody waits for is composed when it is asked for."""
        for board, slot in self._slots.items():
            running = slot.renewal is not None and not slot.renewal.done()
            # A renewal that runs looks at the generation once more before it ends.
            if concerned(board) and slot.held and not running:
                slot.renewal = asyncio.ensure_future(self._renew_slot(board, slot))

    async def _renew_slot(self, board: ManifestKey, slot: _Slot) -> None:
        try:
            await self._current(board, slot)
        except ManifestGoneError:
            pass
        except Exception:
            _log.exception("the manifest of playlist %s at %s was not composed", board.playlist, board.location)

    def _rouse(self, screens: Iterable[str]) -> None:
        """Let the polls of screens look at them again, and drop the manifests that no screen shares any more."""
        for screen in screens:
            for held in self._by_screen.get(screen, ()):
                held.wake()
        used = set(self._devices.boards())
        for board in [board for board, slot in self._slots.items() if board not in used and not slot.held]:
            del self._slots[board]

    def _soon(self, action: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(action)
