"""The machines that images are tried on: a PC with BIOS or UEFI; for the Raspberry Pi's image QEMU's general machine of
arm64 (`virt`), and its model of a Raspberry Pi 4.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.vm import emulator

if TYPE_CHECKING:
    from tests.vm.computer import Computer

EMULATED = "tcg,thread=multi,tb-size=512"

PC_ACCELERATOR = os.environ.get("MENU_VM_ACCELERATOR", EMULATED)
"""MENU_VM_ACCELERATOR=kvm uses KVM: there are machines whose /dev/kvm runs no BIOS, which nothing but a try tells."""

PC_PROCESSOR = "max,avx=off,avx2=off,f16c=off,fma=off,la57=off,pku=off,smap=off,smep=off"
"""Without what costs an emulator most."""

PI_DISPLAY = 0x3C100000
"""Where the model's display reads its picture."""

PI_4_TREE = "bcm2711-rpi-4-b.dtb"

PI_4_LACKS = (
    *("txp@7e004000", "hvs@7e400000", "pixelvalve@7e206000", "pixelvalve@7e207000", "pixelvalve@7e20a000"),
    *("pixelvalve@7e216000", "pixelvalve@7ec12000", "vec@7ec13000", "clock@7ef00000", "interrupt-controller@7ef00100"),
    *("hdmi@7ef00700", "i2c@7ef04500", "hdmi@7ef05700", "i2c@7ef09500"),
)
"""Parts of its display that QEMU 10 does not have, and Linux dies over; PCIe, Ethernet, thermometer and random numbers
QEMU leaves out by itself."""

PI_4_WITHOUT = "module_blacklist=bcm2835_wdt"
"""Its watchdog restarts the model as soon as it is opened."""

DRAWS_ON_ITS_FRAMEBUFFER = """\
[Service]
ExecStart=
ExecStart=/usr/bin/menu-player run
Environment=QT_QPA_PLATFORM=linuxfb:fb=/dev/fb0:nographicsmodeswitch QT_QUICK_BACKEND=software
DeviceAllow=char-fb rw
TimeoutStartSec=infinity
WatchdogSec=0
"""
"""A session without cage, which wants a display with KMS. The times of a unit are too short for the model."""

HAS_TIME = """\
[Service]
TimeoutStartSec=infinity
"""

ASKS_FOR_AN_ADDRESS = """\
SUBSYSTEM=="net", ENV{ID_NET_AUTO_LINK_LOCAL_ONLY}="0"
"""
"""QEMU's network adapter has the id of a Linux gadget, of which systemd tells NetworkManager to ask nobody."""


@dataclass(frozen=True)
class Machine:
    """One for the image of that name."""

    image: str
    program: str
    boot: int
    """The number of the partition that it starts from."""
    root: int
    words: Callable[[Computer], list[str]]
    """Of QEMU, for this computer."""
    files: Mapping[str, str] = field(default_factory=dict)
    """What its root has besides."""


def _virtio(computer: Computer, *, display: str) -> list[str]:
    width, height = computer.size
    return [
        *("-m", str(computer.memory_mib), "-smp", "2"),
        *("-device", f"{display},xres={width},yres={height},edid=on"),
        *("-nic", "user,model=virtio-net-pci", "-device", "virtio-rng-pci"),
    ]


def _pc(computer: Computer) -> list[str]:
    return [
        *("-machine", "q35", "-accel", PC_ACCELERATOR, "-cpu", PC_PROCESSOR),
        *_virtio(computer, display="virtio-vga"),
        *("-drive", f"file={computer.disk.path},format=raw,if=none,id=disk,cache=writeback,discard=unmap"),
        *("-device", "ahci,id=sata", "-device", "ide-hd,drive=disk,bus=sata.0"),
    ]


def _uefi(computer: Computer) -> list[str]:
    firmware, variables = emulator.root() / "usr/share/OVMF", computer.folder / "variables.fd"
    if not variables.exists():
        shutil.copy(firmware / "OVMF_VARS_4M.fd", variables)
    return [
        *_pc(computer),
        *("-drive", f"if=pflash,format=raw,readonly=on,file={firmware}/OVMF_CODE_4M.fd"),
        *("-drive", f"if=pflash,format=raw,file={variables}"),
    ]


