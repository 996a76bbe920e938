"""Screens that wait until somebody confirms them, and tokens that make such screens.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("enrolment_tokens", sa.Column("confirm", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("screens", sa.Column("waiting", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("screens", "waiting")
    op.drop_column("enrolment_tokens", "confirm")
