"""Receipts of displayed content, with start and end: one for a stretch without a change of anything but the scene.

A loop that repeats for hours is one receipt: its scenes, each with its offset, and the period after which all but the
first, which may have begun before, come again. It is one once it has come twice. A showing that differs from the period
by more than `TOLERANCE` ends the receipt and begins another one, so each showing is reported to that precision. Pure.

Times are kept on the monotonic clock, and reported once the time is known: a correction of the clock makes none of them
longer. A stretch that was reported by a clock that has been corrected since ends with the correction, and keeps its
begin; the next one states that the clock was corrected.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from player.domain.panel.panel import Power
from player.domain.state import Kind, PlayerState, Presented
from player.domain.time.clock import Trust

TOLERANCE = 0.5
"""Seconds by which a showing may come earlier or later than told."""
MOST_STEPS = 50
"""Scenes that one receipt tells: more begin another one."""
LONGEST = 24 * 3600.0
"""Seconds that one receipt tells."""
MOST_WAITING = 500
"""Receipts that wait for the time to be known, or for the disk; the oldest are dropped."""
OFF = "off"


class OnGlass(Struct, frozen=True, kw_only=True):
    """Displayed content, except the scene."""

    kind: str
    playlist: str | None = None
    version: int | None = None
    revision: int | None = None
    history: str | None = None
    location: str | None = None
    override: str | None = None
    why: str | None = None


class Scene(Struct, frozen=True):
    """A displayed scene, and its language, where that differs between showings."""

    scene: str
    entry: str
    language: str | None = None


class Stretch(Struct, frozen=True, kw_only=True):
    """A receipt, on the monotonic clock. `steps` are scenes with their seconds since the begin; all but the first come
    again after each `period`. `shown` counts the showings so far."""

    number: int
    glass: OnGlass
    begin: float
    end: float
    steps: tuple[tuple[float, Scene], ...] = ()
    periods: tuple[float, float] | None = None
    """The shortest and the longest period by which every showing so far is told to `TOLERANCE`."""
    shown: int = 0
    before: str | None = None
    """Why nothing is known of the time before it."""
    zero: float | None = None
    """The time (Unix seconds) at 0 of the monotonic clock, by the clock that told it, if that was corrected since."""

    @property
    def period(self) -> float | None:
        return None if self.periods is None else sum(self.periods) / 2

    @property
    def scene(self) -> Scene | None:
        if self.periods is None:
            return self.steps[-1][1] if self.steps else None
        return self.steps[1 + (self.shown - 2) % (len(self.steps) - 1)][1]

    @property
    def due(self) -> float | None:
        """Expected start of the next scene; None while that is not known."""
        if self.period is None:
            return None
        loops, place = divmod(self.shown - 1, len(self.steps) - 1)
        return self.begin + self.steps[1 + place][0] + loops * self.period

    @property
    def latest(self) -> float | None:
        """Latest time at which it still counts as on time."""
        if self.periods is None:
            return None
        loops, place = divmod(self.shown - 1, len(self.steps) - 1)
        return self.begin + self.steps[1 + place][0] + loops * self.periods[1] + TOLERANCE

    def showing(self, scene: Scene, at: float) -> Stretch | None:
        """Adds another scene at this time; None if it does not fit."""
        offset = at - self.begin
        if self.periods is not None:
            loops, place = divmod(self.shown - 1, len(self.steps) - 1)
            begin, expected = self.steps[1 + place]
            low, high = _periods(offset - begin, loops)
            periods = max(low, self.periods[0]), min(high, self.periods[1])
            fits = expected == scene and periods[0] <= periods[1]
            return replace(self, periods=periods, shown=self.shown + 1) if fits else None
        if len(self.steps) >= MOST_STEPS:
            return None
        steps = (*self.steps, (offset, scene))
        if (found := _loop(steps)) is not None:
            return replace(self, steps=steps[: 1 + len(steps) // 2], periods=found, shown=len(steps))
        return replace(self, steps=steps, shown=len(steps))

    def told(self, *, now: datetime, monotonic: float) -> dict[str, Any]:
        """Returns the receipt as it is stored and sent, without its number; `now` is the time."""
        zero = now - timedelta(seconds=monotonic) if self.zero is None else datetime.fromtimestamp(self.zero, UTC)

        def instant(at: float) -> str:
            text = (zero + timedelta(seconds=at)).isoformat(timespec="milliseconds")
            return text.replace("+00:00", "Z")

        glass = self.glass
        steps = [
            _known(at=round(1000 * at), sceneId=one.scene, entryId=one.entry, language=one.language)
            for at, one in self.steps
        ]
        told = _known(
            kind=glass.kind,
            before=self.before,
            playlistId=glass.playlist,
            version=glass.version,
            revision=glass.revision,
            history=glass.history,
            locationId=glass.location,
            override=glass.override,
            why=glass.why,
            period=None if self.period is None else round(1000 * self.period),
        )
        return {"from": instant(self.begin), "to": instant(self.end), **told, **({"steps": steps} if steps else {})}


class Receipts(Struct, frozen=True, kw_only=True):
    """Receipts of a run of the player that are not stored yet; the last one is continuing."""

    stretches: tuple[Stretch, ...] = ()
    is_open: bool = False
    next_number: int = 1
    serial: int = -1
    """The newest frame that counted."""
    before: str | None = None
    """Why nothing is known of the time before the next one, where that is not the end of another run."""
    told: int = 0
    """The newest number that was told."""
    zero: float | None = None
    """The time (Unix seconds) at 0 of the monotonic clock; None before the time is known."""

    def look(self, state: PlayerState) -> Receipts:
        now, presented = state.monotonic, state.presented
        glass = on_glass(state)
        scene = _scene(presented) if glass is not None and glass.kind == Kind.SCENE else None
        at, changed = now, presented.serial > self.serial
        if changed and presented.at is not None:
            at = now - max(0.0, (state.at - presented.at).total_seconds())
        after = replace(self.reckoned(state), serial=max(self.serial, presented.serial))
        if glass is None:
            return after.ended(now) if after.is_open else after
        if not after.is_open:
            return after.begun(glass, scene, at if not self.is_open else now)
        last = after.stretches[-1]
        at = max(at, last.end)
        if glass != last.glass or now - last.begin >= LONGEST:
            return after.ended(at).begun(glass, scene, at)
        if last.latest is not None and last.due is not None and at > last.latest:
            # The next one has not come.
            after = after.ended(last.due).begun(glass, last.scene, last.due)
            last = after.stretches[-1]
        if scene is None or last.scene == scene:
            return after.reaching(now)
        shown = last.showing(scene, at)
        if shown is None:
            return after.ended(at).begun(glass, scene, at)
        return replace(after, stretches=(*after.stretches[:-1], shown)).reaching(now)

    def reckoned(self, state: PlayerState) -> Receipts:
        """Applies a correction of the clock, if there was one: reported receipts keep their times."""
        if state.clock.trust is Trust.UNKNOWN:
            return self
        zero, before = state.at.timestamp() - state.monotonic, self.zero
        after = replace(self, zero=zero)
        if before is None or abs(zero - before) <= 1.0:  # The service would name no such gap.
            return after
        stretches = tuple(
            replace(one, zero=before) if one.number <= self.told and one.zero is None else one for one in self.stretches
        )
        after = replace(after, stretches=stretches)
        if not self.is_open or stretches[-1].zero is None:
            return after
        return replace(after.ended(state.monotonic), before="clock")

    def telling(self) -> Receipts:
        """Marks all of them as reported."""
        return replace(self, told=self.next_number - 1)

    def begun(self, glass: OnGlass, scene: Scene | None, at: float) -> Receipts:
        """Begins a stretch with other content from this time on."""
        one = Stretch(
            number=self.next_number,
            glass=glass,
            begin=at,
            end=at,
            steps=() if scene is None else ((0.0, scene),),
            shown=0 if scene is None else 1,
            before=self.before,
        )
        kept, dropped = (*self.stretches, one)[-MOST_WAITING:], len(self.stretches) >= MOST_WAITING
        if dropped:
            kept = (replace(kept[0], before="dropped"), *kept[1:])
        return replace(self, stretches=kept, is_open=True, next_number=self.next_number + 1, before=None)

    def ended(self, at: float) -> Receipts:
        return replace(self.reaching(at), is_open=False)

    def reaching(self, at: float) -> Receipts:
        """Extends the stretch until this time, or until the next scene is due."""
        last = self.stretches[-1]
        at = at if last.due is None else min(at, last.due)
        return self if at <= last.end else replace(self, stretches=(*self.stretches[:-1], replace(last, end=at)))

    def stored(self, until: int) -> Receipts:
        """Removes stored receipts, up to this number; the continuing one is reported again."""
        kept = tuple(
            one for one in self.stretches if one.number > until or (self.is_open and one is self.stretches[-1])
        )
        return replace(self, stretches=kept)


def on_glass(state: PlayerState) -> OnGlass | None:
    """Returns the displayed content; None before the first frame, and where the device is no screen."""
    presented, key = state.presented, state.presented.key
    location = state.location.id if state.location is not None else None
    if state.pairing.screen_id is None:
        return None
    if state.panel.power is Power.OFF_BY_SCHEDULE:
        return OnGlass(kind=OFF)
    if presented.kind is Kind.NOTHING:
        return OnGlass(kind=presented.kind.value, why=state.faults[0].code) if state.faults else None
    if presented.kind is not Kind.SCENE or key is None:
        return OnGlass(kind=presented.kind.value)
    return OnGlass(
        kind=presented.kind.value,
        playlist=key.playlist_id,
        version=key.version,
        revision=presented.revision,
        history=presented.history,
        location=location,
        override=presented.override,
    )


def _scene(presented: Presented) -> Scene | None:
    if presented.kind is not Kind.SCENE or presented.scene_id is None or presented.entry_id is None:
        return None
    return Scene(presented.scene_id, presented.entry_id, presented.language)


def _loop(steps: tuple[tuple[float, Scene], ...]) -> tuple[float, float] | None:
    """Returns the periods of a loop that has come twice since the first scene, which may have begun before."""
    length, odd = divmod(len(steps) - 1, 2)
    if odd or not length:
        return None
    pairs = list(zip(steps[1 : 1 + length], steps[1 + length :], strict=True))
    if any(one[1] != other[1] for one, other in pairs):
        return None
    found = [_periods(other[0] - one[0], 1) for one, other in pairs]
    low, high = max(low for low, _ in found), min(high for _, high in found)
    return (low, high) if low <= high else None


def _periods(passed: float, loops: int) -> tuple[float, float]:
    return (passed - TOLERANCE) / loops, (passed + TOLERANCE) / loops


def _known(**facts: Any) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact is not None}


def batch(stretches: Sequence[Stretch], *, now: datetime, monotonic: float) -> dict[int, dict[str, Any]]:
    """Encodes these for storage, by number. An empty one, which nobody saw, is left out."""
    return {one.number: one.told(now=now, monotonic=monotonic) for one in stretches if one.end > one.begin}
