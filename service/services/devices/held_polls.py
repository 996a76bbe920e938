"""Holds polls: a request for a manifest waits until the manifest differs from the one that the screen has.

Runs on the event loop. Each manifest is composed once, in a thread, for all screens that share it, and again only after
a change that concerns it; a change that leaves it as it was wakes no request. One batch is composed at a time, the
boards whose own playlist shows the change first: many boards do not take the processor from other requests.
"""

import asyncio
import logging
import threading
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from service.core.changes import (
    Change,
    ChangesMissed,
    CommandGiven,
    ContentChanged,
    DeliveriesQueued,
    ScreenChanged,
    ScreenReported,
)
from service.core.clock import Clock
from service.services.devices.directory import Device, DeviceDirectory
from service.services.publishing.composition import ManifestKey, Sources
from service.services.publishing.manifests import Manifest, ManifestGoneError, Outcome

MAX_WAIT_SECONDS = 30
MAX_HELD_PER_SCREEN = 4
"""Requests of one screen held at a time; one more ends the oldest."""

MAX_REMEMBERED_CHANGES = 64
"""Changes of a workspace that are looked at one by one; after more of them, all of its manifests are composed again."""
MAX_COMPOSED_AT_ONCE = 32
"""Manifests of a workspace that are composed in one pass."""
MAX_WOKEN_AT_ONCE = 32
"""Requests that are answered before others get a turn."""

_log = logging.getLogger(__name__)

Compose = Callable[[Sequence[ManifestKey]], Awaitable[Mapping[ManifestKey, Outcome]]]


class Concern(IntEnum):
    """Urgency of a change for a board; the most urgent is composed first."""

    SHOWN = 0
    """Its own playlist shows it."""
    OTHERS = 1
    """Only other versions show it."""
    NONE = 2


@dataclass(frozen=True, slots=True)
class Fresh:
    """A manifest that the screen has to load."""

    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Unchanged:
    """No change: the screen has the current manifest. `heartbeat_wanted` if a command waits for its next heartbeat."""

    manifest: Manifest
    heartbeat_wanted: bool = False


@dataclass(frozen=True, slots=True)
class Revoked:
    """Revocation: the token of the request no longer belongs to a screen."""


PollResult = Fresh | Unchanged | Revoked


@dataclass(slots=True, eq=False)
class _HeldRequest:
    """A waiting request. `wake` may be called any number of times."""

    future: asyncio.Future[None]
    over: bool = False
    is_commanded: bool = False
    """Whether a command came while this was held."""

    def wake(self) -> None:
        if not self.future.done():
            self.future.set_result(None)

    def end(self) -> None:
        self.over = True
        self.wake()


