"""Manifest and its parts: version, entry, catalogue, item, value, location, rejection; plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.converters import (
    COSTS_PART,
    LANGUAGE,
    MAX_ID,
    MAX_NAME,
    Amount,
    Asset,
    Characters,
    Color,
    FieldError,
    Flag,
    Instant,
    Parts,
    Strings,
    Whole,
    flag,
    identifier,
    instant,
    matching,
    name,
)
from menu.documents.scene import MAX_PANELS, Fit, Focus, Place, Scene
from menu.documents.schedule import Daypart, Schedule

MAX_MODIFIERS = 50
MAX_VARIANTS = 12
MAX_ENERGY = 99_999
"""Kilocalories."""
MAX_QUANTITY = 99
MAX_PARTS = 12
MAX_CHOICES = 20
MAX_OPENING_HOURS = 50
MAX_SPANS = 50
MAX_OVERRIDE_SCREENS = 2_000
MAX_TAGS = 20
MAX_PLANNED_ITEMS = 10_000
MAX_VALUE = 1_000_000_000
"""The greatest number that is a value."""
MAX_DESCRIPTION = 2_000
MAX_DURATION_SECONDS = 86_400
MAX_PRICE = 99_999_999
MAX_ASSET_BYTES = 2 * 1024**3
MAX_COUNT = 2**53
"""JSON readers disagree about whole numbers beyond this."""

Id = Annotated[str, identifier]
Name = Annotated[str, name]
FullName = Annotated[str, Characters(MAX_NAME, 1)]
Description = Annotated[str, Characters(MAX_DESCRIPTION)]
Price = Annotated[Decimal, Amount(0, MAX_PRICE)]
Energy = Annotated[int, Whole(0, MAX_ENERGY)]
Seconds = Annotated[int, Whole(-MAX_COUNT, MAX_COUNT)]
Words = Annotated[tuple[str, ...], Strings(MAX_TAGS, Characters(MAX_ID))]

NO_CURRENCY = "XXX"
"""ISO 4217 for "no currency": prices are written without a symbol."""
MIN_RATE, MAX_RATE = 1e-9, 99_999_999
ROTATIONS = (0, 90, 180, 270)
JITTER = timedelta(milliseconds=500)
"""A clock that is set back by less puts nothing back."""


def _rotation(value: object) -> int:
    if value not in ROTATIONS:
        raise FieldError("is none of 0, 90, 180 and 270 degrees")
    return Whole(0, max(ROTATIONS))(value)


Currency = Annotated[str, matching(re.compile(r"[A-Z]{3}", re.ASCII), "an ISO 4217 code", "currency_bad")]


class SecondCurrency(Struct, frozen=True, kw_only=True, rename="camel"):
    """A currency (ISO 4217) in which prices are told as well: `rate` is what one unit of the first is worth in it."""

    currency: Currency
    rate: Annotated[Decimal, Amount(MIN_RATE, MAX_RATE)]


class SpanScreens(Struct, frozen=True, kw_only=True, rename="camel"):
    """The screens that draw one board, by id, from the left to the right."""

    screens: Annotated[tuple[str, ...], Strings(MAX_PANELS, Characters(MAX_ID))]


class Location(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where the screen hangs: zone (IANA), currency (ISO 4217) and locale (BCP 47) of its views; `rotation` turns them
    clockwise, by 0, 90, 180 or 270 degrees. Without `opening_hours` it is always open."""

    id: Id
    name: Name = ""
    timezone: Name
    currency: Currency = NO_CURRENCY
    locale: Annotated[str, matching(LANGUAGE, "a BCP 47 locale", "locale_bad")] = "en"
    second_currency: SecondCurrency | None = None
    rotation: Annotated[int, _rotation] = 0
    # The rest alone would close a location that is open.
    opening_hours: Annotated[tuple[Daypart, ...], Parts(Daypart, "hours_bad", MAX_OPENING_HOURS, whole=True)] = ()
    spans: Annotated[tuple[SpanScreens, ...], Parts(SpanScreens, "span_bad", MAX_SPANS)] = ()

    def place_of(self, screen_id: str | None) -> Place | None:
        """Returns the place of a screen in the first span that names it."""
        found = (one.screens for one in self.spans if screen_id in one.screens)
        return next((Place(number=each.index(screen_id), of=len(each)) for each in found if screen_id), None)


