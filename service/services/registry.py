"""Builds each service once, starts and stops them. The API and the desk take theirs from this registry."""

import base64
import contextlib
import secrets
from collections.abc import Mapping, Sequence

from starlette.concurrency import run_in_threadpool

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
from service.services.assets.checks import PROBES_AT_A_TIME
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
from service.services.devices.held_codes import HeldCodes
from service.services.devices.held_polls import HeldPolls
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
from service.services.pos.connector import FeedConnector
from service.services.pos.namesakes import NamesakeService
from service.services.pos.previews import SyncPreviews
from service.services.publishing.approvals import ApprovalService
from service.services.publishing.boards import BoardService
from service.services.publishing.composition import ManifestKey
from service.services.publishing.epochs import Epochs
from service.services.publishing.history import HistoryService
from service.services.publishing.manifests import ManifestService, Outcome
from service.services.publishing.overrides import OverrideService
from service.services.publishing.planned_changes import PlannedChangeService
from service.services.publishing.player_process import find_player, release_of_player
from service.services.publishing.playlists import PlaylistService
from service.services.publishing.previews import PreviewService
from service.services.scenes.kit import Kit
from service.services.scenes.scenes import SceneService
from service.services.scenes.templates import TemplateService
from service.services.shared.idempotency import StoredResponses
from service.services.shared.outbound import Outbound
from service.services.shared.threads import Threads
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
from service.storage.migrate import migrate
from service.storage.paging import Cursors
from service.storage.tables.workspaces import FactRow

_CURSOR_SECRET_NAME = "cursor secret"  # noqa: S105  (a name, not a secret)
STORE_CALLS = 8
"""Calls to the store at a time, each on a thread. A store that does not answer takes none from other requests."""


