"""A player that is paired with a service holding the content, and its state directory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import content
from tests.support.programs import Player, Service

SIZE = f"{content.WIDTH}x{content.HEIGHT}"


def pair(service: Service, player: Player, playlist: str, location: str) -> None:
    """Start the player and pair it; returns when the playlist is on the glass."""
    player.start()
    service.post("/screens/pair", {"code": player.code(), "playlist": playlist, "location": location})
    player.wait_for("the playlist is on the glass", lambda state: state["presented"]["playlistId"] == playlist)


def paired_state(folder: Path, publish: Callable[[Service], tuple[str, str]]) -> Path:
    """The state directory of a player that has on its disk what `publish` makes: ids of a location and a playlist."""
    service = Service(folder)
    player = Player(folder, service.address, size=SIZE)
    try:
        location, playlist = publish(service)
        pair(service, player, playlist, location)
        player.end()
    finally:
        player.kill()
        service.kill()
    return player.state_folder


def benchmark_loop(service: Service) -> tuple[str, str]:
    """Start the service with the content of the comparison."""
    service.start()
    published = content.publish(service)
    return published.location, published.loop


def sample_cafe(service: Service) -> tuple[str, str]:
    """Start the service with the sample café; one of its four scenes is a film that fills the screen."""
    command = [sys.executable, "-m", "service", "demo-data", "--data", str(service.data)]
    sample = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    service.start()
    return sample["location"], sample["playlists"]["landscape"]
