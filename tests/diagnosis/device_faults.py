"""Faults of the device: its disk, clock, gauges, screen, and the player itself."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from player.domain.pairing.hardware import Hardware
from player.storage.hardware import record_hardware
from tests.diagnosis.bad_disk import break_disk
from tests.diagnosis.content_faults import sent
from tests.diagnosis.fault import Fault, Injection, Way
from tests.diagnosis.glass import display_stopped, unmap_windows
from tests.diagnosis.rig import Rig
from tests.support.compositor import x_server
from tests.support.menus import document, menu_scene

DISK = "2g"
"""Free bytes of the device, while it has room."""

KIBIBYTES_LEFT = 200

LEFT_BYTES = 20 * 1024**2
"""Limit of the memory that the player may have."""

OVERRIDES = "-dac_override,-dac_read_search"
HELD_TO_PERMISSIONS = ("setpriv", f"--bounding-set={OVERRIDES}", f"--inh-caps={OVERRIDES}")
"""Before a command: permissions bind it, also where the tests run as root."""

TIME_FLAG = "/run/systemd/timesync/synchronized"


# The player, started anew


@contextmanager
def _started_with(rig: Rig, *, well: bool = True, **environment: str) -> Iterator[None]:
    """The player runs with these settings, and again without them afterwards."""
    player = rig.player
    before = dict(player.environment)
    player.end()
    player.environment |= environment
    player.start()
    try:
        if well:
            player.wait_for("it plays", rig.is_well)
        yield
    finally:
        player.end()
        player.environment = before
        player.start()


def _forget_deaths(rig: Rig) -> None:
    """Failures that the player has counted are told for a day."""
    (rig.player.state_folder / "failures").unlink(missing_ok=True)


@contextmanager
def stopped(rig: Rig) -> Iterator[None]:
    """Changes made within the block are there when the player starts."""
    rig.player.end()
    yield
    rig.player.start()


def _doctor(rig: Rig, **environment: str) -> list[dict[str, Any]] | None:
    """The findings of `menu-player doctor --json` on the device; None if it does not answer."""
    player = rig.player
    done = subprocess.run(
        (
            *rig.device.entry,
            sys.executable,
            *("-m", "player", "doctor", "--json", "--service", player.service),
            *("--state", str(player.state_folder), *player.display),
            *("--diagnostics-port", str(player.port)),
        ),
        env=player.environment | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError):
        sys.stderr.write(done.stdout + done.stderr)
        return None
    return found


@contextmanager
def _by_the_doctor(rig: Rig, **environment: str) -> Iterator[None]:
    """The doctor is asked, which asks the page where it can be."""
    own = rig.player.findings
    rig.player.findings = lambda: _doctor(rig, **environment)  # type: ignore[method-assign]
    try:
        yield
    finally:
        rig.player.findings = own  # type: ignore[method-assign]


# Disk


@contextmanager
def _own_disk(rig: Rig, *, size: str = DISK) -> Iterator[str]:
    """The player's directory is a file system of its own, with room."""
    folder = str(rig.player.state_folder)
    copy = f"{folder}-copy"
    with stopped(rig):
        rig.device("cp", "-a", folder, copy)
        rig.device("mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", folder)
        rig.device("sh", "-c", f"cp -a {copy}/. {folder} && rm -r {copy}")
    rig.player.wait_for("it plays", rig.is_well)
    try:
        yield folder
    finally:
        rig.player.end()
        rig.device("umount", "-l", folder)
        rig.player.start()


