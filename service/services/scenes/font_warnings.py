"""Warns of scripts that a scene's own fonts lack, by its texts, its items and the languages in which it shows.

Boards draw such letters in their usual family, which its author may not expect.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.documents.references import font_fields
from menu.fonts import lacks, scripts_in
from menu.text.languages import script_name, script_of
from service.schema.content.scene import SceneWarning
from service.schema.fields import ASSET_PREFIX
from service.services.assets.assets import find_assets
from service.services.scenes.pages import LISTS, items_of
from service.storage.tables.menus import EntryRow, ItemRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow

FONT_LACKS_SCRIPT = "font_lacks_script"
_BODY, _TITLE, _HEADING = "fontFamily", "titleFamily", "headingFamily"
_TEXTS = ("text", "emptyText", "energyNote", "caption", "endText")
"""Texts of widgets that their body font draws, but for one in the role of a title."""
_SPOKEN = LISTS | {"item", "clock", "countdown"}
"""Types of widgets that show words of the board's language."""

Font = tuple[str, str]
"""A font's asset, and the pointer to the field that names it."""


def font_warnings(session: Session, workspace: str, scene: Mapping[str, Any]) -> list[SceneWarning]:
    """Returns a warning for each font of a scene's document, and each place of it, that lacks scripts."""
    if not any(_named(theme) for theme in (scene["theme"], *(one.get("theme") or {} for one in scene["widgets"]))):
        return []
    needed: defaultdict[Font, set[str]] = defaultdict(set)
    items = list(session.scalars(select(ItemRow).where(ItemRow.workspace_id == workspace)))
    places = _languages(session, workspace, scene)
    for at, widget in enumerate(scene["widgets"]):
        languages = widget.get("languages") or scene["languages"] or places
        fonts = _fonts(scene, widget, at)
        for field, scripts in _scripts(widget, items, languages):
            if (font := fonts.get(field)) is not None:
                needed[font].update(scripts)
    rows = find_assets(session, workspace, {asset for asset, _ in needed})
    facts = {asset: row.font for asset, row in rows.items() if row.font is not None}
    found = []
    for (asset, pointer), wanted in needed.items():
        lacking = sorted(one for one in wanted if asset in facts and lacks(facts[asset]["scripts"], one))
        if lacking:
            found.append(_warning(facts[asset]["family"], lacking, pointer))
    return sorted(found, key=lambda one: one.pointer)


def _warning(family: str, scripts: list[str], pointer: str) -> SceneWarning:
    named = ", ".join(script_name(one, "en") for one in scripts)
    detail = f"The font {family} has no letters of these scripts, which boards draw in their usual family: {named}."
    return SceneWarning(code=FONT_LACKS_SCRIPT, detail=detail, pointer=pointer, family=family, scripts=scripts)


def _named(theme: Mapping[str, Any]) -> dict[str, str]:
    """Returns the fonts among the assets that a theme names, by field."""
    return {name: theme[name] for name in font_fields() if (theme.get(name) or "").startswith(ASSET_PREFIX)}


def _fonts(scene: Mapping[str, Any], widget: Mapping[str, Any], at: int) -> dict[str, Font]:
    """Returns the own fonts with which a widget draws its body, titles and headings."""
    given = dict[str, Font]()
    for theme, pointer in ((scene["theme"], "/theme"), (widget.get("theme") or {}, f"/widgets/{at}/theme")):
        given |= {name: (theme[name], f"{pointer}/{name}") for name in font_fields() if theme.get(name)}
    # A title or heading without a font of its own has that of the body.
    drawn = {name: given.get(name) or given.get(_BODY) for name in (_BODY, _TITLE, _HEADING)}
    return {name: font for name, font in drawn.items() if font is not None and font[0].startswith(ASSET_PREFIX)}


def _scripts(
    widget: Mapping[str, Any], items: Iterable[ItemRow], languages: Iterable[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yields the scripts that a widget shows, by the field that names their font."""
    body = _TITLE if widget.get("role") == "title" else _BODY
    texts = [widget[name] for name in _TEXTS if isinstance(widget.get(name), str)]
    yield body, scripts_in(" ".join(texts))
    yield _TITLE, scripts_in(widget.get("title") or "")
    if widget["type"] in _SPOKEN:
        yield _BODY, frozenset(filter(None, map(script_of, languages)))
    rows = list[ItemRow]()
    if widget["type"] in LISTS:
        rows = list(items_of(widget, list(items)))
        if widget.get("groupByCategory", True):
            yield _HEADING, scripts_in(" ".join(row.category for row in rows))
    elif widget["type"] == "item":
        rows = [row for row in items if row.id == widget["itemId"]]
    yield _BODY, scripts_in(" ".join(f"{row.name} {row.description or ''}" for row in rows))


def _languages(session: Session, workspace: str, scene: Mapping[str, Any]) -> list[str]:
    """Returns the languages of the locations whose screens play the scene; without any, of all locations."""
    known = select(LocationRow.locale).where(LocationRow.workspace_id == workspace).distinct()
    playlists = select(EntryRow.playlist_id).where(EntryRow.scene_id == scene["id"])
    playing = select(ScreenRow.location_id).where(ScreenRow.playlist_id.in_(playlists))
    return list(session.scalars(known.where(LocationRow.id.in_(playing)))) or list(session.scalars(known))
