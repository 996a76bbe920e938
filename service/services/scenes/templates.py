"""Creates scenes from the design kit; fills open widgets from the workspace's menu."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from sqlalchemy.orm import Session

from menu.text.wording import cldr_locale
from service.core.errors import Fault, ProblemError, invalid, not_found, pointer_part
from service.schema.content.scene import DEFAULTS, SceneCreate, SceneResponse
from service.schema.content.template import SceneFromTemplate, TemplateResponse, ThemeResponse
from service.schema.faults import faults_of
from service.schema.lists import Listing, whole
from service.services.assets.assets import AssetService
from service.services.assets.bundled import BundledAssets, add_bundled, placeholders, resolve, store_bundled
from service.services.scenes.filling import NO_MENU, Menu, as_there, menu_of, with_menu
from service.services.scenes.kit import ASSET, NO_PICTURE, Kit, Template
from service.services.scenes.scenes import SceneService
from service.services.scenes.themes import LOGO, PLAIN, KitTheme, branded, themed, with_logo
from service.services.scenes.trades import trade_of
from service.storage.database import Database, Unit
from service.storage.tables.menus import SceneRow


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
        assets = self.store_assets(body, workspace)
        with self._database.write() as unit:
            return self._scenes.view(unit, self.add(unit, workspace, body, assets))

    def store_assets(self, body: SceneFromTemplate, workspace: str | None) -> BundledAssets:
        """Stores the kit's assets that the scene uses, before the transaction of `add`, with the picture of what the
        workspace sells; without a workspace the template's own. Raises the 422 problem."""
        template, menu = self._template(body), NO_MENU
        if workspace is not None:
            with self._database.read() as session:
                menu = menu_of(session, workspace)
        scene = _template_scene(template, body, self._kit_theme(body), menu, self._picture(template, body, menu))
        files = {**template.assets, **self._kit.pictures}
        return store_bundled(self._assets, {name: files[name] for name in sorted(placeholders(scene))})

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

    def drafter(self, body: SceneFromTemplate, workspace: str) -> Callable[[Session], dict[str, Any]]:
        """Returns a function that makes the document of the scene, in the workspace, without creating it. Raises 404
        for an unknown template."""
        if body.template not in self._kit.templates:
            raise not_found("template", body.template)
        names = {name: asset.id for name, asset in self.store_assets(body, workspace).items()}

        def draft(session: Session) -> dict[str, Any]:
            made = _checked(self._filled(session, workspace, body, names)).document()
            return {"id": body.template, **DEFAULTS, **made}

        return draft

    def _filled(
        self, session: Session, workspace: str, body: SceneFromTemplate, names: Mapping[str, str]
    ) -> dict[str, Any]:
        menu = menu_of(session, workspace)
        # That of the stored assets: items may have been added since.
        picture = next((name.removeprefix(ASSET) for name in names if name in self._kit.pictures), None)
        document = _template_scene(self._template(body), body, self._kit_theme(body), menu, picture)
        return _with_fill(resolve(document, names), body, menu)

    def _picture(self, template: Template, body: SceneFromTemplate, menu: Menu) -> str | None:
        """Returns the trade whose picture the scene has; None for a scene without. Raises the 422 problem."""
        if body.picture is not None:
            if body.picture != NO_PICTURE and f"{ASSET}{body.picture}" not in self._kit.pictures:
                offered = ", ".join(one.removeprefix(ASSET) for one in self._kit.pictures)
                detail = f"The pictures are {offered}, and {NO_PICTURE}."
                raise invalid([Fault("unknown_picture", detail, pointer="/picture")])
            return None if body.picture == NO_PICTURE else body.picture
        if not menu.categories:
            return template.picture
        # Categories are named in the shop's language, whichever the scene has.
        languages = dict.fromkeys((menu.language, _language(body, menu)))
        own = template.picture
        found = (trade_of(menu.categories, self._kit.trades, language, own=own) for language in languages)
        return next((trade for trade in found if trade is not None), None)

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


def _template_scene(
    template: Template, body: SceneFromTemplate, kit_theme: KitTheme | None, menu: Menu, picture: str | None
) -> dict[str, Any]:
    """Returns the template's scene without the fields that the call replaces, for the items of the menu unless the call
    sets the contents of a list. Raises the 422 problem."""
    faults = [*_faults_of_fill(body, {widget["id"] for widget in template.document["widgets"]})]
    if body.orientation is not None and body.orientation not in template.orientations:
        faults.append(Fault("not_allowed", "This template has no such layout.", pointer="/orientation"))
    if faults:
        raise invalid(faults)
    is_listed = any({"categories", "itemIds"} & set(fields or ()) for fields in body.fill.values())
    items = 0 if is_listed else sum(menu.categories.values())
    document = template.scene(
        body.orientation or template.orientations[0],
        items,
        picture=picture,
        language=_language(body, menu),
        shop=menu.shop,
        given=body.fill,
    )
    if kit_theme is not None:
        document = themed(document, kit_theme)
    widgets = [
        {key: value for key, value in widget.items() if key not in (body.fill.get(widget["id"]) or {})}
        for widget in document["widgets"]
    ]
    given = body.document()
    style = {
        key: given[key] for key in _REPLACED if given.get(key) is not None and (key != "theme" or kit_theme is None)
    }
    named = {} if body.name is None else {"name": body.name}
    scene = {**as_there({**document, "widgets": widgets}, menu), **style, **named}
    return scene if body.brand is None or body.brand.logo is None else with_logo(scene, body.brand.logo)


def _language(body: SceneFromTemplate, menu: Menu) -> str:
    """Returns the language of the scene's own words: the first of the call, or the shop's."""
    return cldr_locale(body.languages[0]).language if body.languages else menu.language


def _with_fill(document: dict[str, Any], body: SceneFromTemplate, menu: Menu) -> dict[str, Any]:
    widgets = [{**widget, **(body.fill.get(widget["id"]) or {})} for widget in document["widgets"]]
    return {**document, "widgets": with_menu(widgets, menu)}


def _faults_of_fill(body: SceneFromTemplate, known: set[str]) -> Iterator[Fault]:
    for widget_id, fields in body.fill.items():
        pointer = f"/fill/{pointer_part(widget_id)}"
        if widget_id not in known:
            places = ", ".join(sorted(known))
            yield Fault("unknown_place", f"This template has the places {places}.", pointer=pointer)
        for field in ("id", "type"):  # Fields of a widget that `fill` cannot change.
            if fields and field in fields:
                yield Fault("not_allowed", "A template's widget keeps its id and type.", pointer=f"{pointer}/{field}")


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
