"""A player that does not answer, as the doctor finds it."""

from __future__ import annotations

from msgspec import Struct


class Unit(Struct, frozen=True, kw_only=True, rename="camel"):
    """Unit that starts the player, in systemd's words: `active`, `inactive`, `failed`, `activating`."""

    active: str = ""
    restarts: str = "0"
    status: str = ""

    @property
    def fails(self) -> bool:
        """Whether its program does not stay up."""
        return self.active in ("failed", "activating") or self.restarts not in ("0", "")


class Standstill(Struct, frozen=True, kw_only=True, rename="camel"):
    """Signs of a player that does not answer. `runs` is None where that cannot be seen, `hidden` is the directory if
    this user may not read it, and `unit` is None if the device has none. `broken` is the part of the program that
    cannot be loaded, `port_taken_by` another program that has the port of the page, as far as this user may see that.
    """

    runs: bool | None = False
    is_page_off: bool = False
    port: int = 0
    port_taken_by: str = ""
    is_paired: bool = True
    setting_faults: tuple[str, ...] = ()
    hidden: str = ""
    broken: str = ""
    unit: Unit | None = None
