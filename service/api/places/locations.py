"""`/v1/locations`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.lists import Listing
from service.schema.places.live_value import LiveValuesPatch, LiveValuesResponse
from service.schema.places.location import LocationCreate, LocationPatch, LocationResponse
from service.services.places.locations import LocationService


def location_routes(*, locations: LocationService, route: type[APIRoute]) -> APIRouter:
    """Where screens hang: time zone, currency, language, rotation."""
    router = public_router("/v1/locations", tag="Locations", route=route)

    @router.get("", response_model=Listing[LocationResponse])
    def list_locations(access: MayRead, page: Paged) -> Response:
        """List locations, oldest first."""
        return JsonReply(locations.list(access, page))

    @router.post("", status_code=201, response_model=LocationResponse)
    def create_location(body: LocationCreate, access: MayEdit) -> Response:
        """Create a location."""
        document = locations.create(access, body)
        return created(document, at=f"/v1/locations/{document.id}")

    @router.get("/{location}", response_model=LocationResponse)
    def get_location(location: str, access: MayRead) -> Response:
        """Get one location."""
        return resource(locations.get(access, location))

    @router.patch("/{location}", response_model=LocationResponse)
    def change_location(location: str, body: LocationPatch, access: MayEdit, expected: Expected) -> Response:
        """Change some fields; the location's boards follow at once."""
        return resource(locations.change(access, location, body, expected))

    @router.delete("/{location}", status_code=204, response_model=None)
    def delete_location(location: str, access: MayEdit, expected: Expected) -> Response:
        """Delete a location without screens (409 while it has any)."""
        locations.remove(access, location, expected)
        return no_content()

    @router.get("/{location}/values", response_model=LiveValuesResponse)
    def get_values(location: str, access: MayRead) -> Response:
        """Get the values that texts tell at this location, such as the weather."""
        return resource(locations.values(access, location))

    @router.patch("/{location}/values", response_model=LiveValuesResponse)
    def change_values(location: str, body: LiveValuesPatch, access: MayEdit, expected: Expected) -> Response:
        """Add or replace values, each with the instant at which it expires; null takes one away."""
        return resource(locations.change_values(access, location, body, expected))

    return router
