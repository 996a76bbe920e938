"""Names of those who act: keys, and members who are signed in at the desk."""

from sqlalchemy import select, union_all
from sqlalchemy.orm import Session

from service.storage.tables.workspaces import KeyRow, MemberRow


def name_of(session: Session, actor: str) -> str | None:
    """The name of a key or a member by its id, which `Access.key` holds; None if it is gone."""
    names = (select(KeyRow.name).where(KeyRow.id == actor), select(MemberRow.name).where(MemberRow.id == actor))
    return session.scalar(union_all(*names))
