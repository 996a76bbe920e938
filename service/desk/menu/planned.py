"""Planned changes: prices and availability from a local time on; created, previewed and withdrawn."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import Query
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError, malformed
from service.core.json_text import JsonTextError, read_json, write_json
from service.core.permissions import Permission
from service.desk.amounts import ask, leaps_of
from service.desk.desk import everything
from service.desk.forms import seen_in
from service.desk.lists import Cursor, Pages
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
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.screens.moment import address_of
from service.desk.visits import MayEdit, MayRead, Visit
from service.desk.words import phrase
from service.schema.fields import LABEL_LENGTH
from service.schema.publishing.planned_change import PlannedChangeCreate, PlannedChangePatch, PlannedChangeResponse
from service.services.access.access import Access
from service.services.devices.screens import ScreenFilter
from service.services.shared.etags import PRECONDITION_FAILED, tag_of
from service.storage.paging import PageRequest

PLANNED = "/desk/planned"
PAGE_SIZE = 50
OFFERED_HOUR = 5
"""The form offers this hour of tomorrow: nobody is open."""
SCREENS_SHOWN = 6

Name = Annotated[str, Query(max_length=LABEL_LENGTH + 10)]

routes = desk_routes(Menu, PLANNED)


def _form_page(
    menu: Menu, visit: Visit, form: PlanForm, plan: str = "", status: int = 200, said: Said | None = None, tag: str = ""
) -> Response:
    shown: dict[str, Any] = {
        "form": form,
        "plan": plan,
        "tag": tag or visit.form.get("tag", ""),
        "locations": menu.locations(visit.access),
        "groups": menu.groups(visit.access),
        "categories": menu.services.categories.names(visit.access.workspace),
        "most": MAX_ROWS,
        "everywhere": EVERYWHERE,
    }
    if visit.wants_part:
        return visit.part("planned_form", said=said, **shown)
    return visit.page("planned_form", status=status, said=said, **shown)


def _asked(menu: Menu, visit: Visit, document: dict[str, Any]) -> Response | None:
    leaps = leaps_of(items_changed(visit, menu, document["changes"]))
    return ask(visit, leaps, menu.currency(visit.access), back=PLANNED)


@routes.get()
def list_planned(menu: Menu, visit: MayRead, cursor: Cursor = None) -> Response:
    """Returns the plans that wait, and those that were done in the last 30 days."""
    found = menu.services.planned_changes.list(visit.access, PageRequest(PAGE_SIZE, cursor))
    waiting = sorted((one for one in found.data if one.status != "done"), key=lambda one: one.at)
    shown: dict[str, Any] = {
        "waiting": waiting,
        "done": [one for one in found.data[::-1] if one.status == "done"],
        "pages": Pages(PLANNED, {}, cursor, found.pagination.cursor),
        "names": menu.services.actors.names(visit.access, [one.created_by for one in found.data]),
        "places": {one.id: _places(visit.access, menu, one) for one in found.data},
    }
    return visit.page("planned", **shown)


@routes.get("/new")
def new_plan(menu: Menu, visit: MayEdit, item: Name = "", place: Name = "") -> Response:
    """Returns the form of a new one, with an item."""
    zone = menu.zone(visit.access, place.removeprefix("location:") if place.startswith("location:") else "")
    tomorrow = menu.now().astimezone(ZoneInfo(zone)) + timedelta(days=1)
    at = f"{tomorrow:%Y-%m-%d}T{OFFERED_HOUR:02}:00"
    return _form_page(menu, visit, empty_form(visit, menu, items=[item] if item else [], place=place, at=at))


@routes.post("/form")
def change_form(menu: Menu, visit: MayEdit) -> Response:
    """Returns the form with an item more or less; nothing is planned yet."""
    return _form_page(menu, visit, typed_form(visit, menu), visit.form.get("plan", "")[:100])


@routes.post()
def create_plan(menu: Menu, visit: MayEdit) -> Response:
    """Plans it."""
    form = typed_form(visit, menu)
    if is_search(visit.form):
        return _form_page(menu, visit, form)
    document = form.document(visit, menu)
    if (question := _asked(menu, visit, document)) is not None:
        return question
    try:
        made = menu.services.planned_changes.create(visit.access, model_of(PlannedChangeCreate, document))
    except ProblemError as problem:
        return _refused(menu, visit, form, problem)
    undo = Undo(f"{PLANNED}/{made.id}/withdraw")
    return visit.done(phrase("{name} is planned.", name=made.name), to=f"{PLANNED}/{made.id}", undo=undo)


@routes.post("/again")
def plan_again(menu: Menu, visit: MayEdit) -> Response:
    """Plans again what was withdrawn."""
    try:
        document = read_json(visit.form.get("document", "").encode())
    except JsonTextError as error:
        raise malformed(str(error)) from None
    made = menu.services.planned_changes.create(visit.access, model_of(PlannedChangeCreate, document))
    return visit.done(phrase("{name} is planned.", name=made.name), to=f"{PLANNED}/{made.id}")


@routes.get("/{plan}")
def show_plan(menu: Menu, plan: str, visit: MayRead, location: Name = "") -> Response:
    """One: what it changes, and its items at a location before and after."""
    found = menu.services.planned_changes.get(visit.access, plan)
    locations = menu.locations(visit.access)
    preview = menu.services.planned_changes.preview(visit.access, plan, location if location in locations else None)
    there = locations.get(preview.location)
    chosen = ScreenFilter(location=preview.location)
    at_place = everything(lambda page: menu.services.screens.list(visit.access, page, chosen=chosen, now=menu.now()))
    shown: dict[str, Any] = {
        "plan": found,
        "preview": preview,
        "locations": locations,
        "currency": menu.currency(visit.access, preview.location),
        "zone": "UTC" if there is None else there.timezone,
        "screens": [(one, address_of(one.id, preview.at)) for one in list(at_place)[:SCREENS_SHOWN]],
        "names": menu.services.actors.names(visit.access, [found.created_by]),
        "places": _places(visit.access, menu, found),
        "may_change": found.status == "waiting"
        and visit.access.may(Permission.EDIT)
        and (not found.overrides or visit.access.may(Permission.PUBLISH)),
        "fits": len(found.changes) <= MAX_ROWS,
    }
    return visit.page("planned_change", **shown)


@routes.get("/{plan}/change")
def edit_plan(menu: Menu, plan: str, visit: MayEdit) -> Response:
    """Returns the form of one that waits."""
    found = menu.services.planned_changes.get(visit.access, plan)
    return _form_page(menu, visit, form_of(visit, menu, found), plan, tag=tag_of(found))


@routes.post("/{plan}/change")
def change_plan(menu: Menu, plan: str, visit: MayEdit) -> Response:
    """Changes it, before it takes effect anywhere."""
    form = typed_form(visit, menu)
    if is_search(visit.form):
        return _form_page(menu, visit, form, plan)
    document = form.document(visit, menu)
    if (question := _asked(menu, visit, document)) is not None:
        return question
    try:
        body = model_of(PlannedChangePatch, document)
        after = menu.services.planned_changes.change(visit.access, plan, body, seen_in(visit.form))
    except ProblemError as problem:
        return _refused(menu, visit, form, problem, plan)
    return visit.done(phrase("{name} is changed.", name=after.name), to=f"{PLANNED}/{plan}")


@routes.post("/{plan}/withdraw")
def withdraw(menu: Menu, plan: str, visit: MayEdit) -> Response:
    """Withdraws it as a whole, before it takes effect anywhere."""
    found = menu.services.planned_changes.get(visit.access, plan)
    menu.services.planned_changes.withdraw(visit.access, plan)
    document = {"name": found.name, "at": found.at, "changes": found.changes, "overrides": found.overrides}
    undo = Undo(f"{PLANNED}/again", {"document": write_json(document).decode()})
    return visit.done(phrase("{name} is withdrawn. Nothing of it happens.", name=found.name), to=PLANNED, undo=undo)


def _refused(menu: Menu, visit: Visit, form: PlanForm, problem: ProblemError, plan: str = "") -> Response:
    if problem.code == PRECONDITION_FAILED:
        return visit.late(sentence_of(problem))
    if problem.status not in (409, 422):
        raise problem
    said = Said(sentence_of(problem), kind="fault")
    return _form_page(menu, visit, form.with_faults(problem), plan, status=problem.status, said=said)


def _places(access: Access, menu: Menu, plan: PlannedChangeResponse) -> Sequence[str | None]:
    """Returns the names of the plan's places, None for everywhere."""
    locations, groups = menu.locations(access), menu.groups(access)
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
