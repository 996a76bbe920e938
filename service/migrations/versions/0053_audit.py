"""Acts of people and keys.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=40), nullable=False),
        sa.Column("actor_name", sa.String(length=200), nullable=False),
        sa.Column("act", sa.String(length=20), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("subject_name", sa.String(length=200), nullable=True),
        sa.Column("subjects", sa.Integer(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_audit_workspace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_index("ix_audit_workspace_id_number", "audit", ["workspace_id", "number"])
    op.create_index("ix_audit_workspace_id_actor_number", "audit", ["workspace_id", "actor", "number"])
    op.create_index("ix_audit_workspace_id_subject_number", "audit", ["workspace_id", "subject", "number"])


def downgrade() -> None:
    op.drop_table("audit")
