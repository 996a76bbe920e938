"""`/v1/screens/{screen}/moment` and the timetables of screens and playlists: what shows when, and why."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayRead
from service.api.http.replies import resource
from service.api.http.routing import public_router
from service.schema.devices.moment import MomentResponse, TimetableResponse
from service.schema.fields import Identifier, Instant
from service.services.devices.moments import MomentService

FromQuery = Annotated[Instant, Query(alias="from", description="An instant within 400 days of now.")]
ToQuery = Annotated[Instant, Query(description="A later one, by 32 days at most.")]


def moment_routes(*, moments: MomentService, route: type[APIRoute]) -> APIRouter:
    """The showing of a screen, at an instant and between two."""
    router = public_router("/v1/screens/{screen}", tag="Screens", route=route)

    @router.get("/moment", response_model=MomentResponse)
    async def get_moment(
        screen: str,
        access: MayRead,
        at: Annotated[
            Instant | None, Query(description="An instant within 400 days of now, which is the default.")
        ] = None,
    ) -> Response:
        """Get what the screen shows at an instant by what is published and planned now, until when, and why each other
        scene does not. What it did show in the past is in its receipts."""
        return resource(await moments.moment(access, screen, at))

    @router.get("/timetable", response_model=TimetableResponse)
    async def get_timetable(screen: str, access: MayRead, from_: FromQuery, to: ToQuery) -> Response:
        """Get which scenes take turns on the screen between two instants, span by span."""
        return resource(await moments.timetable(access, screen, from_, to))

    return router


def playlist_timetable_routes(*, moments: MomentService, route: type[APIRoute]) -> APIRouter:
    """The showing of a playlist at a location."""
    router = public_router("/v1/playlists/{playlist}", tag="Playlists", route=route)

    @router.get("/timetable", response_model=TimetableResponse)
    async def get_playlist_timetable(
        playlist: str, access: MayRead, location: Annotated[Identifier, Query()], from_: FromQuery, to: ToQuery
    ) -> Response:
        """Get which scenes of the published playlist take turns at a location between two instants, span by span."""
        return resource(await moments.timetable_at(access, playlist, location, from_, to))

    return router
