"""Settings of categories, beside the words of a workspace.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("words", sa.Column("categories", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("words", "categories")
