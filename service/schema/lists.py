"""Lists and their pagination (specification, general conventions)."""

from typing import Generic, TypeVar

from service.schema.base import ResponseModel

T = TypeVar("T")

DEFAULT_LIMIT = 50
MAX_LIMIT = 100


class Pagination(ResponseModel):
    """The cursor of the next page, null at the end."""

    cursor: str | None
    has_more: bool


class Listing(ResponseModel, Generic[T]):
    """One page of resources, oldest first."""

    data: list[T]
    pagination: Pagination


def whole(data: list[T]) -> Listing[T]:
    """Makes a list that fits on one page."""
    return Listing(data=data, pagination=Pagination(cursor=None, has_more=False))
