"""The real service and real players in one process on virtual time: real sockets, SQLite and state directories.

Time jumps to the next timer as soon as nothing is under way, so the world is quiet before it is looked at, and a week
takes minutes. A kill is exact: what the disk holds at that instant is copied, and the next start finds the copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from io import FileIO
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import uvicorn
from anyio._backends._asyncio import AsyncIOBackend
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from player.device.clock_watch import watch_clock
from player.domain import actions as act
from player.domain import events as ev
from player.domain.state import Device, PlayerState
from player.domain.view import DisplayOrder, PairingCard, SceneView, View
from player.page.picture import Shot
from player.runtime.conductor import Conductor
from player.runtime.network_thread import NetworkThread
from player.runtime.restore import restore
from player.settings import Settings
from player.storage.store import StateStore
from service.app.application import create_app
from service.core.permissions import Role
from service.services.registry import Services
from service.settings import Settings as ServiceSettings
from tests.service.support.quick_start import lay_database, shorten_starts
from tests.soak.model import HOUSE, PAIRING, Seen
from tests.support import virtual
from tests.support.still_shot import StillShot
from tests.support.virtual import VirtualLoop

NO_BREAK_SPACES = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")

LOOK_SECONDS = 3.0
"""The watch over the clock and the upkeep of the service look this often here, to spare the machine."""

GRACE_SECONDS = 0.0005
"""Real time for bytes under way between two sockets of this process."""


class SoakLoop(VirtualLoop):
    """A VirtualLoop that also waits for the service's worker threads, which anyio runs."""

    @contextmanager
    def at_work(self) -> Iterator[None]:
        self._jobs += 1
        try:
            yield
        finally:
            self._jobs -= 1


@dataclass
class Frame:
    """The glass from this instant on; None: no player."""

    at: datetime
    seen: Seen | None


class Line(StrEnum):
    """The way from a player to the service."""

    WHOLE = "whole"
    CUT = "cut"
    """Every connection is reset."""
    MUTE = "mute"
    """Connections open, and nothing answers."""
    PORTAL = "portal"
    """Everything is answered with a sign-in page."""
    BROKEN = "broken"
    """Everything is answered with 503."""
    REFUSED = "refused"
    """Everything is answered with 401, and not by the service."""


PORTAL_PAGE = b"<html><body>Welcome to the hotel's network</body></html>"
ANSWERS = {
    Line.PORTAL: b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
    % (len(PORTAL_PAGE), PORTAL_PAGE),
    Line.REFUSED: b"HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    Line.BROKEN: b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
}


class Proxy:
    """A player's line to the service, which can be cut."""

    def __init__(self, target: Callable[[], int]) -> None:
        self._target = target
        self.line = Line.WHOLE
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self._server.close()
        self.use(Line.CUT)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def use(self, line: Line) -> None:
        """Change the line; what is open breaks off, or goes on in silence."""
        self.line = line
        if line is not Line.MUTE:
            for writer in tuple(self._open):
                writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._open.add(writer)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            self._open.discard(writer)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.line in ANSWERS:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(ANSWERS[self.line])
            await writer.drain()
        elif self.line is Line.WHOLE:
            other, far = await asyncio.open_connection("127.0.0.1", self._target())
            self._open.add(far)
            pumps: list[asyncio.Future[None]] = []
            try:
                pumps = [
                    asyncio.ensure_future(self._pump(reader, far)),
                    asyncio.ensure_future(self._pump(other, writer)),
                ]
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                self._open.discard(far)
                far.transport.abort()
        elif self.line is Line.MUTE:
            while await reader.read(65536):
                pass

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if self.line is Line.MUTE:
                    await asyncio.Event().wait()
                writer.write(data)
                await writer.drain()


class TrueClock:
    """The service's clock, which is right."""

    def __init__(self, start: datetime, loop: asyncio.AbstractEventLoop) -> None:
        self._start = start
        self._loop = loop

    def now(self) -> datetime:
        now = self._start + timedelta(seconds=self._loop.time())
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def monotonic(self) -> timedelta:
        return timedelta(seconds=self._loop.time())

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        return self._loop.call_later(seconds, callback)


class Wristwatch:
    """A device's clock: `error` off the true time, and synchronised or not."""

    def __init__(self, true: TrueClock, loop: asyncio.AbstractEventLoop) -> None:
        self._true = true
        self._loop = loop
        self.error = timedelta()
        self.synchronised = True

    def wall(self) -> datetime:
        return self._true._start + timedelta(seconds=self._loop.time()) + self.error

    def monotonic(self) -> float:
        return 1000.0 + self._loop.time()


