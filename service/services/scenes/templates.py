"""Creates scenes from the design kit; fills open widgets from the workspace's menu."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.errors import Fault, ProblemError, invalid, not_found, pointer_part
from service.schema.content.scene import DEFAULTS, SceneCreate, SceneResponse
from service.schema.content.template import SceneFromTemplate, TemplateResponse, ThemeResponse
from service.schema.faults import faults_of
from service.schema.lists import Listing, whole
from service.services.assets.assets import AssetService
from service.services.assets.bundled import BundledAssets, add_bundled, placeholders, resolve, store_bundled
from service.services.scenes.kit import Kit, Template
from service.services.scenes.pages import LISTS
from service.services.scenes.scenes import SceneService
from service.services.scenes.themes import LOGO, PLAIN, KitTheme, branded, themed, with_logo
from service.storage.database import Database, Unit
from service.storage.tables.menus import ItemRow, SceneRow


class TemplateService:
    def __init__(self, *, database: Database, assets: AssetService, scenes: SceneService, kit: Kit) -> None:
        self._database = database
        self._assets = assets
        self._scenes = scenes
        self._kit = kit

    def themes(self) -> Listing[ThemeResponse]:
        return whole([kit_theme.view for kit_theme in self._kit.themes.values()])

    def list(self) -> Listing[TemplateResponse]:
        return whole([template.view for template in self._kit.templates.values()])

    def create(self, workspace: str, body: SceneFromTemplate) -> SceneResponse:
        """Raises the 422 problem, with pointers into the body of the call."""
        assets = self.store_assets(body)
        with self._database.write() as unit:
            return self._scenes.view(unit, self.add(unit, workspace, body, assets))

    def store_assets(self, body: SceneFromTemplate) -> BundledAssets:
        """Stores the kit's assets that the scene uses, before the transaction of `add`. Raises the 422 problem."""
        template = self._template(body)
        return store_bundled(
            self._assets,
            {
                name: template.assets[name]
                for name in sorted(placeholders(_template_scene(template, body, self._kit_theme(body))))
            },
        )

    def add(self, unit: Unit, workspace: str, body: SceneFromTemplate, assets: BundledAssets) -> SceneRow:
        """Adds a scene in the caller's transaction."""
        names = add_bundled(self._assets, unit, workspace, assets)
        document = self._filled(unit.session, workspace, body, names)
        try:
            return self._scenes.add(unit, workspace, _checked(document))
        except ProblemError as problem:
            if not problem.faults:
                raise
            raise invalid([_fault_of_call(fault, document, body) for fault in problem.faults]) from None

    def drafter(self, body: SceneFromTemplate) -> Callable[[Session, str], dict[str, Any]]:
        """Returns a function that makes the document of the scene, in a workspace, without creating it. Raises 404 for
        an unknown template."""
        if body.template not in self._kit.templates:
            raise not_found("template", body.template)
        names = {name: asset.id for name, asset in self.store_assets(body).items()}

        def draft(session: Session, workspace: str) -> dict[str, Any]:
            made = _checked(self._filled(session, workspace, body, names)).document()
            return {"id": body.template, **DEFAULTS, **made}

        return draft

    def _filled(
        self, session: Session, workspace: str, body: SceneFromTemplate, names: Mapping[str, str]
    ) -> dict[str, Any]:
        menu = _menu(session, workspace)
        document = resolve(_template_scene(self._template(body), body, self._kit_theme(body), menu), names)
        return _with_fill(document, body, menu)

    def _template(self, body: SceneFromTemplate) -> Template:
        template = self._kit.templates.get(body.template)
        if template is None:
            offered = ", ".join(self._kit.templates)
            raise invalid([Fault("unknown_template", f"The templates are {offered}.", pointer="/template")])
        return template

    def _kit_theme(self, body: SceneFromTemplate) -> KitTheme | None:
        """Returns the requested theme, in the colours of its brand. Raises the 422 problem."""
        kit_theme = None
        if isinstance(body.theme, str):
            kit_theme = self._kit.themes.get(body.theme)
            if kit_theme is None:
                offered = ", ".join(self._kit.themes)
                raise invalid([Fault("unknown_theme", f"The themes are {offered}.", pointer="/theme")])
        if body.brand is None:
            return kit_theme
        own = {} if body.theme is None or isinstance(body.theme, str) else body.theme.document()
        return branded(kit_theme or replace(PLAIN, theme={**PLAIN.theme, **own}), body.brand)


_REPLACED = ("background", "theme", "transition", "languages", "languageMode")
"""Fields of a scene that a call may replace as a whole."""


@dataclass(frozen=True, slots=True)
class _Menu:
    """Menu of a workspace: categories with the number of items in each, and item ids, both in menu order."""

    categories: dict[str, int]
    items: list[str]


