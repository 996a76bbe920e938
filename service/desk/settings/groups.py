"""Groups of locations: their members, and which of two groups counts."""

from collections.abc import Collection, Mapping
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.choices import Choices
from service.desk.forms import seen_in, ticked, whole_in
from service.desk.lists import Pages
from service.desk.said import Undo
from service.desk.settings.pages import GROUPS, settings_page
from service.desk.visits import MayEditEverywhere, MayRead, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.places.group import MAX_PRECEDENCE, GroupCreate, GroupPatch, GroupResponse
from service.services.content.groups import GroupService
from service.services.shared.etags import tag_of
from service.storage.paging import PageRequest


def group_routes(*, groups: GroupService, choices: Choices, route: type[APIRoute]) -> APIRouter:
    """All groups, and the form of one."""
    router = APIRouter(prefix=GROUPS, include_in_schema=False, route_class=route)

    def form(
        visit: Visit,
        group: GroupResponse | None,
        given: Mapping[str, str],
        members: Collection[str],
        problem: ProblemError | None = None,
    ) -> Response:
        shown = {name: given.get(name, "") for name in ("name", "precedence")}
        locations = choices.locations(visit.access)
        return settings_page(
            visit,
            "settings_group",
            problem=problem,
            group=group,
            given=shown,
            members=members,
            locations=locations,
            highest=MAX_PRECEDENCE,
            tag="" if group is None else tag_of(group),
        )

    @router.get("")
    def list_groups(visit: MayRead, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The groups, oldest first."""
        found = groups.list(visit.access, PageRequest(MAX_LIMIT, cursor))
        pages = Pages(GROUPS, {}, cursor, found.pagination.cursor)
        locations = choices.locations(visit.access)
        return settings_page(visit, "settings_groups", found=found.data, pages=pages, locations=locations)

    @router.get("/new")
    def show_new(visit: MayEditEverywhere) -> Response:
        """The form of a new group."""
        return form(visit, None, {"precedence": "0"}, ())

    @router.post("/new")
    def create(visit: MayEditEverywhere) -> Response:
        """Makes a group; what is not valid shows the form again."""
        try:
            made = groups.create(visit.access, model_of(GroupCreate, _given(visit)))
        except ProblemError as problem:
            return form(visit, None, visit.form, ticked(visit.form, "location"), problem)
        return visit.done(phrase("{name} is made.", name=made.name), to=GROUPS)

    @router.get("/{group}")
    def show_group(group: str, visit: MayRead) -> Response:
        """The form of a group; who may not change it reads it."""
        found = groups.get(visit.access, group)
        return form(visit, found, _fields(found), found.locations)

    @router.post("/{group}")
    def change(group: str, visit: MayEditEverywhere) -> Response:
        """Changes a group; what is not valid shows the form again."""
        before = groups.get(visit.access, group)
        try:
            after = groups.change(visit.access, group, model_of(GroupPatch, _given(visit)), seen_in(visit.form))
        except ProblemError as problem:
            return form(visit, before, visit.form, ticked(visit.form, "location"), problem)
        fields = {**_fields(before), **{f"location:{one}": "on" for one in before.locations}, "tag": tag_of(after)}
        at = f"{GROUPS}/{group}"
        return visit.done(phrase("{name} is changed.", name=after.name), to=at, undo=Undo(at, fields))

    @router.post("/{group}/remove")
    def remove(group: str, visit: MayEditEverywhere) -> Response:
        """Removes a group with its values; its locations stay."""
        name = groups.get(visit.access, group).name
        groups.remove(visit.access, group)
        return visit.done(phrase("{name} is removed.", name=name), to=GROUPS)

    return router


def _given(visit: Visit) -> dict[str, object]:
    form = visit.form
    precedence = whole_in(form.get("precedence", "") or "0")
    return {"name": form.get("name", ""), "precedence": precedence, "locations": ticked(form, "location")}


def _fields(group: GroupResponse) -> dict[str, str]:
    return {"name": group.name, "precedence": str(group.precedence)}
