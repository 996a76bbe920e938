"""Builds the player from its parts, starts them in order and stops them in reverse; runs on the Qt thread.

A cached menu shows before the first packet leaves because of the order of the start: state directory, conductor,
display, first frame; and only then the asyncio thread, whose libraries take longer to load than that frame to draw.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QSocketNotifier
from PySide6.QtGui import QGuiApplication

from player.conductor import Conductor
from player.device.clock import OffsetClock, SystemClock
from player.device.health import read_boot_id
from player.device.machine import machine_identity
from player.display.qt.single_shot import single_shot_timer
from player.display.window.bridge import Bridge
from player.display.window.panel import Panel
from player.display.window.render_backend import choose_backend
from player.display.window.window import Display, DisplayError, DisplayMode
from player.domain import actions as act
from player.domain import events as ev
from player.domain.board import Restored, StoredVersion
from player.domain.clock import Clock
from player.domain.manifest import Manifest, Rejection
from player.domain.manifest_document import ManifestError, read_manifest
from player.domain.pairing import Credentials
from player.domain.state import Device, PlayerState
from player.settings import Mode, Settings
from player.storage.durable import StorageError
from player.storage.manifests import StoredManifest
from player.storage.store import StateStore, StoredState
from player.version import VERSION

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger(__name__)

FIRST_FRAME_SECONDS = 1.0
"""The asyncio thread starts when the first view is on the glass (Stage.firstViewShown), or after this long."""

MAX_EARLY_EVENTS = 64
"""Events kept until the asyncio thread runs: presented frames, for the most part."""

JOIN_SECONDS = 6.0
"""How long the asyncio thread may take to end."""

UNPLAYABLE = Rejection(
    code="state_unplayable", subject="running", detail="the stored menu could not be played; see the log"
)

FAILED = 1
RESTART_WANTED = 75
"""Exit code when the service asked for a restart (EX_TEMPFAIL of sysexits.h): the supervisor starts the player anew."""


def run(settings: Settings) -> int:
    """Show the board until it is ended; returns the exit code."""
    for fault in settings.faults:
        log.warning("a setting cannot be used: %s", fault)
    with ExitStack() as running:
        try:
            store = running.enter_context(StateStore.open(settings.state, stand_in=machine_identity))
        except StorageError as error:
            log.critical("the state directory cannot be used: %s", error)
            return FAILED
        choose_backend()
        if settings.mode is Mode.OFFSCREEN:
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        application = QGuiApplication(sys.argv[:1])
        application.setApplicationName("menu-player")
        try:
            player = Player(settings=settings, store=store)
        except DisplayError as error:
            log.critical("the display cannot be opened: %s", error)
            return FAILED
        running.callback(_close_or_exit, player)
        running.enter_context(_ended_by_signals(player.quit))
        return application.exec() or player.exit_code


def _close_or_exit(player: Player) -> None:
    """Close the player; if the network thread goes on, end the process before the state directory is closed."""
    if not player.close():
        log.critical("the network thread does not end; the process ends without it")
        logging.shutdown()
        os._exit(player.exit_code or FAILED)


class Player:
    """The two threads, and the events and actions between them. Create it on the Qt thread."""

    def __init__(self, *, settings: Settings, store: StateStore) -> None:
        """Order the first view. Raises DisplayError."""
        self._settings = settings
        self._store = store
        self._clock: Clock = OffsetClock(settings.clock_offset_file) if settings.clock_offset_file else SystemClock()
        stored = store.load(service=settings.service)
        self._credentials, self._last_pairing = stored.credentials, stored.last_pairing
        self._device = Device(
            device_id=store.identity,
            boot_id=read_boot_id(),
            app_version=VERSION,
            service=settings.service,
            started_at=self._clock.wall(),
        )
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._closing = False
        self._exit_code = 0
        self._early_events: deque[ev.Event] = deque(maxlen=MAX_EARLY_EVENTS)
        self._early_actions: list[act.Action] = []
        self._execute: Callable[[act.Action], None] = self._early_actions.append
        self._thread = threading.Thread(target=self._network_thread, name="network", daemon=True)
        self._display = Display(
            mode=DisplayMode(settings.mode.value),
            size=settings.size,
            asset_path=store.assets.path,
            emit=self.post_event,
            monotonic=self._clock.monotonic,
            wall=self._clock.wall,
            on_close=self.quit,
            snapshot=settings.snapshot,
            panel=Panel(rotation=settings.rotate, overscan=settings.overscan),
            crash_records=store.crash_records,
        )
        self._bridge = Bridge(self._display, monotonic=self._clock.monotonic)
        restored = restore(stored, store, setting_faults=settings.faults)
        try:
            self._conductor, self._state = self._start_conductor(restored)
        except Exception:
            # A defect of the player in playing what the disk holds would end every start: better an empty board that
            # asks the service than none.
            log.exception("the stored menu cannot be played; starting without it")
            self._early_actions.clear()
            restored = Restored(
                screen_id=restored.screen_id,
                commands_done=restored.commands_done,
                rejections=(*restored.rejections, UNPLAYABLE),
                known_time=restored.known_time,
            )
            self._conductor, self._state = self._start_conductor(restored)
        self.newest_etag = restored.newest_etag
        self._show_first_order()
        # Connected before the start: a platform may draw the first frame from within it.
        self._display.stage.firstViewShown.connect(self._start_network)
        self._display.start()
        self._first_frame_timer = single_shot_timer(FIRST_FRAME_SECONDS, self._start_network)
        self._first_frame_timer.start()

    def _start_conductor(self, restored: Restored) -> tuple[Conductor, PlayerState]:
        conductor = Conductor(
            device=self._device,
            clock=self._clock,
            restored=restored,
            issue=lambda action: self._execute(action),
            publish=self._publish,
        )
        return conductor, conductor.begin()

    @property
    def state(self) -> PlayerState:
        """The newest snapshot."""
        return self._state

    @property
    def exit_code(self) -> int:
        """The exit code that the player asks for."""
        return self._exit_code

    def post_event(self, event: ev.Event) -> None:
        """Hand the conductor an event from the Qt thread; kept until the asyncio thread runs."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._conductor.handle, event)
                return
            self._early_events.append(event)

    def quit(self) -> None:
        """End the player; from any thread."""
        self._bridge.quit()

    def close(self) -> bool:
        """Stop the asyncio thread, then the display, so that the board shows until the last moment. Returns whether the
        thread has ended: as long as it runs, the state directory is in use."""
        self._first_frame_timer.stop()
        with self._lock:
            # A thread that is still being set up has no loop to be told by; it looks at this before it runs anything.
            self._closing = True
            if self._loop is not None and self._stop is not None:
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread.ident is not None:
            self._thread.join(JOIN_SECONDS)
        self._display.close()
        return not self._thread.is_alive()

    def _show_first_order(self) -> None:
        """Give the first order straight to the display; the other actions wait for the asyncio thread."""
        for action in self._early_actions:
            if isinstance(action, act.Show):
                self._display.show(action.order)
        self._early_actions[:] = [action for action in self._early_actions if not isinstance(action, act.Show)]

    def _start_network(self) -> None:
        # Not is_alive: a thread that has failed may not be started again.
        if self._thread.ident is None and not self._closing:
            self._thread.start()

    # On the asyncio thread

    def _network_thread(self) -> None:
        import asyncio

        try:
            asyncio.run(self._run_network())
        except Exception:
            log.critical("the network thread has failed; the player ends", exc_info=True)
            self._end_with(FAILED)

    async def _run_network(self) -> None:
        import asyncio

        from player.network_thread import NetworkThread

        with self._lock:
            closing = self._closing
        if closing:
            return
        stop = asyncio.Event()
        network = NetworkThread(
            settings=self._settings,
            device=self._device,
            clock=self._clock,
            store=self._store,
            credentials=self._credentials,
            last_pairing=self._last_pairing,
            newest_etag=self.newest_etag,
            display=self._bridge,
            emit=self._conductor.handle,
            state=lambda: self.state,
            restart=lambda: self._end_with(RESTART_WANTED),
        )
        with self._lock:
            if self._closing:
                return
            self._loop, self._stop = asyncio.get_running_loop(), stop
            events = tuple(self._early_events)
        self._execute = network.execute
        try:
            async with network:
                for action in self._early_actions:
                    network.execute(action)
                for event in events:
                    self._conductor.handle(event)
                # What exists by now stays: searching all of it for garbage would hold up a frame.
                gc.freeze()
                gc.enable()
                await network.run(stop)
        finally:
            with self._lock:
                # Nobody handles the frames that are presented from now on.
                self._loop = None

    def _publish(self, state: PlayerState) -> None:
        self._state = state

    def _end_with(self, code: int) -> None:
        self._exit_code = code
        self.quit()


