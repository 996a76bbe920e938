"""Points of sale whose links an upgrade to 0034 has lost; tables that have lost their numbering by 0034 and 0036.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None

_REBUILT = ("pos_connections", "overrides")


def upgrade() -> None:
    op.add_column("pos_connections", sa.Column("links_lost", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(
        sa.text(
            "UPDATE pos_connections SET links_lost = :yes WHERE location_id IS NULL AND last_sync IS NOT NULL "
            "AND id NOT IN (SELECT connection_id FROM pos_links)"
        ).bindparams(sa.bindparam("yes", value=True, type_=sa.Boolean()))
    )
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        return
    for table in _REBUILT:
        definition = connection.scalar(sa.text("SELECT sql FROM sqlite_master WHERE name = :table"), {"table": table})
        if "AUTOINCREMENT" not in definition:
            with op.batch_alter_table(table, recreate="always", table_kwargs={"sqlite_autoincrement": True}):
                """Rebuilt as it is, and numbered."""


def downgrade() -> None:
    op.drop_column("pos_connections", "links_lost")
