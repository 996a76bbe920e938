"""Numbers the orders to the display, and tracks which of them is displayed; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Catalogue
from menu.text.languages import goes_by_turns
from player.domain import actions as act
from player.domain.events import FramePresented
from player.domain.state import Kind, Presented
from player.domain.view import HouseCard, SceneView, View

MAX_ORDERS_IN_FLIGHT = 32
"""Orders remembered until their frame is swapped; the display drops overtaken ones."""


class Frames(Struct, frozen=True, kw_only=True):
    """Newest view and its serial, the views whose frames are still to come, and the displayed frame."""

    serial: int = 0
    view: View | None = None
    in_flight: Mapping[int, View] = {}
    presented: Presented = Presented()
    first_at: float | None = None
    """When the first frame of this start was swapped; monotonic seconds."""

    def order(self, view: View) -> Frames:
        """Orders a view: a new one gets the next serial."""
        if view == self.view:
            return self
        serial = self.serial + 1
        in_flight = dict([*self.in_flight.items(), (serial, view)][-MAX_ORDERS_IN_FLIGHT:])
        return replace(self, serial=serial, view=view, in_flight=in_flight)

    def show(
        self, event: FramePresented, *, at: datetime, catalogue: Catalogue | None
    ) -> tuple[Frames, tuple[act.Action, ...]]:
        """Records a frame swapped `at` this time. Changes that an operator can distinguish are sent to the service at
        once."""
        view = self.in_flight.get(event.serial)
        if view is None:
            return self, ()
        presented = self._presented(event.serial, view, at, catalogue)
        after = replace(
            self,
            in_flight={serial: view for serial, view in self.in_flight.items() if serial > event.serial},
            presented=presented,
            first_at=event.at if self.first_at is None else self.first_at,
        )
        return after, () if _content(presented) == _content(self.presented) else (act.SendHeartbeat(),)

    def _presented(self, serial: int, view: View, at: datetime, catalogue: Catalogue | None) -> Presented:
        before = self.presented
        if not isinstance(view, SceneView):
            kind = Kind.HOUSE if isinstance(view, HouseCard) else Kind.PAIRING
            return Presented(serial=serial, kind=kind, since=before.since if before.kind is kind else at, at=at)
        goes_on = (before.key, before.entry_id) == (view.key, view.entry_id)
        latency, revised_at, history = before.latency, before.revised_at, before.history
        if before.revision != view.revision:
            # The first revision after a start has no latency: its change was made while the player was off.
            known = before.revision is not None and catalogue is not None and catalogue.revision == view.revision
            latency = at - catalogue.revision_at if catalogue is not None and known else None
            revised_at = at
        if catalogue is not None and catalogue.revision == view.revision:
            history = catalogue.history
        elif before.revision != view.revision:
            history = None
        return Presented(
            serial=serial,
            kind=Kind.SCENE,
            key=view.key,
            revision=view.revision,
            scene_id=view.scene.id,
            entry_id=view.entry_id,
            override=view.override,
            history=history,
            language=view.locality.locale if goes_by_turns(view.scene) else None,
            since=before.since if goes_on else at,
            at=at,
            latency=latency,
            revised_at=revised_at,
        )


def _content(presented: Presented) -> tuple[object, ...]:
    """Returns the scene, version and revision: not each frame."""
    return (presented.kind, presented.key, presented.revision, presented.scene_id, presented.entry_id)
