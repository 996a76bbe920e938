"""Chooses what the board leaves out after failures, so that it never tries the same thing for ever; pure.

Failures are counted on disk by subject and forgotten after a day, or when the subject has proved itself. The ladder:

1. Whatever fails is reported, and the player restarts: most faults do not outlive the process.
2. A scene that has failed `MOST_SCENE_FAILURES` times is passed over, without a restart; it keeps its time. One over
   which the display hung, which costs the longest darkness, rests for `HANG_REST_SECONDS` where another can show.
3. A version whose scenes have failed `MOST_VERSION_FAILURES` times gives way to the version before it, with the newest
   items; and where there is none, its scenes are passed over at their first failure.
4. What is no scene (a card, the window) and has failed `MOST_DISPLAY_FAILURES` times gives way to the safe card, which
   needs next to nothing to be drawn. After `SAFE_CARD_SECONDS` the player tries again, as it does when a new version
   comes.
5. A start that dies before its first frame has failed, unless the machine went off. After `STARTS_WITHOUT_STAGED` of
   them in a row the player starts without the staged version, after `STARTS_WITH_PREVIOUS` with the version before,
   after `STARTS_WITH_SAFE_CARD` with the safe card.
6. Frames that nobody takes are no fault of what is shown: the player restarts, and waits twice as long each time. A GPU
   that fails twice gives way to the software scene graph. Events that cannot be handled restart it at most
   `MOST_EVENT_RESTARTS` times: what shows is right.
7. Failures count for the version of the player in which they came: another one begins anew.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from menu.documents.manifest import VersionKey
from player.domain.recovery.failures import Failures
from player.domain.recovery.liveness import FaultCode

MOST_SCENE_FAILURES = 2
MOST_VERSION_FAILURES = 3
MOST_DISPLAY_FAILURES = 2
MOST_GRAPHICS_FAILURES = 2
MOST_EVENT_RESTARTS = 2
MOST_DOUBLINGS = 5
"""Doublings of the time for a frame."""

STARTS_WITHOUT_STAGED = 3
STARTS_WITH_PREVIOUS = 5
STARTS_WITH_SAFE_CARD = 7

HANG_REST_SECONDS = 600.0
"""The rest of a scene over which the display hung before it is tried again."""

SAFE_CARD_SECONDS = 600.0
"""The time for which the safe card shows before the player tries again."""

_DIGEST = re.compile(r"[0-9a-f]{64}")

START, DISPLAY, FRAMES, GRAPHICS, EVENTS = "start", "display", "frames", "graphics", "events"


def run_subject(boot_id: str) -> str:
    """Returns the subject of the player's runs since this boot: one that a loss of power ended is of another boot."""
    return f"run {boot_id}"


def program_subject(version: str) -> str:
    """Returns the subject of a version of the player: that of which the failures are counted."""
    return f"program {version}"


def is_start(subject: str) -> bool:
    """Whether it is a start, a run or a version of the player."""
    return subject == START or subject.startswith(("run ", "program "))


def is_video(subject: str) -> bool:
    """Whether it is a video, by its SHA-256."""
    return _DIGEST.fullmatch(subject) is not None


def scene_subject(key: VersionKey, scene_id: str) -> str:
    return f"{version_subject(key)}/{scene_id}"


def hang_subject(key: VersionKey, scene_id: str) -> str:
    """Returns the subject of a scene of a version over which the display hung."""
    return f"hang {scene_subject(key, scene_id)}"


def version_subject(key: VersionKey) -> str:
    return f"version {key.playlist_id}/{key.version}"


def subjects_of(code: FaultCode, *, scene: tuple[VersionKey, str] | None, version: VersionKey | None) -> list[str]:
    """Returns the subjects that a fault counts against. `scene` is the ordered one, None for a card."""
    match code:
        case FaultCode.FRAMES_STOPPED:
            return [FRAMES]
        case FaultCode.GRAPHICS_FAILED:
            return [GRAPHICS]
        case FaultCode.EVENTS_FAIL:
            return [EVENTS]
        case FaultCode.BOARD_STUCK if version is not None:
            return [version_subject(version)]
        case FaultCode.BOARD_STUCK | FaultCode.DISPLAY_BROKEN:
            return [DISPLAY]
        case _ if scene is not None:
            return [scene_subject(*scene), version_subject(scene[0])]
        case _:
            return [DISPLAY]


def passes_over(failures: Failures, key: VersionKey, scene_id: str, now: datetime) -> bool:
    """Whether this scene is skipped: it has failed, and restarts have not helped."""
    times = failures.of(scene_subject(key, scene_id), now)
    return times >= MOST_SCENE_FAILURES or (times > 0 and gives_way(failures, key, now))


def rests(failures: Failures, key: VersionKey, scene_id: str, now: datetime) -> bool:
    """Whether this scene is skipped for now: the display has just hung over it."""
    subject = hang_subject(key, scene_id)
    since = now - failures.records[subject].at if failures.of(subject, now) else None
    return since is not None and since < timedelta(seconds=HANG_REST_SECONDS)


def gives_way(failures: Failures, key: VersionKey, now: datetime) -> bool:
    """Whether the previous version is played, if there is one."""
    return failures.of(version_subject(key), now) >= MOST_VERSION_FAILURES


def shows_safe_card(failures: Failures, now: datetime) -> bool:
    times = failures.of(DISPLAY, now)
    return times >= MOST_DISPLAY_FAILURES and now - failures.records[DISPLAY].at < timedelta(seconds=SAFE_CARD_SECONDS)


def needs_software(failures: Failures, now: datetime) -> bool:
    """Whether the GPU is not used."""
    return failures.of(GRAPHICS, now) >= MOST_GRAPHICS_FAILURES


def patience(failures: Failures, now: datetime) -> float:
    """Returns the factor by which frames are waited for longer than at first."""
    return 2.0 ** min(failures.of(FRAMES, now), MOST_DOUBLINGS)
