"""Uses of wall time in the service, and what becomes of it when the clock is set: an hour back or ahead, a year back.

A use that is not listed here fails; so does a stored instant. The behaviours are tested at each of the steps.
"""

import ast
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

import service as service_package
from service.core.clock import instant_text
from service.core.events import EventType
from service.core.permissions import Role
from service.services.access.team import INVITE_LIFETIME
from service.services.devices.commands import LIFETIME
from service.services.devices.pairing import CODE_LIFETIME, WRONG_CODE_LIMITS
from service.services.devices.presence import OFFLINE_AFTER
from service.services.operations.clock_correction import LONGEST_AHEAD
from service.services.shared.idempotency import RETENTION
from service.services.webhooks.deliveries import CLAIM, LONGEST_RETRY
from service.storage.columns import InstantColumn
from service.storage.tables.base import Base
from service.storage.tables.webhooks import EventRow
from service.storage.tables.workspaces import StoredResponseRow
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    open_cafe,
    pair,
    running,
    until,
)
from tests.service.support.desk import link_for, person
from tests.service.support.receivers import WEBHOOKS, Receiver, publish, settled
from tests.service.support.workspaces import override_of

ITEMS = "/v1/content/items"
HOUR = timedelta(hours=1)
STEPS = {"an hour back": -HOUR, "an hour ahead": HOUR, "a year back": -timedelta(days=365)}
OFFLINE_SECONDS = int(OFFLINE_AFTER.total_seconds())