def _menu(session: Session, workspace: str) -> _Menu:
    query = select(ItemRow.id, ItemRow.category, ItemRow.image).where(ItemRow.workspace_id == workspace)
    rows = session.execute(query.order_by(ItemRow.sort_index, ItemRow.number)).all()
    # Items with an image first: an item widget shows one item with its image.
    with_image = [row.id for row in rows if row.image is not None]
    return _Menu(
        categories=dict(Counter(row.category for row in rows)),
        items=with_image + [row.id for row in rows if row.image is None],
    )


def _template_scene(
    template: Template, body: SceneFromTemplate, kit_theme: KitTheme | None, menu: _Menu | None = None
) -> dict[str, Any]:
    """Returns the template's scene without the fields that the call replaces, for the items of the menu unless the call
    sets the contents of a list. Raises the 422 problem."""
    faults = [*_faults_of_fill(body, {widget["id"] for widget in template.document["widgets"]})]
    if faults:
        raise invalid(faults)
    is_listed = any({"categories", "itemIds"} & set(fields or ()) for fields in body.fill.values())
    items = 0 if menu is None or is_listed else sum(menu.categories.values())
    document = template.scene(body.orientation or template.orientations[0], items)
    if kit_theme is not None:
        document = themed(document, kit_theme)
    widgets = [
        {key: value for key, value in widget.items() if key not in (body.fill.get(widget["id"]) or {})}
        for widget in document["widgets"]
        if body.fill.get(widget["id"], {}) is not None
    ]
    given = body.document()
    style = {
        key: given[key] for key in _REPLACED if given.get(key) is not None and (key != "theme" or kit_theme is None)
    }
    named = {} if body.name is None else {"name": body.name}
    scene = {**document, **style, **named, "widgets": widgets}
    return scene if body.brand is None or body.brand.logo is None else with_logo(scene, body.brand.logo)


def _with_fill(document: dict[str, Any], body: SceneFromTemplate, menu: _Menu) -> dict[str, Any]:
    widgets = [{**widget, **(body.fill.get(widget["id"]) or {})} for widget in document["widgets"]]
    return {**document, "widgets": _with_menu(widgets, menu)}


def _faults_of_fill(body: SceneFromTemplate, known: set[str]) -> Iterator[Fault]:
    for widget_id, fields in body.fill.items():
        pointer = f"/fill/{pointer_part(widget_id)}"
        if widget_id not in known:
            places = ", ".join(sorted(known))
            yield Fault("unknown_place", f"This template has the places {places}.", pointer=pointer)
        for field in ("id", "type"):  # Fields of a widget that `fill` cannot change.
            if fields and field in fields:
                yield Fault("not_allowed", "A template's widget keeps its id and type.", pointer=f"{pointer}/{field}")


def _with_menu(widgets: list[dict[str, Any]], menu: _Menu) -> list[dict[str, Any]]:
    """Fills open menu, grid and item widgets from the workspace's menu; a widget without items is dropped."""
    menus = [widget for widget in widgets if widget["type"] in LISTS]
    open_menus = [widget for widget in menus if not widget.get("categories") and not widget.get("itemIds")]
    taken = {category for widget in menus for category in widget.get("categories") or ()}
    left = {category: count for category, count in menu.categories.items() if category not in taken}
    portions = iter(_portions(left, len(open_menus)) or [[]])
    items = iter(menu.items)
    filled = []
    for widget in widgets:
        if widget in open_menus:
            portion = next(portions, None)
            if portion is not None:
                filled.append({**widget, "categories": portion})
            elif upper := next((one for one in filled if _is_below(widget, one)), None):
                upper["height"] = widget["y"] + widget["height"] - upper["y"]
        elif widget["type"] == "item" and "itemId" not in widget:
            item = next(items, None)
            if item is not None:
                filled.append({**widget, "itemId": item})
        else:
            filled.append(widget)
    return filled


def _is_below(lower: dict[str, Any], upper: dict[str, Any]) -> bool:
    """Returns whether one list is directly below the other, which gets its room when it has no items."""
    gap = lower["y"] - upper["y"] - upper["height"]
    # Canvas units between a menu and the one below it.
    return upper["type"] in LISTS and lower["x"] == upper["x"] and 0 <= gap <= 60


def _portions(categories: dict[str, int], menus: int) -> list[list[str]]:
    """Splits the categories, in order, over at most `menus` portions with about as many items in each."""
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


def _fault_of_call(fault: Fault, document: dict[str, Any], body: SceneFromTemplate) -> Fault:
    """Maps a fault of the scene: a pointer to a widget becomes one into the caller's `fill`."""
    parts = (fault.pointer or "").split("/")
    if parts[1:2] != ["widgets"] or len(parts) < 3:
        return fault
    widget_id = document["widgets"][int(parts[2])]["id"]
    if widget_id == LOGO and body.brand is not None:
        return Fault(fault.code, fault.detail, pointer="/brand/logo")
    if widget_id not in body.fill:
        return fault
    pointer = "/".join(["", "fill", pointer_part(widget_id), *parts[3:]])
    return Fault(fault.code, fault.detail, pointer=pointer)
