"""The Debian packages: built twice, installed on a bare Debian 13, used, upgraded, downgraded, removed and purged; and
the wheel, installed by pip, pipx and uv on Debian 12, 13 and testing.

Takes minutes and a download of 300 MB, and of 400 MB for each Debian with a wheel, as root: `make test-packages`. There
is no systemd here; tests/kiosk has one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

CHECKOUT = Path(__file__).parents[2]
ROOT = CHECKOUT / "packaging/debian-root"
PACKAGES = "menu-player menu-player-core menu-player-guard menu-service"
INSTALL = "apt-get install -q -y --no-install-recommends"

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.geteuid() != 0, reason="makes a root, as root")]

SCENE = {
    "name": "Lunch",
    "width": 1280,
    "height": 720,
    "widgets": [
        {"id": "t", "type": "text", "x": 40, "y": 40, "width": 1200, "height": 120, "text": "Today"},
        {"id": "m", "type": "menu", "x": 40, "y": 200, "width": 1200, "height": 480},
    ],
}
ITEMS = {
    # Debian keeps such old names of zones in a package of their own.
    "location": {"timezone": "US/Pacific", "currency": "EUR", "locale": "en-IE"},
    "items": [{"name": "Espresso", "category": "Coffee", "price": 2.6}],
}
SERVE = """
menu-service demo-data --data /tmp/data > /tmp/ids.json
menu-service serve --data /tmp/data --port 8093 2> /tmp/service.log &
trap "kill $!" EXIT
key=$(menu-service keys create --data /tmp/data --role Owner) python3 - <<'END'
import json, os, time, urllib.request
ids = json.load(open("/tmp/ids.json"))
for _ in range(300):
    try:
        urllib.request.urlopen("http://127.0.0.1:8093/readyz")
        break
    except OSError:
        time.sleep(0.1)
