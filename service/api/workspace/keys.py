"""`/v1/keys`."""

from starlette.responses import Response

from service.api.http.authentication import MayManageKeys
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.lists import Listing
from service.schema.workspace.key import KeyCreate, KeyResponse, NewKeyResponse
from service.services.registry import Services

routes = api_routes("/v1/keys", tag="Keys")
"""API keys of the workspace. A key can create, see and revoke only keys that may do no more than itself."""


@routes.get(response_model=Listing[KeyResponse])
def list_keys(services: Services, access: MayManageKeys, page: Paged) -> Response:
    """List keys, oldest first."""
    return JsonReply(services.key_manager.list(access, page))


@routes.post(status_code=201, response_model=NewKeyResponse)
def create_key(services: Services, body: KeyCreate, access: MayManageKeys) -> Response:
    """Create a key. `key` is shown only in this answer: the service stores a digest of it."""
    return created(services.key_manager.create(access, body), at="/v1/keys", secret=True)


@routes.get("/{key}", response_model=KeyResponse)
def get_key(services: Services, key: str, access: MayManageKeys) -> Response:
    """Get one key."""
    return resource(services.key_manager.get(access, key))


@routes.delete("/{key}")
def revoke_key(services: Services, key: str, access: MayManageKeys, expected: Expected) -> None:
    """Revoke a key: it stops working at once."""
    services.key_manager.revoke(access, key, expected)
