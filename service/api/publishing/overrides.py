"""`/v1/overrides`."""

from starlette.responses import Response

from service.api.http.authentication import MayPublish, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.lists import Listing
from service.schema.publishing.override import OverrideCreate, OverrideResponse
from service.services.registry import Services

routes = api_routes("/v1/overrides", tag="Overrides")
"""One scene or playlist now, until a time, in place of all else."""


@routes.get(response_model=Listing[OverrideResponse])
def list_overrides(services: Services, access: MayRead, page: Paged) -> Response:
    """List overrides, oldest first, also those that have ended in the last 30 days. A key that is narrowed to
    locations reads those of others while its screens show them, without the screens and tags of elsewhere."""
    return JsonReply(services.overrides.list(access, page))


@routes.post(status_code=201, response_model=OverrideResponse)
def create_override(services: Services, body: OverrideCreate, access: MayPublish) -> Response:
    """Show a scene or a playlist on some screens in place of all else, at once or from `startsAt`, until a time: as
    it is now, without a publish. Of several that hold, the one that started last shows."""
    return created(services.overrides.create(access, body), at="/v1/overrides")


@routes.get("/{override}", response_model=OverrideResponse)
def get_override(services: Services, override: str, access: MayRead) -> Response:
    """Get one override."""
    return resource(services.overrides.get(access, override))


@routes.delete("/{override}")
def withdraw_override(services: Services, override: str, access: MayPublish, expected: Expected) -> None:
    """Withdraw an override: its screens show at once what they would show without it."""
    services.overrides.withdraw(access, override, expected)
