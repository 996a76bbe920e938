"""Sends the image of a scene: of the draft, of a version or of a request to publish."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.asset_reply import matches
from service.api.http.preconditions import condition_of
from service.schema.fields import Instant, Language
from service.services.access.access import Access
from service.services.publishing.previews import (
    MAX_HEIGHT,
    MAX_ITEMS_SHOWN,
    MAX_WIDTH,
    MIN_HEIGHT,
    MIN_WIDTH,
    Picture,
    PictureForm,
    PreviewService,
)
from service.storage.history import Then

WidthQuery = Annotated[
    int, Query(ge=MIN_WIDTH, le=MAX_WIDTH, description="Pixels; the height follows from the canvas.")
]
HeightQuery = Annotated[
    int | None,
    Query(ge=MIN_HEIGHT, le=MAX_HEIGHT, description="Pixels of a screen of another shape, which shows bars beside."),
]
LanguageQuery = Annotated[Language | None, Query(description="Show the scene in this language alone.")]
LocationQuery = Annotated[
    str | None,
    Query(
        max_length=100,
        description="The location whose currency, language and time zone apply; the first one by default.",
    ),
]
AtQuery = Annotated[
    Instant | None,
    Query(description="The items as they will be at this instant, with what is planned; now by default."),
]


ItemsQuery = Annotated[
    int | None,
    Query(
        ge=1,
        le=MAX_ITEMS_SHOWN,
        description="Try the scene with so many items: fewer of its own, or the same ones again. Its own by default.",
    ),
]

_TYPES: Mapping[PictureForm, str] = {"png": "image/png", "jpg": "image/jpeg"}


async def image_reply(
    request: Request,
    previews: PreviewService,
    access: Access,
    picture: Picture,
    *,
    width: int,
    height: int | None = None,
    location: str | None,
    language: str | None,
    at: datetime | None = None,
    then: Then | None = None,
    items: int | None = None,
    form: PictureForm = "png",
) -> Response:
    """Responds 200 with the image, or 304 if the caller has it."""
    drawing = await run_in_threadpool(
        previews.plan,
        access,
        picture,
        width=width,
        height=height,
        location=location,
        language=language,
        at=at,
        then=then,
        items=items,
        form=form,
    )
    headers = {"ETag": f'"{drawing.tag}"', "Cache-Control": "private, no-cache"}
    condition_of(request).check_tag(drawing.tag)
    if matches(request.headers.get("if-none-match"), drawing.tag):
        return Response(status_code=304, headers=headers)
    return Response(await previews.render(drawing), media_type=_TYPES[form], headers=headers)
