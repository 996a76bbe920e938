"""Held polls: a request for a manifest waits until the manifest differs from the one that the screen has.

Runs on the event loop. Each manifest is composed once, in a thread, for all screens that share it, and again only
after a change of its workspace; a change that leaves it as it was wakes no request.
"""

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from service.core.changes import Change, ChangesMissed, CommandGiven, ContentChanged, DeliveriesQueued, ScreenChanged
from service.core.clock import Clock
from service.services.devices.directory import Device, DeviceDirectory
from service.services.publishing.manifests import Manifest, ManifestGoneError, ManifestKey

MAX_WAIT_SECONDS = 30
MAX_HELD_PER_SCREEN = 4
"""Requests of one screen held at a time; one more ends the oldest."""

_log = logging.getLogger(__name__)

Compose = Callable[[ManifestKey], Awaitable[Manifest]]


@dataclass(frozen=True, slots=True)
class Fresh:
    """The screen has to load this manifest."""

    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The screen has the current manifest. `heartbeat_wanted` says that a command waits for its next heartbeat."""

    manifest: Manifest
    heartbeat_wanted: bool = False


@dataclass(frozen=True, slots=True)
class Revoked:
    """The token of the request no longer belongs to a screen."""


PollResult = Fresh | Unchanged | Revoked


@dataclass(slots=True, eq=False)
class _HeldRequest:
    """A waiting request. `wake` may be called any number of times."""

    future: asyncio.Future[None]
    over: bool = False

    def wake(self) -> None:
        if not self.future.done():
            self.future.set_result(None)

    def end(self) -> None:
        self.over = True
        self.wake()


@dataclass(slots=True, eq=False)
class _SharedManifest:
    """A manifest, the requests that wait for it to change, and the tasks that compose it."""

    manifest: Manifest | None = None
    generation: int = -1
    composing: asyncio.Task[Manifest] | None = None
    renewal: asyncio.Task[None] | None = None
    requests: set[_HeldRequest] = field(default_factory=set)


class HeldPolls:
    """Answers polls. Call its methods on the event loop; `on_change` is safe from any thread."""

    def __init__(self, *, compose: Compose, devices: DeviceDirectory, clock: Clock) -> None:
        self._compose = compose
        self._devices = devices
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._generations: defaultdict[str, int] = defaultdict(int)
        self._missed = 0
        """How often changes were missed: each time, every workspace is a generation further."""
        self._shared: dict[ManifestKey, _SharedManifest] = {}
        self._by_screen: defaultdict[str, list[_HeldRequest]] = defaultdict(list)
        self._commanded: set[str] = set()
        """Screens with a command that no poll and no heartbeat has heard of."""
        self._closed = False

    def open(self) -> None:
        """Begins to hold requests, on the running loop."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """Answers every held request now, and holds none from now on."""
        self._closed = True
        for request in [one for requests in self._by_screen.values() for one in requests]:
            request.end()

    @property
    def closed(self) -> bool:
        """Whether the service is stopping."""
        return self._closed

    @property
    def holding(self) -> int:
        """Number of held requests."""
        return sum(len(requests) for requests in self._by_screen.values())

    def on_change(self, change: Change) -> None:
        """Wakes the requests that a committed change concerns. After it returns, no answer is older than the change."""
        match change:
            case ContentChanged(workspace=workspace):
                with self._lock:
                    self._generations[workspace] += 1
                self._call_soon(lambda: self._renew(lambda key: key.workspace == workspace))
            case ScreenChanged(screen=screen):
                self._call_soon(lambda: self._wake([screen]))
            case CommandGiven(screen=screen):
                self._call_soon(lambda: self._command(screen))
            case ChangesMissed():
                with self._lock:
                    self._missed += 1
                self._call_soon(lambda: self._wake(list(self._by_screen)))
                self._call_soon(lambda: self._renew(lambda _: True))
            case DeliveriesQueued():
                pass

    async def poll(
        self, device: Device, *, known: Callable[[str], bool], wait: float, sends_heartbeat: bool = False
    ) -> PollResult:
        """The manifest, as soon as its etag is not `known` or after `wait` seconds; `Unchanged` as soon as there is a
        command, for a player that `sends_heartbeat` when it is asked to. Raises what composing raises."""
        request = _HeldRequest(future=self._future())
        if wait <= 0 or self._closed:
            request.over = True
        timer = None if request.over else self._clock.call_later(min(wait, MAX_WAIT_SECONDS), request.end)
        self._add(device.screen, request)
        try:
            while True:
                current = self._devices.by_screen(device.screen)
                if current is None or current.token_digest != device.token_digest:
                    return Revoked()
                shared = self._shared.setdefault(current.manifest_key, _SharedManifest())
                shared.requests.add(request)
                try:
                    manifest = await self._current(current.manifest_key, shared)
                    if not known(manifest.etag):
                        return Fresh(manifest)
                    if wait > 0 and sends_heartbeat and device.screen in self._commanded:
                        self._commanded.discard(device.screen)
                        return Unchanged(manifest, heartbeat_wanted=True)
                    if request.over:
                        return Unchanged(manifest)
                    await request.future
                except ManifestGoneError:
                    # The screen was removed or moved while the manifest was composed; the directory is up to date.
                    if self._devices.by_screen(device.screen) == current:
                        raise
                finally:
                    shared.requests.discard(request)
                    request.future = self._future()
        finally:
            if timer is not None:
                timer.cancel()
            self._remove(device.screen, request)

    def newest(self, key: ManifestKey) -> str | None:
        """The entity tag of the manifest as it is now; None while it is being composed."""
        shared = self._shared.setdefault(key, _SharedManifest())
        if shared.manifest is not None and shared.generation == self._generation(key):
            return shared.manifest.etag
        if shared.renewal is None or shared.renewal.done():
            # A screen whose polls never come here has nobody else who composes it.
            shared.renewal = asyncio.ensure_future(self._renew_shared(key, shared))
        return None

    def heartbeat_came(self, screen: str) -> None:
        """The screen fetches its commands: no poll has to be answered for them."""
        self._commanded.discard(screen)

    def _command(self, screen: str) -> None:
        self._commanded.add(screen)
        for request in self._by_screen.get(screen, ()):
            request.wake()

    def _future(self) -> asyncio.Future[None]:
        return asyncio.get_running_loop().create_future()

    def _add(self, screen: str, request: _HeldRequest) -> None:
        requests = self._by_screen[screen]
        requests.append(request)
        if len(requests) > MAX_HELD_PER_SCREEN:
            requests[0].end()

    def _remove(self, screen: str, request: _HeldRequest) -> None:
        self._by_screen[screen].remove(request)
        if not self._by_screen[screen]:
            del self._by_screen[screen]

    async def _current(self, key: ManifestKey, shared: _SharedManifest) -> Manifest:
        """The manifest as of the newest change. The first request composes it, the others wait for it."""
        while shared.manifest is None or shared.generation != self._generation(key):
            if shared.composing is None:
                shared.composing = asyncio.ensure_future(self._compose_into(key, shared))
            # Shielded: a poll that is cancelled must not cancel the composing for the others.
            await asyncio.shield(shared.composing)
        return shared.manifest

    async def _compose_into(self, key: ManifestKey, shared: _SharedManifest) -> Manifest:
        generation = self._generation(key)
        try:
            manifest = await self._compose(key)
        finally:
            shared.composing = None
        changed = shared.manifest is None or shared.manifest.etag != manifest.etag
        shared.manifest, shared.generation = manifest, generation
        if changed:
            for request in shared.requests:
                request.wake()
        return manifest

    def _generation(self, key: ManifestKey) -> int:
        return self._missed + self._generations[key.workspace]

    def _renew(self, concerned: Callable[[ManifestKey], bool]) -> None:
        """Composes the manifests that requests wait for. The others are composed by the next poll."""
        for key, shared in self._shared.items():
            running = shared.renewal is not None and not shared.renewal.done()
            # A renewal that runs looks at the generation once more before it ends.
            if concerned(key) and shared.requests and not running:
                shared.renewal = asyncio.ensure_future(self._renew_shared(key, shared))

    async def _renew_shared(self, key: ManifestKey, shared: _SharedManifest) -> None:
        try:
            await self._current(key, shared)
        except ManifestGoneError:
            pass
        except Exception:
            _log.exception("cannot compose the manifest of playlist %s at location %s", key.playlist, key.location)

    def _wake(self, screens: Iterable[str]) -> None:
        """Wakes the polls of these screens, and drops the manifests that no screen uses any more."""
        for screen in screens:
            for request in self._by_screen.get(screen, ()):
                request.wake()
        used = set(self._devices.manifest_keys())
        for key in [key for key, shared in self._shared.items() if key not in used and not shared.requests]:
            del self._shared[key]

    def _call_soon(self, action: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(action)
