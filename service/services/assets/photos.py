"""Converts photos of phones (HEIC, AVIF) to JPEG, which every screen shows, by libheif's own program.

The bytes are untrusted, so it runs with bounded memory, time and output. It turns the photo as its boxes require; a
copy of EXIF, which some of its versions write unchanged, would have it turned twice, and is left out.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.core.errors import ProblemError
from service.services.assets.checks import MAX_IMAGE_BYTES, probing

PROGRAMS = ("heif-dec", "heif-convert")
"""Its name, and that before libheif 1.19."""
PACKAGE = "libheif-examples"
MEMORY_BYTES = 1024 * 1024 * 1024
CPU_SECONDS = 30
PHOTO_SECONDS = 60.0
_EXIF, _PIXELS = b"\xe1", b"\xda"
"""Markers of JPEG: APP1 and SOS."""


@contextmanager
def as_jpeg(photo: Path) -> Iterator[Path]:
    """Yields the photo as JPEG, upright, in a file that is removed at the end. Raises the 415 problems."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise ProblemError(
            415,
            "photo_not_readable_here",
            "HEIC and AVIF photos cannot be read on this machine",
            f"Export the photo as JPEG, or install {PACKAGE} where the service runs: apt install {PACKAGE}.",
        )
    with tempfile.TemporaryDirectory(prefix="menu-photo-") as folder:
        target = Path(folder) / "photo.jpg"
        limits = (f"--as={MEMORY_BYTES}", f"--cpu={CPU_SECONDS}", f"--fsize={MAX_IMAGE_BYTES}", "--core=0")
        call = ["prlimit", *limits, program, "-q", "92", str(photo), str(target)]
        try:
            with probing:
                done = subprocess.run(
                    call,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                    timeout=PHOTO_SECONDS,
                    cwd=folder,
                    # Without the service's secrets.
                    env={"PATH": os.defpath},
                )
        except subprocess.TimeoutExpired:
            raise _undecodable(f"it takes longer than {PHOTO_SECONDS:.0f} seconds to decode") from None
        if done.returncode != 0:
            raise _undecodable("it takes too much time or memory, or is damaged")
        # A file with several photos gives one of each.
        made = sorted(Path(folder).glob("*.jpg"))
        if not made:
            raise _undecodable("there is no picture in it")
        made[0].write_bytes(without_exif(made[0].read_bytes()))
        yield made[0]


def without_exif(jpeg: bytes) -> bytes:
    """Returns the JPEG file without its segments of EXIF and XMP."""
    kept, at = jpeg[:2], 2
    while jpeg[at : at + 1] == b"\xff" and jpeg[at + 1 : at + 2] != _PIXELS:
        end = at + 2 + max(2, int.from_bytes(jpeg[at + 2 : at + 4], "big"))
        if jpeg[at + 1 : at + 2] != _EXIF:
            kept += jpeg[at:end]
        at = end
    return kept + jpeg[at:]


def _undecodable(why: str) -> ProblemError:
    detail = f"The photo cannot be turned into JPEG: {why}. Export it as JPEG."
    return ProblemError(415, "asset_undecodable", "The file cannot be decoded", detail)
