"""The codes of the findings that a screen reports.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("screens", sa.Column("finding_codes", sa.String(length=500), nullable=True))


def downgrade() -> None:
    op.drop_column("screens", "finding_codes")
