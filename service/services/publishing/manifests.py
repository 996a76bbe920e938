"""Composes the manifest of a playlist at a location, and counts its revisions.

A manifest consists of the published snapshot, the location and the live items, and of the items that only other
versions show, for boards that still play one of those (docs/adr/0088). The database holds, per playlist and location,
the digest of the last manifest and its revision, so the revision grows with each difference and survives restarts.
Polls use `HeldPolls`, which composes each manifest once for all screens that share it.
"""

import gzip
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from service.core.changes import ContentChanged
from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.schema.device import PlayerSettings
from service.schema.fields import instant_or_none
from service.schema.item import PartResponse
from service.services.assets.assets import find_assets
from service.services.content.availability import NOBODY_KNOWS, filled_from, sold_from
from service.services.content.combos import parts_of
from service.services.content.items import EXACT, MARKET, modifiers_of
from service.services.content.locations import second_currency_of
from service.services.content.offers import as_of, offer_of, price_now
from service.services.content.words import words_row
from service.services.publishing.epochs import epoch_of
from service.services.publishing.versions import AssetFacts, ItemSelection, PlaylistVersion, read_version
from service.services.shared.lookup import find
from service.storage.database import Database, Unit
from service.storage.tables import ItemRow, LocationRow, PlaylistRow, PlaylistVersionRow, RevisionRow, WorkspaceRow

MAX_MANIFEST_BYTES = 4 * 1024 * 1024
FORMAT = 1

WAIT_SECONDS = 10
POLL_SECONDS = 20
HEARTBEAT_SECONDS = 30
PLAYER_SETTINGS = PlayerSettings(
    wait_seconds=WAIT_SECONDS, poll_seconds=POLL_SECONDS, heartbeat_seconds=HEARTBEAT_SECONDS
)

_LOCATION_ALLOWANCE = 4096
"""Bytes reserved, when a playlist is published, for what depends on the location."""

_HEAD_ALLOWANCE = 1024
"""Bytes reserved for the revision."""

MAX_SELECTIONS = 20_000
"""Versions whose selection of items is remembered: they never change, and reading one means reading its scenes."""

_encoder = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True, slots=True)
class ManifestKey:
    """A playlist at a location; screens with the same key share a manifest."""

    workspace: str
    playlist: str | None
    location: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """An encoded manifest. The entity tag is the SHA-256 of the uncompressed body in hex."""

    revision: int
    etag: str
    body: bytes
    compressed: bytes


@dataclass(frozen=True, slots=True)
class _Content:
    epoch: str
    document: dict[str, Any]
    digest: str
    newest: datetime
    """The newest change of anything in the document."""
    catalogue_changed_at: datetime


@dataclass(frozen=True, slots=True)
class _PlaylistContent:
    document: dict[str, Any]
    changes: tuple[datetime, ...]


class ManifestGoneError(Exception):
    """The location was removed, so the screen has just been moved or removed as well."""


