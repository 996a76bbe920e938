"""Query parameters `limit` and `cursor` of every list."""

from typing import Annotated

from fastapi import Depends, Query

from service.schema.lists import DEFAULT_LIMIT, MAX_LIMIT
from service.storage.paging import PageRequest


async def page_request(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many at most.")] = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None, Query(max_length=200, description="`pagination.cursor` of the previous page.")
    ] = None,
) -> PageRequest:
    return PageRequest(limit=limit, cursor=cursor)


Paged = Annotated[PageRequest, Depends(page_request)]
