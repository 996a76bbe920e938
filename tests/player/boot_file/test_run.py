"""One boot after another, with real files below a folder: what a boot file does to the machine, and when."""

from __future__ import annotations

import os
import stat
import subprocess
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from menu.text.phrase import in_language, phrase
from player.boot_file.document import TAKEN_OVER
from player.boot_file.note import read_note, write_note
from player.boot_file.run import TAKEN, read_and_tell, read_once
from player.boot_file.used_token import REQUEST, delete_used_token
from player.device.board_file import BoardFile
from player.domain.pairing.boot_file import BOOT_FILE_NETWORK, BootFileNote, unpacked
from player.domain.state import PairingFacts, PairingPhase, PlayerState
from player.settings import SettingsError, read_settings
from tests.player.boot_file.test_document import SECRETS, WHOLE
from tests.player.domain.findings.states import playing
from tests.support.authority import Authority

SETTINGS = "etc/menu-player/config.d/boot.toml"
WIFI = "etc/NetworkManager/system-connections/menu-player-wifi.nmconnection"
CABLE = "etc/NetworkManager/system-connections/menu-player-cable.nmconnection"


class Machine:
    """A folder that is taken for a machine. Each boot returns what is noted."""

    def __init__(self, root: Path, boot: str = "boot/firmware") -> None:
        self.root = root
        self.boot_folder = root / boot
        self.commands: list[Sequence[str]] = []
        for folder in (boot, "etc", "usr/sbin", "dev", "var/lib"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "usr/sbin/NetworkManager").touch()
        (root / "dev/rfkill").touch()

    @property
    def boot_file(self) -> Path:
        return self.boot_folder / "menu-player.toml"

    def boots_with(self, text: str) -> tuple[str, ...]:
        self.boot_file.write_bytes(text.encode())
        return self.boots()

    def boots(self) -> tuple[str, ...]:
        return tuple(str(fault) for fault in self.note().faults)

    def note(self) -> BootFileNote:
        return read_once(self.root, run=self.commands.append)

    def text(self, path: str) -> str:
        return (self.root / path).read_text()

    def everything(self) -> dict[str, bytes]:
        """All files of the machine but those that say which file is in effect."""
        found = (path for path in self.root.rglob("*") if path.is_file() and "boot" not in path.parts)
        return {str(path): path.read_bytes() for path in found if path.name != "taken"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_all_of_a_file_is_in_effect_and_its_secrets_are_gone_from_the_boot_partition(machine: Machine) -> None:
    assert machine.boots_with(WHOLE) == ()
    assert tomllib.loads(machine.text(SETTINGS))["service"] == "https://menus.example.com"
    assert stat.S_IMODE((machine.root / SETTINGS).stat().st_mode) == 0o640
    assert stat.S_IMODE((machine.root / WIFI).stat().st_mode) == 0o600
    assert machine.text("etc/modprobe.d/menu-player-wifi.conf") == "options cfg80211 ieee80211_regdom=GB\n"
    assert machine.commands == [["iw", "reg", "set", "GB"]]
    assert (machine.root / "dev/rfkill").read_bytes() == b"\0\0\0\0\1\3\0\0"
    assert str((machine.root / "etc/localtime").readlink()) == "../usr/share/zoneinfo/Europe/London"
    left = machine.boot_file.read_bytes().decode()
    assert not any(secret in left for secret in SECRETS)
    assert "# Menu board of the shop in Queen Street" in left
    assert "address1=192.168.1.20/24\ngateway=192.168.1.1\ndns=192.168.1.1;9.9.9.9;\n" in machine.text(WIFI)
    assert [path.name for path in machine.boot_folder.iterdir()] == ["menu-player.toml"]


def test_the_player_finds_the_settings_beside_its_own(machine: Machine) -> None:
    (machine.root / "etc/menu-player").mkdir()
    config = machine.root / "etc/menu-player/config.toml"
    config.write_text('service = "https://old.example.com"\noverscan = 2\n')
    machine.boots_with('service = "https://new.example.com"\nrotate = 90\n')
    found = read_settings({"config": str(config)}, {})
    assert (found.service, found.overscan, found.rotate) == ("https://new.example.com", 2.0, 90)


@pytest.mark.goes_beyond("MAX_TAKEN_BYTES")
def test_a_file_that_has_not_changed_is_not_used_again(machine: Machine) -> None:
    machine.boots_with(WHOLE)
    for path in (SETTINGS, WIFI, "etc/localtime"):
        (machine.root / path).unlink()
    assert machine.boots() == ()
    assert not any((machine.root / path).exists() for path in (SETTINGS, WIFI, "etc/localtime"))


def test_a_file_that_has_changed_is_used_again_with_the_secrets_that_the_board_has(machine: Machine) -> None:
    machine.boots_with(WHOLE)
    left = machine.boot_file.read_text()
    assert TAKEN_OVER in left
    assert machine.boots_with(left.replace("rotate = 90", "rotate = 270")) == ()
    found = tomllib.loads(machine.text(SETTINGS))
    assert (found["rotate"], found["page_pin"]) == (270, "271828")
    assert "psk=correct\\shorse" in machine.text(WIFI)
    new = left.replace(f'wifi_password = "{TAKEN_OVER}"', 'wifi_password = "battery staple"')
    assert machine.boots_with(new) == ()
    assert "psk=battery\\sstaple" in machine.text(WIFI)
    assert "battery" not in machine.boot_file.read_text()


@pytest.mark.proves("boot-file-mistake")
@pytest.mark.parametrize("mistake", ["rotate = 45\n", "wifi_hidden = yes\n", "\x00\n", "[wifi]\n", "#" * 70_000])
def test_a_mistake_leaves_everything_as_it_was(machine: Machine, mistake: str) -> None:
    machine.boots_with(WHOLE)
    before = machine.everything()
    written = machine.boot_file.read_text() + mistake
    assert len(machine.boots_with(written)) == 1
    assert machine.everything() == before
    assert machine.boot_file.read_text() == written
    assert len(machine.boots()) == 1, "it is told at each boot"
    assert machine.boots_with(WHOLE) == ()


def test_nothing_happens_without_a_file(machine: Machine) -> None:
    (machine.boot_folder / "config.txt").write_text("arm_64bit=1")
    (machine.boot_folder / "menu-player.example.toml").write_text(WHOLE)
    assert machine.boots() == ()
    machine.boot_folder.rename(machine.root / "elsewhere")
    assert machine.boots() == ()
    assert not (machine.root / SETTINGS).exists()


@pytest.mark.proves("boot-file-mistake")
@pytest.mark.goes_beyond("MAX_NAMES")
@pytest.mark.parametrize(
    "name",
    ["menu-player.toml.txt", "menu-player.txt", "Menu-Player.toml.TXT", "menu-player (1).toml", "menu_player.toml"],
)
def test_a_file_of_a_wrong_name_is_found_and_told(machine: Machine, name: str) -> None:
    (machine.boot_folder / name).write_text(WHOLE)
    (said,) = machine.boots()
    wrong = "the name of this file is wrong, perhaps by a second ending"
    assert said == f"{name}: {wrong}. Write:  menu-player.toml"
    machine.boots_with(WHOLE)
    assert machine.boots() == (), "beside the right one it does not matter"


@pytest.mark.parametrize("name", ["MENU-PLAYER.TOML", "Menu-Player.toml"])
def test_letters_may_be_capital_as_fat_has_them(machine: Machine, name: str) -> None:
    (machine.boot_folder / name).write_text("rotate = 90\n")
    assert machine.boots() == ()
    assert "rotate = 90" in machine.text(SETTINGS)


@pytest.mark.parametrize("boot", ["boot/firmware", "boot/efi", "boot"])
def test_the_boot_partition_is_where_the_system_has_it(tmp_path: Path, boot: str) -> None:
    machine = Machine(tmp_path, boot)
    assert machine.boots_with("rotate = 90\n") == ()
    assert "rotate = 90" in machine.text(SETTINGS)


def test_a_fixed_address_without_a_wifi_is_that_of_the_cable(machine: Machine) -> None:
    fixed = 'address = "10.1.0.7/16"\ngateway = "10.1.0.1"\ndns = "10.1.0.1"\n'
    assert machine.boots_with(fixed) == ()
    assert "type=ethernet" in machine.text(CABLE)
    assert "address1=10.1.0.7/16\ngateway=10.1.0.1\n" in machine.text(CABLE)
    assert not (machine.root / WIFI).exists()
    assert machine.boots_with("# by itself again\n") == ()
    assert not (machine.root / CABLE).exists()


def test_a_wifi_that_is_not_named_any_more_stays(machine: Machine) -> None:
    machine.boots_with(WHOLE)
    before = machine.text(WIFI)
    assert machine.boots_with('service = "https://menus.example.com"\n') == ()
    assert machine.text(WIFI) == before


def test_without_network_manager_the_rest_of_the_file_is_in_effect_and_the_lack_is_told(machine: Machine) -> None:
    manager = machine.root / "usr/sbin/NetworkManager"
    manager.unlink()
    (said,) = machine.boots_with(WHOLE)
    assert said == "menu-player.toml: wifi_name: network-manager, which sets up the network, is not installed"
    assert [part.code for part in unpacked(machine.note().packed()).rejections()] == [BOOT_FILE_NETWORK]
    assert tomllib.loads(machine.text(SETTINGS))["service"] == "https://menus.example.com"
    assert str((machine.root / "etc/localtime").readlink()).endswith("Europe/London")
    assert not (machine.root / WIFI).exists()
    assert "correct horse" not in machine.boot_file.read_text()
    assert machine.boots() == (said,), "it is told at each boot"
    manager.touch()
    assert machine.boots() == (), "and made good as soon as it can be"
    assert "psk=correct\\shorse" in machine.text(WIFI)
    manager.unlink()
    assert machine.boots_with("rotate = 90\n") == ()


def test_certificates_are_copied_and_those_that_are_renewed_too(machine: Machine) -> None:
    Authority(machine.boot_folder).file.rename(machine.boot_folder / "ca.pem")
    assert machine.boots_with('ca_file = "ca.pem"\n') == ()
    assert tomllib.loads(machine.text(SETTINGS)) == {"ca_file": "/etc/menu-player/boot-ca.pem"}
    copy = machine.root / "etc/menu-player/boot-ca.pem"
    assert copy.read_bytes() == (machine.boot_folder / "ca.pem").read_bytes()
    Authority(machine.boot_folder).file.rename(machine.boot_folder / "ca.pem")
    assert machine.boots() == ()
    assert copy.read_bytes() == (machine.boot_folder / "ca.pem").read_bytes()


def test_a_disk_that_is_full_is_told_and_tried_again_at_the_next_boot(machine: Machine) -> None:
    (machine.root / "etc/menu-player").write_text("in the way")
    (said,) = machine.boots_with(WHOLE)
    assert said.startswith("menu-player.toml: cannot be applied: ")
    assert "correct horse" in machine.boot_file.read_text()
    (machine.root / "etc/menu-player").unlink()
    assert machine.boots() == ()
    assert "psk=correct\\shorse" in machine.text(WIFI)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_secrets_on_a_write_protected_partition_are_told_until_they_are_gone(machine: Machine) -> None:
    mount = ["mount", "-t", "tmpfs", "none", str(machine.boot_folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        machine.boot_file.write_text(WHOLE)
        subprocess.run(["mount", "-o", "remount,ro", str(machine.boot_folder)], check=True)
        note = machine.note()
        assert (note.faults, note.is_readable) == ((), True)
        assert "psk=correct\\shorse" in machine.text(WIFI)
        (machine.root / WIFI).unlink()
        assert machine.note().is_readable, "it is told again"
        assert not (machine.root / WIFI).exists(), "and not used again"
        subprocess.run(["mount", "-o", "remount,rw", str(machine.boot_folder)], check=True)
        assert not machine.note().is_readable
        assert "correct horse" not in machine.boot_file.read_text()
    finally:
        subprocess.run(["umount", str(machine.boot_folder)], check=True)


def test_the_old_file_is_written_over_where_it_lies(machine: Machine) -> None:
    machine.boot_file.write_text(WHOLE)
    with machine.boot_file.open("rb") as old:
        assert machine.boots() == ()
        assert old.read() == bytes(len(WHOLE.encode()))


@pytest.mark.proves("power-lost-boot")
@pytest.mark.parametrize("writes", range(1, 8))
def test_a_power_cut_at_any_write_is_made_good_by_the_next_boot(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    """The power goes after so many files; whatever was written, the next boot ends as one that was not cut."""
    whole = Machine(machine.root / "whole")
    whole.boots_with(WHOLE)
    real, left = os.fsync, writes

    def cut(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        real(descriptor)

    monkeypatch.setattr(os, "fsync", cut)
    with suppress(KeyboardInterrupt):
        machine.boots_with(WHOLE)
    monkeypatch.undo()
    assert machine.boots() == ()
    assert machine.boot_file.read_text() == whole.boot_file.read_text()
    for path in (SETTINGS, WIFI):
        assert machine.text(path) == whole.text(path)


def plays(machine: Machine, state: PlayerState | None = None) -> None:
    """The player runs, and asks root to delete the token of its settings, which the path unit notices."""
    config = machine.root / "etc/menu-player/config.toml"
    settings = read_settings({"config": str(config)}, {"MENU_PLAYER_SERVICE": "https://menus.example.com"})
    request = machine.root / REQUEST
    request.parent.mkdir(parents=True, exist_ok=True)
    board_file = BoardFile({"RUNTIME_DIRECTORY": str(request.parent)}, has_token=settings.enrolment_token is not None)
    board_file.tell(state or playing().state)
    if request.exists():
        delete_used_token(machine.root)
        assert not request.exists(), "or it would be asked for again at once"


CONFIG = """\
# The café's board over the counter, see https://wiki.example.com
enrolment_token = "ment_4F7K9QX2TB6MWJ3C"   # from Ana
overscan = 2  # of the old panel
# enrolment_token = 'ment_4F7K9QX2TB6MWJ3C'
"""
WITHOUT_TOKEN = """\
# The café's board over the counter, see https://wiki.example.com
overscan = 2  # of the old panel
"""


def write_config(machine: Machine) -> Path:
    config = machine.root / "etc/menu-player/config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(CONFIG)
    config.chmod(0o640)
    return config


def test_a_token_that_has_been_used_is_nowhere_on_the_machine_any_more(machine: Machine) -> None:
    config = write_config(machine)
    machine.boots_with(WHOLE)
    token = b"ment_4F7K9QX2TB6MWJ3C"
    with config.open("rb") as old:
        plays(machine)
        assert old.read() == bytes(len(CONFIG.encode())), "written over where it lay"
    assert [path for path in machine.root.rglob("*") if path.is_file() and token in path.read_bytes()] == []
    assert config.read_text() == WITHOUT_TOKEN
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert stat.S_IMODE((machine.root / SETTINGS).stat().st_mode) == 0o640
    assert tomllib.loads(machine.text(SETTINGS))["page_pin"] == "271828", "the rest stays"

    left = machine.boot_file.read_text()
    assert machine.boots_with(left.replace("rotate = 90", "rotate = 270")) == (), "the file can still be changed"
    found = tomllib.loads(machine.text(SETTINGS))
    assert (found["rotate"], found["page_pin"], found.get("enrolment_token")) == (270, "271828", None)


def test_a_token_is_kept_until_it_has_been_used(machine: Machine) -> None:
    write_config(machine)
    machine.boots_with(WHOLE)
    plays(machine, replace(playing().state, pairing=PairingFacts(phase=PairingPhase.WAITING)))
    assert tomllib.loads(machine.text(SETTINGS))["enrolment_token"] == "ment_4F7K9QX2TB6MWJ3C"
    plays(machine)
    machine.boots_with(machine.boot_file.read_text().replace(TAKEN_OVER, "ment_0000000000000000", 1))
    assert tomllib.loads(machine.text(SETTINGS))["enrolment_token"] == "ment_0000000000000000", "for another service"


@pytest.mark.proves("power-lost-token")
@pytest.mark.parametrize("writes", range(10))
def test_a_power_cut_while_a_used_token_is_deleted_loses_nothing_else(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    config = write_config(machine)
    machine.boots_with(WHOLE)
    before = machine.text(SETTINGS)
    after = "".join(line for line in before.splitlines(keepends=True) if "enrolment_token" not in line)
    real, left = os.fsync, writes

    def cut(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        real(descriptor)

    monkeypatch.setattr(os, "fsync", cut)
    with suppress(KeyboardInterrupt):
        plays(machine)
    monkeypatch.undo()
    assert config.read_text() in (CONFIG, WITHOUT_TOKEN)
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert machine.text(SETTINGS) in (before, after)
    assert machine.boots() == ()
    plays(machine)
    assert (config.read_text(), machine.text(SETTINGS)) == (WITHOUT_TOKEN, after)
    assert b"ment_" not in (machine.root / TAKEN).read_bytes()
    assert machine.boots() == ()
    assert machine.text(SETTINGS) == after


@pytest.mark.proves("boot-partition-time")
def test_what_has_started_before_the_partition_was_there_begins_with_what_is_new_in_the_file(machine: Machine) -> None:
    note_file = machine.root / "run/note"

    def told() -> list[Sequence[str]]:
        commands: list[Sequence[str]] = []
        read_and_tell(machine.root, note_file, commands.append)
        return commands

    again = ("systemctl", "--no-block", "try-restart", "menu-player.service", "NetworkManager.service")
    assert told() == [], "there is no file"
    machine.boot_file.write_text('service = "https://a.example"\nrotate = 90\n')
    assert told() == [again]
    assert told() == [], "nothing is new"
    machine.boot_file.write_text('service = "https://a.example"\nrotate = 45\n')
    assert told() == [again], "the mistake is for the glass"
    assert len(read_note(note_file).faults) == 1
    (machine.root / "usr/sbin/NetworkManager").unlink()
    assert told() == [again[:-1]], "there is none"


@pytest.mark.goes_beyond("MAX_NESTED", "MAX_NOTE_BYTES")
def test_the_player_reads_what_is_noted_in_its_own_language(machine: Machine, tmp_path: Path) -> None:
    note_file = tmp_path / "run/note"
    machine.boot_file.write_text("rotate = 90\nservice = http://a.example\n")
    note = machine.note()
    write_note(note_file, note)
    found = read_note(note_file)
    assert found == note
    assert in_language(found.faults[0], "de") != str(found.faults[0])
    assert [part.subject for part in found.rejections()] == ["menu-player.toml, line 2"]
    deep = '{"text": "{x}", "values": {"x": ' * 6 + '""' + "}}" * 6
    for fault in (deep, "7", "{}", '{"text": "{x}", "values": {"y": ""}}'):
        note_file.write_text(f'{{"faults": [{fault}]}}')
        assert read_note(note_file) == BootFileNote()
    for text in ("", "[]", " " * 70_000):
        note_file.write_text(text)
        assert read_note(note_file) == BootFileNote()


def test_a_board_that_can_start_goes_on_and_one_that_cannot_says_the_mistake(tmp_path: Path) -> None:
    fault = phrase("{where}: {what}", where="menu-player.toml, line 3", what="…")
    note = BootFileNote(faults=(fault,))
    (tmp_path / "config.toml").write_text("")
    given = {"config": str(tmp_path / "config.toml"), "service": "https://a.example"}
    assert read_settings(given, {}, boot_file=note).boot_file == note
    with pytest.raises(SettingsError) as caught:
        read_settings({"config": str(tmp_path / "config.toml")}, {}, boot_file=note)
    assert caught.value.faults[0] == fault
    assert caught.value.settings.boot_file == note
    assert not caught.value.lacks_service
