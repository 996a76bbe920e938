"""Making scenes from the design kit: what the caller did not fill in comes from the workspace's own menu."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.errors import Fault, ProblemError, invalid
from service.schema.faults import faults_of, pointer_part
from service.schema.lists import Listing, whole
from service.schema.scene import SceneCreate, SceneResponse
from service.schema.template import SceneFromTemplate, TemplateResponse
from service.services.assets.assets import AssetService
from service.services.assets.bundled import Shelf, hand_out, mentioned, resolve, shelve
from service.services.content.kit import Kit, Template
from service.services.content.scenes import SceneService
from service.storage.database import Database, Unit
from service.storage.tables import ItemRow, SceneRow

_FIXED = ("id", "type")
"""What `fill` cannot change of a widget: it would be another."""


class TemplateService:
    """Lists the kit's templates and makes scenes from them."""

    def __init__(self, *, database: Database, assets: AssetService, scenes: SceneService, kit: Kit) -> None:
        self._database = database
        self._assets = assets
        self._scenes = scenes
        self._kit = kit

    def list(self) -> Listing[TemplateResponse]:
        """Every template."""
        return whole([template.view for template in self._kit.templates.values()])

    def create(self, workspace: str, body: SceneFromTemplate) -> SceneResponse:
        """A new scene. Raises the 422 problem, with pointers into the call's own body."""
        shelf = self.shelve(body)
        with self._database.write() as unit:
            return self._scenes.view(self.add(unit, workspace, body, shelf))

    def shelve(self, body: SceneFromTemplate) -> Shelf:
        """What the scene takes from the kit, made ready for `add` before its transaction. Raises the 422 problem."""
        template = self._template(body)
        return shelve(self._assets, {name: template.assets[name] for name in sorted(mentioned(_own(template, body)))})

    def add(self, unit: Unit, workspace: str, body: SceneFromTemplate, shelf: Shelf) -> SceneRow:
        """A new scene, as part of a larger effect."""
        names = hand_out(self._assets, unit, workspace, shelf)
        document = resolve(_own(self._template(body), body), names)
        document = _filled(document, body, _menu(unit.session, workspace))
        try:
            return self._scenes.add(unit, workspace, _checked(document))
        except ProblemError as problem:
            if not problem.faults:
                raise
            raise invalid([_in_the_call(fault, document, body) for fault in problem.faults]) from None

    def _template(self, body: SceneFromTemplate) -> Template:
        template = self._kit.templates.get(body.template)
        if template is None:
            offered = ", ".join(self._kit.templates)
            raise invalid([Fault("unknown_template", f"The templates are {offered}.", pointer="/template")])
        return template


@dataclass(frozen=True, slots=True)
class _Menu:
    """What the workspace sells: categories with the number of items in each, and items, both in menu order."""

    categories: dict[str, int]
    items: list[str]


def _menu(session: Session, workspace: str) -> _Menu:
    query = select(ItemRow.id, ItemRow.category, ItemRow.image).where(ItemRow.workspace_id == workspace)
    rows = session.execute(query.order_by(ItemRow.sort_index, ItemRow.number)).all()
    # Items with a picture first: they are what a single dish on a board is chosen for.
    pictured = [row.id for row in rows if row.image is not None]
    return _Menu(
        categories=dict(Counter(row.category for row in rows)),
        items=pictured + [row.id for row in rows if row.image is None],
    )


def _own(template: Template, body: SceneFromTemplate) -> dict[str, Any]:
    """What the template itself says, without what the call replaces. Raises the 422 problem."""
    faults = [*_faults_of_fill(body, {widget["id"] for widget in template.document["widgets"]})]
    if faults:
        raise invalid(faults)
    document = template.scene(body.orientation or template.orientations[0])
    widgets = [
        {key: value for key, value in widget.items() if key not in (body.fill.get(widget["id"]) or {})}
        for widget in document["widgets"]
        if body.fill.get(widget["id"], {}) is not None
    ]
    given = body.document()
    looks = {key: given[key] for key in ("background", "theme", "transition") if given.get(key) is not None}
    named = {} if body.name is None else {"name": body.name}
    return {**document, **looks, **named, "widgets": widgets}


def _filled(document: dict[str, Any], body: SceneFromTemplate, menu: _Menu) -> dict[str, Any]:
    widgets = [{**widget, **(body.fill.get(widget["id"]) or {})} for widget in document["widgets"]]
    return {**document, "widgets": _served(widgets, menu)}


def _faults_of_fill(body: SceneFromTemplate, known: set[str]) -> Iterator[Fault]:
    for widget_id, fields in body.fill.items():
        pointer = f"/fill/{pointer_part(widget_id)}"
        if widget_id not in known:
            places = ", ".join(sorted(known))
            yield Fault("unknown_place", f"This template has the places {places}.", pointer=pointer)
        for field in _FIXED:
            if fields and field in fields:
                yield Fault("not_allowed", "A template's widget keeps its id and type.", pointer=f"{pointer}/{field}")


def _served(widgets: list[dict[str, Any]], menu: _Menu) -> list[dict[str, Any]]:
    """The widgets with the workspace's menu in those that name nothing; what there is nothing for is left out."""
    menus = [widget for widget in widgets if widget["type"] == "menu"]
    open_menus = [widget for widget in menus if not widget.get("categories") and not widget.get("itemIds")]
    taken = {category for widget in menus for category in widget.get("categories") or ()}
    left = {category: count for category, count in menu.categories.items() if category not in taken}
    portions = iter(_portions(left, len(open_menus)) or [[]])
    items = iter(menu.items)
    served = []
    for widget in widgets:
        if widget in open_menus:
            portion = next(portions, None)
            if portion is not None:
                served.append({**widget, "categories": portion})
        elif widget["type"] == "item" and "itemId" not in widget:
            item = next(items, None)
            if item is not None:
                served.append({**widget, "itemId": item})
        else:
            served.append(widget)
    return served


def _portions(categories: dict[str, int], menus: int) -> list[list[str]]:
    """The categories, in their order, in as many portions as there are menus for, with about as many items in each."""
    portions: list[list[str]] = []
    left, waiting = sum(categories.values()), list(categories)
    for portion in range(min(menus, len(categories)), 0, -1):
        taken, share = [waiting.pop(0)], left / portion
        count = categories[taken[0]]
        while len(waiting) > portion - 1 and (portion == 1 or count + categories[waiting[0]] / 2 <= share):
            taken.append(waiting.pop(0))
            count += categories[taken[-1]]
        left -= count
        portions.append(taken)
    return portions


def _checked(document: dict[str, Any]) -> SceneCreate:
    try:
        return SceneCreate.model_validate(document)
    except ValidationError as wrong:
        errors = ({**error, "loc": ("body", *error["loc"])} for error in wrong.errors())
        raise invalid(faults_of(errors, document)) from None


def _in_the_call(fault: Fault, document: dict[str, Any], body: SceneFromTemplate) -> Fault:
    """A fault of the scene as a fault of the call: its widgets are the caller's `fill`."""
    parts = (fault.pointer or "").split("/")
    if parts[1:2] != ["widgets"] or len(parts) < 3:
        return fault
    widget_id = document["widgets"][int(parts[2])]["id"]
    if widget_id not in body.fill:
        return fault
    pointer = "/".join(["", "fill", pointer_part(widget_id), *parts[3:]])
    return Fault(fault.code, fault.detail, pointer=pointer)
