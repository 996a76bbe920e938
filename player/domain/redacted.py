"""Owns records that are discreet in a log: what is secret, or too long to read, is left out of their `repr`."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct


class Redacted(Struct, frozen=True):
    """A record whose fields in `unsaid` its `repr` leaves out."""

    redacted_fields: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        """All the other fields."""
        said = (name for name in self.__struct_fields__ if name not in self.redacted_fields)
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in said)})"
