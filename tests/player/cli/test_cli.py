"""The commands of `menu-player`: each explains itself, and ends without a traceback when nobody waits for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from player.cli import build_parser, main
from tests.support.commands import commands_of

COMMANDS = tuple(commands_of(build_parser()))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main((*command[1:], "--help"))

    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: {' '.join(command)}")
    assert "--help" in said


def test_the_overscan_is_explained_in_percent(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(("run", "--help"))

    assert "0 to 10 % of the side" in " ".join(capsys.readouterr().out.split())


def test_the_version_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(("--version",))

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("menu-player ")


INTERRUPTED_SEARCH = """
import asyncio, os, signal, sys
from player import cli
from player.link import discovery

async def discover(*, seconds):
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.sleep(seconds)

discovery.discover = discover
sys.exit(cli.main(("discover", "--seconds", "30")))
"""


def test_ctrl_c_ends_a_search_quietly() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_SEARCH], capture_output=True, check=False, timeout=30)

    assert (done.returncode, done.stderr) == (130, b"")


def test_a_reader_that_has_gone_is_no_fault(tmp_path: Path) -> None:
    """As `head` goes when it has read enough."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "player", "doctor", "--json", "--state", str(tmp_path)]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writer)

    assert (done.returncode, done.stderr) == (1, b"")
