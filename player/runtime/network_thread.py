"""The asyncio thread: executes the conductor's actions and reports events to it; decides nothing itself.

It is imported once the first view is on the glass, because the network libraries take longer to load than a cached menu
takes to show.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Protocol, Self, assert_never
from urllib.parse import urlsplit

from msgspec.structs import replace

from player.device.clock_watch import ClockWatch
from player.device.description import describe_machine
from player.device.health import read_health
from player.device.network import NetworkFiles, networks, own_addresses
from player.device.network_watch import NetworkWatch
from player.device.panel import PanelKeeper, PanelPort, panel_commands
from player.device.systemd import ready, sd_notify, watchdog_interval
from player.device.watchdog import feed_watchdog
from player.display.window.screenshot import fit_image, fit_png
from player.domain import actions as act
from player.domain import events as ev
from player.domain.access import Access
from player.domain.announcement import announcement_of
from player.domain.commands import Outcome
from player.domain.connection import ConnectionTest
from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.domain.documents.manifest import LinkSettings
from player.domain.findings.disk import refuses
from player.domain.findings.machine import CA_FILE_BAD, PAGE_PORT_TAKEN
from player.domain.machine import Glass, Machine
from player.domain.pairing import Credentials, LastPairing, PendingCode
from player.domain.playing.board import Board
from player.domain.state import Device, PlayerState
from player.domain.time.clock import Boot, Clock, KnownTime, Trust, true_time
from player.domain.view import DisplayOrder
from player.link.announcer import Announcer
from player.link.api import ServiceApi
from player.link.downloads import Downloads
from player.link.heartbeat import Heartbeat
from player.link.outcomes import Fresh
from player.link.pairing import Pairing
from player.link.poller import EXPECTED_PAUSE_SECONDS, Poller
from player.link.probe.probe import BestTime, Probe
from player.link.rate_limit import RateLimit, share_of
from player.link.report import report_of
from player.page.access import Gatekeeper
from player.page.look import Look
from player.page.picture import Pictures, Shot
from player.page.server import DiagnosticsServer, create_app
from player.recent_log import RECENT_LOG
from player.runtime.parts import Parts
from player.runtime.scheduler import Scheduler
from player.settings import PageAccess, Settings
from player.storage.durable import StorageError, slow_syncs
from player.storage.store import StateStore

log = logging.getLogger(__name__)

HEALTH_SECONDS = 5.0
"""Between two readings of the machine's gauges; each has the conductor recompute what is due, too."""

ADDRESSES_SECONDS = 5.0
"""Between two readings of the device's addresses: a cable may be plugged in at any time."""

LOOK_SECONDS = 1.0
"""Between two looks at the display."""

SAVED_AGAIN = frozenset({"identity", "credentials", "running", "latest", "staged", "lock"})
"""The files that are written again when the state directory was lost."""

RECHECK_SECONDS = 24 * 3600.0
"""Between two readings of every asset on disk: storage wears out even if nobody writes."""

STOP_SECONDS = 3.0
"""How long the parts may take to end before the player ends without them."""

PAGE_SECONDS = 2.0
"""How long the start waits for the page to open."""

PICTURE_SECONDS = 10.0
"""How long a support bundle waits for a picture of the glass."""

CLOSE_SECONDS = 2.0
"""How long open connections may take to close."""


RESTART_WAIT_SECONDS = 5.0
"""How long a restart waits for the disk."""

WRITE_AGAIN_SECONDS = 30.0
"""Until writes that the disk refused are tried again; twice as long each time, up to the most."""

MOST_WRITE_AGAIN_SECONDS = 120.0

BROKEN_COMMAND = "The player could not do it because of an error of its own; see its log."

MAX_SCREENSHOT_BYTES = 8 * 1024**2
MAX_LOG_BYTES = 256 * 1024
"""What the service takes."""

