"""Purposes of links that sign in.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "sign_in_links", sa.Column("purpose", sa.String(length=20), nullable=False, server_default=sa.text("'sign_in'"))
    )


def downgrade() -> None:
    op.drop_column("sign_in_links", "purpose")
