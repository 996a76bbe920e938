"""The only wiring: builds every part of the service, starts them in order and stops them in reverse."""

import asyncio
import base64
import contextlib
import functools
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from fastapi import APIRouter, FastAPI
from starlette.concurrency import run_in_threadpool

from service.api.approvals import approval_routes
from service.api.assets import asset_routes
from service.api.billing import billing_routes, subscription_routes
from service.api.commands import command_routes
from service.api.guard import Guard
from service.api.health import ReadinessProblem, health_routes
from service.api.idempotency import Retries
from service.api.items import item_routes
from service.api.keys import key_routes
from service.api.legacy import legacy_routes
from service.api.limits import Limiter
from service.api.locations import location_routes
from service.api.observing import Observer
from service.api.openapi import api_document
from service.api.pages import page_routes
from service.api.pairing import pairing_routes
from service.api.player import DeviceGate, player_routes
from service.api.playlists import playlist_routes
from service.api.pos import pos_routes
from service.api.problems import install
from service.api.routing import keyed_route
from service.api.scenes import scene_routes
from service.api.screens import screen_routes
from service.api.team import acceptance_routes, team_routes
from service.api.webhooks import webhook_routes
from service.core.changes import ChangeHub
from service.core.clock import Clock
from service.core.ids import SECRET_BYTES, NewId, random_id
from service.services.access.access import KeyAuthenticator
from service.services.access.keys import KeyManager
from service.services.access.rates import DEFAULT_QUOTAS, CallClass, Rates
from service.services.access.subscription import SubscriptionService
from service.services.access.team import TeamService
from service.services.access.workspaces import WorkspaceService
from service.services.assets.assets import AssetService
from service.services.content.eighty_six_expiry import EightySixExpiry
from service.services.content.items import ItemService
from service.services.content.kit import Kit
from service.services.content.locations import LocationService
from service.services.content.scenes import SceneService
from service.services.content.templates import TemplateService
from service.services.devices.commands import CommandService
from service.services.devices.directory import DeviceDirectory
from service.services.devices.held_polls import HeldPolls
from service.services.devices.pairing import PairingService
from service.services.devices.presence import WRITTEN_EVERY, Presence
from service.services.devices.screens import ScreenService
from service.services.operations.gauges import StoredGauges
from service.services.operations.metrics import Gauge, Metrics
from service.services.operations.sample import SampleLoader
from service.services.operations.upkeep import UPKEEP_SECONDS, Job, LeaderJob, Upkeep
from service.services.pos.connections import PosService
from service.services.pos.feed import FeedConnector
from service.services.pos.runner import PosRunner
from service.services.publishing.approvals import ApprovalService
from service.services.publishing.manifests import Manifest, ManifestKey, ManifestService
from service.services.publishing.playlists import PlaylistService
from service.services.publishing.previews import PreviewService, find_player, release_of_player
from service.services.shared.idempotency import StoredResponses
from service.services.shared.outbound import Outbound
from service.services.webhooks.deliveries import DeliveryQueue
from service.services.webhooks.sender import DeliverySender
from service.services.webhooks.webhooks import WebhookService
from service.settings import Settings, reachable_url
from service.storage.asset_files import AssetFiles
from service.storage.database import Database
from service.storage.engines import leadership_of, open_engine, relay_of
from service.storage.leadership import Leadership
from service.storage.migrate import is_current, migrate
from service.storage.paging import Cursors
from service.storage.relay import ChangeRelay
from service.storage.tables import FactRow

PRESENCE_SECONDS = int(WRITTEN_EVERY.total_seconds())
"""Contacts are written, and screens that are gone are looked for, this often."""
FEED_SECONDS = 5
"""Points of sale are looked at this often."""
SWEEP_SECONDS = 600
"""What was kept for long enough is dropped this often."""

_CURSOR_SECRET = "cursor secret"  # noqa: S105  (a name, not a secret)


