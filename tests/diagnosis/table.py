"""The whole table: faults and healthy states by their names."""

from __future__ import annotations

from tests.diagnosis import healthy, network_faults
from tests.diagnosis.fault import Fault

FAULTS: dict[str, Fault] = {fault.name: fault for fault in (*network_faults.FAULTS, *healthy.FAULTS)}
