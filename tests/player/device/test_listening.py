"""The program that has a port is named, whoever it is and whatever else listens."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from player.device.listening import MAX_TABLE_BYTES, Listener, listener_at
from tests.support.programs import free_port


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_program_that_listens_is_named(family: socket.AddressFamily) -> None:
    own = Listener(os.getpid(), Path("/proc/self/comm").read_text().strip())
    with socket.create_server(("", 0), family=family) as server:
        port = server.getsockname()[1]
        assert listener_at(port) == own
        with socket.create_connection(("127.0.0.1" if family is socket.AF_INET else "::1", port)) as client:
            assert listener_at(client.getsockname()[1]) is None, "it only talks"
    assert listener_at(free_port()) is None


def test_what_this_user_may_not_see_has_no_name(tmp_path: Path) -> None:
    _table(tmp_path, lines=1)
    (tmp_path / "77").mkdir()
    assert listener_at(8085, proc=tmp_path) is None
    (tmp_path / "77" / "fd").mkdir()
    (tmp_path / "77" / "fd" / "5").symlink_to("socket:[4711]")
    (tmp_path / "77" / "comm").write_text("nginx\n")
    assert listener_at(8085, proc=tmp_path) == Listener(77, "nginx")


@pytest.mark.goes_beyond("MAX_TABLE_BYTES")
def test_a_table_of_any_length_is_read_to_its_bound(tmp_path: Path) -> None:
    _table(tmp_path, lines=2 * MAX_TABLE_BYTES // 100)
    assert listener_at(8085, proc=tmp_path) is None


def _table(proc: Path, *, lines: int) -> None:
    """The last line is of port 8085."""
    (proc / "net").mkdir()
    row = "   0: 0100007F:{} 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 {} 1 0 0 0 0 0 0\n"
    rows = [row.format("0050", 1)] * (lines - 1) + [row.format("1F95", 4711)]
    (proc / "net" / "tcp").write_text("heading\n" + "".join(rows))
