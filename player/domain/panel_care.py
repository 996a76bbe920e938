"""Follows the panel's orders and state as time passes and hours begin and end; pure. Its rules: panel.py."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from player.domain.events import PanelChecked
from player.domain.panel import AWAKE_SECONDS, WAKE_SECONDS, PanelFacts, PanelOrder, Power
from player.domain.time.eligibility import Eligibility


class PanelCare(Struct, frozen=True, kw_only=True):
    """The panel's order and what is known of it. Times are monotonic seconds."""

    awake_until: float
    """Until then it is on, whatever the hours."""
    waking_until: float = float("-inf")
    order: PanelOrder = PanelOrder()
    facts: PanelFacts = PanelFacts()
    looked: PanelChecked = PanelChecked()
    has_been_off: bool = False
    """Whether it may be dark because of what this process has asked for."""

    def follow(self, *, hours: Eligibility | None, mode: str | None, is_read: bool, now: float) -> PanelCare:
        """The order by the opening hours, None where they do not switch the panel, and the wanted mode. `is_read` says
        whether somebody has to read what is on the glass."""
        awake_until = max(self.awake_until, now + AWAKE_SECONDS) if is_read else self.awake_until
        waking_until, wanted = self.waking_until, Power.ON
        if hours is not None and not hours.eligible and now >= awake_until:
            wanted = Power.OFF_BY_SCHEDULE
        elif self.facts.wanted is Power.OFF_BY_SCHEDULE:
            waking_until = now + WAKE_SECONDS
        on = wanted is Power.ON
        # A panel that nobody has switched is left alone.
        order = PanelOrder(on=on if hours is not None or self.order.on is not None else None, mode=mode)
        return PanelCare(
            awake_until=awake_until,
            waking_until=waking_until,
            order=order,
            facts=PanelFacts(
                wanted=wanted,
                until=hours.end if hours is not None else None,
                obeys=self.looked.obeys,
                managed=self.looked.managed,
                mode=order.mode,
                offered=self.looked.offered,
            ),
            looked=self.looked if order == self.order else PanelChecked(),
            has_been_off=self.has_been_off or (order != self.order and not on),
        )

    def look(self, looked: PanelChecked) -> PanelCare:
        """With what was seen of the panel."""
        return replace(self, looked=looked)

    @property
    def may_be_stuck_off(self) -> bool:
        """Whether a panel without a picture may be one that was switched off here and did not come on again."""
        return self.has_been_off and self.facts.wanted is Power.ON

    def restarted(self) -> PanelCare:
        """After a restart of the compositor was asked for, which is done once."""
        return replace(self, has_been_off=False)

    def is_dark_on_purpose(self, now: float) -> bool:
        """Whether no screen is missed: it is off by the schedule, or waking."""
        return self.facts.wanted is Power.OFF_BY_SCHEDULE or now < self.waking_until

    @property
    def ends(self) -> tuple[float, ...]:
        """When its order may change of itself."""
        # Where it switches nothing it is no reason to wake up.
        return (self.waking_until,) if self.order.on is None else (self.awake_until, self.waking_until)
