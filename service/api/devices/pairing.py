"""`/v1/player/device_authorization` and `/v1/player/token`: the device grant of RFC 8628, errors of RFC 6749."""

import re
from typing import assert_never
from urllib.parse import parse_qsl, quote

from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import address_of
from service.api.http.bodies import body_schema
from service.api.http.preferences import prefer_wait, preferred_wait
from service.api.http.replies import JsonReply
from service.api.http.routes import api_routes
from service.api.http.routing import read_body
from service.core.errors import ProblemError
from service.core.ids import digest_of
from service.schema.devices.enrolment import MAX_ENROLMENT_TOKEN_LENGTH
from service.schema.devices.pairing import (
    CodesResponse,
    DeviceForm,
    OAuthErrorCode,
    OAuthErrorResponse,
    TokenForm,
    TokenResponse,
)
from service.services.devices.held_codes import MAX_WAIT_SECONDS, HeldCodes
from service.services.devices.pairing import (
    CODE_LIFETIME,
    INTERVAL_SECONDS,
    Codes,
    Denied,
    Expired,
    Grant,
    Granted,
    PairingRequest,
    PairingService,
    Pending,
    TooManyCodes,
    Unknown,
)
from service.services.registry import Services

CLIENT_ID = "menu-player"
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
MAX_FORM_BYTES = 16 * 1024
MAX_FORM_FIELDS = 20
DEVICE_NAME_CHARACTERS = 200

_FORM = "application/x-www-form-urlencoded"
_DEVICE_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


class OAuthError(Exception):
    """An OAuth error (RFC 6749, section 5.2)."""

    def __init__(
        self,
        error: OAuthErrorCode,
        description: str,
        *,
        status: int = 400,
        retry_after: int | None = None,
        held: int | None = None,
    ) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status
        self.retry_after = retry_after
        self.held = held

    def reply(self) -> Response:
        headers = dict(_NO_STORE)
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        if self.held is not None:
            headers["Preference-Applied"] = f"wait={self.held}"
        document = OAuthErrorResponse(error=self.error, error_description=self.description)
        return JsonReply(document, status_code=self.status, headers=headers)


routes = api_routes("/v1/player", tag="Players", route=APIRoute, problems=False)
"""Pairing, from the player's side."""


@routes.post(
    "/device_authorization",
    response_model=CodesResponse,
    openapi_extra=body_schema(DeviceForm, media_type=_FORM),
)
async def authorize_device(services: Services, request: Request) -> Response:
    """Request a code to show (RFC 8628, section 3.1). A form with `client_id` and `device_id`."""
    try:
        form = await _read_form(request)
        codes = await run_in_threadpool(services.pairing.apply, _pairing_request(form, request))
        match codes:
            case TooManyCodes():
                raise _too_many(codes)
            case Codes():
                return _codes_response(codes, services.public_url)
            case _:
                assert_never(codes)
    except OAuthError as refusal:
        return refusal.reply()


@routes.post(
    "/token",
    response_model=TokenResponse,
    openapi_extra={
        **body_schema(TokenForm, media_type=_FORM),
        **prefer_wait(MAX_WAIT_SECONDS, "the code is claimed"),
    },
)
async def fetch_token(services: Services, request: Request) -> Response:
    """Request the token of a claimed code (RFC 8628, section 3.4). With `Prefer: wait=25` the request is held until
    it is."""
    try:
        form = await _read_form(request)
        if _required(form, "grant_type") != GRANT_TYPE:
            raise OAuthError("unsupported_grant_type", f"The grant type here is {GRANT_TYPE}.")
        _check_client(form)
        device_code = _required(form, "device_code")
        wait = preferred_wait(request, most=MAX_WAIT_SECONDS)
        grant, held = await _grant(services.pairing, services.held_codes, device_code, wait=wait or 0)
        return _token_response(grant, held=held)
    except OAuthError as refusal:
        return refusal.reply()


async def _grant(
    pairing: PairingService, held_codes: HeldCodes, device_code: str, *, wait: int
) -> tuple[Grant, int | None]:
    """Returns the response to the call, and for how long it could have been held if it was."""
    if wait <= 0:
        return await run_in_threadpool(pairing.grant, device_code), None
    # Before the query: a claim between the two ends the hold.
    with held_codes.hold(digest_of(device_code)) as hold:
        grant = await run_in_threadpool(pairing.grant, device_code)
        if grant != Pending(too_fast=False):
            return grant, None
        await hold.wait(wait)
    return await run_in_threadpool(lambda: pairing.grant(device_code, was_held=True)), wait


