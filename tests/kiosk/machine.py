"""A Debian 13 with systemd as its first process, in namespaces of this machine: its own processes, mounts, cgroups and
network, which is nothing but loopback. Needs root.

It writes into a layer above the root that it is given, which outlives a loss of power: it can be switched on again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from tests.support import programs

CHECKOUT = Path(__file__).parents[2]

BOOT_SECONDS = 300.0
COMMAND_SECONDS = 900.0
PATIENCE_SECONDS = 180.0
"""Beside whole test runs on two cores, a boot took more than a minute and an installation more than two."""

eventually = partial(programs.eventually, seconds=PATIENCE_SECONDS, poll_seconds=0.1)

INIT = r"""
set -e
root=$1 lower=$2 layer=$3
shift 3
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$layer/upper,workdir=$layer/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ip link set lo up
hostname kiosk
mkdir -p "$root/mnt/outside"
cd "$root"
pivot_root . mnt/outside
umount -l /mnt/outside
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""
"""Prepares the namespaces as a container engine does, as far as systemd needs it."""


def run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; fails with what it said."""
    done = subprocess.run([str(word) for word in command], check=False, text=True, capture_output=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def in_root(root: Path, command: str) -> None:
    """Run a command of the shell in a root that is not running, with this machine's network."""
    mounts = (
        'mount -t proc proc "$0/proc"; mount -t sysfs sysfs "$0/sys"; mount --rbind /dev "$0/dev"; '
        'cp /etc/resolv.conf "$0/etc/resolv.conf"; '
        'exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root '
        'DEBIAN_FRONTEND=noninteractive sh -ec "$1"'
    )
    run("unshare", "--mount", "--propagation", "private", "sh", "-ec", mounts, root, command)


