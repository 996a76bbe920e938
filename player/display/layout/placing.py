"""Says where in its widget a short menu stands, from the other widgets of its scene; pure, imports no Qt."""

from __future__ import annotations

from player.domain.documents.scene import Box, ItemWidget, ListWidget, MenuWidget, Scene, TextWidget, VerticalAlign


def vertical_align(widget: MenuWidget, scene: Scene) -> VerticalAlign:
    """As the widget says. Otherwise a menu stands in the middle of its height; below a text that heads it, or beside
    another menu or an item, it begins at the top, so that what belongs together is in one line."""
    if widget.vertical_align is not None:
        return widget.vertical_align
    others = [other for other in scene.widgets if other is not widget]
    headed = any(isinstance(other, TextWidget) and _is_above(other.box, widget.box) for other in others)
    beside = any(isinstance(other, ListWidget | ItemWidget) and other.box.shares_lines(widget.box) for other in others)
    return VerticalAlign.TOP if (headed and not widget.title) or beside else VerticalAlign.MIDDLE


def _is_above(upper: Box, lower: Box) -> bool:
    return upper.y + upper.height <= lower.y + lower.height / 2 and upper.shares_columns(lower)
