"""Finds the items, pictures, films and fonts that a scene names: in its document, or once it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from menu.documents.converters import ASSET_PREFIX, Parts, Reference
from menu.documents.scene import WIDGETS, Background, Scene, Widget
from menu.documents.theme import Theme
from menu.documents.tolerant import kind_and_marks


class Named(Struct, frozen=True):
    """A reference to something of the workspace; `pointer` (RFC 6901) leads to it."""

    pointer: str
    kind: Reference
    id: str


def named_in_document(scene: Mapping[str, Any]) -> Iterator[Named]:
    """Yields the references of a scene's document, or of some of its fields."""
    for kind, name in ((Background, "background"), (Theme, "theme")):
        if scene.get(name) is not None:
            yield from _named(kind, scene[name], f"/{name}")
    for at, widget in enumerate(scene.get("widgets") or ()):
        yield from _named(WIDGETS[widget["type"]], widget, f"/widgets/{at}")


def scene_assets(scene: Scene) -> tuple[str, ...]:
    """Returns the assets (hex SHA-256) that a scene needs: its fonts, then its pictures and films from the back to the
    front."""
    return (*scene_fonts(scene), *scene_media(scene))


def scene_fonts(scene: Scene) -> dict[str, str]:
    """Returns the fonts (hex SHA-256) that a scene and its widgets name, each with the part that names it first, such
    as `theme/fontFamily` or `text-1/theme/fontFamily`."""
    themes = (("theme", scene.theme), *((f"{widget.id}/theme", widget.theme) for widget in scene.widgets))
    found = dict[str, str]()
    for part, theme in themes:
        for one in _named(Theme, theme, part):
            found.setdefault(one.id.removeprefix(ASSET_PREFIX), one.pointer)
    return found


def font_fields() -> tuple[str, ...]:
    """Returns the fields of a theme that may name a font, as documents write them."""
    return tuple(name for (_, name), _ in _fields(Theme))


def scene_media(scene: Scene) -> tuple[str, ...]:
    """Returns the pictures and films (hex SHA-256) that a scene draws, from the back to the front."""
    found = [one.id for one in _named(Background, scene.background, "")]
    return (*found, *(asset for widget in scene.widgets for asset in widget_media(widget)))


def widget_media(widget: Widget) -> tuple[str, ...]:
    """Returns the pictures and films that a widget draws: the poster of a film first, which is small and shows until
    the film is there."""
    named = [one for one in _named(type(widget), widget, "") if one.kind not in (Reference.ITEM, Reference.FONT)]
    return tuple(one.id for one in sorted(named, key=lambda one: one.kind is Reference.FILM))


def _named(kind: type[Struct], holder: Any, pointer: str) -> Iterator[Named]:
    for name, find in _fields(kind):
        value = holder.get(name[1]) if isinstance(holder, Mapping) else getattr(holder, name[0])
        if value is not None:
            yield from find(value, f"{pointer}/{name[1]}")


Find = Callable[[Any, str], Iterator[Named]]


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[tuple[str, str], Find], ...]:
    """Returns the fields that name something: their names in Python and in documents, and their finder."""
    found = list[tuple[tuple[str, str], Find]]()
    for info in msgspec.structs.fields(kind):
        kind_of_field, marks = kind_and_marks(info.type)
        for mark in marks:
            if isinstance(mark, Reference):
                found.append(((info.name, info.encode_name), _ids(mark)))
            elif isinstance(mark, Parts):
                found.append(((info.name, info.encode_name), _in_parts(mark.kind)))
        if kind_of_field is Theme:
            found.append(((info.name, info.encode_name), _in_theme))
    return tuple(found)


def _in_theme(value: Any, pointer: str) -> Iterator[Named]:
    yield from _named(Theme, value, pointer)


def _ids(mark: Reference) -> Find:
    def find(value: Any, pointer: str) -> Iterator[Named]:
        if mark is Reference.FONT and not value.startswith(ASSET_PREFIX):
            return  # The name of an installed family.
        if isinstance(value, str):
            yield Named(pointer, mark, value)
        else:
            yield from (Named(f"{pointer}/{at}", mark, one) for at, one in enumerate(value))

    return find


def _in_parts(kind: type[Struct]) -> Find:
    def find(value: Any, pointer: str) -> Iterator[Named]:
        for at, one in enumerate(value):
            yield from _named(kind, one, f"{pointer}/{at}")

    return find
