"""Builds the parts that talk to the service, and decides when each runs."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from functools import partial

from menu.documents.manifest import LinkSettings
from player.device.network import NetworkFiles
from player.domain import events as ev
from player.domain.findings.rejected import CA_FILE_BAD
from player.domain.pairing.pairing import Credentials, LastPairing, PendingCode
from player.domain.state import Device, PlayerState
from player.domain.time.clock import Clock, Trust, true_time
from player.link.api import ServiceApi
from player.link.downloads import Downloads
from player.link.heartbeat import Heartbeat
from player.link.lines import watch_lines
from player.link.pairing import Pairing
from player.link.poller import Poller
from player.link.probe.probe import Probe
from player.link.probe.way import BestTime
from player.runtime.scheduler import Scheduler
from player.runtime.tasks import Work
from player.settings import Settings
from player.storage.store import StateStore
from player.storage.writer import DiskWriter


class Link:
    """Connection to the service. `newest_etag` is of the newest manifest on disk."""

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
        scheduler: Scheduler,
        writer: DiskWriter,
        snapshot: Callable[[], PlayerState],
        emit: Callable[[ev.Event], None],
    ) -> None:
        self._clock, self._scheduler, self._snapshot, self._emit = clock, scheduler, snapshot, emit
        self._settings = LinkSettings()
        self.api = api = self._make_api(settings, device)
        self.probe = self._make_probe(settings, device)
        self.pairing = Pairing(
            api=api,
            keep=store.credentials.keep_credentials,
            forget=store.credentials.forget_credentials,
            saved=credentials,
            keep_last=store.last_pairing.save,
            last=last_pairing,
            write=writer.write,
            device_id=store.identity,
            enrolment_token=settings.enrolment_token,
            clock=clock,
            random=random.random,
            emit=emit,
        )
        self.poller = Poller(
            api=api,
            token_source=self.pairing,
            etag=newest_etag,
            settings=self._settings,
            clock=clock,
            random=random.random,
            emit=emit,
        )
        self._heartbeat = Heartbeat(
            api=api,
            token_source=self.pairing,
            boot_id=device.boot_id,
            app_version=device.app_version,
            clock=clock,
            emit=emit,
            newest=self._expect,
        )
        self.downloads = Downloads(
            api=api,
            token_source=self.pairing,
            store=store.assets,
            clock=clock,
            random=random.random,
            emit=emit,
        )

    def _make_api(self, settings: Settings, device: Device) -> ServiceApi:
        loop = asyncio.get_running_loop()
        return ServiceApi(
            settings.service,
            app_version=device.app_version,
            allow_plain_http=settings.allow_plain_http,
            proxy=settings.proxy,
            ca_file=settings.ca_file,
            told_of_ca_file=lambda fault: loop.call_soon_threadsafe(self._tell_of_ca_file, fault),
        )

    def _make_probe(self, settings: Settings, device: Device) -> Probe:
        return Probe(
            service=self.api.service,
            certificates=self.api.certificates,
            proxy=settings.proxy,
            app_version=device.app_version,
            now=self._best_time,
            network=NetworkFiles().read,
            reached=lambda: self.api.reached_at,
            traffic=self.api.traffic,
        )

    def token(self) -> str | None:
        """Returns the screen's token, while it has one."""
        return self.pairing.token

    def jobs(self) -> tuple[tuple[str, Work], ...]:
        """Returns the tasks that run for as long as the player does, by name."""
        return (
            ("pairing", self.pairing.run),
            ("downloads", self.downloads.run),
            ("reach", self._report_when_back),
            ("lines", partial(watch_lines, self.api.sockets, self._emit)),
        )

    def start(self) -> None:
        """Starts polls and heartbeats: the device is a screen."""
        self.poll()
        self.beat()

    def pause(self) -> None:
        """Stops polls and heartbeats until the next start: the device is no screen."""
        self._scheduler.cancel("poll", "heartbeat")

    def use(self, settings: LinkSettings) -> None:
        """Uses these settings of the service from the next call on."""
        self._settings = settings
        self.poller.use(settings)

    def poll(self) -> None:
        """Asks for the manifest at once."""
        self._scheduler.after("poll", 0, self.poller.poll)

    def beat(self) -> None:
        """Send a heartbeat at once."""
        self._scheduler.after("heartbeat", 0, self._send_heartbeat)

    def store_again(self) -> None:
        """Stores what the disk has refused, now that it works again."""
        self.downloads.recheck()
        self.pairing.store_again()

    async def test_connection(self) -> None:
        """Tests the connection to the service, and reports the result."""
        test = await self.probe.run()
        if test.failure is None:
            self.api.reach.answered()
        self._emit(ev.ConnectionTested(test=test))

    def _expect(self, etag: str, asked_at: float) -> None:
        if self.poller.expect(etag, asked_at=asked_at):
            # What the service has just sent may be on its way.
            self._scheduler.after("poll", 1.0, self.poller.poll)

    async def _report_when_back(self) -> None:
        """Sends a heartbeat at once when the service answers another call again."""
        while True:
            await self.api.reach.back()
            if self.pairing.token is not None:
                self.beat()

    async def _send_heartbeat(self) -> float:
        await self._heartbeat.beat(self._snapshot())
        return float(self._settings.heartbeat_seconds)

    def _tell_of_ca_file(self, fault: str | None) -> None:
        if fault is None:
            self._emit(ev.PartWell(subjects=frozenset({"ca_file"})))
        else:
            self._emit(ev.PartFailed(subject="ca_file", code=CA_FILE_BAD, detail=fault))

    def _best_time(self) -> BestTime:
        system, clock = self._clock.wall(), self._snapshot().clock
        return BestTime(at=true_time(system, clock), system=system, certain=clock.trust is not Trust.UNKNOWN)
