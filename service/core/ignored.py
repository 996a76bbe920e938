"""Collects the fields of a body that the service does not know, so that the response can name them."""

from collections.abc import Collection, Iterator
from contextvars import ContextVar
from typing import Any

from service.core.errors import pointer_part


class IgnoredFields:
    """Fields of one body that no document of the API has."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._known: dict[int, set[str]] = {}
        """The known fields of each object, which is named by its identity; those of all models that were tried."""

    def note(self, value: dict[str, Any], known: Collection[str]) -> None:
        """Records that a model reads only these fields of the object."""
        if not value.keys() <= set(known):
            self._known.setdefault(id(value), set()).update(known)

    def pointers(self) -> Iterator[str]:
        """Yields pointers (RFC 6901) to the ignored fields, in the order of the body."""
        left: list[tuple[str, Any]] = [("", self._document)] if self._known else []
        while left:
            at, value = left.pop()
            if isinstance(value, list):
                left.extend((f"{at}/{index}", one) for index, one in reversed(list(enumerate(value))))
            elif isinstance(value, dict):
                known = self._known.get(id(value), value.keys())
                named = [(name, f"{at}/{pointer_part(name)}", below) for name, below in value.items()]
                yield from (pointer for name, pointer, _ in named if name not in known)
                left.extend((pointer, below) for name, pointer, below in reversed(named) if name in known)


ignored_fields: ContextVar[IgnoredFields | None] = ContextVar("ignored_fields", default=None)
"""The ignored fields of the body that is being answered, if it was read."""
