"""Derives an identity of this machine from what distinguishes it from others; the same at each start."""

from __future__ import annotations

import hashlib
from pathlib import Path

from player.device.kernel_files import kernel_text
from player.domain.pairing.hardware import Hardware, board_number

MAX_INTERFACES = 16

_PERMANENT_ADDRESS = "0"
"""A value of `addr_assign_type`: the address is the hardware's, not chosen at random."""


def machine_identity(*, root: Path = Path("/")) -> str | None:
    """Returns 32 hex digits; None if the machine has nothing that distinguishes it from others.

    The system's own id is not enough where cards are copies of one another, nor are addresses where a network adapter
    is replaced: a board's serial number, or else both together.
    """
    facts = [kernel_text(root / "proc/device-tree/serial-number")]
    if not facts[0]:
        facts = [kernel_text(root / "etc/machine-id"), *_addresses(root / "sys/class/net")]
    if not any(facts):
        return None
    return hashlib.sha256("\n".join(("menu-player", *facts)).encode()).hexdigest()[:32]


def read_hardware(*, root: Path = Path("/")) -> Hardware:
    """Returns the identity of this machine; its user may read the UUID by `packaging/debian/menu-player.tmpfiles`."""
    boards = ("proc/device-tree/serial-number", "sys/class/dmi/id/product_uuid")
    return Hardware(
        board=next(filter(None, (board_number(kernel_text(root / path)) for path in boards)), ""),
        system=kernel_text(root / "etc/machine-id"),
        addresses=tuple(_addresses(root / "sys/class/net")),
    )


def _addresses(interfaces: Path) -> list[str]:
    """Returns the hardware addresses of the machine's network interfaces; those that programs make have no device."""
    try:
        found = sorted(interfaces.iterdir())[:MAX_INTERFACES]
    except OSError:
        return []
    return sorted(
        kernel_text(each / "address")
        for each in found
        if (each / "device").exists() and kernel_text(each / "addr_assign_type") == _PERMANENT_ADDRESS
    )
