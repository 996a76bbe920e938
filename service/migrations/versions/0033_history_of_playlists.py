"""Who published a version, what it changed and which one it restores; digests of scenes and versions.

A migration defines its own types: it must not change with the code.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0031"
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
_VERSIONS = sa.table(
    "publications", sa.column("playlist_id"), sa.column("version"), sa.column("document"), sa.column("digest")
)


def upgrade() -> None:
    op.add_column("scenes", sa.Column("digest", sa.String(64), nullable=False, server_default=sa.text("''")))
    op.add_column("publications", sa.Column("digest", sa.String(64), nullable=False, server_default=sa.text("''")))
    op.add_column("publications", sa.Column("published_by", sa.String(40)))
    op.add_column("publications", sa.Column("publisher_name", sa.String(200)))
    op.add_column("publications", sa.Column("restores", sa.Integer()))
    op.add_column("publications", sa.Column("changes", sa.JSON()))
    op.add_column("approvals", sa.Column("restores", sa.Integer()))
    connection = op.get_bind()
    # The names first, then one row at a time: a version has up to 4 MiB.
    for scene in connection.scalars(sa.select(_SCENES.c.id)).all():
        document = connection.scalars(sa.select(_SCENES.c.document).where(_SCENES.c.id == scene)).one()
        ordered = sa.select(_SCHEDULES.c.document).where(_SCHEDULES.c.scene_id == scene).order_by(_SCHEDULES.c.number)
        schedules = connection.scalars(ordered).all()
        digest = _scene_digest(document | {"schedules": schedules})
        connection.execute(_SCENES.update().where(_SCENES.c.id == scene).values(digest=digest))
    for playlist, version in connection.execute(sa.select(_VERSIONS.c.playlist_id, _VERSIONS.c.version)).all():
        one = (_VERSIONS.c.playlist_id == playlist) & (_VERSIONS.c.version == version)
        document = json.loads(connection.scalar(sa.select(_VERSIONS.c.document).where(one)) or "")
        connection.execute(_VERSIONS.update().where(one).values(digest=_version_digest(document)))


def downgrade() -> None:
    op.drop_column("approvals", "restores")
    for column in ("changes", "restores", "publisher_name", "published_by", "digest"):
        op.drop_column("publications", column)
    op.drop_column("scenes", "digest")


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
