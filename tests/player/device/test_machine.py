"""The parts of a machine's description from which its identity is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from player.device.kernel_files import MAX_FACT_BYTES
from player.device.machine import MAX_INTERFACES, machine_identity, read_hardware
from player.domain.pairing.hardware import Hardware


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


@pytest.mark.parametrize(
    ("serial", "uuid", "board"),
    [
        ("10000000a1b2c3d4\0", "", "10000000a1b2c3d4"),
        ("", "4C4C4544-0042-3510-8052-B4C04F4A4E32\n", "4c4c4544004235108052b4c04f4a4e32"),
        ("0000000000000000", "00000000-0000-0000-0000-000000000000", ""),
        ("To be filled by O.E.M.", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", ""),
        ("Default string", "03000200-0400-0500-0006-000700080009", ""),
        ("0123456789ABCDEF", "None", ""),
        ("", "", ""),
    ],
)
def test_a_board_is_told_by_its_number_unless_its_maker_left_none(
    tmp_path: Path, serial: str, uuid: str, board: str
) -> None:
    for name, text in (("proc/device-tree/serial-number", serial), ("sys/class/dmi/id/product_uuid", uuid)):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    assert read_hardware(root=tmp_path) == Hardware(board=board)


def test_a_machine_is_told_by_its_system_and_its_network_adapters(tmp_path: Path) -> None:
    network_card(tmp_path, 0, "02:00:00:00:00:01")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/machine-id").write_text("ab" * 16 + "\n")
    assert read_hardware(root=tmp_path) == Hardware(system="ab" * 16, addresses=("02:00:00:00:00:01",))


PI = Hardware(board="10000000a1b2c3d4", system="a", addresses=("1",))
PC = Hardware(system="a", addresses=("1", "2"))


@pytest.mark.proves("card-copied-moved")
@pytest.mark.parametrize(
    ("before", "now", "other"),
    [
        pytest.param(PI, Hardware(board="10000000e5f60718", system="a", addresses=("1",)), True, id="another board"),
        pytest.param(PI, Hardware(board=PI.board, system="b", addresses=("9",)), False, id="all else is new"),
        pytest.param(PI, Hardware(system="a", addresses=("9",)), False, id="the board cannot be read"),
        pytest.param(PC, Hardware(board="10000000a1b2c3d4", system="a"), False, id="the board could not be read"),
        pytest.param(PC, Hardware(system="a", addresses=("9",)), False, id="an adapter is replaced"),
        pytest.param(PC, Hardware(system="b", addresses=("1", "2")), False, id="the system is installed anew"),
        pytest.param(PC, Hardware(system="b", addresses=("2", "9")), False, id="one of two adapters is replaced, too"),
        pytest.param(PC, Hardware(system="b", addresses=("9",)), True, id="another system with other adapters"),
        pytest.param(PC, Hardware(system="b"), False, id="another system, adapters that come late"),
        pytest.param(PC, Hardware(addresses=("9",)), False, id="a container"),
        pytest.param(Hardware(), PI, False, id="nothing is recorded"),
        pytest.param(PI, Hardware(), False, id="nothing is known"),
    ],
)
def test_a_machine_is_another_one_only_where_that_is_sure(before: Hardware, now: Hardware, other: bool) -> None:
    assert now.is_other_than(before) is other
