"""Queries gauges from the database for each scrape, over all workspaces and processes."""

from collections import Counter

from sqlalchemy import Select, func, select

from service.schema.workspace.webhook import DeliveryStatus
from service.storage.database import Database
from service.storage.tables.screens import ScreenRow
from service.storage.tables.webhooks import DeliveryRow

MAX_CODES = 100
"""Codes of findings that are counted by name: a player of another release may have others."""

OTHER = "other"


class StoredGauges:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    def screens_online(self) -> int:
        """Counts the screens that are online as of the last sweep."""
        return self._count(select(func.count()).select_from(ScreenRow).where(ScreenRow.online))

    def deliveries_pending(self) -> int:
        return self._count(
            select(func.count()).select_from(DeliveryRow).where(DeliveryRow.status == DeliveryStatus.PENDING.value)
        )

    def findings(self, *, most: int = MAX_CODES) -> dict[str, float]:
        """Counts the online screens that report a finding, by its code; the rarest above `most` as `other`."""
        found: Counter[str] = Counter()
        query = (
            select(ScreenRow.finding_codes, func.count())
            .where(ScreenRow.online, ScreenRow.finding_codes.is_not(None))
            .group_by(ScreenRow.finding_codes)
        )
        with self._database.read() as session:
            for codes, screens in session.execute(query):
                found.update(dict.fromkeys((codes or "").split(), screens))
        named = found.most_common(most)
        others = found.total() - sum(screens for _, screens in named)
        return {code: float(screens) for code, screens in (*named, *([(OTHER, others)] if others else []))}

    def _count(self, query: Select[int]) -> int:
        with self._database.read() as session:
            return session.scalar(query) or 0
