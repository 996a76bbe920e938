"""Faults of the network, and of what answers in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.diagnosis.fault import Fault
from tests.diagnosis.rig import Rig
from tests.support.name_server import NXDOMAIN


@contextmanager
def _cable_out(rig: Rig) -> Iterator[None]:
    rig.router("ip", "link", "set", "shop0", "down")
    yield
    rig.router("ip", "link", "set", "shop0", "up")
    rig.join()


@contextmanager
def _no_such_name(rig: Rig) -> Iterator[None]:
    before, rig.names.answer = rig.names.answer, NXDOMAIN
    rig.door.serve(None)  # The connection of now would go on.
    rig.door.serve(rig.served)
    yield
    rig.names.answer = before


FAULTS = (
    Fault("cable out", _cable_out, "connection_no_cable", quick=True),
    Fault("no such name", _no_such_name, "connection_name_unknown"),
)
