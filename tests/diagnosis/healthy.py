"""States in which nothing is wrong, and nothing may be told as if it were."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.diagnosis.fault import Fault
from tests.diagnosis.rig import Rig


@contextmanager
def _nothing(rig: Rig) -> Iterator[None]:
    del rig
    yield


FAULTS = (Fault("paired and playing", _nothing),)
