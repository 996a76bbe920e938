"""Notation of amounts and allergens at a place: its currency, its language, and the shop's codes."""

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.amounts import Notation, notation_of
from service.storage.tables.workspaces import LocationRow, WorkspaceRow


def notation_at(session: Session, workspace: str, location: str | None = None, *, language: str = "") -> Notation:
    """Returns the notation of a location for a writer of this language; without a location that of the oldest one,
    whose currency and language stand for the workspace's."""
    query = select(LocationRow.currency, LocationRow.locale).where(LocationRow.workspace_id == workspace)
    if location is not None:
        query = query.where(LocationRow.id == location)
    found = session.execute(query.order_by(LocationRow.number).limit(1)).first()
    if found is None:
        notation = Notation(locales=(language,) if language else ())
    else:
        notation = notation_of(found.currency, found.locale, language=language)
    stored = session.scalar(select(WorkspaceRow.import_settings).where(WorkspaceRow.id == workspace)) or {}
    return replace(notation, legend=tuple(stored.get("legend", {}).items()))
