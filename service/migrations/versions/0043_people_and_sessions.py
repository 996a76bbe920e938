"""People who use the desk, their sessions, one-time links, and failed attempts to sign in.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0041"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=True),
        sa.Column("language", sa.String(length=35), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_people"),
        sa.UniqueConstraint("id", name="uq_people_id"),
        sa.UniqueConstraint("email", name="uq_people_email"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("address", sa.String(length=100), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_sessions_person_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["member_id"], ["members.id"], name="fk_sessions_member_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_sessions"),
        sa.UniqueConstraint("id", name="uq_sessions_id"),
        sa.UniqueConstraint("digest", name="uq_sessions_digest"),
        sqlite_autoincrement=True,
    )
    for column in ("person_id", "member_id", "created_at", "used_at"):
        op.create_index(f"ix_sessions_{column}", "sessions", [column])
    op.create_table(
        "sign_in_links",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("member_id", sa.String(length=40), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_sign_in_links_workspace_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["member_id"], ["members.id"], name="fk_sign_in_links_member_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_sign_in_links"),
        sa.UniqueConstraint("digest", name="uq_sign_in_links_digest"),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "member_id", "expires_at"):
        op.create_index(f"ix_sign_in_links_{column}", "sign_in_links", [column])
    op.create_table(
        "wrong_sign_ins",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("address", sa.String(length=100), nullable=False),
        sa.Column("email", sa.String(length=64), nullable=False),
        sa.Column("tried_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_wrong_sign_ins"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_wrong_sign_ins_address_tried_at", "wrong_sign_ins", ["address", "tried_at"])
    op.create_index("ix_wrong_sign_ins_email_tried_at", "wrong_sign_ins", ["email", "tried_at"])
    op.create_index("ix_wrong_sign_ins_tried_at", "wrong_sign_ins", ["tried_at"])


def downgrade() -> None:
    op.drop_table("wrong_sign_ins")
    op.drop_table("sign_in_links")
    op.drop_table("sessions")
    op.drop_table("people")
