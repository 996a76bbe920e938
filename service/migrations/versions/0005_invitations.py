"""Ended invitations, and failed attempts at invitation tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "ended_invites",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("ending", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_ended_invites_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_ended_invites"),
        sa.UniqueConstraint("digest", name="uq_ended_invites_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ended_invites_workspace_id", "ended_invites", ["workspace_id"])
    op.create_table(
        "wrong_tokens",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("address", sa.String(length=100), nullable=False),
        sa.Column("tried_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_wrong_tokens"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_wrong_tokens_address_tried_at", "wrong_tokens", ["address", "tried_at"])
    op.create_index("ix_wrong_tokens_tried_at", "wrong_tokens", ["tried_at"])


def downgrade() -> None:
    op.drop_table("wrong_tokens")
    op.drop_table("ended_invites")
