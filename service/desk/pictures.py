"""Images of scenes on pages: drawn for a location, in a language, on a screen of a shape and size."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query
from starlette.responses import Response

from service.api.content.scene_images import image_reply
from service.core.errors import ProblemError
from service.desk.forms import Form
from service.desk.static_files import static_url
from service.desk.visits import HEADERS, Visit
from service.desk.words import Phrase, phrase
from service.schema.content.scene import SceneResponse
from service.schema.fields import LABEL_LENGTH
from service.services.devices.receipts import Shown
from service.services.publishing.previews import Picture, PictureForm, PreviewService

TILE_WIDTH = 480
SHAPES: Mapping[str, Phrase] = {"landscape": phrase("Landscape"), "portrait": phrase("Portrait")}
SIZES = {"720p": 720, "1080p": 1080, "4k": 2160}
"""Pixels of the short side, of a screen of 16 to 9."""

TRIALS = ("3", "60")
"""Numbers of items with which a board can be tried, in place of its own."""

Word = Annotated[str, Query(max_length=LABEL_LENGTH)]


@dataclass(frozen=True, slots=True)
class View:
    """Choices for an image of a scene, each empty where nothing is chosen."""

    location: Word = ""
    language: Word = ""
    shape: Word = ""
    size: Word = ""
    items: Word = ""

    @classmethod
    def typed(cls, form: Form) -> "View":
        """Reads the choices beside a form, whose fields are named `view.…`."""
        return cls(**{one.name: form.get(f"view.{one.name}", "") for one in fields(cls)})

    @property
    def query(self) -> str:
        """Query of addresses, with its question mark; empty for no choice."""
        text = urlencode({name: value for name, value in asdict(self).items() if value})
        return f"?{text}" if text else ""

    def shape_of(self, scene: SceneResponse) -> str:
        """Returns the shape of the screen: the chosen one, or that of the canvas."""
        return self.shape if self.shape in SHAPES else "portrait" if scene.height > scene.width else "landscape"

    def pixels(self, scene: SceneResponse) -> tuple[int, int]:
        short = SIZES.get(self.size, SIZES["720p"])
        return (short, short * 16 // 9) if self.shape_of(scene) == "portrait" else (short * 16 // 9, short)


ChosenView = Annotated[View, Depends()]
"""The choices in the query of an address."""


async def send_view(visit: Visit, previews: PreviewService, picture: Picture, view: View) -> Response:
    """Sends the image on the screen that the view names."""
    short = SIZES.get(view.size, SIZES["720p"])
    width, height = (short * 16 // 9, short) if view.shape != "portrait" else (short, short * 16 // 9)
    items = int(view.items) if view.items in TRIALS else None
    chosen = {"location": view.location, "language": view.language}
    return await send_picture(visit, previews, picture, width=width, height=height, items=items, **chosen)


async def send_picture(
    visit: Visit,
    previews: PreviewService,
    picture: Picture,
    *,
    width: int = TILE_WIDTH,
    height: int | None = None,
    location: str = "",
    language: str = "",
    items: int | None = None,
) -> Response:
    """Sends the image; a blank one if it cannot be drawn now."""
    chosen: dict[str, Any] = {
        "height": height,
        "location": location or None,
        "language": language or None,
        "items": items,
    }
    # A page has dozens of tiles, and a phone a slow line.
    form: PictureForm = "jpg" if width <= TILE_WIDTH else "png"
    return await _drawn(visit, previews, picture, width=width, form=form, **chosen)


async def send_shown(visit: Visit, previews: PreviewService, shown: Shown, *, width: int) -> Response:
    chosen: dict[str, Any] = {"location": shown.location, "language": shown.language, "at": shown.at}
    # As JPEG: the picture follows a thumb.
    return await _drawn(visit, previews, shown.picture, width=width, form="jpg", then=shown.then, **chosen)


async def _drawn(visit: Visit, previews: PreviewService, picture: Picture, **chosen: Any) -> Response:
    try:
        reply = await image_reply(visit.request, previews, visit.access, picture, **chosen)
    except ProblemError as problem:
        if problem.status < 500:
            raise
        return Response(status_code=307, headers={**HEADERS, "Location": static_url("no-picture.svg")})
    reply.headers.update({name: value for name, value in HEADERS.items() if name != "Cache-Control"})
    return reply
