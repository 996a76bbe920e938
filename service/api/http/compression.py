"""Compresses replies for clients that accept gzip."""

import gzip
import re

from starlette.requests import Request
from starlette.responses import Response

FEWEST_BYTES = 1000
"""A shorter body fits into one packet as it is."""

_GZIP = re.compile(r"(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q\s*=\s*(?!0(?:\.0*)?\s*(?:,|$))[\d.]+)?\s*(?=$|,)", re.IGNORECASE)


def takes_gzip(request: Request) -> bool:
    """Returns whether the client accepts a gzip body (RFC 9110, section 12.5.3)."""
    return _GZIP.search(",".join(request.headers.getlist("accept-encoding"))) is not None


def compress(request: Request, reply: Response) -> Response:
    """Compresses the body if the client accepts that. A page with a secret shows it masked (BREACH)."""
    reply.headers.add_vary_header("Accept-Encoding")
    if len(reply.body) >= FEWEST_BYTES and takes_gzip(request):
        reply.body = gzip.compress(bytes(reply.body), compresslevel=6, mtime=0)
        reply.headers["Content-Encoding"] = "gzip"
        reply.headers["Content-Length"] = str(len(reply.body))
    return reply
