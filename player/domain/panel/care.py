"""Orders the panel's power and mode, as time passes and hours begin and end. Its rules: panel.py."""

from __future__ import annotations

import logging

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Location
from menu.rules.eligibility import Eligibility
from menu.rules.opening_hours import opening
from player.domain import actions as act
from player.domain.events import PanelChecked
from player.domain.panel.panel import (
    AWAKE_SECONDS,
    WAKE_SECONDS,
    PanelFacts,
    PanelOrder,
    Power,
    PowerRule,
    ScreenDisplay,
)
from player.domain.time.timekeeping import Timekeeping

log = logging.getLogger(__name__)


class PanelCare(Struct, frozen=True, kw_only=True):
    """State of the panel's order. Times are monotonic seconds."""

    own: ScreenDisplay = ScreenDisplay()
    """The device's own settings, which count before the service's."""
    awake_until: float
    """Until then it is on, whatever the hours."""
    waking_until: float = float("-inf")
    order: PanelOrder = PanelOrder()
    facts: PanelFacts = PanelFacts()
    has_been_off: bool = False
    """Whether it may be dark because of what this process has asked for."""

    def step(
        self, *, location: Location | None, display: ScreenDisplay, is_read: bool, time: Timekeeping
    ) -> tuple[PanelCare, tuple[act.Action, ...]]:
        """Orders power by the opening hours and the service's settings. `is_read`: somebody has to read what is
        displayed."""
        rule = self.own.power or display.power
        by_hours = rule is not PowerRule.ALWAYS and time.trusted
        hours = opening(location, time.now) if by_hours and location is not None else None
        care = self.ordered(hours, mode=self.own.mode or display.mode, is_read=is_read, now=time.monotonic)
        actions: tuple[act.Action, ...] = ()
        if care.order != self.order:
            actions += (act.KeepPanel(order=care.order),)
        if care.facts.wanted is not self.facts.wanted:
            on = care.facts.wanted is Power.ON
            log.info("panel ordered: %s", "on" if on else "off: its location is closed")
            actions += (act.SendHeartbeat(),)
        return care, actions

    def ordered(self, hours: Eligibility | None, *, mode: str | None, is_read: bool, now: float) -> PanelCare:
        awake_until = max(self.awake_until, now + AWAKE_SECONDS) if is_read else self.awake_until
        waking_until, wanted = self.waking_until, Power.ON
        if hours is not None and not hours.eligible and now >= awake_until:
            wanted = Power.OFF_BY_SCHEDULE
        elif self.facts.wanted is Power.OFF_BY_SCHEDULE:
            waking_until = now + WAKE_SECONDS
        on = wanted is Power.ON
        # A panel that nobody has switched is left alone.
        order = PanelOrder(on=on if hours is not None or self.order.on is not None else None, mode=mode)
        seen = self.facts if order == self.order else PanelFacts()
        return replace(
            self,
            awake_until=awake_until,
            waking_until=waking_until,
            order=order,
            facts=replace(seen, wanted=wanted, until=hours.end if hours is not None else None, mode=order.mode),
            has_been_off=self.has_been_off or (order != self.order and not on),
        )

    def look(self, looked: PanelChecked, *, has_screen: bool) -> tuple[PanelCare, tuple[act.Action, ...]]:
        """Evaluates a look at the panel. A compositor that does not switch on what it has switched off does so at its
        start, which is requested once."""
        seen = replace(self.facts, obeys=looked.obeys, managed=looked.managed, offered=looked.offered)
        care = replace(self, facts=seen)
        if looked.obeys:
            return care, ()
        log.warning("panel disobeys; its commands are repeated")
        if has_screen or not self.has_been_off or self.facts.wanted is not Power.ON:
            return care, ()
        return replace(care, has_been_off=False), (act.Restart(with_compositor=True),)

    @property
    def wakes_in(self) -> float:
        """Seconds until the panel is on, where it is off."""
        return WAKE_SECONDS if self.facts.wanted is Power.OFF_BY_SCHEDULE else 0.0

    def is_dark_on_purpose(self, now: float) -> bool:
        """Whether a missing screen is expected: it is off by the schedule, or waking."""
        return self.facts.wanted is Power.OFF_BY_SCHEDULE or now < self.waking_until

    @property
    def ends(self) -> tuple[float, ...]:
        """Times at which its order may change by itself."""
        # Where it switches nothing it is no reason to wake up.
        return (self.waking_until,) if self.order.on is None else (self.awake_until, self.waking_until)
