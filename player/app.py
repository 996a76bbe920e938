"""The only wiring: builds the player, starts it in order and stops it in reverse. The Qt side of the two threads.

The order of the start is what makes a cached menu show before the first packet leaves: state directory, conductor,
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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QSocketNotifier
from PySide6.QtGui import QGuiApplication

from player.conductor import Conductor
from player.device.clock import OffsetClock, SystemClock
from player.device.health import read_boot_id
from player.display.qt.single_shot import single_shot_timer
from player.display.window.bridge import Bridge
from player.display.window.panel import Panel
from player.display.window.render_backend import choose_backend
from player.display.window.window import Display, DisplayError, DisplayMode
from player.domain import actions as act
from player.domain import events as ev
from player.domain.board import Restored, StoredRun
from player.domain.clock import Clock
from player.domain.manifest import Manifest, Rejection
from player.domain.manifest_document import ManifestError, read_manifest
from player.domain.pairing import Credentials
from player.domain.state import Device, PlayerState
from player.settings import Mode, Settings
from player.storage.durable import StorageError
from player.storage.manifests import StoredManifest
from player.storage.store import StateStore, Stored
from player.version import VERSION

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger(__name__)

FIRST_FRAME_SECONDS = 1.0
"""The asyncio thread starts when the first picture has settled on the glass (Stage.settled), or after this long."""

MAX_EARLY_NEWS = 64
"""News that may come before the asyncio thread turns: frames, for the most part."""

JOIN_SECONDS = 6.0
"""How long the asyncio thread may take to end."""

UNPLAYABLE = Rejection(
    code="state_unplayable", subject="running", detail="the stored program could not be played; the log says why"
)

FAILED = 1
RESTART_WANTED = 75
"""Exit code when the service asked for a restart (EX_TEMPFAIL of sysexits.h); whatever supervises starts anew."""


def run(settings: Settings) -> int:
    """Show the board until it is told to end; answers the exit code."""
    with ExitStack() as running:
        try:
            store = running.enter_context(StateStore.open(settings.state))
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
        running.callback(player.close)
        running.enter_context(_ended_by_signals(player.quit))
        return application.exec() or player.exit_code


class Player:
    """The two threads and what lies between them. Made on the Qt thread."""

    def __init__(self, *, settings: Settings, store: StateStore) -> None:
        """Put the first picture into the window. Raises DisplayError."""
        self._settings = settings
        self._store = store
        self._clock: Clock = OffsetClock(settings.clock_offset_file) if settings.clock_offset_file else SystemClock()
        self._stored = store.load(service=settings.service)
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
        self._exit_code = 0
        self._early_news: deque[ev.Event] = deque(maxlen=MAX_EARLY_NEWS)
        self._early_actions: list[act.Action] = []
        self._carry_out: Callable[[act.Action], None] = self._early_actions.append
        self._thread = threading.Thread(target=self._turn, name="network", daemon=True)
        self._display = Display(
            mode=DisplayMode(settings.mode.value),
            size=settings.size,
            asset_path=store.assets.path,
            emit=self.tell,
            monotonic=self._clock.monotonic,
            wall=self._clock.wall,
            on_close=self.quit,
            snapshot=settings.snapshot,
            panel=Panel(rotation=settings.rotate, overscan=settings.overscan),
            trials=store.trials,
        )
        self._bridge = Bridge(self._display, monotonic=self._clock.monotonic)
        restored = restore(self._stored, store)
        try:
            self._conductor, self._state = self._begin_with(restored)
        except Exception:
            # A fault of ours in what the disk holds would end every start in the same way: better an empty board that
            # asks the service than none.
            log.exception("what is on the disk cannot be played; starting without it")
            self._early_actions.clear()
            restored = Restored(screen_id=restored.screen_id, rejections=(*restored.rejections, UNPLAYABLE))
            self._conductor, self._state = self._begin_with(restored)
        self.newest_etag = restored.newest_etag
        self._show_first()
        # Before the start: a platform may draw the first frame from within it.
        self._display.stage.settled.connect(self._begin)
        self._display.start()
        self._patience = single_shot_timer(FIRST_FRAME_SECONDS, self._begin)
        self._patience.start()

    def _begin_with(self, restored: Restored) -> tuple[Conductor, PlayerState]:
        conductor = Conductor(
            device=self._device,
            clock=self._clock,
            restored=restored,
            issue=lambda action: self._carry_out(action),
            publish=self._publish,
        )
        return conductor, conductor.begin()

    @property
    def state(self) -> PlayerState:
        """The newest snapshot."""
        return self._state

    @property
    def exit_code(self) -> int:
        """How the process should end."""
        return self._exit_code

    def tell(self, event: ev.Event) -> None:
        """Bring the conductor news, from the Qt thread."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._conductor.handle, event)
                return
            self._early_news.append(event)

    def quit(self) -> None:
        """End the player; from any thread."""
        self._bridge.quit()

    def close(self) -> None:
        """Stop in reverse: the asyncio thread, then the display, so that the board shows until the last moment."""
        self._patience.stop()
        with self._lock:
            if self._loop is not None and self._stop is not None:
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread.ident is not None:
            self._thread.join(JOIN_SECONDS)
        self._display.close()

    def _show_first(self) -> None:
        """The first order goes straight to the display; what else was asked for waits for the other thread."""
        for action in self._early_actions:
            if isinstance(action, act.Show):
                self._display.show(action.order)
        self._early_actions[:] = [action for action in self._early_actions if not isinstance(action, act.Show)]

    def _begin(self) -> None:
        # Not is_alive: a thread that has failed already may not be started again.
        if self._thread.ident is None:
            self._thread.start()

    # On the asyncio thread

    def _turn(self) -> None:
        import asyncio

        try:
            asyncio.run(self._run_network())
        except Exception:
            log.critical("the player cannot go on", exc_info=True)
            self._end_with(FAILED)

    async def _run_network(self) -> None:
        import asyncio

        from player.network_thread import NetworkThread

        stop = asyncio.Event()
        network = NetworkThread(
            settings=self._settings,
            device=self._device,
            clock=self._clock,
            store=self._store,
            stored=self._stored,
            newest_etag=self.newest_etag,
            bridge=self._bridge,
            emit=self._conductor.handle,
            state=lambda: self.state,
            restart=lambda: self._end_with(RESTART_WANTED),
        )
        with self._lock:
            self._loop, self._stop = asyncio.get_running_loop(), stop
            news = tuple(self._early_news)
        self._carry_out = network.carry_out
        try:
            async with network:
                for action in self._early_actions:
                    network.carry_out(action)
                for event in news:
                    self._conductor.handle(event)
                # What is there by now stays: looking through all of it for garbage would hold up a frame.
                gc.freeze()
                gc.enable()
                await network.run(stop)
        finally:
            with self._lock:
                # Frames that are swapped from now on are news for nobody.
                self._loop = None

    def _publish(self, state: PlayerState) -> None:
        self._state = state

    def _end_with(self, code: int) -> None:
        self._exit_code = code
        self.quit()


