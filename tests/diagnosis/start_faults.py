"""Faults of a device that starts without the time: no time server has set its clock, and no service has told it."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from tests.diagnosis.device_faults import stopped
from tests.diagnosis.fault import Fault, Injection, Way
from tests.diagnosis.network_faults import certificate
from tests.diagnosis.rig import HOST, Rig
from tests.diagnosis.servers import answering, encrypted, page
from tests.support.authority import DAY


def _started_anew(fault: Injection) -> Injection:
    """The device starts with the fault, and has no code left where it is not paired."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        with fault(rig):
            with stopped(rig):
                if rig.way is Way.UNPAIRED:
                    for name in ("credentials", "credentials-copy"):
                        (rig.player.state_folder / name).unlink(missing_ok=True)
            yield
        with stopped(rig):
            pass

    return inject


@contextmanager
def _at_1970(rig: Rig) -> Iterator[None]:
    """The library that checks certificates goes by this machine's clock: it is the service that is a week ahead."""
    now = datetime.now(UTC) + 7 * DAY
    context = rig.authority.server(HOST, begins=now - DAY, ends=now + DAY)
    answer = page(404, Menu_Display="1", Date=email.utils.format_datetime(now, usegmt=True))
    rig.turn_clock(-time.time() + 30)
    with rig.door.instead(encrypted(context, answering(answer))):
        yield
    rig.turn_clock(0)


_run_out = certificate(HOST, begins=-90, ends=-2)

FAULTS = (
    Fault("certificate, and the clock at 1970", _started_anew(_at_1970), "connection_clock_wrong"),
    Fault("certificate, and the clock at 1970, not paired", _started_anew(_at_1970), "connection_clock_wrong",
          way=Way.UNPAIRED),
    Fault("certificate run out at the start", _started_anew(_run_out), "connection_certificate_expired"),
    Fault("certificate run out at the start, not paired", _started_anew(_run_out), "connection_certificate_expired",
          way=Way.UNPAIRED),
)  # fmt: skip
