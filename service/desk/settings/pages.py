"""Pages of the settings, in the order of their navigation, and their shared responses."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from service.core.errors import ProblemError
from service.core.permissions import Permission, Role, outranks
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.forms import Form
from service.desk.problems import sentence_of
from service.desk.routing import desk_routes
from service.desk.visits import MayRead, Visit
from service.desk.words import Phrase, phrase
from service.schema.base import ResponseModel
from service.services.access.access import Access
from service.services.shared.etags import PRECONDITION_FAILED, tag_of

SETTINGS = "/desk/settings"
LOCATIONS = f"{SETTINGS}/locations"
GROUPS = f"{SETTINGS}/groups"
TEAM = f"{SETTINGS}/team"
KEYS = f"{SETTINGS}/keys"
WEBHOOKS = f"{SETTINGS}/webhooks"
ALERTS = f"{SETTINGS}/alerts"
POINTS_OF_SALE = f"{SETTINGS}/points-of-sale"
SUBSCRIPTION = f"{SETTINGS}/subscription"
AUDIT = f"{SETTINGS}/audit"


@dataclass(frozen=True, slots=True)
class SubPage:
    """A page of the settings: its path, its name and the roles that see it."""

    path: str
    name: Phrase
    needs: Permission = Permission.READ


SUB_PAGES = (
    SubPage(LOCATIONS, phrase("Locations")),
    SubPage(GROUPS, phrase("Groups")),
    SubPage(TEAM, phrase("Team"), Permission.TEAM),
    SubPage(KEYS, phrase("Keys"), Permission.KEYS),
    SubPage(WEBHOOKS, phrase("Webhooks"), Permission.WEBHOOKS),
    SubPage(ALERTS, phrase("Alerts"), Permission.ALERTS),
    SubPage(POINTS_OF_SALE, phrase("Points of sale"), Permission.POS),
    SubPage(SUBSCRIPTION, phrase("Subscription")),
    SubPage(AUDIT, phrase("Who did what"), Permission.AUDIT),
    SubPage("/desk/profile", phrase("Profile")),
)

routes = desk_routes(Desk, SETTINGS)


@routes.get()
async def first(desk: Desk, visit: MayRead) -> Response:
    """Returns the first page that the person sees."""
    return visit.go(sub_pages_for(visit.access)[0].path)


def sub_pages_for(access: Access) -> list[SubPage]:
    return [one for one in SUB_PAGES if access.may(one.needs)]


def roles_for(access: Access) -> list[Role]:
    """Returns the roles that a user may assign: none above their own."""
    return [role for role in Role if not outranks(role, access.role)]


def settings_page(
    visit: Visit,
    template: str,
    /,
    *,
    problem: ProblemError | None = None,
    form: DocumentForm | None = None,
    given: Form | None = None,
    of: ResponseModel | None = None,
    **values: Any,
) -> Response:
    """A page of the settings; `given` are fields, those of a `form` of a document, or `of` one that there is. With a
    problem it is shown again, its `wrong` field marked; where somebody has changed the document, as that is now."""
    if problem is not None and problem.code == PRECONDITION_FAILED:
        return visit.late(sentence_of(problem))
    wrong = ""
    if problem is not None and problem.faults and problem.faults[0].pointer:
        wrong = problem.faults[0].pointer.strip("/").partition("/")[0]
    if given is not None:
        values["given"] = defaultdict(str, given)
    if form is not None:
        values |= {"bounds": form.bounds, "tag": "" if of is None else tag_of(of)}
    return visit.page(template, fault=problem, sub_pages=sub_pages_for(visit.access), wrong=wrong, **values)
