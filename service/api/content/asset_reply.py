"""Sends the bytes of an asset: whole, one range (RFC 9110, section 14), or 304; or a link to them in the store."""

import re
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.core.errors import ProblemError
from service.services.assets.assets import AssetService, StoredAsset
from service.services.shared.threads import Threads

RANGES = {
    "parameters": [
        {"name": name, "in": "header", "description": words, "schema": {"type": "string"}}
        for name, words in (
            ("Range", "`bytes=0-1023`: one range of the bytes (RFC 9110, section 14)."),
            ("If-Range", "Serve the range only if the `ETag` is still this one."),
        )
    ]
}
"""The range headers in the API document."""

# At most 15 digits: no asset is longer, and int() stays quick.
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes from `start` up to, but without, `end`."""

    start: int
    end: int


class UnsatisfiableRangeError(Exception):
    """Raised if the range starts after the last byte."""


def byte_range(header: str | None, size: int) -> ByteRange | None:
    """Parses the single range of a Range header; None for the whole asset.

    A malformed header and one with several ranges are ignored, as the standard allows. Raises UnsatisfiableRangeError.
    """
    asked = None if header is None else _RANGE.fullmatch(header.strip())
    if asked is None or asked.groups() == ("", ""):
        return None
    first, last = asked.groups()
    if first == "":
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), size if last == "" else min(int(last) + 1, size)
        if last != "" and int(last) < start:
            return None
    if start >= size:
        raise UnsatisfiableRangeError
    return ByteRange(start, end)


def named_tags(header: str | None) -> frozenset[str]:
    """Parses the entity tags in an If-None-Match header (RFC 9110, section 13.1.2); it may name `*`."""
    tags = [] if header is None else header.split(",")
    return frozenset(tag.strip().removeprefix("W/").strip('"') for tag in tags)


def matches(header: str | None, etag: str) -> bool:
    """Returns whether an If-None-Match header names this entity tag."""
    return not named_tags(header).isdisjoint((etag, "*"))


async def asset_reply(request: Request, assets: AssetService, asset: StoredAsset, calls: Threads) -> Response:
    """Sends the asset, or the requested range of it. Raises the 416 problem, and 503 if the file is damaged or missing,
    or the store does not answer."""
    headers = {
        "ETag": f'"{asset.digest}"',
        "Cache-Control": "private, max-age=31536000, immutable",
        "Accept-Ranges": "bytes",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    if matches(request.headers.get("if-none-match"), asset.digest):
        return Response(status_code=304, headers=headers)
    await calls.run(assets.whole, asset)
    part = _part(request, asset)
    if part is None:
        part, status = ByteRange(0, asset.size), 200
    else:
        status = 206
        headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{asset.size}"
    headers["Content-Length"] = str(part.end - part.start)
    chunks = assets.read(asset, part.start, part.end)
    return StreamingResponse(calls.portions(chunks), status_code=status, headers=headers, media_type=asset.media_type)


def link_reply(link: str) -> Response:
    """Redirects to the bytes in the store with 307. The link is a secret of the caller while it is valid."""
    return Response(status_code=307, headers={"Location": link, "Cache-Control": "private, no-store"})


def _part(request: Request, asset: StoredAsset) -> ByteRange | None:
    condition = request.headers.get("if-range")
    if condition is not None and condition.strip() != f'"{asset.digest}"':
        return None
    try:
        return byte_range(request.headers.get("range"), asset.size)
    except UnsatisfiableRangeError:
        raise ProblemError(
            416,
            "range_not_satisfiable",
            "The range lies behind the end",
            f"The asset has {asset.size} bytes.",
            headers={"Content-Range": f"bytes */{asset.size}"},
        ) from None
