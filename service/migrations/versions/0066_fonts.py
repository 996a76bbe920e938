"""The facts of fonts among the assets."""

import sqlalchemy as sa
from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assets", sa.Column("font", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("assets", "font")
