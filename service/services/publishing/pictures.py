"""Finds the scene that an image shows: as it is now, in a version, or in a request to publish."""

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from service.core.errors import not_found
from service.services.access.access import Access
from service.services.content.scenes import scene_document
from service.services.publishing.history import find_version
from service.services.publishing.previews import Picture
from service.services.shared.lookup import get
from service.storage.tables.menus import ApprovalRow, PlaylistRow, SceneRow


def scene_picture(scene: str) -> Picture:
    """The scene as it is now. Raises the 404 problem."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        return scene_document(get(session, SceneRow, access.workspace, scene, kind="scene"), ())

    return find


def version_picture(playlist: str, version: int, scene: str) -> Picture:
    """The scene as it is in the version. Raises the 404 and 410 problems."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        row = get(session, PlaylistRow, access.workspace, playlist, kind="playlist")
        return _scene_in(find_version(session, row, version).document, scene)

    return find


def request_picture(approval: str, scene: str) -> Picture:
    """The scene as it is in the request. Raises the 404 problem, also once it is decided."""

    def find(session: Session, access: Access) -> Mapping[str, Any]:
        return _scene_in(get(session, ApprovalRow, access.workspace, approval, kind="approval").document, scene)

    return find


def _scene_in(document: str | None, scene: str) -> Mapping[str, Any]:
    scenes: list[Mapping[str, Any]] = [] if document is None else msgspec.json.decode(document)["scenes"]
    for one in scenes:
        if one["id"] == scene:
            return one
    raise not_found("scene", scene)