@dataclass(frozen=True, slots=True)
class Services:
    """Everything behind the API, ready for use."""

    clock: Clock
    database: Database
    files: AssetFiles
    workspaces: WorkspaceService
    keys: KeyAuthenticator
    stored_responses: StoredResponses
    rates: Rates
    key_manager: KeyManager
    locations: LocationService
    items: ItemService
    assets: AssetService
    scenes: SceneService
    previews: PreviewService
    templates: TemplateService
    playlists: PlaylistService
    approvals: ApprovalService
    pos: PosService
    team: TeamService
    subscriptions: SubscriptionService
    screens: ScreenService
    pairing: PairingService
    manifests: ManifestService
    devices: DeviceDirectory
    presence: Presence
    webhooks: WebhookService
    deliveries: DeliveryQueue
    commands: CommandService
    eighty_six_expiry: EightySixExpiry
    sample: SampleLoader
    hub: ChangeHub
    relay: ChangeRelay | None
    leadership: Leadership


def build_services(settings: Settings, *, clock: Clock, new_id: NewId = random_id) -> Services:
    """Open the data folder, bring its database up to date, and build what works on it.

    Raises OSError and NewerDatabaseError.
    """
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = open_engine(settings.database, file=settings.database_file)
    migrate(engine)
    hub = ChangeHub()
    relay = relay_of(engine, publish=hub.publish)
    database = Database(engine=engine, clock=clock, publish=hub.publish, relay=None if relay is None else relay.send)
    cursors = Cursors(secret=_secret(database))
    files = AssetFiles(folder=settings.assets)

    keys = KeyAuthenticator(database=database, new_id=new_id)
    locations = LocationService(database=database, cursors=cursors, new_id=new_id)
    items = ItemService(database=database, cursors=cursors, new_id=new_id)
    assets = AssetService(database=database, files=files, cursors=cursors)
    scenes = SceneService(database=database, cursors=cursors, new_id=new_id)
    templates = TemplateService(database=database, assets=assets, scenes=scenes, kit=Kit())
    playlists = PlaylistService(database=database, cursors=cursors, new_id=new_id)
    presence = Presence(database=database, others=relay is not None)
    screens = ScreenService(database=database, cursors=cursors, presence=presence)
    devices = DeviceDirectory(database=database)
    eighty_six_expiry = EightySixExpiry(items=items)
    # The directory first: who is woken by a notice asks it.
    hub.join(devices.on_change)
    hub.join(keys.on_change)
    hub.join(eighty_six_expiry.on_change)
    commands = CommandService(database=database, new_id=new_id, now=clock.now)
    hub.join(commands.on_change)
    return Services(
        clock=clock,
        database=database,
        files=files,
        workspaces=WorkspaceService(database=database, new_id=new_id),
        keys=keys,
        stored_responses=StoredResponses(database=database),
        rates=Rates({**DEFAULT_QUOTAS, **{CallClass(kind): quota for kind, quota in settings.rate_limits.items()}}),
        key_manager=KeyManager(database=database, cursors=cursors, authenticator=keys),
        locations=locations,
        items=items,
        assets=assets,
        scenes=scenes,
        previews=PreviewService(database=database, files=files, player=find_player(), release=release_of_player()),
        templates=templates,
        playlists=playlists,
        approvals=ApprovalService(database=database, playlists=playlists, cursors=cursors, new_id=new_id),
        team=TeamService(
            database=database, keys=keys, cursors=cursors, new_id=new_id, public_url=_public_url(settings)
        ),
        subscriptions=SubscriptionService(database=database, billing_secret=settings.billing_secret),
        pos=PosService(
            database=database, cursors=cursors, new_id=new_id, allow_private=settings.webhooks_allow_private
        ),
        screens=screens,
        pairing=PairingService(database=database, screens=screens, new_id=new_id),
        manifests=ManifestService(database=database),
        devices=devices,
        presence=presence,
        webhooks=WebhookService(
            database=database, cursors=cursors, new_id=new_id, allow_private=settings.webhooks_allow_private
        ),
        deliveries=DeliveryQueue(database=database),
        commands=commands,
        eighty_six_expiry=eighty_six_expiry,
        sample=SampleLoader(
            database=database,
            keys=keys,
            locations=locations,
            assets=assets,
            items=items,
            scenes=scenes,
            templates=templates,
            playlists=playlists,
        ),
        hub=hub,
        relay=relay,
        leadership=leadership_of(engine),
    )


