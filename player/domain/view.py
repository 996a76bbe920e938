"""Views that the display can be ordered to show: pairing card, house card, and scene with its items; plain data."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct, field

from menu.documents.box import Box
from menu.documents.manifest import VersionKey
from menu.documents.scene import (
    Fit,
    Focus,
    GridWidget,
    ItemWidget,
    MenuWidget,
    Place,
    QrWidget,
    Scene,
    TextWidget,
    Widget,
)
from menu.text.allergens import LegendLine
from menu.text.live_values import FilledText
from menu.text.price import PriceText
from menu.text.wording import Locality
from player.domain.pairing.access import Pin


class ModifierLine(Struct, frozen=True, kw_only=True):
    """A modifier as a guest reads it; `delta` is signed, empty when it costs nothing."""

    name: str
    delta: str


class VariantText(Struct, frozen=True, kw_only=True):
    """A variant as a guest reads it."""

    name: str
    price: PriceText
    regular: str = ""
    """The regular price, where `price` is that of an offer."""
    energy: str = ""
    sold_out: bool = False


class SecondText(Struct, frozen=True, kw_only=True):
    """An item in the languages beside the first, a line for each; nothing is repeated."""

    name: str
    description: str


class MenuRow(Struct, frozen=True, kw_only=True):
    """One item, formatted; with `variants` it has no price of its own. `allergens` are marks of the menu's legend; in
    an item widget, their names."""

    item_id: str
    name: str
    price: PriceText
    variants: tuple[VariantText, ...] = ()
    lowest: VariantText | None = None
    """On a grid, what stands for the variants where there is no room for them: `from 8.50 €`."""
    regular: str = ""
    """The regular price, where `price` is that of an offer."""
    saving: str = ""
    """The saving of a combo."""
    energy: str = ""
    description: str = ""
    modifiers: tuple[ModifierLine, ...] = ()
    tags: tuple[str, ...] = ()
    icons: tuple[str, ...] = ()
    """Icons of the tags that have one, and are not among `tags`."""
    allergens: tuple[str, ...] = ()
    image: str | None = None
    image_fit: Fit | None = None
    image_focus: Focus = Focus()
    featured: bool = False
    """Whether a menu draws it larger than other items."""
    sold_out: bool = False
    second: SecondText | None = None
    untranslated: tuple[str, ...] = ()
    """The languages shown in which the item has no name; then `written` is the name that its operator gave it."""
    written: str = ""
    unsaid: tuple[str, ...] = ()
    """Its tags and allergens for which a language shown has no word."""
    energy_note: str = ""
    """The energy that an adult needs in a day, where an item widget says it for its scene."""


class MenuSection(Struct, frozen=True, kw_only=True):
    """Rows under one heading; an empty heading means none is drawn."""

    heading: str
    rows: tuple[MenuRow, ...]
    category: str = ""
    """The category as its operator writes it."""
    short: str = ""
    """The heading in the first language alone, where it is in two."""
    note: str = ""
    image: str | None = None
    color: str | None = None
    """The colour of its heading; None is the accent's."""


class MenuListing(Struct, frozen=True, kw_only=True):
    """Rows of a menu widget now, in order; `legend` explains their allergens, under `legend_title`. `left_out` counts
    the items that are beyond the bound of a scene's rows. `energy_note` states an adult's daily need, where rows have
    energies."""

    sections: tuple[MenuSection, ...]
    legend: tuple[LegendLine, ...] = ()
    legend_title: str = ""
    icons: tuple[LegendLine, ...] = ()
    """Meanings of the icons of its rows."""
    left_out: int = 0
    energy_note: str = ""
    whole: MenuListing | None = None
    """The same as if nothing were sold out, where something is: the layout follows from it."""

    @property
    def empty(self) -> bool:
        return not any(section.rows for section in self.sections)


class PairingNotice(Struct, frozen=True, kw_only=True):
    """Quiet banner of a board that continues although it has to be paired again: location, fault, and remedy, with the
    code `at` the address where it is entered. All three are empty until the service has issued one."""

    name: str
    locale: str
    fault: str
    advice: str
    user_code: str = ""
    at: str = ""
    address: str = ""


class Identity(Struct, frozen=True, kw_only=True):
    """Identification of this screen, shown large for a moment: its name, its location, its short id and the address of
    its page; `location` and `address` are empty where they are not known."""

    name: str
    short_id: str
    location: str = ""
    address: str = ""


class Strip(Struct, frozen=True, kw_only=True):
    """Strip at the lower edge, for a technician: the screen, the address of its page, and the fault. `finding` is empty
    where there is none; `is_fault`: something that should show does not. `qr` is the text of its code: the address, or
    the fault where no phone can open the page."""

    name: str
    version: str
    address: str = ""
    finding: str = ""
    is_fault: bool = False
    qr: str = ""