_OF_ONE_VERSION = frozenset({act.StoreRunning, act.StoreLatest, act.StoreStaged, act.DropStaged})
_REPLACES: Mapping[type[act.Action], frozenset[type[act.Action]]] = {
    act.ForgetVersions: _OF_ONE_VERSION | {act.ForgetVersions},
    act.StoreRunning: _OF_ONE_VERSION,
    act.StoreLatest: frozenset({act.StoreLatest}),
    act.StoreStaged: frozenset({act.StoreStaged, act.DropStaged}),
    act.DropStaged: frozenset({act.StoreStaged, act.DropStaged}),
    act.StoreCommands: frozenset({act.StoreCommands}),
    act.StoreTime: frozenset({act.StoreTime}),
    act.StoreFailures: frozenset({act.StoreFailures}),
    act.StoreAccess: frozenset({act.StoreAccess}),
    act.StoreScreen: frozenset({act.StoreScreen}),
}
"""Which waiting writes a newer one makes needless."""

_WRITTEN: Mapping[type[act.Action], frozenset[str]] = {
    act.ForgetVersions: frozenset({"running", "latest", "staged", "previous"}),
    act.StoreRunning: frozenset({"running", "latest", "staged", "previous"}),
    act.StoreLatest: frozenset({"running", "latest", "previous"}),
    act.StoreStaged: frozenset({"staged"}),
    act.DropStaged: frozenset({"staged"}),
    act.StoreCommands: frozenset({"commands"}),
    act.StoreTime: frozenset({"clock"}),
    act.StoreFailures: frozenset({"failures"}),
    act.StoreAccess: frozenset({"access"}),
    act.StoreScreen: frozenset({"screen"}),
}
"""The files that are right once a write has succeeded."""


class DisplayPort(Protocol):
    """The display, as seen from this thread; `Bridge` is one."""

    def post(self, order: DisplayOrder) -> None:
        """Show this, in place of any order that still waits."""
        ...

    def grab(self, deliver: Callable[[Shot], None]) -> None:
        """Give `deliver` what is on the glass, on any thread."""
        ...

    def look(self) -> ev.DisplayLooked:
        """The display's signs of life."""
        ...

    def forgive_crashes(self) -> None:
        """Let every video be played again."""
        ...