@dataclass(slots=True, eq=False)
class _SharedManifest:
    """A manifest, the requests that wait for it to change, and whether it is being composed."""

    manifest: Manifest | None = None
    as_of: "_Mark | None" = None
    composing: asyncio.Future[Outcome | Exception] | None = None
    requests: set[_HeldRequest] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A point in the changes of a workspace."""

    missed: int
    """The number of times that changes were missed: each time, every manifest is composed again."""
    number: int


@dataclass(slots=True, eq=False)
class _Changes:
    number: int = 0
    newest: deque[ContentChanged] = field(default_factory=lambda: deque(maxlen=MAX_REMEMBERED_CHANGES))


class HeldPolls:
    """Answers polls. Call its methods on the event loop; `on_change` is safe from any thread."""

    def __init__(self, *, compose: Compose, devices: DeviceDirectory, clock: Clock) -> None:
        self._compose = compose
        self._devices = devices
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._changes: defaultdict[str, _Changes] = defaultdict(_Changes)
        self._missed = 0
        self._shared: dict[ManifestKey, _SharedManifest] = {}
        self._wanted: dict[str, dict[ManifestKey, Concern]] = {}
        """The manifests to compose, by workspace."""
        self._composer: asyncio.Task[None] | None = None
        self._by_screen: defaultdict[str, list[_HeldRequest]] = defaultdict(list)
        self._commanded: set[str] = set()
        """Screens whose next request is told of a command, unless a heartbeat comes first. Those that were held when it
        came are told as well, but may have no player any more that listens: nothing tells the service so."""
        self._closed = False

    def open(self) -> None:
        """Begins to hold requests, on the running loop."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """Answers every held request now, and holds none from now on."""
        self._closed = True
        for request in [one for requests in self._by_screen.values() for one in requests]:
            request.end()

    async def finish(self) -> None:
        """Waits until nothing is being composed: that uses the database, which is closed next."""
        if self._composer is not None:
            await asyncio.wait([self._composer])

    @property
    def closed(self) -> bool:
        """True while the service is stopping."""
        return self._closed

    @property
    def holding(self) -> int:
        return sum(len(requests) for requests in self._by_screen.values())

    def on_change(self, change: Change) -> None:
        """Wakes the requests that a committed change concerns. After it returns, no answer is older than the change."""
        match change:
            case ContentChanged(workspace=workspace):
                with self._lock:
                    changes = self._changes[workspace]
                    changes.number += 1
                    changes.newest.append(change)
                self._call_soon(lambda: self._renew(workspace))
            case ScreenChanged(screen=screen):
                self._call_soon(lambda: self._wake([screen]))
            case CommandGiven(screen=screen):
                self._call_soon(lambda: self._command(screen))
            case ChangesMissed():
                with self._lock:
                    self._missed += 1
                self._call_soon(lambda: self._wake(list(self._by_screen)))
                self._call_soon(self._renew)
            case DeliveriesQueued() | ScreenReported():
                pass

    async def poll(
        self, device: Device, *, known: Callable[[str], bool], wait: float, sends_heartbeat: bool = False
    ) -> PollResult:
        """Returns the manifest, as soon as its etag is not `known` or after `wait` seconds; `Unchanged` as soon as
        there is a command, for a player that `sends_heartbeat` when it is asked to. Raises what composing raises."""
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
                    if wait > 0 and sends_heartbeat and self._takes_command(device.screen, request):
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
        """Returns the entity tag of the manifest as it is now; None while it is being composed."""
        shared = self._shared.setdefault(key, _SharedManifest())
        concern = self._concern(key, shared)
        if shared.manifest is not None and concern is Concern.NONE:
            return shared.manifest.etag
        # A screen whose polls never come here has nobody else who composes it.
        self._want(key, shared, concern)
        return None

    def heartbeat_came(self, screen: str) -> None:
        """Notes that the screen fetches its commands: no poll has to be answered for them."""
        self._commanded.discard(screen)

    def _command(self, screen: str) -> None:
        self._commanded.add(screen)
        for request in self._by_screen.get(screen, ()):
            request.is_commanded = True
            request.wake()

    def _takes_command(self, screen: str, request: _HeldRequest) -> bool:
        """True if this request reports a command; one that came after it takes the report from those that follow."""
        if request.is_commanded:
            return True
        told = screen in self._commanded
        self._commanded.discard(screen)
        return told

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
        """Returns the manifest as of the newest change. The first request has it composed, the others wait for it."""
        while shared.manifest is None or self._concern(key, shared) is not Concern.NONE:
            # Shielded: a poll that is cancelled must not cancel the composing for the others.
            outcome = await asyncio.shield(self._want(key, shared, Concern.SHOWN))
            if isinstance(outcome, Exception):
                raise outcome
        return shared.manifest

    def _concern(self, key: ManifestKey, shared: _SharedManifest) -> Concern:
        """Returns the urgency of the changes since the manifest was composed."""
        if shared.manifest is None or shared.as_of is None:
            return Concern.SHOWN
        now, since = self._changes_since(key.workspace, shared.as_of)
        if since is None:
            return Concern.SHOWN
        concern = min((concern_of(change, key, shared.manifest.sources) for change in since), default=Concern.NONE)
        if concern is Concern.NONE:
            shared.as_of = now
        return concern

    def _changes_since(self, workspace: str, mark: _Mark) -> tuple[_Mark, Sequence[ContentChanged] | None]:
        """Returns where the changes are now, and those since the mark; None if they are not remembered."""
        with self._lock:
            changes = self._changes[workspace]
            number = changes.number - mark.number
            if number == 0 and mark.missed == self._missed:
                return mark, ()
            now = _Mark(self._missed, changes.number)
            if mark.missed != self._missed or number > len(changes.newest):
                return now, None
            return now, [changes.newest[at] for at in range(-number, 0)]

    def _mark(self, workspace: str) -> _Mark:
        with self._lock:
            return _Mark(self._missed, self._changes[workspace].number)

    def _want(
        self, key: ManifestKey, shared: _SharedManifest, concern: Concern
    ) -> "asyncio.Future[Outcome | Exception]":
        """Has the manifest composed; one that is being composed now may be older than the newest change."""
        if shared.composing is None:
            shared.composing = asyncio.get_running_loop().create_future()
            self._wanted.setdefault(key.workspace, {})[key] = concern
        elif (waiting := self._wanted.get(key.workspace, {})).get(key, concern) > concern:
            waiting[key] = concern
        if self._composer is None or self._composer.done():
            self._composer = asyncio.ensure_future(self._compose_wanted())
        return shared.composing

    async def _compose_wanted(self) -> None:
        """Composes the wanted manifests: a batch of each workspace in turn, the most urgent first."""
        while self._wanted:
            workspace, wanted = next(iter(self._wanted.items()))
            del self._wanted[workspace]
            urgent = min(wanted.values())
            batch = [key for key, concern in wanted.items() if concern is urgent][:MAX_COMPOSED_AT_ONCE]
            if rest := {key: concern for key, concern in wanted.items() if key not in batch}:
                # Behind the other workspaces.
                self._wanted[workspace] = rest
            mark = self._mark(workspace)
            outcomes: Mapping[ManifestKey, Outcome | Exception]
            try:
                outcomes = await self._compose(batch)
            except Exception as error:  # the requests of these boards raise it
                outcomes = dict.fromkeys(batch, error)
            for key in batch:
                await self._composed(key, outcomes[key], mark)

    async def _composed(self, key: ManifestKey, outcome: Outcome | Exception, mark: _Mark) -> None:
        shared = self._shared[key]
        waiting, shared.composing = shared.composing, None
        changed = False
        if isinstance(outcome, Manifest):
            changed = shared.manifest is None or shared.manifest.etag != outcome.etag
            shared.manifest, shared.as_of = outcome, mark
        elif shared.requests and not isinstance(outcome, ManifestGoneError):
            _log.error(
                "cannot compose the manifest of playlist %s at location %s",
                key.playlist,
                key.location,
                exc_info=outcome,
            )
        if waiting is not None:
            waiting.set_result(outcome)
        for number, request in enumerate(list(shared.requests) if changed else (), start=1):
            request.wake()
            if number % MAX_WOKEN_AT_ONCE == 0:
                await asyncio.sleep(0)
        if isinstance(outcome, Manifest):
            self._renew_board(key, shared)

    def _renew(self, workspace: str | None = None) -> None:
        """Has the manifests composed that requests wait for and a change concerns; the others are composed for the next
        poll."""
        for key, shared in self._shared.items():
            if workspace in (None, key.workspace):
                self._renew_board(key, shared)

    def _renew_board(self, key: ManifestKey, shared: _SharedManifest) -> None:
        if shared.requests and (concern := self._concern(key, shared)) is not Concern.NONE:
            self._want(key, shared, concern)

    def _wake(self, screens: Iterable[str]) -> None:
        """Wakes the polls of these screens, and drops the manifests that no screen uses any more."""
        for screen in screens:
            for request in self._by_screen.get(screen, ()):
                request.wake()
        used = set(self._devices.manifest_keys())
        for key, shared in list(self._shared.items()):
            if key not in used and not shared.requests and shared.composing is None:
                del self._shared[key]

    def _call_soon(self, action: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(action)


def concern_of(change: ContentChanged, key: ManifestKey, sources: Sources) -> Concern:
    """Returns the urgency of a change for the manifest of this board."""
    if change.location not in (None, key.location) or not (change.group is None or change.group in sources.groups):
        return Concern.NONE
    if (
        change.whole
        or (change.playlist is not None and key.playlist == change.playlist)
        or any(item in sources.shown or sources.of_playlist.names(item, name) for item, name in change.items)
    ):
        return Concern.SHOWN
    if change.playlist in sources.playlists or any(
        item in sources.others or sources.of_others.names(item, name) for item, name in change.items
    ):
        return Concern.OTHERS
    return Concern.NONE
