"""The number of changes of a workspace's content, and an index of the items of a category.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

# As the code has it: INTEGER on SQLite.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("workspaces", sa.Column("content_number", _NUMBER, nullable=False, server_default=sa.text("0")))
    op.create_index("ix_items_workspace_id_category", "items", ["workspace_id", "category"])


def downgrade() -> None:
    op.drop_index("ix_items_workspace_id_category", "items")
    op.drop_column("workspaces", "content_number")
