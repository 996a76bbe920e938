"""Names of actors: keys, and members who are signed in at the desk."""

from collections.abc import Iterable

from service.services.access.access import Access
from service.storage.audit import name_of
from service.storage.database import Database


class ActorService:
    """Names keys and members by the ids that resources have."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def names(self, access: Access, actors: Iterable[str | None]) -> dict[str, str]:
        """Returns names by id, of those that are there; none for a caller that is narrowed to locations."""
        if access.locations is not None:
            return {}
        with self._database.read() as session:
            found = {actor: name_of(session, actor) for actor in set(actors) if actor is not None}
        return {actor: name for actor, name in found.items() if name is not None}
