"""Builds the routers of the settings."""

from collections.abc import Iterator
from typing import Protocol

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
from service.services.access.audit import AuditService
from service.services.access.keys import KeyManager
from service.services.access.second_factors import SecondFactorService
from service.services.access.sessions import SessionService
from service.services.access.subscription import SubscriptionService
from service.services.access.team import TeamService
from service.services.alerts.alerts import AlertService
from service.services.alerts.invitations import Invitations
from service.services.content.groups import GroupService
from service.services.places.locations import LocationService
from service.services.pos.connections import PosService
from service.services.pos.namesakes import NamesakeService
from service.services.pos.previews import SyncPreviews
from service.services.publishing.epochs import Epochs
from service.services.webhooks.webhooks import WebhookService


class SettingsServices(Protocol):
    """The services that the settings use."""

    @property
    def audit(self) -> AuditService: ...
    @property
    def factors(self) -> SecondFactorService: ...
    @property
    def groups(self) -> GroupService: ...
    @property
    def invitations(self) -> Invitations: ...
    @property
    def key_manager(self) -> KeyManager: ...
    @property
    def sessions(self) -> SessionService: ...
    @property
    def team(self) -> TeamService: ...
    @property
    def webhooks(self) -> WebhookService: ...
    @property
    def alerts(self) -> AlertService: ...
    @property
    def pos(self) -> PosService: ...
    @property
    def epochs(self) -> Epochs: ...
    @property
    def namesakes(self) -> NamesakeService: ...
    @property
    def subscriptions(self) -> SubscriptionService: ...
    @property
    def locations(self) -> LocationService: ...


def settings_routers(
    services: SettingsServices, choices: Choices, previews: SyncPreviews, route: type[APIRoute]
) -> Iterator[APIRouter]:
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
        previews=previews,
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