WATCH: ContextVar[Wristwatch] = ContextVar("the clock of the device whose code runs")


class DeviceTime(datetime):
    """The system clock of the device whose code runs, for APScheduler."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return WATCH.get().wall().astimezone(tz)


class Disks:
    """Faults of the players' disks, by folder."""

    def __init__(self) -> None:
        self._faults: dict[Path, int] = {}
        self._kills: dict[Path, tuple[int, Callable[[], None]]] = {}
        self._open = os.open
        self._fsync = os.fsync

    def break_(self, folder: Path, number: int) -> None:
        """Let every write in this folder fail: ENOSPC, EIO or EROFS."""
        self._faults[folder] = number

    def mend(self, folder: Path) -> None:
        self._faults.pop(folder, None)

    def at_operation(self, folder: Path, number: int, call: Callable[[], None]) -> None:
        """Call this before the `number`th operation from now that writes in the folder."""
        self._kills[folder] = (number, call)

    def forget(self, folder: Path) -> None:
        self._kills.pop(folder, None)
        self.mend(folder)

    @contextmanager
    def installed(self) -> Iterator[None]:
        with (
            mock.patch("os.open", self._opened),
            mock.patch("os.fsync", self._synced),
            mock.patch("player.storage.durable.write_all", self._written(_write_all)),
        ):
            yield

    def _refuse(self, path: str, *faults: int) -> None:
        for folder, (number, call) in tuple(self._kills.items()):
            if path.startswith(str(folder)):
                if number <= 1:
                    del self._kills[folder]
                    call()
                else:
                    self._kills[folder] = (number - 1, call)
        for folder, fault in self._faults.items():
            if path.startswith(str(folder)) and fault in faults:
                raise OSError(fault, os.strerror(fault), path)

    def _opened(self, path: Any, flags: int, *more: Any, **named: Any) -> int:
        if isinstance(path, str | Path) and flags & (os.O_WRONLY | os.O_RDWR):
            self._refuse(str(path), errno.EROFS)
        return self._open(path, flags, *more, **named)

    def _synced(self, descriptor: int) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._refuse(_path_of(descriptor), errno.EIO)
        self._fsync(descriptor)

    def _written(self, write: Callable[[FileIO, bytes], None]) -> Callable[[FileIO, bytes], None]:
        def written(file: FileIO, data: bytes) -> None:
            self._refuse(_path_of(file.fileno()), errno.ENOSPC)
            write(file, data)

        return written


def _path_of(descriptor: int) -> str:
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())


