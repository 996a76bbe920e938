"""Secrets of webhooks are sealed from here on; an earlier version, which cannot open them, refuses the database.

The start seals those that are stored (`services.webhooks.sealed_secrets`): the key is not the database's.
"""

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The tables stay as they are."""


def downgrade() -> None:
    """The secrets stay sealed: rotate them."""
