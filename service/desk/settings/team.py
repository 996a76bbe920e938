"""Team: members, their roles and sessions, and invitations."""

from datetime import timedelta

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.permissions import outranks
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.settings.pages import TEAM, roles_for, settings_page
from service.desk.visits import MayDecideSignIn, MayManageTeam, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.team import InviteCreate, MemberPatch, TeamSignInPatch
from service.services.access.team import INVITE_LIFETIME
from service.storage.paging import PageRequest

FORM = DocumentForm(InviteCreate, "email", "role")
DAYS_OF_LINK = INVITE_LIFETIME // timedelta(days=1)

routes = desk_routes(Desk, TEAM)


@routes.get()
def list_team(desk: Desk, visit: MayManageTeam, cursor: Cursor = None) -> Response:
    """Returns the members, oldest first, and the open invitations."""
    found = desk.services.team.members(visit.access, PageRequest(MAX_LIMIT, cursor))
    invites = desk.services.team.invites(visit.access, PageRequest(MAX_LIMIT)).data
    pages = Pages(TEAM, {}, cursor, found.pagination.cursor)
    return settings_page(
        visit,
        "settings_team",
        found=found.data,
        invites=invites,
        pages=pages,
        rules=desk.services.factors.rules(visit.access),
        restored=desk.services.epochs.restored(),
        now=desk.services.sessions.now(),
    )


@routes.get("/invite")
async def show_invite(desk: Desk, visit: MayManageTeam) -> Response:
    """Returns the form of an invitation."""
    return _invite_form(desk, visit)


@routes.post("/invite")
async def invite(desk: Desk, visit: MayManageTeam) -> Response:
    """Invites a person, and shows the link, once; what is not valid shows the form again."""
    try:
        by_mail = "mail" in visit.form
        made, failure = await desk.services.invitations.invite(
            visit.access, model_of(InviteCreate, FORM.read(visit.form)), by_mail=by_mail
        )
    except ProblemError as problem:
        return await run_in_threadpool(_invite_form, desk, visit, problem)
    return settings_page(visit, "settings_invited", made=made, by_mail=by_mail, failure=failure, days=DAYS_OF_LINK)


@routes.post("/sign-in")
def change_sign_in(desk: Desk, visit: MayDecideSignIn) -> Response:
    """Requires a second factor of every member, or no longer."""
    required = {"true": True, "false": False}.get(visit.form.get("required", ""))
    desk.services.factors.change_rules(visit.access, model_of(TeamSignInPatch, {"secondFactorRequired": required}))
    said = phrase("Who has no second factor sets one up at the next sign-in.")
    said = said if required else phrase("Members sign in without a second factor if they like.")
    undo = Undo(f"{TEAM}/sign-in", {"required": "false" if required else "true"})
    return visit.done(said, to=TEAM, undo=undo)


@routes.post("/invites/{invitation}/withdraw")
def withdraw(desk: Desk, invitation: str, visit: MayManageTeam) -> Response:
    """Takes an invitation back."""
    desk.services.team.withdraw(visit.access, invitation)
    return visit.done(phrase("The invitation is withdrawn. Its link does not work any more."), to=TEAM)


@routes.get("/{member}")
def show_member(desk: Desk, member: str, visit: MayManageTeam) -> Response:
    """A member: role, sessions, and removing them."""
    found = desk.services.team.member(visit.access, member)
    may_change = found.id != visit.access.key and not outranks(found.role, visit.access.role)
    used = desk.services.team.sessions(visit.access, member).data if may_change else []
    roles = roles_for(visit.access)
    return settings_page(
        visit,
        "settings_member",
        member=found,
        may_change=may_change,
        roles=roles,
        sessions=used,
        now=desk.services.sessions.now(),
    )


@routes.post("/{member}")
def change(desk: Desk, member: str, visit: MayManageTeam) -> Response:
    """Changes the role of a member."""
    before = desk.services.team.member(visit.access, member)
    after = desk.services.team.change(visit.access, member, model_of(MemberPatch, {"role": visit.form.get("role", "")}))
    at = f"{TEAM}/{member}"
    undo = Undo(at, {"role": before.role.value})
    return visit.done(phrase("{name} has another role.", name=after.name), to=at, undo=undo)


@routes.post("/{member}/sign-out")
def sign_out(desk: Desk, member: str, visit: MayManageTeam) -> Response:
    """Ends all sessions of a member."""
    name = desk.services.team.member(visit.access, member).name
    desk.services.team.end_sessions(visit.access, member)
    return visit.done(phrase("{name} is signed out everywhere.", name=name), to=f"{TEAM}/{member}")


@routes.post("/{member}/second-factor/reset")
def reset_second_factor(desk: Desk, member: str, visit: MayDecideSignIn) -> Response:
    """Turns the second factor of a member off, who has lost it."""
    name = desk.services.team.member(visit.access, member).name
    desk.services.factors.reset(visit.access, member)
    return visit.done(phrase("{name} signs in without a second factor now.", name=name), to=f"{TEAM}/{member}")


@routes.post("/{member}/remove")
def remove(desk: Desk, member: str, visit: MayManageTeam) -> Response:
    """Removes a member: sessions and key end at once."""
    name = desk.services.team.member(visit.access, member).name
    desk.services.team.remove(visit.access, member)
    return visit.done(phrase("{name} is removed from the team.", name=name), to=TEAM)


def _invite_form(desk: Desk, visit: Visit, problem: ProblemError | None = None) -> Response:
    return settings_page(
        visit,
        "settings_invite",
        problem=problem,
        form=FORM,
        given=visit.form,
        roles=roles_for(visit.access),
        can_mail=desk.services.invitations.can_mail,
    )
