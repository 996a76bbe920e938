"""A list that is filtered and paged: the chosen filter, and the addresses of its pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query

Cursor = Annotated[str | None, Query(max_length=200)]
"""The page of a list in the query of an address; None for the first."""


@dataclass(frozen=True, slots=True)
class Pages:
    """A page of a list. `chosen` has every field of the filter, empty where nothing is chosen."""

    path: str
    chosen: Mapping[str, str]
    cursor: str | None
    following: str | None
    """The cursor of the next page."""

    @property
    def is_filtered(self) -> bool:
        return any(self.chosen.values())

    @property
    def is_first(self) -> bool:
        return self.cursor is None

    @property
    def first(self) -> str:
        """Address of the first page."""
        return self._address({})

    @property
    def next(self) -> str | None:
        """Address of the next page; None at the end."""
        return None if self.following is None else self._address({"cursor": self.following})

    def _address(self, more: Mapping[str, str]) -> str:
        query = urlencode({**{name: value for name, value in self.chosen.items() if value}, **more})
        return f"{self.path}?{query}" if query else self.path
