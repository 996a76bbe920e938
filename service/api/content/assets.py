"""`/v1/assets`."""

from typing import Annotated

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.asset_reply import RANGES, asset_reply, matches
from service.api.http.authentication import MayEdit, MayRead
from service.api.http.idempotency import Idempotency
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, resource
from service.api.http.routes import api_routes
from service.api.http.routing import refuse_encoded
from service.core.errors import ProblemError
from service.schema.content.asset import AssetPatch, AssetResponse, AssetUses, ThumbnailSize
from service.schema.lists import Listing
from service.services.assets.assets import AddedAsset
from service.services.assets.checks import UPLOAD_TYPES
from service.services.assets.thumbnails import thumbnail_name, type_of
from service.services.registry import Services

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_UPLOAD = {"requestBody": {"required": True, "content": dict.fromkeys(UPLOAD_TYPES, _BINARY)}}
SizeQuery = Annotated[ThumbnailSize, Query(description="Pixels of the longer side; no image is made larger.")]

routes = api_routes("/v1/assets", tag="Assets")
"""Images and videos, named by the SHA-256 of their bytes."""


@routes.get(response_model=Listing[AssetResponse])
def list_assets(services: Services, access: MayRead, page: Paged) -> Response:
    """List assets, oldest first."""
    return JsonReply(services.assets.list(access.workspace, page))


@routes.post(status_code=201, response_model=AssetResponse, openapi_extra=_UPLOAD)
async def upload_asset(services: Services, request: Request, access: MayEdit) -> Response:
    """Upload an image (at most 25 MiB) or a video (512 MiB) as the raw body. The same bytes again answer 200.

    A file that players cannot show is refused with 415; the problem says why and what to do.
    """
    refuse_encoded(request)
    idempotency = Idempotency(services)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    with await run_in_threadpool(services.assets.begin, media_type) as upload:
        async for chunk in request.stream():
            await run_in_threadpool(services.assets.take, upload, chunk, media_type=media_type)
        if upload.size == 0:
            raise ProblemError(400, "empty_body", "The body is empty", "Send the bytes of the file.")

        def finish() -> Response:
            return _upload_reply(services.assets.finish(upload, workspace=access.workspace, media_type=media_type))

        content = f"{media_type}\n{upload.digest}".encode()
        return await idempotency.answer(request, content, lambda: services.store_calls.run(idempotency.storing(finish)))


@routes.get("/{asset}", response_class=Response, openapi_extra=RANGES)
async def get_asset(services: Services, asset: str, request: Request, access: MayRead) -> Response:
    """Get the bytes of an asset."""
    found = await run_in_threadpool(services.assets.get, access.workspace, asset)
    return await asset_reply(request, services.assets, found, services.store_calls)


@routes.patch("/{asset}", response_model=AssetResponse)
def change_asset(services: Services, asset: str, body: AssetPatch, access: MayEdit, expected: Expected) -> Response:
    """Change the text that says what is to be seen (`alt`)."""
    return resource(services.assets.change(access.workspace, asset, body, expected))


@routes.delete("/{asset}")
def delete_asset(services: Services, asset: str, access: MayEdit, expected: Expected) -> None:
    """Delete an asset that nothing uses; otherwise 409 `in_use` names what does."""
    services.assets.remove(access, asset, expected)


@routes.get("/{asset}/uses", response_model=AssetUses)
def get_asset_uses(services: Services, asset: str, access: MayRead) -> Response:
    """List what uses the asset: items, categories, scenes, stored versions, requests to publish, and overrides that
    have not ended."""
    return resource(services.assets.uses(access, asset))


@routes.get("/{asset}/thumbnail", response_class=Response)
async def get_thumbnail(
    services: Services, asset: str, request: Request, access: MayRead, size: SizeQuery = ThumbnailSize.MEDIUM
) -> Response:
    """Get a small picture of the asset, PNG or JPEG; of a film, its first frame."""
    found = await run_in_threadpool(services.assets.get, access.workspace, asset)
    tag = thumbnail_name(found, size)
    headers = {"ETag": f'"{tag}"', "Cache-Control": "private, max-age=31536000, immutable"}
    if matches(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    content = await services.drawing.run(services.thumbnails.get, found, size)
    return Response(content, media_type=type_of(content), headers=headers)


def _upload_reply(added: AddedAsset) -> Response:
    return JsonReply(
        added.view, status_code=201 if added.created else 200, headers={"Location": f"/v1/assets/{added.view.id}"}
    )
