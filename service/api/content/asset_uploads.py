"""`/v1/assets/uploads`: uploads in parts, which go on where they broke off."""

from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import MayEdit
from service.api.http.replies import JsonReply, no_content
from service.api.http.routing import public_router, read_body, refuse_encoded
from service.schema.content.asset import MAX_UPLOAD_SIZE, AssetUploadResponse, UploadCreate
from service.services.assets.uploads import MAX_PART_BYTES, UploadService
from service.services.shared.threads import Threads

UPLOADS = "/v1/assets/uploads"
PART = "application/offset+octet-stream"
_PART = {"requestBody": {"required": True, "content": {PART: {"schema": {"type": "string", "format": "binary"}}}}}
OffsetHeader = Annotated[
    int, Header(alias="Upload-Offset", ge=0, le=MAX_UPLOAD_SIZE, description="The first byte of the part.")
]


def asset_upload_routes(*, uploads: UploadService, calls: Threads, route: type[APIRoute]) -> APIRouter:
    """Uploads of images and videos, part by part."""
    router = public_router(UPLOADS, tag="Assets", route=route)

    @router.post("", status_code=201, response_model=AssetUploadResponse)
    def begin_upload(body: UploadCreate, access: MayEdit) -> Response:
        """Begin an upload in parts, for a line that may break: PATCH the parts, and the last one makes the asset."""
        begun = uploads.begin(access.workspace, body)
        return _reply(begun, status=201, headers={"Location": f"{UPLOADS}/{begun.id}"})

    @router.get("/{upload}", response_model=AssetUploadResponse)
    def get_upload(upload: str, access: MayEdit) -> Response:
        """Get how far an upload is, to go on with it."""
        return _reply(uploads.get(access.workspace, upload))

    @router.patch("/{upload}", response_model=AssetUploadResponse, openapi_extra=_PART)
    async def send_part(upload: str, request: Request, access: MayEdit, offset: OffsetHeader) -> Response:
        """Send the part that begins at `Upload-Offset`: 256 KiB to 8 MiB, the last one any rest. The last part answers
        with the `asset`, or as an upload in one piece does; a part that does not follow answers 409 with the offset."""
        refuse_encoded(request)
        content = await read_body(request, limit=MAX_PART_BYTES)
        return _reply(await calls.run(uploads.take, access.workspace, upload, offset, content))

    @router.delete("/{upload}", status_code=204, response_model=None)
    async def give_upload_up(upload: str, access: MayEdit) -> Response:
        """Give an upload up. The asset that it has become stays."""
        await calls.run(uploads.remove, access.workspace, upload)
        return no_content()

    return router


def _reply(upload: AssetUploadResponse, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return JsonReply(upload, status_code=status, headers={**(headers or {}), "Upload-Offset": str(upload.offset)})
