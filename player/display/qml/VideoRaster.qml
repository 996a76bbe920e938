// A video's frames where no GPU draws.
import QtQuick
import MenuPlayer

FrameImage {
    required property QtObject video

    frames: video.raster
}
