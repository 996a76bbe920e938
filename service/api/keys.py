"""`/v1/keys`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.guard import KeyKeeper, Paged
from service.api.preconditions import Expected
from service.api.replies import JsonReply, created, nothing, resource
from service.api.routing import public_router
from service.schema.key import KeyCreate, KeyResponse, NewKeyResponse
from service.schema.lists import Listing
from service.services.access.keys import KeyManager


def key_routes(*, key_manager: KeyManager, route: type[APIRoute]) -> APIRouter:
    """API keys of the workspace. A key makes, sees and revokes none that may do more than itself."""
    router = public_router("/v1/keys", tag="Keys", route=route)

    @router.get("", response_model=Listing[KeyResponse])
    def list_keys(access: KeyKeeper, page: Paged) -> Response:
        """List keys, oldest first."""
        return JsonReply(key_manager.list(access, page))

    @router.post("", status_code=201, response_model=NewKeyResponse)
    def create_key(body: KeyCreate, access: KeyKeeper) -> Response:
        """Make a key. `key` in the answer is shown this once: the service keeps a digest of it."""
        view = key_manager.create(access, body)
        answer = created(view, at=f"/v1/keys/{view.id}")
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @router.get("/{key}", response_model=KeyResponse)
    def get_key(key: str, access: KeyKeeper) -> Response:
        """Get one key."""
        return resource(key_manager.get(access, key))

    @router.delete("/{key}", status_code=204, response_model=None)
    def revoke_key(key: str, access: KeyKeeper, expected: Expected) -> Response:
        """Revoke a key: it is worth nothing from now on."""
        key_manager.revoke(access, key, expected)
        return nothing()

    return router
