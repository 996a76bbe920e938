"""Decides whether what was ordered is on the glass, and which fault there is if it is not; pure.

Times are monotonic seconds. The rules:

1. An order is shown when a frame that carries it has been swapped. The oldest order that is not shown may be
   `ORDER_WITHIN_SECONDS` old; then the order is late.
2. A still picture is ordered once, so the display asks for a frame every `PROBE_SECONDS`. If that frame has not been
   swapped `FRAME_WITHIN_SECONDS` later although the display's loop turns, the frames have stopped: nobody takes them.
3. Where no frame can be seen (no screen, a window out of sight) none is missed. Waiting starts anew afterwards.
4. A display whose loop has not turned for `HUNG_SECONDS` hangs. This time, and that of rule 1, begins with the first
   look: what a slow machine takes for its start is no fault.
   Nor is being slow: these times are longer on a machine that was slow to load the program, and of the time between
   two looks only `MOST_LOOK_SECONDS` count, because whatever held up the looks held up the display.
5. An order that the display refuses, or whose frame is one flat colour, has failed until a newer order is shown.
6. `MOST_EVENT_FAILURES` events within `EVENT_FAILURE_SECONDS` that could not be handled are a fault; fewer are only
   reported. So are as many attempts to work out what to show, which leave the board as it was.
7. After `GOOD_SECONDS` without a fault and with an order on the glass, what shows has proved itself.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

ORDER_WITHIN_SECONDS = 15.0
"""From an order to its frame: a transition of 5 s, 2 s for its images, and a slow machine."""

PROBE_SECONDS = 5.0
"""Between two frames that are requested only to see whether they are taken."""

FRAME_WITHIN_SECONDS = 5.0
"""From such a request to its frame."""

HUNG_SECONDS = 15.0
"""A display whose loop has not turned for this long hangs."""

MOST_LOOK_SECONDS = 2.0
"""The part that counts of the time between two looks, which come every second."""

QUICK_LOAD_SECONDS = 2.0
"""A machine that takes longer to load the program is slow, and is given as many times longer."""

MOST_SLOWNESS = 10.0

EVENT_FAILURE_SECONDS = 600.0
MOST_EVENT_FAILURES = 3

GOOD_SECONDS = 60.0
"""All has to be well for so long for failures to be forgotten."""


class FaultCode(StrEnum):
    """Faults that keep an order from the display."""

    ORDER_REFUSED = "order_refused"
    """The display could not carry the order out."""
    FRAME_BLANK = "frame_blank"
    """The frame is one flat colour, though the view holds more."""
    ORDER_LATE = "order_late"
    FRAMES_STOPPED = "frames_stopped"
    DISPLAY_HANGS = "display_hangs"
    DISPLAY_BROKEN = "display_broken"
    """The display's own files cannot be loaded."""
    GRAPHICS_FAILED = "graphics_failed"
    BOARD_STUCK = "board_stuck"
    """The view to show cannot be worked out."""
    EVENTS_FAIL = "events_fail"


class DisplayFault(Struct, frozen=True, kw_only=True):
    """A fault, and the order that it is about."""

    code: FaultCode
    serial: int
    detail: str = ""

    @property
    def is_of_one_order(self) -> bool:
        """Whether another order may be shown while this one cannot."""
        return self.code in {FaultCode.ORDER_REFUSED, FaultCode.FRAME_BLANK}

    @property
    def keeps_from_glass(self) -> bool:
        """Whether what shows may not be what was ordered."""
        return self.code is not FaultCode.EVENTS_FAIL

    def is_same(self, other: DisplayFault) -> bool:
        """Whether both are one fault that goes on."""
        return self.code is other.code and (self.serial == other.serial or not self.is_of_one_order)


def slowness(loaded_in: float) -> float:
    """Returns the factor of time limits on a machine that took so many seconds to load the program."""
    return min(max(1.0, loaded_in / QUICK_LOAD_SECONDS), MOST_SLOWNESS)


