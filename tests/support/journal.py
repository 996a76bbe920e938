"""Stands in for `journalctl`, as a program of its own in the path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def with_journalctl(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """From now on `journalctl` is this shell script."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    program = programs / "journalctl"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
