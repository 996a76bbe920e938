"""The form of the fault table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.diagnosis.rig import Rig

Injection = Callable[["Rig"], AbstractContextManager[None]]
"""Entering it injects the fault, leaving it mends the fault."""


WITHIN_SECONDS = 20.0
"""In which a technician learns what is wrong."""


MEND_SECONDS = 60.0
"""In which a board is well again."""


class Way(Enum):
    """The settings of a rig's player, and its state before the fault."""

    SECURE = "https"
    PLAIN = "plain http"
    PROXY = "https, by a proxy"
    UNPAIRED = "https, not paired yet"
    DISK = "https, with a disk of its own (tests/diagnosis/bad_disk.py), which only root can have"


@dataclass(frozen=True, init=False)
class Fault:
    """A fault, or a healthy state where no code is right. `codes` are those of the findings that are right as the first
    one; a healthy state may have `notes`. `spoils` says that no other fault can be injected into the rig after it;
    `quick`, that it is in the ordinary suite; `passes`, that the board restarts for it soon after it has told of it, so
    that what is told later is not looked at. The first finding has to be there `within` seconds, and the
    board to be well `mended` seconds after the fault."""

    name: str
    inject: Injection
    codes: frozenset[str]
    way: Way
    notes: frozenset[str]
    spoils: bool
    quick: bool
    passes: bool
    within: float
    mended: float

    def __init__(
        self,
        name: str,
        inject: Injection,
        *codes: str,
        way: Way = Way.SECURE,
        notes: tuple[str, ...] = (),
        spoils: bool = False,
        quick: bool = False,
        passes: bool = False,
        within: float = WITHIN_SECONDS,
        mended: float = MEND_SECONDS,
    ) -> None:
        values = (name, inject, frozenset(codes), way, frozenset(notes), spoils, quick, passes, within, mended)
        for field, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, field.name, value)

    @property
    def healthy(self) -> bool:
        return not self.codes
