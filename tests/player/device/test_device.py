"""Clocks, gauges and systemd."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from player.device.clock import MAX_OFFSET_FILE_BYTES, OffsetClock, SystemClock, read_boot, zone_set
from player.device.clock_watch import watch_clock
from player.device.health import read_boot_id, read_health
from player.device.kernel_files import MAX_FACT_BYTES
from player.device.machine import machine_identity
from player.device.synchronised import synchronised
from player.device.systemd import ready, sd_notify, watchdog_interval
from player.domain.events import ClockChecked, Health
from tests.support.hostile import Heard
from tests.support.virtual import VirtualClock


@asynccontextmanager
async def watching(clock: VirtualClock, heard: Heard, said: list[bool]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(watch_clock(clock=clock, emit=heard, synchronised=lambda: said[-1]))
    await asyncio.sleep(0.7)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("by", [timedelta(hours=1), timedelta(seconds=-1), timedelta(days=20_000)])
async def test_a_step_is_noticed_within_a_second(by: timedelta) -> None:
    clock, heard = VirtualClock(asyncio.get_running_loop().time), Heard()
    async with watching(clock, heard, [False]):
        clock.step(by)
        await asyncio.sleep(1)
        assert heard.events == [
            ClockChecked(synchronised=False, stepped=False),
            ClockChecked(synchronised=False, stepped=True),
        ]
        await asyncio.sleep(30)
    assert len(heard.events) == 2


async def test_small_steps_add_up_to_one() -> None:
    clock, heard = VirtualClock(asyncio.get_running_loop().time), Heard()
    async with watching(clock, heard, [True]):
        for _ in range(4):
            clock.step(timedelta(seconds=0.2))
            await asyncio.sleep(10)
    assert [event.stepped for event in heard.events] == [False, True]


async def test_the_system_may_change_its_mind() -> None:
    clock, heard, said = VirtualClock(asyncio.get_running_loop().time), Heard(), [False]
    async with watching(clock, heard, said):
        said.append(True)
        await asyncio.sleep(1)
    assert [event.synchronised for event in heard.events] == [False, True]


def test_the_system_clock_is_the_systems() -> None:
    clock = SystemClock()
    assert abs((clock.wall() - datetime.now(UTC)).total_seconds()) < 60
    assert clock.wall().utcoffset() == timedelta()
    assert abs(clock.monotonic() - time.monotonic()) < 60


@pytest.mark.goes_beyond("MAX_OFFSET")
@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3600", 3600), ("-90.5\n", -90.5), ("", 0), ("soon", 0), ("nan", 0), ("1e300", 0), ("2.5e11", 0), (None, 0)],
)
def test_a_rehearsal_moves_the_wall_clock_only(tmp_path: Path, text: str | None, seconds: float) -> None:
    path = tmp_path / "offset"
    if text is not None:
        path.write_text(text)
    clock = OffsetClock(path)
    moved = (clock.wall() - datetime.now(UTC)).total_seconds()
    assert moved == pytest.approx(seconds, abs=30)
    assert abs(clock.monotonic() - time.monotonic()) < 30


def test_timesyncs_flag_says_that_the_clock_is_right(tmp_path: Path) -> None:
    flag = tmp_path / "synchronized"
    flag.touch()
    assert synchronised(flag=flag)


def test_without_the_flag_the_kernel_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert synchronised(flag=tmp_path / "none") in (True, False)
    for says in (True, False):
        monkeypatch.setattr("player.device.synchronised._kernel_says_synchronised", lambda says=says: says)
        assert synchronised(flag=tmp_path / "none") is says


def machine(root: Path, **files: str) -> Path:
    places = {
        "zone0": "sys/class/thermal/thermal_zone0/temp",
        "zone1": "sys/class/thermal/thermal_zone1/temp",
        "meminfo": "proc/meminfo",
        "throttled": "sys/devices/platform/soc/soc:firmware/get_throttled",
        "boot_id": "proc/sys/kernel/random/boot_id",
    }
    for name, content in files.items():
        path = root / places[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def test_a_raspberry_pi_tells_all(tmp_path: Path) -> None:
    root = machine(
        tmp_path,
        zone0="51234\n",
        zone1="48000\n",
        meminfo="MemTotal:        948304 kB\nMemAvailable:   500000 kB\n",
        throttled="0x50000\n",
    )
    health = read_health(tmp_path, root=root)
    disk = os.statvfs(tmp_path)
    assert health == Health(
        temperature_celsius=51.234,
        disk_free_bytes=health.disk_free_bytes,
        memory_available_bytes=512_000_000,
        throttled=False,
        disk_read_only=False,
        disk_failing=False,
        disk_free_files=health.disk_free_files,
        under_voltage=True,
    )
    assert health.disk_free_bytes == pytest.approx(disk.f_bavail * disk.f_frsize, rel=0.2)


@pytest.mark.parametrize(
    ("flags", "throttled"), [("0", False), ("0x1", True), ("50005", True), ("0xd0000", False), ("?", None)]
)
def test_throttling_counts_now_and_not_then(tmp_path: Path, flags: str, throttled: bool | None) -> None:
    assert read_health(tmp_path, root=machine(tmp_path, throttled=flags)).throttled is throttled


@pytest.mark.parametrize(("alarm", "weak"), [("1", True), ("0", False), ("", None)])
def test_a_raspberry_pi_under_another_kernel_tells_of_its_voltage(
    tmp_path: Path, alarm: str, weak: bool | None
) -> None:
    for number, name in enumerate(("cpu_thermal", "rpi_volt")):
        (tmp_path / f"sys/class/hwmon/hwmon{number}").mkdir(parents=True)
        (tmp_path / f"sys/class/hwmon/hwmon{number}/name").write_text(f"{name}\n")
        (tmp_path / f"sys/class/hwmon/hwmon{number}/in0_lcrit_alarm").write_text(f"{alarm}\n")
    assert read_health(tmp_path, root=tmp_path).under_voltage is weak


@pytest.mark.goes_beyond("MAX_MOUNTS_BYTES")
@pytest.mark.parametrize(
    ("options", "errors", "read_only", "failing"),
    [
        ("rw,relatime", "0", False, False),
        ("rw,relatime", "3", False, False),
        ("rw,relatime,emergency_ro", "1", True, True),
        ("ro,relatime", "0", True, False),
        ("ro,relatime", "1", True, True),
        ("ro,errors=remount-ro", None, True, False),
    ],
)
def test_a_file_system_that_has_protected_itself_tells_that_the_disk_fails(
    tmp_path: Path, options: str, errors: str | None, read_only: bool, failing: bool
) -> None:
    number = tmp_path.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(
        f"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
        f"30 27 {device} / /var/lib rw,relatime shared:1 - ext4 /dev/root {options}\n"
    )
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / "sys/dev/block" / device).symlink_to("../../devices/mmc0/mmcblk0p2")
    if errors is not None:
        (tmp_path / "sys/fs/ext4/mmcblk0p2").mkdir(parents=True)
        (tmp_path / "sys/fs/ext4/mmcblk0p2/errors_count").write_text(f"{errors}\n")
    health = read_health(tmp_path, root=tmp_path)
    assert (health.disk_read_only, health.disk_failing) == (read_only, failing)


def test_a_disk_that_does_not_even_say_its_size_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> NoReturn:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "statvfs", refuse)
    assert read_health(tmp_path, root=tmp_path).disk_failing


def test_a_machine_that_tells_nothing_is_no_fault(tmp_path: Path) -> None:
    assert read_health(tmp_path / "gone", root=tmp_path) == Health()
    assert read_boot_id(root=tmp_path) == ""


@pytest.mark.parametrize("reading", ["-273000", "999999", "", "hot", "\xff"])
def test_absurd_temperatures_are_passed_over(tmp_path: Path, reading: str) -> None:
    root = machine(tmp_path, zone0=reading, zone1="40000")
    assert read_health(tmp_path, root=root).temperature_celsius == 40.0


@pytest.mark.parametrize(("counted", "kills"), [("oom_kill 2\n", 2), ("", None), ("oom_kill many\n", None)])
def test_programs_that_were_ended_for_want_of_memory_are_counted(
    tmp_path: Path, counted: str, kills: int | None
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/vmstat").write_text(f"nr_free_pages 1\n{counted}swap_ra 0\n")
    assert read_health(tmp_path, root=tmp_path).memory_kills == kills


def test_absurd_memory_is_passed_over(tmp_path: Path) -> None:
    root = machine(tmp_path, meminfo="MemAvailable: plenty\n" + "x" * 100_000)
    assert read_health(tmp_path, root=root).memory_available_bytes is None


@pytest.mark.parametrize(("chips", "has_one"), [({}, False), ({"rtc0": "0\n"}, False), ({"rtc0": "1\n"}, True)])
def test_a_boot_says_whether_a_chip_has_set_its_clock(tmp_path: Path, chips: dict[str, str], has_one: bool) -> None:
    root = machine(tmp_path, boot_id="d8af7cfb-e229-485c-895d-70a076f3814f\n")
    for chip, text in chips.items():
        (root / "sys/class/rtc" / chip).mkdir(parents=True)
        (root / "sys/class/rtc" / chip / "hctosys").write_text(text)
    boot = read_boot(root=root)
    assert boot.id == "d8af7cfbe229485c895d70a076f3814f"
    assert boot.has_battery_clock is has_one
    assert boot.seconds <= read_boot(root=root).seconds
    assert boot.seconds >= time.monotonic() - 1, "sleep counts"


def test_a_boot_has_an_id(tmp_path: Path) -> None:
    root = machine(tmp_path, boot_id="d8af7cfb-e229-485c-895d-70a076f3814f\n")
    assert read_boot_id(root=root) == "d8af7cfbe229485c895d70a076f3814f"
    assert len(read_boot_id()) == 32


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_hears_what_it_is_told(tmp_path: Path, abstract: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"@menu-player-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind("\0" + name[1:] if abstract else name)
        monkeypatch.setenv("NOTIFY_SOCKET", name)
        monkeypatch.setenv("WATCHDOG_PID", "1")
        assert sd_notify("READY=1", "STATUS=playing\nREADY=0")
        assert ear.recv(1000) == b"READY=1\nSTATUS=playing READY=0"
        assert sd_notify("WATCHDOG=1")
        assert ear.recv(1000) == b"WATCHDOG=1"


@pytest.mark.parametrize("address", [None, "", "relative", "/nowhere/at/all", "@nobody-listens-here"])
def test_where_systemd_does_not_listen_nothing_happens(address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variable(monkeypatch, "NOTIFY_SOCKET", address)
    assert not sd_notify("READY=1")


def test_a_full_socket_costs_one_message_and_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(tmp_path / "notify"))
        told = [sd_notify("WATCHDOG=1") for _ in range(10_000)]
    assert told[0]
    assert not told[-1]


@pytest.mark.parametrize(
    ("text", "seconds"), [("30000000", 15.0), ("0", None), ("", None), (None, None), ("soon", None), ("-5", None)]
)
def test_the_watchdog_is_fed_twice_in_its_time(
    text: str | None, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_variable(monkeypatch, "WATCHDOG_USEC", text)
    assert watchdog_interval() == seconds


def with_variable(monkeypatch: pytest.MonkeyPatch, name: str, text: str | None) -> None:
    monkeypatch.setenv(name, text or "")
    if text is None:
        monkeypatch.delenv(name)


@pytest.mark.proves("slow-machine-starves")
def test_a_slow_machine_has_a_watchdog_that_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "20000000")
    assert ready() == ("READY=1", "WATCHDOG_USEC=20000000")
    assert ready(2.5) == ("READY=1", "WATCHDOG_USEC=50000000")
    monkeypatch.delenv("WATCHDOG_USEC")
    assert ready(2.5) == ("READY=1",), "without a watchdog there is none to be told"


def test_a_machine_is_the_same_at_each_start_and_not_its_neighbour_from_the_same_card(tmp_path: Path) -> None:
    def built(name: str, *, address: str = "b8:27:eb:00:00:01", virtual: str = "", serial: str = "") -> str | None:
        root = tmp_path / name
        files = {"etc/machine-id": "0123456789abcdef0123456789abcdef\n"}
        if serial:
            files["proc/device-tree/serial-number"] = serial + "\0"
        for interface, of, assigned in (("eth0", address, "0"), ("tun0", virtual, "0"), ("wlan0", virtual, "1")):
            files[f"sys/class/net/{interface}/address"] = of + "\n"
            files[f"sys/class/net/{interface}/addr_assign_type"] = assigned + "\n"
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content)
        for interface in ("eth0", "wlan0"):
            (root / "sys/class/net" / interface / "device").mkdir()
        return machine_identity(root=root)

    first = built("first")
    assert first is not None
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert built("again", virtual="02:00:00:00:00:07") == first, "addresses that programs make up do not count"
    assert built("neighbour", address="b8:27:eb:00:00:02") != first
    pi = built("pi", serial="100000003d1d1c36")
    assert pi not in (None, first)
    assert built("pi with another adapter", serial="100000003d1d1c36", address="b8:27:eb:00:00:03") == pi
    assert machine_identity(root=tmp_path / "nothing") is None


def test_a_gauge_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "proc/sys/kernel/random/boot_id"
    file.parent.mkdir(parents=True)
    file.write_text("a" * (2 * MAX_FACT_BYTES))
    assert len(read_boot_id(root=tmp_path)) == MAX_FACT_BYTES


def test_an_offset_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "offset"
    path.write_bytes(b"60".ljust(MAX_OFFSET_FILE_BYTES) + b"0" * 1_000_000)
    moved = OffsetClock(path).wall() - SystemClock().wall()
    assert 30 < moved.total_seconds() < 90


@pytest.mark.parametrize(
    ("link", "zone"),
    [
        ("/usr/share/zoneinfo/America/New_York", "America/New_York"),
        ("../usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Etc/UTC", ""),
        ("/usr/share/zoneinfo/Europe/London", ""),
        (None, ""),
    ],
)
def test_the_zone_that_somebody_has_set(tmp_path: Path, link: str | None, zone: str) -> None:
    (tmp_path / "etc").mkdir()
    if link is not None:
        (tmp_path / "etc" / "localtime").symlink_to(link)
    assert zone_set(root=tmp_path) == zone
