"""Builds the routers of the desk from the services."""

from collections.abc import Iterator

from fastapi import APIRouter

from service.desk.boards.board import board_routes
from service.desk.boards.boards import Boards, board_list_routes
from service.desk.boards.hours import board_hours_routes
from service.desk.boards.library import Library, library_routes
from service.desk.choices import Choices
from service.desk.live import LiveStreams, live_routes
from service.desk.menu.item import item_routes
from service.desk.menu.item_places import item_place_routes
from service.desk.menu.menu import Menu, menu_routes
from service.desk.menu.menu_import import Imports, menu_import_routes
from service.desk.menu.menu_many import menu_many_routes
from service.desk.menu.menu_order import menu_order_routes
from service.desk.menu.planned import planned_routes
from service.desk.people.join import join_routes
from service.desk.people.mailed_links import mailed_link_routes
from service.desk.people.profile import profile_routes
from service.desk.people.provider import provider_routes
from service.desk.people.second_factor import second_factor_routes, second_step_routes
from service.desk.people.sign_in import sign_in_routes
from service.desk.playlists.overrides import override_routes
from service.desk.playlists.play import play_routes
from service.desk.playlists.playlist import playlist_routes
from service.desk.playlists.playlists import Publishing, playlist_list_routes
from service.desk.playlists.versions import approval_routes, version_routes
from service.desk.routing import desk_route
from service.desk.screens.moment import moment_routes
from service.desk.screens.rollouts import Rollouts, rollout_routes
from service.desk.screens.screen import screen_routes
from service.desk.screens.screens import Tiles, screen_list_routes
from service.desk.screens.week import week_routes
from service.desk.settings.routes import settings_routers
from service.desk.start import Start, start_routes
from service.desk.static_files import static_routes
from service.desk.visits import Cookies
from service.services.registry import STORE_CALLS, Services
from service.services.shared.threads import Threads


# Over sixty lines: one list of routers.
def desk_routers(services: Services, live: LiveStreams) -> Iterator[APIRouter]:
    """The routers of the desk."""
    now = services.clock.now
    cookies = Cookies(secure=services.public_url.startswith("https:"))
    route = desk_route(services.sessions, cookies, mark=lambda: live.mark)
    choices = Choices(services.locations, services.groups, services.playlists)
    tiles = Tiles(services.screens, services.uploads, choices, now)
    menu = Menu(services.items, services.places, services.categories, choices, now)
    yield static_routes()
    yield live_routes(live=live, route=route)
    yield screen_list_routes(tiles=tiles, pairing=services.pairing, route=route)
    rollouts = Rollouts(services.rollouts, services.rollout_screens, choices, now)
    yield rollout_routes(rollouts=rollouts, route=route)
    yield screen_routes(
        tiles=tiles,
        rollouts=rollouts,
        commands=services.commands,
        pairing=services.pairing,
        previews=services.previews,
        now=now,
        route=route,
    )
    yield menu_routes(menu=menu, reach=services.reach, route=route)
    yield from settings_routers(services, choices, route)
    boards = Boards(
        services.scenes,
        services.templates,
        services.categories,
        services.previews,
        services.items,
        services.assets,
    )
    yield board_list_routes(boards=boards, route=route)
    yield board_routes(boards=boards, choices=choices, actors=services.actors, now=now, route=route)
    yield board_hours_routes(scenes=services.scenes, route=route)
    library = Library(services.assets, services.asset_uploads, services.thumbnails, Threads(STORE_CALLS), now)
    yield library_routes(library=library, route=route)
    publishing = Publishing(
        services.playlists,
        services.scenes,
        services.history,
        services.approvals,
        services.screens,
        services.previews,
        services.actors,
        choices,
    )
    yield playlist_list_routes(publishing=publishing, route=route)
    yield playlist_routes(publishing=publishing, now=now, route=route)
    yield version_routes(publishing=publishing, now=now, route=route)
    yield approval_routes(publishing=publishing, now=now, route=route)
    yield play_routes(publishing=publishing, route=route)
    yield moment_routes(moments=services.moments, publishing=publishing, now=now, route=route)
    yield week_routes(
        moments=services.moments,
        publishing=publishing,
        planned_changes=services.planned_changes,
        now=now,
        route=route,
    )
    yield planned_routes(
        planned_changes=services.planned_changes,
        menu=menu,
        screens=services.screens,
        actors=services.actors,
        route=route,
    )
    yield override_routes(overrides=services.overrides, publishing=publishing, now=now, route=route)
    start = Start(
        menu=menu,
        tiles=tiles,
        templates=services.templates,
        playlists=services.playlists,
        previews=services.previews,
        sheets=services.sheets,
        pairing=services.pairing,
        now=now,
    )
    yield start_routes(start=start, route=route)
    yield menu_many_routes(menu=menu, route=route)
    yield menu_order_routes(order=services.item_order, categories=services.categories, route=route)
    imports = Imports(menu, services.sheets, services.imports, services.actors)
    yield menu_import_routes(imports=imports, route=route)
    yield item_place_routes(menu=menu, route=route)
    yield item_routes(menu=menu, route=route)
    yield profile_routes(people=services.people, sessions=services.sessions, factors=services.factors, route=route)
    yield second_factor_routes(factors=services.factors, route=route)
    not_signed_in = desk_route(services.sessions, cookies, signed_in=False)
    yield join_routes(people=services.people, team=services.team, route=not_signed_in)
    yield second_step_routes(entries=services.entries, factors=services.factors, route=not_signed_in)
    yield provider_routes(identity=services.identity, people=services.people, route=not_signed_in)
    yield mailed_link_routes(people=services.people, links=services.mailed_links, route=not_signed_in)
    # Last: it answers for every path of the desk that is none.
    yield sign_in_routes(
        people=services.people,
        sessions=services.sessions,
        can_mail=services.mailed_links.can_mail,
        provider=services.identity.name,
        route=not_signed_in,
    )
