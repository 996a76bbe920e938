"""Users of the desk: their passwords, sessions, one-time links and failed attempts to sign in."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import ADDRESS_LENGTH, DIGEST_LENGTH, NUMBERED, Base, row_number

AGENT_LENGTH = 200


class PersonRow(Base):
    """A user. Their workspaces are those of the members with the same e-mail address."""

    __tablename__ = "people"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    password: Mapped[str | None] = mapped_column(String(200))
    """The argon2id hash; null until the person has chosen one."""
    language: Mapped[str | None] = mapped_column(String(35))
    """The language of the desk; null is the browser's."""
    created_at: Mapped[datetime]


class SecondFactorRow(Base):
    """Second factor of a user: a key of time-based one-time codes (RFC 6238)."""

    __tablename__ = "second_factors"
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    secret: Mapped[str] = mapped_column(String(200))
    """Sealed (`services.webhooks.sealed_secrets`)."""
    used_step: Mapped[int] = mapped_column(BigInteger)
    """The time step of the newest code that was accepted: neither it nor an older one is accepted again."""
    confirmed_at: Mapped[datetime | None]
    """When the person has shown a code; until then nothing asks for one."""


class RecoveryCodeRow(Base):
    """A code that replaces a time-based one, once."""

    __tablename__ = "recovery_codes"
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), primary_key=True)
    """The digest of person and code."""
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)


class PendingSignInRow(Base):
    """A user who has passed the first of two factors. Not a session: it opens only the page of the second."""

    __tablename__ = "pending_sign_ins"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    member_id: Mapped[str] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class SessionRow(Base):
    """A session of a user at the desk, as a member of one workspace. It ends with the member."""

    __tablename__ = "sessions"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    """The digest of the token in the cookie."""
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    member_id: Mapped[str] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)
    address: Mapped[str] = mapped_column(String(ADDRESS_LENGTH))
    agent: Mapped[str] = mapped_column(String(AGENT_LENGTH))
    """The browser, as it names itself."""
    created_at: Mapped[datetime] = mapped_column(index=True)
    used_at: Mapped[datetime] = mapped_column(index=True)


class SignInLinkRow(Base):
    """A single-use link: it sets up the first owner of a workspace, or signs a member in."""

    __tablename__ = "sign_in_links"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)
    member_id: Mapped[str | None] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)
    """The member to sign in; null is the first owner, who is still to come."""
    purpose: Mapped[str] = mapped_column(String(20), default="sign_in", server_default=text("'sign_in'"))
    """The only thing that it does."""
    expires_at: Mapped[datetime] = mapped_column(index=True)


class WrongSignInRow(Base):
    """A failed attempt to sign in: counted to stop guessing, deleted soon."""

    __tablename__ = "wrong_sign_ins"
    __table_args__ = (
        Index("ix_wrong_sign_ins_address_tried_at", "address", "tried_at"),
        Index("ix_wrong_sign_ins_email_tried_at", "email", "tried_at"),
        NUMBERED,
    )
    number: Mapped[int] = row_number()
    address: Mapped[str] = mapped_column(String(ADDRESS_LENGTH))
    email: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    """The digest of the e-mail address that was tried."""
    tried_at: Mapped[datetime] = mapped_column(index=True)
