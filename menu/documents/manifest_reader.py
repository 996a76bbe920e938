"""Reads the service's manifest (docs/protocol.md) into a Manifest: rejects parts, not documents; pure.

`ManifestError` means that nothing of a body can be used; the player keeps its state. A smaller fault costs only its own
part, and is listed in `Manifest.rejections`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from menu.documents.converters import (
    MAX_ID,
    MAX_NAME,
    Characters,
    FieldError,
    Whole,
    array,
    identifier,
    instant,
    language_tag,
    matching,
    members,
    name,
)
from menu.documents.manifest import (
    MAX_COUNT,
    MAX_DESCRIPTION,
    MAX_ENERGY,
    MAX_VARIANTS,
    WITHOUT_AMOUNT,
    AssetFact,
    Catalogue,
    Category,
    Entry,
    Item,
    LinkSettings,
    LiveValue,
    Location,
    Manifest,
    Offer,
    Override,
    Planned,
    PlaylistVersion,
    Translation,
    Variant,
    VersionKey,
)
from menu.documents.scene import MAX_LANGUAGES, Scene
from menu.documents.scene_reader import read_scene, read_schedule
from menu.documents.schedule import zone_named
from menu.documents.tolerant import NOT_THE_DOCUMENT, Fields, RejectionLog
from menu.sizes import size_text

FORMAT = 1
MAX_BODY = 4 * 1024 * 1024
"""Bytes of an uncompressed body."""
MAX_ENTRIES = 2_000
MAX_SCENES = 2_000
MAX_ITEMS = 10_000
"""Length of either list of items."""
MAX_OTHER_VERSIONS = 2_000
MAX_OVERRIDES = 20
MAX_PLANNED = 20
"""Instants at which items become others."""
MAX_ASSETS = 5_000
MAX_WORDS = 1_000
MAX_VALUES = 100
MAX_CATEGORIES = 500
"""Categories with settings."""

S = TypeVar("S", bound=Struct)

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_count = Whole(0, MAX_COUNT)


class ManifestError(Exception):
    """Raised if nothing of the body can be used. `code` is stable: `too_large`, `not_json`, `format_unknown`,
    `manifest_bad`."""

    def __init__(self, code: str, detail: str) -> None:
        """`detail` is for people."""
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


def read_manifest(body: bytes, *, etag: str | None = None) -> Manifest:
    """Reads and validates a manifest, here and once. `etag` is computed if it is None.

    Raises `ManifestError` if nothing can be used, and nothing else.
    """
    if len(body) > MAX_BODY:
        raise ManifestError("too_large", f"{size_text(len(body))}, at most {size_text(MAX_BODY)} are allowed")
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
        epoch = raw.lenient("epoch", Characters(MAX_ID), "")
        version = _version(raw, assets, epoch=epoch)
        return Manifest(
            etag=etag or hashlib.sha256(body).hexdigest(),
            listed_assets=frozenset(listed),
            location=location,
            version=version,
            unpublished=_unpublished(raw) if version is None else None,
            catalogue=_catalogue(raw),
            other_items=_items(raw, "otherItems", raw.lenient("otherItems", array(), [])),
            other_versions=_other_versions(raw, epoch=epoch),
            overrides=_overrides(raw, assets, epoch=epoch),
            settings=raw.part("settings").struct(LinkSettings).bounded(),
            epoch=epoch,
            rejections=rejections.recorded(),
        )
    except FieldError as error:
        raise ManifestError("manifest_bad", error.detail) from None


def _exact(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except InvalidOperation:
        # An exponent too large for a decimal costs its part, not the document.
        return Decimal("NaN")


_DECODER = msgspec.json.Decoder(float_hook=_exact)


def _location(raw: Fields) -> Location:
    found = raw.struct(Location)
    if zone_named(found.timezone) is None:
        error = FieldError(f'"{found.timezone}" is no IANA zone; UTC is used', pointer="/timezone")
        raw.reject(error, "timezone_unknown")
        # Hours by another zone's time would switch the screens off while there are guests.
        found = replace(found, timezone="UTC", opening_hours=())
    if found.second_currency is not None and found.second_currency.currency == found.currency:
        raw.reject(FieldError("is the first currency", pointer="/secondCurrency/currency"), "field_bad")
        return replace(found, second_currency=None)
    return found


def _assets(raw: Fields, listed: dict[str, object]) -> Mapping[str, AssetFact]:
    def read(sha256: str, fields: Fields) -> AssetFact:
        matching(_SHA256, "a hex SHA-256")(sha256)
        return fields.struct(AssetFact)

    return raw.parts("assets", listed, read, code="asset_bad", limit=MAX_ASSETS)


def _version(raw: Fields, assets: Mapping[str, AssetFact], *, epoch: str) -> PlaylistVersion | None:
    playlist = raw.optional("playlist", lambda value: raw.inner("playlist", value, subject="playlist"), None)
    if playlist is None:
        return None
    key = VersionKey(
        playlist_id=playlist.required("id", identifier), version=playlist.required("version", _count), epoch=epoch
    )
    return _frozen(raw, playlist, key, assets)


def _frozen(raw: Fields, playlist: Fields, key: VersionKey, assets: Mapping[str, AssetFact]) -> PlaylistVersion:
    """Reads a playlist and the scenes beside it."""
    listed = raw.required("scenes", array())
    scenes = raw.parts(
        "scenes", listed, lambda _, one: read_scene(one), code="scene_bad", limit=MAX_SCENES, id_prefix=""
    )
    return playlist.struct(PlaylistVersion, key=key, entries=_entries(playlist, scenes), scenes=scenes, assets=assets)


def _overrides(raw: Fields, assets: Mapping[str, AssetFact], *, epoch: str) -> tuple[Override, ...]:
    def read(override_id: str, fields: Fields) -> Override:
        playlist = fields.required("playlist", lambda value: fields.inner("playlist", value))
        key = VersionKey(playlist_id=override_id, version=0, epoch=epoch)
        return fields.struct(Override, id=override_id, version=_frozen(fields, playlist, key, assets))

    listed = raw.lenient("overrides", array(), [])
    return tuple(raw.parts("overrides", listed, read, code="override_bad", limit=MAX_OVERRIDES, id_prefix="").values())


def _unpublished(raw: Fields) -> str | None:
    told = raw.part("withoutPlaylist")
    names = {"unassigned": "", "unpublished": told.lenient("name", name, "") or "?"}
    return names.get(told.lenient("reason", Characters(MAX_NAME), ""))


def _entries(playlist: Fields, scenes: Mapping[str, Scene]) -> tuple[Entry, ...]:
    def read(entry_id: str, fields: Fields) -> Entry:
        found = fields.struct(Entry, id=entry_id, schedule=None, never=None)
        if found.scene_id not in scenes:
            raise FieldError(f'its scene "{found.scene_id}" is missing')
        try:
            schedule = fields.optional("schedule", lambda value: read_schedule(fields.inner("schedule", value)), None)
            return replace(found, schedule=schedule)
        except FieldError as error:
            # An unreadable schedule must not let its entry show all day.
            fields.reject(error, "schedule_bad")
            return replace(found, never=f"its schedule could not be read: {error.detail}")

    listed = playlist.required("entries", array())
    found = playlist.parts(
        "entries", listed, read, subject="entries", code="entry_bad", limit=MAX_ENTRIES, id_prefix=""
    )
    return tuple(found.values())


def _catalogue(raw: Fields) -> Catalogue:
    return Catalogue(
        revision=raw.required("revision", _count),
        revision_at=raw.required("revisionAt", instant),
        history=raw.lenient("history", Characters(MAX_ID, 1), None),
        items=_items(raw, "items", raw.required("items", array())),
        words=_words(raw),
        values=_structs(raw, "values", LiveValue, "value_bad", MAX_VALUES),
        categories=_structs(raw, "categories", Category, "category_bad", MAX_CATEGORIES),
        planned=_planned(raw),
    )


def _planned(raw: Fields) -> tuple[Planned, ...]:
    def read(fields: Fields) -> Planned:
        positions = dict[str, int]()

        def read_item(item_id: str, one: Fields) -> Item:
            if one.has("position"):
                positions[item_id] = one.required("position", _count)
            return _item(item_id, one)

        listed = fields.required("items", array())
        items = fields.parts("items", listed, read_item, code="item_bad", limit=MAX_ITEMS, id_prefix="")
        return fields.struct(Planned, items=items, positions=positions)

    return tuple(sorted(raw.tuple_of("planned", read, code="planned_bad", limit=MAX_PLANNED), key=lambda one: one.at))


def _items(raw: Fields, name: str, listed: list[object]) -> Mapping[str, Item]:
    def read(item_id: str, fields: Fields) -> Item:
        if name == "otherItems":
            fields.assets = None  # Whether these images are on the disk is not known.
        return _item(item_id, fields)

    return raw.parts(name, listed, read, code="item_bad", limit=MAX_ITEMS, id_prefix="")


def _other_versions(raw: Fields, *, epoch: str) -> frozenset[VersionKey]:
    def convert(value: object) -> frozenset[VersionKey]:
        return frozenset(
            VersionKey(playlist_id=playlist_id, version=_count(number), epoch=epoch)
            for playlist_id, numbers in members(value).items()
            for number in array(MAX_OTHER_VERSIONS)(numbers)
        )

    return raw.lenient("otherVersions", convert, frozenset())


def _item(item_id: str, raw: Fields) -> Item:
    """Reads an item. A bad price costs the item: a wrong price is worse than a missing item."""
    variants = raw.tuple_of("variants", _variant, code="variant_bad", limit=MAX_VARIANTS)
    found = raw.struct(Item, id=item_id, variants=variants, translations=_translations(raw))
    has_none = found.price_kind in WITHOUT_AMOUNT
    if raw.has("price") is has_none:
        told = '"price" stands beside a "priceKind" without an amount' if has_none else '"price" is missing'
        if found.variants and not has_none:
            told += ': players of an earlier release show it in place of "variants"'
        raise FieldError(told, None, "/price")
    if found.variants and (has_none or found.price_unit is not None):
        told = 'has variants, which have prices of their own, and a "priceKind" without an amount or a unit'
        raise FieldError(told, None, "/variants")
    energy = found.energy
    offer = _offer(raw, found.price) if not has_none else None
    return replace(
        found,
        offer=offer,
        energy_to=raw.lenient("energyTo", Whole(energy + 1, MAX_ENERGY), None) if energy is not None else None,
        sold_out_until=raw.lenient("eightySixedUntil", instant, None) if found.eighty_sixed else None,
    )


def _variant(raw: Fields) -> Variant:
    found = raw.struct(Variant)
    return replace(found, offer=_offer(raw, found.price))


def _offer(raw: Fields, price: Decimal) -> Offer | None:
    """Reads the offer, if there is a regular price above it. A bad part costs the offer: it would never begin or
    end."""
    if not raw.has("regularPrice"):
        return None
    try:
        offer = raw.struct(Offer, **({} if raw.has("offerPrice") else {"price": price}))
        if offer.price >= offer.regular or (offer.starts_at and offer.ends_at and offer.ends_at <= offer.starts_at):
            raise FieldError("is an offer that is not cheaper, or ends before it begins")
    except FieldError as error:
        raw.reject(error, "field_bad")
        return None
    return offer


def _translations(raw: Fields) -> tuple[Translation, ...]:
    def read(language: str, fields: Fields) -> Translation:
        return fields.struct(Translation, language=language_tag(language))

    listed = raw.lenient("translations", members, {})
    return tuple(raw.parts("translations", listed, read, code="translation_bad", limit=MAX_LANGUAGES).values())


def _words(raw: Fields) -> Mapping[str, Mapping[str, str]]:
    def read(word: str, fields: Fields) -> Mapping[str, str]:
        listed = fields.everything()
        return {
            language_tag(language): Characters(MAX_DESCRIPTION, 1)(listed[language])
            for language in islice(listed, MAX_LANGUAGES)
        }

    listed = raw.lenient("words", members, {})
    return raw.parts("words", listed, read, code="translation_bad", limit=MAX_WORDS)


def _structs(raw: Fields, name: str, kind: type[S], code: str, limit: int) -> Mapping[str, S]:
    listed = raw.lenient(name, members, {})
    return raw.parts(name, listed, lambda _, fields: fields.struct(kind), code=code, limit=limit)
