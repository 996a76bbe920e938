"""packaging/install.sh refuses what cannot work before it changes anything, and says what to do.

What it installs is tested by tests/packaging/test_packages.py, on a Debian 13.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PACKAGING = Path(__file__).parents[2] / "packaging"
SCRIPT = PACKAGING / "install.sh"


def install(*arguments: str) -> tuple[int, str]:
    done = subprocess.run([SCRIPT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give the address of the service"),
        (("--service",), "--service needs an address"),
        (("--service", "menu.example.com"), "is not an address like https://"),
        (("--service", 'https://menu.example.com"'), "is not an address like https://"),
        (("--service", "http://menu.example.com"), "is not encrypted"),
        (("--service", "http://localhost.example.com"), "is not encrypted"),
        (("--servce", "https://menu.example.com"), "--servce is unknown"),
        (("--purge",), "--purge goes with --uninstall"),
        (("--service-here", "--service-later"), "give one of --service, --service-here and --service-later"),
        (("--service-later", "--service", "https://a.example"), "give one of --service, --service-here and --serv"),
        (("--service", "https://a.example", "--service-here"), "give one of --service, --service-here and --service"),
    ],
)
def test_wrong_arguments_are_named_and_nothing_happens(arguments: tuple[str, ...], said: str) -> None:
    code, error = install(*arguments)
    assert code == 2
    assert said in error.splitlines()[0]


@pytest.mark.parametrize("arguments", [("--service", "https://menu.example.com"), ("--service-later",)])
def test_another_system_is_refused_by_name(arguments: tuple[str, ...]) -> None:
    if "VERSION_CODENAME=trixie" in Path("/etc/os-release").read_text():
        pytest.skip("this machine could be installed on")
    code, error = install(*arguments)
    assert code == 1
    assert "Debian 13 or Raspberry Pi OS based on it (trixie) is needed" in error


def test_without_a_terminal_each_part_has_a_line() -> None:
    """As in the log of whoever installs many machines: hours of nothing look like a machine that hangs."""
    said = (
        "dlstatus:1:0.5:Fetching\ndlstatus:2:50:Fetching\npmstatus:cage:10:Unpacking\nx\npmstatus:cage:90:Configuring\n"
    )
    progress = f"eval \"$(sed -n '/^show_progress() {{/,/^}}/p' {SCRIPT})\"; show_progress"
    done = subprocess.run(["bash", "-c", progress], input=said, capture_output=True, text=True, check=True)
    assert done.stderr == "  downloading\n  installing\n"


def test_shellcheck_finds_nothing() -> None:
    scripts = [path for path in PACKAGING.rglob("*") if path.is_file() and path.read_bytes()[:30].startswith(SHELLS)]
    assert len(scripts) > 5
    said = subprocess.run(
        ["shellcheck", "-x", *scripts], cwd=PACKAGING.parent, capture_output=True, text=True, check=False
    )
    assert said.stdout == ""


SHELLS = (b"#!/bin/sh\n", b"#!/usr/bin/env bash\n", b"# shellcheck shell=bash")
