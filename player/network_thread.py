"""Owns the asyncio side: carries out the conductor's actions and brings it the rooms' news; decides nothing itself.

It is imported by the asyncio thread, once the first picture is on the glass, because the network's libraries take
longer to load than a cached menu takes to show.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Self, assert_never

from player.device.clock_watch import ClockWatch
from player.device.health import read_health
from player.device.systemd import notify, watchdog_interval
from player.device.watchdog import feed_watchdog
from player.diagnostics.server import DiagnosticsServer, create_app
from player.display.window.bridge import Bridge
from player.domain import actions as act
from player.domain import events as ev
from player.domain.clock import Clock
from player.domain.manifest import LinkSettings
from player.domain.manifest_document import ManifestError, read_manifest
from player.domain.state import Device, PlayerState
from player.link.api import ServiceApi
from player.link.downloads import Downloads
from player.link.heartbeat import Heartbeat
from player.link.pairing import Pairing
from player.link.poller import Poller
from player.link.report import report_of
from player.scheduler import Scheduler
from player.settings import Settings
from player.storage.durable import StorageError
from player.storage.store import StateStore, Stored

log = logging.getLogger(__name__)

UPKEEP_SECONDS = 30.0
"""Between two looks at the machine; the timeline is asked again then, whatever else happens."""

DOUBT_SECONDS = 24 * 3600.0
"""Between two readings of every asset on disk: storage wears out under files that nobody writes."""

STOP_SECONDS = 3.0
"""How long the parts may take to end before they are left behind."""


_OF_ONE_PROGRAM = frozenset({act.KeepRunning, act.KeepLatest, act.KeepStaged, act.DropStaged})
_MAKES_NEEDLESS: Mapping[type[act.Action], frozenset[type[act.Action]]] = {
    act.ForgetVersions: _OF_ONE_PROGRAM | {act.ForgetVersions},
    act.KeepRunning: _OF_ONE_PROGRAM,
    act.KeepLatest: frozenset({act.KeepLatest}),
    act.KeepStaged: frozenset({act.KeepStaged, act.DropStaged}),
    act.DropStaged: frozenset({act.KeepStaged, act.DropStaged}),
}
"""Which writes that still wait a newer one overtakes."""


class NetworkThread:
    """Everything on the asyncio thread. `emit` is the conductor's ear, on this thread; `state` its newest snapshot."""

    def __init__(
        self,
        *,
        settings: Settings,
        device: Device,
        clock: Clock,
        store: StateStore,
        stored: Stored,
        newest_etag: str | None,
        bridge: Bridge,
        emit: Callable[[ev.Event], None],
        state: Callable[[], PlayerState],
        restart: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._store = store
        self._bridge = bridge
        self._emit = emit
        self._state = state
        self._restart = restart
        self._link_settings = LinkSettings()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._writes: deque[act.Action] = deque()
        self._write_due = asyncio.Event()
        self._agenda = Scheduler(clock=clock)
        self._api = ServiceApi(
            settings.service, app_version=device.app_version, allow_plain_http=settings.allow_plain_http
        )
        self._pairing = Pairing(
            api=self._api,
            store=store.credentials,
            saved=stored.credentials,
            device_id=store.identity,
            device_name=None,
            clock=clock,
            random=random.random,
            emit=emit,
        )
        self._poller = Poller(
            api=self._api,
            authority=self._pairing,
            read_manifest=read_manifest,
            unreadable=ManifestError,
            etag=newest_etag,
            settings=self._link_settings,
            clock=clock,
            random=random.random,
            emit=emit,
        )
        self._heartbeat = Heartbeat(
            api=self._api,
            authority=self._pairing,
            boot_id=device.boot_id,
            app_version=device.app_version,
            clock=clock,
            emit=emit,
        )
        self._downloads = Downloads(
            api=self._api,
            authority=self._pairing,
            shelf=store.assets,
            clock=clock,
            random=random.random,
            emit=emit,
        )
        self._diagnostics = DiagnosticsServer(
            app=create_app(snapshot=state, monotonic=clock.monotonic, grab=self._grab),
            port=settings.diagnostics_port,
        )

    async def __aenter__(self) -> Self:
        self._agenda.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def run(self, stop: asyncio.Event) -> None:
        """Turn until `stop` is set. Raises what a part that may not fail has failed with."""
        self._agenda.after("upkeep", 0, self._keep_up)
        self._agenda.after("doubt", DOUBT_SECONDS, self._doubt)
        for name, work in (
            ("clock", ClockWatch(clock=self._clock, emit=self._note_clock).run()),
            ("pairing", self._pairing.run()),
            ("downloads", self._downloads.run()),
            ("writes", self._write()),
        ):
            self._spawn(name, work)
        if interval := watchdog_interval():
            watchdog = feed_watchdog(
                interval=interval,
                display_alive_at=self._bridge.alive_at,
                monotonic=self._clock.monotonic,
                feed=lambda: notify("WATCHDOG=1"),
            )
            self._spawn("watchdog", watchdog)
        if address := await self._diagnostics.start():
            log.info("diagnostics at %s", address)
        notify("READY=1")
        stopped = asyncio.ensure_future(stop.wait())
        await asyncio.wait((stopped, self._failed), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if self._failed.done():
            self._failed.result()

    def carry_out(self, action: act.Action) -> None:
        """Do what the conductor asks; what takes long is begun."""
        match action:
            case act.Show():
                self._bridge.post(action.order)
            case act.WakeAt(instant=instant):
                if instant is None:
                    self._agenda.cancel("boundary")
                else:
                    self._agenda.at("boundary", instant - self._state().clock.offset, self._wake)
            case act.DownloadAssets():
                self._downloads.want(action.versions, on_glass=action.on_glass)
            case act.ForgetVersions():
                self._poller.forget()
                self._write_later(action)
            case act.KeepRunning() | act.KeepLatest() | act.KeepStaged() | act.DropStaged():
                self._write_later(action)
            case act.AwaitPairing():
                self._agenda.cancel("poll")
                self._agenda.cancel("heartbeat")
            case act.StartLink():
                self._agenda.after("poll", 0, self._poll)
                self._agenda.after("heartbeat", 0, self._beat)
            case act.UseSettings():
                self._link_settings = action.settings
                self._poller.use(action.settings)
            case act.BeatSoon():
                self._agenda.after("heartbeat", 0, self._beat)
            case act.PollAfresh():
                self._poller.forget()
                self._agenda.after("poll", 0, self._poll)
                self._spawn("forgive", asyncio.to_thread(self._store.trials.forgive))
            case act.Restart():
                self._restart()
            case _:
                assert_never(action)

    # What is due

    async def _poll(self) -> float:
        return await self._poller.poll()

    async def _beat(self) -> float:
        await self._heartbeat.beat(report_of(self._state()))
        return float(self._link_settings.heartbeat_seconds)

    async def _wake(self) -> None:
        self._emit(ev.TimePassed())

    async def _keep_up(self) -> float:
        health = await asyncio.to_thread(read_health, self._settings.state)
        self._emit(ev.HealthRead(health=health))
        return UPKEEP_SECONDS

    async def _doubt(self) -> float:
        self._store.assets.doubt_all()
        self._downloads.look_again()
        return DOUBT_SECONDS

    def _note_clock(self, event: ev.ClockLooked) -> None:
        if event.stepped:
            self._agenda.reanchor()
        self._emit(event)

    # The disk, one write after the other

    def _write_later(self, action: act.Action) -> None:
        """Queue it, in place of what it makes needless; so no more than one of a kind ever waits for a slow disk."""
        needless = _MAKES_NEEDLESS[type(action)]
        self._writes = deque(write for write in self._writes if type(write) not in needless)
        self._writes.append(action)
        self._write_due.set()

    async def _write(self) -> None:
        while True:
            await self._write_due.wait()
            self._write_due.clear()
            while self._writes:
                action = self._writes.popleft()
                try:
                    await asyncio.to_thread(self._write_now, action)
                except StorageError as error:
                    self._emit(ev.DiskFailed(subject=error.subject, code=error.code, detail=error.detail))

    def _write_now(self, action: act.Action) -> None:
        manifests = self._store.manifests
        match action:
            case act.KeepRunning():
                manifests.keep_running(body=action.body, etag=action.etag, assets=action.assets, anchor=action.anchor)
            case act.KeepLatest():
                manifests.keep_latest(body=action.body, etag=action.etag, assets=action.assets)
            case act.KeepStaged():
                manifests.keep_staged(body=action.body, etag=action.etag, assets=action.assets)
            case act.DropStaged():
                manifests.drop_staged()
            case act.ForgetVersions():
                manifests.forget()
            case _:
                raise TypeError(f"{type(action).__name__} is not for the disk")

    # Both threads

    async def _grab(self) -> bytes:
        loop = asyncio.get_running_loop()
        picture: asyncio.Future[bytes] = loop.create_future()

        def settle(png: bytes) -> None:
            if not picture.done():
                picture.set_result(png)

        def deliver(png: bytes) -> None:
            loop.call_soon_threadsafe(settle, png)

        self._bridge.grab(deliver)
        return await picture

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self._failed.done():
            log.critical("%s has failed", task.get_name(), exc_info=error)
            self._failed.set_exception(error)

    async def _end(self) -> None:
        """In reverse: nothing new is begun, what is under way is broken off, what is known is on the disk."""
        notify("STOPPING=1")
        self._agenda.stop()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.gather(*tasks, return_exceptions=True)
                await self._diagnostics.stop()
                await self._api.close()
        except TimeoutError:
            log.warning("some parts did not end within %g s", STOP_SECONDS)
        for action in self._writes:
            try:
                self._write_now(action)
            except StorageError as error:
                log.warning("%s", error)
