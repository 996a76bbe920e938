"""Faults that other parts have reported, by their subject, until the part is well again."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from msgspec import Struct

from menu.documents.manifest import Rejection
from player.domain.events import PartFailed, PartWell

log = logging.getLogger(__name__)

MOST_FAULTS = 100
"""Faults that are remembered: those reported last."""


class Reported(Struct, frozen=True):
    """The faults by subject."""

    faults: Mapping[str, Rejection] = {}

    def failed(self, event: PartFailed) -> Reported:
        """A part reports a fault."""
        before = self.faults.get(event.subject)
        if event.code == "disk_read_only" and before is not None and before.code == "disk_failing":
            # What a failing disk answers once its file system has protected itself.
            return self
        fault = Rejection(code=event.code, subject=event.subject, detail=event.detail)
        if before != fault:
            log.warning("%s: %s (%s)", event.subject, event.detail, event.code)
        faults = {**self.faults, event.subject: fault}
        return Reported(dict(list(faults.items())[-MOST_FAULTS:]))

    def well(self, event: PartWell) -> Reported:
        """The reports of these are over."""
        over = self.faults.keys() & event.subjects
        for subject in over:
            log.info("%s is well again", subject)
        return Reported({key: fault for key, fault in self.faults.items() if key not in over}) if over else self
