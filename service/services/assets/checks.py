"""What an asset has to be before it is kept: a picture that can be decoded whole, a video that screens can play.

The bytes are a stranger's, so `probe.py` decodes them in a process of its own, which is ended when
it takes too long. What it says is judged here. docs/video.md says where the bounds on videos come from.
"""

import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from threading import BoundedSemaphore
from typing import Literal

import msgspec

from service.core.errors import ProblemError, unsupported_media_type

MAX_IMAGE_BYTES = 25 * 1024 * 1024
MAX_VIDEO_BYTES = 512 * 1024 * 1024
MAX_IMAGE_PIXELS = 64_000_000
"""The same as the player's: decoded, four bytes each."""
MAX_VIDEO_SIDE = 4096
MAX_VIDEO_PIXELS = 4096 * 2304
MAX_FRAMES_A_SECOND = 60.0
PROBE_SECONDS = 60.0
PROBES_AT_A_TIME = 2


class Container(StrEnum):
    """What a file is by its first bytes."""

    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    MP4 = "mp4"
    """ISO base media: MP4 and QuickTime."""
    MATROSKA = "matroska"
    """Matroska and WebM."""


_CONTAINERS = {
    "image/png": Container.PNG,
    "image/jpeg": Container.JPEG,
    "image/webp": Container.WEBP,
    "video/mp4": Container.MP4,
    "video/quicktime": Container.MP4,
    "video/webm": Container.MATROSKA,
    "video/matroska": Container.MATROSKA,
    "video/x-matroska": Container.MATROSKA,
}
MEDIA_TYPES = tuple(_CONTAINERS)
ACCEPTED = ", ".join(MEDIA_TYPES)
_STILL_BRANDS = frozenset({b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1"})
"""ISO base media that says: a picture, of a kind that is not taken."""

_CODECS = {"h264": ("H.264", 8), "hevc": ("HEVC", 10), "vp9": ("VP9", 10), "av1": ("AV1", 10)}
"""Name and most bits a channel that some supported device decodes."""
_PIXELS = {"yuv420p": 8, "yuvj420p": 8, "yuv420p10le": 10}
_REMEDY = (
    "Encode it anew, for instance with: ffmpeg -i IN -an -c:v libx264 -profile:v high -pix_fmt yuv420p "
    "-vf scale=-2:1080,fps=30 -movflags +faststart OUT.mp4"
)

_probing = BoundedSemaphore(PROBES_AT_A_TIME)


class _Facts(msgspec.Struct, frozen=True, rename="camel"):
    """What the probe says; `fault` alone when there is nothing else to say."""

    fault: str = ""
    codec: str = ""
    profile: str = ""
    pixels: str = ""
    width: int = 0
    height: int = 0
    frames_a_second: float = 0.0


def most_bytes(media_type: str) -> int:
    """How large an asset of this type may be. Raises the 415 problem for a type that is not taken."""
    if media_type not in _CONTAINERS:
        raise unsupported_media_type(f"one of {ACCEPTED}")
    return MAX_VIDEO_BYTES if _kind(media_type) == "video" else MAX_IMAGE_BYTES


def ensure_claimed(head: bytes, media_type: str) -> Container:
    """The container that the first bytes say. Raises the 415 problem when the media type says another."""
    found = _recognise(head)
    if found is not _CONTAINERS[media_type]:
        raise ProblemError(
            415,
            "media_type_mismatch",
            "The bytes are not what the content type says",
            f"The content type says {media_type}, the first bytes say {found or 'nothing that is known here'}.",
        )
    return found


def ensure_playable(path: Path, container: Container) -> None:
    """Raises the 415 problem for a file that no screen could show, with the reason and what to do. Takes a moment."""
    facts = _probe(path, container)
    if container in {Container.MP4, Container.MATROSKA}:
        _judge_video(facts)
    elif facts.fault or facts.width * facts.height > MAX_IMAGE_PIXELS:
        raise _undecodable(
            f"It is damaged, animated, or has more than {MAX_IMAGE_PIXELS:,} pixels"
            f" ({facts.fault or f'{facts.width} x {facts.height}'}). Export it again, smaller."
        )


def _judge_video(facts: _Facts) -> None:
    if facts.fault:
        raise _undecodable(f"The video cannot be decoded: {facts.fault}. {_REMEDY}")
    name, most_bits = _CODECS.get(facts.codec, (facts.codec, 0))
    if not most_bits:
        raise _unsupported(f"It is encoded as {facts.codec}; screens decode H.264, HEVC, VP9 and AV1.")
    if _PIXELS.get(facts.pixels, 99) > most_bits:
        raise _unsupported(
            f"It is {name} {facts.profile} with {facts.pixels} pixels; screens decode {name} as 4:2:0 with at most"
            f" {most_bits} bits."
        )
    sides = facts.width, facts.height
    if max(sides) > MAX_VIDEO_SIDE or facts.width * facts.height > MAX_VIDEO_PIXELS:
        raise _unsupported(
            f"It has {facts.width} x {facts.height} pixels; screens decode up to 4096 x 2304, and 1920 x 1080 is enough"
            " for most."
        )
    # 60000/1001 and a little jitter in a container's time base are 60.
    if round(facts.frames_a_second) > MAX_FRAMES_A_SECOND:
        raise _unsupported(f"It has {facts.frames_a_second:g} frames a second; screens show at most 60.")


def _probe(path: Path, container: Container) -> _Facts:
    # Isolated: nothing of the environment, nor of the folder that the service was started in, has a say.
    program = [
        sys.executable,
        "-I",
        str(Path(__file__).with_name("probe.py")),
        container,
        str(MAX_IMAGE_PIXELS),
    ]
    with _probing, path.open("rb") as file:
        try:
            done = subprocess.run(
                program, stdin=file, capture_output=True, check=False, timeout=PROBE_SECONDS, env={}, cwd="/"
            )
        except subprocess.TimeoutExpired:
            return _Facts(fault=f"it takes longer than {PROBE_SECONDS:.0f} seconds to look through")
    if done.returncode < 0:
        return _Facts(fault="it takes too much time or memory to decode")
    if done.returncode > 0:
        raise RuntimeError(f"the probe of assets does not run: {done.stderr.decode(errors='replace')[-2000:]}")
    return msgspec.json.decode(done.stdout, type=_Facts)


def _recognise(head: bytes) -> Container | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return Container.PNG
    if head.startswith(b"\xff\xd8\xff"):
        return Container.JPEG
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return Container.WEBP
    if head[4:8] == b"ftyp" and head[8:12] not in _STILL_BRANDS:
        return Container.MP4
    if head.startswith(b"\x1aE\xdf\xa3"):
        return Container.MATROSKA
    return None


def _kind(media_type: str) -> Literal["image", "video"]:
    return "video" if media_type.startswith("video/") else "image"


def _undecodable(detail: str) -> ProblemError:
    return ProblemError(415, "asset_undecodable", "The file cannot be decoded", detail)


def _unsupported(detail: str) -> ProblemError:
    return ProblemError(415, "video_unsupported", "No screen could play this video", f"{detail} {_REMEDY}")
