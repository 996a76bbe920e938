"""Fixtures of the network thread."""

import pytest

from tests.player.runtime.network.playing import clock, decoded, server

__all__ = ["clock", "decoded", "server"]


@pytest.fixture(autouse=True)
def _of_the_main_thread(qapp: object) -> None:
    """Qt takes the thread that uses it first for the main one: here one that makes a picture smaller."""
