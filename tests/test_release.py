"""What is released: one version for both programs."""

from player.version import VERSION as PLAYER
from service.version import VERSION as SERVICE


def test_player_and_service_have_one_version() -> None:
    assert PLAYER == SERVICE
