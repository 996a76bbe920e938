"""`/v1/playlists/{playlist}/versions`."""

from typing import Annotated

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.scene_images import LanguageQuery, LocationQuery, WidthQuery, image_reply
from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, resource
from service.api.http.routes import api_routes
from service.api.publishing.approvals import APPROVAL_REQUESTED, accepted
from service.core.permissions import Permission
from service.schema.fields import Instant
from service.schema.lists import Listing
from service.schema.publishing.playlist import PlaylistResponse
from service.schema.publishing.version import VersionResponse, VersionSummary
from service.services.publishing.pictures import version_picture
from service.services.publishing.previews import DEFAULT_WIDTH
from service.services.registry import Services
from service.storage.history import Then

LARGEST_VERSION = 2**31 - 1
"""The largest number that the column holds."""

VersionPath = Annotated[int, Path(ge=1, le=LARGEST_VERSION)]

routes = api_routes("/v1/playlists/{playlist}/versions", tag="Playlists")
"""The last versions of a playlist: what each has and changed, and the way back to one."""


@routes.get(response_model=Listing[VersionSummary])
def list_versions(services: Services, playlist: str, access: MayRead, page: Paged) -> Response:
    """List the stored versions, oldest first: who published each, and what it changed."""
    return JsonReply(services.history.list(access, playlist, page))


@routes.get("/{version}", response_model=VersionResponse)
def get_version(services: Services, playlist: str, version: VersionPath, access: MayRead) -> Response:
    """Get one version with its entries, and its scenes as they were (410 once it is not stored any more)."""
    return resource(services.history.get(access, playlist, version))


@routes.get("/{version}/scenes/{scene}/image", response_class=Response)
async def draw_version(
    services: Services,
    playlist: str,
    version: VersionPath,
    scene: str,
    request: Request,
    access: MayRead,
    width: WidthQuery = DEFAULT_WIDTH,
    location: LocationQuery = None,
    language: LanguageQuery = None,
    at: Annotated[Instant | None, Query(description="Show the items as they were then.")] = None,
) -> Response:
    """Get an image of a scene as it is in the version, with the current items, or those of `at`."""
    picture, then = version_picture(playlist, version, scene), None if at is None else Then(at=at)
    return await image_reply(
        request, services.previews, access, picture, width=width, location=location, language=language, then=then
    )


@routes.post("/{version}/restore", response_model=PlaylistResponse, responses=APPROVAL_REQUESTED)
def restore_version(
    services: Services, playlist: str, version: VersionPath, access: MayEdit, expected: Expected
) -> Response:
    """Publish the content of a version again, as the playlist's next version. The draft stays as it is.

    With the key of an Editor this requests approval: 202, with an approval for a Publisher, Admin or Owner.
    """
    if access.may(Permission.PUBLISH):
        return resource(services.history.restore(access, playlist, version, expected))
    return accepted(services.approvals.request(access, playlist, expected, restores=version))