USES = {
    # Passed on to what is listed below.
    "wiring": """
        app.application:_running.on_second app.upkeep_jobs:upkeep_jobs
        core.clock:SystemClock.now desk.desk:Desk.__init__
        services.registry:Services._build_devices services.registry:Services._compose services.registry:Services.start
        storage.database:Database._unit storage.database:Database.now""",
    # Written down, shown and compared with nothing: an instant of the wrong clock stays as it was written.
    "recorded": """
        api.devices.player:_keep services.alerts.alerts:AlertService.change
        services.alerts.alerts:AlertService.create services.access.access:KeyAuthenticator.add
        services.access.subscription:_store services.access.team:TeamService._add
        services.access.workspaces:_add services.assets.assets:AssetService.add
        services.content.item_order:ItemOrderService.change
        services.content.items:ItemService.add storage.database:_number_content
        services.places.locations:LocationService.add services.places.locations:LocationService.change
        services.places.locations:LocationService.change_values services.scenes.scenes:SceneService.add
        services.scenes.scenes:SceneService.add_schedule services.scenes.scenes:SceneService.change
        services.content.categories:CategoryService.change services.content.groups:GroupService.create
        services.content.words:WordService.change services.devices.pairing:PairingService._bind
        services.devices.pairing:_begin_again
        services.devices.screens:_apply services.publishing.playlists:PlaylistService.change_entry
        services.publishing.versions:add_version
        services.devices.receipts:ReceiptService.keep
        services.devices.rollouts:RolloutService.create services.devices.screen_uploads:ScreenUploads.keep
        services.devices.enrolments:issue
        services.devices.screens:ScreenService.confirm services.devices.screens:ScreenService.remove
        services.pos.connections:PosService.push
        services.pos.pictures:_give
        services.publishing.approvals:ApprovalService.request services.publishing.approvals:_decide
        services.publishing.playlists:PlaylistService.add services.publishing.playlists:PlaylistService.add_entry
        services.publishing.playlists:PlaylistService.change services.publishing.playlists:PlaylistService.freeze
        services.publishing.playlists:PlaylistService.release services.publishing.playlists:PlaylistService.reorder
        services.publishing.playlists:PlaylistService.take_out services.publishing.playlists:_begin_on_screens
        services.publishing.playlists:replace_pending
        services.webhooks.outbox:add_event services.webhooks.webhooks:WebhookService.change
        core.logs:JsonLines.format services.access.people:PeopleService._add_member
        services.access.people:PeopleService._person
        desk.settings.alerts:_form desk.settings.alerts:list_alerts
        desk.settings.keys:list_keys desk.settings.points_of_sale:_form
        desk.settings.points_of_sale:get_state desk.settings.points_of_sale:list_connections
        desk.settings.team:list_team desk.settings.team:show_member
        desk.settings.webhooks:_page services.alerts.invitations:Invitations.invite
        desk.people.profile:show_profile services.alerts.mailed_links:MailedLinks._send
        services.access.sessions:SessionService.now""",
    # Passed on by calls of the API and by pages of the desk.
    "shown": """
        api.content.items:get_item api.content.items:get_reach api.content.items:list_items
        api.devices.rollouts:get_rollout_of_screen api.devices.rollouts:list_rollout_screens
        api.devices.screens:get_screen api.devices.screens:list_screens
        api.places.places:get_group_item api.places.places:get_location_item
        api.places.places:list_group_items api.places.places:list_location_items
        desk.menu.item:change desk.menu.item:delete desk.menu.item:show
        desk.menu.item_places:change desk.menu.item_places:show
        desk.start:Start.has_items
        desk.start:Start.screen desk.start:get_done desk.start:show_done
        desk.boards.library:_page desk.menu.menu:Menu.page desk.menu.menu:Menu.read
        desk.menu.menu:get_boards
        desk.screens.rollouts:rollout_of desk.screens.rollouts:_values
        desk.screens.screens:Tiles.one
        desk.screens.screens:Tiles.page desk.screens.screens:get_tile
        desk.screens.screens:list_screens
        desk.boards.board:_page desk.playlists.overrides:_page desk.playlists.playlist:_aside
        desk.playlists.playlist:assign desk.playlists.playlist:_state
        desk.playlists.versions:list_approvals desk.playlists.versions:show_approval
        desk.playlists.versions:show_version desk.screens.moment:_place_of desk.screens.moment:draw_moment
        desk.screens.moment:show_moment desk.screens.screen:_picture desk.screens.screen:_state
        desk.screens.screen:change desk.screens.screen:get_log desk.screens.screen:remove
        desk.screens.week:_monday desk.screens.week:_shown desk.screens.week:show_week
        desk.screens.week:show_week_of_playlist""",
    # Compared with an instant that a person chose: sold out until, an offer. It counts by the clock as it is: an hour
    # ahead it ends early and has ended for good, back it comes that much later.
    "chosen": """
        desk.menu.planned:new_plan
        desk.menu.planned:show_plan
        services.devices.moments:MomentService._check_reach services.devices.moments:MomentService._composed
        services.devices.moments:MomentService.moment services.devices.moments:MomentService.shown_at
        services.devices.moments:MomentService.will_show
        services.content.items:ItemService.create services.content.items:ItemService.change
        services.content.items:ItemService.change_variant services.content.items:ItemService.change_many
        services.content.items:ItemService.change_some services.content.items:ItemService.remove
        services.places.due_values:end_due services.places.due_values:_end_local_86s
        services.places.due_values:_end_local_offers
        services.places.local_items:keep services.places.places:PlaceService.change
        services.places.places:PlaceService.change_many services.places.places:PlaceService.change_some
        services.places.places:_change services.places.places:_change_each
        services.publishing.boards:BoardService.left services.content.superseded:supersede
        services.publishing.planned_changes:PlannedChangeService._open
        services.publishing.planned_changes:PlannedChangeService._plan
        services.publishing.planned_changes:PlannedChangeService._view
        services.publishing.planned_changes:PlannedChangeService.create
        services.publishing.planned_changes:_time_faults
        services.places.planned_effects:store_due services.places.planned_effects:_store
        services.content.items:_apply_each services.content.items:_apply
        services.pos.connections:PosService._import services.pos.connections:PosService.preview
        services.imports.imports:SheetService._plan services.imports.imports:SheetService.carry_out
        services.imports.imports:SheetService._carry_out services.imports.undo:_Undo._restore
        services.imports.imports:SheetService.export services.imports.imports:SheetService.preview
        services.pos.writes:Writes.carry_out services.pos.connections:PosService._prepared
        services.publishing.previews:PreviewService.plan
        services.publishing.board_menu:Menu._item services.scenes.scenes:SceneService._read""",
    # A deadline or an age in the database. Back: the clock correction brings it to the longest that it can be meant.
    # Ahead: what has run out by that clock has run out.
    "stored": """
        services.access.attempts:count_link services.access.attempts:count_wrong
        services.access.audit:AuditService.prune
        services.access.entries:Entries.begin services.access.entries:Entries.finish
        services.access.entries:Entries.pending
        services.access.people:PeopleService._add_link services.access.people:PeopleService._link
        services.access.team:TeamService.join_invited
        services.access.team:TeamService.sessions services.access.people:PeopleService.awaits_owner
        services.access.sessions:SessionService._touch services.access.sessions:SessionService.begin
        services.access.sessions:SessionService.accesses services.access.sessions:SessionService.list
        services.access.sessions:SessionService.of services.access.sessions:SessionService.prune
        services.access.access:KeyAuthenticator.flush services.access.team:TeamService.invite
        services.access.team:TeamService.invites services.access.team:_find
        services.devices.cards:_Check.__init__ services.devices.cards:_Check._expiry
        services.devices.cards:_Check._meet_existing services.devices.commands:CommandService.load
        services.devices.commands:CommandService.give
        services.devices.commands:CommandService.list services.devices.commands:CommandService.get
        services.devices.commands:CommandService.finish services.devices.commands:CommandService.prune
        services.devices.commands:CommandService._take services.devices.enrolments:EnrolmentTokens.create
        services.assets.assets:AssetService.remove services.assets.assets:AssetService.prune
        services.assets.assets:AssetService.uses services.assets.uploads:UploadService._finish
        services.assets.uploads:UploadService._received services.assets.uploads:UploadService.begin
        services.assets.uploads:UploadService.prune
        services.devices.enrolments:EnrolmentTokens.prune services.devices.enrolments:check_room
        services.devices.enrolments:redeem services.devices.pairing:PairingService.apply
        services.devices.pairing:PairingService.grant services.devices.pairing:PairingService.claim
        services.devices.pairing:PairingService.replace services.devices.pairing:PairingService._still_calls
        services.devices.pairing:PairingService._shown
        services.devices.revoked_tokens:revoke_token services.devices.revoked_tokens:RevokedTokens.prune
        services.devices.receipts:ReceiptService.prune
        services.operations.clock_correction:_correct_columns services.operations.clock_correction:_correct_syncs
        services.operations.clock_correction:_correct_overrides services.operations.clock_correction:_correct_versions
        services.operations.clock_correction:_correct_86s services.operations.clock_correction:_renew_revisions
        services.imports.undo:ImportService.can_undo services.imports.undo:ImportService.prune
        services.imports.undo:ImportService.undo services.imports.undo:_Undo.result
        services.imports.undo:keep_import
        services.publishing.live_overrides:announce_screens
        services.publishing.overrides:OverrideService.create services.publishing.overrides:OverrideService.withdraw
        services.publishing.overrides:OverrideService.prune
        services.publishing.overrides:OverrideService.list services.publishing.overrides:OverrideService.get
        services.publishing.overrides:OverrideService.add
        services.publishing.overrides:OverrideService.faults
        services.publishing.overrides:OverrideService._view services.publishing.overrides:_frozen
        services.publishing.planned_changes:PlannedChangeService.prune
        services.pos.connections:PosService.create services.pos.connections:PosService.change
        services.pos.connections:PosService.request_sync services.pos.connections:PosService.claim_due
        services.pos.connections:PosService.finish services.pos.connections:_next_due
        services.pos.pictures:Pictures._take services.pos.runner:PosRunner._start_some
        services.shared.attempt_limits:check_attempts services.shared.idempotency:StoredResponses.find
        services.shared.idempotency:StoredResponses.store services.shared.idempotency:StoredResponses.sweep
        services.alerts.mail_sender:MailSender._round services.alerts.mails:MailQueue.sent
        services.alerts.mails:queue services.alerts.watch:_take
        services.webhooks.deliveries:DeliveryQueue.release services.webhooks.deliveries:DeliveryQueue.prune
        services.webhooks.deliveries:DeliveryQueue._record services.webhooks.deliveries:_claim
        services.webhooks.outbox:add_delivery services.webhooks.sender:DeliverySender._run
        services.webhooks.webhooks:WebhookService.create services.webhooks.webhooks:WebhookService.rotate""",
    # Contacts of screens: after a step those that were online get the time to call again.
    "presence": """
        api.devices.player:_device api.devices.player:post_heartbeat
        services.devices.presence:Presence.sweep services.devices.presence:Presence._drop_old
        services.devices.presence:Presence._notice_step services.devices.presence:Presence._write
        services.devices.screens:ScreenService.change services.devices.screens:ScreenService.change_many""",
    # How long ago a board contradicted the database, where an instant of a clock that was ahead does not count; and how
    # long ago it was restored, of which people are told the longer for it.
    "contradicted": """
        services.publishing.epochs:Epochs.contradicted services.publishing.epochs:Epochs.contradicted_at
        services.publishing.epochs:Epochs.restored services.publishing.epochs:Epochs._begin_restored
        services.operations.backup:_note_restored""",
    # Held in memory for seconds: a key is read again after a step.
    "cached": """
        services.access.access:KeyAuthenticator.cached services.access.access:KeyAuthenticator.authenticate
        services.access.identity:IdentityService._claims services.access.identity:IdentityService._look_up""",
    # Signed with the time: whoever has another time refuses it beyond 300 s, as the specification says.
    "signed": """
        services.access.subscription:SubscriptionService.check_notice
        services.webhooks.sender:DeliverySender._deliver""",
    # The step of a code by time; one that was used by a clock that was ahead does not count.
    "codes": """
        services.access.second_factors:SecondFactorService.accepts
        services.access.second_factors:SecondFactorService.confirm""",
    # The age of a file of the till's: one that seems to be of the future counts as whole.
    "files": "services.pos.connector:FeedConnector._read_file",
    # The difference from monotonic time, which tells a step.
    "steps": "core.clock:ClockSteps._reading",
}

