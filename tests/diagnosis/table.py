"""The whole table: faults and healthy states by their names."""

from __future__ import annotations

from tests.diagnosis import content_faults, device_faults, healthy, network_faults, start_faults
from tests.diagnosis.fault import Fault

FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        *network_faults.FAULTS,
        *device_faults.FAULTS,
        *content_faults.FAULTS,
        *start_faults.FAULTS,
        *healthy.FAULTS,
    )
}
