"""Owns the step from the wire's document (docs/protocol.md) to a Manifest: rejects parts, not documents; pure.

`ManifestError` is for a body of which nothing can be used, so that what plays goes on. Everything smaller costs only
itself and is listed in `Manifest.rejections`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

import msgspec

from player.domain.fields import (
    Convert,
    FieldError,
    Fields,
    RejectionLog,
    amount,
    array,
    bounded,
    flag,
    moment,
    text,
    texts,
    whole,
)
from player.domain.manifest import (
    AssetFact,
    Catalogue,
    Entry,
    Item,
    LinkSettings,
    Location,
    Manifest,
    Modifier,
    PlaylistVersion,
    VersionKey,
)
from player.domain.price import NO_CURRENCY
from player.domain.scene import Scene
from player.domain.scene_document import MAX_ID, MAX_NAME, asset_in, identifier, name, read_scene, read_schedule
from player.domain.schedule import Schedule, zone_named
from player.domain.wording import FALLBACK_LOCALE

FORMAT = 1
MAX_BODY = 4 * 1024 * 1024
"""Bytes of an uncompressed body."""
MAX_ENTRIES = 2_000
MAX_SCENES = 2_000
MAX_ITEMS = 10_000
MAX_ASSETS = 5_000
MAX_MODIFIERS = 50
MAX_TAGS = 20
MAX_DESCRIPTION = 2_000
MAX_DURATION_SECONDS = 86_400
MAX_PRICE = 99_999_999
ROTATIONS = (0, 90, 180, 270)
MAX_ASSET_BYTES = 2 * 1024**3
MAX_COUNT = 2**53
"""Whole numbers beyond this are not the same in every JSON reader."""

_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
_LOCALE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_count = whole(0, MAX_COUNT)


class ManifestError(Exception):
    """Nothing of the body can be used. `code` is stable: `too_large`, `not_json`, `format_unknown`, `manifest_bad`."""

    def __init__(self, code: str, detail: str) -> None:
        """`detail` is for people."""
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


def read_manifest(body: bytes, *, etag: str | None = None) -> Manifest:
    """The manifest that a body holds; its parts are validated here, once. `etag` is computed if it is not known.

    Raises `ManifestError` where nothing can be used, and never anything else.
    """
    if len(body) > MAX_BODY:
        raise ManifestError("too_large", f"{len(body)} bytes, at most {MAX_BODY} are allowed")
    faults = RejectionLog()
    try:
        raw = Fields(_DECODER.decode(body), subject="manifest", faults=faults)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise ManifestError("not_json", str(fault)) from None
    except FieldError as fault:
        raise ManifestError("manifest_bad", f"the document {fault.detail}") from None
    try:
        if raw.need("format", _count) != FORMAT:
            raise ManifestError("format_unknown", f"this player reads format {FORMAT}")
        location = _location(raw.need("location", _part("location", faults)), faults)
        listed = raw.need("assets", _members)
        assets = _assets(listed, faults)
        version = _version(raw, assets, faults)
        catalogue = _catalogue(raw, assets, faults)
        settings = _settings(raw.part("settings"))
    except FieldError as fault:
        raise ManifestError("manifest_bad", fault.detail) from None
    return Manifest(
        etag=etag or hashlib.sha256(body).hexdigest(),
        listed_assets=frozenset(listed),
        location=location,
        version=version,
        catalogue=catalogue,
        settings=settings,
        rejections=faults.noted(),
    )


def _exact(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except InvalidOperation:
        # An exponent past what a decimal holds costs the part that it stands in, not the document.
        return Decimal("NaN")


_DECODER = msgspec.json.Decoder(float_hook=_exact)


def _part(subject: str, faults: RejectionLog) -> Convert[Fields]:
    return lambda value: Fields(value, subject=subject, faults=faults, pointer=f"/{subject}")


def _location(raw: Fields, faults: RejectionLog) -> Location:
    timezone = raw.need("timezone", name)
    if zone_named(timezone) is None:
        detail = f'"{timezone}" is no IANA zone; UTC is used'
        faults.add("timezone_unknown", raw.subject, detail, f"{raw.pointer}/timezone")
        timezone = "UTC"
    return Location(
        id=raw.need("id", identifier),
        name=raw.take("name", name, ""),
        timezone=timezone,
        currency=raw.take("currency", _matching(_CURRENCY, "an ISO 4217 code", "currency_bad"), NO_CURRENCY),
        locale=raw.take("locale", _matching(_LOCALE, "a BCP 47 locale", "locale_bad"), FALLBACK_LOCALE),
        rotation=raw.take("rotation", _rotation, 0),
    )


def _rotation(value: object) -> int:
    if value not in ROTATIONS:
        raise FieldError("is none of 0, 90, 180 and 270 degrees")
    return whole(0, max(ROTATIONS))(value)


def _assets(listed: Mapping[str, object], faults: RejectionLog) -> Mapping[str, AssetFact]:
    read: dict[str, AssetFact] = {}
    for _, (sha256, value) in bounded(list(listed.items()), MAX_ASSETS, subject="assets", faults=faults):
        subject = f"assets/{sha256}"
        try:
            _matching(_SHA256, "a hex SHA-256")(sha256)
            fact = Fields(value, subject=subject, faults=faults, pointer=f"/{subject}")
            read[sha256] = AssetFact(
                size=fact.need("size", whole(1, MAX_ASSET_BYTES)),
                media_type=fact.take("mediaType", text(MAX_NAME), ""),
            )
        except FieldError as fault:
            faults.add("asset_bad", subject, fault.detail, f"/{subject}{fault.pointer}")
    return read


def _version(raw: Fields, assets: Mapping[str, AssetFact], faults: RejectionLog) -> PlaylistVersion | None:
    playlist = raw.given("playlist", _part("playlist", faults), None)
    if playlist is None:
        return None
    key = VersionKey(playlist_id=playlist.need("id", identifier), version=playlist.need("version", _count))
    scenes = _scenes(raw, assets, faults)
    return PlaylistVersion(
        key=key,
        name=playlist.take("name", name, ""),
        published_at=playlist.need("publishedAt", moment),
        entries=_entries(playlist, scenes, faults),
        scenes=scenes,
        assets=assets,
    )


def _scenes(raw: Fields, assets: Mapping[str, AssetFact], faults: RejectionLog) -> Mapping[str, Scene]:
    read: dict[str, Scene] = {}
    for index, value in bounded(raw.need("scenes", array()), MAX_SCENES, subject="scenes", faults=faults):
        subject, pointer = f"scenes[{index}]", f"/scenes/{index}"
        try:
            fields = Fields(value, subject=subject, faults=faults, pointer=pointer)
            fields.subject = subject = fields.need("id", identifier)
            _refuse_second(subject, read)
            read[subject] = read_scene(fields, assets=assets, faults=faults)
        except FieldError as fault:
            faults.add(fault.code or "scene_bad", subject, fault.detail, pointer + fault.pointer)
    return read


def _entries(playlist: Fields, scenes: Mapping[str, Scene], faults: RejectionLog) -> tuple[Entry, ...]:
    read: dict[str, Entry] = {}
    for index, value in bounded(playlist.need("entries", array()), MAX_ENTRIES, subject="entries", faults=faults):
        subject, pointer = f"entries[{index}]", f"{playlist.pointer}/entries/{index}"
        try:
            fields = Fields(value, subject=subject, faults=faults, pointer=pointer)
            fields.subject = subject = fields.need("id", identifier)
            _refuse_second(subject, read)
            scene_id = fields.need("sceneId", identifier)
            if scene_id not in scenes:
                raise FieldError(f'its scene "{scene_id}" is missing')
            duration = fields.need("durationSeconds", whole(1, MAX_DURATION_SECONDS))
            schedule, never = _attachment(fields)
            read[subject] = Entry(
                id=subject, scene_id=scene_id, duration_seconds=duration, schedule=schedule, never=never
            )
        except FieldError as fault:
            faults.add(fault.code or "entry_bad", subject, fault.detail, pointer + fault.pointer)
    return tuple(read.values())


def _attachment(fields: Fields) -> tuple[Schedule | None, str | None]:
    """An entry's own schedule, or why it never holds: one that can't be read must not let its entry show all day."""
    try:
        return fields.given("schedule", read_schedule, None), None
    except FieldError as fault:
        fields.spoil(fault, "schedule_bad")
        return None, f"its schedule could not be read: {fault.detail}"


def _catalogue(raw: Fields, assets: Mapping[str, AssetFact], faults: RejectionLog) -> Catalogue:
    read: dict[str, Item] = {}
    for index, value in bounded(raw.need("items", array()), MAX_ITEMS, subject="items", faults=faults):
        subject, pointer = f"items[{index}]", f"/items/{index}"
        try:
            fields = Fields(value, subject=subject, faults=faults, pointer=pointer)
            fields.subject = subject = fields.need("id", identifier)
            _refuse_second(subject, read)
            read[subject] = _item(fields, assets, faults)
        except FieldError as fault:
            faults.add(fault.code or "item_bad", subject, fault.detail, pointer + fault.pointer)
    return Catalogue(revision=raw.need("revision", _count), revision_at=raw.need("revisionAt", moment), items=read)


def _item(raw: Fields, assets: Mapping[str, AssetFact], faults: RejectionLog) -> Item:
    return Item(
        id=raw.subject,
        name=raw.need("name", text(MAX_NAME, least=1)),
        category=raw.take("category", name, ""),
        price=raw.need("price", amount(0, MAX_PRICE)),
        modifiers=_modifiers(raw, faults),
        # A bad flag costs the item: better a dish too few than one that is sold out.
        eighty_sixed=raw.given("eightySixed", flag, None) is True,
        description=raw.take("description", text(MAX_DESCRIPTION), None),
        image=raw.take("image", asset_in(assets), None),
        tags=raw.take("tags", texts(MAX_TAGS, each=MAX_ID), ()),
        allergens=raw.take("allergens", texts(MAX_TAGS, each=MAX_ID), ()),
        sort_index=raw.take("sortIndex", whole(-MAX_COUNT, MAX_COUNT), 0),
    )


def _modifiers(raw: Fields, faults: RejectionLog) -> tuple[Modifier, ...]:
    read: list[Modifier] = []
    listed = raw.take("modifiers", array(), [])
    for index, value in bounded(listed, MAX_MODIFIERS, subject=f"{raw.subject}/modifiers", faults=faults):
        subject, pointer = f"{raw.subject}/modifiers[{index}]", f"{raw.pointer}/modifiers/{index}"
        try:
            fields = Fields(value, subject=subject, faults=faults, pointer=pointer)
            delta = fields.need("priceDelta", amount(-MAX_PRICE, MAX_PRICE))
            read.append(Modifier(name=fields.need("name", text(MAX_NAME, least=1)), price_delta=delta))
        except FieldError as fault:
            faults.add("modifier_bad", subject, fault.detail, pointer + fault.pointer)
    return tuple(read)


def _settings(raw: Fields) -> LinkSettings:
    usual, seconds = LinkSettings(), whole(-MAX_COUNT, MAX_COUNT)
    return LinkSettings.bounded(
        wait_seconds=raw.take("waitSeconds", seconds, usual.wait_seconds),
        poll_seconds=raw.take("pollSeconds", seconds, usual.poll_seconds),
        heartbeat_seconds=raw.take("heartbeatSeconds", seconds, usual.heartbeat_seconds),
    )


def _members(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise FieldError("is not an object")
    return value


def _matching(pattern: re.Pattern[str], what: str, code: str | None = None) -> Convert[str]:
    def convert(value: object) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise FieldError(f"is not {what}", code)
        return value

    return convert


def _refuse_second(part_id: str, read: Mapping[str, object]) -> None:
    if part_id in read:
        raise FieldError("another has the same id", "duplicate_id")
