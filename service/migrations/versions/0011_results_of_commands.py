"""Results of commands, which stay for a while.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_FIVE_MINUTES = 5 * 60 * 1000


def upgrade() -> None:
    op.add_column("commands", sa.Column("created_at", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    op.add_column("commands", sa.Column("sent_at", sa.BigInteger(), nullable=True))
    op.add_column("commands", sa.Column("outcome", sa.String(length=200), nullable=True))
    op.add_column("commands", sa.Column("detail", sa.String(length=1000), nullable=True))
    op.add_column("commands", sa.Column("finished_at", sa.BigInteger(), nullable=True))
    op.execute(sa.text("UPDATE commands SET created_at = expires_at - :wait").bindparams(wait=_FIVE_MINUTES))
    op.create_index("ix_commands_created_at", "commands", ["created_at"])


def downgrade() -> None:
    # What is not pending was deleted before.
    op.execute("DELETE FROM commands WHERE sendings <= 0 OR finished_at IS NOT NULL")
    op.drop_index("ix_commands_created_at", "commands")
    for column in ("finished_at", "detail", "outcome", "sent_at", "created_at"):
        op.drop_column("commands", column)
