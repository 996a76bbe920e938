"""`/v1/assets/uploads`: uploads in parts, which can be resumed."""

from typing import Annotated

from fastapi import Header
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import MayEdit
from service.api.http.replies import JsonReply, no_content
from service.api.http.routes import api_routes
from service.api.http.routing import read_body, refuse_encoded
from service.schema.content.asset import MAX_UPLOAD_SIZE, AssetUploadResponse, UploadCreate
from service.services.assets.uploads import MAX_PART_BYTES
from service.services.registry import Services

UPLOADS = "/v1/assets/uploads"
PART = "application/offset+octet-stream"
_PART = {"requestBody": {"required": True, "content": {PART: {"schema": {"type": "string", "format": "binary"}}}}}
OffsetHeader = Annotated[
    int, Header(alias="Upload-Offset", ge=0, le=MAX_UPLOAD_SIZE, description="The first byte of the part.")
]

routes = api_routes(UPLOADS, tag="Assets")
"""Uploads of images and videos, part by part."""


@routes.post(status_code=201, response_model=AssetUploadResponse)
def begin_upload(services: Services, body: UploadCreate, access: MayEdit) -> Response:
    """Begin an upload in parts, for a line that may break: PATCH the parts, and the last one makes the asset."""
    begun = services.asset_uploads.begin(access.workspace, body)
    return _reply(begun, status=201, headers={"Location": f"{UPLOADS}/{begun.id}"})


@routes.get("/{upload}", response_model=AssetUploadResponse)
def get_upload(services: Services, upload: str, access: MayEdit) -> Response:
    """Get how far an upload is, to go on with it."""
    return _reply(services.asset_uploads.get(access.workspace, upload))


@routes.patch("/{upload}", response_model=AssetUploadResponse, openapi_extra=_PART)
async def send_part(
    services: Services, upload: str, request: Request, access: MayEdit, offset: OffsetHeader
) -> Response:
    """Send the part that begins at `Upload-Offset`: 256 KiB to 8 MiB, the last one any rest. The last part answers
    with the `asset`, or as an upload in one piece does; a part that does not follow answers 409 with the offset."""
    refuse_encoded(request)
    content = await read_body(request, limit=MAX_PART_BYTES)
    return _reply(
        await services.store_calls.run(services.asset_uploads.take, access.workspace, upload, offset, content)
    )


@routes.delete("/{upload}")
async def give_upload_up(services: Services, upload: str, access: MayEdit) -> Response:
    """Give an upload up. The asset that it has become stays."""
    await services.store_calls.run(services.asset_uploads.remove, access.workspace, upload)
    return no_content()


def _reply(upload: AssetUploadResponse, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return JsonReply(upload, status_code=status, headers={**(headers or {}), "Upload-Offset": str(upload.offset)})