def _token_response(grant: Grant, *, held: int | None) -> Response:
    match grant:
        case Granted():
            document = TokenResponse(
                access_token=grant.access_token,
                token_type="Bearer",  # noqa: S106
                screen_id=grant.screen,
                screen_name=grant.screen_name,
                locale=grant.locale,
                workspace_id=grant.workspace,
            )
            return JsonReply(document, headers=_NO_STORE)
        case Pending(too_fast=True):
            raise OAuthError("slow_down", "Wait five seconds longer between two calls.")
        case Pending():
            raise OAuthError("authorization_pending", "Nobody has entered the code yet.", held=held)
        case Expired():
            raise OAuthError("expired_token", "The code was not entered in time; ask for a new one.")
        case Denied():
            raise OAuthError("access_denied", "The screen was removed; ask for a new code.")
        case Unknown():
            raise OAuthError("invalid_grant", "This device code is not known, or it has been used.")
        case _:
            assert_never(grant)


def _codes_response(codes: Codes, public_url: str) -> Response:
    half = len(codes.user_code) // 2
    shown = f"{codes.user_code[:half]}-{codes.user_code[half:]}"
    page = f"{public_url}/pair"
    document = CodesResponse(
        device_code=codes.device_code,
        user_code=shown,
        verification_uri=page,
        verification_uri_complete=f"{page}?code={quote(shown)}",
        expires_in=int(CODE_LIFETIME.total_seconds()),
        interval=INTERVAL_SECONDS,
        enrolment=codes.enrolment,
    )
    return JsonReply(document, headers=_NO_STORE)


def _too_many(refusal: TooManyCodes) -> OAuthError:
    if refusal.everywhere:
        return OAuthError(
            "temporarily_unavailable",
            "Too many devices are waiting to be paired.",
            status=503,
            retry_after=refusal.retry_after,
        )
    return OAuthError(
        "temporarily_unavailable",
        "Too many devices at this address are waiting to be paired.",
        status=429,
        retry_after=refusal.retry_after,
    )


async def _read_form(request: Request) -> dict[str, str]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise OAuthError("invalid_request", f"The body is a form: Content-Type: {_FORM}.")
    try:
        raw = await read_body(request, limit=MAX_FORM_BYTES)
        pairs = parse_qsl(raw.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FORM_FIELDS)
    except ProblemError as problem:
        raise OAuthError("invalid_request", problem.detail, status=problem.status) from None
    except ValueError:
        raise OAuthError("invalid_request", "The body is not a form in UTF-8.") from None
    form = dict(pairs)
    if len(form) != len(pairs):
        raise OAuthError("invalid_request", "A parameter is given twice.")
    return form


def _required(form: dict[str, str], name: str) -> str:
    # RFC 6749, section 3.1: a parameter without a value counts as left out.
    value = form.get(name)
    if not value:
        raise OAuthError("invalid_request", f"The parameter {name} is required.")
    return value


def _check_client(form: dict[str, str]) -> None:
    if _required(form, "client_id") != CLIENT_ID:
        raise OAuthError("invalid_client", f"The client here is {CLIENT_ID}.")


def _pairing_request(form: dict[str, str], request: Request) -> PairingRequest:
    _check_client(form)
    device_id = _required(form, "device_id").lower()
    if not _DEVICE_ID.fullmatch(device_id):
        raise OAuthError("invalid_request", "The device_id is 32 hex digits.")
    return PairingRequest(
        device_id=device_id,
        device_name=_clean(form.get("device_name")),
        address=address_of(request),
        enrolment_token=(form.get("enrolment_token") or "")[: MAX_ENROLMENT_TOKEN_LENGTH + 1] or None,
    )


def _clean(text: str | None) -> str | None:
    """Cleans a device's name for itself instead of refusing it: it only helps users."""
    return _CONTROL.sub(" ", text or "").strip()[:DEVICE_NAME_CHARACTERS] or None