def restore(stored: Stored, store: StateStore) -> Restored:
    """What the disk remembers, in the domain's words. A manifest that cannot be read is reported, and does without."""
    rejections = list(stored.rejections)

    def read(kept: StoredManifest | None, slot: str) -> Manifest | None:
        if kept is None:
            return None
        try:
            manifest = read_manifest(kept.body, etag=kept.etag)
        except ManifestError as error:
            rejections.append(Rejection(code=error.code, subject=slot, detail=error.detail))
            return None
        store.manifests.note_assets(etag=manifest.etag, assets=manifest.listed_assets)
        return manifest

    kept, screen = stored.manifests, stored.credentials
    if not isinstance(screen, Credentials):
        return Restored(rejections=tuple(rejections))

    def run_of(kept: StoredManifest | None, slot: str) -> StoredRun | None:
        manifest = read(kept, slot)
        return StoredRun(manifest=manifest, anchor=kept.anchor) if manifest and kept and kept.anchor else None

    running, latest = run_of(kept.running, "running"), None
    if running is not None:
        latest = read(kept.latest, "latest")
    else:
        # `latest` belongs to what cannot be read.
        running = run_of(kept.previous, "previous")
    staged = read(kept.staged, "staged")
    version = running.manifest.version if running else None
    return Restored(
        screen_id=screen.screen_id,
        running=running,
        latest=latest,
        staged=(staged, kept.staged.body) if staged and kept.staged else None,
        missing=store.assets.missing(version.assets) if version else {},
        rejections=tuple(rejections),
    )


@contextmanager
def _ended_by_signals(quit_: Callable[[], None]) -> Iterator[None]:
    """Let SIGTERM and SIGINT end the player. Python's handlers run only when its interpreter does, which Qt's loop
    keeps from happening; the wake-up descriptor reaches that loop."""
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    asked: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        asked.append(number)

    def wake() -> None:
        os.read(reader, 64)
        if asked:
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
