"""Groups of locations: their members, and their precedence."""

from collections.abc import Mapping

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.forms import seen_in
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.settings.pages import GROUPS, settings_page
from service.desk.visits import MayEditEverywhere, MayRead, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.places.group import GroupCreate, GroupPatch, GroupResponse
from service.services.shared.etags import tag_of
from service.storage.paging import PageRequest

FORM = DocumentForm(GroupCreate, "name", "precedence", "locations")

routes = desk_routes(Desk, GROUPS)


def _form(
    desk: Desk, visit: Visit, group: GroupResponse | None, given: Mapping[str, str], problem: ProblemError | None = None
) -> Response:
    locations = desk.locations(visit.access)
    return settings_page(
        visit, "settings_group", problem=problem, group=group, form=FORM, of=group, given=given, locations=locations
    )


@routes.get()
def list_groups(desk: Desk, visit: MayRead, cursor: Cursor = None) -> Response:
    """Returns the groups, oldest first."""
    found = desk.services.groups.list(visit.access, PageRequest(MAX_LIMIT, cursor))
    pages = Pages(GROUPS, {}, cursor, found.pagination.cursor)
    locations = desk.locations(visit.access)
    return settings_page(visit, "settings_groups", found=found.data, pages=pages, locations=locations)


@routes.get("/new")
def show_new(desk: Desk, visit: MayEditEverywhere) -> Response:
    """Returns the form of a new group."""
    return _form(desk, visit, None, {"precedence": "0"})


@routes.post("/new")
def create(desk: Desk, visit: MayEditEverywhere) -> Response:
    """Makes a group; what is not valid shows the form again."""
    try:
        made = desk.services.groups.create(visit.access, model_of(GroupCreate, _given(visit)))
    except ProblemError as problem:
        return _form(desk, visit, None, visit.form, problem)
    return visit.done(phrase("{name} is made.", name=made.name), to=GROUPS)


@routes.get("/{group}")
def show_group(desk: Desk, group: str, visit: MayRead) -> Response:
    """Returns the form of a group; who may not change it reads it."""
    found = desk.services.groups.get(visit.access, group)
    return _form(desk, visit, found, FORM.shown(found))


@routes.post("/{group}")
def change(desk: Desk, group: str, visit: MayEditEverywhere) -> Response:
    """Changes a group; what is not valid shows the form again."""
    before = desk.services.groups.get(visit.access, group)
    try:
        after = desk.services.groups.change(
            visit.access, group, model_of(GroupPatch, _given(visit)), seen_in(visit.form)
        )
    except ProblemError as problem:
        return _form(desk, visit, before, visit.form, problem)
    fields = {**FORM.shown(before), "tag": tag_of(after)}
    at = f"{GROUPS}/{group}"
    return visit.done(phrase("{name} is changed.", name=after.name), to=at, undo=Undo(at, fields))


@routes.post("/{group}/remove")
def remove(desk: Desk, group: str, visit: MayEditEverywhere) -> Response:
    """Removes a group with its values; its locations stay."""
    name = desk.services.groups.get(visit.access, group).name
    desk.services.groups.remove(visit.access, group)
    return visit.done(phrase("{name} is removed.", name=name), to=GROUPS)


def _given(visit: Visit) -> dict[str, object]:
    given = FORM.read(visit.form)
    return {**given, "precedence": given["precedence"] or 0}
