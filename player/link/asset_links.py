"""Reads the bytes of an asset from an answer, or the link to them that the service may give (docs/adr/0191)."""

from __future__ import annotations

from typing import Protocol

import httpx

from player.domain.link.fault import Fault
from player.link.http_outcomes import MARK, MAX_WORDS, portal, start_of
from player.link.outcomes import Failed, Fetched

MAX_LINK_LENGTH = 4096


class Sink(Protocol):
    async def begin(self, offset: int) -> bool:
        """Accepts the body from this byte of the asset on; False if the sink cannot use that."""
        ...

    async def write(self, chunk: bytes) -> bool:
        """Accepts the next bytes; False to stop reading."""
        ...


async def received(response: httpx.Response, sink: Sink) -> Fetched | Failed:
    """Writes the body of a 200 or 206 into the sink."""
    if "html" in response.headers.get("content-type", ""):
        return portal(response, "it answers a download with a web page")
    start = start_of(response)
    if start is None or not await sink.begin(start):
        return Failed(fault=Fault.NOT_UNDERSTOOD, detail="it sends another part of the file than asked for")
    async for chunk in response.aiter_raw():
        if not await sink.write(chunk):
            break
    return Fetched()


class NoUseError(Exception):
    """A link that gave no byte. The link itself is a secret, so only its host is reported."""

    def __init__(self, target: httpx.URL | None, detail: str) -> None:
        super().__init__(f"{_named(target)}: {detail[:MAX_WORDS]}")


def linked_target(response: httpx.Response) -> httpx.URL | None:
    """Returns the address of the store; None if the answer is no link of the service's, as the redirect of a guest
    network. Raises NoUseError for one that is not to be followed."""
    if response.status_code != httpx.codes.TEMPORARY_REDIRECT or MARK not in response.headers:
        return None
    told = response.headers.get("location", "")
    if len(told) > MAX_LINK_LENGTH:
        raise NoUseError(None, "its address is too long")
    try:
        target = httpx.URL(told)
    except httpx.InvalidURL:
        raise NoUseError(None, "it has no address") from None
    allowed = ("https",) if response.request.url.scheme == "https" else ("https", "http")
    if target.scheme not in allowed or not target.host or target.userinfo or not 0 < (target.port or 443) < 65_536:
        raise NoUseError(target, "its address is not one of https")
    return target


def of_store(target: httpx.URL, detail: str, *, cut: bool) -> Failed:
    """Failure of the store during the transfer: the service has answered."""
    return Failed(fault=Fault.SERVICE_DECLINES, detail=f"{_named(target)}: {detail[:MAX_WORDS]}", cut=cut)


def _named(target: httpx.URL | None) -> str:
    return f"the store of files at {target.host[:MAX_WORDS]}" if target is not None else "the store of files"
