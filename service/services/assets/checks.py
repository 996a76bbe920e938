"""Checks uploads: an image has to decode completely, and screens have to be able to play a video and draw with a font.

The bytes are untrusted, so `probe.py` decodes them in a child process with a time limit; this module judges its result.
docs/video.md explains the bounds on videos.
"""

import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from threading import BoundedSemaphore

import msgspec

from menu.exif import FORMS, orientation
from menu.fonts import FONT_TYPES, MAX_FONT_BYTES, Font, FontError, is_font, read_font
from service.core.errors import ProblemError, unsupported_media_type
from service.schema.content.asset import ThumbnailSize

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
    """File format, by the first bytes."""

    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    MP4 = "mp4"
    """ISO base media: MP4 and QuickTime."""
    MATROSKA = "matroska"
    """Matroska and WebM."""
    HEIF = "heif"
    """HEIC and AVIF: photos, which are stored as JPEG (`photos.py`)."""
    FONT = "font"
    """TrueType and OpenType, and what is like them and refused with the reason."""


_CONTAINERS = {
    "image/png": Container.PNG,
    "image/jpeg": Container.JPEG,
    "image/webp": Container.WEBP,
    "video/mp4": Container.MP4,
    "video/quicktime": Container.MP4,
    "video/webm": Container.MATROSKA,
    "video/matroska": Container.MATROSKA,
    "video/x-matroska": Container.MATROSKA,
    **dict.fromkeys(FONT_TYPES.values(), Container.FONT),
}
MEDIA_TYPES = tuple(_CONTAINERS)
"""Media types of what is stored."""
PHOTO_TYPES = ("image/heic", "image/heif", "image/avif")
OTHER_FONT_TYPES = ("font/sfnt", "application/x-font-ttf", "application/x-font-otf")
"""Names that browsers and programs have for the same files."""
UPLOAD_TYPES = (*MEDIA_TYPES, *PHOTO_TYPES, *OTHER_FONT_TYPES)
ACCEPTED = ", ".join(UPLOAD_TYPES)
_STILL_BRANDS = frozenset({b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"})
"""Brands of ISO base media files that are still images."""

_CODECS = {"h264": ("H.264", 8), "hevc": ("HEVC", 10), "vp9": ("VP9", 10), "av1": ("AV1", 10)}
"""Name, and the most bits per channel that some supported device decodes."""
_PIXELS = {"yuv420p": 8, "yuvj420p": 8, "yuv420p10le": 10}
_HDR = {16: "PQ", 18: "HLG"}
"""Curves that need tone mapping on a screen, by their codes in ITU-T H.273."""
_REMEDY = (
    "Encode it anew, for instance with: ffmpeg -i IN -an -c:v libx264 -profile:v high -pix_fmt yuv420p "
    "-vf scale=-2:1080,fps=30 -movflags +faststart OUT.mp4"
)

probing = BoundedSemaphore(PROBES_AT_A_TIME)
"""Held while another process decodes."""


class _ProbeResult(msgspec.Struct, frozen=True, rename="camel"):
    """Output of the probe; only `fault` if the file cannot be decoded."""

    fault: str = ""
    codec: str = ""
    profile: str = ""
    pixels: str = ""
    width: int = 0
    height: int = 0
    frames_a_second: float = 0.0
    transfer: int = 0
    """The code of the curve from values to light (ITU-T H.273)."""
    thumbnails: dict[str, bytes] = {}
    """Small pictures by their size, where they were asked for."""


def max_bytes(media_type: str) -> int:
    """Returns the size limit of this media type. Raises the 415 problem for a type that is not accepted."""
    if media_type not in UPLOAD_TYPES:
        raise unsupported_media_type(f"one of {ACCEPTED}")
    if media_type in OTHER_FONT_TYPES or _CONTAINERS.get(media_type) is Container.FONT:
        return MAX_FONT_BYTES
    return MAX_VIDEO_BYTES if media_type.startswith("video/") else MAX_IMAGE_BYTES


def is_image(head: bytes) -> bool:
    """True if the first bytes are those of an image that can be uploaded."""
    return _recognise(head) not in (None, Container.MP4, Container.MATROSKA, Container.FONT)


def container_of(head: bytes) -> Container:
    """Returns the container by the first bytes. Raises the 415 problem if it is none of those."""
    found = _recognise(head)
    if found is None:
        raise ProblemError(
            415,
            "media_type_mismatch",
            "The bytes are not what the content type says",
            f"The first bytes are those of none of {ACCEPTED}.",
        )
    return found


def media_type_of(container: Container, claimed: str) -> str:
    """Returns the media type of the container; the claimed one if it is one of its own."""
    if _CONTAINERS.get(claimed) is container:
        return claimed
    return next((name for name, one in _CONTAINERS.items() if one is container), PHOTO_TYPES[0])


def font_in(content: bytes) -> Font:
    """Returns the facts of an uploaded font. Raises the 415 problem, with the reason, if boards cannot draw with it."""
    try:
        return read_font(content)
    except FontError as error:
        detail = f"The file cannot be used: {error}. Fonts are TTF or OTF, at most {MAX_FONT_BYTES} bytes."
        raise ProblemError(415, "font_unusable", "No board can draw with this font", detail) from None


def ensure_playable(path: Path, container: Container, *, seconds: float = PROBE_SECONDS) -> None:
    """Raises the 415 problem, with reason and remedy, for a file that no screen can show. Blocks while it probes."""
    facts = _probe(path, container, seconds=seconds)
    if container in {Container.MP4, Container.MATROSKA}:
        _judge_video(facts)
    elif facts.fault or facts.width * facts.height > MAX_IMAGE_PIXELS:
        raise _undecodable(
            f"It is damaged, animated, or has more than {MAX_IMAGE_PIXELS:,} pixels"
            f" ({facts.fault or f'{facts.width} x {facts.height}'}). Export it again, smaller."
        )


def _judge_video(facts: _ProbeResult) -> None:
    if facts.fault:
        raise _undecodable(f"The video cannot be decoded: {facts.fault}. {_REMEDY}")
    name, max_bits = _CODECS.get(facts.codec, (facts.codec, 0))
    if not max_bits:
        raise _unsupported(f"It is encoded as {facts.codec}; screens decode H.264, HEVC, VP9 and AV1.")
    if _PIXELS.get(facts.pixels, 99) > max_bits:
        raise _unsupported(
            f"It is {name} {facts.profile} with {facts.pixels} pixels; screens decode {name} as 4:2:0 with at most"
            f" {max_bits} bits."
        )
    if facts.transfer in _HDR:
        raise ProblemError(
            415,
            "video_hdr",
            "Screens would show this video in wrong colours",
            f"It is HDR ({_HDR[facts.transfer]}), as phones record. Export it as SDR (Rec. 709), or turn HDR video off"
            " in the settings of the camera; or convert it: ffmpeg -i IN -an -vf zscale=t=linear:npl=203,"
            "format=gbrpf32le,zscale=p=bt709,tonemap=hable,zscale=t=bt709:m=bt709:r=tv,scale=-2:1080,fps=30,"
            "format=yuv420p -c:v libx264 -movflags +faststart OUT.mp4",
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


def draw_thumbnails(path: Path, media_type: str) -> dict[ThumbnailSize, bytes] | None:
    """Draws small pictures of a stored file; None if it cannot be decoded. Blocks while another process draws them."""
    sizes = ",".join(str(size.value) for size in ThumbnailSize)
    facts = _probe(path, _CONTAINERS[media_type], sizes)
    return {size: facts.thumbnails[str(size.value)] for size in ThumbnailSize} if facts.thumbnails else None


def is_hdr(path: Path, media_type: str) -> bool:
    """True if screens would show a stored film in wrong colours. Blocks while another process reads its first frame."""
    return _probe(path, _CONTAINERS[media_type], str(ThumbnailSize.SMALL.value)).transfer in _HDR


def _probe(path: Path, container: Container, *thumbnails: str, seconds: float = PROBE_SECONDS) -> _ProbeResult:
    # Isolated from the environment and the current folder.
    program = [
        sys.executable,
        "-I",
        str(Path(__file__).with_name("probe.py")),
        container,
        str(MAX_IMAGE_PIXELS),
    ]
    with probing, path.open("rb") as file:
        turn = orientation(file, container) if container in FORMS else 1
        file.seek(0)
        try:
            done = subprocess.run(
                [*program, str(turn), *thumbnails],
                stdin=file,
                capture_output=True,
                check=False,
                timeout=seconds,
                env={},
                cwd="/",
            )
        except subprocess.TimeoutExpired:
            return _ProbeResult(fault=f"it takes longer than {seconds:.0f} seconds to look through")
    if done.returncode < 0:
        return _ProbeResult(fault="it takes too much time or memory to decode")
    if done.returncode > 0:
        raise RuntimeError(f"the asset probe failed: {done.stderr.decode(errors='replace')[-2000:]}")
    return msgspec.json.decode(done.stdout, type=_ProbeResult)


def _recognise(head: bytes) -> Container | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return Container.PNG
    if head.startswith(b"\xff\xd8\xff"):
        return Container.JPEG
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return Container.WEBP
    if head[4:8] == b"ftyp":
        return Container.HEIF if head[8:12] in _STILL_BRANDS else Container.MP4
    if head.startswith(b"\x1aE\xdf\xa3"):
        return Container.MATROSKA
    return Container.FONT if is_font(head) else None


def _undecodable(detail: str) -> ProblemError:
    return ProblemError(415, "asset_undecodable", "The file cannot be decoded", detail)


def _unsupported(detail: str) -> ProblemError:
    return ProblemError(415, "video_unsupported", "No screen could play this video", f"{detail} {_REMEDY}")
