"""Records whose `repr` leaves out fields that are secret, or too long for a log."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct


class Redacted(Struct, frozen=True):
    """A record whose `repr` leaves out the fields in `redacted_fields`."""

    redacted_fields: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        shown = (name for name in self.__struct_fields__ if name not in self.redacted_fields)
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"
