"""Reads the service's manifest (docs/protocol.md) into a Manifest: rejects parts, not documents; pure.

`ManifestError` means that nothing of a body can be used; the player goes on with what it has. A smaller fault costs
only its own part, and is listed in `Manifest.rejections`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from itertools import islice

import msgspec
from msgspec.structs import replace

from player.domain.documents.converters import (
    LANGUAGE,
    MAX_ID,
    MAX_NAME,
    FieldError,
    amount,
    array,
    identifier,
    instant,
    integer,
    language_tag,
    matching,
    members,
    name,
    one_of,
    text,
)
from player.domain.documents.fields import NOT_THE_DOCUMENT, Fields, RejectionLog
from player.domain.documents.manifest import (
    MAX_COUNT,
    MAX_DESCRIPTION,
    MAX_ENERGY,
    MAX_PRICE,
    MAX_QUANTITY,
    MAX_VARIANTS,
    AssetFact,
    Catalogue,
    Entry,
    Item,
    LinkSettings,
    LiveValue,
    Location,
    Manifest,
    Offer,
    Part,
    PartChoice,
    PlaylistVersion,
    PriceKind,
    PriceUnit,
    SecondCurrency,
    Translation,
    Variant,
    VersionKey,
)
from player.domain.documents.scene import Scene
from player.domain.documents.scene_reader import MAX_LANGUAGES, read_daypart, read_scene, read_schedule
from player.domain.documents.schedule import Daypart, Schedule, zone_named
from player.domain.menu.price import NO_CURRENCY
from player.domain.words.wording import FALLBACK_LOCALE

FORMAT = 1
MAX_BODY = 4 * 1024 * 1024
"""Bytes of an uncompressed body."""
MAX_ENTRIES = 2_000
MAX_SCENES = 2_000
MAX_ITEMS = 10_000
"""Length of either list of items."""
MAX_OTHER_VERSIONS = 2_000
MAX_ASSETS = 5_000
MAX_PARTS = 12
MAX_CHOICES = 20
MAX_OPENING_HOURS = 50
MAX_WORDS = 1_000
MAX_VALUES = 100
MAX_RATE = 99_999_999
"""The rate of a second currency to the first."""
ROTATIONS = (0, 90, 180, 270)

_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_count = integer(0, MAX_COUNT)


class ManifestError(Exception):
    """Nothing of the body can be used. `code` is stable: `too_large`, `not_json`, `format_unknown`, `manifest_bad`."""

    def __init__(self, code: str, detail: str) -> None:
        """`detail` is for people."""
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


def read_manifest(body: bytes, *, etag: str | None = None) -> Manifest:
    """The manifest in a body, validated here, once. `etag` is computed if it is None.

    Raises `ManifestError` if nothing can be used, and nothing else.
    """
    if len(body) > MAX_BODY:
        raise ManifestError("too_large", f"{len(body)} bytes, at most {MAX_BODY} are allowed")
    rejections = RejectionLog()
    try:
        raw = Fields(_DECODER.decode(body), subject="manifest", rejections=rejections)
    except NOT_THE_DOCUMENT as error:
        raise ManifestError("not_json", str(error)) from None
    except FieldError as error:
        raise ManifestError("manifest_bad", f"the document {error.detail}") from None
    try:
        if raw.required("format", _count) != FORMAT:
            raise ManifestError("format_unknown", f"this player reads format {FORMAT}")
        location = _location(raw.required("location", lambda value: raw.inner("location", value, subject="location")))
        listed = raw.required("assets", members)
        raw.assets = assets = _assets(raw, listed)
        epoch = raw.lenient("epoch", text(MAX_ID), "")
        version = _version(raw, assets, epoch=epoch)
        unpublished = _unpublished(raw) if version is None else None
        catalogue = _catalogue(raw)
        other_items, positions = _other_items(raw)
        other_versions = _other_versions(raw, epoch=epoch)
        settings = _settings(raw.part("settings"))
    except FieldError as error:
        raise ManifestError("manifest_bad", error.detail) from None
    return Manifest(
        etag=etag or hashlib.sha256(body).hexdigest(),
        listed_assets=frozenset(listed),
        location=location,
        version=version,
        catalogue=catalogue,
        settings=settings,
        unpublished=unpublished,
        epoch=epoch,
        other_items=other_items,
        positions=positions,
        other_versions=other_versions,
        rejections=rejections.recorded(),
    )


def _exact(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except InvalidOperation:
        # An exponent too large for a decimal costs its part, not the document.
        return Decimal("NaN")


_DECODER = msgspec.json.Decoder(float_hook=_exact)


def _location(raw: Fields) -> Location:
    timezone = raw.required("timezone", name)
    hours = _opening_hours(raw)
    if zone_named(timezone) is None:
        # Hours by another zone's time would switch the screens off while there are guests.
        hours = ()
        raw.reject(FieldError(f'"{timezone}" is no IANA zone; UTC is used', pointer="/timezone"), "timezone_unknown")
        timezone = "UTC"
    return Location(
        id=raw.required("id", identifier),
        name=raw.lenient("name", name, ""),
        timezone=timezone,
        currency=raw.lenient("currency", matching(_CURRENCY, "an ISO 4217 code", "currency_bad"), NO_CURRENCY),
        locale=raw.lenient("locale", matching(LANGUAGE, "a BCP 47 locale", "locale_bad"), FALLBACK_LOCALE),
        second_currency=_second_currency(raw),
        rotation=raw.lenient("rotation", _rotation, 0),
        opening_hours=hours,
    )


def _second_currency(raw: Fields) -> SecondCurrency | None:
    """The second currency; a bad part costs all of it: no second price is better than a wrong one."""
    second = raw.part("secondCurrency")
    try:
        currency = second.optional("currency", matching(_CURRENCY, "an ISO 4217 code", "currency_bad"), None)
        rate = second.optional("rate", amount(0, MAX_RATE), None)
        if currency is None and rate is None:
            return None
        if currency is None or not rate:
            raise FieldError("has no currency, or no rate above 0")
        if currency == raw.lenient("currency", text(MAX_ID), ""):
            raise FieldError("is the first currency", None, "/currency")
    except FieldError as error:
        second.reject(error, "field_bad")
        return None
    return SecondCurrency(currency=currency, rate=rate)


def _opening_hours(raw: Fields) -> tuple[Daypart, ...]:
    """All of them, or none: the rest alone would close a location that is open."""
    errors: list[FieldError] = []
    listed = raw.lenient("openingHours", array(), [])
    read = raw.parts(
        "openingHours",
        listed,
        lambda _, fields: read_daypart(fields),
        code="hours_bad",
        limit=MAX_OPENING_HOURS,
        errors=errors,
    )
    return tuple(read.values()) if not errors and len(listed) <= MAX_OPENING_HOURS else ()


def _rotation(value: object) -> int:
    if value not in ROTATIONS:
        raise FieldError("is none of 0, 90, 180 and 270 degrees")
    return integer(0, max(ROTATIONS))(value)


def _assets(raw: Fields, listed: dict[str, object]) -> Mapping[str, AssetFact]:
    def read(sha256: str, fields: Fields) -> AssetFact:
        matching(_SHA256, "a hex SHA-256")(sha256)
        return fields.struct(AssetFact)

    return raw.parts("assets", listed, read, subject="assets", code="asset_bad", limit=MAX_ASSETS)


def _version(raw: Fields, assets: Mapping[str, AssetFact], *, epoch: str) -> PlaylistVersion | None:
    playlist = raw.optional("playlist", lambda value: raw.inner("playlist", value, subject="playlist"), None)
    if playlist is None:
        return None
    key = VersionKey(
        playlist_id=playlist.required("id", identifier), version=playlist.required("version", _count), epoch=epoch
    )
    scenes = _scenes(raw)
    return PlaylistVersion(
        key=key,
        name=playlist.lenient("name", name, ""),
        published_at=playlist.required("publishedAt", instant),
        entries=_entries(playlist, scenes),
        scenes=scenes,
        assets=assets,
    )


def _unpublished(raw: Fields) -> str | None:
    told = raw.part("withoutPlaylist")
    match told.lenient("reason", text(MAX_NAME), ""):
        case "unassigned":
            return ""
        case "unpublished":
            return told.lenient("name", name, "") or "?"
        case _:
            return None


def _scenes(raw: Fields) -> Mapping[str, Scene]:
    return raw.parts(
        "scenes",
        raw.required("scenes", array()),
        lambda _, fields: read_scene(fields),
        subject="scenes",
        code="scene_bad",
        limit=MAX_SCENES,
        id_prefix="",
    )


def _entries(playlist: Fields, scenes: Mapping[str, Scene]) -> tuple[Entry, ...]:
    def read(entry_id: str, fields: Fields) -> Entry:
        found = fields.struct(Entry, id=entry_id, schedule=None, never=None)
        if found.scene_id not in scenes:
            raise FieldError(f'its scene "{found.scene_id}" is missing')
        schedule, never = _attachment(fields)
        return replace(found, schedule=schedule, never=never)

    listed = playlist.required("entries", array())
    found = playlist.parts(
        "entries", listed, read, subject="entries", code="entry_bad", limit=MAX_ENTRIES, id_prefix=""
    )
    return tuple(found.values())


def _attachment(fields: Fields) -> tuple[Schedule | None, str | None]:
    """An entry's schedule, or why it never holds: an unreadable schedule must not let its entry show all day."""
    try:
        return fields.optional("schedule", read_schedule, None), None
    except FieldError as error:
        fields.reject(error, "schedule_bad")
        return None, f"its schedule could not be read: {error.detail}"


