"""What the doctor knows of a player that it cannot ask."""

from __future__ import annotations

from msgspec import Struct


class Unit(Struct, frozen=True, kw_only=True):
    """The unit that starts the player, in systemd's words: `active`, `inactive`, `failed`, `activating`."""

    active: str = ""
    restarts: str = "0"
    status: str = ""

    @property
    def fails(self) -> bool:
        """Whether what it starts does not stay up."""
        return self.active in ("failed", "activating") or self.restarts not in ("0", "")


class Standstill(Struct, frozen=True, kw_only=True):
    """Why the player does not answer. `runs` is None where that cannot be seen, `hidden` are the places that whoever
    looks may not read, and `unit` is None if the device has none."""

    runs: bool | None = False
    other_holder: str = ""
    """The program that holds the player's directory and is not this player."""
    answers: bool = False
    """Whether another program answers at the page's port."""
    at_port: str = ""
    """Which one; empty if that is not known."""
    port: int = 0
    is_page_off: bool = False
    is_paired: bool = True
    setting_faults: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    """Programs that the player needs and that cannot be found."""
    hidden: tuple[str, ...] = ()
    unit: Unit | None = None
    display_gone: str = ""
    """The display that the player is to draw on, if it takes no connections."""
    has_session: bool = True
    """Whether there is something to draw on."""