def restore(stored: StoredState, store: StateStore, *, setting_faults: Sequence[str] = ()) -> Restored:
    """Read the stored manifests. One that cannot be read is reported as a rejection; the start goes on without it."""
    rejections = [Rejection(code="setting_bad", subject="settings", detail=fault) for fault in setting_faults]
    rejections += stored.rejections

    def read(found: StoredManifest | None, slot: str) -> Manifest | None:
        if found is None:
            return None
        try:
            manifest = read_manifest(found.body, etag=found.etag)
        except ManifestError as error:
            rejections.append(Rejection(code=error.code, subject=slot, detail=error.detail))
            return None
        store.manifests.note_assets(etag=manifest.etag, assets=manifest.listed_assets)
        return manifest

    manifests, screen = stored.manifests, stored.credentials

    def read_run(found: StoredManifest | None, slot: str) -> StoredVersion | None:
        manifest = read(found, slot)
        return StoredVersion(manifest=manifest, anchor=found.anchor) if manifest and found and found.anchor else None

    running, latest = read_run(manifests.running, "running"), None
    if running is not None:
        latest = read(manifests.latest, "latest")
    else:
        # `latest` is of the version that cannot be read.
        running = read_run(manifests.previous, "previous")
    staged = read(manifests.staged, "staged")
    version = running.manifest.version if running else None
    return Restored(
        screen_id=screen.screen_id if isinstance(screen, Credentials) else None,
        forgotten=stored.forgotten,
        running=running,
        latest=latest,
        staged=(staged, manifests.staged.body) if staged and manifests.staged else None,
        missing=store.assets.missing(version.assets) if version else {},
        commands_done=stored.commands_done,
        rejections=tuple(rejections),
        known_time=stored.known_time,
    )


@contextmanager
def _ended_by_signals(quit_: Callable[[], None]) -> Iterator[None]:
    """Let SIGTERM and SIGINT end the player. Python runs its handlers only between bytecodes, of which Qt's loop runs
    none; the wake-up descriptor reaches that loop."""
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    received: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    def wake() -> None:
        os.read(reader, 64)
        if received:
            quit_()

    notifier = QSocketNotifier(reader, QSocketNotifier.Type.Read)
    notifier.activated.connect(wake)
    descriptor = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(descriptor)
        notifier.setEnabled(False)
        os.close(reader)
        os.close(writer)
