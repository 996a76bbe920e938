"""Small videos and images for tests, made by ffmpeg and cached for the run."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.support.patience import PATIENCE_SECONDS

FFMPEG = ("ffmpeg", "-hide_banner", "-loglevel", "error", "-y")
CHATTER = (
    *(
        "pipewire",
        "pw.conf",
        "PulseAudio",
        "No audio device",
        "HW decod",
        "HW encod",
        "with FFmpeg version",
        "No RHI backend",
    ),
    "AVStream duration",
    "g_main_context_wakeup: assertion 'g_atomic_int_get (&context->ref_count) > 0' failed",
)
"""Messages of Qt on a machine without sound and GPU, about WebM, and, once in thousands of films that close, of a
thread of its decoder that wakes another which has just ended (QCoreApplication::postEvent holds no lock then)."""
FRAMES_A_SECOND = 25
CODECS = {
    "h264": ("mp4", ("-c:v", "libx264", "-preset", "ultrafast")),
    "hevc": ("mp4", ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-tag:v", "hvc1")),
    "vp9": ("webm", ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8")),
    "av1": ("mkv", ("-c:v", "libsvtav1", "-preset", "12")),
}


@cache
def _folder() -> Path:
    return Path(mkdtemp(prefix="films-"))


@cache
def film(
    codec: str = "h264",
    *,
    seconds: float = 1.0,
    size: str = "320x180",
    picture: str = "testsrc",
    more: tuple[str, ...] = (),
    container: str | None = None,
    sound: bool = False,
) -> Path:
    """A video of ffmpeg's test picture `picture`; `more` goes before the name of the output."""
    usual, encoder = CODECS.get(codec, ("mp4", ("-c:v", codec)))
    path = _folder() / f"{abs(hash((codec, seconds, size, picture, more, container, sound)))}.{container or usual}"
    source = f"{picture}{':' if '=' in picture else '='}size={size}:rate={FRAMES_A_SECOND}:duration={seconds}"
    hum = ("-f", "lavfi", "-i", f"sine=duration={seconds}", "-c:a", "aac") if sound else ()
    made = subprocess.run(
        [*FFMPEG, "-f", "lavfi", "-i", source, *hum, *encoder, "-pix_fmt", "yuv420p", *more, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env={"PATH": "/usr/bin:/bin", "SVT_LOG": "1"},
    )
    assert made.returncode == 0, made.stderr
    return path


@cache
def still(container: str, *, size: str = "64x36", more: tuple[str, ...] = ("-frames:v", "1")) -> Path:
    """An image, or with other arguments `more` an animation."""
    path = _folder() / f"{abs(hash((container, size, more)))}.{container}"
    source = f"testsrc=size={size}:rate=5:duration=1"
    subprocess.run([*FFMPEG, "-f", "lavfi", "-i", source, *more, str(path)], check=True, timeout=PATIENCE_SECONDS)
    return path
