"""The commands that docs have a person type on a board or a server, word for word, on a Debian 13 without any more.

They stand in blocks marked `sh`. The packages of Debian come from apt's cache, for these machines have no network.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from collections.abc import Iterator

import pytest

from tests.kiosk.board import HEADLESS, Board
from tests.kiosk.machine import CHECKOUT, Machine, eventually
from tests.kiosk.roots import blank_root, built_packages

PAGES = ("docs/install.md", "docs/field-guide.md")
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"sh", "console", "toml", "nginx"}
"""Of blocks in install.md: `console` is for the computer that packages are built on."""

FILLED_IN = {"menu.example.com": "menu.localhost"}
"""Placeholders. Caddy makes certificates of its own for names that end like this."""

BEFORE = {
    "curl -w": "until curl -ksf https://menu.localhost/readyz; do sleep 1; done >/dev/null; "
    "cp /var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt /usr/local/share/ca-certificates/test.crt; "
    "update-ca-certificates >/dev/null 2>&1"
}
"""Stands for an authority that everybody trusts; a person types this command when Caddy has its certificate."""

BOARD = ("./install.sh --service", "apt update", "menu-player support-bundle")
BOARD_AND_SERVICE = (
    "apt install ./menu-player-guard",
    "apt install ./menu-service",
    "install -m 0644 /var/lib/caddy",
    "install -m 0644 ca.crt",
)
MINUTES = 15.0


def blocks() -> list[str]:
    """All blocks of commands, without their indent."""
    found = [block for page in PAGES for block in BLOCK.findall((CHECKOUT / page).read_text())]
    return [textwrap.dedent(text) for language, text in found if language == "sh"]


@pytest.fixture
def board() -> Iterator[Board]:
    """A bare machine that is on, with the folder dist/ of `make deb`."""
    machine = Machine(blank_root())
    machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
    machine.add("etc/apt/apt.conf.d/99yes", 'APT::Get::Assume-Yes "true";\n')
    machine.add("etc/hosts", "127.0.0.1 localhost kiosk menu.localhost\n")
    shutil.copytree(built_packages()[0].parent, machine.folder / "upper/root/dist")
    try:
        machine.boot()
        yield Board(machine)
    finally:
        machine.throw_away()


def typed(machine: Machine, opening: str) -> list[str]:
    """Types the block that begins like this, in dist/; returns the lines of its output."""
    [block] = [block for block in blocks() if block.startswith(opening)]
    for placeholder, value in FILLED_IN.items():
        block = block.replace(placeholder, value)
    lines = []
    for line in block.splitlines():
        lines += [hook for begin, hook in BEFORE.items() if line.startswith(begin)] + [line]
    command = machine.command("bash", "-ec", "cd /root/dist\n" + "\n".join(lines))
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
        timeout=MINUTES * 60,
    )
    assert done.returncode == 0, (block, done.stdout[-3000:])
    return done.stdout.splitlines()


def test_every_block_is_typed_by_these_tests() -> None:
    languages = [language for language, _ in BLOCK.findall((CHECKOUT / "docs/install.md").read_text())]
    assert set(languages) == LANGUAGES
    openings = (*BOARD, *BOARD_AND_SERVICE)
    assert [block for block in blocks() if not block.startswith(openings)] == []


def test_a_board_by_the_script(board: Board) -> None:
    installed, updated, bundled = (typed(board.machine, opening) for opening in BOARD)
    assert installed[-1].startswith("The screen shows "), installed
    assert board.machine.sh(SETTINGS) == "640 root menu-player"
    assert updated
    assert "menu-player-" in bundled[-1]


def test_a_board_by_hand_its_service_behind_caddy_and_the_certificate_of_caddy(board: Board) -> None:
    machine = board.machine
    typed(machine, BOARD_AND_SERVICE[0])
    assert machine.sh(SETTINGS) == "640 root menu-player", "as docs/security.md promises"
    assert machine.sh("ls /var/lib/menu-player-guard/kept"), "the guard has packages to go back to"

    said = typed(machine, BOARD_AND_SERVICE[1])
    assert said[-1].startswith("mk_"), said
    for opening in BOARD_AND_SERVICE[2:]:
        typed(machine, opening)
    assert machine.sh(SETTINGS) == "640 root menu-player"
    code = eventually(lambda: board.state().get("pairing", {}).get("code"), what="a code shows")
    assert re.fullmatch(r"\w{3}-?\w{3}", code)


SETTINGS = "stat -c '%a %U %G' /etc/menu-player/config.toml"
