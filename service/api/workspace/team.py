"""`/v1/team`."""

from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import MayDecideSignIn, MayManageTeam, address_of
from service.api.http.bodies import body_schema, read_document
from service.api.http.idempotency import Idempotency
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import NO_STORE, JsonReply, created, resource
from service.api.http.routes import api_routes
from service.core.json_text import write_json
from service.schema.lists import Listing
from service.schema.workspace.person import SessionView
from service.schema.workspace.team import (
    InviteAcceptance,
    InviteCreate,
    InviteLookup,
    InvitePreview,
    InviteResponse,
    MemberPatch,
    MemberResponse,
    NewInviteResponse,
    NewMemberResponse,
    TeamSignIn,
    TeamSignInPatch,
)
from service.services.registry import Services

routes = api_routes("/v1/team", tag="Team")
"""Members and invitations of the workspace."""


@routes.get("/invites", response_model=Listing[InviteResponse])
def list_invites(services: Services, access: MayManageTeam, page: Paged) -> Response:
    """List open invitations, oldest first."""
    return JsonReply(services.team.invites(access, page))


@routes.post("/invites", status_code=201, response_model=NewInviteResponse)
def invite_member(services: Services, body: InviteCreate, access: MayManageTeam) -> Response:
    """Invite a person. The links are shown only in this answer: pass one on, as this call sends no e-mail."""
    return created(services.team.invite(access, body), at="/v1/team/invites", secret=True)


@routes.delete("/invites/{invite}")
def withdraw_invite(services: Services, invite: str, access: MayManageTeam, expected: Expected) -> None:
    """Withdraw an invitation."""
    services.team.withdraw(access, invite, expected)


@routes.get("/members", response_model=Listing[MemberResponse])
def list_members(services: Services, access: MayManageTeam, page: Paged) -> Response:
    """List members, oldest first."""
    return JsonReply(services.team.members(access, page))


@routes.get("/members/{member}", response_model=MemberResponse)
def get_member(services: Services, member: str, access: MayManageTeam) -> Response:
    """Get one member."""
    return resource(services.team.member(access, member))


@routes.patch("/members/{member}", response_model=MemberResponse)
def change_member(
    services: Services, member: str, body: MemberPatch, access: MayManageTeam, expected: Expected
) -> Response:
    """Change the role of a member and of the member's key."""
    return resource(services.team.change(access, member, body, expected))


@routes.delete("/members/{member}")
def remove_member(services: Services, member: str, access: MayManageTeam, expected: Expected) -> None:
    """Remove a member; the member's key stops working at once."""
    services.team.remove(access, member, expected)


@routes.get("/members/{member}/sessions", response_model=Listing[SessionView])
def list_member_sessions(services: Services, member: str, access: MayManageTeam) -> Response:
    """List where a member is signed in at the desk, newest first."""
    return JsonReply(services.team.sessions(access, member))


@routes.delete("/members/{member}/sessions")
def end_member_sessions(services: Services, member: str, access: MayManageTeam) -> None:
    """End all sessions of a member at the desk."""
    services.team.end_sessions(access, member)


@routes.delete("/members/{member}/second-factor")
def reset_second_factor(services: Services, member: str, access: MayDecideSignIn) -> None:
    """Turn the second factor of a member off, who has lost it."""
    services.factors.reset(access, member)


@routes.get("/sign-in", response_model=TeamSignIn)
def get_sign_in(services: Services, access: MayManageTeam) -> Response:
    """Get what members need to sign in at the desk."""
    return resource(services.factors.rules(access))


@routes.patch("/sign-in", response_model=TeamSignIn)
def change_sign_in(services: Services, body: TeamSignInPatch, access: MayDecideSignIn, expected: Expected) -> Response:
    """Require a second factor from the next sign-in of each member on, or no longer."""
    return resource(services.factors.change_rules(access, body, expected))


acceptance = api_routes("/v1/team/invites", tag="Team", route=APIRoute)
"""Calls of an invited person, who has no key yet."""


@acceptance.post("/preview", response_model=InvitePreview, openapi_extra=body_schema(InviteLookup))
async def preview_invite(services: Services, request: Request) -> Response:
    """Look up an invitation before accepting it."""
    body = await read_document(request, InviteLookup)
    document = await run_in_threadpool(services.team.preview, body, address=address_of(request))
    return JsonReply(document, headers=NO_STORE)


@acceptance.post(
    "/accept", status_code=201, response_model=NewMemberResponse, openapi_extra=body_schema(InviteAcceptance)
)
async def accept_invite(services: Services, request: Request) -> Response:
    """Accept an invitation. `key` is the new member's own key, shown only in this answer."""
    body = await read_document(request, InviteAcceptance)

    def accept() -> tuple[Response, str]:
        document = services.team.accept(body, address=address_of(request))
        headers = {**NO_STORE, "Location": "/v1/team/members"}
        return JsonReply(document, status_code=201, headers=headers), services.team.key_of(document.id)

    content = write_json(body)
    return await Idempotency(services).answer_invited(request, content, token=body.token, accept=accept)