class Services:
    """Parts behind the API and the desk, each built after those that it takes."""

    def __init__(self, settings: Settings, *, clock: Clock, new_id: NewId = random_id) -> None:
        """Open the data folder, migrate its database, and build the services on it.

        Raises OSError, KeyFileError, UnknownDatabaseError, LostRowsError, BucketError and MissingLibraryError.
        """
        self.clock, self._new_id = clock, new_id
        self.public_url = _public_url(settings)
        self._open_storage(settings)
        self._build_access(settings)
        self._build_content()
        self._build_publishing()
        self._build_devices()
        self._build_links(settings)

    def _open_storage(self, settings: Settings) -> None:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        engine = open_engine(settings.database, file=settings.database_file)
        migrate(engine)
        self.hub = ChangeHub()
        self.relay = relay_of(engine, publish=self.hub.publish)
        self.leadership = leadership_of(engine)
        relay = None if self.relay is None else self.relay.send
        self.database = Database(engine=engine, clock=self.clock, publish=self.hub.publish, relay=relay)
        self.epochs = Epochs(database=self.database, new_id=self._new_id)
        self.epochs.begin()
        self._cursors = Cursors(secret=_cursor_secret(self.database))
        self.webhook_secrets = SealedSecrets(key=read_key(settings.key_file))
        self.webhook_secrets.seal_stored(self.database)
        self.store = _open_store(settings)
        self.reads, self.exports = Threads(self.database.readers), Threads(2)
        self.store_calls, self.drawing = Threads(STORE_CALLS), Threads(PROBES_AT_A_TIME)

    def _build_access(self, settings: Settings) -> None:
        database, cursors, new_id = self.database, self._cursors, self._new_id
        self.workspaces = WorkspaceService(database=database, new_id=new_id)
        self.keys = KeyAuthenticator(database=database, new_id=new_id)
        self.key_manager = KeyManager(database=database, cursors=cursors, authenticator=self.keys)
        self.stored_responses = StoredResponses(database=database)
        given = {CallClass(kind): quota for kind, quota in settings.rate_limits.items()}
        self.rates = Rates({**DEFAULT_QUOTAS, **given})
        self.sessions = SessionService(database=database, new_id=new_id)
        self.factors = SecondFactorService(database=database, seals=self.webhook_secrets)
        self.entries = Entries(database=database, sessions=self.sessions, factors=self.factors)
        self.team = TeamService(
            database=database, keys=self.keys, cursors=cursors, new_id=new_id, public_url=self.public_url
        )
        self.people = PeopleService(database=database, entries=self.entries, team=self.team, new_id=new_id)
        self.audit = AuditService(database=database, cursors=cursors)
        self.identity = IdentityService(
            provider=settings.identity_provider, clock=self.clock, redirect_uri=f"{self.public_url}{PROVIDER_DONE}"
        )
        self.actors = ActorService(database=database)
        self.subscriptions = SubscriptionService(database=database, billing_secret=settings.billing_secret)

    def _build_content(self) -> None:
        database, cursors, new_id = self.database, self._cursors, self._new_id
        self.assets = AssetService(database=database, store=self.store, cursors=cursors)
        self.asset_uploads = UploadService(database=database, assets=self.assets, store=self.store, new_id=new_id)
        self.thumbnails = Thumbnails(store=self.store)
        self.items = ItemService(database=database, cursors=cursors, new_id=new_id)
        self.item_order = ItemOrderService(database=database)
        self.words = WordService(database=database)
        self.categories = CategoryService(database=database)
        self.groups = GroupService(database=database, cursors=cursors, new_id=new_id)
        self.locations = LocationService(database=database, cursors=cursors, new_id=new_id)
        self.places = PlaceService(database=database, cursors=cursors)
        self.scenes = SceneService(database=database, cursors=cursors, new_id=new_id)
        self.templates = TemplateService(database=database, assets=self.assets, scenes=self.scenes, kit=Kit())
        self.due_values = DueValues(database=database)

    def _build_publishing(self) -> None:
        database, cursors, new_id = self.database, self._cursors, self._new_id
        self._player = find_player()
        self.playlists = PlaylistService(database=database, cursors=cursors, new_id=new_id)
        self.history = HistoryService(database=database, playlists=self.playlists, cursors=cursors)
        self.approvals = ApprovalService(database=database, playlists=self.playlists, cursors=cursors, new_id=new_id)
        self.overrides = OverrideService(database=database, cursors=cursors, new_id=new_id)
        self.planned_changes = PlannedChangeService(
            database=database, cursors=cursors, new_id=new_id, overrides=self.overrides
        )
        self.manifests = ManifestService(database=database, cursors=cursors)
        self.boards = BoardService(database=database)
        self.previews = PreviewService(
            database=database, store=self.store, player=self._player, release=release_of_player()
        )

    def _build_devices(self) -> None:
        database, cursors, new_id, clock = self.database, self._cursors, self._new_id, self.clock
        self.devices = DeviceDirectory(database=database)
        presence = self.presence = Presence(database=database, clock=clock, others=self.relay is not None)
        self.reach = ReachService(database=database, boards=self.boards, manifests=self.manifests, presence=presence)
        self.screens = ScreenService(database=database, cursors=cursors, presence=presence)
        self.pairing = PairingService(database=database, screens=self.screens, presence=presence, new_id=new_id)
        self.enrolment_tokens = EnrolmentTokens(database=database, cursors=cursors, new_id=new_id)
        self.cards = CardService(database=database, new_id=new_id)
        self.revoked_tokens = RevokedTokens(database=database)
        self.commands = CommandService(
            database=database, cursors=cursors, presence=presence, new_id=new_id, now=clock.now
        )
        self.uploads = ScreenUploads(database=database)
        self.receipts = ReceiptService(database=database, cursors=cursors)
        self.moments = MomentService(database=database, receipts=self.receipts, player=self._player)
        self.rollouts = RolloutService(database=database, cursors=cursors, presence=presence, new_id=new_id)
        self.rollout_screens = RolloutScreenService(database=database, cursors=cursors, presence=presence)
        self.held_polls = HeldPolls(compose=self._compose, devices=self.devices, clock=clock)
        self.held_codes = HeldCodes(clock=clock)
        # The directory first: the other listeners query it.
        for listener in (
            self.devices,
            self.keys,
            self.due_values,
            self.commands,
            self.held_polls,
            self.held_codes,
        ):
            self.hub.subscribe(listener.on_change)

    def _build_links(self, settings: Settings) -> None:
        database, cursors, new_id = self.database, self._cursors, self._new_id
        private, mail_server = settings.webhooks_allow_private, settings.mail_server
        self.outbound = Outbound(allow_private=private)
        self.pos = PosService(database=database, cursors=cursors, new_id=new_id, allow_private=private)
        self.feeds = FeedConnector(data=settings.data, outbound=self.outbound)
        self.sync_previews = SyncPreviews(pos=self.pos, connector=self.feeds)
        self.namesakes = NamesakeService(database=database)
        self.sheets = SheetService(database=database, new_id=new_id)
        self.imports = ImportService(database=database, cursors=cursors)
        self.webhooks = WebhookService(
            database=database, cursors=cursors, secrets=self.webhook_secrets, new_id=new_id, allow_private=private
        )
        self.deliveries = DeliveryQueue(database=database, secrets=self.webhook_secrets)
        self.alerts = AlertService(database=database, cursors=cursors, new_id=new_id, can_send=mail_server is not None)
        self.alert_watch = AlertWatch(database=database)
        self.mails = MailQueue(database=database)
        self.invitations = Invitations(team=self.team, server=mail_server, clock=self.clock)
        self.mailed_links = MailedLinks(
            people=self.people, server=mail_server, clock=self.clock, public_url=self.public_url
        )
        self.clock_correction = ClockCorrection(database=database, clock=self.clock)
        self.sample = SampleLoader(
            database=database,
            keys=self.keys,
            locations=self.locations,
            assets=self.assets,
            items=self.items,
            scenes=self.scenes,
            templates=self.templates,
            playlists=self.playlists,
        )

    async def _compose(self, keys: Sequence[ManifestKey]) -> Mapping[ManifestKey, Outcome]:
        return await run_in_threadpool(lambda: self.manifests.compose_many(keys, now=self.clock.now()))

    def start(self) -> None:
        """Start the relay, and load what is cached in memory."""
        self.store.sweep()
        if self.relay is not None:
            # Before the caches are loaded: later changes are received.
            self.relay.open()
        self.clock_correction.run()
        self.namesakes.log_all()
        self.devices.load()
        self.commands.load()
        self.rollouts.load()
        self.due_values.tick(self.clock.now())

    def stop(self) -> None:
        """Write what is pending, and close the database. Each step runs even if an earlier one fails."""
        with contextlib.ExitStack() as stack:
            stack.callback(self.database.close)
            stack.callback(self.leadership.close)
            if self.relay is not None:
                stack.callback(self.relay.close)
            stack.callback(self.keys.flush)
            stack.callback(self.presence.flush)


def _open_store(settings: Settings) -> AssetStore:
    """Returns the store of assets: the bucket, if one is set, or the data folder. Raises BucketError."""
    if settings.bucket is not None:
        return AssetObjects(settings.bucket, folder=settings.assets)
    return AssetFiles(folder=settings.assets)


def _public_url(settings: Settings) -> str:
    """Returns the address for people and players."""
    return settings.public_url or reachable_url(settings.host, settings.port)


def _cursor_secret(database: Database) -> bytes:
    with database.write() as unit:
        row = unit.session.get(FactRow, _CURSOR_SECRET_NAME)
        if row is None:
            row = FactRow(name=_CURSOR_SECRET_NAME, value=base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode())
            unit.session.add(row)
        return base64.b64decode(row.value)