class NetworkThread:
    """Everything that runs on the asyncio thread.

    `emit` takes events, on this thread; `state` gives the newest snapshot, and `board` what plays and what waits.
    `versions` are of the programs of the display. `newest_etag` is of the newest manifest on disk. Enter it before the
    first action.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        device: Device,
        clock: Clock,
        store: StateStore,
        credentials: Credentials | PendingCode | None,
        last_pairing: LastPairing | None,
        newest_etag: str | None,
        display: DisplayPort,
        emit: Callable[[ev.Event], None],
        state: Callable[[], PlayerState],
        board: Callable[[], Board],
        restart: Callable[[act.Restart], None],
        versions: tuple[tuple[str, str], ...] = (),
        panel: PanelPort | None = None,
        slowness: float = 1.0,
        boot: Callable[[], Boot] = Boot,
    ) -> None:
        """`slowness` is by how much longer this machine is given."""
        self._slowness = slowness
        self._settings = settings
        self._clock = clock
        self._store = store
        self._display = display
        self._emit = emit
        self._state = state
        self._restart = restart
        self._boot = boot
        self._machine = Machine()
        self._versions = versions
        self._link_settings = LinkSettings()
        self._parts = Parts(emit=emit)
        self._writes: deque[act.DiskWrite] = deque()
        self._refused_writes: deque[act.DiskWrite] = deque()
        """Those to be tried again, before the waiting ones."""
        self._disk_refuses = False
        self._write_due = asyncio.Event()
        self._idle_disk = asyncio.Event()
        self._idle_disk.set()
        self._write_due.set()
        self._scheduler = Scheduler(clock=clock, failed=self._parts.failed, worked=self._parts.worked)
        loop = asyncio.get_running_loop()
        self._api = ServiceApi(
            settings.service,
            app_version=device.app_version,
            allow_plain_http=settings.allow_plain_http,
            proxy=settings.proxy,
            ca_file=settings.ca_file,
            told_of_ca_file=lambda fault: loop.call_soon_threadsafe(self._tell_of_ca_file, fault),
        )
        self._probe = Probe(
            service=self._api.service,
            certificates=self._api.certificates,
            proxy=settings.proxy,
            app_version=device.app_version,
            now=self._best_time,
            network=NetworkFiles().read,
            reached=lambda: self._api.reached_at,
            traffic=self._api.lines.traffic,
        )
        self._test: asyncio.Task[ConnectionTest] | None = None
        self._pairing = Pairing(
            api=self._api,
            store=store.credentials,
            saved=credentials,
            last_store=store.last_pairing,
            last=last_pairing,
            written=self._writes_done,
            device_id=store.identity,
            device_name=None,
            enrolment_token=settings.enrolment_token,
            clock=clock,
            random=random.random,
            emit=emit,
        )
        self._poller = Poller(
            api=self._api,
            token_source=self._pairing,
            etag=newest_etag,
            settings=self._link_settings,
            clock=clock,
            random=random.random,
            emit=emit,
        )
        self._heartbeat = Heartbeat(
            api=self._api,
            token_source=self._pairing,
            boot_id=device.boot_id,
            app_version=device.app_version,
            clock=clock,
            emit=emit,
            newest=self._expect,
        )
        self._downloads = Downloads(
            api=self._api,
            token_source=self._pairing,
            store=store.assets,
            clock=clock,
            random=random.random,
            emit=emit,
            limit=RateLimit(settings.download_limit, monotonic=clock.monotonic) if settings.download_limit else None,
            delay=lambda key: settings.download_spread * share_of(device.device_id, key),
        )
        self._gatekeeper = self._make_gatekeeper() if settings.page is PageAccess.NETWORK else None
        self._panel = PanelKeeper(port=panel or panel_commands(), monotonic=clock.monotonic, emit=emit)
        self._pictures = Pictures(display.grab)
        self._look = Look(
            snapshot=self._snapshot,
            board=board,
            machine=lambda: self._machine,
            log=RECENT_LOG.lines,
            monotonic=clock.monotonic,
        )
        self._diagnostics = DiagnosticsServer(
            app=create_app(
                snapshot=self._snapshot,
                monotonic=clock.monotonic,
                grab=self._pictures.take,
                look=self._look,
                bundle=self._bundle,
                gatekeeper=self._gatekeeper,
                actions={action: partial(self._act_for_staff, action) for action in ev.StaffAction},
            ),
            port=settings.diagnostics_port,
            on_network=settings.page is PageAccess.NETWORK,
            start=self._parts.start,
        )

    async def __aenter__(self) -> Self:
        self._scheduler.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop` is set. A part that fails is reported, and begins again."""
        self._scheduler.after("health", 0, self._read_health)
        self._scheduler.after("recheck", RECHECK_SECONDS, self._recheck_assets)
        for name, work in (
            ("clock", ClockWatch(clock=self._clock, emit=self._clock_looked).run),
            ("pairing", self._pairing.run),
            ("downloads", self._downloads.run),
            ("writes", self._write),
            ("reach", self._report_when_back),
            ("lines", partial(self._api.lines.watch, self._emit)),
            ("network", NetworkWatch(emit=self._emit, network=NetworkFiles().read).run),
        ):
            self._parts.start(name, work)
        await asyncio.wait([self._parts.start("page", self._open_page)], timeout=PAGE_SECONDS)
        self._scheduler.after("addresses", 0, self._read_addresses)
        sd_notify(*ready(slowness=self._slowness))
        if interval := watchdog_interval():
            watchdog = partial(
                feed_watchdog,
                interval=interval,
                is_live=lambda: self._state().is_live,
                feed=lambda: sd_notify("WATCHDOG=1"),
            )
            self._parts.start("watchdog", watchdog)
        # Before that the player starts, for which the unit has a time of its own.
        self._parts.start("display watch", self._watch_display)
        await stop.wait()

    def execute(self, action: act.Action) -> None:
        """Do what the conductor asks. Never blocks: long work is started."""
        match action:
            case act.Show():
                self._display.post(action.order)
                self._pictures.follow(action.order)
            case act.WakeAt(instant=instant):
                if instant is None:
                    self._scheduler.cancel("wake-up")
                else:
                    # Not the snapshot's offset: the snapshot is published after the actions.
                    self._scheduler.at("wake-up", instant - action.clock_offset, self._wake)
            case act.DownloadAssets():
                self._downloads.want(action.versions, on_glass=action.on_glass)
            case act.ForgetVersions():
                self._poller.forget()
                self._write_later(action)
            case act.StoreRunning() | act.StoreLatest() | act.StoreStaged() | act.DropStaged():
                self._write_later(action)
            case act.StoreTime():
                boot = self._boot()
                seconds = boot.seconds - (self._clock.monotonic() - action.at)
                self._write_later(replace(action, boot=replace(boot, seconds=seconds)))
            case act.StoreCommands() | act.StoreFailures() | act.StoreAccess() | act.StoreScreen():
                self._write_later(action)
            case act.KeepPanel():
                self._panel.keep(action.order)
                self._scheduler.after("panel", 0, self._panel.step)
            case act.AwaitPairing():
                self._scheduler.cancel("poll")
                self._scheduler.cancel("heartbeat")
            case act.StartLink():
                self._scheduler.after("poll", 0, self._poll)
                self._scheduler.after("heartbeat", 0, self._send_heartbeat)
            case act.UseSettings():
                self._link_settings = action.settings
                self._poller.use(action.settings)
            case act.TestConnection():
                self._parts.start("connection test", self._test_connection)
            case act.SendScreenshot():
                self._parts.start("screenshot", partial(self._end_command, action.command, self._send_screenshot))
            case act.SendLogs():
                self._parts.start("log", partial(self._end_command, action.command, self._send_logs))
            case act.SendHeartbeat():
                self._scheduler.after("heartbeat", 0, self._send_heartbeat)
            case act.RefetchManifest():
                self._poller.forget()
                self._scheduler.after("poll", 0, self._poll)
                self._display.forgive_crashes()
            case act.RecheckAssets():
                self._recheck(action.asset)
            case act.PairAgain():
                self._pairing.pair_again()
            case act.ShowPin():
                if self._gatekeeper is not None:
                    # Not within the event that asks for it: the PIN is one, too.
                    asyncio.get_running_loop().call_soon(self._gatekeeper.show_pin)
            case act.Contradict(holds=holds):
                self._poller.contradict(holds)
            case act.Restart():
                self._parts.start("restart", partial(self._restart_after_writes, action))
            case _:
                assert_never(action)

    # Scheduled work

    async def _poll(self) -> float:
        return await self._poller.poll()

    def _expect(self, etag: str, asked_at: float) -> None:
        if self._poller.expect(etag, asked_at=asked_at):
            self._scheduler.after("poll", EXPECTED_PAUSE_SECONDS, self._poll)

    async def _report_when_back(self) -> None:
        """Send a heartbeat at once when the service answers another call again."""
        while True:
            await self._api.reach.back()
            if self._pairing.token is not None:
                self._scheduler.after("heartbeat", 0, self._send_heartbeat)

    async def _send_heartbeat(self) -> float:
        await self._heartbeat.beat(report_of(self._snapshot()))
        return float(self._link_settings.heartbeat_seconds)

    async def test_connection(self) -> ConnectionTest:
        """Test the way to the service now, or wait for the test that is under way."""
        if self._test is None or self._test.done():
            self._test = asyncio.create_task(self._probe.run(), name="connection test")
        test = await asyncio.shield(self._test)
        if test.failure is None:
            self._api.reach.answered()
        self._emit(ev.ConnectionTested(test=test))
        return test

    async def _test_connection(self) -> None:
        await self.test_connection()

    def _tell_of_ca_file(self, fault: str | None) -> None:
        if fault is None:
            self._emit(ev.PartWell(subject="ca_file"))
        else:
            self._emit(ev.PartFailed(subject="ca_file", code=CA_FILE_BAD, detail=fault))

    def _best_time(self) -> BestTime:
        system, clock = self._clock.wall(), self._state().clock
        return BestTime(at=true_time(system, clock), system=system, certain=clock.trust is not Trust.UNKNOWN)

    async def _watch_display(self) -> None:
        before: tuple[bool, Glass | None] | None = None
        while True:
            look = self._display.look()
            self._emit(look)
            if before is not None and before != (look.has_screen, look.glass):
                # A screen that has come has forgotten what it was asked.
                self._scheduler.after("panel", 0, self._panel.step)
            before = look.has_screen, look.glass
            await asyncio.sleep(LOOK_SECONDS)

    async def _wake(self) -> None:
        self._emit(ev.TimePassed())

    async def _read_health(self) -> float:
        if await asyncio.to_thread(self._store.is_lost) and await self._tried(self._store.save_again, SAVED_AGAIN):
            self._write_due.set()
            self._recheck()
        health = await asyncio.to_thread(read_health, self._settings.state, disk_sync_seconds=slow_syncs())
        if self._disk_refuses and not refuses(health):
            # It is well again: what it refused is stored at once.
            self._write_due.set()
            self._downloads.recheck()
            self._pairing.store_again()
        self._disk_refuses = refuses(health)
        signal = await asyncio.to_thread(self._probe.note_way)
        self._emit(ev.HealthRead(health=health, wifi_signal=signal))
        now = self._snapshot().at
        self._machine = await asyncio.to_thread(
            describe_machine, self._settings.state, now=now, versions=self._versions
        )
        return HEALTH_SECONDS

    async def _read_addresses(self) -> float:
        own = own_addresses()
        read = ev.AddressesRead(addresses=own, pages=self._diagnostics.addresses(own))
        state = self._state()
        if (state.addresses, state.pages) != (read.addresses, read.pages):
            self._emit(read)
        return ADDRESSES_SECONDS

    async def _recheck_assets(self) -> float:
        self._recheck()
        return RECHECK_SECONDS

    def _recheck(self, asset: str | None = None) -> None:
        self._store.assets.recheck(asset)
        self._downloads.recheck()

    def _clock_looked(self, event: ev.ClockChecked) -> None:
        if event.stepped:
            self._scheduler.reanchor()
        self._emit(event)

    # The disk: one write after the other

    def _write_later(self, action: act.DiskWrite) -> None:
        """Queue a write in place of those that it makes needless: at most one of a kind waits for a slow disk."""
        replaced = _REPLACES[type(action)]
        for queue in (self._refused_writes, self._writes):
            kept = [write for write in queue if type(write) not in replaced]
            queue.clear()
            queue.extend(kept)
        self._writes.append(action)
        self._write_due.set()
        self._idle_disk.clear()

    async def _writes_done(self) -> None:
        """Return once every write that was asked for has been tried."""
        await self._idle_disk.wait()

    async def _write(self) -> None:
        pause = WRITE_AGAIN_SECONDS
        while True:
            await self._write_due.wait()
            self._write_due.clear()
            if await self._write_all():
                self._parts.worked("writes")
                pause = WRITE_AGAIN_SECONDS
                self._scheduler.cancel("write again")
            else:
                self._scheduler.after("write again", pause, self._write_again)
                pause = min(2 * pause, MOST_WRITE_AGAIN_SECONDS)
            self._idle_disk.set()

    async def _write_again(self) -> None:
        self._write_due.set()

    async def _write_all(self) -> bool:
        """Do the writes that wait, in their order; whether the disk took all. From the first that it refuses on, all
        are kept and done again: each may undo the next."""
        self._writes.extendleft(reversed(self._refused_writes))
        self._refused_writes.clear()
        settled = await self._tried(self._store.manifests.settle, frozenset({"reserve-0", "reserve-1"}))
        well = True
        while self._writes:
            action = self._writes.popleft()
            written = await self._tried(partial(write_now, self._store, action), _WRITTEN[type(action)])
            if written and isinstance(action, act.StoreLatest):
                # It has begun the version, if that was refused.
                self._refused_writes = deque(
                    write for write in self._refused_writes if not isinstance(write, act.StoreRunning)
                )
                well = well or not self._refused_writes
            well &= written
            if not well and not any(type(action) in _REPLACES[type(write)] for write in self._writes):
                self._refused_writes.append(action)
        return settled and well

    async def _tried(self, write: Callable[[], None], files: frozenset[str]) -> bool:
        work = asyncio.ensure_future(asyncio.to_thread(write))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            # The writes that still wait must not overtake this one.
            await asyncio.wait((work,))
            raise
        except StorageError as error:
            self._emit(ev.DiskFailed(subject=error.subject, code=error.code, detail=error.detail))
            return False
        except Exception as error:
            # It is kept as one that the disk has refused.
            self._parts.failed("writes", error)
            return False
        self._emit(ev.DiskWritten(subjects=files))
        return True

    async def _restart_after_writes(self, action: act.Restart) -> None:
        """Restart once the disk knows of the command, so that it is not carried out twice; a disk that hangs does not
        prevent it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RESTART_WAIT_SECONDS):
                await self._writes_done()
        self._restart(action)

    # Diagnostics

    async def _open_page(self) -> None:
        """Open the page, and announce the player with its address."""
        address = None if self._settings.page is PageAccess.OFF else await self._diagnostics.start()
        if address is not None:
            log.info("diagnostics at %s", address)
        elif self._settings.page is not PageAccess.OFF:
            taken = self._settings.diagnostics_port
            log.error("no page: port %d is not available; choose another with --diagnostics-port", taken)
            detail = f"another program has port {taken}, so this screen has no page"
            self._emit(ev.PartFailed(subject="page", code=PAGE_PORT_TAKEN, detail=detail))
        if self._settings.announce:
            page = urlsplit(address if address and self._settings.page is PageAccess.NETWORK else "")
            announcer = Announcer(
                announcement=lambda: announcement_of(self._snapshot(), page=page.scheme, port=page.port or 0),
                random=random.random,
                interfaces=networks,
            )
            self._parts.start("announcer", announcer.run)

    def _make_gatekeeper(self) -> Gatekeeper:
        try:
            stored = Access.read(self._store.access.load())
        except (*NOT_THE_DOCUMENT, StorageError) as error:
            log.info("who has tried to sign in cannot be read, and begins anew: %s", error)
            stored = Access()
        return Gatekeeper(
            stored=stored,
            clock=self._clock,
            store=self._store_access,
            emit=self._emit,
            fixed=self._settings.page_pin,
        )

    async def _store_access(self, content: bytes) -> None:
        self._write_later(act.StoreAccess(content=content))
        await self._writes_done()

    async def _act_for_staff(self, action: ev.StaffAction) -> None:
        self._emit(ev.StaffAsked(action=action))

    def _snapshot(self) -> PlayerState:
        """The newest snapshot, as of now: it holds until another one is published."""
        return self._state().as_of(self._clock.monotonic())

    async def _bundle(self) -> tuple[str, bytes]:
        """The support bundle: its file's name, and what is in it."""
        from player.page.bundle import file_name, write_bundle
        from player.runtime.support_bundle import live_contents

        picture, secret = None, ""
        pin = self._gatekeeper.shown() if self._gatekeeper else None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PICTURE_SECONDS):
                taken = await self._pictures.take()
                picture, secret = taken.content, taken.secret
        if self._gatekeeper:
            pin = pin or self._gatekeeper.shown()
        facts, token = self._look(), self._pairing.token

        def write() -> tuple[str, bytes]:
            contents = live_contents(
                facts, self._settings, picture=picture, token=token, pin=pin, shown=secret, shrink=fit_image
            )
            return file_name(contents), write_bundle(contents)

        return await asyncio.to_thread(write)

    # What the service asks to see

    async def _end_command(self, command: str, work: Callable[[], Awaitable[tuple[Outcome, str]]]) -> None:
        try:
            outcome, detail = await work()
        except Exception:
            log.exception("a command of the service could not be carried out")
            outcome, detail = Outcome.FAILED, BROKEN_COMMAND
        (log.info if outcome is Outcome.DONE else log.warning)("for the service: %s", detail)
        self._emit(ev.CommandEnded(id=command, outcome=outcome, detail=detail))

    async def _send_screenshot(self) -> tuple[Outcome, str]:
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                picture = await self._pictures.take()
        except TimeoutError:
            return Outcome.FAILED, f"The display gave no picture within {PICTURE_SECONDS:g} seconds."
        if picture.secret:
            return (
                Outcome.REFUSED,
                f"No picture was taken, because the {picture.secret} is on the screen. Ask again in two minutes.",
            )
        image: bytes | None = picture.content
        if len(picture.content) > MAX_SCREENSHOT_BYTES:
            image = await asyncio.to_thread(fit_png, picture.content, MAX_SCREENSHOT_BYTES)
        if image is None:
            return Outcome.FAILED, f"The picture cannot be made smaller than {MAX_SCREENSHOT_BYTES} bytes."
        return await self._upload("/screenshot", image, "image/png", done="A picture of the screen was sent.")

    async def _send_logs(self) -> tuple[Outcome, str]:
        lines = RECENT_LOG.tail(max_bytes=MAX_LOG_BYTES).encode()
        return await self._upload("/logs", lines, "text/plain; charset=utf-8", done="The log was sent.")

    async def _upload(self, path: str, content: bytes, media_type: str, *, done: str) -> tuple[Outcome, str]:
        token = self._pairing.token
        if token is None:
            return Outcome.FAILED, "The screen is not paired any more."
        outcome = await self._api.upload(path, token=token, content=content, media_type=media_type)
        if isinstance(outcome, Fresh):
            return Outcome.DONE, done
        return Outcome.FAILED, f"The service did not take it: {outcome.detail}. Send the command again."

    async def _end(self) -> None:
        """Start nothing new, cancel what is under way, and do the writes that still wait."""
        sd_notify("STOPPING=1")
        self._scheduler.stop()
        await self._parts.end(within=STOP_SECONDS)
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._diagnostics.stop()
                await self._api.close()
        except TimeoutError:
            log.warning("connections were not closed within %g s", CLOSE_SECONDS)
        except Exception:
            log.exception("connections were not closed")
        for action in (*self._refused_writes, *self._writes):
            try:
                write_now(self._store, action)
            except StorageError as error:
                log.warning("%s", error)
            except Exception:
                log.exception("%s was not stored", type(action).__name__)


def write_now(store: StateStore, write: act.DiskWrite) -> None:
    """Do it, and wait for the disk. Raises StorageError."""
    manifests = store.manifests
    match write:
        case act.StoreRunning():
            manifests.keep_running(body=write.body, etag=write.etag, assets=write.assets, anchor=write.anchor)
        case act.StoreLatest():
            manifests.keep_latest(body=write.body, etag=write.etag, assets=write.assets)
        case act.StoreStaged():
            manifests.keep_staged(body=write.body, etag=write.etag, assets=write.assets)
        case act.DropStaged():
            manifests.drop_staged()
        case act.ForgetVersions():
            manifests.forget()
        case act.StoreCommands():
            store.commands.keep(write.commands)
        case act.StoreTime():
            store.known_time.save(KnownTime(true=write.instant, boot_id=write.boot.id, boot_seconds=write.boot.seconds))
        case act.StoreFailures():
            store.failures.save(write.content)
        case act.StoreAccess():
            store.access.save(write.content)
        case act.StoreScreen():
            store.screen.keep(write.display)
        case _:
            assert_never(write)