COLUMNS = {
    "recorded": """
        alerts.changed_at alerts.created_at alerts.mailed_at troubles.told_at
        approvals.created_at approvals.decided_at assets.created_at commands.finished_at commands.sent_at
        delivery_attempts.made_at deliveries.created_at enrolment_tokens.created_at invites.created_at
        items.created_at keys.created_at location_groups.created_at
        locations.created_at members.created_at people.created_at second_factors.confirmed_at
        planned_changes.created_at
        playlists.created_at
        pos_connections.changed_at pos_connections.created_at receipts.begins_at receipts.ends_at
        rollouts.created_at
        scenes.changed_at scenes.created_at schedules.created_at screen_uploads.received_at screens.changed_at
        screens.created_at subscriptions.changed_at webhooks.changed_at webhooks.created_at
        workspaces.created_at""",
    "chosen": """
        items.eighty_sixed_until items.offer_starts_at items.offer_ends_at items.variants_change_at
        local_items.eighty_sixed_until
        planned_changes.passed_at""",
    "stored": " ".join(f"{column.class_.__tablename__}.{column.key}" for column in LONGEST_AHEAD)
    + " pos_connections.due_at",
}


WALL_TIME = {"now", "_now", "utcnow", "today", "time", "time_ns", "fromtimestamp"}


