"""The way in which amounts are written at a place: its currency and its language."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.amounts import Notation, notation_of
from service.storage.tables.workspaces import LocationRow


def notation_at(session: Session, workspace: str, location: str | None = None, *, language: str = "") -> Notation:
    """The notation of a location, as somebody with this language writes it; without a location that of the oldest one,
    whose currency and language stand for the workspace's."""
    query = select(LocationRow.currency, LocationRow.locale).where(LocationRow.workspace_id == workspace)
    if location is not None:
        query = query.where(LocationRow.id == location)
    found = session.execute(query.order_by(LocationRow.number).limit(1)).first()
    if found is None:
        return Notation(locales=(language,) if language else ())
    return notation_of(found.currency, found.locale, language=language)