def _catalogue(raw: Fields) -> Catalogue:
    items = _items(raw, "items", raw.required("items", array()), _item)
    catalogue = Catalogue(
        revision=raw.required("revision", _count),
        revision_at=raw.required("revisionAt", instant),
        words=_words(raw),
        values=_values(raw),
    )
    return catalogue.with_items(items)


def _items(raw: Fields, name: str, listed: list[object], read: Callable[[str, Fields], Item]) -> Mapping[str, Item]:
    return raw.parts(name, listed, read, subject=name, code="item_bad", limit=MAX_ITEMS, id_prefix="")


def _other_items(raw: Fields) -> tuple[Mapping[str, Item], Mapping[str, int]]:
    positions: dict[str, int] = {}

    def read(item_id: str, fields: Fields) -> Item:
        fields.assets = None
        found = _item(item_id, fields)
        position = fields.lenient("position", _count, None)
        if position is not None:
            positions[item_id] = position
        return found

    return _items(raw, "otherItems", raw.lenient("otherItems", array(), []), read), positions


def _other_versions(raw: Fields, *, epoch: str) -> frozenset[VersionKey]:
    def read(playlist_id: str, versions: object) -> frozenset[VersionKey]:
        numbers = array(MAX_OTHER_VERSIONS)(versions)
        return frozenset(VersionKey(playlist_id=playlist_id, version=_count(number), epoch=epoch) for number in numbers)

    def convert(value: object) -> frozenset[VersionKey]:
        return frozenset[VersionKey]().union(*(read(*member) for member in members(value).items()))

    return raw.lenient("otherVersions", convert, frozenset())


