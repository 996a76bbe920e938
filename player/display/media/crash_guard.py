"""Owns the question whether a video may be decoded: asked on a thread of its own, for the answer is noted on a disk."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import count

from PySide6.QtCore import QObject, Signal

from player.display.qt.slot import slot
from player.display.qt.worker import Worker
from player.domain.trials import Trials, Verdict

PROVED_SECONDS = 10.0
"""How long a video has to play, and to come round once, before it is believed that no player dies over it."""

Judged = Callable[[Verdict], None]
"""Hears whether the decoder may begin."""


class TrialDesk(QObject):
    """Everything is asked and said in order. Without `trials` every video may be decoded, which is known at once."""

    _answered = Signal(object, object)

    def __init__(self, trials: Trials | None, *, now: Callable[[], datetime], parent: QObject) -> None:
        super().__init__(parent)
        self._trials = trials
        self._now = now
        self._numbers = count(1)
        self._worker = Worker()
        self._answered.connect(self._answer)

    def number(self) -> int:
        """For a decoder that is to be asked for."""
        return next(self._numbers)

    def begin(self, decoder: int, video: str, judged: Judged) -> None:
        """Ask; `judged` hears it on this thread."""
        trials, now = self._trials, self._now()
        if trials is None:
            judged(Verdict.PLAY)
        else:
            self._worker.start(lambda: self._answered.emit(judged, trials.begin(decoder, video, now)))

    def prove(self, video: str) -> None:
        """The video was decoded and nobody died."""
        if trials := self._trials:
            self._worker.start(lambda: trials.prove(video))

    def end(self, decoder: int) -> None:
        """The decoder is closed, or is not wanted any more."""
        if trials := self._trials:
            self._worker.start(lambda: trials.end(decoder))

    def close(self) -> None:
        """Wait until what was said is noted."""
        self._worker.close()

    @slot(object, object)
    def _answer(self, judged: Judged, verdict: Verdict) -> None:
        judged(verdict)


class Trial:
    """One decoder of `video`. `judged` hears whether it may begin, unless the trial has ended before."""

    def __init__(self, desk: TrialDesk, video: str, *, judged: Judged) -> None:
        self._desk = desk
        self._video = video
        self._judged = judged
        self._decoder = desk.number()
        self._since: float | None = None
        self._position = 0
        self._came_round = False
        self._proved = False
        self._ended = False

    def begin(self) -> None:
        """Ask."""
        self._desk.begin(self._decoder, self._video, self._hear)

    def move(self, position: int) -> None:
        """The video has got so far, or to its beginning again."""
        self._came_round = self._came_round or position < self._position
        self._position = position

    def tick(self, monotonic: float) -> None:
        """It is decoded and a second has passed."""
        if self._since is None:
            self._since = monotonic
        elif self._came_round and monotonic - self._since >= PROVED_SECONDS:
            self.prove()

    def prove(self) -> None:
        """The decoder has done its work."""
        if not self._proved:
            self._proved = True
            self._desk.prove(self._video)

    def end(self) -> None:
        """The decoder is closed, or is not wanted any more."""
        self._ended = True
        self._desk.end(self._decoder)

    def _hear(self, verdict: Verdict) -> None:
        if not self._ended:
            self._judged(verdict)
