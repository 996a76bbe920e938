"""Alerts by e-mail: who is told, what they have been told, and the mails that are to be sent.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("kinds", sa.JSON(), nullable=False),
        sa.Column("offline_minutes", sa.Integer(), nullable=False),
        sa.Column("quiet", sa.JSON(), nullable=True),
        sa.Column("locations", sa.JSON(), nullable=True),
        sa.Column("mailed_at", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.String(length=300), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_alerts_workspace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_alerts"),
        sa.UniqueConstraint("id", name="uq_alerts_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_alerts_workspace_id", "alerts", ["workspace_id"])
    op.create_table(
        "troubles",
        sa.Column("alert_id", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("subject", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("noticed_at", sa.BigInteger(), nullable=False),
        sa.Column("told_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["alert_id"], ["alerts.id"], name="fk_troubles_alert_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("alert_id", "kind", "subject", name="pk_troubles"),
    )
    op.create_table(
        "mails",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("alert_id", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["alert_id"], ["alerts.id"], name="fk_mails_alert_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_mails"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_mails_alert_id", "mails", ["alert_id"])
    op.create_index("ix_mails_due_at", "mails", ["due_at"])


def downgrade() -> None:
    op.drop_table("mails")
    op.drop_table("troubles")
    op.drop_table("alerts")
