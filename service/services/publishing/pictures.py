"""Finds the scene that an image shows: its current state, that in a version, or that in a request to publish."""

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from service.core.errors import not_found
from service.schema.content.scene import ScenePatch
from service.schema.content.template import SceneFromTemplate
from service.services.access.access import Access
from service.services.publishing.history import find_version
from service.services.publishing.previews import Picture
from service.services.publishing.versions import stored_version
from service.services.scenes.scenes import changed_scene, scene_document
from service.services.scenes.templates import TemplateService
from service.services.shared.lookup import find as find_row
from service.services.shared.lookup import get
from service.storage.history import deleted_row
from service.storage.tables.menus import ApprovalRow, PlaylistRow, PlaylistVersionRow, SceneRow
from service.storage.tables.overrides import OverrideRow


def scene_picture(scene: str) -> Picture:
    """Returns the current scene. Raises the 404 problem."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        return scene_document(get(session, SceneRow, access.workspace, scene, kind="scene"), ())

    return find


def draft_picture(scene: str, body: ScenePatch) -> Picture:
    """Returns the scene with a change applied. Raises the 404 and 422 problems."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        return changed_scene(session, access.workspace, scene, body)

    return find


def template_picture(templates: TemplateService, body: SceneFromTemplate, workspace: str) -> Picture:
    """Returns the scene that a template makes now. Raises the 404 problem for an unknown template, and 422."""
    drafted = templates.drafter(body, workspace)

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        del access
        return drafted(session)

    return find


def version_picture(playlist: str, version: int, scene: str) -> Picture:
    """Returns the scene in the version. Raises the 404 and 410 problems."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        row = get(session, PlaylistRow, access.workspace, playlist, kind="playlist")
        return _scene_in(find_version(session, row, version).document, scene)

    return find


def version_picture_then(playlist: str, version: int, scene: str) -> Picture:
    """Returns the scene in a version that may no longer be stored. Raises the 404 problem."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        owner = find_row(session, PlaylistRow, access.workspace, playlist)
        if owner is None and not _was_here(access, deleted_row(session, PlaylistRow, playlist, playlist)):
            raise not_found("playlist", playlist)
        row = stored_version(session, playlist, version)
        known = deleted_row(session, PlaylistVersionRow, playlist, str(version)) if row is None else None
        return _scene_in(row.document if row is not None else (known or {}).get("document"), scene)

    return find


def override_picture(override: str, scene: str) -> Picture:
    """Returns the scene in an override, which may have ended. Raises the 404 problem."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        row = find_row(session, OverrideRow, access.workspace, override)
        known = deleted_row(session, OverrideRow, override, override) if row is None else None
        if row is None and not _was_here(access, known):
            raise not_found("override", override)
        return _scene_in(row.document if row is not None else (known or {}).get("document"), scene)

    return find


def request_picture(approval: str, scene: str) -> Picture:
    """Returns the scene in the request. Raises the 404 problem, also once it is decided."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        return _scene_in(get(session, ApprovalRow, access.workspace, approval, kind="approval").document, scene)

    return find


def _was_here(access: Access, known: Mapping[str, Any] | None) -> bool:
    """Returns whether a deleted row belonged to the workspace."""
    return known is not None and known["workspace_id"] == access.workspace


def _scene_in(document: str | None, scene: str) -> Mapping[str, Any]:
    scenes: list[Mapping[str, Any]] = [] if document is None else msgspec.json.decode(document)["scenes"]
    for one in scenes:
        if one["id"] == scene:
            return one
    raise not_found("scene", scene)