def _write_all(file: FileIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


class RecordingDisplay:
    """A display that is right at once: every order is on the glass in the next moment."""

    def __init__(self, clock: Wristwatch, emit: Callable[[ev.Event], None], look: Callable[[Seen], None]) -> None:
        self._clock = clock
        self._emit = emit
        self._look = look

    def post(self, order: DisplayOrder) -> None:
        def present() -> None:
            self._look(read_view(order.view))
            self._emit(ev.FramePresented(serial=order.serial, at=self._clock.monotonic()))

        asyncio.get_running_loop().call_soon(present)

    def grab(self, deliver: Callable[[Shot], None]) -> None:
        deliver(StillShot())

    def look(self) -> ev.DisplayChecked:
        return ev.DisplayChecked(turned_at=self._clock.monotonic())

    def forgive_crashes(self) -> None:
        pass

    def close(self) -> None:
        pass


def read_view(view: View) -> Seen:
    """A view as a guest reads it."""
    if not isinstance(view, SceneView):
        return Seen(card=PAIRING if isinstance(view, PairingCard) else HOUSE)
    return Seen(
        version=(view.key.playlist_id, view.key.version),
        entry=view.entry_id,
        menus={
            name: tuple(
                (section.heading, tuple((row.name, plain(row.price.text)) for row in section.rows))
                for section in listing.sections
            )
            for name, listing in view.menus.items()
        },
        posters={name: (row.name, plain(row.price.text)) for name, row in view.items.items()},
    )


def plain(text: str) -> str:
    return text.translate(NO_BREAK_SPACES)


DisplayMaker = Callable[[Wristwatch, StateStore, Callable[[ev.Event], None], Callable[[Seen], None]], Any]


def recording(
    clock: Wristwatch, _store: StateStore, emit: Callable[[ev.Event], None], look: Callable[[Seen], None]
) -> RecordingDisplay:
    return RecordingDisplay(clock, emit, look)


class Panel:
    """One device with its player, its disk, its clock, its line, and the trace of its glass."""

    def __init__(self, name: str, folder: Path, world: World, *, display: DisplayMaker = recording) -> None:
        self.name = name
        self.clock = Wristwatch(world.clock, world.loop)
        self.proxy = Proxy(lambda: world.port)
        self.trace: list[Frame] = []
        self.state: PlayerState | None = None
        self.restart_wanted: act.Restart | None = None
        """Nothing here calls for one."""
        self.running = False
        self._world = world
        self._root = folder
        self._starts = 0
        self._display_maker = display
        self._work: asyncio.Task[None] | None = None
        self.folder = folder / "state-0"

    @property
    def service(self) -> str:
        return f"http://127.0.0.1:{self.proxy.port}"

    async def start(self) -> None:
        """Start the player; returns once it runs, or raises what its start raised."""
        assert not self.running
        started: asyncio.Future[None] = self._world.loop.create_future()
        context = copy_context()
        context.run(WATCH.set, self.clock)
        self.running = True
        self._stop = asyncio.Event()
        self._work = self._world.loop.create_task(self._run(started), context=context)
        await started

    async def stop(self) -> None:
        """End it as a technician does."""
        assert self._work is not None
        self._stop.set()
        self.running = False
        await self._work
        self.trace.append(Frame(self._world.now, None))

    async def kill(self, *, at_operation: int | None = None) -> None:
        """End it as a power cut does that loses nothing of what was written: now, or at a write to come."""
        self._starts += 1
        after = self._root / f"state-{self._starts}"
        died = asyncio.Event()
        loop = self._world.loop

        def copy() -> None:
            shutil.copytree(self.folder, after)
            loop.call_soon_threadsafe(died.set)

        if at_operation is None:
            copy()
        else:
            self._world.disks.at_operation(self.folder, at_operation, copy)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(died.wait(), KILL_WITHIN_SECONDS)
            self._world.disks.forget(self.folder)
            if not after.exists():
                copy()
        frames, now = len(self.trace), self._world.now
        await self.stop()
        self.trace[frames:] = [Frame(now, None)]
        shutil.rmtree(self.folder)
        self.folder = after

    def look(self, seen: Seen) -> None:
        now = self._world.now
        if self.trace and self.trace[-1].at == now:
            self.trace.pop()
        self.trace.append(Frame(now, seen))

    async def _run(self, started: asyncio.Future[None]) -> None:
        try:
            with StateStore.open(self.folder, stand_in=lambda: None) as store:
                await self._play(store, started)
        except Exception as error:
            self.running = False
            if started.done():
                raise
            started.set_exception(error)

    async def _play(self, store: StateStore, started: asyncio.Future[None]) -> None:
        stored = store.load(service=self.service)
        restored = restore(stored, store)
        device = Device(
            device_id=store.identity,
            boot_id="boot",
            app_version="0.1.0",
            service=self.service,
            started_at=self.clock.wall(),
        )
        early: list[act.Action] = []
        execute: list[Callable[[act.Action], None]] = [early.append]
        conductor = Conductor(
            device=device,
            clock=self.clock,
            restored=restored,
            synchronised=self.clock.synchronised,
            issue=lambda action: execute[0](action),
            publish=self._publish,
        )
        display = self._display_maker(self.clock, store, conductor.handle, self.look)
        self.state = conductor.begin()
        network = NetworkThread(
            settings=Settings(service=self.service, state=self.folder, diagnostics_port=0),
            device=device,
            clock=self.clock,
            store=store,
            credentials=stored.credentials,
            last_pairing=stored.last_pairing,
            newest_etag=restored.newest_etag,
            display=display,
            emit=conductor.handle,
            state=lambda: self.state,
            board=lambda: conductor.board,
            restart=self._restart,
        )
        try:
            async with network:
                execute[0] = network.execute
                for action in early:
                    network.execute(action)
                started.set_result(None)
                await network.run(self._stop)
        finally:
            display.close()

    def _publish(self, state: PlayerState) -> None:
        self.state = state

    def _restart(self, action: act.Restart) -> None:
        self.restart_wanted = action


KILL_WITHIN_SECONDS = 30.0
"""A kill at a write comes without one after this long."""


class World:
    """The service, its operator and the panels. `open` starts the service."""

    def __init__(self, folder: Path, start: datetime) -> None:
        self.loop: SoakLoop = asyncio.get_running_loop()  # type: ignore[assignment]
        self.clock = TrueClock(start, self.loop)
        self.folder = folder
        self.disks = Disks()
        self.panels: list[Panel] = []
        self.port = 0
        self.up = False
        self._starts = 0
        self.data = folder / "service-0"
        self._secret = ""

    @property
    def now(self) -> datetime:
        return self.clock.now()

    async def open(self) -> None:
        """Start the service on what its disk holds."""
        settings = ServiceSettings(
            data=self.data, public_url="https://menu.example.com", rate_limits={"writes": 0, "reads": 0, "pairing": 0}
        )
        lay_database(settings.database_file)
        services = Services(settings, clock=self.clock)
        if not self._secret:
            self._secret = services.keys.create(role=Role.OWNER, name="operator")
        app = create_app(settings, clock=self.clock, services=services)
        self._stack = AsyncExitStack()
        await self._stack.enter_async_context(app.router.lifespan_context(app))
        transport = httpx.ASGITransport(app=app, client=("192.0.2.7", 50000), raise_app_exceptions=False)
        self._client = await self._stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url="http://service.test")
        )
        config = uvicorn.Config(
            app, lifespan="off", ws="none", log_config=None, access_log=False, timeout_keep_alive=75
        )
        config.load()
        self._connections = ServerState()
        self._server = await self.loop.create_server(
            lambda: H11Protocol(config=config, server_state=self._connections, app_state={}, _loop=self.loop),
            "127.0.0.1",
            0,
        )
        self.port = self._server.sockets[0].getsockname()[1]
        self._app = app
        self.up = True

    async def close(self) -> None:
        self.up = False
        self._server.close()
        for connection in tuple(self._connections.connections):
            connection.transport.abort()
        self._app.state.end_holds()
        while self._connections.tasks:
            await asyncio.wait(tuple(self._connections.tasks))
        await self._stack.aclose()

    async def kill(self) -> None:
        """End the service; the next start finds what its disk holds now."""
        self._starts += 1
        after = self.folder / f"service-{self._starts}"
        shutil.copytree(self.data, after)
        await self.close()
        shutil.rmtree(self.data)
        self.data = after

    async def call(self, method: str, path: str, body: object = None) -> Any:
        """A call of the operator, which succeeds."""
        answer = await self._client.request(
            method, f"/v1{path}", json=body, headers={"Authorization": f"Bearer {self._secret}"}
        )
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content else None

    async def upload(self, content: bytes) -> str:
        answer = await self._client.request(
            "POST",
            "/v1/assets",
            content=content,
            headers={"Authorization": f"Bearer {self._secret}", "Content-Type": "image/png"},
        )
        assert answer.is_success, answer.text
        return str(answer.json()["id"])

    def asset_files(self) -> list[Path]:
        return [path for path in (self.data / "assets").rglob("*") if path.is_file()]


