"""Images handed to QML: each is given once, shares its pixels, and is not kept when nobody takes it."""

from __future__ import annotations

from PySide6.QtGui import QImage

from player.display.media.image_provider import MOST_HELD, hold, take


def image(width: int) -> QImage:
    made = QImage(width, 1, QImage.Format.Format_RGB32)
    made.fill(0xFF204060)
    return made


def taken(url: str) -> QImage:
    return take(url.rpartition("/")[2])


def test_an_image_is_given_once_and_not_copied() -> None:
    held = image(7)
    url = hold(held)
    given = taken(url)

    assert given.cacheKey() == held.cacheKey()
    assert taken(url).isNull()
    assert hold(QImage()) == ""


def test_images_that_nobody_takes_are_dropped() -> None:
    urls = [hold(image(number + 1)) for number in range(MOST_HELD + 2)]

    assert [taken(url).width() for url in urls] == [0, 0, *range(3, MOST_HELD + 3)]
