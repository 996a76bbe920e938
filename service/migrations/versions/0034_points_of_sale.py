"""SKUs of items; points of sale say how their feeds are written and what these decide; links outlive their items.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_NUMBERED = {"sqlite_autoincrement": True}
"""Not found by SQLAlchemy in the table that it rebuilds."""


def upgrade() -> None:
    op.add_column("items", sa.Column("sku", sa.String(100)))
    op.create_index("ix_items_workspace_id_sku", "items", ["workspace_id", "sku"], unique=True)
    op.add_column("pos_connections", sa.Column("encoding", sa.String(20)))
    op.add_column("pos_connections", sa.Column("columns", sa.JSON(), nullable=False, server_default=sa.text("'{}'")))
    with op.batch_alter_table("pos_connections", table_kwargs=_NUMBERED) as connections:
        connections.add_column(sa.Column("owns", sa.JSON()))
        connections.add_column(sa.Column("location_id", sa.String(40)))
        connections.create_foreign_key(
            "fk_pos_connections_location_id", "locations", ["location_id"], ["id"], ondelete="CASCADE"
        )
        connections.create_index("ix_pos_connections_location_id", ["location_id"])
    with op.batch_alter_table("pos_links") as links:
        links.drop_constraint("fk_pos_links_item_id", type_="foreignkey")
        links.add_column(sa.Column("picture", sa.JSON()))


def downgrade() -> None:
    op.execute("DELETE FROM pos_links WHERE item_id NOT IN (SELECT id FROM items)")
    with op.batch_alter_table("pos_links") as links:
        links.drop_column("picture")
        links.create_foreign_key("fk_pos_links_item_id", "items", ["item_id"], ["id"], ondelete="CASCADE")
    with op.batch_alter_table("pos_connections", table_kwargs=_NUMBERED) as connections:
        connections.drop_index("ix_pos_connections_location_id")
        connections.drop_constraint("fk_pos_connections_location_id", type_="foreignkey")
        connections.drop_column("location_id")
        connections.drop_column("owns")
    op.drop_column("pos_connections", "columns")
    op.drop_column("pos_connections", "encoding")
    op.drop_index("ix_items_workspace_id_sku", "items")
    op.drop_column("items", "sku")
