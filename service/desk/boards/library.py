"""Images and videos: uploaded part by part, named by their alternative text, and removed if unused."""

from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Header
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.boards.boards import asset_name
from service.desk.desk import Desk
from service.desk.forms import whole_in
from service.desk.lists import Cursor, Pages
from service.desk.problems import HDR_FILM
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.visits import HEADERS, MayEdit, MayRead, Visit
from service.desk.words import phrase
from service.schema.content.asset import (
    ALT_LENGTH,
    AssetPatch,
    AssetResponse,
    AssetUploadResponse,
    ThumbnailSize,
    UploadCreate,
)
from service.services.assets.checks import PROBES_AT_A_TIME, UPLOAD_TYPES, container_of, media_type_of
from service.services.assets.thumbnails import type_of
from service.services.registry import STORE_CALLS, Services
from service.services.shared.threads import Threads
from service.storage.asset_store import HEAD_BYTES
from service.storage.paging import PageRequest

PICTURES = "/desk/pictures"
PAGE_SIZE = 48
MAX_FILE_NAME = 3 * 255 * 4
"""Letters of a file's name in percent encoding: file systems have 255 letters, of up to four bytes."""
_DRAWN = {**HEADERS, "Cache-Control": "private, max-age=31536000, immutable"}


class Library(Desk):
    """Stores images and videos, by the services of the API."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.calls, self.drawing = Threads(STORE_CALLS), Threads(PROBES_AT_A_TIME)

    def add(self, workspace: str, content: bytes, file_name: str) -> AssetResponse:
        """Adds an image that was sent with a form. Raises the 415 problem."""
        media_type = media_type_of(container_of(content[:HEAD_BYTES]), "")
        with self.services.assets.begin(media_type) as upload:
            self.services.assets.take(upload, content, media_type=media_type)
            alt = name_of_file(file_name)
            return self.services.assets.finish(upload, workspace=workspace, media_type=media_type, alt=alt).view


routes = desk_routes(Library, PICTURES)


@routes.get()
def list_pictures(library: Library, visit: MayRead, cursor: Cursor = None) -> Response:
    """Returns the pictures and films, oldest first."""
    found = library.services.assets.list(visit.access.workspace, PageRequest(PAGE_SIZE, cursor))
    pages = Pages(PICTURES, {}, cursor, found.pagination.cursor)
    return visit.page("pictures", assets=found.data, pages=pages, name_of=asset_name, types=UPLOAD_TYPES)


@routes.post()
async def upload_picture(library: Library, visit: MayEdit) -> Response:
    """Takes one picture of a form, as browsers without JavaScript send it."""
    added = await library.calls.run(library.add, visit.access.workspace, visit.file, visit.file_name)
    return visit.done(phrase("{name} is there.", name=asset_name(added)), to=f"{PICTURES}/{added.id}")


@routes.post("/uploads")
def begin_upload(library: Library, visit: MayEdit) -> Response:
    """Begins an upload in parts."""
    form = visit.form
    given: dict[str, Any] = {"mediaType": form.get("mediaType", ""), "size": whole_in(form.get("size", ""))}
    if form.get("sha256"):
        given["sha256"] = form["sha256"]
    return _told(library.services.asset_uploads.begin(visit.access.workspace, model_of(UploadCreate, given)))


@routes.get("/uploads/{upload}")
def show_upload(library: Library, upload: str, visit: MayEdit) -> Response:
    """One upload: its offset says how far it is."""
    return _told(library.services.asset_uploads.get(visit.access.workspace, upload))


@routes.post("/uploads/{upload}")
async def send_part(
    library: Library,
    upload: str,
    visit: MayEdit,
    offset: Annotated[int, Header(alias="Upload-Offset", ge=0)],
    file_name: Annotated[str, Header(alias="X-File-Name", max_length=MAX_FILE_NAME)] = "",
) -> Response:
    """Takes a part; its file's name is in percent encoding."""
    alt = name_of_file(unquote(file_name))
    return _told(
        await library.calls.run(
            library.services.asset_uploads.take, visit.access.workspace, upload, offset, visit.file, alt
        )
    )


@routes.get("/{asset}/thumbnail")
async def show_thumbnail(
    library: Library, asset: str, visit: MayRead, size: ThumbnailSize = ThumbnailSize.MEDIUM
) -> Response:
    """A small picture of it; of a film, its first frame."""
    found = await run_in_threadpool(library.services.assets.get, visit.access.workspace, asset)
    content = await library.drawing.run(library.services.thumbnails.get, found, size)
    return Response(content, media_type=type_of(content), headers=_DRAWN)


@routes.get("/{asset}")
async def show_picture(library: Library, asset: str, visit: MayRead) -> Response:
    """One of them, with its text, what uses it, and whether screens show it in wrong colours."""
    found = await run_in_threadpool(library.services.assets.get, visit.access.workspace, asset)
    is_hdr = False
    with suppress(ProblemError):
        # What a store that does not answer has is shown without a warning.
        is_hdr = await library.drawing.run(library.services.thumbnails.is_hdr, found)
    return await run_in_threadpool(_page, library, visit, asset, warning=HDR_FILM if is_hdr else None)


@routes.post("/{asset}")
def change_picture(library: Library, asset: str, visit: MayEdit) -> Response:
    """Changes the text that says what is to be seen."""
    before = library.services.assets.view(visit.access.workspace, asset).alt or ""
    body = model_of(AssetPatch, {"alt": visit.form.get("alt") or None})
    try:
        after = library.services.assets.change(visit.access.workspace, asset, body)
    except ProblemError as problem:
        return _page(library, visit, asset, fault=problem)
    undo = Undo(f"{PICTURES}/{asset}", {"alt": before})
    return visit.done(phrase("It is called {name} now.", name=asset_name(after)), to=f"{PICTURES}/{asset}", undo=undo)


@routes.post("/{asset}/remove")
def remove_picture(library: Library, asset: str, visit: MayEdit) -> Response:
    """Removes it, if nothing uses it."""
    name = asset_name(library.services.assets.view(visit.access.workspace, asset))
    library.services.assets.remove(visit.access, asset)
    return visit.done(phrase("{name} is removed.", name=name), to=PICTURES)


def name_of_file(name: str) -> str | None:
    """Returns the file name without its ending as a name for the image or video; None if nothing visible remains."""
    stem, dot, ending = name.replace("\\", "/").rpartition("/")[2].rpartition(".")
    try:
        return AssetPatch(alt=(stem if dot and stem else ending)[:ALT_LENGTH].strip()).alt
    except ValidationError:
        return None


def _page(library: Library, visit: Visit, asset: str, **more: Any) -> Response:
    found = library.services.assets.view(visit.access.workspace, asset)
    uses = library.services.assets.uses(visit.access, asset)
    is_used = any((uses.items, uses.categories, uses.scenes, uses.versions, uses.approvals, uses.overrides))
    shown = {"asset": found, "name": asset_name(found), "uses": uses, "is_used": is_used, "now": library.now()}
    return visit.page("picture", **{**shown, **more})


def _told(upload: AssetUploadResponse) -> Response:
    told = {"id": upload.id, "offset": upload.offset, "size": upload.size, "asset": upload.asset}
    return JSONResponse(told, headers=HEADERS)
