"""Planned changes: prices and availability from a local time on; planned, looked at beforehand, and withdrawn."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError, malformed
from service.core.json_text import JsonTextError, read_json, write_json
from service.core.permissions import Permission
from service.desk.amounts import ask, leaps_of
from service.desk.choices import everything
from service.desk.forms import seen_in
from service.desk.lists import Pages
from service.desk.menu.menu import Menu
from service.desk.menu.planned_form import (
    EVERYWHERE,
    MAX_ROWS,
    PlanForm,
    empty_form,
    form_of,
    is_search,
    items_changed,
    typed_form,
)
from service.desk.problems import sentence_of
from service.desk.said import Said, Undo
from service.desk.screens.moment import address_of
from service.desk.visits import MayEdit, MayRead, Visit
from service.desk.words import phrase
from service.schema.fields import LABEL_LENGTH
from service.schema.publishing.planned_change import PlannedChangeCreate, PlannedChangePatch, PlannedChangeResponse
from service.services.access.access import Access
from service.services.access.actors import ActorService
from service.services.devices.screens import ScreenFilter, ScreenService
from service.services.publishing.planned_changes import PlannedChangeService
from service.services.shared.etags import PRECONDITION_FAILED, tag_of
from service.storage.paging import PageRequest

PLANNED = "/desk/planned"
PAGE_SIZE = 50
OFFERED_HOUR = 5
"""The form offers this hour of tomorrow: nobody is open."""
SCREENS_SHOWN = 6

Name = Annotated[str, Query(max_length=LABEL_LENGTH + 10)]


# Over sixty lines: one router's calls, each of them short.
def planned_routes(
    *,
    planned_changes: PlannedChangeService,
    menu: Menu,
    screens: ScreenService,
    actors: ActorService,
    route: type[APIRoute],
) -> APIRouter:
    """The list, the form, one planned change and its acts."""
    router = APIRouter(prefix=PLANNED, include_in_schema=False, route_class=route)
    plans = planned_changes

    def form_page(
        visit: Visit,
        form: PlanForm,
        plan: str = "",
        status: int = 200,
        said: Said | None = None,
        tag: str = "",
    ) -> Response:
        shown: dict[str, Any] = {
            "form": form,
            "plan": plan,
            "tag": tag or visit.form.get("tag", ""),
            "locations": menu.choices.locations(visit.access),
            "groups": menu.choices.groups(visit.access),
            "categories": menu.categories.names(visit.access.workspace),
            "most": MAX_ROWS,
            "everywhere": EVERYWHERE,
        }
        if visit.wants_part:
            return visit.part("planned_form", said=said, **shown)
        return visit.page("planned_form", status=status, said=said, **shown)

    def asked(visit: Visit, document: dict[str, Any]) -> Response | None:
        leaps = leaps_of(items_changed(visit, menu, document["changes"]))
        return ask(visit, leaps, menu.currency(visit.access), back=PLANNED)

    @router.get("")
    def list_planned(visit: MayRead, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The plans that wait, and those that were done in the last 30 days."""
        found = plans.list(visit.access, PageRequest(PAGE_SIZE, cursor))
        waiting = sorted((one for one in found.data if one.status != "done"), key=lambda one: one.at)
        shown: dict[str, Any] = {
            "waiting": waiting,
            "done": [one for one in found.data[::-1] if one.status == "done"],
            "pages": Pages(PLANNED, {}, cursor, found.pagination.cursor),
            "names": actors.names(visit.access, [one.created_by for one in found.data]),
            "places": {one.id: _places(visit.access, menu, one) for one in found.data},
        }
        return visit.page("planned", **shown)

    @router.get("/new")
    def new_plan(visit: MayEdit, item: Name = "", place: Name = "") -> Response:
        """The form of a new one, with an item."""
        zone = menu.zone(visit.access, place.removeprefix("location:") if place.startswith("location:") else "")
        tomorrow = menu.now().astimezone(ZoneInfo(zone)) + timedelta(days=1)
        at = f"{tomorrow:%Y-%m-%d}T{OFFERED_HOUR:02}:00"
        return form_page(visit, empty_form(visit, menu, items=[item] if item else [], place=place, at=at))

    @router.post("/form")
    def change_form(visit: MayEdit) -> Response:
        """The form with an item more or less; nothing is planned yet."""
        return form_page(visit, typed_form(visit, menu), visit.form.get("plan", "")[:100])

    @router.post("")
    def create_plan(visit: MayEdit) -> Response:
        """Plans it."""
        form = typed_form(visit, menu)
        if is_search(visit.form):
            return form_page(visit, form)
        document = form.document(visit, menu)
        if (question := asked(visit, document)) is not None:
            return question
        try:
            made = plans.create(visit.access, model_of(PlannedChangeCreate, document))
        except ProblemError as problem:
            return _refused(form_page, visit, form, problem)
        undo = Undo(f"{PLANNED}/{made.id}/withdraw")
        return visit.done(phrase("{name} is planned.", name=made.name), to=f"{PLANNED}/{made.id}", undo=undo)

    @router.post("/again")
    def plan_again(visit: MayEdit) -> Response:
        """Plans again what was withdrawn."""
        try:
            document = read_json(visit.form.get("document", "").encode())
        except JsonTextError as error:
            raise malformed(str(error)) from None
        made = plans.create(visit.access, model_of(PlannedChangeCreate, document))
        return visit.done(phrase("{name} is planned.", name=made.name), to=f"{PLANNED}/{made.id}")

    @router.get("/{plan}")
    def show_plan(plan: str, visit: MayRead, location: Name = "") -> Response:
        """One: what it changes, and its items at a location before and after."""
        found = plans.get(visit.access, plan)
        locations = menu.choices.locations(visit.access)
        preview = plans.preview(visit.access, plan, location if location in locations else None)
        there = locations.get(preview.location)
        chosen = ScreenFilter(location=preview.location)
        at_place = everything(lambda page: screens.list(visit.access, page, chosen=chosen, now=menu.now()))
        shown: dict[str, Any] = {
            "plan": found,
            "preview": preview,
            "locations": locations,
            "currency": menu.currency(visit.access, preview.location),
            "zone": "UTC" if there is None else there.timezone,
            "screens": [(one, address_of(one.id, preview.at)) for one in list(at_place)[:SCREENS_SHOWN]],
            "names": actors.names(visit.access, [found.created_by]),
            "places": _places(visit.access, menu, found),
            "may_change": found.status == "waiting"
            and visit.access.may(Permission.EDIT)
            and (not found.overrides or visit.access.may(Permission.PUBLISH)),
            "fits": len(found.changes) <= MAX_ROWS,
        }
        return visit.page("planned_change", **shown)

    @router.get("/{plan}/change")
    def edit_plan(plan: str, visit: MayEdit) -> Response:
        """The form of one that waits."""
        found = plans.get(visit.access, plan)
        return form_page(visit, form_of(visit, menu, found), plan, tag=tag_of(found))

    @router.post("/{plan}/change")
    def change_plan(plan: str, visit: MayEdit) -> Response:
        """Changes it, before it takes effect anywhere."""
        form = typed_form(visit, menu)
        if is_search(visit.form):
            return form_page(visit, form, plan)
        document = form.document(visit, menu)
        if (question := asked(visit, document)) is not None:
            return question
        try:
            body = model_of(PlannedChangePatch, document)
            after = plans.change(visit.access, plan, body, seen_in(visit.form))
        except ProblemError as problem:
            return _refused(form_page, visit, form, problem, plan)
        return visit.done(phrase("{name} is changed.", name=after.name), to=f"{PLANNED}/{plan}")

    @router.post("/{plan}/withdraw")
    def withdraw(plan: str, visit: MayEdit) -> Response:
        """Withdraws it as a whole, before it takes effect anywhere."""
        found = plans.get(visit.access, plan)
        plans.withdraw(visit.access, plan)
        document = {"name": found.name, "at": found.at, "changes": found.changes, "overrides": found.overrides}
        undo = Undo(f"{PLANNED}/again", {"document": write_json(document).decode()})
        return visit.done(phrase("{name} is withdrawn. Nothing of it happens.", name=found.name), to=PLANNED, undo=undo)

    return router


def _refused(
    page: Callable[..., Response], visit: Visit, form: PlanForm, problem: ProblemError, plan: str = ""
) -> Response:
    if problem.code == PRECONDITION_FAILED:
        return visit.late(sentence_of(problem))
    if problem.status not in (409, 422):
        raise problem
    said = Said(sentence_of(problem), kind="fault")
    return page(visit, form.with_faults(problem), plan, status=problem.status, said=said)


def _places(access: Access, menu: Menu, plan: PlannedChangeResponse) -> Sequence[str | None]:
    """The names of the places that it names, None for everywhere."""
    locations, groups = menu.choices.locations(access), menu.choices.groups(access)
    found: dict[str | None, None] = {}
    for one in (*plan.changes, *(each["target"] for each in plan.overrides)):
        if one.get("location"):
            there = locations.get(one["location"])
            found[one["location"] if there is None else there.name] = None
        elif one.get("group"):
            group = groups.get(one["group"])
            found[one["group"] if group is None else group.name] = None
        else:
            found[None] = None
    return list(found)
