"""`/v1/screens/{screen}/moment` and the timetables of screens and playlists: which scenes show when, and why."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from service.api.http.authentication import MayRead
from service.api.http.replies import resource
from service.api.http.routes import api_routes
from service.schema.devices.moment import MomentResponse, TimetableResponse
from service.schema.fields import Identifier, Instant
from service.services.registry import Services

FromQuery = Annotated[Instant, Query(alias="from", description="An instant within 400 days of now.")]
ToQuery = Annotated[Instant, Query(description="A later one, by 32 days at most.")]

routes = api_routes("/v1/screens/{screen}", tag="Screens")
"""The showing of a screen, at an instant and between two."""


@routes.get("/moment", response_model=MomentResponse)
async def get_moment(
    services: Services,
    screen: str,
    access: MayRead,
    at: Annotated[Instant | None, Query(description="An instant within 400 days of now, which is the default.")] = None,
) -> Response:
    """Get what the screen shows at an instant by what is published and planned now, until when, and why each other
    scene does not. What it did show in the past is in its receipts."""
    return resource(await services.moments.moment(access, screen, at))


@routes.get("/timetable", response_model=TimetableResponse)
async def get_timetable(services: Services, screen: str, access: MayRead, from_: FromQuery, to: ToQuery) -> Response:
    """Get which scenes take turns on the screen between two instants, span by span."""
    return resource(await services.moments.timetable(access, screen, from_, to))


of_playlist = api_routes("/v1/playlists/{playlist}", tag="Playlists")
"""The showing of a playlist at a location."""


@of_playlist.get("/timetable", response_model=TimetableResponse)
async def get_playlist_timetable(
    services: Services,
    playlist: str,
    access: MayRead,
    location: Annotated[Identifier, Query()],
    from_: FromQuery,
    to: ToQuery,
) -> Response:
    """Get which scenes of the published playlist take turns at a location between two instants, span by span."""
    return resource(await services.moments.timetable_at(access, playlist, location, from_, to))
