"""`/v1/player`: the calls of paired players (docs/protocol.md)."""

import re
from functools import lru_cache
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.asset_reply import RANGES, asset_reply, link_reply, named_tags
from service.api.http.authentication import bearer
from service.api.http.bodies import body_schema, model_of
from service.api.http.compression import takes_gzip
from service.api.http.direct_routes import DirectRoute
from service.api.http.preferences import prefer_wait, preferred_wait
from service.api.http.replies import JsonReply, PreparedReply
from service.api.http.routes import api_routes
from service.api.http.routing import read_body, read_json_body
from service.core.clock import instant_text
from service.core.errors import ProblemError, token_revoked, token_unknown, unsupported_media_type
from service.core.ids import digest_of
from service.schema.devices.device import Heartbeat, HeartbeatResponse, HeartbeatScreen, UploadResponse
from service.schema.devices.manifest import ManifestResponse
from service.schema.devices.receipt import ReceiptReport, ReceiptsTaken
from service.services.devices.directory import Device
from service.services.devices.held_polls import MAX_WAIT_SECONDS, Fresh, Revoked, Unchanged
from service.services.devices.screen_uploads import MAX_LOG_BYTES, MAX_SCREENSHOT_BYTES, Kind
from service.services.publishing.composition import PLAYER_SETTINGS
from service.services.registry import Services

MAX_HEARTBEAT_BYTES = 64 * 1024
MAX_RECEIPTS_BYTES = 256 * 1024
MAX_PREPARED = 64
"""Headers that are kept encoded: of boards that are answered one after the other."""
_Headers = tuple[tuple[bytes, bytes], ...]
_PNG = b"\x89PNG\r\n\x1a\n"


def _body(media_type: str) -> dict[str, Any]:
    schema = {"type": "string", "format": "binary"}
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


HEARTBEAT_HEADER = "Menu-Heartbeat"
"""On the answer to a held poll: the player is to send a heartbeat at once. On the poll: it does so."""
_HEARTBEAT_NOW = HEARTBEAT_HEADER.lower().encode(), b"now"

_ASKED = {
    "name": HEARTBEAT_HEADER,
    "in": "header",
    "description": "Any value: a command ends the held request, and the player sends a heartbeat then.",
    "schema": {"type": "string"},
}
HOLDS_HEADER = "Menu-Holds"
"""On a poll: the epoch and the revision that the board has used, which are newer than what the service has sent it."""
_HOLDING = {
    "name": HOLDS_HEADER,
    "in": "header",
    "description": "Epoch and revision that the player holds, if it refused the manifest of `If-None-Match` as older.",
    "schema": {"type": "string"},
}
REDIRECT_HEADER = "Menu-Redirect"
"""On a request for an asset: `accepted` by players that follow a link to the store."""
_REDIRECTED = {
    "name": REDIRECT_HEADER,
    "in": "header",
    "description": "`accepted`: the player fetches the bytes from a signed link, if there is one.",
    "schema": {"type": "string"},
}
_LINKED = {
    "description": "The bytes are at `Location` for some minutes, without the token.",
    "headers": {"Location": {"schema": {"type": "string", "format": "uri"}}},
}
_HOLDS = re.compile(r"([\x21-\x7e]{1,100}) ([0-9]{1,15})", re.ASCII)

routes = api_routes("/v1/player", tag="Players", route=DirectRoute)
"""The calls of paired players."""


@routes.get(
    "/manifest",
    response_model=ManifestResponse,
    openapi_extra={
        "parameters": [*prefer_wait(MAX_WAIT_SECONDS, "the manifest changes")["parameters"], _ASKED, _HOLDING]
    },
)
async def get_manifest(services: Services, request: Request) -> Response:
    """Get the manifest of the screen. With `Prefer: wait=25` the request is held until its ETag changes."""
    device = await _device(services, request)
    wait = preferred_wait(request, most=MAX_WAIT_SECONDS)
    given = named_tags(request.headers.get("if-none-match"))
    gzipped = takes_gzip(request)

    def known(etag: str) -> bool:
        return etag in given or "*" in given

    if (holds := _HOLDS.fullmatch(request.headers.get(HOLDS_HEADER, ""))) is not None:
        now = await services.held_polls.poll(device, known=known, wait=0)
        # The player has refused this very manifest: no cache and no other process sent it an old one.
        if isinstance(now, Unchanged) and now.manifest.is_behind(holds[1], int(holds[2])):
            await run_in_threadpool(services.epochs.contradicted, now.manifest.epoch, screen=device.screen)
    with services.presence.holding(device.screen, token=device.token_digest):
        answer = await services.held_polls.poll(
            device,
            known=known,
            wait=wait or 0,
            # A player before 0.3.0 does not: it would take an early answer for a network that holds no requests.
            sends_heartbeat=HEARTBEAT_HEADER in request.headers,
        )
    match answer:
        case Fresh(manifest):
            body = manifest.compressed if gzipped else manifest.body
            return PreparedReply(200, _headers_of_body(manifest.etag, wait, len(body), gzipped=gzipped), body)
        case Unchanged(manifest, heartbeat_wanted):
            headers = _headers(manifest.etag, wait)
            return PreparedReply(304, (*headers, _HEARTBEAT_NOW) if heartbeat_wanted else headers)
        case Revoked():
            raise await _refusal(services, device.token_digest)


