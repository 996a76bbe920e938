"""Planned changes.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_NUMBERED = {"sqlite_autoincrement": True}
"""Not found by SQLAlchemy in the table that it rebuilds."""


def upgrade() -> None:
    op.create_table(
        "planned_changes",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("at", sa.String(length=26), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("locations", sa.JSON(), nullable=True),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("passed_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.Column("created_by", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_planned_changes_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_planned_changes"),
        sa.UniqueConstraint("id", name="uq_planned_changes_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_planned_changes_workspace_id", "planned_changes", ["workspace_id"])
    op.create_index("ix_planned_changes_workspace_id_done_at", "planned_changes", ["workspace_id", "done_at"])
    op.create_table(
        "planned_values",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("plan_id", sa.String(length=40), nullable=False),
        sa.Column("location_id", sa.String(length=40), nullable=True),
        sa.Column("group_id", sa.String(length=40), nullable=True),
        sa.Column("item_id", sa.String(length=40), nullable=False),
        sa.Column("given", sa.Text(), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [f"{name}_id"], [f"{table}.id"], name=f"fk_planned_values_{name}_id", ondelete="CASCADE"
            )
            for name, table in (
                ("plan", "planned_changes"),
                ("location", "locations"),
                ("group", "location_groups"),
                ("item", "items"),
            )
        ),
        sa.PrimaryKeyConstraint("number", name="pk_planned_values"),
        sqlite_autoincrement=True,
    )
    for name in ("plan_id", "location_id", "group_id", "item_id"):
        op.create_index(f"ix_planned_values_{name}", "planned_values", [name])
    with op.batch_alter_table("overrides", table_kwargs=_NUMBERED) as table:
        table.add_column(sa.Column("plan_id", sa.String(length=40), nullable=True))
        table.add_column(sa.Column("local_start", sa.String(length=26), nullable=True))
        table.add_column(sa.Column("local_end", sa.String(length=26), nullable=True))
        table.create_foreign_key("fk_overrides_plan_id", "planned_changes", ["plan_id"], ["id"], ondelete="CASCADE")
        table.create_index("ix_overrides_plan_id", ["plan_id"])


def downgrade() -> None:
    with op.batch_alter_table("overrides", table_kwargs=_NUMBERED) as table:
        table.drop_index("ix_overrides_plan_id")
        table.drop_constraint("fk_overrides_plan_id", type_="foreignkey")
        for name in ("plan_id", "local_start", "local_end"):
            table.drop_column(name)
    op.drop_table("planned_values")
    op.drop_table("planned_changes")
