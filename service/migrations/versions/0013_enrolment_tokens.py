"""Tokens by which devices become screens without a code.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "enrolment_tokens",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("location_id", sa.String(length=40), nullable=False),
        sa.Column("playlist_id", sa.String(length=40), nullable=False),
        sa.Column("screens", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_enrolment_tokens"),
        sa.UniqueConstraint("id", name="uq_enrolment_tokens_id"),
        sa.UniqueConstraint("digest", name="uq_enrolment_tokens_digest"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_enrolment_tokens_workspace_id_workspaces", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["location_id"], ["locations.id"], name="fk_enrolment_tokens_location_id_locations", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["playlist_id"], ["playlists.id"], name="fk_enrolment_tokens_playlist_id_playlists", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "location_id", "playlist_id"):
        op.create_index(f"ix_enrolment_tokens_{column}", "enrolment_tokens", [column])


def downgrade() -> None:
    op.drop_table("enrolment_tokens")