def listed(table: dict[str, str]) -> list[str]:
    return sorted(name for names in table.values() for name in names.split())


def uses_in(module: str, node: ast.AST, within: tuple[str, ...] = ()) -> Iterator[str]:
    """The functions that read the wall clock: `now()` of a clock or `datetime`, a unit's `now`, `time.time()`."""
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Load) and child.attr in WALL_TIME:
            if child.attr == "time" and not (isinstance(child.value, ast.Name) and child.value.id == "time"):
                continue  # that of an event loop is monotonic
            yield f"{module}:{'.'.join(within)}"
        yield from uses_in(module, child, (*within, child.name) if named else within)  # type: ignore[attr-defined]


@pytest.mark.proves("service-clock-set")
def test_every_use_of_wall_time_is_listed() -> None:
    root = Path(service_package.__file__).parent
    found = {
        use
        for path in root.rglob("*.py")
        if "migrations" not in path.parts
        for use in uses_in(".".join(path.relative_to(root).with_suffix("").parts), ast.parse(path.read_text()))
    }
    assert sorted(found) == listed(USES), "say here what becomes of it when the clock is set, and test that"


def test_every_stored_instant_is_listed() -> None:
    found = {
        f"{table.name}.{column.key}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, InstantColumn)
    }
    assert sorted(found) == listed(COLUMNS), "say here what becomes of it when the clock is set, and test that"


