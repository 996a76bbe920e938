"""`/v1/assets`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.asset_reply import RANGES, asset_reply
from service.api.guard import Editor, Paged, Reader
from service.api.idempotency import Retries
from service.api.replies import JsonReply
from service.api.routing import public_router
from service.core.errors import ProblemError
from service.schema.asset import AssetResponse
from service.schema.lists import Listing
from service.services.assets.assets import AddedAsset, AssetService
from service.services.assets.checks import MEDIA_TYPES

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_UPLOAD = {"requestBody": {"required": True, "content": dict.fromkeys(MEDIA_TYPES, _BINARY)}}


def asset_routes(*, assets: AssetService, retries: Retries, route: type[APIRoute]) -> APIRouter:
    """Pictures and videos, named by the SHA-256 of their bytes."""
    router = public_router("/v1/assets", tag="Assets", route=route)

    @router.get("", response_model=Listing[AssetResponse])
    def list_assets(access: Reader, page: Paged) -> Response:
        """List assets, oldest first."""
        return JsonReply(assets.list(access.workspace, page))

    @router.post("", status_code=201, response_model=AssetResponse, openapi_extra=_UPLOAD)
    async def upload_asset(request: Request, access: Editor) -> Response:
        """Upload a picture (at most 25 MiB) or a video (512 MiB) as the raw body. The same bytes again answer 200.

        What no screen could show is refused with 415, which says why and what to do.
        """
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        with await run_in_threadpool(assets.begin, media_type) as upload:
            async for chunk in request.stream():
                await run_in_threadpool(assets.take, upload, chunk, media_type=media_type)
            if upload.size == 0:
                raise ProblemError(400, "empty_body", "The body is empty", "Send the bytes of the file.")

            def finish() -> Response:
                return _kept(assets.finish(upload, workspace=access.workspace, media_type=media_type))

            content = f"{media_type}\n{upload.digest}".encode()
            return await retries.answer(request, content, lambda: run_in_threadpool(retries.keeping(finish)))

    @router.get("/{asset}", response_class=Response, openapi_extra=RANGES)
    def get_asset(asset: str, request: Request, access: Reader) -> Response:
        """Get the bytes of an asset."""
        return asset_reply(request, assets.get(access.workspace, asset))

    return router


def _kept(kept: AddedAsset) -> Response:
    return JsonReply(
        kept.view, status_code=201 if kept.created else 200, headers={"Location": f"/v1/assets/{kept.view.id}"}
    )
