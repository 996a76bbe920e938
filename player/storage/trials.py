"""Owns the note of which videos are on trial: what a player that died has left in it is counted by the next."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Annotated

import msgspec
from msgspec.structs import replace

from player.domain.trials import CRASHES_COUNT_FOR, Verdict, verdict
from player.storage.checksummed import CorruptError, add_checksum, read_checksummed
from player.storage.durable import StorageError, write_loosely

MOST_VIDEOS = 64
"""Videos in the note: those last begun."""
_KIND = "trials"

log = logging.getLogger(__name__)


class _Trial(msgspec.Struct, frozen=True):
    """The newest trial of a video: when it began, whether it goes on, and how many players died before."""

    begun_at: Annotated[datetime, msgspec.Meta(tz=True)]
    goes_on: bool
    crashes: int

    def crashes_at(self, now: datetime) -> int:
        """Those that still count. A trial in the future was begun by a clock that was wrong."""
        return self.crashes if timedelta() <= now - self.begun_at <= CRASHES_COUNT_FOR else 0


class TrialNote:
    """One small file; a Trials. It is written when a video first gets a decoder, and when it has proved itself: a board
    that loops writes nothing. Safe to call from several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, _Trial] | None = None
        self._decoders: dict[int, str] = {}
        self._proved: set[str] = set()

    def begin(self, decoder: int, video: str, now: datetime) -> Verdict:
        """Before a decoder gets the video's bytes. A disk that refuses the note keeps no video from playing."""
        with self._lock:
            if video not in self._proved and video not in self._decoders.values():
                trials = self._trials()
                crashes = trials[video].crashes_at(now) if video in trials else 0
                beside = any(trial.goes_on and trial.crashes for trial in trials.values())
                found = verdict(crashes, beside_suspect=beside)
                if found is not Verdict.PLAY:
                    return found
                trials[video] = _Trial(begun_at=now, goes_on=True, crashes=crashes)
                self._write()
            self._decoders[decoder] = video
            return Verdict.PLAY

    def prove(self, video: str) -> None:
        """It was decoded and nobody died."""
        with self._lock:
            self._proved.add(video)
            if self._trials().pop(video, None) is not None:
                self._write()

    def end(self, decoder: int) -> None:
        """The decoder is closed, or never came to be."""
        with self._lock:
            video = self._decoders.pop(decoder, None)
            trials = self._trials()
            if video is not None and video in trials and video not in self._decoders.values():
                trials[video] = replace(trials[video], goes_on=False)
                self._write()

    def forgive(self) -> None:
        """Somebody asks to try every video again."""
        with self._lock:
            trials = self._trials()
            self._known = {video: replace(trial, crashes=0) for video, trial in trials.items()}
            if trials:
                self._write()

    def _trials(self) -> dict[str, _Trial]:
        if self._known is None:
            left = self._read()
            # Who left it died over all that it was trying.
            self._known = {
                video: replace(trial, goes_on=False, crashes=trial.crashes + trial.goes_on)
                for video, trial in left.items()
            }
        return self._known

    def _read(self) -> dict[str, _Trial]:
        try:
            return msgspec.json.decode(read_checksummed(self._path, _KIND) or b"{}", type=dict[str, _Trial])
        except (CorruptError, msgspec.MsgspecError) as error:
            # A power cut may tear it: it is not worth the wait for the disk that would keep it whole.
            log.info("the note of videos on trial is not whole, and counts as empty: %s", error)
            return {}

    def _write(self) -> None:
        worth = [(video, trial) for video, trial in self._trials().items() if trial.goes_on or trial.crashes]
        newest = sorted(worth, key=lambda one: one[1].begun_at)[-MOST_VIDEOS:]
        self._known = dict(newest)
        try:
            write_loosely(self._path, add_checksum(_KIND, msgspec.json.encode(self._known)))
        except StorageError as error:
            log.warning("videos play without a note of it: %s", error)
