"""Builds the routers of the settings."""

from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.desk.choices import Choices
from service.desk.settings.alerts import alert_routes
from service.desk.settings.audit import audit_routes
from service.desk.settings.groups import group_routes
from service.desk.settings.keys import key_routes
from service.desk.settings.locations import location_routes
from service.desk.settings.pages import SETTINGS, sub_pages_for
from service.desk.settings.points_of_sale import pos_routes
from service.desk.settings.subscription import subscription_routes
from service.desk.settings.team import team_routes
from service.desk.settings.webhooks import webhook_routes
from service.desk.visits import MayRead
from service.services.registry import Services


def settings_routers(services: Services, choices: Choices, route: type[APIRoute]) -> Iterator[APIRouter]:
    """The routers of the settings."""
    yield _first(route)
    yield location_routes(locations=services.locations, choices=choices, route=route)
    yield team_routes(
        team=services.team,
        invitations=services.invitations,
        sessions=services.sessions,
        factors=services.factors,
        epochs=services.epochs,
        route=route,
    )
    yield key_routes(
        keys=services.key_manager, sessions=services.sessions, epochs=services.epochs, choices=choices, route=route
    )
    yield webhook_routes(webhooks=services.webhooks, sessions=services.sessions, route=route)
    yield alert_routes(alerts=services.alerts, sessions=services.sessions, choices=choices, route=route)
    yield pos_routes(
        pos=services.pos,
        namesakes=services.namesakes,
        previews=services.sync_previews,
        sessions=services.sessions,
        choices=choices,
        route=route,
    )
    yield subscription_routes(subscriptions=services.subscriptions, route=route)
    yield audit_routes(audit=services.audit, route=route)
    yield group_routes(groups=services.groups, choices=choices, route=route)


def _first(route: type[APIRoute]) -> APIRouter:
    router = APIRouter(include_in_schema=False, route_class=route)

    @router.get(SETTINGS)
    async def first(visit: MayRead) -> Response:
        """The first page that the person sees."""
        return visit.go(sub_pages_for(visit.access)[0].path)

    return router
