"""Decides which manifests are used: an older one than the board has only when the service has insisted for long."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.documents.manifest import Manifest
from player.domain.documents.revisions import OlderManifest, Revisions

log = logging.getLogger(__name__)


class Intake(Struct, frozen=True, kw_only=True):
    """The revisions of the manifests that were used, and the newest of the older ones that were not."""

    revisions: Revisions = Revisions()
    refused: OlderManifest | None = None

    def arrive(self, manifest: Manifest, body: bytes, now: float) -> Change:
        """A manifest has come; `now` is on the monotonic clock."""
        if not self.revisions.refuse(manifest):
            return self._used(manifest), (manifest, body), ()
        before = self.refused
        if before is None:
            log.warning("the service has sent an older menu than the one that shows; it is not used")
            before = OlderManifest(manifest=manifest, body=body, since=now)
        refused = replace(before, manifest=manifest, body=body)
        return replace(self, refused=refused), None, (act.Contradict(holds=self.revisions.held(manifest)),)

    def answered(self, now: float) -> Change:
        """The service was asked, and keeps to what it sent last."""
        if self.refused is None:
            return self, None, ()
        refused = replace(self.refused, answers=self.refused.answers + 1)
        if not refused.believed(now):
            return replace(self, refused=refused), None, ()
        log.warning("the service has sent nothing newer; its older menu is used")
        manifest = refused.manifest
        return self._used(manifest), (manifest, refused.body), (act.Contradict(holds=""),)

    def _used(self, manifest: Manifest) -> Intake:
        for rejection in manifest.rejections:
            log.warning("rejected %s: %s (%s)", rejection.subject, rejection.detail, rejection.code)
        return Intake(revisions=self.revisions.after(manifest))


Change = tuple[Intake, tuple[Manifest, bytes] | None, tuple[act.Action, ...]]
"""With the manifest to use, and its body."""


def instants_of(manifests: Iterable[Manifest]) -> tuple[datetime, ...]:
    """Instants that have been, as these manifests tell them."""
    found: list[datetime] = []
    for manifest in manifests:
        found.append(manifest.catalogue.revision_at)
        if manifest.version is not None:
            found.append(manifest.version.published_at)
    return tuple(found)
