"""Findings about parts of scenes that have nothing to show: films that are not decoded, menus that are sold out."""

from __future__ import annotations

from collections.abc import Iterator

from player.domain.finding import Finding, Severity, Who
from player.domain.findings.content import scenes_told
from player.domain.findings.finding import joined
from player.domain.findings.rejected import named_parts, told
from player.domain.state import Kind, PlayerState, Unshowable, WhyNot
from player.domain.words.phrase import phrase, phrases

MENU_EMPTY = "menu_empty"
"""Codes of what the display says of parts of scenes."""


def of_sold_out(state: PlayerState) -> Iterator[Finding]:
    """Menus without an item, while something else shows."""
    if state.showing.kind is not Kind.SCENE:
        return
    sold_out = Unshowable(WhyNot.SOLD_OUT)
    passed_over = [other for other in state.showing.others if other.unshowable == sold_out]
    names = {other.scene_name for other in passed_over}
    beside = [part for part in named_parts(state, MENU_EMPTY) if part.name not in names]
    if passed_over or beside:
        yield Finding(
            code="menu_sold_out",
            severity=Severity.NOTE,
            what=phrases(
                "All items of {count} menu are sold out or removed, so nothing of it shows.",
                "All items of {count} menus are sold out or removed, so nothing of them shows.",
                count=len(passed_over) + len(beside),
            ),
            why=joined(scenes_told(passed_over) if passed_over else "", told(beside) if beside else ""),
            do=phrase("If that is wrong, make the items available again in the service."),
            who=Who.OPERATOR,
        )
