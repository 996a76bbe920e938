"""Probes one untrusted file: a separate program that reports its format and whether it is complete.

`checks.py` runs it in a process with bounded memory and time and no other open file. Arguments: the container (`png`,
`jpeg`, `webp`, `mp4`, `matroska`), the most pixels of an image, EXIF's orientation of it, and optionally sizes: then it
draws the first picture in each instead. Reads the file from standard input, and writes one JSON object to standard
output. Imports nothing of the service.
"""

from __future__ import annotations

import base64
import io
import json
import resource
import sys
from fractions import Fraction
from typing import Any

MEMORY_BYTES = 1024 * 1024 * 1024
"""Address space: FFmpeg itself takes a quarter of it, the largest image another."""
CPU_SECONDS = 30
MAX_MISSING_SECONDS = 1.0
"""A video that ends earlier than its declared duration by more than this was cut off."""

_DEMUXERS = {"png": "png_pipe", "jpeg": "jpeg_pipe", "webp": "webp_pipe", "mp4": "mov", "matroska": "matroska"}


def main() -> None:
    container, most_pixels, orientation, *sizes = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    # Under the bounds, as it maps much memory.
    import av.error

    try:
        result = _probe(container, {"max_pixels": most_pixels}, int(orientation), sizes)
    except MemoryError:
        result = {"fault": "it takes too much memory to decode"}
    except StopIteration:
        result = {"fault": "there is no picture in it"}
    except (av.error.FFmpegError, OSError, ValueError, RuntimeError) as fault:
        result = {"fault": getattr(fault, "strerror", None) or str(fault) or "it cannot be read"}
    sys.stdout.write(json.dumps(result))


def _probe(container: str, bounds: dict[str, str], orientation: int, sizes: list[str]) -> dict[str, Any]:
    import av
    import av.logging

    av.logging.set_level(av.logging.PANIC)
    demuxer = _DEMUXERS[container]
    # The stubs are incomplete: the library reads any binary file, and takes options for each stream.
    open_file: Any = av.open
    with open_file(sys.stdin.buffer, format=demuxer, stream_options=[dict(bounds) for _ in range(64)]) as file:
        if not file.streams.video:
            return {"fault": "there is no picture in it"}
        stream = file.streams.video[0]
        context = stream.codec_context
        if context is None:
            return {"fault": "its pictures are in a form that is not known here"}
        # One thread: the memory bound is for one.
        context.thread_count = 1
        context.options = {**bounds, "err_detect": "explode"}
        still = demuxer.endswith("_pipe")
        if sizes:
            frame = next(file.decode(stream))
            turn = _TURNS[orientation - 1] if still else _TURNS_OF_FILMS[_rotation(frame)]
            drawn = {size: _thumbnail(frame, int(size), turn) for size in sizes[0].split(",")}
            return {"thumbnails": drawn, "transfer": int(context.color_trc)}
        return _still(file, stream) if still else _video(file, stream)


def _thumbnail(frame: Any, longest: int, turn: tuple[tuple[str, str], ...]) -> str:
    """Returns the frame with this longer side, unless it is smaller: PNG if it has transparent parts, else JPEG."""
    import av

    scale = min(1.0, longest / max(frame.width, frame.height))
    width, height = (max(1, round(side * scale)) for side in (frame.width, frame.height))
    clear = any(part.is_alpha for part in frame.format.components) or frame.format.name == "pal8"
    codec, pixels, muxer = ("png", "rgba", "image2pipe") if clear else ("mjpeg", "yuvj420p", "image2pipe")
    open_file: Any = av.open
    written = io.BytesIO()
    with open_file(written, mode="w", format=muxer) as target:
        small = _turned(frame.reformat(width=width, height=height, format=pixels, interpolation="AREA"), turn)
        stream = target.add_stream(codec, rate=1)
        stream.width, stream.height, stream.pix_fmt = small.width, small.height, pixels
        small.pts = 0
        for packet in (*stream.encode(small), *stream.encode(None)):
            target.mux(packet)
    return base64.b64encode(written.getvalue()).decode()


_CLOCKWISE, _AGAINST = ("transpose", "clock"), ("transpose", "cclock")
_MIRRORED, _UPSIDE_DOWN = ("hflip", ""), ("vflip", "")
_TURNS: tuple[tuple[tuple[str, str], ...], ...] = (
    (),
    (_MIRRORED,),
    (_MIRRORED, _UPSIDE_DOWN),
    (_UPSIDE_DOWN,),
    (_MIRRORED, _AGAINST),
    (_CLOCKWISE,),
    (_MIRRORED, _CLOCKWISE),
    (_AGAINST,),
)
"""FFmpeg's filters that make an image upright, by EXIF's orientation from 1 to 8."""
_TURNS_OF_FILMS = {0: _TURNS[0], 90: _TURNS[5], 180: _TURNS[2], 270: _TURNS[7]}
"""By the degrees, clockwise."""


def _turned(frame: Any, turn: tuple[tuple[str, str], ...]) -> Any:
    import av.filter

    graph = av.filter.Graph()
    begin = graph.add_buffer(width=frame.width, height=frame.height, format=frame.format.name, time_base=Fraction(1))
    filters = [graph.add(name, given) if given else graph.add(name) for name, given in turn]
    # Newer versions of FFmpeg write EXIF into a PNG, whose orientation would have it turned twice.
    graph.link_nodes(begin, *filters, graph.add("sidedata", "delete"), graph.add("buffersink")).configure()
    frame.pts = 0
    graph.push(frame)
    return graph.pull()


def _rotation(frame: Any) -> int:
    """Returns the degrees, clockwise and whole quarters, after which a frame of a film is upright."""
    return int(round(-frame.rotation / 90) * 90 % 360)


def _still(file: Any, stream: Any) -> dict[str, Any]:
    # Only the first frame: cameras append other data to a JPEG.
    frame = next(file.decode(stream))
    return {"codec": stream.codec_context.name, "width": frame.width, "height": frame.height}


def _video(file: Any, stream: Any) -> dict[str, Any]:
    context, first = stream.codec_context, dict[str, Any]()
    decoded, last = 0, 0.0
    # Matroska declares an end of the whole film alone, which may be that of its sound.
    for packet in file.demux(stream) if stream.duration else file.demux():
        at = packet.dts if packet.pts is None else packet.pts
        if at is not None:
            last = max(last, float((at + (packet.duration or 0)) * packet.time_base))
        if decoded < 3 and packet.stream is stream:  # Enough to know that playing can begin.
            for frame in packet.decode():
                decoded += 1
                first = {"width": frame.width, "height": frame.height, "pixels": frame.format.name}
    if not first:
        return {"fault": "none of its first frames can be decoded"}
    start = float((stream.start_time or 0) * stream.time_base)
    end = start + float(stream.duration * stream.time_base) if stream.duration else (file.duration or 0) / 1_000_000
    if end - last > MAX_MISSING_SECONDS:
        return {"fault": f"it ends after {last:.1f} of {end:.1f} seconds"}
    rate = stream.average_rate or stream.guessed_rate
    return {
        **first,
        "codec": context.codec.canonical_name,
        "profile": context.profile or "",
        "framesASecond": float(rate) if rate else 0.0,
        "transfer": int(context.color_trc),
        "seconds": last - start,
    }


if __name__ == "__main__":
    main()