class PairingCard(Struct, frozen=True, kw_only=True):
    """Pairing card. `user_code` is None until the service has issued one; `good_until` is on the monotonic clock, in
    seconds; `trouble` is a sentence for the person in front of the screen. `is_paired`: the code was claimed, as the
    screen `paired_as` (empty where that is not known), and nothing else can be shown yet."""

    user_code: str | None = None
    verification_uri: str = ""
    verification_uri_complete: str = ""
    good_until: float = 0.0
    trouble: str | None = None
    is_paired: bool = False
    paired_as: str = ""
    locality: Locality = field(default_factory=Locality)


class HouseCard(Struct, frozen=True, kw_only=True):
    """House card: the location's name and the time; never black. `next_at` is when something is scheduled again."""

    location_name: str = ""
    locality: Locality = field(default_factory=Locality)
    reason: str = ""
    next_at: datetime | None = None


class SceneView(Struct, frozen=True, kw_only=True):
    """A scene with the contents of its menu and item widgets, and of its texts that contain values, by widget id.

    `entry_id` and `started_at` (the start of the showing) identify the showing: a new showing of another scene comes in
    with the transition; the same showing with other rows changes in place. `duration_seconds` is the entry's, in which
    a menu that is too long turns its pages. `clock_known`: the time is, so that countdowns count. `counted_from` is
    when its slideshows began, None: with the showing. `localities` are those of widgets that differ from the scene's,
    the first and at most two beside it.
    """

    key: VersionKey
    entry_id: str
    scene: Scene
    started_at: datetime
    revision: int
    locality: Locality
    duration_seconds: int
    clock_known: bool = True
    override: str | None = None
    """The id of the override of which it is."""
    counted_from: datetime | None = None
    localities: Mapping[str, tuple[Locality, ...]] = field(default_factory=dict)
    menus: Mapping[str, MenuListing] = field(default_factory=dict)
    items: Mapping[str, MenuRow] = field(default_factory=dict)
    texts: Mapping[str, FilledText] = field(default_factory=dict)
    lacking: frozenset[str] = frozenset()
    """Pictures and films of it (hex SHA-256) that are not on the device, or not whole."""

    def moved_for(self, now: datetime) -> float | None:
        """Returns the seconds of motion by the timeline, the same on all panels of its board. None on a board of one
        panel, where it begins with the showing."""
        return None if self.scene.span is None else (now - (self.counted_from or self.started_at)).total_seconds()


View = PairingCard | HouseCard | SceneView


def is_never_flat(view: SceneView, part: Box) -> bool:
    """Whether a frame of this part of the scene in one colour lacks something: it holds text or a code that nothing can
    cover.

    Images and videos may be of one colour, and so may what they cover.
    """
    widgets = view.scene.widgets
    return any(
        widget.opacity >= 0.2
        and min(widget.box.width, widget.box.height) >= 24.0  # Canvas units.
        and widget.box.overlaps(part)
        and _has_ink(widget, view)
        and not any(widget.box.overlaps(cover.box) for cover in widgets[number:])
        for number, widget in enumerate(widgets, start=1)
    )


def _has_ink(widget: Widget, view: SceneView) -> bool:
    match widget:
        case MenuWidget() | GridWidget():
            listing = view.menus.get(widget.id)
            return listing is not None and not listing.empty
        case ItemWidget():
            return widget.id in view.items
        case TextWidget():
            told = view.texts.get(widget.id)
            return any(letter.isalnum() for letter in (widget.text if told is None else told.text))
        case QrWidget():
            return True
        case _:
            return False


class DisplayOrder(Struct, frozen=True, kw_only=True):
    """One order to the display: a view to show now, one to prepare. `serial` grows with every change of the view, and
    is reported when its frame has been swapped. `clock_offset` is true time minus the system's, for clock widgets.
    `identify` names the screen in a banner for a moment; `notice` is the banner of a
    board that has to be paired again, `strip` the one for a technician; both, and the identification, are in the
    language of `locality`; `pin` is the page's, in a corner. `rotation` and `overscan` are the service's settings of
    the panel: degrees by which the view is turned clockwise, and percent of each side that is kept free. `place` is the
    screen's among those that draw one board."""

    serial: int
    view: View
    upcoming: SceneView | None = None
    clock_offset: timedelta = timedelta()
    identify: Identity | None = None
    notice: PairingNotice | None = None
    strip: Strip | None = None
    locality: Locality = field(default_factory=Locality)
    pin: Pin | None = None
    rotation: int = 0
    overscan: float = 0.0
    place: Place | None = None
