"""The short id is what people read aloud from one screen and look for on another."""

from player.domain.words.short_id import short_id


def test_a_short_id_is_the_beginning_of_the_device_id_in_capitals() -> None:
    assert short_id("7f3a9c02c14be5d80a1122334455667f") == "7F3A9C"
