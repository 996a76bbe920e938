"""The journal of the images: in memory while the machine runs."""

from __future__ import annotations

from pathlib import Path

from tests.kiosk.machine import CHECKOUT, Machine

SETTINGS = CHECKOUT / "packaging/image/files"
WORDS = "the last words before the shutdown"


def test_a_shutdown_writes_the_journal_to_the_disk(installed: Path) -> None:
    machine = Machine(installed)
    for file in (SETTINGS / "etc/systemd").rglob("*.*"):
        if file.is_file():
            machine.add(str(file.relative_to(SETTINGS)), file.read_text())
    machine.without("menu-player", "menu-service")
    on_disk = machine.folder / "upper/var/log/journal"
    try:
        machine.boot()
        machine.sh(f"echo '{WORDS}' | systemd-cat")
        assert WORDS in machine.sh("journalctl --no-pager")
        assert not list(on_disk.rglob("*.journal"))
        machine.shut_down()
        assert any(WORDS.encode() in file.read_bytes() for file in on_disk.rglob("*.journal"))
    finally:
        machine.throw_away()
