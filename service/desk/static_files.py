"""Serves the static files of the desk from memory, at addresses with the digest of all of them: cached for good."""

import hashlib
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.compression import compress

PREFIX = "/desk/static"
_FOLDER = Path(__file__).parent / "static"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".jpg": "image/jpeg"}
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable"}


@cache
def static_url(name: str) -> str:
    """Returns the address of a file. A module finds those beside it by their plain names."""
    if name not in _files():
        raise KeyError(name)
    return f"{PREFIX}/{_digest()}/{name}"


def static_routes() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get(PREFIX + "/{digest}/{name}")
    async def get_file(digest: str, name: str, request: Request) -> Response:
        """Sends the current file: an older digest is that of a page from before an update."""
        content = _files().get(name)
        if content is None:
            raise HTTPException(404)
        headers = _HEADERS if digest == _digest() else {"Cache-Control": "no-store"}
        reply = Response(content, media_type=_TYPES[Path(name).suffix], headers=headers)
        return reply if name.endswith(".jpg") else compress(request, reply)

    return router


@cache
def _files() -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(_FOLDER.iterdir()) if file.suffix in _TYPES}


@cache
def _digest() -> str:
    whole = hashlib.sha256()
    for name, content in _files().items():
        whole.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return whole.hexdigest()[:16]
