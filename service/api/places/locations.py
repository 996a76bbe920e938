"""`/v1/locations`."""

from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.lists import Listing
from service.schema.places.live_value import LiveValuesPatch, LiveValuesResponse
from service.schema.places.location import LocationCreate, LocationPatch, LocationResponse
from service.services.registry import Services

routes = api_routes("/v1/locations", tag="Locations")
"""Where screens hang: time zone, currency, language, rotation."""


@routes.get(response_model=Listing[LocationResponse])
def list_locations(services: Services, access: MayRead, page: Paged) -> Response:
    """List locations, oldest first."""
    return JsonReply(services.locations.list(access, page))


@routes.post(status_code=201, response_model=LocationResponse)
def create_location(services: Services, body: LocationCreate, access: MayEdit) -> Response:
    """Create a location."""
    return created(services.locations.create(access, body), at="/v1/locations")


@routes.get("/{location}", response_model=LocationResponse)
def get_location(services: Services, location: str, access: MayRead) -> Response:
    """Get one location."""
    return resource(services.locations.get(access, location))


@routes.patch("/{location}", response_model=LocationResponse)
def change_location(
    services: Services, location: str, body: LocationPatch, access: MayEdit, expected: Expected
) -> Response:
    """Change some fields; the location's boards follow at once."""
    return resource(services.locations.change(access, location, body, expected))


@routes.delete("/{location}")
def delete_location(services: Services, location: str, access: MayEdit, expected: Expected) -> None:
    """Delete a location without screens (409 while it has any)."""
    services.locations.remove(access, location, expected)


@routes.get("/{location}/values", response_model=LiveValuesResponse)
def get_values(services: Services, location: str, access: MayRead) -> Response:
    """Get the values that texts tell at this location, such as the weather."""
    return resource(services.locations.values(access, location))


@routes.patch("/{location}/values", response_model=LiveValuesResponse)
def change_values(
    services: Services, location: str, body: LiveValuesPatch, access: MayEdit, expected: Expected
) -> Response:
    """Add or replace values, each with the instant at which it expires; null takes one away."""
    return resource(services.locations.change_values(access, location, body, expected))
