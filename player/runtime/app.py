"""Builds the player from its parts, starts them in order and stops them in reverse; runs on the Qt thread.

A cached menu shows before the first packet leaves because of the order of the start: state directory, conductor,
display, first frame; and only then the asyncio thread, whose libraries take longer to load than that frame to draw.
"""

from __future__ import annotations

import gc
import linecache
import logging
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QSocketNotifier, qVersion
from PySide6.QtGui import QGuiApplication

from menu.documents.manifest import Rejection
from menu.text.phrase import language_of_terminal
from player.device.board_file import BoardFile
from player.device.clock import OffsetClock, SystemClock, read_boot, zone_set
from player.device.health import read_boot_id
from player.device.heaps import bound_heaps
from player.device.machine import machine_identity, read_hardware
from player.device.synchronised import synchronised
from player.device.systemd import loaded, sd_notify
from player.device.taken_back import read_taken_back
from player.display.qt.typed import single_shot_timer
from player.display.window.bridge import Bridge
from player.display.window.panel import Panel
from player.display.window.render_backend import BACKEND_VARIABLE, choose_backend
from player.display.window.window import Display, DisplayError
from player.domain import actions as act
from player.domain import events as ev
from player.domain.machine import WindowMode
from player.domain.panel.panel import ScreenDisplay
from player.domain.playing.board import Restored
from player.domain.recovery import fallback
from player.domain.recovery.liveness import FaultCode, slowness
from player.domain.state import Device, PlayerState
from player.domain.time.clock import Boot, Clock
from player.runtime.conductor import Conductor
from player.runtime.restore import restore
from player.runtime.starts import Starts, forget_failures_of_another_version, read_failures
from player.settings import Settings
from player.storage.store import StateStore
from player.version import VERSION

if TYPE_CHECKING:
    import asyncio

    from player.display.window.safe_card import SafeDisplay

log = logging.getLogger(__name__)

FIRST_FRAME_SECONDS = 1.0
"""The asyncio thread starts when the first view is on the glass (Display.ready), or after this long."""

START_ANYWAY_SECONDS = 10.0
"""Or after this long, if the display's thread does not even run its timers."""

MAX_EARLY_EVENTS = 64
"""Events kept until the asyncio thread runs: presented frames, for the most part."""

JOIN_SECONDS = 6.0
"""The time that the asyncio thread may take to end."""

UNPLAYABLE = Rejection(
    code="state_unplayable", subject="running", detail="the stored menu could not be played; see the log"
)

FAILED = 1

TRIGGER_WATCHDOG = "WATCHDOG=trigger"
"""Has systemd end and restart the whole unit at once: a compositor that answers nobody does not end with its client."""

NOTIFY_SECONDS = 1.0


def run(settings: Settings, *, loaded_in: float = 0.0) -> int:
    """Shows the board until it is ended; returns the exit code. `loaded_in` is how many seconds the machine took to
    load the program. Raises StorageError if another player uses the state directory."""
    bound_heaps()
    sd_notify(loaded())
    for fault in settings.faults:
        log.warning("a setting cannot be used: %s", fault)
    for fault in settings.boot_file.faults:
        log.warning("the boot file is not used: %s", fault)
    with ExitStack() as running:
        store = running.enter_context(
            StateStore.open(settings.state, stand_in=machine_identity, hardware=read_hardware())
        )
        forget_failures_of_another_version(store)
        if fallback.needs_software(read_failures(store.failures), SystemClock().wall()):
            log.warning("the graphics hardware has failed before; drawing without it")
            os.environ[BACKEND_VARIABLE] = "software"
        choose_backend()
        if settings.mode is WindowMode.OFFSCREEN:
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        application = QGuiApplication(sys.argv[:1])
        application.setApplicationName("menu-player")
        player = Player(settings=settings, store=store, loaded_in=loaded_in)
        running.callback(_close_or_exit, player)
        running.enter_context(_ended_by_signals(player.quit))
        return application.exec() or player.exit_code


def _close_or_exit(player: Player) -> None:
    """Close the player; if the network thread goes on, end the process before the state directory is closed."""
    if not player.close():
        log.critical("the network thread does not end; the process ends without it")
        logging.shutdown()
        os._exit(player.exit_code or FAILED)


