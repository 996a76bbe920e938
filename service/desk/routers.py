"""Lists the pages and acts of the desk, and makes their routers."""

from collections.abc import Iterator

from fastapi import APIRouter

from service.desk import start
from service.desk.boards import board, boards, hours, library
from service.desk.live import LiveStreams, live_routes
from service.desk.menu import item, item_places, menu, menu_import, menu_many, menu_order, planned
from service.desk.people import join, mailed_links, profile, provider, second_factor, sign_in
from service.desk.playlists import overrides, play, playlist, playlists, versions
from service.desk.routing import desk_route
from service.desk.screens import moment, rollouts, screen, screens, week
from service.desk.settings import (
    alerts,
    audit,
    groups,
    keys,
    locations,
    pages,
    points_of_sale,
    subscription,
    team,
    webhooks,
)
from service.desk.static_files import static_routes
from service.desk.visits import Cookies
from service.services.registry import Services

_SIGNED_IN = (
    screens.routes,
    rollouts.routes,
    screen.routes,
    menu.routes,
    pages.routes,
    locations.routes,
    team.routes,
    keys.routes,
    webhooks.routes,
    alerts.routes,
    points_of_sale.routes,
    subscription.routes,
    audit.routes,
    groups.routes,
    boards.routes,
    board.routes,
    hours.routes,
    library.routes,
    playlists.routes,
    playlist.routes,
    versions.routes,
    versions.approvals,
    play.routes,
    moment.routes,
    week.routes,
    planned.routes,
    overrides.routes,
    start.routes,
    menu_many.routes,
    menu_order.routes,
    menu_import.routes,
    item_places.routes,
    # Later than other pages of the menu: an item has any other name.
    item.routes,
    profile.routes,
    second_factor.routes,
)
_NOT_SIGNED_IN = (
    join.routes,
    second_factor.second_step,
    provider.routes,
    mailed_links.routes,
    # Last: it answers for every path of the desk that is none.
    sign_in.routes,
)


def desk_routers(services: Services, live: LiveStreams) -> Iterator[APIRouter]:
    """The routers of an application."""
    cookies = Cookies(secure=services.public_url.startswith("https:"))
    signed_in = desk_route(services.sessions, cookies, mark=lambda: live.mark)
    yield static_routes()
    yield live_routes(live=live, route=signed_in)
    for routes in _SIGNED_IN:
        yield routes.router(services, signed_in)
    not_signed_in = desk_route(services.sessions, cookies, signed_in=False)
    for others in _NOT_SIGNED_IN:
        yield others.router(services, not_signed_in)
