"""Builds the services, starts and stops them."""

import base64
import contextlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.core.changes import ChangeHub
from service.core.clock import Clock
from service.core.ids import SECRET_BYTES, NewId, random_id
from service.services.access.access import KeyAuthenticator
from service.services.access.actors import ActorService
from service.services.access.audit import AuditService
from service.services.access.entries import Entries
from service.services.access.identity import PROVIDER_DONE, IdentityService
from service.services.access.keys import KeyManager
from service.services.access.people import PeopleService
from service.services.access.rates import DEFAULT_QUOTAS, CallClass, Rates
from service.services.access.second_factors import SecondFactorService
from service.services.access.sessions import SessionService
from service.services.access.subscription import SubscriptionService
from service.services.access.team import TeamService
from service.services.access.workspaces import WorkspaceService
from service.services.alerts.alerts import AlertService
from service.services.alerts.invitations import Invitations
from service.services.alerts.mailed_links import MailedLinks
from service.services.alerts.mails import MailQueue
from service.services.alerts.watch import AlertWatch
from service.services.assets.assets import AssetService
from service.services.assets.thumbnails import Thumbnails
from service.services.assets.uploads import UploadService
from service.services.content.categories import CategoryService
from service.services.content.groups import GroupService
from service.services.content.item_order import ItemOrderService
from service.services.content.items import ItemService
from service.services.content.words import WordService
from service.services.devices.cards import CardService
from service.services.devices.commands import CommandService
from service.services.devices.directory import DeviceDirectory
from service.services.devices.enrolments import EnrolmentTokens
from service.services.devices.moments import MomentService
from service.services.devices.pairing import PairingService
from service.services.devices.presence import Presence
from service.services.devices.reach import ReachService
from service.services.devices.receipts import ReceiptService
from service.services.devices.revoked_tokens import RevokedTokens
from service.services.devices.rollout_screens import RolloutScreenService
from service.services.devices.rollouts import RolloutService
from service.services.devices.screen_uploads import ScreenUploads
from service.services.devices.screens import ScreenService
from service.services.imports.imports import SheetService
from service.services.imports.undo import ImportService
from service.services.operations.clock_correction import ClockCorrection
from service.services.operations.sample import SampleLoader
from service.services.places.due_values import DueValues
from service.services.places.locations import LocationService
from service.services.places.places import PlaceService
from service.services.pos.connections import PosService
from service.services.pos.namesakes import NamesakeService
from service.services.publishing.approvals import ApprovalService
from service.services.publishing.boards import BoardService
from service.services.publishing.epochs import Epochs
from service.services.publishing.history import HistoryService
from service.services.publishing.manifests import ManifestService
from service.services.publishing.overrides import OverrideService
from service.services.publishing.planned_changes import PlannedChangeService
from service.services.publishing.player_process import find_player, release_of_player
from service.services.publishing.playlists import PlaylistService
from service.services.publishing.previews import PreviewService
from service.services.scenes.kit import Kit
from service.services.scenes.scenes import SceneService
from service.services.scenes.templates import TemplateService
from service.services.shared.idempotency import StoredResponses
from service.services.webhooks.deliveries import DeliveryQueue
from service.services.webhooks.sealed_secrets import SealedSecrets
from service.services.webhooks.webhooks import WebhookService
from service.settings import Settings, reachable_url
from service.storage.asset_files import AssetFiles
from service.storage.asset_objects import AssetObjects
from service.storage.asset_store import AssetStore
from service.storage.database import Database
from service.storage.engines import leadership_of, open_engine, relay_of
from service.storage.key_file import read_key
from service.storage.leadership import Leadership
from service.storage.migrate import migrate
from service.storage.paging import Cursors
from service.storage.tables.workspaces import FactRow

if TYPE_CHECKING:
    from service.storage.relay import ChangeRelay

_CURSOR_SECRET_NAME = "cursor secret"  # noqa: S105  (a name, not a secret)