scene = next(iter(ids["scenes"].values()))
asked = urllib.request.Request(
    f"http://127.0.0.1:8093/v1/scenes/{scene}/preview.png", headers={"Authorization": "Bearer " + os.environ["key"]}
)
open("/tmp/preview.png", "wb").write(urllib.request.urlopen(asked).read())
END
"""


class Machine:
    """A Debian in a folder, 13 unless another suite is named."""

    def __init__(self, folder: Path, suite: str = "trixie") -> None:
        self.folder = folder
        subprocess.run([ROOT, "copy", folder], check=True, env={**os.environ, "SUITE": suite})
        self.run("apt-get -q update")

    def run(self, command: str) -> str:
        done = subprocess.run(
            [ROOT, "run", self.folder, "bash", "-euc", f"cd /tmp; {command}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
        return done.stdout

    def install(self, *packages: Path, options: str = "") -> str:
        for package in packages:
            (self.folder / "tmp" / package.name).write_bytes(package.read_bytes())
        return self.run(f"{INSTALL} {options} {' '.join(f'./{package.name}' for package in packages)} 2>&1")

    def files(self) -> set[str]:
        """Lists the files on the disk."""
        return set(self.run("find / -xdev -path /tmp -prune -o -path /run -prune -o -print").splitlines())


def build(checkout: Path, out: Path) -> list[Path]:
    subprocess.run([checkout / "packaging/build-deb", out], check=True, stdout=subprocess.DEVNULL)
    return sorted(out.glob("*.deb"))


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], list[Path]]:
    """Packages of HEAD, and of a commit after it."""
    folder = tmp_path_factory.mktemp("packages")
    subprocess.run(["git", "clone", "--quiet", CHECKOUT, folder / "clone"], check=True)
    git = ["git", "-C", folder / "clone", "-c", "user.name=Test", "-c", "user.email=test@localhost"]
    first, again = build(folder / "clone", folder / "first"), build(folder / "clone", folder / "again")
    assert [each.name for each in first] == [each.name for each in again]
    assert [each.read_bytes() for each in first] == [each.read_bytes() for each in again], "two builds differ"
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "Later"], check=True)
    return first, build(folder / "clone", folder / "later")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, packages: tuple[list[Path], list[Path]]) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("machine")
    machine = Machine(folder)
    try:
        before = machine.files()
        machine.install(*packages[0])
        yield machine
        machine.run(f"dpkg --purge {PACKAGES}")
        machine.run("rm -rf /root/.cache")
        left = {path for path in machine.files() - before if re.search("menu.(player|service)", path)}
        assert left == set(), "purge leaves nothing"
    finally:
        subprocess.run(["rm", "-rf", "--one-file-system", folder], check=True)


def test_the_player_draws_with_debians_qt(machine: Machine) -> None:
    (machine.folder / "tmp/scene.json").write_text(json.dumps(SCENE))
    (machine.folder / "tmp/items.json").write_text(json.dumps(ITEMS))
    machine.run("menu-player preview scene.json --items items.json --out out.png 2> said; ! test -s said")
    image = QImage(str(machine.folder / "tmp/out.png"))
    assert (image.width(), image.height()) == (1280, 720)
    lit = sum(image.pixelColor(x, y).lightness() > 128 for x in range(0, 1280, 4) for y in range(0, 720, 4))
    assert lit > 100, "no letters"


def test_the_doctor_finds_the_program_whole(machine: Machine) -> None:
    found = json.loads(machine.run("menu-player doctor --json || true"))
    codes = {finding["code"] for finding in found["findings"]}
    assert "settings_wrong" in codes


def test_the_service_draws_scenes_by_the_player(machine: Machine) -> None:
    machine.run(SERVE)
    image = QImage(str(machine.folder / "tmp/preview.png"))
    assert image.width() > 100


def test_the_demo_shows_a_board(machine: Machine) -> None:
    said = machine.run("timeout --signal INT 60 menu-player demo --offscreen --folder /tmp/demo || true")
    assert "The board is on." in said
    assert QImage(str(machine.folder / "tmp/demo/glass.png")).width() == 1920


def test_there_are_man_pages_and_completion(machine: Machine) -> None:
    for program in ("menu-player", "menu-service"):
        page = machine.run(f"zcat /usr/share/man/man1/{program}.1.gz")
        assert ".SH" in page
        shown = machine.run(
            f"source /usr/share/bash-completion/completions/{program}; complete -p {program};"
            f" test -s /usr/share/zsh/vendor-completions/_{program}"
        )
        assert program in shown


def test_an_upgrade_and_a_downgrade_change_the_version_and_removal_keeps_the_state(
    machine: Machine, packages: tuple[list[Path], list[Path]]
) -> None:
    first, later = packages
    version = machine.run("menu-player --version")
    machine.run("mkdir -p /var/lib/menu-player /var/lib/menu-service; echo 1 > /var/lib/menu-player/state")
    machine.install(*later)
    assert machine.run("menu-player --version") != version
    machine.install(*first, options="--allow-downgrades")
    assert machine.run("menu-player --version") == version

    machine.run(f"apt-get remove -q -y {PACKAGES}")
    assert machine.run("cat /var/lib/menu-player/state") == "1\n"
    machine.install(*later)
    assert machine.run("systemctl is-enabled menu-player menu-service") == "enabled\nenabled\n"


def test_who_has_switched_the_unit_off_keeps_it_off(machine: Machine, packages: tuple[list[Path], list[Path]]) -> None:
    machine.run("systemctl disable menu-player")
    machine.install(*packages[1], options="--reinstall")
    assert machine.run("systemctl is-enabled menu-player || true") == "disabled\n"


def test_beside_a_desktop_the_board_does_not_start_by_itself(
    machine: Machine, packages: tuple[list[Path], list[Path]]
) -> None:
    machine.run("apt-get purge -q -y menu-player; ln -s /dev/null /etc/systemd/system/display-manager.service")
    said = machine.install(*packages[1])
    assert "this machine has a desktop" in said
    assert machine.run("systemctl is-enabled menu-player || true") == "disabled\n"


def test_the_script_installs_configures_and_removes(machine: Machine, packages: tuple[list[Path], list[Path]]) -> None:
    machine.run(f"rm -f /etc/systemd/system/display-manager.service; apt-get purge -q -y {PACKAGES}")
    machine.run("rm -f *.deb; mkdir packages")
    for file in (*packages[1], CHECKOUT / "packaging/install.sh"):
        (machine.folder / "tmp/packages" / file.name).write_bytes(file.read_bytes())
    run = "bash packages/install.sh"
    said = machine.run(f"{run} --service https://menu.example.com")
    assert said.splitlines()[-1] == "The board is installed. It starts with the machine."
    assert machine.run("stat -c '%a %G' /etc/menu-player/config.toml") == "640 menu-player\n"
    recommended = ("fonts-noto-cjk", "hyphen-de", "hyphen-el")
    assert {*recommended} <= {*machine.run("dpkg-query -W -f '${Package} '").split()}

    machine.run("echo 'rotate = 90' >> /etc/menu-player/config.toml")
    machine.run(f"{run} --service https://other.example.com")
    settings = tomllib.loads(machine.run("cat /etc/menu-player/config.toml"))
    assert settings == {"service": "https://other.example.com", "rotate": 90}

    assert "are kept" in machine.run(f"{run} --uninstall")
    assert machine.run("cat /etc/menu-player/config.toml")
    left = machine.run("dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p'").split()
    assert {"cage", *recommended} & {*left} == set(), "what only the board needed"
    machine.run(f"{run} --uninstall --purge; ! test -e /etc/menu-player")


DEMO = "timeout --signal INT 60 {} demo --offscreen --folder {} 2>&1 || true"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
"""Those of this machine: a network may have certificates of its own."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "PYTHON": sys.executable}
    subprocess.run([CHECKOUT / "packaging/build-wheel", folder], check=True, env=environment)
    return next(folder.glob("*.whl"))