def create_app(settings: Settings, *, clock: Clock, services: Services | None = None) -> FastAPI:
    """The application. `app.state.held_polls.close()` answers every held request, as a stop needs it."""
    parts = services or build_services(settings, clock=clock)

    async def compose(key: ManifestKey) -> Manifest:
        return await run_in_threadpool(lambda: parts.manifests.compose(key, now=clock.now()))

    held_polls = HeldPolls(compose=compose, devices=parts.devices, clock=clock)
    parts.hub.join(held_polls.on_change)
    outbound = Outbound(allow_private=settings.webhooks_allow_private)
    delivery_sender = DeliverySender(queue=parts.deliveries, outbound=outbound, clock=clock)
    connector = FeedConnector(folder=settings.feeds, outbound=outbound)
    runner = PosRunner(pos=parts.pos, connector=connector, clock=clock)
    upkeep = Upkeep(clock=clock, leadership=parts.leadership, jobs=tuple(_jobs(parts)))
    parts.hub.join(delivery_sender.on_change)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(_begin, parts)
        held_polls.open()
        delivery_sender.open()

        def look(seconds: int) -> None:
            delivery_sender.tick(clock.now())
            if seconds % FEED_SECONDS == 0:
                runner.tick()

        working = asyncio.create_task(upkeep.run(on_loop=look))
        async with contextlib.AsyncExitStack() as stack:
            # In reverse; one that fails, as without the database, keeps none of the others from its end.
            stack.push_async_callback(run_in_threadpool, _end, parts)
            stack.push_async_callback(delivery_sender.close)
            stack.push_async_callback(runner.close)
            stack.push_async_callback(_cancel, working)
            stack.callback(held_polls.close)
            yield

    app = FastAPI(
        title="Digital Menu Display Service",
        summary="Screens, items, playlists and scenes of digital menu boards.",
        description=(
            "Every call needs the header `Authorization: Bearer <key>`. Problems are "
            "application/problem+json (RFC 9457) with a stable `code`."
        ),
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    install(app)
    for router in _routers(parts, held_polls, app, public_url=_public_url(settings)):
        # Not include_router: it builds every route a second time, which takes most of a start.
        app.router.routes.extend(router.routes)
    metrics = Metrics(gauges=_gauges(parts, held_polls, upkeep))
    health = health_routes(
        hindrance=lambda: _hindrance(parts, held_polls), metrics=metrics, metrics_token=settings.metrics_token
    )
    app.router.routes.extend(health.routes)
    # Outermost, so that an answer to a fault of the service has its id as well.
    app.middleware_stack = Observer(app.build_middleware_stack(), metrics=metrics)
    app.state.held_polls = held_polls
    return app


def _routers(parts: Services, held_polls: HeldPolls, app: FastAPI, *, public_url: str) -> Iterator[APIRouter]:
    now = parts.clock.now
    retries = Retries(responses=parts.stored_responses, database=parts.database)
    limiter = Limiter(rates=parts.rates, now=now)
    keyed = keyed_route(Guard(keys=parts.keys).authenticate, limiter=limiter, retries=retries)
    gate = DeviceGate(devices=parts.devices, presence=parts.presence, pairing=parts.pairing, clock=parts.clock)
    yield screen_routes(screens=parts.screens, pairing=parts.pairing, now=now, route=keyed)
    yield command_routes(commands=parts.commands, route=keyed)
    yield item_routes(items=parts.items, now=now, route=keyed)
    yield playlist_routes(playlists=parts.playlists, approvals=parts.approvals, route=keyed)
    yield approval_routes(approvals=parts.approvals, route=keyed)
    yield scene_routes(scenes=parts.scenes, templates=parts.templates, previews=parts.previews, route=keyed)
    yield key_routes(key_manager=parts.key_manager, route=keyed)
    yield asset_routes(assets=parts.assets, retries=retries, route=keyed)
    yield location_routes(locations=parts.locations, route=keyed)
    yield pos_routes(pos=parts.pos, route=keyed)
    yield team_routes(team=parts.team, route=keyed)
    yield acceptance_routes(team=parts.team)
    yield subscription_routes(subscriptions=parts.subscriptions, route=keyed)
    yield billing_routes(subscriptions=parts.subscriptions)
    yield webhook_routes(webhooks=parts.webhooks, route=keyed)
    yield pairing_routes(pairing=parts.pairing, public_url=public_url)
    yield player_routes(
        gate=gate,
        held_polls=held_polls,
        presence=parts.presence,
        commands=parts.commands,
        assets=parts.assets,
        clock=parts.clock,
    )
    yield legacy_routes()
    yield page_routes(openapi=functools.cache(lambda: api_document(app)))


def _jobs(parts: Services) -> Iterator[Job | LeaderJob]:
    # Everyone first takes in what they missed and writes what they heard; then the leader acts on what is written.
    yield Job("notices that were missed", UPKEEP_SECONDS, parts.hub.catch_up)
    yield LeaderJob("86s that end", UPKEEP_SECONDS, lambda _: parts.eighty_six_expiry.tick(parts.clock.now()))
    yield Job("contacts of screens", PRESENCE_SECONDS, parts.presence.flush)
    yield Job("uses of keys", PRESENCE_SECONDS, parts.keys.flush)
    yield LeaderJob("screens that are gone", PRESENCE_SECONDS, lambda since: parts.presence.sweep(leading_since=since))
    yield LeaderJob("old events", SWEEP_SECONDS, lambda _: parts.deliveries.prune())
    yield LeaderJob("old answers", SWEEP_SECONDS, lambda _: parts.stored_responses.sweep())


def _gauges(parts: Services, held_polls: HeldPolls, upkeep: Upkeep) -> Iterator[Gauge]:
    gauges = StoredGauges(database=parts.database)
    yield "menu_held_requests", "Requests for manifests that wait.", lambda: held_polls.holding
    yield "menu_leading", "1 in the process that sweeps, 0 in the others.", lambda: upkeep.leading
    yield "menu_screens_online", "Screens that are online.", gauges.screens_online
    yield "menu_deliveries_pending", "Deliveries to webhooks that are still to be made.", gauges.deliveries_pending


def _hindrance(parts: Services, held_polls: HeldPolls) -> ReadinessProblem | None:
    if held_polls.closed:
        return ReadinessProblem.STOPPING
    with parts.database.read() as session:
        return None if is_current(session) else ReadinessProblem.OTHER_TABLES


def _public_url(settings: Settings) -> str:
    return settings.public_url or reachable_url(settings.host, settings.port)


def _begin(parts: Services) -> None:
    parts.files.sweep()
    if parts.relay is not None:
        # Before the devices are read: what changes from then on is heard.
        parts.relay.open()
    parts.devices.load()
    parts.commands.load()
    parts.eighty_six_expiry.tick(parts.clock.now())


def _end(parts: Services) -> None:
    with contextlib.ExitStack() as stack:
        stack.callback(parts.database.close)
        stack.callback(parts.leadership.close)
        if parts.relay is not None:
            stack.callback(parts.relay.close)
        stack.callback(parts.keys.flush)
        stack.callback(parts.presence.flush)


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _secret(database: Database) -> bytes:
    with database.write() as unit:
        row = unit.session.get(FactRow, _CURSOR_SECRET)
        if row is None:
            row = FactRow(name=_CURSOR_SECRET, value=base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode())
            unit.session.add(row)
        return base64.b64decode(row.value)
