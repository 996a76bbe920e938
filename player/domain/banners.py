"""Times the banner with the screen's name and the page's PIN over the view; pure."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.pairing.access import Pin

IDENTIFY_SECONDS = 20.0
"""The time for which the banner with the screen's name shows."""

DETAILS_SECONDS = 30.0
"""The time for which banner and strip show after F1, unless it is pressed again."""


class Banners(Struct, frozen=True, kw_only=True):
    """Times are monotonic seconds."""

    identify_until: float = float("-inf")
    details_until: float = float("-inf")
    pin: Pin | None = None

    def identify(self, now: float, *, wakes_in: float = 0.0) -> Banners:
        """Shows the screen's name; its panel wakes in `wakes_in` seconds."""
        return replace(self, identify_until=now + IDENTIFY_SECONDS + wakes_in)

    def press_f1(self, now: float) -> tuple[Banners, tuple[act.Action, ...]]:
        """Shows the details with a PIN, or hides them."""
        if now < self.details_until:
            return replace(self, details_until=now), ()
        return replace(self, details_until=now + DETAILS_SECONDS), (act.ShowPin(),)

    def names_screen(self, now: float) -> bool:
        """Whether the banner with the screen's name is shown."""
        return now < max(self.identify_until, self.details_until)

    def shown_pin(self, now: float) -> Pin | None:
        return self.pin if self.pin is not None and now < self.pin.until else None

    def are_read(self, now: float) -> bool:
        """Whether a banner is being read now."""
        return self.names_screen(now) or self.shown_pin(now) is not None

    @property
    def ends(self) -> tuple[float, ...]:
        return (self.identify_until, self.details_until, *(() if self.pin is None else (self.pin.until,)))
