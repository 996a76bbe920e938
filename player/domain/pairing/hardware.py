"""Decides whether a state directory comes from another machine, by identifying values; pure.

A value that identifies the board decides alone. Without one on both sides, another system and other network adapters
decide together: either alone changes where a system is reinstalled or an adapter is replaced.
"""

from __future__ import annotations

from msgspec import Struct

_NOT_A_NUMBER = frozenset({"0123456789abcdef", "123456789", "03000200040005000006000700080009"})
"""Numbers that makers leave on every board."""
_LEAST_LENGTH = 8
_LEAST_VARIETY = 3


class Hardware(Struct, frozen=True, kw_only=True):
    """Identity of a machine; empty where it is not known."""

    board: str = ""
    """The serial number or UUID of the board."""
    system: str = ""
    """The installed system's own id."""
    addresses: tuple[str, ...] = ()
    """Addresses of the network adapters."""

    def is_other_than(self, recorded: Hardware) -> bool:
        """Whether this is certainly another machine than the recorded one."""
        if self.board and recorded.board:
            return self.board != recorded.board
        other_system = bool(self.system and recorded.system) and self.system != recorded.system
        both = bool(self.addresses and recorded.addresses)
        return other_system and both and not set(self.addresses) & set(recorded.addresses)

    def over(self, recorded: Hardware) -> Hardware:
        """Fills unknown values from the record."""
        return Hardware(
            board=self.board or recorded.board,
            system=self.system or recorded.system,
            addresses=self.addresses or recorded.addresses,
        )


def board_number(text: str) -> str:
    """Normalises the number of a board for comparison; empty for an invalid one, or that of many boards."""
    number = text.replace("-", "").lower()
    is_number = len(number) >= _LEAST_LENGTH and set(number) <= set("0123456789abcdef")
    return number if is_number and len(set(number)) >= _LEAST_VARIETY and number not in _NOT_A_NUMBER else ""
