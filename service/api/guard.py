"""Who may call: API keys for the public API, device tokens for players."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Query
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from service.core.errors import unauthenticated
from service.core.permissions import Permission
from service.schema.lists import DEFAULT_LIMIT, MAX_LIMIT
from service.services.access.access import Access, KeyAuthenticator
from service.storage.paging import PageRequest
from service.storage.tables import ADDRESS_LENGTH

MAX_SECRET_CHARACTERS = 200

api_key = HTTPBearer(auto_error=False, scheme_name="apiKey", description="A key made with `menu-service keys create`.")
device_token = HTTPBearer(auto_error=False, scheme_name="deviceToken", description="What pairing gave to the player.")
"""These two only describe: the checks are below, where they answer as problems."""


class Guard:
    """Asks callers of the public API for their key."""

    def __init__(self, *, keys: KeyAuthenticator) -> None:
        self._keys = keys

    async def authenticate(self, request: Request) -> Access:
        """The caller. Raises the 401 problem."""
        secret = bearer(request)
        known = self._keys.cached(secret)
        return await run_in_threadpool(self._keys.authenticate, secret) if known is None else known


def bearer(request: Request) -> str:
    """The secret in the Authorization header (RFC 6750). Raises the 401 problem."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret or len(secret) > MAX_SECRET_CHARACTERS:
        raise unauthenticated("Send the header Authorization: Bearer <key>.")
    return secret


def address_of(request: Request) -> str:
    """Where a caller without a key calls from, to be counted by. A proxy may have said it: no longer than it can be."""
    return "" if request.client is None else request.client.host[:ADDRESS_LENGTH]


def caller(request: Request) -> Access:
    """Who calls, once the route has authenticated."""
    access = request.state.access
    if not isinstance(access, Access):
        raise TypeError("a guarded handler stands on a route that authenticates")
    return access


def allow(permission: Permission) -> Callable[[Request], Awaitable[Access]]:
    """A dependency that hands over the caller if its role has the permission, and raises 403 if not."""

    async def check(request: Request) -> Access:
        access = caller(request)
        access.require(permission)
        return access

    return check


Reader = Annotated[Access, Depends(allow(Permission.READ))]
Editor = Annotated[Access, Depends(allow(Permission.EDIT))]
Publisher = Annotated[Access, Depends(allow(Permission.PUBLISH))]
Installer = Annotated[Access, Depends(allow(Permission.SCREENS))]
KeyKeeper = Annotated[Access, Depends(allow(Permission.KEYS))]
WebhookKeeper = Annotated[Access, Depends(allow(Permission.WEBHOOKS))]
PosKeeper = Annotated[Access, Depends(allow(Permission.POS))]
TeamKeeper = Annotated[Access, Depends(allow(Permission.TEAM))]
Payer = Annotated[Access, Depends(allow(Permission.BILLING))]


async def page_request(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many at most.")] = DEFAULT_LIMIT,
    cursor: Annotated[str | None, Query(max_length=200, description="`pagination.cursor` of the page before.")] = None,
) -> PageRequest:
    """Which page of a list."""
    return PageRequest(limit=limit, cursor=cursor)


Paged = Annotated[PageRequest, Depends(page_request)]