class Liveness(Struct, frozen=True, kw_only=True):
    """State of orders, frames and the display's loop. `since` is when the present stretch without a fault began.
    `counted` values are in seconds that count, of which `MOST_LOOK_SECONDS` pass from look to look."""

    since: float
    ordered: int = 0
    ordered_counted: float = 0.0
    shown: int = 0
    waiting_counted: float | None = None
    """Since when the oldest order that is not shown waits."""
    looked_at: float | None = None
    """The newest look; None before the first."""
    counted: float = 0.0
    """At that look."""
    turned_at: float | None = None
    """When the display's loop last ran, as it says; None before the first look."""
    turned_counted: float = 0.0
    has_screen: bool = True
    frames_seen: bool = True
    frame_asked_at: float | None = None
    frame_asked_counted: float = 0.0
    patience: float = 1.0
    """Multiplies the time for a frame, where restarts have not helped."""
    slowness: float = 1.0
    """Multiplies all times, on a slow machine."""
    failure: DisplayFault | None = None
    """A fault that was reported, until a newer order is shown."""
    unhandled: tuple[float, ...] = ()
    stuck: tuple[float, ...] = ()

    def order(self, serial: int, now: float) -> Liveness:
        if serial == self.ordered:
            return self
        counted = self._counted(now)
        since = counted if self.waiting_counted is None else self.waiting_counted
        return replace(self, ordered=serial, ordered_counted=counted, waiting_counted=since)

    def show(self, serial: int) -> Liveness:
        """Records that the frame of an order was swapped."""
        waiting = self.ordered_counted if serial < self.ordered else None
        failure = self.failure if self.failure is not None and self.failure.serial >= serial else None
        return replace(self, shown=max(serial, self.shown), waiting_counted=waiting, failure=failure)

    def fail(self, code: FaultCode, serial: int, detail: str) -> Liveness:
        return replace(self, failure=DisplayFault(code=code, serial=serial, detail=detail))

    def look(
        self, now: float, *, turned_at: float, has_screen: bool, frames_seen: bool, frame_asked_at: float | None
    ) -> Liveness:
        """Evaluates the display's own signs of life, read once a second."""
        counted, is_first = self._counted(now), self.looked_at is None

        def counted_at(moment: float) -> float:
            return max(self.counted, counted - max(0.0, now - moment))

        waiting, turned, asked = self.waiting_counted, self.turned_counted, self.frame_asked_counted
        if waiting is not None and (is_first or not frames_seen):
            waiting = counted
        if is_first or turned_at != self.turned_at:
            turned = counted_at(turned_at)
        if frame_asked_at is not None and frame_asked_at != self.frame_asked_at:
            asked = counted_at(frame_asked_at)
        return replace(
            self,
            looked_at=now,
            counted=counted,
            turned_at=turned_at,
            turned_counted=turned,
            has_screen=has_screen,
            frames_seen=frames_seen,
            frame_asked_at=frame_asked_at if frames_seen else None,
            frame_asked_counted=asked,
            waiting_counted=waiting,
        )

    def miss_event(self, now: float) -> Liveness:
        """Records that an event could not be handled."""
        return replace(self, unhandled=_recent(self.unhandled, now))

    def miss_update(self, now: float) -> Liveness:
        """Records that the view to show could not be computed."""
        return replace(self, stuck=_recent(self.stuck, now))

    def update(self) -> Liveness:
        """Records that the view to show was computed."""
        return replace(self, stuck=()) if self.stuck else self

    def fault(self, now: float) -> DisplayFault | None:
        """Returns the present fault, the gravest if there are several."""
        code = self._code(now)
        if code is None:
            return self.failure
        return DisplayFault(code=code, serial=self.ordered)

    def _code(self, now: float) -> FaultCode | None:
        if self.looked_at is not None and (code := self._display_code(self._counted(now))) is not None:
            return code
        if self.failure is not None:
            return None
        if len(self.stuck) >= MOST_EVENT_FAILURES:
            return FaultCode.BOARD_STUCK
        if len(self.unhandled) >= MOST_EVENT_FAILURES:
            return FaultCode.EVENTS_FAIL
        return None

    def _display_code(self, counted: float) -> FaultCode | None:
        if counted - self.turned_counted >= HUNG_SECONDS * self.slowness:
            return FaultCode.DISPLAY_HANGS
        patience, asked, waiting = self.patience * self.slowness, self.frame_asked_counted, self.waiting_counted
        # The loop has turned all the while: else it is slow, and the frame with it.
        if self.frame_asked_at is not None and self.turned_counted - asked >= FRAME_WITHIN_SECONDS * patience:
            return FaultCode.FRAMES_STOPPED
        if self.failure is None and waiting is not None and counted - waiting >= ORDER_WITHIN_SECONDS * patience:
            return FaultCode.ORDER_LATE
        return None

    def _counted(self, now: float) -> float:
        if self.looked_at is None:
            return 0.0
        return self.counted + min(max(0.0, now - self.looked_at), MOST_LOOK_SECONDS)


def _recent(times: tuple[float, ...], now: float) -> tuple[float, ...]:
    return (*(at for at in times if now - at < EVENT_FAILURE_SECONDS), now)[-MOST_EVENT_FAILURES:]
