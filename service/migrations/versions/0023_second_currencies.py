"""Second currencies of locations.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("locations", sa.Column("second_currency", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("locations", "second_currency")
