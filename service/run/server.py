"""Runs the application on a socket, notifies systemd when it is ready, and stops within two seconds."""

import asyncio
import contextlib
import dataclasses
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import uvicorn

from service.app.application import create_app
from service.core.clock import Clock
from service.run.connections import KEEP_ALIVE_SECONDS, Waiting, Watched, bounded, most_waiting
from service.run.listener import listen
from service.run.mdns import announced
from service.run.systemd import notify
from service.settings import Settings, reachable_url

GRACE_SECONDS = 1
"""The time for which a stop waits for responses in progress."""


def serve(settings: Settings, *, clock: Clock) -> None:
    """Serves until SIGTERM or SIGINT. Raises ListenError, and OSError if the folder cannot be used."""
    with listen(settings.host, settings.port) as listener:
        settings = dataclasses.replace(settings, port=listener.getsockname()[1])
        app = create_app(settings, clock=clock)
        gc.freeze()  # the application stays, too
        # A thread that works, such as on an export, gives way to the event loop after so long; Python's own is 5 ms.
        sys.setswitchinterval(0.001)
        config = uvicorn.Config(
            Watched(app),
            http=bounded(app, waiting=Waiting(most=most_waiting()), answer_to=app.state.answer_to),
            interface="asgi3",
            ws="none",
            log_config=None,
            access_log=False,
            lifespan="on",
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        server = _Server(
            config,
            on_stop=app.state.end_holds,
            address=reachable_url(settings.host, settings.port),
            set_up_link=app.state.set_up_link,
        )
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(server, listener, announce=settings.public_url if settings.announce else None))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Returns uvloop's event loop factory if it is installed; None makes Python's own loop."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


async def _serve(server: uvicorn.Server, listener: socket.socket, *, announce: str | None) -> None:
    async with contextlib.AsyncExitStack() as stack:
        if announce is not None:
            await stack.enter_async_context(announced(announce))
        await server.serve(sockets=[listener])


def _say(line: str) -> None:
    """Writes a line to standard output. Continues if the output is closed."""
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except OSError:
        # Or Python would try the line again at the end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Server(uvicorn.Server):
    """Uvicorn that notifies systemd, and answers held polls before it waits for connections to close."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        on_stop: Callable[[], None],
        address: str,
        set_up_link: Callable[[], str | None],
    ) -> None:
        super().__init__(config)
        self._on_stop = on_stop
        self._address = address
        self._set_up_link = set_up_link

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            _say(f"menu-service listens on {self._address}")
            notify("READY=1")
            if (link := await asyncio.to_thread(self._set_up_link)) is not None:
                _say(f"Set up the desk, with this link that works once: {link}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify("STOPPING=1")
        # Before uvicorn closes connections: a response that starts later carries `Connection: close`.
        self._on_stop()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Uvicorn's own method raises the signal again at the end: a clean stop would look like a death by signal.
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True