def _shrunk(option: str, *, left: int) -> Injection:
    """The disk has only so many KiB, or files, left."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        with _own_disk(rig) as folder:
            column = "used" if option == "size" else "iused"
            used = int(rig.device("df", "--output=" + column, "--block-size=1K", folder).split()[-1])
            most = f"{used + left}k" if option == "size" else str(used + left)
            rig.device("mount", "-o", f"remount,{option}={most}", folder)
            if option == "nr_inodes":
                # A file that the player was replacing while they were counted left room for another.
                rig.device("sh", "-c", f"touch {folder}/more0 {folder}/more1 {folder}/more2 2>/dev/null || true")
            yield
            rig.device("mount", "-o", f"remount,size={DISK},nr_inodes=0", folder)

    return inject


@contextmanager
def _read_only(rig: Rig) -> Iterator[None]:
    """The card is write-protected while the player runs."""
    folder = str(rig.player.state_folder)
    rig.device("sh", "-c", f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}")
    yield
    rig.device("umount", "-l", folder)


@contextmanager
def _read_only_start(rig: Rig) -> Iterator[None]:
    folder = str(rig.player.state_folder)
    with stopped(rig):
        rig.device("sh", "-c", f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}")
    yield
    with stopped(rig):
        rig.device("umount", "-l", folder)


@contextmanager
def _disk_fails(rig: Rig) -> Iterator[None]:
    """Each write is answered with an input/output error; after some seconds the file system takes none any more."""
    assert rig.disk is not None
    break_disk(rig.disk[0])
    rig.service.post("/content/items", {"name": f"Tea {time.time()}", "category": "Coffee", "price": 2})
    yield


@contextmanager
def _no_room(rig: Rig) -> Iterator[None]:
    """A new version is larger than the disk."""
    size = 2 * 1024**3 - 1
    digest = "ab" * 32
    image = {"id": "film", "type": "video", "x": 0, "y": 0, "width": 1920, "height": 1080, "asset": f"sha256:{digest}"}
    body = json.loads(document(scenes=[menu_scene("large") | {"widgets": [image]}], playlist="pl_large"))
    body["assets"] = {digest: {"size": size, "mediaType": "video/mp4"}}
    with _own_disk(rig, size="1g"), sent(lambda _: (json.dumps(body).encode(), {}))(rig):
        yield


@contextmanager
def _no_permission(rig: Rig) -> Iterator[None]:
    """The player's directory belongs to somebody else."""
    own = rig.player.prefix
    rig.player.prefix = (*own, *HELD_TO_PERMISSIONS)
    with stopped(rig):
        pass
    rig.player.wait_for("it plays", rig.is_well)
    folders = [rig.player.state_folder, *(path for path in rig.player.state_folder.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    rig.service.post("/content/items", {"name": f"Tea {time.time()}", "category": "Coffee", "price": 2})
    yield
    for folder in folders:
        folder.chmod(0o700)
    rig.player.prefix = own
    with stopped(rig):
        pass


SLOW_DISK = """
import os, pathlib, time
fsync = os.fsync
def slow(file):
    time.sleep(float(pathlib.Path(os.environ["SLOW_DISK"]).read_text()))
    fsync(file)
os.fsync = slow
"""


@contextmanager
def _slow_disk(rig: Rig) -> Iterator[None]:
    """Each wait for the card takes three seconds; the operator changes prices."""
    folder = rig.folder / "slow"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(SLOW_DISK)
    seconds = folder / "seconds"
    seconds.write_text("0")
    path = os.pathsep.join((str(folder), rig.player.environment.get("PYTHONPATH", "")))
    with _started_with(rig, PYTHONPATH=path, SLOW_DISK=str(seconds)):
        seconds.write_text("3")
        for _ in range(3):
            _change_price(rig)
            time.sleep(1.0)
        yield
        seconds.write_text("0")


def _damaged(*names: str) -> Injection:
    """Files of the player's directory have rotted when it starts."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        kept = {}
        with stopped(rig):
            for name in names:
                path = rig.player.state_folder / name
                kept[path] = path.read_bytes()
                path.write_bytes(bytes(byte ^ 0x5A for byte in kept[path]))
        yield
        with stopped(rig):
            for path, content in kept.items():
                path.write_bytes(content)

    return inject


@contextmanager
def _card_of_another_device(rig: Rig) -> Iterator[None]:
    """The card that was paired in a board with one serial number starts in a board with another."""
    folder = rig.player.state_folder
    files = [folder / name for name in ("identity", "identity-copy", "credentials", "credentials-copy")]
    kept = {path: path.read_bytes() for path in files}
    serial = folder.parent / "other-board/proc/device-tree/serial-number"
    serial.parent.mkdir(parents=True, exist_ok=True)
    serial.write_text("10000000e5f60718")
    module = rig.player.module
    with stopped(rig):
        record_hardware(folder, Hardware(board="10000000a1b2c3d4"), is_copy=False)
        rig.player.module = "tests.support.player_on_hardware"
        rig.player.environment["MENU_TEST_MACHINE"] = str(folder.parent / "other-board")
    yield
    with stopped(rig):
        rig.player.module = module
        (folder / "hardware").unlink()
        for path, content in kept.items():
            path.write_bytes(content)


def _obstructed(*names: str) -> Injection:
    """Something else stands where the player wants to write."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        paths = [rig.player.state_folder / name for name in names]
        for path in paths:
            if path.exists():
                path.rename(f"{path}-kept")
            rig.device("sh", "-c", f"mkdir {path} && mount -t tmpfs -o ro tmpfs {path}")
        rig.service.post("/content/items", {"name": f"Tea {time.time()}", "category": "Coffee", "price": 2})
        yield
        for path in paths:
            rig.device("sh", "-c", f"umount {path}; rmdir {path}")
            if (kept := Path(f"{path}-kept")).exists():
                kept.rename(path)

    return inject


# Clock


def _clock(seconds: float, *, synchronised: bool) -> Injection:
    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        with _time_server(rig, synchronised):
            rig.turn_clock(seconds)
            yield
            rig.turn_clock(0)

    return inject


@contextmanager
def _time_server(rig: Rig, synchronised: bool) -> Iterator[None]:
    if synchronised:
        rig.device("sh", "-c", f"mkdir -p {Path(TIME_FLAG).parent}; mount -t tmpfs tmpfs {Path(TIME_FLAG).parent}")
        rig.device("touch", TIME_FLAG)
        time.sleep(1.0)
    yield
    if synchronised:
        rig.device("umount", str(Path(TIME_FLAG).parent))


@contextmanager
def _clock_at_1970(rig: Rig) -> Iterator[None]:
    with stopped(rig):
        rig.turn_clock(-time.time() + 30)
    yield
    with stopped(rig):
        rig.turn_clock(0)


# Gauges


def _gauge(folder: str, **files: str) -> Injection:
    """The kernel says something else in this folder of its own; a name's `__` are slashes."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        rig.device("mount", "-t", "tmpfs", "tmpfs", folder)
        for name, content in files.items():
            path = f"{folder}/{name.replace('__', '/')}"
            rig.device("sh", "-c", 'mkdir -p "$(dirname "$0")" && printf "%s\\n" "$1" > "$0"', path, content)
        yield
        rig.device("umount", folder)

    return inject


@contextmanager
def _little_memory(rig: Rig) -> Iterator[None]:
    info = rig.folder / "meminfo"
    told = Path("/proc/meminfo").read_text().splitlines()
    info.write_text("".join(f"{'MemAvailable: 30000 kB' if 'MemAvail' in line else line}\n" for line in told))
    rig.device("mount", "--bind", str(info), "/proc/meminfo")
    yield
    rig.device("umount", "/proc/meminfo")


FIRMWARE = "soc__soc:firmware__get_throttled"


# The screen


@contextmanager
def _on_x(
    rig: Rig, *, size: str = "1280x720", well: bool = True, options: tuple[str, ...] = ()
) -> Iterator[tuple[str, int]]:
    """The player is on the screen of an X server, and fills it unless `options` say otherwise; the server's name, and
    its process."""
    offscreen = rig.player.display
    with x_server(size, "-nolock") as (name, server):
        rig.player.display = options
        try:
            with _started_with(rig, well=well, QT_QPA_PLATFORM="xcb", DISPLAY=name):
                yield name, server.pid
        finally:
            rig.player.display = offscreen
            rig.player.end()
            _forget_deaths(rig)
            rig.player.start()


@contextmanager
def _no_fonts(rig: Rig) -> Iterator[None]:
    config = rig.folder / "fonts.conf"
    config.write_text(
        f"<fontconfig><dir>{rig.folder}/no-fonts</dir><cachedir>{rig.folder}/cache</cachedir></fontconfig>"
    )
    with _started_with(rig, well=False, FONTCONFIG_FILE=str(config)):
        yield


@contextmanager
def _screen_hangs(rig: Rig) -> Iterator[None]:
    with _on_x(rig) as (_, server):
        os.kill(server, signal.SIGSTOP)
        try:
            # The player ends for it, and nothing restarts it here.
            yield
        finally:
            os.kill(server, signal.SIGCONT)


@contextmanager
def _screen_off(rig: Rig) -> Iterator[None]:
    with _on_x(rig) as (name, _):
        # It fails, and does it.
        subprocess.run(("xrandr", "--display", name, "--output", "screen", "--off"), check=False, capture_output=True)
        yield


# A price that is on the device and not on the glass


def _change_price(rig: Rig) -> None:
    """The operator changes one, and the board hears of it."""
    one = rig.service.get("/content/items")["data"][0]
    before = rig.player.state()["revision"]
    rig.service.patch(f"/content/items/{one['id']}", {"price": round(one["price"] + 0.1, 2)})
    rig.player.wait_for("it is on the device", lambda state: state["revision"] != before)


@contextmanager
def _price_and_display_stopped(rig: Rig) -> Iterator[None]:
    """The display's thread stands still. The board ends for it, and nothing restarts it here."""
    with display_stopped(rig.player.pid, answers=rig.player.state):
        _change_price(rig)
        yield
    rig.player.kill()
    _forget_deaths(rig)
    rig.player.start()


@contextmanager
def _price_and_no_frames(rig: Rig) -> Iterator[None]:
    """Frames do not reach the screen. The board ends for it, and nothing restarts it here."""
    with _on_x(rig) as (name, _):
        unmap_windows(name)
        _change_price(rig)
        yield
        rig.player.kill()
        rig.player.start()


@contextmanager
def _price_and_window_hidden(rig: Rig) -> Iterator[None]:
    """The board runs in a window, which somebody has minimised."""
    with _on_x(rig, options=("--windowed",)) as (name, _):
        unmap_windows(name)
        _change_price(rig)
        yield


def _screen_of(size: str) -> Injection:
    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        with _on_x(rig, size=size, well=False):
            yield

    return inject


# The player itself


@contextmanager
def _wrong_settings(rig: Rig) -> Iterator[None]:
    with (
        _by_the_doctor(rig, MENU_PLAYER_ROTATE="sideways"),
        _started_with(rig, well=False, MENU_PLAYER_ROTATE="sideways"),
    ):
        yield


@contextmanager
def _not_running(rig: Rig) -> Iterator[None]:
    with _by_the_doctor(rig), stopped(rig):
        yield


@contextmanager
def _dies_again_and_again(rig: Rig) -> Iterator[None]:
    for _ in range(3):
        rig.player.kill()
        rig.player.start()
        rig.player.wait_for("it plays", lambda state: state["presented"]["kind"] == "scene")
    yield
    rig.player.end()
    _forget_deaths(rig)
    rig.player.start()


@contextmanager
def _port_taken(rig: Rig) -> Iterator[None]:
    rig.player.end()
    taker = rig.device.socket()
    with taker, _by_the_doctor(rig):
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taker.bind(("127.0.0.1", rig.player.port))
        taker.listen(5)
        rig.player.start()
        yield
    rig.player.end()
    rig.player.start()


@contextmanager
def _frozen(rig: Rig) -> Iterator[None]:
    """The player stands still, as one whose process hangs."""
    with _by_the_doctor(rig):
        rig.player.freeze()
        yield
        rig.player.thaw()


@contextmanager
def _other_service(rig: Rig) -> Iterator[None]:
    own = rig.player.service
    rig.player.service = own.replace("menus.", "boards.")
    rig.names.others["boards.example.com"] = "203.0.113.9"
    with stopped(rig):
        pass
    yield
    rig.player.service = own
    with stopped(rig):
        pass


FAULTS = (
    Fault("disk full", _shrunk("size", left=KIBIBYTES_LEFT), "disk_full"),
    Fault("disk can hold no more files", _shrunk("nr_inodes", left=0), "disk_full"),
    Fault("disk nearly full", _shrunk("size", left=100 * 1024), "disk_low"),
    Fault("disk read-only", _read_only, "disk_read_only"),
    Fault("disk read-only at the start", _read_only_start, "state_in_memory"),
    Fault("disk fails", _disk_fails, "disk_failing", way=Way.DISK, spoils=True),
    Fault("no permission to write", _no_permission, "disk_refused"),
    Fault("something in the place of a file", _obstructed("running"), "disk_refused", "disk_failing"),
    Fault("version larger than the disk", _no_room, "no_room"),
    Fault("card that is slow", _slow_disk, "disk_slow"),
    Fault("stored menu damaged", _damaged("running"), "state_damaged"),
    Fault("credentials damaged", _damaged("credentials", "credentials-copy"), "pairing_lost"),
    Fault("card of another device", _card_of_another_device, "copied_card"),
    Fault("clock an hour fast, no time server", _clock(3600, synchronised=False), "clock_corrected", quick=True),
    Fault("clock an hour slow, no time server", _clock(-3600, synchronised=False), "clock_corrected"),
    Fault("clock an hour slow, and a time server", _clock(-3600, synchronised=True), "clock_differs"),
    Fault("clock an hour fast, and a time server", _clock(3600, synchronised=True), "clock_differs", spoils=True),
    Fault("clock at 1970", _clock_at_1970, "clock_corrected"),
    Fault("memory low", _little_memory, "memory_low"),
    Fault("too hot", _gauge("/sys/class/thermal", thermal_zone0__temp="91000"), "hot"),
    Fault("voltage too low", _gauge("/sys/devices/platform", **{FIRMWARE: "0x50005"}), "under_voltage"),
    Fault("throttled", _gauge("/sys/devices/platform", **{FIRMWARE: "0x4"}), "throttled"),
    Fault("no fonts", _no_fonts, "no_font"),
    Fault("screen off", _screen_off, "no_screen"),
    Fault("screen hangs", _screen_hangs, "display_hangs", "frames_stopped", passes=True),
    Fault("price, and the display stands still", _price_and_display_stopped, "display_hangs", passes=True),
    Fault("price, and no frame reaches the screen", _price_and_no_frames, "frames_stopped", "order_late", passes=True),
    Fault("price, and the window is out of sight", _price_and_window_hidden, "change_not_shown"),
    Fault("screen of 640 by 480", _screen_of("640x480"), "display_small"),
    Fault("upright screen", _screen_of("1080x1920"), "display_turned"),
    Fault("settings wrong", _wrong_settings, "settings_wrong"),
    Fault("player not running", _not_running, "player_not_running"),
    Fault("player dies again and again", _dies_again_and_again, "restarted"),
    Fault("port of the page taken", _port_taken, "page_silent"),
    Fault("player stands still", _frozen, "page_silent"),
    Fault("another service is set", _other_service, "other_service", spoils=True),
)
