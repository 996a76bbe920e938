"""A program of its own: looks into one file that a stranger sent, and says what it is and whether it is whole.

Run by `services/asset_checks.py` in a process without rights worth having: bounded memory and time, and only this file
open. Arguments: the container (`png`, `jpeg`, `webp`, `mp4`, `matroska`), the most pixels that a picture may have.
The file is standard input; the answer is one JSON object on standard output. Imports nothing of the service.
"""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

MEMORY_BYTES = 1024 * 1024 * 1024
"""Of address space: FFmpeg itself takes a quarter of it, the largest picture another."""
CPU_SECONDS = 30
FRAMES_DECODED = 3
"""Of a video: enough to know that its first ones can be shown."""
LACKING_SECONDS = 1.0
"""A video whose frames end earlier than it says by more than this was cut off."""

_DEMUXERS = {"png": "png_pipe", "jpeg": "jpeg_pipe", "webp": "webp_pipe", "mp4": "mov", "matroska": "matroska"}


def main() -> None:
    """Look at standard input, and say."""
    container, most_pixels = sys.argv[1], sys.argv[2]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        said = _look(container, {"max_pixels": most_pixels})
    except MemoryError:
        said = {"fault": "it takes too much memory to decode"}
    except StopIteration:
        said = {"fault": "there is no picture in it"}
    except (OSError, ValueError, RuntimeError) as fault:
        said = {"fault": getattr(fault, "strerror", None) or str(fault) or "it cannot be read"}
    sys.stdout.write(json.dumps(said))


def _look(container: str, bounds: dict[str, str]) -> dict[str, Any]:
    import av
    import av.logging

    av.logging.set_level(av.logging.PANIC)
    demuxer = _DEMUXERS[container]
    # The stubs know less than the library: it reads any binary file, and takes options for each stream.
    open_file: Any = av.open
    with open_file(sys.stdin.buffer, format=demuxer, stream_options=[dict(bounds) for _ in range(64)]) as file:
        if not file.streams.video:
            return {"fault": "there is no picture in it"}
        stream = file.streams.video[0]
        context = stream.codec_context
        if context is None:
            return {"fault": "its pictures are in a form that is not known here"}
        # One thread: the bound on memory is for one.
        context.thread_count = 1
        context.options = {**bounds, "err_detect": "explode"}
        still = demuxer.endswith("_pipe")
        return _still(file, stream) if still else _film(file, stream)


def _still(file: Any, stream: Any) -> dict[str, Any]:
    # Only the first: cameras append all kinds of things to a JPEG.
    frame = next(file.decode(stream))
    return {"codec": stream.codec_context.name, "width": frame.width, "height": frame.height}


def _film(file: Any, stream: Any) -> dict[str, Any]:
    context, said = stream.codec_context, dict[str, Any]()
    decoded, last = 0, 0.0
    for packet in file.demux(stream):
        at = packet.dts if packet.pts is None else packet.pts
        if at is not None:
            last = max(last, float((at + (packet.duration or 0)) * stream.time_base))
        if decoded < FRAMES_DECODED:
            for frame in packet.decode():
                decoded += 1
                said = {"width": frame.width, "height": frame.height, "pixels": frame.format.name}
    if not said:
        return {"fault": "none of its first frames can be decoded"}
    start = float((stream.start_time or 0) * stream.time_base)
    claimed = stream.duration * float(stream.time_base) if stream.duration else (file.duration or 0) / 1_000_000
    if start + claimed - last > LACKING_SECONDS:
        return {"fault": f"it ends after {last:.1f} of {claimed:.1f} seconds"}
    rate = stream.average_rate or stream.guessed_rate
    return {
        **said,
        "codec": context.codec.canonical_name,
        "profile": context.profile or "",
        "framesASecond": float(rate) if rate else 0.0,
        "seconds": last - start,
    }


if __name__ == "__main__":
    main()
