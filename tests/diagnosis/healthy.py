"""States in which nothing is wrong, and nothing may be told as if it were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.diagnosis import wire
from tests.diagnosis.fault import Fault, Injection, Way
from tests.diagnosis.rig import ADDRESS6, Rig


def _after(happens: Callable[[Rig], object], mend: Callable[[Rig], object] = lambda _: None) -> Injection:
    """Something happens, and is undone."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        happens(rig)
        yield
        mend(rig)

    return inject


def _restart_service(rig: Rig) -> None:
    rig.service.end()
    rig.service.start()


def _restart_player(rig: Rig) -> None:
    rig.player.end()
    rig.player.start()


def _publish(rig: Rig) -> None:
    rig.append(rig.scene("Even more coffee"), seconds=8)
    rig.publish()


def _set_line(rig: Rig, *, delay: float = 0.0, loss: float = 0.0) -> None:
    rig.wire.delay, rig.wire.loss = delay, loss


def _lose_ipv6(rig: Rig) -> None:
    rig.names.answer6, rig.wire.drops = ADDRESS6, wire.of_version(6)
    rig.cut()


def _find_ipv6(rig: Rig) -> None:
    rig.names.answer6 = ""
    rig.wire.heal()


def _renew_address(rig: Rig) -> None:
    rig.device("ip", "address", "flush", "dev", "eth0")
    rig.join()


NOTES = ("files_on_their_way", "version_waits", "nothing_scheduled", "restarted")
"""What is no fault, and may be said."""

FAULTS = (
    Fault("paired and playing", _after(lambda _: None), notes=NOTES),
    Fault("paired and playing, plain HTTP", _after(lambda _: None), notes=NOTES, way=Way.PLAIN),
    Fault("paired and playing, by a proxy", _after(lambda _: None), notes=NOTES, way=Way.PROXY),
    Fault("service restarted", _after(_restart_service), notes=NOTES),
    Fault("player restarted", _after(_restart_player), notes=NOTES),
    Fault("new version", _after(_publish), notes=NOTES),
    Fault("clock stepped by 2 s", _after(lambda rig: rig.turn_clock(2), lambda rig: rig.turn_clock(0)), notes=NOTES),
    Fault("200 ms there and back", _after(lambda rig: _set_line(rig, delay=0.1), _set_line), notes=NOTES),
    Fault("one packet in fifty lost", _after(lambda rig: _set_line(rig, loss=0.02), _set_line), notes=NOTES),
    Fault("connections cut once", _after(Rig.cut), notes=NOTES),
    Fault("IPv6 broken beside IPv4", _after(_lose_ipv6, _find_ipv6), notes=NOTES),
    Fault("address renewed", _after(_renew_address), notes=NOTES),
)