@asynccontextmanager
async def opened(folder: Path, start: datetime) -> AsyncIterator[World]:
    """A world with its service, as long as the block runs. The loop is a SoakLoop."""
    shorten_starts()
    world = World(folder, start)
    run_in_thread = AsyncIOBackend.run_sync_in_worker_thread.__func__  # type: ignore[attr-defined]

    async def counted(cls: type, *given: Any, **named: Any) -> Any:
        with world.loop.at_work():
            return await run_in_thread(cls, *given, **named)

    async def watch(*, clock: Wristwatch, emit: Callable[[ev.ClockChecked], None]) -> None:
        await watch_clock(clock=clock, emit=emit, synchronised=lambda: clock.synchronised)

    with (
        mock.patch.object(virtual, "GRACE_SECONDS", GRACE_SECONDS),
        mock.patch.object(AsyncIOBackend, "run_sync_in_worker_thread", classmethod(counted)),
        mock.patch("player.runtime.network_thread.watch_clock", watch),
        mock.patch("player.device.clock_watch.LOOK_SECONDS", LOOK_SECONDS),
        mock.patch("player.runtime.display_watch.LOOK_SECONDS", LOOK_SECONDS),
        mock.patch("service.services.operations.upkeep.UPKEEP_SECONDS", int(LOOK_SECONDS)),
        mock.patch("apscheduler.schedulers.base.datetime", DeviceTime),
        mock.patch("player.runtime.scheduler.datetime", DeviceTime),
        world.disks.installed(),
    ):
        await world.open()
        try:
            yield world
        finally:
            for panel in world.panels:
                if panel.running:
                    await panel.stop()
                await panel.proxy.close()
            await world.close()