@dataclass(frozen=True, slots=True)
class Services:
    """The parts behind the API."""

    clock: Clock
    database: Database
    store: AssetStore
    workspaces: WorkspaceService
    keys: KeyAuthenticator
    stored_responses: StoredResponses
    rates: Rates
    key_manager: KeyManager
    locations: LocationService
    groups: GroupService
    places: PlaceService
    items: ItemService
    item_order: ItemOrderService
    words: WordService
    categories: CategoryService
    assets: AssetService
    asset_uploads: UploadService
    thumbnails: Thumbnails
    scenes: SceneService
    previews: PreviewService
    templates: TemplateService
    playlists: PlaylistService
    history: HistoryService
    approvals: ApprovalService
    overrides: OverrideService
    planned_changes: PlannedChangeService
    pos: PosService
    namesakes: NamesakeService
    sheets: SheetService
    imports: ImportService
    team: TeamService
    sessions: SessionService
    factors: SecondFactorService
    entries: Entries
    audit: AuditService
    identity: IdentityService
    actors: ActorService
    people: PeopleService
    subscriptions: SubscriptionService
    screens: ScreenService
    pairing: PairingService
    enrolment_tokens: EnrolmentTokens
    cards: CardService
    revoked_tokens: RevokedTokens
    manifests: ManifestService
    epochs: Epochs
    boards: BoardService
    reach: ReachService
    devices: DeviceDirectory
    presence: Presence
    webhooks: WebhookService
    deliveries: DeliveryQueue
    webhook_secrets: SealedSecrets
    alerts: AlertService
    alert_watch: AlertWatch
    mails: MailQueue
    invitations: Invitations
    mailed_links: MailedLinks
    commands: CommandService
    uploads: ScreenUploads
    receipts: ReceiptService
    moments: MomentService
    rollouts: RolloutService
    rollout_screens: RolloutScreenService
    due_values: DueValues
    clock_correction: ClockCorrection
    sample: SampleLoader
    hub: ChangeHub
    relay: "ChangeRelay | None"
    leadership: Leadership