@pytest.fixture
def reaches_loopback() -> bool:
    return True


@pytest.fixture(
    params=[pytest.param(by, id=name, marks=[pytest.mark.long] if by != -HOUR else []) for name, by in STEPS.items()]
)
def step(request: pytest.FixtureRequest) -> Any:
    return request.param


async def given(owner: Caller, device: Device) -> Any:
    return (await owner.post(f"/v1/screens/{device.screen}/commands", {"type": "restart"})).json()


async def told(device: Device) -> list[Any]:
    answer: list[Any] = (await device.heartbeat()).json()["commands"]
    return answer


async def status_of(owner: Caller, device: Device) -> Any:
    return (await owner.get(f"/v1/screens/{device.screen}")).json()["status"]


@pytest.mark.proves("service-clock-set")
async def test_no_stored_instant_stays_further_ahead_than_it_was_meant(
    service: Service, owner: Caller, cafe: Cafe, hook: Receiver, step: timedelta
) -> None:
    device = await pair(service, owner, cafe)
    await device.heartbeat()
    await given(owner, device)
    await service.device("f" * 32).ask_codes()
    hook.status = 503
    webhook = await owner.make(WEBHOOKS, {"url": hook.url, "events": ["content.published"]})
    await owner.post(f"{WEBHOOKS}/{webhook['id']}/rotate-secret")
    await publish(owner, cafe.playlist)
    await settled(owner, webhook["id"], 1)
    await owner.make("/v1/team/invites", {"email": "kim@example.com", "role": "Editor"})
    await owner.make(
        "/v1/enrolment-tokens", {"playlist": cafe.playlist, "location": cafe.location, "name": "Bar", "days": 365}
    )
    async with person(service, Role.VIEWER):
        link_for(service, Role.VIEWER)
    await owner.make("/v1/pos/connections", {"name": "Till", "feed": "none.csv", "format": "csv", "everyMinutes": 60})
    await owner.send("POST", ITEMS, {"name": "A", "category": "B", "price": 1}, **{"Idempotency-Key": "a"})
    await owner.post(f"{ITEMS}/import", {"text": "Tea 3"})
    alert = await owner.make("/v1/alerts", {"email": "kim@example.com", "kinds": ["approval_requested"]})
    await owner.post(f"/v1/alerts/{alert['id']}/test")
    await service.caller(Role.EDITOR).post(f"/v1/playlists/{cafe.playlist}/publish")
    service.services.alert_watch.look(service.clock.now())
    await owner.make("/v1/overrides", override_of(cafe.scene, {"everything": True}))
    await service.pass_seconds(10)

    service.clock.step(step)
    await service.pass_seconds(2)

    with service.services.database.read() as session:
        seen = 0
        for column, ahead in LONGEST_AHEAD.items():
            latest = session.scalar(select(func.max(column)))
            seen += latest is not None
            assert latest is None or latest <= service.clock.now() + ahead, column
    assert seen >= len(LONGEST_AHEAD) - 14, (
        "of wrong codes, tokens, sign-ins, pending ones, revoked tokens, questions, uploads, removed assets, plans, "
        "words, local values and 86s with a rule there are none"
    )
    [connection] = (await owner.get("/v1/pos/connections")).json()["data"]
    assert datetime.fromisoformat(connection["nextSyncAt"]) <= service.clock.now() + HOUR