class Entry(Struct, frozen=True, kw_only=True, rename="camel"):
    """A scene's place in a playlist. `schedule` restricts it; `never` is why its schedule can never hold, or None."""

    id: str
    scene_id: Id
    duration_seconds: Annotated[int, Whole(1, MAX_DURATION_SECONDS)]
    schedule: Schedule | None = None
    never: str | None = None


class AssetFact(Struct, frozen=True, kw_only=True, rename="camel"):
    """An asset by the manifest; `size` in bytes."""

    size: Annotated[int, Whole(1, MAX_ASSET_BYTES)]
    media_type: Name = ""


class VersionKey(Struct, frozen=True, kw_only=True, rename="camel"):
    """Identifies one published version of a playlist; a service that was restored may number another one the same, in
    another epoch."""

    playlist_id: str
    version: int
    epoch: str = ""


class PlaylistVersion(Struct, frozen=True, kw_only=True, rename="camel"):
    """One published version of a playlist; `assets` by lowercase hex SHA-256."""

    key: VersionKey
    name: Name = ""
    published_at: Instant
    entries: tuple[Entry, ...]
    scenes: Mapping[str, Scene]
    assets: Mapping[str, AssetFact]

    def is_same(self, other: PlaylistVersion) -> bool:
        """Whether both are of one publication, regardless of the service's epoch."""
        key = replace(other.key, epoch=self.key.epoch)
        return (self.key, self.published_at) == (key, other.published_at)


class Override(Struct, frozen=True, kw_only=True, rename="camel"):
    """A version that shows in place of all else from `starts_at` to before `until`: on these `screens`, or on all that
    the manifest is for. `reason` is the operator's."""

    id: str
    starts_at: Instant
    until: Instant
    reason: Name = ""
    # Without them it would show everywhere.
    screens: Annotated[tuple[str, ...] | None, Strings(MAX_OVERRIDE_SCREENS, Characters(MAX_ID)), COSTS_PART] = None
    version: PlaylistVersion


class Modifier(Struct, frozen=True, kw_only=True, rename="camel"):
    """An option of an item, and what it adds to or takes off the price."""

    price_delta: Annotated[Decimal, Amount(-MAX_PRICE, MAX_PRICE)]
    name: FullName


class PriceKind(StrEnum):
    """The kind of a price. Names are the API's."""

    EXACT = "exact"
    FROM = "from"
    """The least price of the item."""
    MARKET = "market"
    """Market price, without an amount."""
    NONE = "none"
    """No price of its own, as of a flavour under the price of a scoop."""


WITHOUT_AMOUNT = frozenset({PriceKind.MARKET, PriceKind.NONE})
"""Kinds of prices of items that have no `price`."""


class PriceUnit(StrEnum):
    """The unit of a price, where it is not for the item. Names are the API's."""

    HUNDRED_GRAMS = "100g"
    KILOGRAM = "kg"
    POUND = "lb"
    HUNDRED_MILLILITRES = "100ml"
    LITRE = "l"
    PIECE = "piece"


class PartChoice(Struct, frozen=True, kw_only=True, rename="camel"):
    """A choice of a part of a combo: an item, in any of its variants or in the one of this name."""

    item_id: Id
    variant: Annotated[str | None, Characters(MAX_NAME, 1), COSTS_PART] = None


Choices = Annotated[tuple[PartChoice, ...], Parts(PartChoice, "part_bad", MAX_CHOICES, whole=True)]


