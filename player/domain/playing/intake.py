"""Decides which manifests are used: one older than the board's only after the service has insisted for long."""

from __future__ import annotations

import logging

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Manifest, Rejection
from menu.documents.revisions import Revisions
from player.domain import actions as act

log = logging.getLogger(__name__)


BELIEVE_AFTER_SECONDS = 600.0
"""A service that has sent older manifests only for this long is believed: it was restored without saying so."""

OLDER = Rejection(
    code="manifest_older",
    subject="manifest",
    detail=f"The older menu is used if the service sends nothing newer for {BELIEVE_AFTER_SECONDS / 60:g} minutes. If "
    "its database was restored, run `menu-service mark-restored`.",
)


class Intake(Struct, frozen=True, kw_only=True):
    """Revisions of the used manifests, and the newest of the older ones, sent `since` then (monotonic seconds) with
    nothing newer between; `answers` counts the service's answers meanwhile."""

    revisions: Revisions = Revisions()
    refused: tuple[Manifest, bytes] | None = None
    since: float = 0.0
    answers: int = 0

    def arrive(self, manifest: Manifest, body: bytes, now: float) -> Change:
        """Handles a new manifest; `now` is on the monotonic clock."""
        if not self.revisions.refuse(manifest):
            return self._used(manifest), (manifest, body), ()
        after = replace(self, refused=(manifest, body))
        if self.refused is None:
            log.warning("the service has sent an older menu than the one that shows; it is not used")
            after = replace(after, since=now, answers=0)
        return after, None, (act.Contradict(holds=self.revisions.held(manifest)),)

    def answered(self, now: float) -> Change:
        """Handles an answer by which the service confirms what it sent last."""
        after = replace(self, answers=self.answers + 1)
        # A long outage, with fewer answers, is no evidence.
        if self.refused is None or after.answers < 10 or now - self.since < BELIEVE_AFTER_SECONDS:
            return after, None, ()
        log.warning("the service has sent nothing newer; its older menu is used")
        return self._used(self.refused[0]), self.refused, (act.Contradict(holds=""),)

    def _used(self, manifest: Manifest) -> Intake:
        for rejection in manifest.rejections:
            log.warning("rejected %s: %s (%s)", rejection.subject, rejection.detail, rejection.code)
        return Intake(revisions=self.revisions.after(manifest))


Change = tuple[Intake, tuple[Manifest, bytes] | None, tuple[act.Action, ...]]
"""With the manifest to use, and its body."""
