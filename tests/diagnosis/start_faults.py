"""Faults that are there when the device starts: it does not know the time, or what it stored has been damaged."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime

from tests.diagnosis.content_faults import new_playlist, playing, published
from tests.diagnosis.device_faults import stopped
from tests.diagnosis.fault import Fault, Injection, Way
from tests.diagnosis.healthy import NOTES
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


def _pictures(spoil: Callable[[bytes], bytes], *, away: bool = False) -> Injection:
    """The pictures on the disk have been damaged while the device was off; every scene is one."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        scenes = [rig.scene_with_picture(f"Picture {number}", 200 + number) for number in range(5)]
        with playing(rig, published(rig, new_playlist(rig, *scenes))):
            rig.player.wait_for("they play", lambda state: state["showing"]["sceneName"] == "Picture 0")
            rig.player.end()
            files = [path for path in (rig.player.state_folder / "assets").rglob("*") if path.is_file()]
            for file in files:
                file.write_bytes(spoil(file.read_bytes()))
            with rig.door.instead(None) if away else nullcontext():
                rig.player.start()
                yield

    return inject


def _altered(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes((content[middle] ^ 0xFF,)) + content[middle + 1 :]


_run_out = certificate(HOST, begins=-90, ends=-2)

FAULTS = (
    Fault("certificate, and the clock at 1970", _started_anew(_at_1970), "connection_clock_wrong"),
    Fault("certificate, and the clock at 1970, not paired", _started_anew(_at_1970), "connection_clock_wrong",
          way=Way.UNPAIRED),
    Fault("certificate run out at the start", _started_anew(_run_out), "connection_certificate_expired"),
    Fault("certificate run out at the start, not paired", _started_anew(_run_out), "connection_certificate_expired",
          way=Way.UNPAIRED),
    Fault("pictures cut on the device, no service", _pictures(lambda content: content[:-1000], away=True),
          "files_damaged"),
    Fault("pictures altered on the device, no service", _pictures(_altered, away=True), "files_damaged"),
    # They are fetched again within seconds.
    Fault("pictures cut on the device", _pictures(lambda content: content[:-1000]), notes=(*NOTES, "files_damaged")),
    Fault("pictures altered on the device", _pictures(_altered), notes=(*NOTES, "files_damaged")),
)  # fmt: skip