def _item(item_id: str, raw: Fields) -> Item:
    kind, unit, price = _price(raw)
    offer = _offer(raw, price) if kind is not PriceKind.MARKET else None
    variants = _variants(raw)
    offers = [one for one in (offer, *(variant.offer for variant in variants)) if one is not None]
    if variants and (kind is PriceKind.MARKET or unit is not None):
        raise FieldError(
            "has variants, which have prices of their own, and a market price or a unit", None, "/variants"
        )
    found = raw.struct(
        Item,
        id=item_id,
        price=price,
        price_kind=kind,
        price_unit=unit,
        offer=offer,
        price_changes_at=min((at for one in offers if (at := one.starts_at or one.ends_at) is not None), default=None),
        variants=variants,
        parts=_parts(raw),
        translations=_translations(raw),
    )
    energy = found.energy
    return replace(
        found,
        energy_to=raw.lenient("energyTo", integer(energy + 1, MAX_ENERGY), None) if energy is not None else None,
        sold_out_until=raw.lenient("eightySixedUntil", instant, None) if found.eighty_sixed else None,
    )


def _price(raw: Fields) -> tuple[PriceKind, PriceUnit | None, Decimal]:
    """Reads kind, unit and amount of a price. A bad one costs the item: a price that says more or
    less than it should is worse than a missing item."""
    kind = raw.optional("priceKind", one_of(PriceKind), PriceKind.EXACT)
    unit = raw.optional("priceUnit", one_of(PriceUnit), None)
    read = amount(0, MAX_PRICE)
    if kind is not PriceKind.MARKET:
        return kind, unit, raw.required("price", read)
    if raw.optional("price", read, None) is not None:
        raise FieldError("has a price, and says that it is that of the market", None, "/price")
    return kind, unit, Decimal(0)