async def test_a_key_goes_on(tmp_path: Path, clock: VirtualClock, step: timedelta) -> None:
    async with running(tmp_path / "data", clock=clock, rate_limits={"reads": 3, "writes": 3}) as limited:
        owner = limited.caller(Role.OWNER)
        item = await owner.make(ITEMS, {"name": "Soup", "category": "Food", "price": 5})
        assert (await owner.get(ITEMS)).status_code == 200
        clock.step(step)
        answers = [await owner.patch(f"{ITEMS}/{item['id']}", {"eightySixed": True}), await owner.get(ITEMS)]
        assert [answer.status_code for answer in answers] == [200, 200]
        await limited.pass_seconds(60)
        assert [(await owner.get(ITEMS)).status_code for _ in range(2)] == [200] * 2
        [key] = (await owner.get("/v1/keys")).json()["data"]
        assert key["lastUsedAt"] == instant_text(clock.now())


async def test_no_screen_goes_offline_by_a_step_and_a_silent_one_does_in_time(
    service: Service, owner: Caller, device: Device, cafe: Cafe, hook: Receiver, step: timedelta
) -> None:
    silent = await pair(service, owner, cafe, device_id="f" * 32)
    await owner.make(WEBHOOKS, {"url": hook.url, "events": ["screen.offline"]})
    await service.pass_seconds(OFFLINE_SECONDS)
    for one in (device, silent):
        await one.heartbeat()
    await service.pass_seconds(20)

    service.clock.step(step)
    assert [await status_of(owner, one) for one in (device, silent)] == ["online", "online"]
    for _ in range(5):
        await service.pass_seconds(OFFLINE_SECONDS // 4)
        await device.heartbeat()

    assert await status_of(owner, silent) == "offline"
    assert await status_of(owner, device) == "online"
    await until(lambda: bool(hook.got))
    assert [one.event["data"]["screen"] for one in hook.got] == [silent.screen]


async def test_wrong_codes_lock_nobody_out_longer_than_they_would(
    service: Service, owner: Caller, cafe: Cafe, step: timedelta
) -> None:
    (tries, window), _ = WRONG_CODE_LIMITS
    place = {"playlist": cafe.playlist, "location": cafe.location}
    for _ in range(tries):
        assert (await owner.post("/v1/screens/pair", {"code": "BBBBBB", **place})).status_code == 404

    service.clock.step(step)
    await service.pass_seconds(2)
    service.clock.set(service.clock.now() + window)
    codes = await service.device("f" * 32).ask_codes()
    assert (await owner.post("/v1/screens/pair", {"code": codes.user_code, **place})).status_code == 201


async def test_a_code_on_the_glass_is_good_for_its_minutes(
    service: Service, owner: Caller, cafe: Cafe, step: timedelta
) -> None:
    place = {"playlist": cafe.playlist, "location": cafe.location}
    devices = [service.device(digit * 32) for digit in "ef"]
    codes = [await device.ask_codes() for device in devices]
    service.clock.step(step)
    await service.pass_seconds(2)
    claimed = await owner.post("/v1/screens/pair", {"code": codes[0].user_code, **place})
    assert claimed.status_code == (201 if step < timedelta() else 404), "ahead the player asks for another code"
    service.clock.set(service.clock.now() + CODE_LIFETIME)
    late = await owner.post("/v1/screens/pair", {"code": codes[1].user_code, **place})
    assert late.status_code == 404
    assert (await devices[1].ask_token(codes[1])).json()["error"] in ("expired_token", "invalid_grant")


async def test_a_command_comes_soon_or_never(service: Service, owner: Caller, device: Device, step: timedelta) -> None:
    command = await given(owner, device)
    service.clock.step(step)
    await service.pass_seconds(2)
    assert [one["id"] for one in await told(device)] == ([command["id"]] if step < timedelta() else [])
    await given(owner, device)
    service.clock.step(step)
    await service.pass_seconds(2)
    service.clock.set(service.clock.now() + LIFETIME)
    assert await told(device) == []


async def test_webhooks_go_on(service: Service, owner: Caller, cafe: Cafe, hook: Receiver, step: timedelta) -> None:
    webhook = (await owner.make(WEBHOOKS, {"url": hook.url, "events": ["content.published"]}))["id"]
    hook.status = 503
    await publish(owner, cafe.playlist)
    await settled(owner, webhook, 1)
    hook.status = 200
    service.clock.step(step)
    await service.pass_seconds(2)
    await publish(owner, cafe.playlist)
    service.clock.set(service.clock.now() + CLAIM)
    await service.pass_seconds(2)
    await until(lambda: len(hook.got) >= 2)
    service.clock.set(service.clock.now() + LONGEST_RETRY)
    await service.pass_seconds(2)
    await until(lambda: len(hook.got) >= 3)


async def synced(service: Service, times: int) -> None:
    def count() -> int:
        with service.services.database.read() as session:
            events = select(func.count()).where(EventRow.type == EventType.POS_SYNC_FAILED)
            return session.scalar(events) or 0

    await until(lambda: count() >= times)


async def test_a_point_of_sale_is_read_by_its_schedule(service: Service, owner: Caller, step: timedelta) -> None:
    await owner.make("/v1/pos/connections", {"name": "Till", "feed": "none.csv", "format": "csv", "everyMinutes": 5})
    await service.pass_seconds(5)
    await synced(service, 1)
    service.clock.step(step)
    await service.pass_seconds(2)
    service.clock.set(service.clock.now() + timedelta(minutes=5))
    await service.pass_seconds(5)
    await synced(service, 2)


async def test_a_retry_finds_its_answer_for_a_day(service: Service, owner: Caller, step: timedelta) -> None:
    async def add() -> httpx.Response:
        body = {"name": "Soup", "category": "Food", "price": 5}
        return await owner.send("POST", ITEMS, body, **{"Idempotency-Key": "a"})

    first = await add()
    service.clock.step(step)
    await service.pass_seconds(2)
    assert (await add()).json() == first.json()
    service.clock.set(service.clock.now() + RETENTION)
    service.services.stored_responses.sweep()
    with service.services.database.read() as session:
        assert session.scalar(select(func.count()).select_from(StoredResponseRow)) == 0


async def test_an_invitation_ends_after_its_days(service: Service, owner: Caller, step: timedelta) -> None:
    invite = await owner.make("/v1/team/invites", {"email": "kim@example.com", "role": "Editor"})
    service.clock.step(step)
    await service.pass_seconds(2)
    preview = {"token": invite["token"]}
    assert (await service.client.post("/v1/team/invites/preview", json=preview)).status_code == 200
    service.clock.set(service.clock.now() + INVITE_LIFETIME)
    ended = await service.client.post("/v1/team/invites/preview", json=preview)
    assert (ended.status_code, ended.json()["code"]) == (410, "invite_expired")


async def test_what_is_sold_out_until_an_instant_follows_the_clock(
    service: Service, owner: Caller, cafe: Cafe, device: Device, step: timedelta
) -> None:
    until_ = service.clock.now() + HOUR / 2
    await owner.patch(
        f"{ITEMS}/{cafe.cake}", {"eightySixed": True, "eightySixedUntil": until_.isoformat().replace("+00:00", "Z")}
    )
    service.clock.step(step)
    await service.pass_seconds(2)
    [cake] = [item for item in (await device.manifest()).json()["items"] if item["id"] == cafe.cake]
    assert cake["eightySixed"] == (step < timedelta())
    service.clock.set(until_)
    await service.pass_seconds(2)
    [cake] = [item for item in (await device.manifest()).json()["items"] if item["id"] == cafe.cake]
    assert not cake["eightySixed"]


async def test_a_service_that_starts_after_the_clock_was_put_back_is_as_one_that_ran(
    tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    (tries, window), _ = WRONG_CODE_LIMITS
    async with running(tmp_path / "data", clock=clock, database=database_url) as first:
        owner = first.caller(Role.OWNER)
        cafe = await open_cafe(owner)
        place = {"playlist": cafe.playlist, "location": cafe.location}
        for _ in range(tries):
            await owner.post("/v1/screens/pair", {"code": "BBBBBB", **place})
    clock.step(-HOUR)
    async with running(tmp_path / "data", clock=clock, database=database_url) as again:
        await again.pass_seconds(2)
        clock.set(clock.now() + window)
        await pair(again, again.caller(Role.OWNER), cafe)


YEARS = timedelta(days=3 * 365)


async def of_item(owner: Caller, cafe: Cafe, now: datetime) -> None:
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"price": 9})


