"""`/v1/screens/{screen}/commands`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.authentication import MayManageScreens
from service.api.replies import JsonReply
from service.api.routing import public_router
from service.schema.command import CommandCreate, CommandResponse
from service.services.devices.commands import CommandService


def command_routes(*, commands: CommandService, route: type[APIRoute]) -> APIRouter:
    """Commands to screens."""
    router = public_router("/v1/screens", tag="Screens", route=route)

    @router.post("/{screen}/commands", status_code=202, response_model=CommandResponse)
    def command_screen(screen: str, body: CommandCreate, access: MayManageScreens) -> Response:
        """Tell the screen to identify itself, to reload, or to restart. It gets it at once
        where its network allows held requests, else with its next heartbeat."""
        return JsonReply(commands.give(access, screen, body), status_code=202)

    return router
