"""Lists the calls of the API and its pages, and makes their routers."""

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import APIRouter

from service.api.content import asset_uploads, assets, categories, imports, items, pos, scenes, words
from service.api.devices import commands, enrolments, moments, pairing, player, receipts, rollouts, screens
from service.api.http.routing import keyed_route
from service.api.places import groups, locations, places
from service.api.publishing import approvals, overrides, planned_changes, playlists, versions
from service.api.reference.legacy import legacy_routes
from service.api.reference.pages import page_routes
from service.api.workspace import alerts, audit, billing, keys, team, webhooks
from service.desk.live import LiveStreams
from service.desk.routers import desk_routers
from service.services.registry import Services

# The framework tries them in this order: first what is read most.
_ROUTES = (
    items.routes,
    screens.routes,
    receipts.routes,
    moments.routes,
    moments.of_playlist,
    enrolments.routes,
    rollouts.routes,
    rollouts.of_screen,
    commands.routes,
    imports.routes,
    words.routes,
    categories.routes,
    playlists.routes,
    versions.routes,
    approvals.routes,
    overrides.routes,
    planned_changes.routes,
    scenes.routes,
    keys.routes,
    assets.routes,
    asset_uploads.routes,
    locations.routes,
    groups.routes,
    places.of_location,
    places.of_group,
    pos.routes,
    team.routes,
    audit.routes,
    team.acceptance,
    billing.routes,
    billing.billing,
    alerts.routes,
    webhooks.routes,
    pairing.routes,
    player.routes,
)


def api_routers(services: Services, live: LiveStreams, *, openapi: Callable[[], dict[str, Any]]) -> Iterator[APIRouter]:
    """The routers of an application: of the API, its pages and the desk."""
    keyed = keyed_route(services)
    for routes in _ROUTES:
        yield routes.router(services, keyed)
    yield legacy_routes()
    yield page_routes(openapi=openapi)
    yield from desk_routers(services, live)
