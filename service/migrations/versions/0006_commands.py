"""Pending commands of screens, and the time of a screen's last report."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("screens", sa.Column("reported_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "commands",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("screen_id", sa.String(length=40), nullable=False),
        sa.Column("type", sa.String(length=20), nullable=False),
        sa.Column("sendings", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["screen_id"], ["screens.id"], name="fk_commands_screen_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_commands"),
        sa.UniqueConstraint("id", name="uq_commands_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_commands_screen_id", "commands", ["screen_id"])
    op.create_index("ix_commands_expires_at", "commands", ["expires_at"])


def downgrade() -> None:
    op.drop_table("commands")
    op.drop_column("screens", "reported_at")
