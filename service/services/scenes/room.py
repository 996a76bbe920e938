"""Gives the room of a widget that is left out of a template to those beside it, so that no hole is left."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from service.services.scenes.pages import LISTS

SAFE_X, SAFE_Y, SAFE_Y_UPRIGHT = 0.05, 0.05, 0.04
"""The shares of width and height that stay free at each edge."""
_GROWING = ("item", "menu", "grid", "text")
"""Types that take room, in this order."""
_BESIDE = ("clock",)
"""Types that take room at their right alone."""


class Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Area") -> bool:
        return self.beside(other) and self.above(other)

    def beside(self, other: "Area") -> bool:
        """Returns whether the two share some of their height."""
        return self.top < other.bottom and other.top < self.bottom

    def above(self, other: "Area") -> bool:
        """Returns whether the two share some of their width."""
        return self.left < other.right and other.left < self.right

    def within(self, other: "Area") -> "Area":
        return Area(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )


def area_of(widget: Mapping[str, Any]) -> Area:
    return Area(widget["x"], widget["y"], widget["x"] + widget["width"], widget["y"] + widget["height"])


def placed(area: Area) -> dict[str, float]:
    return {"x": area.left, "y": area.top, "width": area.right - area.left, "height": area.bottom - area.top}


def safe_area(scene: Mapping[str, Any], at: float = 0) -> Area:
    """Returns the area of the scene's canvas, or of the panel that is `at` this x, in which contents stand."""
    width, height = scene["width"], scene["height"]
    span = scene.get("span") or {"panels": 1}
    gap = span.get("gap", 0)
    panel = (width - gap * (span["panels"] - 1)) / span["panels"]
    left = int(max(at, 0) // (panel + gap)) * (panel + gap)
    y = height * (SAFE_Y if panel > height else SAFE_Y_UPRIGHT)
    return Area(left + panel * SAFE_X, y, left + panel * (1 - SAFE_X), height - y)


def without(scene: dict[str, Any], left_out: Iterable[str]) -> dict[str, Any]:
    """Returns the scene without these widgets and what belongs to them (`with`); others take their room."""
    widgets = [dict(widget) for widget in scene["widgets"]]
    for name in left_out:
        gone = next(widget for widget in widgets if widget["id"] == name)
        widgets = [one for one in widgets if one is not gone and one.get("with") != name]
        if gone["type"] != "shape":
            _share(area_of(gone), widgets, safe_area(scene, gone["x"]))
    return {**scene, "widgets": widgets}


def _share(gone: Area, widgets: list[dict[str, Any]], safe: Area) -> None:
    room = gone.within(safe)
    contents = [widget for widget in widgets if widget["type"] != "shape"]
    if contents and all(widget["y"] >= room.bottom for widget in contents):
        return _move_up(widgets, room, min(widget["y"] for widget in contents) - safe.top)
    for kind in (*_GROWING, *_BESIDE):
        for widget in (one for one in contents if one["type"] == kind):
            others = [area_of(one) for one in contents if one is not widget]
            grown = next((one for one in _grown(widget, room) if not any(map(one.meets, others))), None)
            if grown is not None:
                _set(widget, grown, widgets)
    return None


def _set(widget: dict[str, Any], area: Area, widgets: list[dict[str, Any]]) -> None:
    """Gives a widget its new area: a shape that begins where it began follows it, and a list that is wider may have
    columns."""
    for one in widgets:
        if one["type"] == "shape" and one["x"] == widget["x"]:
            one["x"] = area.left
    if area.right - area.left > widget["width"] and widget.get("columns") == 1:
        del widget["columns"]
    widget.update(placed(area))


def _grown(widget: Mapping[str, Any], room: Area) -> Iterator[Area]:
    """Yields the areas that a widget may have with the room beside, above or below it."""
    area = area_of(widget)
    if area.beside(room):
        if room.left >= area.right:
            yield area._replace(right=room.right)
        if room.right <= area.left and widget["type"] not in _BESIDE:
            yield area._replace(left=room.left)
    elif area.above(room) and widget["type"] not in _BESIDE:
        yield area._replace(top=min(area.top, room.top), bottom=max(area.bottom, room.bottom))


def _move_up(widgets: list[dict[str, Any]], room: Area, by: float) -> None:
    """Moves up what stands below the room and above the first list, which becomes so much higher."""
    lists = [widget for widget in widgets if widget["type"] in LISTS]
    last = min((widget["y"] for widget in lists), default=float("inf"))
    for widget in widgets:
        if room.bottom <= widget["y"] <= last:
            if widget["y"] == last:
                widget["height"] += by
            widget["y"] -= by
