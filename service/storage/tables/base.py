"""Base class and columns that all tables share: naming of constraints, types, row numbers."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import JSON, ForeignKey, MetaData, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from service.storage.columns import InstantColumn, PriceColumn, RowNumber

DIGEST_LENGTH = 64
ADDRESS_LENGTH = 100
"""Fits an IPv6 address with its zone."""

Json = dict[str, Any]


class Base(DeclarativeBase):
    """Shared settings. Constraint names follow a convention, so that migrations can refer to them on any engine."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it from the class)
        str: String(40),
        datetime: InstantColumn(),
        Decimal: PriceColumn(),
        Json: JSON(),
        list[str]: JSON(),
        list[Json]: JSON(),
    }


def row_number() -> Mapped[int]:
    """Makes the row number in order of creation, for paging. A number is never reused."""
    return mapped_column(RowNumber, primary_key=True, autoincrement=True)


def workspace_key() -> Mapped[str]:
    return mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)


NUMBERED = {"sqlite_autoincrement": True}