class Machine:
    """One that boots, is used and loses its power."""

    def __init__(self, lower: Path, place: Path | None = None) -> None:
        self.lower = lower
        self.folder = Path(tempfile.mkdtemp(prefix="menu-kiosk-", dir=place))
        self.folder.chmod(0o755)
        for name in ("root", "upper", "work"):
            (self.folder / name).mkdir()
        self._outside: subprocess.Popen[bytes] | None = None
        self._init = 0
        self._cgroup = Path("/nonexistent")

    def add(self, path: str, text: str) -> None:
        """Write a file before it is switched on."""
        file = self.folder / "upper" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def without(self, *units: str) -> None:
        """Have these units not start with it."""
        folders = self.lower.glob("etc/systemd/system/*.wants")
        for wanted in [folder / f"{unit}.service" for folder in folders for unit in units]:
            # Links into the root itself, which lead nowhere here.
            if wanted.is_symlink():
                gone = self.folder / "upper" / wanted.relative_to(self.lower)
                gone.parent.mkdir(parents=True, exist_ok=True)
                # An overlay takes this for a file that was deleted.
                os.mknod(gone, stat.S_IFCHR, os.makedev(0, 0))

    # Its life

    def boot(self) -> float:
        """Switch it on; returns the seconds until systemd takes commands."""
        began = time.monotonic()
        self.start("/lib/systemd/systemd", "--log-target=journal")
        eventually(self._is_up, what=f"systemd is up; see {self.folder / 'console'}", seconds=BOOT_SECONDS)
        return time.monotonic() - began

    def start(self, *first: str) -> subprocess.Popen[bytes]:
        """Run a command as its first process. Its output is in the file `console`."""
        self._cgroup = _own_cgroup(self.folder.name)
        with (self.folder / "console").open("wb") as console:
            self._outside = subprocess.Popen(
                [
                    *("sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', str(self._cgroup)),
                    *("unshare", "--pid", "--mount", "--cgroup", "--ipc", "--uts", "--net", "--fork", "--kill-child"),
                    *("sh", "-c", INIT, "init", str(self.folder / "root"), str(self.lower), str(self.folder)),
                    *first,
                ],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        self._init = eventually(self._find_init, what="the first process runs", seconds=BOOT_SECONDS)
        return self._outside

    def shut_down(self) -> None:
        """Ends it as its button does."""
        assert self._outside is not None
        self.sh("systemctl --no-block poweroff")
        self._outside.wait(PATIENCE_SECONDS)
        self.cut_power()

    def cut_power(self) -> None:
        """All processes end at once; what is on the disk stays as it is."""
        if self._outside is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._init, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self._outside.kill()
        self._outside.wait(PATIENCE_SECONDS)
        eventually(lambda: not Path(f"/proc/{self._init}").exists(), what="the first process is gone")
        self._outside = None
        _remove_cgroups(self._cgroup)

    def throw_away(self) -> None:
        """Cut the power and delete what it wrote."""
        self.cut_power()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Its inside

    def command(self, *words: str) -> list[str]:
        """The command, as one of this machine's that runs in that one. Signals do there what they do in a terminal,
        also if these tests run under nohup."""
        enter = ("nsenter", f"--target={self._init}", "--all", "--")
        return [*enter, "env", "-i", "--default-signal", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", *words]

    def sh(self, script: str, *, ok: bool = True) -> str:
        """Runs a script there, and returns both outputs."""
        done = subprocess.run(
            self.command("sh", "-c", script), check=False, text=True, capture_output=True, timeout=COMMAND_SECONDS
        )
        said = done.stdout + done.stderr
        assert not ok or done.returncode == 0, f"{script}: {done.returncode}\n{said}"
        return said.strip()

    def write(self, path: str, text: str, *, mode: str = "0644") -> None:
        """Write a file there."""
        script = f'mkdir -p "$(dirname {path})" && cat > {path} && chmod {mode} {path}'
        subprocess.run(self.command("sh", "-c", script), input=text, text=True, check=True)

    def fetch(self, path: str, to: Path) -> Path:
        """Copy a file from there."""
        with to.open("wb") as out:
            subprocess.run(self.command("cat", path), stdout=out, check=True)
        return to

    def get(self, url: str) -> Any:
        """JSON from a server there; None while none answers."""
        said = self.sh(f"curl -s -m 5 {url}", ok=False)
        with contextlib.suppress(ValueError):
            return json.loads(said)
        return None

    def call(self, method: str, url: str, *, key: str, body: object = None) -> Any:
        """A call of the service's API there."""
        given = "" if body is None else f"-H 'Content-Type: application/json' -d '{json.dumps(body)}'"
        said = self.sh(f"curl -s -m 20 --fail-with-body -X {method} -H 'Authorization: Bearer {key}' {given} '{url}'")
        return json.loads(said) if said else None

    def unit(self, name: str) -> dict[str, str]:
        """The properties of a unit, by systemd."""
        said = self.sh(f"systemctl show {name}")
        return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)

    def pids(self, pattern: str) -> list[int]:
        """Processes there whose command line matches, by their numbers there."""
        command = self.command("pgrep", "-f", "--", pattern)
        said = subprocess.run(command, check=False, text=True, capture_output=True).stdout
        return [int(word) for word in said.split()]

    def log(self, unit: str) -> str:
        """The log of a unit."""
        return self.sh(f"journalctl --no-pager -o short-monotonic -u {unit}", ok=False)

    def _find_init(self) -> int | None:
        assert self._outside is not None
        assert self._outside.poll() is None, (self.folder / "console").read_text()
        children = Path(f"/proc/{self._outside.pid}/task/{self._outside.pid}/children").read_text().split()
        return int(children[0]) if children else None

    def _is_up(self) -> bool:
        assert self._outside is not None
        assert self._outside.poll() is None, (self.folder / "console").read_text()
        said = subprocess.run(
            self.command("systemctl", "is-system-running"), check=False, text=True, capture_output=True
        ).stdout
        return bool(re.match(r"running|degraded", said))


def _own_cgroup(name: str) -> Path:
    """A cgroup of version 2, which becomes the machine's root cgroup."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    where = next(Path(fields[1]) for fields in mounts if fields[2] == "cgroup2")
    group = where / name
    group.mkdir(exist_ok=True)
    return group


def _remove_cgroups(group: Path) -> None:
    def gone() -> bool:
        for folder in sorted((each for each in group.rglob("*") if each.is_dir()), reverse=True):
            with contextlib.suppress(OSError):
                folder.rmdir()
        with contextlib.suppress(OSError):
            group.rmdir()
        return not group.exists()

    eventually(gone, what=f"{group} is empty")
