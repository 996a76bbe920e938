"""`/v1/screens/{screen}/commands`."""

from starlette.responses import Response

from service.api.http.authentication import MayManageScreens, MayRead
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply, resource
from service.api.http.routes import api_routes
from service.schema.devices.command import CommandCreate, CommandResponse
from service.schema.lists import Listing
from service.services.registry import Services

routes = api_routes("/v1/screens", tag="Screens")
"""Commands to screens."""


@routes.post("/{screen}/commands", status_code=202, response_model=CommandResponse)
def command_screen(services: Services, screen: str, body: CommandCreate, access: MayManageScreens) -> Response:
    """Tell the screen to identify itself, to reload, to restart, or to send a picture or its log.

    It gets it at once where its network allows held requests, else with its next heartbeat. `Location` tells what
    becomes of it.
    """
    document = services.commands.give(access, screen, body)
    where = f"/v1/screens/{screen}/commands/{document.id}"
    return JsonReply(document, status_code=202, headers={"Location": where})


@routes.get("/{screen}/commands", response_model=Listing[CommandResponse])
def list_commands(services: Services, screen: str, access: MayRead, page: Paged) -> Response:
    """List the last 50 commands to the screen, of the last 30 days, and what has become of them, oldest first."""
    return JsonReply(services.commands.list(access, screen, page))


@routes.get("/{screen}/commands/{command}", response_model=CommandResponse)
def get_command(services: Services, screen: str, command: str, access: MayRead) -> Response:
    """Get one command, and what has become of it."""
    return resource(services.commands.get(access, screen, command))


@routes.delete("/{screen}/commands/{command}")
def withdraw_command(services: Services, screen: str, command: str, access: MayManageScreens) -> None:
    """Take a command back that the screen has not fetched yet."""
    services.commands.withdraw(access, screen, command)
