"""What the images bring besides the board, as far as nothing has to be started: tests/vm starts them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from player.storage.identity import load_identity
from tests.packaging.test_units import analyze, root_with

PACKAGING = Path(__file__).parents[2] / "packaging"
IMAGE = PACKAGING / "image"
MACHINES = ("pc", "pi")
UNITS = sorted(path for path in IMAGE.rglob("*") if path.name.endswith((".service", ".path", ".timer")))


def build_image(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PACKAGING / "build-image", *words], check=False, capture_output=True, text=True)


def text_of(machine: str, path: str) -> str:
    """A file of the image, as it lies in packaging/image."""
    found = [folder / path for folder in (IMAGE / machine / "files", IMAGE / "files") if (folder / path).exists()]
    return found[0].read_text()


@pytest.mark.parametrize("words", [(), ("mac",), ("--out", "card.img")])
def test_a_machine_has_to_be_named(words: tuple[str, ...]) -> None:
    said = build_image(*words)
    assert (said.returncode, said.stderr.splitlines()[0]) == (
        1,
        "build-image: build-image pc|pi [--out FILE] [--run SCRIPT] [OPTIONS OF install.sh]",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "pack-image TOOLS DISK FILE.img.xz"),
        (("tools", "disk.img", "card.img.xz"), "SOURCE_DATE_EPOCH has to be set"),
    ],
)
def test_what_packing_lacks_is_named(words: tuple[str, ...], said: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    done = subprocess.run(
        [PACKAGING / "pack-image", *words], check=False, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"pack-image: {said}")


@pytest.mark.skipif(os.geteuid() != 0 or os.uname().machine != "x86_64", reason="emulates a root of arm64, as root")
def test_systemd_can_be_installed_in_a_root_that_is_emulated(tmp_path: Path) -> None:
    """Its preinst wants /lib64 to lead into /usr/lib, and the programs of this machine lie there meanwhile."""
    native, root = tmp_path / "bare", tmp_path / "root"
    (native / "usr/lib").mkdir(parents=True)
    for path in ("lib64", "usr/lib/x86_64-linux-gnu", "usr/bin"):
        (native / path).symlink_to(f"/{path}")
    for folder in ["etc", "proc", "dev", "sys", "mnt", "lib64", "usr/bin", "usr/lib"]:
        (root / folder).mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    (root / "lib/ld-linux-aarch64.so.1").touch()
    shutil.copy("/usr/bin/env", root / "usr/bin")
    for _ in range(2):
        found = subprocess.run(
            [PACKAGING / "debian-root", "run", root, "readlink", "-f", "/lib64"],
            check=False, capture_output=True, text=True, env={**os.environ, "MENU_ROOTS": str(tmp_path)},
        )  # fmt: skip
        assert (found.stdout, found.stderr) == ("/usr/lib/x86_64-linux-gnu\n", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="as root")
def test_roots_of_one_folder_do_not_wait_for_those_of_another(tmp_path: Path) -> None:
    """A release makes its own, which takes minutes, and meanwhile others build."""
    stand_in = tmp_path / "bin/debootstrap"
    stand_in.parent.mkdir()
    stand_in.write_text("#!/bin/sh\necho begun\nexec sleep infinity\n")
    stand_in.chmod(0o755)

    def command(roots: str, *words: str) -> dict[str, Any]:
        environment = {"PATH": f"{stand_in.parent}:{os.environ['PATH']}", "MENU_ROOTS": str(tmp_path / roots)}
        return {"args": [PACKAGING / "debian-root", *words], "env": {**os.environ, **environment}}

    slow = command("a", "copy", str(tmp_path / "copy"))
    with subprocess.Popen(**slow, stderr=subprocess.PIPE, text=True, start_new_session=True) as first:
        try:
            assert first.stderr is not None
            assert any("begun" in line for line in first.stderr)
            subprocess.run(**command("b", "remove"), check=True, timeout=60)
            with pytest.raises(subprocess.TimeoutExpired):
                subprocess.run(**command("a", "remove"), timeout=1)
        finally:
            os.killpg(first.pid, signal.SIGKILL)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_unit_is_valid(tmp_path: Path, unit: Path) -> None:
    service = unit.with_suffix(".service")
    root = root_with(tmp_path, service.name, service.read_text())
    (root / "usr/lib/systemd/system" / unit.name).write_text(unit.read_text())
    for other in ("systemd-remount-fs", "systemd-growfs-root"):
        (root / f"usr/lib/systemd/system/{other}.service").write_text("[Service]\nExecStart=/bin/true\n")
    (root / "usr/bin").mkdir(parents=True, exist_ok=True)
    for program in ("journalctl", "true"):
        (root / "usr/bin" / program).write_text("#!/bin/true\n")
        (root / "usr/bin" / program).chmod(0o755)
    said = analyze("verify", root, unit.name, "--man=no")
    assert (said.stdout + said.stderr, said.returncode) == ("", 0)


@pytest.mark.parametrize("machine", MACHINES)
def test_root_spares_the_card_and_a_boot_asks_nothing(machine: str) -> None:
    root, boot = (
        line.split() for line in text_of(machine, "etc/fstab").splitlines() if line and not line.startswith("#")
    )
    assert root[1] == "/"
    assert {"noatime", "x-systemd.growfs"} <= set(root[3].split(","))
    assert "nofail" in boot[3].split(",")
    assert root[5:] == ["1"]
    assert boot[5:] == ["2"]
    assert "swap" not in text_of(machine, "etc/fstab")
    kernel = {"pc": "boot/grub/grub.cfg", "pi": "etc/default/raspi-extra-cmdline"}[machine]
    assert "panic=10" in text_of(machine, kernel)
    if machine == "pc":  # raspi-firmware writes it by itself
        assert "fsck.repair=yes" in text_of(machine, kernel)


def test_the_machine_is_named_by_the_id_that_the_board_shows(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    identity, _ = load_identity(tmp_path / "state", stand_in=lambda: None)
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/hostname").write_text("menu-board\n")
    (tmp_path / "etc/hosts").write_text("127.0.0.1 localhost\n127.0.1.1 menu-board\n::1 localhost\n")
    hostnamectl = tmp_path / "bin/hostnamectl"
    hostnamectl.parent.mkdir()
    hostnamectl.write_text(f'#!/bin/sh\necho "$2" >{tmp_path}/etc/hostname; echo "$*" >>{tmp_path}/calls\n')
    hostnamectl.chmod(0o755)
    script = (IMAGE / "files/usr/lib/menu-board/name-machine").read_text()
    script = script.replace("/var/lib/menu-player", f"{tmp_path}/state").replace(" /etc/", f" {tmp_path}/etc/")
    environment = {**os.environ, "PATH": f"{hostnamectl.parent}:{os.environ['PATH']}"}
    for _ in range(2):
        subprocess.run(["sh", "-c", script], check=True, env=environment)
    name = f"menu-board-{identity[:6]}"
    assert (tmp_path / "calls").read_text() == f"set-hostname {name}\n"
    assert f"127.0.1.1 {name}\n" in (tmp_path / "etc/hosts").read_text()


def test_files_are_named_once_for_both_machines() -> None:
    """Two files at one path would be told apart only by the order in which they are copied."""
    both = {path.relative_to(IMAGE / "files") for path in (IMAGE / "files").rglob("*") if path.is_file()}
    for machine in MACHINES:
        own = IMAGE / machine / "files"
        assert not both & {path.relative_to(own) for path in own.rglob("*") if path.is_file()}
