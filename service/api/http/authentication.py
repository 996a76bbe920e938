"""Authenticates callers by API key or device token, and checks permissions."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from service.core.errors import unauthenticated
from service.core.permissions import Permission
from service.services.access.access import Access, KeyAuthenticator
from service.storage.tables.base import ADDRESS_LENGTH

MAX_SECRET_CHARACTERS = 200

API_KEY, DEVICE_TOKEN = "apiKey", "deviceToken"
SECURITY_SCHEMES = {
    name: {"type": "http", "description": words, "scheme": "bearer"}
    for name, words in (
        (API_KEY, "A key made with `menu-service keys create`."),
        (DEVICE_TOKEN, "The token that a player gets by pairing."),
    )
}
"""The schemes in the API document. The checks are below: they answer with problems."""


def secured(scheme: str, extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """Adds the scheme to a route in the API document. Not a dependency: each call would resolve it again."""
    return {"security": [{scheme: []}], **(extra or {})}


async def authenticate(keys: KeyAuthenticator, request: Request) -> Access:
    """The caller of the public API, by the key. Raises the 401 problem."""
    secret = bearer(request)
    known = keys.cached(secret)
    return await run_in_threadpool(keys.authenticate, secret) if known is None else known


def bearer(request: Request) -> str:
    """Returns the secret in the Authorization header (RFC 6750). Raises the 401 problem."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret or len(secret) > MAX_SECRET_CHARACTERS:
        raise unauthenticated("Send the header Authorization: Bearer <key>.")
    return secret


def address_of(request: Request) -> str:
    """Returns the address of a caller without a key, for limits per address. A proxy may have set it: cut to a safe
    length."""
    return "" if request.client is None else request.client.host[:ADDRESS_LENGTH]


def caller(request: Request) -> Access:
    access = request.state.access
    if not isinstance(access, Access):
        raise TypeError("the route does not authenticate: list it by api_routes")
    return access


def allow(permission: Permission) -> Callable[[Request], Awaitable[Access]]:
    """Makes a dependency that returns the caller if its role has the permission, and raises the 403 problem if not."""

    async def check(request: Request) -> Access:
        access = caller(request)
        access.require(permission)
        return access

    return check


def _allow_everywhere() -> Callable[[Request], Awaitable[Access]]:
    edit = allow(Permission.EDIT)

    async def check(request: Request) -> Access:
        access = await edit(request)
        access.reach_all()
        return access

    return check


MayRead = Annotated[Access, Depends(allow(Permission.READ))]
MayEdit = Annotated[Access, Depends(allow(Permission.EDIT))]
MayEditEverywhere = Annotated[Access, Depends(_allow_everywhere())]
"""May change what boards of all locations show at once: items, and the words and categories that they share."""
MayPublish = Annotated[Access, Depends(allow(Permission.PUBLISH))]
MayManageScreens = Annotated[Access, Depends(allow(Permission.SCREENS))]
MayManageKeys = Annotated[Access, Depends(allow(Permission.KEYS))]
MayManageWebhooks = Annotated[Access, Depends(allow(Permission.WEBHOOKS))]
MayManageAlerts = Annotated[Access, Depends(allow(Permission.ALERTS))]
MayManagePos = Annotated[Access, Depends(allow(Permission.POS))]
MayManageTeam = Annotated[Access, Depends(allow(Permission.TEAM))]
MayReadAudit = Annotated[Access, Depends(allow(Permission.AUDIT))]
MayDecideSignIn = Annotated[Access, Depends(allow(Permission.SIGN_IN))]
MayChangeSubscription = Annotated[Access, Depends(allow(Permission.BILLING))]
