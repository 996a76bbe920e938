"""Second factors of people, and whether a workspace needs them.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("workspaces", sa.Column("second_factor", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "second_factors",
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("secret", sa.String(length=200), nullable=False),
        sa.Column("used_step", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_second_factors_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", name="pk_second_factors"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_recovery_codes_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name="pk_recovery_codes"),
    )
    op.create_index("ix_recovery_codes_person_id", "recovery_codes", ["person_id"])
    op.create_table(
        "pending_sign_ins",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_pending_sign_ins_person_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name="fk_pending_sign_ins_member_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_pending_sign_ins"),
        sa.UniqueConstraint("digest", name="uq_pending_sign_ins_digest"),
        sqlite_autoincrement=True,
    )
    for column in ("person_id", "member_id", "expires_at"):
        op.create_index(f"ix_pending_sign_ins_{column}", "pending_sign_ins", [column])


def downgrade() -> None:
    op.drop_table("pending_sign_ins")
    op.drop_table("recovery_codes")
    op.drop_table("second_factors")
    op.drop_column("workspaces", "second_factor")
