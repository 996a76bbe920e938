"""Findings about parts of scenes that have nothing to show: films that are not decoded, menus that are sold out."""

from __future__ import annotations

from collections.abc import Iterator

from player.domain.findings.content import named_parts, scenes_told, told
from player.domain.findings.finding import Finding, Severity, Who, joined
from player.domain.state import Kind, PlayerState, Unshowable, WhyNot
from player.domain.words.phrase import phrase, phrases

FILM_STALLED = "video_stalled"
MENU_EMPTY = "menu_empty"
"""Codes of what the display says of parts of scenes."""


def of_films(state: PlayerState) -> Iterator[Finding]:
    """Films of which this device gets no picture."""
    if parts := named_parts(state, FILM_STALLED):
        yield Finding(
            code="film_fails",
            severity=Severity.WARNING,
            what=phrases(
                "{count} film cannot be played on this device, so its still picture shows instead.",
                "{count} films cannot be played on this device, so their still pictures show instead.",
                count=len(parts),
            ),
            why=told(parts),
            do=phrase(
                "Encode the film anew as H.264 (MP4) with at most 1920 × 1080 pixels and 30 pictures a second, upload"
                " it, put it in the place of the old one, and publish. Everything else plays on."
            ),
            who=Who.OPERATOR,
        )


_INSTALL_FONTS = phrase(
    "Install the fonts on the device, as with: sudo apt install fonts-inter fonts-noto-core fonts-noto-cjk"
    " fonts-noto-color-emoji. Then restart the player."
)


def of_fonts(state: PlayerState) -> Iterator[Finding]:
    """A device without a font."""
    if named_parts(state, "no_font"):
        yield Finding(
            code="no_font",
            severity=Severity.FAULT,
            what=phrase("No font is installed on this device, so all text on the screen is empty boxes."),
            why=phrase("The player found none when it drew."),
            do=_INSTALL_FONTS,
        )


def of_letters(state: PlayerState) -> Iterator[Finding]:
    """Letters that are drawn as boxes, for want of a font."""
    if parts := named_parts(state, "letters_missing"):
        yield Finding(
            code="letters_missing",
            severity=Severity.WARNING,
            what=phrase("Some letters on the screen are empty boxes: no font of this device has them."),
            why=told(parts),
            do=_INSTALL_FONTS,
        )


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
