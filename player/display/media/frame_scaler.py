"""Turns a decoder's frames into images of the displayed size, on the processor, with the FFmpeg library for it that Qt
Multimedia has loaded (docs/adr/0086).

Qt's own conversion looks for a GPU first. Where OpenGL runs in software that takes 30 ms a frame and 80 MB; this takes
one to three.
"""

from __future__ import annotations

import ctypes
import logging
import os
from functools import cache
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtMultimedia import QVideoFrame, QVideoFrameFormat

from menu.documents.scene import Fit
from player.display.media.turn import NO_TURN, Turn

log = logging.getLogger(__name__)

MOST_CORES = 4
"""It decodes with one thread more than cores, and each has some 6 MiB of a full-HD film."""
SWS_CS_ITU709, SWS_CS_ITU601, SWS_CS_BT2020 = 1, 5, 9
ONE = 1 << 16
"""1 in the library's fixed-point numbers: contrast and saturation as they are."""
ALIGNMENT = 16
"""An image's rows are whole groups of so many pixels: the library writes no others at full speed."""
PLANES = 4

_Pointers = ctypes.c_void_p * PLANES
_Strides = ctypes.c_int * PLANES
_Planes = tuple[tuple[int, int], ...]


_Pixels = QVideoFrameFormat.PixelFormat
LAYOUTS = {
    _Pixels.Format_YUV420P: (b"yuv420p", ((1, 1), (1, 2), (1, 2))),
    _Pixels.Format_YUV420P10: (b"yuv420p10le", ((2, 1), (2, 2), (2, 2))),
    _Pixels.Format_NV12: (b"nv12", ((1, 1), (2, 2))),
    _Pixels.Format_P010: (b"p010le", ((2, 1), (4, 2))),
}
"""Formats of the decoders of docs/video.md: 4:2:0 with 8 or 10 bits, on the processor and from hardware. FFmpeg's name,
and of each plane the bytes of a sample, and how many pixels share one in each direction."""
MATRICES = {
    QVideoFrameFormat.ColorSpace.ColorSpace_BT601: SWS_CS_ITU601,
    QVideoFrameFormat.ColorSpace.ColorSpace_BT709: SWS_CS_ITU709,
    QVideoFrameFormat.ColorSpace.ColorSpace_BT2020: SWS_CS_BT2020,
}


class _Job(Struct, frozen=True):
    """Work of one context of the library: the part and format of its frames, and the pixels that result."""

    name: bytes
    planes: _Planes
    cut: tuple[int, int, int, int]
    target: tuple[int, int]
    turn: Turn
    """Makes what is scaled upright; cut and target are those before."""
    matrix: int
    full_range: bool


