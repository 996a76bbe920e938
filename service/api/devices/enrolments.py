"""`/v1/enrolment-tokens`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayManageScreens
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.devices.enrolment import EnrolmentTokenCreate, EnrolmentTokenResponse, NewEnrolmentTokenResponse
from service.schema.lists import Listing
from service.services.devices.enrolments import EnrolmentTokens


def enrolment_routes(*, tokens: EnrolmentTokens, route: type[APIRoute]) -> APIRouter:
    """Tokens by which devices become screens without a code."""
    router = public_router("/v1/enrolment-tokens", tag="Screens", route=route)

    @router.get("", response_model=Listing[EnrolmentTokenResponse])
    def list_enrolment_tokens(access: MayManageScreens, page: Paged) -> Response:
        """List the tokens, oldest first."""
        return JsonReply(tokens.list(access, page))

    @router.post("", status_code=201, response_model=NewEnrolmentTokenResponse)
    def create_enrolment_token(body: EnrolmentTokenCreate, access: MayManageScreens) -> Response:
        """Create a token. `token` is shown only in this answer: the service stores a digest of it."""
        document = tokens.create(access, body)
        answer = created(document, at=f"/v1/enrolment-tokens/{document.id}")
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @router.get("/{token}", response_model=EnrolmentTokenResponse)
    def get_enrolment_token(token: str, access: MayManageScreens) -> Response:
        """Get one token, without its secret."""
        return resource(tokens.get(access, token))

    @router.delete("/{token}", status_code=204, response_model=None)
    def revoke_enrolment_token(token: str, access: MayManageScreens, expected: Expected) -> Response:
        """Revoke a token: no more devices become screens by it. Those that have stay."""
        tokens.revoke(access, token, expected)
        return no_content()

    return router
