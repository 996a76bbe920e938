"""A screen on its tile and its page: its state, its image and its first fault, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.desk.screens.read_out import OFFLINE, read_out
from service.desk.words import ENGLISH, Phrase, as_it_is, language_of, phrase
from service.schema.devices.screen import ScreenResponse
from service.schema.places.location import LocationResponse

SHORT_ID = 6
"""Characters of an id that people read to each other."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """First fault of a screen: its description and remedy for technicians, and the sentence to read to the shop, in its
    language."""

    what: Phrase
    do: Phrase | None
    read_out: Phrase | None
    language: str
    more: int = 0
    """The number of further troubles."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A screen with its location and image."""

    screen: ScreenResponse
    location: LocationResponse | None
    pictured_at: datetime | None
    """When its last picture came."""
    trouble: Trouble | None

    @property
    def short_id(self) -> str:
        """Last part of the id."""
        return self.screen.id[-SHORT_ID:]

    @property
    def picture(self) -> str:
        """Address of the image, which changes with each image."""
        presented = self.screen.presented or {}
        shown = "-".join(str(presented.get(name, "")) for name in ("sceneId", "version", "revision"))
        at = shown if self.pictured_at is None else f"{self.pictured_at.timestamp():.0f}"
        return f"/desk/screens/{self.screen.id}/picture?of={at}"

    @property
    def shows(self) -> Phrase:
        """Content that the screen presents, in words."""
        presented = self.screen.presented or {}
        if self.screen.display_power == "off_by_schedule":
            return phrase("Off outside the opening hours")
        return _SHOWN.get(presented.get("kind", ""), phrase("Nothing is known of it yet"))

    @property
    def waits(self) -> Phrase | None:
        """Version or confirmation that the screen waits for; None for neither."""
        if self.screen.waiting:
            return phrase("Waits until somebody confirms it")
        if self.screen.staged is not None:
            return phrase("Version {version} waits for the end of the loop", version=self.screen.staged["version"])
        return None


_SHOWN = {
    "scene": phrase("Shows its menu"),
    "house": phrase("Shows the house card: no menu is due"),
    "pairing": phrase("Shows a pairing code"),
    "nothing": phrase("Shows nothing"),
}


def tile_of(
    screen: ScreenResponse, locations: Mapping[str, LocationResponse], pictures: Mapping[str, datetime]
) -> Tile:
    location = locations.get(screen.location)
    return Tile(screen, location, pictures.get(screen.id), _trouble(screen, location))


def _trouble(screen: ScreenResponse, location: LocationResponse | None) -> Trouble | None:
    findings: Sequence[Mapping[str, Any]] = screen.findings
    language = language_of([None if location is None else location.locale.partition("-")[0]], "")
    if screen.status == "offline":
        return Trouble(phrase("It does not call."), None, OFFLINE, language, len(findings))
    if not findings:
        return None
    first = findings[0]
    what, said = as_it_is(first["what"]), read_out(first)
    do = as_it_is(first["do"]) if first.get("do") else None
    if said is None:
        # Of a newer player: its own sentence is better than none.
        return Trouble(what, None, do, ENGLISH, len(findings) - 1)
    return Trouble(what, do, said, language, len(findings) - 1)