def _device(identity: str, service: str, *, started_at: datetime) -> Device:
    return Device(
        device_id=identity,
        boot_id=read_boot_id(),
        app_version=VERSION,
        service=service,
        started_at=started_at,
        zone=zone_set(),
        taken_back=read_taken_back(VERSION),
    )


class Player:
    """Owns the two threads, and passes the events and actions between them. Create it on the Qt thread."""

    def __init__(
        self,
        *,
        settings: Settings,
        store: StateStore,
        loaded_in: float = 0.0,
        first_frame_seconds: float = FIRST_FRAME_SECONDS,
        join_seconds: float = JOIN_SECONDS,
    ) -> None:
        """Order the first view."""
        self._join_seconds = join_seconds
        self._loaded_in = loaded_in
        self._settings = settings
        self._store = store
        self._clock: Clock = OffsetClock(settings.clock_offset_file) if settings.clock_offset_file else SystemClock()
        # A rehearsal's time is that of its file, whatever was stored.
        self._boot = Boot if settings.clock_offset_file else read_boot
        stored = store.load(service=settings.service)
        self._credentials, self._last_pairing = stored.credentials, stored.last_pairing
        self._device = _device(store.identity, settings.service, started_at=self._clock.wall())
        self._board_file = BoardFile(os.environ, has_token=settings.enrolment_token is not None)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._closing = False
        self._with_compositor = False
        self._exit_code = 0
        self._early_events: deque[ev.Event] = deque(maxlen=MAX_EARLY_EVENTS)
        self._early_actions: list[act.Action] = []
        self._execute: Callable[[act.Action], None] = self._early_actions.append
        self._look: Callable[[PlayerState], None] = lambda _: None
        self._thread = threading.Thread(target=self._network_thread, name="network", daemon=True)
        self._starts = Starts(store.starts, now=self._clock.wall, boot_id=self._device.boot_id)
        failures, now = self._starts.counted(store.failures), self._clock.wall()
        safe_card = fallback.shows_safe_card(failures, now)
        if safe_card:
            self._starts.keep()
        else:
            self._starts.begin()
        self._display: Display | SafeDisplay = self._safe_display() if safe_card else self._whole_display()
        self._bridge = Bridge(self._display, monotonic=self._clock.monotonic)
        restored = restore(
            stored,
            store,
            setting_faults=settings.faults,
            boot_file=settings.boot_file,
            failures=failures,
            starts=self._starts,
            safe_card=safe_card,
            boot=self._boot(),
        )
        self._conductor, self._state, self.newest_etag = self._begin(restored)
        self._begin_to_show(first_frame_seconds)

    def _begin_to_show(self, first_frame_seconds: float) -> None:
        """Shows the first view, and starts the network with its first frame, or after these seconds without one."""
        # From a thread of its own: a display that hangs over the first view would never be noticed.
        self._start_anyway = threading.Timer(START_ANYWAY_SECONDS, self._start_network)
        self._start_anyway.daemon = True
        self._start_anyway.start()
        self._show_first_order()
        # Connected before the start: a platform may draw the first frame from within it.
        self._display.ready.connect(self._start_network)
        self._start_display()
        self._first_frame_timer = single_shot_timer(first_frame_seconds, self._start_network)
        self._first_frame_timer.start()

    def _whole_display(self) -> Display:
        settings, store = self._settings, self._store
        return Display(
            mode=settings.mode,
            size=settings.size,
            asset_path=store.assets.path,
            emit=self.post_event,
            monotonic=self._clock.monotonic,
            wall=self._clock.wall,
            slowness=slowness(self._loaded_in),
            on_close=self.quit,
            snapshot=settings.snapshot,
            panel=Panel(rotation=settings.rotate, overscan=settings.overscan),
            crash_records=store.crash_records,
        )

    def _safe_display(self) -> SafeDisplay:
        from player.display.window.safe_card import SafeDisplay

        settings = self._settings
        return SafeDisplay(
            mode=settings.mode,
            size=settings.size,
            panel=Panel(rotation=settings.rotate, overscan=settings.overscan),
            emit=self.post_event,
        )

    def _start_display(self) -> None:
        try:
            self._display.start()
        except DisplayError as error:
            # The conductor hears of it once it runs, and what follows is the same as for any view that fails.
            log.critical("the display cannot show anything: %s", error)
            self.post_event(ev.OrderFailed(serial=self._state.serial, code=FaultCode.DISPLAY_BROKEN, detail=str(error)))

    def _begin(self, restored: Restored) -> tuple[Conductor, PlayerState, str | None]:
        """Returns the conductor, its first snapshot, and the etag of the newest manifest that it knows."""
        try:
            return *self._start_conductor(restored), restored.newest_etag
        except Exception:
            # A defect of the player in playing what the disk holds would end every start: better an empty board that
            # asks the service than none.
            log.exception("the stored menu cannot be played; starting without it")
        self._early_actions.clear()
        return *self._start_conductor(restored.without_programs(UNPLAYABLE)), None

    def _start_conductor(self, restored: Restored) -> tuple[Conductor, PlayerState]:
        conductor = Conductor(
            device=self._device,
            clock=self._clock,
            restored=restored,
            synchronised=synchronised(),
            locale=self._settings.language or language_of_terminal(os.environ),
            own_display=ScreenDisplay(mode=self._settings.display_mode, power=self._settings.display_power),
            loaded_in=self._loaded_in,
            issue=lambda action: self._execute(action),
            publish=self._publish,
        )
        return conductor, conductor.begin()

    @property
    def state(self) -> PlayerState:
        return self._state

    @property
    def exit_code(self) -> int:
        return self._exit_code

    def post_event(self, event: ev.Event) -> None:
        """Hand the conductor an event from the Qt thread; kept until the asyncio thread runs."""
        if isinstance(event, ev.FramePresented):
            self._starts.succeed()
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
        self._start_anyway.cancel()
        with self._lock:
            # A thread that is still being set up has no loop to be told by; it looks at this before it runs anything.
            self._closing = True
            if self._loop is not None and self._stop is not None:
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread.ident is not None:
            self._thread.join(self._join_seconds)
        self._display.close()
        self._starts.close()
        return not self._thread.is_alive()

    def _show_first_order(self) -> None:
        """Sends the first order straight to the display; the other actions wait for the asyncio thread."""
        for action in self._early_actions:
            if isinstance(action, act.Show):
                self._display.show(action.order)
        self._early_actions[:] = [action for action in self._early_actions if not isinstance(action, act.Show)]

    def _start_network(self) -> None:
        self._start_anyway.cancel()
        with self._lock:
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
        if self._with_compositor:
            self._end_process()

    def _end_process(self) -> None:
        """Ends without the display, which no longer responds: from this thread, once its work is stored."""
        sd_notify(TRIGGER_WATCHDOG)
        # systemd drops the message of a sender that is gone before it is read.
        time.sleep(NOTIFY_SECONDS)
        logging.shutdown()
        os._exit(self._exit_code)

    async def _run_network(self) -> None:
        import asyncio

        from player.runtime.network_thread import NetworkThread

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
            board=lambda: self._conductor.board,
            restart=self._restart,
            versions=(("Qt", qVersion()),),
            slowness=slowness(self._loaded_in),
            boot=self._boot,
        )
        with self._lock:
            if self._closing:
                return
            self._loop, self._stop = asyncio.get_running_loop(), stop
            events = tuple(self._early_events)
        self._execute, self._look = network.execute, network.look
        try:
            async with network:
                # A first view that takes this long may be shown, and leave the list, in between.
                for action in tuple(self._early_actions):
                    network.execute(action)
                for event in events:
                    self._conductor.handle(event)
                # What exists by now stays: searching all of it for garbage would hold up a frame.
                gc.freeze()
                gc.enable()
                # PySide6 has read the source of each module that was imported after it: 15 MB.
                linecache.clearcache()
                await network.run(stop)
        finally:
            with self._lock:
                # Nobody handles the frames that are presented from now on.
                self._loop = None

    def _restart(self, action: act.Restart) -> None:
        self._with_compositor = action.with_compositor
        if action.with_compositor and self._stop is not None:
            # The display's thread may not hear of it.
            self._stop.set()
        self._end_with(75)  # EX_TEMPFAIL of sysexits.h: the supervisor starts the player anew.

    def _publish(self, state: PlayerState) -> None:
        self._state = state
        self._look(state)
        self._board_file.tell(state)

    def _end_with(self, code: int) -> None:
        self._exit_code = code
        self.quit()


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
