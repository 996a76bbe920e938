"""Asyncio thread: executes the conductor's actions and reports events to it; decides nothing itself.

It is imported once the first view is on the display, because the network libraries take longer to load than a cached
menu takes to show.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from player.device.clock_watch import watch_clock
from player.device.description import describe_machine
from player.device.health import read_health
from player.device.network import NetworkFiles
from player.device.network_watch import watch_network
from player.device.panel import PanelCommands, PanelKeeper
from player.device.systemd import ready, sd_notify, watchdog_interval
from player.device.watchdog import feed_watchdog
from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.disk import refuses
from player.domain.machine import Machine
from player.domain.pairing.pairing import Credentials, LastPairing, PendingCode
from player.domain.playing.board import Board
from player.domain.state import Device, PlayerState
from player.domain.time.clock import Boot, Clock
from player.page.collector import FactsCollector
from player.page.picture import Pictures
from player.recent_log import RECENT_LOG
from player.runtime.display_watch import watch_display
from player.runtime.link import Link
from player.runtime.open_page import OpenPage
from player.runtime.receipts import Recorder
from player.runtime.scheduler import Scheduler
from player.runtime.tasks import Tasks, Work
from player.runtime.uploads import Uploads
from player.settings import Settings
from player.storage.durable import slow_syncs
from player.storage.store import StateStore
from player.storage.writer import RULES, DiskWriter

if TYPE_CHECKING:
    from player.display.window.bridge import Bridge

log = logging.getLogger(__name__)

HEALTH_SECONDS = 5.0
"""Between two readings of the machine's gauges; each has the conductor recompute what is due, too."""

RECHECK_SECONDS = 24 * 3600.0
"""Between two readings of every asset on disk: storage wears out even if nobody writes."""

STOP_SECONDS = 3.0
"""The tasks may take this long to end; then the player ends without them."""

CLOSE_SECONDS = 2.0
"""Open connections may take this long to close."""


