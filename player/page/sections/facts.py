"""Facts from which the page is made: the snapshot, and those that only a reader of the page needs; plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from menu.documents.manifest import Item
from menu.text.phrase import Phrase
from player.domain.machine import Machine
from player.domain.playing.holdings import Holding
from player.domain.playing.timetable import Timetable
from player.domain.state import PlayerState
from player.recent_log import LogLine


class Facts(Struct, frozen=True, kw_only=True):
    """Facts of one look. `monotonic` is the time by which a pairing code expires. `csrf` goes with every one of the
    `actions`, which are those that the player knows; without it there are none."""

    state: PlayerState
    monotonic: float = 0.0
    timetable: Timetable | None = None
    items: Sequence[Item] = ()
    holdings: Sequence[Holding] = ()
    machine: Machine = field(default_factory=Machine)
    log: Sequence[LogLine] = ()
    csrf: str = ""
    actions: frozenset[str] = frozenset()
    unknown: Mapping[str, Phrase] = field(default_factory=dict)
    """Sections of which nothing can be known, and why: the same is said there."""
    signed_in: bool = False
    """With the PIN, and not because the browser is on the device itself."""
