"""Translations of items, and of the words that items and scenes share.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("items", sa.Column("translations", sa.JSON(), nullable=False, server_default=sa.text("'{}'")))
    op.add_column("items", sa.Column("named_in", sa.String(length=400), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "words",
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_words_workspace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("workspace_id", name="pk_words"),
    )


def downgrade() -> None:
    op.drop_table("words")
    op.drop_column("items", "named_in")
    op.drop_column("items", "translations")
