"""The team: members, their roles and sessions, and invitations."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.permissions import outranks
from service.desk.lists import Pages
from service.desk.said import Undo
from service.desk.settings.pages import TEAM, roles_for, settings_page
from service.desk.visits import MayDecideSignIn, MayManageTeam, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.team import InviteCreate, MemberPatch, TeamSignInPatch
from service.services.access.second_factors import SecondFactorService
from service.services.access.sessions import SessionService
from service.services.access.team import INVITE_LIFETIME, TeamService
from service.services.alerts.invitations import Invitations
from service.services.publishing.epochs import Epochs
from service.storage.paging import PageRequest

DAYS_OF_LINK = INVITE_LIFETIME // timedelta(days=1)


# Over sixty lines: one router's calls, each of them short.
def team_routes(
    *,
    team: TeamService,
    invitations: Invitations,
    sessions: SessionService,
    factors: SecondFactorService,
    epochs: Epochs,
    route: type[APIRoute],
) -> APIRouter:
    """All members and invitations, and the page of one member."""
    router = APIRouter(prefix=TEAM, include_in_schema=False, route_class=route)

    @router.get("")
    def list_team(visit: MayManageTeam, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The members, oldest first, and the open invitations."""
        found = team.members(visit.access, PageRequest(MAX_LIMIT, cursor))
        invites = team.invites(visit.access, PageRequest(MAX_LIMIT)).data
        pages = Pages(TEAM, {}, cursor, found.pagination.cursor)
        return settings_page(
            visit,
            "settings_team",
            found=found.data,
            invites=invites,
            pages=pages,
            rules=factors.rules(visit.access),
            restored=epochs.restored(),
            now=sessions.now(),
        )

    @router.get("/invite")
    async def show_invite(visit: MayManageTeam) -> Response:
        """The form of an invitation."""
        return _invite_form(visit, invitations)

    @router.post("/invite")
    async def invite(visit: MayManageTeam) -> Response:
        """Invites a person, and shows the link, once; what is not valid shows the form again."""
        given = {name: visit.form.get(name, "") for name in ("email", "role")}
        try:
            by_mail = "mail" in visit.form
            made, failure = await invitations.invite(visit.access, model_of(InviteCreate, given), by_mail=by_mail)
        except ProblemError as problem:
            return await run_in_threadpool(_invite_form, visit, invitations, problem)
        return settings_page(visit, "settings_invited", made=made, by_mail=by_mail, failure=failure, days=DAYS_OF_LINK)

    @router.post("/sign-in")
    def change_sign_in(visit: MayDecideSignIn) -> Response:
        """Requires a second factor of every member, or no longer."""
        required = {"true": True, "false": False}.get(visit.form.get("required", ""))
        factors.change_rules(visit.access, model_of(TeamSignInPatch, {"secondFactorRequired": required}))
        said = phrase("Who has no second factor sets one up at the next sign-in.")
        said = said if required else phrase("Members sign in without a second factor if they like.")
        undo = Undo(f"{TEAM}/sign-in", {"required": "false" if required else "true"})
        return visit.done(said, to=TEAM, undo=undo)

    @router.post("/invites/{invitation}/withdraw")
    def withdraw(invitation: str, visit: MayManageTeam) -> Response:
        """Takes an invitation back."""
        team.withdraw(visit.access, invitation)
        return visit.done(phrase("The invitation is withdrawn. Its link does not work any more."), to=TEAM)

    @router.get("/{member}")
    def show_member(member: str, visit: MayManageTeam) -> Response:
        """A member: role, sessions, and removing them."""
        found = team.member(visit.access, member)
        may_change = found.id != visit.access.key and not outranks(found.role, visit.access.role)
        used = team.sessions(visit.access, member).data if may_change else []
        roles = roles_for(visit.access)
        return settings_page(
            visit,
            "settings_member",
            member=found,
            may_change=may_change,
            roles=roles,
            sessions=used,
            now=sessions.now(),
        )

    @router.post("/{member}")
    def change(member: str, visit: MayManageTeam) -> Response:
        """Changes the role of a member."""
        before = team.member(visit.access, member)
        after = team.change(visit.access, member, model_of(MemberPatch, {"role": visit.form.get("role", "")}))
        at = f"{TEAM}/{member}"
        undo = Undo(at, {"role": before.role.value})
        return visit.done(phrase("{name} has another role.", name=after.name), to=at, undo=undo)

    @router.post("/{member}/sign-out")
    def sign_out(member: str, visit: MayManageTeam) -> Response:
        """Ends all sessions of a member."""
        name = team.member(visit.access, member).name
        team.end_sessions(visit.access, member)
        return visit.done(phrase("{name} is signed out everywhere.", name=name), to=f"{TEAM}/{member}")

    @router.post("/{member}/second-factor/reset")
    def reset_second_factor(member: str, visit: MayDecideSignIn) -> Response:
        """Turns the second factor of a member off, who has lost it."""
        name = team.member(visit.access, member).name
        factors.reset(visit.access, member)
        return visit.done(phrase("{name} signs in without a second factor now.", name=name), to=f"{TEAM}/{member}")

    @router.post("/{member}/remove")
    def remove(member: str, visit: MayManageTeam) -> Response:
        """Removes a member: sessions and key end at once."""
        name = team.member(visit.access, member).name
        team.remove(visit.access, member)
        return visit.done(phrase("{name} is removed from the team.", name=name), to=TEAM)

    return router


def _invite_form(visit: Visit, invitations: Invitations, problem: ProblemError | None = None) -> Response:
    return settings_page(
        visit,
        "settings_invite",
        problem=problem,
        given={name: visit.form.get(name, "") for name in ("email", "role")},
        roles=roles_for(visit.access),
        can_mail=invitations.can_mail,
    )
