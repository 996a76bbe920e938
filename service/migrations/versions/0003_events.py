"""Events and who hears of them.

A step names its own types: it has to stay as it is while the code moves on.
"""

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
