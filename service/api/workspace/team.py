"""`/v1/team`."""

from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import MayDecideSignIn, MayManageTeam, address_of
from service.api.http.bodies import body_schema, read_document
from service.api.http.idempotency import Idempotency
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import PROBLEMS, public_router
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
from service.services.access.second_factors import SecondFactorService
from service.services.access.team import TeamService

_NO_STORE = {"Cache-Control": "no-store"}


# Over sixty lines: one router's calls, each of them short.
def team_routes(*, team: TeamService, factors: SecondFactorService, route: type[APIRoute]) -> APIRouter:
    """Members and invitations of the workspace."""
    router = public_router("/v1/team", tag="Team", route=route)

    @router.get("/invites", response_model=Listing[InviteResponse])
    def list_invites(access: MayManageTeam, page: Paged) -> Response:
        """List open invitations, oldest first."""
        return JsonReply(team.invites(access, page))

    @router.post("/invites", status_code=201, response_model=NewInviteResponse)
    def invite_member(body: InviteCreate, access: MayManageTeam) -> Response:
        """Invite a person. The links are shown only in this answer: pass one on, as this call sends no e-mail."""
        document = team.invite(access, body)
        answer = created(document, at=f"/v1/team/invites/{document.id}")
        answer.headers.update(_NO_STORE)
        return answer

    @router.delete("/invites/{invite}", status_code=204, response_model=None)
    def withdraw_invite(invite: str, access: MayManageTeam, expected: Expected) -> Response:
        """Withdraw an invitation."""
        team.withdraw(access, invite, expected)
        return no_content()

    @router.get("/members", response_model=Listing[MemberResponse])
    def list_members(access: MayManageTeam, page: Paged) -> Response:
        """List members, oldest first."""
        return JsonReply(team.members(access, page))

    @router.get("/members/{member}", response_model=MemberResponse)
    def get_member(member: str, access: MayManageTeam) -> Response:
        """Get one member."""
        return resource(team.member(access, member))

    @router.patch("/members/{member}", response_model=MemberResponse)
    def change_member(member: str, body: MemberPatch, access: MayManageTeam, expected: Expected) -> Response:
        """Change the role of a member and of the member's key."""
        return resource(team.change(access, member, body, expected))

    @router.delete("/members/{member}", status_code=204, response_model=None)
    def remove_member(member: str, access: MayManageTeam, expected: Expected) -> Response:
        """Remove a member; the member's key stops working at once."""
        team.remove(access, member, expected)
        return no_content()

    @router.get("/members/{member}/sessions", response_model=Listing[SessionView])
    def list_member_sessions(member: str, access: MayManageTeam) -> Response:
        """List where a member is signed in at the desk, newest first."""
        return JsonReply(team.sessions(access, member))

    @router.delete("/members/{member}/sessions", status_code=204, response_model=None)
    def end_member_sessions(member: str, access: MayManageTeam) -> Response:
        """End all sessions of a member at the desk."""
        team.end_sessions(access, member)
        return no_content()

    @router.delete("/members/{member}/second-factor", status_code=204, response_model=None)
    def reset_second_factor(member: str, access: MayDecideSignIn) -> Response:
        """Turn the second factor of a member off, who has lost it."""
        factors.reset(access, member)
        return no_content()

    @router.get("/sign-in", response_model=TeamSignIn)
    def get_sign_in(access: MayManageTeam) -> Response:
        """Get what members need to sign in at the desk."""
        return resource(factors.rules(access))

    @router.patch("/sign-in", response_model=TeamSignIn)
    def change_sign_in(body: TeamSignInPatch, access: MayDecideSignIn, expected: Expected) -> Response:
        """Require a second factor from the next sign-in of each member on, or no longer."""
        return resource(factors.change_rules(access, body, expected))

    return router


def acceptance_routes(*, team: TeamService, idempotency: Idempotency) -> APIRouter:
    """Calls of an invited person, who has no key yet."""
    router = APIRouter(prefix="/v1/team/invites", tags=["Team"], responses=PROBLEMS)
    looked_up: dict[str, Any] = body_schema(InviteLookup)
    accepted: dict[str, Any] = body_schema(InviteAcceptance)

    @router.post("/preview", response_model=InvitePreview, openapi_extra=looked_up)
    async def preview_invite(request: Request) -> Response:
        """Look up an invitation before accepting it."""
        body = await read_document(request, InviteLookup)
        document = await run_in_threadpool(team.preview, body, address=address_of(request))
        return JsonReply(document, headers=_NO_STORE)

    @router.post("/accept", status_code=201, response_model=NewMemberResponse, openapi_extra=accepted)
    async def accept_invite(request: Request) -> Response:
        """Accept an invitation. `key` is the new member's own key, shown only in this answer."""
        body = await read_document(request, InviteAcceptance)

        def accept() -> tuple[Response, str]:
            document = team.accept(body, address=address_of(request))
            headers = {**_NO_STORE, "Location": "/v1/team/members"}
            return JsonReply(document, status_code=201, headers=headers), team.key_of(document.id)

        content = write_json(body)
        return await idempotency.answer_invited(request, content, token=body.token, accept=accept)

    return router
