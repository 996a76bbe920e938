"""`/v1/rollouts`, and `/v1/screens/{screen}/rollout`."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from service.api.http.authentication import MayManageScreens, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.devices.rollout import (
    PlayerVersionResponse,
    RolloutCreate,
    RolloutPatch,
    RolloutResponse,
    RolloutScreen,
    RolloutState,
)
from service.schema.lists import Listing
from service.services.registry import Services

routes = api_routes("/v1/rollouts", tag="Rollouts")
"""Which version the players of some screens should run."""


@routes.get(response_model=Listing[RolloutResponse])
def list_rollouts(services: Services, access: MayRead, page: Paged) -> Response:
    """List rollouts, oldest first."""
    return JsonReply(services.rollouts.list(access, page))


@routes.get("/versions", response_model=Listing[PlayerVersionResponse])
def list_player_versions(services: Services, access: MayRead) -> Response:
    """List the versions that screens run, the most used first, 50 at most."""
    return JsonReply(services.rollout_screens.versions(access))


@routes.post(status_code=201, response_model=RolloutResponse)
def create_rollout(services: Services, body: RolloutCreate, access: MayManageScreens) -> Response:
    """Have a percentage of the screens with one of the tags run a version: in their next window, and never an older
    one than they run. It stops by itself when too many of them take it back."""
    return created(services.rollouts.create(access, body), at="/v1/rollouts")


@routes.get("/{rollout}", response_model=RolloutResponse)
def get_rollout(services: Services, rollout: str, access: MayRead) -> Response:
    """Get one rollout, and how far it is."""
    return resource(services.rollouts.get(access, rollout))


@routes.get("/{rollout}/screens", response_model=Listing[RolloutScreen])
def list_rollout_screens(
    services: Services,
    rollout: str,
    access: MayRead,
    page: Paged,
    state: Annotated[RolloutState | None, Query(description="Only screens where this has become of it.")] = None,
) -> Response:
    """List the screens for which a rollout is, oldest first, and what has become of the version there."""
    return JsonReply(services.rollout_screens.list(access, rollout, page, state=state, now=services.clock.now()))


@routes.patch("/{rollout}", response_model=RolloutResponse)
def change_rollout(
    services: Services, rollout: str, body: RolloutPatch, access: MayManageScreens, expected: Expected
) -> Response:
    """Change the percentage, stop it, or let it go on."""
    return resource(services.rollouts.change(access, rollout, body, expected))


@routes.delete("/{rollout}")
def delete_rollout(services: Services, rollout: str, access: MayManageScreens, expected: Expected) -> None:
    """Delete a rollout; screens keep the version that they run."""
    services.rollouts.remove(access, rollout, expected)


of_screen = api_routes("/v1/screens/{screen}/rollout", tag="Rollouts")
"""The rollout of a screen."""


@of_screen.get(response_model=RolloutScreen)
def get_rollout_of_screen(services: Services, screen: str, access: MayRead) -> Response:
    """Get the rollout that counts for a screen (404 without one), and what has become of its version there."""
    return resource(services.rollout_screens.of_screen(access, screen, now=services.clock.now()))
