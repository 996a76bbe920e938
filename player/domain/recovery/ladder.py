"""Fault ladder: reports what keeps the view from the display, counts it, and chooses the next attempt.

Its rungs are those of fallback.py; liveness.py determines the fault. A fault is reported once, counted, and unless
another scene can replace the failed one, the player restarts.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import PlaylistVersion, Rejection, VersionKey
from player.domain import actions as act
from player.domain.events import DisplayChecked, OrderFailed
from player.domain.recovery import fallback
from player.domain.recovery.failures import Failures
from player.domain.recovery.fault_texts import DISPLAY
from player.domain.recovery.liveness import GOOD_SECONDS, DisplayFault, FaultCode, Liveness, slowness
from player.domain.view import SceneView, View

log = logging.getLogger(__name__)

REPORT_SECONDS = 2.0
"""From a fault of the display to the restart: a heartbeat reports it first."""

MAY_END_THE_PROCESS = frozenset({FaultCode.GRAPHICS_FAILED, FaultCode.DISPLAY_BROKEN})
"""Counted at once."""

WITH_COMPOSITOR = frozenset({FaultCode.FRAMES_STOPPED, FaultCode.DISPLAY_HANGS})
"""Faults in which the display's thread or the compositor answers nobody."""

NO_SCREEN = Rejection(code="no_screen", subject="display", detail="")
SAFE_CARD = Rejection(code="safe_card", subject="display", detail="")


