"""States in which nothing is wrong, and nothing may be told as if it were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Thread

from tests.diagnosis import servers, wire
from tests.diagnosis.content_faults import new_playlist, nothing_now, playing, published
from tests.diagnosis.fault import Fault, Injection, Way
from tests.diagnosis.rig import ADDRESS6, Rig

FILM = Path(__file__).parents[1] / "data" / "film.mp4"
LARGE_MENU = 300
PRICE_SECONDS = 0.5


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


@contextmanager
def _other_machine(rig: Rig) -> Iterator[None]:
    """The name has a wrong IPv6 address, where something with another certificate answers."""
    other = servers.encrypted(rig.authority.server("shop.example"), servers.answering(servers.page(404)))
    with rig.front6.instead(other):
        rig.names.answer6 = ADDRESS6
        rig.cut()
        yield
        rig.names.answer6 = ""
    rig.cut()


@contextmanager
def _film(rig: Rig) -> Iterator[None]:
    film = {"id": "film", "type": "video", "x": 0, "y": 0, "width": 1920, "height": 1080}
    asset = rig.service.upload(FILM.read_bytes(), "video/mp4")
    with playing(rig, published(rig, new_playlist(rig, rig.scene("Film", film | {"asset": asset})))):
        rig.player.wait_for("it plays", lambda state: state["showing"]["sceneName"] == "Film")
        yield


@contextmanager
def _large_menu(rig: Rig) -> Iterator[None]:
    """Its pages all have their turn in one showing."""
    with playing(rig, published(rig, new_playlist(rig, rig.scene("All we have"), seconds=120))):
        rig.player.wait_for("it plays", lambda state: state["showing"]["sceneName"] == "All we have")
        made = [rig.service.post("/content/items", _dish(number))["id"] for number in range(LARGE_MENU)]
        yield
        for one in made:
            rig.service.delete(f"/content/items/{one}")


def _dish(number: int) -> dict[str, object]:
    return {"name": f"Coffee No. {number}", "category": "Coffee", "price": round(1 + number / 100, 2)}


@contextmanager
def _prices_change(rig: Rig) -> Iterator[None]:
    """The operator works on the prices all the time."""
    items = [each["id"] for each in rig.service.get("/content/items")["data"]]
    over = Event()

    def change() -> None:
        for number in count():
            if over.wait(PRICE_SECONDS):
                return
            rig.service.patch(
                f"/content/items/{items[number % len(items)]}", {"price": round(2 + number % 100 / 100, 2)}
            )

    operator = Thread(target=change)
    operator.start()
    yield
    over.set()
    operator.join()


NOTES = ("files_on_their_way", "version_waits", "nothing_scheduled", "restarted")
"""Findings that are no fault, and may be told."""

FAULTS = (
    Fault("paired and playing", _after(lambda _: None), notes=NOTES),
    Fault("paired and playing, plain HTTP", _after(lambda _: None), notes=NOTES, way=Way.PLAIN),
    Fault("paired and playing, by a proxy", _after(lambda _: None), notes=NOTES, way=Way.PROXY),
    Fault("service restarted", _after(_restart_service), notes=NOTES),
    Fault("player restarted", _after(_restart_player), notes=NOTES),
    Fault("new version", _after(_publish), notes=NOTES),
    Fault("nothing in the playlist's hours now", nothing_now, notes=NOTES),
    Fault("a film plays", _film, notes=NOTES),
    Fault("a menu of 300 items", _large_menu, notes=NOTES),
    Fault("prices change all the time", _prices_change, notes=NOTES),
    Fault("clock stepped by 2 s", _after(lambda rig: rig.turn_clock(2), lambda rig: rig.turn_clock(0)), notes=NOTES),
    Fault("200 ms there and back", _after(lambda rig: _set_line(rig, delay=0.1), _set_line), notes=NOTES),
    Fault("one packet in fifty lost", _after(lambda rig: _set_line(rig, loss=0.02), _set_line), notes=NOTES),
    Fault("connections cut once", _after(Rig.cut), notes=NOTES),
    Fault("IPv6 broken beside IPv4", _after(_lose_ipv6, _find_ipv6), notes=NOTES),
    Fault("IPv6 address of another machine beside IPv4", _other_machine, notes=NOTES),
    Fault("address renewed", _after(_renew_address), notes=NOTES),
)
