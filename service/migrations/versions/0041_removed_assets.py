"""Assets that no workspace has any more, until their files are removed.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "removed_assets",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_removed_assets"),
    )
    op.create_index("ix_removed_assets_removed_at", "removed_assets", ["removed_at"])


def downgrade() -> None:
    op.drop_table("removed_assets")