@routes.post("/heartbeat", response_model=HeartbeatResponse, openapi_extra=body_schema(Heartbeat))
async def post_heartbeat(services: Services, request: Request) -> Response:
    """Report the state of the player and what it shows."""
    device = await _device(services, request)
    _, document = await read_json_body(request, limit=MAX_HEARTBEAT_BYTES)
    now = services.clock.now()
    services.held_polls.heartbeat_came(device.screen)
    heartbeat = model_of(Heartbeat, document)
    two_devices = services.presence.report(device.screen, heartbeat, token=device.token_digest, at=now)
    if heartbeat.results:
        # Before the answer: the player tells them again until it is answered.
        await run_in_threadpool(services.commands.finish, device.screen, heartbeat.results)
    pending = (
        await run_in_threadpool(services.commands.fetch, device.screen)
        if services.commands.waiting(device.screen)
        else []
    )
    return JsonReply(
        HeartbeatResponse(
            server_time=instant_text(now),
            screen=HeartbeatScreen(id=device.screen, name=device.name, display=device.display),
            settings=PLAYER_SETTINGS,
            commands=list(pending),
            wanted_version=services.rollouts.wanted(device, running=heartbeat.app_version),
            manifest_etag=services.held_polls.newest(device.manifest_key),
            two_devices=two_devices,
        )
    )


@routes.post("/receipts", response_model=ReceiptsTaken, openapi_extra=body_schema(ReceiptReport))
async def post_receipts(services: Services, request: Request) -> Response:
    """Report what was on the glass. What comes again is stored once."""
    device = await _device(services, request)
    _, document = await read_json_body(request, limit=MAX_RECEIPTS_BYTES)
    report, workspace = model_of(ReceiptReport, document), device.manifest_key.workspace
    taken = await run_in_threadpool(
        lambda: services.receipts.keep(workspace, device.screen, report, token=device.token_digest)
    )
    return JsonReply(taken)


@routes.put("/screenshot", response_model=UploadResponse, openapi_extra=_body("image/png"))
async def put_screenshot(services: Services, request: Request) -> Response:
    """Send a picture of what is on the glass: PNG, at most 8 MiB. It replaces the one before."""
    device = await _device(services, request)
    content = await read_body(request, limit=MAX_SCREENSHOT_BYTES)
    if not content.startswith(_PNG):
        raise unsupported_media_type("image/png")
    return await _keep(services, device, "screenshot", "image/png", content)


@routes.put("/logs", response_model=UploadResponse, openapi_extra=_body("text/plain"))
async def put_logs(services: Services, request: Request) -> Response:
    """Send the end of the player's log: UTF-8, at most 256 KiB. It replaces the one before."""
    device = await _device(services, request)
    content = await read_body(request, limit=MAX_LOG_BYTES)
    if not content:
        raise unsupported_media_type("text/plain")
    return await _keep(services, device, "logs", "text/plain; charset=utf-8", content)


async def _device(services: Services, request: Request) -> Device:
    """The calling device; each call counts as a contact. Raises the 401 problem if no screen has this token."""
    token = bearer(request)
    device = services.devices.by_token(token) or await run_in_threadpool(services.devices.read_token, token)
    if device is None:
        raise await _refusal(services, digest_of(token))
    if not device.token_used:
        await run_in_threadpool(services.pairing.confirm, device.screen, token_digest=device.token_digest)
    services.presence.touch(device.screen, token=device.token_digest, at=services.clock.now())
    return device


async def _refusal(services: Services, token_digest: str) -> ProblemError:
    """The 401 problem for a token that no screen holds: `token_revoked` or `token_unknown`."""
    revoked = await run_in_threadpool(services.revoked_tokens.known, token_digest)
    return token_revoked(token_digest) if revoked else token_unknown()


async def _keep(services: Services, device: Device, kind: Kind, media_type: str, content: bytes) -> Response:
    await run_in_threadpool(
        lambda: services.uploads.keep(
            device.screen, kind, token=device.token_digest, media_type=media_type, content=content
        )
    )
    return JsonReply(UploadResponse(received_at=instant_text(services.clock.now())))


@routes.get(
    "/assets/{asset}",
    response_class=Response,
    openapi_extra={"parameters": [*RANGES["parameters"], _REDIRECTED], "responses": {"307": _LINKED}},
)
async def get_player_asset(services: Services, asset: str, request: Request) -> Response:
    """Get the bytes of an asset, or one range of them, so that a download can resume; or a link to them."""
    device = await _device(services, request)
    found = await run_in_threadpool(services.assets.get, device.manifest_key.workspace, asset)
    # A player before 0.4.0 takes a redirect for the log-in page of a guest network.
    if request.headers.get(REDIRECT_HEADER) == "accepted":
        link = await services.store_calls.run(services.assets.link, found)
        if link is not None:
            return link_reply(link)
    return await asset_reply(request, services.assets, found, services.store_calls)


@lru_cache(MAX_PREPARED)
def _headers(etag: str, wait: int | None) -> _Headers:
    headers = {
        "etag": f'"{etag}"',
        "cache-control": "private, no-cache",
        "vary": "Authorization, Accept-Encoding, Prefer",
        **({} if wait is None else {"preference-applied": f"wait={wait}"}),
    }
    return tuple((name.encode(), value.encode()) for name, value in headers.items())


@lru_cache(MAX_PREPARED)
def _headers_of_body(etag: str, wait: int | None, length: int, *, gzipped: bool) -> _Headers:
    coding = [(b"content-encoding", b"gzip")] if gzipped else []
    of_body = (b"content-length", b"%d" % length), (b"content-type", b"application/json")
    return (*_headers(etag, wait), *coding, *of_body)
