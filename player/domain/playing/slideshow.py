"""Finds the slide of a slideshow at an instant; pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from menu.documents.scene import SlideshowWidget


def slide_at(
    widget: SlideshowWidget, t: datetime, *, counted_from: datetime, showable: Callable[[int], bool]
) -> int | None:
    """Returns the slide at the instant `t` of a slideshow that began at `counted_from`; None if none can be shown.

    One that cannot be shown keeps its time, and the next that can takes it, as entries do in a loop.
    """
    count = len(widget.slides)
    length = timedelta(seconds=sum(slide.seconds for slide in widget.slides))
    left = (t - counted_from) % length
    number = 0
    while left >= (duration := timedelta(seconds=widget.slides[number].seconds)):
        left -= duration
        number += 1
    turns = ((number + further) % count for further in range(count))
    return next((slide for slide in turns if showable(slide)), None)
