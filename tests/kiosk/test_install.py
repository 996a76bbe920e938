"""packaging/install.sh on a machine with systemd: its last line is what the screen shows; where it cannot install, it
says why, and leaves the machine as it was.

The packages' dependencies are there already, for this machine has no network; without them it is tested by
tests/packaging/test_packages.py.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.kiosk.board import HEADLESS, Board
from tests.kiosk.machine import CHECKOUT, Machine, eventually
from tests.kiosk.repository import key, put, repository
from tests.kiosk.roots import OURS, built_packages
from tests.kiosk.variants import variant

INSTALL = "/root/packages/install.sh"


@pytest.fixture
def board(installed: Path) -> Iterator[Board]:
    """One that knows no service."""
    machine = Machine(installed)
    machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
    machine.without("menu-player", "menu-service")
    try:
        machine.boot()
        machine.sh("mkdir /root/packages")
        give(machine, [*built_packages(), CHECKOUT / "packaging/install.sh"])
        yield Board(machine)
    finally:
        machine.throw_away()


@pytest.fixture
def blank(board: Board) -> Machine:
    """A machine that has never had a board, with what one depends on."""
    remove_board(board.machine)
    return board.machine


def give(machine: Machine, files: Iterable[Path]) -> None:
    for file in files:
        put = machine.command("sh", "-c", f"cat > /root/packages/{file.name}; chmod 755 /root/packages/{file.name}")
        subprocess.run(put, input=file.read_bytes(), check=True)


def is_unpacking(machine: Machine, tmp_path: Path) -> subprocess.Popen[str]:
    """A run of the script in which dpkg is unpacking a package, for some seconds."""
    variant(built_packages(), "8.1", tmp_path, slow="preinst")
    give(machine, tmp_path.glob("*.deb"))
    command = machine.command(INSTALL, "--service", "https://menu.example.com")
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    eventually(lambda: machine.pids("preinst install"), what="a package is being unpacked")
    return running


def remove_board(machine: Machine) -> None:
    machine.sh(f"dpkg --purge {' '.join(OURS)}; rm -rf /etc/menu-player /var/lib/menu-*")


def as_it_is(machine: Machine) -> list[str]:
    """Packages, settings, units and sources of packages."""
    where = "/etc /usr/lib/systemd/system /usr/lib/menu-player /var/lib/menu-player /var/lib/menu-player-guard"
    script = (
        f"dpkg-query -W -f '${{Status}} ${{Package}} ${{Version}}\n'; find {where} -print 2>/dev/null | "
        "grep -Ev '^/etc/(ld.so.cache|mtab|passwd|group|shadow|gshadow|subuid|subgid|[.]pwd.lock)' | sort;"
        "cat /etc/menu-player/* /etc/apt/sources.list.d/* 2>/dev/null"
    )
    return machine.sh(script, ok=False).splitlines()


def refused(machine: Machine, *arguments: str) -> str:
    """Returns the output of a script that fails, with the machine as it was."""
    before = as_it_is(machine)
    command = machine.command(INSTALL, *arguments)
    done = subprocess.run(command, check=False, text=True, capture_output=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert set(as_it_is(machine)) ^ set(before) == set()
    return done.stderr


def last_line(said: str) -> str:
    return said.splitlines()[-1]


def test_the_last_line_says_what_the_screen_shows(board: Board) -> None:
    machine = board.machine
    shown = last_line(machine.sh(f"{INSTALL} --service-here"))
    code = re.fullmatch(r"The screen shows the code (\S+)\. Enter it at http://127\.0\.0\.1:8080/pair", shown)
    assert code is not None, shown
    assert board.state()["pairing"]["code"] == code[1]
    assert machine.sh("stat -c '%a %U' /etc/menu-player/service.key") == "600 root"
    key = machine.sh("cat /etc/menu-player/service.key")

    machine.sh("echo 'overscan = 2' >> /etc/menu-player/config.toml")
    assert last_line(machine.sh(f"{INSTALL} --service-here")) == shown, "a second run changes nothing"
    assert machine.sh("cat /etc/menu-player/service.key") == key

    board.start_service()
    board.load_sample()
    board.pair()
    board.wait_for_kind("scene")
    assert last_line(machine.sh(f"{INSTALL} --service-here")).startswith("The screen shows ")

    said = machine.sh(f"{INSTALL} --uninstall")
    assert last_line(said).startswith("The board is gone. Its menus, pairing and settings are kept")
    assert 'service = "http://127.0.0.1:8080"' in machine.sh("cat /etc/menu-player/config.toml")
    assert last_line(machine.sh(f"{INSTALL} --uninstall --purge")) == "The board is gone from this machine."
    assert machine.sh("ls -d /usr/lib/menu-* 2>/dev/null", ok=False) == ""


def test_another_service_keeps_the_other_settings(board: Board) -> None:
    machine = board.machine
    board.configure('overscan = 2\nservice = "https://old.example.com"\n')
    shown = last_line(machine.sh(f"{INSTALL} --service https://menu.example.com"))
    assert shown.startswith("The screen shows that it waits for the service."), shown
    assert machine.sh("cat /etc/menu-player/config.toml") == 'overscan = 2\nservice = "https://menu.example.com"'


def test_a_disk_that_is_full_or_becomes_so_is_told(blank: Machine) -> None:
    blank.sh("mount -t tmpfs -o size=50M tmpfs /var")
    said = refused(blank, "--service", "https://menu.example.com")
    assert "install.sh: the disk has 50 MB free for /var, and 1600 MB are needed." in said
    blank.sh("umount /var; mkdir /usr/lib/menu-player; mount -t tmpfs -o size=300k tmpfs /usr/lib/menu-player")
    said = refused(blank, "--service", "https://menu.example.com")
    assert "install.sh: the disk is full. Make room on it and run this again." in said
    assert last_line(said) == "Nothing is installed: the machine is as it was."
    blank.sh("umount /usr/lib/menu-player; rmdir /usr/lib/menu-player")
    shown = last_line(blank.sh(f"{INSTALL} --service https://menu.example.com"))
    assert shown.startswith("The screen shows that it waits for the service."), shown


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_a_signal_is_answered_at_once_and_no_apt_outlives_the_script(blank: Machine, tmp_path: Path, name: str) -> None:
    before = as_it_is(blank)
    with is_unpacking(blank, tmp_path) as running:
        assert running.stderr is not None
        blank.sh(f"pkill -{name} -f 'packages/[i]nstall.sh'")
        assert running.stderr.readline().startswith("Stopping. The machine is brought back to how it was.")
        assert blank.pids("^apt-get "), "dpkg finishes what it unpacks"
        said = running.stderr.read()
    assert running.returncode == 130
    assert last_line(said) == "Nothing is installed: the machine is as it was."
    assert blank.pids("^apt-get |dpkg ") == []
    assert set(as_it_is(blank)) ^ set(before) == set()


@pytest.mark.proves("power-fails-install")
def test_a_power_cut_while_a_package_is_unpacked_is_told_and_the_next_run_finishes(
    blank: Machine, tmp_path: Path
) -> None:
    with is_unpacking(blank, tmp_path):
        blank.cut_power()
    blank.boot()
    blank.sh("mkdir /root/empty")
    command = blank.command(INSTALL, "--service", "https://menu.example.com", "--packages", "/root/empty")
    said = subprocess.run(command, check=False, text=True, capture_output=True).stderr
    assert "install.sh: /root/empty has no file menu-player-guard_" in said
    assert re.fullmatch(LEFT, last_line(said)), said

    shown = last_line(blank.sh(f"{INSTALL} --service https://menu.example.com"))
    assert shown.startswith("The screen shows that it waits for the service."), shown
    assert blank.sh("dpkg --audit; dpkg-query -W -f '${Version} ${db:Status-Abbrev}' menu-player-core") == "8.1 ii"


LEFT = r"What was begun before is left, [1-9]\d* packages of it half-way\. Run this again to finish\."


def test_a_repository_with_another_key_is_refused(board: Board, tmp_path: Path) -> None:
    machine, own, another = board.machine, key(tmp_path, "its-own"), key(tmp_path, "another")
    made = repository(tmp_path / "repository", built_packages(), signed_by=own, with_key=another)
    machine.sh("rm -rf /root/packages/*.deb")
    put(made, machine, "/srv/repository")
    machine.sh("systemd-run -q -u repository --working-directory=/srv/repository python3 -m http.server 8000")
    eventually(lambda: machine.sh("curl -sf http://127.0.0.1:8000/Packages | head -1", ok=False), what="it is served")

    arguments = ("--service", "https://menu.example.com", "--packages", "http://127.0.0.1:8000")
    board.configure('service = "https://old.example.com"\n')
    said = refused(machine, *arguments)
    assert OTHER_KEY in said
    assert last_line(said) == "The settings of the board are as they were."
    remove_board(machine)
    said = refused(machine, *arguments)
    assert OTHER_KEY in said
    assert last_line(said) == "Nothing is installed: the machine is as it was."


OTHER_KEY = "the packages' signature is not right: the repository has another key. Ask whoever runs it."


def test_a_certificate_that_the_board_would_not_accept_is_refused_before_anything_changes(blank: Machine) -> None:
    blank.sh(
        "cd /root; openssl req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=localhost"
        " -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>/dev/null"
    )
    blank.write("/root/serve.py", SERVE)
    blank.sh("systemd-run -q -u answers --working-directory=/root python3 serve.py")
    eventually(lambda: blank.sh("curl -sk https://localhost:8443/", ok=False), what="it answers")
    said = refused(blank, "--service", "https://localhost:8443")
    assert "the certificate of https://localhost:8443 is not accepted: self-signed certificate." in said
    assert "ca_file = " in said
    blank.sh("mkdir /etc/menu-player; cp /root/cert.pem /etc/ssl/shop.pem")
    blank.write("/etc/menu-player/config.toml", 'ca_file = "/etc/ssl/shop.pem"\n')
    shown = last_line(blank.sh(f"{INSTALL} --service https://localhost:8443"))
    assert shown.startswith("The screen shows that it waits for the service."), shown
    assert "certificate" not in shown


def test_purge_deletes_the_settings_of_a_board_whose_packages_were_never_unpacked(blank: Machine) -> None:
    blank.sh("mkdir -p /etc/menu-player")
    blank.write("/etc/menu-player/config.toml", 'service = "https://menu.example.com"\n')
    blank.sh(f"{INSTALL} --uninstall --purge; ! test -e /etc/menu-player")


def test_a_desktop_gives_way_when_asked_and_comes_back_with_the_end_of_the_board(blank: Machine) -> None:
    blank.write("/usr/lib/systemd/system/lightdm.service", DESKTOP)
    blank.sh("systemctl daemon-reload; systemctl enable --now lightdm")
    said = blank.sh(f"{INSTALL} --service https://menu.example.com")
    assert "is installed and not started: this machine has a desktop" in last_line(said)
    assert state_of(blank, "lightdm", "menu-player") == ["active", "enabled", "inactive", "disabled"]
    shown = last_line(blank.sh(f"{INSTALL} --service https://menu.example.com --instead-of-desktop"))
    assert shown.startswith("The screen shows that it waits for the service."), shown
    assert state_of(blank, "lightdm", "menu-player") == ["inactive", "disabled", "active", "enabled"]
    assert last_line(blank.sh(f"{INSTALL} --service https://menu.example.com")) == shown, "a second run leaves it"
    blank.sh(f"{INSTALL} --uninstall --purge")
    assert state_of(blank, "lightdm") == ["active", "enabled"]


def state_of(machine: Machine, *units: str) -> list[str]:
    asked = "; ".join(f"systemctl is-active {unit}; systemctl is-enabled {unit}" for unit in units)
    return machine.sh(asked, ok=False).splitlines()


DESKTOP = """
[Service]
ExecStart=sleep infinity
[Install]
Alias=display-manager.service
"""
SERVE = """
import http.server, ssl

server = http.server.HTTPServer(("localhost", 8443), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""
