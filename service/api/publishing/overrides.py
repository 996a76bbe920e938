"""`/v1/overrides`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayPublish, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.lists import Listing
from service.schema.publishing.override import OverrideCreate, OverrideResponse
from service.services.publishing.overrides import OverrideService


def override_routes(*, overrides: OverrideService, route: type[APIRoute]) -> APIRouter:
    """One scene or playlist now, until a time, in place of all else."""
    router = public_router("/v1/overrides", tag="Overrides", route=route)

    @router.get("", response_model=Listing[OverrideResponse])
    def list_overrides(access: MayRead, page: Paged) -> Response:
        """List overrides, oldest first, also those that have ended in the last 30 days. A key that is narrowed to
        locations reads those of others while its screens show them, without the screens and tags of elsewhere."""
        return JsonReply(overrides.list(access, page))

    @router.post("", status_code=201, response_model=OverrideResponse)
    def create_override(body: OverrideCreate, access: MayPublish) -> Response:
        """Show a scene or a playlist on some screens in place of all else, at once or from `startsAt`, until a time: as
        it is now, without a publish. Of several that hold, the one that started last shows."""
        document = overrides.create(access, body)
        return created(document, at=f"/v1/overrides/{document.id}")

    @router.get("/{override}", response_model=OverrideResponse)
    def get_override(override: str, access: MayRead) -> Response:
        """Get one override."""
        return resource(overrides.get(access, override))

    @router.delete("/{override}", status_code=204, response_model=None)
    def withdraw_override(override: str, access: MayPublish, expected: Expected) -> Response:
        """Withdraw an override: its screens show at once what they would show without it."""
        overrides.withdraw(access, override, expected)
        return no_content()

    return router
