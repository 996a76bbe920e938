"""Installs the checkout into a root, where there are no packages of ours."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.kiosk.machine import CHECKOUT, in_root

PACKAGES = (
    "cage", "seatd", "wlr-randr",
    "python3-pyside6.qtcore", "python3-pyside6.qtgui", "python3-pyside6.qtqml", "python3-pyside6.qtquick",
    "python3-pyside6.qtmultimedia", "python3-pyside6.qtnetwork",
    "qml6-module-qtquick", "qml6-module-qtquick-window", "qml6-module-qtmultimedia", "qt6-wayland", "qt6-svg-plugins",
    "qt6-image-formats-plugins", "fonts-inter", "fonts-noto-core", "fonts-dejavu-core", "libthai0", "tzdata",
    "python3-httpx", "python3-apscheduler", "python3-zeroconf", "python3-msgspec", "python3-starlette",
    "python3-uvicorn", "python3-segno", "python3-babel", "python3-fastapi", "python3-pydantic", "python3-sqlalchemy",
    "python3-alembic", "python3-psycopg", "python3-av", "python3-prometheus-client", "python3-anyio",
    "python3-cryptography", "python3-multipart",
)  # fmt: skip

WRAPPER = """#!/usr/bin/python3 -P
import sys
sys.path.insert(0, "/usr/lib/menu-player")
from {module} import main
sys.exit(main())
"""


def install(root: Path) -> None:
    library = root / "usr/lib/menu-player"
    for package in ("player", "service"):
        shutil.copytree(CHECKOUT / package, library / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, module in (("menu-player", "player.cli"), ("menu-service", "service.cli.main")):
        program = root / "usr/bin" / name
        program.write_text(WRAPPER.format(module=module))
        program.chmod(0o755)
    for unit in (CHECKOUT / "systemd").glob("*.service"):
        shutil.copy(unit, root / "usr/lib/systemd/system")
    in_root(
        root,
        "python3 -m compileall -q /usr/lib/menu-player; groupadd --force --system render; "
        "for user in menu-player menu-service; do "
        "useradd --system --user-group --home-dir /var/lib/$user --shell /usr/sbin/nologin $user; done; "
        "systemctl enable menu-player menu-service",
    )
