"""Parts of scenes that the display could not draw, for as long as that holds."""

from __future__ import annotations

import logging
from collections.abc import Container, Mapping

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import PlaylistVersion, Rejection, VersionKey
from player.domain import actions as act
from player.domain.events import WidgetDrawn, WidgetUndrawable
from player.domain.view import DisplayOrder, SceneView

log = logging.getLogger(__name__)

MOST_PARTS = 100
"""Parts that are remembered: those told last."""


class _Fault(Struct, frozen=True, kw_only=True):
    """A fault of a part of this version, and its file; empty for another kind of fault."""

    rejection: Rejection
    key: VersionKey | None
    asset: str


class Undrawable(Struct, frozen=True):
    """Faults by part, in the order in which they were reported. Before what was uploaded is blamed, the file on this
    device is checked, once: requested for those `doubted`, and still to be done for those `unchecked`."""

    faults: Mapping[str, _Fault] = {}
    doubted: frozenset[str] = frozenset()
    unchecked: frozenset[str] = frozenset()

    def tell(
        self,
        event: WidgetUndrawable,
        order: DisplayOrder | None,
        *,
        running: PlaylistVersion | None,
        missing: Container[str],
    ) -> tuple[Undrawable, tuple[act.Action, ...]]:
        """Records that a part of this order, or of the running version, cannot be drawn. A file that is not known to be
        `missing` is checked."""
        scene = event.subject.partition("/")[0]
        # The display draws the first scene of the next version before that takes over, and may tell only once.
        views = (order.upcoming, order.view) if order is not None else ()
        drawn = next((view for view in views if isinstance(view, SceneView) and view.scene.id == scene), None)
        named = drawn.scene if drawn is not None else running.scenes.get(scene) if running else None
        after = self.record(event, key=drawn.key if drawn is not None else None, name=named.name if named else "")
        if after != self:
            log.warning("%s: %s (%s)", event.subject, event.detail, event.code)
        if not event.asset or event.asset in after.doubted or event.asset in missing:
            return after, ()
        return after.doubt(event.asset), (act.RecheckAssets(asset=event.asset),)

    def record(self, event: WidgetUndrawable, *, key: VersionKey | None, name: str) -> Undrawable:
        """Records that a part of the scene with this name cannot be drawn."""
        rejection = Rejection(code=event.code, subject=event.subject, detail=event.detail, name=name)
        fault = _Fault(rejection=rejection, key=key, asset=event.asset)
        faults = {**self.faults, event.subject: fault}
        return replace(self, faults=dict(list(faults.items())[-MOST_PARTS:]))

    def doubt(self, asset: str) -> Undrawable:
        return replace(self, doubted=self.doubted | {asset}, unchecked=self.unchecked | {asset})

    def checked(self) -> Undrawable:
        return replace(self, unchecked=frozenset())

    def drawn(self, event: WidgetDrawn) -> Undrawable:
        """Records that a part is drawn without these faults."""
        fault = self.faults.get(event.subject)
        return self if fault is None or fault.rejection.code not in event.codes else self._without({event.subject})

    def of_version(self, key: VersionKey | None) -> Undrawable:
        """Drops reports of the previous version: another one runs."""
        kept = self._without({subject for subject, fault in self.faults.items() if fault.key != key})
        return Undrawable(kept.faults, unchecked=self.unchecked)

    def without_faults_of(self, assets: Container[str]) -> Undrawable:
        """Drops reports about these files, which have arrived."""
        kept = self._without({subject for subject, fault in self.faults.items() if fault.asset in assets})
        return replace(kept, doubted=frozenset(asset for asset in self.doubted if asset not in assets))

    def told(self, missing: Container[str]) -> tuple[Rejection, ...]:
        """Returns the faults, without those of files that are known to be missing, or are still to be checked."""
        return tuple(
            fault.rejection
            for fault in self.faults.values()
            if fault.asset not in missing and fault.asset not in self.unchecked
        )

    def _without(self, subjects: Container[str]) -> Undrawable:
        faults = {subject: fault for subject, fault in self.faults.items() if subject not in subjects}
        return replace(self, faults=faults)
