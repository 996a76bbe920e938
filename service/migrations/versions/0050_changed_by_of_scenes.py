"""The key or member that last changed a scene.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("scenes", sa.Column("changed_by", sa.String(length=40), nullable=True))


def downgrade() -> None:
    op.drop_column("scenes", "changed_by")