def _arm64(computer: Computer) -> list[str]:
    return [
        *("-machine", "virt", "-accel", EMULATED, "-cpu", "cortex-a72", *_kernel(computer)),
        *_virtio(computer, display="virtio-gpu-pci"),
        *("-drive", f"file={computer.disk.path},format=raw,if=virtio,cache=writeback,discard=unmap"),
    ]


def _pi_4(computer: Computer) -> list[str]:
    width, height = computer.size
    display = {"xres": width, "yres": height, "bpp": 32, "pixo": 0}
    return [
        *(
            "-machine",
            "raspi4b",
            "-accel",
            EMULATED,
            *_kernel(computer, PI_4_WITHOUT),
            "-dtb",
            str(_device_tree(computer)),
        ),
        *(word for name, value in display.items() for word in ("-global", f"bcm2835-fb.{name}={value}")),
        *("-drive", f"file={computer.disk.path},format=raw,if=sd,cache=writeback"),
        *("-netdev", "user,id=net", "-device", "usb-net,netdev=net"),
    ]


def _kernel(computer: Computer, also: str = "") -> list[str]:
    """The kernel that the Pi's own loader would start, by the boot partition's settings; `also` is a word for it."""
    disk, folder = computer.disk, computer.folder
    settings = disk.boot_file("config.txt", folder / "config.txt").read_text()
    words = []
    for option, pattern in (("-kernel", r"^kernel=(\S+)"), ("-initrd", r"^initramfs (\S+)")):
        found = re.search(pattern, settings, re.MULTILINE)
        assert found, f"config.txt names nothing for {option}: {settings}"
        words += [option, str(disk.boot_file(found[1], folder / option[1:]))]
    told = disk.boot_file("cmdline.txt", folder / "cmdline.txt").read_text().strip()
    return [*words, "-append", f"{told} {also}".strip()]


def _device_tree(computer: Computer) -> Path:
    """The image's own, as the model needs it: without what it lacks, with the card where QEMU puts it (at the Wi-Fi's
    controller, always powered), with the USB of a host, and with the display as its firmware would tell."""
    tree = computer.disk.boot_file(PI_4_TREE, computer.folder / PI_4_TREE)
    width, height = computer.size
    wifi, display = "/soc/mmc@7e300000", f"/chosen/framebuffer@{PI_DISPLAY:x}"
    edits = [
        *(("-t", "s", f"/soc/{part}", "status", "disabled") for part in PI_4_LACKS),
        *(("-t", "s", part, "status", "disabled") for part in ("/gpu", "/emmc2bus/mmc@7e340000")),
        ("-d", wifi, "mmc-pwrseq", "non-removable"),
        ("-r", f"{wifi}/wifi@1"),
        (wifi, "broken-cd"),
        ("-t", "s", "/soc/usb@7e980000", "dr_mode", "host"),
        ("-t", "i", "/chosen", "#address-cells", "2"),
        ("-t", "i", "/chosen", "#size-cells", "1"),
        ("/chosen", "ranges"),
        ("-c", display),
        ("-t", "s", display, "compatible", "simple-framebuffer"),
        ("-t", "s", display, "format", "a8r8g8b8"),
        ("-t", "i", display, "width", str(width)),
        ("-t", "i", display, "height", str(height)),
        ("-t", "i", display, "stride", str(width * 4)),
        ("-t", "x", display, "reg", "0", f"{PI_DISPLAY:x}", f"{width * height * 4:x}"),
    ]
    for edit in edits:
        options = [word for word in edit[:2] if word.startswith("-")]
        count = 2 if options[:1] == ["-t"] else len(options)
        command, environment = emulator.command("fdtput", *edit[:count], str(tree), *edit[count:])
        emulator.run(*command, env=environment)
    return tree


MACHINES = {
    "pc": Machine("pc", "qemu-system-x86_64", boot=2, root=3, words=_pc),
    "uefi": Machine("pc", "qemu-system-x86_64", boot=2, root=3, words=_uefi),
    "arm64": Machine("pi", "qemu-system-aarch64", boot=1, root=2, words=_arm64),
    "raspi4b": Machine(
        "pi",
        "qemu-system-aarch64",
        boot=1,
        root=2,
        words=_pi_4,
        files={
            "/etc/systemd/system/menu-player.service.d/vm.conf": DRAWS_ON_ITS_FRAMEBUFFER,
            "/etc/systemd/system/menu-player-boot-file.service.d/vm.conf": HAS_TIME,
            "/etc/udev/rules.d/90-vm.rules": ASKS_FOR_AN_ADDRESS,
        },
    ),
}
