"""`/v1/locations`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.guard import Editor, Paged, Reader
from service.api.preconditions import Expected
from service.api.replies import JsonReply, created, nothing, resource
from service.api.routing import public_router
from service.schema.lists import Listing
from service.schema.location import LocationCreate, LocationPatch, LocationResponse
from service.services.content.locations import LocationService


def location_routes(*, locations: LocationService, route: type[APIRoute]) -> APIRouter:
    """Where screens hang, with their zone, currency and language."""
    router = public_router("/v1/locations", tag="Locations", route=route)

    @router.get("", response_model=Listing[LocationResponse])
    def list_locations(access: Reader, page: Paged) -> Response:
        """List locations, oldest first."""
        return JsonReply(locations.list(access, page))

    @router.post("", status_code=201, response_model=LocationResponse)
    def create_location(body: LocationCreate, access: Editor) -> Response:
        """Create a location."""
        view = locations.create(access, body)
        return created(view, at=f"/v1/locations/{view.id}")

    @router.get("/{location}", response_model=LocationResponse)
    def get_location(location: str, access: Reader) -> Response:
        """Get one location."""
        return resource(locations.get(access, location))

    @router.patch("/{location}", response_model=LocationResponse)
    def change_location(location: str, body: LocationPatch, access: Editor, expected: Expected) -> Response:
        """Change some fields; the location's boards follow at once."""
        return resource(locations.change(access, location, body, expected))

    @router.delete("/{location}", status_code=204, response_model=None)
    def delete_location(location: str, access: Editor, expected: Expected) -> Response:
        """Remove a location without screens (409 while it has any)."""
        locations.remove(access, location, expected)
        return nothing()

    return router
