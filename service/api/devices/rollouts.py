"""`/v1/rollouts`, and `/v1/screens/{screen}/rollout`."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayManageScreens, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.devices.rollout import (
    PlayerVersionResponse,
    RolloutCreate,
    RolloutPatch,
    RolloutResponse,
    RolloutScreen,
    RolloutState,
)
from service.schema.lists import Listing
from service.services.devices.rollout_screens import RolloutScreenService
from service.services.devices.rollouts import RolloutService


def rollout_routes(
    *,
    rollouts: RolloutService,
    screens: RolloutScreenService,
    now: Callable[[], datetime],
    route: type[APIRoute],
) -> APIRouter:
    """Which version the players of some screens should run."""
    router = public_router("/v1/rollouts", tag="Rollouts", route=route)

    @router.get("", response_model=Listing[RolloutResponse])
    def list_rollouts(access: MayRead, page: Paged) -> Response:
        """List rollouts, oldest first."""
        return JsonReply(rollouts.list(access, page))

    @router.get("/versions", response_model=Listing[PlayerVersionResponse])
    def list_player_versions(access: MayRead) -> Response:
        """List the versions that screens run, the most used first, 50 at most."""
        return JsonReply(screens.versions(access))

    @router.post("", status_code=201, response_model=RolloutResponse)
    def create_rollout(body: RolloutCreate, access: MayManageScreens) -> Response:
        """Have a percentage of the screens with one of the tags run a version: in their next window, and never an older
        one than they run. It stops by itself when too many of them take it back."""
        document = rollouts.create(access, body)
        return created(document, at=f"/v1/rollouts/{document.id}")

    @router.get("/{rollout}", response_model=RolloutResponse)
    def get_rollout(rollout: str, access: MayRead) -> Response:
        """Get one rollout, and how far it is."""
        return resource(rollouts.get(access, rollout))

    @router.get("/{rollout}/screens", response_model=Listing[RolloutScreen])
    def list_rollout_screens(
        rollout: str,
        access: MayRead,
        page: Paged,
        state: Annotated[RolloutState | None, Query(description="Only screens where this has become of it.")] = None,
    ) -> Response:
        """List the screens for which a rollout is, oldest first, and what has become of the version there."""
        return JsonReply(screens.list(access, rollout, page, state=state, now=now()))

    @router.patch("/{rollout}", response_model=RolloutResponse)
    def change_rollout(rollout: str, body: RolloutPatch, access: MayManageScreens, expected: Expected) -> Response:
        """Change the percentage, stop it, or let it go on."""
        return resource(rollouts.change(access, rollout, body, expected))

    @router.delete("/{rollout}", status_code=204, response_model=None)
    def delete_rollout(rollout: str, access: MayManageScreens, expected: Expected) -> Response:
        """Delete a rollout; screens keep the version that they run."""
        rollouts.remove(access, rollout, expected)
        return no_content()

    return router


def screen_rollout_routes(
    *, screens: RolloutScreenService, now: Callable[[], datetime], route: type[APIRoute]
) -> APIRouter:
    """The rollout of a screen."""
    router = public_router("/v1/screens/{screen}/rollout", tag="Rollouts", route=route)

    @router.get("", response_model=RolloutScreen)
    def get_rollout_of_screen(screen: str, access: MayRead) -> Response:
        """Get the rollout that counts for a screen (404 without one), and what has become of its version there."""
        return resource(screens.of_screen(access, screen, now=now()))

    return router
