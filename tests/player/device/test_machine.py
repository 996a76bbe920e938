"""How much of a machine's description its identity is made from."""

from __future__ import annotations

from pathlib import Path

from player.device.machine import MAX_FACT_BYTES, MAX_INTERFACES, machine_identity


def network_card(root: Path, number: int, address: str) -> None:
    card = root / f"sys/class/net/eth{number:03}"
    (card / "device").mkdir(parents=True)
    (card / "address").write_text(address)
    (card / "addr_assign_type").write_text("0")


def test_as_many_network_cards_count_as_the_bound(tmp_path: Path) -> None:
    for number in range(MAX_INTERFACES):
        network_card(tmp_path, number, f"02:00:00:00:00:{number:02x}")
    before = machine_identity(root=tmp_path)
    network_card(tmp_path, MAX_INTERFACES, "02:00:00:00:00:ff")
    assert machine_identity(root=tmp_path) == before
    network_card(tmp_path, -1, "02:00:00:00:00:fe")
    assert machine_identity(root=tmp_path) != before


def test_a_serial_number_counts_up_to_its_bound(tmp_path: Path) -> None:
    serial = tmp_path / "proc/device-tree/serial-number"
    serial.parent.mkdir(parents=True)
    serial.write_text("1" * MAX_FACT_BYTES)
    before = machine_identity(root=tmp_path)
    serial.write_text("1" * (1000 * MAX_FACT_BYTES))
    assert machine_identity(root=tmp_path) == before
