"""A player that is paired with a service holding the content, and its state directory."""

from __future__ import annotations

from pathlib import Path

from benchmarks import content
from benchmarks.content import Published
from tests.support.programs import Player, Service, on_glass

SIZE = f"{content.WIDTH}x{content.HEIGHT}"


def pair(service: Service, player: Player, playlist: str, published: Published) -> None:
    """Start the player and pair it; returns when the menu is on the glass."""
    player.start()
    service.post("/screens/pair", {"code": player.code(), "playlist": playlist, "location": published.location})
    player.wait_for("the menu is on the glass", on_glass)


def paired_state(folder: Path, *, film: bool = False) -> Path:
    """The state directory of a player that has the content on its disk: the loop of all scenes, or that with a film."""
    service = Service(folder)
    service.start()
    player = Player(folder, service.address, size=SIZE)
    try:
        published = content.publish(service)
        pair(service, player, content.publish_film(service) if film else published.loop, published)
        player.end()
    finally:
        player.kill()
        service.kill()
    return player.state_folder
