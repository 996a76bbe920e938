"""The playlist that a screen gets as soon as it is published."""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("screens", sa.Column("next_playlist_id", sa.String(length=40), nullable=True))
    op.create_index("ix_screens_next_playlist_id", "screens", ["next_playlist_id"])


def downgrade() -> None:
    op.drop_index("ix_screens_next_playlist_id", "screens")
    op.drop_column("screens", "next_playlist_id")
