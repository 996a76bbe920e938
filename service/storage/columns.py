"""Column types that mean the same on every database engine."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from sqlalchemy import BigInteger, Dialect, Integer
from sqlalchemy.types import TypeDecorator

from service.core.prices import price_of, price_units

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
RowNumber = BigInteger().with_variant(Integer, "sqlite")


class InstantColumn(TypeDecorator[datetime]):
    """An aware UTC datetime as milliseconds since 1970: exact, sortable, without a zone to lose."""

    impl = BigInteger
    cache_ok = True

    @property
    def python_type(self) -> type[datetime]:
        return datetime

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - _EPOCH) // _MILLISECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + value * _MILLISECOND


class PriceColumn(TypeDecorator[Decimal]):
    """A price as whole ten-thousandths: exact, and sums in SQL stay exact (docs/adr/0010)."""

    impl = BigInteger
    cache_ok = True

    @property
    def python_type(self) -> type[Decimal]:
        return Decimal

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        return None if value is None else price_units(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> Decimal | None:
        return None if value is None else price_of(value)


def instants_of(stored: Iterable[int | None]) -> list[datetime | None]:
    return [None if value is None else _EPOCH + value * _MILLISECOND for value in stored]


def prices_of(stored: Iterable[int | None]) -> list[Decimal | None]:
    return [None if value is None else price_of(value) for value in stored]
