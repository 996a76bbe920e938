"""`/v1/screens/{screen}/commands`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.guard import Installer
from service.api.replies import JsonReply
from service.api.routing import public_router
from service.schema.command import CommandCreate, CommandResponse
from service.services.devices.commands import CommandService


def command_routes(*, commands: CommandService, route: type[APIRoute]) -> APIRouter:
    """What screens are asked to do."""
    router = public_router("/v1/screens", tag="Screens", route=route)

    @router.post("/{screen}/commands", status_code=202, response_model=CommandResponse)
    def command_screen(screen: str, body: CommandCreate, access: Installer) -> Response:
        """Ask the screen to identify itself, to reload, or to restart. It is told with its next heartbeat."""
        return JsonReply(commands.give(access, screen, body), status_code=202)

    return router
