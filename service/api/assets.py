"""`/v1/assets`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.asset_reply import RANGES, asset_reply
from service.api.authentication import MayEdit, MayRead
from service.api.idempotency import Idempotency
from service.api.paging import Paged
from service.api.replies import JsonReply
from service.api.routing import public_router, refuse_encoded
from service.core.errors import ProblemError
from service.schema.asset import AssetResponse
from service.schema.lists import Listing
from service.services.assets.assets import AddedAsset, AssetService
from service.services.assets.checks import MEDIA_TYPES

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_UPLOAD = {"requestBody": {"required": True, "content": dict.fromkeys(MEDIA_TYPES, _BINARY)}}


def asset_routes(*, assets: AssetService, idempotency: Idempotency, route: type[APIRoute]) -> APIRouter:
    """Images and videos, named by the SHA-256 of their bytes."""
    router = public_router("/v1/assets", tag="Assets", route=route)

    @router.get("", response_model=Listing[AssetResponse])
    def list_assets(access: MayRead, page: Paged) -> Response:
        """List assets, oldest first."""
        return JsonReply(assets.list(access.workspace, page))

    @router.post("", status_code=201, response_model=AssetResponse, openapi_extra=_UPLOAD)
    async def upload_asset(request: Request, access: MayEdit) -> Response:
        """Upload an image (at most 25 MiB) or a video (512 MiB) as the raw body. The same bytes again answer 200.

        A file that players cannot show is refused with 415; the problem says why and what to do.
        """
        refuse_encoded(request)
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        with await run_in_threadpool(assets.begin, media_type) as upload:
            async for chunk in request.stream():
                await run_in_threadpool(assets.take, upload, chunk, media_type=media_type)
            if upload.size == 0:
                raise ProblemError(400, "empty_body", "The body is empty", "Send the bytes of the file.")

            def finish() -> Response:
                return _upload_reply(assets.finish(upload, workspace=access.workspace, media_type=media_type))

            content = f"{media_type}\n{upload.digest}".encode()
            return await idempotency.answer(request, content, lambda: run_in_threadpool(idempotency.storing(finish)))

    @router.get("/{asset}", response_class=Response, openapi_extra=RANGES)
    def get_asset(asset: str, request: Request, access: MayRead) -> Response:
        """Get the bytes of an asset."""
        return asset_reply(request, assets.get(access.workspace, asset))

    return router


def _upload_reply(added: AddedAsset) -> Response:
    return JsonReply(
        added.view, status_code=201 if added.created else 200, headers={"Location": f"/v1/assets/{added.view.id}"}
    )
