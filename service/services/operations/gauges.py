"""Gauges that are queried from the database for each scrape, over all workspaces and processes."""

from sqlalchemy import Select, func, select

from service.schema.webhook import DeliveryStatus
from service.storage.database import Database
from service.storage.tables import DeliveryRow, ScreenRow


class StoredGauges:
    """Gauges that count rows."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def screens_online(self) -> int:
        """Screens that are online as of the last sweep."""
        return self._count(select(func.count()).select_from(ScreenRow).where(ScreenRow.online))

    def deliveries_pending(self) -> int:
        """Deliveries to webhooks that are pending."""
        return self._count(
            select(func.count()).select_from(DeliveryRow).where(DeliveryRow.status == DeliveryStatus.PENDING.value)
        )

    def _count(self, query: Select[tuple[int]]) -> int:
        with self._database.read() as session:
            return session.scalar(query) or 0
