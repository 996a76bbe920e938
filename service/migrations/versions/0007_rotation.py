"""How a location's panels hang.

A step names its own types: it has to stay as it is while the code moves on.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("locations", sa.Column("rotation", sa.Integer(), nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    op.drop_column("locations", "rotation")
