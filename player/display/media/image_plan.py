"""Plans how an image file fills its box, and refuses unsafe files before a pixel is decoded; draws nothing."""

from __future__ import annotations

from math import ceil, floor
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QByteArray, QRect, QSize, QUrl
from PySide6.QtGui import QImage, QImageReader

from menu.documents.scene import Fit, Focus
from menu.sizes import size_text
from player.display.media.asset_format import IMAGES, fault_of, format_of, has_alpha
from player.display.media.turn import NO_TURN, Turn, noted_turn, turn_of

MOST_PIXELS = 64_000_000
"""A larger image is refused: it would take 256 MB when decoded."""
CENTER = Focus()
SPARE_PIXELS = 2
"""Beyond each edge of the box: they are mixed into the edge where an image is not drawn pixel by pixel."""
MOST_FILE_BYTES = 25 * 1024 * 1024
DECODING_MEGABYTES = 256
"""The most memory that Qt may use to decode one image; an image that needs more, at 16 bits a channel, is not drawn."""


class ImagePlan(Struct, frozen=True, kw_only=True):
    """Position of the whole image, in canvas units from the box's corner, and its size in pixels on the display. The
    box cuts off what sticks out, which is not kept."""

    url: str
    file_pixels: int
    x: float
    y: float
    width: float
    height: float
    pixel_width: int
    pixel_height: int

    box_width: float
    box_height: float
    turn: Turn = NO_TURN
    """From the file's pixels to upright ones, in which all else here is."""
    is_turned_by_qt: bool = True
    """While it is read; or else where it is drawn."""
    is_opaque: bool = False
    """Whether it is certain to have no transparent pixel."""

    @property
    def kept(self) -> tuple[int, int, int, int]:
        """Kept part, in pixels of the whole image on the display: left, top, width, height."""
        left, columns = self._seen(self.x, self.width, self.box_width, self.pixel_width)
        top, rows = self._seen(self.y, self.height, self.box_height, self.pixel_height)
        return left, top, columns, rows

    def describe(self) -> dict[str, object]:
        """Describes the plan to QML: the part to keep lies at `x` and `y`; `cut...` are its pixels in the whole file,
        and `pixel...` is its size in pixels, before it is turned."""
        left, top, columns, rows = self.kept
        seen = QSize(self.pixel_width, self.pixel_height)
        pixels, cut = self.turn.of(seen), self.turn.in_file(QRect(left, top, columns, rows), seen)
        drawn = NO_TURN if self.is_turned_by_qt else self.turn
        return {
            "url": self.url,
            "x": self.x + left * self.width / self.pixel_width,
            "y": self.y + top * self.height / self.pixel_height,
            "width": columns * self.width / self.pixel_width,
            "height": rows * self.height / self.pixel_height,
            "pixelWidth": pixels.width(),
            "pixelHeight": pixels.height(),
            "cutLeft": cut.left(),
            "cutTop": cut.top(),
            "cutWidth": cut.width(),
            "cutHeight": cut.height(),
            "degrees": drawn.degrees,
            "mirrored": drawn.mirrored,
        }

    def _seen(self, offset: float, drawn: float, box: float, pixels: int) -> tuple[int, int]:
        """Returns the first pixel of a row or column that is in the box, and their number."""
        scale = pixels / drawn
        first = max(0, floor(-offset * scale) - SPARE_PIXELS)
        end = min(pixels, ceil((box - offset) * scale) + SPARE_PIXELS)
        return first, max(1, end - first)


class ImageRefused(Struct, frozen=True, kw_only=True):
    """Reason why a file cannot be drawn; `code` is stable."""

    code: str
    detail: str


def limit_decoding() -> None:
    """Sets the memory limit for every image decoder in this process."""
    QImageReader.setAllocationLimit(DECODING_MEGABYTES)


def plan_image(
    path: Path,
    *,
    width: float,
    height: float,
    fit: Fit | None = Fit.COVER,
    focus: Focus = CENTER,
    pixels_per_unit: float = 1.0,
) -> ImagePlan | ImageRefused:
    """Fit the image at `path` in a box of canvas units. Reads the file's header only."""
    reader = reader_of(path)
    if isinstance(reader, ImageRefused):
        return reader
    by_qt, noted = turn_of(reader.transformation()), noted_turn(path)
    turn = noted if by_qt == NO_TURN else by_qt
    size = turn.of(reader.size())
    across, down = width / size.width(), height / size.height()
    if fit is None:
        # With less than 0.7 of it seen, a picture would be a slice; what stands on a transparent ground is whole.
        is_slice = min(across, down) < 0.7 * max(across, down)
        fit = Fit.CONTAIN if is_slice or has_alpha(path) else Fit.COVER
    match fit:
        case Fit.COVER:
            across = down = max(across, down)
        case Fit.CONTAIN:
            across = down = min(across, down)
        case Fit.STRETCH:
            pass
    drawn_width, drawn_height = size.width() * across, size.height() * down
    # No more pixels than the file has, and no more than the display shows, but in the file's proportions: Qt reads no
    # others, and what is stretched is stretched as it is drawn.
    share = min(1.0, max(across, down) * pixels_per_unit)
    return ImagePlan(
        file_pixels=size.width() * size.height(),
        url=QUrl.fromLocalFile(str(path)).toString(),
        x=_offset(width, drawn_width, focus.x),
        y=_offset(height, drawn_height, focus.y),
        width=drawn_width,
        height=drawn_height,
        pixel_width=max(1, round(size.width() * share)),
        pixel_height=max(1, round(size.height() * share)),
        box_width=width,
        box_height=height,
        turn=turn,
        is_turned_by_qt=turn == by_qt,
        is_opaque=reader.imageFormat() == QImage.Format.Format_RGB32,
    )


def reader_of(path: Path) -> QImageReader | ImageRefused:
    """Opens the image and checks its header."""
    # The format comes from the bytes, never from a suffix, and is one of three: Qt itself would read a dozen, among
    # them drawings that name files.
    try:
        found, size_in_bytes = format_of(path), path.stat().st_size
    except OSError as error:
        code, detail = fault_of(path, error)
        return ImageRefused(code=code, detail=detail)
    if found not in IMAGES:
        return ImageRefused(code="asset_undecodable", detail=f"{path.name} is no PNG, JPEG or WebP")
    if size_in_bytes > MOST_FILE_BYTES:
        return ImageRefused(
            code="asset_too_large",
            detail=f"{path.name} has {size_text(size_in_bytes)}; {size_text(MOST_FILE_BYTES)} are the most",
        )
    reader = QImageReader(str(path), QByteArray(found.encode()))
    # Without this, Qt loads its plugins for all formats: 8 ms.
    reader.setAutoDetectImageFormat(False)
    size = reader.size()
    if not size.isValid() or size.isEmpty():
        return ImageRefused(code="asset_undecodable", detail=f"{path.name} is no image that this device can read")
    if size.width() * size.height() > MOST_PIXELS:
        return ImageRefused(
            code="asset_too_large",
            detail=f"{path.name} has {size.width()} x {size.height()} pixels; {MOST_PIXELS:,} are the most",
        )
    return reader


def _offset(box: float, drawn: float, focus: float) -> float:
    """Returns the offset that centres the focus point as far as possible without uncovering an edge."""
    if drawn <= box:
        return (box - drawn) / 2
    return min(0.0, max(box - drawn, box / 2 - focus * drawn))
