"""Builds the ASGI application, and starts and stops the parts that run beside requests."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from service.api.health import ReadinessProblem, health_routes
from service.api.http.direct_routes import DirectRoutes
from service.api.http.http_rules import HttpRules
from service.api.http.problems import install_problem_handlers
from service.api.http.request_log import RequestLogMiddleware, answer_without_application
from service.api.reference.openapi import api_document
from service.app.routers import api_routers
from service.app.upkeep_jobs import upkeep_jobs
from service.core.clock import Clock
from service.desk.live import LiveStreams
from service.desk.people.sign_in import ENTER
from service.services.alerts.mail_sender import MailSender
from service.services.operations.gauges import StoredGauges
from service.services.operations.metrics import Gauge, Metrics
from service.services.operations.upkeep import Upkeep
from service.services.pos.pictures import Pictures
from service.services.pos.runner import PosRunner
from service.services.registry import Services
from service.services.webhooks.sender import DeliverySender
from service.settings import Settings
from service.storage.migrate import is_current

FEED_SECONDS = 5
"""Interval for checking which points of sale are due."""
MAIL_SECONDS = 5
"""Interval for checking which mails are due."""


class Application(FastAPI):
    """FastAPI application within the rules that hold for every response, those to internal errors included.

    `state.end_holds()` answers every held request, which a stop needs; `state.answer_to` makes the response to a
    request that cannot be read; `state.set_up_link()` makes a link for the first owner, as long as there is none.
    """

    def __init__(self, *, metrics: Metrics, **of_framework: Any) -> None:
        super().__init__(**of_framework)
        direct = DirectRoutes(super().__call__, self.routes)
        self._around = RequestLogMiddleware(HttpRules(direct), metrics=metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._around(scope, receive, send)


def create_app(settings: Settings, *, clock: Clock, services: Services | None = None) -> Application:
    services = services or Services(settings, clock=clock)
    background = _Background(settings, services)
    metrics = Metrics(gauges=_gauges(services, background))
    routers = api_routers(services, background.live, openapi=functools.cache(lambda: api_document(app)))
    health = health_routes(
        readiness_problem=lambda: _readiness_problem(services, background),
        contradicted_at=services.epochs.contradicted_at,
        metrics=metrics,
        metrics_token=settings.metrics_token,
    )
    # Not by include_router, which builds every route a second time: most of a start.
    routes = [route for router in (*routers, health) for route in router.routes]
    app = Application(
        metrics=metrics,
        title="Digital Menu Display Service",
        summary="Screens, items, playlists and scenes of digital menu boards.",
        description=(
            "Every call needs the header `Authorization: Bearer <key>`. Problems are "
            "application/problem+json (RFC 9457) with a stable `code`."
        ),
        version="1",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        routes=routes,
        lifespan=lambda _app: _running(services, background),
        redirect_slashes=False,
    )
    install_problem_handlers(app)
    app.state.held_polls, app.state.held_codes = services.held_polls, services.held_codes
    app.state.end_holds = background.end_holds
    app.state.answer_to = answer_without_application
    app.state.set_up_link = functools.partial(_set_up_link, services)
    return app


class _Background:
    """Parts that run on the event loop, beside requests."""

    def __init__(self, settings: Settings, services: Services) -> None:
        clock, outbound, mail_server = services.clock, services.outbound, settings.mail_server
        pictures = Pictures(database=services.database, assets=services.assets, outbound=outbound)
        self.held_polls, self.held_codes = services.held_polls, services.held_codes
        self.delivery_sender = DeliverySender(queue=services.deliveries, outbound=outbound, clock=clock)
        self.mail_sender = (
            None if mail_server is None else MailSender(queue=services.mails, server=mail_server, clock=clock)
        )
        self.pos_runner = PosRunner(pos=services.pos, connector=services.feeds, pictures=pictures, clock=clock)
        self.live = LiveStreams(clock=clock, accesses=services.sessions.accesses)
        self.upkeep = Upkeep(clock=clock, leadership=services.leadership, jobs=tuple(upkeep_jobs(services)))
        services.hub.subscribe(self.delivery_sender.on_change)
        services.hub.subscribe(self.live.on_change)

    @property
    def holding(self) -> int:
        return self.held_polls.holding + self.held_codes.holding

    def end_holds(self) -> None:
        """Answers every held request and ends every live page now, and holds none from now on."""
        self.held_polls.close()
        self.held_codes.close()
        self.live.close()


@contextlib.asynccontextmanager
async def _running(services: Services, background: _Background) -> AsyncIterator[None]:
    """Starts all parts, and stops them in reverse order at the end."""
    await run_in_threadpool(services.start)
    background.held_polls.open()
    background.held_codes.open()
    background.live.open()
    background.delivery_sender.open()

    def on_second(seconds: int) -> None:
        background.delivery_sender.tick(services.clock.now())
        if seconds % FEED_SECONDS == 0:
            background.pos_runner.tick()
        if seconds % MAIL_SECONDS == 0 and background.mail_sender is not None and background.upkeep.leading:
            background.mail_sender.tick()

    upkeep = asyncio.create_task(background.upkeep.run(on_loop=on_second))
    async with contextlib.AsyncExitStack() as stack:
        # Each one stops even if another fails, as without the database.
        stack.push_async_callback(run_in_threadpool, services.stop)
        stack.push_async_callback(background.held_polls.finish)
        stack.push_async_callback(background.delivery_sender.close)
        stack.push_async_callback(background.pos_runner.close)
        if background.mail_sender is not None:
            stack.push_async_callback(background.mail_sender.close)
        stack.push_async_callback(services.mailed_links.close)
        stack.push_async_callback(_cancel, upkeep)
        stack.callback(background.end_holds)
        yield


def _gauges(services: Services, background: _Background) -> Iterator[Gauge]:
    stored = StoredGauges(database=services.database)
    yield "menu_held_requests", "Requests that wait for a change.", lambda: background.holding
    yield "menu_leading", "1 in the process that sweeps, 0 in the others.", lambda: background.upkeep.leading
    yield "menu_screens_online", "Screens that are online.", stored.screens_online
    yield "menu_screen_findings", "Online screens that report a finding, by its code.", stored.findings
    yield (
        "menu_put_back",
        "1 for a day after a board held something newer than the database.",
        lambda: services.epochs.contradicted_at() is not None,
    )
    yield "menu_deliveries_pending", "Deliveries to webhooks that are still to be made.", stored.deliveries_pending


def _readiness_problem(services: Services, background: _Background) -> ReadinessProblem | None:
    if background.held_polls.closed:
        return ReadinessProblem.STOPPING
    if background.upkeep.stalled:
        return ReadinessProblem.UPKEEP_STALLED
    if not services.database.has_room():
        return ReadinessProblem.STORAGE_FULL
    with services.database.read() as session:
        return None if is_current(session) else ReadinessProblem.OTHER_TABLES


def _set_up_link(services: Services) -> str | None:
    token = services.people.set_up_token()
    return None if token is None else f"{services.public_url}{ENTER}?token={token}"


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