class NetworkThread:
    """Owns everything that runs on the asyncio thread.

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
        display: Bridge,
        emit: Callable[[ev.Event], None],
        state: Callable[[], PlayerState],
        board: Callable[[], Board],
        restart: Callable[[act.Restart], None],
        versions: tuple[tuple[str, str], ...] = (),
        slowness: float = 1.0,
        boot: Callable[[], Boot] = Boot,
    ) -> None:
        """`slowness` is the factor by which this machine gets longer time limits."""
        self._slowness = slowness
        self._settings, self._device, self._clock, self._store = settings, device, clock, store
        self._display, self._emit, self._state, self._restart, self._boot = display, emit, state, restart, boot
        self._machine, self._versions = Machine(), versions
        self._disk_refuses = False
        self._tasks = Tasks(emit=emit)
        self._scheduler = Scheduler(clock=clock, failed=self._tasks.failed, worked=self._tasks.worked)
        self._writer = DiskWriter(store, emit=emit, failed=self._tasks.failed, worked=self._tasks.worked)
        self._link = Link(
            settings=settings,
            device=device,
            clock=clock,
            store=store,
            credentials=credentials,
            last_pairing=last_pairing,
            newest_etag=newest_etag,
            scheduler=self._scheduler,
            writer=self._writer,
            snapshot=self._snapshot,
            emit=emit,
        )
        self._panel = PanelKeeper(port=PanelCommands(), monotonic=clock.monotonic, emit=emit)
        self._pictures = Pictures(display.grab)
        self._uploads = Uploads(api=self._link.api, token=self._link.token, pictures=self._pictures, emit=emit)
        self._recorder = Recorder(
            store=store.receipts,
            writer=self._writer,
            api=self._link.api,
            token=self._link.token,
            snapshot=self._snapshot,
            clock=clock,
        )
        self._page = self._make_page(board)
        self._routes = self._make_routes()

    def _make_page(self, board: Callable[[], Board]) -> OpenPage:
        return OpenPage(
            settings=self._settings,
            clock=self._clock,
            file=self._store.access,
            writer=self._writer,
            collect=FactsCollector(
                snapshot=self._snapshot,
                board=board,
                machine=lambda: self._machine,
                log=RECENT_LOG.lines,
                monotonic=self._clock.monotonic,
            ),
            snapshot=self._snapshot,
            pictures=self._pictures,
            token=self._link.token,
            tasks=self._tasks,
            emit=self._emit,
        )

    async def __aenter__(self) -> Self:
        self._scheduler.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Starts nothing new, cancels what is under way, and completes pending writes."""
        sd_notify("STOPPING=1")
        self._scheduler.stop()
        await self._tasks.end(within=STOP_SECONDS)
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._page.close()
                await self._link.api.close()
        except TimeoutError:
            log.warning("connections were not closed within %g s", CLOSE_SECONDS)
        except Exception:
            log.exception("connections were not closed")
        self._writer.flush()
        self._recorder.close()

    def look(self, state: PlayerState) -> None:
        """Follows a newly published snapshot."""
        self._recorder.look(state)

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop` is set. A part that fails is reported, and begins again."""
        self._scheduler.after("health", 0, self._read_health)
        self._scheduler.after("recheck", RECHECK_SECONDS, self._recheck_assets)
        # A board that is switched off again soon has shown something, too.
        self._scheduler.after("receipts", 10.0, self._recorder.run)
        jobs: tuple[tuple[str, Work], ...] = (
            ("clock watch", partial(watch_clock, clock=self._clock, emit=self._clock_looked)),
            ("writes", self._writer.run),
            ("network", partial(watch_network, emit=self._network_changed, network=self._link.probe.look)),
            *self._link.jobs(),
        )
        for name, work in jobs:
            self._tasks.start(name, work)
        page = self._tasks.start("page", self._page.open)
        page.add_done_callback(lambda _: self._read_addresses())
        await asyncio.wait([page], timeout=2.0)  # The start waits no longer for it.
        sd_notify(*ready(self._slowness))
        if interval := watchdog_interval():
            watchdog = partial(
                feed_watchdog,
                interval=interval,
                is_live=lambda: self._state().is_live,
                feed=lambda: sd_notify("WATCHDOG=1"),
            )
            self._tasks.start("watchdog", watchdog)
        display_watch = partial(
            watch_display,
            look=self._display.look,
            is_at_rest=lambda: self._snapshot().is_at_rest,
            emit=self._emit,
            screen_changed=self._step_panel,
        )
        # Before that the player starts, for which the unit has a time of its own.
        self._tasks.start("display watch", display_watch)
        await stop.wait()

    def execute(self, action: act.Action) -> None:
        """Executes an action of the conductor. Never blocks: long work is started."""
        self._routes[type(action)](action)

    def _make_routes(self) -> Mapping[type[act.Action], Callable[[Any], object]]:
        """Returns the part that executes each kind of action."""
        start, link = self._tasks.start, self._link
        return {
            **dict.fromkeys(RULES, self._writer.later),
            act.Show: self._show,
            act.WakeAt: self._wake_at,
            act.DownloadAssets: lambda action: link.downloads.want(
                action.versions, on_glass=action.on_glass, overrides=action.overrides
            ),
            act.ForgetVersions: self._forget_versions,
            act.StoreTime: self._store_time,
            act.KeepPanel: self._keep_panel,
            act.AwaitPairing: lambda _: link.pause(),
            act.StartLink: lambda _: link.start(),
            act.UseSettings: lambda action: link.use(action.settings),
            act.TestConnection: lambda _: start("connection test", link.test_connection),
            act.Upload: lambda action: start(action.what, partial(self._uploads.send, action)),
            act.SendHeartbeat: lambda _: link.beat(),
            act.RefetchManifest: self._refetch_manifest,
            act.RecheckAssets: lambda action: self._recheck(action.asset),
            act.PairAgain: lambda _: link.pairing.pair_again(),
            act.ShowPin: lambda _: self._page.show_pin(),
            act.Contradict: lambda action: link.poller.contradict(action.holds),
            act.Restart: lambda action: start("restart", partial(self._restart_after_writes, action)),
        }

    def _show(self, action: act.Show) -> None:
        self._display.post(action.order)
        self._pictures.follow(action.order)

    def _wake_at(self, action: act.WakeAt) -> None:
        # Not the snapshot's offset: the snapshot is published after the actions.
        self._scheduler.at("wake-up", action.instant - action.clock_offset, self._wake)

    def _forget_versions(self, action: act.ForgetVersions) -> None:
        self._link.poller.forget()
        self._recorder.forget()
        self._writer.later(action)

    def _store_time(self, action: act.StoreTime) -> None:
        boot = self._boot()
        seconds = boot.seconds - (self._clock.monotonic() - action.at)
        self._writer.later(replace(action, boot=replace(boot, seconds=seconds)))

    def _keep_panel(self, action: act.KeepPanel) -> None:
        self._panel.keep(action.order)
        self._step_panel()

    def _step_panel(self) -> None:
        self._scheduler.after("panel", 0, self._panel.step)

    def _refetch_manifest(self, _: act.RefetchManifest) -> None:
        self._link.poller.forget()
        self._link.poll()
        self._display.forgive_crashes()

    # Scheduled work

    def _network_changed(self, event: ev.NetworkChanged) -> None:
        self._emit(event)
        self._read_addresses()

    def _read_addresses(self) -> None:
        self._scheduler.after("addresses", 0, self._page.read_addresses)

    async def _wake(self) -> None:
        self._emit(ev.TimePassed())

    async def _read_health(self) -> float:
        now = self._snapshot().at
        health, signal, self._machine = await asyncio.to_thread(self._gauges, now)
        if self._disk_refuses and not refuses(health):
            # It is well again: what it refused is stored at once.
            self._writer.again()
            self._link.store_again()
        self._disk_refuses = refuses(health)
        self._emit(ev.HealthRead(health=health, wifi_signal=signal))
        return HEALTH_SECONDS

    def _gauges(self, now: datetime) -> tuple[ev.Health, int | None, Machine]:
        folder = self._settings.state
        health = read_health(folder, disk_sync_seconds=slow_syncs())
        signal = NetworkFiles().signal(self._link.probe.last_adapter)
        return health, signal, describe_machine(folder, now=now, versions=self._versions)

    async def _recheck_assets(self) -> float:
        self._recheck()
        return RECHECK_SECONDS

    def _recheck(self, asset: str | None = None) -> None:
        self._store.assets.recheck(asset)
        self._link.downloads.recheck()

    def _clock_looked(self, event: ev.ClockChecked) -> None:
        if event.stepped:
            self._scheduler.reanchor()
        self._emit(event)

    async def _restart_after_writes(self, action: act.Restart) -> None:
        """Restarts once the command is stored on disk, so that it is not carried out twice; a disk that hangs does not
        prevent it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5.0):
                await self._writer.written()
        self._restart(action)

    def _snapshot(self) -> PlayerState:
        """Returns the newest snapshot, as of now: it holds until another one is published."""
        return self._state().as_of(self._clock.monotonic())