class ManifestService:
    """Composes manifests."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._selections: dict[tuple[str, int], ItemSelection] = {}

    def compose(self, key: ManifestKey, *, now: datetime) -> Manifest:
        """The manifest as of the newest commit. Raises ManifestGoneError, and the 503 problem when it is too large."""
        with self._database.read() as session:
            content = self._gather(session, key, now=now)
            row = _revision(session, key)
            if row is not None and row.digest == content.digest:
                return _encode(content, revision=row.revision, at=row.revision_at)
        with self._database.write() as unit:
            content = self._gather(unit.session, key, now=now)
            row = _count_revision(unit, key, content)
            return _encode(content, revision=row.revision, at=row.revision_at)

    def _gather(self, session: Session, key: ManifestKey, *, now: datetime) -> _Content:
        location = session.scalar(
            select(LocationRow).where(LocationRow.workspace_id == key.workspace, LocationRow.id == key.location)
        )
        workspace = session.get(WorkspaceRow, key.workspace)
        if location is None or workspace is None:
            raise ManifestGoneError(key)
        version = _latest(session, key.playlist)
        playlist_content = (
            _nothing_published(session, key)
            if version is None
            else _playlist_content(
                session, key.workspace, read_version(version.document), now=now, locales=[location.locale]
            )
        )
        document: dict[str, Any] = {
            "location": {
                "id": location.id,
                "name": location.name,
                "timezone": location.timezone,
                "currency": location.currency,
                "locale": location.locale,
                "rotation": location.rotation,
                **({"openingHours": location.opening_hours} if location.opening_hours else {}),
                **({"secondCurrency": second.document()} if (second := second_currency_of(location)) else {}),
            },
            **playlist_content.document,
            **({"values": location.live_values} if location.live_values else {}),
            "settings": PLAYER_SETTINGS.document(),
        }
        others = self._others(session, key, version, told=document["items"], now=now, locale=location.locale)
        encoded = _encoder.encode(document | others.document)
        if len(encoded) + _HEAD_ALLOWANCE <= MAX_MANIFEST_BYTES:
            document |= others.document
        else:
            # Better without them than no manifest: items of a version that still runs then stay as they were.
            encoded = _encoder.encode(document)
        if len(encoded) + _HEAD_ALLOWANCE > MAX_MANIFEST_BYTES:
            # Better in one language than with prices that stay as they were.
            document["items"] = [_without_translations(item) for item in document["items"]]
            encoded = _encoder.encode(document)
        if len(encoded) + _HEAD_ALLOWANCE > MAX_MANIFEST_BYTES:
            # A line of a text less.
            document.pop("values", None)
            encoded = _encoder.encode(document)
        published = () if version is None else (version.published_at,)
        return _Content(
            epoch=epoch_of(session),
            document=document,
            digest=hashlib.sha256(encoded).hexdigest(),
            newest=max([location.changed_at, *published, *playlist_content.changes, *others.changes]),
            catalogue_changed_at=workspace.catalogue_changed_at,
        )

    def _others(
        self,
        session: Session,
        key: ManifestKey,
        latest: PlaylistVersionRow | None,
        *,
        told: Sequence[dict[str, Any]],
        now: datetime,
        locale: str,
    ) -> _PlaylistContent:
        """The items that only other versions show: those of this playlist, and of each that screens here have had."""
        playlists = select(RevisionRow.playlist_id).where(RevisionRow.location_id == key.location)
        playlist, version = PlaylistVersionRow.playlist_id, PlaylistVersionRow.version
        stored = session.execute(
            select(playlist, version)
            .where(or_(playlist == key.playlist, playlist.in_(playlists)))
            .order_by(playlist, version)
        )
        versions: dict[str, list[int]] = {}
        selections: list[ItemSelection] = []
        for name, number in stored:
            if latest is None or (name, number) != (latest.playlist_id, latest.version):
                versions.setdefault(name, []).append(number)
                selections.append(self._selection(session, name, number))
        if latest is not None and selections:
            selections.append(self._selection(session, latest.playlist_id, latest.version))
        known, passed = {item["id"] for item in told}, 0
        languages = _languages([locale], *selections)
        documents: list[dict[str, Any]] = []
        changes: list[datetime] = []
        rows = selected_items(session, key.workspace, *selections)
        for row, document in zip(rows, item_documents(rows, now=now, languages=languages), strict=True):
            if row.id in known:
                passed += 1
            else:
                documents.append(document | {"position": passed})
                changes.append(row.changed_at)
        return _PlaylistContent(document={"otherItems": documents, "otherVersions": versions}, changes=tuple(changes))

    def _selection(self, session: Session, playlist: str, version: int) -> ItemSelection:
        known = self._selections.get((playlist, version))
        if known is None:
            row = session.get_one(PlaylistVersionRow, (playlist, version))
            known = read_version(row.document).item_selection
            if len(self._selections) >= MAX_SELECTIONS:
                self._selections.clear()
            self._selections[playlist, version] = known
        return known


def ensure_publishable(session: Session, playlist: PlaylistRow, document: str, *, now: datetime) -> None:
    """Raises the 409 problem when a manifest with this snapshot would be larger than players accept."""
    # It may be played at any location.
    locales = session.scalars(
        select(LocationRow.locale).where(LocationRow.workspace_id == playlist.workspace_id).distinct()
    ).all()
    content = _playlist_content(session, playlist.workspace_id, read_version(document), now=now, locales=locales)
    size = len(_encoder.encode(content.document)) + _LOCATION_ALLOWANCE
    if size > MAX_MANIFEST_BYTES:
        raise ProblemError(
            409,
            "playlist_too_large",
            "The playlist is too large to publish",
            f"With its scenes and items it takes {size} bytes; players accept {MAX_MANIFEST_BYTES}.",
        )


def _latest(session: Session, playlist: str | None) -> PlaylistVersionRow | None:
    if playlist is None:
        return None
    return session.scalar(
        select(PlaylistVersionRow)
        .where(PlaylistVersionRow.playlist_id == playlist)
        .order_by(PlaylistVersionRow.version.desc())
        .limit(1)
    )


def _nothing_published(session: Session, key: ManifestKey) -> _PlaylistContent:
    """Why there is no playlist: none is assigned, or the one that is was never published."""
    playlist = None if key.playlist is None else find(session, PlaylistRow, key.workspace, key.playlist)
    why = {"reason": "unassigned"} if playlist is None else {"reason": "unpublished", "name": playlist.name}
    return _PlaylistContent(
        document={"playlist": None, "withoutPlaylist": why, "scenes": [], "items": [], "assets": {}},
        changes=() if playlist is None else (playlist.changed_at,),
    )


def _playlist_content(
    session: Session, workspace: str, version: PlaylistVersion, *, now: datetime, locales: Sequence[str]
) -> _PlaylistContent:
    items = selected_items(session, workspace, version.item_selection)
    languages = _languages(locales, version.item_selection)
    words = words_row(session, workspace)
    return _PlaylistContent(
        document={
            "playlist": version.playlist,
            "scenes": version.scenes,
            "items": item_documents(items, now=now, languages=languages),
            **({"words": _told_in(words.words, languages)} if words is not None and words.words else {}),
            "assets": {**version.assets, **_images(session, workspace, items)},
        },
        changes=(*(row.changed_at for row in items), *(() if words is None else (words.changed_at,))),
    )


def _languages(locales: Iterable[str], *selections: ItemSelection) -> frozenset[str]:
    """The languages that a player may show, without scripts and territories: `en` for `en-GB`."""
    wanted = (language for selection in selections for language in selection.languages)
    return frozenset(_bare(language) for language in (*locales, *wanted))


def _bare(language: str) -> str:
    return language.partition("-")[0]


def _told_in(words: Mapping[str, Mapping[str, str]], languages: frozenset[str]) -> dict[str, dict[str, str]]:
    """The words in these languages."""
    told = {
        word: {language: text for language, text in texts.items() if _bare(language) in languages}
        for word, texts in words.items()
    }
    return {word: texts for word, texts in told.items() if texts}


def selected_items(session: Session, workspace: str, *selections: ItemSelection) -> Sequence[ItemRow]:
    """The items that any of the selections names, and the parts of the combos among them, in menu order."""
    everything = any(selection.everything for selection in selections)
    categories = frozenset(name for selection in selections for name in selection.categories)
    ids = frozenset(name for selection in selections for name in selection.item_ids)
    if not (everything or categories or ids):
        return []
    rows = session.scalars(
        select(ItemRow).where(ItemRow.workspace_id == workspace).order_by(ItemRow.sort_index, ItemRow.number)
    ).all()
    chosen = {row.id for row in rows if everything or row.category in categories or row.id in ids}
    chosen |= {choice.item_id for row in rows if row.id in chosen for part in parts_of(row) for choice in part.any_of}
    return [row for row in rows if row.id in chosen]


def item_documents(
    rows: Sequence[ItemRow], *, now: datetime, languages: frozenset[str] | None = None
) -> list[dict[str, Any]]:
    """The items as players read them, with their texts in these languages, or in all; the parts of combos are among the
    rows."""
    items = {row.id: row for row in rows}
    return [_item_document(row, items, now=now, languages=languages) for row in rows]


def _item_document(
    row: ItemRow, items: Mapping[str, ItemRow], *, now: datetime, languages: frozenset[str] | None
) -> dict[str, Any]:
    # Players that know no variants or parts sell out an item with the last variant, and a combo with any part.
    back_at = _available_from(row, items, now=now)
    item: dict[str, Any] = {
        "id": row.id,
        "name": row.name,
        "category": row.category,
        # As it is now: players that know no offers show it. Those that know no market price leave the item out.
        **({} if row.price_kind == MARKET else {"price": price_now(row, now=now)}),
        "modifiers": [modifier.document() for modifier in modifiers_of(row)],
        "eightySixed": back_at > now,
        "sortIndex": row.sort_index,
    }
    optional = {
        "priceKind": row.price_kind if row.price_kind != EXACT else None,
        "priceUnit": row.price_unit,
        "eightySixedUntil": instant_or_none(back_at) if now < back_at < NOBODY_KNOWS else None,
        "variants": [_variant_document(part, now=now) for part in row.variants],
        "parts": [_part_document(part, items) for part in parts_of(row)],
        "energyTo": row.energy_to,
        "offerStartsAt": instant_or_none(row.offer_starts_at),
        "offerEndsAt": instant_or_none(row.offer_ends_at),
        "description": row.description,
        "image": None if row.image is None else f"sha256:{row.image}",
        "tags": row.tags,
        "allergens": row.allergens,
        "translations": {
            language: told
            for language, told in row.translations.items()
            if languages is None or _bare(language) in languages
        },
        "featured": row.featured,
    }
    if row.regular_price is not None:
        item |= {"regularPrice": row.regular_price, "offerPrice": row.price}
    if row.energy is not None:
        item["energy"] = row.energy
    return item | {name: value for name, value in optional.items() if value}


def _variant_document(part: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    offer = as_of(offer_of(part), now)
    document: dict[str, Any] = {
        "id": part["id"],
        "name": part["name"],
        "price": price_now(offer, now=now),
        "energy": part.get("energy"),
        "eightySixed": part["eightySixed"],
    }
    if offer.regular_price is not None:
        instants = {"offerStartsAt": offer.offer_starts_at, "offerEndsAt": offer.offer_ends_at}
        document |= {"regularPrice": offer.regular_price, "offerPrice": offer.price}
        document |= {name: instant_text(at) for name, at in instants.items() if at is not None}
    return document


def _part_document(part: PartResponse, items: Mapping[str, ItemRow]) -> dict[str, Any]:
    """The part with those of its choices that still exist."""
    choices: list[dict[str, str]] = []
    for choice in part.any_of:
        item = items.get(choice.item_id)
        if item is not None and choice.variant_id is None:
            choices.append({"itemId": item.id})
        elif item is not None:
            names = (one["name"] for one in item.variants if one["id"] == choice.variant_id)
            choices += ({"itemId": item.id, "variant": name} for name in names)
    return {**({"name": part.name} if part.name else {}), "quantity": part.quantity, "anyOf": choices}


def _available_from(row: ItemRow, items: Mapping[str, ItemRow], *, now: datetime) -> datetime:
    """When the item can be sold again; now, if it can. A combo can while any choice of each of its parts can."""
    parts = (filled_from(part, items, now=now) for part in parts_of(row))
    return max([sold_from(row, None, now=now), *parts])


def _without_translations(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != "translations"}


def _images(session: Session, workspace: str, items: Iterable[ItemRow]) -> dict[str, AssetFacts]:
    digests = sorted({row.image for row in items if row.image is not None})
    return {
        row.digest: AssetFacts(size=row.size, media_type=row.media_type)
        for row in find_assets(session, workspace, digests).values()
    }


def _revision(session: Session, key: ManifestKey) -> RevisionRow | None:
    return session.get(RevisionRow, (key.location, key.playlist or ""))


def _count_revision(unit: Unit, key: ManifestKey, content: _Content) -> RevisionRow:
    """The revision of this content: the last one if nothing has changed, otherwise the next."""
    row = _revision(unit.session, key)
    if row is None:
        row = RevisionRow(
            location_id=key.location,
            playlist_id=key.playlist or "",
            revision=1,
            digest=content.digest,
            revision_at=content.newest,
        )
        unit.session.add(row)
        if unit.session.scalar(select(exists().where(RevisionRow.location_id == key.location))):
            # The screens here have had another playlist: each manifest here tells the items of both from now on.
            unit.announce(ContentChanged(key.workspace))
    elif row.digest != content.digest:
        row.revision += 1
        row.digest = content.digest
        # If nothing in it is newer than the last revision, an item has left the catalogue.
        row.revision_at = (
            content.newest if content.newest > row.revision_at else max(row.revision_at, content.catalogue_changed_at)
        )
    return row


def _encode(content: _Content, *, revision: int, at: datetime) -> Manifest:
    head = {"format": FORMAT, "epoch": content.epoch, "revision": revision, "revisionAt": instant_text(at)}
    document = head | content.document
    body = _encoder.encode(document)
    if len(body) > MAX_MANIFEST_BYTES:
        raise ProblemError(
            503,
            "manifest_too_large",
            "What this screen should hold is too large",
            f"It takes {len(body)} bytes; players accept {MAX_MANIFEST_BYTES}. Take items or scenes away.",
            headers={"Retry-After": "60"},
        )
    return Manifest(
        revision=revision,
        etag=hashlib.sha256(body).hexdigest(),
        body=body,
        compressed=gzip.compress(body, mtime=0),
    )
