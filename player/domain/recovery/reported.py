"""Faults reported by other parts, by their subject, until the part works again."""

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
    faults: Mapping[str, Rejection] = {}

    def failed(self, event: PartFailed) -> Reported:
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
        over = self.faults.keys() & event.subjects
        for subject in over:
            log.info("%s is well again", subject)
        return Reported({key: fault for key, fault in self.faults.items() if key not in over}) if over else self