async def of_local_values(owner: Caller, cafe: Cafe, now: datetime) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}/items/{cafe.coffee}", {"price": 9})


async def of_location(owner: Caller, cafe: Cafe, now: datetime) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}", {"name": "Harbour"})


async def of_words(owner: Caller, cafe: Cafe, now: datetime) -> None:
    await owner.patch("/v1/content/categories", {"categories": {"Coffee": {"note": "from Trieste"}}})


async def of_version(owner: Caller, cafe: Cafe, now: datetime) -> None:
    await publish(owner, cafe.playlist)


async def of_item_that_left(owner: Caller, cafe: Cafe, now: datetime) -> None:
    await owner.delete(f"{ITEMS}/{cafe.cake}")


async def of_override(owner: Caller, cafe: Cafe, now: datetime) -> None:
    body = override_of(cafe.scene, {"everything": True}) | {"until": instant_text(now + timedelta(days=1))}
    await owner.make("/v1/overrides", body)


async def of_86_until_tomorrow(owner: Caller, cafe: Cafe, now: datetime) -> None:
    body = {"eightySixed": True, "eightySixedUntil": "openingTomorrow"}
    assert (await owner.patch(f"{ITEMS}/{cafe.coffee}", body)).status_code == 200


async def of_planned_change(owner: Caller, cafe: Cafe, now: datetime) -> None:
    at = f"{now + timedelta(days=2):%Y-%m-%dT%H:%M}"
    await owner.make("/v1/planned-changes", {"name": "New", "at": at, "changes": [{"item": cafe.coffee, "price": 9}]})


