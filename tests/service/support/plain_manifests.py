"""A plain reference for the contents of manifests: reads a whole workspace, and filters it step by step."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from menu.documents.manifest import WITHOUT_AMOUNT
from service.core.clock import instant_text
from service.schema.content.item import PartResponse
from service.schema.fields import instant_or_none
from service.services.assets.assets import find_assets
from service.services.content.availability import NOBODY_KNOWS, filled_from, sold_from
from service.services.content.combos import parts_of
from service.services.content.item_views import EXACT
from service.services.content.offers import as_of, offer_of, price_now
from service.services.content.variants import modifiers_of
from service.services.content.words import words_row
from service.services.places.locations import second_currency_of
from service.services.publishing import composition
from service.services.publishing.composition import PLAYER_SETTINGS, ManifestKey
from service.services.publishing.versions import AssetFacts, ItemSelection, PlaylistVersion, read_version
from service.storage.tables.menus import ItemRow, LocalItemRow, PlaylistRow, PlaylistVersionRow, RevisionRow
from service.storage.tables.workspaces import GroupLocationRow, GroupRow, LocationRow

HEAD_ALLOWANCE = 1024

_encoder = msgspec.json.Encoder(decimal_format="number")


def plain_content(session: Session, key: ManifestKey, *, now: datetime) -> bytes:
    """The manifest of this board without its head, as JSON."""
    location = session.scalars(select(LocationRow).where(LocationRow.id == key.location)).one()
    version = _latest(session, key.playlist)
    own = (
        _nothing_published(session, key)
        if version is None
        else _playlist(session, key, read_version(version.document), now=now, locale=location.locale)
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
            **({"spans": location.spans} if location.spans else {}),
            **({"secondCurrency": second.document()} if (second := second_currency_of(location)) else {}),
        },
        **own,
        **({"values": location.live_values} if location.live_values else {}),
        "settings": PLAYER_SETTINGS.document(),
    }
    others = _others(session, key, version, told=document["items"], now=now, locale=location.locale)
    limit = composition.MAX_MANIFEST_BYTES - HEAD_ALLOWANCE
    encoded = _encoder.encode(document | others)
    if len(encoded) > limit:
        encoded = _encoder.encode(document)
    if len(encoded) > limit:
        document["items"] = [
            {name: value for name, value in item.items() if name != "translations"} for item in document["items"]
        ]
        encoded = _encoder.encode(document)
    if len(encoded) > limit:
        document.pop("values", None)
        encoded = _encoder.encode(document)
    return encoded


def _others(
    session: Session,
    key: ManifestKey,
    latest: PlaylistVersionRow | None,
    *,
    told: Sequence[dict[str, Any]],
    now: datetime,
    locale: str,
) -> dict[str, Any]:
    playlists = select(RevisionRow.playlist_id).where(RevisionRow.location_id == key.location)
    playlist, version = PlaylistVersionRow.playlist_id, PlaylistVersionRow.version
    stored = session.scalars(
        select(PlaylistVersionRow)
        .where(or_(playlist == key.playlist, playlist.in_(playlists)))
        .order_by(playlist, version)
    )
    versions: dict[str, list[int]] = {}
    selections: list[ItemSelection] = []
    for row in stored:
        if latest is None or (row.playlist_id, row.version) != (latest.playlist_id, latest.version):
            versions.setdefault(row.playlist_id, []).append(row.version)
            selections.append(read_version(row.document).item_selection)
    if latest is not None and selections:
        selections.append(read_version(latest.document).item_selection)
    known, passed = {item["id"] for item in told}, 0
    languages = _languages([locale], *selections)
    documents: list[dict[str, Any]] = []
    rows = as_there(session, key.location, selected_items(session, key.workspace, *selections), now=now)
    for item in item_documents(rows, now=now, languages=languages):
        if item["id"] in known:
            passed += 1
        else:
            documents.append(item | {"position": passed})
    return {"otherItems": documents, "otherVersions": versions}


def _latest(session: Session, playlist: str | None) -> PlaylistVersionRow | None:
    if playlist is None:
        return None
    return session.scalar(
        select(PlaylistVersionRow)
        .where(PlaylistVersionRow.playlist_id == playlist)
        .order_by(PlaylistVersionRow.version.desc())
        .limit(1)
    )


def _nothing_published(session: Session, key: ManifestKey) -> dict[str, Any]:
    playlist = (
        None if key.playlist is None else session.scalar(select(PlaylistRow).where(PlaylistRow.id == key.playlist))
    )
    why = {"reason": "unassigned"} if playlist is None else {"reason": "unpublished", "name": playlist.name}
    return {"playlist": None, "withoutPlaylist": why, "scenes": [], "items": [], "assets": {}}


def _playlist(
    session: Session, key: ManifestKey, version: PlaylistVersion, *, now: datetime, locale: str
) -> dict[str, Any]:
    workspace = key.workspace
    items = as_there(session, key.location, selected_items(session, workspace, version.item_selection), now=now)
    languages = _languages([locale], version.item_selection)
    words = words_row(session, workspace)
    categories = {} if words is None else words.categories
    pictures = {one["image"].removeprefix("sha256:") for one in categories.values() if "image" in one}
    images = sorted({row.image for row in items if row.image is not None} | pictures)
    found = {row.digest: row for row in find_assets(session, workspace, images).values()}
    facts = {name: AssetFacts(size=found[name].size, media_type=found[name].media_type) for name in sorted(found)}
    return {
        "playlist": version.playlist,
        "scenes": version.scenes,
        "items": item_documents(items, now=now, languages=languages),
        **({"words": _told_in(words.words, languages)} if words is not None and words.words else {}),
        **({"categories": categories} if categories else {}),
        "assets": {**version.assets, **facts},
    }


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


def as_there(session: Session, location: str, rows: Sequence[ItemRow], *, now: datetime) -> Sequence[ItemRow]:
    """The items as they are at a location, field by field, from the widest place to the narrowest."""
    members = select(GroupLocationRow.group_id).where(GroupLocationRow.location_id == location)
    groups = session.scalars(select(GroupRow).where(GroupRow.id.in_(members))).all()
    widest_first = [row.id for row in sorted(groups, key=lambda row: (row.precedence, -row.number))]
    local = {(one.location_id or one.group_id, one.item_id): one for one in session.scalars(select(LocalItemRow))}
    found: list[ItemRow] = []
    for row in rows:
        here, hidden = row, False
        for place in (*widest_first, location):
            if (one := local.get((place, row.id))) is not None:
                here = _with(here, one, now=now)
                hidden = hidden if one.hidden is None else one.hidden
        if not hidden:
            found.append(here)
    return found


def _with(item: ItemRow, local: LocalItemRow, *, now: datetime) -> ItemRow:
    """A copy of the item with what a place says of it."""
    here = ItemRow(**{column.key: getattr(item, column.key) for column in ItemRow.__table__.columns})
    if item.price_kind not in WITHOUT_AMOUNT:
        if local.price is not None:
            here.price, here.regular_price = local.price, local.regular_price
        elif local.regular_price is not None:
            here.regular_price = local.regular_price
        if here.regular_price is not None and here.regular_price <= here.price:
            here.regular_price = None
        if here.regular_price is None and (local.price is not None or local.regular_price is not None):
            here.offer_starts_at = here.offer_ends_at = None
    if local.eighty_sixed is not None and (local.eighty_sixed_until is None or local.eighty_sixed_until > now):
        here.eighty_sixed, here.eighty_sixed_until = local.eighty_sixed, local.eighty_sixed_until
    here.modifiers = [
        {"name": one["name"], "units": local.modifiers.get(one["name"], one["units"])} for one in item.modifiers
    ]
    here.variants = [{**one, **local.variants.get(one["id"], {})} for one in item.variants]
    return here


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
        **({} if row.price_kind in WITHOUT_AMOUNT else {"price": price_now(row, now=now)}),
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
        "imageFit": row.image_fit,
        "imageFocus": row.image_focus,
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
