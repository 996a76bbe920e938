"""Names of those who act: keys, and members who are signed in at the desk."""

from collections.abc import Iterable

from sqlalchemy import select, union_all
from sqlalchemy.orm import Session

from service.services.access.access import Access
from service.storage.database import Database
from service.storage.tables.workspaces import KeyRow, MemberRow


class ActorService:
    """Names keys and members by the ids that resources have."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def names(self, access: Access, actors: Iterable[str | None]) -> dict[str, str]:
        """Names by id, of those that are there; none for a caller that is narrowed to locations."""
        if access.locations is not None:
            return {}
        with self._database.read() as session:
            found = {actor: name_of(session, actor) for actor in set(actors) if actor is not None}
        return {actor: name for actor, name in found.items() if name is not None}


def name_of(session: Session, actor: str) -> str | None:
    """The name of a key or a member by its id, which `Access.key` holds; None if it is gone."""
    names = (select(KeyRow.name).where(KeyRow.id == actor), select(MemberRow.name).where(MemberRow.id == actor))
    return session.scalar(union_all(*names))