# Over sixty lines: one list of services, each made once from those before it.
def build_services(settings: Settings, *, clock: Clock, new_id: NewId = random_id) -> Services:
    """Open the data folder, migrate its database, and build the services on it.

    Raises OSError, KeyFileError, UnknownDatabaseError, LostRowsError, BucketError and MissingLibraryError.
    """
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = open_engine(settings.database, file=settings.database_file)
    migrate(engine)
    hub = ChangeHub()
    relay = relay_of(engine, publish=hub.publish)
    database = Database(engine=engine, clock=clock, publish=hub.publish, relay=None if relay is None else relay.send)
    epochs = Epochs(database=database, new_id=new_id)
    epochs.begin()
    cursors = Cursors(secret=_cursor_secret(database))
    webhook_secrets = SealedSecrets(key=read_key(settings.key_file))
    webhook_secrets.seal_stored(database)
    store = open_store(settings)

    keys = KeyAuthenticator(database=database, new_id=new_id)
    locations = LocationService(database=database, cursors=cursors, new_id=new_id)
    sessions = SessionService(database=database, new_id=new_id)
    factors = SecondFactorService(database=database, seals=webhook_secrets)
    entries = Entries(database=database, sessions=sessions, factors=factors)
    team = TeamService(database=database, keys=keys, cursors=cursors, new_id=new_id, public_url=public_url_of(settings))
    people = PeopleService(database=database, entries=entries, team=team, new_id=new_id)
    items = ItemService(database=database, cursors=cursors, new_id=new_id)
    assets = AssetService(database=database, store=store, cursors=cursors)
    scenes = SceneService(database=database, cursors=cursors, new_id=new_id)
    templates = TemplateService(database=database, assets=assets, scenes=scenes, kit=Kit())
    playlists = PlaylistService(database=database, cursors=cursors, new_id=new_id)
    boards = BoardService(database=database)
    manifests = ManifestService(database=database, cursors=cursors)
    presence = Presence(database=database, clock=clock, others=relay is not None)
    screens = ScreenService(database=database, cursors=cursors, presence=presence)
    devices = DeviceDirectory(database=database)
    due_values = DueValues(database=database)
    # The directory first: the other listeners query it.
    hub.subscribe(devices.on_change)
    hub.subscribe(keys.on_change)
    hub.subscribe(due_values.on_change)
    player = find_player()
    receipts = ReceiptService(database=database, cursors=cursors)
    overrides = OverrideService(database=database, cursors=cursors, new_id=new_id)
    commands = CommandService(database=database, cursors=cursors, presence=presence, new_id=new_id, now=clock.now)
    hub.subscribe(commands.on_change)
    return Services(
        clock=clock,
        database=database,
        store=store,
        workspaces=WorkspaceService(database=database, new_id=new_id),
        keys=keys,
        stored_responses=StoredResponses(database=database),
        rates=Rates({**DEFAULT_QUOTAS, **{CallClass(kind): quota for kind, quota in settings.rate_limits.items()}}),
        key_manager=KeyManager(database=database, cursors=cursors, authenticator=keys),
        locations=locations,
        groups=GroupService(database=database, cursors=cursors, new_id=new_id),
        places=PlaceService(database=database, cursors=cursors),
        items=items,
        item_order=ItemOrderService(database=database),
        words=WordService(database=database),
        categories=CategoryService(database=database),
        assets=assets,
        asset_uploads=UploadService(database=database, assets=assets, store=store, new_id=new_id),
        thumbnails=Thumbnails(store=store),
        scenes=scenes,
        previews=PreviewService(database=database, store=store, player=player, release=release_of_player()),
        templates=templates,
        playlists=playlists,
        history=HistoryService(database=database, playlists=playlists, cursors=cursors),
        approvals=ApprovalService(database=database, playlists=playlists, cursors=cursors, new_id=new_id),
        overrides=overrides,
        planned_changes=PlannedChangeService(database=database, cursors=cursors, new_id=new_id, overrides=overrides),
        team=team,
        sessions=sessions,
        factors=factors,
        entries=entries,
        audit=AuditService(database=database, cursors=cursors),
        identity=IdentityService(
            provider=settings.identity_provider, clock=clock, redirect_uri=f"{public_url_of(settings)}{PROVIDER_DONE}"
        ),
        people=people,
        actors=ActorService(database=database),
        subscriptions=SubscriptionService(database=database, billing_secret=settings.billing_secret),
        sheets=SheetService(database=database, new_id=new_id),
        imports=ImportService(database=database, cursors=cursors),
        pos=PosService(
            database=database, cursors=cursors, new_id=new_id, allow_private=settings.webhooks_allow_private
        ),
        namesakes=NamesakeService(database=database),
        screens=screens,
        pairing=PairingService(database=database, screens=screens, presence=presence, new_id=new_id),
        enrolment_tokens=EnrolmentTokens(database=database, cursors=cursors, new_id=new_id),
        cards=CardService(database=database, new_id=new_id),
        revoked_tokens=RevokedTokens(database=database),
        manifests=manifests,
        epochs=epochs,
        boards=boards,
        reach=ReachService(database=database, boards=boards, manifests=manifests, presence=presence),
        devices=devices,
        presence=presence,
        webhooks=WebhookService(
            database=database,
            cursors=cursors,
            secrets=webhook_secrets,
            new_id=new_id,
            allow_private=settings.webhooks_allow_private,
        ),
        deliveries=DeliveryQueue(database=database, secrets=webhook_secrets),
        webhook_secrets=webhook_secrets,
        alerts=AlertService(
            database=database, cursors=cursors, new_id=new_id, can_send=settings.mail_server is not None
        ),
        alert_watch=AlertWatch(database=database),
        mails=MailQueue(database=database),
        invitations=Invitations(team=team, server=settings.mail_server, clock=clock),
        mailed_links=MailedLinks(
            people=people, server=settings.mail_server, clock=clock, public_url=public_url_of(settings)
        ),
        commands=commands,
        uploads=ScreenUploads(database=database),
        receipts=receipts,
        moments=MomentService(database=database, receipts=receipts, player=player),
        rollouts=RolloutService(database=database, cursors=cursors, presence=presence, new_id=new_id),
        rollout_screens=RolloutScreenService(database=database, cursors=cursors, presence=presence),
        due_values=due_values,
        clock_correction=ClockCorrection(database=database, clock=clock),
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


def start_services(services: Services) -> None:
    """Start the relay, and load what is cached in memory."""
    services.store.sweep()
    if services.relay is not None:
        # Before the caches are loaded: later changes are received.
        services.relay.open()
    services.clock_correction.run()
    services.namesakes.log_all()
    services.devices.load()
    services.commands.load()
    services.rollouts.load()
    services.due_values.tick(services.clock.now())


def stop_services(services: Services) -> None:
    """Write what is pending, and close the database. Each step runs even if an earlier one fails."""
    with contextlib.ExitStack() as stack:
        stack.callback(services.database.close)
        stack.callback(services.leadership.close)
        if services.relay is not None:
            stack.callback(services.relay.close)
        stack.callback(services.keys.flush)
        stack.callback(services.presence.flush)


def open_store(settings: Settings) -> AssetStore:
    """The store of assets: the bucket, if one is set, or the data folder. Raises BucketError."""
    if settings.bucket is not None:
        return AssetObjects(settings.bucket, folder=settings.assets)
    return AssetFiles(folder=settings.assets)


def public_url_of(settings: Settings) -> str:
    """The address for people and players."""
    return settings.public_url or reachable_url(settings.host, settings.port)


def _cursor_secret(database: Database) -> bytes:
    with database.write() as unit:
        row = unit.session.get(FactRow, _CURSOR_SECRET_NAME)
        if row is None:
            row = FactRow(name=_CURSOR_SECRET_NAME, value=base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode())
            unit.session.add(row)
        return base64.b64decode(row.value)
