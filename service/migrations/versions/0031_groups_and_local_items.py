"""Groups of locations, and local values of items.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _reference(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "location_groups",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("precedence", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _reference("location_groups", "workspace_id", "workspaces"),
        sa.PrimaryKeyConstraint("number", name="pk_location_groups"),
        sa.UniqueConstraint("id", name="uq_location_groups_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_location_groups_workspace_id", "location_groups", ["workspace_id"])
    op.create_table(
        "group_locations",
        sa.Column("group_id", sa.String(length=40), nullable=False),
        sa.Column("location_id", sa.String(length=40), nullable=False),
        _reference("group_locations", "group_id", "location_groups"),
        _reference("group_locations", "location_id", "locations"),
        sa.PrimaryKeyConstraint("group_id", "location_id", name="pk_group_locations"),
    )
    op.create_index("ix_group_locations_location_id", "group_locations", ["location_id"])
    op.create_table(
        "local_items",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("location_id", sa.String(length=40), nullable=True),
        sa.Column("group_id", sa.String(length=40), nullable=True),
        sa.Column("item_id", sa.String(length=40), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=True),
        sa.Column("regular_price", sa.BigInteger(), nullable=True),
        sa.Column("modifiers", sa.JSON(), nullable=False),
        sa.Column("variants", sa.JSON(), nullable=False),
        sa.Column("eighty_sixed", sa.Boolean(), nullable=True),
        sa.Column("eighty_sixed_until", sa.BigInteger(), nullable=True),
        sa.Column("hidden", sa.Boolean(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        _reference("local_items", "location_id", "locations"),
        _reference("local_items", "group_id", "location_groups"),
        _reference("local_items", "item_id", "items"),
        sa.PrimaryKeyConstraint("number", name="pk_local_items"),
        sa.UniqueConstraint("location_id", "item_id", name="uq_local_items_location_id_item_id"),
        sa.UniqueConstraint("group_id", "item_id", name="uq_local_items_group_id_item_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_local_items_item_id", "local_items", ["item_id"])
    op.create_index("ix_local_items_eighty_sixed_until", "local_items", ["eighty_sixed_until"])


def downgrade() -> None:
    op.drop_table("local_items")
    op.drop_table("group_locations")
    op.drop_table("location_groups")