class Part(Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a combo, which any one of its choices fills. `name` is told in place of theirs."""

    # Without the cheapest of its choices, more would seem to be saved than is.
    choices: Choices = field(name="anyOf")
    name: FullName | None = None
    quantity: Annotated[int, Whole(1, MAX_QUANTITY), COSTS_PART] = 1


class Translation(Struct, frozen=True, kw_only=True, rename="camel"):
    """An item's texts in another language (BCP 47); what is None is as the item has it."""

    language: str
    name: FullName | None = None
    description: Description | None = None


class Offer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A price for a time, in place of the `regular` one. Without `starts_at` it has begun, without `ends_at` it
    lasts."""

    price: Price = field(name="offerPrice")
    regular: Price = field(name="regularPrice")
    starts_at: Annotated[datetime | None, instant, COSTS_PART] = field(name="offerStartsAt", default=None)
    ends_at: Annotated[datetime | None, instant, COSTS_PART] = field(name="offerEndsAt", default=None)

    def price_at(self, t: datetime, told: Decimal, *, certain: bool) -> Decimal:
        """Returns the price that applies at this instant; the one `told` by the service, if it may be later by an
        unknown time."""
        if self.ends_at is not None and self.ends_at <= t:
            return self.regular
        if not certain:
            return told
        return self.price if self.starts_at is None or self.starts_at <= t else self.regular


class Variant(Struct, frozen=True, kw_only=True, rename="camel"):
    """A size or form in which an item is sold; no two of an item have the same name. `price` is that of the `offer`
    while it holds."""

    price: Price
    name: FullName
    offer: Offer | None = None
    energy: Energy | None = None
    # A bad flag costs the variant, as it costs an item: a missing one is better than one that is sold out.
    eighty_sixed: Annotated[bool, flag, COSTS_PART] = False


class Item(Struct, frozen=True, kw_only=True, rename="camel"):
    """An item as it is now. Prices are exact decimals in the location's currency; where there are `variants`, theirs
    count. With `parts` it is a combo, `eighty_sixed` with any part that nothing fills. `energy` is in kilocalories, up
    to `energy_to` where that is set. A sold-out item is available again at `sold_out_until`, or when the service says
    so. `price` is that of the `offer` while it holds. Without an amount it is 0, and shown nowhere."""

    id: str
    name: FullName
    category: Name = ""
    price: Annotated[Decimal, Amount(0, MAX_PRICE), COSTS_PART] = Decimal(0)
    price_kind: Annotated[PriceKind, COSTS_PART] = PriceKind.EXACT
    price_unit: Annotated[PriceUnit | None, COSTS_PART] = None
    offer: Offer | None = None
    modifiers: Annotated[tuple[Modifier, ...], Parts(Modifier, "modifier_bad", MAX_MODIFIERS)] = ()
    variants: tuple[Variant, ...] = ()
    parts: Annotated[tuple[Part, ...], Parts(Part, "part_bad", MAX_PARTS)] = ()
    energy: Energy | None = None
    energy_to: int | None = None
    eighty_sixed: Annotated[bool, flag, COSTS_PART] = False
    sold_out_until: datetime | None = None
    description: Description | None = None
    image: Asset | None = None
    image_fit: Fit | None = None
    """None leaves it to the player."""
    image_focus: Focus = Focus()
    tags: Words = ()
    allergens: Words = ()
    translations: tuple[Translation, ...] = ()
    featured: Flag = False
    sort_index: Annotated[int, Whole(-MAX_COUNT, MAX_COUNT)] = 0

    @property
    def is_sold_out(self) -> bool:
        """Whether the item is 86'd, or each of its variants is."""
        return self.eighty_sixed or (bool(self.variants) and all(one.eighty_sixed for one in self.variants))

    @property
    def changes(self) -> tuple[datetime | None, ...]:
        """Instants at which it changes by itself."""
        offers = filter(None, (self.offer, *(one.offer for one in self.variants)))
        return (self.sold_out_until, *(at for offer in offers for at in (offer.starts_at, offer.ends_at)))

    def as_of(self, now: datetime, *, certain: bool) -> Item:
        """Returns the item at an instant; if it may be later, only what has ended by then changes."""
        if not any(self.changes):
            return self
        is_over = self.sold_out_until is not None and self.sold_out_until <= now
        is_gone = self.sold_out_until is not None and certain and not is_over

        def price(offer: Offer | None, told: Decimal) -> Decimal:
            return told if offer is None else offer.price_at(now, told, certain=certain)

        return replace(
            self,
            eighty_sixed=is_gone or (self.eighty_sixed and not is_over),
            price=price(self.offer, self.price),
            variants=tuple(replace(one, price=price(one.offer, one.price)) for one in self.variants),
        )


def _live(value: object) -> str | Decimal:
    if not isinstance(value, str):
        return Amount(-MAX_VALUE, MAX_VALUE)(value)
    if "\n" in value:
        raise FieldError("has more than one line")
    return Characters(MAX_NAME, 1)(value)


class LiveValue(Struct, frozen=True, kw_only=True, rename="camel"):
    """A text or a number that the operator's own programs keep current, until it expires. `current` is None as long as
    nobody has looked, because the time was not known."""

    value: Annotated[str | Decimal, _live]
    expires_at: Instant
    current: bool | None = None


class Category(Struct, frozen=True, kw_only=True, rename="camel"):
    """A note and a picture of a category, and the colour of its heading."""

    note: Annotated[str, Characters(MAX_NAME)] = ""
    image: Asset | None = None
    color: Color | None = None


class Planned(Struct, frozen=True, kw_only=True, rename="camel"):
    """Items as they are from an instant on. Those that are `hidden` are on no board from then on; one that was, stands
    at its `position` among those that are told."""

    at: Instant
    items: Mapping[str, Item] = field(default_factory=dict)
    positions: Mapping[str, int] = field(default_factory=dict)
    hidden: Annotated[tuple[str, ...], Strings(MAX_PLANNED_ITEMS, Characters(MAX_ID)), COSTS_PART] = ()


class Catalogue(Struct, frozen=True, kw_only=True):
    """The items as they are now, in the service's order, and the revision of their manifest. `words` are those that
    items and scenes share, by language; `values` are told in texts, by name; `categories` are set by name. `planned`
    says what the items are later, the first at the head; with any, `told` are the items as the service told them.
    `looked` is the instant as of which all this is, and whether that was certain; at `back_at` the first of it
    changes."""

    revision: int
    revision_at: datetime
    history: str | None = None
    """A word of the service on the values, which it is sent back in receipts."""
    items: Mapping[str, Item] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    values: Mapping[str, LiveValue] = field(default_factory=dict)
    categories: Mapping[str, Category] = field(default_factory=dict)
    planned: tuple[Planned, ...] = ()
    told: Mapping[str, Item] | None = None
    looked: tuple[datetime, bool] | None = None
    back_at: datetime | None = None

    def as_of(self, now: datetime, *, certain: bool = True) -> Catalogue:
        """Returns the catalogue at an instant: sold-out items are available again, offers begin and end, values expire.
        If it may be later, only what has ended by then changes. The same object until something does."""
        if self.looked is not None:
            before, was_certain = self.looked
            if was_certain is certain and before - JITTER <= now and (self.back_at is None or now < self.back_at):
                return self
        told = self.items if self.told is None else self.told
        items = self._with_planned(told, now) if self.planned else told
        instants = [at for item in items.values() for at in item.changes]
        instants += [one.at for one in self.planned]
        instants += [one.expires_at for one in self.values.values()]
        values = {name: replace(one, current=now < one.expires_at) for name, one in self.values.items()}
        return replace(
            self,
            items={key: item.as_of(now, certain=certain) for key, item in items.items()},
            told=told if self.planned else None,
            values=values if certain else self.values,
            looked=(now, certain),
            back_at=min((at for at in instants if at is not None and at > now), default=None),
        )

    def _with_planned(self, told: Mapping[str, Item], now: datetime) -> Mapping[str, Item]:
        """Applies the planned changes up to an instant; the picture of an item stays."""
        found, order = dict(told), {key: (place, 1) for place, key in enumerate(told)}
        for one in self.planned:
            if one.at > now:
                break
            for key, item in one.items.items():
                found[key] = replace(item, image=told[key].image) if key in told else item
                order.setdefault(key, (one.positions.get(key, len(told)), 0))
            for key in one.hidden:
                found.pop(key, None)
        return {key: found[key] for key in sorted(found, key=lambda key: order[key])}


class Rejection(Struct, frozen=True, kw_only=True):
    """A part of a document, or of the world, that the player could not use.

    `code` is stable (`widget_unknown`, `asset_hash`, …), `subject` names the part (`scn_1/menu-2`), `detail` is for
    people. `pointer` (RFC 6901) is where it stands in the document, empty where it stands in none. `name` is what
    people call the part, or the scene that it is in, empty where that is not known.
    """

    code: str
    subject: str
    detail: str
    pointer: str = ""
    name: str = ""


class LinkSettings(Struct, frozen=True, kw_only=True, rename="camel"):
    """Intervals between the player's calls to the service, in seconds."""

    wait_seconds: Seconds = 25
    poll_seconds: Seconds = 20
    heartbeat_seconds: Seconds = 30

    def bounded(self) -> LinkSettings:
        """Limits the service's settings to the bounds of docs/protocol.md."""
        return LinkSettings(
            wait_seconds=min(max(self.wait_seconds, 0), 60),
            poll_seconds=min(max(self.poll_seconds, 5), 60),
            heartbeat_seconds=min(max(self.heartbeat_seconds, 10), 60),
        )


class Manifest(Struct, frozen=True, kw_only=True):
    """A validated manifest; `version` None means that no published playlist is assigned. Then `unpublished` is the name
    of the one that is assigned and was never published, empty if none is, and None if the service does not tell.

    `etag` is the lowercase hex SHA-256 of its body, `epoch` that of the service, in which revisions never go back.
    `listed_assets` names every asset that the body lists (hex SHA-256), usable or not: they stay on disk for as long as
    the body does. `other_items` are those that only other versions list, as they are now: all that each of
    `other_versions` needs beside the catalogue; whether their images are on the disk is not known.
    """

    etag: str
    listed_assets: frozenset[str]
    location: Location
    version: PlaylistVersion | None
    catalogue: Catalogue
    settings: LinkSettings
    unpublished: str | None = None
    epoch: str = ""
    other_items: Mapping[str, Item] = field(default_factory=dict)
    other_versions: frozenset[VersionKey] = frozenset()
    overrides: tuple[Override, ...] = ()
    rejections: tuple[Rejection, ...] = ()

    @property
    def instants(self) -> tuple[datetime, ...]:
        """Past instants, according to the service."""
        revised = self.catalogue.revision_at
        return (revised,) if self.version is None else (revised, self.version.published_at)

    def catalogue_for(self, version: PlaylistVersion | None, before: Mapping[str, Item]) -> Catalogue:
        """Returns the items for another version that goes on, in their previous order: new ones were created after
        those. Items that this manifest should name and does not were deleted; where the service does not list that
        version's items, they stay as they were."""
        images, key = (version.assets, version.key) if version is not None else ({}, None)
        others = {
            item.id: item if item.image in images else replace(item, image=None) for item in self.other_items.values()
        }
        newest = {**others, **self.catalogue.items}
        is_told = key in self.other_versions
        stood = {key: newest.get(key, item) for key, item in before.items() if key in newest or not is_told}
        categories = {
            name: one if one.image in images else replace(one, image=None)
            for name, one in self.catalogue.categories.items()
        }
        return replace(self.catalogue, items=stood | newest, categories=categories, told=None, looked=None)

    def with_facts_of(self, newest: Manifest) -> Manifest:
        """Combines this version with the items, the location and the overrides of a newer manifest of another
        version."""
        catalogue = newest.catalogue_for(self.version, self.catalogue.items)
        live = {"location": newest.location, "catalogue": catalogue, "overrides": newest.overrides}
        return replace(self, etag=newest.etag, **live)
