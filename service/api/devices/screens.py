"""`/v1/screens`."""

from email.utils import format_datetime
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from service.api.http.authentication import MayManageScreens, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.devices.device import ShortText
from service.schema.devices.screen import (
    ScreenPair,
    ScreenPatch,
    ScreenReplace,
    ScreenResponse,
    ScreensConfirm,
    ScreensConfirmed,
    ScreensPatch,
)
from service.schema.fields import Identifier, Label
from service.schema.lists import Listing
from service.services.devices.screen_uploads import Upload
from service.services.devices.screens import ScreenFilter, ScreenStatus
from service.services.registry import Services

_UPLOAD_HEADERS = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}


def _answers(media_type: str) -> dict[str, Any]:
    schema = {"type": "string", **({} if media_type == "text/plain" else {"format": "binary"})}
    headers = {name: {"schema": {"type": "string"}} for name in ("Last-Modified", *_UPLOAD_HEADERS)}
    content = {media_type: {"schema": schema}}
    return {"responses": {"200": {"description": "OK", "headers": headers, "content": content}}}


def _upload(upload: Upload) -> Response:
    headers = {"Last-Modified": format_datetime(upload.received_at, usegmt=True), **_UPLOAD_HEADERS}
    return Response(upload.content, media_type=upload.media_type, headers=headers)


routes = api_routes("/v1/screens", tag="Screens")
"""Paired display devices."""


@routes.get(response_model=Listing[ScreenResponse])
async def list_screens(
    services: Services,
    access: MayRead,
    page: Paged,
    status: Annotated[ScreenStatus | None, Query(description="Only screens with this status.")] = None,
    location: Annotated[Identifier | None, Query(description="Only screens at this location.")] = None,
    playlist: Annotated[Identifier | None, Query(description="Only screens that play this playlist.")] = None,
    finding: Annotated[ShortText | None, Query(description="Only screens that report this finding.")] = None,
    waiting: Annotated[bool | None, Query(description="Only screens that wait, or do not.")] = None,
    search: Annotated[Label | None, Query(description="Only screens with this in their name or id.")] = None,
    tag: Annotated[Label | None, Query(description="Only screens with this tag.")] = None,
    group: Annotated[Identifier | None, Query(description="Only screens at locations of this group.")] = None,
    trouble: Annotated[
        bool | None, Query(description="Only screens that are offline or report a finding, or only the others.")
    ] = None,
) -> Response:
    """List the screens that the key may see, oldest first."""
    chosen = ScreenFilter(
        status=status,
        location=location,
        playlist=playlist,
        finding=finding,
        waiting=waiting,
        search=search,
        tag=tag,
        group=group,
        trouble=trouble,
    )
    return await services.reads.run(
        lambda: JsonReply(services.screens.list(access, page, chosen=chosen, now=services.clock.now()))
    )


@routes.post("/pair", status_code=201, response_model=ScreenResponse)
def pair_screen(services: Services, body: ScreenPair, access: MayManageScreens) -> Response:
    """Pair the device that shows this code. Letter case, blanks and hyphens in the code do not matter."""
    return created(services.pairing.claim(access, body), at="/v1/screens")


@routes.post("/confirm", response_model=ScreensConfirmed)
def confirm_screens(services: Services, body: ScreensConfirm, access: MayManageScreens) -> Response:
    """Confirm screens that wait: they get their menus at once. All of the list, or none."""
    return JsonReply(services.screens.confirm(access, body))


@routes.get("/{screen}", response_model=ScreenResponse)
async def get_screen(services: Services, screen: str, access: MayRead) -> Response:
    """Get one screen and what it shows."""
    return await services.reads.run(lambda: resource(services.screens.get(access, screen, now=services.clock.now())))


@routes.get("/{screen}/screenshot", response_class=Response, openapi_extra=_answers("image/png"))
def get_screenshot(services: Services, screen: str, access: MayRead) -> Response:
    """Get the last picture that the screen has sent: the command `screenshot` asks for one."""
    return _upload(services.uploads.get(access, screen, "screenshot"))


@routes.get("/{screen}/logs", response_class=Response, openapi_extra=_answers("text/plain"))
def get_logs(services: Services, screen: str, access: MayRead) -> Response:
    """Get the last lines of the player's log that the screen has sent: the command `sendLogs` asks for them."""
    return _upload(services.uploads.get(access, screen, "logs"))


@routes.patch("/{screen}", response_model=ScreenResponse)
def change_screen(
    services: Services, screen: str, body: ScreenPatch, access: MayManageScreens, expected: Expected
) -> Response:
    """Change some fields; the player follows at once."""
    return resource(services.screens.change(access, screen, body, expected))


@routes.patch(response_model=Listing[ScreenResponse])
def change_screens(services: Services, body: ScreensPatch, access: MayManageScreens, expected: Expected) -> Response:
    """Change some fields of up to 1000 screens, all or none, chosen by a list, a tag, a location or a group.

    `If-Match` lists the `ETag` of each screen; the answer is 412 if one has another.
    """
    return JsonReply(services.screens.change_many(access, body, expected))


@routes.post("/{screen}/replace", response_model=ScreenResponse)
def replace_device(
    services: Services, screen: str, body: ScreenReplace, access: MayManageScreens, expected: Expected
) -> Response:
    """Put the device that shows this code in the place of the screen's device, which shows a code afterwards.

    Id, name, location, playlist, tags and display stay. A device that is another screen is refused (409).
    """
    return resource(services.pairing.replace(access, screen, body, expected))


@routes.delete("/{screen}")
def delete_screen(services: Services, screen: str, access: MayManageScreens, expected: Expected) -> None:
    """Unpair and remove a screen."""
    services.screens.remove(access, screen, expected)
