"""`/v1/enrolment-tokens`."""

from starlette.responses import Response

from service.api.http.authentication import MayManageScreens
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.devices.enrolment import EnrolmentTokenCreate, EnrolmentTokenResponse, NewEnrolmentTokenResponse
from service.schema.lists import Listing
from service.services.registry import Services

routes = api_routes("/v1/enrolment-tokens", tag="Screens")
"""Tokens by which devices become screens without a code."""


@routes.get(response_model=Listing[EnrolmentTokenResponse])
def list_enrolment_tokens(services: Services, access: MayManageScreens, page: Paged) -> Response:
    """List the tokens, oldest first."""
    return JsonReply(services.enrolment_tokens.list(access, page))


@routes.post(status_code=201, response_model=NewEnrolmentTokenResponse)
def create_enrolment_token(services: Services, body: EnrolmentTokenCreate, access: MayManageScreens) -> Response:
    """Create a token. `token` is shown only in this answer: the service stores a digest of it."""
    return created(services.enrolment_tokens.create(access, body), at="/v1/enrolment-tokens", secret=True)


@routes.get("/{token}", response_model=EnrolmentTokenResponse)
def get_enrolment_token(services: Services, token: str, access: MayManageScreens) -> Response:
    """Get one token, without its secret."""
    return resource(services.enrolment_tokens.get(access, token))


@routes.delete("/{token}")
def revoke_enrolment_token(services: Services, token: str, access: MayManageScreens, expected: Expected) -> None:
    """Revoke a token: no more devices become screens by it. Those that have stay."""
    services.enrolment_tokens.revoke(access, token, expected)