class Ladder(Struct, frozen=True, kw_only=True):
    """Present fault, the failures counted so far, and the next restart. Times are monotonic seconds; failures count by
    the system's wall time."""

    liveness: Liveness
    retry_at: float
    """When the safe card gives way to another try."""
    failures: Failures = Failures()
    safe_card: bool = False
    """Whether the display shows the safe card, whatever is ordered."""
    has_previous: bool = False
    """Whether there is a version before the running one."""
    fault: DisplayFault | None = None
    blamed: Mapping[str, int] = {}
    """The subjects that count as failed once the player restarts for the present fault."""
    restart_at: float | None = None
    building: tuple[VersionKey, str] | None = None
    """The scene (by id) that the display builds."""
    failed_view: View | None = None
    unhandled: Rejection | None = None
    """The newest event that could not be handled."""

    @classmethod
    def begin(
        cls,
        failures: Failures,
        *,
        safe_card: bool,
        has_previous: bool,
        loaded_in: float,
        now: float,
        wall: datetime,
    ) -> Ladder:
        """Returns the ladder of a start that took so many seconds to load the program."""
        slow = slowness(loaded_in)
        if slow > 1:
            log.info(
                "the program took %.0f s to load: pictures may take %.1f times as long as on a quick machine",
                loaded_in,
                slow,
            )
        return cls(
            liveness=Liveness(since=now, patience=fallback.patience(failures, wall), slowness=slow),
            retry_at=now + fallback.SAFE_CARD_SECONDS,
            failures=failures,
            safe_card=safe_card,
            has_previous=has_previous,
        )

    def order(self, serial: int, now: float) -> Ladder:
        return self if self.safe_card else replace(self, liveness=self.liveness.order(serial, now))

    def show(self, serial: int) -> Ladder:
        """Records that the frame of an order was swapped."""
        return replace(self, liveness=self.liveness.show(serial))

    def refuse(self, event: OrderFailed, view: View | None) -> Ladder:
        """Records that the display reports a failed view: by the time that the fault is handled, another may be
        ordered."""
        log.error("order %d: %s (%s)", event.serial, event.detail, event.code)
        liveness = self.liveness.fail(event.code, event.serial, event.detail)
        return replace(self, liveness=liveness, failed_view=view)

    def look(self, event: DisplayChecked, now: float, *, is_dark: bool) -> Ladder:
        """Evaluates the display's signs of life; `is_dark` where its panel is off on purpose."""
        liveness = self.liveness.look(
            now,
            turned_at=event.turned_at,
            has_screen=event.has_screen,
            frames_seen=event.frames_seen and not self.safe_card and not is_dark,
            frame_asked_at=event.frame_asked_at,
        )
        return replace(self, liveness=liveness, building=event.building)

    def miss_event(self, kind: str, error: Exception, now: float) -> Ladder:
        """Records that an event of this kind could not be handled."""
        unhandled = Rejection(code="event_failed", subject=kind, detail=type(error).__name__)
        return replace(self, liveness=self.liveness.miss_event(now), unhandled=unhandled)

    def miss_update(self, now: float) -> Ladder:
        """Records that the view to show could not be computed."""
        return replace(self, liveness=self.liveness.miss_update(now))

    def update(self) -> Ladder:
        """Records that the view to show was computed."""
        return replace(self, liveness=self.liveness.update()) if self.liveness.stuck else self

    def take_over(self, now: float) -> Change:
        """Resets for another running version, in which earlier failures may not recur."""
        ladder = replace(self, has_previous=True)
        if not self.safe_card:
            return ladder, ()
        return replace(ladder, restart_at=now + REPORT_SECONDS).storing(self.failures.cleared([fallback.DISPLAY]))

    def step(self, *, view: View | None, version: VersionKey | None, now: float, wall: datetime) -> Change:
        """Reports a fault once, counts it, and chooses what follows. `view` is the newest ordered one."""
        actions: tuple[act.Action, ...] = ()
        liveness = self.liveness
        if not liveness.has_screen or self.fault is not None:
            liveness = replace(liveness, since=now)
        ladder, fault = replace(self, liveness=liveness), liveness.fault(now)
        if fault is not None and (self.fault is None or not fault.is_same(self.fault)):
            ladder, actions = ladder.meet(fault, view, version, now, wall)
            actions = (*actions, act.SendHeartbeat())
        elif fault is None and self.fault is not None:
            log.info("orders are on the glass again")
            ladder = replace(ladder, fault=None, restart_at=None, blamed={})
            actions = (act.SendHeartbeat(),)
        if fault is None and liveness.shown and now - liveness.since >= GOOD_SECONDS:
            ladder, forgiven = ladder.forgive(view, now)
            actions = (*actions, *forgiven)
        if ladder.safe_card and now >= ladder.retry_at:
            log.info("trying again to show the menu")
            ladder = replace(ladder, restart_at=now, retry_at=float("inf"))
        if ladder.restart_at is None or now < ladder.restart_at:
            return ladder, actions
        ladder, counted = replace(ladder, restart_at=None).count(ladder.blamed, wall)
        waits_for_nobody = fault is not None and fault.code in WITH_COMPOSITOR
        return ladder, (*actions, *counted, act.Restart(with_compositor=waits_for_nobody))

    def passed_over(self, version: PlaylistVersion, unshowable: Container[str], wall: datetime) -> frozenset[str]:
        """Returns the scenes of this version (by id) that restarts have not helped, and those that rest where another
        can show. `unshowable` are entries that cannot be shown anyway."""
        failures, key, scenes = self.failures, version.key, version.scenes
        if not failures.records:
            return frozenset()
        failing = frozenset(scene for scene in scenes if fallback.passes_over(failures, key, scene, wall))
        out = failing.union(scene for scene in scenes if fallback.rests(failures, key, scene, wall))
        others = (entry for entry in version.entries if entry.id not in unshowable)
        return out if any(entry.scene_id not in out for entry in others) else failing

    @property
    def is_live(self) -> bool:
        """Whether the order is displayed, or may still take its time."""
        return self.fault is None or not self.fault.keeps_from_glass

    def faults(self, *, is_dark: bool) -> tuple[Rejection, ...]:
        """Returns the faults that keep the view from the display, the gravest first. A panel that `is_dark` on purpose
        is not missed."""
        fault, found = self.fault, []
        if not self.liveness.has_screen and not is_dark:
            found.append(NO_SCREEN)
        if fault is not None:
            found.append(Rejection(code=fault.code.value, subject="display", detail=fault.detail))
        return (*found, SAFE_CARD) if self.safe_card else tuple(found)

    def meet(
        self, fault: DisplayFault, view: View | None, version: VersionKey | None, now: float, wall: datetime
    ) -> Change:
        log.error("%s", DISPLAY[fault.code].what)
        ladder = replace(self, fault=fault)
        shown = self.failed_view if fault.is_of_one_order else view
        scene = (shown.key, shown.scene.id) if isinstance(shown, SceneView) else None
        if fault.code is FaultCode.DISPLAY_HANGS:
            scene = self.building or scene
        if version is not None and fallback.gives_way(self.failures, version, wall) and not self.has_previous:
            # There is nothing to give way to.
            version = None
        restarts = self.failures.of(fallback.EVENTS, wall)
        if fault.code is FaultCode.EVENTS_FAIL and restarts >= fallback.MOST_EVENT_RESTARTS:
            return ladder, ()
        # What is broken for every view needs no second proof.
        times = fallback.MOST_DISPLAY_FAILURES if fault.code is FaultCode.DISPLAY_BROKEN else 1
        blamed = dict.fromkeys(fallback.subjects_of(fault.code, scene=scene, version=version), times)
        if fault.code is FaultCode.DISPLAY_HANGS and self.building is not None:
            blamed[fallback.hang_subject(*self.building)] = 1
        refused = scene if fault.is_of_one_order else None
        actions: tuple[act.Action, ...] = ()
        if refused is not None or fault.code in MAY_END_THE_PROCESS:
            ladder, actions = ladder.count(blamed, wall)
        else:
            # What ends by itself has not failed, and what makes the player restart has failed once.
            ladder = replace(ladder, blamed={**self.blamed, **blamed})
        if refused is not None and fallback.passes_over(ladder.failures, *refused, wall):
            gives_way = version is not None and fallback.gives_way(ladder.failures, version, wall)
            if not (gives_way and self.has_previous):
                return ladder, actions
        return replace(ladder, restart_at=self.restart_at or now + REPORT_SECONDS), actions

    def count(self, blamed: Mapping[str, int], wall: datetime) -> Change:
        if not blamed:
            return self, ()
        failures = self.failures
        for subject, times in blamed.items():
            failures = failures.failed(subject, wall, times=times)
        return self.storing(failures)

    def forgive(self, view: View | None, now: float) -> Change:
        """Forgives the failures of the view that has proved itself."""
        proven, records = [fallback.DISPLAY, fallback.FRAMES, fallback.EVENTS], self.failures.records
        if isinstance(view, SceneView):
            proven.append(fallback.scene_subject(view.key, view.scene.id))
            version = fallback.version_subject(view.key)
            if not any(subject.startswith(f"{version}/") for subject in records):
                proven.append(version)
        ladder = replace(self, liveness=replace(self.liveness, since=now, unhandled=()), unhandled=None)
        return ladder.storing(self.failures.cleared(proven)) if records.keys() & set(proven) else (ladder, ())

    def storing(self, failures: Failures) -> Change:
        failures = failures.trimmed()
        return replace(self, failures=failures), (act.StoreFailures(content=failures.encoded()),)


Change = tuple[Ladder, tuple[act.Action, ...]]
