"""The last picture and log of each screen.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "screen_uploads",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("screen_id", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("media_type", sa.String(length=100), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["screen_id"], ["screens.id"], name="fk_screen_uploads_screen_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_screen_uploads"),
        sa.UniqueConstraint("screen_id", "kind", name="uq_screen_uploads_screen_id_kind"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("screen_uploads")