CHANGES = (
    of_item,
    of_local_values,
    of_location,
    of_words,
    of_version,
    of_item_that_left,
    of_override,
    of_86_until_tomorrow,
    of_planned_change,
)


def instants_in(document: Any, name: str = "") -> Iterator[tuple[str, datetime]]:
    """Every instant of a manifest, with its field."""
    match document:
        case dict():
            for key, value in document.items():
                yield from instants_in(value, key)
        case list():
            for value in document:
                yield from instants_in(value, name)
        case str() if name in ("publishedAt", "revisionAt") or name.endswith(("Until", "until", "startsAt")):
            yield name, datetime.fromisoformat(document)


@pytest.mark.proves("service-clock-set")
@pytest.mark.parametrize("ahead", [YEARS, -YEARS], ids=["ahead", "back"])
@pytest.mark.parametrize("change", CHANGES)
async def test_boards_take_no_instant_of_a_wrong_clock_for_one_that_has_been(
    service: Service, owner: Caller, cafe: Cafe, device: Device, change: Any, ahead: timedelta
) -> None:
    before = (await device.manifest()).json()
    service.clock.step(ahead)
    await service.pass_seconds(1)
    await change(owner, cafe, service.clock.now())
    wrong = (await device.manifest()).json()
    service.clock.step(-ahead)
    await service.pass_seconds(2)
    # At once, and after later changes.
    for _ in range(2):
        manifest = (await device.manifest()).json()
        now = service.clock.now()
        told = list(instants_in(manifest))
        assert {"revisionAt", "publishedAt"} <= {name for name, _ in told}
        for name, instant in told:
            meant = timedelta(days=2) if name.lower().endswith("until") else timedelta()
            assert instant <= now + meant, name
        assert manifest["revision"] >= max(before["revision"], wrong["revision"])
        await owner.patch(f"{ITEMS}/{cafe.cake}", {"price": 7})
        await publish(owner, cafe.playlist)
