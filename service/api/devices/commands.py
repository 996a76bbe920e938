"""`/v1/screens/{screen}/commands`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayManageScreens, MayRead
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply, no_content, resource
from service.api.http.routing import public_router
from service.schema.devices.command import CommandCreate, CommandResponse
from service.schema.lists import Listing
from service.services.devices.commands import CommandService


def command_routes(*, commands: CommandService, route: type[APIRoute]) -> APIRouter:
    """Commands to screens."""
    router = public_router("/v1/screens", tag="Screens", route=route)

    @router.post("/{screen}/commands", status_code=202, response_model=CommandResponse)
    def command_screen(screen: str, body: CommandCreate, access: MayManageScreens) -> Response:
        """Tell the screen to identify itself, to reload, to restart, or to send a picture or its log.

        It gets it at once where its network allows held requests, else with its next heartbeat. `Location` tells what
        becomes of it.
        """
        document = commands.give(access, screen, body)
        where = f"/v1/screens/{screen}/commands/{document.id}"
        return JsonReply(document, status_code=202, headers={"Location": where})

    @router.get("/{screen}/commands", response_model=Listing[CommandResponse])
    def list_commands(screen: str, access: MayRead, page: Paged) -> Response:
        """List the last 50 commands to the screen, of the last 30 days, and what has become of them, oldest first."""
        return JsonReply(commands.list(access, screen, page))

    @router.get("/{screen}/commands/{command}", response_model=CommandResponse)
    def get_command(screen: str, command: str, access: MayRead) -> Response:
        """Get one command, and what has become of it."""
        return resource(commands.get(access, screen, command))

    @router.delete("/{screen}/commands/{command}", status_code=204, response_model=None)
    def withdraw_command(screen: str, command: str, access: MayManageScreens) -> Response:
        """Take a command back that the screen has not fetched yet."""
        commands.withdraw(access, screen, command)
        return no_content()

    return router
