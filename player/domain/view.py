"""Owns what the glass is asked to show: a pairing code, the house card or a scene, its lists filled in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct, field

from player.domain.manifest import VersionKey
from player.domain.scene import Scene


class PriceText(Struct, frozen=True, kw_only=True):
    """A price as a guest reads it (`€ 4,50`); `decimal_at` is the index of the decimal separator in `text`, or of where
    it would stand, so that prices line up on it."""

    text: str
    decimal_at: int


class ModifierLine(Struct, frozen=True, kw_only=True):
    """A modifier as a guest reads it; `delta` is signed, empty when it costs nothing."""

    name: str
    delta: str


class AllergenLine(Struct, frozen=True, kw_only=True):
    """One allergen of a menu's legend: the `mark` that rows carry, and what it means as a guest reads it."""

    allergen: str
    mark: str
    text: str


class MenuRow(Struct, frozen=True, kw_only=True):
    """One line of a menu, fit to draw; `allergens` are marks of the list's legend, of a dish alone their names."""

    item_id: str
    name: str
    price: PriceText
    description: str = ""
    modifiers: tuple[ModifierLine, ...] = ()
    tags: tuple[str, ...] = ()
    allergens: tuple[str, ...] = ()
    image: str | None = None
    sold_out: bool = False


class MenuSection(Struct, frozen=True, kw_only=True):
    """The rows under one heading; an empty heading means none is drawn."""

    heading: str
    rows: tuple[MenuRow, ...]


class MenuListing(Struct, frozen=True, kw_only=True):
    """All that a menu widget lists now, in order; `legend` holds the allergens in it, and `legend_title` names them."""

    sections: tuple[MenuSection, ...]
    legend: tuple[AllergenLine, ...] = ()
    legend_title: str = ""

    @property
    def empty(self) -> bool:
        """Whether there is no row to show."""
        return not any(section.rows for section in self.sections)


class Locality(Struct, frozen=True, kw_only=True):
    """How and when the place reads: IANA zone, BCP 47 locale, whether its script runs right to left."""

    timezone: str = "UTC"
    locale: str = "en"
    right_to_left: bool = False


class PairingCard(Struct, frozen=True, kw_only=True):
    """The pairing screen. `user_code` is None until the service has given one; `good_until` is on the monotonic clock,
    in seconds; `trouble` is a sentence for the person in front of the screen."""

    user_code: str | None = None
    verification_uri: str = ""
    verification_uri_complete: str = ""
    good_until: float = 0.0
    trouble: str | None = None


class HouseCard(Struct, frozen=True, kw_only=True):
    """The house card: the location's name and the time; never black. `next_at` is when something is scheduled again."""

    location_name: str = ""
    locality: Locality = field(default_factory=Locality)
    reason: str = ""
    next_at: datetime | None = None


class SceneView(Struct, frozen=True, kw_only=True):
    """A scene with its menus and single dishes filled in, by widget.

    `entry_id` and `turn` (the showing's start) tell one showing from the next: a new showing of another scene comes in
    with the transition; the same showing with other rows changes in place. `duration_seconds` is the time of the entry,
    in which a list that is too long turns its pages.
    """

    key: VersionKey
    entry_id: str
    scene: Scene
    turn: datetime
    revision: int
    locality: Locality
    duration_seconds: int
    menus: Mapping[str, MenuListing] = field(default_factory=dict)
    dishes: Mapping[str, MenuRow] = field(default_factory=dict)


View = PairingCard | HouseCard | SceneView


class DisplayOrder(Struct, frozen=True, kw_only=True):
    """One order to the display: what to show now, and what to prepare. `serial` grows with every different picture and
    comes back when its frame has been swapped. `clock_offset` is true time minus the system's, for the clocks drawn.
    `identify` is the text of a banner that names the screen for a moment, empty for none. `rotation` is how the
    location's panels hang: degrees by which the picture is turned clockwise."""

    serial: int
    view: View
    upcoming: SceneView | None = None
    clock_offset: timedelta = timedelta()
    identify: str = ""
    rotation: int = 0
