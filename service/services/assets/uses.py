"""Finds what uses an asset: items, categories, drafts, stored versions, requests to publish, and overrides."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, select
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import InstrumentedAttribute

from service.core.errors import Fault
from service.schema.content.asset import MAX_LISTED_USES, ApprovalUse, AssetUses, NamedUse, VersionUse
from service.schema.fields import ASSET_PREFIX
from service.schema.publishing.approval import ApprovalStatus
from service.services.access.access import Access
from service.storage.tables.menus import ApprovalRow, ItemRow, PlaylistRow, PlaylistVersionRow, SceneRow, WordsRow
from service.storage.tables.overrides import OverrideRow

MAX_USE_FAULTS = 20
"""Uses that a refused deletion names."""


def uses_of(session: Session, workspace: str, digest: str, *, now: datetime) -> AssetUses:
    """Returns the uses of the asset in the workspace, the first `MAX_LISTED_USES` of each kind."""

    def found(*columns: InstrumentedAttribute[Any], where: list[ColumnElement[bool]]) -> list[Any]:
        query = select(*columns).where(*where).order_by(*columns[:1]).limit(MAX_LISTED_USES)
        return list(session.execute(query))

    words = session.get(WordsRow, workspace)
    categories = {} if words is None else words.categories
    scenes = found(
        SceneRow.id, SceneRow.document, where=[SceneRow.workspace_id == workspace, _names(SceneRow.document, digest)]
    )
    published = [
        PlaylistRow.workspace_id == workspace,
        PlaylistVersionRow.playlist_id == PlaylistRow.id,
        PlaylistVersionRow.document.contains(digest),
    ]
    asked = [
        ApprovalRow.workspace_id == workspace,
        ApprovalRow.status == ApprovalStatus.PENDING,
        ApprovalRow.playlist_id == PlaylistRow.id,
        ApprovalRow.document.contains(digest),
    ]
    holding = [OverrideRow.workspace_id == workspace, OverrideRow.until > now, OverrideRow.document.contains(digest)]
    return AssetUses(
        items=[
            NamedUse(id=item, name=name)
            for item, name in found(
                ItemRow.id, ItemRow.name, where=[ItemRow.workspace_id == workspace, ItemRow.image == digest]
            )
        ],
        categories=[name for name, one in sorted(categories.items()) if one.get("image") == f"{ASSET_PREFIX}{digest}"][
            :MAX_LISTED_USES
        ],
        scenes=[NamedUse(id=scene, name=document["name"]) for scene, document in scenes],
        versions=[
            VersionUse(playlist=playlist, name=name, version=version)
            for playlist, name, version in found(
                PlaylistRow.id, PlaylistRow.name, PlaylistVersionRow.version, where=published
            )
        ],
        approvals=[
            ApprovalUse(id=approval, playlist=playlist, name=name)
            for approval, playlist, name in found(ApprovalRow.id, PlaylistRow.id, PlaylistRow.name, where=asked)
        ],
        overrides=[
            NamedUse(id=override, name=name)
            for override, name in found(OverrideRow.id, OverrideRow.name, where=holding)
        ],
    )


def seen_by(session: Session, access: Access, uses: AssetUses) -> AssetUses:
    """Returns the uses without the overrides that the key does not see."""
    if access.locations is None:
        return uses
    rows = session.execute(
        select(OverrideRow.id, OverrideRow.locations).where(OverrideRow.id.in_(one.id for one in uses.overrides))
    )
    seen = {override for override, places in rows if places is not None and access.locations.issuperset(places)}
    return uses.model_copy(update={"overrides": [one for one in uses.overrides if one.id in seen]})


def use_faults(uses: AssetUses) -> Iterator[Fault]:
    for kind, named in (("item", uses.items), ("scene", uses.scenes), ("override", uses.overrides)):
        for one in named:
            yield Fault(f"used_by_{kind}", f"The {kind} {one.id} ({one.name}) shows it.")
    for name in uses.categories:
        yield Fault("used_by_category", f"The category {name} shows it.")
    for version in uses.versions:
        told = f"Version {version.version} of the playlist {version.playlist} ({version.name}) shows it."
        yield Fault("used_by_version", told)
    for approval in uses.approvals:
        told = f"What the approval {approval.id} asks to publish in {approval.playlist} ({approval.name}) shows it."
        yield Fault("used_by_approval", told)


def _names(document: InstrumentedAttribute[Any], digest: str) -> ColumnElement[bool]:
    return cast(document, Text).contains(digest)
