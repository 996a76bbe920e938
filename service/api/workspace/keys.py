"""`/v1/keys`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayManageKeys
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.lists import Listing
from service.schema.workspace.key import KeyCreate, KeyResponse, NewKeyResponse
from service.services.access.keys import KeyManager


def key_routes(*, key_manager: KeyManager, route: type[APIRoute]) -> APIRouter:
    """API keys of the workspace. A key can create, see and revoke only keys that may do no more than itself."""
    router = public_router("/v1/keys", tag="Keys", route=route)

    @router.get("", response_model=Listing[KeyResponse])
    def list_keys(access: MayManageKeys, page: Paged) -> Response:
        """List keys, oldest first."""
        return JsonReply(key_manager.list(access, page))

    @router.post("", status_code=201, response_model=NewKeyResponse)
    def create_key(body: KeyCreate, access: MayManageKeys) -> Response:
        """Create a key. `key` is shown only in this answer: the service stores a digest of it."""
        document = key_manager.create(access, body)
        answer = created(document, at=f"/v1/keys/{document.id}")
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @router.get("/{key}", response_model=KeyResponse)
    def get_key(key: str, access: MayManageKeys) -> Response:
        """Get one key."""
        return resource(key_manager.get(access, key))

    @router.delete("/{key}", status_code=204, response_model=None)
    def revoke_key(key: str, access: MayManageKeys, expected: Expected) -> Response:
        """Revoke a key: it stops working at once."""
        key_manager.revoke(access, key, expected)
        return no_content()

    return router
