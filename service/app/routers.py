"""Builds the routers of the API from the services."""

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import APIRouter

from service.api.content.asset_uploads import asset_upload_routes
from service.api.content.assets import asset_routes
from service.api.content.categories import category_routes
from service.api.content.imports import import_routes
from service.api.content.items import item_routes
from service.api.content.pos import pos_routes
from service.api.content.scenes import scene_routes
from service.api.content.words import word_routes
from service.api.devices.commands import command_routes
from service.api.devices.enrolments import enrolment_routes
from service.api.devices.moments import moment_routes, playlist_timetable_routes
from service.api.devices.pairing import pairing_routes
from service.api.devices.player import DeviceAuthenticator, player_routes
from service.api.devices.receipts import receipt_routes
from service.api.devices.rollouts import rollout_routes, screen_rollout_routes
from service.api.devices.screens import screen_routes
from service.api.http.authentication import RequestAuthenticator
from service.api.http.idempotency import Idempotency
from service.api.http.rate_limits import RateLimiter
from service.api.http.routing import keyed_route
from service.api.places.groups import group_routes
from service.api.places.locations import location_routes
from service.api.places.places import group_item_routes, location_item_routes
from service.api.publishing.approvals import approval_routes
from service.api.publishing.overrides import override_routes
from service.api.publishing.planned_changes import planned_change_routes
from service.api.publishing.playlists import playlist_routes
from service.api.publishing.versions import version_routes
from service.api.reference.legacy import legacy_routes
from service.api.reference.pages import page_routes
from service.api.workspace.alerts import alert_routes
from service.api.workspace.audit import audit_routes
from service.api.workspace.billing import billing_routes, subscription_routes
from service.api.workspace.keys import key_routes
from service.api.workspace.team import acceptance_routes, team_routes
from service.api.workspace.webhooks import webhook_routes
from service.desk.desk import desk_routers
from service.desk.live import LiveStreams
from service.services.registry import Services


# Over sixty lines: one list of routers.
def api_routers(services: Services, live: LiveStreams, *, openapi: Callable[[], dict[str, Any]]) -> Iterator[APIRouter]:
    """The routers of the API and its pages."""
    now = services.clock.now
    store_calls, reads, exports = services.store_calls, services.reads, services.exports
    sync_previews, held_polls, held_codes = services.sync_previews, services.held_polls, services.held_codes
    idempotency = Idempotency(responses=services.stored_responses, database=services.database)
    limiter = RateLimiter(rates=services.rates, monotonic=services.clock.monotonic)
    keyed = keyed_route(RequestAuthenticator(keys=services.keys).authenticate, limiter=limiter, idempotency=idempotency)
    authenticator = DeviceAuthenticator(
        devices=services.devices,
        revoked_tokens=services.revoked_tokens,
        presence=services.presence,
        pairing=services.pairing,
        clock=services.clock,
    )
    # The framework tries them in this order: first what is read most.
    yield item_routes(
        items=services.items,
        order=services.item_order,
        boards=services.boards,
        reach=services.reach,
        sheets=services.sheets,
        reads=reads,
        exports=exports,
        now=now,
        route=keyed,
    )
    yield screen_routes(
        screens=services.screens,
        pairing=services.pairing,
        uploads=services.uploads,
        reads=reads,
        now=now,
        route=keyed,
    )
    yield receipt_routes(
        receipts=services.receipts,
        moments=services.moments,
        previews=services.previews,
        exports=exports,
        route=keyed,
    )
    yield moment_routes(moments=services.moments, route=keyed)
    yield playlist_timetable_routes(moments=services.moments, route=keyed)
    yield enrolment_routes(tokens=services.enrolment_tokens, route=keyed)
    yield rollout_routes(rollouts=services.rollouts, screens=services.rollout_screens, now=now, route=keyed)
    yield screen_rollout_routes(screens=services.rollout_screens, now=now, route=keyed)
    yield command_routes(commands=services.commands, route=keyed)
    yield import_routes(imports=services.imports, route=keyed)
    yield word_routes(words=services.words, route=keyed)
    yield category_routes(categories=services.categories, route=keyed)
    yield playlist_routes(playlists=services.playlists, approvals=services.approvals, route=keyed)
    yield version_routes(
        history=services.history, approvals=services.approvals, previews=services.previews, route=keyed
    )
    yield approval_routes(approvals=services.approvals, previews=services.previews, route=keyed)
    yield override_routes(overrides=services.overrides, route=keyed)
    yield planned_change_routes(planned_changes=services.planned_changes, route=keyed)
    yield scene_routes(scenes=services.scenes, templates=services.templates, previews=services.previews, route=keyed)
    yield key_routes(key_manager=services.key_manager, route=keyed)
    yield asset_routes(
        assets=services.assets,
        thumbnails=services.thumbnails,
        calls=store_calls,
        idempotency=idempotency,
        route=keyed,
    )
    yield asset_upload_routes(uploads=services.asset_uploads, calls=store_calls, route=keyed)
    yield location_routes(locations=services.locations, route=keyed)
    yield group_routes(groups=services.groups, route=keyed)
    for item_routes_at in (location_item_routes, group_item_routes):
        yield item_routes_at(places=services.places, boards=services.boards, now=now, route=keyed)
    yield pos_routes(pos=services.pos, previews=sync_previews, route=keyed)
    yield team_routes(team=services.team, factors=services.factors, route=keyed)
    yield audit_routes(audit=services.audit, exports=exports, route=keyed)
    yield acceptance_routes(team=services.team, idempotency=idempotency)
    yield subscription_routes(subscriptions=services.subscriptions, route=keyed)
    yield billing_routes(subscriptions=services.subscriptions)
    yield alert_routes(alerts=services.alerts, route=keyed)
    yield webhook_routes(webhooks=services.webhooks, route=keyed)
    yield pairing_routes(pairing=services.pairing, held_codes=held_codes, public_url=services.public_url)
    yield player_routes(
        authenticator=authenticator,
        held_polls=held_polls,
        epochs=services.epochs,
        presence=services.presence,
        commands=services.commands,
        assets=services.assets,
        calls=store_calls,
        uploads=services.uploads,
        receipts=services.receipts,
        rollouts=services.rollouts,
        clock=services.clock,
    )
    yield legacy_routes()
    yield page_routes(openapi=openapi)
    yield from desk_routers(services, live)