@pytest.mark.parametrize("suite", ["bookworm", "trixie", "forky"])
def test_the_wheel_installs_by_pip_pipx_and_uv_and_its_demo_shows_a_board(
    suite: str, wheel: Path, tmp_path: Path
) -> None:
    machine = Machine(tmp_path / "machine", suite)
    try:
        _install_wheel(machine, wheel)
    finally:
        subprocess.run(["rm", "-rf", "--one-file-system", machine.folder], check=True)


def _install_wheel(machine: Machine, wheel: Path) -> None:
    shutil.copy(wheel, machine.folder / "tmp")
    shutil.copy(CERTIFICATES, machine.folder / "tmp/certificates")
    online = "export PIP_CERT=/tmp/certificates SSL_CERT_FILE=/tmp/certificates;"
    wanted = f"'/tmp/{wheel.name}[service]'"
    machine.run(f"{INSTALL} python3-venv pipx")

    machine.run(f"python3 -m venv pip; {online} pip/bin/pip install --quiet {wanted}")
    lacking = machine.run("pip/bin/menu-player demo --offscreen 2>&1 || echo ended with $?")
    assert lacking.splitlines()[-1] == "ended with 2"
    told = re.search(r"demo: Qt cannot be used here: (\S+): .+ On Debian and Ubuntu:  apt-get install (.+)\n", lacking)
    assert told is not None, lacking
    assert told[1].startswith("lib")
    machine.run(f"{INSTALL} {told[2]}")
    assert "The board is on." in machine.run(DEMO.format("pip/bin/menu-player", "with-pip"))
    assert QImage(str(machine.folder / "tmp/with-pip/glass.png")).width() == 1920

    machine.run(f"{online} PIPX_HOME=/tmp/pipx PIPX_BIN_DIR=/tmp/pipx/bin pipx install {wanted}")
    assert "The board is on." in machine.run(DEMO.format("pipx/bin/menu-player", "with-pipx"))

    uv = "UV_TOOL_DIR=/tmp/uv UV_TOOL_BIN_DIR=/tmp/uv/bin UV_PYTHON_DOWNLOADS=never pip/bin/uv"
    machine.run(f"{online} pip/bin/pip install --quiet uv; {uv} tool install --quiet {wanted}")
    assert "The board is on." in machine.run(DEMO.format("uv/bin/menu-player", "with-uv"))