def _offer(raw: Fields, price: Decimal) -> Offer | None:
    """The offer, if there is a regular price above it. A bad instant costs the offer: it would never begin or end."""
    regular = raw.lenient("regularPrice", amount(0, MAX_PRICE), None)
    if regular is None:
        return None
    offered = raw.lenient("offerPrice", amount(0, MAX_PRICE), price)
    try:
        starts, ends = raw.optional("offerStartsAt", instant, None), raw.optional("offerEndsAt", instant, None)
        if offered >= regular or (starts is not None and ends is not None and ends <= starts):
            raise FieldError("is an offer that is not cheaper, or ends before it begins")
    except FieldError as error:
        raw.reject(error, "field_bad")
        return None
    return Offer(price=offered, regular=regular, starts_at=starts, ends_at=ends)


def _variants(raw: Fields) -> tuple[Variant, ...]:
    names: set[str] = set()

    def read(_: str, fields: Fields) -> Variant:
        found = fields.struct(Variant, offer=None)
        if found.name in names:
            raise FieldError("another has the same name", "variant_bad", "/name")
        names.add(found.name)
        return replace(found, offer=_offer(fields, found.price))

    listed = raw.lenient("variants", array(), [])
    return tuple(raw.parts("variants", listed, read, code="variant_bad", limit=MAX_VARIANTS).values())


def _parts(raw: Fields) -> tuple[Part, ...]:
    def read(_: str, fields: Fields) -> Part:
        listed, errors = fields.required("anyOf", array(MAX_CHOICES)), list[FieldError]()
        choices = fields.parts(
            "anyOf", listed, lambda _, one: one.struct(PartChoice), code="part_bad", limit=MAX_CHOICES, errors=errors
        )
        if errors:
            # Without the cheapest of its choices, more would seem to be saved than is.
            raise FieldError("has a choice that cannot be used", "part_bad")
        quantity = fields.required("quantity", integer(1, MAX_QUANTITY))
        return fields.struct(Part, choices=tuple(choices.values()), quantity=quantity)

    listed = raw.lenient("parts", array(), [])
    return tuple(raw.parts("parts", listed, read, code="part_bad", limit=MAX_PARTS).values())


def _translations(raw: Fields) -> tuple[Translation, ...]:
    def read(language: str, fields: Fields) -> Translation:
        return fields.struct(Translation, language=language_tag(language))

    listed = raw.lenient("translations", members, {})
    return tuple(raw.parts("translations", listed, read, code="translation_bad", limit=MAX_LANGUAGES).values())


def _words(raw: Fields) -> Mapping[str, Mapping[str, str]]:
    def read(word: str, fields: Fields) -> Mapping[str, str]:
        listed = fields.everything()
        return {
            language_tag(language): text(MAX_DESCRIPTION, least=1)(listed[language])
            for language in islice(listed, MAX_LANGUAGES)
        }

    listed = raw.lenient("words", members, {})
    return raw.parts("words", listed, read, subject="words", code="translation_bad", limit=MAX_WORDS)


def _values(raw: Fields) -> Mapping[str, LiveValue]:
    listed = raw.lenient("values", members, {})
    return raw.parts(
        "values",
        listed,
        lambda _, fields: fields.struct(LiveValue),
        subject="values",
        code="value_bad",
        limit=MAX_VALUES,
    )


def _settings(raw: Fields) -> LinkSettings:
    default, seconds = LinkSettings(), integer(-MAX_COUNT, MAX_COUNT)
    return LinkSettings.bounded(
        wait_seconds=raw.lenient("waitSeconds", seconds, default.wait_seconds),
        poll_seconds=raw.lenient("pollSeconds", seconds, default.poll_seconds),
        heartbeat_seconds=raw.lenient("heartbeatSeconds", seconds, default.heartbeat_seconds),
    )