class FrameScaler:
    """Scales the frames of one film, each into the same image: nothing may draw it while it is written."""

    def __init__(self, *, fit: Fit, box: QSize) -> None:
        self._fit = fit
        self._box = box
        self._image = QImage()
        self._pixels: int | None = None
        self._job: _Job | None = None
        self._context: int | None = None
        self._libraries: _Libraries | None = None

    def scale(self, frame: QVideoFrame) -> tuple[QImage, QSize]:
        """Returns an image, and the part of it from the top left that holds the frame; null if nothing can read the
        frame.

        The image is valid until the next call, which writes to it, however many share its pixels.
        """
        self._libraries = self._libraries or _libraries()
        if self._libraries is None or not frame.map(QVideoFrame.MapMode.ReadOnly):
            return self._by_qt(frame)
        try:
            job = self._job_for(frame)
            scaled = self._by_ffmpeg(self._libraries, frame, job) if job is not None else None
            return scaled or self._by_qt(frame)
        finally:
            frame.unmap()

    def close(self) -> None:
        """Free everything; `scale` may be called again."""
        self._image = QImage()
        self._free()

    def _job_for(self, frame: QVideoFrame) -> _Job | None:
        form = frame.surfaceFormat()
        name, planes = LAYOUTS.get(form.pixelFormat(), (b"", ()))
        size = form.viewport().size()
        if not name or not _is_plain(frame, planes, size):
            return None
        turn = turn_of(frame)
        seen = turn.of(size)
        cut = turn.in_file(part_shown(seen, self._fit, self._box), seen)
        target = turn.of(size_shown(seen, self._fit, self._box))
        # A taller frame that does not name its colours has those of HD; Qt's rule on a GPU.
        matrix = MATRICES.get(form.colorSpace(), SWS_CS_ITU709 if size.height() > 576 else SWS_CS_ITU601)
        return _Job(
            name=name,
            planes=planes,
            cut=(cut.x(), cut.y(), cut.width(), cut.height()),
            target=(target.width(), target.height()),
            turn=turn,
            matrix=matrix,
            full_range=form.colorRange() is QVideoFrameFormat.ColorRange.ColorRange_Full,
        )

    def _by_ffmpeg(self, libraries: _Libraries, frame: QVideoFrame, job: _Job) -> tuple[QImage, QSize] | None:
        if job != self._job:
            self._free()
            self._prepare(libraries, job)
        if self._context is None:
            return None
        left, top, _, height = job.cut
        sources, strides = _Pointers(), _Strides()
        for number, (sample, shared) in enumerate(job.planes):
            stride = frame.bytesPerLine(number)
            begin = ctypes.addressof(ctypes.c_char.from_buffer(frame.bits(number)))
            sources[number] = begin + top // shared * stride + left // shared * sample
            strides[number] = stride
        target, row = _Pointers(self._pixels), _Strides(self._image.bytesPerLine())
        libraries.scale.sws_scale(self._context, sources, strides, 0, height, target, row)
        if job.turn == NO_TURN:
            return self._image, QSize(*job.target)
        turned = self._image.copy(0, 0, *job.target).transformed(job.turn.transform)
        return turned, turned.size()

    def _prepare(self, libraries: _Libraries, job: _Job) -> None:
        self._job = job
        width, height = job.target
        size = QSize(-(-width // ALIGNMENT) * ALIGNMENT, height)
        self._image = QImage(size, QImage.Format.Format_RGB32)
        if not self._image.isNull():
            # Asked for once: later it would be a copy, because QML shares the pixels then.
            self._pixels = ctypes.addressof(ctypes.c_char.from_buffer(self._image.bits()))
            self._context = libraries.context(job)

    def _free(self) -> None:
        if self._context is not None and self._libraries is not None:
            self._libraries.scale.sws_freeContext(self._context)
        self._job = self._context = self._pixels = None

    def _by_qt(self, frame: QVideoFrame) -> tuple[QImage, QSize]:
        image = frame.toImage()
        if image.isNull():
            return image, image.size()
        image = image.copy(part_shown(image.size(), self._fit, self._box))
        target = size_shown(image.size(), self._fit, self._box)
        if image.size() != target:
            smooth = Qt.TransformationMode.SmoothTransformation
            image = image.scaled(target, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
        return image.convertToFormat(QImage.Format.Format_RGB32), target


def part_shown(size: QSize, fit: Fit, box: QSize) -> QRect:
    """Returns the part of a frame that is inside the box, aligned to planes with half the pixels."""
    if fit is not Fit.COVER:
        return QRect(QPoint(), size)
    seen = _largest_inside(size, box)
    left, top = (size.width() - seen.width()) // 4 * 2, (size.height() - seen.height()) // 4 * 2
    return QRect(QPoint(left, top), seen)


def size_shown(size: QSize, fit: Fit, box: QSize) -> QSize:
    """Returns the pixels that a frame takes in the box."""
    if fit is not Fit.CONTAIN:
        return box
    return _largest_inside(box, size)


def _largest_inside(box: QSize, shape: QSize) -> QSize:
    """Returns the largest size in the box that has the proportions of `shape`, at least one pixel each way."""
    wide, high = max(1, shape.width()), max(1, shape.height())
    across, down = box.height() * wide // high, box.width() * high // wide
    size = QSize(across, box.height()) if across <= box.width() else QSize(box.width(), down)
    return size.expandedTo(QSize(1, 1))


def bound_ffmpeg() -> None:
    """Sets what Qt has no switch for: FFmpeg does not describe each file and each bad frame on stderr, and so in the
    journal, and decodes as on a machine of MOST_CORES where there are more."""
    if (libraries := _libraries()) is not None:
        libraries.util.av_log_set_level(8)  # AV_LOG_FATAL.
        libraries.util.av_cpu_force_count(min(MOST_CORES, len(os.sched_getaffinity(0))))


def turn_of(frame: QVideoFrame) -> Turn:
    """Returns the clockwise turn after which the frame is upright: the film's own, and the additional one requested."""
    return Turn(degrees=(frame.surfaceFormat().rotation().value + frame.rotation().value) % 360)


def _is_plain(frame: QVideoFrame, planes: _Planes, size: QSize) -> bool:
    """Whether the planes are not mirrored and hold all that the format says: reading beyond them would crash the
    process."""
    if frame.planeCount() != len(planes) or frame.mirrored():
        return False
    if frame.surfaceFormat().viewport().topLeft() != QPoint() or frame.surfaceFormat().isMirrored():
        return False
    for number, (sample, shared) in enumerate(planes):
        stride = frame.bytesPerLine(number)
        columns, rows = -(-size.width() // shared), -(-size.height() // shared)
        if columns * sample > stride or rows * stride > frame.mappedBytes(number):
            return False
    return True


class _Libraries:
    """FFmpeg's libraries for scaling and for its basics, as loaded by this process."""

    def __init__(self, scale: str, util: str) -> None:
        self.scale, self.util = ctypes.CDLL(scale), ctypes.CDLL(util)
        self.util.av_get_pix_fmt.argtypes = [ctypes.c_char_p]
        number, pointer = ctypes.c_int, ctypes.c_void_p
        self.scale.sws_getContext.restype = pointer
        self.scale.sws_getContext.argtypes = [*[number] * 7, *[pointer] * 3]
        self.scale.sws_freeContext.argtypes = [pointer]
        self.scale.sws_freeContext.restype = None
        self.scale.sws_getCoefficients.restype = pointer
        self.scale.sws_setColorspaceDetails.argtypes = [pointer, pointer, number, pointer, *[number] * 4]
        self.scale.sws_scale.argtypes = [pointer, _Pointers, _Strides, number, number, _Pointers, _Strides]

    def context(self, job: _Job) -> int | None:
        """Returns a context for the job; None if the library cannot do it."""
        _, _, width, height = job.cut
        source, target = (self.util.av_get_pix_fmt(name) for name in (job.name, b"bgra"))
        # With SWS_FAST_BILINEAR, which is 1.
        context: int | None = self.scale.sws_getContext(width, height, source, *job.target, target, 1, None, None, None)
        if context is not None:
            matrix = self.scale.sws_getCoefficients(job.matrix)
            self.scale.sws_setColorspaceDetails(context, matrix, job.full_range, matrix, 1, 0, ONE, ONE)
        return context


def _libraries() -> _Libraries | None:
    """Returns None before there is a decoder, which loads them, and where Qt Multimedia does not use FFmpeg."""
    try:
        return _loaded_libraries()
    except (KeyError, OSError):
        return None


@cache
def _loaded_libraries() -> _Libraries | None:
    """None if they lack a function called here. Raises KeyError and OSError, and is called again for the next frame."""
    found: dict[str, str] = {}
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        path = line.partition("/")
        name = path[2].rpartition("/")[2].partition(".")[0]
        found.setdefault(name, "/" + path[2])
    try:
        return _Libraries(found["libswscale"], found["libavutil"])
    except AttributeError as error:
        log.warning("films are converted by Qt, as FFmpeg's libraries are not those that are known here: %s", error)
        return None
