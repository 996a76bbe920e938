"""The publisher, the changes and the source of each version; digests of scenes and playlists.

A migration defines its own types: it must not change with the code.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_DEFAULTS = {
    "width": 1920,
    "height": 1080,
    "background": {"color": "#101418"},
    "theme": {},
    "transition": {"type": "fade", "milliseconds": 500},
    "languages": [],
    "languageMode": "inTurn",
    "mirrorBoxes": False,
    "span": None,
    "widgets": [],
}
_SCENES = sa.table("scenes", sa.column("id"), sa.column("document", sa.JSON()), sa.column("digest"))
_SCHEDULES = sa.table(
    "schedules", sa.column("scene_id"), sa.column("number"), sa.column("document", sa.JSON(none_as_null=True))
)
_PLAYLISTS = sa.table("playlists", *map(sa.column, ("id", "name", "version", "draft_digest", "published_digest")))
_ENTRIES = sa.table(
    "playlist_entries",
    *map(sa.column, ("playlist_id", "scene_id", "position", "number", "duration_seconds")),
    sa.column("schedule", sa.JSON()),
)
_VERSIONS = sa.table("publications", *map(sa.column, ("playlist_id", "version", "document")))
_BLANK = sa.text("''")


def upgrade() -> None:
    op.add_column("scenes", sa.Column("digest", sa.String(64), nullable=False, server_default=_BLANK))
    op.add_column("playlists", sa.Column("draft_digest", sa.String(64), nullable=False, server_default=_BLANK))
    op.add_column("playlists", sa.Column("published_digest", sa.String(64), nullable=False, server_default=_BLANK))
    op.add_column("publications", sa.Column("published_by", sa.String(40)))
    op.add_column("publications", sa.Column("publisher_name", sa.String(200)))
    op.add_column("publications", sa.Column("restores", sa.Integer()))
    op.add_column("publications", sa.Column("changes", sa.JSON()))
    op.add_column("approvals", sa.Column("restores", sa.Integer()))
    _digest_scenes(op.get_bind())
    _digest_playlists(op.get_bind())


def downgrade() -> None:
    op.drop_column("approvals", "restores")
    for column in ("changes", "restores", "publisher_name", "published_by"):
        op.drop_column("publications", column)
    op.drop_column("playlists", "published_digest")
    op.drop_column("playlists", "draft_digest")
    op.drop_column("scenes", "digest")


def _digest_scenes(connection: sa.Connection) -> None:
    # The names first, then one row at a time: a scene, and a version even more, may be large.
    for scene in connection.scalars(sa.select(_SCENES.c.id)).all():
        document = connection.scalars(sa.select(_SCENES.c.document).where(_SCENES.c.id == scene)).one()
        ordered = sa.select(_SCHEDULES.c.document).where(_SCHEDULES.c.scene_id == scene).order_by(_SCHEDULES.c.number)
        digest = _scene_digest(document | {"schedules": connection.scalars(ordered).all()})
        connection.execute(_SCENES.update().where(_SCENES.c.id == scene).values(digest=digest))


def _digest_playlists(connection: sa.Connection) -> None:
    for playlist, name, version in connection.execute(
        sa.select(_PLAYLISTS.c.id, _PLAYLISTS.c.name, _PLAYLISTS.c.version)
    ).all():
        entries = connection.execute(
            sa.select(_ENTRIES.c.scene_id, _ENTRIES.c.duration_seconds, _ENTRIES.c.schedule, _SCENES.c.digest)
            .join(_SCENES, _SCENES.c.id == _ENTRIES.c.scene_id)
            .where(_ENTRIES.c.playlist_id == playlist)
            .order_by(_ENTRIES.c.position, _ENTRIES.c.number)
        ).all()
        one = (_VERSIONS.c.playlist_id == playlist) & (_VERSIONS.c.version == version)
        document = connection.scalar(sa.select(_VERSIONS.c.document).where(one))
        digests = {
            "draft_digest": _digest([name, [list(entry) for entry in entries]]) if entries or version else "",
            "published_digest": "" if document is None else _version_digest(json.loads(document)),
        }
        connection.execute(_PLAYLISTS.update().where(_PLAYLISTS.c.id == playlist).values(digests))


def _scene_digest(scene: Mapping[str, Any]) -> str:
    told = {name: value for name, value in scene.items() if name != "id" and _DEFAULTS.get(name) != value}
    told["schedules"] = [{name: value for name, value in one.items() if name != "id"} for one in scene["schedules"]]
    return _digest(told)


def _version_digest(document: Mapping[str, Any]) -> str:
    scenes = {scene["id"]: _scene_digest(scene) for scene in document["scenes"]}
    playlist: Mapping[str, Any] = document["playlist"]
    entries: Iterable[Mapping[str, Any]] = playlist["entries"]
    parts = [[one["sceneId"], one["durationSeconds"], one["schedule"], scenes[one["sceneId"]]] for one in entries]
    return _digest([playlist["name"], parts])


def _digest(document: object) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
